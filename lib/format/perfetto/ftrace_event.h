/* Readers of one FtraceEvent of a bundle, by kind of event. */
#ifndef TM_FORMAT_PERFETTO_FTRACE_EVENT_H
#define TM_FORMAT_PERFETTO_FTRACE_EVENT_H

#include "format/perfetto/named_row.h"

/* A bundle of events that is being read. */
struct tm_proto_ftrace_bundle {
    const struct tm_proto_packet *packet; /* contains the bundle */
    struct tm_proto_kernels *kernels;
    struct tm_proto_rows *rows;
};

/* Adds the rows of the FtraceEvent in F; COMMON has what the bundle's rows share. An event without a time, or with
 * damage before its kind, is accounted as damaged. */
enum tm_status tm_proto_ftrace_event(const struct tm_proto_ftrace_bundle *bundle, const struct tm_pb_field *f,
                                     const struct tm_event *common, struct tm_error *err);

/* The numbers and texts of an event's message by field number. Fields with higher numbers are not read. */
enum { TM_PROTO_EVENT_FIELDS = 16 };

struct tm_proto_event_fields {
    bool has[TM_PROTO_EVENT_FIELDS];
    uint64_t number[TM_PROTO_EVENT_FIELDS];
    const uint8_t *text[TM_PROTO_EVENT_FIELDS]; /* NULL: none; borrowed */
    size_t len[TM_PROTO_EVENT_FIELDS];
};

/* Reads the fields of F, the message of an event, into FIELDS. */
void tm_proto_event_fields_read(struct tm_proto_event_fields *fields, const struct tm_pb_field *f);

/* Notes MESSAGE, a GenericEventDescriptor of MACHINE. The first for an event counts. One that is malformed, or past a
 * limit, is counted. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_generic_note(struct tm_proto_kernels *kernels, struct tm_proto_rows *rows, uint32_t machine,
                                     const struct tm_pb_field *message, struct tm_error *err);

/* Makes ROW the row of F, an event that the trace describes itself: it has F's fields as args. If the names of the
 * fields follow the convention for drivers, it can be a slice or an instant, whose category is the name of the event.
 * One that states too little is counted, and so is an event without a description, which has no name. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_proto_ftrace_generic(const struct tm_proto_ftrace_bundle *bundle, const struct tm_pb_field *f,
                                       struct tm_event *row, struct tm_error *err);

/* Adds the counter that F states after EVENT, if the names of its fields follow the convention for drivers. One that
 * states too little is counted. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_ftrace_generic_derive(const struct tm_proto_ftrace_bundle *bundle, const struct tm_pb_field *f,
                                              const struct tm_event *event, struct tm_error *err);

/* Makes ROW the row of a write to trace_marker, or of a driver's event that imitates one. TM_END: F is neither, or is
 * malformed, which is counted. */
enum tm_status tm_proto_ftrace_mark(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                                    struct tm_error *err);

/* True for an event of a hypervisor, by its field number in FtraceEvent. It may state no task. */
bool tm_proto_ftrace_is_of_hypervisor(uint32_t event);

/* Makes ROW the begin or end of a slice, or an instant, of a thread or on a track of the kernel. TM_END: the reference
 * importer makes no slice of F, or F states too little. */
enum tm_status tm_proto_ftrace_slice(const struct tm_proto_ftrace_bundle *bundle, const struct tm_pb_field *f,
                                     struct tm_event *row, struct tm_error *err);

/* Makes ROW the row of F, an event of binder. */
enum tm_status tm_proto_ftrace_binder(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                                      struct tm_error *err);

/* Makes ROW a KERNEL row of F, an event that adds to others or changes a state (kernel/effect.h). TM_END: F adds and
 * changes nothing. */
enum tm_status tm_proto_ftrace_kernel(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                                      struct tm_error *err);

/* Makes ROW the row of F, an event of a machine that suspends. */
enum tm_status tm_proto_ftrace_suspend(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                                       struct tm_error *err);

/* Makes ROW the row of F, sys_enter or sys_exit. TM_END: the number belongs to no system call. */
enum tm_status tm_proto_ftrace_syscall(struct tm_proto_kernels *kernels, struct tm_proto_rows *rows,
                                       const struct tm_pb_field *f, struct tm_event *row, struct tm_error *err);

/* Make ROW the row of F, an event of a kind of device or work: jobs of a GPU and fences, buffers of Video4Linux,
 * virtual devices, file systems, buffers of ION and dma-buf, contiguous memory, Trusty. TM_END: the reference importer
 * makes no slice of F, or F states too little. */
enum tm_status tm_proto_ftrace_job(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                                   struct tm_error *err);
enum tm_status tm_proto_ftrace_fence(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                                     struct tm_error *err);
enum tm_status tm_proto_ftrace_v4l2(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                                    struct tm_error *err);
enum tm_status tm_proto_ftrace_virtio(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                                      struct tm_error *err);
enum tm_status tm_proto_ftrace_storage(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                                       struct tm_error *err);
enum tm_status tm_proto_ftrace_buffer(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                                      struct tm_error *err);
enum tm_status tm_proto_ftrace_cma(struct tm_proto_kernels *kernels, struct tm_proto_rows *rows,
                                   const struct tm_pb_field *f, struct tm_event *row, struct tm_error *err);
enum tm_status tm_proto_ftrace_trusty(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                                      struct tm_error *err);

/* Adds the DERIVED instant that follows an event of Trusty, after ROW. */
enum tm_status tm_proto_ftrace_trusty_result(struct tm_proto_rows *rows, const struct tm_pb_field *f,
                                             const struct tm_event *row, struct tm_error *err);

/* Adds the row of the period that F, a gpu_work_period, states, after EVENT. */
enum tm_status tm_proto_ftrace_gpu_work(struct tm_proto_rows *rows, const struct tm_pb_field *f,
                                        const struct tm_event *event, struct tm_error *err);

/* Notes the facts of F, an event about batches of an Adreno GPU. If they complete a batch, adds its row after EVENT. */
enum tm_status tm_proto_ftrace_adreno(struct tm_proto_adreno *adreno, struct tm_proto_rows *rows,
                                      const struct tm_pb_field *f, const struct tm_event *event, struct tm_error *err);

/* Adds the rows of F, an event of a phone's firmware, after EVENT. They are DERIVED, or events of their own at the time
 * that F states. */
enum tm_status tm_proto_ftrace_firmware(struct tm_proto_rows *rows, const struct tm_pb_field *f,
                                        const struct tm_event *event, struct tm_error *err);

/* Returns the reference importer's name of the queue that an event of a virtual GPU names, or NULL. */
const char *tm_proto_virtio_gpu_queue(const struct tm_proto_event_fields *fields);

/* Notes the version of MACHINE's kernel, from the texts of uname(2). TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_note_kernel(struct tm_proto_kernels *kernels, uint32_t machine, struct tm_text system,
                                    struct tm_text release);

/* Sets the architecture of MACHINE, an embedded id, by its NAME (uname(2)). The names of later system calls follow from
 * it. An unknown architecture is ignored. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_note_machine(struct tm_proto_kernels *kernels, uint32_t machine, const void *name, size_t len);

/* Adds the rows that follow from the event in F, after ROW: counters and instants that the reference importer derives,
 * the reason for which a task waits, and the rows of the functions above that add some after EVENT. */
enum tm_status tm_proto_ftrace_derive(const struct tm_proto_ftrace_bundle *bundle, const struct tm_pb_field *f,
                                      const struct tm_event *row, struct tm_error *err);

#endif
