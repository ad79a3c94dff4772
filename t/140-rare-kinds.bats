#!/usr/bin/env bats
# Packets and values of less common kinds: system statistics, events with legacy phases, markers of drivers, nested
# args, compressed packets, large values.

setup() {
    cd "$BATS_TEST_TMPDIR"
    . "$TM_SRC/t/lib/common.bash"
    export PYTHONDONTWRITEBYTECODE=1
}

# packets FILE: writes a trace with the packets that the Python on standard input passes to packet(TIME, FIELD, BODY).
packets() {
    { cat <<'END'; cat; } >packets.py
import os, sys
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
from wire import field, message
out = open(sys.argv[1], 'wb')
def packet(time, number, body, *more):
    out.write(field(1, message((8, time), (10, 1), (number, body), *more)))
def legacy(phase, *more): # TrackEvent.LegacyEvent
    return message((2, ord(phase)), *more)
def event(time, phase, name=None, legacy_fields=(), *more):
    packet(1000 * time, 11, message((11, 5), (23, name), (22, 'cat'), (6, legacy(phase, *legacy_fields)), *more))
def thread(uuid, pid, tid):
    packet(1, 60, message((1, uuid), (4, message((1, pid), (2, tid)))))
END
    python3 packets.py "$1"
}

# values FILE: prints the counters' names and values, in order.
values() {
    tm-merge -q -f jsonl "$1" | python3 -c "
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    if row['kind'] == 'counter':
        print(row['ts'], row['name'], row['value'])"
}

@test "system statistics are counters" {
    packets a.pftrace <<'END'
packet(10, 7, message(
    (1, message((1, 1), (2, 5))), (2, message((1, 1), (2, 6))), (3, message((1, 2), (2, 7), (9, 8))),
    (3, message((2, 1))), # has no meaning without its cpu
    (4, 11), (5, 12), (6, message((1, 3), (2, 4))), (7, 13), (8, message((1, 5), (2, 6))),
    (10, message((1, 'ddr'), (2, 14))), (11, 100), (11, 200), (11, b'\x05\x06'), (17, 300),
    (12, message((1, '0'), (2, 'DMA'), (3, 21), (3, b'\x16\x17'))),
    (14, message((1, 1), (2, 15))), (15, message((2, 40), (3, 'skin'))),
    (16, message((1, 3), (2, message((1, 'C1'), (2, 50))), (2, message((1, 'C2'), (2, 60))), (3, 1))),
    (18, message((1, 'dentry'), (2, 2), (3, 3)))))
END
    values a.pftrace | cut -d' ' -f2- >seen
    grep -E -v '^cpu.times' seen | sort >have
    sort >want <<'END'
MemTotal 5120
nr_free_pages 6
num_forks 11
num_irq_total 12
num_irq (id: 3) 4
num_softirq_total 13
num_softirq (id: 5) 6
ddr Frequency 14
cpufreq 100
cpufreq 200
cpufreq 5
cpufreq 6
gpufreq 300
mem.buddyinfo[0][DMA][4 kB] 21
mem.buddyinfo[0][DMA][8 kB] 22
mem.buddyinfo[0][DMA][16 kB] 23
psi.cpu.some 15
skin 40
cpuidle3.C1 50
cpuidle3.C2 60
mem.slab.dentry 24576
END
    diff want have
    [ "$(grep -c '^cpu.times' seen)" -eq 8 ]
    grep -qx 'cpu.times.user_ns 7' seen
    grep -qx 'cpu.times.steal_ns 8' seen
}

@test "disks past the limit have no counters, and are no error" {
    packets a.pftrace <<'END'
for time in 10, 20:
    packet(time, 7, message(*[(13, message((1, 'disk%d' % i), *[(f, time) for f in range(2, 10)])) for i in range(9000)]))
END
    values a.pftrace >seen
    [ "$(grep -c 'flush_time 10$' seen)" -eq 8192 ] # 65,536 numbers, eight for each disk
}

@test "a disk's counters are changes since the last sample, and the first sample has none" {
    packets a.pftrace <<'END'
def disk(*values):
    return message((13, message((1, 'sda'), *enumerate(values, 2))))
packet(10, 7, disk(2048, 10, 4096, 20, 0, 0, 1, 2))
packet(20, 7, disk(2048 + 2048, 10 + 500, 4096, 20, 0, 0, 4, 9))
END
    values a.pftrace >seen
    [ "$(cut -d' ' -f1 seen | sort -u)" = 20 ]
    cut -d' ' -f2- seen | sort | same_text "$(cut -d' ' -f2- seen | sort)" 'diskstat.[sda].discard_amount 0
diskstat.[sda].discard_throughput 0
diskstat.[sda].flush_amount 3
diskstat.[sda].flush_time 7
diskstat.[sda].read_amount 1
diskstat.[sda].read_throughput 2
diskstat.[sda].write_amount 0
diskstat.[sda].write_throughput 0'
    tm-merge -q -o a.db a.pftrace
    same_text "$(sqlite3 a.db "SELECT substr(name, 16), unit FROM counter_track WHERE type = 'diskstat' ORDER BY 1")" \
        'discard_amount|MB
discard_throughput|MB/s
flush_amount|count
flush_time|ms
read_amount|MB
read_throughput|MB/s
write_amount|MB
write_throughput|MB/s'
}

@test "events with a legacy phase are slices, instants, flows, async slices and names" {
    packets a.pftrace <<'END'
thread(5, 100, 101)
event(10, 'B', 'begun'), event(20, 'E')
event(30, 'X', 'complete', [(3, 7)])
event(40, 'X', 'negative', [(3, -1)])
event(50, 'i', 'on the thread'), event(51, 'i', 'global', [(14, 1)]), event(52, 'I', 'of the process', [(14, 2)])
event(53, 'R', 'mark', [(14, 1)])
event(60, 'X', 'from', [(3, 5)]), event(61, 's', 'flow', [(6, 77)])
event(70, 'X', 'to', [(3, 5)]), event(71, 'f', 'flow', [(6, 77), (12, 1)])
event(72, 's', 'flow without an id')
event(80, 'b', 'async', [(6, 9)]), event(81, 'n', 'in async', [(6, 9)]), event(90, 'e', 'async', [(6, 9)])
event(80, 'b', 'local', [(10, 9)]), event(91, 'e', 'local', [(10, 9)])
event(82, 'b', 'global id', [(11, 9), (7, 'scope')]), event(92, 'e', 'global id', [(11, 9), (7, 'scope')])
event(83, 'S', 'old', [(6, 8)]), event(84, 'T', 'old', [(6, 8)]), event(85, 'p', 'old', [(6, 8)])
event(93, 'F', 'old', [(6, 8)])
event(94, 'b', 'async without an id')
event(95, 'M', 'thread_name', [], (4, message((10, 'name'), (6, 'worker'))))
event(96, 'M', 'process_name', [], (4, message((10, 'name'), (6, 'service'))))
event(97, 'Q', 'no such phase')
END
    tm-merge -q -o a.db a.pftrace
    same_text "$(sqlite3 a.db "SELECT name, ts, dur FROM slice WHERE dur > 0 ORDER BY ts, name")" 'begun|10000|10000
complete|30000|7000
from|60000|5000
to|70000|5000
async|80000|10000
local|80000|11000
global id|82000|10000
old|83000|10000'
    same_text "$(sqlite3 a.db "SELECT t.name, p.name FROM thread t JOIN process p USING (upid) WHERE tid = 101")" \
        'worker|service'
    same_text "$(sqlite3 a.db "SELECT o.name, i.name FROM flow f JOIN slice o ON o.id = f.slice_out
        JOIN slice i ON i.id = f.slice_in")" 'from|to'
    same_text "$(sqlite3 a.db "SELECT name FROM slice WHERE dur = 0 ORDER BY ts")" \
        "$(printf 'on the thread\nglobal\nof the process\nmark\nin async\nold\nold')"
    # Invalid events are counted: a negative duration, missing ids.
    same_text "$(sqlite3 a.db "SELECT value FROM stats WHERE name = 'track_event_tokenizer_errors' AND value > 0
        UNION ALL SELECT value FROM stats WHERE name = 'track_event_parser_errors' AND value > 0")" 3
    # A merge of the merged trace has the same rows.
    tm-merge -q -o b.pftrace a.pftrace
    tm-merge -q -o b.db b.pftrace
    for db in a b; do
        sqlite3 $db.db "SELECT ts, dur, name FROM slice ORDER BY ts, dur, name" >$db
    done
    cmp a b
}

@test "markers of drivers are slices and counters of their process" {
    packets a.pftrace <<'END'
def ftrace(time, number, *fields): # one event of thread 11
    packet(time, 1, message((1, 0), (2, message((1, time), (2, 11), (number, message(*fields))))))
def pair(time, number, pid, name, kind):
    ftrace(time, number, (pid, 10), (name, 'work %d' % number), (kind, ord('B')))
    ftrace(time + 5, number, (pid, 10), (name, ''), (kind, ord('E')))
pair(10, 349, 1, 4, 5), pair(20, 350, 2, 1, 3), pair(30, 467, 3, 4, 2), pair(40, 484, 1, 2, 4), pair(50, 490, 1, 4, 5)
pair(60, 333, 1, 2, 3), pair(70, 348, 1, 4, 5)
ftrace(80, 80, (1, 10), (2, 'mdss'), (3, 1)), ftrace(85, 80, (1, 10), (2, 'mdss'), (3, 0))
ftrace(90, 331, (1, 1), (2, 'zero'), (3, 10)), ftrace(95, 331, (1, 2), (3, 10))
ftrace(96, 331, (1, 4), (2, 'zero count'), (3, 10), (4, 17))
ftrace(97, 349, (1, 10), (4, 'g2d count'), (5, ord('C')), (6, 18))
for bad in ((331, (1, 8)), (349, (1, 10)), (349, (1, 10), (5, ord('Z'))), (349, (1, 10), (5, 0))):
    ftrace(98, *bad)
END
    tm-merge -q -o a.db a.pftrace
    same_text "$(sqlite3 a.db "SELECT name, ts, dur FROM slice ORDER BY ts")" 'work 349|10|5
work 350|20|5
work 467|30|5
work 484|40|5
work 490|50|5
work 333|60|5
work 348|70|5
mdss|80|5
zero|90|5'
    same_text "$(values a.pftrace)" '96 zero count 17
97 g2d count 18'
    same_text "$(sqlite3 a.db "SELECT value FROM stats WHERE name = 'systrace_parse_failure'")" 4
}

@test "signals, out-of-memory kills and counters of kernel events are read" {
    packets a.pftrace <<'END'
def ftrace(time, number, *fields): # of thread 11
    packet(time, 1, message((1, 0), (2, message((1, time), (2, 11), (number, message(*fields))))))
ftrace(10, 325, (4, 12), (6, 9)), ftrace(20, 324, (3, 9)), ftrace(30, 334, (1, 12))
ftrace(40, 326, (2, 0xfff0), (3, 12)), ftrace(50, 508, (1, 3), (2, 900))
ftrace(60, 359, (1, 1), (2, 0), (3, 77), (4, 4096)) # its own memory
ftrace(70, 359, (1, 0), (2, 1), (3, 77), (4, 8192)) # the address space that thread 11 reported last
ftrace(80, 359, (1, 0), (2, 1), (3, 78), (4, 8192)) # an unknown address space
ftrace(90, 347, (1, 1), (2, 5), (3, 50)), ftrace(91, 347, (1, 9), (2, 6), (3, 60))
ftrace(92, 335, (1, 1), (2, 7), (3, 70)), ftrace(93, 314, (1, 'heap'), (2, 3), (3, 70))
ftrace(94, 315, (2, 3), (3, 70))
ftrace(95, 328, (1, 1), (2, 2), (3, 3), (4, 1)), ftrace(96, 328, (1, 1), (4, 99))
END
    same_text "$(tm-merge -q -f jsonl a.pftrace | python3 -c "
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    if row['kind'] == 'instant':
        print(row['ts'], row['name'], row['tid'], row.get('args'))")" "10 signal_generate 12 {'signal': {'sig': 9}}
20 signal_deliver 11 {'signal': {'sig': 9}}
30 mem.oom_kill 12 None"
    same_text "$(values a.pftrace)" '40 oom_score_adj -16
50 cpufreq_throttle 900
60 mem.rss.file 4096
70 mem.rss.anon 8192
90 mem.fastrpc[MDSP] 50
90 mem.fastrpc_change[MDSP] 5
91 mem.fastrpc[9] 60
91 mem.fastrpc_change[9] 6
92 mem.ion 70
92 mem.ion_change 7
93 mem.ion.heap 67
93 mem.ion_change.heap -3
94 mem.ion.unknown 73
94 mem.ion_change.unknown 3
95 mem.mm.maj_flt.count 2
95 mem.mm.maj_flt.max_lat 3
95 mem.mm.maj_flt.avg_lat 1'
}

@test "nested args, dictionaries and lists, keep each type of value" {
    packets a.pftrace <<'END'
thread(5, 100, 101)
tree = message((1, 1), (2, 'number'), (3, message((5, 7))), (2, 'list'),
               (3, message((1, 2), (4, message((5, 1))), (4, message((8, 'two'))), (4, message((7, 1))),
               (4, message((6, 1.5))))))
packet(10, 11, message((9, 3), (11, 5), (23, 'e'), (4, message((10, 'tree'), (8, tree)))))
END
    [[ $(tm-merge -q -f jsonl a.pftrace) == *'"args":{"tree":{"number":7,"list":[1,"two",true,1.5]}}'* ]]
    # A merge of the merged trace has them unchanged.
    tm-merge -q -o b.pftrace a.pftrace
    [[ $(tm-merge -q -f jsonl b.pftrace) == *'"args":{"tree":{"number":7,"list":[1,"two",true,1.5]}}'* ]]
}

@test "packets compressed by zstd give the same rows, and damage in them is an error" {
    command -v zstd || skip "zstd is not installed"
    packets a.pftrace <<'END'
packet(10, 7, message((4, 11))), packet(20, 7, message((4, 12)))
END
    zstd -q a.pftrace -o a.zst
    put() { # FILE: the packet of compressed packets
        python3 -c "
import os, sys
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
from wire import field
sys.stdout.buffer.write(field(1, field(${2:-133}, sys.stdin.buffer.read())))" <"$1"
    }
    put a.zst >b.pftrace
    same_text "$(values b.pftrace)" "$(printf '10 num_forks 11\n20 num_forks 12')"
    head -c 20 a.zst >short
    { head -c 8 a.zst; echo 'this is something else'; } >bad
    for damaged in short bad; do
        put $damaged >c.pftrace
        run tm-merge -q -f jsonl c.pftrace
        [ "$status" -eq 1 ]
        [[ $output == *"zstd-compressed packets are damaged or cut short"* ]]
        tm-merge -q --on-damage=skip -f report c.pftrace | grep -q 'c.pftrace: .* bytes skipped'
    done
}

@test "a value of a JSON object that is too large for memory is skipped and counted" {
    python3 - >a.json <<'END'
print('{"large":{"text":"\\"]}' + '[{' * 3 + 'x' * (17 << 20)
      + '","more":[1,{}]},"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"after"}]}')
END
    tm-merge -q -f report a.json >report
    # The data after it is read.
    grep -q '  a.json: 2 events read, 1 placed, 1 dropped, 17825827 bytes skipped$' report
    grep -q '    too_large: 1, first at byte 1$' report
    grep -q '    skipped_bytes: 17825827, first at byte 9$' report
    grep -q '; the accounts balance$' report
}

@test "V8's CPU profiles in legacy events are samples with stacks" {
    packets a.pftrace <<'END'
packet(500, 6, message((1, message((1, 3), (2, 500))), (1, message((1, 6), (2, 700))), (2, 3)))
packet(1000, 44, message((1, 10), (2, 11)), (13, 1))
def profile(time, ident, text, more=()):
    packet(1000 * time, 11, message((11, 0), (23, 'ProfileChunk'), (22, 'cat'), (4, message((1, 1), (9, text))),
                                    (6, legacy('P', (6, ident)))), (13, 2), *more)
profile(2, 7, '{"startTime":20}', [(12, message((3, message((1, 1), (2, 'data')))))])
profile(30, 7, '{"cpuProfile":{"nodes":[{"id":1,"callFrame":{"functionName":"root"}},'
        '{"id":2,"parent":1,"callFrame":{"functionName":"f","url":"u.js"}}],"samples":[2,1]},"timeDeltas":[1,5]}')
profile(40, 7, '{"cpuProfile":{"samples":[2]},"timeDeltas":[2]}')
profile(41, 8, '{"cpuProfile":{"samples":[2]},"timeDeltas":[2]}') # of no profile
profile(42, 7, '{"cpuProfile":{"samples":[2]},"timeDeltas":[]}')
END
    tm-merge -q -o b.pftrace a.pftrace
    for from in a.pftrace b.pftrace; do
        tm-merge -q -o a.db $from
        [ "$(sqlite3 a.db "SELECT s.ts, t.tid, p.pid, s.source, c.depth, f.name FROM stack_sample s
                               JOIN thread t USING (utid) JOIN process p USING (upid)
                               JOIN stack_profile_callsite c ON c.id = s.callsite_id
                               JOIN stack_profile_frame f ON f.id = c.frame_id ORDER BY 1")" = \
            '21000|11|10|legacy_v8|1|f
26000|11|10|legacy_v8|0|root
28000|11|10|legacy_v8|1|f' ]
        [ "$(sqlite3 a.db "SELECT count(*) FROM cpu_profile_stack_sample")" -eq 3 ]
        [ "$(sqlite3 a.db "SELECT value FROM stats WHERE name = 'legacy_v8_cpu_profile_invalid_sample'")" -eq 2 ]
    done
    tm-merge -q -o a.json a.pftrace
    [ "$(grep -c '"stack": \["root","f"\]\|"stack":\["root","f"\]' a.json)" -eq 2 ]
}
