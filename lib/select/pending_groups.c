#include "select/pending_groups.h"

#include "os/io.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static struct tm_pending_group *group_at(struct tm_pending_groups *h, uint32_t number)
{
    return &h->groups[number - 1];
}

static enum tm_status new_group(struct tm_pending_groups *h, uint32_t *number, struct tm_error *err)
{
    if (h->free_group) {
        *number = h->free_group;
        h->free_group = group_at(h, *number)->next;
        return TM_OK;
    }
    enum tm_status st = tm_array_grow(&h->groups, &h->group_cap, h->group_count, sizeof *h->groups, err);
    if (st == TM_OK)
        *number = ++h->group_count;
    return st;
}

static void link_group(struct tm_pending_groups *h, uint32_t number)
{
    struct tm_pending_group *g = group_at(h, number);
    uint32_t after = h->last[g->list];
    while (after && group_at(h, after)->order > g->order)
        after = group_at(h, after)->prev;
    g->prev = after;
    g->next = after ? group_at(h, after)->next : h->first[g->list];
    *(after ? &group_at(h, after)->next : &h->first[g->list]) = number;
    *(g->next ? &group_at(h, g->next)->prev : &h->last[g->list]) = number;
}

static void unlink_group(struct tm_pending_groups *h, uint32_t number)
{
    const struct tm_pending_group *g = group_at(h, number);
    *(g->prev ? &group_at(h, g->prev)->next : &h->first[g->list]) = g->next;
    *(g->next ? &group_at(h, g->next)->prev : &h->last[g->list]) = g->prev;
}

/* Frees group NUMBER, which is no longer in a list. */
static void free_group(struct tm_pending_groups *h, uint32_t number)
{
    struct tm_pending_group *g = group_at(h, number);
    if (g->block)
        h->memory_bytes -= g->bytes;
    free(g->block);
    free(g->lifetimes);
    *g = (struct tm_pending_group){.next = h->free_group};
    h->free_group = number;
}

static enum tm_status to_temporary(struct tm_pending_groups *h, struct tm_pending_group *g, struct tm_error *err)
{
    g->offset = h->file.len;
    enum tm_status st = tm_temporary_file_add(&h->file, g->block, g->bytes, err);
    if (st < 0)
        return st;
    h->memory_bytes -= g->bytes;
    free(g->block);
    g->block = NULL;
    return TM_OK;
}

/* Copies ROWS and their payloads into one block. */
static enum tm_status pack(struct tm_pending_groups *h, struct tm_pending_group *g, const struct tm_event *rows,
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
    h->memory_bytes += bytes;
    return h->memory_bytes > TM_PENDING_GROUPS_MEMORY_MAX ? to_temporary(h, g, err) : TM_OK;
}

enum tm_status tm_pending_groups_add(struct tm_pending_groups *h, enum tm_pending_groups_list list,
                                     const struct tm_event_rows *group, uint32_t *id, struct tm_error *err)
{
    const struct tm_event *rows = group->rows;
    uint32_t number = 0;
    enum tm_status st = new_group(h, &number, err);
    if (st < 0)
        return st;
    struct tm_pending_group *g = group_at(h, number);
    *g = (struct tm_pending_group){.order = group->order,
                                          .rows = group->count,
                                          .file = rows->file,
                                          .machine = rows->machine,
                                          .clock = rows->clock,
                                          .list = (uint8_t)list,
                                          .is_counted = tm_event_is_counted(rows->flags)};
    st = pack(h, g, rows, group->count, err);
    link_group(h, number);
    *id = number;
    return st;
}

enum tm_status tm_pending_groups_follow(struct tm_pending_groups *h, uint32_t leader, uint32_t follower)
{
    struct tm_pending_group *l = group_at(h, leader), *f = group_at(h, follower);
    if (l->follower_count >= TM_PENDING_GROUPS_FOLLOWERS_MAX)
        return TM_END;
    l->follower_count++;
    f->leader = leader;
    f->sibling = l->followers;
    l->followers = follower;
    return TM_OK;
}

void tm_pending_groups_ref(struct tm_pending_groups *h, uint32_t id)
{
    group_at(h, id)->refs++;
}

static enum tm_status drop_one(struct tm_pending_groups *h, uint32_t number, struct tm_error *err)
{
    const struct tm_pending_group *g = group_at(h, number);
    enum tm_status st = g->is_counted ? tm_tally_add(h->tally, g->file, g->machine, g->clock, err) : TM_OK;
    unlink_group(h, number);
    free_group(h, number);
    return st;
}

enum tm_status tm_pending_groups_drop(struct tm_pending_groups *h, uint32_t id, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t f = group_at(h, id)->followers, next; f && st == TM_OK; f = next) {
        next = group_at(h, f)->sibling;
        st = drop_one(h, f, err);
    }
    return st < 0 ? st : drop_one(h, id, err);
}

enum tm_status tm_pending_groups_unref(struct tm_pending_groups *h, uint32_t id, struct tm_error *err)
{
    return --group_at(h, id)->refs == 0 ? tm_pending_groups_drop(h, id, err) : TM_OK;
}

enum tm_status tm_pending_groups_add_lifetime(struct tm_pending_groups *h, uint32_t id, uint32_t lifetime,
                                              struct tm_error *err)
{
    struct tm_pending_group *g = group_at(h, id);
    if (g->lifetime_count && g->lifetimes[g->lifetime_count - 1] == lifetime)
        return TM_OK;
    enum tm_status st = tm_array_grow(&g->lifetimes, &g->lifetime_cap, g->lifetime_count, sizeof *g->lifetimes, err);
    if (st == TM_OK)
        g->lifetimes[g->lifetime_count++] = lifetime;
    return st;
}

const uint32_t *tm_pending_groups_lifetimes(const struct tm_pending_groups *h, uint32_t id, uint32_t *count)
{
    *count = h->groups[id - 1].lifetime_count;
    return h->groups[id - 1].lifetimes;
}

bool tm_pending_groups_is_state(const struct tm_pending_groups *h, uint32_t id)
{
    return h->groups[id - 1].list == TM_PENDING_GROUPS_STATE;
}

void tm_pending_groups_move(struct tm_pending_groups *h, uint32_t id, enum tm_pending_groups_list list)
{
    struct tm_pending_group *g = group_at(h, id);
    if (!tm_pending_groups_is_state(h, id))
        return;
    unlink_group(h, id);
    g->list = (uint8_t)list;
    link_group(h, id);
}

static enum tm_status load(struct tm_pending_groups *h, const struct tm_pending_group *g, struct tm_error *err)
{
    if (g->bytes > h->loaded_cap) {
        uint8_t *loaded = realloc(h->loaded, g->bytes);
        if (loaded == NULL)
            return tm_error_nomem(err);
        h->loaded = loaded;
        h->loaded_cap = g->bytes;
    }
    if (g->block) {
        memcpy(h->loaded, g->block, g->bytes);
        return TM_OK;
    }
    return tm_temporary_file_read(&h->file, h->loaded, g->bytes, g->offset, err);
}

enum tm_status tm_pending_groups_take(struct tm_pending_groups *h, enum tm_pending_groups_list list,
                                      struct tm_event **rows, uint32_t *count, struct tm_error *err)
{
    uint32_t number = h->first[list];
    if (number == 0)
        return TM_END;
    enum tm_status st = load(h, group_at(h, number), err);
    if (st < 0)
        return st;
    *count = group_at(h, number)->rows;
    *rows = (struct tm_event *)(void *)h->loaded;
    const uint8_t *p = h->loaded + *count * sizeof **rows;
    for (uint32_t i = 0; i < *count; i++) {
        (*rows)[i].raw = p;
        (*rows)[i].detail = p + (*rows)[i].raw_bytes;
        p += (size_t)(*rows)[i].raw_bytes + (*rows)[i].detail_bytes;
    }
    unlink_group(h, number);
    free_group(h, number);
    return TM_OK;
}

void tm_pending_groups_release(struct tm_pending_groups *h)
{
    for (uint32_t i = 0; i < h->group_count; i++) {
        free(h->groups[i].block);
        free(h->groups[i].lifetimes);
    }
    free(h->groups);
    free(h->loaded);
    tm_temporary_file_release(&h->file);
    *h = (struct tm_pending_groups){0};
}
