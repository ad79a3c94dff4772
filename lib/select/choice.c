/* Decides whether an event is wanted, and keeps it. */
#include "select/internal.h"

/* Returns the kernel's name for events of this kind. Their name column holds the task's name. */
static const char *kernel_name(uint32_t kind)
{
    switch (kind) {
    case TM_KIND_SCHED_SWITCH:
        return "sched_switch";
    case TM_KIND_SCHED_WAKING:
        return "sched_waking";
    case TM_KIND_TASK_RENAME:
        return "task_rename";
    case TM_KIND_TASK_NEW:
        return "task_newtask";
    case TM_KIND_PROCESS_EXIT:
        return "sched_process_free";
    default:
        return NULL;
    }
}

/* *WANTED: true if row I of G fits all keys but the duration. */
static enum tm_status row_wanted(struct tm_select *s, const struct tm_select_group *g, uint32_t i, bool *wanted,
                                 struct tm_error *err)
{
    const struct tm_event *e = &g->rows[i];
    const char *kernel = kernel_name(e->kind);
    *wanted = tm_criteria_kind(&s->criteria, e->kind);
    enum tm_status st = *wanted && s->tasks_of.is_used ? tm_event_tasks_wants(&s->tasks_of, i, wanted, err) : TM_OK;
    if (st < 0 || !*wanted)
        return st;
    if (kernel)
        return tm_criteria_text(&s->criteria, tm_text_str(kernel), wanted, err);
    if (e->kind == TM_KIND_COUNTER && e->name == 0 && tm_event_scope(e->flags) == TM_SCOPE_TRACK)
        return tm_criteria_text(&s->criteria, tm_track_names_find(&s->tracks, e->file, e->track), wanted, err);
    return tm_criteria_labels(&s->criteria, e, tm_event_is_async_marker(e->flags) ? 0 : e->category, wanted, err);
}

/* True if a slice without an end that began at TS has lasted as long as wanted when the stream ends. */
static bool is_long_so_far(const struct tm_select *s, int64_t ts)
{
    return !s->spec->dur.has_most && s->facts->last_ns - ts >= s->spec->dur.least_ns;
}

/* *FITS: true if G begins or is a slice whose duration is wanted. */
static enum tm_status is_long(struct tm_select *s, const struct tm_select_group *g, bool *fits, struct tm_error *err)
{
    const struct tm_event *e = g->rows;
    const struct tm_select_duration *dur = &s->spec->dur;
    uint8_t answer = 0;
    *fits = false;
    if (e->kind == TM_KIND_SLICE_COMPLETE) {
        const bool is_open = e->flags & TM_EVENT_OPEN_ENDED;
        *fits = is_open ? is_long_so_far(s, e->time_ns)
                        : tm_select_duration_fits(dur, e->dur_ns < 0 ? 0 : e->dur_ns);
        return TM_OK;
    }
    if (e->kind != TM_KIND_SLICE_BEGIN && !tm_select_is_change(g))
        return TM_OK;
    enum tm_status st = tm_paged_file_read(&s->facts->durations, s->begin_count - 1, &answer, sizeof answer, err);
    *fits = answer != 0;
    return st;
}

enum tm_status tm_select_wants(struct tm_select *s, const struct tm_select_group *g, bool *wanted,
                               struct tm_error *err)
{
    enum tm_status st = TM_OK;
    *wanted = tm_criteria_takes_all(&s->criteria);
    if (*wanted)
        return TM_OK;
    if (s->spec->dur.is_set && ((st = is_long(s, g, wanted, err)) < 0 || !*wanted))
        return st;
    if ((st = row_wanted(s, g, 0, wanted, err)) < 0 || *wanted)
        return st;
    if (tm_select_is_slice(g->rows->kind) && !(g->count > 1 && g->rows[1].kind == TM_KIND_SLICE_BEGIN))
        return st;
    for (uint32_t i = 1; i < g->count && st == TM_OK && !*wanted; i++)
        if (g->rows[i].kind == TM_KIND_COUNTER || tm_select_is_slice(g->rows[i].kind))
            st = row_wanted(s, g, i, wanted, err);
    return st;
}

enum tm_status tm_select_lifetime_of(struct tm_select *s, const struct tm_event *row, uint32_t *lifetime,
                                     struct tm_error *err)
{
    enum tm_scope scope = tm_event_scope(row->flags);
    struct tm_task_ids owner = {.has_tid = row->flags & TM_EVENT_HAS_TID && scope != TM_SCOPE_PROCESS,
                                .has_pid = row->flags & TM_EVENT_HAS_PID,
                                .tid = row->tid,
                                .pid = row->pid};
    if (scope == TM_SCOPE_TRACK && !owner.has_tid && !owner.has_pid)
        owner = tm_track_names_owner(&s->tracks, row->file, row->track);
    *lifetime = 0;
    if (!owner.has_tid && !owner.has_pid)
        return TM_OK;
    return tm_task_lifetimes_get(&s->lifetimes, row->machine, owner.has_tid ? owner.tid : owner.pid, lifetime, err);
}

static enum tm_status keep_lifetime(struct tm_select *s, uint32_t id, const struct tm_event *row, struct tm_error *err)
{
    uint32_t lifetime;
    enum tm_status st = tm_select_lifetime_of(s, row, &lifetime, err);
    return st < 0 || lifetime == 0 ? st : tm_pending_groups_add_lifetime(&s->pending, id, lifetime, err);
}

enum tm_status tm_select_keep(struct tm_select *s, struct tm_select_group *g, uint32_t *id, struct tm_error *err)
{
    uint32_t number = TM_PENDING_GROUPS_NONE;
    enum tm_status st = TM_OK;
    g->fate = TM_GROUP_KEPT;
    if (s->is_before_cut) {
        g->fate = TM_GROUP_PENDING;
        bool is_early = g->rows->time_ns < s->from_ns;
        const struct tm_event_rows rows = tm_select_rows(s, g);
        st = tm_pending_groups_add(&s->pending, is_early ? TM_PENDING_GROUPS_EARLY : TM_PENDING_GROUPS_EXACT, &rows,
                                   &number, err);
        if (st == TM_OK && is_early)
            st = keep_lifetime(s, number, g->rows, err);
    }
    if (id)
        *id = number;
    return st;
}
