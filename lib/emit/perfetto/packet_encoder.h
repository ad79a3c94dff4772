/* A thread that encodes packets while the caller decides what the next ones are. */
#ifndef TM_EMIT_PERFETTO_PACKET_ENCODER_H
#define TM_EMIT_PERFETTO_PACKET_ENCODER_H

#include "emit/perfetto/packet_drafts.h"

struct tm_packet_encoder;

/* Starts a thread that puts packets into SINK, which must outlive it and which nothing else may use meanwhile. NULL if
 * no thread can be started. */
struct tm_packet_encoder *tm_packet_encoder_new(struct tm_packet_sink *sink);

/* Waits, if the thread has as much as it can, until it has encoded half of it. Then hands over BYTES and DRAFTS, which
 * belong together. Both are then empty and have other memory. TM_OK, or the error of what was put before; then only
 * free may follow. */
enum tm_status tm_packet_encoder_put(struct tm_packet_encoder *encoder, struct tm_buf *bytes,
                                     struct tm_packet_drafts *drafts, struct tm_error *err);

/* Waits until everything is in the sink. Status and errors are those of tm_packet_encoder_put. */
enum tm_status tm_packet_encoder_wait(struct tm_packet_encoder *encoder, struct tm_error *err);

/* Ends the thread once it has encoded what was put. ENCODER may be NULL. */
void tm_packet_encoder_free(struct tm_packet_encoder *encoder);

#endif
