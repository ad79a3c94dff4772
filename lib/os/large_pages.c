#include "os/large_pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLE "GLIBC_TUNABLES"

/* Sets TUNABLE to 1 unless it is set. */
static void set_tunable(const char *tunable)
{
    const char *before = getenv(VARIABLE);
    if (before && strstr(before, tunable))
        return;
    const char *colon = before && *before ? ":" : "";
    size_t size = (before ? strlen(before) : 0) + strlen(tunable) + sizeof ":=1";
    char *value = malloc(size);
    if (value == NULL)
        return;
    snprintf(value, size, "%s%s%s=1", before ? before : "", colon, tunable);
    (void)setenv(VARIABLE, value, 1);
    free(value);
}

void tm_large_pages_for_children(void)
{
    set_tunable("glibc.malloc.hugetlb");
    set_tunable("glibc.malloc.arena_max");
}
