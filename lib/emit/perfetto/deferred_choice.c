#include "emit/perfetto/deferred_choice.h"

#include "emit/perfetto/end_label.h"
#include "emit/perfetto/track_packet.h"

enum { ON_TRACK, ON_LANE }; /* versions of a placeholder */

/* Returns the number of CHOICE's placeholder, which is that of the choice. */
static uint32_t placeholder_of(const struct tm_track_writer *w, const struct tm_deferred_choice *choice)
{
    return (uint32_t)(choice - w->choices.choices);
}

static struct tm_key key_of(int64_t reader_id)
{
    return (struct tm_key){(uint64_t)reader_id, 0, 0};
}

static enum tm_status new_choice(struct tm_track_choices *c, uint32_t *at, struct tm_error *err)
{
    if (c->free) {
        *at = c->free - 1;
        return TM_OK;
    }
    if (tm_array_grow(&c->choices, &c->cap, c->count, sizeof *c->choices, err) < 0)
        return TM_E_SYSTEM;
    c->choices[c->count] = (struct tm_deferred_choice){.next_free = 0};
    *at = c->count++;
    c->free = c->count;
    return TM_OK;
}

/* A lane of the track PARENT. */
struct lane {
    uint64_t uuid, parent;
};

/* Makes the version on LANE from that on the track, with a descriptor of the lane. */
static enum tm_status make_lane_version(struct tm_track_writer *w, const struct tm_event *e, struct lane lane,
                                        struct tm_buf versions[2], struct tm_error *err)
{
    tm_packet_collect_begin(w->packets);
    enum tm_status st = tm_track_packet_lane(w, e, lane.uuid, lane.parent, err);
    if (st == TM_OK && tm_track_packet_move(&versions[ON_TRACK], lane.uuid, &w->packets->out) != TM_OK)
        st = tm_error_nomem(err);
    tm_packet_collect_end(w->packets, &versions[ON_LANE]);
    return st;
}

enum tm_status tm_deferred_choice_open(struct tm_track_writer *w, const struct tm_event *e, uint64_t lane,
                                       struct tm_open_end *end, struct tm_error *err)
{
    struct tm_buf versions[2] = {{0}, {0}};
    uint32_t at = 0;
    tm_packet_collect_begin(w->packets);
    enum tm_status st = tm_track_packet_event(w, e, TM_TRACK_BEGIN, end->uuid, err);
    tm_packet_collect_end(w->packets, &versions[ON_TRACK]);
    if (st == TM_OK)
        st = make_lane_version(w, e, (struct lane){lane, end->uuid}, versions, err);
    if (st == TM_OK)
        st = new_choice(&w->choices, &at, err);
    if (st < 0) {
        tm_buf_release(&versions[ON_TRACK]);
        tm_buf_release(&versions[ON_LANE]);
        return st;
    }
    if ((st = tm_packet_placeholder(w->packets, at, versions, err)) < 0)
        return st;
    w->choices.free = w->choices.choices[at].next_free;
    w->choices.choices[at] = (struct tm_deferred_choice){
        .reader_id = end->reader_id, .begin_ns = e->time_ns, .lane = lane};
    end->choice = at + 1;
    const struct tm_key key = key_of(end->reader_id);
    return tm_table_set(&w->choices.by_reader_id, &key, at, err);
}

static struct tm_deferred_choice *choice_of(const struct tm_track_writer *w, int64_t reader_id)
{
    const struct tm_key key = key_of(reader_id);
    const int64_t at = tm_table_find(&w->choices.by_reader_id, &key);
    return at == TM_TABLE_NONE ? NULL : &w->choices.choices[at];
}

/* Returns the choice of slice READER_ID if it can still move; NULL: it cannot. */
static struct tm_deferred_choice *movable(const struct tm_track_writer *w, int64_t reader_id)
{
    struct tm_deferred_choice *choice = choice_of(w, reader_id);
    return choice && !choice->has_moved ? choice : NULL;
}

static enum tm_status move(struct tm_track_writer *w, uint64_t uuid, struct tm_deferred_choice *choice,
                           struct tm_error *err)
{
    choice->has_moved = true;
    tm_reader_slices_remove(&w->reader, uuid, choice->reader_id);
    return tm_packet_decide(w->packets, placeholder_of(w, choice), ON_LANE, err);
}

/* Writes an end on UUID at TIME_NS for the machine and the file of E. */
static enum tm_status put_end(struct tm_track_writer *w, const struct tm_event *e, uint64_t uuid, int64_t time_ns,
                              struct tm_error *err)
{
    struct tm_event end = {.time_ns = time_ns, .machine = e->machine, .file = e->file, .kind = TM_KIND_SLICE_END};
    return tm_track_packet_event(w, &end, TM_TRACK_END, uuid, err);
}

/* Writes the end of a slice on UUID that E ends early in its file, as STATED, if nothing written ends it there. */
static enum tm_status end_early(struct tm_track_writer *w, const struct tm_event *e, uint64_t uuid,
                                struct tm_early_end stated, struct tm_error *err)
{
    const int64_t id = stated.id, dur_ns = stated.dur_ns;
    struct tm_deferred_choice *choice = choice_of(w, id);
    int64_t begin_ns;
    if (tm_reader_slices_is_open(&w->reader, uuid, id, &begin_ns)) {
        int64_t end_ns = begin_ns + (dur_ns > 0 ? dur_ns : 0); /* an end must not be before its begin */
        const struct tm_reader_event end = {.uuid = uuid, .ts_ns = end_ns};
        enum tm_status st = tm_reader_slices_write_end(&w->reader, &end, id, err);
        return st < 0 ? st : st == TM_END ? TM_OK : put_end(w, e, uuid, end_ns, err);
    }
    if (choice == NULL || !choice->has_moved || choice->has_ended)
        return TM_OK;
    choice->has_ended = true;
    return put_end(w, e, choice->lane, choice->begin_ns + (dur_ns > 0 ? dur_ns : 0), err);
}

enum tm_status tm_deferred_choice_clear(struct tm_track_writer *w, const struct tm_event *e, uint64_t uuid,
                                        struct tm_error *err)
{
    const struct tm_early_ends *stated = &w->reader.cut, *written;
    struct tm_deferred_choice *found;
    enum tm_status st;
    do { /* each move changes which slices E would end */
        found = NULL;
        st = tm_reader_slices_ended_early(&w->reader, uuid, e->time_ns, &written, err);
        for (uint32_t i = 0; st == TM_OK && i < written->count && found == NULL; i++)
            if (!tm_early_ends_have(stated, written->ends[i]))
                found = movable(w, written->ends[i].id);
        if (found)
            st = move(w, uuid, found, err);
    } while (found && st == TM_OK);
    for (uint32_t i = 0; st == TM_OK && i < stated->count; i++)
        if (!tm_early_ends_have(written, stated->ends[i]))
            st = end_early(w, e, uuid, stated->ends[i], err);
    return st;
}

enum tm_status tm_deferred_choice_move_above(struct tm_track_writer *w, uint64_t uuid, int64_t reader_id,
                                             struct tm_error *err)
{
    const struct tm_early_ends *above;
    struct tm_deferred_choice *found = NULL;
    enum tm_status st = tm_reader_slices_above(&w->reader, uuid, reader_id, &above, err);
    for (uint32_t i = st == TM_OK ? above->count : 0; i-- > 0 && found == NULL;)
        found = movable(w, above->ends[i].id);
    return st < 0 ? st : found ? move(w, uuid, found, err) : TM_END;
}

static void free_choice(struct tm_track_choices *c, uint32_t number)
{
    const struct tm_key key = key_of(c->choices[number - 1].reader_id);
    tm_table_remove(&c->by_reader_id, &key);
    c->choices[number - 1] = (struct tm_deferred_choice){.next_free = c->free};
    c->free = number;
}

/* Decides CHOICE, that of END, by the events so far. If the track has slices that END would end, it moves. */
static enum tm_status decide(struct tm_track_writer *w, struct tm_open_end *end, struct tm_deferred_choice *choice,
                             struct tm_error *err)
{
    const struct tm_early_ends *cut;
    int64_t begin_ns;
    if (tm_reader_slices_is_open(&w->reader, end->uuid, end->reader_id, &begin_ns)) {
        enum tm_status st = tm_reader_slices_ended_early(&w->reader, end->uuid, end->end_ns, &cut, err);
        if (st < 0 || cut->count > 0)
            return st < 0 ? st : move(w, end->uuid, choice, err);
    }
    enum tm_status st = tm_packet_decide(w->packets, placeholder_of(w, choice), ON_TRACK, err);
    free_choice(&w->choices, end->choice);
    end->choice = 0;
    return st;
}

enum tm_status tm_deferred_choice_decide(struct tm_track_writer *w, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < tm_open_ends_count(&w->ends) && st == TM_OK; i++) {
        struct tm_open_end *end = tm_open_ends_get(&w->ends, i);
        struct tm_deferred_choice *choice = end->choice ? &w->choices.choices[end->choice - 1] : NULL;
        if (choice && !choice->has_moved)
            st = decide(w, end, choice, err);
    }
    return st;
}

static struct tm_event end_event(const struct tm_open_end *end)
{
    return (struct tm_event){
        .time_ns = end->end_ns, .machine = end->machine, .file = end->file, .kind = TM_KIND_SLICE_END};
}

/* Writes the ends of the slices ABOVE that of END, which ends them early, and its own end. */
static enum tm_status put_ends(struct tm_track_writer *w, const struct tm_open_end *end,
                               const struct tm_early_ends *above, struct tm_error *err)
{
    const struct tm_reader_event written = {.uuid = end->uuid, .ts_ns = end->end_ns};
    const struct tm_event e = end_event(end);
    enum tm_status st = TM_OK;
    for (uint32_t i = above->count + 1; i-- > 0 && st >= 0;) {
        int64_t id = i ? above->ends[i - 1].id : end->reader_id;
        st = tm_reader_slices_write_end(&w->reader, &written, id, err);
        if (st == TM_OK)
            st = tm_track_packet_event(w, &e, TM_TRACK_END, end->uuid, err);
    }
    return st < 0 ? st : TM_OK;
}

/* Ends END's slice, which is open on its track. */
static enum tm_status end_on_track(struct tm_track_writer *w, const struct tm_open_end *end, struct tm_error *err)
{
    const struct tm_reader_event written = {end->uuid, end->end_ns, 0, {end->name, end->category}};
    const struct tm_early_ends *above;
    struct tm_event e = end_event(end);
    enum tm_status st;
    do /* slices above it that last longer cross it */
        st = tm_end_label_write(w, &e, &written, end->reader_id, err);
    while (st == TM_END && (st = tm_deferred_choice_move_above(w, end->uuid, end->reader_id, err)) == TM_OK);
    if (st == TM_OK)
        return tm_track_packet_end(w, end, &e, end->uuid, err);
    /* Begins above it with the same name end with it; in their file they end with the next event. */
    if (st == TM_END)
        st = tm_reader_slices_above(&w->reader, end->uuid, end->reader_id, &above, err);
    return st != TM_OK ? st : put_ends(w, end, above, err);
}

/* Ends END's slice, which is on its track. This end is not an event of the file, so it must not end other slices.
 * Slices that can move do so; if none can and the end would still end another slice, END's slice moves itself. */
static enum tm_status make_room(struct tm_track_writer *w, const struct tm_open_end *end, bool *moves,
                                struct tm_error *err)
{
    const struct tm_early_ends *cut;
    const struct tm_event e = end_event(end);
    tm_reader_slices_pass(&w->reader);
    enum tm_status st = tm_reader_slices_ended_early(&w->reader, end->uuid, end->end_ns, &cut, err);
    *moves = st == TM_OK && cut->count > 0 && end->choice;
    bool is_clear = st < 0 || *moves || cut->count == 0;
    return is_clear ? st : tm_deferred_choice_clear(w, &e, end->uuid, err);
}

enum tm_status tm_deferred_choice_end(struct tm_track_writer *w, const struct tm_open_end *end, struct tm_error *err)
{
    struct tm_deferred_choice *choice = end->choice ? &w->choices.choices[end->choice - 1] : NULL;
    bool is_on_track = !choice || !choice->has_moved, moves = false;
    int64_t begin_ns;
    bool is_open = is_on_track &&
                   /* it has not been ended early */
                   tm_reader_slices_is_open(&w->reader, end->uuid, end->reader_id, &begin_ns);
    enum tm_status st = is_open ? make_room(w, end, &moves, err) : TM_OK;
    if (moves && choice) {
        is_on_track = false;
        st = move(w, end->uuid, choice, err);
    }
    if (st == TM_OK && !is_on_track && !choice->has_ended)
        st = tm_track_packet_end(w, end, NULL, choice->lane, err);
    else if (st == TM_OK && is_on_track && is_open)
        st = end_on_track(w, end, err);
    if (choice && is_on_track && st == TM_OK)
        st = tm_packet_decide(w->packets, placeholder_of(w, choice), ON_TRACK, err);
    if (choice)
        free_choice(&w->choices, end->choice);
    return st;
}
