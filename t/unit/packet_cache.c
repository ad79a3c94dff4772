/* Unit test of format/perfetto/packet_cache.h: events that repeat an earlier one become the same rows as by a full
 * read, whatever happens to their sequences in between. */
#include "proto_maker.h"
#include "proto_run.h"

#include "../lib/random.h"
#include "tap.h"

enum { TRACES = 300, PACKETS = 400, PAD_FIELD = 999, PAD_BYTES = 130 };

static uint64_t seed;

/* xorshift64*: https://en.wikipedia.org/wiki/Xorshift */
static uint32_t roll(uint32_t n)
{
    return random_below32(&seed, n);
}

/* Writes a track_descriptor: a counter, or another track. */
static void describe(struct maker *m, uint32_t uuid)
{
    open_field(m, 60);
    number(m, 1, uuid);
    if (roll(3)) {
        open_field(m, 8);
        number(m, 4, roll(3)); /* unit_multiplier */
        number(m, 5, roll(2)); /* is_incremental */
        close_field(m);
    }
    close_field(m);
}

/* Adds fields that can change the meaning of later events of the sequence; most packets have none. */
static void change(struct maker *m)
{
    static const char *const names[] = {"one", "two", "three"};
    switch (roll(60)) {
    case 0:
        number(m, 41, 1); /* incremental_state_cleared */
        break;
    case 1:
        number(m, 42, 1); /* previous_packet_dropped */
        break;
    case 2:
        open_field(m, 59);
        if (roll(2))
            number(m, 58, 3 + roll(2) * 3);
        open_field(m, 11);
        number(m, 11, 70 + roll(3));
        for (uint32_t n = roll(4); n > 0; n--)
            number(m, 31, 35 * n); /* extra_counter_track_uuids */
        close_field(m);
        close_field(m);
        break;
    case 3:
    case 4:
    case 5:
        intern(m, 1 + roll(2), 1 + roll(3), names[roll(3)]);
        break;
    case 6:
        describe(m, 35 * (1 + roll(3)));
        break;
    case 7:
        intern(m, 3 + roll(2), 1, names[roll(3)]); /* debug_annotation_names, source_locations */
        break;
    case 8:
        open_field(m, 44); /* thread_descriptor */
        number(m, 1, 10 + roll(3));
        number(m, 2, 20 + roll(3));
        close_field(m);
        break;
    default:
        break;
    }
}

static void event(struct maker *m)
{
    open_field(m, 11);
    number(m, 9, roll(12) ? 1 + roll(3) : roll(7));
    if (roll(2))
        number(m, 3, 1 + roll(3));
    if (roll(3))
        number(m, 10, 1 + roll(4));
    else if (roll(2))
        text(m, 23, roll(2) ? "text" : "");
    if (roll(3) == 0)
        number(m, 11, roll(3) * 35);
    if (roll(9) == 0)
        number(m, 47, roll(2)); /* flow_ids */
    if (roll(9) == 0)
        number(m, 1, 5); /* timestamp_delta_us */
    if (roll(9) == 0)
        text(m, 4, "\x08\x01\x10\x01"); /* debug_annotations, by iid */
    if (roll(9) == 0) {
        open_field(m, 5); /* task_execution */
        number(m, 1, 1);
        close_field(m);
    }
    for (uint32_t n = roll(4) ? 0 : roll(3); n > 0; n--)
        number(m, 12, roll(4)); /* extra_counter_values */
    if (roll(30) == 0)
        text(m, 77, ""); /* an unknown field */
    close_field(m);
}

/* Writes one packet: without PAD it is short enough to be remembered, with it too long. */
static void add_packet(struct maker *m, uint64_t time, bool pad)
{
    char padding[PAD_BYTES + 1];
    uint32_t sequence = 1 + roll(3);
    bool is_body = roll(2); /* fields that columns hold are not among the rest */
    memset(padding, '.', PAD_BYTES);
    padding[PAD_BYTES] = 0;
    tm_pb_begin(&m->out, 1, &m->packet);
    if (roll(20))
        number(m, 8, time);
    if (is_body)
        number(m, 10, sequence);
    if (roll(2))
        number(m, 13, 2);
    if (roll(20) == 0)
        number(m, 58, roll(2) ? 3 : 64);
    if (roll(20) == 0)
        number(m, 98, 5);
    change(m);
    if (roll(30))
        event(m);
    if (roll(30) && !is_body)
        number(m, 10, sequence);
    if (roll(40) == 0)
        number(m, 8, 77); /* the later one counts */
    if (roll(4) == 0)
        number(m, 79, 1000);
    number(m, 3, 1); /* no packet is empty, padded or not */
    if (pad)
        text(m, PAD_FIELD, padding);
    tm_pb_end(&m->out, m->packet);
}

/* Every second trace keeps extra counter values in packets. */
static struct result *read_trace(uint64_t trace, bool pad)
{
    struct maker m = {0};
    seed = trace * 2 + 1;
    for (uint32_t i = 1; i <= 3; i++) {
        begin_packet(&m, 1, 4, 0);
        describe(&m, 35 * i);
        end_packet(&m);
        begin_packet(&m, 1, i, 1);
        open_field(&m, 59);
        open_field(&m, 11);
        number(&m, 31, 35 * i); /* extra_counter_track_uuids */
        number(&m, 31, 35);
        close_field(&m);
        close_field(&m);
        end_packet(&m);
    }
    for (uint64_t i = 0; i < PACKETS; i++) {
        uint64_t next = seed, time = 1000 + i * 50;
        if (roll(4)) /* one of a few packets */
            seed = trace * UINT64_C(1000003) + 1 + roll(24);
        add_packet(&m, time, pad);
        seed = next;
        roll(2);
    }
    struct result *r = run_with(m.out.data, m.out.len, trace % 4 < 2 ? TM_DAMAGE_SALVAGE : TM_DAMAGE_HALT, trace % 2);
    tm_buf_release(&m.out);
    return r;
}

/* Compares all but time, position and padding. */
static bool same_row(const struct result *ra, const struct row *a, const struct result *rb, const struct row *b)
{
    const struct tm_event *x = &a->e, *y = &b->e;
    return x->kind == y->kind &&
           (x->flags | TM_EVENT_RAW_BODY) == (y->flags | TM_EVENT_RAW_BODY) && x->machine == y->machine &&
           x->clock == y->clock && x->sequence == y->sequence && x->generation == y->generation && x->pid == y->pid &&
           x->tid == y->tid && x->track == y->track && x->value == y->value && x->dur_ns == y->dur_ns &&
           x->detail_bytes == y->detail_bytes && strcmp(a->name, b->name) == 0 &&
           strcmp(a->category, b->category) == 0 &&
           (!(x->flags & y->flags & TM_EVENT_RAW_BODY) ||
            (x->raw_bytes <= y->raw_bytes &&
             memcmp(ra->bytes.data + a->raw_at, rb->bytes.data + b->raw_at, x->raw_bytes) == 0)) &&
           memcmp(ra->bytes.data + a->detail_at, rb->bytes.data + b->detail_at, x->detail_bytes) == 0;
}

static bool same(const struct result *a, const struct result *b)
{
    bool good = a->status == b->status && a->count == b->count && a->timed == b->timed &&
                a->needs_state == b->needs_state && a->damaged == b->damaged && a->sequences == b->sequences &&
                a->stats == b->stats;
    for (size_t i = 0; good && i < a->count; i++) {
        good = a->rows[i].e.time_ns == b->rows[i].e.time_ns && a->rows[i].e.position == b->rows[i].e.position &&
               same_row(a, &a->rows[i], b, &b->rows[i]);
        if (!good)
            printf("# row %zu of %zu\n", i, a->count);
    }
    return good;
}

/* The raw bytes of a row whose packet is remembered are those of its own packet. */
static bool raw_is_its_own(void)
{
    struct maker m = {0};
    for (uint64_t i = 0; i < 3;
         i++) { /* uid, sequence, pid: no range of bytes without column fields, so raw is the packet */
        tm_pb_begin(&m.out, 1, &m.packet);
        number(&m, 8, UINT64_C(1) << (7 * i));
        open_field(&m, 11);
        number(&m, 9, 1);
        text(&m, 23, "slice");
        close_field(&m);
        number(&m, 10, 4);
        number(&m, 79, 1000);
        tm_pb_end(&m.out, m.packet);
    }
    struct result *r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    bool good = r->status == TM_OK && r->count == 3;
    size_t at = 2;
    for (size_t i = 0; good && i < 3; i++) {
        const struct tm_event *e = &r->rows[i].e;
        good = e->time_ns == (int64_t)1 << (7 * i) && e->raw_bytes == r->rows[0].e.raw_bytes + i &&
               memcmp(r->bytes.data + r->rows[i].raw_at, m.out.data + at, e->raw_bytes) == 0;
        at += e->raw_bytes + 2;
    }
    result_free(r);
    tm_buf_release(&m.out);
    return good;
}

/* Rows of repeated packets equal those of the first one, raw bytes included. */
static bool come_again_the_same(uint32_t packets)
{
    const uint32_t times = ROWS_MAX / packets;
    struct maker m = {0};
    char name[64];
    for (uint32_t i = 0; i < packets * times; i++) {
        /* At first each packet comes twice in a row, so packets that share a slot are remembered one after the other.
         * */
        uint32_t k = i < 2 * packets ? i / 2 : i % packets;
        tm_pb_begin(&m.out, 1, &m.packet);
        number(&m, 8, 1000 + i);
        number(&m, 10, 4);
        open_field(&m, 11);
        number(&m, 9, 1 + k % 3);
        snprintf(name, sizeof name, "%.*s%u", 30 + (int)(k % 19),
                 "a name of some bytes, so many that two batches are full", k);
        text(&m, 23, name);
        close_field(&m);
        tm_pb_end(&m.out, m.packet);
    }
    struct result *r = run(m.out.data, m.out.len, TM_DAMAGE_HALT);
    bool good = r->status == TM_OK && r->count == packets * times && r->rows[0].e.flags & TM_EVENT_RAW_BODY;
    for (uint32_t i = 2 * packets; i < r->count && good; i++) {
        const struct row *row = &r->rows[i], *first = &r->rows[i % packets * 2];
        good = row->e.time_ns == 1000 + i && row->e.position == i && same_row(r, row, r, first);
    }
    result_free(r);
    tm_buf_release(&m.out);
    return good;
}

int main(void)
{
    uint64_t bad = TRACES, rows = 0, slices = 0;
    for (uint64_t i = 0; i < TRACES && bad == TRACES; i++) {
        struct result *a = read_trace(i, false), *b = read_trace(i, true);
        if (!same(a, b))
            bad = i;
        rows += a->count;
        for (size_t k = 0; k < a->count; k++)
            slices += a->rows[k].e.kind >= TM_KIND_SLICE_BEGIN && a->rows[k].e.kind <= TM_KIND_INSTANT;
        result_free(a);
        result_free(b);
    }
    if (bad < TRACES)
        printf("# trace %llu\n", (unsigned long long)bad);
    ok_named(bad == TRACES, "events read again and read in full are the same rows");
    ok_named(rows > TRACES * PACKETS / 2 && slices > rows / 3, "a third and more of the traces is slices");
    ok_named(come_again_the_same(10), "few packets that come again are the same");
    ok_named(come_again_the_same(ROWS_MAX / 5), "many packets that come again are the same");
    ok_named(raw_is_its_own(), "raw is that of the event's own packet");
    return tap_done();
}
