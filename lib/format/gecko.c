#include "format/gecko_work.h"

#include <stdlib.h>

enum { CLOCK_REALTIME_ID = 1, CLOCK_MONOTONIC_ID = 3, SPOOL_MEMORY = 32 << 20, ROWS_MEMORY = 4 << 20 };

static bool is(const struct tm_json_value *key, const char *name)
{
    return tm_json_is(key, name, strlen(name));
}

/* {"meta" or {"libs", white space aside. */
static bool gecko_sniff(const uint8_t *head, size_t len)
{
    char start[7];
    size_t n = 0;
    for (size_t i = 0; i < len && n < sizeof start; i++)
        if (head[i] != ' ' && !(head[i] >= '\t' && head[i] <= '\r'))
            start[n++] = (char)head[i];
    return n == sizeof start && (memcmp(start, "{\"meta\"", n) == 0 || memcmp(start, "{\"libs\"", n) == 0);
}

static enum tm_status gecko_open(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    struct tm_gecko *x = calloc(1, sizeof *x);
    if (x == NULL)
        return tm_error_nomem(err);
    x->context = *context;
    x->cursor.in = context->input;
    x->salvage = context->options && context->options->on_damage != TM_DAMAGE_HALT;
    tm_paged_init(&x->spool, SPOOL_MEMORY);
    tm_paged_init(&x->counter_spool, ROWS_MEMORY);
    tm_paged_init(&x->rows.paged, ROWS_MEMORY);
    tm_gecko_tables_init(&x->tables);
    tm_gecko_tables_init(&x->shared_tables);
    *state = x;
    return TM_OK;
}

static void list_release(struct tm_gecko_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        tm_gecko_thread_release(&list->all[i]);
    free(list->all);
}

static void gecko_close(void *state)
{
    struct tm_gecko *x = state;
    if (x == NULL)
        return;
    for (uint32_t i = 0; i < x->process_count; i++) {
        tm_gecko_process_release(x->processes[i]);
        free(x->processes[i]);
    }
    list_release(&x->waiting);
    list_release(&x->counters);
    tm_gecko_thread_release(&x->thread);
    tm_gecko_tables_release(&x->tables);
    tm_gecko_tables_release(&x->shared_tables);
    tm_paged_release(&x->spool);
    tm_paged_release(&x->counter_spool);
    tm_paged_release(&x->rows.paged);
    struct tm_buf *bufs[] = {&x->detail, &x->stack, &x->name, &x->category, &x->text, &x->message};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        tm_buf_release(bufs[i]);
    tm_json_args_release(&x->args);
    tm_map_release(&x->defined);
    free(x->processes);
    free(x);
}

static enum tm_status refuse(struct tm_gecko *x, const char *cause)
{
    return tm_error_set(x->err, TM_E_INPUT, "byte %llu: %s", (unsigned long long)x->context.input->offset, cause);
}

static enum tm_status new_process(struct tm_gecko *x, uint32_t *number)
{
    if (x->process_count == TM_GECKO_PROCESSES_MAX)
        return refuse(x, "too many processes");
    if (x->process_count == x->process_cap) {
        uint32_t cap = x->process_cap ? x->process_cap * 2 : 8;
        struct tm_gecko_process **all = realloc(x->processes, cap * sizeof *all);
        if (all == NULL)
            return tm_error_nomem(x->err);
        x->processes = all;
        x->process_cap = cap;
    }
    struct tm_gecko_process *p = calloc(1, sizeof *p);
    if (p == NULL)
        return tm_error_nomem(x->err);
    *number = x->process_count;
    x->processes[x->process_count++] = p;
    return TM_OK;
}

/* What passes the cursor goes to SPOOL, from its start where nothing there is NEEDED any more. */
static void begin_copy(struct tm_gecko *x, struct tm_gecko_parts *parts, struct tm_paged *spool, bool needed)
{
    if (!needed)
        tm_paged_clear(spool);
    x->cursor.copy = spool;
    x->cursor.copied = spool->end;
    parts->shift = x->context.input->offset - x->cursor.copied;
}

/* Moves x->thread to LIST. */
static enum tm_status list_add(struct tm_gecko *x, struct tm_gecko_list *list)
{
    if (list->count == TM_GECKO_THREADS_MAX)
        return refuse(x, "too many threads before what they need");
    if (list->count == list->cap) {
        uint32_t cap = list->cap ? list->cap * 2 : 16;
        struct tm_gecko_thread *all = realloc(list->all, cap * sizeof *all);
        if (all == NULL)
            return tm_error_nomem(x->err);
        list->all = all;
        list->cap = cap;
    }
    list->all[list->count++] = x->thread;
    x->thread = (struct tm_gecko_thread){0};
    return TM_OK;
}

/* All that the thread needs has been read: what its process and the outermost say, and its tables or
 * those that threads share. */
static bool is_ready(const struct tm_gecko *x, const struct tm_gecko_thread *t)
{
    const struct tm_gecko_parts *parts = &t->parts;
    bool own = tm_gecko_has(parts, TM_GP_STRINGS) &&
               (tm_gecko_has(parts, TM_GP_STACKS_DATA) || tm_gecko_has(parts, TM_GP_STACKS_FRAME));
    return x->processes[0]->has_meta && x->processes[t->process]->has_meta && (own || x->has_shared);
}

/* Shows the thread that was read, or lets it wait. */
static enum tm_status end_thread(struct tm_gecko *x)
{
    struct tm_gecko_process *process = x->processes[x->thread.process];
    x->in_thread = false;
    if (x->thread.has_pid && !process->has_pid) {
        process->has_pid = true;
        process->pid = x->thread.pid;
    }
    if (!is_ready(x, &x->thread))
        return list_add(x, &x->waiting);
    enum tm_status st = tm_gecko_thread_show(x, &x->thread);
    tm_gecko_thread_release(&x->thread);
    return st;
}

static enum tm_status read_thread(struct tm_gecko *x, uint32_t process)
{
    struct tm_json_value key;
    x->thread.process = process;
    x->thread.spool = &x->spool;
    x->in_thread = true;
    begin_copy(x, &x->thread.parts, &x->spool, x->waiting.count > 0 || x->has_shared);
    enum tm_status st = tm_json_cursor_enter(&x->cursor, x->err);
    while (st == TM_OK && (st = tm_json_cursor_key(&x->cursor, &key, x->err)) == TM_OK)
        st = tm_gecko_thread_member(x, &key);
    x->cursor.copy = NULL;
    return st == TM_END ? end_thread(x) : st;
}

/* The samples of a counter, which older profiles have in a list of groups, of which there is one. */
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

static enum tm_status read_counter(struct tm_gecko *x, uint32_t process)
{
    struct tm_json_value key;
    enum tm_json_type type;
    x->thread.process = process;
    x->thread.spool = &x->counter_spool;
    begin_copy(x, &x->thread.parts, &x->counter_spool, true);
    enum tm_status st = tm_json_cursor_enter(&x->cursor, x->err);
    while (st == TM_OK && (st = tm_json_cursor_key(&x->cursor, &key, x->err)) == TM_OK) {
        bool groups = is(&key, "sample_groups") || is(&key, "sampleGroups");
        if (groups && (st = tm_json_cursor_type(&x->cursor, &type, x->err)) < 0)
            break;
        st = groups && type == TM_JSON_ARRAY ? read_groups(x) : tm_gecko_thread_member(x, &key);
    }
    x->cursor.copy = NULL;
    return st == TM_END ? list_add(x, &x->counters) : st;
}

static enum tm_status read_shared(struct tm_gecko *x)
{
    struct tm_json_value key;
    begin_copy(x, &x->shared, &x->spool, x->waiting.count > 0);
    enum tm_status st = tm_json_cursor_enter(&x->cursor, x->err);
    while (st == TM_OK && (st = tm_json_cursor_key(&x->cursor, &key, x->err)) == TM_OK)
        if ((st = tm_gecko_parts_take(&x->shared, &key, &x->cursor, x->err)) == TM_END)
            st = tm_json_cursor_skip(&x->cursor, x->err);
    x->cursor.copy = NULL;
    x->has_shared = true;
    return st == TM_END ? TM_OK : st;
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

/* The elements of a list of PROCESS. What is no object is passed over. */
static enum tm_status read_list(struct tm_gecko *x, uint32_t process, enum list list, uint32_t depth)
{
    enum tm_json_type type;
    enum tm_status st = tm_json_cursor_enter(&x->cursor, x->err);
    while (st == TM_OK && (st = tm_json_cursor_element(&x->cursor, x->err)) == TM_OK &&
           (st = tm_json_cursor_type(&x->cursor, &type, x->err)) == TM_OK) {
        if (type == TM_JSON_STRING) /* a child's profile as text: Firefox before 2018 */
            tm_gecko_count(&x->not_shown, 1, x->context.input->offset);
        if (type != TM_JSON_OBJECT)
            st = tm_json_cursor_skip(&x->cursor, x->err);
        else
            st = list == LIST_THREADS    ? read_thread(x, process)
                 : list == LIST_COUNTERS ? read_counter(x, process)
                                         : read_profile(x, depth + 1);
    }
    return st == TM_END ? TM_OK : st;
}

/* A profile: the document, or that of a child process. */
static enum tm_status read_profile(struct tm_gecko *x, uint32_t depth)
{
    struct tm_json_value key;
    enum tm_json_type type;
    uint32_t process = 0;
    if (depth == TM_GECKO_NESTING_MAX)
        return refuse(x, "processes are nested too deeply");
    enum tm_status st = new_process(x, &process);
    if (st == TM_OK)
        st = tm_json_cursor_enter(&x->cursor, x->err);
    while (st == TM_OK && (st = tm_json_cursor_key(&x->cursor, &key, x->err)) == TM_OK) {
        bool meta = is(&key, "meta"), libs = is(&key, "libs"), threads = is(&key, "threads");
        bool children = is(&key, "processes"), counters = is(&key, "counters"), shared = is(&key, "shared") && depth == 0;
        if ((st = tm_json_cursor_type(&x->cursor, &type, x->err)) < 0)
            break;
        if (meta && type == TM_JSON_OBJECT)
            st = read_meta(x, x->processes[process]);
        else if (libs && type == TM_JSON_ARRAY)
            st = tm_gecko_process_libs(x->processes[process], &x->cursor, &x->text, x->err);
        else if (shared && type == TM_JSON_OBJECT)
            st = read_shared(x);
        else if ((threads || children || counters) && type == TM_JSON_ARRAY)
            st = read_list(x, process, threads ? LIST_THREADS : counters ? LIST_COUNTERS : LIST_PROCESSES, depth);
        else if (tm_gecko_is_unread(&key))
            st = tm_gecko_unread_take(x);
        else
            st = tm_json_cursor_skip(&x->cursor, x->err);
    }
    return st == TM_END ? TM_OK : st;
}

/* What could not be shown before the end. */
static enum tm_status show_waiting(struct tm_gecko *x)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st == TM_OK && i < x->waiting.count; i++)
        st = tm_gecko_thread_show(x, &x->waiting.all[i]);
    for (uint32_t i = 0; st == TM_OK && i < x->counters.count; i++)
        st = tm_gecko_counter_show(x, &x->counters.all[i]);
    return st;
}

/* What the clocks of the outermost process read when the profile's read 0. */
static enum tm_status put_hint(struct tm_gecko *x, enum tm_gecko_start start, uint32_t clock, const char *source)
{
    Tracemerge__ClockHint hint = TRACEMERGE__CLOCK_HINT__INIT;
    const struct tm_gecko_process *root = x->processes[0];
    if (!root->has_start[start] || root->start_ns[start] <= 0) /* 0 where it is not known */
        return TM_OK;
    hint.file = x->context.sink->file;
    hint.clock = clock;
    hint.value_ns = root->start_ns[start];
    hint.source = tm_bytes(source, strlen(source));
    return tm_event_sink_message(x->context.sink, TM_FRAME_CLOCK_HINT, &hint.base, x->err);
}

static enum tm_status put_hints(struct tm_gecko *x)
{
    if (x->context.options == NULL || !x->context.options->hints || x->process_count == 0)
        return TM_OK;
    enum tm_status st = put_hint(x, TM_GECKO_START_MONOTONIC, CLOCK_MONOTONIC_ID,
                                 "meta.startTimeAsClockMonotonicNanosecondsSinceBoot");
    return st < 0 ? st : put_hint(x, TM_GECKO_START_REALTIME, CLOCK_REALTIME_ID, "meta.startTime");
}

static enum tm_status account(struct tm_gecko *x, const char *reason, const struct tm_gecko_account *a)
{
    return a->count ? tm_event_sink_account(x->context.sink, reason, 0, a->count, a->byte, x->err) : TM_OK;
}

static enum tm_status stat(struct tm_gecko *x, const char *name, uint64_t n)
{
    return n ? tm_event_sink_stat(x->context.sink, name, TRACEMERGE__SEVERITY__ERROR, (int64_t)n, x->err) : TM_OK;
}

static enum tm_status finish(struct tm_gecko *x)
{
    const struct {
        const char *name;
        uint64_t count;
    } stats[] = {{"gecko_stack_cut", x->stacks_cut},
                 {"gecko_stack_broken", x->tables.broken_stacks + x->shared_tables.broken_stacks},
                 {"gecko_process_without_start", x->no_start},
                 {"gecko_marker_tracks_shared", x->tracks_shared},
                 {"gecko_args_cut", x->args_cut}};
    enum tm_status st = put_hints(x);
    if (st >= 0)
        st = account(x, "damaged", &x->damaged);
    if (st >= 0)
        st = account(x, "no_time", &x->no_time);
    if (st >= 0)
        st = account(x, "no_stack", &x->no_stack);
    if (st >= 0)
        st = account(x, "not_shown", &x->not_shown);
    for (size_t i = 0; st >= 0 && i < sizeof stats / sizeof *stats; i++)
        st = stat(x, stats[i].name, stats[i].count);
    return st < 0 ? st : TM_END;
}

/* The document is damaged, which *err tells: what was read of it is shown, the rest passed over. */
static enum tm_status salvage(struct tm_gecko *x)
{
    struct tm_input *in = x->context.input;
    uint64_t first = in->offset;
    enum tm_status st = TM_OK;
    tm_gecko_count(&x->damaged, 1, tm_gecko_error_byte(x->err));
    *x->err = (struct tm_error){0};
    x->cursor.copy = NULL;
    x->cut = true;
    if (x->in_thread && x->process_count)
        st = tm_gecko_thread_show(x, &x->thread);
    if (st == TM_OK)
        st = show_waiting(x);
    while (st == TM_OK && (st = tm_input_fill(in, 1, x->err)) == TM_OK)
        tm_input_skip(in, in->len);
    if (st >= 0 && in->offset > first)
        st = tm_event_sink_account(x->context.sink, "skipped_bytes", 0, in->offset - first, first, x->err);
    return st < 0 ? st : finish(x);
}

static enum tm_status gecko_read(void *state, struct tm_error *err)
{
    struct tm_gecko *x = state;
    x->err = err;
    enum tm_status st = read_profile(x, 0);
    if (st == TM_OK)
        st = show_waiting(x);
    if (st == TM_E_INPUT && x->salvage)
        return salvage(x);
    return st < 0 ? st : finish(x);
}

const struct tm_format tm_format_gecko = {
    .name = "gecko",
    .priority = 2,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__PRIVATE,
    .sniff = gecko_sniff,
    .open = gecko_open,
    .read = gecko_read,
    .close = gecko_close,
};
