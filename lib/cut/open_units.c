#include "cut/open_units.h"

#include <stdlib.h>
#include <string.h>

struct tm_unit_track *tm_open_units_track(struct tm_open_units *open, const struct tm_key *key)
{
    struct tm_error err = {0};
    int64_t i = tm_table_find(&open->by_key, key);
    if (i != TM_TABLE_NONE)
        return &open->tracks[i];
    if (tm_array_grow(&open->tracks, &open->cap, open->count, sizeof *open->tracks, &err) < 0 ||
        tm_table_set(&open->by_key, key, open->count, &err) < 0)
        return NULL;
    struct tm_unit_track *track = &open->tracks[open->count++];
    *track = (struct tm_unit_track){.next_group = 1, .soonest_ns = INT64_MAX, .latest_ns = INT64_MIN};
    return track;
}

/* Removes the rows [I, END). */
static void remove_rows(struct tm_open_units *open, struct tm_unit_track *t, uint32_t i, uint32_t end)
{
    for (uint32_t k = i; k < end; k++)
        tm_pending_units_drop(open->units, t->rows[k].unit);
    memmove(t->rows + i, t->rows + end, (t->count - end) * sizeof *t->rows);
    t->count -= end - i;
}

/* Updates soonest_ns and latest_ns of T for ROW, which is new or whose times have changed. */
static void note_times(struct tm_unit_track *t, const struct tm_open_unit *row)
{
    if (row->until_ns < t->soonest_ns)
        t->soonest_ns = row->until_ns;
    if (row->end_ns != INT64_MAX && row->end_ns > t->latest_ns)
        t->latest_ns = row->end_ns;
}

/* Drops the rows whose groups ended before NOW_NS. */
static void remove_ended(struct tm_open_units *open, struct tm_unit_track *t, int64_t now_ns)
{
    uint32_t kept = 0;
    if (t->soonest_ns >= now_ns)
        return;
    t->soonest_ns = INT64_MAX;
    t->latest_ns = INT64_MIN;
    for (uint32_t i = 0; i < t->count; i++) {
        if (t->rows[i].until_ns < now_ns) {
            tm_pending_units_drop(open->units, t->rows[i].unit);
        } else {
            note_times(t, &t->rows[i]);
            t->rows[kept++] = t->rows[i];
        }
    }
    t->count = kept;
    t->has_groups = t->has_groups && kept;
}

/* Moves all rows of GROUP to NEW_GROUP. */
static void join(struct tm_unit_track *t, uint32_t group, uint32_t new_group)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (t->rows[i].group == group)
            t->rows[i].group = new_group;
    t->has_groups = true;
}

/* Sets until_ns of all rows of GROUP. */
static void update_group_end(struct tm_unit_track *t, uint32_t group)
{
    int64_t until_ns = INT64_MIN;
    for (uint32_t i = 0; i < t->count; i++)
        if (t->rows[i].group == group && t->rows[i].end_ns > until_ns)
            until_ns = t->rows[i].end_ns;
    for (uint32_t i = 0; i < t->count; i++)
        if (t->rows[i].group == group) {
            t->rows[i].until_ns = until_ns;
            note_times(t, &t->rows[i]);
        }
}

static enum tm_status add(struct tm_unit_track *t, struct tm_open_unit row)
{
    struct tm_error err = {0};
    enum tm_status st = tm_array_grow(&t->rows, &t->cap, t->count, sizeof *t->rows, &err);
    if (st < 0)
        return st;
    row.unit->refs++;
    note_times(t, &row);
    t->rows[t->count++] = row;
    return TM_OK;
}

enum tm_status tm_open_units_begin(struct tm_open_units *open, struct tm_unit_track *t, struct tm_pending_unit *unit,
                                   const struct tm_open_span *span)
{
    const int64_t now_ns = span->begin_ns, end_ns = span->end_ns;
    uint32_t group = t->next_group++;
    bool is_joined = false;
    remove_ended(open, t, now_ns);
    if (t->count >= TM_OPEN_UNITS_MAX)
        remove_rows(open, t, 0, 1);
    for (uint32_t i = 0; t->latest_ns > now_ns && i < t->count; i++) {
        const struct tm_open_unit *row = &t->rows[i];
        if (row->end_ns <= now_ns || row->end_ns >= end_ns || row->group == group)
            continue;
        join(t, row->group, group);
        is_joined = true;
    }
    enum tm_status st = add(t, (struct tm_open_unit){unit, end_ns, end_ns, {span->label[0], span->label[1]}, group});
    if (st == TM_OK && is_joined)
        update_group_end(t, group);
    return st;
}

/* Returns the row of the begin that an end with LABEL means, or the count of T if there is none. */
static uint32_t find_begin(const struct tm_unit_track *t, const tm_slice_label label[2])
{
    for (uint32_t i = t->count; i-- > 0;)
        if (t->rows[i].end_ns == INT64_MAX && tm_slice_label_fits(t->rows[i].label, label))
            return i;
    return t->count;
}

bool tm_open_units_has(const struct tm_unit_track *t, const tm_slice_label label[2])
{
    return find_begin(t, label) < t->count;
}

bool tm_open_units_is_open(const struct tm_unit_track *t, const struct tm_pending_unit *unit)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (t->rows[i].unit == unit && t->rows[i].end_ns == INT64_MAX)
            return true;
    return false;
}

enum tm_status tm_open_units_attach(struct tm_unit_track *t, struct tm_pending_unit *unit,
                                    const tm_slice_label label[2])
{
    const struct tm_open_unit begin = t->rows[find_begin(t, label)];
    /* It is no slice and waits for no end. It stays as long as its group. */
    t->has_groups = true;
    return add(t, (struct tm_open_unit){unit, INT64_MIN, begin.until_ns, {0}, begin.group});
}

bool tm_open_units_end(struct tm_open_units *open, struct tm_unit_track *t, int64_t now_ns,
                       const tm_slice_label label[2])
{
    uint32_t at = find_begin(t, label);
    bool crosses = false;
    if (at == t->count)
        return false;
    const uint32_t group = t->rows[at].group;
    for (uint32_t i = t->count; i-- > at + 1;) /* begins inside the slice end with it */
        if (t->rows[i].end_ns == INT64_MAX)
            remove_rows(open, t, i, i + 1);
    for (uint32_t i = t->has_groups ? 0 : at + 1; i < t->count; i++) {
        const struct tm_open_unit *row = &t->rows[i];
        if (i > at && row->end_ns > now_ns) {
            join(t, row->group, group);
            crosses = true;
        } else if (i < at && row->group == group && row->end_ns < now_ns && row->end_ns != INT64_MIN) {
            crosses = true;
        }
    }
    if (crosses) {
        t->rows[at].end_ns = now_ns;
        update_group_end(t, group);
        return true;
    }
    for (uint32_t i = t->count; i-- > at + 1;) /* args that were added to the slice */
        if (t->rows[i].end_ns == INT64_MIN && t->rows[i].group == group)
            remove_rows(open, t, i, i + 1);
    remove_rows(open, t, at, at + 1);
    if (t->has_groups)
        update_group_end(t, group);
    return false;
}

enum tm_status tm_open_units_keep_end(struct tm_unit_track *t, struct tm_pending_unit *unit, int64_t now_ns)
{
    for (uint32_t i = t->count; i-- > 0;)
        if (t->rows[i].end_ns == now_ns) {
            t->has_groups = true;
            return add(t, (struct tm_open_unit){unit, now_ns, t->rows[i].until_ns, {0}, t->rows[i].group});
        }
    return TM_OK;
}

void tm_open_units_set_last(struct tm_open_units *open, struct tm_unit_track *t, struct tm_pending_unit *unit)
{
    unit->refs++;
    if (t->last)
        tm_pending_units_drop(open->units, t->last);
    t->last = unit;
}

void tm_open_units_drop_ended(struct tm_open_units *open, int64_t now_ns)
{
    for (uint32_t i = 0; i < open->count; i++)
        remove_ended(open, &open->tracks[i], now_ns);
}

void tm_open_units_release(struct tm_open_units *open)
{
    for (uint32_t i = 0; i < open->count; i++)
        free(open->tracks[i].rows);
    free(open->tracks);
    tm_table_release(&open->by_key);
    *open = (struct tm_open_units){0};
}
