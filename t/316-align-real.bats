#!/usr/bin/env bats
# tm-align on real recordings: some with known clocks, and some whose clocks were shifted by random offsets.

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
    for shared in "${TM_SHARED:-}" "$TM_SRC/../shared" "$TM_SRC/../../shared"; do
        [ -n "$shared" ] && [ -d "$shared/align" ] && break
    done
    [ -d "$shared/align" ] || skip "the recordings are not there"
}

# told FOLDER [RULES]: prints the verdicts, without the errors.
told() {
    python3 "$TM_SRC/t/check/align_truth.py" truth "$shared/align/$1" ${2+"$2"} | sed -E 's/ -?[0-9]+ -?[0-9]+$//'
}

@test "recordings with known clocks are aligned within 10 us of the truth, with the truth inside the bounds" {
    for folder in rpc-flows rpc-otel rpc-flows-drift rpc-otel-drift; do
        [ "$(told $folder)" = "server.json.gz aligned near inside" ]
    done
    [ "$(told rpc-ids key:args.rpc_id)" = "server.json.gz aligned near inside" ]
    for folder in ranks-kineto ranks-kineto-drift ranks-unnumbered ranks-unnumbered-drift ranks-unnumbered-late; do
        diff <(told $folder) <(printf 'rank%d.json.gz aligned near inside\n' 1 2 3)
    done
}

@test "cuts of 5 s of recordings of ranks have lines less than 4 us off in the root mean square, inside the bounds" {
    for folder in ranks-kineto ranks-unnumbered-drift; do
        read -r error outside < <(python3 "$TM_SRC/t/check/align_truth.py" cuts "$shared/align/$folder" 5 1)
        echo "$folder $error $outside"
        [ "${error%.*}" -lt 4 ]
        [ "$outside" = 0 ]
    done
}

@test "recordings that allow no line get a verdict without a line" {
    [ "$(told rpc-oneway)" = "server.json.gz one-sided claims nothing " ]
    diff <(told rpc-none) <(printf '%s.json.gz none claims nothing \n' client server)
    # A clock that was set back by 167 ms shows these readings twice.
    [[ $(told rpc-flows-step) =~ ^"server.json.gz stepped claims nothing at "(-?[0-9]+)$ ]]
    [ "${BASH_REMATCH[1]#-}" -lt 170000000 ]
}

@test "profiles of 8 ranks and of 4, each shifted by a random offset, are moved back" {
    for seed in 1 2; do
        python3 "$TM_SRC/t/check/align_truth.py" shifted "$shared/traces/kineto-8-ranks/input.tar.gz" 10000 $seed >kineto
        python3 "$TM_SRC/t/check/align_truth.py" shifted "$shared/traces/pytorch-4-ranks/input.tar.gz" 100000 $seed >pytorch
        [ "$(wc -l <kineto) $(wc -l <pytorch)" = "16 8" ]
    done
}
