/* A cache of track events: packets that differ from an earlier one only in their time.
 *
 * Most packets of most traces are slices that begin and end over and over. Writers put the timestamp first; the bytes
 * after it are often those of an earlier packet of the sequence. While the sequence's state is unchanged, equal bytes
 * mean the same: the row is that of the earlier packet, with another time and position. Only extra counter values,
 * which may be relative to earlier ones, are read again. */
#ifndef TM_FORMAT_PERFETTO_PACKET_CACHE_H
#define TM_FORMAT_PERFETTO_PACKET_CACHE_H

#include "format/perfetto/track_event.h"

/* Adds the rows of the packet in the LEN bytes at DATA if the cache has a packet like it. TM_OK; TM_END: it has none,
 * and nothing was done; TM_E_SYSTEM. */
enum tm_status tm_packet_cache_read(struct tm_proto *p, const uint8_t *data, size_t len, struct tm_error *err);

/* Adds the rows of packets at the front of the input while the cache has packets like them, within the LEN bytes of the
 * window. Consumes these packets. TM_OK, also if there were none; TM_E_SYSTEM. */
enum tm_status tm_packet_cache_pass(struct tm_proto *p, size_t len, struct tm_error *err);

/* Remembers ROW, just added, and its extra counter values as the result of CONTEXT's packet. The packet must have been
 * read completely, with nothing to be counted (count.h). Does nothing if the row does not follow from the packet's
 * bytes and its sequence's state, if the packet is too long or does not begin with its time, or if its bytes are seen
 * for the first time. */
void tm_packet_cache_note(struct tm_proto *p, const struct tm_proto_track_context *context,
                          const struct tm_event *row);

/* CACHE may be NULL. */
void tm_packet_cache_free(struct tm_packet_cache *cache);

#endif
