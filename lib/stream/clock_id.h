/* Clock ids (doc/rules.md section 5). Source: perfetto/common/builtin_clock.proto.
 *
 * A new builtin clock needs:
 * - its id here, its name in stream/clock_name.c, and both in doc/rules.md section 5;
 * - an id below TM_CONFIG_FACTS_CLOCKS (emit/report/config_facts.h), because each has a bit there;
 * - a decision in clock_name (emit/sqlite/catalog.c), which names only ids up to TM_CLOCK_BOOTTIME;
 * - perfetto/config_fields.c generated again (t/check/typed-fields.py -c), so that a recorded configuration shows it.
 *
 * TM_CLOCK_MONOTONIC_IF_RELATED is no clock: tm-clocks decides which one it means (clocks/clock_route.c).
 *
 * If it can be the clock of a whole file, it also needs a ClockPolicy in proto/tm_stream.proto and a line in
 * policy_clock (clocks/clock_file.c). Formats that name clocks choose among the ids in their readers:
 * format/perfetto/ftrace.c, format/perf_data/perf_data.c, format/trace_dat/trace_dat.c.
 *
 * If a manifest may name it, it also needs:
 * - clock_at (manifest/fields.c): its position in the list of names plus 1 is its id, and a message lists the names;
 * - tm_clock_has_manifest_name, which accepts ids 1 to 6;
 * - doc/perfetto_manifest.schema.json, doc/completions (three files), perfetto_manifest(5), tm-pack(1).
 *
 * A new range of ids, with a scope of its own, needs:
 * - its bounds here, and a function like tm_clock_is_scoped;
 * - its identity: tm_clock_scope_key (clocks/clock_scope.c), and find_common (clocks/fast_path.c), if the sequence
 *   of a row is part of it;
 * - assume_equal (clocks/same_domain.c), which compares ids across files;
 * - the readers of Perfetto traces, which check ids: check_sequence (format/perfetto/clock.c), tm_proto_packet_read
 *   (format/perfetto/packet.c);
 * - the Perfetto output: tm_clock_rows_add (emit/perfetto/clock_rows.c), tm_pftrace_clocks
 *   (emit/perfetto/trace_packets.c).
 * Formats that choose an id of a range: clock_of (format/perfetto/ftrace.c), format/journal/boots.c, shared_clock
 * (format/trace_dat/trace_dat.c). */
#ifndef TM_STREAM_CLOCK_ID_H
#define TM_STREAM_CLOCK_ID_H

#include <stdbool.h>
#include <stdint.h>

enum tm_clock_id {
    TM_CLOCK_NONE = 0,
    TM_CLOCK_REALTIME = 1,
    TM_CLOCK_REALTIME_COARSE = 2,
    TM_CLOCK_MONOTONIC = 3,
    TM_CLOCK_MONOTONIC_COARSE = 4,
    TM_CLOCK_MONOTONIC_RAW = 5,
    TM_CLOCK_BOOTTIME = 6,
    TM_CLOCK_TSC = 9,
    TM_CLOCK_PERF = 10,
    TM_CLOCK_TRACE_FILE = 11,     /* the private timeline of a file */
    TM_CLOCK_SEQUENCE_FIRST = 64, /* from here to SEQUENCE_LAST ids are scoped to a packet sequence */
    TM_CLOCK_SEQUENCE_LAST = 127,
    TM_CLOCK_GLOBAL_FIRST = 128,  /* from here on ids are global within the machine */
    /* only of events before tm-clocks: MONOTONIC if relations so far lead from it to trace time; otherwise the times
     * are trace time as they stand. Nobody names a clock by this number. */
    TM_CLOCK_MONOTONIC_IF_RELATED = 0x7f000003
};

/* True if a manifest can name CLOCK: ids 1 to 6. Source: perfetto_manifest(5). */
static inline bool tm_clock_has_manifest_name(uint32_t clock)
{
    return clock >= TM_CLOCK_REALTIME && clock <= TM_CLOCK_BOOTTIME;
}

/* True if CLOCK is of one packet sequence of one file. */
static inline bool tm_clock_is_scoped(uint32_t clock)
{
    return clock >= TM_CLOCK_SEQUENCE_FIRST && clock <= TM_CLOCK_SEQUENCE_LAST;
}

#endif
