#!/usr/bin/env bats
# Chrome JSON in the merged Perfetto trace: a reader finds the same facts as in the file. These tests read the trace by
# merging it again; t/check/viewers uses a viewer.

setup() {
    cd "$BATS_TEST_TMPDIR"
}

merge() { # FILE...
    tm-merge -o m.pftrace "$@"
    tm-merge -o m.db m.pftrace
}

rows() { # SQL: rows of the merged trace, in one line
    sqlite3 -separator ' ' m.db "$1" | paste -sd,
}

FLOWS="SELECT a.name, b.name FROM flow f JOIN slice a ON a.id = f.slice_out JOIN slice b ON b.id = f.slice_in ORDER BY a.name, b.ts"

@test "arguments are dictionaries and arrays" {
    echo '[{"ph":"X","pid":1,"tid":2,"name":"n","ts":1,"dur":1,"args":{"o":{"p":[1,{"q":"r"}],"s.t":true},"d":0.5}}]' >a.json
    merge a.json
    [ "$(rows 'SELECT key, display_value FROM args JOIN slice USING (arg_set_id) ORDER BY key')" = \
      "debug.d 0.5,debug.o.p[0] 1,debug.o.p[1].q r,debug.o.s.t true" ]
    # protoc finds no names that readers would replace by "_".
    run grep -c 'o\.p\|p\[' m.pftrace
    [ "$output" = 0 ]
}

@test "values of counters that are texts are the numbers that strtod reads, in each output" {
    echo '[{"ph":"C","pid":1,"name":"c","ts":1,"args":{"a":"inf","b":"nan","c":"0x1p3","d":" 5","e":"5abc","f":"1e400",
        "g":"0x1F","h":"-Infinity","i":"","j":"5 ","k":"0x123456789abcdef01"}}]' >a.json
    local values="SELECT t.name, c.value FROM counter c JOIN track t ON t.id = c.track_id ORDER BY 1"
    local want="c a Inf,c b ,c c 8.0,c d 5.0,c f Inf,c g 31.0,c h -Inf,c k 2.0988295479420645e+19"
    merge a.json
    [ "$(rows "$values" | sed 's/2.0988295479420[67].*+19/2.0988295479420645e+19/')" = "$want" ]
    tm-merge -o b.json a.json
    for from in a.json b.json; do
        tm-merge -q -o m.db $from
        [ "$(rows "$values" | sed 's/2.0988295479420[67].*+19/2.0988295479420645e+19/')" = "$want" ]
        [ "$(rows "SELECT value FROM stats WHERE name = 'json_parser_failure'")" = 3 ]
    done
    if [ -x "${TRACE_PROCESSOR:-}" ]; then
        for from in a.json b.json m.pftrace; do
            "$TRACE_PROCESSOR" -Q "$values" $from 2>err | tail -n +2 >$from.rows
        done
        grep -q '"c a",inf' a.json.rows
        cmp a.json.rows b.json.rows
        cmp a.json.rows m.pftrace.rows
    fi
}

@test "begins and ends of one time are in the order of the file until the first complete event" {
    echo '[{"ph":"B","pid":1,"tid":1,"name":"outer","ts":1},{"ph":"B","pid":1,"tid":1,"name":"one","ts":5},
        {"ph":"i","pid":1,"tid":1,"name":"now","ts":5},{"ph":"E","pid":1,"tid":1,"ts":5},
        {"ph":"B","pid":1,"tid":1,"name":"two","ts":5},{"ph":"E","pid":1,"tid":1,"ts":5},{"ph":"E","pid":1,"tid":1,"ts":9},
        {"ph":"X","pid":1,"tid":2,"name":"whole","ts":20,"dur":9},
        {"ph":"B","pid":1,"tid":1,"name":"open","ts":30},{"ph":"E","pid":1,"tid":1,"ts":30}]' >a.json
    merge a.json
    shown="SELECT name, ts, dur, depth FROM slice ORDER BY id"
    want="outer 1000 8000 0,one 5000 0 1,now 5000 0 2,two 5000 0 1,whole 20000 9000 0,open 30000 -1 0"
    [ "$(rows "$shown")" = "$want" ]
    tm-merge -o one.db a.json
    [ "$(sqlite3 -separator ' ' one.db "$shown" | paste -sd,)" = "$want" ]
    tm-merge -o a2.json a.json # and merged again
    tm-merge -o one.db a2.json
    [ "$(sqlite3 -separator ' ' one.db "$shown" | paste -sd,)" = "$want" ]
    echo '[{"ph":"X","pid":7,"tid":7,"name":"other file","ts":0,"dur":9}]' >b.json # complete events of another file change nothing
    merge b.json a.json
    [ "$(rows "$shown" | sed 's/.*outer/outer/')" = "$want" ]
}

@test "an event at the time of the first complete event is ordered with it, wherever it stands in the file" {
    echo '[{"ph":"B","pid":1,"tid":1,"name":"inner","ts":5},{"ph":"i","pid":1,"tid":2,"name":"now","ts":8},
        {"ph":"E","pid":1,"tid":3,"ts":9},{"ph":"B","pid":1,"tid":3,"name":"open","ts":9},{"ph":"B","pid":1,"tid":3,"name":"a","ts":1},
        {"ph":"X","pid":1,"tid":1,"name":"outer","ts":5,"dur":3},{"ph":"X","pid":1,"tid":2,"name":"around","ts":8,"dur":2},
        {"ph":"i","pid":1,"tid":3,"name":"late","ts":9}]' >a.json
    merge a.json
    shown="SELECT name, ts, dur, depth FROM slice ORDER BY ts, depth, name"
    want="a 1000 8000 0,outer 5000 3000 0,inner 5000 -1 1,around 8000 2000 0,now 8000 0 1,open 9000 -1 0,late 9000 0 1"
    [ "$(rows "$shown")" = "$want" ]
    tm-merge -o one.db a.json
    [ "$(sqlite3 -separator ' ' one.db "$shown" | paste -sd,)" = "$want" ]
}

@test "a thread of events without a pid is one of process 0, also of instants and of events that are not shown" {
    echo '[{"ph":"B","pid":7,"tid":5,"name":"other","ts":1},{"ph":"i","tid":5,"name":"now","ts":2},
        {"ph":"X","tid":5,"name":"whole","ts":3,"dur":1},{"ph":"n","tid":6,"name":"no pid","cat":"k","id":1,"ts":4}]' >a.json
    shown="SELECT slice.name, depth, tid, pid FROM slice JOIN thread_track ON track_id = thread_track.id JOIN thread USING (utid)
        JOIN process USING (upid) ORDER BY ts"
    want="other 0 5 7,now 0 5 0,whole 0 5 0"
    merge a.json
    [ "$(rows "$shown")" = "$want" ]
    threads="SELECT tid, pid FROM thread JOIN process USING (upid) WHERE tid > 0 ORDER BY tid, pid"
    [ "$(rows "$threads")" = "5 0,5 7,6 0,7 7" ]
    tm-merge -o one.db a.json
    [ "$(sqlite3 -separator ' ' one.db "$shown" | paste -sd,)" = "$want" ]
    [ "$(sqlite3 -separator ' ' one.db "$threads" | paste -sd,)" = "5 0,5 7,6 0,7 7" ]
}

@test "a process whose pid has more than 32 bits is not the process with its low 32 bits" {
    echo '[{"ph":"X","ts":1,"dur":5,"pid":4294967297,"tid":4294967298,"name":"a"},{"ph":"X","ts":1,"dur":5,"pid":1,"tid":2,"name":"b"},
        {"ph":"X","ts":1,"dur":5,"pid":4294967297,"tid":3,"name":"c"},{"ph":"M","pid":4294967297,"name":"process_name","args":{"name":"P"}},
        {"ph":"X","ts":1,"dur":5,"pid":-4294967295,"tid":4,"name":"d"},{"ph":"X","ts":1,"dur":5,"pid":4294967295,"tid":5,"name":"e"}]' >j.json
    tm-merge -o m.pftrace j.json
    tm-merge -o m.db m.pftrace
    # The importer shows slice b in process 1 of the document, and none of the others.
    [ "$(sqlite3 m.db "SELECT group_concat(s.name, '') FROM slice s JOIN thread_track t ON t.id = s.track_id JOIN thread USING (utid)
        JOIN process p USING (upid) GROUP BY p.pid, p.name HAVING p.pid > 0 ORDER BY 1")" = $'ac\nb\nd' ]
    [ "$(sqlite3 m.db "SELECT count(*) FROM process WHERE name = 'P' AND pid >= 0x41000000")" -eq 1 ]
}

@test "a thread that only metadata of something else mentions is a thread of its process" {
    echo '[{"ph":"M","pid":1,"tid":2,"name":"process_name","args":{"name":"p"}},{"ph":"M","pid":1,"tid":3,"name":"num_cpus"},
        {"ph":"M","pid":1,"tid":4,"name":"process_labels","ts":5,"args":{"labels":"l"}},
        {"ph":"M","tid":5,"name":"other"},{"ph":"M","pid":1,"tid":3,"name":"thread_name","args":{"name":"t"}},
        {"ph":"M","pid":1,"tid":3,"name":"thread_sort_index","args":{"sort_index":7}}]' >a.json
    merge a.json
    tm-merge -o one.db a.json
    for db in m.db one.db; do
        [ "$(sqlite3 -separator ' ' $db "SELECT tid, pid, t.name FROM thread t JOIN process p USING (upid) WHERE tid != 0
            AND tid != pid ORDER BY tid" | paste -sd,)" = "2 1 ,3 1 t,4 1 ,5 0 " ]
    done
    # The first descriptor of thread 3 has its rank, although other metadata precedes the index.
    python3 "$TM_SRC/t/check/list-packets.py" -f 60.4.2 -f 60.12 m.pftrace | grep 60.4.2=3 | head -1 | grep '60.12=7$'
}

@test "array elements keep their numbers after elements without an argument" {
    echo '[{"ph":"X","pid":1,"tid":2,"name":"n","ts":1,"dur":1,"args":{"d":[[],[3,4],{},{"a":[{},[],5]},6],"far[99999999]":7,"h":[{},{}]}}]' >a.json
    merge a.json
    [ "$(rows 'SELECT key, display_value FROM args JOIN slice USING (arg_set_id) ORDER BY key')" = \
      "debug.d[1][0] 3,debug.d[1][1] 4,debug.d[3].a[2] 5,debug.d[4] 6,debug.far[0] 7" ]
    [ "$(wc -c <m.pftrace)" -lt 2000 ]
}

@test "flows by s, t and f connect the slices that the file states, even if these have ended" {
    echo '[{"ph":"X","pid":1,"tid":1,"name":"a","ts":10,"dur":10},{"ph":"X","pid":1,"tid":2,"name":"b","ts":30,"dur":5},
        {"ph":"X","pid":1,"tid":3,"name":"c","ts":40,"dur":5},{"ph":"X","pid":1,"tid":3,"name":"d","ts":60,"dur":5},
        {"ph":"s","pid":1,"tid":1,"name":"within","cat":"k","id":1,"ts":15},{"ph":"f","pid":1,"tid":2,"name":"within","cat":"k","id":"0x1","ts":31,"bp":"e"},
        {"ph":"s","pid":1,"tid":1,"name":"edge","cat":"k","id":1,"ts":20},{"ph":"t","pid":1,"tid":2,"name":"edge","cat":"k","id":1,"ts":35},
        {"ph":"f","pid":1,"tid":3,"name":"edge","cat":"k","id":1,"ts":50,"bp":"e"},
        {"ph":"s","pid":1,"tid":2,"name":"next","cat":"k","id":1,"ts":39},{"ph":"f","pid":1,"tid":3,"name":"next","cat":"k","id":1,"ts":51},
        {"ph":"i","pid":1,"tid":4,"name":"moment","ts":52,"s":"t"},{"ph":"X","pid":1,"tid":5,"name":"nothing","ts":53,"dur":0},
        {"ph":"s","pid":1,"tid":4,"name":"moments","cat":"k","id":1,"ts":54},{"ph":"f","pid":1,"tid":5,"name":"moments","cat":"k","id":1,"ts":55,"bp":"e"}]' >a.json
    merge a.json
    [ "$(rows "$FLOWS")" = "a b,a b,b c,b d,moment nothing" ]
    tm-merge -o one.db a.json
    [ "$(rows "$FLOWS")" = "$(sqlite3 -separator ' ' one.db "$FLOWS" | paste -sd,)" ]
}

@test "bind_id begins a flow, is a step of it, and ends an arrow without ending the flow" {
    echo '[{"ph":"X","pid":1,"tid":1,"name":"out","ts":1,"dur":1,"bind_id":"0xabc","flow_out":true},
        {"ph":"b","cat":"k","id":1,"pid":1,"tid":1,"name":"step","ts":2,"bind_id":2748,"flow_in":true,"flow_out":true},
        {"ph":"X","pid":1,"tid":1,"name":"in","ts":3,"dur":1,"bind_id":"0xabc","flow_in":true},
        {"ph":"B","pid":1,"tid":1,"name":"again","ts":5,"bind_id":"0xabc","flow_in":true},
        {"ph":"X","pid":1,"tid":2,"name":"no start","ts":5,"dur":1,"bind_id":"0xabd","flow_in":true,"flow_out":true},
        {"ph":"X","pid":1,"tid":2,"name":"no arrow","ts":7,"dur":1,"bind_id":"0xabd","flow_in":true}]' >a.json
    merge a.json
    [ "$(rows "$FLOWS")" = "out step,step in,step again" ]
}

@test "flows of two files are distinct, and find slices beside ftrace events and on shared threads" {
    for f in a b; do
        echo '[{"ph":"X","pid":100,"tid":100,"name":"'$f'1","ts":10000001,"dur":10,"bind_id":7,"flow_out":true},
            {"ph":"s","pid":100,"tid":100,"name":"f","cat":"k","id":7,"ts":10000002},
            {"ph":"X","pid":100,"tid":101,"name":"'$f'2","ts":10000020,"dur":5,"bind_id":7,"flow_in":true},
            {"ph":"f","bp":"e","pid":100,"tid":101,"name":"f","cat":"k","id":7,"ts":10000021}]' >$f.json
    done
    printf '%s\n' '# tracer: nop' \
        '  app-100 (  100) [000] ..... 10.000010: tracing_mark_write: B|100|mark' \
        '  app-100 (  100) [000] ..... 10.000012: tracing_mark_write: E|100' >k.systrace
    echo '{"perfetto_manifest":{"version":1,"files":[{"path":"k.systrace"},{"path":"a.json","clocks":{"sync_to":{"file":"k.systrace"}}},
        {"path":"b.json","clocks":{"sync_to":{"file":"k.systrace"}}}]}}' >manifest.json
    tar cf in.tar manifest.json k.systrace a.json b.json
    merge in.tar
    [ "$(rows "$FLOWS")" = "a1 a2,a1 a2,b1 b2,b1 b2" ]
}

@test "thread times are a counter with values where a slice begins and ends" {
    echo '[{"ph":"X","pid":1,"tid":2,"name":"n","ts":1,"dur":2,"tts":5.5,"tdur":0.25},{"ph":"B","pid":1,"tid":2,"name":"m","ts":4,"tts":6},
        {"ph":"E","pid":1,"tid":2,"ts":5,"tts":"6.75"},{"ph":"X","pid":1,"tid":3,"name":"o","ts":6,"dur":1,"tts":1}]' >a.json
    merge a.json
    [ "$(rows "SELECT c.ts, t.name, c.value, th.tid FROM counter c JOIN counter_track t ON t.id = c.track_id
        JOIN thread_counter_track tt ON tt.id = t.id JOIN thread th USING (utid) ORDER BY c.ts")" = \
      "1000 thread_time 5500.0 2,3000 thread_time 5750.0 2,4000 thread_time 6000.0 2,5000 thread_time 6750.0 2,6000 thread_time 1000.0 3" ]
}

@test "instants of a process and of the trace are on their tracks" {
    echo '[{"ph":"i","s":"p","pid":1,"tid":2,"name":"p","ts":1},{"ph":"i","s":"g","pid":1,"tid":2,"name":"g","ts":2}]' >a.json
    merge a.json
    [ "$(rows "SELECT s.name, t.name IS NULL, p.pid FROM slice s JOIN track t ON t.id = s.track_id
        LEFT JOIN process_track pt ON pt.id = t.id LEFT JOIN process p USING (upid) ORDER BY s.ts")" = "p 1 1,g 1 " ]
}

@test "instants of a process that another file describes are on a track with the name of their file" {
    echo '[{"ph":"i","s":"p","pid":1,"tid":2,"name":"p","ts":1},{"ph":"M","pid":1,"name":"process_name","args":{"name":"one"}}]' >a.json
    echo '[{"ph":"i","s":"p","pid":1,"tid":3,"name":"q","ts":2},{"ph":"i","s":"p","pid":1,"tid":3,"name":"r","ts":3}]' >b.json
    merge a.json b.json
    [ "$(rows "SELECT s.name, t.name, p.name FROM slice s JOIN process_track t ON t.id = s.track_id JOIN process p USING (upid)
        WHERE s.name != 'p' ORDER BY s.ts")" = "q b.json one,r b.json one" ]
}

@test "sort indices are ranks of the first descriptors, and the root enables ranks" {
    cd "$BATS_TEST_TMPDIR"
    printf '{"traceEvents":[
        {"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"t"}},
        {"ph":"M","pid":1,"name":"process_name","args":{"name":"p"}},
        {"ph":"M","pid":1,"tid":2,"ts":7,"name":"thread_sort_index","args":{"sort_index":-3}},
        {"ph":"M","pid":1,"name":"process_sort_index","args":{"sort_index":9}},
        {"ph":"X","pid":1,"tid":2,"ts":1,"dur":1,"name":"a"},
        {"ph":"X","pid":4,"tid":4,"ts":1,"dur":1,"name":"b"}]}' >a.json
    tm-merge -o m.pftrace a.json
    list() { python3 "$TM_SRC/t/check/list-packets.py" -f 60.1 -f 60.4.2 -f 60.3.1 -f 60.12 -f 60.19 -f 60.20 "$1" | grep ' 60.1='; }
    list m.pftrace | cut -d' ' -f7- >got
    cat got
    [ "$(head -1 got)" = '60.1=0 60.19=1 60.20=1' ]
    grep 60.4.2=2 got | head -1 | grep -q '60.12=18446744073709551613$'
    grep 60.3.1=1 got | head -1 | grep -q '60.12=9$'
    ! grep 60.4.2=4 got | grep 60.12 || false
    tm-merge -o again.pftrace m.pftrace
    [ "$(list again.pftrace | grep -c 60.12=)" -eq "$(grep -c 60.12= got)" ]
    printf '{"traceEvents":[{"ph":"X","pid":1,"tid":2,"ts":1,"dur":1,"name":"a"}]}' >plain.json
    tm-merge -o plain.pftrace plain.json
    ! list plain.pftrace | grep -F 60.1=0 || false
}

# Prints the sort indices of process 1 and thread 2 in the merged trace, then those in the database of the file itself.
# The file has an index of each for each argument: 1, 2, … The argument is its time; "-": it has none.
sort_indices() {
    python3 - "$@" >a.json <<'END'
import json, sys
events = [{"ph": "X", "pid": 1, "tid": 2, "ts": 9, "dur": 1, "name": "a"}]
for index, time in enumerate(sys.argv[1:], 1):
    for name in "process_sort_index", "thread_sort_index":
        stated = {"ph": "M", "pid": 1, "tid": 2, "name": name, "args": {"sort_index": index}}
        events.append(stated if time == "-" else {**stated, "ts": int(time)})
json.dump(events, sys.stdout)
END
    merge a.json
    tm-merge -o one.db a.json
    for db in m.db one.db; do
        sqlite3 $db "SELECT int_value FROM args WHERE key LIKE '%_sort_index_hint'" | paste -sd,
    done | paste -sd' '
}

@test "of several sort indices the one with the least time counts, and before it one without a time" {
    [ "$(sort_indices 5 3)" = '2,2 2,2' ]
    [ "$(sort_indices 3 5)" = '1,1 1,1' ]
    [ "$(sort_indices 5 -)" = '2,2 2,2' ]
    [ "$(sort_indices - 5)" = '1,1 1,1' ]
    [ "$(sort_indices - -)" = '1,1 1,1' ]
    [ "$(sort_indices 5 5 3 3)" = '3,3 3,3' ]
}

@test "the metadata of documents are attributes of the trace, by file" {
    event='"traceEvents":[{"ph":"X","pid":1,"tid":2,"name":"n","ts":1,"dur":1}]'
    echo "{$event,\"metadata\":{\"os\":\"Linux\",\"cpus\":2,\"net\":{\"a\":[1]},\"none\":null}}" >a.json
    echo "{\"metadata\":{\"os\":\"Plan 9\"},$event}" >b.json
    tar cf run.tar a.json b.json
    merge run.tar
    [ "$(rows "SELECT substr(name, 17), coalesce(str_value, int_value) FROM metadata WHERE name LIKE '%.json_metadata.%'
        ORDER BY 1")" = 'tracemerge.file.1.json_metadata.cpus 2,tracemerge.file.1.json_metadata.net {"a":[1]},'\
'tracemerge.file.1.json_metadata.os Linux,tracemerge.file.2.json_metadata.os Plan 9' ]
    # After another merge the attributes are those that the merged file has about its files.
    cp m.pftrace once.pftrace
    merge once.pftrace
    [ "$(rows "SELECT substr(name, 17), str_value FROM metadata WHERE name LIKE '%.json_metadata.os' ORDER BY 1")" = \
        'tracemerge.file.0.file.1.json_metadata.os Linux,tracemerge.file.0.file.2.json_metadata.os Plan 9' ]
}

@test "functions of one name in two scripts are two frames, each with its file" {
    cat >p.json <<'END'
[{"ph":"P","id":"0x1","name":"Profile","cat":"v8","pid":2,"tid":3,"ts":50,"args":{"data":{"startTime":50}}},
 {"ph":"P","id":"0x1","name":"ProfileChunk","cat":"v8","pid":2,"tid":2,"ts":60,"args":{"data":{"cpuProfile":{"nodes":[
  {"id":1,"callFrame":{"functionName":"(root)"}},
  {"id":2,"parent":1,"callFrame":{"functionName":"i","url":"one.js"}},
  {"id":3,"parent":1,"callFrame":{"functionName":"i","url":"two.js"}}],"samples":[2,3,2]},"timeDeltas":[10,10,10]}}}]
END
    tm-merge -q -o p.pftrace p.json
    python3 "$TM_SRC/t/check/list-packets.py" -f 12.18.1 -f 12.18.2 p.pftrace | grep -o '12.18.1=.*' >paths
    printf '12.18.1=1 12.18.2=one.js\n12.18.1=2 12.18.2=two.js\n' | diff - paths
    # Frames: (root) without a file, i of one file, i of two; none is in a mapping.
    python3 "$TM_SRC/t/check/list-packets.py" -f 12.6.2 -f 12.6.3 -f 12.6.5 p.pftrace | grep -o '12.6.2=.*' | tr '\n' ' ' >frames
    [ "$(cat frames)" = '12.6.2=1 12.6.2=2 12.6.5=1 12.6.2=2 12.6.5=2 ' ]
    # A profile whose samples have addresses keeps its mappings and states lines.
    tm-merge -q -o i.pftrace "$TM_SRC/t/data/instruments.xml"
    python3 "$TM_SRC/t/check/list-packets.py" -f 12.6.3 -f 12.6.4 -f 12.6.5 -f 12.6.6 i.pftrace |
        grep -q ' 12.6.3=3 12.6.4=39320 12.6.4=31 12.6.4=16 12.6.5=1 12.6.6=39$'
}

@test "flow ids of a proto are not among the small numbers that readers give to flows of Chrome JSON" {
    python3 "$TM_SRC/t/gen/make-packets.py" >p.pftrace <<'LINES'
1 { 10: 1 13: 1 60 { 1: 5 4 { 1: 1 2: 2 } } }
1 { 8: 1000 10: 1 11 { 9: 1 11: 5 23: "out" 36: 1 } }
1 { 8: 2000 10: 1 11 { 9: 2 11: 5 } }
1 { 8: 3000 10: 1 11 { 9: 1 11: 5 23: "in" 47: 0x0000000000000001 } }
1 { 8: 4000 10: 1 11 { 9: 2 11: 5 } }
LINES
    echo '[{"ph":"X","pid":7,"tid":7,"name":"x","ts":1,"dur":1},{"ph":"s","pid":7,"tid":7,"id":1,"ts":1.5}]' >a.json
    merge p.pftrace a.json
    [ "$(rows "$FLOWS")" = "out in" ]
    run bash -c "tm-unpack m.pftrace | tm-emit -f frames | grep -o 'flow_ids=[0-9]*' | sort -u"
    [ "${#lines[@]}" -eq 1 ]
    [ "${#output}" -gt 20 ]
    if [ -x "${TRACE_PROCESSOR:-}" ]; then
        run "$TRACE_PROCESSOR" -Q "$FLOWS" m.pftrace
        [[ "$output" == *'"out","in"' ]]
        [[ "$output" != *'"x","'* ]]
    fi
    # a merge of protos alone keeps them
    merge p.pftrace
    tm-unpack m.pftrace | tm-emit -f frames | grep -q 'flow_ids=1 '
}

@test "events at the largest time are in the merged trace" {
    echo '[{"ph":"X","ts":1,"dur":2,"pid":1,"tid":2,"name":"a"},
	{"ph":"i","ts":9223372036854775.807,"pid":1,"tid":2,"name":"last","s":"t"},
	{"ph":"B","ts":9223372036854775.807,"pid":1,"tid":2,"name":"open"}]' >a.json
    merge a.json
    run bash -o pipefail -c "tm-unpack m.pftrace | tm-emit -f frames | grep -o 'time_ns=9223372036854775807 .*kind=[a-z_]*'"
    [ "${#lines[@]}" -eq 2 ]
}

@test "a line that names a process is no event of a thread of that process" {
    printf '%s\n' '# tracer: nop' '  task-51 [000] .... 0.001000: tracing_mark_write: B|50|work' \
        '  task-51 [000] .... 0.001100: cpu_frequency: state=5000000000000 cpu_id=0' \
        '  other-60 [000] .... 0.001200: tracing_mark_write: S|60|async|7' \
        '  task-51 [000] .... 0.001300: tracing_mark_write: C|60|count|5000000000000' \
        '  task-51 [000] .... 0.001400: tracing_mark_write: F|60|async|7' >a.systrace
    python3 -c 'import json; print(json.dumps({"traceEvents": [], "systemTraceEvents": open("a.systrace").read()}))' >a.json
    for file in a.systrace a.json; do
        merge $file
        [ "$(rows "SELECT tid, pid FROM thread LEFT JOIN process USING (upid) WHERE tid != 0 ORDER BY tid, pid")" = \
            "50 50,51 50,60 60" ]
        [ "$(rows "SELECT ts, value FROM counter ORDER BY ts")" = "1100000 5000000000000.0,1300000 5000000000000.0" ]
    done
}

@test "a line that states no process is on the thread of the process that the document states" {
    printf '%s\n' '# tracer: nop' \
        '  task-51 [000] .... 0.001200: workqueue_execute_start: work struct 00000000abcd0001: function drain' \
        '  task-51 [000] .... 0.001250: tracing_mark_write: B|50|mark' \
        '  task-51 [000] .... 0.001260: tracing_mark_write: E' \
        '  task-51 [000] .... 0.001300: workqueue_execute_end: work struct 00000000abcd0001' \
        '  main-60 [000] .... 0.001400: workqueue_execute_start: work struct 00000000abcd0002: function flush' \
        '  main-60 [000] .... 0.001500: workqueue_execute_end: work struct 00000000abcd0002' >a.systrace
    python3 - <<'END'
import json
def event(name, pid, tid, ts, dur): return {'ph': 'X', 'name': name, 'pid': pid, 'tid': tid, 'ts': ts, 'dur': dur}
json.dump({'traceEvents': [event('outer', 50, 51, 1100, 400), event('first', 60, 60, 1350, 200)],
           'systemTraceEvents': open('a.systrace').read()}, open('a.json', 'w'))
END
    merge a.json
    # The rows of the reference importer.
    [ "$(rows "SELECT s.name, s.dur, s.depth, t.tid, p.pid FROM slice s JOIN thread_track k ON k.id = s.track_id
        JOIN thread t ON t.utid = k.utid JOIN process p ON p.upid = t.upid ORDER BY s.ts")" = \
        "outer 400000 0 51 50,drain 100000 1 51 50,mark 10000 2 51 50,first 200000 0 60 60,flush 100000 1 60 60" ]
    [ "$(rows "SELECT tid, pid FROM thread JOIN process USING (upid) WHERE tid != 0 ORDER BY utid")" = "50 50,51 50,60 60" ]
}

@test "readers merge asynchronous tracks of one name and no process with those of their own file alone" {
    cd "$BATS_TEST_TMPDIR"
    for n in 1 2; do
        cat >$n.json <<END
[{"ph": "b", "ts": ${n}0, "id2": {"global": "0x1"}, "cat": "c", "name": "load", "pid": 5, "tid": 5},
 {"ph": "b", "ts": ${n}1, "id2": {"global": "0x2"}, "cat": "c", "name": "load", "pid": 5, "tid": 5},
 {"ph": "b", "ts": ${n}2, "id2": {"global": "0x3"}, "cat": "c", "name": "draw", "pid": 5, "tid": 5},
 {"ph": "e", "ts": ${n}3, "id2": {"global": "0x3"}, "cat": "c", "name": "draw", "pid": 5, "tid": 5},
 {"ph": "e", "ts": ${n}4, "id2": {"global": "0x2"}, "cat": "c", "name": "load", "pid": 5, "tid": 5},
 {"ph": "e", "ts": ${n}5, "id2": {"global": "0x1"}, "cat": "c", "name": "load", "pid": 5, "tid": 5}]
END
    done
    keys() { python3 "$TM_SRC/t/check/list-packets.py" -f 60.2 -f 60.15 -f 60.17 "$1" | grep -o '60.2=[ld].*'; }
    tm-merge -q -o both.pftrace 1.json 2.json
    keys both.pftrace | sort | uniq -c | awk '{ print $1, $2, $3 }' | sort >got
    diff got - <<'END'
1 60.2=draw 60.15=3
1 60.2=draw 60.15=3
2 60.2=load 60.15=3
2 60.2=load 60.15=3
END
    [ "$(keys both.pftrace | grep -o '60.17=.*' | sort -u | wc -l)" = 4 ]
    tm-merge -q -o one.pftrace 1.json
    [ "$(keys one.pftrace | grep -c '60.1[57]')" = 0 ]
    tm-merge -q -o merged.db both.pftrace
    sqlite3 merged.db "SELECT s.name, k.name, s.dur FROM slice s JOIN track k ON k.id = s.track_id ORDER BY s.ts" >got
    diff got - <<'END'
load|load|5000
load|load|3000
draw|draw|1000
load|load|5000
load|load|3000
draw|draw|1000
END
}

@test "the name that a thread_descriptor of a proto states precedes that of a JSON document" {
    printf '%s\n' '1 { 10: 4 13: 1 44 { 1: 100 2: 101 5: "named by its sequence" } }' \
        '1 { 8: 1000 10: 4 11 { 9: 3 23: "a" } }' | python3 "$TM_SRC/t/gen/make-packets.py" >a.pftrace
    echo '[{"ph":"M","pid":100,"tid":101,"name":"thread_name","args":{"name":"named by JSON"}},
           {"ph":"M","pid":100,"tid":102,"name":"thread_name","args":{"name":"another"}},
           {"ph":"X","pid":100,"tid":101,"ts":2,"dur":1,"name":"b"},
           {"ph":"X","pid":100,"tid":102,"ts":3,"dur":1,"name":"c"}]' >b.json
    tar cf proto-first.tar a.pftrace b.json
    tar cf json-first.tar b.json a.pftrace
    for input in proto-first json-first; do
        merge $input.tar
        [ "$(rows 'SELECT tid, name FROM thread WHERE tid > 100 ORDER BY tid')" = \
          "101 named by its sequence,102 another" ]
    done
}
