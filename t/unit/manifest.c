/* Unit tests of the text of a manifest: refused texts, their messages, and the results of accepted ones. */
#include "manifest/manifest.h"

#include "manifest_refusals.h"
#include "tap.h"

#include <stdlib.h>

static void all_problems(const struct tm_manifest *manifest, struct tm_buf *all)
{
    static const char prefix[] = "perfetto_manifest: ";
    tm_buf_clear(all);
    for (const char *line = NULL; (line = tm_manifest_problems_next(&manifest->problems, line)) != NULL;) {
        const char *text = strncmp(line, prefix, sizeof prefix - 1) == 0 ? line + sizeof prefix - 1 : line;
        const char *place = strstr(text, ", line ");
        (void)tm_buf_addf(all, "%.*s\n", (int)(place ? (size_t)(place - text) : strlen(text)), text);
    }
}

static void test_refusals(const struct refusal *cases, size_t count)
{
    struct tm_buf all = {0};
    for (size_t i = 0; i < count; i++) {
        struct tm_manifest manifest = {0};
        struct tm_error err = {0};
        /* A copy without a NUL at its end, so a sanitizer detects a read past the end. */
        size_t len = strlen(cases[i].text);
        char *text = malloc(len + 1);
        memcpy(text, cases[i].text, len);
        text = realloc(text, len ? len : 1);
        enum tm_status st = tm_manifest_read(&manifest, text, len, &err);
        all_problems(&manifest, &all);
        is_str(tm_buf_cstr(&all), cases[i].problems);
        if (st != TM_E_INPUT || strncmp(err.text, "perfetto_manifest: ", 19) != 0)
            ok_named(false, cases[i].text);
        tm_manifest_release(&manifest);
        free(text);
    }
    tm_buf_release(&all);
}

/* Every cut of a valid manifest is an error and reads no byte past its end. */
static void test_cuts(void)
{
    static const char text[] =
        M("\"files\": [" PHONE ", {\"path\": \"\\u00e9\\ud83d\\ude00\\n\", \"x\": [-1.5e+3, true]}]");
    size_t noticed = 0, len = sizeof text - 1;
    for (size_t cut = 0; cut <= len; cut++) {
        struct tm_manifest manifest = {0};
        struct tm_error err = {0};
        char *copy = malloc(cut ? cut : 1);
        memcpy(copy, text, cut);
        noticed += tm_manifest_read(&manifest, copy, cut, &err) == TM_E_INPUT;
        tm_manifest_release(&manifest);
        free(copy);
    }
    is_int(noticed, len);
}

static void repeat(struct tm_buf *buf, const char *s, size_t count)
{
    for (size_t i = 0; i < count; i++)
        (void)tm_buf_add_str(buf, s);
}

static enum tm_status read_buf(const struct tm_buf *buf, struct tm_error *err)
{
    struct tm_manifest manifest = {0};
    *err = (struct tm_error){0};
    enum tm_status st = tm_manifest_read(&manifest, buf->data, buf->len, err);
    tm_manifest_release(&manifest);
    return st;
}

static void test_limits(void)
{
    struct tm_buf buf = {0};
    struct tm_error err;
    for (size_t depth = 125; depth <= 127; depth++) {
        tm_buf_clear(&buf);
        repeat(&buf, "{\"perfetto_manifest\": {\"version\": 1, \"x\": ", 1);
        repeat(&buf, "[", depth);
        repeat(&buf, "]", depth);
        repeat(&buf, "}}", 1);
        is_int(read_buf(&buf, &err), depth <= 126 ? TM_OK : TM_E_INPUT);
    }
    is_str(err.text, "perfetto_manifest: line 1, column 169: nested deeper than the limit of 128");
    tm_buf_clear(&buf);
    repeat(&buf, "[", 1000000);
    is_int(read_buf(&buf, &err), TM_E_INPUT);
    tm_buf_clear(&buf);
    repeat(&buf, "[", 1);
    repeat(&buf, "1,", TM_JSON_TEXT_VALUES_MAX);
    repeat(&buf, "1]", 1);
    is_int(read_buf(&buf, &err), TM_E_INPUT);
    ok(strstr(err.text, "more values than the limit of 4194304") != NULL);
    tm_buf_clear(&buf);
    (void)tm_buf_reserve(&buf, TM_JSON_TEXT_BYTES_MAX + 1);
    memset(buf.data, ' ', TM_JSON_TEXT_BYTES_MAX + 1);
    buf.len = TM_JSON_TEXT_BYTES_MAX + 1;
    is_int(read_buf(&buf, &err), TM_E_INPUT);
    is_str(err.text, "perfetto_manifest: larger than the limit of 67108864 bytes");
    tm_buf_clear(&buf);
    repeat(&buf, "{", 1);
    repeat(&buf, "\"k\":1,", 5000);
    repeat(&buf, "\"k\":1}", 1);
    struct tm_manifest manifest = {0};
    is_int(tm_manifest_read(&manifest, buf.data, buf.len, &err), TM_E_INPUT);
    is_int(manifest.problems.count, 5000);
    int lines = 0;
    for (const char *line = NULL; (line = tm_manifest_problems_next(&manifest.problems, line)) != NULL;)
        lines++;
    is_int(lines, TM_MANIFEST_PROBLEMS_MAX);
    tm_manifest_release(&manifest);
    tm_buf_release(&buf);
}

/* The time for a long manifest of entries that refer to each other is in proportion to its length. */
static void test_many(void)
{
    enum { COUNT = 30000 };
    struct tm_buf buf = {0};
    struct tm_manifest manifest = {0};
    struct tm_error err = {0};
    repeat(&buf, "{\"perfetto_manifest\": {\"version\": 1, \"files\": [" RELAY, 1);
    for (int i = 0; i < COUNT; i++)
        (void)tm_buf_addf(&buf,
                          ",{\"path\": \"f%d\", \"machine\": {\"name\": \"m%d\"}, \"clocks\": {\"sync_to\": "
                          "{\"file\": \"%s%d\", \"machine\": \"m%d\"}, \"offset_ns\": %d}}",
                          i, i, "f", COUNT - 1 - i, COUNT - 1 - i, i);
    repeat(&buf, "]}}", 1);
    is_int(tm_manifest_read(&manifest, buf.data, buf.len, &err), TM_OK);
    is_int(manifest.config.message.n_edges, COUNT);
    is_int(manifest.config.message.edges[5]->reference->entry, COUNT - 5);
    tm_manifest_release(&manifest);
    tm_buf_release(&buf);
}

/* Writes a manifest's Config to OUT as text, so one comparison covers all of it. */
static void describe(const Tracemerge__Config *c, struct tm_buf *out)
{
    for (size_t i = 0; i < c->n_machines; i++)
        (void)tm_buf_addf(out, "machine %lld %.*s\n", (long long)c->machines[i]->raw_id - (1LL << 32),
                          (int)c->machines[i]->name.len, (const char *)c->machines[i]->name.data);
    for (size_t i = 0; i < c->n_entries; i++) {
        const Tracemerge__ConfigEntry *e = c->entries[i];
        (void)tm_buf_addf(out, "entry %.*s", (int)e->path.len, (const char *)e->path.data);
        if (e->machine_raw_id)
            (void)tm_buf_addf(out, " base %lld", (long long)e->machine_raw_id - (1LL << 32));
        (void)tm_buf_addf(out, "%s%s%s%s", e->whole_file ? " whole" : "", e->has_machines ? " machines" : "",
                          e->pinned ? " pinned" : "", e->own_clock ? " own" : "");
        for (size_t k = 0; k < e->n_machines; k++)
            (void)tm_buf_addf(out, " %u=%lld", e->machines[k]->id, (long long)e->machines[k]->raw_id - (1LL << 32));
        (void)tm_buf_addf(out, "\n");
    }
    for (size_t i = 0; i < c->n_edges; i++) {
        const Tracemerge__ConfigClock *clocks[2] = {c->edges[i]->source, c->edges[i]->reference};
        const int64_t times[2] = {c->edges[i]->source_ns, c->edges[i]->reference_ns};
        for (int k = 0; k < 2; k++) {
            (void)tm_buf_addf(out, "%s%u", k ? " = " : "edge ", clocks[k]->clock);
            if (clocks[k]->machine_raw_id)
                (void)tm_buf_addf(out, "@%lld", (long long)clocks[k]->machine_raw_id - (1LL << 32));
            if (clocks[k]->has_entry)
                (void)tm_buf_addf(out, "/%u", clocks[k]->entry);
            (void)tm_buf_addf(out, " %lld", (long long)times[k]);
        }
        (void)tm_buf_addf(out, "\n");
    }
    if (c->trace_time)
        (void)tm_buf_addf(out, "trace time %u@%lld\n", c->trace_time->clock, (long long)c->trace_time->machine_raw_id);
    for (size_t i = 0; i < c->n_attributes; i++) {
        const Tracemerge__Metadata *m = c->attributes[i];
        (void)tm_buf_addf(out, "%.*s", (int)m->name.len, (const char *)m->name.data);
        if (m->value_case == TRACEMERGE__METADATA__VALUE_INT_VALUE)
            (void)tm_buf_addf(out, " %lld\n", (long long)m->int_value);
        else
            (void)tm_buf_addf(out, " '%.*s'\n", (int)m->str_value.len, (const char *)m->str_value.data);
    }
}

static void test_config(const char *text, const char *want)
{
    struct tm_manifest manifest = {0};
    struct tm_error err = {0};
    struct tm_buf got = {0};
    enum tm_status st = tm_manifest_read(&manifest, text, strlen(text), &err);
    if (st == TM_OK)
        describe(&manifest.config.message, &got);
    else
        (void)tm_buf_add_str(&got, err.text);
    is_str(tm_buf_cstr(&got), want);
    tm_manifest_release(&manifest);
    tm_buf_release(&got);
}

static void test_configs(void)
{
    test_config("\n\t {\"perfetto_manifest\":{\"version\":1}}\n", "");
    test_config("{\"perfetto_manifest\":{\"version\":1, \"Files\": 3, \"new\": {\"path\": []}}, \"other\": 1e999}", "");
    test_config(M("\"trace_time\": {\"clock\": \"BOOTTIME\"}, \"files\": [" PHONE
                  ", {\"path\": \"w\", \"machine\": {\"name\": \"watch\"}}, "
                  "{\"path\": \"app_log.json\", \"clocks\": {\"sync_to\": {\"file\": \"p\", \"clock\": \"BOOTTIME\"}, "
                  "\"offset_ns\": 250000000}}]"),
                "machine 0 phone\nmachine 1 watch\n"
                "entry p base 0 whole\nentry w base 1 whole\nentry app_log.json pinned\n"
                "edge 11/2 0 = 6@0 250000000\n"
                "trace time 6@0\n");
    /* Raw ids by first mention, equal names are one machine, base by id 0 */
    test_config(F("{\"path\": \"a\", \"machines\": [{\"id\": 7, \"name\": \"vm\"}, {\"id\": 0, \"name\": \"h\"}]}, "
                  "{\"path\": \"b\", \"machine\": {\"name\": \"h\"}}, {\"path\": \"c\", \"machines\": []}, "
                  "{\"path\": \"d\", \"machine\": {\"name\": \"H\"}}"),
                "machine 0 vm\nmachine 1 h\nmachine 2 H\n"
                "entry a base 1 machines 7=0 0=1\nentry b base 1 whole\nentry c machines\nentry d base 2 whole\n");
    /* Offsets, references forward, machines of multi-machine files on both sides */
    test_config(F("{\"path\": \"a\", \"clocks\": {\"clock\": \"MONOTONIC\", \"sync_to\": {\"file\": \"r\", "
                  "\"machine\": \"vm\", \"clock\": \"REALTIME\"}, \"offset_ns\": -9223372036854775807}}, " RELAY
                  ", {\"path\": \"s\", \"machines\": [{\"id\": 4294967295, \"name\": \"vm\"}], \"clocks\": "
                  "{\"machine\": \"vm\", \"clock\": \"MONOTONIC_RAW\", \"sync_to\": {\"file\": \"a\"}, "
                  "\"offset_ns\": 9223372036854775807}}"),
                "machine 0 host\nmachine 1 vm\n"
                "entry a\nentry r base 0 machines 0=0 9=1\nentry s machines 4294967295=1\n"
                "edge 3 9223372036854775807 = 1@1 0\n"
                "edge 5@1 0 = 11/0 9223372036854775807\n");
    /* The same clock of one machine: the file's own; a third capture after the second refers to the
     * second's */
    test_config(F("{\"path\": \"a\"}, {\"path\": \"b\", \"clocks\": {\"clock\": \"BOOTTIME\", \"sync_to\": "
                  "{\"file\": \"a\", \"clock\": \"BOOTTIME\"}, \"offset_ns\": 5}}, "
                  "{\"path\": \"c\", \"clocks\": {\"clock\": \"BOOTTIME\", \"sync_to\": "
                  "{\"file\": \"b\", \"clock\": \"BOOTTIME\"}, \"offset_ns\": -0}}, "
                  "{\"path\": \"d\", \"clocks\": {\"sync_to\": {\"file\": \"b\"}}}"),
                "entry a\nentry b own\nentry c own\nentry d pinned\n"
                "edge 6/1 0 = 6 5\nedge 6/2 0 = 6/1 0\nedge 11/3 0 = 11/1 0\n");
    test_config(M("\"attributes\": {\"benchmark\": \"start\\u00e9\", \"run_id\": 9007199254740993, "
                  "\"min\": -9223372036854775808, \"Run_Id\": 0}"),
                "manifest_attribute.benchmark 'start\xc3\xa9'\nmanifest_attribute.run_id 9007199254740993\n"
                "manifest_attribute.min -9223372036854775808\nmanifest_attribute.Run_Id 0\n");
    test_config(
        M("\"trace_time\": {\"clock\": \"REALTIME\", \"file\": \"r\", \"machine\": \"vm\"}, \"files\": [" RELAY "]"),
        "machine 0 host\nmachine 1 vm\nentry r base 0 machines 0=0 9=1\ntrace time 1@4294967297\n");
}

/* Columns are counted in characters; a problem found later may be earlier in the text. */
static void test_places(void)
{
    static const char text[] = "{\"perfetto_manifest\": {\n"
                               "  \"files\": [\n"
                               "    {\"path\": \"\xc3\xa9\", \"clocks\": {\"sync_to\": {\"file\": \"gone\"}}},\n"
                               "    {\"path\": 7},\n"
                               "    {\"path\": \"b\", \"machines\": [{\"id\": 1, \"name\": \"x\"},\n"
                               "      {\"id\": 1, \"name\": \"y\"}, 5]},\n"
                               "    {}],\n"
                               "  \"attributes\": {\"k\": [\"in\", {}], \"good\": \"v\"},\n"
                               "  \"version\": true,\n"
                               "\t\"trace_time\": {\"clock\": \"TSC\"}\n"
                               "}}";
    static const struct {
        const char *problem, *place;
    } expected[] = {
        {"version must be an integer", "line 9, column 14"},
        {"unknown clock name", "line 10, column 26"},
        {"path is not a string (files[1])", "line 4, column 14"},
        {"it is not an object (files[2].machines[2])", "line 6, column 31"},
        {"path is missing (files[3])", "line 7, column 5"},
        {"attributes: 'k' must be", "line 8, column 23"},
        {"files[2].machines[1]: id 1 is already declared", "line 6, column 7"},
        {"sync_to.file names unknown file 'gone'", "line 3, column 41"},
    };
    struct tm_manifest manifest = {0};
    struct tm_error err = {0};
    const char *line = NULL;
    ok(tm_manifest_read(&manifest, text, sizeof text - 1, &err) == TM_E_INPUT);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        line = tm_manifest_problems_next(&manifest.problems, line);
        if (line == NULL || strstr(line, expected[i].problem) == NULL)
            is_str(line ? line : "nothing", expected[i].problem);
        const char *place = line ? strstr(line, "line ") : NULL;
        is_str(place ? place : "nothing", expected[i].place);
        if (line == NULL)
            break;
    }
    ok(line && tm_manifest_problems_next(&manifest.problems, line) == NULL);
    tm_manifest_release(&manifest);
}

/* Searching places back and forth in a large manifest ends. */
static void test_places_end(void)
{
    enum { FILES = 1000 };
    struct tm_manifest manifest = {0};
    struct tm_buf text = {0};
    struct tm_error err = {0};
    size_t told = 0, count = 0;
    tm_buf_add_str(&text, "{\"perfetto_manifest\": {\"version\": 1, \"files\": [");
    for (int i = 0; i < FILES; i++) /* the machine is located first, then the text before it */
        tm_buf_addf(&text, "%s{\"clocks\": 1, \"path\": \"p%d\", \"machine\": 2}", i ? "," : "", i);
    tm_buf_add_str(&text, "]}}");
    ok(tm_manifest_read(&manifest, text.data, text.len, &err) == TM_E_INPUT);
    for (const char *line = NULL; (line = tm_manifest_problems_next(&manifest.problems, line)) != NULL; count++)
        told += strstr(line, ", line 1, column ") != NULL;
    ok_named(count == 1000 && told > 32 && told < count, "most places are found without going back");
    tm_manifest_release(&manifest);
    tm_buf_release(&text);
}

/* The outermost surrogates are pairs, and none is valid alone. */
static void test_surrogates(void)
{
    static const struct {
        const char *text;
        bool is_valid;
    } cases[] = {{"\\ud800\\udc00", true},  {"\\ud800\\udfff", true},  {"\\udbff\\udc00", true},
                 {"\\udbff\\udfff", true},  {"\\ud7ff", true},         {"\\ue000", true},
                 {"\\udc00", false},        {"\\udfff", false},        {"\\ud800", false},
                 {"\\udbff", false},        {"\\ud800\\udbff", false}, {"\\ud800\\ue000", false}};
    struct tm_buf buf = {0};
    struct tm_error err;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tm_buf_clear(&buf);
        (void)tm_buf_addf(&buf, "{\"perfetto_manifest\": {\"version\": 1, \"x\": \"%s\"}}", cases[i].text);
        ok_named(read_buf(&buf, &err) == (cases[i].is_valid ? TM_OK : TM_E_INPUT), cases[i].text);
    }
    tm_buf_release(&buf);
}

int main(void)
{
    test_places();
    test_places_end();
    test_refusals(conditions, sizeof conditions / sizeof *conditions);
    test_refusals(others, sizeof others / sizeof *others);
    test_refusals(syntax, sizeof syntax / sizeof *syntax);
    test_cuts();
    test_limits();
    test_surrogates();
    test_many();
    test_configs();
    return tap_done();
}
