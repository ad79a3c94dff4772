#include "emit/clock_facts.h"

#include "base/table.h"
#include "base/checked.h"
#include "stream/clock_id.h"

#include <stdlib.h>

static enum tm_status add_hint(struct tm_clock_facts *f, const Tracemerge__ClockHint *hint, struct tm_error *err)
{
    uint32_t there;
    if (hint->from_clock != 0 || hint->value_ns <= 0 || tm_map_find(&f->base_of, hint->file, &there))
        return TM_OK;
    if (tm_array_grow(&f->bases, &f->base_cap, f->base_count, sizeof *f->bases, err) < 0 ||
        tm_map_set(&f->base_of, hint->file, f->base_count) != TM_OK)
        return tm_error_nomem(err);
    struct tm_stated_base *base = &f->bases[f->base_count++];
    *base = (struct tm_stated_base){.file = hint->file, .clock = hint->clock, .value_ns = hint->value_ns};
    if (!tm_sub_i64(hint->value_ns, hint->from_ns, &base->value_ns))
        base->value_ns = hint->value_ns;
    tm_text_escape((const char *)hint->source.data, hint->source.len, base->source, sizeof base->source);
    return TM_OK;
}

/* Finds the reading of CLOCK in SNAPSHOT, if it counts nanoseconds. */
static bool find_reading(const Tracemerge__Snapshot *snapshot, uint32_t clock, int64_t *ns)
{
    for (size_t i = 0; i < snapshot->n_readings; i++) {
        const Tracemerge__Reading *r = snapshot->readings[i];
        if (r->clock != clock || r->incremental || r->unit_multiplier_ns > 1)
            continue;
        *ns = r->value;
        return true;
    }
    return false;
}

static enum tm_status add_snapshot(struct tm_clock_facts *f, const Tracemerge__Snapshot *snapshot,
                                   struct tm_error *err)
{
    uint64_t key = (uint64_t)snapshot->file << 32 | snapshot->machine;
    int64_t real, boot, started;
    uint32_t i;
    if (!find_reading(snapshot, TM_CLOCK_REALTIME, &real) || !find_reading(snapshot, TM_CLOCK_BOOTTIME, &boot) ||
        !tm_sub_i64(real, boot, &started))
        return TM_OK;
    if (tm_map_find(&f->start_of, key, &i)) {
        f->starts[i].last_ns = real > f->starts[i].last_ns ? real : f->starts[i].last_ns;
        return TM_OK;
    }
    if (tm_array_grow(&f->starts, &f->start_cap, f->start_count, sizeof *f->starts, err) < 0 ||
        tm_map_set(&f->start_of, key, f->start_count) != TM_OK)
        return tm_error_nomem(err);
    f->starts[f->start_count++] = (struct tm_wall_start){.file = snapshot->file,
                                                         .machine = snapshot->machine,
                                                         .started_ns = started,
                                                         .first_ns = real,
                                                         .last_ns = real};
    return TM_OK;
}

enum tm_status tm_clock_facts_add(struct tm_clock_facts *f, const struct tm_frame *frame, struct tm_error *err)
{
    bool is_hint = frame->type == TM_FRAME_CLOCK_HINT;
    if (!is_hint && frame->type != TM_FRAME_SNAPSHOT)
        return TM_OK;
    ProtobufCMessage *message =
        tm_frame_message(frame, is_hint ? &tracemerge__clock_hint__descriptor : &tracemerge__snapshot__descriptor, err);
    if (message == NULL)
        return err->status;
    enum tm_status st = is_hint ? add_hint(f, (const Tracemerge__ClockHint *)message, err)
                                : add_snapshot(f, (const Tracemerge__Snapshot *)message, err);
    protobuf_c_message_free_unpacked(message, NULL);
    return st;
}

const struct tm_stated_base *tm_clock_facts_base(const struct tm_clock_facts *f, uint32_t file)
{
    uint32_t i;
    return tm_map_find(&f->base_of, file, &i) ? &f->bases[i] : NULL;
}

const struct tm_stated_base *tm_clock_facts_first_base(const struct tm_clock_facts *f,
                                                       const struct tm_stated_base *base)
{
    const struct tm_stated_base *first = base;
    for (uint32_t i = 0; i < f->base_count; i++)
        if (f->bases[i].clock == base->clock && f->bases[i].file < first->file)
            first = &f->bases[i];
    return first;
}

const struct tm_wall_start *tm_clock_facts_start(const struct tm_clock_facts *f, uint32_t file, uint32_t machine)
{
    uint32_t i;
    return tm_map_find(&f->start_of, (uint64_t)file << 32 | machine, &i) ? &f->starts[i] : NULL;
}

const struct tm_wall_start *tm_clock_facts_earlier(const struct tm_clock_facts *f, const struct tm_catalog *catalog,
                                                   const struct tm_wall_start *start)
{
    const struct tm_wall_start *first = NULL;
    for (uint32_t i = 0; i < f->start_count; i++) {
        const struct tm_wall_start *s = &f->starts[i];
        uint32_t last = first ? first->file : start->file;
        if (s->machine == start->machine && s->file < catalog->file_count && last < catalog->file_count &&
            catalog->files[s->file].processing_order < catalog->files[last].processing_order)
            first = s;
    }
    return first;
}

void tm_clock_facts_release(struct tm_clock_facts *f)
{
    free(f->bases);
    free(f->starts);
    tm_map_release(&f->base_of);
    tm_map_release(&f->start_of);
    *f = (struct tm_clock_facts){0};
}
