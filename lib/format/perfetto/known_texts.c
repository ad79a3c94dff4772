#include "format/perfetto/known_texts.h"

enum { TEXTS_MAX = 1 << 16, BYTES_MAX = 4 << 20 };

static bool is_same(const struct tm_proto_known_texts *known, uint32_t machine, uint64_t key,
                    const struct tm_proto_known_text *text)
{
    struct tm_proto_known_text before;
    return tm_proto_known_text_find(known, machine, key, &before) && tm_text_equal(before.name, text->name) &&
           tm_text_equal(before.dimensions, text->dimensions) && tm_text_equal(before.source, text->source);
}

enum tm_status tm_proto_known_text_add(struct tm_proto_known_texts *known, uint32_t machine, uint64_t key,
                                       const struct tm_proto_known_text *text)
{
    struct tm_proto_map_entry *entry;
    const size_t at = known->bytes.len;
    if (is_same(known, machine, key, text))
        return TM_OK;
    if (text->name.len + text->dimensions.len + text->source.len > BYTES_MAX - at) {
        known->places.refused++;
        return TM_OK;
    }
    enum tm_status st = tm_proto_map_add(&known->places, machine, key, TEXTS_MAX, &entry);
    if (st != TM_OK)
        return st < 0 ? st : TM_OK;
    entry->v1 = (uint64_t)at << 32 | text->name.len;
    entry->v2 = (uint64_t)text->dimensions.len << 32 | text->source.len;
    st = tm_buf_add(&known->bytes, text->name.data, text->name.len);
    if (st == TM_OK)
        st = tm_buf_add(&known->bytes, text->dimensions.data, text->dimensions.len);
    return st < 0 ? st : tm_buf_add(&known->bytes, text->source.data, text->source.len);
}

bool tm_proto_known_text_find(const struct tm_proto_known_texts *known, uint32_t machine, uint64_t key,
                              struct tm_proto_known_text *text)
{
    const struct tm_proto_map_entry *entry = tm_proto_map_find(&known->places, machine, key);
    if (entry == NULL)
        return false;
    const uint8_t *bytes = known->bytes.data ? known->bytes.data + (entry->v1 >> 32) : (const uint8_t *)"";
    text->name = tm_text_at(bytes, (uint32_t)entry->v1);
    text->dimensions = tm_text_at(bytes + text->name.len, (size_t)(entry->v2 >> 32));
    text->source = tm_text_at(text->dimensions.data + text->dimensions.len, (uint32_t)entry->v2);
    return true;
}

void tm_proto_known_texts_release(struct tm_proto_known_texts *known)
{
    tm_proto_map_release(&known->places);
    tm_buf_release(&known->bytes);
    tm_buf_release(&known->unnamed);
}
