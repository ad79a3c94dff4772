# Each system call of a program fails in turn (t/lib/fault.c). The program works without the call, or ends with status 3
# and one line, and leaves no file.

load lib/common

setup() {
    cd "$BATS_TEST_TMPDIR"
    so="$TM_BIN/../t/fault.so"
    PATH="$TM_BIN/../t/gen:$PATH"
    [ -e "$so" ] || skip "no preload was built"
    only_unsanitized "a sanitized program makes its calls past a preload"
    LD_PRELOAD="$so" tm-emit --version >/dev/null 2>&1 || skip "a preload does not work in this build"
    emit-stream -n 2000 >stream
    stream="$PWD/stream"
}

faults() {
    python3 "$TM_SRC/t/check/faults.py" "$so" "$@"
}

all="read,write,open,mkstemp,close,rename,fsync,ftruncate,lseek,pipe,fork"

@test "tm-emit handles each failure while it writes text, jsonl, csv and reports to a file" {
    for format in text jsonl csv report; do
        faults tm-emit $all,malloc out "tm-emit -f $format -o out <$stream"
    done
}

@test "tm-unpack and tm-emit handle each failure with text that stays out of the stream" {
    python3 - >x.json <<'END'
print('[' + ',\n'.join('{"ph":"X","name":"n","ts":%d,"dur":1,"pid":1,"tid":1,"args":{"text":"%s"}}' % (i, 'x' * 200)
                       for i in range(3000)) + ']')
END
    gzip -k x.json
    touch text
    faults tm-unpack $all out.json "tm-merge -o out.json $PWD/x.json $PWD/x.json.gz"
    faults tm-merge "$all!,malloc" out.json "tm-merge -o out.json $PWD/x.json $PWD/x.json.gz"
    tm-unpack --no-json-detail --by-reference --text text x.json x.json.gz | tm-manifest | tm-clocks | tm-sort >s
    faults tm-emit $all,malloc out "tm-emit -f json -o out --source $PWD/x.json --source $PWD/text <$PWD/s"
}

@test "tm-emit and tm-unpack keep temporary files whose storage cannot be reclaimed" {
    python3 - >x.json <<'END'
print('[' + ',\n'.join('{"ph":"X","name":"n","ts":%d,"dur":1,"pid":1,"tid":1,"args":{"text":"%s"}}' % (i, 'x' * 2000)
                       for i in range(2000)) + ']')
END
    tar czf x.tar.gz x.json
    gzip x.json
    faults tm-emit fallocate out.json "tm-merge -o out.json $PWD/x.json.gz"
    faults tm-emit fallocate out.json "tm-merge -o out.json $PWD/x.tar.gz"
    faults tm-unpack fallocate out.jsonl "tm-merge -o out.jsonl $PWD/x.tar.gz"
}

@test "tm-unpack handles each failure with and without threads that inflate and write" {
    python3 - <<'END'
import random
random.seed(1)
for name in ('a', 'b'):
    with open(name + '.json', 'w') as f:
        f.write('[' + ',\n'.join('{"ph":"X","name":"n","ts":%d,"dur":1,"pid":1,"tid":1,"args":{"text":"%0400x"}}'
                                 % (i, random.getrandbits(1600)) for i in range(2500)) + ']')
END
    tar czf a.tar.gz a.json
    python3 -m zipfile -c b.zip b.json
    touch text
    faults tm-unpack thread,read,write out.json "tm-merge -o out.json $PWD/a.tar.gz $PWD/b.zip"
    faults tm-unpack thread out.json "tm-merge -o out.json $PWD/b.zip"
    faults tm-unpack malloc out.json "tm-merge -o out.json $PWD/a.tar.gz"
}

@test "a ZIP that cannot be read for lack of memory is not reported as damaged" {
    echo '[{"ph":"X","name":"n","ts":1,"dur":1,"pid":1,"tid":1}]' >x.json
    python3 -m zipfile -c x.zip x.json
    for how in halt salvage; do
        TM_FAULTS_EVERY=1000000 faults tm-unpack malloc out \
            "tm-unpack --on-damage=$how $PWD/x.zip >out; s=\$?; [ \$s = 0 ] || rm out; exit \$s"
    done
}

@test "a compressed rank that cannot be looked into for lack of memory is not taken for one without a rank" {
    echo '{"distributedInfo":{"backend":"nccl","rank":7,"world_size":8},"traceEvents":[]}' >x.json
    gzip -k x.json
    zstd -q x.json
    tm-unpack x.json.gz | tm-emit -f frames | grep rank
    for name in gz zst; do
        TM_FAULTS_EVERY=1000000 faults tm-unpack malloc out \
            "tm-unpack $PWD/x.json.$name >out; s=\$?; [ \$s = 0 ] || rm out; exit \$s"
    done
}

@test "tm-emit handles each failure while it writes to standard output" {
    # Output that was written before the fault stays.
    faults tm-emit malloc '' "tm-emit -f report --json <$stream | cat >out; s=\$?; [ \$s = 0 ] && cat out; rm out; exit \$s"
}

@test "tm-emit handles each failure while it writes a database" {
    faults tm-emit $all,malloc out "tm-emit -f sqlite -o out <$stream"
}

@test "tm-merge itself leaves no OUT and no stage after any failure" {
    faults tm-merge "$all!,malloc" out.jsonl "tm-merge -o out.jsonl $TM_SRC/doc/examples/phone-watch-app.tar"
}

@test "each failing stage of tm-merge gives one line, exit 3 and no OUT" {
    for name in tm-unpack tm-manifest tm-clocks tm-sort tm-emit; do
        faults $name read,write,open,mkstemp,lseek,mmap,malloc out.jsonl \
            "tm-merge -S 1k -o out.jsonl $TM_SRC/doc/examples/phone-watch-app.tar"
    done
}

@test "an output is on the disk before it gets its name, except with --no-sync" {
    echo before >before.csv
    for command in "tm-emit -f csv" "tm-merge -q --machine-from=none x.json -f csv" "tm-pack -q x.json"; do
        program=${command%% *}
        ending=.csv
        [ $program = tm-pack ] && ending=.tar
        echo '[{"name":"x","ph":"i","ts":1,"pid":1,"tid":1}]' >x.json
        cp before.csv out$ending
        rm -f hit
        status=0
        LD_PRELOAD=$so TM_FAULT=fsync:1 TM_FAULT_IN=$program TM_FAULT_HIT=hit $command -o out$ending <"$stream" 2>said ||
            status=$?
        [ "$status" -eq 3 ]
        [ -s hit ]
        [[ $(cat said) == "$program: "*"out$ending: cannot write: "* ]]
        cmp before.csv out$ending
        [ -z "$(ls .out* 2>/dev/null)" ]
        LD_PRELOAD=$so TM_FAULT=fsync:2 TM_FAULT_IN=$program TM_FAULT_HIT=second $command -o out$ending <"$stream"
        [ -s second ] # fsync of the folder, after the rename
        [ "$(cmp -s before.csv out$ending; echo $?)" = 1 ]
        LD_PRELOAD=$so TM_FAULT=rename:1 TM_FAULT_IN=$program $command -o out$ending <"$stream" 2>/dev/null && false
        rm -f hit second
        LD_PRELOAD=$so TM_FAULT=fsync:1+ TM_FAULT_IN=$program TM_FAULT_HIT=hit \
            $command --no-sync -o out$ending <"$stream"
        [ ! -s hit ]
    done
}

@test "a signal leaves no temporary file, and the program dies of it" {
    json='[{"name":"x","ph":"X","ts":1,"dur":1,"pid":1,"tid":1}]'
    mkdir in
    echo "$json" >in/x.json
    tm-unpack in/x.json >unpacked
    tm-manifest -q <unpacked >configured
    tm-clocks <configured | tm-sort >placed
    for command in "tm-emit -f csv -o out <placed" "tm-emit -q -f tables -o out/ <placed" "tm-pack -q -o out.zip in/x.json" \
        "tm-sort --cut=0.5s --into=out placed" "tm-align -o out <placed" "tm-align --write-manifest=out <placed" \
        "tm-manifest --write-manifest=out <unpacked" "tm-clocks --hints --write-manifest=out <configured"; do
        for signal in 1 2 15; do
            mkdir run
            cp placed unpacked configured run
            cp -r in run
            rm -f hit
            LD_PRELOAD=$so TM_FAULT=fsync:1 TM_FAULT_SIGNAL=$signal TM_FAULT_IN=${command%% *} TM_FAULT_HIT=$PWD/hit \
                run bash -c "cd run && $command >/dev/null"
            echo "$command: $status, $output, $(ls -A run)"
            [ -s hit ]
            [ "$status" -eq $((128 + signal)) ]
            [ "$(echo $(ls -A run))" = "configured in placed unpacked" ]
            rm -r run
        done
    done
}

@test "processes with the libraries for trace.dat and CTF handle each failure" {
    tar xzf "$TM_SRC/t/data/ctf-ust.tar.gz"
    folder=$(dirname "$(find "$PWD" -name metadata | head -n 1)")
    for input in "$TM_SRC/t/data/trace-dat-7.dat" "$folder"; do
        tm-merge -o x.jsonl "$input" || skip "a library is not there"
        faults tm-unpack write,mkstemp,pipe,fork out.jsonl "tm-merge -o out.jsonl $input"
    done # a library does not report whether a read failed or the input is damaged
}
