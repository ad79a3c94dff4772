#include "model/stacks.h"

#include "base/pb.h"
#include "base/secret.h"
#include "stream/detail_fields.h"

/* Sets *ID to the number of the row with the hash KEY. *IS_NEW: it got the next number. */
static enum tm_status number(struct tm_table *table, const struct tm_key *key, int64_t *id, bool *is_new,
                             struct tm_error *err)
{
    *id = tm_table_find(table, key);
    *is_new = *id == TM_TABLE_NONE;
    if (!*is_new)
        return TM_OK;
    *id = table->count;
    return tm_table_set(table, key, *id, err);
}

/* Takes F if it is a field of the mapping other than its name. TEXT has its bytes. */
static bool is_of_mapping(struct tm_mapping_row *mapping, const struct tm_pb_field *f, struct tm_text text)
{
    if (f->id == TM_STACK_FRAME_BUILD_ID && f->type == TM_PB_LEN) {
        mapping->build_id = text;
        return true;
    }
    if (f->type != TM_PB_VARINT)
        return false;
    switch (f->id) {
    case TM_STACK_FRAME_MAPPING_START: mapping->start = f->value; return true;
    case TM_STACK_FRAME_MAPPING_END: mapping->end = f->value; return true;
    case TM_STACK_FRAME_MAPPING_EXACT_OFFSET: mapping->exact_offset = f->value; return true;
    case TM_STACK_FRAME_MAPPING_START_OFFSET: mapping->start_offset = f->value; return true;
    case TM_STACK_FRAME_MAPPING_LOAD_BIAS: mapping->load_bias = f->value; return true;
    default: return false;
    }
}

/* Sets the id of MAPPING. Writes its row if it is new. */
static enum tm_status add_mapping(struct tm_stacks *stacks, struct tm_mapping_row *mapping, struct tm_error *err)
{
    const uint64_t secret = stacks->secret;
    const uint64_t numbers[] = {mapping->start, mapping->end, mapping->exact_offset, mapping->start_offset,
                                mapping->load_bias};
    struct tm_key key = {tm_keyed_bytes(secret, mapping->name.data, mapping->name.len),
                         tm_keyed_bytes(secret, mapping->build_id.data, mapping->build_id.len),
                         tm_keyed_bytes(secret, numbers, sizeof numbers)};
    bool is_new;
    enum tm_status st = number(&stacks->mappings, &key, &mapping->id, &is_new, err);
    return st < 0 || !is_new ? st : stacks->rows->mapping(stacks->rows->self, mapping, err);
}

static enum tm_status add_frame(struct tm_stacks *stacks, const struct tm_pb_field *from, int64_t *id,
                                struct tm_error *err)
{
    struct tm_key key = {tm_keyed_bytes(stacks->secret, from->data, from->len), from->len, 0};
    struct tm_pb pb = tm_pb_of(from->data, from->len);
    struct tm_pb_field f;
    struct tm_frame_row row = {.mapping = TM_NO_ID, .function = {(const uint8_t *)"", 0}};
    const struct tm_text empty = {(const uint8_t *)"", 0};
    struct tm_mapping_row mapping = {.name = empty, .end = UINT64_MAX};
    bool is_new;
    enum tm_status st = number(&stacks->frames, &key, id, &is_new, err);
    if (st < 0 || !is_new)
        return st;
    row.id = *id;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        struct tm_text text = tm_text_given(f.data, f.len);
        bool is_place = true;
        if (f.id == TM_STACK_FRAME_MAPPING && f.type == TM_PB_LEN)
            mapping.name = text;
        else if (f.id == TM_STACK_FRAME_REL_PC && f.type == TM_PB_VARINT)
            row.rel_pc = (int64_t)f.value;
        else
            is_place = is_of_mapping(&mapping, &f, text);
        row.has_place |= is_place;
        if (f.id == TM_STACK_FRAME_FUNCTION && f.type == TM_PB_LEN)
            row.function = text;
        else if (f.id == TM_STACK_FRAME_FILE && f.type == TM_PB_LEN)
            row.file = text;
        else if (f.id == TM_STACK_FRAME_LINE && f.type == TM_PB_VARINT) {
            row.has_line = true;
            row.line = (uint32_t)f.value;
        }
    }
    if ((st = add_mapping(stacks, &mapping, err)) < 0)
        return st;
    row.mapping = mapping.id;
    return stacks->rows->frame(stacks->rows->self, &row, err);
}

enum tm_status tm_stacks_add(struct tm_stacks *stacks, const uint8_t *detail, size_t len, int64_t *callsite,
                             struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(detail, len);
    struct tm_pb_field f;
    struct tm_callsite_row row = {.id = TM_NO_ID};
    bool is_new;
    enum tm_status st = TM_OK;
    if (stacks->secret == 0)
        stacks->secret = tm_secret();
    for (uint32_t depth = 0; st == TM_OK && tm_pb_next(&pb, &f) == TM_OK;) {
        if (f.id != TM_DETAIL_FRAMES || f.type != TM_PB_LEN)
            continue;
        row.parent = row.id;
        row.depth = depth++;
        if ((st = add_frame(stacks, &f, &row.frame, err)) < 0)
            break;
        struct tm_key key = {(uint64_t)row.parent, (uint64_t)row.frame, 0};
        st = number(&stacks->callsites, &key, &row.id, &is_new, err);
        if (st == TM_OK && is_new)
            st = stacks->rows->callsite(stacks->rows->self, &row, err);
    }
    *callsite = row.id;
    return st;
}

void tm_stacks_release(struct tm_stacks *stacks)
{
    tm_table_release(&stacks->mappings);
    tm_table_release(&stacks->frames);
    tm_table_release(&stacks->callsites);
}
