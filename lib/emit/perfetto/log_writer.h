/* Messages of logs as AndroidLogPackets, one for each message. Viewers list them as Android logs. */
#ifndef TM_EMIT_PERFETTO_LOG_WRITER_H
#define TM_EMIT_PERFETTO_LOG_WRITER_H

#include "emit/perfetto/packet_writer.h"

/* Writes EVENT, a LOG row on trace time. Readers take the time of an AndroidLogPacket from a reading of REALTIME. If
 * the trace does not state that clock for the machine, the message is written as a SystemdJournaldEvent, which has the
 * packet's time. Of the arguments only a numeric uid is in the packet. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_log_write(struct tm_packet_writer *writer, const struct tm_event *event, struct tm_error *err);

#endif
