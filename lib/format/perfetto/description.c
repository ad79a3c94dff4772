#include "format/perfetto/description.h"

#include "format/perfetto/chrome_names.h"
#include "perfetto/message_fields.h"
#include "perfetto/packet_fields.h"
#include "stream/detail_fields.h"

#include <inttypes.h>
#include <stdio.h>

enum { CHROME_THREAD_TYPE = 1, CHROME_THREAD_SANDBOXED = 3 };
enum { CHROME_PROCESS_TYPE = 1, CHROME_PROCESS_HOST_APP = 4, CHROME_PROCESS_CRASH_ID = 5 };
enum { COUNTER_THREAD_TIME = 1, COUNTER_THREAD_INSTRUCTIONS = 2 };

static int64_t i32(uint64_t value)
{
    return (int32_t)(uint32_t)value;
}

enum tm_status tm_proto_thread_read(struct tm_proto_thread *thread, const struct tm_pb_field *from)
{
    struct tm_pb pb = tm_pb_of(from->data, from->len);
    struct tm_pb_field f;
    enum tm_status st;
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        switch (f.id) {
        case TM_THREAD_DESCRIPTOR_PID:
            thread->has_pid = true;
            thread->pid = i32(f.value);
            break;
        case TM_THREAD_DESCRIPTOR_TID:
            thread->has_tid = true;
            thread->tid = (int64_t)f.value;
            break;
        case TM_THREAD_DESCRIPTOR_CHROME_TYPE:
            thread->chrome_type = i32(f.value);
            break;
        case TM_THREAD_DESCRIPTOR_NAME:
            thread->name = (struct tm_proto_text){f.data, f.len};
            break;
        case TM_THREAD_DESCRIPTOR_REFERENCE_US:
            thread->reference_us = (int64_t)f.value;
            break;
        case TM_THREAD_DESCRIPTOR_REFERENCE_THREAD_US:
            thread->reference_thread_us = (int64_t)f.value;
            break;
        case TM_THREAD_DESCRIPTOR_REFERENCE_INSTRUCTIONS:
            thread->reference_instructions = (int64_t)f.value;
            break;
        default:
            break;
        }
    }
    return st == TM_END ? TM_OK : st;
}

enum tm_status tm_proto_process_read(struct tm_proto_process *process, const struct tm_pb_field *from)
{
    struct tm_pb pb = tm_pb_of(from->data, from->len);
    struct tm_pb_field f;
    enum tm_status st;
    process->message = *from;
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        switch (f.id) {
        case TM_PROCESS_DESCRIPTOR_PID:
            process->has_pid = true;
            process->pid = i32(f.value);
            break;
        case TM_PROCESS_DESCRIPTOR_CHROME_TYPE:
            process->chrome_type = i32(f.value);
            break;
        case TM_PROCESS_DESCRIPTOR_NAME:
            process->name = (struct tm_proto_text){f.data, f.len};
            break;
        case TM_PROCESS_DESCRIPTOR_START:
            process->has_start = true;
            process->start_ns = (int64_t)f.value;
            break;
        default:
            break;
        }
    }
    return st == TM_END ? TM_OK : st;
}

static enum tm_status read_counter(struct tm_proto_counter *counter, const struct tm_pb_field *from)
{
    struct tm_pb pb = tm_pb_of(from->data, from->len);
    struct tm_pb_field f;
    enum tm_status st;
    counter->message = *from;
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        if (f.id == TM_COUNTER_DESCRIPTOR_TYPE)
            counter->type = i32(f.value);
        else if (f.id == TM_COUNTER_DESCRIPTOR_UNIT)
            counter->unit = i32(f.value);
        else if (f.id == TM_COUNTER_DESCRIPTOR_UNIT_MULTIPLIER)
            counter->multiplier = (int64_t)f.value;
        else if (f.id == TM_COUNTER_DESCRIPTOR_IS_INCREMENTAL)
            counter->incremental = f.value != 0;
        else if (f.id == TM_COUNTER_DESCRIPTOR_UNIT_NAME)
            counter->unit_name = (struct tm_proto_text){f.data, f.len};
        else if (f.id == TM_COUNTER_DESCRIPTOR_Y_AXIS_SHARE_KEY)
            counter->y_axis_share_key = (struct tm_proto_text){f.data, f.len};
    }
    return st == TM_END ? TM_OK : st;
}

/* Returns the number in field NUMBER of message FROM, or 0. */
static int64_t number_in(const struct tm_pb_field *from, uint32_t number)
{
    struct tm_pb pb = tm_pb_of(from->data, from->len);
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == number && f.type == TM_PB_VARINT)
            return i32(f.value);
    return 0;
}

static enum tm_status read_part(struct tm_proto_track_descriptor *track, const struct tm_pb_field *f)
{
    switch (f->id) {
    case TM_DESCRIPTOR_PROCESS:
        track->has_process = true;
        return tm_proto_process_read(&track->process, f);
    case TM_DESCRIPTOR_THREAD:
        track->has_thread = true;
        return tm_proto_thread_read(&track->thread, f);
    case TM_DESCRIPTOR_COUNTER:
        track->has_counter = true;
        return read_counter(&track->counter, f);
    case TM_DESCRIPTOR_STATE:
        track->has_state = true;
        return TM_OK;
    case TM_DESCRIPTOR_CHROME_PROCESS:
        track->process.has_chrome = true;
        track->process.chrome = *f;
        return TM_OK;
    case TM_DESCRIPTOR_CHROME_THREAD:
        track->thread.kind = number_in(f, CHROME_THREAD_TYPE);
        track->thread.sandboxed = number_in(f, CHROME_THREAD_SANDBOXED) != 0;
        return TM_OK;
    case TM_DESCRIPTOR_NAME:
    case TM_DESCRIPTOR_STATIC_NAME:
    case TM_DESCRIPTOR_ATRACE_NAME:
        track->name = (struct tm_proto_text){f->data, f->len};
        return TM_OK;
    case TM_DESCRIPTOR_DESCRIPTION:
        track->description = (struct tm_proto_text){f->data, f->len};
        return TM_OK;
    case TM_DESCRIPTOR_MERGE_KEY:
        track->merge_key = (struct tm_proto_text){f->data, f->len};
        return TM_OK;
    default:
        return TM_OK;
    }
}

static void read_number(struct tm_proto_track_descriptor *track, const struct tm_pb_field *f)
{
    switch (f->id) {
    case TM_DESCRIPTOR_UUID:
        track->has_uuid = true;
        track->uuid = f->value;
        break;
    case TM_DESCRIPTOR_PARENT:
        track->has_parent = true;
        track->parent = f->value;
        break;
    case TM_DESCRIPTOR_CHILD_ORDERING:
        track->has_ordering = true;
        track->ordering = (uint32_t)f->value;
        break;
    case TM_DESCRIPTOR_SIBLING_RANK:
        track->has_rank = true;
        track->rank = i32(f->value);
        break;
    case TM_DESCRIPTOR_PROCESS_ORDERING:
        track->orders_processes = f->value == TM_ORDERING_EXPLICIT;
        break;
    case TM_DESCRIPTOR_THREAD_ORDERING:
        track->orders_threads = f->value == TM_ORDERING_EXPLICIT;
        break;
    case TM_DESCRIPTOR_MERGE_BEHAVIOR:
        track->merge_behavior = (uint32_t)f->value;
        break;
    case TM_DESCRIPTOR_MERGE_KEY_INT:
        track->has_merge_key_int = true;
        track->merge_key_int = f->value;
        break;
    default:
        break;
    }
}

enum tm_status tm_proto_track_descriptor_read(struct tm_proto_track_descriptor *track, const struct tm_pb_field *f)
{
    struct tm_pb pb = tm_pb_of(f->data, f->len);
    struct tm_pb_field field;
    enum tm_status st, damage = TM_OK; /* the parts after a damaged one are read */
    while ((st = tm_pb_next(&pb, &field)) == TM_OK) {
        if (field.type == TM_PB_VARINT)
            read_number(track, &field);
        else if (field.type == TM_PB_LEN && (st = read_part(track, &field)) < 0)
            damage = st;
    }
    return st == TM_END ? damage : st;
}

/* Functions with ST do nothing after the first failure, which *ST keeps. */
static void put_text(struct tm_buf *buf, uint32_t id, const char *s, enum tm_status *st)
{
    if (*st == TM_OK && s)
        *st = tm_pb_put_str(buf, id, s);
}

static void put_bytes(struct tm_buf *buf, uint32_t id, struct tm_proto_text text, enum tm_status *st)
{
    if (*st == TM_OK && text.data)
        *st = tm_pb_put_bytes(buf, id, text.data, text.len);
}

static void put_number(struct tm_buf *buf, uint32_t id, uint64_t value, enum tm_status *st)
{
    if (*st == TM_OK)
        *st = tm_pb_put_varint(buf, id, value);
}

static void put_signed(struct tm_buf *buf, uint32_t id, bool has, int64_t value, enum tm_status *st)
{
    if (has)
        put_number(buf, id, tm_zigzag(value), st);
}

/* Copies every field FROM of MESSAGE as field TO. */
static void put_repeated(struct tm_buf *buf, const struct tm_pb_field *message, uint32_t from, uint32_t to,
                         enum tm_status *st)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == from && f.type == TM_PB_LEN)
            put_bytes(buf, to, (struct tm_proto_text){f.data, f.len}, st);
}

enum tm_status tm_proto_thread_put(struct tm_buf *detail, const struct tm_proto_thread *thread)
{
    size_t mark;
    int64_t tid = thread->sandboxed ? tm_proto_synthetic_tid(thread->tid, thread->pid) : thread->tid;
    enum tm_status st = tm_pb_begin(detail, TM_DETAIL_THREAD, &mark);
    put_signed(detail, TM_THREAD_DESCRIPTION_TID, thread->has_tid, tid, &st);
    put_signed(detail, TM_THREAD_DESCRIPTION_PID, thread->has_pid, thread->pid, &st);
    const char *type = tm_proto_chrome_thread_name(thread->chrome_type);
    const char *kind = tm_proto_chrome_thread_name(thread->kind);
    if (thread->name.len)
        put_bytes(detail, TM_THREAD_DESCRIPTION_NAME, thread->name, &st);
    else
        put_text(detail, TM_THREAD_DESCRIPTION_NAME, type ? type : kind, &st);
    if (thread->name.len == 0 && type == NULL && kind)
        put_number(detail, TM_THREAD_DESCRIPTION_NAME_PRIORITY, TM_THREAD_NAME_KIND, &st);
    put_signed(detail, TM_THREAD_DESCRIPTION_SORT_INDEX, thread->has_sort, thread->sort, &st);
    return st == TM_OK ? tm_pb_end(detail, mark) : st;
}

/* Puts the name that has the highest priority. Of names with equal priority, the kind in the ChromeProcessDescriptor
 * comes first, then the kind in the ProcessDescriptor. */
static void put_process_name(struct tm_buf *detail, const struct tm_proto_process *process, enum tm_status *st)
{
    struct tm_proto_text name = process->name;
    enum tm_process_name_priority priority = name.len ? TM_PROCESS_NAME_DESCRIPTOR : 0;
    const int64_t types[] = {process->chrome_type,
                             process->has_chrome ? number_in(&process->chrome, CHROME_PROCESS_TYPE) : 0};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        bool is_renderer;
        const char *kind = tm_proto_chrome_process_name(types[i], &is_renderer);
        enum tm_process_name_priority rank = is_renderer ? TM_PROCESS_NAME_RENDERER : TM_PROCESS_NAME_KIND;
        if (kind == NULL || rank < priority)
            continue;
        name = (struct tm_proto_text){(const uint8_t *)kind, strlen(kind)};
        priority = rank;
    }
    if (priority == 0)
        return;
    put_bytes(detail, TM_PROCESS_DESCRIPTION_NAME, name, st);
    if (priority != TM_PROCESS_NAME_DESCRIPTOR)
        put_number(detail, TM_PROCESS_DESCRIPTION_NAME_PRIORITY, priority, st);
}

static void put_text_arg(struct tm_buf *detail, const char *key, struct tm_proto_text value, enum tm_status *st)
{
    size_t mark;
    *st = *st == TM_OK ? tm_pb_begin(detail, TM_PROCESS_DESCRIPTION_ARGS, &mark) : *st;
    put_text(detail, TM_ARG_KEY, key, st);
    if (value.data)
        put_bytes(detail, TM_ARG_STRING, value, st);
    else
        put_number(detail, TM_ARG_NULL, 1, st);
    *st = *st == TM_OK ? tm_pb_end(detail, mark) : *st;
}

/* Puts the facts of a ChromeProcessDescriptor as args of the process. */
static void put_chrome(struct tm_buf *detail, const struct tm_pb_field *chrome, enum tm_status *st)
{
    struct tm_pb pb = tm_pb_of(chrome->data, chrome->len);
    struct tm_pb_field f, app = {0};
    bool is_renderer, has_crash_id = false;
    uint64_t crash_id = 0;
    size_t mark;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == CHROME_PROCESS_HOST_APP && f.type == TM_PB_LEN) {
            app = f;
        } else if (f.id == CHROME_PROCESS_CRASH_ID && f.type == TM_PB_VARINT) {
            has_crash_id = true;
            crash_id = f.value;
        }
    const char *kind = tm_proto_chrome_process_name(number_in(chrome, CHROME_PROCESS_TYPE), &is_renderer);
    put_text_arg(detail, "chrome.process_type",
                 (struct tm_proto_text){(const uint8_t *)kind, kind ? strlen(kind) : 0}, st);
    if (app.type == TM_PB_LEN)
        put_text_arg(detail, "chrome.host_app_package_name",
                     (struct tm_proto_text){app.data ? app.data : (const uint8_t *)"", app.len}, st);
    if (!has_crash_id)
        return;
    *st = *st == TM_OK ? tm_pb_begin(detail, TM_PROCESS_DESCRIPTION_ARGS, &mark) : *st;
    put_text(detail, TM_ARG_KEY, "chrome.crash_trace_id", st);
    put_number(detail, TM_ARG_UINT, crash_id, st);
    *st = *st == TM_OK ? tm_pb_end(detail, mark) : *st;
}

enum tm_status tm_proto_process_put(struct tm_buf *detail, const struct tm_proto_process *process)
{
    size_t mark = 0;
    enum tm_status st = tm_pb_begin(detail, TM_DETAIL_PROCESS, &mark);
    put_signed(detail, TM_PROCESS_DESCRIPTION_PID, process->has_pid, process->pid, &st);
    put_process_name(detail, process, &st);
    if (process->has_chrome)
        put_chrome(detail, &process->chrome, &st);
    put_repeated(detail, &process->message, TM_PROCESS_DESCRIPTOR_CMDLINE, TM_PROCESS_DESCRIPTION_CMDLINE, &st);
    put_signed(detail, TM_PROCESS_DESCRIPTION_START_NS, process->has_start && process->start_ns > 0, process->start_ns,
               &st);
    put_repeated(detail, &process->message, TM_PROCESS_DESCRIPTOR_LABELS, TM_PROCESS_DESCRIPTION_LABELS, &st);
    put_signed(detail, TM_PROCESS_DESCRIPTION_SORT_INDEX, process->has_sort, process->sort, &st);
    return st == TM_OK ? tm_pb_end(detail, mark) : st;
}

static const char *unit_name(const struct tm_proto_counter *counter)
{
    static const char *const units[] = {NULL, "ns", "count", "bytes"};
    if (counter->type == COUNTER_THREAD_TIME)
        return units[1];
    if (counter->type == COUNTER_THREAD_INSTRUCTIONS)
        return units[2];
    return counter->unit > 0 && counter->unit < 4 ? units[counter->unit] : NULL;
}

static void put_counter(struct tm_buf *detail, const struct tm_proto_counter *counter, enum tm_status *st)
{
    put_number(detail, TM_TRACK_DESCRIPTION_IS_COUNTER, 1, st);
    if (unit_name(counter))
        put_text(detail, TM_TRACK_DESCRIPTION_UNIT, unit_name(counter), st);
    else
        put_bytes(detail, TM_TRACK_DESCRIPTION_UNIT, counter->unit_name, st);
    if (counter->incremental)
        put_number(detail, TM_TRACK_DESCRIPTION_IS_INCREMENTAL, 1, st);
    put_signed(detail, TM_TRACK_DESCRIPTION_UNIT_MULTIPLIER, counter->multiplier != 0, counter->multiplier, st);
    put_repeated(detail, &counter->message, TM_COUNTER_DESCRIPTOR_CATEGORIES, TM_TRACK_DESCRIPTION_CATEGORIES, st);
    if (counter->type > 0)
        put_number(detail, TM_TRACK_DESCRIPTION_BUILTIN_COUNTER, (uint64_t)counter->type, st);
    put_bytes(detail, TM_TRACK_DESCRIPTION_Y_AXIS_SHARE_KEY, counter->y_axis_share_key, st);
}

static void put_merge(struct tm_buf *detail, const struct tm_proto_track_descriptor *track, enum tm_status *st)
{
    if (track->merge_behavior)
        put_number(detail, TM_TRACK_DESCRIPTION_SIBLING_MERGE_BEHAVIOR, track->merge_behavior, st);
    if (track->merge_key.data) {
        put_bytes(detail, TM_TRACK_DESCRIPTION_SIBLING_MERGE_KEY, track->merge_key, st);
    } else if (track->has_merge_key_int) {
        char key[48];
        snprintf(key, sizeof key, "sibling_merge_key_int:%" PRIu64, track->merge_key_int);
        put_text(detail, TM_TRACK_DESCRIPTION_SIBLING_MERGE_KEY, key, st);
    }
}

enum tm_status tm_proto_track_descriptor_put(struct tm_buf *detail, const struct tm_proto_track_descriptor *track)
{
    size_t mark;
    const struct tm_proto_thread *thread = &track->thread;
    enum tm_status st = tm_pb_begin(detail, TM_DETAIL_TRACK, &mark);
    if (st == TM_OK)
        st = tm_pb_put_i64(detail, TM_TRACK_DESCRIPTION_UUID, track->uuid);
    if (st == TM_OK && track->has_parent)
        st = tm_pb_put_i64(detail, TM_TRACK_DESCRIPTION_PARENT_UUID, track->parent);
    if (track->name.data)
        put_bytes(detail, TM_TRACK_DESCRIPTION_NAME, track->name, &st);
    else if (track->has_counter && track->counter.type == COUNTER_THREAD_TIME)
        put_text(detail, TM_TRACK_DESCRIPTION_NAME, "thread_time", &st);
    else if (track->has_counter && track->counter.type == COUNTER_THREAD_INSTRUCTIONS)
        put_text(detail, TM_TRACK_DESCRIPTION_NAME, "thread_instruction_count", &st);
    if (track->has_thread) {
        put_signed(detail, TM_TRACK_DESCRIPTION_PID, true, thread->pid, &st);
        put_signed(detail, TM_TRACK_DESCRIPTION_TID, true,
                   thread->sandboxed ? tm_proto_synthetic_tid(thread->tid, thread->pid) : thread->tid, &st);
    } else if (track->has_process) {
        put_signed(detail, TM_TRACK_DESCRIPTION_PID, true, track->process.pid, &st);
    }
    if (track->has_counter && !track->has_thread && !track->has_process)
        put_counter(detail, &track->counter, &st);
    if (track->has_ordering)
        put_number(detail, TM_TRACK_DESCRIPTION_CHILD_ORDERING, track->ordering, &st);
    put_signed(detail, TM_TRACK_DESCRIPTION_SIBLING_ORDER_RANK, track->has_rank, track->rank, &st);
    put_bytes(detail, TM_TRACK_DESCRIPTION_DESCRIPTION, track->description, &st);
    if (track->has_thread)
        put_number(detail, TM_TRACK_DESCRIPTION_IS_THREAD, 1, &st);
    if (track->has_process)
        put_number(detail, TM_TRACK_DESCRIPTION_IS_PROCESS, 1, &st);
    put_merge(detail, track, &st);
    if (track->has_state)
        put_number(detail, TM_TRACK_DESCRIPTION_IS_STATE, 1, &st);
    return st == TM_OK ? tm_pb_end(detail, mark) : st;
}
