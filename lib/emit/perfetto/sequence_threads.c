#include "emit/perfetto/sequence_threads.h"

#include "base/table.h"
#include "base/hash.h"
#include "base/pb.h"
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

/* Returns the number plus 1 of the thread that events of E's generation have on E's sequence; 0: none. */
static uint32_t number_at(const struct tm_sequence_threads *t, const struct tm_event *e)
{
    uint32_t number = 0;
    (void)tm_map_find(&t->by_sequence, key_of(e), &number);
    while (number && t->rows[number - 1].first_generation > e->generation)
        number = t->rows[number - 1].before;
    return number;
}

static bool is_same_thread(const struct tm_event *a, const struct tm_event *b)
{
    return a->tid == b->tid && a->pid == b->pid;
}

/* Returns the first generation whose events are on the thread of descriptor E: its own, or that of an earlier event
 * that had no thread, if the state was not cleared since. */
static uint32_t first_generation_of(const struct tm_event *e)
{
    return e->flags & TM_EVENT_HAS_VALUE ? e->generation - (uint32_t)e->value : e->generation;
}

/* Finds or makes the row of E's thread from its first generation on. NULL: no memory. */
static struct tm_sequence_thread *row_of(struct tm_sequence_threads *t, const struct tm_event *e, uint32_t *number)
{
    const uint32_t first = first_generation_of(e);
    uint32_t last = 0;
    if (tm_array_grow(&t->rows, &t->cap, t->count, sizeof *t->rows, NULL) < 0)
        return NULL;
    (void)tm_map_find(&t->by_sequence, key_of(e), &last);
    uint32_t *later = NULL, *place = &last;
    for (; *place && t->rows[*place - 1].first_generation > first; place = &t->rows[*place - 1].before)
        later = place;
    struct tm_sequence_thread *row = *place ? &t->rows[*place - 1] : NULL;
    if (row && (row->first_generation == first || is_same_thread(&row->event, e))) {
        *number = *place;
        return row;
    }
    if (later && is_same_thread(&t->rows[*later - 1].event, e)) {
        *number = *later;
        t->rows[*later - 1].first_generation = first;
        return &t->rows[*later - 1];
    }
    row = &t->rows[t->count];
    *row = (struct tm_sequence_thread){.first_generation = first, .before = *place};
    *number = *place = ++t->count;
    return tm_map_set(&t->by_sequence, key_of(e), last) == TM_OK ? row : NULL;
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

enum tm_status tm_sequence_threads_note(struct tm_sequence_threads *t, const struct tm_event *e)
{
    uint32_t number;
    if (e->generation == 0)
        return TM_OK;
    struct tm_sequence_thread *row = row_of(t, e, &number);
    if (row && row->bytes && row->bytes == e->raw) /* it is this descriptor, written again */
        return TM_OK;
    const struct strip all = {0, 0, 0, packet_strip};
    struct tm_buf bytes = {0};
    if (row == NULL || !reserve_written(t, e->generation) || !put_stripped(&bytes, e->raw, e->raw_bytes, &all)) {
        tm_buf_release(&bytes);
        return TM_E_SYSTEM;
    }
    size_t raw_bytes = bytes.len;
    if (tm_buf_add(&bytes, e->detail, e->detail_bytes) != TM_OK) {
        tm_buf_release(&bytes);
        return TM_E_SYSTEM;
    }
    free(row->bytes);
    row->bytes = bytes.data;
    row->event = *e;
    row->event.raw = bytes.data;
    row->event.raw_bytes = (uint32_t)raw_bytes;
    row->event.detail = bytes.data + raw_bytes;
    row->own_track = 0;
    t->written[e->generation] = number;
    return TM_OK;
}

void tm_sequence_threads_set_own(struct tm_sequence_threads *t, const struct tm_event *e, uint64_t track)
{
    uint32_t number = number_at(t, e);
    if (number == 0)
        return;
    t->rows[number - 1].own_track = track;
    t->has_own_tracks |= track != 0;
}

const struct tm_event *tm_sequence_threads_missing(struct tm_sequence_threads *t, const struct tm_event *e)
{
    if (tm_sequence_threads_is_written(t, e->generation))
        return NULL;
    uint32_t number = number_at(t, e);
    if (number == 0 || !reserve_written(t, e->generation))
        return NULL;
    struct tm_event *event = &t->rows[number - 1].event;
    t->written[e->generation] = number;
    event->generation = e->generation;
    event->time_ns = e->time_ns;
    return event;
}

void tm_sequence_threads_release(struct tm_sequence_threads *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        free(t->rows[i].bytes);
    free(t->rows);
    free(t->written);
    tm_map_release(&t->by_sequence);
    tm_map_release(&t->stated);
    *t = (struct tm_sequence_threads){0};
}
