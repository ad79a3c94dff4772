#!/usr/bin/env bats
# tm-align: results of each rule, cases in which it claims nothing, and its outputs.

bats_require_minimum_version 1.5.0

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
}

# merge_finds_the_same FILE...: tm-merge --align, which unpacks only the arguments that rules read, gives the result in
# align.json.
merge_finds_the_same() {
    diff <(tm-merge -q --align --json -f report "$@" | jq .alignment) <(jq .alignment align.json)
}

# made RECIPE: generates files on clocks of their own. The Python in RECIPE can use rng, write(NAME, EVENTS) and
# ranks(...).
made() {
    python3 - <<END
import json, random
rng = random.Random(3)
def us(ns):
    return float(f'{ns // 1000}.{ns % 1000:03d}')
def write(name, events):
    with open(name, 'w') as f:
        f.write('{"traceEvents":[\n' + ',\n'.join(json.dumps(e) for e in events) + '\n]}\n')
def span(name, begin, end, pid=1, cat='c', **args):
    return {'ph': 'X', 'name': name, 'cat': cat, 'pid': pid, 'tid': pid, 'ts': us(begin), 'dur': us(end - begin), 'args': args}
def flow(ph, i, ts):
    return {'ph': ph, 'name': 'm', 'cat': 'c', 'id': i, 'pid': 1, 'tid': 1, 'ts': us(ts), 'bp': 'e'}
def clock(offset, ppb=0):
    return lambda t: t + offset + t * ppb // 10**9
def calls(count=300):
    t = 0
    for i in range(count):
        t += 10**6 + rng.randrange(2 * 10**7)
        out, back = 9000 + int(rng.expovariate(1 / 40000)), 9000 + int(rng.expovariate(1 / 40000))
        served = t + out + 30000 + rng.randrange(500000)
        yield t, t + out, served, served + back
def collectives(ranks, count=400):
    t = 10**8
    for i in range(count):
        t += 2 * 10**6 + rng.randrange(2 * 10**7)
        begins = [t + rng.randrange(10**6) for _ in range(ranks)]
        yield [(b, max(begins) + 60000 + int(rng.expovariate(1 / 50000))) for b in begins]
c, s = clock(5 * 10**9), clock(3 * 10**9, 40000)
$1
END
}

placed() {
    tm-unpack "$@" | tm-manifest | tm-clocks
}

# field FILE NAME: prints a field of FILE in align.json.
field() {
    jq -r --arg f "$1" --arg n "$2" '.alignment[] | select(.file == $f) | .[$n]' align.json
}

# near FILE WANT_OFFSET WANT_PPB WITHIN: both ends of FILE's line are within WITHIN of the line with offset WANT_OFFSET
# and drift WANT_PPB against trace 0.
near() {
    jq -e --arg f "$1" --argjson o "$2" --argjson d "$3" --argjson w "$4" '.alignment[] | select(.file == $f) |
        . as $a | [.first_ns, .last_ns] | all(. as $x |
            ($a.offset_ns + $a.drift_ppb * ($x - $a.at_ns) / 1e9 - $o - $d * ($x - 3e9) / 1e9) as $e |
            ($e < $w and -$e < $w and $e <= $a.uncertainty_ns and -$e <= $a.uncertainty_ns))' align.json ||
        { cat align.json; false; }
}

requests='
a, b = [], []
for i, (t, u, v, w) in enumerate(calls()):
    a += [flow("s", f"q{i}", c(t)), flow("f", f"r{i}", c(w))]
    b += [flow("f", f"q{i}", s(u)), flow("s", f"r{i}", s(v))]'

@test "flows give offset and drift, with the true offset inside the bounds" {
    made "$requests
write('a.json', a); write('b.json', b)"
    placed a.json b.json | tm-align -f json >align.json
    [ "$(field a.json verdict)" = reference ]
    [ "$(field b.json verdict)" = aligned ]
    [ "$(field b.json reference)" = a.json ]
    [ "$(field b.json rule)" = flows ]
    [ "$(field b.json matches)" = 600 ]
    near b.json 2000000000 -40000 10000
    jq -e '.alignment[1] | keys_unsorted == ["file", "verdict", "reference", "rule", "matches", "left_out", "offset_ns",
        "at_ns", "drift_ppb", "uncertainty_ns", "low_ns", "high_ns", "first_ns", "last_ns"]' align.json
    jq -e '.alignment[1] | .low_ns <= .offset_ns and .offset_ns <= .high_ns' align.json
}

# slewed STEP: makes a.json and b.json, whose clock is set by STEP ns or, with 0, slewed at the end, and truth.
slewed() {
    made "
def e(t): return s(t) + ($1 if t > 5 * 10**9 else 0) + (0 if $1 else max(0, t - 5 * 10**9) * 20 // 10**6)
a, b = [], []
for i, (t, u, v, w) in enumerate(calls(600)):
    a += [flow('s', f'q{i}', c(t)), flow('f', f'r{i}', c(w))]
    b += [flow('f', f'q{i}', e(u)), flow('s', f'r{i}', e(v))]
    with open('truth', 'a') as f: print(e(u), c(u) - e(u), file=f)
write('a.json', a); write('b.json', b)"
}

# holds: checks that the true offset is within the stated bounds at every time.
holds() {
    python3 - <<'END'
import json
f = json.load(open('align.json'))['alignment'][1]
for x, true in (map(int, line.split()) for line in open('truth')):
    line = f['offset_ns'] + f['drift_ppb'] * (x - f['at_ns']) // 10**9
    assert abs(line - true) <= f['uncertainty_ns'] + 1, (f, x, true, line)
END
}

@test "a clock that is slewed or set a little is called uneven, and the true offset stays inside the bounds" {
    for step in 0 15000; do
        rm -f truth
        slewed $step
        placed a.json b.json | tm-align -f json >align.json
        [ "$(field b.json verdict) $(field b.json evenness)" = "aligned uneven" ]
        holds
        [ "$(field b.json uncertainty_ns)" -lt 300000 ]
        placed a.json b.json | tm-align | grep -q '^  its clock or that of the reference does not drift evenly; '
    done
}

@test "few matches do not show whether clocks drift evenly, which the result says" {
    made "
a, b = [], []
for i, (t, u, v, w) in enumerate(calls(20)):
    a += [flow('s', f'q{i}', c(t)), flow('f', f'r{i}', c(w))]; b += [flow('f', f'q{i}', s(u)), flow('s', f'r{i}', s(v))]
write('a.json', a); write('b.json', b)"
    placed a.json b.json | tm-align -f json >align.json
    [ "$(field b.json evenness)" = untested ]
    placed a.json b.json | tm-align | grep -qx '  the bounds hold if both clocks drift evenly; the matches are too few to test that'
}

@test "sorted and unsorted streams give the same result" {
    made "$requests
write('a.json', a); write('b.json', b)"
    placed a.json b.json | tm-align >plain
    placed a.json b.json | tm-sort | tm-align >sorted
    diff plain sorted
}

@test "flows in one direction give a bound and no offset" {
    made "$requests
write('a.json', [e for e in a if e['id'][0] == 'q']); write('b.json', [e for e in b if e['id'][0] == 'q'])"
    placed a.json b.json | tm-align -f json >align.json
    [ "$(field b.json verdict)" = one-sided ]
    [ "$(field b.json offset_ns)" = null ]
    [ "$(field b.json uncertainty_ns)" = null ]
    [ "$(field b.json high_ns)" = null ]
    [ "$(field b.json low_ns)" -gt 1990000000 ]
    placed a.json b.json | tm-align --write-manifest=m.json >text
    grep -q '^b.json: one-sided to a.json, by flows; 300 matches$' text
    jq -e '.perfetto_manifest.files == []' m.json
}

@test "a chain of files, each with flows in one direction to the next, gives a bound for each link" {
    made "
for case in range(12): # ids decide the order in which pairs are found
    files = [[] for _ in range(4)]
    for k in range(3):
        for i, (t, u, _, _) in enumerate(calls(5)):
            files[k + k % 2].append(flow('s', f'{case}.{k}.{i}', c(t))); files[k + 1 - k % 2].append(flow('f', f'{case}.{k}.{i}', c(u)))
    for k in range(4): write(f'{case}.f{k}.json', files[k])"
    for case in {0..11}; do
        placed $case.f?.json | tm-align -f json >align.json
        jq -e '[.alignment[].verdict] == ["reference", "one-sided", "one-sided", "one-sided"]' align.json
        jq -e '[.alignment[1:][].reference[-7:]] == ["f0.json", "f1.json", "f2.json"]' align.json
    done
}

@test "an estimate is inside the certain bounds in the middle too, where flows disprove marks that were late" {
    made "
a, b = [], []
for i in range(300):
    t = 10**9 + i * 3 * 10**7 + rng.randrange(2 * 10**7)
    a.append(span('mark', c(t), c(t) + 1000)); b.append(span('mark', s(t) + 300000 + rng.randrange(20000), s(t) + 400000))
for i, (t, u, v, w) in enumerate(calls(20)):
    a += [flow('s', f'q{i}', c(5 * 10**9 + t)), flow('f', f'r{i}', c(5 * 10**9 + w))]
    b += [flow('f', f'q{i}', s(5 * 10**9 + u)), flow('s', f'r{i}', s(5 * 10**9 + v))]
write('a.json', a); write('b.json', b)"
    placed a.json b.json | tm-align -r flows,name:mark,begin -f json >align.json
    jq -e '.alignment[1] | .rule == "flows,name:mark" and .low_ns <= .offset_ns and .offset_ns <= .high_ns' align.json
    near b.json 2000000000 -40000 3000000
}

@test "flows that all have one id are matched in order, in a time that does not grow with the square of their number" {
    local flows
    flows=$(drawn 300000)
    made "
write('a.json', [flow('s', 1, 10000 * i) for i in range($flows)])
write('b.json', [flow('f', 1, 10000 * i + 5000) for i in range($flows)])"
    placed a.json b.json >placed.tms
    cpu_seconds 30 tm-align -f text <placed.tms >text
    grep -q "^b.json: one-sided to a.json, by flows; $flows matches$" text
}

@test "equal names and rhythm alone give no result" {
    made "
a, b = [], []
for i, (t, u, v, w) in enumerate(calls()):
    a.append(span('GET', c(t), c(w))); b.append(span('handle GET', s(u), s(v)))
write('a.json', a); write('b.json', b)"
    placed a.json b.json | tm-align -f json >align.json
    [ "$(jq -r '.alignment[].verdict' align.json | sort -u)" = none ]
}

@test "a clock that was set is reported with the time of the step, and the manifest has both lines" {
    made "$requests
at = s(2 * 10**9)
for e in b:
    e['ts'] += 150000 if e['ts'] * 1000 >= at else 0
write('a.json', a); write('b.json', b)"
    placed a.json b.json | tm-align -f json --write-manifest=m.json >align.json
    [ "$(field b.json verdict)" = stepped ]
    [ "$(field b.json offset_ns)" = null ]
    jq -e '.alignment[1].steps | length == 1 and .[0].at_ns > 4.95e9 and .[0].at_ns < 5.2e9 and
        (.[0].before_ns - .[0].after_ns - 150e6 | . < 20000 and . > -20000)' align.json
    jq -e '.perfetto_manifest.files[1].clocks.x_tracemerge.points | length == 4 and .[2][0] - .[1][0] == 1' m.json
    placed a.json b.json | tm-align | grep 'no line fits; its clock was set'
}

@test "a clock that was set back by more than it had counted does not prevent a merge" {
    for steps in '2 600' '2 5 4 5' '3 62' '1 40'; do
        made "
steps = list(map(int, '$steps'.split()))
def set_back(t):
    return t + t // 10000 + 5000 * 10**9 - sum(10**9 * by for at, by in zip(steps[::2], steps[1::2]) if t >= at * 10**9)
a, b = [], []
for i, (t, u, v, w) in enumerate(calls(600)):
    a += [flow('s', f'q{i}', c(t)), flow('f', f'r{i}', c(w))]
    b += [flow('f', f'q{i}', set_back(u)), flow('s', f'r{i}', set_back(v))]
write('a.json', a); write('b.json', b)"
        placed a.json b.json | tm-align --write-manifest=m.json | grep '^b.json: stepped to a.json'
        jq -e '[.perfetto_manifest.files[1].clocks.x_tracemerge.points[][0]] | . == (sort | unique) and length > 1' m.json
        tm-merge -q --align -f report a.json b.json | grep 'total: 2400 events read, 2400 placed, 0 dropped'
    done
}

@test "spans match by their ids: the server's span is inside the client's, with any spelling of the ids" {
    for names in '"trace_id", "span_id", "parent_span_id"' '"traceID", "spanID", "parentSpanID"' \
        '"traceId", "spanId", "parentId"'; do
        made "
a, b = [], []
names = [$names]
for i, (t, u, v, w) in enumerate(calls()):
    a.append(span('GET', c(t), c(w), **dict(zip(names, (f'{i + 1:032x}', f'{2 * i + 1:016x}', '')))))
    b.append(span('handle', s(u), s(v), **dict(zip(names, (f'{i + 1:032x}', f'{2 * i + 2:016x}', f'{2 * i + 1:016x}')))))
write('a.json', a); write('b.json', b)"
        placed a.json b.json | tm-align -f json >align.json
        [ "$(field b.json rule)" = spans ]
        near b.json 2000000000 -40000 10000
        merge_finds_the_same a.json b.json
    done
}

@test "a clock that counts whole milliseconds loosens constraints and does not contradict them" {
    for coarse in client server; do
        made "
a, b = [], []
def coarsely(t, whose):
    return t // 10**6 * 10**6 if whose == '$coarse' else t
t = 0
for i in range(400):
    t += 10**6 + rng.randrange(2 * 10**7)
    u = t + 9000 + int(rng.expovariate(1 / 40000)); v = u + rng.randrange(200000); w = v + 9000 + int(rng.expovariate(1 / 40000))
    begin, inner = coarsely(c(t), 'client'), coarsely(s(u), 'server')
    a.append(span('GET', begin, begin + w - t, trace_id=f'{i + 1:032x}', span_id=f'{2 * i + 1:016x}'))
    b.append(span('handle', inner, inner + v - u, trace_id=f'{i + 1:032x}', span_id=f'{2 * i + 2:016x}', parent_span_id=f'{2 * i + 1:016x}'))
write('a.json', a); write('b.json', b)"
        placed a.json b.json | tm-align -f json >align.json
        [ "$(field b.json verdict)" = aligned ]
        [ "$(field b.json left_out)" = 0 ]
        [ "$(jq -c '[.alignment[].granularity_ns]' align.json)" = "$([ $coarse = client ] && echo '[1000000,null]' || echo '[null,1000000]')" ]
        near b.json 2000000000 -40000 60000
    done
    placed a.json b.json | tm-align | grep -x '  its clock counts in steps of 1 ms, which loosens constraints by as much'
}

@test "a clock of whole milliseconds or microseconds is recognised by three matches, and the bounds hold" {
    for step in 1000 1000000; do
        made "
a, b = [], []
for i, (t, u, v, w) in enumerate(calls(3)):
    a += [flow('s', f'q{i}', c(t)), flow('f', f'r{i}', c(w))]
    if i < 2: b.append(flow('f', f'q{i}', s(u) // $step * $step))
    if i > 1: b.append(flow('s', f'r{i}', s(v) // $step * $step))
write('a.json', a); write('b.json', b)"
        placed a.json b.json | tm-align -f json >align.json
        jq -e '.alignment[1] | .matches == 3 and .granularity_ns == '$step' and .low_ns <= 2e9 and .high_ns >= 2e9' align.json
    done
}

@test "a shared argument that a rule names matches spans, and the longer one contains the shorter" {
    made "
a, b = [], []
for i, (t, u, v, w) in enumerate(calls()):
    a.append(span('GET', c(t), c(w), rpc_id=i)); b.append(span('handle', s(u), s(v), rpc_id=str(i)))
write('a.json', a); write('b.json', b)"
    placed a.json b.json >p
    tm-align -f json <p >align.json
    [ "$(field b.json verdict)" = none ]
    tm-align -r key:args.rpc_id -f json <p >align.json
    [ "$(field b.json rule)" = key:args.rpc_id ]
    near b.json 2000000000 -40000 10000
}

kernels='
def put(first, seq):
    clocks = [clock(10**9), clock(4 * 10**9, 30000), clock(2 * 10**9, -20000)]
    files = [[], [], []]
    for i, ranks in enumerate(collectives(3)):
        for r, (begin, end) in enumerate(ranks):
            if i >= first[r]:
                args = {"Collective name": "allreduce", "Process Group Name": "0", "Group size": 3}
                if seq: args["Seq"] = i
                files[r].append(span("ncclDevKernel_AllReduce_Sum_f32_RING_LL(a, b)", clocks[r](begin), clocks[r](end), cat="kernel", **args))
    for r in range(3): write(f"r{r}.json", files[r])'

# The third file's clock reads t + 2e9 - 20 ppm, the first's t + 1e9.
aligned_ranks() {
    [ "$(field r0.json verdict)" = reference ]
    jq -e '.alignment[2] | .verdict == "aligned" and (.offset_ns + .drift_ppb * (3e9 - .at_ns) / 1e9 + 1e9 - 20000 |
        . < 10000 and . > -10000) and (.drift_ppb - 20000 | . < 8000 and . > -8000) and .uncertainty_ns < 200000' align.json ||
        { cat align.json; false; }
}

@test "numbered collectives match, even if a rank began late" {
    made "$kernels
put([0, 0, 100], True)"
    placed r?.json | tm-align -f json >align.json
    [ "$(field r2.json rule)" = collectives ]
    [ "$(field r2.json matches)" = 300 ]
    aligned_ranks
}

# also_of_two COUNT LENGTH DELAY: collectives of r0 with r1 and of r0 with r2, 300 of each in 3 s, and COUNT of r1 with r2
# in LENGTH ns, which ranks leave with delays of DELAY ns on average. Lines must be within 10 us of the truth.
also_of_two() {
    made "
clocks = [clock(10**9), clock(4 * 10**9, 30000), clock(2 * 10**9, -20000)]
files, seq = [[], [], []], 0
for ranks, count, length, delay in ((0, 1), 300, 3 * 10**9, 30000), ((0, 2), 300, 3 * 10**9, 30000), ((1, 2), $1, $2, $3):
    for i in range(count):
        t, seq = 10**8 + rng.randrange(length), seq + 1
        begins = [t + int(rng.expovariate(1 / 200000)) for _ in ranks]
        for r, begin in zip(ranks, begins):
            end = max(begins) + 20000 + int(rng.expovariate(1 / delay))
            files[r].append(span('ncclDevKernel_AllReduce', clocks[r](begin), clocks[r](end), cat='kernel', Seq=seq, **{
                'Collective name': 'allreduce', 'Process Group Name': str(ranks)}))
for r in range(3): write(f'r{r}.json', files[r])"
    placed r?.json | tm-align -f json >align.json
    near r1.json -2999970000 -30000 10000
    near r2.json -999980000 20000 10000
}

@test "one match of two files, or many in a short time, do not move lines that others determine better" {
    also_of_two 1 3000000000 2000000
    also_of_two 200 10000000 30000
}

@test "cycles state the error of each pair, and nothing without a cycle" {
    made "$kernels
put([0, 0, 0], True)"
    placed r?.json | tm-align -f json >align.json
    jq -e '.cycles | length == 1 and (.[0] | .files == ["r1.json", "r2.json"] and .error_ns < 20000 and .error_ns > -20000)' align.json
    placed r?.json | tm-align |
        grep '^one pair closes a cycle; the offsets around it add up to [0-9.]* [nu]s, for the pair of r1.json and r2.json$'
    placed r0.json r1.json | tm-align -f json | jq -e '.cycles == []'
    run bash -c "$(declare -f placed); placed r0.json r1.json | tm-align"
    [[ $output != *cycles* ]]
    tm-merge --align --json -f report r?.json | jq -e '.cycles | length == 1'
}

@test "unnumbered collectives get the right shift, and the second best is stated" {
    for late in 0 130; do
        made "$kernels
put([0, 0, $late], False)"
        placed r?.json | tm-align -f json >align.json
        [ "$(field r2.json matches)" = $((400 - late)) ]
        aligned_ranks
    done
}

@test "sends and receives match by number, and without numbers the nth matches the nth" {
    for seq in True False; do
        made "
a, b, c = [], [], clock(3 * 10**9, 40000)
for i, (sent, arrived, answered, back) in enumerate(calls()):
    def kernel(name, begin, end, src, dst):
        args = {'Collective name': name, 'Process Group Name': '0', 'Src Rank': src, 'Dst Rank': dst, 'In msg nelems': 64}
        if $seq: args['Seq'] = i
        return span('ncclDevKernel_SendRecv(a, b)', begin, end, cat='kernel', **args)
    clock_a = clock(5 * 10**9)
    a += [kernel('send', clock_a(sent), clock_a(arrived + 2000), 0, 1), kernel('recv', clock_a(answered - 9000), clock_a(back), 1, 0)]
    b += [kernel('recv', c(sent - 9000), c(arrived), 0, 1), kernel('send', c(answered), c(back + 2000), 1, 0)]
write('a.json', a); write('b.json', b)"
        placed a.json b.json | tm-align -f json >align.json
        [ "$(field b.json verdict)" = aligned ]
        [ "$(field b.json matches)" = 600 ]
        jq -e '.alignment[1] | .low_ns <= .offset_ns and .offset_ns <= .high_ns' align.json
        near b.json 2000000000 -40000 100000
        merge_finds_the_same a.json b.json
    done
}

@test "periodic events are ambiguous" {
    made "
files = [[], []]
for i in range(200):
    for r in range(2):
        at = 10**9 * (r + 1) + i * 10**7 + rng.randrange(100000)
        files[r].append(span('nccl:all_reduce', at, at + 400000 + rng.randrange(50000), cat='user_annotation'))
write('a.json', files[0]); write('b.json', files[1])"
    placed a.json b.json | tm-align -f json >align.json
    [ "$(field b.json verdict)" = ambiguous ]
    [ "$(field b.json uncertainty_ns)" = null ]
    jq -e '.alignment[1] | (.offset_ns - .second_best_ns) | . > 9000000 or . < -9000000' align.json
}

@test "ranks in a nearly even rhythm that each lost an event are aligned, and contradict nobody" {
    made "
ranks = 12
files = [[] for r in range(ranks)]
clocks = [clock(10**9 * (r + 1)) for r in range(ranks)]
for i in range(60):
    at = 10**8 + i * 25 * 10**6 + rng.randrange(500000)
    begins = [at + rng.randrange(100000) for r in range(ranks)]
    for r in range(ranks):
        if i != 20 + r * r % 7 and i != 57 - r:
            end = max(begins) + 10000 + rng.randrange(10000)
            files[r].append(span('nccl:all_reduce', clocks[r](begins[r]), clocks[r](end), cat='user_annotation'))
for r in range(ranks):
    write(f'{r}.json', files[r])"
    placed 0.json {1..11}.json | tm-align -f json >align.json
    for r in {1..11}; do
        near $r.json -$((r * 1000000000)) 0 30000
    done
}

@test "markers match by name, by both edges or by one" {
    made "
files = [[], []]
clocks = [clock(10**9), clock(3 * 10**9)]
for i, ranks in enumerate(collectives(2)):
    for r, (begin, end) in enumerate(ranks):
        files[r].append(span(f'step {i % 3}', clocks[r](begin), clocks[r](end)))
write('a.json', files[0]); write('b.json', files[1])"
    placed a.json b.json >p
    tm-align -f json <p >align.json
    [ "$(field b.json verdict)" = none ]
    tm-align -f json -r 'name:^step [0-9]' <p >align.json
    near b.json -2000000000 0 20000
    tm-align -f json -r 'name:^step [0-9]{1,2}$,end' <p >align.json
    [ "$(field b.json verdict)" = aligned ]
    [ "$(field b.json uncertainty_ns)" = null ]
    [ "$(field b.json rule)" = 'name:^step [0-9]{1,2}$' ]
    jq -e '.alignment[1].offset_ns + 2e9 | . < 20000 and . > -20000' align.json
}

# Marks of thread 1240 in a system trace, and those of a program on a clock that is 40 s later and 30 ppm fast.
marks='
def mark(t, what):
    return f"          app-1240  ( 1200) [002] ...1  {t // 10**9}.{t % 10**9 // 1000:06d}: tracing_mark_write: {what}\n"
lines, events, k = ["# tracer: nop\n"], [], clock(40 * 10**9, 30000)
t = 10**11
for i in range(300):
    t += 10**6 + rng.randrange(10**7)
    name = rng.choice(["load", "draw", f"frame {i}", "Choreographer#doFrame"])
    if i >= 40:
        lines += [mark(t, f"B|1200|{name}"), mark(t + 400000, "E|1200")]
    if i < 260 and (rng.random() < 0.9 or name[0] != "d"):
        late = rng.randrange(3000)
        events.append(span(name, k(t + late), k(t + 400000 + late), pid=THREAD))
        events.append(span("own " + name, k(t + 1000), k(t + 300000), pid=THREAD))
open("system.txt", "w").write("".join(lines))
write("app.json", events)'

@test "marks of a program match its marks in a system trace" {
    made "${marks//THREAD/1240}"
    for files in "system.txt app.json" "app.json system.txt"; do
        placed $files | tm-align -f json >align.json
        jq -e '[.alignment[] | select(.verdict == "aligned")] | length == 1 and .[0].rule == "recorded-twice" and
            .[0].matches > 100 and .[0].uncertainty_ns == null' align.json || { cat align.json; false; }
        # Either file may be the reference.
        python3 - <<'END'
import json
f = [f for f in json.load(open("align.json"))["alignment"] if f["verdict"] == "aligned"][0]
for x in (f["first_ns"], f["last_ns"]):
    told = f["offset_ns"] + f["drift_ppb"] * (x - f["at_ns"]) / 1e9
    true = (x - 40e9) / (1 + 3e-5) - x if f["file"] == "app.json" else 40e9 + x * 3e-5
    assert abs(told - true) < 5000, (f, x, told, true)
END
    done
    # No rule relates a thread of another number, or statements of two programs about one thread.
    cp app.json other.json
    placed app.json other.json | tm-align -f json | jq -e 'all(.alignment[]; .verdict == "none")'
    made "${marks//THREAD/1300}"
    placed system.txt app.json | tm-align -f json | jq -e 'all(.alignment[]; .verdict == "none")'
}

@test "marks of two system traces are compared with a third one in a time that does not grow with the square of their number" {
    made "
import string
letters = string.ascii_lowercase
names = [a + b + c + d for a in letters for b in letters for c in letters for d in 'xy']
for file, first, step in ('a', 0, 2), ('b', 1, 2), ('c', 0, 1):
    with open(file + '.txt', 'w') as f:
        f.write('# tracer: nop\n#\n')
        for i, n in enumerate(range(first, 35000, step)):
            f.write(f'             app-7     (    7) [001] .... {100 + i / 1000:.6f}: tracing_mark_write: I|7|{names[n]}\n' * 2)"
    placed a.txt b.txt c.txt >placed.tms
    cpu_seconds 20 tm-align -f text <placed.tms >text
    [ "$(grep -c ': none' text)" -eq 3 ]
}

@test "a manifest of many files is written in a time that does not grow with the square of their number" {
    local files=40000
    ! is_sanitized || files=1000 # the time of sanitized programs says little
    python3 - $files >many.tar <<'END'
import io, json, sys, tarfile
files = int(sys.argv[1])
def entry(i):
    return {'path': f'{i}.json', **({'clocks': {'sync_to': {'file': '0.json'}, 'offset_ns': 5}} if i else {})}
with tarfile.open(fileobj=sys.stdout.buffer, mode='w', format=tarfile.USTAR_FORMAT) as t:
    def add(name, text):
        info = tarfile.TarInfo(name)
        info.size = len(text)
        t.addfile(info, io.BytesIO(text.encode()))
    add('m', json.dumps({'perfetto_manifest': {'version': 1, 'files': [entry(i) for i in range(files)]}}))
    for i in range(files):
        add(f'{i}.json', '[{"name":"n","ph":"X","ts":1,"dur":5,"pid":1,"tid":1}]')
END
    placed many.tar >placed.tms
    cpu_seconds 3 tm-align --write-manifest=aligned.json -o text <placed.tms
    [ "$(grep -c '"offset_ns": 5' aligned.json)" -eq $((files - 1)) ]
}

@test "threads of processes whose numbers differ only in their highest bits are not one" {
    made "
def event(ph, pid, at, **more):
    return {'ph': ph, 'name': 'x', 'pid': pid, 'tid': 1, 'ts': at, **more}
# In both files spans of 10 and 6 us have one middle. Others of a thread of the same tid end after them.
write('a.json', [e for k in range(8) for e in (
    event('B', 1, 1000 * k, args={'id': f'i{k}'}), event('B', 2**56 + 1, 1000 * k + 1),
    event('E', 1, 1000 * k + 10), event('E', 2**56 + 1, 1000 * k + 20))])
write('b.json', [event('X', 1, 1000 * k + 102, dur=6, args={'id': f'i{k}'}) for k in range(8)])"
    placed a.json b.json | tm-align --rules=key:args.id -f json >align.json
    [ "$(field b.json offset_ns)" = -100000 ]
}

@test "periodic marks of a program in a system trace are ambiguous" {
    made "
lines, events = ['# tracer: nop\\n'], []
for i in range(200):
    t = 10**11 + i * 16666667 + rng.randrange(20000)
    lines.append(f'  app-1240  ( 1200) [002] ...1  {t // 10**9}.{t % 10**9 // 1000:06d}: tracing_mark_write: B|1200|doFrame\\n')
    t += 400000
    lines.append(f'  app-1240  ( 1200) [002] ...1  {t // 10**9}.{t % 10**9 // 1000:06d}: tracing_mark_write: E|1200\\n')
    if i >= 30:
        events.append(span('doFrame', t + 4 * 10**9, t + 4 * 10**9 + 300000, pid=1240))
open('system.txt', 'w').write(''.join(lines))
write('app.json', events)"
    placed system.txt app.json | tm-align -f json >align.json
    [ "$(jq -r '.alignment[].verdict' align.json | sort | paste -sd' ')" = "ambiguous reference" ]
}

@test "wrong matches are left out and counted" {
    made "$requests
for k in range(0, 300, 30):
    b[2 * k]['ts'] -= 70000
write('a.json', a); write('b.json', b)"
    placed a.json b.json | tm-align -f json >align.json
    [ "$(field b.json left_out)" = 10 ]
    near b.json 2000000000 -40000 10000
}

@test "matches that fit no line are contradictory" {
    made "$requests
for e in b:
    e['ts'] += rng.randrange(-50000, 50000)
write('a.json', a); write('b.json', b)"
    placed a.json b.json | tm-align -f json >align.json
    [ "$(field b.json verdict)" = contradictory ]
    [ "$(field b.json offset_ns)" = null ]
}

@test "few wrong matches of two files do not make others contradictory, and the result names the files" {
    made "
events = {name: [] for name in ('a.json', 'b.json', 'c.json', 'd.json')}
clocks = {'a.json': c, 'b.json': s, 'c.json': clock(10**9), 'd.json': clock(8 * 10**9)}
def send(k, one, other, t, u):
    events[one].append(flow('s', k, clocks[one](t)))
    events[other].append(flow('f', k, clocks[other](u)))
for one, other in (('a.json', 'b.json'), ('b.json', 'c.json')):
    for i, (t, u, v, w) in enumerate(calls()):
        send(f'{one}q{i}', one, other, t, u)
        send(f'{one}r{i}', other, one, v, w)
for i in range(3):                                    # ids of both by chance
    send(f'{i}', 'a.json', 'c.json', 10**9 + i * 10**7, 5 * 10**8)
    send(f'{i + 3}', 'c.json', 'a.json', 10**9 + i * 10**7, 2 * 10**9)
send('6', 'a.json', 'd.json', 10**9, 2 * 10**9)       # possible, if nothing else relates d
for name in events:
    write(name, events[name])"
    placed a.json b.json c.json >p
    tm-align -f json <p >align.json
    jq -e '[.alignment[].verdict] == ["reference", "aligned", "aligned"]' align.json
    jq -e '.pairs_left_out == [{files: ["a.json", "c.json"], constraints: 6}]' align.json
    [ "$(field a.json left_out)" = 6 ]
    [ "$(field b.json left_out)" = 0 ]
    near b.json 2000000000 -40000 10000
    near c.json 4000000000 0 20000
    tm-align <p | grep -x 'left out: the constraints between a.json and c.json (6), .*'
    placed a.json b.json d.json | tm-align -f json >align.json
    jq -e '[.alignment[].verdict] == ["reference", "aligned", "one-sided"] and (has("pairs_left_out") | not)' align.json
}

@test "pairs of equally many matches that contradict each other are contradictory" {
    made "
events = {name: [] for name in ('a.json', 'b.json', 'c.json')}
clocks = {'a.json': c, 'b.json': s, 'c.json': clock(10**9)}
for one, other, by in (('a.json', 'b.json', 0), ('b.json', 'c.json', 0), ('a.json', 'c.json', 10**9)):
    for i, (t, u, v, w) in enumerate(calls(40)):
        events[one] += [flow('s', f'{one}{other}q{i}', clocks[one](t)), flow('f', f'{one}{other}r{i}', clocks[one](w))]
        events[other] += [flow('f', f'{one}{other}q{i}', clocks[other](u) + by),
                          flow('s', f'{one}{other}r{i}', clocks[other](v) + by)]
for name in events:
    write(name, events[name])"
    placed a.json b.json c.json | tm-align -f json >align.json
    jq -e '[.alignment[].verdict] == ["reference", "contradictory", "contradictory"]' align.json
    jq -e 'has("pairs_left_out") | not' align.json
}

@test "ids that each file uses only for itself relate no files" {
    made "
for n, name in enumerate(('a.json', 'b.json')):
    k = clock(10**9 * (n + 1))
    write(name, [flow(p, i, k(t + (p == 'f') * 5000)) for i, (t, _, _, _) in enumerate(calls()) for p in 'sf'] +
          [flow('f', i, k(i * 1000)) for i in range(50)])"
    placed a.json b.json | tm-align -f json >align.json
    [ "$(jq -r '.alignment[].verdict' align.json | sort -u)" = none ]
}

@test "--check counts the effects before their causes, names the first, and states the shift that corrects them" {
    made "$requests
write('a.json', a); write('b.json', b)"
    placed a.json b.json >p
    run --separate-stderr tm-align --check <p
    [ "$status" -eq 4 ]
    [ "$stderr" = "tm-align: effects come before their causes" ]
    [[ ${lines[0]} == "a.json to b.json: 300 of 300 effects come before their causes, the worst by 1.999"*" s" ]]
    [[ ${lines[1]} == "  m at "*" s, and m at "*" s" ]]
    [[ ${lines[4]} == "  fixed if b.json is shifted by +1.999"*" s or more" ]]
    [ "${lines[5]}" = "600 constraints across files were tested" ]
    run --separate-stderr tm-align --check -f json <p
    [ "$status" -eq 4 ]
    jq -e '.causality | length == 2 and .[0].violated == 300 and .[1].violated == 0 and .[0].first[2].effect == "m"' <<<"$output"
}

@test "--check allows an effect to be late by the granularity of its clock" {
    made "
c, s = clock(10**9), clock(10**9)
a, b = [], []
for i, (t, u, v, w) in enumerate(calls()):
    a += [flow('s', f'q{i}', c(t)), flow('f', f'r{i}', c(w))]
    b += [flow('f', f'q{i}', s(u) // 10**6 * 10**6), flow('s', f'r{i}', s(v) // 10**6 * 10**6)]
write('a.json', a); write('b.json', b)
write('late.json', [dict(e, ts=e['ts'] - 1000 * (e['id'] == 'q7' and e['ph'] == 'f')) for e in b])"
    placed a.json b.json | tm-align --check >checked
    [ "$(cat checked)" = "600 constraints across files were tested" ]
    placed a.json late.json | tm-align --check >checked || [ $? -eq 4 ]
    grep -F 'a.json to late.json: 1 of 300 effects comes before its cause' checked
}

@test "a report counts effects before their causes if flows cross files" {
    made "$requests
write('a.json', a); write('b.json', b); write('c.json', [dict(e, id=0) for e in b])"
    tm-merge -f report a.json b.json >report
    sed -n '/^causality$/,$p' report >section
    grep -E '^  a.json to b.json: 300 of 300 effects come before their causes, the worst by 1\.999[0-9]* s$' section
    grep -Fx '  600 constraints across files were tested' section
    tm-merge -f report --json a.json b.json >report.json
    tm-unpack a.json b.json | tm-manifest | tm-clocks >placed
    tm-align --check -f json <placed >check.json || [ $? -eq 4 ]
    jq -e --slurpfile check check.json '.causality == $check[0].causality and .total.balanced' report.json
    # Placed by the result of tm-align, no event comes before its cause.
    tm-merge --align -f report a.json b.json | sed -n '/^causality$/,$p' >section
    [ "$(cat section)" = $'causality\n  600 constraints across files were tested' ]
    # The report states nothing about a single file, files without matches, or events that are not placed.
    for files in a.json "a.json c.json"; do
        tm-merge -f report $files >report
        ! grep causality report || false
        tm-merge --json -f report $files | jq -e 'has("causality") | not'
    done
    tm-unpack a.json b.json | tm-emit -f report >report
    ! grep causality report || false
    tm-merge -f explain a.json b.json >report
    ! grep causality report || false
}

@test "a report names the eight pairs of files with the earliest effects, and counts the others" {
    made "
write('hub.json', [flow('s', f'{n}', c(10**9 + n)) for n in range(12)])
for n in range(12):
    write(f'{n:02}.json', [flow('f', f'{n}', c(10**9 - 1000 * (n + 1)))])"
    tm-merge -f report hub.json ??.json >report
    sed -n '/^causality$/,$p' report >section
    [ "$(grep -c 'hub.json to ' section)" -eq 8 ]
    grep -F 'hub.json to 11.json: 1 of 1 effect comes before its cause' section
    ! grep -F 'hub.json to 00.json' section || false
    grep -Fx '  4 more pairs of files have such effects' section
    grep -Fx '  12 constraints across files were tested' section
}

@test "a merge with the written manifest has no effect before its cause" {
    made "$requests
write('a.json', a); write('b.json', b)"
    placed a.json b.json | tm-align --write-manifest=m.json -o align.txt
    grep -q '^b.json: aligned to a.json' align.txt
    tm-manifest --check m.json
    tm-unpack a.json b.json | tm-manifest -m m.json | tm-clocks | tm-align --check >checked
    [ "$(cat checked)" = "600 constraints across files were tested" ]
}

@test "times out of range are left out and counted, with the spans that they begin or end" {
    made "$requests
def begin(ph, us):
    return {'ph': ph, 'name': 'far', 'cat': 'c', 'pid': 2, 'tid': 2, 'ts': us, 'args': {'trace_id': 'x', 'span_id': 'y'}}
write('near.json', b)
b += [flow('s', f'far{i}', 9 * 10**18) for i in range(3)] + [begin('B', 1), begin('E', 4e15), begin('X', 4e15)]
b[-1]['dur'] = 5e15
write('a.json', a + [flow('f', f'far{i}', 9 * 10**18) for i in range(3)]); write('b.json', b)
write('far.json', [flow('f', 'far0', 9 * 10**18)])"
    placed a.json b.json far.json | tm-align -f json >align.json
    [ "$(field a.json out_of_range)" = 3 ]
    [ "$(field b.json out_of_range)" = 5 ]
    [ "$(field b.json matches)" = 600 ]
    near b.json 2000000000 -40000 10000
    jq -e '.alignment[2] | .verdict == "none" and .out_of_range == 1 and .first_ns == null and .at_ns == null' align.json
    placed a.json b.json far.json | tm-align | grep -Fx '  5 events left out: their times are out of range'
    placed near.json | tm-align -f json | jq -e 'all(.alignment[]; has("out_of_range") | not)'
}

@test "every output is written for times at the ends of the range" {
    for seed in $(seq "$(drawn 6)"); do
        made "
rng = random.Random($seed)
def far():
    edge = rng.choice([-576460752303423, 0, 1700000000000000, 3458764513820540])
    return edge + rng.choice([0, 0, 1, 50, 10**6, 10**12, -1, -50, -10**9, -10**13])
for n in 'abcd':
    events = []
    for i in range(60):
        e = flow(rng.choice('sf'), f'q{rng.randrange(80)}', 0)
        e['ts'] = far()
        events.append(e)
        events.append(span('m', 0, 0, trace_id='t', span_id=f'{rng.randrange(40)}', parent_span_id=f'{rng.randrange(40)}'))
        events[-1].update(ts=far(), dur=rng.choice([0, 1, 10**6, 10**15]))
        kernel = {'Collective name': 'allreduce', 'Process Group Name': 'g', 'Process Group Ranks': '[0, 1]', 'Seq': i // 3}
        events.append(span('ncclDevKernel_AllReduce', 0, 0, **kernel))
        events[-1].update(ts=far(), dur=rng.choice([0, 1, 10**6, 10**15]))
    write(f'{n}.json', events)"
        placed ?.json >placed
        for rules in flows spans collectives name:m,begin flows,spans,collectives; do
            for format in text json svg; do
                tm-align -r $rules -f $format --write-manifest=written.json <placed >out.$format
            done
            jq -e '.alignment | length == 4' out.json
            tm-align -r $rules --check <placed >out || [ $? -eq 4 ]
        done
    done
}

@test "-f svg writes a picture" {
    made "$requests
write('a.json', a); write('b.json', b)"
    placed a.json b.json | tm-align -f svg -o a.svg
    python3 -c 'import xml.dom.minidom, sys; d = xml.dom.minidom.parse("a.svg")
assert len(d.getElementsByTagName("circle")) > 10 and len(d.getElementsByTagName("polyline")) == 2
assert len(d.getElementsByTagName("line")) == 1'
}

@test "a picture has constraints of both sides, lines with their steps, and no line without a result" {
    made "$kernels
put([0, 0, 0], True)"
    placed r?.json | tm-align -f svg -o ranks.svg
    [ "$(grep -c '<circle.*#c33' ranks.svg)" -gt 100 ]
    [ "$(grep -c '<circle.*#36c' ranks.svg)" -gt 100 ]
    made "$requests
for e in b:
    e['ts'] += 150000 if e['ts'] * 1000 >= s(2 * 10**9) else 0
write('a.json', a); write('b.json', b)
write('to.json', [e for e in a if e['id'][0] == 'q']); write('from.json', [e for e in b if e['id'][0] == 'q'])"
    placed a.json b.json | tm-align -f svg | grep -c '<line ' | grep -x 2
    placed to.json from.json | tm-align -f svg -o bound.svg
    [ "$(grep -c '<polyline' bound.svg)" = 1 ]
    ! grep -q '<line ' bound.svg || false
    made "${marks//THREAD/1240}"
    placed system.txt app.json | tm-align -f svg -o marks.svg
    [ "$(grep -c '<circle.*#888' marks.svg)" -gt 50 ]
    python3 -c 'import xml.dom.minidom, sys; [xml.dom.minidom.parse(f) for f in sys.argv[1:]]' *.svg
}

@test "unknown rules and invalid streams are refused" {
    placed "$TM_SRC/doc/examples/phone-watch-app.tar" >p
    for rule in nonsense flows:x key name: 'name:('; do
        run tm-align -r "$rule" <p
        echo "$output"
        [ "$status" -eq 2 ]
    done
    run tm-align </dev/null
    [ "$status" -eq 1 ]
    run bash -o pipefail -c "tm-unpack '$TM_SRC/doc/examples/phone-watch-app.tar' | tm-align"
    [ "$status" -eq 1 ]
    [ "$output" = "tm-align: the stream has not passed through tm-clocks" ]
    run tm-align <p
    [ "$status" -eq 0 ]
}

@test "a comma ends a regular expression unless it is inside brackets or after a backslash" {
    placed "$TM_SRC/doc/examples/phone-watch-app.tar" >p
    for regex in 'a\(' 'a\[' '[(]' '[],(]' '[^](,]' '[[:alpha:](]' '[[.].](]' 'a{1,2}' '(a,b)' 'a]' 'x,begin' 'x,end'; do
        run tm-align -r "name:$regex,nonsense" <p
        echo "$regex: $output"
        [ "$status" -eq 2 ]
        [[ $output == "tm-align: 'nonsense' is not a rule"* ]]
    done
    tm-align -r 'name:a\,nonsense' <p
}

@test "tm-merge --align merges by the result and reports it" {
    made "$requests
write('a.json', a); write('b.json', b)"
    tm-merge --align -f report a.json b.json >report
    grep -A 3 '^alignment$' report | grep '^  b.json: aligned to a.json, by flows; 600 matches$'
    tm-merge --align --explain a.json b.json | grep -A 2 '^b.json' | grep '^  Alignment: events of both files say'
    tm-merge --align -f summary a.json b.json | grep 'b.json on host: .*, by an alignment of events, offset'
    tm-merge --align=flows --json -f report a.json b.json >align.json
    near b.json 2000000000 -40000 10000
    tm-merge --align -o merged.json a.json b.json
    # In the merged file each response follows its request: the server's q ends come after the client's q starts.
    jq -e '[.traceEvents[] | select(.ph == "s" or .ph == "f")] | group_by([.id, .cat]) | length >= 300' merged.json
    run --separate-stderr tm-merge --align --check-causality a.json b.json
    [ "$status" -eq 0 ]
    [ "$output" = "600 constraints across files were tested" ]
    run --separate-stderr tm-merge --check-causality a.json b.json
    [ "$status" -eq 4 ]
    [[ ${lines[0]} == "a.json to b.json: 300 of 300 effects"* ]]
}

# unpacked ARG...: prints how often tm-merge --align ARG... a.json b.json runs tm-unpack.
unpacked() {
    rm -rf bin runs
    mkdir bin
    cp "$TM_BIN/tm-merge" bin/
    for name in tm-manifest tm-clocks tm-sort tm-emit tm-align; do
        ln -s "$TM_BIN/$name" bin/
    done
    # It begins when the other stages are there.
    printf '#!/bin/sh\necho >>runs\nsleep .2\nexec %s/tm-unpack "$@"\n' "$TM_BIN" >bin/tm-unpack
    chmod +x bin/tm-unpack
    bin/tm-merge -q --align "$@"
    wc -l <runs
}

@test "tm-merge --align unpacks once if the outputs need what tm-align reads, and writes the same bytes" {
    made "$requests
write('a.json', a); write('b.json', b)"
    tm-merge -q --align --write-manifest=used.json -o want.pftrace a.json b.json
    for format in pftrace sqlite jsonl json; do
        tm-merge -q -m used.json -f $format -o want a.json b.json
        rm -f got
        unpacked -f $format -o got a.json b.json >count
        grep -x "$([ $format = json ] && echo 2 || echo 1)" count
        if [ $format = sqlite ]; then # it stores the source of its times
            diff <(sqlite3 want 'SELECT * FROM slice') <(sqlite3 got 'SELECT * FROM slice')
        else
            cmp want got
        fi
    done
    [ "$(unpacked --check-causality a.json b.json | tail -n 1)" = 1 ]
    [ "$(unpacked --check-causality -f jsonl a.json b.json | tail -n 1)" = 1 ]
    [ "$(unpacked --no-detail -f jsonl a.json b.json | tail -n 1)" = 2 ]
    [ "$(unpacked --progress -f jsonl -o out a.json b.json 2>&1 | tail -n 1)" = 1 ]
    printf "\x0a\x08\x40\x05\x50\x01\xd0\x02\xac\x02" >c.pftrace # a packet with a time and a sequence
    [ "$(unpacked -f jsonl -o out a.json b.json c.pftrace)" = 1 ]
    [ "$(unpacked -o out.pftrace a.json b.json c.pftrace)" = 2 ] # the input has packets
    tm-merge -q --align --write-manifest=used.json -o want.pftrace a.json b.json c.pftrace
    tm-merge -q -m used.json -o repeated.pftrace a.json b.json c.pftrace
    cmp want.pftrace repeated.pftrace
    cmp want.pftrace out.pftrace
}

@test "the manifest that --align used is written and repeats the merge, also with --hints" {
    made "$requests
write('a.json', a); write('b.json', b)"
    for hints in "" --hints; do
        tm-merge -q $hints --align --write-manifest=used.json -o aligned.pftrace a.json b.json
        tm-merge -q $hints -m used.json -o repeated.pftrace a.json b.json
        cmp aligned.pftrace repeated.pftrace
        jq -e '.perfetto_manifest.files[1].clocks.x_tracemerge.rule == "flows"' used.json
    done
}

@test "tm-merge --align places files whose names have control characters or are longer than a line of a report" {
    made "$requests
write('a.json', a); write('b.json', b)"
    tm-merge -q --align -f csv a.json b.json | cut -d, -f1-5 >wanted
    for name in $'b\x01.json' "$(printf 'b%0200d/%04000d' 0 0).json"; do
        python3 - "$name" <<-'END'
			import sys, tarfile
			with tarfile.open('run.tar', 'w', format=tarfile.PAX_FORMAT) as tar:
			    tar.add('a.json')
			    tar.add('b.json', sys.argv[1])
		END
        tm-merge --align -f csv run.tar 2>said | cut -d, -f1-5 >got
        ! grep 'matches no file' said || false
        cmp wanted got
    done
}

@test "tm-merge --align keeps the machines of a manifest in the input and replaces only relations that it improves" {
    made "$requests
write('a.json', a); write('b.json', b); write('c.json', [span('x', 10**9, 2 * 10**9)])"
    cat >perfetto_manifest.json <<-'END'
	{"perfetto_manifest": {"version": 1, "files": [
	  {"path": "a.json", "machine": {"name": "one"}},
	  {"path": "b.json", "machine": {"name": "two"}, "clocks": {"sync_to": {"file": "a.json"}, "offset_ns": 5000000}},
	  {"path": "c.json", "machine": {"name": "one"}, "clocks": {"sync_to": {"file": "a.json"}, "offset_ns": 7000}}]}}
	END
    tar cf run.tar perfetto_manifest.json a.json b.json c.json
    tm-merge --align --json -f report run.tar >align.json
    near b.json 2000000000 -40000 10000
    jq -e '[.machines[].name] | sort == ["one", "two"]' align.json
    [ "$(tm-merge --events --absolute run.tar | grep -c ' x$')" = 1 ]
    diff <(tm-merge --events --absolute run.tar | grep ' x$') <(tm-merge --align --events --absolute run.tar | grep ' x$')
    run --separate-stderr tm-merge --align --check-causality run.tar
    [ "$status" -eq 0 ]
    # A manifest that cannot be repeated: two recordings of one machine, with a clock each.
    sed -i 's/"clocks": {"sync_to": {"file": "a.json"}, "offset_ns": 7000}/"machines": [{"id": 3, "name": "x"}],  &/' perfetto_manifest.json
    sed -i 's/"path": "c.json", "machine": {"name": "one"}/"path": "c.json"/; s/"sync_to": {"file": "a.json"}, "offset_ns": 7000/"machine": "x", &/' perfetto_manifest.json
    tar cf run.tar perfetto_manifest.json a.json b.json c.json
    run --separate-stderr tm-merge --align -f report run.tar
    [ "$status" -eq 1 ]
    [ "$stderr" = "tm-align: the manifest of the input states relations of clocks that cannot be written together with \
the result" ]
}

@test "tm-merge --align finds the entries of a manifest that names files by their base names, also compressed ones" {
    made "$requests
write('a.json', a); write('b.json', b)"
    mkdir deep
    gzip -c a.json >deep/a.json.gz
    mv a.json b.json deep
    entries() {
        echo '{"perfetto_manifest": {"version": 1, "files": [{"path": "'$1'", "machine": {"name": "one"}},
            {"path": "b.json", "machine": {"name": "two"}, "clocks": {"sync_to": {"file": "'$1'"}, "offset_ns": 5}}]}}'
    }
    for name in a.json a.json.gz; do
        entries $name >named.json
        run --separate-stderr tm-merge --align -m named.json --write-manifest=used.json -f csv -o got deep/$name deep/b.json
        [ "$status" -eq 0 ]
        [ "$stderr" = "" ]
        jq -e --arg name $name '.perfetto_manifest.files | map(.path) == [$name, "b.json"] and
            .[1].clocks.sync_to.file == $name and .[1].clocks.offset_ns != 5' used.json
        (cd deep && tm-merge --align -m ../named.json -f csv -o ../want $name b.json)
        cmp <(cut -d, -f1-5 want) <(cut -d, -f1-5 got)
    done
}

@test "a file that no single offset placed is aligned in readings of its own clock" {
    made "$requests
write('a.json', a); write('b.json', b)"
    cat >points.json <<-'END'
	{"perfetto_manifest": {"version": 1, "files": [{"path": "a.json"}, {"path": "b.json", "clocks": {
	    "sync_to": {"file": "a.json"}, "offset_ns": 900000000000,
	    "x_tracemerge": {"points": [[3000000000, 900000000000], [9000000000, 900000300000]]}}}]}}
	END
    tm-merge -q --align -f jsonl --events a.json b.json >want
    tm-merge -q --align -m points.json --write-manifest=used.json -f jsonl --events a.json b.json >got
    jq -e '.perfetto_manifest.files[1].clocks.x_tracemerge | has("points") and (has("uncertainty_ns") | not)' used.json
    jq -se --slurpfile want want 'def places: sort_by(.file, .position) | map(.ts); [places, ($want | places)] | transpose |
        length > 1000 and all(.[0] - .[1] | . < 3000 and . > -3000)' got
}

@test "jitter of the snapshots that placed a file loosens the constraints, and is in the bounds" {
    python3 - <<'END' >lines
import random
rng = random.Random(5)
events = []
for k in range(40): # readings of the two clocks differ by up to 20 us more or less
    print('snap 6=%d 130=%d seq=1' % (10**12 + k * 10**9 + rng.randrange(-20000, 20001), k * 10**9))
    for i in range(10):
        t = k * 10**9 + i * 10**8 + rng.randrange(5 * 10**7) + 1000
        print('begin call %d clock=130 seq=1' % t); print('finish call %d clock=130 seq=1' % (t + 30000))
        events.append('{"ph": "X", "name": "call", "pid": 1, "tid": 1, "ts": %d.%03d, "dur": 10}' % ((t + 10000) // 1000, t % 1000))
open('b.json', 'w').write('{"traceEvents": [\n' + ',\n'.join(events) + '\n]}\n')
END
    proto a.pb <lines
    placed a.pb b.json | tm-align -r name:call -f json >align.json
    jq -e '.alignment[1] | .verdict == "aligned" and .left_out == 0 and .uncertainty_ns > 20000 and
        .low_ns < 1000000000000 and .high_ns > 1000000000000 and .high_ns - .low_ns < 400000' align.json
}

@test "tm-merge --align gives the warnings about a manifest once, with its name" {
    made "$requests
write('a.json', a); write('b.json', b)"
    echo '{"perfetto_manifest": {"version": 1, "files": [{"path": "c.json"}]}}' >other.json
    tm-merge --align -m other.json -f text a.json b.json 2>said >/dev/null
    grep -x "tm-manifest: warning: other.json: .*'c.json' matches no file.*" said
    [ "$(grep -c c.json said)" -eq 1 ]
}

@test "tm-merge --align needs file names, and without it a merge is unchanged" {
    made "$requests
write('a.json', a); write('b.json', b)"
    run tm-merge --align - <a.json
    [ "$status" -eq 2 ]
    run tm-merge --align=nonsense a.json b.json
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "tm-merge: --align: 'nonsense' is not a rule; the rules are flows, spans, collectives, recorded-twice, key:args.NAME and name:REGEX" ]
    run tm-merge --align=flows,spans,flows a.json b.json
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "tm-merge: --align: rule flows is given twice" ]
    ! tm-merge -f report a.json b.json | grep -q '^alignment$' || false
}
