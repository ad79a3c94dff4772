#include "emit/clock_facts.h"

#include "base/table.h"
#include "base/checked.h"
#include "stream/clock_id.h"
#include "stream/field_text.h"
#include "stream/placement_rule.h"

#include <stdlib.h>

/* Notes in FIRST_OF that KEY's first entry is INDEX, if there is none so far or IS_EARLIER. */
static enum tm_status note_first(struct tm_map *first_of, uint32_t key, uint32_t index, bool is_earlier)
{
    uint32_t there;
    return is_earlier || !tm_map_find(first_of, key, &there) ? tm_map_set(first_of, key, index) : TM_OK;
}

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
    const bool is_earlier = hint->file < tm_clock_facts_first_base(f, base)->file;
    return note_first(&f->first_base_of, hint->clock, f->base_count - 1, is_earlier) == TM_OK ? TM_OK
                                                                                            : tm_error_nomem(err);
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

/* True if A's turn comes before B's. A file that CATALOG lacks has none. */
static bool is_before(const struct tm_catalog *catalog, const struct tm_wall_start *a, const struct tm_wall_start *b)
{
    return a->file < catalog->file_count && b->file < catalog->file_count &&
           catalog->files[a->file].processing_order < catalog->files[b->file].processing_order;
}

static enum tm_status add_snapshot(struct tm_clock_facts *f, const struct tm_catalog *catalog,
                                   const Tracemerge__Snapshot *snapshot, struct tm_error *err)
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
    const struct tm_wall_start *start = &f->starts[f->start_count];
    f->starts[f->start_count++] = (struct tm_wall_start){.file = snapshot->file,
                                                         .machine = snapshot->machine,
                                                         .started_ns = started,
                                                         .first_ns = real,
                                                         .last_ns = real};
    const bool is_earlier =
        tm_map_find(&f->first_start_of, snapshot->machine, &i) && is_before(catalog, start, &f->starts[i]);
    return note_first(&f->first_start_of, snapshot->machine, f->start_count - 1, is_earlier) == TM_OK
               ? TM_OK
               : tm_error_nomem(err);
}

static uint64_t relation_key(uint32_t machine, uint32_t clock)
{
    return (uint64_t)machine << 32 | clock;
}

/* Adds the relation of two rows of one snapshot, if it is the first one of either clock. */
static enum tm_status relate(struct tm_clock_facts *f, const struct tm_clock_facts_row *a,
                             const struct tm_clock_facts_row *b, struct tm_error *err)
{
    const struct tm_clock_facts_row *rows[] = {a, b};
    bool is_first = false;
    for (size_t i = 0; i < 2; i++) {
        const uint64_t key = relation_key(rows[i]->machine, a->clock);
        uint32_t there;
        if (tm_map_find(&f->relation_of, key, &there))
            continue;
        is_first = true;
        if (tm_map_set(&f->relation_of, key, f->relation_count) != TM_OK)
            return tm_error_nomem(err);
    }
    if (!is_first)
        return TM_OK;
    if (tm_array_grow(&f->relations, &f->relation_cap, f->relation_count, sizeof *f->relations, err) < 0)
        return err->status;
    f->relations[f->relation_count++] =
        (struct tm_machine_relation){a->clock, {a->machine, b->machine}, {a->value, b->value}};
    return TM_OK;
}

static enum tm_status add_row(struct tm_clock_facts *f, const struct tm_catalog *catalog,
                              const Tracemerge__ClockRow *row, struct tm_error *err)
{
    const struct tm_clock_facts_row before = f->last_row;
    f->last_row = (struct tm_clock_facts_row){
        row->snapshot, row->clock, row->machine, row->value,
        row->has_origin && row->clock < TM_CLOCK_SEQUENCE_FIRST && row->machine < catalog->machine_count &&
            tm_placement_rule_of(tm_text_of(row->origin)) == TM_RULE_SNAPSHOT};
    const struct tm_clock_facts_row *last = &f->last_row;
    const bool is_relation = before.is_recorded && last->is_recorded && before.snapshot == last->snapshot &&
                             before.clock == last->clock && before.machine != last->machine;
    return is_relation ? relate(f, &before, last, err) : TM_OK;
}

enum tm_status tm_clock_facts_add(struct tm_clock_facts *f, const struct tm_catalog *catalog,
                                  const struct tm_frame *frame, struct tm_error *err)
{
    const bool is_hint = frame->type == TM_FRAME_CLOCK_HINT;
    const bool is_row = frame->type == TM_FRAME_CLOCK_ROW && catalog->machine_count > 1;
    if (!is_hint && !is_row && frame->type != TM_FRAME_SNAPSHOT)
        return TM_OK;
    ProtobufCMessage *message = tm_frame_message(frame,
                                                 is_hint  ? &tracemerge__clock_hint__descriptor
                                                 : is_row ? &tracemerge__clock_row__descriptor
                                                          : &tracemerge__snapshot__descriptor,
                                                 err);
    if (message == NULL)
        return err->status;
    enum tm_status st = is_hint  ? add_hint(f, (const Tracemerge__ClockHint *)message, err)
                        : is_row ? add_row(f, catalog, (const Tracemerge__ClockRow *)message, err)
                                 : add_snapshot(f, catalog, (const Tracemerge__Snapshot *)message, err);
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
    uint32_t i;
    return tm_map_find(&f->first_base_of, base->clock, &i) ? &f->bases[i] : base;
}

const struct tm_wall_start *tm_clock_facts_start(const struct tm_clock_facts *f, uint32_t file, uint32_t machine)
{
    uint32_t i;
    return tm_map_find(&f->start_of, (uint64_t)file << 32 | machine, &i) ? &f->starts[i] : NULL;
}

const struct tm_wall_start *tm_clock_facts_earlier(const struct tm_clock_facts *f, const struct tm_catalog *catalog,
                                                   const struct tm_wall_start *start)
{
    uint32_t i;
    const bool is_found = tm_map_find(&f->first_start_of, start->machine, &i);
    return is_found && is_before(catalog, &f->starts[i], start) ? &f->starts[i] : NULL;
}

const struct tm_machine_relation *tm_clock_facts_relation(const struct tm_clock_facts *f, uint32_t machine,
                                                          uint32_t clock)
{
    uint32_t i;
    return tm_map_find(&f->relation_of, relation_key(machine, clock), &i) ? &f->relations[i] : NULL;
}

void tm_clock_facts_release(struct tm_clock_facts *f)
{
    free(f->bases);
    free(f->relations);
    tm_map_release(&f->relation_of);
    free(f->starts);
    tm_map_release(&f->base_of);
    tm_map_release(&f->start_of);
    tm_map_release(&f->first_base_of);
    tm_map_release(&f->first_start_of);
    *f = (struct tm_clock_facts){0};
}
