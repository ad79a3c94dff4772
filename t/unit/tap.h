/* Test Anything Protocol for the unit tests: one program for each room or noun, one line for each check. */
#ifndef TM_T_UNIT_TAP_H
#define TM_T_UNIT_TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int tap_count, tap_failures;

static inline bool tap_check(bool good, const char *what, const char *file, int line)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++tap_count, what);
    if (!good) {
        tap_failures++;
        printf("# at %s:%d\n", file, line);
    }
    return good;
}

/* One test: EXPRESSION holds. The text of the test is the expression or WHAT. */
#define ok(expression) tap_check((expression), #expression, __FILE__, __LINE__)
#define ok_named(expression, what) tap_check((expression), what, __FILE__, __LINE__)

static inline bool tap_is_str(const char *got, const char *want, const char *file, int line)
{
    bool good = got && strcmp(got, want) == 0;
    tap_check(good, want, file, line);
    if (!good)
        printf("# got %s\n", got ? got : "NULL");
    return good;
}
#define is_str(got, want) tap_is_str(got, want, __FILE__, __LINE__)

static inline bool tap_is_int(long long got, long long want, const char *what, const char *file, int line)
{
    bool good = got == want;
    tap_check(good, what, file, line);
    if (!good)
        printf("# got %lld, wanted %lld\n", got, want);
    return good;
}
#define is_int(got, want) tap_is_int((long long)(got), (long long)(want), #got " is " #want, __FILE__, __LINE__)

/* Last line of main. */
static inline int tap_done(void)
{
    printf("1..%d\n", tap_count);
    return tap_failures ? 1 : 0;
}

/* The only line of main if there is nothing to test, for the reason WHY. */
static inline int tap_skip(const char *why)
{
    printf("1..0 # SKIP %s\n", why);
    return 0;
}

#endif
