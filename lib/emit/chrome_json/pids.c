#include "emit/chrome_json/pids.h"

#include "base/hash.h"
#include "base/table.h"

#include <stdlib.h>

enum { PID_RENEWED = -1 }; /* in numbers, as unsigned: another process has the pid now, and no number yet */

static uint64_t process_key(uint32_t machine, int64_t pid)
{
    return tm_hash_three(machine, (uint64_t)pid, 0);
}

/* Finds a free pid for a process whose own pid belongs to another. */
static enum tm_status move_pid(struct tm_json_pids *pids, int64_t pid, uint32_t *number, struct tm_error *err)
{
    uint32_t owner;
    if (pids->next_pid == 0)
        pids->next_pid = TM_JSON_MOVED_PID_FIRST;
    while (tm_map_find(&pids->owners, (uint64_t)pids->next_pid, &owner))
        pids->next_pid++;
    if (tm_array_grow(&pids->moved, &pids->moved_cap, pids->moved_count, sizeof *pids->moved, err) < 0)
        return TM_E_SYSTEM;
    pids->moved[pids->moved_count] = (struct tm_json_pid){pids->next_pid, pid};
    *number = ++pids->moved_count;
    return tm_map_set(&pids->owners, (uint64_t)pids->next_pid, *number) == TM_OK ? TM_OK : tm_error_nomem(err);
}

/* Sets *NUMBER to the index in moved plus 1 of PID on MACHINE in its present lifetime; 0: it keeps its own pid. */
static enum tm_status number_of(struct tm_json_pids *pids, uint32_t machine, int64_t pid, uint32_t *number,
                                struct tm_error *err)
{
    const uint64_t key = process_key(machine, pid);
    enum tm_status st = TM_OK;
    uint32_t taken;
    if (tm_map_find(&pids->numbers, key, number) && *number != (uint32_t)PID_RENEWED)
        return TM_OK;
    *number = 0;
    if (tm_map_find(&pids->owners, (uint64_t)pid, &taken))
        st = move_pid(pids, pid, number, err);
    else if (tm_map_set(&pids->owners, (uint64_t)pid, 0) != TM_OK)
        st = tm_error_nomem(err);
    if (st == TM_OK && tm_map_set(&pids->numbers, key, *number) != TM_OK)
        st = tm_error_nomem(err);
    return st;
}

enum tm_status tm_json_pids_find(struct tm_json_pids *pids, uint32_t machine, int64_t pid, int64_t *out,
                                 struct tm_error *err)
{
    uint32_t number;
    enum tm_status st = number_of(pids, machine, pid, &number, err);
    if (st == TM_OK)
        *out = number ? pids->moved[number - 1].pid : pid;
    return st;
}

enum tm_status tm_json_pids_find_event(struct tm_json_pids *pids, const struct tm_event *e, int64_t pid, int64_t *out,
                                       struct tm_error *err)
{
    uint64_t key = tm_hash_three(e->file, e->track, (uint64_t)INT64_MAX);
    uint32_t number;
    if (tm_event_scope(e->flags) != TM_SCOPE_TRACK)
        return tm_json_pids_find(pids, e->machine, pid, out, err);
    if (!tm_map_find(&pids->numbers, key, &number)) {
        enum tm_status st = number_of(pids, e->machine, pid, &number, err);
        if (st < 0)
            return st;
        if (tm_map_set(&pids->numbers, key, number) != TM_OK)
            return tm_error_nomem(err);
    }
    *out = number ? pids->moved[number - 1].pid : pid;
    return TM_OK;
}

bool tm_json_pids_is_moved(const struct tm_json_pids *pids, int64_t out, int64_t *was)
{
    uint32_t number = 0;
    if (!tm_map_find(&pids->owners, (uint64_t)out, &number) || number == 0)
        return false;
    *was = pids->moved[number - 1].was;
    return true;
}

enum tm_status tm_json_pids_renew(struct tm_json_pids *pids, uint32_t machine, int64_t pid, struct tm_error *err)
{
    const uint64_t key = process_key(machine, pid);
    uint32_t number;
    pids->counts->counts[tm_json_pids_count(machine, pid)]++;
    if (!tm_map_find(&pids->numbers, key, &number))
        return TM_OK;
    return tm_map_set(&pids->numbers, key, (uint32_t)PID_RENEWED) == TM_OK ? TM_OK : tm_error_nomem(err);
}

void tm_json_pids_release(struct tm_json_pids *pids)
{
    tm_map_release(&pids->numbers);
    tm_map_release(&pids->owners);
    free(pids->moved);
}
