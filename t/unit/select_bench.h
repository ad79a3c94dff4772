/* Shows rows of a selection of lib/select as text. */
#ifndef TM_T_UNIT_SELECT_BENCH_H
#define TM_T_UNIT_SELECT_BENCH_H

#include "emit/out.h"
#include "model/catalog.h"
#include "select/pending_groups.h"
#include "select/select.h"
#include "stream/batch_builder.h"

#include "tap.h"

#include <inttypes.h>
#include <stdlib.h>

enum { FILES = 2, MACHINES = 2, BIG_BYTES = 1 << 20 };

struct bench {
    struct tm_catalog catalog;
    struct tm_catalog_file files[FILES];
    struct tm_catalog_machine machines[MACHINES];
    struct tm_select_spec spec;
    struct tm_select *select;
    struct tm_batch_receiver receiver;
    struct tm_batch_builder batch;
    struct tm_buf out;
    uint64_t payload;
    uint32_t context; /* rows that are kept for their names */
    struct tm_error err;
    enum tm_status st;
};

/* Writes a row as "TIME KIND TID VALUE". */
static inline enum tm_status on_batch(void *self, const struct tm_batch *batch, struct tm_error *err)
{
    struct bench *b = self;
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    (void)err;
    while (tm_batch_next(&walk, &e)) {
        (void)tm_buf_addf(&b->out, "%" PRId64 " %u %" PRId64 " %" PRIu64 "\n", e.time_ns, e.kind, e.tid, e.value);
        b->context += (e.flags & TM_EVENT_CONTEXT) != 0;
        for (uint32_t i = 0; i < e.raw_bytes; i++)
            b->payload += e.raw[i];
    }
    return TM_OK;
}

static inline void start(struct bench *b, const char *only)
{
    *b = (struct bench){0};
    b->files[0].input_type = TM_INPUT_PROTO;
    b->files[1].type = tm_text_str("json");
    b->machines[1] = (struct tm_catalog_machine){.raw_id = 1, .name = tm_text_str("phone")};
    b->catalog.files = b->files;
    b->catalog.machines = b->machines;
    b->catalog.file_count = FILES;
    b->catalog.machine_count = MACHINES;
    b->receiver = (struct tm_batch_receiver){on_batch, b};
    b->st = tm_select_spec_add(&b->spec, only, &b->err);
    if (b->st == TM_OK)
        b->st = tm_select_new(&b->select, &b->spec, &b->catalog, NULL, &b->err);
}

static inline void add(struct bench *b, struct tm_event e)
{
    if (b->st == TM_OK)
        b->st = tm_batch_builder_add(&b->batch, &e);
}

static inline void flush(struct bench *b)
{
    struct tm_batch batch;
    tm_batch_builder_view(&b->batch, &batch);
    if (b->st == TM_OK)
        b->st = tm_select_batch(b->select, &batch, &b->receiver, &b->err);
    tm_batch_builder_clear(&b->batch);
}

/* Returns the kept rows, and the number of events that were left out. */
static inline const char *finish(struct bench *b, uint64_t *left_out)
{
    flush(b);
    if (b->st == TM_OK)
        b->st = tm_select_finish(b->select, &b->receiver, &b->err);
    const struct tm_tally *tally = tm_select_tally(b->select);
    *left_out = 0;
    for (uint32_t i = 0; i < tally->count; i++)
        *left_out += tally->rows[i].count;
    return b->st == TM_OK ? tm_buf_cstr(&b->out) : b->err.text;
}

static inline void stop(struct bench *b)
{
    tm_select_free(b->select);
    tm_select_spec_release(&b->spec);
    tm_batch_builder_release(&b->batch);
    tm_buf_release(&b->out);
}

static inline struct tm_event on_thread(enum tm_kind kind, int64_t ns, int64_t tid)
{
    return (struct tm_event){
        .kind = kind, .time_ns = ns, .tid = tid, .flags = TM_EVENT_HAS_TID | tm_event_scope_flags(TM_SCOPE_THREAD)};
}

static inline struct tm_event counter(int64_t ns, uint64_t track, uint64_t value, uint32_t flags)
{
    return (struct tm_event){.kind = TM_KIND_COUNTER,
                             .time_ns = ns,
                             .track = track,
                             .value = value,
                             .flags = flags | TM_EVENT_HAS_VALUE | tm_event_scope_flags(TM_SCOPE_TRACK)};
}

#endif
