#include "emit/perfetto/default_tracks.h"

#include "base/table.h"
#include "perfetto/packet_fields.h"

#include <stdlib.h>

/* Reads the tracks that FIELD, trace_packet_defaults, names. If it is damaged, they are those before the damage. */
static enum tm_status read_defaults(struct tm_extra_tracks *tracks, const struct tm_pb_field *field)
{
    struct tm_pb pb = tm_pb_of(field->data, field->len);
    struct tm_pb_field f, g;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != TM_PACKET_TRACK_EVENT || f.type != TM_PB_LEN) /* track_event_defaults has the same number */
            continue;
        struct tm_pb inner = tm_pb_of(f.data, f.len);
        while (st == TM_OK && tm_pb_next(&inner, &g) == TM_OK)
            st = tm_extra_tracks_add(tracks, &g);
    }
    return st == TM_E_SYSTEM ? st : TM_OK;
}

static enum tm_status add_list(struct tm_default_tracks *t, uint32_t generation)
{
    const struct tm_extra_tracks *read = &t->scratch;
    const struct tm_default_track_list list = {(uint32_t)(t->uuids.len / sizeof(uint64_t)),
                                               (uint32_t)(read->ints.len / sizeof(uint64_t)),
                                               (uint32_t)(read->doubles.len / sizeof(uint64_t))};
    if (list.ints + list.doubles == 0)
        return TM_OK;
    if (tm_array_grow(&t->lists, &t->cap, t->count, sizeof *t->lists, NULL) < 0 ||
        tm_buf_add(&t->uuids, read->ints.data, read->ints.len) != TM_OK ||
        tm_buf_add(&t->uuids, read->doubles.data, read->doubles.len) != TM_OK)
        return TM_E_SYSTEM;
    t->lists[t->count++] = list;
    return tm_map_set(&t->by_generation, generation, t->count);
}

enum tm_status tm_default_tracks_note(struct tm_default_tracks *t, const struct tm_event *e, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(e->raw, e->raw_bytes);
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != TM_PACKET_DEFAULTS || f.type != TM_PB_LEN)
            continue;
        tm_extra_tracks_clear(&t->scratch);
        if (read_defaults(&t->scratch, &f) != TM_OK || add_list(t, e->generation) != TM_OK)
            return tm_error_nomem(err);
    }
    return TM_OK;
}

static const struct tm_default_track_list *list_of(const struct tm_default_tracks *t, uint32_t generation)
{
    uint32_t number;
    return tm_map_find(&t->by_generation, generation, &number) ? &t->lists[number - 1] : NULL;
}

const uint64_t *tm_default_tracks_of(const struct tm_default_tracks *t, uint32_t generation, uint32_t *count)
{
    const struct tm_default_track_list *list = list_of(t, generation);
    *count = list ? list->ints + list->doubles : 0;
    return list ? (const uint64_t *)(const void *)t->uuids.data + list->from : NULL;
}

/* The values of an event, or of one type of them. */
struct uses {
    uint32_t ints, doubles;
    bool has_own_ints, has_own_doubles; /* the event names their tracks itself */
};

static void count_uses(struct uses *uses, const struct tm_pb_field *event)
{
    struct tm_pb pb = tm_pb_of(event->data, event->len);
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        uses->has_own_ints |= f.id == TM_TRACK_EVENT_EXTRA_TRACKS;
        uses->has_own_doubles |= f.id == TM_TRACK_EVENT_EXTRA_DOUBLE_TRACKS;
        if (f.id == TM_TRACK_EVENT_EXTRA_VALUES)
            uses->ints += tm_extra_values_in(&f);
        else if (f.id == TM_TRACK_EVENT_EXTRA_DOUBLE_VALUES)
            uses->doubles += tm_extra_values_in(&f);
    }
}

bool tm_default_tracks_uses(const struct tm_default_tracks *t, const struct tm_event *e, uint32_t i)
{
    const struct tm_default_track_list *list = list_of(t, e->generation);
    struct tm_pb pb = tm_pb_of(e->raw, e->raw_bytes);
    struct uses uses = {0};
    struct tm_pb_field f;
    if (list == NULL)
        return false;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == TM_PACKET_TRACK_EVENT && f.type == TM_PB_LEN)
            count_uses(&uses, &f);
    return i < list->ints ? i < uses.ints && !uses.has_own_ints
                          : i - list->ints < uses.doubles && !uses.has_own_doubles;
}

void tm_default_tracks_release(struct tm_default_tracks *t)
{
    tm_map_release(&t->by_generation);
    free(t->lists);
    tm_buf_release(&t->uuids);
    tm_extra_tracks_release(&t->scratch);
}
