#include "base/name_set.h"

#include <string.h>

static bool is_separator(uint8_t c)
{
    return c == '_' || c == '-' || c == '.' || c == ' ';
}

static uint8_t lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c | 0x20) : c;
}

/* True if the LEN bytes at TEXT are NAME, apart from case and separators. */
static bool is_name(const uint8_t *text, size_t len, const char *name)
{
    for (size_t i = 0; i < len; i++)
        if (!is_separator(text[i]) && (*name == '\0' || lower(text[i]) != (uint8_t)*name++))
            return false;
    return *name == '\0';
}

/* Returns the last byte of TEXT that is compared, or 0. Comparing it first rejects most names quickly. */
static uint8_t last_byte(const uint8_t *text, size_t len)
{
    while (len > 0 && is_separator(text[len - 1]))
        len--;
    return len > 0 ? lower(text[len - 1]) : 0;
}

bool tm_name_is_like(const uint8_t *path, size_t len, const char *name)
{
    size_t at = len;
    if (last_byte(path, len) != (uint8_t)name[strlen(name) - 1])
        return false;
    if (is_name(path, len, name))
        return true;
    while (at > 0 && path[at - 1] != '.')
        at--;
    return at > 0 && is_name(path + at, len - at, name);
}

static enum tm_status add_name(struct tm_name_set *set, const char *name, size_t len)
{
    const size_t start = set->text.len;
    if (set->count == TM_NAME_SET_MAX || len > TM_NAME_SET_BYTES_MAX || last_byte((const uint8_t *)name, len) == 0)
        return TM_E_INPUT;
    if (tm_buf_reserve(&set->text, len + 1) != TM_OK)
        return TM_E_SYSTEM;
    for (size_t i = 0; i < len; i++)
        if (!is_separator((uint8_t)name[i]))
            set->text.data[set->text.len++] = lower((uint8_t)name[i]);
    set->text.data[set->text.len++] = '\0';
    set->starts[set->count++] = (uint32_t)start;
    return TM_OK;
}

enum tm_status tm_name_set_add(struct tm_name_set *set, const char *list)
{
    enum tm_status st = TM_OK;
    while (list && st == TM_OK) {
        const char *end = strchr(list, ',');
        st = add_name(set, list, end ? (size_t)(end - list) : strlen(list));
        list = end ? end + 1 : NULL;
    }
    return st;
}

bool tm_name_set_has(const struct tm_name_set *set, const uint8_t *path, size_t len)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (tm_name_is_like(path, len, (const char *)set->text.data + set->starts[i]))
            return true;
    return false;
}

bool tm_name_memo_has(struct tm_name_memo *memo, const struct tm_name_set *set, const uint8_t *path, size_t len)
{
    if (len == 0 || len > TM_NAME_MEMO_BYTES)
        return tm_name_set_has(set, path, len);
    /* The names in one event usually differ in length or in one of these bytes. */
    size_t hash = len * 7 + path[0] + path[len / 2] * 3u + path[len - 1] * 5u;
    struct tm_name_memo_slot *slot = &memo->slots[hash % TM_NAME_MEMO_SLOTS];
    if (slot->len != len || memcmp(slot->path, path, len) != 0) {
        slot->len = (uint8_t)len;
        slot->has = tm_name_set_has(set, path, len);
        memcpy(slot->path, path, len);
    }
    return slot->has;
}

void tm_name_set_release(struct tm_name_set *set)
{
    tm_buf_release(&set->text);
    *set = (struct tm_name_set){0};
}
