/* State of trusted packet sequences: generations, defaults, interned data. The rules are those of perfetto's
 * packet_sequence_state_builder and incremental_state: a sequence starts without valid state,
 * SEQ_INCREMENTAL_STATE_CLEARED begins an interval, a lost packet ends its validity. */
#ifndef TM_FORMAT_PERFETTO_SEQUENCE_H
#define TM_FORMAT_PERFETTO_SEQUENCE_H

#include "format/perfetto/internal.h"

/* Finds or makes the sequence (MACHINE, ID). Valid until the next find. TM_E_INPUT: the limit is exceeded. */
enum tm_status tm_proto_sequence_find(struct tm_proto_sequences *sequences, uint32_t machine, uint32_t id,
                                      struct tm_proto_sequence **sequence, struct tm_error *err);

/* Clears the incremental state: begins a generation without defaults and interned data. */
void tm_proto_sequence_clear(struct tm_proto_sequences *sequences, struct tm_proto_sequence *sequence);

/* Assigns a generation to SEQUENCE if it has none. TM_OK or an error. */
enum tm_status tm_proto_sequence_begin_generation(struct tm_proto_sequence *sequence, struct tm_proto_rows *rows,
                                                  struct tm_error *err);

/* Notes that a packet was lost before PACKET: the state is not valid until the next clearing. Heap profiles start anew.
 * So that they do in a merged trace too, a sequence that has them gets a new generation, with the same defaults and
 * interned data. TM_OK or an error, also if new generations repeat too much (TM_PROTO_REPEATED_BYTES_FREE). */
enum tm_status tm_proto_sequence_lose(struct tm_proto_sequences *sequences, struct tm_proto_rows *rows,
                                      const struct tm_proto_packet *packet, struct tm_error *err);

/* Takes over PACKET's trace_packet_defaults. Begins a new generation if they differ from those that rows of the current
 * one had. Adds the SEQUENCE_STATE row, with the interned data that stays valid in a new generation. TM_E_INPUT also if
 * new generations repeat too much (TM_PROTO_REPEATED_BYTES_FREE). */
enum tm_status tm_proto_sequence_defaults(struct tm_proto_sequences *sequences, struct tm_proto_rows *rows,
                                          struct tm_proto_packet *packet, struct tm_error *err);

/* Takes over PACKET's interned_data and adds the SEQUENCE_STATE row. If the state is not valid, only counts this as a
 * statistic. */
enum tm_status tm_proto_sequence_intern(struct tm_proto_sequences *sequences, struct tm_proto_rows *rows,
                                        struct tm_proto_packet *packet, struct tm_error *err);

/* Makes the message in FIELD findable by its number. Its bytes are at OFFSET of SEQUENCE's interned bytes. Of two
 * messages with one number the first counts. TM_OK; TM_END: it has no number; TM_E_INPUT: SEQUENCE has more than
 * TM_PROTO_INTERNED_MAX messages; TM_E_SYSTEM. */
enum tm_status tm_proto_interned_index(struct tm_proto_sequence *sequence, const struct tm_pb_field *field,
                                       size_t offset, struct tm_error *err);

/* Finds the interned message (FIELD, IID), borrowed until the sequence changes. False: there is none. */
bool tm_proto_interned_find(const struct tm_proto_sequence *sequence, uint32_t field, uint64_t iid,
                            const uint8_t **data, size_t *len);

/* Returns field 2 of the interned message (FIELD, IID), where most messages have their string. Its data is NULL if
 * there is no such message. */
struct tm_pb_field tm_proto_interned_text(const struct tm_proto_sequence *sequence, uint32_t field, uint64_t iid);

/* Sets *STRING to the string number of field 2 of the interned message of ENTRY, which is in SEQUENCE's interned_index
 * and keeps the number. TM_OK or an error. */
enum tm_status tm_proto_interned_string(struct tm_proto_rows *rows, const struct tm_proto_sequence *sequence,
                                        struct tm_proto_map_entry *entry, uint32_t *string, struct tm_error *err);

void tm_proto_sequences_release(struct tm_proto_sequences *sequences);

#endif
