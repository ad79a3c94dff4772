# tm-emit: many files, machines and crossing slices take time in proportion to their number.

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    python3 - <<'END_OF_PYTHON'
import tarfile, io
event = b'[{"name":"n","ph":"X","ts":1,"dur":5,"pid":1,"tid":1}]\n'
for name, count in (('few', 25000), ('many', 100000)):
    with open(name + '.json', 'wb') as f:
        f.write(event * count)
for name, count in (('few', 10000), ('many', 40000)):
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

scales() {
    python3 -I -S "$TM_SRC/t/check/scales.py" "$@"
}

@test "files with slices of one thread at one time: Chrome JSON and Perfetto" {
    scales few.files many.files tm-emit -q -f json
    scales few.files many.files tm-emit -q -f pftrace
}

@test "machines that nothing relates: report and explain" {
    scales few.machines many.machines tm-emit -q -f report
    scales few.machines many.machines tm-emit -q -f explain
}

@test "slices of one thread that cross" {
    for shape in few,10000,40 many,40000,1000; do
        IFS=, read -r name count lanes <<<"$shape"
        python3 - "$count" "$lanes" >"$name.json" <<'END_OF_PYTHON'
import sys
count, open_at_once = map(int, sys.argv[1:])
print('[%s]' % ',\n'.join('{"name":"n","ph":"X","ts":%d,"dur":%d,"pid":1,"tid":1}' % (i, open_at_once) for i in range(count)))
END_OF_PYTHON
        tm-unpack "$name.json" | tm-manifest | tm-clocks | tm-sort >"$name.crossing"
    done
    scales few.crossing many.crossing tm-emit -q -f pftrace
}
