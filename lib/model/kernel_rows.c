#include "model/kernel_rows.h"

#include "base/pb.h"
#include "base/secret.h"
#include "kernel/tracks.h"
#include "perfetto/named_tracks.h"
#include "stream/detail_fields.h"

#include <stdlib.h>

enum { KILO_BITS = 10 };

/* The state of a counter, a track or a stream. */
struct tm_kernel_state {
    uint64_t sum;    /* the sum of a counter; or a track; or a string */
    uint32_t number; /* holders of a source; number of a stream; enum suspending */
    bool is_on;
};

/* The progress of a machine's suspend. */
enum suspending { SUSPEND_NOT, SUSPEND_ENTERED, SUSPEND_FROZEN };

/* Returns the kernel's name for the event of an effect that may change nothing. */
static const char *event_name(uint64_t effect)
{
    static const char *const names[TM_KERNEL_EFFECTS] = {[TM_KERNEL_WAKE] = "wakeup_source_activate",
                                                         [TM_KERNEL_WAKE_DONE] = "wakeup_source_deactivate",
                                                         [TM_KERNEL_DEVICE_IDLE] = "rpm_status",
                                                         [TM_KERNEL_WRITE] = "sys_enter",
                                                         [TM_KERNEL_WRITE_DONE] = "sys_exit",
                                                         [TM_KERNEL_SUSPEND] = "suspend_resume",
                                                         [TM_KERNEL_SUSPEND_DONE] = "suspend_resume",
                                                         [TM_KERNEL_FREEZE] = "suspend_resume",
                                                         [TM_KERNEL_THAWED] = "suspend_resume",
                                                         [TM_KERNEL_TCP] = "inet_sock_set_state",
                                                         [TM_KERNEL_I2C] = "i2c_message",
                                                         [TM_KERNEL_I2C_DONE] = "i2c_result",
                                                         [TM_KERNEL_READ_DONE] = "android_fs_dataread_end",
                                                         [TM_KERNEL_STATE_DONE] = "f2fs_write_checkpoint",
                                                         [TM_KERNEL_FENCE] = "dma_fence_init",
                                                         [TM_KERNEL_FENCE_EMITTED] = "dma_fence_emit",
                                                         [TM_KERNEL_FENCE_SIGNALED] = "dma_fence_signaled",
                                                         [TM_KERNEL_JOB] = "drm_sched_job_run",
                                                         [TM_KERNEL_JOB_DONE] = "drm_sched_job_done",
                                                         [TM_KERNEL_MEMORY] = "vulkan_memory_event"};
    return effect < TM_KERNEL_EFFECTS && names[effect] ? names[effect] : "kernel";
}

/* Returns the key of state NUMBER of KIND for ROW's file and machine. */
static struct tm_key key_of(const struct tm_event *row, uint64_t number, uint64_t kind)
{
    return (struct tm_key){(uint64_t)row->file << 32 | row->machine, number, kind};
}

/* Sets *STATE to the state with KEY; NULL beyond the limit. */
static enum tm_status state_of(struct tm_kernel_rows *k, struct tm_key key, struct tm_kernel_state **state,
                               struct tm_error *err)
{
    int64_t i = tm_table_find(&k->by_key, &key);
    enum tm_status st;
    *state = NULL;
    if (i == TM_TABLE_NONE) {
        if (k->count == TM_KERNEL_STATES_MAX) {
            k->left_out++;
            return TM_OK;
        }
        i = k->count;
        if ((st = tm_array_grow(&k->states, &k->cap, k->count, sizeof *k->states, err)) < 0 ||
            (st = tm_table_set(&k->by_key, &key, i, err)) < 0)
            return st;
        k->states[k->count++] = (struct tm_kernel_state){0};
    }
    *state = &k->states[i];
    return TM_OK;
}

/* Returns the key of the state that ROW changes: that of its counter, its thread, its machine or TRACK. */
static struct tm_key key_for(const struct tm_catalog *catalog, const struct tm_event *row, uint64_t track)
{
    struct tm_text name;
    switch ((enum tm_kernel_effect)row->value) {
    case TM_KERNEL_RECEIVED:
    case TM_KERNEL_SENT:
    case TM_KERNEL_FREED:
        name = tm_catalog_string(catalog, row->name, row);
        return key_of(row, tm_keyed_bytes(tm_secret(), name.data, name.len), row->value);
    case TM_KERNEL_WRITE:
    case TM_KERNEL_WRITE_DONE: return key_of(row, (uint64_t)row->tid, TM_KERNEL_WRITE);
    case TM_KERNEL_SUSPEND:
    case TM_KERNEL_SUSPEND_DONE:
    case TM_KERNEL_FREEZE:
    case TM_KERNEL_THAWED: return key_of(row, 0, TM_KERNEL_SUSPEND);
    case TM_KERNEL_I2C:
    case TM_KERNEL_I2C_DONE: return key_of(row, (uint64_t)row->tid, TM_KERNEL_I2C);
    case TM_KERNEL_MEMORY:
        name = tm_catalog_string(catalog, row->name, row);
        return key_of(row, tm_keyed_bytes(tm_secret(), name.data, name.len), row->value | (uint64_t)row->pid << 32);
    default: return key_of(row, track, TM_KERNEL_EFFECTS);
    }
}

static enum tm_status take_unchanged(struct tm_kernel_rows *k, const struct tm_event *row, struct tm_event *out,
                                 struct tm_error *err)
{
    const char *name = event_name(row->value);
    out->kind = TM_KIND_FTRACE;
    out->flags = (row->flags & ~(TM_EVENT_HAS_TRACK | tm_event_scope_flags((enum tm_scope)15))) |
                 tm_event_scope_flags(TM_SCOPE_CPU);
    out->track = 0;
    out->category = 0;
    out->name = TM_STRING_INLINE | 1;
    tm_buf_clear(&k->detail);
    if (tm_pb_put_bytes(&k->detail, TM_DETAIL_TEXT, name, strlen(name)) != TM_OK)
        return tm_error_nomem(err);
    out->detail = k->detail.data;
    out->detail_bytes = (uint32_t)k->detail.len;
    return TM_OK;
}

static void take_sum(const struct tm_event *row, struct tm_kernel_state *state, struct tm_event *out)
{
    state->sum += tm_kernel_amount(row);
    out->kind = TM_KIND_COUNTER;
    out->flags |= TM_EVENT_HAS_VALUE;
    const bool is_of_bytes = row->value == TM_KERNEL_RECEIVED || row->value == TM_KERNEL_SENT;
    out->value = is_of_bytes ? state->sum >> KILO_BITS : state->sum;
}

/* True if the slice of a wakeup source begins or ends. */
static bool take_wake(const struct tm_event *row, struct tm_kernel_state *state, struct tm_event *out)
{
    bool is_begin = row->value == TM_KERNEL_WAKE;
    uint32_t before = state->number;
    state->number = is_begin ? before + (before < UINT32_MAX) : before - (before > 0);
    out->kind = is_begin ? TM_KIND_SLICE_BEGIN : TM_KIND_SLICE_END;
    return before == !is_begin;
}

/* Takes a new state of a track, which ends the previous one. False if ROW changes nothing. */
static bool take_state(struct tm_kernel_rows *k, const struct tm_event *row, struct tm_kernel_state *state,
                       struct tm_settled_rows *out)
{
    bool was_on = state->is_on;
    state->is_on = row->value != TM_KERNEL_DEVICE_IDLE && row->value != TM_KERNEL_STATE_DONE;
    if (!was_on) {
        out->rows[0].kind = state->is_on ? TM_KIND_SLICE_BEGIN : TM_KIND_SLICE_END;
        return state->is_on || tm_event_raw(row->flags) == TM_RAW_NONE; /* it is not an event of the kernel */
    }
    out->rows[1] = out->rows[0];
    out->rows[0].kind = TM_KIND_SLICE_END;
    out->rows[0].name = out->rows[0].category = 0;
    out->rows[0].detail_bytes = (uint32_t)tm_named_track_bytes(row->detail, row->detail_bytes);
    if (!state->is_on)
        return true;
    out->rows[1].kind = TM_KIND_SLICE_BEGIN;
    out->rows[1].flags = (out->rows[1].flags & ~TM_EVENT_RAW_MASK) | TM_EVENT_DERIVED;
    out->rows[1].raw_bytes = 0;
    out->rows[1].detail = k->detail.data;
    out->count = 2;
    return true;
}

/* Takes the begin or the end of a write. False for an end that is ignored: the write ended before, by a marker or
 * before the trace began. */
static bool take_write(struct tm_kernel_rows *k, const struct tm_event *row, struct tm_kernel_state *state,
                       struct tm_event *out)
{
    bool is_begin = row->value == TM_KERNEL_WRITE, was_on = state->is_on;
    state->is_on = is_begin;
    state->sum = row->name;
    k->writing += is_begin && !was_on;
    k->writing -= !is_begin && was_on;
    out->kind = is_begin ? TM_KIND_SLICE_BEGIN : TM_KIND_SLICE_END;
    return is_begin || was_on;
}

/* Takes messages of a thread on a bus, which are one slice. The end states how many there were. An end with another
 * number is ignored. */
static bool take_bus(const struct tm_event *row, struct tm_kernel_state *state, struct tm_event *out)
{
    uint64_t now = tm_kernel_amount(row);
    bool was_on = state->is_on, is_end = row->value == TM_KERNEL_I2C_DONE;
    out->kind = is_end ? TM_KIND_SLICE_END : TM_KIND_SLICE_BEGIN;
    if (is_end) {
        state->is_on = was_on && state->sum != now;
        return was_on && !state->is_on;
    }
    if (!was_on)
        state->sum = now;
    else if ((uint32_t)now > (uint32_t)state->sum)
        state->sum = tm_kernel_pair((uint32_t)(state->sum >> 32), (uint32_t)now);
    state->is_on = true;
    return !was_on;
}

/* Remembers VALUE by KEY until the end comes, within the limit. */
static enum tm_status remember(struct tm_kernel_rows *k, const struct tm_key *key, int64_t value, struct tm_error *err)
{
    if (value < 0)
        return TM_OK;
    if (k->pending.count == TM_KERNEL_STATES_MAX) {
        k->left_out++;
        return TM_OK;
    }
    return tm_table_set(&k->pending, key, value, err);
}

/* Takes the begin or the end of a read at a place in a file. It ends on the track of the thread that began it. TM_END:
 * no thread did. */
static enum tm_status take_read(struct tm_kernel_rows *k, const struct tm_event *row, struct tm_event *out,
                                struct tm_error *err)
{
    struct tm_key key = key_of(row, tm_kernel_amount(row), TM_KERNEL_READ);
    int64_t tid = tm_table_find(&k->pending, &key);
    out->kind = row->value == TM_KERNEL_READ ? TM_KIND_SLICE_BEGIN : TM_KIND_SLICE_END;
    if (row->value == TM_KERNEL_READ)
        return tid == TM_TABLE_NONE ? remember(k, &key, row->tid, err) : TM_OK;
    tm_table_remove(&k->pending, &key);
    out->track = tm_named_track_number(TM_NAMED_TRACK_FILE_READS, 0, (uint32_t)tid);
    return tid == TM_TABLE_NONE ? TM_END : TM_OK;
}

/* Takes a request or its answer, which ends its slice. A counter states how long it took, unless the request waits for
 * a fence. The counter's name is in the category. */
static enum tm_status take_request(struct tm_kernel_rows *k, const struct tm_event *row, struct tm_settled_rows *out,
                                   struct tm_error *err)
{
    struct tm_key key = key_of(row, row->track, TM_KERNEL_REQUEST);
    struct tm_event *first = &out->rows[0], *latency = &out->rows[1];
    if (row->value == TM_KERNEL_REQUEST) {
        first->kind = TM_KIND_SLICE_BEGIN;
        return tm_kernel_amount(row) == 0 ? remember(k, &key, row->time_ns, err) : TM_OK;
    }
    int64_t since = tm_table_find(&k->pending, &key);
    first->kind = TM_KIND_SLICE_END;
    *latency = *first;
    first->category = 0;
    if (since == TM_TABLE_NONE)
        return TM_OK;
    tm_table_remove(&k->pending, &key);
    latency->kind = TM_KIND_COUNTER;
    latency->flags = TM_EVENT_DERIVED | TM_EVENT_HAS_VALUE;
    latency->value = (uint64_t)(row->time_ns - since);
    latency->name = row->category;
    latency->category = 0;
    latency->track = 0;
    latency->raw_bytes = 0;
    out->count = 2;
    return TM_OK;
}

/* Takes the steps of suspend. If suspend fails while tasks freeze, no event states its end. It ends when they are
 * thawed. */
static void take_suspend(const struct tm_event *row, struct tm_kernel_state *machine, struct tm_settled_rows *out)
{
    bool begins = row->value == TM_KERNEL_SUSPEND || row->value == TM_KERNEL_FREEZE;
    out->rows[0].kind = begins ? TM_KIND_SLICE_BEGIN : TM_KIND_SLICE_END;
    if (row->value == TM_KERNEL_SUSPEND) {
        machine->number = SUSPEND_ENTERED;
        machine->sum = row->track;
    } else if (row->value == TM_KERNEL_SUSPEND_DONE) {
        machine->number = SUSPEND_NOT;
    } else if (row->value == TM_KERNEL_FREEZE && machine->number == SUSPEND_ENTERED) {
        machine->number = SUSPEND_FROZEN;
    } else if (row->value == TM_KERNEL_THAWED && machine->number == SUSPEND_FROZEN) {
        machine->number = SUSPEND_NOT;
        out->rows[1] = out->rows[0];
        out->rows[1].track = machine->sum;
        out->rows[1].flags = (out->rows[1].flags & ~TM_EVENT_RAW_MASK) | TM_EVENT_DERIVED;
        out->rows[1].raw_bytes = 0;
        out->count = 2;
    }
}

/* Gives ROW's stream its number. *TRACK becomes its track. */
static enum tm_status number_stream(struct tm_kernel_rows *k, const struct tm_event *row, uint64_t *track,
                                    struct tm_error *err)
{
    enum { OF_ADDRESSES = 1 << 8, OF_MACHINE };
    struct tm_kernel_state *stream, *machine;
    enum tm_status st = state_of(k, key_of(row, 0, OF_MACHINE), &machine, err);
    uint32_t known = st == TM_OK && machine ? machine->number : 0;
    if (st < 0 || (st = state_of(k, key_of(row, tm_kernel_amount(row), OF_ADDRESSES), &stream, err)) < 0)
        return st;
    if (stream && stream->number == 0) {
        stream->number = known + 1;
        if ((st = state_of(k, key_of(row, 0, OF_MACHINE), &machine, err)) < 0) /* the array may have moved */
            return st;
        if (machine)
            machine->number = stream->number;
    }
    *track = tm_kernel_track_number(TM_KERNEL_TRACK_TCP_STREAM, stream ? stream->number : 0);
    return TM_OK;
}

/* Converts a row that changes a state of struct tm_kernel_state. */
static enum tm_status take_change(struct tm_kernel_rows *k, const struct tm_catalog *catalog,
                                  const struct tm_event *row, struct tm_settled_rows *out, struct tm_error *err)
{
    bool has_meaning = true;
    struct tm_kernel_state *state;
    struct tm_event *first = &out->rows[0];
    enum tm_status st = row->value == TM_KERNEL_TCP ? number_stream(k, row, &first->track, err) : TM_OK;
    if (st < 0 || (st = state_of(k, key_for(catalog, row, first->track), &state, err)) < 0)
        return st;
    if (state == NULL)
        return take_unchanged(k, row, first, err);
    switch ((enum tm_kernel_effect)row->value) {
    case TM_KERNEL_RECEIVED:
    case TM_KERNEL_SENT:
    case TM_KERNEL_FREED:
    case TM_KERNEL_MEMORY: take_sum(row, state, first); break;
    case TM_KERNEL_WAKE:
    case TM_KERNEL_WAKE_DONE: has_meaning = take_wake(row, state, first); break;
    case TM_KERNEL_GPU_POWER:
    case TM_KERNEL_DEVICE:
    case TM_KERNEL_DEVICE_IDLE:
    case TM_KERNEL_STATE:
    case TM_KERNEL_STATE_DONE:
    case TM_KERNEL_TCP: has_meaning = take_state(k, row, state, out); break;
    case TM_KERNEL_I2C:
    case TM_KERNEL_I2C_DONE: has_meaning = take_bus(row, state, first); break;
    case TM_KERNEL_WRITE:
    case TM_KERNEL_WRITE_DONE: has_meaning = take_write(k, row, state, first); break;
    case TM_KERNEL_SUSPEND:
    case TM_KERNEL_SUSPEND_DONE:
    case TM_KERNEL_FREEZE:
    case TM_KERNEL_THAWED: take_suspend(row, state, out); break;
    default:
        has_meaning = false;
    }
    return has_meaning ? TM_OK : take_unchanged(k, row, first, err);
}

enum tm_status tm_kernel_rows_take(struct tm_kernel_rows *k, const struct tm_catalog *catalog,
                                   const struct tm_event *row, struct tm_settled_rows *out, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    struct tm_event *first = &out->rows[0];
    out->count = 1;
    *first = *row;
    first->value = 0;
    tm_kernel_set_amount(first, 0);
    if (tm_file_requests_has(row->value))
        return tm_file_requests_take(&k->requests, row, out, err);
    if (tm_graphics_buffers_has(row->value))
        return tm_graphics_buffers_take(&k->buffers, catalog, row, out, err);
    tm_buf_clear(&k->detail);
    if (tm_buf_add(&k->detail, row->detail, row->detail_bytes) != TM_OK)
        return tm_error_nomem(err);
    if (tm_work_queues_has(row->value))
        st = tm_work_queues_take(&k->queues, row, out, err);
    else if (row->value == TM_KERNEL_READ || row->value == TM_KERNEL_READ_DONE)
        st = take_read(k, row, first, err);
    else if (row->value == TM_KERNEL_REQUEST || row->value == TM_KERNEL_ANSWER)
        st = take_request(k, row, out, err);
    else
        return take_change(k, catalog, row, out, err);
    return st == TM_END ? take_unchanged(k, row, first, err) : st;
}

bool tm_kernel_rows_cuts(struct tm_kernel_rows *k, const struct tm_event *row, struct tm_event *end)
{
    /* The text sys_write in a Detail. */
    static const uint8_t detail[] = {TM_DETAIL_TEXT << 3 | TM_PB_LEN, 9, 's', 'y', 's', '_', 'w', 'r', 'i', 't', 'e'};
    struct tm_key key = key_of(row, (uint64_t)row->tid, TM_KERNEL_WRITE);
    if (k->writing == 0 || !(row->flags & TM_EVENT_MARKER) || row->flags & (TM_EVENT_DERIVED | TM_EVENT_UNTIMED))
        return false;
    int64_t i = tm_table_find(&k->by_key, &key);
    if (i == TM_TABLE_NONE || !k->states[i].is_on)
        return false;
    k->states[i].is_on = false;
    k->writing--;
    *end = *row;
    end->kind = TM_KIND_SLICE_END;
    end->flags = (row->flags & (TM_EVENT_HAS_TID | TM_EVENT_HAS_CPU)) | TM_EVENT_DERIVED |
                 tm_event_scope_flags(TM_SCOPE_THREAD);
    end->name = (uint32_t)k->states[i].sum; /* the name of the begin; an inline one is in this row's detail */
    if (end->name & TM_STRING_INLINE)
        end->name = TM_STRING_INLINE | 1;
    end->category = 0;
    end->track = end->value = 0;
    end->raw_bytes = 0;
    end->detail = detail;
    end->detail_bytes = sizeof detail;
    return true;
}

void tm_kernel_rows_release(struct tm_kernel_rows *k)
{
    free(k->states);
    tm_table_release(&k->by_key);
    tm_table_release(&k->pending);
    tm_work_queues_release(&k->queues);
    tm_file_requests_release(&k->requests);
    tm_graphics_buffers_release(&k->buffers);
    tm_buf_release(&k->detail);
    *k = (struct tm_kernel_rows){0};
}
