/* The description that the definition of a process or thread has in its detail (ProcessDescription and
 * ThreadDescription in proto/tm_stream.proto). Both take the numbers and the kind of the row that will have it. */
#ifndef TM_STREAM_TASK_DESCRIPTION_H
#define TM_STREAM_TASK_DESCRIPTION_H

#include "base/buf.h"
#include "base/text.h"
#include "stream/event.h"

/* Appends to DESCRIPTION, the content of such a message, the tid of ROW if it is a thread (TM_KIND_THREAD; else it is
 * a process) and its pid, each if ROW has it by its flags. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_task_description_numbers(struct tm_buf *description, const struct tm_event *row);

/* Appends to DETAIL the whole description of ROW: its numbers, and NAME. A name without data is none; an empty one is
 * stated. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_task_description_put(struct tm_buf *detail, const struct tm_event *row, struct tm_text name);

#endif
