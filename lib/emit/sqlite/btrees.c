/* The tables with the most rows, and others whose rows are made in the order of their ids. They are written page by
 * page (btree.h). */
#include "emit/sqlite/internal.h"

#include <stddef.h>

#define TREE(member) offsetof(struct tm_sqlite, member)

static const struct {
    const char *name;
    size_t tree; /* where struct tm_sqlite has it */
} tables[] = {
    {"slice", TREE(slices.table)},
    {"counter", TREE(counters)},
    {"sched", TREE(scheds.table)},
    {"thread_state", TREE(thread_states.table)},
    {"ftrace_event", TREE(ftrace_events)},
    {"tm_arg_set", TREE(args.table)},
    {"tm_arg_real", TREE(args.real_table)},
    {"flow", TREE(flows)},
    {"thread", TREE(threads)},
    {"process", TREE(processes)},
    {"track", TREE(tracks)},
    {"clock_snapshot", TREE(clocks)},
    {"heap_graph_object", TREE(heap.objects)},
    {"heap_graph_reference", TREE(heap.references)},
    {"android_logs", TREE(logs)},
    {"tm_sample", TREE(samples)},
    {"spurious_sched_wakeup", TREE(wakeups)},
};

enum { COUNT = sizeof tables / sizeof *tables };

static struct tm_sqlite_btree *tree_at(struct tm_sqlite *s, int i)
{
    return (struct tm_sqlite_btree *)(void *)((uint8_t *)s + tables[i].tree);
}

bool tm_sqlite_is_btree(const char *name)
{
    int i = 0;
    while (i < COUNT && strcmp(tables[i].name, name) != 0)
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
        sqlite3_bind_text(root, 1, tables[i].name, -1, SQLITE_STATIC);
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
