/* Clock ids (doc/rules.md section 5). Source: perfetto/common/builtin_clock.proto.
 *
 * A new builtin clock gets its id here and its name in stream/clock_name.c. If it can be the clock of a whole file, it
 * also gets a ClockPolicy in proto/tm_stream.proto and a line in policy_clock of clocks/clock_file.c. Formats that name
 * clocks choose among the ids in their readers: format/perfetto/ftrace.c, format/perf_data/perf_data.c,
 * format/trace_dat/trace_dat.c. If a manifest may name it, clock_at of manifest/fields.c and
 * tm_clock_has_manifest_name take it too. */
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
    TM_CLOCK_GLOBAL_FIRST = 128   /* from here on ids are global within the machine */
};

/* True if a manifest can name CLOCK. Source: perfetto_manifest(5). */
static inline bool tm_clock_has_manifest_name(uint32_t clock)
{
    return clock >= TM_CLOCK_REALTIME && clock <= TM_CLOCK_BOOTTIME;
}

#endif
