/* Track events that differ from one before them in their time alone.
 *
 * Most packets of most traces are slices that begin and end again and again: after the timestamp, which writers put
 * first, such a packet has bytes that another of its sequence had. What they mean was found then, and while the
 * sequence's state is the same they mean it again: the row is that row, with another time and position. Only extra
 * counter values, which may add to those before them, are read anew. */
#ifndef TM_FORMAT_PERFETTO_PACKET_CACHE_H
#define TM_FORMAT_PERFETTO_PACKET_CACHE_H

#include "format/perfetto/track_event.h"

/* Adds the rows of the packet in the LEN bytes at DATA if the cache has a packet like it. TM_OK; TM_END: it has none,
 * and nothing was done; TM_E_SYSTEM. */
enum tm_status tm_packet_cache_read(struct tm_proto *p, const uint8_t *data, size_t len, struct tm_error *err);

/* Adds the rows of packets at the front of the input while the cache has packets like them, within the LEN bytes of the
 * window, and takes these packets off. TM_OK, also if there were none; TM_E_SYSTEM. */
enum tm_status tm_packet_cache_pass(struct tm_proto *p, size_t len, struct tm_error *err);

/* Remembers what CONTEXT's packet became: ROW, just added, and rows for extra counter values where it has some. It must
 * have been read whole, with nothing to be counted (count.h). Does nothing where what it became does not follow from
 * its bytes and its sequence's state, where it is too long or its time does not come first, or when it was not seen
 * before. */
void tm_packet_cache_note(const struct tm_proto_track_context *context, const struct tm_event *row);

#endif
