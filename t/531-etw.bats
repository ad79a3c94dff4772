#!/usr/bin/env bats
# Events of Windows (ETW) in Perfetto traces: switches, wakings, counts of pages, requests to files and disks. The rows
# of t/gen/etw.rows are the reference importer's.

bats_require_minimum_version 1.5.0

setup_file() {
    export PYTHONDONTWRITEBYTECODE=1
    python3 "$TM_SRC/t/gen/make-etw.py" >"$BATS_FILE_TMPDIR/make-etw.pftrace"
}

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
    export PYTHONDONTWRITEBYTECODE=1
    cp "$BATS_FILE_TMPDIR/make-etw.pftrace" .
}

rows() { # DATABASE
    sqlite3 "$1" "SELECT s.ts, s.dur, s.cpu, t.tid, t.name, s.end_state, s.priority FROM sched s JOIN thread t USING (utid)
            ORDER BY s.ts, s.cpu;
        SELECT s.ts, s.dur, t.tid, s.state, s.cpu, s.io_wait, s.blocked_function, w.tid FROM thread_state s
            JOIN thread t USING (utid) LEFT JOIN thread w ON w.utid = s.waker_utid ORDER BY s.ts, s.id;
        SELECT s.ts, s.dur, s.category, s.name, t.type, th.tid, (SELECT display_value FROM args a WHERE
            a.arg_set_id = t.dimension_arg_set_id AND key = 'track_compressor_idx'), (SELECT group_concat(key || '=' ||
            display_value, ' ') FROM args a WHERE a.arg_set_id = s.arg_set_id) FROM slice s JOIN thread_track t
            ON t.id = s.track_id LEFT JOIN thread th USING (utid) ORDER BY s.ts, s.id;
        SELECT c.ts, t.type, t.name, t.unit, c.value FROM counter c JOIN counter_track t ON t.id = c.track_id
            ORDER BY c.ts, c.id;
        SELECT tid, name FROM thread ORDER BY tid;
        SELECT name, value FROM stats WHERE severity = 'error' ORDER BY name"
}

@test "the database has the rows of the reference" {
    tm-merge -q -o e.db make-etw.pftrace
    diff "$TM_SRC/t/gen/etw.rows" <(rows e.db)
}

@test "a merged trace that is read again has the same rows" {
    tm-merge -q -o m.pftrace make-etw.pftrace
    tm-merge -q -o m.db m.pftrace
    diff "$TM_SRC/t/gen/etw.rows" <(rows m.db)
}

@test "the reference importer gives the same rows, for every state, reason, opcode and class" {
    [ -n "${TRACE_PROCESSOR-}" ] || skip 'TRACE_PROCESSOR is not set'
    python3 "$TM_SRC/t/gen/make-etw.py" 1000 3 300 >make-etw-monotonic.pftrace
    "$TM_SRC/t/check/database" -t "$TRACE_PROCESSOR" -b "$TM_BIN" make-etw*.pftrace
    "$TM_SRC/t/check/viewers" -t "$TRACE_PROCESSOR" -b "$TM_BIN" -f pftrace make-etw*.pftrace
}

@test "each number of a state, reason, opcode or class has its name" {
    python3 "$TM_SRC/t/gen/make-etw.py" 1000 3 1 | tm-merge -q -o e.db
    [ "$(sqlite3 e.db "SELECT count(DISTINCT blocked_function) FROM thread_state")" = 37 ]
    [ "$(sqlite3 e.db "SELECT count(DISTINCT end_state) FROM sched")" = 8 ]
    [ "$(sqlite3 e.db "SELECT count(DISTINCT string_value) FROM args WHERE key = 'Info Class'")" = 81 ]
    [ "$(sqlite3 e.db "SELECT count(DISTINCT name) FROM slice WHERE ts BETWEEN 1240 AND 1323")" = 21 ]
}

# Packets name another clock, which does not apply to their events; the file's default clock does.
@test "times are on the file's default clock" {
    python3 "$TM_SRC/t/gen/make-etw.py" 50000 3 >z.pftrace
    tm-merge -q -o m.db z.pftrace
    diff <(sed 's/^/5/' <<<$'0010|100\n0015|200\n0020|101') \
        <(sqlite3 m.db 'SELECT ts, tid FROM sched JOIN thread USING (utid) ORDER BY ts LIMIT 3')
    tm-merge -q --sync z.pftrace:BOOTTIME=make-etw.pftrace:BOOTTIME --machine a=make-etw.pftrace --machine b=z.pftrace \
        -o both.db -o both.pftrace make-etw.pftrace z.pftrace
    same_text "$(sqlite3 both.db "SELECT m.name, min(ts), count(*) FROM sched JOIN cpu USING (ucpu) JOIN machine m
        ON m.id = machine_id GROUP BY 1")" $'a|1010|13\nb|45010|13'
    tm-merge -q -o again.db both.pftrace
    same_text "$(rows again.db)" "$(rows both.db)"
}

@test "an offset of the manifest moves the events" {
    python3 "$TM_SRC/t/gen/make-etw.py" 1000 0 >own.pftrace
    tm-merge -q --sync own.pftrace=make-etw.pftrace:BOOTTIME+1ms --machine a=make-etw.pftrace --machine b=own.pftrace \
        -o both.db -o both.pftrace make-etw.pftrace own.pftrace
    same_text "$(sqlite3 both.db "SELECT m.name, min(s.ts), max(s.ts) FROM slice s JOIN track t ON t.id = s.track_id
        JOIN machine m ON m.id = machine_id GROUP BY 1")" $'a|1100|1220\nb|1001100|1001220'
    tm-merge -q -o again.db both.pftrace
    same_text "$(rows again.db)" "$(rows both.db)"
}

@test "lines and JSON show the events, and events without a row are accounted for" {
    tm-merge make-etw.pftrace >lines 2>warnings
    grep -q 'cpu0  *sched  *10ns 101 priority=15 end_state="Waiting"' lines
    grep -q 'waking  *101 by 100$' lines
    grep -q '300  *slice  *10ns CreateFile .*NT Status=0' lines
    grep -q 'warning: make-etw.pftrace: 3 events dropped, damaged' warnings
    tm-merge -f report make-etw.pftrace 2>/dev/null | grep -q '46 events read, 43 placed, 3 dropped; the accounts balance' ||
        { tm-merge -f report make-etw.pftrace; false; }
    tm-merge -f json make-etw.pftrace 2>/dev/null >e.json
    [ "$(jq -c '[.traceEvents[] | select(.name == "ReadFile")] | map([.ph, .ts]) ' e.json)" = '[["b",1.105],["e",1.12]]' ]
    [ "$(jq -c '[.traceEvents[] | select(.name == "DiskRead") | [.ph, .tid, .dur]]' e.json)" = '[["X",301,0.03]]' ]
}

@test "--only keeps requests whole" {
    tm-merge -q --only name=ReadFile -o r.db make-etw.pftrace
    [ "$(sqlite3 r.db 'SELECT ts, dur FROM slice')" = '1105|15' ]
    tm-merge -q --only name=ReadFile -o r.pftrace make-etw.pftrace
    tm-merge -q -o r.db r.pftrace
    [ "$(sqlite3 r.db 'SELECT ts, dur FROM slice')" = '1105|15' ]
}

# At 1126 a request begins whose number is used again at 1130. Both have no length; the end of the stream shows that of
# the second.
@test "--only keeps requests without an end as slices of no length" {
    tm-merge -q --only name=DeletePath -o r.db make-etw.pftrace
    [ "$(sqlite3 r.db 'SELECT ts, dur, name FROM slice')" = '1130|0|DeletePath' ]
    tm-merge -q --only 'name=SetInformation' -o r.db make-etw.pftrace
    [ "$(sqlite3 r.db 'SELECT ts, dur, name FROM slice WHERE ts = 1126')" = '1126|0|SetInformation' ]
    tm-merge -q --only 'name=SetInformation,dur>=1ns' -o r.db make-etw.pftrace
    [ "$(sqlite3 r.db 'SELECT count(*) FROM slice WHERE ts = 1126')" = 0 ]
    tm-merge -q --only from=+120ns,to=+140ns -o r.db make-etw.pftrace
    [ "$(sqlite3 r.db 'SELECT ts, dur, name FROM slice WHERE ts BETWEEN 1126 AND 1130 ORDER BY ts')" = \
        $'1126|0|SetInformation\n1127|23|Info\n1128|0|Info\n1130|0|DeletePath' ]
}
