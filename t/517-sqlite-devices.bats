#!/usr/bin/env bats
# Kernel events of devices: jobs of GPUs and fences, displays and panels, video, virtual devices, file systems,
# contiguous memory, Trusty, buses, sensors. The expected rows are the reference importer's.

bats_require_minimum_version 1.5.0

setup_file() {
    export PYTHONDONTWRITEBYTECODE=1
    python3 "$TM_SRC/t/gen/make-kernel.py" <"$TM_SRC/t/gen/devices.lines" >"$BATS_FILE_TMPDIR/make-devices.pftrace"
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    export PYTHONDONTWRITEBYTECODE=1
    cp "$BATS_FILE_TMPDIR/make-devices.pftrace" .
}

rows() { # DATABASE
    sqlite3 "$1" "SELECT s.ts, s.dur, s.thread_dur, s.category, s.name, t.type, t.name, (SELECT group_concat(key || '=' ||
            coalesce(display_value, 'NULL'), ' ') FROM args a WHERE a.arg_set_id = s.arg_set_id)
            FROM slice s JOIN track t ON t.id = s.track_id ORDER BY s.ts, s.id;
        SELECT c.ts, t.type, t.name, c.value FROM counter c JOIN track t ON t.id = c.track_id ORDER BY c.ts, c.id;
        SELECT DISTINCT t.type, t.name, a.key, a.display_value FROM track t JOIN args a
            ON a.arg_set_id = t.dimension_arg_set_id WHERE a.key NOT IN ('utid', 'upid', 'cpu') ORDER BY t.type, t.id;
        SELECT o.ts, o.name, i.ts, i.name FROM flow f JOIN slice o ON o.id = f.slice_out JOIN slice i ON i.id = f.slice_in
            ORDER BY 1, 3;
        SELECT name, value FROM stats WHERE severity = 'error'"
}

@test "each event has the slice, instant or counter of the reference, with its track and args" {
    tm-merge -o d.db make-devices.pftrace
    diff "$TM_SRC/t/gen/devices.rows" <(rows d.db)
}

@test "a merged trace that is read again has the same rows" {
    tm-merge -o m.pftrace make-devices.pftrace
    tm-merge -o m.db m.pftrace
    diff "$TM_SRC/t/gen/devices.rows" <(rows m.db)
}

@test "events that the trace describes have names and args, and those of drivers are slices and counters" {
    python3 "$TM_SRC/t/gen/make-kernel.py" >g.pftrace <<'END'
process 100 shop
describe 70000 fan_speed 1:3:rpm 2:9:where 3:4:big 4:17:delta
describe 70001 dsp_work 1:13:track_event_type 2:9:slice_name
describe 70002 dsp_load 1:3:counter_value 2:9:track_name 3:5:scope_cpu
describe 70003 npu_work 1:13:track_event_type 2:9:slice_name 3:4:scope_npu 4:9:track_name
describe 70004 npu_bytes 1:4:counter_value 2:5:scope_tgid
describe 70007 cpu_work 1:13:track_event_type 2:9:slice_name 3:5:scope_cpu
describe 70005 refused 40:4:field
1000 0 5 #70000 1=-1 2=left 3=18446744073709551615 4=3 9=7
2000 0 5 #70001 1=66 2=decode
2010 0 6 #70001 1=66 2=encode
2020 0 5 #70001 1=69 2=decode
2030 0 6 #70001 1=73 2=done
2040 0 5 #70001 1=88 2=odd
2050 0 5 #70001 1=66
3000 0 5 #70002 1=-5 2=busy 3=2
3010 0 5 #70002 1=-5 2=busy
4000 0 5 #70003 1=66 2=layer 3=1 4=npu
4010 0 5 #70003 1=66 2=layer 3=2 4=npu
4020 0 5 #70003 1=69 2= 3=1 4=npu
5000 0 5 #70004 1=4096 2=100
5100 1 5 #70007 1=66 2=idle 3=6
5110 2 5 #70007 1=69 2=idle 3=6
6000 0 5 #70005 40=1
6010 0 5 #70006 1=1
END
    tm-merge -q -o g.db g.pftrace
    diff - <(rows g.db; sqlite3 g.db "SELECT e.ts, e.name, group_concat(a.key || '=' || a.display_value, ' ') FROM ftrace_event e
        LEFT JOIN args a USING (arg_set_id) WHERE e.ts < 3000 OR e.ts > 5000 GROUP BY e.id ORDER BY e.ts") <<'END'
2000|20|||decode|kernel_trackevent_thread_slice|dsp_work|
2010|-1|||encode|kernel_trackevent_thread_slice|dsp_work|
2030|0|||done|kernel_trackevent_thread_slice|dsp_work|
4000|20|||layer|kernel_trackevent_custom_slice|npu|
4010|-1|||layer|kernel_trackevent_custom_slice|npu|
5100|10|||idle|kernel_trackevent_cpu_slice|cpu_work|
3000|kernel_trackevent_cpu_counter|busy|-5.0
5000|kernel_trackevent_process_counter|npu_bytes|4096.0
kernel_trackevent_cpu_counter|busy|tracepoint|dsp_load
kernel_trackevent_cpu_counter|busy|name|busy
kernel_trackevent_cpu_slice|cpu_work|tracepoint|cpu_work
kernel_trackevent_cpu_slice|cpu_work|name|cpu_work
kernel_trackevent_custom_slice|npu|scope|1
kernel_trackevent_custom_slice|npu|tracepoint|npu_work
kernel_trackevent_custom_slice|npu|name|npu
kernel_trackevent_custom_slice|npu|scope|2
kernel_trackevent_process_counter|npu_bytes|tracepoint|npu_bytes
kernel_trackevent_process_counter|npu_bytes|name|npu_bytes
kernel_trackevent_thread_slice|dsp_work|tracepoint|dsp_work
kernel_trackevent_thread_slice|dsp_work|name|dsp_work
ftrace_generic_descriptor_errors|4
kernel_trackevent_format_error|3
1000|fan_speed|big=18446744073709551615 delta=-2 rpm=-1 where=left
2000|dsp_work|slice_name=decode track_event_type=66
2010|dsp_work|slice_name=encode track_event_type=66
2020|dsp_work|slice_name=decode track_event_type=69
2030|dsp_work|slice_name=done track_event_type=73
2040|dsp_work|slice_name=odd track_event_type=88
2050|dsp_work|track_event_type=66
5100|cpu_work|scope_cpu=6 slice_name=idle track_event_type=66
5110|cpu_work|scope_cpu=6 slice_name=idle track_event_type=69
END
    [ "$(sqlite3 g.db "SELECT cpu, type FROM cpu_track WHERE cpu > 2")" = '6|kernel_trackevent_cpu_slice' ]
    tm-merge -q --only name=layer -o o.db g.pftrace
    [ "$(sqlite3 o.db 'SELECT ts, dur FROM slice ORDER BY ts' | tr '\n' ' ')" = '4000|20 4010|-1 ' ]
}

@test "of too many batches of a GPU the oldest are lost" {
    {
        for ((i = 1; i <= 1024; i++)); do
            echo "$((1000 + i)) 0 5 #536 1=7 2=$i 3=1920 4=3"
        done
        echo "3000 0 5 #537 1=7 2=1 6=1920 7=1932 8=3" # removes the first
        for ((i = 1025; i <= 1027; i++)); do           # the second and the third are dropped
            echo "$((3000 + i)) 0 5 #536 1=7 2=$i 3=1920 4=3"
        done
        for i in 4 1024 1027 2 3; do
            echo "$((5000 + i)) 0 5 #537 1=7 2=$i 6=1920 7=1932 8=3"
        done
    } | python3 "$TM_SRC/t/gen/make-kernel.py" >batches.pftrace
    tm-merge -q -o b.db batches.pftrace
    [ "$(sqlite3 b.db "SELECT ts FROM slice WHERE name = 'GPU' ORDER BY ts" | tr '\n' ' ')" = '1001 1004 2024 4027 ' ]
}

@test "the reference importer gives the same rows" {
    [ -n "${TRACE_PROCESSOR-}" ] || skip 'TRACE_PROCESSOR is not set'
    "$TM_SRC/t/check/database" -t "$TRACE_PROCESSOR" -b "$TM_BIN" make-devices.pftrace
    "$TM_SRC/t/check/viewers" -t "$TRACE_PROCESSOR" -b "$TM_BIN" -f pftrace make-devices.pftrace
}

@test "--only keeps slices of queues whole" {
    tm-merge --only name=job -o j.db make-devices.pftrace
    [ "$(sqlite3 j.db 'SELECT ts, dur, name FROM slice ORDER BY ts')" = $'2100|100|job\n2200|100|job\n2600|100|job\n2800|-1|job' ]
    tm-merge --only name=fence -o f.db make-devices.pftrace
    [ "$(sqlite3 f.db 'SELECT ts, dur FROM slice ORDER BY ts')" = $'3000|200\n3200|50\n3250|150' ]
    tm-merge --only name=android_fs_data_read -o r.db make-devices.pftrace
    [ "$(sqlite3 r.db 'SELECT ts, dur FROM slice ORDER BY ts')" = $'31000|100\n31010|190' ]
}

@test "lines and JSON have the same slices" {
    tm-merge make-devices.pftrace >lines
    grep -q '100ns job fence context=77' lines
    tm-merge -f json make-devices.pftrace 2>warnings >j.json
    [ "$(jq -c '[.traceEvents[] | select(.name == "vblank-3" or .args.name == "vblank-3")] | length' j.json)" = 1 ]
    [ "$(jq -c '[.traceEvents[] | select(.name == "job")] | length' j.json)" = 4 ]
}

@test "events of a driver that repeat or go back change nothing that is open" {
    python3 "$TM_SRC/t/gen/make-kernel.py" >k.pftrace <<'END'
1000 0 5 #416 1=5 3=1 4=r
1100 0 5 #414 1=5 3=7 4=r
1200 0 5 #416 1=5 3=6 4=r
1300 0 5 #416 1=5 3=9 4=r
2000 0 5 #592 1=1 2=1
2100 0 5 #594 1=a 5=1 6=1
2200 0 5 #594 1=a 5=1 6=1
2300 0 5 #592 1=1 2=1
2400 0 5 #592 1=1 2=1
3000 0 5 #29 1=3 2=1
3100 0 5 #27 1=999 2=0
4000 0 5 #431 2=1 3=1
4100 0 5 #272 5=2
END
    tm-merge -o k.db k.pftrace
    [ "$(sqlite3 k.db 'SELECT ts, dur, name FROM slice ORDER BY ts')" = $'1100|200|fence\n2100|200|job\n2300|-1|job' ] ||
        { sqlite3 k.db 'SELECT ts, dur, name FROM slice'; false; }
    [ "$(sqlite3 k.db "SELECT count(*) FROM stats WHERE severity = 'error'")" = 0 ]
    if [ -n "${TRACE_PROCESSOR-}" ]; then
        "$TM_SRC/t/check/database" -t "$TRACE_PROCESSOR" -b "$TM_BIN" -c slices k.pftrace
    fi
}

@test "an event of firmware without its own time is damaged" {
    python3 "$TM_SRC/t/gen/make-kernel.py" >f.pftrace <<'END'
37035 0 5 #506 1=1 2=1
37080 0 5 #596 2=1 4=no 5=10
37090 0 5 #600 2=1 4=no 5=1
END
    tm-merge -q -o f.db f.pftrace
    [ "$(sqlite3 f.db "SELECT value FROM stats WHERE name = 'ftrace_bundle_tokenizer_errors'; SELECT count(*) FROM ftrace_event")" = \
        $'3\n0' ]
    tm-merge -f report f.pftrace 2>/dev/null | grep -q 'damaged: 3,'
}

@test "batches of an Adreno GPU: the first of equal events counts, whichever of a pair comes first" {
    {
        for i in $(seq 2000); do
            echo "$((20000 + i)) 0 5 #536 1=1 2=$i 3=192000"
        done
        cat <<'END'
30000 0 5 #537 1=1 2=2000 6=192000 7=192012 8=1
30010 0 5 #537 1=1 2=1 6=192000 7=192012 8=1
30020 0 5 #537 1=1 2=5000 6=192024 7=192048 8=1
30030 0 5 #537 1=1 2=5000 6=192036 7=192048 8=1
31000 0 5 #536 1=1 2=5000 3=192000
31010 0 5 #536 1=1 2=5000 3=192000
32000 0 5 #537 1=1 2=5000 6=9223372036854775807 7=9223372036854775807 8=1
32010 0 5 #536 1=1 2=6000 3=192000
32020 0 5 #537 1=1 2=6000 6=191000 7=9223372036854775807 8=1
END
    } | python3 "$TM_SRC/t/gen/make-kernel.py" >k.pftrace
    tm-merge -o k.db k.pftrace
    [ "$(sqlite3 k.db 'SELECT ts, dur, name FROM slice ORDER BY ts')" = $'22000|625|GPU\n32250|1250|GPU' ] ||
        { sqlite3 k.db 'SELECT ts, dur, name FROM slice'; false; }
    tm-merge -f report k.pftrace | grep -q '0 dropped; the accounts balance'
}

@test "an Adreno GPU's batches belong to the process that queues them, once it is known" {
    python3 "$TM_SRC/t/gen/make-kernel.py" >k.pftrace <<'END'
1000 0 5 #536 1=7 2=1 3=192000
2000 0 100 #534 1=7 2=1
2500 0 5 #537 1=7 2=1 6=192001 7=192002 8=3
3000 0 5 #536 1=7 2=2 3=192000
4000 0 5 #537 1=7 2=2 6=192012 7=192024 8=3
process 100 app
END
    tm-merge -o k.db k.pftrace
    [ "$(sqlite3 k.db 'SELECT s.ts, t.name FROM slice s JOIN track t ON t.id = s.track_id ORDER BY s.ts')" = \
        $'1052|GPU app (Ctx=7, Prio=3)\n3625|GPU app (Ctx=7, Prio=3)' ]
    if [ -n "${TRACE_PROCESSOR-}" ]; then
        "$TM_SRC/t/check/database" -t "$TRACE_PROCESSOR" -b "$TM_BIN" k.pftrace
    fi
}

@test "texts of processors beyond the limit are counted" {
    python3 - "$TM_SRC/t/gen" >c.pftrace <<'PY'
import sys
sys.path.insert(0, sys.argv[1])
from wire import field
for machine in range(1, 6):
    cpus = b''.join(field(1, field(1, 'core %d of %d' % (n, machine))) for n in range(1000))
    sys.stdout.buffer.write(field(1, field(8, machine) + field(10, machine) + field(98, machine) + field(67, cpus)))
PY
    tm-merge -o c.db c.pftrace 2>&1 | grep facts >said
    diff - said <<'END'
tm-emit: warning: c.pftrace: 904 facts are beyond the limit of sqlite (tm-limits), and are left out
END
    [ "$(sqlite3 c.db "SELECT severity || sum(value) FROM stats WHERE name = 'facts_beyond_limits'")" = data_loss904 ]
    [ "$(sqlite3 c.db "SELECT count(*), count(processor) FROM cpu")" = '5000|4096' ]
}

@test "GPUs beyond the limit are counted" {
    python3 - "$TM_SRC/t/gen" >g.pftrace <<'PY'
import sys
sys.path.insert(0, sys.argv[1])
from wire import field
gpus = b''.join(field(1, field(1, 'adreno')) for _ in range(65536 + 2))
sys.stdout.buffer.write(field(1, field(8, 1) + field(10, 1) + field(128, gpus)))
PY
    tm-merge -o g.db g.pftrace 2>&1 | grep facts >said
    diff - said <<'END'
tm-emit: warning: g.pftrace: 2 facts are beyond the limit of sqlite (tm-limits), and are left out
END
    [ "$(sqlite3 g.db "SELECT severity || value FROM stats WHERE name = 'facts_beyond_limits'")" = data_loss2 ]
    [ "$(sqlite3 g.db "SELECT count(*) || min(name) FROM gpu")" = 65536adreno ]
}
