/* Unit tests of sets of args: sets that get more args, sets found by what their args are made of, and args that are
 * kept for a while. */
#include "model/arg_sets.h"
#include "stream/detail_arg.h"
#include "tap.h"

/* What a receiver of args gets. */
struct got {
    int64_t set, args, copies;
    struct tm_buf keys; /* of the last set, each followed by a space */
};

static enum tm_status get_args(void *self, int64_t set, struct tm_text args, struct tm_error *err)
{
    struct got *got = self;
    struct tm_pb pb = tm_pb_of(args.data, args.len);
    struct tm_arg_row row;
    (void)err;
    if (got->set != set)
        tm_buf_clear(&got->keys);
    got->set = set;
    for (got->args = 0; tm_arg_next(&pb, &row); got->args++)
        if (tm_buf_add(&got->keys, row.key.data, row.key.len) < 0 || tm_buf_add_byte(&got->keys, ' ') < 0)
            return TM_E_SYSTEM;
    return TM_OK;
}

static enum tm_status get_copy(void *self, int64_t from, int64_t into, int64_t *id, struct tm_error *err)
{
    (void)from;
    (void)into;
    (void)err;
    ((struct got *)self)->copies++;
    *id += 1;
    return TM_OK;
}

/* Puts the Detail with an arg for each letter of KEYS, whose value is VALUE, into DETAIL. */
static void put_detail(struct tm_buf *detail, const char *keys, uint8_t value)
{
    tm_buf_clear(detail);
    for (; *keys; keys++) {
        const uint8_t arg[] = {TM_ARG_KEY << 3 | TM_PB_LEN, 1, (uint8_t)*keys, TM_ARG_INT << 3, value};
        ok(tm_pb_put_bytes(detail, TM_DETAIL_ARGS, arg, sizeof arg) == TM_OK);
    }
}

/* A set gets more args twice. Its keys count once, however often they occur: the ids of a set are as many as its
 * keys. */
static void test_join(void)
{
    struct got got = {.set = 0};
    const struct tm_rows rows = {.self = &got, .args = get_args, .arg_copy = get_copy};
    struct tm_arg_sets sets = {.rows = &rows};
    struct tm_buf detail = {0};
    struct tm_error err = {0};
    int64_t set, other;
    put_detail(&detail, "aba", 1);
    set = TM_NO_ID;
    ok(tm_arg_sets_join(&sets, detail.data, detail.len, &set, &err) == TM_OK); /* opens a set */
    is_int(set, 0);
    put_detail(&detail, "bc", 2);
    ok(tm_arg_sets_join(&sets, detail.data, detail.len, &set, &err) == TM_OK);
    is_int(set, 3);
    is_str(tm_buf_cstr(&got.keys), "a b a b c ");
    ok(tm_arg_sets_join(&sets, detail.data, detail.len, &set, &err) == TM_OK);
    is_int(set, 3 + 2 + 2); /* a and b once each, then b and c */
    is_str(tm_buf_cstr(&got.keys), "a b a b c b c ");
    is_int(got.copies, 0);
    put_detail(&detail, "d", 3);
    ok(tm_arg_sets_add(&sets, detail.data, detail.len, &other, &err) == TM_OK);
    is_int(other, 7 + 3 + 2);
    ok(tm_arg_sets_join(&sets, detail.data, detail.len, &other, &err) == TM_OK);
    ok_named(got.copies == 1 && got.args == 1, "the receiver repeats args that were not kept");
    tm_arg_sets_release(&sets);
    tm_buf_release(&detail);
    tm_buf_release(&got.keys);
}

/* A source has the set that its args had, until another set takes its place among those that are remembered. */
static void test_recall(void)
{
    enum { SETS = 10 * TM_ARG_SETS_CACHE };
    struct got got = {.set = 0};
    const struct tm_rows rows = {.self = &got, .args = get_args, .arg_copy = get_copy};
    const struct tm_arg_sets_source source = {.numbers = {1, 2}, .texts = {{(const uint8_t *)"ab", 2}}};
    const struct tm_arg_sets_source other = {.numbers = {1, 2}, .texts = {{NULL, 0}, {(const uint8_t *)"ab", 2}}};
    struct tm_arg_sets sets = {.rows = &rows};
    struct tm_buf detail = {0};
    struct tm_error err = {0};
    struct tm_arg_sets_note note = {0}, other_note = {0};
    int64_t set, again;
    put_detail(&detail, "a", 1);
    ok(!tm_arg_sets_recall(&sets, &source, &note, &set));
    ok(tm_arg_sets_add(&sets, detail.data, detail.len, &set, &err) == TM_OK);
    ok(!tm_arg_sets_recall(&sets, &source, &note, &again));
    note.note = 77;
    ok(tm_arg_sets_add_noted(&sets, tm_text_at(detail.data, detail.len), &note, &again, &err) == TM_OK && again == set);
    note = (struct tm_arg_sets_note){0};
    ok(tm_arg_sets_recall(&sets, &source, &note, &again) && again == set && note.note == 77);
    ok(!tm_arg_sets_recall(&sets, &other, &other_note, &again));
    for (uint64_t i = 0; i < SETS; i++) {
        tm_buf_clear(&detail);
        if (tm_detail_arg_uint(&detail, "n", i) < 0 ||
            tm_arg_sets_add(&sets, detail.data, detail.len, &again, &err) != TM_OK)
            break;
    }
    is_int(again, SETS);
    ok_named(!tm_arg_sets_recall(&sets, &source, &note, &again), "a set that is not remembered is not recalled");
    put_detail(&detail, "a", 1);
    ok(tm_arg_sets_add(&sets, detail.data, detail.len, &again, &err) == TM_OK && again == SETS + 1);
    tm_arg_sets_release(&sets);
    tm_buf_release(&detail);
    tm_buf_release(&got.keys);
}

/* The oldest args are forgotten. */
static void test_kept(void)
{
    enum { SETS = 20000, BYTES = 300 };
    struct tm_kept_args kept = {0};
    struct tm_error err = {0};
    struct tm_text args = {0};
    uint8_t bytes[BYTES];
    bool good = true;
    for (int64_t set = 0; set < SETS; set++) {
        memset(bytes, (int)(set % 251), sizeof bytes);
        good = good && tm_kept_args_put(&kept, set, (struct tm_text){bytes, sizeof bytes}, &err) == TM_OK &&
               tm_kept_args_find(&kept, set, &args) && args.len == BYTES && args.data[BYTES - 1] == set % 251 &&
               args.data[0] == set % 251;
    }
    ok_named(good, "the last args are kept");
    ok_named(!tm_kept_args_find(&kept, 0, &args), "the first ones are forgotten");
    uint32_t found = 0;
    for (int64_t set = 0; set < SETS; set++)
        if (tm_kept_args_find(&kept, set, &args) && (++found, args.data[0] != set % 251))
            good = false;
    ok_named(good && found > 1000 && found < 8000, "those of the last sets are found");
    static const uint8_t many[TM_KEPT_ARGS_BYTES_MAX + 1];
    ok(tm_kept_args_put(&kept, SETS, (struct tm_text){many, sizeof many}, &err) == TM_OK);
    ok_named(!tm_kept_args_find(&kept, SETS, &args), "many args are not kept");
    tm_kept_args_release(&kept);
}

int main(void)
{
    test_join();
    test_recall();
    test_kept();
    return tap_done();
}
