#include "sort/union/pid_renumber.h"

#include "base/hash.h"
#include "base/pb.h"
#include "stream/detail_fields.h"

/* The tables in which numbers of one batch are looked up. */
struct lookup {
    struct tm_pid_renumber *renumber;
    const struct tm_stream_ids *ids;
    struct tm_string_union *strings;
};

static bool is_text(const struct tm_stream_ids *ids, int64_t number)
{
    return number > TM_TEXT_PID_FIRST && number - TM_TEXT_PID_FIRST <= tm_stream_ids_string_count(ids);
}

/* Replaces *NUMBER by that of the merged stream if it stands for a string. */
static enum tm_status look_up(struct lookup *l, int64_t *number, struct tm_error *err)
{
    if (!is_text(l->ids, *number))
        return TM_OK;
    uint32_t id = (uint32_t)(*number - TM_TEXT_PID_FIRST), unused;
    enum tm_status st = tm_stream_ids_string(l->ids, &id, err);
    if (st < 0)
        return st;
    *number = (int64_t)TM_TEXT_PID_FIRST + id;
    if (!(id & TM_STRING_INLINE))
        return TM_OK;
    /* A string that is in no table is numbered by its hash. */
    struct tm_buf text = {0};
    if ((st = tm_string_union_extra(l->strings, id, &text, &unused, err)) == TM_OK) {
        struct tm_pb pb = tm_pb_of(text.data, text.len);
        struct tm_pb_field f;
        if (tm_pb_next(&pb, &f) == TM_OK)
            *number = tm_text_pid_hashed(tm_hash64(f.data ? (const void *)f.data : "", f.len));
    }
    tm_buf_release(&text);
    return st;
}

static enum tm_status column(struct lookup *l, struct tm_batch *batch, enum tm_column which, struct tm_buf *to,
                             struct tm_error *err)
{
    uint32_t n = tm_batch_is_constant(batch, which) ? 1 : batch->count;
    enum tm_status st = TM_OK;
    tm_buf_clear(to);
    if (tm_buf_reserve(to, (size_t)8 * n) != TM_OK)
        return tm_error_nomem(err);
    for (uint32_t i = 0; i < n && st == TM_OK; i++) {
        int64_t number = tm_batch_i64(batch, which, i);
        st = look_up(l, &number, err);
        tm_put_le64(to->data + (size_t)8 * i, (uint64_t)number);
    }
    tm_batch_set_column(batch, which, to->data, n);
    return st;
}

/* True for fields of Detail that describe a track, a process or a thread. Some of their fields are a pid or tid. */
static bool holds_pids(uint32_t detail_field)
{
    return detail_field == TM_DETAIL_TRACK || detail_field == TM_DETAIL_PROCESS || detail_field == TM_DETAIL_THREAD;
}

static bool is_pid(uint32_t detail_field, uint32_t field)
{
    switch (detail_field) {
    case TM_DETAIL_TRACK: return field == TM_TRACK_DESCRIPTION_PID || field == TM_TRACK_DESCRIPTION_TID;
    case TM_DETAIL_PROCESS: return field == TM_PROCESS_DESCRIPTION_PID || field == TM_PROCESS_DESCRIPTION_PARENT_PID;
    default: return field == TM_THREAD_DESCRIPTION_PID || field == TM_THREAD_DESCRIPTION_TID;
    }
}

static enum tm_status put_description(struct lookup *l, const struct tm_pb_field *f, struct tm_error *err)
{
    struct tm_buf *out = &l->renumber->detail;
    struct tm_pb pb = tm_pb_of(f->data, f->len);
    struct tm_pb_field g;
    size_t mark;
    enum tm_status st = TM_OK;
    if (tm_pb_begin(out, f->id, &mark) != TM_OK)
        return tm_error_nomem(err);
    while (st == TM_OK && tm_pb_next(&pb, &g) == TM_OK) {
        int64_t number = g.type == TM_PB_VARINT ? tm_unzigzag(g.value) : 0;
        bool is_number = g.type == TM_PB_VARINT && is_pid(f->id, g.id) && is_text(l->ids, number);
        if (is_number)
            st = look_up(l, &number, err);
        if (st == TM_OK && (is_number ? tm_pb_put_varint(out, g.id, tm_zigzag(number))
                                      : tm_buf_add(out, g.start, (size_t)(g.end - g.start))) != TM_OK)
            st = tm_error_nomem(err);
    }
    return st < 0 ? st : tm_pb_end(out, mark) == TM_OK ? TM_OK : tm_error_nomem(err);
}

/* Copies E's detail to l->renumber->detail and renumbers it. Strings that columns refer to by offset keep their
 * place, because descriptions follow them. */
static enum tm_status put_detail(struct lookup *l, const struct tm_event *e, struct tm_error *err)
{
    struct tm_buf *out = &l->renumber->detail;
    enum tm_status st = TM_OK;
    tm_buf_clear(out);
    for (int second = 0; second < 2; second++) {
        struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
        struct tm_pb_field f;
        while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
            bool is_description = holds_pids(f.id) && f.type == TM_PB_LEN;
            if (is_description && second)
                st = put_description(l, &f, err);
            else if (!is_description && !second && tm_buf_add(out, f.start, (size_t)(f.end - f.start)) != TM_OK)
                st = tm_error_nomem(err);
        }
    }
    return st;
}

static bool describes(const struct tm_event *e)
{
    return (e->kind == TM_KIND_PROCESS || e->kind == TM_KIND_THREAD || e->kind == TM_KIND_TRACK) && e->detail_bytes;
}

/* Rebuilds the batch row by row, because details change. */
static enum tm_status rows(struct lookup *l, struct tm_batch *batch, struct tm_error *err)
{
    struct tm_pid_renumber *r = l->renumber;
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    enum tm_status st = TM_OK;
    tm_batch_builder_clear(&r->builder);
    while (st == TM_OK && tm_batch_next(&walk, &e)) {
        bool changes = describes(&e) && !((e.name | e.category) & TM_STRING_INLINE);
        if (changes && (st = put_detail(l, &e, err)) == TM_OK) {
            e.detail = r->detail.data;
            e.detail_bytes = (uint32_t)r->detail.len;
        }
        if (st == TM_OK && tm_batch_builder_add(&r->builder, &e) != TM_OK)
            st = tm_error_nomem(err);
    }
    tm_batch_builder_view(&r->builder, batch);
    return st;
}

enum tm_status tm_pid_renumber(struct tm_pid_renumber *r, struct tm_batch *batch, const struct tm_stream_ids *ids,
                               struct tm_string_union *strings, struct tm_error *err)
{
    struct lookup l = {r, ids, strings};
    bool has_definitions = false;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < batch->count && tm_batch_u32(batch, TM_COL_FLAGS, i) & TM_EVENT_DEFINITION; i++) {
        has_definitions = true;
        r->has_text_pids |= is_text(ids, tm_batch_i64(batch, TM_COL_PID, i)) ||
                            is_text(ids, tm_batch_i64(batch, TM_COL_TID, i));
    }
    if (!r->has_text_pids)
        return TM_OK;
    if (has_definitions)
        st = rows(&l, batch, err);
    if (st == TM_OK)
        st = column(&l, batch, TM_COL_PID, &r->pids, err);
    return st < 0 ? st : column(&l, batch, TM_COL_TID, &r->tids, err);
}

void tm_pid_renumber_release(struct tm_pid_renumber *r)
{
    tm_buf_release(&r->pids);
    tm_buf_release(&r->tids);
    tm_buf_release(&r->detail);
    tm_batch_builder_release(&r->builder);
    *r = (struct tm_pid_renumber){0};
}
