/* Unit tests of spans: order of members, forms of ids and values, limits. t/112-spans.bats tests real files. */
#include "format/spans/spans.h"

#include "format_run.h"
#include "tap.h"


/* Adds LINE to OUT without track and flows, which depend on hashes. */
static void add_line(struct tm_buf *out, const char *line, size_t len)
{
    static const char *const words[] = {" track=", " flow=", " flow_end=", " bind_in="};
    for (size_t i = 0; i < len;) {
        size_t word = 0;
        while (word < 4 && strncmp(line + i, words[word], strlen(words[word])) != 0)
            word++;
        if (word == 4)
            tm_buf_add_byte(out, (uint8_t)line[i++]);
        else
            i += 1 + strcspn(line + i + 1, " \n");
    }
    tm_buf_add_byte(out, '\n');
}

/* FORMAT gives the rows WANT for TEXT, read at once and in pieces; definitions are not compared. */
static bool gives_rows(const struct tm_format *format, const char *text, const char *want)
{
    static const struct tm_format_options options = {TM_DAMAGE_HALT, false};
    bool good = true;
    for (size_t chunk = 0; chunk < 8 && good; chunk += 7) {
        struct format_run run = format_run(format, text, strlen(text), chunk, &options);
        struct tm_buf got = {0};
        for (const char *line = (const char *)run.text.data; *line; line += strcspn(line, "\n") + 1)
            if (strncmp(line, "process", 7) != 0 && strncmp(line, "track", 5) != 0)
                add_line(&got, line, strcspn(line, "\n"));
        good = run.status == TM_END && strcmp(tm_buf_cstr(&got), want) == 0;
        if (!good)
            printf("# got: %s\n# wanted: %s\n# status %d %s\n", tm_buf_cstr(&got), want, run.status, run.err.text);
        tm_buf_release(&got);
        format_run_release(&run);
    }
    return good;
}

#define ROWS(format, text, want) ok_named(gives_rows(&tm_format_##format, text, want), #text)

#define IDS "\"traceId\":\"0af7651916cd43dd8448eb211c80319c\",\"spanId\":\"b7ad6b7169203331\""
#define SHOWN_IDS " trace_id='0af7651916cd43dd8448eb211c80319c' span_id='b7ad6b7169203331'"
#define TIMES "\"startTimeUnixNano\":\"1700000000000000001\",\"endTimeUnixNano\":\"1700000000000000004\""
#define SLICE "complete 1700000000000000001 dur=3 pid=1073741825 track"
#define RESOURCE "\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":\"s\"}}]}"
#define SPANS(members) "\"spans\":[{" members "}]"
#define REQUEST(members) "{\"resourceSpans\":[{" RESOURCE ",\"scopeSpans\":[{" SPANS(members) "}]}]}"

static void test_otlp_order(void)
{
    const char *want = SLICE " 'n' [l]" SHOWN_IDS "\n", *bare = SLICE " 'n'" SHOWN_IDS "\n";
    ROWS(otlp,
         "{\"resourceSpans\":[{" RESOURCE ",\"scopeSpans\":["
         "{\"scope\":{\"name\":\"l\"}," SPANS("\"name\":\"n\"," IDS "," TIMES) "}]}]}",
         want);
    ROWS(otlp,
         " { \"resource_spans\" : [ { \"scope_spans\" : [ { \"scope\":{\"name\":\"l\"}," SPANS(
             TIMES "," IDS ",\"name\":\"n\"") "} ] , " RESOURCE " } ] } ",
         want);
    ROWS(otlp,
         "{\"batches\":[{\"schemaUrl\":\"\"," RESOURCE ",\"instrumentationLibrarySpans\":["
         "{\"instrumentationLibrary\":{\"name\":\"l\"}," SPANS("\"name\":\"n\"," IDS "," TIMES) "}]}]}",
         want);
    ROWS(otlp, "[" REQUEST("\"name\":\"n\"," IDS "," TIMES) "]", bare);
    ROWS(otlp,
         REQUEST("\"trace_id\":\"CvdlGRbNQ92ESOshHIAxnA==\",\"span_id\":\"t61rcWkgMzE=\",\"name\":\"n\","
                 "\"start_time_unix_nano\":1700000000000000001,\"end_time_unix_nano\":1700000000000000004"),
         bare);
    ROWS(otlp,
         REQUEST("\"traceId\":\"0AF7651916CD43DD8448EB211C80319C\",\"spanId\":\"B7AD6B7169203331\","
                 "\"parentSpanId\":\"0000000000000000\",\"na\\u006de\":\"\\u006e\"," TIMES),
         bare);
    ROWS(otlp,
         "{\"resourceSpans\":null}\n{\"resourceSpans\":[7,{\"scopeSpans\":[7,{\"spans\":{}}]}]}\n{\"resourceLogs\":["
         "{" RESOURCE ",\"scopeLogs\":[{\"logRecords\":[{},{}]}]}]}",
         "account not_shown 2 at 202\nstat spans_lists_missing 1\n");
}

static void test_otlp_values(void)
{
#define VALUE(type, value) "{\"key\":\"k\",\"value\":{\"" type "\":" value "}}"
#define WITH(attributes) REQUEST("\"name\":\"n\"," TIMES ",\"attributes\":[" attributes "]")
    const struct {
        const char *text, *want;
    } cases[] = {
        {WITH(VALUE("stringValue", "\"12\"")), " k='12'"},
        {WITH(VALUE("intValue", "\"9223372036854775807\"")), " k=9223372036854775807"},
        {WITH(VALUE("intValue", "\"-9223372036854775808\"")), " k=-9223372036854775808"},
        {WITH(VALUE("intValue", "\"9223372036854775808\"")), " k='9223372036854775808'"},
        {WITH(VALUE("int_value", "7")), " k=7"},
        {WITH(VALUE("doubleValue", "1")), " k=1"},
        {WITH(VALUE("doubleValue", "0.5")), " k=0.5"},
        {WITH(VALUE("doubleValue", "\"NaN\"")), " k='NaN'"},
        {WITH(VALUE("boolValue", "true")), " k=true"},
        {WITH(VALUE("bytesValue", "\"AAE=\"")), " k='AAE='"},
        {WITH(VALUE("arrayValue", "{\"values\":[{\"intValue\":\"1\"},{\"stringValue\":\"b\"}]}")), " k[0]=1 k[1]='b'"},
        {WITH(VALUE("kvlistValue", "{\"values\":[{\"key\":\"a\",\"value\":{\"arrayValue\":{\"values\":["
                                   "{\"boolValue\":false}]}}}]}")),
         " k.a[0]=false"},
        {WITH("{\"key\":\"k\",\"value\":{}},{\"key\":7},8"), ""},
        {WITH("{\"key\":\"k\",\"value\":\"as it is\"}"), " k='as it is'"},
        {REQUEST("\"name\":\"n\"," TIMES ",\"kind\":\"SPAN_KIND_CLIENT\",\"status\":{\"code\":2,\"message\":\"m\"},"
                 "\"droppedEventsCount\":3,\"traceState\":\"a=b\""),
         " span.kind='client' otel.status_code='ERROR' otel.status_description='m' trace_state='a=b'"
         " otel.dropped_events_count=3"},
        {REQUEST("\"name\":\"n\"," TIMES ",\"kind\":9,\"status\":{\"code\":\"STATUS_CODE_OK\"},"
                 "\"droppedEventsCount\":0,\"traceState\":\"\""),
         " otel.status_code='OK'"},
        {REQUEST("\"name\":\"n\"," TIMES ",\"links\":[{\"traceId\":\"1\",\"spanId\":\"A\","
                 "\"attributes\":[" VALUE("boolValue", "true") "]},{\"traceId\":\"\"}]"),
         " links[0].trace='00000000000000000000000000000001' links[0].span='000000000000000a' "
         "links[0].attributes.k=true"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tm_buf want = {0};
        tm_buf_addf(&want, SLICE " 'n'%s\n", cases[i].want);
        ok_named(gives_rows(&tm_format_otlp, cases[i].text, tm_buf_cstr(&want)), cases[i].text);
        tm_buf_release(&want);
    }
}

static void test_otlp_times(void)
{
    ROWS(otlp, REQUEST("\"name\":\"n\",\"startTimeUnixNano\":\"5\",\"endTimeUnixNano\":\"3\""),
         "complete 5 dur=0 pid=1073741825 track 'n'\n");
    ROWS(otlp, REQUEST("\"name\":\"n\",\"startTimeUnixNano\":\"5\""),
         "complete 5 dur=0 pid=1073741825 track 'n' unfinished=true\n");
    ROWS(otlp,
         REQUEST("\"name\":\"n\",\"startTimeUnixNano\":\"0\",\"events\":[{\"timeUnixNano\":\"6\","
                 "\"name\":\"e\"},{\"name\":\"f\"}]"),
         "instant 6 pid=1073741825 track 'e'\naccount no_time 2 at 122\n");
    ROWS(otlp, REQUEST("\"name\":\"n\",\"startTimeUnixNano\":\"99999999999999999999\""), "account no_time 1 at 122\n");
    ROWS(otlp, REQUEST("\"name\":\"n\",\"startTimeUnixNano\":{\"low\":1,\"high\":2}"), "account no_time 1 at 122\n");
    ROWS(otlp,
         "{\"resourceSpans\":[{" RESOURCE ",\"scopeSpans\":["
         "{\"spans\":[null]}]}]}",
         "account damaged 1 at 122\n");
}

/* A child before its parent is moved after it, whatever spans are between. Spans in a circle have no parent. */
static void test_parents(void)
{
#define SPAN(id, parent)                                                                                               \
    "{\"traceId\":\"1\",\"spanId\":\"" id "\",\"parentSpanId\":\"" parent "\","                                        \
    "\"name\":\"" id "\",\"startTimeUnixNano\":\"5\",\"endTimeUnixNano\":\"9\"}"
#define TREE(spans) "{\"resourceSpans\":[{" RESOURCE ",\"scopeSpans\":[{\"spans\":[" spans "]}]}]}"
#define ROW(id, parent)                                                                                                \
    "complete 5 dur=4 pid=1073741825 track '" id "' trace_id='00000000000000000000000000000001'"                       \
    " span_id='000000000000000" id "'" parent "\n"
#define PARENT(id) " parent_span_id='000000000000000" id "'"
    ROWS(otlp, TREE(SPAN("4", "3") "," SPAN("7", "") "," SPAN("3", "2") "," SPAN("2", "")),
         ROW("2", "") ROW("3", PARENT("2")) ROW("4", PARENT("3")) ROW("7", ""));
    ROWS(otlp, TREE(SPAN("1", "2") "," SPAN("2", "1") "," SPAN("3", "3")),
         ROW("2", PARENT("1")) ROW("1", PARENT("2")) ROW("3", PARENT("3")));
}

static void test_jaeger(void)
{
#define JAEGER_SPAN                                                                                                    \
    "{\"traceID\":\"1\",\"spanID\":\"2\",\"operationName\":\"n\",\"startTime\":5,\"duration\":2,"                      \
    "\"references\":[{\"refType\":\"CHILD_OF\",\"traceID\":\"1\",\"spanID\":\"3\"},{\"refType\":\"FOLLOWS_FROM\","     \
    "\"traceID\":\"1\",\"spanID\":\"4\"}],\"tags\":[{\"key\":\"big\",\"type\":\"int64\","                              \
    "\"value\":\"9223372036854775807\"},{\"key\":\"r\",\"type\":\"float64\",\"value\":2},{\"key\":\"s\","              \
    "\"type\":\"string\",\"value\":\"7\"}],\"logs\":[{\"timestamp\":6,\"fields\":[{\"key\":\"event\","                 \
    "\"value\":\"e\"},{\"key\":\"level\",\"value\":\"info\"}]},{\"timestamp\":7,\"fields\":[]}],"                      \
    "\"processID\":\"p1\"}"
#define PROCESSES "\"processes\":{\"p1\":{\"serviceName\":\"s\"}}"
    static const char want[] =
        "complete 5000 dur=2000 pid=1073741825 track 'n' trace_id='00000000000000000000000000000001'"
        " span_id='0000000000000002' parent_span_id='0000000000000003' big=9223372036854775807 r=2"
        " s='7' links[0].trace='00000000000000000000000000000001' links[0].span='0000000000000004'\n"
        "instant 6000 pid=1073741825 track 'e' span_id='0000000000000002' level='info'\n"
        "instant 7000 pid=1073741825 track 'log' span_id='0000000000000002'\n";
    ROWS(jaeger, "{\"data\":[{\"traceID\":\"1\",\"spans\":[" JAEGER_SPAN "]," PROCESSES "}],\"total\":0}", want);
    ROWS(jaeger, "{\"limit\":0,\"data\":[{" PROCESSES ",\"spans\":[" JAEGER_SPAN "],\"traceID\":\"1\"}]}", want);
    ROWS(jaeger, "{\"traceID\":\"1\",\"spans\":[" JAEGER_SPAN "]," PROCESSES "}", want);
    ROWS(jaeger, "[{\"traceID\":\"1\"," PROCESSES ",\"spans\":[" JAEGER_SPAN "]}]", want);
#define ESCAPED "\"processes\":{\"\\u00701\":{\"serviceName\":\"s\"}}"
    ROWS(jaeger, "[{\"traceID\":\"1\"," ESCAPED ",\"spans\":[" JAEGER_SPAN "]}]", want);
    ROWS(jaeger, "{\"data\":[{\"traceID\":\"1\",\"spans\":null},7,{\"spans\":[8]}]}", "account damaged 1 at 50\n");
}

static void test_zipkin(void)
{
#define ZIPKIN_SPAN                                                                                                    \
    "{\"traceId\":\"0000000000000001\",\"parentId\":\"3\",\"id\":\"2\",\"kind\":\"SERVER\","                           \
    "\"shared\":true,\"name\":\"n\",\"timestamp\":5.25,\"duration\":2,\"localEndpoint\":{\"serviceName\":\"s\","       \
    "\"ipv4\":\"1.2.3.4\"},\"tags\":{\"k\":\"v\"},\"annotations\":[{\"timestamp\":6,\"value\":\"e\"}]}"
    static const char want[] =
        "complete 5250 dur=2000 pid=1073741825 track 'n' trace_id='00000000000000000000000000000001'"
        " span_id='0000000000000002' parent_span_id='0000000000000003' span.kind='server' shared=true"
        " localEndpoint.serviceName='s' localEndpoint.ipv4='1.2.3.4' k='v'\n"
        "instant 6000 pid=1073741825 track 'e' span_id='0000000000000002'\n";
    ROWS(zipkin, "[" ZIPKIN_SPAN "]", want);
    ROWS(zipkin, " [ [ " ZIPKIN_SPAN " ] , [] ] ", want);
    ROWS(zipkin, "[[],7]", "account damaged 1 at 4\n");
}

static const char *sniffed(const char *text)
{
    const struct tm_format *format = tm_format_sniff((const uint8_t *)text, strlen(text));
    return format ? tm_input_type_name(format->type) : "none";
}

static void test_sniff(void)
{
    static const struct {
        const char *text, *name;
    } cases[] = {
        {"{\"resourceSpans\":[", "otlp"},
        {"\t {\t \"resource_spans\" : [", "otlp"},
        {"{\"resourceLogs\":[", "otlp"},
        {"[{\"resourceSpans\":[", "otlp"},
        {"{\"batches\":[{\"resource\":{", "otlp"},
        {"{\"batches\":[{\"size\":1", "json"},
        {"{\"resourceSpans\":7", "json"},
        {"{\"data\":[{\"traceID\":\"1\"", "jaeger"},
        {"{\"data\" : [ {\"spans\":[", "jaeger"},
        {"{\"total\":0,\"limit\":0,\"data\":[{\"processes\":{", "jaeger"},
        {"{\"data\":[{\"ph\":\"X\"", "json"},
        {"{\"data\":[]}", "json"},
        {"{\"traceID\":\"1\",\"spans\":[", "jaeger"},
        {"[{\"traceID\":\"1\",\"spans\":[", "jaeger"},
        {"[{\"traceId\":\"1\",\"id\":\"2\",\"timestamp\":5", "zipkin"},
        {"[[{\"id\":\"2\",\"parentId\":\"7\",\"traceId\":\"1\",\"na", "zipkin"},
        {"[{\"timestamp\":5,\"duration\":1,\"traceId\":\"1\",\"id\":\"2\"", "zipkin"},
        {"[{\"annotations\":[],\"id\":\"2\",\"localEndpoint\":{},\"traceId\":\"1\"}", "zipkin"},
        {"[{\"traceId\":\"1\",\"id\":\"2\",\"ph\":\"X\",\"timestamp\":5", "json"},
        {"[{\"ph\":\"b\",\"id\":\"2\",\"traceId\":\"1\",\"tags\":{}", "json"},
        {"[{\"traceId\":\"1\",\"id\":\"2\",\"name\":\"x\"", "json"},
        {"{\"traceEvents\":[", "json"},
        {"{\"meta\":{\"data\":[{\"traceID\":1", "gecko"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ok_named(strcmp(sniffed(cases[i].text), cases[i].name) == 0, cases[i].text);
}

static void test_damage(void)
{
    ok(format_refuses(&tm_format_otlp, "{\"resourceSpans\":[{\"resource\":{},", "byte 33: the document is cut short"));
    ok(format_refuses(&tm_format_jaeger, "{\"data\":[{\"spans\":[{\"a\":01}],\"processes\":{}}]}",
                      "byte 24: a number with a leading zero"));
    ok(format_refuses(&tm_format_zipkin, "[{\"id\":\"a\"} {}]", "byte 12: a ',' or ']' is expected"));
}

/* Reads COUNT spans of traces of their own, of SERVICES services. Returns the number of rows that begin with WORD; *RUN
 * has all of the text. */
static uint32_t many(uint32_t count, uint32_t services, const char *word, struct format_run *run)
{
    static const struct tm_format_options halt = {TM_DAMAGE_HALT, false};
    struct tm_buf text = {0};
    uint32_t lines = 0;
    for (uint32_t i = 0; i < count; i++)
        tm_buf_addf(&text,
                    "%c{\"traceId\":\"%x\",\"id\":\"%x\",\"timestamp\":%u,\"localEndpoint\":"
                    "{\"serviceName\":\"%u\"}}",
                    i ? ',' : '[', i + 1, i + 1, i + 1, i % services);
    tm_buf_add_str(&text, "]");
    *run = format_run(&tm_format_zipkin, text.data, text.len, 0, &halt);
    for (const char *line = (const char *)run->text.data; *line; line = strchr(line, '\n') + 1)
        lines += strncmp(line, word, strlen(word)) == 0;
    tm_buf_release(&text);
    return lines;
}

/* Tracks and services beyond their limits are shared. No span is lost if there are more than the window holds. */
static void test_limits(void)
{
    struct format_run run;
    uint32_t tracks = many(TM_SPANS_TRACKS_MAX + 1000, 1, "track ", &run);
    ok(run.status == TM_END && run.used > TM_SPANS_WINDOW_BYTES / 2);
    ok(tracks == TM_SPANS_TRACKS_MAX + TM_SPANS_TRACKS_SHARED);
    format_run_release(&run);
    ok(many(TM_SPANS_TRACKS_MAX, 1, "complete ", &run) == TM_SPANS_TRACKS_MAX);
    format_run_release(&run);
    uint32_t processes = many(TM_SPANS_SERVICES_MAX + 5, TM_SPANS_SERVICES_MAX + 5, "process ", &run);
    ok(processes == TM_SPANS_SERVICES_MAX + 1);
    ok(strstr((const char *)run.text.data, "stat spans_services_shared 5\n") != NULL);
    format_run_release(&run);
}

/* Processes of a Jaeger trace beyond the limit are counted. */
static void test_many_processes(void)
{
    struct format_run run;
    struct tm_format_options halt = {0};
    struct tm_buf text = {0};
    bool good = tm_buf_add_str(&text, "[{\"traceID\":\"1\",\"processes\":{\"p\":{\"serviceName\":\"s\"}") == TM_OK;
    for (unsigned i = 1; i < TM_SPANS_PROCESSES_MAX + 3 && good; i++)
        good = tm_buf_addf(&text, ",\"%u\":{\"serviceName\":\"s\"}", i) == TM_OK;
    good = good && tm_buf_add_str(&text, "},\"spans\":[" JAEGER_SPAN "]}]") == TM_OK;
    run = format_run(&tm_format_jaeger, text.data, text.len, 0, &halt);
    ok(good && run.status == TM_END);
    ok(strstr((const char *)run.text.data, "stat spans_services_shared 3\n") != NULL);
    format_run_release(&run);
    tm_buf_release(&text);
}

int main(void)
{
    test_otlp_order();
    test_otlp_values();
    test_otlp_times();
    test_parents();
    test_jaeger();
    test_zipkin();
    test_sniff();
    test_damage();
    test_limits();
    test_many_processes();
    return tap_done();
}
