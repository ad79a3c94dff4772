/* Unit tests of the line parsers of perf script and strace text. */
#include "format/text/perf_line.h"
#include "format/text/strace.h"

#include "tap.h"

static enum tm_status perf(const char *line, struct tm_perf_head *head)
{
    return tm_perf_head_parse(line, strlen(line), head);
}

static bool is(const char *s, size_t len, const char *want)
{
    return len == strlen(want) && memcmp(s, want, len) == 0;
}

static void test_perf(void)
{
    struct tm_perf_head h;
    is_int(perf("perf 16828 [000]  2390.769772:    5025125 cpu-clock: ", &h), TM_OK);
    ok(is(h.comm, h.comm_len, "perf") && h.tid == 16828 && !h.has_pid && h.has_cpu && h.cpu == 0);
    ok(h.time_ns == INT64_C(2390769772000) && h.has_period && h.period == 5025125 &&
       is(h.event, h.event_len, "cpu-clock"));
    is_int(perf("my task 7 x 12/13 [001] 2390.769772018: cycles:u: ", &h), TM_OK);
    ok(is(h.comm, h.comm_len, "my task 7 x") && h.pid == 12 && h.tid == 13 && h.time_ns == INT64_C(2390769772018));
    ok(!h.has_period && is(h.event, h.event_len, "cycles:u"));
    ok(perf("a 7 1.5: 18446744073709551610 cycles:", &h) == TM_OK && h.has_period &&
       h.period == UINT64_C(18446744073709551610) && is(h.event, h.event_len, "cycles"));
    ok(perf("a 7 1.5: 99999999999999999999 cycles:", &h) == TM_OK && h.period == UINT64_MAX);
    is_int(perf("swapper     0 [003] 1.5: sched:sched_switch: prev_comm=a prev_pid=1", &h), TM_OK);
    ok(is(h.event, h.event_len, "sched:sched_switch") && is(h.rest, h.rest_len, "prev_comm=a prev_pid=1"));
    is_int(perf("noshape 12 1.5: cycles: 7f00 f (x)", &h), TM_OK);
    ok(!h.has_cpu && h.tid == 12);
    is_int(perf("          run.sh-16687   [001] .....  2390.277401: sched_process_fork: comm=run.sh", &h), TM_E_INPUT);
    is_int(perf("perf 16828 [000]  2390.769772", &h), TM_E_INPUT);
    is_int(perf("perf 99999999999999999999 [000]  2390.769772: 1 x:", &h), TM_E_INPUT);
    is_int(perf("", &h), TM_E_INPUT);
    is_int(perf(":-1    -1 [002]   100.5: page-faults:u:  7f00 f (x)", &h), TM_OK);
    ok(h.tid == TM_PERF_ENDED && !h.has_pid && is(h.comm, h.comm_len, ":-1"));
    is_int(perf("x -1/5 100.5: e: ", &h), TM_OK);
    ok(h.tid == 5 && !h.has_pid);
    is_int(perf(":-1 -1/-1 100.5: e: ", &h), TM_OK);
    ok(h.tid == TM_PERF_ENDED && h.has_pid && h.pid == TM_PERF_ENDED);
    is_int(perf("perf 99 [001] 100.5: PERF_RECORD_LOST lost 12", &h), TM_END);
    ok(is(h.event, h.event_len, "PERF_RECORD_LOST") && is(h.rest, h.rest_len, "lost 12"));
}

static bool frame_is(const char *line, uint64_t pc, const char *symbol, const char *mapping)
{
    struct tm_perf_frame f;
    return tm_perf_frame_parse(line, strlen(line), &f) && f.pc == pc &&
           is(tm_text_chars(f.symbol), f.symbol.len, symbol) && is(tm_text_chars(f.mapping), f.mapping.len, mapping);
}

static void test_perf_stack(void)
{
    struct tm_text file;
    int64_t line;
    struct tm_perf_frame f;
    ok(frame_is("\t7f00 f(int (*)(char))+0x1c (/lib/a b (deleted))", 0x7f00, "f(int (*)(char))", "/lib/a b (deleted)"));
    ok(frame_is("\tffffffff81000000 native_write_msr+0x4 ([kernel.kallsyms])", UINT64_C(0xffffffff81000000),
                "native_write_msr", "[kernel.kallsyms]"));
    ok(frame_is("  7777 inner (inlined)", 0x7777, "inner", "inlined") && frame_is(" 1 [unknown]", 1, "[unknown]", ""));
    ok(frame_is("400 a+0x1 (/bin/x) =>  401 main (/bin/x)", 0x400, "a", "/bin/x"));
    ok(!tm_perf_frame_parse("  main.c:12", 11, &f) && !tm_perf_frame_parse("", 0, &f));
    ok(tm_perf_source_parse("  src/main.c:12", 15, &file, &line) && is(tm_text_chars(file), file.len, "src/main.c") &&
       line == 12);
    ok(tm_perf_source_parse("\tC:a.c:7 (discriminator 3)", 26, &file, &line) &&
       is(tm_text_chars(file), file.len, "C:a.c") && line == 7);
    ok(!tm_perf_source_parse("  ??:?", 6, &file, &line) && !tm_perf_source_parse("  :5", 4, &file, &line) &&
       !tm_perf_source_parse("  a:99999999999", 15, &file, &line));
}

static enum tm_status strace(const char *line, struct tm_strace_line *l)
{
    return tm_strace_line_parse(line, strlen(line), l);
}

static void test_strace(void)
{
    struct tm_strace_line l;
    is_int(strace("17189 1795206889.821425 brk(NULL)       = 0x3a1d5000 <0.000010>", &l), TM_OK);
    ok(l.what == TM_STRACE_CALL && l.tid == 17189 && l.time_ns == INT64_C(1795206889821425000) &&
       is(l.name, l.name_len, "brk"));
    ok(is(l.args, l.args_len, "NULL") && is(l.result, l.result_len, "0x3a1d5000") && l.has_dur && l.dur_ns == 10000);
    is_int(strace("17189 1795206889.823716 write(1, \") = 2 <0.1>\", 9) = -1 ENOENT (No such file) <0.000807>", &l),
           TM_OK);
    ok(is(l.args, l.args_len, "1, \") = 2 <0.1>\", 9") && is(l.result, l.result_len, "-1 ENOENT (No such file)"));
    is_int(strace("17197 1795206890.357330 rseq(0x7fced873dfe0, 0x20, 0, 0x53053053 <unfinished ...>", &l), TM_OK);
    ok(l.what == TM_STRACE_UNFINISHED && is(l.name, l.name_len, "rseq"));
    is_int(strace("17189 1795206890.357963 <... rt_sigprocmask resumed>[USR1], 8) = 0 <0.000039>", &l), TM_OK);
    ok(l.what == TM_STRACE_RESUMED && is(l.name, l.name_len, "rt_sigprocmask") && is(l.result, l.result_len, "0"));
    is_int(strace("17189 1795206890.357963 <... read resumed> <unfinished ...>", &l), TM_OK);
    ok(l.what == TM_STRACE_RESUMED_UNFINISHED && is(l.name, l.name_len, "read") && l.result == NULL);
    is_int(strace("1 1795206890.4 --- SIGCHLD {si_signo=SIGCHLD} ---", &l), TM_OK);
    ok(l.what == TM_STRACE_NOTE && is(l.name, l.name_len, "SIGCHLD {si_signo=SIGCHLD}"));
    is_int(strace("1795206890.4 getpid() = 5", &l), TM_OK);
    ok(!l.has_tid && !l.has_dur);
    is_int(strace("[pid    12] 1795206890.4 getpid() = 5", &l), TM_OK);
    is_int(l.tid, 12);
    is_int(strace("12 1.5 getpid() = 5", &l), TM_E_INPUT);
    is_int(strace("12 1795206890.4 getpid(", &l), TM_E_INPUT);
    is_int(strace("12 1795206890.4 ", &l), TM_E_INPUT);
    is_int(strace("", &l), TM_E_INPUT);
}

int main(void)
{
    test_perf();
    test_perf_stack();
    test_strace();
    return tap_done();
}
