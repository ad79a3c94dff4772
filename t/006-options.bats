#!/usr/bin/env bats
# Options that all programs answer in the same way.

programs="tm-unpack tm-manifest tm-clocks tm-align tm-plan tm-sort tm-emit tm-merge tm-pack"

@test "--version prints the version that configure was made for" {
    version=$(sed -n 's/^AC_INIT(\[tracemerge\], \[\(.*\)\])$/\1/p' "$TM_SRC/configure.ac")
    [ -n "$version" ]
    for p in $programs; do
        run "$p" --version
        [ "$status" -eq 0 ]
        [ "$output" = "$p (tracemerge) $version" ]
    done
}

@test "a stack limit that is too low is an error that says so, and a low soft limit is raised" {
    load "$TM_SRC/t/lib/common.bash"
    only_unsanitized "a sanitized program needs more stack"
    for p in $programs; do
        run bash -c "ulimit -s 64; exec $p --version"
        [ "$status" -eq 3 ]
        [ "$output" = "$p: the stack may have 64 KiB and needs 512: ulimit -s 512" ]
    done
    cd "$BATS_TEST_TMPDIR"
    echo '[{"name": "n", "ph": "X", "ts": 1, "dur": 1, "pid": 1, "tid": 1}]' >inner
    for depth in 1 2 3 4 5 6 7; do # archives in archives take the most stack
        mv inner member
        tar cf inner member
    done
    (ulimit -Ss 64; tm-unpack inner >out)
    cp inner other
    (ulimit -Ss 64; tm-merge -j2 -q -o out.json inner other member)
    [ "$(grep -c '"name": "n"' out.json)" -eq 3 ]
}

@test "--help names each long option that the program accepts" {
    for p in $programs; do
        run "$p" --help
        [ "$status" -eq 0 ]
        [ "${lines[0]#usage: $p }" != "${lines[0]}" ]
        for word in $(printf '%s\n' "$output" | grep -E '^ *-' |
            grep -oE -- '--[a-z][a-z-]+' | sort -u); do
            case $word in --help | --version) continue ;; esac
            run "$p" "$word" --no-such-option </dev/null
            [[ "$output" != *"unknown option '$word'"* ]] || { echo "$p: $word"; return 1; }
        done
    done
}

@test "--help fits a terminal of 80 columns" {
    for p in $programs; do
        [ -z "$("$p" --help | grep -E '.{81}')" ] || { echo "$p"; return 1; }
    done
}

@test "the default of -S is that of tm-sort in all texts" {
    most=$(sed -n 's/^static const uint64_t memory_max = UINT64_C(\([0-9]*\)) << 30;/\1/p' "$TM_SRC/lib/sort/sorter.c")
    [ "$most" -gt 0 ]
    for p in tm-sort tm-merge; do
        "$p" --help | tr -s '\n ' ' ' | grep -qF "default a sixteenth of the memory, 256M to ${most}G"
        tr -s '\n ' ' ' <"$TM_SRC/doc/$p.1" | grep -qF "at least 256M and at most ${most}G"
    done
}

@test "an unknown option, long or short, is exit 2 with a hint at --help" {
    for p in $programs; do
        run "$p" --nonsense </dev/null
        [ "$status" -eq 2 ]
        [ "${lines[0]}" = "$p: unknown option '--nonsense'" ]
        [ "${lines[1]}" = "$p: try '$p --help'" ]
        run "$p" -QZ </dev/null
        [ "$status" -eq 2 ]
        [ "${lines[0]}" = "$p: unknown option '-Q'" ]
    done
}

@test "a word that begins several options is exit 2 and names them" {
    run tm-sort --m </dev/null
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "tm-sort: '--m' may be short for --merge, --max-memory" ]
    run tm-merge --machine=x --max=3 </dev/null
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "tm-merge: '--max=3' may be short for --max-dropped, --max-expansion, --max-memory" ]
}

@test "an input that cannot be opened is exit 1 in all programs, with its name" {
    cd "$BATS_TEST_TMPDIR"
    printf '{"traceEvents":[{"ph":"i","ts":1,"name":"x","pid":1,"tid":1}]}' >a.json
    tm-unpack a.json | tm-manifest | tm-clocks | tm-sort >a.tms
    mkdir folder
    for call in "tm-merge gone" "tm-merge -m gone a.json" "tm-merge -m folder a.json" "tm-unpack gone" \
        "tm-unpack -l gone" "tm-pack -o p.tar gone" "tm-pack --manifest-only gone" "tm-sort gone" "tm-sort -c gone" \
        "tm-sort -m gone" "tm-sort folder" "tm-manifest --check gone" "tm-manifest --check folder" \
        "tm-manifest -m gone" "tm-manifest -m folder" "tm-emit -f json --source gone" "tm-emit -f json --text gone" \
        "tm-emit -f report --alignment gone" "tm-emit -f report --alignment folder"; do
        run $call <a.tms
        echo "$call: $status: $output"
        [ "$status" -eq 1 ]
        [[ $output == tm-*": gone: cannot open: No such file or directory" ]] ||
            [[ $output == tm-*": folder: cannot read: Is a directory" ]]
    done
}

@test "an empty name of a file is refused, and named" {
    cd "$BATS_TEST_TMPDIR"
    printf '{"traceEvents":[{"ph":"i","ts":1,"name":"x","pid":1,"tid":1}]}' >a.json
    for call in "tm-unpack" "tm-unpack a.json" "tm-merge" "tm-merge a.json" "tm-pack -o p.tar" "tm-sort" \
        "tm-manifest --check"; do
        run $call ''
        echo "$call: $status: $output"
        [ "$status" -eq 1 ]
        [[ $output == tm-*": '': "* ]]
    done
    for call in "tm-merge -m" "tm-merge --write-manifest" "tm-manifest -m" "tm-manifest --write-manifest" \
        "tm-emit -f json --source" "tm-emit -f json --text" \
        "tm-clocks --hints --write-manifest" "tm-align --write-manifest" "tm-align -o"; do
        run $call '' </dev/null
        echo "$call: $status: $output"
        [ "$status" -eq 2 ]
        [[ ${lines[0]} == tm-*": --"*": '' is no file" ]]
    done
}

@test "a manifest is written to a file, and to standard output only where that is free" {
    cd "$BATS_TEST_TMPDIR"
    printf '{"traceEvents":[{"ph":"i","ts":1,"name":"x","pid":1,"tid":1}]}' >a.json
    tm-unpack a.json | tm-manifest | tm-clocks | tm-sort >a.tms
    for name in - /dev/stdout; do
        for call in "tm-manifest" "tm-clocks --hints" "tm-align" "tm-align -o -" "tm-merge"; do
            run $call --write-manifest "$name" <a.tms
            echo "$call $name: $status: $output"
            [ "$status" -eq 2 ]
            [[ ${lines[0]} == tm-*": --write-manifest: give a file, not standard output" ]]
        done
        tm-align -o result --write-manifest "$name" <a.tms >manifest
        grep -q '"perfetto_manifest": {' manifest
        [ "$(tm-align -o - <a.tms)" = "$(cat result)" ]
        [ ! -e - ]
    done
    run tm-align -o other --write-manifest gone/manifest <a.tms
    [ "$status" -eq 3 ]
    [ ! -e other ] # both appear, or none
}

@test "a value that begins with - reaches its stage" {
    cd "$BATS_TEST_TMPDIR"
    printf '{"traceEvents":[{"ph":"X","ts":1,"dur":1,"name":"x","pid":1,"tid":1,"args":{"-a":5}}]}' >-in
    mkdir ./-tmp
    printf '{"perfetto_manifest":{"version":1,"files":[{"path":"-in","machine":{"name":"-m"}}]}}' >-manifest
    tm-merge --temporary-directory=-tmp --manifest=-manifest --arg=-a --output=-one.csv --output=-two.json -- -in
    grep -q ',-m,.*,-in,5' ./-one.csv
    tm-merge -f json --manifest=-manifest -- -in | cmp - ./-two.json
    [ "$(tm-merge -f csv --machine=-n=-in --only=machine=-n -- -in | grep -c ',-n,')" -eq 1 ]
    run tm-merge --temporary-directory=-gone --align -- -in ./-in
    [ "$status" -eq 3 ]
    [[ $output == tm-*": -gone: cannot make a temporary file: No such file or directory" ]]
    run tm-merge --align=-rule -- -in ./-two.json
    [ "$status" -eq 2 ]
    [[ ${lines[0]} == "tm-merge: --align: '-rule' is not a rule; "* ]]
}

@test "an option of a format that no output has is refused, and --dry-run and --explain take those of all formats" {
    cd "$BATS_TEST_TMPDIR"
    printf '{"traceEvents":[{"ph":"i","ts":1,"name":"x","pid":1,"tid":1}]}' >a.json
    tm-unpack a.json | tm-manifest | tm-clocks | tm-sort >a.tms
    for pair in --absolute=text --rebase=json --index=sqlite --hex=frames --alignment=report; do
        option=${pair%=*}
        format=${pair#*=}
        [ $option != --alignment ] || option="$option a.tms"
        run tm-emit $option -o out.csv -o out.svg <a.tms
        echo "$pair: $status: $output"
        [ "$status" -eq 2 ]
        [ "${lines[0]}" = "tm-emit: ${option% *} applies to $format, not to csv" ]
        tm-emit -q $option -o out.csv -o out -f $format <a.tms
        case $option in --hex | --alignment*) continue ;; esac
        run tm-merge $option -o out.csv a.json
        [ "$status" -eq 2 ]
        [ "${lines[0]}" = "tm-merge: $option applies to $format, not to csv" ]
        tm-merge -q $option -o out.csv -o out -f $format a.json
        for mode in --dry-run --explain; do
            tm-merge $mode $option a.json | cmp - <(tm-merge $mode a.json)
        done
    done
}

@test "options that ask for different texts exclude each other" {
    cd "$BATS_TEST_TMPDIR"
    printf '{"traceEvents":[{"ph":"i","ts":1,"name":"x","pid":1,"tid":1}]}' >a.json
    cp a.json b.json
    for mode in --explain --dry-run; do
        run tm-merge --check-causality $mode a.json b.json
        [ "$status" -eq 2 ]
        [ "${lines[0]}" = "tm-merge: --check-causality prints its own list; leave out $mode" ]
    done
    for option in --only=name=x --strict --max-dropped=1 --no-guess --write-manifest=m; do
        run tm-merge --check-causality $option a.json b.json
        [ "$status" -eq 2 ]
        [ "${lines[0]}" = "tm-merge: --check-causality writes no output; leave out ${option%%=*}" ]
    done
    [ "$(tm-merge --check-causality --json a.json b.json | python3 -c 'import json, sys; print(json.load(sys.stdin))')" ]
    run tm-merge -n --explain a.json
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "tm-merge: --dry-run and --explain print different texts; give one of them" ]
    tm-merge -n --dry-run a.json | grep -q a.json
    run bash -o pipefail -c 'tm-unpack a.json b.json | tm-manifest | tm-clocks | tm-align --check -f svg'
    [ "$status" -eq 2 ]
    [[ $output == *"tm-align: --format: svg is a picture of the alignment, and --check makes none; give text or json"* ]]
}

@test "an option that has no effect beside another is refused" {
    refuses() { # MESSAGE CALL...
        run "${@:2}" </dev/null
        echo "${*:2}: $status: $output"
        [ "$status" -eq 2 ]
        [ "${lines[0]}" = "$2: $1" ]
    }
    refuses "--jobs is for sorting, and --check does not sort" tm-sort -j 2 -c
    refuses "--buffer-size is for sorting, and --check does not sort" tm-sort -c -S 1M
    refuses "--jobs is for sorting, and --cut does not sort" tm-sort --cut=1,2 -j 2
    refuses "--buffer-size is for sorting, and --cut does not sort" tm-sort --cut=1 --into=parts -S 1M
    refuses "--keep-dropped adds to a stream, and --graph writes none" tm-clocks --graph --keep-dropped
}

@test "a clock or a machine that an option names is refused with the option" {
    cd "$BATS_TEST_TMPDIR"
    printf '{"traceEvents":[{"ph":"i","ts":1,"name":"x","pid":1,"tid":1}]}' >a.json
    cp a.json b.json
    for call in "--sync a.json:FOO=b.json" "--sync a.json=b.json:FOO+5ms" "--trace-time FOO" "--trace-time FOO@a.json"; do
        run tm-merge $call a.json b.json
        [ "$status" -eq 2 ]
        [[ $output == "tm-manifest: ${call% *}: unknown clock name: FOO. Use one of REALTIME, "*", BOOTTIME" ]]
    done
    run tm-merge --machine =a.json a.json b.json
    [ "$status" -eq 2 ]
    [ "$output" = "tm-manifest: --machine: '=a.json': a machine needs a name" ]
}

@test "without standard output or standard error, no message gets into a file, and a text that is lost is exit 3" {
    cd "$BATS_TEST_TMPDIR"
    printf '{"traceEvents":[{"ph":"i","ts":1,"name":"x","pid":1,"tid":1}]}' >a.json
    cp a.json b.json
    tm-unpack a.json b.json | tm-manifest | tm-clocks | tm-sort >a.tms
    tm-pack -o want.tar a.json b.json 2>/dev/null
    tm-pack -o got.tar a.json b.json 2>&-
    cmp want.tar got.tar
    tm-emit -o want.csv <a.tms 2>/dev/null
    tm-emit -o got.csv <a.tms >&- 2>&-
    cmp want.csv got.csv
    for call in "tm-unpack -l a.json" "tm-unpack a.json" "tm-merge a.json" "tm-manifest" "tm-clocks" "tm-sort" \
        "tm-sort a.tms" "tm-emit" "tm-align" "tm-plan" "tm-pack -o - a.json" "tm-emit --formats"; do
        run bash -c "$call <a.tms >&-"
        echo "$call: $status: $output"
        [ "$status" -eq 3 ]
        [[ $output == tm-*": standard output: cannot write: Bad file descriptor" ]]
    done
}

@test "an input, a device or a folder that would be overwritten is refused and stays" {
    cd "$BATS_TEST_TMPDIR"
    printf '{"traceEvents":[{"ph":"i","ts":1,"name":"x","pid":1,"tid":1}]}' >a.json
    cp a.json want.json
    mkdir folder
    cp a.json folder
    tm-unpack a.json | tm-manifest | tm-clocks | tm-sort >a.tms
    for option in --text --copy; do
        for input in a.json folder; do
            file=a.json
            [ $input = a.json ] || file=folder/a.json
            run tm-unpack $option $file $input
            [ "$status" -eq 2 ]
            [ "$output" = "tm-unpack: $file: is both an input and an output" ]
            cmp $file want.json
        done
        run tm-unpack -l $option a.json want.json
        [ "$status" -eq 2 ]
        [ "${lines[0]}" = "tm-unpack: --list writes no stream; leave out $option" ]
        cmp a.json want.json
        run tm-unpack $option - want.json
        [ "$status" -eq 2 ]
        [ "${lines[0]}" = "tm-unpack: $option: give a file, not standard output" ]
    done
    run tm-unpack --text a.json --copy ./a.json want.json
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "tm-unpack: a.json is given as two outputs" ]
    cmp a.json want.json
    mkfifo fifo
    for format in csv sqlite; do
        run tm-emit -o out --part fifo -f $format <a.tms
        [ "$status" -eq 3 ]
        [[ "$output" == "tm-emit: fifo: not a regular file"* ]]
        [ -p fifo ]
    done
    for program in "tm-emit" "tm-merge"; do
        run $program -o fifo -f sqlite <a.tms
        [ "$status" -eq 2 ]
        [ "${lines[0]}" = "$program: fifo: sqlite needs a regular file" ]
        [ -p fifo ]
    done
}

@test "a terminal is no input of a program that reads a stream, and none without being asked for" {
    cd "$BATS_TEST_TMPDIR"
    cat >terminal.py <<'END'
import os, subprocess, sys
try:
    primary, secondary = os.openpty()
except OSError:
    sys.exit(77)
done = subprocess.run(sys.argv[1:], stdin=secondary, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=20)
sys.stderr.write(done.stderr.decode().split('\n')[0])
sys.exit(done.returncode)
END
    for call in tm-manifest tm-clocks "tm-clocks --graph" tm-sort "tm-sort -c" "tm-sort -m" "tm-sort --cut=1,2" tm-align \
        "tm-align --check" tm-plan "tm-plan --parts=2" tm-emit tm-unpack "tm-unpack -l" tm-merge; do
        run python3 terminal.py $call
        [ "$status" -ne 77 ] || skip "no pseudo-terminals here"
        echo "$call: $status: $output"
        [ "$status" -eq 2 ]
        [[ $output == *"${call%% *}: "*"terminal"* ]]
    done
}

@test "a long name is cut in its middle, so the cause stays" {
    cd "$BATS_TEST_TMPDIR"
    printf '{"traceEvents":[{"ph":"i","ts":1,"name":"x","pid":1,"tid":1}]}' >a.json
    long=$(head -c 5000 /dev/zero | tr '\0' a)
    for call in "tm-unpack $long" "tm-merge $long" "tm-merge -o $long a.json" "tm-merge -m $long a.json" \
        "tm-merge --write-manifest $long a.json" "tm-pack -o $long.tar a.json" "tm-sort $long"; do
        run $call </dev/null
        echo "${call:0:30}: $status: $output"
        [ "$status" -ne 0 ]
        [[ $output == tm-*": aaa"*aaa...aaa*": "*"File name too long" ]]
    done
}

@test "a word that is none of those of --on-damage is exit 2, with the same message everywhere" {
    for p in tm-unpack tm-merge; do
        run "$p" --on-damage=no </dev/null
        [ "$status" -eq 2 ]
        [ "${lines[0]}" = "$p: --on-damage: 'no' is none of halt, skip, salvage" ]
    done
}

@test "a missing or a superfluous argument of an option is exit 2" {
    for p in tm-unpack tm-clocks tm-sort tm-emit tm-merge; do
        run "$p" -T </dev/null
        [ "$status" -eq 2 ]
        [ "${lines[0]}" = "$p: option '-T' needs an argument" ]
    done
    for p in $programs; do
        run "$p" --version=2 </dev/null
        [ "$status" -eq 2 ]
        [ "${lines[0]}" = "$p: '--version=2': the option takes no argument" ]
    done
}

@test "a file given to a stage that reads a stream is exit 2, and the message says what reads files" {
    for p in tm-manifest tm-clocks tm-align tm-plan tm-emit; do
        run "$p" a.json </dev/null
        echo "$p: $output"
        [ "$status" -eq 2 ]
        [ "${lines[0]}" = "$p: 'a.json': a stream is read from standard input only; tm-unpack makes one of traces, and tm-merge runs all stages" ]
    done
}
