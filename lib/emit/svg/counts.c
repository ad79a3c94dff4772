#include "emit/svg/counts.h"

#include "base/checked.h"
#include "base/table.h"
#include "stream/clock_id.h"
#include "stream/field_text.h"
#include "stream/placement_rule.h"

#include <stdlib.h>

/* Finds or makes the lane of FILE on MACHINE. Lanes beyond TM_SVG_LANES_MAX are one. */
static enum tm_status find_lane(struct tm_svg_counts *c, uint32_t file, uint32_t machine, struct tm_svg_lane **lane,
                                struct tm_error *err)
{
    uint64_t key = (uint64_t)file << 32 | machine;
    uint32_t i;
    if (tm_map_find(&c->lane_of, key, &i)) {
        *lane = &c->lanes[i];
        return TM_OK;
    }
    bool is_rest = c->lane_count >= TM_SVG_LANES_MAX;
    if (c->lane_count > TM_SVG_LANES_MAX) {
        *lane = &c->lanes[TM_SVG_LANES_MAX];
        return TM_OK;
    }
    if (tm_array_grow(&c->lanes, &c->lane_cap, c->lane_count, sizeof *c->lanes, err) < 0 ||
        (!is_rest && tm_map_set(&c->lane_of, key, c->lane_count) != TM_OK))
        return tm_error_nomem(err);
    *lane = &c->lanes[c->lane_count++];
    **lane = (struct tm_svg_lane){.file = file,
                                  .machine = machine,
                                  .has_machine = machine != UINT32_MAX && !is_rest,
                                  .is_rest = is_rest,
                                  .events = TM_SVG_NONE,
                                  .rows = TM_SVG_NONE,
                                  .first_account = UINT32_MAX};
    return TM_OK;
}

static enum tm_status count_event(struct tm_svg_counts *c, struct tm_svg_lane *lane, int64_t ns, struct tm_error *err)
{
    if (lane->events == TM_SVG_NONE) {
        uint32_t series = 0;
        if (tm_time_bins_series(&c->events, &series, err) < 0)
            return TM_E_SYSTEM;
        lane->events = series;
    }
    if (lane->event_count == 0 || ns < lane->first_ns)
        lane->first_ns = ns;
    if (lane->event_count == 0 || ns > lane->last_ns)
        lane->last_ns = ns;
    lane->event_count++;
    c->event_count++;
    tm_time_bins_add(&c->events, (uint32_t)lane->events, ns);
    return TM_OK;
}

enum tm_status tm_svg_counts_batch(struct tm_svg_counts *c, const struct tm_batch *batch, struct tm_error *err)
{
    struct tm_svg_lane *lane = NULL;
    uint32_t last_file = 0, last_machine = 0;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < batch->count && st == TM_OK; i++) {
        uint32_t file = tm_batch_u32(batch, TM_COL_FILE, i), machine = tm_batch_u32(batch, TM_COL_MACHINE, i);
        if (!tm_event_is_counted(tm_batch_u32(batch, TM_COL_FLAGS, i)))
            continue;
        if (lane == NULL || file != last_file || machine != last_machine)
            st = find_lane(c, file, machine, &lane, err);
        last_file = file;
        last_machine = machine;
        if (st == TM_OK)
            st = count_event(c, lane, tm_batch_i64(batch, TM_COL_TIME_NS, i), err);
    }
    return st;
}

/* Takes the relation to the wall clock from ROW. The machine of trace time takes precedence. */
static void note_wall_clock(struct tm_svg_counts *c, const Tracemerge__ClockRow *row)
{
    const struct tm_catalog *catalog = c->catalog;
    bool is_trace_times = catalog->trace_time_has_machine && row->machine == catalog->trace_time_machine;
    enum tm_placement_rule origin = row->has_origin ? tm_placement_rule_of(tm_text_of(row->origin)) : TM_RULE_NONE;
    bool is_evidence = origin == TM_RULE_SNAPSHOT || origin == TM_RULE_MANIFEST || origin == TM_RULE_HINT;
    if (row->clock != TM_CLOCK_REALTIME || !is_evidence ||
        (c->wall.is_known && (c->wall.is_trace_times || !is_trace_times)))
        return;
    if (tm_sub_i64(row->value, row->ts_ns, &c->wall.offset_ns)) {
        c->wall.is_known = true;
        c->wall.is_trace_times = is_trace_times;
    }
}

static enum tm_status count_row(struct tm_svg_counts *c, struct tm_svg_lane *lane, const Tracemerge__ClockRow *row,
                                struct tm_error *err)
{
    uint32_t series;
    if (lane->rows == TM_SVG_NONE) {
        if (tm_time_bins_series(&c->rows, &series, err) < 0)
            return TM_E_SYSTEM;
        lane->rows = series;
    } else if (lane->last_row == row->snapshot) {
        return TM_OK;
    }
    lane->last_row = row->snapshot;
    tm_time_bins_add(&c->rows, (uint32_t)lane->rows, row->ts_ns);
    return TM_OK;
}

static enum tm_status add_clock_row(struct tm_svg_counts *c, const struct tm_frame *frame, struct tm_error *err)
{
    ProtobufCMessage *message = tm_frame_message(frame, &tracemerge__clock_row__descriptor, err);
    const Tracemerge__ClockRow *row = (const Tracemerge__ClockRow *)message;
    struct tm_svg_lane *lane;
    enum tm_status st = TM_OK;
    if (message == NULL)
        return err->status;
    note_wall_clock(c, row);
    if (row->has_file && row->file < c->catalog->file_count && row->machine < c->catalog->machine_count) {
        st = find_lane(c, row->file, row->machine, &lane, err);
        if (st == TM_OK)
            st = count_row(c, lane, row, err);
    }
    protobuf_c_message_free_unpacked(message, NULL);
    return st;
}

static const Tracemerge__Reading *find_reading(const Tracemerge__Snapshot *snapshot, uint32_t clock)
{
    for (size_t i = 0; i < snapshot->n_readings; i++)
        if (snapshot->readings[i]->clock == clock)
            return snapshot->readings[i];
    return NULL;
}

static enum tm_status count_snapshot(struct tm_svg_lane *lane, const Tracemerge__Snapshot *snapshot,
                                     struct tm_error *err)
{
    uint32_t series;
    int64_t ns;
    lane->snapshot_count++;
    if (lane->readings == NULL) {
        lane->readings_clock = snapshot->has_primary_clock && snapshot->primary_clock ? snapshot->primary_clock
                                                                                      : TM_CLOCK_BOOTTIME;
        if ((lane->readings = calloc(1, sizeof *lane->readings)) == NULL)
            return tm_error_nomem(err);
        if (tm_time_bins_series(lane->readings, &series, err) < 0)
            return TM_E_SYSTEM;
    }
    const Tracemerge__Reading *reading = find_reading(snapshot, lane->readings_clock);
    if (reading &&
        tm_mul_i64(reading->value, reading->unit_multiplier_ns ? (int64_t)reading->unit_multiplier_ns : 1, &ns))
        tm_time_bins_add(lane->readings, 0, ns);
    return TM_OK;
}

static enum tm_status add_snapshot(struct tm_svg_counts *c, const struct tm_frame *frame, struct tm_error *err)
{
    ProtobufCMessage *message = tm_frame_message(frame, &tracemerge__snapshot__descriptor, err);
    const Tracemerge__Snapshot *snapshot = (const Tracemerge__Snapshot *)message;
    struct tm_svg_lane *lane;
    enum tm_status st = TM_OK;
    if (message == NULL)
        return err->status;
    if (snapshot->file < c->catalog->file_count && snapshot->machine < c->catalog->machine_count) {
        st = find_lane(c, snapshot->file, snapshot->machine, &lane, err);
        if (st == TM_OK && !lane->is_rest)
            st = count_snapshot(lane, snapshot, err);
    }
    protobuf_c_message_free_unpacked(message, NULL);
    return st;
}

static enum tm_status add_placements(struct tm_svg_counts *c, struct tm_error *err)
{
    const struct tm_catalog *catalog = c->catalog;
    struct tm_svg_lane *lane;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < catalog->placement_count && st == TM_OK; i++) {
        const Tracemerge__Placement *p = catalog->placements[i];
        if (p->file >= catalog->file_count || p->machine >= catalog->machine_count)
            continue;
        st = find_lane(c, p->file, p->machine, &lane, err);
        if (st == TM_OK && (lane->placement == NULL || p->placed_count > lane->placement->placed_count))
            lane->placement = p;
    }
    return st;
}

/* Returns the machine of FILE's first lane; UINT32_MAX: none. Events dropped before their machine was known are shown
 * in this lane. */
static uint32_t first_machine(const struct tm_svg_counts *c, uint32_t file)
{
    for (uint32_t i = 0; i < c->lane_count; i++)
        if (c->lanes[i].file == file && c->lanes[i].has_machine)
            return c->lanes[i].machine;
    return UINT32_MAX;
}

static enum tm_status add_accounts(struct tm_svg_counts *c, struct tm_error *err)
{
    const struct tm_catalog *catalog = c->catalog;
    struct tm_svg_lane *lane;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < catalog->account_count && st == TM_OK; i++) {
        const Tracemerge__Account *a = catalog->accounts[i];
        if (tm_accounting_is_bytes(a) || !tm_accounting_is_a_loss(a))
            continue;
        uint32_t machine = a->has_machine && a->machine < catalog->machine_count ? a->machine
                                                                                 : first_machine(c, a->file);
        st = find_lane(c, a->file, machine, &lane, err);
        if (st < 0)
            break;
        lane->drop_count += a->count;
        lane->has_negative |= tm_accounting_reason(a) == TM_DROP_NEGATIVE_TIME;
        if (lane->first_account == UINT32_MAX)
            lane->first_account = i;
    }
    return st;
}

/* Decides whether the wall clock is known at all times of the picture. */
static void settle_wall(struct tm_svg_counts *c)
{
    int64_t ns;
    if (c->catalog->has_trace_time && c->catalog->trace_time_clock == TM_CLOCK_REALTIME)
        c->wall = (struct tm_svg_wall){.is_known = true};
    c->wall.is_known = c->wall.is_known && c->events.has_range &&
                       tm_add_i64(c->events.first_ns, c->wall.offset_ns, &ns) &&
                       tm_add_i64(c->events.last_ns, c->wall.offset_ns, &ns);
}

enum tm_status tm_svg_counts_frame(struct tm_svg_counts *c, const struct tm_frame *frame, struct tm_error *err)
{
    if (frame->type == TM_FRAME_SNAPSHOT)
        return add_snapshot(c, frame, err);
    return frame->type == TM_FRAME_CLOCK_ROW ? add_clock_row(c, frame, err) : TM_OK;
}

enum tm_status tm_svg_counts_finish(struct tm_svg_counts *c, struct tm_error *err)
{
    enum tm_status st = add_placements(c, err);
    settle_wall(c);
    return st < 0 ? st : add_accounts(c, err);
}

void tm_svg_counts_release(struct tm_svg_counts *c)
{
    tm_map_release(&c->lane_of);
    tm_time_bins_release(&c->events);
    tm_time_bins_release(&c->rows);
    for (uint32_t i = 0; i < c->lane_count; i++)
        tm_time_bins_free(c->lanes[i].readings);
    free(c->lanes);
}
