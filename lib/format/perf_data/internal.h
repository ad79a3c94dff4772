/* The state of a perf.data file being read. */
#ifndef TM_FORMAT_PERF_DATA_INTERNAL_H
#define TM_FORMAT_PERF_DATA_INTERNAL_H

#include "format/format.h"
#include "format/ftrace/ftrace_text.h"
#include "format/perf_data/counts.h"
#include "format/perf_data/header.h"
#include "format/perf_data/mappings.h"
#include "format/perf_data/records.h"
#include "format/perf_data/sample.h"
#include "format/perf_data/symbols.h"
#include "format/perf_data/task_names.h"
#include "format/perf_data/tracepoints.h"

/* A number of records that are accounted for alike, and the byte of the first. */
struct tm_perf_tally {
    uint64_t count, first_byte;
};

/* CLOCK_DATA: readings of the file's clock and of REALTIME at one instant. */
struct tm_perf_clock_pair {
    bool is_known;
    uint32_t clockid;
    int64_t clock_ns, wall_ns;
};

struct tm_perf {
    struct tm_format_context context;
    Tracemerge__ClockPolicy policy; /* follows from the clock of the file's times */
    struct tm_perf_header header;
    struct tm_perf_attrs attrs;
    struct tm_tracepoints tracepoints;
    struct tm_perf_mappings mappings;
    struct tm_perf_symbols symbols;
    struct tm_perf_task_names names;
    struct tm_perf_records records;
    struct tm_ftrace_text ftrace;
    uint32_t kernel_version;
    uint64_t first_time; /* of all samples and task events */
    struct tm_perf_clock_pair clock_pair;
    /* The file has tracepoints that state more than the corresponding records: sched_switch, task_newtask. */
    bool has_switches, has_new_tasks;
    bool has_call_addresses; /* call chains have the addresses of calls (simpleperf), not those to which calls return */
    bool is_begun;     /* the facts about the whole file are in the stream */
    struct tm_map next_of_cpu; /* the thread that runs on each CPU, by its last switch */
    struct tm_perf_tally damaged, not_shown, no_time, no_stack, needs_state;
    struct tm_perf_last_counts last_counts;
    uint64_t lost, aux_bytes, aux_cut;
    uint64_t user_stacks; /* samples with a user's stack to unwind */
    uint64_t tracepoints_cut, stacks_cut; /* with more text, or frames, than the limit */
    struct tm_buf line, detail, text;
    struct tm_perf_stack_frame {
        uint64_t ip;
        enum tm_perf_mode mode;
    } * frames; /* of one sample, innermost first; room for TM_PERF_DATA_FRAMES_ROOM */
    uint32_t frame_count;
};

/* The largest number of frames that fits into a record. */
enum { TM_PERF_DATA_FRAMES_ROOM = UINT16_MAX / 8 + 1 };

/* Counts the record at BYTE. */
static inline void tm_perf_count(struct tm_perf_tally *tally, uint64_t byte)
{
    if (tally->count++ == 0)
        tally->first_byte = byte;
}

/* features.c: reads feature ID of the header from the bytes at C. Unused features are skipped. TM_OK; TM_END: it is
 * damaged, and what precedes the damage is known; TM_E_INPUT: a limit; TM_E_SYSTEM. */
enum tm_status tm_perf_feature_read(struct tm_perf *p, uint32_t id, struct tm_perf_cursor c, struct tm_error *err);

/* simpleperf.c: reads FILE, META_INFO or FILE2 in the same way. */
enum tm_status tm_perf_simpleperf_read(struct tm_perf *p, uint32_t id, struct tm_perf_cursor c, struct tm_error *err);

/* Returns the text number of the build id of LEN bytes at ID. TM_OK; TM_E_INPUT: a limit; TM_E_SYSTEM. */
enum { TM_PERF_BUILD_ID_MAX = 20 };
enum tm_status tm_perf_build_id_text(struct tm_perf *p, const uint8_t *id, size_t len, uint32_t *number,
                                     struct tm_error *err);

/* Reads a build id (PERF_RECORD_HEADER_BUILD_ID, or one of the feature's) whose header has the bits MISC. TM_OK;
 * TM_END: it is truncated; TM_E_INPUT: a limit; TM_E_SYSTEM. */
enum tm_status tm_perf_build_id_read(struct tm_perf *p, uint16_t misc, struct tm_perf_cursor c, struct tm_error *err);

/* survey.c: notes the names, mappings and events that RECORD states. TM_OK, also if it states none, or is truncated and
 * tm_perf_add_record says so; TM_END: it is truncated, or what it states is damaged; TM_E_INPUT: a limit;
 * TM_E_SYSTEM. */
enum tm_status tm_perf_survey(struct tm_perf *p, const struct tm_perf_record *record, struct tm_error *err);

/* rows.c: adds the rows of RECORD. TM_OK; TM_END: it is truncated; otherwise an error. */
enum tm_status tm_perf_add_record(struct tm_perf *p, const struct tm_perf_record *record, struct tm_error *err);

/* stack.c: makes frames of SAMPLE, a record with the bits MISC, and puts them into the detail. Once the detail has
 * TM_PERF_STACK_BYTES_MAX bytes, the remaining frames, the innermost, are left out. TM_OK or TM_E_SYSTEM. */
enum { TM_PERF_STACK_BYTES_MAX = 4 << 20 };
enum tm_status tm_perf_put_stack(struct tm_perf *p, const struct tm_perf_sample *sample, uint16_t misc,
                                 struct tm_error *err);

/* The fields of COMM: "pid tid comm"; TID may be 0 for no thread. False: it is truncated. */
struct tm_perf_comm {
    int32_t pid, tid;
    struct tm_text name;
    struct tm_perf_sample at; /* time and place */
};
bool tm_perf_comm_read(const struct tm_perf *p, const struct tm_perf_record *record, struct tm_perf_comm *comm);

/* The fields of FORK and EXIT. */
struct tm_perf_fork {
    int32_t pid, maker_pid, tid, maker_tid;
    uint64_t time;
    struct tm_perf_sample at;
};
bool tm_perf_fork_read(const struct tm_perf *p, const struct tm_perf_record *record, struct tm_perf_fork *fork);

#endif
