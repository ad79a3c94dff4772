# Inputs made to break programs. t/check/hostile.py has them with the expected results. Figures at full size: python3
# t/check/hostile.py --figures

load lib/common

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
    if is_sanitized; then
        export TM_HOSTILE_NO_MEMORY=1
    fi
}

cases() { # runs the cases whose names match $1
    local names
    mapfile -t names < <(python3 "$TM_SRC/t/check/hostile.py" --list | grep -E "$1")
    [ "${#names[@]}" -ge "$2" ]
    run python3 "$TM_SRC/t/check/hostile.py" "${names[@]}"
    [ "$status" -eq 0 ] || { echo "$output"; false; }
}

@test "false sizes (past the end, negative, 2^63, overlapping) are handled within limits" {
    cases '^(tar|zip|proto)_(size|long|pax|offset|overlap|length|inner)' 11
}

@test "archives that expand (gzip, ZIP, zstd, containers in containers), and many gzip members, are handled within limits" {
    cases '^(gzip|zip|zstd|deep)_(bomb|in|containers)' 6
}

@test "nesting, width and numbers in JSON, XML and protos are handled within limits" {
    cases '^(json|xml)_|^proto_(nesting|compressed|tiny|sequences)' 10
}

@test "names and texts that an event refers to many times are handled within limits" {
    cases '^repeated_' 9
}

@test "very many members, names of megabytes and lines without end are handled within limits" {
    cases 'files$|folders$|megabyte|line_' 6
}

@test "graphs and snapshots of clocks made to explode or overflow are handled within limits" {
    cases '^(clocks|snapshot)_' 5
}

@test "huge, wide and deep manifests are handled within limits" {
    cases '^manifest_' 3
}

@test "names with terminal escapes, upward paths, SQL and JSON are never written unescaped or used as a file" {
    cases 'escapes' 2
}

@test "time is in proportion to the input" {
    [ -z "$TM_HOSTILE_NO_MEMORY" ] || skip "figures of sanitized programs say little"
    # Four times the input takes at most eight times the time, where times can be measured.
    python3 - "$TM_SRC/t/check" <<'END'
import contextlib, io, sys
sys.path.insert(0, sys.argv[1])
sys.argv = ['hostile.py', '--list']
with contextlib.redirect_stdout(io.StringIO()):
    import hostile, hostile_inputs as inputs
for make in (inputs.proto_tiny, inputs.proto_sequences, inputs.clocks_dense, inputs.clocks_new_each_time,
             inputs.tar_million_files, inputs.json_wide, inputs.gzip_bomb):
    once = four = float('inf')
    # Other work on the machine only makes times longer, so the shortest of several counts.
    for _ in range(6):
        inputs.SCALE = 1
        once = min(once, hostile.run(make, hostile.PIPE)[4])
        inputs.SCALE = 4
        four = min(four, hostile.run(make, hostile.PIPE)[4])
        if four < 8 * once + 0.3:
            break
    print(make.__name__, once, four)
    assert four < 8 * once + 0.3, make.__name__
END
}
