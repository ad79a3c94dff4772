/* Unit tests of lib/model: scheduling, threads and processes, descriptors, samples, the table. */
#include "model_bench.h"

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
    is_int(b.model.out.stats.rows[0].counts[TM_MODEL_SCHED_MISMATCH], 1);
    name = tm_processes_text(&b.model.tasks.processes, b.model.tasks.processes.threads[0].name);
    ok(name.len == 7 && memcmp(name.data, "swapper", 7) == 0);
    stop(&b);
}

static void task(struct bench *b, uint32_t kind, int64_t ts, int64_t tid, int64_t by, uint64_t flags, const char *name)
{
    struct tm_event e = {.kind = kind, .time_ns = ts, .tid = tid, .pid = by, .value = flags, .flags = TM_EVENT_HAS_TID};
    add(b, e, name, NULL);
    flush(b);
}

static const struct tm_thread_row *thread_of(struct bench *b, int64_t tid)
{
    int64_t utid = tm_processes_find_thread(&b->model.tasks.processes, 0, tid);
    return utid == TM_NO_ID ? NULL : &b->model.tasks.processes.threads[utid];
}

static int64_t pid_of(struct bench *b, int64_t tid)
{
    const struct tm_thread_row *t = thread_of(b, tid);
    return t == NULL || t->upid == TM_NO_ID ? -1 : b->model.tasks.processes.processes[t->upid].pid;
}

static void test_tasks(void)
{
    enum { THREAD_FLAG = 0x10000 };
    struct bench b;
    start(&b);
    /* 20 starts a thread, which starts another thread and a process, before their process is known. */
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
    const struct tm_process *child = &b.model.tasks.processes.processes[thread_of(&b, 50)->upid];
    is_int(b.model.tasks.processes.processes[child->parent].pid, 5);
    ok(child->has_start && child->start_ns == 3);
    /* A pid is reused. */
    const int64_t upid = thread_of(&b, 50)->upid;
    task(&b, TM_KIND_PROCESS_EXIT, 10, 50, 0, 0, NULL);
    ok(thread_of(&b, 50) == NULL);
    ok(b.model.tasks.processes.processes[upid].has_end);
    task(&b, TM_KIND_TASK_NEW, 11, 50, 20, 0, "again");
    ok(thread_of(&b, 50)->upid != upid);
    task(&b, TM_KIND_TASK_RENAME, 12, 50, 0, 0, "renamed");
    struct tm_text name =
        tm_processes_text(&b.model.tasks.processes, b.model.tasks.processes.processes[thread_of(&b, 50)->upid].name);
    ok(name.len == 7 && memcmp(name.data, "renamed", 7) == 0);
    stop(&b);
}

static void test_tid_in_two_processes(void)
{
    struct bench b;
    int64_t a, c, again;
    struct tm_error err = {0};
    start(&b);
    struct tm_processes *p = &b.model.tasks.processes;
    ok(tm_processes_thread_in(p, (struct tm_thread_id){0, 5, 7}, &a, &err) == TM_OK);
    ok(tm_processes_thread_in(p, (struct tm_thread_id){0, 6, 7}, &c, &err) == TM_OK);
    ok(a != c);
    ok(tm_processes_thread_in(p, (struct tm_thread_id){0, 5, 7}, &again, &err) == TM_OK);
    is_int(again, a);
    is_int(tm_processes_find_thread(p, 0, 7), a);
    ok(tm_processes_thread_in(p, (struct tm_thread_id){1, 5, 7}, &again, &err) == TM_OK);
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
    const struct tm_track *rows = b.model.layout.tracks.rows;
    ok(rows[0].scope == TM_TRACK_THREAD && rows[1].scope == TM_TRACK_THREAD && rows[1].owner == rows[0].owner);
    ok(rows[2].is_counter && rows[2].parent == 1 && rows[2].scope == TM_TRACK_THREAD);
    is_int(rows[3].scope, TM_TRACK_GLOBAL);
    is_int(b.model.out.stats.rows[0].counts[TM_MODEL_NO_TRACK], 3); /* two descriptors and an event */
    is_int(b.model.out.stats.rows[0].counts[TM_MODEL_TRACK_LOOP], 3);
    is_int(pid_of(&b, 7), 5);
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

/* WHAT is refused with a message that names LIMIT. */
static void is_refused(struct bench *b, enum tm_status st, const char *limit)
{
    is_int(st, TM_E_INPUT);
    ok_named(strstr(b->err.text, limit) != NULL, limit);
    b->err = (struct tm_error){0};
}

static void test_limits(void)
{
    struct bench b;
    start(&b);
    struct tm_model *m = &b.model;
    const struct tm_track_id id = {PROTO, 0, TM_TRACK_TYPE_DESCRIBED, 5, 0};
    const struct tm_description described = {.uuid = 5};
    struct tm_slice_row row = {.ts = 1, .dur = -1};
    const tm_slice_label none[2] = {0, 0};
    int64_t number;
    uint32_t track;
    bool flag;
    m->tasks.processes.thread_count = TM_THREADS_MAX;
    is_refused(&b, tm_processes_thread(&m->tasks.processes, 0, 5, &number, &b.err), "TM_THREADS_MAX");
    m->tasks.processes.thread_count = 0;
    m->tasks.processes.process_count = TM_PROCESSES_MAX;
    is_refused(&b, tm_processes_process(&m->tasks.processes, 0, 6, &number, &b.err), "TM_PROCESSES_MAX");
    m->tasks.processes.process_count = 0;
    m->layout.tracks.count = TM_TRACKS_MAX;
    is_refused(&b, tm_tracks_get(&m->layout.tracks, &id, &track, &flag, &b.err), "TM_TRACKS_MAX");
    m->layout.tracks.count = 0;
    m->layout.descriptors.count = TM_DESCRIPTORS_MAX;
    is_refused(&b, tm_descriptors_add(&m->layout.descriptors, (struct tm_place){PROTO, 0}, &described, &b.err),
               "TM_DESCRIPTORS_MAX");
    m->layout.descriptors.count = 0;
    m->slices.slots = TM_SLICES_SLOTS_MAX;
    is_refused(&b, tm_slices_begin(&m->slices, &row, none, &flag, &b.err), "TM_SLICES_SLOTS_MAX");
    m->tasks.processes.names.bytes_max = m->layout.tracks.names.bytes_max = 3;
    const struct tm_text name = {(const uint8_t *)"name", 4};
    is_refused(&b, tm_tracks_name(&m->layout.tracks, name, &track, &b.err), "TM_TRACK_TEXT_BYTES_MAX");
    is_int(tm_processes_thread(&m->tasks.processes, 0, 5, &number, &b.err), TM_OK);
    is_refused(&b, tm_processes_name_thread(&m->tasks.processes, number, name, TM_THREAD_NAME_OTHER, &b.err),
               "TM_TASK_TEXT_BYTES_MAX");
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
    test_sched();
    test_tasks();
    test_tid_in_two_processes();
    test_descriptors();
    test_samples();
    test_limits();
    test_table();
    return tap_done();
}
