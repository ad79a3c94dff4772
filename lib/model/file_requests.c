#include "model/file_requests.h"

#include "perfetto/named_tracks.h"
#include "stream/detail_arg.h"

#include <stdlib.h>

enum { ABOUT_MAX = 16 };

/* A request that is not done. */
struct tm_file_request {
    bool is_open;
    uint32_t next; /* if it is not open: the next unused one, plus 1 */
    uint32_t file, machine, name;
    int64_t tid;
    uint64_t track;
    uint8_t about_len;
    uint8_t about[ABOUT_MAX]; /* of its track, as in a Detail message */
};

static struct tm_key key_of(const struct tm_event *row)
{
    return (struct tm_key){(uint64_t)row->file << 32 | row->machine, row->track, 0};
}

static enum tm_status put_missing(struct tm_buf *detail, const char *what, struct tm_error *err)
{
    return tm_detail_arg_text(detail, "Missing Event", what, strlen(what)) < 0 ? tm_error_nomem(err) : TM_OK;
}

/* Makes ROW state that the slice of REQUEST has no length. The caller has set the time of ROW. */
static enum tm_status lose_end(struct tm_file_requests *q, const struct tm_file_request *request, struct tm_event *row,
                               struct tm_error *err)
{
    tm_buf_clear(&q->detail);
    if (tm_buf_add(&q->detail, request->about, request->about_len) != TM_OK)
        return tm_error_nomem(err);
    enum tm_status st = put_missing(&q->detail, "End", err);
    row->kind = TM_KIND_SLICE_ARGS;
    row->flags |= TM_EVENT_OPEN_ENDED;
    row->tid = request->tid;
    row->name = row->category = 0;
    row->detail = q->detail.data;
    row->detail_bytes = (uint32_t)q->detail.len;
    return st;
}

/* Sets *REQUEST to a new open one; NULL beyond the limit. */
static enum tm_status add(struct tm_file_requests *q, const struct tm_key *key, struct tm_file_request **request,
                          struct tm_error *err)
{
    uint32_t i = q->free_first;
    enum tm_status st = TM_OK;
    *request = NULL;
    if (i == 0 && q->count == TM_FILE_REQUESTS_MAX) {
        q->left_out++;
        return TM_OK;
    }
    if (i == 0 && (st = tm_array_grow(&q->requests, &q->cap, q->count, sizeof *q->requests, err)) < 0)
        return st;
    if ((st = tm_table_set(&q->by_number, key, i ? i - 1 : q->count, err)) < 0)
        return st;
    if (i)
        q->free_first = q->requests[i - 1].next;
    else
        i = ++q->count;
    *request = &q->requests[i - 1];
    q->open++;
    return TM_OK;
}

static void drop(struct tm_file_requests *q, const struct tm_key *key, int64_t i)
{
    tm_table_remove(&q->by_number, key);
    q->requests[i].is_open = false;
    q->requests[i].next = q->free_first;
    q->free_first = (uint32_t)i + 1;
    q->open--;
}

static enum tm_status begin(struct tm_file_requests *q, const struct tm_event *row, struct tm_settled_rows *out,
                            struct tm_error *err)
{
    const struct tm_key key = key_of(row);
    const size_t about_len = tm_named_track_bytes(row->detail, row->detail_bytes);
    int64_t i = tm_table_find(&q->by_number, &key);
    struct tm_file_request *request;
    struct tm_event *made = &out->rows[0];
    enum tm_status st = TM_OK;
    if (i != TM_TABLE_NONE) {
        out->rows[1] = *made;
        made = &out->rows[1];
        made->flags = (made->flags & ~TM_EVENT_RAW_MASK) | TM_EVENT_DERIVED;
        made->raw_bytes = 0;
        out->count = 2;
        st = lose_end(q, &q->requests[i], &out->rows[0], err);
        drop(q, &key, i);
    }
    made->kind = TM_KIND_SLICE_BEGIN;
    if (st < 0 || (st = add(q, &key, &request, err)) < 0 || request == NULL)
        return st;
    *request = (struct tm_file_request){.is_open = true,
                                        .file = row->file,
                                        .machine = row->machine,
                                        .name = row->name & TM_STRING_INLINE ? 0 : row->name,
                                        .tid = row->tid,
                                        .track = row->track,
                                        .about_len = about_len > ABOUT_MAX ? 0 : (uint8_t)about_len};
    memcpy(request->about, row->detail, request->about_len);
    return TM_OK;
}

static enum tm_status end(struct tm_file_requests *q, const struct tm_event *row, struct tm_event *made,
                          struct tm_error *err)
{
    const struct tm_key key = key_of(row);
    int64_t i = tm_table_find(&q->by_number, &key);
    if (i != TM_TABLE_NONE) {
        made->kind = TM_KIND_SLICE_END;
        made->name = q->requests[i].name;
        drop(q, &key, i);
        return TM_OK;
    }
    made->kind = TM_KIND_INSTANT;
    made->track = tm_named_track_number(TM_NAMED_TRACK_FILE_REQUESTS, TM_NAMED_TRACK_ALONE, 0);
    tm_buf_clear(&q->detail);
    if (tm_buf_add(&q->detail, row->detail, row->detail_bytes) != TM_OK)
        return tm_error_nomem(err);
    enum tm_status st = put_missing(&q->detail, "Start", err);
    made->detail = q->detail.data;
    made->detail_bytes = (uint32_t)q->detail.len;
    return st;
}

enum tm_status tm_file_requests_take(struct tm_file_requests *q, const struct tm_event *row,
                                     struct tm_settled_rows *out, struct tm_error *err)
{
    out->count = 1;
    out->rows[0] = *row;
    out->rows[0].value = 0;
    return row->value == TM_KERNEL_FILE_REQUEST ? begin(q, row, out, err) : end(q, row, &out->rows[0], err);
}

enum tm_status tm_file_requests_pop(struct tm_file_requests *q, int64_t now_ns, struct tm_event *row,
                                    struct tm_error *err)
{
    while (q->count && !q->requests[q->count - 1].is_open)
        q->count--;
    if (q->count == 0)
        return TM_END;
    const struct tm_file_request *request = &q->requests[--q->count];
    *row = (struct tm_event){.time_ns = now_ns,
                             .flags = TM_EVENT_DERIVED | TM_EVENT_HAS_TID | TM_EVENT_HAS_TRACK | TM_EVENT_ASYNC |
                                      tm_event_scope_flags(TM_SCOPE_THREAD),
                             .file = request->file,
                             .machine = request->machine,
                             .track = request->track};
    q->open--;
    return lose_end(q, request, row, err);
}

void tm_file_requests_release(struct tm_file_requests *q)
{
    free(q->requests);
    tm_table_release(&q->by_number);
    tm_buf_release(&q->detail);
    *q = (struct tm_file_requests){0};
}
