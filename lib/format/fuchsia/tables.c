#include "format/fuchsia/tables.h"

#include "base/table.h"

#include <stdlib.h>

#define DEFAULT_TICKS UINT64_C(1000000000)

struct tm_fxt_string {
    char *s; /* owned */
    uint32_t len, cap;
};

static enum tm_status too_many(struct tm_error *err, const char *what, size_t limit)
{
    return tm_error_set(err, TM_E_INPUT, "more than %zu %s", limit, what);
}

enum tm_status tm_fxt_tables_provider(struct tm_fxt_tables *t, uint32_t id, struct tm_error *err)
{
    if (t->provider_count == TM_FXT_PROVIDERS_MAX)
        return too_many(err, "providers", TM_FXT_PROVIDERS_MAX);
    if (tm_array_grow(&t->ticks, &t->provider_cap, t->provider_count, sizeof *t->ticks, err) < 0)
        return TM_E_SYSTEM;
    if (tm_map_set(&t->providers, id, t->provider_count) != TM_OK)
        return tm_error_nomem(err);
    t->ticks[t->provider_count] = DEFAULT_TICKS;
    t->current = t->provider_count++;
    t->has_current = true;
    return TM_OK;
}

void tm_fxt_tables_section(struct tm_fxt_tables *t, uint32_t id)
{
    t->has_current = tm_map_find(&t->providers, id, &t->current);
}

uint64_t *tm_fxt_tables_ticks(struct tm_fxt_tables *t)
{
    return &t->ticks[t->current];
}

static uint64_t string_key(const struct tm_fxt_tables *t, uint32_t index)
{
    return (uint64_t)t->current << 16 | index;
}

/* Finds or makes the entry of string INDEX. */
static enum tm_status string_slot(struct tm_fxt_tables *t, uint32_t index, uint32_t *slot, struct tm_error *err)
{
    uint64_t key = string_key(t, index);
    if (tm_map_find(&t->strings, key, slot))
        return TM_OK;
    *slot = t->strings.count;
    if (*slot == TM_FXT_STRINGS_MAX)
        return too_many(err, "strings in tables", TM_FXT_STRINGS_MAX);
    if (tm_array_grow(&t->texts, &t->text_cap, *slot, sizeof *t->texts, err) < 0)
        return TM_E_SYSTEM;
    if (tm_map_set(&t->strings, key, *slot) != TM_OK)
        return tm_error_nomem(err);
    t->texts[*slot] = (struct tm_fxt_string){0};
    return TM_OK;
}

enum tm_status tm_fxt_tables_set_string(struct tm_fxt_tables *t, uint32_t index, struct tm_text text,
                                        struct tm_error *err)
{
    uint32_t slot;
    enum tm_status st = string_slot(t, index, &slot, err);
    if (st < 0)
        return st;
    struct tm_fxt_string *entry = &t->texts[slot];
    if (text.len > entry->cap) {
        size_t bytes = t->text_bytes - entry->cap + text.len;
        if (bytes > TM_FXT_STRING_BYTES_MAX)
            return too_many(err, "bytes of strings in tables", TM_FXT_STRING_BYTES_MAX);
        char *s = realloc(entry->s, text.len);
        if (s == NULL)
            return tm_error_nomem(err);
        t->text_bytes = bytes;
        entry->s = s;
        entry->cap = (uint32_t)text.len;
    }
    if (text.len)
        memcpy(entry->s, text.data, text.len);
    entry->len = (uint32_t)text.len;
    return TM_OK;
}

bool tm_fxt_tables_string(const struct tm_fxt_tables *t, uint32_t index, struct tm_text *text)
{
    uint32_t slot;
    if (!tm_map_find(&t->strings, string_key(t, index), &slot))
        return false;
    *text = tm_text_at(t->texts[slot].len ? t->texts[slot].s : "", t->texts[slot].len);
    return true;
}

static uint64_t thread_key(const struct tm_fxt_tables *t, uint32_t index)
{
    return (uint64_t)t->current << 8 | index;
}

enum tm_status tm_fxt_tables_set_thread(struct tm_fxt_tables *t, uint32_t index, const struct tm_fxt_thread *thread,
                                        struct tm_error *err)
{
    uint32_t slot;
    if (!tm_map_find(&t->threads, thread_key(t, index), &slot)) {
        slot = t->threads.count;
        if (tm_array_grow(&t->thread_rows, &t->thread_cap, slot, sizeof *t->thread_rows, err) < 0)
            return TM_E_SYSTEM;
        if (tm_map_set(&t->threads, thread_key(t, index), slot) != TM_OK)
            return tm_error_nomem(err);
    }
    t->thread_rows[slot] = *thread;
    return TM_OK;
}

bool tm_fxt_tables_thread(const struct tm_fxt_tables *t, uint32_t index, struct tm_fxt_thread *thread)
{
    uint32_t slot;
    if (!tm_map_find(&t->threads, thread_key(t, index), &slot))
        return false;
    *thread = t->thread_rows[slot];
    return true;
}

void tm_fxt_tables_release(struct tm_fxt_tables *t)
{
    for (uint32_t i = 0; i < t->strings.count; i++)
        free(t->texts[i].s);
    free(t->texts);
    free(t->ticks);
    free(t->thread_rows);
    tm_map_release(&t->providers);
    tm_map_release(&t->strings);
    tm_map_release(&t->threads);
    *t = (struct tm_fxt_tables){0};
}
