#include "select/task_lifetimes.h"

#include <stdlib.h>

/* A sweep visits all tasks and groups. It is due when enough tasks have ended to pay for it. */
enum { OVER_MIN = 1024, GROUPS_A_TASK = 8 };
enum described { DESCRIBED_NOW = 1, DESCRIBED_LASTING };

/* Numbers of lifetimes are indices plus one. 0 means none. */
struct tm_task_lifetime {
    uint32_t machine, maker, next_free;
    int64_t tid;
    uint32_t pending[TM_LIFETIME_CHANGES];
    bool is_used, is_over, is_described, is_root, is_needed;
    bool is_shown; /* pending slices belong to it */
    bool is_wanted; /* pending states belong to it, or it made a task that is kept */
};

static struct tm_key number_key(uint32_t machine, int64_t tid)
{
    return (struct tm_key){machine, (uint64_t)tid, 0};
}

/* Returns the task that has the number, or 0. */
static uint32_t find(const struct tm_task_lifetimes *l, uint32_t machine, int64_t tid)
{
    struct tm_key key = number_key(machine, tid);
    int64_t i = tm_table_find(&l->by_number, &key);
    return i == TM_TABLE_NONE ? 0 : (uint32_t)i;
}

bool tm_task_lifetimes_is_over(const struct tm_task_lifetimes *l, uint32_t lifetime)
{
    return l->rows[lifetime - 1].is_over;
}

static bool is_described(const struct tm_task_lifetimes *l, uint32_t machine, int64_t tid)
{
    struct tm_key key = number_key(machine, tid);
    return tm_table_find(&l->described, &key) != TM_TABLE_NONE;
}

/* Begins a new lifetime of the number. */
static enum tm_status begin_lifetime(struct tm_task_lifetimes *l, uint32_t machine, int64_t tid, uint32_t *lifetime,
                                     struct tm_error *err)
{
    struct tm_key key = number_key(machine, tid);
    enum tm_status st;
    if ((*lifetime = l->free_row) != 0) {
        l->free_row = l->rows[*lifetime - 1].next_free;
    } else {
        if (l->count >= TM_TASK_LIFETIMES_MAX)
            return TM_END;
        if ((st = tm_array_grow(&l->rows, &l->cap, l->count, sizeof *l->rows, err)) < 0)
            return st;
        *lifetime = ++l->count;
    }
    bool described = is_described(l, machine, tid);
    l->rows[*lifetime - 1] =
        (struct tm_task_lifetime){.machine = machine, .tid = tid, .is_used = true, .is_described = described};
    return tm_table_set(&l->by_number, &key, *lifetime, err);
}

static void end_lifetime(struct tm_task_lifetimes *l, uint32_t lifetime)
{
    struct tm_task_lifetime *row = &l->rows[lifetime - 1];
    struct tm_key key = number_key(row->machine, row->tid);
    row->is_over = true;
    row->is_described = is_described(l, row->machine, row->tid);
    tm_table_remove(&l->by_number, &key);
    l->over_count++;
}

static enum tm_status remove_lifetime(struct tm_task_lifetimes *l, uint32_t lifetime, struct tm_error *err)
{
    struct tm_task_lifetime *row = &l->rows[lifetime - 1];
    enum tm_status st = TM_OK;
    for (int change = 0; change < TM_LIFETIME_CHANGES && st == TM_OK; change++)
        if (row->pending[change])
            st = tm_pending_groups_drop(l->pending, row->pending[change], err);
    *row = (struct tm_task_lifetime){.next_free = l->free_row};
    l->free_row = lifetime;
    return st;
}

/* Marks the tasks that are needed: living and described ones, those of pending groups, and the makers of all these. */
static void mark(struct tm_task_lifetimes *l)
{
    for (uint32_t i = 0; i < l->count; i++) {
        struct tm_task_lifetime *row = &l->rows[i];
        row->is_root = row->is_needed = row->is_used && (!row->is_over || row->is_described);
        row->is_shown = row->is_wanted = false;
    }
    for (uint32_t id = 1; id <= l->pending->group_count; id++) {
        uint32_t count;
        const uint32_t *lifetimes = tm_pending_groups_lifetimes(l->pending, id, &count);
        while (count-- > 0) {
            struct tm_task_lifetime *row = &l->rows[lifetimes[count] - 1];
            row->is_root = row->is_needed = row->is_wanted = true;
            row->is_shown = row->is_shown || !tm_pending_groups_is_state(l->pending, id);
        }
    }
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t maker = l->rows[i].is_root ? l->rows[i].maker : 0;
        if (maker)
            l->rows[maker - 1].is_wanted = true;
        for (int n = 0; maker && n < TM_LIFETIME_MAKERS_MAX && !l->rows[maker - 1].is_root; n++) {
            l->rows[maker - 1].is_needed = true;
            maker = l->rows[maker - 1].maker;
        }
    }
}

static enum tm_status sweep(struct tm_task_lifetimes *l, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    uint32_t kept = 0;
    mark(l);
    for (uint32_t i = 0; i < l->count; i++)
        if (l->rows[i].maker && !l->rows[l->rows[i].maker - 1].is_needed)
            l->rows[i].maker = 0;
    for (uint32_t i = 0; i < l->count && st == TM_OK; i++) {
        kept += l->rows[i].is_needed;
        if (l->rows[i].is_used && !l->rows[i].is_needed)
            st = remove_lifetime(l, i + 1, err);
    }
    l->over_count = 0;
    l->over_max = OVER_MIN + kept + l->pending->group_count / GROUPS_A_TASK;
    return st;
}

enum tm_status tm_task_lifetimes_get(struct tm_task_lifetimes *l, uint32_t machine, int64_t tid, uint32_t *lifetime,
                                     struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if ((*lifetime = find(l, machine, tid)) == 0 && (st = begin_lifetime(l, machine, tid, lifetime, err)) == TM_END)
        *lifetime = 0;
    return st < 0 ? st : TM_OK;
}

/* Drops GROUP, which belongs to no kept task. */
static enum tm_status refuse(struct tm_task_lifetimes *l, uint32_t group, struct tm_error *err)
{
    enum tm_status st = tm_pending_groups_drop(l->pending, group, err);
    return st < 0 ? st : TM_END;
}

/* Forgets that the number was described, unless that lasts. */
static void remove_described(struct tm_task_lifetimes *l, uint32_t machine, int64_t tid)
{
    struct tm_key key = number_key(machine, tid);
    if (tm_table_find(&l->described, &key) == DESCRIBED_NOW)
        tm_table_remove(&l->described, &key);
}

enum tm_status tm_task_lifetimes_note(struct tm_task_lifetimes *l, const struct tm_lifetime_event *event,
                                      uint32_t group, struct tm_error *err)
{
    const enum tm_lifetime_change change = event->change;
    const uint32_t machine = event->machine;
    const int64_t tid = event->tid;
    uint32_t lifetime = find(l, machine, tid);
    enum tm_status st = TM_OK;
    if (change == TM_LIFETIME_START && lifetime) {
        end_lifetime(l, lifetime);
        lifetime = 0;
    }
    if (change == TM_LIFETIME_END && lifetime == 0 && !is_described(l, machine, tid))
        return refuse(l, group, err);
    if (l->over_count >= (l->over_max ? l->over_max : OVER_MIN) && (st = sweep(l, err)) < 0)
        return st;
    if (lifetime == 0 && (st = begin_lifetime(l, machine, tid, &lifetime, err)) != TM_OK)
        return st < 0 ? st : refuse(l, group, err);
    struct tm_task_lifetime *row = &l->rows[lifetime - 1];
    if (row->pending[change] && (st = tm_pending_groups_drop(l->pending, row->pending[change], err)) < 0)
        return st;
    row->pending[change] = group;
    if (change == TM_LIFETIME_START) {
        uint32_t made_by;
        st = tm_task_lifetimes_get(l, machine, event->maker, &made_by, err);
        l->rows[lifetime - 1].maker = made_by; /* the array may have moved */
    }
    if (change == TM_LIFETIME_END) {
        end_lifetime(l, lifetime);
        remove_described(l, machine, tid);
    }
    return st;
}

enum tm_status tm_task_lifetimes_describe(struct tm_task_lifetimes *l, uint32_t machine, int64_t tid, bool is_lasting,
                                          struct tm_error *err)
{
    struct tm_key key = number_key(machine, tid);
    if (!is_lasting && tm_table_find(&l->described, &key) != TM_TABLE_NONE)
        return TM_OK;
    return tm_table_set(&l->described, &key, is_lasting ? DESCRIBED_LASTING : DESCRIBED_NOW, err);
}

enum tm_status tm_task_lifetimes_settle(struct tm_task_lifetimes *l, struct tm_error *err)
{
    enum tm_status st = sweep(l, err);
    for (uint32_t id = 1; id <= l->pending->group_count && st == TM_OK; id++) {
        uint32_t count;
        const uint32_t *lifetimes = tm_pending_groups_lifetimes(l->pending, id, &count);
        while (count > 0 && !l->rows[lifetimes[count - 1] - 1].is_over)
            count--;
        if (count > 0)
            tm_pending_groups_move(l->pending, id, TM_PENDING_GROUPS_EARLY);
    }
    return st;
}

bool tm_task_lifetimes_next_shown(const struct tm_task_lifetimes *l, uint32_t *i, uint32_t *machine, int64_t *tid,
                                  bool *by_name)
{
    while (*i < l->count) {
        const struct tm_task_lifetime *row = &l->rows[(*i)++];
        if (!row->is_wanted || row->is_over)
            continue;
        *by_name = row->is_shown;
        *machine = row->machine;
        *tid = row->tid;
        return true;
    }
    return false;
}

void tm_task_lifetimes_release(struct tm_task_lifetimes *l)
{
    tm_table_release(&l->by_number);
    tm_table_release(&l->described);
    free(l->rows);
    l->rows = NULL;
    l->count = l->cap = l->free_row = 0;
}
