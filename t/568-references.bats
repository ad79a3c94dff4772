#!/usr/bin/env bats
# Text that stays in its file: tm-unpack --by-reference states its place, and tm-emit --source or --text reads it there.

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# events FILE COUNT SEED: writes objects of all lengths, not in the order of time.
events() {
    python3 - "$@" <<'END'
import random, sys
path, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random.seed(seed)
def event(i):
    size = 100000 if i % 4001 == 7 else random.choice((0, 1, 20, 200, 300))
    return ('{"ph":"X","name":"n%d","ts":%d.%03d,"dur":1,"pid":%d,"tid":7,"id":"0x%x","args":{"text":"%s"}}'
            % (i % 9, random.randrange(10**9), i % 1000, 7 + seed, i, 'x' * size))
with open(path, 'w') as f:
    f.write('{"schemaVersion":1,"traceEvents":[' + ',\n'.join(event(i) for i in range(count)) + ']}')
END
}

merge_plain() {
    bash -o pipefail -c 'tm-unpack --no-json-detail "$@" | tm-manifest | tm-clocks | tm-sort | tm-emit -f json' x "$@"
}

# merge_referred SORT-OPTION FILE...: merges with text that stays in the files.
merge_referred() {
    local sort=$1 sources=()
    shift
    for f in "$@"; do sources+=(--source "$f"); done
    tm-unpack --no-json-detail --by-reference "$@" | tm-manifest | tm-clocks | tm-sort $sort >s
    tm-emit -f json "${sources[@]}" <s
}

# boot_traces JSON [NS]: makes c.pftrace, which has only a ClockSnapshot with BOOTTIME 0, and a manifest that puts JSON
# on that clock, NS later.
boot_traces() {
    printf '\n\006\062\004\012\002\010\006' >c.pftrace
    echo '{"perfetto_manifest":{"version":1,"trace_time":{"clock":"BOOTTIME"},"files":[{"path":"c.pftrace"},{"path":"'$1'",
        "clocks":{"sync_to":{"file":"c.pftrace","clock":"BOOTTIME"},"offset_ns":'${2:-0}'}}]}}' >manifest.json
}

@test "text that stays in its file is written unchanged, for any order of the file and any memory" {
    events a.json 40000 1
    events b.json 300 2
    merge_plain a.json b.json >plain.json
    merge_referred -S1k a.json b.json >referred.json
    cmp plain.json referred.json
    merge_referred -S64M a.json b.json | cmp plain.json
    [ "$(stat -c %s s)" -lt "$(($(stat -c %s a.json) / 2))" ]
    tm-merge -f json a.json b.json | cmp plain.json
    merge_plain a.json | cmp - <(tm-merge -f json /dev/stdin <a.json)
    merge_plain a.json | cmp - <(tm-merge -f json /dev/fd/3 3<a.json)
    tm-emit -f frames <s | grep -c '^@[0-9]* Source file=[12] device=' | grep -qx 2
    tm-emit -f jsonl <s >/dev/null
}

@test "an archive that needs a temporary file is written to the file of --text, and its texts stay there" {
    events a.json 3000 1
    events b.json 3000 2
    tar cf in.tar a.json b.json
    gzip -k in.tar
    merge_plain in.tar.gz >plain.json
    touch text
    # In a folder that is not its own.
    tm-unpack -T /nonexistent --no-json-detail --text text in.tar.gz | tm-manifest | tm-clocks | tm-sort >s
    cmp text in.tar
    tm-emit -f json --source text <s | cmp plain.json
    ! tm-unpack -T /nonexistent --no-json-detail in.tar.gz >/dev/null || false
}

@test "texts of archive members stay in the file, and compressed, piped and short texts are in the stream" {
    events a.json 200 1
    events b.json 200 2
    events c.json 3 3
    gzip c.json
    tar cf in.tar a.json b.json c.json.gz
    merge_plain in.tar >plain.json
    merge_referred -S1M in.tar >referred.json
    cmp plain.json referred.json
    [ "$(tm-emit -f frames <s | grep -c 'Source file=')" = 2 ]
    tm-merge -f json in.tar | cmp plain.json
    gzip -k in.tar
    merge_plain in.tar.gz >plain.json
    for in in in.tar.gz "<(cat in.tar)"; do
        eval "tm-unpack --no-json-detail --by-reference $in" >u
        run bash -c 'tm-emit -f frames <u | grep -c Source\ file='
        [ "$output" = 0 ]
    done
    tm-merge -f json in.tar.gz | cmp plain.json
    tm-unpack --no-raw --by-reference a.json | tm-emit -f frames | grep -c 'offset=' | grep -qx 0
}

@test "texts that cannot be read again go to the file of --text" {
    mkdir d
    events d/a.json 3000 1
    events d/b.json 300 2
    gzip -k d/b.json
    tar czf in.tar.gz -C d a.json b.json.gz
    (cd d && python3 -m zipfile -c ../in.zip a.json b.json.gz)
    mkfifo pipe
    for in in in.tar.gz in.zip d pipe d/b.json.gz; do
        [ $in != pipe ] || cat in.tar.gz >pipe &
        merge_plain $in >plain.json
        [ $in != pipe ] || cat in.tar.gz >pipe &
        echo "what was there before" >text
        tm-unpack --no-json-detail --text text $in | tm-manifest | tm-clocks | tm-sort -S1M >s
        wait
        tm-emit -f json --source text <s | cmp plain.json
        [ "$(stat -c %s s)" -lt "$(($(stat -c %s plain.json) / 2))" ]
        [ "$(stat -c %s text)" -gt "$(($(stat -c %s plain.json) / 2))" ]
        [ $in != pipe ] || cat in.tar.gz >pipe &
        tm-merge -f json -S1M $in | cmp plain.json
        wait
    done
    truncate -s 1G text # --text is emptied first
    tm-unpack --no-json-detail --text text in.tar.gz >/dev/null
    [ "$(stat -c %s text)" -lt 1000000000 ]
    tm-unpack --no-json-detail --by-reference --text text in.zip d/a.json | tm-manifest | tm-clocks | tm-sort >s
    tm-emit -f json --source d/a.json --source text <s >both.json
    merge_plain in.zip d/a.json | cmp both.json
    for not in d missing pipe/x; do
        run tm-unpack --text $not d/a.json
        [ "$status" -ne 0 ]
        [[ "$output" == *"$not: "* ]]
    done
    run bash -c 'ulimit -f 100; trap "" XFSZ; tm-unpack --text text in.zip >/dev/null'
    [ "$status" -eq 3 ]
    [[ "$output" == "tm-unpack: text: "* ]]
}

# needs_holes FILE: skips the test if storage in the middle of a copy of FILE cannot be reclaimed.
needs_holes() {
    cp "$1" probe
    fallocate -p -o 0 -l 1M probe || skip "the file system punches no holes"
}

# stored FILE: prints the bytes that it takes on the disk.
stored() {
    echo $(($(stat -c %b "$1") * 512))
}

@test "the storage of the file of --text is reclaimed while it is read, and of no other file" {
    events a.json 30000 1
    events b.json 20000 2
    tar czf in.tar.gz a.json b.json
    gzip -k a.json
    needs_holes a.json
    merge_plain a.json.gz >gz.json
    merge_plain in.tar.gz >tar.json
    for in in gz tar; do
        [ $in = gz ] && source=a.json.gz || source=in.tar.gz
        true >text
        tm-unpack --no-json-detail --text text $source | tm-manifest | tm-clocks | tm-sort -S1M >s
        tm-emit -f frames <s | grep 'Source file=' | grep -c 'is_temporary=true' | grep -qx $([ $in = gz ] && echo 1 || echo 2)
        size=$(stat -c %s text) before=$(stored text)
        tm-emit -f json --source text <s | cmp $in.json
        [ "$(stored text)" -eq "$before" ]
        tm-emit -f json --text text <s | cmp $in.json
        [ "$(stat -c %s text)" -eq "$size" ]
        [ "$(stored text)" -lt $((before / 3)) ]
        run tm-emit -f json -o again.json --text text <s
        [ "$status" -eq 1 ]
        [[ "$output" == *"text: byte "*": the file has changed since it was unpacked" ]]
        [ ! -e again.json ]
    done
    # A trace is no text file.
    cp -p a.json copy.json
    tm-unpack --no-json-detail --by-reference a.json | tm-manifest | tm-clocks | tm-sort >s
    tm-emit -f frames <s | grep 'Source file=' | grep -vq is_temporary
    tm-emit -f json --text a.json <s >/dev/null
    cmp a.json copy.json
    [ "$(stored a.json)" -ge "$(stored copy.json)" ]
}

@test "a large output, copied and written by threads, has the same bytes, and failures leave no output" {
    events a.json 60000 1
    events b.json 30000 2
    merge_plain a.json b.json >plain.json
    [ "$(stat -c %s plain.json)" -gt 10000000 ]
    merge_referred -S64M a.json b.json | cmp plain.json
    tm-emit -o out.json --source a.json --source b.json <s
    cmp plain.json out.json
    tar cf - a.json b.json | gzip >in.tar.gz
    tm-merge -q -o packed.json in.tar.gz
    merge_plain in.tar.gz | cmp packed.json
    rm out.json
    run bash -c 'ulimit -f 5000; trap "" XFSZ; tm-emit -o out.json --source a.json --source b.json <s'
    [ "$status" -eq 3 ]
    [[ "$output" == "tm-emit: out.json: "* ]]
    [ ! -e out.json ]
    # Each text is checked, wherever it is.
    printf 'y' | dd of=a.json bs=1 seek=$(($(stat -c %s a.json) * 2 / 3)) conv=notrunc status=none
    run tm-emit -o out.json --source a.json --source b.json <s
    [ "$status" -eq 1 ]
    [[ "$output" == "tm-emit: a.json: byte "*": the file has changed since it was unpacked" ]]
    [ ! -e out.json ]
}

@test "a text that is used twice is not read from reclaimed storage" {
    events a.json 9000 1
    needs_holes a.json
    true >text
    for ns in 0 2000000000000; do # the second writes the same text to the same file
        boot_traces a.json $ns
        tar cz manifest.json c.pftrace a.json | tm-unpack --no-json-detail --text text | tm-manifest | tm-clocks | tm-sort >s$ns
        cp text copy
    done
    tm-sort -m s0 s2000000000000 >twice
    tm-emit -f json --source text <twice >twice.json
    [ "$(grep -o '"ph":"X"' twice.json | wc -l)" -eq 18000 ]
    run tm-emit -f json -o out.json --text text <twice
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"text: byte "*": the text was freed after its first use, but the stream refers to it again; name the file with --source, not --text" ]]
    [ ! -e out.json ]
    chmod a-w copy
    [ -w copy ] || { run tm-emit -f json --text copy <s0; [ "$status" -eq 1 ]; [[ "$output" == *"copy: cannot open: "* ]]; }
    run tm-emit -f json --text . <s0
    [[ "$output" == *".: "* ]]
}

@test "sorted streams that refer to files merge" {
    mkdir s p
    for n in 1 2; do
        events $n.json 100 $n
        boot_traces $n.json
        tar cf $n.tar manifest.json c.pftrace $n.json
        tm-unpack --no-json-detail --by-reference $n.tar | tm-manifest | tm-clocks | tm-sort >s/$n
        tm-unpack --no-json-detail $n.tar | tm-manifest | tm-clocks | tm-sort >p/$n
    done
    (cd p && tm-sort -m 1 2) | tm-emit -f json >plain.json
    (cd s && tm-sort -m 1 2) | tm-emit -f json --source 2.tar --source 1.tar | cmp plain.json
}

@test "files that would need too many descriptors are copied, not read again" {
    for i in $(seq 100 139); do
        printf '{"traceEvents":[{"ph":"i","ts":%d,"name":"x%d","pid":1,"tid":1}]}' $i $i >few$i.json
    done
    tm-merge -q -o want.json few*.json
    (ulimit -n 30 && tm-merge -q -o got.json few*.json)
    cmp want.json got.json
    (ulimit -n 64 && tm-merge -q -o got.json few*.json)
    cmp want.json got.json
}

@test "a missing or changed file is an error and gives no output" {
    events a.json 2000 1
    cp -p a.json copy.json
    merge_referred -S1M a.json >/dev/null
    fails() { # MESSAGE OPTION...
        local message=$1
        shift
        run tm-emit -f json -o out.json "$@" <s
        echo "$output"
        [ "$status" -eq 1 ]
        [[ "$output" == *"$message"* ]]
        [ ! -e out.json ]
    }
    local outside="a.json: its text is not in the stream, but in the file itself, which no --source names or which was replaced"
    fails "$outside"
    fails "$outside" --source copy.json
    fails "missing.json: cannot open" --source missing.json
    fails ".: not a regular file" --source .
    mkfifo pipe
    fails "pipe: not a regular file" --source pipe
    tm-emit -f json -o out.json --source copy.json --source a.json <s
    rm out.json
    printf '7' | dd of=a.json bs=1 seek=100000 conv=notrunc status=none
    fails "the file has changed since it was unpacked" --source a.json
    cat copy.json >a.json
    tm-emit -f json -o out.json --source a.json <s
    rm out.json
    head -c 100000 copy.json >a.json
    fails "the file has become shorter since it was unpacked" --source a.json
    cat copy.json copy.json >a.json
    tm-emit -f json -o out.json --source a.json <s
}

@test "an input that is replaced during the merge is reported as replaced" {
    events a.json 2000 1
    cp -p a.json copy.json
    cp -p a.json next.json
    merge_referred -S1M a.json >/dev/null
    mv next.json a.json # as an editor saves a file
    run tm-emit -f json -o out.json --source a.json <s
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"a.json: its text is not in the stream, but in the file itself, which no --source names or which was replaced"* ]]
    [ ! -e out.json ]
    ln -f copy.json a.json # a copy is another file too
    run tm-emit -f json -o out.json --source a.json <s
    [ "$status" -eq 1 ]
}
