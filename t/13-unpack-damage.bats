# tm-unpack: damaged containers are errors that name the place, or are read as far as they go, and counted.

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

@test "a gzip cut anywhere is an error, never a short result" {
    size=$(stat -c %s a.json.gz)
    for ((n = 2; n < size; n++)); do
        run bash -c "head -c $n a.json.gz | tm-unpack 2>&1 >out | grep -c '^tm-unpack: standard input: .*cut'"
        [ "$output" = 1 ]
        run bash -c 'tm-emit -f text <out'
        [ "$status" -ne 0 ]
    done
}

@test "a TAR cut anywhere is an error, but for its end blocks" {
    tar -b1 -cf two.tar a.json m.json # header, data, header, data, two end blocks
    for n in 513 581 1025 1535 1536 1570; do
        run bash -c "head -c $n two.tar | tm-unpack | wc -c"
        [[ $output == *"tm-unpack: standard input: "*"cut"* ]]
    done
    for n in 582 1023 1024 1571 2048 2560 3072; do
        head -c $n two.tar | tm-unpack >/dev/null
    done
    run bash -c "head -c 1560 two.tar | tm-unpack | wc -c"
    [[ $output == *"tm-unpack: standard input: m.json: byte 24: cut short, 11 of its 35 bytes are missing"* ]]
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

@test "skip and salvage read what there is, tell and count" {
    python3 - <<'END'
d = bytearray(open('gnu.tar', 'rb').read())
at = d.find(b'n.json.gz')
d[at] ^= 1
open('flip.tar', 'wb').write(d)
END
    run tm-unpack --list --on-damage=skip flip.tar
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 5 ]
    [[ $output == *"tm-unpack: flip.tar: byte "*": the checksum of a TAR header does not match"* ]]
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

@test "zstd and ctrace that are damaged end there, and only once" {
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

@test "a ZIP without its directory is salvaged" {
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

@test "a gzip member in the middle of another is found by its header, and what is between them given up" {
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
    [ "$(grep -c 'name="n20000_' frames)" -ge 1999 ] # the first line comes behind what the damage made of the last
    [ "$(grep -c 'name="n30000_' frames)" -ge 1999 ]
    [ "$(grep -c 'name="n10000_' frames)" -ge 500 ]
}

@test "a bomb takes time and no memory" {
    (cat a.systrace; head -c 100000000 /dev/zero | tr '\0' '\n') | gzip -1 >bomb.gz
    (ulimit -v 300000; tm-unpack bomb.gz >/dev/null) || {
        grep -q '^TM_SANITIZE = -f' "$TM_BIN/../Makefile" && skip "a sanitized program takes address space without end"
        false
    }
}

@test "hostile names and counts" {
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
