#!/usr/bin/env bats
# The merged Chrome JSON for programs that do not know tracemerge: numbers where they expect numbers, and valid JSON for
# any input.

json() { # PYTHON-EXPRESSION over d, the merged object
    python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); e = d["traceEvents"]; print(eval(sys.argv[2]))' \
        "$BATS_TEST_TMPDIR/m.json" "$1"
}

setup() {
    cd "$BATS_TEST_TMPDIR"
}

FLOWS="SELECT a.name, b.name FROM flow f JOIN slice a ON a.id = f.slice_out JOIN slice b ON b.id = f.slice_in ORDER BY a.name, b.ts"

@test "ids of two files are distinct numbers below 2^53 with the same meaning as in the files" {
    for f in a b; do
        echo '[{"ph":"X","pid":1,"tid":1,"name":"'$f'1","ts":1,"dur":4,"bind_id":"0x7fff00001234","flow_out":true},
            {"ph":"s","pid":1,"tid":1,"name":"f","cat":"k","id":41180,"ts":2},{"ph":"s","pid":1,"tid":1,"name":"g","cat":"k","id":"rpc","ts":2},
            {"ph":"X","pid":1,"tid":2,"name":"'$f'2","ts":11,"dur":4,"bind_id":140733193392692,"flow_in":true},
            {"ph":"f","bp":"e","pid":1,"tid":2,"name":"f","cat":"k","id":"0xa0dc","ts":12},{"ph":"f","bp":"e","pid":1,"tid":2,"name":"g","cat":"k","id":"rpc","ts":12},
            {"ph":"b","cat":"k","name":"A","id":"1","pid":1,"tid":1,"ts":20},{"ph":"b","cat":"k","name":"B","id":1,"pid":1,"tid":1,"ts":21},
            {"ph":"e","cat":"k","name":"A","id":"1","pid":1,"tid":1,"ts":22},{"ph":"e","cat":"k","name":"B","id":1,"pid":1,"tid":1,"ts":23},
            {"ph":"C","name":"c","id":"one","pid":1,"tid":1,"ts":24,"args":{"v":1}},{"ph":"X","pid":1,"tid":1,"name":"odd","ts":30,"dur":1,"bind_id":1.5}]' >$f.json
    done
    tm-merge -o m.json a.json b.json
    [ "$(json '{type(x[k]).__name__ for x in e for k in ("id", "bind_id") if k in x and x["ph"] != "C" and x["name"] != "odd"}')" = "{'int'}" ]
    [ "$(json 'max(x[k] for x in e for k in ("id", "bind_id") if k in x and x["ph"] != "C") < 2**53')" = True ]
    [ "$(json '[x["id"] for x in e if x["ph"] in "sf" and x["name"] == "f"]')" = "[4295008476, 8589975772, 4295008476, 8589975772]" ]
    [ "$(json 'len({x["id"] for x in e if x["ph"] == "b"})')" = 4 ]
    [ "$(json '[x["id"] for x in e if x["ph"] == "C"]')" = "['one', 'one']" ] # a part of the counter's name
    [ "$(json '[x["bind_id"] for x in e if x["name"] == "odd"]')" = "[1.5, 1.5]" ] # invalid as an id before and after
    tm-merge -o m.db m.json
    [ "$(sqlite3 -separator ' ' m.db "$FLOWS" | paste -sd,)" = "a1 a2,a1 a2,a1 a2,b1 b2,b1 b2,b1 b2" ]
    tm-merge -o again.json m.json # ids of a single file stay
    cmp <(grep -o '"id":[^,}]*' m.json) <(grep -o '"id":[^,}]*' again.json)
}

@test "pids and tids are numbers, and texts are their names" {
    echo '[{"ph":"X","pid":"Spans","tid":"Trace","name":"n","ts":1,"dur":1},{"ph":"M","name":"process_name","pid":"Spans","tid":1,"args":{"name":"other"}},
        {"ph":"X","pid":"Spans","tid":7,"name":"m","ts":2,"dur":1}]' >a.json
    tm-merge -o m.json a.json
    [ "$(json '{type(x[k]).__name__ for x in e for k in ("pid", "tid")}')" = "{'int'}" ]
    [ "$(json '[x["args"]["name"] for x in e if x["name"] == "process_name"][-1]')" = Spans ]
    [ "$(json '[x["args"]["name"] for x in e if x["name"] == "thread_name"]')" = "['Trace']" ]
    tm-merge -o m.db m.json
    [ "$(sqlite3 m.db 'SELECT s.name, t.name, p.name FROM slice s JOIN thread_track k ON k.id = s.track_id JOIN thread t USING (utid)
        JOIN process p USING (upid) ORDER BY s.ts' | paste -sd,)" = "n|Trace|Spans,m||Spans" ]
}

@test "a process has the sort index of its file, and others are sorted by file" {
    echo '[{"ph":"M","name":"process_sort_index","pid":1,"args":{"sort_index":-5}},{"ph":"X","pid":1,"tid":1,"name":"a","ts":1,"dur":1}]' >a.json
    echo '[{"ph":"X","pid":2,"tid":2,"name":"b","ts":1,"dur":1}]' >b.json
    tm-merge -o m.json a.json b.json
    [ "$(json '[(x["pid"], x["args"]["sort_index"]) for x in e if x["name"] == "process_sort_index"]')" = "[(1, -5), (2, 2)]" ]
}

@test "metadata of all files is at the top" {
    echo '{"metadata":{"app":"one","n":1},"traceEvents":[{"ph":"X","pid":1,"tid":1,"name":"a","ts":1,"dur":1}]}' >a.json
    echo '{"metadata":{"app":"two","os":{"x":[2]}},"traceEvents":[{"ph":"X","pid":1,"tid":1,"name":"a","ts":1,"dur":1}]}' >b.json
    echo '[{"ph":"X","pid":1,"tid":1,"name":"a","ts":1,"dur":1}]' >c.json
    tm-merge -o m.json a.json b.json c.json
    [ "$(json 'd["metadata"], d["files"]["b.json"]["metadata"]')" = \
      "({'app': 'one', 'n': 1, 'os': {'x': [2]}}, {'app': 'two', 'os': {'x': [2]}})" ]
    tm-merge -o m.json a.json
    [ "$(json 'd["metadata"], "files" in d')" = "({'app': 'one', 'n': 1}, False)" ]
}

@test "control characters in strings are read with a warning and written as escapes" {
    printf '{"traceEvents":[{"ph":"X","pid":1,"tid":1,"name":"a\tb\001","ts":1,"dur":5,"args":{"k\n":"v\\"\\\\\r"}},\n\t{"ph":"X","pid":1,"tid":1,"name":"plain","ts":9,"dur":1},
        {"ph":"i","s":"t","pid":1,"tid":1,"name":"\033[1m%s","ts":20}]}' "$(printf '%070d' 0)" >a.json
    for source in a.json -; do
        run tm-merge -o m.json $source <a.json
        echo "$output"
        [ "$status" -eq 0 ]
        [ "$output" = "tm-emit: warning: $source: control characters in strings are not valid JSON; they were read as if they were escaped" ]
        [ "$(json '[x["name"][:5] for x in e], e[0]["args"]')" = "(['a\\tb\\x01', 'plain', '\\x1b[1m0'], {'k\\n': 'v\"\\\\\\r'})" ]
    done
    tm-merge -q -o m.db a.json
    [ "$(sqlite3 m.db "SELECT value FROM stats WHERE name = 'json_control_characters'")" = 2 ]
    [ "$(sqlite3 m.db "SELECT count(*) FROM slice WHERE name = 'a' || char(9) || 'b' || char(1)")" = 1 ]
    printf '[{"ph":"X","name":"a\tb","ts":1,]' >cut.json
    run tm-merge -o m.json cut.json
    [ "$status" -eq 1 ]
    [[ "$output" == *"cut.json: byte "* ]]
}

@test "numbers that are not finite become strings, and commas before closing brackets are left out" {
    cat >a.json <<'END'
[{"name":"a","ph":"X","ts":1,"dur":5,"pid":1,"tid":1,"args":{"x":NaN,"y": -Infinity ,"text":"NaN, inf,]","z":1,}},
 {"name":"b","ph":"X","ts":9,"dur":5,"pid":1,"tid":1,"args":{"l":[1,nan,{"k":inf, } ,
  ]}},
 {"name":"c","ph":"C","ts":12,"pid":1,"args":{"v":NaN}},{"name":"c","ph":"C","ts":13,"pid":1,"args":{"v":2}}]
END
    tm-merge -q -o m.json a.json
    # Python takes NaN for a number unless it is told not to.
    python3 - <<'END'
import json, sys
events = json.load(open('m.json'), parse_constant=sys.exit)['traceEvents']
assert [x['args'] for x in events] == [{'x': 'NaN', 'y': '-Infinity', 'text': 'NaN, inf,]', 'z': 1},
                                       {'l': [1, 'nan', {'k': 'inf'}]}, {'v': 'NaN'}, {'v': 2}]
END
    tm-merge -q -f jsonl - <a.json >before
    tm-merge -q -f jsonl - <m.json >after
    cmp before after
}

@test "bytes that are no UTF-8, and halves of surrogate pairs, become U+FFFD, and the bytes are counted" {
    printf '{"traceEvents":[{"ph":"X","pid":1,"tid":1,"name":"a\351","ts":1,"dur":5,"args":{"k\377":["\300\200","\\ud800|\\ud83d\\ude00|\\\\ud800|\\udc00"]}}],
        "other\376":{"x\355\240\200":"\\uDBFF\\uDBFF\\uDFFF"}}' >a.json
    for source in a.json -; do
        tm-merge -o m.json $source <a.json
        [ "$(json 'ascii((e[0]["name"], e[0]["args"]))')" = \
          "('a\\ufffd', {'k\\ufffd': ['\\ufffd\\ufffd', '\\ufffd|\\U0001f600|\\\\ud800|\\ufffd']})" ]
        [ "$(json 'ascii(d["other\ufffd"])')" = "{'x\\ufffd\\ufffd\\ufffd': '\\ufffd\\U0010ffff'}" ]
        grep -qF '"\ufffd|\ud83d\ude00|\\ud800|\ufffd"' m.json # other escapes stay
        jq -e '.traceEvents | length == 1' m.json
    done
    tm-merge -q -o m.db a.json
    [ "$(sqlite3 m.db "SELECT value FROM stats WHERE name = 'json_invalid_utf8'")" = 1 ]
    [ "$(sqlite3 m.db "SELECT count(*) FROM slice WHERE name = 'a' || char(0xfffd)")" = 1 ]
}

@test "a large output is valid, too, and the same with any number of threads" {
    python3 - <<'END'
with open('a.json', 'wb') as out:
    out.write(b'[' + b',\n'.join(b'{"ph":"X","pid":1,"tid":1,"name":"caf\xc3\xa9","ts":%d,"dur":1,"args":{"text":"%s%s"%s}}' %
                                 (i, b'x' * 200, *((b'\xe9\\udead', b',"n":NaN,') if i % 1000 == 7 else (b'', b''))) for i in range(80000)) + b']')
END
    for jobs in 1 2 4; do
        tm-merge -j $jobs -o m$jobs.json a.json
        cmp m1.json m$jobs.json
    done
    cp m1.json m.json
    [ "$(json 'len(e), sum(x["args"]["text"].endswith("x\ufffd\ufffd") for x in e), {x["name"] for x in e}, sorted({str(x["args"].get("n")) for x in e})')" = \
      "(80000, 80, {'café'}, ['NaN', 'None'])" ]
}

@test "a block of zeros that hides events is damage, and shorter zeros in a name are read" {
    python3 - <<'END'
events = b','.join(b'{"ph":"X","pid":1,"tid":1,"name":"n%d","ts":%d,"dur":1}' % (i, i) for i in range(100))
for size in (511, 512, 4096):
    for at in (400, 1017):
        with open('zeros-%d-%d.json' % (size, at), 'wb') as out:
            i = events.index(b'"name":"n', at) + 9
            out.write(b'{"traceEvents":[' + events[:i] + bytes(size) + events[i + (size > 511) * size:] + b']}')
END
    for at in 400 1017; do
        tm-merge -q -f report zeros-511-$at.json | grep 'total: 100 events read, 100 placed'
        for size in 512 4096; do
            run -1 tm-merge zeros-$size-$at.json
            [[ "${lines[0]}" == *"byte "*": a block of zeros in a string (--on-damage=skip or salvage goes on)" ]]
            tm-merge -q --on-damage=salvage -f report zeros-$size-$at.json | grep 'damaged: 1'
        done
    done
}

@test "real numbers in arguments have a point or an exponent, so readers do not take them for integers" {
    PYTHONPATH=$TM_SRC/t/gen python3 - >a.pftrace <<'END'
import sys
from wire import field
note = lambda name, value: field(4, field(10, name) + value)
packet = lambda body: field(1, field(8, 1000) + field(10, 1) + field(11, field(11, 5) + body))
sys.stdout.buffer.write(packet(field(9, 1) + field(23, 'n') + note('whole', field(5, -1.0)) + note('large', field(5, 1e300)) +
                               note('half', field(5, 0.5)) + note('none', field(5, float('inf'))) + note('int', field(4, 7))))
END
    tm-merge -q -o m.json a.pftrace
    [ "$(json '[x["args"] for x in e if x.get("name") == "n"]')" = \
        "[{'whole': -1.0, 'large': 1e+300, 'half': 0.5, 'none': 'Infinity', 'int': 7}]" ]
}
