/* Scheduling events from ftrace bundles: switches and wakings, as single events or as compact_sched. */
#ifndef TM_FORMAT_PERFETTO_SCHED_H
#define TM_FORMAT_PERFETTO_SCHED_H

#include "format/perfetto/internal.h"

/* Finds or makes the state of (MACHINE, CPU). Valid until the next find. */
enum tm_status tm_proto_cpu_find(struct tm_proto_kernels *kernels, uint32_t machine, uint32_t cpu,
                                 struct tm_proto_cpu **entry, struct tm_error *err);

/* Notes that task PID with priority PRIO runs on CPU from here on. */
static inline void tm_proto_cpu_run(struct tm_proto_cpu *cpu, int32_t pid, int32_t prio)
{
    cpu->known = true;
    cpu->pid = pid;
    cpu->prio = prio;
}

/* Sets the name of the task that runs on CPU: the LEN bytes at COMM, whose string number is STRING. */
void tm_proto_cpu_name(struct tm_proto_cpu *cpu, uint32_t string, const uint8_t *comm, size_t len);

/* Makes ROW a SCHED_SWITCH of the SchedSwitchFtraceEvent in F. */
enum tm_status tm_proto_sched_switch(struct tm_proto_kernels *kernels, struct tm_proto_rows *rows,
                                     const struct tm_pb_field *f, struct tm_event *row, struct tm_error *err);

/* Makes ROW, whose tid is the waker's, a SCHED_WAKING of the SchedWakingFtraceEvent in F. */
enum tm_status tm_proto_sched_waking(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                                     struct tm_error *err);

/* Adds the rows of the CompactSched message in F. ROW has the columns that they share. If the sink wants whole messages
 * and the message qualifies (doc/events.md, Messages that stay whole), adds it as one row. Columns that do not match
 * are counted as a statistic; the rows before the mismatch stay. */
enum tm_status tm_proto_compact_sched(struct tm_proto_kernels *kernels, struct tm_proto_rows *rows,
                                      const struct tm_pb_field *f, const struct tm_event *row, struct tm_error *err);

#endif
