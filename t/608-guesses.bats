# Guesses and losses are reported without an option.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR"
    load "$TM_SRC/t/lib/common.bash"
}

# merge ARGUMENT...: merges to out.jsonl. $stderr has the messages without the program's name.
merge() {
    run --separate-stderr tm-merge -o out.jsonl "$@"
    stderr=${stderr//tm-emit: warning: /}
}

# kineto FILE BASE: writes a profile whose times count from BASE.
kineto() {
    echo "{\"schemaVersion\": 1, \"baseTimeNanoseconds\": $2, \"traceEvents\": [
        {\"ph\": \"X\", \"name\": \"step\", \"pid\": 1, \"tid\": 1, \"ts\": 5, \"dur\": 2}]}" >"$1"
}

# phone FILE BOOTTIME REALTIME: writes a recording with a snapshot of both.
phone() {
    proto "$1" <<-END
	snap 6=$2 1=$3
	instant here $(($2 + 1000)) seq=1 clock=6
	END
}

more='tm-merge --explain says more about what was dropped or assumed, and what would place it'

@test "dropped events give a line for each file and reason, with its meaning" {
    proto a.pb <<-'END'
	snap 6=1000000000
	instant a 2000000000 seq=1
	END
    cat >b.systrace <<-'END'
	# tracer: nop
	  app-100   (  100) [000] .... 3.000100: tracing_mark_write: B|100|x
	  app-100   (  100) [000] .... 3.000200: tracing_mark_write: E|100
	END
    merge a.pb b.systrace
    [ "$status" -eq 0 ]
    [ "$stderr" = "b.systrace: 2 events dropped, unknown_source_clock: nothing that was recorded mentions their clock
$more" ]
    merge -q a.pb b.systrace
    [ "$status" -eq 0 ]
    [ "$stderr" = "" ]
    tm-merge --explain a.pb b.systrace 2>err | grep -q unknown_source_clock # --explain states it itself
    [ ! -s err ]
}

@test "times before the start of trace time are reported with their distance" {
    kineto a.json 1000
    kineto b.json 1000
    merge --sync b.json=a.json-3ms a.json b.json
    [ "$stderr" = "b.json: 1 event dropped, negative_time: it lies before the start of trace time, the earliest by 2.995ms
$more" ]
}

@test "a placement by assumption is reported with the base that the file states" {
    kineto rank0.json 1694128200721058000
    kineto rank1.json 1694128201421058000
    merge rank0.json rank1.json
    [ "$status" -eq 0 ]
    [ "${stderr%%$'\n'*}" = "rank1.json: 1 event placed by assumption: nothing relates its TRACE_FILE to TRACE_FILE of \
rank0.json, so the two are assumed to read the same; states baseTimeNanoseconds 1694128201421058000, 700ms after \
that of rank0.json: --hints takes it for REALTIME" ]
    tm-merge --explain rank0.json rank1.json | grep -qx '  Evidence: states baseTimeNanoseconds 1694128201421058000, 700ms after that of rank0.json: --hints takes it for REALTIME.'
    tm-merge -f report rank0.json rank1.json | grep -q 'states baseTimeNanoseconds 1694128201421058000'
    merge --hints rank0.json rank1.json
    [ "$stderr" = "" ]
    kineto rank1.json 1694128200721058000
    merge rank0.json rank1.json
    [[ "$stderr" == *"states baseTimeNanoseconds 1694128200721058000, as rank0.json does: --hints takes it"* ]]
}

@test "two recordings of one machine that started at different wall clock times are reported as two machines" {
    phone a.pb 5000000000 1700000000000000000
    phone b.pb 5000000000 1707000000000000000
    merge a.pb b.pb
    [[ "$stderr" == "b.pb: 1 event placed by assumption: nothing relates its BOOTTIME to that of host, so the two are \
assumed to be one clock; by the wall clock, its machine was started 81 days after that of a.pb: these look like two \
machines (or one that was restarted); if so, give --machine NAME=FILE for each"* ]]
    # One recording still ran after the other had started, so they are not of one machine.
    proto a.pb <<-'END'
	snap 6=5000000000 1=1700000000000000000
	instant here 5000001000 seq=1 clock=6
	snap 6=8000000000000000 1=1707999995000000000
	END
    merge a.pb b.pb
    [[ "$stderr" == *"started 81 days after that of a.pb: these look like two machines; if so, give --machine NAME=FILE"* ]]
    phone b.pb 9000000000 1700000004000001000
    merge a.pb b.pb
    [[ "$stderr" == *"; by the wall clock, its machine was started at the same time as that of a.pb, to within 1us"* ]]
    phone b.pb 9000000000 1700000004000000000
    merge a.pb b.pb
    [[ "$stderr" == *"; by the wall clock, its machine was started at the same time as that of a.pb"$'\n'* ]]
    merge --machine one=a.pb --machine two=b.pb a.pb b.pb
    [ "$stderr" = "" ]
}

@test "a clock that is assumed to be its own machine's is reported as such" {
    phone p.pb 5000000000 1700000000000000000
    for file in w1.pb w2.pb; do
        proto $file <<-'END'
	snap 6=5000000000 3=5000000000
	instant here 5000001000 seq=1 clock=6
	END
    done
    merge --machine phone=p.pb --machine watch=w1.pb --machine watch=w2.pb \
        --sync w1.pb:BOOTTIME=p.pb:BOOTTIME+1ms p.pb w1.pb w2.pb
    [[ "$stderr" == "w2.pb: 1 event placed by assumption: nothing relates its BOOTTIME to that of watch, so the two are \
assumed to be one clock"* ]]
}

@test "numbers without a clock beside another file's timeline are reported as an assumption" {
    phone a.pb 5000000000 1700000000000000000
    proto b.pb <<<'instant there 5000002000 seq=1'
    merge a.pb b.pb
    [[ "$stderr" == "b.pb: 1 event placed by assumption: its packets name no clock, so their numbers are assumed to be \
readings of BOOTTIME of host"* ]]
    merge b.pb
    [ "$stderr" = "" ]
}

@test "loss that a trace reports is reported, and is exit 4 with --strict" {
    cat >a.systrace <<-'END'
	# tracer: nop
	  app-100   (  100) [000] .... 3.000100: tracing_mark_write: B|100|x
	CPU:0 [LOST 17 EVENTS]
	  app-100   (  100) [000] .... 3.000200: tracing_mark_write: E|100
	END
    merge a.systrace
    [ "$status" -eq 0 ]
    [ "$stderr" = "a.systrace: loss of data, ftrace_text_lost_events = 17 (Events that the kernel lost, by the lines of the text that say so)" ]
    rm out.jsonl
    merge --strict a.systrace
    [ "$status" -eq 4 ]
    [[ "$stderr" == *"tm-emit: a.systrace: loss of data, ftrace_text_lost_events = 17, and --strict allows none" ]]
    [ ! -e out.jsonl ]
}

@test "loss of several buffers is one line with the sum, which says so, and the same sum with --strict" {
    # TraceStats of two buffers, whose patches_failed are 3 and 4
    printf '\x0a\x0b\x9a\x02\x08\x0a\x02\x30\x03\x0a\x02\x30\x04' >a.pftrace
    merge a.pftrace
    [ "$status" -eq 0 ]
    [ "$stderr" = "a.pftrace: loss of data, traced_buf_patches_failed = 7, the sum of 2 statistics (Corrections to chunks that were no longer in the buffer)" ]
    merge --strict a.pftrace
    [ "$status" -eq 4 ]
    [[ "$stderr" == *"tm-emit: a.pftrace: loss of data, traced_buf_patches_failed = 7, and --strict allows none" ]]
}

@test "--no-guess makes a placement by assumption exit 4, without an output" {
    kineto a.json 1000
    kineto b.json 2000
    merge --no-guess a.json b.json
    [ "$status" -eq 4 ]
    [[ "$stderr" == *"tm-emit: b.json: placed by assumption, and --no-guess allows none; tm-merge --explain says what would \
place it" ]]
    [ ! -e out.jsonl ]
    merge -q --no-guess a.json b.json
    [ "$status" -eq 4 ]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    merge --strict a.json b.json
    [ "$status" -eq 0 ]
    merge --no-guess --hints a.json b.json
    [ "$status" -eq 0 ]
    merge --no-guess a.json
    [ "$status" -eq 0 ]
}

@test "of many files with one reason the first have a line, and one line counts the rest" {
    for i in 10 11 12 13 14 15 16 17; do
        kineto r$i.json $((i * 1000))
    done
    merge r1?.json
    [ "$(cut -d: -f1 <<<"$stderr" | tr '\n' ' ')" = "r11.json r12.json r13.json and 4 more files tm-merge --explain says more about what was dropped or assumed, and what would place it " ]
    grep -qx 'and 4 more files: 4 events placed by assumption' <<<"$stderr"
}

@test "events without a form in the format are reported by file and kind" {
    phone a.pb 5000000000 1700000000000000000
    proto b.pb <<-'END'
	snap 6=5000000000 1=1700000000000000000
	event 6000000000
	END
    run --separate-stderr tm-merge -o out.json b.pb
    [ "$stderr" = "tm-emit: warning: b.pb: 1 event of kind packet has no form in json" ]
}

@test "a known type that is not read is named, with what to do" {
    while IFS='|' read -r bytes words; do
        printf -- "$bytes" >x
        run tm-unpack x
        [ "$status" -eq 1 ]
        [[ "$output" == "tm-unpack: x: "*"$words"* ]] || { echo "$words: $output"; false; }
    done <<'END'
\xfd7zXZ\0\0\0|xz -dc
BZh91AY|bzip2 -dc
\xd4\xc3\xb2\xa1\2\0\4\0|pcap
\n\r\r\n\x1c\0\0\0\x4d\x3c\x2b\x1a\1\0|pcapng
I/Tag     ( 1234): text\n|logcat -v threadtime
--------- beginning of main\nI/Tag(12): text\n|logcat -v threadtime
LPKSHHRH\0\0\0\0|journalctl -o export
FLR\0\0\2\0\0|Java Flight Recorder
PK\5\6\0\0\0\0|a ZIP without members
{'perfetto_manifest': {'version': 1}}|begins with {"perfetto_manifest"
// made by us\n{"perfetto_manifest": {"version": 1}}|begins with {"perfetto_manifest"
perfetto_manifest:\n  version: 1\n|begins with {"perfetto_manifest"
SLOW\3\0\40\0|method trace
*version\n3\n|method trace
\n\4\10\1\20\2\n\4\10\3\20\4|pprof
2\0002\4time2\5count|pprof
\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\20\47\0\0\0\0\0\0|gperftools
12:21:46.284771 openat(AT_FDCWD, "/etc/passwd", O_RDONLY) = 3\n|strace -f -ttt
478760 12:21:46 brk(NULL) = 0x1\n|strace -f -ttt
[pid  478] 12:21:46.1 rt_sigreturn({mask=[]}) = 0\n|strace -f -ttt
execve("/bin/ls", ["ls"], 0x7f /* 3 vars */) = 0\n|strace -f -ttt
[    0.000000] Linux version 6.1\n|journalctl -o export
[12345.678901] usb 1-1: new\n|journalctl -o export
Nov  3 12:21:46 host kernel: a message\n|journalctl -o export
Nov 30 12:21:46 host sshd[12]: a message\n|journalctl -o export
2026-11-30T12:21:46.123456+01:00 host sshd[12]: a message\n|journalctl -o export
2026-11-30T12:21:46Z INFO place: x\n|unknown trace type; supported are: Perfetto
Nov 30 12:21:46\n|unknown trace type; supported are: Perfetto
12:21:46 app: call(3) = 0\n|unknown trace type; supported are: Perfetto
main("x") = 0\n|unknown trace type; supported are: Perfetto
SQLite format 3\0|database
hello|unknown trace type; supported are: Perfetto
END
    kineto a.json 5
    for how in --format=v7 --label=x; do
        tar $how -cf x a.json
        run -1 tm-unpack x
        [[ "$output" == "tm-unpack: x: a TAR of an old form, or with a label, which is not supported: unpack it and"* ]]
        printf b | dd of=x conv=notrunc status=none
        run -1 tm-unpack x
        [[ "$output" == "tm-unpack: x: unknown trace type; "* ]]
    done
    tm-unpack a.json >s.tms
    run tm-merge s.tms
    [ "$output" = "tm-unpack: s.tms: a tracemerge stream, which has been unpacked already: tm-emit or tm-sort -m read it (--ignore-unknown leaves it out)" ]
    tm-unpack --ignore-unknown s.tms a.json | tm-emit -f report | grep -q 'unknown_type'
}

@test "a recording of Instruments as its program keeps it is named, with what to do" {
    mkdir -p run.trace/corespace/run1/core other.trace/text
    printf '\0\1' >run.trace/corespace/run1/core/strings
    printf '\0\1' >other.trace/text/x
    tar cf run.tar run.trace
    want='run.trace/corespace/run1/core/strings: a part of a recording of Instruments, which is read as XML: xctrace export'
    for input in run.trace run.tar; do
        run tm-merge $input
        echo "$output"
        [ "$status" -eq 1 ]
        [[ "$output" == "tm-unpack: "*"$want --input "* ]]
    done
    run tm-merge other.trace
    [[ "$output" == *"other.trace/text/x: unknown trace type; "* ]]
}

@test "an error about damage names --on-damage" {
    kineto a.json 5
    head -c 100 a.json >cut.json
    gzip -c a.json | head -c 60 >cut.gz
    tar cf all.tar a.json
    head -c 600 all.tar >cut.tar
    for file in cut.json cut.gz cut.tar; do
        run tm-merge $file
        [ "$status" -eq 1 ]
        [[ "$output" == *" (--on-damage=skip or salvage goes on)" ]] || { echo "$output"; false; }
        run tm-merge --on-damage skip $file
        [ "$status" -eq 0 ]
    done
    run tm-merge missing.json
    [[ "$output" != *--on-damage* ]]
}

@test "a relation of a clock that the file does not have is an error that names its clocks" {
    kineto a.json 5
    phone b.pb 5000000000 1700000000000000000
    run tm-merge -q --sync a.json:BOOTTIME=b.pb:BOOTTIME+5s -o out.csv a.json b.pb
    [ "$status" -eq 1 ]
    [ "$output" = "tm-clocks: perfetto_manifest: files[0]: 'a.json' has no BOOTTIME, so relating that clock \
has no effect; it has TRACE_FILE" ]
    echo '{"perfetto_manifest": {"version": 1, "files": [{"path": "a.json", "clocks": {"clock": "BOOTTIME", "sync_to": {"file":
        "b.pb", "clock": "BOOTTIME"}}}, {"path": "b.pb"}]}}' >m.json
    run tm-merge -m m.json -o out.csv a.json b.pb
    [ "$status" -eq 0 ]
    [[ "$output" == *"tm-clocks: warning: perfetto_manifest: files[0]: 'a.json' has no BOOTTIME, so relating"* ]]
    run tm-merge --strict -m m.json -o strict.csv a.json b.pb
    [ "$status" -eq 1 ]
    rm out.csv
    run tm-merge -q --sync a.json=b.pb:MONOTONIC+5s -o out.csv a.json b.pb
    [ "$status" -eq 1 ]
    [[ "$output" == *"files[1]: 'b.pb' has no MONOTONIC, so relating that clock has no effect; it has REALTIME, BOOTTIME" ]]
    run tm-merge -q --sync a.json=b.pb+5s -o out.csv a.json b.pb
    [ "$status" -eq 1 ]
    [ "$output" = "tm-clocks: perfetto_manifest: files[1]: 'b.pb' has no timeline of its own, so a relation to that has no \
effect; name a clock that it has: REALTIME, BOOTTIME" ]
    [ ! -e out.csv ]
    tm-merge -q --sync b.pb:BOOTTIME=a.json+5s -o out.csv a.json b.pb
    tm-merge -q --sync a.json=b.pb:BOOTTIME+5s -o out.csv a.json b.pb
    phone a.pb 6000000000 1700000002000000000
    run tm-merge -q --sync a.pb:REALTIME=b.pb:REALTIME+5s a.pb b.pb
    [ "$status" -eq 1 ]
    [ "$output" = "tm-clocks: perfetto_manifest: files[1]: 'b.pb' has a REALTIME of its own, because another file is the \
first one of its machine, so relating the machine's has no effect" ]
}

@test "unknown keys of a manifest are warnings" {
    kineto a.json 5
    echo '{"perfetto_manifest": {"version": 1, "x_mine": 1, "files": [{"path": "a.json", "machin": {"name": "phone"}}]}}' >m.json
    run --separate-stderr tm-merge -m m.json -o out.csv a.json
    [ "$status" -eq 0 ]
    [[ "$stderr" == "tm-manifest: warning: m.json: perfetto_manifest: unknown key 'machin' is ignored; did you mean 'machine'?, \
line 1, column "* ]]
    run tm-merge -q -m m.json -o out.csv a.json
    [ "$output" = "" ]
    mkdir d
    cp a.json d
    cp m.json d/perfetto_manifest.json
    run --separate-stderr tm-merge -o out.csv d
    [[ "$stderr" == "tm-manifest: warning: d: perfetto_manifest.json: perfetto_manifest: unknown key 'machin'"* ]]
    run tm-manifest --check m.json
    [ "$status" -eq 0 ]
    [[ "$output" == *"unknown key 'machin'"* ]]
}

@test "an output that is one of the inputs is refused, and a file that is given twice is reported" {
    kineto a.json 5
    mkdir d
    cp a.json d/b.json
    ln -s d/b.json c.json
    for args in "-o a.json a.json" "-o d/b.json d" "-o ./c.json a.json d"; do
        run tm-merge $args
        [ "$status" -eq 2 ]
        [[ "${lines[0]}" == "tm-merge: "*": is both an input and an output" ]]
    done
    for args in "-o d/b.json" "-o ./c.json -" "-o d/b.json a.json -"; do
        run tm-merge $args <d/b.json
        [ "$status" -eq 2 ]
        [[ "${lines[0]}" == "tm-merge: "*": is both an input and an output" ]]
    done
    grep -q traceEvents d/b.json
    tm-merge -q -o out.csv <d/b.json
    grep -q traceEvents a.json
    tar cf all.tar a.json
    run tm-pack -o all.tar a.json all.tar
    [ "$status" -eq 2 ]
    [ "$output" = "tm-pack: all.tar: is both an input and an output" ]
    run --separate-stderr tm-merge -o out.csv a.json ./a.json
    [[ "$stderr" == *"tm-merge: warning: ./a.json: the same file is given twice, as a.json too"* ]]
    run --separate-stderr tm-merge -o out.csv a.json a.json
    [[ "$stderr" == *"tm-merge: warning: a.json: is given twice"* ]]
    run --separate-stderr tm-merge -q -o out.csv a.json ./a.json
    [ "$stderr" = "" ]
    for program in "tm-merge" "tm-unpack" "tm-pack -o new.tar"; do
        run $program - a.json - <a.json
        [ "$status" -eq 2 ]
        [ "$output" = "${program%% *}: -: standard input can be read only once, but is given twice" ]
    done
    [ ! -e new.tar ]
}

@test "no output replaces the manifest, an input or another output" {
    kineto a.json 5
    echo '{"perfetto_manifest": {"version": 1, "files": [{"path": "a.json", "machine": {"name": "phone"}}]}}' >m.json
    cp a.json a.before
    cp m.json m.before
    for args in "-m m.json -o m.json a.json" "--write-manifest=a.json -o out.csv a.json" "-q -o out.csv --write-manifest a.json a.json"; do
        run tm-merge $args
        [ "$status" -eq 2 ]
        [[ "${lines[0]}" == "tm-merge: "*".json: is both an input and an output" ]]
    done
    run tm-merge --write-manifest=w.csv -o w.csv a.json
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "tm-merge: w.csv is given as two outputs" ]
    cmp a.json a.before
    cmp m.json m.before
    tm-merge -q -m m.json --write-manifest=m.json -o out.csv a.json # may be written again
    for args in "-m -" "-m /dev/stdin" "--write-manifest=-" "--write-manifest=/dev/stdout"; do
        run tm-merge $args -o out.csv a.json
        [ "$status" -eq 2 ]
        [[ "${lines[0]}" == "tm-merge: "*": give a file, not standard "* ]]
    done
    [ ! -e - ]
}

@test "a link in a directory that leads nowhere is an error" {
    mkdir d
    kineto a.json 5
    ln -s ../a.json d/a.json
    tm-merge -q -o out.csv d
    ln -s ../nowhere d/b.json
    for command in "tm-merge -o out.csv" "tm-unpack" "tm-pack -o out.tar"; do
        run $command d
        [ "$status" -eq 1 ]
        [[ "$output" == *"d/b.json: cannot follow the link: No such file or directory"* ]]
    done
}

@test "-h prints help, an argument like an option is refused, and a file name may begin with a dash after --" {
    for program in tm-merge tm-unpack tm-manifest tm-clocks tm-sort tm-emit tm-pack; do
        [ "$($program -h)" = "$($program --help)" ]
    done
    kineto -a.json 5
    run tm-merge -o -f json ./-a.json
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "tm-merge: option '-o' needs an argument, and '-f' looks like an option; a file of that name is ./-f" ]
    run tm-merge -a.json
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "tm-merge: unknown option '-a'; a file of that name is given after -- or as ./-a.json" ]
    tm-merge -o ./-out.csv -- -a.json
    [ -s ./-out.csv ]
}

@test "two archives with manifests give an error that names the cause" {
    kineto a.json 5
    tm-pack -q -o a.tar a.json
    tm-pack -q -o b.tar a.json
    run tm-merge -o out.csv a.tar b.tar
    [ "$status" -eq 1 ]
    [[ "$output" == "tm-unpack: b.tar: perfetto_manifest.json: "*"; the manifest of a.tar came first, and a merge has only one; remove this one, or remove both and give one for all with -m" ]]
}

@test "an unknown ending gives an error that lists the known ones" {
    kineto a.json 5
    run tm-merge -o out.foo a.json
    [ "$status" -eq 2 ]
    [[ "${lines[0]}" == "tm-merge: out.foo: no format has this ending; use one of .txt, "*".pftrace"*", or give -f" ]]
}

@test "tm-pack prints the summary that tm-merge prints" {
    kineto a.json 1000
    phone b.pb 5000000000 1700000000000000000
    tm-pack -o all.tar a.json b.pb 2>packed
    tm-merge -f summary all.tar 2>err >merged
    cmp packed merged
    [ ! -s err ]
}
