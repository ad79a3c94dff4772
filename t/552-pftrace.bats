#!/usr/bin/env bats
# The merged Perfetto trace: merging it again gives the same timeline.

@test "the demo archive and its merged.pftrace have one timeline" {
    run python3 "$TM_SRC/t/check/roundtrip" -m "$TM_BIN/tm-merge" "$TM_SRC/doc/examples/phone-watch-app.tar"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "two merges write the same bytes" {
    for i in 1 2; do
        tm-merge -o "$BATS_TEST_TMPDIR/$i.pftrace" "$TM_SRC/doc/examples/phone-watch-app.tar"
    done
    cmp "$BATS_TEST_TMPDIR/1.pftrace" "$BATS_TEST_TMPDIR/2.pftrace"
}

@test "lines of ftrace text become ftrace events" {
    printf '%s\n' '# tracer: nop' \
        '  app-100 (  100) [001] d..2. 10.000001: sched_switch: prev_comm=app prev_pid=100 prev_prio=120 prev_state=S ==> next_comm=r next_pid=7 next_prio=97' \
        '  r-7 (-----) [001] d..2. 10.000005: sched_switch: prev_comm=r prev_pid=7 prev_prio=97 prev_state=S ==> next_comm=app next_pid=100 next_prio=120' \
        '  app-100 (  100) [001] ..... 10.000009: tracing_mark_write: B|100|work' \
        '  app-100 (  100) [001] ..... 10.000019: tracing_mark_write: E|100' >"$BATS_TEST_TMPDIR/t.systrace"
    run python3 "$TM_SRC/t/check/roundtrip" -m "$TM_BIN/tm-merge" "$BATS_TEST_TMPDIR/t.systrace"
    echo "$output"
    [ "$status" -eq 0 ]
    tm-merge -o "$BATS_TEST_TMPDIR/m.pftrace" "$BATS_TEST_TMPDIR/t.systrace"
    run bash -o pipefail -c "tm-unpack '$BATS_TEST_TMPDIR/m.pftrace' | tm-emit -f frames | grep -c 'raw=ftrace_event'"
    [ "$output" -ge 3 ]
}

# Three switches and a waking on cpu 1. A task is renamed while it runs.
switches() {
    printf '%s\n' '# tracer: nop' \
        '  app-100 (  100) [001] d..2. 10.000001: sched_switch: prev_comm=app prev_pid=100 prev_prio=120 prev_state=R+ ==> next_comm=r next_pid=7 next_prio=97' \
        '  r-7 (-----) [001] d..2. 10.000003: sched_waking: comm=app pid=100 prio=120 target_cpu=001' \
        '  r-7 (-----) [001] d..2. 10.000005: sched_switch: prev_comm=r prev_pid=7 prev_prio=97 prev_state=D|K ==> next_comm=app next_pid=100 next_prio=120' \
        '  new-100 (  100) [001] d..2. 10.000007: sched_switch: prev_comm=new prev_pid=100 prev_prio=120 prev_state=R+ ==> next_comm=r next_pid=7 next_prio=97'
}

# Prints COUNT switches of a cpu between pids 100 and 7. The first is at 10 s and FIRST ns.
to_and_fro() { # COUNT FIRST
    local i
    echo '# tracer: nop'
    for ((i = 0; i < $1; i += 2)); do
        printf '  app-100 (  100) [001] d..2. 10.%09d: sched_switch: prev_comm=app prev_pid=100 prev_prio=120 prev_state=S ==> next_comm=r next_pid=7 next_prio=97\n' $(($2 + 2000 * i))
        printf '  r-7 (-----) [001] d..2. 10.%09d: sched_switch: prev_comm=r prev_pid=7 prev_prio=97 prev_state=D|K ==> next_comm=app next_pid=100 next_prio=120\n' $(($2 + 2000 * i + 2000))
    done
}

@test "a name on a line of text is replaced by a later name of the scheduler" {
    cd "$BATS_TEST_TMPDIR"
    printf '%s\n' '# tracer: nop' \
        '  first-101 (  100) [000] ..... 10.000010: tracing_mark_write: B|100|a' \
        '  first-101 (  100) [000] ..... 10.000020: tracing_mark_write: E|100' \
        '  sh-7 (    7) [000] d..2. 10.000030: sched_switch: prev_comm=sh prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=second next_pid=101 next_prio=120' \
        '  renamed-102 (  100) [001] ..... 10.000040: tracing_mark_write: I|100|b' >t.systrace
    tm-merge -o m.pftrace t.systrace
    tm-merge -o m.db m.pftrace
    run sqlite3 m.db 'SELECT t.tid, t.name, p.pid, p.name IS NULL FROM thread t JOIN process p USING (upid) WHERE tid > 100 ORDER BY tid'
    echo "$output"
    [ "$output" = "101|second|100|1
102|renamed|100|1" ]
    run python3 "$TM_SRC/t/check/roundtrip" -m "$TM_BIN/tm-merge" t.systrace
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "a switch that does not follow the one before is written in full, and eight that do are compact again" {
    to_and_fro 20 1000 >"$BATS_TEST_TMPDIR/t.systrace"
    tm-merge -o "$BATS_TEST_TMPDIR/m.pftrace" "$BATS_TEST_TMPDIR/t.systrace"
    run python3 "$TM_SRC/t/check/sched-wire.py" "$BATS_TEST_TMPDIR/m.pftrace"
    echo "$output"
    [ "${#lines[@]}" -eq 20 ]
    [ "${lines[7]}" = "switch 1 10000015000 prev=7 state=130 next=100 app full" ]
    [ "${lines[9]}" = "switch 1 10000019000 prev=? state=130 next=100 app compact" ]
    [ "$(grep -c full <<<"$output")" -eq 8 ]
    run python3 "$TM_SRC/t/check/roundtrip" -m "$TM_BIN/tm-merge" "$BATS_TEST_TMPDIR/t.systrace"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "kernel counters in text are kernel events of their cpu and machine, and make no process" {
    cat >"$BATS_TEST_TMPDIR/t.systrace" <<'END'
# tracer: nop
          foo-100 [001] d..2 10.000100: cpu_frequency: state=1000 cpu_id=1
          foo-100 [001] d..2 10.000200: cpu_idle: state=4294967295 cpu_id=0
          foo-100 [001] d..2 10.000300: tracing_mark_write: B|50|cpu_idle: x
          foo-100 [001] d..2 10.000400: tracing_mark_write: E|50
          foo-101 [001] d..2 10.000500: clock_set_rate: gpu state=55 cpu_id=1
          foo-101 [001] d..2 10.000510: cpu_frequency_limits: min=55 max=67 cpu_id=1
          foo-101 [001] d..2 10.000515: cpu_frequency_limits: max_freq=68 min_freq=54 cpu_id=2
          foo-101 [001] d..2 10.000520: rss_stat: mm_id=33 curr=1 member=1 size=8437760B
          foo-101 [001] d..2 10.000550: clock_enable: name=gpu state=1 cpu_id=1
          foo-101 [001] d..2 10.000555: clock_disable: gpu state=0 cpu_id=1
          foo-101 [001] d..2 10.000560: thermal_temperature: thermal_zone=gpu id=3 temp_prev=33 temp=-34
          foo-101 [001] d..2 10.000570: cdev_update: type=fan target=2
          foo-101 [001] d..2 10.000580: tracing_mark_write: C|50|mem.rss.anon|44
END
    tm-merge -o "$BATS_TEST_TMPDIR/m.pftrace" "$BATS_TEST_TMPDIR/t.systrace"
    run bash -o pipefail -c "tm-unpack '$BATS_TEST_TMPDIR/m.pftrace' | tm-emit -f frames | grep -c kind=track"
    [ "$output" = 0 ]
    for trace in t.systrace m.pftrace; do
        tm-merge -o "$BATS_TEST_TMPDIR/$trace.db" "$BATS_TEST_TMPDIR/$trace"
        sqlite3 "$BATS_TEST_TMPDIR/$trace.db" "SELECT tid, t.name, pid FROM thread t LEFT JOIN process USING (upid) ORDER BY 1;
            SELECT pid FROM process ORDER BY 1; SELECT ts, dur, name FROM slice;
            SELECT ts, k.name, value, k.type, u.cpu FROM counter c JOIN counter_track k ON c.track_id = k.id
            LEFT JOIN cpu_counter_track u ON u.id = k.id ORDER BY 1, 2" >"$BATS_TEST_TMPDIR/$trace.txt"
    done
    diff "$BATS_TEST_TMPDIR"/{t.systrace,m.pftrace}.txt
    [ "$(grep -c '^10.*|.*|.*|.*|' "$BATS_TEST_TMPDIR/m.pftrace.txt")" -eq 13 ]
    grep -qx '10000515000|Cpu 2 Min Freq Limit|54.0|cpu_min_frequency_limit|2' "$BATS_TEST_TMPDIR/m.pftrace.txt"
}

@test "a counter in text that no kernel event can hold is still a counter" {
    printf '%s\n' '# tracer: nop' '  foo-100 [001] d..2 10.000100: cpu_frequency: state=4294967296 cpu_id=1' \
        '  foo-100 [001] d..2 10.000200: thermal_temperature: thermal_zone=gpu id=3 temp=2147483648' \
        '  foo-100 [001] d..2 10.000300: clock_enable: gpu state=-1 cpu_id=1' \
        '  foo-100 [001] d..2 10.000400: cpu_frequency_limits: max=5 cpu_id=1' >"$BATS_TEST_TMPDIR/t.systrace"
    tm-merge -o "$BATS_TEST_TMPDIR/m.pftrace" "$BATS_TEST_TMPDIR/t.systrace"
    tm-merge -o "$BATS_TEST_TMPDIR/m.db" "$BATS_TEST_TMPDIR/m.pftrace"
    run sqlite3 "$BATS_TEST_TMPDIR/m.db" 'SELECT name, value FROM counter c JOIN track k ON c.track_id = k.id ORDER BY ts'
    echo "$output"
    [ "$output" = "cpufreq|4294967296.0
gpu Temperature|2147483648.0
gpu State|-1.0
Cpu 1 Max Freq Limit|5.0" ]
}

@test "work of a workqueue in text is a kernel event, with its function names in interned data" {
    printf '%s\n' '# tracer: nop' '  kw-7 [000] d..2 1.1: workqueue_execute_start: work struct ffff8880: function foo [mod]' \
        '  kw-7 [000] d..2 1.2: tracing_mark_write: B|3|hello' '  kw-7 [000] d..2 1.3: tracing_mark_write: E|3' \
        '  kw-7 [000] d..2 1.4: workqueue_execute_end: work struct ffff8880' >"$BATS_TEST_TMPDIR/t.systrace"
    tm-merge -o "$BATS_TEST_TMPDIR/m.pftrace" "$BATS_TEST_TMPDIR/t.systrace"
    for trace in t.systrace m.pftrace; do
        tm-merge -o "$BATS_TEST_TMPDIR/$trace.db" "$BATS_TEST_TMPDIR/$trace"
        sqlite3 "$BATS_TEST_TMPDIR/$trace.db" "SELECT tid, t.name, pid FROM thread t LEFT JOIN process USING (upid) ORDER BY 1;
            SELECT ts, dur, name, category, depth FROM slice" >"$BATS_TEST_TMPDIR/$trace.txt"
    done
    diff "$BATS_TEST_TMPDIR"/{t.systrace,m.pftrace}.txt
    grep -qx '1100000000|300000000|foo \[mod\]|workqueue|0' "$BATS_TEST_TMPDIR/m.pftrace.txt"
    grep -qx '1200000000|100000000|hello||1' "$BATS_TEST_TMPDIR/m.pftrace.txt"
}

@test "more functions than are numbered at once, on two machines, keep their names" {
    mkdir "$BATS_TEST_TMPDIR/in"
    for m in a b; do
        awk -v m=$m 'BEGIN { print "# tracer: nop"; for (i = 0; i < 70000; i++) {
            printf "  kw-7 [%03d] d..2 1.%06d: workqueue_execute_start: work struct 0: function %s%d\n", i % 3, i * 2, m, i
            printf "  kw-7 [%03d] d..2 1.%06d: workqueue_execute_end: work struct 0\n", i % 3, i * 2 + 1 } }' >"$BATS_TEST_TMPDIR/in/$m.systrace"
    done
    tm-merge --machine "second=$BATS_TEST_TMPDIR/in/b.systrace" -o "$BATS_TEST_TMPDIR/m.pftrace" "$BATS_TEST_TMPDIR"/in/*
    tm-merge -o "$BATS_TEST_TMPDIR/m.db" "$BATS_TEST_TMPDIR/m.pftrace"
    run sqlite3 "$BATS_TEST_TMPDIR/m.db" "SELECT m.name, count(*), count(DISTINCT s.name), max(s.dur),
        sum(s.name = substr('ab', 1 + (m.name IS NOT NULL), 1) || ((s.ts - 1000000000) / 2000))
        FROM slice s JOIN track k ON s.track_id = k.id JOIN machine m ON k.machine_id = m.id GROUP BY m.id"
    echo "$output"
    [ "$output" = "|70000|70000|1000|70000
second|70000|70000|1000|70000" ]
}

@test "a cpu about which two files disagree does not need a packet for every second switch" {
    mkdir "$BATS_TEST_TMPDIR/in"
    to_and_fro 400 1000 >"$BATS_TEST_TMPDIR/in/a.systrace"
    to_and_fro 400 1500 | sed 's/100/200/g; s/app/two/g' >"$BATS_TEST_TMPDIR/in/b.systrace"
    tm-merge -o "$BATS_TEST_TMPDIR/m.pftrace" "$BATS_TEST_TMPDIR/in"
    run bash -o pipefail -c "python3 '$TM_SRC/t/check/sched-wire.py' '$BATS_TEST_TMPDIR/m.pftrace' | wc -l"
    [ "$output" -eq 800 ]
    run bash -o pipefail -c "tm-unpack '$BATS_TEST_TMPDIR/m.pftrace' | tm-emit -f frames | grep -c kind=packet"
    echo "$output"
    [ "$output" -lt 40 ]
}

@test "names of any length are complete if scheduling is in full" {
    for n in 1 15 16 17 99 100 130 4000; do
        name=$(printf "%0${n}d" 0 | tr 0 "$((n % 10))")
        printf '     x-1 [000] d..2. 10.0%05d: sched_switch: prev_comm=%s prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=%s next_pid=9 next_prio=120\n' \
            "$n" "p$name" "n$name"
    done >"$BATS_TEST_TMPDIR/t.systrace"
    tm-merge -o "$BATS_TEST_TMPDIR/m.pftrace" "$BATS_TEST_TMPDIR/t.systrace"
    python3 "$TM_SRC/t/check/sched-wire.py" "$BATS_TEST_TMPDIR/m.pftrace" | grep -c full >"$BATS_TEST_TMPDIR/full"
    [ "$(<"$BATS_TEST_TMPDIR/full")" -eq 8 ]
    tm-unpack "$BATS_TEST_TMPDIR/m.pftrace" | tm-emit -f frames | sed -n 's/.*kind=sched_switch.* name="\([^"]*\)" category="\([^"]*\)".*/\2 \1/p' >"$BATS_TEST_TMPDIR/got"
    sed 's/.*prev_comm=\([^ ]*\) .*next_comm=\([^ ]*\) .*/\1 \2/' "$BATS_TEST_TMPDIR/t.systrace" >"$BATS_TEST_TMPDIR/want"
    diff "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got"
}

@test "scheduling of text is in full or compact as needed, and states are a kernel mask" {
    switches >"$BATS_TEST_TMPDIR/t.systrace"
    tm-merge -o "$BATS_TEST_TMPDIR/m.pftrace" "$BATS_TEST_TMPDIR/t.systrace"
    run python3 "$TM_SRC/t/check/sched-wire.py" "$BATS_TEST_TMPDIR/m.pftrace"
    echo "$output"
    [ "$output" = "switch 1 10000001000 prev=100 state=2048 next=7 r full
waking 1 10000003000 by=7 tid=100 target=1 app flags=0 full
switch 1 10000005000 prev=7 state=130 next=100 app full
switch 1 10000007000 prev=100 state=2048 next=7 r full" ]
    run python3 "$TM_SRC/t/check/roundtrip" -m "$TM_BIN/tm-merge" "$BATS_TEST_TMPDIR/t.systrace"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "states are the mask of the kernel that the machine's trace names" {
    mkdir "$BATS_TEST_TMPDIR/in"
    switches | sed 's/D|K/D/' >"$BATS_TEST_TMPDIR/in/t.systrace" # this kernel has no state K
    # A SystemInfo with utsname.release 6.1.0.
    printf '\n\014\352\002\011\012\007\032\0056.1.0' >"$BATS_TEST_TMPDIR/in/k.pftrace"
    tm-merge -o "$BATS_TEST_TMPDIR/m.pftrace" "$BATS_TEST_TMPDIR/in"
    run python3 "$TM_SRC/t/check/sched-wire.py" "$BATS_TEST_TMPDIR/m.pftrace"
    echo "$output"
    [ "${lines[0]}" = "switch 1 10000001000 prev=100 state=256 next=7 r full" ]
    [ "${lines[2]}" = "switch 1 10000005000 prev=7 state=2 next=100 app full" ]
    tar -C "$BATS_TEST_TMPDIR/in" -cf "$BATS_TEST_TMPDIR/in.tar" t.systrace k.pftrace
    run python3 "$TM_SRC/t/check/roundtrip" -m "$TM_BIN/tm-merge" "$BATS_TEST_TMPDIR/in.tar"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "compact_sched keeps its form: flags, states of any width, the first switch" {
    # Cpu 2: switches at 1000 and 1010 (prev_state 1 and 2^41 + 2, to pids 5 and 6), a waking of 5 at 1005 with
    # common_flags 3.
    python3 - "$BATS_TEST_TMPDIR/c.pftrace" <<'PYTHON'
import sys
def field(n, b): return bytes([n << 3 | 2, len(b)]) + b
columns = {1: b'\xe8\x07\x0a', 2: b'\x01\x82\x80\x80\x80\x80\x40', 3: b'\x05\x06', 4: b'\x78\x64', 6: b'\x00\x01',
           7: b'\xed\x07', 8: b'\x05', 9: b'\x02', 10: b'\x78', 11: b'\x00', 12: b'\x03'}
sched = field(5, b'five') + field(5, b'six') + b''.join(field(n, b) for n, b in columns.items())
open(sys.argv[1], 'wb').write(field(1, field(1, b'\x08\x02' + field(4, sched))))
PYTHON
    run python3 "$TM_SRC/t/check/sched-wire.py" "$BATS_TEST_TMPDIR/c.pftrace"
    echo "$output"
    before=$output
    [ "$output" = "switch 2 1000 prev=? state=1 next=5 five compact
waking 2 1005 by=? tid=5 target=2 five flags=3 compact
switch 2 1010 prev=? state=2199023255554 next=6 six compact" ]
    tm-merge -o "$BATS_TEST_TMPDIR/m.pftrace" "$BATS_TEST_TMPDIR/c.pftrace"
    run python3 "$TM_SRC/t/check/sched-wire.py" "$BATS_TEST_TMPDIR/m.pftrace"
    echo "$output"
    [ "$output" = "$before" ]
    # After switches in full, and beside a file that names threads, a waking of compact_sched is a FtraceEvent. In the
    # reference one with common_flags has a row without a name.
    cd "$BATS_TEST_TMPDIR"
    python3 - <<'PYTHON'
import os, sys
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
from wire import field, message
def switch(time, before, after): # prev_pid, next_comm, next_pid
    return (2, message((1, time), (2, before), (4, message((2, before), (5, 'x'), (6, after)))))
full = message((1, message((1, 2), switch(900, 0, 4), switch(950, 4, 3))))
open('f.pftrace', 'wb').write(field(1, full) + open('c.pftrace', 'rb').read())
PYTHON
    echo '[{"ph":"M","name":"thread_name","pid":5,"tid":5,"args":{"name":"main"}}]' >j.json
    tm-merge -q -o m.pftrace f.pftrace j.json
    run python3 "$TM_SRC/t/check/sched-wire.py" m.pftrace
    echo "$output"
    grep -q 'waking 2 1005 by=5 tid=5 target=2 five flags=0 full' <<<"$output"
}

# Kernel text in which pid 100 ends and is reused, and Chrome JSON that names both of its lifetimes.
reused_pid() { # FOLDER
    mkdir -p "$1"
    printf '%s\n' '# tracer: nop' \
        '  sh-7 (    7) [000] d..2. 10.000001: sched_waking: comm=old pid=100 prio=120 target_cpu=000' \
        '  sh-7 (    7) [000] d..2. 10.000030: sched_process_free: comm=old pid=100 prio=120' \
        '  sh-7 (    7) [000] d..2. 10.000040: task_newtask: pid=100 comm=sh clone_flags=1200011 oom_score_adj=0' \
        '  sh-7 (    7) [000] d..2. 10.000041: task_newtask: pid=101 comm=sh clone_flags=3d0f00 oom_score_adj=0' \
        '  sh-7 (    7) [000] d..2. 10.000050: sched_waking: comm=kernelname pid=100 prio=120 target_cpu=000' >"$1/k.systrace"
    cat >"$1/x.json" <<'JSON'
[{"ph":"M","name":"process_name","pid":100,"tid":100,"ts":10000002,"args":{"name":"first"}},
 {"ph":"M","name":"thread_name","pid":100,"tid":100,"ts":10000002,"args":{"name":"first main"}},
 {"ph":"M","name":"thread_name","pid":100,"tid":105,"ts":10000045,"args":{"name":"only here"}},
 {"ph":"X","name":"in the first","pid":100,"tid":100,"ts":10000010,"dur":5},
 {"ph":"b","cat":"c","id":"1","name":"never ends","pid":100,"tid":100,"ts":10000012},
 {"ph":"C","name":"n","pid":100,"ts":10000013,"args":{"v":1}},
 {"ph":"X","name":"in the second","pid":100,"tid":100,"ts":10000060,"dur":5},
 {"ph":"X","name":"on its thread","pid":100,"tid":101,"ts":10000060,"dur":5},
 {"ph":"X","name":"on another","pid":100,"tid":105,"ts":10000061,"dur":5},
 {"ph":"C","name":"n","pid":100,"ts":10000062,"args":{"v":2}}]
JSON
    echo '{"perfetto_manifest":{"version":1,"files":[{"path":"k.systrace"},
        {"path":"x.json","clocks":{"sync_to":{"file":"k.systrace","clock":"MONOTONIC"}}}]}}' >"$1/manifest.json"
    tar cf "$1.tar" -C "$1" manifest.json k.systrace x.json
}

@test "names of a pid before and after its reuse belong to different processes" {
    reused_pid "$BATS_TEST_TMPDIR/in"
    tm-merge -o "$BATS_TEST_TMPDIR/once.db" "$BATS_TEST_TMPDIR/in.tar"
    run sqlite3 "$BATS_TEST_TMPDIR/once.db" "SELECT count(*), count(DISTINCT upid) FROM process WHERE pid = 100"
    [ "$output" = "2|2" ]
    run python3 "$TM_SRC/t/check/roundtrip" -m "$TM_BIN/tm-merge" "$BATS_TEST_TMPDIR/in.tar"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "a thread keeps the scheduler's name if Chrome JSON has another" {
    reused_pid "$BATS_TEST_TMPDIR/in"
    tm-merge -o "$BATS_TEST_TMPDIR/m.pftrace" "$BATS_TEST_TMPDIR/in.tar"
    tm-merge -o "$BATS_TEST_TMPDIR/m.db" "$BATS_TEST_TMPDIR/m.pftrace"
    run sqlite3 "$BATS_TEST_TMPDIR/m.db" "SELECT tid, name FROM thread WHERE tid IN (100, 105) ORDER BY utid"
    echo "$output"
    [ "$output" = "100|old
100|kernelname
105|only here" ]
}

@test "slices of a pid before and after its reuse are on tracks of different threads" {
    reused_pid "$BATS_TEST_TMPDIR/in"
    tm-merge -o "$BATS_TEST_TMPDIR/m.pftrace" "$BATS_TEST_TMPDIR/in.tar"
    tm-merge -o "$BATS_TEST_TMPDIR/m.db" "$BATS_TEST_TMPDIR/m.pftrace"
    run sqlite3 "$BATS_TEST_TMPDIR/m.db" "SELECT slice.name, process.start_ts FROM slice
        JOIN thread_track ON track_id = thread_track.id JOIN thread USING (utid)
        JOIN process USING (upid) WHERE tid = 100 ORDER BY ts"
    echo "$output"
    [ "$output" = "in the first|
in the second|10000040000" ]
}

# Three traces that use the same numbers for different things, in $BATS_TEST_TMPDIR/SEED.tar.
collisions() { # SEED
    python3 "$TM_SRC/t/gen/make-collisions.py" "$1" "$BATS_TEST_TMPDIR/$1"
    tar cf "$BATS_TEST_TMPDIR/$1.tar" -C "$BATS_TEST_TMPDIR/$1" manifest.json a.pftrace b.pftrace c.pftrace
}

@test "equal numbers of different files are distinct, and no packet is lost" {
    for seed in 1 2 3 4; do
        collisions $seed
    done
    run python3 "$TM_SRC/t/check/lossless" -m "$TM_BIN/tm-merge" "$BATS_TEST_TMPDIR"/*.tar
    echo "$output"
    [ "$status" -eq 0 ]
    run python3 "$TM_SRC/t/check/roundtrip" -m "$TM_BIN/tm-merge" "$BATS_TEST_TMPDIR"/*.tar
    echo "$output"
    [ "$status" -eq 0 ]
}

# Makes $BATS_TEST_TMPDIR/damaging, a tm-merge whose trace then has its bytes changed as DAMAGE states.
damaging() {
    cat >"$BATS_TEST_TMPDIR/damaging" <<'SH'
#!/bin/sh
"$TM_BIN/tm-merge" "$@" || exit
[ "$1" != -o ] || python3 -c 'import os, sys
data = open(sys.argv[1], "rb").read()
old, new = eval(os.environ["DAMAGE"])
assert old in data
open(sys.argv[1], "wb").write(data.replace(old, new, 1))' "$2"
SH
    chmod +x "$BATS_TEST_TMPDIR/damaging"
}

@test "the comparison detects changed packets and events" {
    collisions 5
    damaging
    for damage in "b'unknown of b', b'unknown of x'" "b'I|10|b', b'I|10|x'" "b'category of b', b'category of x'"; do
        DAMAGE=$damage run python3 "$TM_SRC/t/check/lossless" -m "$BATS_TEST_TMPDIR/damaging" "$BATS_TEST_TMPDIR/5.tar"
        echo "$output"
        [ "$status" -eq 1 ]
        [[ "$output" == *"1 packets or events are not there"* ]]
    done
}

@test "statistics of two sessions add up, the later start is removed, and the comparison detects changes to both" {
    cd "$BATS_TEST_TMPDIR"
    cat >make.py <<'PY'
import sys
sys.path.insert(0, sys.argv[1])
from wire import field


def packet(ts, number, body, sequence=9):
    return field(1, (field(8, ts) if ts else b'') + field(10, sequence) + field(number, body))


def stats(size, flushes):
    writer = field(18, field(1, 9) + field(4, 0) + field(2, bytes([0, 3])))
    return field(1, field(12, size) + field(1, flushes)) + writer + field(2, 1) + field(5, flushes) + field(11, field(1, flushes) + field(20, 7))


for name, start, size in ('a', 1000, 1234567), ('b', 3000, 7654321):
    out = field(1, field(6, field(1, field(1, 6) + field(2, 500)) + field(1, field(1, 3) + field(2, 500))))
    out += packet(start, 69, field(2, 1)) + packet(start + 10, 69, field(3, 1))
    out += field(1, field(1, field(1, 0) + field(2, field(1, start + 100) + field(2, 7) + field(5, field(2, name.encode() * 5)))))
    out += packet(0, 35, stats(size, 2)) + packet(start + 500, 35, stats(size, 5))
    open(name + '.pftrace', 'wb').write(out)
PY
    python3 make.py "$TM_SRC/t/gen"
    tar cf two.tar a.pftrace b.pftrace
    run python3 "$TM_SRC/t/check/lossless" -m "$TM_BIN/tm-merge" two.tar
    echo "$output"
    [ "$status" -eq 0 ]
    damaging
    # A buffer of the second session, and the service event without its start.
    for damage in "b'\xb1\x97\xd3\x03', b'\xb2\x97\xd3\x03'" "b'\xaa\x04\x00', b'\xb2\x04\x00'"; do
        DAMAGE=$damage run python3 "$TM_SRC/t/check/lossless" -m "$BATS_TEST_TMPDIR/damaging" two.tar
        echo "$output"
        [ "$status" -eq 1 ]
        [[ "$output" == *"packets or events are not there"* ]]
    done
}

@test "a merged trace is placed at its own times, alone and in an archive" {
    collisions 6
    tm-merge -o "$BATS_TEST_TMPDIR/m.pftrace" "$BATS_TEST_TMPDIR/6.tar"
    tar cf "$BATS_TEST_TMPDIR/alone.tar" -C "$BATS_TEST_TMPDIR" m.pftrace
    for input in m.pftrace alone.tar; do
        tm-merge -f report --json "$BATS_TEST_TMPDIR/$input" >"$BATS_TEST_TMPDIR/report.json"
        run python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
p = d["placements"]
print(len(p) > 0, {int(x[k]) for x in p for k in ("first_offset_ns", "last_offset_ns")}, d["total"]["dropped"])' \
            "$BATS_TEST_TMPDIR/report.json"
        echo "$output"
        [ "$output" = "True {0} 0" ]
    done
}

@test "samples of events beyond the limit count nothing, and a warning counts them" {
    cd "$BATS_TEST_TMPDIR"
    python3 -c "
for i in range(258):
    print('prog 10/11 [000] %d.000001:     5 ev%d:u: \n\tffff main+0x1 (/bin/x)\n' % (i + 1, i))" >perf.txt
    tm-merge -o m.pftrace perf.txt 2>said
    [ "$(cat said)" = "tm-emit: warning: perf.txt: 2 facts are beyond the limit of pftrace (tm-limits), and are left out" ]
    tm-merge -q -f report m.pftrace | grep -q 'left_out.surplus_facts = 2'
    run tm-merge -q --strict -o strict.pftrace perf.txt
    [ "$status" -eq 4 ]
    [ "$output" = "tm-emit: readings, names or facts are beyond the limits of pftrace, and --strict allows none" ]
}

@test "samples stay perf samples" {
    printf '%s\n' 'app  1234/1234  5.000000100:     250000 cycles: ' '            7f00 work+0x10 (/bin/app)' \
        '            7e00 main+0x20 (/bin/app)' '' >"$BATS_TEST_TMPDIR/p.perf.txt"
    run python3 "$TM_SRC/t/check/roundtrip" -m "$TM_BIN/tm-merge" "$BATS_TEST_TMPDIR/p.perf.txt"
    echo "$output"
    [ "$status" -eq 0 ]
    tm-merge -o "$BATS_TEST_TMPDIR/m.pftrace" "$BATS_TEST_TMPDIR/p.perf.txt"
    tm-merge -o "$BATS_TEST_TMPDIR/m.db" "$BATS_TEST_TMPDIR/m.pftrace"
    run sqlite3 "$BATS_TEST_TMPDIR/m.db" "SELECT (SELECT count(*) FROM perf_sample), (SELECT count(*) FROM cpu_profile_stack_sample)"
    echo "$output"
    [ "$output" = "1|0" ]
}

@test "a thread described while its sequence's state is invalid, or later, has no events without a track" {
    cd "$BATS_TEST_TMPDIR"
    # A descriptor of thread 8, an instant that names no track, the same descriptor with cleared state, an instant.
    printf '\012\015\120\004\342\003\010\010\005\042\004\010\007\020\010' >t.pftrace
    printf '\012\014\100\003\120\004\132\006\110\003\272\001\001\141' >>t.pftrace
    printf '\012\017\120\004\150\001\342\003\010\010\005\042\004\010\007\020\010' >>t.pftrace
    printf '\012\014\100\005\120\004\132\006\110\003\272\001\001\142' >>t.pftrace
    for input in t.pftrace m.pftrace; do
        tm-merge -o "$input.db" "$input"
        run sqlite3 "$input.db" "SELECT s.name, tid FROM slice s LEFT JOIN thread_track t ON t.id = track_id
            LEFT JOIN thread USING (utid) ORDER BY s.name"
        echo "$input: $output"
        [ "$output" = "a|
b|8" ]
        tm-merge -o m.pftrace t.pftrace
    done
}

@test "slices of threads of unknown process are written" {
    printf '%s\n' '17189 1795206889.817933 execve("/bin/true", ["true"], 0x7ffd /* 3 vars */) = 0 <0.003093>' \
        '17190 1795206889.821425 brk(NULL)       = 0x5581 <0.000010>' >"$BATS_TEST_TMPDIR/s.strace"
    tm-merge -o "$BATS_TEST_TMPDIR/m.pftrace" "$BATS_TEST_TMPDIR/s.strace"
    tm-merge -o "$BATS_TEST_TMPDIR/m.db" "$BATS_TEST_TMPDIR/m.pftrace"
    run sqlite3 "$BATS_TEST_TMPDIR/m.db" "SELECT slice.name, dur, tid FROM slice JOIN thread_track t ON t.id = track_id JOIN thread USING (utid)"
    echo "$output"
    [ "$output" = "execve|3093000|17189
brk|10000|17190" ]
}

@test "a time inside a packet without a path to trace time is a warning, and exit 4 with --strict" {
    cd "$BATS_TEST_TMPDIR"
    # A ClockSnapshot that has only BOOTTIME, and an AndroidLogPacket at BOOTTIME with an event at REALTIME 5000.
    printf '\n\006\062\004\012\002\010\006' >t.pftrace
    printf '\n\015\100\350\007\272\002\007\012\005\050\210\047\010\001' >>t.pftrace
    bash -o pipefail -c 'tm-unpack --no-packet-args t.pftrace | tm-manifest | tm-clocks | tm-sort >s'
    run tm-emit -f pftrace -o m.pftrace <s
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$output" = "tm-emit: warning: t.pftrace: 1 time inside packets could not be converted to trace time, so recorded values were kept" ]
    run tm-emit --strict -f pftrace -o strict.pftrace <s
    [ "$status" -eq 4 ]
    [ ! -e strict.pftrace ]
}

# A flipped bit inside a track event. tm-unpack counts it and reads as far as possible.
@test "a packet with damaged bytes inside is written as it was read, with distinct ids of two files" {
    cd "$BATS_TEST_TMPDIR"
    printf 'snap 6=1\ninstant e1 1000 seq=1\ninstant e2 2000 seq=1\ninstant e3 3000 seq=1\n' |
        python3 "$TM_SRC/t/gen/make-proto.py" >good.pb
    python3 - <<'PY'
data = open('good.pb', 'rb').read()
name = b'\xba\x01\x02e2'  # TrackEvent.name, whose length becomes wrong
assert name in data
open('bad.pb', 'wb').write(data.replace(name, b'\xba\x01\x07e2'))
PY
    tm-merge -f jsonl bad.pb good.pb | grep -v '"definition":true' >want
    tm-merge -f report --json bad.pb | grep tm_proto_damaged_messages
    tm-merge -o m.pftrace bad.pb good.pb
    tm-merge -f report --json m.pftrace | grep tm_proto_damaged_messages
    tm-merge -f jsonl m.pftrace | grep -v '"definition":true' >got
    for f in want got; do
        jq -c '[.ts, .kind, .name]' $f >$f.rows
    done
    cmp want.rows got.rows
    [ "$(wc -l <got.rows)" = 6 ]
}

@test "an end of Chrome JSON closes the slice that it closes in its own file, and no complete event" {
    cd "$BATS_TEST_TMPDIR"
    mkdir in
    # The begin ends with the complete event around it, and its end then ends nothing. Another end closes the begin
    # below a slice, which ends with it. Only complete events begin here, and two ends follow. The innermost slice is a
    # complete event, and the slice that the end closes has its name.
    cat >files <<'EOF'
X 8 whole 20;B 8 begun;X 8 longer 1;E 11 -;B 13 next;E 16 -
X 0 whole 50;B 1 a;B 3 c;E 4 a;E 6 -;X 7 d 1
X 0 whole 30;X 5 within 10;E 7 -;E 8 within;X 9 deep 2
B 0 same;X 5 same 4;B 6 same;E 8 same;E 9 same;X 20 after 2
EOF
    python3 - <<'EOF'
import json
for i, line in enumerate(open('files')):
    events = []
    for event in line.strip().split(';'):
        ph, ts, name, *dur = event.split()
        events.append({'ph': ph, 'ts': int(ts), 'pid': 1, 'tid': 1, **({} if name == '-' else {'name': name}),
                       **({'dur': int(dur[0])} if dur else {})})
    json.dump(events, open('in/%d.json' % i, 'w'))
EOF
    run python3 "$TM_SRC/t/check/roundtrip" -m "$TM_BIN/tm-merge" in/*
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "4 passed, 0 failed, 0 skipped" ]
    # Events that cannot be written are counted: an end of nothing would end a slice that is open there.
    tm-merge -o m.pftrace in/2.json 2>err
    grep -qF '2 events of kind slice_end have no form in pftrace' err
}

# Instants with annotations of all forms: a nested one, one without a name, one whose string was never interned.
annotated() {
    PYTHONPATH="$TM_SRC/t/gen" python3 - <<'EOF'
import sys
from wire import field
annotations = [field(10, 'number') + field(3, 7), field(10, 'text') + field(6, 'words'), field(3, 9),
               field(10, 'again') + field(17, 5), field(10, 'json') + field(9, '{"a":[1,{"b":2}]}'),
               field(10, 'dict') + field(11, field(10, 'x') + field(4, 1)) + field(11, field(3, 2)),
               field(10, 'old') + field(8, field(1, 1) + field(2, 'k') + field(3, field(5, 3)))]
for i in range(40):
    event = field(9, 3) + field(11, 1) + field(23, 'mark') + b''.join(field(4, a) for a in annotations[i % 3:])
    sys.stdout.buffer.write(field(1, field(8, 1000 + i) + field(10, 1) + field(13, 1 if i == 0 else 2) + field(11, event)))
EOF
}

# Two traces with extra counter values in all forms: incremental ones, with a unit, doubles, sums that become doubles,
# packed ones, fewer values than the defaults name tracks, tracks of the event's own, too many values, packets with
# interned data or a long form of the length, flows, thread times and defaults that change. The same packets come
# again. The descriptors of two counters have a time after the first events with their values.
counted() {
    PYTHONPATH="$TM_SRC/t/gen" python3 - "$1" <<'EOF'
import random, sys
from wire import field, varint
r = random.Random(sys.argv[1])
def write(packet):
    sys.stdout.buffer.write(field(1, packet))
def descriptor(uuid, inner, time=None):
    write((field(8, time) if time else b'') + field(10, 1) + field(60, field(1, uuid) + inner))
descriptor(1, field(2, 'thread') + field(4, field(1, 7) + field(2, 8)))
descriptor(2, field(2, 'time') + field(5, 1) + field(8, field(4, 1000) + field(5, 1)))
descriptor(3, field(2, 'late') + field(5, 1) + field(8, b''), 90000)
descriptor(4, field(2, 'double') + field(5, 1) + field(8, field(5, 1)))
descriptor(5, field(2, 'own') + field(5, 1) + field(8, field(5, 1)), 80000)
def defaults(tracks, doubles):
    tracks = b''.join(field(31, t) for t in tracks) + field(45, b''.join(map(varint, doubles)))
    return field(59, field(11, field(11, 1) + tracks))
write(field(10, 1) + field(13, 1) + defaults([2, 3], [4]))
for i in range(3000):
    state = b''
    if i == 1500:
        state = defaults([3], [])
    kind = r.choice([1, 2, 3, 3])
    event = field(9, kind) + (field(23, 'name%d' % r.randrange(3)) if kind != 2 else b'')
    form = r.randrange(16)
    values = [r.choice([0, 1, 5, 70000, -3, 1 << 62 if 1480 < i < 1500 else 2])] + [r.randrange(300)] * r.choice([0, 0, 1])
    values = values[:1] if i >= 1500 else values
    if form == 0:
        event += field(12, b''.join(map(varint, values)))
    elif form == 1:
        event += field(31, 5) + field(12, 1)
    elif form == 2:
        event += b''.join(field(12, 1) for _ in range(r.choice([3, 10])))
    elif form == 3 and i < 1500:
        event += field(12, values[0]) + field(46, r.choice([0.5, 1e300]))
    elif form == 4 and i < 1500:
        event = field(46, 1.5) + event + b''.join(field(12, v) for v in values)
    elif form == 14:
        event = field(46, 1.5) + event + field(12, 3) + field(31, 5) + field(45, 4)
    elif form == 15 and i > 2000:
        event += field(31, 4) + field(12, 2) # the sum has a fraction
    elif form == 5:
        event += field(12, values[0]) + field(47, (9).to_bytes(8, 'little'))
    elif form == 6:
        event += field(17, 30 + i) + field(12, 2)
    elif form < 13:
        event += b''.join(field(12, v) for v in values)
    if form == 7:
        state += field(12, field(2, field(1, 100 + i) + field(2, 'text')))
    if form == 8:
        event += field(4, field(10, 'key') + field(3, i))
    head = bytes([11 << 3 | 2, len(event) & 127 | 128, len(event) >> 7 | 128, 0]) if form == 9 else b''
    event = head + event if head else field(11, event)
    write(field(8, 1000 + 40 * i) + field(10, 1) + field(13, 2) + event + field(3, 99) + state)
EOF
}

@test "extra counter values need no rows if their packets are kept" {
    cd "$BATS_TEST_TMPDIR"
    counted 1 >a.pftrace
    counted 2 >b.pftrace
    for option in "" --packet-values; do
        tm-unpack $option a.pftrace b.pftrace >u$option
        tm-manifest <u$option | tm-clocks | tm-sort | tm-emit -q -o m$option.pftrace
        tm-emit -f frames <u$option | grep -c "kind=counter.*derived" >rows$option
        tm-emit -f frames <u$option | grep -c 'raw_body' >bodies$option
    done
    cmp m.pftrace m--packet-values.pftrace
    [ "$(cat rows)" -gt 4000 ]
    [ "$(cat rows--packet-values)" -lt "$(($(cat rows) / 3))" ]
    [ "$(cat bodies--packet-values)" -gt "$(($(cat bodies) + 2000))" ]
    # The absolute values are those that the rows have. Some exceed what their field of integers can hold.
    tm-merge -o rows.db a.pftrace b.pftrace
    tm-merge -o packets.db m--packet-values.pftrace
    for db in rows packets; do
        sqlite3 $db.db 'SELECT name, ts, value FROM counter JOIN track ON track.id = track_id
                        ORDER BY 1, 2, 3' >$db.txt
    done
    [ "$(wc -l <rows.txt)" -gt 3000 ]
    cmp rows.txt packets.txt
    grep -q '^time.*e+2' rows.txt
    grep -q '^double|.*[.]5$' rows.txt
    tm-merge --only name=name1 -o one.pftrace a.pftrace b.pftrace
    tm-unpack a.pftrace b.pftrace | tm-manifest | tm-clocks | tm-sort | tm-emit -q --only name=name1 -o other.pftrace
    cmp one.pftrace other.pftrace
}

# Two traces with the same packets, most of them short. In the second one each is too long to be remembered.
repeated() {
    PYTHONPATH="$TM_SRC/t/gen" python3 - "$1" <<'EOF'
import random, sys
from wire import field
r = random.Random(5)
pad = field(999, 'x' * 130) if sys.argv[1] == 'long' else b''
time = 1000
for kinds in (40, 100000, 3, 3000, 100000, 300): # in memory: nearly all, nearly none, all, many, none, most
    for i in range(12000):
        time += 10
        event = field(9, r.choice([1, 2, 3])) + field(11, 5) + field(23, 'name %d' % r.randrange(kinds))
        sys.stdout.buffer.write(field(1, field(8, time) + field(11, event) + field(10, 1) + pad))
EOF
}

@test "events are the same whether packets repeat often enough to be remembered or not" {
    cd "$BATS_TEST_TMPDIR"
    repeated short >short.pftrace
    repeated long >long.pftrace
    for f in short long; do
        tm-unpack --no-raw $f.pftrace | tm-emit -f frames | sed -n 's/^  \[[0-9]*\] //p' >$f.rows
    done
    [ "$(wc -l <short.rows)" -eq 72000 ]
    cmp short.rows long.rows
}

# An event has a value of a counter that is described after it, with a later time: a reader refuses the event.
early() {
    PYTHONPATH="$TM_SRC/t/gen" python3 - <<'EOF'
import sys
from wire import field
def write(packet):
    sys.stdout.buffer.write(field(1, packet + field(10, 1)))
def event(time, name):
    write(field(8, time) + field(13, 2) + field(11, field(12, 100) + field(9, 3) + field(23, name)))
write(field(60, field(1, 1) + field(2, 'thread') + field(4, field(1, 7) + field(2, 8))))
write(field(13, 1) + field(59, field(11, field(11, 1) + field(31, 2))))
event(1000, 'early')
write(field(8, 1500) + field(60, field(1, 2) + field(2, 'count') + field(5, 1) + field(8, field(5, 1))))
event(2000, 'later')
event(3000, 'last')
EOF
}

@test "an event that a reader refuses for want of a counter is refused in the merged trace too" {
    cd "$BATS_TEST_TMPDIR"
    early >a.pftrace
    tm-merge -o m.pftrace a.pftrace
    for f in a m; do
        tm-merge -o $f.db $f.pftrace
        sqlite3 $f.db "SELECT 'slice', ts, name FROM slice UNION ALL SELECT 'value', ts, value FROM counter" >$f.txt
    done
    [ "$(grep -c slice a.txt)" -eq 2 ]
    cmp a.txt m.txt
}

# Writes packets and their merged trace. The databases of both must be equal in what QUERY asks; it is in a.txt.
same_twice() { # QUERY
    cd "$BATS_TEST_TMPDIR"
    python3 "$TM_SRC/t/gen/make-packets.py" >a.pftrace
    tm-merge -q -o m.pftrace a.pftrace
    for f in a m; do
        tm-merge -q -o $f.db $f.pftrace
        sqlite3 $f.db "$1" >$f.txt
    done
    cat a.txt
    diff a.txt m.txt
}

@test "a thread's descriptor before the state of its sequence is valid does not place events on the thread" {
    same_twice "SELECT s.name, th.tid FROM slice s LEFT JOIN thread_track t ON t.id = s.track_id
                LEFT JOIN thread th USING (utid) ORDER BY ts" <<'END'
1 { 10: 1 60 { 1: 12 4 { 1: 100 2: 101 } } }
1 { 10: 1 13: 1 }
1 { 8: 1000 10: 1 11 { 9: 1 23: "nowhere" } }
1 { 8: 1010 10: 1 11 { 9: 1 11: 12 23: "thread" } }
END
    [ "$(cat a.txt)" = $'nowhere|\nthread|101' ]
    same_twice "SELECT name, value FROM stats WHERE name LIKE 'thread_descriptor_%' AND value UNION ALL
                SELECT s.name, th.tid FROM slice s LEFT JOIN thread_track t ON t.id = s.track_id
                LEFT JOIN thread th USING (utid)" <<'END'
1 { 10: 1 44 { 1: 100 2: 101 5: "skipped" } }
1 { 8: 1000 10: 1 11 { 9: 1 23: "nowhere" } }
1 { 10: 2 42: 1 98: 5 44 { 1: 100 2: 102 } }
1 { 10: 2 98: 5 44 { 1: 100 2: 102 } }
END
    [ "$(cat a.txt)" = $'thread_descriptor_skipped_incremental_state_invalid|1\nthread_descriptor_skipped_incremental_state_invalid|2\nnowhere|' ]
}

@test "of the threads that a sequence states, the last before its state is cleared has the events, as in the importer" {
    cd "$BATS_TEST_TMPDIR"
    python3 "$TM_SRC/t/gen/make-packets.py" >a.pftrace <<'END'
1 { 10: 1 13: 1 44 { 1: 100 2: 101 } }
1 { 8: 1000 10: 1 13: 2 11 { 9: 3 23: "a" } }
1 { 10: 1 59 { 58: 3 } 13: 2 }
1 { 8: 1010 10: 1 13: 2 58: 6 11 { 9: 3 23: "b" } }
1 { 8: 1015 10: 1 13: 2 58: 6 44 { 1: 100 2: 103 } }
1 { 10: 1 59 { 58: 2 } 13: 2 }
1 { 10: 1 13: 2 60 { 1: 12 4 { 1: 100 2: 102 } } }
1 { 8: 1020 10: 1 13: 2 58: 6 11 { 9: 3 23: "c" } }
1 { 10: 1 13: 1 }
1 { 8: 1030 10: 1 13: 2 11 { 9: 3 23: "d" } }
1 { 10: 1 13: 1 44 { 1: 100 2: 101 } }
1 { 8: 1040 10: 1 13: 2 11 { 9: 3 23: "e" } }
1 { 10: 1 13: 1 }
1 { 8: 9000 10: 1 13: 2 60 { 1: 12 4 { 1: 100 2: 102 } } }
1 { 8: 1050 10: 1 13: 2 11 { 9: 3 23: "f" } }
END
    tm-merge -q -o m.pftrace a.pftrace
    tm-merge -q -o m.db m.pftrace
    run sqlite3 m.db "SELECT s.name, tid FROM slice s JOIN thread_track t ON t.id = s.track_id JOIN thread USING (utid)
                      ORDER BY ts"
    echo "$output"
    [ "$output" = $'a|102\nb|102\nc|102\nd|102\ne|101\nf|102' ]
}

@test "thread times and instruction counts that are differences stay those of the order in the file" {
    same_twice "SELECT name, thread_ts, thread_instruction_count FROM slice ORDER BY ts" <<'END'
1 { 10: 1 13: 1 }
1 { 10: 1 44 { 1: 100 2: 101 7: 1000 8: 70 } }
1 { 8: 2000 10: 1 11 { 9: 1 23: "late" 2: 5 8: 3 } }
1 { 8: 1000 10: 1 11 { 9: 1 23: "early" 2: 5 8: 3 } }
1 { 10: 1 60 { 1: 11 4 { 1: 100 2: 100 } } }
END
    [ "$(cat a.txt)" = $'early|1010000|76\nlate|1005000|73' ]
}

@test "extra counter values of an event that is refused are those of the counter's unit" {
    same_twice "SELECT ts, value FROM counter ORDER BY ts" <<'END'
1 { 60 { 1: 20 2: "c" 8 { 4: 10 } } }
1 { 10: 1 60 { 1: 12 4 { 1: 100 2: 102 } } }
1 { 10: 1 13: 1 }
1 { 8: 1000 10: 1 13: 2 11 { 11: 12 23: "no id" 6 { 2: 98 } 45: 20 46: 1.5 } }
1 { 8: 2000 10: 1 13: 2 11 { 11: 12 9: 5 23: "a state" 31: 20 12: 4 } }
END
    [ "$(cat a.txt)" = $'1000|15.0\n2000|40.0' ]
}

@test "legacy slices and instants of threads are refused outside of a thread" {
    same_twice "SELECT name FROM slice ORDER BY ts" <<'END'
1 { 60 { 1: 10 3 { 1: 100 } } }
1 { 60 { 1: 12 4 { 1: 100 2: 101 } } }
1 { 10: 1 13: 1 }
1 { 8: 1000 10: 1 11 { 23: "begin" 6 { 2: 66 } } }
1 { 8: 1010 10: 1 11 { 11: 10 23: "complete" 6 { 2: 88 3: 1 } } }
1 { 8: 1020 10: 1 11 { 23: "instant" 6 { 2: 73 } } }
1 { 8: 1030 10: 1 11 { 23: "of a process" 6 { 2: 73 14: 2 } } }
1 { 8: 1040 10: 1 11 { 23: "global" 6 { 2: 73 14: 1 } } }
1 { 8: 1050 10: 1 11 { 11: 10 23: "in a process" 6 { 2: 73 14: 2 } } }
1 { 8: 1060 10: 1 11 { 11: 12 23: "in a thread" 6 { 2: 66 } } }
END
    [ "$(cat a.txt)" = $'global\nin a process\nin a thread' ]
    [ "$(sqlite3 a.db "SELECT sum(value) FROM stats WHERE name = 'track_event_parser_errors'")" = 4 ]
    # Tracks that are described later, or never.
    same_twice "SELECT s.name FROM slice s ORDER BY ts" <<'END'
1 { 10: 1 13: 1 }
1 { 8: 1000 10: 1 11 { 11: 10 23: "in a process" 6 { 2: 88 3: 1 } } }
1 { 8: 1010 10: 1 11 { 11: 11 23: "global" 6 { 2: 66 } } }
1 { 8: 1020 10: 1 11 { 11: 11 6 { 2: 69 } } }
1 { 8: 1030 10: 1 11 { 11: 13 23: "instant" 6 { 2: 73 } } }
1 { 8: 1040 10: 1 11 { 11: 13 23: "global instant" 6 { 2: 73 14: 1 } } }
1 { 8: 1050 10: 1 11 { 11: 12 23: "thread" 6 { 2: 88 3: 1 } } }
1 { 8: 1060 10: 1 11 { 11: 12 23: "instant of a thread" 6 { 2: 105 } } }
1 { 8: 1060 60 { 1: 10 3 { 1: 100 } } }
1 { 8: 1060 60 { 1: 11 2: "track" } }
1 { 8: 1060 60 { 1: 12 4 { 1: 100 2: 101 } } }
END
    [ "$(cat a.txt)" = $'global instant\nthread\ninstant of a thread' ]
    [ "$(sqlite3 a.db "SELECT value FROM stats WHERE name = 'track_event_parser_errors'")" = 4 ]
    [ "$(sqlite3 a.db "SELECT count(*) FROM args")" = "$(sqlite3 a.db "SELECT count(*) FROM args WHERE key != 'legacy_event.phase'")" ]
}

@test "args of track events can be left out if their packets are kept" {
    cd "$BATS_TEST_TMPDIR"
    annotated >a.pftrace
    for option in "" --no-packet-args; do
        tm-unpack $option a.pftrace >u$option
        tm-manifest <u$option | tm-clocks | tm-sort | tm-emit -q -o m$option.pftrace
        tm-manifest <u$option | tm-clocks | tm-sort | tm-emit -f report | grep track_event_parser_errors >stat$option
    done
    [ "$(wc -c <u--no-packet-args)" -lt "$(wc -c <u)" ]
    cmp m.pftrace m--no-packet-args.pftrace
    cat stat
    [ -s stat ]
    cmp stat stat--no-packet-args
    tm-unpack --raw none --no-packet-args a.pftrace | tm-emit -f frames | grep -q 'debug\.text'
    tm-merge -o m.db m.pftrace
    run sqlite3 m.db "SELECT count(*) FROM slice JOIN args USING (arg_set_id) WHERE key = 'debug.json.a[1].b'"
    [ "$output" = 40 ]
}

@test "markers of one name that cross are on a lane below their own track" {
    cd "$BATS_TEST_TMPDIR"
    cat >crossing.json <<'END'
{"meta": {"version": 29, "preprocessedProfileVersion": 48, "startTime": 0, "interval": 1,
  "categories": [{"name": "Other"}]}, "libs": [],
 "threads": [{"name": "T", "tid": 7, "pid": 7, "stringArray": ["m", "n"],
  "samples": {"stack": [], "time": [], "length": 0}, "stackTable": {"prefix": [], "frame": [], "length": 0},
  "frameTable": {"func": [], "length": 0}, "funcTable": {"name": [], "length": 0},
  "markers": {"name": [0, 0, 1, 1, 1], "startTime": [10, 12, 13, 20, 22], "endTime": [13, 14, 16, 23, 24],
   "phase": [1, 1, 1, 1, 1], "category": [0, 0, 0, 0, 0], "data": [null, null, null, null, null], "length": 5}}]}
END
    tm-merge -q -o crossing.pftrace crossing.json
    tm-merge -q -o crossing.db crossing.pftrace
    got=$(sqlite3 crossing.db "SELECT s.name, s.ts / 1000000, t.name, p.name FROM slice s JOIN track t ON t.id = s.track_id
        LEFT JOIN track p ON p.id = t.parent_id ORDER BY s.ts")
    [ "$got" = "m|10|m|
m|12|crossing.json|m
n|13|n|
n|20|n|
n|22|crossing.json|n" ]
}

# Makes t.tar of two recordings of one machine, each of a packet with FIRST or SECOND, then a slice that names no track:
# a from 2 to 4 us in one, b from 3 to 9 us in the other.
two_recordings() { # FIRST SECOND
    { echo "1 { 10: 4 13: 1 $1 }"
      echo '1 { 8: 2000 10: 4 11 { 9: 1 23: "a" } }' '1 { 8: 4000 10: 4 11 { 9: 2 } }'; } |
        python3 "$TM_SRC/t/gen/make-packets.py" >a.pftrace
    { echo "1 { 10: 4 13: 1 $2 }"
      echo '1 { 8: 3000 10: 4 11 { 9: 1 23: "b" } }' '1 { 8: 9000 10: 4 11 { 9: 2 } }'; } |
        python3 "$TM_SRC/t/gen/make-packets.py" >b.pftrace
    tar -cf t.tar a.pftrace b.pftrace
}

# Prints the slices of $1, with their threads.
slices_of() { # INPUT
    tm-merge -q -o "$1.db" "$1"
    sqlite3 "$1.db" "SELECT s.name, dur, depth, tid FROM slice s LEFT JOIN thread_track t ON t.id = track_id
        LEFT JOIN thread USING (utid) ORDER BY ts"
}

@test "events that name no track do not nest in those of another recording of the machine" {
    cd "$BATS_TEST_TMPDIR"
    local legacy='44 { 1: 7 2: 8 }' modern='60 { 1: 5 4 { 1: 7 2: 8 } }' case first second tid expected
    for case in '||' "$legacy|$legacy|8" "$modern|$modern|8" "$legacy|$modern|8" "$modern|$legacy|8"; do
        IFS='|' read -r first second tid <<<"$case"
        two_recordings "$first" "$second"
        expected="a|2000|0|$tid
b|6000|0|$tid"
        run slices_of t.tar
        [ "$output" = "$expected" ]
        tm-merge -o m.pftrace t.tar
        run slices_of m.pftrace
        echo "$case: $output"
        [ "$output" = "$expected" ]
    done
}

@test "slices of a thread that Chrome JSON and a proto have do not nest in each other, whichever comes first" {
    cd "$BATS_TEST_TMPDIR"
    local case descriptor order name
    echo '[{"name":"b","ph":"B","ts":3,"pid":7,"tid":8},{"ph":"E","ts":9,"pid":7,"tid":8}]' >j.json
    echo '[{"ph":"M","name":"thread_name","pid":7,"tid":8,"args":{"name":"n"}},
        {"name":"b","ph":"B","ts":3,"pid":7,"tid":8},{"ph":"E","ts":9,"pid":7,"tid":8}]' >n.json
    for descriptor in '44 { 1: 7 2: 8 }' '60 { 1: 5 4 { 1: 7 2: 8 } }'; do
        two_recordings "$descriptor" ''
        for order in "a.pftrace j.json" "j.json a.pftrace" "a.pftrace n.json" "n.json a.pftrace"; do
            tar -cf t.tar $order
            for case in t.tar m.pftrace; do
                [ "$case" = t.tar ] || tm-merge -q -o m.pftrace t.tar
                run slices_of "$case"
                echo "$descriptor, $order, $case: $output"
                [ "$output" = $'a|2000|0|8\nb|6000|0|8' ]
            done
        done
    done
}

@test "counters of Chrome JSON are below the process that a proto describes, apart from its counters of that name" {
    cd "$BATS_TEST_TMPDIR"
    python3 "$TM_SRC/t/gen/make-packets.py" >p.pftrace <<-'END'
	1 { 10: 4 13: 1 60 { 1: 5 3 { 1: 7 6: "app" } } }
	1 { 10: 4 60 { 1: 6 5: 5 2: "c v" 8 { } } }
	1 { 8: 1000 10: 4 11 { 9: 4 11: 6 30: 5 } }
	1 { 8: 3000 10: 4 11 { 9: 4 11: 6 30: 6 } }
	END
    echo '[{"ph":"C","name":"c","ts":2,"pid":7,"args":{"v":1}},{"ph":"C","name":"c","ts":4,"pid":7,"args":{"v":2}}]' >j.json
    local order query="SELECT t.name, p.name, (SELECT group_concat(value) FROM counter WHERE track_id = t.id) v
        FROM process_counter_track t JOIN process p USING (upid) ORDER BY v; SELECT name FROM track WHERE name = 'j.json'"
    for order in "p.pftrace j.json" "j.json p.pftrace"; do
        tar -cf t.tar $order
        tm-merge -q -o m.pftrace t.tar
        tm-merge -q -o m.db m.pftrace
        run sqlite3 m.db "$query"
        echo "$output"
        [ "$output" = $'c v|app|1.0,2.0\nc v|app|5.0,6.0' ]
        [ ! -x "${TRACE_PROCESSOR:-}" ] || [ "$("$TRACE_PROCESSOR" -Q "$query" m.pftrace 2>err | tr -d '"\r' | tail -n +2 |
            grep -v '^name$' | grep .)" = $'c v,app,1.0,2.0\nc v,app,5.0,6.0' ]
    done
}

@test "events that name no track are on the thread that their sequence had at that place of the recording" {
    cd "$BATS_TEST_TMPDIR"
    # Thread 8, an instant on it, cleared state, an instant; thread 9, an instant on it. The same sequence of another
    # machine has no thread.
    python3 "$TM_SRC/t/gen/make-packets.py" >t.pftrace <<-'END'
	1 { 10: 4 13: 1 60 { 1: 5 4 { 1: 7 2: 8 } } }
	1 { 8: 3000 10: 4 11 { 9: 3 23: "a" } }
	1 { 8: 5000 10: 4 13: 1 11 { 9: 3 23: "b" } }
	1 { 10: 4 13: 1 60 { 1: 6 4 { 1: 7 2: 9 } } }
	1 { 8: 7000 10: 4 11 { 9: 3 23: "c" } }
	1 { 8: 8000 10: 4 13: 1 98: 77 11 { 9: 3 23: "d" } }
	END
    tm-merge -o m.pftrace t.pftrace
    for input in t.pftrace m.pftrace; do
        run slices_of "$input"
        echo "$input: $output"
        [ "$output" = "a|0|0|8
b|0|0|8
c|0|0|9
d|0|0|" ]
    done
}

@test "the default track of a second file has the name that its file gives it" {
    cd "$BATS_TEST_TMPDIR"
    # The first file describes its default track in the last case, after the second file has.
    event() { printf '1 { 8: %s 10: 4 13: 1 11 { 9: 3 23: "%s" } }\n' "$2" "$1"; }
    for case in "" 'second' 'both'; do
        { event a 1000; [ "$case" != both ] || echo '1 { 8: 9000 60 { 1: 0 2: "first" } }'; } |
            python3 "$TM_SRC/t/gen/make-packets.py" >a.pftrace
        { event b 900; [ -z "$case" ] || echo '1 { 8: 5000 60 { 1: 0 2: "root" 19: 1 } }'; } |
            python3 "$TM_SRC/t/gen/make-packets.py" >b.pftrace
        tm-merge -q -o m.pftrace a.pftrace b.pftrace
        tm-merge -q -o m.db m.pftrace
        sqlite3 m.db "SELECT s.name, t.name FROM slice s JOIN track t ON t.id = s.track_id ORDER BY 1" >>names
        python3 "$TM_SRC/t/check/list-packets.py" -f 60.1 -f 60.15 -f 60.17 m.pftrace |
            sed -n 's/.* 60.1=\([1-9][0-9]*\) 60.15=3 60.17=\1$/by its own key/p' >>merging
    done
    diff names - <<'END'
a|Default Track
b|Default Track
a|Default Track
b|root
a|first
b|root
END
    # Viewers draw tracks of one name and one parent as one, unless they have different keys.
    [ "$(grep -c 'by its own key' merging)" = 3 ]
}

@test "a thread that its sequence states after the first events is theirs, up to the next clearing of state" {
    cd "$BATS_TEST_TMPDIR"
    # Sequence 4 has events, other defaults, and then its thread; sequence 5 states none before its state is cleared.
    # 11: 0 names the default track.
    python3 "$TM_SRC/t/gen/make-packets.py" >t.pftrace <<-'END'
	1 { 8: 1000 10: 4 13: 1 11 { 9: 1 23: "a" } }
	1 { 8: 1500 10: 4 13: 2 11 { 9: 3 11: 0 23: "default" } }
	1 { 8: 2000 10: 4 59 { 58: 6 } 13: 2 11 { 9: 3 23: "b" } }
	1 { 8: 2500 10: 5 13: 1 11 { 9: 3 23: "none" } }
	1 { 8: 3000 10: 4 44 { 1: 7 2: 8 } }
	1 { 8: 4000 10: 4 13: 2 11 { 9: 2 } }
	1 { 8: 5000 10: 5 13: 1 44 { 1: 7 2: 9 } }
	1 { 8: 6000 10: 5 13: 2 11 { 9: 3 23: "c" } }
	END
    local query="SELECT s.name, s.ts, s.dur, s.depth, th.tid FROM slice s JOIN track t ON t.id = s.track_id
        LEFT JOIN thread_track tt ON tt.id = t.id LEFT JOIN thread th USING (utid) ORDER BY s.ts"
    tm-merge -o m.pftrace t.pftrace
    for input in t.pftrace m.pftrace; do
        tm-merge -q -o m.db $input
        [ "$(sqlite3 m.db "$query")" = "a|1000|3000|0|8
default|1500|0|0|
b|2000|0|1|8
none|2500|0|0|
c|6000|0|0|9" ]
        [ ! -x "${TRACE_PROCESSOR:-}" ] ||
            diff <(sqlite3 -csv -nullvalue '[NULL]' m.db "$query" | tr -d '"\r') \
                <("$TRACE_PROCESSOR" -Q "$query" $input 2>err | tail -n +2 | tr -d '"')
    done
}

@test "legacy events before the thread of their sequence are on it, and without one they stay packets that are counted" {
    cd "$BATS_TEST_TMPDIR"
    # 6: the phase (B E X i I R), a duration, a scope. Sequence 5 states no thread before its state is cleared.
    python3 "$TM_SRC/t/gen/make-packets.py" >t.pftrace <<-'END'
	1 { 8: 1000 10: 4 13: 1 11 { 23: "a" 6 { 2: 66 } } }
	1 { 8: 1100 10: 4 13: 2 11 { 23: "i" 6 { 2: 105 } } }
	1 { 8: 1200 10: 4 13: 2 11 { 23: "I" 6 { 2: 73 14: 3 } } }
	1 { 8: 1300 10: 4 13: 2 11 { 23: "R" 6 { 2: 82 } } }
	1 { 8: 1400 10: 4 59 { 58: 6 } 13: 2 11 { 23: "X" 4 { 10: "n" 4: 5 } 6 { 2: 88 3: 2 } } }
	1 { 8: 2500 10: 5 13: 1 11 { 23: "none" 6 { 2: 66 } } }
	1 { 8: 2600 10: 5 13: 2 11 { 6 { 2: 69 } } }
	1 { 8: 4000 10: 4 13: 2 11 { 23: "a" 6 { 2: 69 } } }
	1 { 8: 4500 10: 4 44 { 1: 7 2: 8 } }
	1 { 8: 5000 10: 5 13: 1 44 { 1: 7 2: 9 } }
	1 { 8: 6000 10: 5 13: 2 11 { 23: "c" 6 { 2: 105 } } }
	END
    local query="SELECT s.name, s.ts, s.dur, s.depth, th.tid, (SELECT a.display_value FROM args a WHERE
        a.arg_set_id = s.arg_set_id AND a.key = 'debug.n') n FROM slice s JOIN track t ON t.id = s.track_id
        LEFT JOIN thread_track tt ON tt.id = t.id LEFT JOIN thread th USING (utid) ORDER BY s.ts"
    tm-merge -o m.pftrace t.pftrace
    for input in t.pftrace m.pftrace; do
        tm-merge -q -o m.db $input
        [ "$(sqlite3 m.db "$query")" = "a|1000|3000|0|8|
i|1100|0|1|8|
I|1200|0|1|8|
R|1300|0|1|8|
X|1400|2000|1|8|5
c|6000|0|0|9|" ]
        [ "$(sqlite3 m.db "SELECT sum(value) FROM stats WHERE name = 'track_event_parser_errors'")" = 2 ]
        [ ! -x "${TRACE_PROCESSOR:-}" ] ||
            diff <(sqlite3 -csv -nullvalue '[NULL]' m.db "$query" | tr -d '"\r') \
                <("$TRACE_PROCESSOR" -Q "$query" $input 2>err | tail -n +2 | tr -d '"')
    done
    tm-merge -f jsonl t.pftrace >rows
    [ "$(grep -c '"name":"none"' rows)" = 0 ]
    [ "$(grep -c '"name":"X".*"tid":8' rows)" = 1 ]
}

@test "a value before the descriptor of its counter, which readers refuse, is refused in the merged trace too" {
    cd "$BATS_TEST_TMPDIR"
    # Track 5 is described after its first value; the instant has an extra value of it (31: track, 12: value).
    python3 "$TM_SRC/t/gen/make-packets.py" >t.pftrace <<-'END'
	1 { 10: 4 13: 1 41: 1 }
	1 { 8: 1000 10: 4 13: 2 11 { 9: 4 11: 5 30: 6 } }
	1 { 8: 1500 10: 4 13: 2 11 { 9: 3 23: "i" 31: 5 12: 7 } }
	1 { 8: 2000 10: 4 60 { 1: 5 2: "count" 8 { } } }
	1 { 8: 3000 10: 4 13: 2 11 { 9: 4 11: 5 30: 8 } }
	END
    tm-merge -o m.pftrace t.pftrace
    for input in t.pftrace m.pftrace; do
        tm-merge -q -o m.db $input
        [ "$(sqlite3 m.db "SELECT ts, value FROM counter")" = "3000|8.0" ]
        [ "$(sqlite3 m.db "SELECT count(*) FROM slice")" = 0 ]
        [ "$(sqlite3 m.db "SELECT name, value FROM stats WHERE name GLOB 'track_event_*counter*'")" = \
            'track_event_counter_invalid_track_uuid|1
track_event_extra_counter_invalid_track|1' ]
    done
}

@test "a refused value stays refused in the merged trace if the descriptor comes before it there" {
    cd "$BATS_TEST_TMPDIR"
    # The first value is the latest one. The descriptor has no time. Track 6 is no counter before it is said to be one.
    python3 "$TM_SRC/t/gen/make-packets.py" >t.pftrace <<-'END'
	1 { 10: 4 13: 1 41: 1 }
	1 { 8: 3000 10: 4 13: 2 11 { 9: 4 11: 5 30: 6 } }
	1 { 8: 3100 10: 4 13: 2 11 { 9: 3 23: "i" 31: 5 12: 7 } }
	1 { 10: 4 60 { 1: 5 2: "count" 8 { } } }
	1 { 8: 1000 10: 4 13: 2 11 { 9: 4 11: 5 30: 8 } }
	1 { 10: 4 60 { 1: 6 2: "plain" } }
	1 { 10: 4 60 { 1: 6 2: "plain" 8 { } } }
	1 { 8: 1100 10: 4 13: 2 11 { 9: 4 11: 6 30: 8 } }
	END
    tm-merge -o m.pftrace t.pftrace
    for input in t.pftrace m.pftrace; do
        tm-merge -q -o m.db $input
        [ "$(sqlite3 m.db "SELECT ts, value FROM counter")" = '1000|8.0' ]
        [ "$(sqlite3 m.db "SELECT count(*) FROM slice")" = 0 ]
        [ "$(sqlite3 m.db "SELECT name, value FROM stats WHERE name GLOB 'track_*' ORDER BY name")" = \
            'track_descriptor_conflicting_reservation|1
track_event_counter_invalid_track_uuid|2
track_event_extra_counter_invalid_track|1' ]
    done
}

@test "flow events of a thread beside sequences whose thread's track is another file's stay on their thread" {
    cd "$BATS_TEST_TMPDIR"
    # Both files have thread 8. Thread 9 has the slices and the flow (6 { 2: s or f }) of the second file.
    python3 "$TM_SRC/t/gen/make-packets.py" >a.pftrace <<-'END'
	1 { 10: 1 13: 1 44 { 1: 7 2: 8 } }
	1 { 8: 1000 10: 1 13: 2 11 { 9: 3 23: "a" } }
	END
    python3 "$TM_SRC/t/gen/make-packets.py" >b.pftrace <<-'END'
	1 { 10: 1 13: 1 44 { 1: 7 2: 8 } }
	1 { 10: 2 13: 1 44 { 1: 7 2: 9 } }
	1 { 8: 1000 10: 1 13: 2 11 { 9: 3 23: "b" } }
	1 { 8: 2000 10: 2 13: 2 11 { 9: 1 23: "from" } }
	1 { 8: 2001 10: 2 13: 2 11 { 22: "c" 23: "flow" 6 { 2: 115 6: 5 } } }
	1 { 8: 2002 10: 2 13: 2 11 { 9: 1 23: "to" } }
	1 { 8: 2003 10: 2 13: 2 11 { 22: "c" 23: "flow" 6 { 2: 102 6: 5 12: 1 } } }
	END
    tm-merge -q -o m.pftrace a.pftrace b.pftrace
    tm-merge -o m.db m.pftrace
    [ "$(sqlite3 m.db "SELECT a.name, b.name, th.tid FROM flow f JOIN slice a ON a.id = f.slice_out JOIN slice b ON b.id = f.slice_in
        JOIN thread_track t ON t.id = b.track_id JOIN thread th USING (utid)")" = "from|to|9" ]
}

@test "names of threads beyond the limit of a merged trace are counted by file" {
    cd "$BATS_TEST_TMPDIR"
    { printf '['
      yes '{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"t"}},' | head -n 1048578
      printf '{"ph":"X","name":"a","ts":1,"dur":1,"pid":1,"tid":2}]'; } >names.json
    printf '%s\n' '# tracer: nop' \
        '  <idle>-0 [000] d..1 0.000001: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=5 next_prio=120' >other.txt
    tm-merge -o m.pftrace names.json other.txt 2>err
    grep -q '^tm-emit: warning: names.json: 2 names of tasks are beyond the limit of pftrace (tm-limits), and are left out$' err
    tm-merge -f report m.pftrace | grep -q 'left_out.surplus_names = 2'
}

@test "a merged trace with more threads than 2^19 can be merged again" {
    cd "$BATS_TEST_TMPDIR"
    { printf '['
      seq 2 530001 | sed 's/.*/{"ph":"X","name":"a","ts":&,"dur":1,"pid":1,"tid":&},/'
      printf '{"ph":"X","name":"a","ts":1,"dur":1,"pid":1,"tid":1}]'; } >threads.json
    tm-merge -q -o m.pftrace threads.json
    tm-merge -q -f report m.pftrace | grep '1060002 events read, 1060002 placed, 0 dropped' # descriptors are events
}

# packets FILE: makes FILE of the packets on standard input, each a line.
packets() {
    sed 's/.*/1 { & }/' | python3 "$TM_SRC/t/gen/make-packets.py" >"$1"
}

@test "slices of a second proto on a thread are on a track that its file names, and that is not merged with others" {
    cd "$BATS_TEST_TMPDIR"
    for n in 1 2; do
        packets $n.pftrace <<END
8: ${n}000 10: 1 13: 1 60 { 1: ${n}1 4 { 1: 10 2: 11 5: "T" } }
8: ${n}100 10: 1 13: 2 11 { 9: 1 11: ${n}1 23: "slice of $n" }
8: ${n}200 10: 1 13: 2 11 { 9: 2 11: ${n}1 }
END
    done
    tar cf run.tar 1.pftrace 2.pftrace
    tm-merge -o merged.pftrace run.tar
    tm-merge -o merged.db merged.pftrace
    got=$(sqlite3 merged.db "SELECT s.name, k.name, k.type, t.tid FROM slice s JOIN thread_track k ON s.track_id = k.id
        JOIN thread t USING (utid) ORDER BY s.ts")
    [ "$got" = 'slice of 1||thread_execution|11
slice of 2|2.pftrace|thread_track_event|11' ] || { echo "$got"; false; }
}

@test "the track of a second file of a process states how its children are ordered, as the file does" {
    cd "$BATS_TEST_TMPDIR"
    for n in 1 2; do
        packets $n.pftrace <<END
8: ${n}000 10: 1 13: 1 60 { 1: ${n}1 11: $n 12: 9 14: "what $n is" 3 { 1: 10 6: "P" } }
8: ${n}100 10: 1 13: 2 11 { 9: 3 11: ${n}1 23: "instant of $n" }
END
    done
    tar cf run.tar 1.pftrace 2.pftrace
    tm-merge -o merged.pftrace run.tar
    tm-merge -o merged.db merged.pftrace
    sqlite3 merged.db "SELECT s.name, k.name, a.key, a.display_value FROM slice s JOIN track k ON s.track_id = k.id
        JOIN args a ON a.arg_set_id = k.source_arg_set_id WHERE a.key IN ('child_ordering', 'description',
        'sibling_order_rank') ORDER BY s.ts, a.key" >got
    diff got - <<'END'
instant of 1||child_ordering|lexicographic
instant of 1||description|what 1 is
instant of 1||sibling_order_rank|9
instant of 2|2.pftrace|child_ordering|chronological
instant of 2|2.pftrace|description|what 2 is
END
}

@test "readers merge named tracks of a second proto that have no parent with those of its own name alone" {
    cd "$BATS_TEST_TMPDIR"
    for n in 1 2 3; do
        packets $n.pftrace <<END
8: ${n}000 10: 1 13: 1 60 { 1: 11 }
8: ${n}000 10: 1 60 { 1: 11 2: "A" 15: 1 }
8: ${n}000 10: 1 60 { 1: 12 2: "A" }
8: ${n}000 10: 1 60 { 1: 13 2: "B" }
8: ${n}000 10: 1 60 { 1: 14 2: "none" 15: 2 }
8: ${n}000 10: 1 60 { 1: 15 2: "own" 15: 3 16: "key" }
8: ${n}000 10: 1 60 { 1: 16 5: 13 2: "below" }
8: ${n}100 10: 1 13: 2 11 { 9: 1 11: 11 23: "slice of $n" }
8: ${n}150 10: 1 13: 2 11 { 9: 3 11: 13 23: "instant of $n" }
END
    done
    keys() { # FILE: name, behavior and key of each descriptor of this file
        python3 "$TM_SRC/t/check/list-packets.py" -f 60.2 -f 60.15 -f 60.16 -f 60.17 merged.pftrace | grep -E "^${1}000 .* 60( |$)" |
            cut -d' ' -f7-
    }
    tm-merge -q -o merged.pftrace 1.pftrace 2.pftrace 3.pftrace
    keys 1 | sort >first
    printf '%s\n' '' '60.2=A' '60.2=A 60.15=1' '60.2=B' '60.2=below' '60.2=none 60.15=2' \
        '60.2=own 60.15=3 60.16=key' | diff first -
    for n in 2 3; do
        keys $n | sed 's/60.17=.*/60.17/' | sort >later
        printf '%s\n' '60.15=3 60.17' '60.2=A 60.15=3 60.17' '60.2=A 60.15=3 60.17' '60.2=B 60.15=3 60.17' '60.2=below' \
            '60.2=none 60.15=2' '60.2=own 60.15=3 60.16=key' | diff later -
    done
    # One for each file and name.
    [ "$({ keys 2; keys 3; } | grep -o '60.17=.*' | sort | uniq -c | awk '{ print $1 }' | sort | paste -sd' ')" = "1 1 3 3" ]
}

@test "the track of a second file of a process has the name that its file states, and the first file's track has not" {
    cd "$BATS_TEST_TMPDIR"
    packets 1.pftrace <<'END'
8: 1000 10: 1 13: 1 60 { 1: 11 3 { 1: 10 6: "P" } }
8: 1100 10: 1 13: 2 11 { 9: 3 11: 11 23: "instant of 1" }
8: 4100 10: 1 13: 2 11 { 9: 3 11: 11 23: "late instant of 1" }
END
    packets 2.pftrace <<'END'
8: 2000 10: 1 13: 1 60 { 1: 21 3 { 1: 10 } }
8: 2000 10: 1 60 { 1: 21 10: "the first name" 3 { 1: 10 6: "P" } }
8: 2000 10: 1 60 { 1: 21 3 { 1: 10 6: "P" } }
8: 2000 10: 1 60 { 1: 21 2: "another name" 3 { 1: 10 6: "P" } }
8: 2100 10: 1 13: 2 11 { 9: 3 11: 21 23: "instant of 2" }
END
    packets 3.pftrace <<'END'
8: 3000 10: 1 13: 1 60 { 1: 31 2: "one" 15: 2 3 { 1: 10 } }
8: 3100 10: 1 13: 2 11 { 9: 3 11: 31 23: "instant of 3" }
8: 3200 10: 1 60 { 1: 31 2: "the last name" 15: 2 3 { 1: 10 } }
END
    tar cf run.tar 1.pftrace 2.pftrace 3.pftrace
    tm-merge -o merged.pftrace run.tar
    tm-merge -o merged.db merged.pftrace
    sqlite3 merged.db "SELECT s.name, k.name, p.name FROM slice s JOIN process_track k ON s.track_id = k.id
        JOIN process p USING (upid) ORDER BY s.ts" >got
    diff got - <<'END'
instant of 1||P
instant of 2|the first name|P
instant of 3|the last name|P
late instant of 1||P
END
}

@test "frames of two recordings of a machine end by the ends of their own files, though their cookies are equal" {
    cd "$BATS_TEST_TMPDIR"
    for n in 1 2; do
        packets $n.pftrace <<END
8: ${n}000 10: 1 76 { 1 { 1: 7 2: ${n}5 3: 40 } }
8: ${n}500 10: 1 76 { 2 { 1: 8 2: ${n}5 3: 40 4: 1 } }
8: $((6 - n))000 10: 1 76 { 5 { 1: 7 } }
8: $((8 - n))000 10: 1 76 { 5 { 1: 8 } }
END
    done
    tm-merge -o alone.pftrace 1.pftrace
    tm-merge -o merged.pftrace 1.pftrace 2.pftrace
    tm-merge -o merged.db merged.pftrace
    sqlite3 merged.db "SELECT name, ts, dur FROM slice ORDER BY ts" >got
    diff got - <<'END'
15|1000|4000
15|1500|5500
25|2000|2000
25|2500|3500
END
    python3 "$TM_SRC/t/check/list-packets.py" -f 76.1.1 -f 76.5.1 alone.pftrace | grep -o '76\.[15]\.1=.*' >got
    printf '76.%s\n' 1.1=7 5.1=7 5.1=8 | diff got -
    tar cf run.tar 1.pftrace 2.pftrace
    python3 "$TM_SRC/t/check/lossless" run.tar
}

@test "a thread's descriptor without a time names the thread from its place in the file on" {
    cd "$BATS_TEST_TMPDIR"
    packets a.pftrace <<'END'
8: 1000 60 { 1: 11 4 { 1: 10 2: 11 5: "before" } }
10: 2 13: 1 59 { 58: 6 }
10: 2 13: 2 44 { 1: 10 2: 11 5: "after" }
8: 2000 10: 2 13: 2 11 { 9: 3 23: "i" }
END
    tm-merge -o merged.pftrace a.pftrace
    tm-merge -o merged.db merged.pftrace
    [ "$(sqlite3 merged.db 'SELECT name FROM thread WHERE tid = 11')" = after ]
}

@test "a thread that two protos state for sequences, and one of them for a track too, is one thread" {
    cd "$BATS_TEST_TMPDIR"
    packets a.pftrace <<'END'
10: 2 13: 1 59 { 58: 6 }
8: 1000 10: 2 13: 2 44 { 1: 10 2: 11 }
8: 5000 60 { 1: 11 4 { 1: 10 2: 11 5: "T" } }
8: 5100 10: 1 13: 1 11 { 9: 3 11: 11 23: "a" }
END
    packets b.pftrace <<'END'
10: 1 13: 1 59 { 58: 6 }
10: 1 13: 2 44 { 1: 10 2: 11 }
8: 3000 10: 1 13: 2 11 { 9: 3 23: "b" }
END
    tar cf run.tar a.pftrace b.pftrace
    tm-merge -o merged.pftrace run.tar
    tm-merge -o merged.db merged.pftrace
    got=$(sqlite3 merged.db "SELECT s.name, t.utid FROM slice s JOIN thread_track k ON s.track_id = k.id
        JOIN thread t USING (utid) WHERE t.tid = 11 ORDER BY s.name" | sed "s/|.*/|$(sqlite3 merged.db \
        'SELECT count(*) FROM thread WHERE tid = 11')/")
    [ "$got" = 'a|1
b|1' ] || { echo "$got"; false; }
}

@test "events of a second proto on a thread that it states for a sequence and describes as a track are on one track" {
    cd "$BATS_TEST_TMPDIR"
    packets a.pftrace <<'END'
8: 500 10: 1 13: 1 60 { 1: 5 4 { 1: 10 2: 11 } }
8: 1000 10: 1 13: 2 11 { 9: 3 11: 5 23: "a" }
END
    packets described.pftrace <<'END'
8: 2000 10: 3 60 { 1: 6 4 { 1: 10 2: 11 } }
8: 2100 10: 3 11 { 9: 3 11: 6 23: "of the track" }
END
    packets stated.pftrace <<'END'
10: 4 13: 1 44 { 1: 10 2: 11 }
8: 1500 10: 4 13: 2 11 { 9: 3 23: "early" }
8: 2500 10: 4 13: 2 11 { 9: 3 23: "late" }
END
    cat described.pftrace stated.pftrace >b.pftrace
    cat stated.pftrace described.pftrace >c.pftrace
    for second in b c; do
        tar cf run.tar a.pftrace $second.pftrace
        tm-merge -o merged.pftrace run.tar
        tm-merge -o merged.db merged.pftrace
        run sqlite3 merged.db "SELECT k.name, group_concat(s.name) FROM (SELECT * FROM slice ORDER BY ts) s
            JOIN track k ON k.id = s.track_id GROUP BY k.id ORDER BY min(s.ts)"
        echo "$output"
        [ "$output" = "|a
$second.pftrace|early,of the track,late" ]
    done
}

@test "descriptors of one track are in the order of the file, whatever their times are" {
    cd "$BATS_TEST_TMPDIR"
    # Readers take the first one, whose time is the latest. It puts the slices on thread 8.
    python3 "$TM_SRC/t/gen/make-packets.py" >t.pftrace <<-'END'
	1 { 10: 4 13: 1 41: 1 }
	1 { 10: 4 60 { 1: 1 4 { 1: 7 2: 8 } } }
	1 { 10: 4 60 { 1: 2 4 { 1: 7 2: 9 } } }
	1 { 8: 3000 10: 4 60 { 1: 5 5: 1 2: "first" 15: 2 } }
	1 { 8: 1000 10: 4 60 { 1: 5 5: 2 2: "second" } }
	1 { 8: 2000 10: 4 13: 2 11 { 9: 3 11: 5 23: "i" } }
	1 { 8: 2500 10: 4 13: 2 11 { 9: 3 11: 6 23: "j" } }
	1 { 8: 3500 10: 4 60 { 1: 6 5: 1 2: "later" } }
	1 { 8: 1500 10: 4 60 { 1: 6 5: 2 2: "earlier" } }
	END
    tm-merge -o m.pftrace t.pftrace
    for input in t.pftrace m.pftrace; do
        tm-merge -q -o m.db $input
        [ "$(sqlite3 m.db "SELECT s.name, k.name, tid FROM slice s JOIN track k ON k.id = s.track_id
            JOIN thread USING (utid) ORDER BY s.ts")" = $'i|first|8\nj|later|8' ]
        [ "$(sqlite3 m.db "SELECT value FROM stats WHERE name = 'track_descriptor_conflicting_reservation'")" = 2 ]
    done
}

@test "of several thread descriptors on a sequence the last one of the file counts, whatever their times are" {
    cd "$BATS_TEST_TMPDIR"
    python3 "$TM_SRC/t/gen/make-packets.py" >t.pftrace <<-'END'
	1 { 8: 900 10: 4 13: 1 41: 1 }
	1 { 8: 3000 10: 4 44 { 1: 7 2: 8 } }
	1 { 8: 1000 10: 4 60 { 1: 1 4 { 1: 7 2: 9 } } }
	1 { 8: 4000 10: 4 13: 2 11 { 9: 3 23: "i" } }
	1 { 8: 900 10: 5 13: 1 41: 1 }
	1 { 8: 3000 10: 5 60 { 1: 2 4 { 1: 7 2: 10 } } }
	1 { 8: 1000 10: 5 44 { 1: 7 2: 11 } }
	1 { 8: 4001 10: 5 13: 2 11 { 9: 3 23: "j" } }
	END
    tm-merge -o m.pftrace t.pftrace
    for input in t.pftrace m.pftrace; do
        tm-merge -q -o m.db $input
        [ "$(sqlite3 m.db "SELECT s.name, tid FROM slice s JOIN track k ON k.id = s.track_id
            JOIN thread USING (utid) ORDER BY s.ts")" = $'i|9\nj|11' ]
    done
}

@test "machines of one file with tracks and sequences of the same numbers have descriptors of their own" {
    cd "$BATS_TEST_TMPDIR"
    # Of each track and sequence the host's descriptor comes before the events, machine 7's (98: 7) comes after them.
    python3 "$TM_SRC/t/gen/make-packets.py" >t.pftrace <<-'END'
	1 { 8: 100 6 { 1 { 1: 6 2: 100 } } }
	1 { 98: 7 107 { 1 { 2 { 1 { 1: 6 2: 1 } } 3 { 1 { 1: 6 2: 1 } } } 1 { 2 { 1 { 1: 6 2: 1 } } 3 { 1 { 1: 6 2: 1 } } } } }
	1 { 8: 900 10: 4 13: 1 41: 1 }
	1 { 8: 900 10: 4 13: 1 41: 1 98: 7 }
	1 { 8: 901 10: 4 60 { 1: 5 2: "of the host" 8 { } } }
	1 { 8: 902 10: 4 44 { 1: 7 2: 8 } }
	1 { 8: 2900 10: 4 60 { 1: 5 2: "of machine 7" 8 { } } 98: 7 }
	1 { 8: 3000 10: 4 44 { 1: 7 2: 9 } 98: 7 }
	1 { 8: 1000 10: 4 13: 2 11 { 9: 3 23: "i" 31: 5 12: 3 } 98: 7 }
	1 { 8: 2000 10: 4 13: 2 11 { 9: 3 23: "h" 31: 5 12: 4 } }
	END
    tm-merge -o m.pftrace t.pftrace
    for input in t.pftrace m.pftrace; do
        tm-merge -q -o m.db $input
        [ "$(sqlite3 m.db "SELECT s.name, tid, raw_id FROM slice s JOIN track k ON k.id = s.track_id
            JOIN thread USING (utid) JOIN machine m ON m.id = k.machine_id ORDER BY s.ts")" = $'i|9|7\nh|8|0' ]
        [ "$(sqlite3 m.db "SELECT value, k.name, raw_id FROM counter c JOIN track k ON k.id = c.track_id
            JOIN machine m ON m.id = k.machine_id ORDER BY ts")" = $'3.0|of machine 7|7\n4.0|of the host|0' ]
    done
}

@test "isolates of V8 in several traces contradict each other neither by id nor by memory" {
    isolate() { # FILE [ID START SIZE WIDE BLOB]...: a trace that describes isolates of process 10
        local file=$1 iid=0
        shift
        while [ $# -gt 0 ]; do
            echo "1 { 8: $((1000 + iid)) 10: 7 13: $((iid ? 2 : 3)) 12 { 35 { 1: $((++iid)) 2: 10 3: $1
                4 { 1: $2 2: $3 4: $4 } 5: $5 6: $(($5 ? 16 : 0)) } } 99 { 1: $iid } }" | tr -d '\n'
            echo
            shift 5
        done | python3 "$TM_SRC/t/gen/make-packets.py" >"$file"
    }
    listed() {
        python3 "$TM_SRC/t/check/list-packets.py" $(printf ' -f 12.35.%s' 2 3 4.1 4.2 4.4 5) "$1" | sed -n 's/.* \(12.35.2=.*\)/\1/p' | sed 's/12\.35\.//g'
    }
    cd "$BATS_TEST_TMPDIR"
    isolate a.pb  1 1000 100 1 0  2 1000 100 1 0
    # in turn: the same, another process-wide range, memory of another, another memory with a known id, a known blob
    isolate b.pb  1 1000 100 1 0  2 5000 100 1 0  4 1050 100 0 0  3 7000 100 0 90000  4 1050 100 0 0
    isolate c.pb  9 8000 100 0 90000  2 5000 100 1 0
    tm-merge -q -o m.pftrace a.pb b.pb c.pb
    listed m.pftrace | diff - <(printf '%s\n' '2=10 3=1 4.1=1000 4.2=100 4.4=1 5=0' '2=10 3=2 4.1=1000 4.2=100 4.4=1 5=0' \
        '2=10 3=1 4.1=1000 4.2=100 4.4=1 5=0' '2=10 3=3 4.1=5000 4.2=100 5=0' '2=10 3=4' \
        '2=10 3=5 4.1=7000 4.2=100 4.4=0 5=90000' '2=10 3=4' '2=10 3=9 4.1=8000 4.2=100 4.4=0' \
        '2=10 3=10')
    # one trace stays as it was recorded
    tm-merge -q -o m.pftrace b.pb
    diff <(listed m.pftrace) <(listed b.pb)
}

@test "flows and asynchronous events with the id 0 in several traces stay apart" {
    local name start flow track
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
    for name in a b; do
        start=$([ $name = a ] && echo 1000 || echo 1100)
        # on a thread: flows in three forms; on the process: asynchronous events
        listed_packets "[[(10, 7), (13, 1), (60, message((1, 1), (4, message((1, 10), (2, 10)))))]] + [
            [(8, $start + 200 * i), (10, 7), (11, message((11, 1), (23, '$name %d' % i), *more))] for i, more in enumerate(
                2 * [[(9, 3), (36, 0)]] + 2 * [[(9, 3), (36, bytes(1))]] +
                [[(6, message((2, ord('X')), (3, 10), (8, 0), (13, way)))] for way in (2, 1)] +
                [[(6, message((2, ord('n')), (id, 0)))] for id in (6, 10, 11)])]" >$name.pftrace
    done
    flow="SELECT o.name, i.name FROM flow f JOIN slice o ON o.id = f.slice_out JOIN slice i ON i.id = f.slice_in ORDER BY 1, 2"
    track="SELECT group_concat(name) FROM (SELECT track_id, name FROM slice ORDER BY ts) GROUP BY track_id ORDER BY 1"
    tm-merge -q -o p.db -o m.pftrace a.pftrace b.pftrace
    tm-merge -q -o m.db m.pftrace
    [ "$(sqlite3 p.db "$flow" | wc -l)" -ge 6 ]
    diff <(sqlite3 p.db "$flow") <(sqlite3 m.db "$flow")
    diff <(sqlite3 p.db "$track") <(sqlite3 m.db "$track")
}
