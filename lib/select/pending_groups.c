#include "select/pending_groups.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of groups are indices plus one. 0 means none. */
struct tm_pending_group {
    uint64_t order;
    uint8_t *block;  /* rows, then their payloads; NULL: at offset in the temporary file */
    uint64_t offset;
    size_t bytes;
    uint32_t rows, refs;
    uint32_t next, prev;           /* in its list; next also of free groups */
    uint32_t leader, followers;    /* the first of them */
    uint32_t sibling, follower_count;
    uint32_t file, machine, clock;
    uint32_t *lifetimes, lifetime_count, lifetime_cap;
    uint8_t list;
    bool is_counted;
};

static struct tm_pending_group *group_at(struct tm_pending_groups *pending, uint32_t number)
{
    return &pending->groups[number - 1];
}

static enum tm_status new_group(struct tm_pending_groups *pending, uint32_t *number, struct tm_error *err)
{
    if (pending->free_group) {
        *number = pending->free_group;
        pending->free_group = group_at(pending, *number)->next;
        return TM_OK;
    }
    enum tm_status st = tm_array_grow(&pending->groups, &pending->group_cap, pending->group_count,
                                      sizeof *pending->groups, err);
    if (st == TM_OK)
        *number = ++pending->group_count;
    return st;
}

/* Puts group NUMBER at the end of its list. */
static void link_group(struct tm_pending_groups *pending, uint32_t number)
{
    struct tm_pending_group *g = group_at(pending, number);
    const uint32_t last = pending->last[g->list];
    if (last && group_at(pending, last)->order > g->order)
        pending->is_unsorted[g->list] = true;
    g->prev = last;
    g->next = 0;
    *(last ? &group_at(pending, last)->next : &pending->first[g->list]) = number;
    pending->last[g->list] = number;
}

/* A group's place in its list. */
struct place {
    uint64_t order;
    uint32_t index, number; /* index: that in the unsorted list */
};

static int by_order(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->order != y->order ? (x->order < y->order ? -1 : 1) : (x->index > y->index) - (x->index < y->index);
}

/* Sorts LIST by the order of its groups. */
static enum tm_status sort_list(struct tm_pending_groups *pending, enum tm_pending_groups_list list,
                                struct tm_error *err)
{
    uint32_t count = 0;
    struct place *places = malloc(pending->group_count * sizeof *places);
    if (places == NULL)
        return tm_error_nomem(err);
    for (uint32_t g = pending->first[list]; g; g = group_at(pending, g)->next, count++)
        places[count] = (struct place){group_at(pending, g)->order, count, g};
    qsort(places, count, sizeof *places, by_order);
    pending->first[list] = pending->last[list] = 0;
    for (uint32_t i = 0; i < count; i++)
        link_group(pending, places[i].number);
    pending->is_unsorted[list] = false;
    free(places);
    return TM_OK;
}

static void unlink_group(struct tm_pending_groups *pending, uint32_t number)
{
    const struct tm_pending_group *g = group_at(pending, number);
    *(g->prev ? &group_at(pending, g->prev)->next : &pending->first[g->list]) = g->next;
    *(g->next ? &group_at(pending, g->next)->prev : &pending->last[g->list]) = g->prev;
}

/* Frees group NUMBER, which is no longer in a list. */
static void free_group(struct tm_pending_groups *pending, uint32_t number)
{
    struct tm_pending_group *g = group_at(pending, number);
    if (g->block)
        pending->memory_bytes -= g->bytes;
    else
        pending->file_bytes -= g->bytes;
    free(g->block);
    free(g->lifetimes);
    *g = (struct tm_pending_group){.next = pending->free_group};
    pending->free_group = number;
}

/* Makes room for BYTES in the scratch. */
static enum tm_status reserve_loaded(struct tm_pending_groups *pending, size_t bytes, struct tm_error *err)
{
    if (bytes <= pending->loaded_cap)
        return TM_OK;
    uint8_t *loaded = realloc(pending->loaded, bytes);
    if (loaded == NULL)
        return tm_error_nomem(err);
    pending->loaded = loaded;
    pending->loaded_cap = bytes;
    return TM_OK;
}

/* Copies the groups that are in the temporary file to a new one, without the bytes of those that were dropped. */
static enum tm_status copy_file(struct tm_pending_groups *pending, struct tm_error *err)
{
    struct tm_temporary_file copy = {.dir = pending->file.dir};
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < pending->group_count && st == TM_OK; i++) {
        struct tm_pending_group *g = &pending->groups[i];
        if (g->rows == 0 || g->block)
            continue;
        if ((st = reserve_loaded(pending, g->bytes, err)) < 0 ||
            (st = tm_temporary_file_read(&pending->file, pending->loaded, g->bytes, g->offset, err)) < 0)
            break;
        g->offset = copy.len;
        st = tm_temporary_file_add(&copy, pending->loaded, g->bytes, err);
    }
    tm_temporary_file_release(&pending->file);
    pending->file = copy;
    return st;
}

static enum tm_status to_temporary(struct tm_pending_groups *pending, struct tm_pending_group *g, struct tm_error *err)
{
    g->offset = pending->file.len;
    enum tm_status st = tm_temporary_file_add(&pending->file, g->block, g->bytes, err);
    if (st < 0)
        return st;
    pending->memory_bytes -= g->bytes;
    pending->file_bytes += g->bytes;
    free(g->block);
    g->block = NULL;
    const bool is_sparse = pending->file.len > 2 * pending->file_bytes + TM_PENDING_GROUPS_MEMORY_MAX;
    return is_sparse ? copy_file(pending, err) : TM_OK;
}

/* Copies ROWS and their payloads into one block. */
static enum tm_status pack(struct tm_pending_groups *pending, struct tm_pending_group *g, const struct tm_event *rows,
                           uint32_t count, struct tm_error *err)
{
    size_t bytes = count * sizeof *rows;
    for (uint32_t i = 0; i < count; i++)
        bytes += (size_t)rows[i].raw_bytes + rows[i].detail_bytes;
    uint8_t *block = malloc(bytes);
    if (block == NULL)
        return tm_error_nomem(err);
    memcpy(block, rows, count * sizeof *rows);
    uint8_t *p = block + count * sizeof *rows;
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].raw_bytes)
            memcpy(p, rows[i].raw, rows[i].raw_bytes);
        p += rows[i].raw_bytes;
        if (rows[i].detail_bytes)
            memcpy(p, rows[i].detail, rows[i].detail_bytes);
        p += rows[i].detail_bytes;
    }
    g->block = block;
    g->bytes = bytes;
    pending->memory_bytes += bytes;
    return pending->memory_bytes > TM_PENDING_GROUPS_MEMORY_MAX ? to_temporary(pending, g, err) : TM_OK;
}

enum tm_status tm_pending_groups_add(struct tm_pending_groups *pending, enum tm_pending_groups_list list,
                                     const struct tm_event_rows *group, uint32_t *id, struct tm_error *err)
{
    const struct tm_event *rows = group->rows;
    uint32_t number = 0;
    enum tm_status st = new_group(pending, &number, err);
    if (st < 0)
        return st;
    struct tm_pending_group *g = group_at(pending, number);
    *g = (struct tm_pending_group){.order = group->order,
                                   .rows = group->count,
                                   .file = rows->file,
                                   .machine = rows->machine,
                                   .clock = rows->clock,
                                   .list = (uint8_t)list,
                                   .is_counted = tm_event_is_counted(rows->flags)};
    st = pack(pending, g, rows, group->count, err);
    link_group(pending, number);
    *id = number;
    return st;
}

enum tm_status tm_pending_groups_follow(struct tm_pending_groups *pending, uint32_t leader, uint32_t follower)
{
    struct tm_pending_group *l = group_at(pending, leader), *f = group_at(pending, follower);
    if (l->follower_count >= TM_PENDING_GROUPS_FOLLOWERS_MAX)
        return TM_END;
    l->follower_count++;
    f->leader = leader;
    f->sibling = l->followers;
    l->followers = follower;
    return TM_OK;
}

void tm_pending_groups_ref(struct tm_pending_groups *pending, uint32_t id)
{
    group_at(pending, id)->refs++;
}

static enum tm_status drop_one(struct tm_pending_groups *pending, uint32_t number, struct tm_error *err)
{
    const struct tm_pending_group *g = group_at(pending, number);
    enum tm_status st = g->is_counted ? tm_tally_add(pending->tally, g->file, g->machine, g->clock, err) : TM_OK;
    unlink_group(pending, number);
    free_group(pending, number);
    return st;
}

enum tm_status tm_pending_groups_drop(struct tm_pending_groups *pending, uint32_t id, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t f = group_at(pending, id)->followers, next; f && st == TM_OK; f = next) {
        next = group_at(pending, f)->sibling;
        st = drop_one(pending, f, err);
    }
    return st < 0 ? st : drop_one(pending, id, err);
}

enum tm_status tm_pending_groups_unref(struct tm_pending_groups *pending, uint32_t id, struct tm_error *err)
{
    return --group_at(pending, id)->refs == 0 ? tm_pending_groups_drop(pending, id, err) : TM_OK;
}

enum tm_status tm_pending_groups_add_lifetime(struct tm_pending_groups *pending, uint32_t id, uint32_t lifetime,
                                              struct tm_error *err)
{
    struct tm_pending_group *g = group_at(pending, id);
    if (g->lifetime_count && g->lifetimes[g->lifetime_count - 1] == lifetime)
        return TM_OK;
    enum tm_status st = tm_array_grow(&g->lifetimes, &g->lifetime_cap, g->lifetime_count, sizeof *g->lifetimes, err);
    if (st == TM_OK)
        g->lifetimes[g->lifetime_count++] = lifetime;
    return st;
}

const uint32_t *tm_pending_groups_lifetimes(const struct tm_pending_groups *pending, uint32_t id, uint32_t *count)
{
    *count = pending->groups[id - 1].lifetime_count;
    return pending->groups[id - 1].lifetimes;
}

bool tm_pending_groups_is_state(const struct tm_pending_groups *pending, uint32_t id)
{
    return pending->groups[id - 1].list == TM_PENDING_GROUPS_STATE;
}

void tm_pending_groups_move(struct tm_pending_groups *pending, uint32_t id, enum tm_pending_groups_list list)
{
    struct tm_pending_group *g = group_at(pending, id);
    if (!tm_pending_groups_is_state(pending, id))
        return;
    unlink_group(pending, id);
    g->list = (uint8_t)list;
    link_group(pending, id);
}

static enum tm_status load(struct tm_pending_groups *pending, const struct tm_pending_group *g, struct tm_error *err)
{
    enum tm_status st = reserve_loaded(pending, g->bytes, err);
    if (st < 0)
        return st;
    if (g->block) {
        memcpy(pending->loaded, g->block, g->bytes);
        return TM_OK;
    }
    return tm_temporary_file_read(&pending->file, pending->loaded, g->bytes, g->offset, err);
}

enum tm_status tm_pending_groups_take(struct tm_pending_groups *pending, enum tm_pending_groups_list list,
                                      struct tm_event **rows, uint32_t *count, struct tm_error *err)
{
    enum tm_status st = pending->is_unsorted[list] ? sort_list(pending, list, err) : TM_OK;
    const uint32_t number = pending->first[list];
    if (st < 0 || number == 0)
        return st < 0 ? st : TM_END;
    st = load(pending, group_at(pending, number), err);
    if (st < 0)
        return st;
    *count = group_at(pending, number)->rows;
    *rows = (struct tm_event *)(void *)pending->loaded;
    const uint8_t *p = pending->loaded + *count * sizeof **rows;
    for (uint32_t i = 0; i < *count; i++) {
        (*rows)[i].raw = p;
        (*rows)[i].detail = p + (*rows)[i].raw_bytes;
        p += (size_t)(*rows)[i].raw_bytes + (*rows)[i].detail_bytes;
    }
    unlink_group(pending, number);
    free_group(pending, number);
    return TM_OK;
}

void tm_pending_groups_release(struct tm_pending_groups *pending)
{
    for (uint32_t i = 0; i < pending->group_count; i++) {
        free(pending->groups[i].block);
        free(pending->groups[i].lifetimes);
    }
    free(pending->groups);
    free(pending->loaded);
    tm_temporary_file_release(&pending->file);
    *pending = (struct tm_pending_groups){0};
}
