#include "emit/text/unfinished_rows.h"

#include "base/bytes.h"

enum { ROWS_MEMORY_BYTES = 8 << 20, PLACES_MEMORY_BYTES = 1 << 20, PLACE_BYTES = 8 };

/* Layout of a record: its head, then its bytes. A row has the bytes before the duration, those after it, and args. A
 * part has more args of a row. The parts of a row are a chain. */
enum { HEAD_BYTES = 56, IS_PART = 1 << 4 };

struct head {
    uint64_t kind;        /* enum tm_unfinished_end, or IS_PART */
    int64_t dur;
    int64_t number;       /* of a row; -1: none */
    uint32_t series;
    uint32_t before_bytes, after_bytes, args_bytes;
    uint64_t first, last; /* places of its parts plus 1; 0: none. In a part, first is the next part */
};

static uint64_t bytes_of(const struct head *h)
{
    return HEAD_BYTES + (uint64_t)h->before_bytes + h->after_bytes + h->args_bytes;
}

static enum tm_status write_head(struct tm_unfinished_rows *pending, uint64_t at, const struct head *h,
                                 struct tm_error *err)
{
    uint8_t bytes[HEAD_BYTES];
    tm_put_le64(bytes, h->kind);
    tm_put_le64(bytes + 8, (uint64_t)h->dur);
    tm_put_le64(bytes + 16, (uint64_t)h->number);
    tm_put_le32(bytes + 24, h->series);
    tm_put_le32(bytes + 28, h->before_bytes);
    tm_put_le32(bytes + 32, h->after_bytes);
    tm_put_le32(bytes + 36, h->args_bytes);
    tm_put_le64(bytes + 40, h->first);
    tm_put_le64(bytes + 48, h->last);
    return tm_paged_file_write(&pending->rows, at, bytes, sizeof bytes, err);
}

static enum tm_status read_head(struct tm_unfinished_rows *pending, uint64_t at, struct head *h, struct tm_error *err)
{
    uint8_t bytes[HEAD_BYTES];
    enum tm_status st = tm_paged_file_read(&pending->rows, at, bytes, sizeof bytes, err);
    if (st < 0)
        return st;
    *h = (struct head){.kind = tm_get_le64(bytes),
                       .dur = (int64_t)tm_get_le64(bytes + 8),
                       .number = (int64_t)tm_get_le64(bytes + 16),
                       .series = tm_get_le32(bytes + 24),
                       .before_bytes = tm_get_le32(bytes + 28),
                       .after_bytes = tm_get_le32(bytes + 32),
                       .args_bytes = tm_get_le32(bytes + 36),
                       .first = tm_get_le64(bytes + 40),
                       .last = tm_get_le64(bytes + 48)};
    return TM_OK;
}

static void prepare(struct tm_unfinished_rows *pending)
{
    if (pending->is_ready)
        return;
    pending->is_ready = true;
    tm_paged_file_init(&pending->rows, pending->dir, ROWS_MEMORY_BYTES);
    for (int i = 0; i < TM_SERIES_COUNT; i++)
        tm_paged_file_init(&pending->places[i], pending->dir, PLACES_MEMORY_BYTES);
}

static enum tm_status append(struct tm_unfinished_rows *pending, const struct tm_buf_view *bytes, uint64_t *at,
                             struct tm_error *err)
{
    enum tm_status st = bytes->len ? tm_paged_file_write(&pending->rows, *at, bytes->data, bytes->len, err) : TM_OK;
    *at += bytes->len;
    return st;
}

enum tm_status tm_unfinished_rows_add(struct tm_unfinished_rows *pending, const struct tm_unfinished_row *row,
                                      enum tm_unfinished_series series, int64_t number, struct tm_error *err)
{
    const struct head head = {.kind = row->end,
                              .dur = row->dur,
                              .number = number,
                              .series = series,
                              .before_bytes = (uint32_t)row->before.len,
                              .after_bytes = (uint32_t)row->after.len,
                              .args_bytes = (uint32_t)row->args.len};
    uint64_t at = pending->end + HEAD_BYTES;
    uint8_t place[PLACE_BYTES];
    enum tm_status st;
    prepare(pending);
    if (number >= 0) {
        tm_put_le64(place, pending->end + 1);
        st = tm_paged_file_write(&pending->places[series], (uint64_t)number * PLACE_BYTES, place, sizeof place, err);
        if (st < 0)
            return st;
    }
    if ((st = write_head(pending, pending->end, &head, err)) < 0 ||
        (st = append(pending, &row->before, &at, err)) < 0 || (st = append(pending, &row->after, &at, err)) < 0 ||
        (st = append(pending, &row->args, &at, err)) < 0)
        return st;
    pending->end = at;
    return TM_OK;
}

/* Adds ARGS as a part of the row at AT with head HEAD. */
static enum tm_status add_part(struct tm_unfinished_rows *pending, struct head *head, const struct tm_buf_view *args,
                               struct tm_error *err)
{
    const struct head part = {.kind = IS_PART, .number = -1, .args_bytes = (uint32_t)args->len};
    uint64_t at = pending->end, end = at + HEAD_BYTES;
    struct head before;
    enum tm_status st = TM_OK;
    if (head->last) {
        if ((st = read_head(pending, head->last - 1, &before, err)) < 0)
            return st;
        before.first = at + 1;
        st = write_head(pending, head->last - 1, &before, err);
    } else {
        head->first = at + 1;
    }
    head->last = at + 1;
    if (st < 0 || (st = write_head(pending, at, &part, err)) < 0 || (st = append(pending, args, &end, err)) < 0)
        return st;
    pending->end = end;
    return TM_OK;
}

enum tm_status tm_unfinished_rows_update(struct tm_unfinished_rows *pending, const struct tm_row_update *update,
                                         struct tm_error *err)
{
    const enum tm_unfinished_series series = update->series;
    const int64_t number = update->number, dur = update->dur;
    const struct tm_buf_view *args = &update->args;
    uint8_t place[PLACE_BYTES];
    struct head head;
    enum tm_status st;
    if (!tm_unfinished_rows_any(pending) || number < pending->next[series])
        return TM_OK;
    st = tm_paged_file_read(&pending->places[series], (uint64_t)number * PLACE_BYTES, place, sizeof place, err);
    uint64_t at = tm_get_le64(place);
    if (st < 0 || at-- == 0)
        return st;
    if ((st = read_head(pending, at, &head, err)) < 0 || (args->len && (st = add_part(pending, &head, args, err)) < 0))
        return st;
    if (dur != -1) {
        head.kind = dur < 0 ? TM_ROW_UNKNOWN_END : TM_ROW_ENDED;
        head.dur = dur;
        pending->is_blocked = pending->is_blocked && at != pending->begin;
    }
    return write_head(pending, at, &head, err);
}

/* Appends LEN bytes of a record, from AT on, to the row being taken. */
static enum tm_status take_bytes(struct tm_unfinished_rows *pending, uint64_t at, size_t len, struct tm_error *err)
{
    if (tm_buf_reserve(&pending->taken, len) < 0)
        return tm_error_nomem(err);
    enum tm_status st = tm_paged_file_read(&pending->rows, at, pending->taken.data + pending->taken.len, len, err);
    pending->taken.len += len;
    return st;
}

/* Removes the record at the front. */
static void pass(struct tm_unfinished_rows *pending, const struct head *head)
{
    pending->begin += bytes_of(head);
    if (head->number >= 0) {
        pending->next[head->series] = head->number + 1;
        tm_paged_file_discard(&pending->places[head->series], (uint64_t)pending->next[head->series] * PLACE_BYTES);
    }
    tm_paged_file_discard(&pending->rows, pending->begin);
    if (pending->begin < pending->end ||
        pending->end < ROWS_MEMORY_BYTES) /* clearing has a cost, so it is not done each time */
        return;
    tm_paged_file_clear(&pending->rows);
    for (int i = 0; i < TM_SERIES_COUNT; i++)
        tm_paged_file_clear(&pending->places[i]);
    pending->begin = pending->end = 0;
}

/* Finds the first row and removes the parts before it. TM_END: there is none. */
static enum tm_status first_row(struct tm_unfinished_rows *pending, struct head *head, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    while (tm_unfinished_rows_any(pending) && (st = read_head(pending, pending->begin, head, err)) == TM_OK &&
           head->kind == IS_PART)
        pass(pending, head);
    return st < 0 ? st : tm_unfinished_rows_any(pending) ? TM_OK : TM_END;
}

enum tm_status tm_unfinished_rows_take(struct tm_unfinished_rows *pending, bool all, struct tm_unfinished_row *row,
                                       struct tm_error *err)
{
    struct head head, part = {0};
    if (pending->is_blocked && !all)
        return TM_END;
    enum tm_status st = first_row(pending, &head, err);
    if (st != TM_OK)
        return st;
    pending->is_blocked = head.kind == TM_ROW_OPEN && !all;
    if (pending->is_blocked)
        return TM_END;
    tm_buf_clear(&pending->taken);
    st = take_bytes(pending, pending->begin + HEAD_BYTES, bytes_of(&head) - HEAD_BYTES, err);
    for (uint64_t at = head.first; at && st == TM_OK; at = part.first)
        if ((st = read_head(pending, at - 1, &part, err)) == TM_OK)
            st = pending->taken.len > TM_UNFINISHED_ROW_BYTES_MAX
                     ? tm_error_set(err, TM_E_INPUT, "the args of a slice have more than %d MiB",
                                    TM_UNFINISHED_ROW_BYTES_MAX >> 20)
                     : take_bytes(pending, at - 1 + HEAD_BYTES, part.args_bytes, err);
    if (st < 0)
        return st;
    const uint8_t *bytes = pending->taken.data;
    size_t args = (size_t)head.before_bytes + head.after_bytes;
    *row = (struct tm_unfinished_row){.end = (enum tm_unfinished_end)head.kind,
                                      .dur = head.dur,
                                      .before = {bytes, head.before_bytes},
                                      .after = {bytes + head.before_bytes, head.after_bytes},
                                      .args = {bytes + args, pending->taken.len - args}};
    pass(pending, &head);
    return TM_OK;
}

void tm_unfinished_rows_release(struct tm_unfinished_rows *pending)
{
    tm_paged_file_release(&pending->rows);
    for (int i = 0; i < TM_SERIES_COUNT; i++)
        tm_paged_file_release(&pending->places[i]);
    tm_buf_release(&pending->taken);
    *pending = (struct tm_unfinished_rows){0};
}
