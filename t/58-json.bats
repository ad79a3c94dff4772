#!/usr/bin/env bats
# The merged Chrome JSON: valid, exact, and the same slices when it is merged again.

json() { # PYTHON-EXPRESSION over d, the merged object
    python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); e = d["traceEvents"]; print(eval(sys.argv[2]))' \
        "$BATS_TEST_TMPDIR/m.json" "$1"
}

setup() {
    cd "$BATS_TEST_TMPDIR"
}

@test "the demo archive and its merged.json have the same slices" {
    run python3 "$TM_SRC/t/roundtrip" -f json -m "$TM_BIN/tm-merge" "$TM_SRC/doc/examples/phone-watch-app.tar"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "objects pass through byte for byte but for what must change" {
    printf '%s' '[{"ph":"X", "pid":1,"tid": 2,"name":"a\u00e9\n","ts":1.0005,"dur":0.1234567,"unknown":[1, {"ts":7}]}]' >x.json
    tm-merge -o m.json x.json
    grep -qF '{"ph":"X", "pid":1,"tid": 2,"name":"a\u00e9\n","ts":1.001,"dur":0.1234567,"unknown":[1, {"ts":7}]}' m.json
}

@test "machines with one pid stay apart, files of one machine share it, ids never meet" {
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
      "['x, a.json', 'x, b.json', 'y, c.json']" ]
}

@test "what all files say stays at the top, the rest is kept by file" {
    for f in 1 2; do
        echo '{"schemaVersion":1,"rank":'$f',"traceEvents":[{"ph":"X","pid":1,"tid":1,"name":"n","ts":1,"dur":1}]}' >$f.json
    done
    tar cf in.tar 1.json 2.json
    tm-merge -o m.json in.tar
    [ "$(json '(d["schemaVersion"], d["files"]["1.json"], d["files"]["2.json"])')" = "(1, {'rank': 1}, {'rank': 2})" ]
}

@test "names that are no UTF-8, and quotes, make valid JSON" {
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

@test "--rebase counts from the first event on" {
    tm-merge --rebase -o m.json "$TM_SRC/doc/examples/phone-watch-app.tar"
    [ "$(json 'min(x["ts"] for x in e if "ts" in x)')" = 0 ]
    [ "$(json '[x["ts"] for x in e if x.get("name") == "run requested"]')" = "[51250.5]" ]
}
