#!/usr/bin/env bats
# Logs of ninja: jobs on workers, several outputs, the hint for the wall clock, damage, limits. t/data/ninja.log is what
# ninja 1.11 wrote when clang 14 compiled 53 files with -ftime-trace on two processors, t/data/ninja-async_roots.json
# what clang wrote of one of them.

load lib/common

setup() {
    cd "$BATS_TEST_TMPDIR"
    data=$TM_SRC/t/data
}

# Prints the slices of FILE: worker, start and duration in ms, name.
slices() {
    tm-merge -q -f jsonl "$1" | jq -r '[.track, .ts / 1e6, (.dur // 0) / 1e6, .name] | @tsv'
}

# Prints what slices prints of the log FILE by the rule itself: a job goes to the free worker that ended last.
model() {
    python3 - "$1" <<'PY'
import sys
jobs = []
for line in open(sys.argv[1]).read().splitlines()[1:]:
    start, end, _, output, key = line.split('\t')
    job = [int(start), int(end), int(key, 16), output]
    if jobs and jobs[-1][:3] == job[:3]:
        jobs[-1][3] += ' ' + output
    else:
        jobs.append(job)
ends = []
for start, end, _, name in sorted(jobs, key=lambda job: job[0]):
    free = [i for i, e in enumerate(ends) if e <= start]
    worker = max(free, key=lambda i: (ends[i], -i)) if free else len(ends)
    ends[worker:worker + 1] = [end]
    print('Worker %d' % (worker + 1), start, end - start, name, sep='\t')
PY
}

@test "the jobs of a recorded build are slices on two workers, with their outputs, times and hashes" {
    slices "$data/ninja.log" >got
    model "$data/ninja.log" | diff - got
    [ "$(wc -l <got)" = 53 ]
    [ "$(cut -f1 got | sort -u | xargs)" = "Worker 1 Worker 2" ]
    tm-merge -q -o x.db "$data/ninja.log"
    [ "$(sqlite3 x.db "SELECT group_concat(t.name || ' below ' || p.name, ', ') FROM track t JOIN track p ON p.id = t.parent_id")" = \
        "Worker 1 below Build, Worker 2 below Build" ]
    [ "$(sqlite3 x.db "SELECT group_concat(key || '=' || display_value, ' ') FROM args JOIN slice USING (arg_set_id) WHERE name = 'added_args.o'")" = \
        "mtime=1796040098680832889 command_hash=4896835dc48192d6" ]
}

@test "jobs of random builds are dealt to workers as by the rule" {
    for seed in 1 2 3 4 5 6; do
        python3 - $seed >$seed.log <<'PY'
import random, sys
r = random.Random(int(sys.argv[1]))
print('# ninja log v%d' % r.randint(4, 7))
for i in range(400):
    start = r.choice((r.randint(0, 300), 10 * r.randint(0, 30)))
    end = start + r.choice((0, 1, r.randint(0, 20), r.randint(0, 200)))
    for k in range(r.choice((1, 1, 1, 3))):
        print(start, end, r.choice((0, 1796040098680832889)), 'out/%d.%d' % (i, k), '%x' % (i + 1), sep='\t')
PY
        slices $seed.log | sort >got
        model $seed.log | sort | diff - got
    done
}

@test "merged.pftrace and merged.json of a log have its slices" {
    slices "$data/ninja.log" | cut -f2- >want
    for out in pftrace json; do
        tm-merge -q -o x.$out "$data/ninja.log"
        slices x.$out | cut -f2- | diff - want
    done
}

@test "with --hints what clang says of a file lies within the job that compiled it" {
    cp "$data/ninja.log" build.ninja_log
    cp "$data/ninja-async_roots.json" .
    tm-merge -q --hints -o x.db build.ninja_log ninja-async_roots.json
    # The job may end before by a step of the file system's clock.
    [ "$(sqlite3 x.db "SELECT job.ts < s.ts AND s.ts + s.dur < job.ts + job.dur + 4e6 FROM slice job, slice s
        WHERE job.name = 'async_roots.o' AND s.name = 'ExecuteCompiler'")" = 1 ]
    tar cf build.tar build.ninja_log ninja-async_roots.json
    tm-merge -q --hints -f csv build.tar | cut -d, -f1-3 | diff - <(tm-merge -q --hints -f csv build.ninja_log ninja-async_roots.json | cut -d, -f1-3)
}

@test "times of files in other units, from another year, or none at all are no hint" {
    for mtime in 0 -1 1796040098 7923456789012345; do
        printf '# ninja log v5\n5\t20\t%s\tx.o\tabc\n' $mtime >x.log
        tm-unpack x.log | tm-emit -f frames >frames
        grep -q 'x.o' frames
        [ "$(grep -c -i 'hint' frames)" = 0 ]
    done
    printf '# ninja log v5\n5\t20\t1796040098680832889\tx.o\tabc\n' >x.log
    tm-unpack x.log | tm-emit -f frames | grep -i hint | grep -q 1796040098660832889
}

@test "lines that are no jobs are damaged, the others are read" {
    printf '# ninja log v5\n1\t20\t0\tx.o\tabc\n\n20\t1\t0\tback.o\t1\n1\t2\t0\t\t1\n1\t2\t0\ty.o\nx\t2\t0\ty.o\t1\n-1\t2\t0\ty.o\t1
1\t9223372036855\t0\ty.o\t1\n1\t2\t0\ty.o\tg\n1\t2\t0\ty.o\t12345678901234567\n3\t9223372036854\t0\tz.o\tF' >x.log
    tm-merge -q -o x.db x.log
    [ "$(sqlite3 x.db "SELECT group_concat(name || ' ' || ts || ' ' || dur, ', ') FROM slice")" = \
        "x.o 1000000 19000000, z.o 3000000 9223372036851000000" ]
    [ "$(sqlite3 x.db "SELECT reason || ' ' || events FROM tm_accounting ORDER BY 1" | xargs)" = "damaged 8 placed 2" ]
}

@test "other versions and a log without jobs are errors" {
    for version in 3 8 99999999999; do
        printf '# ninja log v%s\n1\t20\t0\tx.o\tabc\n' $version >x.log
        run tm-merge x.log
        [ "$status" -eq 1 ]
        [ "$output" = "tm-unpack: x.log: byte 0: ninja's log has version $version; 4 to 7 are supported" ]
    done
    printf '# ninja log v\n1\t20\t0\tx.o\tabc\n' >x.log
    run tm-merge x.log
    [ "$output" = "tm-unpack: x.log: byte 0: no version of ninja's log" ]
    printf '# ninja log v5\n' >x.log
    run tm-merge x.log
    [ "$status" -eq 1 ]
    [[ "$output" == "tm-unpack: x.log: byte 15: no job of a build in the text"* ]]
}

@test "a million jobs that all overlap end in time, one more is an error" {
    python3 -c "
print('# ninja log v5')
for i in range(1 << 20): print(0, 1, 0, i, '%x' % i, sep='\t')" >x.log
    cpu_seconds 20 tm-unpack x.log >x.tms
    printf '0\t1\t0\tlast\tfffffff\n' >>x.log
    tm-unpack x.log >/dev/null 2>error || status=$?
    [ "$status" -eq 1 ]
    [[ "$(cat error)" == *"x.log: byte "*": the log has more jobs than the limit of 1048576" ]]
}
