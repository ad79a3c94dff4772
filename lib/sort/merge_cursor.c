#include "sort/merge_cursor.h"

/* Reads the next rows, as tm_merge_cursor_look_ahead does, if they are records. */
static void look_at_records(struct tm_merge_cursor *c)
{
    const struct tm_block_layout *layout = c->layout;
    const struct tm_layout_part time = layout->parts[TM_COL_TIME_NS][0], raw = layout->parts[TM_COL_RAW_BYTES][0],
                                detail = layout->parts[TM_COL_DETAIL_BYTES][0];
    uint64_t constant_time = layout->constants[TM_COL_TIME_NS];
    uint64_t constant_bytes = layout->constants[TM_COL_RAW_BYTES] + layout->constants[TM_COL_DETAIL_BYTES];
    bool definitions = c->block->definitions;
    const uint8_t *record = c->record;
    for (uint32_t i = 0; i < c->look_ahead_count; i++, record += layout->stride) {
        uint64_t at = constant_time | tm_layout_part_at(&time, record);
        uint64_t bytes = tm_layout_part_at(&raw, record) + tm_layout_part_at(&detail, record);
        c->times[i] = definitions ? 0 : tm_sort_time_of(at);
        c->payloads[i] = (uint32_t)(constant_bytes + bytes);
    }
}

void tm_merge_cursor_look_ahead(struct tm_merge_cursor *c)
{
    const struct tm_block *b = c->block;
    uint32_t left = b->end - c->row;
    c->look_ahead = 0;
    c->look_ahead_count = (uint8_t)(left < TM_MERGE_LOOK_AHEAD ? left : TM_MERGE_LOOK_AHEAD);
    c->layout = b->layout;
    if (b->layout) {
        c->record = b->records + (size_t)c->row * b->layout->stride;
        look_at_records(c);
        return;
    }
    for (uint32_t i = 0; i < c->look_ahead_count; i++) {
        c->times[i] = tm_block_time(b, c->row + i);
        c->payloads[i] = (uint32_t)tm_block_payload_of(b, c->row + i);
    }
}
