#!/usr/bin/env bats
# Tasks and processes of any kernel (generic_kernel_* packets): states, scheduling, names, the process tree. The
# expected rows are the reference importer's.

bats_require_minimum_version 1.5.0

setup_file() {
    export PYTHONDONTWRITEBYTECODE=1
    python3 "$TM_SRC/t/gen/make-tasks.py" >"$BATS_FILE_TMPDIR/make-tasks.pftrace"
}

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
    export PYTHONDONTWRITEBYTECODE=1
    cp "$BATS_FILE_TMPDIR/make-tasks.pftrace" .
}

want_states='10|10|102|R|
20|10|102|Running|0
30|10|102|S|
30|10|101|Running|0
40|35|101|D|
40|40|102|Running|0
50|10|7|Running|1
60|5|7||
60|-1|8|Running|1
65|-1|7|R|
75|-1|101|R|
80|5|102|T|
85|75|102|R|
90|5|300|Created|
95|5|300|R|
100|10|300|Running|2
110|10|300|Z|
120|-1|300|X|
130|-1|400|X|
160|-1|102|Running|0'
want_slices='20|10|0|102|S|7
30|10|0|101|D|10
40|40|0|102|T|10
50|10|1|7||10
60|-1|1|8||10
100|10|2|300|Z|10
150|10|0|0||10
160|-1|0|102||10'
want_counts=$'generic_task_state_invalid_order|3\ntask_state_invalid|2'

@test "each task has its states and slices" {
    tm-merge -o t.db make-tasks.pftrace
    [ "$(sqlite3 t.db "SELECT s.ts, s.dur, t.tid, s.state, s.cpu FROM thread_state s JOIN thread t USING (utid) ORDER BY s.ts, s.id")" = \
        "$want_states" ] || { sqlite3 t.db "SELECT s.ts, s.dur, t.tid, s.state, s.cpu FROM thread_state s JOIN thread t USING (utid) ORDER BY s.ts, s.id"; false; }
    [ "$(sqlite3 t.db "SELECT s.ts, s.dur, s.cpu, t.tid, s.end_state, s.priority FROM sched s JOIN thread t USING (utid) ORDER BY s.ts, s.cpu")" = \
        "$want_slices" ] || { sqlite3 t.db "SELECT s.ts, s.dur, s.cpu, t.tid, s.end_state, s.priority FROM sched s JOIN thread t USING (utid) ORDER BY s.ts, s.cpu"; false; }
    [ "$(sqlite3 t.db "SELECT name, value FROM stats WHERE name GLOB '*task_state*' ORDER BY 1")" = "$want_counts" ] ||
        { sqlite3 t.db "SELECT name, value FROM stats"; false; }
}

@test "tasks have their names, lifetimes and processes" {
    tm-merge -o t.db make-tasks.pftrace
    sqlite3 t.db "SELECT t.tid, t.name, p.pid, p.name, p.cmdline, t.start_ts, t.end_ts FROM thread t LEFT JOIN process p USING (upid)
        ORDER BY t.tid, t.utid" >threads
    diff - threads <<'END'
0|swapper|0||||
7|other|||||
8|next|||||
101|main|100|/bin/shop|/bin/shop -v||
102|work|100|/bin/shop|/bin/shop -v||
300|new||||90|120
400|unknown|||||130
END
}

@test "a thread is idle if the process tree marks it so, and still has states" {
    tm-merge -o t.db make-tasks.pftrace
    [ "$(sqlite3 t.db "SELECT group_concat(tid) FROM (SELECT tid FROM thread WHERE is_idle ORDER BY tid)")" = 0,102 ]
}

@test "lists have the slices of cpus, and a merged trace has the packets unchanged" {
    for format in text csv jsonl json; do
        tm-merge -q -f $format make-tasks.pftrace >$format
    done
    [ "$(grep -c task_state text)" = 0 ]
    [ "$(sed -n 2p text | tr -s ' ')" = ' 0.000000015 host /bin/shop:100/work:102 sched 10ns work priority=7 end_state="S"' ] || { head text; false; }
    tm-merge -o m.pftrace make-tasks.pftrace
    tm-merge -o m.db m.pftrace
    tm-merge -o t.db make-tasks.pftrace
    states="SELECT ts, dur, state, utid, ucpu FROM thread_state ORDER BY id"
    diff <(sqlite3 t.db "$states") <(sqlite3 m.db "$states")
    events="SELECT ts, name, cpu FROM ftrace_event; SELECT utid, name FROM thread"
    diff <(sqlite3 t.db "$events") <(sqlite3 m.db "$events")
    tm-merge --only thread=work -o o.db make-tasks.pftrace
}

@test "the reference importer gives the same rows" {
    [ -n "${TRACE_PROCESSOR-}" ] || skip 'TRACE_PROCESSOR is not set'
    "$TM_SRC/t/check/database" -t "$TRACE_PROCESSOR" -b "$TM_BIN" make-tasks.pftrace
    "$TM_SRC/t/check/viewers" -t "$TRACE_PROCESSOR" -b "$TM_BIN" -f pftrace make-tasks.pftrace
}
