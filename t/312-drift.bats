#!/usr/bin/env bats
# Clocks that drift: lines of a manifest, and lines between snapshots.

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# Writes Chrome JSON with an instant for each given time in nanoseconds. The time is its name.
instants() {
    printf '{"traceEvents": ['
    local comma= ns
    for ns; do
        printf '%s{"ph": "i", "ts": %d.%03d, "pid": 1, "tid": 1, "s": "t", "name": "%d"}' "$comma" $((ns / 1000)) \
            $((ns % 1000)) "$ns"
        comma=", "
    done
    printf ']}\n'
}

# Writes a manifest that gives server.json OFFSET and the members REST of x_tracemerge.
manifest() {
    printf '{"perfetto_manifest": {"version": 1, "files": [{"path": "client.json"}, {"path": "server.json", "clocks":
        {"sync_to": {"file": "client.json"}, "offset_ns": %d, "x_tracemerge": {%s}}}]}}\n' "$1" "$2" >m.json
}

# Prints the instants of server.json, name and time. Arguments are options of tm-merge.
placed() {
    tm-merge "$@" -f jsonl -m m.json client.json server.json | python3 -c '
import json, sys
for e in map(json.loads, sys.stdin):
    if e["file"] == "server.json":
        print(e["name"], e["ts"])'
}

@test "two points of a manifest are a line that continues outside them" {
    instants 0 >client.json
    instants 500 1000 1001 3000 4999 5000 9000 100000 >server.json
    manifest 3000200 '"points": [[1000, 3000000], [5000, 3000400]]'
    diff <(placed) - <<'END'
500 3000450
1000 3001000
1001 3001001
3000 3003200
4999 3005399
5000 3005400
9000 3009800
100000 3109900
END
}

@test "one point is an offset, two points 1 ns apart are a step, and more are lines in sequence" {
    instants 0 >client.json
    instants 10 2000 2001 4000 >server.json
    manifest 700 '"points": [[2000, 700]], "uncertainty_ns": 5, "rule": "flows"'
    diff <(placed) <(printf '%s\n' '10 710' '2000 2700' '2001 2701' '4000 4700')
    manifest 700 '"points": [[2000, 900], [2001, 600]]'
    diff <(placed) <(printf '%s\n' '10 910' '2001 2601' '2000 2900' '4000 4600')
    manifest 700 '"points": [[0, 1000], [2000, 900], [2001, 600], [4001, 700]]'
    diff <(placed) <(printf '%s\n' '10 1010' '2001 2601' '2000 2900' '4000 4700')
}

@test "a line works like other relations: reversed, in a chain, and with a clock of the machine" {
    instants 3001000 3003200 3005400 >client.json
    instants 1000 3000 5000 >server.json
    instants 7 >late.json
    # client.json has the first turn, so the timeline is its own.
    cat >m.json <<'END'
{"perfetto_manifest": {"version": 1, "files": [
  {"path": "server.json"},
  {"path": "client.json", "clocks": {"sync_to": {"file": "server.json"}, "offset_ns": -3000200,
     "x_tracemerge": {"points": [[3001000, -3000000], [3005400, -3000400]]}}}]}}
END
    diff <(placed) <(printf '%s\n' '1000 3001000' '3000 3003200' '5000 3005400')
    cat >m.json <<'END'
{"perfetto_manifest": {"version": 1, "files": [
  {"path": "client.json"},
  {"path": "server.json", "clocks": {"sync_to": {"file": "client.json"}, "offset_ns": -1000,
     "x_tracemerge": {"points": [[1000, 0], [2000, -1000]]}}},
  {"path": "late.json", "clocks": {"sync_to": {"file": "server.json"}, "offset_ns": 1500}}]}}
END
    # Each time of server.json is 1000 of client.json.
    instants 500 1000 1500 2000 2500 >server.json
    tm-merge -f jsonl -m m.json server.json client.json late.json | python3 -c '
import json, sys
for e in map(json.loads, sys.stdin):
    print(e["file"], e["name"], e["ts"])' >out
    diff <(grep -v client out | sort) - <<'END'
late.json 7 1000
server.json 1000 1000
server.json 1500 1000
server.json 2000 1000
server.json 2500 1000
server.json 500 1000
END
}

@test "every one of many events is where exact arithmetic puts it, whatever the drift" {
    instants 0 >client.json
    for points in '[1000000007, 5000000011], [61000000009, 5004200014]' '[0, -1700000000123456789], [3, -1700000000123456789]' \
        '[1000, 4999], [1000000000, -999990000]'; do
        python3 - "$points" <<'END'
import json, random, sys
random.seed(3)
points = json.loads('[' + sys.argv[1] + ']')
times = sorted(random.randrange(0, 70 * 10 ** 9) for _ in range(20000))
json.dump({'traceEvents': [{'ph': 'i', 's': 't', 'pid': 1, 'tid': 1, 'name': str(t), 'ts': 'T%dT' % t} for t in times]},
          open('server.tmp', 'w'))
(a0, o0), (a1, o1) = points
with open('want', 'w') as f:
    for t in times:
        n, d = (t - a0) * (a1 + o1 - a0 - o0), a1 - a0
        at = a0 + o0 + (2 * n + d) // (2 * d)
        if at >= 0:
            f.write('%d %d\n' % (t, at))
END
        sed -E 's/"T([0-9]+)([0-9]{3})T"/\1.\2/g; s/"T([0-9]{1,3})T"/0.00\1/g' server.tmp >server.json
        manifest "$(sed -E 's/\[[-0-9]+, ([-0-9]+)\].*/\1/' <<<"$points")" "\"points\": [$points]"
        placed | sort -n >got
        cmp got <(sort -n want)
        rm got want
    done
}

@test "a manifest with points is announced to stages that place by one offset" {
    instants 0 >client.json
    instants 10 >server.json
    manifest 5 '"points": [[0, 5], [10, 6]], "uncertainty_ns": 3, "rule": "flows"'
    tm-unpack client.json server.json | tm-manifest -m m.json >configured
    run bash -c 'tm-emit -f frames <configured'
    [[ "$output" == *ClockLines* ]]
    run bash -c 'tm-clocks <configured | tm-sort | tm-emit -f frames'
    [[ "$output" != *ClockLines* ]]
    manifest 5 '"uncertainty_ns": 3'
    run bash -c 'tm-unpack client.json server.json | tm-manifest -m m.json | tm-emit -f frames'
    [[ "$output" != *ClockLines* ]]
}

# Clock 130 gains 50 us in 10 s against BOOTTIME. A snapshot every 10 s states that, as in a trace that is written while
# it is recorded: events first, then the snapshot.
drifting() {
    proto drift.pb < <(python3 -c '
for k in range(4):
    print("snap 6=%d 130=%d" % (10 ** 12 + k * 10 ** 10, k * 10000050000))
    for i in range(100):
        print("event %d clock=130" % (k * 10000050000 + i * 100000500))')
}

@test "--interpolate puts events on the line between snapshots, and later events on the last line" {
    . "$TM_SRC/t/lib/common.bash"
    drifting
    tm-unpack drift.pb | tm-clocks --interpolate | tm-sort | tm-emit -f frames |
        sed -n 's/^  \[[0-9]*\] time_ns=\([0-9]*\) .*/\1/p' >got
    python3 -c '
for i in range(400):
    print(10 ** 12 + i * 10 ** 8)' | cmp - got
    # Without --interpolate each event keeps its distance from the snapshot before it; the last is 50 us late.
    tm-unpack drift.pb | tm-clocks | tm-sort | tm-emit -f frames | sed -n 's/^  \[[0-9]*\] time_ns=\([0-9]*\) .*/\1/p' >steps
    [ "$(sed -n 100p steps)" = $((1000000000000 + 99 * 100000500)) ]
    tm-merge -o line.jsonl -f jsonl --events --interpolate drift.pb
    tm-merge -o step.jsonl -f jsonl --events drift.pb
    grep -q '"ts":1009900000000,' line.jsonl
    grep -q '"ts":1009900049500,' step.jsonl
}

@test "--interpolate drops an event that a line puts before the start of trace time, and accounts for it" {
    . "$TM_SRC/t/lib/common.bash"
    proto a.pb <<-'END'
	snap 6=100 130=1000
	event 950 clock=130
	event 990 clock=130
	snap 6=200 130=1010
	END
    tm-unpack a.pb | tm-clocks --interpolate >stream
    run bash -c 'tm-sort <stream | tm-emit -f frames'
    [[ "$output" == *'time_ns=0 '* ]]
    [[ "$output" == *'Account file=0 machine=0 clock=130 reason="negative_time" count=1 earliest_ns=-400'* ]]
    run bash -c 'tm-sort <stream | tm-emit -f report'
    [[ "$output" == *"2 events read, 1 placed, 1 dropped; the accounts balance"* ]]
}

@test "--interpolate keeps the name of a thread whose first event a line puts before the start of trace time" {
    . "$TM_SRC/t/lib/common.bash"
    proto a.pb <<-'END'
	snap 6=100000000 3=1000000000
	event 100000001
	snap 6=200000000 3=1010000000
	END
    cp "$TM_SRC/t/data/gecko.json" .
    tm-merge -q --interpolate --sync gecko.json=a.pb:MONOTONIC+950ms -o a.db -f sqlite -o a.report -f report a.pb gecko.json
    grep -q 'negative_time: 19, host, TRACE_FILE' a.report # and no definition
    [ "$(sqlite3 a.db "SELECT t.name, p.name FROM thread t JOIN process p USING (upid) WHERE tid = 100")" = \
        "GeckoMain|Parent Process" ]
}

@test "--interpolate stores many pending events on disk, and leaves no file there" {
    . "$TM_SRC/t/lib/common.bash"
    { echo 'snap 6=1000 130=0'; seq -f 'event %.0f clock=130' 70000; echo 'snap 6=211000 130=70000'; } | proto a.pb
    mkdir spill
    tm-unpack a.pb | tm-clocks --interpolate -T spill | tm-sort | tm-emit -f frames |
        sed -n 's/^  \[[0-9]*\] time_ns=\([0-9]*\) .*/\1/p' >got
    cmp got <(seq 1003 3 211000)
    [ -z "$(ls -A spill)" ]
    run bash -o pipefail -c 'tm-unpack a.pb | tm-clocks --interpolate -T nowhere | wc -c'
    [ "$status" -eq 3 ]
}

@test "--interpolate changes nothing if no snapshot places an event" {
    instants 500 1000 >server.json
    instants 0 7 >client.json
    manifest 700 '"points": [[0, 700], [1000, 800]]'
    tm-merge -f jsonl -m m.json client.json server.json >step
    tm-merge -f jsonl -m m.json --interpolate client.json server.json | cmp - step
}

# Prints a member of the placement of clock $2 in stream $1.
told() {
    tm-emit -f frames <"$1" | grep -a "Placement .* clock=$2 " | grep -ao "$3=[^ ]*"
}

@test "a placement has an uncertainty by jitter and steps or by an alignment, or a reason for having no bound" {
    . "$TM_SRC/t/lib/common.bash"
    drifting
    for option in "" --interpolate; do
        tm-unpack drift.pb | tm-clocks $option >stream
        [ "$(told stream 130 drift_ppb)" = drift_ppb=-5000 ]
        [ "$(told stream 130 step_error_ns)" = step_error_ns=49500 ]
        [ "$(told stream 130 jitter_ns)" = jitter_ns=0 ]
    done
    [ "$(told stream 130 uncertainty_ns)" = uncertainty_ns=0 ]
    [ "$(told stream 130 uncertainty_from)" = 'uncertainty_from="jitter"' ]
    run tm-merge --explain drift.pb
    [[ "$output" == *"Steps from snapshot to snapshot are up to 49.5us from the lines between them; trace time runs 5000 ppb slower."* ]]
    [[ "$output" == *"Uncertainty 49.5us: the jitter of repeated snapshots and the step from one to the next."* ]]
    run tm-merge --explain --interpolate drift.pb
    [[ "$output" == *"which place its events; trace time runs 5000 ppb slower."* ]]
    # Snapshots 40 ns off the line between their neighbours.
    printf '%s\n' 'snap 6=1000 130=0' 'snap 6=2040 130=1000' 'snap 6=3000 130=2000' 'event 1500 clock=130' | proto a.pb
    tm-unpack a.pb | tm-clocks >stream
    [ "$(told stream 130 jitter_ns)" = jitter_ns=40 ]
    # With one snapshot the jitter is unknown.
    printf '%s\n' 'snap 6=1000 130=0' 'event 1500 clock=130' | proto a.pb
    tm-unpack a.pb | tm-clocks >stream
    [ -z "$(told stream 130 uncertainty_ns)" ]
    [ "$(told stream 130 uncertainty_from)" = 'uncertainty_from="snapshot"' ]
    instants 0 >client.json
    instants 10 >server.json
    manifest 5 '"points": [[0, 5], [1000, 6]], "uncertainty_ns": 3000, "rule": "flows"'
    run tm-merge --explain -m m.json client.json server.json
    [[ "$output" == *"Its clock is on a line; trace time runs 1000000 ppb faster."* ]]
    [[ "$output" == *"Uncertainty 3us: the bounds of an alignment."* ]]
    tm-merge -f report --json -m m.json client.json server.json |
        grep -q '"drift_ppb":1000000,"uncertainty_ns":3000,"uncertainty_from":"alignment"'
    manifest 5 ''
    run tm-merge --explain -m m.json client.json server.json
    [[ "$output" == *"Uncertainty without a bound: the manifest does not say how exact its offset is."* ]]
    run tm-merge --explain client.json server.json
    [[ "$output" == *"Uncertainty without a bound: it rests on an assumption."* ]]
}

@test "tm-sort -m keeps the points of the manifests of its streams" {
    instants 10 >client.json
    cat >m.json <<'END'
{"perfetto_manifest": {"version": 1, "trace_time": {"clock": "MONOTONIC"}, "files": [{"path": "client.json",
  "clocks": {"sync_to": {"file": "client.json", "clock": "MONOTONIC"}, "offset_ns": 5,
    "x_tracemerge": {"points": [[0, 5], [10, 6]], "uncertainty_ns": 3, "rule": "flows"}}}]}}
END
    for i in 1 2; do tm-unpack client.json | tm-manifest -m m.json | tm-clocks | tm-sort >$i; done
    run bash -c 'tm-sort -m 1 2 | tm-emit -f frames'
    [[ "$output" == *'time_ns=16 '* ]]
    [ "$(grep -o 'points={ source_ns=10 reference_ns=16 } uncertainty_ns=3 rule="flows"' <<<"$output" | wc -l)" -eq 2 ]
}
