/* Rows of a build: a track for it, one for each worker below, and a slice for each job. */
#include "format/ninja/internal.h"

#include "base/hash.h"
#include "base/pb.h"
#include "base/time_units.h"
#include "stream/clock_id.h"
#include "stream/detail_arg.h"

#include <inttypes.h>
#include <stdio.h>

enum { SEED_BUILD = 1, SEED_WORKER };
enum { ORDER_EXPLICIT = 3 }; /* TrackDescriptor.ChildTracksOrdering */

/* Files have times between these, in nanoseconds since 1970: the years 2001 to 2128. Logs of old versions count
 * seconds, those of Windows smaller units from another year. */
static const int64_t first_mtime_ns = INT64_C(1000000000000000000), last_mtime_ns = INT64_C(5000000000000000000);

/* Jobs of equal start keep the order of the log: later ones have later names. */
static int compare_jobs(const void *a, const void *b)
{
    const struct tm_ninja_job *x = a, *y = b;
    if (x->start_ms != y->start_ms)
        return x->start_ms < y->start_ms ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

/* Returns the uuid in the file of track NUMBER of those that SEED tells. */
static uint64_t track_of(uint64_t number, uint64_t seed)
{
    return tm_hash64_numbers(&number, 1, seed) | 1; /* 0 means no track */
}

/* Adds the definition of track UUID, with the rest of its description in ninja->message. */
static enum tm_status define(struct tm_ninja *n, uint64_t uuid, struct tm_error *err)
{
    struct tm_event row = {.kind = TM_KIND_TRACK, .track = uuid,
                           .flags = TM_EVENT_DEFINITION | TM_EVENT_UNTIMED | TM_EVENT_HAS_TRACK};
    tm_buf_clear(&n->detail);
    if (tm_pb_put_i64(&n->message, TM_TRACK_DESCRIPTION_UUID, uuid) != TM_OK ||
        tm_pb_put_bytes(&n->detail, TM_DETAIL_TRACK, n->message.data, n->message.len) != TM_OK)
        return tm_error_nomem(err);
    row.detail = n->detail.data;
    row.detail_bytes = (uint32_t)n->detail.len;
    return tm_event_sink_add(n->text.context.sink, &row, err);
}

static enum tm_status define_build(struct tm_ninja *n, struct tm_error *err)
{
    tm_buf_clear(&n->message);
    if (tm_pb_put_str(&n->message, TM_TRACK_DESCRIPTION_NAME, "Build") != TM_OK ||
        tm_pb_put_varint(&n->message, TM_TRACK_DESCRIPTION_CHILD_ORDERING, ORDER_EXPLICIT) != TM_OK)
        return tm_error_nomem(err);
    return define(n, track_of(0, SEED_BUILD), err);
}

static enum tm_status define_worker(struct tm_ninja *n, uint32_t worker, struct tm_error *err)
{
    char name[32];
    snprintf(name, sizeof name, "Worker %" PRIu32, worker + 1);
    tm_buf_clear(&n->message);
    if (tm_pb_put_i64(&n->message, TM_TRACK_DESCRIPTION_PARENT_UUID, track_of(0, SEED_BUILD)) != TM_OK ||
        tm_pb_put_str(&n->message, TM_TRACK_DESCRIPTION_NAME, name) != TM_OK ||
        tm_pb_put_varint(&n->message, TM_TRACK_DESCRIPTION_SIBLING_ORDER_RANK, tm_zigzag(worker)) != TM_OK)
        return tm_error_nomem(err);
    return define(n, track_of(worker, SEED_WORKER), err);
}

/* Puts what the log has of JOB beside its times and outputs into the detail. */
static enum tm_status put_args(struct tm_ninja *n, const struct tm_ninja_job *job, struct tm_error *err)
{
    char hash[17];
    const int len = snprintf(hash, sizeof hash, "%" PRIx64, job->command_hash);
    if (!n->text.context.sink->want_detail)
        return TM_OK;
    if ((job->outputs > 1 && tm_detail_arg_uint(&n->detail, "outputs", job->outputs) != TM_OK) ||
        (job->mtime > 0 && tm_detail_arg_int(&n->detail, "mtime", job->mtime) != TM_OK) ||
        tm_detail_arg_text(&n->detail, "command_hash", hash, (size_t)len) != TM_OK)
        return tm_error_nomem(err);
    return TM_OK;
}

static enum tm_status add_job(struct tm_ninja *n, const struct tm_ninja_job *job, uint32_t worker,
                              struct tm_error *err)
{
    struct tm_event row = {.kind = TM_KIND_SLICE_COMPLETE, .track = track_of(worker, SEED_WORKER),
                           .flags = tm_event_scope_flags(TM_SCOPE_TRACK) | TM_EVENT_HAS_TRACK,
                           .time_ns = job->start_ms * TM_NS_PER_MS,
                           .dur_ns = (job->end_ms - job->start_ms) * TM_NS_PER_MS};
    const struct tm_text name = tm_text_at(n->names.data + job->name, job->name_len);
    tm_buf_clear(&n->detail);
    enum tm_status st = tm_event_sink_string(n->text.context.sink, name, &n->detail, &row.name, err);
    if (st == TM_OK)
        st = put_args(n, job, err);
    row.detail = n->detail.data;
    row.detail_bytes = (uint32_t)n->detail.len;
    return st < 0 ? st : tm_event_sink_add(n->text.context.sink, &row, err);
}

/* An output is written before its job ends, so the build began no earlier than the file's time less the end of the
 * job. The latest such time is that of the last build; it is as exact as its shortest job. */
static enum tm_status put_hint(struct tm_ninja *n, struct tm_error *err)
{
    static const char source[] = "mtime";
    Tracemerge__ClockHint hint = TRACEMERGE__CLOCK_HINT__INIT;
    for (uint32_t i = 0; i < n->job_count; i++) {
        const struct tm_ninja_job *job = &n->jobs[i];
        if (job->mtime < first_mtime_ns || job->mtime > last_mtime_ns)
            continue;
        const int64_t began_ns = job->mtime - job->end_ms * TM_NS_PER_MS;
        if (hint.value_ns < began_ns)
            hint.value_ns = began_ns;
    }
    if (hint.value_ns < first_mtime_ns)
        return TM_OK;
    hint.file = n->text.context.sink->file;
    hint.clock = TM_CLOCK_REALTIME;
    hint.source = tm_bytes(source, sizeof source - 1);
    return tm_event_sink_message(n->text.context.sink, TM_FRAME_CLOCK_HINT, &hint.base, err);
}

enum tm_status tm_ninja_rows_add(struct tm_ninja *n, struct tm_error *err)
{
    struct tm_ninja_workers workers = {0};
    enum tm_status st = put_hint(n, err);
    if (n->job_count)
        qsort(n->jobs, n->job_count, sizeof *n->jobs, compare_jobs);
    for (uint32_t i = 0; st == TM_OK && i < n->job_count; i++) {
        const uint32_t known = workers.count;
        uint32_t worker;
        st = tm_ninja_workers_take(&workers, &n->jobs[i], &worker, err);
        if (st == TM_OK && i == 0)
            st = define_build(n, err);
        if (st == TM_OK && worker == known)
            st = define_worker(n, worker, err);
        if (st == TM_OK)
            st = add_job(n, &n->jobs[i], worker, err);
    }
    tm_ninja_workers_release(&workers);
    return st;
}
