/* Writes descriptors of default tracks: of the tracks that later files of a machine have for events that name none, and
 * of the machine's default track, which is that of its first file (default_owners.h). */
#ifndef TM_EMIT_PERFETTO_DEFAULT_DESCRIPTORS_H
#define TM_EMIT_PERFETTO_DEFAULT_DESCRIPTORS_H

#include "emit/perfetto/packet_writer.h"

/* Notes that track UUID of EVENT's machine has a descriptor; 0 is the machine's default track. TM_OK: it had none;
 * TM_END: it had one; TM_E_SYSTEM. */
enum tm_status tm_default_descriptors_note(struct tm_packet_writer *writer, const struct tm_event *event, uint64_t uuid,
                                           struct tm_error *err);

/* Describes the own default track of EVENT's file once, with the name that readers give to the machine's. TM_OK or
 * TM_E_SYSTEM, as the function below. */
enum tm_status tm_default_descriptors_put_own(struct tm_packet_writer *writer, const struct tm_event *event,
                                              struct tm_error *err);

/* Describes the default track of EVENT's machine by what EVENT, the descriptor of a default track, says of the order of
 * processes and threads. Writes nothing if it says nothing. */
enum tm_status tm_default_descriptors_put_orderings(struct tm_packet_writer *writer, const struct tm_event *event,
                                                    struct tm_error *err);

#endif
