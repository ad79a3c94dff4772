#include "emit/arg_names.h"

#include "base/table.h"

#include <stdlib.h>
#include <string.h>

static enum tm_status add(struct tm_arg_names *a, const char *name, size_t len, struct tm_error *err)
{
    enum tm_status st = tm_array_grow(&a->names, &a->cap, a->count, sizeof *a->names, err);
    if (st < 0)
        return st;
    char *copy = calloc(1, len + 1);
    if (copy == NULL)
        return tm_error_nomem(err);
    memcpy(copy, name, len);
    for (uint32_t i = 0; i < a->count && st == TM_OK; i++)
        if (strcmp(a->names[i], copy) == 0)
            st = tm_error_set(err, TM_E_USAGE, "--arg: '%s' is given twice", copy);
    if (st < 0) {
        free(copy);
        return st;
    }
    a->names[a->count++] = copy;
    return TM_OK;
}

enum tm_status tm_arg_names_add(struct tm_arg_names *a, const char *text, struct tm_error *err)
{
    for (const char *at = text;; at++) {
        size_t len = strcspn(at, ",");
        if (len == 0)
            return tm_error_set(err, TM_E_USAGE, "--arg: '%s' has an empty name", text);
        enum tm_status st = add(a, at, len, err);
        at += len;
        if (st < 0 || *at == '\0')
            return st;
    }
}

void tm_arg_names_release(struct tm_arg_names *a)
{
    for (uint32_t i = 0; i < a->count; i++)
        free(a->names[i]);
    free(a->names);
    *a = (struct tm_arg_names){0};
}
