# tm-emit -f sqlite: views of slices with their owners, of the slices around and inside a slice, and of what the
# reference importer has in modules. The expected rows are the reference importer's, with INCLUDE PERFETTO MODULE
# slices.with_context.

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
    cat >a.json <<'END'
{"traceEvents":[
{"ph":"M","pid":1,"tid":1,"name":"process_name","args":{"name":"app"}},
{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"main"}},
{"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"worker"}},
{"ph":"X","pid":1,"tid":1,"ts":10,"dur":20,"tts":1,"tdur":15,"cat":"c","name":"a"},
{"ph":"X","pid":1,"tid":1,"ts":10,"dur":10,"cat":"c","name":"b","args":{"k":1}},
{"ph":"X","pid":1,"tid":1,"ts":12,"dur":3,"cat":"c","name":"c"},
{"ph":"X","pid":1,"tid":1,"ts":20,"dur":10,"cat":"c","name":"d"},
{"ph":"X","pid":1,"tid":1,"ts":25,"dur":5,"cat":"c","name":"e"},
{"ph":"X","pid":1,"tid":1,"ts":30,"dur":10,"cat":"c","name":"f"},
{"ph":"X","pid":1,"tid":1,"ts":30,"dur":5,"cat":"c","name":"g"},
{"ph":"X","pid":1,"tid":2,"ts":11,"dur":9,"cat":"c","name":"h"},
{"ph":"B","pid":1,"tid":2,"ts":40,"cat":"c","name":"open"},
{"ph":"i","s":"t","pid":1,"tid":2,"ts":45,"cat":"c","name":"instant"},
{"ph":"b","pid":1,"tid":1,"ts":15,"id2":{"local":"7"},"cat":"net","name":"request"},
{"ph":"b","pid":1,"tid":1,"ts":16,"id2":{"local":"7"},"cat":"net","name":"read"},
{"ph":"e","pid":1,"tid":1,"ts":17,"id2":{"local":"7"},"cat":"net","name":"read"},
{"ph":"e","pid":1,"tid":1,"ts":18,"id2":{"local":"7"},"cat":"net","name":"request"},
{"ph":"i","s":"g","pid":1,"tid":1,"ts":19,"cat":"c","name":"global"}
]}
END
}

same() { # DATABASE QUERY WANT
    same_text "$(sqlite3 "$1" "$2")" "$3"
}

@test "a slice of a thread is shown with its track, thread and process" {
    tm-merge -o a.db a.json
    same a.db "SELECT s.ts, s.dur, s.category, s.name, track_name, thread_name, tid, s.is_main_thread, process_name, pid,
        s.depth, p.name, s.arg_set_id IS NOT NULL, s.thread_ts, s.thread_dur
        FROM thread_slice s LEFT JOIN slice p ON p.id = s.parent_id ORDER BY s.ts, s.depth" \
        '10000|20000|c|a||main|1|1|app|1|0||0|1000|15000
10000|10000|c|b||main|1|1|app|1|1|a|1||
11000|9000|c|h||worker|2|0|app|1|0||0||
12000|3000|c|c||main|1|1|app|1|2|b|0||
20000|10000|c|d||main|1|1|app|1|1|a|0||
25000|5000|c|e||main|1|1|app|1|2|d|0||
30000|10000|c|f||main|1|1|app|1|0||0||
30000|5000|c|g||main|1|1|app|1|1|f|0||
40000|-1|c|open||worker|2|0|app|1|0||0||
45000|0|c|instant||worker|2|0|app|1|1|open|0||'
}

@test "a slice of a process is shown with its track and process, and one view has both kinds" {
    tm-merge -o a.db a.json
    same a.db "SELECT s.ts, s.dur, s.category, s.name, track_name, process_name, pid, s.depth, p.name,
        s.arg_set_id IS NOT NULL, s.thread_ts, s.thread_dur
        FROM process_slice s LEFT JOIN slice p ON p.id = s.parent_id ORDER BY s.ts, s.depth" \
        '15000|3000|net|request|request|app|1|0||0||
16000|1000|net|read|request|app|1|1|request|0||'
    same a.db "SELECT name, track_name, thread_name, tid, process_name, pid, depth FROM thread_or_process_slice
        ORDER BY ts, depth, name" \
        'a||main|1|app|1|0
b||main|1|app|1|1
h||worker|2|app|1|0
c||main|1|app|1|2
request|request|||app|1|0
read|request|||app|1|1
d||main|1|app|1|1
e||main|1|app|1|2
f||main|1|app|1|0
g||main|1|app|1|1
open||worker|2|app|1|0
instant||worker|2|app|1|1'
}

@test "every slice is shown with its machine and file" {
    printf '{"traceEvents":[{"ph":"X","pid":1,"tid":3,"ts":50,"dur":1,"name":"far"}]}' >b.json
    tm-merge -q --machine phone=b.json -o a.db a.json b.json
    same a.db "SELECT name, track_name, tid, process_name, pid, machine_name, file_name FROM slice_with_machine
        WHERE name IN ('a', 'read', 'global', 'far') ORDER BY ts" \
        'a||1|app|1||a.json
read|request||app|1||a.json
global||||||a.json
far||3||1|phone|b.json'
    same a.db "SELECT (SELECT count(*) FROM slice_with_machine) - (SELECT count(*) FROM slice)" 0
}

@test "ancestors and descendants of a slice are right if others begin or end at the same time" {
    tm-merge -o a.db a.json
    same a.db "SELECT s.name, a.name, a.depth FROM slice s JOIN ancestor_slice a ON a.slice_id = s.id ORDER BY 1, 3" \
        'b|a|0
c|a|0
c|b|1
d|a|0
e|a|0
e|d|1
g|f|0
instant|open|0
read|request|0'
    same a.db "SELECT s.name, d.name, d.depth FROM slice s JOIN descendant_slice d ON d.slice_id = s.id ORDER BY 1, 3, 2" \
        'a|b|1
a|d|1
a|c|2
a|e|2
b|c|2
d|e|2
f|g|1
open|instant|1
request|read|1'
}

@test "the ancestors of one slice are looked up by its parents alone" {
    tm-merge -o a.db a.json
    run sqlite3 a.db "EXPLAIN QUERY PLAN SELECT * FROM ancestor_slice WHERE slice_id = 5"
    [[ "$output" == *"SEARCH s USING INTEGER PRIMARY KEY"* ]]
    [[ "$output" == *"SEARCH p USING INTEGER PRIMARY KEY"* ]]
    [[ "$output" == *"SEARCH a USING INTEGER PRIMARY KEY"* ]]
}

# The expected rows are the reference importer's, with INCLUDE PERFETTO MODULE sched.with_context.
@test "scheduling slices are shown with the names of their thread and process" {
    cat >k.txt <<'END'
# tracer: nop
          <idle>-0     [001] d..3    10.000000: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=work next_pid=12 next_prio=98
            work-12    (   11) [001] d..3    10.000005: tracing_mark_write: B|11|in work
            work-12    (   11) [001] d..3    10.000010: sched_switch: prev_comm=work prev_pid=12 prev_prio=98 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
END
    tm-merge -o k.db k.txt
    same k.db "SELECT ts, dur, thread_name, p.pid, process_name, cpu, end_state, priority FROM sched_with_thread_process
        LEFT JOIN process p USING (upid) ORDER BY ts" '10000000000|10000|work|11||1|S|98
10000010000|-1|swapper|0||1||120'
}

# The expected rows are the reference importer's, with INCLUDE PERFETTO MODULE of the modules that have these tables.
@test "the views of modules show states of threads and cpus, interrupts, threads of the kernel and the battery" {
    kernel <<'END'
process 10 work
1000 0 0 #4 1=swapper 2=0 3=120 4=0 5=work 6=10 7=120
1050 0 10 #3 2=B|10|job
1100 0 10 #20 1=other 2=20 3=120 5=0
1200 0 10 #11 1=1000 2=0
1200 0 10 #11 1=1000 2=1
1300 0 10 #4 1=work 2=10 3=120 4=2 5=other 6=20 7=120
1400 0 20 #11 1=1000 2=0
1420 0 20 #11 1=1000 2=0
1430 0 20 #11 1=1000 2=0
1440 0 20 #11 1=1000 2=0
1450 1 0 #13 1=2 2=1
1500 0 20 #11 1=2000 2=0
1550 0 20 #36 1=5 2=net
1560 0 20 #24 1=3
1570 0 20 #25 1=3
1580 0 20 #37 1=5 2=1
1600 1 0 #13 1=4294967295 2=1
1700 0 20 #20 1=work 2=10 3=120 5=1
1800 0 20 #4 1=other 2=20 3=120 4=1 5=work 6=10 7=120
1900 0 10 #3 2=E|10
2000 0 10 #4 1=work 2=10 3=120 4=1 5=swapper 6=0 7=120
2010 1 0 #11 1=1000 2=1
2020 1 0 #11 1=1000 2=1
2100 1 0 #11 1=1000 2=1
END
    python3 "$TM_SRC/t/gen/make-packets.py" >>k.pftrace <<'END'
1 { 10: 1 8: 50 58 { 6: 6 6 { 1: 6 2: 50 } } }
1 { 10: 1 8: 900 2 { 1 { 1: 2 2: 0 3: "kthreadd" } 1 { 1: 3 2: 2 3: "kworker" } 2 { 1: 3 2: 5 } } }
1 { 10: 1 8: 1050 38 { 1: 300000 2: 0x42c80000 3: 500000 7: 4000000 } }
1 { 10: 1 8: 1150 38 { 4: 250000 } }
END
    tm-merge -o k.db k.pftrace
    same k.db "SELECT s.name, self_dur FROM slice_self_dur d JOIN slice s ON s.id = d.id ORDER BY s.ts" \
        'job|850
IRQ (net)|30
NET_RX|10'
    same k.db "SELECT ts, dur, freq, ucpu, cpu FROM cpu_frequency_counters ORDER BY cpu, ts" \
        '1200|200|1000|0|0
1400|40|1000|0|0
1440|60|1000|0|0
1500|600|2000|0|0
1200|810|1000|1|1
2010|90|1000|1|1'
    same k.db "SELECT name, thread_name, process_name, cpu_time FROM thread_slice_cpu_time" 'job|work|work|350'
    same k.db "SELECT * FROM cpu_idle_stats" '1|3|1|150|150|23.0769230769231'
    same k.db "SELECT ts, dur, idle, cpu FROM cpu_idle_counters ORDER BY ts" '1450|150|2|1
1600|500|-1|1'
    same k.db "SELECT r.ts, p.ts, p.state, w.ts FROM sched_previous_runnable_on_thread v
        JOIN thread_state r ON r.id = v.id LEFT JOIN thread_state p ON p.id = v.prev_runnable_id
        LEFT JOIN thread_state w ON w.id = v.prev_wakeup_runnable_id ORDER BY r.ts" \
        '1000|||
1300|1100|R|1100
1800|1700|R|1700'
    same k.db "SELECT r.ts, s.ts, t.tid, w.ts, latency_dur FROM sched_latency_for_running_interval l
        JOIN thread_state r ON r.id = l.thread_state_id JOIN sched s ON s.id = l.sched_id
        JOIN thread_state w ON w.id = l.runnable_latency_id JOIN thread t ON t.utid = l.utid ORDER BY r.ts" \
        '1300|1300|20|1100|200
1800|1800|10|1700|100'
    same k.db "SELECT tid, total_runtime, state, time_in_state, percentage_in_state FROM sched_time_in_state_for_thread
        JOIN thread USING (utid) ORDER BY tid, state" \
        '10|999|D|400|40
10|999|R|100|10
10|999|Running|500|50
10|999|S|-1|0
20|699|R|200|28
20|699|Running|500|71
20|699|S|-1|0'
    same k.db "SELECT tid, running, runnable, runnable_preempted, sleeping, uninterruptible_sleep, other
        FROM sched_percentage_of_time_in_state JOIN thread USING (utid) ORDER BY tid" '10|50|10||0|40|
20|71|28||0||'
    same k.db "SELECT * FROM sched_runnable_thread_count" '1100|1
1300|0
1700|1
1800|0'
    same k.db "SELECT * FROM sched_uninterruptible_sleep_thread_count" '1300|1
1700|0'
    same k.db "SELECT * FROM sched_active_cpu_count" '1000|1
1300|1
1800|1
2000|0'
    same k.db "SELECT ts, dur, name, parent_id, is_soft_irq FROM linux_irqs ORDER BY ts" '1550|30|IRQ (net)||0
1560|10|NET_RX||1'
    same k.db "SELECT count(*), sum(parent_id IS NULL) FROM linux_hard_irqs" '1|1'
    same k.db "SELECT ts, dur, name FROM linux_soft_irqs" '1560|10|NET_RX'
    same k.db "SELECT pid, tid, process_name, thread_name, machine_id FROM linux_kernel_threads ORDER BY pid" \
        '2|2|kthreadd||0
3|3|kworker||0'
    same k.db "SELECT * FROM android_battery_charge" '1050||100.0|300000.0|500000.0|4000000.0||2000.0
1150|250000.0||||||'
}
