#!/usr/bin/env bats
# tm-align against files whose clocks are known, and its bounds against a second implementation: t/oracle/align.py and
# align_kinds.py.

load lib/common

@test "random pairs: the truth is inside the bounds, the bounds are the exact ones" {
    local cases
    cases=$(drawn 200)
    run python3 "$TM_SRC/t/oracle/align.py" -n "$cases" -s 1
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [[ $output == "$cases cases: "* ]]
}

@test "estimates are within twice the best possible: those of an observer who is told the law of the delays" {
    only_unsanitized "figures of estimates, which sanitizers do not change"
    run python3 "$TM_SRC/t/oracle/align.py" -n 0 -s 2 -b 90 --known "$BATS_FILE_TMPDIR/best"
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [ "$(grep -c 'ratio' <<<"$output")" -eq 9 ]
}

@test "random jobs in every form that is matched: the truth is found, and what allows no line is told as that" {
    local cases
    cases=$(drawn 60)
    run python3 "$TM_SRC/t/oracle/align_kinds.py" -n "$cases" -s 1
    [ "$status" -eq 0 ] || { echo "$output" | cut -c 1-1000; false; }
    [[ $output == "$cases cases: "* ]]
}

@test "unnumbered collectives of which a tenth is lost, or of ranks whose clock was set: found, or told as stepped" {
    local cases
    cases=$(drawn 12)
    for kind in lossy set set-short; do
        run python3 "$TM_SRC/t/oracle/align_kinds.py" -n "$cases" -s 1 $kind
        [ "$status" -eq 0 ] || { echo "$output" | cut -c 1-1000; false; }
        [ "$output" = "$cases cases: {'$kind': $cases}" ]
    done
}

@test "a job of many ranks: the truth is inside the bounds, and the estimate near it" {
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

@test "the comparison notices bounds that are too narrow, and too wide" {
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

@test "the comparison notices estimates that are not as good as they could be" {
    only_unsanitized "a test of the comparison"
    cd "$BATS_TEST_TMPDIR"
    mkdir bin
    cat >bin/tm-align <<-END
	#!/usr/bin/env python3
	import json, subprocess, sys
	told = json.loads(subprocess.run(["$TM_BIN/tm-align"] + sys.argv[1:], capture_output=True).stdout)
	for f in told["alignment"]:
	    if f["verdict"] == "aligned":
	        f["offset_ns"] += 2500
	print(json.dumps(told))
	END
    chmod +x bin/tm-align
    PATH=$PWD/bin:$PATH run python3 "$TM_SRC/t/oracle/align.py" -n 0 -s 2 -b 90 --known "$BATS_FILE_TMPDIR/best"
    echo "$output"
    [ "$status" -ne 0 ]
    [[ $output == *"more than twice"* ]]
}
