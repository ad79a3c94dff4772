#include "format/dumpstate/battery.h"

#include "base/checked.h"
#include "base/hash.h"
#include "base/table.h"
#include "base/time_units.h"
#include "format/dumpstate/battery_words.h"
#include "stream/clock_id.h"
#include "stream/track_description.h"

#include <inttypes.h>
#include <stdlib.h>

/* Of the hashes that are numbers of tracks. */
enum { SEED_EVENT = 1, SEED_LANE };

enum { VERSION_OF_LOCKS = 36 }; /* before it, the end of a lock does not say which one */

struct tm_battery_text {
    uint32_t at, len; /* in tm_battery.bytes */
    int32_t uid;      /* of the app; -1: unknown */
    bool is_held;     /* the lock with this text */
    uint32_t held_at; /* its place in tm_battery.held */
    uint32_t lane;    /* the number of its track, among those of locks held at one time */
    int64_t since_ns;
};

/* An item of a line: a short name, with a sign or a value. */
struct item {
    char sign; /* '+', '-'; 0: none */
    bool has_value;
    struct tm_text key, value;
};

/* Removes the text before the next comma, or all, from REST and returns it. */
static struct tm_text next_part(struct tm_text *rest)
{
    struct tm_text part;
    if (tm_text_cut(rest, ",", &part))
        return part;
    part = *rest;
    *rest = tm_text_after(*rest, rest->len);
    return part;
}

/* Makes room for the text INDEX and returns it. NULL with *ST TM_OK: INDEX is beyond the limit, and is counted. */
static struct tm_battery_text *text_at(struct tm_battery *b, int64_t index, enum tm_status *st, struct tm_error *err)
{
    *st = TM_OK;
    b->sink->left_out += index >= TM_BATTERY_TEXTS_MAX;
    if (index < 0 || index >= TM_BATTERY_TEXTS_MAX)
        return NULL;
    while (b->text_count <= index) {
        if ((*st = tm_array_grow(&b->texts, &b->text_cap, b->text_count, sizeof *b->texts, err)) < 0)
            return NULL;
        b->texts[b->text_count++] = (struct tm_battery_text){.uid = -1};
    }
    return &b->texts[index];
}

/* Appends QUOTED, which is in quotes, without them and without the backslashes before quotes and backslashes. */
static enum tm_status put_unquoted(struct tm_buf *buf, struct tm_text quoted)
{
    enum tm_status st = TM_OK;
    for (size_t i = 1; st == TM_OK && i + 1 < quoted.len; i++) {
        const bool is_escape = quoted.data[i] == '\\' && i + 2 < quoted.len &&
                               (quoted.data[i + 1] == '\\' || quoted.data[i + 1] == '"');
        i += is_escape;
        st = tm_buf_add_byte(buf, quoted.data[i]);
    }
    return st;
}

/* Reads INDEX,UID,"TEXT". */
static enum tm_status read_text(struct tm_battery *b, struct tm_text rest, struct tm_error *err)
{
    enum tm_status st;
    int64_t index, uid;
    if (!tm_text_int(next_part(&rest), &index) || !tm_text_int(next_part(&rest), &uid) || uid < INT32_MIN ||
        uid > INT32_MAX || rest.len < 2 || rest.data[0] != '"' || rest.data[rest.len - 1] != '"')
        return TM_END;
    struct tm_battery_text *text = text_at(b, index, &st, err);
    if (text == NULL)
        return st;
    if (rest.len > TM_BATTERY_TEXT_BYTES_MAX - b->bytes.len) {
        b->sink->left_out++;
        return TM_OK;
    }
    text->at = (uint32_t)b->bytes.len;
    text->uid = (int32_t)uid;
    if (put_unquoted(&b->bytes, rest) != TM_OK)
        return tm_error_nomem(err);
    text->len = (uint32_t)b->bytes.len - text->at;
    return TM_OK;
}

static struct tm_text bytes_of(const struct tm_battery *b, const struct tm_battery_text *text)
{
    return text->len ? tm_text_at(b->bytes.data + text->at, text->len) : tm_text_str("");
}

/* Returns a row of KIND at the time of the current line. */
static struct tm_event row_of(const struct tm_battery *b, enum tm_kind kind)
{
    return (struct tm_event){.kind = kind, .clock = TM_CLOCK_REALTIME, .time_ns = b->time_ms * TM_NS_PER_MS};
}

/* Adds ROW with NAME. */
static enum tm_status add(struct tm_battery *b, struct tm_event *row, struct tm_text name, struct tm_error *err)
{
    tm_buf_clear(&b->detail);
    enum tm_status st = tm_event_sink_string(b->sink, name, &b->detail, &row->name, err);
    row->detail = b->detail.data;
    row->detail_bytes = (uint32_t)b->detail.len;
    return st < 0 ? st : tm_event_sink_add(b->sink, row, err);
}

static enum tm_status add_counter(struct tm_battery *b, const char *counter, int64_t value, struct tm_error *err)
{
    struct tm_event row = row_of(b, TM_KIND_COUNTER);
    row.flags = tm_event_scope_flags(TM_SCOPE_GLOBAL) | TM_EVENT_HAS_VALUE;
    row.value = (uint64_t)value;
    return add(b, &row, tm_text_str(counter), err);
}

/* Returns the number of the track that NUMBER and SEED identify. */
static uint64_t track_of(uint64_t number, uint64_t seed)
{
    return tm_hash64_numbers(&number, 1, seed) | 1; /* 0 means no track */
}

/* Puts ROW on TRACK. */
static void put_on(struct tm_event *row, uint64_t track)
{
    row->flags |= tm_event_scope_flags(TM_SCOPE_TRACK) | TM_EVENT_HAS_TRACK;
    row->track = track;
}

/* Adds the definition of TRACK, battery_stats.EVENT, unless it is there. NUMBER is that of EVENT. */
static enum tm_status define_event(struct tm_battery *b, const char *event, uint32_t number, uint64_t track,
                                   struct tm_error *err)
{
    if (b->defined >> number & 1)
        return TM_OK;
    b->defined |= UINT32_C(1) << number;
    tm_buf_clear(&b->name);
    if (tm_buf_addf(&b->name, "battery_stats.%s", event) != TM_OK)
        return tm_error_nomem(err);
    return tm_track_description_add(b->sink, track, tm_text_at(b->name.data, b->name.len), &b->detail, err);
}

/* Adds what happened to a text, as "+job=10045:"sync"" on the track battery_stats.job. TM_END: it is unknown. */
static enum tm_status add_event(struct tm_battery *b, const struct item *item, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    uint32_t number;
    int64_t index;
    const char *event = tm_battery_event(item->key, &number);
    if (event == NULL || !tm_text_int(item->value, &index))
        return TM_END;
    const struct tm_battery_text *text = index < b->text_count ? text_at(b, index, &st, err) : NULL;
    const struct tm_text what = text ? bytes_of(b, text) : tm_text_str("");
    struct tm_event row = row_of(b, TM_KIND_INSTANT);
    put_on(&row, track_of(number, SEED_EVENT));
    st = define_event(b, event, number, row.track, err);
    tm_buf_clear(&b->name);
    if (st == TM_OK && ((item->sign && tm_buf_add_byte(&b->name, (uint8_t)item->sign) != TM_OK) ||
                        tm_buf_addf(&b->name, "%s=%" PRId32 ":\"", event, text ? text->uid : -1) != TM_OK ||
                        tm_buf_add(&b->name, what.data, what.len) != TM_OK || tm_buf_add_byte(&b->name, '"') != TM_OK))
        return tm_error_nomem(err);
    return st < 0 ? st : add(b, &row, tm_text_at(b->name.data, b->name.len), err);
}

/* Adds TEXT, a lock that is held, as a row of KIND: one that ends now, or one without an end. */
static enum tm_status add_lock(struct tm_battery *b, const struct tm_battery_text *text, enum tm_kind kind,
                               struct tm_error *err)
{
    struct tm_event row = row_of(b, kind);
    const int64_t now_ns = row.time_ns;
    row.time_ns = text->since_ns;
    if (kind == TM_KIND_SLICE_COMPLETE && now_ns > text->since_ns)
        row.dur_ns = tm_sub_saturate_i64(now_ns, text->since_ns);
    put_on(&row, track_of(text->lane, SEED_LANE));
    return add(b, &row, bytes_of(b, text), err);
}

/* Holds the lock INDEX from now on, on a track where none is held. */
static enum tm_status hold(struct tm_battery *b, uint32_t index, struct tm_error *err)
{
    struct tm_battery_text *text = &b->texts[index];
    enum tm_status st = tm_array_grow(&b->held, &b->held_cap, b->held_count, sizeof *b->held, err);
    if (st < 0)
        return st;
    text->is_held = true;
    text->held_at = b->held_count;
    text->since_ns = b->time_ms * TM_NS_PER_MS;
    b->held[b->held_count++] = index;
    if (b->free_count) {
        text->lane = b->free_lanes[--b->free_count];
        return TM_OK;
    }
    text->lane = b->lane_count++;
    return tm_track_description_add(b->sink, track_of(text->lane, SEED_LANE), tm_text_str("WakeLocks"), &b->detail,
                                    err);
}

/* Ends the lock INDEX, which is held, and adds it. */
static enum tm_status let_go(struct tm_battery *b, uint32_t index, struct tm_error *err)
{
    struct tm_battery_text *text = &b->texts[index];
    enum tm_status st = tm_array_grow(&b->free_lanes, &b->free_cap, b->free_count, sizeof *b->free_lanes, err);
    if (st < 0)
        return st;
    const uint32_t last = b->held[--b->held_count];
    b->held[text->held_at] = last;
    b->texts[last].held_at = text->held_at;
    text->is_held = false;
    b->free_lanes[b->free_count++] = text->lane;
    return add_lock(b, text, TM_KIND_SLICE_COMPLETE, err);
}

/* Begins or ends the lock of ITEM. TM_END: that is not known, or nothing changes. */
static enum tm_status pass_lock(struct tm_battery *b, const struct item *item, struct tm_error *err)
{
    enum tm_status st;
    int64_t index;
    if (b->version < VERSION_OF_LOCKS || !tm_text_int(item->value, &index))
        return TM_END;
    struct tm_battery_text *text = text_at(b, index, &st, err);
    if (text == NULL || text->is_held == (item->sign == '+'))
        return st < 0 ? st : TM_END;
    return item->sign == '+' ? hold(b, (uint32_t)index, err) : let_go(b, (uint32_t)index, err);
}

/* Adds the counter of a state that begins or ends, or of a value. TM_END: it is unknown. */
static enum tm_status add_state(struct tm_battery *b, const struct item *item, struct tm_error *err)
{
    const struct tm_battery_state *state = tm_battery_state(item->key);
    int64_t value = item->sign == '+';
    if (state == NULL || (item->sign ? state->is_reading || tm_text_is(item->key, "w")
                                     : !tm_battery_value(state, item->value, &value)))
        return TM_END;
    enum tm_status st = add_counter(b, state->counter, value, err);
    if (st == TM_OK && item->sign && tm_text_is(item->key, "S")) /* as Android's own track: 1 is off, 2 is on */
        st = add_counter(b, "ScreenState", value + 1, err);
    return st;
}

static struct item item_of(struct tm_text text)
{
    struct item item = {.key = text};
    if (text.len && (text.data[0] == '+' || text.data[0] == '-')) {
        item.sign = (char)text.data[0];
        text = tm_text_after(text, 1);
    }
    item.key = text;
    item.has_value = tm_text_cut(&text, "=", &item.key);
    item.value = text;
    return item;
}

static enum tm_status read_item(struct tm_battery *b, struct tm_text text, struct tm_error *err)
{
    const struct item item = item_of(text);
    enum tm_status st = TM_END;
    if (b->has_time && tm_text_begins(item.key, "E") && item.has_value)
        st = add_event(b, &item, err);
    else if (b->has_time && item.sign && item.has_value && tm_text_is(item.key, "w"))
        st = pass_lock(b, &item, err);
    else if (b->has_time && (item.sign != 0) != item.has_value)
        st = add_state(b, &item, err);
    b->not_shown += st == TM_END;
    return st < 0 ? st : TM_OK;
}

/* Ends all locks: the phone was off, or the history is a new one. */
static enum tm_status end_locks(struct tm_battery *b, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    while (st == TM_OK && b->held_count)
        st = let_go(b, b->held[b->held_count - 1], err);
    return st;
}

/* Reads a command, which stands in place of items: TIME:MS, RESET:TIME:MS, START, SHUTDOWN or another one. */
static enum tm_status read_command(struct tm_battery *b, struct tm_text command, struct tm_error *err)
{
    static const char time[] = "TIME:", reset[] = "RESET:";
    int64_t ms, ns;
    enum tm_status st = TM_OK;
    const bool is_reset = tm_text_begins(command, reset);
    if (is_reset)
        command = tm_text_after(command, sizeof reset - 1);
    if (is_reset || tm_text_is(command, "START") || tm_text_is(command, "SHUTDOWN"))
        st = end_locks(b, err);
    if (st < 0 || !tm_text_begins(command, time))
        return st;
    if (!tm_text_int(tm_text_after(command, sizeof time - 1), &ms) || !tm_mul_i64(ms, TM_NS_PER_MS, &ns))
        return TM_END;
    b->time_ms = ms;
    b->has_time = true;
    return TM_OK;
}

/* Reads MS,ITEM,... or MS:COMMAND; MS is the time after the line before. */
static enum tm_status read_history(struct tm_battery *b, struct tm_text rest, struct tm_error *err)
{
    struct tm_text command = next_part(&rest), ms;
    int64_t after_ms, time_ms, ns;
    const bool is_command = tm_text_cut(&command, ":", &ms);
    if (!tm_text_int(is_command ? ms : command, &after_ms) || !tm_add_i64(b->time_ms, after_ms, &time_ms) ||
        !tm_mul_i64(time_ms, TM_NS_PER_MS, &ns))
        return TM_END;
    b->time_ms = time_ms;
    if (is_command)
        return read_command(b, command, err);
    enum tm_status st = TM_OK;
    while (st == TM_OK && rest.len) {
        const struct tm_text item = next_part(&rest);
        if (item.len)
            st = read_item(b, item, err);
    }
    return st;
}

enum tm_status tm_battery_line(struct tm_battery *b, struct tm_text line, struct tm_error *err)
{
    static const char head[] = "9,", text[] = "hsp,", history[] = "h,", version[] = "0,i,vers,";
    if (!tm_text_begins(line, head))
        return TM_END;
    line = tm_text_after(line, sizeof head - 1);
    if (tm_text_begins(line, text))
        return read_text(b, tm_text_after(line, sizeof text - 1), err);
    if (tm_text_begins(line, history))
        return read_history(b, tm_text_after(line, sizeof history - 1), err);
    if (!tm_text_begins(line, version))
        return TM_END;
    line = tm_text_after(line, sizeof version - 1);
    return tm_text_int(next_part(&line), &b->version) ? TM_OK : TM_END;
}

enum tm_status tm_battery_finish(struct tm_battery *b, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st == TM_OK && i < b->held_count; i++)
        st = add_lock(b, &b->texts[b->held[i]], TM_KIND_SLICE_BEGIN, err);
    if (st == TM_OK && b->not_shown)
        st = tm_event_sink_stat(b->sink, "battery_items_not_shown", TRACEMERGE__SEVERITY__INFO, b->not_shown, err);
    return st;
}

void tm_battery_release(struct tm_battery *b)
{
    free(b->texts);
    free(b->held);
    free(b->free_lanes);
    tm_buf_release(&b->bytes);
    tm_buf_release(&b->name);
    tm_buf_release(&b->detail);
}
