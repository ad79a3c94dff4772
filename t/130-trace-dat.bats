#!/usr/bin/env bats
# trace.dat: recordings of trace-cmd of versions 6 and 7, compared with trace-cmd report; buffers, hosts and guests,
# damage. Also one period that trace-cmd, perf and ftrace text recorded together.

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    tm-merge -q -f frames "$TM_SRC/t/data/trace-dat-7.dat" >/dev/null 2>log || ! grep -q 'without libtracecmd' log ||
        touch lacking
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    . "$TM_SRC/t/lib/common.bash"
    data=$TM_SRC/t/data
    [ ! -e "$BATS_FILE_TMPDIR/lacking" ] || skip 'this build has no libtracecmd'
}

# events FILE: prints the events and times of a recording, or of a report of trace-cmd.
events() {
    tm-merge -q --events -f jsonl "$1" |
        jq -c '[.ts, .kind, .name, .tid, .cpu, .prev_tid, .next_tid, .prev_comm, .next_comm, .value]'
}

# switches FILE: prints cpu, times and threads of its switches.
switches() {
    tm-merge -q --events -f jsonl "$1" | jq -r 'select(.kind == "sched_switch") | "\(.cpu) \(.ts) \(.prev_tid) \(.next_tid)"'
}

@test "recordings of both versions have the events of trace-cmd report -t" {
    gzip -dc "$data/trace-dat-6.dat.gz" >6.dat
    cp "$data/trace-dat-7.dat" 7.dat
    for version in 6 7; do
        events $version.dat >got
        gzip -dc "$data/trace-dat-$version.report.gz" >report
        events report >want
        [ "$(wc -l <want)" -gt 400 ]
        diff -u want got
    done
}

@test "the clock is the recorded one" {
    gzip -dc "$data/trace-dat-6.dat.gz" >6.dat
    for case in "$data/trace-dat-7.dat|MONOTONIC" '6.dat|BOOTTIME' "$data/trace-dat-buffers.dat|MONOTONIC_RAW"; do
        tm-merge -q -f report "${case%|*}" >report
        grep -q "^  ${case#*|} of host, claimed" report
    done
    # As trace-cmd record --date writes it: the distance of the clock from the time of day, in microseconds.
    python3 "$TM_SRC/t/gen/make-guest-trace.py" date "$data/trace-dat-7.dat" date.dat
    tm-merge -q -f report date.dat >report
    grep -q '^  REALTIME of host, claimed' report
    grep -q 'from 1700013815.8' report
}

@test "instances: the events of each buffer are read, and switches of one buffer only" {
    tm-merge -q --events -f jsonl "$data/trace-dat-buffers.dat" >events
    [ "$(jq -r 'select(.name == "softirq_entry") | .name' events | wc -l)" -gt 10 ]
    [ "$(jq -r 'select(.cpu) | .cpu' events | sort -u | xargs)" = '0 1' ] # cpus of a buffer are those of the machine
    [ "$(jq -r 'select(.kind == "sched_waking") | .kind' events | wc -l)" -gt 10 ]
    tm-merge -q -f report "$data/trace-dat-buffers.dat" >report
    grep -q 'not_shown: 221' report
    [ "$(jq -r 'select(.kind == "sched_switch") | .kind' events | wc -l)" -gt 200 ]
}

@test "a recording from a pipe, in gzip and in an archive gives the same rows" {
    cp "$data/trace-dat-7.dat" a.dat
    tm-merge -q --events -f jsonl a.dat >want
    tm-merge -q --events -f jsonl - <a.dat | sed 's/"file":"[^"]*"/"file":"a.dat"/' | diff -u want -
    cat a.dat | tm-merge -q --events -f jsonl - | sed 's/"file":"[^"]*"/"file":"a.dat"/' | diff -u want -
    gzip -c a.dat >b.gz
    tm-merge -q --events -f jsonl b.gz | sed 's/"file":"[^"]*"/"file":"a.dat"/' | diff -u want -
    echo text >front
    tar cf a.tar front a.dat
    tm-merge -q --ignore-unknown --events -f jsonl a.tar 2>/dev/null | diff -u want -
}

@test "temporary files are only in the folder that -T names" {
    mkdir there
    tar cf a.tar "$data/trace-dat-7.dat"
    (unset TMPDIR; tm-unpack -T there a.tar) | tm-emit -f frames | grep -q sched_switch
}

@test "a guest is a machine of its own on its host's clock, with the times of trace-cmd" {
    python3 "$TM_SRC/t/gen/make-guest-trace.py" host "$data/trace-dat-7.dat" host.dat
    python3 "$TM_SRC/t/gen/make-guest-trace.py" guest "$data/trace-dat-7.dat" guest.dat
    for files in 'host.dat guest.dat' 'guest.dat host.dat'; do
        tm-merge -q -f report $files >report
        grep -q 'MONOTONIC of host, claimed' report
        grep -q '^  guest.dat, machine [0-9]*, MONOTONIC: snapshot' report
        grep -q '^  host.dat, host, MONOTONIC: trace_time' report
        tm-merge -q --events -f jsonl $files >merged
        # 13815.875974694 s, times 1.25, and the 5 ms of the first sample.
        [ "$(jq -r 'select(.file == "guest.dat") | .ts' merged | head -n 1)" = 17269849968367 ]
        [ "$(jq -r 'select(.file == "host.dat") | .ts' merged | head -n 1)" = 13815875974694 ]
    done
    type trace-cmd || skip 'trace-cmd is not installed'
    trace-cmd report -t -i guest.dat 2>/dev/null >report
    events report >want
    events guest.dat | diff -u want -
}

@test "a host and a guest on a clock without a name are placed together" {
    python3 "$TM_SRC/t/gen/make-guest-trace.py" host-local "$data/trace-dat-7.dat" host.dat
    python3 "$TM_SRC/t/gen/make-guest-trace.py" guest-local "$data/trace-dat-7.dat" guest.dat
    for files in 'host.dat guest.dat' 'guest.dat host.dat' guest.dat; do
        tm-merge -q --events -f jsonl $files >merged
        [ "$(jq -r 'select(.file == "guest.dat") | .ts' merged | head -n 1)" = 17269849968367 ]
    done
    tm-merge -q --events -f jsonl host.dat >merged
    [ "$(jq -r .ts merged | head -n 1)" = 13815875974694 ]
}

@test "a damaged recording is an error of the member or an account, and never ends the program" {
    gzip -dc "$data/trace-dat-6.dat.gz" >6.dat
    cp "$data/trace-dat-7.dat" whole.dat
    head -c 9000 whole.dat >a.dat
    head -c 40000 6.dat >b.dat # libtracecmd crashes on it
    for file in a.dat b.dat; do
        run tm-merge -q $file
        [ "$status" -eq 1 ]
        [[ $output == *"$file: byte 0: libtracecmd cannot read this file: "* ]]
        [ "${#lines[@]}" -eq 1 ]
        tm-merge -q --on-damage=skip -f report $file whole.dat >report
        grep -q "^    damaged: 1" report
        grep -q 'whole.dat: 677 events read' report
    done
}

@test "events that the recorder lost, arguments that are cut, and ticks are counted" {
    statistic() { # FILE
        tm-merge -q -f report "$1" | sed -n 's/^  trace_dat_\([a-z_]* = [0-9]*\) .*/\1/p'
    }
    gzip -dc "$data/trace-dat-6.dat.gz" >6.dat
    [ -z "$(statistic 6.dat)" ]
    # The second page of the first cpu says that events are missing, and that of the second cpu that 5 are.
    python3 - <<'PY'
import struct
file = bytearray(open('6.dat', 'rb').read())
table = file.index(b'flyrecord\0') + 10
for cpu in range(2):
    page = struct.unpack_from('<Q', file, table + 16 * cpu)[0] + 4096
    used = struct.unpack_from('<Q', file, page + 8)[0]
    struct.pack_into('<Q', file, page + 8, used | 1 << 31 | cpu << 30)
    if cpu == 1:
        struct.pack_into('<Q', file, page + 16 + used, 5)
open('lost.dat', 'wb').write(file)
was = b'print fmt: "comm=%s pid=%d prio=%d target_cpu=%03d", REC->comm, REC->pid, REC->prio, REC->target_cpu'
now = b'print fmt: "comm=%s prio=%70000d", REC->comm, REC->prio'
assert file.count(was) == 1
open('cut.dat', 'wb').write(file.replace(was, now.ljust(len(was))))
PY
    [ "$(statistic lost.dat)" = "lost_events = 6" ]
    wakings=$(tm-merge -q --events -f jsonl 6.dat | grep -c '"kind":"sched_waking"')
    [ "$wakings" -gt 100 ]
    [ "$(statistic cut.dat | tail -n 1)" = "args_cut = $wakings" ]
    python3 "$TM_SRC/t/gen/make-guest-trace.py" ticks "$data/trace-dat-7.dat" ticks.dat
    [ "$(statistic ticks.dat)" = "ticks = 1" ]
    python3 "$TM_SRC/t/gen/make-guest-trace.py" scaled "$data/trace-dat-7.dat" scaled.dat
    [ -z "$(statistic scaled.dat)" ]
    for file in ticks scaled; do
        tm-merge -q --events -f jsonl $file.dat | jq -r .ts | head -n 1
    done >times
    [ "$(cat times)" = $'13815875974694\n20723813962041' ]
    python3 "$TM_SRC/t/gen/make-guest-trace.py" unscaled "$data/trace-dat-7.dat" unscaled.dat
    [ "$(statistic unscaled.dat)" = "ticks = 1" ]
}

@test "a damaged page is a loss of data: the library leaves out the other events of its cpu" {
    gzip -dc "$data/trace-dat-6.dat.gz" >6.dat
    # The second page of the first cpu has more bytes than a page.
    python3 - <<'PY'
import struct
file = bytearray(open('6.dat', 'rb').read())
page = struct.unpack_from('<Q', file, file.index(b'flyrecord\0') + 10)[0] + 4096
struct.pack_into('<Q', file, page + 8, 8191)
open('page.dat', 'wb').write(file)
PY
    run tm-merge -o page.txt page.dat
    [ "$status" -eq 0 ]
    [[ $output == *"page.dat: loss of data, trace_dat_library_messages = 1"* ]]
    for file in 6 page; do
        tm-merge -q --events -f jsonl $file.dat | jq -r .cpu | sort | uniq -c | awk '{print $2, $1}'
    done >counts
    [ "$(cat counts)" = $'0 288\n1 212\n0 76\n1 212' ]
}

@test "trace-cmd, perf and ftrace text of one period show the same switches at the same times" {
    switches "$data/same-time.dat" >dat
    for kind in data txt; do
        switches "$data/same-time.$kind.gz" >$kind
        python3 - dat $kind <<'END'
import sys

def load(path):
    cpus = {}
    for line in open(path):
        cpu, ts, before, after = map(int, line.split())
        cpus.setdefault(cpu, []).append((ts, before, after))
    return cpus

late = []
one, other = (load(path) for path in sys.argv[1:])
for cpu, switches in other.items():
    threads = [s[1:] for s in switches]
    mine = one[cpu]
    # Within the time of the other recording, the switches are exactly those of trace-cmd.
    at = [i for i in range(len(mine)) if [s[1:] for s in mine[i:i + len(threads)]] == threads]
    assert len(at) == 1, (cpu, at)
    late += [theirs[0] - ours[0] for ours, theirs in zip(mine[at[0]:], switches)]
late.sort()
assert len(late) > 100, len(late)
assert abs(late[len(late) // 2]) < 3000 and late[0] > -3000 and late[-1] < 50000, late
END
    done
    # All three files in one timeline.
    tm-merge -q -f report "$data"/same-time.* >report
    [ "$(grep -c 'MONOTONIC: trace_time' report)" -eq 3 ]
}

@test "lists of options that form a circle are refused at once" {
    python3 - <<'PY'
import struct
head = b'\x17\x08\x44tracing7\0\0\x08\0\x10\0\0none\0\0'
first = len(head) + 8
options = struct.pack('<HI', 99, 0) * 1000
open('circle.dat', 'wb').write(head + struct.pack('<QHHIQ', first, 0, 0, 0, 0) + options + struct.pack('<HIQ', 0, 8, first))
PY
    run timeout 20 tm-merge circle.dat
    [ "$status" -eq 1 ]
    [[ "$output" == "tm-unpack: circle.dat: byte 6062: the lists of options of trace.dat form a circle"* ]]
    timeout 20 tm-merge --on-damage=skip -f report circle.dat | grep -q 'damaged: 1'
}

@test "buffers that share their events are refused" {
    gzip -dc "$data/trace-dat-6.dat.gz" >6.dat
    # 1,000 options place buffers at the table of the first.
    python3 - <<'PY'
import struct
file = open('6.dat', 'rb').read()
options, table = file.index(b'options  \0') + 10, file.index(b'flyrecord\0')


def moved(by, more):
    places = b''.join(struct.pack('<QQ', place + by, size)
                      for place, size in struct.iter_unpack('<QQ', file[table + 10:table + 42]))
    return file[:options] + more + file[options:table + 10] + places + file[table + 42:]


COUNT, BY = 1000, 5 * 4096
buffers = b''.join(struct.pack('<HIQ', 3, 11, table + BY) + b'b%d\0' % (i % 10) for i in range(COUNT))
open('over.dat', 'wb').write(moved(BY, buffers + struct.pack('<HI', 99, BY - len(buffers) - 6) + bytes(BY - len(buffers) - 6)))
PY
    run timeout 20 tm-merge over.dat
    [ "$status" -eq 1 ]
    [[ "$output" == "tm-unpack: over.dat: byte "*": the events of the buffers of trace.dat overlap"* ]]
}

@test "more buffers than the limit are an error, not left out" {
    python3 "$TM_SRC/t/gen/make-guest-trace.py" buffers "$data/trace-dat-7.dat" buffers.dat
    run tm-merge -f report buffers.dat
    [ "$status" -eq 1 ]
    [[ $output == *"buffers.dat: byte 0: libtracecmd cannot read this file: more than the limit of 1024 buffers"* ]]
}
