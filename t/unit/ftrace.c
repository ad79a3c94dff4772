/* Unit tests of ftrace text: task states, markers, lines and the systrace format. */
#include "format/ftrace/atrace_mark.h"
#include "format/ftrace/systrace.h"
#include "format/ftrace/systrace_line.h"
#include "kernel/sched_state.h"

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
    /* Kernels before 4.14 set bits that are no state. */
    is_str(state_text(0x2000, TM_KERNEL_VERSION(4, 13)), "R");
    is_str(state_text(0x2000, TM_KERNEL_VERSION(4, 14)), "?");
    is_str(state_text(TM_SCHED_STATE_FLAGS | TM_SCHED_STATE_WINDOWS | 6, 0), "Transition");
    is_str(state_text(TM_SCHED_STATE_FLAGS | TM_SCHED_STATE_WINDOWS | 8, 0), "?");
    is_int(tm_kernel_version_parse("6.1.0-13-amd64", 14), TM_KERNEL_VERSION(6, 1));
    is_int(tm_kernel_version_parse("4.14", 4), TM_KERNEL_VERSION(4, 14));
    is_int(tm_kernel_version_parse("linux", 5), 0);
    is_int(tm_kernel_version_parse("6", 1), 0);
}

/* Returns "phase pid name track value" of the marker, or the status of the parser. */
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
    is_str(line_text("<idle>-0     [000] ...2     0.002188: task_newtask: pid=1"),
           "<idle>,0,-1,0,2188000,task_newtask,pid=1");
    is_str(line_text("<idle>-0     [000]  0.002188: x: "), "<idle>,0,-1,0,2188000,x,");
    is_str(line_text("a b-1 [0] -(c-17 (-----) [001] d..2 1.000000001: e: f  "),
           "a b-1 [0] -(c,17,-1,1,1000000001,e,f");
    is_str(line_text("t-17 [001] d..2. 12345678901.9999999999: e: f"), "bad");
    is_str(line_text("t-17 [001] d..2. 123456.9999999999: e: f"), "t,17,-1,1,123457000000000,e,f");
    is_str(line_text("t-17 [001]2390277401453: e:   f"), "t,17,-1,1,2390277401453,e,f");
    is_str(line_text("t-17 [001] d..25.5: e: f"), "t,17,-1,1,5500000000,e,f");
    is_str(line_text("t-17 [001] d..2105.5: e: f"), "t,17,-1,1,5500000000,e,f");
    is_str(line_text("t-17 [001] .....105.5: e: f"), "t,17,-1,1,105500000000,e,f");
    is_str(line_text("t-17 [001] d..g5.5: e: f"), "bad");
    is_str(line_text("t-17    1d..2 5.5: e: f"), "t,17,-1,1,5500000000,e,f");
    is_str(line_text("t-17 [001] .... 5.5: do_it <-caller"), "t,17,-1,1,5500000000,function,do_it <-caller");
    is_str(line_text("t-17 [001] .... 5.5: sys_read(fd: 3, n: 7)"), "t,17,-1,1,5500000000,sys_read,(fd: 3, n: 7)");
    is_str(line_text("t-17 [001] .... 5.5: sys_getpid()"), "t,17,-1,1,5500000000,sys_getpid,()");
    is_str(line_text("t-17 [001] .... 5.5: sys_read -> 0x5"), "t,17,-1,1,5500000000,sys_read,-> 0x5");
    is_str(line_text("t-17 [001] .... 5.5: sys_enter: NR 0 (3)"), "t,17,-1,1,5500000000,sys_enter,NR 0 (3)");
    is_str(line_text("t-17 [001] .... 5.5: nothing"), "bad");
    is_str(line_text("t-17 [001] .... 5.: e: f"), "bad");
    is_str(line_text("t-17 [99999999999] .... 5.5: e: f"), "bad");
    is_str(line_text("t-99999999999 [001] .... 5.5: e: f"), "bad");
    is_str(line_text("t-4294967295 [001] .... 5.5: e: f"), "t,4294967295,-1,1,5500000000,e,f");
    is_str(line_text("t-4294967296 [001] .... 5.5: e: f"), "bad");
    is_str(line_text("t- [001] .... 5.5: e: f"), "bad");
    is_str(line_text("t-17 [] .... 5.5: e: f"), "bad");
    is_str(line_text(" => some_function"), "bad");
    is_str(line_text(""), "bad");
}

static void test_sched(void)
{
    ok(format_gives(
        &tm_format_systrace,
        "# tracer: nop\n#\r\n"
        "  a b-7 (    5) [001] d..2 10.000000001: sched_switch: prev_comm=a b prev_pid=7 prev_prio=-1 "
        "prev_state=R+ ==> next_comm=c next_pid=8 next_prio=120\r\n"
        "  c-8 (-----) [001] d..2 9.0: sched_waking: comm=a b pid=7 prio=120 target_cpu=003\n"
        "  c-8 [001] d..2 9.0: sched_wakeup: comm=a b pid=7 prio=120 target_cpu=003",
        "sched_switch 10000000001 pid=8 tid=7 cpu=1 'c' [a b] state=80001000 prio=-1>120 raw=  a b-7 (    5) "
        "[001] d..2 10.000000001: sched_switch: prev_comm=a b prev_pid=7 prev_prio=-1 prev_state=R+ ==> "
        "next_comm=c next_pid=8 next_prio=120\n"
        "task_rename 10000000001 pid=5 tid=7 cpu=1 derived\n"
        "sched_waking 9000000000 pid=8 tid=7 cpu=1 'a b' value=12884902008 raw=  c-8 (-----) [001] d..2 "
        "9.0: sched_waking: comm=a b pid=7 prio=120 target_cpu=003\n"
        "task_rename 9000000000 tid=8 cpu=1 'c' derived\n"
        "ftrace 9000000000 tid=8 cpu=1 'sched_wakeup' raw=  c-8 [001] d..2 9.0: sched_wakeup: comm=a b "
        "pid=7 prio=120 target_cpu=003\n"
        "task_rename 9000000000 tid=8 cpu=1 'c' derived\n"));
    ok(format_gives(
        &tm_format_systrace,
        "cpus=2\n"
        "tc:   run: x-7 [001]2390277738417: sched_switch:         run: x:7 [120] S ==> y:16827 [20]\n"
        "tc:        y-9 [001]2390277738418: sched_waking:         k/1:1H:44 [100] CPU:001\n",
        "sched_switch 2390277738417 pid=16827 tid=7 cpu=1 'y' [run: x] state=80000001 prio=120>20 raw=tc:   "
        "run: x-7 [001]2390277738417: sched_switch:         run: x:7 [120] S ==> y:16827 [20]\n"
        "sched_waking 2390277738418 pid=9 tid=44 cpu=1 'k/1:1H' value=4294967396 raw=tc:        y-9 "
        "[001]2390277738418: sched_waking:         k/1:1H:44 [100] CPU:001\n"
        "task_rename 2390277738418 tid=9 cpu=1 'y' derived\n"));
}

/* "<...>" stands for a name that the kernel does not know; other names of five bytes are names. */
static void test_unknown_name(void)
{
    ok(format_gives(&tm_format_systrace,
                    " <...>-7 (    5) [001] d..2 1.5: e: f\n <.,.>-8 (    5) [001] d..2 1.5: e: f\n",
                    "ftrace 1500000000 pid=5 tid=7 cpu=1 'e' raw= <...>-7 (    5) [001] d..2 1.5: e: f\n"
                    "task_rename 1500000000 pid=5 tid=7 cpu=1 derived\n"
                    "ftrace 1500000000 pid=5 tid=8 cpu=1 'e' raw= <.,.>-8 (    5) [001] d..2 1.5: e: f\n"
                    "task_rename 1500000000 pid=5 tid=8 cpu=1 '<.,.>' derived\n"));
}

/* One line of FORMAT text with event EVENT and its arguments gives the row WANT (raw left out). */
static void event_is(const char *event, const char *want)
{
    char text[512];
    snprintf(text, sizeof text, " t-7 (    5) [001] d..2 1.5: %s\n", event);
    struct format_run run = format_run(&tm_format_systrace, text, strlen(text), 4, NULL);
    char *raw = strstr((char *)run.text.data, " raw=");
    if (raw)
        *raw = '\0';
    is_str((const char *)run.text.data, want);
    format_run_release(&run);
}

static void test_events(void)
{
    event_is("task_rename: pid=7 oldcomm=a newcomm=b c oom_score_adj=0",
             "task_rename 1500000000 pid=5 tid=7 cpu=1 'b c'");
    event_is("task_newtask: pid=9 comm=b c clone_flags=3d0f00 oom_score_adj=0",
             "task_new 1500000000 pid=7 tid=9 cpu=1 'b c' value=4001536");
    event_is("sched_process_free: comm=a pid=1 b pid=8 prio=120", "process_exit 1500000000 pid=5 tid=8 cpu=1");
    event_is("cpu_frequency: state=1200000 cpu_id=3",
             "counter 1500000000 pid=5 tid=7 cpu=3 cpu 'cpufreq' value=1200000");
    event_is("cpu_idle: state=4294967295 cpu_id=0",
             "counter 1500000000 pid=5 tid=7 cpu=0 cpu 'cpuidle' value=4294967295");
    event_is("clock_set_rate: name=gpu clk state=5 cpu_id=0",
             "counter 1500000000 pid=5 tid=7 cpu=1 'gpu Frequency' value=5");
    event_is("clock_set_rate: gpu_clk state=5 cpu_id=0",
             "counter 1500000000 pid=5 tid=7 cpu=1 'gpu_clk Frequency' value=5");
    event_is("clock_disable: name=x state=0", "counter 1500000000 pid=5 tid=7 cpu=1 'x State' value=0");
    event_is("thermal_temperature: thermal_zone=cpu id=0 temp_prev=1 temp=-3",
             "counter 1500000000 pid=5 tid=7 cpu=1 'cpu Temperature' value=-3");
    event_is("cdev_update: type=fan target=2", "counter 1500000000 pid=5 tid=7 cpu=1 'fan Cooling Device' value=2");
    event_is("rss_stat: mm_id=5 curr=1 member=MM_ANONPAGES size=4096B",
             "counter 1500000000 pid=5 tid=7 cpu=1 process 'mem.rss.anon' value=4096");
    event_is("rss_stat: mm_id=5 curr=0 member=1 size=4096", "ftrace 1500000000 pid=5 tid=7 cpu=1 'rss_stat'");
    event_is("workqueue_execute_start: work struct 00: function fn a",
             "begin 1500000000 pid=5 tid=7 cpu=1 thread 'fn a' [workqueue]");
    event_is("workqueue_execute_end: work struct 00", "end 1500000000 pid=5 tid=7 cpu=1 thread [workqueue]");
    event_is("binder_transaction: transaction=3 dest_node=4 dest_proc=5 dest_thread=6 reply=0 flags=0x11 code=0x1",
             "binder 1500000000 pid=5 tid=7 cpu=1 thread 'binder transaction async' [binder] event=600000102 track=3 "
             "transaction id=3 destination node=4 destination process=5 reply transaction?=false flags='0x11 this is a "
             "one-way call: async, no return; allow replies with file descriptors; ' code='0x1 Java Layer Dependent' "
             "calling tid=u7");
    event_is(
        "binder_transaction: transaction=-3 dest_node=4 dest_proc=5 dest_thread=6 reply=1 flags=0x0 code=0x1",
        "binder 1500000000 pid=5 tid=7 cpu=1 thread 'binder reply' [binder] event=600000003 track=fffffffd "
        "transaction id=-3 destination node=4 destination process=5 reply transaction?=true flags='0x00 No Flags Set' "
        "code='0x1 Java Layer Dependent' calling tid=u7");
    event_is("binder_transaction: transaction=3 dest_node=4 dest_proc=-5 dest_thread=6 reply=1 flags=0x0",
             "ftrace 1500000000 pid=5 tid=7 cpu=1 'binder_transaction'");
    event_is("binder_transaction_received: transaction=3",
             "binder 1500000000 pid=5 tid=7 cpu=1 thread 'binder reply' [binder] event=4 track=3");
    event_is(
        "binder_transaction_alloc_buf: transaction=3 data_size=8 offsets_size=0",
        "slice_args 1500000000 pid=5 tid=7 cpu=1 thread 'binder transaction' [binder] data size=u8 offsets size=u0");
    event_is("binder_command: cmd=0x40406300 BC_TRANSACTION",
             "binder 1500000000 pid=5 tid=7 cpu=1 thread 'binder_command' [binder] event=5 track=40406300");
    event_is("binder_return: cmd=29189 x",
             "binder 1500000000 pid=5 tid=7 cpu=1 thread 'binder_return' [binder] event=6 track=7205");
    event_is("binder_return: x", "ftrace 1500000000 pid=5 tid=7 cpu=1 'binder_return'");
    event_is("binder_locked: tag=x",
             "binder 1500000000 pid=5 tid=7 cpu=1 thread 'binder lock held' [binder] event=8 track=0");
    event_is("sched_switch: prev_comm=a prev_pid=x", "ftrace 1500000000 pid=5 tid=7 cpu=1 'sched_switch'");
    event_is("print: E", "end 1500000000 tid=7 cpu=1 thread");
    event_is("print:    tracing_mark_write: B|5|a: b", "begin 1500000000 pid=5 tid=7 cpu=1 thread 'a: b'");
    event_is("0: B|0|x", "begin 1500000000 tid=7 cpu=1 thread 'x'");
    event_is("tracing_mark_write: C|9|n|-4", "counter 1500000000 pid=9 tid=7 cpu=1 process 'n' value=-4");
    event_is("tracing_mark_write: C|9|ScreenState|1", "counter 1500000000 pid=9 tid=7 cpu=1 'ScreenState' value=1");
    event_is("tracing_mark_write: S|9|n|-1",
             "begin 1500000000 pid=9 tid=7 cpu=1 process 'n' track=ffffffffffffffff async");
    event_is("tracing_mark_write: H|9|tr|3", "end 1500000000 pid=9 tid=7 cpu=1 process [tr] track=3 async");
    event_is("tracing_mark_write: N|9|tr|n", "instant 1500000000 pid=9 tid=7 cpu=1 process 'n' [tr] async");
    event_is("tracing_mark_write: hello", "ftrace 1500000000 pid=5 tid=7 cpu=1 'tracing_mark_write'");
    ok(format_gives(&tm_format_systrace,
                    "# tracer: nop\n a-1 [000] .... 1.5: cpu_frequency_limits: min=1 max=2 cpu_id=3\n"
                    " a-1 [000] .... 2.5: tracing_mark_write: trace_event_clock_sync: parent_ts=2.25\n"
                    " a-1 [000] .... 2.5: tracing_mark_write: trace_event_clock_sync: realtime_ts=1000\n",
                    "counter 1500000000 tid=1 cpu=3 cpu 'Cpu 3 Max Freq Limit' value=2 raw= a-1 [000] .... 1.5: "
                    "cpu_frequency_limits: min=1 max=2 cpu_id=3\n"
                    "counter 1500000000 tid=1 cpu=3 cpu 'Cpu 3 Min Freq Limit' value=1 derived\n"
                    "task_rename 1500000000 tid=1 cpu=0 'a' derived\n"
                    "hint 0:2500000000 = 3:2250000000 trace_event_clock_sync: parent_ts\n"
                    "ftrace 2500000000 tid=1 cpu=0 'tracing_mark_write' raw= a-1 [000] .... 2.5: tracing_mark_write: "
                    "trace_event_clock_sync: parent_ts=2.25\n"
                    "hint 0:2500000000 = 1:1000000000 trace_event_clock_sync: realtime_ts\n"
                    "ftrace 2500000000 tid=1 cpu=0 'tracing_mark_write' raw= a-1 [000] .... 2.5: tracing_mark_write: "
                    "trace_event_clock_sync: realtime_ts=1000\n"));
}

/* The first row, without raw, of a report of trace-cmd whose lines begin with a name of LEN bytes. */
static void prefixed_is(int len, const char *want)
{
    char text[512];
    char name[257];
    memset(name, 'n', sizeof name);
    int size = snprintf(text, sizeof text, "cpus=2\n%.*s:   c-7 [001] 1.5: e: f\n", len, name);
    struct format_run run = format_run(&tm_format_systrace, text, (size_t)size, 4, NULL);
    char *raw = strstr((char *)run.text.data, " raw=");
    char *renamed = raw ? strstr(raw, "task_rename") : NULL;
    is_str(renamed ? renamed : "none", want);
    format_run_release(&run);
}

/* The name of a file has at most 255 bytes; a longer text with a colon belongs to the task. */
static void test_prefix(void)
{
    char name[257], want[512];
    memset(name, 'n', sizeof name);
    prefixed_is(1, "task_rename 1500000000 tid=7 cpu=1 'c' derived\n");
    prefixed_is(255, "task_rename 1500000000 tid=7 cpu=1 'c' derived\n");
    snprintf(want, sizeof want, "task_rename 1500000000 tid=7 cpu=1 '%.*s:   c' derived\n", 256, name);
    prefixed_is(256, want);
}

static void test_wrapping(void)
{
    ok(format_gives(&tm_format_systrace,
                    "<!DOCTYPE html>\n<html>\n a-1 [000] 1.5: no: no\n<script class=\"trace-data\" "
                    "type=\"application/text\">\nPROCESS DUMP\nUSER PID PPID VSZ RSS WCHAN PC S NAME COMM\n"
                    "root 1 0 1 2 0 0 S init /init a\nUSER PID TID CMD\nroot 1 2 a b\n</script>\n"
                    "<script class=\"trace-data\" type=\"application/text\">\n# tracer: nop\n#  TASK-PID\n"
                    " a-1 [000] .... 1.5: e: f\n</script></html>\n a-1 [000] 1.5: no: no\n",
                    "process pid=1 def process{name=init parent=0}\n"
                    "thread pid=1 tid=2 def thread{name=a b}\n"
                    "ftrace 1500000000 tid=1 cpu=0 'e' raw= a-1 [000] .... 1.5: e: f\n"
                    "task_rename 1500000000 tid=1 cpu=0 'a' derived\n"));
    ok(format_gives(&tm_format_systrace,
                    "<html>\n<script class=\"trace-data\" type=\"application/text\">\n"
                    "# tracer: nop\n a-1 [000] .... 1.5: e: f\n</script>\n",
                    "ftrace 1500000000 tid=1 cpu=0 'e' raw= a-1 [000] .... 1.5: e: f\n"
                    "task_rename 1500000000 tid=1 cpu=0 'a' derived\n"));
    ok(format_gives(&tm_format_systrace,
                    "<html>\n<script class=\"trace-data\" type=\"application/text\">\nno event\n"
                    " a-1 [000] .... 1.5: e: f\n</script>\n",
                    "ftrace 1500000000 tid=1 cpu=0 'e' raw= a-1 [000] .... 1.5: e: f\n"
                    "task_rename 1500000000 tid=1 cpu=0 'a' derived\n"));
    ok(format_gives(&tm_format_systrace,
                    "capturing trace... done\nTRACE:\n# tracer: nop\n\n \n a-1 [000] .... 1.5: e: f\n"
                    "CPU:1 [LOST 17 EVENTS]\nfoo bar\nbaz",
                    "ftrace 1500000000 tid=1 cpu=0 'e' raw= a-1 [000] .... 1.5: e: f\n"
                    "task_rename 1500000000 tid=1 cpu=0 'a' derived\n"
                    "account damaged 2 at 97\n"
                    "stat systrace_parse_failure 2\nstat ftrace_text_lost_events 17\n"));
}

/* A text without an event is an error with halt; a line without an end is one line of damage. */
static void test_damage(void)
{
    static const struct tm_format_options halt = {TM_DAMAGE_HALT, false}, skip = {TM_DAMAGE_SKIP, false};
    static const char noise[] = "# tracer: nop\nwhat\nis this\n";
    struct format_run run = format_run(&tm_format_systrace, noise, strlen(noise), 0, &halt);
    is_int(run.status, TM_E_INPUT);
    is_str(run.err.text, "byte 14: no line is an event of ftrace text");
    format_run_release(&run);
    run = format_run(&tm_format_systrace, noise, strlen(noise), 0, &skip);
    ok(format_run_is(&run, "account damaged 2 at 14\nstat systrace_parse_failure 2\n"));
    format_run_release(&run);
    static const char page[] = "<html>\n<script>\n a-1 [000] .... 1.5: e: f\n</script></html>\n";
    run = format_run(&tm_format_systrace, page, strlen(page), 0, &halt);
    is_int(run.status, TM_E_INPUT);
    is_str(run.err.text, "byte 0: HTML without trace data");
    format_run_release(&run);
    run = format_run(&tm_format_systrace, page, strlen(page), 0, &skip);
    ok(format_run_is(&run, "account damaged 1 at 0\nstat systrace_parse_failure 1\n"));
    format_run_release(&run);
    struct tm_buf b = {0};
    tm_buf_add_str(&b, " a-1 [000] .... 1.5: e: f\n");
    for (int i = 0; i < TM_SYSTRACE_LINE_MAX * 3; i++)
        tm_buf_add_byte(&b, 'x');
    tm_buf_add_str(&b, "\n a-1 [000] .... 1.5: e: g\n");
    for (size_t chunk = 0; chunk < 100000; chunk += 65536) {
        run = format_run(&tm_format_systrace, b.data, b.len, chunk, &halt);
        ok(format_run_is(&run, "ftrace 1500000000 tid=1 cpu=0 'e' raw= a-1 [000] .... 1.5: e: f\n"
                               "task_rename 1500000000 tid=1 cpu=0 'a' derived\n"
                               "ftrace 1500000000 tid=1 cpu=0 'e' raw= a-1 [000] .... 1.5: e: g\n"
                               "account damaged 1 at 26\nstat systrace_parse_failure 1\n"));
        format_run_release(&run);
    }
    tm_buf_release(&b);
}

int main(void)
{
    test_sched_state();
    test_marks();
    test_lines();
    test_sched();
    test_events();
    test_unknown_name();
    test_prefix();
    test_wrapping();
    test_damage();
    return tap_done();
}
