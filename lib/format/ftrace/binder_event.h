/* Events of Android's binder as rows (kernel/binder.h), whether they come as protos or as text. */
#ifndef TM_FORMAT_FTRACE_BINDER_EVENT_H
#define TM_FORMAT_FTRACE_BINDER_EVENT_H

#include "kernel/binder.h"
#include "stream/event_sink.h"

/* What an event says; which of the fields depends on it. Of a transaction EVENT is TM_BINDER_TRANSACTION, whichever it
 * is. */
struct tm_binder_facts {
    enum tm_binder_event event;
    int32_t transaction, node;
    uint32_t process, thread; /* it is for */
    bool is_reply;
    uint32_t flags;
    const char *code; /* as the slice shows it, of code_len bytes */
    size_t code_len;
    uint32_t command;
    uint64_t data_bytes, offsets_bytes;
};

/* Fills EVENT, of which time, cpu and tid are set; strings and args go to SINK and DETAIL. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_binder_fill(const struct tm_binder_facts *facts, struct tm_event_sink *sink, struct tm_event *event,
                              struct tm_buf *detail, struct tm_error *err);

#endif
