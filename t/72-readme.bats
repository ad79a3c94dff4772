#!/usr/bin/env bats
# What README shows is what happens.

setup() {
    cd "$BATS_TEST_TMPDIR"
    cp "$TM_SRC/doc/examples/phone-watch-app.tar" .
}

# The commands of README's examples, each with the lines it prints, as "$ command" blocks.
@test "the examples in README print what README says" {
    sed -n '/^Examples$/,/^How it compares$/p' "$TM_SRC/README" | sed -n 's/^    //p' >shown
    [ "$(grep -c '^\$ ' shown)" -ge 5 ]
    grep '^\$ ' -A 6 shown | grep -q 'wait for watch'
    awk '
        /^\$ / { if (cmd != "") flush(); cmd = substr($0, 3); want = ""; open = gsub(/"/, "\"", cmd) % 2; next }
        open { cmd = cmd "\n" $0; n = gsub(/"/, "\"", $0); open = (open + n) % 2; next }
        { want = want $0 "\n" }
        function flush() { n_cmds++; printf "%s", cmd > ("cmd" n_cmds); printf "%s", want > ("want" n_cmds) }
        END { flush() }' shown
    for cmd in cmd*; do
        n=${cmd#cmd}
        echo "--- $(cat "$cmd")"
        bash -o pipefail "$cmd" >got
        sed 's/ *$//' got | diff "want$n" -
    done
}
