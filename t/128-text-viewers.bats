#!/usr/bin/env bats
# Lines of text, and reports of simpleperf, give the rows that the reference importer gives.

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# Prints the slices of FILE as a table of the merged output.
slices() {
    tm-merge -q -o x.db "$1"
    sqlite3 x.db "SELECT s.ts - 1700000000000000000, s.dur, s.name, (SELECT group_concat(a.key || '=' || a.display_value)
        FROM (SELECT * FROM args ORDER BY key) a WHERE a.arg_set_id = s.arg_set_id) FROM slice s ORDER BY s.ts, s.id"
}

# Prints the slices of FILE after one merge and after a second merge of the result.
again() {
    tm-merge -q -o x.pftrace "$1"
    tm-merge -q -o y.db x.pftrace
    sqlite3 y.db "SELECT s.ts - 1700000000000000000, s.dur, s.name, (SELECT group_concat(substr(a.key, 7) || '=' ||
        a.display_value) FROM (SELECT * FROM args ORDER BY key) a WHERE a.arg_set_id = s.arg_set_id) FROM slice s
        ORDER BY s.ts, s.id"
}

@test "strace: the result is ret, args have no trailing comma, and whole seconds and leading blanks are read" {
    cat >a.txt <<'END'
100 1700000000 getppid() = 8
  100 1700000000.000200 open("x", O_RDONLY) = -1 ENOENT (No such file or directory)
100 1700000000.000300 wait4(7,  <unfinished ...>
100 1700000000.000400 <... wait4 resumed>NULL, 0, NULL) = 7
END
    want="0|0|getppid|ret=8
200000|0|open|args=\"x\", O_RDONLY,ret=-1 ENOENT (No such file or directory)
300000|100000|wait4|args=NULL, 0, NULL,ret=7"
    [ "$(slices a.txt)" = "$want" ]
    [ "$(again a.txt)" = "$want" ]
}

@test "strace: a resumed call that is unfinished again is two slices, and both end" {
    cat >a.txt <<'END'
100 1700000000.000300 poll(1 <unfinished ...>
101 1700000000.000350 close(2) = 0
100 1700000000.000400 <... poll resumed> <unfinished ...>
100 1700000000.000450 <... poll resumed>) = 1
END
    want="300000|100000|poll|args=1
350000|0|close|args=2,ret=0
400000|50000|poll|ret=1"
    [ "$(slices a.txt)" = "$want" ]
    [ "$(again a.txt)" = "$want" ]
}

@test "strace: a call in which the thread ended begins and does not end" {
    echo '100 1700000000.000300 futex(0x1, FUTEX_WAIT <unfinished ...>) = ?' >a.txt
    [ "$(slices a.txt)" = '300000|-1|futex|args=0x1, FUTEX_WAIT,ret=?' ]
    echo '100 1700000000.000300 write(1, "<unfinished ...>", 16) = 16' >b.txt
    [ "$(slices b.txt)" = '300000|0|write|args=1, "<unfinished ...>", 16,ret=16' ]
}

@test "systrace: a time directly after the flags is read" {
    printf '# tracer: nop\n a-17 [001] d..25.5: sched_wakeup: comm=b pid=18 prio=120 target_cpu=001\n' >a.systrace
    [ "$(tm-merge -q -f jsonl -o - a.systrace | grep -c '"kind":"ftrace","ts":5500000000,')" -eq 1 ]
}

@test "systrace: events of the scheduler that viewers list have their arguments in merged.pftrace" {
    cat >a.systrace <<'END'
# tracer: nop
 run.sh-17 [001] dN.5. 25.500000: sched_wakeup: comm=kworker/1:1 H pid=44 prio=100 target_cpu=001
 run.sh-17 [001] dN.5. 25.500001: sched_wakeup_new: comm=a pid=45 prio=-1 success=1 target_cpu=000
 run.sh-17 [001] ..... 25.500002: sched_process_fork: comm=run.sh pid=17 child_comm=run.sh child_pid=45
 run.sh-17 [001] ..... 25.500003: sched_process_exec: filename=/usr/bin/a b=c pid=17 old_pid=17
 run.sh-17 [001] ..... 25.500004: sched_process_exit: comm=a pid=17 prio=120 group_dead=true
 run.sh-17 [001] ..... 25.500005: sched_wakeup: comm=a pid=4x prio=120 target_cpu=000
 run.sh-17 [001] ..... 25.500006: sched_wakeup: 
 run.sh-17 [001] ..... 25.500007: sched_process_wait: comm=a pid=5000000000 prio=120
END
    tm-merge -q -o a.pftrace a.systrace
    tm-merge -q -o a.db a.pftrace
    sqlite3 a.db "SELECT f.ts, f.name, group_concat(a.key || '=' || a.display_value) FROM ftrace_event f
        JOIN args a USING (arg_set_id) WHERE f.name GLOB 'sched*' GROUP BY f.id" >got
    diff - got <<'END'
25500000000|sched_wakeup|comm=kworker/1:1 H,pid=44,prio=100,target_cpu=1
25500001000|sched_wakeup_new|comm=a,pid=45,prio=-1,success=1,target_cpu=0
25500002000|sched_process_fork|parent_comm=run.sh,parent_pid=17,child_comm=run.sh,child_pid=45
25500003000|sched_process_exec|filename=/usr/bin/a b=c,pid=17,old_pid=17
25500004000|sched_process_exit|line= run.sh-17 [001] ..... 25.500004: sched_process_exit: comm=a pid=17 prio=120 group_dead=true
25500005000|sched_wakeup|line= run.sh-17 [001] ..... 25.500005: sched_wakeup: comm=a pid=4x prio=120 target_cpu=000
25500006000|sched_wakeup|line= run.sh-17 [001] ..... 25.500006: sched_wakeup: 
25500007000|sched_process_wait|line= run.sh-17 [001] ..... 25.500007: sched_process_wait: comm=a pid=5000000000 prio=120
END
}

@test "simpleperf: samples whose files and symbols come later, threads and losses are read" {
    python3 "$TM_SRC/t/gen/make-simpleperf.py" >sp.trace
    tm-merge -q -o x.db sp.trace
    sqlite3 x.db "SELECT s.ts, t.tid, t.name, p.pid, f.name, m.name, f.rel_pc, c.depth FROM cpu_profile_stack_sample s
        JOIN thread t USING (utid) JOIN process p USING (upid) JOIN stack_profile_callsite c ON s.callsite_id = c.id
        JOIN stack_profile_frame f ON c.frame_id = f.id JOIN stack_profile_mapping m ON f.mapping = m.id ORDER BY s.ts" >got
    diff - got <<'END'
1000|70|app|70|read|/system/lib/libc.so|48|2
2000|71|worker|70|main|/system/lib/libc.so|32|0
3000|71|worker|70||/data/app|68|1
END
    [ "$(sqlite3 x.db "SELECT value FROM stats WHERE name = 'simpleperf_lost_samples'")" = 4 ]
    [ "$(sqlite3 x.db "SELECT reason || events FROM tm_accounting WHERE reason != 'placed'")" = not_shown1 ]
    tm-merge -q -o x.pftrace sp.trace
    tm-merge -q -o y.db x.pftrace
    [ "$(sqlite3 y.db "SELECT group_concat(s.ts || ' ' || t.name) FROM perf_sample s JOIN thread t USING (utid)")" = \
        '1000 app,2000 worker,3000 worker' ]
}

@test "simpleperf: another version is refused, and a cut report is damage" {
    python3 "$TM_SRC/t/gen/make-simpleperf.py" >sp.trace
    (head -c 10 sp.trace; printf '\002\000'; tail -c +13 sp.trace) >new.trace
    run tm-merge -o x.db new.trace
    [ "$status" -eq 1 ]
    [[ "$output" == *"new.trace: byte 10: a simpleperf report of version 2; only 1 is known"* ]]
    head -c -4 sp.trace >cut.trace
    run tm-merge -o x.db cut.trace
    [ "$status" -eq 1 ]
    [[ "$output" == *"cut.trace: byte "*": cut short, without the end mark of a report"* ]]
    tm-merge -q --on-damage=skip -o x.db cut.trace
    [ "$(sqlite3 x.db 'SELECT COUNT(*) FROM cpu_profile_stack_sample')" = 3 ]
    head -c 11 sp.trace >head.trace
    run tm-merge -o x.db head.trace
    [ "$status" -eq 1 ]
    [[ "$output" == *"cut short within the header"* ]]
}

@test "simpleperf: damage within a record is counted, and the other records are read" {
    PYTHONPATH=$TM_SRC/t/gen python3 - "$TM_SRC/t/gen/make-simpleperf.py" <<'END' >damaged.trace
import runpy, struct, sys
make = runpy.run_path(sys.argv[1])
record, sample = make['record'], make['sample']
cut = b'\x0a\x7f' # a field of 127 bytes, of which none follows
def damaged(number, *fields):
    body = make['message'](*fields) + cut
    body = make['field'](number, body)
    return struct.pack('<I', len(body)) + body
bad_frame = record(1, (1, 2000), (2, 70), (3, make['message']((1, 16)) + cut))
sys.stdout.buffer.write(b'SIMPLEPERF\1\0' + damaged(5, (1, 'cycles')) + damaged(4, (1, 70), (2, 70), (3, 'app')) +
                        sample(1000, 70, [(0x10, 0, 0)]) + damaged(1, (1, 1500), (2, 70)) + bad_frame +
                        damaged(2, (2, 4)) + damaged(3, (1, 0), (2, '/bin/app'), (3, 'main')) + bytes(4))
END
    tm-unpack damaged.trace | tm-emit -f frames >frames
    [ "$(grep -c 'Account .*reason="damaged" count=1 ' frames)" -eq 6 ]
    [ "$(grep -c '^  \[' frames)" -eq 1 ]
    grep 'time_ns=1000 .*name="cycles" .*function="main"' frames
}

@test "simpleperf: an error about a limit names the byte" {
    PYTHONPATH=$TM_SRC/t/gen python3 - "$TM_SRC/t/gen/make-simpleperf.py" <<'END' >long.trace
import runpy, sys
record = runpy.run_path(sys.argv[1])['record']
sys.stdout.buffer.write(b'SIMPLEPERF\1\0' + record(2, (1, 9)) + record(5, (1, 't' * 5000)) + bytes(4))
END
    run tm-unpack long.trace
    [ "$status" -eq 1 ]
    [[ "$output" == *"long.trace: byte 20: the name of a type of events exceeds the limit of 4096 bytes" ]]
}

@test "simpleperf: the frames of a sample have a limit of bytes, however often they name a symbol" {
    PYTHONPATH=$TM_SRC/t/gen python3 - "$TM_SRC/t/gen/make-simpleperf.py" <<'END' >deep.trace
import runpy, sys
make = runpy.run_path(sys.argv[1])
sys.stdout.buffer.write(b'SIMPLEPERF\1\0' + make['sample'](1000, 70, [(i, 0, 0) for i in range(4096)]) +
                        make['record'](3, (1, 0), (3, 's' * 5000)) + bytes(4))
END
    tm-unpack deep.trace >unpacked
    [ "$(wc -c <unpacked)" -lt 5000000 ]
    tm-emit -f frames <unpacked | grep 'Stat name="simpleperf_stacks_cut" severity=DATA_LOSS value=1 '
}

@test "perf script: a sample without a pid is of the process that another file states for its thread" {
    printf 'a 7 [000]  2.390780: 5 cycles: \n\t81442b51 s_show+0x31 (x)\n\n' >p.script
    echo '{"traceEvents":[{"ph":"X","ts":2390500,"dur":100,"pid":5,"tid":7,"name":"a"}]}' >a.json
    printf '# tracer: nop\n a-7 (    5) [000] .... 2.390000: tracing_mark_write: B|5|x\n' >a.systrace
    for other in a.json a.systrace; do
        tm-merge -q -o x.pftrace p.script $other
        tm-merge -q -o x.db p.script $other
        tm-merge -q -o y.db x.pftrace
        for db in x.db y.db; do
            [ "$(sqlite3 $db "SELECT t.tid, p.pid FROM thread t JOIN process p USING (upid) WHERE utid IN
                (SELECT utid FROM perf_sample UNION ALL SELECT utid FROM cpu_profile_stack_sample)")" = "7|5" ]
            [ "$(sqlite3 $db "SELECT count(*) FROM thread WHERE tid = 7")" -eq 1 ]
        done
    done
}

@test "a thread of ftrace text has its name if another file has its tid in another process" {
    echo '[{"ph":"X","ts":1,"dur":1,"pid":2,"tid":11,"name":"a"}]' >a.json
    printf '%s\n' '# tracer: nop' \
        '  wrk-11 (   10) [001] d..2 0.000005: tracing_mark_write: C|10|n|1' \
        '  wrk-11 (   10) [001] d..2 0.000007: tracing_mark_write: C|10|n|2' >b.txt
    tm-merge -q -o x.pftrace a.json b.txt
    for from in "a.json b.txt" x.pftrace; do
        tm-merge -q -o x.db $from
        [ "$(sqlite3 x.db "SELECT t.name FROM thread t JOIN process p USING (upid) WHERE p.pid = 10 AND t.tid = 11")" = wrk ]
    done
}
