# Files of every format, damaged in every way, under --on-damage (t/check/damage.py has the rules). Here every seventh
# kind of damage is tried, by sanitized programs every 21st. All kinds by hand: python3 t/check/damage.py

load lib/common

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
}

damage() { # format, least number of damaged files
    local every=7 least=$2
    if is_sanitized; then
        every=21 least=$(($2 / 3 - 1))
    fi
    run python3 "$TM_SRC/t/check/damage.py" -n $every "$1"
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [[ $output =~ ^$1:\ ([0-9]+)\ damaged ]]
    [ "${BASH_REMATCH[1]}" -ge "$least" ]
}

@test "damaged protos are handled by the rules of each --on-damage" {
    damage proto 12
}

@test "damaged Chrome JSON is handled by the rules of each --on-damage" {
    damage json 40
}

@test "damaged ftrace text is handled by the rules of each --on-damage" {
    damage systrace 35
}

@test "damaged strace output is handled by the rules of each --on-damage" {
    damage strace 20
}

@test "damaged journals are handled by the rules of each --on-damage" {
    damage journal_json 40
    damage journal_export 40
}

@test "damaged logcat output is handled by the rules of each --on-damage" {
    damage logcat 20
}

@test "damaged perf script output is handled by the rules of each --on-damage" {
    damage perf_script 45
}

@test "damaged Instruments exports are handled by the rules of each --on-damage" {
    damage instruments 60
}

@test "damaged Gecko profiles are handled by the rules of each --on-damage" {
    damage gecko 8
}

@test "damaged OTLP, a request and lines, is handled by the rules of each --on-damage" {
    damage otlp 25
    damage otlp_lines 45
}

@test "damaged Jaeger and Zipkin files are handled by the rules of each --on-damage" {
    damage jaeger 25
    damage zipkin 25
}

@test "damaged Fuchsia traces are handled by the rules of each --on-damage, and salvage continues at a section" {
    damage fuchsia 10
}

@test "a text, a stack or a message that many events name in a few bytes does not fill the stream" {
    # 1,000 events of 20 bytes each name a text of 1 MB; the details of a stack, or of a location, are read
    # again for each event.
    cat >amplify.py <<'PY'
import sys
sys.path.insert(0, sys.argv[2])
from wire import field
COUNT, FRAMES = {'text': 1000, 'stack': 4000, 'location': 20000}[sys.argv[1]], 1000
interned, event = {
    'text': (field(2, field(1, 1) + field(2, b'x' * 1000000)), lambda i: field(11, field(9, 3) + field(10, 1))),
    'stack': (field(7, field(1, 1) + b''.join(field(2, k + 1) for k in range(FRAMES))) +
              b''.join(field(6, field(1, k + 1) + field(900, k) * 200) for k in range(FRAMES)),
              lambda i: field(66, field(2, 1) + field(3, 1) + field(4, 1))),
    'location': (field(4, field(1, 1) + field(4, 1) * 500000),
                 lambda i: field(11, field(9, 3) + field(34, 1) + field(47, i + 1)))}[sys.argv[1]]
out = field(1, field(8, 1) + field(10, 1) + field(13, 1) + field(12, interned) + event(-1))
out += b''.join(field(1, field(8, 2 + i) + field(10, 1) + field(13, 2) + event(i)) for i in range(COUNT))
open(sys.argv[1] + '.pftrace', 'wb').write(out)
PY
    for case in text stack location; do
        python3 amplify.py $case "$TM_SRC/t/gen"
        (set -o pipefail && cpu_seconds 15 tm-unpack $case.pftrace | wc -c >bytes)
        [ "$(cat bytes)" -lt 620000000 ]
        run tm-merge --strict -f report $case.pftrace
        [ "$status" -eq 4 ]
        [[ "$output" == *"$case.pftrace: loss of data, event_details_cut = "* ]]
    done
    [ "$(tm-merge -q --events -f jsonl text.pftrace | grep -c instant)" -eq 1001 ]
}

@test "arguments and links beyond the limits of an event are warned of" {
    cat >cut.py <<'PY'
import json
args = {'x': [1] * 3000}
for _ in range(40):
    args = {'k' * 1000: args}
json.dump([{'ph': 'i', 'ts': 1, 'pid': 1, 'tid': 1, 's': 't', 'name': 'a', 'args': args}], open('args.json', 'w'))
span = {'traceId': '01' * 16, 'spanId': 'ee' * 8, 'name': 's', 'startTimeUnixNano': '1', 'endTimeUnixNano': '2',
        'links': [{'traceId': '01' * 16, 'spanId': '%016x' % (i + 1)} for i in range(130)]}
json.dump({'resourceSpans': [{'scopeSpans': [{'spans': [span]}]}]}, open('links.json', 'w'))
PY
    python3 cut.py
    [ "$(tm-merge -f csv args.json 2>&1 >/dev/null)" = "tm-emit: warning: args.json: loss of data, json_args_cut = 1" ]
    [ "$(tm-merge -f csv links.json 2>&1 >/dev/null)" = "tm-emit: warning: links.json: loss of data, spans_links_cut = 2" ]
}

@test "frames and arguments of packets beyond the limits of an event are warned of" {
    cat >cut.py <<'PY'
import sys
sys.path.insert(0, sys.argv[1])
from wire import field

def stack(name, frames):
    data = field(7, field(1, 1) + b''.join(field(2, 1) for _ in range(frames))) + field(6, field(1, 1) + field(3, 9))
    sample = field(66, field(2, 1) + field(3, 1) + field(4, 1))
    head = field(8, 1) + field(10, 1)
    open(name, 'wb').write(field(1, head + field(13, 1) + field(12, data) + sample) + field(1, head + sample))

def annotation(name, depth, count):
    inner = b''.join(field(11, field(10, 'k' * 1000) + field(4, 1)) for _ in range(count))
    for _ in range(depth):
        inner = field(11, field(10, 'd' * 1000) + inner)
    event = field(11, field(9, 3) + field(23, 'e') + field(4, field(10, 'a') + inner))
    open(name, 'wb').write(field(1, field(8, 1) + field(10, 1) + event))

stack('stack.pb', 1025)
stack('whole-stack.pb', 1024)
annotation('deep.pb', 70, 1)
annotation('many.pb', 40, 1200)
annotation('whole.pb', 60, 10)
PY
    python3 cut.py "$TM_SRC/t/gen"
    for file in stack deep many whole-stack whole; do
        tm-merge -f csv $file.pb 2>&1 >/dev/null
    done >warnings
    diff - warnings <<'END'
tm-emit: warning: stack.pb: loss of data, event_details_cut = 2
tm-emit: warning: deep.pb: loss of data, event_details_cut = 1
tm-emit: warning: many.pb: loss of data, event_details_cut = 1
END
}
