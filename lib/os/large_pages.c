#include "os/large_pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLE "GLIBC_TUNABLES"
#define TUNABLE "glibc.malloc.hugetlb"

void tm_large_pages_for_children(void)
{
    const char *before = getenv(VARIABLE);
    if (before && strstr(before, TUNABLE))
        return;
    size_t size = (before ? strlen(before) : 0) + sizeof ":" TUNABLE "=1";
    char *value = malloc(size);
    if (value == NULL)
        return;
    snprintf(value, size, "%s%s" TUNABLE "=1", before ? before : "", before && *before ? ":" : "");
    (void)setenv(VARIABLE, value, 1);
    free(value);
}
