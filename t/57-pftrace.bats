#!/usr/bin/env bats
# The merged Perfetto trace: merging it again gives the same timeline.

@test "the demo archive and its merged.pftrace have one timeline" {
    run python3 "$TM_SRC/t/roundtrip" -m "$TM_BIN/tm-merge" "$TM_SRC/doc/examples/phone-watch-app.tar"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "merging twice writes the same bytes" {
    for i in 1 2; do
        tm-merge -o "$BATS_TEST_TMPDIR/$i.pftrace" "$TM_SRC/doc/examples/phone-watch-app.tar"
    done
    cmp "$BATS_TEST_TMPDIR/1.pftrace" "$BATS_TEST_TMPDIR/2.pftrace"
}

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
20000|0|empty
21000|-1|open" ]
}

@test "lines of ftrace text become ftrace events" {
    printf '%s\n' '# tracer: nop' \
        '  app-100 (  100) [001] d..2. 10.000001: sched_switch: prev_comm=app prev_pid=100 prev_prio=120 prev_state=S ==> next_comm=r next_pid=7 next_prio=97' \
        '  r-7 (-----) [001] d..2. 10.000005: sched_switch: prev_comm=r prev_pid=7 prev_prio=97 prev_state=S ==> next_comm=app next_pid=100 next_prio=120' \
        '  app-100 (  100) [001] ..... 10.000009: tracing_mark_write: B|100|work' \
        '  app-100 (  100) [001] ..... 10.000019: tracing_mark_write: E|100' >"$BATS_TEST_TMPDIR/t.systrace"
    run python3 "$TM_SRC/t/roundtrip" -m "$TM_BIN/tm-merge" "$BATS_TEST_TMPDIR/t.systrace"
    echo "$output"
    [ "$status" -eq 0 ]
    tm-merge -o "$BATS_TEST_TMPDIR/m.pftrace" "$BATS_TEST_TMPDIR/t.systrace"
    run bash -o pipefail -c "tm-unpack '$BATS_TEST_TMPDIR/m.pftrace' | tm-emit -f frames | grep -c 'raw=ftrace_event'"
    [ "$output" -ge 4 ]
}
