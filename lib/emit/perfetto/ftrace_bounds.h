/* The time from which the ftrace data of each file counts (doc/pftrace.md, "The start of kernel data").
 *
 * A reader leaves out ftrace events of a machine before the service event tracing_started, unless the ftrace data
 * source states preserve_ftrace_buffer. Of events before the end of what each cpu's buffer held at first
 * (previous_bundle_end_timestamp, last_read_event_timestamp) it shows only the record. This holds for the file that
 * states it. A merged trace states it once for each machine: the earliest of its files. Events before a later start of
 * their own file are left out here. */
#ifndef TM_EMIT_PERFETTO_FTRACE_BOUNDS_H
#define TM_EMIT_PERFETTO_FTRACE_BOUNDS_H

#include "base/map.h"
#include "emit/perfetto/packet_writer.h"

/* Zero-initialise. */
struct tm_ftrace_bounds {
    struct tm_ftrace_bound {
        uint32_t file, machine;
        bool has_data;     /* it has bundles */
        bool preserves_buffer; /* data that was in the buffer at the start counts */
        bool has_start;
        int64_t start_ns; /* the last one stated */
        bool has_valid;
        int64_t valid_ns; /* from here on the data of all cpus is complete */
    } *rows;              /* one for each file and machine */
    uint32_t count, cap;
    struct tm_map index;  /* (file, machine) to its place in rows */
    struct tm_map bundled; /* (machine, cpu) and (row, cpu) with a bundle */
    struct tm_ftrace_machine_bound {
        bool has_data;    /* it has ftrace events */
        bool is_shared;   /* several files have it */
        int64_t start_ns; /* 0: none */
        bool has_valid;   /* all its files state from when on they are complete */
        int64_t valid_ns;
    } *machines; /* owned; set by settling */
    uint32_t machine_count;
    bool is_settled;
    bool is_cutting; /* a file's start is later than its machine's */
    struct tm_map cut_cpus; /* (machine, cpu) to 1 while the last switch of the cpu was cut */
    struct tm_buf scratch;
};

/* Notes what EVENT, a definition of a proto, states about the bounds. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_ftrace_bounds_note(struct tm_ftrace_bounds *bounds, const struct tm_packet_writer *writer,
                                     const struct tm_event *event, struct tm_error *err);

/* Writes the bounds of each machine in the merged trace, after all definitions. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_ftrace_bounds_settle(struct tm_ftrace_bounds *bounds, struct tm_packet_writer *writer,
                                       struct tm_error *err);

/* Returns the start of EVENT's file on its machine if that is later than its machine's start; earlier events are left
 * out. Otherwise INT64_MIN. */
int64_t tm_ftrace_bounds_start(const struct tm_ftrace_bounds *bounds, const struct tm_event *event);

/* Notes EVENT, a switch. IS_CUT: it is left out. *AFTER_CUT: the switch before it on its cpu was left out. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_ftrace_bounds_switch(struct tm_ftrace_bounds *bounds, const struct tm_event *event, bool is_cut,
                                       bool *after_cut, struct tm_error *err);

/* EVENT is a packet with the service event FIELD. If FIELD is a start other than its machine's, RAW becomes the packet
 * without it, and EVENT refers to RAW. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_ftrace_bounds_service_event(const struct tm_ftrace_bounds *bounds, struct tm_event *event,
                                              const struct tm_pb_field *field, struct tm_buf *raw,
                                              struct tm_error *err);

void tm_ftrace_bounds_release(struct tm_ftrace_bounds *bounds);

#endif
