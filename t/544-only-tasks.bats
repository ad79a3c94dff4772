#!/usr/bin/env bats
# --only by process, thread, pid, tid, kind and duration: choices that depend on later events. SQL on the whole timeline
# gives the expected slices.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR"
    . "$TM_SRC/t/lib/common.bash"
    rebatch=${TM_BIN%/bin}/t/gen/rebatch
}

# Slices of two processes and four threads: complete, nested, asynchronous, cut short, without an end.
make_json() {
    cat >a.json <<'JSON'
[{"ph":"M","pid":1,"name":"process_name","args":{"name":"app"}},
 {"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"main, first"}},
 {"ph":"M","pid":1,"tid":3,"name":"thread_name","args":{"name":"worker"}},
 {"ph":"M","pid":4,"name":"process_name","args":{"name":"daemon"}},
 {"ph":"X","pid":1,"tid":2,"ts":1000,"dur":10,"name":"short"},
 {"ph":"B","pid":1,"tid":3,"ts":1010,"name":"outer"},
 {"ph":"B","pid":1,"tid":3,"ts":1020,"name":"inner"},
 {"ph":"C","pid":1,"ts":1030,"name":"mem","args":{"used":1}},
 {"ph":"i","s":"t","pid":1,"tid":3,"ts":1040,"name":"tick"},
 {"ph":"E","pid":1,"tid":3,"ts":2020},
 {"ph":"E","pid":1,"tid":3,"ts":4010},
 {"ph":"b","pid":4,"tid":5,"id2":{"local":"7"},"cat":"net","ts":4020,"name":"load"},
 {"ph":"X","pid":4,"tid":5,"ts":4100,"dur":2000,"name":"long"},
 {"ph":"e","pid":4,"tid":5,"id2":{"local":"7"},"cat":"net","ts":5520,"name":"load"},
 {"ph":"B","pid":4,"tid":6,"ts":6000,"name":"hangs"},
 {"ph":"X","pid":4,"tid":6,"ts":8000,"dur":3,"name":"last"}]
JSON
}

# Prints what --only $1 keeps of a.json: names of slices, instants and counters.
left() {
    tm-merge -q -o cut.db --only "$1" "${@:2}" a.json
    sqlite3 cut.db 'SELECT name FROM (SELECT ts, name FROM slice UNION ALL
                    SELECT c.ts, k.name FROM counter c JOIN track k ON k.id = c.track_id ORDER BY 1, 2)' | paste -sd' '
}

@test "process, thread, pid and tid choose the events of tasks" {
    make_json
    [ "$(left process=app)" = "short outer inner mem used tick" ]
    [ "$(left 'process=d?emon')" = "load long hangs last" ]
    [ "$(left pid=4)" = "load long hangs last" ]
    [ "$(left 'thread=main\, first')" = "short" ]
    [ "$(left thread=worker)" = "outer inner tick" ]
    [ "$(left tid=2,5)" = "short long" ]
    [ "$(left pid=1,tid=3,name=inner)" = "inner" ]
    [ "$(left pid=4,tid=3)" = "" ]
}

@test "kind chooses by the kinds of outputs, and slice, flow, sched and task stand for several kinds" {
    make_json
    [ "$(left kind=slice)" = "short outer inner load long hangs last" ]
    [ "$(left kind=instant,counter)" = "mem used tick" ]
    [ "$(left 'kind=i*,process=app')" = "tick" ]
    [ "$(left kind=slice_begin)" = "outer inner load hangs" ]
    run tm-merge --only kind=slyce a.json
    [ "$status" -eq 2 ]
    [[ "$output" == *"kind=slyce is not one of slice (slice_begin, slice_end), instant, counter,"* ]]
}

@test "dur chooses whole slices by duration, and one without an end lasts until the last event" {
    make_json
    [ "$(left 'dur>=1ms')" = "outer inner load long hangs" ]
    [ "$(left 'dur>1ms')" = "outer load long hangs" ]
    [ "$(left 'dur=1ms')" = "inner" ]
    [ "$(left 'dur<=10us')" = "short last" ]
    [ "$(left 'dur<10000')" = "last" ]
    [ "$(left 'dur>=1.4ms,dur<2.5ms')" = "load long" ]
    [ "$(left 'dur>=2ms,dur<=10s')" = "outer long" ] # a slice without an end matches no upper bound
    [ "$(left 'dur>2ms')" = "outer" ]
    [ "$(left 'dur>=2ms,process=daemon')" = "long hangs" ]
    [ "$(left 'dur>=1ms,from=3ms,to=4.05ms')" = "outer load" ]
    sqlite3 cut.db 'SELECT ts, dur FROM slice WHERE name = "outer"' | grep -qx '1010000|3000000'
}

@test "invalid values are refused with a message" {
    make_json
    for bad in dur=x dur= 'dur>=+1ms' 'dur>=-1ms' 'dur>>1ms' dur '>1ms' 'dur>=1ms,2ms'; do
        run tm-merge --only "$bad" a.json
        [ "$status" -eq 2 ]
    done
    run tm-merge --only 'dur>2ms,dur<1ms' a.json
    [ "$status" -eq 2 ]
    [[ "$output" == *"no duration satisfies"* ]]
    run tm-merge --only pid=app a.json
    [ "$status" -eq 2 ]
    [[ "$output" == *"pid=app is not a number"* ]]
    run tm-merge --only proces=app a.json
    [[ "$output" == *"'proces' is not one of machine, file, process, thread, pid, tid, cat, name, kind, dur, from, to"* ]]
}

@test "an unknown task is a warning, an error with --strict, and silent with -q" {
    make_json
    for key in process=ap thread=nobody pid=77 tid=77; do
        run --separate-stderr tm-merge --only "$key" a.json
        [ "$status" -eq 0 ]
        [[ "$stderr" == *"--only: nothing in the trace matches $key"* ]]
        run tm-merge --strict --only "$key" a.json
        [ "$status" -eq 4 ]
        run tm-merge -q --only "$key" a.json
        [ "$status" -eq 0 ]
        [ "$output" = "" ]
    done
    run tm-merge -q --only machine=none a.json
    [ "$status" -eq 0 ]
    [ "$output" = "" ]
}

@test "a number or name of a thread is not known as one of a process, and the other way round" {
    make_json
    for key in pid=3 pid=6 process=worker thread=daemon; do
        run --separate-stderr tm-merge --only "$key" a.json
        [[ "$stderr" == *"--only: nothing in the trace matches $key"* ]]
    done
    for key in tid=3 tid=6 pid=4 process=daemon thread=worker; do
        run --separate-stderr tm-merge --only "$key" a.json
        [[ "$stderr" != *"nothing in the trace matches"* ]]
    done
}

# A task that is forked and named later; one whose number belongs to other tasks before and after; one that only changes
# its name.
make_ftrace() {
    cat >a.ftrace <<'TEXT'
# tracer: nop
#
          zygote-100   (  100) [000] ..... 1.000000: tracing_mark_write: B|100|fork
          zygote-100   (  100) [000] ..... 1.000100: task_newtask: pid=200 comm=zygote clone_flags=0 oom_score_adj=0
          zygote-100   (  100) [000] ..... 1.000200: tracing_mark_write: E|100
          zygote-100   (  100) [000] d..2. 1.000300: sched_switch: prev_comm=zygote prev_pid=100 prev_prio=120 prev_state=S ==> next_comm=zygote next_pid=200 next_prio=120
          zygote-200   (  200) [000] ..... 1.001000: tracing_mark_write: B|200|early
          zygote-200   (  200) [000] ..... 1.002000: task_rename: pid=200 oldcomm=zygote newcomm=myapp oom_score_adj=0
           myapp-200   (  200) [000] ..... 1.003000: tracing_mark_write: E|200
           myapp-200   (  200) [000] ..... 1.003500: sched_process_free: comm=myapp pid=200 prio=120
          zygote-100   (  100) [000] ..... 1.004000: task_newtask: pid=200 comm=zygote clone_flags=0 oom_score_adj=0
          zygote-200   (  200) [000] ..... 1.004500: task_rename: pid=200 oldcomm=zygote newcomm=other oom_score_adj=0
           other-200   (  200) [000] ..... 1.005000: tracing_mark_write: B|200|later
           other-200   (  200) [000] ..... 1.006000: tracing_mark_write: E|200
TEXT
}

@test "a task has its last name from its start on, and a number that is used again is another task" {
    make_ftrace
    for i in "process=myapp early" "thread=myapp early" "process=other later" "process=zygote fork" "pid=200 early later"; do
        tm-merge -q -o cut.db --only "${i%% *}" a.ftrace
        [ "$(sqlite3 cut.db 'SELECT name FROM slice ORDER BY ts' | paste -sd' ')" = "${i#* }" ]
    done
    tm-merge -q -f jsonl --events --only thread=myapp,kind=sched a.ftrace | grep -c sched_switch
}

# Random nested slices of a few tasks. Two threads of each have begins and ends, a third has complete slices.
make_random() {
    python3 - >a.json <<'PY'
import json, random
random.seed(21)
events = [{'ph': 'M', 'pid': p, 'name': 'process_name', 'args': {'name': 'p%d' % (p % 3)}} for p in range(1, 6)]
events += [{'ph': 'M', 'pid': p, 'tid': 10 * p + t, 'name': 'thread_name', 'args': {'name': 'w%d' % t}} for p in range(1, 6) for t in range(3)]
depth, free, t = {}, {}, 1000
for i in range(6000):
    t += random.choice((0, 0, 1, 7, 50, 400))
    p, n = random.randrange(1, 6), random.randrange(3)
    e = {'pid': p, 'tid': 10 * p + n, 'ts': t, 'name': 'n%d' % (i % 50), 'cat': 'c%d' % (i % 4)}
    what = random.random()
    if n == 2 and what < .9:
        if free.get(p, 0) > t:
            continue
        e.update(ph='X', dur=random.choice((1, 5, 90, 2000, 30000)))
        free[p] = t + e['dur'] + 1
    elif what < .45:
        depth[e['tid']] = depth.get(e['tid'], 0) + 1
        e['ph'] = 'B'
    elif what < .9 and depth.get(e['tid'], 0):
        depth[e['tid']] -= 1
        e = {'ph': 'E', 'pid': p, 'tid': e['tid'], 'ts': t}
    else:
        e.update(ph='i', s='t')
    events.append(e)
json.dump(events, __import__('sys').stdout)
PY
}

# same TERM CONDITION: --only TERM keeps the slices of a.json for which CONDITION holds in the whole timeline.
same() {
    tm-merge -q -o cut.db --only "$1" a.json
    sqlite3 whole.db "SELECT s.ts, s.dur, s.name, s.category FROM thread_slice s WHERE $2 ORDER BY 1, 2, 3, 4" >wanted
    sqlite3 cut.db "SELECT s.ts, s.dur, s.name, s.category FROM thread_slice s ORDER BY 1, 2, 3, 4" >got
    [ "$(wc -l <wanted)" -ge "${3:-20}" ]
    cmp wanted got
}

@test "SQL on the whole timeline finds the same slices" {
    make_random
    tm-merge -q -o whole.db a.json
    same process=p1 "process_name = 'p1'"
    same thread=w1,w2 "thread_name IN ('w1', 'w2')"
    same pid=2 "pid = 2"
    same tid=31 "tid = 31"
    same 'tid=31,name=n1*' "tid = 31 AND name GLOB 'n1*'"
    for dur in 2us 90us 2ms 30ms; do
        ns=$(python3 -c "print({'2us': 2000, '90us': 90000, '2ms': 2000000, '30ms': 30000000}['$dur'])")
        same "dur>=$dur" "dur >= $ns OR (dur = -1 AND (SELECT max(ts) FROM slice) - ts >= $ns)"
        same "dur<=$dur,kind=slice" "dur > 0 AND dur <= $ns"
    done
    same 'dur>=90us,process=p2,cat=c1' "(dur >= 90000 OR (dur = -1 AND (SELECT max(ts) FROM slice) - ts >= 90000))
                                        AND process_name = 'p2' AND category = 'c1'"
}

@test "a selection is the same from a pipe, from a file, and in any batches" {
    make_random
    tm-unpack a.json | tm-manifest | tm-clocks | tm-sort >sorted
    for only in 'dur>=90us' process=p1 'thread=w2,dur<2ms'; do
        tm-emit -f jsonl --only "$only" <sorted >wanted
        [ "$(wc -l <wanted)" -gt 20 ]
        cat sorted | tm-emit -f jsonl --only "$only" | cmp - wanted
        tm-merge -q -f jsonl --only "$only" a.json | cmp - wanted
        for rows in 1 17; do
            "$rebatch" "$rows" <sorted | tm-emit -f jsonl --only "$only" | cmp - wanted
        done
    done
}

@test "all outputs have the same selection, and it can be merged again" {
    make_random
    tm-merge -q -o cut.db --only 'process=p1,dur>=90us' a.json
    tm-merge -q -o cut.json --only 'process=p1,dur>=90us' a.json
    tm-merge -q -o again.db cut.json
    for db in cut again; do
        sqlite3 $db.db "SELECT ts, dur, name FROM slice ORDER BY 1, 2, 3" >$db.txt
    done
    [ "$(wc -l <cut.txt)" -gt 50 ]
    cmp cut.txt again.txt
}

@test "tasks outside the choice are kept without the kernel events that state them" {
    python3 "$TM_SRC/t/gen/make-kernel.py" >kernel.pftrace <<'END'
process 9 shop
2200 0 7 #235 1=9 2=shop 3=0 4=0
2250 0 9 #236 1=9 2=shop 3=till
2300 0 8 #235 1=10 2=shell 3=0 4=0
2400 0 9 #240 1=shell 2=10 3=120
3100 0 9 print 2=B|9|a
3200 0 9 print 2=E|9
4000 0 9 #235 1=11 2=late 3=0 4=0
END
    tm-merge -q -o all.db kernel.pftrace
    tm-merge -q -o cut.db --only from=3000,to=3500 kernel.pftrace
    tm-merge -q -o named.db --only name=a kernel.pftrace
    [ "$(sqlite3 all.db 'SELECT count(*) FROM ftrace_event')" -eq 7 ]
    for db in cut named; do
        [ "$(sqlite3 $db.db 'SELECT group_concat(name) FROM slice')" = a ]
        [ -z "$(sqlite3 $db.db "SELECT ts, name FROM ftrace_event WHERE name != 'print'")" ]
        [ "$(sqlite3 $db.db "SELECT name, start_ts FROM thread WHERE tid = 9 AND start_ts")" = "till|2200" ]
    done
}
