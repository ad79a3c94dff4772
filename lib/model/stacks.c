#include "model/stacks.h"

#include "base/hash.h"
#include "base/pb.h"
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

static enum tm_status add_frame(struct tm_stacks *stacks, const struct tm_pb_field *from, int64_t *id,
                                struct tm_error *err)
{
    struct tm_key key = {tm_hash64(from->data, from->len), tm_hash64_seed(from->data, from->len, 1), 0};
    struct tm_pb pb = tm_pb_of(from->data, from->len);
    struct tm_pb_field f;
    struct tm_frame_row row = {.mapping = TM_NO_ID};
    struct tm_text mapping = {0};
    bool is_new;
    enum tm_status st = number(&stacks->frames, &key, id, &is_new, err);
    if (st < 0 || !is_new)
        return st;
    row.id = *id;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        struct tm_text text = {f.data ? f.data : (const uint8_t *)"", f.len};
        if (f.id == TM_STACK_FRAME_FUNCTION && f.type == TM_PB_LEN)
            row.function = text;
        else if (f.id == TM_STACK_FRAME_MAPPING && f.type == TM_PB_LEN)
            mapping = text;
        else if (f.id == TM_STACK_FRAME_REL_PC && f.type == TM_PB_VARINT) {
            row.has_pc = true;
            row.rel_pc = (int64_t)f.value;
        } else if (f.id == TM_STACK_FRAME_FILE && f.type == TM_PB_LEN)
            row.file = text;
        else if (f.id == TM_STACK_FRAME_LINE && f.type == TM_PB_VARINT) {
            row.has_line = true;
            row.line = (uint32_t)f.value;
        }
    }
    if (mapping.data) {
        struct tm_key name = {tm_hash64(mapping.data, mapping.len), tm_hash64_seed(mapping.data, mapping.len, 1), 0};
        if ((st = number(&stacks->mappings, &name, &row.mapping, &is_new, err)) < 0 ||
            (is_new && (st = stacks->rows->mapping(stacks->rows->self, row.mapping, mapping, err)) < 0))
            return st;
    }
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
