#!/usr/bin/env bats
# The commands in README and doc/architecture.md give the output that these pages show.

setup() {
    cd "$BATS_TEST_TMPDIR"
    . "$TM_SRC/t/lib/shown.bash"
    cp "$TM_SRC/doc/examples/phone-watch-app.tar" .
    export LD_LIBRARY_PATH=${TM_BIN%/bin}/lib
}

@test "the examples in README print the output that README shows" {
    shown_blocks "$TM_SRC/README" '^Examples$' '^How it compares$' >shown
    grep -q 'wait for watch' shown
    [ "$(run_shown shown)" -ge 5 ]
}

@test "the commands in doc/architecture.md print the output that the page shows" {
    shown_blocks "$TM_SRC/doc/architecture.md" >shown
    [ "$(run_shown shown)" -ge 7 ]
}

@test "run_shown detects output that differs from the shown output" {
    printf '$ echo a\na\n$ echo b\nc\n' >shown
    run run_shown shown
    [ "$status" -ne 0 ]
    [[ $output == *'> b'* ]]
    printf '$ echo a; false\na\n' >shown
    run run_shown shown
    [ "$status" -ne 0 ]
    printf '$ echo "a\nb" \\\n  c\na\nb c\n$ cat <<END\nx\nEND\nx\n' >shown
    [ "$(run_shown shown)" -eq 2 ]
}
