# Files and machines get names without one option for each file.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR"
    load "$TM_SRC/t/lib/common.bash"
}

# profile FILE [RANK WORLD]: writes a profile with one slice, of a rank of a job.
profile() {
    local info=
    [ -z "$2" ] || info="\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": $2, \"world_size\": $3},"
    mkdir -p "$(dirname "$1")"
    echo "{\"schemaVersion\": 1, \"deviceProperties\": [{\"name\": \"a \\\"gpu\\\", {\"}], $info \"traceEvents\": [
        {\"ph\": \"X\", \"name\": \"step of $1\", \"pid\": 1, \"tid\": 1, \"ts\": 5, \"dur\": 2}]}" >"$1"
}

# machines ARGUMENT...: prints each file and its machine, in the order of machines.
machines() {
    tm-merge -q -o machines.db "$@"
    sqlite3 machines.db "SELECT m.name || ' ' || substr(s.name, 9) FROM slice s JOIN thread_track tt ON s.track_id = tt.id
        JOIN thread t USING (utid) JOIN machine m ON t.machine_id = m.id ORDER BY m.id, s.name" | tr '\n' ','
}

@test "ranks that files state name their machines, in the order of numbers, also inside gzip and zstd, and compressed twice" {
    profile a.json 2 16
    profile b.json 10 16
    profile c.json 0 16
    [ "$(machines a.json b.json c.json)" = "rank0 c.json,rank2 a.json,rank10 b.json," ]
    gzip a.json
    zstd -q --rm b.json
    [ "$(machines a.json.gz b.json.zst c.json)" = "rank0 c.json,rank2 a.json,rank10 b.json," ]
    mkdir all
    mv a.json.gz b.json.zst c.json all
    [ "$(machines all)" = "rank0 c.json,rank2 a.json,rank10 b.json," ]
    tar czf all.tgz -C all a.json.gz b.json.zst c.json
    [ "$(machines all.tgz)" = "rank0 c.json,rank2 a.json,rank10 b.json," ]
    (cd all && python3 -c 'import shutil; shutil.make_archive("../all", "zip", ".")')
    [ "$(machines - <all.zip)" = "rank0 c.json,rank2 a.json,rank10 b.json," ]
    gzip all/a.json.gz
    gzip all/b.json.zst
    [ "$(machines all)" = "rank0 c.json,rank2 a.json,rank10 b.json," ]
}

@test "no ranks, one rank and missing ranks are handled" {
    profile a.json 2 4
    profile b.json 2 4
    profile c.json
    tm-merge -q -o one.db a.json b.json c.json
    [ "$(sqlite3 one.db 'SELECT count(*) FROM machine WHERE name IS NOT NULL')" = 0 ] # the two stated ranks are equal
    profile d.json 0 4
    [ "$(machines a.json d.json)" = "rank0 d.json,rank2 a.json," ]
    tm-merge -q --machine-from=none -o none.db a.json d.json
    [ "$(sqlite3 none.db 'SELECT count(*) FROM machine WHERE name IS NOT NULL')" = 0 ]
    run --separate-stderr tm-merge -o out.db a.json d.json
    [[ "$stderr" == *"tm-manifest: warning: 2 of the job's 4 ranks are present; rank 1 is the first missing one"* ]]
    profile e.json 0 8 # of another job
    [ "$(machines a.json d.json e.json)" = "rank0 of 4 d.json,rank0 of 8 e.json,rank2 of 4 a.json," ]
    run tm-merge --machine-from=rank a.json c.json
    [ "$status" -eq 2 ]
    [[ "$output" == *"--machine-from: c.json: states no rank (distributedInfo), and its name has no \"rank\" with a number"* ]]
    profile rank-7.json
    [ "$(machines --machine-from=rank a.json rank-7.json)" = "rank2 a.json,rank7 rank-7.json," ]
}

@test "machines are named by directory, by file and by a pattern" {
    for f in run/node2/prof/t.json run/node10/prof/t.json; do
        profile $f
    done
    want="node2 run/node2/prof/t.json,node10 run/node10/prof/t.json,"
    [ "$(machines --machine-from=dir run)" = "$want" ]
    [ "$(machines --machine-from=dir run/node2 run/node10)" = "$want" ]
    [ "$(machines --machine-from=dir run/node10/prof/t.json ./run/node2/prof/t.json)" = "$want" ]
    tar cf run.tar run
    [ "$(machines --machine-from=dir run.tar)" = "$want" ]
    [ "$(machines --machine-from='node[0-9]+' run)" = "$want" ]
    [ "$(machines --machine-from='node([0-9]+)' run)" = "2 run/node2/prof/t.json,10 run/node10/prof/t.json," ]
    [ "$(machines --machine-from='s|.*node([0-9]+)/.*|host-\1|' run)" = "host-2 run/node2/prof/t.json,host-10 run/node10/prof/t.json," ]
    profile phone.a.json
    profile watch.pt.trace.json
    [ "$(machines --machine-from=file phone.a.json watch.pt.trace.json)" = "phone phone.a.json,watch watch.pt.trace.json," ]
    [ "$(machines --machine-from=file run)" = "node2/prof/t.json run/node2/prof/t.json,node10/prof/t.json run/node10/prof/t.json," ]
    run tm-merge --machine-from=dir phone.a.json watch.pt.trace.json
    [ "$status" -eq 2 ]
    [[ "$output" == "tm-manifest: --machine-from: phone.a.json: is in no directory; "* ]]
    for bad in 's/a(/b/' 's/a/b' 'x'; do
        run tm-merge --machine-from="$bad" phone.a.json watch.pt.trace.json
        [ "$status" -eq 2 ]
        [[ "$output" == "tm-manifest: --machine-from: "* ]]
    done
    run tm-merge --machine-from='s/.*\/a/b/' phone.a.json watch.pt.trace.json
    [[ "$output" == *": is not s/PATTERN/TEXT/; if these have slashes, write s|PATTERN|TEXT|" ]]
}

@test "an option that names a file accepts a directory, a member and a base name" {
    profile node1/a.json
    profile node1/b.json
    profile node2/c.json
    [ "$(machines --machine one=node1 --machine two=c.json node1 node2)" = "one node1/a.json,one node1/b.json,two node2/c.json," ]
    [ "$(machines --machine one=node1/ --machine two=b.json node1)" = "one node1/a.json,two node1/b.json," ]
    [ "$(machines --machine one=.//node1 .//node1 node2)" = "$(machines --machine one=node1 node1 node2)" ]
    tar cf all.tar node1 node2
    [ "$(machines --machine one=node1 --machine two=node2/c.json all.tar)" = "one node1/a.json,one node1/b.json,two node2/c.json," ]
    [ "$(machines --machine all=all.tar all.tar | tr ',' '\n' | wc -l)" -eq 3 ]
    tm-merge -q --sync node2/c.json=a.json+1s --trace-time REALTIME -f report -o report all.tar
    grep -q ' TRACE_FILE(node2/c.json) to TRACE_FILE(node1/a.json), the manifest: 0.000000000 s = 1.000000000 s$' report
    run tm-merge --machine one=node3 all.tar
    [ "$status" -eq 2 ]
    [ "$output" = "tm-manifest: --machine: 'node3' is not one of the files" ]
    # A manifest in one of several directories configures the files beside it.
    echo '{"perfetto_manifest": {"version": 1, "files": [{"path": "b.json", "machine": {"name": "two"}}]}}' >node1/m.json
    mkdir -p node1/deep
    profile node1/deep/b.json
    [[ "$(machines node1 node2)" == *"two node1/b.json"* ]]
}

@test "a rank of more than 64 bits is none, and a pattern that makes a name past the limit is an error" {
    for name in rank18446744073709551615 rank18446744073709551616 rank99999999999999999999; do
        profile $name.json
    done
    [ "$(machines --machine-from=rank rank18446744073709551615.json)" = "rank18446744073709551615 rank18446744073709551615.json," ]
    run tm-merge --machine-from=rank rank18446744073709551616.json rank99999999999999999999.json
    [ "$status" -eq 2 ]
    [[ $output == *'rank18446744073709551616.json: states no rank (distributedInfo), and its name has no "rank" with a number'* ]]
    run tm-merge --machine-from="s/rank.*/$(printf '%05000d' 0)/" rank18446744073709551615.json
    [ "$status" -eq 2 ]
    [[ $output == *'--machine-from: rank18446744073709551615.json: the pattern makes a name of more than 4096 bytes'* ]]
}

@test "tm-pack packs directories and names machines by rank" {
    profile node/a.json 1 2
    profile node/deep/b.json 0 2
    profile c.json
    tm-pack -q -o all.tar node c.json
    [ "$(tar tf all.tar | tr '\n' ' ')" = "perfetto_manifest.json a.json c.json deep/b.json " ]
    tm-merge -q -o all.db all.tar
    [ "$(sqlite3 all.db "SELECT group_concat(name) FROM machine WHERE name LIKE 'rank%'")" = rank0,rank1 ]
    tm-pack --manifest-only --machine-from=dir node | grep -q '"path": "deep/b.json", "machine": {"name": "deep"}'
}

@test "--write-manifest writes the used manifest, which repeats any merge" {
    profile a.json 0 2
    profile b.json 1 2
    mkdir in
    mv a.json b.json in
    for how in "" "--machine-from=none" "--machine x=a.json --sync b.json=a.json+3ms"; do
        rm -f m.json
        tm-merge -q $how --write-manifest=m.json -o a.db in
        tm-manifest --check m.json
        tm-merge -q -m m.json -o b.db in
        cmp a.db b.db
        tm-merge -q -m m.json --write-manifest=again.json -o b.db in
        cmp m.json again.json
    done
    tm-unpack in | tm-manifest --machine-from=file --write-manifest=m.json | tm-clocks | tm-sort | tm-emit -q -f csv >a.csv
    tm-merge -q -m m.json -f csv in | cmp - a.csv
}

@test "--hints and --write-manifest work beside --machine" {
    for rank in 0 1; do
        echo "{\"baseTimeNanoseconds\": 17000000000000000${rank}0, \"traceEvents\": [
            {\"ph\": \"X\", \"name\": \"s\", \"pid\": 1, \"tid\": 1, \"ts\": 5, \"dur\": 2}]}" >r$rank.json
    done
    tm-merge -q --hints --machine one=r0.json --machine two=r1.json --trace-time REALTIME@r0.json \
        --write-manifest=m.json -o a.csv r0.json r1.json
    tm-manifest --check m.json
    grep -q '"name": "two"' m.json
    grep -q '"offset_ns": 1700000000000000010' m.json
    tm-merge -q --no-guess -m m.json -o b.csv r0.json r1.json
    cmp a.csv b.csv
}

@test "a lone file has its name in text, csv, reports and errors" {
    profile step.json
    gzip <step.json >step.json.gz
    for file in step.json step.json.gz; do
        tm-merge -f jsonl $file | grep -q "\"file\":\"$file\""
        tm-merge -f report $file | grep -q "^  $file: 1 events\? read"
        [ -z "$(tm-merge -f report $file | grep '  -$')" ]
        tm-merge --explain $file | grep -q "^$file"
    done
    tm-merge -f jsonl - <step.json | grep -q '"file":"-"'
}

@test "512 ranks need no 512 options" {
    mkdir ranks
    python3 - <<'PY'
for rank in range(512):
    with open(f'ranks/rank{rank}.json', 'w') as f:
        f.write('{"distributedInfo": {"rank": %d, "world_size": 512}, "baseTimeNanoseconds": %d, "traceEvents": ['
                '{"ph": "X", "name": "step", "pid": 1, "tid": 1, "ts": 5, "dur": 2}]}' % (rank, 1700000000000000000 + rank))
PY
    tm-merge --hints --trace-time=REALTIME -o all.db ranks 2>err
    [ ! -s err ]
    [ "$(sqlite3 all.db 'SELECT count(*), min(name), count(DISTINCT name) FROM machine')" = "512|rank0|512" ]
    [ "$(sqlite3 all.db 'SELECT name FROM machine ORDER BY id LIMIT 3 OFFSET 9' | tr '\n' ' ')" = "rank9 rank10 rank11 " ]
    [ "$(sqlite3 all.db 'SELECT max(ts) - min(ts) FROM slice')" = 511 ]
    # Without hints they are placed by assumption. A few are named, the others are counted.
    tm-merge -o all.json ranks 2>err
    [ "$(wc -l <err)" -le 5 ]
    grep -q 'and 508 more files: 508 events placed by assumption' err
}

@test "place-rank refuses a start that is no wall clock time" {
    profile a.json
    run sh "$TM_SRC/doc/recipes/place-rank" rank0 a.json
    [ "$status" -eq 1 ]
    [[ "$output" == *"place-rank: rank0: starts 5000 ns after 1970, which is no wall clock"* ]]
    echo '{"baseTimeNanoseconds": 1700000000000000000, "traceEvents": [
        {"ph": "X", "name": "s", "pid": 1, "tid": 1, "ts": 5, "dur": 2}]}' >b.json
    sh "$TM_SRC/doc/recipes/place-rank" rank0 b.json | tm-emit -q -f csv | grep -q 1700000000000005000
}

@test "the clock of a file in compressed data can be named by the compressed file" {
    for f in a b; do
        echo '[{"name":"n","ph":"X","ts":1,"dur":1,"pid":1,"tid":1}]' | gzip -n >$f.json.gz
    done
    tm-merge -q --explain a.json.gz b.json.gz >told
    grep -q 'TRACE_FILE(b.json.gz) to TRACE_FILE(a.json.gz)' told
    ! grep -q '(-)' told || false
}

@test "warnings name compressed data and the file in it as one, by the given name" {
    python3 -c "import json
print(json.dumps({'traceEvents': [{'name': 'n%d' % (i * 7919), 'ph': 'X', 'ts': i, 'dur': 1, 'pid': 1, 'tid': 1} for i in range(900)]}))" >a.json
    gzip a.json # the header has the name
    head -c 3000 a.json.gz >cut.json.gz
    gzip -nc cut.json.gz >again.gz
    echo '[{"name":"n","ph":"X","ts":1,"dur":1,"pid":1,"tid":1}]' >b.json
    for files in cut.json.gz again.gz 'cut.json.gz b.json'; do
        run --separate-stderr tm-merge --on-damage=skip -o m.json $files
        [ "$status" -eq 0 ]
        grep 'dropped\|skipped' <<<"$stderr" | grep -v explain >told
        [ "$(wc -l <told)" -eq 2 ] || { echo "$stderr"; false; }
        [ "$(grep -c "^tm-emit: warning: ${files%% *}: 2 events dropped, damaged: they cannot be read" told)" -eq 1 ]
        [ "$(grep -c "^tm-emit: warning: ${files%% *}: [0-9]* bytes skipped" told)" -eq 1 ]
    done
}
