#include "select/internal.h"

#include "base/checked.h"

#include <stdio.h>
#include <stdlib.h>

enum { GROUP_ROWS_MAX = 1 << 18, GROUP_BYTES_MAX = 64 << 20 };

enum tm_status tm_select_new(struct tm_select **select, const struct tm_select_spec *spec,
                             const struct tm_catalog *catalog, const char *temporary_dir, struct tm_error *err)
{
    struct tm_select *s = *select = calloc(1, sizeof *s);
    if (s == NULL)
        return tm_error_nomem(err);
    s->spec = spec;
    s->catalog = catalog;
    s->criteria.spec = spec;
    s->criteria.catalog = catalog;
    s->pending.file.dir = temporary_dir;
    s->pending.tally = &s->tally;
    s->lifetimes.pending = &s->pending;
    s->pending_rows.file.dir = temporary_dir;
    tm_hidden_tasks_init(&s->tasks, catalog);
    tm_track_names_init(&s->tracks);
    tm_event_tasks_init(&s->tasks_of, spec, catalog, NULL);
    return tm_select_spec_looks_ahead(spec) ? tm_select_facts_new(&s->learned, temporary_dir, err) : TM_OK;
}

void tm_select_use(struct tm_select *s, struct tm_select_facts *facts)
{
    if (facts == NULL)
        return;
    tm_select_facts_free(s->learned);
    s->learned = NULL;
    s->facts = facts;
    tm_event_tasks_release(&s->tasks_of);
    tm_event_tasks_init(&s->tasks_of, s->spec, s->catalog, facts);
}

static enum tm_status put_pending(struct tm_select *s, enum tm_pending_groups_list list, struct tm_error *err)
{
    struct tm_event *rows;
    uint32_t count;
    enum tm_status st;
    while ((st = tm_pending_groups_take(&s->pending, list, &rows, &count, err)) == TM_OK) {
        if (list == TM_PENDING_GROUPS_STATE)
            for (uint32_t i = 0; i < count; i++)
                rows[i].time_ns = s->from_ns;
        else
            s->wanted_count += tm_select_is_shown(rows, count);
        if ((st = tm_select_put_pending(s, rows, count, err)) < 0)
            return st;
    }
    return st < 0 ? st : TM_OK;
}

/* Begins the wanted time. Writes the groups that are still pending, which belong to it. */
static enum tm_status stop_pending(struct tm_select *s, struct tm_error *err)
{
    enum tm_status st;
    s->is_before_cut = false;
    if ((st = tm_select_settle(s, err)) == TM_OK)
        st = put_pending(s, TM_PENDING_GROUPS_EARLY, err);
    if (st == TM_OK)
        st = put_pending(s, TM_PENDING_GROUPS_STATE, err);
    if (st == TM_OK)
        st = tm_select_name_pending(s, err);
    return st < 0 ? st : put_pending(s, TM_PENDING_GROUPS_EXACT, err);
}

static bool is_json(const struct tm_select *s, const struct tm_event *e)
{
    enum tm_input_type type = s->catalog->files[e->file].input_type;
    return type == TM_INPUT_JSON && tm_event_raw(e->flags) != TM_RAW_LINE;
}

static enum tm_status add_group(struct tm_select *s, const struct tm_event *first, struct tm_error *err)
{
    uint32_t i = s->group_count;
    enum tm_status st = tm_array_grow(&s->groups, &s->group_cap, i, sizeof *s->groups, err);
    if (st < 0 || (st = tm_array_grow(&s->ranks, &s->rank_cap, i, sizeof *s->ranks, err)) < 0)
        return st;
    s->groups[i] = (struct tm_select_group){.rows = first, .count = 1, .is_json = is_json(s, first)};
    s->ranks[i] = tm_timestamp_rank(first, s->groups[i].is_json, i);
    s->group_count++;
    return TM_OK;
}

/* True if ROW belongs to the row before it. An end that an event causes besides its own content belongs to another
 * slice. */
static bool is_part(const struct tm_event *row)
{
    return row->flags & TM_EVENT_DERIVED && !tm_select_ends(row);
}

/* Divides the rows of one time into groups and finds the order in which they are decided. */
static enum tm_status make_groups(struct tm_select *s, struct tm_error *err)
{
    bool in_order = true;
    enum tm_status st = TM_OK;
    s->group_count = 0;
    for (uint32_t i = 0; i < s->row_count && st == TM_OK; i++) {
        if (i > 0 && is_part(&s->rows[i])) {
            s->groups[s->group_count - 1].count++;
            continue;
        }
        st = add_group(s, &s->rows[i], err);
        uint32_t n = s->group_count;
        in_order = in_order && (n < 2 || !tm_timestamp_ranks_differ(&s->ranks[n - 2], &s->ranks[n - 1]));
    }
    if (st == TM_OK && !in_order)
        tm_timestamp_ranks_sort(s->ranks, s->group_count);
    return st;
}

/* At the first reading: notes what later decisions need of G. */
static enum tm_status learn(struct tm_select *s, const struct tm_select_group *g, bool here, struct tm_error *err)
{
    enum tm_status st = here && s->spec->dur.is_set ? tm_select_learn_slice(s, g, err) : TM_OK;
    for (uint32_t i = 0; here && i < g->count && st == TM_OK; i++)
        st = tm_hidden_tasks_learn(&s->tasks, &g->rows[i], err);
    return st;
}

static enum tm_status decide(struct tm_select *s, struct tm_select_group *g, struct tm_error *err)
{
    bool here;
    enum tm_status st = tm_criteria_place(&s->criteria, g->rows->file, g->rows->machine, &here, err);
    if (st == TM_OK && s->tasks_of.is_used)
        st = tm_event_tasks_take(&s->tasks_of, g->rows, g->count, err);
    if (st < 0 || s->learned)
        return st < 0 ? st : learn(s, g, here, err);
    if ((here && (st = tm_select_decide(s, g, err)) < 0) || g->fate == TM_GROUP_KEPT)
        return st;
    if (g->fate == TM_GROUP_DROPPED && tm_event_is_counted(g->rows->flags))
        st = tm_tally_add(&s->tally, g->rows->file, g->rows->machine, g->rows->clock, err);
    for (uint32_t i = 0; here && i < g->count && st == TM_OK; i++)
        st = tm_hidden_tasks_learn(&s->tasks, &g->rows[i], err);
    return st;
}

/* Writes the kept groups of one time in the order of the stream. */
static enum tm_status put_timestamp_group(struct tm_select *s, struct tm_error *err)
{
    bool in_batch = s->carry.count == 0;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < s->group_count && st == TM_OK; i++) {
        const struct tm_select_group *g = &s->groups[i];
        if (g->fate != TM_GROUP_KEPT)
            continue;
        bool changed = g->rows->flags & (TM_EVENT_CONTEXT | TM_EVENT_NO_LENGTH);
        s->wanted_count += tm_select_is_shown(g->rows, g->count);
        st = in_batch && !changed
                 ? tm_select_put_batch_rows(s, g->rows, g->count, s->group_row + (uint32_t)(g->rows - s->rows), err)
                 : tm_select_put(s, g->rows, g->count, err);
    }
    return st;
}

/* Decides the events of one time, all of which have arrived. */
static enum tm_status decide_timestamp_group(struct tm_select *s, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (s->is_before_cut && s->group_ns > s->from_ns &&
        ((st = tm_select_cut_short(s, s->from_ns + 1, err)) < 0 || (st = stop_pending(s, err)) < 0))
        return st;
    if ((st = tm_select_cut_short(s, s->group_ns, err)) < 0 || (st = make_groups(s, err)) < 0)
        return st;
    for (uint32_t i = 0; i < s->group_count && st == TM_OK; i++)
        st = decide(s, &s->groups[s->ranks[i].index], err);
    s->order += s->group_count;
    return st < 0 ? st : put_timestamp_group(s, err);
}

static enum tm_status add_row(struct tm_select *s, const struct tm_event *row, struct tm_error *err)
{
    enum tm_status st = tm_array_grow(&s->rows, &s->row_cap, s->row_count, sizeof *s->rows, err);
    if (st == TM_OK)
        s->rows[s->row_count++] = *row;
    return st;
}

static enum tm_status end_timestamp_group(struct tm_select *s, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (s->carry.count) {
        struct tm_batch batch;
        struct tm_event row;
        tm_batch_builder_view(&s->carry, &batch);
        struct tm_batch_walk walk = {.batch = &batch};
        while (st == TM_OK && tm_batch_next(&walk, &row))
            st = add_row(s, &row, err);
    }
    if (st == TM_OK && s->row_count)
        st = decide_timestamp_group(s, err);
    s->row_count = 0;
    if (s->carry.count)
        tm_batch_builder_clear(&s->carry);
    return st;
}

/* Copies rows that borrow from a batch that is about to be freed. */
static enum tm_status carry_rows(struct tm_select *s, struct tm_error *err)
{
    for (uint32_t i = 0; i < s->row_count; i++)
        if (tm_batch_builder_add(&s->carry, &s->rows[i]) != TM_OK)
            return tm_error_nomem(err);
    s->row_count = 0;
    return TM_OK;
}

/* Returns an edge of the wanted time on the timeline. */
static int64_t edge_of(const struct tm_select *s, const struct tm_select_time *time)
{
    int64_t ns;
    if (!time->is_relative)
        return time->ns;
    return tm_add_i64(s->origin_ns, time->ns, &ns) ? ns : INT64_MAX;
}

static void set_origin(struct tm_select *s, int64_t ns)
{
    s->has_origin = true;
    s->origin_ns = ns;
    s->has_from = s->spec->from.is_set;
    s->has_to = s->spec->to.is_set;
    s->from_ns = edge_of(s, &s->spec->from);
    s->to_ns = edge_of(s, &s->spec->to);
    s->is_before_cut = s->has_from && ns <= s->from_ns && !s->learned;
}

/* Keeps definitions of files and machines that are wanted. Interned data, and tracks that belong to no thread or
 * process, can be many. They wait until an event needs them. */
static enum tm_status define(struct tm_select *s, const struct tm_event *e, struct tm_error *err)
{
    struct tm_key key;
    uint64_t uuid = 0;
    bool here;
    enum tm_status st = tm_criteria_place(&s->criteria, e->file, e->machine, &here, err);
    if (st == TM_OK && s->tasks_of.is_used)
        st = tm_event_tasks_take(&s->tasks_of, e, 1, err);
    if (st < 0 || !here)
        return st;
    if (e->kind == TM_KIND_TRACK &&
        ((st = tm_track_names_learn(&s->tracks, e, &uuid, err)) < 0 || (st = tm_select_describe(s, e, true, err)) < 0))
        return st;
    if (s->learned)
        return TM_OK;
    if (e->kind == TM_KIND_TRACK && !(e->flags & (TM_EVENT_HAS_PID | TM_EVENT_HAS_TID)))
        key = tm_pending_rows_of_track(e->file, uuid);
    else if (e->kind == TM_KIND_SEQUENCE_STATE)
        key = tm_pending_rows_of_generation(e->generation);
    else
        return tm_select_put_batch_rows(s, e, 1, s->batch_row, err);
    return tm_pending_rows_add(&s->pending_rows, &key, e, err);
}

static bool is_full(const struct tm_select *s, const struct tm_event *e)
{
    bool many = s->row_count + s->carry.count >= GROUP_ROWS_MAX || s->carry.payload.len >= GROUP_BYTES_MAX;
    return many && !(e->flags & TM_EVENT_DERIVED);
}

static enum tm_status take(struct tm_select *s, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    bool defines = e->flags & (TM_EVENT_DEFINITION | TM_EVENT_UNTIMED);
    bool has_rows = s->row_count > 0 || s->carry.count > 0;
    if (has_rows && (defines || e->time_ns != s->group_ns || is_full(s, e)))
        st = end_timestamp_group(s, err);
    if (st < 0 || defines)
        return st < 0 ? st : define(s, e, err);
    if (!s->has_origin)
        set_origin(s, e->time_ns);
    if (s->row_count == 0)
        s->group_row = s->batch_row;
    s->group_ns = e->time_ns;
    if (s->carry.count)
        return tm_batch_builder_add(&s->carry, e) == TM_OK ? TM_OK : tm_error_nomem(err);
    return add_row(s, e, err);
}

/* True if every further row is kept unchanged: all files, machines, names and categories are wanted, and so is the
 * rest of the time. */
static bool keeps_rest(const struct tm_select *s)
{
    return s->has_origin && !s->is_before_cut && !s->has_to && tm_criteria_takes_all(&s->criteria) &&
           s->spec->values[TM_SELECT_MACHINE].count == 0 && s->spec->values[TM_SELECT_FILE].count == 0 &&
           !tm_hidden_tasks_any_due(&s->tasks) && !tm_pending_rows_any(&s->pending_rows);
}

static enum tm_status pass_on(struct tm_select *s, const struct tm_batch *batch, struct tm_error *err)
{
    enum tm_status st = end_timestamp_group(s, err);
    if (st == TM_OK)
        st = tm_select_flush(s, err);
    s->wanted_count += batch->count;
    return st < 0 ? st : s->receiver->show(s->receiver->self, batch, err);
}

enum tm_status tm_select_batch(struct tm_select *s, const struct tm_batch *batch,
                               const struct tm_batch_receiver *receiver, struct tm_error *err)
{
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    enum tm_status st = TM_OK;
    s->receiver = receiver;
    s->batch = batch;
    if (keeps_rest(s))
        return pass_on(s, batch, err);
    for (; st == TM_OK && tm_batch_next(&walk, &e); s->batch_row = walk.i)
        st = take(s, &e, err);
    s->batch_row = 0;
    if (st == TM_OK)
        st = tm_select_flush(s, err);
    return st < 0 ? st : carry_rows(s, err);
}

/* Drops groups that were pending for a time that the stream did not reach. */
static enum tm_status drop_pending(struct tm_select *s, struct tm_error *err)
{
    struct tm_event *rows;
    uint32_t count;
    enum tm_status st = TM_OK;
    for (enum tm_pending_groups_list list = TM_PENDING_GROUPS_EARLY; list < TM_PENDING_GROUPS_LISTS; list++) {
        while ((st = tm_pending_groups_take(&s->pending, list, &rows, &count, err)) == TM_OK) {
            if (tm_select_only_names(rows, count))
                st = tm_select_put_pending(s, rows, count, err);
            else if (tm_event_is_counted(rows->flags))
                st = tm_tally_add(&s->tally, rows->file, rows->machine, rows->clock, err);
            if (st < 0)
                return st;
        }
        if (st < 0)
            return st;
    }
    return TM_OK;
}

enum tm_status tm_select_finish(struct tm_select *s, const struct tm_batch_receiver *receiver, struct tm_error *err)
{
    s->receiver = receiver;
    enum tm_status st = end_timestamp_group(s, err);
    if (st == TM_OK && s->is_before_cut)
        st = s->group_ns >= s->from_ns ? stop_pending(s, err) : drop_pending(s, err);
    return st < 0 ? st : tm_select_flush(s, err);
}

enum tm_status tm_select_learned(struct tm_select *s, struct tm_select_facts **facts, struct tm_error *err)
{
    enum tm_status st = end_timestamp_group(s, err);
    if (st == TM_OK)
        st = tm_select_learn_open(s, err);
    if (st == TM_OK)
        st = tm_event_tasks_finish(&s->tasks_of, s->learned, err);
    if (st < 0)
        return st;
    s->learned->last_ns = s->group_ns;
    *facts = s->learned;
    s->learned = NULL;
    return TM_OK;
}

/* TM_OK if value K of KEY matches something in the stream, else TM_END. */
static enum tm_status is_known(struct tm_select *s, enum tm_select_key key, uint32_t k, struct tm_error *err)
{
    return key <= TM_SELECT_FILE ? tm_criteria_is_known(&s->criteria, key, k, err)
                                 : tm_event_tasks_is_known(&s->tasks_of, key, k, err);
}

enum tm_status tm_select_unknown(struct tm_select *s, uint32_t i, char *text, size_t size, struct tm_error *err)
{
    for (enum tm_select_key key = TM_SELECT_MACHINE; key <= TM_SELECT_TID; key++) {
        for (uint32_t k = 0; k < s->spec->values[key].count; k++) {
            enum tm_status st = is_known(s, key, k, err);
            if (st < 0)
                return st;
            if (st == TM_OK || i-- > 0)
                continue;
            snprintf(text, size, "%s=%s", tm_select_key_name(key), s->spec->values[key].texts[k]);
            return TM_OK;
        }
    }
    return TM_END;
}

bool tm_select_origin(const struct tm_select *s, int64_t *ns)
{
    *ns = s->origin_ns;
    return s->has_origin;
}

uint64_t tm_select_count(const struct tm_select *s)
{
    return s->wanted_count;
}

const struct tm_tally *tm_select_tally(const struct tm_select *s)
{
    return &s->tally;
}

void tm_select_free(struct tm_select *s)
{
    if (s == NULL)
        return;
    tm_select_facts_free(s->learned);
    tm_event_tasks_release(&s->tasks_of);
    tm_criteria_release(&s->criteria);
    tm_tally_release(&s->tally);
    tm_pending_groups_release(&s->pending);
    tm_open_slices_release(&s->open);
    tm_hidden_tasks_release(&s->tasks);
    tm_task_lifetimes_release(&s->lifetimes);
    tm_track_names_release(&s->tracks);
    tm_pending_rows_release(&s->pending_rows);
    tm_table_release(&s->states);
    free(s->state_rows);
    tm_batch_builder_release(&s->carry);
    tm_batch_builder_release(&s->out);
    free(s->rows);
    free(s->groups);
    free(s->ranks);
    free(s);
}
