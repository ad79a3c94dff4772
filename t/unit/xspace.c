/* Unit tests of XSpace profiles: recognition, times, damage. t/138-xspace.bats tests the content of rows. */
#include "format/xspace/xspace.h"

#include "format/perfetto/perfetto.h"
#include "format_run.h"
#include "tap.h"

/* Writes a field with BYTES, at most 127 of them. */
static void put(struct tm_buf *b, unsigned id, const void *bytes, size_t len)
{
    tm_pb_put_bytes(b, id, bytes, len);
}

static void put_buf(struct tm_buf *b, unsigned id, struct tm_buf *inner)
{
    put(b, id, inner->data, inner->len);
    tm_buf_release(inner);
}

struct times {
    int64_t timestamp_ns, offset_ps, duration_ps;
};

/* Makes a profile of one line with one event. */
static void put_profile(struct tm_buf *b, const struct times *t)
{
    struct tm_buf plane = {0}, line = {0}, event = {0};
    tm_pb_put_varint(&event, 1, 7);
    tm_pb_put_varint(&event, 2, (uint64_t)t->offset_ps);
    tm_pb_put_varint(&event, 3, (uint64_t)t->duration_ps);
    tm_pb_put_varint(&line, 1, 5);
    tm_pb_put_varint(&line, 3, (uint64_t)t->timestamp_ns);
    put_buf(&line, 4, &event);
    tm_pb_put_varint(&plane, 1, 1);
    put(&plane, 2, "/p", 2);
    put_buf(&plane, 3, &line);
    put_buf(b, 1, &plane);
}

static bool gives(const struct tm_buf *b, enum tm_on_damage on_damage, enum tm_status status, const char *want)
{
    struct tm_format_options options = {on_damage, false};
    struct format_run run = format_run(&tm_format_xspace, b->data, b->len, 0, &options);
    const char *text = (const char *)run.text.data;
    bool good = run.status == status && (status < 0 ? strcmp(run.err.text, want) == 0 : strstr(text, want) != NULL);
    if (!good)
        printf("# status %d: %s\n%s\n", run.status, run.err.text, text);
    format_run_release(&run);
    return good;
}

static bool time_is(int64_t timestamp_ns, int64_t offset_ps, int64_t duration_ps, const char *want)
{
    struct tm_buf b = {0};
    struct times t = {timestamp_ns, offset_ps, duration_ps};
    put_profile(&b, &t);
    bool good = gives(&b, TM_DAMAGE_HALT, TM_END, want);
    tm_buf_release(&b);
    return good;
}

static void test_times(void)
{
    ok(time_is(0, 0, 1, "complete 0 dur=0 "));
    ok(time_is(5, 1999, 1, "complete 6 dur=1 "));
    ok(time_is(5, 1999, 1000, "complete 6 dur=1 "));
    ok(time_is(5, 1000, 1999, "complete 6 dur=1 "));
    ok(time_is(5, -1, 1, "complete 4 dur=1 "));
    ok(time_is(5, -1000, 999, "complete 4 dur=0 "));
    ok(time_is(5, 3000, 0, "instant 8 "));
    ok(time_is(0, INT64_MAX, 0, "instant 9223372036854775 "));
    ok(time_is(0, INT64_MAX, 1, "account out_of_range 1 at "));
    ok(time_is(INT64_MAX, 1000, 1, "account out_of_range 1 at "));
    ok(time_is(0, 0, -1, "account out_of_range 1 at "));
}

/* Slices of a line that touch or nest in picoseconds do the same in nanoseconds. */
static void test_no_crossing(void)
{
    bool good = true;
    for (int64_t a = 0; a < 3000 && good; a += 250)
        for (int64_t b = a; b < 3000 && good; b += 250) {
            char want[64];
            snprintf(want, sizeof want, b > a ? "complete %lld dur=%lld " : "instant %lld ", (long long)(a / 1000),
                     (long long)(b / 1000 - a / 1000));
            good = time_is(0, a, b - a, want);
        }
    ok_named(good, "both ends are rounded down");
}

static void test_damage(void)
{
    struct tm_buf b = {0};
    const struct times t = {1, 2000, 3000};
    put_profile(&b, &t);
    ok(gives(&b, TM_DAMAGE_HALT, TM_END, "complete 3 dur=3 pid=1073741825 tid=1073741826 thread 'event 7'"));
    size_t whole = b.len;
    b.len = whole - 1;
    ok(gives(&b, TM_DAMAGE_HALT, TM_E_INPUT, "byte 23: the profile is cut short"));
    ok(gives(&b, TM_DAMAGE_SALVAGE, TM_END, "account damaged 2 at 14"));
    b.len = whole;
    tm_buf_add(&b, "\x7f", 1);
    ok(gives(&b, TM_DAMAGE_HALT, TM_E_INPUT, "byte 24: no plane of a profile"));
    ok(gives(&b, TM_DAMAGE_SKIP, TM_END, "account skipped_bytes 1 at 24"));
    tm_buf_release(&b);
}

static const char *type_of(const char *bytes, size_t len)
{
    const struct tm_format *format = tm_format_sniff((const uint8_t *)bytes, len);
    return format ? tm_input_type_name(format->type) : "none";
}

#define TYPE_IS(bytes, name) ok_named(strcmp(type_of(bytes, sizeof(bytes) - 1), name) == 0, name)

static void test_sniff(void)
{
    TYPE_IS("\x0a\x06\x12\x04/cpu", "xspace");
    TYPE_IS("\x0a\x08\x08\x01\x12\x04/cpu", "xspace");
    TYPE_IS("\x0a\x0a\x12\x04/cpu\x1a\x02\x08\x01", "xspace");
    /* a packet's field 1 is a bundle of ftrace, 2 a process tree, 3 a number, 8 its time */
    TYPE_IS("\x0a\x04\x0a\x02\x08\x01", "proto");
    TYPE_IS("\x0a\x06\x12\x04\x0a\x02\x08\x01", "proto");
    TYPE_IS("\x0a\x04\x18\x01\x40\x05", "proto");
    TYPE_IS("\x0a\x02\x40\x05", "proto");
    TYPE_IS("\x0a\x08\x12\x04/cpu\x40\x05", "proto"); /* after the name a field that a plane does not have */
    TYPE_IS("\x0a\x00", "proto");
}

int main(void)
{
    test_times();
    test_no_crossing();
    test_damage();
    test_sniff();
    return tap_done();
}
