/* Sampled call stacks: perf_sample and streaming_profile_packet. The stacks are in the sequence's interned data.
 * heap_profile.h has allocations. */
#ifndef TM_FORMAT_PERFETTO_SAMPLE_H
#define TM_FORMAT_PERFETTO_SAMPLE_H

#include "format/perfetto/internal.h"

/* Puts the frames of callstack IID, outermost first, as recorded, into the detail of the next row, up to a number of
 * frames or until the detail is full. The interned data of SEQUENCE has them; if it does not have the callstack, none
 * are put. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_stack_put(struct tm_proto_rows *rows, const struct tm_proto_sequence *sequence, uint64_t iid,
                                  struct tm_error *err);

/* Returns the number of the session of the samples of SEQUENCE, which may be NULL: sequences are numbered when their
 * first sample comes. */
uint64_t tm_proto_sample_session(struct tm_proto_sequences *sequences, struct tm_proto_sequence *sequence);

/* Adds the SAMPLE row of a perf_sample packet. A report of the profiler itself becomes a PACKET, followed by the time
 * at which it stopped, if it did so because of a limit. SEQUENCES numbers the sessions. */
enum tm_status tm_proto_perf_sample_read(struct tm_proto_sequences *sequences, struct tm_proto_rows *rows,
                                         const struct tm_proto_packet *packet, struct tm_error *err);

/* Adds the PACKET row of a streaming_profile_packet, and after it a SAMPLE row, without raw, for each stack. Their
 * times are relative to the thread descriptor's reference, like those of track events with deltas. */
enum tm_status tm_proto_streaming_profile_read(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                               struct tm_error *err);

#endif
