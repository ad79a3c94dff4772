# tm-emit -f sqlite: samples with their cpu, its mode, and the reason why their stacks end. The expected rows are the
# reference importer's.

setup_file() {
    export PYTHONDONTWRITEBYTECODE=1
    python3 - >"$BATS_FILE_TMPDIR/p.pftrace" <<'END'
import os, sys
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
from wire import field, message
interned = message((5, message((1, 1), (2, 'work'))), (6, message((1, 1), (2, 1), (4, 64))),
                   (7, message((1, 1), (2, 1))))
packets = [
    [(8, 100), (10, 7), (13, 1), (12, interned)],
    [(8, 1000), (10, 7), (66, message((1, 3), (2, 9), (3, 10), (4, 1), (5, 2)))],
    [(8, 2000), (10, 7), (66, message((1, 0), (2, 9), (3, 9), (4, 1), (5, 1), (16, 6)))],
    [(8, 3000), (10, 7), (66, message((2, 9), (3, 9)))],
]
for packet in packets:
    sys.stdout.buffer.write(field(1, message(*packet)))
END
}

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
    export PYTHONDONTWRITEBYTECODE=1
    cp "$BATS_FILE_TMPDIR/p.pftrace" .
}

same() { # QUERY WANT
    same_text "$(sqlite3 p.db "$1")" "$2"
}

@test "samples of perf have cpu, mode and the error that ended the stack" {
    tm-merge -o p.db p.pftrace
    same "SELECT s.ts, t.tid, s.cpu, s.cpu_mode, s.callsite_id, s.unwind_error FROM perf_sample s JOIN thread t USING (utid)
        ORDER BY s.ts" '1000|10|3|user|0|
2000|9|0|kernel|0|max_frames_exceeded
3000|9||unknown||'
    same "SELECT ts, source, callsite_id FROM stack_sample ORDER BY ts" \
        $'1000|linux.perf|0\n2000|linux.perf|0\n3000|linux.perf|'
    same "SELECT s.ts, t.tid, p.pid, x.ucpu, x.cpu_mode FROM stack_sample s
        JOIN stack_sample_task_context k ON k.id = s.task_context_id JOIN thread t ON t.utid = k.utid
        JOIN process p ON p.upid = k.upid JOIN stack_sample_execution_context x ON x.id = s.execution_context_id
        ORDER BY s.ts" $'1000|10|9|3|user\n2000|9|9|0|kernel\n3000|9|9||unknown'
    same "SELECT cpu FROM cpu ORDER BY cpu" $'0\n3'
}

@test "samples of perf that state no thread or no process are of number 0, as in the reference importer" {
    python3 "$TM_SRC/t/gen/make-packets.py" >n.pftrace <<'END'
1 { 8: 1000 10: 1 66 { 1: 2 2: 200 } }
1 { 8: 2000 10: 1 66 { 1: 1 3: 101 5: 1 } }
1 { 8: 3000 10: 1 66 { 1: 1 18: 3 } }
1 { 8: 4000 10: 1 66 { 1: 1 17: 6 } }
END
    tm-merge -q -o p.db n.pftrace
    tm-merge -q -o m.pftrace n.pftrace
    for db in p n; do
        same "SELECT s.ts, t.tid, s.cpu, s.cpu_mode FROM perf_sample s JOIN thread t USING (utid) ORDER BY s.ts" \
            $'1000|0|2|unknown\n2000|101|1|kernel\n3000|0|1|unknown'
        same "SELECT name, value FROM stats WHERE name GLOB 'perf_*' AND value != 0 ORDER BY name" \
            $'perf_cpu_lost_records|6\nperf_samples_skipped_dataloss|1'
        tm-merge -q -o n.db m.pftrace
        mv n.db p.db
    done
}

@test "a merged trace that is read again has the same rows" {
    tm-merge -o m.pftrace p.pftrace
    tm-merge -o p.db m.pftrace
    same "SELECT ts, cpu, cpu_mode, unwind_error FROM perf_sample ORDER BY ts" '1000|3|user|
2000|0|kernel|max_frames_exceeded
3000||unknown|'
}

@test "a frame's place in the source is a symbol, and tracks of cpus are a view" {
    cat >g.json <<'END'
{"meta":{"interval":1,"startTime":1000,"version":24,"product":"Firefox","processType":0},"libs":[],"threads":[
{"name":"GeckoMain","tid":2,"pid":1,"samples":{"schema":{"stack":0,"time":1},"data":[[0,5]]},"markers":{"schema":{},"data":[]},
"stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0]]},"frameTable":{"schema":{"location":0,"line":4},"data":
[[0,null,null,null,12]]},"stringTable":["run (file.js:3:1)"]}],"processes":[]}
END
    tm-merge -o p.db g.json
    same "SELECT f.name, s.source_file, s.line_number FROM stack_profile_frame f JOIN stack_profile_symbol s USING (symbol_set_id)" \
        "$(tm-merge --events -f jsonl g.json | python3 -c "
import json, sys
for line in sys.stdin:
    for f in json.loads(line).get('frames', []):
        print('|'.join([f['function'], f.get('file', ''), str(f.get('line', ''))]))")"
    [ "$(sqlite3 p.db 'SELECT count(*) FROM stack_profile_symbol')" = 1 ]
    same "SELECT count(*) FROM cpu_track" 0
    same "SELECT count(*) FROM counters" 0
}

@test "samples of other files are cpu profiles, with their format as source" {
    python3 "$TM_SRC/t/gen/make-simpleperf.py" >s.trace
    tm-merge -q -o p.db s.trace "$TM_SRC/t/data/instruments.xml" "$TM_SRC/t/data/perf-dwarf.data" "$TM_SRC/t/data/gecko.json" \
        "$TM_SRC/t/data/perf-script.txt"
    same "SELECT source, count(*) FROM stack_sample GROUP BY source ORDER BY source" \
        $'gecko|10\ninstruments|6\nlinux.perf|7\nperf_text|6\nsimpleperf|3'
    # The file's type has the reference's name too.
    same "SELECT trace_type FROM trace_file WHERE name LIKE '%perf-script.txt'" perf_text
    same "SELECT (SELECT count(*) FROM perf_sample), (SELECT count(*) FROM instruments_sample),
        (SELECT count(*) FROM cpu_profile_stack_sample)" '7|6|19'
    # A frame without an address has the reference's number for that.
    same "SELECT count(*) > 4, count(rel_pc) = count(*) FROM stack_profile_frame" '1|1'
}

@test "perf.data: each sample's event is a counter of the cpu, and the sample has its value" {
    tm-merge -q -o p.db "$TM_SRC/t/data/perf-dwarf.data"
    same "SELECT t.name, t.type, t.cpu, c.value FROM counter c JOIN perf_counter_track t ON t.id = c.track_id
        ORDER BY c.ts LIMIT 3" 'cpu-clock:ppp|perf_cpu_counter|1|1001001.0
cpu-clock:ppp|perf_cpu_counter|1|2002002.0
cpu-clock:ppp|perf_cpu_counter|1|3003003.0'
    same "SELECT count(*), sum(k.value = c.value AND s.ts = c.ts) FROM stack_sample_counter k
        JOIN stack_sample s ON s.id = k.stack_sample_id JOIN counter c ON c.ts = s.ts" '7|7'
    same "SELECT source, timebase_unit, substr(cmdline, 1, 20) FROM stack_sample_session" 'linux.perf|ns|/usr/bin/perf record'
    same "SELECT group_concat(DISTINCT cpu_mode) FROM (SELECT cpu_mode FROM perf_sample ORDER BY ts)" 'kernel,user'
}

@test "perf.data: what samples without a cpu count is a counter of all cpus, and their session is known" {
    python3 "$TM_SRC/t/gen/make-perf-data.py" nocpu >n.data
    tm-merge -q -o p.db n.data
    same "SELECT t.name, t.type, t.cpu IS NULL, count(*), max(c.value) FROM counter c
        JOIN perf_counter_track t ON t.id = c.track_id GROUP BY t.id ORDER BY 1" \
        'cpu-clock|perf_global_counter|1|8|8000.0
sched:sched_waking|perf_global_counter|1|1|1000.0'
    same "SELECT count(*), sum(k.value = c.value AND c.track_id = k.track_id) FROM stack_sample_counter k
        JOIN stack_sample s ON s.id = k.stack_sample_id JOIN counter c ON c.ts = s.ts" '9|9'
    same "SELECT source, timebase_unit, cmdline FROM stack_sample_session ORDER BY id" 'linux.perf|ns|perf record
linux.perf|count|perf record'
}

@test "perf.data: the unit of a session follows from the event, with or without modifiers" {
    local event unit
    python3 "$TM_SRC/t/gen/make-perf-data.py" >c.data
    while read -r event unit; do
        python3 -c 'import sys
data, name = open("c.data", "rb").read(), b"cpu-clock" + bytes(8)
assert data.count(name) == 1
sys.stdout.buffer.write(data.replace(name, sys.argv[1].encode().ljust(len(name), b"\0")))' "$event" >e.data
        tm-merge -q -o p.db e.data
        same "SELECT t.name, s.timebase_unit FROM stack_sample_session s JOIN track t USING (id) ORDER BY s.id LIMIT 1" \
            "$event|$unit"
    done <<'END'
cpu-clock ns
task-clock:u ns
cycles cycles
cpu-cycles:pp cycles
bus-cycles cycles
ref-cycles:k cycles
instructions:uk instructions
page-faults count
END
}

@test "V8's profiles: a frame of no script is a symbol, and parts that contradict others are counted" {
    cat >v.json <<'EOF'
[{"ph":"P","name":"Profile","pid":1,"tid":2,"ts":100,"id":"0x1","args":{"data":{"startTime":100}}},
 {"ph":"P","name":"ProfileChunk","pid":1,"tid":2,"ts":110,"id":1,"args":{"data":{"cpuProfile":{"nodes":[
  {"id":1,"callFrame":{"functionName":"root"}},{"id":2,"parent":1,"callFrame":{"functionName":"f","url":"u.js"}},
  {"id":2,"parent":1,"callFrame":{"functionName":"again"}},{"id":3,"parent":9,"callFrame":{"functionName":"lost"}}],
  "samples":[1,2,3,99]},"timeDeltas":[1,2,3,4]}}},
 {"ph":"P","name":"ProfileChunk","pid":1,"tid":2,"ts":120,"id":"0x1","args":{"data":{"cpuProfile":{"samples":[1,2]},
  "timeDeltas":[5]}}},
 {"ph":"P","name":"ProfileChunk","pid":1,"tid":2,"ts":125,"id":"0x1","args":{"data":{"cpuProfile":{}}}},
 {"ph":"P","name":"ProfileChunk","pid":1,"tid":2,"ts":130,"id":"0x7","args":{"data":{"cpuProfile":{"nodes":[
  {"id":1,"callFrame":{"functionName":"no start"}}],"samples":[1,1]},"timeDeltas":[1,2]}}}]
EOF
    tm-merge -q -o p.db v.json
    local samples='SELECT s.ts, f.name, y.name, y.source_file FROM stack_sample s
        JOIN stack_profile_callsite c ON c.id = s.callsite_id JOIN stack_profile_frame f ON f.id = c.frame_id
        JOIN stack_profile_symbol y ON y.symbol_set_id = f.symbol_set_id ORDER BY s.ts'
    local stats="SELECT name, value, source FROM stats WHERE severity = 'error' AND value ORDER BY name"
    same "$samples" '101000|root|root|
103000|f|f|u.js'
    same "SELECT count(*) FROM stack_sample" 2
    same "$stats" 'json_tokenizer_failure|2|trace
legacy_v8_cpu_profile_invalid_callsite|3|trace
legacy_v8_cpu_profile_invalid_sample|2|trace'
    same "SELECT count(*) FROM stats WHERE name LIKE 'legacy_v8%' AND description IS NULL" 0
    if [ -x "${TRACE_PROCESSOR:-}" ]; then
        for query in "$samples" "$stats"; do
            diff <(sqlite3 -csv -header p.db "$query" | sed 's/,$/,[NULL]/' | tr -d '"\r') \
                <("$TRACE_PROCESSOR" -Q "$query" v.json 2>"$BATS_TEST_TMPDIR/err" | tr -d '"')
        done
    fi
}

@test "PerfSample packets: what they count are counters of the cpu, by the names that the sequence states" {
    python3 "$TM_SRC/t/gen/make-packets.py" >p.pftrace <<'END'
1 { 10: 3 13: 1 59 { 12 { 1 { 1: 100 4: 10 12: 1 12: 2 } 4 { 1: 11 } 4 { 2 { 1: "sched:sched_switch" } }
    4 { 3 { 1: 4 2: 17 3: 1 4: 2 } } 4 { 1: 12 4: "mine" 5: 3 } } } }
1 { 10: 3 8: 1000 66 { 1: 2 2: 5 3: 6 5: 2 6: 100 7: 7 7: 8 } }
1 { 10: 3 8: 2000 66 { 1: 2 2: 5 3: 6 5: 1 6: 250 7: 9 7: 10 7: 11 7: 12 7: 13 } }
1 { 10: 3 8: 3000 66 { 1: 1 2: 5 3: 6 5: 1 6: 40 } }
1 { 10: 4 13: 1 8: 4000 66 { 2: 5 3: 7 6: 30 } }
1 { 10: 4 8: 5000 66 { 2: 5 3: 7 } }
1 { 10: 5 13: 1 59 { 12 { 1 { 4: 10 12: 1 12: 2 } } } 8: 6000 66 { 1: 2 2: 5 3: 6 6: 5 } }
END
    want='1000|cpu-cycles:uk|perf_cpu_counter|2|100.0
1000|instructions|perf_cpu_counter|2|7.0
1000|sched:sched_switch|perf_cpu_counter|2|8.0
2000|cpu-cycles:uk|perf_cpu_counter|2|250.0
2000|instructions|perf_cpu_counter|2|9.0
2000|mine:h|perf_cpu_counter|2|12.0
2000|raw.0x4.0x11.0x1.0x2|perf_cpu_counter|2|11.0
2000|sched:sched_switch|perf_cpu_counter|2|10.0
3000|cpu-cycles:uk|perf_cpu_counter|1|40.0
4000|cpu-clock|perf_cpu_counter|0|30.0
6000|cpu-cycles:uk|perf_cpu_counter|2|5.0'
    tm-merge -q -o p.db -o m.pftrace p.pftrace
    tm-merge -q -o m.db m.pftrace
    same "SELECT c.ts, t.name, t.type, t.cpu, c.value FROM counter c JOIN track t ON t.id = c.track_id ORDER BY 1, 2" "$want"
    same "SELECT s.ts, t.name, t.type, t.cpu, k.value FROM stack_sample_counter k
        JOIN stack_sample s ON s.id = k.stack_sample_id JOIN perf_counter_track t ON t.id = k.track_id ORDER BY 1, 2" "$want"
    same "SELECT count(*) FROM perf_counter_track WHERE name = 'cpu-cycles:uk' AND cpu = 2" 2
    same "SELECT count(*) FROM perf_session" 6
    mv m.db p.db
    same "SELECT c.ts, t.name, t.type, t.cpu, c.value FROM counter c JOIN track t ON t.id = c.track_id ORDER BY 1, 2" "$want"
}

@test "stack_sample packets: the source, the task, the cpu and the stack, interned or not" {
    python3 "$TM_SRC/t/gen/make-packets.py" >p.pftrace <<'END'
1 { 10: 1 6 { 1 { 1: 6 2: 1000 } } }
1 { 10: 1 8: 900 2 { 1 { 1: 30 2: 1 3: "app" } } }
1 { 10: 7 13: 1
    12 { 5 { 1: 1 2: "main" } 5 { 1: 2 2: "leaf" } 17 { 1: 1 2: "lib.so" } 16 { 1: 1 2: "\xab" }
         19 { 1: 1 2: 1 4: 4096 5: 8192 7: 1 } 6 { 1: 1 2: 1 3: 1 4: 16 } 6 { 1: 2 2: 2 3: 1 4: 32 }
         7 { 1: 5 2: 1 2: 2 } 48 { 1: 3 2: 30 3: 31 } 49 { 1: 4 2: 2 3: 2 } }
    59 { 100 { 1: "python.wall" } } }
1 { 10: 7 13: 2 8: 2000 135 { 2: 3 4: 4 6: 5 } }
1 { 10: 7 13: 2 8: 2100 135 { 1 { 2: 30 3: 30 } 3 { 2: 1 3: 1 } 5 { 1 { 1: "outer" 2: "/a.py" 3: 7 } 1 { 1: "inner" } } } }
1 { 10: 7 13: 2 8: 2200 135 { 1 { 3: 40 } 3 { 3: 5 } 6: 5 } }
1 { 10: 7 13: 2 8: 2300 135 { 1 { 2: 30 } 6: 5 } }
1 { 10: 8 8: 2400 135 { 1 { 2: 30 3: 31 } 5 { 1 { 1: "alone" } } } }
END
    local rows="SELECT s.ts, s.source, th.tid, p.pid, x.cpu_mode, x.ucpu, g.name, f.name, f.rel_pc, d.name, y.source_file,
        y.line_number FROM stack_sample s JOIN stack_sample_task_context k ON k.id = s.task_context_id
        JOIN thread th ON th.utid = k.utid LEFT JOIN process p ON p.upid = th.upid
        LEFT JOIN stack_sample_execution_context x ON x.id = s.execution_context_id
        JOIN stack_profile_callsite c ON c.id = s.callsite_id JOIN stack_profile_frame f ON f.id = c.frame_id
        JOIN stack_profile_mapping g ON g.id = f.mapping LEFT JOIN stack_profile_callsite e ON e.id = c.parent_id
        LEFT JOIN stack_profile_frame d ON d.id = e.frame_id
        LEFT JOIN stack_profile_symbol y ON y.symbol_set_id = d.symbol_set_id ORDER BY s.ts"
    local want='2000|python.wall|31|30|kernel|2|/lib.so|leaf|32|main||
2100|python.wall|30|30|user|1|stack_sample_inline|inner|0|outer|/a.py|7
2200|python.wall|40||guest_kernel||/lib.so|leaf|32|main||
2400||31|30|||stack_sample_inline|alone|0|||'
    tm-merge -q -o p.db -o m.pftrace -o m.json p.pftrace
    same "$rows" "$want"
    same "SELECT count(*) FROM perf_sample" 0
    grep -q '"ph":"P","ts":2.1,"pid":30,"tid":30,"name":"sample","stack":\["outer","inner"\]' m.json
    tm-merge -q -o p.db m.pftrace
    same "$rows" "$want"
}

@test "stack_sample packets without a thread, and what they count" {
    python3 "$TM_SRC/t/gen/make-packets.py" >p.pftrace <<'END'
1 { 10: 1 6 { 1 { 1: 6 2: 1000 } } }
1 { 10: 1 8: 900 2 { 1 { 1: 30 2: 1 3: "app" } } }
1 { 10: 7 13: 1
    12 { 48 { 1: 3 2: 30 3: 31 } 50 { 1: 1 2: "wall" 3: 1 } 50 { 1: 2 2: "cycles" 3: 2 7: 2 6: "of the cpu" } }
    59 { 100 { 1: "python" 2 { 2: "cpu" 3: 1 5: 1000 } 3 { 2: "misses" 4: "times" } 3 { 2: "faults" 3: 5 } } } }
1 { 10: 7 13: 2 8: 2000 135 { 2: 3 3 { 2: 1 } 5 { 1 { 1: "f" } } 11: 100 14 [ 7 8 9 ] } }
1 { 10: 7 13: 2 8: 2100 135 { 1 { 2: 30 } 3 { 2: 1 } 5 { 1 { 1: "g" } } 10: 1 11: 200 13 [ 2 9 1 ] 14 [ 5 6 7 ] } }
1 { 10: 7 13: 2 8: 2200 135 { 5 { 1 { 1: "h" } } 9 { 2: "own" 4: "u" } 11: 300 12 { 2: "follower" } 14 [ 1 ] 13 [ 1 ] } }
1 { 10: 7 13: 2 8: 2300 135 { 5 { 1 { 1: "i" } } 10: 2 11: 400 } }
1 { 10: 8 13: 1 8: 2400 135 { 1 { 3: 40 } 3 { 2: 0 } 5 { 1 { 3: 5 } } 9 { 2: "wall" 7: 1 } 11: 18446744073709551615 } }
1 { 10: 8 8: 2500 135 { 1 { 2: 50 } 5 { 1 { 1: "k" } } 9 { 3: 1 } 11: 1 } }
END
    local samples="SELECT s.ts, th.tid, p.pid, x.ucpu, s.source FROM stack_sample s
        LEFT JOIN stack_sample_task_context k ON k.id = s.task_context_id LEFT JOIN thread th ON th.utid = k.utid
        LEFT JOIN process p ON p.upid = k.upid
        LEFT JOIN stack_sample_execution_context x ON x.id = s.execution_context_id ORDER BY s.ts"
    local counts="SELECT s.ts, t.name, t.type, t.unit, t.cpu, c.value FROM stack_sample_counter c
        JOIN stack_sample s ON s.id = c.stack_sample_id JOIN stack_sample_counter_track t ON t.id = c.track_id ORDER BY c.id"
    local session=stack_sample_session_counter
    local all_samples='2000|31|30|1|python
2100||30|1|python
2200||||python
2300||||python
2400|40||0|
2500||50||' all_counts="2000|cpu|$session|ns||100.0
2000|misses|$session|times||7.0
2000|faults|$session|page-faults||8.0
2100|wall|$session|ns||200.0
2100|cycles|stack_sample_cpu_counter|cycles|1|5.0
2100|wall|$session|ns||7.0
2200|own|$session|u||300.0
2200|follower|$session|||1.0
2400|wall|$session|||1.84467440737096e+19
2500||$session|ns||1.0"
    tm-merge -q -o p.db -o m.pftrace -o m.json p.pftrace
    same "$samples" "$all_samples"
    same "$counts" "$all_counts"
    same "SELECT source, timebase_unit FROM stack_sample_session ORDER BY id" 'python|ns
|ns'
    same "SELECT count(*) FROM perf_session" 0
    same "SELECT group_concat(key || '=' || display_value, ' ') FROM args a JOIN track t
        ON a.arg_set_id IN (t.dimension_arg_set_id, t.source_arg_set_id) WHERE t.name = 'cycles'" \
        'cpu=1 session_id=0 source=python counter_name=cycles is_timebase=false description=of the cpu'
    [ "$(grep -c '"ph":"P"' m.json)" = 2 ]
    tm-merge -q -o p.db m.pftrace
    same "$samples" "$all_samples"
    same "$counts" "$all_counts"
}
