#include "align/rhythm.h"

#include "base/order.h"

#include <stdlib.h>

/* Tolerance of an interval, as a part of the usual interval; several are tried. */
enum { STRICTNESSES = 4 };
static const int64_t parts[STRICTNESSES] = {1000, 200, 40, 10};

/* Fewer missing votes do not count. */
enum { SHORT_MIN = 4 };

struct tally {
    uint32_t compared, votes[STRICTNESSES];
};

struct work {
    const struct tm_beat *a, *b;
    uint32_t a_count, b_count;
    uint32_t *samples; /* beats of A whose interval to the next one votes */
    uint32_t sample_count;
    int64_t near_ns[STRICTNESSES];
};

static int64_t usual_interval(const struct work *w, int64_t *values)
{
    for (uint32_t i = 0; i < w->sample_count; i++)
        values[i] = w->a[w->samples[i] + 1].ns - w->a[w->samples[i]].ns;
    qsort(values, w->sample_count, sizeof *values, tm_order_i64);
    return values[w->sample_count / 2];
}

/* Counts the votes of the samples in [FIRST, END) for SHIFT. */
static struct tally count_votes(const struct work *w, uint32_t first, uint32_t end, int64_t shift)
{
    struct tally t = {0};
    for (uint32_t i = first; i < end; i++) {
        const struct tm_beat *a = &w->a[w->samples[i]];
        int64_t at = (int64_t)w->samples[i] + shift;
        if (at < 0 || at + 1 >= (int64_t)w->b_count)
            continue;
        const struct tm_beat *b = &w->b[at];
        t.compared++;
        if (a[0].symbol != b[0].symbol || a[1].symbol != b[1].symbol)
            continue;
        int64_t d = (b[1].ns - b[0].ns) - (a[1].ns - a[0].ns);
        d = d < 0 ? -d : d;
        for (int s = 0; s < STRICTNESSES; s++)
            t.votes[s] += d <= w->near_ns[s];
    }
    return t;
}

/* Returns the number of votes, reduced if many samples did not vote. */
static uint64_t weight_of(const struct tally *t, int strictness)
{
    return t->compared ? ((uint64_t)t->votes[strictness] * t->votes[strictness] << 16) / t->compared : 0;
}

/* True if T, the votes of some samples, are fewer than chance permits, given the votes of ALL. They are less than half
 * of what is expected, and less by three standard deviations (binomial). */
static bool is_short(const struct tally *t, const struct tally *all, int strictness)
{
    uint64_t votes = t->votes[strictness], all_votes = all->votes[strictness];
    uint64_t expected = all->compared ? all_votes * t->compared / all->compared : 0, missing = expected - votes;
    return votes * 2 < expected && missing >= SHORT_MIN &&
           missing * missing * all->compared > 9 * expected * (all->compared - all_votes);
}

/* True if SHIFT fits everywhere. After a lost event or a set clock the shift changes for good, or the order changes for
 * a while. */
static bool is_even(const struct work *w, const struct tally *all, int64_t shift, int strictness)
{
    enum { EIGHTHS = 8, STRETCHES = 32 };
    for (uint32_t count = EIGHTHS; count <= STRETCHES; count *= 2)
        for (uint32_t i = 0; i < count; i++) {
            uint32_t first = (uint32_t)((uint64_t)w->sample_count * i / count);
            uint32_t end = (uint32_t)((uint64_t)w->sample_count * (i + 1) / count);
            struct tally t = count_votes(w, first, end, shift);
            bool is_low = (uint64_t)t.votes[strictness] * all->compared * 2 <
                          (uint64_t)all->votes[strictness] * t.compared;
            if (count == EIGHTHS ? is_low : is_short(&t, all, strictness))
                return false;
        }
    return true;
}

/* Sets RHYTHM to the shift whose votes differ most from those of the second best. TALLIES has the votes of all shifts
 * from FIRST on. */
static void choose_shift(struct tm_rhythm *rhythm, const struct work *w, const struct tally *tallies, int64_t first)
{
    uint32_t shifts = w->a_count + w->b_count - 1;
    uint64_t best_contrast = 0;
    for (int s = 0; s < STRICTNESSES; s++) {
        uint32_t best = 0, second = UINT32_MAX;
        for (uint32_t i = 1; i < shifts; i++)
            if (weight_of(&tallies[i], s) > weight_of(&tallies[best], s))
                best = i;
        for (uint32_t i = 0; i < shifts; i++)
            if (i != best && (second == UINT32_MAX || weight_of(&tallies[i], s) > weight_of(&tallies[second], s)))
                second = i;
        uint64_t weight = weight_of(&tallies[best], s);
        uint64_t other = second == UINT32_MAX ? 0 : weight_of(&tallies[second], s);
        if (weight < (uint64_t)TM_RHYTHM_WEIGHT_MIN << 16 || tallies[best].votes[s] * 5 < tallies[best].compared * 2)
            continue;
        /* If both have the same number of events, the nth is likely to be the nth. */
        bool is_usual = w->a_count == w->b_count && first + best == 0;
        uint64_t contrast = (weight << 8) / (other + (UINT64_C(1) << 16));
        if (contrast <= best_contrast)
            continue;
        best_contrast = contrast;
        *rhythm = (struct tm_rhythm){.is_found = true,
                                     .is_ambiguous = is_usual ? other * 4 >= weight * 3 : other * 2 >= weight,
                                     .is_even = is_even(w, &tallies[best], first + best, s),
                                     .shift = first + best,
                                     .has_second = second != UINT32_MAX && tallies[second].votes[s] > 0,
                                     .second_shift = first + (second == UINT32_MAX ? 0 : second),
                                     .votes = tallies[best].votes[s],
                                     .compared = tallies[best].compared};
    }
}

enum tm_status tm_rhythm_find(struct tm_rhythm *rhythm, struct tm_beats a, struct tm_beats b, struct tm_error *err)
{
    struct work w = {.a = a.all, .b = b.all, .a_count = a.count, .b_count = b.count};
    uint32_t shifts = a.count + b.count - 1, wanted = a.count > 4096 ? TM_RHYTHM_SAMPLES / 4 : TM_RHYTHM_SAMPLES;
    w.sample_count = a.count - 1 < wanted ? a.count - 1 : wanted;
    w.samples = malloc(w.sample_count * sizeof *w.samples);
    int64_t *values = malloc(w.sample_count * sizeof *values);
    struct tally *tallies = malloc(shifts * sizeof *tallies);
    enum tm_status st = w.samples && values && tallies ? TM_OK : tm_error_nomem(err);
    *rhythm = (struct tm_rhythm){.is_found = false};
    if (st == TM_OK) {
        for (uint32_t i = 0; i < w.sample_count; i++)
            w.samples[i] = (uint32_t)((uint64_t)(a.count - 1) * i / w.sample_count);
        int64_t usual = usual_interval(&w, values), first = 1 - (int64_t)a.count;
        for (int s = 0; s < STRICTNESSES; s++)
            w.near_ns[s] = usual / parts[s] + 1;
        for (uint32_t i = 0; i < shifts; i++)
            tallies[i] = count_votes(&w, 0, w.sample_count, first + i);
        choose_shift(rhythm, &w, tallies, first);
        rhythm->usual_ns = usual;
    }
    free(w.samples);
    free(values);
    free(tallies);
    return st;
}
