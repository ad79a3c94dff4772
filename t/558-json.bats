#!/usr/bin/env bats
# The merged Chrome JSON is valid and exact, and has the same slices when it is merged again.

load lib/common

json() { # PYTHON-EXPRESSION over d, the merged object
    python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); e = d["traceEvents"]; print(eval(sys.argv[2]))' \
        "$BATS_TEST_TMPDIR/m.json" "$1"
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    cat >events.py <<'PY' # writes packets; the first one states that track 5 is thread 2 of process 1
import sys
def v(n):
    out = b''
    while True:
        n, b = n >> 7, n & 127
        out += bytes([b | 128 if n else b])
        if not n:
            return out
f = lambda i, b: v(i << 3 | 2) + v(len(b)) + b
n = lambda i, x: v(i << 3) + v(x)
packet = lambda b: sys.stdout.buffer.write(f(1, n(10, 1) + b))
packet(f(60, n(1, 5) + f(4, n(1, 1) + n(2, 2))) + n(13, 1))
PY
}

@test "the demo archive and its merged.json have the same slices" {
    run python3 "$TM_SRC/t/check/roundtrip" -f json -m "$TM_BIN/tm-merge" "$TM_SRC/doc/examples/phone-watch-app.tar"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "objects pass through byte for byte except for values that must change" {
    printf '%s' '[{"ph":"X", "pid":1,"tid": 2,"name":"a\u00e9\n","ts":1.0005,"dur":0.1234567,"unknown":[1, {"ts":7}]}]' >x.json
    tm-merge -o m.json x.json
    grep -qF '{"ph":"X", "pid":1,"tid": 2,"name":"a\u00e9\n","ts":1.001,"dur":0.1234567,"unknown":[1, {"ts":7}]}' m.json
}

@test "machines with one pid are separate, files of one machine share it, and ids of files are distinct" {
    for f in a b c; do
        echo '[{"ph":"b","cat":"k","id":"0x1","pid":7,"tid":7,"name":"n","ts":1},{"ph":"e","cat":"k","id":"0x1","pid":7,"tid":7,"name":"n","ts":2}]' >$f.json
    done
    echo '{"perfetto_manifest":{"version":1,"files":[{"path":"a.json","machine":{"name":"x"}},
        {"path":"b.json","machine":{"name":"x"}},{"path":"c.json","machine":{"name":"y"}}]}}' >manifest.json
    tar cf in.tar manifest.json a.json b.json c.json
    tm-merge -o m.json in.tar
    [ "$(json 'len({x["pid"] for x in e})')" = 2 ]
    [ "$(json 'len({x["id"] for x in e if x["ph"] == "b"})')" = 3 ]
    [ "$(json 'sorted(x["args"]["labels"] for x in e if x.get("name") == "process_labels")')" = \
      "['x, a.json', 'x, b.json', 'y, c.json, pid 7']" ]
}

@test "members that all files share stay at the top, and the others are stored by file" {
    for f in 1 2; do
        echo '{"schemaVersion":1,"rank":'$f',"traceEvents":[{"ph":"X","pid":1,"tid":1,"name":"n","ts":1,"dur":1}]}' >$f.json
    done
    tar cf in.tar 1.json 2.json
    tm-merge -o m.json in.tar
    [ "$(json '(d["schemaVersion"], d["files"]["1.json"], d["files"]["2.json"])')" = "(1, {'rank': 1}, {'rank': 2})" ]
}

@test "attributes of the manifest are in the member of the merge" {
    echo '{"perfetto_manifest":{"version":1,"attributes":{"build":"a\"b","run":-12}}}' >manifest.json
    echo '[{"ph":"X","pid":1,"tid":1,"name":"n","ts":1,"dur":1}]' >a.json
    tar cf in.tar manifest.json a.json
    tm-merge -o m.json in.tar
    [ "$(json 'd["tracemerge"]')" = "{'manifest_attributes': {'build': 'a\"b', 'run': -12}}" ]
    # They are beside the number of events that have no form.
    echo '# tracer: nop
 a-5 (    5) [001] d..2     1.000000: sched_waking: comm=b pid=7 prio=120 target_cpu=001' >b.txt
    tar cf in.tar manifest.json a.json b.txt
    tm-merge -q -o m.json in.tar
    [ "$(json 'd["tracemerge"]["manifest_attributes"]["run"]')" = -12 ]
    [ "$(json 'd["tracemerge"]["events_without_json_form"]')" = 1 ]
    [ "$(json 'd["tracemerge"]["left_out"]')" = "{'b.txt': {'sched_waking': 1}}" ]
}

@test "a displayTimeUnit stays at the top if all files that have one agree" {
    events='"traceEvents":[{"ph":"X","pid":1,"tid":1,"name":"n","ts":1,"dur":1}]'
    echo "{\"displayTimeUnit\":\"ns\",$events}" >1.json
    echo "{$events}" >2.json
    echo "{$events,\"displayTimeUnit\":\"ns\"}" >3.json
    echo "{\"displayTimeUnit\":\"ms\",$events}" >4.json
    tar cf in.tar 2.json 1.json 3.json
    tm-merge -o m.json in.tar
    [ "$(json '(d["displayTimeUnit"], d.get("files"))')" = "('ns', None)" ]
    tar cf in.tar 2.json 1.json 4.json
    tm-merge -o m.json in.tar
    [ "$(json '(d.get("displayTimeUnit"), d["files"])')" = \
        "(None, {'1.json': {'displayTimeUnit': 'ns'}, '4.json': {'displayTimeUnit': 'ms'}})" ]
}

# If each member were compared with each other one, this would take minutes.
@test "the time for the members of the top level grows with their number, in one file and in many" {
    local keys files
    keys=$(drawn 100000) files=$(drawn 2000)
    mkdir files
    python3 - "$keys" "$files" <<'PY'
import json, sys
keys, files = map(int, sys.argv[1:])
event = {"ph": "X", "pid": 1, "tid": 1, "name": "n", "ts": 1, "dur": 1}
json.dump({"traceEvents": [event], **{f"key{i}": i for i in range(keys)}}, open("one.json", "w"))
for i in range(files):
    json.dump({"traceEvents": [event], "name": i, "same": 7, **{f"key{k}": i for k in range(20)}},
              open(f"files/{i}.json", "w"))
PY
    cpu_seconds 120 tm-merge -q -o m.json one.json
    [ "$(json "d['key$((keys - 1))']")" = $((keys - 1)) ]
    cpu_seconds 120 tm-merge -q -o m.json files/*.json
    [ "$(json '(len(d["files"]), d["same"], "name" in d, d["files"]["files/17.json"]["key19"])')" = \
        "($files, 7, False, 17)" ]
}

# Ends have the names of their slices, up to the depth that the reference shows. Ends whose names fit no slice look only at
# these: if they looked at all open slices, this would take minutes.
@test "slices on a track nest as deep as in the reference, and ends that fit none cost no more than others" {
    tracks() { # DEPTH ENDS NAME [THREAD]: slices x0, x1, ... of category c, then ends with NAME, on a track or thread
        PYTHONPATH=$TM_SRC/t/gen python3 - "$@" <<'PY'
import sys
from wire import field, message
depth, ends, name, start = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], 10**9
def packet(*fields): sys.stdout.buffer.write(field(1, message((10, 5), *fields)))
packet((6, field(1, message((1, 6), (2, start))) + field(1, message((1, 3), (2, start)))))
packet((13, 1), (60, message((1, 7), (2, "t")) if len(sys.argv) < 5 else message((1, 7), (4, message((1, 7), (2, 7))))))
for i in range(depth):
    packet((8, start + i), (13, 2), (11, message((9, 1), (23, f"x{i}"), (22, "c"), (11, 7))))
for i in range(ends):
    packet((8, start + depth + i), (13, 2), (11, message((9, 2), (23, name or None), (11, 7))))
PY
    }
    tracks 600 601 '' >deep.pb
    tm-merge -q -o m.json deep.pb
    [ "$(json '[x["name"] for x in e if x["ph"] == "b"] == [f"x{i}" for i in range(600)]')" = True ]
    [ "$(json '[x.get("name") for x in e if x["ph"] == "e"][:89]')" = "$(python3 -c 'print([None] * 88 + ["x511"])')" ]
    [ "$(json '[x.get("name") for x in e if x["ph"] == "e"][-2:]')" = "['x1', 'x0']" ]
    [ "$(json 'd["tracemerge"]["events_without_json_form"]')" = 1 ]
    local ends
    ends=$(drawn 80000)
    tracks "$ends" "$ends" other >many.pb
    cpu_seconds 60 tm-merge -q -o m.json many.pb
    [ "$(json 'sum(x["ph"] == "e" and x["name"] == "other" for x in e), d["tracemerge"]["events_without_json_form"]')" = \
        "($((ends - 512)), 512)" ]
    ends=$(drawn 200000)
    tracks "$ends" "$ends" other thread >many.pb
    cpu_seconds 60 tm-merge -q -o m.json many.pb
    [ "$(json 'sum(x["ph"] == "B" for x in e)')" = "$ends" ]
}

@test "names that are not UTF-8, and quotes, give valid JSON" {
    printf '# tracer: nop\n  a"\\b\xff-100 (  100) [001] ..... 10.000009: tracing_mark_write: B|100|w"\\\xfe\n' >t.systrace
    tm-merge -o m.json t.systrace
    [ "$(json 'len([x for x in e if x["ph"] == "B"])')" = 1 ]
}

@test "an ending of .gz or .zst compresses any output that is a stream of bytes" {
    in=$TM_SRC/doc/examples/phone-watch-app.tar
    for format in json pftrace txt; do
        tm-merge -o m.$format "$in"
        tm-merge -o m.$format.gz "$in"
        tm-merge -o m.$format.zst "$in"
        gzip -dc m.$format.gz | cmp - m.$format
        tm-merge -o again.db m.$format.zst 2>err || [ $format = txt ]
    done
    [ "$(od -An -tx1 -N4 m.json.zst)" = " 28 b5 2f fd" ]
    run tm-merge -o m.db.gz "$in"
    [ "$status" -eq 2 ]
    ln -s /dev/full full.json.gz
    run tm-merge -o full.json.gz "$in"
    [ "$status" -eq 3 ]
}

@test "--rebase counts times from the first event on" {
    tm-merge --rebase -o m.json "$TM_SRC/doc/examples/phone-watch-app.tar"
    [ "$(json 'min(x["ts"] for x in e if "ts" in x)')" = 0 ]
    [ "$(json '[x["ts"] for x in e if x.get("name") == "run requested"]')" = "[51250.5]" ]
}

@test "events of two files on one thread do not close each other's slices" {
    printf '%s\n' '# tracer: nop' \
        '  app-100 (  100) [000] ..... 10.000010: tracing_mark_write: B|100|outer of a' \
        '  app-100 (  100) [000] ..... 10.000012: tracing_mark_write: B|100|empty of a' \
        '  app-100 (  100) [000] ..... 10.000012: tracing_mark_write: E|100' \
        '  app-100 (  100) [000] ..... 10.000012: tracing_mark_write: S|100|once|7' \
        '  app-100 (  100) [000] ..... 10.000013: tracing_mark_write: S|100|once|7' \
        '  app-100 (  100) [000] ..... 10.000014: tracing_mark_write: F|100|once|7' \
        '  app-100 (  100) [000] ..... 10.000030: tracing_mark_write: E|100' \
        '  app-100 (  100) [000] ..... 10.000031: tracing_mark_write: B|100|never ends' >a.systrace
    printf '%s\n' '# tracer: nop' \
        '  app-100 (  100) [000] ..... 10.000015: tracing_mark_write: B|100|crosses a' \
        '  app-100 (  100) [000] ..... 10.000016: tracing_mark_write: B|100|same times' \
        '  app-100 (  100) [000] ..... 10.000016: tracing_mark_write: B|100|same times, within' \
        '  app-100 (  100) [000] ..... 10.000020: tracing_mark_write: E|100' \
        '  app-100 (  100) [000] ..... 10.000020: tracing_mark_write: E|100' \
        '  app-100 (  100) [000] ..... 10.000040: tracing_mark_write: E|100' \
        '  app-100 (  100) [000] ..... 10.000041: tracing_mark_write: E|100' >b.systrace
    tar cf in.tar a.systrace b.systrace
    run python3 "$TM_SRC/t/check/roundtrip" -f json -m "$TM_BIN/tm-merge" in.tar
    echo "$output"
    [ "$status" -eq 0 ]
    tm-merge -o m.json in.tar
    [ "$(json '[x["name"] for x in e if x["ph"] == "B"]')" = "['never ends']" ]
    [ "$(json '[x["name"] for x in e if x["ph"] == "X" and "same" in x["name"]]')" = "['same times', 'same times, within']" ]
    [ "$(json 'd["tracemerge"]')" = "{'events_without_json_form': 1, 'left_out': {'b.systrace': {'slice_end': 1}}}" ]
}

@test "--json-args unpacks only arguments of these names" {
    printf '%s' '[{"ph":"X","name":"n","ts":1,"dur":1,"pid":1,"tid":1,"args":{"trace_id":"t1","other":"o1",
        "trace":{"Id":5,"x":6},"list":[1,{"seq":7}],"Seq":8,"ids":9}}]' >a.json
    tm-unpack --no-raw --json-args=traceID,seq a.json | tm-emit -f frames >frames
    grep -o 'key="[^"]*"' frames | tr '\n' ' ' | grep -x 'key="args.trace_id" key="args.trace.Id" key="args.list\[1\].seq" key="args.Seq" '
    cp a.json b.json
    tm-unpack --no-raw --json-args=traceID,seq -j 2 a.json b.json | tm-emit -f frames >frames
    [ "$(grep -c 'key="args.Seq" int_value=8' frames)" -eq 2 ]
    ! grep 'other' frames || false
    run tm-unpack --json-args=a,, a.json
    [ "$status" -eq 2 ]
    [[ "$output" == *"--json-args: 'a,,' is not a list of up to 64 names"* ]]
}

@test "a reused pid is another process" {
    printf '%s\n' '# tracer: nop' \
        '  app-100 (  100) [000] ..... 10.000010: tracing_mark_write: S|100|open|7' \
        '  sh-7 (    7) [000] d..2. 10.000030: sched_process_free: comm=old pid=100 prio=120' \
        '  sh-7 (    7) [000] d..2. 10.000040: task_newtask: pid=100 comm=sh clone_flags=1200011 oom_score_adj=0' \
        '  app-100 (  100) [000] ..... 10.000050: tracing_mark_write: F|100|open|7' \
        '  app-100 (  100) [000] ..... 10.000051: tracing_mark_write: S|100|open|7' >k.systrace
    tar cf in.tar k.systrace
    run python3 "$TM_SRC/t/check/roundtrip" -f json -m "$TM_BIN/tm-merge" in.tar
    echo "$output"
    [ "$status" -eq 0 ]
    tm-merge -o m.json in.tar
    [ "$(json 'len({x["pid"] for x in e if x["ph"] == "b"})')" = 2 ]
    [ "$(json '[x["args"]["labels"] for x in e if x["name"] == "process_labels" and "pid" in x["args"]["labels"]]')" = \
      "['k.systrace, pid 100']" ]
}

@test "an end that closes another than the innermost slice ends those within it too, unless nothing follows" {
    # Track events of thread 2 of process 1: B outer, B middle, B inner, E outer, E inner; an instant; B outer, B inner,
    # E outer with an argument, a flow step of another thread and E inner, which is too late; B outer, B inner, E outer.
    python3 - <<'PY' >t.pftrace
from events import *
import struct
packet(f(60, n(1, 6) + f(4, n(1, 1) + n(2, 3))))
flow = v(47 << 3 | 1) + struct.pack('<Q', 8)
arg = f(4, f(10, b'why') + n(4, 7))
for ts, kind, name, more in ((1000, 1, b'outer', b''), (2000, 1, b'middle', b''), (3000, 1, b'inner', b''), (4000, 2, b'outer', b''),
                             (4000, 2, b'inner', b''), (5000, 3, b'i', b''), (6000, 1, b'outer', b''), (7000, 1, b'inner', b''),
                             (8000, 2, b'outer', arg + flow), (8500, 3, b'other', flow), (9000, 2, b'inner', b''), (10000, 1, b'outer', b''),
                             (11000, 1, b'inner', b''), (12000, 2, b'outer', b'')):
    packet(n(8, ts) + f(11, n(9, kind) + n(11, 6 if name == b'other' else 5) + f(23, name) + more))
PY
    run python3 "$TM_SRC/t/check/roundtrip" -f json -m "$TM_BIN/tm-merge" t.pftrace
    echo "$output"
    [ "$status" -eq 0 ]
    tm-merge -o m.json t.pftrace
    [ "$(json 'sorted((x["ts"], x["ph"], x["name"], x.get("dur")) for x in e if x["ph"] in "BEXi")')" = \
      "[(1, 'X', 'outer', 3), (2, 'X', 'middle', 2), (3, 'X', 'inner', 1), (5, 'i', 'i', None), (6, 'X', 'outer', 2), \
(7, 'X', 'inner', 1), (8.5, 'X', 'other', 0), (10, 'X', 'outer', 2), (11, 'B', 'inner', None)]" ]
    # The end begins the flow, although its slice is written after the next event of the flow.
    [ "$(json 'sorted((x["ts"], x["args"] if "args" in x else 0, x["bind_id"], x.get("flow_in"), x.get("flow_out")) for x in e if "bind_id" in x)')" = \
      "[(6, {'why': 7}, 8, None, True), (8.5, 0, 8, True, True)]" ]
}

@test "an end on a track of a process ends the slices within its own too, and an end without a begin has no form" {
    # Track events of a track of process 1: E; B outer, B inner, B last, E outer, E last, an instant; E inner, which is too
    # late; B outer, B inner, E outer.
    python3 - <<'PY' >t.pftrace
from events import *
packet(f(60, n(1, 9) + f(3, n(1, 1) + f(6, b'app'))))
packet(f(60, n(1, 6) + n(5, 9) + f(2, b'track')))
for ts, kind, name in ((500, 2, b'early'), (1000, 1, b'outer'), (2000, 1, b'inner'), (3000, 1, b'last'), (4000, 2, b'outer'), (4000, 2, b'last'),
                       (5000, 3, b'i'), (5500, 2, b'inner'), (6000, 1, b'outer'), (7000, 1, b'inner'), (8000, 2, b'outer')):
    packet(n(8, ts) + f(11, n(9, kind) + n(11, 6) + f(23, name)))
PY
    run python3 "$TM_SRC/t/check/roundtrip" -f json -m "$TM_BIN/tm-merge" t.pftrace
    echo "$output"
    [ "$status" -eq 0 ]
    tm-merge -o m.json t.pftrace
    [ "$(json '[(x["ts"], x["ph"], x["name"]) for x in e if x["ph"] in "ben"]')" = \
      "[(1, 'b', 'outer'), (2, 'b', 'inner'), (3, 'b', 'last'), (4, 'e', 'outer'), (4, 'e', 'last'), (4, 'e', 'inner'), (5, 'n', 'i'), \
(6, 'b', 'outer'), (7, 'b', 'inner'), (8, 'e', 'outer')]" ]
    [ "$(json 'd["tracemerge"]["events_without_json_form"]')" = 2 ]
}

@test "slices within one that ended become begins with it when too many bytes are open" {
    # Track events of thread 2 of process 1: B outer, B inner, E outer, and at this time slices with 65 MB of names.
    python3 - <<'PY' >t.pftrace
from events import *
for ts, kind, name in [(1000, 1, b'outer'), (2000, 1, b'inner'), (3000, 2, b'outer')] + [(3000, 1, b'%03d' % i + b'x' * 650000) for i in range(105)] + [(9000, 3, b'i')]:
    packet(n(8, ts) + f(11, n(9, kind) + n(11, 5) + f(23, name)))
PY
    tm-merge -o m.json t.pftrace
    [ "$(json '[(x["ph"], x["ts"], x.get("dur")) for x in e if x.get("name") in ("outer", "inner", "i")]')" = \
      "[('B', 2, None), ('X', 1, 2), ('i', 9, None)]" ]
    [ "$(json 'sum(x["ph"] == "B" for x in e)')" = 106 ]
}

@test "an end closes the slice of its category, and a slice without a name matches every end" {
    # Track events of thread 2 of process 1: B a of k, B, E of any category named x, E of l, E of k.
    python3 - <<'PY' >t.pftrace
from events import *
for ts, kind, name, category in ((1000, 1, b'a', b'k'), (2000, 1, b'', b''), (3000, 2, b'x', b''), (4000, 2, b'', b'l'), (5000, 2, b'', b'k')):
    packet(n(8, ts) + f(11, n(9, kind) + n(11, 5) + (f(23, name) if name else b'') + (f(22, category) if category else b'')))
PY
    run python3 "$TM_SRC/t/check/roundtrip" -f json -m "$TM_BIN/tm-merge" t.pftrace
    echo "$output"
    [ "$status" -eq 0 ]
    tm-merge -o m.json t.pftrace
    [ "$(json '[(x["ph"], x["name"], x["ts"], x["dur"]) for x in e if x["ph"] in "BEX"]')" = "[('X', '', 2, 1), ('X', 'a', 1, 4)]" ]
}

@test "the first slice of a thread has an empty name, and an empty category if it has one" {
    python3 - <<'PY' >t.pftrace
from events import *
packet(f(60, n(1, 6) + f(4, n(1, 1) + n(2, 3))))
packet(n(8, 1000) + f(11, n(9, 1) + n(11, 5)))
packet(n(8, 2000) + f(11, n(9, 2) + n(11, 5)))
packet(n(8, 3000) + f(11, n(9, 1) + n(11, 6) + f(22, b'')))
PY
    tm-merge -o m.json t.pftrace
    [ "$(json '[(x["ph"], x.get("name"), x.get("cat")) for x in e if x["ph"] in "BX"]')" = "[('X', '', None), ('B', '', '')]" ]
}

@test "events without a form in JSON are a warning by file and kind, and no failure" {
    printf '%s\n' '# tracer: nop' \
        '  app-100 (  100) [000] ..... 10.000010: sched_waking: comm=app pid=100 prio=120 target_cpu=000' \
        '  app-100 (  100) [000] ..... 10.000011: tracing_mark_write: E|100' >k.systrace
    bash -o pipefail -c 'tm-unpack k.systrace | tm-manifest | tm-clocks | tm-sort >s'
    run tm-emit --strict -f json -o m.json <s
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "tm-emit: warning: k.systrace: 1 event of kind slice_end has no form in json" ]
    [ "${lines[1]}" = "tm-emit: warning: k.systrace: 1 event of kind sched_waking has no form in json" ]
    run tm-emit -q -f json -o m.json <s
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "the output has the same bytes with the positions of values that tm-unpack writes and without them" {
    local i=0 e
    for e in '"ph":"X","ts":1.5,"dur":1,"pid":7,"tid":7,"name":"x"' \
        '"id":"0x1","pid" : 7,"ph":"b","cat":"k","tid":7,"ts" :"2.25","name":"n","id2":{"local":5}' \
        '"ph":"e","ts":3,"id2":{"global":"g","local":"l"},"cat":"k","pid":7,"tid":7,"name":"n"' \
        '"ph":"n","id":18,"bind_id":"0x5","ts":4,"pid":"text","tid":"t","name":"q\"","cat":"k"' \
        '"ts":5,"ph":"X","pid":1,"pid":7,"dur":2,"tid":7,"name":"twice"' \
        '"t\u0073":6,"ph":"i","s":"g","args":{"ts":1,"pid":2},"name":"escaped key"' \
        '"ph":"C","ts":7,"pid":7,"name":"c","args":{"a":1,"b":2}' '"ph":"M","ts":null,"pid":7,"name":"process_name","args":{"name":"p"}' \
        '"ph":"M","ts":8,"pid":7,"tid":7,"name":"thread_name","args":{"name":"t"}' '"ph":"N","ts":9.001,"id":[1],"pid":null,"name":"kept"' \
        '"ph":"s","ts":10,"id":3,"pid":7,"tid":7,"name":"f","cat":"k"' '"ph":"I","ts":11,"name":"nowhere"'; do
        echo "[{$e}]" >$((++i)).json
    done
    bash -o pipefail -c 'tm-unpack --no-json-detail ?.json ??.json | tm-emit -f frames' >frames
    [ "$(grep -c 'json={ spots=' frames)" = 11 ]
    bash -o pipefail -c 'tm-unpack --no-json-detail ?.json ??.json | tm-manifest | tm-clocks | tm-sort | tm-emit -f json' >noted.json
    cat noted.json
    bash -o pipefail -c 'tm-unpack ?.json ??.json | tm-manifest | tm-clocks | tm-sort | tm-emit -f json' >read.json
    cmp read.json noted.json
    mv read.json m.json
    [ "$(json '(len(e) > 12, [x["ts"] for x in e if x.get("name") == "escaped key"], [x["id2"] for x in e if x["ph"] == "e"])')" = \
      "(True, [6], [{'global': $((1 << 52)), 'local': $(((1 << 52) + 1))}])" ]
}

@test "slices of files that cross on one thread keep their times, on tids that name their owner" {
    echo '[{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"main"}},
        {"ph":"B","pid":1,"tid":2,"name":"a","ts":1},{"ph":"E","pid":1,"tid":2,"ts":5},
        {"ph":"X","pid":1,"tid":2,"name":"alone","ts":20,"dur":1}]' >a.json
    echo '[{"ph":"B","pid":1,"tid":2,"name":"b","ts":3},{"ph":"s","id":1,"pid":1,"tid":2,"name":"f","cat":"f","ts":4},
        {"ph":"E","pid":1,"tid":2,"ts":9},{"ph":"B","pid":1,"tid":2,"name":"alone","ts":10},{"pid":1,"ph":"E","tid":2,"ts":11}]' >b.json
    tar cf in.tar a.json b.json
    run python3 "$TM_SRC/t/check/roundtrip" -f json -m "$TM_BIN/tm-merge" in.tar
    echo "$output"
    [ "$status" -eq 0 ]
    tm-merge -o m.json in.tar
    [ "$(json '[(x["ph"], x["ts"], x["tid"]) for x in e if x["ph"] != "M"]')" = "[('B', 1, 2), ('B', 3, 1610612736), \
('s', 4, 1610612736), ('E', 5, 2), ('E', 9, 1610612736), ('B', 10, 1610612736), ('E', 11, 1610612736), ('X', 20, 2)]" ]
    [ "$(json '[x["args"]["name"] for x in e if x["ph"] == "M" and x["tid"] == 1610612736]')" = "['main (tid 2, part 2)']" ]
}

@test "files that share a thread have the same slices in merged.json" {
    local seeds
    seeds=$(drawn 25)
    mkdir in
    for_seeds 1 "$seeds" make-meetings.py m%
    for_seeds 1 "$seeds" make-collisions.py c%
    for seed in $(seq 1 "$seeds"); do
        (cd m$seed && tar cf ../in/m$seed.tar *)
        (cd c$seed && tar cf ../in/c$seed.tar *)
    done
    run python3 "$TM_SRC/t/check/roundtrip" -f json -m "$TM_BIN/tm-merge" in/*.tar
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "$((2 * seeds)) passed, 0 failed, 0 skipped" ]
}

@test "crossing begins and ends, and those of one time, have the same slices in merged.json" {
    local seeds
    seeds=$(drawn 60)
    mkdir in
    for_seeds 1 "$seeds" make-meetings.py w% wild
    for seed in $(seq 1 "$seeds"); do
        [ $((seed % 4)) -eq 0 ] || rm w$seed/d.systrace # depth and flows are compared too
        (cd w$seed && tar cf ../in/w$seed.tar *)
    done
    run python3 "$TM_SRC/t/check/roundtrip" -f json -m "$TM_BIN/tm-merge" in/*.tar
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "$seeds passed, 0 failed, 0 skipped" ]
}

@test "files that use a thread one after the other stay on it, and one that overlapped keeps its lane" {
    echo '[{"ph":"B","pid":1,"tid":2,"name":"a","ts":1},{"ph":"E","pid":1,"tid":2,"ts":5},
        {"ph":"X","pid":1,"tid":2,"name":"late","ts":30,"dur":10}]' >a.json
    echo '[{"ph":"B","pid":1,"tid":2,"name":"b","ts":5},{"ph":"E","pid":1,"tid":2,"ts":9},
        {"ph":"X","pid":1,"tid":2,"name":"in a","ts":31,"dur":1},{"ph":"i","s":"t","pid":1,"tid":2,"name":"i","ts":50}]' >b.json
    tar cf in.tar a.json b.json
    run python3 "$TM_SRC/t/check/roundtrip" -f json -m "$TM_BIN/tm-merge" in.tar
    echo "$output"
    [ "$status" -eq 0 ]
    tm-merge -o m.json in.tar
    [ "$(json '[(x["ts"], x["tid"]) for x in e if x["ph"] != "M"]')" = "[(1, 2), (5, 2), (5, 2), (9, 2), (30, 2), \
(31, 1610612736), (50, 1610612736)]" ]
}

@test "processes of two machines with one text as pid keep it as their name and get different numbers" {
    for f in a b; do
        echo '[{"ph":"X","pid":"Spans","tid":1,"name":"n","ts":1,"dur":1}]' >$f.json
    done
    echo '{"perfetto_manifest":{"version":1,"files":[{"path":"a.json","machine":{"name":"x"}},
        {"path":"b.json","machine":{"name":"y"}}]}}' >manifest.json
    tar cf in.tar manifest.json a.json b.json
    tm-merge -o m.json in.tar
    [ "$(json '[x["args"]["name"] for x in e if x["ph"] == "M" and x["name"] == "process_name"]')" = "['Spans', 'Spans']" ]
    [ "$(json 'sorted({type(x["pid"]).__name__ for x in e}), len({x["pid"] for x in e})')" = "(['int'], 2)" ]
    [ "$(json '[x["args"]["labels"] for x in e if x["ph"] == "M" and x["name"] == "process_labels"]')" = "['x, a.json', 'y, b.json']" ]
}

@test "stack frames are one table, and sf, esf, parent and samples follow changed ids" {
    echo '{"traceEvents":[{"ph":"X","pid":1,"tid":1,"name":"a","ts":1,"dur":5,"sf":1,"esf":"2","args":{"sf":1}}],
        "stackFrames":{"1":{"name":"main","category":"k"},"2":{"name":"fa","parent":1}},
        "samples":[{"cpu":0,"tid":1,"ts":10.5,"name":"cycles","sf":2,"weight":1}]}' >a.json
    echo '{"traceEvents":[{"ph":"B","pid":2,"tid":1,"name":"b","ts":11,"sf":"2"},{"ph":"E","pid":2,"tid":1,"ts":12,"sf":1}],
        "stackFrames":{"1":{"name":"start"},"2":{"name":"fb","parent":"1"}},"samples":[{"tid":1,"ts":"20","sf":1}]}' >b.json
    echo '{"traceEvents":[{"ph":"X","pid":3,"tid":1,"name":"c","ts":21,"dur":1,"sf":1}]}' >c.json
    echo '{"perfetto_manifest":{"version":1,"files":[{"path":"a.json"},
        {"path":"b.json","clocks":{"sync_to":{"file":"a.json"},"offset_ns":1500}}]}}' >manifest.json
    tar cf in.tar manifest.json a.json b.json c.json
    tm-merge -o m.json in.tar
    [ "$(json '[(x["name"], x["sf"], x.get("esf"), x.get("args")) for x in e if x["ph"] in "XB"]')" = \
      "[('a', '2:1', '2:2', {'sf': 1}), ('b', '3:2', None, None), ('c', '4::1', None, None)]" ]
    [ "$(json '[x["sf"] for x in e if x["ph"] == "E"]')" = "['3:1']" ]
    [ "$(json 'd["stackFrames"]')" = "{'2:1': {'name': 'main', 'category': 'k'}, '2:2': {'name': 'fa', 'parent': '2:1'}, \
'3:1': {'name': 'start'}, '3:2': {'name': 'fb', 'parent': '3:1'}}" ]
    [ "$(json '[(x["ts"], x["sf"]) for x in d["samples"]]')" = "[(10.5, '2:2'), (21.5, '3:1')]" ]
    tm-merge --rebase -o m.json in.tar
    [ "$(json '[x["ts"] for x in d["samples"]]')" = "[9.5, 20.5]" ]

    # Ids that do not collide, and equal tables, stay unchanged.
    sed -i 's/"1":{"name":"start"}/"7":{"name":"start"}/; s/"2":{"name":"fb"/"8":{"name":"fb"/' b.json
    cp a.json d.json
    tar cf in.tar a.json b.json d.json
    tm-merge -o m.json in.tar
    [ "$(json 'sorted(d["stackFrames"])')" = "['1', '2', '7', '8']" ]
    [ "$(json '[x["sf"] for x in e if x["ph"] in "XB"]')" = "[1, 1, '2']" ]
    [ "$(json 'd["stackFrames"]["8"]["parent"]')" = 1 ]
    tm-merge -o again.json m.json
    [ "$(sed -n '/stackFrames/,$p' again.json)" = "$(sed -n '/stackFrames/,$p' m.json)" ]
}

@test "references to objects follow changed ids and pids, also inside snapshots" {
    local f
    for f in a b; do
        echo '[{"ph":"N","id":"0x1","cat":"c","name":"Obj","pid":1,"tid":1,"ts":1},
            {"ph":"O","id":"0x1","cat":"c","name":"Obj","pid":1,"tid":1,"ts":2,"args":{"snapshot":{"id":"Obj/0x1","b":"id_ref",
            "a":[{"id_ref":"0x2","scope":"s"},{"x":{ "idRef" : 3,"pid_ref":1}},{"id":"n/In/0x2"},{"id":5}]}}},
            {"args":{"linked_id":"0x2"},"ph":"=","id":"0x1","cat":"c","pid":1,"tid":1,"ts":2},
            {"ph":"X","pid":1,"tid":1,"name":"r","ts":3,"dur":1,"args":{"o":{"id_ref":"0x1"},"id":"Obj/0x1"}}]' >$f.json
    done
    echo '{"perfetto_manifest":{"version":1,"files":[{"path":"a.json"},{"path":"b.json","machine":{"name":"y"}}]}}' >manifest.json
    tar cf in.tar manifest.json a.json b.json
    tm-merge -o m.json in.tar
    [ "$(json '[(x["id"], x["args"]["snapshot"]["id"]) for x in e if x["ph"] == "O"]')" = \
      "[(10737418241, 'Obj/10737418241'), (15032385537, 'Obj/15032385537')]" ]
    [ "$(json '[x["args"]["snapshot"]["a"] for x in e if x["ph"] == "O"][1]')" = \
      "[{'id_ref': 15032385538, 'scope': 's'}, {'x': {'idRef': 12884901891, 'pid_ref': 1342177280}}, {'id': 'n/In/15032385538'}, {'id': 5}]" ]
    [ "$(json '[x["args"]["linked_id"] for x in e if x["ph"] == "="]')" = "[10737418242, 15032385538]" ]
    [ "$(json '[x["args"] for x in e if x["ph"] == "X"]')" = \
      "[{'o': {'id_ref': 10737418241}, 'id': 'Obj/0x1'}, {'o': {'id_ref': 15032385537}, 'id': 'Obj/0x1'}]" ]
    tm-merge -o m.json a.json
    grep -qF '"a":[{"id_ref":"0x2","scope":"s"},{"x":{ "idRef" : 3,"pid_ref":1}},{"id":"n/In/0x2"},{"id":5}]' m.json
}

@test "lanes of a merged file belong to it when it is merged with others" {
    echo '[{"ph":"B","pid":1,"tid":2,"name":"a","ts":100},{"ph":"E","pid":1,"tid":2,"ts":105}]' >a.json
    echo '[{"ph":"B","pid":1,"tid":2,"name":"b","ts":103},{"ph":"E","pid":1,"tid":2,"ts":109}]' >b.json
    tar cf ab.tar a.json b.json
    tm-merge -o ab.json ab.tar
    for f in c d; do
        echo '[{"ph":"B","pid":1,"tid":2,"name":"'$f'","ts":1},{"ph":"E","pid":1,"tid":2,"ts":104}]' >$f.json
    done
    tar cf in.tar ab.json c.json d.json
    tm-merge -o m.json in.tar
    [ "$(json 'len({x["tid"] for x in e if x["ph"] == "B"}), len([x for x in e if x["ph"] == "B"])')" = "(4, 4)" ]
    [ "$(json '[x["tid"] for x in e if x.get("name") == "b"]')" = "[1610612736]" ]
}

@test "JSON without a list of events is a warning and no failure" {
    echo '{"nodes":[],"samples":[]}' >profile.json
    echo '{"traceEvents":[]}' >empty.json
    tar cf in.tar profile.json empty.json
    run tm-merge -o m.db in.tar
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "tm-emit: warning: profile.json: a JSON object without traceEvents has no events \
(a manifest begins with {\"perfetto_manifest\")" ]
    [ "${#lines[@]}" -eq 1 ]
    run tm-merge -q -o m.db in.tar
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    run bash -o pipefail -c 'tm-unpack in.tar | tm-manifest | tm-clocks | tm-sort | tm-emit -q -f report'
    [[ "$output" == *"tm_json_without_events = 1 (error, host, profile.json)"* ]]
}

@test "events without a list around them, one on each line, are a trace, which another document ends" {
    printf '{"name":"%s","ph":"X","pid":1,"tid":1,"ts":1,"dur":5}\n' a b c >lines.json
    cp lines.json more.json
    echo '{"traceEvents":[{"ph":"X","pid":2,"tid":2,"name":"d","ts":1,"dur":5}]}' >>more.json
    tm-merge --strict -o m.json lines.json
    [ "$(json '[x["name"] for x in e if x["ph"] == "X"]')" = "['a', 'b', 'c']" ]
    cat lines.json | tm-merge --strict -f csv | tail -n +2 | cut -d, -f4 | paste -sd' ' | grep -x 'a b c'
    tm-merge -q -f csv more.json | tail -n +2 | cut -d, -f4 | paste -sd' ' | grep -x 'a b c d'
    [ "$(tm-unpack --list more.json | grep -c json)" -eq 2 ]
    head -c -10 lines.json >cut.json
    run tm-merge -f csv cut.json
    [ "$status" -eq 1 ]
    [ "$output" = "tm-unpack: cut.json: byte 149: the document is cut short (--on-damage=skip or salvage goes on)" ]
    tm-merge -q --on-damage=salvage -f csv cut.json | tail -n +2 | cut -d, -f4 | paste -sd' ' | grep -x 'a b'
}

@test "names of members are recognised in every spelling" {
    echo '{"stack\u0046rames":{"1":{"name":"a"}},"trace\u0045vents":[{"\u0070h":"b","cat":"k","i\u0064":"0x1","pi\u0064":7,"name":"n","t\u0073":1},
        {"ph":"X","pid":7,"tid":7,"ts":1,"dur":2,"name":"x","s\u0066":1}]}' >a.json
    echo '{"stackFrames":{"1":{"name":"b"}},"traceEvents":[{"ph":"b","cat":"k","id":"0x1","pid":7,"name":"n","ts":1}]}' >b.json
    echo '{"perfetto_manifest":{"version":1,"files":[{"path":"a.json","machine":{"name":"x"}},
        {"path":"b.json","machine":{"name":"y"}}]}}' >manifest.json
    tar cf in.tar manifest.json a.json b.json
    tm-merge -o m.json in.tar
    [ "$(json '[(x["id"], x["pid"]) for x in e if x["ph"] == "b"]')" = "[(10737418241, 7), (15032385537, 1342177280)]" ]
    [ "$(json '[x["sf"] for x in e if x["ph"] == "X"]')" = "['2:1']" ]
    [ "$(json 'sorted(d["stackFrames"])')" = "['2:1', '3:1']" ]
}

@test "times in the arguments of profiles move with their events" {
    echo '[{"ph":"X","pid":1,"tid":1,"name":"a","ts":100,"dur":5}]' >a.json
    echo '[{"ph":"P","id":"0x1","name":"Profile","cat":"v8","pid":2,"tid":2,"ts":50,"args":{"data":{"startTime":49.5}}},
        {"ph":"P","id":"0x1","name":"ProfileChunk","cat":"v8","pid":2,"tid":2,"ts":60,"args":{"data":{"cpuProfile":{"nodes":[
        {"id":1,"callFrame":{"functionName":"f"}}],"samples":[1,1]},"timeDeltas":[1,2],"endTime":60}}},
        {"ph":"c","name":"clock_sync","pid":2,"tid":2,"ts":55,"args":{"sync_id":"s","issue_ts":54,"startTime":7}},
        {"ph":"X","pid":2,"tid":2,"name":"b","ts":55,"dur":1,"args":{"startTime":49.5}}]' >b.json
    echo '{"perfetto_manifest":{"version":1,"files":[{"path":"a.json"},
        {"path":"b.json","clocks":{"sync_to":{"file":"a.json"},"offset_ns":1000250}}]}}' >manifest.json
    tar cf in.tar manifest.json a.json b.json
    run python3 "$TM_SRC/t/check/roundtrip" -f json -m "$TM_BIN/tm-merge" in.tar
    echo "$output"
    [ "$status" -eq 0 ]
    tm-merge -o m.json in.tar
    [ "$(json '[x["args"]["data"].get("startTime") or x["args"]["data"]["endTime"] for x in e if x["ph"] == "P"]')" = "[1049.75, 1060.25]" ]
    [ "$(json '[(x["args"]["issue_ts"], x["args"]["startTime"]) for x in e if x["ph"] == "c"]')" = "[(1054.25, 7)]" ]
    [ "$(json '[x["args"] for x in e if x.get("name") == "b"]')" = "[{'startTime': 49.5}]" ]
}

@test "a thread gets its name even if it becomes known after its slices" {
    printf '%s\n' '# tracer: nop' \
        '   <...>-100 (  100) [000] ..... 10.000010: tracing_mark_write: B|100|a' \
        '   <...>-100 (  100) [000] ..... 10.000020: tracing_mark_write: E|100' \
        '    sh-7 (    7) [000] d..2. 10.000030: sched_switch: prev_comm=sh prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=app next_pid=100 next_prio=120' \
        >k.systrace
    tm-merge -o m.json k.systrace
    [ "$(json '[x["args"]["name"] for x in e if x["ph"] == "M" and x["name"] == "thread_name" and x["tid"] == 100]')" = "['app']" ]
}

@test "flows of a proto are arrows in merged.json: the first event starts them, whenever its slice ends" {
    cd "$BATS_TEST_TMPDIR"
    python3 "$TM_SRC/t/gen/make-packets.py" >a.pftrace <<'END'
1 { 10: 1 13: 1 60 { 1: 12 4 { 1: 100 2: 101 } } }
1 { 60 { 1: 13 4 { 1: 100 2: 102 } } }
1 { 8: 1000 10: 1 11 { 9: 1 11: 12 23: "a" 47: 0x0000000000000005 } }
1 { 8: 2000 10: 1 11 { 9: 1 11: 13 23: "b" 47: 0x0000000000000005 } }
1 { 8: 3000 10: 1 11 { 9: 2 11: 13 } }
1 { 8: 4000 10: 1 11 { 9: 1 11: 13 23: "c" 48: 0x0000000000000005 } }
1 { 8: 5000 10: 1 11 { 9: 2 11: 13 } }
1 { 8: 5100 10: 1 11 { 9: 1 11: 13 23: "no start" 48: 0x0000000000000005 } }
1 { 8: 5200 10: 1 11 { 9: 2 11: 13 } }
1 { 8: 5300 10: 1 11 { 9: 1 11: 13 23: "again" 47: 0x0000000000000005 } }
1 { 8: 5400 10: 1 11 { 9: 2 11: 13 } }
1 { 8: 5500 10: 1 11 { 9: 1 11: 13 23: "end of it" 48: 0x0000000000000005 } }
1 { 8: 5600 10: 1 11 { 9: 2 11: 13 } }
1 { 8: 6000 10: 1 11 { 9: 1 11: 13 23: "d" 47: 0x0000000000000007 } }
1 { 8: 6500 10: 1 11 { 9: 2 11: 13 } }
1 { 8: 7000 10: 1 11 { 9: 1 11: 13 23: "never ends" 47: 0x0000000000000007 } }
1 { 8: 9000 10: 1 11 { 9: 2 11: 12 } }
END
    tm-merge -q -o a.json a.pftrace
    [ "$(jq -r '.traceEvents | sort_by(.ts)[] | "\(.name) \(.flow_in) \(.flow_out)"' a.json)" = 'a null true
b true true
c true null
no start null null
again null true
end of it true null
d null true
never ends true true' ]
    for name in a.pftrace a.json; do
        tm-merge -q -o a.db "$name"
        [ "$(sqlite3 a.db 'SELECT a.name, b.name FROM flow JOIN slice a ON a.id = slice_out JOIN slice b ON b.id = slice_in')" = \
            $'a|b\nb|c\nagain|end of it\nd|never ends' ]
    done
}

@test "all flows of a slice on a thread are arrows in merged.json: one is its bind_id, the others are events" {
    cd "$BATS_TEST_TMPDIR"
    # Slice a starts two flows; instant i ends one. Slices d and e start one each, which f ends. Nothing ends g and h.
    python3 "$TM_SRC/t/gen/make-packets.py" >a.pftrace <<'END'
1 { 10: 1 13: 1 60 { 1: 12 4 { 1: 100 2: 101 } } }
1 { 60 { 1: 13 4 { 1: 100 2: 102 } } }
1 { 60 { 1: 14 4 { 1: 100 2: 103 } } }
1 { 8: 1000 10: 1 11 { 9: 1 11: 12 23: "a" 47: 0x0000000000000005 47: 0x0000000000000006 } }
1 { 8: 1500 10: 1 11 { 9: 2 11: 12 } }
1 { 8: 2000 10: 1 11 { 9: 1 11: 13 23: "b" 48: 0x0000000000000005 } }
1 { 8: 2100 10: 1 11 { 9: 2 11: 13 } }
1 { 8: 3000 10: 1 11 { 9: 1 11: 14 23: "c" 47: 0x0000000000000006 } }
1 { 8: 3100 10: 1 11 { 9: 3 11: 14 23: "i" 48: 0x0000000000000006 } }
1 { 8: 3200 10: 1 11 { 9: 2 11: 14 } }
1 { 8: 4000 10: 1 11 { 9: 1 11: 12 23: "d" 47: 0x0000000000000007 } }
1 { 8: 4100 10: 1 11 { 9: 1 11: 13 23: "e" 47: 0x0000000000000008 } }
1 { 8: 4200 10: 1 11 { 9: 1 11: 14 23: "f" 48: 0x0000000000000007 48: 0x0000000000000008 } }
1 { 8: 4300 10: 1 11 { 9: 2 11: 14 } }
1 { 8: 4400 10: 1 11 { 9: 2 11: 13 } }
1 { 8: 4500 10: 1 11 { 9: 2 11: 12 } }
1 { 8: 5000 10: 1 11 { 9: 1 11: 12 23: "g" 47: 0x0000000000000008 } }
1 { 8: 5050 10: 1 11 { 9: 1 11: 14 23: "G" 47: 0x0000000000000006 } }
1 { 8: 5100 10: 1 11 { 9: 1 11: 13 23: "h" 48: 0x0000000000000008 48: 0x0000000000000006 } }
END
    tm-merge -q -o a.json a.pftrace
    for name in a.pftrace a.json; do
        tm-merge -q -o a.db "$name"
        [ "$(sqlite3 a.db 'SELECT a.name, b.name FROM flow JOIN slice a ON a.id = slice_out JOIN slice b ON b.id = slice_in
            ORDER BY a.ts, b.ts' | paste -sd,)" = 'a|b,a|c,c|i,d|f,e|f,g|h,G|h' ]
        [ "$(sqlite3 a.db "SELECT count(*) FROM slice")" = 10 ]
    done
    # A flow on a track without a thread has a bind_id alone, even after it was made of events.
    python3 "$TM_SRC/t/gen/make-packets.py" >b.pftrace <<'END'
1 { 10: 1 13: 1 60 { 1: 12 4 { 1: 100 2: 101 } } }
1 { 60 { 1: 20 2: "async" } }
1 { 8: 1000 10: 1 11 { 9: 1 11: 12 23: "a" 47: 0x0000000000000005 47: 0x0000000000000006 } }
1 { 8: 1500 10: 1 11 { 9: 2 11: 12 } }
1 { 8: 2000 10: 1 11 { 9: 1 11: 20 23: "b" 47: 0x0000000000000006 } }
1 { 8: 2100 10: 1 11 { 9: 2 11: 20 } }
1 { 8: 2200 10: 1 11 { 9: 1 11: 20 23: "c" 48: 0x0000000000000006 } }
1 { 8: 2300 10: 1 11 { 9: 2 11: 20 } }
END
    tm-merge -q -o b.json b.pftrace
    tm-merge -q -o b.db b.json
    [ "$(sqlite3 b.db 'SELECT a.name, b.name FROM flow JOIN slice a ON a.id = slice_out JOIN slice b ON b.id = slice_in')" = 'b|c' ]
}

@test "an instant that has a flow is an event of no length, because readers take flows of slices only" {
    cd "$BATS_TEST_TMPDIR"
    # Slice a starts flow 1, instant b ends it; instant c has no flow.
    python3 "$TM_SRC/t/gen/make-packets.py" >t.pftrace <<-'END'
	1 { 10: 4 13: 1 60 { 1: 5 4 { 1: 7 2: 8 } } }
	1 { 8: 2000 10: 4 11 { 9: 1 11: 5 23: "a" 47: 0x0000000000000001 } }
	1 { 8: 3000 10: 4 11 { 9: 2 11: 5 } }
	1 { 8: 4000 10: 4 11 { 9: 3 11: 5 23: "b" 48: 0x0000000000000001 } }
	1 { 8: 5000 10: 4 11 { 9: 3 11: 5 23: "c" } }
	END
    tm-merge -o m.json t.pftrace
    run jq -c '.traceEvents[] | select(.name | IN("a", "b", "c")) | [.name, .ph, .dur, .s, .flow_out, .flow_in]' m.json
    echo "$output"
    [ "$output" = '["a","X",1,null,true,null]
["b","X",0,null,null,true]
["c","i",null,"t",null,null]' ]
    tm-merge -o m.db m.json
    run sqlite3 m.db 'SELECT o.name, i.name FROM flow JOIN slice o ON o.id = slice_out JOIN slice i ON i.id = slice_in'
    [ "$output" = "a|b" ]
}

@test "an asynchronous event without a category has an empty one, because chrome://tracing shows none without" {
    cd "$BATS_TEST_TMPDIR"
    python3 "$TM_SRC/t/gen/make-packets.py" >t.pftrace <<-'END'
	1 { 8: 2000 10: 4 13: 1 11 { 9: 1 23: "a" 22: "c" } }
	1 { 8: 3000 10: 4 11 { 9: 1 23: "b" } }
	1 { 8: 4000 10: 4 11 { 9: 2 23: "b" } }
	1 { 8: 5000 10: 4 11 { 9: 2 } }
	1 { 8: 6000 10: 4 11 { 9: 3 23: "i" } }
	END
    tm-merge -o m.json t.pftrace
    run jq -c '.traceEvents[] | [.ph, .cat, .name]' m.json
    echo "$output"
    [ "$output" = '["b","c","a"]
["b","","b"]
["e","","b"]
["e","c","a"]
["n","","i"]' ]
}

@test "a slice that is open when its thread ends is not ended by the next thread with its tid" {
    # 700 is a process twice, 701 a thread of process 800 twice
    kernel <<'LINES'
1000 0 6 #235 1=700 2=one 3=0
1100 0 700 print 2=B|700|open
1200 0 6 #240 1=one 2=700
1300 0 6 #235 1=700 2=two 3=0
1400 0 700 print 2=B|700|second
1500 0 700 print 2=E|700
1600 0 700 print 2=E|700
2000 0 6 #235 1=800 2=app 3=0
2100 0 800 #235 1=701 2=early 3=0x10000
2200 0 701 print 2=B|800|open
2300 0 800 #235 1=701 2=late 3=0x10000
2400 0 701 print 2=B|800|third
2500 0 701 print 2=E|800
2600 0 701 print 2=E|800
LINES
    tm-merge -o m.json k.pftrace
    [ "$(json 'sorted((x["ph"], x["name"], x["ts"], x.get("dur")) for x in e if "ts" in x)')" = \
        "[('B', 'open', 1.1, None), ('B', 'open', 2.2, None), ('X', 'second', 1.4, 0.1), ('X', 'third', 2.4, 0.1)]" ]
    [ "$(json 'len({(x["pid"], x["tid"]) for x in e if "ts" in x})')" -eq 4 ]
}

@test "asynchronous markers beyond the limit of open ones are left out with their ends, and counted" {
    # 262144 markers are open when the last two begin; one of these begins again; then one of each kind ends.
    awk 'BEGIN {
            print "# tracer: nop"
            for (i = 0; i < 262146; i++) {
                printf " a-7 [000] .... %d.%06d: tracing_mark_write: S|7|m|%d\n", 1 + i / 1000000, i % 1000000, i
            }
            print " a-7 [000] .... 2.000000: tracing_mark_write: S|7|m|1"
            print " a-7 [000] .... 2.000001: tracing_mark_write: F|7|m|262145"
            print " a-7 [000] .... 2.000002: tracing_mark_write: F|7|m|1"
            print " a-7 [000] .... 2.000003: tracing_mark_write: S|7|m|262145" }' >a.txt
    tm-merge -o a.json a.txt 2>err
    [ "$(grep -c '"ph":"b"' a.json)" -eq 262145 ]
    [ "$(grep -c '"ph":"e"' a.json)" -eq 1 ]
    tail -n 1 a.json | grep -Fqx '"tracemerge":{"events_without_json_form":3,"left_out":{"a.txt":{"slice_begin":2,"slice_end":1}}}}'
    grep -q '2 events of kind slice_begin have no form in json' err
}

@test "an asynchronous marker is on the process and on the track that it names, whichever thread writes it" {
    # The importer shows for the text as for the document: job 300, a 200, b 200 and n 100 us long on tracks of processes
    # 60 and 100, and thread 51 in process 50.
    printf '%s\n' '# tracer: nop' \
        ' other-60 [000] .... 1.000000: tracing_mark_write: S|60|job|7' \
        ' wrk-51 [000] .... 1.000100: tracing_mark_write: B|50|w' \
        ' wrk-51 [000] .... 1.000200: tracing_mark_write: E|50' \
        ' wrk-51 [000] .... 1.000250: tracing_mark_write: C|60|left|3' \
        ' wrk-51 [000] .... 1.000300: tracing_mark_write: F|60|job|7' \
        ' t-100 [000] .... 1.000400: tracing_mark_write: S|100|a|5' \
        ' t-100 [000] .... 1.000500: tracing_mark_write: S|100|b|5' \
        ' t-100 [000] .... 1.000600: tracing_mark_write: F|100|a|5' \
        ' t-100 [000] .... 1.000700: tracing_mark_write: F|100|b|5' \
        ' t-100 [000] .... 1.000800: tracing_mark_write: G|100|track|n|5' \
        ' t-100 [000] .... 1.000900: tracing_mark_write: H|100|track|5' >a.txt
    tm-merge -o m.json a.txt
    [ "$(json '[x["tid"] for x in e if x["ph"] == "X"] + [x for x in e if x["tid"] == 51 and x["pid"] != 50]')" = '[51]' ]
    [ "$(json '[(x["pid"], x["tid"]) for x in e if x["ph"] == "C"]')" = '[(60, 60)]' ]
    json 'sorted((x["id2"]["local"] - 2**52, x["ph"], x.get("name"), x["pid"], x["tid"]) for x in e if "id2" in x)' >found
    want="[(0, 'b', 'job', 60, 60), (0, 'e', 'job', 60, 60), (1, 'b', 'a', 100, 100), (1, 'e', 'a', 100, 100),"
    want="$want (2, 'b', 'b', 100, 100), (2, 'e', 'b', 100, 100), (3, 'b', 'n', 100, 100), (3, 'e', None, 100, 100)]"
    [ "$(cat found)" = "$want" ] || { cat found; false; }
}

@test "a counter of a cpu is no task's that ran, and those of two cpus or two threads have different ids" {
    # The importer has a cpufreq for each cpu: 1000, 2000 and 1500 on cpu 0, 3000 on cpu 1; a clock of no process; a
    # counter for each thread of process 1, 7 and 9; and three of the process: 1 and 3, 2, and 4 without a name.
    printf '%s\n' '# tracer: nop' ' a-60 [000] .... 1.000000: cpu_frequency: state=1000 cpu_id=0' \
        ' b-51 [000] .... 1.000100: cpu_frequency: state=2000 cpu_id=0' \
        ' b-51 [001] .... 1.000200: cpu_frequency: state=3000 cpu_id=1' \
        ' <idle>-0 [000] .... 1.000300: cpu_frequency: state=1500 cpu_id=0' \
        ' a-60 [000] .... 1.000400: clock_set_rate: clk state=5 cpu_id=0' \
        ' b-51 [000] .... 1.000500: clock_set_rate: clk state=6 cpu_id=0' >a.txt
    tm-merge -o m.json a.txt
    want="[('Kernel', '0', 1000), ('Kernel', '0', 2000), ('Kernel', '1', 3000), ('Kernel', '0', 1500),"
    want="$want ('Kernel', None, 5), ('Kernel', None, 6)]"
    named='next(y["args"]["name"] for y in e if y["name"] == "process_name" and y["pid"] == x["pid"])'
    json "[($named, x.get('id'), x['args']['value']) for x in e if x['ph'] == 'C']" >found
    [ "$(cat found)" = "$want" ] || { cat found; false; }
    cat >>events.py <<'PY'
packet(f(60, n(1, 6) + f(4, n(1, 1) + n(2, 3))))
packet(f(60, n(1, 20) + f(3, n(1, 1))))
for track, parent, name in (7, 5, b'c'), (8, 6, b'c'), (9, 20, b'u'), (10, 20, b'u'), (11, 20, b''):
    packet(f(60, n(1, track) + n(5, parent) + f(2, name) * bool(name) + f(8, b'')))
for ts, track, value, name in (1, 7, 7, b''), (2, 8, 9, b'event'), (3, 9, 1, b''), (4, 10, 2, b''), (5, 9, 3, b''), (6, 11, 4, b'event'):
    packet(n(8, ts * 1000) + f(11, n(9, 4) + n(11, track) + n(30, value) + f(23, name) * bool(name)))
PY
    python3 events.py >t.pftrace
    tm-merge -o m.json t.pftrace
    json '[(x["name"], x["pid"], x.get("id"), x["args"]["value"]) for x in e if x["ph"] == "C"]' >found
    want="[('c', 1, '2', 7), ('c', 1, '3', 9), ('u', 1, None, 1), ('u', 1, '2', 2), ('u', 1, None, 3), ('counter', 1, None, 4)]"
    [ "$(cat found)" = "$want" ] || { cat found; false; }
}

@test "the processes of a machine's cpus and kernel state their machine and file, as others do" {
    for m in phone watch; do
        printf '%s\n' '# tracer: nop' ' a-60 [000] .... 1.000000: cpu_frequency: state=1000 cpu_id=0' \
            ' a-60 [000] .... 1.000100: sched_switch: prev_comm=a prev_pid=60 prev_prio=120 prev_state=S ==> next_comm=b next_pid=51 next_prio=120' \
            ' b-51 [000] .... 1.000200: sched_switch: prev_comm=b prev_pid=51 prev_prio=120 prev_state=S ==> next_comm=a next_pid=60 next_prio=120' >$m.txt
    done
    tm-merge -o m.json --machine phone=phone.txt --machine watch=watch.txt phone.txt watch.txt
    json '[next(y["args"]["labels"] for y in e if y["name"] == "process_labels" and y["pid"] == x["pid"])
        for x in e if x["name"] == "process_name" and x["args"]["name"] in ("Kernel", "Scheduling")]' >found
    [ "$(cat found)" = "['phone, phone.txt', 'watch, watch.txt', 'phone, phone.txt', 'watch, watch.txt']" ] || { cat found; false; }
}

@test "all facts of a line in systemTraceEvents are in the merged file: the name of its thread, and both its counters" {
    printf '%s\n' '# tracer: nop' '  task-51 (   50) [000] .... 0.001000: tracing_mark_write: B|50|work' \
        '  task-51 (   50) [000] .... 0.001100: cpu_frequency_limits: min=1000 max=2000 cpu_id=0' \
        '  task-51 (   50) [000] .... 0.002000: tracing_mark_write: E|50' >k.systrace
    python3 -c 'import json; print(json.dumps({"traceEvents": [{"ph": "X", "ts": 5, "dur": 1, "pid": 1, "tid": 1, "name": "x"}],
        "systemTraceEvents": open("k.systrace").read()}))' >k.json
    facts='sorted((x["ph"], x["name"], x["pid"], x["tid"], str(x.get("args"))) for x in e if x["name"] != "x")'
    tm-merge -o m.json k.systrace
    json "$facts" >want
    grep -q "Max Freq Limit.* Min Freq Limit.*'thread_name', 50, 51, .*'task'.*'work'" want
    tm-merge -o m.json k.json
    json "$facts" | diff want -
}

@test "each of 263,000 threads has its events and its name, in JSON and in rows" {
    python3 - "$TM_SRC/t/gen" >many.pftrace <<'PY'
import sys
sys.path.insert(0, sys.argv[1])
from wire import field
for i in range(263000):
    thread = field(1, 1) + field(2, i + 5) + field(5, 't%d' % i)
    sys.stdout.buffer.write(field(1, field(10, 1) + field(60, field(1, i + 10) + field(4, thread))) +
                            field(1, field(8, i) + field(10, 1) + field(11, field(9, 3) + field(11, i + 10))))
PY
    tm-merge -q -o many.json many.pftrace
    [ "$(grep -c '"ph":"M","name":"thread_name","pid":1,' many.json)" -eq 263000 ]
    [ "$(grep -c '"ph":"i".*"pid":1,' many.json)" -eq 263000 ]
    tm-merge -q -f jsonl many.pftrace | tail -n 1 | jq -c '[.pid, .tid, .thread]' | diff - <(echo '[1,263004,"t262999"]')
}

@test "counters of one name on one thread have different ids, and a track has the name that readers show" {
    python3 "$TM_SRC/t/gen/make-packets.py" >c.pftrace <<'END'
1 { 8: 1000 60 { 1: 1 4 { 1: 10 2: 11 } } }
1 { 8: 1000 60 { 1: 2 5: 1 2: "c" 8 { } } }
1 { 8: 1000 60 { 1: 3 5: 1 2: "c" 8 { } } }
1 { 8: 1000 60 { 1: 4 2: "first" 8 { } } }
1 { 8: 1000 60 { 1: 4 2: "again" 8 { } } }
1 { 8: 1000 60 { 1: 4 5: 1 2: "of another place" 8 { } } }
1 { 8: 1000 60 { 1: 5 2: "unmerged" 15: 2 8 { } } }
1 { 8: 1000 60 { 1: 5 2: "renamed" 15: 2 8 { } } }
1 { 8: 2000 10: 1 13: 1 11 { 9: 4 11: 2 30: 1 } }
1 { 8: 3000 10: 1 13: 2 11 { 9: 4 11: 3 30: 2 } }
1 { 8: 4000 10: 1 13: 2 11 { 9: 4 11: 4 30: 3 } }
1 { 8: 5000 10: 1 13: 2 11 { 9: 4 11: 5 30: 4 } }
END
    tm-merge -o c.json c.pftrace
    got=$(jq -c '.traceEvents[] | select(.ph == "C") | [.name, .id, .args.value]' c.json)
    same_text "$got" '["c","11",1]
["c","8589934603",2]
["first",null,3]
["renamed",null,4]'
}

@test "a track of one machine is not that of another machine in the file that has its uuid" {
    python3 "$TM_SRC/t/gen/make-packets.py" >m.pftrace <<'END'
1 { 8: 1000 60 { 1: 1 4 { 1: 10 2: 11 } } }
1 { 98: 7 8: 1000 60 { 1: 1 4 { 1: 20 2: 21 } } }
1 { 8: 2000 10: 1 13: 1 11 { 9: 3 11: 1 23: "here" } }
1 { 98: 7 8: 3000 10: 2 13: 1 11 { 9: 3 11: 1 23: "there" } }
END
    tm-merge -o m.json m.pftrace
    got=$(jq -c '.traceEvents[] | select(.ph == "i") | [.name, .pid, .tid]' m.json)
    same_text "$got" '["here",10,11]
["there",20,21]'
}

@test "the end of a marker without a process ends the slice that its thread began in a process" {
    printf '%s\n' '# tracer: nop' \
        '  one-51 (   50) [000] .... 1.000000: tracing_mark_write: B|50|first row of its thread' \
        '  one-51 (   50) [000] .... 1.000001: tracing_mark_write: E' \
        '  two-52 (   50) [000] .... 1.000002: sched_wakeup: comm=one pid=51 prio=120 target_cpu=000' \
        '  two-52 (   50) [000] .... 1.000003: tracing_mark_write: B|50|outer' \
        '  two-52 (   50) [000] .... 1.000004: tracing_mark_write: B|50|inner' \
        '  two-52 (   50) [000] .... 1.000006: tracing_mark_write: E' \
        '  <...>-53 (-----) [000] .... 1.000007: tracing_mark_write: B|50|unknown before' \
        '  two-52 (   50) [000] .... 1.000008: tracing_mark_write: E' \
        '  <...>-53 (-----) [000] .... 1.000010: tracing_mark_write: E' >a.txt
    tm-merge -o m.json a.txt 2>err
    json 'sorted((x["tid"], x["ph"], x["dur"], x["pid"], x["name"]) for x in e if x["ph"] in "BEX")' >found
    want="[(51, 'X', 1, 50, 'first row of its thread'), (52, 'X', 2, 50, 'inner'), (52, 'X', 5, 50, 'outer'),"
    want="$want (53, 'X', 3, 50, 'unknown before')]"
    [ "$(cat found)" = "$want" ] || { cat found; false; }
    [ "$(grep -c slice_end err)" -eq 0 ]
}

@test "tracks of two machines of one file that have one uuid and no process are two tracks" {
    cd "$BATS_TEST_TMPDIR"
    python3 "$TM_SRC/t/gen/make-packets.py" >t.pftrace <<-'END'
	1 { 8: 100 6 { 1 { 1: 6 2: 100 } } }
	1 { 98: 7 107 { 1 { 2 { 1 { 1: 6 2: 1 } } 3 { 1 { 1: 6 2: 1 } } } 1 { 2 { 1 { 1: 6 2: 1 } } 3 { 1 { 1: 6 2: 1 } } } } }
	1 { 8: 900 10: 4 13: 1 41: 1 }
	1 { 8: 900 10: 5 13: 1 41: 1 98: 7 }
	1 { 8: 901 10: 4 60 { 1: 5 2: "of the host" } }
	1 { 8: 902 10: 5 60 { 1: 5 2: "of machine 7" } 98: 7 }
	1 { 8: 1000 10: 4 13: 2 11 { 9: 1 11: 5 23: "a" } }
	1 { 8: 1100 10: 5 13: 2 11 { 9: 1 11: 5 23: "b" } 98: 7 }
	1 { 8: 1200 10: 4 13: 2 11 { 9: 2 11: 5 } }
	1 { 8: 1300 10: 5 13: 2 11 { 9: 2 11: 5 } 98: 7 }
	END
    tm-merge -q -o m.json t.pftrace
    jq -e '[.traceEvents[] | {name, id}] | unique | length == 2 and .[0].id != .[1].id' m.json
    tm-merge -q -o m.db m.json
    [ "$(sqlite3 m.db "SELECT name, ts, dur, depth FROM slice ORDER BY ts")" = $'a|1000|200|0\nb|1100|200|0' ]
}
