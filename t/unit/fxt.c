/* Unit tests of Fuchsia traces: ticks, flows, damage, limits. t/116-fxt.bats tests the content of rows. */
#include "format/fuchsia/fuchsia.h"

#include "format/fuchsia/flows.h"
#include "format/fuchsia/words.h"
#include "format_run.h"
#include "tap.h"

#define MAGIC UINT64_C(0x0016547846040010)

/* Writes the header of a record of TYPE with WORDS words in all and FIELDS. */
static void put_header(struct tm_buf *b, unsigned type, uint64_t words, uint64_t fields)
{
    uint8_t bytes[8];
    tm_put_le64(bytes, type | words << 4 | fields);
    tm_buf_add(b, bytes, sizeof bytes);
}

static void put_word(struct tm_buf *b, uint64_t word)
{
    uint8_t bytes[8];
    tm_put_le64(bytes, word);
    tm_buf_add(b, bytes, sizeof bytes);
}

/* Writes text of at most eight bytes, padded. */
static void put_text(struct tm_buf *b, const char *text)
{
    uint8_t bytes[8] = {0};
    memcpy(bytes, text, strlen(text));
    tm_buf_add(b, bytes, sizeof bytes);
}

static void put_provider(struct tm_buf *b, uint64_t id)
{
    put_header(b, 0, 2, UINT64_C(1) << 16 | id << 20 | UINT64_C(1) << 52);
    put_text(b, "p");
}

/* Writes an instant of thread 1 in process 2, category "c". */
static void put_instant(struct tm_buf *b, uint64_t ticks, const char *name)
{
    put_header(b, 4, 6, UINT64_C(0x8001) << 32 | (0x8000 | (uint64_t)strlen(name)) << 48);
    put_word(b, ticks);
    put_word(b, 2);
    put_word(b, 1);
    put_text(b, "c");
    put_text(b, name);
}

static void put_ticks(struct tm_buf *b, uint64_t per_second)
{
    put_header(b, 1, 2, 0);
    put_word(b, per_second);
}

#define INSTANT(time, name) "instant " time " pid=2 tid=1 thread '" name "' [c]\n"

static bool gives(const struct tm_buf *b, enum tm_on_damage on_damage, enum tm_status status, const char *want)
{
    struct tm_format_options options = {on_damage, false};
    bool good = true;
    for (size_t chunk = 0; chunk < 14 && good; chunk += 13) {
        struct format_run run = format_run(&tm_format_fxt, b->data, b->len, chunk, &options);
        good = run.status == status && (status < 0 ? strcmp(run.err.text, want) == 0 : format_run_is(&run, want));
        if (!good)
            printf("# status %d: %s\n", run.status, run.err.text);
        format_run_release(&run);
    }
    return good;
}

static bool ticks_are(uint64_t ticks, uint64_t per_second, int64_t want)
{
    int64_t ns = -1;
    return tm_fxt_ticks_ns(ticks, per_second, &ns) && ns == want;
}

static void test_ticks(void)
{
    int64_t ns;
    ok(ticks_are(0, 1, 0) && ticks_are(5, 1000000000, 5) && ticks_are(7, 500000000, 14));
    /* 19200000 ticks a second: 625/12 ns each, exactly, rounded down */
    ok(ticks_are(1, 19200000, 52) && ticks_are(12, 19200000, 625) && ticks_are(13, 19200000, 677));
    ok(ticks_are(UINT64_C(177083333333333), 19200000, INT64_C(9223090277777760)));
    /* a quotient whose parts do not fit into one word */
    ok(ticks_are(UINT64_MAX, UINT64_MAX, 1000000000) && ticks_are(UINT64_MAX - 1, UINT64_MAX, 999999999));
    ok(ticks_are(UINT64_C(1) << 63, UINT64_MAX, 500000000) &&
       ticks_are(UINT64_C(3) << 60, UINT64_C(1) << 63, 375000000));
    ok(ticks_are(UINT64_C(9223372036854775807), 1000000000, INT64_MAX));
    ok(!tm_fxt_ticks_ns(UINT64_C(1) << 63, 1000000000, &ns) && !tm_fxt_ticks_ns(1, 0, &ns));
    ok(ticks_are(UINT64_C(18446744073709551615), 2000000001, INT64_C(9223372032243089791)));
    ok(!tm_fxt_ticks_ns(UINT64_MAX, 1999999999, &ns));
}

static bool find(struct tm_fxt_flows *flows, enum tm_fxt_flow_event event, struct tm_fxt_flow_id id, uint64_t *flow)
{
    struct tm_error err = {0};
    return tm_fxt_flows_find(flows, event, id, flow, &err) == TM_OK;
}

static void test_flows(void)
{
    struct tm_fxt_flows flows = {0};
    uint64_t a, b, c, got;
    /* one process began it: any process may continue it */
    ok(find(&flows, TM_FXT_FLOW_BEGIN, (struct tm_fxt_flow_id){1, 7}, &a));
    ok(find(&flows, TM_FXT_FLOW_STEP, (struct tm_fxt_flow_id){2, 7}, &got) && got == a);
    /* a second process began one of the same id: each process means its own, a third means neither */
    ok(find(&flows, TM_FXT_FLOW_BEGIN, (struct tm_fxt_flow_id){2, 7}, &b) && b != a);
    ok(find(&flows, TM_FXT_FLOW_STEP, (struct tm_fxt_flow_id){1, 7}, &got) && got == a);
    ok(find(&flows, TM_FXT_FLOW_STEP, (struct tm_fxt_flow_id){3, 7}, &got) && got != a && got != b);
    ok(find(&flows, TM_FXT_FLOW_END, (struct tm_fxt_flow_id){2, 7}, &got) && got == b);
    ok(find(&flows, TM_FXT_FLOW_END, (struct tm_fxt_flow_id){1, 7}, &got) && got == a);
    /* an ended flow gets no more events, its id is free again, and the next flow with it has another number */
    ok(find(&flows, TM_FXT_FLOW_END, (struct tm_fxt_flow_id){1, 7}, &got) && got != a && got != b);
    ok(find(&flows, TM_FXT_FLOW_BEGIN, (struct tm_fxt_flow_id){1, 7}, &c) && c != a && c != b && c != got);
    ok(find(&flows, TM_FXT_FLOW_BEGIN, (struct tm_fxt_flow_id){1, 7}, &got) && got == c);
    ok(find(&flows, TM_FXT_FLOW_END, (struct tm_fxt_flow_id){4, 7}, &got) && got == c);
    ok(find(&flows, TM_FXT_FLOW_STEP, (struct tm_fxt_flow_id){1, 7}, &got) && got != c && got != a);
    /* a flow without a begin gets the first number */
    ok(find(&flows, TM_FXT_FLOW_STEP, (struct tm_fxt_flow_id){5, 9}, &got));
    ok(find(&flows, TM_FXT_FLOW_BEGIN, (struct tm_fxt_flow_id){6, 9}, &a) && a == got);
    tm_fxt_flows_release(&flows);
}

static void test_providers(void)
{
    struct tm_buf b = {0};
    put_word(&b, MAGIC);
    put_instant(&b, 3, "before");
    put_provider(&b, 4);
    put_ticks(&b, 1000);
    put_instant(&b, 3, "four");
    put_provider(&b, 5);
    put_instant(&b, 3, "five");
    put_header(&b, 0, 1, UINT64_C(2) << 16 | UINT64_C(4) << 20);
    put_instant(&b, 4, "again");
    put_ticks(&b, 0);
    put_instant(&b, 4, "never");
    ok_named(gives(&b, TM_DAMAGE_HALT, TM_END,
                   INSTANT("3", "before") INSTANT("3000000", "four") INSTANT("3", "five") INSTANT("4000000", "again")
                   "account out_of_range 1 at 272\nstat fuchsia_timestamp_overflow 1\n"
                   "row fuchsia_provider.4=p\nrow fuchsia_provider.5=p\n"), "providers");
    tm_buf_release(&b);
}

static void test_damage(void)
{
    struct tm_buf b = {0};
    put_word(&b, MAGIC);
    put_instant(&b, 1, "good");
    put_word(&b, 4); /* size 0 */
    put_instant(&b, 2, "lost");
    put_provider(&b, 3);
    put_instant(&b, 3, "found");
    ok(gives(&b, TM_DAMAGE_HALT, TM_E_INPUT, "byte 56: a record of size 0"));
    ok(gives(&b, TM_DAMAGE_SKIP, TM_END,
             INSTANT("1", "good") "account damaged 1 at 56\naccount skipped_bytes 120 at 56\n"));
    ok(gives(&b, TM_DAMAGE_SALVAGE, TM_END,
             INSTANT("1", "good") INSTANT("3", "found") "account damaged 1 at 56\naccount skipped_bytes 56 at 56\n"
             "row fuchsia_provider.3=p\n"));
    b.len -= 3;
    put_header(&b, 4, 2, 0); /* no longer aligned */
    b.len = 176 - 4;
    ok(gives(&b, TM_DAMAGE_SALVAGE, TM_END,
             INSTANT("1", "good") "account damaged 2 at 56\naccount skipped_bytes 100 at 56\n"
             "row fuchsia_provider.3=p\n"));
    b.len = 56 + 4;
    ok(gives(&b, TM_DAMAGE_HALT, TM_E_INPUT, "byte 56: the last record is cut short"));
    tm_buf_release(&b);
}

/* Writes an argument of TYPE, with its value in the header or in a word of its own. Returns the words. */
static uint64_t put_arg(struct tm_buf *b, unsigned type, const char *name)
{
    static const uint8_t zeros[8];
    const uint64_t len = strlen(name), has_word = type > 2, words = 1 + (len + 7) / 8 + has_word;
    put_word(b, type | words << 4 | (0x8000 | len) << 16 | UINT64_C(5) << 32);
    tm_buf_add(b, name, len);
    tm_buf_add(b, zeros, (8 - len % 8) % 8);
    if (has_word)
        put_word(b, 7);
    return words;
}

/* Writes a record of TYPE with FIELDS, the words of VALUES, which 0 ends, and the argument NAME of ARG_TYPE. */
static void put_with_arg(struct tm_buf *b, unsigned type, uint64_t fields, const uint64_t *values, unsigned arg_type,
                         const char *name)
{
    struct tm_buf rest = {0};
    uint64_t words = 1;
    for (; *values; values++, words++)
        put_word(&rest, *values);
    words += put_arg(&rest, arg_type, name);
    put_header(b, type, words, fields);
    tm_buf_add(b, rest.data, rest.len);
    tm_buf_release(&rest);
}

/* The process of a thread must be a koid, and the weight of a switch or waking a number of 32 bits. */
static void test_wrong_types(void)
{
    enum { INT32 = 1, INT64 = 3, KOID = 8, THREAD = 2, SWITCH = 1, WAKING = 2 };
    const uint64_t times[] = {9, 11, 12, 0};
    struct tm_buf b = {0};
    put_word(&b, MAGIC);
    for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
        const unsigned weight = is_wrong ? INT64 : INT32;
        put_with_arg(&b, 7, (uint64_t)THREAD << 16 | UINT64_C(1) << 40, times + 2, is_wrong ? INT64 : KOID,
                     "process");
        put_with_arg(&b, 8, UINT64_C(1) << 16 | (uint64_t)SWITCH << 60, times, weight, "incoming_weight");
        put_with_arg(&b, 8, UINT64_C(1) << 16 | (uint64_t)SWITCH << 60, times, weight, "outgoing_weight");
        put_with_arg(&b, 8, UINT64_C(1) << 16 | (uint64_t)WAKING << 60, times + 1, weight, "weight");
    }
    ok_named(gives(&b, TM_DAMAGE_HALT, TM_END,
                   "thread pid=7 tid=12 def thread{name=}\nsched_switch 9 pid=12 tid=11 cpu=0 cpu state=80000000 "
                   "prio=0>5 track=5\nsched_switch 9 pid=12 tid=11 cpu=0 cpu state=80000000 prio=5>0 track=0\n"
                   "sched_waking 11 pid=12 tid=12 cpu=0 cpu value=5\naccount damaged 4 at 200\n"
                   "stat fuchsia_invalid_event_arg_type 4\n"),
             "arguments whose type does not fit their name are counted");
    tm_buf_release(&b);
}

/* Tables are bounded, and large records are skipped. */
static void test_limits(void)
{
    struct tm_buf b = {0};
    static const struct tm_format_options halt = {TM_DAMAGE_HALT, false};
    put_word(&b, MAGIC);
    for (uint64_t i = 0; i < 20000; i++)
        put_header(&b, 0, 1, UINT64_C(1) << 16 | i << 20);
    struct format_run run = format_run(&tm_format_fxt, b.data, b.len, 0, &halt);
    ok(run.status == TM_E_INPUT && strcmp(run.err.text, "byte 131072: more than 16384 providers") == 0);
    format_run_release(&run);
    tm_buf_clear(&b);
    put_word(&b, MAGIC);
    put_word(&b, 15 | UINT64_C(5000) << 4); /* more words than any other record may have */
    for (int i = 1; i < 5000; i++)
        put_word(&b, 4);
    put_instant(&b, 1, "behind");
    ok(gives(&b, TM_DAMAGE_HALT, TM_END, INSTANT("1", "behind") "account not_shown 1 at 8\n"));
    b.len -= 56;
    ok(gives(&b, TM_DAMAGE_HALT, TM_E_INPUT, "byte 40000: the last record is cut short"));
    tm_buf_release(&b);
}

/* Every cut and every changed byte ends with a status. */
static void test_every_byte(void)
{
    struct tm_buf b = {0};
    static const struct tm_format_options options[] = {{TM_DAMAGE_HALT, true}, {TM_DAMAGE_SALVAGE, true}};
    bool good = true;
    put_word(&b, MAGIC);
    put_ticks(&b, 1000000);
    put_header(&b, 2, 2, UINT64_C(1) << 16 | UINT64_C(4) << 32);
    put_text(&b, "name");
    put_header(&b, 3, 3, UINT64_C(1) << 16);
    put_word(&b, 10);
    put_word(&b, 11);
    /* a counter with an argument of each size */
    put_header(&b, 4, 7, UINT64_C(0x21) << 16 | UINT64_C(1) << 24 | UINT64_C(1) << 32 | UINT64_C(1) << 48);
    put_word(&b, 5);
    put_word(&b, 1 | 1 << 4 | 1 << 16 | UINT64_C(7) << 32);
    put_word(&b, 6 | 3 << 4 | 1 << 16 | UINT64_C(0x8009) << 32);
    put_text(&b, "some tex");
    put_text(&b, "t");
    put_word(&b, 99);
    put_header(&b, 8, 6, UINT64_C(1) << 16 | UINT64_C(1) << 60);
    put_word(&b, 6);
    put_word(&b, 11);
    put_word(&b, 12);
    put_word(&b, 8 | 2 << 4 | 1 << 16);
    put_word(&b, 5);
    put_header(&b, 7, 3, UINT64_C(2) << 16 | UINT64_C(1) << 24);
    put_word(&b, 11);
    put_word(&b, 0);
    put_header(&b, 5, 3, UINT64_C(0x8001) << 16 | UINT64_C(2) << 32 | UINT64_C(3) << 48);
    put_text(&b, "b");
    put_text(&b, "\x0a");
    for (size_t i = 0; i < 4 * b.len && good; i++) {
        size_t at = i / 4, len = i % 4 ? b.len : at;
        uint8_t was = b.data[at];
        b.data[at] ^= (uint8_t)(i % 4 == 1 ? 0xff : i % 4 == 2 ? 1 : i % 4 == 3 ? 0x10 : 0);
        struct format_run run = format_run(&tm_format_fxt, b.data, len, 0, &options[at & 1]);
        good = run.status == TM_END || (run.status == TM_E_INPUT && strstr(run.err.text, "byte "));
        good = good && strstr((const char *)run.text.data, "STREAM") == NULL;
        if (!good)
            printf("# %zu: %d %s\n", i, run.status, run.err.text);
        format_run_release(&run);
        b.data[at] = was;
    }
    ok(good);
    tm_buf_release(&b);
}

int main(void)
{
    test_ticks();
    test_flows();
    test_providers();
    test_damage();
    test_wrong_types();
    test_limits();
    test_every_byte();
    return tap_done();
}
