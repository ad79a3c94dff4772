#!/usr/bin/env bats
# summary and explain as JSON, with the content of their text form, for programs. dropped: the single events, and
# accounts of other files.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR"
    load "$TM_SRC/t/lib/common.bash"
    demo=$TM_SRC/doc/examples/phone-watch-app.tar
}

# Its first event is before the start of the clock of the snapshot.
early() {
    proto early.pb <<-END
	snap 6=1000000000 1=500000000
	event 1000
	event 2000000000
	END
    cat >m.json <<-'END'
	{"perfetto_manifest": {"version": 1, "trace_time": {"clock": "REALTIME", "file": "early.pb"},
	  "files": [{"path": "early.pb"}]}}
	END
}

# python EXPRESSION FILE: prints the value of EXPRESSION, where d is the JSON of FILE.
python() {
    python3 -c 'import json, sys
d = json.load(open(sys.argv[2]))
print(eval(sys.argv[1]))' "$@"
}

@test "summary --json has the facts of the lines of text" {
    tm-merge -f summary --json -q "$demo" >s.json
    tm-merge -f summary -q "$demo" >s.txt
    [ "$(python 'sum(p["events"] for p in d["placements"])' s.json)" = 26 ]
    [ "$(python 'd["total"]' s.json)" = "{'read': 26, 'placed': 26, 'dropped': 0}" ]
    [ "$(python 'd["trace_time"]' s.json)" = "{'clock': 'BOOTTIME', 'machine': 'phone'}" ]
    [ "$(python 'len(d["placements"])' s.json)" = "$(($(wc -l <s.txt) - 1))" ]
    python '"\n".join("  %s on %s: %d events on %s, %s" % (p["file"], p["machine"], p["events"], p["clock"], p["text"])
        for p in d["placements"])' s.json >lines
    sed '$d; s/, offset .*//' s.txt | diff - lines
}

@test "summary --json lists the dropped events" {
    early
    tm-merge -f summary --json -q -m m.json early.pb >s.json
    [ "$(python '[(a["file"], a["reason"], a["count"], a["unit"]) for a in d["dropped"]]' s.json)" = \
        "[('early.pb', 'negative_time', 1, 'event')]" ]
    [ "$(python 'd["dropped"][0]["earliest_ns"]' s.json)" = -499999000 ]
    [ "$(python 'd["total"]["dropped"]' s.json)" = 1 ]
}

@test "explain --json has the sentences, and the facts in them" {
    tm-merge --explain --json "$demo" >e.json
    tm-merge --explain "$demo" >e.txt
    python '"\n".join(p["text"] for f in d["files"] for p in f["placements"])' e.json >sentences
    [ "$(wc -l <sentences)" -gt 9 ]
    while read -r line; do
        grep -qF -- "$line" e.txt
    done <sentences
    grep -qF 'REALTIME rendezvous' sentences
    [ "$(python 'sum(p["placement"]["placed_count"] for f in d["files"] for p in f["placements"])' e.json)" = 26 ]
    [[ "$(python 'd["trace_time"]["text"]' e.json)" == "The timeline is BOOTTIME of phone, "* ]]
    [ "$(python 'd["remedies"]' e.json)" = None ]
}

@test "explain --json has the causes of drops" {
    early
    tm-merge --explain --json -m m.json early.pb >e.json
    [ "$(python '[a["reason"] for f in d["files"] for a in f["dropped"]]' e.json)" = "['negative_time']" ]
    [[ "$(python 'd["files"][0]["dropped"][0]["text"]' e.json)" == "1 event on "*"the earliest by 499.999ms"* ]]
}

@test "a suggestion of explain --json, put into a manifest, places the dropped events" {
    proto a.pb <<-'END'
	snap 6=1000000000 1=1700000000000000000
	event 2000000000
	END
    cat >c.systrace <<-'END'
	# tracer: nop
	  app-100   (  100) [000] .... 3.000100: tracing_mark_write: B|100|x
	  app-100   (  100) [000] .... 3.000200: tracing_mark_write: E|100
	END
    tm-merge --explain --json a.pb c.systrace >e.json
    [ "$(python 'd["remedies"]["offsets_unknown"]' e.json)" = True ]
    [ "$(python 'd["total"]' e.json)" = "{'read': 3, 'placed': 1, 'dropped': 2}" ]
    python 'json.dumps({"perfetto_manifest": {"version": 1, "files": d["remedies"]["files"]}})' e.json >m.json
    tm-merge --strict -q -m m.json -o x.csv a.pb c.systrace
}

@test "a suggestion of explain --json that chooses trace time, put into a manifest, places events before 0" {
    echo '[{"ph":"i","ts":-5,"pid":1,"tid":1,"name":"early"}]' >early.json
    tm-merge --explain --json early.json >e.json
    [ "$(python 'd["remedies"]["trace_time"]' e.json)" = "{'clock': 'REALTIME', 'file': 'early.json'}" ]
    python 'json.dumps({"perfetto_manifest": {"version": 1, "trace_time": d["remedies"]["trace_time"],
        "files": d["remedies"]["files"]}})' e.json >m.json
    tm-merge --strict -q -m m.json -o x.csv early.json
    grep -w early x.csv
}

# 7000 events on a clock that nothing relates to those of a.pb.
unrelated() {
    proto a.pb <<-'END'
	snap 6=1000000000 1=1700000000000000000
	event 2000000000
	END
    awk -v n="${1-7000}" 'BEGIN { print "# tracer: nop"; for (i = 0; i < n; i++)
        printf "  app-100   (  100) [000] .... %d.%06d: tracing_mark_write: %s\n", 3 + i / 1000000, i % 1000000,
            i % 3 == 2 ? "E|100" : i % 3 ? "I|100|x" i % 7 : "B|100|b" i % 5 }' >c.systrace
}

@test "dropped has a line for each event, with its fields" {
    early
    early
    cp early.pb other.pb
    run --separate-stderr tm-merge -f dropped -m m.json early.pb
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = $'file\tmachine\tclock\treason\tcount\tunit\tdefinitions\tfirst_byte\tearliest_ns\tposition\ttime_ns\tkind\tname' ]
    [ "${lines[1]}" = $'early.pb\thost\tBOOTTIME\tnegative_time\t1\tevent\t0\t-\t-499999000\t1\t1000\tpacket\t-' ]
    [ "${#lines[@]}" -eq 2 ]
    run --separate-stderr tm-merge -f dropped "$demo"
    [ "${#lines[@]}" -eq 1 ]
}

@test "dropped without --keep-dropped has a line for each file, machine, clock and reason" {
    early
    tm-unpack early.pb | tm-manifest -m m.json | tm-clocks | tm-sort | tm-emit -f dropped -q >d.tsv
    [ "$(sed 1d d.tsv)" = $'early.pb\thost\tBOOTTIME\tnegative_time\t1\tevent\t0\t-\t-499999000\t-\t-\t-\t-' ]
}

@test "dropped lists events of the stream before tm-clocks, as many as the accounts state" {
    unrelated
    tm-merge -q -f dropped a.pb c.systrace >d.tsv
    tm-unpack a.pb c.systrace | tm-emit -f jsonl >all.jsonl
    python3 - all.jsonl >expected <<-'END'
	import json, sys
	for line in open(sys.argv[1]):
	    e = json.loads(line)
	    if e['file'] == 'c.systrace' and not e.get('derived'):
	        print(e['position'], e['ts'], e['kind'], e.get('name', '-'), sep='\t')
	END
    [ "$(wc -l <expected)" -eq 7000 ]
    sed 1d d.tsv | cut -f 10- | diff - expected
    [ "$(sed 1d d.tsv | cut -f 1-8 | sort -u)" = $'c.systrace\thost\tMONOTONIC\tunknown_source_clock\t1\tevent\t0\t-' ]
    tm-merge -q -f report --json a.pb c.systrace >r.json
    [ "$(python 'd["accounts"][0]["count"]' r.json)" -eq 7000 ]
    tm-merge -q -f dropped --json a.pb c.systrace >d.json
    [ "$(python '"\n".join("\t".join(str(e[k] if e[k] is not None else "-") for k in ("position", "time_ns", "kind", "name"))
        for e in d)' d.json)" = "$(cat expected)" ]
}

@test "dropped lists events that were pending until the end of their file, with their derived rows" {
    proto late.pb <<-'END'
	snap 6=1000000000 1=1700000000000000000
	instant ok 2000000000 seq=1
	instant lost 5000 seq=1 clock=5
	instant far 7000 seq=2 clock=99
	log text 1700000000000000000 9000 clock=5 seq=1
	END
    tm-merge -q -f dropped late.pb >d.tsv
    [ "$(sed 1d d.tsv | cut -f 3,5,7,10-)" = "$(printf '%s\n' $'MONOTONIC_RAW\t1\t0\t2\t5000\tinstant\tlost' \
        $'clock 99\t1\t0\t3\t7000\tinstant\tfar' $'MONOTONIC_RAW\t1\t0\t4\t9000\tpacket\t-')" ]
}

@test "dropped lists an event that a line puts before the start of trace time" {
    proto a.pb <<-'END'
	snap 6=100 130=1000
	event 950 clock=130
	event 990 clock=130
	snap 6=200 130=1010
	END
    tm-merge -q --interpolate -f dropped a.pb >d.tsv
    [ "$(sed 1d d.tsv | cut -f 3-5,9-)" = $'clock 130\tnegative_time\t1\t-400\t1\t950\tpacket\t-' ]
}

@test "dropped is the same beside other outputs, for several streams, and when repeated" {
    unrelated 3000
    tm-merge -q -f dropped a.pb c.systrace >d.tsv
    tm-merge -q -o all.pftrace -o d2.tsv -f dropped a.pb c.systrace
    cmp d.tsv d2.tsv
    for name in one two; do
        tm-unpack a.pb c.systrace | tm-clocks --keep-dropped | tm-sort -S 64k >"$name"
    done
    cmp one two
    tm-sort -S 64k -m one two | tm-emit -q -f dropped >both.tsv
    [ "$(sed 1d both.tsv | grep -c '^one/c.systrace')" -eq 3000 ]
    [ "$(sed 1d both.tsv | cut -f 2-)" = "$(sed 1d d.tsv | cut -f 2-; sed 1d d.tsv | cut -f 2-)" ]
}

@test "dropped shows names that are in no table of strings, also of several streams" {
    proto a.pb <<-'END'
	snap 6=1000000000 1=1700000000000000000
	event 2000000000
	END
    for name in one two; do
        awk -v name="$name" 'BEGIN { print "# tracer: nop"; for (i = 0; i < 270000; i++)
            printf "  app-100   (  100) [000] .... 3.%06d: tracing_mark_write: I|100|%s%d\n", i, name, i }' >c.systrace
        tm-unpack a.pb c.systrace | tm-clocks --keep-dropped | tm-sort -S 1M >"$name"
    done
    tm-sort -m one two | tm-emit -q -f dropped | sed 1d | cut -f 13 >names
    awk 'BEGIN { for (k = 0; k < 2; k++) for (i = 0; i < 270000; i++) print (k ? "two" : "one") i }' | cmp - names
}

@test "dropped needs memory that does not grow with the number of events" {
    only_unsanitized "figures of sanitized programs say little"
    for n in 10000 300000; do
        unrelated "$n"
        tm-unpack a.pb c.systrace >unpacked
        python3 "$TM_SRC/t/check/peak.py" placed tm-clocks --keep-dropped <unpacked
        python3 "$TM_SRC/t/check/peak.py" sorted tm-sort -S 1M <placed
        python3 "$TM_SRC/t/check/peak.py" d.tsv tm-emit -q -f dropped <sorted
        [ "$(wc -l <d.tsv)" -eq $((n + 1)) ]
    done >peaks
    # For 290000 more events the frames have 5 MB. tm-sort may keep 4 MiB of them in memory.
    awk '{ k = NR % 3; if (NR > 3 && $1 - first[k] > 6000) exit 1; first[k] = first[k] ? first[k] : $1 } $1 !~ /^[0-9]+$/ { exit 1 }' peaks
}

@test "dropped states the place of the first drop, and adds up to the counts of the report" {
    printf '%s\n' '[{"ph":"i","ts":5,"pid":1,"tid":1,"s":"t","name":"a"},' 'damaged,' \
        '{"ph":"i","ts":6,"pid":1,"tid":1,"s":"t","name":"b"}]' >d.json
    tm-merge --on-damage=skip -f dropped -q d.json >d.tsv
    tm-merge --on-damage=skip -f report --json -q d.json >r.json
    [ "$(cut -f 4,6 d.tsv | sed 1d | sort -u)" = "$(python '"\n".join(sorted(set("%s\t%s" % (a["reason"],
        "byte" if "bytes" in a["reason"] else "event") for a in d["accounts"])))' r.json)" ]
    [ "$(sed 1d d.tsv | awk '{ n += $5 } END { print n }')" = "$(python 'sum(a["count"] for a in d["accounts"])' r.json)" ]
    tm-merge --on-damage=skip -f dropped --json -q d.json >d.js
    [ "$(python 'len(d)' d.js)" = "$(sed 1d d.tsv | wc -l)" ]
    [ "$(python 'str(d[0]["byte"]) == sys.argv[3]' d.js "$(sed -n 2p d.tsv | cut -f 8)")" = True ]
}
