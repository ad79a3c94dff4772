/* Writes what the placer found: whole batches with new columns, or row by row if rows are dropped or pending. */
#include "clocks/batch_placer.h"

#include "clocks/inner_times.h"
#include "clocks/fast_path.h"

/* True if a row of BATCH has FLAG. */
static bool any_has(const struct tm_batch *batch, uint32_t flag)
{
    uint32_t flags = tm_batch_u32(batch, TM_COL_FLAGS, 0);
    for (uint32_t i = 1; i < batch->count && !tm_batch_is_constant(batch, TM_COL_FLAGS); i++)
        flags |= tm_batch_u32(batch, TM_COL_FLAGS, i);
    return flags & flag;
}

/* Converts the inner times of kept rows. BATCH gets its own copy of the payload for that. */
static enum tm_status convert_inner(struct tm_batch_placer *placer, struct tm_batch *batch, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    bool is_copied = false;
    size_t at = 0;
    if (placer->is_whole_batch || !any_has(batch, TM_EVENT_INNER_TIMES))
        return TM_OK;
    for (uint32_t i = 0; i < batch->count && st == TM_OK; i++) {
        size_t len = tm_batch_payload_of(batch, i);
        if (tm_batch_u32(batch, TM_COL_FLAGS, i) & TM_EVENT_INNER_TIMES &&
            placer->columns.outcomes[i] == TM_OUTCOME_KEEP) {
            struct tm_route_key key = tm_row_route_key(batch, i);
            uint32_t raw_bytes = tm_batch_u32(batch, TM_COL_RAW_BYTES, i);
            if (!is_copied) {
                tm_buf_clear(&placer->payload);
                if (tm_buf_add(&placer->payload, batch->payload, batch->payload_bytes) != TM_OK)
                    return tm_error_nomem(err);
                batch->payload = placer->payload.data;
                is_copied = true;
            }
            st = tm_inner_times_convert(&placer->routes, &key, placer->payload.data + at + raw_bytes, len - raw_bytes,
                                        err);
        }
        at += len;
    }
    return st;
}

static enum tm_status flush_rebuilt(struct tm_batch_placer *placer, struct tm_error *err)
{
    struct tm_batch batch;
    tm_batch_builder_view(&placer->rebuilt, &batch);
    enum tm_status st = placer->has_provisional ? tm_line_rows_add(&placer->lines, &batch, placer->kept_parts.data,
                                                                   placer->temporary_dir, err)
                                                : tm_stream_write_batch(placer->writer, &batch, err);
    tm_batch_builder_clear(&placer->rebuilt);
    tm_buf_clear(&placer->kept_parts);
    return st;
}

/* Keeps EVENT, row I of the current batch. If the batch waits for lines, only its time changes. */
static enum tm_status keep_row(struct tm_batch_placer *placer, struct tm_event *event, uint32_t i, struct tm_error *err)
{
    const uint8_t *part = placer->columns.parts + (size_t)TM_LINE_ROW_BYTES * i;
    enum tm_status st = tm_batch_builder_full(&placer->rebuilt) ? flush_rebuilt(placer, err) : TM_OK;
    event->time_ns = (int64_t)tm_get_le64(placer->columns.times + (size_t)8 * i);
    if (st == TM_OK && placer->has_provisional) {
        if (tm_buf_add(&placer->kept_parts, part, TM_LINE_ROW_BYTES) != TM_OK)
            return tm_error_nomem(err);
    } else {
        event->machine = tm_get_le32(placer->columns.machines + (size_t)4 * i);
        event->clock = tm_get_le32(placer->columns.clocks + (size_t)4 * i);
    }
    if (st == TM_OK && tm_batch_builder_add(&placer->rebuilt, event) != TM_OK)
        st = tm_error_nomem(err);
    return st;
}

/* Lists EVENT, row I of the current batch, which is dropped. */
static enum tm_status list_row(struct tm_batch_placer *placer, struct tm_event *event, uint32_t i, struct tm_error *err)
{
    enum tm_row_result result = (enum tm_row_result)(placer->columns.outcomes[i] - TM_OUTCOME_DROP);
    int64_t trace_ns = (int64_t)tm_get_le64(placer->columns.times + (size_t)8 * i);
    if (result == TM_RESULT_PLACED || !placer->dropped.is_enabled)
        return TM_OK;
    event->time_ns = (int64_t)tm_get_le64(placer->columns.readings + (size_t)8 * i);
    event->machine = tm_get_le32(placer->columns.machines + (size_t)4 * i);
    event->clock = tm_get_le32(placer->columns.clocks + (size_t)4 * i);
    return tm_dropped_list_add(&placer->dropped, event, result, trace_ns, err);
}

/* Writes the rows into which the current message was split, at the message's place. */
static enum tm_status place_split_rows(struct tm_batch_placer *placer, struct tm_error *err)
{
    struct tm_placer_columns outer = placer->columns; /* write_rows still reads them */
    struct tm_placer_last last = placer->last; /* rows of the next batch may be derived from it */
    struct tm_batch batch;
    bool has_provisional = placer->has_provisional;
    tm_batch_builder_view(&placer->split_rows, &batch);
    placer->columns = (struct tm_placer_columns){0};
    enum tm_status st = tm_batch_placer_convert(placer, &batch, err);
    if (st == TM_OK)
        st = tm_batch_placer_write(placer, &batch, err);
    tm_placer_columns_release(&placer->columns);
    placer->columns = outer;
    placer->last = last;
    placer->has_provisional = has_provisional;
    tm_batch_builder_clear(&placer->split_rows);
    return st;
}

static enum tm_status split_message(struct tm_batch_placer *placer, const struct tm_event *whole, struct tm_error *err)
{
    struct tm_event event;
    enum tm_status st = flush_rebuilt(placer, err);
    if (st == TM_OK)
        st = tm_compact_rows_open(&placer->message, whole, err);
    while (st == TM_OK && (st = tm_compact_rows_next(&placer->message, &event, err)) == TM_OK) {
        if (tm_batch_builder_full(&placer->split_rows))
            st = place_split_rows(placer, err);
        if (st == TM_OK && tm_batch_builder_add(&placer->split_rows, &event) != TM_OK)
            st = tm_error_nomem(err);
    }
    return st == TM_END ? place_split_rows(placer, err) : st;
}

/* Writes kept rows to a new batch. Adds pending rows to the deferral of their file. */
static enum tm_status write_rows(struct tm_batch_placer *placer, const struct tm_batch *batch, struct tm_error *err)
{
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event event;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_batch_next(&walk, &event)) {
        uint32_t i = walk.i - 1;
        int64_t time_ns = (int64_t)tm_get_le64(placer->columns.times + (size_t)8 * i);
        event.flags &= ~TM_ROW_IS_ABSOLUTE;
        if (placer->columns.outcomes[i] == TM_OUTCOME_KEEP) {
            st = keep_row(placer, &event, i, err);
        } else if (placer->columns.outcomes[i] == TM_OUTCOME_SPLIT) {
            st = split_message(placer, &event, err);
        } else if (placer->columns.outcomes[i] >= TM_OUTCOME_DROP) {
            st = list_row(placer, &event, i, err);
        } else {
            struct tm_clock_file *file = tm_clock_files_open(placer->routes.files, event.file, err);
            if (file == NULL)
                return TM_E_INPUT;
            event.time_ns = time_ns;
            event.clock = tm_get_le32(placer->columns.clocks + (size_t)4 * i);
            event.flags |= placer->columns.outcomes[i] == TM_OUTCOME_DEFER_ABSOLUTE ? TM_ROW_IS_ABSOLUTE : 0;
            st = tm_clock_file_defer(file, &event, placer->temporary_dir, err);
        }
    }
    return st < 0 ? st : flush_rebuilt(placer, err);
}

/* Defers all rows of BATCH, which belong to one file. */
static enum tm_status defer_batch(struct tm_batch_placer *placer, const struct tm_batch *batch, struct tm_error *err)
{
    struct tm_batch pending = *batch;
    struct tm_clock_file *file = tm_clock_files_open(placer->routes.files, tm_batch_u32(batch, TM_COL_FILE, 0), err);
    if (file == NULL)
        return TM_E_INPUT;
    tm_batch_set_column(&pending, TM_COL_TIME_NS, placer->columns.times, batch->count);
    tm_batch_set_column(&pending, TM_COL_CLOCK, placer->columns.clocks, batch->count);
    return tm_clock_file_defer_batch(file, &pending, placer->temporary_dir, err);
}

static bool is_same_throughout(const uint8_t *column, uint32_t count)
{
    return memcmp(column, column + 4, (size_t)4 * (count - 1)) == 0;
}

enum tm_status tm_batch_placer_write(struct tm_batch_placer *placer, const struct tm_batch *batch,
                                     struct tm_error *err)
{
    struct tm_batch out = *batch;
    if (batch->count == 0)
        return TM_OK;
    enum tm_status st = placer->has_provisional ? TM_OK : convert_inner(placer, &out, err);
    if (st < 0)
        return st;
    if (placer->all_deferred && tm_batch_is_constant(batch, TM_COL_FILE))
        return defer_batch(placer, batch, err);
    if (!placer->all_kept || (placer->is_last_try && any_has(batch, TM_ROW_IS_ABSOLUTE)))
        return write_rows(placer, &out, err);
    if (placer->has_provisional) {
        tm_batch_set_column(&out, TM_COL_TIME_NS, placer->columns.times, batch->count);
        return tm_line_rows_add(&placer->lines, &out, placer->columns.parts, placer->temporary_dir, err);
    }
    bool one_machine = placer->is_whole_batch || is_same_throughout(placer->columns.machines, batch->count);
    bool one_clock = placer->is_whole_batch || is_same_throughout(placer->columns.clocks, batch->count);
    tm_batch_set_column(&out, TM_COL_TIME_NS, placer->columns.times, batch->count);
    tm_batch_set_column(&out, TM_COL_MACHINE, placer->columns.machines, one_machine ? 1 : batch->count);
    tm_batch_set_column(&out, TM_COL_CLOCK, placer->columns.clocks, one_clock ? 1 : batch->count);
    return tm_stream_write_batch(placer->writer, &out, err);
}

enum tm_status tm_batch_placer_finish(struct tm_batch_placer *placer, struct tm_clock_file *file,
                                      struct tm_error *err)
{
    struct tm_batch batch;
    enum tm_status st = TM_OK;
    placer->is_last_try = true;
    placer->has_last = false; /* the outcome of the preceding row does not apply to a row that was pending */
    while (file->deferral && (st = tm_deferral_next(file->deferral, &batch, err)) == TM_OK) {
        st = tm_batch_placer_convert(placer, &batch, err);
        if (st == TM_OK)
            st = tm_batch_placer_write(placer, &batch, err);
        if (st < 0)
            break;
    }
    placer->is_last_try = false;
    return st == TM_END ? TM_OK : st;
}
