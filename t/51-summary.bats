#!/usr/bin/env bats
# summary and explain as JSON: what their text says, for programs; dropped: the accounts.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR"
    load "$TM_SRC/t/lib/common.bash"
    demo=$TM_SRC/doc/examples/phone-watch-app.tar
}

# Its first event is before the snapshot's clock began.
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

# python EXPRESSION FILE: its value, with the JSON of FILE as d.
python() {
    python3 -c 'import json, sys
d = json.load(open(sys.argv[2]))
print(eval(sys.argv[1]))' "$@"
}

@test "summary --json has what the lines of the text say" {
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

@test "summary --json lists what was dropped" {
    early
    tm-merge -f summary --json -q -m m.json early.pb >s.json
    [ "$(python '[(a["file"], a["reason"], a["count"], a["unit"]) for a in d["dropped"]]' s.json)" = \
        "[('early.pb', 'negative_time', 1, 'event')]" ]
    [ "$(python 'd["dropped"][0]["earliest_ns"]' s.json)" = -499999000 ]
    [ "$(python 'd["total"]["dropped"]' s.json)" = 1 ]
}

@test "explain --json has the sentences and the facts they are made of" {
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

@test "explain --json of drops has their causes" {
    early
    tm-merge --explain --json -m m.json early.pb >e.json
    [ "$(python '[a["reason"] for f in d["files"] for a in f["dropped"]]' e.json)" = "['negative_time']" ]
    [[ "$(python 'd["files"][0]["dropped"][0]["text"]' e.json)" == "1 event on "*"the earliest by 499.999ms"* ]]
}

@test "a remedy of explain --json, put into a manifest, places what was dropped" {
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

@test "dropped: a line for each file, machine, clock and reason" {
    early
    cp early.pb other.pb
    run --separate-stderr tm-merge -f dropped -m m.json early.pb
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = $'file\tmachine\tclock\treason\tcount\tunit\tdefinitions\tfirst_byte\tearliest_ns' ]
    [ "${lines[1]}" = $'early.pb\thost\tBOOTTIME\tnegative_time\t1\tevent\t0\t-\t-499999000' ]
    [ "${#lines[@]}" -eq 2 ]
    run --separate-stderr tm-merge -f dropped "$demo"
    [ "${#lines[@]}" -eq 1 ]
}

@test "dropped says where the first was, and adds up to what the report counts" {
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
