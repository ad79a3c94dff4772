/* From when on the ftrace data of each file counts.
 *
 * A reader leaves out ftrace events of a machine from before the service event tracing_started, unless the ftrace data
 * source says preserve_ftrace_buffer; of events from before the end of what each cpu's buffer held at first
 * (previous_bundle_end_timestamp, last_read_event_timestamp) it shows no more than the record. That holds for the file
 * that says so. A merged trace says it once a machine: the earliest of its files'. What a later start of another file
 * leaves out is cut here. doc/pftrace.md. */
#ifndef TM_EMIT_PERFETTO_FTRACE_BOUNDS_H
#define TM_EMIT_PERFETTO_FTRACE_BOUNDS_H

#include "base/map.h"
#include "emit/perfetto/packet_writer.h"

/* Zero-initialise. */
struct tm_ftrace_bounds {
    struct tm_ftrace_bound {
        uint32_t file, machine;
        bool has_data;     /* bundles */
        bool keeps_buffer; /* what was in the buffer at the start counts */
        bool has_start;
        int64_t start_ns; /* the last one that was said */
        bool has_valid;
        int64_t valid_ns; /* from here on the data of all cpus is whole */
    } *rows;              /* of files and their machines */
    uint32_t count, cap;
    struct tm_map index;  /* (file, machine) to its place in rows */
    struct tm_map bundled; /* (machine, cpu) and (row, cpu) that had a bundle */
    struct tm_ftrace_machine_bound {
        bool has_data, has_text; /* any of ftrace; such as has no bounds */
        bool is_shared;          /* several files have it */
        int64_t start_ns;        /* 0: none */
        bool has_valid;          /* all its files say from when on they are whole */
        int64_t valid_ns;
    } *machines; /* owned; once settled */
    uint32_t machine_count;
    bool is_settled;
    bool is_cutting; /* a file's start is later than its machine's */
    struct tm_map cut_cpus; /* (machine, cpu) to 1 while the switch written last before the next one was cut */
    struct tm_buf scratch;
};

/* Takes in EVENT, a definition of a proto, if it matters for the bounds. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_ftrace_bounds_note(struct tm_ftrace_bounds *bounds, const struct tm_packet_writer *writer,
                                     const struct tm_event *event, struct tm_error *err);

/* Writes the bounds of each machine in the merged trace, after all definitions. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_ftrace_bounds_settle(struct tm_ftrace_bounds *bounds, struct tm_packet_writer *writer,
                                       struct tm_error *err);

/* Returns the start of EVENT's file on its machine if that is later than its machine's start; events from before it are
 * left out. Else INT64_MIN. */
int64_t tm_ftrace_bounds_start(const struct tm_ftrace_bounds *bounds, const struct tm_event *event);

/* Takes in EVENT, a switch. IS_CUT: it is left out. *AFTER_CUT: the switch before it on its cpu was left out. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_ftrace_bounds_switch(struct tm_ftrace_bounds *bounds, const struct tm_event *event, bool is_cut,
                                       bool *after_cut, struct tm_error *err);

/* EVENT is a packet with a service event, which FIELD is. Where it says a start that is not its machine's, RAW becomes
 * the packet without that, and EVENT has it. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_ftrace_bounds_service_event(const struct tm_ftrace_bounds *bounds, struct tm_event *event,
                                              const struct tm_pb_field *field, struct tm_buf *raw,
                                              struct tm_error *err);

void tm_ftrace_bounds_release(struct tm_ftrace_bounds *bounds);

#endif
