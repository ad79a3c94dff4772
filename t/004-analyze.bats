# make analyze: a finding of a tool is a failure, unless a comment in the code explains it.

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
}

# Runs tool $1 over the C program on standard input.
analyze() {
    local program=$1
    [ "$program" != clang ] || program=$(sed -n 's/^CLANG = //p' "$TM_BIN/../Makefile")
    { [ -n "$program" ] && command -v "$program" >/dev/null; } || skip "$1 is not installed"
    [ "$1" != gcc ] || [ "$(gcc -dumpversion | cut -d. -f1)" -ge 12 ] || skip "gcc 12 is the first whose analyzer is of use"
    cat >program.c
    run python3 "$TM_SRC/t/check/analyze" -b "$TM_BIN/.." -c "$program" -t "$1" program.c
}

@test "gcc -fanalyzer reports the use of memory that may be NULL" {
    analyze gcc <<<'#include <stdlib.h>
int *one(void);
int *one(void) { int *p = malloc(sizeof *p); *p = 1; return p; }'
    [ "$status" -eq 1 ]
    [[ "$output" == *"program.c:3: gcc: dereference of possibly-NULL"* ]]
    [[ "$output" == *"gcc: 1 files, 1 findings" ]]
}

@test "clang --analyze reports the use of freed memory" {
    analyze clang <<<'#include <stdlib.h>
int main(void) { int *p = calloc(1, sizeof *p); free(p); return p ? *p : 0; }'
    [ "$status" -eq 1 ]
    [[ "$output" == *"program.c:2: clang: Use of memory after it is freed"* ]]
}

@test "cppcheck reports an uninitialised variable, but not one that the code explains" {
    analyze cppcheck <<<'int main(void) { int x; return x; }'
    [ "$status" -eq 1 ]
    [[ "$output" == *"program.c:1: cppcheck: Uninitialized variable: x"* ]]
    analyze cppcheck <<<'int main(void) { int x;
/* cppcheck-suppress uninitvar */
return x; }'
    [ "$status" -eq 0 ]
    [[ "$output" == *"1 files, 0 findings" ]]
}

@test "a file that does not compile is not reported as free of findings" {
    analyze gcc <<<'int main(void) { return 0 }'
    [ "$status" -eq 1 ]
}
