#include "sort/merge.h"

#include <stdlib.h>

enum {
    CACHE_LINE = 64,
    MERGE_STREAK = 4, /* rows from one run in a row before a search for more */
    MERGE_FEW = 4,    /* runs */
    MERGE_AHEAD = 6   /* rows of a run that are looked at together; makes a cursor two cache lines */
};

#define RANK_VARIES UINT64_MAX

/* Where a run is being read. What the merge itself needs of the next rows is held here, side by
 * side for all runs: rows of hundreds of runs lie in hundreds of pages, which no processor keeps at
 * hand. */
struct cursor {
    uint64_t times[MERGE_AHEAD];    /* of rows row - ahead, …; see tm_block_time */
    uint32_t payloads[MERGE_AHEAD]; /* their bytes */
    uint16_t ahead, ahead_count;    /* the place of row among them */
    uint32_t row;
    struct tm_block *block;         /* NULL: at its end */
    const struct tm_block_layout *layout; /* the block's */
    const uint8_t *record;          /* the row's, where there is a layout; */
    const uint8_t *payload;         /* likewise its payload */
    size_t at;                      /* of the row's payload, where there is none */
    uint64_t rank;                  /* see tm_sort_key, of all rows of the block; RANK_VARIES where they may differ */
};

/* A cursor's place in the tree: the high bits are those of its row's time, less the first time of
 * all, that there is room for; the low bits are the cursor's number. So the smaller number wins, and
 * only when the high bits are equal the rows have to be looked at. */
typedef uint64_t tree_entry;

struct merge {
    const struct tm_merge_source *sources;
    const struct tm_file_order *orders;
    struct tm_gather *gather;
    struct cursor *cursors;
    tree_entry *tree; /* [0] the winner, then the losers; children of node i are 2i and 2i+1 */
    uint32_t count;
    unsigned cursor_bits; /* of an entry */
    uint64_t first_time;
};

static inline uint32_t cursor_of(const struct merge *m, tree_entry entry)
{
    return (uint32_t)(entry & ((UINT64_C(1) << m->cursor_bits) - 1));
}

/* All high bits set: late beyond what they can tell, or at the run's end. */
static inline tree_entry entry_of(const struct merge *m, uint32_t i)
{
    const struct cursor *c = &m->cursors[i];
    uint64_t most = UINT64_MAX >> m->cursor_bits;
    uint64_t time = c->block ? c->times[c->ahead] - m->first_time : most;
    return (time < most ? time : most) << m->cursor_bits | i;
}

/* The slow part of less: the high bits are equal. */
static bool less_by_rows(const struct merge *m, tree_entry one, tree_entry other)
{
    uint32_t a = cursor_of(m, one), b = cursor_of(m, other);
    const struct cursor *x = &m->cursors[a], *y = &m->cursors[b];
    if (x->block == NULL || y->block == NULL)
        return x->block != NULL || (y->block == NULL && a < b);
    if (x->times[x->ahead] != y->times[y->ahead])
        return x->times[x->ahead] < y->times[y->ahead];
    if (x->rank != y->rank && x->rank != RANK_VARIES && y->rank != RANK_VARIES)
        return x->rank < y->rank;
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

static inline bool less(const struct merge *m, tree_entry a, tree_entry b)
{
    return (a ^ b) >> m->cursor_bits ? a < b : less_by_rows(m, a, b);
}

/* The same where the rows are records. */
static void look_at_records(struct cursor *c)
{
    const struct tm_block_layout *layout = c->layout;
    const struct tm_layout_part time = layout->parts[TM_COL_TIME_NS][0], raw = layout->parts[TM_COL_RAW_BYTES][0],
                                detail = layout->parts[TM_COL_DETAIL_BYTES][0];
    uint64_t constant_time = layout->constants[TM_COL_TIME_NS];
    uint64_t constant_bytes = layout->constants[TM_COL_RAW_BYTES] + layout->constants[TM_COL_DETAIL_BYTES];
    bool definitions = c->block->definitions;
    const uint8_t *record = c->record;
    for (uint32_t i = 0; i < c->ahead_count; i++, record += layout->stride) {
        uint64_t at = constant_time | tm_layout_part_at(&time, record);
        uint64_t bytes = tm_layout_part_at(&raw, record) + tm_layout_part_at(&detail, record);
        c->times[i] = definitions ? 0 : tm_sort_time_of(at);
        c->payloads[i] = (uint32_t)(constant_bytes + bytes);
    }
}

/* Looks at the next rows of the cursor's block. */
static void look_ahead(struct cursor *c)
{
    const struct tm_block *b = c->block;
    uint32_t left = b->end - c->row;
    c->ahead = 0;
    c->ahead_count = (uint16_t)(left < MERGE_AHEAD ? left : MERGE_AHEAD);
    c->layout = b->layout;
    if (b->layout) {
        c->record = b->records + (size_t)c->row * b->layout->stride;
        look_at_records(c);
        return;
    }
    for (uint32_t i = 0; i < c->ahead_count; i++) {
        c->times[i] = tm_block_time(b, c->row + i);
        c->payloads[i] = (uint32_t)tm_block_payload_of(b, c->row + i);
    }
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
        if (c->block->layout)
            c->payload = c->block->payload + c->at;
        c->rank = c->block->of_one_file ? tm_block_key(c->block, c->row, m->orders).rank : RANK_VARIES;
        look_ahead(c);
    }
    return st;
}

/* Plays all matches once. */
static void build_tree(struct merge *m, tree_entry *winners)
{
    for (uint32_t i = 0; i < m->count; i++)
        winners[m->count + i] = entry_of(m, i);
    for (uint32_t node = m->count - 1; node > 0; node--) {
        tree_entry a = winners[2 * node], b = winners[2 * node + 1];
        bool a_wins = less(m, a, b);
        winners[node] = a_wins ? a : b;
        m->tree[node] = a_wins ? b : a;
    }
    m->tree[0] = winners[1];
}

/* The winner's cursor has moved: plays its matches again. Among few runs a guess who wins is right often enough to go on
 * with it before the match is over. */
static void replay_few(struct merge *m)
{
    tree_entry *tree = m->tree;
    uint32_t i = cursor_of(m, tree[0]);
    tree_entry winner = entry_of(m, i);
    for (uint32_t node = (m->count + i) / 2; node > 0; node /= 2) {
        tree_entry other = tree[node];
        bool other_wins = less(m, other, winner);
        tree[node] = other_wins ? winner : other;
        winner = other_wins ? other : winner;
    }
    tree[0] = winner;
}

/* Among many nobody can foresee it: winner and loser change places without a branch. */
static void replay_many(struct merge *m)
{
    tree_entry *tree = m->tree;
    uint64_t cursor_mask = (UINT64_C(1) << m->cursor_bits) - 1;
    uint32_t i = cursor_of(m, tree[0]);
    tree_entry winner = entry_of(m, i);
    for (uint32_t node = (m->count + i) / 2; node > 0; node /= 2) {
        tree_entry other = tree[node], differ = other ^ winner;
        uint64_t other_wins = 0 - (uint64_t)(other < winner); /* all bits or none: of a ?: compilers make a branch */
        if (differ <= cursor_mask)
            other_wins = 0 - (uint64_t)less_by_rows(m, other, winner);
        differ &= other_wins;
        tree[node] = other ^ differ;
        winner ^= differ;
    }
    tree[0] = winner;
}

/* The best of those the winner beat: the run that would be next without it. */
static const struct cursor *runner_up(const struct merge *m)
{
    uint32_t node = (m->count + cursor_of(m, m->tree[0])) / 2;
    tree_entry best = m->tree[node];
    for (node /= 2; node > 0; node /= 2)
        if (less(m, m->tree[node], best))
            best = m->tree[node];
    return &m->cursors[cursor_of(m, best)];
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

/* Adds COUNT rows of run I. */
static enum tm_status pass_rows(struct merge *m, uint32_t i, uint32_t count, struct tm_error *err)
{
    struct cursor *c = &m->cursors[i];
    if (c->layout)
        c->at = (size_t)(c->payload - c->block->payload);
    enum tm_status st = tm_gather_add(m->gather, c->block, c->row, count, &c->at, err);
    if (c->layout)
        c->payload = c->block->payload + c->at;
    c->row += count;
    if (st == TM_OK && c->row == c->block->end)
        st = next_block(m, i, err);
    else
        look_ahead(c);
    return st;
}

/* Adds one row of run I. */
static inline enum tm_status pass_row(struct merge *m, uint32_t i, struct tm_error *err)
{
    struct cursor *c = &m->cursors[i];
    size_t payload_bytes = c->payloads[c->ahead];
    enum tm_status st;
    if (c->layout) {
        const struct tm_gather_record record = {c->layout, c->record, c->payload, payload_bytes};
        st = tm_gather_add_record(m->gather, &record, err);
        c->record += c->layout->stride;
        c->payload += payload_bytes;
    } else {
        st = tm_gather_add(m->gather, c->block, c->row, 1, &c->at, err);
    }
    c->row++;
    if (++c->ahead < c->ahead_count || st < 0)
        return st;
    if (c->row == c->block->end)
        return next_block(m, i, err);
    look_ahead(c);
    return st;
}

static enum tm_status pass_one_run(struct merge *m, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    while (st == TM_OK && m->cursors[0].block)
        st = pass_rows(m, 0, m->cursors[0].block->end - m->cursors[0].row, err);
    return st < 0 ? st : TM_OK;
}

static enum tm_status pass_all(struct merge *m, struct tm_error *err)
{
    uint32_t streak = 0, last = UINT32_MAX, i;
    bool few = m->count <= MERGE_FEW;
    enum tm_status st = TM_OK;
    while (st >= 0 && m->cursors[i = cursor_of(m, m->tree[0])].block) {
        streak = i == last ? streak + 1 : 0;
        last = i;
        if (streak >= MERGE_STREAK)
            st = pass_rows(m, i, stretch(m, &m->cursors[i], runner_up(m)), err);
        else
            st = pass_row(m, i, err);
        if (st >= 0 && few)
            replay_few(m);
        else if (st >= 0)
            replay_many(m);
    }
    return st < 0 ? st : TM_OK;
}

/* How entries of the tree are made. */
static void set_scale(struct merge *m)
{
    while (m->count >> m->cursor_bits)
        m->cursor_bits++;
    m->first_time = UINT64_MAX;
    for (uint32_t i = 0; i < m->count; i++)
        if (m->cursors[i].block && m->cursors[i].times[0] < m->first_time)
            m->first_time = m->cursors[i].times[0];
}

enum tm_status tm_merge(const struct tm_merge_source *sources, size_t count, const struct tm_file_order *orders,
                        struct tm_gather *gather, struct tm_error *err)
{
    struct merge m = {.sources = sources, .orders = orders, .gather = gather, .count = (uint32_t)count};
    tree_entry *winners = NULL;
    enum tm_status st = TM_OK;
    if (count == 0)
        return TM_OK;
    m.cursors = aligned_alloc(CACHE_LINE, (count * sizeof *m.cursors + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
    m.tree = malloc(count * sizeof *m.tree);
    winners = malloc(2 * count * sizeof *winners);
    if (m.cursors == NULL || m.tree == NULL || winners == NULL) {
        st = tm_error_nomem(err);
        goto out;
    }
    memset(m.cursors, 0, count * sizeof *m.cursors);
    for (uint32_t i = 0; i < count && st >= 0; i++)
        st = next_block(&m, i, err);
    if (st < 0)
        goto out;
    set_scale(&m);
    if (count == 1) {
        st = pass_one_run(&m, err);
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
