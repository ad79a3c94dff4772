/* svg: the merged timeline as one picture. Reads events once, in any order, and keeps counts for each lane. */
#include "base/checked.h"
#include "emit/outputs.h"
#include "emit/svg/internal.h"
#include "stream/clock_id.h"

#include <stdlib.h>


static enum tm_status open_svg(const struct tm_emit_context *context, void **state, struct tm_error *err)
{
    struct tm_svg *svg = calloc(1, sizeof *svg);
    if (svg == NULL)
        return tm_error_nomem(err);
    *state = svg;
    svg->context = context;
    tm_out_init(&svg->out, context->fd, context->options->out_path);
    return TM_OK;
}

static enum tm_status count_event(struct tm_svg *svg, struct tm_svg_lane *lane, int64_t ns, struct tm_error *err)
{
    if (lane->events == TM_SVG_NONE) {
        uint32_t series = 0;
        if (tm_time_bins_series(&svg->events, &series, err) < 0)
            return TM_E_SYSTEM;
        lane->events = series;
    }
    if (lane->event_count == 0 || ns < lane->first_ns)
        lane->first_ns = ns;
    if (lane->event_count == 0 || ns > lane->last_ns)
        lane->last_ns = ns;
    lane->event_count++;
    svg->event_count++;
    tm_time_bins_add(&svg->events, (uint32_t)lane->events, ns);
    return TM_OK;
}

static enum tm_status add_batch(struct tm_svg *svg, const struct tm_batch *batch, struct tm_error *err)
{
    struct tm_svg_lane *lane = NULL;
    uint32_t last_file = 0, last_machine = 0;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < batch->count && st == TM_OK; i++) {
        uint32_t file = tm_batch_u32(batch, TM_COL_FILE, i), machine = tm_batch_u32(batch, TM_COL_MACHINE, i);
        if (!tm_event_is_counted(tm_batch_u32(batch, TM_COL_FLAGS, i)))
            continue;
        if (lane == NULL || file != last_file || machine != last_machine)
            st = tm_svg_lane(svg, file, machine, &lane, err);
        last_file = file;
        last_machine = machine;
        if (st == TM_OK)
            st = count_event(svg, lane, tm_batch_i64(batch, TM_COL_TIME_NS, i), err);
    }
    return st;
}

static bool is_origin(const Tracemerge__ClockRow *row, const char *origin)
{
    return row->has_origin && row->origin.len == strlen(origin) &&
           memcmp(row->origin.data, origin, row->origin.len) == 0;
}

/* Takes the relation to the wall clock from ROW. The machine of trace time takes precedence. */
static void learn_wall(struct tm_svg *svg, const Tracemerge__ClockRow *row)
{
    const struct tm_catalog *c = svg->context->catalog;
    bool is_trace_times = c->trace_time_has_machine && row->machine == c->trace_time_machine;
    bool is_evidence = is_origin(row, "snapshot") || is_origin(row, "manifest") || is_origin(row, "hint");
    if (row->clock != TM_CLOCK_REALTIME || !is_evidence ||
        (svg->has_wall && (svg->wall_is_trace_times || !is_trace_times)))
        return;
    if (tm_sub_i64(row->value, row->ts_ns, &svg->wall_ns)) {
        svg->has_wall = true;
        svg->wall_is_trace_times = is_trace_times;
    }
}

static enum tm_status count_row(struct tm_svg *svg, struct tm_svg_lane *lane, const Tracemerge__ClockRow *row,
                                struct tm_error *err)
{
    uint32_t series;
    if (lane->rows == TM_SVG_NONE) {
        if (tm_time_bins_series(&svg->rows, &series, err) < 0)
            return TM_E_SYSTEM;
        lane->rows = series;
    } else if (lane->last_row == row->snapshot) {
        return TM_OK;
    }
    lane->last_row = row->snapshot;
    tm_time_bins_add(&svg->rows, (uint32_t)lane->rows, row->ts_ns);
    return TM_OK;
}

static enum tm_status add_clock_row(struct tm_svg *svg, const struct tm_frame *frame, struct tm_error *err)
{
    ProtobufCMessage *message = tm_frame_message(frame, &tracemerge__clock_row__descriptor, err);
    const Tracemerge__ClockRow *row = (const Tracemerge__ClockRow *)message;
    struct tm_svg_lane *lane;
    enum tm_status st = TM_OK;
    if (message == NULL)
        return err->status;
    learn_wall(svg, row);
    if (row->has_file && row->file < svg->context->catalog->file_count &&
        row->machine < svg->context->catalog->machine_count) {
        st = tm_svg_lane(svg, row->file, row->machine, &lane, err);
        if (st == TM_OK)
            st = count_row(svg, lane, row, err);
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
    if (reading && tm_mul_i64(reading->value, reading->unit_multiplier_ns ? (int64_t)reading->unit_multiplier_ns : 1,
                              &ns))
        tm_time_bins_add(lane->readings, 0, ns);
    return TM_OK;
}

static enum tm_status add_snapshot(struct tm_svg *svg, const struct tm_frame *frame, struct tm_error *err)
{
    ProtobufCMessage *message = tm_frame_message(frame, &tracemerge__snapshot__descriptor, err);
    const Tracemerge__Snapshot *snapshot = (const Tracemerge__Snapshot *)message;
    struct tm_svg_lane *lane;
    enum tm_status st = TM_OK;
    if (message == NULL)
        return err->status;
    if (snapshot->file < svg->context->catalog->file_count &&
        snapshot->machine < svg->context->catalog->machine_count) {
        st = tm_svg_lane(svg, snapshot->file, snapshot->machine, &lane, err);
        if (st == TM_OK && !lane->is_rest)
            st = count_snapshot(lane, snapshot, err);
    }
    protobuf_c_message_free_unpacked(message, NULL);
    return st;
}

static enum tm_status show_frame(void *state, const struct tm_frame *frame, const struct tm_batch *batch,
                                 struct tm_error *err)
{
    if (batch)
        return add_batch(state, batch, err);
    if (frame->type == TM_FRAME_SNAPSHOT)
        return add_snapshot(state, frame, err);
    return frame->type == TM_FRAME_CLOCK_ROW ? add_clock_row(state, frame, err) : TM_OK;
}

static enum tm_status add_placements(struct tm_svg *svg, struct tm_error *err)
{
    const struct tm_catalog *c = svg->context->catalog;
    struct tm_svg_lane *lane;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < c->placement_count && st == TM_OK; i++) {
        const Tracemerge__Placement *p = c->placements[i];
        if (p->file >= c->file_count || p->machine >= c->machine_count)
            continue;
        st = tm_svg_lane(svg, p->file, p->machine, &lane, err);
        if (st == TM_OK && (lane->placement == NULL || p->placed_count > lane->placement->placed_count))
            lane->placement = p;
    }
    return st;
}

/* Events dropped before their machine was known are shown in the first lane of their file. */
static uint32_t first_machine(const struct tm_svg *svg, uint32_t file)
{
    for (uint32_t i = 0; i < svg->lane_count; i++)
        if (svg->lanes[i].file == file && svg->lanes[i].has_machine)
            return svg->lanes[i].machine;
    return UINT32_MAX;
}

static enum tm_status add_accounts(struct tm_svg *svg, struct tm_error *err)
{
    const struct tm_catalog *c = svg->context->catalog;
    struct tm_svg_lane *lane;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < c->account_count && st == TM_OK; i++) {
        const Tracemerge__Account *a = c->accounts[i];
        if (tm_accounting_is_bytes(a) || !tm_accounting_is_a_loss(a))
            continue;
        uint32_t machine = a->has_machine && a->machine < c->machine_count ? a->machine : first_machine(svg, a->file);
        st = tm_svg_lane(svg, a->file, machine, &lane, err);
        if (st < 0)
            break;
        lane->drop_count += a->count;
        if (lane->first_account == UINT32_MAX)
            lane->first_account = i;
    }
    return st;
}

static void put_root(struct tm_svg *svg)
{
    tm_out_str(&svg->out, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"");
    tm_out_u64(&svg->out, TM_SVG_WIDTH);
    tm_out_str(&svg->out, "\" height=\"");
    tm_out_i64(&svg->out, svg->height);
    tm_out_str(&svg->out, "\" viewBox=\"0 0 ");
    tm_out_u64(&svg->out, TM_SVG_WIDTH);
    tm_out_char(&svg->out, ' ');
    tm_out_i64(&svg->out, svg->height);
    tm_out_str(&svg->out, "\">\n");
}

static enum tm_status finish_svg(void *state, struct tm_error *err)
{
    struct tm_svg *svg = state;
    const struct tm_catalog *c = svg->context->catalog;
    enum tm_status st = add_placements(svg, err);
    if (st == TM_OK)
        st = add_accounts(svg, err);
    if (st < 0 || (st = tm_svg_arrange(svg, err)) < 0)
        return st;
    if (c->has_trace_time && c->trace_time_clock == TM_CLOCK_REALTIME) {
        svg->has_wall = true;
        svg->wall_ns = 0;
    }
    put_root(svg);
    tm_svg_head(svg);
    tm_svg_axes(svg);
    tm_svg_lanes(svg);
    tm_svg_legend(svg);
    tm_out_str(&svg->out, "</svg>\n");
    return tm_out_flush(&svg->out, err);
}

static void close_svg(void *state)
{
    struct tm_svg *svg = state;
    if (svg) {
        tm_paths_release(&svg->paths);
        tm_out_release(&svg->out);
        tm_map_release(&svg->lane_of);
        tm_time_bins_release(&svg->events);
        tm_time_bins_release(&svg->rows);
        for (uint32_t i = 0; i < svg->lane_count; i++)
            tm_time_bins_free(svg->lanes[i].readings);
        free(svg->lanes);
        free(svg->order);
    }
    free(svg);
}

static const char *const svg_suffixes[] = {".svg", NULL};

const struct tm_emit tm_emit_svg = {
    .name = "svg",
    .suffixes = svg_suffixes,
    .needs_placed = true,
    .open = open_svg,
    .frame = show_frame,
    .finish = finish_svg,
    .close = close_svg,
};
