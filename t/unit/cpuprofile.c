/* Unit tests of CPU profiles of V8: order of members, both forms, times, damage, types. t/150-cpuprofile.bats tests
 * what outputs show. */
#include "format/cpuprofile/cpuprofile.h"

#include "format_run.h"
#include "tap.h"

#define GIVES(text, want) ok_named(format_gives(&tm_format_cpuprofile, text, want), #want)

#define FRAME(name) "\"callFrame\":{\"functionName\":\"" name "\",\"url\":\"u\"}"
#define NODES "\"nodes\":[{\"id\":1," FRAME("r") ",\"children\":[2]},{\"id\":2," FRAME("") "}]"
#define HEAD                                                                                                           \
    "\"head\":{\"id\":1,\"functionName\":\"r\",\"children\":[{\"functionName\":\"a\",\"id\":2,\"children\":[]}]}"
#define PID "pid=1073741825"
#define TASK "process " PID " def process{name=CPU profile}\n"
#define ROW(time, frames) "sample " time " " PID " tid=1073741825 thread frames=" frames "\n"

static void test_order(void)
{
    GIVES("{" NODES ",\"startTime\":10,\"samples\":[1,2],\"timeDeltas\":[1,-2]}",
          TASK ROW("11000", "r") ROW("9000", "r<(anonymous)"));
    GIVES("{\"timeDeltas\":[1,-2],\"x\":[{}],\"samples\":[1,2],\"startTime\":10," NODES "}",
          TASK ROW("11000", "r") ROW("9000", "r<(anonymous)"));
    GIVES("{" HEAD ",\"startTime\":1,\"endTime\":2,\"samples\":[2,2]}",
          TASK ROW("1000000000", "r<a") ROW("1500000000", "r<a"));
    GIVES("{" HEAD ",\"timestamps\":[5,6],\"samples\":[2,1]}", TASK ROW("5000", "r<a") ROW("6000", "r"));
}

static void test_damage(void)
{
    static const struct tm_format_options skip = {TM_DAMAGE_SKIP, false};
    static const char cut[] = "{" NODES ",\"startTime\":10,\"timeDeltas\":[1],\"samples\":[1,";
    GIVES("{" NODES "}", TASK "stat cpuprofile_without_samples 1\n");
    GIVES("{\"nodes\":7,\"head\":[],\"samples\":{},\"timeDeltas\":7,\"startTime\":\"x\"}",
          TASK "stat cpuprofile_without_samples 1\n");
    GIVES("{" NODES ",\"startTime\":10,\"samples\":[2,7,2],\"timeDeltas\":[1,2]}",
          TASK ROW("11000", "r<(anonymous)") "account damaged 1 at 154\naccount no_time 1 at 154\n");
    GIVES("{\"nodes\":[{\"id\":1,\"callFrame\":{}},3,{\"id\":1}],\"samples\":[1],\"startTime\":1}",
          TASK "account no_time 1 at 56\nstat legacy_v8_cpu_profile_invalid_callsite 2\n");
    ok(format_refuses(&tm_format_cpuprofile, cut, "byte 174: the document is cut short"));
    struct format_run run = format_run(&tm_format_cpuprofile, cut, sizeof cut - 1, 0, &skip);
    ok(run.status == TM_END && format_run_is(&run, TASK ROW("11000", "r") "account damaged 1 at 174\n"));
    format_run_release(&run);
}

static const char *type_of(const char *text)
{
    const struct tm_format *format = tm_format_sniff((const uint8_t *)text, strlen(text));
    return format ? tm_input_type_name(format->type) : "none";
}

static void test_sniff(void)
{
    is_str(type_of("{" NODES "}"), "cpuprofile");
    is_str(type_of("{\"typeId\":\"CPU\",\"uid\":\"1\",\"title\":\"t\"," HEAD "}"), "cpuprofile");
    is_str(type_of("{\"startTime\":1.5,\"samples\":[1]}"), "cpuprofile");
    is_str(type_of("{\"startTime\":1.5,\"samples\":[{}]}"), "json");
    is_str(type_of("{\"samples\":[1],\"startTime\":1}"), "json");
    is_str(type_of("{\"nodes\":[{\"id\":1}]}"), "json");
    is_str(type_of("{\"head\":{\"callFrame\":{\"functionName\":\"\"}}}"), "json"); /* a heap profile */
    is_str(type_of("{\"startTime\":"), "json");
}

int main(void)
{
    test_order();
    test_damage();
    test_sniff();
    return tap_done();
}
