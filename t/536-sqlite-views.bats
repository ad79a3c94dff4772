# tm-emit -f sqlite: views of slices with their owners, and of the slices around and inside a slice. The expected rows
# are the reference importer's, with INCLUDE PERFETTO MODULE slices.with_context.

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
