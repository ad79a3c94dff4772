#!/usr/bin/env bats
# CTF: a recording of LTTng's user-space tracer, compared with babeltrace2 (t/data/ctf-ust.tar.gz); generated recordings
# of a kernel in both byte orders; input that is not a directory; damage.

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    made k
    tm-merge -q k >/dev/null 2>log || ! grep -q 'without libbabeltrace2' log || touch lacking
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    . "$TM_SRC/t/lib/common.bash"
    [ ! -e "$BATS_FILE_TMPDIR/lacking" ] || skip 'this build has no libbabeltrace2'
    cp -r "$BATS_FILE_TMPDIR/k" .
}

# made [WORD] FOLDER: generates a trace in FOLDER.
made() {
    python3 "$TM_SRC/t/gen/make-ctf.py" "$@"
}

@test "a kernel's trace has switches, wakings and calls as ftrace has them, on MONOTONIC, with the time of day" {
    tm-merge --absolute -q k | sed 's/  */ /g; s/ $//' >got
    diff -u - got <<'END'
 TIME MACHINE PROCESS/THREAD KIND DURATION NAME = VALUE [CATEGORY] ARGS
 5.000000000 host app:100 sched 9us app:100 priority=120 end_state="S"
 5.000001000 host app:100 slice 2us sys_openat dfd=-100 filename="/etc/hosts" ret=3
 5.000004000 host app:100 task_rename
 5.000004000 host peer:200 waking peer:200 by app:100 prio=120 target_cpu=1
 5.000005000 host peer:200 sched 3us peer:200 priority=120 end_state="D"
 5.000008000 host swapper:0 sched open swapper/1:0 priority=120
 5.000009000 host swapper:0 sched open swapper/0:0 priority=120
END
    tm-merge -q -f report k >report
    grep -q 'MONOTONIC of host, claimed by metadata' report
    grep -q 'ctf_lost_events = 1' report
    tm-unpack k | tm-emit -f frames | grep Snapshot | grep -q 'clock=3 value=5000000000 .* clock=1 value=1700000005000000000 '
    made big b
    tm-merge --absolute -q b | sed 's/  */ /g; s/ $//' | diff -u got -
}

@test "events whose fields are too long or too many are counted, and named in a warning" {
    made long l
    tm-merge -f jsonl l >events 2>err
    jq -s -e '(map(select(.name == "sys_openat"))[0].args | keys) == ["dfd", "ret"]' events
    grep -q '^tm-emit: warning: metadata: loss of data, ctf_args_cut = 2 (Events of CTF whose arguments were cut)$' err
    tm-merge -q -f report k | grep -c ctf_args_cut | grep -qx 0
}

@test "packets that the tracer dropped are counted, as babeltrace2 counts them" {
    made packets p
    tm-merge -o events.jsonl -o p.report p 2>err
    [ "$(wc -l <events.jsonl)" -eq "$(tm-merge -q -f jsonl k | wc -l)" ]
    grep -q '^tm-emit: warning: metadata: loss of data, ctf_lost_packets = 6 (Packets that the tracer of a CTF trace lost, with an unknown number of events)$' err
    grep -q 'ctf_lost_packets = 6 (data_loss' p.report
    tm-merge -q -f report k | grep -c ctf_lost_packets | grep -qx 0
}

@test "a context of a program's event has its process, its thread and name, and further fields, which are arguments" {
    made process p
    babeltrace2 p 2>/dev/null | grep -q '{ vpid = 300, ip = 4096 }'
    tm-merge -q -o p.db p
    [ "$(sqlite3 p.db "SELECT COUNT(*), SUM(pid = 300) FROM slice s JOIN process_track t ON s.track_id = t.id
        JOIN process USING (upid)")" = '7|7' ]
    [ "$(sqlite3 p.db "SELECT key, int_value, COUNT(*) FROM args WHERE key LIKE 'context%'")" = 'context.ip|4096|7' ]
    [ "$(sqlite3 p.db "SELECT COUNT(*) FROM args WHERE key = 'filename'")" -eq 1 ]
    made named n
    tm-merge -q -o n.db n
    [ "$(sqlite3 n.db "SELECT tid, thread.name, COUNT(*) FROM slice s JOIN thread_track t ON s.track_id = t.id
        JOIN thread USING (utid)")" = '301|worker|7' ]
    tm-merge -q -o k.db k
    [ "$(sqlite3 k.db "SELECT COUNT(*) FROM args WHERE key LIKE 'context%'")" -eq 0 ]
}

@test "a clock with the origin 1970 is REALTIME, and any other is the file's own" {
    made other-clock a
    tm-merge -q -f report a | grep -q 'REALTIME of host, claimed by metadata'
    made no-clock b
    tm-merge -q -f report b | grep -q 'TRACE_FILE of host, claimed by metadata'
}

@test "a kernel's trace merges with ftrace text of the same machine" {
    cat >text <<'END'
# tracer: nop
             app-100   [000] .....     5.000002: tracing_mark_write: B|100|inside
             app-100   [000] .....     5.000003: tracing_mark_write: E|100
END
    tm-merge -q -f report k text >report
    [ "$(grep -c 'MONOTONIC: trace_time' report)" -eq 2 ]
    tm-merge -q --absolute k text | grep -v task_rename | grep -A 1 sys_openat | grep -q inside
}

@test "a recording of LTTng has the events and times of babeltrace2, with threads" {
    mkdir ust
    tar xzf "$TM_SRC/t/data/ctf-ust.tar.gz" -C ust
    tm-merge -q --events -f jsonl ust >events
    [ "$(jq -r 'select(.kind == "instant") | .kind' events | wc -l)" = 39 ]
    jq -r 'select(.name == "lttng_ust_tracef:event") | [.tid, .args.msg] | @tsv' events >got
    [ "$(grep -c 'worker 0' got)" = 5 ]
    [ "$(cut -f 1 got | sort -u | wc -l)" = 3 ]
    tm-merge -q -f report ust >report
    grep -q 'ust/uid/0/64-bit/metadata: 39 events read, 39 placed' report
    type babeltrace2 || skip 'babeltrace2 is not installed'
    babeltrace2 --clock-cycles ust | sed -E 's/^\[0*([0-9]*)\] [^ ]* [^ ]* ([^ ]*): .*/\1 \2/' >want
    jq -r 'select(.kind == "instant") | "\(.ts) \(.name)"' events | diff -u want -
}

# A program wrote alternately to trace_marker and with LTTng's tracef, six times (LTTng 2.13, Linux 6.18).
@test "each event of a recording of LTTng lies between the marks that its program wrote to the kernel's trace" {
    tm-merge -q --events -f jsonl "$TM_SRC/t/data/ctf-marks.tar.gz" "$TM_SRC/t/data/ctf-marks.txt" >events
    jq -r 'select(.name == "lttng_ust_tracef:event" or .name == "tracing_mark_write")
        | [.ts, .tid, .args.msg // .name] | @tsv' events | sort -n | cut -f 2,3 >got
    for i in 0 1 2 3 4 5; do
        printf '1083\t%s\n' tracing_mark_write "mark $i" tracing_mark_write
    done | diff -u - got
    tm-merge -q -f report "$TM_SRC/t/data/ctf-marks.tar.gz" "$TM_SRC/t/data/ctf-marks.txt" >report
    [ "$(grep -c 'MONOTONIC: trace_time' report)" -eq 2 ]
}

@test "a trace in an archive, compressed or from a pipe gives the same rows, and no temporary file is left" {
    mkdir ust temporary
    export TMPDIR=$PWD/temporary
    tar xzf "$TM_SRC/t/data/ctf-ust.tar.gz" -C ust
    find ust -exec touch {} + # ZIP has no 1970
    rows() { tm-merge -q -f csv "$@" | sed 's|,[^,]*metadata,|,metadata,|'; }
    rows ust >want
    [ "$(wc -l <want)" -eq 40 ]
    tar cf ust.tar -C ust .
    gzip -k ust.tar
    (cd ust && python3 -c 'import shutil; shutil.make_archive("../ust", "zip", ".")')
    (cd ust && tm-pack -q -o ../packed.tar.gz .)
    for archive in ust.tar ust.tar.gz ust.zip packed.tar.gz; do
        rows "$archive" | diff want -
        rows - <"$archive" | diff want -
    done
    tm-merge -q -f report ust.zip >report
    grep -q 'ust/uid/0/64-bit/metadata: 39 events read, 39 placed' report
    [ "$(grep -c '_[01]\(.idx\)*: 0 events read' report)" -eq 4 ]
    mkdir two # two traces, each with its own streams
    cp -r k two/a
    made other-clock two/b
    tar cf two.tar two
    tm-merge -q -f report two.tar | grep -c ': 7 events read, 7 placed' | grep -qx 2
    [ -z "$(ls temporary)" ]
}

@test "streams without a magic number, empty streams and indices of old versions are recognised by their place" {
    mkdir -p p/index
    cat >p/metadata <<'END'
/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le; };
clock { name = c; freq = 1000000000; };
stream { event.header := struct { integer { size = 64; map = clock.c.value; } timestamp; }; };
event { name = tick; fields := struct { integer { size = 8; } n; }; };
END
    printf '\x40\x42\x0f\0\0\0\0\0\x07\x80\x84\x1e\0\0\0\0\0\x08' >p/from-a-sensor
    : >p/nothing-yet
    printf 'CTFIDX\0\0\0\1' >p/index/from-a-sensor.idx
    babeltrace2 p 2>/dev/null | grep -c tick | grep -qx 2
    tm-merge -q --events -f jsonl p >want
    [ "$(jq -c '[.ts, .name, .args.n]' want | tr -d '\n')" = '[1000000,"tick",7][2000000,"tick",8]' ]
    tar cf p.tar p
    zip -qr p.zip p
    tm-pack -o packed.tar p
    for f in p.tar p.zip packed.tar; do
        tm-merge -q --events -f jsonl $f | jq -c '[.ts, .name, .args.n]' >got
        jq -c '[.ts, .name, .args.n]' want | diff -u - got
    done
    # A file of unknown type is no stream if the files beside it have the magic number of streams.
    echo 'about this trace' >k/README
    run tm-merge -q -f report k
    [ "$status" -eq 1 ]
    [[ $output == *'k/README'* ]]
    tar cf k.tar k
    tm-merge -q --ignore-unknown -f report k.tar >report
    grep -q 'unknown_type: 1' report
    # Without metadata the folder is no trace.
    rm p/metadata
    run tm-merge -q -f report p
    [ "$status" -eq 1 ]
    [[ $output == *'p/from-a-sensor: unknown trace type'* ]]
}

@test "the temporary folder is removed however tm-unpack ends" {
    mkdir temporary
    made many 200000 many
    tar cf many.tar many
    TMPDIR=$PWD/temporary PYTHONPATH="$TM_SRC/t/lib" python3 - <<'PY'
import os, signal, subprocess, time, waiting
for how in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
    unpack = waiting.start('tm-unpack', 'many.tar', stdout=subprocess.PIPE) # nobody reads
    waiting.until(lambda: any(os.path.exists('temporary/%s/metadata' % d) for d in os.listdir('temporary')), unpack)
    unpack.send_signal(how)
    unpack.wait()
    began = time.monotonic()
    while os.listdir('temporary'):
        assert time.monotonic() - began < waiting.LIMIT_S, os.listdir('temporary')
        time.sleep(0.01)
PY
}

@test "a stream is found with its metadata, in its folder or the one above, from any working directory" {
    mkdir k/index
    cp k/channel0_0 k/index/
    printf '\xc1\xf1\xdc\xc1\0\0\0\1' >k/index/channel0_0.idx
    rows() { tm-unpack --list "$@" | tail -n 1 | cut -f 2; }
    for f in channel0_0 channel0_0.idx; do
        [ "$(rows k/index/$f)" = ctf_stream ]
        [ "$(cd k && rows index/$f)" = ctf_stream ]
        [ "$(cd k/index && rows $f)" = ctf_stream ]
        [ "$(cd k/index && rows ./$f)" = ctf_stream ]
        [ "$(cd k && mkdir -p a && cd a && rows ../index/$f)" = ctf_stream ]
    done
}

@test "parts of a trace that are given alone are refused with a hint, in both byte orders" {
    mkdir lone
    for magic in '\xc1\x1f\xfc\xc1' '\xc1\xfc\x1f\xc1' '\xc1\xdc\xf1\xc1' '\xc1\xf1\xdc\xc1'; do
        printf "$magic\0\0\0\1" >lone/part
        run tm-merge lone/part
        [ "$status" -eq 1 ]
        [[ $output == *'cannot be read without the file metadata'* ]]
    done
    rm lone/part
    cp k/channel0_0 lone
    run tm-merge lone
    [ "$status" -eq 1 ]
    [[ $output == *'cannot be read without the file metadata'* ]]
    tar cf lone.tar lone
    run tm-merge lone.tar
    [ "$status" -eq 1 ]
    [[ $output == *'cannot be read without the file metadata'* ]]
    tar --format=posix --pax-option=TRACEMERGE.order=processing -cf ordered.tar -C k channel0_0 channel0_1 metadata
    run tm-merge - < <(cat ordered.tar)
    [ "$status" -eq 1 ]
    [[ $output == *'cannot be read without the file metadata'* ]]
    tm-merge -q -f report ordered.tar | grep -q 'metadata: 7 events read' # a regular file
}

@test "metadata that the command line names is of unknown type, wherever it is" {
    mkdir elsewhere
    for options in '' --on-damage=skip --on-damage=salvage '-T elsewhere' '-T elsewhere --on-damage=skip'; do
        run bash -c "tm-unpack $options k/metadata >/dev/null"
        [ "$status" -eq 1 ]
        [[ $output == 'tm-unpack: k/metadata: '*'which is a directory: give that'*' (--ignore-unknown leaves it out)' ]]
    done
    run bash -c 'tm-unpack k/metadata k/channel0_0 k/channel0_1 >/dev/null'
    [ "$status" -eq 1 ]
    [[ $output == 'tm-unpack: k/metadata: '*'which is a directory: give that'* ]]
    echo '{"traceEvents":[{"ph":"i","ts":1,"pid":1,"tid":1,"name":"x"}]}' >a.json
    tm-merge -q --ignore-unknown -f report k/metadata a.json | grep -q 'unknown_type: 1'
    for folder in k "$PWD/k/" "k a.json"; do
        tm-merge -q -f report $folder | grep -q 'metadata: 7 events read, 7 placed'
    done
    (cd k && tm-merge -q -f report .) | grep -q 'metadata: 7 events read, 7 placed'
}

@test "archives with hostile names, links and damaged streams do no harm" {
    python3 - <<'PY'
import io, tarfile
with tarfile.open('hostile.tar', 'w') as t:
    for name, file in (('../../x/metadata', 'metadata'), ('../../x/%s/../y' % ('a' * 20), 'channel0_0'),
                       ('../../x/index', 'channel0_1'), ('/metadata', 'metadata')):
        data = open('k/' + file, 'rb').read()
        info = tarfile.TarInfo(name)
        info.size = len(data)
        t.addfile(info, io.BytesIO(data))
    for i in range(3):
        info = tarfile.TarInfo('/s%d' % i)
        info.type, info.linkname = tarfile.LNKTYPE, '../../x/index'
        t.addfile(info)
PY
    run tm-merge -q -f report --on-damage=skip --ignore-unknown hostile.tar
    [ "$status" -eq 0 ]
    [[ $output == *'the accounts balance'* ]]
    made cut
    head -c 60 k/channel0_0 >cut/channel0_0
    tar cf cut.tar cut
    run tm-merge -q cut.tar
    [ "$status" -eq 1 ]
    [[ $output == *'cut/metadata: byte 0: libbabeltrace2 cannot read this trace'* ]]
    tm-merge -q --on-damage=skip -f report cut.tar | grep -q 'damaged: 1'
    python3 -c 'import shutil; shutil.make_archive("bent", "zip", ".", "k")'
    python3 - <<'PY'
import zipfile
with zipfile.ZipFile('bent.zip') as z:
    info = z.getinfo('k/channel0_1')
data = bytearray(open('bent.zip', 'rb').read())
at = info.header_offset + 30 + len(info.filename) + 20
data[at] ^= 0xff
open('bent.zip', 'wb').write(data)
PY
    run tm-merge -q bent.zip
    [ "$status" -eq 1 ]
    [[ $output == *'k/channel0_1'* ]]
    tm-merge -q --on-damage=skip -f report bent.zip | grep -q 'the accounts balance'
}

@test "the library's cause is shown without its addresses, which differ in each run" {
    made bad
    printf '\377' | dd of=bad/channel0_0 bs=1 seek=100 conv=notrunc status=none # the class of the second event
    run tm-merge -q bad
    echo "$output"
    [ "$status" -eq 1 ]
    [[ $output == *'beyond 1 events: '*': stream-class-id=0, event-class-id=255 (--on-damage'* ]]
    [[ $output != *addr=* ]]
}

@test "a damaged trace is an error, or an account" {
    made bad
    sed -i 's/event {/evnt {/' bad/metadata
    run tm-merge -q bad
    [ "$status" -eq 1 ]
    [[ $output == *'metadata: byte 0: libbabeltrace2 cannot read this trace beyond 0 events: '* ]]
    tm-merge -q --on-damage=skip -f report bad | grep -q 'damaged: 1'
    made cut
    head -c 60 k/channel0_0 >cut/channel0_0
    run tm-merge -q cut
    [ "$status" -eq 1 ]
    [[ $output == *'libbabeltrace2 cannot read this trace'* ]]
    tm-merge -q --on-damage=skip -f report cut | grep -q 'damaged: 1'
}

@test "metadata in packets that is cut short is found before the library searches it without end" {
    tar xzf "$TM_SRC/t/data/ctf-ust.tar.gz"
    metadata=ust/uid/0/64-bit/metadata # four packets of 4096 bytes
    cp $metadata whole
    for size in 9000 8200 12287; do
        head -c $size whole >$metadata
        run timeout 30 tm-unpack ust
        [ "$status" -eq 1 ]
        [[ $output == *": the packet of the metadata at byte 8192 is cut short or damaged (--on-damage=skip or salvage goes on)" ]]
        timeout 30 tm-merge -q --on-damage=salvage -f report ust | grep -q 'damaged: 1'
    done
    head -c 12288 whole >$metadata # a whole packet is missing, which the library finds
    run timeout 30 tm-unpack ust
    [ "$status" -eq 1 ]
}

@test "events that have no bits end" {
    mkdir endless
    cat >endless/metadata <<'END'
/* CTF 1.8 */
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { uint32_t magic; uint32_t stream_id; }; };
clock { name = monotonic; freq = 1000000000; offset = 0; };
typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := time_t;
stream { id = 0; packet.context := struct { uint32_t content_size; uint32_t packet_size; time_t timestamp_begin; time_t timestamp_end; }; };
event { id = 0; name = "nothing"; stream_id = 0; fields := struct { }; };
END
    python3 -c "import struct, sys
sys.stdout.buffer.write((struct.pack('<6I', 0xC1FC1FC1, 0, 32768, 32768, 1000, 0) + struct.pack('<2I', 2000, 0)).ljust(4096, b'x'))" >endless/stream
    bits=$(($(cat endless/* | wc -c) * 8))
    run timeout 20 tm-merge -f report endless
    [ "$status" -eq 1 ]
    [[ "$output" == *"libbabeltrace2 cannot read this trace beyond $bits events: it has more events than bits"* ]]
    timeout 20 tm-merge -q --on-damage=skip -f report endless | grep "^  total: $((bits + 1)) events read"
}
