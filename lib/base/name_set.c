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

/* Writes to WORD what is compared of TEXT. Returns its length, or TM_NAME_SET_BYTES_MAX + 1 if that is too long. */
static size_t word_of(const uint8_t *text, size_t len, uint8_t word[TM_NAME_SET_BYTES_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        if (is_separator(text[i]))
            continue;
        if (n == TM_NAME_SET_BYTES_MAX)
            return n + 1;
        word[n++] = lower(text[i]);
    }
    return n;
}

static enum tm_status add_name(struct tm_name_set *set, const char *name, size_t len)
{
    uint8_t word[TM_NAME_SET_BYTES_MAX];
    size_t n = word_of((const uint8_t *)name, len, word);
    if (n == 0 || n > TM_NAME_SET_BYTES_MAX || set->count == TM_NAME_SET_MAX)
        return TM_E_INPUT;
    if (tm_buf_add(&set->text, word, n) != TM_OK)
        return TM_E_SYSTEM;
    set->last[word[n - 1] / 64] |= UINT64_C(1) << word[n - 1] % 64;
    set->starts[++set->count] = (uint32_t)set->text.len;
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

static bool has_word(const struct tm_name_set *set, const uint8_t *text, size_t len)
{
    uint8_t word[TM_NAME_SET_BYTES_MAX];
    size_t n = word_of(text, len, word);
    for (uint32_t i = 0; i < set->count; i++)
        if (set->starts[i + 1] - set->starts[i] == n && memcmp(set->text.data + set->starts[i], word, n) == 0)
            return true;
    return false;
}

bool tm_name_set_has(const struct tm_name_set *set, const uint8_t *path, size_t len)
{
    size_t at = len;
    while (len > 0 && is_separator(path[len - 1]))
        len--;
    uint8_t last = len > 0 ? lower(path[len - 1]) : 0;
    if (len == 0 || !(set->last[last / 64] >> last % 64 & 1))
        return false;
    if (has_word(set, path, len))
        return true;
    while (at > 0 && path[at - 1] != '.')
        at--;
    return at > 0 && at < len && has_word(set, path + at, len - at);
}

bool tm_name_memo_has(struct tm_name_memo *memo, const struct tm_name_set *set, const uint8_t *path, size_t len)
{
    if (len == 0 || len > TM_NAME_MEMO_BYTES)
        return tm_name_set_has(set, path, len);
    /* Names of one event differ in length or in some of these bytes. */
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
