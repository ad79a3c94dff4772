#include "sort/merge.h"

#include "sort/merge_window.h"

#include <stdlib.h>

enum {
    MERGE_STREAK = 4, /* after this many rows in a row from one run, the end of its stretch is searched for */
    MERGE_FEW = 4,    /* with up to this many runs a branch per match is quicker */
    MERGE_TURNS = 8,  /* windows are quicker if a turn of one run has at most this many rows */
    MERGE_WINDOW_ROWS = 2, /* a window must have at least this many rows of each run */
    MERGE_COMPARED = 4,    /* a window may compare at most one key in this many in full */
    MERGE_TREE_ROWS = 4,   /* windows are tried after this many rows of each run */
    MERGE_LATER = 4,       /* after a failure they are tried after this many times as many rows */
    MERGE_TREE_ROWS_MAX = 1 << 20 /* they are always tried after this many rows of all runs */
};

/* A cursor's entry in the tree. The high bits are its row's time, less the first time of all runs. If that does not
 * fit, they are all set. The low bits are the cursor's number. The smaller entry wins; rows are compared only if the
 * high bits are equal. */
typedef uint64_t tree_entry;

struct merge {
    const struct tm_run_source *sources;
    const struct tm_file_order *orders;
    struct tm_collector *collector;
    struct tm_merge_cursor *cursors;
    tree_entry *tree; /* [0] the winner, then the losers; children of node i are 2i and 2i+1 */
    uint32_t count;
    unsigned cursor_bits; /* bits of an entry that are the cursor's number */
    uint64_t first_time;
    tree_entry *winners; /* used while the tree is built: 2 * count entries */
    uint64_t blocks;     /* blocks read to their ends */
    uint32_t passed, turns; /* of the last call of pass_by_tree: rows, and rows that followed a row of another run */
    uint32_t tree_rows;
};

static inline uint32_t cursor_of(const struct merge *m, tree_entry entry)
{
    return (uint32_t)(entry & ((UINT64_C(1) << m->cursor_bits) - 1));
}

/* Returns the entry of cursor I. All high bits are set for times that exceed them and for runs that have ended. */
static inline tree_entry entry_of(const struct merge *m, uint32_t i)
{
    const struct tm_merge_cursor *c = &m->cursors[i];
    uint64_t most = UINT64_MAX >> m->cursor_bits;
    uint64_t time = c->block ? c->times[c->look_ahead] - m->first_time : most;
    return (time < most ? time : most) << m->cursor_bits | i;
}

/* The slow path of less, for equal high bits. */
static bool less_by_rows(const struct merge *m, tree_entry one, tree_entry other)
{
    uint32_t a = cursor_of(m, one), b = cursor_of(m, other);
    const struct tm_merge_cursor *x = &m->cursors[a], *y = &m->cursors[b];
    if (x->block == NULL || y->block == NULL)
        return x->block != NULL || (y->block == NULL && a < b);
    if (x->times[x->look_ahead] != y->times[y->look_ahead])
        return x->times[x->look_ahead] < y->times[y->look_ahead];
    if (x->rank != y->rank && x->rank != TM_MERGE_RANK_VARIES && y->rank != TM_MERGE_RANK_VARIES)
        return x->rank < y->rank;
    return tm_merge_rows_less(x, x->row, y, y->row, m->orders);
}

static inline bool less(const struct merge *m, tree_entry a, tree_entry b)
{
    return (a ^ b) >> m->cursor_bits ? a < b : less_by_rows(m, a, b);
}

/* Reads the next block of run I. Noted rows of the previous block are copied first if that block becomes invalid. */
static enum tm_status next_block(struct merge *m, uint32_t i, struct tm_error *err)
{
    struct tm_merge_cursor *c = &m->cursors[i];
    const struct tm_run_source *source = &m->sources[i];
    enum tm_status st = TM_OK;
    m->blocks++;
    if (source->is_transient && c->block)
        st = tm_collector_copy_noted(m->collector, err);
    if (st == TM_OK)
        st = source->next(source->run, &c->block, err);
    if (st == TM_END) {
        c->block = NULL;
    } else if (st == TM_OK) {
        c->is_transient = source->is_transient;
        tm_merge_cursor_move(c, c->block->first, c->block->first_at);
        c->rank = c->block->of_one_file ? tm_block_key(c->block, c->row, m->orders).rank : TM_MERGE_RANK_VARIES;
        tm_merge_cursor_look_ahead(c);
    }
    return st;
}

/* Plays all matches once. */
static void build_tree(struct merge *m)
{
    tree_entry *winners = m->winners;
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

/* Plays the winner's matches again after its cursor moved. With few runs the processor predicts the winner well, so a
 * branch lets it continue before the match is decided. */
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

/* Plays the winner's matches again, if there are many runs. The winner is then unpredictable, so winner and loser are
 * exchanged without a branch. */
static void replay_many(struct merge *m)
{
    tree_entry *tree = m->tree;
    uint64_t cursor_mask = (UINT64_C(1) << m->cursor_bits) - 1;
    uint32_t i = cursor_of(m, tree[0]);
    tree_entry winner = entry_of(m, i);
    for (uint32_t node = (m->count + i) / 2; node > 0; node /= 2) {
        tree_entry other = tree[node], differ = other ^ winner;
        uint64_t other_wins = 0 - (uint64_t)(other < winner); /* all bits or none; compilers turn a ?: into a branch */
        if (differ <= cursor_mask)
            other_wins = 0 - (uint64_t)less_by_rows(m, other, winner);
        differ &= other_wins;
        tree[node] = other ^ differ;
        winner ^= differ;
    }
    tree[0] = winner;
}

/* Returns the best cursor that the winner beat: the next one without the winner. */
static const struct tm_merge_cursor *runner_up(const struct merge *m)
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

/* Returns how many rows of the winner's block, from its row on, come before the runner-up; at least 1. */
static uint32_t stretch(const struct merge *m, const struct tm_merge_cursor *c, const struct tm_merge_cursor *next)
{
    uint32_t left = c->block->end - c->row;
    if (next->block == NULL)
        return left;
    struct tm_sort_key bound = tm_block_key(next->block, next->row, m->orders);
    uint32_t low = 1, step = 1; /* rows below low are known to come first */
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
    struct tm_merge_cursor *c = &m->cursors[i];
    if (c->layout)
        c->at = (size_t)(c->payload - c->block->payload);
    struct tm_block_rows rows = {c->block, c->row, count, c->at};
    enum tm_status st = tm_collector_add(m->collector, &rows, err);
    tm_merge_cursor_move(c, c->row + count, rows.at);
    if (st == TM_OK && c->row == c->block->end)
        st = next_block(m, i, err);
    else
        tm_merge_cursor_look_ahead(c);
    return st;
}

/* Adds one row of run I. */
static inline enum tm_status pass_row(struct merge *m, uint32_t i, struct tm_error *err)
{
    struct tm_merge_cursor *c = &m->cursors[i];
    size_t payload_bytes = c->payloads[c->look_ahead];
    enum tm_status st;
    if (c->layout) {
        const struct tm_collector_record record = {c->layout, c->record, c->payload, payload_bytes};
        st = tm_collector_add_record(m->collector, &record, err);
        c->record += c->layout->stride;
        c->payload += payload_bytes;
    } else {
        struct tm_block_rows one = {c->block, c->row, 1, c->at};
        st = tm_collector_add(m->collector, &one, err);
        c->at += payload_bytes;
    }
    c->row++;
    if (++c->look_ahead < c->look_ahead_count || st < 0)
        return st;
    if (c->row == c->block->end)
        return next_block(m, i, err);
    tm_merge_cursor_look_ahead(c);
    return st;
}

static enum tm_status pass_one_run(struct merge *m, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    while (st == TM_OK && m->cursors[0].block)
        st = pass_rows(m, 0, m->cursors[0].block->end - m->cursors[0].row, err);
    return st < 0 ? st : TM_OK;
}

/* Passes rows until none is left, until ROWS have been passed or, with STOPS_AT_BLOCK, until a block has been read to
 * its end. */
static enum tm_status pass_by_tree(struct merge *m, uint32_t rows, bool stops_at_block, struct tm_error *err)
{
    uint32_t streak = 0, last = UINT32_MAX, i;
    uint64_t blocks = m->blocks;
    bool few = m->count <= MERGE_FEW;
    enum tm_status st = TM_OK;
    m->passed = m->turns = 0;
    while (st >= 0 && m->passed < rows && !(stops_at_block && m->blocks != blocks) &&
           m->cursors[i = cursor_of(m, m->tree[0])].block) {
        uint32_t count = 1;
        streak = i == last ? streak + 1 : 0;
        m->turns += streak == 0;
        last = i;
        if (streak >= MERGE_STREAK) {
            count = stretch(m, &m->cursors[i], runner_up(m));
            st = pass_rows(m, i, count, err);
        } else {
            st = pass_row(m, i, err);
        }
        m->passed += count;
        if (st >= 0 && few)
            replay_few(m);
        else if (st >= 0)
            replay_many(m);
    }
    return st < 0 ? st : TM_OK;
}

static bool is_done(const struct merge *m)
{
    return m->cursors[cursor_of(m, m->tree[0])].block == NULL;
}

/* Rebuilds the tree after cursors have moved. */
static void renew_tree(struct merge *m)
{
    for (uint32_t i = 0; i < m->count; i++)
        if (m->cursors[i].block)
            tm_merge_cursor_look_ahead(&m->cursors[i]);
    build_tree(m);
}

/* Sets how many rows the tree passes before windows are tried again, if windows stopped after PASSED rows. */
static void set_tree_rows(struct merge *m, uint64_t passed)
{
    uint32_t least = m->count * MERGE_TREE_ROWS;
    if (passed >= least)
        m->tree_rows = least;
    else if (m->tree_rows < MERGE_TREE_ROWS_MAX / MERGE_LATER)
        m->tree_rows *= MERGE_LATER;
    else
        m->tree_rows = MERGE_TREE_ROWS_MAX;
}

/* Reads the next blocks of the runs whose blocks a window has passed to the end. */
static enum tm_status next_blocks(struct merge *m, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < m->count && st >= 0; i++)
        if (m->cursors[i].block && m->cursors[i].row == m->cursors[i].block->end)
            st = next_block(m, i, err);
    return st < 0 ? st : TM_OK;
}

/* True if another window is quicker than the tree. The window before W had BEFORE rows. A window that grows is not
 * judged by its rows, because the shares of the runs are not known when the first one is made. */
static bool is_worth_it(const struct tm_merge_window *w, uint32_t before)
{
    bool is_large = w->passed >= w->run_count * MERGE_WINDOW_ROWS || w->passed / 2 > before;
    return w->passed > 0 && is_large && w->turns >= w->passed / MERGE_TURNS &&
           w->compared <= w->passed / MERGE_COMPARED;
}

/* Passes windows as long as they are worthwhile. The tree passes the ends of blocks that windows leave to it. */
static enum tm_status pass_windows(struct merge *m, struct tm_merge_window *w, struct tm_error *err)
{
    uint32_t before = 0;
    uint64_t passed = 0;
    for (;;) {
        enum tm_status st = tm_merge_window_pass(w, m->collector, err);
        if (st == TM_OK)
            st = next_blocks(m, err);
        if (st < 0)
            return st;
        bool goes_on = is_worth_it(w, before);
        before = w->passed;
        passed += w->passed;
        if (goes_on && !w->is_at_block_end)
            continue;
        renew_tree(m);
        set_tree_rows(m, passed);
        if (!goes_on)
            return TM_OK;
        st = pass_by_tree(m, m->tree_rows, true, err);
        if (st < 0 || is_done(m) || m->passed >= m->tree_rows)
            return st;
    }
}

static enum tm_status pass_all(struct merge *m, struct tm_error *err)
{
    struct tm_merge_window window = {0};
    bool has_window = m->count <= TM_MERGE_WINDOW_RUNS;
    enum tm_status st = TM_OK;
    if (has_window)
        st = tm_merge_window_init(&window, m->cursors, m->count, m->orders, err);
    while (st >= 0 && !is_done(m)) {
        st = pass_by_tree(m, m->tree_rows, false, err);
        if (st == TM_OK && has_window && m->turns >= m->passed / MERGE_TURNS && !is_done(m))
            st = pass_windows(m, &window, err);
    }
    tm_merge_window_release(&window);
    return st < 0 ? st : TM_OK;
}

/* Sets how entries of the tree are made. */
static void set_scale(struct merge *m)
{
    while (m->count >> m->cursor_bits)
        m->cursor_bits++;
    m->first_time = UINT64_MAX;
    for (uint32_t i = 0; i < m->count; i++)
        if (m->cursors[i].block && m->cursors[i].times[0] < m->first_time)
            m->first_time = m->cursors[i].times[0];
}

enum tm_status tm_merge_runs(const struct tm_run_source *sources, size_t count, const struct tm_file_order *orders,
                             struct tm_collector *collector, struct tm_error *err)
{
    struct merge m = {.sources = sources, .orders = orders, .collector = collector, .count = (uint32_t)count};
    enum tm_status st = TM_OK;
    if (count == 0)
        return TM_OK;
    m.cursors = aligned_alloc(TM_CPU_CACHE_LINE, (count * sizeof *m.cursors + TM_CPU_CACHE_LINE - 1) /
                                                     TM_CPU_CACHE_LINE * TM_CPU_CACHE_LINE);
    m.tree = malloc(count * sizeof *m.tree);
    m.winners = malloc(2 * count * sizeof *m.winners);
    if (m.cursors == NULL || m.tree == NULL || m.winners == NULL) {
        st = tm_error_nomem(err);
        goto out;
    }
    memset(m.cursors, 0, count * sizeof *m.cursors);
    for (uint32_t i = 0; i < count && st >= 0; i++)
        st = next_block(&m, i, err);
    if (st < 0)
        goto out;
    set_scale(&m);
    m.tree_rows = m.count * MERGE_TREE_ROWS;
    if (count == 1) {
        st = pass_one_run(&m, err);
    } else {
        build_tree(&m);
        st = pass_all(&m, err);
    }
    if (st >= 0)
        st = tm_collector_copy_noted(collector, err);
out:
    free(m.cursors);
    free(m.tree);
    free(m.winners);
    return st;
}
