#!/usr/bin/env bats
# The clocks of the merged Perfetto trace: doc/pftrace.md, "Clocks". With TRACE_PROCESSOR set, results are also compared
# with the reference importer.

load lib/common

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# merged FILE...: merges them to m.pftrace, and that again to m.db. o.db is the database of FILEs.
merged() {
    tm-merge -o m.pftrace "$@"
    tm-merge -o o.db "$@"
    tm-merge -o m.db m.pftrace
}

# clocks DB [WHERE]: prints the readings in DB, except those of BOOTTIME, which is the timeline, and of the file's own
# clock.
clocks() {
    sqlite3 "$1" "SELECT DISTINCT c.ts, c.clock_id, c.clock_value, coalesce(m.name, '') FROM clock_snapshot c
        JOIN machine m ON m.id = c.machine_id WHERE clock_id NOT IN (6, 11) AND ${2:-true} ORDER BY 1, 2, 3, 4"
}

# same_clocks: both databases have the same readings.
same_clocks() {
    clocks o.db "$@" >want
    clocks m.db "$@" >got
    [ -s want ]
    diff want got
}

# frames_have TEXT...: the frames of the merged trace have TEXT.
frames_have() {
    tm-unpack m.pftrace | tm-emit -f frames >m.txt
    for text in "$@"; do
        grep -aqF -- "$text" m.txt || { echo "not there: $text"; return 1; }
    done
}

# as_reference QUERY [ORIGINAL]: the reference importer gives the same answer for m.pftrace and ORIGINAL. Does nothing
# without the importer.
as_reference() {
    [ -n "${TRACE_PROCESSOR-}" ] || return 0
    "$TRACE_PROCESSOR" -Q "$1" "$2" 2>/dev/null >want
    "$TRACE_PROCESSOR" -Q "$1" m.pftrace 2>/dev/null >got
    [ "$(wc -l <want)" -gt 1 ]
    diff want got
}

CONVERSIONS="SELECT ts, to_realtime(ts), to_monotonic(ts), abs_time_str(ts) FROM slice ORDER BY ts"
LOGS="SELECT ts, msg FROM android_logs ORDER BY ts, msg"

# A phone whose clocks drift: snapshots of all of them, a log, a heap dump, events.
phone() {
    proto "${1:-phone.pb}" <<'END'
snap 6=1000000 1=1700000000001000000 2=1700000000000000000 3=900000 4=880000 5=901000 130=7 seq=1
instant a 1500000 seq=1
log early 1700000000001700000 1600000 seq=2
heap 77 1080000 2000000 seq=3
snap 6=3000000 1=1700000000003000400 2=1700000000003000000 3=2900000 4=2880000 5=2901007 130=12 seq=1
log late 1700000000003500400 3600000 seq=2
instant b 4000000 seq=1
END
}

@test "the clocks of one file keep their readings, and so do times on them" {
    phone
    merged phone.pb
    same_clocks
    [ "$(sqlite3 m.db 'SELECT count(*) FROM clock_snapshot')" = "$(sqlite3 o.db 'SELECT count(*) FROM clock_snapshot')" ]
    [ "$(sqlite3 m.db 'SELECT count(DISTINCT snapshot_id) FROM clock_snapshot')" = 2 ]
    frames_have 'clock=1 value=1700000000001700000' 'clock=4 value=1080000'
    as_reference "$CONVERSIONS" phone.pb
    as_reference "$LOGS" phone.pb
    as_reference 'SELECT ts, heap_name, count, size FROM heap_profile_allocation ORDER BY ts' phone.pb
    as_reference 'SELECT ts, clock_id, clock_value FROM clock_snapshot ORDER BY 1, 2' phone.pb
}

@test "machines keep their placement, whatever their wall clocks read" {
    # A synchronization shows that the watch is 5 s late; its wall clock is an hour off.
    proto both.pb <<'END'
snap 6=9000000000 1=1700000000000000000 3=8000000000
instant host 9100000000 seq=1
sync client 6=4000000000 host 6=9000000000 / client 6=4000000000 host 6=9000000000 m=7
event 4100000000 m=7
snap 6=4000000000 1=1700003600000000000 3=3000000000 m=7
instant watch 4200000000 seq=1 m=7
log tick 1700003600300000000 4300000000 seq=2 m=7
END
    merged both.pb
    same_clocks 'c.clock_id != 6'
    [ "$(sqlite3 m.db 'SELECT ts, name FROM slice ORDER BY ts')" = "$(printf '9100000000|host\n9200000000|watch')" ]
    frames_have 'clock=1 value=1700003600300000000'
    as_reference "$CONVERSIONS" both.pb
    as_reference "$LOGS" both.pb
    as_reference 'SELECT value FROM stats WHERE name = "trace_sorter_negative_timestamp_dropped"' both.pb
}

@test "files that only the wall clock relates are not related by it in the merged trace" {
    proto a.pb <<<'snap 6=9000000000 1=1700000000000000000 3=8000000000
instant host 9100000000 seq=1'
    proto b.pb <<<'snap 6=4000000000 1=1700000001000000000 3=3000000000
instant watch 4200000000 seq=1
log tick 1700000001300000000 4300000000 seq=2'
    printf '{"perfetto_manifest": {"version": 1, "files": [{"path": "b.pb", "machine": {"name": "watch"}}]}}' >m.json
    tar cf run.tar m.json a.pb b.pb
    merged run.tar
    same_clocks 'c.ts > 0'
    [ "$(sqlite3 m.db 'SELECT ts, name FROM slice ORDER BY ts')" = "$(printf '9100000000|host\n10200000000|watch')" ]
    as_reference "$CONVERSIONS" run.tar
    as_reference "$LOGS" run.tar
}

@test "a machine's clocks with readings before any relation still place the times on them" {
    proto a.pb <<<'snap 6=9000000000 1=1700000000000000000 3=8000000000
instant host 9100000000 seq=1'
    proto b.pb <<<'snap 6=4000000000 1=1700000001000000000 3=3000000000 4=2990000000
instant watch 4200000000 seq=1
heap 77 3190000000 4600000000 seq=2'
    printf '{"perfetto_manifest": {"version": 1, "files": [{"path": "b.pb", "machine": {"name": "watch"}}]}}' >m.json
    tar cf run.tar m.json a.pb b.pb
    merged run.tar
    same_clocks 'c.ts > 0'
    # The merged trace has the snapshot for which the database has no row.
    frames_have 'clock=4 value=2990000000' 'clock=4 value=3190000000'
    query='SELECT ts, count, size FROM heap_profile_allocation ORDER BY ts'
    [ "$(sqlite3 m.db "$query")" = "$(sqlite3 o.db "$query")" ]
    [ "$(sqlite3 m.db "$query LIMIT 1" | cut -d'|' -f1)" = 10200000000 ]
    as_reference "$CONVERSIONS" run.tar
    as_reference "$query" run.tar
    as_reference 'SELECT ts, clock_id, clock_value FROM clock_snapshot WHERE ts > 1 ORDER BY 1, 2' run.tar
}

@test "a second capture of one machine that contradicts the first does not move times of either" {
    proto a.pb <<<'snap 6=9000000000 1=1700000000000000000 3=8000000000
log one 1700000000500000000 9500000000 seq=2
instant first 9100000000 seq=1
snap 6=12000000000 1=1700000003000000000 3=11000000000'
    proto b.pb <<<'snap 6=10000000000 1=1700009999000000000 3=100000000
log two 1700009999250000000 10250000000 seq=2
instant second 10200000000 seq=1'
    tar cf run.tar a.pb b.pb
    merged run.tar
    same_clocks
    # The log of the second file is on the wall clock of the first.
    frames_have 'clock=1 value=1700000000500000000' 'clock=1 value=1700000001250000000'
    [ "$(sqlite3 m.db 'SELECT ts, name FROM slice ORDER BY ts')" = "$(printf '9100000000|first\n10200000000|second')" ]
    as_reference "$CONVERSIONS" run.tar
    as_reference "$LOGS" run.tar
}

@test "a wall clock that is set back keeps all its readings" {
    proto back.pb <<<'snap 6=9000000000 1=1700000000000000000 3=8000000000
log one 1700000000500000000 9500000000 seq=2
snap 6=10000000000 1=1699996401000000000 3=9000000000
instant after 10200000000 seq=1
snap 6=12000000000 1=1699996403000000000 3=11000000000
instant last 12200000000 seq=1'
    merged back.pb
    same_clocks
    as_reference "$CONVERSIONS" back.pb
}

@test "readings beyond the limit of a merged trace are counted by file" {
    python3 - "$TM_SRC/t/gen" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from wire import field
clocks = b''.join(field(1, field(1, c) + field(2, 9)) for c in [6, *range(200, 299)])
snapshot = field(1, field(10, 1) + field(6, clocks))
event = field(1, field(8, 9) + field(10, 1) + field(11, field(9, 3) + field(23, 'e')))
open('many.pb', 'wb').write(snapshot * 10486 + event)
END
    tm-merge -o m.pftrace many.pb 2>err
    limit="many.pb: 24 readings of clocks are beyond the limit of pftrace (tm-limits), and are left out"
    [ "$(cat err)" = "tm-emit: warning: $limit" ]
    tm-merge -f report m.pftrace | grep -q 'trace_attribute.tracemerge.file.0.left_out.surplus_clock_readings = 24'
}

@test "a wall clock that is set back on a machine without the trace-time clock loses readings, counted by file" {
    # The host is the machine of trace time until the watch is.
    proto both.pb <<'END'
snap 6=9000000000 1=1700000000000000000 3=8000000000
snap 6=10000000000 1=1699996401000000000 3=9000000000
snap 6=12000000000 1=1700000003000000000 3=11000000000
sync client 6=4000000000 host 6=9000000000 / client 6=4000000000 host 6=9000000000 m=7
snap 6=4000000000 1=1700000001000000000 3=3000000000 m=7
instant host 9100000000 seq=1
instant watch 6200000000 seq=1 m=7
END
    tm-merge -o m.pftrace both.pb 2>err
    [ "$(cat err)" = "tm-emit: warning: both.pb: 1 reading of a clock contradicts others of the machine, and is not in pftrace" ]
    tm-merge -f report m.pftrace | grep -q 'trace_attribute.tracemerge.file.0.left_out.clock_readings = 1'
    tm-merge -o m.db m.pftrace
    tm-merge -o o.db both.pb 2>err
    [ ! -s err ] # a database has it
    clocks m.db >got
    clocks o.db >want
    run diff want got
    [ "$output" = "$(printf '5d4\n< 10000000000|1|1699996401000000000|')" ] || { echo "$output"; false; }
}

@test "trace time on a clock other than BOOTTIME is that clock's in the merged trace" {
    proto a.pb <<<'snap 6=9000000000 1=1700000000000000000 3=8000000000 primary=3
log one 1700000000500000000 8500000000 seq=2
instant first 8100000000 seq=1'
    proto b.pb <<<'snap 6=4000000000 1=1700000001000000000 3=3000000000
instant watch 4200000000 seq=1'
    printf '{"perfetto_manifest": {"version": 1, "files": [{"path": "b.pb", "machine": {"name": "watch"}}]}}' >m.json
    tar cf run.tar m.json a.pb b.pb
    for input in a.pb run.tar; do
        merged $input
        same_clocks 'c.ts > 0'
        [ "$(sqlite3 m.db "SELECT int_value FROM metadata WHERE name = 'trace_time_clock_id'")" = 3 ]
        frames_have 'clock=1 value=1700000000500000000'
        as_reference "$CONVERSIONS" $input
        as_reference "$LOGS" $input
        as_reference "SELECT int_value FROM metadata WHERE name = 'trace_time_clock_id'" $input
    done
    [ "$(sqlite3 m.db 'SELECT ts, name FROM slice ORDER BY ts')" = "$(printf '8100000000|first\n9200000000|watch')" ]
}

@test "the trace-time clock is stated before clocks that only other snapshots relate to it" {
    proto a.pb <<<'snap 6=9000000000 1=1700000000000000000 3=8000000000 primary=3
snap 3=7000000000 64=100 seq=1 primary=3
event 7500000000
instant first 8100000000 seq=1'
    merged a.pb
    same_clocks 'clock_id != 64'
    [ "$(sqlite3 m.db "SELECT int_value FROM metadata WHERE name = 'trace_time_clock_id'")" = 3 ]
    as_reference "$CONVERSIONS" a.pb
}

@test "the start of a process keeps the time of its descriptor, on any clock" {
    proto a.pb <<<'snap 6=9000000000 64=5000:unit=1000 seq=1
default 64 seq=1
process 77 8500000000 5010 seq=1
instant first 5020 seq=1'
    merged a.pb
    sqlite3 m.db 'SELECT start_ts FROM process WHERE pid = 77' | grep -x 8500000000
    as_reference 'SELECT pid, start_ts FROM process WHERE start_ts IS NOT NULL' a.pb
}

@test "trace time can be that of a machine that is not the host" {
    proto a.pb <<<'snap 6=9000000000 1=1700000000000000000 3=8000000000
instant host 9100000000 seq=1'
    proto b.pb <<<'snap 6=4000000000 1=1700000001000000000 3=3000000000
instant watch 4200000000 seq=1
snap 6=5000000000 1=1699999999000000000 3=4000000000
instant later 5200000000 seq=1'
    printf '{"perfetto_manifest": {"version": 1, "trace_time": {"clock": "BOOTTIME", "file": "b.pb"},
        "files": [{"path": "b.pb", "machine": {"name": "watch"}}]}}' >m.json
    tar cf run.tar m.json b.pb a.pb
    merged run.tar
    same_clocks 'c.ts > 0'
    sqlite3 o.db 'SELECT ts, name FROM slice ORDER BY ts' >want
    sqlite3 m.db 'SELECT ts, name FROM slice ORDER BY ts' | diff want -
    as_reference "$CONVERSIONS" run.tar
}

@test "times on other clocks of the host keep their places if another machine has the trace-time clock" {
    proto a.pb <<'END'
snap 6=9000000000 1=1700000000000000000 3=8000000000 4=7990000000
instant host 9100000000 seq=1
heap 77 8190000000 9600000000 seq=2
log tick 1700000000300000000 9300000000 seq=2
snap 6=9900000000 1=1700000000900000700 3=8900000100 4=8890000000
log tock 1700000000900300000 9910300000 seq=2
END
    proto b.pb <<'END'
snap 6=4000000000 1=1700000001000000000 3=3000000000 4=2990000000
instant watch 4200000000 seq=1
heap 78 3190000000 4600000000 seq=2
log bee 1700000001300000000 4300000000 seq=2
END
    for clock in BOOTTIME MONOTONIC REALTIME; do
        printf '{"perfetto_manifest": {"version": 1, "trace_time": {"clock": "%s", "file": "b.pb"},
            "files": [{"path": "b.pb", "machine": {"name": "watch"}}]}}' $clock >m.json
        tar cf run.tar m.json b.pb a.pb
        merged run.tar
        for query in 'SELECT ts, msg FROM android_logs ORDER BY ts' \
            'SELECT ts, count, size FROM heap_profile_allocation ORDER BY ts' 'SELECT ts, name FROM slice ORDER BY ts'; do
            sqlite3 o.db "$query" >want
            [ -s want ]
            sqlite3 m.db "$query" | diff want -
            as_reference "$query" run.tar
        done
    done
}

@test "the merged trace states that it is a merge, its files, placements and version, and the manifest's attributes" {
    proto a.pb <<<'snap 6=9000000000
instant host 9100000000 seq=1'
    proto b.pb <<<'snap 6=4000000000
instant watch 4200000000 seq=1'
    printf '{"perfetto_manifest": {"version": 1, "attributes": {"build": "main-7", "run": 12},
        "files": [{"path": "b.pb", "machine": {"name": "watch"}}]}}' >m.json
    tar cf run.tar m.json a.pb b.pb
    merged run.tar
    version=$(tm-merge --version | sed 's/.* //')
    run sqlite3 m.db "SELECT name, coalesce(str_value, int_value) FROM metadata WHERE name LIKE 'trace_attribute.%' ORDER BY 1"
    echo "$output"
    [ "$output" = "trace_attribute.manifest_attribute.build|main-7
trace_attribute.manifest_attribute.run|12
trace_attribute.tracemerge.file.2|a.pb: proto, $(stat -c %s a.pb) bytes, 1 events; BOOTTIME(host) (trace_time, offset 0 ns)
trace_attribute.tracemerge.file.3|b.pb: proto, $(stat -c %s b.pb) bytes, 1 events; BOOTTIME(watch) = BOOTTIME(host) (same_domain, offset 0 ns)
trace_attribute.tracemerge.files|2
trace_attribute.tracemerge.version|$version" ]
    sqlite3 m.db "SELECT str_value FROM metadata WHERE name = 'trace_uuid'" | grep -x '[0-9a-f]\{8\}-[0-9a-f]\{4\}-8[0-9a-f]\{3\}-[89ab][0-9a-f]\{3\}-[0-9a-f]\{12\}'
    # A merged trace that is merged again is one of the files of the new merge.
    tm-merge -o again.pftrace m.pftrace
    tm-merge -o again.db again.pftrace
    sqlite3 again.db "SELECT str_value FROM metadata WHERE name = 'trace_attribute.tracemerge.file.0.version'" | grep -qFx "$version"
    sqlite3 again.db "SELECT str_value FROM metadata WHERE name = 'trace_uuid'" >again.uuid
    sqlite3 m.db "SELECT str_value FROM metadata WHERE name = 'trace_uuid'" | diff - again.uuid
}

@test "uuids of several traces are in the attributes of their files" {
    printf '%s\n' 'uuid 1 2' 'snap 6=1000' 'instant a 2000 seq=1' | proto a.pb
    printf '%s\n' 'uuid 3 4' 'snap 6=1000' 'instant b 3000 seq=1' | proto b.pb
    merged a.pb
    [ "$(sqlite3 m.db "SELECT str_value FROM metadata WHERE name = 'trace_uuid'")" = 00000000-0000-0001-0000-000000000002 ]
    merged a.pb b.pb
    [ "$(sqlite3 m.db "SELECT count(*) FROM metadata WHERE name = 'trace_uuid'")" = 1 ]
    sqlite3 m.db "SELECT str_value FROM metadata WHERE name LIKE 'trace_attribute.tracemerge.file.%' ORDER BY 1" >told
    grep -c 'uuid 00000000-0000-000[13]-0000-00000000000[24]$' told | grep -x 2
    python3 "$TM_SRC/t/check/lossless" -m "$TM_BIN/tm-merge" a.pb
}

@test "packets of Chrome are on the default clock if there is one, also after another merge" {
    proto chrome.pb <<<'snap 6=5000 3=1000
chrome 6000'
    merged chrome.pb
    for trace in chrome.pb m.pftrace; do
        tm-merge --strict -f jsonl --events $trace | grep -o '"kind":"packet","ts":[0-9]*' | grep -x '"kind":"packet","ts":6000'
    done
}
