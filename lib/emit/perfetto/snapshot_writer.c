#include "emit/perfetto/snapshot_writer.h"

/* Field numbers of perfetto/trace/clock_snapshot.proto and remote_clock_sync.proto. */
enum {
    REMOTE_CLOCK_SYNC = 107, /* field of TracePacket */
    SNAPSHOT_CLOCKS = 1,
    SNAPSHOT_PRIMARY = 2,
    CLOCK_ID = 1,
    CLOCK_READING = 2,
    SYNC_ROUNDS = 1,
    ROUND_CLIENT = 2,
    ROUND_HOST = 3
};

/* A packet being written. After an error (not GOOD) nothing more is put into it. */
struct snapshot {
    struct tm_packet_writer *packets;
    const struct tm_clock_rows *clocks;
    uint32_t machine;
    size_t mark;
    bool good;
};

static void put_reading(struct snapshot *s, uint32_t clock, int64_t value)
{
    struct tm_buf *out = &s->packets->out;
    size_t mark;
    s->good = s->good && tm_pb_begin(out, SNAPSHOT_CLOCKS, &mark) == TM_OK &&
              tm_pb_put_varint(out, CLOCK_ID, clock) == TM_OK &&
              tm_pb_put_varint(out, CLOCK_READING, (uint64_t)value) == TM_OK && tm_pb_end(out, mark) == TM_OK;
}

static enum tm_status begin(struct snapshot *s, struct tm_packet_writer *packets, const struct tm_clock_rows *clocks,
                            uint32_t machine, struct tm_error *err)
{
    *s = (struct snapshot){.packets = packets, .clocks = clocks, .machine = machine};
    enum tm_status st = tm_packet_begin(packets, machine, err);
    s->good = st == TM_OK && tm_pb_begin(&packets->out, TM_PACKET_CLOCK_SNAPSHOT, &s->mark) == TM_OK;
    return st;
}

/* Ends the snapshot. PRIMARY: its primary_trace_clock; 0: none. */
static enum tm_status end(struct snapshot *s, uint32_t primary, struct tm_error *err)
{
    struct tm_buf *out = &s->packets->out;
    s->good = s->good && (primary == 0 || tm_pb_put_varint(out, SNAPSHOT_PRIMARY, primary) == TM_OK) &&
              tm_pb_end(out, s->mark) == TM_OK;
    return s->good ? tm_packet_end(s->packets, err) : tm_error_nomem(err);
}

/* Puts the readings that accompany those of a snapshot: BOOTTIME, which reads trace time. On machines without the
 * trace-time clock also TRACE_FILE, because a snapshot with it does not make BOOTTIME the trace-time clock. */
static void put_trace_time(struct snapshot *s, int64_t ts_ns)
{
    put_reading(s, TM_CLOCK_BOOTTIME, ts_ns);
    if (s->machine != s->clocks->trace)
        put_reading(s, TM_CLOCK_TRACE_FILE, ts_ns);
}

static uint32_t primary_of(const struct snapshot *s)
{
    return s->machine == s->clocks->trace ? s->clocks->trace_clock : 0;
}

/* Writes row ROW of all columns of the group that begins at PLACE of by_group. */
static enum tm_status write_group_row(struct tm_packet_writer *packets, const struct tm_clock_rows *clocks,
                                      uint32_t place, uint32_t row, struct tm_error *err)
{
    const struct tm_clock_column *first = &clocks->columns[clocks->by_group[place]];
    struct snapshot s;
    enum tm_status st = begin(&s, packets, clocks, first->machine, err);
    if (st < 0)
        return st;
    put_trace_time(&s, clocks->rows[first->first + row].ts_ns);
    for (uint32_t i = place; i < clocks->column_count; i++) {
        const struct tm_clock_column *c = &clocks->columns[clocks->by_group[i]];
        if (c->group != first->group)
            break;
        put_reading(&s, c->clock, clocks->rows[c->first + row].value);
    }
    return end(&s, primary_of(&s), err);
}

/* Returns the number of the column's first rows that were read before anything related the machine. */
static uint32_t unrelated_count(const struct tm_clock_rows *clocks, const struct tm_clock_column *column)
{
    uint32_t n = 0;
    while (n < column->count && clocks->rows[column->first + n].is_unrelated)
        n++;
    return n;
}

/* Writes the rows of MACHINE's groups: those that come before its relation to the home machine, or the others. */
static enum tm_status write_groups(struct tm_packet_writer *packets, const struct tm_clock_rows *clocks,
                                   uint32_t machine, bool are_unrelated, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = tm_clock_rows_first_column(clocks, machine); i < clocks->column_count && st == TM_OK; i++) {
        const struct tm_clock_column *c = &clocks->columns[clocks->by_group[i]];
        if (c->machine != machine)
            break;
        if (i > 0 && clocks->columns[clocks->by_group[i - 1]].group == c->group)
            continue;
        uint32_t unrelated = unrelated_count(clocks, c), end = are_unrelated ? unrelated : c->count;
        for (uint32_t row = are_unrelated ? 0 : unrelated; row < end && st == TM_OK; row++)
            st = write_group_row(packets, clocks, i, row, err);
    }
    return st;
}

/* Writes the lone rows of MACHINE: times, or readings that readers place by the columns. */
static enum tm_status write_lone(struct tm_packet_writer *packets, const struct tm_clock_rows *clocks, uint32_t machine,
                                 struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = tm_clock_rows_first_lone(clocks, machine); i < clocks->lone_count && st == TM_OK; i++) {
        const struct tm_clock_row *row = &clocks->lone[i];
        bool is_time = row->clock == TM_CLOCK_BOOTTIME;
        struct snapshot s;
        if (row->machine != machine)
            break;
        if ((st = begin(&s, packets, clocks, machine, err)) < 0)
            return st;
        if (is_time)
            put_trace_time(&s, row->ts_ns);
        else
            put_reading(&s, row->clock, row->value);
        st = end(&s, is_time ? primary_of(&s) : 0, err);
    }
    return st;
}

/* Relates MACHINE's BOOTTIME to the home machine's: rounds of a synchronization that took no time and found no
 * difference. So readers assume nothing else, such as equal wall clocks. */
static enum tm_status relate(struct tm_packet_writer *packets, uint32_t machine, struct tm_error *err)
{
    struct tm_buf *out = &packets->out;
    struct snapshot s = {.packets = packets};
    enum tm_status st = tm_packet_begin(packets, machine, err);
    if (st < 0)
        return st;
    s.good = tm_pb_begin(out, REMOTE_CLOCK_SYNC, &s.mark) == TM_OK;
    for (int round = 0; round < 2 && s.good; round++) {
        size_t whole, side;
        s.good = tm_pb_begin(out, SYNC_ROUNDS, &whole) == TM_OK && tm_pb_begin(out, ROUND_CLIENT, &side) == TM_OK;
        put_reading(&s, TM_CLOCK_BOOTTIME, TM_CLOCK_RELATED_NS);
        s.good = s.good && tm_pb_end(out, side) == TM_OK && tm_pb_begin(out, ROUND_HOST, &side) == TM_OK;
        put_reading(&s, TM_CLOCK_BOOTTIME, TM_CLOCK_RELATED_NS);
        s.good = s.good && tm_pb_end(out, side) == TM_OK && tm_pb_end(out, whole) == TM_OK;
    }
    s.good = s.good && tm_pb_end(out, s.mark) == TM_OK;
    return s.good ? tm_packet_end(packets, err) : tm_error_nomem(err);
}

static enum tm_status write_rows(struct tm_packet_writer *packets, const struct tm_clock_rows *clocks, uint32_t machine,
                                 struct tm_error *err)
{
    enum tm_status st = write_groups(packets, clocks, machine, false, err);
    return st < 0 ? st : write_lone(packets, clocks, machine, err);
}

/* Makes CLOCK of MACHINE the reader's trace time, and its default. */
static enum tm_status claim(struct tm_packet_writer *packets, const struct tm_clock_rows *clocks, uint32_t machine,
                            uint32_t clock, struct tm_error *err)
{
    struct snapshot s;
    enum tm_status st = begin(&s, packets, clocks, machine, err);
    if (st < 0)
        return st;
    put_reading(&s, TM_CLOCK_BOOTTIME, 0);
    if (clock != TM_CLOCK_BOOTTIME)
        put_reading(&s, clock, 0);
    return end(&s, clock, err);
}

/* True if a snapshot of MACHINE with CLOCK will be written. */
static bool has_snapshots(const struct tm_clock_rows *clocks, uint32_t machine, uint32_t clock)
{
    for (uint32_t i = 0; i < clocks->column_count; i++)
        if (clocks->columns[i].machine == machine && (clock == TM_CLOCK_BOOTTIME || clocks->columns[i].clock == clock))
            return true;
    for (uint32_t i = 0; i < clocks->lone_count; i++)
        if (clocks->lone[i].machine == machine && clocks->lone[i].clock == clock)
            return true;
    return false;
}

/* Writes the rows of the trace-time machine, which claims trace time. */
static enum tm_status write_trace_machine(struct tm_packet_writer *packets, const struct tm_clock_rows *clocks,
                                          struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (!has_snapshots(clocks, clocks->trace, clocks->trace_clock))
        st = claim(packets, clocks, clocks->trace, clocks->trace_clock, err);
    return st < 0 ? st : write_rows(packets, clocks, clocks->trace, err);
}

/* Other machines take over the home machine's default clock, and a relation's other side is the machine of the current
 * trace-time clock. So if the trace-time clock is not the home machine's BOOTTIME, it becomes trace time only after all
 * machines are related; BOOTTIME is trace time until then. */
enum tm_status tm_snapshots_write(struct tm_packet_writer *packets, const struct tm_clock_rows *clocks,
                                  struct tm_error *err)
{
    bool is_early = clocks->trace == clocks->home &&
                    (packets->machine_count == 1 || clocks->trace_clock == TM_CLOCK_BOOTTIME);
    enum tm_status st = is_early ? write_trace_machine(packets, clocks, err)
                                 : claim(packets, clocks, clocks->home, TM_CLOCK_BOOTTIME, err);
    for (uint32_t i = 0; i < packets->machine_count && st == TM_OK; i++) {
        if (i == clocks->home)
            continue;
        st = write_groups(packets, clocks, i, true, err);
        if (st == TM_OK)
            st = relate(packets, i, err);
    }
    if (st == TM_OK && !is_early)
        st = write_trace_machine(packets, clocks, err);
    for (uint32_t i = 0; i < packets->machine_count && st == TM_OK; i++)
        if (i != clocks->trace)
            st = write_rows(packets, clocks, i, err);
    return st;
}

/* Writes a snapshot that has only a reading of CLOCK. */
static enum tm_status write_reading(struct tm_packet_writer *packets, const struct tm_clock_rows *clocks,
                                    uint32_t clock, int64_t value, struct tm_error *err)
{
    struct snapshot s;
    enum tm_status st = begin(&s, packets, clocks, clocks->trace, err);
    if (st < 0)
        return st;
    put_reading(&s, clock, value);
    return end(&s, 0, err);
}

/* Makes readers stop using CLOCK as a source of times, as they do if it runs backwards in snapshots of one kind. The
 * kind here has only this clock, and the first of the two readings was written before. */
static enum tm_status disable_clock(struct tm_packet_writer *packets, const struct tm_clock_rows *clocks,
                                    uint32_t clock, struct tm_error *err)
{
    const struct tm_clock_row *last = tm_clock_rows_last(clocks, clocks->trace, clock);
    if (last == NULL || last->value == INT64_MIN)
        return TM_OK;
    enum tm_status st = write_reading(packets, clocks, clock, last->value, err);
    return st < 0 ? st : write_reading(packets, clocks, clock, last->value - 1, err);
}

enum tm_status tm_snapshots_finish(struct tm_packet_writer *packets, const struct tm_clock_rows *clocks,
                                   struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < clocks->contradicting_count && st == TM_OK; i++) {
        const struct tm_clock_row *row = &clocks->contradicting[i];
        struct snapshot s;
        if (row->clock == TM_CLOCK_MONOTONIC && packets->has_input_events) {
            if (row->source != UINT32_MAX)
                tm_unsupported_counts_add(packets->unsupported, row->source, TM_UNSUPPORTED_READINGS, 1);
            continue;
        }
        if (i == 0 || row->clock != clocks->contradicting[i - 1].clock)
            st = disable_clock(packets, clocks, row->clock, err);
        if (st < 0 || (st = begin(&s, packets, clocks, row->machine, err)) < 0)
            return st;
        put_reading(&s, row->clock, row->value);
        put_trace_time(&s, row->ts_ns);
        if (clocks->trace_clock != TM_CLOCK_BOOTTIME)
            put_reading(&s, clocks->trace_clock, row->ts_ns);
        st = end(&s, primary_of(&s), err);
    }
    return st;
}
