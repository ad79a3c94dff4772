#include "os/large_pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLE "GLIBC_TUNABLES"

/* The heap grows by so much and gives memory back from so much on. Larger blocks are mapped on their own. It is the
 * most that glibc takes for that. */
enum { HEAP_STEP_BYTES = 32 << 20 };

static const struct tunable {
    const char *name;
    long value;
} tunables[] = {
    {"glibc.malloc.hugetlb", 1},
    {"glibc.malloc.arena_max", 1},
    {"glibc.malloc.top_pad", HEAP_STEP_BYTES},
    {"glibc.malloc.trim_threshold", HEAP_STEP_BYTES},
    {"glibc.malloc.mmap_threshold", HEAP_STEP_BYTES},
};

/* Sets TUNABLE unless it is set. */
static void set_tunable(const struct tunable *tunable)
{
    const char *before = getenv(VARIABLE);
    if (before && strstr(before, tunable->name))
        return;
    const char *colon = before && *before ? ":" : "";
    enum { NUMBER_BYTES = 24 };
    size_t size = (before ? strlen(before) : 0) + strlen(tunable->name) + NUMBER_BYTES;
    char *value = malloc(size);
    if (value == NULL)
        return;
    snprintf(value, size, "%s%s%s=%ld", before ? before : "", colon, tunable->name, tunable->value);
    (void)setenv(VARIABLE, value, 1);
    free(value);
}

void tm_large_pages_for_children(void)
{
    for (size_t i = 0; i < sizeof tunables / sizeof *tunables; i++)
        set_tunable(&tunables[i]);
}

void tm_large_pages_decide(void)
{
    void *volatile first = malloc(1); /* volatile: compilers leave out a malloc whose result only free gets */
    free(first);
}
