# tm-unpack: the files that it finds in files, archives and pipes, and their order.

load lib/common

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
    echo ' { "perfetto_manifest" : {"version": 1} }' >manifest.json
}

@test "a plain file is the outermost file" {
    run tm-unpack --list manifest.json
    [ "$status" -eq 0 ]
    [ "$output" = $'0\tperfetto_manifest\t41\tmanifest.json' ]
}

@test "tm-unpack reads standard input without a file name and with -" {
    run bash -c 'tm-unpack --list <manifest.json; cat manifest.json | tm-unpack --list -'
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = $'0\tperfetto_manifest\t41\tstandard input' ]
    [ "${lines[1]}" = "${lines[0]}" ]
}

@test "the manifest of an archive comes first, and hidden members and directories are left out" {
    mkdir -p d/.git
    cp manifest.json d/zz.cfg
    echo x >d/.DS_Store
    echo x >d/.git/config
    tar cf run.tar d
    run tm-unpack --list run.tar
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = $'0\ttar\t10240\trun.tar' ]
    [ "${lines[1]}" = $'1\tperfetto_manifest\t42\td/zz.cfg' ]
    [ "${#lines[@]}" -eq 2 ]
    cat run.tar | tm-unpack --list >piped
    gzip -n run.tar
    run diff <(tail -n +2 piped) <(tm-unpack --list run.tar.gz | tail -n +3 | sed 's/^2/1/')
    [ "$status" -eq 0 ]
}

@test "a long path is listed whole, with escapes" {
    python3 - <<'END'
import io, tarfile
with tarfile.open('long.tar', 'w', format=tarfile.PAX_FORMAT) as t:
    member = tarfile.TarInfo('\x01' * 3000 + '/end.json')
    data = b'{"traceEvents":[]}'
    member.size = len(data)
    t.addfile(member, io.BytesIO(data))
END
    path=$(head -c 3000 /dev/zero | sed 's/\x0/\\x01/g')/end.json
    [ "$(tm-unpack -l long.tar | tail -n 1)" = $'1\tjson\t18\t'"$path" ]
}

@test "a member of unknown type is an error that names it, or is counted with --ignore-unknown" {
    echo what is this >x
    tar cf run.tar manifest.json x
    run bash -c 'tm-unpack run.tar 2>&1 >out'
    [ "$status" -eq 1 ]
    [[ "$output" == "tm-unpack: run.tar: x: unknown trace type; supported are: "*" (--ignore-unknown leaves it out)" ]]
    run bash -c 'tm-unpack --ignore-unknown run.tar | wc -c'
    [ "$status" -eq 0 ]
    [ "$output" -gt 100 ]
}

@test "a text that begins with a newline is of unknown type, not a proto" {
    printf '\nhello world, this is a log\n' >run.log
    run tm-unpack run.log
    [ "$status" -eq 1 ]
    [[ "$output" == "tm-unpack: run.log: unknown trace type; supported are: "* ]]
    tm-unpack --ignore-unknown run.log | tm-emit -f frames | grep -F 'type="unknown"'
    printf '\n\n' >blank
    run tm-unpack blank
    [[ "$output" == "tm-unpack: blank: unknown trace type"* ]]
}

@test "two manifests are an error, which tm-manifest reports" {
    run bash -c 'cat manifest.json manifest.json | tm-unpack | tm-manifest | wc -c'
    [[ $output == *"tm-manifest: standard input: perfetto_manifest: multiple perfetto_manifest files in archive"* ]]
}

@test "wrong options are exit 2, and a missing file is exit 1 with its name" {
    run tm-unpack --nonsense
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "tm-unpack: unknown option '--nonsense'" ]
    run tm-unpack --on-damage=maybe
    [ "$status" -eq 2 ]
    run tm-unpack --version
    [ "$status" -eq 0 ]
    [[ $output == "tm-unpack (tracemerge) "* ]]
    run tm-unpack nosuchfile
    [ "$status" -eq 1 ]
    [ "$output" = "tm-unpack: nosuchfile: cannot open: No such file or directory" ]
}

@test "blanks after the end of a document count in its size" {
    doc='[{"ph":"i","s":"t","ts":1,"pid":1,"tid":1,"name":"n"}]'
    printf '%s\n' "$doc" >"$BATS_TEST_TMPDIR/a.json"
    tar cf "$BATS_TEST_TMPDIR/a.tar" -C "$BATS_TEST_TMPDIR" a.json
    printf '%s \n%s\n\n' "$doc" "$doc" >"$BATS_TEST_TMPDIR/two.json"
    for file in a.json a.tar two.json; do
        tm-unpack "$BATS_TEST_TMPDIR/$file" | tm-emit -f report | grep ' json '
    done | tr -s ' ' | cut -d ' ' -f 4 >"$BATS_TEST_TMPDIR/sizes"
    cat "$BATS_TEST_TMPDIR/sizes"
    printf '%s\n' $((${#doc} + 1)) $((${#doc} + 1)) ${#doc} $((${#doc} + 2)) | diff - "$BATS_TEST_TMPDIR/sizes"
}

@test "zero bytes that a crash left at the end of a file are no damage, those between events are" {
    cd "$BATS_TEST_TMPDIR"
    event='{"ph":"i","s":"t","ts":1,"pid":1,"tid":1,"name":"n"}'
    printf '{"traceEvents":[%s]}' "$event" >object
    printf '[%s,\n' "$event" >array
    for name in object array; do
        for zeros in 1 600 300000; do
            { cat $name; head -c $zeros /dev/zero; } >a.json
            tm-merge -f report a.json >got
            grep -q '1 event read, 1 placed, 0 dropped' got
        done
    done
    { cat object; head -c 600 /dev/zero; echo what; } >a.json
    run tm-unpack a.json
    [ "$status" -eq 1 ]
    [[ "$output" == *'damaged, or of unknown trace type, after a document'* ]]
    { cat array; head -c 600 /dev/zero; printf '%s]' "$event"; } >a.json
    run tm-unpack a.json
    [ "$status" -eq 1 ]
    [[ "$output" == *"byte $(($(wc -c <array))): expected an event"* ]]
}

@test "--copy writes the stream to a file too, which stays empty if that fails or an option forbids it" {
    cd "$BATS_TEST_TMPDIR"
    python3 - >a.json <<'END'
print('[' + ',\n'.join('{"ph":"X","name":"n%d","ts":%d,"dur":1,"pid":1,"tid":1}' % (i, i) for i in range(20000)) + ']')
END
    printf "\x0a\x08\x40\x05\x50\x01\xd0\x02\xac\x02" >b.pftrace # a packet with a time and a sequence
    touch copy
    tm-unpack a.json b.pftrace >want
    for jobs in 1 2; do
        tm-unpack --copy copy -j $jobs a.json b.pftrace >got
        cmp got want
        cmp copy want
    done
    tm-unpack --copy copy --copy-no-packets a.json b.pftrace >got # the old content is gone
    cmp got want
    [ ! -s copy ]
    tm-unpack --copy copy --copy-no-packets a.json >got
    cmp copy got
    printf '[{"ph":"X","name"' >cut.json
    ! tm-unpack --copy copy a.json cut.json >got || false
    [ ! -s copy ]
    (ulimit -f 64; trap '' XFSZ; exec tm-unpack --copy copy a.json b.pftrace) | cat >got # 64 KB are not enough
    cmp got want
    [ ! -s copy ]
    run unshare -r -m bash -c "
        mkdir disk
        mount -t tmpfs -o size=\$((2 * \$(stat -c %s want) - 65536)) none disk || exit 99
        touch disk/copy
        tm-unpack --copy disk/copy a.json b.pftrace >got # the copy would take more than half of the disk
        [ ! -s disk/copy ]
    "
    [ "$status" -eq 0 ] || [ "$status" -eq 99 ] || [[ "$output" == *unshare* ]] # skips if no small disk can be made
    cmp got want
    bats_require_minimum_version 1.5.0
    run -1 tm-unpack --copy /dev/null a.json
    [ "$output" = "tm-unpack: /dev/null: not a regular file, as --copy requires" ]
    run -3 tm-unpack --copy nosuchfile a.json
    [ "$output" = "tm-unpack: nosuchfile: cannot open: No such file or directory" ]
}

@test "many small files take the memory of one" {
    only_unsanitized "a sanitized program keeps freed memory out of use"
    mkdir many
    python3 - <<'PY'
import resource, subprocess
for i in range(1000):
    open(f'many/{i}.json', 'w').write('{"traceEvents":[{"ph":"X","ts":%d,"dur":1,"pid":1,"tid":1,"name":"n"}]}' % i)
def faults(*args):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
    subprocess.run(['tm-unpack', '-j', '1', *args], check=True, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt - before
one, all = faults('many/0.json'), faults('many')
assert all < one + 5000, (one, all)
PY
}

@test "temporary files of every format are in the folder that -T names" {
    mkdir there
    python3 - <<'PY'
import os, runpy, sys
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
def write(name, *parts):
    with open(name, 'wb') as f:
        f.writelines(part if isinstance(part, bytes) else part.encode() for part in parts)
pad = 'x' * 50000

sample = runpy.run_path(os.environ['TM_SRC'] + '/t/gen/make-simpleperf.py')['sample'](1, 2, [(3, 0, -1)] * 500)
write('simpleperf', b'SIMPLEPERF\1\0', sample * (6000000 // len(sample)), bytes(4))

span = '{"traceId":"1","spanId":"%x","name":"n","startTimeUnixNano":"1","endTimeUnixNano":"2","attributes":[' \
       '{"key":"k","value":{"stringValue":"' + pad + '"}}]}'
write('otlp', '{"resourceSpans":[{"scopeSpans":[{"spans":[', ','.join(span % (i + 1) for i in range(200)),
      ']}],"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"s"}}]}}]}')

span = '{"traceID":"1","spanID":"%x","operationName":"n","startTime":1,"duration":1,"processID":"p","tags":[' \
       '{"key":"k","type":"string","value":"' + pad + '"}]}'
write('jaeger', '{"data":[{"traceID":"1","spans":[', ','.join(span % (i + 1) for i in range(200)),
      '],"processes":{"p":{"serviceName":"s"}}}]}')

write('gecko', '{"meta":{},"threads":[{"pid":1,"tid":1,"name":"t","stringTable":["a"],'
      '"frameTable":{"schema":{"location":0},"data":[[0]]},"stackTable":{"schema":{"prefix":0,"frame":1},"data":[',
      ','.join(['[null,0]'] * 600000), ']},"samples":{"schema":{"stack":0,"time":1},"data":[[0,1]]}}]}')

row = '<row><sample-time id="%d">1</sample-time><thread id="%d" fmt="t"><tid>1</tid></thread>' \
      '<backtrace id="%d"><frame id="%d" name="' + pad + '"/></backtrace></row>'
write('instruments', '<?xml version="1.0"?>\n<trace-query-result><node>',
      *(row % tuple(range(4 * i + 1, 4 * i + 5)) for i in range(800)), '</node></trace-query-result>')
PY
    python3 "$TM_SRC/t/gen/make-fxt.py" fuchsia
    export TMPDIR=$PWD/nowhere
    for type in simpleperf otlp jaeger gecko instruments fuchsia; do
        tm-unpack -T there $type >/dev/null
        run bash -c "tm-unpack -T missing $type >/dev/null"
        [ "$status" -eq 3 ]
        [ "$output" = 'tm-unpack: missing: cannot make a temporary file: No such file or directory' ]
    done
}
