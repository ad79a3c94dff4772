#!/usr/bin/env bats
# Slices that cross each other, in a merged Perfetto trace.

load lib/common

@test "complete slices that cross keep their times" {
    cat >"$BATS_TEST_TMPDIR/x.json" <<'JSON'
[{"ph":"X","pid":1,"tid":2,"name":"long","ts":10,"dur":10},
 {"ph":"X","pid":1,"tid":2,"name":"inner","ts":10,"dur":2.5},
 {"ph":"X","pid":1,"tid":2,"name":"crosses","ts":15,"dur":10},
 {"ph":"X","pid":1,"tid":2,"name":"empty","ts":20,"dur":0},
 {"ph":"X","pid":1,"tid":2,"name":"open","ts":21}]
JSON
    tm-merge -o "$BATS_TEST_TMPDIR/m.pftrace" "$BATS_TEST_TMPDIR/x.json"
    tm-merge -o "$BATS_TEST_TMPDIR/m.db" "$BATS_TEST_TMPDIR/m.pftrace"
    run sqlite3 "$BATS_TEST_TMPDIR/m.db" 'SELECT ts, dur, name FROM slice ORDER BY ts, dur DESC'
    [ "$output" = "10000|10000|long
10000|2500|inner
15000|10000|crosses
20000|0|empty" ]
    # The file's name names the track below the thread's, whatever its folder. A reader would take the name of a slice.
    [ "$(python3 "$TM_SRC/t/check/list-packets.py" -f 60.2 "$BATS_TEST_TMPDIR/m.pftrace" | grep -o ' 60.2=.*' | sort -u)" = ' 60.2=x.json' ]
    # As in the archive, an event without a duration is no slice. It is counted.
    tm-merge -o "$BATS_TEST_TMPDIR/m.pftrace" "$BATS_TEST_TMPDIR/x.json" 2>"$BATS_TEST_TMPDIR/err"
    grep -qF '1 event of kind packet has no form in pftrace' "$BATS_TEST_TMPDIR/err"
}

@test "a slice of negative duration is not in the trace and is counted" {
    cd "$BATS_TEST_TMPDIR"
    cat >x.json <<'JSON'
[{"ph":"X","pid":1,"tid":2,"name":"back","ts":10,"dur":-1},
 {"ph":"X","pid":1,"tid":2,"name":"forth","ts":20,"dur":1}]
JSON
    tm-merge -o m.pftrace x.json
    run bash -o pipefail -c "tm-merge -f csv --events m.pftrace | cut -d, -f1,4"
    [ "${lines[1]}" = "20000,forth" ]
    [[ ${lines[2]} == "21000,"* ]]
    [ "${#lines[@]}" -eq 3 ]
    run tm-merge -f report m.pftrace
    [[ $output == *"trace_attribute.tracemerge.events_without_perfetto_form = 1"* ]]
    [[ $output == *"trace_attribute.tracemerge.file.0.left_out.slice = 1"* ]]
}

@test "a complete event keeps its time if a begin below it ends before it does" {
    cd "$BATS_TEST_TMPDIR"
    cat >x.json <<'JSON'
[{"ph":"B","pid":1,"tid":2,"name":"call","ts":0},
 {"ph":"X","pid":1,"tid":2,"name":"crosses","ts":5,"dur":10.5},
 {"ph":"X","pid":1,"tid":2,"name":"inner","ts":6,"dur":1},
 {"ph":"E","pid":1,"tid":2,"ts":10},
 {"ph":"i","pid":1,"tid":2,"name":"now","ts":12,"s":"t"},
 {"ph":"B","pid":1,"tid":3,"name":"call","ts":0},
 {"ph":"X","pid":1,"tid":3,"name":"stays","ts":5,"dur":2},
 {"ph":"E","pid":1,"tid":3,"ts":10}]
JSON
    tm-merge -o m.pftrace x.json
    tm-merge -o m.db m.pftrace
    run sqlite3 m.db 'SELECT s.ts, s.dur, s.depth, s.name FROM slice s ORDER BY s.ts, s.dur DESC, s.name'
    echo "$output"
    [ "$output" = "0|10000|0|call
0|10000|0|call
5000|10500|0|crosses
5000|2000|1|stays
6000|1000|1|inner
12000|0|0|now" ]
}

@test "a slice that may cross for a long time needs bounded memory, and packets stay in order" {
    cd "$BATS_TEST_TMPDIR"
    {
        echo '[{"ph":"B","pid":1,"tid":2,"name":"call","ts":0},{"ph":"X","pid":1,"tid":2,"name":"crosses","ts":5,"dur":1e6},'
        seq -f '{"ph":"X","pid":1,"tid":3,"name":"a name","ts":%.0f,"dur":1,"args":{"text":"so that it is much, all in all"}},' 10 60009
        echo '{"ph":"E","pid":1,"tid":2,"ts":900000}]'
    } >long.json
    tm-merge -o long.pftrace long.json
    [ "$(stat -c %s long.pftrace)" -gt 5000000 ]
    run bash -o pipefail -c 'tm-unpack long.pftrace | tm-emit -f csv | tail -n +2 | cut -d, -f1 | sort -nc'
    echo "$output"
    [ "$status" -eq 0 ]
    tm-merge -o long.db long.pftrace
    [ "$(sqlite3 long.db "SELECT count(*), sum(dur), max(ts + dur) FROM slice WHERE name IN ('call', 'crosses')")" = "2|1900000000|1000005000" ]
    [ "$(sqlite3 long.db 'SELECT count(*) FROM slice')" -eq 60002 ]
}

@test "begins, ends and complete events that cross give the same timeline in the merged trace" {
    cd "$BATS_TEST_TMPDIR"
    local seeds
    seeds=$(drawn 20)
    for_seeds 12 $((11 + seeds)) make-tangles.py t%.json
    run python3 "$TM_SRC/t/check/roundtrip" -m "$TM_BIN/tm-merge" t*.json
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "$seeds passed, 0 failed, 0 skipped" ]
}

@test "files that share a thread give the same timeline in the merged trace" {
    cd "$BATS_TEST_TMPDIR"
    local seeds
    seeds=$(drawn 20)
    mkdir in
    for_seeds 1 "$seeds" make-meetings.py m%
    for_seeds 1 "$seeds" make-collisions.py c%
    for seed in $(seq 1 "$seeds"); do
        (cd m$seed && tar cf ../in/m$seed.tar *)
        cp m$seed/a.json in/m$seed.json
        (cd c$seed && tar cf ../in/c$seed.tar *)
    done
    run python3 "$TM_SRC/t/check/roundtrip" -m "$TM_BIN/tm-merge" in/*
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "$((3 * seeds)) passed, 0 failed, 0 skipped" ]
}
