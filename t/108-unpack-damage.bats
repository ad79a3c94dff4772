# tm-unpack: a damaged container is an error that names the place, or is read as far as possible and counted.

load lib/common

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    python3 "$TM_SRC/t/gen/make-containers.py"
}

setup() {
    cd "$BATS_FILE_TMPDIR" || exit
}

accounts() {
    tm-unpack "$@" | tm-emit -f frames | grep -o 'Account.*'
}

@test "a gzip that is cut anywhere is an error, never a shorter result" {
    size=$(stat -c %s a.json.gz)
    for ((n = 2; n < size; n++)); do
        run bash -c "head -c $n a.json.gz | tm-unpack 2>&1 >out | grep -c '^tm-unpack: standard input: .*cut'"
        [ "$output" = 1 ]
        run bash -c 'tm-emit -f text <out'
        [ "$status" -ne 0 ]
    done
}

@test "a TAR that is cut anywhere but in its end blocks is an error" {
    tar -b1 -cf two.tar a.json m.json # header, data, header, data, two end blocks
    for n in 513 581 1025 1535 1536 1570; do
        run bash -c "head -c $n two.tar | tm-unpack | wc -c"
        [[ $output == *"tm-unpack: standard input: "*"cut"* ]]
    done
    for n in 582 1023 1024 1571 2048 2560 3072; do
        head -c $n two.tar | tm-unpack >/dev/null
    done
    for n in 582 1023 1024 1571 2048; do # nothing is missing of the members there, but others may be
        run bash -c "head -c $n two.tar | tm-unpack | wc -c"
        [[ $output == *"tm-unpack: warning: standard input: byte $n: the TAR has no end-of-archive block; members may be missing"* ]]
    done
    for n in 2049 2560 3072; do
        run bash -c "head -c $n two.tar | tm-unpack | wc -c"
        [[ $output != *tm-unpack* ]]
    done
    run bash -c "head -c 1560 two.tar | tm-unpack | wc -c"
    [[ $output == *"tm-unpack: standard input: m.json: byte 24: cut short, 11 of its 35 bytes are missing"* ]]
}

@test "a TAR from a pipe that is cut in a member that nobody reads is an error, or is counted" {
    printf '%0600d' 0 >.hidden
    tar -b1 --format=posix --pax-option='TRACEMERGE.order=processing' -cf promised.tar a.json .hidden m.json
    at=$(grep -abo 000000000000000000000000000000 promised.tar | head -n 1 | cut -d: -f1) # the data of .hidden
    head -c $((at + 500)) promised.tar >cut.tar
    run bash -c 'cat cut.tar | tm-unpack | wc -c'
    [[ $output == *"tm-unpack: standard input: .hidden: cut short, 100 bytes are missing (--on-damage=skip or salvage goes on)"* ]]
    counts='tm-emit -f frames | grep -o "Account.*"'
    for how in skip salvage; do
        run bash -c "cat cut.tar | tm-unpack --on-damage=$how | $counts"
        diff - <(echo "$output" | sort) <<END
Account file=0 clock=0 reason="damaged" count=1 byte=$((at + 500))
tm-unpack: warning: standard input: .hidden: cut short, 100 bytes are missing
END
    done
    at=$(grep -abo traceEvents promised.tar | head -n 1 | cut -d: -f1) # in the data of a.json
    head -c "$at" promised.tar >cut.tar
    run bash -c "cat cut.tar | tm-unpack --on-damage=skip | $counts"
    [[ $output == *'Account file=0 clock=0 reason="damaged" count=1 '* ]]
    [ "$(grep -c 'a.json: cut short' <<<"$output")" = 1 ]
    head -c 1560 two.tar >cut.tar # the cut is reported once
    run bash -c "tm-unpack --on-damage=skip cut.tar | wc -c"
    [ "${#lines[@]}" = 2 ]
}

@test "a gzip file that the end of its TAR cuts short has one place of damage" {
    head -c 3000 /dev/urandom | base64 -w0 | sed 's/.*/[{"ph":"i","ts":1,"name":"&"}]/' | gzip >long.json.gz
    tar -cf all.tar long.json.gz
    head -c 2048 all.tar >cut.tar
    run bash -c 'tm-unpack --on-damage=skip cut.tar | tm-emit -f frames | grep -o "Account.*"'
    [ "$(grep -c 'long.json.gz: .*byte 1536: .*cut short' <<<"$output")" = 1 ]
    [[ $output == *'Account file=1 clock=0 reason="damaged" count=1 byte=1536'* ]]
}

@test "what a TAR states about a member that is damaged does not apply to the next one" {
    python3 - <<'END'
import io, tarfile
def add(t, name, **pax):
    data = b'{"traceEvents":[{"ph":"i","ts":1,"pid":1,"tid":1,"name":"x"}]}'
    info = tarfile.TarInfo(name)
    info.size, info.pax_headers = len(data), pax
    t.addfile(info, io.BytesIO(data))
def damage(out, change, form, **pax):
    with tarfile.open('sound.tar', 'w', format=form) as t:
        add(t, 'first/' + 'x' * 120, **pax)
        add(t, 'second.json')
    d = bytearray(open('sound.tar', 'rb').read())
    at = d.index(b'second.json') // 512 * 512 - 1024 # the header of the first
    change(d, at)
    open(out, 'wb').write(d)
def flip(d, at):
    d[at + 3] ^= 1
def no_size(d, at):
    d[at + 124:at + 136] = b'9' * 12
    d[at + 148:at + 156] = b' ' * 8
    d[at + 148:at + 156] = b'%06o\0 ' % sum(d[at:at + 512])
for number, form in enumerate((tarfile.PAX_FORMAT, tarfile.GNU_FORMAT)):
    damage('flip%d.tar' % number, flip, form)
    damage('size%d.tar' % number, no_size, form)
damage('zero.tar', lambda d, at: None, tarfile.PAX_FORMAT, path='a\0b') # no name that a file can have
END
    for tar in flip0 flip1 size0 size1 zero; do
        for how in skip salvage; do
            [ "$(tm-unpack --list --on-damage=$how $tar.tar 2>messages | cut -f4)" = $"$tar.tar"$'\n'second.json ]
            [ "$(wc -l <messages)" = 1 ]
        done
    done
    grep -q 'zero.tar: byte .*: a name with a NUL in it' messages
}

@test "a flipped bit in a TAR header, a gzip or a ZIP is an error" {
    python3 -c 'd=bytearray(open("gnu.tar","rb").read()); d[1]^=1; open("flip.tar","wb").write(d)'
    run tm-unpack flip.tar
    [ "$output" = "tm-unpack: flip.tar: byte 0: the checksum of a TAR header does not match (--on-damage=skip or salvage goes on)" ]
    run bash -c 'tm-unpack crc.zip | wc -c'
    [[ $output == *"tm-unpack: crc.zip: a.json: byte 70: the CRC does not match"* ]]
    run tm-unpack deflated-cut.zip
    [ "$status" -eq 1 ]
    [ "$output" = "tm-unpack: deflated-cut.zip: the ZIP has no central directory; it is cut short or damaged (--on-damage=salvage looks for its members)" ]
}

@test "an error names --on-damage where that helps" {
    head -c 1100000 /dev/zero | tr '\0' x >long
    { for i in {100..199}; do echo "1 1700000000.000$i write(1, \"a\", 1) = 1"; done; cat long; } >long.strace
    for how in halt skip salvage; do
        run -1 tm-unpack --on-damage=$how long.strace
        [[ $output == "tm-unpack: long.strace: byte "*": a line is longer than the limit of 1048576 bytes" ]]
    done
    tar cf long.tar long.strace a.json # in an archive the other files are read
    run -1 tm-unpack long.tar
    [[ $output == "tm-unpack: long.tar: long.strace: byte "*" bytes (--on-damage=skip or salvage goes on)" ]]
    tm-unpack --list --on-damage=skip long.tar
    run accounts --on-damage=skip long.tar
    [[ $output == *'reason="damaged" count=1'* ]]
}

@test "skip and salvage read all that can be read, and report and count the rest" {
    python3 - <<'END'
d = bytearray(open('gnu.tar', 'rb').read())
at = d.find(b'n.json.gz')
d[at] ^= 1
open('flip.tar', 'wb').write(d)
END
    run tm-unpack --list --on-damage=skip flip.tar
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 5 ]
    [[ $output == *"tm-unpack: warning: flip.tar: byte "*": the checksum of a TAR header does not match"* ]]
    run accounts --on-damage=skip flip.tar
    [[ $output == *'reason="damaged" count=1'* ]]
    [[ $output == *'reason="skipped_bytes" count=1024'* ]]
    run accounts --on-damage=salvage crc.zip
    [[ $output == *'reason="damaged" count=1'* ]]
    cat a.systrace.gz a.systrace.gz | head -c 200 >cut.gz
    run accounts --on-damage=skip cut.gz
    [[ $output == *'file=0'*'reason="damaged" count=1'* ]]
    run bash -c 'tm-unpack --on-damage=skip cut.gz 2>/dev/null | tm-emit -f frames | grep -c sched_switch'
    [ "$output" -ge 1 ]
}

@test "damaged zstd and ctrace files end at the damage, which counts once" {
    python3 - <<'END'
d = bytearray(open('a.ctrace', 'rb').read())
d[60] ^= 0xff
open('bad.ctrace', 'wb').write(d)
END
    run tm-unpack bad.ctrace
    [ "$status" -eq 1 ]
    [[ $output == "tm-unpack: bad.ctrace: compressed byte "*": the zlib data is damaged "* ]]
    run tm-unpack --list --on-damage=skip bad.ctrace
    [ "$status" -eq 0 ]
    [ "$(printf '%s\n' "${lines[@]}" | grep -c '^[0-9]')" -le 2 ]
    printf '\x28\xb5\x2f\xfd garbage' >bad.zst
    run tm-unpack bad.zst
    [ "$status" -eq 1 ]
    [[ $output == "tm-unpack: bad.zst: compressed byte "*": the zstd data is damaged "* ]]
    run timeout 300 tm-unpack --list --on-damage=salvage bad.zst
    [ "$status" -eq 0 ]
}

@test "the message about a compressed archive that is cut short names the option that reads the rest" {
    head -c 200000 /dev/urandom >noise.bin
    for inner in tar zip; do
        rm -f in.$inner
        [ $inner = tar ] && tar cf in.tar a.json noise.bin
        [ $inner = zip ] && python3 -c 'import zipfile; z = zipfile.ZipFile("in.zip", "w"); z.write("a.json"); z.write("noise.bin"); z.close()'
        gzip -kf in.$inner
        head -c 100000 in.$inner.gz >cut.gz
        run tm-unpack cut.gz
        [ "$status" -eq 1 ]
        [[ $output == "tm-unpack: cut.gz: "*"compressed byte 100000: the gzip data is cut short (--on-damage=skip or salvage goes on)" ]]
    done
    head -c 100000 in.tar.gz >cut.gz
    tm-unpack --on-damage=salvage --ignore-unknown --list cut.gz | grep -q a.json
}

@test "bytes around a ZIP are an error, or are counted, unless they are padding" {
    python3 - <<'END'
import zipfile
with zipfile.ZipFile('one.zip', 'w') as z:
    z.write('a.json')
one, two = open('one.zip', 'rb').read(), open('m.json', 'rb').read()
for name, data in (('twice', one + one), ('after', one + two), ('padded', one + b'\0\0\n')):
    open(name + '.zip', 'wb').write(data)
END
    size=$(stat -c %s one.zip) rest=$(stat -c %s m.json)
    what="the ZIP's directory does not describe"
    run -1 tm-unpack twice.zip
    [ "$output" = "tm-unpack: twice.zip: $what $size bytes in front of the ZIP and 0 after it (--on-damage=skip or salvage goes on)" ]
    run -1 tm-unpack after.zip
    [ "$output" = "tm-unpack: after.zip: $what 0 bytes in front of the ZIP and $rest after it (--on-damage=skip or salvage goes on)" ]
    for how in skip salvage; do
        diff <(accounts --on-damage=$how twice.zip; accounts --on-damage=$how after.zip) - <<END
Account file=0 clock=0 reason="damaged" count=1 byte=0
Account file=0 clock=0 reason="skipped_bytes" count=$size byte=0
Account file=0 clock=0 reason="damaged" count=1 byte=$size
Account file=0 clock=0 reason="skipped_bytes" count=$rest byte=$size
END
        [ "$(tm-unpack --list --on-damage=$how twice.zip 2>/dev/null | cut -f4)" = $'twice.zip\na.json' ]
    done
    [ "$(tm-unpack --list padded.zip 2>&1 | cut -f4)" = $'padded.zip\na.json' ]
}

@test "salvage reads a ZIP without its directory" {
    for f in deflated piped; do
        run bash -c "tm-unpack --list --on-damage=salvage $f-cut.zip 2>/dev/null | tail -n +2"
        [ "$output" = "$(tm-unpack --list $f.zip | tail -n +2)" ]
        run tm-unpack --on-damage=skip $f-cut.zip
        [ "$status" -eq 1 ]
    done
    size=$(stat -c %s deflated.zip)
    for ((n = 100; n < size; n += 97)); do
        head -c $n deflated.zip >part.zip
        tm-unpack --on-damage=salvage --ignore-unknown part.zip 2>/dev/null | tm-emit -f report >/dev/null
    done
}

@test "salvage finds a gzip member inside another by its header, and drops the bytes between them" {
    python3 - <<'END'
import gzip, random
r = random.Random(1)
def member(base):
    return gzip.compress(b'# tracer: nop\n' + b''.join(
        b'   a-5 ( 5) [000] d..2 %d.%06d: tracing_mark_write: B|5|n%d_%d\n' % (
            base + i, r.randrange(10**6), base, r.randrange(10**9)) for i in range(2000)), mtime=0)
a, b, c = member(10000), member(20000), member(30000)
open('inter.gz', 'wb').write(a[:len(a) // 2] + b + a[len(a) // 2:] + c)
END
    run tm-unpack inter.gz
    [ "$status" -eq 1 ]
    [[ $output == *"compressed byte "*": the gzip data is damaged "* ]]
    tm-unpack --on-damage=salvage inter.gz | tm-emit -f frames >frames
    [ "$(grep -c 'name="n20000_' frames)" -ge 1999 ] # the first line follows the damaged end of the last
    [ "$(grep -c 'name="n30000_' frames)" -ge 1999 ]
    [ "$(grep -c 'name="n10000_' frames)" -ge 500 ]
}

@test "a compressed file that expands enormously takes time and no memory" {
    (cat a.systrace; head -c 100000000 /dev/zero | tr '\0' '\n') | gzip -1 >bomb.gz
    (ulimit -v 300000; tm-unpack bomb.gz >/dev/null) || {
        only_unsanitized "a sanitized program takes address space without end"
        false
    }
}

@test "zstd data that needs more memory than there is is no damage, in a file or in perf.data" {
    only_unsanitized "a sanitized program takes address space without end"
    type zstd || skip 'zstd is not installed'
    zstd -qc --long=27 <a.json >long.json.zst # a window of 128 MiB
    python3 "$TM_SRC/t/gen/make-perf-data.py" zstd long >long.data
    for f in long.json.zst long.data; do
        tm-unpack $f >/dev/null
        for how in halt skip salvage; do
            run bash -c "ulimit -v 100000; exec tm-unpack --on-damage=$how $f"
            [ "$status" -eq 3 ]
            [[ $output == *"tm-unpack: "*"out of memory" ]]
        done
    done
}

@test "a name over the limit is an error, and a listing escapes the control bytes of a name" {
    python3 - <<'END'
import io, tarfile
def tar(name, names):
    with tarfile.open(name, 'w', format=tarfile.PAX_FORMAT) as t:
        for n in names:
            info = tarfile.TarInfo(n)
            info.size = 70
            t.addfile(info, open('a.json', 'rb'))
tar('huge.tar', ['x' * 70000])
tar('terminal.tar', ['\x1b]0;owned\x07\n', '../../etc/passwd'])
END
    run tm-unpack huge.tar
    [ "$status" -eq 1 ]
    [[ $output == "tm-unpack: huge.tar: byte "*": a name of 70000 bytes, more than the limit of 65536 (--on-damage=skip or salvage goes on)" ]]
    run tm-unpack --list terminal.tar
    [ "$status" -eq 0 ]
    [ "${lines[1]}" = $'1\tjson\t70\t\\x1b]0;owned\\x07\\x0a' ] || [ "${lines[2]}" = $'2\tjson\t70\t\\x1b]0;owned\\x07\\x0a' ]
}

# one_bad_zip NAME: makes a ZIP of a.json, b.json and c.json, with one event in each. The Python on standard input
# changes it. It knows the ZIP as d, with b's header at B and b's entry of the directory at D.
one_bad_zip() {
    python3 -c '
import io, sys, zipfile
out = io.BytesIO()
with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
    for name in "abc":
        z.writestr(zipfile.ZipInfo(name + ".json"),
                   "{\"traceEvents\":[{\"name\":\"in_%s\",\"ph\":\"i\",\"ts\":1,\"pid\":1,\"tid\":1}]}" % name,
                   zipfile.ZIP_DEFLATED)
d = bytearray(out.getvalue())
B = d.find(b"PK\3\4", 4)
D = d.find(b"PK\1\2", d.find(b"PK\1\2") + 4)
exec(sys.stdin.read())
open(sys.argv[1], "wb").write(d)' "$1"
}

# merged [OPTION]... FILE: prints the names of the merged events. Messages go to standard error.
merged() {
    tm-merge -q "$@" -f text 2>/dev/null | grep -o 'in_.' | tr -d '\n'
}

@test "an encrypted member of a ZIP, or one of another method, does not prevent reading the others" {
    one_bad_zip encrypted-one.zip <<<'d[B + 6] |= 1; d[D + 8] |= 1'
    one_bad_zip method-one.zip <<<'d[B + 8] = d[D + 10] = 14'
    for bad in encrypted-one method-one; do
        run -1 tm-unpack $bad.zip
        [[ $output == "tm-unpack: $bad.zip: b.json: "*" (--ignore-unknown leaves it out)" ]]
        for how in --ignore-unknown --on-damage=skip --on-damage=salvage; do
            [ "$(merged $how $bad.zip)" = in_ain_c ]
            run accounts $how $bad.zip
            [[ $output == *"tm-unpack: warning: $bad.zip: b.json: "*"support"* ]]
            [[ $output == *'file=2'*'reason="unsupported" count=1'* ]]
            run tm-merge $how $bad.zip -f report
            [[ $output == *"b.json: 1 event read, 0 placed, 1 dropped"* ]]
            run -4 tm-merge --strict $how $bad.zip -f report
        done
        run tm-unpack --list $bad.zip
        [[ $output == *$'\tunknown\t'*b.json* ]]
    done
}

@test "a member of a ZIP whose header contradicts its directory entry does not prevent reading the others" {
    one_bad_zip entry-crc.zip <<<'d[D + 16] ^= 1'
    one_bad_zip local-size.zip <<<'d[B + 22] ^= 1'
    one_bad_zip local-gone.zip <<<'d[B] = 0'
    one_bad_zip offset.zip <<<'d[D + 44] = 0x7f'
    one_bad_zip larger.zip <<<'d[D + 23] = d[B + 21] = 0x7f'
    one_bad_zip data.zip <<<'d[B + 36] = 0xff'
    for bad in entry-crc local-size local-gone offset larger data; do
        run -1 tm-unpack $bad.zip
        [[ $output == "tm-unpack: $bad.zip: b.json: "* ]]
        [ "$(merged --on-damage=skip $bad.zip)" = in_ain_c ]
        run accounts --on-damage=skip $bad.zip
        [[ $output == *"tm-unpack: warning: $bad.zip: b.json: "* ]]
        [[ $output == *'file=2'*'reason="damaged" count=1'* ]]
    done
    [ "$(merged --on-damage=salvage entry-crc.zip)" = in_ain_bin_c ]
    [ "$(merged --on-damage=salvage local-size.zip)" = in_ain_bin_c ]
    run accounts --on-damage=salvage entry-crc.zip
    [[ $output == *'reason="damaged" count=1'* ]]
    [ "$(merged --on-damage=salvage local-gone.zip)" = in_ain_c ]
}

@test "the ZIP64 record of a directory entry states the place of the member's header" {
    one_bad_zip local64.zip <<'END'
d[B + 22] ^= 1 # its header contradicts its entry, so only the header is used
extra = bytes([0x99, 0x99, 2, 0, 7, 7, 1, 0, 8, 0]) + B.to_bytes(8, 'little') # a record of another kind comes first
d[D + 30] = len(extra)
d[D + 42:D + 46] = b'\xff' * 4
at = D + 46 + d[D + 28]
d[at:at] = extra
d[-10:-6] = (int.from_bytes(d[-10:-6], 'little') + len(extra)).to_bytes(4, 'little')
END
    [ "$(merged --on-damage=skip local64.zip)" = in_ain_c ]
    [ "$(merged --on-damage=salvage local64.zip)" = in_ain_bin_c ]
    python3 -c 'd = bytearray(open("local64.zip", "rb").read())
i = d.index(b"\x99\x99\2\0\7\7"); d[i + 8] = 99 # a record that is longer than the field
open("long64.zip", "wb").write(d)'
    [ "$(merged --on-damage=salvage long64.zip)" = in_ain_c ]
}

@test "damage in the middle of a ZIP directory does not prevent reading the members" {
    one_bad_zip entry.zip <<<'d[D] = 0'
    run -1 tm-unpack entry.zip
    [ "$(merged --on-damage=skip entry.zip)" = in_a ]
    [ "$(merged --on-damage=salvage entry.zip)" = in_ain_bin_c ]
    run accounts --on-damage=salvage entry.zip
    [[ $output == *"tm-unpack: warning: entry.zip: the ZIP's central directory is damaged"* ]]
    [[ $output == *'file=0'*'reason="damaged" count=1'* ]]
}

@test "a sparse member of a TAR does not prevent reading the others" {
    for name in a c; do
        echo '{"traceEvents":[{"name":"in_'$name'","ph":"i","ts":1,"pid":1,"tid":1}]}' >$name.json
    done
    python3 -c '
with open("b.json", "wb") as f:  # more pieces than fit into a header
    for i in range(30):
        f.seek(i << 20)
        f.write(b"x")'
    for format in gnu pax; do
        tar -S --format=$format -cf sparse.tar a.json b.json c.json
        run -1 tm-unpack sparse.tar
        for how in --ignore-unknown --on-damage=skip --on-damage=salvage; do
            [ "$(merged $how sparse.tar)" = in_ain_c ]
            run accounts $how sparse.tar
            [[ $output == "tm-unpack: warning: sparse.tar: b.json: a sparse member, which is not supported"* ]]
            [[ $output == *'reason="unsupported" count=1'* ]]
            [[ $output != *damaged* ]]
        done
        tar --format=posix --pax-option=TRACEMERGE.order=processing -S -cf sparse.tar a.json b.json c.json
        run bash -c 'tm-unpack --ignore-unknown - <sparse.tar 2>/dev/null | tm-emit -f frames | grep -c name=.in_'
        [ "$output" = 2 ]
    done
}

# event NAME [COUNT]: prints JSON with COUNT events named NAME.
event() {
    python3 -c '
import sys
n = int(sys.argv[2])
print("{\"traceEvents\":[" + ",\n".join("{\"name\":\"%s\",\"ph\":\"i\",\"ts\":%d,\"pid\":1,\"tid\":1}" % (sys.argv[1], i)
                                      for i in range(n)) + "]}")' "$1" "${2:-1}"
}

@test "a hard link in a TAR is read as the file that it names" {
    mkdir -p links/.store links/d
    cd links
    event in_a >d/a.json
    event in_s >.store/s.json
    ln d/a.json b.json
    ln .store/s.json c.json
    ln d/a.json $(printf 'x%.0s' {1..150}).json
    for format in gnu posix; do
        tar --format=$format -cf ../links.tar ./.store d b.json c.json x*.json
        tar --format=$format -cf ../named-long.tar x*.json d
        run --separate-stderr tm-unpack --list ../links.tar
        [ "$(grep -c $'\tjson\t' <<<"$output")" = 4 ]
        [[ $output == *$'\tb.json'*$'\tc.json'*$'\td/a.json'* ]]
        run --separate-stderr tm-merge ../links.tar -f text
        [ "$(grep -c in_a <<<"$output")" = 3 ]
        [ "$(grep -c in_s <<<"$output")" = 1 ]
        [[ $stderr == *"b.json: a hard link to d/a.json: the same events are merged twice"* ]]
        [[ $stderr != *"c.json: a hard link"* ]]
        run --separate-stderr tm-merge -q ../named-long.tar -f text
        [ "$(grep -c in_a <<<"$output")" = 2 ]
    done
}

@test "a hard link in a TAR to a missing file is accounted for" {
    cd links
    tar -cf ../dangling.tar d b.json c.json
    tar --delete -f ../dangling.tar d/a.json
    cd ..
    run -1 tm-unpack dangling.tar
    [[ $output == "tm-unpack: dangling.tar: b.json: a hard link to d/a.json, which is not a readable file before it"* ]]
    [ "$(merged --on-damage=skip dangling.tar)" = in_s ]
    run accounts --on-damage=skip dangling.tar
    [[ $output == *'reason="damaged" count=1'* ]]
}

@test "a hard link in a TAR that is read front to back is not read, and accounted for" {
    cd links
    tar --format=posix --pax-option=TRACEMERGE.order=processing -cf ../kept-links.tar d/a.json x*.json
    cd ..
    run bash -o pipefail -c 'cat kept-links.tar | tm-unpack'
    [[ $output == *": a hard link to d/a.json, whose data was read before; give the archive as a regular file"* ]]
    run bash -o pipefail -c 'cat kept-links.tar | tm-unpack --ignore-unknown | tm-emit -f frames'
    [[ $output == *'reason="unsupported" count=1'* ]]
    [ "$(merged kept-links.tar)" = in_ain_a ]
}

@test "storage that two names of a TAR share is not reclaimed after the first turn" {
    mkdir -p large
    cd large
    event in_l 60000 >a.json
    ln a.json b.json
    tar -cf ../large.tar a.json b.json
    cd ..
    for format in text json; do
        gzip -c large.tar | tm-merge -q -f $format - >out 2>/dev/null
        [ "$(grep -c in_l out)" = 120000 ]
    done
}

@test "archives in archives that expand without end reach a limit, and the error names the member" {
    python3 - <<'END'
import gzip, io, zipfile
def zipped(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as z:
        for name, data in members:
            z.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()
data, kind = b'{"traceEvents":[' + b' ' * 10000000 + b']}', '.json'
open('blank.json.gz', 'wb').write(gzip.compress(data))
for level in range(4):
    data, kind = zipped([('%x%s' % (i, kind), data) for i in range(16)]), '.zip'
open('bomb.zip', 'wb').write(data)
END
    [ "$(stat -c %s bomb.zip)" -lt 30000 ]
    for how in halt salvage; do
        run timeout 60 tm-merge -q --on-damage=$how --max-expansion 200M -f text bomb.zip
        [ "$status" -eq 1 ]
        [[ $output == *"tm-unpack: bomb.zip: 0.zip: 0.zip: "?".zip: "?".json: compressed input expands to more than the limit of 209715200 bytes in all (--max-expansion raises it)"* ]]
    done
    tm-unpack --max-expansion=11M blank.json.gz >/dev/null
    for f in blank.json.gz -; do
        run tm-unpack --max-expansion=9M $f <blank.json.gz
        [ "$status" -eq 1 ]
        [[ $output == *"expands to more than the limit of 9437184 bytes"* ]]
    done
    run tm-unpack --max-expansion=0 blank.json.gz
    [ "$status" -eq 2 ]
}

@test "archives in archives reach the limit even if no member in them is read" {
    python3 - <<'END'
import io, zipfile
def zipped(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as z:
        for name, data in members:
            z.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()
data = zipped([('leaf.txt', b'no trace')])
for level in range(5):
    data = zipped([('%x.zip' % i, data) for i in range(16)])
open('empty.zip', 'wb').write(data)
END
    run timeout 60 tm-unpack --on-damage=salvage --ignore-unknown --max-expansion=200M empty.zip
    [ "$status" -eq 1 ]
    [[ $output == *"expands to more than the limit of 209715200 bytes in all"* ]]
}

@test "compressed packets of a proto count as expansion" {
    python3 - <<'END'
import zlib
def field(number, data):
    size, n = b'', len(data)
    while n > 127:
        size, n = size + bytes([n & 127 | 128]), n >> 7
    tag = number << 3 | 2
    head = bytes([tag]) if tag < 128 else bytes([tag & 127 | 128, tag >> 7])
    return head + size + bytes([n]) + data
packet = field(1, field(900, b'\0' * 1000000))
open('packed.pftrace', 'wb').write(field(1, field(50, zlib.compress(packet * 20))))
END
    tm-unpack --max-expansion=21M packed.pftrace >/dev/null
    for how in halt skip salvage; do
        run tm-unpack --max-expansion=10M --on-damage=$how packed.pftrace
        [ "$status" -eq 1 ]
        [[ $output == *"packed.pftrace: compressed input expands to more than the limit of 10485760 bytes in all (--max-expansion raises it)" ]]
    done
}

@test "lack of memory for zstd-compressed packets is no damage" {
    only_unsanitized "a sanitized program takes address space without end"
    python3 - <<'END'
import os, sys
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
from wire import field
packet = field(1, field(900, 'x'))
# A frame with a window of 128 MiB and one block, as it is.
frame = b'\x28\xb5\x2f\xfd\0' + bytes([17 << 3]) + (len(packet) << 3 | 1).to_bytes(3, 'little') + packet
open('packed.pftrace', 'wb').write(field(1, field(133, frame)))
END
    tm-unpack packed.pftrace >/dev/null
    for how in halt skip salvage; do
        run bash -c "ulimit -v 100000; tm-unpack --on-damage=$how packed.pftrace >/dev/null"
        [ "$status" -eq 3 ]
        [[ $output == 'tm-unpack: '*'out of memory' ]]
    done
}

@test "a text of which only a damaged line is left does not end a run that skips damage" {
    printf '# ========\n# captured on    : Fri Nov 21 2025\n# ========\n#\nswapper     0 [001]  100.00000' >cut.txt
    run -1 --separate-stderr tm-unpack cut.txt
    for how in skip salvage; do
        tm-merge --on-damage=$how -f report cut.txt >report
        grep -q 'cut.txt: 1 event read, 0 placed, 1 dropped' report
        grep -q 'damaged: 1, MONOTONIC, first at byte 59' report
    done
}

@test "a file in an archive that cannot be read further does not prevent reading the others" {
    mkdir -p turns
    cd turns
    event in_a >a.json
    event in_d >d.json
    one_bad_zip whole.zip <<<''
    head -c 200 whole.zip >b.zip # without a directory
    (gzip -c a.json; event in_e) >/dev/null
    cp ../deep9 c.gz # containers nest too deep
    cp ../crc.zip e.zip
    tar -cf inner.tar b.zip d.json
    zstd -q -f inner.tar -o inner.tar.zst 2>/dev/null || gzip -c inner.tar >inner.tar.zst
    tar -cf ../turns.tar a.json b.zip c.gz d.json inner.tar.zst
    tar --format=posix --pax-option=TRACEMERGE.order=processing -cf ../turns-kept.tar b.zip c.gz inner.tar.zst a.json d.json
    cd ..
    run -1 tm-unpack turns.tar
    for from in turns.tar "- <turns-kept.tar"; do
        run bash -o pipefail -c "tm-unpack --on-damage=skip $from | tm-emit -f frames"
        [ "$status" -eq 0 ]
        [ "$(grep -c 'name="in_a"' <<<"$output")" = 1 ]
        [ "$(grep -c 'name="in_d"' <<<"$output")" = 2 ]
        [ "$(grep -c 'tm-unpack: .*b.zip: the ZIP has no central directory' <<<"$output")" = 2 ]
        [ "$(grep -c 'tm-unpack: .*containers nest deeper than 8' <<<"$output")" = 1 ]
        [ "$(grep -c 'Account .*reason="damaged" count=1' <<<"$output")" = 3 ]
    done
    [ "$(tm-merge -q --on-damage=salvage -f text turns.tar 2>/dev/null | grep -c in_)" -ge 5 ]
    run tm-merge --on-damage=skip -f report turns.tar
    [[ $output == *"b.zip: 1 event read, 0 placed, 1 dropped"* ]]
}

@test "a wrong manifest ends a merge with every --on-damage" {
    event in_a >a1.json
    echo '{"traceEvents":[]}' >b1.json
    cat a1.json m.json >twice.json
    tar -cf late.tar b1.json twice.json
    run -1 tm-unpack --on-damage=salvage --ignore-unknown late.tar
    [[ $output == *"perfetto_manifest file must be the first trace file in the input"* ]]
}
