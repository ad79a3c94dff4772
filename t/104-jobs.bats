#!/usr/bin/env bats
# -j of tm-unpack, tm-sort, tm-emit and tm-merge: the stream, the messages and the exit status are those of one thread.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    mkdir containers many texts
    (cd containers && python3 "$TM_SRC/t/gen/make-containers.py" && rm big.tar) # 15 GB of zeros
    python3 - <<'END'
import gzip, json

def event(i, pid, n):
    return {"name": f"work {i * 7 % n}", "cat": f"kind {i % 5}", "ph": "X", "ts": i * 3 + 0.5, "dur": 2, "pid": pid,
            "tid": i % 4, "args": {"i": i}}

def write(name, events):
    data = json.dumps({"traceEvents": events}).encode()
    with (gzip.GzipFile(name, "wb", mtime=0) if name.endswith(".gz") else open(name, "wb")) as f:
        f.write(data)

for k in range(12): # names that some files share, some alone; every third is compressed
    events = [event(i, k, 40 + 90 * k) for i in range(3000)]
    write(f"many/rank{k}.json" + (".gz" if k % 3 == 0 else ""), events)
    texts = [event(i, f"process {k % 3}" if i > 2500 or k % 2 else k, 50 + k) for i in range(3000)]
    write(f"texts/rank{k}.json", texts)
END
    cp "$TM_SRC"/doc/examples/*.tar .
    tar -cf many.tar many
    tar -czf many.tar.gz many
    python3 -m zipfile -c many.zip many/*
}

setup() {
    cd "$BATS_FILE_TMPDIR" || exit
}

# same WORD...: tm-unpack WORD... writes the same stream and messages with one, two and four threads.
same() {
    local j one=0 other
    tm-unpack -j 1 "$@" >"$BATS_TEST_TMPDIR/one" 2>"$BATS_TEST_TMPDIR/one.err" || one=$?
    for j in ${jobs:-2 4}; do
        other=0
        tm-unpack -j $j "$@" >"$BATS_TEST_TMPDIR/other" 2>"$BATS_TEST_TMPDIR/other.err" || other=$?
        [ "$one" = "$other" ] || { echo "-j $j $*: status $other, not $one"; return 1; }
        diff "$BATS_TEST_TMPDIR/one.err" "$BATS_TEST_TMPDIR/other.err" || { echo "-j $j $*"; return 1; }
        [ "$one" -ne 0 ] || cmp "$BATS_TEST_TMPDIR/one" "$BATS_TEST_TMPDIR/other" || { echo "-j $j $*"; return 1; }
    done
}

@test "files, directories and archives of each kind give the same stream with any number of threads" {
    for input in many many.tar many.zip many.tar.gz *.tar; do
        same "$input"
    done
    same many/*
    same many/rank4.json many.tar
    tm-unpack -j 4 many | tm-emit -f frames | grep -q ' name="work 1000"'
}

@test "pids that are texts get the same numbers with any number of threads" {
    same texts
    tm-unpack -j 4 texts | tm-emit -f frames | grep -q 'pid=10737'
}

@test "two copies of each recording of other tests give the same stream with any number of threads" {
    local jobs=4
    for input in "$TM_SRC"/t/data/* "$TM_SRC"/t/data/*/*; do
        [ ! -f "$input" ] || same --ignore-unknown "$input" many/rank1.json many/rank3.json.gz "$input"
    done
}

@test "options that change the stream have the same effect with any number of threads" {
    same --no-raw many
    same --no-detail many
    same --by-reference many
    same --hints many.tar
    for j in 1 3; do
        : >text
        tm-unpack -j $j --text text many.zip | tm-emit -f frames | grep -v Source >"stream.$j"
        cp text "text.$j"
    done
    cmp text.1 text.3
    cmp stream.1 stream.3
}

@test "damage gives the same errors, warnings and accounts with any number of threads" {
    local jobs=3
    for input in containers/*; do
        for how in skip salvage; do
            same --on-damage=$how containers/a.json "$input" containers/a.json.gz "$input"
        done
    done
    same containers
    same --on-damage=skip --ignore-unknown containers
}

@test "of several errors the first in order of processing is reported" {
    mkdir -p broken
    cp many/rank[1-8]* broken
    for i in 4 7; do
        head -c 40000 many/rank$i.json >broken/rank$i.json
    done
    head -c 9000 many/rank6.json.gz >broken/rank6.json.gz
    same broken
    same --on-damage=skip broken
    same --on-damage=salvage broken
    run bash -c 'tm-unpack -j 4 broken 2>&1 >/dev/null'
    [ "$status" -eq 1 ]
    [[ $output == "tm-unpack: rank4.json: "* || $output == "tm-unpack: rank6.json.gz: "* ]]
}

@test "a manifest in a compressed file, or after a trace, has the same effect with any number of threads" {
    mkdir -p late
    cp many/rank[12]* late
    printf '{"perfetto_manifest":{"version":1}}' | gzip -n >late/z.json.gz
    same late
    cp many/rank0.json.gz late/a.json.gz
    same late
}

@test "the limit of expanded bytes applies to all threads together" {
    for limit in 1k 500k 1M 1500k 2M 1G; do
        same --max-expansion=$limit many.zip
        same --max-expansion=$limit --on-damage=skip many.zip
    done
}

@test "more strings than the table of the run holds give the same stream" {
    mkdir -p strings
    python3 - <<'END'
import json
for k in range(4):
    events = [{"name": f"{k % 3} name {i}", "ph": "i", "ts": i, "pid": 1, "tid": 1} for i in range(110000)]
    open(f"strings/{k}.json", "w").write(json.dumps({"traceEvents": events}))
END
    same strings
    rm -r strings
}

@test "arguments of more shapes than a file may have are the same after other files with these shapes" {
    mkdir -p shapes
    python3 - <<'END'
import json
for k in range(3):
    events = [{"name": "n", "ph": "X", "ts": i, "dur": 1, "pid": 1, "tid": 1,
               "args": {f"k{b}": b for b in range(13) if i >> b & 1}} for i in range(k * 1000 + 1, k * 1000 + 5001)]
    open(f"shapes/{k}.json", "w").write(json.dumps({"traceEvents": events}))
END
    same shapes
    rm -r shapes
}

@test "standard input, alone and among files, gives the same stream" {
    cat many.tar | tm-unpack -j 1 - >one
    cat many.tar | tm-unpack -j 4 - | cmp - one
    cat many/rank4.json | tm-unpack -j 1 many/rank1.json - many/rank2.json >one
    cat many/rank4.json | tm-unpack -j 4 many/rank1.json - many/rank2.json | cmp - one
}

@test "standard input gives the same stream however it arrives" {
    cat many/rank4.json | tm-unpack - >one
    for first in 1000 30000 100001; do
        # Writes the first bytes, waits until they are read, and writes the rest.
        python3 - many/rank4.json $first <<'END' | tm-unpack - | cmp - one
import fcntl, struct, sys, termios, time
data, first = open(sys.argv[1], 'rb').read(), int(sys.argv[2])
sys.stdout.buffer.write(data[:first])
sys.stdout.flush()
while struct.unpack('i', fcntl.ioctl(1, termios.FIONREAD, bytes(4)))[0]:
    time.sleep(0.001)
sys.stdout.buffer.write(data[first:])
END
    done
}

@test "many small files give the same stream" {
    mkdir -p small
    for i in $(seq 300); do
        printf '{"traceEvents":[{"name":"n%s","ph":"X","ts":%s,"dur":2,"pid":1,"tid":1}]}' "$((i % 50))" "$i" \
            >small/$i.json
    done
    same small
}

# threads_of WORD...: prints the largest number of threads that tm-unpack WORD... has at one time.
threads_of() {
    tm-unpack "$@" >/dev/null 3>&- &
    local pid=$! most=0 tasks
    while tasks=(/proc/$pid/task/*) && [ -e "${tasks[0]}" ]; do
        [ ${#tasks[@]} -le $most ] || most=${#tasks[@]}
    done
    wait $pid
    echo $most
}

@test "without -j there is one thread for each processor if the files are large" {
    mkdir -p large
    for i in 1 2 4 5; do
        tr -d '\n' <many/rank$i.json | sed 's/.*\[\(.*\)\].*/\1/' >one
        (printf '{"traceEvents":['; for _ in 1 2 3 4 5; do cat one; printf ','; done; cat one; printf ']}') >large/$i.json
    done
    [ "$(cat large/* | wc -c)" -gt $((4 << 20)) ]
    tm-unpack -j 1 large >one
    tm-unpack large | cmp - one
    rm -r large
    # Blanks and newlines that take some time to read.
    python3 - <<'END'
import gzip, random
white = random.Random(1).randbytes(10000000).translate(bytes(b" \n"[i & 1] for i in range(256)))
members = gzip.compress(b'{"traceEvents":[') + gzip.compress(white, 1) * 3 + gzip.compress(b"]}")
for k in range(3):
    open(f"spaces{k}.json.gz", "wb").write(members)
END
    [ "$(cat spaces* | wc -c)" -gt $((4 << 20)) ]
    [ "$(threads_of -j 1 spaces*)" -le 2 ] # one may read ahead
    [ "$(threads_of -j 2 spaces*)" -gt 2 ]
    [ "$(nproc)" -eq 1 ] || [ "$(threads_of spaces*)" -gt 2 ]
    [ "$(taskset -c 0 bash -c "$(declare -f threads_of); threads_of $(echo spaces*)")" -le 2 ]
    [ "$(threads_of many)" -le 2 ] # too small for more
    rm spaces*
}

@test "a reader that closes the pipe ends the run" {
    run timeout 20 bash -c 'tm-unpack -j 4 many many.tar | head -c 1000 >/dev/null; echo "${PIPESTATUS[0]}"'
    [ "$output" = 141 ]
}

@test "tm-merge -j writes the same outputs with any number of threads" {
    for format in pftrace json jsonl; do
        tm-merge -j 1 -f $format -o one many.zip
        tm-merge -j 4 -f $format -o four many.zip
        cmp one four
    done
    for p in tm-unpack tm-sort tm-merge tm-emit; do
        for n in 0 257 -1 x ''; do
            run $p -j "$n" many
            [ "$status" -eq 2 ]
            [[ $output == *"--jobs: '$n' is not a number from 1 to 256"* ]]
        done
    done
}

@test "tm-emit -j formats the same JSON with any number of threads" {
    mkdir -p copies
    for i in 1 2 3; do # about 13 MB of output
        cp -r many copies/$i
    done
    tm-unpack copies | tm-manifest | tm-clocks | tm-sort >stream
    tm-unpack --by-reference copies/*/*.json | tm-manifest | tm-clocks | tm-sort >refers
    [ "$(tm-emit -q -j 1 -f json <stream | tee one | wc -c)" -gt 10000000 ]
    sources=()
    for file in copies/*/*.json; do
        sources+=(--source "$file")
    done
    [ "$(tm-emit -q -j 1 "${sources[@]}" -f json <refers | tee refers.one | wc -c)" -gt 8000000 ]
    for j in 2 3 256; do
        tm-emit -q -j $j -f json <stream | cmp - one
        tm-emit -q -j $j "${sources[@]}" -f json <refers | cmp - refers.one
    done
    # The text of the last events has changed: each number of threads reports the first one in the output.
    for i in 1 2 3; do # in place, near the end
        printf 'x' | dd of=copies/$i/rank1.json bs=1 seek=$(($(stat -c %s copies/$i/rank1.json) - 500)) \
            conv=notrunc status=none
    done
    run tm-emit -q -j 1 "${sources[@]}" -f json -o out.json <refers
    [ "$status" -eq 1 ]
    [[ $output == "tm-emit: "*": the file has changed since it was unpacked" ]]
    message=$output
    for j in 2 3 8 8 8; do
        run tm-emit -q -j $j "${sources[@]}" -f json -o out.json <refers
        [ "$status" -eq 1 ]
        [ "$output" = "$message" ]
        [ ! -e out.json ]
    done
}

@test "tm-sort -j writes the same stream with any number of threads" {
    gen=${TM_BIN%/bin}/t/gen/gen-stream
    "$gen" -n 60000 -f 5 -d 300 >files
    "$gen" -n 60000 -o shuffled >shuffled
    "$gen" -n 60000 >sorted
    tm-unpack many | tm-manifest | tm-clocks >ranks
    for stream in files shuffled sorted ranks; do
        tm-sort -j 1 <$stream >one
        [ "$(wc -c <one)" -gt 1500000 ] # several batches
        for j in 2 3 256; do
            tm-sort -j $j <$stream | cmp - one
            tm-sort -j $j -S 100k <$stream | cmp - one
        done
    done
    run timeout 20 bash -c 'tm-sort -j 3 files | head -c 1000 >/dev/null; echo "${PIPESTATUS[0]}"'
    [ "$output" = 141 ]
}

# sort_threads N: prints how many threads tm-sort -j N has while it waits for a reader. Without N there is no -j.
sort_threads() {
    local fd pid tasks now before=
    mkfifo pipe
    tm-sort ${1:+-j} $1 shuffled >pipe 3>&- &
    pid=$!
    exec {fd}<pipe
    head -c 1 <&"$fd" >/dev/null # it has begun to write
    # States and times. A thread that could run (R) may wait for a processor.
    while now=$(cut -d' ' -f3,14 /proc/$pid/task/*/stat) && { [ "$now" != "$before" ] || [[ $now == *R* ]]; }; do
        before=$now
        sleep 0.2
    done
    tasks=(/proc/$pid/task/*)
    exec {fd}<&-
    wait $pid || true
    rm pipe
    echo ${#tasks[@]}
}

@test "tm-sort -j copies rows by threads of their own, without -j where there are enough processors" {
    "${TM_BIN%/bin}/t/gen/gen-stream" -n 200000 -o shuffled >shuffled
    local one
    one=$(sort_threads 1)
    [ "$(sort_threads 2)" = $((one + 1)) ]
    [ "$(sort_threads 3)" = $((one + 1)) ]
    [ "$(sort_threads 4)" = $((one + 2)) ]
    [ "$(sort_threads 256)" = $((one + 2)) ]
    [ "$(sort_threads)" = $((one + ($(nproc) >= 4) + ($(nproc) >= 8))) ]
}
