#include "emit/perfetto/default_tracks.h"

#include "base/table.h"
#include "perfetto/packet_fields.h"

#include <stdlib.h>

/* Reads the tracks that FIELD, trace_packet_defaults, names, up to the first damage. TM_OK or TM_E_SYSTEM. */
static enum tm_status read_defaults(struct tm_extra_tracks *tracks, const struct tm_pb_field *field)
{
    struct tm_pb pb = tm_pb_of(field->data, field->len);
    struct tm_pb_field f, g;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != TM_PACKET_TRACK_EVENT || f.type != TM_PB_LEN) /* track_event_defaults has the same number */
            continue;
        struct tm_pb inner = tm_pb_of(f.data, f.len);
        while (st == TM_OK && (st = tm_pb_next(&inner, &g)) == TM_OK)
            st = tm_extra_tracks_add(tracks, &g);
        st = st == TM_END ? TM_OK : st;
    }
    return st == TM_E_SYSTEM ? st : TM_OK;
}

static struct tm_default_track_list *list_of(const struct tm_default_tracks *t, uint32_t generation)
{
    uint32_t number;
    return tm_map_find(&t->by_generation, generation, &number) ? &t->lists[number - 1] : NULL;
}

/* Returns how many of the tracks in UUIDS an event can use: if it has more values, it is refused. */
static uint32_t usable(const struct tm_buf *uuids)
{
    size_t count = uuids->len / sizeof(uint64_t);
    return count < TM_EXTRA_VALUES_MAX ? (uint32_t)count : TM_EXTRA_VALUES_MAX;
}

/* Fills the list of GENERATION from the scratch. */
static enum tm_status set_list(struct tm_default_tracks *t, uint32_t generation)
{
    const struct tm_extra_tracks *read = &t->scratch;
    struct tm_default_track_list new = {usable(&read->ints), usable(&read->doubles), NULL};
    struct tm_default_track_list *list = list_of(t, generation);
    if (list == NULL && new.ints + new.doubles == 0)
        return TM_OK;
    if (list == NULL) {
        if (tm_array_grow(&t->lists, &t->cap, t->count, sizeof *t->lists, NULL) < 0 ||
            tm_map_set(&t->by_generation, generation, t->count + 1) != TM_OK)
            return TM_E_SYSTEM;
        list = &t->lists[t->count++];
        *list = (struct tm_default_track_list){0};
    }
    new.uuids = malloc((new.ints + new.doubles + 1) * sizeof *new.uuids);
    if (new.uuids == NULL)
        return TM_E_SYSTEM;
    if (new.ints)
        memcpy(new.uuids, read->ints.data, new.ints * sizeof *new.uuids);
    if (new.doubles)
        memcpy(new.uuids + new.ints, read->doubles.data, new.doubles * sizeof *new.uuids);
    free(list->uuids);
    *list = new;
    return TM_OK;
}

enum tm_status tm_default_tracks_note(struct tm_default_tracks *t, const struct tm_event *e, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(e->raw, e->raw_bytes);
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != TM_PACKET_DEFAULTS || f.type != TM_PB_LEN)
            continue;
        tm_extra_tracks_clear(&t->scratch);
        if (read_defaults(&t->scratch, &f) != TM_OK || set_list(t, e->generation) != TM_OK)
            return tm_error_nomem(err);
    }
    return TM_OK;
}

const uint64_t *tm_default_tracks_of(const struct tm_default_tracks *t, uint32_t generation, uint32_t *count)
{
    const struct tm_default_track_list *list = list_of(t, generation);
    *count = list ? list->ints + list->doubles : 0;
    return list ? list->uuids : NULL;
}

/* The values of an event. */
struct uses {
    uint32_t ints, doubles;
    bool has_own_tracks;
};

static struct uses count_uses(struct tm_pb event)
{
    struct uses uses = {0};
    struct tm_pb_field f;
    while (tm_pb_next(&event, &f) == TM_OK) {
        uses.has_own_tracks |= f.id == TM_TRACK_EVENT_EXTRA_TRACKS || f.id == TM_TRACK_EVENT_EXTRA_DOUBLE_TRACKS;
        if (f.id == TM_TRACK_EVENT_EXTRA_VALUES)
            uses.ints += tm_extra_values_in(&f);
        else if (f.id == TM_TRACK_EVENT_EXTRA_DOUBLE_VALUES)
            uses.doubles += tm_extra_values_in(&f);
    }
    return uses;
}

uint32_t tm_default_tracks_used(const struct tm_default_tracks *t, const struct tm_event *e,
                                uint64_t used[2 * TM_EXTRA_VALUES_MAX])
{
    const struct tm_default_track_list *list = list_of(t, e->generation);
    struct tm_pb event;
    uint32_t count = 0;
    if (list == NULL || !tm_extra_event_find(tm_text_at(e->raw, e->raw_bytes), &event))
        return 0;
    const struct uses uses = count_uses(event);
    if (uses.has_own_tracks) /* rows follow, which name the tracks */
        return 0;
    for (uint32_t i = 0; i < list->ints && i < uses.ints; i++)
        used[count++] = list->uuids[i];
    for (uint32_t i = 0; i < list->doubles && i < uses.doubles; i++)
        used[count++] = list->uuids[list->ints + i];
    return count;
}

void tm_default_tracks_release(struct tm_default_tracks *t)
{
    tm_map_release(&t->by_generation);
    for (uint32_t i = 0; i < t->count; i++)
        free(t->lists[i].uuids);
    free(t->lists);
    tm_extra_tracks_release(&t->scratch);
}
