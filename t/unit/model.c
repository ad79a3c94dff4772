/* Unit tests of lib/model: events in, rows out as text, one line a row. */
#include "base/pb.h"
#include "model/model.h"

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

static enum tm_status on_slice(void *self, const struct tm_slice_row *r, struct tm_error *err)
{
    char name[64], category[64];
    (void)err;
    return tm_buf_addf(&((struct bench *)self)->out, "slice %" PRId64 " %" PRId64 " %" PRId64 " t%u d%u p%" PRId64 " %s %s\n",
                       r->id, r->ts, r->dur, r->track, r->depth, r->parent, text(r->name, name),
                       text(r->category, category));
}

static enum tm_status on_slice_end(void *self, int64_t id, int64_t dur, int64_t set, struct tm_error *err)
{
    (void)err;
    return tm_buf_addf(&((struct bench *)self)->out, "end %" PRId64 " %" PRId64 " a%" PRId64 "\n", id, dur, set);
}

static enum tm_status on_counter(void *self, const struct tm_counter_row *r, struct tm_error *err)
{
    (void)err;
    return tm_buf_addf(&((struct bench *)self)->out, "counter %" PRId64 " t%u %g\n", r->ts, r->track, r->value);
}

static enum tm_status on_sched(void *self, const struct tm_sched_row *r, struct tm_error *err)
{
    (void)err;
    return tm_buf_addf(&((struct bench *)self)->out, "sched %" PRId64 " %" PRId64 " c%" PRId64 " u%u prio %d\n", r->id,
                       r->ts, r->ucpu, r->utid, r->priority);
}

static enum tm_status on_sched_end(void *self, int64_t id, int64_t dur, struct tm_text state, struct tm_error *err)
{
    char s[64];
    (void)err;
    return tm_buf_addf(&((struct bench *)self)->out, "off %" PRId64 " %" PRId64 " %s\n", id, dur, text(state, s));
}

static enum tm_status on_arg(void *self, const struct tm_arg_row *r, struct tm_error *err)
{
    char key[64], value[64];
    (void)err;
    return tm_buf_addf(&((struct bench *)self)->out, "arg %" PRId64 " a%" PRId64 " %s %s %" PRId64 " %s\n", r->id,
                       r->arg_set, text(r->key, key), r->type, r->int_value, text(r->string_value, value));
}

static enum tm_status on_arg_copy(void *self, int64_t from, int64_t into, int64_t *id, struct tm_error *err)
{
    (void)err;
    ++*id;
    return tm_buf_addf(&((struct bench *)self)->out, "copy a%" PRId64 " a%" PRId64 "\n", from, into);
}

static enum tm_status on_flow(void *self, int64_t from, int64_t to, struct tm_error *err)
{
    (void)err;
    return tm_buf_addf(&((struct bench *)self)->out, "flow %" PRId64 " %" PRId64 "\n", from, to);
}

static enum tm_status on_sample(void *self, const struct tm_sample_row *r, struct tm_error *err)
{
    (void)err;
    return tm_buf_addf(&((struct bench *)self)->out, "sample %" PRId64 " u%u s%" PRId64 "\n", r->ts, r->utid,
                       r->callsite);
}

static enum tm_status on_mapping(void *self, int64_t id, struct tm_text name, struct tm_error *err)
{
    char s[64];
    (void)err;
    return tm_buf_addf(&((struct bench *)self)->out, "mapping %" PRId64 " %s\n", id, text(name, s));
}

static enum tm_status on_frame(void *self, const struct tm_frame_row *r, struct tm_error *err)
{
    char s[64];
    (void)err;
    return tm_buf_addf(&((struct bench *)self)->out, "frame %" PRId64 " %s m%" PRId64 "\n", r->id,
                       text(r->function, s), r->mapping);
}

static enum tm_status on_callsite(void *self, const struct tm_callsite_row *r, struct tm_error *err)
{
    (void)err;
    return tm_buf_addf(&((struct bench *)self)->out, "callsite %" PRId64 " d%u p%" PRId64 " f%" PRId64 "\n", r->id,
                       r->depth, r->parent, r->frame);
}

/* JSON_TYPE: with "json" in the stream the last event of a batch waits for the next. */
static void start_as(struct bench *b, const char *json_type)
{
    const char *const types[FILES] = {"proto", json_type, "systrace", "proto"};
    *b = (struct bench){.catalog = {.files = b->files, .file_count = FILES, .machines = b->machines, .machine_count = 2}};
    for (int i = 0; i < FILES; i++)
        b->files[i].type = (struct tm_text){(const uint8_t *)types[i], strlen(types[i])};
    b->rows = (struct tm_rows){b,       on_slice, on_slice_end, on_counter, on_sched,   on_sched_end, on_arg,
                               on_arg_copy, on_flow,  on_sample,    on_mapping, on_frame, on_callsite};
    tm_model_init(&b->model, &b->rows, &b->catalog);
}

static void start(struct bench *b)
{
    start_as(b, "gecko");
}

/* An event whose name and category travel with it, in front of what DETAIL holds. */
static void add_detail(struct bench *b, struct tm_event e, const char *name, const char *category,
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

static void add(struct bench *b, struct tm_event e, const char *name, const char *category)
{
    add_detail(b, e, name, category, NULL);
}

static void flush(struct bench *b)
{
    struct tm_batch view;
    tm_batch_builder_view(&b->batch, &view);
    if (b->st >= 0 && view.count)
        b->st = tm_model_batch(&b->model, &view, &b->err);
    tm_batch_builder_clear(&b->batch);
}

/* What came out since the last call. */
static const char *out(struct bench *b)
{
    flush(b);
    return b->st < 0 ? b->err.text : b->out.len ? tm_buf_cstr(&b->out) : "";
}

static void wipe(struct bench *b)
{
    tm_buf_clear(&b->out);
}

/* The rows since the last wipe are WANT. */
static void rows_are(struct bench *b, const char *name, const char *want)
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

static void stop(struct bench *b)
{
    tm_model_release(&b->model);
    tm_batch_builder_release(&b->batch);
    tm_buf_release(&b->out);
}

static struct tm_event on_thread(uint32_t kind, int64_t ts, int64_t tid)
{
    return (struct tm_event){.kind = kind,
                             .time_ns = ts,
                             .pid = 5,
                             .tid = tid,
                             .flags = TM_EVENT_HAS_PID | TM_EVENT_HAS_TID | tm_event_scope_flags(TM_SCOPE_THREAD)};
}

static struct tm_event in_json(struct tm_event e)
{
    e.file = JSON;
    e.flags |= (uint32_t)TM_RAW_JSON << TM_EVENT_RAW_SHIFT;
    return e;
}

static struct tm_event complete(int64_t ts, int64_t dur)
{
    struct tm_event e = on_thread(TM_KIND_SLICE_COMPLETE, ts, BASE_TID);
    e.dur_ns = dur;
    return e;
}

static void test_nesting(void)
{
    struct bench b;
    start(&b);
    add(&b, on_thread(TM_KIND_SLICE_BEGIN, 10, 7), "outer", "c");
    add(&b, on_thread(TM_KIND_SLICE_BEGIN, 20, 7), "inner", NULL);
    add(&b, on_thread(TM_KIND_INSTANT, 25, 7), "now", NULL);
    add(&b, on_thread(TM_KIND_SLICE_END, 30, 7), NULL, NULL);
    add(&b, on_thread(TM_KIND_SLICE_END, 40, 7), "other", NULL);
    add(&b, on_thread(TM_KIND_SLICE_END, 40, 7), "outer", "c");
    add(&b, on_thread(TM_KIND_SLICE_END, 50, 8), NULL, NULL);
    rows_are(&b, "nesting",
             "slice 0 10 -1 t0 d0 p-1 outer c\n"
             "slice 1 20 -1 t0 d1 p0 inner -\n"
             "slice 2 25 0 t0 d2 p1 now -\n"
             "end 1 10 a-1\n"
             "end 0 30 a-1\n");
    is_int(b.model.stats[0].counts[TM_MODEL_UNMATCHED_END], 2);
    is_int(b.model.first_ns, 10);
    is_int(b.model.last_ns, 40);
    stop(&b);
}

static void test_cut_short(void)
{
    struct bench b;
    start(&b);
    add(&b, complete(10, 20), "whole", NULL);
    add(&b, on_thread(TM_KIND_SLICE_BEGIN, 15, 7), "open", NULL);
    add(&b, on_thread(TM_KIND_SLICE_BEGIN, 31, 7), "next", NULL);
    rows_are(&b, "an open slice ends with the closed one around it",
             "slice 0 10 20 t0 d0 p-1 whole -\n"
             "slice 1 15 -1 t0 d1 p0 open -\n"
             "end 1 15 a-1\n"
             "slice 2 31 -1 t0 d0 p-1 next -\n");
    stop(&b);
}

static void test_json_moment(void)
{
    struct bench b;
    start_as(&b, "json");
    add(&b, in_json(complete(10, 5)), "short", NULL);
    add(&b, in_json(complete(10, 50)), "long", NULL);
    flush(&b); /* the moment goes on in the next batch */
    add(&b, in_json(complete(10, 20)), "middle", NULL);
    add(&b, in_json(on_thread(TM_KIND_INSTANT, 60, 7)), NULL, NULL);
    add(&b, in_json(on_thread(TM_KIND_INSTANT, 61, 7)), "last", NULL);
    rows_are(&b, "json moment",
             "slice 0 10 50 t0 d0 p-1 long -\n"
             "slice 1 10 20 t0 d1 p0 middle -\n"
             "slice 2 10 5 t0 d2 p1 short -\n"
             "slice 3 60 0 t0 d0 p-1 [No name] -\n");
    ok(tm_model_finish(&b.model, &b.err) == TM_OK);
    rows_are(&b, "json moment, part 2",
             "slice 4 61 0 t0 d0 p-1 last -\n");
    stop(&b);
}

static void test_json_end_first(void)
{
    struct bench b;
    start_as(&b, "json");
    add(&b, in_json(on_thread(TM_KIND_SLICE_BEGIN, 10, 7)), "a", NULL);
    add(&b, in_json(on_thread(TM_KIND_SLICE_BEGIN, 20, 7)), "b", NULL);
    add(&b, in_json(on_thread(TM_KIND_SLICE_END, 20, 7)), NULL, NULL);
    add(&b, in_json(on_thread(TM_KIND_SLICE_END, 30, 7)), NULL, NULL);
    add(&b, in_json(on_thread(TM_KIND_INSTANT, 40, 7)), "x", NULL);
    rows_are(&b, "json end first",
             "slice 0 10 -1 t0 d0 p-1 a -\n"
             "end 0 10 a-1\n"
             "slice 1 20 -1 t0 d0 p-1 b -\n"
             "end 1 10 a-1\n");
    stop(&b);
}

static void test_crossing(void)
{
    struct bench b;
    start_as(&b, "json");
    add(&b, in_json(complete(10, 20)), "a", NULL);
    add(&b, in_json(complete(20, 20)), "b", NULL);
    add(&b, in_json(complete(22, 5)), "c", NULL);
    add(&b, in_json(complete(25, 50)), "d", NULL);
    add(&b, in_json(complete(100, 1)), "e", NULL);
    add(&b, in_json(complete(200, 1)), "f", NULL);
    rows_are(&b, "crossing",
             "slice 0 10 20 t0 d0 p-1 a -\n"
             "slice 1 20 20 t1 d0 p-1 b -\n"
             "slice 2 22 5 t0 d1 p0 c -\n"
             "slice 3 25 50 t2 d0 p-1 d -\n"
             "slice 4 100 1 t0 d0 p-1 e -\n");
    ok(b.model.tracks.rows[1].scope == TM_TRACK_THREAD && b.model.tracks.rows[1].owner == b.model.tracks.rows[0].owner);
    stop(&b);
}

static void test_order_is_checked(void)
{
    struct bench b;
    start(&b);
    add(&b, on_thread(TM_KIND_INSTANT, 20, 7), "a", NULL);
    add(&b, on_thread(TM_KIND_INSTANT, 19, 7), "a", NULL);
    rows_are(&b, "order is checked",
             "an event at 19 ns after one at 20 ns");
    stop(&b);
    start(&b);
    struct tm_event e = on_thread(TM_KIND_INSTANT, 20, 7);
    e.machine = 2;
    add(&b, e, "a", NULL);
    rows_are(&b, "order is checked, part 2",
             "an event of machine 2, which is not known");
    stop(&b);
}

static struct tm_event marker(uint32_t kind, int64_t ts, uint64_t cookie)
{
    return (struct tm_event){.file = TEXT,
                             .kind = kind,
                             .time_ns = ts,
                             .pid = 5,
                             .tid = 7,
                             .track = cookie,
                             .flags = TM_EVENT_HAS_PID | TM_EVENT_HAS_TID | TM_EVENT_HAS_TRACK | TM_EVENT_ASYNC |
                                      tm_event_scope_flags(TM_SCOPE_PROCESS) |
                                      (uint32_t)TM_RAW_LINE << TM_EVENT_RAW_SHIFT};
}

static void test_markers(void)
{
    struct bench b;
    start(&b);
    add(&b, marker(TM_KIND_SLICE_BEGIN, 10, 1), "job", NULL);
    add(&b, marker(TM_KIND_SLICE_BEGIN, 11, 1), "job", NULL);
    add(&b, marker(TM_KIND_SLICE_BEGIN, 12, 2), "job", NULL);
    add(&b, marker(TM_KIND_SLICE_END, 20, 1), "job", NULL);
    add(&b, marker(TM_KIND_SLICE_END, 21, 1), "job", NULL);
    add(&b, marker(TM_KIND_SLICE_BEGIN, 30, 3), "job", NULL);
    rows_are(&b, "markers",
             "slice 0 10 -1 t0 d0 p-1 job -\n"
             "slice 1 12 -1 t1 d0 p-1 job -\n"
             "end 0 10 a-1\n"
             "slice 2 30 -1 t0 d0 p-1 job -\n");
    add(&b, marker(TM_KIND_SLICE_BEGIN, 40, 1), "one", "lane");
    add(&b, marker(TM_KIND_SLICE_BEGIN, 41, 1), "two", "lane");
    add(&b, marker(TM_KIND_SLICE_END, 42, 1), NULL, "lane");
    struct tm_event instant = marker(TM_KIND_INSTANT, 43, 0);
    instant.flags &= ~(uint32_t)TM_EVENT_HAS_TRACK;
    add(&b, instant, "now", "lane");
    rows_are(&b, "markers, part 2",
             "slice 3 40 -1 t2 d0 p-1 one -\n"
             "slice 4 41 -1 t2 d1 p3 two -\n"
             "end 4 1 a-1\n"
             "slice 5 43 0 t3 d0 p-1 now -\n");
    is_int(b.model.tracks.rows[2].scope, TM_TRACK_PROCESS);
    ok(tm_tracks_text(&b.model.tracks, b.model.tracks.rows[3].name).len == 4);
    stop(&b);
}

static struct tm_event async(uint32_t kind, int64_t ts, uint64_t id)
{
    struct tm_event e = in_json(on_thread(kind, ts, 7));
    e.flags &= ~(UINT32_C(15) << TM_EVENT_SCOPE_SHIFT);
    e.flags |= TM_EVENT_ASYNC | TM_EVENT_HAS_TRACK;
    e.track = id;
    return e;
}

static void test_async(void)
{
    struct bench b;
    start_as(&b, "json");
    add(&b, async(TM_KIND_SLICE_BEGIN, 10, 1), "load", "net");
    add(&b, async(TM_KIND_SLICE_BEGIN, 11, 2), "load", "net");
    add(&b, async(TM_KIND_INSTANT, 12, 1), "step", "net");
    add(&b, async(TM_KIND_SLICE_BEGIN, 13, 1), "part", "net");
    add(&b, async(TM_KIND_SLICE_END, 14, 1), "part", "net");
    add(&b, async(TM_KIND_SLICE_END, 15, 1), "load", "net");
    add(&b, async(TM_KIND_SLICE_BEGIN, 20, 3), "load", "net");
    add(&b, async(TM_KIND_INSTANT, 21, 9), "z", "net");
    rows_are(&b, "async",
             "slice 0 10 -1 t0 d0 p-1 load net\n"
             "slice 1 11 -1 t1 d0 p-1 load net\n"
             "slice 2 12 0 t0 d1 p0 step net\n"
             "slice 3 13 -1 t0 d1 p0 part net\n"
             "end 3 1 a-1\n"
             "end 0 5 a-1\n"
             "slice 4 20 -1 t0 d0 p-1 load net\n");
    is_int(b.model.tracks.rows[0].scope, TM_TRACK_GLOBAL);
    stop(&b);
}

static struct tm_event switched(int64_t ts, int64_t prev, int64_t next, uint64_t state)
{
    return (struct tm_event){.kind = TM_KIND_SCHED_SWITCH,
                             .time_ns = ts,
                             .cpu = 3,
                             .tid = prev,
                             .pid = next,
                             .value = state | UINT64_C(120) << 32 | UINT64_C(97) << 48,
                             .flags = TM_EVENT_HAS_TID | TM_EVENT_HAS_PID | TM_EVENT_HAS_CPU | TM_EVENT_HAS_VALUE};
}

static void test_sched(void)
{
    struct bench b;
    struct tm_text name;
    start(&b);
    add(&b, switched(10, 0, 7, 0), "worker", "swapper/3");
    add(&b, switched(15, 7, 8, 1), "other", "worker");
    add(&b, switched(18, 99, 0, 2), "swapper/3", "stranger");
    rows_are(&b, "sched",
             "sched 0 10 c3 u1 prio 120\n"
             "off 0 5 S\n"
             "sched 1 15 c3 u2 prio 120\n"
             "sched 2 18 c3 u0 prio 120\n");
    is_int(b.model.stats[0].counts[TM_MODEL_SCHED_MISMATCH], 1);
    name = tm_processes_text(&b.model.processes, b.model.processes.threads[0].name);
    ok(name.len == 7 && memcmp(name.data, "swapper", 7) == 0);
    stop(&b);
}

static void task(struct bench *b, uint32_t kind, int64_t ts, int64_t tid, int64_t by, uint64_t flags, const char *name)
{
    struct tm_event e = {.kind = kind, .time_ns = ts, .tid = tid, .pid = by, .value = flags, .flags = TM_EVENT_HAS_TID};
    add(b, e, name, NULL);
    flush(b);
}

static const struct tm_thread *thread_of(struct bench *b, int64_t tid)
{
    int64_t utid = tm_processes_find_thread(&b->model.processes, 0, tid);
    return utid == TM_NO_ID ? NULL : &b->model.processes.threads[utid];
}

static int64_t pid_of(struct bench *b, int64_t tid)
{
    const struct tm_thread *t = thread_of(b, tid);
    return t == NULL || t->upid == TM_NO_ID ? -1 : b->model.processes.processes[t->upid].pid;
}

static void test_tasks(void)
{
    enum { THREAD_FLAG = 0x10000 };
    struct bench b;
    start(&b);
    /* 20 makes a thread, that one another, and a process, before it is known whose they are. */
    task(&b, TM_KIND_TASK_NEW, 1, 21, 20, THREAD_FLAG, "t21");
    task(&b, TM_KIND_TASK_NEW, 2, 22, 21, THREAD_FLAG, "t22");
    task(&b, TM_KIND_TASK_NEW, 3, 50, 22, 0, "child");
    is_int(pid_of(&b, 22), -1);
    is_int(pid_of(&b, 50), 50);
    add(&b, on_thread(TM_KIND_INSTANT, 4, 20), "x", NULL);
    flush(&b);
    is_int(pid_of(&b, 20), 5);
    is_int(pid_of(&b, 21), 5);
    is_int(pid_of(&b, 22), 5);
    const struct tm_process *child = &b.model.processes.processes[thread_of(&b, 50)->upid];
    is_int(b.model.processes.processes[child->parent].pid, 5);
    ok(child->has_start && child->start_ns == 3);
    /* A pid is given away anew. */
    const int64_t upid = thread_of(&b, 50)->upid;
    task(&b, TM_KIND_PROCESS_EXIT, 10, 50, 0, 0, NULL);
    ok(thread_of(&b, 50) == NULL);
    ok(b.model.processes.processes[upid].has_end);
    task(&b, TM_KIND_TASK_NEW, 11, 50, 20, 0, "again");
    ok(thread_of(&b, 50)->upid != upid);
    task(&b, TM_KIND_TASK_RENAME, 12, 50, 0, 0, "renamed");
    struct tm_text name =
        tm_processes_text(&b.model.processes, b.model.processes.processes[thread_of(&b, 50)->upid].name);
    ok(name.len == 7 && memcmp(name.data, "renamed", 7) == 0);
    stop(&b);
}

static void test_tid_in_two_processes(void)
{
    struct bench b;
    int64_t a, c, again;
    struct tm_error err = {0};
    start(&b);
    struct tm_processes *p = &b.model.processes;
    ok(tm_processes_thread_in(p, 0, 7, 5, &a, &err) == TM_OK);
    ok(tm_processes_thread_in(p, 0, 7, 6, &c, &err) == TM_OK);
    ok(a != c);
    ok(tm_processes_thread_in(p, 0, 7, 5, &again, &err) == TM_OK);
    is_int(again, a);
    is_int(tm_processes_find_thread(p, 0, 7), a);
    ok(tm_processes_thread_in(p, 1, 7, 5, &again, &err) == TM_OK);
    ok_named(again != a && again != c, "machines do not share threads");
    stop(&b);
}

static void put_signed(struct tm_buf *buf, uint32_t id, int64_t value)
{
    tm_pb_put_varint(buf, id, tm_zigzag(value));
}

struct track_words {
    uint64_t uuid, parent;
    const char *name;
    int64_t pid, tid; /* 0: none */
    bool is_counter;
};

static void describe(struct bench *b, struct track_words w)
{
    struct tm_buf detail = {0};
    size_t mark;
    struct tm_event e = {.kind = TM_KIND_TRACK, .flags = TM_EVENT_DEFINITION | TM_EVENT_UNTIMED};
    tm_pb_begin(&detail, 5, &mark);
    tm_pb_put_i64(&detail, 1, w.uuid);
    if (w.parent)
        tm_pb_put_i64(&detail, 2, w.parent);
    if (w.name)
        tm_pb_put_str(&detail, 3, w.name);
    if (w.pid)
        put_signed(&detail, 4, w.pid);
    if (w.tid)
        put_signed(&detail, 5, w.tid);
    tm_pb_put_varint(&detail, 6, w.is_counter);
    tm_pb_put_varint(&detail, 14, w.tid != 0);
    tm_pb_put_varint(&detail, 15, w.pid && !w.tid);
    tm_pb_end(&detail, mark);
    add_detail(b, e, NULL, NULL, &detail);
    tm_buf_release(&detail);
}

static struct tm_event on_track(uint32_t kind, int64_t ts, uint64_t uuid)
{
    return (struct tm_event){.kind = kind,
                             .time_ns = ts,
                             .track = uuid,
                             .flags = TM_EVENT_HAS_TRACK | tm_event_scope_flags(TM_SCOPE_TRACK)};
}

static void test_descriptors(void)
{
    struct bench b;
    start(&b);
    describe(&b, (struct track_words){.uuid = 1, .pid = 5});
    describe(&b, (struct track_words){.uuid = 2, .parent = 1, .pid = 5, .tid = 7});
    describe(&b, (struct track_words){.uuid = 3, .parent = 2, .name = "of thread"});
    describe(&b, (struct track_words){.uuid = 4, .parent = 3, .name = "count", .is_counter = true});
    describe(&b, (struct track_words){.uuid = 5, .parent = 6});
    describe(&b, (struct track_words){.uuid = 6, .parent = 5});
    add(&b, on_track(TM_KIND_SLICE_BEGIN, 10, 2), "a", NULL);
    add(&b, on_track(TM_KIND_INSTANT, 11, 3), "b", NULL);
    struct tm_event counter = on_track(TM_KIND_COUNTER, 12, 4);
    counter.flags |= TM_EVENT_HAS_VALUE;
    counter.value = 42;
    add(&b, counter, NULL, NULL);
    add(&b, on_track(TM_KIND_INSTANT, 13, 77), "undescribed", NULL);
    add(&b, on_track(TM_KIND_INSTANT, 14, 5), "in a circle", NULL);
    rows_are(&b, "descriptors",
             "slice 0 10 -1 t0 d0 p-1 a -\n"
             "slice 1 11 0 t1 d0 p-1 b -\n"
             "counter 12 t2 42\n"
             "slice 2 13 0 t3 d0 p-1 undescribed -\n");
    const struct tm_track *rows = b.model.tracks.rows;
    ok(rows[0].scope == TM_TRACK_THREAD && rows[1].scope == TM_TRACK_THREAD && rows[1].owner == rows[0].owner);
    ok(rows[2].is_counter && rows[2].parent == 1 && rows[2].scope == TM_TRACK_THREAD);
    is_int(rows[3].scope, TM_TRACK_GLOBAL);
    is_int(b.model.stats[0].counts[TM_MODEL_NO_TRACK], 1);
    is_int(pid_of(&b, 7), 5);
    stop(&b);
}

static void test_files_apart(void)
{
    struct bench b;
    struct tm_event e;
    start(&b);
    add(&b, on_thread(TM_KIND_SLICE_BEGIN, 10, 7), "a", NULL);
    e = on_thread(TM_KIND_SLICE_BEGIN, 11, 7);
    e.file = PROTO_2;
    add(&b, e, "b", NULL);
    rows_are(&b, "files apart",
             "slice 0 10 -1 t0 d0 p-1 a -\n"
             "slice 1 11 -1 t1 d0 p-1 b -\n");
    ok(b.model.tracks.rows[0].owner == b.model.tracks.rows[1].owner);
    stop(&b);
}

static void test_flows(void)
{
    struct bench b;
    struct tm_event e;
    start(&b);
    add(&b, complete(10, 5), "from", NULL);
    e = on_thread(TM_KIND_FLOW_START, 11, 7);
    e.track = 900;
    add(&b, e, NULL, NULL);
    e = on_thread(TM_KIND_FLOW_END, 20, 7);
    e.track = 900;
    e.value = 1;
    add(&b, e, NULL, NULL);
    add(&b, complete(30, 5), "to", NULL);
    e.time_ns = 31;
    e.value = 0;
    e.track = 901;
    add(&b, e, NULL, NULL);
    rows_are(&b, "flows",
             "slice 0 10 5 t0 d0 p-1 from -\n"
             "slice 1 30 5 t0 d0 p-1 to -\n"
             "flow 0 1\n");
    is_int(b.model.stats[0].counts[TM_MODEL_FLOW_WITHOUT_START], 1);
    struct tm_buf ids = {0};
    tm_pb_put_i64(&ids, 2, 55);
    e = complete(40, 1);
    add_detail(&b, e, "p", NULL, &ids);
    e = complete(50, 1);
    add_detail(&b, e, "q", NULL, &ids);
    rows_are(&b, "flows, part 2",
             "slice 2 40 1 t0 d0 p-1 p -\n"
             "slice 3 50 1 t0 d0 p-1 q -\n"
             "flow 2 3\n");
    tm_buf_release(&ids);
    stop(&b);
}

static void put_arg(struct tm_buf *detail, const char *key, int64_t value)
{
    size_t mark;
    tm_pb_begin(detail, 1, &mark);
    tm_pb_put_str(detail, 1, key);
    put_signed(detail, 2, value);
    tm_pb_end(detail, mark);
}

static void test_args(void)
{
    struct bench b;
    struct tm_buf one = {0}, two = {0};
    start(&b);
    put_arg(&one, "debug.a", -4);
    put_arg(&two, "debug.b", 5);
    add_detail(&b, on_thread(TM_KIND_SLICE_BEGIN, 10, 7), "x", NULL, &one);
    add_detail(&b, on_thread(TM_KIND_SLICE_END, 11, 7), NULL, NULL, &two);
    add_detail(&b, on_thread(TM_KIND_SLICE_BEGIN, 12, 7), "x", NULL, &one);
    add_detail(&b, on_thread(TM_KIND_SLICE_END, 13, 7), NULL, NULL, NULL);
    rows_are(&b, "args",
             "arg 0 a0 debug.a int -4 -\n"
             "slice 0 10 -1 t0 d0 p-1 x -\n"
             "copy a0 a1\n"
             "arg 2 a1 debug.b int 5 -\n"
             "end 0 1 a1\n"
             "slice 1 12 -1 t0 d0 p-1 x -\n"
             "end 1 1 a0\n");
    tm_buf_release(&one);
    tm_buf_release(&two);
    stop(&b);
}

static void test_samples(void)
{
    struct bench b;
    struct tm_buf stack = {0};
    static const char *const functions[] = {"main", "work"};
    size_t mark;
    start(&b);
    for (int i = 0; i < 2; i++) {
        tm_pb_begin(&stack, 10, &mark);
        tm_pb_put_str(&stack, 1, functions[i]);
        tm_pb_put_str(&stack, 2, "lib");
        tm_pb_end(&stack, mark);
    }
    add_detail(&b, on_thread(TM_KIND_SAMPLE, 10, 7), NULL, NULL, &stack);
    add_detail(&b, on_thread(TM_KIND_SAMPLE, 20, 7), NULL, NULL, &stack);
    rows_are(&b, "samples",
             "mapping 0 lib\nframe 0 main m0\ncallsite 0 d0 p-1 f0\nframe 1 work m0\ncallsite 1 d1 p0 f1\n"
             "sample 10 u2 s1\nsample 20 u2 s1\n");
    tm_buf_release(&stack);
    stop(&b);
}

/* What must hold of rows whatever the events. */
struct invariants {
    uint64_t slices, wrong;
    uint32_t depths[1 << 16]; /* by slice id */
};

static enum tm_status check_slice(void *self, const struct tm_slice_row *r, struct tm_error *err)
{
    struct invariants *v = self;
    (void)err;
    v->wrong += r->id != (int64_t)v->slices++ || r->parent >= r->id || r->dur < -1;
    v->wrong += r->depth != (r->parent == TM_NO_ID ? 0 : v->depths[r->parent & 0xffff] + 1);
    v->depths[r->id & 0xffff] = r->depth;
    return TM_OK;
}

static enum tm_status check_slice_end(void *self, int64_t id, int64_t dur, int64_t set, struct tm_error *err)
{
    struct invariants *v = self;
    (void)set;
    (void)err;
    v->wrong += id < 0 || id >= (int64_t)v->slices || dur < 0;
    return TM_OK;
}

static enum tm_status check_sched_end(void *self, int64_t id, int64_t dur, struct tm_text state, struct tm_error *err)
{
    (void)state;
    (void)err;
    ((struct invariants *)self)->wrong += id < 0 || dur < 0;
    return TM_OK;
}

static enum tm_status check_flow(void *self, int64_t from, int64_t to, struct tm_error *err)
{
    struct invariants *v = self;
    (void)err;
    v->wrong += from < 0 || to < 0 || from >= (int64_t)v->slices || to >= (int64_t)v->slices;
    return TM_OK;
}

#define TAKE(name, row_type)                                                          \
    static enum tm_status name(void *self, const struct row_type *r, struct tm_error *err) \
    {                                                                                 \
        (void)self;                                                                   \
        (void)r;                                                                      \
        (void)err;                                                                    \
        return TM_OK;                                                                 \
    }
TAKE(take_counter, tm_counter_row)
TAKE(take_sched, tm_sched_row)
TAKE(take_arg, tm_arg_row)
TAKE(take_sample, tm_sample_row)
TAKE(take_frame, tm_frame_row)
TAKE(take_callsite, tm_callsite_row)
#undef TAKE

static enum tm_status take_copy(void *self, int64_t from, int64_t into, int64_t *id, struct tm_error *err)
{
    (void)self;
    (void)from;
    (void)into;
    (void)err;
    ++*id;
    return TM_OK;
}

static enum tm_status take_mapping(void *self, int64_t id, struct tm_text name, struct tm_error *err)
{
    (void)self;
    (void)id;
    (void)name;
    (void)err;
    return TM_OK;
}

static uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

/* Any kind with any flags, few numbers and names, details of random bytes. */
static void add_random(struct bench *b, uint64_t *state, int64_t now)
{
    static const uint32_t kinds[] = {0, 1, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 33, 34, 35};
    uint8_t bytes[24];
    size_t len = next_random(state) % sizeof bytes;
    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)(next_random(state) % 12 * 8 + (next_random(state) & 3));
    struct tm_event e = {.kind = kinds[next_random(state) % (sizeof kinds / sizeof *kinds)],
                         .time_ns = now,
                         .dur_ns = (int64_t)(next_random(state) % 40) - 2,
                         .file = next_random(state) % FILES,
                         .machine = next_random(state) % 2,
                         .pid = next_random(state) % 4,
                         .tid = next_random(state) % 8,
                         .track = next_random(state) % 8,
                         .cpu = next_random(state) % 3,
                         .value = (uint64_t)next_random(state) << 32 | next_random(state) % 3 << 16,
                         .detail = bytes,
                         .detail_bytes = (uint32_t)len};
    e.flags = next_random(state) & 0xffc;
    e.flags |= (next_random(state) % 5) << TM_EVENT_SCOPE_SHIFT | (next_random(state) % 5) << TM_EVENT_RAW_SHIFT;
    if (e.kind >= TM_KIND_TRACK)
        e.flags |= TM_EVENT_DEFINITION | (next_random(state) & 1);
    /* A name that travels with its event: a text of one byte in front. */
    if (len >= 3 && next_random(state) & 1) {
        bytes[0] = 0x22;
        bytes[1] = 1;
        e.name = TM_STRING_INLINE | 1;
    }
    tm_batch_builder_add(&b->batch, &e);
}

static void test_random(void)
{
    enum { EVENTS = 60000, BATCH = 500 };
    static struct invariants v;
    struct bench b;
    uint64_t state = 7;
    int64_t now = 0;
    start_as(&b, "json");
    b.rows = (struct tm_rows){&v,          check_slice,  check_slice_end, take_counter, take_sched, check_sched_end,
                              take_arg,    take_copy,    check_flow,      take_sample,  take_mapping, take_frame,
                              take_callsite};
    for (int i = 0; i < EVENTS; i++) {
        now += next_random(&state) % 4;
        add_random(&b, &state, now);
        if (i % BATCH == BATCH - 1)
            flush(&b);
    }
    ok_named(b.st == TM_OK && tm_model_finish(&b.model, &b.err) == TM_OK, "random events are taken");
    ok(v.slices > EVENTS / 20);
    is_int(v.wrong, 0);
    stop(&b);
}

static void test_table(void)
{
    enum { KEYS = 5000 };
    struct tm_table table = {0};
    struct tm_error err = {0};
    int wrong = 0;
    for (uint64_t i = 0; i < KEYS; i++)
        tm_table_set(&table, &(struct tm_key){i % 7, i, i << 40}, (int64_t)i, &err);
    for (uint64_t i = 0; i < KEYS; i += 2)
        tm_table_remove(&table, &(struct tm_key){i % 7, i, i << 40});
    for (uint64_t i = 0; i < KEYS; i++)
        wrong += tm_table_find(&table, &(struct tm_key){i % 7, i, i << 40}) != (i % 2 ? (int64_t)i : TM_TABLE_NONE);
    is_int(wrong, 0);
    is_int(table.count, KEYS / 2);
    tm_table_release(&table);
}

int main(void)
{
    test_table();
    test_nesting();
    test_cut_short();
    test_json_moment();
    test_json_end_first();
    test_crossing();
    test_order_is_checked();
    test_markers();
    test_async();
    test_sched();
    test_tasks();
    test_tid_in_two_processes();
    test_descriptors();
    test_files_apart();
    test_flows();
    test_args();
    test_samples();
    test_random();
    return tap_done();
}
