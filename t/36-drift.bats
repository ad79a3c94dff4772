#!/usr/bin/env bats
# Clocks that drift: lines of a manifest, and lines between snapshots.

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# Chrome JSON whose instants have the names of their times, given in nanoseconds.
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

# A manifest in which server.json has OFFSET and the members REST of x_tracemerge.
manifest() {
    printf '{"perfetto_manifest": {"version": 1, "files": [{"path": "client.json"}, {"path": "server.json", "clocks":
        {"sync_to": {"file": "client.json"}, "offset_ns": %d, "x_tracemerge": {%s}}}]}}\n' "$1" "$2" >m.json
}

# The instants of server.json: name and time; options of tm-merge.
placed() {
    tm-merge "$@" -f jsonl -m m.json client.json server.json | python3 -c '
import json, sys
for e in map(json.loads, sys.stdin):
    if e["file"] == "server.json":
        print(e["name"], e["ts"])'
}

@test "two points of a manifest are a line, which goes on outside them" {
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

@test "one point is an offset, two 1 ns apart are a step, more are lines one after another" {
    instants 0 >client.json
    instants 10 2000 2001 4000 >server.json
    manifest 700 '"points": [[2000, 700]], "uncertainty_ns": 5, "rule": "flows"'
    diff <(placed) <(printf '%s\n' '10 710' '2000 2700' '2001 2701' '4000 4700')
    manifest 700 '"points": [[2000, 900], [2001, 600]]'
    diff <(placed) <(printf '%s\n' '10 910' '2001 2601' '2000 2900' '4000 4600')
    manifest 700 '"points": [[0, 1000], [2000, 900], [2001, 600], [4001, 700]]'
    diff <(placed) <(printf '%s\n' '10 1010' '2001 2601' '2000 2900' '4000 4700')
}

@test "a line is a relation like others: the other way round, in a chain, with a clock of the machine" {
    instants 3001000 3003200 3005400 >client.json
    instants 1000 3000 5000 >server.json
    instants 7 >late.json
    # client.json, whose turn is first, has the timeline.
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
    # Every moment of server.json is 1000 of client.json.
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

@test "every event of many is where exact arithmetic puts it, whatever the drift" {
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

@test "a manifest with points is announced to who would place by one offset" {
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
