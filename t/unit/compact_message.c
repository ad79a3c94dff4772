/* Unit test of perfetto/compact_message.h, perfetto/compact_rows.h and emit/open_messages.h: CompactSched
 * messages are read, summarised, moved in time, and split. */
#include "base/pb.h"
#include "emit/open_messages.h"

#include "../lib/random.h"
#include "tap.h"

#include <stdlib.h>

enum { ROUNDS = 400, EVENTS_MAX = 700, NAMES = 5, SWITCH_COLUMNS = 5, FLAGS_MAX = 4 };

static uint64_t seed = 1;

/* xorshift64*: https://en.wikipedia.org/wiki/Xorshift */
static uint32_t roll(uint32_t n)
{
    return random_below32(&seed, n);
}

static void need(enum tm_status st)
{
    if (st < 0)
        abort();
}

/* Events in the order in which a reader has them. */
struct made {
    struct tm_compact_event events[EVENTS_MAX];
    uint32_t count, switches;
    struct tm_buf message;
};

static void put_column(struct tm_buf *out, uint32_t id, const uint64_t *values, uint32_t count)
{
    size_t mark;
    if (count == 0)
        return;
    need(tm_pb_begin(out, id, &mark));
    for (uint32_t i = 0; i < count; i++) {
        need(tm_buf_reserve(out, TM_VARINT_MAX));
        out->len = (size_t)(tm_varint_put(out->data + out->len, values[i]) - out->data);
    }
    need(tm_pb_end(out, mark));
}

static uint64_t value_of(const struct tm_compact_event *e, uint32_t id)
{
    switch (id) {
    case TM_COMPACT_SWITCH_STATE:
    case TM_COMPACT_WAKING_FLAGS:
        return e->state;
    case TM_COMPACT_SWITCH_PID:
    case TM_COMPACT_WAKING_PID:
        return (uint64_t)(int64_t)e->pid;
    case TM_COMPACT_SWITCH_PRIO:
    case TM_COMPACT_WAKING_PRIO:
        return (uint64_t)(int64_t)e->prio;
    case TM_COMPACT_WAKING_CPU:
        return (uint64_t)(int64_t)e->target_cpu;
    default:
        return e->comm;
    }
}

/* Writes column ID of M. SPOIL is added to one element. */
static void put(struct made *m, uint32_t id, bool of_waking, uint64_t spoil)
{
    uint64_t values[EVENTS_MAX], before = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        const struct tm_compact_event *e = &m->events[i];
        if (e->is_waking != of_waking)
            continue;
        values[count++] = id == TM_COMPACT_SWITCH_TIME || id == TM_COMPACT_WAKING_TIME ? e->time - before
                                                                                       : value_of(e, id);
        before = e->time;
    }
    if (count > 0)
        values[roll(count)] += spoil;
    put_column(&m->message, id, values, count);
}

static void put_names(struct made *m)
{
    static const char *const names[NAMES] = {"swapper", "", "worker", "binder:1", "a name of some length"};
    for (int i = 0; i < NAMES; i++)
        need(tm_pb_put_str(&m->message, TM_COMPACT_COMMS, names[i]));
}

static void make(struct made *m, uint32_t most, uint64_t spoil_time, uint64_t spoil_name)
{
    static const uint32_t switch_ids[] = {TM_COMPACT_SWITCH_STATE, TM_COMPACT_SWITCH_PID, TM_COMPACT_SWITCH_PRIO};
    static const uint32_t waking_ids[] = {TM_COMPACT_WAKING_PID, TM_COMPACT_WAKING_CPU, TM_COMPACT_WAKING_PRIO};
    uint64_t time = 1000 + roll(100000);
    uint32_t wakings = roll(4) ? roll(3) : roll(2) * 3, step = roll(2) ? 100 : 1000000;
    bool has_flags = roll(4);
    m->count = 1 + roll(most);
    m->switches = 0;
    m->message.len = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        struct tm_compact_event *e = &m->events[i];
        *e = (struct tm_compact_event){.is_waking = roll(3) < wakings, .time = time, .comm = roll(NAMES),
                                       .pid = roll(9) ? (int32_t)roll(70000) : -1, .prio = roll(9) ? 120 : -1};
        e->state = e->is_waking ? has_flags * roll(FLAGS_MAX) : roll(9) ? roll(128) : UINT64_C(1) << 41 | 2;
        e->target_cpu = e->is_waking ? (int32_t)roll(200) : 0;
        m->switches += !e->is_waking;
        time += 1 + roll(step);
    }
    for (uint32_t i = 1; i < m->count; i++) /* a waking may have the time of the next switch */
        if (m->events[i - 1].is_waking && !m->events[i].is_waking && roll(3) == 0)
            m->events[i - 1].time = m->events[i].time;
    bool in_front = roll(2);
    if (in_front)
        put_names(m);
    put(m, TM_COMPACT_SWITCH_TIME, false, spoil_time);
    for (int i = 0; i < 3; i++)
        put(m, switch_ids[i], false, 0);
    put(m, TM_COMPACT_SWITCH_COMM, false, spoil_name);
    put(m, TM_COMPACT_WAKING_TIME, true, m->switches ? 0 : spoil_time);
    for (int i = 0; i < 3; i++)
        put(m, waking_ids[i], true, 0);
    put(m, TM_COMPACT_WAKING_COMM, true, m->switches ? 0 : spoil_name);
    if (has_flags)
        put(m, TM_COMPACT_WAKING_FLAGS, true, 0);
    if (!in_front)
        put_names(m);
}

static bool same_event(const struct tm_compact_event *a, const struct tm_compact_event *b, uint64_t shift)
{
    return a->is_waking == b->is_waking && a->time + shift == b->time && a->comm == b->comm && a->pid == b->pid &&
           a->prio == b->prio && a->state == b->state && a->target_cpu == b->target_cpu;
}

/* Returns the number of events of MESSAGE that are those of M, SHIFT later. MESSAGE must have no more. */
static bool reads_as(struct tm_compact_reader *r, const uint8_t *message, size_t len, const struct made *m,
                     uint64_t shift)
{
    struct tm_compact_event e;
    uint32_t i = 0;
    if (tm_compact_reader_open(r, message, len) != TM_OK)
        return false;
    for (tm_compact_reader_start(r); tm_compact_reader_next(r, &e); i++)
        if (i == m->count || !same_event(&m->events[i], &e, shift))
            return false;
    return i == m->count && !r->damaged;
}

static bool sums_up(const struct made *m, const struct tm_compact_sum *sum)
{
    const struct tm_compact_event *last = NULL;
    for (uint32_t i = 0; i < m->count; i++)
        last = m->events[i].is_waking ? last : &m->events[i];
    if (last && (sum->pid != last->pid || sum->prio != last->prio || sum->comm != last->comm))
        return false;
    return sum->count == m->count && sum->switches == m->switches && sum->first_ns == (int64_t)m->events[0].time &&
           sum->last_ns == (int64_t)m->events[m->count - 1].time;
}

static void test_reading(void)
{
    struct made *m = calloc(1, sizeof *m);
    struct tm_compact_reader r = {0};
    struct tm_compact_sum sum;
    struct tm_buf moved = {0};
    int read = 0, summed = 0, put_as_is = 0, put_moved = 0;
    for (int i = 0; i < ROUNDS; i++) {
        make(m, roll(2) ? 6 : EVENTS_MAX, 0, 0);
        read += reads_as(&r, m->message.data, m->message.len, m, 0);
        need(tm_compact_reader_open(&r, m->message.data, m->message.len));
        summed += tm_compact_reader_sum(&r, &sum) && sums_up(m, &sum);
        for (int way = 0; way < 2; way++) {
            uint64_t shift = way ? (uint64_t)roll(2000000) - 900 : 0;
            struct tm_pb pb;
            struct tm_pb_field f;
            moved.len = 0;
            enum tm_status st = tm_compact_message_put(&moved, 4, m->message.data, m->message.len,
                                                       (int64_t)(m->events[0].time + shift));
            pb = tm_pb_of(moved.data, moved.len);
            bool good = st == TM_OK && tm_pb_next(&pb, &f) == TM_OK && f.id == 4 && f.end == moved.data + moved.len &&
                        reads_as(&r, f.data, f.len, m, shift);
            put_as_is += way == 0 && good && f.len == m->message.len && memcmp(f.data, m->message.data, f.len) == 0;
            put_moved += way == 1 && good;
        }
    }
    is_int(read, ROUNDS);
    is_int(summed, ROUNDS);
    is_int(put_as_is, ROUNDS);
    is_int(put_moved, ROUNDS);
    tm_compact_reader_release(&r);
    tm_buf_release(&moved);
    tm_buf_release(&m->message);
    free(m);
}

static bool sums(const struct tm_buf *message)
{
    struct tm_compact_reader r = {0};
    struct tm_compact_sum sum;
    bool good = tm_compact_reader_open(&r, message->data, message->len) == TM_OK && tm_compact_reader_sum(&r, &sum);
    tm_compact_reader_release(&r);
    return good;
}

static void test_damage(void)
{
    struct made *m = calloc(1, sizeof *m);
    const uint64_t one = 1;
    int bad[8] = {0};
    for (int i = 0; i < ROUNDS; i++) {
        make(m, EVENTS_MAX, 0, NAMES + roll(3) * 200);
        bad[0] += !sums(&m->message);
        make(m, EVENTS_MAX, (uint64_t)1 << 63, 0);
        bad[1] += !sums(&m->message);
        make(m, EVENTS_MAX, 0 - ((uint64_t)1 << 40), 0); /* time goes back */
        bad[2] += !sums(&m->message);
        make(m, EVENTS_MAX, 0, 0);
        size_t good = m->message.len;
        put(m, m->switches ? TM_COMPACT_SWITCH_PID : TM_COMPACT_WAKING_PID, m->switches == 0, 0); /* twice */
        bad[3] += !sums(&m->message);
        m->message.len = good;
        put_column(&m->message, 13, &one, 1);
        bad[4] += !sums(&m->message);
        m->message.len = good;
        need(tm_pb_put_varint(&m->message, TM_COMPACT_SWITCH_PID, 1));
        bad[5] += !sums(&m->message);
        m->message.len = good;
        m->message.len--; /* the last field is cut */
        bad[6] += !sums(&m->message);
    }
    m->message.len = 0;
    put_names(m);
    for (int i = 0; i < 7; i++)
        is_int(bad[i], ROUNDS);
    ok_named(!sums(&m->message), "names alone are no events");
    ok(tm_compact_message_put(&(struct tm_buf){0}, 4, m->message.data, m->message.len, 5) == TM_E_INPUT);
    ok(tm_compact_message_put(&(struct tm_buf){0}, 4, (const uint8_t *)"\x0a\x05\x01", 3, 5) == TM_E_INPUT);
    ok(tm_compact_message_put(&(struct tm_buf){0}, 4, (const uint8_t *)"\x0a\x01\x81", 3, 5) == TM_E_INPUT);
    tm_buf_release(&m->message);
    free(m);
}

static struct tm_event whole_of(const struct made *m, uint64_t shift)
{
    return (struct tm_event){.kind = TM_KIND_COMPACT_SCHED,
                             .flags = tm_event_raw_flags(TM_RAW_COMPACT_MESSAGE) | tm_event_scope_flags(TM_SCOPE_CPU) |
                                      TM_EVENT_HAS_CPU | TM_EVENT_HAS_VALUE | (m->switches ? TM_EVENT_HAS_PID : 0),
                             .time_ns = (int64_t)(m->events[0].time + shift),
                             .dur_ns = (int64_t)(m->events[m->count - 1].time - m->events[0].time),
                             .position = 70,
                             .value = m->count,
                             .cpu = 3,
                             .clock = 6,
                             .raw = m->message.data,
                             .raw_bytes = (uint32_t)m->message.len};
}

static bool string_is(const struct tm_event *e, uint32_t string, const struct tm_compact_comm *comm)
{
    uint64_t len;
    const uint8_t *end = e->detail + e->detail_bytes,
                  *text = string & TM_STRING_INLINE ? tm_varint_get(e->detail + (string & ~TM_STRING_INLINE), end, &len)
                                                    : NULL;
    return text && len == comm->len && memcmp(text, comm->data, len) == 0;
}

static void test_rows(void)
{
    struct made *m = calloc(1, sizeof *m);
    struct tm_compact_rows rows = {0};
    struct tm_compact_reader r = {0};
    struct tm_error err = {0};
    struct tm_event e;
    int good = 0, wanted = 0;
    for (int i = 0; i < ROUNDS; i++) {
        make(m, 60, 0, 0);
        uint64_t shift = roll(2) ? roll(1000000) : 0;
        bool is_known = roll(2);
        struct tm_event whole = whole_of(m, shift);
        struct tm_compact_event before = {.pid = 12, .prio = -7};
        whole.flags |= is_known ? TM_EVENT_HAS_TID : 0;
        whole.tid = is_known ? 12 : 0;
        whole.value |= is_known ? (uint64_t)(uint16_t)-7 << 48 : 0;
        whole.category = 99;
        rows.borrows_names = i % 2;
        need(tm_compact_reader_open(&r, m->message.data, m->message.len));
        need(tm_compact_rows_open(&rows, &whole, &err));
        bool is_first = true;
        for (uint32_t k = 0; k < m->count; k++) {
            const struct tm_compact_event *c = &m->events[k];
            wanted++;
            if (tm_compact_rows_next(&rows, &e, &err) != TM_OK)
                break;
            bool same = e.time_ns == (int64_t)(c->time + shift) && e.position == 70 + k && e.cpu == 3 && e.clock == 6 &&
                        e.raw_bytes == 0 && tm_event_raw(e.flags) == TM_RAW_COMPACT_SCHED && e.dur_ns == 0 &&
                        tm_event_scope(e.flags) == TM_SCOPE_CPU &&
                        string_is(&e, e.name, tm_compact_reader_comm(&r, c->comm));
            if (c->is_waking) {
                same = same && e.kind == TM_KIND_SCHED_WAKING && e.flags & TM_EVENT_HAS_TID && e.tid == c->pid &&
                       !(e.flags & TM_EVENT_HAS_PID) == !is_known && (!is_known || e.pid == before.pid) &&
                       e.value == tm_event_waking_value(c->prio, c->target_cpu) && e.track == c->state &&
                       e.category == 0;
            } else {
                same = same && e.kind == TM_KIND_SCHED_SWITCH && e.flags & TM_EVENT_HAS_PID && e.pid == c->pid &&
                       !(e.flags & TM_EVENT_HAS_TID) == !is_known && (!is_known || e.tid == before.pid) &&
                       e.value == tm_event_switch_value(c->state, c->prio, is_known ? before.prio : 0) &&
                       e.track == c->state >> 31 &&
                       (!is_known ? e.category == 0
                        : is_first ? e.category == 99
                                   : string_is(&e, e.category, tm_compact_reader_comm(&r, before.comm)));
                before = *c;
                is_known = true;
                is_first = false;
            }
            good += same;
        }
        wanted++;
        good += tm_compact_rows_next(&rows, &e, &err) == TM_END;
    }
    is_int(good, wanted);
    struct tm_event none = whole_of(m, 0);
    none.raw_bytes = 0;
    ok(tm_compact_rows_open(&rows, &none, &err) == TM_E_INPUT);
    is_str(err.text, "event 70: raw bytes are not a valid CompactSched");
    none.raw = (const uint8_t *)"\x0a\x05\x01";
    none.raw_bytes = 3;
    ok(tm_compact_rows_open(&rows, &none, &err) == TM_E_INPUT);
    tm_compact_rows_release(&rows);
    tm_compact_reader_release(&r);
    tm_buf_release(&m->message);
    free(m);
}

static bool comes_before(const struct tm_catalog_file *files, const struct tm_event *a, const struct tm_event *b)
{
    uint32_t order_a = files[a->file].processing_order, order_b = files[b->file].processing_order;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns;
    return order_a != order_b ? order_a < order_b : a->position < b->position;
}

/* Several messages at one time; of two files the second is processed first. */
static void test_open_messages(void)
{
    struct made *m = calloc(1, sizeof *m);
    struct tm_catalog_file files[2] = {{.processing_order = 1}, {.processing_order = 0}};
    struct tm_catalog catalog = {.files = files, .file_count = 2};
    struct tm_open_messages messages = {0};
    struct tm_error err = {0};
    int good = 0, wanted = 0;
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t all = 0, shown = 0, count = 2 + roll(4);
        struct tm_event last = {.time_ns = -1},
                        until = {.time_ns = 1000 + roll(roll(2) ? 3 : 200000), .file = roll(2), .position = roll(1000)};
        const struct tm_event *e;
        bool is_ordered = true, is_before = true;
        for (uint32_t k = 0; k < count; k++) {
            make(m, 30, 0, 0);
            struct tm_event whole = whole_of(m, 0);
            whole.time_ns = 1000 + roll(3); /* many have the same time */
            whole.file = k % 2;
            whole.position = 100 * (9 - k);
            need(tm_open_messages_add(&messages, &whole, files[whole.file].processing_order, &err));
            all += m->count;
        }
        for (int way = 0; way < 2; way++) {
            bool is_first = way == 1;
            while ((e = tm_open_messages_first(&messages)) != NULL &&
                   (way == 1 ||
                    tm_open_messages_are_due(&messages, &until, tm_event_file_order(&catalog, &until)))) {
                if (is_first) /* the first remaining event */
                    is_before &= !comes_before(files, e, &until);
                is_first = false;
                is_ordered &= comes_before(files, &last, e);
                is_before &= way == 1 || comes_before(files, e, &until);
                last = *e;
                shown++;
                need(tm_open_messages_pop(&messages, &err));
            }
        }
        wanted += 4;
        good += is_ordered + is_before + (shown == all) + (tm_open_messages_is_empty(&messages) && messages.bytes == 0);
    }
    is_int(good, wanted);
    make(m, 30, 0, 0);
    struct tm_event whole = whole_of(m, 0), none = {.raw = (const uint8_t *)"x", .raw_bytes = 1};
    need(tm_open_messages_add(&messages, &whole, 0, &err));
    ok(tm_open_messages_add(&messages, &none, 0, &err) == TM_E_INPUT);
    tm_open_messages_release(&messages);
    ok(messages.bytes == 0 && tm_open_messages_is_empty(&messages));
    tm_buf_release(&m->message);
    free(m);
}

int main(void)
{
    test_reading();
    test_damage();
    test_rows();
    test_open_messages();
    return tap_done();
}
