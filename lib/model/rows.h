/* The rows that the model makes, and the interface of their receiver. */
#ifndef TM_MODEL_ROWS_H
#define TM_MODEL_ROWS_H

#include "model/catalog.h"
#include "model/heap_graph.h"
#include "model/place.h"
#include "stream/detail_fields.h"

enum { TM_NO_ID = -1 }; /* for ids, utid and upid */

struct tm_slice_row {
    int64_t id;
    int64_t ts;
    int64_t dur; /* 0: instant, -1: open */
    uint32_t track;
    uint32_t depth;
    int64_t parent; /* TM_NO_ID: none */
    int64_t arg_set; /* TM_NO_ID: none */
    struct tm_text name, category;
    bool has_thread_ts, has_thread_dur, has_instructions, has_instruction_delta;
    int64_t thread_ts, thread_dur; /* on the clock of the thread's own running time */
    int64_t instructions, instruction_delta; /* that the thread executed: until the slice began, and in it */
};

/* What a thread's own clock or its count of instructions showed when a slice began or ended. */
struct tm_thread_reading {
    int64_t value, length;
    bool is_instructions;
    bool has_length; /* at a begin: LENGTH is the time or the number of instructions that the slice took */
    bool is_exact;   /* at an end: a difference of 0 is real; otherwise 0 means unknown */
};

struct tm_counter_row {
    int64_t ts;
    uint32_t track;
    double value;
    int64_t arg_set;
    bool is_of_sample; /* the sample that was added last states it */
};

struct tm_sched_row {
    int64_t id;
    int64_t ts;
    int64_t dur; /* -1: still running */
    int64_t ucpu;
    uint32_t utid;
    bool has_priority;
    int32_t priority;
    struct tm_text end_state;
};

struct tm_thread_state_row {
    int64_t id;
    int64_t ts;
    int64_t dur; /* -1: it has not ended */
    uint32_t utid;
    struct tm_text state;             /* "Running", or as end_state of sched; data NULL: unknown */
    int64_t ucpu;                     /* where it ran; TM_NO_ID: none */
    /* the task that made it runnable, and that task's state at that time; TM_NO_ID: none */
    int64_t waker_utid, waker_id;
    int64_t irq_context;              /* 1: woken by an interrupt, 0: not; TM_NO_ID: unknown */
    int64_t io_wait;                  /* TM_NO_ID: unknown */
    struct tm_text blocked_function;  /* data NULL: unknown */
};

/* A waking of a task that was not asleep. */
struct tm_wakeup_row {
    int64_t id;
    int64_t ts;
    int64_t thread_state; /* the one that it is in */
    int64_t irq_context;  /* as in tm_thread_state_row */
    uint32_t utid, waker_utid;
};

/* A time of the recording in a file, named as in the metadata table. */
struct tm_recording_time {
    int64_t ts;
    struct tm_text name;
    uint32_t file, machine;
    int64_t idx; /* the process, buffer or session that the event is about; TM_NO_ID: none */
};

/* An event of the kernel as it was recorded. */
struct tm_ftrace_row {
    int64_t ts;
    struct tm_text name;
    int64_t ucpu;
    uint32_t utid; /* the thread that ran; of a switch, the one that ran before */
    uint32_t common_flags; /* of wakings in compact_sched, otherwise 0 */
    int64_t arg_set;
};

/* Returns the reference importer's word for a type of argument (value_type). No two words begin with the same
 * letter. */
const char *tm_arg_type_name(enum tm_arg type);

struct tm_arg_row {
    struct tm_text key;
    enum tm_arg type; /* tm_arg_type_name */
    bool has_int, has_real;
    int64_t int_value;
    double real_value;
    struct tm_text string_value; /* data NULL: none */
};

struct tm_sample_row {
    int64_t ts;
    int64_t utid; /* TM_NO_ID: no thread is stated */
    int64_t upid; /* of the process that is stated without a thread; TM_NO_ID: none is */
    uint32_t machine;
    enum tm_input_type input_type; /* of its file */
    struct tm_text file_type;      /* the same as the catalog names it */
    int64_t callsite; /* TM_NO_ID: no stack */
    bool is_perf; /* a PerfSample packet, if there is no source */
    struct tm_text source; /* that a sample of a proto states, may be empty; data NULL: none */
    int64_t cpu;  /* TM_NO_ID: unknown */
    struct tm_text cpu_mode, unwind_error; /* data NULL: none */
    int64_t counter; /* the track of the event that it counts; TM_NO_ID: none */
    double count;    /* how often the event has happened on the cpu, if that is known, or in all */
};

/* A profile of a heap. */
struct tm_heap_dump_row {
    int64_t ts; /* of its begin */
    int64_t dur;
    uint32_t upid;
    struct tm_text heap; /* data NULL: not named */
};

/* What a call stack has allocated from a heap since the previous dump, or freed. */
struct tm_allocation_row {
    int64_t ts;
    uint32_t upid;
    struct tm_text heap;
    int64_t callsite;
    int64_t count, bytes; /* below 0: freed */
};

struct tm_log_row {
    int64_t ts;
    int64_t utid; /* TM_NO_ID: of no thread */
    int64_t priority; /* as Android numbers them; 0: unknown */
    int64_t syslog_priority; /* as syslog numbers them; TM_NO_ID: the message is not of systemd's journal */
    enum tm_input_type input_type; /* of its file */
    struct tm_text tag; /* data NULL: none */
    struct tm_text message;
    int64_t arg_set; /* TM_NO_ID: none */
};

/* A mapping of memory. Unknown numbers are as the reference importer shows them. */
struct tm_mapping_row {
    int64_t id;
    struct tm_text name, build_id; /* build_id: in hexadecimal; data NULL: unknown */
    uint64_t start, end, exact_offset, start_offset, load_bias;
};

struct tm_frame_row {
    int64_t id;
    struct tm_text function;
    int64_t mapping; /* one without a name if it is not known */
    bool has_line;
    bool has_place; /* a mapping or an address is stated */
    int64_t rel_pc; /* 0: not stated */
    struct tm_text file; /* of the source; data NULL: unknown */
    uint32_t line;
};

struct tm_callsite_row {
    int64_t id;
    uint32_t depth;
    int64_t parent; /* callsite; TM_NO_ID: the outermost */
    int64_t frame;
};

/* The receiver of rows. Texts are valid during the call. Slices, scheds and thread states come with ids 0, 1, 2, …;
 * their ends may come later or never. An error ends the work. */
struct tm_rows {
    void *self;
    enum tm_status (*slice)(void *self, const struct tm_slice_row *row, struct tm_error *err);
    /* The open slice ID has ended after DUR; -1: it is still open. ARG_SET replaces its set of args. */
    enum tm_status (*slice_end)(void *self, int64_t id, int64_t dur, int64_t arg_set, struct tm_error *err);
    /* Slice ID has the name NAME instead of the one that it had. NULL: not needed. */
    enum tm_status (*slice_name)(void *self, int64_t id, struct tm_text name, struct tm_error *err);
    /* Slice ID began at READING of its thread. No slice came after it. NULL: not needed. */
    enum tm_status (*slice_thread_begin)(void *self, int64_t id, const struct tm_thread_reading *reading,
                                         struct tm_error *err);
    /* Slice ID, for which slice_end was called, ended at READING of its thread. NULL: not needed. */
    enum tm_status (*slice_thread_end)(void *self, int64_t id, const struct tm_thread_reading *reading,
                                       struct tm_error *err);
    enum tm_status (*counter)(void *self, const struct tm_counter_row *row, struct tm_error *err);
    enum tm_status (*sched)(void *self, const struct tm_sched_row *row, struct tm_error *err);
    enum tm_status (*sched_end)(void *self, int64_t id, int64_t dur, struct tm_text end_state, struct tm_error *err);
    /* Args of SET, fields of a Detail message, for tm_arg_next: those of a new set, or more for the set that the last
     * call of this or of the next function was about. */
    enum tm_status (*args)(void *self, int64_t set, struct tm_text args, struct tm_error *err);
    /* Repeats the args of set FROM in the new set INTO, which then gets more. *ID is advanced by their number. */
    enum tm_status (*arg_copy)(void *self, int64_t from, int64_t into, int64_t *id, struct tm_error *err);
    enum tm_status (*flow)(void *self, int64_t slice_out, int64_t slice_in, struct tm_error *err);
    enum tm_status (*sample)(void *self, const struct tm_sample_row *row, struct tm_error *err);
    enum tm_status (*mapping)(void *self, const struct tm_mapping_row *row, struct tm_error *err);
    enum tm_status (*frame)(void *self, const struct tm_frame_row *row, struct tm_error *err);
    enum tm_status (*callsite)(void *self, const struct tm_callsite_row *row, struct tm_error *err);
    enum tm_status (*log)(void *self, const struct tm_log_row *row, struct tm_error *err);
    /* NULL: not needed. */
    enum tm_status (*heap_dump)(void *self, const struct tm_heap_dump_row *row, struct tm_error *err);
    /* NULL: not needed. */
    enum tm_status (*allocation)(void *self, const struct tm_allocation_row *row, struct tm_error *err);
    /* GRAPH is complete. UPID: TM_NO_ID if it has neither objects nor roots. NULL: not needed. */
    enum tm_status (*heap_graph)(void *self, const struct tm_heap_graph *graph, int64_t upid, struct tm_error *err);
    /* MESSAGE, a DeobfuscationMapping of Perfetto, states names of classes, fields and functions. NULL: not needed. */
    enum tm_status (*deobfuscation)(void *self, struct tm_text message, struct tm_error *err);
    /* LIST, a PackagesList of Perfetto, states the apps of the machine of PLACE. NULL: not needed. */
    enum tm_status (*packages)(void *self, struct tm_place place, struct tm_text list, struct tm_error *err);
    enum tm_status (*thread_state)(void *self, const struct tm_thread_state_row *row, struct tm_error *err);
    enum tm_status (*thread_state_end)(void *self, int64_t id, int64_t dur, struct tm_error *err);
    /* The thread of state ID, which may have ended, waits or waited for IO_WAIT and FUNCTION (data NULL: unknown). */
    enum tm_status (*thread_state_reason)(void *self, int64_t id, int64_t io_wait, struct tm_text function,
                                          struct tm_error *err);
    /* The thread of state ID is in STATE, which was not known. NULL: not needed. */
    enum tm_status (*thread_state_is)(void *self, int64_t id, struct tm_text state, struct tm_error *err);
    enum tm_status (*wakeup)(void *self, const struct tm_wakeup_row *row, struct tm_error *err);
    enum tm_status (*recording_time)(void *self, const struct tm_recording_time *row, struct tm_error *err);
    /* A CPU can run at KHZ. */
    enum tm_status (*cpu_frequency)(void *self, int64_t ucpu, uint32_t khz, struct tm_error *err);
    enum tm_status (*ftrace_event)(void *self, const struct tm_ftrace_row *row, struct tm_error *err); /* may be NULL */
    /* EVENT comes next, and the rows until the call with IS_DONE belong to it. Events come in the order in which the
     * model takes them. NULL: not needed. */
    enum tm_status (*event)(void *self, const struct tm_event *event, bool is_done, struct tm_error *err);
};

#endif
