# Random archives, manifests, machines and clocks through the whole pipe, and rules that hold for every input
# (t/check/pipe_fuzz.py). More cases: python3 t/check/pipe_fuzz.py 1 5000

load lib/common

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
}

@test "the rules hold for 40 seeds" {
    local seeds
    seeds=$(drawn 40)
    run python3 "$TM_SRC/t/check/pipe_fuzz.py" 1 "$seeds"
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [[ $output == *"times explained"*" hold" ]]
    # Most inputs can be merged. Otherwise the rules would check little.
    merged=${output%% merged*}
    [ "${merged##* }" -ge $((seeds * 5 / 8)) ]
}

# A tm-merge whose lines of JSON go through the sed script $1 breaks the rule with the message $2.
lie() {
    mkdir -p liar
    cat >liar/tm-merge <<-END
	#!/bin/bash
	set -o pipefail
	case " \$* " in
	*" jsonl "*) "$TM_BIN/tm-merge" "\$@" | sed '$1' ;;
	*) exec "$TM_BIN/tm-merge" "\$@" ;;
	esac
	END
    chmod +x liar/tm-merge
    PATH=$PWD/liar:$PATH run python3 "$TM_SRC/t/check/pipe_fuzz.py" 1 20
    [ "$status" -eq 1 ]
    [[ $output == *"breaks a rule"*"$2"* ]] || { echo "$output"; false; }
}

@test "the check detects a lost event, a wrong time and a wrong order" {
    only_unsanitized "a test of the check"
    lie '0,/"name":"e/{/"name":"e/d}' "what was placed comes out"
    lie 's/"ts":\([0-9]*\)5,/"ts":\16,/' "a time"
    lie '1!G;h;$!d' "events are in order"
}
