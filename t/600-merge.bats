# tm-merge runs five programs as one. The stages are stand-ins beside a copy of tm-merge; each can be made to fail.

setup() {
    cd "$BATS_TEST_TMPDIR"
    exec </dev/null # stand-ins read it
    PATH="$TM_BIN/../t/gen:$PATH"
    mkdir bin
    cp "$TM_BIN/tm-merge" bin/
    ln -s "$TM_BIN/tm-emit" bin/tm-emit
    stage tm-unpack 'exec emit-stream $words'
    for name in tm-manifest tm-clocks tm-sort; do
        stage $name 'exec cat'
    done
    all="tm-unpack tm-manifest tm-clocks tm-sort tm-emit"
}

# stage NAME SCRIPT: makes a stand-in.
stage() {
    rm -f bin/$1
    printf '#!/bin/bash\n%s\n' "$2" >bin/$1
    chmod +x bin/$1
}

merge() {
    bin/tm-merge "$@"
}

# Output of the last stage would be shown.
sink() {
    [ "$1" != tm-emit ] || echo '>/dev/null'
}

nothing_left() {
    [ "$(ls -A)" = bin ]
}

@test "text goes to standard output, and a file gets the format of its ending" {
    run merge x
    [ "$status" -eq 0 ]
    [[ "${lines[1]}" == *"slice                 1us draw frame" ]]
    run merge --events x
    [[ "${lines[1]}" == *"begin                     draw frame" ]]
    merge -o out.jsonl x
    head -n 1 out.jsonl | grep '^{"kind"'
    [ "$(ls -A)" = "bin
out.jsonl" ]
    run merge -o out.foo x
    [ "$status" -eq 2 ]
    [[ "${lines[0]}" == "tm-merge: out.foo: no format has this ending; use one of "*", or give -f" ]]
    merge -f csv -o out.foo x
    head -n 1 out.foo | grep '^ts,dur'
}

@test "each stage gets its options, and only data that the output needs is unpacked" {
    for name in tm-unpack tm-manifest tm-clocks tm-sort tm-emit; do
        stage $name 'echo "$(basename "$0")" "$@" >>args.$(basename "$0"); cat >/dev/null'
    done
    merge -m m.json -S 64M -T /tmp --strict --ignore-unknown --on-damage skip --hints --max-dropped 5% --absolute \
        --events -- -a b </dev/null
    cat args.*
    grep -Fx "tm-unpack --on-damage skip --ignore-unknown --hints --no-raw --no-detail -T /tmp -- -a b" args.tm-unpack
    grep -Fx "tm-manifest -m m.json --strict" args.tm-manifest
    grep -Fx "tm-clocks --check-relations --hints -T /tmp" args.tm-clocks
    grep -Fx "tm-sort -S 64M -T /tmp" args.tm-sort
    grep -Fx "tm-emit -f text -T /tmp --events --absolute --strict --max-dropped 5%" args.tm-emit
    rm args.*
    merge -f jsonl --arg=a,b --arg c x
    grep -Fx "tm-unpack --no-raw -- x" args.tm-unpack
    grep -Fx "tm-emit -f jsonl --arg a --arg b --arg c" args.tm-emit
    rm args.*
    merge -f frames - </dev/null
    grep -Fx "tm-unpack --raw all -- -" args.tm-unpack
    rm args.*
    echo >x
    merge -f json x
    grep -x "tm-unpack --raw json --no-json-detail --by-reference --text /dev/fd/[0-9]* -- x" args.tm-unpack
    grep -x "tm-emit -f json --source x --text /dev/fd/[0-9]*" args.tm-emit
    for f in - . "x x/missing"; do
        rm args.*
        merge -f json $f </dev/null
        grep -x "tm-unpack --raw json --no-json-detail --text /dev/fd/[0-9]* -- $f" args.tm-unpack
        grep -x "tm-emit -f json --text /dev/fd/[0-9]*" args.tm-emit
    done
    rm args.*
    merge --no-detail -f pftrace -o out.pftrace x || true
    grep -Fx "tm-unpack --raw proto,short-line --no-detail --whole-sched -- x" args.tm-unpack
    rm args.*
    merge --only machine=host -o out.pftrace x || true
    grep -Fx "tm-unpack --raw proto,short-line --no-packet-args -- x" args.tm-unpack
    rm args.*
    merge -o out.pftrace x || true
    grep -Fx "tm-unpack --raw proto,short-line --no-packet-args --packet-values --whole-sched -- x" args.tm-unpack
    rm args.*
    merge --dry-run --json -o out.csv x
    grep -Fx "tm-emit -f report --json" args.tm-emit
    [ ! -e out.csv ]
}

@test "stages get large pages of memory, unless the user decides" {
    for name in tm-unpack tm-manifest tm-clocks tm-sort tm-emit; do
        stage $name 'echo "${GLIBC_TUNABLES-}" >"tunables.$(basename "$0")"; cat >/dev/null'
    done
    tunables() {
        GLIBC_TUNABLES=$1 merge -f jsonl "$2" || true
        cat tunables.* | sort -u
    }
    echo >x
    [ "$(tunables "" x)" = glibc.malloc.hugetlb=1 ]
    [ "$(true | tunables "" -)" = glibc.malloc.hugetlb=1 ]
    [ "$(tunables glibc.malloc.perturb=1 x)" = glibc.malloc.perturb=1:glibc.malloc.hugetlb=1 ]
    [ "$(tunables glibc.malloc.hugetlb=0 x)" = glibc.malloc.hugetlb=0 ]
}

@test "neighbours share memory, and tm-clocks also that of tm-manifest's input" {
    [ -e /proc/self/fd ] || skip "descriptors cannot be looked at"
    for name in tm-unpack tm-manifest tm-clocks tm-sort tm-emit; do
        stage $name 'for fd in ${TM_RINGS//,/ }; do
            [ "$fd" = -1 ] && echo none || stat -L -c %i /proc/self/fd/$fd
        done >rings.$(basename "$0"); cat >/dev/null'
    done
    merge -f csv x </dev/null
    for name in $all; do
        mapfile -t ${name#tm-} <rings.$name
    done
    [ "${unpack[*]}" != "none none none" ] || skip "this system has no shared memory"
    [ "${unpack[0]} ${unpack[2]}" = "none none" ]
    [ "${manifest[*]}" = "${unpack[1]} none none" ]
    [ "${clocks[0]} ${clocks[2]}" = "none ${unpack[1]}" ]
    [ "${sort[0]} ${sort[2]}" = "${clocks[1]} none" ]
    [ "${emit[*]}" = "${sort[1]} none none" ]
    [ "$(printf '%s\n' "${unpack[1]}" "${clocks[1]}" "${sort[1]}" | sort -u | grep -c '[0-9]')" -eq 3 ]
}

@test "--json without a report is an error" {
    for options in "--json x" "--json -o a.db x" "--json -f csv x"; do
        run merge $options
        [ "$status" -eq 2 ]
        [[ "${lines[0]}" == "tm-merge: --json applies to report, explain, summary and dropped, not to "* ]]
    done
    run bash -c 'tm-emit --json </dev/null'
    [ "$status" -eq 2 ]
}

@test "before --align only the arguments that its rules read are unpacked" {
    for name in tm-unpack tm-manifest tm-clocks tm-align; do
        stage $name 'echo "$(basename "$0")" "$@" >>args.$(basename "$0"); exit 3'
    done
    echo >x
    merge --align=spans -o out.json x || true
    grep -F "tm-unpack --no-raw --json-args traceid,spanid,parentspanid,parentid,spankind -- x" args.tm-unpack
    rm args.*
    merge --align=key:args.rpc_id,collectives -o out.json x || true
    grep -F "tm-unpack --no-raw --json-args rpc_id,Collective name,Process Group Name," args.tm-unpack
    rm args.*
    merge --align=key:args._ -o out.json x || true # nothing to compare
    grep -Fx "tm-unpack --no-raw -- x" args.tm-unpack
}

@test "--dry-run prints the report and writes no output" {
    run merge --dry-run -o out.txt x
    [ "$status" -eq 0 ]
    [[ "$output" == *"  total: 9 events read, 9 placed, 0 dropped; the accounts balance"* ]]
    nothing_left
}

@test "a stage that fails gives one line and no OUT" {
    for name in $all; do
        for status in 1 2 3 4; do
            mv bin/$name saved
            stage $name "head -c 100 $(sink $name); echo '$name: run.zip: phone.pftrace: broken' >&2; exit $status"
            run merge -o out.txt x
            rm bin/$name
            mv saved bin/$name
            echo "$name $status: $output"
            [ "$output" = "$name: run.zip: phone.pftrace: broken" ]
            [ "${#lines[@]}" -eq 1 ]
            nothing_left
        done
    done
}

@test "the exit status of a failing stage is that of tm-merge" {
    for name in $all; do
        for wanted in 1 2 3 4; do
            mv bin/$name saved
            stage $name "cat >/dev/null; echo '$name: bad' >&2; exit $wanted"
            run merge x
            rm bin/$name
            mv saved bin/$name
            [ "$status" -eq $wanted ]
        done
    done
}

@test "a stage that reads nothing and fails at once is reported as the cause" {
    for name in tm-manifest tm-clocks tm-sort tm-emit; do
        mv bin/$name saved
        stage $name "echo '$name: bad' >&2; exit 3"
        words="-n 200000" run merge -o out.txt x
        rm bin/$name
        mv saved bin/$name
        echo "$name: $output"
        [ "$status" -eq 3 ]
        [ "$output" = "$name: bad" ]
        nothing_left
    done
}

@test "if two stages fail by themselves, the first in the pipe is reported and the gravest status counts" {
    stage tm-manifest 'cat; echo "tm-manifest: strict" >&2; exit 4'
    stage tm-sort 'cat; echo "tm-sort: no space" >&2; exit 3'
    run merge x
    [ "$status" -eq 3 ]
    [[ "$output" == *"tm-manifest: strict"* ]]
    [[ "$output" != *"tm-sort"* ]]
}

@test "a stage that fails after writing everything leaves no OUT" {
    for name in tm-unpack tm-manifest tm-clocks tm-sort; do
        cp bin/$name saved
        stage $name "$(tail -n +2 saved | sed s/exec//); echo '$name: late' >&2; exit 1"
        run merge -o out.txt x
        mv saved bin/$name
        [ "$status" -eq 1 ]
        [ "$output" = "$name: late" ]
        nothing_left
    done
}

@test "warnings are printed in the order of the pipe, with and without a failure" {
    stage tm-manifest 'echo "tm-manifest: warning: path matches no file" >&2; exec cat'
    stage tm-clocks 'echo "tm-clocks: warning: one" >&2; exec cat'
    run merge -o out.txt x
    [ "$status" -eq 0 ]
    [ "$output" = "tm-manifest: warning: path matches no file
tm-clocks: warning: one" ]
    rm out.txt
    stage tm-sort 'echo "tm-sort: warning: two" >&2; cat >/dev/null; echo "tm-sort: bad" >&2; exit 1'
    run merge -o out.txt x
    [ "$status" -eq 1 ]
    [ "$output" = "tm-manifest: warning: path matches no file
tm-clocks: warning: one
tm-sort: warning: two
tm-sort: bad" ]
    nothing_left
}

@test "a stage killed by kill -9 or -PIPE at the start or in the middle is exit 3 and no OUT" {
    for name in $all; do
        for before in "" "head -c 1000 $(sink $name);"; do
            for signal in "9 (Killed)" "13 (Broken pipe)"; do
                mv bin/$name saved
                stage $name "$before kill -${signal%% *} \$\$"
                run merge -o out.txt x
                rm bin/$name
                mv saved bin/$name
                echo "$name: $output"
                [ "$status" -eq 3 ]
                [ "$output" = "tm-merge: $name: killed by signal $signal" ]
                nothing_left
            done
        done
    done
}

@test "tm-emit killed by SIGPIPE is an error if the reader of the output is there" {
    stage tm-emit 'kill -PIPE $$'
    run bash -c 'bin/tm-merge x | cat; exit ${PIPESTATUS[0]}'
    [ "$status" -eq 3 ]
    [ "$output" = "tm-merge: tm-emit: killed by signal 13 (Broken pipe)" ]
    nothing_left
}

@test "a stage killed after writing its last byte is exit 3 and no OUT" {
    stage tm-sort 'cat; kill -9 $$'
    run merge -o out.txt x
    [ "$status" -eq 3 ]
    nothing_left
}

@test "what two stages say about one file is said once" {
    for text in "x: cannot open: Permission denied" "y: cannot open: Permission denied"; do
        stage tm-unpack 'echo "tm-unpack: x: cannot open: Permission denied" >&2; exit 1'
        stage tm-emit 'echo "tm-emit: '"$text"'" >&2; exit 1'
        run merge -o out.json x
        [ "$status" -eq 1 ]
        [ "${lines[0]}" = "tm-unpack: x: cannot open: Permission denied" ]
        if [ "${text%%:*}" = x ]; then
            [ "${#lines[@]}" -eq 1 ]
        else
            [ "${lines[1]}" = "tm-emit: $text" ]
            [ "${#lines[@]}" -eq 2 ]
        fi
        nothing_left
    done
}

@test "a stage that ends early without a message is a failure" {
    stage tm-clocks 'head -c 300; exit 0'
    run merge -o out.txt x
    [ "$status" -eq 1 ]
    [[ "$output" == "tm-emit: byte "*": "*"cut short"* ]]
    nothing_left
    stage tm-clocks 'exit 0'
    words="-n 200000" run merge -o out.txt x
    [ "$status" -ne 0 ]
    nothing_left
    stage tm-clocks 'cat >/dev/null; exit 1'
    run merge -o out.txt x
    [ "$status" -eq 1 ]
    [ "$output" = "tm-merge: tm-clocks: failed with exit status 1" ]
}

@test "a stage says by its exit status that its stream ended early, in whatever words" {
    stage tm-manifest 'head -c 300; echo "tm-manifest: no space" >&2; exit 3'
    stage tm-clocks 'cat >/dev/null; echo "tm-clocks: the rest is missing" >&2; exit 5'
    stage tm-sort 'cat >/dev/null; echo "tm-sort: byte 0: frame is cut short" >&2; exit 1'
    run merge -o out.txt x
    [ "$status" -eq 3 ]
    [ "$output" = "tm-manifest: no space
tm-sort: byte 0: frame is cut short" ]
    nothing_left
    # If no stage before it failed, it is the cause, and the exit status is that of damaged input.
    stage tm-manifest 'head -c 300'
    stage tm-sort 'cat >/dev/null; exit 5'
    run merge -o out.txt x
    [ "$status" -eq 1 ]
    [ "$output" = "tm-clocks: the rest is missing" ]
}

@test "the exit status for a stream that ended early is for tm-merge alone" {
    emit-stream | head -c 300 >cut
    emit-stream >whole
    for name in manifest clocks sort emit; do
        TM_PIPELINE=1 run "$TM_BIN/tm-$name" <cut
        [ "$status" -eq 5 ]
        run "$TM_BIN/tm-$name" <cut
        [ "$status" -eq 1 ]
        TM_PIPELINE=1 run "$TM_BIN/tm-$name" <<<"no stream"
        [ "$status" -eq 1 ]
    done
    TM_PIPELINE=1 run "$TM_BIN/tm-emit" <whole
    [ "$status" -eq 0 ]
}

@test "a stage that is missing or cannot be run is named" {
    for name in $all; do
        mv bin/$name saved
        PATH=/usr/bin:/bin run merge -o out.txt x
        [ "$status" -eq 3 ]
        [ "$output" = "tm-merge: $name: program not found, neither beside tm-merge nor in PATH" ]
        echo '#!/no/such/interpreter' >bin/$name
        chmod +x bin/$name
        run merge -o out.txt x
        rm bin/$name
        mv saved bin/$name
        [ "$status" -eq 3 ]
        [[ "$output" == "tm-merge: /"*"/bin/$name: cannot run: No such file or directory" ]]
        nothing_left
    done
}

@test "programs that are not in the folder of tm-merge are found in PATH" {
    mkdir elsewhere
    mv bin/tm-sort elsewhere/
    PATH="$PWD/elsewhere:$PATH" run merge x
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 9 ]
}

@test "if the output fails, tm-merge does not wait for a stage that still works" {
    stage tm-unpack 'emit-stream; exec sleep 600'
    stage tm-sort 'cat >/dev/null'
    stage tm-emit 'echo "tm-emit: out.txt: cannot write: No space left on device" >&2; exit 3'
    SECONDS=0
    run merge -o out.txt x
    [ "$status" -eq 3 ]
    [ "$output" = "tm-emit: out.txt: cannot write: No space left on device" ]
    [ $SECONDS -lt 500 ]
}

@test "--strict and --max-dropped give exit 4 and no OUT" {
    export words=dropped
    run merge --strict -o out.txt x
    [ "$status" -eq 4 ]
    [ "${lines[-1]}" = "tm-emit: 2 of 11 events were dropped; tm-emit -f report says why" ]
    nothing_left
    run merge --max-dropped 1 -o out.txt x
    [ "$status" -eq 4 ]
    run merge --max-dropped 2 -o out.txt x
    [ "$status" -eq 0 ]
}

@test "an unwritable directory and a full disk are errors" {
    run merge -o no/such/out.txt x
    [ "$status" -eq 3 ]
    [ "$output" = "tm-merge: no/such/out.txt: cannot make a temporary file beside it: No such file or directory" ]
    run merge -o /dev/full x
    [ "$status" -eq 3 ]
    [ "$output" = "tm-emit: /dev/full: cannot write: No space left on device" ]
    run bash -c 'bin/tm-merge x >/dev/full'
    [ "$status" -eq 3 ]
    [ "$output" = "tm-emit: standard output: cannot write: No space left on device" ]
}

@test "a disk that fills up during the merge leaves no file" {
    mkdir disk
    words="-n 200000" run unshare -r -m bash -c '
        mount -t tmpfs -o size=1m none disk || exit 99
        bin/tm-merge -o disk/out.txt x
        status=$?
        ls -A disk
        exit $status'
    [ "$status" -eq 99 ] && skip "cannot mount a small tmpfs here"
    [[ "$output" == *"unshare"* ]] && skip "no user namespaces here"
    [ "$status" -eq 3 ]
    [[ "$output" =~ ^"tm-emit: disk/out.txt: cannot write in $PWD/disk, where this file needs at least "[0-9]+" bytes: No space left on device"$ ]]
}

@test "the old OUT is unchanged if the merge fails" {
    echo old >out.txt
    words=cut run merge -o out.txt x
    [ "$status" -eq 1 ]
    [ "$(cat out.txt)" = old ]
    [ "$(ls -A)" = "bin
out.txt" ]
}

@test "a reader that closes the pipe early causes no message" {
    words="-n 200000" run bash -c 'set -o pipefail; bin/tm-merge x | head -n 1'
    [ "$status" -eq 141 ]
    [ "${#lines[@]}" -eq 1 ]
    [[ "$output" == *"NAME = VALUE [CATEGORY] ARGS" ]]
}

@test "SIGINT, SIGTERM and SIGHUP reach the stages, and no file is left" {
    for name in tm-unpack tm-manifest tm-clocks tm-sort; do
        stage $name 'echo $$ >>pids; exec sleep 600'
    done
    stage tm-emit 'for a; do [ "$part" = next ] && part=$a; [ "$a" = --part ] && part=next; done
        echo half >$part; touch $part-journal; echo $$ >>pids; exec sleep 600'
    for signal in INT TERM HUP; do
        PYTHONPATH=$TM_SRC/t/lib python3 - $signal <<'PY'
import os, signal, sys
from waiting import Others, end_of, start, until
sig = getattr(signal, "SIG" + sys.argv[1])
p = start("bin/tm-merge", "-o", "out.txt", "x")
until(lambda: os.path.exists("pids") and open("pids").read().count("\n") == 5, p)
stages = Others(open("pids").read().split())
assert len(stages.left()) == 5
p.send_signal(sig)
assert end_of(p) == -sig, p.returncode
assert not stages.left(), stages.left()
os.unlink("pids")
PY
        nothing_left
    done
}

@test "SIGINT is the cause of death, even if it also killed the compressor of the last stage" {
    for name in tm-unpack tm-manifest tm-clocks tm-sort; do
        stage $name 'exit 0'
    done
    stage tm-emit 'trap "trap - PIPE; kill -PIPE \$\$" INT; echo >ready; while :; do sleep 0.01; done'
    PYTHONPATH=$TM_SRC/t/lib python3 - <<'PY'
import os, signal
from waiting import end_of, start, until
p = start("bin/tm-merge", "-o", "out.txt", "x")
until(lambda: os.path.exists("ready"), p)
p.send_signal(signal.SIGINT)
assert end_of(p) == -signal.SIGINT, p.returncode
PY
    rm ready
    nothing_left
}

@test "ignored signals stay ignored" {
    stage tm-unpack 'grep SigIgn /proc/self/status >&2; exec emit-stream'
    run bash -c 'trap "" HUP; exec bin/tm-merge -o out.txt x'
    [ "$status" -eq 0 ]
    [[ "$output" == "SigIgn:"*[13579bdf] ]] # SIGHUP is the lowest bit; the test's caller may ignore others
}

@test "SIGPIPE works in the stages even if the caller ignores it" {
    words="-n 200000" run bash -c 'trap "" PIPE; bin/tm-merge x | head -n 1'
    [ "${#lines[@]}" -eq 1 ]
    [[ "$output" == *"NAME = VALUE [CATEGORY] ARGS" ]]
}

@test "closed standard descriptors do not disturb the pipes" {
    bin/tm-merge -o out.txt x <&- >&-
    [ -s out.txt ]
    bin/tm-merge -o out.txt x <&- >&- 2>&-
    [ -s out.txt ]
}

@test "a flood of messages is passed on and not collected" {
    stage tm-clocks 'for i in {1..20000}; do echo "tm-clocks: warning: number $i"; done >&2; exec cat'
    run merge -o out.txt x
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 20000 ]
    [ "${lines[19999]}" = "tm-clocks: warning: number 20000" ]
}

@test "invalid command lines are exit 2" {
    for args in "-f nothing x" "--no-such" "-o" "-S 12x x" "--max-dropped 200% x" "--on-damage maybe x"; do
        run merge $args
        [ "$status" -eq 2 ]
        [ "${lines[1]}" = "tm-merge: try 'tm-merge --help'" ]
    done
    run python3 "$TM_SRC/t/lib/dialogue.py" shown -- bin/tm-merge
    if [ "$status" -ne 77 ]; then # 77: no pseudo-terminals, as in a bare chroot
        [ "$status" -eq 2 ]
        [[ $(head -n 1 shown) == "tm-merge: no FILE, and standard input is a terminal"* ]]
    fi
    run merge --help
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "usage: tm-merge "* ]]
    run merge --version
    [[ "$output" == "tm-merge (tracemerge) "* ]]
}
