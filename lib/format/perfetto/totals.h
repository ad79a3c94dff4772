/* Counters that a sequence states as differences, for many numbers at once: how long the kernel's wakelocks were held,
 * and how long apps used the cpus. Rules and names: importers/proto/android_kernel_wakelocks_module.cc,
 * android_cpu_per_uid_module.cc and importers/common/sparse_counter_tracker.cc of perfetto. */
#ifndef TM_FORMAT_PERFETTO_TOTALS_H
#define TM_FORMAT_PERFETTO_TOTALS_H

#include "format/perfetto/internal.h"

/* Adds the counters of a packet of kernel_wakelock_data or cpu_per_uid_data after its row. They are events of their
 * own: a value that stays the same is added only where it begins and before it changes. */
enum tm_status tm_proto_totals_read(struct tm_proto_totals *totals, struct tm_proto_rows *rows,
                                    const struct tm_proto_packet *packet, struct tm_error *err);

void tm_proto_totals_release(struct tm_proto_totals *totals);

#endif
