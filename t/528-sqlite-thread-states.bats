# tm-emit -f sqlite: states of threads between two events of the scheduler. The expected rows are the reference
# importer's.

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
    export PYTHONDONTWRITEBYTECODE=1
}

states() {
    sqlite3 "$1" "SELECT s.ts, s.dur, s.cpu, t.tid, s.state, s.io_wait, s.blocked_function, w.tid, v.ts, s.irq_context,
        s.ucpu FROM thread_state s JOIN thread t USING (utid) LEFT JOIN thread w ON w.utid = s.waker_utid
        LEFT JOIN thread_state v ON v.id = s.waker_id ORDER BY s.id"
}

switches() {
    kernel <<'END'
process 6 app
1000 0 5 #4 1=five 2=5 3=120 4=1 5=six 6=6 7=100
1500 0 6 #20 1=five 2=5 3=120 4=1 5=1
1600 0 6 #20 1=five 2=5 3=120 4=1 5=1
1700 1 0 #4 1=swapper/1 2=0 3=120 4=0 5=five 6=5 7=120
1800 0 6 #4 1=six 2=6 3=100 4=2 5=swapper/0 6=0 7=120
1900 1 5 #18 1=6 2=7 3=1
2000 1 5 #20 1=six 2=6 3=100 4=1 5=0
2100 0 0 #4 1=swapper/0 2=0 3=120 4=0 5=six 6=6 7=100
2200 0 6 #235 1=9 2=nine 3=0
2300 1 5 #4 1=five 2=5 3=120 4=2048 5=nine 6=9 7=120
2400 1 0 #4 1=swapper/1 2=0 3=120 4=0 5=five 6=5 7=120
END
}

@test "switches, wakings and new tasks give states with their waker and blocked function" {
    switches
    tm-merge -o k.db k.pftrace
    run states k.db
    same_text "$output" '1000|500||5|S||||||
1000|800|0|6|Running||||||0
1500|200||5|R|||6|1000||
1700|600|1|5|Running||||||1
1800|200||6|D|1|do_work||||
2000|100||6|R|||5|1700||
2100|-1|0|6|Running||||||0
2200|100||9|R|||6|2100|0|
2300|100||5|R+||||||
2300|-1|1|9|Running||||||1
2400|-1|1|5|Running||||||1'
    run sqlite3 k.db "SELECT s.ts, s.thread_state_id, s.irq_context, t.tid, w.tid FROM spurious_sched_wakeup s
        JOIN thread t USING (utid) JOIN thread w ON w.utid = s.waker_utid"
    same_text "$output" '1600|2||5|6'
}

@test "a state that the kernel's version does not know is counted, and the slice has no end state" {
    kernel <<'END'
machine box 5.10.0
1000 0 5 #4 1=five 2=5 3=120 4=1 5=six 6=6 7=120
1100 0 6 #4 1=six 2=6 3=120 4=4096 5=five 6=5 7=120
END
    tm-merge -o k.db k.pftrace
    [ "$(sqlite3 k.db 'SELECT ts, end_state IS NULL FROM sched WHERE dur > 0')" = '1000|1' ]
    [ "$(sqlite3 k.db "SELECT value FROM stats WHERE name = 'task_state_invalid'")" = 1 ]
}

@test "threads in ftrace text have states, with the function that they wait in" {
    cat >t.txt <<'END'
# tracer: nop
a-5     [000] d..2   10.000001: sched_switch: prev_comm=a prev_pid=5 prev_prio=120 prev_state=D ==> next_comm=b next_pid=6 next_prio=120
b-6     [000] d..2   10.000002: sched_blocked_reason: pid=5 iowait=1 caller=wait_on_page+0x10/0x20
b-6     [000] d..2   10.000003: sched_waking: comm=a pid=5 prio=120 target_cpu=001
<idle>-0 [001] d..2   10.000004: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=5 next_prio=120
END
    tm-merge -o t.db t.txt
    run states t.db
    same_text "$output" '10000001000|2000||5|D|1|wait_on_page+0x10/0x20||||
10000001000|-1|0|6|Running||||||0
10000003000|1000||5|R|||6|10000001000||
10000004000|-1|1|5|Running||||||1'
}

@test "two recordings of one machine each have the states of its threads" {
    switches
    cp k.pftrace l.pftrace
    tar cf k.tar k.pftrace l.pftrace
    tm-merge -o k.db k.tar
    [ "$(sqlite3 k.db 'SELECT count(*), sum(dur < 0) FROM thread_state')" = '22|7' ]
    [ "$(sqlite3 k.db 'SELECT count(*) FROM thread')" = 5 ]
}

@test "states that last for tens of thousands of rows get their end and their blocked function" {
    {
        echo '1000 0 5 #4 1=five 2=5 3=120 4=2 5=six 6=6 7=100'
        seq -f '%.0f 1 0 #4 1=swapper 2=0 3=120 4=0 5=seven 6=7 7=120' 2000 10 401990
        echo '900000 0 6 #18 1=5 2=7 3=1'
        echo '900001 0 6 #20 1=five 2=5 3=120 4=1 5=1'
    } | kernel
    tm-merge -o k.db k.pftrace
    run sqlite3 k.db "SELECT ts, dur, state, io_wait, blocked_function FROM thread_state WHERE state = 'D'"
    same_text "$output" '1000|899001|D|1|do_work'
}

@test "lists and other outputs show only the kernel's events" {
    switches
    [ "$(tm-merge -f text k.pftrace | grep -c sched_blocked_reason)" = 1 ]
    [ "$(tm-merge -f text k.pftrace | grep -c blocked_reason)" = 1 ]
    tm-merge -o m.pftrace k.pftrace
    tm-merge -o k.db k.pftrace
    tm-merge -o m.db m.pftrace
    same_text "$(states m.db)" "$(states k.db)"
}

@test "states that Chrome JSON states are rows, and running ones are slices of a cpu too" {
    cat >t.json <<'END'
[{"ph":"T","pid":1,"tid":2,"ts":10,"dur":5,"name":"Running","args":{"cpu":3}},
{"ph":"T","pid":1,"tid":2,"ts":15,"dur":4.5,"name":"D","args":{"io_wait":1,"blocked_function":"do_\u0077ork"}},
{"ph":"T","pid":1,"tid":2,"ts":20,"dur":1,"name":"S"},
{"ph":"T","pid":1,"tid":2,"ts":30,"id":"7","name":"step"}]
END
    tm-merge -o t.db t.json
    run states t.db
    same_text "$output" '10000|5000|3|2|Running||||||3
15000|4500||2|D|1|do_work||||
20000|1000||2|S||||||'
    same_text "$(sqlite3 t.db 'SELECT ts, dur, cpu, utid FROM sched')" "10000|5000|3|$(sqlite3 t.db 'SELECT utid FROM thread WHERE tid = 2')"
    same_text "$(sqlite3 t.db 'SELECT cpu FROM cpu; SELECT start_ts, end_ts FROM trace_bounds')" $'3\n10000|30000'
    tm-merge -o m.json t.json
    tm-merge -o m.db m.json
    same_text "$(states m.db)" "$(states t.db)"
}
