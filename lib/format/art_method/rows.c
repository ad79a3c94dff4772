/* Rows of method traces: calls, and the threads that make them with their tracks. */
#include "format/art_method/internal.h"

#include "base/hash.h"
#include "base/pb.h"
#include "stream/clock_id.h"
#include "stream/detail_arg.h"

enum { SEED_OWNER = 1, SEED_METHODS };
enum { MERGE_NONE = 2 };

static const char track_name[] = "ART methods", main_name[] = "main";

/* Returns the uuid in the file of a track of THREAD: SEED tells which. */
static uint64_t track_of(const struct tm_art_thread *thread, uint64_t seed)
{
    const uint64_t number = thread->number;
    return tm_hash64_numbers(&number, 1, seed) | 1; /* 0 means no track */
}

/* Sets *TID to the kernel's number of THREAD. False: it is not known. */
static bool find_tid(const struct tm_art *a, const struct tm_art_thread *thread, int64_t *tid)
{
    const bool is_main = tm_text_is(tm_art_thread_name(&a->facts, thread), main_name);
    *tid = a->has_own_numbers ? a->facts.pid : thread->number;
    return !a->has_own_numbers || is_main;
}

/* Returns a row of KIND of THREAD. */
static struct tm_event row_of(const struct tm_art *a, enum tm_kind kind, const struct tm_art_thread *thread)
{
    struct tm_event row = {.kind = kind, .flags = a->facts.has_pid ? TM_EVENT_HAS_PID : 0};
    row.pid = a->facts.has_pid ? a->facts.pid : 0;
    if (find_tid(a, thread, &row.tid))
        row.flags |= TM_EVENT_HAS_TID;
    else
        row.tid = 0;
    return row;
}

/* Adds the definition ROW, with a->message as FIELD of its detail. */
static enum tm_status define(struct tm_art *a, struct tm_event *row, uint32_t field, struct tm_error *err)
{
    row->flags |= TM_EVENT_DEFINITION;
    tm_buf_clear(&a->detail);
    if (tm_pb_put_bytes(&a->detail, field, a->message.data, a->message.len) != TM_OK)
        return tm_error_nomem(err);
    row->detail = a->detail.data;
    row->detail_bytes = (uint32_t)a->detail.len;
    return tm_event_sink_add(a->context.sink, row, err);
}

static bool put_text(struct tm_art *a, uint32_t field, struct tm_text text)
{
    return text.len == 0 || tm_pb_put_bytes(&a->message, field, text.data, text.len) == TM_OK;
}

/* Puts the numbers of ROW that it has into a->message, as fields PID_FIELD and TID_FIELD. */
static bool put_task(struct tm_art *a, const struct tm_event *row, uint32_t pid_field, uint32_t tid_field)
{
    return (!(row->flags & TM_EVENT_HAS_PID) ||
            tm_pb_put_varint(&a->message, pid_field, tm_zigzag(row->pid)) == TM_OK) &&
           (!(row->flags & TM_EVENT_HAS_TID) ||
            tm_pb_put_varint(&a->message, tid_field, tm_zigzag(row->tid)) == TM_OK);
}

/* Defines THREAD, whose first call is at TIME_NS, if its number is known. */
static enum tm_status define_thread(struct tm_art *a, const struct tm_art_thread *thread, int64_t time_ns,
                                    struct tm_error *err)
{
    struct tm_event row = row_of(a, TM_KIND_THREAD, thread);
    if (!(row.flags & TM_EVENT_HAS_TID))
        return TM_OK;
    row.flags |= TM_EVENT_FIRST_USE;
    row.time_ns = time_ns;
    tm_buf_clear(&a->message);
    if (!put_task(a, &row, TM_THREAD_DESCRIPTION_PID, TM_THREAD_DESCRIPTION_TID) ||
        !put_text(a, TM_THREAD_DESCRIPTION_NAME, tm_art_thread_name(&a->facts, thread)))
        return tm_error_nomem(err);
    return define(a, &row, TM_DETAIL_THREAD, err);
}

/* Defines the track above that of the methods of THREAD: its own, that of its process if its number is not known, or,
 * without a process, one with its name. */
static enum tm_status define_owner(struct tm_art *a, const struct tm_art_thread *thread, struct tm_error *err)
{
    struct tm_event row = row_of(a, TM_KIND_TRACK, thread);
    const uint32_t whose =
        row.flags & TM_EVENT_HAS_TID ? TM_TRACK_DESCRIPTION_IS_THREAD : TM_TRACK_DESCRIPTION_IS_PROCESS;
    row.track = track_of(thread, SEED_OWNER);
    row.flags |= TM_EVENT_UNTIMED | TM_EVENT_HAS_TRACK;
    tm_buf_clear(&a->message);
    if (tm_pb_put_i64(&a->message, TM_TRACK_DESCRIPTION_UUID, row.track) != TM_OK)
        return tm_error_nomem(err);
    if (a->facts.has_pid ? !put_task(a, &row, TM_TRACK_DESCRIPTION_PID, TM_TRACK_DESCRIPTION_TID) ||
                               tm_pb_put_varint(&a->message, whose, 1) != TM_OK
                         : !put_text(a, TM_TRACK_DESCRIPTION_NAME, tm_art_thread_name(&a->facts, thread)))
        return tm_error_nomem(err);
    return define(a, &row, TM_DETAIL_TRACK, err);
}

/* Defines the track of the methods of THREAD. Below a process it has the thread's name. */
static enum tm_status define_methods(struct tm_art *a, const struct tm_art_thread *thread, struct tm_error *err)
{
    struct tm_event row = row_of(a, TM_KIND_TRACK, thread);
    const struct tm_text name = row.flags & TM_EVENT_HAS_TID ? tm_text_str(track_name)
                                                             : tm_art_thread_name(&a->facts, thread);
    row.track = track_of(thread, SEED_METHODS);
    row.flags |= TM_EVENT_UNTIMED | TM_EVENT_HAS_TRACK;
    tm_buf_clear(&a->message);
    if (tm_pb_put_i64(&a->message, TM_TRACK_DESCRIPTION_UUID, row.track) != TM_OK ||
        tm_pb_put_i64(&a->message, TM_TRACK_DESCRIPTION_PARENT_UUID, track_of(thread, SEED_OWNER)) != TM_OK ||
        !put_text(a, TM_TRACK_DESCRIPTION_NAME, name) ||
        tm_pb_put_varint(&a->message, TM_TRACK_DESCRIPTION_SIBLING_MERGE_BEHAVIOR, MERGE_NONE) != TM_OK)
        return tm_error_nomem(err);
    return define(a, &row, TM_DETAIL_TRACK, err);
}

/* Adds the rows that define THREAD, if it has none yet. */
static enum tm_status show_thread(struct tm_art *a, struct tm_art_thread *thread, int64_t time_ns,
                                  struct tm_error *err)
{
    if (thread->is_shown)
        return TM_OK;
    thread->is_shown = true;
    enum tm_status st = define_thread(a, thread, time_ns, err);
    if (st == TM_OK)
        st = define_owner(a, thread, err);
    return st == TM_OK ? define_methods(a, thread, err) : st;
}

/* Sets *STRING to the number of the name of METHOD. A name that has no number is appended to the detail. */
static enum tm_status name_of(struct tm_art *a, struct tm_art_method *method, uint32_t *string, struct tm_error *err)
{
    *string = method->string;
    if (*string)
        return TM_OK;
    enum tm_status st = tm_event_sink_string(a->context.sink, tm_art_method_name(&a->facts, method), &a->detail,
                                             string, err);
    method->string = st == TM_OK && !(*string & TM_STRING_INLINE) ? *string : 0;
    return st;
}

/* Puts the name of METHOD into ROW, and where it is in the source into the detail. */
static enum tm_status put_method(struct tm_art *a, struct tm_art_method *method, struct tm_event *row,
                                 struct tm_error *err)
{
    const struct tm_text path = tm_art_method_path(&a->facts, method);
    enum tm_status st = name_of(a, method, &row->name, err);
    if (st < 0 || !a->context.sink->want_detail)
        return st;
    if ((path.len && tm_detail_arg_text(&a->detail, "pathname", path.data, path.len) != TM_OK) ||
        (method->has_line && tm_detail_arg_int(&a->detail, "line_number", method->line) != TM_OK))
        return tm_error_nomem(err);
    return TM_OK;
}

/* Adds the row of CALL, which has a time, on THREAD. */
static enum tm_status add_call(struct tm_art *a, const struct tm_art_call *call, const struct tm_art_thread *thread,
                               struct tm_error *err)
{
    const bool is_entry = call->action == TM_ART_ENTER;
    struct tm_art_method *method = is_entry ? tm_art_facts_find_method(&a->facts, call->method) : NULL;
    struct tm_event row = row_of(a, is_entry ? TM_KIND_SLICE_BEGIN : TM_KIND_SLICE_END, thread);
    row.flags |= tm_event_scope_flags(TM_SCOPE_TRACK) | TM_EVENT_HAS_TRACK;
    row.time_ns = call->time_ns;
    row.track = track_of(thread, SEED_METHODS);
    a->undefined_count += is_entry && method == NULL;
    tm_buf_clear(&a->detail);
    enum tm_status st = method ? put_method(a, method, &row, err) : TM_OK;
    row.detail = a->detail.data;
    row.detail_bytes = (uint32_t)a->detail.len;
    return st < 0 ? st : tm_event_sink_add(a->context.sink, &row, err);
}

static enum tm_status account(struct tm_art *a, enum tm_drop_reason reason, uint64_t byte, struct tm_error *err)
{
    return tm_event_sink_account(a->context.sink, (struct tm_loss){reason, TM_CLOCK_MONOTONIC, 1, byte}, err);
}

enum tm_status tm_art_call(struct tm_art *a, const struct tm_art_call *call, struct tm_error *err)
{
    if (call->action == TM_ART_NO_ACTION)
        return account(a, TM_DROP_DAMAGED, call->byte, err);
    if (!call->has_time)
        return account(a, a->facts.clock == TM_ART_CLOCK_CPU ? TM_DROP_NO_TIME : TM_DROP_OUT_OF_RANGE, call->byte, err);
    struct tm_art_thread *thread = tm_art_facts_find_thread(&a->facts, call->thread, err);
    if (thread == NULL)
        return err->status < 0 ? err->status : account(a, TM_DROP_NO_THREAD, call->byte, err);
    enum tm_status st = show_thread(a, thread, call->time_ns, err);
    return st == TM_OK ? add_call(a, call, thread, err) : st;
}

enum tm_status tm_art_damage(struct tm_art *a, uint64_t byte, uint64_t skipped, const char *cause, struct tm_error *err)
{
    if (a->context.options->on_damage == TM_DAMAGE_HALT) {
        tm_error_at(err, byte, "%s", cause);
        return tm_error_recoverable(err);
    }
    enum tm_status st = account(a, TM_DROP_DAMAGED, byte, err);
    if (st == TM_OK && skipped > 0)
        st = tm_event_sink_account(a->context.sink, (struct tm_loss){TM_DROP_SKIPPED_BYTES, 0, skipped, byte}, err);
    return st;
}

enum tm_status tm_art_end(struct tm_art *a, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    a->context.sink->left_out += a->facts.left_out;
    if (a->undefined_count)
        st = tm_event_sink_stat(a->context.sink, "art_method_undefined_methods", TRACEMERGE__SEVERITY__DATA_LOSS,
                                (int64_t)a->undefined_count, err);
    if (st == TM_OK && a->facts.has_overflow)
        st = tm_event_sink_stat(a->context.sink, "art_method_buffer_full", TRACEMERGE__SEVERITY__DATA_LOSS, 1, err);
    return st < 0 ? st : TM_END;
}
