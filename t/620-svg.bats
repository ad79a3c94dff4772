# tm-emit -f svg: the merged timeline as one picture.

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
    . "$TM_SRC/t/lib/common.bash"
}

# Checks the picture FILE: Python expressions can use root, text (by class), paths and titles.
ask() {
    python3 - "$@" <<-'END'
	import re, sys
	import xml.etree.ElementTree as ET
	ns = '{http://www.w3.org/2000/svg}'
	root = ET.parse(sys.argv[1]).getroot()
	text = lambda cls: [''.join(e.itertext()) for e in root.iter(ns + 'text') if e.get('class') == cls]
	paths = lambda cls: [e.get('d') for e in root.iter(ns + 'path') if e.get('class') == cls]
	windows = [e for e in root.iter(ns + 'rect') if e.get('class') == 'window'][:-1]  # without that of the legend
	titles = [e.text for e in root.iter(ns + 'title')]
	for question in sys.argv[2:]:
	    print(eval(question))
	END
}

@test "the demo archive has machines, files, their placement, counts and both time axes" {
    tm-merge -o run.svg "$TM_SRC/doc/examples/phone-watch-app.tar"
    run ask run.svg 'text("title")' 'text("machine")' 'text("file")' 'text("why")' 'text("count")' 'text("drop")' \
        'text("tick")' 'text("tick wall")' 'text("caption")' 'len(windows)'
    [ "${lines[0]}" = "['26 events of 3 files on 2 machines']" ]
    [ "${lines[1]}" = "['phone', 'watch']" ]
    [ "${lines[2]}" = "['phone.pftrace', 'app_log.json', 'watch.pftrace']" ]
    [ "${lines[3]}" = "['trace time, BOOTTIME', 'manifest, TRACE_FILE +250ms', 'wall clocks, BOOTTIME -4899.8s']" ]
    [ "${lines[4]}" = "['14', '5', '7']" ]
    [ "${lines[5]}" = "[]" ]
    [ "${lines[6]}" = "['100.3 s', '100.4 s', '100.5 s', '100.6 s', '100.7 s', '100.8 s']" ]
    [ "${lines[7]}" = "['15:06:40.3', '15:06:40.4', '15:06:40.5', '15:06:40.6', '15:06:40.7', '15:06:40.8']" ]
    [ "${lines[8]}" = "['trace time', 'wall clock, UTC, 2025-06-15']" ]
    [ "${lines[9]}" = 3 ]
    ask run.svg 'titles[3]' | grep -qx 'placed by wall clocks: BOOTTIME(watch) -> REALTIME(watch) = REALTIME(phone) -> BOOTTIME(phone)'
}

@test "events are at their times, each lane with its own scale" {
    echo '[{"ph":"i","ts":0,"pid":1,"tid":1,"s":"t"},{"ph":"i","ts":1000,"pid":1,"tid":1,"s":"t"}]' >a.json
    python3 -c 'import json
json.dump([{"ph": "i", "ts": 500, "pid": 2, "tid": 2, "s": "t"}] * 400 +
          [{"ph": "i", "ts": 750, "pid": 2, "tid": 2, "s": "t"}] * 100, open("b.json", "w"))'
    tm-merge -o run.svg a.json b.json
    # The timeline is 872 pixels wide from 288; bars are 2 wide and at most 34 high; 100 of 400 events are half as high.
    run ask run.svg 'paths("density")[0]' 'paths("density")[1]' '[(w.get("x"), w.get("width")) for w in windows]'
    [ "${lines[0]}" = "M288 220v-34h2v34zM1158 220v-34h2v34z" ]
    [[ ${lines[1]} =~ ^M72[2-6]\ 266v-34h2v34zM9(40|42|44)\ 266v-18h2v18z$ ]]
    [ "${lines[2]}" = "[('288', '872'), ('724', '218')]" ]
}

@test "the picture has the same bytes for any order of the stream" {
    tm-unpack "$TM_SRC/doc/examples/phone-watch-app.tar" | tm-manifest | tm-clocks >placed
    tm-emit -f svg <placed >a.svg
    tm-sort <placed | tm-emit -f svg >b.svg
    tm-sort <placed | tm-emit -o c.svg.gz
    cmp a.svg b.svg
    zcat c.svg.gz | cmp - a.svg
}

@test "snapshots are drawn, also those from before any relation to trace time" {
    proto a.pb <<-'END'
	snap 6=1000 1=1700000000000001000
	event 2000
	snap 6=5000 1=1700000000000005000
	event 9000
	END
    proto b.pb <<-'END'
	snap 6=70001000 1=1700000000000003000
	event 70002000
	snap 6=70004500 1=1700000000000006500
	event 70003000
	END
    cat >m.json <<-'END'
	{"perfetto_manifest": {"version": 1, "files": [{"path": "a.pb", "machine": {"name": "a"}},
	    {"path": "b.pb", "machine": {"name": "b"}}]}}
	END
    tm-merge -m m.json -o run.svg a.pb b.pb
    # Events of a at 2000 and 9000; of b at 4000 and 5000, its snapshots at 3000 and 6500.
    run ask run.svg 'paths("snap")' 'text("tick wall")[0]'
    [[ ${lines[0]} =~ ^\[\'M66[0-4]\ 235l4\ 7h-8z\',\ \'M41[1-4]\ 317l4\ 7h-8zM84[7-9]\ 317l4\ 7h-8z\', ]]
    [ "${lines[1]}" = 22:13:20.000002 ]
    ask run.svg 'titles' | grep -q '2 clock snapshots'
}

@test "drops are counted and marked if they are before the start, also of files without placed events" {
    echo '[{"ph":"i","ts":7,"pid":1,"tid":1,"s":"t"}]' >a.json
    echo '[{"ph":"i","ts":5,"pid":1,"tid":1,"s":"t"},{"ph":"i","ts":50,"pid":1,"tid":1,"s":"t"}]' >b.json
    proto c.pb <<-'END'
	event 5 clock=3
	END
    cat >m.json <<-'END'
	{"perfetto_manifest": {"version": 1, "files": [{"path": "a.json"},
	    {"path": "b.json", "clocks": {"sync_to": {"file": "a.json"}, "offset_ns": -6000}}]}}
	END
    tm-merge -m m.json -o run.svg a.json b.json c.pb
    run ask run.svg 'text("title")' 'text("count")' 'text("drop")' 'text("none")' 'len(paths("lost"))'
    [ "${lines[0]}" = "['2 events of 3 files on 1 machine, 2 dropped']" ]
    [ "${lines[1]}" = "['0', '1', '1']" ]
    [ "${lines[2]}" = "['1', '1']" ]
    [ "${lines[3]}" = "['no event of this file could be placed']" ]
    [ "${lines[4]}" = 2 ] # one, and that of the legend
    ask run.svg titles | grep -q '1 dropped: negative_time'
}

@test "an empty stream and a single time are pictures too" {
    echo '{"traceEvents":[]}' >a.json
    tm-merge -f svg a.json >none.svg
    run ask none.svg 'text("title")' 'len(windows)'
    [ "${lines[0]}" = "['0 events of 0 files on 0 machines']" ]
    echo '[{"ph":"i","ts":7,"pid":1,"tid":1,"s":"t"}]' >a.json
    tm-merge -f svg a.json >one.svg
    run ask one.svg 'text("title")' 'text("tick")' 'windows[0].get("width")'
    [ "${lines[0]}" = "['1 event of 1 file on 1 machine']" ]
    [ "${lines[1]}" = "['0.000007000 s']" ]
    [ "${lines[2]}" = 2 ]
}

@test "no label of a wall clock axis is there twice after one date, for spans from seconds to decades" {
    unique='(lambda t: len(t) > 3 and len({(max([y for y in t[:i + 1] if "-" in y], default=""), x)
        for i, x in enumerate(t)}) == len(t))(text("tick wall"))'
    for span in 5 40 250 1000 5000 15000 60000 90000 180000 360000 700000 5000000 200000000 900000000; do
        for at in 1000000000 $((1000000000 + span)); do
            date -u -d "@$at" "+%F %T.000 +0000   100   100 I Tag     : a message that is long enough"
        done >$span.log
        tm-merge -q -o $span.svg $span.log
        ask $span.svg "$unique"
    done >got
    [ "$(sort -u got)" = True ]
    ask 15000.svg 'text("tick wall")' >got
    grep -F "['02:00:00', '02:30:00', '03:00:00'" got
    ask 360000.svg 'text("tick wall")' >got
    grep -F "['12:00:00', '2001-09-10', '12:00:00', '2001-09-11', " got
}

@test "times that differ by centuries are drawn" {
    echo '[{"ph":"i","ts":1,"pid":1,"tid":1,"s":"t"},{"ph":"i","ts":9000000000000000,"pid":1,"tid":1,"s":"t"},
	{"ph":"i","ts":4500000000000000,"pid":1,"tid":1,"s":"t"}]' >a.json
    tm-merge -f svg a.json >a.svg
    run ask a.svg 'paths("density")[0]' 'text("caption")'
    [[ ${lines[0]} =~ ^M288\ 220v-34h2v34zM72[2-6]\ 220v-34h2v34zM1158\ 220v-34h2v34z$ ]]
}

@test "names with any content are text, and never wider than their space" {
    json='[{"ph":"i","ts":7,"pid":1,"tid":1,"s":"t"}]'
    for name in 'a<b>&".json' $'e\033]0;pwn\a.json' $'\xff\xfe.json' \
        'a name that goes on and on until there is no room left for it at all.json'; do
        echo "$json" >"$name"
    done
    cat >m <<-'END'
	{"perfetto_manifest": {"version": 1, "files": [{"path": "a<b>&\".json", "machine": {"name": "</text><script>x\u0001\uffff"}}]}}
	END
    tm-merge -m m -o run.svg ./*.json
    ask run.svg 'text("file")' >names
    grep -qF "a<b>&\".json" names
    grep -qF 'a name that goes…or it at all.json' names
    grep -qF 'e\\x1b]0;pwn\\x07.json' names
    ask run.svg 'text("machine")' | grep -qF '</text><script>x��'
    ! grep -q '<script' run.svg || false
}

@test "128 files on 128 machines have a line each that does not touch the next, and more are cut" {
    mkdir many
    python3 -c '
import json
for i in range(600):
    json.dump([{"ph": "i", "ts": i, "pid": 1, "tid": 1, "s": "t"}], open("many/f%03d.json" % i, "w"))
json.dump({"perfetto_manifest": {"version": 1, "files": [
    {"path": "f%03d.json" % i, "machine": {"name": "m%03d" % i}} for i in range(128)]}}, open("m.json", "w"))'
    tm-merge -m m.json -o a.svg many/f0??.json many/f10?.json many/f11?.json many/f12[0-7].json
    run ask a.svg 'len(windows)' 'text("rule")[127]' 'text("machine")' \
        'all(float(b.get("y")) - float(a.get("y")) >= 20 for a, b in zip(windows, windows[1:]))' \
        'float(root.get("height")) > float(windows[-1].get("y"))'
    [ "${lines[0]}" = 128 ]
    [ "${lines[1]}" = m127 ]
    [ "${lines[2]}" = "[]" ]
    [ "${lines[3]}" = True ]
    [ "${lines[4]}" = True ]
    tm-merge -o b.svg many
    run ask b.svg 'len(windows)' 'text("file")[-1]' 'text("count")[-1]' 'text("title")' 'titles[-1].splitlines()'
    [ "${lines[0]}" = 513 ]
    [ "${lines[1]}" = "all other files" ]
    [ "${lines[2]}" = 88 ]
    [ "${lines[3]}" = "['600 events of 600 files on 1 machine']" ]
    [ "${lines[4]}" = "['all other files', '88 events from 0.000512000 s to 0.000599000 s']" ]
}

@test "a stream without trace time is refused with a message" {
    echo '{"traceEvents":[]}' >a.json
    run bash -o pipefail -c 'tm-unpack a.json | tm-emit -f svg'
    [[ $output == *"the events are not on trace time, which svg needs"* ]]
}

@test "a placement by assumption has a colour of its own" {
    cd "$BATS_TEST_TMPDIR"
    echo '[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a"}]' >a.json
    echo '[{"ph":"X","pid":2,"tid":2,"ts":1,"dur":1,"name":"b"}]' >b.json
    tm-merge -q -o guess.svg a.json b.json
    [ "$(grep -c 'class="why guess"' guess.svg)" -eq 1 ]
    grep -q '\.guess{fill:var(--guess)' guess.svg
    [ "$(grep -o -e '--guess:#[0-9a-f]*' guess.svg | sort -u | wc -l)" -eq 2 ] # for the light and the dark theme
    tm-merge -q -o said.svg --sync b.json=a.json a.json b.json
    ! grep -q 'class="why guess"' said.svg || false
}

@test "the picture has space for the row of the wall clock if it has that row" {
    printf '%s\n' '1700000000.000  100  100 I tag: a' '1700000001.000  100  100 I tag: b' >wall.txt
    printf 'snap 6=1000 1=1700000000000001000\nevent 2000\n' | proto known.pb
    printf 'snap 6=1000 1=1700000000000001000\n' | proto none.pb
    printf 'snap 6=1000 3=1000\nevent 2000\n' | proto unknown.pb
    for file in wall.txt known.pb none.pb unknown.pb; do
        tm-merge -q -o a.svg $file
        ask a.svg 'bool(text("tick wall")), [e.get("y") for e in root.iter(ns + "text") if e.get("class") == "heading"]'
    done >rows
    printf '%s\n' "(True, ['154'])" "(True, ['154'])" "(False, ['136'])" "(False, ['136'])" | diff - rows
}

@test "drops before the start are marked in the lane of all other files, whichever file they are of" {
    mkdir many
    python3 -c '
import json
for i in range(515):
    events = [{"ph": "i", "ts": t, "pid": 1, "tid": 1, "s": "t"} for t in ([1, 2000] if i == 514 else [i])]
    json.dump(events, open("many/f%03d.json" % i, "w"))'
    tm-merge -q -o a.svg --sync f514.json=f000.json-1ms many
    run ask a.svg 'text("file")[-1]' 'text("drop")' 'len(paths("lost"))'
    [ "${lines[0]}" = "all other files" ]
    [ "${lines[1]}" = "['1']" ]
    [ "${lines[2]}" = 2 ] # one, and that of the legend
}
