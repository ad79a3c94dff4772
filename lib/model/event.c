/* What the parts of the model ask of an event of any kind. */
#include "model/internal.h"

enum tm_status tm_model_count(struct tm_model *m, struct tm_place place, enum tm_model_stat stat,
                              struct tm_error *err)
{
    return tm_model_count_more(m, place, stat, 1, err);
}

enum tm_status tm_model_count_more(struct tm_model *m, struct tm_place place, enum tm_model_stat stat, uint64_t count,
                                   struct tm_error *err)
{
    struct tm_key key = {place.file, place.machine, 0};
    int64_t i = tm_table_find(&m->stat_rows, &key);
    enum tm_status st;
    if (i == TM_TABLE_NONE) {
        i = m->stat_count;
        if ((st = tm_array_grow(&m->stats, &m->stat_cap, m->stat_count, sizeof *m->stats, err)) < 0 ||
            (st = tm_table_set(&m->stat_rows, &key, i, err)) < 0)
            return st;
        m->stats[m->stat_count++] = (struct tm_model_stat_row){.file = place.file, .machine = place.machine};
    }
    m->stats[i].counts[stat] += count;
    return TM_OK;
}

enum tm_status tm_model_thread(struct tm_model *m, struct tm_model_event *ev, struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    if (ev->utid != TM_NO_ID)
        return TM_OK;
    if (e->flags & TM_EVENT_HAS_PID)
        return tm_processes_thread_in(&m->processes, ev->place.machine, e->tid, e->pid, &ev->utid, err);
    return tm_processes_thread(&m->processes, ev->place.machine, e->tid, &ev->utid, err);
}
