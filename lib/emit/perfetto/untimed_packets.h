/* Recorded packets without a time. A reader places such a packet at the latest time that it has seen. For example,
 * symbols name the frames of earlier samples. tm-sort puts such packets before all events, so they are pending here
 * until the time that tm-clocks gave them. These times never decrease, so the first packet is always the next. Memory:
 * the first packet and a few MiB of the others; the rest is in a temporary file. */
#ifndef TM_EMIT_PERFETTO_UNTIMED_PACKETS_H
#define TM_EMIT_PERFETTO_UNTIMED_PACKETS_H

#include "base/buf.h"
#include "os/paged_file.h"
#include "stream/event.h"

/* Zero-initialise. */
struct tm_untimed_packets {
    const char *dir; /* for the temporary file; borrowed; NULL: the folder of tm_io_temporary */
    struct tm_event next; /* the first one, if has_next; its payload is in next_bytes */
    bool has_next;
    /* private */
    struct tm_buf next_bytes;
    struct tm_paged_file others;
    uint64_t begin, end; /* extent of the others */
};

/* True if EVENT, a row with a raw packet, must be pending. */
bool tm_untimed_packets_accept(const struct tm_event *event);

/* Adds a copy of EVENT after all pending packets. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_untimed_packets_add(struct tm_untimed_packets *packets, const struct tm_event *event,
                                      struct tm_error *err);

/* Removes the first packet; the next one takes its place. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_untimed_packets_pop(struct tm_untimed_packets *packets, struct tm_error *err);

/* Returns the time at which the first pending packet takes effect; INT64_MAX: none is pending. */
static inline int64_t tm_untimed_packets_next_ns(const struct tm_untimed_packets *packets)
{
    return packets->has_next ? packets->next.time_ns : INT64_MAX;
}

void tm_untimed_packets_release(struct tm_untimed_packets *packets);

#endif
