/* Decides events of tasks that start, end and change their names. */
#include "select/internal.h"

enum tm_status tm_select_describe(struct tm_select *s, const struct tm_event *row, bool is_lasting,
                                  struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (!s->spec->from.is_set ||
        (row->kind != TM_KIND_THREAD && row->kind != TM_KIND_PROCESS && row->kind != TM_KIND_TRACK))
        return TM_OK;
    if (row->flags & TM_EVENT_HAS_TID)
        st = tm_task_lifetimes_describe(&s->lifetimes, row->machine, row->tid, is_lasting, err);
    if (st == TM_OK && row->flags & TM_EVENT_HAS_PID)
        st = tm_task_lifetimes_describe(&s->lifetimes, row->machine, row->pid, is_lasting, err);
    return st;
}

/* Counts the event of G as left out, and marks its rows as context. */
static enum tm_status count_out(struct tm_select *s, struct tm_select_group *g, struct tm_error *err)
{
    struct tm_event *rows = &s->rows[g->rows - s->rows];
    enum tm_status st = TM_OK;
    if (tm_event_is_counted(rows->flags))
        st = tm_tally_add(&s->tally, rows->file, rows->machine, rows->clock, err);
    for (uint32_t i = 0; i < g->count; i++)
        rows[i].flags |= TM_EVENT_CONTEXT;
    return st;
}

enum tm_status tm_select_as_context(struct tm_select *s, struct tm_select_group *g, struct tm_error *err)
{
    enum tm_status st = count_out(s, g, err);
    return st < 0 ? st : tm_select_keep(s, g, NULL, err);
}

/* Makes an event from before the wanted time pending. It is shown if it still describes its task when that time
 * begins. */
static enum tm_status add_pending(struct tm_select *s, struct tm_select_group *g, struct tm_error *err)
{
    const struct tm_event *e = g->rows;
    const struct tm_lifetime_event event = {.change = e->kind == TM_KIND_TASK_NEW      ? TM_LIFETIME_START
                                                      : e->kind == TM_KIND_TASK_RENAME ? TM_LIFETIME_NAME
                                                                                       : TM_LIFETIME_END,
                                            .machine = e->machine,
                                            .tid = e->tid,
                                            .maker = e->pid};
    uint32_t id;
    enum tm_status st = count_out(s, g, err);
    if (st < 0)
        return st;
    g->fate = TM_GROUP_PENDING;
    const struct tm_event_rows rows = tm_select_rows(s, g);
    st = tm_pending_groups_add(&s->pending, TM_PENDING_GROUPS_EARLY, &rows, &id, err);
    if (st == TM_OK)
        st = tm_task_lifetimes_note(&s->lifetimes, &event, id, err);
    return st < 0 ? st : TM_OK;
}

enum tm_status tm_select_task(struct tm_select *s, struct tm_select_group *g, struct tm_error *err)
{
    bool wanted;
    enum tm_status st = tm_select_wants(s, g, &wanted, err);
    if (st < 0)
        return st;
    if (wanted && tm_select_is_in(s, g->rows->time_ns))
        return tm_select_keep(s, g, NULL, err);
    if (g->rows->tid == 0 ||
        (s->has_to && g->rows->time_ns >= s->to_ns)) /* the idle task has no lifetimes (lib/model) */
        return TM_OK;
    return s->is_before_cut && g->rows->time_ns < s->from_ns ? add_pending(s, g, err) : tm_select_as_context(s, g, err);
}
