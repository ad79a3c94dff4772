/* Unit tests of the line parsers of perf script and strace text. */
#include "format/perf_script.h"
#include "format/strace.h"

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
    ok(h.time_ns == INT64_C(2390769772000) && h.has_period && h.period == 5025125 && is(h.event, h.event_len, "cpu-clock"));
    is_int(perf("my task 7 x 12/13 [001] 2390.769772018: cycles:u: ", &h), TM_OK);
    ok(is(h.comm, h.comm_len, "my task 7 x") && h.pid == 12 && h.tid == 13 && h.time_ns == INT64_C(2390769772018));
    ok(!h.has_period && is(h.event, h.event_len, "cycles:u"));
    is_int(perf("swapper     0 [003] 1.5: sched:sched_switch: prev_comm=a prev_pid=1", &h), TM_OK);
    ok(is(h.event, h.event_len, "sched:sched_switch") && is(h.rest, h.rest_len, "prev_comm=a prev_pid=1"));
    is_int(perf("noshape 12 1.5: cycles: 7f00 f (x)", &h), TM_OK);
    ok(!h.has_cpu && h.tid == 12);
    is_int(perf("          run.sh-16687   [001] .....  2390.277401: sched_process_fork: comm=run.sh", &h), TM_E_INPUT);
    is_int(perf("perf 16828 [000]  2390.769772", &h), TM_E_INPUT);
    is_int(perf("perf 99999999999999999999 [000]  2390.769772: 1 x:", &h), TM_E_INPUT);
    is_int(perf("", &h), TM_E_INPUT);
}

static enum tm_status strace(const char *line, struct tm_strace_line *l)
{
    return tm_strace_line_parse(line, strlen(line), l);
}

static void test_strace(void)
{
    struct tm_strace_line l;
    is_int(strace("17189 1795206889.821425 brk(NULL)       = 0x3a1d5000 <0.000010>", &l), TM_OK);
    ok(l.what == TM_STRACE_CALL && l.tid == 17189 && l.time_ns == INT64_C(1795206889821425000) && is(l.name, l.name_len, "brk"));
    ok(is(l.args, l.args_len, "NULL") && is(l.result, l.result_len, "0x3a1d5000") && l.has_dur && l.dur_ns == 10000);
    is_int(strace("17189 1795206889.823716 write(1, \") = 2 <0.1>\", 9) = -1 ENOENT (No such file) <0.000807>", &l), TM_OK);
    ok(is(l.args, l.args_len, "1, \") = 2 <0.1>\", 9") && is(l.result, l.result_len, "-1 ENOENT (No such file)"));
    is_int(strace("17197 1795206890.357330 rseq(0x7fced873dfe0, 0x20, 0, 0x53053053 <unfinished ...>", &l), TM_OK);
    ok(l.what == TM_STRACE_UNFINISHED && is(l.name, l.name_len, "rseq"));
    is_int(strace("17189 1795206890.357963 <... rt_sigprocmask resumed>[USR1], 8) = 0 <0.000039>", &l), TM_OK);
    ok(l.what == TM_STRACE_RESUMED && is(l.name, l.name_len, "rt_sigprocmask") && is(l.result, l.result_len, "0"));
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
    test_strace();
    return tap_done();
}
