# Databases of Chrome JSON, ftrace text and track events, compared with second, slow implementations of the same rules.

load lib/common

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
    oracle=$TM_SRC/t/oracle/slices.py
    export PYTHONDONTWRITEBYTECODE=1
}

@test "random events of Chrome JSON give the slices of the second implementation" {
    local cases
    cases=$(drawn 2000)
    run python3 "$oracle" "$TM_BIN/tm-merge" "$cases" 1
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [[ $output == "$cases cases agree: "* ]]
}

@test "an id that ended and begins again has the lanes of its first name" {
    cat >events <<-'END'
	[{"ph": "b", "pid": 1, "tid": 1, "ts": 1, "name": "y", "id": "0x1"},
	 {"ph": "e", "pid": 1, "tid": 1, "ts": 2, "name": "z", "id": "0x1"},
	 {"ph": "n", "pid": 1, "tid": 1, "ts": 3, "name": "z", "id": "0x1"}]
	END
    run python3 "$oracle" "$TM_BIN/tm-merge" - <events
    [ "$status" -eq 0 ]
    want="[(1000, -1, 'y', None, 0, None, 'y'), (3000, 0, 'z', None, 1, 'y', 'y')]"
    [ "$output" = "model  $want"$'\n'"merged $want" ] || { echo "$output"; false; }
}

@test "random ftrace text gives the names, markers and scheduling of the second implementation" {
    run python3 "$TM_SRC/t/oracle/ftrace_text.py" "$TM_BIN/tm-merge" 1000 1
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [[ $output == "1000 cases agree: "* ]]
}

@test "random ftrace bundles give the same, and a waker is a thread too" {
    run python3 "$TM_SRC/t/oracle/ftrace_events.py" "$TM_BIN/tm-merge" 1000 1
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [[ $output == "1000 cases agree: "* ]]
}

@test "a Perfetto trace merged from these gives the same rows again" {
    for of in events text; do
        run python3 "$TM_SRC/t/oracle/ftrace_$of.py" "$TM_BIN/tm-merge" 300 2 again
        [ "$status" -eq 0 ] || { echo "$output"; false; }
        [[ $output == "300 cases agree: "* ]]
    done
}

@test "random track events give the descriptors, lanes, counters and trackless packets of the second implementation" {
    run python3 "$TM_SRC/t/oracle/track_events.py" "$TM_BIN/tm-merge" 1000 1
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [[ $output == "1000 cases agree: "* ]]
}
