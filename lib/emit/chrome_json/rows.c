#include "emit/chrome_json/internal.h"
#include "stream/detail_fields.h"

#include "base/pb.h"

#include <stdio.h>
#include <stdlib.h>

enum { CPU_PID = 0x70000000, CPUS_MAX = 1 << 16 }; /* the process of a machine's cpus */

static enum tm_status put_counter(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err)
{
    struct tm_event_task place;
    struct tm_text name = tm_json_row_string(j, e->name, e);
    tm_task_names_find(&j->task_names, e, &place);
    enum tm_status st = tm_json_row_begin(j, e, "C", err);
    if (st < 0)
        return st;
    tm_json_row_text(j, ",\"name\":", name.data ? name : place.track.data ? place.track : tm_text_str("counter"));
    tm_out_str(&j->out, ",\"args\":{\"value\":");
    if (e->flags & TM_EVENT_VALUE_DOUBLE)
        tm_out_json_double(&j->out, e->value);
    else
        tm_out_i64(&j->out, (int64_t)e->value);
    tm_out_str(&j->out, "}}");
    return tm_out_end_row(&j->out, err);
}

static enum tm_status put_flow(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err)
{
    static const char *const phases[] = {"s", "t", "f"};
    struct tm_text category = tm_json_row_string(j, e->category, e), name = tm_json_row_string(j, e->name, e);
    const char *phase = phases[e->kind - TM_KIND_FLOW_START];
    struct tm_event_task place;
    /* Objects of Chrome JSON were handled before, and so were the flows of their slices. */
    bool is_apart = j->context->catalog->files[e->file].input_type != TM_INPUT_JSON;
    tm_task_names_find(&j->task_names, e, &place);
    enum tm_status st = place.has_tid && is_apart ? tm_json_out_touch(j, e, place, phase, err)
                                                  : tm_json_row_begin(j, e, phase, err);
    if (st < 0)
        return st;
    tm_json_row_text(j, ",\"cat\":", category.data ? category : tm_text_str("flow"));
    tm_json_row_text(j, ",\"name\":", name.data ? name : tm_text_str("flow"));
    tm_out_str(&j->out, ",\"scope\":\"track\",\"id\":");
    enum tm_json_id_kind kind = j->context->options->join_flows ? TM_JSON_ID_OF_FLOW : TM_JSON_ID_OF_TRACK;
    if ((st = tm_json_out_number(j, e->file, kind, e->track, err)) < 0)
        return st;
    if (e->kind == TM_KIND_FLOW_END && e->value == 0)
        tm_out_str(&j->out, ",\"bp\":\"e\"");
    return tm_json_row_end(j, e, err);
}

/* Writes a sample with its stack, outermost first, in the form that Perfetto and chrome://tracing read. */
static enum tm_status put_sample(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err)
{
    enum { FRAMES = 10, FUNCTION = 1, MAPPING = 2 };
    struct tm_text name = tm_json_row_string(j, e->name, e);
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_pb_field f, g;
    bool has_frames = false;
    enum tm_status st = tm_json_row_begin(j, e, "P", err);
    if (st < 0)
        return st;
    tm_json_row_text(j, ",\"name\":", name.data ? name : tm_text_str("sample"));
    tm_out_str(&j->out, ",\"stack\":[");
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != FRAMES || f.type != TM_PB_LEN)
            continue;
        struct tm_pb frame = tm_pb_of(f.data, f.len);
        struct tm_text function = {0};
        while (tm_pb_next(&frame, &g) == TM_OK)
            if (g.id == FUNCTION && g.type == TM_PB_LEN)
                function = (struct tm_text){g.data, g.len};
        if (has_frames)
            tm_out_char(&j->out, ',');
        has_frames = true;
        tm_out_json(&j->out, function.data ? function : tm_text_str("[unknown]"));
    }
    tm_out_str(&j->out, "]}");
    return tm_out_end_row(&j->out, err);
}

/* --- scheduling: each task that ran is a slice of the cpu */

static enum tm_status running_on(struct tm_json_out *j, uint32_t machine, uint32_t cpu,
                                 struct tm_json_running **running, struct tm_error *err)
{
    for (uint32_t i = 0; i < j->running_count; i++) {
        if (j->running[i].cpu == cpu && j->running[i].machine == machine) {
            *running = &j->running[i];
            return TM_OK;
        }
    }
    if (j->running_count == CPUS_MAX)
        return tm_error_set(err, TM_E_INPUT, "scheduling of more than %d cpus", CPUS_MAX);
    struct tm_json_running *grown = realloc(j->running, ((size_t)j->running_count + 1) * sizeof *grown);
    if (grown == NULL)
        return tm_error_nomem(err);
    j->running = grown;
    *running = &grown[j->running_count++];
    **running = (struct tm_json_running){.machine = machine, .cpu = cpu};
    return TM_OK;
}

static enum tm_status put_running(struct tm_json_out *j, const struct tm_json_running *r, int64_t end_ns,
                                  struct tm_error *err)
{
    int64_t pid = 0, cpu = r->cpu;
    char cpu_name[32];
    enum tm_status st = tm_json_out_pid(j, r->machine, CPU_PID, &pid, err);
    if (st == TM_OK)
        st = tm_json_out_name(j, pid, NULL, tm_text_str("Scheduling"), err);
    snprintf(cpu_name, sizeof cpu_name, "cpu %u", r->cpu);
    if (st == TM_OK)
        st = tm_json_out_name(j, pid, &cpu, tm_text_str(cpu_name), err);
    if (st < 0 || !r->is_running || r->tid == 0)
        return st;
    tm_json_out_next(j);
    tm_out_str(&j->out, "{\"ph\":\"X\",\"cat\":\"sched\",\"ts\":");
    tm_json_out_time(j, r->since_ns);
    tm_out_str(&j->out, ",\"dur\":");
    tm_json_out_micros(j, end_ns - r->since_ns);
    tm_out_str(&j->out, ",\"pid\":");
    tm_out_i64(&j->out, pid);
    tm_out_str(&j->out, ",\"tid\":");
    tm_out_i64(&j->out, cpu);
    tm_json_row_text(j, ",\"name\":", (struct tm_text){r->comm.data ? r->comm.data : (const uint8_t *)"", r->comm.len});
    tm_out_str(&j->out, ",\"args\":{\"tid\":");
    tm_out_i64(&j->out, r->tid);
    tm_out_str(&j->out, ",\"prio\":");
    tm_out_i64(&j->out, r->priority);
    tm_out_str(&j->out, "}}");
    return tm_out_end_row(&j->out, err);
}

static enum tm_status put_switch(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err)
{
    struct tm_json_running *r = NULL;
    struct tm_text comm = e->name ? tm_json_row_string(j, e->name, e)
                                  : tm_task_names_thread(&j->task_names, e->machine, e->pid);
    enum tm_status st = running_on(j, e->machine, e->cpu, &r, err);
    if (st == TM_OK)
        st = put_running(j, r, e->time_ns, err);
    if (st < 0)
        return st;
    r->is_running = e->flags & TM_EVENT_HAS_PID;
    r->since_ns = e->time_ns;
    r->tid = e->pid;
    r->priority = tm_event_next_priority(e);
    tm_buf_clear(&r->comm);
    return tm_buf_add(&r->comm, comm.data, comm.len) == TM_OK ? TM_OK : tm_error_nomem(err);
}

enum tm_status tm_json_out_row(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err)
{
    if (!tm_event_is_timed(e->flags) || e->flags & TM_EVENT_DEFINITION)
        return TM_OK;
    switch (e->kind) {
    case TM_KIND_SLICE_BEGIN:
    case TM_KIND_SLICE_END:
    case TM_KIND_SLICE_COMPLETE:
    case TM_KIND_INSTANT:
    case TM_KIND_ASYNC_STEP:
        return tm_json_out_slice(j, e, err);
    case TM_KIND_SLICE_ARGS:
        return tm_json_out_slice_args(j, e, err);
    case TM_KIND_COUNTER:
        return put_counter(j, e, err);
    case TM_KIND_FLOW_START:
    case TM_KIND_FLOW_STEP:
    case TM_KIND_FLOW_END:
        return put_flow(j, e, err);
    case TM_KIND_SAMPLE:
        return put_sample(j, e, err);
    case TM_KIND_SCHED_SWITCH:
        return put_switch(j, e, err);
    case TM_KIND_PROCESS:
    case TM_KIND_THREAD:
    case TM_KIND_TASK_RENAME:
    case TM_KIND_SYNC_MARKER:
        return TM_OK;
    default:
        tm_json_out_unsupported(j, e);
        return TM_OK;
    }
}
