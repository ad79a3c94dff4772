#include "os/large_pages.h"

#include <stdbool.h>
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
    bool is_first = before == NULL || *before == '\0';
    size_t size = (is_first ? 0 : strlen(before)) + sizeof ":" TUNABLE "=1";
    char *value = malloc(size);
    if (value == NULL)
        return;
    snprintf(value, size, "%s%s" TUNABLE "=1", is_first ? "" : before, is_first ? "" : ":");
    (void)setenv(VARIABLE, value, 1);
    free(value);
}
