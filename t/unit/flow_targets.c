/* Unit tests of emit/perfetto/flow_targets.h: the time at which a flow event is written to be bound to its slice. */
#include "emit/perfetto/flow_targets.h"

#include "tap.h"

enum { TRACK = 7, OTHER = 8, FLOW = 1 };

static struct tm_error err;

static void begins(struct tm_flow_targets *t, uint64_t uuid, int64_t begin_ns, int64_t end_ns)
{
    ok(tm_flow_targets_begin(t, uuid, begin_ns, end_ns, &err) == TM_OK);
}

static int64_t bound(struct tm_flow_targets *t, uint64_t uuid, uint64_t flow, int64_t ts_ns)
{
    ok(tm_flow_targets_bind(t, uuid, flow, &ts_ns, &err) == TM_OK);
    return ts_ns;
}

static void test_complete(void)
{
    struct tm_flow_targets t = {0};
    is_int(bound(&t, TRACK, FLOW, 5), 5); /* there is no slice */
    begins(&t, TRACK, 10, 20);
    is_int(bound(&t, TRACK, 2, 15), 15);
    is_int(bound(&t, TRACK, 3, 20), 10); /* it has ended, but it is still the last slice */
    is_int(bound(&t, OTHER, 4, 25), 25);
    begins(&t, TRACK, 30, 40);
    begins(&t, TRACK, 31, 33);
    is_int(bound(&t, TRACK, 5, 32), 32);
    is_int(bound(&t, TRACK, 6, 35), 31); /* not bound to the slice around it, which began before */
    tm_flow_targets_release(&t);
}

static void test_crossing(void)
{
    struct tm_flow_targets t = {0};
    begins(&t, TRACK, 10, 40);
    begins(&t, TRACK, 11, 20);
    is_int(bound(&t, TRACK, FLOW, 30), 11);
    ok(tm_flow_targets_cross(&t, TRACK, 31, &err) == TM_OK);
    is_int(bound(&t, TRACK, FLOW, 31), 31); /* bound to the outer slice: the crossing slice closed the inner one */
    ok(tm_flow_targets_cross(&t, OTHER, 31, &err) == TM_OK); /* there is no slice */
    tm_flow_targets_release(&t);
}

static void test_waiting(void)
{
    struct tm_flow_targets t = {0};
    begins(&t, TRACK, 10, INT64_MAX);
    begins(&t, TRACK, 11, INT64_MAX);
    ok(tm_flow_targets_end(&t, TRACK, 15, &err) == TM_OK);
    is_int(bound(&t, TRACK, 2, 16), 16); /* bound to the outer slice, which is open */
    begins(&t, TRACK, 17, 18);
    ok(tm_flow_targets_end(&t, TRACK, 18, &err) == TM_OK); /* closes the complete one too */
    is_int(bound(&t, TRACK, 3, 19), 19);
    ok(tm_flow_targets_end(&t, TRACK, 20, &err) == TM_OK); /* there is no slice to end */
    begins(&t, TRACK, 21, 21);
    begins(&t, TRACK, 21, 21); /* slices of no length nest */
    is_int(bound(&t, TRACK, 4, 30), 21);
    tm_flow_targets_release(&t);
}

static void test_order(void)
{
    struct tm_flow_targets t = {0};
    begins(&t, TRACK, 12, 20);
    begins(&t, OTHER, 10, 18);
    is_int(bound(&t, TRACK, FLOW, 25), 12);
    is_int(bound(&t, OTHER, FLOW, 26), 12); /* not before the begin of the flow */
    begins(&t, OTHER, 19, 19);
    is_int(bound(&t, OTHER, FLOW, 27), 19);
    begins(&t, TRACK, 30, 50);
    is_int(bound(&t, TRACK, FLOW, 40), 40);
    is_int(bound(&t, OTHER, FLOW, 41), 41); /* a slice of no length has one time, which is over */
    begins(&t, OTHER, 42, 44);
    is_int(bound(&t, TRACK, FLOW, 45), 45);
    is_int(bound(&t, OTHER, FLOW, 46), 46); /* its slice has no later time */
    is_int(bound(&t, 9, 2, 47), 47);        /* there is no slice, so it does not count as the begin of its flow */
    is_int(bound(&t, OTHER, 2, 48), 42);
    tm_flow_targets_release(&t);
}

int main(void)
{
    test_complete();
    test_crossing();
    test_waiting();
    test_order();
    return tap_done();
}
