#!/usr/bin/env bats
# Stages give the same result however rows are divided into batches, even where they process many rows at once.

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    # Two sequences whose clocks step at different times; events without a clock, before the first snapshot, and without
    # a path; long and short series of equal rows, and single rows.
    python3 - "$TM_SRC/t/gen/make-proto.py" <<'PY'
import random, subprocess, sys
random.seed(5)
lines, t = ['snap 6=1000 64=50 3=70000 seq=1', 'event 400 seq=2 clock=64'], 1000
while len(lines) < 9000:
    what = random.random()
    t += random.randrange(1, 40)
    if what < .01:
        lines.append('snap 6=%d 64=%d 3=%d seq=%d' % (t, t * 2 - random.randrange(900), t + 69000 + len(lines), random.choice((1, 2))))
    elif what < .02:
        lines.append('event - seq=1')
    elif what < .03:
        lines.append('name m%d m=%d' % (len(lines), random.randrange(3)))
    else:
        clock = random.choice(('', ' clock=64', ' clock=3', ' clock=65'))
        seq, word = random.choice((1, 1, 2, 3)), random.choice(('event', 'event', 'instant x'))
        n = 1 if what < .5 else 60 if what < .53 else 3
        for _ in range(n):
            t += random.randrange(9)
            lines.append('%s %d%s seq=%d%s' % (word, t, clock, seq, random.choice(('', '', '', ' m=1')) if n == 1 else ''))
text = '\n'.join(lines) + '\n'
open('made.pftrace', 'wb').write(subprocess.run([sys.executable, sys.argv[1]], input=text.encode(), stdout=subprocess.PIPE, check=True).stdout)
PY
    cp "$TM_SRC/doc/examples/phone-watch-app.tar" demo.tar
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    . "$TM_SRC/t/lib/common.bash"
    rebatch=${TM_BIN%/bin}/t/gen/rebatch
}

# same INPUT COUNT: it has COUNT or more events, and events, report and merged trace do not depend on batches.
same() {
    tm-unpack "$1" | tm-manifest | tm-clocks | tm-sort >sorted
    tm-emit -f jsonl --events <sorted >events
    tm-emit -f jsonl <sorted >slices
    tm-emit -f report <sorted >report
    tm-emit -f pftrace <sorted >merged
    [ "$(wc -l <events)" -ge "$2" ]
    for rows in 1 2 17 1000; do
        tm-unpack "$1" | "$rebatch" "$rows" | tm-manifest | tm-clocks | "$rebatch" "$rows" | tm-sort | "$rebatch" "$rows" >sorted
        tm-emit -f jsonl --events <sorted | cmp - events
        tm-emit -f jsonl <sorted | cmp - slices
        tm-emit -f report <sorted | cmp - report
        tm-emit -f pftrace <sorted | cmp - merged
    done
}

@test "clocks that step, definitions and events without a path give the same result with any batches" {
    same "$BATS_FILE_TMPDIR/made.pftrace" 3000
}

@test "the demo archive gives the same result with any batches" {
    same "$BATS_FILE_TMPDIR/demo.tar" 30
}

@test "the program that divides batches divides them" {
    tm-unpack "$BATS_FILE_TMPDIR/demo.tar" >whole
    "$rebatch" 2 <whole >divided
    [ "$(tm-emit -f frames <divided | grep -c " Batch ")" -gt "$(tm-emit -f frames <whole | grep -c " Batch ")" ]
}
