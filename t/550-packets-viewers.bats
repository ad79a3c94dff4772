#!/usr/bin/env bats
# In the merged Perfetto trace each kind of packet has the content and the place that viewers need.

load lib/common

make_packets() { python3 "$TM_SRC/t/gen/make-packets.py" >"$BATS_TEST_TMPDIR/$1"; }
list_packets() { python3 "$TM_SRC/t/check/list-packets.py" "$@"; }

# A snapshot of BOOTTIME and REALTIME at 1000 ns.
snapshot='1 { 10: 1 6 { 1 { 1: 6 2: 1000 } 1 { 1: 1 2: 1700000000000001000 } } }'

@test "symbols and mappings without a time come after the samples that they describe" {
    make_packets t.pftrace <<END
$snapshot
1 { 10: 9 47 { 1 { 1: "com.foo" 2: 10001 } } }
1 { 10: 2 13: 1 8: 2000 66 { 2: 10 3: 11 4: 1 } 12 { 7 { 1: 1 6: 1 2: 1 } 6 { 1: 1 3: 1 4: 291 } 16 { 1: 1 2: "AB" } } }
1 { 10: 2 13: 2 8: 3000 66 { 2: 10 3: 11 4: 1 } }
1 { 10: 3 61 { 1: "/lib/x.so" 2: "AB" 3 { 1: 291 2 { 1: "f" 2: "x.c" 3: 4 } } } }
1 { 10: 3 64 { 1: "com.foo" 3 { 1: "a" 2: "com.foo.Main" } } }
1 { 10: 2 13: 2 8: 4000 66 { 2: 10 3: 11 4: 1 } }
END
    cd "$BATS_TEST_TMPDIR"
    tm-merge -o m.pftrace t.pftrace
    run bash -c "python3 '$TM_SRC/t/check/list-packets.py' -f 61.1 -f 64.1 m.pftrace | grep -E ' (47|66|61|64)( |$|,)|/lib'"
    echo "$output"
    [ "${#lines[@]}" -eq 6 ]
    [[ "${lines[0]}" = "- "*" 47" ]] # no packet is before it
    [[ "${lines[1]}" = "2000 "*" 66" && "${lines[2]}" = "3000 "*" 66" ]]
    [[ "${lines[3]}" = "3000 "*" 61 61.1=/lib/x.so" && "${lines[4]}" = "3000 "*" 64 64.1=com.foo" ]]
    [[ "${lines[5]}" = "4000 "*" 66" ]]
}

@test "packets of a file without a time take effect after all files that were read before it" {
    for i in 1 2; do
        make_packets $i.pftrace <<END
$snapshot
1 { 10: 2 8: ${i}500 68 { 1: $i } }
1 { 10: 2 78 { 1: $i } }
END
    done
    cd "$BATS_TEST_TMPDIR"
    tar cf t.tar 1.pftrace 2.pftrace
    tm-merge -o m.pftrace t.tar
    run bash -c "python3 '$TM_SRC/t/check/list-packets.py' -f 68.1 -f 78.1 m.pftrace | grep -E '(68|78)'"
    echo "$output"
    [[ "${lines[0]}" = "1500 "*" 68.1=1" && "${lines[1]}" = "1500 "*" 78.1=1" ]]
    [[ "${lines[2]}" = "2500 "*" 68.1=2" && "${lines[3]}" = "2500 "*" 78.1=2" ]]
}

@test "many packets without a time are in a temporary file, and a series of slices stops for each" {
    python3 - >"$BATS_TEST_TMPDIR/t.txt" <<'END'
print('1 { 10: 1 6 { 1 { 1: 6 2: 1000 } } }')
print('1 { 10: 2 13: 1 8: 1000 12 { 2 { 1: 1 2: "e" } } 60 { 1: 7 2: "t" } }')
for i in range(3000):
    for j in range(4):
        print('1 { 10: 2 13: 2 8: %d 11 { 9: 3 11: 7 10: 1 } }' % (2000 + 10 * i + j))
    print('1 { 10: 3 61 { 1: "%d" 2: "%s" } }' % (i, 'x' * 4000))
END
    make_packets t.pftrace <"$BATS_TEST_TMPDIR/t.txt"
    cd "$BATS_TEST_TMPDIR"
    tm-merge -o m.pftrace t.pftrace
    list_packets -f 61.1 m.pftrace | awk '/61.1=/ { n++; split($NF, p, "="); if (p[2] != n - 1 || $1 != 2003 + 10 * (n - 1)) bad++ }
        / 11$/ { e++; if ($1 < last) bad++; last = $1 } END { print n, e, bad + 0 }' >counts
    cat counts
    [ "$(cat counts)" = "3000 12000 0" ]
}

@test "track events on sequence 0 are read if the packet states it, and events without a sequence are counted" {
    make_packets t.pftrace <<END
$snapshot
1 { 10: 0 60 { 1: 7 2: "t" } }
1 { 10: 0 8: 1500 11 { 9: 3 11: 7 23: "plain" } }
1 { 8: 1600 11 { 9: 3 11: 7 23: "none" } }
1 { 10: 0 8: 1700 13: 1 12 { 2 { 1: 1 2: "interned" } } 11 { 9: 1 11: 7 10: 1 } }
1 { 10: 0 8: 1800 11 { 9: 2 11: 7 } }
END
    cd "$BATS_TEST_TMPDIR"
    tm-merge -o m.pftrace t.pftrace
    tm-merge -o m.db m.pftrace
    tm-merge -o t.db t.pftrace
    for db in m t; do
        run sqlite3 $db.db "SELECT ts, dur, name FROM slice ORDER BY ts"
        echo "$output"
        [ "$output" = "1500|0|plain
1700|100|interned" ]
    done
    run sqlite3 t.db "SELECT value FROM stats WHERE name = 'track_event_missing_sequence_id'"
    [ "$output" = 1 ]
}

@test "tracks of extra counters are described before the first event with values for them" {
    make_packets a.pftrace <<END
$snapshot
1 { 10: 1 8: 9000 68 { 1: 1 } }
END
    make_packets b.pftrace <<END
$snapshot
1 { 10: 2 13: 1 8: 1100 59 { 11 { 11: 10 31: 30 } } 60 { 1: 10 4 { 1: 5 2: 6 } } }
1 { 10: 2 60 { 1: 30 5: 10 8 { 1: 1 4: 1000 5: 1 } } }
1 { 10: 2 13: 2 8: 1200 11 { 9: 1 23: "work" 12: 5 } }
1 { 10: 2 13: 2 8: 1300 11 { 9: 2 12: 7 } }
END
    cd "$BATS_TEST_TMPDIR"
    tar cf t.tar a.pftrace b.pftrace
    tm-merge -o m.pftrace t.tar
    run bash -c "python3 '$TM_SRC/t/check/list-packets.py' -f 60.8.1 -f 11.12 m.pftrace | grep -E '(60.8.1|11.12)='"
    echo "$output"
    [ "${#lines[@]}" -eq 3 ]
    [[ "${lines[0]}" = *60.8.1=1 && "${lines[1]}" = "1200 "*11.12=5000 && "${lines[2]}" = "1300 "*11.12=12000 ]]
}

@test "ids of the first trace are unchanged" {
    for i in 1 2; do
        make_packets $i.pftrace <<END
$snapshot
1 { 10: 2 60 { 1: 7 2: "t" } }
1 { 10: 2 8: ${i}500 11 { 9: 3 11: 7 23: "e" 47: 0x0000000000000005 } }
END
    done
    cd "$BATS_TEST_TMPDIR"
    tar cf t.tar 1.pftrace 2.pftrace
    tm-merge -o m.pftrace t.tar
    run bash -c "python3 '$TM_SRC/t/check/list-packets.py' -f 11.11 -f 11.47 m.pftrace | grep 11.11="
    echo "$output"
    [[ "${lines[0]}" = "1500 "*" 11.11=7 11.47=5" ]]
    [[ "${lines[1]}" = "2500 "* && "${lines[1]}" != *"11.11=7 "* && "${lines[1]}" != *11.47=5 ]]
}

@test "losses of a sequence are stated on a sequence of their own, in file order" {
    make_packets t.pftrace <<END
$snapshot
1 { 10: 2 42: 1 13: 2 8: 1010 11 { 9: 3 23: "x" } 12 { 2 { 1: 1 2: "q" } } }
1 { 10: 2 13: 1 8: 1100 60 { 1: 5 2: "t" } }
1 { 10: 2 13: 2 8: 1500 11 { 9: 3 11: 5 23: "a" } }
1 { 10: 2 13: 2 8: 1300 42: 65 11 { 9: 3 11: 5 23: "lost" } }
1 { 10: 2 13: 2 8: 1320 11 { 9: 3 11: 5 23: "lost" } }
1 { 10: 2 13: 1 8: 1330 11 { 9: 3 11: 5 23: "again" } }
1 { 10: 4 8: 1321 68 { 1: 5 } }
1 { 10: 4 8: 1322 42: 256 68 { 1: 5 } }
1 { 10: 2 35 { 18 { 1: 2 4: 1 } 18 { 1: 4 } 18 { 1: 77 } 1 { 1: 5 } 1 { 1: 6 } } }
END
    cd "$BATS_TEST_TMPDIR"
    tm-merge -o m.pftrace t.pftrace
    run bash -c "python3 '$TM_SRC/t/check/list-packets.py' m.pftrace | awk '\$1 == \"-\" && \$2 != \"-\" && \$6 != 60'"
    echo "$output"
    # The first packet needs state, and so do the fifth and sixth; the third had it. The last states the losses of
    # sequence 4.
    first=$(awk '$6 == 12 && $3 == 2 { print $2 }' <<<"$output")
    last=$(awk '$5 == 256 { print $2 }' <<<"$output")
    [ "$(awk -v s="$first" '$2 == s { printf "%s/%s ", $3, $5 }' <<<"$output")" = "2/- 3/- 2/65 2/- " ]
    [ "$(awk -v s="$last" '$2 == s { printf "%s/%s ", $3, $5 }' <<<"$output")" = "0/- 0/256 " ]
    run bash -c "python3 '$TM_SRC/t/check/list-packets.py' -f 35.18.1 -f 35.18.4 m.pftrace | grep 35.18"
    echo "$output"
    [[ "$output" = *" 35.18.1=$first 35.18.1=$last 35.18.1="*" 35.18.4=1 35.18.4=0 35.18.4=0" ]]
    # All other packets are on sequences whose state is complete.
    run tm-merge -f report m.pftrace
    [[ "$output" != *needs_state*track_event* ]]
    tm-merge -o m.db m.pftrace
    tm-merge -o t.db t.pftrace
    for db in t m; do
        run sqlite3 $db.db "SELECT name FROM slice ORDER BY ts; SELECT sum(value) FROM stats WHERE name = 'traced_buf_sequence_packet_loss'"
        echo "$output"
        [ "$output" = "again
a
2" ]
    done
}

@test "statistics of the buffers of two files of one machine have consecutive numbers, and a packet with their sums follows" {
    for i in 1 2; do
        make_packets $i.pftrace <<END
$snapshot
1 { 10: $i 8: ${i}500 68 { 1: $i } }
1 { 10: $i 35 { 1 { 1: ${i}1 } 1 { 1: ${i}2 } 18 { 1: $i 4: 1 2: "x" } 8: ${i} 14: 3 15: 1 11 { 4: $i 20: 7 } } }
END
    done
    cd "$BATS_TEST_TMPDIR"
    tar cf t.tar 1.pftrace 2.pftrace
    tm-merge -o m.pftrace t.tar
    list_packets -f 35.1.1 -f 35.18.4 -f 35.8 -f 35.14 -f 35.15 -f 35.11.4 -f 35.11.20 m.pftrace | grep 35.1.1 | cut -d' ' -f7- >said
    cat said
    diff said - <<'END'
35.1.1=11 35.1.1=12 35.18.4=1 35.8=1 35.14=3 35.15=1 35.11.4=1 35.11.20=7
35.1.1=21 35.1.1=22 35.18.4=3 35.8=2 35.14=3 35.15=1 35.11.4=2 35.11.20=7
35.1.1=11 35.1.1=12 35.1.1=21 35.1.1=22 35.8=3 35.14=6 35.11.4=3 35.11.20=7 35.11.20=0 35.11.20=7 35.11.20=0
END
    # With several machines, each machine has its own.
    printf '{"perfetto_manifest": {"version": 1, "files": [{"path": "1.pftrace", "machine": {"name": "a"}},
        {"path": "2.pftrace", "machine": {"name": "b"}}]}}' >perfetto_manifest.json
    tar cf t.tar perfetto_manifest.json 1.pftrace 2.pftrace
    tm-merge -o m.pftrace t.tar
    run bash -c "python3 '$TM_SRC/t/check/list-packets.py' -f 35.1.1 m.pftrace | grep 35.1.1"
    [[ "${#lines[@]}" -eq 2 && "${lines[1]}" = *" 35 35.1.1=21 35.1.1=22" ]]
}

@test "statistics that no packet states are attributes of the merged trace, by file" {
    cd "$BATS_TEST_TMPDIR"
    printf '%s\n' '# tracer: nop' '  app-100 (  100) [001] ..... 10.000009: tracing_mark_write: B|100|work' \
        '  app-100 (  100) garbage' '  app-100 (  100) [001] ..... 10.000019: tracing_mark_write: E|100' >t.systrace
    echo '[{"ph":"i","pid":1,"tid":2,"name":"x","ts":10},{"ph":"C","name":"c","ts":4,"pid":1,"args":{"a":"x"}}]' >t.json
    make_packets p.pftrace <<END
1 { 10: 1 6 { 1 { 1: 6 2: 1000 } 1 { 1: 3 2: 1000 } } }
1 { 10: 2 60 { 2: "no uuid" } }
1 { 10: 2 8: 1500 11 { 9: 3 23: "e" } }
1 { 8: 1600 11 { 9: 3 23: "no sequence" } }
1 { 10: 2 35 { 1 { 6: 5 } } }
END
    tar cf t.tar t.systrace t.json p.pftrace
    tm-merge -o m.pftrace t.tar
    list_packets -f 126.1.1 -f 126.1.2 m.pftrace | grep -o ' 126.1.1=tracemerge.file.[0-9]*.stat.*' | sort >attributes
    cat attributes
    diff attributes - <<'END'
 126.1.1=tracemerge.file.1.stat.track_event_missing_sequence_id 126.1.2=1
 126.1.1=tracemerge.file.2.stat.json_parser_failure 126.1.2=1
 126.1.1=tracemerge.file.3.stat.systrace_parse_failure 126.1.2=1
END
    # A trace without such statistics has no such attributes.
    tm-merge -o d.pftrace "$TM_SRC/doc/examples/phone-watch-app.tar"
    run list_packets -f 126.1.1 d.pftrace
    [[ "$output" != *.stat.* ]]
}

@test "a shell transition of a machine other than the first, on which the importer crashes, is left out and counted" {
    for i in 1 2; do
        make_packets $i.pftrace <<END
$snapshot
1 { 10: 2 8: ${i}500 68 { 1: $i } }
1 { 10: 2 8: ${i}600 96 { 1: $i } }
END
    done
    cd "$BATS_TEST_TMPDIR"
    printf '{"perfetto_manifest": {"version": 1, "files": [{"path": "1.pftrace", "machine": {"name": "a"}},
        {"path": "2.pftrace", "machine": {"name": "b"}}]}}' >perfetto_manifest.json
    tar cf t.tar perfetto_manifest.json 1.pftrace 2.pftrace
    run --separate-stderr tm-merge -o m.pftrace t.tar
    echo "$stderr"
    [[ "$stderr" = *"2.pftrace: 1 event of kind packet has no form in pftrace"* ]]
    [[ "$stderr" != *"1.pftrace: 1 event"* ]]
    run bash -c "python3 '$TM_SRC/t/check/list-packets.py' -f 96.1 m.pftrace | grep 96.1="
    [ "${#lines[@]}" -eq 1 ]
    [[ "$output" = *" 96.1=1" ]]
}

# A thread with the name NAME below the track of its process, and an event on it. The process has the track BASE.
thread_below() { # FILE BASE NAME
    make_packets "$1" <<END
1 { 10: 1 8: 1000 60 { 1: $2 3 { 1: 100 6: "process $3" } } }
1 { 10: 1 8: 1000 60 { 1: $(($2 + 1)) 5: $2 4 { 1: 100 2: 102 5: "$3" } } }
1 { 10: 1 8: 2000 11 { 9: 3 11: $(($2 + 1)) 23: "$3 now" } }
END
}

@test "all descriptors of a track have one parent if several files describe its thread" {
    cd "$BATS_TEST_TMPDIR"
    thread_below a.pftrace 10 first
    thread_below b.pftrace 20 second
    printf '%s' '{"traceEvents":[{"ph":"M","pid":100,"tid":102,"name":"thread_name","args":{"name":"json"}},' \
        '{"ph":"X","pid":100,"tid":102,"ts":3,"dur":1,"name":"x"}]}' >c.json
    printf '%s' '{"meta":{"version":24,"startTime":0,"interval":1},"libs":[],"threads":[{"name":"gecko","tid":102,"pid":100,' \
        '"processType":"default","samples":{"schema":{"stack":0,"time":1},"data":[[0,5.0]]},' \
        '"stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0]]},' \
        '"frameTable":{"schema":{"location":0},"data":[[0]]},"stringTable":["f"]}]}' >d.json
    for files in 'a.pftrace b.pftrace' 'a.pftrace c.json' 'a.pftrace b.pftrace d.json' 'a.pftrace b.pftrace c.json d.json'; do
        tm-merge -o m.pftrace $files
        list_packets -f 60.1 -f 60.5 m.pftrace | sed -n 's/.* 60\.1=\([^ ]*\)\(.*60\.5=\)*\([^ ]*\).*/\1 \3/p' | sort -u >tracks
        cat tracks
        [ "$(wc -l <tracks)" -ge 3 ]
        [ -z "$(cut -d ' ' -f 1 tracks | uniq -d)" ]
    done
}
