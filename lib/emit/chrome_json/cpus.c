#include "emit/chrome_json/cpus.h"

#include "base/table.h"
#include "emit/chrome_json/running_draft.h"

#include <stdio.h>
#include <stdlib.h>

enum { CPUS_MAX = 1 << 16 };

/* Returns the key of CPU on MACHINE in by_number. */
static uint64_t key_of(uint32_t machine, uint32_t cpu)
{
    return (uint64_t)machine << 32 | cpu;
}

/* Makes the row of CPU on MACHINE. */
static enum tm_status add(struct tm_json_cpus *cpus, uint32_t machine, uint32_t cpu, uint32_t *at,
                          struct tm_error *err)
{
    if (cpus->count == CPUS_MAX)
        return tm_error_set(err, TM_E_INPUT, "scheduling events of more than %d cpus", CPUS_MAX);
    if (tm_array_grow(&cpus->rows, &cpus->cap, cpus->count, sizeof *cpus->rows, err) < 0)
        return TM_E_SYSTEM;
    if (tm_map_set(&cpus->by_number, key_of(machine, cpu), cpus->count) != TM_OK)
        return tm_error_nomem(err);
    *at = cpus->count++;
    cpus->rows[*at] = (struct tm_json_cpu){.machine = machine, .cpu = cpu};
    return TM_OK;
}

/* Finds or makes the row of CPU on MACHINE. The row itself tells whether it is the one that was found last. */
static enum tm_status find_or_add(struct tm_json_cpus *cpus, uint32_t machine, uint32_t cpu,
                                  struct tm_json_cpu **running, struct tm_error *err)
{
    uint16_t *recent = &cpus->recent[(machine * 64 + cpu) & (TM_JSON_CPUS_RECENT - 1)];
    uint32_t at = *recent;
    if (at >= cpus->count || cpus->rows[at].machine != machine || cpus->rows[at].cpu != cpu) {
        enum tm_status st = TM_OK;
        if (!tm_map_find(&cpus->by_number, key_of(machine, cpu), &at))
            st = add(cpus, machine, cpu, &at, err);
        if (st < 0)
            return st;
        *recent = (uint16_t)at;
    }
    *running = &cpus->rows[at];
    return TM_OK;
}

/* Returns the sum of the counts that the pid of R and its names depend on, plus 1. */
static uint32_t changes_of(const struct tm_json_cpus *cpus, const struct tm_json_cpu *r)
{
    const uint32_t *counts = cpus->metadata->counts->counts;
    return counts[r->counts[0]] + counts[r->counts[1]] + 1;
}

/* Sets the pid of R, the CPU of E, in the output. Writes the names of that process and of the CPU, if they are new. */
static enum tm_status place(struct tm_json_cpus *cpus, struct tm_json_cpu *r, const struct tm_event *e,
                            struct tm_error *err)
{
    struct tm_json_metadata *m = cpus->metadata;
    int64_t cpu = r->cpu;
    char cpu_name[32];
    if (r->changes == changes_of(cpus, r))
        return TM_OK;
    enum tm_status st = tm_json_pids_find(m->pids, r->machine, TM_JSON_CPUS_PID, &r->out_pid, err);
    if (st == TM_OK)
        st = tm_json_metadata_label(m, e, r->out_pid, err);
    if (st == TM_OK)
        st = tm_json_metadata_name(m, r->out_pid, NULL, tm_text_str("Scheduling"), err);
    snprintf(cpu_name, sizeof cpu_name, "cpu %u", r->cpu);
    if (st == TM_OK)
        st = tm_json_metadata_name(m, r->out_pid, &cpu, tm_text_str(cpu_name), err);
    r->counts[0] = tm_json_metadata_count(r->out_pid);
    r->counts[1] = tm_json_pids_count(r->machine, TM_JSON_CPUS_PID);
    r->changes = changes_of(cpus, r);
    return st;
}

/* Writes the task that ran on R until E, unless it was the idle task. */
static enum tm_status put_running(struct tm_json_cpus *cpus, struct tm_json_cpu *r, const struct tm_event *e,
                                  struct tm_error *err)
{
    struct tm_json_writer *w = cpus->metadata->writer;
    enum tm_status st = place(cpus, r, e, err);
    if (st < 0 || !r->is_running || r->tid == 0)
        return st;
    const struct tm_json_running_draft draft = {.ts_ns = r->since_ns - w->base_ns,
                                                .dur_ns = e->time_ns - r->since_ns,
                                                .pid = r->out_pid,
                                                .tid = r->tid,
                                                .cpu = r->cpu,
                                                .priority = r->priority,
                                                .follows = tm_json_writer_follows(w)};
    const struct tm_text name = r->name ? tm_json_writer_string(w, r->name, e)
                                        : (struct tm_text){r->comm.data, r->comm.len};
    const struct tm_text pieces[] = {{(const uint8_t *)&draft, sizeof draft}, name};
    tm_out_late(&w->out, tm_json_running_format, pieces, 2);
    return tm_out_end_row(&w->out, err);
}

/* Notes the name of the task that E begins on R. */
static enum tm_status set_name(const struct tm_json_cpus *cpus, struct tm_json_cpu *r, const struct tm_event *e)
{
    const bool is_numbered = e->name && !(e->name & TM_STRING_INLINE);
    r->name = is_numbered ? e->name : 0;
    tm_buf_clear(&r->comm);
    if (is_numbered)
        return TM_OK;
    struct tm_text comm = e->name ? tm_json_writer_string(cpus->metadata->writer, e->name, e)
                                  : tm_task_names_thread(cpus->names, e->machine, e->pid);
    return tm_buf_add(&r->comm, comm.data, comm.len);
}

enum tm_status tm_json_cpus_switch(struct tm_json_cpus *cpus, const struct tm_event *e, struct tm_error *err)
{
    struct tm_json_cpu *r = NULL;
    enum tm_status st = find_or_add(cpus, e->machine, e->cpu, &r, err);
    if (st == TM_OK)
        st = put_running(cpus, r, e, err);
    if (st < 0)
        return st;
    r->is_running = e->flags & TM_EVENT_HAS_PID;
    r->since_ns = e->time_ns;
    r->tid = e->pid;
    r->priority = tm_event_next_priority(e);
    return set_name(cpus, r, e) == TM_OK ? TM_OK : tm_error_nomem(err);
}

void tm_json_cpus_release(struct tm_json_cpus *cpus)
{
    for (uint32_t i = 0; i < cpus->count; i++)
        tm_buf_release(&cpus->rows[i].comm);
    free(cpus->rows);
    tm_map_release(&cpus->by_number);
}
