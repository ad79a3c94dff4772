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
value = {'intValue': 1}
for _ in range(17):
    value = {'arrayValue': {'values': [value]}}
span = {'traceId': '01' * 16, 'spanId': 'ee' * 8, 'name': 's', 'startTimeUnixNano': '1', 'endTimeUnixNano': '2',
        'attributes': [{'key': 'deep', 'value': value}]}
json.dump({'resourceSpans': [{'scopeSpans': [{'spans': [span]}]}]}, open('deep.json', 'w'))
PY
    python3 cut.py
    [ "$(tm-merge -f csv args.json 2>&1 >/dev/null)" = "tm-emit: warning: args.json: loss of data, json_args_cut = 1 (Events of Chrome JSON of which arguments or frames were left out, because of a limit)" ]
    [ "$(tm-merge -f csv links.json 2>&1 >/dev/null)" = "tm-emit: warning: links.json: loss of data, spans_links_cut = 2 (Links of spans that were left out, because of a limit)" ]
    [ "$(tm-merge -f csv deep.json 2>&1 >/dev/null)" = "tm-emit: warning: deep.json: loss of data, spans_args_cut = 1 (Arguments of spans that were left out or cut, because of a limit)" ]
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
tm-emit: warning: stack.pb: loss of data, event_details_cut = 2 (Events of which texts, arguments or frames were left out, because of a limit)
tm-emit: warning: deep.pb: loss of data, event_details_cut = 1 (Events of which texts, arguments or frames were left out, because of a limit)
tm-emit: warning: many.pb: loss of data, event_details_cut = 1 (Events of which texts, arguments or frames were left out, because of a limit)
END
}

@test "names, labels and other facts beyond the limits of a file are warned of" {
    cat >facts.py <<'PY'
import json, sys
sys.path.insert(0, sys.argv[1])
from wire import field

def packets(name, *bodies):
    heads = [field(8, 1 + i) + field(10, 1) + field(13, 2 if i else 1) for i in range(len(bodies))]
    open(name, 'wb').write(b''.join(field(1, head + body) for head, body in zip(heads, bodies)))

def batch(number):
    return field(2, field(1, 5) + field(2, 7) + field(536, field(1, 1) + field(2, number) + field(3, 1)))

def gecko(name, categories, libs, function):
    thread = {'name': 't', 'pid': 1, 'tid': 1, 'registerTime': 0,
              'stringTable': ['f' * function], 'markers': {'schema': {}, 'data': []},
              'frameTable': {'schema': {'location': 0}, 'data': [[0]]},
              'stackTable': {'schema': {'prefix': 0, 'frame': 1}, 'data': [[None, 0]]},
              'samples': {'schema': {'stack': 0, 'time': 1}, 'data': [[0, 1]]}}
    meta = {'version': 24, 'startTime': 1, 'categories': [{'name': 'c'}] * categories}
    lib = {'start': 1, 'end': 2, 'offset': 0, 'name': 'l'}
    json.dump({'meta': meta, 'libs': [lib] * libs, 'threads': [thread], 'processes': []}, open(name, 'w'))

def spans(name, labels, length):
    resource = {'attributes': [{'key': 'k%d' % i, 'value': {'stringValue': 'v' * length}} for i in range(labels)]}
    span = {'traceId': '01' * 16, 'spanId': 'ee' * 8, 'name': 's', 'startTimeUnixNano': '1', 'endTimeUnixNano': '2'}
    json.dump({'resourceSpans': [{'resource': resource, 'scopeSpans': [{'spans': [span]}]}]}, open(name, 'w'))

def services(name, count):
    def of(i):
        attributes = [{'key': 'service.name', 'value': {'stringValue': 's%d' % i}}]
        span = {'traceId': '01' * 16, 'spanId': '%016x' % (i + 1), 'name': 's', 'startTimeUnixNano': '1',
                'endTimeUnixNano': '2'}
        return {'resource': {'attributes': attributes}, 'scopeSpans': [{'spans': [span]}]}
    json.dump({'resourceSpans': [of(i) for i in range(count)]}, open(name, 'w'))

def space(name, length):
    metadata = field(4, field(1, 1) + field(2, field(1, 1) + field(2, 'n') + field(3, b'x' * length)))
    line = field(3, field(1, 1) + field(2, 'l') + field(3, 1) + field(4, field(1, 1) + field(2, 5) + field(3, 5)))
    open(name, 'wb').write(field(1, field(1, 1) + field(2, 'p') + line + metadata))

def v8(name, depth):
    nodes = [{'id': i + 1, 'callFrame': {'functionName': 'f'}, **({'parent': i} if i else {})} for i in range(depth)]
    chunk = {'cpuProfile': {'nodes': nodes, 'samples': [1, depth]}, 'timeDeltas': [1, 1]}
    json.dump([{'ph': 'P', 'name': 'Profile', 'pid': 1, 'tid': 2, 'ts': 1, 'id': '0x1', 'args': {'data': data}}
               for data in ({'startTime': 1}, chunk)], open(name, 'w'))

def perf(name, count):
    with open(name, 'w') as f:
        for i in range(1, count + 1):
            f.write('c %d/%d [000] 1.000001: 1 ev: \n\tffff f+0x1 (/b)\n\n' % (i, i))

many = int(sys.argv[2])
perf('processes.perf', 262144 + many)
packets('config.pb', field(33, field(2, field(1, field(1, 'c' * (1000000 + 100000 * many))))))
packets('batches.pb', field(1, field(1, 0) + b''.join(batch(i) for i in range(1024 + many))))
packets('buffers.pb', field(35, b''.join(field(1, field(1, 1)) for _ in range(3000 + 1000 * many))))
packets('categories.pb', field(11, field(9, 3) + field(23, 'e') + field(22, 'c' * 70000) + field(22, 'd') * many))
gecko('categories.json', 65536 + many, 0, 1)
gecko('libs.json', 1, 65536 + many, 1)
gecko('function.json', 1, 1, 16000 + 1000 * many)
spans('labels.json', 32 + many, 1)
spans('label.json', 1, 1024 + many)
services('services.json', 4096 + many)
space('description.xplane.pb', 1000000 + 100000 * many)
v8('v8.json', 1024 + many)
PY
    run_all() {
        for file in {config,batches,buffers,categories}.pb {categories,libs,function,labels,label,services,v8}.json \
            description.xplane.pb processes.perf; do
            tm-merge -f csv $file 2>&1 >/dev/null | grep loss || :
        done
    }
    python3 facts.py "$TM_SRC/t/gen" 0
    run_all >warnings
    [ ! -s warnings ]
    python3 facts.py "$TM_SRC/t/gen" 1
    run_all >warnings
    diff - warnings <<'END'
tm-emit: warning: config.pb: loss of data, facts_beyond_limits = 1 (Names and similar facts that were left out, because of a limit)
tm-emit: warning: batches.pb: loss of data, facts_beyond_limits = 1 (Names and similar facts that were left out, because of a limit)
tm-emit: warning: buffers.pb: loss of data, facts_beyond_limits = 14475 (Names and similar facts that were left out, because of a limit)
tm-emit: warning: categories.pb: loss of data, event_details_cut = 1 (Events of which texts, arguments or frames were left out, because of a limit)
tm-emit: warning: categories.json: loss of data, facts_beyond_limits = 1 (Names and similar facts that were left out, because of a limit)
tm-emit: warning: libs.json: loss of data, facts_beyond_limits = 1 (Names and similar facts that were left out, because of a limit)
tm-emit: warning: function.json: loss of data, facts_beyond_limits = 1 (Names and similar facts that were left out, because of a limit)
tm-emit: warning: labels.json: loss of data, facts_beyond_limits = 1 (Names and similar facts that were left out, because of a limit)
tm-emit: warning: label.json: loss of data, facts_beyond_limits = 1 (Names and similar facts that were left out, because of a limit)
tm-emit: warning: services.json: loss of data, spans_services_shared = 1 (Service instances that share one, because of a limit)
tm-emit: warning: v8.json: loss of data, json_args_cut = 1 (Events of Chrome JSON of which arguments or frames were left out, because of a limit)
tm-emit: warning: description.xplane.pb: loss of data, facts_beyond_limits = 1 (Names and similar facts that were left out, because of a limit)
tm-emit: warning: processes.perf: loss of data, facts_beyond_limits = 1 (Names and similar facts that were left out, because of a limit)
END
    run tm-merge -f csv --strict labels.json
    [ "$status" -eq 4 ]
}
