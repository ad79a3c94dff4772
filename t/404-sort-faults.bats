#!/usr/bin/env bats
# Each system call and allocation of tm-sort fails in turn (t/check/faults.py). tm-sort works without the call, or ends
# with status 3 and one line, and no output looks complete.

load lib/common

setup() {
    cd "$BATS_TEST_TMPDIR"
    so="$TM_BIN/../t/fault.so"
    gen=${TM_BIN%/bin}/t/gen/gen-stream
    [ -e "$so" ] || skip "no preload was built"
    only_unsanitized "a sanitized program makes its calls past a preload"
    LD_PRELOAD="$so" tm-sort --version >/dev/null 2>&1 || skip "a preload does not work in this build"
}

# faults COMMAND: its standard output goes to out. After a failure out must have no END.
faults() {
    python3 "$TM_SRC/t/check/faults.py" "$so" tm-sort read,write,open,mkstemp,fallocate,malloc out \
        "$1 >out; s=\$?; [ \$s = 0 ] || { env -u LD_PRELOAD tm-sort -c out 2>/dev/null || rm out; }; exit \$s"
}

@test "each failure is handled while tm-sort sorts in memory" {
    "$gen" -n 3000 -f 2 -d 3 >in
    faults "tm-sort $PWD/in"
}

@test "each failure is handled while a thread of tm-sort copies rows" {
    "$gen" -n 3000 -f 2 -d 3 >in
    faults "tm-sort -j 2 $PWD/in"
}

@test "each failure is handled while tm-sort spills in several passes" {
    "$gen" -n 2000 -f 2 -d 3 -b 40 >in
    faults "tm-sort -S 1k $PWD/in"
}

@test "each failure is handled while tm-sort reclaims the storage of spilled runs" {
    "$gen" -P -C 1 -n 40000 -o shuffled >in
    python3 "$TM_SRC/t/check/faults.py" "$so" tm-sort fallocate '' "tm-sort -S 256k $PWD/in"
}

@test "each failure is handled while tm-sort merges all streams at once and in groups" {
    for i in 1 2 3 4 5 6; do
        "$gen" -P -C 1 -n 300 -f 2 -d 3 -s $i -M m$((i % 2)) -g $i | tm-sort >s$i
    done
    faults "tm-sort -m $(echo $PWD/s?)"
    faults "tm-sort -m -S 1 $(echo $PWD/s?)"
}
