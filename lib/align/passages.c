#include "align/passages.h"

#include "base/order.h"
#include "base/search.h"

#include <stdlib.h>

/* PASSAGE: beats of a passage. SKIPS: the largest distance of the beats of an interval. SEARCHES_MAX: passages for
 * which all offsets are tried. */
enum { PASSAGE = 32, SKIPS = 2, SEARCHES_MAX = 256, VOTES_MAX = 1 << 18, VOTES_MIN = 8 };

/* Tolerance of an interval, as a part of the usual interval. The two last ones are for rhythms that are nearly even.
 * The strictest finds nothing if clocks drift by more than 60 ppm, which moves the ends of a passage by as much. */
enum { STRICTNESSES = 4 };
static const int64_t parts[STRICTNESSES] = {40, 10, 200, 1000};

/* If a finer tolerance finds a passage, its beats are the same within this part of the usual interval. So a clock that
 * is set by less leaves them their numbers. */
enum { FINE = 40, FINE_MATCH = 10 };

struct interval {
    int64_t length_ns;
    uint32_t from, to;
};

struct work {
    const struct tm_beat *a, *b;
    uint32_t a_count, b_count;
    struct interval *intervals; /* of B, by length */
    uint32_t interval_count;
    int64_t *votes; /* VOTE_CAP of them */
    uint32_t vote_cap;
    int64_t near_ns;  /* the tolerance of an interval */
    int64_t match_ns; /* beats that differ by at most this much at the offset of a passage are the same */
    int32_t *numbers;
    bool has_offset;
    int64_t offset_ns; /* of the last passage that was found: A's time minus B's */
    uint32_t searches, matched;
    uint32_t compared; /* beats of A that B could have: those of passages that were found, and others at times of B */
};

static int by_length(const void *a, const void *b)
{
    const struct interval *p = a, *q = b;
    if (p->length_ns != q->length_ns)
        return p->length_ns < q->length_ns ? -1 : 1;
    return p->from != q->from ? (p->from < q->from ? -1 : 1) : (p->to > q->to) - (p->to < q->to);
}

static void list_intervals(struct work *w)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->b_count; i++)
        for (uint32_t k = 1; k <= SKIPS && i + k < w->b_count; k++)
            w->intervals[n++] = (struct interval){w->b[i + k].ns - w->b[i].ns, i, i + k};
    qsort(w->intervals, n, sizeof *w->intervals, by_length);
    w->interval_count = n;
}

static int64_t usual_interval(const struct work *w)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i + 1 < w->a_count; i++)
        w->votes[n++] = w->a[i + 1].ns - w->a[i].ns;
    qsort(w->votes, n, sizeof *w->votes, tm_order_i64);
    return w->votes[n / 2];
}

/* Adds the votes of the interval of A between FROM and TO to the N votes. Returns their new number. */
static uint32_t vote(const struct work *w, uint32_t from, uint32_t to, uint32_t n)
{
    const struct tm_beat *p = &w->a[from], *q = &w->a[to];
    const int64_t shortest = q->ns - p->ns - w->near_ns, longest = shortest + 2 * w->near_ns;
    uint32_t low =
        tm_search_i64(w->intervals, w->interval_count, TM_SEARCH_FIELD(struct interval, length_ns), shortest);
    for (; n < w->vote_cap && low < w->interval_count && w->intervals[low].length_ns <= longest; low++) {
        const struct tm_beat *r = &w->b[w->intervals[low].from], *s = &w->b[w->intervals[low].to];
        if (r->symbol == p->symbol && s->symbol == q->symbol)
            w->votes[n++] = p->ns - r->ns;
    }
    return n;
}

/* Finds the range of 2 * near_ns that has the most of the sorted votes. Ranges within 4 * near_ns of OTHER, if given,
 * do not count. Returns the index of the first vote. */
static uint32_t find_densest(const struct work *w, uint32_t count, const int64_t *other, uint32_t *votes)
{
    int64_t width = 2 * w->near_ns, away = 4 * w->near_ns;
    uint32_t best = 0;
    *votes = 0;
    for (uint32_t first = 0, last = 0; first < count; first++) {
        while (last < count && w->votes[last] - w->votes[first] <= width)
            last++;
        if (other && w->votes[last - 1] > *other - away && w->votes[first] < *other + away)
            continue;
        if (last - first > *votes) {
            *votes = last - first;
            best = first;
        }
    }
    return best;
}

/* Tries all offsets for the passage from FIRST to END. False if none has enough votes. */
static bool search(struct work *w, uint32_t first, uint32_t end, int64_t *offset_ns)
{
    uint32_t n = 0, best, second;
    if (w->searches++ >= SEARCHES_MAX)
        return false;
    for (uint32_t i = first; i < end; i++)
        for (uint32_t k = 1; k <= SKIPS && i + k < end; k++)
            n = vote(w, i, i + k, n);
    if (n < VOTES_MIN || n == VOTES_MAX)
        return false;
    qsort(w->votes, n, sizeof *w->votes, tm_order_i64);
    uint32_t at = find_densest(w, n, NULL, &best);
    int64_t middle = w->votes[at + best / 2];
    find_densest(w, n, &middle, &second);
    *offset_ns = middle;
    return best >= VOTES_MIN && best >= (end - first) / 2 && best > 2 * second;
}

/* Returns the index of the beat of B nearest to NS. */
static uint32_t find_nearest(const struct work *w, int64_t ns)
{
    uint32_t low = tm_search_i64(w->b, w->b_count - 1, TM_SEARCH_FIELD(struct tm_beat, ns), ns);
    return low > 0 && ns - w->b[low - 1].ns < w->b[low].ns - ns ? low - 1 : low;
}

/* Counts the beats from FIRST on that are near one of B at OFFSET_NS, and finds the median of their distances. */
static uint32_t count_near(const struct work *w, uint32_t first, uint32_t end, int64_t *offset_ns)
{
    int64_t distances[PASSAGE];
    uint32_t n = 0;
    for (uint32_t i = first; i < end; i++) {
        const struct tm_beat *b = &w->b[find_nearest(w, w->a[i].ns - *offset_ns)];
        int64_t d = w->a[i].ns - b->ns - *offset_ns;
        if (b->symbol == w->a[i].symbol && d <= w->near_ns && d >= -w->near_ns)
            distances[n++] = d;
    }
    /* N distances are filled. cppcheck assumes that the loop may not run. */
    /* cppcheck-suppress uninitvar */
    qsort(distances, n, sizeof *distances, tm_order_i64);
    *offset_ns += n ? distances[n / 2] : 0;
    return n;
}

static bool is_enough(uint32_t near, uint32_t first, uint32_t end)
{
    return near * 5 >= (end - first) * 2 && near * 4 >= VOTES_MIN;
}

/* Counts the beats of A from FIRST on that are at times of B by the offset of a passage near them. */
static uint32_t count_shared(const struct work *w, uint32_t first, uint32_t end)
{
    uint32_t n = 0;
    for (uint32_t i = first; i < end; i++) {
        int64_t at = w->a[i].ns - w->offset_ns;
        n += at >= w->b[0].ns && at <= w->b[w->b_count - 1].ns;
    }
    return n;
}

static void number_passage(struct work *w, uint32_t first, uint32_t end)
{
    int64_t offset = w->offset_ns;
    bool is_there = w->has_offset && is_enough(count_near(w, first, end, &offset), first, end);
    if (!is_there && search(w, first, end, &offset))
        is_there = is_enough(count_near(w, first, end, &offset), first, end);
    if (!is_there) {
        w->compared += w->has_offset ? count_shared(w, first, end) : 0;
        return;
    }
    w->offset_ns = offset;
    if (!w->has_offset)
        w->compared += count_shared(w, 0, first);
    w->has_offset = true;
    w->compared += end - first;
    for (uint32_t i = first; i < end; i++) {
        uint32_t at = find_nearest(w, w->a[i].ns - offset);
        int64_t d = w->a[i].ns - w->b[at].ns - offset;
        if (w->b[at].symbol != w->a[i].symbol || d > w->match_ns || d < -w->match_ns ||
            w->numbers[at] != TM_PASSAGES_NONE)
            continue;
        w->numbers[at] = (int32_t)i;
        w->matched++;
    }
}

static void number_all(struct work *w)
{
    w->searches = w->compared = w->matched = 0;
    w->has_offset = false;
    for (uint32_t i = 0; i < w->b_count; i++)
        w->numbers[i] = TM_PASSAGES_NONE;
    for (uint32_t first = 0; first < w->a_count; first += PASSAGE)
        number_passage(w, first, w->a_count - first < PASSAGE ? w->a_count : first + PASSAGE);
}

/* Returns the room that the votes of a passage of A for intervals of B can need, and the intervals of A. */
static uint32_t vote_room(uint32_t a_count, uint32_t b_count)
{
    const uint32_t most = VOTES_MAX / (PASSAGE * SKIPS * SKIPS);
    uint32_t room = b_count < most ? b_count * PASSAGE * SKIPS * SKIPS : VOTES_MAX;
    return room > a_count ? room : a_count;
}

enum tm_status tm_passages_find(int32_t *numbers, bool *is_found, struct tm_beats a, struct tm_beats b,
                                struct tm_error *err)
{
    struct work w = {.a = a.all, .b = b.all, .a_count = a.count, .b_count = b.count, .numbers = numbers};
    *is_found = false;
    if (a.count < VOTES_MIN || b.count < VOTES_MIN)
        return TM_OK;
    w.vote_cap = vote_room(a.count, b.count);
    w.intervals = malloc((size_t)b.count * SKIPS * sizeof *w.intervals);
    w.votes = malloc(w.vote_cap * sizeof *w.votes);
    enum tm_status st = w.intervals && w.votes ? TM_OK : tm_error_nomem(err);
    if (st == TM_OK) {
        int64_t usual = usual_interval(&w);
        list_intervals(&w);
        for (int s = 0; s < STRICTNESSES && !*is_found; s++) {
            w.near_ns = usual / parts[s] + 1;
            w.match_ns = parts[s] > FINE ? usual / FINE_MATCH + 1 : w.near_ns;
            number_all(&w);
            *is_found = w.matched >= VOTES_MIN && w.matched * 5 >= w.compared * 2 &&
                        w.matched * 5 >= (a.count < b.count ? a.count : b.count);
        }
    }
    free(w.intervals);
    free(w.votes);
    return st;
}
