/* The times inside Perfetto packets, apart from the packet's own: which fields they are, and how to
 * write others in their place. The reader lists them as Detail.inner_times, an output that writes raw
 * packets puts back what became of them.
 *
 * Known are (protos/perfetto/trace): process_tree and process_stats and sys_stats collection_end_timestamp,
 * process_start_from_boot, ThreadDescriptor.reference_timestamp_us, android_log
 * events' timestamp, statsd_atom timestamp_nanos, power_rails timestamp_ms, profile_packet's samples,
 * vulkan_memory_event, pixel_modem_events, chrome_events' timestamp, errors and ends of ftrace bundles,
 * gpu_work_period. A time of 0 means none. */
#ifndef TM_PERFETTO_PACKET_TIMES_H
#define TM_PERFETTO_PACKET_TIMES_H

#include "base/buf.h"
#include "stream/event.h"

/* True when a packet whose data is field BODY can have such times. */
bool tm_packet_times_in(uint32_t body);

/* Appends a Detail.inner_times field to DETAIL for each time in RAW (LEN bytes, a TracePacket or a FtraceEvent as
 * KIND says) in order; *COUNT is how many. OWN_CLOCK is the clock of those that are on the packet's. Values are
 * nanoseconds. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_packet_times_collect(enum tm_raw kind, const uint8_t *raw, size_t len, uint32_t own_clock,
                                       struct tm_buf *detail, uint32_t *count);

/* What a time becomes that is written again. */
struct tm_packet_readings {
    /* The reading of CLOCK for TIME_NS of trace time; in the input it was RECORDED_NS. NULL: TIME_NS itself, as for
     * the packet's own clock. */
    int64_t (*reading)(const void *context, uint32_t clock, int64_t recorded_ns, int64_t time_ns);
    const void *context;
};

/* Appends EVENT's raw to OUT with READINGS in place of its times, where the inner_times of its detail were converted;
 * *UNCHANGED is how many were not and stand as recorded. The raw must be what collect saw, but for fields that hold
 * none of the times. TM_OK; TM_E_INPUT when there are other times in it than in the detail; TM_E_SYSTEM. */
enum tm_status tm_packet_times_rewrite(const struct tm_event *event, const struct tm_packet_readings *readings,
                                       struct tm_buf *out, uint32_t *unchanged);

#endif
