/* Names of METADATA rows that state when and how the kernel was recorded (doc/events.md, Perfetto packets). Readers
 * write them; the Perfetto output clips kernel data by them. */
#ifndef TM_PERFETTO_RECORDING_ROWS_H
#define TM_PERFETTO_RECORDING_ROWS_H

#define TM_ROW_FTRACE_DATA "ftrace_data"                      /* the file has kernel data */
#define TM_ROW_PRESERVES_FTRACE_BUFFER "preserve_ftrace_buffer" /* kernel data from before the recording counts */
#define TM_ROW_TRACING_STARTED "tracing_started_ns"           /* its time is the start of the recording */
#define TM_ROW_COMPLETE_SINCE "ftrace_latest_data_start_ns"    /* at its time the data of all cpus is complete */

#endif
