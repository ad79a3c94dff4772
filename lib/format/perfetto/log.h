/* Messages of Android's log and of systemd's journal in packets.
 * Rules: importers/proto/android_probes_parser.cc and linux_probes_parser.cc of perfetto. */
#ifndef TM_FORMAT_PERFETTO_LOG_H
#define TM_FORMAT_PERFETTO_LOG_H

#include "format/perfetto/internal.h"

/* Adds the rows of an android_log packet: the packet's own, and a LOG row for each message, without raw, at the
 * message's own time on REALTIME (not with --no-packet-args). A message without a time is a DERIVED row of the
 * packet. */
enum tm_status tm_proto_log_read(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                 struct tm_error *err);

/* Adds the rows of a journald_event packet: the packet's own, and a DERIVED LOG row if the packet has a time and a
 * message, not statistics. TM_OK or an error. */
enum tm_status tm_proto_journal_read(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                     struct tm_error *err);

#endif
