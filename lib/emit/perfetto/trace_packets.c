/* Output pftrace: packets about the whole trace, before and after the events. */
#include "emit/perfetto/internal.h"

#include "perfetto/message_fields.h"
#include "stream/field_text.h"
#include "stream/placement_rule.h"
#include "stream/clock_id.h"

/* Returns the machine of the first packet: the host if it has data, otherwise the first. The host's packet, which has
 * no id, prevents the adoption of another machine. */
static uint32_t snapshot_machine(const struct tm_catalog *c)
{
    for (uint32_t i = 0; i < c->machine_count; i++)
        if (c->machines[i].raw_id == 0)
            return i;
    return 0;
}

/* Trace time is BOOTTIME of every machine, and the trace-time clock of its machine. */
enum tm_status tm_pftrace_clocks(struct pftrace *p, struct tm_error *err)
{
    const struct tm_catalog *c = p->context->catalog;
    struct tm_clock_rows *clocks = &p->clocks;
    clocks->home = clocks->trace = snapshot_machine(c);
    if (c->has_trace_time && c->trace_time_has_machine && c->trace_time_machine < c->machine_count)
        clocks->trace = c->trace_time_machine;
    bool is_builtin = c->has_trace_time && c->trace_time_clock < TM_CLOCK_SEQUENCE_FIRST;
    clocks->trace_clock = is_builtin ? c->trace_time_clock : TM_CLOCK_BOOTTIME;
    if (tm_clock_rows_settle(clocks) != TM_OK)
        return tm_error_nomem(err);
    for (uint32_t i = 0; i < clocks->left_out_count; i++)
        if (clocks->left_out[i].source != UINT32_MAX)
            tm_unsupported_counts_add(p->context->unsupported, clocks->left_out[i].source, TM_UNSUPPORTED_READINGS, 1);
    p->packets.clocks = clocks;
    return tm_snapshots_write(&p->packets, clocks, err);
}

enum tm_status tm_pftrace_machine_names(struct pftrace *p, struct tm_error *err)
{
    const struct tm_catalog *c = p->context->catalog;
    struct tm_buf *out = &p->packets.out;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < c->machine_count && st == TM_OK; i++) {
        size_t mark;
        if (c->machines[i].name.data == NULL)
            continue;
        st = tm_packet_begin(&p->packets, i, err);
        if (st == TM_OK && (tm_pb_begin(out, TM_PACKET_SYSTEM_INFO, &mark) != TM_OK ||
                            tm_pb_put_bytes(out, TM_SYSTEM_INFO_MACHINE_NAME, c->machines[i].name.data,
                                            c->machines[i].name.len) != TM_OK ||
                            tm_pb_end(out, mark) != TM_OK))
            st = tm_error_nomem(err);
        if (st == TM_OK)
            st = tm_packet_end(&p->packets, err);
    }
    return st;
}

enum tm_status tm_pftrace_note_clock(struct pftrace *p, const struct tm_frame *frame, struct tm_error *err)
{
    const struct tm_catalog *c = p->context->catalog;
    Tracemerge__ClockRow *row =
        (Tracemerge__ClockRow *)tm_frame_message(frame, &tracemerge__clock_row__descriptor, err);
    if (row == NULL)
        return err->status;
    bool is_recorded = !row->has_origin || tm_placement_rule_of(tm_text_of(row->origin)) == TM_RULE_SNAPSHOT;
    bool has_file = row->has_file && row->file < c->file_count;
    struct tm_clock_row added = {.ts_ns = row->ts_ns,
                                 .value = row->value,
                                 .machine = row->machine,
                                 .clock = row->clock,
                                 .snapshot = row->snapshot,
                                 .file = has_file ? c->files[row->file].processing_order : UINT32_MAX,
                                 .source = has_file ? row->file : UINT32_MAX,
                                 .is_edge = !is_recorded,
                                 .is_unrelated = row->unrelated};
    tracemerge__clock_row__free_unpacked(row, NULL);
    enum tm_status st = tm_clock_rows_add(&p->clocks, added);
    if (st == TM_END && has_file)
        tm_unsupported_counts_add(p->context->unsupported, added.source, TM_UNSUPPORTED_SURPLUS, 1);
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

enum tm_status tm_pftrace_unsupported(struct pftrace *p, struct tm_error *err)
{
    static const char key[] = "tracemerge.events_without_perfetto_form";
    struct tm_buf *out = &p->packets.out;
    size_t attributes, attribute;
    if (p->tracks.unsupported_count == 0)
        return TM_OK;
    enum tm_status st = tm_packet_begin(&p->packets, snapshot_machine(p->context->catalog), err);
    if (st < 0)
        return st;
    if (tm_pb_begin(out, TM_PACKET_TRACE_ATTRIBUTES, &attributes) != TM_OK ||
        tm_pb_begin(out, TM_ATTRIBUTES_ATTRIBUTE, &attribute) != TM_OK ||
        tm_pb_put_bytes(out, TM_ATTRIBUTE_KEY, key, sizeof key - 1) != TM_OK ||
        tm_pb_put_varint(out, TM_ATTRIBUTE_INT, p->tracks.unsupported_count) != TM_OK ||
        tm_pb_end(out, attribute) != TM_OK ||
        tm_pb_end(out, attributes) != TM_OK)
        return tm_error_nomem(err);
    return tm_packet_end(&p->packets, err);
}
