#include "perfetto/packet_times.h"

#include "base/checked.h"
#include "base/pb.h"
#include "stream/clock_id.h"
#include "stream/detail_fields.h"

#define OWN_CLOCK UINT32_MAX                 /* the clock of the packet, or of the bundle */
#define OWN_CLOCK_FROM_ZERO (UINT32_MAX - 1) /* that clock, where a recorded 0 is a reading */

struct message;

/* A field that is a time of CLOCK in units of SCALE nanoseconds, or a message with such fields. */
struct field {
    uint32_t id;
    const struct message *message; /* NULL: the field is a time */
    uint32_t clock;
    uint32_t scale;
};

struct message {
    const struct field *fields;
    size_t count;
};

#define MESSAGE(fields) {fields, sizeof(fields) / sizeof *(fields)}

static const struct field process_fields[] = {{7, NULL, TM_CLOCK_BOOTTIME, 1}};
static const struct message process = MESSAGE(process_fields);
static const struct field process_tree_fields[] = {{1, &process, 0, 0}, {3, NULL, TM_CLOCK_BOOTTIME, 1}};
static const struct message process_tree = MESSAGE(process_tree_fields);
static const struct field process_stats_fields[] = {{2, NULL, TM_CLOCK_BOOTTIME, 1}};
static const struct message process_stats = MESSAGE(process_stats_fields);
static const struct field sys_stats_fields[] = {{9, NULL, TM_CLOCK_BOOTTIME, 1}};
static const struct message sys_stats = MESSAGE(sys_stats_fields);
static const struct field thread_fields[] = {{6, NULL, TM_CLOCK_MONOTONIC, 1000}};
static const struct message thread_descriptor = MESSAGE(thread_fields);
static const struct field track_fields[] = {{4, &thread_descriptor, 0, 0}};
static const struct message track_descriptor = MESSAGE(track_fields);
static const struct field log_event_fields[] = {{5, NULL, TM_CLOCK_REALTIME, 1}};
static const struct message log_event = MESSAGE(log_event_fields);
static const struct field android_log_fields[] = {{1, &log_event, 0, 0}};
static const struct message android_log = MESSAGE(android_log_fields);
static const struct field statsd_fields[] = {{2, NULL, TM_CLOCK_BOOTTIME, 1}};
static const struct message statsd_atom = MESSAGE(statsd_fields);
static const struct field energy_fields[] = {{2, NULL, TM_CLOCK_BOOTTIME, 1000000}};
static const struct message energy_data = MESSAGE(energy_fields);
static const struct field power_rails_fields[] = {{2, &energy_data, 0, 0}};
static const struct message power_rails = MESSAGE(power_rails_fields);
static const struct field heap_fields[] = {{9, NULL, TM_CLOCK_MONOTONIC_COARSE, 1},
                                           {15, NULL, TM_CLOCK_MONOTONIC_COARSE, 1}};
static const struct message process_heap_samples = MESSAGE(heap_fields);
static const struct field profile_fields[] = {{5, &process_heap_samples, 0, 0}};
static const struct message profile_packet = MESSAGE(profile_fields);
static const struct field vulkan_fields[] = {{3, NULL, OWN_CLOCK, 1}};
static const struct message vulkan_memory = MESSAGE(vulkan_fields);
static const struct field modem_fields[] = {{2, NULL, TM_CLOCK_BOOTTIME, 1}};
static const struct message pixel_modem = MESSAGE(modem_fields);
static const struct field chrome_event_fields[] = {{2, NULL, TM_CLOCK_MONOTONIC, 1000}};
static const struct message chrome_event = MESSAGE(chrome_event_fields);
static const struct field chrome_events_fields[] = {{1, &chrome_event, 0, 0}};
static const struct message chrome_events = MESSAGE(chrome_events_fields);
static const struct field ftrace_error_fields[] = {{1, NULL, OWN_CLOCK, 1}};
static const struct message ftrace_error = MESSAGE(ftrace_error_fields);
static const struct field bundle_fields[] = {
    {8, &ftrace_error, 0, 0}, {9, NULL, OWN_CLOCK_FROM_ZERO, 1}, {10, NULL, OWN_CLOCK_FROM_ZERO, 1}};
static const struct message bundle = MESSAGE(bundle_fields);
static const struct field packet_fields[] = {
    {1, &bundle, 0, 0},           {2, &process_tree, 0, 0}, {5, &chrome_events, 0, 0},  {7, &sys_stats, 0, 0},
    {9, &process_stats, 0, 0},    {37, &profile_packet, 0, 0}, {39, &android_log, 0, 0}, {40, &power_rails, 0, 0},
    {44, &thread_descriptor, 0, 0}, {60, &track_descriptor, 0, 0},
    {62, &vulkan_memory, 0, 0},
    {84, &statsd_atom, 0, 0},     {110, &pixel_modem, 0, 0}};
static const struct message packet = MESSAGE(packet_fields);

static const struct field gpu_work_fields[] = {{3, NULL, TM_CLOCK_MONOTONIC_RAW, 1},
                                               {4, NULL, TM_CLOCK_MONOTONIC_RAW, 1}};
static const struct message gpu_work_period = MESSAGE(gpu_work_fields);
static const struct field thermal_fields[] = {{11, NULL, OWN_CLOCK_FROM_ZERO, 1}};
static const struct message thermal = MESSAGE(thermal_fields);
static const struct field cpm_fields[] = {{3, NULL, OWN_CLOCK_FROM_ZERO, 1}};
static const struct message cpm = MESSAGE(cpm_fields);
static const struct field firmware_fields[] = {{1, NULL, OWN_CLOCK_FROM_ZERO, 1}};
static const struct message firmware = MESSAGE(firmware_fields);
static const struct field ftrace_event_fields[] = {
    {488, &gpu_work_period, 0, 0}, {506, &thermal, 0, 0}, {543, &cpm, 0, 0}, {596, &firmware, 0, 0},
    {600, &firmware, 0, 0}};
static const struct message ftrace_event = MESSAGE(ftrace_event_fields);

static const struct field *find(const struct message *message, uint32_t id)
{
    for (size_t i = 0; i < message->count; i++)
        if (message->fields[i].id == id)
            return &message->fields[i];
    return NULL;
}

bool tm_packet_times_in(uint32_t body)
{
    return find(&packet, body) != NULL;
}

/* A walk over the times of a message. Collecting writes them to OUT as inner_times. Rewriting copies the message to OUT
 * with the values of TIMES. */
struct walk {
    struct tm_buf *out;
    bool is_rewrite;
    uint32_t own_clock;
    uint32_t count;     /* number of times found */
    uint32_t unchanged;
    struct tm_pb times; /* the part of the Detail that is not read yet */
    const struct tm_packet_readings *readings;
};

static const struct message *root(enum tm_raw kind)
{
    return kind == TM_RAW_FTRACE_EVENT ? &ftrace_event : &packet;
}

static bool is_on_own_clock(const struct field *field)
{
    return field->clock == OWN_CLOCK || field->clock == OWN_CLOCK_FROM_ZERO;
}

/* Sets *NS to a reading of FIELD in nanoseconds. False: no time. */
static bool reading(const struct field *field, uint64_t recorded, int64_t *ns)
{
    bool is_time = recorded != 0 || field->clock == OWN_CLOCK_FROM_ZERO;
    return is_time && tm_mul_i64((int64_t)recorded, (int64_t)field->scale, ns);
}

static enum tm_status put_inner_time(struct walk *w, const struct field *field, int64_t ns)
{
    size_t mark;
    enum tm_status st = tm_pb_begin(w->out, TM_DETAIL_INNER_TIMES, &mark);
    if (st == TM_OK)
        st = tm_pb_put_varint(w->out, TM_INNER_TIME_FIELD, w->count);
    if (st == TM_OK)
        st = tm_pb_put_i32(w->out, TM_INNER_TIME_CLOCK, is_on_own_clock(field) ? w->own_clock : field->clock);
    if (st == TM_OK)
        st = tm_pb_put_i64(w->out, TM_INNER_TIME_VALUE, (uint64_t)ns);
    if (st == TM_OK)
        st = tm_pb_put_i32(w->out, TM_INNER_TIME_STATE, TM_INNER_TIME_RECORDED);
    return st == TM_OK ? tm_pb_end(w->out, mark) : st;
}

/* Reads the next inner time of the Detail and sets *NS to its value. */
static enum tm_status next_time(struct walk *w, int64_t *ns, bool *is_converted)
{
    struct tm_pb_field f, g;
    *is_converted = false;
    do
        if (tm_pb_next(&w->times, &f) != TM_OK)
            return TM_E_INPUT;
    while (f.id != TM_DETAIL_INNER_TIMES || f.type != TM_PB_LEN);
    struct tm_pb pb = tm_pb_of(f.data, f.len);
    while (tm_pb_next(&pb, &g) == TM_OK) {
        if (g.id == TM_INNER_TIME_VALUE)
            *ns = (int64_t)g.value;
        else if (g.id == TM_INNER_TIME_STATE)
            *is_converted = g.value == TM_INNER_TIME_CONVERTED;
    }
    return TM_OK;
}

/* Processes one recorded number. *RECORDED becomes the number to write. */
static enum tm_status take(struct walk *w, const struct field *field, uint64_t *recorded)
{
    int64_t ns, recorded_ns;
    bool is_converted = false;
    enum tm_status st;
    if (!reading(field, *recorded, &recorded_ns))
        return TM_OK;
    ns = recorded_ns;
    st = w->is_rewrite ? next_time(w, &ns, &is_converted) : put_inner_time(w, field, ns);
    w->count++;
    if (st != TM_OK || !w->is_rewrite)
        return st;
    if (!is_converted)
        w->unchanged++;
    else if (!is_on_own_clock(field) && w->readings->reading)
        ns = w->readings->reading(w->readings->context, field->clock, recorded_ns, ns);
    if (is_converted)
        *recorded = (uint64_t)(ns / (int64_t)field->scale);
    return TM_OK;
}

/* Processes a field with one time or with several packed times. */
static enum tm_status take_field(struct walk *w, const struct field *field, const struct tm_pb_field *f)
{
    const uint8_t *at = f->data, *end = at ? at + f->len : at;
    uint64_t value = f->value;
    enum tm_status st = TM_OK;
    if (f->type == TM_PB_VARINT) {
        st = take(w, field, &value);
        return st == TM_OK && w->is_rewrite ? tm_pb_put_varint(w->out, f->id, value) : st;
    }
    while (st == TM_OK && at < end) {
        if (f->type != TM_PB_LEN || (at = tm_varint_get(at, end, &value)) == NULL)
            break;
        st = take(w, field, &value);
        if (st == TM_OK && w->is_rewrite)
            st = tm_pb_put_varint(w->out, f->id, value);
    }
    return st;
}

static enum tm_status copy(struct walk *w, const uint8_t *from, const uint8_t *to)
{
    return w->is_rewrite ? tm_buf_add(w->out, from, (size_t)(to - from)) : TM_OK;
}

/* The recursion ends because the schemas have at most three levels. */
static enum tm_status walk_message(struct walk *w, const struct message *message, const uint8_t *data, size_t len)
{
    struct tm_pb pb = tm_pb_of(data, len);
    struct tm_pb_field f;
    enum tm_status st;
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        const struct field *field = find(message, f.id);
        size_t mark = 0;
        if (field && field->message && f.type == TM_PB_LEN) {
            if (w->is_rewrite)
                st = tm_pb_begin(w->out, f.id, &mark);
            if (st == TM_OK)
                st = walk_message(w, field->message, f.data, f.len);
            if (st == TM_OK && w->is_rewrite)
                st = tm_pb_end(w->out, mark);
        } else if (field && !field->message && (f.type == TM_PB_VARINT || f.type == TM_PB_LEN)) {
            st = take_field(w, field, &f);
        } else {
            st = copy(w, f.start, f.end);
        }
        if (st != TM_OK)
            return st;
    }
    return st == TM_END ? TM_OK : copy(w, pb.p, pb.end); /* a damaged rest is copied unchanged */
}

enum tm_status tm_packet_times_collect(enum tm_raw kind, struct tm_text raw, uint32_t own_clock, struct tm_buf *detail,
                                       uint32_t *count)
{
    struct walk w = {.out = detail, .own_clock = own_clock};
    enum tm_status st = walk_message(&w, root(kind), raw.data, raw.len);
    *count = w.count;
    return st;
}

enum tm_status tm_packet_times_rewrite(const struct tm_event *event, const struct tm_packet_readings *readings,
                                       struct tm_buf *out, uint32_t *unchanged)
{
    struct walk w = {.out = out, .is_rewrite = true, .readings = readings};
    w.times = tm_pb_of(event->detail, event->detail_bytes);
    enum tm_status st = walk_message(&w, root(tm_event_raw(event->flags)), event->raw, event->raw_bytes);
    *unchanged = w.unchanged;
    return st;
}
