# tm-clocks on Perfetto protos: snapshots, machines, deferral, isolation. t/gen/make-proto.py generates them.

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
    . "$TM_SRC/t/lib/common.bash"
}

# Prints the times of the timed events of file N (of all files without N), in stream order.
times() {
    sed -n "/flags=untimed/d;s/^  \[[0-9]*\] time_ns=\([-0-9]*\) .*file=${1:-.*} .*/\1/p" frames.txt | xargs
}

accounts() {
    sed -n 's/^@[0-9]* Account //p' frames.txt
}

@test "the example of doc/clocks.md uses two hops, each with the snapshot before the event" {
    proto a.pb <<-'END'
	snap 6=1000 3=100
	snap 6=2000 3=1000
	snap 3=50 130=7
	snap 3=1050 130=900
	event 899 clock=130
	event 900 clock=130
	event 1500
	END
    placed_frames a.pb
    [ "$(times)" = "1842 2050 1500" ]
    grep -q 'clock=130 rule="snapshot" path="clock 130(host) -> MONOTONIC(host) -> BOOTTIME(host)" first_ns=1842 last_ns=2050 first_offset_ns=943 last_offset_ns=1150 snapshots_used=4 max_distance_ns=892 placed_count=2' frames.txt
}

@test "an event that cannot be converted yet is pending until the end of its file, in order" {
    proto a.pb <<-'END'
	event 10 clock=3
	event 5000 clock=6
	event 20 clock=3
	snap 6=1000 3=100
	event 30 clock=3
	event 7 clock=99 seq=1
	END
    placed_frames a.pb
    [ "$(times)" = "5000 930 910 920" ]
    [ "$(accounts)" = 'file=1 machine=0 clock=99 reason="unknown_source_clock" count=1' ]
    # The snapshot was too late to claim: the first event had already been converted.
    grep -q 'rule="private" path="BOOTTIME(host) = TRACE_FILE(-)"' frames.txt
}

@test "a time of an incremental clock counts from the event before it, also if no path to trace time is known yet" {
    proto a.pb <<-'END'
	snap 64=1000:incremental 65=5 seq=1
	event 10 clock=64 seq=1
	event 10 clock=64 seq=1
	snap 65=5 6=5000 seq=1
	END
    placed_frames a.pb
    [ "$(times)" = "5010 5020" ]
}

@test "more pending events than a batch are on disk" {
    { seq -f 'event %.0f clock=3' 70000; echo 'snap 6=1000 3=100'; } | proto a.pb
    mkdir spill
    tm-unpack a.pb | tm-clocks -T spill >stream
    run bash -o pipefail -c 'tm-sort stream | tm-emit -f frames | grep -c "^  \["'
    [ "$output" = 70000 ]
    tm-sort stream | tm-emit -f frames >frames.txt
    [[ $(times) == "901 902 903 "*" 70900" ]]
    [ -z "$(ls -A spill)" ]
    run bash -o pipefail -c 'tm-unpack a.pb | tm-clocks -T nowhere | wc -c'
    [ "$status" -eq 3 ]
}

@test "pending batches and pending single rows stay in their order" {
    {
        seq -f 'event %.0f clock=3' 20000
        for i in $(seq 20001 20020); do printf 'event %d clock=3\nevent 5%d clock=6\n' "$i" "$i"; done
        seq -f 'event %.0f clock=3' 20021 60000
        echo 'snap 6=1000 3=100'
    } | proto a.pb
    tm-unpack a.pb | tm-clocks -T . | tm-emit -f frames >frames.txt
    { seq 520001 520020; seq 901 60900; } | xargs >wanted
    times | diff -q - wanted
}

@test "sequence-scoped clocks are incremental, have a unit, and are reset by a snapshot" {
    proto a.pb <<-'END'
	snap 6=1000 64=5:incremental:unit=1000 seq=1
	snap 6=9000000 64=7:incremental:unit=1000 seq=2
	event 1 clock=64 seq=1
	event 1 clock=64 seq=2
	event 2 clock=64 seq=1
	snap 6=100000 64=50:incremental:unit=1000 seq=1
	event 1 clock=64 seq=1
	event 1 clock=64 seq=3
	END
    placed_frames a.pb
    [ "$(times)" = "2000 9001000 4000 101000" ]
    [ "$(accounts)" = 'file=1 machine=0 clock=64 reason="unknown_source_clock" count=1' ]
}

@test "the default clock is that of the sequence, then that of the file, then none" {
    proto a.pb <<-'END'
	event 77
	snap 1=5000 3=100 primary=1
	default 3 seq=9
	event 100 seq=9
	event 6000
	END
    placed_frames a.pb
    [ "$(times)" = "77 5000 6000" ]
    grep -q 'clock=0 rule="trace_time" path="taken as trace time"' frames.txt
    grep -q 'TraceTime clock=1 ' frames.txt
}

@test "refused snapshots are counted, and the stream continues" {
    proto a.pb <<-'END'
	snap 6=1000 3=100
	snap 6=900 3=200
	snap 6=1200 3=300 3=301
	snap 6=1300 128=4:incremental
	snap 6=1400:unit=10
	event 350 clock=3
	END
    placed_frames a.pb
    [ "$(times)" = 1250 ]
    grep -q 'Stat name="invalid_clock_snapshots" severity=ERROR value=4 machine=0 file=1' frames.txt
}

@test "a clock that runs backwards is no longer a source" {
    proto a.pb <<-'END'
	snap 6=1000 1=9000
	event 9000 clock=1
	snap 6=2000 1=8000
	event 9000 clock=1
	END
    placed_frames a.pb
    [ "$(times)" = 1000 ]
    [ "$(accounts)" = 'file=1 machine=0 clock=1 reason="no_path" count=1' ]
}

@test "a second file of a machine with snapshots of its own is isolated" {
    proto a.pb <<-'END'
	snap 6=1000 3=100
	event 100 clock=3
	END
    proto b.pb <<-'END'
	snap 6=9000 3=100
	event 100 clock=3
	END
    placed_frames a.pb b.pb
    [ "$(times 1)" = 1000 ]
    [ "$(times 2)" = 9000 ]
    grep -q 'rule="same_domain" path="MONOTONIC(host, b.pb) -> BOOTTIME(host, b.pb) = BOOTTIME(host)"' frames.txt
}

@test "microseconds in track events are on MONOTONIC, or trace time if nothing relates it so far" {
    proto a.pb <<-'END'
	snap 6=1000000 3=100000
	micros a 150 seq=1
	snap 6=9000000 3=2100000
	END
    printf 'micros %s seq=1\n' 'b 150' 'b 2200' | proto b.pb
    printf '%s\n' 'snap 6=5000000 1=77000000' 'micros c 150 seq=1' | proto c.pb
    printf '%s\n' 'micros d 150 seq=1' 'snap 6=5000000 3=77000' 'micros d 150 seq=1' | proto d.pb
    placed_frames b.pb
    [ "$(times)" = "150000 2200000" ]
    placed_frames d.pb
    [ "$(times)" = "150000 5073000" ]
    placed_frames a.pb b.pb c.pb d.pb
    [ "$(times 1)" = 1050000 ]
    [ "$(times 2)" = "1050000 9100000" ]
    # A file with snapshots of its own shares no clocks with the others.
    [ "$(times 3)" = 150000 ]
    [ "$(times 4)" = "1050000 150000" ]
    [ -z "$(accounts)" ]
    grep -q 'Placement file=2 machine=0 clock=3 rule="snapshot" path="MONOTONIC(host) -> BOOTTIME(host)"' frames.txt
    tm-merge -q -o m.db -o m.json -o m.pftrace run.tar
    tm-merge -q -o again.db m.pftrace
    for merged in m.db again.db; do
        [ "$(sqlite3 $merged "SELECT group_concat(ts, ' ') FROM (SELECT ts FROM slice WHERE name = 'b' ORDER BY ts)")" = \
            "1050000 9100000" ]
    done
    [ "$(sed -n '/"name":"b"/s/.*"ts":\([0-9.]*\),.*/\1/p' m.json | xargs)" = "1050 9100" ]
}

@test "microseconds in track events of another machine are on its MONOTONIC, those of a pinned file on its own timeline" {
    proto a.pb <<-'END'
	snap 6=1000000 3=100000
	event 1000000
	micros remote 150 seq=1 m=7
	snap 6=2000000 3=100000 m=7
	micros remote 150 seq=1 m=7
	END
    placed_frames a.pb
    [ "$(times)" = "1000000 150000 2050000" ]
    echo 'micros c 150 seq=1' | proto c.pb
    printf 'snap 6=1000000 3=100000\nevent 1000000\n' | proto b.pb
    echo '{"perfetto_manifest": {"version": 1, "files": [{"path": "b.pb"},
        {"path": "c.pb", "clocks": {"sync_to": {"file": "b.pb", "clock": "BOOTTIME"}}}]}}' >manifest.json
    placed_frames manifest.json b.pb c.pb
    grep -q 'time_ns=150000 .*clock=11 ' frames.txt
}

@test "two machines are related by REALTIME" {
    echo '{"perfetto_manifest": {"version": 1, "files": [{"path": "a.pb", "machine": {"name": "phone"}},
        {"path": "b.pb", "machine": {"name": "watch"}}]}}' >manifest.json
    proto a.pb <<-'END'
	snap 6=1000 1=1000000
	event 1000
	END
    proto b.pb <<-'END'
	snap 6=5 1=1000500
	event 5
	END
    placed_frames manifest.json a.pb b.pb
    [ "$(times 3)" = 1500 ]
    grep -q 'rule="rendezvous" path="BOOTTIME(watch) -> REALTIME(watch) = REALTIME(phone) -> BOOTTIME(phone)"' frames.txt
}

@test "the host row adopts the only embedded machine id, but none of two" {
    proto a.pb <<-'END'
	marker
	snap 6=1000 m=7
	event 1000 m=7
	END
    placed_frames a.pb
    [ "$(grep -o 'Machine id.*' frames.txt)" = $'Machine id=0 raw_id=0\nMachine id=0 raw_id=7' ]
    [[ $(grep -o 'kind=.*' frames.txt) != *machine=1* ]]
    proto b.pb <<-'END'
	event 1000
	snap 6=1000 m=7
	event 1000 m=7
	name watch m=7
	END
    placed_frames b.pb
    [ "$(grep -o 'Machine id.*' frames.txt)" = $'Machine id=0 raw_id=0\nMachine id=1 raw_id=7\nMachine id=1 raw_id=7 name="watch"' ]
}

@test "an id is not adopted after another file had data on the host" {
    echo 'event 5' | proto a.pb
    echo 'event 6 m=7' | proto b.pb
    placed_frames a.pb b.pb
    [ "$(grep -o 'Machine id.*' frames.txt)" = $'Machine id=0 raw_id=0\nMachine id=1 raw_id=7' ]
}

@test "a remote clock sync relates a machine to the host" {
    proto a.pb <<-'END'
	snap 6=100000
	event 100000
	sync client 6=1000 host 6=100000 / client 6=1200 host 6=100200 m=7
	event 1100 m=7 clock=6
	END
    placed_frames a.pb
    # ((1000 + 1200)/2 - 100000 + 1200 - (100000 + 100200)/2) / 2 = -98900
    [ "$(times)" = "100000 100000" ]
    grep -q 'ClockRow ts_ns=100200 clock=6 value=1300 snapshot=3 machine=1' frames.txt
}

@test "readings beyond the limit, from before a machine was related, are counted" {
    { echo 'snap 6=100000'; echo 'event 100000'; } | proto a.pb
    { seq 21846 | sed 's/.*/snap 6=& 3=& 2=& m=7/'
      seq 8 | sed 's/.*/snap 3=& 6=& m=8/'
      echo 'sync client 6=1000 host 6=100000 / client 6=1200 host 6=100200 m=7'
      echo 'event 1100 m=7 clock=6'; } | proto b.pb
    tm-merge -o m.pftrace a.pb b.pb 2>said
    # Machine 7 has 65538 readings, and two in the sync; the limit is 65536. Machine 8 is never related, so nothing of it
    # is lost.
    grep facts said | diff - <(echo 'tm-emit: warning: b.pb: loss of data, facts_beyond_limits = 4 (Names and similar facts that were left out, because of a limit)')
    tm-merge -q -f report --json a.pb b.pb | \
        jq -c '[.stats[] | select(.name == "facts_beyond_limits") | .machine, .value]' | diff - <(echo '[1,4]')
}

@test "a violation of the manifest is found at the packet that violates it" {
    echo 'event 6 m=7' | proto a.pb
    echo '{"perfetto_manifest": {"version": 1, "files": [{"path": "a.pb", "machines": [{"id": 8, "name": "vm"}]}]}}' >m.json
    tar cf run.tar a.pb m.json
    run bash -c 'tm-unpack run.tar | tm-manifest | tm-clocks | wc -c'
    [[ $output == *"tm-clocks: a.pb: perfetto_manifest: machines: trace has a packet from undeclared machine id 7"* ]]
    echo '{"perfetto_manifest": {"version": 1, "files": [{"path": "a.pb", "machine": {"name": "vm"}}]}}' >m.json
    tar cf run.tar a.pb m.json
    run bash -c 'tm-unpack run.tar | tm-manifest | tm-clocks | wc -c'
    [[ $output == *"tm-clocks: a.pb: perfetto_manifest: machine attributes the whole file to one machine"* ]]
    { echo 'event 1'; echo 'snap 6=1000'; } | proto a.pb
    echo '{"perfetto_manifest": {"version": 1, "files": [{"path": "a.pb", "clocks": {"sync_to": {"file": "b.pb"}}},
        {"path": "b.pb"}]}}' >m.json
    echo 'event 1' | proto b.pb
    tar cf run.tar a.pb b.pb m.json
    run bash -c 'tm-unpack run.tar | tm-manifest | tm-clocks | wc -c'
    [[ $output == *"tm-clocks: a.pb: byte "*": perfetto_manifest: clock overrides require the trace to use a single clock"* ]]
}

@test "every timestamp of a pinned proto is a reading of its private timeline" {
    { echo 'event 10'; echo 'event 20 clock=6'; } | proto a.pb
    { echo 'snap 6=1000'; echo 'event 1000'; } | proto b.pb
    echo '{"perfetto_manifest": {"version": 1, "trace_time": {"clock": "BOOTTIME", "file": "b.pb"}, "files": [
        {"path": "a.pb", "clocks": {"sync_to": {"file": "b.pb", "clock": "BOOTTIME"}, "offset_ns": 500}}, {"path": "b.pb"}]}}' >m.json
    placed_frames m.json a.pb b.pb
    [ "$(times 2)" = "510 520" ]
}

@test "clocks.machine and sync_to.machine choose the machine of a file with several" {
    printf '%s\n' 'snap 6=1000' 'event 2000' 'event 3000 m=7 clock=6' | proto a.pb
    printf '%s\n' 'snap 6=5000' 'event 6000' | proto b.pb
    echo '{"perfetto_manifest": {"version": 1, "trace_time": {"clock": "BOOTTIME", "file": "a.pb", "machine": "h"}, "files": [
        {"path": "a.pb", "machines": [{"id": 0, "name": "h"}, {"id": 7, "name": "v"}], "clocks":
            {"machine": "v", "clock": "BOOTTIME", "sync_to": {"file": "b.pb", "clock": "BOOTTIME"}, "offset_ns": -400}},
        {"path": "b.pb", "machine": {"name": "w"}, "clocks":
            {"clock": "BOOTTIME", "sync_to": {"file": "a.pb", "machine": "h", "clock": "BOOTTIME"}, "offset_ns": 10000}}]}}' >m.json
    placed_frames m.json a.pb b.pb
    [ "$(times 2)" = "2000 12600" ] # v reads 400 more than w, which reads 10000 less than h
    [ "$(times 3)" = 16000 ]
    sed -i 's/"machine": "v"/"machine": "h"/' m.json # now it is a relation of h
    placed_frames m.json a.pb b.pb
    grep -q 'edges={ source={ machine_raw_id=4294967296 ' frames.txt
}

@test "of two captures of one device, an entry related to the same clock isolates its file" {
    { echo 'snap 6=1000 3=100'; echo 'event 100 clock=3'; } | proto a.pb
    { echo 'snap 6=10 3=5'; echo 'event 5 clock=3'; } | proto b.pb
    echo '{"perfetto_manifest": {"version": 1, "files": [{"path": "a.pb"},
        {"path": "b.pb", "clocks": {"clock": "BOOTTIME", "sync_to": {"file": "a.pb", "clock": "BOOTTIME"}, "offset_ns": 5000}}]}}' >m.json
    placed_frames m.json a.pb b.pb
    [ "$(times 2)" = 1000 ]
    [ "$(times 3)" = 5010 ]
    grep -q 'path="MONOTONIC(host, b.pb) -> BOOTTIME(host, b.pb) -manifest-> BOOTTIME(host)"' frames.txt
}

@test "times that do not fit into 64 bits are dropped and do not wrap around" {
    proto a.pb <<-'END'
	snap 6=9223372036854775800 3=0
	event 7 clock=3
	event 8 clock=3
	END
    placed_frames a.pb
    [ "$(times)" = 9223372036854775807 ]
    [ "$(accounts)" = 'file=1 machine=0 clock=3 reason="out_of_range" count=1' ]
}

# The reference importer gives 3 for the trace time clock, 101000 for the event, and does not place the event of b.pb.
@test "the clock pair of an ftrace bundle relates clocks, but chooses neither the default clock nor trace time" {
    echo 'bundle 1000 500 100500 seq=1' | proto a.pb
    printf '%s\n' 'snap 6=200000 3=150000 primary=3' 'event 160000' | proto b.pb
    placed_frames a.pb b.pb
    [ "$(times 1)" = 101000 ]
    [ "$(times 2)" = '' ]
    [ "$(accounts)" = 'file=2 machine=0 clock=3 reason="unknown_target_clock" count=1' ]
    grep -q '^@[0-9]* TraceTime .*clock=3' frames.txt
    { echo 'bundle 1000 500 100500 seq=1'; cat <<<'event 7'; } | proto c.pb
    placed_frames c.pb
    [ "$(times)" = '101000 7' ]
    ! grep -q TraceTime frames.txt || false
}

@test "times inside of packets place no file: each output has an event that only an assumption relates" {
    PYTHONPATH=$TM_SRC/t/gen python3 - <<'END' >a.pftrace
import sys
from wire import field, message
clocks = message(*[(1, message((1, c), (2, t))) for c, t in ((6, 10 ** 12), (1, 16 * 10 ** 17))])
for packet in (((6, clocks), (8, 10 ** 12)),
               ((44, message((1, 100), (2, 101), (6, 10 ** 9))), (10, 1), (13, 1)), # reference_timestamp_us
               ((6, clocks), (8, 10 ** 12), (98, 7)),
               ((11, message((9, 1), (23, 'z'))), (8, 10 ** 12 + 1000), (10, 1))):
    sys.stdout.buffer.write(field(1, message(*packet)))
END
    for output in pftrace jsonl report; do
        tm-merge -q -f $output -o out.$output a.pftrace
    done
    [ "$(tm-merge -q -f jsonl out.pftrace | jq -r 'select(.kind == "slice") | "\(.name) \(.ts)"')" = 'z 1000000001000' ]
    [ "$(jq -r 'select(.kind == "slice") | "\(.name) \(.ts)"' out.jsonl)" = 'z 1000000001000' ]
    grep -qF '1 event read, 1 placed, 0 dropped' out.report
}
