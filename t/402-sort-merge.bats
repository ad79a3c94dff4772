#!/usr/bin/env bats
# tm-sort -m: several sorted streams become one.

load lib/common

setup() {
    cd "$BATS_TEST_TMPDIR"
    . "$TM_SRC/t/lib/common.bash"
    gen=${TM_BIN%/bin}/t/gen/gen-stream
}

# make NAME ARGUMENTS: generates a sorted, placed stream.
make() {
    local name=$1
    shift
    "$gen" -P -C 1 -g "$name-" "$@" | tm-sort >"$name"
}

# frames NAME...: prints the text form of each stream.
frames() {
    local f
    for f; do
        tm-emit -f frames <"$f" >"$f.txt"
    done
}

@test "the merge has the events, accounts and snapshots of all streams, with new numbers" {
    make a -n 3000 -f 2 -d 3 -M one -s 1
    make b -n 2000 -f 3 -d 3 -M two -s 2
    make c -n 1000 -f 1 -M one -s 3
    make d -n 0 -M three
    tm-sort -m a b c d >m
    tm-sort -c m
    frames m a b c d
    python3 "$TM_SRC/t/check/compare-merge.py" m.txt a.txt b.txt c.txt d.txt
    # The files of all streams have one outermost file, and machines of one name are one machine.
    [ "$(grep -c ' File .*parent=0 ' m.txt)" -eq 4 ]
    grep -q 'File id=1 parent=0 name="a"' m.txt
    [ "$(grep -c ' Machine ' m.txt)" -eq 3 ]
    grep -q 'Machine id=0 raw_id=4294967296 name="one"' m.txt
    grep -q 'Machine id=1 raw_id=4294967297 name="two"' m.txt
    [ "$(grep -c ' TraceTime ' m.txt)" -eq 1 ]
}

@test "manifests, placements and accounts of real streams merge" {
    tm-unpack "$TM_SRC/doc/examples/phone-watch-app.tar" | tm-manifest | tm-clocks | tm-sort >a
    cp a b
    tm-sort -m a b >m
    tm-sort -c m
    frames a m
    for kind in FileConfig Placement ClockRow Sequence Snapshot Account; do
        [ "$(grep -c "^@[0-9]* $kind " m.txt || true)" -eq $((2 * $(grep -c "^@[0-9]* $kind " a.txt || true))) ]
    done
    [ "$(grep -c '^@[0-9]* Config ' m.txt)" -eq 1 ]
    [ "$(grep -o 'entries={ path' m.txt | wc -l)" -eq 6 ]
    [ "$(grep -c '^@[0-9]* Machine ' m.txt)" -eq 2 ]
    [ "$(grep -c 'name="trace_time_clock_id"' m.txt)" -eq 1 ]
    # tm-emit fails unless accounts balance.
    tm-emit -f report <m >report
    [ "$(grep -c 'phone.pftrace: 14 events read, 14 placed, 0 dropped' report)" -eq 2 ]
}

@test "events of one time are in the order of the streams" {
    make a -n 500 -w 3 -s 1
    make b -n 500 -w 3 -s 2
    tm-sort -m b a >m
    frames m a b
    python3 "$TM_SRC/t/check/compare-merge.py" m.txt b.txt a.txt
}

@test "more streams than fit in memory give the same bytes" {
    for i in 1 2 3 4 5 6 7 8 9 10 11; do
        make s$i -n 900 -f 2 -d 5 -s $i -M m$((i % 3)) -b 50
    done
    tm-sort -m s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 >m
    tm-sort -m -S 1 -T . s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 | cmp - m
    frames m s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11
    python3 "$TM_SRC/t/check/compare-merge.py" m.txt s{1,2,3,4,5,6,7,8,9,10,11}.txt
}

@test "a merge of one stream leaves it unchanged" {
    make a -n 3000 -f 2 -d 3 -M one
    tm-sort -m a >m
    frames a m
    # Only the place of the TraceTime frame may differ; the name is stored for a later merge.
    diff <(sed 's/^@[0-9]* //' a.txt | sort) <(sed 's/^@[0-9]* //; s/ merged_as="a"//' m.txt | sort)
    tm-sort -m - <a >n
    frames n
    [ "$(grep -c 'merged_as="a"' m.txt)" -eq 1 ]
    diff <(sed 's/^@[0-9]* //; s/merged_as="a"/merged_as="standard input"/' m.txt) <(sed 's/^@[0-9]* //' n.txt)
}

@test "a merge of merges equals one merge, whatever the groups" {
    for i in 1 2 3 4 5 6 7 8 9; do
        make s$i -n 300 -f $((i % 3 + 1)) -d 5 -s $i -M m$((i % 4)) -b 40
    done
    make empty -n 0 -M m7
    printf '[{"ph":"X","pid":1,"tid":2,"name":"a","ts":1700000000000000,"dur":1}]' >one.json
    printf '[{"ph":"X","pid":"text","tid":2,"name":"b","ts":1700000000000001,"dur":1}]' >two.json
    for f in one two; do
        printf '\n\006\062\004\012\002\010\001' >c.pftrace # a ClockSnapshot: REALTIME 0
        echo '{"perfetto_manifest":{"version":1,"trace_time":{"clock":"REALTIME"},"files":[{"path":"c.pftrace","machine":{"name":"'$f'"}},
            {"path":"'$f.json'","machine":{"name":"m1"},"clocks":{"sync_to":{"file":"c.pftrace","clock":"REALTIME"}}}]}}' >manifest.json
        tar cf $f.tar manifest.json c.pftrace $f.json
        bash -o pipefail -c "tm-unpack $f.tar | tm-manifest | tm-clocks | tm-sort >$f"
    done
    tm-sort -m s1 s2 one s3 s4 s5 empty s6 two s7 s8 s9 >flat
    # Three levels: groups of one, two and five, and streams in no group.
    tm-sort -m s1 >a
    tm-sort -m s2 one >b
    tm-sort -m s3 s4 s5 empty s6 >c
    tm-sort -m a b >ab
    tm-sort -m c >cc
    tm-sort -m s7 s8 >d
    tm-sort -m cc two d >cd
    tm-sort -m ab cd s9 >tree
    cmp tree flat
    # The directory of a merge is removed, that of an archive stays.
    tm-emit -f frames <tree >tree.txt
    [ "$(grep -c ' File .*is_merge=true' tree.txt)" -eq 1 ]
    grep -q 'File id=[0-9]* parent=0 name="two" .*type="tar"' tree.txt
    tm-sort -m ab cd | tm-sort -m - s9 | cmp - flat
    tm-sort -m flat | cmp - flat
    tm-sort -m -S 1 -T . ab cd s9 | cmp - flat
}

@test "strings that fit in no table travel with their events" {
    make a -n 2000 -k 180000 -s 1
    make b -n 2000 -k 180000 -s 2
    make c -n 2000 -k 180000 -s 3
    tm-sort -m a b c >m
    frames m a b c
    python3 "$TM_SRC/t/check/compare-merge.py" m.txt a.txt b.txt c.txt
    [ "$(grep -c ' Strings ' m.txt)" -eq 262144 ]
    tm-sort m | cmp - m
    # A merged stream can be merged again.
    make d -n 500 -k 10 -s 4
    tm-sort -m m d >n
    frames n d
    python3 "$TM_SRC/t/check/compare-merge.py" n.txt m.txt d.txt
}

@test "streams with different trace times are refused" {
    make a -n 10 -M one
    "$gen" -P -C 6 -n 10 -M one | tm-sort >boot
    "$gen" -P -C 6 -n 10 -M two | tm-sort >other
    "$gen" -P -C 6 -n 0 -M two | tm-sort >empty
    "$gen" -P -C 11 -n 10 -M two | tm-sort >private
    pipe 'tm-sort -m a boot >m'
    [ "$status" -eq 1 ]
    [ "$output" = 'tm-sort: boot: trace time is clock 6 (BOOTTIME) of machine "one", in a it is clock 1 (REALTIME) of machine "one"; place both on one clock, with trace_time in their manifests' ]
    [ ! -s m ]
    pipe 'tm-sort -m boot other >m'
    [ "$status" -eq 1 ]
    [ "$output" = 'tm-sort: other: trace time is clock 6 (BOOTTIME) of machine "two", in boot it is clock 6 (BOOTTIME) of machine "one"; place both on one clock, with trace_time in their manifests' ]
    pipe 'tm-sort -m private private >m'
    [ "$status" -eq 1 ]
    tm-sort -m boot empty boot >m
    tm-sort -c m
}

@test "REALTIME is one clock on all machines" {
    make a -n 10 -M one
    make b -n 10 -M two
    tm-sort -m a b | tm-sort -c
}

@test "streams that are not placed or not sorted, and other files, are refused by name" {
    make a -n 10
    "$gen" -n 10 -o sorted -H >raw
    "$gen" -P -C 1 -n 10 >loose
    pipe 'tm-sort -m a raw >m'
    [ "$status" -eq 1 ]
    [ "$output" = "tm-sort: raw: the stream's times are not trace time yet: pipe it through tm-clocks first" ]
    pipe 'tm-sort -m a loose >m'
    [ "$status" -eq 1 ]
    [ "$output" = "tm-sort: loose: the stream is not sorted: pipe it through tm-sort first" ]
    pipe 'tm-sort -m a /dev/null >m'
    [ "$status" -eq 1 ]
    [ "$output" = "tm-sort: /dev/null: byte 0: empty, not a tracemerge stream" ]
    pipe 'tm-sort -m a nowhere >m'
    [ "$status" -eq 1 ]
    [ "$output" = "tm-sort: nowhere: cannot open: No such file or directory" ]
    [ ! -s m ]
    run tm-sort -m -c a
    [ "$status" -eq 2 ]
}

@test "a header that wrongly states that a stream is sorted is detected" {
    make a -n 10
    "$gen" -P -C 1 -n 5000 -H >liar
    pipe 'tm-sort -m a liar >m'
    [ "$status" -eq 1 ]
    [[ $output =~ ^"tm-sort: liar: byte "[0-9]+": event at position "[0-9]+" of file 1 is out of order"$ ]]
    run tm-sort -c m
    [ "$status" -eq 1 ]
}

@test "streams that are cut anywhere leave no complete output" {
    make a -n 12 -p 3 -d 20
    make b -n 12 -p 3 -d 20 -s 2
    size=$(stat -c %s b)
    step=7
    ! is_sanitized || step=29
    for ((i = 0; i < size; i += step)); do
        head -c $i b >cut
        status=0
        tm-sort -m a cut >m 2>said || status=$?
        [ "$status" -eq 1 ]
        [[ $(<said) =~ ^"tm-sort: cut: byte "[0-9]+": " ]]
        status=0
        tm-sort -c m || status=$?
        [ "$status" -eq 1 ]
    done
}

@test "streams from pipes, more than the usual number of descriptors, are merged" {
    make a -n 40 -M one
    set --
    for ((i = 0; i < 300; i++)); do
        set -- "$@" a
    done
    ulimit -Sn 128
    tm-sort -m "$@" >m
    tm-sort -c m
    tm-sort -m <(cat a) <(cat a) | tm-sort -c
}

@test "pids that are texts are those of their texts in every stream" {
    cd "$BATS_TEST_TMPDIR"
    echo '[{"ph":"X","pid":"first","tid":"t1","name":"a","ts":1,"dur":1},{"ph":"X","pid":"shared","tid":"t2","name":"b","ts":2,"dur":1}]' >a.json
    echo '[{"ph":"X","pid":"shared","tid":"t2","name":"c","ts":3,"dur":1},{"ph":"X","pid":"other","tid":7,"name":"d","ts":4,"dur":1}]' >b.json
    for f in a b; do
        printf '\n\006\062\004\012\002\010\006' >c.pftrace # a ClockSnapshot: BOOTTIME 0
        echo '{"perfetto_manifest":{"version":1,"trace_time":{"clock":"BOOTTIME"},"files":[{"path":"c.pftrace"},{"path":"'$f.json'","clocks":{"sync_to":
            {"file":"c.pftrace","clock":"BOOTTIME"}}}]}}' >manifest.json
        tar cf $f.tar manifest.json c.pftrace $f.json
        bash -o pipefail -c "tm-unpack $f.tar | tm-manifest | tm-clocks | tm-sort >$f.s"
    done
    tm-sort -m a.s b.s | tm-emit -f sqlite -o m.db
    run sqlite3 m.db "SELECT s.name, p.name, t.name, t.tid = 7 FROM slice s JOIN thread_track k ON k.id = s.track_id
        JOIN thread t USING (utid) JOIN process p USING (upid) ORDER BY s.ts"
    echo "$output"
    [ "$output" = "a|first|t1|0
b|shared|t2|0
c|shared|t2|0
d|other||1" ]
    [ "$(sqlite3 m.db "SELECT count(DISTINCT pid), count(*) FROM process WHERE pid != 0")" = "3|3" ]
}

@test "tens of thousands of machines merge by raw id and by name" {
    printf '\n\006\062\004\012\002\010\001' >c.pftrace # a ClockSnapshot: REALTIME 0
    for first in 0 20000; do
        python3 - $first >manifest.json <<'END'
import json, sys
machines = [{'id': i, 'name': 'm%d' % (int(sys.argv[1]) + i)} for i in range(40000)]
print(json.dumps({'perfetto_manifest': {'version': 1, 'files': [{'path': 'c.pftrace', 'machines': machines}]}}))
END
        tar cf run.tar manifest.json c.pftrace
        tm-unpack run.tar | tm-manifest | tm-clocks | tm-sort >s$first
    done
    tm-sort -m s0 s20000 >m
    frames m
    seq 0 59999 | awk '{ printf "id=%d raw_id=%.0f name=\"m%d\"\n", $1, $1 + 2 ^ 32, $1 }' >want
    grep ' Machine ' m.txt | sed 's/.* Machine //' | diff want -
    # The list of the joined Config, and the second stream's entry.
    grep ' Config ' m.txt | grep -o ' machines={ raw_id=[^}]*}' |
        sed 's/ machines={ \(.*\) }/\1/' | diff <(sed 's/id=[0-9]* //' want) -
    [ "$(grep ' Config ' m.txt | grep -o 'machines={ id=39999 [^}]*}')" = \
      $'machines={ id=39999 raw_id=4295007295 }\nmachines={ id=39999 raw_id=4295027295 }' ]
}

@test "more streams than descriptors are merged in passes, with the same bytes" {
    make a -n 400 -M one
    make b -n 400 -M two -s 7
    set --
    for ((i = 0; i < 30; i++)); do
        set -- "$@" a b
    done
    tm-sort -m "$@" >all
    tm-sort -c all
    (ulimit -n 32 && tm-sort -m "$@" >few)
    cmp all few
    (ulimit -n 32 && cat a | tm-sort -m - "${@:2}" >few) # a pipe keeps its descriptor
    [ "$(tm-emit -f frames <few | grep -c '^  \[')" -eq "$(tm-emit -f frames <all | grep -c '^  \[')" ]
    cp a cut
    truncate -s -5 cut
    run bash -c 'ulimit -n 32; tm-sort -m "$@" cut >out' x "$@"
    [ "$status" -eq 1 ]
    [[ "$output" == "tm-sort: cut: "* ]]
    run bash -c 'ulimit -n 32; tm-sort -m "$@" missing >out' x "$@"
    [ "$status" -eq 1 ]
    [ "$output" = "tm-sort: missing: cannot open: No such file or directory" ]
}
