#!/usr/bin/env bats
# CPU profiles of V8: both forms, members in any order, the thread that the name tells, trees that contradict
# themselves, times that are missing, damage, memory. t/data/node.cpuprofile is what node 20 --cpu-prof wrote on Linux.

load lib/common

setup() {
    cd "$BATS_TEST_TMPDIR"
    data=$TM_SRC/t/data
}

# Prints the samples of the trace FILE: microseconds, and the functions from the outermost.
samples() {
    tm-merge -q -f json "$1" | jq -r '.traceEvents[] | select(.ph == "P") | [.ts, (.stack | join(" > "))] | @tsv'
}

# Prints what samples prints of the profile FILE, by what the DevTools protocol says.
model() {
    python3 - "$1" <<'PY'
import json, sys
profile = json.load(open(sys.argv[1]))
nodes, parent = {}, {}
for node in profile['nodes']:
    nodes[node['id']] = node
    for child in node.get('children', ()):
        parent[child] = node['id']
now, rows = profile['startTime'], []
for sample, delta in zip(profile['samples'], profile['timeDeltas']):
    now += delta
    stack = []
    while sample:
        stack.insert(0, nodes[sample]['callFrame']['functionName'] or '(anonymous)')
        sample = parent.get(sample)
    rows.append((now, '\t'.join((str(now), ' > '.join(stack)))))
for _, row in sorted(rows, key=lambda row: row[0]):
    print(row)
PY
}

# vary FILE SEED: writes the profile FILE as x.cpuprofile with its members, nodes and ids in random order, and as
# old.cpuprofile in the older form.
vary() {
    python3 - "$1" "$2" <<'PY'
import json, random, sys
r = random.Random(int(sys.argv[2]))
profile = json.load(open(sys.argv[1]))


def shuffled(members, first=None):
    keys = list(members)
    r.shuffle(keys)
    return {k: members[k] for k in sorted(keys, key=lambda k: k != first)}


nodes = {node['id']: node for node in profile['nodes']}


def tree(number):
    node = nodes[number]
    return shuffled(dict(node['callFrame'], id=number, hitCount=0, children=[tree(c) for c in node.get('children', ())]))


times = [profile['startTime'] + sum(profile['timeDeltas'][:i + 1]) for i in range(len(profile['samples']))]
old = {'head': tree(1), 'startTime': profile['startTime'] / 1e6, 'endTime': profile['endTime'] / 1e6,
       'samples': profile['samples'], 'timestamps': times}
json.dump(shuffled(old, 'head'), open('old.cpuprofile', 'w'))
other = list(range(100, 100 + len(nodes)))
r.shuffle(other)
other = dict(zip(nodes, other))
for node in profile['nodes']:
    node['id'] = other[node['id']]
    node['children'] = [other[c] for c in node.get('children', ())]
r.shuffle(profile['nodes'])
profile['nodes'] = [shuffled(node) for node in profile['nodes']]
profile['samples'] = [other[s] for s in profile['samples']]
json.dump(shuffled(profile, r.choice(('nodes', 'startTime'))), open('x.cpuprofile', 'w'), indent=r.choice((None, 1)))
PY
}

# Prints the accounts of FILE: reason and number, one on a line.
accounts() {
    tm-merge -q -o x.db "$1"
    sqlite3 x.db "SELECT reason || ' ' || events FROM tm_accounting ORDER BY 1" | xargs
}

@test "samples of a recorded profile have the times and stacks that the protocol defines, in all outputs" {
    model "$data/node.cpuprofile" >want
    [ "$(wc -l <want)" = 341 ]
    samples "$data/node.cpuprofile" | diff want -
    for out in pftrace json; do
        tm-merge -q -o x.$out "$data/node.cpuprofile"
        samples x.$out | diff want -
    done
    tm-merge -q -o x.db "$data/node.cpuprofile"
    [ "$(sqlite3 x.db "SELECT count(*), count(DISTINCT utid) FROM stack_sample")" = "341|1" ]
}

@test "members and nodes may come in any order, and the older form means the same" {
    samples "$data/node.cpuprofile" >want
    for seed in 1 2 3 4 5 6; do
        vary "$data/node.cpuprofile" $seed
        model x.cpuprofile | diff want -
        samples x.cpuprofile | diff want -
        samples old.cpuprofile | diff want -
    done
}

@test "the name that node gives a file tells the process, and the main thread or a worker" {
    ids() {
        tm-merge -q -f jsonl "$@" | jq -r '[.process, .pid, .thread, .tid] | map(tostring) | join(" ")' | sort -u
    }
    main=CPU.20261201.011134.1187.0.001.cpuprofile worker=CPU.20261201.011134.1187.2.002.cpuprofile
    cp "$data/node.cpuprofile" $main
    cp "$data/node.cpuprofile" $worker
    [ "$(ids $main)" = "null 1187 null 1187" ]
    [[ "$(ids $worker)" == "null 1187 worker 2 10737418"* ]]
    gzip -k $main
    [ "$(ids $main.gz)" = "null 1187 null 1187" ]
    tar cf run.tar $main $worker
    [ "$(ids run.tar | wc -l)" = 2 ]
    ids run.tar | grep -q '^null 1187 null 1187$'
    # Process 1 of a container is not that of the machine.
    for name in CPU.20261201.011134.1.0.001.cpuprofile CPU.2026120.011134.1187.0.001.cpuprofile \
        CPU.20261201.011134.1187.0.cpuprofile CPU.20261201.011134..0.001.cpuprofile other.cpuprofile; do
        cp "$data/node.cpuprofile" $name
        [[ "$(ids $name)" == "$name 10737418"* ]]
    done
    [[ "$(tm-merge -q -f jsonl <"$data/node.cpuprofile" | head -1)" == *'"process":"CPU profile"'* ]]
    # Two profiles are two threads, in parallel too.
    mkdir d
    cp "$data/node.cpuprofile" d/a.cpuprofile
    cp "$data/node.cpuprofile" d/b.cpuprofile
    [ "$(ids d | wc -l)" = 2 ]
    cmp <(tm-unpack -j 1 d) <(tm-unpack -j 4 d)
}

@test "nodes that contradict others, and samples of them, are counted and not shown" {
    cat >x.cpuprofile <<'J'
{"nodes": [{"id": 1, "callFrame": {"functionName": "root"}, "children": [2]},
 {"id": 2, "callFrame": {"functionName": "a"}, "parent": 1},
 {"id": 3, "callFrame": {"functionName": "circle"}, "children": [4]},
 {"id": 4, "callFrame": {"functionName": "circle"}, "children": [5, 6]},
 {"id": 5, "callFrame": {"functionName": "circle"}, "children": [3]},
 {"id": 6, "callFrame": {"functionName": "below the circle"}},
 {"id": 7, "callFrame": {"functionName": "below nothing"}, "parent": 99},
 {"id": 8, "callFrame": {"functionName": "itself"}, "parent": 8},
 {"id": 2, "callFrame": {"functionName": "twice"}}, 17],
 "startTime": 10, "samples": [2, 3, 6, 7, 8, 1, 77, -1, "x", null, 2, 2], "timeDeltas": [5, 1, 1, 1, 1, -7, 1, 1, 1, 1, null]}
J
    [ "$(samples x.cpuprofile)" = "$(printf '12\troot\n15\troot > a')" ]
    [ "$(accounts x.cpuprofile)" = "damaged 9 no_time 1 placed 2" ]
    # Four of the circle, two without a way to a root, one repeated, one that is no node.
    [ "$(sqlite3 x.db "SELECT value FROM stats WHERE name = 'legacy_v8_cpu_profile_invalid_callsite'")" = 8 ]
}

@test "a time beyond 64 bits is damage of its sample" {
    echo '{"nodes": [{"id": 1, "callFrame": {}}], "startTime": 9223372036854770, "samples": [1, 1, 1],
        "timeDeltas": [1, 5, 2]}' >x.cpuprofile
    [ "$(accounts x.cpuprofile)" = "damaged 1 placed 2" ]
}

@test "samples without times are spread over the profile, or have none" {
    echo '{"startTime": 10, "endTime": 25, "nodes": [{"id": 1, "callFrame": {"functionName": "f"}}], "samples": [1, 1, 1, 1]}' >x.cpuprofile
    [ "$(samples x.cpuprofile | cut -f1 | xargs)" = "10 13.75 17.5 21.25" ]
    echo '{"head": {"functionName": "f", "id": 1, "children": []}, "startTime": 1.5, "endTime": 3.5, "samples": [1, 1]}' >x.cpuprofile
    [ "$(samples x.cpuprofile | cut -f1 | xargs)" = "1500000 2500000" ]
    echo '{"nodes": [{"id": 1, "callFrame": {"functionName": "f"}}], "samples": [1, 1]}' >x.cpuprofile
    [ "$(accounts x.cpuprofile)" = "no_time 2" ]
}

@test "a profile without samples is told" {
    echo '{"nodes": [{"id": 1, "callFrame": {"functionName": "f"}, "hitCount": 3}], "startTime": 1, "endTime": 2}' >x.cpuprofile
    run tm-merge -o x.pftrace x.cpuprofile
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "tm-emit: warning: x.cpuprofile: a CPU profile without samples has no events" ]
}

@test "a file that was cut is an error, and --on-damage=skip shows the samples before" {
    size=$(stat -c %s "$data/node.cpuprofile")
    for less in 1 600 4000; do
        head -c $((size - less)) "$data/node.cpuprofile" >x.cpuprofile
        run tm-merge -f json x.cpuprofile
        [ "$status" -eq 1 ]
        [ "$output" = "tm-unpack: x.cpuprofile: byte $((size - less)): the document is cut short (--on-damage=skip or salvage goes on)" ]
        tm-merge -q --on-damage=skip -f json x.cpuprofile | jq -r '.traceEvents[] | select(.ph == "P") | .ts' >have
        samples "$data/node.cpuprofile" | cut -f1 | head -n "$(wc -l <have)" | diff - have
    done
    [ ! -s have ]
}

@test "heap profiles and other JSON are no CPU profiles" {
    type() {
        printf '%s' "$1" >x
        tm-unpack x | tm-emit -f frames | grep -o 'FileBegin.* type="[a-z]*"' | grep -o '[a-z]*"$'
    }
    [ "$(type '{ "nodes" : [ {"callFrame": {}, "id": 1}]}')" = 'cpuprofile"' ]
    [ "$(type '{"typeId": "CPU", "uid": "1", "title": "t", "head": {"functionName": "(root)"}}')" = 'cpuprofile"' ]
    [ "$(type '{"endTime": 5, "startTime": 1, "timeDeltas": [1], "samples": [1], "nodes": []}')" = 'cpuprofile"' ]
    [ "$(type '{"head": {"callFrame": {"functionName": "(root)"}, "selfSize": 0}}')" = 'json"' ]
    [ "$(type '{"nodes": [], "traceEvents": []}')" = 'json"' ]
    [ "$(type '{"samples": [1], "traceEvents": []}')" = 'json"' ]
    [ "$(type '{"startTime": 1, "traceEvents": []}')" = 'json"' ]
}

@test "trees may have 1024 levels; memory does not grow with the samples" {
    for depth in 1024 1025; do
        python3 -c "
d = $depth
print('{\"head\": ' + '{\"functionName\": \"f\", \"children\": [' * d + ''.join('], \"id\": %d}' % i for i in range(d)) +
      ', \"startTime\": 1, \"endTime\": 2, \"samples\": [0]}')" >$depth.cpuprofile
    done
    [ "$(samples 1024.cpuprofile | tr -cd f | wc -c)" = 1024 ]
    run tm-merge -f json 1025.cpuprofile
    [ "$status" -eq 1 ]
    [[ "$output" == *": the tree has more levels than the limit of 1024"* ]]
    python3 -c "
n = 4000000
print('{\"startTime\": 1, \"endTime\": 2, \"samples\": [' + ','.join(['1'] * n) + '], \"timeDeltas\": [' + ','.join(['10'] * n) +
      '], \"nodes\": [{\"id\": 1, \"callFrame\": {\"functionName\": \"f\"}}]}')" >x.cpuprofile
    is_sanitized && return
    # Two lists of 32 MB each do not fit beside the program.
    (ulimit -d 30000 && tm-unpack -j 1 x.cpuprofile | tm-emit -f report) | grep -q '4000000 events read'
}
