/* The event model: reads a placed, sorted stream and makes rows of the SQL surface.
 *
 * Threads, processes and tracks are kept until the end, because later events can still change them. Slices, counters,
 * scheduling and samples are passed on at once. Memory grows with the number of threads, processes, tracks,
 * descriptors, distinct call stacks and simultaneously open slices, never with the number of events. doc/model.md
 * states which event makes which row. */
#ifndef TM_MODEL_MODEL_H
#define TM_MODEL_MODEL_H

#include "kernel/sched_state.h"
#include "model/address_spaces.h"
#include "model/arg_sets.h"
#include "model/async_roots.h"
#include "model/descriptors.h"
#include "model/flows.h"
#include "model/gpus.h"
#include "model/heap_graphs.h"
#include "model/sched.h"
#include "model/recording_starts.h"
#include "model/row_bounds.h"
#include "model/seen_definitions.h"
#include "model/slices.h"
#include "model/stacks.h"
#include "model/stats.h"
#include "model/task_states.h"
#include "model/thread_states.h"
#include "model/translations.h"
#include "model/unnested_begins.h"
#include "stream/pending_events.h"
#include "stream/timestamp_group.h"

/* The content of a machine's SystemInfo packets. */
struct tm_machine_info {
    bool seen;      /* the machine has an event */
    struct tm_buf description; /* the MachineDescription messages, concatenated; later fields win */
    uint32_t kernel_version; /* TM_KERNEL_VERSION; 0: unknown */
    bool is_idle_known;
    bool is_of_system; /* a proto or ftrace text is of the machine, whatever became of its events */
};

struct tm_model_file {
    bool known, is_json;
    bool is_text; /* systrace */
    bool is_proto, is_perf_script;
    bool is_perf_data;
    bool is_fuchsia;
};

/* What the rows of one packet share. */
struct tm_model_packet {
    bool is_lost;      /* it is on no track */
    bool is_unmatched; /* it ended no slice */
    bool is_sample;    /* it is a PerfSample */
    /* The slice on a thread's track that it begins or ends; its thread's time may follow. */
    int64_t slice_id; /* TM_NO_ID: none */
    bool is_end;
    bool is_whole; /* it is an instant or a complete slice, and took these of its thread */
    int64_t thread_dur, thread_instruction_delta;
};

/* Options of a model. All are false by default. */
struct tm_model_options {
    bool tasks_only;     /* keeps threads and processes and makes no rows; the rows may be NULL */
    bool counts_samples; /* a counter of the CPU shows what samples of perf.data count */
    bool adds_args;      /* slices get the args that the reference importer adds */
    bool joins_flows;    /* one flow id in several files is one flow */
};

/* Processes, threads and machines, and the states of threads. */
struct tm_model_tasks {
    struct tm_processes processes;
    struct tm_machine_info *machines; /* by id */
    uint32_t machine_count, machine_cap;
    uint32_t placement_count; /* placements of the catalog that were looked at */
    struct tm_address_spaces address_spaces;
    struct tm_sched sched; /* its cpus are rows, too */
    struct tm_gpus gpus;   /* those that machines describe */
    struct tm_thread_states thread_states;
    struct tm_task_states task_states;
    struct tm_sched_state_texts state_texts;
};

/* Tracks, their lanes, and what decides which track an event is on. */
struct tm_model_layout {
    struct tm_tracks tracks;
    struct tm_lanes lanes;
    struct tm_descriptors descriptors;
    struct tm_async_roots async_roots;
};

/* The rows that are made, and the counts of problems. */
struct tm_model_output {
    const struct tm_rows *rows; /* borrowed; receives the rows */
    struct tm_model_options options;
    struct tm_row_bounds bounds;
    struct tm_model_stats stats;
    struct tm_arg_sets arg_sets;
    struct tm_model_packet packet; /* the current one */
    struct tm_buf args, arg_key;   /* scratch: args that are made from an event */
    struct tm_buf translated;      /* scratch: a detail with names of hashes */
};

/* Files by id, as far as events have come from them. */
struct tm_model_files {
    const struct tm_catalog *catalog; /* borrowed */
    struct tm_model_file *all;
    uint32_t count, cap;
    bool has_json; /* one of them is Chrome JSON */
};

struct tm_model_heaps {
    struct tm_table dumps; /* (process, time, heap) */
    struct tm_heap_graphs graphs;
};

/* Zero-initialise, then init. The options may be set after init. Functions of this room take one to three of the
 * members; those that need more take the whole. */
struct tm_model {
    struct tm_model_tasks tasks;
    struct tm_model_layout layout;
    struct tm_model_output out;
    /* private */
    struct tm_model_files files;
    struct tm_slices slices;
    struct tm_flows flows;
    struct tm_translations translations; /* where the model adds args */
    struct tm_stacks stacks;
    struct tm_unnested_begins unnested_begins; /* of markers, where the model adds args */
    struct tm_model_heaps heaps;
    struct tm_table sample_counts;    /* by counter track: the sum of the samples' periods */
    struct tm_pending_events pending; /* definitions whose time has not come */
    struct tm_seen_definitions seen_definitions;
    struct tm_recording_starts starts;
    struct tm_timestamp_group group;
    struct tm_timestamp_rank group_rank; /* of the last primary row in it */
    struct tm_arg_expander args;
    int64_t now_ns;
};

/* Starts a model that writes to ROWS. ROWS and CATALOG are borrowed and must outlive the model. */
void tm_model_init(struct tm_model *model, const struct tm_rows *rows, const struct tm_catalog *catalog);

/* Takes in the events of BATCH. TM_OK; TM_E_INPUT if they are not in order or not placed, or past a limit; TM_E_SYSTEM;
 * or the error of ROWS. */
enum tm_status tm_model_batch(struct tm_model *model, const struct tm_batch *batch, struct tm_error *err);

/* Takes in EVENT alone. Events of one time come in the order in which they nest. Returns what tm_model_batch
 * returns. */
enum tm_status tm_model_take(struct tm_model *model, const struct tm_event *event, struct tm_error *err);

/* Ends the stream: writes the last rows. Threads, processes, tracks, machines, stats and bounds are final afterwards.
 * Returns what tm_model_batch returns. */
enum tm_status tm_model_finish(struct tm_model *model, struct tm_error *err);

void tm_model_release(struct tm_model *model);

#endif
