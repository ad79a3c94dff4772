# tm-emit -f sqlite: a complete database that appears whole or not at all.

setup() {
    cd "$BATS_TEST_TMPDIR"
    PATH="$TM_BIN/../t/gen:$PATH"
}

# Prints the rows of a query, with columns separated by | and NULL as -.
ask() {
    python3 - "$1" "$2" <<'EOF'
import sqlite3, sys
for row in sqlite3.connect('file:%s?mode=ro' % sys.argv[1], uri=True).execute(sys.argv[2]):
    print('|'.join('-' if v is None else str(v) for v in row))
EOF
}

answers() {
    [ "$(ask "$1" "$2")" = "$3" ] || { echo "$2: $(ask "$1" "$2")"; return 1; }
}

json() {
    printf '{"traceEvents":[%s]}' "$1" >a.json
    tm-merge -o a.db a.json
}

@test "every documented table and view can be queried" {
    emit-stream | tm-emit -f sqlite -o a.db
    for t in machine trace_file __intrinsic_trace_file metadata stats clock_snapshot trace_bounds process thread cpu \
        track thread_track process_track counter_track thread_counter_track process_counter_track cpu_counter_track \
        slice slices thread_slice process_slice thread_or_process_slice slice_with_machine ancestor_slice \
        descendant_slice sched_with_thread_process instant counter counters sched sched_slice thread_state \
        spurious_sched_wakeup ftrace_event raw cpu_available_frequencies cpu_track args flow cpu_profile_stack_sample \
        instruments_sample perf_sample stack_sample stack_sample_task_context \
        stack_sample_execution_context stack_sample_session stack_sample_counter stack_sample_counter_track \
        perf_session perf_counter_track gpu gpu_counter_track stack_profile_symbol stack_profile_callsite stack_profile_frame stack_profile_mapping tm_placement \
        tm_accounting; do
        ask a.db "SELECT * FROM $t" >/dev/null
    done
    answers a.db "PRAGMA integrity_check" ok
}

@test "the ending of OUT chooses it, and a terminal or a pipe is refused" {
    for suffix in db sqlite sqlite3; do
        emit-stream | tm-emit -o x.$suffix
        answers x.$suffix "SELECT count(*) FROM trace_bounds" 1
    done
    run bash -o pipefail -c 'emit-stream | tm-emit -f sqlite'
    [ "$status" -eq 2 ]
}

@test "a small stream gives its threads, processes, tracks and slices" {
    emit-stream | tm-emit -f sqlite -o a.db
    answers a.db "SELECT s.name, s.dur, t.tid, t.name, p.name, m.name FROM slice s JOIN thread_track k ON s.track_id = k.id
        JOIN thread t USING (utid) LEFT JOIN process p USING (upid) JOIN machine m ON t.machine_id = m.id ORDER BY s.ts" \
        "draw frame|1000|530|RenderEngine|surfaceflinger|phone
commit|1500|512|-|surfaceflinger|phone"
    answers a.db "SELECT raw_id, name, label_index FROM machine" "4294967296|phone|1
0||0"
    answers a.db "SELECT name, trace_type, processing_order FROM trace_file ORDER BY id" "-|zip|-
phone.pftrace||1
logs/watch.json|json|2"
    answers a.db "SELECT rule, placed, clock_id, clock_name FROM tm_placement ORDER BY trace_file_id" "trace_time|6|6|BOOTTIME
rendezvous|3|6|BOOTTIME"
}

@test "a stream that is cut, or has unknown references, leaves no file" {
    for word in cut stranger strange-machine unplaced unsorted; do
        run bash -o pipefail -c "emit-stream $word | tm-emit -f sqlite -o a.db"
        [ "$status" -eq 1 ]
        [ "$(ls)" = "" ]
    done
}

@test "a full disk is an error and leaves no file" {
    trap '' XFSZ
    run bash -o pipefail -c 'emit-stream -n 200000 >s.tm; ulimit -f 200; tm-emit -f sqlite -o a.db <s.tm'
    [ "$status" -eq 3 ]
    [[ "$output" == *sqlite* ]]
    [ "$(ls)" = s.tm ]
    run bash -o pipefail -c 'ulimit -f 2000; tm-emit -f sqlite -o a.db <s.tm' # enough for what SQLite itself writes
    [ "$status" -eq 3 ]
    [ "$output" = "tm-emit: a.db: cannot write: File too large" ]
    [ "$(ls)" = s.tm ]
}

@test "SQLite's temporary files are in the folder of -T" {
    mkdir own other
    tm-unpack "$TM_SRC/doc/examples/phone-watch-app.tar" | tm-manifest | tm-clocks | tm-sort >s.tm
    touch -d 2001-01-01 own other # a file that is made and removed changes the time of its folder
    TMPDIR=$PWD/other tm-emit -o a.db <s.tm
    [ other -nt own ]
    touch -d 2001-01-01 own other
    TMPDIR=$PWD/other tm-emit -T own -o a.db <s.tm
    [ own -nt other ]
}

@test "text that is not UTF-8 is made valid" {
    emit-stream hostile | tm-emit -f sqlite -o a.db
    ask a.db "SELECT name FROM slice UNION SELECT name FROM process UNION SELECT name FROM trace_file" >names
    python3 -c 'open("names", encoding="utf-8").read()'
}

@test "slices that last for tens of thousands of rows get their end" {
    python3 - >a.json <<'EOF'
print('[{"ph":"B","name":"outer","pid":1,"tid":1,"ts":0,"args":{"x":1}},')
for i in range(70000):
    print('{"ph":"X","name":"inner","pid":1,"tid":1,"ts":%d,"dur":1},' % (10 * i + 10))
print('{"ph":"E","pid":1,"tid":1,"ts":800000,"args":{"y":2}}]')
EOF
    tm-merge -o a.db a.json
    answers a.db "SELECT name, dur, depth, count(*), max(parent_id) FROM slice GROUP BY name, depth ORDER BY depth" \
        "outer|800000000|0|1|-
inner|1000|1|70000|0"
    answers a.db "SELECT a.key, a.display_value FROM slice s JOIN args a USING (arg_set_id) WHERE s.name = 'outer'" \
        "args.x|1
args.y|2"
}

@test "complete events of JSON that cross are on a track beside their thread" {
    json '{"ph":"X","name":"a","pid":1,"tid":2,"ts":0,"dur":10},{"ph":"X","name":"b","pid":1,"tid":2,"ts":5,"dur":10}'
    answers a.db "SELECT s.name, s.depth, t.tid, k.type FROM slice s JOIN thread_track k ON s.track_id = k.id
        JOIN thread t USING (utid) ORDER BY s.ts" "a|0|2|thread_execution
b|0|2|thread_overlapping_slice"
    answers a.db "SELECT a.key, a.display_value FROM track k JOIN args a ON a.arg_set_id = k.dimension_arg_set_id
        WHERE k.type = 'thread_overlapping_slice' AND a.key != 'utid'" "track_compressor_idx|0"
    answers a.db "SELECT name, value FROM stats WHERE severity = 'error'" "slice_spill_overlapping_complete_event|1"
}

@test "a slice ends below one that is still open" {
    json '{"ph":"B","name":"b","pid":1,"tid":2,"ts":0},{"ph":"X","name":"x","pid":1,"tid":2,"ts":1,"dur":5},
        {"ph":"E","name":"b","pid":1,"tid":2,"ts":4},{"ph":"B","name":"a","pid":1,"tid":2,"ts":4},
        {"ph":"i","name":"later","pid":1,"tid":2,"ts":5,"s":"t"}'
    answers a.db "SELECT s.ts, s.dur, s.name, s.depth, p.name FROM slice s LEFT JOIN slice p ON p.id = s.parent_id
        ORDER BY s.ts" "0|4000|b|0|-
1000|5000|x|1|b
4000|0|a|1|b
5000|0|later|0|-"
}

@test "pid 0 in a proto's process tree is the only idle process" {
    # A ClockSnapshot with BOOTTIME, and a ProcessTree at 2000: init, pid 1, of parent 0.
    printf '\x0a\x09\x32\x07\x0a\x05\x08\x06\x10\xe8\x07\x0a\x11\x40\xd0\x0f\x12\x0c\x0a\x0a\x08\x01\x10\x00\x1a\x04init' >tree.pb
    tm-merge -o tree.db tree.pb
    answers tree.db "SELECT p.pid, p.name, q.pid, t.tid, t.name, t.is_main_thread FROM process p
        LEFT JOIN process q ON q.id = p.parent_upid JOIN thread t ON t.upid = p.id ORDER BY p.pid" "0|-|-|0|swapper|1
1|init|0|1|-|1"
}

@test "a repeated argument has the last value, even if its set was written long before" {
    for n in 0 9000; do
        python3 - $n >"$BATS_TEST_TMPDIR/a.json" <<'END'
import json, sys
events = [{'ph': 'B', 'ts': 1, 'tid': 1, 'name': 'x', 'args': {'a': 1.5, 's': 'q"\\},{', 'z': 7, 'n': None, 'kept': [1, 2]}}]
for i in range(int(sys.argv[1])):
    events.append({'ph': 'X', 'ts': 2 + i, 'dur': .5, 'tid': 2, 'name': 'y', 'args': {'i': i, 'r': i / 4}})
events.append({'ph': 'E', 'ts': 100000, 'tid': 1, 'args': {'s': 2, 'a': 't', 'b': 3.25, 'z': 8.5, 'n': True, 'kept': [5]}})
json.dump([{'pid': 1, **e} for e in events], sys.stdout)
END
        tm-merge -o "$BATS_TEST_TMPDIR/a.db" "$BATS_TEST_TMPDIR/a.json"
        run sqlite3 "$BATS_TEST_TMPDIR/a.db" "SELECT key, value_type, display_value, real_value FROM slice JOIN args USING (arg_set_id)
            WHERE name = 'x' ORDER BY args.id"
        [ "$output" = "args.a|string|t|
args.s|int|2|
args.z|real|8.5|8.5
args.kept[0]|int|1|
args.kept[1]|int|2|
args.b|real|3.25|3.25
args.n|bool|true|
args.kept[2]|int|5|" ] || { echo "$n: $output"; false; }
    done
    [ "$(sqlite3 "$BATS_TEST_TMPDIR/a.db" "SELECT count(*) FROM args WHERE key = 'args.r' AND real_value = int_value")" = 0 ]
    [ "$(sqlite3 "$BATS_TEST_TMPDIR/a.db" "SELECT sum(real_value) FROM args WHERE key = 'args.r'")" = 10123875.0 ]
}

# The reference importer numbers them so, too.
@test "elements of an array at the end of a slice come after those of its begin" {
    cd "$BATS_TEST_TMPDIR"
    for many in 0 1000 9000; do # the begin's args are kept; too long for that; written long before
        python3 - $many >a.json <<'END'
import json, sys
many = int(sys.argv[1])
begin = {'a': [1, [2, 3]], 'o': [{'x': 1.5}, {'y': 'q"\\},{'}], 'none': [], 'b': [1.5], 'deep': {'a': [7]}}
begin.update({'key%d' % i: 'x' for i in range(300 if many == 1000 else 0)})
end = {'a': [[4], 5], 'o': [{'x': 2.5, 'z': 3.5}], 'none': [8], 'b': [2.5], 'deep': {'a': [8]}, 'new': [9, 10]}
events = [{'ph': 'B', 'ts': 1, 'tid': 1, 'name': 'x', 'args': begin}]
events += [{'ph': 'X', 'ts': 2 + i, 'dur': .5, 'tid': 2, 'name': 'y', 'args': {'i': i, 'r': i / 4}} for i in range(many)]
events.append({'ph': 'E', 'ts': 100000, 'tid': 1, 'args': end})
json.dump([{'pid': 1, **e} for e in events], sys.stdout)
END
        tm-merge -q -o a.db a.json
        tm-merge -q -o a.pftrace a.json
        tm-merge -q -o b.db a.pftrace
        for db in a b; do
            got=$(sqlite3 $db.db "SELECT substr(key, instr(key, '.') + 1), display_value FROM slice JOIN args USING (arg_set_id)
                WHERE name = 'x' AND key NOT LIKE '%key%' ORDER BY 1" | tr '\n' ' ')
            [ "$got" = 'a[0]|1 a[1][0]|2 a[1][1]|3 a[2][0]|4 a[3]|5 b[0]|1.5 b[1]|2.5 deep.a[0]|7 deep.a[1]|8 new[0]|9 new[1]|10 '\
'none[0]|8 o[0].x|1.5 o[1].y|q"\},{ o[2].x|2.5 o[2].z|3.5 ' ] || { echo "$many $db: $got"; false; }
        done
    done
    [ "$(sqlite3 a.db "SELECT count(*), count(DISTINCT id) FROM args")" = "$(sqlite3 a.db "SELECT count(id), count(*) FROM args")" ]
}

@test "elements that a slice gets one by one come after each other" {
    emit-stream lists | tm-emit -f sqlite -o a.db
    answers a.db "SELECT key, display_value FROM slice JOIN args USING (arg_set_id) WHERE name = 'lists' ORDER BY args.id" \
        $'debug.list[0]|0\ndebug.list[1]|1\ndebug.list[2]|2\ndebug.list[3]|3'
}

@test "work of a workqueue in text has its category, and ends by it" {
    printf '%s\n' '# tracer: nop' '  kw-7 (    7) [000] ...1 1.1: workqueue_execute_start: work struct 0: function foo' \
        '  kw-7 (    7) [000] ...1 1.2: tracing_mark_write: B|7|mark' \
        '  kw-7 (    7) [000] ...1 1.3: workqueue_execute_end: work struct 0' \
        '  kw-7 (    7) [000] ...1 1.4: tracing_mark_write: E|7' >wq.txt
    tm-merge -o wq.db wq.txt
    answers wq.db "SELECT name, category, dur FROM slice ORDER BY ts" "foo|workqueue|200000000
mark|-|100000000"
}

@test "args of every type are shown as text" {
    json '{"ph":"i","name":"a","pid":1,"tid":2,"ts":0,"args":{"i":-3,"d":0.5,"s":"t","b":true,"l":[7,{"k":8}]}}'
    answers a.db "SELECT key, flat_key, value_type, display_value FROM args JOIN slice USING (arg_set_id) ORDER BY args.id" \
        "args.i|args.i|int|-3
args.d|args.d|real|0.5
args.s|args.s|string|t
args.b|args.b|bool|true
args.l[0]|args.l|int|7
args.l[1].k|args.l.k|int|8"
}

@test "args whose keys and values look like the storage format are kept" {
    json '{"ph":"i","name":"a","pid":1,"tid":2,"ts":0,"args":{"12i3":"7s8","\"}":"\u0001\"}{","":null,"r":5e-324,"m":-9223372036854775808,"w":0.30000000000000004,"z":"a\u0000b"}}'
    answers a.db "SELECT a.id - a.arg_set_id, key, hex(coalesce(string_value, '')), int_value, value_type FROM args a
        JOIN slice USING (arg_set_id) ORDER BY a.id" "0|args.12i3|377338|-|string
1|args.\"}|01227D7B|-|string
2|args.r||-|real
3|args.m||-9223372036854775808|int
4|args.w||-|real
5|args.z|61EFBFBD62|-|string"
    answers a.db "SELECT key FROM args WHERE real_value = 0.1 + 0.2" "args.w"
    answers a.db "SELECT key FROM args WHERE arg_set_id = (SELECT arg_set_id FROM slice) AND real_value = 5e-324" "args.r"
    answers a.db "PRAGMA integrity_check" ok
}

@test "a thread in text runs on its cpu: scheduling slices, names, the idle task" {
    cat >a.txt <<'EOF'
# tracer: nop
          <idle>-0     (-----) [002] d..2     1.000000: sched_switch: prev_comm=swapper/2 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=my work next_pid=7 next_prio=97
         my work-7     (    5) [002] d..2     1.000250: sched_switch: prev_comm=my work prev_pid=7 prev_prio=97 prev_state=D|K ==> next_comm=swapper/2 next_pid=0 next_prio=120
EOF
    tm-merge -o a.db a.txt
    answers a.db "SELECT s.ts, s.dur, s.ts_end, c.cpu, t.name, p.pid, s.end_state, s.priority FROM sched s JOIN cpu c USING (ucpu)
        JOIN thread t USING (utid) LEFT JOIN process p USING (upid) ORDER BY s.id" \
        "1000000000|250000|1000250000|2|my work|5|DK|97
1000250000|-1|-|2|swapper|0|-|120"
}

@test "trace_bounds reaches from the first to the last time of rows, and is 0 without rows" {
    json '{"ph":"X","name":"a","pid":1,"tid":2,"ts":5,"dur":10}'
    answers a.db "SELECT * FROM trace_bounds" "5000|15000"
    json '{"ph":"i","name":"a","pid":1,"tid":2,"ts":5}'
    answers a.db "SELECT * FROM trace_bounds" "5000|5001"
    json ''
    answers a.db "SELECT * FROM trace_bounds" "0|0"
}

@test "a cpu number beyond those of one machine is no cpu of another machine" {
    printf '# tracer: nop\n a-1 [000] .... 1.5: cpu_frequency: state=5 cpu_id=4096\n' >a.txt
    printf '# tracer: nop\n b-1 [000] .... 1.5: cpu_frequency: state=7 cpu_id=0\n' >b.txt
    tm-merge --machine b=a.txt -o a.db a.txt b.txt
    answers a.db "SELECT c.value, k.cpu, u.ucpu FROM counter c JOIN track k ON c.track_id = k.id LEFT JOIN cpu u
        ON u.cpu = k.cpu AND u.machine_id = k.machine_id ORDER BY c.value" "5.0|4096|-
7.0|0|4096"
}

@test "slices of Chrome JSON have thread times, also slices that end late" {
    python3 - >a.json <<'EOF'
print('[{"ph":"B","name":"b","pid":1,"tid":1,"ts":0,"tts":100},')
for i in range(40000):
    print('{"ph":"X","name":"x","pid":1,"tid":1,"ts":%d,"dur":1},' % (10 * i + 10))
print('{"ph":"E","pid":1,"tid":1,"ts":500000,"tts":150.5},')
print('{"ph":"X","name":"c","pid":1,"tid":1,"ts":600000,"dur":9,"tts":200,"tdur":4},')
print('{"ph":"i","name":"i","s":"t","pid":1,"tid":1,"ts":700000,"tts":300},')
print('{"ph":"i","name":"p","s":"p","pid":1,"tid":1,"ts":710000,"tts":300},')
print('{"ph":"i","name":"g","s":"g","pid":1,"tid":1,"ts":720000,"tts":300},')
print('{"ph":"B","name":"d","pid":1,"tid":1,"ts":800000,"tts":400},{"ph":"E","pid":1,"tid":1,"ts":800005,"tts":403},')
print('{"ph":"b","cat":"k","id":1,"name":"async","pid":1,"tid":1,"ts":900000,"tts":400}]')
EOF
    tm-merge -o a.db a.json
    answers a.db "SELECT name, dur, thread_ts, thread_dur FROM slice WHERE name != 'x' ORDER BY ts" "b|500000000|100000|50500
c|9000|200000|4000
i|0|300000|-
p|0|-|-
g|0|-|-
d|5000|400000|3000
async|-1|-|-"
    answers a.db "SELECT count(*) FROM slices WHERE cat IS NULL AND slice_id = id AND thread_ts IS NULL" 40002
}

@test "a process of Android has the app and the user of its uid" {
    python3 - >p.pftrace <<'EOF'
import os, sys
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
from wire import field, message
sys.stdout.buffer.write(field(1, message((8, 10), (2, message((1, message((1, 7), (3, 'app'), (5, 1010123))))))))
EOF
    tm-merge -o p.db p.pftrace
    answers p.db "SELECT uid, android_appid, android_user_id FROM process WHERE pid = 7" "1010123|10123|10"
}

@test "flows to the next slice of their threads keep their arrows, also while one waits for a slice that never comes" {
    python3 - >a.json <<'END'
import json
def event(ph, ts, tid, **e): return dict(ph=ph, ts=ts, pid=1, tid=tid, name='x', cat='c', **e)
events = [event('X', 0, 3, dur=2), event('s', 1, 3, id=-1), event('f', 4, 4, id=-1)]
for i in range(70000):
    t = 10 * (i + 1)
    events += [event('X', t, 1, dur=4), event('s', t + 1, 1, id=i), event('f', t + 5, 2, id=i), event('X', t + 6, 2, dur=3)]
print('[' + ',\n'.join(map(json.dumps, events)) + ']')
END
    tm-merge -q -o a.db a.json
    [ "$(sqlite3 a.db "SELECT count(*) FROM flow")" -eq 70000 ]
}

@test "flows by bind_id that start twice, or go on without a start, are counted" {
    x='"ph":"X","pid":1,"tid":1,"dur":1'
    json "{$x,\"ts\":1,\"bind_id\":1,\"flow_out\":true},{$x,\"ts\":3,\"bind_id\":\"0x1\",\"flow_out\":true},
        {$x,\"ts\":5,\"bind_id\":2,\"flow_in\":true},{$x,\"ts\":7,\"bind_id\":3,\"flow_in\":true,\"flow_out\":true},
        {$x,\"ts\":9,\"bind_id\":1,\"flow_in\":true}"
    answers a.db "SELECT name, severity, value FROM stats WHERE name GLOB 'flow_*' ORDER BY name" \
        "flow_duplicate_id|error|1
flow_end_without_start|info|1
flow_step_without_start|info|1"
    answers a.db "SELECT count(*) FROM flow" 1
}

@test "an event that cuts short begins in two complete events counts both" {
    x='"pid":1,"tid":1,"name"'
    json "{\"ph\":\"X\",$x:\"a\",\"ts\":10,\"dur\":100},{\"ph\":\"B\",$x:\"b\",\"ts\":15},
        {\"ph\":\"X\",$x:\"c\",\"ts\":20,\"dur\":50},{\"ph\":\"B\",$x:\"d\",\"ts\":30},
        {\"ph\":\"X\",$x:\"e\",\"ts\":200,\"dur\":1}"
    answers a.db "SELECT name, ts, dur FROM slice ORDER BY ts" "a|10000|100000
b|15000|95000
c|20000|50000
d|30000|40000
e|200000|1000"
    answers a.db "SELECT value FROM stats WHERE name = 'misplaced_end_event'" 2
}

@test "a complete slice without a duration is counted and no row" {
    emit-stream | tm-emit -f sqlite -o a.db
    answers a.db "SELECT severity, value FROM stats WHERE name = 'slice_complete_event_without_duration'" "error|1"
    answers a.db "SELECT count(*) FROM slice WHERE name = 'never ends'" 0
}

@test "slices that cannot be rows are counted by the reason" {
    python3 - >a.json <<'EOF'
import json
thread = lambda tid, ph, ts, **e: dict(ph=ph, ts=ts, pid=1, tid=tid, name='n', **e)
print(json.dumps([thread(1, 'X', 9, dur=-1)] + [thread(2, 'B', i) for i in range(514)] +
                 [thread(3, 'X', i, dur=5000) for i in range(1026)]))
EOF
    tm-merge -q -o a.db a.json
    answers a.db "SELECT name, severity, value FROM stats WHERE value ORDER BY name" \
        "slice_drop_overlapping_complete_event|error|1
slice_max_depth_exceeded|error|2
slice_negative_duration|error|1
slice_spill_overlapping_complete_event|error|1025"
    answers a.db "SELECT count(*), max(depth) FROM slice" "1537|511"
}

@test "a name or a command line that is stated as empty is an empty text" {
    python3 "$TM_SRC/t/gen/make-packets.py" >e.pftrace <<'END'
1 { 10: 1 13: 1 60 { 1: 2 4 { 1: 5 2: 6 } } }
1 { 10: 1 8: 10 11 { 9: 3 11: 2 23: "" 22: "" } }
1 { 10: 1 8: 20 11 { 9: 3 11: 2 } }
1 { 10: 1 8: 30 2 { 1 { 1: 9 3: "" } 1 { 1: 10 3: "" 3: "a" 3: "" } } }
END
    tm-merge -q -o e.db e.pftrace
    answers e.db "SELECT ts, ifnull(name, 'NULL'), ifnull(category, 'NULL') FROM slice ORDER BY ts" $'10||\n20|NULL|NULL'
    answers e.db "SELECT pid, ifnull(cmdline, 'NULL') FROM process WHERE pid > 8 ORDER BY pid" $'9|\n10| a '
}
