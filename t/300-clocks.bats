# tm-clocks: machines, trace time, placement and dropped events, shown as frames.

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
    . "$TM_SRC/t/lib/common.bash"
    echo '[{"ph":"X","pid":1,"tid":1,"ts":5,"dur":1,"name":"j"}]' >a.json
    echo '[{"ph":"X","pid":1,"tid":1,"ts":7,"dur":1,"name":"k"}]' >b.json
    printf '# tracer: nop\n#\n  app-100 (  100) [001] ...1  2.000001: tracing_mark_write: B|100|s\n' >c.systrace
}

placements() {
    sed -n 's/^@[0-9]* Placement //p' frames.txt
}

@test "the first file to claim owns trace time, and a private timeline is placed on it" {
    placed_frames a.json b.json
    run placements
    [ "${lines[0]}" = 'file=1 machine=0 clock=11 rule="trace_time" path="TRACE_FILE(a.json)" first_ns=5000 last_ns=5000 first_offset_ns=0 last_offset_ns=0 snapshots_used=0 placed_count=1 uncertainty_ns=0 uncertainty_from="trace_time"' ]
    [ "${lines[1]}" = 'file=2 machine=0 clock=11 rule="private" path="TRACE_FILE(b.json) = TRACE_FILE(a.json)" first_ns=7000 last_ns=7000 first_offset_ns=0 last_offset_ns=0 snapshots_used=0 placed_count=1 hops={ from="TRACE_FILE(b.json)" to="TRACE_FILE(a.json)" from_clock=11 to_clock=11 same_machine=true origin="private" first_from_ns=0 first_to_ns=0 last_from_ns=0 last_to_ns=0 } uncertainty_from="assumption"' ]
    grep -q 'Machine id=0 raw_id=0$' frames.txt
    grep -q 'TraceTime clock=11 machine=0 file=1$' frames.txt
    grep -q 'Metadata name="trace_time_clock_id" int_value=11' frames.txt
}

@test "an edge of a manifest moves a file, and is a row of clock_snapshot" {
    cat >manifest.json <<-'END'
	{"perfetto_manifest": {"version": 1, "trace_time": {"clock": "MONOTONIC", "file": "c.systrace"}, "files": [
	  {"path": "c.systrace", "machine": {"name": "phone"}},
	  {"path": "a.json", "clocks": {"sync_to": {"file": "c.systrace", "clock": "MONOTONIC"}, "offset_ns": 250}}]}}
	END
    placed_frames manifest.json a.json c.systrace
    run placements
    [[ ${lines[0]} == *'rule="manifest" path="TRACE_FILE(a.json) -manifest-> MONOTONIC(phone)" first_ns=5250 last_ns=5250 first_offset_ns=250'* ]]
    [[ ${lines[1]} == *'rule="trace_time" path="MONOTONIC(phone)" first_ns=2000001000 '* ]]
    run grep ClockRow frames.txt
    [[ ${lines[0]} == *'ClockRow ts_ns=250 clock=11 value=0 snapshot=0 machine=1 origin="manifest"' ]]
    [[ ${lines[1]} == *'ClockRow ts_ns=250 clock=3 value=250 snapshot=0 machine=0 origin="manifest"' ]]
    [ "${#lines[@]}" -eq 2 ]
}

@test "trace time without a file in the manifest is on the machine of the first row" {
    cat >manifest.json <<-'END'
	{"perfetto_manifest": {"version": 1, "trace_time": {"clock": "MONOTONIC"}, "files": [
	  {"path": "c.systrace", "machine": {"name": "phone"}}]}}
	END
    placed_frames manifest.json a.json c.systrace
    run placements
    [[ ${lines[0]} == *'file=2 machine=1 clock=11 rule="private" path="TRACE_FILE(a.json) = MONOTONIC(phone)"'* ]]
    [[ ${lines[1]} == *'file=3 machine=0 clock=3 rule="trace_time" path="MONOTONIC(phone)"'* ]]
}

@test "events on clocks that nothing relates are dropped and accounted for" {
    cat >manifest.json <<-'END'
	{"perfetto_manifest": {"version": 1, "trace_time": {"clock": "BOOTTIME"}}}
	END
    placed_frames manifest.json c.systrace a.json
    run grep -o 'Account.*' frames.txt
    [ "$output" = 'Account file=2 machine=0 clock=3 reason="unknown_source_clock" count=1' ]
    run placements
    [[ ${lines[1]} == *'rule="none" path=""'*'placed_count=0' ]]
    run grep -o 'Stat.*' frames.txt
    [ "${lines[0]}" = 'Stat name="clock_sync_failure_unknown_source_clock" severity=ERROR value=1 machine=0 file=2 from_trace=false' ]
    [ "${lines[1]}" = 'Stat name="clock_sync_unrelatable_clock_domains" severity=ERROR value=1 machine=0 file=2 from_trace=false' ]
    run bash -o pipefail -c 'tm-unpack run.tar | tm-manifest | tm-clocks --strict | wc -c'
    [ "$status" -eq 4 ]
    [[ $output == *"tm-clocks: 1 events could not be placed"* ]]
}

@test "times before the start of trace time are dropped" {
    cat >manifest.json <<-'END'
	{"perfetto_manifest": {"version": 1, "files": [{"path": "a.json"},
	  {"path": "b.json", "clocks": {"sync_to": {"file": "a.json"}, "offset_ns": -7001}}]}}
	END
    placed_frames manifest.json a.json b.json
    grep -q 'Account file=3 machine=0 clock=11 reason="negative_time" count=1 earliest_ns=-1$' frames.txt
    grep -q 'Stat name="trace_sorter_negative_timestamp_dropped"' frames.txt
    sed -i s/7001/7000/ manifest.json
    placed_frames manifest.json a.json b.json
    [[ $(placements) == *'first_ns=0 last_ns=0 first_offset_ns=-7000'* ]]
}

@test "an unread manifest and a sorted stream are refused, and a placed stream passes through" {
    echo '{"perfetto_manifest": {"version": 1}}' >manifest.json
    tar cf run.tar manifest.json a.json
    run bash -c 'tm-unpack run.tar | tm-clocks | wc -c'
    [[ $output == *"tm-clocks: the stream's manifest has not been read yet: pipe it through tm-manifest first"* ]]
    run bash -c 'tm-unpack a.json | tm-sort | tm-clocks | wc -c'
    [[ $output == *"tm-clocks: the stream was sorted before its times were placed"* ]]
    tm-unpack a.json b.json | tm-clocks >once
    tm-clocks <once >twice
    cmp once twice
}

@test "a cut stream is an error that names the byte" {
    tm-unpack a.json >stream
    for n in 0 1 17 60 150; do
        head -c $n stream >cut
        run bash -c 'tm-clocks <cut | wc -c'
        [[ $output == *"tm-clocks: byte "* ]]
    done
}

@test "a wrong command line is exit 2" {
    run tm-clocks --nonsense
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "tm-clocks: unknown option '--nonsense'" ]
    run tm-clocks stream
    [ "$status" -eq 2 ]
    run tm-clocks --version
    [ "$status" -eq 0 ]
}

@test "--hints places a file by the hints that it states, even at its end" {
    printf 'snap 6=1000000 1=1700000000000000000\nevent 1000000\n' | python3 "$TM_SRC/t/gen/make-proto.py" >p.pb
    echo '{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":5,"dur":1,"name":"x"},{"ph":"X","pid":1,"tid":1,"ts":9,"dur":1,"name":"y"}],"beginningOfTime":1700000000000000}' >clang.json
    tar cf run.tar p.pb clang.json a.json
    tm-unpack --hints run.tar >stream
    tm-clocks <stream | tm-emit -f frames >frames.txt
    [[ $(placements) == *'path="TRACE_FILE(clang.json) = BOOTTIME(host)" first_ns=5000 '* ]]
    tm-clocks --hints <stream | tm-emit -f frames >frames.txt
    [[ $(placements) == *'rule="hint" path="TRACE_FILE(clang.json) -hint-> REALTIME(host) -> BOOTTIME(host)" first_ns=1005000 last_ns=1009000 first_offset_ns=1000000'* ]]
    [[ $(placements) == *'path="TRACE_FILE(a.json) = BOOTTIME(host)" first_ns=5000 '* ]]
    grep -q 'ClockRow ts_ns=1000000 clock=11 value=0' frames.txt
}

@test "with the manifest of --write-manifest every event has the same time without --hints" {
    printf 'snap 6=1000000 1=1700000000000000000 3=900000\nevent 1000000\n' | python3 "$TM_SRC/t/gen/make-proto.py" >p.pb
    ev='{"ph":"X","pid":1,"tid":1,"ts":5,"dur":1,"name":"x"}'
    echo "{\"traceEvents\":[$ev],\"beginningOfTime\":1700000000000000}" >clang.json
    echo "{\"traceEvents\":[$ev],\"metadata\":{\"clock-domain\":\"LINUX_CLOCK_MONOTONIC\"}}" >chrome.json
    gzip -k chrome.json
    mkdir sub
    cp clang.json sub/two.json
    printf '# tracer: nop\n  app-100 (  100) [001] ...1  1.5: tracing_mark_write: trace_event_clock_sync: realtime_ts=1699999998000\n  app-100 (  100) [001] ...1  2.5: tracing_mark_write: B|100|s\n' >early.txt
    placed() { # MANIFEST FILE...: compares the times with hints and with their manifest
        rm -f m.json
        tm-merge --hints --write-manifest m.json -f csv "$@" >hinted.csv
        tm-manifest --check m.json
        tm-merge -m m.json -f csv "$@" >told.csv
        diff hinted.csv told.csv
        tm-merge -f csv "$@" >plain.csv
    }
    placed p.pb clang.json chrome.json.gz a.json sub
    ! cmp -s plain.csv told.csv || false
    [ "$(grep -c path m.json)" -eq 3 ]
    grep -q '"path": "sub/two.json"' m.json
    # The files have no snapshot; the hints name the clocks on the path.
    cp clang.json z.json
    placed chrome.json early.txt z.json
    ! cmp -s plain.csv told.csv || false
    tar cf run.tar p.pb clang.json chrome.json.gz a.json sub
    gzip run.tar
    tm-unpack --hints run.tar.gz | tm-clocks --hints --write-manifest m2.json >/dev/null
    grep -q '"path": "sub/two.json"' m2.json
    tm-merge --hints -f csv run.tar.gz >hinted.csv
    tm-merge -m m2.json -f csv run.tar.gz | diff hinted.csv -
    # An alignment without results is also a manifest.
    placed a.json b.json
    cmp plain.csv told.csv
}

@test "--write-manifest handles two hints of one file, stated by another file, or combined into one" {
    printf 'snap 6=1000000 1=1700000000000000000\nevent 1000000\n' | python3 "$TM_SRC/t/gen/make-proto.py" >p.pb
    gecko='{"meta":{"startTime":1700000000000,"startTimeAsClockMonotonicNanosecondsSinceBoot":500000000,"categories":[]},"threads":[{"pid":1,"tid":1,"stringArray":["m"],"stackTable":{"frame":[0],"prefix":[null]},"markers":{"name":[0],"startTime":[1],"endTime":[2],"phase":[1],"category":[0]}}]}'
    echo "$gecko" >a_gecko.json
    ev='{"ph":"X","pid":1,"tid":1,"ts":600000,"dur":1,"name":"x"}'
    echo "{\"traceEvents\":[$ev],\"metadata\":{\"clock-domain\":\"LINUX_CLOCK_MONOTONIC\"}}" >chrome.json
    echo "{\"traceEvents\":[$ev],\"beginningOfTime\":1700000000000000}" >clang.json
    for files in "p.pb a_gecko.json chrome.json" "a_gecko.json chrome.json clang.json" "a_gecko.json b.json chrome.json clang.json"; do
        tm-merge --hints --write-manifest m.json -f csv $files >hinted.csv
        tm-merge -m m.json -f csv $files | diff hinted.csv -
        tm-merge --hints -f report $files | grep -q 'hint'
    done
}

@test "Instruments beside a proto: clock_sync is used with --hints and by a manifest, and places the file alone" {
    printf 'snap 6=9000001000000\nevent 9000001000000\n' | python3 "$TM_SRC/t/gen/make-proto.py" >p.pb
    cp "$TM_SRC/t/data/instruments.xml" i.xml
    first() { # prints the first time of the profile's samples, in trace time
        tm-merge -f jsonl "$@" | sed -n 's/.*"kind":"sample","ts":\([0-9]*\).*/\1/p' | sort -n | head -1
    }
    # The file's clocks carry its tag (doc/rules.md section 5), so its private timeline meets trace time at 0.
    [ "$(first p.pb i.xml)" = 3000001 ]
    tm-merge -f report p.pb i.xml | grep -q 'i.xml, host, TRACE_FILE: private'
    # 3000001 is 1000001 after the second sync, 2000000 = 9000002000500
    [ "$(first --hints p.pb i.xml)" = 9000003000501 ]
    tm-merge --hints -o i.db p.pb i.xml
    [ "$(sqlite3 i.db "SELECT DISTINCT path FROM tm_placement WHERE rule = 'hint'")" = \
        'TRACE_FILE(i.xml) -> BOOTTIME(host, i.xml) -hint-> BOOTTIME(host)' ]
    tm-merge --hints --write-manifest m.json -f csv p.pb i.xml >hinted.csv
    [ "$(first -m m.json p.pb i.xml)" = 9000003000501 ]
    tm-merge -m m.json -f csv p.pb i.xml | diff hinted.csv -
    # If the file is the machine's first, its clock is the machine's clock.
    [ "$(first i.xml)" = 3000001 ]
    [ "$(first --trace-time BOOTTIME@i.xml i.xml)" = 9000003000501 ]
}

@test "--write-manifest refuses hints that a manifest cannot express" {
    run tm-clocks --write-manifest m.json
    [ "$status" -eq 2 ]
    echo '{"perfetto_manifest":{"version":1}}' >there.json
    run tm-merge --hints --write-manifest m.json -m there.json a.json
    [ "$status" -eq 2 ]
    run tm-merge --hints --write-manifest m.json there.json a.json
    [ "$status" -eq 1 ]
    [[ $output == *"tm-clocks: the input already has a manifest"* ]]
    [ ! -e m.json ]
    # A manifest has no paths for files in an archive in an archive.
    echo '{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":5,"dur":1,"name":"x"}],"beginningOfTime":1700000000000000}' >clang.json
    printf 'snap 6=1000000 1=1700000000000000000\nevent 1000000\n' | python3 "$TM_SRC/t/gen/make-proto.py" >p.pb
    tar cf inner.tar clang.json
    tar cf outer.tar inner.tar p.pb
    run tm-merge --hints --write-manifest m.json -f csv outer.tar
    [ "$status" -eq 1 ]
    [[ $output == *"has a hint, but no path by which a manifest could name it"* ]]
    [ -z "$(ls -A | grep -F m.json)" ]
    run tm-merge --hints --write-manifest nowhere/m.json -f csv a.json
    [ "$status" -eq 3 ]
}

@test "--graph writes the clocks for Graphviz, with escaped names" {
    cp a.json '"a\.json'
    tar cf run.tar '"a\.json' b.json
    tm-unpack run.tar | tm-clocks --graph >dot
    cat >want <<'END'
graph clocks {
  node [shape=box];
  c1 [label="TRACE_FILE(\"a\\.json)" peripheries=2];
  c2 [label="TRACE_FILE(b.json)"];
  c2 -- c1 [label="1" style=dotted];
}
END
    diff want dot
}
