/* Unit tests of ftrace text: task states, markers, lines and the systrace format. */
#include "format/atrace_mark.h"
#include "format/systrace.h"
#include "format/systrace_line.h"
#include "model/sched_state.h"

#include "format_run.h"
#include "tap.h"

static const char *state_text(uint32_t state, uint32_t version)
{
    static char text[TM_SCHED_STATE_TEXT_MAX];
    tm_sched_state_text(state, version, 0, text);
    return text;
}

static void test_sched_state(void)
{
    static const char *const texts[] = {"R", "R+", "S", "D", "T", "t", "X", "Z", "P", "x", "K", "W", "I"};
    static const uint32_t versions[] = {0, TM_KERNEL_VERSION(4, 8), TM_KERNEL_VERSION(6, 1)};
    int wrong = 0;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        uint32_t state = tm_sched_state_parse(texts[i], strlen(texts[i]));
        wrong += strcmp(state_text(state, 0), texts[i]) != 0;
        for (int v = 0; v < 3; v++) {
            uint32_t mask = tm_sched_state_encode(state, versions[v]);
            bool reported = v < 2 || strchr("xKW", texts[i][0]) == NULL;
            wrong += reported && strcmp(state_text(mask, versions[v]), texts[i]) != 0;
        }
    }
    is_int(wrong, 0);
    is_str(state_text(tm_sched_state_parse("D|K", 3), 0), "DK");
    is_str(state_text(tm_sched_state_parse("", 0), 0), "?");
    is_str(state_text(tm_sched_state_parse("q", 1), 0), "?");
    is_str(state_text(0x402, 0), "I");
    is_str(state_text(0x80, TM_KERNEL_VERSION(5, 10)), "I");
    is_str(state_text(0x100, TM_KERNEL_VERSION(5, 10)), "R+");
    is_str(state_text(0x800, 0), "R+");
    is_str(state_text(0x1000, TM_KERNEL_VERSION(4, 9)), "R+");
    is_int(tm_kernel_version_parse("6.1.0-13-amd64", 14), TM_KERNEL_VERSION(6, 1));
    is_int(tm_kernel_version_parse("4.14", 4), TM_KERNEL_VERSION(4, 14));
    is_int(tm_kernel_version_parse("linux", 5), 0);
    is_int(tm_kernel_version_parse("6", 1), 0);
}

/* "phase pid name track value" of the marker, or what parse said. */
static const char *mark_text(const char *text)
{
    static char out[256];
    struct tm_atrace_mark m;
    enum tm_status st = tm_atrace_mark_parse(text, strlen(text), &m);
    if (st != TM_OK)
        return st == TM_END ? "sync" : "bad";
    snprintf(out, sizeof out, "%c %d %.*s %.*s %lld", m.phase, m.has_pid ? (int)m.pid : -1, (int)m.name_len,
             m.name ? m.name : "", (int)m.track_len, m.track ? m.track : "", (long long)m.value);
    return out;
}

static void test_marks(void)
{
    is_str(mark_text("B|12|a|b\n"), "B 12 a|b  0");
    is_str(mark_text("B|12|"), "B 12 [empty slice name]  0");
    is_str(mark_text("B|12"), "B 12 [empty slice name]  0");
    is_str(mark_text("B||x"), "bad");
    is_str(mark_text("B|-3|x"), "bad");
    is_str(mark_text("E"), "E -1   0");
    is_str(mark_text("E|7\n"), "E 7   0");
    is_str(mark_text("C|7|n|-42"), "C 7 n  -42");
    is_str(mark_text("C|7|n|1|Blob"), "C 7 n  1");
    is_str(mark_text("C|7|n|1.5"), "bad");
    is_str(mark_text("S|7|n|9"), "S 7 n  9");
    is_str(mark_text("F|7|n|"), "bad");
    is_str(mark_text("I|7|n"), "I 7 n  0");
    is_str(mark_text("N|7|t|n"), "N 7 n t 0");
    is_str(mark_text("G|7|t|n|5"), "G 7 n t 5");
    is_str(mark_text("H|7|t|5"), "H 7  t 5");
    is_str(mark_text("H|7|t|n|5"), "H 7  t 5");
    is_str(mark_text("trace_event_clock_sync: parent_ts=1.5"), "sync");
    is_str(mark_text("Entering"), "bad");
    is_str(mark_text(""), "bad");
}

static const char *line_text(const char *text)
{
    static char out[256];
    struct tm_systrace_line l;
    if (tm_systrace_line_parse(text, strlen(text), &l) != TM_OK)
        return "bad";
    snprintf(out, sizeof out, "%.*s,%u,%d,%u,%lld,%.*s,%.*s", (int)l.task_len, l.task, l.pid,
             l.has_tgid ? (int)l.tgid : -1, l.cpu, (long long)l.time_ns, (int)l.event_len, l.event, (int)l.args_len,
             l.args);
    return out;
}

static void test_lines(void)
{
    is_str(line_text("  kworker/u16:1-77    (   77) [004] ....   316.196720: 0: B|77|x"),
           "kworker/u16:1,77,77,4,316196720000,0,B|77|x");
    is_str(line_text("<idle>-0     [000] ...2     0.002188: task_newtask: pid=1"), "<idle>,0,-1,0,2188000,task_newtask,pid=1");
    is_str(line_text("<idle>-0     [000]  0.002188: x: "), "<idle>,0,-1,0,2188000,x,");
    is_str(line_text("a b-1 [0] -(c-17 (-----) [001] d..2 1.000000001: e: f  "), "a b-1 [0] -(c,17,-1,1,1000000001,e,f");
    is_str(line_text("t-17 [001] d..2. 12345678901.9999999999: e: f"), "bad");
    is_str(line_text("t-17 [001] d..2. 123456.9999999999: e: f"), "t,17,-1,1,123457000000000,e,f");
    is_str(line_text("t-17 [001]2390277401453: e:   f"), "t,17,-1,1,2390277401453,e,f");
    is_str(line_text("t-17    1d..2 5.5: e: f"), "t,17,-1,1,5500000000,e,f");
    is_str(line_text("t-17 [001] .... 5.5: do_it <-caller"), "t,17,-1,1,5500000000,function,do_it <-caller");
    is_str(line_text("t-17 [001] .... 5.5: nothing"), "bad");
    is_str(line_text("t-17 [001] .... 5.: e: f"), "bad");
    is_str(line_text("t-17 [99999999999] .... 5.5: e: f"), "bad");
    is_str(line_text("t-99999999999 [001] .... 5.5: e: f"), "bad");
    is_str(line_text(" => some_function"), "bad");
    is_str(line_text(""), "bad");
}

static void test_sched(void)
{
    ok(format_gives(&tm_format_systrace,
                    "# tracer: nop\n#\r\n"
                    "  a b-7 (    5) [001] d..2 10.000000001: sched_switch: prev_comm=a b prev_pid=7 prev_prio=-1 "
                    "prev_state=R+ ==> next_comm=c next_pid=8 next_prio=120\r\n"
                    "  c-8 (-----) [001] d..2 9.0: sched_waking: comm=a b pid=7 prio=120 target_cpu=003\n"
                    "  c-8 [001] d..2 9.0: sched_wakeup: comm=a b pid=7 prio=120 target_cpu=003",
                    "sched_switch 10000000001 pid=8 tid=7 cpu=1 'c' [a b] state=80001000 prio=-1>120 raw=  a b-7 (    5) "
                    "[001] d..2 10.000000001: sched_switch: prev_comm=a b prev_pid=7 prev_prio=-1 prev_state=R+ ==> "
                    "next_comm=c next_pid=8 next_prio=120\n"
                    "task_rename 10000000001 pid=5 tid=7 cpu=1 'a b' derived\n"
                    "sched_waking 9000000000 pid=8 tid=7 cpu=1 'a b' value=12884902008 raw=  c-8 (-----) [001] d..2 "
                    "9.0: sched_waking: comm=a b pid=7 prio=120 target_cpu=003\n"
                    "task_rename 9000000000 tid=8 cpu=1 'c' derived\n"
                    "ftrace 9000000000 tid=8 cpu=1 'sched_wakeup' raw=  c-8 [001] d..2 9.0: sched_wakeup: comm=a b "
                    "pid=7 prio=120 target_cpu=003\n"));
    ok(format_gives(&tm_format_systrace,
                    "cpus=2\n"
                    "tc:   run: x-7 [001]2390277738417: sched_switch:         run: x:7 [120] S ==> y:16827 [20]\n"
                    "tc:        y-9 [001]2390277738418: sched_waking:         k/1:1H:44 [100] CPU:001\n",
                    "sched_switch 2390277738417 pid=16827 tid=7 cpu=1 'y' [run: x] state=80000001 prio=120>20 raw=tc:   "
                    "run: x-7 [001]2390277738417: sched_switch:         run: x:7 [120] S ==> y:16827 [20]\n"
                    "task_rename 2390277738417 tid=7 cpu=1 'run: x' derived\n"
                    "sched_waking 2390277738418 pid=9 tid=44 cpu=1 'k/1:1H' value=4294967396 raw=tc:        y-9 "
                    "[001]2390277738418: sched_waking:         k/1:1H:44 [100] CPU:001\n"
                    "task_rename 2390277738418 tid=9 cpu=1 'y' derived\n"));
}

int main(void)
{
    test_sched_state();
    test_marks();
    test_lines();
    test_sched();
    return tap_done();
}
