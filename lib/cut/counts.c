#include "cut/counts.h"

#include "stream/drop_reason.h"

#include <stdlib.h>

/* Sets c->last to the row of E's file, machine and clock, which is added if it is new. */
static enum tm_status find_row(struct tm_cut_counts *c, const struct tm_event *e, struct tm_error *err)
{
    const struct tm_key key = {(uint64_t)e->file << 32 | e->machine, e->clock, 0};
    const struct tm_cut_count *last = c->count ? &c->rows[c->last] : NULL;
    if (last && last->file == e->file && last->machine == e->machine && last->clock == e->clock)
        return TM_OK;
    int64_t i = tm_table_find(&c->by_key, &key);
    if (i == TM_TABLE_NONE) {
        uint64_t *of_part = calloc((size_t)c->part_count + 1, sizeof *of_part);
        enum tm_status st = of_part ? tm_array_grow(&c->rows, &c->cap, c->count, sizeof *c->rows, err)
                                    : tm_error_nomem(err);
        i = c->count;
        if (st < 0 || (st = tm_table_set(&c->by_key, &key, i, err)) < 0) {
            free(of_part);
            return st;
        }
        c->rows[c->count++] = (struct tm_cut_count){e->file, e->machine, e->clock, of_part};
    }
    c->last = (uint32_t)i;
    return TM_OK;
}

enum tm_status tm_cut_counts_add(struct tm_cut_counts *c, const struct tm_event *e, uint32_t part, bool is_state,
                                 struct tm_error *err)
{
    c->has_flows = c->has_flows || (e->kind >= TM_KIND_FLOW_START && e->kind <= TM_KIND_FLOW_END);
    if (!tm_event_is_counted(e->flags))
        return TM_OK;
    enum tm_status st = find_row(c, e, err);
    if (st < 0)
        return st;
    c->rows[c->last].of_part[part]++;
    if (!is_state)
        c->rows[c->last].of_part[c->part_count]++;
    return TM_OK;
}

bool tm_cut_counts_has(const struct tm_cut_counts *c, uint32_t part)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (c->rows[i].of_part[part])
            return true;
    return false;
}

enum tm_status tm_cut_counts_write(const struct tm_cut_counts *c, uint32_t part, struct tm_stream_writer *writer,
                                   struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < c->count && st == TM_OK; i++) {
        const struct tm_cut_count *row = &c->rows[i];
        Tracemerge__Account account = TRACEMERGE__ACCOUNT__INIT;
        account.file = row->file;
        account.has_machine = true;
        account.machine = row->machine;
        account.clock = row->clock;
        account.reason = tm_bytes_str(tm_drop_reason_name(TM_DROP_FILTERED));
        account.count = row->of_part[c->part_count] - row->of_part[part];
        if (account.count)
            st = tm_stream_write_message(writer, TM_FRAME_ACCOUNT, &account.base, err);
    }
    return st;
}

void tm_cut_counts_release(struct tm_cut_counts *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        free(c->rows[i].of_part);
    free(c->rows);
    tm_table_release(&c->by_key);
    *c = (struct tm_cut_counts){0};
}
