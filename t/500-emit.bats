# tm-emit: outputs of a small stream, files that appear complete, strictness, hostile names.

setup() {
    cd "$BATS_TEST_TMPDIR"
    PATH="$TM_BIN/../t/gen:$PATH"
}

refute() {
    if "$@"; then
        return 1
    fi
}

has_bytes() {
    LC_ALL=C grep -q "$(printf "$1")" "$2"
}

emit() {
    emit-stream $words | tm-emit "$@"
}

json() {
    python3 -c 'import json,sys
for l in sys.stdin.buffer.read().decode("utf-8").split("\n"):
    if l: e = json.loads(l); '"$1"
}

@test "text is the default, with a line for each slice" {
    run emit
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "            TIME MACHINE PROCESS/THREAD                      KIND             DURATION NAME = VALUE [CATEGORY] ARGS" ]
    run emit --events
    [ "${lines[1]}" = "     0.000000000 phone   surfaceflinger:512/RenderEngine:530 begin                     draw frame" ]
}

@test "text --events has relative time, machine, process and thread, kind, duration, name and value" {
    run emit --events
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "            TIME MACHINE PROCESS/THREAD                      KIND             DURATION NAME = VALUE" ]
    [ "${lines[1]}" = "     0.000000000 phone   surfaceflinger:512/RenderEngine:530 begin                     draw frame" ]
    [ "${lines[2]}" = "     0.000000500 phone   surfaceflinger:512                  slice               1.5us commit" ]
    [ "${lines[4]}" = "     0.000001500 phone   surfaceflinger:512/RenderEngine:530 instant                   tick" ]
    [ "${lines[5]}" = "     0.000002000 phone   lonely track                        counter                   load = 0.1" ]
    [ "${lines[6]}" = "     0.000002500 phone   cpu3                                switch                    RenderEngine:530 => kworker:33" ]
    [ "${lines[7]}" = "     0.000003000 host    9                                   slice                open never ends" ]
    [ "${#lines[@]}" -eq 11 ]
}

@test "text --absolute shows trace time" {
    run emit --absolute
    [[ "${lines[1]}" == "     1.000000000 phone "* ]]
}

@test "text of an unplaced stream shows readings and embedded machine ids" {
    words=unplaced run emit -q
    [ "$status" -eq 0 ]
    [[ "${lines[1]}" == "     1.000000000 0 "* ]]
    [[ "${lines[7]}" == "     1.000003000 1 "* ]]
}

@test "names never reach a terminal unescaped in text and report" {
    for format in text "text --events" report frames; do
        words="hostile dropped" emit -f $format >out
        refute has_bytes '[\001-\010\013-\037\177\200-\377]' out
    done
    grep -F 'evil\x1b]0;pwn\x07\x0a:512' <(words=hostile emit)
}

@test "jsonl is valid JSON whatever bytes names have" {
    words=hostile emit -f jsonl | json 'assert e["kind"] is not None'
    words=hostile emit -f jsonl >out
    refute has_bytes '[\001-\011\013-\037\177]' out
    words=hostile emit -f jsonl --events | json 'assert e["kind"] is not None'
    words=hostile emit -f jsonl --events >out
    [ "$(wc -l <out)" -eq 15 ]
    refute has_bytes '[\001-\011\013-\037\177]' out
}

@test "text --events has no line for a derived row that only describes a task" {
    python3 "$TM_SRC/t/gen/make-packets.py" >tree.pftrace <<'END'
1 { 10: 1 8: 30 2 { 1 { 1: 9 2: 1 3: "server" } 2 { 1: 11 2: 9 3: "worker" } } }
END
    tm-merge -q --events -f jsonl tree.pftrace | grep -o '"kind":"[a-z]*"' >kinds
    [ "$(sort kinds | paste -sd' ')" = '"kind":"packet" "kind":"process" "kind":"thread"' ]
    tm-merge -q --events -f text tree.pftrace | tail -n +2 >lines
    [ "$(wc -l <lines)" -eq 1 ]
    grep -w packet lines
}

@test "jsonl --events has columns, args, flows and descriptions, with exact values" {
    emit -f jsonl --events >out
    run sed -n 7p out
    [ "$output" = '{"kind":"slice","ts":1000000500,"dur":1500,"name":"commit","machine":"phone","machine_id":4294967296,"pid":512,"process":"surfaceflinger","tid":512,"scope":"thread","file":"phone.pftrace","position":6,"clock":"BOOTTIME","args":{"debug.a[0]":-9223372036854775808,"debug.s":"text","debug.d":0.1,"debug.j":"{\"x\":1}"},"flow_ids":[7,18446744073709551615]}' ]
    run sed -n 2p out
    [ "$output" = '{"kind":"thread","machine":"phone","machine_id":4294967296,"file":"phone.pftrace","position":1,"clock":"BOOTTIME","definition":true,"describes":{"thread":{"tid":530,"pid":512,"name":"RenderEngine"}}}' ]
    run sed -n 9p out
    [ "$output" = '{"kind":"instant","ts":1000001500,"name":"tick","machine":"phone","machine_id":4294967296,"pid":512,"process":"surfaceflinger","tid":530,"thread":"RenderEngine","scope":"track","track":11,"track_name":"child","file":"phone.pftrace","position":8,"clock":"BOOTTIME"}' ]
    run sed -n 11p out
    [ "$output" = '{"kind":"sched_switch","ts":1000002500,"prev_tid":530,"prev_state":1,"prev_prio":97,"next_comm":"kworker","next_tid":33,"next_prio":120,"machine":"phone","machine_id":4294967296,"pid":512,"process":"surfaceflinger","tid":530,"thread":"RenderEngine","cpu":3,"scope":"cpu","file":"phone.pftrace","position":10,"clock":"BOOTTIME"}' ]
}

@test "csv is RFC 4180: every record has as many fields as the header, whatever bytes names have" {
    words=hostile emit -f csv | python3 -c '
import csv, io, sys
rows = list(csv.reader(io.StringIO(sys.stdin.buffer.read().decode("latin-1"), newline=""), strict=True))
assert len(rows) == 9, len(rows)
assert all(len(r) == len(rows[0]) for r in rows)
assert rows[1][rows[0].index("name")] == "a\x1b[2J,\"b\"\r\nc\xff", rows[1]
'
    words=hostile emit -f csv --events | python3 -c '
import csv, io, sys
rows = list(csv.reader(io.StringIO(sys.stdin.buffer.read().decode("latin-1"), newline=""), strict=True))
assert len(rows) == 11, len(rows)
assert all(len(r) == len(rows[0]) for r in rows)
r = dict(zip(rows[0], rows[1]))
assert r["name"] == "a\x1b[2J,\"b\"\r\nc\xff", r
assert r["machine"] == "pho\nne\x1b"
r = dict(zip(rows[0], rows[6]))
assert (r["tid"], r["other_tid"], r["cpu"]) == ("530", "33", "3"), r
'
    emit -f csv | sed -n 1p | grep -q "$(printf '\r')\$"
}

@test "frames shows every stream as text, also an unsorted and unplaced one" {
    words="unplaced unsorted optional" emit -f frames >out
    grep -Fx '@0 Header version=1 stage=UNPACKED sorted=false' out
    grep -F 'File id=1 parent=0 name="phone.pftrace" size_bytes=1000 type="" is_container=false' out
    grep -Ex '@[0-9]+ unknown type=99 bytes=3' out
    grep -F '  [10] time_ns=1000002500 position=10 kind=sched_switch flags=has_pid|has_tid|has_cpu scope=cpu file=1 clock=6 name="kworker" pid=33 tid=530 cpu=3 value=27303588137009153' out
    grep -F '  [1] time_ns=1000003500 position=1 kind=packet file=2 machine=1 clock=6 raw=packet raw_bytes=2' out
    grep -F 'detail={ track={ uuid=11 parent_uuid=10 name="child" } }' out
    tail -n 1 out | grep -Ex '@[0-9]+ End frame_count=20 event_count=15'
    emit -f frames --hex | grep -F 'raw_bytes=2 raw_hex=082a'
}

@test "frames shows the byte where each frame begins" {
    emit-stream >stream
    tm-emit -f frames <stream >out
    python3 -c '
data = open("stream", "rb").read()
offsets = [int(l[1:].split()[0]) for l in open("out") if l[0] == "@"]
assert offsets == sorted(offsets) and all(data[o] == 10 for o in offsets)
# The length of each frame leads to the next frame.
for o, following in zip(offsets, offsets[1:] + [len(data)]):
    n = shift = 0
    p = o + 1
    while True:
        n |= (data[p] & 127) << shift; shift += 7; p += 1
        if data[p - 1] < 128: break
    assert p + n == following, (o, p, n, following)
'
}

@test "frames shows the frames before the damage" {
    emit-stream >stream
    head -c 1000 stream | tm-emit -f frames >out 2>err && false
    [ "$(grep -c '^@' out)" -ge 10 ]
    grep -x 'tm-emit: byte [0-9]*: frame is cut short' err
}

@test "report states the events read, placed and dropped, by file and in total" {
    words=dropped run emit -f report
    [ "$status" -eq 0 ]
    [[ "$output" == *"
  phone.pftrace: 6 events read, 6 placed, 0 dropped
  logs/watch.json: 5 events read, 3 placed, 2 dropped, 5 bytes skipped
    negative_time: 2, host, BOOTTIME, first at byte 77
    skipped_bytes: 5, host, BOOTTIME, first at byte 77
  total: 11 events read, 9 placed, 2 dropped, 5 bytes skipped; the accounts balance
"* ]]
    [[ "$output" == *"
trace time
  BOOTTIME of phone, claimed by phone.pftrace
  from 1.000000000 s to 1.000004000 s
"* ]]
    [[ "$output" == *"
  logs/watch.json, host, BOOTTIME: rendezvous
    3 events on BOOTTIME, from 1.000000000 s to 1.000004000 s.
    REALTIME rendezvous: nothing that was recorded relates the two machines, but both know
    the wall clock, which is assumed to read the same on both.
      BOOTTIME > REALTIME > REALTIME > BOOTTIME
    Offset -1.5us at the first event, +250ms at the last: +250.0015ms in 4us, a drift of +62500375000.000 ppm.
    2 snapshots were used; the farthest that an event is from one is 12.345678ms.
"* ]]
}

@test "report --json is JSON with the same facts" {
    words="dropped hostile" emit -f report --json | python3 -c '
import json, sys
r = json.load(sys.stdin)
assert r["total"] == {"files": 3, "read": 11, "placed": 9, "dropped": 2, "lost": 2, "lost_definitions": 0,
                      "skipped_bytes": 5, "other_rows": 6, "snapshots": 0, "clock_rows": 0, "balanced": True}, r["total"]
assert [f["read"] for f in r["files"]] == [0, 6, 5]
assert r["accounts"][0]["reason"] == "negative_time"
assert r["machines"][0]["raw_id"] == 4294967296
assert r["bounds"] == {"first_ns": 1000000000, "last_ns": 1000004000}
assert r["trace_time"]["clock_name"] == "BOOTTIME"
'
}

@test "accounts that do not balance are exit 3 and no OUT, in every output" {
    for format in text jsonl csv frames report; do
        words=unbalanced run emit -f $format -o out
        [ "$status" -eq 3 ]
        [ "$output" = "tm-emit: phone.pftrace: the accounts do not balance: 7 events read, 6 placed, 0 dropped; this is a bug in tracemerge" ]
        [ ! -e out ]
    done
    words=unbalanced run emit -f report
    [[ "$output" == *"DOES NOT BALANCE"* ]]
}

@test "--strict is exit 4 and no OUT if events were dropped or bytes skipped" {
    words=dropped run emit --strict -o out.txt
    [ "$status" -eq 4 ]
    [ "${lines[-1]}" = "tm-emit: 2 of 11 events were dropped; tm-emit -f report says why" ]
    words=dropped run emit --strict -q -o out.txt
    [ "$output" = "tm-emit: 2 of 11 events were dropped; tm-emit -f report says why" ]
    [ -z "$(ls -A)" ]
    run emit --strict -o out.txt
    [ "$status" -eq 0 ]
    [ -s out.txt ]
}

@test "--strict ignores events whose state a ring buffer lost" {
    words=needs-state run emit --strict -o out.txt
    [ "$status" -eq 0 ]
}

@test "--max-dropped accepts a number of events or a percentage" {
    words=dropped
    run emit --max-dropped 1 -o out.txt
    [ "$status" -eq 4 ]
    [ ! -e out.txt ]
    run emit --max-dropped 18% -o out.txt
    [ "$status" -eq 4 ]
    [ ! -e out.txt ]
    run emit --max-dropped 18.19% -o out.txt
    [ "$status" -eq 0 ]
    [ -e out.txt ]
    run emit --max-dropped 2 -o out.txt
    [ "$status" -eq 0 ]
    for bad in x -1 101% 1.5 % ''; do
        run emit --max-dropped "$bad"
        [ "$status" -eq 2 ]
    done
}

@test "-o writes a file in the same directory and renames it: one file, with the usual or the old mode" {
    umask 022
    emit -o out.jsonl
    [ "$(ls -A)" = out.jsonl ]
    [ "$(stat -c %a out.jsonl)" = 644 ]
    chmod 600 out.jsonl
    head -c 8 out.jsonl | grep -F '{"kind":'
    emit -o out.jsonl
    [ "$(stat -c %a out.jsonl)" = 600 ]
}

@test "the ending of OUT chooses the format, and -f overrides it" {
    emit -o a.csv
    head -n 1 a.csv | grep ^ts,dur
    emit -f jsonl -o a.csv
    head -n 1 a.csv | grep '^{'
    emit -o plain
    head -n 1 plain | grep TIME
    run emit -o a.unknown
    [ "$status" -eq 2 ]
    [[ "${lines[0]}" == "tm-emit: a.unknown: no format has this ending; use one of .txt, "*", / (a folder), "*", or give -f" ]]
}

@test "damage leaves the old OUT unchanged and no temporary file" {
    echo old >out.txt
    emit-stream >stream
    for cut in 0 5 40 500 1500 $(($(stat -c %s stream) - 1)); do
        run bash -c "head -c $cut stream | tm-emit -o out.txt"
        [ "$status" -eq 1 ]
        [[ "$output" == "tm-emit: byte "* ]]
        [ "$(cat out.txt)" = old ]
        [ "$(ls -A)" = "out.txt
stream" ]
    done
}

@test "OUT that is not a regular file is written directly" {
    emit -o /dev/null
    [ -c /dev/null ]
    mkfifo pipe
    cat pipe >got & emit -o pipe; wait
    [ -p pipe ]
    [ -s got ]
}

@test "the file of --alignment is read up to the size that --max-memory allows" {
    head -c 3000000 /dev/zero >large
    run emit -f report --max-memory=1M --alignment large
    [ "$status" -eq 1 ]
    [ "$output" = "tm-emit: large: more than the 1048576 bytes of --max-memory" ]
}

@test "OUT that is a link replaces the file that the link names" {
    mkdir dir
    echo old >dir/real.txt
    ln -s dir/real.txt out.txt
    emit -o out.txt
    [ -L out.txt ]
    head -n 1 dir/real.txt | grep TIME
    [ "$(ls -A dir)" = real.txt ]
}

@test "OUT that is a link to a file that is not there makes that file" {
    mkdir dir
    ln -s ../two.txt dir/one.txt
    ln -s "$PWD/dir/new.txt" two.txt
    emit -o dir/one.txt
    [ -L dir/one.txt ]
    [ -L two.txt ]
    [ ! -L dir/new.txt ]
    head -n 1 dir/new.txt | grep TIME
    [ "$(ls -A dir | wc -l)" -eq 2 ]
    ln -s around.txt about.txt
    ln -s about.txt around.txt
    run emit -o about.txt
    [ "$status" -eq 3 ]
    [ "$output" = "tm-emit: about.txt: cannot write: Too many levels of symbolic links" ]
    [ -L about.txt ]
}

@test "a full disk is exit 3 and names the output" {
    run emit -o /dev/full
    [ "$status" -eq 3 ]
    [ "$output" = "tm-emit: /dev/full: cannot write: No space left on device" ]
    run bash -c "emit-stream | tm-emit >/dev/full"
    [ "$status" -eq 3 ]
    [ "$output" = "tm-emit: standard output: cannot write: No space left on device" ]
    echo '[{"ph":"X","pid":1,"tid":1,"name":"a","ts":1,"dur":1}]' >a.json
    for stage in "tm-unpack a.json" tm-manifest tm-clocks tm-sort; do
        run bash -c "tm-unpack a.json | $stage >/dev/full"
        [ "$status" -eq 3 ]
        [ "$output" = "${stage%% *}: standard output: cannot write: No space left on device" ]
    done
}

@test "a large text has the same bytes in a file and in a pipe, and a failed write is reported and leaves no file" {
    awk 'BEGIN { print "# tracer: nop"
        for (i = 0; i < 90000; i++)
            printf "  task-%d [00%d] .... %d.%06d: tracing_mark_write: I|%d|mark %d\n", 100 + i % 7, i % 4, i / 1e5, i % 1e5, 100, i
    }' >in.systrace
    tm-unpack in.systrace >in.tms
    for format in jsonl text csv; do
        tm-emit -q -f $format <in.tms | cat >piped
        [ "$(stat -c %s piped)" -gt 5000000 ]
        tm-emit -q -f $format -o out.txt <in.tms
        cmp piped out.txt
        tm-emit -f $format --events <in.tms >out.txt
        cmp piped out.txt
    done
    rm out.txt
    for blocks in 4000 4700; do # of 1024 bytes; a thread writes from about 4350 on
        run bash -c "trap '' XFSZ; ulimit -f $blocks; tm-emit -q -f jsonl -o out.txt <in.tms"
        [ "$status" -eq 3 ]
        [ "$output" = "tm-emit: out.txt: cannot write: File too large" ]
        [ -z "$(find . -name '*out.txt*')" ]
    done
}

@test "a missing directory, and OUT that is a directory, are errors" {
    run emit -o no/such/out.txt
    [ "$status" -eq 3 ]
    [ "$output" = "tm-emit: no/such/out.txt: cannot make a temporary file beside it: No such file or directory" ]
    mkdir dir
    run emit -o dir
    [ "$status" -eq 3 ]
    [ "$output" = "tm-emit: dir: cannot write: Is a directory" ]
}

@test "SIGINT, SIGTERM and SIGHUP remove the temporary file" {
    for signal in INT TERM HUP; do
        PYTHONPATH=$TM_SRC/t/lib python3 - $signal <<'PY'
import os, signal, subprocess, sys
from waiting import end_of, start, until
sig = getattr(signal, "SIG" + sys.argv[1])
p = start("tm-emit", "-o", "out.txt", stdin=subprocess.PIPE)
until(lambda: any(".tmp." in f for f in os.listdir(".")), p)
p.send_signal(sig)
assert end_of(p) == -sig, p.returncode
PY
        [ -z "$(ls -A)" ]
    done
}

@test "the file of --part is emptied first" {
    head -c 100000 /dev/zero >piece
    emit -o out.txt --part piece
    emit | cmp - piece
}

@test "the file of --part is written and left for the caller to rename" {
    emit -o out.txt --part piece
    [ "$(ls -A)" = piece ]
    head -n 1 piece | grep TIME
    words=cut run emit -o out.txt --part piece
    [ "$status" -eq 1 ]
    [ -z "$(ls -A)" ]
}

@test "a file of --part that cannot be written stays" {
    cp "$(command -v sleep)" piece
    cp piece want
    ./piece 60 3>&- &
    running=$!
    run bash -c ': >>piece'
    writable=$status
    run emit -o out.txt --part piece
    kill $running
    [ "$writable" -ne 0 ] || skip "a program that runs can be written here"
    [ "$status" -eq 3 ]
    [[ "$output" == "tm-emit: piece: cannot open for writing: "* ]]
    cmp piece want
}

@test "events of unknown files and machines are refused" {
    words=stranger run emit
    [ "$status" -eq 1 ]
    [[ "$output" == *"tm-emit: byte "*": an event is of an unknown file" ]]
    words=strange-machine run emit
    [ "$status" -eq 1 ]
    [[ "$output" == *": an event is of an unknown machine" ]]
}

@test "invalid command lines are exit 2" {
    for args in "-f nothing" "--no-such" "-o" "file" "--part x" "-o .hidden.x"; do
        run emit $args
        [ "$status" -eq 2 ]
        [[ "${lines[1]}" == "tm-emit: try 'tm-emit --help'" ]]
    done
    run tm-emit --help
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "usage: tm-emit "* ]]
    run tm-emit --formats
    [[ "$output" == *"jsonl	.jsonl .ndjson"* ]]
}

@test "a reader that closes the pipe early causes no message" {
    run bash -c 'emit-stream -n 100000 2>/dev/null | tm-emit | head -n 1'
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 1 ]
    [[ "$output" == *"NAME = VALUE [CATEGORY] ARGS" ]]
}

@test "dropped shows names and kinds escaped, and refuses lists of different lengths" {
    run bash -c "emit-stream listed | tm-emit -q -f dropped"
    [ "$status" -eq 0 ]
    [[ "${lines[1]}" == *$'no_path\t1\tevent\t0\t-\t-\t7\t-5\tinstant\ta\\x09b' ]]
    [[ "${lines[2]}" == *$'no_path\t0\tevent\t1\t-\t-\t8\t6\t-\t-' ]]
    run bash -c "emit-stream odd-names | tm-emit -q -f dropped"
    [ "$status" -eq 0 ]
    [[ "${lines[1]}" == *$'instant\t-' && "${lines[2]}" == *$'-\t-' ]]
    for word in misfit nowhere; do
        run bash -c "emit-stream $word | tm-emit -q -f dropped"
        [ "$status" -eq 1 ]
        [[ "$output" == *"byte "*": columns of a list of dropped events contradict each other"* ]]
    done
}
