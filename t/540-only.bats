#!/usr/bin/env bats
# --only: the events of a selection, and that it can be used without the rest.

load lib/common

setup() {
    cd "$BATS_TEST_TMPDIR"
    demo=$TM_SRC/doc/examples/phone-watch-app.tar
}

bats_require_minimum_version 1.5.0

# Prints the names in text output.
names() {
    tm-merge --events --only "$1" "${2:-$demo}" | sed 1d | awk '{ $1 = $2 = $3 = ""; print }' | sed 's/^ *//; s/  *[0-9.]*[a-z]s / /'
}

# Slices of one thread: complete, asynchronous; an instant and counters. Times are microseconds.
make_json() {
    cat >a.json <<'JSON'
[{"ph":"M","pid":1,"name":"process_name","args":{"name":"app"}},
 {"ph":"C","pid":1,"ts":5,"name":"mem","args":{"used":1}},
 {"ph":"C","pid":1,"ts":8,"name":"mem","args":{"used":2}},
 {"ph":"B","pid":1,"tid":2,"ts":10,"name":"outer","cat":"gfx,view"},
 {"ph":"B","pid":1,"tid":2,"ts":20,"name":"short","cat":"io"},
 {"ph":"E","pid":1,"tid":2,"ts":30},
 {"ph":"b","pid":1,"tid":2,"id":"0x7","ts":31,"name":"load","cat":"net"},
 {"ph":"X","pid":1,"tid":3,"ts":35,"dur":30,"name":"across, twice","cat":"io"},
 {"ph":"X","pid":1,"tid":3,"ts":36,"dur":4,"name":"touches","cat":"io"},
 {"ph":"i","s":"t","pid":1,"tid":2,"ts":40,"name":"tick","cat":"view"},
 {"ph":"C","pid":1,"ts":45,"name":"mem","args":{"used":3}},
 {"ph":"X","pid":1,"tid":3,"ts":60,"dur":1,"name":"at the end","cat":"io"},
 {"ph":"E","pid":1,"tid":2,"ts":70},
 {"ph":"e","pid":1,"tid":2,"id":"0x7","ts":80,"name":"load","cat":"net"},
 {"ph":"C","pid":1,"ts":90,"name":"mem","args":{"used":4}}]
JSON
}

slices() {
    sqlite3 "$1" 'SELECT ts, dur, name FROM slice ORDER BY ts, dur DESC'
}

# Database $1 has no slice named $2.
lacks() {
    ! slices "$1" | grep -q "$2" || false
}

@test "machine, file, cat and name choose events that match one value of each key" {
    run names machine=watch
    [ "$output" = "begin receive from phone
end
begin sensor batch
instant heart rate on
end
begin reply
end" ]
    run names 'file=app_*,name=run *'
    [ "$output" = "instant run requested
instant run started" ]
    run names 'name=reply,run started'
    [ "$output" = "begin reply
end
instant run started" ]
    run tm-merge --events --only name=reply --only 'name=run started' --only file=app_log.json "$demo"
    [ "$(echo "$output" | wc -l)" = 2 ]
    [[ "$output" == *"run started" ]]
    run names 'name=battery*'
    [ "$(echo "$output" | grep -c 'battery mW = ')" = 4 ]
}

@test "cat matches one of an event's categories, commas in values are escaped, and patterns are those of a shell" {
    make_json
    for c in view 'v*' 'gfx\,view' '[v]iew' 'n?t,view'; do
        tm-merge -o c.db --only "cat=$c" a.json
        slices c.db | grep -q outer
        lacks c.db touches
    done
    tm-merge -o c.db --only 'name=across\, twice' a.json
    [ "$(slices c.db)" = "35000|30000|across, twice" ]
}

@test "a slice that reaches into the range is kept whole, and one that only touches its edge is not" {
    make_json
    tm-merge -o c.db --only from=40us,to=60us a.json
    [ "$(slices c.db)" = "10000|60000|outer
31000|49000|load
35000|30000|across, twice
40000|0|tick" ]
    tm-merge -o c.db --only from=40001,to=60001 a.json
    [ "$(slices c.db)" = "10000|60000|outer
31000|49000|load
35000|30000|across, twice
60000|1000|at the end" ]
    tm-merge -o c.db --only to=20us a.json
    [ "$(slices c.db)" = "10000|60000|outer" ]
    tm-merge -o c.db --only from=30us a.json
    lacks c.db short
    slices c.db | grep -q outer
}

@test "counters begin with their last value before the range" {
    make_json
    tm-merge -o c.db --only from=40us,to=60us a.json
    [ "$(sqlite3 c.db 'SELECT ts, value FROM counter ORDER BY ts')" = "40000|2.0
45000|3.0" ]
    tm-merge -o c.db --only from=40us,to=60us,name=tick a.json
    [ "$(sqlite3 c.db 'SELECT count(*) FROM counter')" = 0 ]
}

@test "times are nanoseconds, decimals with a unit, offsets with + or clock times as in the UI" {
    make_json
    for t in 'from=40000,to=60000' 'from=0.04ms,to=0.06ms' 'from=+35us,to=+0.000055s' 'from=0:00.000 035,to=+0:00:00.000055' \
             'from=40_000,to=60 us'; do
        tm-merge -o c.db --only "$t" a.json
        [ "$(slices c.db | md5sum)" = "$(tm-merge -o d.db --only from=40us,to=60us a.json; slices d.db | md5sum)" ]
    done
    # Text counts from the same event as without --only.
    run tm-merge --only 'from=+35us,name=tick' a.json
    [[ "${lines[1]}" == *" 0.000035000 "* ]]
}

@test "the end of a chosen begin is kept, by nesting and by id, and that of another begin is not" {
    make_json
    run tm-merge -f jsonl --events --only name=outer,load a.json
    [ "$(echo "$output" | grep -c '"slice_begin"')" = 2 ]
    [ "$(echo "$output" | grep -c '"slice_end"')" = 2 ]
    tm-merge -o c.db --only cat=io a.json
    slices c.db | grep -q '20000|10000|short'
    lacks c.db outer
}

@test "after a complete event, ends come before begins of one time in JSON and close the right slices" {
    cat >m.json <<'JSON'
[{"ph":"X","pid":1,"tid":9,"ts":0,"dur":1,"name":"complete"},
 {"ph":"B","pid":1,"tid":2,"ts":1,"name":"a"},
 {"ph":"B","pid":1,"tid":2,"ts":5,"name":"b"},
 {"ph":"E","pid":1,"tid":2,"ts":5},
 {"ph":"E","pid":1,"tid":2,"ts":9}]
JSON
    tm-merge -o c.db --only name=a m.json
    [ "$(slices c.db)" = "1000|4000|a" ]
    tm-merge -o c.db --only from=6us m.json
    [ "$(slices c.db)" = "5000|4000|b" ]
    grep -v complete m.json | sed '1s/^ /[/' >n.json
    tm-merge -o c.db --only name=b n.json
    [ "$(slices c.db)" = "5000|0|b" ]
    tm-merge -o c.db --only from=6us n.json
    [ "$(slices c.db)" = "1000|8000|a" ]
}

@test "flows are kept with the slices that they bind to" {
    cat >f.json <<'JSON'
[{"ph":"X","pid":1,"tid":1,"ts":10,"dur":30,"name":"send","cat":"cpu"},
 {"ph":"s","pid":1,"tid":1,"ts":15,"id":1,"name":"arrow","cat":"flow"},
 {"ph":"X","pid":1,"tid":1,"ts":50,"dur":5,"name":"other","cat":"misc"},
 {"ph":"s","pid":1,"tid":1,"ts":52,"id":2,"name":"arrow","cat":"flow"},
 {"ph":"X","pid":1,"tid":2,"ts":60,"dur":10,"name":"receive","cat":"gpu"},
 {"ph":"f","bp":"e","pid":1,"tid":2,"ts":60,"id":1,"name":"arrow","cat":"flow"},
 {"ph":"f","bp":"e","pid":1,"tid":2,"ts":61,"id":2,"name":"arrow","cat":"flow"}]
JSON
    count='SELECT count(*) FROM flow'
    tm-merge -o c.db f.json
    [ "$(sqlite3 c.db "$count")" = 2 ]
    tm-merge -o c.db --only cat=cpu,gpu f.json
    [ "$(sqlite3 c.db "$count")" = 1 ]
    tm-merge -o c.db --only from=30us,to=61us f.json # its start is before the range, in a slice that reaches into the range
    [ "$(sqlite3 c.db "$count")" = 2 ]
    run tm-merge -f jsonl --only name=receive f.json
    [ "$(echo "$output" | grep -c flow_start)" = 0 ]
}

@test "each cpu begins with the task that ran, and threads keep their earlier names" {
    printf '%s\n' '# tracer: nop' \
        '  <idle>-0     (-----) [001] d..2. 10.000001: sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=r next_pid=7 next_prio=97' \
        '  r-7 (-----) [001] d..2. 10.000005: sched_switch: prev_comm=r prev_pid=7 prev_prio=97 prev_state=S ==> next_comm=late next_pid=100 next_prio=120' \
        '  <...>-100 (-----) [001] ..... 10.000009: tracing_mark_write: B|100|work' \
        '  <...>-100 (-----) [001] ..... 10.000019: tracing_mark_write: E|100' \
        '  <...>-100 (-----) [001] d..2. 10.000025: sched_switch: prev_comm=late prev_pid=100 prev_prio=120 prev_state=S ==> next_comm=swapper next_pid=0 next_prio=97' \
        >t.systrace
    tm-merge -o c.db --only from=10.000007s,to=10.000030s t.systrace
    [ "$(sqlite3 c.db 'SELECT ts, dur, name FROM sched JOIN thread USING (utid) ORDER BY ts')" = "10000007000|18000|late
10000025000|-1|swapper" ]
    # Lists know the names. They show only the rows of the lines, not the row that has the names.
    for format in csv jsonl; do
        [ "$(tm-merge -f $format --events --only name=work t.systrace | sed '/^ts,/d' | grep -c late)" = 3 ]
        [ "$(tm-merge -f $format --events --only name=work t.systrace | sed '/^ts,/d' | wc -l)" = 3 ]
    done
    [ "$(tm-merge --events --only name=work t.systrace | wc -l)" = 4 ]
    [ "$(tm-merge -f frames --only name=work t.systrace | grep -c 'context.*name="late"')" = 1 ]
    for out in c.db c.pftrace; do
        tm-merge -o "$out" --only name=work t.systrace
    done
    tm-merge -o d.db c.pftrace
    for db in c.db d.db; do
        [ "$(sqlite3 $db 'SELECT s.name, t.name FROM slice s JOIN thread_track k ON k.id = s.track_id JOIN thread t USING (utid)')" = "work|late" ]
        [ "$(sqlite3 $db 'SELECT count(*) FROM sched')" = 0 ]
    done
}

@test "left-out events are accounted for, in the report and in SQLite" {
    tm-merge -f report --only machine=watch "$demo" | grep -q '26 events read, 7 placed, 19 dropped; the accounts balance'
    tm-merge -f report --only machine=watch "$demo" | grep -q 'filtered: 14, phone, BOOTTIME'
    tm-merge -o c.db --only machine=watch "$demo"
    [ "$(sqlite3 c.db "SELECT reason, sum(events) FROM tm_accounting GROUP BY 1")" = "filtered|19
placed|7" ]
    run tm-merge -f report --json --only name=reply "$demo"
    [[ "$output" == *'"filtered"'* ]]
    tm-merge --strict --max-dropped 0 --only name=reply "$demo"
}

@test "a selection without events is a warning, and the output is complete" {
    for out in c.txt c.jsonl c.csv c.db c.pftrace c.json c.frames c.report; do
        run --separate-stderr tm-merge -f "$(case $out in *.report) echo report ;; *.db) echo sqlite ;; *.txt) echo text ;; *) echo "${out#c.}" ;; esac)" \
            -o "$out" --only name=nobody "$demo"
        [ "$status" -eq 0 ]
        [ "$stderr" = "tm-emit: warning: --only: no event is left" ]
        [ -e "$out" ]
    done
    tm-merge -o d.db c.pftrace
    tm-merge -o e.db c.json
    [ "$(sqlite3 d.db 'SELECT count(*) FROM slice')" = 0 ]
    run --separate-stderr tm-merge -f text --only from=1000s "$demo"
    [ "$status" -eq 0 ]
    [[ "$stderr" == *"no event is left" ]]
}

@test "an unknown machine or file is a warning, and an error with --strict" {
    run --separate-stderr tm-merge -f text --only machine=watch,wach,file=nope* "$demo"
    [ "$status" -eq 0 ]
    [[ "$stderr" == *"warning: --only: nothing in the trace matches machine=wach"* ]]
    [[ "$stderr" == *"warning: --only: nothing in the trace matches file=nope*"* ]]
    run tm-merge -f text --strict --only machine=wach "$demo"
    [ "$status" -eq 4 ]
    [[ "$output" == *"nothing in the trace matches machine=wach"* ]]
}

@test "invalid selections are refused before any input is read" {
    for only in '' name name= nome=x from=1.5 from=x from=+-1 to=1h from=2s,to=1s from=1s,from=2s to=1:2:3:4 'from=9999999999999s'; do
        for program in tm-emit 'tm-merge no-such-file'; do
            run $program --only "$only"
            [ "$status" -eq 2 ]
            [[ "$output" == *"--only"* ]]
        done
    done
    run bash -o pipefail -c "tm-unpack '$demo' | tm-emit --only name=reply"
    [ "$status" -eq 1 ]
    [[ "$output" == *"which --only needs"* ]]
}

@test "host is the machine without a name, and a machine can be named by its id" {
    make_json
    tm-merge -o c.db --only machine=host a.json
    slices c.db | grep -q outer
    tm-merge -o c.db --only machine=0 a.json
    slices c.db | grep -q outer
    run names machine=4294967297
    [[ "$output" == *"reply"* ]]
}

@test "a container stands for the files in it" {
    make_json
    mkdir in out
    gzip -c a.json >in/a.json.gz
    cp a.json in/b.json
    tar -cf out/in.tar -C in a.json.gz b.json
    tm-merge -f report --only file=a.json.gz out/in.tar | grep -q ' total: 28 events read, 14 placed'
    tar -cf all.tar -C out in.tar
    run --separate-stderr tm-merge -f jsonl --only file=in.tar all.tar
    ! grep -v "placed by assumption\|--explain" <<<"$stderr" || false # no warning for an existing container
    [ "$(echo "$output" | grep -c '"outer"')" = 2 ]
}

@test "a selection has the rows that SQL would choose, in every output" {
    only_unsanitized "results, which sanitizers do not change"
    make_json
    run python3 "$TM_SRC/t/check/cut-check" -m "$TM_BIN/tm-merge" "$demo" a.json
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "a slice of a process whose pid was reused stays open" {
    printf '%s\n' '# tracer: nop' \
        '  app-100 (  100) [000] ..... 10.000010: tracing_mark_write: S|100|open|7' \
        '  app-100 (  100) [000] ..... 10.000011: tracing_mark_write: B|100|begun' \
        '  sh-7 (    7) [000] d..2. 10.000030: sched_process_free: comm=old pid=100 prio=120' \
        '  sh-7 (    7) [000] d..2. 10.000040: task_newtask: pid=100 comm=sh clone_flags=1200011 oom_score_adj=0' \
        '  app-100 (  100) [000] ..... 10.000050: tracing_mark_write: F|100|open|7' \
        '  app-100 (  100) [000] ..... 10.000051: tracing_mark_write: E|100' \
        '  sh-7 (    7) [000] ..... 10.000060: tracing_mark_write: B|7|later' >k.systrace
    tm-merge -o whole.db k.systrace
    tm-merge -o cut.db --only from=10000055000 k.systrace
    slices whole.db
    [ "$(slices whole.db)" = "$(slices cut.db)" ]
    [ "$(slices cut.db | head -1)" = "10000010000|-1|open" ]
}

# A shell starts a process that changes its name and starts a thread. Pid 200 ends and is reused; pid 300 ends.
lives() {
    printf '%s\n' '# tracer: nop' \
        '  sh-7 (    7) [000] d..2. 10.000005: task_newtask: pid=200 comm=sh clone_flags=1200011 oom_score_adj=0' \
        '  sh-7 (    7) [000] d..2. 10.000006: task_newtask: pid=300 comm=sh clone_flags=1200011 oom_score_adj=0' \
        '  sh-7 (    7) [000] d..2. 10.000010: task_newtask: pid=100 comm=sh clone_flags=1200011 oom_score_adj=0' \
        '  sh-100 (  100) [000] d..2. 10.000011: task_rename: pid=100 oldcomm=sh newcomm=app oom_score_adj=0' \
        '  app-100 (  100) [000] d..2. 10.000012: task_newtask: pid=101 comm=app clone_flags=3d0f00 oom_score_adj=0' \
        '  old-200 (  200) [000] ..... 10.000015: tracing_mark_write: C|200|n|1' \
        '  old-300 (  300) [000] ..... 10.000016: tracing_mark_write: B|300|never ends' \
        '  sh-7 (    7) [000] d..2. 10.000018: sched_process_free: comm=old pid=300 prio=120' \
        '  sh-7 (    7) [000] d..2. 10.000020: sched_process_free: comm=old pid=200 prio=120' \
        '  sh-7 (    7) [000] d..2. 10.000030: task_newtask: pid=200 comm=sh clone_flags=1200011 oom_score_adj=0' \
        '  <idle>-0 (-----) [000] d..2. 10.000040: sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=work next_pid=101 next_prio=97' \
        '  work-101 (  100) [000] d..2. 10.000060: sched_switch: prev_comm=work prev_pid=101 prev_prio=97 prev_state=S ==> next_comm=new next_pid=200 next_prio=120' \
        '  new-200 (  200) [000] ..... 10.000065: tracing_mark_write: B|200|later' \
        '  sh-7 (    7) [000] d..2. 10.000070: sched_process_free: comm=work pid=101 prio=120' >k.systrace
}

tasks() {
    sqlite3 "$1" "SELECT t.tid, t.name, t.start_ts, t.end_ts, p.pid, p.name, p.start_ts, q.pid FROM thread t
        LEFT JOIN process p USING (upid) LEFT JOIN process q ON q.upid = p.parent_upid
        WHERE t.tid >= 100 AND t.start_ts ORDER BY t.start_ts"
}

@test "tasks of a selection have the starts, ends, names, processes and parents of the whole" {
    lives
    tm-merge -o whole.db k.systrace
    run tasks whole.db
    echo "$output"
    [ "${#lines[@]}" -eq 5 ]
    for out in c.pftrace cut.db; do
        tm-merge -o $out --only from=10.000050s,to=10.000066s k.systrace
    done
    tm-merge -o again.db c.pftrace
    for db in cut.db again.db; do
        run tasks $db # the first lifetime of 200 is absent, and the task that ends at 70 still runs
        echo "$output"
        [ "$output" = "300|old|10000006000|10000018000|300|sh|10000006000|7
100|app|10000010000||100|app|10000010000|7
101|work|10000012000||100|app|10000010000|7
200|new|10000030000||200|sh|10000030000|7" ]
        run sqlite3 $db 'SELECT ts, dur, tid FROM sched JOIN thread USING (utid) ORDER BY ts'
        [ "$output" = "10000050000|10000|101
10000060000|-1|200" ]
        run sqlite3 $db "SELECT count(*) FROM counter"
        [ "$output" = 0 ] # the value belonged to the process that ended
    done
    tm-merge -o cut.db --only from=10.000050s k.systrace
    run tasks cut.db
    [[ "$output" == *"101|work|10000012000|10000070000|100|app"* ]]
    # Lists do not show it, and accounts count it as left out.
    run tm-merge -f csv --only from=10.000050s,to=10.000066s k.systrace
    [ "$(grep '^1000' <<<"$output" | grep -vc ',task_rename,')" -eq 4 ]
    ! grep -q 'task_new\|process_exit' <<<"$output" || false
    tm-merge -f report --only from=10.000050s,to=10.000066s k.systrace | grep '14 events read, 4 placed, 10 dropped'
}

@test "state at the start of a selection is not stated twice" {
    lives
    tm-merge -o cut.db --only from=10.000060s k.systrace
    run sqlite3 cut.db 'SELECT ts, dur, tid FROM sched JOIN thread USING (utid)'
    [ "$output" = "10000060000|-1|200" ]
    make_json
    tm-merge -o c.db --only from=45us a.json
    [ "$(sqlite3 c.db 'SELECT ts, value FROM counter ORDER BY ts')" = "45000|3.0
90000|4.0" ]
}

@test "a slice that begins where the one around it ends has no length in the Chrome JSON of a selection" {
    cat >c.json <<'JSON'
[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"around"},
 {"ph":"B","pid":1,"tid":1,"ts":5,"name":"inside"},
 {"name":"last","dur":7,"ph":"B","pid":1,"tid":1,"ts":10},
 {"ph":"i","s":"t","pid":1,"tid":1,"ts":20,"name":"tick"}]
JSON
    tm-merge -q -o whole.db c.json
    want=$(sqlite3 whole.db "SELECT ts, dur, name FROM slice WHERE name != 'tick'")
    [ "$want" = "$(printf '0|10000|around\n5000|5000|inside\n10000|0|last')" ]
    for only in kind=slice to=15us; do
        tm-merge -q -o part.json --only "$only" c.json
        grep -F '{"name":"last","dur":0,"ph":"X",' part.json
        [ "$(grep -c '"ph":"E"' part.json)" -eq 1 ]
        tm-merge -q -o part.db part.json
        [ "$(sqlite3 part.db "SELECT ts, dur, name FROM slice WHERE name != 'tick'")" = "$want" ]
    done
    # One without an end, in a part or a whole, stays a begin.
    tm-merge -q -o whole.json c.json
    grep -F '{"name":"last","dur":7,"ph":"B",' whole.json
    tm-merge -q -f frames --only kind=slice c.json | grep -c 'flags=.*no_length' | grep -qx 2
}

@test "a slice that ends with one around it ends at the same time in a selection without that one, in each output" {
    cat >c.json <<'JSON'
[{"ph":"B","pid":1,"tid":2,"ts":1000,"name":"outer"},
 {"ph":"B","pid":1,"tid":2,"ts":1010,"name":"inner"},
 {"ph":"B","pid":1,"tid":2,"ts":1015,"name":"leaf"},
 {"ph":"E","pid":1,"tid":2,"ts":1040,"name":"outer"},
 {"ph":"i","s":"t","pid":1,"tid":9,"ts":1045,"name":"elsewhere"},
 {"ph":"X","pid":1,"tid":2,"ts":1050,"dur":5,"name":"next"},
 {"ph":"X","pid":1,"tid":3,"ts":1000,"dur":30,"name":"whole"},
 {"ph":"B","pid":1,"tid":3,"ts":1010,"name":"inside"},
 {"ph":"i","s":"t","pid":1,"tid":3,"ts":1060,"name":"tick"}]
JSON
    tm-merge -q -o whole.db c.json
    all=$(slices whole.db)
    [ "$(grep -c -- -1 <<<"$all")" -eq 0 ]
    for only in name=inner name=in*,leaf kind=slice_begin to=1.035ms from=1.032ms from=1.02ms,to=1.03ms; do
        tm-merge -q -o part.pftrace --only "$only" c.json
        tm-merge -q -o part.json --only "$only" c.json
        for file in c.json part.pftrace part.json; do
            options=(--only "$only")
            [ $file = c.json ] || options=()
            tm-merge -q -o part.db "${options[@]}" $file
            slices part.db | grep -q in
            slices part.db | while IFS= read -r slice; do
                grep -qxF -- "$slice" <<<"$all"
            done
        done
    done
    tm-merge -q -o part.db --only from=1.042ms c.json
    lacks part.db in
    tm-merge -f report --only name=inner c.json | grep '9 events read, 1 placed, 8 dropped'
}

@test "a slice that begins where the one around it ends has no length in a selection" {
    cat >c.json <<'JSON'
[{"ph":"B","pid":1,"tid":2,"ts":1000,"name":"outer","cat":"a"},
 {"ph":"X","pid":1,"tid":2,"ts":1053,"dur":1,"name":"around","cat":"a"},
 {"ph":"B","pid":1,"tid":2,"ts":1053,"name":"cut","cat":"a"},
 {"ph":"B","pid":1,"tid":2,"ts":1054,"name":"empty","cat":"b"},
 {"ph":"i","s":"t","pid":1,"tid":3,"ts":1054,"name":"elsewhere","cat":"a"},
 {"ph":"i","s":"t","pid":1,"tid":2,"ts":1070,"name":"tick","cat":"a"},
 {"ph":"E","pid":1,"tid":2,"ts":1080}]
JSON
    tm-merge -q -o whole.db c.json
    all=$(slices whole.db)
    grep -q 'empty' <<<"$all"
    for only in name=outer,name=cut,name=empty from=1.053ms,to=1.071ms from=1.054ms from=1.054ms,name=empty to=1.054001ms; do
        tm-merge -q -o part.pftrace --only "$only" c.json
        for file in c.json part.pftrace; do
            options=(--only "$only")
            [ $file = c.json ] || options=()
            tm-merge -q -o part.db "${options[@]}" $file
            slices part.db | grep -q empty
            slices part.db | while IFS= read -r slice; do
                grep -qxF -- "$slice" <<<"$all"
            done
        done
    done
}

@test "a merged trace of a selection from ftrace text has the last names of threads that are renamed in it" {
    cat >renamed.txt <<'END'
# tracer: nop
             bin-201   (  200) [000] d..1 1.000150: tracing_mark_write: C|200|count|0
             bin-201   (  200) [000] d..1 1.000200: sched_switch: prev_comm=bin prev_pid=201 prev_prio=120 prev_state=S ==> next_comm=app next_pid=100 next_prio=120
             app-100   (  100) [000] d..1 1.000300: sched_switch: prev_comm=app prev_pid=100 prev_prio=120 prev_state=S ==> next_comm=bin next_pid=201 next_prio=120
             bin-201   (  200) [000] d..1 1.000350: tracing_mark_write: C|200|count|1
             bin-201   (  200) [000] d..1 1.000400: task_rename: pid=201 oldcomm=bin newcomm=new oom_score_adj=0
             new-201   (  200) [000] d..1 1.000500: tracing_mark_write: I|200|mark
END
    tm-merge -q --only from=1000250000 -o it.pftrace renamed.txt
    tm-merge -q -o it.db it.pftrace
    [ "$(sqlite3 it.db 'SELECT t.name, pid FROM thread t JOIN process USING (upid) WHERE tid = 201')" = 'new|200' ]
}
