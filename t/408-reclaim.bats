#!/usr/bin/env bats
# The storage of unlinked temporary files is reclaimed while they are read (lib/os/reclaim), and so is the memory of what
# a merge has read (lib/sort/spent_blocks).

setup() {
    cd "$BATS_TEST_TMPDIR"
    gen=${TM_BIN%/bin}/t/gen/gen-stream
    [ -d /proc/self/fd ] || skip "what a process uses cannot be seen"
}

needs_holes() {
    head -c 3M /dev/zero >probe
    fallocate -p -o 0 -l 1M probe || skip "the file system punches no holes"
}

# kept WHAT PART WHOLE COMMAND...: runs COMMAND, whose output is as long as the file WHOLE, and reads the first PART (of
# 1) of it. Of that point it prints how many bytes were ever written to COMMAND's temporary files and how many are stored
# (WHAT is files), or how many KiB of memory of its own COMMAND has (memory). Then it reads the rest; the output must
# equal WHOLE.
kept() {
    python3 - "$@" <<'END'
import os, subprocess, sys
what, part, path, command = sys.argv[1], float(sys.argv[2]), sys.argv[3], sys.argv[4:]

def files(proc):
    size = stored = 0
    for fd in os.listdir(proc + '/fd'):
        at = proc + '/fd/' + fd
        if '(deleted)' in os.readlink(at):
            info = os.stat(at)
            size, stored = size + info.st_size, stored + info.st_blocks * 512
    return size, stored

def memory(proc):
    return [line.split()[1] for line in open(proc + '/status') if line.startswith('RssAnon')]

whole = open(path, 'rb').read()
p = subprocess.Popen(command, stdout=subprocess.PIPE)
got = p.stdout.read(int(len(whole) * part))
print(*{'files': files, 'memory': memory}[what]('/proc/%d' % p.pid))
got += p.stdout.read()
assert p.wait() == 0 and got == whole, (p.returncode, len(got), len(whole))
END
}

# is_given_back LEAST WHOLE COMMAND...: temporary files have LEAST bytes or more. Most of them is stored when 5% of
# COMMAND's output have been read, and less than a third at 90%.
is_given_back() {
    local least=$1 size stored
    shift
    kept files 0.05 "$@" >early
    kept files 0.9 "$@" >late
    cat early late
    read -r size stored <early
    [ "$size" -gt "$least" ]
    [ "$stored" -gt $((size / 2)) ]
    read -r size stored <late
    [ "$stored" -lt $((size / 3)) ]
}

@test "tm-sort reclaims the storage of merged runs" {
    needs_holes
    "$gen" -P -n 1500000 -o shuffled >in
    tm-sort -S 4G -T . <in >whole
    is_given_back 20000000 whole tm-sort -S 16M -T . in
}

@test "tm-sort also reclaims the storage of runs that were merged in levels" {
    needs_holes
    "$gen" -P -n 1000000 -o shuffled >in
    tm-sort -S 4G -T . <in >whole
    is_given_back 10000000 whole tm-sort -S 512k -T . in
}

@test "tm-unpack reclaims the parts that it has read of an archive in a temporary file" {
    needs_holes
    python3 - <<'END'
for name in '123':
    with open(name + '.json', 'w') as f:
        f.write('[' + ',\n'.join('{"ph":"X","name":"n","ts":%d,"dur":1,"pid":%s,"tid":1,"args":{"s":"%0300x"}}' % (i, name, i)
                                 for i in range(20000)) + ']')
END
    tar cf inner.tar 2.json # storage that is read again stays until then
    tar cf in.tar 3.json inner.tar 1.json
    gzip -k in.tar
    tm-unpack in.tar | tm-emit >expected
    tm-unpack -T . in.tar.gz >whole
    tm-emit <whole | cmp - expected
    is_given_back 10000000 whole tm-unpack -j 1 -T . in.tar.gz # with threads storage is reclaimed when the turn is written
}

@test "tm-sort gives back the memory of merged events, with one thread and with two" {
    "$gen" -n 1500000 -o sorted -f 4 >in # a run for each file
    tm-sort -S 4G <in >whole
    for jobs in 1 2; do
        early=$(kept memory 0.02 whole tm-sort -j $jobs -S 4G in)
        late=$(kept memory 0.95 whole tm-sort -j $jobs -S 4G in)
        echo "$jobs: $early KiB, then $late KiB"
        [ "$early" -gt $((late + 40000)) ] # the events take 90000
    done
}

@test "memory that merged events share with later ones stays" {
    "$gen" -n 300000 -o shuffled -d 20 -p 60 >in
    tm-sort -S 1M <in >whole
    kept memory 0.5 whole tm-sort -j 1 -S 4G in
    kept memory 0.5 whole tm-sort -j 2 -S 4G in
    "$gen" -n 300000 -o nearly -f 7 -d 20 -p 60 >in
    tm-sort -S 1M <in >whole
    kept memory 0.5 whole tm-sort -j 1 -S 4G in
    kept memory 0.5 whole tm-sort -j 2 -S 4G in
}
