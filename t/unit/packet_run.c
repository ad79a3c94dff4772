/* Unit test of emit/perfetto/packet_run.h: rows of a batch that are written together give the bytes that
 * tm_packet_splice_body writes for each. Rows of another kind are left out. */
#include "base/hash.h"
#include "emit/perfetto/packet_run.h"
#include "emit/perfetto/splice_body.h"
#include "stream/batch_builder.h"

#include "../lib/random.h"
#include "tap.h"

#include <stdlib.h>

enum { ROWS = 700, GENERATIONS = 6, FILES = 2, MACHINES = 3 };

static uint64_t seed;

static uint64_t roll(uint64_t n)
{
    return random_below(&seed, n);
}

/* Makes a packet's body: a track event of LEN bytes, with flags before or after it. */
static uint32_t make_body(uint8_t *raw, uint32_t len, bool odd)
{
    uint8_t *p = raw;
    if (odd && roll(6) == 0) {
        memcpy(p, "\x68\x02", 2);
        p += 2;
    }
    *p++ = odd && roll(6) == 0 ? 0x58 : 0x5a;
    p = tm_varint_put(p, odd && roll(6) == 0 ? len + 1 : len);
    for (uint32_t i = 0; i < len; i++)
        *p++ = (uint8_t)roll(256);
    if (roll(3)) {
        memcpy(p, odd && roll(3) == 0 ? "\x68\x03" : "\x68\x02", 2);
        p += odd && roll(6) == 0 ? 1 : 2;
    }
    if (odd && roll(6) == 0) {
        memcpy(p, "\x18\x0a", 2); /* trusted_uid */
        p += 2;
    }
    return odd && roll(20) == 0 ? (uint32_t)roll(2) : (uint32_t)(p - raw);
}

/* Makes a row of the usual kind or, one in ODD, another row. */
static void make_row(struct tm_event *e, uint8_t *raw, uint32_t odd)
{
    static const uint32_t flags[] = {TM_EVENT_DEFINITION, TM_EVENT_UNTIMED, TM_EVENT_DERIVED, TM_EVENT_INNER_TIMES};
    bool is_odd = odd && roll(odd) == 0;
    *e = (struct tm_event){.time_ns = (int64_t)(tm_hash_u64(seed) >> roll(64)),
                           .kind = TM_KIND_SLICE_BEGIN + (uint32_t)roll(4),
                           .machine = (uint32_t)roll(MACHINES),
                           .file = (uint32_t)roll(FILES),
                           .sequence = 5,
                           .generation = 1 + (uint32_t)roll(3),
                           .raw = raw,
                           .detail = raw,
                           .flags = TM_EVENT_RAW_BODY | tm_event_raw_flags(TM_RAW_PACKET) | TM_EVENT_HAS_TRACK};
    if (is_odd && roll(3) == 0)
        e->flags ^= roll(2) ? flags[roll(4)] : TM_EVENT_RAW_BODY;
    e->flags |= roll(3) ? tm_event_scope_flags(TM_SCOPE_TRACK) : tm_event_scope_flags(TM_SCOPE_THREAD);
    e->track = roll(40);
    if (is_odd && roll(3) == 0)
        e->kind = (uint32_t)roll(9);
    if (is_odd && roll(3) == 0)
        e->generation = (uint32_t)roll(GENERATIONS + 1);
    e->raw_bytes = make_body(raw, is_odd ? (uint32_t)roll(200) : (uint32_t)roll(roll(5) ? 14 : 97), is_odd && roll(2));
    e->detail_bytes = roll(9) ? 0 : (uint32_t)roll(5);
}

/* The state in which a row needs no other work. Machine 1 has sequences of both files. */
static bool is_in_run(const struct tm_event *e, const uint32_t *written)
{
    if (e->machine == 1 && e->file == 1 && e->track == 0 && tm_event_scope(e->flags) == TM_SCOPE_TRACK)
        return false;
    const uint32_t special = TM_EVENT_DEFINITION | TM_EVENT_UNTIMED | TM_EVENT_DERIVED | TM_EVENT_INNER_TIMES;
    return !(e->flags & special) && e->flags & TM_EVENT_RAW_BODY && e->kind >= TM_KIND_SLICE_BEGIN &&
           e->kind <= TM_KIND_INSTANT && (written == NULL || (e->generation < GENERATIONS && written[e->generation]));
}

/* Writes rows of BATCH, by runs if RUN is not NULL. Skips rows of another kind. */
static uint32_t write_rows(struct tm_packet_writer *w, const struct tm_batch *batch, const uint32_t *written,
                           struct tm_packet_run *run, bool *good)
{
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_error err = {0};
    struct tm_event e;
    uint32_t by_run = 0;
    for (;;) {
        uint32_t first = walk.i;
        if (run && tm_packet_run_write(w, &walk, run, &err) != TM_OK)
            *good = false;
        if (run) {
            *good &= walk.i - first == run->rows &&
                     (run->rows == 0 || run->time_ns == tm_batch_i64(batch, TM_COL_TIME_NS, walk.i - 1));
            by_run += run->rows;
        }
        for (uint32_t i = first; i < walk.i; i++) {
            tm_batch_get(batch, i, 0, &e);
            *good &= is_in_run(&e, written) && e.generation > 0;
        }
        size_t at = walk.at;
        if (!tm_batch_next(&walk, &e))
            return by_run;
        if (is_in_run(&e, written))
            (void)tm_packet_splice_body(w, &e, batch->payload_bytes - at, &err);
    }
}

static void check(uint64_t trial, uint32_t odd, bool has_threads)
{
    struct tm_catalog_file files[FILES] = {{.begun = true, .clock_policy = TRACEMERGE__CLOCK_POLICY__PROTO},
                                           {.begun = true, .clock_policy = TRACEMERGE__CLOCK_POLICY__PROTO,
                                            .processing_order = 1}};
    struct tm_catalog_machine machines[MACHINES] = {{.raw_id = 0}, {.raw_id = UINT32_MAX}, {.raw_id = 3}};
    struct tm_catalog_sequence sequences[GENERATIONS] = {{0}, {0, 1, 5}, {0, 0, 5}, {1, 1, 5}, {1, 2, 5}, {1, 2, 5}};
    struct tm_catalog catalog = {.files = files, .file_count = FILES, .machines = machines, .machine_count = MACHINES,
                                 .sequences = sequences, .sequence_count = GENERATIONS};
    uint32_t written[GENERATIONS] = {0, 1, 1, 1, 0, 1};
    struct tm_packet_run run = {
        .written = has_threads ? written : NULL, .written_count = GENERATIONS, .before_ns = INT64_MAX};
    struct tm_batch_builder builder = {0};
    struct tm_packet_writer quick = {0}, slow = {0};
    struct tm_error err = {0};
    struct tm_batch batch;
    uint8_t raw[300];
    bool good = true;
    char name[96];
    seed = tm_hash_u64(trial);
    tm_packet_writer_init(&quick, &catalog, -1, NULL, &err);
    tm_packet_writer_init(&slow, &catalog, -1, NULL, &err);
    for (uint32_t i = 0; i < ROWS; i++) {
        struct tm_event e;
        make_row(&e, raw, odd);
        tm_batch_builder_add(&builder, &e);
    }
    tm_batch_builder_view(&builder, &batch);
    uint8_t *payload = malloc(batch.payload_bytes); /* exact size, so a sanitizer detects a read past its end */
    memcpy(payload, batch.payload, batch.payload_bytes);
    batch.payload = payload;
    if (trial % 2) { /* sequences with packets before one of them needs a statement */
        (void)write_rows(&quick, &batch, NULL, NULL, &good);
        (void)write_rows(&slow, &batch, NULL, NULL, &good);
    }
    uint32_t by_run = write_rows(&quick, &batch, run.written, &run, &good);
    (void)write_rows(&slow, &batch, run.written, NULL, &good);
    snprintf(name, sizeof name, "trial %llu, one row in %u odd", (unsigned long long)trial, odd);
    ok_named(good && quick.out.len == slow.out.len && slow.out.len > ROWS &&
                 memcmp(quick.out.data, slow.out.data, slow.out.len) == 0, name);
    ok_named(by_run > ROWS / (odd == 2 ? 8 : 2) && (odd || by_run > ROWS - 40),
             "most of what can be is written together");
    tm_packet_writer_release(&quick);
    tm_packet_writer_release(&slow);
    tm_batch_builder_release(&builder);
    free(payload);
}

int main(void)
{
    for (uint64_t trial = 0; trial < 60; trial++)
        check(trial, (const uint32_t[]){0, 2, 10, 100}[trial % 4], trial % 3 == 0);
    return tap_done();
}
