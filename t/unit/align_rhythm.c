/* The shift between two recordings of one sequence: found, or said to be ambiguous. */
#include "align/rhythm.h"
#include "tap.h"

#include <stdlib.h>

enum { BEATS = 3000 };

static uint64_t state = 7;

static int64_t below(int64_t n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((state >> 20) % (uint64_t)n);
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

int main(void)
{
    struct tm_rhythm r;
    struct tm_error err = {0};
    make(5000000, 12000000, 150000);
    is_int(tm_rhythm_find(&r, a, BEATS, b, BEATS, &err), TM_OK);
    ok(r.is_found && !r.is_ambiguous && r.shift == 0);
    is_int(tm_rhythm_find(&r, a, 1785, b + 446, 1339, &err), TM_OK);
    ok(r.is_found && !r.is_ambiguous);
    is_int(r.shift, -446);
    is_int(tm_rhythm_find(&r, a + 1000, 2000, b, 1500, &err), TM_OK);
    ok(r.is_found && !r.is_ambiguous);
    is_int(r.shift, 1000);
    is_int(tm_rhythm_find(&r, a, 800, b + 900, 800, &err), TM_OK);
    ok_named(!r.is_found || r.is_ambiguous, "stretches that do not overlap");

    make(10000000, 0, 150000);
    is_int(tm_rhythm_find(&r, a, BEATS, b, BEATS, &err), TM_OK);
    ok_named(r.is_found && r.is_ambiguous, "a period fits anywhere, also where both have as many");
    is_int(tm_rhythm_find(&r, a, 1785, b + 446, 1339, &err), TM_OK);
    ok(r.is_ambiguous);
    for (int i = 0; i < BEATS; i++)
        a[i].symbol = b[i].symbol = (uint64_t)below(20);
    is_int(tm_rhythm_find(&r, a, 1785, b + 446, 1339, &err), TM_OK);
    ok_named(r.is_found && !r.is_ambiguous && r.shift == -446, "unless beats differ");
    return tap_done();
}
