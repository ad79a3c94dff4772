#include "format/gecko/internal.h"
#include "format/gecko/part_finder.h"

#include "base/decimal.h"
#include "base/hash.h"
#include "format/text_pid.h"

#include <inttypes.h>

enum { TEXT_MAX = 4096 };
enum { SEED_THREAD = 2 }; /* distinct from the seeds of definitions.c */

static enum tm_status take_text(struct tm_gecko *x, const struct tm_json_value *value, struct tm_buf *text)
{
    const uint8_t *s;
    size_t len;
    tm_buf_clear(text);
    if (value->type != TM_JSON_STRING)
        return TM_OK;
    if (!tm_json_text(value, &x->text, &s, &len) || tm_buf_add(text, s, len < TEXT_MAX ? len : TEXT_MAX) != TM_OK)
        return tm_error_nomem(x->err);
    return TM_OK;
}

/* Reads an id: a number, a string that holds one, or another string. */
static enum tm_status take_pid(struct tm_gecko *x, const struct tm_json_value *value, int64_t *pid, bool *is_text,
                               struct tm_buf *text)
{
    const char *s = (const char *)value->data;
    enum tm_status st = take_text(x, value, text);
    *is_text = false;
    *pid = 0;
    if (st < 0 || tm_decimal_int(s, value->len, pid) == TM_OK)
        return st;
    if (value->type == TM_JSON_NUMBER && tm_decimal_scale(s, value->len, 0, pid) != TM_OK)
        *pid = 0;
    *is_text = text->len > 0;
    return *is_text ? tm_text_pid(x->context.sink, text->data, text->len, pid, x->err) : TM_OK;
}

enum tm_status tm_gecko_thread_member(struct tm_gecko *x, const struct tm_json_value *key)
{
    struct tm_gecko_thread *t = &x->thread;
    struct tm_json_value value;
    enum tm_status st = tm_gecko_parts_take(&t->parts, key, &x->cursor, tm_gecko_resyncer(x), x->err);
    if (st != TM_END)
        return st;
    bool pid = tm_json_is(key, "pid"), tid = tm_json_is(key, "tid");
    struct tm_buf *text = tm_json_is(key, "name")          ? &t->name
                          : tm_json_is(key, "processName") ? &t->process_name
                          : tm_json_is(key, "processType") ? &t->process_type
                          : tm_json_is(key, "category")    ? &t->category
                                                   : NULL;
    if (tm_gecko_is_unread(key))
        return tm_gecko_unread_take(&x->cursor, &x->counts.not_shown, x->err);
    if (!pid && !tid && text == NULL)
        return tm_json_cursor_skip(&x->cursor, x->err);
    if ((st = tm_json_cursor_value(&x->cursor, &value, x->err)) < 0)
        return st;
    if (text)
        return take_text(x, &value, text);
    if (!tm_json_is_scalar(&value))
        return TM_OK;
    *(pid ? &t->has_pid : &t->has_tid) = true;
    return pid ? take_pid(x, &value, &t->pid, &t->pid_is_text, &t->pid_text)
               : take_pid(x, &value, &t->tid, &t->tid_is_text, &t->tid_text);
}

void tm_gecko_thread_release(struct tm_gecko_thread *t)
{
    tm_buf_release(&t->name);
    tm_buf_release(&t->process_name);
    tm_buf_release(&t->process_type);
    tm_buf_release(&t->pid_text);
    tm_buf_release(&t->tid_text);
    tm_buf_release(&t->category);
    *t = (struct tm_gecko_thread){0};
}

/* Reads the shared tables on the first call. */
static enum tm_status read_shared(struct tm_gecko *x)
{
    const struct tm_gecko_source source = {&x->text_file, &x->shared, x->view.damaged};
    if (x->shared_read || !x->has_shared)
        return TM_OK;
    x->shared_read = true;
    return tm_gecko_tables_read(&x->shared_tables, &source, NULL, x->processes[0], x->err);
}

/* Reads the thread's tables. Sets *TABLES to them, or to the shared ones if the thread has no stacks. */
static enum tm_status read_tables(struct tm_gecko *x, struct tm_gecko_tables **tables)
{
    const struct tm_gecko_source source = tm_gecko_view_source(&x->view);
    struct tm_gecko_strings *shared = x->has_shared ? &x->shared_tables.strings : NULL;
    enum tm_status st = read_shared(x);
    if (st == TM_OK)
        st = tm_gecko_tables_read(&x->tables, &source, shared, x->view.process, x->err);
    x->view.strings = x->tables.strings.present || !x->has_shared ? &x->tables.strings : shared;
    *tables = x->tables.has_stacks || !x->has_shared ? &x->tables : &x->shared_tables;
    return st;
}

void tm_gecko_place(struct tm_gecko *x, const struct tm_gecko_thread *thread)
{
    x->view.thread = thread;
    x->view.process = x->processes[thread->process];
    if (!tm_gecko_process_offset(x->view.process, x->processes[0], &x->view.offset_ns) && thread->process != 0)
        x->counts.no_start++;
}

/* Makes the ids that THREAD lacks. Old profiles state no thread ids, and some of them no process ids. */
static enum tm_status make_ids(struct tm_gecko *x, struct tm_gecko_thread *thread)
{
    enum tm_status st = TM_OK;
    tm_buf_clear(&x->text);
    if (tm_buf_addf(&x->text, "gecko %" PRIu32 " process %" PRIu32, x->context.sink->file, thread->process) != TM_OK)
        return tm_error_nomem(x->err);
    if (!thread->has_pid)
        st = tm_text_pid(x->context.sink, x->text.data, x->text.len, &thread->pid, x->err);
    if (st == TM_OK && tm_buf_addf(&x->text, " thread %" PRIu64, (uint64_t)thread->parts.shift) != TM_OK)
        return tm_error_nomem(x->err);
    if (st == TM_OK && !thread->has_tid)
        st = tm_text_pid(x->context.sink, x->text.data, x->text.len, &thread->tid, x->err);
    thread->has_pid = thread->has_tid = true;
    return st;
}

enum tm_status tm_gecko_thread_show(struct tm_gecko *x, struct tm_gecko_thread *thread)
{
    struct tm_gecko_tables *tables;
    enum tm_status st = thread->has_tid && thread->has_pid ? TM_OK : make_ids(x, thread);
    if (st < 0)
        return st;
    uint64_t ids[2] = {(uint64_t)thread->pid, (uint64_t)thread->tid};
    tm_gecko_place(x, thread);
    x->view.has_track = false;
    x->view.uuid = tm_hash64_numbers(ids, 2, SEED_THREAD) | 1;
    x->view.is_defined = false;
    st = read_tables(x, &tables);
    if (st == TM_OK)
        st = tm_gecko_samples_show(&x->view, tables);
    return st < 0 ? st : tm_gecko_markers_show(&x->view);
}
