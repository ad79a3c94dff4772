#!/usr/bin/env bats
# tm-manifest in the pipe: its effect on streams of tm-unpack, shown by tm-emit -f frames.

setup() {
    cd "$BATS_TEST_TMPDIR"
    printf '# tracer: nop\n#\n a-1 [000] .... 10.000001: tracing_mark_write: B|1|x\n' >a.systrace
    cp a.systrace b.systrace
}

# Writes a manifest with the given files array.
files() {
    printf '{"perfetto_manifest": {"version": 1, "files": [%s]}}' "$1"
}

frames() {
    bash -o pipefail -c "$1 | tm-emit -f frames | sed 's/^@[0-9]* //'"
}

@test "the manifest is replaced by its configuration, and the rest of the stream is unchanged" {
    files '{"path": "b.systrace", "machine": {"name": "watch"}}, {"path": "a.systrace", "clocks":
        {"sync_to": {"file": "b.systrace", "clock": "MONOTONIC"}, "offset_ns": -5}}' >m.json
    tar cf run.tar a.systrace m.json b.systrace
    frames 'tm-unpack run.tar' >before
    frames 'tm-unpack run.tar | tm-manifest' >after
    diff before after >changes || true
    diff - <(grep '^[<>]' changes | sed 's/text=.*/text=…/; /End/d') <<'END'
< Header version=1 stage=UNPACKED sorted=false
> Header version=1 stage=CONFIGURED sorted=false
< Manifest file=2 text=…
> Config file=2 entries={ path="b.systrace" machine_raw_id=4294967296 whole_file=true has_machines=false pinned=false own_clock=false } entries={ path="a.systrace" machine_raw_id=0 whole_file=false has_machines=false pinned=true own_clock=false } machines={ raw_id=4294967296 name="watch" } edges={ source={ machine_raw_id=0 clock=11 entry=1 } reference={ machine_raw_id=4294967296 clock=3 } source_ns=5 reference_ns=0 entry=1 reference_entry=0 }
> FileConfig file=1 entry=1
> FileConfig file=3 entry=0
END
}

@test "a stream without a manifest becomes a configured stream and is otherwise unchanged" {
    frames 'tm-unpack a.systrace' | sed 's/UNPACKED/CONFIGURED/' >before
    frames 'tm-unpack a.systrace | tm-manifest' >after
    diff before after
}

@test "a configured stream passes through" {
    tar cf run.tar a.systrace
    frames 'tm-unpack run.tar | tm-manifest' >once
    frames 'tm-unpack run.tar | tm-manifest | tm-manifest' >twice
    diff once twice
    files '' >m.json
    run bash -o pipefail -c 'tm-unpack run.tar | tm-manifest | tm-manifest -m m.json >out'
    [ "$status" -eq 1 ]
    [[ "$output" == *"the stream is already configured; give -m to the first tm-manifest" ]]
    run bash -o pipefail -c 'tm-unpack run.tar | tm-manifest | tm-manifest --machine m=a.systrace >out'
    [ "$status" -eq 1 ]
    [[ "$output" == *"the stream is already configured; give --machine to the first tm-manifest" ]]
    tm-unpack run.tar | tm-manifest | tm-manifest --machine-from none >out
}

@test "nothing is written after a wrong manifest" {
    files '{"path": "a.systrace", "machine": {"name": ""}}' >m.json
    tar cf run.tar a.systrace m.json
    run bash -c 'tm-unpack run.tar | tm-manifest >out'
    [ "$status" -eq 1 ]
    [ "$output" = "tm-manifest: run.tar: m.json: perfetto_manifest: machine: name must be non-empty (files[0]), line 1, column 91" ]
    [ ! -s out ]
    gzip run.tar
    run bash -c 'tm-unpack run.tar.gz | tm-manifest >out'
    [[ "$output" == "tm-manifest: run.tar.gz: run.tar: m.json: perfetto_manifest: machine: name"* ]]
    run bash -c 'tm-unpack <run.tar.gz | tm-manifest >out'
    [[ "$output" == "tm-manifest: standard input: run.tar: m.json: perfetto_manifest: machine: name"* ]] # gzip stores the name
}

@test "a warning names a member that differs from a path only by ./" {
    files '{"path": "a.systrace"}, {"path": "b.systrace"}, {"path": "sub/c"}' >m.json
    mkdir sub
    cp a.systrace sub/c
    tar cf run.tar ./m.json ./a.systrace b.systrace ./sub/c
    run bash -c 'tm-unpack run.tar | tm-manifest >out'
    [ "$status" -eq 0 ]
    diff - <(printf '%s\n' "$output") <<'END'
tm-manifest: warning: run.tar: ./m.json: perfetto_manifest: files[0]: path 'a.systrace' matches no file; there is './a.systrace', and paths are exact, line 1, column 48
tm-manifest: warning: run.tar: ./m.json: perfetto_manifest: files[2]: path 'sub/c' matches no file; there is './sub/c', and paths are exact, line 1, column 96
END
    tar cf run.tar ./a.systrace b.systrace ./sub/c ./m.json
    run bash -c 'tm-unpack run.tar | tm-manifest >out'
    [ "${#lines[@]}" -eq 2 ]
    [[ "$output" == *"there is './a.systrace'"*"there is './sub/c'"* ]]
}

@test "a warning names a member that differs from a path only by its folder" {
    files '{"path": "/home/me/a.systrace"}, {"path": "c"}, {"path": "x/c"}, {"path": "d"}' >m.json
    mkdir -p sub
    cp a.systrace sub/c
    for members in "m.json a.systrace sub/c" "a.systrace sub/c m.json"; do
        tar cf run.tar $members
        run bash -c 'tm-unpack run.tar | tm-manifest >out'
        diff - <(printf '%s\n' "${lines[@]#*perfetto_manifest: }" | sed 's/, line 1.*//') <<'END'
files[0]: path '/home/me/a.systrace' matches no file; there is 'a.systrace', and paths are exact
files[1]: path 'c' matches no file; there is 'sub/c', and paths are exact
files[2]: path 'x/c' matches no file; there is 'sub/c', and paths are exact
files[3]: path 'd' matches no file
END
    done
    cp sub/c c # a member that a path matches is not suggested, and one with ./ in front of a path before others
    files '{"path": "c"}, {"path": "x/c"}, {"path": "a.systrace"}' >m.json
    mkdir -p other
    cp a.systrace other
    tar cf run.tar m.json c other/a.systrace ./a.systrace
    run bash -c 'tm-unpack run.tar | tm-manifest >out'
    [[ "${lines[0]}" == *"path 'x/c' matches no file, line"* ]]
    [[ "${lines[1]}" == *"path 'a.systrace' matches no file; there is './a.systrace',"* ]]
}

@test "a path that matches no file is told that zcat lost the names, if traces have none" {
    files '{"path": "a.systrace"}' >m.json
    gzip -k m.json a.systrace
    run --separate-stderr bash -c 'cat m.json.gz a.systrace.gz | tm-unpack | tm-manifest >named'
    [ "$stderr" = "" ]
    run --separate-stderr bash -c 'zcat m.json.gz a.systrace.gz | tm-unpack | tm-manifest >nameless'
    [ "$stderr" = "tm-manifest: warning: standard input: perfetto_manifest: files[0]: path 'a.systrace' matches no file; \
there is one without a name (zcat loses the names of gzip members, cat keeps them), line 1, column 48" ]
}

@test "a path that matches no file is a warning, and an error with --strict" {
    files '{"path": "ghost"}, {"path": "a.systrace"}, {"path": "./b.systrace"}' >m.json
    tar cf run.tar a.systrace b.systrace m.json
    run bash -o pipefail -c 'tm-unpack run.tar | tm-manifest | tm-emit -f frames | grep -c FileConfig'
    [ "$status" -eq 0 ]
    diff - <(printf '%s\n' "$output" | sort) <<'END'
1
tm-manifest: warning: run.tar: m.json: perfetto_manifest: files[0]: path 'ghost' matches no file, line 1, column 48
tm-manifest: warning: run.tar: m.json: perfetto_manifest: files[2]: path './b.systrace' matches no file; there is 'b.systrace', and paths are exact, line 1, column 91
END
    run bash -c 'tm-unpack run.tar | tm-manifest --strict >out'
    [ "$status" -eq 4 ]
    [ "${#lines[@]}" -eq 2 ]
    run bash -c 'tm-emit -f frames <out >text'
    [ "$status" -eq 1 ]
}

@test "a relation to the own timeline of a file that is not in the archive is an error, as in the reference" {
    local warning="perfetto_manifest: files[1]: path 'gone' matches no file, line 1, "
    files '{"path": "a.systrace", "clocks": {"clock": "MONOTONIC", "sync_to": {"file": "gone"}}}, {"path": "gone"}' >m.json
    tar cf run.tar a.systrace m.json
    run bash -c 'tm-unpack run.tar | tm-manifest >out'
    echo "$output"
    [ "$status" -eq 1 ]
    [[ $output == "tm-manifest: run.tar: m.json: perfetto_manifest: clocks: sync_to.file 'gone' matches no file whose \
timeline could be the reference (files[0].clocks.sync_to), line 1, column "* ]]
    run tm-emit -f frames <out
    [ "$status" -eq 1 ]
    run bash -c 'tm-unpack a.systrace | tm-manifest -m m.json >out'
    [ "$status" -eq 0 ]
    [[ $output == "tm-manifest: warning: m.json: $warning"* ]]
    for clocks in '"sync_to": {"file": "a.systrace", "clock": "MONOTONIC"}' '"sync_to": {"file": "a.systrace"}'; do
        files '{"path": "a.systrace"}, {"path": "gone", "clocks": {'"$clocks"'}}' >m.json
        tar cf run.tar a.systrace m.json
        run bash -c 'tm-unpack run.tar | tm-manifest >out'
        [ "$status" -eq 0 ]
        [[ $output == "tm-manifest: warning: run.tar: m.json: $warning"* ]]
    done
    files '{"path": "a.systrace", "clocks": {"clock": "MONOTONIC", "sync_to": {"file": "gone", "clock": "BOOTTIME"}}},
           {"path": "gone"}' >m.json
    tar cf run.tar a.systrace m.json
    run bash -c 'tm-unpack run.tar | tm-manifest >out'
    [ "$status" -eq 0 ]
}

@test "files of a command line match by name, without ./ and by base name" {
    files '{"path": "a.systrace"}, {"path": "b.systrace"}, {"path": "sub/c"}' >m.json
    mkdir sub
    cp a.systrace sub/c
    run bash -o pipefail -c "tm-unpack ./a.systrace '$PWD/b.systrace' sub/c m.json | tm-manifest --strict | tm-emit -f frames | grep -c FileConfig"
    [ "$output" = 3 ]
    cp a.systrace sub/
    run bash -c "tm-unpack sub/a.systrace '$PWD/a.systrace' m.json | tm-manifest >out"
    [ "$status" -eq 1 ]
    [ "$output" = "tm-manifest: m.json: perfetto_manifest: files[0]: path 'a.systrace' matches two files" ]
}

@test "a directory is configured like an archive of it" {
    mkdir d
    files '{"path": "sub/a"}' >d/m.json
    mkdir d/sub
    cp a.systrace d/sub/a
    run bash -o pipefail -c 'tm-unpack d | tm-manifest --strict | tm-emit -f frames | grep -c FileConfig'
    [ "$output" = 1 ]
}

@test "an entry for a compressed member configures the file inside" {
    files '{"path": "a.systrace.gz", "machine": {"name": "x"}}' >m.json
    gzip -k a.systrace
    tar cf run.tar a.systrace.gz m.json
    run bash -o pipefail -c 'tm-unpack run.tar | tm-manifest --strict | tm-emit -f frames | grep -A1 "File id=3"'
    [[ "${lines[1]}" == *"FileConfig file=3 entry=0" ]]
}

@test "the entry of a compressed member pins the file inside, and other files to its timeline" {
    echo '{"traceEvents":[{"name":"u","ph":"X","ts":5,"dur":1,"pid":1,"tid":1}]}' >u.json
    sed 's/"u"/"y"/' u.json >y.json
    gzip u.json
    files '{"path": "u.json.gz", "clocks": {"sync_to": {"file": "a.systrace", "clock": "MONOTONIC"}, "offset_ns": 500}},
        {"path": "y.json", "clocks": {"sync_to": {"file": "u.json.gz"}, "offset_ns": 7}}, {"path": "a.systrace"}' |
        sed 's/"version": 1/&, "trace_time": {"clock": "MONOTONIC"}/' >m.json
    tar cf run.tar m.json a.systrace u.json.gz y.json
    tm-merge -q -o out.db run.tar
    [ "$(sqlite3 out.db "SELECT name, ts FROM slice WHERE name IN ('u', 'y') ORDER BY name")" = $'u|5500\ny|5507' ]
}

@test "a manifest alone is a merge without files" {
    files '{"path": "a.systrace", "machine": {"name": "x"}}' >m.json
    tm-merge -q -o out.db m.json
    [ "$(sqlite3 out.db 'SELECT trace_type FROM trace_file; SELECT name FROM machine')" = $'perfetto_manifest\nx' ]
}

# machines ARCHIVE: prints the machine ids of the slices in it, one for each file.
machines() {
    tm-merge -o out.db "$@" && sqlite3 out.db 'SELECT DISTINCT m.raw_id, t.id FROM slice s JOIN track t ON s.track_id = t.id
        JOIN machine m ON t.machine_id = m.id' | cut -d'|' -f1 | sort | uniq -c | tr -s ' '
}

@test "an entry configures all documents of its file, unless it relates a clock that each has for itself" {
    echo '{"traceEvents":[{"name":"x","ph":"X","ts":5,"dur":1,"pid":1,"tid":1}]}' >one.json
    sed 's/"pid":1/"pid":2/' one.json | cat one.json - >two.json
    gzip -kn two.json
    { gzip -nc one.json; sed 's/"pid":1/"pid":2/' one.json; } | gzip -n >mixed.gz
    for file in two.json two.json.gz mixed.gz; do
        files '{"path": "'$file'", "machine": {"name": "x"}}' >m.json
        tar cf run.tar m.json $file
        [ "$(machines run.tar)" = " 2 4294967296" ]
        files '{"path": "'$file'", "clocks": {"sync_to": {"file": "a.systrace", "clock": "MONOTONIC"}}},
            {"path": "a.systrace"}' >m.json
        tar cf run.tar m.json $file a.systrace
        run tm-merge -o out.db run.tar
        [ "$status" -eq 1 ]
        [[ "$output" == *"perfetto_manifest: files[0]: path '$file' matches two files" ]]
    done
    [ "$(machines --machine x=two.json two.json)" = " 2 4294967296" ]
    echo 'what is this' >>two.json # bytes that are no document are not configured
    gzip -fkn two.json
    files '{"path": "two.json.gz", "machine": {"name": "x"}}' >m.json
    tar cf run.tar m.json two.json.gz
    [ "$(machines --ignore-unknown run.tar)" = " 2 4294967296" ]
}

@test "an entry that configures an inner archive is refused, and one without effect is accepted" {
    tar cf inner.tar a.systrace
    files '{"path": "inner.tar", "machine": {"name": "x"}}' >m.json
    tar cf run.tar inner.tar m.json
    run bash -c 'tm-unpack run.tar | tm-manifest >out'
    [ "$status" -eq 1 ]
    [ "$output" = "tm-manifest: run.tar: m.json: perfetto_manifest: overrides are not supported for trace files which are themselves archives or perfetto_manifest files: inner.tar, an archive" ]
    files '{"path": "inner.tar"}, {"path": "a.systrace"}' >m.json
    tar cf run.tar inner.tar m.json
    run bash -c 'tm-unpack run.tar | tm-manifest >out'
    [ "$status" -eq 0 ]
    [ "$output" = "tm-manifest: warning: run.tar: m.json: perfetto_manifest: files[1]: path 'a.systrace' matches no file, line 1, column 71" ]
}

@test "a manifest may name itself and the stream that it begins, if this has no effect" {
    files '{"path": "m.json"}, {"path": "a.systrace"}' >m.json
    tar cf run.tar a.systrace m.json
    tm-merge --strict -o out.db run.tar
    files '{"path": "run.gz"}' >m.json
    gzip -nc m.json a.systrace >run.gz
    tm-merge --strict -o out.db run.gz
    files '{"path": "m.json", "machine": {"name": "x"}}' >m.json
    tar cf run.tar a.systrace m.json
    run tm-merge -o out.db run.tar
    [ "$status" -eq 1 ]
    [[ "$output" == *"perfetto_manifest files: m.json, a perfetto_manifest" ]]
}

@test "gzip members one after another match by their names" {
    files '{"path": "a.systrace", "machine": {"name": "x"}}, {"path": "b.systrace", "machine": {"name": "y"}}' >m.json
    gzip -k a.systrace b.systrace m.json
    for head in m.json.gz m.json; do
        run bash -o pipefail -c "cat $head b.systrace.gz a.systrace.gz | tm-unpack | tm-manifest --strict | tm-emit -f frames | grep -o 'FileConfig.*\\|File id.*name=.*type'"
        echo "$output"
        [[ "$output" == *'name="b.systrace" '*'entry=1'*'name="a.systrace" '*'entry=0' ]]
    done
}

@test "-m configures input without a manifest" {
    files '{"path": "a.systrace", "machine": {"name": "x"}}' >m.json
    for input in a.systrace ./a.systrace "$PWD/a.systrace" "a.systrace b.systrace"; do
        run bash -o pipefail -c "tm-unpack $input | tm-manifest --strict -m m.json | tm-emit -f frames | grep -c FileConfig"
        echo "$input: $output"
        [ "$output" = 1 ]
    done
    tar czf run.tgz a.systrace b.systrace
    run bash -o pipefail -c "tm-unpack <run.tgz | tm-manifest --strict --manifest m.json | tm-emit -f frames | grep -c FileConfig"
    [ "$output" = 1 ]
    run bash -c "tm-unpack a.systrace m.json | tm-manifest -m m.json >out"
    [ "$status" -eq 1 ]
    [ "$output" = "tm-manifest: m.json: perfetto_manifest: multiple perfetto_manifest files in archive (--replace uses that of -m alone)" ]
}

@test "a reader that closes the pipe early causes no message" {
    { cat a.systrace; yes ' a-1 [000] .... 11.000001: tracing_mark_write: I|1|some instant' | head -n 20000; } >long
    run bash -c 'tm-unpack long | tm-manifest | head -c 1000 >/dev/null'
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "a full disk is exit 3" {
    [ -w /dev/full ] || skip "no /dev/full"
    run bash -c 'tm-unpack a.systrace | tm-manifest >/dev/full'
    [ "$status" -eq 3 ]
    [[ "$output" == "tm-manifest: "*"No space left on device" ]]
}

# Batches of a quarter of a megabyte, as in the stream of a text trace.
large() {
    python3 -c 'print("# tracer: nop\n#")
for i in range(40000): print("a-%d [000] .... 10.%06d: tracing_mark_write: I|1|event %d" % (i % 7 + 1, i, i))' >large.systrace
    tm-unpack large.systrace
}

@test "batches passed from pipe to pipe equal those read from a file" {
    large >in
    [ "$(wc -c <in)" -gt 1000000 ]
    tm-manifest <in >out
    bash -o pipefail -c 'cat in | tm-manifest | cat' | cmp - out
    bash -o pipefail -c 'dd if=in bs=777 status=none | tm-manifest | dd bs=333 status=none' | cmp - out
}

@test "a stream that is cut or damaged inside a batch that is passed on is refused" {
    large >in
    for n in 300000 700001 $(($(wc -c <in) - 1)); do
        run bash -o pipefail -c "head -c $n in | tm-manifest | cat >out"
        [ "$status" -eq 1 ]
        [[ $output == "tm-manifest: "*"cut short"* ]]
    done
    cp in bad
    printf 'XXXX' | dd of=bad bs=1 seek=500000 conv=notrunc status=none
    run bash -o pipefail -c 'cat bad | tm-manifest | tm-clocks | cat >out'
    [ "$status" -eq 1 ]
    [[ $output == "tm-clocks: "*"checksum of the frame does not match"* ]]
}

@test "tm-merge --replace -m uses another manifest than that of the input, and messages about two name it" {
    mkdir replace
    cd replace
    echo '[{"ph":"X","pid":1,"tid":1,"name":"n","ts":1,"dur":1}]' >a.json
    echo '{"perfetto_manifest":{"version":1,"files":[{"path":"a.json","machine":{"name":"old"}}]}}' >perfetto_manifest.json
    tar cf run.tar perfetto_manifest.json a.json
    run tm-merge --trace-time REALTIME run.tar
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "tm-manifest: the input has a manifest; --trace-time would make another: write it with --write-manifest, change it, and use it with --replace -m" ]
    tm-merge -n --write-manifest=new.json run.tar >/dev/null
    sed -i s/old/new/ new.json
    run tm-merge -m new.json run.tar
    [ "$status" -eq 1 ]
    [[ $output == *": multiple perfetto_manifest files in archive (--replace uses that of -m alone)" ]]
    [ "$(tm-merge -f report --json --replace -m new.json run.tar | jq -r '.machines[].name' | grep -v '^host$')" = new ]
    run tm-merge --replace run.tar
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "tm-merge: --replace needs the manifest to take, by -m" ]
}
