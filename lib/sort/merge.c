#include "sort/merge.h"

#include <stdlib.h>

enum { MERGE_STREAK = 4 /* rows from one run in a row before a search for more */ };

/* Where a run is being read. */
struct cursor {
    struct tm_block *block; /* NULL: at its end */
    uint32_t row;
    size_t at; /* of the row's payload */
};

/* A cursor's place in the tree, with what decides most comparisons. */
struct entry {
    uint64_t time; /* of the cursor's key; UINT64_MAX at its end */
    uint32_t cursor;
};

struct merge {
    const struct tm_merge_source *sources;
    const struct tm_file_order *orders;
    struct tm_gather *gather;
    struct cursor *cursors;
    struct entry *tree; /* [0] the winner, then the losers; children of node i are 2i and 2i+1 */
    uint32_t count;
};

/* The slow part of less: times are equal. */
static bool less_by_rest(const struct merge *m, uint32_t a, uint32_t b)
{
    const struct cursor *x = &m->cursors[a], *y = &m->cursors[b];
    if (x->block == NULL || y->block == NULL)
        return x->block != NULL || (y->block == NULL && a < b);
    struct tm_sort_key p = tm_block_key(x->block, x->row, m->orders);
    struct tm_sort_key q = tm_block_key(y->block, y->row, m->orders);
    if (tm_sort_key_less(&p, &q))
        return true;
    if (tm_sort_key_less(&q, &p))
        return false;
    if (x->block->sequence != y->block->sequence)
        return x->block->sequence < y->block->sequence;
    return a < b;
}

static inline bool less(const struct merge *m, struct entry a, struct entry b)
{
    return a.time != b.time ? a.time < b.time : less_by_rest(m, a.cursor, b.cursor);
}

static struct entry entry_of(const struct merge *m, uint32_t i)
{
    const struct cursor *c = &m->cursors[i];
    if (c->block == NULL)
        return (struct entry){UINT64_MAX, i};
    return (struct entry){tm_block_key(c->block, c->row, m->orders).time, i};
}

/* The next block of run I; what was noted of the last one is copied first where it goes away. */
static enum tm_status next_block(struct merge *m, uint32_t i, struct tm_error *err)
{
    struct cursor *c = &m->cursors[i];
    const struct tm_merge_source *source = &m->sources[i];
    enum tm_status st = TM_OK;
    if (source->is_transient && c->block)
        st = tm_gather_settle(m->gather, err);
    if (st == TM_OK)
        st = source->next(source->run, &c->block, err);
    if (st == TM_END) {
        c->block = NULL;
    } else if (st == TM_OK) {
        c->row = c->block->first;
        c->at = c->block->first_at;
    }
    return st;
}

/* Plays all matches once. */
static void build_tree(struct merge *m, struct entry *winners)
{
    for (uint32_t i = 0; i < m->count; i++)
        winners[m->count + i] = entry_of(m, i);
    for (uint32_t node = m->count - 1; node > 0; node--) {
        struct entry a = winners[2 * node], b = winners[2 * node + 1];
        bool a_wins = less(m, a, b);
        winners[node] = a_wins ? a : b;
        m->tree[node] = a_wins ? b : a;
    }
    m->tree[0] = winners[1];
}

/* The winner's cursor has moved: plays its matches again. */
static void replay(struct merge *m)
{
    struct entry winner = entry_of(m, m->tree[0].cursor);
    for (uint32_t node = (m->count + winner.cursor) / 2; node > 0; node /= 2) {
        struct entry other = m->tree[node];
        bool other_wins = less(m, other, winner);
        m->tree[node] = other_wins ? winner : other;
        winner = other_wins ? other : winner;
    }
    m->tree[0] = winner;
}

/* The best of those the winner beat: the run that would be next without it. */
static struct entry runner_up(const struct merge *m)
{
    uint32_t node = (m->count + m->tree[0].cursor) / 2;
    struct entry best = m->tree[node];
    for (node /= 2; node > 0; node /= 2)
        if (less(m, m->tree[node], best))
            best = m->tree[node];
    return best;
}

static bool row_is_less(const struct merge *m, const struct tm_block *block, uint32_t row,
                        const struct tm_sort_key *bound)
{
    struct tm_sort_key key = tm_block_key(block, row, m->orders);
    return tm_sort_key_less(&key, bound);
}

/* How many rows of the winner's block from its row on go before the runner-up; at least 1. */
static uint32_t stretch(const struct merge *m, const struct cursor *c, const struct cursor *next)
{
    uint32_t left = c->block->end - c->row;
    if (next->block == NULL)
        return left;
    struct tm_sort_key bound = tm_block_key(next->block, next->row, m->orders);
    uint32_t low = 1, step = 1; /* rows below low are known to be less */
    while (low + step <= left && row_is_less(m, c->block, c->row + low + step - 1, &bound)) {
        low += step;
        step *= 2;
    }
    uint32_t high = low + step - 1 < left ? low + step - 1 : left;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (row_is_less(m, c->block, c->row + mid, &bound))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static enum tm_status pass_rows(struct merge *m, uint32_t i, uint32_t count, struct tm_error *err)
{
    struct cursor *c = &m->cursors[i];
    enum tm_status st = tm_gather_add(m->gather, c->block, c->row, count, &c->at, err);
    c->row += count;
    if (st == TM_OK && c->row == c->block->end)
        st = next_block(m, i, err);
    return st;
}

static enum tm_status pass_one_run(struct merge *m, uint32_t i, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    while (st == TM_OK && m->cursors[i].block)
        st = pass_rows(m, i, m->cursors[i].block->end - m->cursors[i].row, err);
    return st < 0 ? st : TM_OK;
}

static enum tm_status pass_all(struct merge *m, struct tm_error *err)
{
    uint32_t streak = 0, last = UINT32_MAX;
    for (;;) {
        uint32_t i = m->tree[0].cursor;
        uint32_t count = 1;
        struct cursor *c = &m->cursors[i];
        if (c->block == NULL)
            return TM_OK;
        streak = i == last ? streak + 1 : 0;
        last = i;
        if (streak >= MERGE_STREAK)
            count = stretch(m, c, &m->cursors[runner_up(m).cursor]);
        enum tm_status st = pass_rows(m, i, count, err);
        if (st < 0)
            return st;
        replay(m);
    }
}

enum tm_status tm_merge(const struct tm_merge_source *sources, size_t count, const struct tm_file_order *orders,
                        struct tm_gather *gather, struct tm_error *err)
{
    struct merge m = {.sources = sources, .orders = orders, .gather = gather, .count = (uint32_t)count};
    struct entry *winners = NULL;
    enum tm_status st = TM_OK;
    if (count == 0)
        return TM_OK;
    m.cursors = calloc(count, sizeof *m.cursors);
    m.tree = malloc(count * sizeof *m.tree);
    winners = malloc(2 * count * sizeof *winners);
    if (m.cursors == NULL || m.tree == NULL || winners == NULL) {
        st = tm_error_nomem(err);
        goto out;
    }
    for (uint32_t i = 0; i < count && st >= 0; i++)
        st = next_block(&m, i, err);
    if (st < 0)
        goto out;
    if (count == 1) {
        st = pass_one_run(&m, 0, err);
    } else {
        build_tree(&m, winners);
        st = pass_all(&m, err);
    }
    if (st >= 0)
        st = tm_gather_settle(gather, err);
out:
    free(m.cursors);
    free(m.tree);
    free(winners);
    return st;
}
