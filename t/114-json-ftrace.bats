# tm-unpack: Chrome JSON and ftrace text, one after another, damaged and with hints.

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
    printf '[{"ph":"i","ts":1,"pid":1,"name":"a"},{"ph":"i","ts":2,"pid":1,"name":"\\q"},{"ph":"i","ts":3,"pid":1}]' >bad.json
}

@test "documents and text one after another are files of their own" {
    run bash -o pipefail -c "printf '%s\n' '{\"traceEvents\":[{\"ph\":\"i\",\"ts\":1,\"pid\":1}]}' \
        '[{\"ph\":\"i\",\"ts\":2.0005,\"pid\":1}]' '# tracer: nop' ' a-1 [000] 5.5: e: f' | tm-unpack | tm-emit -f frames"
    [ "$status" -eq 0 ]
    [ "$(grep -o 'FileBegin.*type="[a-z]*"' <<<"$output" | grep -o '".*"' | tr -d '\n')" = '"json""json""systrace"' ]
    [ "$(grep -o '] time_ns=[0-9]* ' <<<"$output" | grep -o '[0-9]*' | tr '\n' ' ')" = '1000 2001 5500000000 5500000000 ' ]
}

@test "damage is an error with its byte, by default and with --on-damage=halt" {
    run tm-unpack --on-damage=halt -- bad.json
    [ "$status" -eq 1 ]
    [[ $output == *"tm-unpack: bad.json: byte 71: bad escape in a string (--on-damage=skip or salvage goes on)" ]]
}

@test "skip leaves out the rest, salvage continues with the next event, and both account for the loss" {
    run bash -o pipefail -c 'tm-unpack --on-damage=skip bad.json | tm-emit -f report'
    [ "$status" -eq 0 ]
    [[ $output == *"2 events read, 1 in the stream, 1 dropped, 64 bytes skipped; the accounts balance"* ]]
    run bash -o pipefail -c 'tm-unpack --on-damage=salvage bad.json | tm-emit -f report'
    [ "$status" -eq 0 ]
    [[ $output == *"3 events read, 2 in the stream, 1 dropped, 38 bytes skipped; the accounts balance"* ]]
    [[ $output == *"damaged: 1, first at byte 71"* ]]
}

@test "facts about a file's clock are passed on, but hints in events are searched for only with --hints" {
    echo '{"traceEvents":[],"baseTimeNanoseconds":1700000000000000001}' >kineto.json
    for how in "" --hints; do
        run bash -o pipefail -c "tm-unpack $how kineto.json | tm-emit -f frames | grep ClockHint"
        [[ $output == *value_ns=1700000000000000001* ]]
    done
    # node is on CLOCK_MONOTONIC, and its file states that it is from node
    echo '[{"ph":"M","pid":1,"tid":1,"ts":3,"cat":"__metadata","name":"node","args":{"process":{"versions":{"node":"20"}}}},
        {"ph":"M","pid":1,"tid":1,"name":"node","args":{"name":"x"}}]' >node.json
    run bash -o pipefail -c 'tm-unpack --hints node.json | tm-emit -f frames | grep -o "ClockHint.*"'
    [ "$output" = 'ClockHint file=0 from_clock=0 from_ns=0 clock=3 value_ns=0 source="args.process.versions"' ]
    run bash -o pipefail -c 'tm-unpack node.json | tm-emit -f frames | grep -c ClockHint'
    [ "$output" = 0 ]
}

@test "a large event is read through a pipe, and one over the limit is an error" {
    big() { printf '[{"ph":"i","ts":1,"pid":1,"name":"'; head -c "$1" /dev/zero | tr '\0' x; printf '"}]'; }
    run bash -o pipefail -c "$(declare -f big); big 20000000 | tm-unpack | tm-emit -f report"
    [ "$status" -eq 0 ]
    [[ $output == *"1 event read, 1 in the stream, 0 dropped"* ]]
    run bash -o pipefail -c "$(declare -f big); big 90000000 | tm-unpack | tm-emit -f report"
    [ "$status" -eq 1 ]
    [[ $output == *"byte 1: an event is larger than the limit"* ]]
}

@test "a complete event without a duration is no slice in any output, and merged JSON keeps its text" {
    echo '[{"ph":"X","pid":1,"tid":1,"name":"none","ts":1},{"ph":"X","pid":1,"tid":1,"name":"some","ts":2,"dur":1}]' >x.json
    [ "$(tm-merge x.json | grep -c slice)" = 1 ]
    tm-merge -q -o x.db x.json
    [ "$(sqlite3 x.db 'SELECT name FROM slice')" = some ]
    [ "$(sqlite3 x.db "SELECT name, value FROM stats WHERE severity = 'error'")" = 'json_parser_failure|1' ]
    tm-merge -f json x.json | grep -q '"name":"none"'
}

@test "samples outside of traceEvents are accounted for unless JSON is the only output" {
    echo '{"traceEvents":[{"ph":"X","ts":1,"dur":3,"pid":1,"tid":1,"name":"a"}],"samples":[{"tid":1,"ts":2,"sf":3},{"tid":1,"ts":3,"sf":3}],
        "stackFrames":{"3":{"name":"f"}}}' >s.json
    tm-merge -f report s.json | grep -A 1 's.json: 3 events read, 1 placed, 2 dropped' | grep -q 'not_shown: 2'
    tm-merge -f json s.json 2>warnings | grep -q '"sf":3'
    [ ! -s warnings ] || { cat warnings; false; }
    tm-merge -o s.out.json -o s.db s.json 2>warnings
    grep -q '"sf":3' s.out.json
    grep -q 's.json: 2 events dropped, not_shown: no output has a form for them$' warnings || { cat warnings; false; }
}
