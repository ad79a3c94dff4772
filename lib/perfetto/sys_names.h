/* Names of the counters in SysStats by their numbers.
 * Source: include/perfetto/ext/traced/sys_stats_counters.h of perfetto. */
#ifndef TM_PERFETTO_SYS_NAMES_H
#define TM_PERFETTO_SYS_NAMES_H

#include <stdint.h>

enum { TM_SYS_NAMES_MAX = 256 }; /* greater than every number in the tables */

/* Return the name of KEY: of a line of /proc/meminfo or /proc/vmstat, or of a resource of /proc/pressure. NULL if the
 * table does not have the number. */
const char *tm_proto_meminfo_name(uint64_t key);
const char *tm_proto_vmstat_name(uint64_t key);
const char *tm_proto_psi_name(uint64_t key);

#endif
