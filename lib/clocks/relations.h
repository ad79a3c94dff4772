/* Relations between clocks that the stream states: edges of the manifest, ClockSnapshot and RemoteClockSync packets.
 * Source: doc/rules.md section 5. */
#ifndef TM_CLOCKS_RELATIONS_H
#define TM_CLOCKS_RELATIONS_H

#include "clocks/clock_file.h"

/* Adds the machines, the trace time and the edges of CONFIG, in this order. TM_OK, TM_E_INPUT or TM_E_SYSTEM. */
enum tm_status tm_relations_configure(struct tm_clock_registry *registry, const Tracemerge__Config *config,
                                      struct tm_error *err);

/* Writes Metadata frames for the manifest's attributes. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_relations_attributes(const Tracemerge__Config *config, struct tm_stream_writer *writer,
                                       struct tm_error *err);

/* Handles a ClockSnapshot of SCOPE. Claims trace time if it sets a default clock, and relates its clocks. TM_E_INPUT if
 * the file is pinned. */
enum tm_status tm_relations_snapshot(struct tm_clock_registry *registry, struct tm_clock_scope *scope,
                                     const Tracemerge__Snapshot *snapshot, struct tm_error *err);

/* Handles a RemoteClockSync of SCOPE in FILE. TM_E_INPUT if FILE is pinned or attributed to one machine. */
enum tm_status tm_relations_remote(struct tm_clock_registry *registry, const struct tm_clock_file *file,
                                   struct tm_clock_scope *scope, const Tracemerge__RemoteClockSync *sync,
                                   struct tm_error *err);

/* Writes the last metadata at the end of the stream: the trace-time clock, and refused edges of the manifest. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_relations_finish(struct tm_clock_registry *registry, struct tm_stream_writer *writer,
                                   struct tm_error *err);

#endif
