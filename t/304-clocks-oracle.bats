# tm-clocks compared with a second, slow implementation of the same rules: t/oracle/clocks.py.

load lib/common

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
    oracle=$TM_SRC/t/oracle/clocks.py
    program=$TM_BIN/../t/gen/clock-case
}

@test "random cases give the same result in both implementations" {
    local cases
    cases=$(drawn 3000)
    run python3 "$oracle" "$program" "$cases" 1
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [[ $output == "$cases cases agree: "* ]]
}

@test "pending rows are written one by one, even if all are on one clock" {
    cat >case <<-'END'
	file
	file
	begin 0 4
	event 0 0 2 0 2079 e
	end 0
	begin 1 2
	event 1 0 2 6 1695 e
	event 1 0 2 6 2351 e
	event 1 0 2 6 2352 e
	hint 1 6 1040 770
	end 1
	run hints
	END
    python3 "$oracle" - <case >want
    "$program" <case | grep -v '^\.' | sort >got
    diff <(sort want) got
    grep -q '^event 2 0 6 ' got
}

@test "a hint about a clock that no manifest can name is an error of --write-manifest" {
    for clock in 9 10 200; do
        cat >case <<-END
	file
	file
	begin 0 1
	snap 0 0 0 0 6:1000:1:0 $clock:2000:1:0
	event 0 0 0 6 1000 e
	end 0
	begin 1 2
	event 1 0 0 0 70 e
	hint 1 $clock 70 2000
	end 1
	run hints manifest
	END
        "$program" <case | head -1
    done >got
    diff - got <<-'END'
	error a hint relates the clock TSC, which no manifest can name
	error a hint relates the clock PERF, which no manifest can name
	error a hint relates clock 200, which no manifest can name
	END
}

@test "the comparison detects a wrong answer" {
    cat >liar <<-END
	#!/bin/sh
	"$program" | sed 's/^event 1 0 0 /event 1 0 0 1/'
	END
    chmod +x liar
    run python3 "$oracle" ./liar 300 1
    [ "$status" -eq 1 ]
    [[ $output == *"differs"* ]]
}
