/* One FtraceEvent out of a bundle. */
#ifndef TM_FORMAT_PERFETTO_FTRACE_EVENT_H
#define TM_FORMAT_PERFETTO_FTRACE_EVENT_H

#include "format/perfetto/internal.h"

/* Adds the rows of the FtraceEvent in F; COMMON holds what the bundle's rows have in common. An event
 * without a time, or damaged before it says what it is, is accounted as damaged. */
enum tm_status tm_proto_ftrace_event(struct tm_proto *p, const struct tm_pb_field *f, const struct tm_event *common,
                                     const struct tm_proto_packet *packet, struct tm_error *err);

/* The numbers and texts of an event's message by field number, as far as the ones read here go. */
enum { TM_PROTO_EVENT_FIELDS = 16 };

struct tm_proto_event_fields {
    bool has[TM_PROTO_EVENT_FIELDS];
    uint64_t number[TM_PROTO_EVENT_FIELDS];
    const uint8_t *text[TM_PROTO_EVENT_FIELDS]; /* NULL: none; borrowed */
    size_t len[TM_PROTO_EVENT_FIELDS];
};

void tm_proto_event_fields_read(struct tm_proto_event_fields *fields, const struct tm_pb_field *f);

/* Makes ROW what a write to trace_marker, or an event of a driver that imitates one, says. TM_END: F is none;
 * malformed ones are counted and TM_END, too. */
enum tm_status tm_proto_ftrace_mark(struct tm_proto *p, const struct tm_pb_field *f, struct tm_event *row,
                                    struct tm_error *err);

/* Makes ROW a slice's begin or end, or an instant, of a thread or on a track of the kernel's. TM_END: F is none that
 * the reference makes one of, or says too little. PACKET is the one that F is in. */
enum tm_status tm_proto_ftrace_slice(struct tm_proto *p, const struct tm_pb_field *f,
                                     const struct tm_proto_packet *packet, struct tm_event *row, struct tm_error *err);

/* Makes ROW what F, an event of binder, says. */
enum tm_status tm_proto_ftrace_binder(struct tm_proto *p, const struct tm_pb_field *f, struct tm_event *row,
                                      struct tm_error *err);

/* Sets ROW to what F adds to other events. TM_END: it adds nothing. */
enum tm_status tm_proto_ftrace_history(struct tm_proto *p, const struct tm_pb_field *f, struct tm_event *row,
                                       struct tm_error *err);

/* Makes ROW what F says of a machine that goes to sleep. */
enum tm_status tm_proto_ftrace_sleep(struct tm_proto *p, const struct tm_pb_field *f, struct tm_event *row,
                                     struct tm_error *err);

/* Makes ROW what F, sys_enter or sys_exit, says. TM_END: a number that no call has. */
enum tm_status tm_proto_ftrace_syscall(struct tm_proto *p, const struct tm_pb_field *f, struct tm_event *row,
                                       struct tm_error *err);

/* Calls of MACHINE, an embedded id, have from now on the names that they have where uname(2) says NAME, if
 * that is known. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_note_machine(struct tm_proto *p, uint32_t machine, const void *name, size_t len);

/* Adds the DERIVED rows of the event in F, after ROW: counters and instants that the reference makes of it, and why a
 * task waits. PACKET is the packet with F. */
enum tm_status tm_proto_ftrace_derive(struct tm_proto *p, const struct tm_pb_field *f,
                                      const struct tm_proto_packet *packet, const struct tm_event *row,
                                      struct tm_error *err);

#endif
