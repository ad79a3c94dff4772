/* The pids of a Chrome JSON output. A process keeps its pid unless another process has it, of another machine or of an
 * earlier lifetime; then it gets a free one. */
#ifndef TM_EMIT_CHROME_JSON_PIDS_H
#define TM_EMIT_CHROME_JSON_PIDS_H

#include "base/map.h"
#include "emit/change_counts.h"
#include "stream/event.h"

/* Numbers for pids and tids that are strings begin at the first, those of processes whose pid belongs to another at the
 * second. */
enum { TM_JSON_TEXT_PID_FIRST = 0x40000000, TM_JSON_MOVED_PID_FIRST = 0x50000000 };

/* The processes of a machine's CPUs and of its kernel's tracks and counters, which no file names. */
enum { TM_JSON_CPUS_PID = 0x70000000, TM_JSON_KERNEL_PID };

/* Zero-initialise, and set counts. */
struct tm_json_pids {
    /* borrowed; tm_json_pids_count grows when a pid of a machine changes its meaning */
    struct tm_change_counts *counts;
    /* private */
    /* (machine, pid) or (file, track) to an index of moved plus 1, or 0; or that the pid means another process now */
    struct tm_map numbers;
    struct tm_map owners;  /* from a pid of the output to its index in moved plus 1, or 0 */
    struct tm_json_pid {
        int64_t pid, was;
    } *moved;              /* the pid of the output, and the original one */
    uint32_t moved_count, moved_cap;
    int64_t next_pid;      /* for pids that another process has */
};

/* Returns the index in counts of PID on MACHINE. */
static inline uint16_t tm_json_pids_count(uint32_t machine, int64_t pid)
{
    return tm_change_counts_index(machine, pid);
}

/* Sets *OUT to the output's pid for PID on MACHINE in its present lifetime. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_pids_find(struct tm_json_pids *pids, uint32_t machine, int64_t pid, int64_t *out,
                                 struct tm_error *err);

/* Sets *OUT to the output's pid for E, an event of process PID. A track keeps the process of its first event. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_json_pids_find_event(struct tm_json_pids *pids, const struct tm_event *e, int64_t pid, int64_t *out,
                                       struct tm_error *err);

/* If OUT, a pid of the output, was given to a process with another pid, sets *WAS to that one. */
bool tm_json_pids_is_moved(const struct tm_json_pids *pids, int64_t out, int64_t *was);

/* PID of MACHINE means another process from now on. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_pids_renew(struct tm_json_pids *pids, uint32_t machine, int64_t pid, struct tm_error *err);

/* If a process begins or ends with E, its pid means another process from now on. TM_OK or TM_E_SYSTEM. */
static inline enum tm_status tm_json_pids_note(struct tm_json_pids *pids, const struct tm_event *e,
                                               struct tm_error *err)
{
    bool is_life = e->kind == TM_KIND_PROCESS_EXIT || (e->kind == TM_KIND_TASK_NEW && !tm_event_makes_thread(e));
    return is_life && e->tid ? tm_json_pids_renew(pids, e->machine, e->tid, err) : TM_OK;
}

void tm_json_pids_release(struct tm_json_pids *pids);

/* True if NUMBER is in the range that tm-unpack uses for pids and tids that are strings; a recorded number may be in it
 * too. */
static inline bool tm_json_is_text_number(int64_t number)
{
    return number >= TM_JSON_TEXT_PID_FIRST && number < TM_JSON_MOVED_PID_FIRST;
}

#endif
