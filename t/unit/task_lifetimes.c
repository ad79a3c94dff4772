/* Unit tests of select/task_lifetimes.h: the tasks that are kept of those that start, end and start again. */
#include "select/task_lifetimes.h"

#include "stream/event.h"

#include "tap.h"

#include <stdlib.h>

enum { MACHINE = 3 };

struct bench {
    struct tm_tally tally;
    struct tm_pending_groups pending;
    struct tm_task_lifetimes lifetimes;
    struct tm_error err;
    uint64_t order;
    uint32_t signs, group; /* the last one */
};

static struct bench *bench_new(void)
{
    struct bench *b = calloc(1, sizeof *b);
    if (b == NULL)
        abort();
    b->pending.tally = &b->tally;
    b->lifetimes.pending = &b->pending;
    return b;
}

static void bench_free(struct bench *b)
{
    tm_task_lifetimes_release(&b->lifetimes);
    tm_pending_groups_release(&b->pending);
    tm_tally_release(&b->tally);
    free(b);
}

static uint32_t hold(struct bench *b, enum tm_pending_groups_list list, uint32_t kind, int64_t tid)
{
    struct tm_event e = {.kind = kind, .machine = MACHINE, .tid = tid, .flags = TM_EVENT_CONTEXT};
    e.time_ns = (int64_t)++b->order;
    if (tm_pending_groups_add(&b->pending, list, &(struct tm_event_rows){&e, 1, b->order}, &b->group, &b->err) != TM_OK)
        abort();
    return b->group;
}

static enum tm_status sign(struct bench *b, enum tm_lifetime_change sign, int64_t tid, int64_t maker)
{
    static const uint32_t kinds[] = {[TM_LIFETIME_START] = TM_KIND_TASK_NEW,
                                     [TM_LIFETIME_NAME] = TM_KIND_TASK_RENAME,
                                     [TM_LIFETIME_END] = TM_KIND_PROCESS_EXIT};
    const struct tm_lifetime_event event = {sign, MACHINE, tid, maker};
    return tm_task_lifetimes_note(&b->lifetimes, &event, hold(b, TM_PENDING_GROUPS_EARLY, kinds[sign], tid), &b->err);
}

/* Returns the tids of the pending events in LIST, in order, an end as a negative number. */
static const char *left(struct bench *b, enum tm_pending_groups_list list)
{
    static char text[256];
    struct tm_event *rows;
    uint32_t count;
    size_t len = 0;
    text[0] = '\0';
    while (tm_pending_groups_take(&b->pending, list, &rows, &count, &b->err) == TM_OK && len < sizeof text - 32)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%d", len ? " " : "",
                                (int)(rows->kind == TM_KIND_PROCESS_EXIT ? -rows->tid : rows->tid));
    return text;
}

static void test_living(void)
{
    struct bench *b = bench_new();
    ok(sign(b, TM_LIFETIME_START, 10, 1) == TM_OK);
    ok(sign(b, TM_LIFETIME_START, 11, 10) == TM_OK);
    ok(sign(b, TM_LIFETIME_NAME, 10, 0) == TM_OK);
    ok(sign(b, TM_LIFETIME_NAME, 10, 0) == TM_OK); /* the last name */
    ok(sign(b, TM_LIFETIME_END, 99, 0) == TM_END); /* of an unknown task */
    ok(sign(b, TM_LIFETIME_START, 12, 1) == TM_OK);
    ok(sign(b, TM_LIFETIME_END, 12, 0) == TM_OK);
    ok(tm_task_lifetimes_settle(&b->lifetimes, &b->err) == TM_OK);
    is_str(left(b, TM_PENDING_GROUPS_EARLY), "10 11 10");
    bench_free(b);
}

static void test_ended_and_needed(void)
{
    struct bench *b = bench_new();
    uint32_t lifetime;
    ok(sign(b, TM_LIFETIME_START, 10, 1) == TM_OK);
    ok(sign(b, TM_LIFETIME_START, 20, 10) == TM_OK);
    ok(sign(b, TM_LIFETIME_START, 30, 20) == TM_OK);
    ok(sign(b, TM_LIFETIME_END, 10, 0) == TM_OK); /* started 20, which started 30, which has not ended */
    ok(sign(b, TM_LIFETIME_END, 20, 0) == TM_OK);
    ok(sign(b, TM_LIFETIME_START, 40, 1) == TM_OK);
    ok(tm_task_lifetimes_get(&b->lifetimes, MACHINE, 40, &lifetime, &b->err) == TM_OK && lifetime);
    ok(tm_pending_groups_add_lifetime(&b->pending, hold(b, TM_PENDING_GROUPS_EARLY, TM_KIND_SLICE_BEGIN, 41), lifetime,
                                      &b->err) == TM_OK);
    ok(tm_pending_groups_add_lifetime(&b->pending, hold(b, TM_PENDING_GROUPS_STATE, TM_KIND_COUNTER, 42), lifetime,
                                      &b->err) == TM_OK);
    ok(sign(b, TM_LIFETIME_END, 40, 0) == TM_OK);
    ok(tm_task_lifetimes_is_over(&b->lifetimes, lifetime));
    ok(sign(b, TM_LIFETIME_START, 40, 1) == TM_OK); /* another */
    ok(sign(b, TM_LIFETIME_END, 40, 0) == TM_OK);
    ok(tm_task_lifetimes_settle(&b->lifetimes, &b->err) == TM_OK);
    is_str(left(b, TM_PENDING_GROUPS_EARLY), "10 20 30 -10 -20 40 41 42 -40");
    is_str(left(b, TM_PENDING_GROUPS_STATE), ""); /* the state of the ended task has its own time */
    bench_free(b);
}

static void test_told(void)
{
    struct bench *b = bench_new();
    ok(tm_task_lifetimes_describe(&b->lifetimes, MACHINE, 10, false, &b->err) == TM_OK);
    ok(sign(b, TM_LIFETIME_END, 10, 0) == TM_OK);
    ok(sign(b, TM_LIFETIME_END, 10, 0) == TM_END); /* no longer known */
    ok(tm_task_lifetimes_describe(&b->lifetimes, MACHINE, 20, true, &b->err) == TM_OK);
    ok(sign(b, TM_LIFETIME_START, 20, 0) == TM_OK);
    ok(sign(b, TM_LIFETIME_END, 20, 0) == TM_OK);
    ok(sign(b, TM_LIFETIME_END, 20, 0) == TM_OK);
    ok(tm_task_lifetimes_settle(&b->lifetimes, &b->err) == TM_OK);
    is_str(left(b, TM_PENDING_GROUPS_EARLY), "-10 20 -20 -20");
    bench_free(b);
}

/* Memory depends on the number of tasks at one time. */
static void test_many(void)
{
    enum { TASKS = 200000, CHAIN = 1000 };
    struct bench *b = bench_new();
    enum tm_status st = TM_OK;
    for (int64_t i = 0; i < TASKS && st == TM_OK; i++)
        if ((st = sign(b, TM_LIFETIME_START, 100 + i, 1)) == TM_OK &&
            (st = sign(b, TM_LIFETIME_NAME, 100 + i, 0)) == TM_OK)
            st = sign(b, TM_LIFETIME_END, 100 + i, 0);
    ok(st == TM_OK);
    ok(b->pending.group_count < 3 * 4096);
    for (int64_t i = 0; i < CHAIN && st == TM_OK; i++) /* each starts the next and ends */
        if ((st = sign(b, TM_LIFETIME_START, 10 + (i + 1) % 2, 10 + i % 2)) == TM_OK)
            st = sign(b, TM_LIFETIME_END, 10 + i % 2, 0);
    ok(st >= 0);
    ok(tm_task_lifetimes_settle(&b->lifetimes, &b->err) == TM_OK);
    struct tm_event *rows;
    uint32_t count, kept = 0;
    while (tm_pending_groups_take(&b->pending, TM_PENDING_GROUPS_EARLY, &rows, &count, &b->err) == TM_OK)
        kept++;
    ok(kept <= 2 * TM_LIFETIME_MAKERS_MAX + 2);
    bench_free(b);
}

int main(void)
{
    test_living();
    test_ended_and_needed();
    test_told();
    test_many();
    return tap_done();
}
