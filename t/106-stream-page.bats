#!/usr/bin/env bats
# tm-stream(5) shows a stream byte by byte. tm-unpack must write these bytes.

@test "tm-unpack writes the bytes that tm-stream(5) shows" {
    printf '1795206889.5 close(3) = 0\n' | tm-unpack | od -Ad -tx1 >"$BATS_TEST_TMPDIR/written"
    sed -n '/| od -Ad -tx1$/,/^\.Ed/p' "$TM_SRC/doc/tm-stream.5" | sed '1d;$d' >"$BATS_TEST_TMPDIR/shown"
    [ -s "$BATS_TEST_TMPDIR/shown" ]
    diff "$BATS_TEST_TMPDIR/shown" "$BATS_TEST_TMPDIR/written"
}

@test "protoc reads a stream with the installed schema" {
    printf '1795206889.5 close(3) = 0\n' | tm-unpack >"$BATS_TEST_TMPDIR/s"
    run bash -c "protoc --proto_path='$TM_SRC/proto' --decode=tracemerge.Stream tm_stream.proto <'$BATS_TEST_TMPDIR/s'"
    [ "$status" -eq 0 ]
    [ "$(grep -c '^frame {' <<<"$output")" -eq 7 ]
    [[ $output == *'event_count: 1'* ]]
}

@test "narrow columns that protoc reads give the times and positions by the rule of tm-stream(5)" {
    for i in {100..199}; do printf '1795206%s.5 close(3) = 0\n' "$i"; done | tm-unpack >"$BATS_TEST_TMPDIR/s"
    protoc --proto_path="$TM_SRC/proto" --decode=tracemerge.Stream tm_stream.proto <"$BATS_TEST_TMPDIR/s" >"$BATS_TEST_TMPDIR/text"
    run python3 - "$BATS_TEST_TMPDIR/text" <<'END'
import re, sys
text = open(sys.argv[1], encoding='latin-1').read()
def unescape(s):
    return s.encode('latin-1').decode('unicode_escape').encode('latin-1')
for body in re.findall(r'narrow \{(.*?)\n    \}', text, re.S):
    f = dict(re.findall(r'(\w+): "?(.*?)"?$', body, re.M))
    data, width = unescape(f['elements']), int(f['width'])
    values = [int(f.get('low', 0)) + int.from_bytes(data[i:i + width], 'little') for i in range(0, len(data), width)]
    print(f['column'], len(values), values[0], values[-1])
END
    [ "$status" -eq 0 ]
    [[ $'\n'"$output"$'\n' == *$'\n4 100 0 99\n'* ]]
}
