/* Unit tests of the rows on their way to a database: they arrive in order with their texts, with and without a thread;
 * an error of the receiver ends the work. */
#include "emit/sqlite/row_queue.h"
#include "tap.h"

#include <stdlib.h>

/* Receives rows: all must come in the order in which send sent them. */
struct receiver {
    int64_t next;
    int64_t fails_at; /* this row is refused */
    bool is_wrong;
    uint32_t copies;
    size_t long_bytes; /* of the last args that are longer than a block; their bytes rise by one */
};

enum { LONG = 3 << 20 };

static char texts[64];

/* The texts of row I. Some are NULL, whatever their length says, or empty. */
static struct tm_text name_of(int64_t i)
{
    return (struct tm_text){i % 7 ? (const uint8_t *)texts + i % 5 : NULL, (size_t)(i % 40)};
}

static struct tm_text category_of(int64_t i)
{
    return (struct tm_text){(const uint8_t *)texts, (size_t)(i % 3)};
}

static bool is_same(struct tm_text a, struct tm_text b)
{
    return (a.data == NULL) == (b.data == NULL) && a.len == b.len &&
           (a.data == NULL || a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static enum tm_status take(struct receiver *r, bool good, int64_t id, struct tm_error *err)
{
    r->is_wrong = r->is_wrong || !good || id != r->next;
    return r->next++ == r->fails_at ? tm_error_set(err, TM_E_SYSTEM, "refused") : TM_OK;
}

static enum tm_status take_slice(void *self, const struct tm_slice_row *row, struct tm_error *err)
{
    return take(self,
                is_same(row->name, name_of(row->id)) && is_same(row->category, category_of(row->id)) &&
                    row->ts == 3 * row->id,
                row->id, err);
}

static enum tm_status take_slice_end(void *self, int64_t id, int64_t dur, int64_t arg_set, struct tm_error *err)
{
    return take(self, dur == id + 1 && arg_set == id + 2, id, err);
}

static enum tm_status take_reading(void *self, int64_t id, const struct tm_thread_reading *reading,
                                   struct tm_error *err)
{
    return take(self, reading->value == id && reading->is_exact, id, err);
}

static enum tm_status take_sched_end(void *self, int64_t id, int64_t dur, struct tm_text state, struct tm_error *err)
{
    return take(self, dur == -id && is_same(state, name_of(id)), id, err);
}

static enum tm_status take_sample(void *self, const struct tm_sample_row *row, struct tm_error *err)
{
    return take(self,
                is_same(row->file_type, category_of(row->ts)) && is_same(row->cpu_mode, name_of(row->ts)) &&
                    row->unwind_error.data == NULL,
                row->ts, err);
}

static enum tm_status take_args(void *self, int64_t set, struct tm_text args, struct tm_error *err)
{
    struct receiver *r = self;
    if (args.len < LONG)
        return take(self, is_same(args, name_of(set)), set, err);
    r->long_bytes = args.len;
    for (size_t i = 0; i < args.len; i++)
        r->is_wrong |= args.data[i] != (uint8_t)i;
    return take(self, true, set, err);
}

static enum tm_status take_frequency(void *self, int64_t ucpu, uint32_t khz, struct tm_error *err)
{
    return take(self, khz == (uint32_t)ucpu, ucpu, err);
}

static enum tm_status take_copy(void *self, int64_t from, int64_t into, int64_t *id, struct tm_error *err)
{
    *id += 10;
    ((struct receiver *)self)->copies++;
    return take(self, from == 1, into, err);
}

static struct tm_rows rows_of(struct receiver *r)
{
    return (struct tm_rows){.self = r, .slice = take_slice, .slice_end = take_slice_end,
                            .slice_thread_begin = take_reading, .slice_thread_end = take_reading,
                            .sched_end = take_sched_end, .sample = take_sample, .args = take_args,
                            .arg_copy = take_copy, .cpu_frequency = take_frequency};
}

/* Sends row I to Q. */
static enum tm_status send(struct tm_row_queue *q, int64_t i, struct tm_error *err)
{
    const struct tm_rows *rows = &q->rows;
    const struct tm_slice_row slice = {.id = i, .ts = 3 * i, .name = name_of(i), .category = category_of(i)};
    const struct tm_sample_row sample = {.ts = i, .file_type = category_of(i), .cpu_mode = name_of(i)};
    const struct tm_thread_reading reading = {.value = i, .is_exact = true};
    switch (i % 8) {
    case 0: return rows->slice(rows->self, &slice, err);
    case 1: return rows->slice_end(rows->self, i, i + 1, i + 2, err);
    case 2: return rows->slice_thread_begin(rows->self, i, &reading, err);
    case 3: return rows->slice_thread_end(rows->self, i, &reading, err);
    case 4: return rows->sched_end(rows->self, i, -i, name_of(i), err);
    case 5: return rows->sample(rows->self, &sample, err);
    case 6: return rows->args(rows->self, i, name_of(i), err);
    default: return rows->cpu_frequency(rows->self, i, (uint32_t)i, err);
    }
}

/* Sends COUNT rows, the last one a copy of args, which is answered at once. */
static void test_order(int64_t count)
{
    struct receiver r = {.fails_at = -1};
    const struct tm_rows to = rows_of(&r);
    struct tm_row_queue q;
    struct tm_error err = {0};
    enum tm_status st = TM_OK;
    int64_t id = 5;
    tm_row_queue_init(&q, &to);
    for (int64_t i = 0; st == TM_OK && i < count; i++)
        st = send(&q, i, &err);
    ok(st == TM_OK);
    ok(q.rows.arg_copy(q.rows.self, 1, count, &id, &err) == TM_OK);
    is_int(r.next, count + 1);
    ok_named(id == 15 && r.copies == 1 && !r.is_wrong, "rows arrive in order, and a copy is answered");
    st = send(&q, count + 1, &err);
    ok(st == TM_OK && tm_row_queue_drain(&q, &err) == TM_OK && r.next == count + 2);
    tm_row_queue_release(&q);
}

/* Row FAILS_AT of many is refused. */
static void test_error(int64_t fails_at)
{
    enum { MANY = 100000 };
    struct receiver r = {.fails_at = fails_at};
    const struct tm_rows to = rows_of(&r);
    struct tm_row_queue q;
    struct tm_error err = {0};
    enum tm_status st = TM_OK;
    tm_row_queue_init(&q, &to);
    for (int64_t i = 0; st == TM_OK && i < MANY; i++)
        st = send(&q, i, &err);
    if (st == TM_OK)
        st = tm_row_queue_drain(&q, &err);
    ok(st == TM_E_SYSTEM);
    is_str(err.text, "refused");
    ok_named(r.next == fails_at + 1 && !r.is_wrong, "no row follows the refused one");
    tm_row_queue_release(&q);
}

/* A text that is longer than a block arrives whole. */
static void test_long_text(void)
{
    struct receiver r = {.fails_at = -1};
    const struct tm_rows to = rows_of(&r);
    struct tm_row_queue q;
    struct tm_error err = {0};
    uint8_t *text = calloc(LONG, 1);
    for (size_t i = 0; text && i < LONG; i++)
        text[i] = (uint8_t)i;
    tm_row_queue_init(&q, &to);
    ok(text && send(&q, 0, &err) == TM_OK && q.rows.args(q.rows.self, 1, (struct tm_text){text, LONG}, &err) == TM_OK);
    ok(tm_row_queue_drain(&q, &err) == TM_OK && r.next == 2 && !r.is_wrong && r.long_bytes == LONG);
    tm_row_queue_release(&q);
    free(text);
}

/* Returns state I: open and ended ones, with short, long, empty and no texts, with and without facts about the wait. */
static struct tm_thread_state_row state_of(int64_t i)
{
    return (struct tm_thread_state_row){.id = i,
                                        .ts = i * 3,
                                        .dur = i % 11 ? -1 : i,
                                        .utid = (uint32_t)(i * 5),
                                        .state = name_of(i),
                                        .ucpu = i % 4 - 1,
                                        .waker_utid = i % 3 - 1,
                                        .waker_id = i % 5 - 1,
                                        .irq_context = i % 3 - 1,
                                        .io_wait = i % 13 ? TM_NO_ID : i,
                                        .blocked_function = i % 17 ? (struct tm_text){0} : category_of(i)};
}

/* The length of a text without data does not count. */
static bool same_text(struct tm_text a, struct tm_text b)
{
    return (a.data == NULL) == (b.data == NULL) &&
           (a.data == NULL || (a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0)));
}

static enum tm_status take_state(void *self, const struct tm_thread_state_row *row, struct tm_error *err)
{
    struct receiver *r = self;
    const struct tm_thread_state_row want = state_of(r->next++);
    (void)err;
    r->is_wrong |= row->id != want.id || row->ts != want.ts || row->dur != want.dur || row->utid != want.utid ||
                   row->ucpu != want.ucpu || row->waker_utid != want.waker_utid || row->waker_id != want.waker_id ||
                   row->irq_context != want.irq_context || row->io_wait != want.io_wait ||
                   !same_text(row->state, want.state) || !same_text(row->blocked_function, want.blocked_function);
    return TM_OK;
}

/* Every state arrives as it was sent, whatever form it has on the way. */
static void test_states(void)
{
    enum { STATES = 20000 };
    struct receiver r = {.fails_at = -1};
    const struct tm_rows to = {.self = &r, .thread_state = take_state};
    struct tm_row_queue q;
    struct tm_error err = {0};
    enum tm_status st = TM_OK;
    tm_row_queue_init(&q, &to);
    for (int64_t i = 0; st == TM_OK && i < STATES; i++) {
        const struct tm_thread_state_row row = state_of(i);
        st = q.rows.thread_state(q.rows.self, &row, &err);
    }
    ok(st == TM_OK && tm_row_queue_drain(&q, &err) == TM_OK && r.next == STATES);
    ok_named(!r.is_wrong, "states arrive unchanged");
    tm_row_queue_release(&q);
}

int main(void)
{
    for (size_t i = 0; i < sizeof texts; i++)
        texts[i] = (char)('a' + i % 26);
    test_order(0);
    test_order(100);
    test_order(200000);
    test_error(3);
    test_error(50000);
    test_long_text();
    test_states();
    return tap_done();
}
