#!/usr/bin/env bats
# Kernel events that are slices, in every output: interrupts of a cpu, work of a thread, requests of a device.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR"
    export PYTHONDONTWRITEBYTECODE=1
}

kernel() { # LINES of t/make-kernel.py
    python3 "$TM_SRC/t/make-kernel.py" >k.pftrace
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

@test "a database has them on tracks of their cpu or thread, functions by name" {
    irqs
    tm-merge -o k.db k.pftrace
    run slices k.db
    [ "$output" = "$want_irqs" ] || { echo "$output"; false; }
    [ "$(sqlite3 k.db 'SELECT cpu FROM cpu ORDER BY cpu')" = $'0\n1' ]
    [ "$(sqlite3 k.db "SELECT count(*) FROM stats WHERE severity = 'error'")" = 0 ]
}

@test "merged twice they are the same, names of functions too; the merged trace has the kernel's events" {
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

@test "in Chrome JSON they are threads of a process Kernel, and stay what they are when it is merged" {
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
    run python3 "$TM_SRC/t/roundtrip" -f json -m "$TM_BIN/tm-merge" k.pftrace
    [ "$status" -eq 0 ] || { echo "$output"; false; }
}

@test "--only: those that are on at the first moment are whole, what ends is on its own track" {
    irqs
    tm-merge --absolute --only 'from=1650ns,to=1900ns' -o k.db k.pftrace
    run slices k.db
    [ "$output" = "$(head -n 3 <<<"$want_irqs")" ] || { echo "$output"; false; }
    tm-merge --only 'cat=irq,name=NET_RX' -o k.db k.pftrace
    run slices k.db
    [ "$output" = "$(sed -n 2p <<<"$want_irqs")" ] || { echo "$output"; false; }
    tm-merge --only 'cat=workqueue' -o k.db k.pftrace
    run slices k.db
    [ "$output" = "$(sed -n 5p <<<"$want_irqs")" ] || { echo "$output"; false; }
}

@test "lines of JSON name their tracks, text their cpus" {
    irqs
    run bash -o pipefail -c "tm-merge -f jsonl k.pftrace | grep -o '\"scope\":\"cpu\",\"track_name\":\"[^\"]*\"' | sort | uniq -c"
    [ "$(sed 's/^ *//' <<<"$output")" = '3 "scope":"cpu","track_name":"Hrtimer Cpu 0"
2 "scope":"cpu","track_name":"Irq Cpu 0"
2 "scope":"cpu","track_name":"Irq Cpu 1"
2 "scope":"cpu","track_name":"SoftIrq Cpu 0"' ] || { echo "$output"; false; }
    run bash -o pipefail -c "tm-merge k.pftrace | grep -c 'cpu0 .*NET_RX'"
    [ "$output" = 1 ]
}
