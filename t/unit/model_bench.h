/* Shared by the unit tests of lib/model: events in, rows out as text, one line for each row. */
#ifndef TM_T_UNIT_MODEL_BENCH_H
#define TM_T_UNIT_MODEL_BENCH_H

#include "base/pb.h"
#include "model/model.h"
#include "stream/batch_builder.h"

#include "tap.h"

#include <inttypes.h>
#include <stdlib.h>

enum { PROTO, JSON, TEXT, PROTO_2, FILES };
enum { BASE_TID = 7 };

struct bench {
    struct tm_catalog catalog;
    struct tm_catalog_file files[FILES];
    struct tm_catalog_machine machines[2];
    struct tm_rows rows;
    struct tm_model model;
    struct tm_buf out;
    struct tm_batch_builder batch;
    struct tm_error err;
    enum tm_status st;
};

static const char *text(struct tm_text t, char *out)
{
    snprintf(out, 64, "%.*s", (int)t.len, t.data ? (const char *)t.data : "-");
    return t.data ? out : "-";
}

static inline enum tm_status on_slice(void *self, const struct tm_slice_row *r, struct tm_error *err)
{
    char name[64], category[64];
    (void)err;
    return tm_buf_addf(&((struct bench *)self)->out,
                       "slice %" PRId64 " %" PRId64 " %" PRId64 " t%u d%u p%" PRId64 " %s %s\n", r->id, r->ts, r->dur,
                       r->track, r->depth, r->parent, text(r->name, name), text(r->category, category));
}

static inline enum tm_status on_slice_end(void *self, int64_t id, int64_t dur, int64_t set, struct tm_error *err)
{
    (void)err;
    return tm_buf_addf(&((struct bench *)self)->out, "end %" PRId64 " %" PRId64 " a%" PRId64 "\n", id, dur, set);
}

static inline enum tm_status on_thread_reading(void *self, int64_t id, const struct tm_thread_reading *reading,
                                               struct tm_error *err)
{
    (void)self;
    (void)id;
    (void)reading;
    (void)err;
    return TM_OK;
}

static inline enum tm_status on_counter(void *self, const struct tm_counter_row *r, struct tm_error *err)
{
    (void)err;
    return tm_buf_addf(&((struct bench *)self)->out, "counter %" PRId64 " t%u %g\n", r->ts, r->track, r->value);
}

static inline enum tm_status on_sched(void *self, const struct tm_sched_row *r, struct tm_error *err)
{
    (void)err;
    return tm_buf_addf(&((struct bench *)self)->out, "sched %" PRId64 " %" PRId64 " c%" PRId64 " u%u prio %d\n", r->id,
                       r->ts, r->ucpu, r->utid, r->priority);
}

static inline enum tm_status on_sched_end(void *self, int64_t id, int64_t dur, struct tm_text state,
                                          struct tm_error *err)
{
    char s[64];
    (void)err;
    return tm_buf_addf(&((struct bench *)self)->out, "off %" PRId64 " %" PRId64 " %s\n", id, dur, text(state, s));
}

static inline enum tm_status on_args(void *self, int64_t set, struct tm_text args, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(args.data, args.len);
    struct tm_arg_row r;
    char key[64], value[64];
    enum tm_status st = TM_OK;
    (void)err;
    while (st == TM_OK && tm_arg_next(&pb, &r))
        st = tm_buf_addf(&((struct bench *)self)->out, "arg a%" PRId64 " %s %s %" PRId64 " %s\n", set,
                         text(r.key, key), tm_arg_type_name(r.type), r.int_value, text(r.string_value, value));
    return st;
}

static inline enum tm_status on_arg_copy(void *self, int64_t from, int64_t into, int64_t *id, struct tm_error *err)
{
    (void)err;
    ++*id;
    return tm_buf_addf(&((struct bench *)self)->out, "copy a%" PRId64 " a%" PRId64 "\n", from, into);
}

static inline enum tm_status on_flow(void *self, int64_t from, int64_t to, struct tm_error *err)
{
    (void)err;
    return tm_buf_addf(&((struct bench *)self)->out, "flow %" PRId64 " %" PRId64 "\n", from, to);
}

static inline enum tm_status on_sample(void *self, const struct tm_sample_row *r, struct tm_error *err)
{
    (void)err;
    return tm_buf_addf(&((struct bench *)self)->out, "sample %" PRId64 " u%" PRId64 " s%" PRId64 "\n", r->ts, r->utid,
                       r->callsite);
}

static inline enum tm_status on_mapping(void *self, const struct tm_mapping_row *row, struct tm_error *err)
{
    char s[64];
    (void)err;
    return tm_buf_addf(&((struct bench *)self)->out, "mapping %" PRId64 " %s\n", row->id, text(row->name, s));
}

static inline enum tm_status on_frame(void *self, const struct tm_frame_row *r, struct tm_error *err)
{
    char s[64];
    (void)err;
    return tm_buf_addf(&((struct bench *)self)->out, "frame %" PRId64 " %s m%" PRId64 "\n", r->id,
                       text(r->function, s), r->mapping);
}

static inline enum tm_status on_callsite(void *self, const struct tm_callsite_row *r, struct tm_error *err)
{
    (void)err;
    return tm_buf_addf(&((struct bench *)self)->out, "callsite %" PRId64 " d%u p%" PRId64 " f%" PRId64 "\n", r->id,
                       r->depth, r->parent, r->frame);
}

static inline enum tm_status on_log(void *self, const struct tm_log_row *r, struct tm_error *err)
{
    char s[64], t[64];
    (void)err;
    return tm_buf_addf(&((struct bench *)self)->out, "log %" PRId64 " u%" PRId64 " p%" PRId64 " %s %s\n", r->ts,
                       r->utid, r->priority, text(r->tag, s), text(r->message, t));
}

static inline enum tm_status on_thread_state(void *self, const struct tm_thread_state_row *r, struct tm_error *err)
{
    (void)self;
    (void)r;
    (void)err;
    return TM_OK;
}

static inline enum tm_status on_thread_state_end(void *self, int64_t id, int64_t dur, struct tm_error *err)
{
    (void)self;
    (void)id;
    (void)dur;
    (void)err;
    return TM_OK;
}

static inline enum tm_status on_wakeup(void *self, const struct tm_wakeup_row *r, struct tm_error *err)
{
    (void)self;
    (void)r;
    (void)err;
    return TM_OK;
}

static inline enum tm_status on_recording_time(void *self, const struct tm_recording_time *r, struct tm_error *err)
{
    (void)self;
    (void)r;
    (void)err;
    return TM_OK;
}

static inline enum tm_status on_ftrace_event(void *self, const struct tm_ftrace_row *r, struct tm_error *err)
{
    (void)self;
    (void)r;
    (void)err;
    return TM_OK;
}

/* JSON_TYPE: with "json" in the stream the last event of a batch is pending until the next batch. */
static inline void start_as(struct bench *b, const char *json_type)
{
    const char *const types[FILES] = {"proto", json_type, "systrace", "proto"};
    *b = (struct bench){
        .catalog = {.files = b->files, .file_count = FILES, .machines = b->machines, .machine_count = 2}};
    for (int i = 0; i < FILES; i++)
        b->files[i].input_type = tm_input_type_of((struct tm_text){(const uint8_t *)types[i], strlen(types[i])});
    b->rows = (struct tm_rows){.self = b, .slice = on_slice, .slice_end = on_slice_end,
                               .slice_thread_begin = on_thread_reading,
                               .slice_thread_end = on_thread_reading, .counter = on_counter, .sched = on_sched,
                               .sched_end = on_sched_end, .args = on_args, .arg_copy = on_arg_copy, .flow = on_flow,
                               .sample = on_sample, .mapping = on_mapping, .frame = on_frame,
                               .callsite = on_callsite, .log = on_log, .thread_state = on_thread_state,
                               .thread_state_end = on_thread_state_end, .wakeup = on_wakeup,
                               .recording_time = on_recording_time,
                               .ftrace_event = on_ftrace_event};
    tm_model_init(&b->model, &b->rows, &b->catalog);
}

static inline void start(struct bench *b)
{
    start_as(b, "gecko");
}

/* Adds an event whose name and category are in its detail, before DETAIL. */
static inline void add_detail(struct bench *b, struct tm_event e, const char *name, const char *category,
                       const struct tm_buf *detail)
{
    struct tm_buf buf = {0};
    const char *const strings[] = {name, category};
    uint32_t *columns[] = {&e.name, &e.category};
    for (int i = 0; i < 2; i++) {
        if (strings[i] == NULL)
            continue;
        tm_pb_put_str(&buf, 4, strings[i]);
        *columns[i] = TM_STRING_INLINE | (uint32_t)(buf.len - strlen(strings[i]) - 1);
    }
    if (detail)
        tm_buf_add(&buf, detail->data, detail->len);
    e.detail = buf.data;
    e.detail_bytes = (uint32_t)buf.len;
    tm_batch_builder_add(&b->batch, &e);
    tm_buf_release(&buf);
}

static inline void add(struct bench *b, struct tm_event e, const char *name, const char *category)
{
    add_detail(b, e, name, category, NULL);
}

static inline void flush(struct bench *b)
{
    struct tm_batch view;
    tm_batch_builder_view(&b->batch, &view);
    if (b->st >= 0 && view.count)
        b->st = tm_model_batch(&b->model, &view, &b->err);
    tm_batch_builder_clear(&b->batch);
}

/* Returns the rows since the last call. */
static const char *out(struct bench *b)
{
    flush(b);
    return b->st < 0 ? b->err.text : b->out.len ? tm_buf_cstr(&b->out) : "";
}

static inline void wipe(struct bench *b)
{
    tm_buf_clear(&b->out);
}

/* The rows since the last wipe are WANT. */
static inline void rows_are(struct bench *b, const char *name, const char *want)
{
    const char *got = out(b);
    bool same = ok_named(strcmp(got, want) == 0, name);
    for (const char *line = got; !same && *line;) {
        size_t n = strcspn(line, "\n");
        printf("# got %.*s\n", (int)n, line);
        line += n + (line[n] != 0);
    }
    wipe(b);
}

static inline void stop(struct bench *b)
{
    tm_model_release(&b->model);
    tm_batch_builder_release(&b->batch);
    tm_buf_release(&b->out);
}

static inline struct tm_event on_thread(uint32_t kind, int64_t ts, int64_t tid)
{
    return (struct tm_event){.kind = kind,
                             .time_ns = ts,
                             .pid = 5,
                             .tid = tid,
                             .flags = TM_EVENT_HAS_PID | TM_EVENT_HAS_TID | tm_event_scope_flags(TM_SCOPE_THREAD)};
}

static inline struct tm_event in_json(struct tm_event e)
{
    e.file = JSON;
    e.flags |= (uint32_t)TM_RAW_JSON << TM_EVENT_RAW_SHIFT;
    return e;
}

static inline struct tm_event complete(int64_t ts, int64_t dur)
{
    struct tm_event e = on_thread(TM_KIND_SLICE_COMPLETE, ts, BASE_TID);
    e.dur_ns = dur;
    return e;
}

#endif
