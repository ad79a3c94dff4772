/* Unit tests of the shift between two recordings of one sequence: it is found, or reported as ambiguous; passages are
 * used if no single shift fits. */
#include "align/misnumbered.h"
#include "align/passages.h"
#include "align/rhythm.h"
#include "../lib/random.h"
#include "tap.h"

#include <stdlib.h>
#include <time.h>

enum { BEATS = 3000 };

static struct tm_beats beats(const struct tm_beat *all, uint32_t count)
{
    return (struct tm_beats){all, count};
}

static uint64_t seed = 7;

static int64_t below(int64_t n)
{
    return (int64_t)random_below(&seed, (uint64_t)n);
}

static struct tm_beat a[BEATS], b[BEATS];

static void make(int64_t period, int64_t spread, int64_t jitter)
{
    int64_t ns = 0;
    for (int i = 0; i < BEATS; i++) {
        ns += period + (spread ? below(spread) : 0);
        a[i] = (struct tm_beat){ns + below(jitter), 1};
        b[i] = (struct tm_beat){ns + ns / 20000 + 777000000 + below(jitter), 1};
    }
}

static struct tm_beat p[BEATS], q[BEATS];
static int p_number[BEATS], q_number[BEATS];

/* Leaves out one beat in LOSS. NUMBER gets the numbers of the others. */
static uint32_t lose(struct tm_beat *to, int *number, const struct tm_beat *from, int64_t loss)
{
    uint32_t n = 0;
    for (int i = 0; i < BEATS; i++) {
        if (below(loss) == 0)
            continue;
        number[n] = i;
        to[n++] = from[i];
    }
    return n;
}

static int by_ns(const void *x, const void *y)
{
    const struct tm_beat *r = x, *s = y;
    return r->ns < s->ns ? -1 : r->ns > s->ns;
}

static void test_passages(void)
{
    struct tm_rhythm r;
    struct tm_error err = {0};
    static int32_t numbers[BEATS];
    uint32_t right = 0, wrong = 0;
    bool is_found;
    make(5000000, 12000000, 150000);
    is_int(tm_rhythm_find(&r, beats(a, BEATS), beats(b, BEATS), &err), TM_OK);
    ok(r.is_even);
    uint32_t n = lose(p, p_number, a, 10), m = lose(q, q_number, b, 10);
    is_int(tm_rhythm_find(&r, beats(p, n), beats(q, m), &err), TM_OK);
    ok_named(!r.is_found || r.is_ambiguous || !r.is_even, "no shift fits where events are lost");
    is_int(tm_passages_find(numbers, &is_found, beats(p, n), beats(q, m), &err), TM_OK);
    ok(is_found);
    for (uint32_t i = 0; i < m; i++)
        if (numbers[i] != TM_PASSAGES_NONE)
            *(p_number[numbers[i]] == q_number[i] ? &right : &wrong) += 1;
    ok_named(right > BEATS * 3 / 4 && wrong < 10, "lost events leave the others their numbers");

    for (int i = BEATS / 2; i < BEATS; i++)
        b[i].ns -= INT64_C(60000000000);
    qsort(b, BEATS, sizeof *b, by_ns);
    is_int(tm_passages_find(numbers, &is_found, beats(a, BEATS), beats(b, BEATS), &err), TM_OK);
    ok(is_found);
    is_int(numbers[BEATS - 100], BEATS / 2 - 100);
    is_int(numbers[100], BEATS / 2 + 100);

    make(10000000, 0, 150000);
    n = lose(p, p_number, a, 10);
    is_int(tm_passages_find(numbers, &is_found, beats(p, n), beats(b, BEATS), &err), TM_OK);
    ok_named(!is_found, "a period fits anywhere");
}

/* Short recordings of nearly even rhythms: the intervals differ by a hundredth of the period, and the clocks' readings
 * by a ten-thousandth of it. Some lose a few events, and every second clock is set by a fiftieth of the period. The
 * others keep their numbers, and none gets a wrong one. */
static void test_nearly_even_passages(void)
{
    enum { ROUNDS = 50, SHORT = 60 };
    static int32_t numbers[BEATS];
    struct tm_error err = {0};
    uint32_t right = 0, wrong = 0, all = 0;
    for (int round = 0; round < ROUNDS; round++) {
        bool is_found = false;
        make(1000000000, 10000000, 100000);
        uint32_t n = 0, m = 0;
        for (int i = 0; i < SHORT; i++) {
            b[i].ns += round % 2 && i > 40 ? 20000000 : 0;
            bool keep[2] = {below(30) > 0, below(30) > 0};
            p_number[n] = q_number[m] = i;
            p[n] = a[i];
            q[m] = b[i];
            n += keep[0];
            m += keep[1];
            all += keep[0] && keep[1];
        }
        is_int(tm_passages_find(numbers, &is_found, beats(p, n), beats(q, m), &err), TM_OK);
        for (uint32_t i = 0; i < m && is_found; i++)
            if (numbers[i] != TM_PASSAGES_NONE)
                *(p_number[numbers[i]] == q_number[i] ? &right : &wrong) += 1;
    }
    printf("# of %u events %u have the right number, %u a wrong one\n", all, right, wrong);
    ok(right > all / 4 * 3);
    is_int(wrong, 0);
}

/* Leaves out beat LOST of COUNT. Returns how many are left. */
static uint32_t lose_one(struct tm_beat *to, const struct tm_beat *from, uint32_t count, uint32_t lost)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        if (i != lost)
            to[n++] = from[i];
    return n;
}

/* Numbers COUNT beats of the sequence, without P_LOST in one recording and Q_LOST in the other, by a shift of 0.
 * Returns how many beats are called misnumbered, or -1 if these are not those that are. */
static int count_misnumbered(uint32_t count, uint32_t p_lost, uint32_t q_lost)
{
    bool wrong[BEATS];
    uint32_t n = 0, m = 0;
    int found = 0;
    for (uint32_t i = 0; i < count; i++) {
        p_number[n] = q_number[m] = (int)i;
        p[n] = a[i];
        q[m] = b[i];
        n += i != p_lost;
        m += i != q_lost;
    }
    tm_misnumbered_find(wrong, beats(p, n), beats(q, m), 0, 1000000000);
    for (uint32_t i = 0; i < m && i < n; i++) {
        if (wrong[i] != (p_number[i] != q_number[i]))
            return -1;
        found += wrong[i];
    }
    return found;
}

/* Between two losses a shift gives wrong counterparts; also before a loss near the start, and after one near the
 * end. */
static void test_misnumbered(void)
{
    bool wrong[BEATS];
    uint32_t n = 0;
    make(1000000000, 10000000, 100000);
    is_int(count_misnumbered(100, 200, 200), 0);
    is_int(count_misnumbered(100, 50, 51), 1);
    is_int(count_misnumbered(100, 52, 50), 2);
    is_int(count_misnumbered(100, 50, 70), 20);
    is_int(count_misnumbered(100, 97, 200), 2);
    is_int(count_misnumbered(100, 200, 97), 2);
    /* Of a loss near the start the shift is that of the others: beat K of A is beat K + 1 of B. */
    tm_misnumbered_find(wrong, beats(p, lose_one(p, a, 100, 3)), beats(b, 100), 1, 1000000000);
    for (int i = 0; i < 100; i++)
        n += wrong[i] == (i > 0 && i <= 3);
    is_int(n, 100);
    /* A clock that is set forth and back by other than an interval keeps its beats. */
    for (int i = 40; i < 60; i++)
        b[i].ns += 700000000;
    is_int(count_misnumbered(100, 200, 200), 0);
}

/* Returns the processor's time for passages between MANY and itself. *IS_FOUND is as of tm_passages_find. */
static clock_t time_of(const struct tm_beat *many, bool *is_found)
{
    static int32_t many_numbers[TM_PASSAGES_BEATS_MAX];
    struct tm_error err = {0};
    const struct tm_beats all = beats(many, TM_PASSAGES_BEATS_MAX);
    const clock_t start = clock();
    is_int(tm_passages_find(many_numbers, is_found, all, all, &err), TM_OK);
    return clock() - start;
}

/* Each passage of a periodic sequence fits everywhere. A search ends when there are too many votes. This takes 5 to 14
 * times as long as for a sequence that fits at one place only. If it went on to the end, it would be 45 times. */
static void test_periodic_passages(void)
{
    enum { PERIOD_NS = 10000, TIMES_MAX = 40 };
    static struct tm_beat many[TM_PASSAGES_BEATS_MAX];
    bool is_found = false;
    for (int i = 0; i < TM_PASSAGES_BEATS_MAX; i++)
        many[i] = (struct tm_beat){(i ? many[i - 1].ns : 0) + 1 + below(2 * PERIOD_NS), 1};
    const clock_t usual = time_of(many, &is_found);
    ok_named(is_found, "a sequence without a period is found in itself");
    for (int64_t i = 0; i < TM_PASSAGES_BEATS_MAX; i++)
        many[i] = (struct tm_beat){i * PERIOD_NS, 1};
    const clock_t periodic = time_of(many, &is_found);
    ok_named(!is_found, "a periodic sequence has no passages");
    ok_named(periodic / TIMES_MAX < usual, "and this is seen soon");
}

/* Returns how many of 500 pairs of COUNT beats, whose intervals have nothing in common, get a shift. */
static int count_found(uint32_t count)
{
    struct tm_rhythm rhythm;
    struct tm_error err = {0};
    int found = 0;
    for (int round = 0; round < 500; round++) {
        for (uint32_t i = 0; i < count; i++) {
            a[i] = (struct tm_beat){(i ? a[i - 1].ns : 0) + 1 + below(1 + below(20000000)), 1};
            b[i] = (struct tm_beat){(i ? b[i - 1].ns : 0) + 1 + below(1 + below(20000000)), 1};
        }
        if (tm_rhythm_find(&rhythm, beats(a, count), beats(b, count), &err) != TM_OK)
            return -1;
        found += rhythm.is_found && !rhythm.is_ambiguous && rhythm.is_even;
    }
    return found;
}

/* Few beats give no answer by chance, or because they are periodic. */
static void test_few(void)
{
    struct tm_rhythm rhythm;
    struct tm_error err = {0};
    ok(count_found(12) == 0);
    ok(count_found(30) == 0);
    ok(count_found(50) == 0);
    for (uint32_t count = 5; count < 12; count++) {
        for (uint32_t i = 0; i < count; i++)
            a[i] = b[i] = (struct tm_beat){i * INT64_C(100000000), 1};
        is_int(tm_rhythm_find(&rhythm, beats(a, count), beats(b, count), &err), TM_OK);
        ok(rhythm.is_found && rhythm.is_ambiguous);
    }
}

int main(void)
{
    struct tm_rhythm r;
    struct tm_error err = {0};
    make(5000000, 12000000, 150000);
    is_int(tm_rhythm_find(&r, beats(a, BEATS), beats(b, BEATS), &err), TM_OK);
    ok(r.is_found && !r.is_ambiguous && r.shift == 0);
    is_int(tm_rhythm_find(&r, beats(a, 1785), beats(b + 446, 1339), &err), TM_OK);
    ok(r.is_found && !r.is_ambiguous);
    is_int(r.shift, -446);
    is_int(tm_rhythm_find(&r, beats(a + 1000, 2000), beats(b, 1500), &err), TM_OK);
    ok(r.is_found && !r.is_ambiguous);
    is_int(r.shift, 1000);
    is_int(tm_rhythm_find(&r, beats(a, 800), beats(b + 900, 800), &err), TM_OK);
    ok_named(!r.is_found || r.is_ambiguous, "stretches that do not overlap");

    make(10000000, 0, 150000);
    is_int(tm_rhythm_find(&r, beats(a, BEATS), beats(b, BEATS), &err), TM_OK);
    ok_named(r.is_found && r.is_ambiguous, "a period fits anywhere, also where both have as many");
    is_int(tm_rhythm_find(&r, beats(a, 1785), beats(b + 446, 1339), &err), TM_OK);
    ok(r.is_ambiguous);
    for (int i = 0; i < BEATS; i++)
        a[i].symbol = b[i].symbol = (uint64_t)below(20);
    is_int(tm_rhythm_find(&r, beats(a, 1785), beats(b + 446, 1339), &err), TM_OK);
    ok_named(r.is_found && !r.is_ambiguous && r.shift == -446, "unless beats differ");
    test_passages();
    test_nearly_even_passages();
    test_misnumbered();
    test_periodic_passages();
    test_few();
    return tap_done();
}
