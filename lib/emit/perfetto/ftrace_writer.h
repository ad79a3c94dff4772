/* Writes ftrace events in bundles, with one open bundle for each (machine, cpu). */
#ifndef TM_EMIT_PERFETTO_FTRACE_WRITER_H
#define TM_EMIT_PERFETTO_FTRACE_WRITER_H

#include "base/intern.h"
#include "base/map.h"
#include "emit/open_messages.h"
#include "emit/perfetto/compact_sched.h"
#include "emit/perfetto/packet_writer.h"
#include "emit/perfetto/sched_event.h"

enum {
    TM_FTRACE_BUNDLES_MAX = 512, /* open at a time */
    TM_FTRACE_BUNDLE_SLOTS = 1024,
    TM_FTRACE_CPUS_MAX = 1 << 16, /* cpus whose tasks are known at a time */
    TM_FTRACE_COMM_MAX = 64
};

/* The task that a reader of the output assumes to run on a cpu after the events written so far. */
struct tm_ftrace_running {
    bool is_known;
    int16_t prio;
    int32_t pid;
    uint32_t comm;     /* string number; if the text travels with the event, it is in TEXT */
    uint32_t text_len; /* more than TM_FTRACE_COMM_MAX: TEXT does not have it */
    uint8_t text[TM_FTRACE_COMM_MAX];
};

/* The state of a cpu, with or without an open bundle. */
struct tm_ftrace_cpu {
    uint32_t machine, cpu;
    uint32_t fits; /* number of switches in a row that could have been in compact_sched */
    struct tm_ftrace_running running;
    struct tm_ftrace_pending *pending; /* owned; a message later than all events written of the cpu */
    struct tm_open_messages messages;  /* split messages with events still to be written */
};

/* Zero-initialise, with .packets set. */
struct tm_ftrace_writer {
    struct tm_packet_writer *packets; /* borrowed */
    struct tm_ftrace_bundle {
        uint32_t machine, cpu;
        struct tm_ftrace_cpu *task; /* owned by cpus */
        uint32_t symbols;     /* the generation that names the functions of its events; 0: none */
        /* the writer's own output sequence that names them; 0: none. At most one of the two is set */
        uint32_t sequence;
        struct tm_buf events; /* event fields of a FtraceEventBundle */
        struct tm_compact_sched sched;
        /* EVENTS has a switch, which then determines the running task, since readers read it after compact_sched */
        bool has_switch;
    } *bundles;
    uint32_t count, cap;
    uint16_t slots[TM_FTRACE_BUNDLE_SLOTS]; /* index of the bundle of a (machine, cpu), plus 1 */
    struct tm_ftrace_cpu **cpus; /* owned, and each of them */
    uint32_t cpu_count, cpu_cap;
    struct tm_map cpu_index; /* (machine, cpu) to its place in cpus */
    uint32_t *kernels;                      /* by machine: TM_KERNEL_VERSION; 0: unknown */
    struct tm_work_names {
        uint32_t sequence; /* 0: not begun */
        bool is_begun;     /* its state was cleared after names became empty */
        struct tm_intern names;
    } *work;               /* functions in lines of text; one for each machine */
    uint32_t work_count, work_cap;
    struct tm_buf line;
    size_t pending_bytes; /* of all messages */
};

/* Notes the kernel's version in EVENT, a SYSTEM_INFO. States of tasks are written as that kernel records them. TM_OK,
 * TM_E_INPUT or TM_E_SYSTEM, as all functions that follow. */
enum tm_status tm_ftrace_note_kernel(struct tm_ftrace_writer *writer, const struct tm_event *event,
                                     struct tm_error *err);

/* Writes EVENT's raw FtraceEvent with EVENT's time. TM_E_INPUT: raw is not a message. */
enum tm_status tm_ftrace_write_raw(struct tm_ftrace_writer *writer, const struct tm_event *event, struct tm_error *err);

/* Writes EVENT, a SCHED_SWITCH or SCHED_WAKING, from its columns. It goes into compact_sched if a reader finds the
 * omitted facts in the events before it. Else it is written in full, like the next ones until several in a row fit
 * compact_sched. Wakings of text are always in full, because those in compact_sched name no thread. */
enum tm_status tm_ftrace_write_sched(struct tm_ftrace_writer *writer, const struct tm_event *event,
                                     struct tm_error *err);

/* Writes EVENT, a COMPACT_SCHED, unchanged if no other event of that cpu overlaps it; otherwise writes its events one
 * by one. The next event of the cpu decides. */
enum tm_status tm_ftrace_write_message(struct tm_ftrace_writer *writer, const struct tm_event *event,
                                       struct tm_error *err);

/* Writes EVENT, a line of text, as a FtraceEvent made of its columns. TM_END: there is no FtraceEvent for it, and
 * nothing was written. */
enum tm_status tm_ftrace_write_line(struct tm_ftrace_writer *writer, const struct tm_event *event,
                                    struct tm_error *err);

/* Writes all open bundles, and the parts of messages before UNTIL; NULL: all of them. */
enum tm_status tm_ftrace_writer_flush(struct tm_ftrace_writer *writer, const struct tm_event *until,
                                      struct tm_error *err);

/* Makes the functions of lines of text get names again, because a reader has not seen the earlier ones. */
void tm_ftrace_writer_restart(struct tm_ftrace_writer *writer);

void tm_ftrace_writer_release(struct tm_ftrace_writer *writer);

/* For ftrace_line.c. Sets *BUNDLE to the bundle of EVENT's machine and cpu. It is open and has room for more. If too
 * many cpus are known, what is pending for them is written and all are forgotten. */
enum tm_status tm_ftrace_writer_bundle(struct tm_ftrace_writer *writer, const struct tm_event *event,
                                       struct tm_ftrace_bundle **bundle, struct tm_error *err);

#endif
