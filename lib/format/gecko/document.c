/* The document of a Gecko profile: processes, their threads and counters, in any order of members. */
#include "format/gecko/internal.h"
#include "base/table.h"
#include "format/gecko/part_finder.h"

#include <stdlib.h>

static enum tm_status refuse(struct tm_gecko *x, const char *cause)
{
    return tm_error_at(x->err, x->context.input->offset, "%s", cause);
}

static enum tm_status new_process(struct tm_gecko *x, uint32_t *number)
{
    if (x->process_count == TM_GECKO_PROCESSES_MAX)
        return refuse(x, "too many processes");
    if (tm_array_grow(&x->processes, &x->process_cap, x->process_count, sizeof *x->processes, x->err) < 0)
        return TM_E_SYSTEM;
    struct tm_gecko_process *p = calloc(1, sizeof *p);
    if (p == NULL)
        return tm_error_nomem(x->err);
    *number = x->process_count;
    x->processes[x->process_count++] = p;
    return TM_OK;
}

/* Starts copying the bytes that the cursor passes to TEXT_FILE: after its content if that is NEEDED, else over it. */
static void begin_copy(struct tm_gecko *x, struct tm_gecko_parts *parts, struct tm_paged_file *text_file, bool needed)
{
    if (!needed)
        tm_paged_file_clear(text_file);
    x->cursor.copy = text_file;
    x->cursor.copied = text_file->end;
    x->resync.parts = parts;
    parts->shift = x->context.input->offset - x->cursor.copied;
}

static void end_copy(struct tm_gecko *x)
{
    x->cursor.copy = NULL;
    x->resync.parts = NULL;
    x->resync.in_thread = false;
}

/* Moves x->thread to LIST. */
static enum tm_status list_add(struct tm_gecko *x, struct tm_gecko_list *list)
{
    if (list->count == TM_GECKO_THREADS_MAX)
        return refuse(x, "too many threads before the tables that they use");
    if (tm_array_grow(&list->all, &list->cap, list->count, sizeof *list->all, x->err) < 0)
        return TM_E_SYSTEM;
    list->all[list->count++] = x->thread;
    x->thread = (struct tm_gecko_thread){0};
    return TM_OK;
}

/* True if all that the thread needs is read: the facts of its process and of the outermost one, and its own tables or
 * the shared ones. */
static bool is_ready(const struct tm_gecko *x, const struct tm_gecko_thread *t)
{
    const struct tm_gecko_parts *parts = &t->parts;
    bool own = tm_gecko_has(parts, TM_GP_STRINGS) &&
               (tm_gecko_has(parts, TM_GP_STACKS_DATA) || tm_gecko_has(parts, TM_GP_STACKS_FRAME));
    return x->processes[0]->has_meta && x->processes[t->process]->has_meta && (own || x->has_shared);
}

/* Shows the thread that was read, or makes it pending if something it needs is not read yet. */
static enum tm_status end_thread(struct tm_gecko *x)
{
    struct tm_gecko_process *process = x->processes[x->thread.process];
    x->in_thread = false;
    if (x->thread.has_pid && !process->has_pid) {
        process->has_pid = true;
        process->pid = x->thread.pid;
    }
    /* Damage may have removed the start of another process, from which the thread's times count. */
    x->thread.has_unknown_origin = x->counts.damaged.count > 0 && x->process_count > 1 && x->thread.has_pid &&
                                   x->thread.pid != process->pid && tm_gecko_has(&x->thread.parts, TM_GP_SAMPLES_DATA);
    if (!is_ready(x, &x->thread))
        return list_add(x, &x->pending_threads);
    enum tm_status st = tm_gecko_thread_show(x, &x->thread);
    tm_gecko_thread_release(&x->thread);
    return st;
}

/* If ST is damage and reading is to continue after it, moves to the next point, x->resync.point. Otherwise returns
 * ST. */
static enum tm_status resync(struct tm_gecko *x, enum tm_status st)
{
    static const struct tm_gecko_sought nothing = {.table = -1};
    return st == TM_E_INPUT && x->resyncs ? tm_gecko_resync(&x->resync, &nothing, x->err) : st;
}

/* Reads the object of a thread, then shows the thread or makes it pending. */
static enum tm_status read_thread(struct tm_gecko *x, uint32_t process)
{
    struct tm_json_value key;
    tm_gecko_thread_release(&x->thread);
    x->thread.process = process;
    x->thread.text_file = &x->text_file;
    x->in_thread = x->resync.in_thread = true;
    begin_copy(x, &x->thread.parts, &x->text_file, x->pending_threads.count > 0 || x->has_shared);
    enum tm_status st = tm_json_cursor_enter(&x->cursor, x->err);
    for (;;) {
        while (st == TM_OK && (st = tm_json_cursor_key(&x->cursor, &key, x->err)) == TM_OK)
            st = tm_gecko_thread_member(x, &key);
        bool is_end = st == TM_END;
        st = is_end ? TM_OK : resync(x, st);
        if (st < 0 || is_end || !tm_gecko_resync_take(&x->resync, TM_GECKO_AT_TABLE))
            break;
    }
    end_copy(x);
    return st < 0 ? st : end_thread(x);
}

/* Reads the samples of a counter. Older profiles have them in a list that contains one group. */
static enum tm_status read_groups(struct tm_gecko *x)
{
    struct tm_json_value key;
    enum tm_json_type type;
    enum tm_status st = tm_json_cursor_enter(&x->cursor, x->err);
    while (st == TM_OK && (st = tm_json_cursor_element(&x->cursor, x->err)) == TM_OK &&
           (st = tm_json_cursor_type(&x->cursor, &type, x->err)) == TM_OK) {
        if (type != TM_JSON_OBJECT) {
            st = tm_json_cursor_skip(&x->cursor, x->err);
            continue;
        }
        st = tm_json_cursor_enter(&x->cursor, x->err);
        while (st == TM_OK && (st = tm_json_cursor_key(&x->cursor, &key, x->err)) == TM_OK)
            st = tm_gecko_thread_member(x, &key);
        st = st == TM_END ? TM_OK : st;
    }
    return st == TM_END ? TM_OK : st;
}

/* Reads a counter. If damage ends it, the samples before the damage are shown. */
static enum tm_status read_counter(struct tm_gecko *x, uint32_t process)
{
    struct tm_json_value key;
    enum tm_json_type type;
    tm_gecko_thread_release(&x->thread);
    x->thread.process = process;
    x->thread.text_file = &x->counter_file;
    begin_copy(x, &x->thread.parts, &x->counter_file, true);
    enum tm_status st = tm_json_cursor_enter(&x->cursor, x->err);
    while (st == TM_OK && (st = tm_json_cursor_key(&x->cursor, &key, x->err)) == TM_OK) {
        bool groups = tm_json_is(&key, "sample_groups") || tm_json_is(&key, "sampleGroups");
        if (groups && (st = tm_json_cursor_type(&x->cursor, &type, x->err)) < 0)
            break;
        st = groups && type == TM_JSON_ARRAY ? read_groups(x) : tm_gecko_thread_member(x, &key);
    }
    st = st == TM_END ? TM_OK : resync(x, st);
    end_copy(x);
    if (st != TM_OK && (st != TM_E_INPUT || !x->salvage))
        return st;
    enum tm_status added = list_add(x, &x->counters);
    return added < 0 ? added : st;
}

/* Reads the object of the tables that threads share. */
static enum tm_status read_shared(struct tm_gecko *x)
{
    struct tm_json_value key;
    begin_copy(x, &x->shared, &x->text_file, x->pending_threads.count > 0);
    x->resync.in_thread = x->resyncs;
    enum tm_status st = tm_json_cursor_enter(&x->cursor, x->err);
    for (;;) {
        while (st == TM_OK && (st = tm_json_cursor_key(&x->cursor, &key, x->err)) == TM_OK)
            if ((st = tm_gecko_parts_take(&x->shared, &key, &x->cursor, tm_gecko_resyncer(x), x->err)) == TM_END)
                st = tm_json_cursor_skip(&x->cursor, x->err);
        bool is_end = st == TM_END;
        st = is_end ? TM_OK : resync(x, st);
        if (st < 0 || is_end || !tm_gecko_resync_take(&x->resync, TM_GECKO_AT_TABLE))
            break;
    }
    end_copy(x);
    x->has_shared = true;
    return st;
}

static enum tm_status read_meta(struct tm_gecko *x, struct tm_gecko_process *process)
{
    struct tm_json_value meta;
    enum tm_status st = tm_json_cursor_value(&x->cursor, &meta, x->err);
    if (st == TM_OK && tm_gecko_process_meta(process, &meta, &x->text) < 0)
        return tm_error_nomem(x->err);
    return st;
}

static enum tm_status read_profile(struct tm_gecko *x, uint32_t depth);

enum list { LIST_THREADS, LIST_COUNTERS, LIST_PROCESSES };

/* Reads an element of a list. One that is not an object is skipped. */
static enum tm_status read_element(struct tm_gecko *x, uint32_t process, enum list list, uint32_t depth)
{
    enum tm_json_type type;
    enum tm_status st = tm_json_cursor_type(&x->cursor, &type, x->err);
    if (st < 0)
        return st;
    if (type == TM_JSON_STRING) /* the profile of a child process as text: Firefox before 2018 */
        tm_gecko_count(&x->counts.not_shown, 1, x->context.input->offset);
    if (type != TM_JSON_OBJECT)
        return tm_json_cursor_skip(&x->cursor, x->err);
    return list == LIST_THREADS    ? read_thread(x, process)
           : list == LIST_COUNTERS ? read_counter(x, process)
                                   : read_profile(x, depth + 1);
}

/* Reads the elements of a list of PROCESS; the cursor is inside the list. Also ends at a point after damage that is not
 * in the list. */
static enum tm_status read_elements(struct tm_gecko *x, uint32_t process, enum list list, uint32_t depth)
{
    enum tm_gecko_point own = list == LIST_PROCESSES ? TM_GECKO_AT_PROFILE : TM_GECKO_AT_THREAD;
    enum tm_status st = TM_OK;
    while (st == TM_OK) {
        if (x->resync.point != TM_GECKO_NO_POINT && (list == LIST_COUNTERS || !tm_gecko_resync_take(&x->resync, own)))
            return TM_OK;
        if ((st = tm_json_cursor_element(&x->cursor, x->err)) == TM_OK)
            st = read_element(x, process, list, depth);
        st = resync(x, st);
    }
    return st == TM_END ? TM_OK : st;
}

static enum tm_status read_list(struct tm_gecko *x, uint32_t process, enum list list, uint32_t depth)
{
    enum tm_status st = tm_json_cursor_enter(&x->cursor, x->err);
    return st < 0 ? st : read_elements(x, process, list, depth);
}

/* Reads the value of member KEY of a process. */
static enum tm_status read_member(struct tm_gecko *x, const struct tm_json_value *key, uint32_t process, uint32_t depth)
{
    bool meta = tm_json_is(key, "meta"), libs = tm_json_is(key, "libs"), threads = tm_json_is(key, "threads");
    bool children = tm_json_is(key, "processes"), counters = tm_json_is(key, "counters");
    bool shared = tm_json_is(key, "shared") && depth == 0;
    bool unread = tm_gecko_is_unread(key);
    enum tm_json_type type;
    enum tm_status st = tm_json_cursor_type(&x->cursor, &type, x->err);
    if (st < 0)
        return st;
    if (meta && type == TM_JSON_OBJECT)
        return read_meta(x, x->processes[process]);
    if (libs && type == TM_JSON_ARRAY)
        return tm_gecko_process_libs(x->processes[process], &x->cursor, &x->text, x->err);
    if (shared && type == TM_JSON_OBJECT)
        return read_shared(x);
    if ((threads || children || counters) && type == TM_JSON_ARRAY)
        return read_list(x, process, threads ? LIST_THREADS : counters ? LIST_COUNTERS : LIST_PROCESSES, depth);
    return unread ? tm_gecko_unread_take(&x->cursor, &x->counts.not_shown, x->err)
                  : tm_json_cursor_skip(&x->cursor, x->err);
}

/* Continues after damage that ended a list of PROCESS. TM_END: the next point is outside the process. */
static enum tm_status continue_at_point(struct tm_gecko *x, uint32_t process, uint32_t depth)
{
    switch (x->resync.point) {
    case TM_GECKO_NO_POINT:
        return TM_OK;
    case TM_GECKO_AT_LIST: (void)tm_gecko_resync_take(&x->resync, TM_GECKO_AT_LIST); return TM_OK;
    case TM_GECKO_AT_THREAD:
        return read_elements(x, process, LIST_THREADS, depth);
    case TM_GECKO_AT_PROFILE: /* only the outermost process reads it; others end here */
        return depth == 0 ? read_elements(x, process, LIST_PROCESSES, depth) : TM_END;
    default:
        return TM_END;
    }
}

/* Reads a profile: the document, or the profile of a child process. */
static enum tm_status read_profile(struct tm_gecko *x, uint32_t depth)
{
    struct tm_json_value key;
    uint32_t process = 0;
    if (depth == TM_GECKO_NESTING_MAX)
        return refuse(x, "processes are nested too deeply");
    enum tm_status st = new_process(x, &process);
    if (st == TM_OK)
        st = resync(x, tm_json_cursor_enter(&x->cursor, x->err));
    while (st == TM_OK) {
        while (x->resync.point != TM_GECKO_NO_POINT && st == TM_OK)
            st = continue_at_point(x, process, depth);
        if (st == TM_OK && (st = tm_json_cursor_key(&x->cursor, &key, x->err)) == TM_OK)
            st = read_member(x, &key, process, depth);
        st = resync(x, st);
    }
    return st == TM_END ? TM_OK : st;
}

enum tm_status tm_gecko_document_read(struct tm_gecko *x)
{
    return read_profile(x, 0);
}
