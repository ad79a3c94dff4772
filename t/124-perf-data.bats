#!/usr/bin/env bats
# perf.data: recordings of perf record compared with perf script, and generated ones in both byte orders, from a file,
# from a pipe and compressed.

setup() {
    cd "$BATS_TEST_TMPDIR"
    . "$TM_SRC/t/lib/common.bash"
    data=$TM_SRC/t/data
}

# made FILE [WORD]...: generates the recording FILE.
made() {
    local file=$1
    shift
    python3 "$TM_SRC/t/gen/make-perf-data.py" "$@" >"$file"
}

# rows FILE: prints its rows without values that depend on its size.
rows() {
    frames_anywhere "$1" | sed 's/^File .*//; s/byte=[0-9]*//; s/size_bytes=[0-9]*//'
}

# The samples of the recording NAME are those of perf script.
as_perf_script() {
    tm-merge -q --events -f jsonl "$data/$1.data" >events
    python3 "$TM_SRC/t/check/perf-script.py" "$data/$1.script" events
}

@test "a generated recording has stacks and names by time, forks, BPF, switches, tracepoints and losses" {
    made a.data
    frames_anywhere a.data >got
    diff -u "$data/perf-made.frames" got
}

@test "a recording in either byte order, from a pipe or compressed has the same rows" {
    made a.data
    rows a.data >want
    for words in big pipe "big pipe"; do
        made b.data $words
        rows b.data >got
        diff -u want got
    done
    rows - <b.data >got
    diff -u want got
    tar cf b.tar b.data
    tm-unpack b.tar | tm-emit -f frames | grep '^  \[' >got
    grep '^  \[' want | sed 's/file=0/file=1/' | diff -u - got
    type zstd || skip 'zstd is not installed'
    made b.data zstd
    rows b.data >got
    diff -u want got
}

@test "records of simpleperf itself are read: formats of tracepoints, and sizes of more than 16 bits" {
    made a.data
    tm-merge -q --events -f jsonl a.data >want
    tm-merge -q -f report a.data | grep 'not_shown: 3,'
    for words in simpleperf 'simpleperf inner'; do
        made b.data $words
        tm-merge -q --events -f jsonl b.data | sed 's/b\.data/a.data/' | diff -u want -
        tm-merge -q -f report b.data | grep 'not_shown: 5,'
    done
}

@test "functions, names of events and short build ids are those that simpleperf states, and calls are where it says" {
    cat >want <<'END'
"function":"compiled","mapping":"[anon:jit_app_cache]","rel_pc":28676
"function":"do_work","mapping":"[kernel.kallsyms]","rel_pc":1280
"function":"fresh","mapping":"/lib/new.so","rel_pc":32
"function":"main","mapping":"/bin/app","rel_pc":4096
"function":"main","mapping":"/bin/app","rel_pc":4112
"function":"main","mapping":"/bin/app","rel_pc":4160
"function":"step","mapping":"/bin/app","rel_pc":4176
"mapping":"/bin/tool","rel_pc":16,"build_id":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb00"
"name":"cpu-ticks"
"name":"sched:waking"
END
    for words in symbols 'symbols structs' 'symbols big structs' 'symbols pipe'; do
        made a.data $words
        tm-merge -q --events -f jsonl a.data | grep '"sample"' >got
        grep -oE -e '"function":"[a-z_]*","mapping":"[^"]*","rel_pc":[0-9]*' -e '"mapping":"/bin/tool","rel_pc":16,[^,]*' \
            -e '"name":"[a-z]+[-:][a-z]+"' got | sort -u | diff -u want -
    done
    made a.data symbols damaged
    run -1 tm-merge -f jsonl a.data
    tm-merge -q --on-damage=skip --events -f jsonl a.data | grep '"function":"main"'
}

@test "a switch on a cpu past the limit is damage" {
    made a.data cpus
    run tm-merge -f jsonl a.data
    [ "$status" -eq 1 ]
    tm-merge -q --on-damage=skip --events -f jsonl a.data >events
    [ "$(grep -c '"kind":"sched_switch"' events)" -eq 2 ]
    tm-merge -q --on-damage=skip -f report a.data | grep 'damaged: 1'
}

@test "recordings of tracepoints with stacks, from a pipe and compressed have the samples and stacks of perf script" {
    as_perf_script perf-sched
    as_perf_script perf-pipe
    as_perf_script perf-zstd
}

@test "a group of events gives a sample for each member that has counted since the last one" {
    as_perf_script perf-group
    [ "$(grep -c '"name":"page-faults"' events)" -gt 5 ]
    made a.data group
    rows a.data >want
    for words in big pipe "big pipe"; do
        made b.data group $words
        rows b.data >got
        diff -u want got
    done
    tm-merge -q --events -f jsonl a.data >events
    python3 - <<'END' >got
import json
for line in open('events'):
    e = json.loads(line)
    if e['kind'] == 'sample':
        print(e['ts'], e['tid'], e['name'], e['value'])
END
    diff -u - got <<'END'
1000 101 cpu-clock 500
1000 101 page-faults 7
2000 101 cpu-clock 300
3000 102 cpu-clock 100
3000 102 page-faults 2
3000 101 cpu-clock 50
3000 101 page-faults 60
4000 101 cpu-clock 50
5000 101 cpu-clock 100
7000 101 sched:sched_waking 1
7000 101 cpu-clock 50
8000 101 sched:sched_waking 0
9000 101 task-clock 40
9500 101 task-clock 50
END
    [ "$(grep -c '"kind":"sched_waking"' events)" -eq 2 ]
    frames_anywhere a.data | grep 'Account .*reason="needs_state" count=1'
    frames_anywhere a.data | grep 'Account .*reason="not_shown" count=2' # the other one is a record AUXTRACE
}

@test "groups of inherited events count by thread, and with the newest records first the recorded periods are used" {
    made a.data threads
    tm-merge -q --events -f jsonl a.data | grep '"ts":3000,"name":"cpu-clock","value":900,.*"tid":102,'
    tm-merge -q --events -f jsonl a.data | grep '"ts":4000,"name":"cpu-clock","value":150,.*"tid":101,'
    made a.data backward
    tm-merge -q --events -f jsonl a.data >events
    [ "$(grep -c '"kind":"sample".*"value":1000' events)" -eq "$(grep -c '"kind":"sample"' events)" ]
    [ "$(grep -c '"kind":"sample"' events)" -eq 11 ]
}

@test "a group with more members than its record holds is damage" {
    made a.data group more
    run tm-merge --events -f jsonl a.data
    [ "$status" -eq 1 ]
    [[ "$output" == *"a.data: byte "*": a record of type 9 is too short for its fields"* ]]
    for how in skip salvage; do
        run --separate-stderr tm-merge --on-damage=$how --events -f jsonl a.data
        [ "$status" -eq 0 ]
        [[ "$output" == *'"ts":9500,'* ]]
        [[ "$output" != *'"ts":9900,'* ]]
        [[ "$stderr" == *damaged* ]]
    done
}

@test "--call-graph dwarf gives samples with the kernel's part of the stack, and counts stacks that are not unwound" {
    tm-merge -q --events -f jsonl "$data/perf-dwarf.data" >events
    python3 "$TM_SRC/t/check/perf-script.py" -u "$data/perf-dwarf.script" events
    tm-merge -q -f report "$data/perf-dwarf.data" | grep '  perf_data_user_stacks_not_unwound = 6 (info, '
}

@test "the task of an event of -1 is that of the tracepoint, or thread 4294967295 as in the reference" {
    for words in '' big; do
        made a.data ended $words
        tm-merge -q --events -f jsonl a.data >events
        grep '"kind":"sched_waking","ts":5700,"comm":"tool","waker_tid":100,' events
        grep '"kind":"sample","ts":5700,.*"tid":100,' events
        grep '"kind":"sample","ts":5800,.*"pid":4294967295,"tid":4294967295,' events
        tm-merge -q -o a.pftrace a.data
        tm-merge -q --events -f jsonl a.pftrace | grep '"kind":"sample","ts":5800,.*"tid":4294967295,'
        tm-merge -q -o a.db a.data
        [ "$(sqlite3 a.db "SELECT t.tid, s.cpu_mode, c.depth, f.name FROM perf_sample s JOIN thread t USING (utid)
                               JOIN stack_profile_callsite c ON c.id = s.callsite_id
                               JOIN stack_profile_frame f ON f.id = c.frame_id WHERE s.ts = 5800")" = \
            '4294967295|user|1|' ]
    done
}

@test "a sample without a process is in that of its thread, also if thread -1 made it" {
    made a.data orphan
    tm-merge -q -o a.pftrace a.data
    python3 "$TM_SRC/t/check/list-packets.py" -f 66.2 -f 66.3 a.pftrace >packets
    grep -q ' 66.2=103 66.3=103$' packets
}

@test "threads have their names and processes" {
    tm-merge -q -o x.db "$data/perf-sched.data"
    [ "$(sqlite3 x.db "SELECT t.name, p.name FROM thread t JOIN process p USING (upid) WHERE t.tid = p.pid AND t.tid > 0 ORDER BY 1")" = \
        'ls|ls
sh|sh
sleep|sleep' ]
    [ "$(sqlite3 x.db "SELECT count(*) FROM sched_slice JOIN thread USING (utid) WHERE name = 'ls'")" -gt 0 ]
}

@test "a process from before the recording has the name of its main thread in the Perfetto trace" {
    made a.data
    tm-merge -q -o a.pftrace a.data
    python3 "$TM_SRC/t/check/list-packets.py" -f 60.3.1 -f 60.3.6 a.pftrace | grep -q ' 60.3.1=100 60.3.6=app$'
}

@test "the Perfetto trace has build ids" {
    made a.data
    tm-merge -q -o a.pftrace a.data
    python3 - <<'END'
data = open('a.pftrace', 'rb').read()
assert bytes(range(1, 21)) in data and bytes([0xaa] * 8) in data
END
}

@test "the Perfetto trace states what samples count, the cpu mode and the addresses of mappings" {
    tm-merge -q -o m.pftrace "$data/perf-sched.data"
    python3 "$TM_SRC/t/check/list-packets.py" -f 59.12.1.10 -f 66.1 -f 66.5 -f 66.6 m.pftrace >packets
    [ "$(grep -c ' 59.12.1.10=' packets)" -eq 3 ] # a sequence for each event
    [ "$(grep ' 59.12.1.10=cpu-clock ' packets | cut -d' ' -f8-)" = '66.1=1 66.5=2 66.6=2500000' ]
    [ "$(grep '^2943713999207 ' packets | cut -d' ' -f7-)" = '66.1=1 66.5=2 66.6=5000000' ] # counts are sums
    [ "$(grep '^2943716093854 .* 66' packets | cut -d' ' -f7-)" = '66.1=1 66.5=1 66.6=2' ]  # for each event separately
    tm-merge -q --events -f jsonl "$data/perf-both.data" | grep -c '"kind":"sample"' >samples
    [ "$(cat samples)" -eq 49 ] # the place of a tracepoint is its stack
    tm-unpack "$data/perf-sched.data" | tm-emit -f frames | grep 'mapping="/usr/bin/dash"' >frames
    grep -q 'mapping_start=[0-9]* mapping_end=[0-9]*' frames
}

@test "facts that the recording states about itself are attributes of the Perfetto trace" {
    tm-merge -q -o m.pftrace "$data/perf-sched.data"
    tm-merge -q -o m.db m.pftrace
    of="SELECT str_value FROM metadata WHERE name = 'trace_attribute.tracemerge.file.0"
    [[ $(sqlite3 m.db "$of.perf_cmdline'") == *"perf record"*"-e sched:sched_switch"* ]]
    [ -n "$(sqlite3 m.db "$of.system_release'")" ]
    [ "$(sqlite3 m.db "SELECT count(*) FROM metadata WHERE name LIKE '%file.0.%trace_time%'")" -eq 0 ]
}

@test "a main thread's name in the first record of a task also names its process" {
    tm-merge -q -o m.pftrace "$data/perf-both.data"
    for made in "$data/perf-both.data" m.pftrace; do
        rm -f p.db
        tm-merge -q -o p.db "$made"
        [ "$(sqlite3 p.db 'SELECT name FROM process WHERE pid = 22794')" = mv ]
    done
}

@test "the clock is the recorded one, and the time of day is a snapshot" {
    for case in '|MONOTONIC' 'raw|MONOTONIC_RAW' 'real|REALTIME' 'tai|TRACE_FILE'; do
        made a.data ${case%|*}
        tm-unpack a.data | tm-manifest | tm-clocks | tm-emit -f frames >frames.txt
        grep -q "^@.* TraceTime clock=.*" frames.txt
        tm-merge -q -f report a.data | grep -q "${case#*|}" || { echo "$case"; false; }
        tm-merge -q --events -f jsonl a.data | grep -q '"kind":"sample","ts":1800,'
    done
    made a.data
    printf '7 1700000000.000002 getpid() = 7\n' >b.txt
    tar cf run.tar a.data b.txt
    tm-merge -q --events -f jsonl run.tar | grep -q '"ts":3000,.*"name":"getpid"'
    made a.data old
    tm-unpack a.data | tm-emit -f frames | grep -q 'clock_policy=MONOTONIC'
    ! tm-unpack a.data | tm-emit -f frames | grep -q Snapshot || false
}

@test "a recording that did not end, or is damaged, is read by the rules of --on-damage" {
    made a.data
    head -c 3000 a.data >cut.data
    run tm-merge cut.data
    [ "$status" -eq 1 ]
    [[ "$output" == *"cut.data: byte 3000: cut short: perf record did not end this file (--on-damage=skip or salvage goes on)" ]]
    run --separate-stderr tm-merge --on-damage=skip --events -f jsonl cut.data
    [ "$status" -eq 0 ]
    [[ "$output" == *'"kind":"sample"'* ]]
    [[ "$stderr" == *damaged* ]]
    python3 - <<'END'
data = bytearray(open('a.data', 'rb').read())
at = data.index((3000).to_bytes(8, 'little')) - 32 # makes the first sample's size invalid
data[at + 6:at + 8] = b'\0\0'
open('bad.data', 'wb').write(data)
END
    run tm-merge bad.data
    [ "$status" -eq 1 ]
    [[ "$output" == *"no record (type 9, size 0)"* ]]
    run --separate-stderr tm-merge --on-damage=skip --events -f jsonl bad.data
    [ "$status" -eq 0 ]
    [[ "$output" != *'"ts":2400'* ]]
    run --separate-stderr tm-merge --on-damage=salvage --events -f jsonl bad.data
    [ "$status" -eq 0 ]
    [[ "$output" == *'"ts":2400'* ]]
    [[ "$output" != *'"ts":3000'* ]]
}

@test "the command line is a list of words, or one string as hiperf writes it" {
    made a.data
    made b.data hiperf
    tm-merge -f report a.data | grep -q ' perf_cmdline = perf record (host)$'
    tm-merge -f report b.data | grep -q ' perf_cmdline = ./hiperf record -d (host)$'
}

@test "damage in the header's features, and in records that become no rows, is an error or is counted" {
    made a.data damaged
    run tm-unpack a.data
    [ "$status" -eq 1 ]
    [[ "$output" == *"a.data: byte "*": feature 1 of the header is damaged (--on-damage=skip or salvage goes on)" ]]
    tm-unpack --on-damage=skip a.data | tm-emit -f frames >frames
    grep 'Account .*reason="damaged" count=6 ' frames
    grep -q 'kind=sample' frames
    for word in '' pipe; do
        made b.data short $word
        run tm-unpack b.data
        [ "$status" -eq 1 ]
        [[ "$output" == *"b.data: byte "*": a record of type 1 is too short for its fields (--on-damage=skip or salvage goes on)" ]]
        tm-unpack --on-damage=skip b.data | tm-emit -f frames | grep 'Account .*reason="damaged" count=5 '
    done
    made b.data named
    run tm-unpack b.data
    [[ "$output" == *"b.data: byte "*": the name of an event exceeds the limit of 4096 bytes"* ]]
}

@test "the text of an event and the frames of a sample have limits, however often a few bytes name them" {
    made a.data wide deep
    [ "$(wc -c <a.data)" -lt 300000 ]
    tm-unpack a.data >unpacked
    [ "$(wc -c <unpacked)" -lt 6000000 ]
    tm-emit -f frames <unpacked >frames
    grep 'Stat name="perf_data_tracepoints_cut" severity=DATA_LOSS value=1 ' frames
    grep 'Stat name="perf_data_stacks_cut" severity=DATA_LOSS value=1 ' frames
    grep 'kind=sched_waking .*raw_bytes=59989$' frames # with the first of these fields
    for word in many named; do
        made b.data $word
        run tm-unpack b.data
        [ "$status" -eq 1 ]
        [[ "$output" == *"more than the limit of 1024 fields of one tracepoint"* || $word != many ]]
        [[ "$output" == *"the name of an event exceeds the limit of 4096 bytes"* || $word != named ]]
    done
}

@test "perf record and ftrace on one clock show the same switches, also as Perfetto traces" {
    tm-merge -q -o ftrace.pftrace "$data/perf-both.txt"
    cp "$data/perf-both.data" .
    for other in "$data/perf-both.txt" ftrace.pftrace; do
        tm-merge -q --events -f jsonl perf-both.data "$other" >events
        python3 - <<'END'
import json
files = {}
for line in open('events'):
    e = json.loads(line)
    if e['kind'] == 'sched_switch':
        files.setdefault('perf-both.data' in e['file'], []).append(e)
assert len(files[True]) == 49
for e in files[True]: # the same switch, which ftrace records slightly earlier
    same = [f for f in files[False] if all(e[key] == f[key] for key in ('cpu', 'prev_tid', 'next_tid', 'prev_comm'))]
    assert min(abs(e['ts'] - f['ts']) for f in same) < 10000, e
END
    done
}
