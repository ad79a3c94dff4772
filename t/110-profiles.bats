# Profiles: Instruments XML and Firefox (Gecko) JSON, as rows of the stream.

setup() {
    cd "$BATS_TEST_TMPDIR"
    . "$TM_SRC/t/lib/common.bash"
    data=$TM_SRC/t/data
}

@test "Instruments: samples, threads, stacks by reference, counters, snapshots and accounts are rows of the stream" {
    frames_anywhere "$data/instruments.xml" >got
    diff -u "$data/instruments.frames" got
}

@test "Instruments: the binary of a frame has its UUID as build id and its load address" {
    sed 's/UUID="0" arch/UUID="31E1C182-E611-3883-97A3-4334A21C90BD" arch/' "$data/instruments.xml" >one.xml
    sed 's/UUID="0" arch/UUID="no hex" arch/' "$data/instruments.xml" >two.xml
    tm-merge -f jsonl --events one.xml >one
    tm-merge -f jsonl --events two.xml >two
    grep -q '"mapping":"/usr/lib/lib.dylib","rel_pc":16,"build_id":"31e1c182e611388397a34334a21c90bd","mapping_start":4096}' one
    grep -q '"mapping":"/usr/lib/lib.dylib","rel_pc":16,"mapping_start":4096}' two
    # An address below the start of the binary belongs to no binary.
    sed 's/addr="0x1010"/addr="0x10"/' one.xml >three.xml
    tm-merge -f jsonl --events three.xml >three
    grep -q '"mapping":"/usr/lib/lib.dylib","rel_pc":16,"build_id":"31e1c182e611388397a34334a21c90bd"}' three
}

@test "Instruments: a document after the profile is read as another file" {
    { cat "$data/instruments.xml"; printf '{"traceEvents":[{"ph":"i","ts":1,"pid":1,"tid":1,"name":"x"}]}'; } >both
    run bash -o pipefail -c 'tm-unpack both | tm-emit -f frames | grep -c "^@[0-9]* FileBegin"'
    [ "$status" -eq 0 ]
    [ "$output" -ge 2 ]
}

@test "Instruments: memory does not grow with the size of referenced elements" {
    only_unsanitized "a sanitized program takes address space without end"
    cat >make.py <<'EOF'
print('<?xml version="1.0"?>\n<trace-query-result><node>')
n, pad = 1, 'x' * 1000
for i in range(40000):
    stack = ''.join('<frame id="%d" name="%s%d"/>' % (n + k, pad, i) for k in range(3, 6))
    print('<row><sample-time id="%d">%d</sample-time><thread id="%d" fmt="t"><tid>%d</tid></thread>'
          '<backtrace id="%d">%s<frame ref="%d"/></backtrace></row>' % (n, i, n + 1, i % 7, n + 2, stack, n // 12 * 6 + 4))
    n += 6
print('</node></trace-query-result>')
EOF
    python3 make.py | (ulimit -v 100000; exec tm-unpack -) >out
    # The referenced frames are on disk by then.
    [ "$(tm-emit -f frames <out | tail -3 | grep -o 'function="x*[0-9]*"' | tr -d x | tail -4 | tr '\n' ' ')" = \
        'function="19999" function="39999" function="39999" function="39999" ' ]
}

@test "Gecko: times of both processes, samples, markers of all phases, text ids, accounts and hints are rows of the stream" {
    frames_anywhere --hints "$data/gecko.json" >got
    diff -u "$data/gecko.frames" got
}

@test "a process of a Firefox profile without a start is placed by the first one's, which is said" {
    thread='"threads":[{"name":"GeckoMain","tid":5,"pid":5,"stringTable":["f"],"frameTable":{"schema":{"location":0},"data":[[0]]},
        "stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0]]},"samples":{"schema":{"stack":0,"time":1},"data":[[0,7]]}}]'
    for start in '' '"startTime":3,'; do
        printf '{"meta":{"version":27,"startTime":1,"interval":1},"libs":[],%s,"processes":[{"meta":{%s"version":27,"interval":1},"libs":[],%s}]}' \
            "$thread" "$start" "${thread//5/6}" >p.json
        run --separate-stderr tm-merge -o p.db p.json
        [ "$status" -eq 0 ]
        echo "$stderr" >"said$start"
        sqlite3 p.db "SELECT tid, ts FROM cpu_profile_stack_sample JOIN thread USING (utid) ORDER BY tid" >"placed$start"
    done
    [ "$(cat placed)" = $'5|7000000\n6|7000000' ]
    [ "$(cat 'placed"startTime":3,')" = $'5|7000000\n6|9000000' ]
    grep -q '^tm-emit: warning: p.json: a process of the profile states no start; its times are assumed to count' said
    [ "$(cat 'said"startTime":3,')" = "" ]
}

@test "a thread keeps its name if its first event lies before the start of trace time" {
    printf '{"traceEvents":[{"ph":"i","ts":1,"pid":1,"tid":1,"name":"x"}]}' >base.json
    cp "$data/gecko.json" .
    sed 's/dev.perfetto.clock_sync/other/g' "$data/instruments.xml" >instruments.xml # a pinned file has no snapshots
    tm-merge -q --sync gecko.json=base.json-5ms -o gecko.db base.json gecko.json
    [ "$(sqlite3 gecko.db "SELECT t.name, p.name FROM thread t JOIN process p USING (upid) WHERE tid = 100")" = \
        "GeckoMain|Parent Process" ]
    tm-merge -q --sync instruments.xml=base.json-3ms -o instruments.db base.json instruments.xml
    [ "$(sqlite3 instruments.db "SELECT t.name, p.name FROM thread t JOIN process p USING (upid) WHERE tid = 501")" = \
        "Main Thread|App <x> (beta)" ]
    # The time of the definition is no event's.
    [ "$(sqlite3 gecko.db "SELECT start_ts FROM trace_bounds")" = 1000 ]
}

@test "Gecko: the preprocessed format is read, with its shared tables after the threads" {
    frames_anywhere "$data/gecko-processed.json" >got
    diff -u "$data/gecko-processed.frames" got
}

@test "Gecko: gzip, and a document after the profile, are read" {
    { cat "$data/gecko.json"; cat "$data/gecko-processed.json"; } | gzip >both.gz
    tm-unpack both.gz | tm-emit -f frames >got
    [ "$(grep -c 'FileBegin .*type="gecko"' got)" -eq 2 ]
    [ "$(grep -c 'kind=sample' got)" -eq $(($(grep -c 'kind=sample' "$data/gecko.frames") + $(grep -c 'kind=sample' "$data/gecko-processed.frames"))) ]
}

@test "Gecko: a profile in an unknown form is read as Chrome JSON" {
    printf '{"metadata":{},"traceEvents":[]}' >x.json
    tm-unpack x.json | tm-emit -f frames | grep -q 'FileBegin .*type="json"'
}

@test "Gecko: markers that cross others of their name all become slices" {
    cat >cross.json <<'EOF'
{"meta":{},"threads":[{"pid":1,"tid":1,"name":"t","stringArray":["m"],"stackTable":{"frame":[0],"prefix":[null]},
 "markers":{"name":[0,0,0],"startTime":[1,2,4],"endTime":[3,5,6],"phase":[1,1,1],"category":[0,0,0]}}]}
EOF
    tm-merge -o x.db cross.json
    [ "$(sqlite3 x.db "SELECT s.ts || ' ' || s.dur || ' ' || s.depth || ' ' || t.tid FROM slice s
        JOIN thread_track tt ON s.track_id = tt.id JOIN thread t USING (utid) ORDER BY s.ts" | tr '\n' ,)" = \
        "1000000 2000000 0 1,2000000 3000000 0 1,4000000 2000000 0 1," ]
}

@test "Gecko: memory is that of the paged tables" {
    only_unsanitized "a sanitized program takes address space without end"
    cat >make.py <<'EOF'
print('{"meta":{},"threads":[{"pid":1,"tid":1,"name":"t","samples":{"schema":{"stack":0,"time":1},"data":[')
n = 100000
print(',\n'.join('[%d, %d.%06d]' % (i * 7919 % n, i, i) for i in range(n)))
print(']},"stackTable":{"schema":{"prefix":0,"frame":1},"data":[')
print(',\n'.join('[null, %d]' % (n - 1 - i) for i in range(n)))
print(']},"frameTable":{"schema":{"location":0},"data":[')
print(',\n'.join('[%d]' % i for i in range(n)))
print(']},"stringTable":[' + ','.join('"%s%d"' % ('x' * 1000, i) for i in range(n)) + ']}]}')
EOF
    python3 make.py | (ulimit -v 150000; exec tm-unpack -) | tm-emit -f frames >out
    python3 - <<'EOF'
import re
n, seen = 100000, 0
for line in open('out'):
    m = re.search(r'time_ns=(\d+) .*function="x*(\d+)"', line)
    if m:
        i = int(m[1]) // 1000000
        assert int(m[1]) == i * 1000000 + i and int(m[2]) == n - 1 - i * 7919 % n, line[:80]
        seen += 1
assert seen == n, seen
EOF
}

@test "Firefox: processed profiles without phases and ids of threads and processes are read" {
    cat >old.json <<'END'
{"meta": {"interval": 1, "processType": 0, "startTime": 0, "version": 3, "preprocessedProfileVersion": 3},
 "threads": [
  {"name": "GeckoMain", "processType": "default", "libs": [],
   "frameTable": {"length": 1, "func": [0], "address": [-1], "category": [null], "implementation": [null], "line": [null]},
   "funcTable": {"length": 1, "name": [0], "resource": [-1], "address": [-1], "isJS": [false]},
   "resourceTable": {"length": 0, "type": [], "name": [], "lib": []},
   "stackTable": {"length": 1, "prefix": [null], "frame": [0]},
   "samples": {"length": 2, "stack": [0, 0], "time": [1, 2]},
   "markers": {"length": 3, "name": [1, 1, 2], "time": [3, 5, 6], "data": [
     {"type": "tracing", "category": "Paint", "interval": "start"}, {"type": "tracing", "category": "Paint", "interval": "end"},
     {"type": "UserTiming", "startTime": 4, "endTime": 7}]},
   "stringArray": ["(root)", "Reflow", "measure"]},
  {"name": "Compositor", "processType": "default", "libs": [],
   "samples": {"length": 0, "stack": [], "time": []}, "markers": {"length": 1, "name": [0], "time": [8], "data": [null]},
   "stringArray": ["Vsync"]}]}
END
    tm-merge -q -f csv old.json | tail -n +2 | cut -d, -f1-4 >got
    diff -u - got <<'END'
1000000,,sample,
2000000,,sample,
3000000,2000000,slice,Reflow
4000000,3000000,slice,measure
8000000,0,instant,Vsync
END
    tm-merge -q --events -f jsonl old.json | jq -r 'select(.kind == "sample") | .tid' | sort | uniq -c | grep -q '^ *2 [1-9]'
}

@test "Firefox: members of payloads are arguments; a number is a string only where the schema of its type declares it" {
    cat >markers.json <<'EOF'
{"meta":{"categories":[],"markerSchema":[{"name":"B","data":[{"key":"s","format":"unique-string"}]}]},
"threads":[{"pid":1,"tid":2,"stringTable":["f","main","m"],
"markers":{"schema":{"name":0,"startTime":1,"endTime":2,"phase":3,"data":4},"data":[
[2,1,9,0,{"type":"A","s":1,"x":[1,{"y":-2.5}]}],
[2,2,9,0,{"s":1,"type":"B","x":[1,{"y":null}]}],
[2,3.000001,9.5,1,{"type":"A","s":1,"x":[null,3]}],7,
[2, 4 ,9,0],[2,5,9,0,"text"],[2,6e0,-1,0,{"type":"A","s":1,"x":[],"z":"\u0041"}],
[2,7,9,0,{"type":"A","s\u0000t":1}],[2,8,9,0,{"type":"B","s\u0000t":1}]]}}]}
EOF
    tm-unpack markers.json | tm-emit -f jsonl --events 2>errors | grep -v '"definition"' >got
    sed 's/"name":.*"position"/"position"/' got | diff -u - <(cat <<'EOF'
{"kind":"instant","ts":1000000,"position":4,"args":{"data.type":"A","data.s":1,"data.x[0]":1,"data.x[1].y":-2.5}}
{"kind":"instant","ts":2000000,"position":5,"args":{"data.s":"main","data.type":"B","data.x[0]":1}}
{"kind":"slice","ts":3000001,"dur":6499999,"position":6,"args":{"data.type":"A","data.s":1,"data.x[0]":3}}
{"kind":"instant","ts":4000000,"position":7}
{"kind":"instant","ts":5000000,"position":8}
{"kind":"instant","ts":6000000,"position":9,"args":{"data.type":"A","data.s":1,"data.z":"A"}}
{"kind":"instant","ts":7000000,"position":10,"args":{"data.type":"A","data.s\u0000t":1}}
{"kind":"instant","ts":8000000,"position":11,"args":{"data.type":"B","data.s\u0000t":1}}
EOF
    )
    tm-unpack markers.json | tm-emit -f frames | grep 'Account .* reason="damaged" count=1'
}

@test "Firefox: the main thread is the one that has the number of its process, as in the reference" {
    cat >a.json <<'END'
{"meta":{"startTime":1000,"version":27,"interval":1,"processType":0},"libs":[],"processes":[],"threads":[{"name":"GeckoMain",
"isMainThread":true,"pid":77,"tid":1234,"registerTime":0,"processType":"default","samples":{"schema":{"stack":0,"time":1},
"data":[[0,5]]},"stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0]]},"frameTable":{"schema":{"location":0},
"data":[[0]]},"stringTable":["main"]},{"name":"GeckoMain","isMainThread":true,"pid":78,"tid":78,"registerTime":0,
"processType":"default","samples":{"schema":{"stack":0,"time":1},"data":[[0,5]]},"stackTable":{"schema":{"prefix":0,
"frame":1},"data":[[null,0]]},"frameTable":{"schema":{"location":0},"data":[[0]]},"stringTable":["main"]}]}
END
    tm-merge -q -o a.db a.json
    same_text "$(sqlite3 a.db "SELECT tid, name, is_main_thread FROM thread WHERE tid > 1 ORDER BY tid")" \
        $'77||1\n78|GeckoMain|1\n1234|GeckoMain|0'
}
