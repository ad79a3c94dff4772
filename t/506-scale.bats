# tm-emit, tm-manifest, tm-align: for many files, machines, crossing slices and threads of a sequence, time grows in
# proportion to their number. Threads and tracks take as much memory as tm-limits(7) states, and no more than
# --max-memory.

load lib/common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    python3 - "$(drawn 100000)" <<'END_OF_PYTHON'
import sys, tarfile, io
many = int(sys.argv[1])
event = b'[{"name":"n","ph":"X","ts":1,"dur":5,"pid":1,"tid":1}]\n'
for name, count in (('few', many // 4), ('many', many)):
    with open(name + '.json', 'wb') as f:
        f.write(event * count)
for name, count in (('few', many // 10), ('many', many * 4 // 10)):
    with tarfile.open(name + '.tar', 'w', format=tarfile.USTAR_FORMAT) as tar:
        for i in range(count):
            info = tarfile.TarInfo('%d.json' % i)
            info.size = len(event)
            tar.addfile(info, io.BytesIO(event))
END_OF_PYTHON
    for n in few many; do
        tm-unpack $n.json | tm-manifest | tm-clocks | tm-sort >$n.files
        tm-unpack $n.tar | tm-manifest --machine-from=file 2>/dev/null | tm-clocks | tm-sort >$n.machines
    done
}

setup() {
    cd "$BATS_FILE_TMPDIR" || exit
}

# scales SMALL LARGE COMMAND...: the time of COMMAND grows in proportion from SMALL to LARGE. Sanitizers find memory
# errors, which one run shows.
scales() {
    if is_sanitized; then
        "${@:3}" <"$2" >/dev/null
    else
        python3 -I -S "$TM_SRC/t/check/scales.py" "$@"
    fi
}

@test "files with slices of one thread at one time take time in proportion, for Chrome JSON and Perfetto" {
    scales few.files many.files tm-emit -q -f json
    scales few.files many.files tm-emit -q -f pftrace
}

@test "files that hints relate take time in proportion in a manifest of the hints" {
    for n in 5000 20000; do
        for ((i = 0; i < n; i++)); do
            echo '{"traceEvents":[{"name":"n","ph":"i","ts":1,"pid":1,"tid":1}],"beginningOfTime":'$((1700000000000000 + i))'}'
        done | python3 -c 'import io, sys, tarfile
with tarfile.open(fileobj=sys.stdout.buffer, mode="w|", format=tarfile.USTAR_FORMAT) as tar:
    for i, line in enumerate(sys.stdin.buffer):
        info = tarfile.TarInfo("%d.json" % i)
        info.size = len(line)
        tar.addfile(info, io.BytesIO(line))' | tm-unpack --hints >$n.hints
        tm-manifest <$n.hints >$n.one
        tm-manifest --machine-from=file <$n.hints >$n.each # a machine for each file
    done
    for machines in one each; do
        scales 5000.$machines 20000.$machines tm-clocks --hints --write-manifest hints.json
        [ "$(grep -c offset_ns hints.json)" -eq 20000 ]
    done
}

@test "files that nothing relates take time in proportion in tm-align" {
    scales few.files many.files tm-align
}

@test "machines that nothing relates take time in proportion, for rows of slices, report and explain" {
    scales few.machines many.machines tm-emit -q -f jsonl
    scales few.machines many.machines tm-emit -q -f report
    scales few.machines many.machines tm-emit -q -f explain
}

@test "files with samples of their own take time in proportion in merged JSON" {
    for n in 3000 12000; do
        for ((i = 0; i < n; i++)); do
            echo '{"traceEvents":[{"name":"n","ph":"X","ts":1,"dur":5,"pid":1,"tid":1}],"samples":[{"ts":1}]}'
        done | tm-unpack | tm-manifest | tm-clocks | tm-sort >$n.samples
    done
    scales 3000.samples 12000.samples tm-emit -q -f json
}

@test "files that name their machines take time in proportion in tm-manifest" {
    for n in few many; do
        tm-unpack $n.tar >$n.unpacked
    done
    scales few.unpacked many.unpacked tm-manifest --machine-from=file
}

@test "crossing slices of one thread take time in proportion" {
    for shape in few,10000,40 many,40000,1000; do
        IFS=, read -r name count lanes <<<"$shape"
        python3 - "$count" "$lanes" >"$name.json" <<'END_OF_PYTHON'
import sys
count, open_at_once = map(int, sys.argv[1:])
event = '{"name":"n","ph":"X","ts":%d,"dur":%d,"pid":1,"tid":1}'
print('[%s]' % ',\n'.join(event % (i, open_at_once) for i in range(count)))
END_OF_PYTHON
        tm-unpack "$name.json" | tm-manifest | tm-clocks | tm-sort >"$name.crossing"
    done
    scales few.crossing many.crossing tm-emit -q -f pftrace
}

@test "crossing slices of many threads take time in proportion" {
    for shape in few,15000 many,60000; do
        IFS=, read -r name count <<<"$shape"
        python3 - "$count" >"$name.json" <<'END_OF_PYTHON'
import sys
count = int(sys.argv[1])
event = '{"name":"n","pid":1,"tid":%d,"ph":"%s","ts":%d,"dur":9}'
print('[%s]' % ',\n'.join(event % (i, phase, at) for at, phase in enumerate('BXE') for i in range(count)))
END_OF_PYTHON
        tm-unpack "$name.json" | tm-manifest | tm-clocks | tm-sort >"$name.crossing"
    done
    scales few.crossing many.crossing tm-emit -q -f pftrace
}

@test "threads of one sequence take time in proportion to the times its state was cleared" {
    for shape in few,10000 many,40000; do
        IFS=, read -r name count <<<"$shape"
        PYTHONPATH=$TM_SRC/t/gen python3 - "$count" >"$name.pftrace" <<'END_OF_PYTHON'
import sys
from wire import field, message
for i in range(int(sys.argv[1])):
    # Each thread's state is cleared once after its first event.
    cleared = (10, 1), (13, 1)
    for at, fields in enumerate(([*cleared, (44, message((1, 1), (2, i + 2)))], [(10, 1)], cleared)):
        event = [] if at == 0 else [(11, message((9, 3), (22, 'c'), (23, 'n')))]
        sys.stdout.buffer.write(field(1, message((8, 100 * i + at), *fields, *event)))
END_OF_PYTHON
        tm-unpack "$name.pftrace" | tm-manifest | tm-clocks | tm-sort >"$name.cleared"
    done
    scales few.cleared many.cleared tm-emit -q -f pftrace
}

@test "parts by time of slices that never end take time in proportion" {
    for shape in few,10000 many,40000; do
        IFS=, read -r name count <<<"$shape"
        python3 -c 'print("[%s]" % ",\n".join("""{"name":"n","ph":"B","ts":%d,"pid":1,"tid":1}""" % i for i in range('"$count"')))' \
            >"$name.begins.json"
        tm-unpack "$name.begins.json" | tm-manifest | tm-clocks | tm-sort >"$name.begins"
    done
    scales few.begins many.begins tm-sort --cut=1000s,
}

@test "a thread and an open asynchronous slice take the memory that tm-limits(7) states" {
    only_unsanitized "figures of sanitized programs say little"
    python3 - <<'END_OF_PYTHON'
shapes = {'threads': '"ph":"X","pid":1,"tid":%d,"ts":%d,"dur":1', 'async': '"ph":"b","pid":1,"id":%d,"ts":%d'}
for name, count in (('few', 1000), ('many', 201000)):
    for of, event in shapes.items():
        with open('%s.%s.json' % (name, of), 'w') as f:
            f.write('[%s]' % ',\n'.join('{"name":"n","cat":"c",' + event % (i + 1, i) + '}' for i in range(count)))
END_OF_PYTHON
    for of in threads async; do
        for n in few many; do
            tm-unpack $n.$of.json | tm-manifest | tm-clocks | tm-sort >$n.$of
        done
        for arguments in '-f sqlite' '-f pftrace' '-f csv' '-f pftrace --only dur>=1ms'; do
            for n in few many; do
                # shellcheck disable=SC2086
                python3 "$TM_SRC/t/check/peak.py" /dev/null tm-emit -q -o out $arguments <$n.$of
            done | paste -sd ' ' | sed "s/$/ $of $arguments/"
        done
    done >peaks
    # 200000 more take at most 580 bytes each: the 380 of tm-limits(7), and room to grow. The measurement varies by some
    # 20 bytes with the pages of libraries that the small input touches.
    awk '$1 !~ /^[0-9]+$/ || ($2 - $1) * 1024 / 200000 > 580 { print; bad = 1 } END { exit bad || NR != 8 }' peaks
}

@test "descriptors of one thread that come again take no memory" {
    only_unsanitized "figures of sanitized programs say little"
    for n in 20000 220000; do
        PYTHONPATH="$TM_SRC/t/gen" python3 - $n >$n.pftrace <<'END_OF_PYTHON'
import sys
from wire import field, message
sys.stdout.buffer.write(field(1, message((10, 7), (13, 1))))
for i in range(int(sys.argv[1])):
    thread = (60, message((1, 5), (4, message((1, 1), (2, 2), (5, 'worker')))))
    sys.stdout.buffer.write(field(1, message((8, 1000 + i), (10, 7), thread)))
    sys.stdout.buffer.write(field(1, message((8, 1000 + i), (10, 7), (11, message((9, 3), (11, 5), (23, 'i'))))))
END_OF_PYTHON
        tm-unpack $n.pftrace | tm-manifest | tm-clocks | tm-sort >$n.described
        for format in csv json; do
            python3 "$TM_SRC/t/check/peak.py" /dev/null tm-emit -o out -f $format <$n.described
        done | paste -sd ' '
    done >peaks
    cat peaks
    awk 'NR == 1 { csv = $1; json = $2 } END { exit NR != 2 || $1 > csv + 4096 || $2 > json + 4096 }' peaks
}

# peak_within KIB COMMAND...: COMMAND fails because of its memory limit, within KIB.
peak_within() {
    local kib=$1
    shift
    python3 "$TM_SRC/t/check/peak.py" /dev/null "$@" <many.threads >peak 2>errors
    cat peak errors
    [[ $(<peak) == "failed "* ]]
    [ "$(sed 's/failed //' peak)" -lt "$kib" ]
    grep -q 'take more than 25165824 bytes of memory (TM_MEMORY_BYTES_MAX): .*; --max-memory raises the limit$' errors
}

@test "--max-memory: more memory is an error that names the limit and the option, and no output appears" {
    only_unsanitized "figures of sanitized programs say little"
    [ -r /proc/self/statm ] || skip "/proc says nothing of memory"
    python3 - <<'END_OF_PYTHON' >many.threads.json
event = '{"name":"n","cat":"c","ph":"X","pid":1,"tid":%d,"ts":%d,"dur":1}'
print('[%s]' % ',\n'.join(event % (i + 1, i) for i in range(201000)))
END_OF_PYTHON
    tm-unpack many.threads.json | tm-manifest | tm-clocks | tm-sort >many.threads
    # 16 MB beyond the limit: code, libraries, and the input of a MiB between two checks.
    for arguments in '-f sqlite' '-f pftrace' '-f csv' '-f pftrace --only dur>=1ms' '-f csv --only tid=5'; do
        # shellcheck disable=SC2086
        peak_within $(((24 + 16) * 1024)) tm-emit -q -o limited --max-memory=24M $arguments
        [ ! -e limited ]
    done
    peak_within $(((24 + 16) * 1024)) tm-sort --cut=0.1s, --max-memory=24M
    ! tm-merge -q -o limited.db --max-memory=24M many.threads.json 2>errors || false
    cat errors
    grep -q 'TM_MEMORY_BYTES_MAX.*--max-memory' errors
    [ ! -e limited.db ]
    tm-merge -q -o limited.db --max-memory=200M many.threads.json
    [ "$(sqlite3 limited.db 'SELECT count(*) FROM thread')" -eq 201001 ]
    tm-sort --cut=0.1s, --max-memory=200M <many.threads | tm-emit -q -f csv -o limited
    for wrong in 0 x ''; do
        run tm-emit --max-memory="$wrong" </dev/null
        [ "$status" -eq 2 ]
        run tm-merge --max-memory="$wrong" many.threads.json
        [ "$status" -eq 2 ]
    done
    run tm-sort --max-memory=1G <many.threads
    [ "$status" -eq 2 ]
    [[ $output == *"--max-memory is for --cut"* ]]
}
