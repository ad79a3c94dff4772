/* Unit tests of Gecko profiles: order of members, damage, limits. t/110-profiles.bats tests the content of rows. */
#include "format/gecko/frame.h"
#include "format/gecko/gecko.h"

#include "json/cursor.h"
#include "format_run.h"
#include "tap.h"

#include <stdlib.h>

#define GIVES(text, want) ok_named(format_gives(&tm_format_gecko, text, want), #want)

#define META "\"meta\":{\"startTime\":5,\"categories\":[{\"name\":\"Other\"}]}"
#define STRINGS "\"stringTable\":[\"f\",\"main\",\"m\"]"
#define FRAMES "\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0],[1]]}"
#define STACKS "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,1],[0,0]]}"
#define SAMPLES "\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[[1,2]]}"
#define THREAD(members) "{\"pid\":1,\"tid\":2," members "}"
#define DEFINED(time) "process " time " pid=1 def process{}\nthread " time " pid=1 tid=2 def thread{}\n"
#define SHOWN DEFINED("2000000") "sample 2000000 pid=1 tid=2 thread frames=main<f\n"
#define HINT "hint 0:0 = 1:5000000 meta.startTime\n"

static void test_order(void)
{
    GIVES("{" META ",\"threads\":[" THREAD(SAMPLES "," STACKS "," FRAMES "," STRINGS) "]}", SHOWN HINT);
    GIVES(" { \"libs\" :[], \"threads\":[" THREAD(STRINGS "," FRAMES "," STACKS "," SAMPLES) "]," META ",} [7",
          SHOWN HINT);
    GIVES("{\"meta\":7,\"libs\":{},\"threads\":{},\"processes\":[null,1,[]],\"shared\":[]}", "");
    GIVES("{\"libs\":[]}", "");
    GIVES("{\"libs\":[],\"threads\":[" THREAD(SAMPLES) "]}",
          "account damaged 1 at 87\n");
    GIVES("{\"libs\":[],\"threads\":[" THREAD(
              "\"samples\":7,\"markers\":[1],\"stringTable\":{},\"frameTable\":null") "]}",
          "");
}

/* The definition of a thread is at the time of its first event, also if that is before 0. */
static void test_early(void)
{
    GIVES("{" META
          ",\"threads\":[" THREAD(STRINGS "," FRAMES "," STACKS ",\"samples\":{\"schema\":{\"stack\":0,\"time\":1},"
                                          "\"data\":[[0,-1],[0,-2],[0,0],[0,1]]}") "]}",
          DEFINED("-1000000") "sample -1000000 pid=1 tid=2 thread frames=main\n"
                              "sample -2000000 pid=1 tid=2 thread frames=main\n"
                              "sample 0 pid=1 tid=2 thread frames=main\n"
                              "sample 1000000 pid=1 tid=2 thread frames=main\n" HINT);
}

static bool refused(const char *text, const char *cause)
{
    return format_refuses(&tm_format_gecko, text, cause);
}

static void test_damage(void)
{
    struct tm_buf text = {0};
    ok(refused("{\"meta\":{}", "byte 10: the document is cut short"));
    ok(refused("{\"meta\":{},\"threads\":[" THREAD("\"samples\":{\"data\":[[1,"), "byte 61: a '}' closes a '['"));
    ok(refused("{\"meta\":{} \"libs\":[]}", "byte 11: a ',' or '}' is expected"));
    ok(refused("{\"meta\":{},\"x\":01}", "byte 15: a number with a leading zero"));
    ok(refused("{\"meta\":{},\"threads\":[" THREAD("\"samples\":{\"time\":[1,tru],\"stack\":[0]}," STACKS "," STRINGS
                                                   "," FRAMES) "]}",
               "byte 60: a value is expected"));
    tm_buf_add_str(&text, "{\"meta\":{}");
    for (int i = 0; i < 20; i++)
        tm_buf_add_str(&text, ",\"processes\":[{\"meta\":{}");
    ok(refused(tm_buf_cstr(&text), "byte 384: processes are nested too deeply"));
    tm_buf_clear(&text);
    tm_buf_add_str(&text, "{\"meta\":{},\"x\":");
    for (int i = 0; i < 3000; i++)
        tm_buf_add_str(&text, "[");
    ok(refused(tm_buf_cstr(&text), "byte 2063: values are nested too deeply"));
    tm_buf_release(&text);
}

/* With skip, rows before the damage are shown. */
static void test_skip(void)
{
    static const struct tm_format_options skip = {TM_DAMAGE_SKIP, false};
    static const char cut[] = "{" META ",\"threads\":[" THREAD(STRINGS "," FRAMES "," STACKS ",\"samples\":{\"schema\":"
                              "{\"stack\":0,\"time\":1},\"data\":[[1,2],[0,3],[1,4");
    char text[sizeof cut];
    memcpy(text, cut, sizeof cut);
    *strrchr(text, '}') = '\0'; /* the one that THREAD adds */
    struct format_run run = format_run(&tm_format_gecko, text, strlen(text), 0, &skip);
    ok(run.status == TM_END &&
       format_run_is(&run, SHOWN "sample 3000000 pid=1 tid=2 thread frames=main\n" HINT "account damaged 1 at 307\n"));
    format_run_release(&run);
    static const char inner[] = "{" META ",\"threads\":[" THREAD(
        SAMPLES "," STRINGS "," FRAMES "," STACKS
                ",\"markers\":{\"schema\":{\"name\":0,\"startTime\":1,\"phase\":2},\"data\":[[2,1,0],[2,,2]]}") "]}";
    run = format_run(&tm_format_gecko, inner, strlen(inner), 0, &skip);
    char account[64];
    snprintf(account, sizeof account, "\naccount damaged 1 at %d\n", (int)(strstr(inner, ",,") + 1 - inner));
    ok(run.status == TM_END && strstr((const char *)run.text.data, "instant 1000000 pid=1 tid=2 track 'm' track=") &&
       strstr((const char *)run.text.data, account));
    format_run_release(&run);
}

/* Salvage of damaged TEXT gives SAMPLES, which are the lines that begin with WORD, and ACCOUNTS. */
static bool salvages(const char *text, const char *word, const char *want)
{
    static const struct tm_format_options salvage = {TM_DAMAGE_SALVAGE, false};
    struct format_run run = format_run(&tm_format_gecko, text, strlen(text), 0, &salvage);
    struct tm_buf got = {0};
    char *save = NULL, *lines = run.text.data ? strdup(tm_buf_cstr(&run.text)) : NULL;
    for (char *line = lines ? strtok_r(lines, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save))
        if (strncmp(line, word, strlen(word)) == 0 || strncmp(line, "account", 7) == 0)
            (void)tm_buf_addf(&got, "%s\n", line);
    bool good = run.status == TM_END && strcmp(got.data ? tm_buf_cstr(&got) : "", want) == 0;
    if (!good)
        printf("# %d %s\n# %s", run.status, run.err.text, got.data ? tm_buf_cstr(&got) : "nothing\n");
    free(lines);
    tm_buf_release(&got);
    format_run_release(&run);
    return good;
}

#define TABLES STRINGS "," FRAMES "," STACKS
#define ROWS(rows) "\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[" rows "]}"
#define PROFILE(threads) "{" META ",\"threads\":[" threads "]}"
#define SAMPLE(time, frames) "sample " time " pid=1 tid=2 thread frames=" frames "\n"

static void test_salvage(void)
{
    static const char payload[] = PROFILE(
        "{\"pid\":1,\"tid\":2," TABLES ",\"markers\":{\"schema\":{\"name\":0,\"startTime\":1,\"endTime\":2,"
        "\"phase\":3,\"data\":4},\"data\":[[2,1,0,0],[2,2,0,0,{\"x\":01,\"stack\":{\"tid\":9,\"samples\":{\"data\":"
        "[[1,2]],\"schema\":{}}},\"a\":[1,2]}],[2,3,0,0]]}}");
    static const char border[] =
        "{" META ",\"threads\":[],\"processes\":[{" META ",\"threads\":[" THREAD(ROWS("[1,1],[1,2x]") "," TABLES)
        ",{\"pid\":7,\"tid\":2," ROWS("[1,4]") "," TABLES "}]}]}";
    /* Rows: damage in one, a missing comma, a quote that makes the rest a string. */
    ok(salvages(PROFILE(THREAD(ROWS("[1,1],[1,2x],[1,3],[1,4]") "," TABLES)), "sample",
                SAMPLE("1000000", "main<f") SAMPLE("3000000", "main<f") SAMPLE("4000000", "main<f")
                "account damaged 1 at 143\naccount skipped_bytes 7 at 139\n"));
    ok(salvages(PROFILE(THREAD(ROWS("[1,1][1,2],[1,3]") "," TABLES)), "sample",
                SAMPLE("1000000", "main<f") SAMPLE("3000000", "main<f")
                "account damaged 1 at 138\naccount skipped_bytes 6 at 138\n"));
    ok(salvages(PROFILE(THREAD(ROWS("[1,1],[\"1,2],[1,3],[1,4]") "," TABLES)), "sample",
                SAMPLE("1000000", "main<f") SAMPLE("3000000", "main<f") SAMPLE("4000000", "main<f")
                "account damaged 1 at 161\naccount skipped_bytes 7 at 139\n"));
    /* The content of payloads is neither a row nor a thread. */
    ok(salvages(payload, "instant", "instant 1000000 pid=1 tid=2 track 'm' track=9b70df0979265c8d\n"
                "instant 3000000 pid=1 tid=2 track 'm' track=9b70df0979265c8d\n"
                "account damaged 1 at 350\naccount skipped_bytes 86 at 336\n"));
    /* A table with references to it is complete up to the damage. Rows that refer beyond it are dropped, and the next
     * thread is complete. */
    ok(salvages(PROFILE(THREAD("\"stringTable\":[\"f\",7x],\"a\":1," ROWS("[0,1],[1,2]") "," FRAMES "," STACKS) ","
                        THREAD(ROWS("[0,3]") "," TABLES)), "sample",
                SAMPLE("3000000", "main") "account damaged 3 at 104\naccount skipped_bytes 9 at 104\n"));
    ok(salvages(PROFILE(THREAD("\"stringTable\":[\"f\",\"main\",7x]," ROWS("[0,1],[1,2]") "," FRAMES "," STACKS)),
                "sample",
                SAMPLE("1000000", "main")
                    SAMPLE("2000000", "main<f") "account damaged 1 at 111\naccount skipped_bytes 3 at 111\n"));
    /* Columns: rows beyond the shortest are dropped, and the next column is read. */
    ok(salvages(
        PROFILE(THREAD("\"samples\":{\"stack\":[1,0x,1],\"time\":[1,2,3]},\"stringArray\":[\"f\"],\"frameTable\":"
                       "{\"func\":[0]},\"funcTable\":{\"name\":[0],\"resource\":[-1]},\"stackTable\":"
                       "{\"prefix\":[null,0],\"frame\":[0,0]}")),
        "sample", SAMPLE("1000000", "f<f") "account damaged 3 at 107\naccount skipped_bytes 5 at 107\n"));
    /* The border between two processes is lost, so the start of their times is unknown. */
    ok(salvages(border, "sample",
                SAMPLE("1000000", "main<f") "account damaged 2 at 225\naccount skipped_bytes 9 at 221\n"));
}

/* Every cut and every changed byte of a document ends with a status. */
static void test_every_byte(void)
{
    static const char text[] = "{" META ",\"libs\":[{\"start\":1,\"end\":2,\"name\":\"l\"}],\"threads\":[" THREAD(
        SAMPLES
        "," STRINGS "," FRAMES "," STACKS
        ",\"markers\":{\"schema\":{\"name\":0,\"startTime\":1,\"endTime\":2,\"phase\":3,\"category\":4,\"data\":5},"
        "\"data\":[[2,1,2,1,0,{\"a\":{\"b\":[1]}}]]}") ",{\"pid\":\"x\",\"samples\":{\"stack\":[0],\"timeDeltas\":[1e3]"
                                                       "},"
                                                       "\"markers\":{\"name\":[0],\"startTime\":[1],\"endTime\":[null],"
                                                       "\"phase\":[2],\"category\":[0],\"data\":[{}]}}],"
                                                       "\"shared\":{\"stringArray\":[\"s\"],\"funcTable\":{\"name\":[0]"
                                                       ",\"resource\":[-1]},\"frameTable\":{\"func\":[0]},"
                                                       "\"stackTable\":{\"prefix\":[null],\"frame\":[0]}}}";
    static const struct tm_format_options options[] = {
        {TM_DAMAGE_HALT, true}, {TM_DAMAGE_SKIP, true}, {TM_DAMAGE_SALVAGE, true}};
    static const char changes[] = "\"{}[],:9x";
    char copy[sizeof text];
    bool good = true;
    for (size_t i = 0; i < 3 * strlen(text) && good; i++) {
        size_t at = i / 3, len = strlen(text);
        memcpy(copy, text, sizeof text);
        if (i % 3 == 0)
            len = at;
        else
            copy[at] = changes[(at + i) % (sizeof changes - 1)];
        struct format_run run = format_run(&tm_format_gecko, copy, len, 0, &options[at % 3]);
        good = run.status == TM_END || (run.status == TM_E_INPUT && strncmp(run.err.text, "byte ", 5) == 0);
        good = good && strstr((const char *)run.text.data, "STREAM") == NULL;
        if (!good)
            printf("# %zu: %d %s\n", i, run.status, run.err.text);
        format_run_release(&run);
    }
    ok(good);
}

/* Numbers beyond the end of a table, and values that are no numbers. */
static void test_numbers(void)
{
    GIVES("{" META
          ",\"threads\":[" THREAD(STRINGS "," FRAMES "," STACKS ",\"samples\":{\"schema\":{\"stack\":0,\"time\":1},"
                                          "\"data\":[[2,1],[-1,2],[4294967295,3],[1e0,4],[1,NaN],[1,1e300],[1,\"5\"],["
                                          "1,9223372036854.775807],[1]]}") "]}",
          DEFINED(
              "9223372036854775807") "sample 9223372036854775807 pid=1 tid=2 thread frames=main<f\n" HINT
                                     "account damaged 1 at 290\naccount no_time 4 at 290\naccount no_stack 3 at 290\n");
}

/* A stack deeper than the limit keeps its innermost frames. */
static void test_deep_stack(void)
{
    struct tm_buf text = {0};
    static const struct tm_format_options halt = {TM_DAMAGE_HALT, false};
    tm_buf_add_str(&text, "{" META ",\"threads\":[{\"pid\":1,\"tid\":2," STRINGS "," FRAMES
                          ",\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,1]");
    for (int i = 0; i < 5000; i++)
        tm_buf_addf(&text, ",[%d,0]", i);
    tm_buf_add_str(&text, "]},\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[[5000,1],[4095,2]]}}]}");
    struct format_run run = format_run(&tm_format_gecko, text.data, text.len, 0, &halt);
    const char *got = (const char *)run.text.data;
    ok(run.status == TM_END && strstr(got, "stat gecko_stack_cut 1\n"));
    ok(strstr(got, "sample 1000000 pid=1 tid=2 thread frames=f<f") &&
       strstr(got, "2000000 pid=1 tid=2 thread frames=main<f"));
    format_run_release(&run);
    tm_buf_release(&text);
}

/* TEXT must have the line STAT. */
static bool counts(const struct tm_buf *text, const char *stat)
{
    static const struct tm_format_options halt = {TM_DAMAGE_HALT, false};
    struct format_run run = format_run(&tm_format_gecko, text->data, text->len, 0, &halt);
    bool good = run.status == TM_END && strstr((const char *)run.text.data, stat) != NULL;
    if (!good)
        printf("# %d %s\n# %s\n", run.status, run.err.text, strstr((const char *)run.text.data, "stat"));
    format_run_release(&run);
    return good;
}

/* Each argument of a list states the name of the list, so a short payload can have long arguments. */
static void test_args_cut(void)
{
    enum { NAME = 4000, ELEMENTS = 400 };
    struct tm_buf text = {0};
    tm_buf_add_str(&text, "{" META ",\"threads\":[{\"pid\":1,\"tid\":2," STRINGS "," FRAMES "," STACKS
                          ",\"markers\":{\"schema\":{\"name\":0,\"startTime\":1,\"phase\":2,\"data\":3},\"data\":[");
    for (int marker = 0; marker < 2; marker++) {
        tm_buf_addf(&text, "%s[2,%d,0,{\"a\":\"first\",\"", marker ? "," : "", marker);
        for (int i = 0; i < NAME; i++)
            tm_buf_add_str(&text, "n");
        tm_buf_add_str(&text, "\":[0");
        for (int i = 0; i < ELEMENTS * marker; i++)
            tm_buf_add_str(&text, ",1");
        tm_buf_add_str(&text, "],\"z\":\"last\"}]");
    }
    tm_buf_add_str(&text, "]}}]}");
    ok_named(counts(&text, "stat gecko_args_cut 1\n"), "arguments beyond the limit are counted");
    tm_buf_release(&text);
}

static void test_tracks_shared(void)
{
    enum { FURTHER = 3, OTHERS = 2 /* the process and the thread */, NAMES = TM_GECKO_TRACKS_MAX - OTHERS + FURTHER };
    struct tm_buf text = {0};
    tm_buf_add_str(&text, "{" META ",\"threads\":[{\"pid\":1,\"tid\":2,\"stringTable\":[\"f\"");
    for (int i = 0; i < NAMES; i++)
        tm_buf_addf(&text, ",\"m%d\"", i);
    tm_buf_add_str(&text, "]," FRAMES "," STACKS
                          ",\"markers\":{\"schema\":{\"name\":0,\"startTime\":1,\"phase\":2},\"data\":[[1,0,0]");
    for (int i = 1; i < NAMES; i++)
        tm_buf_addf(&text, ",[%d,%d,0]", i + 1, i);
    tm_buf_add_str(&text, ",[1,99999,0]]}}]}"); /* its track exists */
    char stat[64];
    snprintf(stat, sizeof stat, "stat gecko_marker_tracks_shared %d\n", FURTHER);
    ok_named(counts(&text, stat), "markers beyond the limit of tracks are counted");
    tm_buf_release(&text);
}

/* The times of a child process count from its start, or from that of the outermost process if it states none. */
static void test_child_start(void)
{
    GIVES("{" META ",\"threads\":[],\"processes\":[{\"meta\":{\"startTime\":7},\"threads\":[" THREAD(SAMPLES "," TABLES)
          "]},{\"meta\":{},\"threads\":[" THREAD(SAMPLES "," TABLES) "]}]}",
          DEFINED("4000000") "sample 4000000 pid=1 tid=2 thread frames=main<f\n"
          "thread 2000000 pid=1 tid=2 def thread{}\nsample 2000000 pid=1 tid=2 thread frames=main<f\n" HINT
          "stat gecko_process_without_start 1\n");
}

/* LOCATION is the address WANT; -1: it is a name. */
static void address_is(const char *location, int64_t want)
{
    const struct tm_gecko_process process = {0};
    struct tm_gecko_frame frame = {0};
    tm_gecko_frame_location(&frame, tm_text_str(location), &process);
    ok_named(frame.has_address ? (int64_t)frame.address == want : want == -1, location);
}

static void test_addresses(void)
{
    address_is("0x0", 0);
    address_is("0xf", 15);
    address_is("0x7fffffffffffffff", INT64_MAX);
    address_is("0x07fffffffffffffff", -1);
    address_is("0x", -1);
    address_is("0xF", -1);
    address_is("0xg", -1);
    address_is("1x1", -1);
}

int main(void)
{
    test_addresses();
    test_order();
    test_early();
    test_damage();
    test_skip();
    test_salvage();
    test_every_byte();
    test_numbers();
    test_deep_stack();
    test_child_start();
    test_args_cut();
    test_tracks_shared();
    return tap_done();
}
