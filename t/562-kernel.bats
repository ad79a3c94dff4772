#!/usr/bin/env bats
# Kernel events that are slices, in every output: interrupts of a cpu, work of a thread, requests of a device.

bats_require_minimum_version 1.5.0

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
    export PYTHONDONTWRITEBYTECODE=1
}

irqs() {
    kernel <<'END'
process 6 app
1000 0 5 irq_handler_entry 2=eth0
1500 0 5 softirq_entry 1=3
1600 1 6 irq_handler_entry 2=nvme
1700 0 5 softirq_exit 1=3
2000 0 5 irq_handler_exit 2=1
2100 1 6 irq_handler_exit
2500 1 6 print 2=B|6|early
2600 1 6 print 2=E|6
3000 1 6 workqueue_execute_start 2=7
3200 1 6 print 2=B|6|mark
3300 1 6 print 2=E|6
3500 1 6 workqueue_execute_end
4000 0 5 hrtimer_expire_entry 3=9
4100 0 5 hrtimer_expire_exit
4200 0 5 hrtimer_expire_entry 3=0x1f
END
}

slices() {
    sqlite3 "$1" "SELECT s.ts, s.dur, s.category, s.name, k.type, k.name, k.cpu, (SELECT group_concat(key || '=' ||
        display_value) FROM args a WHERE a.arg_set_id = s.arg_set_id) FROM slice s JOIN track k ON s.track_id = k.id
        ORDER BY s.ts"
}

want_irqs='1000|1000|irq|IRQ (eth0)|cpu_irq|Irq Cpu 0|0|ret=handled
1500|200|irq|NET_RX|cpu_softirq|SoftIrq Cpu 0|0|vec=3
1600|500|irq|IRQ (nvme)|cpu_irq|Irq Cpu 1|1|ret=unhandled
2500|100||early|thread_execution|||
3000|500|workqueue|do_work|thread_execution|||cpu=1
3200|100||mark|thread_execution|||
4000|100|hrtimer|tick_sched_timer|cpu_hrtimer|Hrtimer Cpu 0|0|
4200|-1|hrtimer|0x1f|cpu_hrtimer|Hrtimer Cpu 0|0|'

@test "a database has kernel slices on tracks of their cpu or thread, with functions by name" {
    irqs
    tm-merge -o k.db k.pftrace
    run slices k.db
    [ "$output" = "$want_irqs" ] || { echo "$output"; false; }
    [ "$(sqlite3 k.db 'SELECT cpu FROM cpu ORDER BY cpu')" = $'0\n1' ]
    [ "$(sqlite3 k.db "SELECT count(*) FROM stats WHERE severity = 'error'")" = 0 ]
}

@test "two merges give the same rows and function names, and the merged trace has the kernel's events" {
    irqs
    tm-merge -o m.pftrace k.pftrace
    tm-merge -o n.pftrace m.pftrace
    tm-merge -o k.db n.pftrace
    run slices k.db
    [ "$output" = "$want_irqs" ] || { echo "$output"; false; }
    run bash -o pipefail -c "tm-unpack n.pftrace | tm-emit -f frames | grep -c 'raw=ftrace_event'"
    [ "$output" = 15 ]
}

@test "functions of two sequences with one number keep their names" {
    irqs
    sed 's/do_work/dO_WORK/' k.pftrace >l.pftrace
    printf '{"perfetto_manifest":{"version":1,"files":[{"path":"k.pftrace","machine":{"name":"a"}},
        {"path":"l.pftrace","machine":{"name":"b"}}]}}' >manifest
    tar cf in.tar manifest k.pftrace l.pftrace
    tm-merge -o m.pftrace in.tar
    tm-merge -o m.db m.pftrace
    run sqlite3 m.db "SELECT m.name, s.name FROM slice s JOIN track k ON s.track_id = k.id JOIN machine m
        ON k.machine_id = m.id WHERE s.category = 'workqueue' ORDER BY m.name"
    [ "$output" = "a|do_work
b|dO_WORK" ] || { echo "$output"; false; }
}

@test "an event that is no slice and names a function stays on the sequence that has the name" {
    kernel <<'END'
1000 0 5 #59 2=7
1100 0 5 irq_handler_entry 2=eth0
1300 1 5 #59 2=7
END
    tm-merge -o m.pftrace k.pftrace
    run bash -o pipefail -c "tm-unpack m.pftrace | tm-emit -f frames | grep raw=ftrace_event | grep -c generation=1"
    [ "$output" = 3 ]
    run bash -o pipefail -c "tm-unpack m.pftrace | tm-emit -f frames | grep workqueue_queue_work"
    [[ "$output" == *" generation=1 "* ]]
}

@test "in Chrome JSON the tracks are threads of a process Kernel, and stay so in another merge" {
    irqs
    tm-merge -o m.json k.pftrace
    run python3 -c 'import json
e = json.load(open("m.json"))["traceEvents"]
names = {(x["pid"], x["tid"]): x["args"]["name"] for x in e if x["ph"] == "M"}
for x in sorted((x for x in e if x["ph"] != "M"), key=lambda x: x["ts"]):
    print(x["ph"], x["ts"], x.get("dur"), x["name"], names.get((x["pid"], x["tid"])), names.get((x["pid"], 0)))'
    [ "$output" = "X 1 1 IRQ (eth0) Irq Cpu 0 Kernel
X 1.5 0.2 NET_RX SoftIrq Cpu 0 Kernel
X 1.6 0.5 IRQ (nvme) Irq Cpu 1 Kernel
X 2.5 0.1 early None app
X 3 0.5 do_work None app
X 3.2 0.1 mark None app
X 4 0.1 tick_sched_timer Hrtimer Cpu 0 Kernel
B 4.2 None 0x1f Hrtimer Cpu 0 Kernel" ] || { echo "$output"; false; }
    run python3 "$TM_SRC/t/check/roundtrip" -f json -m "$TM_BIN/tm-merge" k.pftrace
    [ "$status" -eq 0 ] || { echo "$output"; false; }
}

@test "--only keeps slices that are open at its start whole, and an ending slice is on its own track" {
    irqs
    tm-merge --only 'from=1650ns,to=1900ns' -o k.db k.pftrace
    run slices k.db
    [ "$output" = "$(head -n 3 <<<"$want_irqs")" ] || { echo "$output"; false; }
    tm-merge --only 'cat=irq,name=NET_RX' -o k.db k.pftrace
    run slices k.db
    [ "$output" = "$(sed -n 2p <<<"$want_irqs")" ] || { echo "$output"; false; }
    tm-merge --only 'cat=workqueue' -o k.db k.pftrace
    run slices k.db
    [ "$output" = "$(sed -n 5p <<<"$want_irqs")" ] || { echo "$output"; false; }
}

@test "lines of JSON have the names of tracks, and text has cpus" {
    irqs
    run bash -o pipefail -c "tm-merge -f jsonl --events k.pftrace | grep -o '\"scope\":\"cpu\",\"track_name\":\"[^\"]*\"' | sort | uniq -c"
    [ "$(sed 's/^ *//' <<<"$output")" = '3 "scope":"cpu","track_name":"Hrtimer Cpu 0"
2 "scope":"cpu","track_name":"Irq Cpu 0"
2 "scope":"cpu","track_name":"Irq Cpu 1"
2 "scope":"cpu","track_name":"SoftIrq Cpu 0"' ] || { echo "$output"; false; }
    run bash -o pipefail -c "tm-merge k.pftrace | grep -c 'cpu0 .*NET_RX'"
    [ "$output" = 1 ]
}

calls() {
    kernel <<'END'
process 100 caller
process 200 server
1000 0 100 binder_command cmd=0x40406300
1100 0 100 binder_transaction transaction=7 dest_node=5 dest_proc=200 dest_thread=0 reply=0 code=3 flags=0x10
1150 0 100 binder_transaction_alloc_buf data_size=100 offsets_size=8
1200 1 200 binder_transaction_received transaction=7
1250 1 200 print 2=B|200|work
1300 1 200 print 2=E|200
1400 1 200 binder_transaction transaction=8 dest_proc=100 dest_thread=100 reply=1
1500 0 100 binder_transaction_received transaction=8
1600 0 100 binder_transaction transaction=9 dest_node=5 dest_proc=200 flags=1
1700 1 200 binder_transaction_received transaction=9
1800 0 100 binder_command cmd=0x40406300
1900 0 100 binder_transaction transaction=10 dest_proc=200
2000 0 100 binder_return cmd=0x7211
END
}

@test "a binder call and its reply are slices of both threads, with args and a flow between them" {
    calls
    tm-merge -o k.db k.pftrace
    run sqlite3 k.db "SELECT s.ts, s.dur, s.category, s.name, t.tid FROM slice s JOIN thread_track k ON s.track_id = k.id
        JOIN thread t USING (utid) ORDER BY s.ts"
    [ "$output" = '1100|400|binder|binder transaction|100
1200|200|binder|binder reply|200
1250|50||work|200
1600|0|binder|binder transaction async|100
1700|0|binder|binder async rcv|200
1900|100|binder|binder transaction|100' ] || { echo "$output"; false; }
    run sqlite3 k.db "SELECT key, display_value, value_type FROM args WHERE arg_set_id = (SELECT arg_set_id FROM slice WHERE ts = 1100)"
    [ "$output" = 'transaction id|7|int
destination node|5|int
destination process|200|int
reply transaction?|false|bool
flags|0x10 allow replies with file descriptors; |string
code|0x03 Java Layer Dependent|string
calling tid|100|uint
data size|100|uint
offsets size|8|uint
destination thread|200|uint' ] || { echo "$output"; false; }
    run sqlite3 k.db "SELECT a.ts, b.ts FROM flow f JOIN slice a ON a.id = f.slice_out JOIN slice b ON b.id = f.slice_in"
    [ "$output" = '1100|1200
1600|1700' ] || { echo "$output"; false; }
    [ "$(sqlite3 k.db "SELECT count(*) FROM stats WHERE severity = 'error'")" = 0 ]
}

@test "binder calls are the same after another merge, as a Perfetto trace and as Chrome JSON" {
    calls
    for format in pftrace json; do
        run python3 "$TM_SRC/t/check/roundtrip" -f $format -m "$TM_BIN/tm-merge" k.pftrace
        [ "$status" -eq 0 ] || { echo "$output"; false; }
    done
    tm-merge -f json k.pftrace >m.json
    run python3 -c 'import json
for e in json.load(open("m.json"))["traceEvents"]:
    if e.get("cat") == "binder":
        print(e["ph"], e["ts"], e["name"], e["args"].get("destination thread"), e["args"].get("data size"), "bind_id" in e)'
    [ "$output" = "X 1.2 binder reply 100 None True
X 1.1 binder transaction 200 100 True
X 1.6 binder transaction async None None True
X 1.7 binder async rcv None None True
X 1.9 binder transaction None None True" ] || { echo "$output"; false; }
}

@test "--only keeps an open binder call whole, with its args" {
    calls
    tm-merge --only 'from=1260ns,to=1350ns' -o k.db k.pftrace
    run sqlite3 k.db "SELECT ts, dur, name, (SELECT count(*) FROM args a WHERE a.arg_set_id = s.arg_set_id) FROM slice s ORDER BY ts"
    [ "$output" = '1100|400|binder transaction|10
1200|200|binder reply|8
1250|50|work|0' ] || { echo "$output"; false; }
    tm-merge --only 'name=binder reply' -o k.db k.pftrace
    run sqlite3 k.db "SELECT ts, dur, name FROM slice"
    [ "$output" = '1200|200|binder reply' ] || { echo "$output"; false; }
}

@test "a trace of binder in text becomes kernel events with the same rows" {
    {
        printf '# tracer: nop\n'
        printf ' call-100 (  100) [000] ...1 1.1: binder_transaction: transaction=7 dest_node=5 dest_proc=200 dest_thread=0 reply=0 flags=0x10 code=0x3\n'
        printf ' serv-200 (  200) [001] ...1 1.2: binder_transaction_received: transaction=7\n'
        printf ' serv-200 (  200) [001] ...1 1.3: binder_transaction: transaction=8 dest_node=0 dest_proc=100 dest_thread=100 reply=1 flags=0x0 code=0x0\n'
        printf ' call-100 (  100) [000] ...1 1.4: binder_transaction_received: transaction=8\n'
        printf ' call-100 (  100) [000] ...1 1.5: binder_transaction_received: transaction=99\n'
    } >b.txt
    tm-merge -o k.db b.txt
    run sqlite3 k.db "SELECT ts / 1000000, dur / 1000000, name, (SELECT group_concat(display_value) FROM args a WHERE
        a.arg_set_id = s.arg_set_id AND key LIKE 'dest% name') FROM slice s"
    [ "$output" = '1100|300|binder transaction|serv
1200|100|binder reply|call' ] || { echo "$output"; false; }
    run python3 "$TM_SRC/t/check/roundtrip" -m "$TM_BIN/tm-merge" b.txt
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    tm-merge -o m.pftrace b.txt
    run bash -o pipefail -c "tm-unpack m.pftrace | tm-emit -f frames | grep -c 'kind=binder .*raw=ftrace_event'"
    [ "$output" = 5 ]
}

@test "a binder line that first names its thread follows the name in a Perfetto trace, whose readers show it" {
    {
        printf '# tracer: nop\n'
        printf ' call-101 (  100) [000] ...1 1.1: binder_transaction: transaction=7 dest_node=5 dest_proc=200 dest_thread=0 reply=0 flags=0x10 code=0x3\n'
        printf ' serv-201 (  200) [001] ...1 1.2: binder_transaction_received: transaction=7\n'
        printf ' work-201 (  200) [001] ...1 1.3: binder_transaction_received: transaction=99\n'
    } >b.txt
    tm-merge -o m.pftrace b.txt
    run bash -o pipefail -c "tm-unpack m.pftrace | tm-emit -f frames | sed -n 's/.*kind=\(binder\|task_rename\) .* tid=201 .*/\1/p'"
    [ "$output" = 'task_rename
binder
task_rename
binder' ] || { echo "$output"; false; }
    tm-merge -o m.db m.pftrace
    run sqlite3 m.db "SELECT s.ts / 1000000, s.name, a.display_value FROM slice s JOIN args a USING (arg_set_id)
        WHERE a.key = 'destination name'"
    [ "$output" = '1100|binder transaction|serv' ] || { echo "$output"; false; }
    run bash -o pipefail -c 'tm-unpack b.txt | tm-manifest | tm-clocks | tm-sort | "${TM_BIN%/bin}/t/gen/rebatch" 1 |
        tm-emit -f pftrace | cmp - m.pftrace'
    [ "$status" -eq 0 ] || { echo "$output"; false; }
}

@test "sums and states depend on earlier events in order of time, whatever the order of the file" {
    python3 "$TM_SRC/t/gen/make-kernel.py" >k.pftrace <<'END'
3000 1 5 netif_receive_skb 1=1000 2=eth0
1000 0 5 netif_receive_skb 1=1000 2=eth0
2000 0 6 netif_receive_skb 1=100 2=eth0
4000 0 6 wakeup_source_activate 1=a
4500 1 5 wakeup_source_deactivate 1=a
4100 1 5 wakeup_source_activate 1=a
4600 0 6 wakeup_source_deactivate 1=a
4700 0 6 wakeup_source_deactivate 1=a
5000 0 6 rpm_status 1=usb 2=0
5200 1 6 rpm_status 1=usb 2=3
5300 0 6 rpm_status 1=usb 2=2
5400 0 6 gpu_power_state 2=2
6000 0 6 inet_sock_set_state 2=80 3=2 4=2 5=7 6=6 8=99 9=4000
6100 1 5 inet_sock_set_state 2=80 3=2 4=1 5=2 6=6 8=99 9=4000
END
    tm-merge -o k.db k.pftrace
    run sqlite3 k.db "SELECT c.ts, k.name, c.value, (SELECT display_value FROM args a WHERE a.arg_set_id = c.arg_set_id AND
        key = 'len') FROM counter c JOIN track k ON c.track_id = k.id ORDER BY c.ts"
    [ "$output" = '1000|eth0 Received KB|0.0|1000
2000|eth0 Received KB|1.0|100
3000|eth0 Received KB|2.0|1000' ] || { echo "$output"; false; }
    run sqlite3 k.db "SELECT s.ts, s.dur, s.name, k.type, k.name FROM slice s JOIN track k ON s.track_id = k.id ORDER BY s.ts"
    [ "$output" = '4000|600|Wakelock(a)|wakesource_wakelock|Wakelock(a)
5000|200|Active|linux_rpm|
5200|100|Suspending|linux_rpm|
5400|-1|ON|powervr_gpu_power_state|powervr_gpu_power_state
6000|100|TCP_SYN_SENT(pid=6)|net_socket_set_state|TCP stream#1
6100|-1|TCP_ESTABLISHED(sport=4000,dport=80)|net_socket_set_state|TCP stream#1' ] || { echo "$output"; false; }
    run sqlite3 k.db "SELECT a.key, a.string_value FROM track t JOIN args a ON a.arg_set_id = t.dimension_arg_set_id
        WHERE t.type = 'linux_rpm'"
    [ "$output" = 'linux_device|usb' ] || { echo "$output"; false; }
    for format in pftrace json; do
        run python3 "$TM_SRC/t/check/roundtrip" -f $format -m "$TM_BIN/tm-merge" k.pftrace
        [ "$status" -eq 0 ] || { echo "$output"; false; }
    done
}

@test "states beyond the limit of objects are counted" {
    seq 0 131072 | sed 's/.*/& 0 5 inet_sock_set_state 2=80 3=2 4=2 5=7 6=6 8=& 9=4000/' >lines
    python3 "$TM_SRC/t/gen/make-kernel.py" >k.pftrace <lines
    for output in k.db m.pftrace; do
        tm-merge -o $output k.pftrace 2>&1 | grep -o ' 2 facts.*' >>said
    done
    diff - said <<'END'
 2 facts are beyond the limit of sqlite (tm-limits), and are left out
 2 facts are beyond the limit of pftrace (tm-limits), and are left out
END
    [ "$(sqlite3 k.db "SELECT severity || value FROM stats WHERE name = 'facts_beyond_limits'")" = data_loss2 ]
}

@test "address spaces beyond the limit are counted in a database" {
    # Each file has fewer than the limit, so only the database, which has those of all files, is short of room.
    python3 - "$TM_SRC/t/gen" <<'PY'
import sys
sys.path.insert(0, sys.argv[1])
from wire import field
for name in 'a.pftrace', 'b.pftrace':
    with open(name, 'wb') as trace:
        for first in range(0, 65537, 1000):
            stats = ((i, field(1, 0) + field(2, 5) + field(3, 1) + field(4, i))
                     for i in range(first, min(first + 1000, 65537)))
            events = b''.join(field(2, field(1, i) + field(2, 5) + field(313, stat)) for i, stat in stats)
            trace.write(field(1, field(10, 1) + field(1, field(1, 0) + events)))
PY
    tm-merge -o k.db a.pftrace b.pftrace 2>&1 | grep 'beyond' >said
    diff - said <<'END'
tm-emit: warning: a.pftrace: 1 fact is beyond the limit of sqlite (tm-limits), and is left out
tm-emit: warning: b.pftrace: 1 fact is beyond the limit of sqlite (tm-limits), and is left out
END
    [ "$(sqlite3 k.db "SELECT count(*) || severity || sum(value) FROM stats WHERE name = 'facts_beyond_limits'")" = \
        2data_loss2 ]
    run tm-merge -q --strict -o strict.db a.pftrace b.pftrace
    [ "$status" -eq 4 ]
    [ ! -e strict.db ]
}

@test "--only keeps a state that is on at its start whole, and chooses a state by its name" {
    python3 "$TM_SRC/t/gen/make-kernel.py" >k.pftrace <<'END'
1000 0 6 rpm_status 1=usb 2=0
2000 1 6 rpm_status 1=usb 2=3
3000 0 6 rpm_status 1=usb 2=1
4000 0 6 rpm_status 1=usb 2=0
5000 0 6 rpm_status 1=usb 2=2
END
    tm-merge --only 'from=2500ns,to=3500ns' -o k.db k.pftrace
    run sqlite3 k.db "SELECT ts, dur, name FROM slice ORDER BY ts"
    [ "$output" = "2000|1000|Suspending
3000|1000|Resuming
4000|-1|Active" ] || { echo "$output"; false; }
    tm-merge --only 'name=Resuming' -o k.db k.pftrace
    run sqlite3 k.db "SELECT ts, dur, name FROM slice WHERE name = 'Resuming'"
    [ "$output" = "3000|1000|Resuming" ] || { echo "$output"; false; }
}

@test "args that begin and end both state are there once, with the value of the end" {
    kernel <<'END'
1000 0 5 block_io_start 1=5 2=77
2000 0 5 block_io_done 1=5 2=78
END
    tm-merge -o m.json k.pftrace
    run python3 -c 'import json
pairs = []
json.load(open("m.json"), object_pairs_hook=lambda p: pairs.append(p) or dict(p))
print([p for p in pairs if dict(p).keys() & {"sector"}])'
    [ "$output" = "[[('sector', 78)]]" ] || { echo "$output"; false; }
    tm-merge -o k.db k.pftrace
    [ "$(sqlite3 k.db "SELECT key, int_value FROM slice JOIN args USING (arg_set_id)")" = "sector|78" ]
}

@test "slices of text on a track are of the process that a proto's marker states for the thread" {
    printf '%s\n' '# tracer: nop' '#' \
        ' worker-312 [001] .... 1.000100: workqueue_execute_start: work struct 000000004d: function do_work' \
        ' worker-312 [001] .... 1.000200: workqueue_execute_end: work struct 000000004d' >t.txt
    printf '%s\n' 'clocks 6=1000 3=1000' '1000000000 0 312 print 2=B|302|frame' | kernel
    tm-merge -q -o m.pftrace k.pftrace t.txt
    tm-merge -q -o m.db m.pftrace
    [ "$(sqlite3 m.db 'SELECT name, tid, pid FROM thread_slice ORDER BY ts')" = $'frame|312|302\ndo_work|312|302' ]
    [ "$(sqlite3 m.db 'SELECT count(*) FROM thread WHERE tid = 312')" -eq 1 ]
}

@test "a share of pages that no number of 64 bits can state is 2^63, as in the reference importer" {
    kernel <<'END'
1000 0 5 #538
2000 0 5 #539 1=1 2=18446744073709551615
3000 0 5 #538
4000 0 5 #539 1=3 2=2
END
    tm-unpack k.pftrace | tm-emit -f frames | grep -o 'key="efficiency %" [^ ]*' |
        diff - <(printf 'key="efficiency %%" uint_value=%s\n' 9223372036854775808 67)
}

@test "the reason why a thread was blocked, in text, describes no process with the thread's number" {
    printf '%s\n' '# tracer: nop' '#' ' a-213 [000] .... 1.000100: tracing_mark_write: B|202|x' \
        ' a-213 [000] .... 1.000200: sched_switch: prev_comm=a prev_pid=213 prev_prio=98 prev_state=D ==> next_comm=b next_pid=5 next_prio=97' \
        ' b-5 [000] .... 1.000300: sched_blocked_reason: pid=213 iowait=1 caller=io_schedule+0x18/0x40' >t.txt
    tm-merge -q -o m.pftrace t.txt
    tm-merge -q -o m.db m.pftrace
    [ "$(sqlite3 m.db 'SELECT tid, pid FROM thread JOIN process USING (upid) WHERE tid = 213')" = '213|202' ]
    [ "$(sqlite3 m.db "SELECT tid, io_wait, blocked_function FROM thread_state JOIN thread USING (utid) WHERE state = 'D'")" = \
        '213|1|io_schedule+0x18/0x40' ]
}

@test "in Chrome JSON an end that states no process, and a slice of the kernel, are on the thread of the markers" {
    printf '%s\n' '# tracer: nop' '#' \
        'work-205 [000] .... 100.000001: tracing_mark_write: B|200|late' \
        'work-205 [000] .... 100.000002: tracing_mark_write: E' \
        'work-205 [000] .... 100.000003: workqueue_execute_start: work struct 0000000000000001: function fn' \
        'work-205 [000] .... 100.000005: workqueue_execute_end: work struct 0000000000000001' \
        'work-205 [000] .... 100.000006: tracing_mark_write: B|300|moved' \
        'work-205 [000] .... 100.000009: tracing_mark_write: E' >marks.txt
    tm-merge -o marks.json marks.txt
    want='["late",1,200,205]
["fn",2,200,205]
["moved",3,300,205]'
    got=$(jq -c '.traceEvents[] | select(.ph == "X") | [.name, .dur, .pid, .tid]' marks.json)
    echo "$got"
    [ "$got" = "$want" ]
}
