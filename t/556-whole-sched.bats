#!/usr/bin/env bats
# compact_sched messages that stay whole from tm-unpack to merged.pftrace, and cases in which they must be split.

load lib/common

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
    export PYTHONDONTWRITEBYTECODE=1
}

# trace OUT CODE...: makes a Perfetto trace. CODE is lines of Python that use bundle(), snapshot() and packet().
trace() {
    local out=$1
    shift
    printf '%s\n' "$@" | python3 -c '
import sys
sys.path.insert(0, sys.argv[1])
from wire import field, message, varint
out = b""

def packet(*fields):
    global out
    out += field(1, message(*fields))

def snapshot(boot, raw):
    packet((10, 1), (6, message((1, message((1, 6), (2, boot))), (1, message((1, 5), (2, raw))))))

def packed(number, values):
    return field(number, b"".join(map(varint, values)))

# COUNT switches of CPU from FIRST on, STEP apart, between the pids of PIDS in turn. With WAKING, a waking comes before
# each.
def bundle(cpu, first, count, step=10, pids=(7, 8, 9), waking=False, clock=None, full=None):
    times = [first + step * i for i in range(count)]
    steps = [b - a for a, b in zip([0] + times, times)]
    turn = [i % len(pids) for i in range(count)]
    sched = packed(1, steps) + packed(2, [1] * count) + packed(3, [pids[i] for i in turn]) + packed(4, [120] * count)
    sched += b"".join(field(5, "task%d" % pid) for pid in pids) + packed(6, turn)
    if waking:
        wakings = [steps[0] - 5] + steps[1:]
        sched += (packed(7, wakings) + packed(8, [pids[i] for i in turn]) + packed(9, [cpu] * count) +
                  packed(10, [120] * count) + packed(11, turn) + packed(12, [3] * count))
    events = b"".join(field(2, field(1, ts) + field(2, 7) + field(11, message((1, value), (2, cpu)))) for ts, value in full or [])
    packet((10, 7), (1, field(1, cpu) + events + field(4, sched) + (field(5, clock) if clock else b"")))

exec(sys.stdin.read())
sys.stdout.buffer.write(out)' "$TM_SRC/t/gen" >"$out"
}

# apart FILE...: merges without whole messages.
apart() {
    bash -o pipefail -c 'tm-unpack "$@" | tm-manifest | tm-clocks | tm-sort | tm-emit -f pftrace' x "$@"
}

wire() {
    python3 "$TM_SRC/t/check/sched-wire.py" "$1"
}

# events FILE: prints its scheduling events, in one form for whole and split messages.
events() {
    wire "$1" | sed -E 's/prev=[^ ]* //; s/ (compact|full)$//'
}

# messages FILE: prints its compact_sched messages, one on each line, sorted.
messages() {
    python3 -c '
import runpy, sys
path, sys.argv = sys.argv[2], ["", "/dev/null"]
fields = runpy.run_path("'"$TM_SRC"'/t/check/sched-wire.py")["fields"]
bundles = [v for _, packet in fields(open(path, "rb").read()) for f, v in fields(packet) if f == 1]
print(*sorted(v.hex() for bundle in bundles for f, v in fields(bundle) if f == 4), sep="\n")' x "$1"
}

# rows STREAM: prints the number of its rows that are whole messages.
rows() {
    tm-emit -f frames <"$1" | grep -c 'raw=compact_message' || true
}

# same_accounts FILE: writes its accounts and placements to f. They are those of single events, whether or not messages
# are whole.
same_accounts() {
    for option in "" --whole-sched; do
        tm-unpack $option "$1" | tm-manifest | tm-clocks | tm-emit -f frames | sed 's/^@[0-9]* //' |
            grep -E '^(FileEnd|Placement|Account)' >f"$option"
    done
    cmp f f--whole-sched
}

@test "whole messages give the same events as split ones, for random cpus, clocks, contradictions and damage" {
    local cases
    cases=$(drawn 300)
    run python3 "$TM_SRC/t/oracle/compact_sched.py" "$TM_BIN/tm-merge" "$cases" 1
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [[ $output == "$cases cases agree: "* ]]
    read -r _ _ _ _ _ whole _ _ placed _ <<<"$output"
    [ "${whole#,}" -ge "$cases" ]
    [ "$placed" -ge $((cases * 2 / 3)) ]
    [ "$placed" -lt "$whole" ] # tm-clocks splits some
}

@test "whole messages give the same events if each switch names threads that Chrome JSON names too" {
    local cases
    cases=$(drawn 150)
    run python3 "$TM_SRC/t/oracle/compact_sched.py" "$TM_BIN/tm-merge" "$cases" 2 json
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [[ $output == "$cases cases agree: "* ]]
}

@test "a message is passed on byte for byte, with the other events of its cpu" {
    trace a.pftrace 'for i in range(20):' '    bundle(i % 3, 1000 + 1000 * i, 90, waking=i % 2, full=[(1005 + 1000 * i, 3)])'
    tm-merge -o m.pftrace a.pftrace
    messages a.pftrace >a
    messages m.pftrace >m
    [ "$(grep -c . a)" -eq 20 ]
    cmp a m
    wire a.pftrace | cmp - <(wire m.pftrace)
    [ "$(tm-unpack m.pftrace | tm-emit -f frames | grep -c 'name="cpu_frequency" tid=7')" -eq 20 ]
}

@test "the next message of a cpu stays whole only if it continues the one before" {
    trace a.pftrace 'bundle(1, 1000, 40, pids=(7, 8))' 'bundle(1, 3000, 40, pids=(5, 6))'
    tm-unpack --whole-sched a.pftrace >u
    [ "$(rows u)" -eq 2 ]
    tm-merge -o m.pftrace a.pftrace
    messages a.pftrace | cmp - <(messages m.pftrace)
    # The second file does not state which task ran before; another file does.
    trace b.pftrace 'bundle(1, 1000, 40, pids=(7, 8))'
    trace c.pftrace 'bundle(1, 3000, 40, pids=(5, 6))'
    tm-merge -o n.pftrace b.pftrace c.pftrace
    apart b.pftrace c.pftrace >x.pftrace
    wire n.pftrace | cmp - <(wire x.pftrace)
}

@test "the times of a message move with its clock" {
    trace a.pftrace 'snapshot(5000000, 1000)' 'bundle(2, 2000, 50, waking=True, clock=4)' 'bundle(2, 4000, 50, waking=True, clock=4)'
    tm-unpack --whole-sched a.pftrace | tm-manifest | tm-clocks >s
    [ "$(rows s)" -eq 2 ]
    tm-merge -o m.pftrace a.pftrace
    [ "$(wire m.pftrace | wc -l)" -eq 200 ]
    wire a.pftrace | awk '{ $3 += 4999000; print }' | cmp - <(wire m.pftrace)
    [ "$(wire m.pftrace | grep -c compact)" -eq 200 ]
}

@test "a message during which a clock changes its offset is split" {
    trace a.pftrace 'snapshot(5000, 1000)' 'snapshot(7000, 2300)' 'bundle(2, 1100, 50, clock=4)' 'bundle(2, 2000, 50, clock=4)' \
        'bundle(2, 2600, 50, clock=4)'
    tm-unpack --whole-sched a.pftrace | tm-manifest | tm-clocks >s
    [ "$(rows s)" -eq 2 ]
    tm-merge -o m.pftrace a.pftrace
    wire a.pftrace | awk '{ $3 += $3 < 2300 ? 4000 : 4700; print }' | cmp - <(wire m.pftrace)
    same_accounts a.pftrace
    grep -q 'timed_count=150' f
}

@test "derived rows of a packet in the batch after a split message have the packet's time" {
    trace a.pftrace 'snapshot(5000, 1000)' 'snapshot(7000, 2300)' 'bundle(2, 2000, 50, clock=4)' \
        'packet((10, 1), (8, 6000), (7, b"".join(field(1, message((1, key), (2, key))) for key in range(1, 9))))'
    for count in 2 3 4 5 6 7; do
        tm-unpack --whole-sched a.pftrace | "${TM_BIN%/bin}/t/gen/rebatch" $count | tm-manifest | tm-clocks >s
        tm-emit -f frames <s | grep kind=counter | sed 's/.*time_ns=\([0-9]*\).*/\1/' | sort | uniq -c >times
        [ "$(sed 's/^ *//' times)" = "8 6000" ] || { echo "$count"; cat times; false; }
    done
}

@test "events before the start of trace time, or on a clock without relations, are accounted for one by one" {
    trace a.pftrace 'snapshot(5000, 8000)' 'bundle(2, 2500, 100, clock=4)' 'bundle(1, 100, 50, clock=2)'
    same_accounts a.pftrace
    grep -q '^Account .*negative_time' f
    grep -q '^Account .*count=50' f
    tm-merge -o m.pftrace a.pftrace
    apart a.pftrace | cmp - m.pftrace
}

@test "messages of two files that disagree about a cpu are split" {
    trace a.pftrace 'bundle(1, 1001, 100, pids=(7, 8))' 'bundle(3, 1001, 100)'
    trace b.pftrace 'bundle(1, 1500, 100, pids=(5, 6))' 'bundle(2, 1001, 100)'
    tm-merge -o m.pftrace a.pftrace b.pftrace
    apart a.pftrace b.pftrace >x.pftrace
    wire m.pftrace | cmp - <(wire x.pftrace)
    [ "$(wire m.pftrace | grep -c '^switch 1 .*full')" -ge 100 ]
    [ "$(wire m.pftrace | grep -c '^switch [23] .*compact')" -eq 200 ]
}

@test "a switch of another file at the end of a message or within it splits it, and a later one does not" {
    trace a.pftrace 'bundle(1, 1000, 100, pids=(7, 8))' 'bundle(1, 5000, 40, pids=(7, 8))'
    for at in 1001 1985 1990 1995; do # the last is at 1990
        trace b.pftrace "packet((10, 7), (1, field(1, 1) + field(2, field(1, $at) + field(2, 8) +" \
            "    field(4, message((1, 'task8'), (2, 8), (3, 120), (4, 1), (5, 'task9'), (6, 9), (7, 120))))))"
        tm-merge -o m.pftrace a.pftrace b.pftrace
        apart a.pftrace b.pftrace >x.pftrace
        events m.pftrace | cmp - <(events x.pftrace)
        messages m.pftrace >m
        # The longer one is split; the other one is split where it does not continue from task9.
        [ "$(messages a.pftrace | grep ^0a65 | grep -cxFf - m)" -eq $((at > 1990)) ]
        [ "$(messages a.pftrace | grep ^0a29 | grep -cxFf - m)" -eq $((at < 1990)) ]
    done
}

@test "two messages in one bundle each have their own last event" {
    trace a.pftrace 'snapshot(5000, 1000)' 'snapshot(7000, 2300)' 'out0 = out' 'bundle(2, 1100, 50, clock=4)' \
        'first = out[len(out0):]' 'out = out0' 'bundle(2, 2000, 50, clock=4)' 'second = out[len(out0):]' \
        'sys.path.insert(0, sys.argv[1] + "/../check")' 'import runpy; sys.argv = ["", "/dev/null"]' \
        "fields = runpy.run_path(sys.path[0] + '/sched-wire.py')['fields']" \
        'sched = [v for t in (first, second) for _, p in fields(t) for f, b in fields(p) if f == 1 for g, v in fields(b) if g == 4]' \
        'out = out0' 'packet((10, 7), (1, field(1, 2) + field(4, sched[0]) + field(4, sched[1]) + field(5, 4)))'
    tm-unpack --whole-sched a.pftrace | tm-manifest | tm-clocks >s
    [ "$(rows s)" -eq 1 ]
    tm-merge -o m.pftrace a.pftrace
    wire a.pftrace | awk '{ $3 += $3 < 2300 ? 4000 : 4700; print }' | cmp - <(wire m.pftrace)
}

@test "more messages at one time than fit into memory give the same events" {
    trace a.pftrace 'bundle(0, 1000, 3000, step=200)' 'one = out' 'sys.path.insert(0, sys.argv[1] + "/../check")' \
        'import runpy; sys.argv = ["", "/dev/null"]' "fields = runpy.run_path(sys.path[0] + '/sched-wire.py')['fields']" \
        'sched = [v for _, p in fields(one) for f, b in fields(p) if f == 1 for g, v in fields(b) if g == 4][0]' \
        'out = b"".join(field(1, message((10, 7), (1, field(1, cpu) + field(4, sched)))) for cpu in range(1023))'
    tm-unpack --whole-sched a.pftrace | tm-manifest | tm-clocks | tm-sort >s
    [ "$(rows s)" -eq 1023 ]
    python3 "$TM_SRC/t/check/peak.py" /dev/null tm-emit -f pftrace -o m.pftrace <s >kb
    grep -q '^TM_SANITIZE = -f' "$TM_BIN/../Makefile" || [ "$(cat kb)" -lt 65536 ]
    messages a.pftrace | cmp - <(messages m.pftrace)
}

@test "an event of the tracing service comes after earlier messages" {
    trace a.pftrace 'bundle(1, 1000, 100)' 'packet((8, 1505), (10, 3), (69, field(3, 1)))' 'bundle(1, 3000, 40)'
    tm-merge -o m.pftrace a.pftrace
    tm-unpack m.pftrace | tm-emit -f frames | grep -E 'sched_switch|time_ns=1505.*kind=packet' >f
    at=$(grep -n 'time_ns=1505' f | cut -d: -f1)
    [ "$at" -eq 52 ]
    wire a.pftrace | cmp - <(wire m.pftrace)
}

@test "streams with whole messages are sorted, spilled and merged like others" {
    trace a.pftrace 'snapshot(1000, 1000)' 'for i in range(60):' '    bundle(3 - i // 15, 1000 + 800 * (i % 15), 70, waking=True)'
    trace b.pftrace 'snapshot(1000, 1000)' 'for i in range(60):' '    bundle(4 + i % 4, 1000 + 800 * i, 70)'
    for f in a b; do
        tm-unpack --whole-sched $f.pftrace | tm-manifest | tm-clocks | tm-sort >$f.s
        tm-sort -c <$f.s
        tm-unpack --whole-sched $f.pftrace | tm-manifest | tm-clocks | tm-sort -S1k | tm-emit -f pftrace >$f.1
        tm-emit -f pftrace <$f.s | cmp - $f.1
        wire $f.pftrace | cmp - <(wire $f.1)
    done
    tm-sort -m a.s b.s | tm-emit -f pftrace >m.pftrace
    [ "$(wire m.pftrace | wc -l)" -eq $((120 * 70 + 60 * 70)) ]
    sort <(wire a.pftrace) <(wire b.pftrace) | cmp - <(wire m.pftrace | sort)
}

@test "outputs of single events refuse such streams and name the option to omit" {
    trace a.pftrace 'bundle(1, 1000, 100)'
    tm-unpack --whole-sched a.pftrace | tm-manifest | tm-clocks | tm-sort >s
    for f in text jsonl json csv report explain svg; do
        run bash -c "tm-emit -f $f <s 2>&1 >out.$f"
        [ "$status" -eq 1 ]
        [[ $output == *"tm-emit: byte "*"leave out --whole-sched of tm-unpack" ]]
    done
    run tm-emit -o out.db <s
    [ "$status" -eq 1 ]
    [ ! -e out.db ]
    run tm-emit --only name=task7 -o out.pftrace <s
    [ "$status" -eq 1 ]
    [[ $output == *--whole-sched* ]]
    [ ! -e out.pftrace ]
    tm-emit -f frames <s | grep -q 'time_ns=1000 dur_ns=990 .*kind=compact_sched .*raw=compact_message'
    tm-unpack --whole-sched --no-raw a.pftrace | tm-emit | grep -q switch
}

@test "progress counts the events of messages" {
    trace a.pftrace 'for i in range(20):' '    bundle(i % 3, 1000 + 1000 * i, 90)'
    tm-merge --progress -o m.pftrace a.pftrace 2>said
    grep -q ', 1.8 k events written in' said || { cat said; false; }
}

@test "short and irregular messages are rows of single events" {
    trace a.pftrace 'bundle(1, 1000, 31)' 'bundle(1, 2000, 32)' 'bundle(1, 3000, 33)' \
        'packet((10, 7), (1, field(1, 1) + field(4, packed(1, range(40)))))' \
        'packet((10, 7), (1, field(1, 1) + field(4, packed(1, range(40)) + packed(1, [5]))))'
    tm-unpack --whole-sched a.pftrace >u
    [ "$(rows u)" -eq 2 ]
    tm-merge -o m.pftrace a.pftrace
    apart a.pftrace >x.pftrace
    wire m.pftrace | cmp - <(wire x.pftrace)
}

@test "a message stays whole beside an output of single events, and each output has the bytes that it has alone" {
    trace a.pftrace 'for i in range(60):' \
        '    bundle(i % 3, 1000 + 700 * i, 90, waking=i % 2, full=[(1005 + 700 * i, 3)])' # they overlap
    trace b.pftrace 'bundle(4, 1001, 500)' 'bundle(5, 1001, 700, step=5)'
    tm-merge -q -o t.pftrace -o t.db -o t.json -o t.txt -o t.csv a.pftrace b.pftrace
    for out in pftrace db json txt csv; do
        tm-merge -q -o a.$out.$out a.pftrace b.pftrace
        cmp a.$out.$out t.$out
    done
    [ "$(wire t.pftrace | grep -c compact)" -gt 3000 ]
    [ "$(sqlite3 t.db 'SELECT count(*) > 3000 FROM sched')" = 1 ]
    # With an output that shows the stream, no message stays whole.
    tm-merge -q -o x.pftrace -o x.frames -f frames a.pftrace b.pftrace
    tm-merge -q -f frames a.pftrace b.pftrace | cmp - x.frames
}
