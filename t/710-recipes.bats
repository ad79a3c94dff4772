#!/usr/bin/env bats
# doc/recipes: each recipe is used as its page states. ssh, sbatch and, if it is missing, parallel are stand-ins.

setup() {
    . "$TM_SRC/t/lib/common.bash"
    . "$TM_SRC/t/lib/shown.bash"
    cd "$BATS_TEST_TMPDIR"
    cp "$TM_SRC/doc/examples/phone-watch-app.tar" .
    ln -s "$TM_SRC/doc/recipes" recipes
    mkdir bin
    PATH=$PWD/bin:$PATH
    export LD_LIBRARY_PATH=${TM_BIN%/bin}/lib
    # A separate make, not part of the one that runs the tests.
    unset MAKEFLAGS MFLAGS MAKELEVEL
}

# kineto N: writes a rank's profile in PyTorch's form: times count from a base, which comes last.
kineto() {
    cat <<END
{"schemaVersion": 1, "traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "step of $1", "pid": 77, "tid": 77, "ts": $((10 * $1)).5, "dur": 5}],
"baseTimeNanoseconds": 1700000000000000000}
END
}

ranks() {
    mkdir ranks
    for n in 0 1 2; do
        kineto $n >ranks/rank$n.json
    done
}

# job: generates four ranks with a common reduction, on clocks that are milliseconds apart.
job() {
    mkdir job
    python3 - <<'END'
import json, random
rng = random.Random(1)
offsets = [0, 1500000, -2700000, 800000]
ranks = [[] for _ in offsets]
t = 10**9
for n in range(200):
    t += 2000000 + rng.randrange(10**7)
    begins = [t + rng.randrange(10**6) for _ in ranks]
    for r, events in enumerate(ranks):
        end = max(begins) + 50000 + rng.randrange(20000)
        events.append({'ph': 'X', 'cat': 'kernel', 'name': 'ncclDevKernel_AllReduce', 'pid': 0, 'tid': 7,
                       'ts': (begins[r] + offsets[r]) / 1000, 'dur': (end - begins[r]) / 1000,
                       'args': {'Collective name': 'allreduce', 'Process Group Name': '0',
                                'Process Group Ranks': '[0, 1, 2, 3]', 'Seq': n}})
for r, events in enumerate(ranks):
    with open(f'job/rank{r}.json', 'w') as f:
        json.dump({'schemaVersion': 1, 'distributedInfo': {'rank': r}, 'baseTimeNanoseconds': 1700000000000000000,
                   'traceEvents': events}, f)
END
}

# The result of all recipes that merge ranks.
check_ranks() {
    tm-merge -f jsonl "$1" | grep '"kind":"slice"' >got
    [ "$(grep -o '"name":"step of [0-9]"' got | tr -d '\n')" = '"name":"step of 0""name":"step of 1""name":"step of 2"' ]
    [ "$(grep -o '"ts":[0-9]*' got | tr '\n' ' ')" = '"ts":1700000000000000500 "ts":1700000000000010500 "ts":1700000000000020500 ' ]
    # Equal process numbers are processes of three machines.
    [ "$(grep -o '"machine":"[^"]*"' got | sort -u | wc -l)" -eq 3 ]
}

@test "the commands of the page print the output that it shows" {
    job
    shown_blocks recipes/README.md >shown
    [ "$(run_shown shown)" -ge 26 ]
}

@test "make: a run that lost events gets no trace, and the others are merged" {
    mkdir -p runs/good runs/bad
    tar xf phone-watch-app.tar -C runs/good
    tar xf phone-watch-app.tar -C runs/bad
    sed -i s/250000000/-900000000000/ runs/bad/perfetto_manifest.json
    run make -k -f recipes/Makefile
    [ "$status" -eq 2 ]
    [[ $output == *"tm-emit: 5 of 26 events were dropped"* ]]
    [ "$(cd merged && echo *)" = "bad.report bad.tms good.pftrace good.report good.tms" ]
    make -f recipes/Makefile MAX_DROPPED=20% merged/bad.db
    make -f recipes/Makefile clean
    [ ! -e merged ]
}

@test "make: names that make would split are an error, others are merged" {
    for name in "runs/mon day" "runs/10:30" "runs/a#b" 'runs/a$b' "runs/a;b" "runs/good/a b.json"; do
        mkdir -p "$name"
        run make -f recipes/Makefile
        [ "$status" -eq 2 ]
        [[ $output == *"'$name': make cannot handle this name, because of a space or punctuation in it; rename it"* ]]
        [ ! -e merged ]
        rm -r runs
    done
    mkdir -p runs/a-b_c+d,e=1.2@x/ runs/größe
    for folder in runs/*; do
        tar xf phone-watch-app.tar -C $folder
    done
    make -f recipes/Makefile
    [ "$(ls merged/*.pftrace | wc -l)" -eq 2 ]
}

@test "make: a damaged run is tried again and not taken as done" {
    mkdir -p runs/cut
    tar xf phone-watch-app.tar -C runs/cut
    cp runs/cut/phone.pftrace whole
    head -c 100 whole >runs/cut/phone.pftrace
    run make -f recipes/Makefile
    [ "$status" -eq 2 ]
    [ ! -e merged/cut.tms ]
    cp whole runs/cut/phone.pftrace
    make -f recipes/Makefile
    [ -s merged/cut.pftrace ]
}

@test "ranks over ssh: every host is used, and a missing file of one is an error" {
    ranks
    stand_in ssh 'host=$1; shift; cd "hosts/$host" && exec sh -c "$*"'
    for n in 0 1 2; do
        mkdir -p "hosts/node$n/job dir"
        mv ranks/rank$n.json "hosts/node$n/job dir/trace.json"
    done
    recipes/merge-ranks all.pftrace node0:"job dir/trace.json" node1:"job dir/trace.json" node2:"job dir/trace.json"
    check_ranks all.pftrace
    run recipes/merge-ranks none.pftrace node0:"job dir/trace.json" node1:nowhere
    [ "$status" -ne 0 ]
    [ ! -e none.pftrace ]
}

# recipe BEGINNING: runs the command of README.md that begins with BEGINNING. Four blanks separate its description.
recipe() {
    grep -F "    $1" recipes/README.md | sed 's/^    //; s/    .*//' >command
    [ -s command ]
    # GNU parallel prints a request for citation once; this prevents it.
    mkdir -p home/.parallel
    touch home/.parallel/will-cite
    HOME=$PWD/home bash command
}

@test "ranks with GNU parallel are merged as the page shows, at once and as a tree" {
    ranks
    cp recipes/place-rank .
    command -v parallel || skip "GNU parallel is not installed"
    stand_in ssh 'shift; exec sh -c "$*"'
    printf 'node%d:ranks/rank%d.json\n' 0 0 1 1 2 2 >places
    recipe 'parallel --retries'
    recipe 'tm-sort -m $(ls -v rank'
    check_ranks all.pftrace
    mv all.pftrace flat.pftrace
    recipe 'ls -v rank'
    [ -s group1.tms ]
    recipe 'tm-sort -m $(ls -v group'
    cmp all.pftrace flat.pftrace
}

@test "ranks are merged by a Slurm array job" {
    ranks
    stand_in_for_sbatch
    recipes/submit-ranks "$PWD/all.pftrace" "$PWD/ranks" 3
    check_ranks all.pftrace
    # If a rank is missing, the last job does not start. When it is there, the other jobs are not repeated.
    rm all.pftrace
    touch -d 2001-01-01 ranks/streams/0/[012].tms
    recipes/submit-ranks "$PWD/all.pftrace" "$PWD/ranks" 4
    [ ! -e all.pftrace ]
    [ ! -e ranks/streams/0/3.tms ]
    kineto 3 >ranks/rank3.json
    recipes/submit-ranks "$PWD/all.pftrace" "$PWD/ranks" 4
    [ -s all.pftrace ]
    [ "$(find ranks/streams/0 -newermt 2002-01-01 -name '*.tms' -printf '%f ')" = '3.tms ' ]
}

@test "ranks merged by a tree of Slurm array jobs equal one merge" {
    ranks
    stand_in_for_sbatch
    for n in 3 4 5 6; do
        kineto $n >ranks/rank$n.json
    done
    FAN_IN=2 recipes/submit-ranks "$PWD/tree.pftrace" "$PWD/ranks" 7
    [ "$(ls ranks/streams/*/*.tms | wc -l)" -eq $((7 + 4 + 2)) ]
    recipes/submit-ranks "$PWD/all.pftrace" "$PWD/ranks" 7
    cmp all.pftrace tree.pftrace
    [ -z "$(find ranks -name '*.part')" ]
}

# Prints the commands of a CI job that use tracemerge, in a directory with traces of a client and a server.
prepare_ci() {
    tar xf phone-watch-app.tar
    mkdir traces
    mv phone.pftrace traces/client.pftrace
    mv watch.pftrace traces/server.pftrace
}

@test "the job for GitHub passes for a good run, and fails with the reason if events are lost" {
    prepare_ci
    sed -n '/name: Merge/,/name: Say/s/^          //p' recipes/github-actions.yml >merge
    sed -n '/name: Say/,/uses:/s/^          //p' recipes/github-actions.yml >say
    bash -e merge
    [ -s run.pftrace ]
    rm run.pftrace
    # Chrome JSON from long before the first trace, and a manifest that states that.
    sed 's/250000000/-900000000000/; s/phone.pftrace/client.pftrace/; s/watch.pftrace/server.pftrace/' \
        perfetto_manifest.json >traces/manifest.json
    mv app_log.json traces
    sed -i 's/--machine [^ ]* //g' merge
    run bash -e merge
    [ "$status" -eq 4 ]
    [ ! -e run.pftrace ]
    run bash -e say
    [ "$status" -eq 0 ]
    [[ $output == *"app_log.json: 5 events read, 0 placed, 5 dropped"* ]]
}

@test "the job for GitLab passes for a good run, and fails with the reason if events are lost" {
    prepare_ci
    sed -n 's/^    - \(tm-.*\)/\1/p' recipes/gitlab-ci.yml >job
    [ "$(wc -l <job)" -eq 2 ]
    bash -e job
    [ -s run.pftrace ]
    rm run.pftrace
    head -c 100 traces/client.pftrace >cut
    sed -i '1s/.*/cp cut run.tar/' job
    run bash -e job
    [ "$status" -eq 1 ]
    [ ! -e run.pftrace ]
}

@test "the files of CI jobs are YAML" {
    "$TM_PYTHON" -c 'import yaml' 2>/dev/null || skip "python3-yaml is not installed"
    "$TM_PYTHON" - recipes/github-actions.yml recipes/gitlab-ci.yml <<'END'
import sys, yaml
github, gitlab = (yaml.safe_load(open(path)) for path in sys.argv[1:])
assert [step.get("name") for step in github["jobs"]["merge"]["steps"]] == [None, "Record", "Merge", "Say what was lost", None]
assert all(isinstance(line, str) for line in gitlab["merge-traces"]["script"])
END
}

@test "open-in-perfetto serves the trace to the UI's page, once" {
    tm-merge -o 'a run.pftrace' phone-watch-app.tar
    python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); socket.create_connection(s.getsockname(), 60)' ||
        skip "this machine cannot be reached by itself"
    timeout 120 recipes/open-in-perfetto --port 0 --print 'a run.pftrace' >address 3>&- &
    await $! grep -q . address
    address=$(cat address)
    [[ $address == "https://ui.perfetto.dev/#!/?url=http://127.0.0.1:"*"/a%20run.pftrace" ]]
    python3 - "${address#*url=}" <<'END'
import sys, urllib.error, urllib.request
url = sys.argv[1]
fetch = urllib.request.build_opener(urllib.request.ProxyHandler({})).open # through no proxy
try:
    fetch(url + ".other", timeout=60)
    sys.exit("served what was not asked for")
except urllib.error.HTTPError as e:
    assert e.code == 404
with fetch(url, timeout=60) as answer:
    assert answer.headers["Access-Control-Allow-Origin"] == "https://ui.perfetto.dev"
    open("got", "wb").write(answer.read())
END
    wait $!
    cmp got 'a run.pftrace'
    run recipes/open-in-perfetto --print nowhere
    [ "$status" -eq 1 ]
    [ "$output" = "open-in-perfetto: nowhere: no such file" ]
}

@test "the queries for SQLite have answers" {
    tar xf phone-watch-app.tar
    # The app's log twice, as if from two machines, with a flow between two of its slices.
    cat >a.json <<'END'
[{"ph":"X","name":"send","pid":1,"ts":1000,"dur":100},{"ph":"s","id":7,"name":"f","cat":"f","pid":1,"ts":1050},
 {"ph":"X","name":"step","pid":1,"ts":2000,"dur":10},
 {"ph":"X","name":"take","pid":1,"ts":5000,"dur":100},{"ph":"f","bp":"e","id":7,"name":"f","cat":"f","pid":1,"ts":5050}]
END
    echo '[{"ph":"X","name":"step","pid":1,"ts":2500,"dur":10},{"ph":"X","name":"early","pid":1,"ts":-9,"dur":1}]' >b.json
    tm-merge --machine A=a.json --machine B=b.json -o run.db a.json b.json
    sqlite3 -list run.db <recipes/queries.sql >got
    cat got
    grep -Fx 'a.json|A|TRACE_FILE|trace_time|5|0' got
    grep -Fx 'b.json|B|TRACE_FILE|private|1|1' got
    grep -Fx 'b.json|negative_time|1' got
    grep -Fx 'A|send|1|0.1' got
    grep -Fx 'send|take|1|4.0|4.0' got
    grep -Fx 'step|1|2|0.5' got
}

@test "a script without arguments says how it is used" {
    for script in merge-ranks parallel-parts part-step place-rank submit-parts submit-ranks; do
        run "recipes/$script"
        echo "$script: $output"
        [ "$status" -eq 2 ]
        [[ $output == "usage: "*"$script "* ]]
    done
}
