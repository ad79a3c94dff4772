/* Unit tests of Chrome JSON: phases, names, times, ids, arguments, top-level values. */
#include "format/chrome_json/chrome_json.h"

#include "json/scan.h"

#include "format_run.h"
#include "tap.h"

#define GIVES(text, want) ok_named(format_gives(&tm_format_chrome_json, text, want), text)

static void test_slices(void)
{
    GIVES("[{\"ph\":\"X\",\"ts\":1.5,\"dur\":\"2\",\"pid\":7,\"tid\":8,\"name\":\"a\",\"cat\":\"c,d\"},",
          "complete 1500 dur=2000 pid=7 tid=8 thread 'a' [c,d] raw={\"ph\":\"X\",\"ts\":1.5,\"dur\":\"2\",\"pid\":7,"
          "\"tid\":8,\"name\":\"a\",\"cat\":\"c,d\"}\n");
    GIVES("{\"traceEvents\":[{\"ph\":\"B\",\"ts\":\"1e3\",\"pid\":7,\"name\":\"\\u00e9\\ud83d\\ude00\\n\\u0000\"}, {} ,"
          "{\"ph\":\"E\",\"ts\":-0.0005,\"pid\":7,\"tid\":0,},]}",
          "begin 1000000 pid=7 tid=7 thread '\xc3\xa9\xf0\x9f\x98\x80\\x0a\\x00' "
          "raw={\"ph\":\"B\",\"ts\":\"1e3\",\"pid\":"
          "7,\"name\":\"\\u00e9\\ud83d\\ude00\\n\\u0000\"}\n"
          "end -1 pid=7 tid=7 thread raw={\"ph\":\"E\",\"ts\":-0.0005,\"pid\":7,\"tid\":0,}\n");
    GIVES("[{\"ph\":\"X\",\"ts\":1},{\"ph\":\"i\",\"ts\":1,\"s\":\"g\",\"pid\":1},{\"ph\":\"I\",\"ts\":2,\"pid\":1,"
          "\"s\":\"p\",\"name\":\"n\"}{\"ph\":\"R\",\"ts\":3,\"tid\":4}]",
          "packet 1000 raw={\"ph\":\"X\",\"ts\":1}\n"
          "instant 1000 pid=1 tid=1 raw={\"ph\":\"i\",\"ts\":1,\"s\":\"g\",\"pid\":1}\n"
          "instant 2000 pid=1 tid=1 process 'n' raw={\"ph\":\"I\",\"ts\":2,\"pid\":1,\"s\":\"p\",\"name\":\"n\"}\n"
          "instant 3000 pid=0 tid=4 thread '[No name]' raw={\"ph\":\"R\",\"ts\":3,\"tid\":4}\n"
          "stat json_parser_failure 1\n");
}

static void test_times(void)
{
    GIVES("[{\"ph\":\"N\",\"ts\":1694128201426556.1234},{\"ph\":\"N\",\"ts\":0.00049999999999999999},"
          "{\"ph\":\"N\",\"ts\":\"12345678901234567.0005\"},{\"ph\":\"N\",\"ts\":1.2345e-1}]",
          "packet 1694128201426556123 raw={\"ph\":\"N\",\"ts\":1694128201426556.1234}\n"
          "packet 0 raw={\"ph\":\"N\",\"ts\":0.00049999999999999999}\n"
          "packet 123 raw={\"ph\":\"N\",\"ts\":1.2345e-1}\n"
          "account damaged 1 at 78\nstat json_tokenizer_failure 1\n");
}

static void test_no_events(void)
{
    GIVES("[{\"ph\":\"X\",\"ts\":1e30},{\"ph\":\"X\"},{\"name\":\"x\"},{\"ph\":\"X\",\"ts\":1,\"dur\":\"x\"},"
          "{\"ph\":\"B\",\"ts\":\"soon\"}]",
          "account damaged 4 at 1\naccount no_time 1 at 22\nstat json_tokenizer_failure 5\n");
    GIVES("[]", "");
    GIVES("{}", "");
    GIVES(" [ {} , ", "");
    GIVES("{\"a\":1}", "metadata 'a' def raw=\"a\":1\nstat tm_json_without_events 1\n");
    GIVES("{\"p\\u0068\":\"X\"}", "account no_time 1 at 0\nstat json_tokenizer_failure 1\n");
    GIVES("{\"ph\":1}", "metadata 'ph' def raw=\"ph\":1\nstat tm_json_without_events 1\n");
    GIVES("{\"a\":1,\"traceEvents\":[]}", "metadata 'a' def raw=\"a\":1\n");
}

/* A name is recognised in every spelling. */
static void test_escaped_names(void)
{
    GIVES("{\"trace\\u0045vents\":[{\"p\\u0068\":\"B\",\"\\u0074\\u0073\":2,\"n\\u0061me\":\"n\",\"pid\\/"
          "\":1,\"bind_id\\u0000\":1}]}",
          "begin 2000 pid=0 tid=0 thread 'n' raw={\"p\\u0068\":\"B\",\"\\u0074\\u0073\":2,\"n\\u0061me\":\"n\","
          "\"pid\\/\":1,\"bind_id\\u0000\":1}\n");
}

static void test_args(void)
{
    GIVES("[{\"ph\":\"B\",\"ts\":1,\"args\":{\"a\":{\"b\":[1,null,{\"c\":true},[2.5]],\"e\":{}},\"n\":null,"
          "\"s\":\"x\\ty\",\"big\":18446744073709551616,\"bad\":NaN,\"\":[]}}]",
          "begin 1000 pid=0 tid=0 thread '[No name]' args.a.b[0]=1 args.a.b[1].c=true args.a.b[2][0]=2.5 "
          "args.s='x\\x09y' args.big=1.8446744073709552e+19 args.bad='NaN' raw={\"ph\":\"B\",\"ts\":1,\"args\":{\"a\":"
          "{\"b\":[1,null,{\"c\":true},[2.5]],\"e\":{}},\"n\":null,\"s\":\"x\\ty\",\"big\":18446744073709551616,"
          "\"bad\":NaN,\"\":[]}}\n");
    GIVES(
        "[{\"ph\":\"E\",\"ts\":1,\"args\":{}},{\"ph\":\"E\",\"ts\":1,\"args\":[1]},{\"ph\":\"E\",\"ts\":1,\"args\":3}]",
        "end 1000 pid=0 tid=0 thread raw={\"ph\":\"E\",\"ts\":1,\"args\":{}}\n"
        "end 1000 pid=0 tid=0 thread raw={\"ph\":\"E\",\"ts\":1,\"args\":[1]}\n"
        "end 1000 pid=0 tid=0 thread raw={\"ph\":\"E\",\"ts\":1,\"args\":3}\n");
}

static void test_counters(void)
{
    GIVES("[{\"ph\":\"C\",\"ts\":1,\"pid\":5,\"name\":\"m\",\"id\":\"x\",\"args\":{\"a\":1,\"b\":\"2.5\",\"c\":[],"
          "\"d\":-3e2}},{\"ph\":\"C\",\"ts\":2,\"pid\":5,\"id\":3,\"args\":{\"v\":7}},{\"ph\":\"C\",\"ts\":3,\"args\":{"
          "}}]",
          "counter 1000 pid=5 tid=5 process 'm id: x a' value=1 raw={\"ph\":\"C\",\"ts\":1,\"pid\":5,\"name\":\"m\","
          "\"id\":\"x\",\"args\":{\"a\":1,\"b\":\"2.5\",\"c\":[],\"d\":-3e2}}\n"
          "counter 1000 pid=5 tid=5 process 'm id: x b' value=2.5 derived\n"
          "counter 1000 pid=5 tid=5 process 'm id: x d' value=-300 derived\n"
          "counter 2000 pid=5 tid=5 process ' v' value=7 "
          "raw={\"ph\":\"C\",\"ts\":2,\"pid\":5,\"id\":3,\"args\":{\"v\":7}}\n"
          "packet 3000 raw={\"ph\":\"C\",\"ts\":3,\"args\":{}}\n"
          "stat json_parser_failure 1\n");
    /* Texts can be hexadecimal. */
    GIVES("[{\"ph\":\"C\",\"ts\":1,\"args\":{\"a\":\"0xfF\",\"b\":\"-0X10\",\"c\":\"0x8000000000000000\",\"d\":\"0x\","
          "\"e\":\"0xg\",\"f\":\"0x00000000000000001\",\"g\":\"xx1\"}}]",
          "counter 1000 pid=0 tid=0 process ' a' value=255 raw={\"ph\":\"C\",\"ts\":1,\"args\":{\"a\":\"0xfF\","
          "\"b\":\"-0X10\",\"c\":\"0x8000000000000000\",\"d\":\"0x\",\"e\":\"0xg\",\"f\":\"0x00000000000000001\","
          "\"g\":\"xx1\"}}\n"
          "counter 1000 pid=0 tid=0 process ' b' value=-16 derived\n"
          "counter 1000 pid=0 tid=0 process ' c' value=9.2233720368547758e+18 derived\n"
          "counter 1000 pid=0 tid=0 process ' f' value=1 derived\n"
          "stat json_parser_failure 3\n");
    /* They are what strtod takes. */
    GIVES("[{\"ph\":\"C\",\"ts\":1,\"args\":{\"a\":\"-inf\",\"b\":\" 5\",\"c\":\"\\u0030x1.8p1\",\"d\":\"1e999\","
          "\"e\":\"5 \",\"f\":\"\"}},{\"ph\":\"C\",\"ts\":2}]",
          "counter 1000 pid=0 tid=0 process ' a' value=-inf raw={\"ph\":\"C\",\"ts\":1,\"args\":{\"a\":\"-inf\","
          "\"b\":\" 5\",\"c\":\"\\u0030x1.8p1\",\"d\":\"1e999\",\"e\":\"5 \",\"f\":\"\"}}\n"
          "counter 1000 pid=0 tid=0 process ' b' value=5 derived\n"
          "counter 1000 pid=0 tid=0 process ' c' value=3 derived\n"
          "counter 1000 pid=0 tid=0 process ' d' value=inf derived\n"
          "packet 2000 raw={\"ph\":\"C\",\"ts\":2}\n"
          "stat json_parser_failure 3\n");
}

static void test_metadata(void)
{
    GIVES("[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":5,\"args\":{\"name\":\"p\"}},"
          "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":5,\"tid\":6,\"args\":{\"name\":\"t\"}},"
          "{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":5,\"args\":{\"labels\":\"a,b\"}},"
          "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":5,\"tid\":6,\"args\":{\"sort_index\":-2}},"
          "{\"ph\":\"M\",\"name\":\"num_cpus\",\"pid\":5,\"args\":{\"number\":2}},"
          "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":5,\"args\":{\"name\":3}}]",
          "process pid=5 tid=5 def process{name=p} "
          "raw={\"ph\":\"M\",\"name\":\"process_name\",\"pid\":5,\"args\":{\"name\":\"p\"}}\n"
          "thread pid=5 tid=6 def thread{name=t} "
          "raw={\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":5,\"tid\":6,\"args\":{\"name\":\"t\"}}\n"
          "process pid=5 tid=5 def process{ label=a label=b} "
          "raw={\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":5,\"args\":{\"labels\":\"a,b\"}}\n"
          "thread pid=5 tid=6 def thread{ sort=-2} "
          "raw={\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":5,\"tid\":6,\"args\":{\"sort_index\":-2}}\n"
          "metadata pid=5 tid=5 'num_cpus' def "
          "raw={\"ph\":\"M\",\"name\":\"num_cpus\",\"pid\":5,\"args\":{\"number\":2}}\n"
          "metadata pid=5 tid=5 'process_name' def "
          "raw={\"ph\":\"M\",\"name\":\"process_name\",\"pid\":5,\"args\":{\"name\":3}}\n"
          "stat json_parser_failure 1\n");
    /* An argument of the wrong form is counted; one that is missing is not, nor are labels. */
    GIVES("[{\"ph\":\"M\",\"name\":\"process_name\",\"args\":{}},"
          "{\"ph\":\"M\",\"name\":\"process_labels\",\"tid\":6,\"args\":{\"labels\":\"\"}},"
          "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":5,\"args\":{\"sort_index\":\"x\"}}]",
          "metadata 'process_name' def raw={\"ph\":\"M\",\"name\":\"process_name\",\"args\":{}}\n"
          "metadata pid=0 tid=6 'process_labels' def "
          "raw={\"ph\":\"M\",\"name\":\"process_labels\",\"tid\":6,\"args\":{\"labels\":\"\"}}\n"
          "metadata pid=5 tid=5 'thread_sort_index' def "
          "raw={\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":5,\"args\":{\"sort_index\":\"x\"}}\n"
          "stat json_parser_failure 1\n");
    GIVES("[{\"ph\":\"B\",\"ts\":1,\"pid\":\"P\",\"tid\":\"T\",\"name\":\"n\"},{\"ph\":\"M\",\"pid\":\"P\","
          "\"name\":\"process_name\",\"args\":{\"name\":\"other\"}},{\"ph\":\"E\",\"ts\":1,\"pid\":1,\"tid\":\"T\"}]",
          "process pid=1073741825 tid=1073741826 def process{name=P}\n"
          "thread pid=1073741825 tid=1073741826 def thread{name=T}\n"
          "begin 1000 pid=1073741825 tid=1073741826 thread 'n' "
          "raw={\"ph\":\"B\",\"ts\":1,\"pid\":\"P\",\"tid\":\"T\",\"name\":\"n\"}\n"
          "process pid=1073741825 tid=1073741825 def process{name=P} "
          "raw={\"ph\":\"M\",\"pid\":\"P\",\"name\":\"process_name\",\"args\":{\"name\":\"other\"}}\n"
          "thread pid=1 tid=1073741826 def thread{name=T}\n"
          "end 1000 pid=1 tid=1073741826 thread raw={\"ph\":\"E\",\"ts\":1,\"pid\":1,\"tid\":\"T\"}\n");
}

/* If there are more names than are remembered, some are written more than once, and none is left out. */
static void test_many_names(void)
{
    enum { NAMES = 70000 };
    struct tm_buf b = {0};
    int found = 0;
    tm_buf_add_str(&b, "[");
    for (int i = 0; i < NAMES; i++)
        tm_buf_addf(&b, "{\"ph\":\"E\",\"ts\":1,\"pid\":\"p%d\"},", i);
    struct format_run run = format_run(&tm_format_chrome_json, b.data, b.len, 0, NULL);
    /* A sanitizer's strstr reads the whole text each time. */
    static const char named[] = "{name=p";
    const uint8_t *end = run.text.data + run.text.len;
    for (const uint8_t *at = run.text.data; (at = memchr(at, named[0], (size_t)(end - at))) != NULL; at++)
        found += (size_t)(end - at) > strlen(named) && memcmp(at, named, strlen(named)) == 0;
    is_int(found, NAMES);
    format_run_release(&run);
    tm_buf_release(&b);
}

static void test_top(void)
{
    GIVES("{\"displayTimeUnit\" : \"ns\", \"metadata\":{\"a\":1,\"b\":\"x\\\"\",\"c\":[1 ],\"d\":1.5,\"e\":null},"
          "\"traceEvents\":[{\"ph\":\"N\",\"ts\":1}],\"systemTraceEvents\":\"# tracer: nop\\n  a-1 [000] ...1 5.5: "
          "tracing_mark_write: B|1|x\\\"y\\n\",\"otherData\":{\"traceEvents\":[]}}",
          "metadata 'displayTimeUnit' def raw=\"displayTimeUnit\" : \"ns\"\n"
          "metadata 'metadata' def raw=\"metadata\":{\"a\":1,\"b\":\"x\\\"\",\"c\":[1 ],\"d\":1.5,\"e\":null}\n"
          "packet 1000 raw={\"ph\":\"N\",\"ts\":1}\n"
          "begin 5500000000 pid=1 tid=1 cpu=0 thread 'x\"y' raw=  a-1 [000] ...1 5.5: tracing_mark_write: B|1|x\"y\n"
          "task_rename 5500000000 tid=1 cpu=0 'a' derived\n"
          "metadata 'ftrace_data' def derived\n"
          "metadata 'otherData' def raw=\"otherData\":{\"traceEvents\":[]}\n"
          "stat json_display_time_unit 1\n"
          "row json_metadata.a=1\nrow json_metadata.b=x\"\nrow json_metadata.c=[1 ]\nrow json_metadata.d=1.5\n");
}

static void test_samples(void)
{
    static const char text[] =
        "[{\"ph\":\"P\",\"name\":\"Profile\",\"id\":\"0x1\",\"pid\":5,\"tid\":6,\"ts\":9,\"args\":{\"data\":{"
        "\"startTime\":10}}},"
        "{\"ph\":\"P\",\"name\":\"ProfileChunk\",\"id\":\"0x1\",\"pid\":5,\"tid\":6,\"ts\":30,\"args\":{\"data\":{"
        "\"cpuProfile\":"
        "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\"},\"children\":[3]},{\"id\":2,\"parent\":1,"
        "\"callFrame\":{\"functionName\":\"f\",\"url\":\"u\"}},{\"id\":3,\"callFrame\":{\"functionName\":\"g\"}}],"
        "\"samples\":[2,3,2]},\"timeDeltas\":[1,5,-2]}}},"
        "{\"ph\":\"P\",\"name\":\"ProfileChunk\",\"id\":\"0x2\",\"pid\":5,\"ts\":31,\"args\":{\"data\":{\"timeDeltas\":"
        "[1]}}},"
        "{\"ph\":\"P\",\"name\":\"s\",\"pid\":5,\"ts\":32,\"stack\":[\"a\",\"b\"]}]";
    struct format_run run = format_run(&tm_format_chrome_json, text, strlen(text), 3, NULL);
    char *out = (char *)run.text.data, *from;
    while ((from = strstr(out, " raw=")) != NULL) { /* other tests compare raw */
        char *to = strchr(from, '\n');
        memmove(from, to, strlen(to) + 1);
    }
    is_str(out, "packet 9000 pid=5 tid=6\npacket 30000 pid=5 tid=6\n"
                "sample 11000 pid=5 tid=6 thread frames=(root)<f\n"
                "sample 16000 pid=5 tid=6 thread frames=(root)<g\n"
                "sample 14000 pid=5 tid=6 thread frames=(root)<f\n"
                "packet 31000 pid=5 tid=5\n"
                "sample 32000 pid=5 tid=5 thread 's' frames=a<b\n"
                "stat json_tokenizer_failure 1\n");
    format_run_release(&run);
}

static void test_hints(void)
{
    GIVES("{\"traceEvents\":[],\"baseTimeNanoseconds\":1700000000123456789,\"beginningOfTime\":1795206890482356,"
          "\"viztracer_metadata\":{\"baseTimeNanoseconds\":7}}",
          "metadata 'baseTimeNanoseconds' def raw=\"baseTimeNanoseconds\":1700000000123456789\n"
          "hint 0:0 = 1:1700000000123456789 baseTimeNanoseconds\n"
          "metadata 'beginningOfTime' def raw=\"beginningOfTime\":1795206890482356\n"
          "hint 0:0 = 1:1795206890482356000 beginningOfTime\n"
          "metadata 'viztracer_metadata' def raw=\"viztracer_metadata\":{\"baseTimeNanoseconds\":7}\n"
          "hint 0:0 = 1:7 viztracer_metadata.baseTimeNanoseconds\n");
    GIVES("{\"metadata\":{\"clock-domain\":\"LINUX_CLOCK_MONOTONIC\"}}",
          "metadata 'metadata' def raw=\"metadata\":{\"clock-domain\":\"LINUX_CLOCK_MONOTONIC\"}\n"
          "hint 0:0 = 3:0 metadata.clock-domain\n"
          "stat tm_json_without_events 1\nrow json_metadata.clock-domain=LINUX_CLOCK_MONOTONIC\n");
}

static void test_ids(void)
{
    GIVES("[{\"ph\":\"b\",\"ts\":1,\"pid\":1,\"cat\":\"c\",\"id\":\"0x1\",\"name\":\"n\"},"
          "{\"ph\":\"e\",\"ts\":2,\"cat\":\"c\",\"id\":\"0x1\"},{\"ph\":\"n\",\"ts\":2,\"pid\":1}]",
          "begin 1000 pid=1 tid=1 'n' [c] track=6c2485ff7d388d3 async id=0x1 raw={\"ph\":\"b\",\"ts\":1,\"pid\":1,"
          "\"cat\":\"c\",\"id\":\"0x1\",\"name\":\"n\"}\n"
          "packet 2000 raw={\"ph\":\"e\",\"ts\":2,\"cat\":\"c\",\"id\":\"0x1\"}\n"
          "packet 2000 pid=1 tid=1 raw={\"ph\":\"n\",\"ts\":2,\"pid\":1}\n"
          "stat json_parser_failure 2\n");
}

/* Returns the track of the only row that TEXT gives. */
static uint64_t track_of(const char *text)
{
    struct format_run run = format_run(&tm_format_chrome_json, text, strlen(text), 0, NULL);
    const char *at = strstr((const char *)run.text.data, " track=");
    uint64_t track = at ? strtoull(at + 7, NULL, 16) : 0;
    format_run_release(&run);
    return track;
}

static void test_identities(void)
{
    uint64_t a = track_of("[{\"ph\":\"b\",\"ts\":1,\"pid\":1,\"cat\":\"c\",\"id\":\"1\"}]");
    ok(a != 0);
    ok(a == track_of("[{\"ph\":\"e\",\"ts\":9,\"pid\":2,\"cat\":\"c\",\"name\":\"x\",\"id\":\"\\u0031\"}]"));
    ok(a == track_of("[{\"ph\":\"n\",\"ts\":9,\"pid\":2,\"cat\":\"c\",\"id2\":{\"global\":\"1\"}}]"));
    ok(a != track_of("[{\"ph\":\"b\",\"ts\":1,\"pid\":1,\"cat\":\"c\",\"id\":1}]"));
    ok(a != track_of("[{\"ph\":\"b\",\"ts\":1,\"pid\":1,\"cat\":\"d\",\"id\":\"1\"}]"));
    uint64_t local = track_of("[{\"ph\":\"b\",\"ts\":1,\"pid\":1,\"cat\":\"c\",\"id2\":{\"local\":\"1\"}}]");
    ok(local != a);
    ok(local != track_of("[{\"ph\":\"b\",\"ts\":1,\"pid\":2,\"cat\":\"c\",\"id2\":{\"local\":\"1\"}}]"));
    uint64_t flow = track_of("[{\"ph\":\"s\",\"ts\":1,\"pid\":1,\"cat\":\"c\",\"name\":\"n\",\"id\":\"0x1F\"}]");
    ok(flow == track_of("[{\"ph\":\"f\",\"ts\":1,\"pid\":9,\"cat\":\"c\",\"name\":\"n\",\"id\":31}]"));
    ok(flow != track_of("[{\"ph\":\"f\",\"ts\":1,\"pid\":9,\"cat\":\"c\",\"name\":\"m\",\"id\":31}]"));
}

static void test_flows(void)
{
    GIVES("[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"bind_id\":\"0xa\",\"flow_out\":true,\"name\":\"n\"},"
          "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"bind_id\":10,\"flow_in\":true,\"name\":\"n\"},"
          "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"bind_id\":10,\"name\":\"n\"},{\"ph\":\"t\",\"ts\":1}]",
          "complete 1000 dur=1000 pid=0 tid=0 thread 'n' bind_out=a raw={\"ph\":\"X\",\"ts\":1,\"dur\":1,\"bind_id\":"
          "\"0xa\",\"flow_out\":true,\"name\":\"n\"}\n"
          "complete 1000 dur=1000 pid=0 tid=0 thread 'n' bind_in=a raw={\"ph\":\"X\",\"ts\":1,\"dur\":1,"
          "\"bind_id\":10,\"flow_in\":true,\"name\":\"n\"}\n"
          "complete 1000 dur=1000 pid=0 tid=0 thread 'n' raw={\"ph\":\"X\",\"ts\":1,\"dur\":1,\"bind_id\":10,"
          "\"name\":\"n\"}\n"
          "packet 1000 raw={\"ph\":\"t\",\"ts\":1}\n"
          "stat flow_invalid_id 1\nstat flow_without_direction 1\n");
    GIVES("[{\"ph\":\"b\",\"ts\":1,\"pid\":1,\"id\":1,\"bind_id\":10,\"flow_in\":true,\"flow_out\":true,"
          "\"name\":\"n\"},"
          "{\"ph\":\"X\",\"ts\":2,\"dur\":1,\"tts\":3.5,\"tdur\":\"0.25\",\"name\":\"n\"}]",
          "begin 1000 pid=1 tid=1 'n' track=246775675510e2e5 async bind_step=a id=1 "
          "raw={\"ph\":\"b\",\"ts\":1,\"pid\":1,"
          "\"id\":1,\"bind_id\":10,\"flow_in\":true,\"flow_out\":true,\"name\":\"n\"}\n"
          "complete 2000 dur=1000 pid=0 tid=0 thread 'n' tts=3500 tdur=250 raw={\"ph\":\"X\",\"ts\":2,\"dur\":1,"
          "\"tts\":3.5,\"tdur\":\"0.25\",\"name\":\"n\"}\n");
}

/* TEXT is an error with this message. */
static void halts(const char *text, const char *message)
{
    static const struct tm_format_options options = {TM_DAMAGE_HALT, false};
    struct format_run run = format_run(&tm_format_chrome_json, text, strlen(text), 3, &options);
    ok_named(run.status == TM_E_INPUT, text);
    is_str(run.err.text, message);
    format_run_release(&run);
}

static void test_halts(void)
{
    halts("[{\"ph\":\"X\",\"ts\":1}, 5]", "byte 20: expected an event, which begins with '{'");
    halts("[{\"ph\":\"X\",\"ts\":01}]", "byte 16: a number with a leading zero");
    halts("[{\"ph\":\"X\",\"name\":\"a\tb\\q\"}]", "byte 20: bad escape in a string");
    halts("{\"a\tb\":1}", "byte 3: control character in a string");
    halts("[{\"ph\":\"X\",\"name\":\"\\q\"}]", "byte 19: bad escape in a string");
    halts("[{\"ph\":\"X\" \"ts\":1}]", "byte 11: a ',' or '}' is expected");
    halts("[{\"ph\":\"X\",\"args\":{\"a\":[1}}]", "byte 25: a ',' or ']' is expected");
    halts("[{\"ph\":\"X\",\"ts\":tru}]", "byte 16: a value is expected");
    halts("[{\"ph\":\"X\",\"ts\":1", "byte 17: the document is cut short");
    halts("{\"traceEvents\":[{\"ph\":\"X\",\"ts\":1}", "byte 33: the document is cut short");
    halts("{\"traceEvents\":{}}", "byte 15: traceEvents is not an array");
    halts("{\"a\":1 \"b\"}", "byte 10: a ':' is expected");
}

static void test_salvage(void)
{
    static const char text[] = "{\"traceEvents\":[{\"ph\":\"N\",\"ts\":1},{\"ph\":\"N,\"ts\":2},"
                               "{\"ph\":\"N\",\"ts\":3,\"args\":{\"a\":{}}}]}[";
    static const struct tm_format_options salvage = {TM_DAMAGE_SALVAGE, false}, skip = {TM_DAMAGE_SKIP, false};
    struct format_run run = format_run(&tm_format_chrome_json, text, strlen(text), 5, &salvage);
    is_int(run.status, TM_END);
    ok(format_run_is(&run, "packet 1000 raw={\"ph\":\"N\",\"ts\":1}\n"
                           "packet 3000 raw={\"ph\":\"N\",\"ts\":3,\"args\":{\"a\":{}}}\n"
                           "account damaged 1 at 44\naccount skipped_bytes 17 at 34\n"
                           "stat json_tokenizer_failure 1\n"));
    is_int(run.used, strlen(text) - 1);
    format_run_release(&run);
    run = format_run(&tm_format_chrome_json, text, strlen(text), 5, &skip);
    is_int(run.status, TM_END);
    ok(format_run_is(&run, "packet 1000 raw={\"ph\":\"N\",\"ts\":1}\n"
                           "account damaged 1 at 44\naccount skipped_bytes 53 at 34\n"
                           "stat json_tokenizer_failure 1\n"));
    format_run_release(&run);
}

/* A document that is cut anywhere is an error, or complete up to there; the rows before the cut stay. */
static void test_cuts(void)
{
    static const char text[] =
        "{\"a\":[1,\"\\u00e9\",{\"b\":-1.5e3}],\"systemTraceEvents\":\" a-1 [000] 5.5: e: f\\n\","
        "\"traceEvents\":[{\"ph\":\"X\",\"ts\":1.25,\"name\":\"\\ud83d\\ude00\"}]}";
    static const struct tm_format_options halt = {TM_DAMAGE_HALT, false}, salvage = {TM_DAMAGE_SALVAGE, false};
    int wrong = 0;
    for (size_t cut = 1; cut < strlen(text); cut++) {
        struct format_run run = format_run(&tm_format_chrome_json, text, cut, 1, &halt);
        char want[64];
        snprintf(want, sizeof want, "byte %zu: the document is cut short", cut);
        wrong += run.status != TM_E_INPUT || strcmp(run.err.text, want) != 0;
        if (strcmp(run.err.text, want) != 0)
            printf("# cut at %zu: status %d %s\n", cut, run.status, run.err.text);
        format_run_release(&run);
        run = format_run(&tm_format_chrome_json, text, cut, 1, &salvage);
        wrong += run.status != TM_END || run.used != cut;
        format_run_release(&run);
    }
    is_int(wrong, 0);
}

static void test_limits(void)
{
    struct tm_buf b = {0};
    static const struct tm_format_options halt = {TM_DAMAGE_HALT, false};
    tm_buf_add_str(&b, "[{\"ph\":\"X\",\"ts\":1,\"args\":{\"a\":");
    for (int i = 0; i < TM_JSON_DEPTH_MAX - 1; i++)
        tm_buf_add_byte(&b, '[');
    for (int i = 0; i < TM_JSON_DEPTH_MAX - 1; i++)
        tm_buf_add_byte(&b, ']');
    tm_buf_add_str(&b, "}}]");
    struct format_run run = format_run(&tm_format_chrome_json, b.data, b.len, 0, &halt);
    is_int(run.status, TM_END);
    format_run_release(&run);
    tm_buf_clear(&b);
    tm_buf_add_str(&b, "[{\"ph\":\"X\",\"ts\":1,\"args\":{\"a\":");
    for (int i = 0; i < TM_JSON_DEPTH_MAX + 5; i++)
        tm_buf_add_str(&b, "[");
    run = format_run(&tm_format_chrome_json, b.data, b.len, 0, &halt);
    is_str(run.err.text, "byte 2077: nesting is too deep");
    format_run_release(&run);
    /* Flattened keys repeat the keys around them: a long key over many values is cut, not multiplied. */
    tm_buf_clear(&b);
    tm_buf_add_str(&b, "[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"args\":{\"");
    for (int i = 0; i < 20000; i++)
        tm_buf_add_str(&b, "k");
    tm_buf_add_str(&b, "\":[1");
    for (int i = 0; i < 20000; i++)
        tm_buf_add_str(&b, ",1");
    tm_buf_add_str(&b, "]}}]");
    run = format_run(&tm_format_chrome_json, b.data, b.len, 0, &halt);
    ok(run.status == TM_END && strstr((char *)run.text.data, "stat json_args_cut 1") && run.text.len < 2000000);
    format_run_release(&run);
    tm_buf_release(&b);
}

int main(void)
{
    test_slices();
    test_times();
    test_no_events();
    test_escaped_names();
    test_args();
    test_counters();
    test_metadata();
    test_many_names();
    test_top();
    test_samples();
    test_hints();
    test_ids();
    test_identities();
    test_flows();
    test_halts();
    test_salvage();
    test_cuts();
    test_limits();
    return tap_done();
}
