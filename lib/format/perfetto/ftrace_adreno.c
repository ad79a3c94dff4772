/* kgsl_adreno_cmdbatch_*: when an Adreno GPU executed the batches of a context. Rules and names: importers/ftrace of
 * perfetto, ftrace_tokenizer.cc and ftrace_parser.cc. */
#include "format/perfetto/ftrace_adreno.h"

#include "base/checked.h"
#include "format/perfetto/ftrace_event.h"
#include "perfetto/ftrace_event_fields.h"
#include "stream/detail_arg.h"

#include <stdlib.h>

enum { CONTEXT = 1, NUMBER = 2, SYNC_TICKS = 3, START = 6, END = 7, PRIORITY = 8 };
enum { BATCHES_MAX = 1024, CONTEXTS_MAX = 1 << 16 };

/* The clock runs at 19.2 MHz: 12 ticks are 625 ns. False: overflow. */
static bool ticks_to_ns(uint64_t from, uint64_t to, int64_t *ns)
{
    if (!tm_mul_i64((int64_t)(to - from), 625, ns))
        return false;
    *ns /= 12;
    return true;
}

void tm_proto_adreno_release(struct tm_proto_adreno *adreno)
{
    tm_proto_map_release(&adreno->threads);
    free(adreno->batches);
    adreno->batches = NULL;
}

/* Returns batch I, counted from the oldest. */
static struct tm_proto_adreno_batch *batch_at(const struct tm_proto_adreno *adreno, uint32_t i)
{
    return &adreno->batches[(adreno->first + i) % BATCHES_MAX];
}

/* Returns which batch has NUMBER; the count of batches if none has. Searches from the end, where the latest batches
 * are. */
static uint32_t find(const struct tm_proto_adreno *adreno, uint32_t machine, uint32_t number)
{
    for (uint32_t i = adreno->count; i-- > 0;) {
        const struct tm_proto_adreno_batch *batch = batch_at(adreno, i);
        if (batch->number == number && batch->machine == machine)
            return i;
    }
    return adreno->count;
}

/* Adds BATCH. If there are too many, the oldest is lost. */
static enum tm_status add(struct tm_proto_adreno *adreno, const struct tm_proto_adreno_batch *batch,
                          struct tm_error *err)
{
    if (adreno->batches == NULL && (adreno->batches = calloc(BATCHES_MAX, sizeof *batch)) == NULL)
        return tm_error_nomem(err);
    if (adreno->count < BATCHES_MAX) {
        adreno->batches[(adreno->first + adreno->count++) % BATCHES_MAX] = *batch;
    } else {
        adreno->threads.refused++;
        adreno->batches[adreno->first] = *batch;
        adreno->first = (adreno->first + 1) % BATCHES_MAX;
    }
    return TM_OK;
}

/* Removes batch I. Moves those after it, so that the oldest stays first. Usually there are few. */
static void remove_batch(struct tm_proto_adreno *adreno, uint32_t i)
{
    adreno->count--;
    for (; i < adreno->count; i++)
        *batch_at(adreno, i) = *batch_at(adreno, i + 1);
}

/* Remembers the thread of EVENT if it is the first that queues a batch of CONTEXT. */
static enum tm_status note_thread(struct tm_proto_adreno *adreno, uint32_t context, const struct tm_event *event,
                                  struct tm_error *err)
{
    struct tm_proto_map_entry *entry;
    if (tm_proto_map_find(&adreno->threads, event->machine, context))
        return TM_OK;
    enum tm_status st = tm_proto_map_add(&adreno->threads, event->machine, context, CONTEXTS_MAX, &entry);
    if (st == TM_OK) {
        entry->v1 = (uint64_t)event->tid;
        entry->v2 = (uint64_t)event->time_ns;
    }
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

/* Adds the row of BATCH. The model puts the process's name into the name of the track. */
static enum tm_status add_batch(const struct tm_proto_adreno *adreno, struct tm_proto_rows *rows,
                                const struct tm_proto_adreno_batch *batch, const struct tm_event *event,
                                struct tm_error *err)
{
    static const char name[] = "GPU";
    struct tm_proto_named_row named = {
        .type = TM_NAMED_TRACK_ADRENO_BATCHES, .second = (uint16_t)batch->priority, .instance = batch->context};
    const struct tm_proto_map_entry *thread = tm_proto_map_find(&adreno->threads, event->machine, batch->context);
    struct tm_event row = tm_proto_derived(event, TM_KIND_SLICE_COMPLETE);
    int64_t since_ns;
    if (batch->end < batch->start || !ticks_to_ns(batch->start, batch->end, &row.dur_ns) ||
        !ticks_to_ns(batch->ticks, batch->start, &since_ns) || !tm_add_i64(batch->time_ns, since_ns, &row.time_ns))
        return TM_OK;
    row.flags &= ~(uint32_t)(TM_EVENT_DERIVED | TM_EVENT_UNTIMED | TM_EVENT_DEFINITION);
    row.clock = batch->clock;
    row.tid = row.pid = 0;
    if (thread && (int64_t)thread->v2 <= row.time_ns)
        named.tid = (int64_t)thread->v1;
    rows->key.len = rows->text.len = 0;
    if (tm_buf_addf(&rows->key, "GPU (Ctx=%u, Prio=%u)", (unsigned)batch->context, (unsigned)batch->priority) < 0 ||
        tm_detail_arg_int(&rows->text, "context_id", batch->context) < 0 ||
        tm_detail_arg_int(&rows->text, "prio", batch->priority) < 0)
        return tm_error_nomem(err);
    enum tm_status st = tm_proto_named_row(rows, &named, &row, err);
    row.flags &= ~(uint32_t)TM_EVENT_ASYNC;
    if (st >= 0)
        st = tm_proto_string(rows, name, sizeof name - 1, &row.name, err);
    return st < 0 ? st : tm_proto_add(rows, &row, err);
}

enum tm_status tm_proto_ftrace_adreno(struct tm_proto_adreno *adreno, struct tm_proto_rows *rows,
                                      const struct tm_pb_field *f, const struct tm_event *event, struct tm_error *err)
{
    struct tm_proto_event_fields fields;
    const uint64_t *n = fields.number;
    const bool is_done = f->id == TM_FTRACE_EVENT_ADRENO_BATCH_RETIRED;
    tm_proto_event_fields_read(&fields, f);
    if (f->id == TM_FTRACE_EVENT_ADRENO_BATCH_QUEUED)
        return note_thread(adreno, (uint32_t)n[CONTEXT], event, err);
    struct tm_proto_adreno_batch batch = {.machine = event->machine, .number = (uint32_t)n[NUMBER], .is_done = is_done};
    const uint32_t found = find(adreno, batch.machine, batch.number);
    const bool is_first = found == adreno->count;
    bool had_done = false;
    if (!is_first) {
        batch = *batch_at(adreno, found);
        had_done = batch.is_done;
    }
    if (is_done) {
        batch.context = (uint32_t)n[CONTEXT];
        batch.priority = (uint32_t)n[PRIORITY];
        batch.start = n[START];
        batch.end = n[END];
    } else {
        batch.clock = event->clock;
        batch.time_ns = event->time_ns;
        batch.ticks = n[SYNC_TICKS];
    }
    if (is_first)
        return add(adreno, &batch, err);
    if (had_done == is_done) /* the first one counts */
        return TM_OK;
    remove_batch(adreno, found);
    return add_batch(adreno, rows, &batch, event, err);
}
