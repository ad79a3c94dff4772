# tm-unpack: every kind of container, from a file and from a pipe; containers in containers; streams of documents.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    python3 "$TM_SRC/t/gen/make-containers.py"
    zstd -q a.json 2>/dev/null || true # if zstd is installed
}

setup() {
    cd "$BATS_FILE_TMPDIR" || exit
}

# The rows of a listing without the sizes: a line "type path" for each.
rows() {
    tm-unpack --list "$@" | cut -f2,4 | tr '\t' ' '
}

@test "TAR and ZIP in all their variants have the same content" {
    want=$'perfetto_manifest m\ngzip n.json.gz\njson n.json.gz\njson a.json\nsystrace b.systrace'
    for f in gnu.tar pax.tar ustar.tar deflated.zip stored.zip piped.zip; do
        [ "$(rows $f | tail -n +2)" = "$want" ]
        [ "$(cat $f | rows | tail -n +2)" = "$want" ]
        [ "$(gzip <$f | rows | tail -n +3)" = "$want" ]
        tm-unpack $f | tm-emit -f frames | grep -v -e Header -e File -e ' End ' -e Strings | sed 's/^@[0-9]* //' >$f.events
        cmp $f.events gnu.tar.events
    done
    [ "$(grep -c 'name="x"' gnu.tar.events)" -eq 2 ]
}

@test "long member names of GNU, PAX and ustar archives are read" {
    for f in gnu pax; do
        [ "$(rows long-$f.tar | tail -n 1 | wc -c)" -eq 313 ]
    done
    [ "$(rows long-ustar.tar | tail -n 1 | wc -c)" -eq 133 ]
}

@test "a name in a TAR is not normalised" {
    python3 - <<'END'
import io, tarfile
with tarfile.open("odd.tar", "w", format=tarfile.USTAR_FORMAT) as t:
    for name in "../up.json", "/abs/root.json", "x/../y.json", "./here.json", "d" * 90 + "/../" + "n" * 60:
        info = tarfile.TarInfo(name)
        info.size = 2
        t.addfile(info, io.BytesIO(b"{\""))
END
    [ "$(rows odd.tar | sort)" = "$(printf 'json %s\n' ../up.json ./here.json /abs/root.json x/../y.json \
        "$(printf 'd%.0s' {1..90})/../$(printf 'n%.0s' {1..60})" | { cat; echo tar odd.tar; } | sort)" ]
}

@test "ZIP64 and members of 5 and 9 GiB are read" {
    [ "$(rows zip64.zip | tail -n 1)" = "json a.json" ]
    run --separate-stderr tm-unpack --list big.tar
    [ "${lines[0]}" = $'0\ttar\t15032387142\tbig.tar' ]
    [ "${lines[1]}" = $'1\tjson\t70\ta.json' ]
    [ "${lines[2]}" = $'2\tsystrace\t5368709120\tfive.systrace' ]
    [ "${lines[3]}" = $'3\tsystrace\t9663676416\tnine.systrace' ]
}

@test "a member of 5 GiB is read through a pipe without a temporary file" {
    run bash -o pipefail -c 'python3 - <<END | TMPDIR=$PWD/nowhere tm-unpack --list --ignore-unknown
import sys
out = sys.stdout.buffer
head = open("kept.tar", "rb").read()[:1024]  # the header with the promise
big = open("big.tar", "rb").read(512)
out.write(head + big)
for i in range(5 << 10):
    out.write(bytes(1 << 20))
out.write(open("z.tar", "rb").read())
END'
    [ "$status" -eq 0 ]
    [ "${lines[1]}" = $'1\tunknown\t5368709120\tfive.systrace' ]
    [ "${lines[2]}" = $'2\tjson\t70\tz.json' ]
}

@test "a feature of ZIP that is not supported is an error that names the member" {
    run tm-unpack lzma.zip
    [ "$status" -eq 1 ]
    [ "$output" = "tm-unpack: lzma.zip: a.json: compressed by method 14; only stored and deflated are supported (--ignore-unknown leaves it out)" ]
    run tm-unpack encrypted.zip
    [ "$status" -eq 1 ]
    [ "$output" = "tm-unpack: encrypted.zip: a.json: encrypted, which is not supported (--ignore-unknown leaves it out)" ]
}

@test "what is left out of an archive is a warning, so tm-merge --quiet does not print it" {
    left_out="lzma.zip: a.json: compressed by method 14; only stored and deflated are supported"
    [ "$(tm-unpack --ignore-unknown lzma.zip 2>&1 >/dev/null)" = "tm-unpack: warning: $left_out" ]
    tm-merge --ignore-unknown lzma.zip 2>&1 >/dev/null | grep -Fx "tm-unpack: warning: $left_out"
    python3 - <<'END' # more warnings than tm-merge holds
import zipfile
json = '{"traceEvents":[{"ph":"i","ts":1,"pid":1,"tid":1,"name":"x"}]}'
with zipfile.ZipFile('left-out.zip', 'w') as z:
    z.writestr('a.json', json)
    for i in range(1000):
        z.writestr('%0100d.json' % i, json, zipfile.ZIP_LZMA)
END
    [ "$(tm-merge --quiet --ignore-unknown -f csv left-out.zip 2>&1 | wc -l)" = 2 ]
    [ "$(tm-merge --ignore-unknown -f csv left-out.zip 2>&1 | grep -c '^tm-unpack: warning: ')" = 1000 ]
    [ "$(tm-merge --quiet --ignore-unknown lzma.zip 2>&1)" = "" ]
}

@test "a sparse member is an error" {
    truncate -s 1M hole
    for format in gnu pax; do
        tar -S --format=$format -cf hole.tar hole
        run tm-unpack hole.tar
        [ "$status" -eq 1 ]
        [ "$output" = "tm-unpack: hole.tar: hole: a sparse member, which is not supported (--ignore-unknown leaves it out)" ]
    done
}

@test "rare members of a TAR are handled: multi-volume parts, cut sparse maps, names with a zero byte, links named by PAX" {
    python3 - <<'END'
import io, tarfile
json = b'{"traceEvents":[{"ph":"i","ts":1,"pid":1,"tid":1,"name":"x"}]}'
def add(t, name, kind=b'0', **pax):
    info = tarfile.TarInfo(name)
    info.size, info.type, info.pax_headers = len(json), kind, pax
    if kind == b'1':
        info.size, info.linkname = 0, 'none'
    t.addfile(info, io.BytesIO(json))
def tar(name, *members):
    with tarfile.open(name, 'w', format=tarfile.PAX_FORMAT) as t:
        add(t, 'a.json')
        for member in members:
            add(t, *member[:2], **dict(member[2:]))
tar('volume.tar', ('b.json', b'M'))
tar('zero.tar', ('b.json', b'0', ('path', 'b\0c')))
tar('link.tar', ('b.json', b'1', ('linkpath', 'a.json')), ('plain.json', b'0', ('path', '')))
with open('volume.tar', 'rb') as f:
    data = bytearray(f.read())
at = data.index(b'b.json')
data[at + 156:at + 157], data[at + 482] = b'S', 1 # a GNU sparse map that continues in the next block
data[at + 148:at + 156] = b' ' * 8
data[at + 148:at + 156] = b'%06o\0 ' % sum(data[at:at + 512])
with open('map.tar', 'wb') as f:
    f.write(data[:at + 700])
END
    run -1 tm-unpack volume.tar
    [ "$output" = "tm-unpack: volume.tar: b.json: the rest of a multi-volume member, which is not supported (--ignore-unknown leaves it out)" ]
    run -1 tm-unpack zero.tar
    [[ "$output" == "tm-unpack: zero.tar: byte "*": a name with a NUL in it (--on-damage=skip or salvage goes on)" ]]
    run -1 tm-unpack map.tar
    [[ "$output" == "tm-unpack: map.tar: byte "*": the TAR is cut inside a header (--on-damage=skip or salvage goes on)" ]]
    [ "$(rows link.tar)" = $'tar link.tar\njson a.json\njson b.json\njson plain.json' ]
}

@test "ctrace and zstd files are read" {
    [ "$(rows a.ctrace)" = $'ctrace a.ctrace\nsystrace a.ctrace' ]
    if [ -f a.json.zst ]; then
        [ "$(rows a.json.zst)" = $'zstd a.json.zst\njson a.json.zst' ]
        [ "$(cat m.json a.json.zst a.json.zst | rows)" = \
          $'perfetto_manifest standard input\nzstd standard input\njson standard input\njson standard input' ]
    fi
}

@test "containers nest eight deep and no deeper" {
    [ "$(rows deep8 | tail -n 1)" = "json m6/m4/m2/m0" ]
    run tm-unpack deep9
    [ "$status" -eq 1 ]
    [[ $output == "tm-unpack: deep9: m6: m4: m2: containers nest deeper than 8" ]]
}

@test "compressed files one after another are named by their headers" {
    [ "$(cat m.json.gz a.json.gz a.json.gz a.systrace.gz | rows)" = \
      $'gzip standard input\nperfetto_manifest m.json\njson a.json\njson a.json\nsystrace a.systrace' ]
    [ "$(cat m.json a.json.gz a.json a.systrace.gz | rows)" = \
      $'perfetto_manifest standard input\ngzip standard input\njson a.json\njson standard input\ngzip standard input\nsystrace a.systrace' ]
    [ "$(zcat m.json.gz a.json.gz a.systrace.gz | rows)" = \
      $'perfetto_manifest standard input\njson standard input\nsystrace standard input' ]
}

@test "a compressed member of an archive is one file, whatever names its gzip headers have" {
    printf 'snap 6=1000 1=5000\ninstant x 2000 seq=1\n' | python3 "$TM_SRC/t/gen/make-proto.py" >p
    cp p q
    { gzip -c p; gzip -c q; } >both.gz # the headers name p and q
    { gzip -c a.json; gzip -c a.json; } >twice.gz
    tar cf named.tar both.gz twice.gz
    [ "$(rows named.tar)" = $'tar named.tar\ngzip both.gz\nproto both.gz\ngzip twice.gz\njson twice.gz\njson twice.gz' ]
    tar czf named.tar.gz named.tar
    tm-unpack --list named.tar.gz | grep -c '\sproto\s' | grep -qx 1
    [ "$(rows both.gz)" = $'gzip both.gz\nproto p\nproto q' ]
    [ "$(rows both.gz a.json)" = $'directory .\ngzip both.gz\nproto both.gz\nproto both.gz\njson a.json' ]
}

@test "a manifest after a trace is an error, in a stream and in a TAR that promises its order of processing" {
    want="perfetto_manifest: perfetto_manifest file must be the first trace file in the input"
    run bash -c 'cat a.json m.json | tm-unpack | wc -c'
    [[ $output == *"tm-unpack: standard input: $want"* ]]
    cp m.json.gz z.json.gz
    tar cf late.tar a.json z.json.gz a.json.gz
    run bash -c 'tm-unpack late.tar | wc -c'
    [[ $output == *"tm-unpack: late.tar: z.json.gz: $want"* ]]
    tar cf first.tar z.json.gz a.json
    run tm-unpack --list first.tar
    [ "$status" -eq 0 ]
}

@test "a manifest in an inner archive counts as the one manifest" {
    tar cf inner.tar m.json a.json
    tar cf outer.tar inner.tar m.json
    run bash -c 'tm-unpack outer.tar | tm-manifest | wc -c'
    [[ $output == *"outer.tar: inner.tar: m.json: perfetto_manifest: multiple perfetto_manifest files in archive"* ]]
    tar cf outer.tar inner.tar a.systrace
    run tm-unpack --list outer.tar
    [ "$status" -eq 0 ]
}

@test "several files and directories are read like one archive" {
    mkdir -p dir/sub dir/.git
    cp a.json dir/sub/b.json
    cp m.json dir/z.cfg
    echo x >dir/.git/config
    ln -sf ../a.systrace dir/link.systrace
    [ "$(rows dir)" = $'directory .\nperfetto_manifest z.cfg\nsystrace link.systrace\njson sub/b.json' ]
    [ "$(rows ./a.json dir/ a.systrace)" = \
      $'directory .\nperfetto_manifest dir/z.cfg\njson a.json\nsystrace a.systrace\nsystrace dir/link.systrace\njson dir/sub/b.json' ]
    [ "$(rows a.systrace - <m.json.gz)" = $'directory .\ngzip -\nperfetto_manifest -\nsystrace a.systrace' ]
    [ "$(rows a.systrace <(cat gnu.tar) | wc -l)" -eq 8 ]
    mkdir empty
    run tm-unpack empty
    [ "$status" -eq 1 ]
    [ "$output" = "tm-unpack: empty: a directory without files" ]
}

@test "a TAR that promises its order of processing is streamed, and an error if it breaks the promise" {
    [ "$(cat kept.tar | TMPDIR=$PWD/nowhere rows | tail -n +2)" = "$(rows kept.tar | tail -n +2)" ]
    run bash -c 'cat lied.tar | tm-unpack | wc -c'
    [[ $output == *"standard input: a.json: the archive promises members in order of processing, but has this one after b.json"* ]]
    run bash -c 'cat gnu.tar | TMPDIR=$PWD/nowhere tm-unpack'
    [ "$status" -eq 3 ]
    [[ $output == *"/nowhere: cannot make a temporary file: No such file or directory" ]]
    cat gnu.tar | TMPDIR=$PWD/nowhere tm-unpack -T . >/dev/null
}

@test "files of unknown type are skipped with --ignore-unknown, and counted" {
    echo what >x
    tar cf x.tar a.json x
    run bash -c 'tm-unpack --ignore-unknown x.tar | tm-emit -f frames | grep -e Account -e "FileEnd id=2"'
    [[ $output == *'reason="unknown_type" count=1'* ]]
    [[ $output == *'reason="skipped_bytes" count=5'* ]]
    [[ $output == *'FileEnd id=2 size_bytes=5 timed_count=1'* ]]
    run bash -c 'cat a.json x | tm-unpack | wc -c'
    [[ $output == *"tm-unpack: standard input: byte 70: damaged, or of unknown trace type, after a document"* ]]
}

@test "a file that is no trace of the type that its first bytes show is left out with --ignore-unknown" {
    mkdir mixed
    printf '<!DOCTYPE html>\n<html><body>a report</body></html>\n' >mixed/index.html
    printf '   indented words\n   and no event\n' >mixed/notes
    printf '# ========\n# captured on: Thu Jul  7 20:48:39 2016\n# hostname : h\n# ========\n#\n' >mixed/perf.txt
    local -A causes=([index.html]='byte 0: HTML without trace data' [notes]='byte 0: no line is an event of ftrace text'
        [perf.txt]='byte 79: no sample in the text')
    for f in "${!causes[@]}"; do
        run -1 tm-unpack "mixed/$f"
        echo "$output"
        [ "${lines[-1]}" = "tm-unpack: mixed/$f: ${causes[$f]} (--ignore-unknown leaves it out)" ]
        tm-unpack --ignore-unknown "mixed/$f" | tm-emit -f frames >frames
        grep -q 'reason="unknown_type" count=1' frames
        grep -q "reason=\"skipped_bytes\" count=$(wc -c <"mixed/$f")" frames
        [ "$(grep -c 'reason="damaged"' frames)" -eq 0 ]
    done
    cp a.json mixed
    tar cf mixed.tar -C mixed .
    for from in mixed mixed.tar; do
        run -1 tm-unpack "$from"
        [[ "${lines[-1]}" == *" (--ignore-unknown leaves it out)" ]] || { echo "$output"; false; }
        for jobs in 1 4; do
            tm-merge --ignore-unknown -j $jobs -f report "$from" >report
            [ "$(grep -c 'unknown_type: 1, first at byte 0' report)" -eq 3 ] || { cat report; false; }
            grep -q 'a.json: .* 0 dropped' report
        done
    done
}

@test "JSON that is damaged before anything shows a trace is left out with --ignore-unknown, or searched for events" {
    mkdir folder
    cp a.json folder
    printf '{"a":1, /* b */ "c":2}' >comment.json
    printf '[{"a":1},5]' >numbers.json
    printf '{"a":' >cut.json
    local -A causes=([comment.json]="byte 8: expected a key in quotes" [cut.json]='byte 5: the document is cut short'
        [numbers.json]="byte 9: expected an event, which begins with '{'")
    for f in "${!causes[@]}"; do
        cp "$f" folder/other.json
        run -1 tm-unpack folder
        echo "$output"
        [ "${lines[-1]}" = "tm-unpack: other.json: ${causes[$f]} (--ignore-unknown leaves it out;\
 --on-damage=salvage looks for events in it)" ]
        for jobs in 1 4; do
            tm-merge -q --ignore-unknown -j $jobs -f report folder >report
            grep -q 'unknown_type: 1, first at byte 0' report || { cat report; false; }
            grep -q "skipped_bytes: $(wc -c <"$f"), first at byte 0" report || { cat report; false; }
            grep -q 'a.json: .* 0 dropped' report
        done
    done
    printf '{"a":1, /* b */ "c":2, "traceEvents":[{"name":"x","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]}' >folder/other.json
    tm-merge -q --ignore-unknown --on-damage=salvage -f text folder | grep -q 'slice .* 2us .*other.json x'
    # Each of these shows a trace.
    for text in '{"traceEvents":[' '{"displayTimeUnit":"ns",/**/' '[{"name":"x","ph":"X","ts":1,"dur":2,"pid":1,"tid":1},5]'; do
        printf %s "$text" >folder/other.json
        run -1 tm-unpack --ignore-unknown folder
        [[ "${lines[-1]}" == *" (--on-damage=skip or salvage goes on)" ]] || { echo "$output"; false; }
    done
}

@test "a byte order mark at the start of a text is removed" {
    printf '\xef\xbb\xbf' >bom
    cat bom a.json >bom.json
    cat bom m.json >bom-manifest.json
    cat bom a.systrace >bom.systrace
    printf '\xef\xbb\xbf1700000000.000001 execve("/bin/true", ["true"], 0x7ffc) = 0 <0.000100>\n' >bom.strace
    [ "$(rows bom.json)" = 'json bom.json' ]
    [ "$(rows bom.systrace)" = 'systrace bom.systrace' ]
    [ "$(rows bom.strace)" = 'strace bom.strace' ]
    for f in json systrace; do
        diff <(tm-unpack bom.$f | tm-emit -f jsonl | sed "s/bom[.]/a./") <(tm-unpack a.$f | tm-emit -f jsonl)
    done
    for f in journal.json journal.export spans-shop.otlp.jsonl spans.jaeger.json spans-shop.zipkin.json; do
        cat bom "$TM_SRC/t/data/$f" >"bom.$f"
        cp "$TM_SRC/t/data/$f" "a.$f"
        diff <(tm-merge -q --events -f jsonl "bom.$f" | sed "s/bom[.]/a./") <(tm-merge -q --events -f jsonl "a.$f")
    done
    tar cf bom.tar bom-manifest.json bom.json
    [ "$(rows bom.tar)" = $'tar bom.tar\nperfetto_manifest bom-manifest.json\njson bom.json' ]
    tm-merge -q bom.tar -f json | grep -q '"x"'
    tm-merge -q -m bom-manifest.json a.json -f json | grep -q '"x"'
    cat bom.json bom.json | gzip >bom.json.gz
    [ "$(rows bom.json.gz)" = $'gzip bom.json.gz\njson bom.json.gz\njson bom.json.gz' ]
    printf '\xff\xfe{\0' >utf16.json
    run tm-unpack utf16.json
    [ "$output" = "tm-unpack: utf16.json: text in UTF-16, which is not supported: iconv -f UTF-16 -t UTF-8 FILE (--ignore-unknown leaves it out)" ]
}

@test "bytes of an end record in the comment of a ZIP are no end record" {
    python3 - <<'END'
import struct
d = open('stored.zip', 'rb').read()
at = d.rfind(b'PK\5\6')
def put(name, comment):
    open(name, 'wb').write(d[:at + 20] + struct.pack('<H', len(comment)) + comment)
def end(count, size, offset, comment):
    return b'PK\5\6' + struct.pack('<4H2IH', 0, 0, count, count, size, offset, comment)
put('comment.zip', b'a comment')
put('false-end.zip', b'see ' + end(0, 0, 0, 0))
put('false-empty.zip', b'see ' + end(0, 0, at + 26, 0))
put('false-more.zip', b'see ' + end(1, 46, 0, 5) + b'hello')
entry = d[d.find(b'PK\1\2'):at]
put('two.zip', entry + end(d[at + 10], len(entry), at + 22, 0))
open('none.zip', 'wb').write(d[:d.find(b'PK\1\2')] + end(0, 0, d.find(b'PK\1\2'), 0))
END
    for f in comment false-end false-empty false-more; do
        [ "$(rows $f.zip | tail -n +2)" = "$(rows stored.zip | tail -n +2)" ]
    done
    run tm-unpack two.zip
    [ "$status" -eq 1 ]
    [[ $output == "tm-unpack: two.zip: the ZIP has two possible central directories"* ]]
    run tm-unpack none.zip
    [ "$status" -eq 1 ]
    [[ $output == "tm-unpack: none.zip: the ZIP's central directory names no member, but the ZIP begins with one"* ]]
    [ "$(rows --on-damage=salvage none.zip 2>/dev/null | tail -n +2)" = "$(rows stored.zip | tail -n +2)" ]
}
