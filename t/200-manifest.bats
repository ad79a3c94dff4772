#!/usr/bin/env bats
# tm-manifest alone: its command line and --check. 202-manifest-stream.bats tests its effect on streams.

setup() {
    cd "$BATS_TEST_TMPDIR"
    printf '{"perfetto_manifest": {"version": 1, "files": [{"path": "a"}]}}' >good.json
}

@test "--help and --version print usage and version" {
    run tm-manifest --help
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "usage: tm-manifest [-m FILE]"* ]]
    run tm-manifest -V
    [ "$status" -eq 0 ]
    [[ "$output" == "tm-manifest (tracemerge) "* ]]
}

@test "invalid command lines are exit 2" {
    for args in --nonsense -x -m "--check" "--check -m good.json good.json" "--check --strict good.json" \
        "--check -q good.json" good.json; do
        run tm-manifest $args
        echo "$args: $output"
        [ "$status" -eq 2 ]
        [[ "$output" == *"try 'tm-manifest --help'" ]]
    done
}

@test "--check prints nothing about good manifests" {
    run tm-manifest --check good.json good.json
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    run bash -c 'tm-manifest --check - <good.json'
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "--check reports all problems of all files" {
    cat >bad.json <<'END'
{"perfetto_manifest": {
    "trace_time": {"clock": "TSC", "machine": "m"},
    "files": [
        {"path": "a", "machine": {"name": ""}},
        {"machine": {"name": "x"}, "machines": [{"id": -1, "name": "y"}]},
        {"path": 3, "clocks": {"offset_ns": 1.5, "sync_to": {"file": "ghost"}}}
    ],
    "attributes": {"k": true}
}}
END
    printf '{"perfetto_manifest":\n {"version": 01}}' >broken.json
    run tm-manifest --check bad.json good.json broken.json
    [ "$status" -eq 1 ]
    diff - <(printf '%s\n' "$output") <<'END'
tm-manifest: bad.json: perfetto_manifest: missing required field: version, line 1, column 23
tm-manifest: bad.json: perfetto_manifest: unknown clock name: TSC. Use one of REALTIME, REALTIME_COARSE, MONOTONIC, MONOTONIC_COARSE, MONOTONIC_RAW, BOOTTIME (trace_time.clock), line 2, column 29
tm-manifest: bad.json: perfetto_manifest: trace_time: machine 'm' needs trace_time: file too - a machine name alone is ambiguous, name the file too, line 2, column 19
tm-manifest: bad.json: perfetto_manifest: machine: name must be non-empty (files[0]), line 4, column 43
tm-manifest: bad.json: perfetto_manifest: files entries must be objects with a string path: path is missing (files[1]), line 5, column 9
tm-manifest: bad.json: perfetto_manifest: machine and machines are mutually exclusive (files[1]), line 5, column 21
tm-manifest: bad.json: perfetto_manifest: machines: id must be in [0, 4294967295] (files[1].machines[0]), line 5, column 56
tm-manifest: bad.json: perfetto_manifest: files entries must be objects with a string path: path is not a string (files[2]), line 6, column 18
tm-manifest: bad.json: perfetto_manifest: clocks: offset_ns must be an integer (files[2]), line 6, column 45
tm-manifest: bad.json: perfetto_manifest: attributes: 'k' must be a string or an integer, line 8, column 25
tm-manifest: bad.json: perfetto_manifest: clocks: sync_to.file names unknown file 'ghost'. It must match the path of an entry in the files array (files[2].clocks.sync_to), line 6, column 61
tm-manifest: broken.json: perfetto_manifest: line 2, column 14: a number with a leading zero
END
}

@test "--check warns of a manifest that archives do not recognise" {
    local body='"perfetto_manifest": {"version": 1, "files": [{"path": "a.json", "machine": {"name": "m"}}]}}'
    local warning='perfetto_manifest: it does not begin with {"perfetto_manifest", so it is no manifest among other files'
    printf '{"x_other": 1, %s' "$body" >second.json
    printf '{%600s%s' '' "$body" >far.json
    printf '\xef\xbb\xbf { \n\t%s' "$body" >mark.json
    for name in second far; do
        run tm-manifest --check $name.json
        [ "$status" -eq 0 ]
        [ "$output" = "tm-manifest: warning: $name.json: $warning; -m takes it" ]
        run tm-unpack --list $name.json
        [[ $output != *perfetto_manifest* ]]
    done
    run tm-manifest --check mark.json
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    run tm-unpack --list mark.json
    [[ $output == *perfetto_manifest* ]]
}

@test "a manifest that cannot be read is exit 1, as any input" {
    run tm-manifest --check missing.json good.json
    [ "$status" -eq 1 ]
    [ "$output" = "tm-manifest: missing.json: cannot open: No such file or directory" ]
    mkdir d
    run tm-manifest --check d
    [ "$status" -eq 1 ]
    [ "$output" = "tm-manifest: d: cannot read: Is a directory" ]
}

@test "names in messages cannot control the terminal" {
    printf '{"perfetto_manifest": {"version": 1, "trace_time": {"clock": "\\u001b[31m\\n\\u009b"}}}' >esc.json
    run tm-manifest --check esc.json
    [ "$status" -eq 1 ]
    [[ "$output" == *'unknown clock name: \x1b[31m\x0a\xc2\x9b. Use'* ]]
}

@test "a manifest of a gigabyte is refused early" {
    run bash -c "{ cat good.json; head -c 1G /dev/zero | tr '\\0' ' '; } | tm-manifest --check -"
    [ "$status" -eq 1 ]
    [ "$output" = "tm-manifest: -: perfetto_manifest: larger than the limit of 67108864 bytes" ]
}

@test "input that is no stream is refused" {
    run bash -c 'tm-manifest <good.json'
    [ "$status" -eq 1 ]
    [ "$output" = "tm-manifest: byte 0: not a tracemerge stream, which tm-unpack makes of traces" ]
    run bash -c 'tm-manifest </dev/null'
    [ "$status" -eq 1 ]
}

@test "a wrong manifest given with -m is reported before the stream is read" {
    printf '{"perfetto_manifest": {"version": 3}}' >v3.json
    run bash -c 'tm-manifest -m v3.json </dev/null'
    [ "$status" -eq 1 ]
    [ "$output" = "tm-manifest: v3.json: perfetto_manifest: unsupported version: 3. Only version 1 is supported; set \"version\": 1, line 1, column 35" ]
}

@test "the schema, the manual page and the checker agree" {
    run python3 "$TM_SRC/t/check/manifest-schema.py" "$TM_SRC/doc/perfetto_manifest.schema.json" \
        "$TM_SRC/doc/perfetto_manifest.5"
    echo "$output"
    [ "$status" -eq 0 ]
}
