/* Scheduling: a slice for each run of a thread on a CPU, from switch to switch. Each file has its own state of a CPU,
 * so two recordings of one machine do not cut each other's slices. The rows of CPUs belong to the machine. */
#ifndef TM_MODEL_SCHED_H
#define TM_MODEL_SCHED_H

#include "base/intern.h"
#include "base/pb.h"
#include "model/rows.h"
#include "model/stats.h"
#include "base/table.h"

/* ucpu is machine * TM_CPUS_A_MACHINE + cpu. CPUs beyond the limit are not shown. */
enum { TM_CPUS_A_MACHINE = 4096 };

/* Limits of the texts that describe the processors of all machines. A CPU with another text has none, which is counted.
 */
enum { TM_CPU_TEXTS_MAX = 4096, TM_CPU_TEXT_BYTES_MAX = 1 << 20 };

struct tm_cpu_row {
    uint32_t machine, cpu;
    /* is_described: the machine describes the CPU; has_capacity: it states a capacity */
    bool is_described, has_capacity;
    uint32_t cluster, capacity;
    uint32_t processor; /* number of a text of tm_sched_text, plus 1; 0: none */
    int64_t arg_set;    /* TM_NO_ID: none */
};

struct tm_sched_switch {
    uint32_t file, machine, cpu;
    int64_t ts;
    bool has_prev; /* prev_tid is known */
    bool has_next; /* false: nothing runs from here on */
    int64_t prev_tid, next_tid;
    uint32_t next_utid;
    int32_t next_prio;
    struct tm_text end_state;
};

/* Cpus whose rows and states are found without a search, by the low bits of their numbers. */
enum { TM_SCHED_RECENT = 1 << 8 };

/* The number in STATES of what runs on a cpu in a file, plus 1; 0: none. */
struct tm_running_place {
    uint32_t file, machine, cpu, number;
};

/* Zero-initialise, then set ROWS and STATS. The calls return TM_OK, TM_E_SYSTEM or the error of ROWS. */
struct tm_sched {
    const struct tm_rows *rows;   /* receives the slices of CPUs */
    struct tm_model_stats *stats; /* borrowed; counts what the limits leave out */
    struct tm_cpu_row *cpus;
    uint32_t cpu_count;
    int64_t next_id;
    /* private */
    uint32_t cpu_cap;
    struct tm_intern texts;
    struct tm_table cpu_table, running;
    struct tm_running *states;
    uint32_t state_count, state_cap;
    int64_t recent_cpus[TM_SCHED_RECENT];            /* ucpu + 1 of cpus that have a row */
    struct tm_running_place recent[TM_SCHED_RECENT]; /* where the states of cpus are */
};

/* Makes the row of a CPU if it is new. CPUs beyond the limit get none. */
enum tm_status tm_sched_cpu(struct tm_sched *sched, uint32_t machine, uint32_t cpu, struct tm_error *err);

/* Sets the machine's description of a CPU from the CpuDescription in field DESCRIPTION, which PLACE states. *ROW: the
 * CPU's row; NULL: it has none or was described before. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_sched_describe(struct tm_sched *sched, struct tm_place place, const struct tm_pb_field *description,
                                 struct tm_cpu_row **row, struct tm_error *err);

/* Returns the text with number NUMBER of a row. Its data is NULL if NUMBER is 0. */
struct tm_text tm_sched_text(const struct tm_sched *sched, uint32_t number);

/* Returns the id of CPU of MACHINE in the column ucpu (doc/model.md). */
static inline int64_t tm_ucpu(uint32_t machine, uint32_t cpu)
{
    return (int64_t)machine * TM_CPUS_A_MACHINE + cpu;
}

/* Sets *UTID to the thread that the last switch of the CPU in the file of S left running. TM_NO_ID: none is known. */
enum tm_status tm_sched_running(struct tm_sched *sched, const struct tm_sched_switch *s, int64_t *utid,
                                struct tm_error *err);

/* Closes the slice that runs on the CPU and opens the next. The slice is closed only if it belongs to the previous task
 * of the switch (*MATCHES). Otherwise it stays open. */
enum tm_status tm_sched_switch(struct tm_sched *sched, const struct tm_sched_switch *s, bool *matches,
                               struct tm_error *err);

/* Adds ROW, a slice that states its own duration. Sets its id. */
enum tm_status tm_sched_add(struct tm_sched *sched, struct tm_sched_row *row, struct tm_error *err);

void tm_sched_release(struct tm_sched *sched);

#endif
