#!/usr/bin/env bats
# --only: interpretation of times.

setup() {
    cd "$BATS_TEST_TMPDIR"
    cat >late.json <<'JSON'
[{"ph":"M","pid":1,"name":"process_name","args":{"name":"app"}},
 {"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"main"}},
 {"ph":"M","pid":1,"tid":3,"name":"thread_name","args":{"name":"worker"}},
 {"ph":"M","pid":4,"name":"process_name","args":{"name":"daemon"}},
 {"ph":"X","pid":1,"tid":2,"ts":1000000,"dur":10,"name":"first"},
 {"ph":"X","pid":1,"tid":3,"ts":1002000,"dur":10,"name":"second"},
 {"ph":"X","pid":4,"tid":5,"ts":1008000,"dur":10,"name":"third"}]
JSON
}

bats_require_minimum_version 1.5.0

@test "a time with a unit that is before the first event is a warning with the time that counts from it" {
    run --separate-stderr tm-merge --only from=5ms late.json
    [ "$status" -eq 0 ]
    [ "$stderr" = "tm-emit: warning: --only: from=5ms is a time on the timeline, before its first event at \
1000000000 ns; from=+5ms counts from there" ]
    run --separate-stderr tm-merge --only from=2ms,to=5ms late.json
    [[ "$stderr" == *"from=+2ms counts"*"to=+5ms counts"* ]]
    run --separate-stderr tm-merge --only to=5_000us late.json
    [[ "$stderr" == *"to=+5000us counts"* ]]
    run tm-merge -q --only from=5ms late.json
    [[ "$output" != *"--only"* ]]
    run tm-merge --strict --only from=5ms late.json
    [ "$status" -eq 4 ]
    [[ "$output" == *"from=+5ms counts from there"* ]]
}

@test "other times give no warning" {
    for time in from=+5ms from=1s from=1005ms from=5 from=0:00:00.005 to=+5ms to=1005ms; do
        run --separate-stderr tm-merge --only $time late.json
        [ "$status" -eq 0 ]
        [ "$stderr" = "" ]
    done
}
