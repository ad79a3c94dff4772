# tm-emit -f sqlite --index: indices by owner and time, which exist only with that option.

setup() {
    cd "$BATS_TEST_TMPDIR"
    cat >a.json <<'END'
{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":3,"dur":1,"name":"a"},
{"ph":"C","pid":1,"ts":2,"name":"n","args":{"v":1}}]}
END
}

indices() { # DATABASE
    sqlite3 "$1" "SELECT name FROM sqlite_master WHERE type = 'index' AND name GLOB '*_ts' ORDER BY 1" | xargs
}

@test "--index makes the indices by track, cpu and thread, and only --index does" {
    tm-merge -o plain.db a.json
    [ "$(indices plain.db)" = "" ]
    tm-merge --index -o a.db a.json
    [ "$(indices a.db)" = "counter_track_id_ts sched_ucpu_ts slice_track_id_ts thread_state_utid_ts" ]
    diff <(sqlite3 plain.db .dump) <(sqlite3 a.db .dump | grep -v '^CREATE INDEX [a-z_]*_ts ON ')
    tm-unpack a.json | tm-manifest | tm-clocks | tm-sort | tm-emit -q --index -o b.db
    cmp a.db b.db
}

@test "queries about a part of the timeline use the indices" {
    tm-merge --index -o a.db a.json
    for question in "slice WHERE track_id = 1" "counter WHERE track_id = 1" "sched WHERE ucpu = 1" \
        "thread_state WHERE utid = 1"; do
        run sqlite3 a.db "EXPLAIN QUERY PLAN SELECT * FROM $question AND ts BETWEEN 1 AND 2"
        [[ "$output" == *"USING INDEX "*"_ts ("*"=? AND ts>? AND ts<?)"* ]]
    done
    run sqlite3 a.db "EXPLAIN QUERY PLAN SELECT * FROM descendant_slice WHERE slice_id = 1"
    [[ "$output" == *"SEARCH d USING INDEX slice_track_id_ts"* ]]
}
