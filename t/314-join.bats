#!/usr/bin/env bats
# --join=flows: arrows from file to file.

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# Prints the arrows of a merge of the files after OPTIONS --: names of both slices, and the statistics of flows.
arrows() {
    rm -f merged.db
    tm-merge -q "$@" -o merged.db
    sqlite3 merged.db 'SELECT o.name, i.name FROM flow JOIN slice o ON o.id = slice_out JOIN slice i ON i.id = slice_in
        ORDER BY o.ts, i.ts; SELECT name, value FROM stats WHERE name LIKE "%flow%"'
}

# Prints the arrows in the merged Perfetto trace and in the merged JSON, read again.
again() {
    local f
    for f in pftrace json; do
        tm-merge -q "$@" -f $f -o merged.$f
        diff <(arrows merged.$f | sort) <(sort want)
    done
}

object() {
    printf '{"ph": "%s", "pid": %d, "tid": %d, "ts": %s, "name": "%s"%s}' "$@"
}

# A client that sends two requests and a server that answers. Both state the same ids.
rpc() {
    printf '[%s,\n%s,\n%s,\n%s]' "$(object X 1 1 10 ask ', "dur": 20')" \
        "$(object s 1 1 10 rpc ', "cat": "c", "id": "q1"')" "$(object X 1 1 50 "ask again" ', "dur": 20')" \
        "$(object s 1 1 50 rpc ', "cat": "c", "id": "q2"')" >client.json
    printf '[%s,\n%s,\n%s,\n%s]' "$(object X 2 2 15 answer ', "dur": 5')" \
        "$(object f 2 2 15 rpc ', "cat": "c", "id": "q1", "bp": "e"')" "$(object X 2 2 55 "answer again" ', "dur": 5')" \
        "$(object f 2 2 55 rpc ', "cat": "c", "id": "q2", "bp": "e"')" >server.json
    printf '%s\n' 'ask|answer' 'ask again|answer again' >want
}

@test "flows of different files are separate, and one flow with --join=flows" {
    rpc
    run arrows client.json server.json
    [ "$output" = "flow_end_without_start|2" ]
    arrows --join=flows client.json server.json | diff - want
    again --join=flows client.json server.json
    for f in pftrace json; do
        tm-merge -q -f $f -o merged.$f client.json server.json
        run arrows merged.$f
        [ "$output" = "flow_end_without_start|2" ]
    done
}

@test "--align=flows draws the arrows that it aligned by, and --align alone does not" {
    rpc
    arrows --align=flows client.json server.json | diff - want
    arrows --align=collectives,flows client.json server.json | diff - want
    run arrows --align=spans client.json server.json
    [[ $output != *answer* ]]
    run arrows --align client.json server.json
    [[ $output != *answer* ]]
}

@test "flow ids of Perfetto traces are joined" {
    printf '[%s]' "$(object X 1 1 10 ask ', "dur": 20, "bind_id": "0x77", "flow_out": true')" >a.json
    printf '[%s]' "$(object X 2 2 15 answer ', "dur": 5, "bind_id": "0x77", "flow_in": true')" >b.json
    tm-merge -q -o a.pftrace a.json
    tm-merge -q -o b.pftrace b.json
    [ "$(arrows a.pftrace b.pftrace)" = "flow_end_without_start|1" ]
    echo 'ask|answer' >want
    arrows --join=flows a.pftrace b.pftrace | diff - want
    again --join=flows a.pftrace b.pftrace
    arrows --join=flows a.json b.json | diff - want
    again --join=flows a.json b.json
}

@test "a flow that starts at the end of its slice belongs to that slice in every output" {
    printf '[%s,\n%s]' "$(object X 2 2 15 answer ', "dur": 5')" \
        "$(object s 2 2 20 rpc ', "cat": "c", "id": "r1"')" >server.json
    printf '[%s,\n%s]' "$(object X 1 1 10 ask ', "dur": 20')" \
        "$(object f 1 1 30 rpc ', "cat": "c", "id": "r1", "bp": "e"')" >client.json
    echo 'ask|answer' >want # the earlier slice is the origin of the arrow
    arrows --join=flows client.json server.json | diff - want
    again --join=flows client.json server.json
}

@test "a parent span has an arrow to each child in another file, and to none in its own" {
    ids() { printf ', "dur": %d, "args": {"%s": "%s", "%s": "%s", "%s": "%s"}' "$@"; }
    printf '[%s,\n%s]' "$(object X 1 1 10 ask "$(ids 90 trace_id 00Ab span_id 2 parent_span_id '')")" \
        "$(object X 1 1 20 wait "$(ids 70 trace_id 00Ab span_id 3 parent_span_id 2)")" >client.json
    printf '[%s,\n%s]' "$(object X 2 2 25 answer "$(ids 20 traceID ab spanID 0x4 parentSpanID 3)")" \
        "$(object X 2 2 26 look "$(ids 5 traceID ab spanID 5 parentSpanID 0x4)")" >server.json
    printf '[%s,\n%s]' "$(object X 3 3 30 store "$(ids 20 dd.trace_id AB dd.span_id 6 dd.parent_id 3)")" \
        "$(object X 3 3 60 other "$(ids 20 dd.trace_id cd dd.span_id 7 dd.parent_id 3)")" >store.json
    [ -z "$(arrows client.json server.json store.json)" ]
    printf '[%s]' "$(object X 4 4 35 keep "$(ids 5 trace.id ab span.id 8 parent.id 3)")" >elastic.json
    printf '%s\n' 'wait|answer' 'wait|keep' 'wait|store' >want
    arrows --join=flows client.json server.json store.json elastic.json | sort | diff - want
    again --join=flows client.json server.json store.json elastic.json
    # Recorded rows do not change.
    tm-merge -q -f jsonl client.json server.json store.json >plain
    tm-merge -q -f jsonl --join=flows client.json server.json store.json | grep -v '"kind":"flow_' | cmp - plain
    run tm-merge --join=flows client.json server.json
    [[ "$output" == *flow_start*flow_end* ]]
}

@test "both sides of a request with one span id are joined by an arrow" {
    span=', "dur": 9, "args": {"traceId": 7, "spanId": 9}'
    printf '[%s]' "$(object X 1 1 10 ask "$span")" >client.json
    printf '[%s]' "$(object X 2 2 15 answer "$span")" >server.json
    echo 'ask|answer' >want
    arrows --join=flows client.json server.json | diff - want
    again --join=flows client.json server.json
}

@test "with --join=flows accounts balance, --only and --no-detail agree, and other values are refused" {
    rpc
    run tm-merge -o - -f report -o with.json --join=flows client.json server.json
    [[ "$output" == *"total: 8 events read, 8 placed, 0 dropped; the accounts balance"* ]]
    tm-merge -q -f jsonl --join=flows --only file=server.json client.json server.json | grep -c flow_end | grep -qx 2
    more() { object X 3 3 "$1" more ', "dur": 5, "args": {"url": "x", "n": 1}'; }
    printf '[%s,%s]' "$(more 70)" "$(more 80)" >args.json
    # --only dur reads the stream twice
    tm-merge -q -f jsonl --join=flows --only 'dur>=1ns' client.json server.json args.json >rows
    [ "$(grep -c flow_end rows)" -eq 2 ]
    [ "$(grep -c '"url":"x"' rows)" -eq 2 ]
    [ "$(tm-merge -q -f jsonl --join=flows --only tid=3 args.json | grep -c '"url":"x"')" -eq 2 ]
    for p in tm-emit tm-merge; do
        run $p --join=spans
        [ "$status" -eq 2 ]
        [[ "$output" == *"--join: 'spans' is not flows"* ]]
    done
}

@test "--join is refused if no output shows flows, and a report beside one that does is the same" {
    rpc
    tm-unpack client.json server.json | tm-manifest | tm-clocks | tm-sort >placed
    for format in frames report explain summary dropped svg; do
        run tm-emit --join=flows -f $format <placed
        [ "$status" -eq 2 ]
        [ "${lines[0]#tm-emit: --join applies to text, }" = "jsonl, csv, pftrace, json, sqlite and tables, not to $format" ]
        run tm-merge --join=flows -f $format client.json server.json
        [ "$status" -eq 2 ]
        tm-merge -q --join=flows -o - -f $format -o joined.json client.json server.json >beside
    done
    tm-merge --check-causality --join=flows client.json server.json
    tm-merge --align=flows -f report client.json server.json | grep ^alignment
    for mode in --dry-run --explain; do
        tm-merge $mode --join=flows client.json server.json | cmp - <(tm-merge $mode client.json server.json)
    done
    # An arrow that is added is no further constraint between the files.
    printf '[%s]' "$(object X 1 1 10 ask ', "dur": 9, "args": {"trace_id": "a", "span_id": 2}')" >c.json
    printf '[%s]' "$(object X 2 2 12 answer ', "dur": 5, "args": {"trace_id": "a", "span_id": 3, "parent_id": 2}')" >s.json
    tm-merge -q -o alone.report c.json s.json
    grep -A1 ^causality alone.report | grep -q ' constraint'
    tm-merge -q --join=flows -o beside.report -o joined.csv c.json s.json
    grep -q flow_end joined.csv
    cmp alone.report beside.report
}

@test "the arrow of a span follows its slice wherever a batch ends" {
    python3 - <<'END'
import json
def span(i, k):
    return {"name": "s", "ph": "X", "ts": 10 * i, "dur": 2, "pid": 1, "tid": k,
            "args": {"trace_id": f"{i:032x}", "span_id": f"{k:016x}", "text": "x" * (1000 + i % 50 * 20)}}
json.dump([span(i, k) for i in range(1, 4001) for k in (1, 2)], open("batches.json", "w"))
END
    tm-merge -q -f jsonl --join=flows batches.json | jq -r '"\(.ts) \(.kind)"' >rows
    [ "$(grep -c flow_start rows)" -eq 8000 ]
    awk '$1 != last { print kinds; kinds = "" } { kinds = kinds " " $2; last = $1 } END { print kinds }' rows |
        sort -u | tee kinds
    [ "$(grep -c slice kinds)" -eq 1 ]
}
