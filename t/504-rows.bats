# tm-emit: text, JSON lines and CSV with a row for each slice.

setup() {
    cd "$BATS_TEST_TMPDIR"
    PATH="$TM_BIN/../t/gen:$PATH"
}

# Prints the slices of a database and those of JSON lines, one on each line: ts, dur, depth, name, category.
slices_of() {
    tm-merge -q -o slices.db "$@"
    tm-merge -q -f jsonl -o slices.jsonl "$@"
    python3 - <<'PY'
import json, sqlite3
db = [list(r) for r in sqlite3.connect('slices.db').execute('select ts, dur, depth, name, category from slice order by id')]
rows = [json.loads(line) for line in open('slices.jsonl', encoding='utf-8')]
db = [[ts, max(dur, -1), *rest] for ts, dur, *rest in db] # less than -1: cut before its begin
lines = [[r['ts'], -1 if r['dur'] is None else r['dur'], r['depth'], r.get('name'), r.get('category')]
         for r in rows if 'depth' in r]
differ = [(a, b) for a, b in zip(lines, db) if a != b]
# A written row keeps its end, even if the database cuts the slice short later.
assert len(lines) == len(db) and all(a[0] == b[0] and a[2:] == b[2:] and a[1] > b[1] for a, b in differ), differ[:3]
assert len(differ) <= len(db) / 200, differ
assert [r['ts'] for r in rows] == sorted(r['ts'] for r in rows)
print(len(db))
PY
}

# names.json: slices of each form.
names_json() {
    cat >names.json <<'JSON'
{"traceEvents":[
{"ph":"M","pid":1,"name":"process_name","args":{"name":"app"}},
{"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"worker"}},
{"ph":"B","ts":10,"pid":1,"tid":2,"name":"outer","cat":"a,b","args":{"grid":[128,1,1],"stream":7,"kept":"begin"}},
{"ph":"X","ts":11,"dur":2.5,"pid":1,"tid":2,"name":"inner","args":{"grid":[4],"name":"peer","deep":{"x":{"y":[true,"z"]}}}},
{"ph":"i","ts":12,"pid":1,"tid":2,"s":"t","name":"mark"},
{"ph":"C","ts":13,"pid":1,"name":"load","args":{"v":3}},
{"ph":"C","ts":14,"pid":1,"name":"load","args":{"v":3.25}},
{"ph":"E","ts":20,"pid":1,"tid":2,"args":{"result":"ok","kept":"end"}},
{"ph":"E","ts":21,"pid":1,"tid":2},
{"ph":"B","ts":30,"pid":1,"tid":2,"name":"never ends"}]}
JSON
}

@test "csv has a record for each slice, with begin and end joined" {
    names_json
    tm-merge -q -f csv names.json | tr -d '\r' >out
    diff out - <<'CSV'
ts,dur,kind,name,category,depth,value,machine,machine_id,process,pid,thread,tid,other_tid,cpu,track,file,args
10000,10000,slice,outer,"a,b",0,,host,0,app,1,worker,2,,,,names.json,"{""grid"":[128,1,1],""stream"":7,""kept"":""end"",""result"":""ok""}"
11000,2500,slice,inner,,1,,host,0,app,1,worker,2,,,,names.json,"{""grid"":[4],""name"":""peer"",""deep"":{""x"":{""y"":[true,""z""]}}}"
12000,0,instant,mark,,2,,host,0,app,1,worker,2,,,,names.json,
13000,,counter,load v,,,3.0,host,0,app,1,,1,,,load v,names.json,
14000,,counter,load v,,,3.25,host,0,app,1,,1,,,load v,names.json,
21000,,slice_end,,,,,host,0,app,1,worker,2,,,,names.json,
30000,,slice,never ends,,0,,host,0,app,1,worker,2,,,,names.json,
CSV
}

@test "jsonl has the same rows as objects, and null for the duration of a slice without an end" {
    names_json
    tm-merge -q -f jsonl names.json >out
    run sed -n 2p out
    [ "$output" = '{"kind":"slice","ts":11000,"dur":2500,"name":"inner","depth":1,"machine":"host","machine_id":0,"process":"app","pid":1,"thread":"worker","tid":2,"file":"names.json","args":{"grid":[4],"name":"peer","deep":{"x":{"y":[true,"z"]}}}}' ]
    run tail -n 1 out
    [ "$output" = '{"kind":"slice","ts":30000,"dur":null,"name":"never ends","depth":0,"machine":"host","machine_id":0,"process":"app","pid":1,"thread":"worker","tid":2,"file":"names.json"}' ]
    run sed -n 4p out
    [ "$output" = '{"kind":"counter","ts":13000,"name":"load v","value":3,"machine":"host","machine_id":0,"process":"app","pid":1,"tid":1,"track":"load v","file":"names.json"}' ]
}

@test "text has a line for each slice, indented by depth, with category and args" {
    names_json
    tm-merge -q names.json >out
    diff out - <<'TEXT'
            TIME MACHINE PROCESS/THREAD           KIND             DURATION NAME = VALUE [CATEGORY] ARGS
     0.000000000 host    app:1/worker:2           slice                10us outer [a,b] grid=[128,1,1] stream=7 kept="end" result="ok"
     0.000001000 host    app:1/worker:2           slice               2.5us   inner grid=[4] name="peer" deep={"x":{"y":[true,"z"]}}
     0.000002000 host    app:1/worker:2           instant                       mark
     0.000003000 host    app:1                    counter                   load v = 3
     0.000004000 host    app:1                    counter                   load v = 3.25
     0.000011000 host    app:1/worker:2           slice_end
     0.000020000 host    app:1/worker:2           slice                open never ends
TEXT
}

@test "text of several files has a column for the file" {
    names_json
    cp names.json other.json
    tm-merge -q names.json other.json | sed -n 1,3p >out
    grep -F 'DURATION FILE       NAME = VALUE' out
    grep -F '10us names.json outer' out
    grep -F '10us other.json outer' out
}

@test "--arg gives each arg a column with the type that the trace states" {
    names_json
    tm-merge -q -f csv --arg=grid,stream --arg=deep.x.y[1],name names.json | tr -d '\r' | sed 's/"a,b"/ab/' | cut -d , -f 3,4,18- >out
    diff out - <<'CSV'
kind,name,grid,stream,deep.x.y[1],arg_name
slice,outer,"[128,1,1]",7,,
slice,inner,[4],,z,peer
instant,mark,,,,
counter,load v,,,,
counter,load v,,,,
slice_end,,,,,
slice,never ends,,,,
CSV
    tm-merge -q -f jsonl --arg=grid,args.stream,name names.json >out
    run sed -n 1p out
    [[ "$output" == *'"file":"names.json","grid":[128,1,1],"args.stream":7}' ]]
    run sed -n 2p out
    [[ "$output" == *'"file":"names.json","grid":[4],"arg_name":"peer"}' ]]
}

@test "--events and --arg are refused for outputs without rows" {
    names_json
    run tm-merge --events -f report names.json
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "tm-merge: --events: report has no rows that are slices" ]
    run tm-merge --arg=x names.json
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "tm-merge: --arg: text has no columns for args" ]
    run tm-merge --arg=x --events -f csv names.json
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "tm-merge: --arg: csv --events has no columns for args" ]
    run tm-merge --arg=x,,y -f csv names.json
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "tm-merge: --arg: 'x,,y' has an empty name" ]
    for call in "--arg x,x" "--arg x --arg y,x"; do
        run tm-merge -f csv $call /dev/null
        [ "$status" -eq 2 ]
        [ "${lines[0]}" = "tm-merge: --arg: 'x' is given twice" ]
    done
    run bash -c 'emit-stream | tm-emit --arg=x -f text'
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "tm-emit: --arg: text has no columns for args" ]
    run bash -c 'emit-stream | tm-emit --events -f svg'
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "tm-emit: --events: svg has no rows that are slices" ]
    run bash -c 'emit-stream unsorted | tm-emit --arg=x -f csv'
    [ "$status" -eq 1 ]
}

@test "an unsorted stream has a row for each event, and a warning" {
    names_json
    tm-unpack names.json | tm-emit -f csv >out 2>err
    tm-unpack names.json | tm-emit -q -f csv --events | cmp - out
    [ "$(cat err)" = "tm-emit: warning: the stream is not sorted and placed, so each event is a row, as with --events" ]
    grep -F ',slice_begin,outer,' out
    tm-merge -q -f csv --events names.json | grep -F ',slice_begin,outer,'
}

@test "the rows of a column have one type for the csv and sqlite modules of Python" {
    names_json
    cat >sched.txt <<'TEXT'
# tracer: nop
 a-11 (11) [001] d..2 10.000001: sched_switch: prev_comm=a prev_pid=11 prev_prio=120 prev_state=S ==> next_comm=b next_pid=12 next_prio=120
 b-12 (12) [001] d..2 10.000005: sched_waking: comm=a pid=11 prio=120 target_cpu=001
 b-12 (12) [001] d..2 10.000009: sched_switch: prev_comm=b prev_pid=12 prev_prio=120 prev_state=R ==> next_comm=a next_pid=11 next_prio=120
TEXT
    tm-merge -q -o rows.csv names.json sched.txt 2>/dev/null
    python3 - <<'PY'
import csv, json, re
rows = list(csv.DictReader(open('rows.csv', newline='', encoding='utf-8'), strict=True))
integer = re.compile(r'-?[0-9]+$')
for name in ('ts', 'dur', 'depth', 'machine_id', 'pid', 'tid', 'other_tid', 'cpu'):
    assert all(r[name] == '' or integer.match(r[name]) for r in rows), name
assert all(r['value'] == '' or ('.' in r['value'] and float(r['value']) is not None) for r in rows)
assert all(r['ts'] and r['kind'] and r['file'] for r in rows)
assert all(r['args'] == '' or isinstance(json.loads(r['args']), dict) for r in rows)
assert {r['machine'] for r in rows} == {'host'}
runs = [r for r in rows if r['kind'] == 'sched']
assert runs and all(r['cpu'] and r['tid'] for r in runs)
assert [(r['name'], r['tid'], r['dur'], json.loads(r['args'])) for r in runs] == [
    ('b', '12', '8000', {'priority': 120, 'end_state': 'R'}), ('a', '11', '', {'priority': 120})], runs
assert [(r['tid'], r['other_tid']) for r in rows if r['kind'] == 'sched_waking'] == [('11', '12')]
PY
    command -v sqlite3 >/dev/null || return 0
    run sqlite3 :memory: ".import --csv rows.csv r" "select sum(dur) from r where name = 'outer'"
    [ "$output" = 10000 ]
}

@test "pandas and DuckDB infer the types of columns" {
    names_json
    tm-merge -q -o rows.csv names.json
    for python in "$TM_PYTHON" /usr/bin/python3 none; do
        ! "$python" -c 'import pandas' 2>/dev/null || break
        ! "$python" -c 'import duckdb' 2>/dev/null || break
    done
    [ "$python" != none ] || skip "neither is installed"
    "$python" - <<'PY'
try:
    import pandas
except ImportError:
    pandas = None
try:
    import duckdb
except ImportError:
    duckdb = None
if pandas:
    t = pandas.read_csv('rows.csv').convert_dtypes()
    kinds = {c: str(t[c].dtype) for c in ('ts', 'dur', 'depth', 'value', 'pid', 'tid')}
    assert kinds == {c: 'Float64' if c == 'value' else 'Int64' for c in kinds}, kinds
if duckdb:
    kinds = dict(r[:2] for r in duckdb.sql("describe select ts, dur, depth, value, pid, tid, args from 'rows.csv'").fetchall())
    assert kinds.pop('args') in ('VARCHAR', 'JSON')
    assert kinds == {c: 'DOUBLE' if c == 'value' else 'BIGINT' for c in kinds}, kinds
PY
}

@test "slices are those of the database, for Chrome JSON, ftrace text and Perfetto traces" {
    names_json
    [ "$(slices_of names.json)" -eq 4 ]
    cp "$TM_SRC/t/data/trace-cmd.txt" "$TM_SRC/t/data/ftrace-tgid.txt" "$TM_SRC/t/data/strace.txt" "$TM_SRC/t/data/gecko.json" .
    [ "$(slices_of strace.txt)" -gt 3 ]
    slices_of trace-cmd.txt ftrace-tgid.txt gecko.json
    cp "$TM_SRC/doc/examples/phone-watch-app.tar" .
    [ "$(slices_of phone-watch-app.tar)" -gt 5 ]
}

@test "slices are those of the database, with ends that close outer slices and slices that are cut short" {
    python3 - <<'PY'
import json, random
random.seed(3)
events, ts = [], 0
for i in range(4000):
    ts += random.randrange(3)
    ph = random.choice('BBEEXiC')
    e = {'ph': ph, 'ts': ts, 'pid': 1, 'tid': random.randrange(3), 'name': random.choice('abcd')}
    if ph == 'X':
        e['dur'] = random.randrange(40)
    if ph == 'E' and random.random() < .5:
        del e['name']
    if ph == 'C' or random.random() < .3:
        e['args'] = {'v': random.randrange(9)}
    events.append(e)
json.dump({'traceEvents': events}, open('random.json', 'w'))
PY
    [ "$(slices_of random.json)" -gt 1000 ]
}

@test "a descriptor names a thread that begins during the trace, in all outputs, and no earlier thread of its number" {
    # Thread 60 runs as old, then as rec, which becomes app and says with its descriptor that it is Main; later it is late,
    # until the descriptor comes again.
    PYTHONPATH="$TM_SRC/t/gen" python3 - >t.pftrace <<'PY'
import sys
from wire import field, message
def packet(*fields): sys.stdout.buffer.write(field(1, message(*fields, (10, 5))))
def ftrace(ts, tid, number, fields): packet((1, message((1, 0), (2, message((1, ts), (2, tid), (number, message(*fields)))))))
def new(ts, comm): ftrace(ts, 7, 235, ((1, 60), (2, comm), (3, 0)))
def rename(ts, comm): ftrace(ts, 60, 236, ((1, 60), (2, 'x'), (3, comm)))
def mark(ts): ftrace(ts, 60, 5, ((2, 'a mark'),))
def instant(ts, name): packet((8, ts), (11, message((9, 3), (11, 9), (23, name))))
packet((13, 1))
new(1000, 'old'); mark(1500); new(2000, 'rec'); rename(3000, 'app'); mark(3500)
packet((8, 4000), (60, message((1, 9), (4, message((1, 60), (2, 60), (5, 'Main'))))))
instant(5000, 'of Main'); rename(6000, 'app2'); mark(6500)
new(7000, 'late'); mark(7500)
for ts in (7600, 7700, 7800, 7900):
    packet((8, ts), (60, message((1, 9), (4, message((1, 60), (2, 60), (5, 'Main'))))))
mark(8000)
PY
    tm-merge -q --events -f jsonl t.pftrace >t.jsonl
    jq -r 'select(.kind == "instant" or .kind == "ftrace") | "\(.ts) " + .thread' t.jsonl >names
    cat names
    [ "$(paste -sd, names)" = "1500 old,3500 app,5000 Main,6500 Main,7500 late,8000 Main" ]
    tm-merge -q -o m.json t.pftrace
    jq -r '.traceEvents[] | select(.name == "thread_name" and .tid == 60) | .args.name' m.json >names
    cat names
    [ "$(grep -c -x Main names)" = 2 ] # once for each of its tasks
}

@test "of two files that name a thread the later name counts, from the start and in all outputs" {
    for file in "b 5000 of_b" "c 4000 of_c"; do
        read -r name ts thread <<<"$file"
        PYTHONPATH="$TM_SRC/t/gen" python3 - "$ts" "$thread" >"$name.pftrace" <<'PY'
import sys
from wire import field, message
ts, name = int(sys.argv[1]), sys.argv[2]
for packet in (((13, 1),), ((8, ts), (60, message((1, 9), (4, message((1, 60), (2, 61), (5, name)))))),
               ((8, ts), (11, message((9, 3), (11, 9), (23, 'first')))),
               ((8, 9000), (11, message((9, 3), (11, 9), (23, 'last'))))):
    sys.stdout.buffer.write(field(1, message(*packet, (10, 5))))
PY
    done
    tm-merge -q -o m.json -o m.db -o m.jsonl b.pftrace c.pftrace
    [ "$(sqlite3 m.db "SELECT name FROM thread WHERE tid = 61")" = of_b ]
    [ "$(jq -r .thread m.jsonl | sort | uniq -c | xargs)" = "4 of_b" ]
    jq -r '.traceEvents[] | select(.name == "thread_name").args.name' m.json >names
    cat names
    grep -q '^of_b' names
    [ "$(grep -c of_c names)" = 0 ]
}

@test "a task has its name in the database: scheduling before JSON, new tasks, renames, the idle task" {
    cat >named.json <<'JSON'
{"traceEvents":[
{"ph":"M","pid":5,"tid":7,"name":"thread_name","args":{"name":"of JSON"}},
{"ph":"M","pid":5,"tid":8,"name":"thread_name","args":{"name":"of JSON alone"}},
{"ph":"X","ts":9000,"dur":1,"pid":5,"tid":7,"name":"on 7"},
{"ph":"X","ts":9000,"dur":1,"pid":5,"tid":8,"name":"on 8"}]}
JSON
    python3 "$TM_SRC/t/gen/make-kernel.py" >kernel.pftrace <<'END'
process 9 shop
compact 0 1000:0:swapper/0 2000:7:shell
2200 0 7 #235 1=9 2=shop 3=0 4=0
2250 0 9 #236 1=9 2=shop 3=till
2300 0 7 #235 1=10 2=shell 3=0 4=0
2400 0 9 #235 1=11 2=till 3=65536 4=0
2500 0 7 #236 1=7 2=shell 3=tool
compact 0 3000:0:swapper/0
3100 0 10 print 2=B|10|a
3200 0 11 print 2=B|9|b
3300 0 9 print 2=B|9|c
3400 0 0 print 2=B|0|d
END
    tar cf run.tar kernel.pftrace named.json
    tm-merge -q -o run.db run.tar
    tm-merge -q -f jsonl -o run.jsonl run.tar
    tm-merge -q -f jsonl --events -o events.jsonl run.tar
    run python3 - <<'PY'
import json, sqlite3
tasks = sqlite3.connect('run.db').execute("""SELECT tid, t.name, pid, p.name FROM thread t LEFT JOIN process p USING (upid)
    WHERE t.end_ts IS NULL AND t.utid = (SELECT MAX(utid) FROM thread u WHERE u.tid = t.tid)""")
want = {tid: rest for tid, *rest in tasks}
for name in 'run.jsonl', 'events.jsonl':
    rows = [r for r in map(json.loads, open(name)) if r.get('ts', 0) >= 3000 and 'tid' in r]
    have = {r['tid']: [r.get('thread'), r.get('pid'), r.get('process')] for r in rows}
    print(name, sorted(have))
    assert len(have) > 5, have
    for tid in have:
        count = 3 if tid else 1 # rows do not show the idle process
        assert have[tid][:count] == want[tid][:count], (name, tid, have[tid], want[tid])
print(want[7][0], want[8][0], want[0][0])
PY
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [ "${lines[2]}" = "tool of JSON alone swapper" ]
}

@test "rows that wait for an end are in a temporary file, and written in order" {
    python3 - <<'PY'
import json
out = [{'ph': 'B', 'ts': 0, 'pid': 1, 'tid': 1, 'name': 'all', 'args': {'a': 1}}]
for i in range(60000):
    out.append({'ph': 'B', 'ts': i + 1, 'pid': 1, 'tid': 2, 'name': 'slice %d' % i, 'args': {'n': i, 'pad': 'x' * 100}})
    out.append({'ph': 'E', 'ts': i + 1.5, 'pid': 1, 'tid': 2, 'args': {'m': -i}})
out.append({'ph': 'E', 'ts': 70000, 'pid': 1, 'tid': 1, 'args': {'b': 2}})
json.dump({'traceEvents': out}, open('late.json', 'w'))
PY
    [ "$(slices_of late.json)" -eq 60001 ]
    head -n 1 slices.jsonl | grep -F '"args":{"a":1,"b":2}'
    sed -n 40001p slices.jsonl | grep -F '"args":{"n":39999,"pad":'
    sed -n 40001p slices.jsonl | grep -F '"m":-39999}'
    tm-unpack late.json | tm-manifest | tm-clocks | tm-sort >late.tms
    run tm-emit -T /nonexistent -f jsonl -o out.jsonl <late.tms
    [ "$status" -eq 3 ]
    [[ "$output" == *"/nonexistent"* ]]
}

@test "long names of processes and threads are cut to their column" {
    python3 - <<'PY'
import json
json.dump({'traceEvents': [
    {'ph': 'M', 'pid': 1, 'name': 'process_name', 'args': {'name': 'p' * 800}},
    {'ph': 'M', 'pid': 1, 'tid': 2, 'name': 'thread_name', 'args': {'name': 't' * 9}},
    {'ph': 'M', 'pid': 1, 'tid': 3, 'name': 'thread_name', 'args': {'name': 'ü' * 200}},
    {'ph': 'X', 'ts': 1, 'dur': 1, 'pid': 1, 'tid': 1, 'name': 'a'},
    {'ph': 'X', 'ts': 1, 'dur': 1, 'pid': 1, 'tid': 2, 'name': 'b'},
    {'ph': 'X', 'ts': 1, 'dur': 1, 'pid': 1, 'tid': 3, 'name': 'c'}]}, open('long.json', 'w'))
PY
    for events in "" --events; do
        tm-merge $events long.json >out
        [ "$(python3 -c 'print(len({l.index("slice ") for l in open("out", encoding="utf-8") if "slice " in l}))')" -eq 1 ]
        [ "$(python3 -c 'print(max(len(l) for l in open("out", encoding="utf-8")))')" -lt 160 ]
        grep -E ' p+\.\.\.:1 ' out
        grep -E ' p+\.\.\.:1/t{9}:2 ' out
        LC_ALL=C.UTF-8 grep -E ' p+\.\.\.:1/ü+\.\.\.:3 ' out
    done
}

@test "columns are aligned on a terminal, whatever the script of names, and are as wide as the names that are shown" {
    mkdir -p a/long/path/of/folders
    python3 - <<'PY'
import json
for name in '電話の記録.json', 'cafe\u0301-été.json', 'x.json':
    json.dump({'traceEvents': [
        {'ph': 'M', 'pid': 1, 'name': 'process_name', 'args': {'name': '処理'}},
        {'ph': 'M', 'pid': 1, 'tid': 2, 'name': 'thread_name', 'args': {'name': 'スレッド\x01'}},
        {'ph': 'X', 'ts': 1, 'dur': 1, 'pid': 1, 'tid': 2, 'name': 'row'},
        {'ph': 'X', 'ts': 1, 'dur': 1, 'pid': 1, 'tid': 1, 'name': 'row'}]}, open('a/long/path/of/folders/' + name, 'w'))
PY
    for clock in 時計 montré '時計の名前はとても長いので切られる'; do
        tm-merge -q --machine "$clock=x.json" a >out
        python3 - "$clock" <<'PY'
import sys, unicodedata
def width(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in 'WF' else 1 for c in text)
head, *rows = open('out', encoding='utf-8').read().splitlines()
def place(word, rows_word):
    places = {width(row[:row.index(rows_word)]) for row in rows} | {width(head[:head.index(word)])}
    assert len(places) == 1, (word, places)
    return places.pop()
machine, kind, name = head.index('MACHINE'), place('KIND', 'slice'), place('NAME', 'row')
thread = head.index('PROCESS/THREAD')
shown = sys.argv[1] if width(sys.argv[1]) <= 24 else '時計の名前はとても長...' # wide characters fill 23 columns
assert thread - machine - 1 == max(7, width(shown)), (thread, machine)
assert any(' %s 処理' % shown.ljust(len(shown) + 7 - width(shown)) in row for row in rows), rows
assert kind - thread - 1 == 24, (kind, thread)
assert name - head.index('FILE') - 1 == width('電話の記録.json'), (name, head)
PY
    done
}

@test "the example of the manual page finds the longest slices of a Perfetto trace" {
    command -v jq >/dev/null || skip "no jq"
    tar xf "$TM_SRC/doc/examples/phone-watch-app.tar"
    tm-merge -q -f jsonl phone.pftrace | jq -r 'select(.dur) | [.dur, .name] | @tsv' | sort -rn | head >out
    grep -P '^[0-9]+\t.' out
}

@test "a deadline task that is woken has priority -1 in every row" {
    cat >sched.txt <<'TEXT'
# tracer: nop
 b-12 (12) [001] d..2 10.000005: sched_waking: comm=a pid=11 prio=-1 target_cpu=001
TEXT
    tm-merge -q -f jsonl --events sched.txt | grep -F '"prio":-1,"target_cpu":1'
    tm-merge -q -f csv sched.txt | grep -F 'prio"":-1'
}

# Neither a database nor a merged Perfetto trace has a row of it.
@test "a complete slice of negative duration is an event without a duration" {
    echo '[{"ph":"X","pid":1,"tid":1,"ts":10,"dur":-1,"name":"back"},{"ph":"X","pid":1,"tid":1,"ts":20,"dur":1,"name":"on"}]' >n.json
    tm-merge n.json | tail -n +2 | tr -s ' ' | diff - <(printf '%s\n' ' 0.000000000 host 1 slice back' ' 0.000010000 host 1 slice 1us on')
    tm-merge -f jsonl n.json | head -1 | jq -ce '[.kind, .ts, has("dur"), has("depth")] == ["slice", 10000, false, false]'
    tm-merge -f csv n.json | grep -q '^10000,,slice,back,'
}

@test "args that are real numbers have a point or an exponent, in every row" {
    cat >real.json <<'END'
[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"n","args":{"a":-1.0,"b":1e3,"c":0.5,"d":1e300,"e":7,"f":-9223372036854775808,
    "g":18446744073709551616,"h":{"i":[-0.0]}}}]
END
    local args='"a":-1.0,"b":1000.0,"c":0.5,"d":1e+300,"e":7,"f":-9223372036854775808,"g":1.8446744073709552e+19,'
    tm-merge -q -f jsonl real.json | grep -F '"args":{'"$args"'"h":{"i":[-0.0]}}}'
    tm-merge -q -f csv real.json | tail -1 | grep -F "${args//\"/\"\"}"
    tm-merge -q -f text real.json | grep -F ' a=-1.0 b=1000.0 c=0.5 d=1e+300 e=7 '
    tm-merge -q -f jsonl --events real.json | grep -F '"args.a":-1.0,"args.b":1000.0,"args.c":0.5,'
    tm-merge -q -o real.db real.json
    [ "$(sqlite3 real.db "SELECT key FROM args WHERE value_type = 'real' AND key LIKE 'args.%'" | tr -d '\n')" = \
        'args.aargs.bargs.cargs.dargs.gargs.h.i[0]' ]
}

@test "args are nested as their keys say: dots, indices, and what is null or empty" {
    echo '[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"n","args":{"a.b":1,"c.":2,"d":{"":3,"e":null,"f":{},"g":[]},
        "h[0]":4,"i":[null,5,{},6],"":7}}]' >keys.json
    tm-merge -q -f jsonl keys.json | jq -c .args |
        diff - <(echo '{"a":{"b":1},"c.":2,"d.":3,"h":[4],"i":{"0":5,"2":6},"args.":7}')
}

@test "the command line in the descriptor of a process is no name of it, in all outputs" {
    PYTHONPATH=$TM_SRC/t/gen python3 - >kinds.pftrace <<'END'
import sys
from wire import field, message
def packet(time, *fields): sys.stdout.buffer.write(field(1, message((8, time), (10, 1), *fields)))
def describe(pid, *fields): packet(1000, (60, message((1, pid), *fields)))
describe(5, (3, message((1, 5), (2, '/usr/bin/browser'), (2, '--headless'))), (6, message((1, 1))))
describe(6, (3, message((1, 6), (2, '/usr/bin/unnamed'))))
describe(7, (3, message((1, 7), (2, '/usr/bin/named'), (6, 'own name'))))
packet(1000, (2, field(1, message((1, 8), (3, '/usr/bin/tree'), (3, '-x')))))
for pid in 5, 6, 7, 8:
    describe(pid + 10, (4, message((1, pid), (2, pid + 1), (5, 't'))))
    packet(2000 + pid, (11, message((9, 3), (11, pid + 10), (23, 'n'))))
END
    tm-merge -q -o k.db -o k.jsonl -o k.json kinds.pftrace
    sqlite3 -separator ' ' k.db "SELECT p.pid, coalesce(p.name, '-') FROM slice s JOIN thread_track t ON t.id = s.track_id
        JOIN thread USING (utid) JOIN process p USING (upid) ORDER BY s.ts" >want
    diff want - <<<$'5 Browser\n6 -\n7 own name\n8 /usr/bin/tree'
    jq -r 'select(.name == "n") | "\(.pid) \(.process // "-")"' k.jsonl | diff want -
    jq -r '.traceEvents | (map(select(.name == "process_name") | {(.pid | tostring): .args.name}) | add) as $names |
        .[] | select(.ph != "M") | "\(.pid) \($names[.pid | tostring] // "-")"' k.json | diff want -
}
