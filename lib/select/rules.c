/* Decides which events are wanted, by their kinds. */
#include "select/internal.h"

#include "base/hash.h"

/* Keeps names of tasks even if their event is not wanted. They do not count as events. */
static enum tm_status keep_names(struct tm_select *s, struct tm_select_group *g, struct tm_error *err)
{
    bool wanted;
    enum tm_status st = tm_select_wants(s, g, &wanted, err);
    for (uint32_t i = 0; i < g->count && st == TM_OK; i++)
        st = tm_select_describe(s, &g->rows[i], false, err);
    if (st < 0)
        return st;
    bool is_event = wanted && tm_select_is_in(s, g->rows->time_ns);
    return is_event ? tm_select_keep(s, g, NULL, err) : tm_select_as_context(s, g, err);
}

/* Kinds of states, in the key. */
enum { OF_CPU = 1, OF_COUNTER, OF_TRACK };

/* True with *KEY if E states something that holds until the next event with that key. */
static bool state_key(const struct tm_select *s, const struct tm_event *e, struct tm_key *key)
{
    const uint64_t kind_shift = 56;
    enum tm_scope scope = tm_event_scope(e->flags);
    *key = (struct tm_key){.a = (uint64_t)e->file << 32 | e->machine};
    if (e->kind == TM_KIND_SCHED_SWITCH) {
        key->a = e->machine; /* a cpu's state does not depend on the file */
        key->b = e->cpu;
        key->c = (uint64_t)OF_CPU << kind_shift;
    } else if (e->kind == TM_KIND_PACKET && e->flags & TM_EVENT_HAS_TRACK) {
        key->b = e->track;
        key->c = (uint64_t)OF_TRACK << kind_shift;
    } else if (e->kind == TM_KIND_COUNTER && scope == TM_SCOPE_TRACK) {
        key->b = e->track;
        key->c = (uint64_t)OF_COUNTER << kind_shift;
    } else if (e->kind == TM_KIND_COUNTER) {
        key->b = scope == TM_SCOPE_CPU       ? e->cpu
                 : scope == TM_SCOPE_PROCESS ? (uint64_t)e->pid
                 : scope == TM_SCOPE_THREAD  ? (uint64_t)e->tid
                                             : 0;
        key->c = (tm_hash_u64(tm_open_slices_label(s->catalog, e, e->name)) ^ (uint64_t)scope) | UINT64_C(1) << 63;
    } else {
        return false;
    }
    return true;
}

/* Records that group ID states KEY from now on, for task LIFETIME. The group that stated it before loses a reference.
 */
static enum tm_status set_state(struct tm_select *s, const struct tm_key *key, uint32_t id, uint32_t lifetime,
                                struct tm_error *err)
{
    int64_t i = tm_table_find(&s->states, key);
    enum tm_status st = TM_OK;
    if (i == TM_TABLE_NONE) {
        if (id == TM_PENDING_GROUPS_NONE)
            return TM_OK;
        i = s->state_count;
        if ((st = tm_array_grow(&s->state_rows, &s->state_cap, s->state_count, sizeof *s->state_rows, err)) < 0 ||
            (st = tm_table_set(&s->states, key, i, err)) < 0)
            return st;
        s->state_rows[s->state_count++] = (struct tm_select_state){.pending = TM_PENDING_GROUPS_NONE};
    }
    struct tm_select_state before = s->state_rows[i];
    s->state_rows[i] = (struct tm_select_state){id, lifetime};
    if (id == before.pending)
        return TM_OK;
    if (id != TM_PENDING_GROUPS_NONE)
        tm_pending_groups_ref(&s->pending, id);
    return before.pending != TM_PENDING_GROUPS_NONE ? tm_pending_groups_unref(&s->pending, before.pending, err) : TM_OK;
}

/* Keeps a group from before `from` until all that it states has been stated again. */
static enum tm_status add_pending_state(struct tm_select *s, struct tm_select_group *g, struct tm_error *err)
{
    struct tm_key key;
    uint32_t id = TM_PENDING_GROUPS_NONE, lifetime;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < g->count && st == TM_OK; i++) {
        if (!state_key(s, &g->rows[i], &key))
            continue;
        if (id == TM_PENDING_GROUPS_NONE) {
            g->fate = TM_GROUP_PENDING;
            const struct tm_event_rows rows = tm_select_rows(s, g);
            st = tm_pending_groups_add(&s->pending, TM_PENDING_GROUPS_STATE, &rows, &id, err);
        }
        lifetime = 0;
        if (st == TM_OK && g->rows[i].kind == TM_KIND_COUNTER)
            st = tm_select_lifetime_of(s, &g->rows[i], &lifetime, err);
        if (st == TM_OK && lifetime)
            st = tm_pending_groups_add_lifetime(&s->pending, id, lifetime, err);
        if (st == TM_OK)
            st = set_state(s, &key, id, lifetime, err);
    }
    return st;
}

/* Replaces the pending states that G states again. G is in the first timestamp group of the wanted time. */
static enum tm_status replace_state(struct tm_select *s, const struct tm_select_group *g, struct tm_error *err)
{
    struct tm_key key;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < g->count && st == TM_OK; i++)
        if (state_key(s, &g->rows[i], &key))
            st = set_state(s, &key, TM_PENDING_GROUPS_NONE, 0, err);
    return st;
}

enum tm_status tm_select_settle(struct tm_select *s, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < s->state_count && st == TM_OK; i++) {
        const struct tm_select_state *state = &s->state_rows[i];
        if (state->pending != TM_PENDING_GROUPS_NONE && state->lifetime &&
            tm_task_lifetimes_is_over(&s->lifetimes, state->lifetime))
            st = tm_pending_groups_unref(&s->pending, state->pending, err);
    }
    tm_table_release(&s->states);
    s->state_count = 0;
    return st < 0 ? st : tm_task_lifetimes_settle(&s->lifetimes, err);
}

/* Decides events without a duration. Some of them state what holds from then on. */
static enum tm_status point(struct tm_select *s, struct tm_select_group *g, struct tm_error *err)
{
    bool wanted;
    enum tm_status st = tm_select_wants(s, g, &wanted, err);
    if (st < 0 || !wanted)
        return st;
    if (tm_select_is_in(s, g->rows->time_ns)) {
        if (s->is_before_cut && !tm_select_is_slice(g->rows->kind) && (st = replace_state(s, g, err)) < 0)
            return st;
        return tm_select_keep(s, g, NULL, err);
    }
    /* Counters stated when a slice begins or ends do not hold afterwards. */
    if (s->is_before_cut && g->rows->time_ns < s->from_ns && !tm_select_is_slice(g->rows->kind))
        return add_pending_state(s, g, err);
    return TM_OK;
}

enum tm_status tm_select_decide(struct tm_select *s, struct tm_select_group *g, struct tm_error *err)
{
    if (tm_select_only_names(g->rows, g->count))
        return keep_names(s, g, err);
    switch (g->rows->kind) {
    case TM_KIND_TASK_NEW:
    case TM_KIND_TASK_RENAME:
    case TM_KIND_PROCESS_EXIT:
        return tm_select_task(s, g, err);
    case TM_KIND_SLICE_BEGIN:
    case TM_KIND_SLICE_END:
    case TM_KIND_SLICE_COMPLETE:
    case TM_KIND_SLICE_ARGS:
        return tm_select_slice(s, g, err);
    case TM_KIND_FLOW_START:
    case TM_KIND_FLOW_STEP:
    case TM_KIND_FLOW_END:
        return tm_select_flow(s, g, err);
    case TM_KIND_ASYNC_STEP:
        return tm_select_step(s, g, err);
    default:
        return point(s, g, err);
    }
}
