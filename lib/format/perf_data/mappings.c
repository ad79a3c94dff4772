#include "format/perf_data/mappings.h"

#include "base/search.h"
#include "base/table.h"

#include <stdlib.h>

/* The address space of PID from TIME on. */
struct tm_perf_space {
    int64_t pid, parent_pid; /* the process that it was forked from; its own pid if unknown */
    uint64_t time;
    uint32_t order; /* order in which it was added */
    uint32_t parent; /* NONE: it began empty */
};

/* A boundary in the segment tree: the start of a mapping, or the byte after its end. */
struct tm_perf_point {
    uint32_t space;
    uint64_t address;
};

#define NONE UINT32_MAX

void tm_perf_mappings_init(struct tm_perf_mappings *m)
{
    tm_intern_init(&m->texts, TM_PERF_TEXTS_MAX, TM_PERF_TEXT_BYTES_MAX);
}

enum tm_status tm_perf_mappings_text(struct tm_perf_mappings *m, struct tm_text text, uint32_t *number,
                                     struct tm_error *err)
{
    *number = TM_PERF_NO_TEXT;
    if (text.len == 0)
        return TM_OK;
    enum tm_status st = tm_intern_add(&m->texts, text.data, text.len, number, NULL);
    if (st == TM_END)
        return tm_error_set(err, TM_E_INPUT, "names of files and symbols exceed the limit of %d, or %d bytes",
                            TM_PERF_TEXTS_MAX, TM_PERF_TEXT_BYTES_MAX);
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

static enum tm_status add_space(struct tm_perf_mappings *m, const struct tm_perf_space *space, struct tm_error *err)
{
    if (m->space_count == TM_PERF_SPACES_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than the limit of %d address spaces", TM_PERF_SPACES_MAX);
    enum tm_status st = tm_array_grow(&m->spaces, &m->space_cap, m->space_count, sizeof *m->spaces, err);
    if (st < 0)
        return st;
    m->spaces[m->space_count] = *space;
    m->spaces[m->space_count].order = m->space_count;
    m->space_count++;
    return TM_OK;
}

/* Adds the address space that PID has from the start, unless it is known. */
static enum tm_status know(struct tm_perf_mappings *m, int64_t pid, struct tm_error *err)
{
    enum tm_status st = tm_map_add(&m->known, (uint64_t)pid, 0);
    if (st != TM_OK)
        return st < 0 ? tm_error_nomem(err) : TM_OK;
    return add_space(m, &(struct tm_perf_space){.pid = pid, .parent_pid = pid}, err);
}

enum tm_status tm_perf_mappings_add(struct tm_perf_mappings *m, int64_t pid, const struct tm_perf_mapping *mapping,
                                    struct tm_error *err)
{
    if (m->count == TM_PERF_MAPPINGS_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than the limit of %d mappings", TM_PERF_MAPPINGS_MAX);
    enum tm_status st = know(m, pid, err);
    if (st == TM_OK)
        st = tm_array_grow(&m->list, &m->cap, m->count, sizeof *m->list, err);
    if (st == TM_OK)
        st = tm_array_grow(&m->pids, &m->pid_cap, m->count, sizeof *m->pids, err);
    if (st < 0)
        return st;
    m->list[m->count] = *mapping;
    m->list[m->count].space = m->count; /* before settle, the order in which it was added */
    m->pids[m->count++] = pid;
    return TM_OK;
}

enum tm_status tm_perf_mappings_space(struct tm_perf_mappings *m, int64_t pid, int64_t parent, uint64_t time,
                                      struct tm_error *err)
{
    enum tm_status st = know(m, pid, err);
    return st < 0 ? st : add_space(m, &(struct tm_perf_space){.pid = pid, .parent_pid = parent, .time = time}, err);
}

enum tm_status tm_perf_mappings_build_id(struct tm_perf_mappings *m, uint32_t name, uint32_t build_id,
                                         struct tm_error *err)
{
    return tm_map_set(&m->build_ids, name, build_id) == TM_OK ? TM_OK : tm_error_nomem(err);
}

static int compare_spaces(const void *left, const void *right)
{
    const struct tm_perf_space *a = left, *b = right;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static int compare_mappings(const void *left, const void *right)
{
    const struct tm_perf_mapping *a = left, *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->space < b->space ? -1 : a->space > b->space;
}

static int compare_points(const void *left, const void *right)
{
    const struct tm_perf_point *a = left, *b = right;
    if (a->space != b->space)
        return a->space < b->space ? -1 : 1;
    return a->address < b->address ? -1 : a->address > b->address;
}

/* Finds the space of PID at TIME, or NONE. */
static uint32_t space_at(const struct tm_perf_mappings *m, int64_t pid, uint64_t time)
{
    uint32_t low = 0, high = m->space_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct tm_perf_space *s = &m->spaces[middle];
        if (s->pid < pid || (s->pid == pid && s->time <= time))
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && m->spaces[low - 1].pid == pid ? low - 1 : NONE;
}

/* Counts the points at or before ADDRESS of SPACE. */
static uint32_t points_to(const struct tm_perf_mappings *m, uint32_t space, uint64_t address)
{
    struct tm_perf_point wanted = {space, address};
    uint32_t low = 0, high = m->point_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_points(&m->points[middle], &wanted) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Makes the points, sorted and each once. */
static enum tm_status make_points(struct tm_perf_mappings *m, struct tm_error *err)
{
    uint32_t count = 0;
    if ((m->points = malloc(((size_t)m->count * 2 + 1) * sizeof *m->points)) == NULL)
        return tm_error_nomem(err);
    for (uint32_t i = 0; i < m->count; i++) {
        const struct tm_perf_mapping *at = &m->list[i];
        m->points[count++] = (struct tm_perf_point){at->space, at->start};
        if (at->end < UINT64_MAX)
            m->points[count++] = (struct tm_perf_point){at->space, at->end + 1};
    }
    qsort(m->points, count, sizeof *m->points, compare_points);
    for (uint32_t i = 0; i < count; i++)
        if (m->point_count == 0 || compare_points(&m->points[m->point_count - 1], &m->points[i]) != 0)
            m->points[m->point_count++] = m->points[i];
    return TM_OK;
}

/* Adds mapping number I to the nodes that it covers. If PLACES is NULL, only counts them. */
static void cover(const struct tm_perf_mappings *m, uint32_t i, uint32_t *nodes, uint32_t *places)
{
    const struct tm_perf_mapping *at = &m->list[i];
    uint32_t low = points_to(m, at->space, at->start) - 1 + m->point_count;
    uint32_t high = points_to(m, at->space, at->end) + m->point_count;
    for (; low < high; low /= 2, high /= 2) {
        uint32_t both[2], count = 0;
        if (low & 1)
            both[count++] = low++;
        if (high & 1)
            both[count++] = --high;
        for (uint32_t k = 0; k < count; k++) {
            if (places)
                places[nodes[both[k]]] = i;
            nodes[both[k]]++;
        }
    }
}

static enum tm_status make_tree(struct tm_perf_mappings *m, struct tm_error *err)
{
    size_t nodes = (size_t)m->point_count * 2, total = 0;
    if ((m->node_ends = calloc(nodes + 1, sizeof *m->node_ends)) == NULL)
        return tm_error_nomem(err);
    for (uint32_t i = 0; i < m->count; i++)
        cover(m, i, m->node_ends, NULL);
    for (size_t i = 0; i < nodes; i++) {
        uint32_t count = m->node_ends[i];
        m->node_ends[i] = (uint32_t)total; /* the start of its places; the loop below moves it to their end */
        total += count;
    }
    if ((m->covers = malloc((total + 1) * sizeof *m->covers)) == NULL)
        return tm_error_nomem(err);
    for (uint32_t i = 0; i < m->count; i++)
        cover(m, i, m->node_ends, m->covers);
    return TM_OK;
}

enum tm_status tm_perf_mappings_settle(struct tm_perf_mappings *m, struct tm_error *err)
{
    if (m->count == 0)
        return TM_OK;
    qsort(m->spaces, m->space_count, sizeof *m->spaces, compare_spaces);
    for (uint32_t i = 0; i < m->space_count; i++) {
        struct tm_perf_space *s = &m->spaces[i];
        s->parent = s->parent_pid == s->pid ? NONE : space_at(m, s->parent_pid, s->time);
    }
    qsort(m->list, m->count, sizeof *m->list, compare_mappings);
    for (uint32_t i = 0; i < m->count; i++)
        m->list[i].space = space_at(m, m->pids[m->list[i].space], m->list[i].time);
    free(m->pids);
    m->pids = NULL;
    enum tm_status st = make_points(m, err);
    return st < 0 ? st : make_tree(m, err);
}

/* Finds the last mapping before number LIMIT that covers ADDRESS of SPACE, or NONE. */
static uint32_t covering(const struct tm_perf_mappings *m, uint32_t space, uint64_t address, uint32_t limit)
{
    uint32_t leaf = points_to(m, space, address), best = NONE;
    if (leaf == 0 || m->points[leaf - 1].space != space)
        return NONE;
    for (uint32_t node = leaf - 1 + m->point_count; node > 0; node /= 2) {
        uint32_t first = m->node_ends[node - 1], low = first, high = m->node_ends[node];
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (m->covers[middle] < limit)
                low = middle + 1;
            else
                high = middle;
        }
        if (low > first && (best == NONE || m->covers[low - 1] > best))
            best = m->covers[low - 1];
    }
    return best;
}

/* Counts the mappings up to TIME. */
static uint32_t mappings_by(const struct tm_perf_mappings *m, uint64_t time)
{
    return tm_search_u64_after(m->list, m->count, TM_SEARCH_FIELD(struct tm_perf_mapping, time), time);
}

const struct tm_perf_mapping *tm_perf_mappings_find(const struct tm_perf_mappings *m, int64_t pid, uint64_t time,
                                                    uint64_t address)
{
    if (m->point_count == 0)
        return NULL;
    uint32_t space = space_at(m, pid, time);
    for (int i = 0; i < TM_PERF_ANCESTORS_MAX && space != NONE; i++) {
        uint32_t found = covering(m, space, address, mappings_by(m, time));
        if (found != NONE)
            return &m->list[found];
        time = m->spaces[space].time;
        space = m->spaces[space].parent;
    }
    return NULL;
}

uint32_t tm_perf_mappings_build_id_of(const struct tm_perf_mappings *m, const struct tm_perf_mapping *mapping)
{
    uint32_t id;
    if (mapping->build_id != TM_PERF_NO_TEXT)
        return mapping->build_id;
    return mapping->name != TM_PERF_NO_TEXT && tm_map_find(&m->build_ids, mapping->name, &id) ? id : TM_PERF_NO_TEXT;
}

void tm_perf_mappings_release(struct tm_perf_mappings *m)
{
    tm_intern_release(&m->texts);
    free(m->list);
    free(m->pids);
    free(m->spaces);
    tm_map_release(&m->known);
    tm_map_release(&m->build_ids);
    free(m->points);
    free(m->node_ends);
    free(m->covers);
    *m = (struct tm_perf_mappings){0};
}
