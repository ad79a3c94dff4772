/* Messages of logs as AndroidLogPacket, one packet a message: what a viewer lists as Android logs. */
#ifndef TM_EMIT_PERFETTO_LOG_WRITER_H
#define TM_EMIT_PERFETTO_LOG_WRITER_H

#include "emit/perfetto/packet_writer.h"

/* EVENT is a LOG row on trace time. Readers take the time of an AndroidLogPacket from a reading of REALTIME; where the
 * trace does not say that clock of the machine, the message is a SystemdJournaldEvent, whose time is the packet's. The
 * arguments are not in the packet, but for a uid that is a number. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_log_write(struct tm_packet_writer *writer, const struct tm_event *event, struct tm_error *err);

#endif
