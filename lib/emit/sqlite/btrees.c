/* The tables with the most rows, and others whose rows are made in the order of their ids. They are written page by
 * page (btree.h). */
#include "emit/sqlite/internal.h"

static const char *const names[] = {
    "slice",        "counter", "sched",   "thread_state", "ftrace_event",   "tm_arg_set",        "tm_arg_real",
    "flow",         "thread",  "process", "track",        "clock_snapshot", "heap_graph_object", "heap_graph_reference",
    "android_logs", "tm_sample", "spurious_sched_wakeup"};

enum { COUNT = sizeof names / sizeof *names };

static struct tm_sqlite_btree *tree_at(struct tm_sqlite *s, int i)
{
    struct tm_sqlite_btree *const trees[COUNT] = {
        &s->slices.table, &s->counters, &s->scheds.table, &s->thread_states.table, &s->ftrace_events, &s->args.table,
        &s->args.real_table, &s->flows, &s->threads, &s->processes, &s->tracks, &s->clocks, &s->heap.objects,
        &s->heap.references, &s->logs, &s->samples, &s->wakeups};
    return trees[i];
}

bool tm_sqlite_is_btree(const char *name)
{
    int i = 0;
    while (i < COUNT && strcmp(names[i], name) != 0)
        i++;
    return i < COUNT;
}

enum tm_status tm_sqlite_btrees_open(struct tm_sqlite *s, struct tm_error *err)
{
    const char *name = s->context->options->out_path ? s->context->options->out_path : s->context->path;
    enum tm_status st = tm_sqlite_pages_open(&s->pages, s->context->path, name, err);
    sqlite3_stmt *root = NULL;
    if (st < 0)
        return st;
    if (sqlite3_prepare_v2(s->db, "SELECT rootpage FROM main.sqlite_schema WHERE name = ?", -1, &root, NULL) !=
        SQLITE_OK)
        return tm_sqlite_fail(s, err);
    for (int i = 0; st == TM_OK && i < COUNT; i++) {
        sqlite3_bind_text(root, 1, names[i], -1, SQLITE_STATIC);
        if (sqlite3_step(root) == SQLITE_ROW)
            tm_sqlite_btree_init(tree_at(s, i), &s->pages, (uint32_t)sqlite3_column_int64(root, 0));
        else
            st = tm_sqlite_fail(s, err);
        sqlite3_reset(root);
    }
    sqlite3_finalize(root);
    return st;
}

enum tm_status tm_sqlite_btrees_finish(struct tm_sqlite *s, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (int i = 0; st == TM_OK && i < COUNT; i++)
        st = tm_sqlite_btree_finish(tree_at(s, i), err);
    return st < 0 ? st : tm_sqlite_pages_finish(&s->pages, err);
}

void tm_sqlite_btrees_release(struct tm_sqlite *s)
{
    for (int i = 0; i < COUNT; i++)
        tm_sqlite_btree_release(tree_at(s, i));
    tm_sqlite_pages_release(&s->pages);
    tm_sqlite_record_release(&s->record);
}
