#!/usr/bin/env bats
# Method traces of Android's runtime: each layout, threads and tracks, clocks, damage. t/gen/make-art-method.py writes
# them as the runtime does. The reference importer gives the same slices for text2 to stream3, time4 and time5.

KINDS='text1 text2 text3 stream2 stream3 time4 time5 method4 method5'

load lib/common

setup() {
    cd "$BATS_TEST_TMPDIR"
}

make_art() {
    python3 "$TM_SRC/t/gen/make-art-method.py" "$@"
}

# art PROGRAM: prints the bytes that PROGRAM, lines of Python, writes to `out' with the generator's names.
art() {
    PYTHONDONTWRITEBYTECODE=1 python3 - "$TM_SRC/t/gen/make-art-method.py" <<END
import runpy, sys
globals().update(runpy.run_path(sys.argv[1]))
$1
sys.stdout.buffer.write(out)
END
}

# Prints the slices of x.db.
slices() {
    sqlite3 x.db "SELECT ts, dur, depth, s.name, t.tid, t.name, (SELECT group_concat(key || '=' || display_value, ' ')
        FROM args WHERE args.arg_set_id = s.arg_set_id) FROM slice s JOIN track k ON k.id = track_id
        LEFT JOIN thread t USING (utid) ORDER BY ts, depth"
}

@test "each layout of a method trace gives the same slices, on a track of their own below the thread" {
    cat >want <<'END'
5000010000|40000|0|com.example.Main.onCreate: (Landroid/os/Bundle;)V|700|main|pathname=Main.java
5000020000|10000|1|com/example/List.add: (I)Z|700|main|pathname=com/example/List.java line_number=42
5000025000|15000|0|com.example.Native.: |712|RenderThread|
5000030000|15000|1|com.example.Old.: |700|main|pathname=Old.java line_number=7
END
    for kind in ${KINDS/text1/}; do
        make_art $kind >a.trace
        tm-merge -q -o x.db a.trace
        echo "$kind"
        slices | diff - want
        [ "$(sqlite3 x.db "SELECT DISTINCT type || ' ' || name FROM track")" = 'thread_track_event ART methods' ]
        [ "$(sqlite3 x.db "SELECT group_concat(pid) FROM process WHERE pid != 0")" = 700 ]
        [ "$(sqlite3 x.db "SELECT events FROM tm_accounting WHERE reason = 'placed'")" = 8 ]
    done
}

@test "a method trace from a pipe, compressed and in an archive is read as from a file" {
    make_art stream3 >a.trace
    tm-merge -q -f csv a.trace >want
    tm-merge -q -f csv <a.trace | diff - <(sed 's/a\.trace/-/' want)
    gzip -k a.trace
    zstd -q a.trace
    for file in a.trace.gz a.trace.zst; do
        tm-merge -q -f csv <$file | sed 's/,-,/,a.trace,/' | diff - want
    done
    tar cf a.tar a.trace
    tm-merge -q -f csv a.tar | diff - want
}

@test "method traces that are merged and read again have the same slices" {
    make_art text3 >a.trace
    tm-merge -q -o x.db a.trace
    slices >want
    tm-merge -q -o a.pftrace a.trace
    tm-merge -q -o x.db a.pftrace
    slices | sed 's/debug\.//g' | diff - want
    [ "$(sqlite3 x.db "SELECT DISTINCT name FROM track WHERE name NOT NULL")" = 'ART methods' ]
    tm-merge -q -o a.json a.trace
    jq -e '[.traceEvents[] | select(.ph == "X")] | length == 4 and all(.pid == 700)' a.json
    tm-merge -q -o x.db a.json
    slices | sed 's/args\.//g' | diff - want
}

@test "methods stand beside the markers of the same thread, placed by MONOTONIC" {
    make_art text3 >a.trace
    PYTHONPATH=$TM_SRC/t/gen python3 - <<'END' >k.pftrace
import sys
from wire import field, message
mark = lambda time, text: (2, message((1, time), (2, 700), (3, message((2, text)))))
for part in ((6, message(*[(1, message((1, clock), (2, time))) for clock, time in ((6, 9000000000), (3, 5000000000))])),
             (2, message((1, message((1, 700), (2, 1), (3, 'com.example'))))),
             (1, message((1, 0), mark(9000015000, 'B|700|marker\n'), mark(9000048000, 'E|700\n')))):
    sys.stdout.buffer.write(field(1, message((8, 9000000000), part)))
END
    tm-merge -q -o x.db k.pftrace a.trace
    slices | cut -d'|' -f1-4 >got
    diff - got <<'END'
9000010000|40000|0|com.example.Main.onCreate: (Landroid/os/Bundle;)V
9000015000|33000|0|marker
9000020000|10000|1|com/example/List.add: (I)Z
9000025000|15000|0|com.example.Native.: 
9000030000|15000|1|com.example.Old.: 
END
    [ "$(sqlite3 x.db "SELECT name FROM process WHERE pid = 700")" = com.example ]
    [ "$(sqlite3 x.db "SELECT name FROM thread WHERE tid = 700")" = main ]
}

@test "threads keep the names that the kernel gives them, also in a merged trace that is read again" {
    make_art text3 >a.trace
    PYTHONPATH=$TM_SRC/t/gen python3 - <<'END' >k.pftrace
import sys
from wire import field, message
task = lambda tid, name: (2, message((1, tid), (2, name), (3, 700)))
mark = (2, message((1, 9000015000), (2, 700), (3, message((2, 'I|700|marker\n')))))
clocks = (6, message(*[(1, message((1, clock), (2, time))) for clock, time in ((6, 9000000000), (3, 5000000000))]))
tree = (2, message((1, message((1, 700), (2, 1), (3, 'com.example'))), task(700, 'app'), task(712, 'render')))
for part in clocks, tree, (1, message((1, 0), mark)):
    sys.stdout.buffer.write(field(1, message((8, 9000000000), part)))
END
    for files in 'k.pftrace a.trace' 'a.trace k.pftrace'; do
        tm-merge -q -o merged.pftrace $files
        for input in "$files" merged.pftrace; do
            tm-merge -q -o x.db $input
            [ "$(sqlite3 x.db "SELECT tid || ' ' || name FROM thread WHERE tid IN (700, 712) ORDER BY tid" |
                paste -sd,)" = '700 app,712 render' ]
        done
    done
}

@test "threads that the runtime numbers itself are tracks of the process, and the main thread has its number" {
    art 'calls = [(1, *c[1:]) if c[0] == 700 else (2, *c[1:]) for c in CALLS]
out = text(3, threads={1: "main", 2: "RenderThread"}) + header(3) + records(3, calls)' >a.trace
    tm-merge -q -o x.db a.trace
    slices | cut -d'|' -f1,2,4-6 >got
    diff - got <<'END'
5000010000|40000|com.example.Main.onCreate: (Landroid/os/Bundle;)V|700|main
5000020000|10000|com/example/List.add: (I)Z|700|main
5000025000|15000|com.example.Native.: ||
5000030000|15000|com.example.Old.: |700|main
END
    [ "$(sqlite3 x.db "SELECT group_concat(type || ' ' || name) FROM track")" = \
        'thread_track_event ART methods,process_track_event RenderThread' ]
    [ "$(sqlite3 x.db "SELECT group_concat(tid) FROM thread WHERE tid != 0")" = 700 ]
}

@test "a method trace that states no process has a track for each thread" {
    art 'out = with_text(3, CALLS, pid=0)' >a.trace
    tm-merge -q -o x.db a.trace
    [ "$(sqlite3 x.db "SELECT p.name || '/' || k.name || ' ' || count(*) FROM slice JOIN track k ON k.id = track_id
        JOIN track p ON p.id = k.parent_id GROUP BY k.id ORDER BY p.name" |
        paste -sd,)" = 'RenderThread/ART methods 1,main/ART methods 3' ]
    tm-merge -q -o a.pftrace a.trace
    tm-merge -q -f jsonl a.pftrace | jq -s -e 'map(select(.kind == "slice")) | length == 4'
}

@test "exits without an entry, methods that nothing states, and a full buffer are counted" {
    art 'calls = [(700, 5, "exit", 1, 0), (700, 6, "enter", 99, 0), (700, 9, "exit", 99, 0), (700, 9, "none", 1, 0)]
out = with_text(3, calls, overflow=True)' >a.trace
    tm-merge -q -o x.db a.trace
    [ "$(sqlite3 x.db "SELECT ts || ' ' || dur || ' ' || ifnull(name, 'none') FROM slice")" = '5000006000 3000 none' ]
    [ "$(sqlite3 x.db "SELECT group_concat(name || '=' || value)
        FROM (SELECT * FROM stats WHERE name GLOB 'art_method*' ORDER BY name)")" = \
        'art_method_buffer_full=1,art_method_undefined_methods=1' ]
    [ "$(sqlite3 x.db "SELECT group_concat(reason || '=' || events) FROM tm_accounting")" = 'placed=3,damaged=1' ]
    tm-merge -f report -q a.trace | grep 'art_method_undefined_methods = 1 '
}

@test "times of the processor alone are no times" {
    art 'out = with_text(2, CALLS).replace(b"clock=wall", b"clock=thread-cpu")' >a.trace
    run tm-merge -q -f report a.trace
    [ "$status" = 0 ]
    [[ "$output" == *'8 dropped'*no_time* ]]
}

@test "start times and frequencies beyond the range of times are counted" {
    for start in 9223372036854775 18446744073709551615; do
        art "out = text(3) + header(3, $start) + records(3, CALLS)" >a.trace
        tm-merge -q -o x.db a.trace
        [ "$(sqlite3 x.db "SELECT reason || '=' || events FROM tm_accounting")" = out_of_range=8 ]
    done
    for frequency in 1 1000000 18446744073709551615; do
        art "out = bytearray(make('time5')); out[22:30] = ($frequency).to_bytes(8, 'little')" >a.trace
        tm-merge -q -o x.db a.trace
    done
    [ "$(sqlite3 x.db "SELECT reason || '=' || events FROM tm_accounting")" = out_of_range=8 ]
}

@test "damage of a method trace names the byte, and skip reads what is before it" {
    local -A cause=([text1]='cut short within a record' [text2]='cut short within a record'
        [text3]='cut short within a record' [stream2]='cut short within a fact' [stream3]='cut short within a fact'
        [time4]='cut short within the text at the end' [time5]='cut short within the text at the end'
        [method4]='cut short within the text at the end' [method5]='cut short within the text at the end')
    for kind in $KINDS; do
        make_art $kind | head -c -5 >a.trace
        run tm-merge -q -f csv a.trace
        [ "$status" = 1 ]
        echo "$kind: $output"
        [[ "$output" == *"a.trace: byte "*": ${cause[$kind]}"* ]]
        run tm-merge -q --on-damage=skip -f report a.trace
        [ "$status" = 0 ]
        [[ "$output" == *'damaged: 1, MONOTONIC'* ]]
        tm-merge -q --on-damage=skip -o x.db a.trace
        [ "$(sqlite3 x.db "SELECT count(*) >= 3 FROM slice")" = 1 ]
    done
}

@test "a block with fewer bytes than records is damage of this block alone" {
    art 'out = make("time5"); at = out.index(b"\2\xbc\2\0\0"); out = out[:at + 5] + b"\x09" + out[at + 6:]' >a.trace
    run tm-merge -q -f csv a.trace
    [ "$status" = 1 ]
    [[ "$output" == *'a.trace: byte '*': a record that is damaged'* ]]
    tm-merge -q --on-damage=skip -o x.db a.trace
    [ "$(sqlite3 x.db "SELECT count(*) FROM slice")" = 4 ]
    [ "$(sqlite3 x.db "SELECT group_concat(reason || '=' || events) FROM tm_accounting")" = 'placed=8,damaged=1' ]
}

@test "a damaged number in a block larger than what is read at once is damage of this block alone" {
    art 'import struct
out = make("time5"); at = out.index(b"\2\xbc\2\0\0"); count = 200000
data = bytearray((leb128(8, True) + leb128(1, True) + leb128(0, True)) * count); data[3000:3012] = b"\xff" * 12
block = b"\2" + struct.pack("<I", 700) + struct.pack("<I", count)[:3] + struct.pack("<I", len(data)) + data
out = out[:at] + block + out[at:]' >a.trace
    run tm-merge -q -f csv a.trace
    [ "$status" = 1 ]
    [[ "$output" == *'a.trace: byte '*': a record that is damaged'* ]]
    tm-merge -q --on-damage=skip -o x.db a.trace
    [ "$(sqlite3 x.db "SELECT group_concat(reason || '=' || events) FROM tm_accounting
        WHERE reason IN ('placed', 'damaged')")" = 'placed=1008,damaged=1' ]
}

@test "facts between the records whose text is damaged are reported, and the others hold" {
    art 'out = make("stream3").replace(b"0x8\t", b"0xg\t", 1).replace(b"0x10\t", b"xxxx\t", 1)' >a.trace
    run tm-merge -q -f csv a.trace
    [ "$status" = 1 ]
    at=$(grep -abo 0xg a.trace | cut -d: -f1)
    [[ "$output" == *"a.trace: byte $at: no method (NUMBER, a tab, CLASS) of a method trace"* ]]
    for mode in skip salvage; do
        tm-merge -q --on-damage=$mode -o x.db a.trace
        [ "$(sqlite3 x.db "SELECT group_concat(reason || '=' || events) FROM tm_accounting")" = 'placed=8,damaged=2' ]
        [ "$(sqlite3 x.db "SELECT count(*) FROM slice WHERE name NOT NULL")" = 4 ] # the text at the end has them
    done
    art 'out = make("stream3").replace(b"\n*threads\n", b"\nxthreads\n", 1)' >a.trace
    run tm-merge -q -f csv a.trace
    [ "$status" = 1 ]
    [[ "$output" == *'a.trace: byte '*': no option (NAME=VALUE) of a method trace'* ]]
    tm-merge -q --on-damage=skip -o x.db a.trace
    [ "$(sqlite3 x.db "SELECT count(*) FROM slice")" = 4 ]
}

@test "method traces of other versions, and texts that are none, are refused" {
    refused() {
        run tm-merge -q a.trace
        [ "$status" = 1 ]
        echo "$output"
        [[ "$output" == *"a.trace: "$1* ]]
    }
    art 'out = make("stream2").replace(b"SLOW\xf2", b"SLOW\xf1")' >a.trace
    refused 'byte 4: a method trace of version 1, which is not known'
    art 'out = make("text3").replace(b"SLOW\3", b"SLOW\2")' >a.trace
    refused 'byte 3'*': records of version 2 in a method trace of version 3'
    art 'out = make("text3").replace(b"\x0e\0", b"\x0d\0")' >a.trace
    refused 'byte 3'*': records of 13 bytes, which cannot have two times'
    art 'out = make("text3").replace(b"*methods", b"*methode")' >a.trace
    refused 'byte 1'*': no line of a method trace'
    printf '*version\n3\n' >a.trace
    refused 'byte 11: cut short within the text of a method trace'
    printf 'SLOW\7\0' >a.trace
    refused "a method trace of Android's runtime of another version, which is not supported"
    art 'out = make("stream3") + b"x"' >a.trace
    refused 'byte '*': bytes after the end of a method trace'
}
