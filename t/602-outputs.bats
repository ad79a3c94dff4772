#!/usr/bin/env bats
# Several outputs of one merge: each has the same bytes as alone, and all of them appear or none.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR"
    demo=$TM_SRC/doc/examples/phone-watch-app.tar
}

# alone_and_together INPUT OPTION...: writes all formats of INPUT, one by one to alone, and by one command to together.
# Formats that have an option of their own get it if $own_options is set.
alone_and_together() {
    local out own args=() input=$1
    shift
    rm -rf alone together
    mkdir alone together
    for out in a.pftrace a.db a.json a.json.gz a.pftrace.zst a.txt a.jsonl a.csv; do
        case ${own_options:+$out} in
        *.txt) own=--absolute ;;
        *.json | *.json.gz) own=--rebase ;;
        *) own= ;;
        esac
        tm-merge -q "$@" $own -o alone/$out "$input"
        args+=(-o together/$out)
        [ "${#args[@]}" -lt 16 ] || break
    done
    tm-merge -q "$@" ${own_options:+--absolute --rebase} "${args[@]}" "$input"
    for out in alone/*; do
        cmp "$out" "together/${out#*/}"
    done
    [ "$(ls together | wc -l)" -eq 8 ]
}

@test "each output has the bytes that it has alone" {
    alone_and_together "$demo"
    alone_and_together "$demo" --only machine=phone,dur\>=1ms
    own_options=1 alone_and_together "$demo" --join=flows
    alone_and_together "$demo" --no-detail
}

@test "numbers of pids that are texts are all that another output changes" {
    printf '[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a","args":{"x":"y"}},%s]' \
        '{"ph":"X","pid":"Spans","tid":"T","ts":2,"dur":1,"name":"b"}' >texts.json
    tm-merge -q -o alone.json texts.json
    tm-merge -q -o with.json -o with.txt texts.json
    [ "$(grep -c '"pid":10737[0-9]*,' alone.json)" -gt 0 ]
    diff <(sed -E 's/10737[0-9]+/N/g' alone.json) <(sed -E 's/10737[0-9]+/N/g' with.json)
}

@test "the format is that of -f after -o, or of the ending without -f, and - is standard output" {
    tm-merge -q -o one -f csv -o two.json -o - -f report "$demo" >three
    tm-merge -q -f csv "$demo" | cmp - one
    tm-merge -q -f json "$demo" | cmp - two.json
    [ "$(head -n 1 three)" = files ]
    grep -q 'app_log.json: 5 events read' three
    tm-merge -q -f csv -o one "$demo" # a single -f may also come before its -o
    tm-merge -q -f csv "$demo" | cmp - one
    run -2 tm-merge -f csv -o one -o two.json "$demo"
    [[ "$output" == *"with several -o, each -f must follow the -o to which it applies"* ]]
    run -2 tm-merge -o one.db -o one.db "$demo"
    [[ "$output" == *"one.db is given as two outputs"* ]]
    mkdir folder
    ln -s folder link
    ln -s folder/new.csv to-new.csv
    for names in "new.csv ./new.csv" "new.csv $PWD/new.csv" "folder/new.csv link/new.csv" "folder/ link/" \
        "to-new.csv link/new.csv"; do
        run -2 tm-merge -o ${names% *} -o ${names#* } "$demo"
        [[ "$output" == *"${names#* } is given as two outputs"* ]]
        run -2 tm-align -o ${names% *} --write-manifest ${names#* } </dev/null
        [[ "$output" == *"${names% *} is given as two outputs"* ]]
    done
    run -2 tm-merge -o new.csv --write-manifest ./new.csv "$demo"
    [[ "$output" == *"./new.csv is given as two outputs"* ]]
    run -2 tm-merge -o - -f json -o - "$demo"
    [[ "$output" == *"standard output is given as two outputs"* ]]
    run -2 tm-merge -o a.json -o - -f sqlite "$demo"
    [[ "$output" == *"sqlite needs a file to write"* ]]
    run -2 tm-merge -o a.json -o b.xyz "$demo"
    [[ "$output" == *"b.xyz: no format has this ending"* ]]
    run -2 tm-merge -o 1 -o 2 -o 3 -o 4 -o 5 -o 6 -o 7 -o 8 -o 9 "$demo"
    [[ "$output" == *"-o is given more than 8 times"* ]]
    cp "$demo" in.tar
    run -2 tm-merge -o a.json -o in.tar -f json in.tar
    [[ "$output" == *"in.tar: is both an input and an output"* ]]
    ln in.tar other
    ln two.json same.json
    run -2 tm-merge -o two.json -o same.json "$demo"
    [[ "$output" == *"is given as two outputs"* ]]
}

@test "the inputs are read once, also from a pipe" {
    cat "$demo" | tm-merge -q -o a.json -o a.db -
    tm-merge -q -o b.json "$demo"
    cmp a.json b.json
    sqlite3 a.db 'SELECT count(*) > 0 FROM slice' | grep -qx 1
}

@test "if one output cannot be written no other appears, and old files are unchanged" {
    echo before >a.json
    run -3 tm-merge -q -o a.json -o missing/a.db "$demo"
    [ "$(cat a.json)" = before ]
    mkdir dir.db
    run -3 tm-merge -q -o a.json -o dir.db "$demo"
    [ "$(cat a.json)" = before ]
    run -3 tm-merge -q -o a.json -o /dev/full -f csv "$demo"
    [[ "$output" == *"No space left on device"* ]]
    [ "$(cat a.json)" = before ]
    run -3 tm-merge -q -o /dev/full -f csv -o b.json.gz -o b.db "$demo"
    [ "$(cat a.json)" = before ]
    rm a.json
    head -c 3000 "$demo" >cut.tar
    run -1 tm-merge -q -o c.json -o c.db cut.tar
    run -4 tm-merge -q --strict --only machine=none -o c.json -o c.db "$demo"
    [ "$(ls -A | sort | paste -sd' ')" = "cut.tar dir.db" ]
}

@test "guesses and losses are reported once" {
    printf '[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a"}]' >a.json
    printf '[{"ph":"X","pid":2,"tid":2,"ts":1,"dur":1,"name":"b"}]' >b.json
    run --separate-stderr tm-merge -o one.db -o two.json -o three.txt --only pid=7 a.json b.json
    [ "$(grep -c 'nothing in the trace matches pid=7' <<<"$stderr")" -eq 1 ]
    [ "$(sort <<<"$stderr" | uniq -d)" = "" ]
    [ "$(grep -c 'no event is left' <<<"$stderr")" -eq 1 ]
}

@test "other names of standard output are standard output, and a pipe known only by its descriptor is written" {
    tm-merge -q -f csv "$demo" >want
    tm-merge -q -f csv -o /dev/stdout "$demo" | cmp - want
    for name in /dev/stdout /dev/fd/1 /proc/self/fd/1; do
        { echo before; tm-merge -q -f csv -o $name "$demo"; echo behind; } >got
        cmp <(echo before; cat want; echo behind) got
    done
    mkfifo done
    tm-merge -q -f csv -o >(cat >through; echo >done) "$demo"
    read -r <done
    cmp through want
    run -2 tm-merge -q -f csv -o '' "$demo"
    [ "${lines[0]}" = "tm-merge: -o '': an output needs a name" ]
}

@test "a closed standard output is an error, unless nothing is written to it" {
    run -3 bash -c 'tm-merge -q -f csv "$1" >&-' x "$demo"
    [ "$output" = "tm-emit: standard output: cannot write: Bad file descriptor" ]
    bash -c 'tm-merge -q -o a.csv "$1" >&-' x "$demo"
    tm-merge -q -f csv "$demo" | cmp - a.csv
}

@test "an output can have as long a name as a file can have, and a longer one is refused at once" {
    long=$(printf 'é%.0s' $(seq 125)) # 250 bytes
    for out in $long.csv ${long}x.db xx$long.db; do
        tm-merge -q -o $out "$demo"
        [ -s $out ]
    done
    tm-pack -q -o $long.tar "$demo"
    [ "$(ls -A | grep -c tmp)" = 0 ]
    run -3 tm-merge -q -o xxx$long.csv "$demo"
    [[ "$output" == *"cannot make a temporary file beside it: File name too long" ]]
}

@test "a file that may not be written is not replaced" {
    echo before >a.csv
    cp "$demo" a.tar
    chmod a-w a.csv a.tar
    as=
    [ ! -w a.csv ] || as="setpriv --bounding-set -dac_override"
    $as true || skip "this user may write all files"
    tm-unpack "$demo" | tm-manifest | tm-clocks | tm-sort >s.tms
    for call in "tm-merge -q -f csv -o a.csv $demo" "tm-merge -q -f sqlite -o a.csv $demo" "tm-emit -q -o a.csv" \
        "tm-merge -q -f csv -o b.csv --write-manifest a.csv $demo" "tm-pack -q -o a.tar $demo"; do
        run -3 $as $call <s.tms
        echo "$call: $output"
        [[ $output == tm-*": a."*": cannot write: Permission denied" ]]
        [ "$(cat a.csv)" = before ]
        cmp "$demo" a.tar
    done
    [ "$(ls -A | sort | paste -sd' ')" = "a.csv a.tar s.tms" ]
}

@test "an output file can have a name that begins with a dash" {
    printf '[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a"}]' >-dash.json
    for form in json csv pftrace; do
        tm-merge -f $form -- -dash.json >one
        tm-merge -f $form ./-dash.json >two
        sed 's,\./-dash,-dash,g' two | cmp - one
    done
}

@test "an output that is no trace is refused as an input, with what it is" {
    local name what
    refused() { # NAME WHAT
        for name in "$1" "$1.gz" "in.tar"; do
            run tm-merge -q -f csv "$name"
            echo "$name: $output"
            [ "$status" -eq 1 ]
            [[ $output == *"$1: $2 that tracemerge wrote, which is no trace; merge the traces that it was made from, or \
their pftrace or json (--ignore-unknown leaves it out)" ]]
        done
    }
    made() { # NAME WHAT OPTION...
        local name=$1 what=$2
        shift 2
        tm-merge -q "$@" "$demo" >"$name"
        gzip -k "$name"
        tar cf in.tar "$name"
        refused "$name" "$what"
    }
    made x.txt text
    made x.events.txt text --events
    made x.jsonl jsonl -f jsonl
    made x.events.jsonl jsonl -f jsonl --events
    made x.csv csv -f csv
    made x.args.csv csv -f csv --arg x
    made x.events.csv csv -f csv --events
    made x.frames frames -f frames
    made x.report "a report" -f report
    made x.report.json "a report" -f report --json
    made x.explain "an explanation" --explain
    made x.explain.json "an explanation" --explain --json
    made x.summary.json "a summary" -f summary --json
    made x.dropped "a list of dropped events" -f dropped
    made x.svg svg -f svg
    tm-merge -q --ignore-unknown -f summary x.csv x.jsonl "$demo" >/dev/null
}
