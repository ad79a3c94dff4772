#!/usr/bin/env bats
# tm-align on files whose clocks are known, and its bounds compared with a second implementation: t/oracle/align.py and
# align_kinds.py.

load lib/common

# Recorded by t/oracle/align.py -n 0 -s 2 -b 90 --known t/data/align-best.json
setup_file() {
    cat "$TM_SRC/t/data/align-best.json" >"$BATS_FILE_TMPDIR/best"
}

@test "random pairs have the true offset inside the bounds, and the bounds are exact" {
    local cases
    cases=$(drawn 200)
    run python3 "$TM_SRC/t/oracle/align.py" -n "$cases" -s 1
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [[ $output == "$cases cases: "* ]]
}

@test "errors of estimates are at most twice those of the best estimate, which knows the distribution of delays" {
    only_unsanitized "figures of estimates, which sanitizers do not change"
    run python3 "$TM_SRC/t/oracle/align.py" -n 0 -s 2 -b 90 --known "$BATS_FILE_TMPDIR/best"
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [ "$(grep -c 'ratio' <<<"$output")" -eq 9 ]
}

@test "the recorded errors of the best estimates are those that the random walks of the oracle have" {
    only_unsanitized "figures of estimates, which sanitizers do not change"
    python3 "$TM_SRC/t/oracle/align.py" -n 0 -s 2 -b 5 --known "$BATS_TEST_TMPDIR/walked"
    python3 - "$BATS_TEST_TMPDIR/walked" "$TM_SRC/t/data/align-best.json" <<-'END'
	import json, sys
	walked, recorded = (json.load(open(path)) for path in sys.argv[1:])
	assert len(walked) == 5 and len(recorded) == 90
	for case, errors in walked.items():
	    assert all(abs(e - r) < 1e-3 for e, r in zip(errors, recorded[case])), (case, errors, recorded[case])
	END
}

@test "random jobs of every kind of match give the true offset, or the verdict that there is no line" {
    local cases
    cases=$(drawn 60)
    run python3 "$TM_SRC/t/oracle/align_kinds.py" -n "$cases" -s 1
    [ "$status" -eq 0 ] || { echo "$output" | cut -c 1-1000; false; }
    [[ $output == "$cases cases: "* ]]
}

@test "random jobs with clocks that are set, slewed or wander have the true offsets inside the bounds" {
    local cases
    cases=$(drawn 16)
    run python3 "$TM_SRC/t/check/align_clocks.py" -n "$cases" -s 1 -v
    [ "$status" -eq 0 ] || { echo "$output" | cut -c 1-1000; false; }
    # The few cases of a sanitized run have no uneven clock.
    is_sanitized || [[ $output == *uneven* && $output == *untested* ]]
}

@test "jobs with a clock that was set near an end, back or within a passage have the true offsets inside the bounds" {
    local job
    for job in '10 reused' '40 queue' '21 unnumbered'; do
        # shellcheck disable=SC2086
        run python3 "$TM_SRC/t/check/align_jobs.py" -s 2 -v --one $job
        echo "$output" | cut -c 1-1000
        [ "$status" -eq 0 ]
        [[ $output == *uneven* && $output != *outside* ]]
    done
}

@test "programs of which some have ids in common by chance are aligned by those that they sent" {
    run python3 "$TM_SRC/t/check/align_jobs.py" -s 4 -n 4 -v chance
    echo "$output" | cut -c 1-1000
    [ "$status" -eq 0 ]
    [[ $output == *aligned* && $output != *outside* && $output != *contradictory* ]]
}

@test "unnumbered collectives with a tenth lost, or of a rank whose clock was set, are aligned or reported as stepped" {
    local cases
    cases=$(drawn 12)
    for kind in lossy set set-short; do
        run python3 "$TM_SRC/t/oracle/align_kinds.py" -n "$cases" -s 1 $kind
        [ "$status" -eq 0 ] || { echo "$output" | cut -c 1-1000; false; }
        [ "$output" = "$cases cases: {'$kind': $cases}" ]
    done
}

@test "a job of many ranks has the true offsets inside the bounds, and estimates near them" {
    cd "$BATS_TEST_TMPDIR"
    python3 "$TM_SRC/t/gen/make-ranks.py" 24 200 600 job >truth
    tm-unpack job/*.json | tm-manifest | tm-clocks | tm-align -f json >found.json
    python3 - <<-'END'
	import json
	start = 3 * 10**15
	truth = {name: (int(offset), float(drift)) for name, offset, drift in map(str.split, open('truth'))}
	found = {f['file'].rpartition('/')[2]: f for f in json.load(open('found.json'))['alignment']}
	assert set(found) == set(truth)
	reference, = (name for name, f in found.items() if f['verdict'] == 'reference')
	for name, f in found.items():
	    if name == reference:
	        continue
	    assert f['verdict'] == 'aligned' and f['matches'] >= 200 and f['left_out'] == 0, f
	    (offset, drift), (of, rate) = truth[name], truth[reference]
	    true = start + (f['at_ns'] - start - offset) / (1 + drift)
	    shift = true + of + rate * (true - start) - f['at_ns']
	    assert f['low_ns'] - 2 <= shift <= f['high_ns'] + 2, (f, shift)
	    assert abs(f['offset_ns'] - shift) < 3000, (f, shift)
	    assert abs(f['drift_ppb'] - 1e9 * (rate - drift)) < 20000, f
	END
}

@test "the comparison detects bounds that are too narrow or too wide" {
    only_unsanitized "a test of the comparison"
    cd "$BATS_TEST_TMPDIR"
    mkdir bin
    for change in 'f["high_ns"] -= 5000' 'f["high_ns"] += 5000' 'f["uncertainty_ns"] = 10'; do
        cat >bin/tm-align <<-END
	#!/usr/bin/env python3
	import json, subprocess, sys
	told = json.loads(subprocess.run(["$TM_BIN/tm-align"] + sys.argv[1:], capture_output=True).stdout)
	for f in told["alignment"]:
	    if f["verdict"] == "aligned":
	        $change
	print(json.dumps(told))
	END
        chmod +x bin/tm-align
        PATH=$PWD/bin:$PATH run python3 "$TM_SRC/t/oracle/align.py" -n 20
        echo "$output"
        [ "$status" -ne 0 ]
        [[ $output == *AssertionError* ]]
    done
}

@test "the comparison detects estimates that are worse than allowed" {
    only_unsanitized "a test of the comparison"
    cd "$BATS_TEST_TMPDIR"
    mkdir bin
    cat >bin/tm-align <<-END
	#!/bin/bash
	"$TM_BIN/tm-align" "\$@" | awk '
	    /"verdict"/ { aligned = /"aligned"/ }
	    aligned && /"offset_ns"/ { printf "\"offset_ns\": %.0f,\n", \$2 + 2500; next }
	    { print }'
	END
    chmod +x bin/tm-align
    PATH=$PWD/bin:$PATH run python3 "$TM_SRC/t/oracle/align.py" -n 0 -s 2 -b 90 --known "$BATS_FILE_TMPDIR/best"
    echo "$output"
    [ "$status" -ne 0 ]
    [[ $output == *"more than twice"* ]]
}
