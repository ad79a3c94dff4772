# Stages give up rights that they do not need after their files are open (lib/os/sandbox.h). t/lib/escape.c acts like a
# bug: at the end of a stage it reads, writes and runs programs, and reports what succeeded.

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
    so="$TM_BIN/../t/escape.so"
    [ -e "$so" ] || skip "no preload was built"
    grep -q '^#define TM_SANDBOX 1' "$TM_BIN/../config.h" || skip "built without a sandbox"
    grep -q '^Seccomp_filters:' /proc/self/status || skip "the kernel has no seccomp"
    # Not below /tmp, where SQLite may put its temporary files, nor where a build of make coverage writes its counts.
    for folder in "$TM_BIN/../t" "$TM_BIN/../.." "$HOME" /dev/shm /run ""; do
        case $(realpath "${folder:-/}") in
        /tmp | /tmp/* | /var/tmp | /var/tmp/* | /usr/tmp | /usr/tmp/* | /) continue ;;
        esac
        [ ! -e "$folder/../coverage.o" ] || continue
        escaped="$folder/escaped.$BATS_TEST_NUMBER.$$"
        (: >"$escaped") 2>/dev/null && break
    done
    [ -n "$folder" ] || skip "all that may be written is for temporary files"
    rm -f "$escaped"
    demo="$TM_SRC/doc/examples/phone-watch-app.tar"
    mkdir temporary
    export TMPDIR="$PWD/temporary"
}

teardown() {
    rm -f "$escaped"
}

# Prints the actions that program $1 could still do when "${@:2}" ran.
escape() {
    local name=$1
    shift
    TM_ESCAPE_IN=$name TM_ESCAPE_PATH=$escaped LD_PRELOAD=$so bash -o pipefail -c "$*" 2>said >out
}

refused() {
    escape "$@"
    for what in read write exec socket ptrace; do
        grep -qx "escape: $what: refused" said || { cat said; false; }
    done
    ! grep -q 'done$' said || false
    [ ! -e "$escaped" ]
}

@test "the actions of the preloaded library succeed if nothing is confined" {
    escape tm-merge tm-merge --version
    cat said
    [ "$(grep -c '^escape: ' said)" -eq 5 ]
    for what in read write exec; do
        grep -qx "escape: $what: done" said
    done
    # A container or a debugger around the tests may refuse these calls to everybody.
    ! python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)' || grep -qx 'escape: socket: done' said
    ! python3 -c 'import ctypes, sys; sys.exit(ctypes.CDLL(None).ptrace(0, 0, 0, 0) != 0)' ||
        grep -qx 'escape: ptrace: done' said
    [ -e "$escaped" ]
}

@test "each stage is refused files, programs, sockets and other processes" {
    refused tm-unpack "tm-unpack $demo | wc -c"
    refused tm-manifest "tm-unpack $demo | tm-manifest | wc -c"
    refused tm-clocks "tm-unpack $demo | tm-manifest | tm-clocks | wc -c"
    refused tm-sort "tm-unpack $demo | tm-manifest | tm-clocks | tm-sort -S 1k | wc -c"
    for f in text json pftrace report; do
        refused tm-emit "tm-merge -f $f $demo | wc -c"
    done
}

@test "stages that write files, and stages of tm-merge, are refused the same" {
    mkdir outs
    for out in x.db x.json x.json.gz x.pftrace x.csv; do
        rm -f "outs/$out"
        escape tm-emit "tm-merge -o outs/$out $demo"
        grep -qx "escape: read: refused" said
        grep -qx "escape: write: refused" said
        [ -s "outs/$out" ]
    done
    tar xf "$demo"
    set -- *.json *.pftrace
    for way in "$demo" "$*" "- <$demo"; do
        escape tm-unpack "tm-merge -f report $way"
        grep -qx "escape: read: refused" said
    done
}

@test "tm-merge is confined once the stages run, for every output and in a pipe" {
    mkdir outs
    echo '{"traceEvents":[{"ph":"i","ts":7,"pid":1,"tid":1,"s":"t"}]}' >a.json
    for out in x.json x.json.gz x.pftrace x.db; do
        refused tm-merge "tm-merge -o outs/$out $demo"
        [ -s "outs/$out" ]
    done
    refused tm-merge "tm-merge $demo | wc -c"
    refused tm-merge "tm-merge --hints --write-manifest outs/m.json -o outs/hints.csv a.json"
    [ -s outs/m.json ]
    [ -s outs/hints.csv ]
    refused tm-merge "tm-merge --progress -S 1 -o outs/x.csv - <$demo"
    # It still stops stages whose output nobody reads, and they end when it ends.
    [ "$(bash -o pipefail -c 'tm-merge --absolute "$0" | head -n 1; echo ${PIPESTATUS[0]}' "$demo" | wc -l)" = 2 ]
    PYTHONPATH=$TM_SRC/t/lib python3 - <<'PY'
import signal, subprocess
from waiting import Others, children, end_of, start, until
p = start("tm-merge", "-o", "outs/never.csv", stdin=subprocess.PIPE)
def is_confined():
    with open("/proc/%d/status" % p.pid) as status:
        return "Seccomp:\t2" in status.read()
all_names = {"tm-unpack", "tm-manifest", "tm-clocks", "tm-sort", "tm-emit"}
until(lambda: set(children(p)) == all_names and is_confined(), p)
stages = Others(children(p).values())
p.send_signal(signal.SIGTERM)
assert end_of(p) == -signal.SIGTERM, p.returncode
assert not stages.left(), stages.left()
PY
    [ ! -e outs/never.csv ]
}

@test "tm-pack is confined while it reads files and writes the archive" {
    mkdir outs
    tar xf "$demo"
    for way in "--manifest-only *.json *.pftrace" "-o - *.json *.pftrace | wc -c"; do
        refused tm-pack "tm-pack $way"
    done
    export TM_ESCAPE_APART=1
    for out in x.tar x.tgz x.zip; do
        refused tm-pack "tm-pack -o outs/$out *.json *.pftrace"
        [ "$(tm-merge -f jsonl --events outs/$out | grep -vc '"definition":true')" = 26 ]
    done
}

@test "a sandbox that cannot be set up is one line, exit 3 and no OUT" {
    fault="$TM_BIN/../t/fault.so"
    [ -e "$fault" ] || skip "no preload was built"
    mkdir outs
    tar xf "$demo"
    tm-unpack phone.pftrace | tm-manifest | tm-clocks >stream
    for program in tm-unpack tm-manifest tm-clocks tm-align tm-plan tm-sort tm-emit tm-merge tm-pack; do
        command="tm-merge -o outs/x.csv $demo"
        [ $program != tm-pack ] || command="tm-pack -o outs/x.tar phone.pftrace"
        [ $program != tm-align ] || command="tm-align -o outs/x"
        [ $program != tm-plan ] || command="tm-plan --parts=2"
        for call in landlock:1 landlock:2 landlock:3 landlock:4 seccomp:1; do
            rm -f hit
            TM_FAULT=$call TM_FAULT_IN=$program TM_FAULT_HIT=$PWD/hit LD_PRELOAD=$fault run $command <stream
            [ -e hit ] || continue # a kernel without landlock, or a stage with fewer folders
            echo "$program $call: $status: $output"
            [ "$status" -eq 3 ]
            [ "${#lines[@]}" -eq 1 ]
            [[ "$output" == "$program: "*"cannot confine itself: "*"Cannot allocate memory" ]]
            [ -z "$(ls -A outs)" ]
        done
        rm -f hit
        TM_FAULT=seccomp:1 TM_FAULT_IN=$program TM_FAULT_HIT=$PWD/hit LD_PRELOAD=$fault run $command <stream
        [ -e hit ]
    done
}

@test "stages can use links, folders, FIFOs, process substitution and temporary folders" {
    mkdir d elsewhere
    cp "$demo" elsewhere/demo.tar
    ln -s ../elsewhere/demo.tar d/link.tar
    tm-merge -f report "$demo" | sed '/^files/,/^machines/d' >want
    for way in d/link.tar d "- <$demo" "<(cat $demo)" "/dev/stdin <$demo"; do
        eval "tm-merge -f report $way" | grep -q 'the accounts balance'
    done
    tm-unpack "$demo" | tm-manifest | tm-clocks | tm-sort >sorted
    tm-sort -m -S 1k - sorted <sorted | tm-sort -c
    tm-sort -S 1k sorted | tm-sort -c
    cat "$demo" | tm-merge -S 1k -T elsewhere -o - -f pftrace | wc -c
    ln -s elsewhere/real.db link.db
    : >elsewhere/real.db
    tm-merge -o link.db "$demo"
    [ -L link.db ]
    [ "$(sqlite3 elsewhere/real.db 'select count(*) > 0 from slice')" = 1 ]
    tm-merge -o /dev/null -f text "$demo"
    for name in merged.csv used.json packed.tar checked.json hinted.json aligned.txt found.json; do
        ln -s elsewhere/$name $name
    done
    tm-merge -q -o merged.csv --write-manifest used.json "$demo"
    tm-unpack "$demo" | tm-manifest --write-manifest checked.json | tm-clocks >placed
    tm-pack -q -o packed.tar d/link.tar
    printf '[{"ph":"i","ts":1,"name":"x","pid":1,"tid":1}]' | tm-unpack | tm-manifest |
        tm-clocks --hints --write-manifest hinted.json | tm-align -o aligned.txt --write-manifest found.json
    for name in merged.csv used.json packed.tar checked.json hinted.json aligned.txt found.json; do
        [ -L $name ]
        [ -s elsewhere/$name ]
    done
}
