#include "emit/perfetto/v8_isolates.h"

#include "base/hash.h"
#include "base/table.h"
#include "perfetto/packet_fields.h"

#include <stdlib.h>

/* InternedV8Isolate, and its CodeRange */
enum { ISOLATE_PID = 2, ISOLATE_ID = 3, ISOLATE_CODE = 4, ISOLATE_BLOB_START = 5, ISOLATE_BLOB_SIZE = 6 };
enum { CODE_START = 1, CODE_SIZE = 2, CODE_IS_WIDE = 4 };

bool tm_v8_isolates_are_in(const struct tm_event *event)
{
    struct tm_pb pb = tm_pb_of(event->raw, event->raw_bytes);
    struct tm_pb_field f, g;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != TM_PACKET_INTERNED_DATA || f.type != TM_PB_LEN)
            continue;
        struct tm_pb inner = tm_pb_of(f.data, f.len);
        while (tm_pb_next(&inner, &g) == TM_OK)
            if (g.id == TM_INTERNED_V8_ISOLATES)
                return true;
    }
    return false;
}

static struct tm_v8_memory memory_of(uint64_t from, uint64_t size)
{
    const uint64_t to = size <= UINT64_MAX - from ? from + size : UINT64_MAX;
    return (struct tm_v8_memory){from, to};
}

static void read_code(struct tm_v8_isolate *isolate, const struct tm_pb_field *message)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    uint64_t from = 0, size = 0;
    while (message->type == TM_PB_LEN && tm_pb_next(&pb, &f) == TM_OK) {
        from = f.id == CODE_START ? f.value : from;
        size = f.id == CODE_SIZE ? f.value : size;
        isolate->is_wide = f.id == CODE_IS_WIDE ? f.value != 0 : isolate->is_wide;
    }
    isolate->code = memory_of(from, size);
}

static struct tm_v8_isolate read_isolate(const struct tm_event *e, const struct tm_pb_field *message)
{
    struct tm_v8_isolate isolate = {.machine = e->machine, .file = e->file};
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    uint64_t from = 0, size = 0;
    while (message->type == TM_PB_LEN && tm_pb_next(&pb, &f) == TM_OK) {
        switch (f.id) {
        case ISOLATE_PID: isolate.pid = (uint32_t)f.value; break;
        case ISOLATE_ID: isolate.id = (int32_t)f.value; break;
        case ISOLATE_CODE: read_code(&isolate, &f); break;
        case ISOLATE_BLOB_START: from = f.value; break;
        case ISOLATE_BLOB_SIZE: size = f.value; break;
        default: break;
        }
    }
    isolate.blob = memory_of(from, size);
    return isolate;
}

static bool is_same(const struct tm_v8_memory *a, const struct tm_v8_memory *b)
{
    return a->from == b->from && a->to == b->to;
}

static bool has_same_memory(const struct tm_v8_isolate *a, const struct tm_v8_isolate *b)
{
    return is_same(&a->code, &b->code) && is_same(&a->blob, &b->blob) && a->is_wide == b->is_wide;
}

static bool overlap(const struct tm_v8_memory *a, const struct tm_v8_memory *b)
{
    return a->from < b->to && b->from < a->to;
}

/* True if MEMORY is that of OTHER in the output, wholly or in part. */
static bool is_taken(const struct tm_v8_memory *memory, const struct tm_v8_isolate *other)
{
    return (other->keeps_code && overlap(memory, &other->code)) || (other->keeps_blob && overlap(memory, &other->blob));
}

static const struct tm_v8_isolate *next(const struct tm_v8_isolates *all, const struct tm_v8_isolate *isolate)
{
    return isolate->next == UINT32_MAX ? NULL : &all->all[isolate->next];
}

/* Decides what of ISOLATE the output has, besides the isolates of its process from FIRST on. */
static void decide(const struct tm_v8_isolates *all, const struct tm_v8_isolate *first, struct tm_v8_isolate *isolate)
{
    bool is_id_taken = false, is_shared = false;
    int64_t last_id = isolate->id;
    isolate->keeps_code = isolate->keeps_blob = true;
    isolate->stays_wide = isolate->is_wide;
    for (const struct tm_v8_isolate *i = first; i; i = next(all, i)) {
        is_id_taken |= i->new_id == isolate->id;
        last_id = i->new_id > last_id ? i->new_id : last_id;
        is_shared |= isolate->is_wide && i->stays_wide && has_same_memory(i, isolate);
        isolate->stays_wide &= !i->stays_wide;
        isolate->keeps_code &= !is_taken(&isolate->code, i);
        isolate->keeps_blob &= !is_taken(&isolate->blob, i);
    }
    isolate->new_id = is_id_taken ? last_id + 1 : isolate->id;
    if (is_shared)
        isolate->keeps_code = isolate->keeps_blob = isolate->stays_wide = true;
    isolate->keeps_blob &= isolate->keeps_code;
}

/* Takes over what was decided for OTHER. */
static void decide_like(const struct tm_v8_isolate *other, struct tm_v8_isolate *isolate)
{
    isolate->new_id = other->new_id;
    isolate->keeps_code = other->keeps_code;
    isolate->keeps_blob = other->keeps_blob;
    isolate->stays_wide = other->stays_wide;
}

/* Completes ISOLATE, which may be known already: its file describes it once more, or another file describes the same.
 * TM_OK or TM_E_SYSTEM. */
static enum tm_status find_or_add(struct tm_v8_isolates *all, struct tm_v8_isolate *isolate)
{
    const uint64_t key = tm_hash_u64(tm_hash_u64(isolate->machine) ^ isolate->pid);
    const struct tm_v8_isolate *first = NULL, *same = NULL;
    uint32_t index, count = 0;
    isolate->next = UINT32_MAX;
    if (tm_map_find(&all->processes, key, &index)) {
        first = &all->all[index];
        isolate->next = index;
    }
    for (const struct tm_v8_isolate *i = first; i; i = next(all, i), count++) {
        bool is_again = i->file == isolate->file && i->id == isolate->id;
        const bool is_like = i->id == isolate->id && i->new_id == isolate->id && has_same_memory(i, isolate);
        if (is_again || (is_like && same == NULL))
            same = i;
        if (is_again)
            break;
    }
    if (same) {
        decide_like(same, isolate);
        if (same->file == isolate->file)
            return TM_OK;
    } else {
        decide(all, first, isolate);
    }
    if (count >= TM_V8_ISOLATES_MAX)
        return TM_OK;
    if (tm_array_grow(&all->all, &all->cap, all->count, sizeof *all->all, NULL) < 0)
        return TM_E_SYSTEM;
    all->all[all->count] = *isolate;
    return tm_map_set(&all->processes, key, all->count++);
}

/* Copies the CodeRange in MESSAGE. Only that of a process-wide isolate changes: it becomes the isolate's own. */
static enum tm_status put_code(const struct tm_v8_isolate *isolate, const struct tm_pb_field *message,
                               struct tm_buf *out)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    size_t mark;
    if (isolate->stays_wide == isolate->is_wide || message->type != TM_PB_LEN)
        return tm_buf_add(out, message->start, (size_t)(message->end - message->start));
    enum tm_status st = tm_pb_begin(out, ISOLATE_CODE, &mark);
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id != CODE_IS_WIDE)
            st = tm_buf_add(out, f.start, (size_t)(f.end - f.start));
    return st == TM_OK ? tm_pb_end(out, mark) : st;
}

enum tm_status tm_v8_isolates_put(struct tm_v8_isolates *isolates, const struct tm_event *event,
                                  const struct tm_pb_field *field, struct tm_buf *out)
{
    struct tm_v8_isolate isolate = read_isolate(event, field);
    struct tm_pb pb = tm_pb_of(field->data, field->len);
    struct tm_pb_field f;
    size_t mark;
    if (find_or_add(isolates, &isolate) != TM_OK)
        return TM_E_SYSTEM;
    enum tm_status st = tm_pb_begin(out, field->id, &mark);
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == ISOLATE_ID)
            st = tm_pb_put_varint(out, f.id, (uint64_t)isolate.new_id);
        else if (f.id == ISOLATE_CODE)
            st = isolate.keeps_code ? put_code(&isolate, &f, out) : TM_OK;
        else if (isolate.keeps_blob || (f.id != ISOLATE_BLOB_START && f.id != ISOLATE_BLOB_SIZE))
            st = tm_buf_add(out, f.start, (size_t)(f.end - f.start));
    }
    return st == TM_OK ? tm_pb_end(out, mark) : st;
}

void tm_v8_isolates_release(struct tm_v8_isolates *isolates)
{
    free(isolates->all);
    tm_map_release(&isolates->processes);
    *isolates = (struct tm_v8_isolates){0};
}
