/* Names of the counters in SysStats by their numbers.
 * Source: include/perfetto/ext/traced/sys_stats_counters.h of perfetto. */
#ifndef TM_PERFETTO_SYS_NAMES_H
#define TM_PERFETTO_SYS_NAMES_H

#include <stdint.h>

enum { TM_SYS_NAMES_MAX = 256 }; /* all numbers that the tables know are below */

/* Return the name of KEY: a line of /proc/meminfo or of /proc/vmstat, or a resource of /proc/pressure. NULL if the
 * table does not know the number. */
const char *tm_proto_meminfo_name(uint64_t key);
const char *tm_proto_vmstat_name(uint64_t key);
const char *tm_proto_psi_name(uint64_t key);

#endif
