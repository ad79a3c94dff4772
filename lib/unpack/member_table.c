#include "unpack/member_table.h"

#include "base/table.h"

#include <stdlib.h>
#include <string.h>

bool tm_member_is_hidden(const char *name, size_t len)
{
    const char *end = name + len;
    for (const char *p = name; p < end;) {
        const char *slash = memchr(p, '/', (size_t)(end - p));
        size_t n = (size_t)((slash ? slash : end) - p);
        if (n > 0 && p[0] == '.' && n != 1 && !(n == 2 && p[1] == '.'))
            return true;
        p += n + 1;
    }
    return false;
}

enum tm_status tm_member_table_add(struct tm_member_table *table, const struct tm_member *member, struct tm_error *err)
{
    size_t len = strlen(member->name_text), cause_bytes = member->cause_text ? strlen(member->cause_text) + 1 : 0;
    size_t host_bytes = member->host_text ? strlen(member->host_text) + 1 : 0;
    if (len > TM_NAME_BYTES_MAX)
        return tm_error_set(err, TM_E_INPUT, "a name of %zu bytes, more than the limit of %d", len, TM_NAME_BYTES_MAX);
    if (table->count >= TM_FILES_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than the limit of %d members", TM_FILES_MAX);
    if (table->names.len + len + cause_bytes + host_bytes >= TM_NAMES_BYTES_MAX)
        return tm_error_set(err, TM_E_INPUT, "names exceed the limit of %d bytes", TM_NAMES_BYTES_MAX);
    enum tm_status st = tm_array_grow(&table->members, &table->cap, table->count, sizeof *table->members, err);
    if (st < 0)
        return st;
    struct tm_member *to = &table->members[table->count];
    *to = *member;
    to->name_text = NULL;
    to->name = table->names.len;
    to->name_bytes = (uint32_t)len;
    to->cause_text = NULL;
    to->cause = member->cause_text ? table->names.len + len + 1 : 0;
    to->host_text = NULL;
    to->host = member->host_text ? table->names.len + len + 1 + cause_bytes : 0;
    if (tm_buf_add(&table->names, member->name_text, len) != TM_OK || tm_buf_add_byte(&table->names, 0) != TM_OK ||
        tm_buf_add(&table->names, member->cause_text, cause_bytes) != TM_OK ||
        tm_buf_add(&table->names, member->host_text, host_bytes) != TM_OK)
        return tm_error_nomem(err);
    table->count++;
    return TM_OK;
}

int tm_member_compare(const struct tm_member_table *table, const struct tm_member *a, const struct tm_member *b)
{
    if (a->type.priority != b->type.priority)
        return a->type.priority < b->type.priority ? -1 : 1;
    uint32_t n = a->name_bytes < b->name_bytes ? a->name_bytes : b->name_bytes;
    int c = memcmp(tm_member_name(table, a), tm_member_name(table, b), n);
    if (c != 0)
        return c;
    return a->name_bytes == b->name_bytes ? 0 : a->name_bytes < b->name_bytes ? -1 : 1;
}

/* Merges the sorted runs FROM[0, N1) and FROM[N1, N) into TO; the first run wins ties. */
static void merge(const struct tm_member_table *table, const uint32_t *from, uint32_t n1, uint32_t n, uint32_t *to)
{
    uint32_t i = 0, j = n1;
    for (uint32_t k = 0; k < n; k++) {
        bool first = j >= n || (i < n1 && tm_member_compare(table, &table->members[from[i]],
                                                            &table->members[from[j]]) <= 0);
        to[k] = first ? from[i++] : from[j++];
    }
}

enum tm_status tm_member_table_sort(struct tm_member_table *table, struct tm_error *err)
{
    uint32_t n = table->count;
    uint32_t *from = malloc((n + 1) * sizeof *from), *to = malloc((n + 1) * sizeof *to);
    if (from == NULL || to == NULL) {
        free(from);
        free(to);
        return tm_error_nomem(err);
    }
    for (uint32_t i = 0; i < n; i++)
        from[i] = i;
    for (uint32_t width = 1; width < n; width *= 2) {
        for (uint32_t i = 0; i < n; i += 2 * width) {
            uint32_t all = n - i < 2 * width ? n - i : 2 * width;
            merge(table, from + i, all < width ? all : width, all, to + i);
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    free(to);
    free(table->order);
    table->order = from;
    return TM_OK;
}

void tm_member_table_release(struct tm_member_table *table)
{
    free(table->members);
    free(table->order);
    tm_buf_release(&table->names);
    *table = (struct tm_member_table){0};
}
