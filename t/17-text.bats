# Text: perf script, strace, trace-cmd report and ftrace in their variants, as rows of the stream.

setup() {
    cd "$BATS_TEST_TMPDIR"
    . "$TM_SRC/t/lib/common.bash"
    data=$TM_SRC/t/data
}

@test "perf script: stacks with source lines and inlined frames, tracepoints with stacks, no thread, perf's own records" {
    frames_anywhere "$data/perf-script.txt" >got
    diff -u "$data/perf-script.frames" got
}

@test "perf script: a switch with a stack is scheduling and a sample" {
    tm-merge -o x.db "$data/perf-script.txt"
    [ "$(sqlite3 x.db "SELECT s.ts || ' ' || s.cpu || ' ' || t.name FROM sched s JOIN thread t USING (utid)")" = "100000400000 3 swapper" ]
    [ "$(sqlite3 x.db "SELECT group_concat(ts || ' ' || t.tid, ',') FROM (SELECT * FROM perf_sample ORDER BY id) JOIN thread t USING (utid)")" = \
        "100000001000 0,100000100000 1235,100000300000 77,100000400000 77,100600000000 10" ]
    tm-merge -o x.pftrace "$data/perf-script.txt"
    tm-merge -f report x.pftrace | grep -q '0 dropped'
}

@test "strace: signals, exits, calls interrupted and taken up again, stacks, remarks" {
    frames_anywhere "$data/strace.txt" >got
    diff -u "$data/strace.frames" got
}

@test "trace-cmd report: version and cpus, latency columns, stacks, dropped events, nanoseconds" {
    frames_anywhere "$data/trace-cmd.txt" >got
    diff -u "$data/trace-cmd.frames" got
}

@test "ftrace: tgids, names with blanks and dashes, clocks that count no seconds" {
    frames_anywhere "$data/ftrace-tgid.txt" >got
    diff -u "$data/ftrace-tgid.frames" got
}
