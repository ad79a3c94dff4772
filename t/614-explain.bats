# tm-merge --explain, tm-emit -f explain: the reason for the place of each file, and manifest entries that move it or
# place its dropped events. The tests put these suggestions into a manifest and try them.

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
    . "$TM_SRC/t/lib/common.bash"
}

paste_suggestion() {
    python3 "$TM_SRC/t/check/paste-suggestion.py" "$@"
}

# Prints the times of the events of FILE in the merge of the other ARGUMENTS.
times() {
    local file=$1
    shift
    tm-merge -f jsonl --events "$@" | python3 -c 'import json, sys
print(*[e["ts"] for e in map(json.loads, sys.stdin) if e["file"] == sys.argv[1] and "ts" in e and "derived" not in e])' "$file"
}

wall_clocks() {
    proto phone.pb <<-'END'
	snap 6=1000000000 1=1700000000000000000
	event 2000000000
	END
    proto watch.pb <<-'END'
	snap 6=5000000000 1=1700000001000000000
	event 5000000000
	snap 6=6000000000 1=1700000002000005000
	event 6000000000
	END
    cat >m.json <<-'END'
	{"perfetto_manifest": {"version": 1, "files": [
	    {"path": "phone.pb", "machine": {"name": "phone"}}, {"path": "watch.pb", "machine": {"name": "watch"}}]}}
	END
}

@test "each rule of the demo archive is explained in words" {
    tm-merge --explain "$TM_SRC/doc/examples/phone-watch-app.tar" >why
    grep -qx 'The timeline is BOOTTIME of phone, as trace_time in the manifest says.' why
    grep -qx 'watch.pftrace on watch' why
    grep -q '^  REALTIME rendezvous: ' why
    grep -qx '    BOOTTIME(watch) to REALTIME(watch), snapshots: 5000.000000000 s = 1750000000.200000000 s' why
    grep -qx '    REALTIME(watch) to REALTIME(phone), assumed to read the same' why
    grep -q '^  Clock override: the manifest pins' why
    grep -qx '    TRACE_FILE(app_log.json) to BOOTTIME(phone), the manifest: 0.000000000 s = 0.250000000 s' why
    [ "$(grep -c '^  What would move it: ' why)" -eq 3 ]
    grep -qx 'All 26 events are on the timeline.' why
}

@test "drift, distance and readings are numbers that can be checked" {
    wall_clocks
    tm-merge --explain -m m.json phone.pb watch.pb >why
    # watch.pb: 1 s apart; the wall clock gains 5 us, which is 5 ppm.
    grep -qx '  Offset -3s at the first event, -2.999995s at the last: +5us in 1.000005s, a drift of +4.999 ppm.' why
    grep -qx '    BOOTTIME(watch) to REALTIME(watch), snapshots: 5.000000000 s = 1700000001.000000000 s, ..., 6.000000000 s = 1700000002.000005000 s' why
    # The snapshot of phone is 1 s, then 2 s away.
    grep -qx '  3 snapshots were used; the farthest that an event is from one is 2.000005s.' why
}

@test "an assumption can be stated in the manifest, and moved there" {
    wall_clocks
    tm-merge --explain -m m.json phone.pb watch.pb >why
    before=$(times watch.pb -m m.json phone.pb watch.pb)
    [ "$before" = "2000000000 3000005000" ]
    paste_suggestion why m.json >same.json
    tm-manifest --check same.json
    [ "$(times watch.pb -m same.json phone.pb watch.pb)" = "2000000000 3000000000" ]
    BY=77 paste_suggestion why m.json >moved.json
    [ "$(times watch.pb -m moved.json phone.pb watch.pb)" = "2000000077 3000000077" ]
    tm-merge --explain -m moved.json phone.pb watch.pb | grep -q '^  Manifest path: '
}

@test "a guess, a timeline of its own or a clock of the same kind, can be stated in the manifest too" {
    proto a.pb <<-'END'
	snap 6=1000 3=1000
	event 2000
	END
    proto b.pb <<-'END'
	snap 6=1000 3=900
	event 7000
	END
    echo '[{"ph":"i","ts":5,"pid":1,"tid":1,"s":"t"}]' >c.json
    echo '{"perfetto_manifest": {"version": 1, "files": [{"path": "a.pb"}, {"path": "b.pb", "machine": {"name": "b"}}]}}' >m.json
    tm-merge --explain -m m.json a.pb b.pb c.json >why
    grep -q '^  Same-domain assumption: ' why
    grep -q '^  Assumption: nothing relates a timeline of the file' why
    [ "$(grep -cx '  What would move it: .*, or one that tm-merge --align finds in the events.' why)" = 2 ]
    BY=10 paste_suggestion why m.json >moved.json
    tm-manifest --check moved.json
    [ "$(times b.pb -m moved.json a.pb b.pb c.json)" = 7010 ]
    [ "$(times c.json -m moved.json a.pb b.pb c.json)" = 5010 ]
}

@test "a second capture of one machine is moved alone" {
    proto a.pb <<-'END'
	snap 6=1000 3=900 primary=3
	event 2000
	event 2200 clock=6
	END
    proto b.pb <<-'END'
	snap 6=5000
	event 6000
	END
    tm-merge --explain a.pb b.pb >why
    grep -q '^  Same-domain assumption: ' why
    BY=7 paste_suggestion why >moved.json
    tm-manifest --check moved.json
    [ "$(times b.pb a.pb b.pb)" = 5900 ]
    [ "$(times b.pb -m moved.json a.pb b.pb)" = 5907 ]
    [ "$(times a.pb -m moved.json a.pb b.pb)" = "2000 2100" ]
}

# Makes a.pb, on the host, and guest.pb: its packets have machine id 7, and a clock synchronization comes after an event.
late_sync() {
    proto a.pb <<-'END'
	snap 6=100000000000 3=90000000000
	event 100000000000
	END
    proto guest.pb <<-'END'
	event 100000000001
	snap 6=50000000000 3=40000000000 m=7
	event 50000000000 m=7
	sync client 6=50000000000 host 6=100000000000 / client 6=50000001000 host 6=100000001000 m=7
	event 50000002000 m=7
	END
}

@test "a clock synchronization that comes after an assumption was made is mentioned" {
    late_sync
    [ "$(times guest.pb a.pb guest.pb)" = "50000000000 50000002000 100000000001" ]
    tm-merge --explain a.pb guest.pb >why
    late='a clock synchronization that comes after its first event is not used: BOOTTIME 50.000001500 s = 100.000001000 s of host'
    grep -A 3 '^  Same-domain assumption: ' why | grep -q "^  Evidence: $late"
    tm-merge -o x.csv a.pb guest.pb 2>warnings
    grep -q "so the two are assumed to be one clock; $late" warnings
}

@test "no entry is suggested for a machine whose id packets carry, unless the manifest declares it" {
    late_sync
    tm-merge --explain a.pb guest.pb >why
    [ "$(grep -c '"path": "guest.pb"' why)" -eq 0 ]
    grep -q '^  The manifest can state it if it declares the machine ids of the packets (machines)\.$' why
    proto dropped.pb <<-'END'
	event 100000000001
	event 50000000000 m=7 clock=1
	END
    tm-merge --explain a.pb dropped.pb >dropped
    grep -A 1 '^  1 event on REALTIME dropped' dropped | grep -q '^  A manifest can relate this clock if it declares the machine ids'
    cat >m.json <<-'END'
	{"perfetto_manifest": {"version": 1, "files": [{"path": "a.pb", "machine": {"name": "phone"}},
	    {"path": "guest.pb", "machines": [{"id": 0, "name": "phone"}, {"id": 7, "name": "guest"}]}]}}
	END
    tm-merge --explain -m m.json a.pb guest.pb >why
    grep -q '"machines": .*"clocks": {"clock": "BOOTTIME", "machine": "guest", "sync_to"' why
    BY=5 paste_suggestion why m.json >moved.json
    [ "$(times guest.pb -m moved.json a.pb guest.pb)" = "50000000005 50000002005 100000000001" ]
}

@test "a clock without relations gets a manifest that relates it, if there is none" {
    proto a.pb <<-'END'
	snap 6=1000000000 1=1700000000000000000
	event 2000000000
	END
    cat >c.systrace <<-'END'
	# tracer: nop
	  app-100   (  100) [000] .... 3.000100: tracing_mark_write: B|100|x
	  app-100   (  100) [000] .... 3.000200: tracing_mark_write: E|100
	END
    tm-merge --explain a.pb c.systrace >why
    grep -qx '  2 events on MONOTONIC dropped, unknown_source_clock: nothing that was recorded mentions their clock.' why
    grep -q 'Replace each offset_ns of 0' why
    run tm-merge --strict -o x.csv a.pb c.systrace
    [ "$status" -eq 4 ]
    paste_suggestion why >fixed.json
    tm-manifest --check fixed.json
    tm-merge --strict -m fixed.json -o x.csv a.pb c.systrace
    [ "$(times c.systrace -m fixed.json a.pb c.systrace)" = "3000100000 3000200000" ]
}

@test "a manifest that names machines, one of several in a file, gets an entry for such a clock" {
    proto a.pb <<-'END'
	snap 6=1000 3=1000
	event 2000
	snap 6=100 m=7
	event 300 m=7
	event 400 m=7 clock=3
	END
    cat >m.json <<-'END'
	{"perfetto_manifest": {"version": 1, "trace_time": {"clock": "BOOTTIME", "file": "a.pb", "machine": "host"}, "files": [
	    {"path": "a.pb", "machines": [{"id": 0, "name": "host"}, {"id": 7, "name": "vm"}]}]}}
	END
    tm-merge --explain -m m.json a.pb >why
    grep -q '^  1 event on MONOTONIC dropped, unknown_source_clock' why
    python3 "$TM_SRC/t/check/paste-suggestion.py" <(sed -n '/[Tt]o place them\|would place them/,$p' why) m.json >fixed.json
    tm-manifest --check fixed.json
    grep -q '"machine": "vm"' fixed.json
    [ "$(times a.pb -q -m fixed.json a.pb | xargs -n1 | sort -n | xargs)" = "300 400 2000" ]
}

@test "events before the start of trace time get a timeline that begins earlier, with the other files in place" {
    for rank in 0 1 2; do
        python3 -c 'import json, sys
rank = int(sys.argv[1])
json.dump([{"ph": "i", "ts": 10 * i + rank, "pid": rank, "tid": 1, "s": "t"} for i in range(1, 6)], sys.stdout)' $rank >rank$rank.json
    done
    cat >m.json <<-'END'
	{"perfetto_manifest": {"version": 1, "files": [{"path": "rank0.json", "machine": {"name": "rank 0"}},
	    {"path": "rank1.json", "clocks": {"sync_to": {"file": "rank0.json"}, "offset_ns": -30000}}]}}
	END
    tm-merge --explain -m m.json rank?.json >why
    grep -qx '  2 events on TRACE_FILE dropped, negative_time: they lie before the start of trace time, the earliest by 19us.' why
    grep -qx '  The manifest below places them.' why
    sed -n '/[Tt]o place them\|would place them/,$p' why >suggestion
    paste_suggestion suggestion m.json >fixed.json
    tm-manifest --check fixed.json
    tm-merge --strict -m fixed.json -o x.csv rank?.json
    [ "$(times rank1.json -m fixed.json rank?.json)" = "999981000 999991000 1000001000 1000011000 1000021000" ]
    [ "$(times rank0.json -m fixed.json rank?.json)" = "1000010000 1000020000 1000030000 1000040000 1000050000" ]
    [ "$(times rank2.json -m fixed.json rank?.json)" = "1000012000 1000022000 1000032000 1000042000 1000052000" ]
}

@test "events before the start of trace time get an earlier timeline if the wall clock is known" {
    wall_clocks
    sed -i 's/"name": "watch"}/&, "clocks": {"clock": "BOOTTIME", "sync_to": {"file": "phone.pb", "clock": "BOOTTIME"}, "offset_ns": -5500000000}/' m.json
    tm-merge --explain -m m.json phone.pb watch.pb >why
    grep -q '^  1 event on BOOTTIME dropped, negative_time' why
    sed -n '/[Tt]o place them\|would place them/,$p' why >suggestion
    run grep -c path suggestion
    [ "$output" = 0 ]
    paste_suggestion suggestion m.json >fixed.json
    tm-manifest --check fixed.json
    tm-merge --strict -m fixed.json -o x.csv phone.pb watch.pb
    [ "$(times phone.pb -m fixed.json phone.pb watch.pb)" = 1700000001000000000 ]
    [ "$(times watch.pb -m fixed.json phone.pb watch.pb)" = "1699999998500000000 1699999999500000000" ]
}

@test "drops that no manifest can avoid are explained with what would" {
    proto a.pb <<-'END'
	snap 6=1000 3=100
	event 2000
	event 7 clock=99 seq=1
	END
    tm-merge --explain a.pb >why
    grep -q '^  1 event on clock 99 dropped, unknown_source_clock' why
    grep -q '^  Record clock snapshots that relate it to BOOTTIME' why
    ! grep -q 'place them' why || false
    echo '[{"ph":"X","ts":1,"dur":1,"pid":1,"tid":1,"name":"x"},{"ph":"X","dur":1,"pid":1,"tid":1,"name":"y"}]' >b.json
    tm-merge --explain b.json >why
    grep -q '^  1 event dropped, no_time: it has no time, first at byte ' why
    grep -qx '2 events, 1 on the timeline, 1 dropped.' why
}

@test "a relation of machines is named as such, and names are escaped" {
    proto a.pb <<-'END'
	snap 6=1000
	event 2000
	sync client 6=100 host 6=1100 / client 6=200 host 6=1200 m=7
	event 300 m=7
	END
    tm-merge --explain a.pb >why
    grep -q '^  Machine relation: ' why
    grep -q ', clock synchronization between the machines: ' why
    grep -q '^  1 event on BOOTTIME of machine 7, from ' why
    cp a.pb $'e\033[7m"\n.pb'
    cp a.pb e2.pb
    tm-merge --explain ./e* >why
    ! LC_ALL=C grep -q $'\033' why || false
    grep -qF 'e\x1b[7m"\x0a.pb on ' why
}

# If each placement were compared with all others of its file, this would take fifteen times as long.
@test "the time for placements grows with their number" {
    PYTHONPATH=$TM_SRC/t/gen python3 - >a.pb <<'PY'
import sys
from wire import field, message
START, CLOCKS, FIRST = 10**9, 60000, 200
for i in range(CLOCKS):
    readings = [(6, START + i), (FIRST + i, START + 2 * i)]
    snapshot = b"".join(field(1, message((1, clock), (2, value))) for clock, value in readings)
    sys.stdout.buffer.write(field(1, field(6, snapshot)))
for i in range(CLOCKS):
    event = message((9, 3), (23, "x"))
    sys.stdout.buffer.write(field(1, message((8, START + 2 * i), (58, FIRST + i), (10, 5), (11, event))))
PY
    for file in b c d; do
        cp a.pb $file.pb
    done
    cpu_seconds 45 tm-merge --explain [abcd].pb >why
    [ "$(grep -c '^  1 event on clock ' why)" = 240000 ]
}

@test "--explain writes no output, and prints what tm-emit -f explain prints for the stream" {
    wall_clocks
    tm-merge --explain -m m.json -o out.pftrace phone.pb watch.pb >why
    [ ! -e out.pftrace ]
    tm-unpack phone.pb watch.pb | tm-manifest -m m.json | tm-clocks | tm-emit -f explain | cmp - why
    tm-merge -f report -m m.json phone.pb watch.pb | grep -q '^    REALTIME rendezvous: '
    tm-merge -f report --json -m m.json phone.pb watch.pb | python3 -c 'import json, sys
hops = json.load(sys.stdin)["placements"][1]["hops"]
assert [h["origin"] for h in hops] == ["snapshot", "rendezvous", "snapshot"], hops'
    run bash -o pipefail -c 'tm-unpack phone.pb | tm-emit -f explain'
    [[ $output == *"the events are not on trace time, which explain needs"* ]]
}
