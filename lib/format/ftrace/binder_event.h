/* Events of Android's binder as rows (kernel/binder.h), from protos or text. */
#ifndef TM_FORMAT_FTRACE_BINDER_EVENT_H
#define TM_FORMAT_FTRACE_BINDER_EVENT_H

#include "kernel/binder.h"
#include "stream/event_sink.h"

/* The fields of an event; EVENT decides which of them are used. Every transaction has EVENT TM_BINDER_TRANSACTION here,
 * also replies and one-way ones. */
struct tm_binder_facts {
    enum tm_binder_event event;
    int32_t transaction, node;
    uint32_t process, thread; /* the receiver */
    bool is_reply;
    uint32_t flags;
    const char *code; /* as shown in the slice; code_len bytes */
    size_t code_len;
    uint32_t command;
    uint64_t data_bytes, offsets_bytes;
};

/* Fills EVENT, whose time, cpu and tid are set. Strings go to SINK and args to DETAIL. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_binder_fill(const struct tm_binder_facts *facts, struct tm_event_sink *sink, struct tm_event *event,
                              struct tm_buf *detail, struct tm_error *err);

#endif
