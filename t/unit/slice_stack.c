/* Unit tests of the open slices of a track: the slice that an end closes, and those that an event cuts short. */
#include "stream/slice_stack.h"
#include "tap.h"

enum { SHOWN_MAX = 8 };

struct shown {
    int64_t id[SHOWN_MAX], dur[SHOWN_MAX];
    uint32_t count;
};

static enum tm_status cut(void *self, const struct tm_open_slice *slices, uint32_t count, int64_t end_ns,
                          struct tm_error *err)
{
    struct shown *shown = self;
    (void)err;
    for (uint32_t i = count; i-- > 0;) {
        shown->id[shown->count] = slices[i].id;
        shown->dur[shown->count++] = end_ns - slices[i].ts;
    }
    return TM_OK;
}

static enum tm_status add(struct tm_slice_stack *stack, int64_t id, int64_t ts, int64_t dur, struct shown *shown)
{
    struct tm_error err = {0};
    const struct tm_open_slice slice = {.ts = ts, .dur = dur, .label = {(uint64_t)id, 0}, .id = id};
    enum tm_status st = tm_slice_stack_settle(stack, ts, dur, &(struct tm_slice_cut){shown, cut}, &err);
    return st == TM_OK ? tm_slice_stack_push(stack, &slice, &err) : st;
}

static void test_labels(void)
{
    const tm_slice_label bare[2] = {0, 0}, a[2] = {1, 0}, b[2] = {2, 0}, a_of_c[2] = {1, 9};
    ok(tm_slice_label_fits(a, a) && !tm_slice_label_fits(a, b));
    ok(tm_slice_label_fits(a, bare) && tm_slice_label_fits(bare, a));
    ok(tm_slice_label_fits(a_of_c, a) && !tm_slice_label_fits(a, a_of_c));
}

static void test_ends(void)
{
    struct tm_slice_stack stack = {0};
    struct shown shown = {.count = 0};
    const tm_slice_label one[2] = {1, 0}, any[2] = {0, 0}, none[2] = {7, 0};
    ok(add(&stack, 1, 10, -1, &shown) == TM_OK && add(&stack, 2, 20, -1, &shown) == TM_OK);
    ok(tm_slice_stack_ended(&stack, none) == NULL);
    struct tm_open_slice *s = tm_slice_stack_ended(&stack, one);
    ok(s && s->id == 1);
    tm_slice_stack_end(&stack, s, 30);
    is_int(stack.depth, 2); /* slice 2 is above it, and open */
    s = tm_slice_stack_ended(&stack, any);
    ok(s && s->id == 2);
    shown.count = 0;
    is_int(tm_slice_stack_predict(&stack, 31, &(struct tm_slice_cut){&shown, cut}, NULL), TM_OK);
    is_int(stack.depth, 2);
    is_int(shown.count, 1);
    is_int(shown.dur[0], 10);
    shown.count = 0;
    ok(add(&stack, 3, 31, 5, &shown) == TM_OK);
    ok(shown.count == 1 && shown.id[0] == 2 && shown.dur[0] == 10);
    is_int(stack.depth, 1);
    tm_slice_stack_release(&stack);
}

static void test_crossing_and_edges(void)
{
    struct tm_slice_stack stack = {0};
    struct shown shown = {.count = 0};
    ok(add(&stack, 1, 10, 10, &shown) == TM_OK);
    ok(add(&stack, 2, 15, 10, &shown) == TM_END);
    ok(add(&stack, 3, 15, 5, &shown) == TM_OK);
    is_int(stack.depth, 2);
    ok(add(&stack, 4, 20, 1, &shown) == TM_OK); /* intervals exclude their end */
    is_int(stack.depth, 1);
    ok(add(&stack, 5, 30, 0, &shown) == TM_OK && add(&stack, 6, 30, 0, &shown) == TM_OK);
    is_int(stack.depth, 2); /* instants of one time nest */
    ok(add(&stack, 7, INT64_MAX - 1, 5, &shown) == TM_OK);
    ok(add(&stack, 8, INT64_MAX - 1, 1, &shown) == TM_OK);
    is_int(stack.depth, 2);
    is_int(shown.count, 0);
    tm_slice_stack_release(&stack);
}

static void test_ended_below_another(void)
{
    struct tm_slice_stack stack = {0};
    struct shown shown = {.count = 0};
    const tm_slice_label one[2] = {1, 0};
    ok(add(&stack, 1, 0, -1, &shown) == TM_OK && add(&stack, 2, 1, 5, &shown) == TM_OK);
    tm_slice_stack_end(&stack, tm_slice_stack_ended(&stack, one), 3);
    ok(add(&stack, 3, 4, 0, &shown) == TM_OK);
    is_int(stack.depth, 2); /* slice 1 has ended, and slice 2 is removed for it */
    ok(stack.slices[0].id == 1 && stack.slices[1].id == 3);
    tm_slice_stack_release(&stack);
}

static void test_depth(void)
{
    struct tm_slice_stack stack = {0};
    struct shown shown = {.count = 0};
    for (int64_t i = 0; i < TM_SLICES_DEPTH_MAX; i++)
        if (add(&stack, i, i, -1, &shown) != TM_OK)
            break;
    is_int(stack.depth, TM_SLICES_DEPTH_MAX);
    ok(add(&stack, 1, 1000, -1, &shown) == TM_END);
    tm_slice_stack_remove(&stack, 0);
    is_int(stack.depth, TM_SLICES_DEPTH_MAX - 1);
    ok(stack.slices[0].id == 1);
    tm_slice_stack_release(&stack);
}

int main(void)
{
    test_labels();
    test_ends();
    test_crossing_and_edges();
    test_ended_below_another();
    test_depth();
    return tap_done();
}
