# tm-pack: its archive merges like the files with a manifest of the same content.

setup() {
    cd "$BATS_TEST_TMPDIR"
    tar xf "$TM_SRC/doc/examples/phone-watch-app.tar"
    mv perfetto_manifest.json hand.json
    files="app_log.json watch.pftrace phone.pftrace"
    says="--machine phone=phone.pftrace --machine watch=watch.pftrace --machine phone=app_log.json
        --sync app_log.json=phone.pftrace:BOOTTIME+250ms --trace-time BOOTTIME@phone.pftrace"
}

# offset TEXT: prints the offset_ns that --sync makes from TEXT.
offset() {
    tm-pack --manifest-only --sync app_log.json=phone.pftrace:BOOTTIME"$1" $files |
        sed -n 's/.*"offset_ns": \(-*[0-9]*\).*/\1/p'
}

# fails STATUS MESSAGE ARGUMENT...: tm-pack fails and leaves no file.
fails() {
    local want=$1 message=$2
    shift 2
    run tm-pack "$@"
    echo "$output"
    [ "$status" -eq "$want" ]
    [ "${lines[0]}" = "tm-pack: $message" ]
    [ ! -e out.tar ]
    [ -z "$(ls -A | grep '^\.')" ]
}

@test "an archive merges like its files with a written manifest, from a pipe and without a temporary file" {
    tm-merge -o want.jsonl -m hand.json $files
    [ "$(wc -l <want.jsonl)" -gt 10 ]
    for ending in tar tar.gz tgz zip; do
        echo $ending
        tm-pack -o run.$ending $says $files
    done
    for ending in tar tar.gz tgz; do
        bash -o pipefail -c "cat run.$ending | TMPDIR=$PWD/nowhere tm-unpack - | tm-manifest | tm-clocks | tm-sort |
            tm-emit -f jsonl >$ending.jsonl"
        cmp want.jsonl $ending.jsonl
    done
    bash -o pipefail -c "cat run.tar | tm-merge -o merge.jsonl -"
    cmp want.jsonl merge.jsonl
    tm-merge -o zip.jsonl run.zip
    cmp want.jsonl zip.jsonl
    bash -o pipefail -c "tm-pack -o - $(echo $says) $files | cmp - run.tar"
}

@test "members are in order of processing after the manifest, and the bytes contain nothing about the machine" {
    gzip -nk app_log.json 2>/dev/null || [ -e app_log.json.gz ]
    cp phone.pftrace z.pftrace
    tm-pack -o run.tar app_log.json.gz $files z.pftrace
    [ "$(tar tf run.tar | xargs)" = \
        "perfetto_manifest.json phone.pftrace watch.pftrace z.pftrace app_log.json.gz app_log.json" ]
    tar xOf run.tar watch.pftrace | cmp - watch.pftrace
    touch -d 2001-01-01 phone.pftrace
    chmod 600 phone.pftrace
    (umask 077 && tm-pack -o again.tar z.pftrace phone.pftrace watch.pftrace app_log.json app_log.json.gz)
    cmp run.tar again.tar
    [ "$(stat -c %a again.tar)" = 600 ]
    [ $(($(stat -c %s run.tar) % 10240)) -eq 0 ]
    grep -a -q '^31 TRACEMERGE.order=processing$' <(tail -c +513 run.tar)
    for i in 1 2; do tm-pack -o $i.zip $files; tm-pack -o $i.tgz $files; done
    cmp 1.zip 2.zip
    cmp 1.tgz 2.tgz
}

@test "--manifest-only prints the manifest of the archive, which tm-manifest accepts" {
    tm-pack --manifest-only $says $files >m.json
    tm-manifest --check m.json
    tm-pack -o run.tar $says $files
    tar xOf run.tar perfetto_manifest.json | cmp - m.json
    python3 - <<'P'
import json
made = json.load(open('m.json'))['perfetto_manifest']
hand = json.load(open('hand.json'))['perfetto_manifest']
assert made['trace_time'] == hand['trace_time'], made
key = lambda f: f['path']
assert sorted(made['files'], key=key) == sorted(hand['files'], key=key), made
P
}

@test "offsets are exact" {
    [ "$(offset '')" = 0 ]
    [ "$(offset +250ms)" = 250000000 ]
    [ "$(offset -1.5us)" = -1500 ]
    [ "$(offset +7ns)" = 7 ]
    [ "$(offset +9007199254.740993001s)" = 9007199254740993001 ]
    [ "$(offset +0.5ns)" = 1 ]
    [ "$(offset -9223372036854775807ns)" = -9223372036854775807 ]
    fails 2 "--sync: 'app_log.json=phone.pftrace:BOOTTIME+9223372037s': the offset is out of range" \
        --manifest-only --sync app_log.json=phone.pftrace:BOOTTIME+9223372037s $files
    no="is not one of the files, nor one of them with a clock and an offset (:BOOTTIME+250ms)"
    fails 2 "--sync: 'phone.pftrace:BOOTTIME+5min' $no" \
        --manifest-only --sync app_log.json=phone.pftrace:BOOTTIME+5min $files
}

@test "files are found by path and by base name, with any characters in their names" {
    mkdir -p sub
    cp phone.pftrace 'sub/a=b:MONO-3s'
    tm-pack --manifest-only --sync "watch.pftrace:BOOTTIME=a=b:MONO-3s:BOOTTIME-1s" --machine "x=y=sub/a=b:MONO-3s" \
        --trace-time "REALTIME@a=b:MONO-3s" watch.pftrace 'sub/a=b:MONO-3s' >m.json
    tm-manifest --check m.json
    grep -F '"trace_time": {"clock": "REALTIME", "file": "a=b:MONO-3s"}' m.json
    grep -F '{"path": "a=b:MONO-3s", "machine": {"name": "x=y"}}' m.json
    grep -F '"clocks": {"clock": "BOOTTIME", "sync_to": {"file": "a=b:MONO-3s", "clock": "BOOTTIME"},' m.json
    grep -F '"offset_ns": -1000000000}' m.json
    tm-pack --manifest-only --sync "app_log.json=a=b:MONO-3s" 'sub/a=b:MONO-3s' app_log.json |
        grep -F '"clocks": {"sync_to": {"file": "a=b:MONO-3s"}, "offset_ns": 0}'
}

@test "names over 99 bytes are packed" {
    for n in 99 100 101 200 255; do
        name=$(printf "%0$((n - 2))d" 0).p
        cp phone.pftrace $name
        tm-pack -o run.tar --machine m=$name $name
        [ "$(tar tf run.tar | tail -n 1)" = $name ]
        python3 -c 'import sys, tarfile; assert tarfile.open("run.tar").getnames()[1] == sys.argv[1]' $name
        bash -o pipefail -c "cat run.tar | tm-unpack --list - >list"
        grep -F "	$name" list
        bash -o pipefail -c "cat run.tar | tm-merge -f report - >report"
        grep -w m report
        rm $name
    done
}

@test "files beyond 2 and 8 GiB are packed" {
    cp phone.pftrace 3.p
    truncate -s 3G 3.p
    cp phone.pftrace 9.p
    truncate -s 9G 9.p
    for n in 3 9; do
        tm-pack -o - $n.p 2>/dev/null | head -c 16384 >$n.head
        python3 - $n <<'P'
import sys, tarfile
n = int(sys.argv[1])
tar = tarfile.open(f'{n}.head')
tar.next()
m = tar.next()
assert m.name == f'{n}.p' and m.size == n << 30, (m.name, m.size)
block = tar.fileobj.seek(m.offset_data - 512) and tar.fileobj.read(512)
size = block[124:136]
assert size == (b'%011o\0' % (3 << 30) if n == 3 else b'\x80' + (9 << 30).to_bytes(11, 'big')), size
P
    done
    grep -a '19 size=9663676416$' 9.head
}

@test "a manifest among the files is checked and becomes the first member unchanged" {
    cp phone.pftrace a.pftrace
    tm-pack -o run.tar a.pftrace $files hand.json
    [ "$(tar tf run.tar | head -n 1)" = hand.json ]
    tar xOf run.tar hand.json | cmp - hand.json
    [ "$(tar tf run.tar | wc -l)" -eq 5 ]
    rm run.tar
    fails 2 "hand.json is a manifest; --trace-time makes another" \
        -o out.tar --trace-time BOOTTIME $files hand.json
    cp hand.json hand2.json
    fails 1 "hand2.json: a second manifest beside hand.json" -o out.tar $files hand.json hand2.json
    echo '{"perfetto_manifest": {"version": 2}}' >hand2.json
    fails 1 "hand2.json: perfetto_manifest: unsupported version: 2. Only version 1 is supported; set \"version\": 1, line 1, column 35" \
        -o out.tar $files hand2.json
}

@test "files that cannot be packed are errors" {
    mkdir d
    cp phone.pftrace d/watch.pftrace
    fails 1 "d/watch.pftrace: has the name of watch.pftrace, watch.pftrace" -o out.tar $files d/watch.pftrace
    mkfifo pipe
    fails 1 "pipe: not a regular file" -o out.tar pipe
    mkdir empty
    fails 1 "empty: a directory without files" -o out.tar empty
    fails 1 "none: cannot open: No such file or directory" -o out.tar $files none
    echo hello >text
    fails 1 "text: unknown trace type; supported are: Perfetto and Fuchsia traces, Chrome JSON, ftrace and systrace text, \
perf.data, trace.dat, perf script, strace -ttt, logcat, journalctl -o json, Firefox and Instruments profiles, .cpuprofile, CTF, \
spans (OTLP, Jaeger, Zipkin), XSpace, Nsight Systems' SQLite, simpleperf, ART method traces, ninja's log; these in TAR, ZIP, gzip or zstd" -o out.tar $files text
    cp phone.pftrace d/.hidden
    fails 1 "d/.hidden: a name that begins with a point is hidden in an archive" -o out.tar d/.hidden
    cp phone.pftrace d/perfetto_manifest.json
    fails 1 "d/perfetto_manifest.json: has the name of the manifest" -o out.tar d/perfetto_manifest.json
    fails 1 "pipe: not a regular file" -o out.tar pipe
    tar cf in.tar phone.pftrace
    fails 2 "in.tar is an archive, which a manifest cannot configure" -o out.tar --machine x=in.tar in.tar
    tm-pack -o out.tar in.tar watch.pftrace
    tm-merge -f report out.tar >report
}

@test "a manifest has no entry for an archive, whether it is compressed or not" {
    echo '{"traceEvents":[{"name":"x","ph":"X","ts":5,"dur":1,"pid":1,"tid":1}]}' >in.json
    cp in.json beside.json
    tar cf in.tar in.json
    tar czf in.tar.gz in.json
    for inner in in.tar in.tar.gz; do
        tm-pack -o packed.tar --machine-from=file $inner beside.json
        [ "$(tar xOf packed.tar perfetto_manifest.json | grep -c '"path": "in.tar')" = 0 ]
        tm-merge -q -o out.db packed.tar
        run tm-pack -o packed.tar --machine m=$inner $inner beside.json
        [ "$status" -eq 2 ]
        [ "$output" = "tm-pack: $inner is an archive, which a manifest cannot configure" ]
        tm-merge -q -o out.db --machine-from=file $inner beside.json
        run tm-merge -q -o out.db --machine m=$inner $inner beside.json
        [ "$status" -eq 2 ]
        [[ "$output" == *": $inner is an archive, which a manifest cannot configure" ]]
    done
}

@test "options that contradict the files are errors" {
    fails 2 "--machine: 'x' is not one of the files" -o out.tar --machine m=x $files
    fails 2 "--machine: 'x' is not NAME=FILE" -o out.tar --machine x $files
    fails 2 "--machine: phone.pftrace already has a machine, a" \
        -o out.tar --machine a=phone.pftrace --machine b=phone.pftrace $files
    fails 2 "--sync: 'x' is not one of the files" -o out.tar --sync x=phone.pftrace $files
    fails 2 "--sync: app_log.json is already synchronized" \
        -o out.tar --sync app_log.json=phone.pftrace --sync app_log.json=watch.pftrace $files
    fails 2 "--trace-time is given twice" -o out.tar --trace-time BOOTTIME --trace-time REALTIME $files
    fails 2 "--trace-time: 'x' is not one of the files" -o out.tar --trace-time BOOTTIME@x $files
    run tm-pack -o out.tar --machine =phone.pftrace $files
    [ "$status" -eq 2 ]
    [[ "$output" == "tm-pack: --machine: '=phone.pftrace': a machine needs a name"* ]]
    run tm-pack -o out.tar --trace-time BOTTIME $files
    [ "$status" -eq 2 ]
    [[ "$output" == "tm-pack: --trace-time: unknown clock name: BOTTIME. Use one of REALTIME, "* ]]
    fails 2 "out.foo: ends in none of .tar, .tar.gz, .tgz, .zip" -o out.foo $files
    fails 2 "no FILE" -o out.tar
    fails 2 "give the archive to write with -o" $files
}

@test "tm-merge accepts the same options for its files" {
    tm-merge -o want.jsonl -m hand.json $files
    tm-merge -o got.jsonl $says $files
    cmp want.jsonl got.jsonl
    run tm-merge -o no.jsonl --machine m=x $files
    [ "$status" -eq 2 ]
    [ "$output" = "tm-manifest: --machine: 'x' is not one of the files" ]
    run tm-merge -o no.jsonl -m hand.json $says $files
    [ "$status" -eq 2 ]
    [ ! -e no.jsonl ]
}

@test "a full disk is an error and leaves no archive" {
    [ -e /dev/full ] || skip
    run bash -c "tm-pack -o - $files >/dev/full"
    [ "$status" -eq 3 ]
    [[ "$output" == *"No space left on device" ]]
}

@test "an archive that cannot be written is named" {
    head -c 100000 /dev/urandom | base64 -w 0 | sed 's/.*/{"traceEvents":[],"x":"&"}/' >large.json
    for out in small.tar small.tar.gz small.zip; do
        run bash -c "trap '' XFSZ; ulimit -f 8; tm-pack -q -o $out large.json"
        [ "$status" -eq 3 ]
        [ "$output" = "tm-pack: $out: cannot write: File too large" ]
        [ ! -e $out ]
    done
    [ -e /dev/full ] || skip
    ln -s /dev/full full.tar
    run tm-pack -q -o full.tar large.json
    [ "$status" -eq 3 ]
    [ "$output" = "tm-pack: full.tar: cannot write: No space left on device" ]
    run bash -c "tm-pack -q -o - large.json >/dev/full"
    [ "$output" = "tm-pack: standard output: cannot write: No space left on device" ]
}
