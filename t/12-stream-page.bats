#!/usr/bin/env bats
# tm-stream(5) shows a stream byte by byte: what it shows is what is written.

@test "the bytes in tm-stream(5) are those tm-unpack writes" {
    printf '1795206889.5 close(3) = 0\n' | tm-unpack | od -Ad -tx1 >"$BATS_TEST_TMPDIR/written"
    sed -n '/| od -Ad -tx1$/,/^\.Ed/p' "$TM_SRC/doc/tm-stream.5" | sed '1d;$d' >"$BATS_TEST_TMPDIR/shown"
    [ -s "$BATS_TEST_TMPDIR/shown" ]
    diff "$BATS_TEST_TMPDIR/shown" "$BATS_TEST_TMPDIR/written"
}

@test "protoc reads a stream with the shipped schema" {
    printf '1795206889.5 close(3) = 0\n' | tm-unpack >"$BATS_TEST_TMPDIR/s"
    run bash -c "protoc --proto_path='$TM_SRC/proto' --decode=tracemerge.Stream tm_stream.proto <'$BATS_TEST_TMPDIR/s'"
    [ "$status" -eq 0 ]
    [ "$(grep -c '^frame {' <<<"$output")" -eq 7 ]
    [[ $output == *'event_count: 1'* ]]
}
