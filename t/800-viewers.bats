#!/usr/bin/env bats
# t/check/viewers compares what a viewer shows. Tests with a viewer need it to be installed.

viewers() {
    python3 "$TM_SRC/t/check/viewers" -b "$TM_BIN" "$@"
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    echo '{"traceEvents":[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]}' >a.json
}

# An importer that answers each query with the rows of a file beside the trace, or of file "all".
fake() {
    cat >tp <<'PY'
#!/usr/bin/env python3
import sys
if sys.argv[1] == '-Q':
    print('"r"\n"["__intrinsic_odd","id"]"\n"["__intrinsic_odd","ts"]"')
    sys.exit()
side = 'merged' if '/merged.' in sys.argv[-1] else 'original'
rows = {}
for line in open('rows'):
    where, name, row = line.rstrip('\n').split(' ', 2)
    if where in (side, 'both'):
        rows.setdefault(name, []).append(row)
for line in open(sys.argv[2]):
    if line.startswith("SELECT '#"):
        name = line.split("'")[1]
        print('"m"\n"%s"\n\n"r"' % name)
        for row in rows.get(name[1:], []):
            print('"%s"' % row)
        print()
PY
    chmod +x tp
    cat >rows
}

@test "without an importer the check is skipped with a reason" {
    run env -u TRACE_PROCESSOR python3 "$TM_SRC/t/check/viewers" a.json
    [ "$status" -eq 0 ]
    [[ "$output" == "viewers: skipped: no TRACE_PROCESSOR"* ]]
}

@test "pids that are texts are compared by their names, and other numbers must be equal" {
    fake <<'END'
original TASKS [313,"Spans","process","m"]
original TASKS [7,"app","process","m"]
original slices [313,"x",313]
original slices [7,"y"]
merged TASKS [1073741825,"Spans","process","m"]
merged TASKS [8,"app","process","m"]
merged slices [1073741825,"x",1073741825]
merged slices [8,"y"]
END
    run viewers -t ./tp -f pftrace -v a.json
    [ "$status" -eq 1 ]
    [[ "$output" == *'- [7,"y"]'*'+ [8,"y"]'* ]]
    [[ "$output" != *'"x"'* ]]
}

@test "rows are compared as multisets, by class" {
    fake <<'END'
both FILES ["proto"]
both sched [1,2]
original flows ["a",1]
original flows ["a",1]
merged flows ["a",1]
merged flows ["b",1]
both odd [7]
END
    run viewers -t ./tp -v a.json
    [ "$status" -eq 1 ]
    grep -E '^sched +1 +0 +0 +0 +0 +1$' <<<"$output"
    grep -E '^flows +0 +1 +1 +1 +0 +2$' <<<"$output"
    grep -F '    a.json: 1 missing, 1 extra of 2' <<<"$output"
    grep -F '        - ["a",1]' <<<"$output"
    grep -F '        + ["b",1]' <<<"$output"
    grep -F '0 of 1 inputs show the same' <<<"$output"
    ! grep -E '^json' <<<"$output" || false
}

@test "an empty name counts as none, of a thread or process, and in JSON of any row" {
    fake <<'END'
both FILES ["json"]
original threads [5,"",7,1,0,""]
merged threads [5,null,7,1,0,""]
original processes ["","",null,""]
merged processes [null,null,null,""]
END
    run viewers -t ./tp -v a.json
    [ "$status" -eq 1 ]
    sed '/^json/,$d' <<<"$output" >pftrace
    sed -n '/^json/,$p' <<<"$output" >json
    grep -E '^threads +1 +0 ' pftrace
    grep -E '^processes +0 +1 ' pftrace
    grep -E '^threads +1 +0 ' json
    grep -E '^processes +1 +0 ' json
}

@test "t/viewers-limits has no line that covers all rows of an input in every class" {
    run grep -nE '"\*" .* (missing|extra) (\.|\.\*|\^|\^\\\[)$' "$TM_SRC/t/viewers-limits"
    [ "$status" -eq 1 ] || { echo "$output"; false; }
}

@test "equal rows are no difference, and stacks are compared by name whatever their ids" {
    fake <<'END'
both FILES ["json"]
original FRAMES [1,"f",4]
original CALLSITES [5,null,1]
original samples [3,"STACK",5]
merged FRAMES [2,"f",4]
merged CALLSITES [0,null,2]
merged samples [3,"STACK",0]
END
    run viewers -t ./tp a.json
    echo "$output"
    [ "$status" -eq 0 ]
    grep -E '^samples +1 +0 +0 +0 +0 +1$' <<<"$output"
    grep -E '^json' <<<"$output"
    grep -F '1 of 1 inputs show the same' <<<"$output"
}

@test "a limit explains the row that it matches, and no other" {
    fake <<'END'
both FILES ["proto"]
original metadata ["trace_size_bytes",7,""]
merged metadata ["trace_size_bytes",9,""]
original metadata ["else",1,""]
END
    run viewers -t ./tp -f pftrace a.json
    [ "$status" -eq 1 ]
    grep -E '^metadata +0 +1 +1 +0 +2 +2$' <<<"$output"
}

@test "a failing merge of a file that the importer reads is a difference" {
    fake <<'END'
both FILES ["proto"]
END
    echo '{"perfetto_manifest":{"version":9}}' >bad.json
    run viewers -t ./tp -v bad.json
    [ "$status" -eq 1 ]
    grep -E '^read at all +0 +1 +1 +0 ' <<<"$output"
    grep -F 'version' <<<"$output"
}

@test "every limit has a reason in the line above, and its pattern compiles" {
    fake <<'END'
both FILES ["proto"]
END
    run viewers -t ./tp -f pftrace a.json
    [ "$status" -eq 0 ]
    grep -q '^[^#]' "$TM_SRC/t/viewers-limits"
}

@test "the importer shows the same rows of a small trace" {
    [ -x "${TRACE_PROCESSOR:-}" ] || skip "no TRACE_PROCESSOR is given"
    run viewers -t "$TRACE_PROCESSOR" -v -c slices -f pftrace,json a.json
    echo "$output"
    [ "$status" -eq 0 ]
}

# The input for the readers below: two files on two machines, with flows and counters.
two_machines() {
    cat >b.json <<'END'
{"traceEvents":[
{"name":"send","ph":"X","ts":10,"dur":5,"pid":1,"tid":1,"args":{"n":[1,{"k":"v"}]}},
{"name":"f","cat":"c","ph":"s","id":7,"ts":11,"pid":1,"tid":1},
{"name":"receive","ph":"X","ts":20,"dur":5,"pid":1,"tid":2},
{"name":"f","cat":"c","ph":"f","bp":"e","id":7,"ts":21,"pid":1,"tid":2},
{"name":"load","ph":"C","ts":12,"pid":1,"args":{"v":3}}]}
END
    tm-merge -q -o m."$1" --machine one=a.json --machine two=b.json a.json b.json
}

@test "attributes of a manifest and of a JSON document are those of the merged trace" {
    [ -n "${TRACE_PROCESSOR-}" ] || skip "no TRACE_PROCESSOR"
    echo '{"perfetto_manifest":{"version":1,"attributes":{"build":"main","run":7},"files":[
        {"path":"a.json","machine":{"name":"box"}}]}}' >manifest.json
    echo '{"traceEvents":[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}],"metadata":{"os":"Linux","cpus":2}}' >a.json
    tar cf run.tar manifest.json a.json
    run viewers -t "$TRACE_PROCESSOR" -f pftrace -c metadata run.tar
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"1 of 1 inputs show the same"* ]]
}

@test "Python and jq read merged JSON, with ids, pids and tids that doubles hold exactly" {
    two_machines json
    python3 - <<'PY'
import json
d = json.load(open('m.json'))
events = d['traceEvents']
for e in events:
    for k in 'pid', 'tid', 'id':
        assert k not in e or type(e[k]) is int and 0 <= e[k] < 1 << 53, e
pids = {e['name']: e['pid'] for e in events if e['ph'] == 'X'}
assert pids['a'] != pids['send'] == pids['receive'], pids
assert len({e['id'] for e in events if e['ph'] in 'sf'}) == 1
PY
    command -v jq >/dev/null || skip "jq is not installed"
    [ "$(jq -c '[.traceEvents[] | select(.ph == "X") | .name] | sort' m.json)" = '["a","receive","send"]' ]
    [ "$(jq -c '.traceEvents[] | select(.name == "send") | .args.n' m.json)" = '[1,{"k":"v"}]' ]
}

@test "protoc reads a merged Perfetto trace to its end" {
    command -v protoc >/dev/null || skip "protoc is not installed"
    two_machines pftrace
    protoc --decode_raw <m.pftrace >raw.txt
    grep -q '^1 {' raw.txt
    grep -q '"receive"' raw.txt
}

@test "speedscope reads merged JSON" {
    [ -n "${TM_SPEEDSCOPE:-}" ] || skip "TM_SPEEDSCOPE names no program that loads files by speedscope's importer"
    two_machines json
    run $TM_SPEEDSCOPE m.json
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *'"profiles":3,'* ]]
    [[ "$output" != *ERROR* ]]
}

@test "the viewer of chrome://tracing shows the slices of merged JSON" {
    [ -n "${TM_TRACE_VIEWER:-}" ] || skip "TM_TRACE_VIEWER names no folder with the viewer of chrome://tracing"
    command -v chromedriver >/dev/null || skip "chromedriver is not installed"
    two_machines json
    run python3 "$TM_SRC/t/check/trace-viewer" -t "$TM_TRACE_VIEWER" -b "$TM_BIN" m.json
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$output" = "m.json: 3 slices of threads, 0 others; 1 of 1 flows, 0 of 0 counter values, 0 warnings" ]
}

@test "the Perfetto UI shows the same tracks of an archive and of its merge" {
    [ -n "${TM_PERFETTO_UI:-}" ] || skip "TM_PERFETTO_UI names no folder with the Perfetto UI"
    [ -n "${TRACE_PROCESSOR-}" ] || skip "no TRACE_PROCESSOR"
    command -v chromedriver >/dev/null || skip "chromedriver is not installed"
    two_machines json
    echo '{"perfetto_manifest":{"version":1,"files":[{"path":"a.json","machine":{"name":"one"}},
        {"path":"b.json","machine":{"name":"two"}}]}}' >manifest.json
    tar cf run.tar manifest.json a.json b.json
    run python3 "$TM_SRC/t/check/perfetto-ui" -u "$TM_PERFETTO_UI" -t "$TRACE_PROCESSOR" -b "$TM_BIN" run.tar
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == "run.tar: "*" tracks, of merged.pftrace "*"; 0 and 0 import errors; 0 and 0 lines differ" ]]
}

database() {
    TM_BIN="$TM_BIN" python3 "$TM_SRC/t/check/database" "$@"
}

@test "the database check is skipped with a reason if there is no importer" {
    run env -u TRACE_PROCESSOR python3 "$TM_SRC/t/check/database" a.json
    [ "$status" -eq 0 ]
    [[ "$output" == "database: skipped: no TRACE_PROCESSOR"* ]]
}

@test "the database check compares rows of importer and database, and stores the importer's answers" {
    fake <<'END'
both FILES ["json"]
both slices ["a",null,1000,2000,0,null,1,null,""]
both flows ["a",1,1,"b",1,1]
END
    mkdir kept
    run database -t ./tp -a kept -v a.json
    [ "$status" -eq 1 ]
    grep -E '^slices +1 +0 +0 +0 +0 +1$' <<<"$output"
    grep -E '^flows +0 +1 +1 +0 +0 +1$' <<<"$output"
    grep -F '        - ["a",1,1,"b",1,1]' <<<"$output"
    grep -E '^threads +0 +1 +0 +1 +0 +0$' <<<"$output"
    grep -F '        + [1,null,1,1,0,""]' <<<"$output"
    [ "$(ls kept | wc -l)" -eq 1 ]
    : >rows
    [ "$(database -t ./tp -a kept -v a.json)" = "$output" ]
}
