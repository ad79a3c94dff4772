#include "emit/perfetto/annotation_key.h"

#include "base/bytes.h"

static const char json_prefix[] = "args.";

struct tm_text tm_annotation_key_bare(struct tm_text key)
{
    enum { PREFIX = sizeof json_prefix - 1 };
    size_t skip = key.len >= PREFIX && memcmp(key.data, json_prefix, PREFIX) == 0 ? PREFIX : 0;
    return tm_text_at(key.data + skip, key.len - skip);
}

uint32_t tm_annotation_index_end(struct tm_text key, uint32_t at)
{
    uint32_t i = at + 1;
    if (at >= key.len || key.data[at] != '[')
        return 0;
    while (i < key.len && key.data[i] >= '0' && key.data[i] <= '9')
        i++;
    if (i == at + 1 || i == key.len || key.data[i] != ']')
        return 0;
    i++;
    return i == key.len || key.data[i] == '.' || key.data[i] == '[' ? i : 0;
}

/* Returns a word whose lowest bit that is set is the top bit of the first byte of X that is equal to the bytes of ALL.
 * Higher bits may be set too. 0: no byte is equal. */
static uint64_t find_byte(uint64_t x, uint64_t all)
{
    x ^= all;
    return (x - UINT64_C(0x0101010101010101)) & ~x & UINT64_C(0x8080808080808080);
}

/* Returns the place of the first dot or bracket in KEY from I on, or its end. */
static uint32_t find_mark(struct tm_text key, uint32_t i)
{
    enum { STEP = 8 };
    const uint64_t dots = UINT64_C(0x2e2e2e2e2e2e2e2e), brackets = UINT64_C(0x5b5b5b5b5b5b5b5b);
    for (; key.len - i >= STEP; i += STEP) {
        uint64_t x = tm_get_le64(key.data + i), found = find_byte(x, dots) | find_byte(x, brackets);
        if (found)
            return i + tm_trailing_zeros(found) / 8;
    }
    while (i < key.len && key.data[i] != '.' && key.data[i] != '[')
        i++;
    return i;
}

uint32_t tm_annotation_name_end(struct tm_text key, uint32_t from, uint32_t depth)
{
    uint32_t i = depth < TM_ANNOTATION_DEPTH_MAX ? find_mark(key, from) : (uint32_t)key.len;
    while (i < key.len && key.data[i] == '[' && !tm_annotation_index_end(key, i))
        i = find_mark(key, i + 1);
    return i;
}

bool tm_annotation_is_array(struct tm_text key, uint32_t end, uint32_t depth, uint32_t *from)
{
    const bool is_entry = key.data[end] == '.';
    *from = end + is_entry;
    return !is_entry && depth < TM_ANNOTATION_DEPTH_MAX && tm_annotation_index_end(key, end);
}

bool tm_annotation_name_next(struct tm_annotation_name_walk *walk, struct tm_text *name)
{
    const struct tm_text key = walk->key;
    bool has_name = false;
    while (!walk->is_over && !has_name) {
        has_name = !walk->is_array;
        uint32_t end = has_name ? tm_annotation_name_end(key, walk->from, walk->depth)
                                : tm_annotation_index_end(key, walk->from);
        *name = tm_text_at(key.data + walk->from, end - walk->from);
        walk->is_over = end == key.len;
        if (!walk->is_over)
            walk->is_array = tm_annotation_is_array(key, end, walk->depth++, &walk->from);
    }
    return has_name;
}
