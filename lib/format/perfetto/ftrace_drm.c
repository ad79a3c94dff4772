/* Work of GPUs in the kernel's DRM: jobs of rings, and fences of timelines. Rules and names:
 * importers/ftrace/drm_tracker.cc of perfetto. */
#include "base/hash.h"
#include "stream/detail_arg.h"
#include "format/perfetto/ftrace_event.h"
#include "kernel/effect.h"
#include "perfetto/ftrace_event_fields.h"

#include <string.h>

/* Before Linux 6.17 the events of a job state its number on its ring and the address of its fence. From then on they
 * state the id of its fence. */
struct job {
    bool has_fence_id;
    uint64_t context, seqno; /* the id of its fence */
    uint64_t fence, number;  /* the address of its fence, and its number */
    struct tm_text ring;
};

static struct tm_text text_of(const struct tm_proto_event_fields *fields, uint32_t field)
{
    const uint8_t *text = fields->text[field];
    return (struct tm_text){text ? text : (const uint8_t *)"", text ? fields->len[field] : 0};
}

static struct job read_job(const struct tm_pb_field *f)
{
    struct tm_proto_event_fields fields;
    const uint64_t *n = fields.number;
    tm_proto_event_fields_read(&fields, f);
    switch (f->id) {
    case TM_FTRACE_EVENT_DRM_SCHED_JOB:
    case TM_FTRACE_EVENT_DRM_RUN_JOB: return (struct job){.fence = n[2], .number = n[4], .ring = text_of(&fields, 6)};
    case TM_FTRACE_EVENT_DRM_SCHED_PROCESS_JOB: return (struct job){.fence = n[1]};
    case TM_FTRACE_EVENT_DRM_SCHED_JOB_DONE: return (struct job){.has_fence_id = true, .context = n[1], .seqno = n[2]};
    default: return (struct job){.has_fence_id = true, .context = n[5], .seqno = n[6], .ring = text_of(&fields, 1)};
    }
}

/* Returns a hash that identifies JOB. */
static uint64_t identity(const struct job *job)
{
    const uint64_t numbers[] = {job->has_fence_id, job->has_fence_id ? job->context : job->fence, job->seqno};
    return tm_hash64_numbers(numbers, sizeof numbers / sizeof *numbers, TM_FTRACE_EVENT_DRM_SCHED_PROCESS_JOB);
}

/* Returns the flow from the event that queues JOB to the one that runs it. It is never 0. */
static uint64_t flow_of(const struct job *job)
{
    const uint64_t numbers[] = {job->has_fence_id, job->has_fence_id ? job->context : job->number, job->seqno,
                                tm_hash64(job->ring.data, job->ring.len)};
    uint64_t flow = tm_hash64_numbers(numbers, sizeof numbers / sizeof *numbers, TM_FTRACE_EVENT_DRM_SCHED_JOB);
    return flow ? flow : 1;
}

static enum tm_status put_args(struct tm_buf *detail, const struct job *job)
{
    if (!job->has_fence_id)
        return tm_detail_arg_uint(detail, "gpu sched job", job->number);
    enum tm_status st = tm_detail_arg_uint(detail, "fence context", job->context);
    return st < 0 ? st : tm_detail_arg_uint(detail, "fence seqno", job->seqno);
}

/* Fills the row of a thread that queues JOB. */
static enum tm_status put_queued(struct tm_proto_rows *rows, const struct job *job, struct tm_event *row,
                                 struct tm_error *err)
{
    static const char name[] = "drm_sched_job_queue";
    row->flags |= tm_event_scope_flags(TM_SCOPE_THREAD);
    row->value = TM_KERNEL_JOB_QUEUED;
    tm_kernel_set_amount(row, flow_of(job));
    enum tm_status st = tm_proto_string(rows, name, sizeof name - 1, &row->name, err);
    if (st < 0)
        return st;
    if (tm_detail_arg_text(&rows->detail, "gpu sched ring", job->ring.data, job->ring.len) < 0 ||
        put_args(&rows->detail, job) < 0 || tm_pb_put_i64(&rows->detail, TM_DETAIL_FLOW_IDS, flow_of(job)) < 0)
        return tm_error_nomem(err);
    return TM_OK;
}

static enum tm_status put_running(struct tm_proto_rows *rows, const struct job *job, struct tm_event *row,
                                  struct tm_error *err)
{
    struct tm_proto_named_row named = {.type = TM_NAMED_TRACK_JOBS,
                                       .instance = (uint32_t)tm_hash64(job->ring.data, job->ring.len)};
    rows->key.len = rows->text.len = 0;
    if (tm_buf_addf(&rows->key, "sched-%.*s", (int)job->ring.len, (const char *)job->ring.data) != TM_OK ||
        tm_detail_arg_text(&rows->text, "name", job->ring.data, job->ring.len) < 0)
        return tm_error_nomem(err);
    row->value = TM_KERNEL_JOB;
    tm_kernel_set_amount(row, identity(job));
    enum tm_status st = tm_proto_named_row(rows, &named, row, err);
    if (st >= 0 && (put_args(&rows->detail, job) < 0 ||
                    tm_pb_put_i64(&rows->detail, TM_DETAIL_TERMINATING_FLOW_IDS, flow_of(job)) < 0))
        return tm_error_nomem(err);
    return st;
}

enum tm_status tm_proto_ftrace_job(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                                   struct tm_error *err)
{
    struct job job = read_job(f);
    row->kind = TM_KIND_KERNEL;
    if (f->id == TM_FTRACE_EVENT_DRM_SCHED_JOB || f->id == TM_FTRACE_EVENT_DRM_SCHED_JOB_QUEUE)
        return put_queued(rows, &job, row, err);
    if (f->id == TM_FTRACE_EVENT_DRM_RUN_JOB || f->id == TM_FTRACE_EVENT_DRM_SCHED_JOB_RUN)
        return put_running(rows, &job, row, err);
    row->value = TM_KERNEL_JOB_DONE;
    tm_kernel_set_amount(row, identity(&job));
    return TM_OK;
}

enum tm_status tm_proto_ftrace_fence(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                                     struct tm_error *err)
{
    static const char unbound[] = "unbound"; /* fences that contain others; they have no timeline of their own */
    struct tm_proto_event_fields fields;
    tm_proto_event_fields_read(&fields, f);
    struct tm_text timeline = text_of(&fields, 4);
    uint32_t context = (uint32_t)fields.number[1], seqno = (uint32_t)fields.number[3];
    struct tm_proto_named_row named = {.type = TM_NAMED_TRACK_FENCES, .instance = context};
    if (tm_text_is(timeline, unbound))
        return TM_END;
    rows->key.len = rows->text.len = 0;
    if (tm_buf_addf(&rows->key, "fence-%.*s-%u", (int)timeline.len, (const char *)timeline.data, (unsigned)context) !=
            TM_OK ||
        tm_detail_arg_text(&rows->text, "name", timeline.data, timeline.len) < 0 ||
        tm_detail_arg_int(&rows->text, "context", context) < 0)
        return tm_error_nomem(err);
    row->kind = TM_KIND_KERNEL;
    row->value = f->id == TM_FTRACE_EVENT_DMA_FENCE_INIT   ? TM_KERNEL_FENCE
                 : f->id == TM_FTRACE_EVENT_DMA_FENCE_EMIT ? TM_KERNEL_FENCE_EMITTED
                                                           : TM_KERNEL_FENCE_SIGNALED;
    tm_kernel_set_amount(row, seqno);
    enum tm_status st = tm_proto_named_row(rows, &named, row, err);
    return st < 0 || tm_detail_arg_uint(&rows->detail, "fence seqno", seqno) == TM_OK ? st : tm_error_nomem(err);
}
