# Spans of distributed tracing: OTLP, Jaeger and Zipkin JSON. All data come from one recording. A Node client sends
# requests to a Node server through a proxy that delays each direction by 5 ms. OpenTelemetry's SDK 0.223 recorded it,
# and its OTLP serializer and its Zipkin exporter wrote it. spans.jaeger.json is the OTLP data in the form of Jaeger's
# query service.

setup() {
    cd "$BATS_TEST_TMPDIR"
    . "$TM_SRC/t/lib/common.bash"
    data=$TM_SRC/t/data
}

# slices DATABASE: prints its slices, each with the slice around it and the slices from which arrows come.
slices() {
    python3 - "$1" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
def arg(name):
    return ("(select string_value from args where args.arg_set_id = s.arg_set_id and flat_key in ('%s', 'debug.%s'))"
            % (name, name))
rows = {r[0]: r[1:] for r in db.execute(
    "select s.id, s.ts / 1000, s.dur / 1000, s.name, s.parent_id, process.name, %s, %s from slice s "
    "join process_track t on t.id = s.track_id join process using (upid)" % (arg('span_id'), arg('parent_span_id')))}
arrows = {}
for a, b in db.execute('select slice_out, slice_in from flow'):
    arrows.setdefault(b, []).append(rows[a][5])
for id, (ts, dur, name, parent, process, span, parent_span) in sorted(rows.items(), key=lambda r: (r[1][:3], r[1][4:6])):
    print(ts, dur, name, process, span, parent_span, 'in', rows[parent][5] if parent is not None else None,
          'from', *sorted(arrows.get(id, ())))
PY
}

@test "lines of OTLP give services, tracks, slices with typed args, events and links" {
    frames_anywhere "$data/spans-orders.otlp.jsonl" >got
    diff -u "$data/spans-orders.frames" got
}

@test "one recording as OTLP, Jaeger and Zipkin JSON gives one timeline" {
    tm-merge --join=flows -o otlp.db "$data/spans-shop.otlp.jsonl" "$data/spans-orders.otlp.jsonl"
    tm-merge --join=flows -o jaeger.db "$data/spans.jaeger.json"
    tm-merge --join=flows -o zipkin.db "$data/spans-shop.zipkin.json" "$data/spans-orders.zipkin.json"
    slices otlp.db >otlp
    slices jaeger.db >jaeger
    slices zipkin.db | sed 's/ [0-9]* / /; s/ \(in [^ ]* from\).*/ \1/' | grep -v ' row ' >zipkin # rounded
    diff -u otlp jaeger
    sed 's/ [0-9]* / /; s/ \(in [^ ]* from\).*/ \1/' otlp | grep -v ' row ' |
        diff -u - zipkin # Zipkin has no links
    [ "$(wc -l <otlp)" -eq 29 ]
}

@test "a child is inside its parent in the same service, and has an arrow from a parent in another" {
    tm-merge --join=flows -o m.db "$data/spans-shop.otlp.jsonl" "$data/spans-orders.otlp.jsonl"
    slices m.db >got
    # Two requests overlap: one crosses the other and is on a row beside its parent.
    [ "$(awk '$4 == "orders" && $3 == "load" || $5 == "orders" && $3 == "load"' got | wc -l)" -eq 6 ]
    [ "$(grep 'load order' got | awk '$7 != $9 { print $9 }')" = None ]
    [ "$(grep -c 'GET orders' got)" -eq 7 ]
    ! grep 'GET orders' got | awk '$6 != $10' | grep . || false
    [ "$(grep -c 'checkout.*from [0-9a-f]' got)" -eq 2 ] # links
}

@test "a merged Perfetto trace of spans has the same slices and arrows" {
    tm-merge --join=flows -o m.pftrace "$data/spans-shop.otlp.jsonl" "$data/spans-orders.otlp.jsonl"
    tm-merge -o again.db m.pftrace
    tm-merge --join=flows -o m.db "$data/spans-shop.otlp.jsonl" "$data/spans-orders.otlp.jsonl"
    slices m.db | sed 's/ in [^ ]*//' >m
    slices again.db | sed 's/ in [^ ]*//' | diff -u m -
}

@test "tm-align moves a server whose clock is off back inside its client" {
    sed -E 's/UnixNano":"[0-9]+/&+/g' "$data/spans-orders.otlp.jsonl" |
        python3 -c 'import re, sys
sys.stdout.write(re.sub(r"(\d+)\+", lambda m: str(int(m.group(1)) + 1234567890), sys.stdin.read()))' >orders.jsonl
    cp "$data/spans-shop.otlp.jsonl" shop.jsonl
    tm-unpack shop.jsonl orders.jsonl | tm-manifest | tm-clocks | tm-align -f json >report.json
    tm-merge --align --join=flows -o m.db shop.jsonl orders.jsonl
    python3 - <<'PY'
import json, sqlite3
other, = (f for f in json.load(open('report.json'))['alignment'] if f['verdict'] == 'aligned')
assert abs(other['offset_ns'] - 1234567890) < 2000000 and other['low_ns'] < 1234567890 < other['high_ns'], other
rows = sqlite3.connect('m.db').execute('select a.ts <= b.ts and a.ts + a.dur >= b.ts + b.dur from flow '
    "join slice a on a.id = slice_out join slice b on b.id = slice_in where b.name = 'GET'").fetchall()
assert rows == [(1,)] * 7, rows
PY
}

@test "spans before their resource, a resource with a host of its own and one in a container are read" {
    span='{"spanId":"%d","traceId":"1","name":"n","startTimeUnixNano":"5","endTimeUnixNano":"6"}'
    string='{"key":"%s","value":{"stringValue":"%s"}}'
    {
        printf '{"resourceSpans":[{"scopeSpans":[{"spans":['"$span"']}],"resource":{"attributes":['"$string,$string"',{"key":"process.pid","value":{"intValue":"71"}}]}}]}\n' 1 service.name a host.name h
        printf '{"resourceSpans":[{"resource":{"attributes":['"$string,$string"',{"key":"process.pid","value":{"intValue":"72"}}]},"scopeSpans":[{"spans":['"$span"']}]}]}\n' service.name b host.name other 2
        printf '{"resourceSpans":[{"resource":{"attributes":['"$string,$string,$string"',{"key":"process.pid","value":{"intValue":"73"}}]},"scopeSpans":[{"spans":['"$span"']}]}]}\n' service.name c host.name h container.id x 3
    } >x.jsonl
    tm-merge -f csv x.jsonl >got
    grep -q ',71,' got
    ! grep -E ',7[23],' got || false
    tm-unpack x.jsonl | tm-emit -f frames | grep -o 'process={ pid=[0-9]* name="[a-z]*"' | sed 's/pid=1073[0-9]*/pid=text/' >names
    printf 'process={ pid=%s name="%s"\n' 71 a text b text c | diff -u - names
}

# resources NAME HOST...: prints lines of OTLP with one span for each host.
resources() {
    local name=$1 host
    shift
    for host; do
        printf '{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"a"}},{"key":"host.name", "value": {"stringValue":"%s"}}]},"scopeSpans":[{"spans":[{"spanId":"1","traceId":"1","name":"n","startTimeUnixNano":"5","endTimeUnixNano":"6"}]}]}]}\n' "$host"
    done >"$name"
}

# hosts ARGUMENT...: prints the machines of a merge.
hosts() {
    tm-merge -q -f report "$@" | sed -n '/^machines/,/^$/s/^  \([^ ]*\) .*/\1/p' | sort | tr '\n' ' '
}

@test "--machine-from=host names machines by host.name, in plain and compressed files and in archives" {
    resources a.jsonl web
    resources b.jsonl db db
    [ "$(hosts --machine-from=host a.jsonl b.jsonl)" = "db web " ]
    tar cf both.tar a.jsonl b.jsonl
    [ "$(hosts --machine-from=host both.tar)" = "db web " ]
    [ "$(hosts --machine-from=host - <both.tar)" = "db web " ]
    gzip -k a.jsonl
    [ "$(hosts --machine-from=host a.jsonl.gz "$data/spans.jaeger.json")" = "node-a web " ]
    tm-pack -q --machine-from=host -o packed.tar a.jsonl b.jsonl
    [ "$(hosts packed.tar)" = "db web " ]
    [[ "$(hosts a.jsonl b.jsonl)" != *web* ]]
}

@test "--machine-from=host refuses a file that states no host or several, and later hosts are counted" {
    resources several.jsonl web db
    run tm-merge --machine-from=host several.jsonl
    [ "$status" -eq 2 ]
    [[ "$output" == *"several.jsonl: has spans of several hosts, but a file belongs to one machine"* ]]
    printf '{"traceEvents":[]}' >none.json
    run tm-merge --machine-from=host none.json
    [ "$status" -eq 2 ]
    [[ "$output" == *"none.json: states no host (host.name of spans)"* ]]
    run tm-pack -q --machine-from=host -o x.tar several.jsonl
    [ "$status" -eq 2 ]
    resources late.jsonl $(yes web | head -400) db
    tm-merge -q --machine-from=host -f report late.jsonl >report
    grep -q 'spans_services_on_other_hosts = 1' report
    tm-merge -q -f report "$data/spans-shop.otlp.jsonl" | { ! grep on_other_hosts; }
}

@test "documents after spans in one stream are read by their own type" {
    { cat "$data/spans-shop.otlp.jsonl" "$data/spans-shop.zipkin.json" "$data/spans.jaeger.json"; printf '{"traceEvents":[]}'; } |
        tm-unpack - | tm-emit -f frames | sed -n 's/.*FileBegin .*type="\([a-z]*\)".*/\1/p' >got
    printf '%s\n' otlp zipkin jaeger json | diff -u - got
}

@test "memory does not grow with the number of spans, or of spans before their processes" {
    only_unsanitized "a sanitized program takes address space without end"
    cat >make.py <<'PY'
import sys
n, pad = 200000, 'x' * 200
sys.stdout.write('{"data":[{"traceID":"1","spans":[')
for i in range(n):
    sys.stdout.write('%s{"traceID":"1","spanID":"%x","operationName":"n","startTime":%d,"duration":1,"processID":"p1",'
                     '"tags":[{"key":"k","type":"string","value":"%s%d"}]}' % (',' * (i > 0), i + 1, i + 1, pad, i))
sys.stdout.write('],"processes":{"p1":{"serviceName":"s"}}}]}')
PY
    python3 make.py | (ulimit -v 150000; exec tm-unpack -) >out
    [ "$(tm-emit -f frames <out | grep -c 'kind=slice')" -eq 200000 ]
}

@test "records of logs and metrics are accounted for" {
    printf '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{},{},{}]}]}]}\n' >m.jsonl
    tm-merge -f report m.jsonl >got 2>said || true
    grep -q 'not_shown' got
}
