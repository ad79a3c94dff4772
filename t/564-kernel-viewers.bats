#!/usr/bin/env bats
# A viewer shows the same kernel data for merged.pftrace as for the inputs.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR"
    export PYTHONDONTWRITEBYTECODE=1
}

kernel() { # FILE, LINES of t/gen/make-kernel.py
    python3 "$TM_SRC/t/gen/make-kernel.py" >"$1"
}

shown() {
    python3 "$TM_SRC/t/check/kernel-shown" "$@"
}

# same_shown FILE...: the merged trace shows the same as each of the files.
same_shown() {
    tar cf in.tar "$@"
    tm-merge -o m.pftrace in.tar 2>warnings
    diff <(shown "$@") <(shown m.pftrace)
    tm-merge -o n.pftrace m.pftrace 2>again
    [ "$(grep -c 'ftrace event' again)" = 0 ]
    diff <(shown m.pftrace) <(shown n.pftrace)
    if [ -n "${TRACE_PROCESSOR-}" ]; then
        diff <(asked in.tar) <(asked m.pftrace)
    fi
}

# All events in the file, also those that are not shown.
kernel_rows() {
    tm-merge -f jsonl --events "$1" | jq -r 'select(.cpu != null and .ts != null) | "\(.ts) \(.cpu) \(.kind)"'
}

asked() {
    "$TRACE_PROCESSOR" -Q "SELECT ts, dur, ucpu, utid FROM sched ORDER BY 1, 3; SELECT ts, name, ucpu FROM ftrace_event
        ORDER BY 1, 3" "$1" 2>"$1.log"
}

early() { # START: one file
    printf '%s\n' "$1" '1000 0 5 print 2=B|5|a' '1500 0 5 print 2=E|5' 'compact 1 1100:7:seven 1200:8:eight 1700:7:seven' \
        'compact 1 1900:8:eight 2100:7:seven 2300:0:idle' '2000 0 5 print 2=B|5|b' '2500 0 5 print 2=E|5'
}

@test "the start of one file's tracing hides no events of another file" {
    early 'started 900' | kernel a.pftrace
    echo 'started 2200' | kernel b.pftrace
    same_shown a.pftrace b.pftrace
    [ "$(shown m.pftrace | wc -l)" = 9 ]
    [ "$(grep -c 'ftrace event' warnings)" = 0 ]
}

@test "events that a reader hides in their file stay in the merged trace, and stay hidden" {
    early 'started 1400' | kernel a.pftrace
    echo 'started 2200' | kernel b.pftrace
    same_shown a.pftrace b.pftrace
    [ "$(grep -c 'ftrace event' warnings)" = 0 ]
    [ "$(shown m.pftrace | head -n 1)" = '1500 0 3' ]
    diff <(kernel_rows a.pftrace) <(kernel_rows m.pftrace)
}

@test "two files with kernel data are shown each from its own start on, and the events left out are reported" {
    early 'started 1400' | kernel a.pftrace
    early 'started 1800' | sed 's/compact 1/compact 2/; s/ 0 5 / 3 5 /' | kernel b.pftrace
    same_shown a.pftrace b.pftrace
    grep -q '^tm-[a-z]*: .*b.pftrace: 5 ftrace events from before the start of tracing were left out, as in readers of their file$' \
        warnings || { cat warnings; false; }
}

@test "events in the buffer at the start are shown if the data source of their file says so" {
    { echo preserve; early 'started 1400'; } | kernel a.pftrace
    early 'started 1800' | sed 's/compact 1/compact 2/; s/ 0 5 / 3 5 /' | kernel b.pftrace
    same_shown a.pftrace b.pftrace
    grep -q 'b.pftrace: 5 ftrace events' warnings
}

@test "events from before a cpu's buffer was read are only records, in their file" {
    { echo whole 0 1200; echo whole 1 1600; early 'started 900'; echo 'whole 0 2600'; } | kernel a.pftrace
    echo 'started 800' | kernel b.pftrace
    same_shown a.pftrace b.pftrace
    [ "$(shown m.pftrace | grep -c record)" = 3 ]
}

@test "ftrace text has no start, and that of another file does not apply to it" {
    early 'started 1400' | kernel a.pftrace
    printf '%s\n' '# tracer: nop' '  app-100 (  100) [004] ..... 0.000001: tracing_mark_write: B|100|work' \
        '  app-100 (  100) [004] ..... 0.000002: tracing_mark_write: E|100' >t.systrace
    printf '{"perfetto_manifest":{"version":1,"files":[{"path":"a.pftrace"},{"path":"t.systrace",
        "clocks":{"sync_to":{"file":"a.pftrace","clock":"BOOTTIME"}}}]}}' >manifest
    tar cf in.tar manifest a.pftrace t.systrace
    tm-merge -o m.pftrace in.tar 2>warnings
    [ "$(shown m.pftrace | grep -c ' 4 3')" = 2 ]
    diff <(shown a.pftrace) <(shown m.pftrace | grep -v ' 4 3')
}

@test "each machine has its own start" {
    early 'started 1400' | kernel a.pftrace
    early 'started 1800' | kernel b.pftrace
    printf '{"perfetto_manifest":{"version":1,"files":[{"path":"a.pftrace","machine":{"name":"a"}},
        {"path":"b.pftrace","machine":{"name":"b"}}]}}' >manifest
    tar cf in.tar manifest a.pftrace b.pftrace
    tm-merge -o m.pftrace in.tar
    diff <(shown a.pftrace b.pftrace) <(shown m.pftrace)
}

lines_of_text() {
    printf '%s\n' '# tracer: nop' "$@" >t.systrace
    tm-merge -o m.pftrace t.systrace
}

@test "a task's wait in a line of text is stated of its state, with the symbol of the function" {
    lines_of_text '  app-100 (  100) [001] d..2. 1.000001: sched_switch: prev_comm=app prev_pid=100 prev_prio=120 prev_state=D ==> next_comm=r next_pid=7 next_prio=97' \
        '  r-7 (-----) [001] d..2. 1.000002: sched_blocked_reason: pid=100 iowait=1 caller=io_schedule+0x10/0x40' \
        '  r-7 (-----) [001] d..2. 1.000003: sched_blocked_reason: pid=100 iowait=0 caller=do_nanosleep+0x2/0x80' \
        '  r-7 (-----) [001] d..2. 1.000004: workqueue_execute_start: work struct 0x1f: function do_work' \
        '  r-7 (-----) [001] d..2. 1.000005: sched_blocked_reason: pid=x iowait=1 caller=odd' \
        '  r-7 (-----) [001] d..2. 1.000006: sched_blocked_reason: pid=5 iowait=1 caller=io_schedule+0x10/0x40'
    diff - <(shown --fields m.pftrace | grep -a -o -e '.* 18 .*' -e '.* 58 .*' -e '.* 327 1=[a-z_]*') <<'END'
1000002000 1 18 1=100 2=io_schedule+0x10/0x40 3=1
1000003000 1 18 1=100 2=do_nanosleep+0x2/0x80 3=0
1000004000 1 58 1=31 2=do_work
1000005000 1 327 1=sched_blocked_reason
1000006000 1 18 1=5 2=io_schedule+0x10/0x40 3=1
END
}

@test "a marker in an event named 0 is a marker like others" {
    lines_of_text '  app-100 (  100) [001] ..... 1.000037: 0: B|100|zero' '  app-100 (  100) [001] ..... 1.000038: print: E|100'
    [ "$(shown --fields m.pftrace | grep ' 3 ')" = $'1000037000 1 3 2=B|100|zero\n1000038000 1 3 2=E|100' ]
}

@test "the idle thread does not get its name from its lines" {
    lines_of_text '  <idle>-0 (-----) [001] ..... 1.000037: tracing_mark_write: some words' \
        '  app-100 (  100) [001] ..... 1.000038: tracing_mark_write: B|100|x'
    run shown --fields m.pftrace
    [[ "$output" != *idle\>*"1=0 "* ]]
    [[ "$output" != *" 236 1=0"* ]]
}

@test "a task of text ends when the kernel frees it, not when it begins to exit" {
    lines_of_text '  sh-7 (    7) [000] d..2. 1.000010: sched_process_exit: comm=new pid=103 prio=120' \
        '  sh-7 (    7) [000] d..2. 1.000030: sched_process_free: comm=new pid=103 prio=120'
    [ "$(shown --fields m.pftrace | grep -a -o '.* 240 .*')" = '1000030000 0 240 2=103' ]
}

@test "samples without a process belong to the process that another file states, else to their thread's own" {
    printf 'app 101 [000] 2.000000: 10 cycles:\n\tffff f+0x1 (k)\n\nsh 7 [000] 2.000001: 10 cycles:\n\tffff f+0x1 (k)\n\n' >s.perf
    printf '%s\n' 'process 100 app' '1000 0 100 #235 1=101 2=app 3=65536' | kernel k.pftrace
    printf '{"perfetto_manifest":{"version":1,"files":[{"path":"k.pftrace"},{"path":"s.perf",
        "clocks":{"sync_to":{"file":"k.pftrace","clock":"BOOTTIME"}}}]}}' >manifest
    tar cf in.tar manifest k.pftrace s.perf
    tm-merge -o m.pftrace in.tar
    run python3 "$TM_SRC/t/check/kernel-shown" --samples m.pftrace
    [ "$output" = $'2000000000 100/101\n2000001000 7/7' ] || { echo "$output"; false; }
}

# Prints the process trees of m.pftrace: time, tid, process, name.
trees() {
    python3 "$TM_SRC/t/check/kernel-shown" --trees m.pftrace
}

@test "a name on a line names the thread and no process, and a later name of the scheduler replaces it" {
    lines_of_text '  app-100 (  100) [001] ..... 1.000001: tracing_mark_write: B|100|x' \
        '  work-101 (  100) [001] ..... 1.000002: tracing_mark_write: B|100|y' \
        '  new-100 (  100) [001] ..... 1.000003: tracing_mark_write: E|100' \
        '  sh-7 (    7) [000] d..2. 1.000004: sched_switch: prev_comm=sh prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=last next_pid=100 next_prio=120' \
        '  last-100 (  100) [000] d..2. 1.000005: sched_switch: prev_comm=last prev_pid=100 prev_prio=120 prev_state=S ==> next_comm=sh next_pid=7 next_prio=120'
    [ "$(shown --fields m.pftrace | grep ' 236 ')" = '1000002000 1 236 1=101 3=work' ]
    diff - <(trees) <<'END'
1000000999 100 100 app
1000001999 101 100 None
1000003000 100 100 new
1000003999 7 7 None
1000004000 100 100 last
1000005000 100 100 None
END
}

@test "a main thread whose process another line states is named without naming the process" {
    lines_of_text '  work-101 (  100) [001] ..... 1.000002: tracing_mark_write: B|100|y' \
        '  app-100 (-----) [001] ..... 1.000003: tracing_mark_write: some words' \
        '  work-101 (-----) [001] d..2. 1.000004: binder_transaction: transaction=77 dest_node=4 dest_proc=200 dest_thread=0 reply=0 flags=0x10 code=0x3' \
        '  svc-200 (-----) [001] ..... 1.000005: tracing_mark_write: some words'
    [ "$(shown --fields m.pftrace | grep ' 236 ')" = '1000002000 1 236 1=101 3=work' ]
    [ "$(trees)" = $'1000001999 101 100 None\n1000003000 100 100 app\n1000005000 200 200 svc' ]
}

@test "the head of a line holds before its marker, also if the marker names another process" {
    # The scheduler names thread 11 before a line states a process. A marker moves the thread, the next line moves it back.
    lines_of_text '  <idle>-0 (-----) [000] d..2. 1.000001: sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=w next_pid=11 next_prio=120' \
        '  w-11 (   10) [000] ..... 1.000002: tracing_mark_write: B|20|in' \
        '  w-11 (   10) [000] ..... 1.000003: tracing_mark_write: E|20' \
        '  w-11 (   10) [000] d..2. 1.000004: sched_switch: prev_comm=w prev_pid=11 prev_prio=120 prev_state=S ==> next_comm=swapper next_pid=0 next_prio=120'
    tm-merge -o text.db t.systrace
    tm-merge -o again.db m.pftrace
    for db in text.db again.db; do
        sqlite3 $db "SELECT 'sched', dur, t.name, p.pid FROM sched JOIN thread t USING (utid) JOIN process p USING (upid)
                WHERE tid = 11;
            SELECT 'state', state, dur, p.pid FROM thread_state JOIN thread t USING (utid) JOIN process p USING (upid)
                WHERE tid = 11 ORDER BY ts;
            SELECT 'slice', s.name, dur, t.name, pid FROM slice s JOIN thread_track k ON k.id = s.track_id
                JOIN thread t USING (utid) JOIN process p USING (upid)" >rows
        diff - rows <<-END
		sched|3000|w|10
		state|Running|3000|10
		state|S|-1|10
		slice|in|1000|w|20
		END
    done
}

@test "scheduling in a JSON document is written, and its markers stay with the document's slices" {
    printf '{"traceEvents":[{"ph":"X","pid":100,"tid":101,"ts":1000000,"dur":50,"name":"js"}],"systemTraceEvents":"%s"}' \
        '  app-101 (  100) [001] d..2. 1.000001: sched_switch: prev_comm=app prev_pid=101 prev_prio=120 prev_state=S ==> next_comm=r next_pid=7 next_prio=97\n  r-7 (-----) [001] d..2. 1.000002: cpu_frequency: state=1000 cpu_id=1\n  r-7 (-----) [001] d..2. 1.000003: some_event: x=1\n  app-101 (  100) [000] ..... 1.000004: tracing_mark_write: B|100|inner\n  app-101 (  100) [000] ..... 1.000005: tracing_mark_write: E|100\n' >j.json
    tm-merge -o m.pftrace j.json 2>warnings
    [ "$(shown m.pftrace | cut -d ' ' -f 1-3 | grep -v ' 236$')" = $'1000001000 1 4\n1000002000 1 11\n1000003000 1 327' ]
    [ "$(grep -c 'no form' warnings)" = 0 ]
    tm-merge -o m.db m.pftrace
    [ "$(sqlite3 m.db "SELECT name, depth FROM slice ORDER BY ts")" = $'js|0\ninner|1' ]
}

@test "markers of a JSON document are on the thread itself, around its slices, and on tracks that they name" {
    python3 - <<'END'
import json
head = '  app-101 (  100) [000] ..... 1.%06d: tracing_mark_write: %s\n'
lines = [(0, 'B|100|outer'), (9, 'E|100'), (10, 'S|100|one|4'), (11, 'S|100|two|4'), (12, 'G|100|lane|three|4'),
         (13, 'H|100|lane|three|4'), (14, 'N|100|points|four'), (15, 'F|100|two|4'), (16, 'F|100|one|4')]
for name, at in ('inside.json', 1000001), ('before.json', 999000):
    events = [{'ph': 'X', 'pid': 100, 'tid': 101, 'ts': at, 'dur': 5, 'name': 'js'},
              {'ph': 'i', 's': 'p', 'pid': 100, 'tid': 101, 'ts': at, 'name': 'at'}]
    json.dump({'traceEvents': events, 'systemTraceEvents': ''.join(head % line for line in lines)}, open(name, 'w'))
END
    for name in inside before; do
        tm-merge -o m.pftrace $name.json
        tm-merge -o m.db m.pftrace
        [ "$(sqlite3 m.db "SELECT s.name, s.category, s.dur, t.name FROM slice s JOIN track t ON t.id = s.track_id
            WHERE s.ts >= 1000010000 ORDER BY s.ts")" = $'one||6000|one\ntwo||4000|two\nthree||1000|lane\nfour||0|points' ]
        sqlite3 m.db "SELECT s.name, s.depth, t.name, tid FROM slice s JOIN thread_track t ON t.id = s.track_id
            JOIN thread USING (utid) ORDER BY s.ts" >$name.slices
        # Readers count a track that is its own parent as an error.
        python3 "$TM_SRC/t/check/list-packets.py" -f 60.1 -f 60.5 m.pftrace >packets
        [ "$(grep -c ' 60\.1=[0-9]* 60\.5=[0-9]*$' packets)" = 4 ]
        [ "$(grep -c ' 60\.1=\([0-9]*\) 60\.5=\1$' packets)" = 0 ]
    done
    [ "$(cat inside.slices)" = $'outer|0||101\njs|1||101' ]
    [ "$(cat before.slices)" = $'js|0||101\nouter|0||101' ]
}

@test "slices of Chrome JSON are on the thread itself if the kernel has none there" {
    # Thread 6 has a marker, thread 7 is only scheduled. The other machine has a thread 6 too.
    kernel k.pftrace <<-END
	1000 0 6 print 2=I|5|a
	1500 0 6 sched_switch prev_comm=six prev_pid=6 prev_prio=120 prev_state=S next_comm=seven next_pid=7 next_prio=120
	2500 0 7 sched_switch prev_comm=seven prev_pid=7 prev_prio=120 prev_state=S next_comm=six next_pid=6 next_prio=120
	END
    python3 - <<'END'
import json
for name in 'j.json', 'other.json':
    json.dump([{'ph': 'X', 'pid': 5, 'tid': t, 'ts': 1, 'dur': 2, 'name': 's%d' % t} for t in (6, 7)], open(name, 'w'))
END
    echo '{"perfetto_manifest":{"version":1,"files":[{"path":"k.pftrace"},{"path":"j.json"},
        {"path":"other.json","machine":{"name":"other"}}]}}' >manifest.json
    tar cf in.tar manifest.json k.pftrace j.json other.json
    tm-merge -q -o m.pftrace in.tar
    tm-merge -q -o m.db m.pftrace
    run sqlite3 m.db "SELECT s.name, ifnull(m.name, ''), ifnull(t.name, '') FROM slice s
        JOIN track t ON t.id = s.track_id LEFT JOIN machine m ON m.id = t.machine_id WHERE s.name != 'a' ORDER BY 1, 2"
    echo "$output"
    [ "$output" = $'s6||j.json\ns6|other|\ns7||\ns7|other|' ]
}

@test "the track of a thread that a JSON document names beside kernel data is not its own parent" {
    echo '1000 0 6 print 2=I|5|a' | kernel k.pftrace
    echo '[{"ph":"M","name":"thread_name","pid":5,"tid":6,"args":{"name":"t"}},{"ph":"X","pid":5,"tid":6,"ts":1,"dur":2,"name":"s"}]' >j.json
    tar cf in.tar k.pftrace j.json
    tm-merge -o m.pftrace in.tar
    run python3 - "$TM_SRC/t/check" <<'PY'
import sys
sys.path.insert(0, sys.argv[1])
from protos import fields, packets
tracks = [{i: v for i, _, v, _ in fields(v)} for p in packets(open('m.pftrace', 'rb').read())
          for i, _, v, _ in fields(p) if i == 60]
print(len([t for t in tracks if t.get(1) == t.get(5)]), len([t for t in tracks if 5 in t]) > 0)
PY
    [ "$output" = '0 True' ] || { echo "$output"; false; }
}

@test "names of threads in the process dump of a systrace give way to later ones of the scheduler, also in a merged trace" {
    cd "$BATS_TEST_TMPDIR"
    local tag='<script class="trace-data" type="application/text">'
    printf '%s\n' "<!DOCTYPE html><html>$tag" 'PROCESS DUMP' 'USER PID TID CMD' 'root 7 7 main' 'root 7 8 dumped' 'root 7 9 quiet' \
        '</script>' "$tag" '# tracer: nop' \
        '          <idle>-0     (-----) [000] d..1 1.000100: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=later next_pid=8 next_prio=120' \
        '           later-8     (    7) [000] d..1 1.000200: tracing_mark_write: I|7|mark' '</script></html>' >page.html
    tm-merge -q -o m.pftrace -o page.db page.html
    tm-merge -q -o m.db m.pftrace
    for db in page m; do
        [ "$(sqlite3 $db.db 'SELECT group_concat(tid || t.name || pid) FROM (SELECT * FROM thread ORDER BY tid) t
            JOIN process USING (upid) WHERE tid > 0')" = 7main7,8later7,9quiet7 ]
    done
}
