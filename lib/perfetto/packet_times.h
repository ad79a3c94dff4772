/* The inner times of Perfetto packets: the fields that hold a time other than the packet's own, and how to rewrite
 * them. The reader lists them as Detail.inner_times. An output that writes raw packets puts the converted times in
 * their place.
 *
 * Known fields (protos/perfetto/trace): collection_end_timestamp of process_tree, process_stats and sys_stats,
 * process_start_from_boot, ThreadDescriptor.reference_timestamp_us, timestamp of android_log events, statsd_atom
 * timestamp_nanos, power_rails timestamp_ms, the samples of profile_packet, vulkan_memory_event, pixel_modem_events,
 * timestamp of chrome_events, errors and ends of ftrace bundles, gpu_work_period, events of firmware. A time of 0 means
 * none, except for ends of bundles and firmware. */
#ifndef TM_PERFETTO_PACKET_TIMES_H
#define TM_PERFETTO_PACKET_TIMES_H

#include "base/buf.h"
#include "base/text.h"
#include "stream/event.h"

/* True when a packet whose data is field BODY can have such times. */
bool tm_packet_times_in(uint32_t body);

/* Appends a Detail.inner_times field to DETAIL for each inner time in RAW, in order. RAW is a TracePacket or a
 * FtraceEvent, as KIND says. *COUNT is the number of times. OWN_CLOCK is the clock of the times that
 * are on the packet's clock. Values are nanoseconds. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_packet_times_collect(enum tm_raw kind, struct tm_text raw, uint32_t own_clock, struct tm_buf *detail,
                                       uint32_t *count);

/* How to compute the value of a converted time. */
struct tm_packet_readings {
    /* The reading of CLOCK for TIME_NS of trace time. RECORDED_NS is the reading in the input. A NULL function means
     * TIME_NS itself, as for the packet's own clock. */
    int64_t (*reading)(const void *context, uint32_t clock, int64_t recorded_ns, int64_t time_ns);
    const void *context;
};

/* Appends the raw bytes of EVENT to OUT. The inner times that were converted are replaced by their READINGS. *UNCHANGED
 * counts those that were not converted and stay as recorded. The raw bytes must be those that tm_packet_times_collect
 * read; only fields without inner times may differ. TM_OK; TM_E_INPUT if the times in them are not those of the detail;
 * TM_E_SYSTEM. */
enum tm_status tm_packet_times_rewrite(const struct tm_event *event, const struct tm_packet_readings *readings,
                                       struct tm_buf *out, uint32_t *unchanged);

#endif
