# tm-emit -f sqlite: ftrace_event and its args. The expected rows are the reference importer's.

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
    export PYTHONDONTWRITEBYTECODE=1
}

events() {
    sqlite3 "$1" "SELECT f.ts, f.name, f.cpu, t.tid, f.common_flags, f.ucpu, (SELECT group_concat(key || '=' ||
        display_value) FROM args a WHERE a.arg_set_id = f.arg_set_id) FROM ftrace_event f JOIN thread t USING (utid)
        ORDER BY f.id"
}

@test "events have their fields as args, whatever else they become" {
    kernel <<'END'
1000 0 5 #4 1=five 2=5 3=120 4=1 5=six 6=6 7=-20
1500 1 6 #20 1=five 2=5 3=120 4=1 5=1
1600 1 6 #13 1=4294967295 2=1
1700 1 6 #3 1=18446744073709551615 2=B|6|work
1800 1 6 #240 1=five 2=5 3=120
1900 1 6 #9999 1=1
END
    tm-merge -o k.db k.pftrace
    run events k.db
    same_text "$output" '1000|sched_switch|0|5|0|0|prev_comm=five,prev_pid=5,prev_prio=120,prev_state=1,next_comm=six,next_pid=6,next_prio=-20
1500|sched_waking|1|6|0|1|comm=five,pid=5,prio=120,success=1,target_cpu=1
1600|cpu_idle|1|6|0|1|state=4294967295,cpu_id=1
1700|print|1|6|0|1|ip=18446744073709551615,buf=B|6|work
1800|sched_process_free|1|6|0|1|comm=five,pid=5,prio=120'
    same_text "$(sqlite3 k.db "SELECT value_type, int_value FROM args WHERE key = 'ip'")" 'uint|-1'
    same_text "$(sqlite3 k.db 'SELECT count(*) FROM raw')" 5
    same_text "$(sqlite3 k.db 'SELECT cpu FROM cpu ORDER BY cpu')" $'0\n1'
    tm-merge -o m.pftrace k.pftrace
    tm-merge -o m.db m.pftrace
    same_text "$(events m.db)" "$(events k.db)"
}

@test "functions have their names, and a switch has all its fields" {
    kernel <<'END'
1000 0 5 #18 1=5 2=7 3=1
1100 0 5 #18 1=5 2=8
1200 0 5 #59 1=1 2=9
1300 0 5 #58 1=1 2=7
1400 0 5 #57 1=1 2=7
1500 0 5 #443 8=9 9=3
1600 0 5 #553 1=1 3=7
1700 0 5 #437 1=0 2=9
1800 0 5 #438 3=9
1900 0 5 #4 6=6
END
    tm-merge -o k.db k.pftrace
    run events k.db
    same_text "$output" '1000|sched_blocked_reason|0|5|0|0|pid=5,caller=do_work,io_wait=1
1100|sched_blocked_reason|0|5|0|0|pid=5,caller=8
1200|workqueue_queue_work|0|5|0|0|work=1,function=tick_sched_timer
1300|workqueue_execute_start|0|5|0|0|work=1,function=do_work
1400|workqueue_execute_end|0|5|0|0|work=1,function=do_work
1500|mm_shrink_slab_start|0|5|0|0|shrink=tick_sched_timer,total_scan=3
1600|hrtimer_expire_entry|0|5|0|0|hrtimer=1,function=do_work
1700|funcgraph_entry|0|5|0|0|depth=0,func=tick_sched_timer
1800|funcgraph_exit|0|5|0|0|func=tick_sched_timer
1900|sched_switch|0|0|0|0|prev_pid=0,prev_prio=0,prev_state=0,next_pid=6,next_prio=0'
    same_text "$(sqlite3 k.db "SELECT count(*) FROM slice s JOIN args USING (arg_set_id) WHERE key IN ('function', 'func')")" 0
}

@test "compact_sched: events have the fields of its messages, with the current names of threads" {
    kernel <<'END'
compact 2 1000:0:swapper/2 2000:7:seven 3000:0:swapper/2
END
    tm-merge -o k.db k.pftrace
    run events k.db
    same_text "$output" '2000|sched_switch|2|0|0|2|prev_comm=swapper,prev_pid=0,prev_prio=120,prev_state=1,next_comm=seven,next_pid=7,next_prio=120
3000|sched_switch|2|7|0|2|prev_comm=seven,prev_pid=7,prev_prio=120,prev_state=1,next_comm=swapper/2,next_pid=0,next_prio=120'
}

@test "compact_sched does not name the task that ran before, because it may have had another name" {
    kernel <<'END'
compact 0 1000:0:swapper/0 2000:7:shell
2500 0 7 #236 1=7 2=shell 3=tool
compact 0 3000:0:swapper/0
END
    tm-merge -o k.db k.pftrace
    same_text "$(sqlite3 k.db 'SELECT name FROM thread WHERE tid = 7')" tool
}

@test "compact_sched: the task that ran before is that of the switch before in order of time" {
    kernel <<'END'
compact 0 1000:0:swapper/0 2000:7:seven 6000:8:eight
4000 0 7 #4 1=seven 2=7 3=120 4=1 5=nine 6=9 7=120
compact 1 1000:1:one 2000:2:two
compact 1 7000:6:six
compact 1 4000:4:four
END
    tm-merge -o k.db k.pftrace
    same_text "$(sqlite3 k.db 'SELECT s.ts, s.dur, s.cpu, t.tid, s.end_state FROM sched s JOIN thread t USING (utid)
        ORDER BY s.cpu, s.ts')" '2000|2000|0|7|S
4000|2000|0|9|S
6000|-1|0|8|
2000|2000|1|2|S
4000|3000|1|4|S
7000|-1|1|6|'
    same_text "$(sqlite3 k.db "SELECT s.ts, s.dur, t.tid FROM thread_state s JOIN thread t USING (utid)
        WHERE state = 'Running' ORDER BY t.tid")" '2000|2000|2
4000|3000|4
7000|-1|6
2000|2000|7
6000|-1|8
4000|2000|9'
}

@test "all events of one time with derived rows are there beside Chrome JSON" {
    kernel <<'END'
1600 1 6 #13 1=4294967295 2=1
1600 1 6 #13 1=1 2=1
1700 1 6 #3 1=1 2=B|6|work
END
    echo '{"traceEvents":[{"name":"a","ph":"X","ts":1.6,"dur":2,"pid":1,"tid":1}]}' >a.json
    tm-merge -o k.db k.pftrace
    tm-merge -o both.db k.pftrace a.json
    same_text "$(events both.db | cut -d'|' -f2-)" "$(events k.db | cut -d'|' -f2-)"
    same_text "$(sqlite3 both.db 'SELECT count(*) FROM ftrace_event')" 3
}

@test "events that state their own name and fields have these as args" {
    python3 - >g.pftrace <<'END'
import os, sys
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
from wire import field, message
event = message((1, 'clk/rate'), (2, message((1, 'name'), (3, 'pll'))), (2, message((1, 'delta'), (4, -2))),
                (2, message((1, 'rate'), (5, 7))))
bundle = field(1, 3) + field(2, field(1, 1000) + field(2, 9) + field(327, event))
sys.stdout.buffer.write(field(1, message((10, 7), (1, bundle))))
END
    tm-merge -o g.db g.pftrace
    run events g.db
    same_text "$output" '1000|clk/rate|3|9|0|3|name=pll,delta=-2,rate=7'
}

@test "a stream without the events' bytes has no rows, and a pipe of all stages has all rows" {
    echo '1500 1 6 #20 1=five 2=5 3=120 4=1 5=1' | kernel
    tm-unpack k.pftrace | tm-manifest | tm-clocks | tm-sort | tm-emit -f sqlite -o a.db
    tm-merge -o b.db k.pftrace
    same_text "$(events a.db)" "$(events b.db)"
    tm-unpack --no-raw k.pftrace | tm-manifest | tm-clocks | tm-sort | tm-emit -f sqlite -o c.db
    same_text "$(sqlite3 c.db 'SELECT count(*) FROM ftrace_event')" 0
}

@test "switches of ftrace text are rows" {
    cat >t.txt <<'END_OF_TEXT'
# tracer: nop
   a-5 (5) [000] d..2 1.000001: sched_switch: prev_comm=a b prev_pid=5 prev_prio=120 prev_state=D|K ==> next_comm=six next_pid=6 next_prio=-20
   six-6 (6) [000] d..2 1.000002: sched_waking: comm=a pid=5 prio=120 target_cpu=001
   six-6 (6) [001] d..2 1.000003: sched_switch: prev_comm=six prev_pid=6 prev_prio=120 prev_state=R+ ==> next_comm=a next_pid=5 next_prio=97
   a-5 (5) [000] d..2 1.000004: sched_switch: prev_comm=a prev_pid=5 prev_prio=120 prev_state=? ==> next_comm=six next_pid=6 next_prio=1
END_OF_TEXT
    tm-merge -q -o t.db t.txt
    same_text "$(events t.db)" '1000001000|sched_switch|0|5|0|0|prev_comm=a b,prev_pid=5,prev_prio=120,prev_state=130,next_comm=six,next_pid=6,next_prio=-20
1000003000|sched_switch|1|6|0|1|prev_comm=six,prev_pid=6,prev_prio=120,prev_state=2048,next_comm=a,next_pid=5,next_prio=97
1000004000|sched_switch|0|5|0|0|prev_comm=a,prev_pid=5,prev_prio=120,prev_state=65535,next_comm=six,next_pid=6,next_prio=1'
}
