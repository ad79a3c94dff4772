# Profiles: Instruments XML and Firefox (Gecko) JSON, as rows of the stream.

setup() {
    cd "$BATS_TEST_TMPDIR"
    data=$TM_SRC/t/data
}

# The frames of file $1 without what depends on where it lies: offsets, names given.
frames() {
    tm-unpack "$1" | tm-emit -f frames | sed 's/^@[0-9]* //; s/ given_name=.*//' | grep -v '^Header'
}

@test "Instruments: samples, threads, stacks by reference, counters, clock snapshots, accounts" {
    frames "$data/instruments.xml" >got
    diff -u "$data/instruments.frames" got
}

@test "Instruments: a document behind it is read as another" {
    { cat "$data/instruments.xml"; printf '{"traceEvents":[{"ph":"i","ts":1,"pid":1,"tid":1,"name":"x"}]}'; } >both
    run bash -o pipefail -c 'tm-unpack both | tm-emit -f frames | grep -c "^@[0-9]* FileBegin"'
    [ "$status" -eq 0 ]
    [ "$output" -ge 2 ]
}

@test "Instruments: memory does not grow with what ids stand for" {
    grep -q '^TM_SANITIZE = -f' "$TM_BIN/../Makefile" && skip "a sanitized program takes address space without end"
    cat >make.py <<'EOF'
print('<?xml version="1.0"?>\n<trace-query-result><node>')
n, pad = 1, 'x' * 1000
for i in range(40000):
    stack = ''.join('<frame id="%d" name="%s%d"/>' % (n + k, pad, i) for k in range(3, 6))
    print('<row><sample-time id="%d">%d</sample-time><thread id="%d" fmt="t"><tid>%d</tid></thread>'
          '<backtrace id="%d">%s<frame ref="%d"/></backtrace></row>' % (n, i, n + 1, i % 7, n + 2, stack, n // 12 * 6 + 4))
    n += 6
print('</node></trace-query-result>')
EOF
    python3 make.py | (ulimit -v 100000; exec tm-unpack -) >out
    # The frames referred to were long ago written to disk.
    [ "$(tm-emit -f frames <out | tail -3 | grep -o 'function="x*[0-9]*"' | tr -d x | tail -4 | tr '\n' ' ')" = \
        'function="19999" function="39999" function="39999" function="39999" ' ]
}
