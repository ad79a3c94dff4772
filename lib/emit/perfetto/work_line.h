/* Lines of ftrace text about work of a workqueue as FtraceEvents. These name a function by the number that a kernel
 * symbol has in the interned data of their bundle's sequence. Source: workqueue.proto and interned_data.proto of
 * Perfetto. */
#ifndef TM_EMIT_PERFETTO_WORK_LINE_H
#define TM_EMIT_PERFETTO_WORK_LINE_H

#include "emit/perfetto/ftrace_writer.h"

/* True if EVENT, a line of text, begins or ends work. */
bool tm_work_line_is(const struct tm_ftrace_writer *writer, const struct tm_event *event);

/* Gives the function NAME of an event that goes into BUNDLE a number, *SYMBOL. The bundle is then on the sequence that
 * names the functions of its machine. A new name is written at once. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_kernel_symbol(struct tm_ftrace_writer *writer, struct tm_ftrace_bundle *bundle, struct tm_text name,
                                uint64_t *symbol, struct tm_error *err);

/* Gives the function of EVENT, a line of work that goes into BUNDLE, a number as tm_kernel_symbol does. *FUNCTION is 0
 * if it has none. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_work_line_name(struct tm_ftrace_writer *writer, struct tm_ftrace_bundle *bundle,
                                 const struct tm_event *event, uint64_t *function, struct tm_error *err);

/* Appends EVENT to OUT as a field of FtraceEvent. False: out of memory. */
bool tm_work_line_put(struct tm_buf *out, const struct tm_event *event, uint64_t function);

void tm_work_names_release(struct tm_ftrace_writer *writer);

#endif
