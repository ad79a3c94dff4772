#include "emit/perfetto/sequence_threads.h"

#include "base/table.h"
#include "base/hash.h"
#include "base/pb.h"
#include "base/search.h"
#include "perfetto/packet_fields.h"

#include <stdlib.h>
#include <string.h>

static uint64_t key_of(const struct tm_event *e)
{
    return tm_hash_u64(e->machine ^ tm_hash_u64((uint64_t)e->file << 32 | e->sequence));
}

/* Makes room for GENERATION in `written'. */
static bool reserve_written(struct tm_sequence_threads *t, uint32_t generation)
{
    return tm_array_grow(&t->written, &t->written_cap, generation, sizeof *t->written, NULL) == TM_OK;
}

/* Returns the number of ROW plus 1, as in `written'. */
static uint32_t number_of(const struct tm_sequence_threads *t, const struct tm_sequence_thread *row)
{
    return (uint32_t)(row - t->rows) + 1;
}

/* Returns the number of spans of SEQUENCE that begin at GENERATION or before. */
static uint32_t spans_until(const struct tm_sequence_spans *sequence, uint32_t generation)
{
    const struct tm_search_field field = TM_SEARCH_FIELD(struct tm_thread_span, first_generation);
    uint32_t at = tm_search_u32(sequence->spans, sequence->count, field, generation);
    return at < sequence->count && sequence->spans[at].first_generation == generation ? at + 1 : at;
}

/* Returns the span of the thread that events of E's generation have on E's sequence, or NULL. */
static const struct tm_thread_span *span_at(const struct tm_sequence_threads *t, const struct tm_event *e)
{
    uint32_t number;
    if (!tm_map_find(&t->by_sequence, key_of(e), &number))
        return NULL;
    const struct tm_sequence_spans *sequence = &t->sequences[number];
    uint32_t until = spans_until(sequence, e->generation);
    return until ? &sequence->spans[until - 1] : NULL;
}

/* Finds or makes the spans of E's sequence. NULL: no memory. */
static struct tm_sequence_spans *sequence_of(struct tm_sequence_threads *t, const struct tm_event *e)
{
    uint32_t number;
    if (tm_map_find(&t->by_sequence, key_of(e), &number))
        return &t->sequences[number];
    if (tm_array_grow(&t->sequences, &t->sequence_cap, t->sequence_count, sizeof *t->sequences, NULL) < 0 ||
        tm_map_set(&t->by_sequence, key_of(e), t->sequence_count) != TM_OK)
        return NULL;
    return &t->sequences[t->sequence_count++];
}

/* Returns the first generation whose events are on the thread of descriptor E if it is the last one before the state is
 * cleared again: E's own, if a stream states one that is no generation before it. */
static uint32_t first_generation_of(const struct tm_event *e)
{
    const bool has_earlier = e->flags & TM_EVENT_HAS_VALUE && e->value < e->generation;
    return has_earlier ? e->generation - (uint32_t)e->value : e->generation;
}

static uint64_t hash_of_thread(const struct tm_event *e)
{
    return tm_hash_u64((uint64_t)e->pid ^ tm_hash_u64((uint64_t)e->tid));
}

static uint64_t thread_key_of(const struct tm_event *e)
{
    return tm_hash_u64(key_of(e) ^ hash_of_thread(e));
}

/* Returns the row of E's thread on E's sequence, or NULL. */
static struct tm_sequence_thread *find_row(const struct tm_sequence_threads *t, const struct tm_event *e)
{
    uint32_t number;
    return tm_map_find(&t->by_thread, thread_key_of(e), &number) ? &t->rows[number] : NULL;
}

/* Finds or makes the row of E's thread on E's sequence. NULL: no memory. */
static struct tm_sequence_thread *row_of(struct tm_sequence_threads *t, const struct tm_event *e)
{
    struct tm_sequence_thread *row = find_row(t, e);
    if (row)
        return row;
    if (tm_array_grow(&t->rows, &t->cap, t->count, sizeof *t->rows, NULL) < 0 ||
        tm_map_set(&t->by_thread, thread_key_of(e), t->count) != TM_OK)
        return NULL;
    return &t->rows[t->count++];
}

/* Puts ROW, the thread of descriptor E, in the span of E's first generation, unless a later descriptor is there. False:
 * no memory. */
static bool set_span(struct tm_sequence_threads *t, const struct tm_event *e, const struct tm_sequence_thread *row)
{
    const struct tm_thread_span of_descriptor = {first_generation_of(e), e->generation, (uint32_t)(row - t->rows),
                                                 e->position};
    struct tm_sequence_spans *sequence = sequence_of(t, e);
    if (sequence == NULL)
        return false;
    const uint32_t at = spans_until(sequence, of_descriptor.first_generation);
    struct tm_thread_span *span = at ? &sequence->spans[at - 1] : NULL;
    if (span && span->first_generation == of_descriptor.first_generation) {
        if (e->position >= span->position)
            *span = of_descriptor;
        return true;
    }
    if (tm_array_grow(&sequence->spans, &sequence->cap, sequence->count, sizeof *sequence->spans, NULL) < 0)
        return false;
    span = &sequence->spans[at];
    memmove(span + 1, span, (sequence->count++ - at) * sizeof *span);
    *span = of_descriptor;
    return true;
}

/* A message in field FIELD, and those of its fields that are left out: a repeated name would count as a later one. */
struct strip {
    uint32_t field, name, other_name;
    const struct strip *inner; /* ends with field 0 */
};

static const struct strip thread_strip[] = {{TM_DESCRIPTOR_THREAD, TM_THREAD_DESCRIPTOR_NAME, 0, NULL},
                                            {0, 0, 0, NULL}};
static const struct strip packet_strip[] = {
    {TM_PACKET_TRACK_DESCRIPTOR, TM_DESCRIPTOR_NAME, TM_DESCRIPTOR_STATIC_NAME, thread_strip},
    {TM_PACKET_THREAD_DESCRIPTOR, TM_THREAD_DESCRIPTOR_NAME, 0, NULL},
    {0, 0, 0, NULL}};

/* Appends the message at DATA to OUT without the fields that OUTER leaves out. */
static bool put_stripped(struct tm_buf *out, const uint8_t *data, size_t len, const struct strip *outer)
{
    struct tm_pb pb = tm_pb_of(data, len);
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        const struct strip *s = outer->inner;
        size_t mark;
        if (f.id == outer->name || f.id == outer->other_name)
            continue;
        while (s && s->field && s->field != f.id)
            s++;
        if (s && s->field && f.type == TM_PB_LEN) {
            if (tm_pb_begin(out, f.id, &mark) != TM_OK || !put_stripped(out, f.data, f.len, s) ||
                tm_pb_end(out, mark) != TM_OK)
                return false;
        } else if (tm_buf_add(out, f.start, (size_t)(f.end - f.start)) != TM_OK) {
            return false;
        }
    }
    return true;
}

/* Makes E the descriptor of ROW. False: no memory. */
static bool take(struct tm_sequence_thread *row, const struct tm_event *e)
{
    const struct strip all = {0, 0, 0, packet_strip};
    struct tm_buf bytes = {0};
    bool good = put_stripped(&bytes, e->raw, e->raw_bytes, &all);
    size_t raw_bytes = bytes.len;
    if (!good || tm_buf_add(&bytes, e->detail, e->detail_bytes) != TM_OK) {
        tm_buf_release(&bytes);
        return false;
    }
    free(row->bytes);
    row->bytes = bytes.data;
    row->event = *e;
    row->event.raw = bytes.data;
    row->event.raw_bytes = (uint32_t)raw_bytes;
    row->event.detail = bytes.data + raw_bytes;
    row->own_track = 0;
    return true;
}

/* True if events of E's generation have a thread that is noted. */
static bool is_of_sequence(const struct tm_sequence_threads *t, const struct tm_event *e)
{
    return e->generation && e->generation < t->generation_count;
}

enum tm_status tm_sequence_threads_expect(struct tm_sequence_threads *t, const struct tm_event *e)
{
    if (!is_of_sequence(t, e))
        return TM_OK;
    struct tm_sequence_thread *row = row_of(t, e);
    if (row == NULL)
        return TM_E_SYSTEM;
    if (row->bytes && row->bytes == e->raw) /* it is this descriptor, written again */
        return TM_OK;
    const bool is_last = row->bytes == NULL || e->position >= row->event.position; /* of those noted */
    return (!is_last || take(row, e)) && set_span(t, e, row) ? TM_OK : TM_E_SYSTEM;
}

enum tm_status tm_sequence_threads_note(struct tm_sequence_threads *t, const struct tm_event *e)
{
    enum tm_status st = tm_sequence_threads_expect(t, e);
    if (st < 0 || !is_of_sequence(t, e))
        return st;
    struct tm_sequence_thread *row = find_row(t, e);
    const struct tm_thread_span *span = span_at(t, e);
    const uint32_t number = number_of(t, row);
    row->is_written = true;
    if (!reserve_written(t, e->generation))
        return TM_E_SYSTEM;
    /* if one of a later generation has another thread, it has to follow, even if it was written before */
    t->written[e->generation] = span->row + 1 == number || span->generation == e->generation ? span->row + 1 : 0;
    return TM_OK;
}

void tm_sequence_threads_set_own(struct tm_sequence_threads *t, const struct tm_event *e, uint64_t track)
{
    struct tm_sequence_thread *row = is_of_sequence(t, e) ? find_row(t, e) : NULL;
    if (row == NULL)
        return;
    row->own_track = track;
    t->has_own_tracks |= track != 0;
}

const struct tm_event *tm_sequence_threads_missing(struct tm_sequence_threads *t, const struct tm_event *e)
{
    if (tm_sequence_threads_is_written(t, e->generation) || e->generation >= t->generation_count)
        return NULL;
    const struct tm_thread_span *span = span_at(t, e);
    if (span == NULL || !reserve_written(t, e->generation))
        return NULL;
    struct tm_sequence_thread *row = &t->rows[span->row];
    t->written[e->generation] = number_of(t, row);
    /* the generation's own descriptor follows by itself; a track that is there already may be described before it */
    if (span->generation == e->generation && !(row->is_written && row->event.kind == TM_KIND_TRACK))
        return NULL;
    row->event.generation = e->generation;
    row->event.time_ns = e->time_ns;
    return &row->event;
}

/* Returns the key of E's thread in E's file. */
static uint64_t file_key_of(const struct tm_event *e)
{
    return tm_hash_u64(((uint64_t)e->file << 32 | e->machine) ^ hash_of_thread(e));
}

enum tm_status tm_sequence_threads_note_track(struct tm_sequence_threads *t, const struct tm_event *e, uint64_t track)
{
    uint32_t number;
    if (tm_map_find(&t->by_described, file_key_of(e), &number))
        return TM_OK;
    if (tm_array_grow(&t->described, &t->described_cap, t->described_count, sizeof *t->described, NULL) < 0 ||
        tm_map_set(&t->by_described, file_key_of(e), t->described_count) != TM_OK)
        return TM_E_SYSTEM;
    t->described[t->described_count++] = track;
    return TM_OK;
}

uint64_t tm_sequence_threads_track(const struct tm_sequence_threads *t, const struct tm_event *e)
{
    uint32_t number;
    return tm_map_find(&t->by_described, file_key_of(e), &number) ? t->described[number] : 0;
}

void tm_sequence_threads_release(struct tm_sequence_threads *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        free(t->rows[i].bytes);
    for (uint32_t i = 0; i < t->sequence_count; i++)
        free(t->sequences[i].spans);
    free(t->sequences);
    free(t->rows);
    free(t->written);
    tm_map_release(&t->by_sequence);
    tm_map_release(&t->by_thread);
    tm_map_release(&t->by_described);
    free(t->described);
    tm_map_release(&t->stated);
    *t = (struct tm_sequence_threads){0};
}
