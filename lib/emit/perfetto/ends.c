/* Output pftrace: what stands before and behind the events. */
#include "emit/perfetto/internal.h"

enum { CLOCK_REALTIME_ID = 1, CLOCK_BOOTTIME_ID = 6, BUILTIN_CLOCKS = 64 };

/* The machine whose clock the snapshot is on: the host if it is there (a first packet without an id
 * keeps it from being adopted), else the first. */
static uint32_t snapshot_machine(const struct tm_catalog *c)
{
    for (uint32_t i = 0; i < c->machine_count; i++)
        if (c->machines[i].raw_id == 0)
            return i;
    return 0;
}

static bool put_reading(struct tm_buf *out, uint32_t clock, int64_t value)
{
    size_t mark;
    return tm_pb_begin(out, 1, &mark) == TM_OK && tm_pb_put_varint(out, 1, clock) == TM_OK &&
           tm_pb_put_varint(out, 2, (uint64_t)value) == TM_OK && tm_pb_end(out, mark) == TM_OK;
}

/* The timeline counts as BOOTTIME, which needs no relation between machines; the clock it was
 * merged on reads the same, and REALTIME keeps the date. */
enum tm_status tm_pftrace_snapshot(struct pftrace *p, struct tm_error *err)
{
    const struct tm_catalog *c = p->context->catalog;
    struct tm_buf *out = &p->packets.out;
    int64_t at_ns = p->has_wall ? p->wall_ns : 0;
    uint32_t clock = c->has_trace_time && c->trace_time_clock < BUILTIN_CLOCKS ? c->trace_time_clock
                                                                               : CLOCK_BOOTTIME_ID;
    size_t mark;
    enum tm_status st = tm_packet_begin(&p->packets, snapshot_machine(c), err);
    if (st < 0)
        return st;
    bool good = tm_pb_begin(out, TM_PACKET_CLOCK_SNAPSHOT, &mark) == TM_OK &&
                put_reading(out, CLOCK_BOOTTIME_ID, at_ns);
    if (clock != CLOCK_BOOTTIME_ID && clock != 11) /* TRACE_FILE means nothing outside its file */
        good = good && put_reading(out, clock, at_ns);
    if (p->has_wall && clock != CLOCK_REALTIME_ID)
        good = good && put_reading(out, CLOCK_REALTIME_ID, p->wall_value);
    good = good && tm_pb_put_varint(out, 2, CLOCK_BOOTTIME_ID) == TM_OK && tm_pb_end(out, mark) == TM_OK;
    return good ? tm_packet_end(&p->packets, err) : tm_error_nomem(err);
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
                            tm_pb_put_bytes(out, 17, c->machines[i].name.data, c->machines[i].name.len) != TM_OK ||
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
    bool of_trace_time = c->has_trace_time && c->trace_time_has_machine && row->machine == c->trace_time_machine;
    if (row->clock == CLOCK_REALTIME_ID && row->ts_ns >= 0 && (!p->has_wall || of_trace_time)) {
        if (!p->has_wall || row->ts_ns < p->wall_ns || of_trace_time) {
            p->wall_ns = row->ts_ns;
            p->wall_value = row->value;
        }
        p->has_wall = true;
    }
    tracemerge__clock_row__free_unpacked(row, NULL);
    return TM_OK;
}

enum tm_status tm_pftrace_inexpressible(struct pftrace *p, struct tm_error *err)
{
    static const char key[] = "tracemerge.events_without_perfetto_form";
    struct tm_buf *out = &p->packets.out;
    size_t attributes, attribute;
    if (p->tracks.inexpressible == 0)
        return TM_OK;
    enum tm_status st = tm_packet_begin(&p->packets, snapshot_machine(p->context->catalog), err);
    if (st < 0)
        return st;
    if (tm_pb_begin(out, TM_PACKET_TRACE_ATTRIBUTES, &attributes) != TM_OK ||
        tm_pb_begin(out, 1, &attribute) != TM_OK || tm_pb_put_bytes(out, 1, key, sizeof key - 1) != TM_OK ||
        tm_pb_put_varint(out, 2, p->tracks.inexpressible) != TM_OK || tm_pb_end(out, attribute) != TM_OK ||
        tm_pb_end(out, attributes) != TM_OK)
        return tm_error_nomem(err);
    return tm_packet_end(&p->packets, err);
}
