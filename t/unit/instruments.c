/* Unit tests of Instruments XML: hostile and damaged documents. t/110-profiles.bats tests the content of rows. */
#include "format/instruments/instruments.h"

#include "os/paged_file.h"
#include "format_run.h"
#include "tap.h"

#define HEAD "<?xml version=\"1.0\"?>\n<trace-query-result>"
#define THREAD "<thread id=\"2\" fmt=\"t\"><tid>5</tid></thread>"
#define ROW(time) "<row><sample-time id=\"1\">" time "</sample-time>" THREAD                                          \
                  "<backtrace id=\"3\"><frame id=\"4\" name=\"f\"/><frame id=\"5\" name=\"main\"/></backtrace></row>"
#define SHOWN(time) "thread " time " tid=5 def thread{name=t}\n"

#define GIVES(text, want) ok_named(format_gives(&tm_format_instruments, text, want), #want)

static void test_rows(void)
{
    GIVES(HEAD "<node>" ROW("7") "</node></trace-query-result>", SHOWN("7") "sample 7 tid=5 thread frames=main<f\n");
    GIVES(HEAD ROW(" -7\n") "</trace-query-result>\n{\"next\"", SHOWN("-7") "sample -7 tid=5 thread frames=main<f\n");
    GIVES(HEAD ROW("x") "</trace-query-result>", "account no_time 1 at 42\n");
    GIVES(HEAD ROW("9223372036854775808") "</trace-query-result>", "account no_time 1 at 42\n");
    /* A row of another table, which states when it starts, is not shown. */
    GIVES(HEAD "<row><start-time>7</start-time>" THREAD "<backtrace><frame name=\"f\"/></backtrace></row>"
               "</trace-query-result>",
          "account not_shown 1 at 42\n");
    GIVES(HEAD "</trace-query-result>", "");
    /* Of two elements of a kind the first counts. Text beside elements and unknown elements change nothing. */
    GIVES(HEAD
          "<row>x<sample-time>1</sample-time><y><sample-time>9</sample-time></y><sample-time>2</sample-time>" THREAD
          "<weight>3</weight><weight>4</weight><core>4294967296</core><!-- c --><backtrace><frame name=\"a\">"
          "<binary name=\"b\"/></frame></backtrace></row></trace-query-result>",
          SHOWN("1") "sample 1 tid=5 thread value=3 frames=a\n");
}

/* The counts of a sample are the numbers in a text. One that is too large ends them. */
static void test_counts(void)
{
    GIVES(HEAD "<row><sample-time>1</sample-time>" THREAD
               "<pmc-events>(10, 0) 205,x7 18446744073709551616 9</pmc-events>"
               "<backtrace><frame name=\"f\"/></backtrace></row></trace-query-result>",
          SHOWN("1") "sample 1 tid=5 thread frames=f\n"
          "counter 1 tid=5 thread 'pmc-events[0]' value=10 derived\n"
          "counter 1 tid=5 thread 'pmc-events[1]' value=0 derived\n"
          "counter 1 tid=5 thread 'pmc-events[2]' value=205 derived\n"
          "counter 1 tid=5 thread 'pmc-events[3]' value=7 derived\n");
}

static void test_refs(void)
{
    /* References to another kind, forward, to itself and without a number; an id far beyond all others. */
    GIVES(HEAD "<row><sample-time ref=\"2\"/>" THREAD "<backtrace id=\"3\"><frame ref=\"2\"/><frame ref=\"3\"/>"
               "<frame ref=\"x\"/><frame ref=\"18446744073709551615\"/><frame ref=\"99999999999999999999\"/>"
               "<frame id=\"4000000000\" name=\"f\"/><frame ref=\"4000000000\"/></backtrace></row>"
               "<row><sample-time>1</sample-time><thread ref=\"2\"/><backtrace ref=\"3\"/></row></trace-query-result>",
          SHOWN("1") "sample 1 tid=5 thread frames=f\naccount no_time 1 at 42\nstat instruments_unknown_ref 7\n");
}

static bool refused(const char *text, const char *cause)
{
    return format_refuses(&tm_format_instruments, text, cause);
}

static void test_damage(void)
{
    ok(refused(HEAD ROW("1"), "byte 213: the document is cut short"));
    ok(refused("<?xml version=\"1.0\"?>\n<!DOCTYPE a [<!ENTITY b \"b\">]><a>&b;</a>",
               "byte 34: a document type declaration is refused"));
    ok(refused(HEAD "&unknown;</trace-query-result>", "byte 42: undefined entity"));
    ok(refused(HEAD "<row></node>", "byte 49: mismatched tag"));
    ok(refused(HEAD "<row a=\"1\" a=\"2\"/>", "byte 53: duplicate attribute"));
    struct tm_buf deep = {0};
    tm_buf_add_str(&deep, HEAD);
    for (int i = 0; i < 70; i++)
        tm_buf_add_str(&deep, "<a>");
    ok(refused(tm_buf_cstr(&deep), "byte 231: elements are nested too deeply"));
    deep.len = strlen(HEAD);
    tm_buf_add_str(&deep, "<path>");
    for (int i = 0; i < 7000; i++)
        tm_buf_add_str(&deep, "0123456789");
    struct format_run run = format_run(&tm_format_instruments, deep.data, deep.len, 0, &(struct tm_format_options){0});
    ok(run.status == TM_E_INPUT && strstr(run.err.text, ": the text of an element is too long"));
    format_run_release(&run);
    tm_buf_release(&deep);
}

static void test_skip(void)
{
    static const struct tm_format_options skip = {TM_DAMAGE_SKIP, false};
    static const char text[] = HEAD ROW("1") "<row><</row>";
    struct format_run run = format_run(&tm_format_instruments, text, strlen(text), 0, &skip);
    ok(run.status == TM_END &&
       format_run_is(&run, SHOWN("1") "sample 1 tid=5 thread frames=main<f\n"
                                      "account damaged 1 at 219\naccount skipped_bytes 12 at 213\n"));
    format_run_release(&run);
    static const char dtd[] = "<!DOCTYPE a>";
    run = format_run(&tm_format_instruments, dtd, strlen(dtd), 0, &skip);
    ok(run.status == TM_END && format_run_is(&run, "account damaged 1 at 11\naccount skipped_bytes 12 at 0\n"));
    format_run_release(&run);
}

/* Every cut and every changed byte of a document ends with a status. */
static void test_every_byte(void)
{
    static const char text[] = HEAD ROW("1") ROW("2") "</trace-query-result>";
    static const struct tm_format_options options[] = {{TM_DAMAGE_HALT, true}, {TM_DAMAGE_SKIP, true}};
    char copy[sizeof text];
    bool good = true;
    for (size_t i = 0; i < 2 * strlen(text) && good; i++) {
        memcpy(copy, text, sizeof text);
        if (i < strlen(text))
            copy[i] = (char)(copy[i] ^ (i % 3 ? 1 : 0x80));
        size_t len = i < strlen(text) ? i : i - strlen(text);
        struct format_run run = format_run(&tm_format_instruments, copy, i < strlen(text) ? strlen(text) : len, 0,
                                           &options[i & 1]);
        good = run.status == TM_END || (run.status == TM_E_INPUT && strncmp(run.err.text, "byte ", 5) == 0);
        good = good && strstr((const char *)run.text.data, "STREAM") == NULL;
        format_run_release(&run);
    }
    ok(good);
}

/* Stacks with more frames than the limit, and with more bytes. */
static void test_large_stack(void)
{
    struct tm_buf text = {0};
    static const struct tm_format_options halt = {TM_DAMAGE_HALT, false};
    tm_buf_add_str(&text, HEAD "<row><sample-time>1</sample-time>" THREAD "<backtrace><frame id=\"9\" name=\"");
    for (int i = 0; i < 1000; i++)
        tm_buf_add_str(&text, "n");
    tm_buf_add_str(&text, "\"/>");
    for (int i = 0; i < 5000; i++)
        tm_buf_add_str(&text, "<frame ref=\"9\"/>");
    tm_buf_add_str(&text, "</backtrace></row></trace-query-result>");
    struct format_run run = format_run(&tm_format_instruments, text.data, text.len, 0, &halt);
    ok(run.status == TM_END && run.text.len > 900000 && run.text.len < 1200000);
    ok(strstr((const char *)run.text.data, "stat instruments_stack_cut 906\n") != NULL);
    format_run_release(&run);
    tm_buf_release(&text);
}

static void test_paged(void)
{
    struct tm_paged_file p;
    struct tm_error err = {0};
    enum { BLOCKS = 4000 };
    uint8_t block[100], want[100];
    bool good = true;
    tm_paged_file_init(&p, NULL, 5 * TM_PAGE_BYTES);
    for (uint64_t i = 0; i < BLOCKS && good; i++) {
        memset(block, (int)(i % 251) + 1, sizeof block);
        good = tm_paged_file_write(&p, i * 7919 % BLOCKS * sizeof block, block, sizeof block, &err) == TM_OK;
    }
    ok(good && p.end == BLOCKS * sizeof block);
    for (uint64_t i = BLOCKS; i-- > 0 && good;) {
        memset(want, (int)(i % 251) + 1, sizeof want);
        good = tm_paged_file_read(&p, i * 7919 % BLOCKS * sizeof block, block, sizeof block, &err) == TM_OK &&
               memcmp(block, want, sizeof block) == 0;
    }
    ok(good);
    memset(want, 0, sizeof want);
    ok(tm_paged_file_write(&p, UINT64_C(1) << 30, "x", 1, &err) == TM_OK &&
       tm_paged_file_read(&p, UINT64_C(1) << 29, block, sizeof block, &err) == TM_OK &&
       memcmp(block, want, sizeof block) == 0);
    ok(tm_paged_file_read(&p, 0, block, 1, &err) == TM_OK && block[0] != 0);
    ok_named(tm_paged_file_read(&p, 1, NULL, 0, &err) == TM_OK, "no bytes are read to nowhere");
    tm_paged_file_clear(&p); /* the page that was used last, too */
    ok(tm_paged_file_read(&p, 0, block, sizeof block, &err) == TM_OK && memcmp(block, want, sizeof block) == 0 &&
       p.end == 0);
    ok(tm_paged_file_write(&p, TM_PAGE_BYTES - 1, "ab", 2, &err) == TM_OK &&
       tm_paged_file_read(&p, 0, block, 2, &err) == TM_OK && block[0] == 0 &&
       tm_paged_file_read(&p, TM_PAGE_BYTES - 1, block, 3, &err) == TM_OK && memcmp(block, "ab\0", 3) == 0);
    tm_paged_file_release(&p);
}

int main(void)
{
    test_paged();
    test_rows();
    test_counts();
    test_refs();
    test_damage();
    test_skip();
    test_every_byte();
    test_large_stack();
    return tap_done();
}
