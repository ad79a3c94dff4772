# tm-merge with its real stages on the demo archive.

setup() {
    cd "$BATS_TEST_TMPDIR"
    demo="$TM_SRC/doc/examples/phone-watch-app.tar"
}

@test "the demo archive is merged as text" {
    run tm-merge --events "$demo"
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 27 ]
    [ "${lines[4]}" = "     0.055000000 phone   com.example.run:1200                   begin                     inflate layout" ]
    [ "${lines[11]}" = "     0.270000000 phone   com.example.run:1200/logger:1240       slice             220.4ms wait for watch" ]
    [ "${lines[13]}" = "     0.295000000 watch   com.example.run.wear:300               begin                     receive from phone" ]
}

@test "standard input, with and without -, and any memory give the same output" {
    tm-merge -o a.jsonl "$demo"
    tm-merge -o b.jsonl <"$demo"
    cat "$demo" | tm-merge -o c.jsonl -
    tm-merge -S 1 -o d.jsonl "$demo"
    gzip -c "$demo" | tm-merge -o e.jsonl
    for name in b c d; do
        cmp a.jsonl $name.jsonl
    done
    [ "$(wc -l <a.jsonl)" -eq "$(wc -l <e.jsonl)" ]
}

@test "every format is written by its ending" {
    tm-emit --formats | while read -r name endings; do
        for ending in $endings; do
            tm-merge -o "out$ending" "$demo"
            [ -s "out$ending" ]
        done
    done
    python3 -c '
import sqlite3
assert sqlite3.connect("out.db").execute("select count(*) from slice").fetchone()[0] > 5'
}

@test "a manifest given with -m relates files by name" {
    tar xf "$demo"
    mv perfetto_manifest.json m.json
    tm-merge -o a.csv "$demo"
    tm-merge -m m.json -o b.csv phone.pftrace watch.pftrace app_log.json
    # File names are the given ones. Everything else is the same.
    cmp a.csv b.csv
}

@test "--strict and a time before the start of trace time give exit 4 and no OUT" {
    tar xf "$demo"
    sed 's/250000000/-900000000000/' perfetto_manifest.json >m.json
    rm perfetto_manifest.json
    run tm-merge --strict -m m.json -o out.jsonl phone.pftrace watch.pftrace app_log.json
    [ "$status" -eq 4 ]
    [[ "${lines[0]}" == "tm-emit: warning: app_log.json: 5 events dropped, negative_time: "* ]]
    [ "${lines[-1]}" = "tm-emit: 5 of 26 events were dropped; tm-emit -f report says why" ]
    [ ! -e out.jsonl ]
    run tm-merge --dry-run -m m.json phone.pftrace watch.pftrace app_log.json
    [ "$status" -eq 0 ]
    [[ "$output" == *"app_log.json: 5 events read, 0 placed, 5 dropped"* ]]
    run tm-merge --max-dropped 20% -m m.json -o out.jsonl phone.pftrace watch.pftrace app_log.json
    [ "$status" -eq 0 ]
}

@test "--strict refuses a path of the manifest that matches no file" {
    tar xf "$demo"
    rm watch.pftrace
    run tm-merge -o out.jsonl .
    [ "$status" -eq 0 ]
    [[ "$output" == "tm-manifest: "*"watch.pftrace"* ]]
    rm out.jsonl
    run tm-merge --strict -o out.jsonl .
    [ "$status" -eq 4 ]
    [ "${#lines[@]}" -eq 1 ]
    [[ "$output" == "tm-manifest: "*"watch.pftrace"* ]]
    [ ! -e out.jsonl ]
}

@test "a cut archive, a file of unknown type and a missing file give the stage's line and no OUT" {
    head -c 2000 "$demo" >cut.tar
    echo nonsense >unknown
    for input in cut.tar unknown missing; do
        run tm-merge -o out.jsonl $input
        [ "$status" -ge 1 ]
        [ "$status" -le 3 ]
        [ "${#lines[@]}" -eq 1 ]
        [[ "$output" == "tm-unpack: "*"$input"* ]]
        [ ! -e out.jsonl ]
    done
}

@test "kill -9 of any stage is an error, and leaves no OUT and no process" {
    for name in tm-unpack tm-manifest tm-clocks tm-sort tm-emit; do
        PYTHONPATH=$TM_SRC/t/lib python3 - "$demo" $name <<'PY'
import os, signal, subprocess, sys
from waiting import Others, children, end_of, start, until
demo, name = sys.argv[1:]
all_names = {"tm-unpack", "tm-manifest", "tm-clocks", "tm-sort", "tm-emit"}
with open("said", "w+") as said:
    p = start("tm-merge", "-o", "out.jsonl", stdin=subprocess.PIPE, stderr=said)
    p.stdin.write(open(demo, "rb").read()[:3000])
    p.stdin.flush()
    until(lambda: set(children(p)) == all_names, p)
    stages = Others(children(p).values())
    os.kill(children(p)[name], signal.SIGKILL)
    assert end_of(p) == 3, p.returncode
    said.seek(0)
    err = said.read()
    assert err == "tm-merge: %s: killed by signal 9 (Killed)\n" % name, err
    assert not stages.left(), stages.left()
PY
        [ "$(ls -A)" = said ]
    done
}

@test "kill -9 of tm-merge ends its stages, and leaves no file" {
    [ "$(uname)" = Linux ] || skip "only Linux tells a process that its parent has ended"
    PYTHONPATH=$TM_SRC/t/lib python3 - "$demo" <<'PY'
import os, subprocess, sys, time
from waiting import LIMIT_S, Others, children, end_of, start, until
names = {"tm-unpack", "tm-manifest", "tm-clocks", "tm-sort", "tm-emit"}
p = start("tm-merge", "-o", "out.jsonl", stdin=subprocess.PIPE)
p.stdin.write(open(sys.argv[1], "rb").read()[:3000])
p.stdin.flush()
def has_opened_out():
    pids = children(p)
    if set(pids) != names:
        return None
    folder = "/proc/%d/fd" % pids["tm-emit"]
    return any("out.jsonl" in os.readlink(os.path.join(folder, fd)) for fd in os.listdir(folder)) and pids
stages = Others(until(has_opened_out, p).values())
p.kill()
assert end_of(p) == -9
began = time.monotonic()
while stages.left() and time.monotonic() - began < LIMIT_S:
    time.sleep(0.01)
assert not stages.left(), stages.left()
PY
    [ -z "$(ls -A)" ]
}

@test "a compressed output is finished although a signal comes that the caller ignores" {
    tm-unpack "$demo" | tm-manifest | tm-clocks | tm-sort >sorted
    PYTHONPATH=$TM_SRC/t/lib python3 - <<'PY'
import os, signal, subprocess
from waiting import children, end_of, start, until
stream = open("sorted", "rb").read()
p = start("bash", "-c", "trap '' HUP; exec tm-emit -o out.json.gz", stdin=subprocess.PIPE)
p.stdin.write(stream[:-1])
p.stdin.flush()
compressor = until(lambda: children(p).get("tm-emit"), p)
until(lambda: os.path.exists("/proc/%d/fd/0" % p.pid) and not os.path.exists("/proc/%d/fd/0" % compressor), p)
for pid in p.pid, compressor:
    os.kill(pid, signal.SIGHUP)
p.stdin.write(stream[-1:])
p.stdin.close()
assert end_of(p) == 0, p.returncode
PY
    gzip -t out.json.gz
}

# Runs a command whose stdout or stderr, as $1 says, goes to a pipe that nobody reads. Prints its exit status.
unread() {
    python3 -c '
import os, sys
sys.path.insert(0, os.path.join(os.environ["TM_SRC"], "t/lib"))
from waiting import end_of, start
ends = os.pipe()
os.close(ends[0])
print(end_of(start(*sys.argv[2:], **{sys.argv[1]: ends[1]})))' "$@"
}

@test "messages that nobody reads end no program" {
    echo '[{"ph": "X", "ts": 1, "dur": 1, "pid": 1, "tid": 1, "name": "a"}, {"ph": "?", "ts": 2}]' >log.json
    tm-merge -o plain.pftrace log.json 2>said
    grep -q 'tm-emit: warning: log.json: 1 event' said
    tm-unpack log.json | tm-manifest | tm-clocks | tm-sort >sorted
    mkdir out
    [ "$(unread stderr tm-merge -o out/a log.json -f pftrace)" = 0 ]
    [ "$(unread stderr tm-merge --progress -o out/b log.json -f pftrace)" = 0 ]
    [ "$(unread stderr tm-emit -o out/c -f pftrace <sorted)" = 0 ]
    [ "$(unread stderr tm-pack -o out/d.tar log.json)" = 0 ]
    [ "$(unread stderr tm-merge -o out/e missing.json)" = 1 ]
    for name in a b c; do
        cmp plain.pftrace out/$name
    done
    [ "$(ls -A out | xargs)" = "a b c d.tar" ]
}

@test "a reader of standard output that leaves early ends tm-emit, and no other result is left" {
    tm-unpack "$demo" | tm-manifest | tm-clocks | tm-sort >sorted
    mkdir out
    [ "$(unread stdout tm-emit -o out/a.json -o - <sorted)" = -13 ]
    [ -z "$(ls -A out)" ]
}

@test "missing descriptors or a missing temporary folder are exit 3 and no OUT" {
    run bash -c "ulimit -n 8; tm-merge -o out.jsonl '$demo'"
    [ "$status" -eq 3 ]
    [[ "$output" == *"Too many open files"* ]]
    [ -z "$(ls -A)" ]
    run bash -c "ulimit -n 10; tm-merge --progress -o out.jsonl '$demo'"
    [ "$status" -eq 3 ]
    [ "${#lines[@]}" -eq 1 ]
    [ -z "$(ls -A)" ]
    for input in "'$demo'" "- <'$demo'"; do
        TMPDIR=$PWD/nowhere run bash -c "cat '$demo' | tm-merge -S 1 -o out.jsonl"
        [ "$status" -eq 3 ]
        [ "${#lines[@]}" -eq 1 ]
        [[ "$output" == */nowhere:*"No such file or directory" ]]
        [ -z "$(ls -A)" ]
    done
}

@test "a full disk in the folder for temporary files is exit 3" {
    mkdir disk
    run unshare -r -m bash -c '
        mount -t tmpfs -o size=4k none disk || exit 99
        cat "$0" | TMPDIR=$PWD/disk tm-merge -S 1 -o out.jsonl' "$demo"
    [ "$status" -eq 99 ] && skip "cannot mount a small tmpfs here"
    [[ "$output" == *"unshare"* ]] && skip "no user namespaces here"
    [ "$status" -eq 3 ]
    [ "${#lines[@]}" -eq 1 ]
    [[ "$output" =~ "cannot write in $PWD/disk, where this file needs at least "[0-9]{4,}" bytes: No space left on device"$ ]]
    [ "$(ls -A)" = disk ]
}

@test "a written manifest that does not fit on its disk is called by its name, and nothing is left" {
    mkdir disk
    python3 - <<'PY'
import json
files = [{"path": "%d/%0250d" % (i, i), "machine_name": "m%d" % i} for i in range(400)]
json.dump({"perfetto_manifest": {"version": 1, "files": files}}, open("m.json", "w"))
json.dump([{"ph": "X", "ts": 1, "dur": 1, "pid": 1, "tid": 1, "name": "a"}], open("a.json", "w"))
PY
    run unshare -r -m bash -c '
        mount -t tmpfs -o size=16k none disk || exit 99
        tm-merge -q -m m.json --write-manifest disk/used.json -o out.csv a.json
        echo "status $?"
        ls -A disk'
    [[ "$output" == *"unshare"* ]] && skip "no user namespaces here"
    [ "$status" -eq 99 ] && skip "cannot mount a small tmpfs here"
    [ "${#lines[@]}" -eq 2 ]
    [[ "${lines[0]}" =~ ^"tm-manifest: disk/used.json: cannot write in $PWD/disk, where this file needs at least "[0-9]+" bytes: No space left on device"$ ]]
    [ "${lines[1]}" = "status 3" ]
    [ ! -e out.csv ]
}

@test "text that does not fit on the disk for temporary files is called a temporary file" {
    python3 -c '
import json
print(json.dumps([{"ph": "X", "ts": i, "dur": 1, "pid": 1, "tid": 1, "name": "n", "args": {"text": "%0400d" % i}}
                  for i in range(5000)]))' | gzip >x.json.gz
    mkdir disk
    run unshare -r -m bash -c '
        mount -t tmpfs -o size=64k none disk || exit 99
        TMPDIR=$PWD/disk tm-merge -o out.json x.json.gz'
    [ "$status" -eq 99 ] && skip "cannot mount a small tmpfs here"
    [[ "$output" == *"unshare"* ]] && skip "no user namespaces here"
    [ "$status" -eq 3 ]
    [[ "$output" =~ ^"tm-unpack: temporary file: cannot write in $PWD/disk, where this file needs at least "[0-9]+" bytes: "[^:]*$ ]]
}

@test "events of any size come through the memory that stages share as through pipes" {
    python3 - <<'PY'
import json
events = [{"ph": "X", "ts": 10.0 * i, "dur": 5, "pid": 1, "tid": 2, "name": "e%d" % i,
           "args": {"text": chr(97 + i % 26) * n}} for i, n in enumerate(
    [10, 900_000, 1_000_000, 1_048_500, 1_048_576, 1_100_000, 2_097_152, 3_000_000, 9_000_000] * 2 + [7] * 20_000)]
json.dump({"traceEvents": events}, open("large.json", "w"))
PY
    tm-merge -q -o merged.jsonl large.json
    tm-unpack large.json | tm-manifest | tm-clocks | tm-sort | tm-emit -q -f jsonl >piped.jsonl
    [ "$(wc -l <merged.jsonl)" -ge 20018 ]
    cmp merged.jsonl piped.jsonl
}
