#!/usr/bin/env bats
# tm-sort --cut: parts by time. tm-emit --append: the traces of all parts, joined, are the merged trace.

bats_require_minimum_version 1.5.0

setup_file() {
    tm-unpack "$TM_SRC/doc/examples/phone-watch-app.tar" | tm-manifest | tm-clocks |
        tm-sort >"$BATS_FILE_TMPDIR/app.tms"
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    PATH="$TM_BIN/../t/gen:$PATH"
    . "$TM_SRC/t/lib/common.bash"
    cp "$BATS_FILE_TMPDIR/app.tms" .
}

# parts STREAM TIME,...: joins the traces of its parts.
parts() {
    rm -rf parts
    mkdir parts
    tm-sort --cut="$2" --into=parts "$1"
    for part in $(ls -v parts/*.tms); do
        tm-emit -q -f pftrace --append <"$part" || return
    done
}

# timeline TRACE: prints its slices with all their values.
timeline() {
    cp "$1" it.pftrace
    tm-merge -q -f jsonl it.pftrace | sort
}

# json: prints a thread with nested, crossing and open slices, flows and counters.
json() {
    python3 - "$1" <<'END'
import json, random, sys
rng, events = random.Random(int(sys.argv[1])), []
def add(**e): events.append(dict(pid=e.pop('pid', 1), tid=e.pop('tid', 1), **e))
for tid in range(1, 4): # crossing slices, too
    for n in range(150):
        add(ph='X', tid=tid, name=f'x{n}', ts=rng.randrange(1000), dur=rng.choice((3, 40, 300)), args={'n': n})
for tid in range(4, 6): # begins and ends that nest
    t, depth = 0, 0
    while t < 1000:
        t += rng.randrange(1, 9)
        if depth and rng.random() < 0.5:
            depth -= 1
            add(ph='E', tid=tid, ts=t)
        else:
            depth += 1
            add(ph='B', tid=tid, name=f'b{t}', ts=t)
    add(ph='B', tid=tid, name='never ends', ts=t + 1)
for tid in range(8, 11): # complete events inside begins and ends, with arguments at their ends
    t, ends = 0, []
    while t < 1000:
        t += rng.randrange(1, 9)
        while ends and ends[-1] <= t:
            end = ends.pop()
            add(ph='E', tid=tid, ts=end, **rng.choice(({}, {'args': {'end': end}})))
        last = ends[-1] if ends else t + 500
        if last - t > 9 and rng.random() < 0.4:
            ends.append(rng.randrange(t + 2, last))
            add(ph='B', tid=tid, name=f'm{t}', ts=t)
        elif last - t > 4:
            dur = rng.randrange(0, min(60, last - t))
            add(ph='X', tid=tid, name=f'm{t}', ts=t, dur=dur)
            add(ph='i', s='t', tid=tid, name=f'i{t}', ts=t + dur // 2)
            t += dur
for n in range(60):
    t = rng.randrange(900)
    add(ph='b', id=n, cat='async', name=f'a{n}', ts=t)
    add(ph='e', id=n, cat='async', name=f'a{n}', ts=t + rng.randrange(100))
    add(ph='C', name='count', ts=t, args={'v': n})
for tid in range(6, 8): # a flow from slice to slice
    for n in range(40):
        add(ph='X', tid=tid, name=f'f{n}', ts=n * 20, dur=15)
        add(ph='s' if tid == 6 else 'f', bp='e', id=n, cat='flow', name='flow', tid=tid, ts=n * 20 + tid)
json.dump({'schemaVersion': 1, 'baseTimeNanoseconds': 1700000000000000000, 'traceEvents': events}, sys.stdout)
END
}

# cut_at STREAM N SEED: prints N times between 0 and 1.1 ms after the stream's first event.
cut_at() {
    python3 -c "
import random, sys
first, n, seed = map(int, sys.argv[1:])
print(','.join(map(str, sorted(random.Random(seed).sample(range(first, first + 1_100_000), n)))))" \
        "$(tm-emit -f report --json <"$1" | sed -n 's/.*"bounds":{"first_ns":\(-*[0-9]*\).*/\1/p')" "$2" "$3"
}

@test "a part states its range, and each event is in the range of exactly one part" {
    tm-sort --cut=100300000000,100500000000 app.tms >part.tms
    tm-sort -c part.tms
    tm-emit -f frames <part.tms >part.txt
    grep -q 'Header version=1 stage=PLACED sorted=true from_ns=100300000000 to_ns=100500000000' part.txt
    tm-sort --cut=,100.3s app.tms >first.tms
    tm-emit -f frames <first.tms | grep -q 'sorted=true to_ns=100300000000$'
    tm-sort --cut=100.5s, app.tms >last.tms
    tm-emit -f frames <last.tms | grep -q 'sorted=true from_ns=100500000000$'
    # A stage that passes it on states it too.
    for stage in tm-manifest tm-clocks tm-sort; do
        $stage <part.tms | tm-emit -f frames | head -n 1 | cmp - <(head -n 1 part.txt)
    done
    mkdir all
    tm-sort --cut=100300000000,100500000000 --into=all <app.tms
    cmp all/0.tms first.tms
    cmp all/1.tms part.tms
    cmp all/2.tms last.tms
    # The ranges of the parts have exactly the events of the whole.
    rows() { tm-emit --events -f csv <"$1" | tail -n +2; }
    rows app.tms | sort >whole
    { rows first.tms; rows part.tms | awk -F, '$1 >= 100300000000'; rows last.tms | awk -F, '$1 >= 100500000000'; } |
        sort >joined
    [ -s whole ]
    cmp whole joined
}

@test "a part alone has the slices that are open at its start, and balanced accounts" {
    json 3 >run.json
    tm-unpack run.json | tm-manifest | tm-clocks | tm-sort >run.tms
    tm-sort --cut=0.0003s,0.0005s run.tms >part.tms
    tm-emit -f jsonl <part.tms >part
    tm-emit -f jsonl --only=from=300000,to=500000 <run.tms >only
    # The part has all slices that --only chooses by time. Of slices that ended before, it has only crossing ones.
    slices() { grep '"kind":"slice"' "$1" | grep -o '"name":"[^"]*"' | sort -u; }
    [ "$(slices only | wc -l)" -gt 100 ]
    [ -z "$(comm -13 <(slices part) <(slices only))" ]
    tm-emit -f report <part.tms | grep -q filtered
}

@test "an end of another category leaves the slice open at the cut" {
    cat >run.json <<'END'
[{"ph":"B","pid":1,"tid":1,"ts":100,"name":"a","cat":"x"},
{"ph":"E","pid":1,"tid":1,"ts":300,"name":"a","cat":"y"},
{"ph":"E","pid":1,"tid":1,"ts":900,"name":"a","cat":"x"}]
END
    tm-unpack run.json | tm-manifest | tm-clocks | tm-sort >run.tms
    tm-sort --cut=0.0005s, run.tms | tm-emit -f jsonl >part
    grep '"kind":"slice"' part | grep '"name":"a"' | grep -q '"dur":800000'
}

# state TIME: prints the slices that the part from TIME on has from before it: a name, or the time of an end.
state() {
    tm-unpack run.json | tm-manifest | tm-clocks | tm-sort >run.tms
    tm-sort --cut="$1", run.tms | tm-emit -f frames >part.txt
    sed -n 's/.*time_ns=\([0-9]*\) .*kind=slice_end.*/\1 \1/p; s/.*time_ns=\([0-9]*\) .* name="\([^"]*\)".*/\1 \2/p' \
        part.txt | awk -v from="$1" '$1 < from { print $2 }' | paste -sd' '
}

@test "the state has the end of a slice that crosses an open one, though a slice inside ends with it" {
    cat >run.json <<'END'
[{"ph":"B","pid":1,"tid":1,"ts":1,"name":"first"},
{"ph":"E","pid":1,"tid":1,"ts":3},
{"ph":"B","pid":1,"tid":1,"ts":10,"name":"crosses"},
{"ph":"X","pid":1,"tid":1,"ts":12,"dur":10,"name":"open"},
{"ph":"X","pid":1,"tid":1,"ts":13,"dur":2,"name":"inside"},
{"ph":"E","pid":1,"tid":1,"ts":15},
{"ph":"i","s":"t","pid":1,"tid":1,"ts":20,"name":"end"}]
END
    [ "$(state 17000)" = "first 3000 crosses open 15000" ]
}

@test "slices that crossed one that a later end cut short are over with their last end" {
    cat >run.json <<'END'
[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"first"},
{"ph":"B","pid":1,"tid":1,"ts":4,"name":"outer"},
{"ph":"X","pid":1,"tid":1,"ts":11,"dur":10,"name":"complete"},
{"ph":"B","pid":1,"tid":1,"ts":13,"name":"inner"},
{"ph":"E","pid":1,"tid":1,"ts":21,"name":"outer"},
{"ph":"i","s":"t","pid":1,"tid":1,"ts":30,"name":"end"}]
END
    [ "$(state 20000)" = "first outer complete inner" ]
    [ "$(state 25000)" = "first outer 21000" ] # the first end of its file, and what it ended
}

@test "a slice that ended with the slice around it is not in the state, and the end after it ends the next one" {
    cat >run.json <<'END'
[{"ph":"B","pid":1,"tid":1,"ts":1,"name":"first"},
{"ph":"E","pid":1,"tid":1,"ts":3},
{"ph":"B","pid":1,"tid":1,"ts":98,"name":"outer"},
{"ph":"X","pid":1,"tid":1,"ts":99,"dur":8,"name":"complete"},
{"ph":"B","pid":1,"tid":1,"ts":100,"name":"inner"},
{"ph":"E","pid":1,"tid":1,"ts":108},
{"ph":"i","s":"t","pid":1,"tid":1,"ts":130,"name":"end"}]
END
    [ "$(state 114000)" = "first 3000" ]
    [ "$(state 105000)" = "first 3000 outer complete inner" ]
}

@test "a slice that the complete slice around it ends is in the state while a slice that crosses both is open" {
    cat >run.json <<'END'
[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":8,"name":"complete"},
{"ph":"B","pid":1,"tid":1,"ts":3,"name":"inside"},
{"ph":"X","pid":1,"tid":1,"ts":5,"dur":8,"name":"crosses"},
{"ph":"B","pid":1,"tid":1,"ts":9,"name":"after"}]
END
    [ "$(state 10000)" = "complete inside crosses after" ]
}

@test "the state has a slice that has ended and crosses open ones through others" {
    cat >run.json <<'END'
[{"ph":"X","pid":1,"tid":1,"ts":4,"dur":40,"name":"first"},
{"ph":"X","pid":1,"tid":1,"ts":11,"dur":40,"name":"second"},
{"ph":"X","pid":1,"tid":1,"ts":17,"dur":8,"name":"inside"},
{"ph":"B","pid":1,"tid":1,"ts":21,"name":"open"},
{"ph":"X","pid":1,"tid":1,"ts":22,"dur":8,"name":"last"}]
END
    [ "$(state 33000)" = "first second inside open last" ]
}

@test "slices of one thread that overlap in a long chain are cut in the time of as many that do not" {
    python3 -c "
import json
event = {'ph': 'X', 'pid': 1, 'tid': 1, 'dur': 1000, 'name': 'n'}
print(json.dumps([dict(event, ts=i) for i in range(200000)]))" >run.json
    tm-unpack run.json | tm-manifest | tm-clocks | tm-sort >run.tms
    cpu_seconds 30 tm-sort --cut=0.15s, run.tms >part.tms # as opposed to minutes
    tm-emit -f report <part.tms | grep '200000 events read, 115537 placed, 84463 dropped'
}

@test "open slices beyond the limit of a track are warned of, and so are too many times" {
    python3 -c "
import json
event = {'ph': 'X', 'pid': 1, 'tid': 1, 'dur': 1000000, 'name': 'n'}
print(json.dumps([dict(event, ts=i) for i in range(65540)]))" >run.json
    tm-unpack run.json | tm-manifest | tm-clocks | tm-sort >run.tms
    tm-sort --cut=0.2s, run.tms 2>said >part.tms
    [ "$(tail -n 1 said)" = "tm-sort: warning: 4 open slices are beyond the limit of a track (tm-limits); later parts may lack them" ]
    tm-emit -q -f report <part.tms | grep -q '65537 placed'
    run tm-sort --cut="$(printf ',%.0s' {1..65537})"
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "tm-sort: --cut: more than the limit of 65536 times" ]
}

@test "slices that ended before the cut are not in its state, even if they ended before time 0" {
    emit-stream unsorted early | tm-sort >early.tms
    grep -c '"name":"early"' <(tm-emit -f jsonl --events <early.tms) | grep -qx 3
    tm-sort --cut=1000, early.tms | tm-emit -f jsonl --events >part
    grep '"name":"long"' part # the first event of its thread
    run -1 grep '"name":"early"' part
}

@test "a trace of a part has events, or its end, at the earliest time there is" {
    emit-stream unsorted early | tm-sort >early.tms
    for cut in 1000,1000001500 ,-9223372036854775808; do
        tm-sort --cut=$cut early.tms >part.tms
        tm-emit -q -f pftrace --append <part.tms >part
        [ -s part ]
    done
}

@test "a signal leaves no temporary file of a part" {
    "${TM_BIN%/bin}/t/gen/gen-stream" -n 1500000 -o sorted -P -H >long.tms
    mkdir all
    written() { [ -s "$(compgen -G 'all/.0.tms.*')" ]; }
    tm-sort --cut=9000000000000000000 --into=all long.tms &
    until written; do kill -0 $!; done
    kill -TERM $!
    status=0
    wait $! || status=$?
    [ "$status" -eq 143 ]
    [ -z "$(ls -A all)" ]
}

@test "a part that cannot be opened is named with its folder" {
    for n in $(seq 30); do
        LD_PRELOAD=${TM_BIN%/bin}/t/fault.so TM_FAULT=open:$n TM_FAULT_IN=tm-sort \
            tm-sort --cut=100.3s --into=all app.tms 2>>said || true
        rm -rf all
    done
    grep -F 'cannot open for writing' said | sort -u >parts
    [ "$(cut -d : -f 2 parts)" = " all/0.tms
 all/1.tms" ]
}

@test "a failing run leaves no part, even if parts were complete" {
    # The damage is in the last part.
    mkdir all
    head -c $(($(wc -c <app.tms) - 20)) app.tms >short.tms
    run tm-sort --cut=100.3s --into=all short.tms
    [ "$status" -eq 1 ]
    [ -z "$(ls -A all)" ]
    # The state outgrows its memory in the last part: a slice on each of many threads never ends.
    python3 -c "
import json
print(json.dumps([{'ph': 'B', 'pid': 1, 'tid': i, 'ts': i, 'name': 'n'} for i in range(60000)]
                 + [{'ph': 'i', 'pid': 1, 'tid': 1, 'ts': 90000, 'name': 'end'}]))" >open.json
    tm-unpack open.json | tm-manifest | tm-clocks | tm-sort >open.tms
    tm-sort --cut=0.001s,0.08s --into=all open.tms
    [ "$(ls -A all)" = "$(printf '0.tms\n1.tms\n2.tms')" ]
    rm all/*
    if [ -e /proc/self/statm ]; then
        run tm-sort --max-memory=12M --cut=0.001s,0.08s --into=all open.tms
        [ "$status" -eq 1 ]
        [[ $output == *"more than 12"*memory* ]] || { echo "$output"; false; }
        [ -z "$(ls -A all)" ]
    fi
    # A part cannot get its name.
    mkdir all/1.tms
    run tm-sort --cut=100.3s,100.5s --into=all app.tms
    [ "$status" -eq 3 ]
    [ "$(ls -A all)" = 1.tms ]
}

@test "the folder of the parts is made, and removed by a failing run" {
    tm-sort --cut=100.3s --into=new app.tms
    [ "$(ls -A new)" = "$(printf '0.tms\n1.tms')" ]
    head -c 6000 app.tms >short.tms
    run tm-sort --cut=100.3s --into=other short.tms
    [ "$status" -eq 1 ]
    [ ! -e other ]
    run tm-sort --cut=100.3s --into=app.tms app.tms
    [ "$status" -eq 3 ]
    [[ $output == *"app.tms: cannot write: Not a directory"* ]]
}

@test "a part of an earlier run with more parts is an error, and nothing is written" {
    tm-sort --cut=100.3s,100.4s,100.5s --into=parts app.tms
    cksum parts/* >before
    run -3 tm-sort --cut=100.35s --into=parts app.tms
    [ "$output" = "tm-sort: parts/2.tms: is of another run, and would pass for a part after 1.tms; remove it" ]
    cksum parts/* | diff before -
    tm-sort --cut=100.35s,100.4s,100.5s --into=parts app.tms
    [ "$(ls parts | wc -l)" -eq 4 ]
}

@test "the traces of all parts, joined in order, are the merged trace" {
    for seed in 1 2 3; do
        json $seed >run.json
        tm-unpack run.json | tm-manifest | tm-clocks | tm-sort >run.tms
        tm-emit -q -f pftrace <run.tms >whole.pftrace
        parts run.tms "$(cut_at run.tms 4 $seed)" >joined.pftrace
        timeline whole.pftrace >whole
        timeline joined.pftrace >joined
        [ "$(wc -l <whole)" -gt 500 ]
        cmp whole joined
    done
}

# joins TIME: true if the traces of the parts of run.json until and from TIME, joined, are the merged trace.
joins() {
    tm-unpack run.json | tm-manifest | tm-clocks | tm-sort >run.tms
    tm-emit -f pftrace <run.tms >whole.pftrace
    parts run.tms "$1" >joined.pftrace
    timeline whole.pftrace >whole
    timeline joined.pftrace >joined
    [ -s whole ]
    diff whole joined
}

@test "the first end of a file does not end another slice in the state of a part" {
    cat >run.json <<'END'
[{"ph":"X","pid":1,"tid":3,"name":"complete","ts":3,"dur":5},
{"ph":"B","pid":1,"tid":3,"name":"open","ts":3},
{"ph":"B","pid":1,"tid":3,"name":"over","ts":3},
{"ph":"E","pid":1,"tid":3,"ts":4},
{"ph":"i","s":"p","pid":1,"tid":3,"name":"end","ts":9}]
END
    joins 7000
}

@test "events of one time nest in the state of a part as they do in outputs" {
    cat >run.json <<'END'
[{"ph":"X","pid":1,"tid":3,"name":"around","ts":10,"dur":100},
{"ph":"B","pid":1,"tid":3,"name":"ends with a","ts":10},
{"ph":"X","pid":1,"tid":3,"name":"a","ts":10,"dur":1},
{"ph":"E","pid":1,"tid":3,"ts":17}]
END
    joins 15000
}

@test "a complete slice that would end another on its track has a lane in all parts" {
    cat >run.json <<'END'
[{"ph":"B","pid":1,"tid":1,"name":"begin","ts":5},
{"ph":"X","pid":1,"tid":1,"name":"a","ts":5,"dur":1},
{"ph":"X","pid":1,"tid":1,"name":"b","ts":6,"dur":2},
{"ph":"i","s":"p","pid":1,"tid":1,"name":"end","ts":9}]
END
    joins 7000
}

# shows_alone FILE TIME_NS: the part of FILE from TIME_NS on shows the same slices from there on as the whole, alone as
# rows and in a trace, and after the part before it. The slices are printed.
shows_alone() {
    local since='select(.dur != null or .kind == "slice") | select(.ts + (.dur // infinite) > $time)'
    since="$2 as \$time | $since | [.ts, .dur, .pid, .name]"
    rm -rf alone
    tm-unpack "$1" | tm-manifest | tm-clocks | tm-sort >run.tms
    tm-sort --cut="$2" --into=alone run.tms
    tm-emit -q -f jsonl <run.tms | jq -c "$since" >whole
    tm-emit -q -f jsonl <alone/1.tms | jq -c "$since" >rows
    tm-emit -q -o alone.pftrace <alone/1.tms
    tm-merge -q -f jsonl alone.pftrace | jq -c "$since" >trace
    parts run.tms "$2" >joined.pftrace
    timeline joined.pftrace | jq -c "$since" | sort >joined
    sort whole | diff - joined
    diff whole rows
    diff whole trace
    cat whole
}

@test "threads of one tid in two processes have slices of their own in the state of a part" {
    cat >run.json <<'END'
[{"ph":"B","pid":9,"tid":9,"ts":0,"name":"first"},
{"ph":"E","pid":9,"tid":9,"ts":0.5},
{"ph":"i","pid":1,"tid":1,"ts":0.7,"name":"x","s":"t"},
{"ph":"i","pid":2,"tid":1,"ts":0.7,"name":"x","s":"t"},
{"ph":"B","pid":1,"tid":1,"ts":1,"name":"over"},
{"ph":"B","pid":2,"tid":1,"ts":2,"name":"open"},
{"ph":"E","pid":1,"tid":1,"ts":3},
{"ph":"i","s":"p","pid":9,"tid":9,"name":"last","ts":9},
{"ph":"E","pid":2,"tid":1,"ts":10}]
END
    shows_alone run.json 4000 >shown
    [ "$(jq -r '.[3]' shown | paste -sd' ')" = "open last" ]
}

# line TASK SECOND EVENT: a line of ftrace text.
line() {
    echo " task-$1   (  $1) [000] .... $2: $3"
}

@test "a slice whose task's number is used again stays open in the parts after the end of another task's slice" {
    {
        echo '# tracer: nop'
        line 100 1.000000 'tracing_mark_write: B|100|first'
        line 100 1.100000 'tracing_mark_write: E|100'
        line 100 1.200000 'tracing_mark_write: B|100|never ends'
        line 50 2.000000 'task_newtask: pid=100 comm=task clone_flags=0 oom_score_adj=0'
        line 100 3.000000 'tracing_mark_write: E|100'
        line 100 3.100000 'tracing_mark_write: B|100|of the new task'
        line 50 3.200000 'task_newtask: pid=100 comm=task clone_flags=0 oom_score_adj=0'
        line 100 3.300000 'tracing_mark_write: E|100'
        line 50 9.000000 'tracing_mark_write: I|50|last'
    } >run.txt
    shows_alone run.txt 4000000000 >shown
    [ "$(jq -r '.[3]' shown | paste -sd,)" = "never ends,of the new task,last" ]
    # Chrome JSON knows no lifetimes of tasks: there the end closes the slice before the cut.
    tm-emit -q -f json <alone/1.tms >alone.json
    jq -e 'map(select(.name == "never ends")) | length == 1 and .[0].dur == 1800000' <(jq .traceEvents alone.json)
}

@test "a name that a switch after the cut gives back to a thread is its name in the joined trace" {
    local switch='sched_switch: prev_comm=task prev_pid=12 prev_prio=120 prev_state=S ==>'
    {
        echo '# tracer: nop'
        line 11 1.000000 'tracing_mark_write: I|11|names the main thread'
        line 12 1.100000 'sched_waking: comm=other pid=11 prio=120 target_cpu=000'
        line 12 2.000000 "$switch next_comm=task next_pid=11 next_prio=120"
    } >run.txt
    tm-unpack run.txt | tm-manifest | tm-clocks | tm-sort >run.tms
    tm-emit -q -f pftrace <run.tms >whole.pftrace
    parts run.tms 1500000000 >joined.pftrace
    timeline whole.pftrace >whole
    timeline joined.pftrace | diff whole -
    grep '"kind":"sched",.*"thread":"task","tid":11' whole
}

@test "asynchronous markers of one cookie are slices of their own in the state of a part, and begin once" {
    {
        echo '# tracer: nop'
        line 100 1.000000 'tracing_mark_write: S|100|over|5'
        line 100 1.100000 'tracing_mark_write: S|100|open|5'
        line 100 1.200000 'tracing_mark_write: F|100|over|5'
        line 100 2.000000 'tracing_mark_write: S|100|twice|6'
        line 100 2.100000 'tracing_mark_write: S|100|twice|6'
        line 100 2.200000 'tracing_mark_write: F|100|twice|6'
        line 100 2.300000 'tracing_mark_write: G|100|track|around|7'
        line 100 2.400000 'tracing_mark_write: G|100|track|inside|7'
        line 100 2.500000 'tracing_mark_write: H|100|track|7'
        line 50 9.000000 'tracing_mark_write: I|50|last'
        line 100 9.100000 'tracing_mark_write: F|100|open|5'
    } >run.txt
    shows_alone run.txt 4000000000 >shown
    [ "$(jq -r '.[3]' shown | paste -sd,)" = "open,around,last" ]
}

# arrows TRACE: prints its arrows, from slice to slice.
arrows() {
    cp "$1" it.pftrace
    tm-merge -q -o it.db it.pftrace
    sqlite3 it.db "SELECT a.ts, a.name, b.ts, b.name FROM flow f JOIN slice a ON a.id = f.slice_out
        JOIN slice b ON b.id = f.slice_in ORDER BY 1, 2, 3, 4"
}

@test "a flow that ends after a cut binds to the slice or instant before the cut to which it binds in the whole" {
    cat >run.json <<'END'
[{"ph":"B","pid":1,"tid":5,"ts":1,"name":"first"},
{"ph":"E","pid":1,"tid":5,"ts":1},
{"ph":"X","pid":1,"tid":2,"ts":1,"dur":40,"name":"from"},
{"ph":"s","pid":1,"tid":2,"ts":1,"name":"f","cat":"f","id":1},
{"ph":"s","pid":1,"tid":2,"ts":2,"name":"f","cat":"f","id":2},
{"ph":"X","pid":1,"tid":1,"ts":5,"dur":3,"name":"over"},
{"ph":"i","s":"t","pid":1,"tid":1,"ts":30,"name":"instant"},
{"ph":"B","pid":1,"tid":3,"ts":5,"name":"open"},
{"ph":"X","pid":1,"tid":3,"ts":6,"dur":2,"name":"inside"},
{"ph":"E","pid":1,"tid":3,"ts":20,"name":"other"},
{"ph":"f","pid":1,"tid":1,"ts":50,"bp":"e","name":"f","cat":"f","id":1},
{"ph":"f","pid":1,"tid":3,"ts":51,"bp":"e","name":"f","cat":"f","id":2},
{"ph":"i","s":"p","pid":1,"tid":4,"ts":90,"name":"end"}]
END
    joins 40000
    arrows whole.pftrace >whole
    arrows joined.pftrace >joined
    [ "$(cut -d'|' -f 2,4 whole)" = "$(printf 'from|open\nfrom|instant')" ]
    cmp whole joined
}

@test "instants among slices that cross decide later slices of the joined trace as in the whole" {
    cat >run.json <<'END'
[{"ph":"B","pid":2,"tid":4,"ts":3,"name":"begin"},
{"ph":"X","pid":2,"tid":4,"ts":5,"dur":60,"name":"crosses"},
{"ph":"E","pid":2,"tid":4,"ts":39},
{"ph":"i","s":"t","pid":2,"tid":4,"ts":44,"name":"instant"},
{"ph":"X","pid":2,"tid":4,"ts":45,"dur":60,"name":"complete"}]
END
    joins 56000
}

@test "a later name of a process is its name in the joined trace, though each part has all names" {
    cat >run.json <<'END'
[{"ph":"X","pid":1,"tid":1,"ts":90,"dur":4,"name":"a"},
{"ph":"M","pid":1,"tid":1,"ts":91,"name":"process_name","args":{"name":"later"}},
{"ph":"M","pid":1,"tid":2,"name":"process_name","args":{"name":"earlier"}},
{"ph":"X","pid":1,"tid":1,"ts":110,"dur":4,"name":"b"}]
END
    joins 103000
    tm-merge -q -o joined.db joined.pftrace
    [ "$(sqlite3 joined.db 'SELECT name FROM process WHERE pid = 1')" = later ]
}

@test "the name that a line of text gives a thread is in the state, though later events state none, or rename it" {
    cat >run.txt <<'END'
# tracer: nop
#
             one-100   (  100) [001] d..1 1.000178: sched_waking: comm=srv pid=200 prio=120 target_cpu=000
             one-300   (  300) [001] d..1 1.000179: sched_waking: comm=srv pid=200 prio=120 target_cpu=000
             one-300   (  300) [001] d..1 1.000180: task_rename: pid=300 oldcomm=one newcomm=two oom_score_adj=0
             two-100   (  100) [001] d..1 1.001050: sched_switch: prev_comm=two prev_pid=100 prev_prio=120 prev_state=S \
==> next_comm=other next_pid=200 next_prio=120
           three-100   (  100) [001] d..1 1.004354: sched_switch: prev_comm=three prev_pid=100 prev_prio=120 \
prev_state=I ==> next_comm=other next_pid=200 next_prio=120
            four-300   (  300) [001] d..1 1.004355: sched_switch: prev_comm=four prev_pid=300 prev_prio=120 \
prev_state=I ==> next_comm=other next_pid=200 next_prio=120
END
    sed -i -z 's/\\\n//g' run.txt
    tm-unpack run.txt | tm-manifest | tm-clocks | tm-sort >run.tms
    tm-emit -q -f pftrace <run.tms >whole.pftrace
    parts run.tms 1002291130 >joined.pftrace
    for trace in whole joined; do
        tm-merge -q -o $trace.db $trace.pftrace
        [ "$(sqlite3 $trace.db 'SELECT name FROM thread WHERE tid = 100')" = three ]
        [ "$(sqlite3 $trace.db 'SELECT name FROM thread WHERE tid = 300')" = four ]
    done
}

@test "a line in a JSON document ends the slice of its thread, whichever process the slice's line states" {
    python3 - >run.json <<'END'
import json
head = '  task-51 [000] .... 0.%06d: '
lines = [(1200, 'workqueue_execute_start: work struct 01: function drain'), (1250, 'tracing_mark_write: B|50|mark'),
         (1260, 'tracing_mark_write: E'), (1300, 'workqueue_execute_end: work struct 01')]
outer = {'ph': 'X', 'name': 'outer', 'pid': 50, 'tid': 51, 'ts': 1100, 'dur': 400}
last = {'ph': 'i', 'name': 'last', 'pid': 50, 'tid': 51, 'ts': 1400, 's': 't'}
print(json.dumps({'traceEvents': [outer, last], 'systemTraceEvents': ''.join(head % at + line + '\n' for at, line in lines)}))
END
    tm-unpack run.json | tm-manifest | tm-clocks | tm-sort >run.tms
    parts run.tms 1350000 >/dev/null
    tm-emit -q -f sqlite -o part.db <parts/1.tms
    same_text "$(sqlite3 part.db 'SELECT name, dur FROM slice WHERE dur = -1 OR ts + dur >= 1350000 ORDER BY ts')" 'outer|400000
last|0'
}

@test "no sequence of a part has the number of another sequence of the parts before it" {
    printf '[{"ph":"b","ts":%d,"pid":2,"tid":%d,"name":"%s","cat":"k","id":%d},\n' 74 21 c 1 >run.json
    printf '{"ph":"b","ts":%d,"pid":2,"tid":%d,"name":"%s","cat":"k","id":%d},\n' 90 23 d 2 >>run.json
    printf '{"ph":"e","ts":%d,"pid":%d,"tid":23,"name":"%s","cat":"k","id":1}%s\n' 290 2 c , 292 1 d ']' >>run.json
    tm-unpack run.json | tm-manifest | tm-clocks | tm-sort >run.tms
    parts run.tms 76000,242000 >joined.pftrace
    # The sequences of thread descriptors (60.4) are not those of events (11).
    python3 "$TM_SRC/t/check/list-packets.py" -f 60.4.2 -f 11.9 joined.pftrace >packets
    [ "$(grep -c '60\.4\.2=' packets)" -eq 3 ]
    [ "$(grep -c '11\.9=' packets)" -eq 4 ]
    awk '/60\.4\.2=/ { print $2 }' packets | sort -u >threads
    awk '/11\.9=/ { print $2 }' packets | sort -u >events
    [ -z "$(comm -12 threads events)" ]
}

@test "parts of protos, ftrace text and several machines join to the merged trace" {
    cp "$TM_SRC/t/data/ftrace-tgid.txt" text.txt
    tm-unpack text.txt | tm-manifest | tm-clocks | tm-sort >text.tms
    for stream in app text; do
        tm-emit -q -f pftrace <$stream.tms >whole.pftrace
        bounds=$(tm-emit -f report --json <$stream.tms | sed -n 's/.*"bounds":{"first_ns":\(-*[0-9]*\),"last_ns":\([0-9]*\).*/\1 \2/p')
        set -- $bounds
        parts $stream.tms "$((($1 * 2 + $2) / 3)),$((($1 + 2 * $2) / 3))" >joined.pftrace
        timeline whole.pftrace >whole
        timeline joined.pftrace >joined
        [ -s whole ]
        cmp whole joined
    done
}

# threads SEED KIND: generates a and b, two recordings of the same threads of one process, which differ in the file that
# is first on a thread.
threads() {
    python3 - "$@" <<'END'
import json, random, sys
rng, kind = random.Random(int(sys.argv[1])), sys.argv[2]
for name in 'ab':
    marks, events = [], []
    for tid in range(100, 106):
        t = 1 + rng.random()
        for i in range(rng.randrange(1, 6)):
            begin = t + rng.random() * .3
            end = begin + rng.random() * .3
            t = end + .01
            marks += [(begin, tid, f'B|100|{name}{tid}.{i}'), (end, tid, 'E|100')]
            place = {'pid': 100, 'tid': tid, 'name': f'{name}{i}'}
            if kind == 'complete':
                events.append({'ph': 'X', 'ts': round(begin * 1e6), 'dur': round((end - begin) * 1e6), **place})
            else:
                events += [{'ph': 'B', 'ts': round(begin * 1e6), **place}, {'ph': 'E', 'ts': round(end * 1e6), **place}]
    with open(f'{name}.json', 'w') as f:
        json.dump(sorted(events, key=lambda e: e['ts']), f)
    with open(f'{name}.txt', 'w') as f:
        f.write('# tracer: nop\n#\n')
        for t, tid, mark in sorted(marks):
            f.write(f'           app-{tid}   (  100) [000] ...1 {t:.6f}: tracing_mark_write: {mark}\n')
END
}

@test "in two recordings of one thread, all parts use the tracks of the file that was first on it" {
    for seed in 1 2 3; do
        for kind in complete pairs text; do
            threads $seed $kind
            files="a.json b.json" machines="--machine m=a.json --machine m=b.json"
            [ $kind != text ] || { files="a.txt b.txt" machines=; }
            tm-unpack $files | tm-manifest -q $machines | tm-clocks | tm-sort >run.tms
            tm-emit -q -f pftrace <run.tms >whole.pftrace
            parts run.tms 1.5s,2.0s,2.4s >joined.pftrace
            timeline whole.pftrace >whole
            timeline joined.pftrace >joined
            [ "$(wc -l <whole)" -gt 20 ]
            cmp whole joined
        done
    done
}

@test "cutting and merging give the same result in either order" {
    json 5 >one.json
    json 6 >two.json
    "$TM_SRC/doc/recipes/place-rank" one one.json >one.tms
    "$TM_SRC/doc/recipes/place-rank" two two.json >two.tms
    tm-sort -m one.tms two.tms >both.tms
    at=$(cut_at both.tms 3 7)
    mkdir of-both of-one of-two
    tm-sort --cut=$at --into=of-both both.tms
    for name in one two; do
        tm-sort --cut=$at --into=of-$name $name.tms
    done
    for part in 0 1 2 3; do
        mkdir $part
        cp of-one/$part.tms $part/one.tms
        cp of-two/$part.tms $part/two.tms
        (cd $part && tm-sort -m one.tms two.tms | tm-emit --events -f jsonl) >merged
        tm-emit --events -f jsonl <of-both/$part.tms >cut
        cmp cut merged
    done
}

@test "unsuitable streams and options are refused" {
    tm-sort --cut=100.3s,100.5s app.tms >a.tms
    tm-sort --cut=100.3s,100.6s app.tms >b.tms
    run tm-sort -m a.tms b.tms
    [ "$status" -eq 1 ]
    [[ $output == *"tm-sort: b.tms: not the same part by time as a.tms"* ]]
    run tm-sort --cut=1,2 a.tms
    [ "$status" -eq 1 ]
    [[ $output == *"the stream is a part already"* ]]
    run bash -c 'tm-emit -f pftrace --append <app.tms'
    [ "$status" -eq 1 ]
    [[ $output == *"the stream is not a part by time"* ]]
    run bash -c 'tm-emit -f text --append <a.tms'
    [ "$status" -eq 2 ]
    for bad in 2,1 1,1 1 x,2 1,2,3 +0.3s,0.4s , ,,; do
        run tm-sort --cut=$bad app.tms
        [ "$status" -eq 2 ] || { echo "$bad: $output"; return 1; }
    done
    for bad in 100ms +1s x; do
        run -2 tm-sort --cut="100.3s,$bad" app.tms
        [ "${lines[0]}" = "tm-sort: --cut: '$bad' is not a time on the timeline; write 1500000 (nanoseconds) or 1.5s" ]
    done
    run bash -c 'tm-unpack "$1" | tm-sort --cut=1,2' - "$TM_SRC/doc/examples/phone-watch-app.tar"
    [ "$status" -eq 1 ]
    # A damaged stream leaves no part.
    mkdir half
    head -c 6000 app.tms >cut.tms
    run tm-sort --cut=100.3s,100.5s --into=half cut.tms
    [ "$status" -eq 1 ]
    [ -z "$(ls -A half)" ]
}

@test "parts without events are reported" {
    tm-sort --cut=100.3s,100.5s --into=full app.tms 2>err
    [ ! -s err ]
    tm-sort --cut=0.3s,0.5s,100.3s --into=empty app.tms 2>err
    grep -q '^tm-sort: warning: 2 of the parts have no events; ' err
    tm-sort --cut=0.3s,0.5s app.tms 2>err | tm-emit -f csv >rows
    grep -q '^tm-sort: warning: 1 of the parts has no events; ' err
    [ "$(wc -l <rows)" -eq 1 ]
}

@test "the check of parts finds those of an archive as one without an importer, and names what a part lacks" {
    python3 "$TM_SRC/t/check/parts" -n 3 "$TM_SRC/doc/examples/phone-watch-app.tar" >out
    [[ $(<out) == *": as one, "* ]]
    mkdir -p lossy && ln -s "$(command -v tm-merge)" "$(command -v tm-unpack)" "$(command -v tm-manifest)" \
        "$(command -v tm-clocks)" "$(command -v tm-sort)" lossy
    printf '#!/bin/sh\ncase " $* " in *" --append "*) exec tm-emit --only "name=none" "$@" ;; *) exec tm-emit "$@" ;; esac\n' \
        >lossy/tm-emit
    chmod +x lossy/tm-emit
    run -1 python3 "$TM_SRC/t/check/parts" -b lossy -n 3 "$TM_SRC/doc/examples/phone-watch-app.tar"
    [[ $output == *" are not there, "* ]]
}
