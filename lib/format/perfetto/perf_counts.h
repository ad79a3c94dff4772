/* What PerfSample packets count: the event that takes the samples (the timebase), and others that are read with it (the
 * followers). Rules: importers/proto/perf_sample_tracker.cc and profile_module.cc of Perfetto. */
#ifndef TM_FORMAT_PERFETTO_PERF_COUNTS_H
#define TM_FORMAT_PERFETTO_PERF_COUNTS_H

#include "format/perfetto/internal.h"

/* Adds the counts of the perf_sample PACKET after ROW, its sample, as DERIVED counters of the sample's cpu. The
 * defaults of the sequence name them; without these defaults the timebase is the clock of the cpu. Counts of followers
 * beyond the names are left out. TM_OK or an error. */
enum tm_status tm_proto_perf_counts_add(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                        const struct tm_event *row, struct tm_error *err);

#endif
