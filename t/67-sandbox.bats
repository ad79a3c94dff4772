# Stages drop what they do not need once their files are open (lib/base/sandbox.h). t/escape.c plays a bug: at the end
# of a stage it reads, writes, runs, and says what it could.

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
    so="$TM_BIN/../t/escape.so"
    [ -e "$so" ] || skip "no preload was built"
    grep -q '^#define TM_SANDBOX 1' "$TM_BIN/../config.h" || skip "built without a sandbox"
    grep -q '^Seccomp_filters:' /proc/self/status || skip "the kernel has no seccomp"
    # Not below /tmp, where SQLite may put its temporary files.
    escaped="$TM_BIN/../t/escaped.$BATS_TEST_NUMBER"
    case $(realpath "$TM_BIN") in
    /tmp/* | /var/tmp/*) skip "built in a folder for temporary files" ;;
    esac
    demo="$TM_SRC/doc/examples/phone-watch-app.tar"
    mkdir spool
    export TMPDIR="$PWD/spool"
}

teardown() {
    rm -f "$escaped"
}

# What program $1 got away with when "${@:2}" ran.
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
    ! grep -q 'done$' said
    [ ! -e "$escaped" ]
}

@test "what the preload tries works where nothing is refused" {
    escape tm-merge tm-merge --version
    cat said
    [ "$(grep -c '^escape: ' said)" -eq 5 ]
    for what in read write exec; do
        grep -qx "escape: $what: done" said
    done
    # A container, or a debugger around it all, may refuse these to everybody.
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

@test "the same where they write files, and under tm-merge" {
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

@test "what stages need they have: links, folders, FIFOs, process substitution, folders for temporary files" {
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
}
