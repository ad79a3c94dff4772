/* ftrace events gathered into bundles again, one open bundle for each (machine, cpu). */
#ifndef TM_EMIT_FTRACE_WRITER_H
#define TM_EMIT_FTRACE_WRITER_H

#include "emit/packet_writer.h"

/* Zero-initialise, with .packets set. */
struct tm_ftrace_writer {
    struct tm_packet_writer *packets; /* borrowed */
    struct tm_ftrace_bundle {
        uint32_t machine, cpu;
        struct tm_buf events; /* event fields of a FtraceEventBundle */
    } *bundles;
    uint32_t count, cap;
    struct tm_buf line;
};

/* EVENT's raw FtraceEvent, its time set to EVENT's. TM_E_INPUT when raw is not a message. */
enum tm_status tm_ftrace_write_raw(struct tm_ftrace_writer *writer, const struct tm_event *event, struct tm_error *err);

/* A FtraceEvent made of the columns of EVENT, a line of text. TM_END when it is none that a
 * FtraceEvent can say (nothing is written). */
enum tm_status tm_ftrace_write_line(struct tm_ftrace_writer *writer, const struct tm_event *event,
                                    struct tm_error *err);

/* Writes all open bundles. */
enum tm_status tm_ftrace_writer_flush(struct tm_ftrace_writer *writer, struct tm_error *err);

void tm_ftrace_writer_release(struct tm_ftrace_writer *writer);

#endif
