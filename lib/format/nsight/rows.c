/* Rows of tables as events. */
#include "format/nsight/internal.h"

#include "base/checked.h"
#include "base/hash.h"
#include "base/pb.h"
#include "kernel/sched_state.h"
#include "stream/clock_id.h"
#include "stream/detail_arg.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Types of NVTX events. Source: the table ENUM_NSYS_EVENT_TYPE of an export. */
enum {
    NVTX_CATEGORY = 33,
    NVTX_MARK = 34,
    NVTX_PUSH_POP = 59,
    NVTX_START_END = 60,
    NVTXT_MARK = 65,
    NVTXT_PUSH_POP = 70,
    NVTXT_START_END = 71,
    NVTX_DOMAIN = 75,
    NVTX_DOMAIN_END = 76
};
enum { SEED_CORRELATION = 0x6e73, SEED_RANGE };

/* Kinds of copies and of memory. Source: ENUM_CUDA_MEMCPY_OPER and ENUM_CUDA_MEM_KIND. */
static const char *const copies[] = {
    "Unknown", "Host-to-Device", "Device-to-Host", "Host-to-Array", "Array-to-Host", "Array-to-Array",
    "Array-to-Device", "Device-to-Array", "Device-to-Device", "Host-to-Host", "Peer-to-Peer",
    "Unified Host-to-Device", "Unified Device-to-Host", "Unified Device-to-Device",
};
static const char *const memories[] = {"Pageable", "Pinned", "Device", "Array",
                                       "Managed", "Device Static", "Managed Static", "Unknown"};

static const uint64_t payload = TM_NS_BIT(TM_NS_UINT64) | TM_NS_BIT(TM_NS_INT64) | TM_NS_BIT(TM_NS_DOUBLE) |
                                TM_NS_BIT(TM_NS_UINT32) | TM_NS_BIT(TM_NS_INT32) | TM_NS_BIT(TM_NS_FLOAT) |
                                TM_NS_BIT(TM_NS_JSON_TEXT);

/* Returns the columns that become arguments unchanged. */
static uint64_t arguments(enum tm_nsight_table_kind kind)
{
    switch (kind) {
    case TM_NSIGHT_NVTX:
        return payload;
    case TM_NSIGHT_CALLS:
        return TM_NS_BIT(TM_NS_CORRELATION_ID) | TM_NS_BIT(TM_NS_RETURN_VALUE);
    case TM_NSIGHT_KERNELS:
        return TM_NS_BIT(TM_NS_CORRELATION_ID) | TM_NS_BIT(TM_NS_GRID_X) | TM_NS_BIT(TM_NS_GRID_Y) |
               TM_NS_BIT(TM_NS_GRID_Z) | TM_NS_BIT(TM_NS_BLOCK_X) | TM_NS_BIT(TM_NS_BLOCK_Y) |
               TM_NS_BIT(TM_NS_BLOCK_Z) | TM_NS_BIT(TM_NS_REGISTERS) | TM_NS_BIT(TM_NS_STATIC_SHARED) |
               TM_NS_BIT(TM_NS_DYNAMIC_SHARED) | TM_NS_BIT(TM_NS_GRAPH_NODE_ID);
    case TM_NSIGHT_COPIES:
        return TM_NS_BIT(TM_NS_CORRELATION_ID) | TM_NS_BIT(TM_NS_BYTES) | TM_NS_BIT(TM_NS_SRC_DEVICE_ID) |
               TM_NS_BIT(TM_NS_DST_DEVICE_ID) | TM_NS_BIT(TM_NS_GRAPH_NODE_ID);
    case TM_NSIGHT_SETS:
        return TM_NS_BIT(TM_NS_CORRELATION_ID) | TM_NS_BIT(TM_NS_BYTES) | TM_NS_BIT(TM_NS_VALUE) |
               TM_NS_BIT(TM_NS_GRAPH_NODE_ID);
    default:
        return 0;
    }
}

uint64_t tm_nsight_columns(enum tm_nsight_table_kind kind)
{
    uint64_t times = TM_NS_BIT(TM_NS_START) | TM_NS_BIT(TM_NS_END);
    uint64_t place = TM_NS_BIT(TM_NS_GLOBAL_PID) | TM_NS_BIT(TM_NS_DEVICE_ID) | TM_NS_BIT(TM_NS_CONTEXT_ID) |
                     TM_NS_BIT(TM_NS_STREAM_ID);
    if (kind == TM_NSIGHT_SWITCHES)
        return TM_NS_BIT(TM_NS_START) | TM_NS_BIT(TM_NS_GLOBAL_TID) | TM_NS_BIT(TM_NS_CPU) |
               TM_NS_BIT(TM_NS_IS_SCHED_IN);
    uint64_t own = kind == TM_NSIGHT_NVTX ? TM_NS_BIT(TM_NS_GLOBAL_TID) | TM_NS_BIT(TM_NS_EVENT_TYPE) |
                                                TM_NS_BIT(TM_NS_RANGE_ID) | TM_NS_BIT(TM_NS_TEXT) |
                                                TM_NS_BIT(TM_NS_TEXT_ID) | TM_NS_BIT(TM_NS_CATEGORY) |
                                                TM_NS_BIT(TM_NS_DOMAIN_ID) | TM_NS_BIT(TM_NS_COLOR) |
                                                TM_NS_BIT(TM_NS_JSON_TEXT_ID) | TM_NS_BIT(TM_NS_END_GLOBAL_TID)
                   : kind == TM_NSIGHT_CALLS ? TM_NS_BIT(TM_NS_GLOBAL_TID) | TM_NS_BIT(TM_NS_NAME_ID) |
                                                   TM_NS_BIT(TM_NS_TEXT_ID)
                   : kind == TM_NSIGHT_KERNELS
                       ? place | TM_NS_BIT(TM_NS_SHORT_NAME) | TM_NS_BIT(TM_NS_DEMANGLED_NAME)
                   : kind == TM_NSIGHT_COPIES ? place | TM_NS_BIT(TM_NS_COPY_KIND) | TM_NS_BIT(TM_NS_SRC_KIND) |
                                                    TM_NS_BIT(TM_NS_DST_KIND)
                                              : place | TM_NS_BIT(TM_NS_MEM_KIND);
    return times | own | arguments(kind);
}

enum tm_nsight_table_kind tm_nsight_kind(const struct tm_nsight_table *table)
{
    static const struct {
        const char *name;
        enum tm_nsight_table_kind kind;
    } known[] = {{"NVTX_EVENTS", TM_NSIGHT_NVTX},
                 {"CUPTI_ACTIVITY_KIND_KERNEL", TM_NSIGHT_KERNELS},
                 {"CUPTI_ACTIVITY_KIND_MEMCPY", TM_NSIGHT_COPIES},
                 {"CUPTI_ACTIVITY_KIND_MEMSET", TM_NSIGHT_SETS},
                 {"SCHED_EVENTS", TM_NSIGHT_SWITCHES}};
    uint64_t c = table->columns, span = TM_NS_BIT(TM_NS_START) | TM_NS_BIT(TM_NS_END);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(table->name, known[i].name) == 0 && c & TM_NS_BIT(TM_NS_START))
            return known[i].kind;
    if ((c & span) == span && c & TM_NS_BIT(TM_NS_GLOBAL_TID) &&
        c & (TM_NS_BIT(TM_NS_NAME_ID) | TM_NS_BIT(TM_NS_TEXT_ID)))
        return TM_NSIGHT_CALLS;
    return c & (TM_NS_BIT(TM_NS_START) | TM_NS_BIT(TM_NS_TIMESTAMP)) ? TM_NSIGHT_UNSHOWN : TM_NSIGHT_NO_ROWS;
}

static bool has(const struct tm_nsight *x, enum tm_nsight_column c)
{
    return sqlite3_column_type(x->statement, x->at[c]) != SQLITE_NULL;
}

static bool has_int(const struct tm_nsight *x, enum tm_nsight_column c)
{
    return sqlite3_column_type(x->statement, x->at[c]) == SQLITE_INTEGER;
}

static int64_t int_of(const struct tm_nsight *x, enum tm_nsight_column c)
{
    return sqlite3_column_int64(x->statement, x->at[c]);
}

static enum tm_status put_text(struct tm_nsight *x, const char *key, const void *data, size_t len)
{
    return tm_detail_arg_text(&x->detail, key, data, len) == TM_OK ? TM_OK : tm_error_nomem(x->err);
}

/* Adds the number in column C as a text: the one of that index in NAMES, which has COUNT texts. */
static enum tm_status put_word(struct tm_nsight *x, enum tm_nsight_column c, const char *const *names, size_t count)
{
    if (!has_int(x, c))
        return TM_OK;
    uint64_t i = (uint64_t)int_of(x, c);
    const char *word = i < count ? names[i] : "Unknown";
    return put_text(x, tm_nsight_column_name(c), word, strlen(word));
}

/* Adds column C as an argument of its name. NULL and blobs are left out. */
static enum tm_status put_column(struct tm_nsight *x, enum tm_nsight_column c)
{
    const char *key = tm_nsight_column_name(c);
    int at = x->at[c];
    enum tm_status st = TM_OK;
    tm_buf_clear(&x->name);
    if (tm_buf_add_str(&x->name, key) != TM_OK)
        return tm_error_nomem(x->err);
    switch (sqlite3_column_type(x->statement, at)) {
    case SQLITE_INTEGER:
        st = tm_detail_arg_int(&x->detail, key, int_of(x, c));
        break;
    case SQLITE_FLOAT:
        st = tm_detail_arg_number(&x->detail, &x->name, TM_ARG_DOUBLE,
                                  tm_pb_bits(sqlite3_column_double(x->statement, at)));
        break;
    case SQLITE_TEXT: {
        struct tm_text text = tm_nsight_column_text(x, x->statement, at);
        st = tm_detail_arg_text(&x->detail, key, text.data, text.len);
        break;
    }
    default:
        break;
    }
    return st == TM_OK ? TM_OK : tm_error_nomem(x->err);
}

/* True for a 0 that stands for a missing value. Some versions have columns that cannot be NULL. */
static bool is_filler(const struct tm_nsight *x, enum tm_nsight_column c)
{
    bool optional = c == TM_NS_RETURN_VALUE || c == TM_NS_GRAPH_NODE_ID || c == TM_NS_CORRELATION_ID ||
                    (payload & TM_NS_BIT(c) && has(x, TM_NS_UINT64) && has(x, TM_NS_INT64));
    return optional && sqlite3_column_double(x->statement, x->at[c]) == 0;
}

static enum tm_status put_arguments(struct tm_nsight *x)
{
    uint64_t columns = arguments(x->table_kind);
    enum tm_status st = TM_OK;
    for (int c = 0; c < TM_NS_COLUMNS && st == TM_OK; c++)
        if (columns & TM_NS_BIT(c) && !is_filler(x, (enum tm_nsight_column)c))
            st = put_column(x, (enum tm_nsight_column)c);
    return st;
}

static struct tm_event new_row(const struct tm_nsight *x, enum tm_kind kind)
{
    return (struct tm_event){.kind = kind, .clock = x->has_start ? TM_CLOCK_REALTIME : TM_CLOCK_TRACE_FILE,
                             .category = x->category,
                             .flags = TM_EVENT_HAS_PID | TM_EVENT_HAS_TID | tm_event_scope_flags(TM_SCOPE_THREAD)};
}

static enum tm_status account(struct tm_nsight *x, enum tm_drop_reason reason)
{
    uint32_t clock = x->has_start ? TM_CLOCK_REALTIME : TM_CLOCK_TRACE_FILE;
    return tm_event_sink_account(x->context.sink, (struct tm_loss){reason, clock, 1, UINT64_MAX}, x->err);
}

static enum tm_status add(struct tm_nsight *x, struct tm_event *row)
{
    row->detail = x->detail.data;
    row->detail_bytes = (uint32_t)x->detail.len;
    return tm_event_sink_add(x->context.sink, row, x->err);
}

/* Reads column C as a time. */
static bool time_of(const struct tm_nsight *x, enum tm_nsight_column c, int64_t *ns)
{
    return tm_add_i64(int_of(x, c), x->has_start ? x->start_ns : 0, ns);
}

/* True if the row has an end. Versions whose columns cannot be NULL write 0 for a range without an end. */
static bool has_end(const struct tm_nsight *x)
{
    return has_int(x, TM_NS_END) && (x->table_kind != TM_NSIGHT_NVTX || int_of(x, TM_NS_END) != 0);
}

/* Sets begin and duration. Returns why the event cannot be shown, or TM_DROP_NONE if it can. */
static enum tm_drop_reason set_times(const struct tm_nsight *x, struct tm_event *row)
{
    if (!has_int(x, TM_NS_START))
        return TM_DROP_NO_TIME;
    if (!time_of(x, TM_NS_START, &row->time_ns))
        return TM_DROP_OUT_OF_RANGE;
    if (row->kind != TM_KIND_SLICE_COMPLETE)
        return TM_DROP_NONE;
    if (!has_end(x))
        row->kind = TM_KIND_SLICE_BEGIN; /* the range was open when the recording ended */
    else if (!tm_sub_i64(int_of(x, TM_NS_END), int_of(x, TM_NS_START), &row->dur_ns) || row->dur_ns < 0)
        return TM_DROP_DAMAGED;
    return TM_DROP_NONE;
}

/* Sets the thread from column C. An event of a process without a thread (tid 0) goes to the main thread. */
static enum tm_status set_thread(struct tm_nsight *x, enum tm_nsight_column c, struct tm_event *row)
{
    int64_t global = int_of(x, c);
    uint32_t unused;
    row->pid = tm_nsight_pid(global);
    row->tid = tm_nsight_tid(global) ? tm_nsight_tid(global) : row->pid;
    if (x->threads.count >= TM_NSIGHT_THREADS_MAX) {
        x->context.sink->left_out += !tm_map_find(&x->threads, (uint64_t)global, &unused);
        return TM_OK;
    }
    if (tm_map_add(&x->threads, (uint64_t)global, 1) < 0 || tm_map_add(&x->processes, (uint64_t)row->pid, 1) < 0)
        return tm_error_nomem(x->err);
    return TM_OK;
}

/* Adds the flow from a call to what it launched. */
static enum tm_status put_correlation(struct tm_nsight *x, int64_t pid)
{
    const uint64_t numbers[] = {(uint64_t)pid, (uint64_t)int_of(x, TM_NS_CORRELATION_ID)};
    if (!has_int(x, TM_NS_CORRELATION_ID) || numbers[1] == 0)
        return TM_OK;
    uint64_t id = tm_hash64_numbers(numbers, 2, SEED_CORRELATION);
    return tm_pb_put_i64(&x->detail, TM_DETAIL_FLOW_IDS, id) == TM_OK ? TM_OK : tm_error_nomem(x->err);
}

/* Sets the name to the text in StringIds that column C refers to, or to WORD and the number if there is none. */
static enum tm_status set_name(struct tm_nsight *x, enum tm_nsight_column c, const char *word, struct tm_event *row)
{
    enum tm_status st = has_int(x, c) ? tm_nsight_string(x, int_of(x, c), &row->name) : TM_END;
    if (st != TM_END)
        return st;
    tm_buf_clear(&x->text);
    if (tm_buf_addf(&x->text, has_int(x, c) ? "%s %" PRId64 : "%s", word, int_of(x, c)) != TM_OK)
        return tm_error_nomem(x->err);
    return tm_event_sink_string(x->context.sink, tm_text_at(x->text.data, x->text.len), &x->detail, &row->name, x->err);
}

static enum tm_status add_call(struct tm_nsight *x)
{
    struct tm_event row = new_row(x, TM_KIND_SLICE_COMPLETE);
    enum tm_drop_reason reason = set_times(x, &row);
    if (reason)
        return account(x, reason);
    enum tm_status st = set_thread(x, TM_NS_GLOBAL_TID, &row);
    if (st == TM_OK)
        st = set_name(x, has(x, TM_NS_NAME_ID) ? TM_NS_NAME_ID : TM_NS_TEXT_ID, "call", &row);
    if (st == TM_OK && x->context.sink->want_detail)
        st = put_arguments(x);
    if (st == TM_OK && x->context.sink->want_detail)
        st = put_correlation(x, row.pid);
    return st < 0 ? st : add(x, &row);
}

static enum tm_status name_device_row(struct tm_nsight *x, struct tm_event *row)
{
    tm_buf_clear(&x->text);
    enum tm_status st = TM_OK;
    if (x->table_kind == TM_NSIGHT_KERNELS)
        return set_name(x, has(x, TM_NS_SHORT_NAME) ? TM_NS_SHORT_NAME : TM_NS_DEMANGLED_NAME, "kernel", row);
    if (x->table_kind == TM_NSIGHT_COPIES) {
        uint64_t i = (uint64_t)int_of(x, TM_NS_COPY_KIND);
        st = tm_buf_addf(&x->text, "memcpy %s", copies[i < sizeof copies / sizeof *copies ? i : 0]);
    } else {
        st = tm_buf_add_str(&x->text, "memset");
    }
    if (st != TM_OK)
        return tm_error_nomem(x->err);
    return tm_event_sink_string(x->context.sink, tm_text_at(x->text.data, x->text.len), &x->detail, &row->name, x->err);
}

static enum tm_status put_device_details(struct tm_nsight *x, int64_t pid)
{
    const size_t count = sizeof memories / sizeof *memories;
    enum tm_status st = put_arguments(x);
    if (st == TM_OK && x->table_kind == TM_NSIGHT_COPIES)
        st = put_word(x, TM_NS_SRC_KIND, memories, count);
    if (st == TM_OK && x->table_kind == TM_NSIGHT_COPIES)
        st = put_word(x, TM_NS_DST_KIND, memories, count);
    if (st == TM_OK && x->table_kind == TM_NSIGHT_SETS)
        st = put_word(x, TM_NS_MEM_KIND, memories, count);
    if (st == TM_OK && x->table_kind == TM_NSIGHT_KERNELS && has_int(x, TM_NS_DEMANGLED_NAME)) {
        st = tm_nsight_text(x, int_of(x, TM_NS_DEMANGLED_NAME));
        st = st == TM_OK ? put_text(x, "demangledName", x->text.data, x->text.len) : st == TM_END ? TM_OK : st;
    }
    return st < 0 ? st : put_correlation(x, pid);
}

static enum tm_status add_device_row(struct tm_nsight *x)
{
    struct tm_event row = new_row(x, TM_KIND_SLICE_COMPLETE);
    struct tm_nsight_stream stream = {int_of(x, TM_NS_DEVICE_ID), tm_nsight_pid(int_of(x, TM_NS_GLOBAL_PID)),
                                      int_of(x, TM_NS_CONTEXT_ID), int_of(x, TM_NS_STREAM_ID)};
    enum tm_drop_reason reason = set_times(x, &row);
    if (reason)
        return account(x, reason);
    enum tm_status st = tm_nsight_stream(x, &stream, &row);
    if (st == TM_OK)
        st = name_device_row(x, &row);
    if (st == TM_OK && x->context.sink->want_detail)
        st = put_device_details(x, stream.pid);
    return st < 0 ? st : add(x, &row);
}

static enum tm_status name_nvtx(struct tm_nsight *x, struct tm_event *row)
{
    struct tm_text text = tm_nsight_column_text(x, x->statement, x->at[TM_NS_TEXT]);
    int64_t domain = int_of(x, TM_NS_DOMAIN_ID), category = int_of(x, TM_NS_CATEGORY);
    uint32_t named = category ? tm_nsight_domain(x, row->pid, domain, category) : 0;
    row->category = named ? named : tm_nsight_domain(x, row->pid, domain, 0);
    row->category = row->category ? row->category : x->category;
    if (text.len == 0)
        return set_name(x, TM_NS_TEXT_ID, "range", row);
    return tm_event_sink_string(x->context.sink, tm_text_at(text.data, text.len), &x->detail, &row->name, x->err);
}

static enum tm_status put_nvtx_details(struct tm_nsight *x, int64_t pid)
{
    int64_t domain = int_of(x, TM_NS_DOMAIN_ID), category = int_of(x, TM_NS_CATEGORY), color = int_of(x, TM_NS_COLOR);
    char text[16];
    enum tm_status st = put_arguments(x);
    if (st == TM_OK && has_int(x, TM_NS_JSON_TEXT_ID) && int_of(x, TM_NS_JSON_TEXT_ID) != 0) {
        st = tm_nsight_text(x, int_of(x, TM_NS_JSON_TEXT_ID));
        st = st == TM_OK ? put_text(x, "jsonText", x->text.data, x->text.len) : st == TM_END ? TM_OK : st;
    }
    if (st == TM_OK && color != 0) {
        int len = snprintf(text, sizeof text, "#%08" PRIx32, (uint32_t)color);
        st = put_text(x, "color", text, (size_t)len);
    }
    if (st == TM_OK && domain != 0 && tm_nsight_domain(x, pid, domain, 0) == 0)
        st = put_column(x, TM_NS_DOMAIN_ID);
    if (st == TM_OK && category != 0 && tm_nsight_domain(x, pid, domain, category) == 0)
        st = put_column(x, TM_NS_CATEGORY);
    return st;
}

/* Adds a range from one call to another. It may cross others and end on another thread, so it is an async operation of
 * its process. */
static enum tm_status add_range(struct tm_nsight *x, struct tm_event *row)
{
    const uint64_t numbers[] = {(uint64_t)row->pid, (uint64_t)int_of(x, TM_NS_RANGE_ID), (uint64_t)row->time_ns,
                                (uint64_t)row->tid};
    struct tm_event end = *row;
    row->kind = TM_KIND_SLICE_BEGIN;
    row->flags = TM_EVENT_HAS_PID | TM_EVENT_HAS_TID | TM_EVENT_HAS_TRACK | TM_EVENT_ASYNC |
                 tm_event_scope_flags(TM_SCOPE_PROCESS);
    row->track = tm_hash64_numbers(numbers, 4, SEED_RANGE);
    row->dur_ns = 0;
    enum tm_status st = add(x, row);
    if (st < 0 || !has_end(x))
        return st;
    end.kind = TM_KIND_SLICE_END;
    end.time_ns += end.dur_ns; /* fits: the end was a time in the table */
    end.dur_ns = 0;
    end.flags = row->flags;
    end.track = row->track;
    if (has_int(x, TM_NS_END_GLOBAL_TID) && int_of(x, TM_NS_END_GLOBAL_TID) != 0)
        st = set_thread(x, TM_NS_END_GLOBAL_TID, &end);
    return st < 0 ? st : tm_event_sink_add(x->context.sink, &end, x->err);
}

static enum tm_status add_nvtx(struct tm_nsight *x)
{
    int64_t type = int_of(x, TM_NS_EVENT_TYPE), end_ns;
    bool is_mark = type == NVTX_MARK || type == NVTXT_MARK;
    bool is_range = type == NVTX_START_END || type == NVTXT_START_END;
    struct tm_event row = new_row(x, is_mark ? TM_KIND_INSTANT : TM_KIND_SLICE_COMPLETE);
    if (type == NVTX_CATEGORY || type == NVTX_DOMAIN || type == NVTX_DOMAIN_END) /* names, which were read before */
        return TM_OK;
    if (!is_mark && !is_range && type != NVTX_PUSH_POP && type != NVTXT_PUSH_POP)
        return account(x, TM_DROP_NOT_SHOWN);
    enum tm_drop_reason reason = set_times(x, &row);
    if (reason == TM_DROP_NONE && is_range && has_end(x) && !time_of(x, TM_NS_END, &end_ns))
        reason = TM_DROP_OUT_OF_RANGE;
    if (reason)
        return account(x, reason);
    enum tm_status st = set_thread(x, TM_NS_GLOBAL_TID, &row);
    if (st == TM_OK)
        st = name_nvtx(x, &row);
    if (st == TM_OK && x->context.sink->want_detail)
        st = put_nvtx_details(x, row.pid);
    return st < 0 ? st : is_range ? add_range(x, &row) : add(x, &row);
}

/* Defines the thread of the row and its process when they are new. The idle task (0) is not a thread. */
static enum tm_status know_thread(struct tm_nsight *x, int64_t tid)
{
    uint32_t known;
    struct tm_event unused = {0};
    if (tid == 0 || tm_map_find(&x->threads, (uint64_t)int_of(x, TM_NS_GLOBAL_TID), &known))
        return TM_OK;
    enum tm_status st = set_thread(x, TM_NS_GLOBAL_TID, &unused);
    return st < 0 ? st : tm_nsight_define_thread(x, tm_nsight_pid(int_of(x, TM_NS_GLOBAL_TID)), tid);
}

/* Adds a switch: a thread starts to run on a CPU, or leaves it. The state in which a thread leaves is not recorded.
 * Only the threads of some processes are recorded; between them a CPU counts as idle. */
static enum tm_status add_switch(struct tm_nsight *x)
{
    struct tm_event row = new_row(x, TM_KIND_SCHED_SWITCH);
    int64_t cpu = int_of(x, TM_NS_CPU), tid = tm_nsight_tid(int_of(x, TM_NS_GLOBAL_TID));
    bool is_in = int_of(x, TM_NS_IS_SCHED_IN) != 0;
    uint32_t running = 0;
    if (!has_int(x, TM_NS_GLOBAL_TID) || !has_int(x, TM_NS_CPU) || cpu < 0 || cpu >= TM_FORMAT_CPU_MAX)
        return account(x, TM_DROP_DAMAGED);
    enum tm_drop_reason reason = set_times(x, &row);
    if (reason)
        return account(x, reason);
    if (is_in)
        (void)tm_map_find(&x->running, (uint64_t)cpu, &running);
    row.category = 0;
    row.cpu = (uint32_t)cpu;
    row.tid = is_in ? running : tid;
    row.pid = is_in ? tid : 0;
    row.flags = TM_EVENT_HAS_CPU | TM_EVENT_HAS_TID | TM_EVENT_HAS_VALUE | (is_in ? TM_EVENT_HAS_PID : 0u);
    row.value = TM_SCHED_STATE_FLAGS | (row.tid == 0 ? 0u : (unsigned)TM_SCHED_STATE_UNKNOWN);
    enum tm_status st = know_thread(x, tid);
    if (st == TM_OK && tm_map_set(&x->running, (uint64_t)cpu, is_in ? (uint32_t)tid : 0) != TM_OK)
        st = tm_error_nomem(x->err);
    return st < 0 ? st : add(x, &row);
}

enum tm_status tm_nsight_row(struct tm_nsight *x)
{
    tm_buf_clear(&x->detail);
    switch (x->table_kind) {
    case TM_NSIGHT_NVTX:
        return add_nvtx(x);
    case TM_NSIGHT_CALLS:
        return add_call(x);
    case TM_NSIGHT_SWITCHES:
        return add_switch(x);
    default:
        return add_device_row(x);
    }
}
