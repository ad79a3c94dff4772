#include "emit/sqlite/row_queue.h"

#include "base/bytes.h"
#include "base/cpu.h"

#include <stddef.h>
#include <string.h>

/* A row in a block is a struct head, the struct of its kind, and the texts of that one after another, up to a multiple
 * of ALIGN bytes. While it is in the block, the addresses of its texts are NULL or not valid. */
enum { BLOCK = 256 << 10, ALIGN = 8, TEXTS_MAX = 3 };

enum kind {
    SLICE,
    SLICE_END,
    SLICE_NAME,
    SLICE_THREAD_BEGIN,
    SLICE_THREAD_END,
    COUNTER,
    SCHED,
    SCHED_END,
    ARGS,
    FLOW,
    SAMPLE,
    MAPPING,
    FRAME,
    CALLSITE,
    LOG,
    HEAP_DUMP,
    ALLOCATION,
    THREAD_STATE,
    OPEN_STATE,
    THREAD_STATE_END,
    THREAD_STATE_REASON,
    THREAD_STATE_IS,
    WAKEUP,
    RECORDING_TIME,
    CPU_FREQUENCY,
    FTRACE_EVENT,
    KINDS
};

/* The low KIND_BITS are the kind. Above is the length of the row with its head, a multiple of ALIGN. */
enum { KIND_BITS = 8 };

struct head {
    uint64_t bits;
};

/* The parameters of functions that take no row. */
struct ended {
    int64_t id, dur, arg_set;
    struct tm_text text; /* a state, a function or a name */
};

/* A thread state that has not ended, and whose wait is not known. Most rows of a trace of the kernel are such. With
 * its head it is half as long as another one. */
enum { OPEN_STATE_TEXT_MAX = 14 };

struct open_state {
    int64_t id, ts, ucpu, waker_id;
    uint32_t utid;
    int32_t waker_utid;
    int8_t irq_context;
    uint8_t len; /* of the text, plus 1; 0: it has no data */
    char text[OPEN_STATE_TEXT_MAX];
};

struct reading {
    int64_t id;
    struct tm_thread_reading reading;
};

struct pair {
    int64_t a, b;
};

struct args {
    int64_t set;
    struct tm_text args;
};

/* Each passes on a row of one kind, which is in a block. */

#define PASS_ROW(function, member)                                                                                     \
    static enum tm_status function(const struct tm_rows *to, const void *row, struct tm_error *err)                    \
    {                                                                                                                  \
        return to->member(to->self, row, err);                                                                         \
    }

PASS_ROW(pass_slice, slice)
PASS_ROW(pass_counter, counter)
PASS_ROW(pass_sched, sched)
PASS_ROW(pass_sample, sample)
PASS_ROW(pass_mapping, mapping)
PASS_ROW(pass_frame, frame)
PASS_ROW(pass_callsite, callsite)
PASS_ROW(pass_log, log)
PASS_ROW(pass_heap_dump, heap_dump)
PASS_ROW(pass_allocation, allocation)
PASS_ROW(pass_thread_state, thread_state)
PASS_ROW(pass_wakeup, wakeup)
PASS_ROW(pass_recording_time, recording_time)
PASS_ROW(pass_ftrace_event, ftrace_event)

static enum tm_status pass_slice_end(const struct tm_rows *to, const void *row, struct tm_error *err)
{
    const struct ended *ended = row;
    return to->slice_end(to->self, ended->id, ended->dur, ended->arg_set, err);
}

static enum tm_status pass_slice_name(const struct tm_rows *to, const void *row, struct tm_error *err)
{
    const struct ended *ended = row;
    return to->slice_name(to->self, ended->id, ended->text, err);
}

static enum tm_status pass_slice_thread_begin(const struct tm_rows *to, const void *row, struct tm_error *err)
{
    const struct reading *reading = row;
    return to->slice_thread_begin(to->self, reading->id, &reading->reading, err);
}

static enum tm_status pass_slice_thread_end(const struct tm_rows *to, const void *row, struct tm_error *err)
{
    const struct reading *reading = row;
    return to->slice_thread_end(to->self, reading->id, &reading->reading, err);
}

static enum tm_status pass_sched_end(const struct tm_rows *to, const void *row, struct tm_error *err)
{
    const struct ended *ended = row;
    return to->sched_end(to->self, ended->id, ended->dur, ended->text, err);
}

static enum tm_status pass_args(const struct tm_rows *to, const void *row, struct tm_error *err)
{
    const struct args *args = row;
    return to->args(to->self, args->set, args->args, err);
}

static enum tm_status pass_flow(const struct tm_rows *to, const void *row, struct tm_error *err)
{
    const struct pair *pair = row;
    return to->flow(to->self, pair->a, pair->b, err);
}

static enum tm_status pass_open_state(const struct tm_rows *to, const void *row, struct tm_error *err)
{
    const struct open_state *state = row;
    const struct tm_thread_state_row whole = {.id = state->id,
                                              .ts = state->ts,
                                              .dur = -1,
                                              .utid = state->utid,
                                              .state = {state->len ? (const uint8_t *)state->text : NULL,
                                                        state->len ? state->len - 1u : 0},
                                              .ucpu = state->ucpu,
                                              .waker_utid = state->waker_utid,
                                              .waker_id = state->waker_id,
                                              .irq_context = state->irq_context,
                                              .io_wait = TM_NO_ID};
    return to->thread_state(to->self, &whole, err);
}

static enum tm_status pass_thread_state_end(const struct tm_rows *to, const void *row, struct tm_error *err)
{
    const struct pair *pair = row;
    return to->thread_state_end(to->self, pair->a, pair->b, err);
}

static enum tm_status pass_thread_state_reason(const struct tm_rows *to, const void *row, struct tm_error *err)
{
    const struct ended *ended = row;
    return to->thread_state_reason(to->self, ended->id, ended->dur, ended->text, err);
}

static enum tm_status pass_thread_state_is(const struct tm_rows *to, const void *row, struct tm_error *err)
{
    const struct ended *ended = row;
    return to->thread_state_is(to->self, ended->id, ended->text, err);
}

static enum tm_status pass_cpu_frequency(const struct tm_rows *to, const void *row, struct tm_error *err)
{
    const struct pair *pair = row;
    return to->cpu_frequency(to->self, pair->a, (uint32_t)pair->b, err);
}

/* What passes a kind's rows on, the size of its struct, and where its texts are. */
struct layout {
    enum tm_status (*pass)(const struct tm_rows *to, const void *row, struct tm_error *err);
    size_t size;
    unsigned count;
    size_t texts[TEXTS_MAX];
};

#define AT(type, member) offsetof(struct type, member)
#define SIZE(type) sizeof(struct type)

static const struct layout layouts[KINDS] = {
    [SLICE] = {pass_slice, SIZE(tm_slice_row), 2, {AT(tm_slice_row, name), AT(tm_slice_row, category)}},
    [SLICE_END] = {pass_slice_end, AT(ended, text), 0, {0}},
    [SLICE_NAME] = {pass_slice_name, SIZE(ended), 1, {AT(ended, text)}},
    [SLICE_THREAD_BEGIN] = {pass_slice_thread_begin, SIZE(reading), 0, {0}},
    [SLICE_THREAD_END] = {pass_slice_thread_end, SIZE(reading), 0, {0}},
    [COUNTER] = {pass_counter, SIZE(tm_counter_row), 0, {0}},
    [SCHED] = {pass_sched, SIZE(tm_sched_row), 1, {AT(tm_sched_row, end_state)}},
    [SCHED_END] = {pass_sched_end, SIZE(ended), 1, {AT(ended, text)}},
    [ARGS] = {pass_args, SIZE(args), 1, {AT(args, args)}},
    [FLOW] = {pass_flow, SIZE(pair), 0, {0}},
    [SAMPLE] = {pass_sample,
                SIZE(tm_sample_row),
                3,
                {AT(tm_sample_row, file_type), AT(tm_sample_row, cpu_mode), AT(tm_sample_row, unwind_error)}},
    [MAPPING] = {pass_mapping, SIZE(tm_mapping_row), 2, {AT(tm_mapping_row, name), AT(tm_mapping_row, build_id)}},
    [FRAME] = {pass_frame, SIZE(tm_frame_row), 2, {AT(tm_frame_row, function), AT(tm_frame_row, file)}},
    [CALLSITE] = {pass_callsite, SIZE(tm_callsite_row), 0, {0}},
    [LOG] = {pass_log, SIZE(tm_log_row), 2, {AT(tm_log_row, tag), AT(tm_log_row, message)}},
    [HEAP_DUMP] = {pass_heap_dump, SIZE(tm_heap_dump_row), 1, {AT(tm_heap_dump_row, heap)}},
    [ALLOCATION] = {pass_allocation, SIZE(tm_allocation_row), 1, {AT(tm_allocation_row, heap)}},
    [THREAD_STATE] = {pass_thread_state,
                      SIZE(tm_thread_state_row),
                      2,
                      {AT(tm_thread_state_row, state), AT(tm_thread_state_row, blocked_function)}},
    [OPEN_STATE] = {pass_open_state, SIZE(open_state), 0, {0}},
    [THREAD_STATE_END] = {pass_thread_state_end, SIZE(pair), 0, {0}},
    [THREAD_STATE_REASON] = {pass_thread_state_reason, SIZE(ended), 1, {AT(ended, text)}},
    [THREAD_STATE_IS] = {pass_thread_state_is, SIZE(ended), 1, {AT(ended, text)}},
    [WAKEUP] = {pass_wakeup, SIZE(tm_wakeup_row), 0, {0}},
    [RECORDING_TIME] = {pass_recording_time, SIZE(tm_recording_time), 1, {AT(tm_recording_time, name)}},
    [CPU_FREQUENCY] = {pass_cpu_frequency, SIZE(pair), 0, {0}},
    [FTRACE_EVENT] = {pass_ftrace_event, SIZE(tm_ftrace_row), 1, {AT(tm_ftrace_row, name)}},
};

/* Returns the number of bytes of TEXT. Without data it has none, whatever its length says. */
static size_t bytes_of(struct tm_text text)
{
    return text.data ? text.len : 0;
}

/* Gives the text at AT of a row the address of its bytes, which are at P. Returns the byte after them. */
static const uint8_t *place_text(uint8_t *at, const uint8_t *p)
{
    struct tm_text *text = (struct tm_text *)(void *)at;
    if (text->data)
        text->data = p;
    return p + bytes_of(*text);
}

/* Passes on the rows of BLOCK and empties it. */
static enum tm_status pass_block(const struct tm_rows *to, struct tm_buf *block, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint8_t *at = block->data; st == TM_OK && at != block->data + block->len;) {
        const struct head *head = (const struct head *)(const void *)at;
        const struct layout *layout = &layouts[head->bits & ((1 << KIND_BITS) - 1)];
        uint8_t *row = at + sizeof *head;
        const uint8_t *p = row + layout->size;
        for (unsigned i = 0; i < layout->count; i++)
            p = place_text(row + layout->texts[i], p);
        st = layout->pass(to, row, err);
        at += head->bits >> KIND_BITS;
    }
    if (block->cap > 2 * BLOCK) /* it had a row that is longer than a block */
        tm_buf_release(block);
    tm_buf_clear(block);
    return st;
}

/* The work of the thread. */
static enum tm_status work(void *self, struct tm_handoff_piece block, struct tm_error *err)
{
    struct tm_row_queue *q = self;
    return pass_block(q->to, &q->passed[block.place], err);
}

/* Hands the full block over to the thread, or passes it on. */
static enum tm_status hand_over(struct tm_row_queue *q, struct tm_error *err)
{
    if (!q->is_large) {
        q->is_large = true;
        const struct tm_handoff_work passes = {.work = work, .self = q, .depth = TM_ROW_BLOCKS, .threads = 1};
        q->has_thread = tm_handoff_start(&q->handoff, &passes);
    }
    if (!q->has_thread)
        return pass_block(q->to, &q->block, err);
    enum tm_status st = tm_handoff_room(&q->handoff, err);
    if (st < 0)
        return st;
    struct tm_buf *passed = &q->passed[tm_handoff_next(&q->handoff)];
    const struct tm_buf empty = *passed;
    *passed = q->block;
    q->block = empty;
    tm_handoff_send(&q->handoff);
    return TM_OK;
}

enum tm_status tm_row_queue_drain(struct tm_row_queue *q, struct tm_error *err)
{
    enum tm_status st = q->has_thread ? tm_handoff_wait(&q->handoff, err) : TM_OK;
    return st < 0 ? st : pass_block(q->to, &q->block, err);
}

static struct tm_text text_at(const uint8_t *row, size_t at)
{
    struct tm_text text;
    memcpy(&text, row + at, sizeof text);
    return text;
}

/* Sets *PLACE to room for a row of KIND in the block, with TEXT_BYTES of texts after it. The caller fills it. */
TM_ALWAYS_INLINE
static inline enum tm_status place(struct tm_row_queue *q, enum kind kind, size_t text_bytes, uint8_t **place,
                                   struct tm_error *err)
{
    const size_t len = (sizeof(struct head) + layouts[kind].size + text_bytes + ALIGN - 1) / ALIGN * ALIGN;
    const struct head head = {(uint64_t)len << KIND_BITS | kind};
    enum tm_status st;
    if (q->block.len + len > BLOCK && q->block.len && (st = hand_over(q, err)) < 0)
        return st;
    if (len > q->block.cap - q->block.len && tm_buf_reserve(&q->block, len < BLOCK ? BLOCK : len) < 0)
        return tm_error_nomem(err);
    uint8_t *p = q->block.data + q->block.len;
    memcpy(p, &head, sizeof head);
    *place = p + sizeof head;
    tm_cpu_write_ahead(p, len);
    q->block.len += len;
    return TM_OK;
}

/* Copies ROW, of KIND, to the block. KIND is a constant. */
TM_ALWAYS_INLINE
static inline enum tm_status put(struct tm_row_queue *q, enum kind kind, const void *row, struct tm_error *err)
{
    const struct layout *layout = &layouts[kind];
    size_t text_bytes = 0;
    uint8_t *p = NULL;
    for (unsigned i = 0; i < layout->count; i++)
        text_bytes += bytes_of(text_at(row, layout->texts[i]));
    enum tm_status st = place(q, kind, text_bytes, &p, err);
    if (st < 0)
        return st;
    memcpy(p, row, layout->size);
    p += layout->size;
    for (unsigned i = 0; i < layout->count; i++) {
        const struct tm_text text = text_at(row, layout->texts[i]);
        const size_t bytes = bytes_of(text);
        tm_copy_few(p, text.data, bytes);
        p += bytes;
    }
    return TM_OK;
}

#define PUT_ROW(function, type, kind)                                                                                  \
    static enum tm_status function(void *self, const struct type *row, struct tm_error *err)                           \
    {                                                                                                                  \
        return put(self, kind, row, err);                                                                              \
    }

PUT_ROW(put_slice, tm_slice_row, SLICE)
PUT_ROW(put_counter, tm_counter_row, COUNTER)
PUT_ROW(put_sched, tm_sched_row, SCHED)
PUT_ROW(put_sample, tm_sample_row, SAMPLE)
PUT_ROW(put_mapping, tm_mapping_row, MAPPING)
PUT_ROW(put_frame, tm_frame_row, FRAME)
PUT_ROW(put_callsite, tm_callsite_row, CALLSITE)
PUT_ROW(put_log, tm_log_row, LOG)
PUT_ROW(put_heap_dump, tm_heap_dump_row, HEAP_DUMP)
PUT_ROW(put_allocation, tm_allocation_row, ALLOCATION)
PUT_ROW(put_wakeup, tm_wakeup_row, WAKEUP)
PUT_ROW(put_recording_time, tm_recording_time, RECORDING_TIME)
PUT_ROW(put_ftrace_event, tm_ftrace_row, FTRACE_EVENT)

static enum tm_status put_thread_state(void *self, const struct tm_thread_state_row *row, struct tm_error *err)
{
    const size_t len = bytes_of(row->state);
    if (row->dur != -1 || row->io_wait != TM_NO_ID || row->blocked_function.data || len > OPEN_STATE_TEXT_MAX)
        return put(self, THREAD_STATE, row, err);
    uint8_t *p = NULL;
    enum tm_status st = place(self, OPEN_STATE, 0, &p, err);
    if (st < 0)
        return st;
    struct open_state *state = (void *)p; /* each field is stored at once: a copy of a struct waits for its fields */
    state->id = row->id;
    state->ts = row->ts;
    state->ucpu = row->ucpu;
    state->waker_id = row->waker_id;
    state->utid = row->utid;
    state->waker_utid = (int32_t)row->waker_utid;
    state->irq_context = (int8_t)row->irq_context;
    state->len = (uint8_t)(row->state.data ? len + 1 : 0);
    tm_copy_few((uint8_t *)state->text, row->state.data, len);
    return TM_OK;
}

static enum tm_status put_slice_end(void *self, int64_t id, int64_t dur, int64_t arg_set, struct tm_error *err)
{
    return put(self, SLICE_END, &(struct ended){.id = id, .dur = dur, .arg_set = arg_set}, err);
}

static enum tm_status put_slice_name(void *self, int64_t id, struct tm_text name, struct tm_error *err)
{
    return put(self, SLICE_NAME, &(struct ended){.id = id, .text = name}, err);
}

static enum tm_status put_thread_begin(void *self, int64_t id, const struct tm_thread_reading *reading,
                                       struct tm_error *err)
{
    return put(self, SLICE_THREAD_BEGIN, &(struct reading){id, *reading}, err);
}

static enum tm_status put_thread_end(void *self, int64_t id, const struct tm_thread_reading *reading,
                                     struct tm_error *err)
{
    return put(self, SLICE_THREAD_END, &(struct reading){id, *reading}, err);
}

static enum tm_status put_sched_end(void *self, int64_t id, int64_t dur, struct tm_text state, struct tm_error *err)
{
    return put(self, SCHED_END, &(struct ended){.id = id, .dur = dur, .text = state}, err);
}

static enum tm_status put_args(void *self, int64_t set, struct tm_text args, struct tm_error *err)
{
    return put(self, ARGS, &(struct args){set, args}, err);
}

static enum tm_status put_flow(void *self, int64_t slice_out, int64_t slice_in, struct tm_error *err)
{
    return put(self, FLOW, &(struct pair){slice_out, slice_in}, err);
}

static enum tm_status put_state_end(void *self, int64_t id, int64_t dur, struct tm_error *err)
{
    return put(self, THREAD_STATE_END, &(struct pair){id, dur}, err);
}

static enum tm_status put_state_reason(void *self, int64_t id, int64_t io_wait, struct tm_text function,
                                       struct tm_error *err)
{
    return put(self, THREAD_STATE_REASON, &(struct ended){.id = id, .dur = io_wait, .text = function}, err);
}

static enum tm_status put_state_is(void *self, int64_t id, struct tm_text state, struct tm_error *err)
{
    return put(self, THREAD_STATE_IS, &(struct ended){.id = id, .text = state}, err);
}

static enum tm_status put_cpu_frequency(void *self, int64_t ucpu, uint32_t khz, struct tm_error *err)
{
    return put(self, CPU_FREQUENCY, &(struct pair){ucpu, khz}, err);
}

/* The functions below are called rarely. They need an answer, or memory of the model. */

static enum tm_status copy_args(void *self, int64_t from, int64_t into, int64_t *id, struct tm_error *err)
{
    struct tm_row_queue *q = self;
    enum tm_status st = tm_row_queue_drain(q, err);
    return st < 0 ? st : q->to->arg_copy(q->to->self, from, into, id, err);
}

static enum tm_status pass_heap_graph(void *self, const struct tm_heap_graph *graph, int64_t upid, struct tm_error *err)
{
    struct tm_row_queue *q = self;
    enum tm_status st = tm_row_queue_drain(q, err);
    return st < 0 ? st : q->to->heap_graph(q->to->self, graph, upid, err);
}

static enum tm_status pass_deobfuscation(void *self, struct tm_text message, struct tm_error *err)
{
    struct tm_row_queue *q = self;
    enum tm_status st = tm_row_queue_drain(q, err);
    return st < 0 ? st : q->to->deobfuscation(q->to->self, message, err);
}

static enum tm_status pass_packages(void *self, struct tm_place place, struct tm_text list, struct tm_error *err)
{
    struct tm_row_queue *q = self;
    enum tm_status st = tm_row_queue_drain(q, err);
    return st < 0 ? st : q->to->packages(q->to->self, place, list, err);
}

void tm_row_queue_init(struct tm_row_queue *q, const struct tm_rows *to)
{
    *q = (struct tm_row_queue){.to = to};
    q->rows = (struct tm_rows){.self = q,
                               .slice = put_slice,
                               .slice_end = put_slice_end,
                               .slice_name = put_slice_name,
                               .slice_thread_begin = put_thread_begin,
                               .slice_thread_end = put_thread_end,
                               .counter = put_counter,
                               .sched = put_sched,
                               .sched_end = put_sched_end,
                               .args = put_args,
                               .arg_copy = copy_args,
                               .flow = put_flow,
                               .sample = put_sample,
                               .mapping = put_mapping,
                               .frame = put_frame,
                               .callsite = put_callsite,
                               .log = put_log,
                               .heap_dump = put_heap_dump,
                               .allocation = put_allocation,
                               .heap_graph = pass_heap_graph,
                               .deobfuscation = pass_deobfuscation,
                               .packages = pass_packages,
                               .thread_state = put_thread_state,
                               .thread_state_end = put_state_end,
                               .thread_state_reason = put_state_reason,
                               .thread_state_is = put_state_is,
                               .wakeup = put_wakeup,
                               .recording_time = put_recording_time,
                               .cpu_frequency = put_cpu_frequency,
                               .ftrace_event = put_ftrace_event};
}

void tm_row_queue_release(struct tm_row_queue *q)
{
    if (q->has_thread)
        tm_handoff_stop(&q->handoff);
    q->has_thread = false;
    tm_buf_release(&q->block);
    for (unsigned i = 0; i < TM_ROW_BLOCKS; i++)
        tm_buf_release(&q->passed[i]);
}
