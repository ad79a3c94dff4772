/* Unit test of lib/model: rules that hold for the rows of any events. */
#include "../lib/random.h"
#include "model_bench.h"

/* Rules that hold for the rows of any events. */
struct invariants {
    uint64_t slices, wrong;
    uint32_t depths[1 << 16]; /* by slice id */
};

static enum tm_status check_slice(void *self, const struct tm_slice_row *r, struct tm_error *err)
{
    struct invariants *v = self;
    (void)err;
    v->wrong += r->id != (int64_t)v->slices++ || r->parent >= r->id || r->dur < -1;
    v->wrong += r->depth != (r->parent == TM_NO_ID ? 0 : v->depths[r->parent & 0xffff] + 1);
    v->depths[r->id & 0xffff] = r->depth;
    return TM_OK;
}

static enum tm_status check_slice_end(void *self, int64_t id, int64_t dur, int64_t set, struct tm_error *err)
{
    struct invariants *v = self;
    (void)set;
    (void)err;
    v->wrong += id < 0 || id >= (int64_t)v->slices || dur < 0;
    return TM_OK;
}

static enum tm_status check_sched_end(void *self, int64_t id, int64_t dur, struct tm_text state, struct tm_error *err)
{
    (void)state;
    (void)err;
    ((struct invariants *)self)->wrong += id < 0 || dur < 0;
    return TM_OK;
}

static enum tm_status check_flow(void *self, int64_t from, int64_t to, struct tm_error *err)
{
    struct invariants *v = self;
    (void)err;
    v->wrong += from < 0 || to < 0 || from >= (int64_t)v->slices || to >= (int64_t)v->slices;
    return TM_OK;
}

#define TAKE(name, row_type)                                                          \
    static enum tm_status name(void *self, const struct row_type *r, struct tm_error *err) \
    {                                                                                 \
        (void)self;                                                                   \
        (void)r;                                                                      \
        (void)err;                                                                    \
        return TM_OK;                                                                 \
    }
TAKE(take_counter, tm_counter_row)
TAKE(take_sched, tm_sched_row)
TAKE(take_sample, tm_sample_row)
TAKE(take_frame, tm_frame_row)
TAKE(take_callsite, tm_callsite_row)
TAKE(take_log, tm_log_row)
#undef TAKE

static enum tm_status take_args(void *self, int64_t set, struct tm_text args, struct tm_error *err)
{
    (void)self;
    (void)set;
    (void)args;
    (void)err;
    return TM_OK;
}

static enum tm_status take_copy(void *self, int64_t from, int64_t into, int64_t *id, struct tm_error *err)
{
    (void)self;
    (void)from;
    (void)into;
    (void)err;
    ++*id;
    return TM_OK;
}

static enum tm_status take_mapping(void *self, const struct tm_mapping_row *row, struct tm_error *err)
{
    (void)self;
    (void)row;
    (void)err;
    return TM_OK;
}

static uint32_t next_random(uint64_t *state)
{
    return (uint32_t)(random_next(state) >> 33);
}

/* Any kind with any flags, few numbers and names, details of random bytes. */
static void add_random(struct bench *b, uint64_t *state, int64_t now)
{
    static const uint32_t kinds[] = {0, 1,  1,  1,  2,  2,  3,  3,  4,  5,  6,  7,  8,
                                     9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 33, 34, 35};
    uint8_t bytes[24];
    size_t len = next_random(state) % sizeof bytes;
    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)(next_random(state) % 12 * 8 + (next_random(state) & 3));
    struct tm_event e = {.kind = kinds[next_random(state) % (sizeof kinds / sizeof *kinds)],
                         .time_ns = now,
                         .dur_ns = (int64_t)(next_random(state) % 40) - 2,
                         .file = next_random(state) % FILES,
                         .machine = next_random(state) % 2,
                         .pid = next_random(state) % 4,
                         .tid = next_random(state) % 8,
                         .track = next_random(state) % 8,
                         .cpu = next_random(state) % 3,
                         .value = (uint64_t)next_random(state) << 32 | next_random(state) % 3 << 16,
                         .detail = bytes,
                         .detail_bytes = (uint32_t)len};
    e.flags = next_random(state) & 0xffc;
    e.flags |= (next_random(state) % 5) << TM_EVENT_SCOPE_SHIFT | (next_random(state) % 5) << TM_EVENT_RAW_SHIFT;
    if (e.kind >= TM_KIND_TRACK)
        e.flags |= TM_EVENT_DEFINITION | (next_random(state) & 1);
    /* A name in the event's detail: a text of one byte at the front. */
    if (len >= 3 && next_random(state) & 1) {
        bytes[0] = 0x22;
        bytes[1] = 1;
        e.name = TM_STRING_INLINE | 1;
    }
    tm_batch_builder_add(&b->batch, &e);
}

static void test_random(void)
{
    enum { EVENTS = 60000, BATCH = 500 };
    static struct invariants v;
    struct bench b;
    uint64_t state = 7;
    int64_t now = 0;
    start_as(&b, "json");
    b.rows = (struct tm_rows){.self = &v, .slice = check_slice, .slice_end = check_slice_end,
                              .slice_thread_begin = on_thread_reading,
                              .slice_thread_end = on_thread_reading, .counter = take_counter, .sched = take_sched,
                              .sched_end = check_sched_end, .args = take_args, .arg_copy = take_copy,
                              .flow = check_flow, .sample = take_sample, .mapping = take_mapping,
                              .frame = take_frame, .callsite = take_callsite, .log = take_log,
                              .thread_state = on_thread_state, .thread_state_end = on_thread_state_end,
                              .wakeup = on_wakeup,
                              .recording_time = on_recording_time, .ftrace_event = on_ftrace_event};
    for (int i = 0; i < EVENTS; i++) {
        now += next_random(&state) % 4;
        add_random(&b, &state, now);
        if (i % BATCH == BATCH - 1)
            flush(&b);
    }
    ok_named(b.st == TM_OK && tm_model_finish(&b.model, &b.err) == TM_OK, "random events are taken");
    ok(v.slices > EVENTS / 20);
    is_int(v.wrong, 0);
    stop(&b);
}

int main(void)
{
    test_random();
    return tap_done();
}
