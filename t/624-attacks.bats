# Hostile inputs, full disks and kill -9 across several stages: outputs that cannot be written, compressors that die,
# streams that are cut and changed anywhere, damaged input in every format for every output.

load lib/common

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
    demo="$TM_SRC/doc/examples/phone-watch-app.tar"
}

# Names that compress badly.
events() {
    python3 - "$1" <<'PY'
import random, sys
r = random.Random(1)
print('[' + ',\n'.join('{"ph":"i","s":"t","ts":%d,"pid":%d,"tid":1,"name":"%x"}' % (i, r.randrange(9999), r.getrandbits(300))
                       for i in range(int(sys.argv[1]))) + ']')
PY
}

@test "an output that cannot grow is one line with the cause, exit 3, and leaves the old output unchanged" {
    events 12000 >x.json
    mkdir outs
    bash -o pipefail -c 'tm-unpack x.json | tm-manifest | tm-clocks | tm-sort >sorted'
    for out in x.json x.json.gz x.json.zst x.pftrace x.pftrace.gz x.csv x.csv.gz x.txt x.frames x.jsonl.zst x.db; do
        echo old >outs/$out
        for program in "tm-merge -o outs/$out x.json" "tm-emit -o outs/$out <sorted"; do
            run bash -c "ulimit -f 64; exec $program"
            echo "$program: $status: $output"
            [ "$status" -eq 3 ]
            [ "${#lines[@]}" -eq 1 ]
            case $out in
            *.db) [[ "$output" == "tm-emit: outs/$out: sqlite: "* ]] ;;
            *) [ "$output" = "tm-emit: outs/$out: cannot write: File too large" ] ;;
            esac
            [ "$(ls -A outs)" = "$out" ]
            [ "$(cat outs/$out)" = old ]
        done
        rm outs/$out
    done
    for out in x.tar x.tar.gz x.zip; do
        run bash -c "ulimit -f 64; exec tm-pack -o outs/$out x.json"
        echo "$out: $status: $output"
        [ "$status" -eq 3 ]
        [ "${#lines[@]}" -eq 1 ]
        [[ "$output" == "tm-pack: "*"File too large" ]]
        [ -z "$(ls -A outs)" ]
    done
}

@test "a killed compressor is an error, and a reader that closes its pipe is none" {
    events 12000 >x.json
    bash -o pipefail -c 'tm-unpack x.json | tm-manifest | tm-clocks | tm-sort >sorted'
    PYTHONPATH=$TM_SRC/t/lib python3 - <<'PY'
import os, signal, subprocess
from waiting import LIMIT_S, children, start, until
data = open("sorted", "rb").read()
p = start("tm-emit", "-o", "out.json.gz", stdin=subprocess.PIPE, stderr=subprocess.PIPE)
p.stdin.write(data[:len(data) // 2])
p.stdin.flush()
compressor, = until(lambda: children(p), p).values()
os.kill(compressor, signal.SIGKILL)
err = p.communicate(data[len(data) // 2:], timeout=LIMIT_S)[1].decode()
assert p.returncode == 3, p.returncode
assert err == "tm-emit: out.json.gz: the compressor was killed by signal 9\n", err
assert sorted(os.listdir()) == ["sorted", "x.json"], os.listdir()
PY
    mkfifo fifo.json.gz
    (exec 3<fifo.json.gz; head -c 10 <&3 >/dev/null; exec 3<&-) &
    run tm-emit -o fifo.json.gz <sorted
    wait
    [ "$status" -eq 141 ]
    [ -z "$output" ]
}

@test "a stream that is cut or changed anywhere is one line of each stage and output, and leaves no file" {
    local streams
    streams=$(drawn 600)
    run python3 "$TM_SRC/t/gen/cut_streams.py" $((397 * 600 / streams)) "$demo"
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" =~ ^([0-9]+)\ damaged\ streams$ ]]
    [ "${BASH_REMATCH[1]}" -ge "$streams" ]
}

@test "damaged input of every format has balanced numbers and no unescaped names in every output" {
    local seeds
    seeds=$(drawn 24)
    run python3 "$TM_SRC/t/check/damage_outputs.py" 1 "$seeds"
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" =~ ^([0-9]+)\ streams\ into\ 11\ outputs ]]
    [ "${BASH_REMATCH[1]}" -ge $((seeds * 40 / 24)) ]
}

@test "no name reaches a terminal unescaped from any output, message, list, graph or report" {
    mkdir shown
    cd shown
    run python3 "$TM_SRC/t/lib/terminal.py"
    [ "$status" -ne 77 ] || skip "no terminals here"
    echo "$output"
    [ "$status" -eq 0 ]
}
