#!/usr/bin/env bats
# doc/recipes/parallel-parts and submit-parts: ranks on many machines are planned, aligned, cut, and written in parts.
# The parts, joined in order, are the merged trace. sbatch is a stand-in.

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
    ln -s "$TM_SRC/doc/recipes" recipes
    mkdir bin home home/.parallel
    touch home/.parallel/will-cite
    export PATH=$PWD/bin:$PATH HOME=$PWD/home TMPDIR=$BATS_TEST_TMPDIR
}

# ranks COUNT: generates job/rankN.json, profiles whose clocks are up to a second apart and that meet in all-reduces.
ranks() {
    local n
    python3 "$TM_SRC/t/gen/make-ranks.py" "$1" 40 20 made >clocks
    mkdir job
    for n in $(seq 0 $(($1 - 1))); do
        sed '1s/^{/{"baseTimeNanoseconds":1700000000000000000,/' "made/$(printf 'rank%04d' "$n").json" >job/rank$n.json
    done
}

# whole COUNT: writes whole.pftrace, of one merge of the ranks at the job's offsets, and rows, its content sorted.
whole() {
    local n names=
    mkdir -p one
    for n in $(seq 0 $(($1 - 1))); do
        recipes/place-rank -m job/offsets.json rank$n job/rank$n.* >one/$n.tms
        names="$names $n.tms"
    done
    (cd one && tm-sort -m $names | tm-emit -q -o ../whole.pftrace)
}

rows() {
    cp "$1" it.pftrace
    tm-merge -q -f jsonl it.pftrace | sort
}

# same_as_one_merge TRACE COUNT: TRACE has the rows of one merge.
same_as_one_merge() {
    whole "$2"
    rows whole.pftrace >want
    rows "$1" >got
    [ "$(wc -l <want)" -ge $(($2 * 40)) ]
    cmp want got
}

# The offsets are those that tm-align finds from all streams on one machine.
same_offsets() {
    local n
    mkdir -p plain
    for n in $(seq 0 $(($1 - 1))); do
        recipes/place-rank rank$n job/rank$n.json >plain/$n.tms
    done
    tm-sort -m $(ls -v plain/*.tms) | tm-align -r collectives --absolute --write-manifest=offsets.json >alignment.txt
    cmp offsets.json job/offsets.json
    cmp alignment.txt job/alignment.txt
    [ "$(grep -c 'aligned to rank0.json' alignment.txt)" -eq $(($1 - 1)) ]
}

@test "GNU parallel: joined parts equal one merge, at the offsets that all ranks give" {
    command -v parallel || skip "GNU parallel is not installed"
    ranks 7
    GROUP=3 recipes/parallel-parts all.pftrace job 7 4
    [ "$(ls job/parts/*.pftrace | wc -l)" -eq 4 ]
    same_offsets 7
    same_as_one_merge all.pftrace 7
    [ -z "$(find job -name '*.part')" ]
    # A part alone is a recording of its own.
    (cd job/parts/3 && tm-sort -m $(ls -v *.tms) | tm-emit -q -o ../3.db)
    [ "$(sqlite3 job/parts/3.db 'SELECT count(*) > 10 FROM slice')" -eq 1 ]
    # Other groups give the same offsets and times, and the same events.
    mkdir kept
    mv job/offsets.json job/times job/alignment.txt kept
    rm -r job/plans job/cuts job/parts
    GROUP=64 recipes/parallel-parts other.pftrace job 7 4
    for file in offsets.json times alignment.txt; do cmp kept/$file job/$file; done
    rows other.pftrace | cmp - want
}

@test "GNU parallel: a second run repeats only what failed" {
    command -v parallel || skip "GNU parallel is not installed"
    ranks 5
    mv job/rank3.json away
    run env GROUP=2 recipes/parallel-parts all.pftrace job 5 3
    [ "$status" -ne 0 ]
    [ ! -e all.pftrace ]
    [ ! -e job/offsets.json ]
    [ ! -e job/plans/1.tms ]
    mv away job/rank3.json
    # A rank whose profile is cut in the second step, after its plan was made.
    GROUP=2 recipes/part-step job 5 3 plan 0
    touch -d 2001-01-01 job/plans/0.tms job/plans/ranks/0.tms
    for n in 1 2; do GROUP=2 recipes/part-step job 5 3 plan $n; done
    GROUP=2 recipes/part-step job 5 3 align
    cp job/rank4.json kept
    head -c 1000 kept >job/rank4.json
    run env GROUP=2 recipes/parallel-parts all.pftrace job 5 3
    [ "$status" -ne 0 ]
    [ ! -e all.pftrace ]
    [ -e job/cuts/0.done ]
    [ ! -e job/cuts/2.done ]
    [ -z "$(find job/parts -name 2.tms)" ]
    [ -z "$(find job/cuts -name '*.part')" ]
    touch -d 2001-01-01 job/parts/0/0.tms
    cp kept job/rank4.json
    GROUP=2 recipes/parallel-parts all.pftrace job 5 3
    same_as_one_merge all.pftrace 5
    # Existing results are unchanged.
    for file in plans/0.tms plans/ranks/0.tms parts/0/0.tms; do
        [ "$(find job/$file -not -newermt 2002-01-01)" = job/$file ]
    done
}

@test "Slurm array jobs give the same trace, and a job with failed tasks holds back the others" {
    stand_in_for_sbatch
    ranks 5
    mv job/rank4.json away
    GROUP=2 recipes/submit-parts all.pftrace job 5 3
    [ ! -e all.pftrace ]
    [ "$(ls job/plans/*.tms | wc -l)" -eq 2 ]
    [ ! -e job/offsets.json ]
    mv away job/rank4.json
    GROUP=2 recipes/submit-parts all.pftrace job 5 3
    same_offsets 5
    same_as_one_merge all.pftrace 5
}

@test "a number of parts other than that of the results is refused" {
    ranks 2
    recipes/part-step job 2 3 plan 0
    recipes/part-step job 2 3 align
    run recipes/part-step job 2 4 cut 0
    [ "$status" -eq 1 ]
    [[ $output == *"times is not for 4 parts: remove it"* ]]
    run recipes/part-step job 2 3 nonsense
    [ "$status" -eq 2 ]
    rm -r job/plans job/times job/offsets.json
    recipes/part-step job 2 1 plan 0
    run recipes/part-step job 2 1 align
    [ "$status" -ne 0 ]
    [ ! -e job/times ]
}
