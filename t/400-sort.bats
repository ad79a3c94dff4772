#!/usr/bin/env bats
# tm-sort: the command line, the order, spilling, damaged input.

setup() {
    cd "$BATS_TEST_TMPDIR"
    . "$TM_SRC/t/lib/common.bash"
    gen=${TM_BIN%/bin}/t/gen/gen-stream
}

@test "--help and --version print usage and version" {
    run tm-sort --help
    [ "$status" -eq 0 ]
    [[ $output == "usage: tm-sort "* ]]
    run tm-sort --version
    [ "$status" -eq 0 ]
    [[ $output == "tm-sort (tracemerge) "* ]]
}

@test "a wrong command line is exit 2" {
    run tm-sort -S lots </dev/null
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "tm-sort: --buffer-size: 'lots' is not a size" ]
    run tm-sort --frobnicate
    [ "$status" -eq 2 ]
    run tm-sort a b
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "tm-sort: more than one FILE; -m merges streams that are sorted" ]
}

@test "a stream is sorted, and -c accepts it only afterwards" {
    "$gen" -n 5000 -f 3 -d 4 >in
    run tm-sort -c in
    [ "$status" -eq 1 ]
    [[ $output =~ ^"tm-sort: in: byte "[0-9]+": event at position "[0-9]+" of file "[0-9]+" is out of order"$ ]] ||
        [[ $output =~ ^"tm-sort: in: byte "[0-9]+": not sorted: a frame of type "[0-9]+" comes after the first event"$ ]]
    tm-sort in >out
    run tm-sort -c out
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    tm-sort <in | cmp - out
    tm-sort - <in | cmp - out
}

@test "the output has the same bytes with any memory, many runs and several passes" {
    "$gen" -n 30000 -f 2 -d 4 -b 20 -p 40 >in
    tm-sort in >out
    for size in 1 1k 64k 500k 3M 1G; do
        tm-sort -S $size -T . in | cmp - out
    done
    [ "$(ls)" = "in
out" ]
}

@test "the output has the same bytes if a few runs are spilled unchanged" {
    for order in nearly bursts; do
        "$gen" -n 300000 -f 1 -o $order -d 4 >in
        tm-sort -S 1G in >out
        for size in 12M 20M; do
            tm-sort -S $size -T . in | cmp - out
        done
    done
}

@test "the output has the same bytes however the pipe delivers the input" {
    "$gen" -n 20000 -f 2 >in
    tm-sort -S 64k in >out
    dd if=in bs=777 status=none | tm-sort -S 64k | cmp - out
}

@test "sorting a sorted stream changes nothing" {
    "$gen" -n 20000 -o nearly -d 2 | tm-sort >out
    tm-sort out | cmp - out
    "$gen" -n 20000 -o sorted -b 100 -H >says
    "$gen" -n 20000 -o sorted -b 9000 -H | tm-sort >out
    tm-sort says | cmp - out
}

@test "a header that wrongly states that the stream is sorted is detected" {
    "$gen" -n 5000 -H >in
    pipe 'tm-sort in >out'
    [ "$status" -eq 1 ]
    [[ $output =~ "is out of order"$ ]]
    run tm-sort -c out
    [ "$status" -eq 1 ]
}

@test "a cut stream is an error and leaves no file" {
    "$gen" -n 5000 >in
    head -c 20000 in >cut
    pipe 'tm-sort cut >out'
    [ "$status" -eq 1 ]
    [[ $output =~ ^"tm-sort: cut: byte "[0-9]+": " ]]
    [ ! -s out ]
    pipe 'tm-sort <cut >out'
    [ "$status" -eq 1 ]
    [[ $output =~ ^"tm-sort: standard input: byte "[0-9]+": " ]]
    pipe 'tm-sort </dev/null >out'
    [ "$status" -eq 1 ]
    [ "$output" = "tm-sort: standard input: byte 0: empty, not a tracemerge stream" ]
}

@test "an unusable temporary directory is exit 3" {
    "$gen" -n 5000 >in
    pipe 'tm-sort -S 1k -T nowhere in >out'
    [ "$status" -eq 3 ]
    [[ $output == "tm-sort: nowhere: cannot make a temporary file: "* ]]
    [ ! -s out ]
    pipe 'TMPDIR=$PWD/nowhere tm-sort -S 1k in >out'
    [ "$status" -eq 3 ]
    [[ $output == "tm-sort: $PWD/nowhere: cannot make a temporary file: "* ]]
    # Input that fits in memory needs no directory.
    tm-sort -T nowhere in >out
}

@test "a full disk is exit 3" {
    [ -w /dev/full ] || skip "no /dev/full"
    "$gen" -n 5000 >in
    pipe 'tm-sort in >/dev/full'
    [ "$status" -eq 3 ]
    [[ $output == "tm-sort: "*"No space left on device" ]]
    # A temporary file that must not grow.
    pipe 'trap "" XFSZ; ulimit -f 100; tm-sort -S 1k -T . in 2>&1 >/dev/null | cat'
    [ "$status" -eq 3 ]
    [[ $output == "tm-sort: .: temporary file: cannot write: "* ]]
}

@test "a missing file is exit 1, as for all programs" {
    run tm-sort missing
    [ "$status" -eq 1 ]
    [ "$output" = "tm-sort: missing: cannot open: No such file or directory" ]
}

@test "a reader that closes the pipe early causes no message" {
    "$gen" -n 200000 >in
    run bash -c 'tm-sort in | head -c 100 >/dev/null; echo "${PIPESTATUS[0]}"'
    [ "$output" = 141 ]
}
