#include "format/perfetto/frame_timeline.h"

#include "base/hash.h"
#include "format/perfetto/count.h"
#include "perfetto/named_tracks.h"
#include "stream/detail_arg.h"

#include <inttypes.h>
#include <stdio.h>

/* Messages of a FrameTimelineEvent. If an event has several, the first of this list counts. */
enum message { EXPECTED_DISPLAY = 1, ACTUAL_DISPLAY = 2, EXPECTED_SURFACE = 3, ACTUAL_SURFACE = 4, FRAME_END = 5 };

enum member {
    NO_MEMBER,
    COOKIE,
    TOKEN,
    DISPLAY_TOKEN,
    PID,
    LAYER,
    PRESENT,
    ON_TIME,
    GPU_COMPOSITION,
    JANK,
    PREDICTION,
    IS_BUFFER,
    SEVERITY,
    DELAY,
    JITTER,
    SCORE,
    JANK_EXPERIMENTAL,
    PRESENT_EXPERIMENTAL,
    DEBUG_METADATA,
    LATCHED_COUNT,
    ADDRESSABLE_COUNT,
    FENCE,
    ANIMATION,
    MEMBER_COUNT
};

enum { FIELDS = 21 };
/* The members in the fields of each message, by field number. */
static const uint8_t members[][FIELDS] = {
    [EXPECTED_DISPLAY] = {0, COOKIE, TOKEN, PID},
    [ACTUAL_DISPLAY] = {0, COOKIE, TOKEN, PID, PRESENT, ON_TIME, GPU_COMPOSITION, JANK, PREDICTION, SEVERITY, DELAY,
                        SCORE, JANK_EXPERIMENTAL, PRESENT_EXPERIMENTAL, DEBUG_METADATA, LATCHED_COUNT,
                        ADDRESSABLE_COUNT},
    [EXPECTED_SURFACE] = {0, COOKIE, TOKEN, DISPLAY_TOKEN, PID, LAYER},
    [ACTUAL_SURFACE] = {0, COOKIE, TOKEN, DISPLAY_TOKEN, PID, LAYER, PRESENT, ON_TIME, GPU_COMPOSITION, JANK,
                        PREDICTION, IS_BUFFER, SEVERITY, DELAY, JITTER, SCORE, JANK_EXPERIMENTAL,
                        PRESENT_EXPERIMENTAL, DEBUG_METADATA, FENCE, ANIMATION},
    [FRAME_END] = {0, COOKIE},
};

enum jank {
    JANK_UNSPECIFIED = 0,
    JANK_NONE = 1,
    JANK_SF_SCHEDULING = 2,
    JANK_PREDICTION_ERROR = 4,
    JANK_DISPLAY_HAL = 8,
    JANK_SF_CPU_DEADLINE = 16,
    JANK_SF_GPU_DEADLINE = 32,
    JANK_APP_DEADLINE = 64,
    JANK_BUFFER_STUFFING = 128,
    JANK_UNKNOWN = 256,
    JANK_SF_STUFFING = 512,
    JANK_DROPPED = 1024,
    JANK_NON_ANIMATING = 2048,
    JANK_APP_RESYNCED = 4096,
    JANK_DISPLAY_NOT_ON = 8192,
    JANK_MODE_CHANGE = 16384,
    JANK_POWER_MODE_CHANGE = 32768,
    JANK_OF_DISPLAY =
        JANK_SF_SCHEDULING | JANK_PREDICTION_ERROR | JANK_DISPLAY_HAL | JANK_SF_CPU_DEADLINE | JANK_SF_GPU_DEADLINE,
    JANK_OF_SURFACE = JANK_APP_DEADLINE | JANK_APP_RESYNCED | JANK_UNKNOWN
};

enum { PRESENT_DROPPED = 4, PENDING_MAX = 1 << 16, SURFACES_MAX = 64 };

/* A message being read, and its row. */
struct frame {
    struct tm_proto_frames *frames;
    struct tm_proto_rows *rows;
    struct tm_error *err;
    enum message message;
    uint32_t machine;
    struct tm_event row;
    struct tm_pb_field of[MEMBER_COUNT]; /* the last occurrence of each member; id 0: none */
};

static bool has(const struct frame *w, enum member member)
{
    return w->of[member].id != 0;
}

static int64_t number(const struct frame *w, enum member member)
{
    return (int64_t)w->of[member].value;
}

static bool is_display(const struct frame *w)
{
    return w->message == EXPECTED_DISPLAY || w->message == ACTUAL_DISPLAY;
}

static bool is_actual(const struct frame *w)
{
    return w->message == ACTUAL_DISPLAY || w->message == ACTUAL_SURFACE;
}

/* Finds or makes the entry (machine, KEY). A full table is emptied first, and all pending entries are lost. They count
 * as refused. */
static enum tm_status entry_of(struct frame *w, struct tm_proto_map *map, uint64_t key,
                               struct tm_proto_map_entry **entry)
{
    if (map->count >= PENDING_MAX) {
        map->refused += map->count;
        tm_proto_map_clear(map);
    }
    return tm_proto_map_add(map, w->machine, key, PENDING_MAX, entry) == TM_OK ? TM_OK : tm_error_nomem(w->err);
}

static enum tm_status put_text(struct frame *w, const char *key, const char *text)
{
    return tm_detail_arg_text(&w->rows->detail, key, text, strlen(text));
}

static enum tm_status put_integer(struct frame *w, const char *key, enum member member)
{
    return tm_detail_arg_int(&w->rows->detail, key, number(w, member));
}

static enum tm_status put_real(struct frame *w, const char *key, enum member member)
{
    uint32_t word = (uint32_t)w->of[member].value;
    float value;
    struct tm_buf name = {.data = (uint8_t *)(uintptr_t)key, .len = strlen(key)};
    memcpy(&value, &word, sizeof value);
    return tm_detail_arg_number(&w->rows->detail, &name, TM_ARG_DOUBLE, tm_pb_bits(value));
}

/* Returns the word for the number in MEMBER, among COUNT words; the first one if it is out of range. */
static const char *word_of(const struct frame *w, enum member member, const char *const *words, size_t count)
{
    int64_t value = number(w, member);
    return value > 0 && (uint64_t)value < count ? words[value] : words[0];
}

static const char *present_of(const struct frame *w, enum member member)
{
    static const char *const words[] = {"Unspecified Present", "On-time Present", "Late Present",
                                        "Early Present",       "Dropped Frame",   "Unknown Present"};
    return word_of(w, member, words, sizeof words / sizeof *words);
}

static const char *prediction_of(const struct frame *w)
{
    static const char *const words[] = {"Unspecified Prediction", "Valid Prediction", "Expired Prediction",
                                        "Unknown Prediction"};
    return word_of(w, PREDICTION, words, sizeof words / sizeof *words);
}

static const char *severity_of(const struct frame *w)
{
    static const char *const words[] = {"Unknown", "None", "Partial", "Full"};
    if (!has(w, SEVERITY)) /* older traces do not state it */
        return (int32_t)number(w, JANK) == JANK_NONE ? words[1] : words[0];
    return word_of(w, SEVERITY, words, sizeof words / sizeof *words);
}

static const char *fence_of(const struct frame *w)
{
    static const char *const words[] = {"Unknown", "Latched Signaled", "Latched Unsignaled",
                                        "Delayed Latch Fence Unsignaled"};
    return word_of(w, FENCE, words, sizeof words / sizeof *words);
}

/* Puts the names of all reasons in the mask MEMBER. */
static enum tm_status put_reasons(struct frame *w, const char *key, enum member member)
{
    static const struct {
        int32_t bit;
        const char *text;
    } reasons[] = {
        {JANK_SF_SCHEDULING, "SurfaceFlinger Scheduling"},
        {JANK_PREDICTION_ERROR, "Prediction Error"},
        {JANK_DISPLAY_HAL, "Display HAL"},
        {JANK_SF_CPU_DEADLINE, "SurfaceFlinger CPU Deadline Missed"},
        {JANK_SF_GPU_DEADLINE, "SurfaceFlinger GPU Deadline Missed"},
        {JANK_APP_DEADLINE, "App Deadline Missed"},
        {JANK_APP_RESYNCED, "App Resynced Jitter"},
        {JANK_BUFFER_STUFFING, "Buffer Stuffing"},
        {JANK_UNKNOWN, "Unknown Jank"},
        {JANK_SF_STUFFING, "SurfaceFlinger Stuffing"},
        {JANK_DROPPED, "Dropped Frame"},
        {JANK_NON_ANIMATING, "Non Animating"},
        {JANK_DISPLAY_NOT_ON, "Display not ON"},
        {JANK_MODE_CHANGE, "ModeChange in progress"},
        {JANK_POWER_MODE_CHANGE, "PowerModeChange in progress"},
    };
    int32_t mask = (int32_t)number(w, member);
    if (mask == JANK_UNSPECIFIED || mask == JANK_NONE)
        return put_text(w, key, mask == JANK_NONE ? "None" : "Unspecified");
    enum tm_status st = TM_OK;
    struct tm_buf *text = &w->rows->text;
    tm_buf_clear(text);
    for (size_t i = 0; st == TM_OK && i < sizeof reasons / sizeof *reasons; i++)
        if (mask & reasons[i].bit)
            st = tm_buf_addf(text, "%s%s", text->len ? ", " : "", reasons[i].text);
    return st < 0 ? st
                  : tm_detail_arg_text(&w->rows->detail, key, text->data ? (const char *)text->data : "", text->len);
}

/* Returns the tag that states who caused the jank. MEMBER has the mask of reasons, PRESENT how the frame was shown. */
static const char *tag_of(const struct frame *w, enum member member, enum member present)
{
    int32_t jank = (int32_t)number(w, member);
    bool is_excused = jank == JANK_NONE || jank == JANK_NON_ANIMATING || jank == JANK_DISPLAY_NOT_ON;
    bool is_surface = !is_display(w);
    if (jank == JANK_UNSPECIFIED)
        return "Unspecified";
    if (!is_excused && jank & (is_surface ? JANK_OF_SURFACE : JANK_OF_DISPLAY))
        return "Self Jank";
    if (!is_excused && is_surface && jank & JANK_OF_DISPLAY)
        return "Other Jank";
    if (is_surface && jank == JANK_BUFFER_STUFFING)
        return "Buffer Stuffing";
    if (jank == JANK_SF_STUFFING)
        return "SurfaceFlinger Stuffing";
    if (is_surface ? number(w, present) == PRESENT_DROPPED : jank == JANK_DROPPED)
        return "Dropped Frame";
    if (jank == JANK_NON_ANIMATING || jank == JANK_DISPLAY_NOT_ON || jank == JANK_POWER_MODE_CHANGE)
        return "Non-perceivable Jank";
    return "No Jank";
}

static enum tm_status put_tokens(struct frame *w)
{
    if (is_display(w))
        return put_integer(w, "Display frame token", TOKEN);
    enum tm_status st = put_integer(w, "Surface frame token", TOKEN);
    return st < 0 ? st : put_integer(w, "Display frame token", DISPLAY_TOKEN);
}

static enum tm_status put_layer(struct frame *w)
{
    const struct tm_pb_field *layer = &w->of[LAYER];
    if (layer->id == 0 || layer->type != TM_PB_LEN)
        return TM_OK;
    return tm_detail_arg_text(&w->rows->detail, "Layer name", layer->data, layer->len);
}

static enum tm_status put_delays(struct frame *w)
{
    enum tm_status st = has(w, ANIMATION) ? put_real(w, "Animation Time (ms)", ANIMATION) : TM_OK;
    if (st == TM_OK)
        st = put_real(w, "Present Delay (ms)", DELAY);
    if (st == TM_OK && !is_display(w))
        st = put_real(w, "Vsync Resynced Jitter (ms)", JITTER);
    return st < 0 ? st : put_layer(w);
}

static enum tm_status put_jank(struct frame *w)
{
    enum tm_status st = put_reasons(w, "Jank type", JANK);
    if (st == TM_OK)
        st = put_reasons(w, "Jank type (experimental)", JANK_EXPERIMENTAL);
    if (st == TM_OK)
        st = put_text(w, "Jank severity type", severity_of(w));
    if (st == TM_OK)
        st = put_real(w, "Jank Severity Score", SCORE);
    if (st == TM_OK)
        st = put_text(w, "Prediction type", prediction_of(w));
    if (st == TM_OK)
        st = put_text(w, "Jank tag", tag_of(w, JANK, PRESENT));
    return st < 0 ? st
                  : put_text(w, "Jank tag (experimental)", tag_of(w, JANK_EXPERIMENTAL, PRESENT_EXPERIMENTAL));
}

static enum tm_status put_rest(struct frame *w)
{
    enum tm_status st = TM_OK;
    if (!is_display(w))
        st = put_text(w, "Is Buffer?", !has(w, IS_BUFFER) ? "Unspecified" : number(w, IS_BUFFER) ? "Yes" : "No");
    if (st == TM_OK)
        st = put_real(w, "Jank Metadata (debugging only)", DEBUG_METADATA);
    if (st == TM_OK && has(w, LATCHED_COUNT))
        st = put_integer(w, "Latched unsignaled count", LATCHED_COUNT);
    if (st == TM_OK && has(w, ADDRESSABLE_COUNT))
        st = put_integer(w, "Addressable unsignaled latch count", ADDRESSABLE_COUNT);
    return st < 0 || !has(w, FENCE) ? st : put_text(w, "Latched fence state", fence_of(w));
}

static enum tm_status put_args(struct frame *w)
{
    enum tm_status st = put_tokens(w);
    if (st < 0 || !is_actual(w))
        return st < 0 ? st : put_layer(w);
    if ((st = put_delays(w)) == TM_OK)
        st = put_text(w, "Present type", present_of(w, PRESENT));
    if (st == TM_OK)
        st = put_text(w, "Present type (experimental)", present_of(w, PRESENT_EXPERIMENTAL));
    if (st == TM_OK)
        st = tm_detail_arg_int(&w->rows->detail, "On time finish", number(w, ON_TIME) != 0);
    if (st == TM_OK)
        st = tm_detail_arg_int(&w->rows->detail, "GPU composition", number(w, GPU_COMPOSITION) != 0);
    if (st == TM_OK)
        st = put_jank(w);
    return st < 0 ? st : put_rest(w);
}

static uint64_t flow_of(uint64_t token, uint64_t surface)
{
    const uint64_t numbers[] = {token, surface};
    return tm_hash64_numbers(numbers, 2, ACTUAL_SURFACE);
}

/* Adds flows from the surfaces' frames, which come first, to the frame of the display that shows them. */
static enum tm_status put_flows(struct frame *w)
{
    struct tm_proto_map_entry *surfaces;
    uint64_t token = (uint64_t)number(w, is_display(w) ? TOKEN : DISPLAY_TOKEN);
    enum tm_status st = entry_of(w, &w->frames->surfaces, token, &surfaces);
    if (st < 0 || (!is_display(w) && surfaces->v1 >= SURFACES_MAX))
        return st;
    if (!is_display(w))
        return tm_pb_put_i64(&w->rows->detail, TM_DETAIL_FLOW_IDS, flow_of(token, surfaces->v1++));
    for (uint64_t i = 0; st == TM_OK && i < surfaces->v1; i++)
        st = tm_pb_put_i64(&w->rows->detail, TM_DETAIL_TERMINATING_FLOW_IDS, flow_of(token, i));
    surfaces->v1 = 0;
    return st;
}

/* Puts the track, which precedes everything else in the detail. */
static enum tm_status put_track(struct frame *w, enum tm_named_track track)
{
    static const char *const names[] = {[TM_NAMED_TRACK_EXPECTED_FRAMES] = "Expected Timeline",
                                        [TM_NAMED_TRACK_ACTUAL_FRAMES] = "Actual Timeline"};
    size_t mark;
    enum tm_status st = tm_pb_begin(&w->rows->detail, TM_DETAIL_TRACK, &mark);
    if (st == TM_OK)
        st = tm_pb_put_str(&w->rows->detail, TM_TRACK_DESCRIPTION_NAME, names[track]);
    if (st == TM_OK)
        st = tm_pb_put_varint(&w->rows->detail, TM_TRACK_DESCRIPTION_NAMED_TRACK, track);
    return st < 0 ? st : tm_pb_end(&w->rows->detail, mark);
}

/* Sets *AGAIN if a frame with the same process and token was expected before. Such frames have one expected slice. */
static enum tm_status is_expected_again(struct frame *w, bool *again)
{
    const uint64_t numbers[] = {(uint32_t)number(w, PID), (uint64_t)number(w, TOKEN)};
    const uint64_t key = tm_hash64_numbers(numbers, 2, 0);
    struct tm_proto_map_entry *entry;
    enum tm_status st = entry_of(w, &w->frames->tokens, key, &entry);
    if (st < 0)
        return st;
    *again = entry->v1 != 0;
    entry->v1 = 1;
    return TM_OK;
}

static enum tm_status begin(struct frame *w)
{
    enum tm_named_track track = is_actual(w) ? TM_NAMED_TRACK_ACTUAL_FRAMES : TM_NAMED_TRACK_EXPECTED_FRAMES;
    struct tm_proto_map_entry *pending;
    char name[24];
    bool again = false;
    enum tm_status st = entry_of(w, &w->frames->cookies, (uint64_t)number(w, COOKIE), &pending);
    if (st < 0)
        return st;
    w->row.kind = TM_KIND_SLICE_BEGIN;
    w->row.pid = (uint32_t)number(w, PID);
    pending->v1 = (uint64_t)w->row.pid;
    pending->v2 = track;
    if (w->message == EXPECTED_SURFACE && ((st = is_expected_again(w, &again)) < 0 || again))
        return st;
    int len = snprintf(name, sizeof name, "%" PRId64, number(w, TOKEN));
    if (put_track(w, track) < 0 || (w->rows->sink->want_detail && put_args(w) < 0) ||
        (is_actual(w) && put_flows(w) < 0))
        return tm_error_nomem(w->err);
    st = tm_proto_string(w->rows, name, (size_t)len, &w->row.name, w->err);
    return st < 0 ? st : tm_proto_add(w->rows, &w->row, w->err);
}

static enum tm_status end(struct frame *w)
{
    uint64_t cookie = (uint64_t)number(w, COOKIE);
    struct tm_proto_map_entry *pending = tm_proto_map_find(&w->frames->cookies, w->machine, cookie);
    if (pending == NULL || pending->v2 == TM_NAMED_TRACK_NONE)
        return tm_proto_count_stat(&w->rows->counts, TM_PROTO_STAT_FRAME_UNPAIRED_END, w->machine, 1, w->err);
    w->row.kind = TM_KIND_SLICE_END;
    w->row.pid = (int64_t)pending->v1;
    if (put_track(w, (enum tm_named_track)pending->v2) < 0)
        return tm_error_nomem(w->err);
    pending->v2 = TM_NAMED_TRACK_NONE;
    return tm_proto_add(w->rows, &w->row, w->err);
}

static void decode(struct frame *w, const struct tm_pb_field *event)
{
    struct tm_pb pb = tm_pb_of(event->data, event->len);
    struct tm_pb_field f, message = {0};
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.type == TM_PB_LEN && f.id >= EXPECTED_DISPLAY && f.id <= FRAME_END && (!message.id || f.id <= message.id))
            message = f;
    w->message = (enum message)message.id;
    for (pb = tm_pb_of(message.data, message.len); message.id && tm_pb_next(&pb, &f) == TM_OK;)
        if (f.id < FIELDS && members[message.id][f.id])
            w->of[members[message.id][f.id]] = f;
}

static bool is_whole(const struct frame *w)
{
    if (w->message == 0 || !has(w, COOKIE))
        return false;
    return w->message == FRAME_END || (has(w, TOKEN) && has(w, PID) && (is_display(w) || has(w, DISPLAY_TOKEN)));
}

/* Returns how many numbers have no word. They count as errors. */
static int64_t bad_numbers(const struct frame *w)
{
    static const struct {
        enum member member;
        int64_t last;
    } checked[] = {{PRESENT, 5}, {PRESENT_EXPERIMENTAL, 5}, {PREDICTION, 3}};
    int64_t count = 0;
    for (size_t i = 0; i < sizeof checked / sizeof *checked; i++)
        if (has(w, checked[i].member) &&
            (number(w, checked[i].member) < 1 || number(w, checked[i].member) > checked[i].last))
            count++;
    return count;
}

enum tm_status tm_proto_frame_timeline_read(struct tm_proto_frames *frames, struct tm_proto_rows *rows,
                                            const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_event row = tm_proto_packet_event(packet);
    struct frame w = {.frames = frames,
                      .rows = rows,
                      .err = err,
                      .machine = packet->machine,
                      .row = tm_proto_derived(&row, TM_KIND_SLICE_END)};
    enum tm_status st = tm_proto_add(rows, &row, err);
    if (st < 0 || !packet->has_time)
        return st;
    decode(&w, &packet->body);
    if (!is_whole(&w))
        return tm_proto_count_stat(&rows->counts, TM_PROTO_STAT_FRAME_ERRORS, packet->machine, 1, err);
    int64_t bad = bad_numbers(&w);
    if (bad && (st = tm_proto_count_stat(&rows->counts, TM_PROTO_STAT_FRAME_ERRORS, packet->machine, bad, err)) < 0)
        return st;
    w.row.flags |= TM_EVENT_ASYNC | TM_EVENT_HAS_PID | TM_EVENT_HAS_TRACK | tm_event_scope_flags(TM_SCOPE_PROCESS);
    w.row.track = (uint64_t)number(&w, COOKIE);
    return w.message == FRAME_END ? end(&w) : begin(&w);
}
