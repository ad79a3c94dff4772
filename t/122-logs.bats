# Logs: logcat as rows of the database, merged and read again, and beside a trace of the same machine.

setup() {
    cd "$BATS_TEST_TMPDIR"
    . "$TM_SRC/t/lib/common.bash"
    export SOURCE_DATE_EPOCH=1795500000 # 2026-11-24
}

# Prints the rows of android_logs in DB.
logs() {
    sqlite3 "$1" "SELECT l.ts, l.prio, l.tag, replace(l.msg, char(10), '~'), t.tid, p.pid FROM android_logs l
        LEFT JOIN thread t USING (utid) LEFT JOIN process p USING (upid) ORDER BY l.ts, l.id"
}

threadtime() {
    cat <<'END'
--------- beginning of system
11-23 07:36:20.123  1234  1250 I ActivityManager: Start proc 1300:com.a/u0a1
--------- switch to main
11-23 07:36:20.124456     0     0 W init    : hello: there
11-23 07:36:20.125  1300  1300 E Tag     :
11-23 07:36:20.126  1300  1301 F AndroidRuntime: java.lang.Error: x
	at a.b.c(D.java:1)
END
}

@test "logcat: messages are rows of android_logs, also after a merge" {
    threadtime >a.log
    [ "$(tm-unpack -l a.log | cut -f 2)" = android_logcat ]
    tm-merge -o a.db a.log
    logs a.db >got
    diff -u - got <<'END'
1795419380123000000|4|ActivityManager|Start proc 1300:com.a/u0a1|1250|1234
1795419380124456000|5|init|hello: there||
1795419380125000000|6|Tag||1300|1300
1795419380126000000|7|AndroidRuntime|java.lang.Error: x~	at a.b.c(D.java:1)|1301|1300
END
    tm-merge -o a.pftrace a.log
    tm-merge -o again.db a.pftrace
    logs again.db | diff -u got -
}

@test "logcat: assumed years and zones are counted, and stated ones are used" {
    threadtime >a.log
    tm-merge -f report a.log | grep -q 'logcat_lines_without_year = 4 (info'
    SOURCE_DATE_EPOCH=1700000000 tm-merge -o a.db a.log
    [ "$(sqlite3 a.db "SELECT date(min(ts) / 1000000000, 'unixepoch') FROM android_logs")" = 2022-11-23 ]
    printf '%s\n' '2019-11-23 07:36:20.123456789 +0100 shell  1  2 I T: m' >b.log
    tm-merge -o b.db b.log
    [ "$(logs b.db)" = '1574490980123456789|4|T|m|2|1' ]
    [ "$(sqlite3 b.db "SELECT display_value FROM args JOIN android_logs USING (arg_set_id) WHERE key = 'uid'")" = shell ]
    [ "$(sqlite3 b.db "SELECT count(*) FROM stats WHERE name LIKE 'logcat%'")" -eq 0 ]
}

@test "logcat -v monotonic is on the clock of the kernel's trace" {
    printf '   16.000500 10001  5  7 I T: between\n' >m.log
    printf '# tracer: nop\n#\n a-5 (5) [000] .... 16.000400: tracing_mark_write: B|5|x\n a-5 (5) [000] .... 16.000600: tracing_mark_write: E|5\n' >k.txt
    tm-merge -o m.db m.log k.txt
    [ "$(sqlite3 m.db "SELECT l.ts - s.ts, s.ts + s.dur - l.ts FROM slice s, android_logs l")" = '100000|100000' ]
    tm-merge -f report m.log k.txt | grep -q '0 dropped'
}

@test "logcat: messages are placed beside a proto that relates REALTIME to BOOTTIME" {
    printf 'snap 6=1000 1=1795419380000000000\ninstant e 2000 seq=1\n' | proto p.pftrace
    threadtime >a.log
    tm-merge -o a.db p.pftrace a.log
    [ "$(sqlite3 a.db "SELECT min(ts), max(ts) FROM android_logs")" = '123001000|126001000' ]
}

@test "android_log packets give messages, priorities and the values of events" {
    # timestamp 7; pid 5 tid 6 tag "t" prio 5 message "m" args a=1 b="x"; then an event without a priority
    printf '\n\050\100\007\272\002\043\n\033\020\005\030\006\062\001t\070\005\102\001m\112\005\n\001a\020\001\112\006\n\001b\042\001x\n\004\040\001\102\000' >p.pftrace
    tm-merge -o p.db p.pftrace
    [ "$(logs p.db)" = $'7|5|t|m a=1 b="x"|6|5\n7|4||||' ]
    [ "$(sqlite3 p.db "SELECT start_ts, end_ts FROM trace_bounds")" = '7|8' ]
}

@test "each message of an android_log packet is at its own time on REALTIME, not at the packet's" {
    printf '%s\n' 'snap 6=1000000 1=1700000000001000000 seq=1' 'log early 1700000000001700000 2900000 seq=2' \
        'log late 1700000000002700000 2900000 seq=2' | proto a.pftrace
    tm-merge -o a.db a.pftrace
    [ "$(sqlite3 a.db "SELECT ts, msg FROM android_logs")" = $'1700000|early\n2700000|late' ]
    # a merge writes the packets, and not the messages once more
    tm-merge -o m.pftrace a.pftrace
    tm-merge -o m.db m.pftrace
    [ "$(sqlite3 m.db "SELECT ts, msg FROM android_logs")" = $'1700000|early\n2700000|late' ]
}

# The expected rows are the reference importer's.
@test "the numbers of an android_log packet about its recording are statistics, and the last that states each counts" {
    python3 "$TM_SRC/t/gen/make-packets.py" >p.pftrace <<'END'
1 { 8: 5 39 { 1 { 2: 5 3: 6 8: "m" } 2 { 1: 8 2: 1 3: 3 } } }
1 { 8: 6 39 { 2 { 1: 9 2: 2 3: 4 } } }
1 { 8: 7 39 { 2 { 2: 3 } } }
1 { 8: 8 39 { 2 { } } }
END
    tm-merge -q -o p.db -o m.pftrace p.pftrace
    query="SELECT name, idx, severity, source, value FROM stats WHERE name GLOB 'android_log_*' ORDER BY name"
    want='android_log_num_failed||error|trace|3
android_log_num_skipped||info|trace|4
android_log_num_total||info|trace|9'
    [ "$(sqlite3 p.db "$query")" = "$want" ]
    tm-merge -q -o m.db m.pftrace
    [ "$(sqlite3 m.db "$query")" = "$want" ]
    [ "$(logs m.db)" = '5|4||m|6|5' ]
}

# The expected rows are those that the reference importer shows of the packets, without gid and exe, and of m.pftrace.
@test "journald_event packets are messages of the journal, with the priority of syslog in logs, also after a merge" {
    python3 "$TM_SRC/t/gen/make-packets.py" >j.pftrace <<'END'
1 { 8: 5000 10: 1 6 { 1 { 1: 6 2: 5000 } 1 { 1: 1 2: 1700000000000000000 } } }
1 { 8: 6000 10: 1 132 { 1: 5 2: 6 3: 1000 4: 7 5: 3 6: "sshd" 7: "hello" 8: "c" 9: "/sshd" 10: "u" 11: "h" 12: "t" } }
1 { 8: 7000 10: 1 132 { 1: 5 5: 0 7: "m2" } }
1 { 8: 8000 10: 1 132 { 1: 0 2: 9 6: "" 12: "kernel" } }
1 { 8: 9000 10: 1 132 { 5: 300 7: "odd" } }
1 { 8: 9500 10: 1 132 { 5: 3 7: "no message" 20: 11 } }
1 { 8: 9600 10: 1 132 { 20: 12 21: 2 } }
1 { 8: 9800 10: 1 132 { 1: 4294967295 2: 4294967294 3: 4294967295 5: 4294967295 7: "big" } }
END
    tm-merge -q -o j.db -o m.pftrace j.pftrace
    tm-merge -q -o m.db m.pftrace
    for db in j.db m.db; do
        sqlite3 -nullvalue - "$db" "SELECT l.ts, l.prio, l.log_source, l.tag, l.msg, t.tid, p.pid FROM logs l
            LEFT JOIN thread t USING (utid) LEFT JOIN process p USING (upid)" | diff -u - <(cat <<'END'
6000|3|systemd_journald|sshd|hello|6|5
7000|0|systemd_journald|-|m2|5|5
8000|0|systemd_journald||-|-|-
9000|300|systemd_journald|-|odd|-|-
9800|4294967295|systemd_journald|-|big|4294967294|4294967295
END
)
        sqlite3 "$db" "SELECT l.ts, a.key, a.display_value FROM logs l JOIN args a USING (arg_set_id)
            ORDER BY l.id, a.id" | diff -u - <(printf '%s\n' '6000|uid|1000' '6000|gid|7' '6000|comm|c' '6000|exe|/sshd' \
            '6000|systemd_unit|u' '6000|hostname|h' '6000|transport|t' '8000|transport|kernel' '9800|uid|4294967295')
        [ "$(sqlite3 "$db" "SELECT group_concat(prio, ' ') FROM android_logs")" = '6 7 4 4 4' ]
        [ "$(sqlite3 "$db" "SELECT name, severity, source, value FROM stats WHERE name GLOB 'systemd_*' ORDER BY name")" = \
            $'systemd_journal_num_failed|error|trace|2\nsystemd_journal_num_total|info|trace|12' ]
    done
}

@test "numbers of logs that several files state about a machine are sums in a merged Perfetto trace" {
    printf '1 { 8: %s }\n' '2000 39 { 2 { 1: 10 2: 1 } }' '9000 39 { 2 { 1: 12 2: 2 } }' '3000 132 { 20: 100 21: 3 }' |
        python3 "$TM_SRC/t/gen/make-packets.py" >a.pftrace
    printf '1 { %s }\n' '8: 5000 39 { 2 { 1: 7 3: 4 } }' '132 { 20: 50 }' '98: 5 8: 6000 39 { 2 { 1: 1000 } }' |
        python3 "$TM_SRC/t/gen/make-packets.py" >b.pftrace
    query="SELECT s.name, m.raw_id, sum(s.value) FROM stats s JOIN machine m ON m.id = s.machine_id
        WHERE s.name GLOB 'android_log_*' OR s.name GLOB 'systemd_*' GROUP BY 1, 2"
    tm-merge -q -o p.db -o m.pftrace a.pftrace b.pftrace
    tm-merge -q -o m.db m.pftrace
    for db in p.db m.db; do
        [ "$(sqlite3 $db "$query" | xargs)" = "android_log_num_failed|0|2 android_log_num_skipped|0|4 $(
            )android_log_num_total|0|19 android_log_num_total|5|1000 systemd_journal_num_failed|0|3 $(
            )systemd_journal_num_total|0|150" ]
    done
    # One file's numbers need no sum.
    tm-merge -q -o m.pftrace a.pftrace
    [ "$(tm-unpack m.pftrace | tm-emit -f frames | grep -c 'kind=packet')" = 3 ]
}

@test "messages of the journal have the priority of syslog in logs, and Android's in android_logs" {
    tm-merge -q -o j.db "$TM_SRC/t/data/journal.json"
    [ "$(sqlite3 j.db "SELECT DISTINCT a.prio, l.prio, l.log_source FROM android_logs a JOIN logs l USING (id) ORDER BY 1")" = \
        $'3|7|systemd_journald\n4|6|systemd_journald\n5|4|systemd_journald\n6|3|systemd_journald' ]
}

@test "a message whose time on REALTIME cannot be converted is no row, and is counted" {
    printf '%s\n' 'instant a 100 seq=1' 'log early 1700000000001700000 2900000 seq=2' | proto a.pftrace
    tm-merge -q -o a.db a.pftrace
    [ "$(sqlite3 a.db "SELECT count(*) FROM android_logs")" -eq 0 ]
    [ "$(sqlite3 a.db "SELECT value FROM stats WHERE name = 'clock_sync_failure_unknown_source_clock'")" -eq 1 ]
}

# journal BOOT REALTIME_US MONOTONIC_US MESSAGE: prints an entry as journalctl -o export writes it.
journal() {
    printf '__CURSOR=s=1;b=%s\n__REALTIME_TIMESTAMP=%s\n__MONOTONIC_TIMESTAMP=%s\n_BOOT_ID=%s\nPRIORITY=6\nMESSAGE=%s\n\n' \
        "$1" "$2" "$3" "$1" "$4"
}

boots() {
    a=0123456789abcdef0123456789abcdef b=fedcba9876543210fedcba9876543210 r=1795437000000000
    journal $a $r 100000000 a0
    journal $a $((r + 1000000)) 101000000 a1
    journal $b $((r + 60000000)) 5000000 b0
    journal $b $((r + 61000500)) 6000000 b1
}

@test "journal: a recording gives the same rows in both of its formats and after a merge" {
    data=$TM_SRC/t/data
    for format in json export; do
        [ "$(tm-unpack -l "$data/journal.$format" | cut -f 2)" = journal_$format ]
        tm-merge -o $format.db "$data/journal.$format"
        logs $format.db | tr '\001' . >$format
        tm-merge -o m.pftrace "$data/journal.$format"
        tm-merge -o again.db m.pftrace
        logs again.db | tr '\001' . | diff -u $format -
    done
    diff -u - json <<'END'
3037657941000|4|rec|first message|14782|14782
3037728394000|6|rec|second~of two lines|14782|14782
3037799104000|5|rec|bytes ��. end|14782|14782
3037869763000|3|rec|last: ünïcode|14782|14782
END
    diff json export
    # readers take the time of an entry from a reading of REALTIME in its packet
    tm-unpack m.pftrace | tm-emit -f frames | grep -o 'inner_times={.*value=[0-9]*' | grep -o 'clock=.*' >readings
    [ "$(head -n 1 readings)" = "clock=1 value=1795437861216996000" ]
    [ "$(wc -l <readings)" -eq 4 ]
    [ "$(sqlite3 json.db "SELECT name FROM thread WHERE tid = 14782")" = python3 ]
    [ "$(sqlite3 json.db "SELECT group_concat(key || '=' || display_value, ' ') FROM args WHERE key IN ('_HOSTNAME', 'PRIORITY', '_UID')
        AND arg_set_id = (SELECT arg_set_id FROM android_logs LIMIT 1)" | tr ' ' '\n' | sort | tr '\n' ' ')" = \
        "PRIORITY=6 _HOSTNAME=vm _UID=0 " ]
    tm-merge -f report "$data/journal.json" | grep -q '4 events read, 4 placed, 0 dropped'
}

@test "journal: each message lies between the marks that its program wrote to the kernel's trace" {
    data=$TM_SRC/t/data
    for order in "journal.json marks.txt" "marks.txt z-journal.json"; do
        cp "$data/journal.json" journal.json
        cp "$data/journal.json" z-journal.json
        cp "$data/journal-marks.txt" marks.txt
        tm-merge -q -o m.db $order
        # 20 ms apart; the next pair is 50 ms away; logging takes some tens of microseconds
        [ "$(sqlite3 m.db "SELECT count(*) FROM android_logs l JOIN slice b ON b.name LIKE 'before%' AND b.ts < l.ts
            JOIN slice a ON a.name = replace(b.name, 'before', 'after') AND a.ts > l.ts WHERE l.ts - b.ts < 1000000")" -eq 4 ]
    done
}

@test "journal: MONOTONIC is that of the last boot, and REALTIME places other boots" {
    boots >boots
    tm-merge -q -o m.db boots
    [ "$(logs m.db | cut -d '|' -f 1,4)" = $'5000000000|b0\n6000000000|b1' ]
    tm-merge -f report boots 2>/dev/null | grep -q 'journal_boots = 2 (info'
    run tm-merge -o m.db boots
    [[ "$output" == *"boots: 2 events dropped, negative_time"* ]]
    tm-merge -o r.db --trace-time REALTIME boots
    [ "$(logs r.db | cut -d '|' -f 1,4)" = $'1795437000000000000|a0\n1795437001000000000|a1\n1795437060000000000|b0\n1795437061000500000|b1' ]
    tm-merge -o r.db --trace-time REALTIME <(cat boots)
    [ "$(logs r.db | wc -l)" -eq 4 ]
    printf '# tracer: nop\n#\n a-5 (5) [000] .... 5.000100: tracing_mark_write: I|5|k\n' >kernel.txt
    tm-merge -q -o k.db boots kernel.txt
    [ "$(sqlite3 k.db "SELECT s.ts - l.ts FROM slice s, android_logs l WHERE l.msg = 'b0'")" -eq 100000 ]
    [ "$(tm-unpack boots | tm-emit -f frames | grep -c ' Snapshot ')" -eq 3 ]
}

@test "journal: entries without a boot id are on REALTIME, alone and beside other files" {
    printf '__REALTIME_TIMESTAMP=1795437000000000\nMESSAGE=a\n\n__REALTIME_TIMESTAMP=1795437001000000\nMESSAGE=b\n\n' >j.export
    printf '{"__REALTIME_TIMESTAMP":"1795437002000000","__MONOTONIC_TIMESTAMP":"5","MESSAGE":"c"}\n' >j.json
    for f in j.export j.json; do
        tm-merge --strict --no-guess -q -o one.db $f
        [ "$(sqlite3 one.db 'SELECT min(ts) FROM android_logs')" = "17954370$([ $f = j.json ] && echo 02 || echo 00)000000000" ]
    done
    tm-merge --strict --no-guess -q -o both.db j.export j.json
    [ "$(sqlite3 both.db "SELECT group_concat(msg) FROM (SELECT msg FROM android_logs ORDER BY ts)")" = a,b,c ]
    journal 0123456789abcdef0123456789abcdef 1795437003000000 100000000 d >>j.export
    tm-merge --strict -q -o one.db j.export
    [ "$(sqlite3 one.db "SELECT group_concat(ts || msg) FROM (SELECT * FROM android_logs ORDER BY ts)")" = "97000000000a,98000000000b,100000000000d" ]
}

@test "journal: it merges with a proto of the same boot, and a drifting wall clock needs few snapshots" {
    for i in $(seq 0 999); do
        journal 0123456789abcdef0123456789abcdef $((1795437000000000 + i * 1000100)) $((5000000 + i * 1000000)) m$i
    done >drift
    [ "$(tm-unpack drift | tm-emit -f frames | grep -c ' Snapshot ')" -eq 1000 ]
    tm-merge -o r.db --trace-time REALTIME drift
    [ "$(sqlite3 r.db "SELECT count(*) FROM android_logs WHERE ts = (1795437000000000 + substr(msg, 2) * 1000100) * 1000")" -eq 1000 ]
    sed -E 's/^(__REALTIME_TIMESTAMP=[0-9]*)..$/\100/' drift >calm
    [ "$(tm-unpack calm | tm-emit -f frames | grep -c ' Snapshot ')" -le 1000 ]
    printf 'snap 6=6000000000 3=5000000000 1=1795437000000000000\ninstant e 6000500000 seq=1\n' | proto p.pftrace
    tm-merge -q -o p.db p.pftrace drift
    [ "$(sqlite3 p.db "SELECT min(ts), max(ts) - min(ts) FROM android_logs")" = '6000000000|999000000000' ]
}

@test "journal: an entry without a priority has the priority of information in databases and merged traces" {
    printf '__REALTIME_TIMESTAMP=1795437000000000\n__MONOTONIC_TIMESTAMP=5\n_BOOT_ID=0123456789abcdef0123456789abcdef\nMESSAGE=m\n\n' >j.export
    tm-merge -o j.db j.export
    tm-merge -o j.pftrace j.export
    tm-merge -o again.db j.pftrace
    for db in j again; do
        [ "$(sqlite3 $db.db 'SELECT prio, msg FROM android_logs')" = '4|m' ]
    done
}

@test "journal: any amount of white space between entries is passed over" {
    head -n 1 "$TM_SRC/t/data/journal.json" >first
    (cat first; python3 -c 'print("\n \t" * 1000000)'; cat first) >blank.json
    timeout 20 tm-unpack blank.json | tm-emit -f frames >frames
    [ "$(grep -c 'kind=log' frames)" -eq 2 ]
}

@test "logcat: time is in proportion to the line, whatever it contains" {
    python3 -c 'print("2024-01-01 10:00:00.000 V/tag( 5): hi")
for i in range(40):
    print("2024-01-01 10:00:01.000 V/" + "(" * 1000000)' >parentheses.txt
    cpu_seconds 60 tm-unpack parentheses.txt | tm-emit -f frames >frames
    grep 'kind=log' frames
    grep 'Account .*reason="damaged" count=40 ' frames
}

@test "logcat: a tag that is stated as empty is an empty text, a line without a tag has none" {
    printf '%s\n' '2026-11-28 10:00:00.100  1000  1001 I : empty' '2026-11-28 10:00:00.200  1000  1001 I none' >a.log
    tm-merge -q -o a.db a.log
    same_text "$(sqlite3 -nullvalue NULL a.db "SELECT tag, msg FROM android_logs ORDER BY ts")" $'|empty\nNULL|none'
}

@test "logcat: both forms in which Android Studio shows messages are read, with the package" {
    cat >new.log <<'END'
---------------------------- PROCESS STARTED (2155) for package com.example.app ----------------------------
2025-01-24 11:39:16.533  1249-1321  BufferQueueDebug        surfaceflinger                       E  [D  x] cannot be read
2025-01-24 11:39:16.534  2155-2201  My Tag                  com.example.app:remote               A  died
                                                                                                    at foo
2025-01-24 11:39:16.535  2155-2155  Only                    I  a  b
2025-01-24 11:39:16.536  2155-2155  Empty                   com.example.app                      W  
END
    cat >old.log <<'END'
2021-01-24 11:39:16.533 1249-1321/com.example.app E/My Tag: a: message
01-24 11:39:16.600 1249-1249/? W/Tag: x
2021-01-24 11:39:16.700 1249-1249 no letter
END
    for form in new old; do
        tm-merge -q -o $form.db $form.log
        sqlite3 $form.db "SELECT l.prio, l.tag, replace(l.msg, char(10), '~'), t.tid, ifnull(a.string_value, '-')
            FROM android_logs l JOIN thread t USING (utid) LEFT JOIN args a USING (arg_set_id) ORDER BY l.ts" >$form
    done
    sed -i 's/~  */~/' new
    diff -u - new <<'END'
6|BufferQueueDebug|[D  x] cannot be read|1321|surfaceflinger
7|My Tag|died~at foo|2201|com.example.app:remote
4|Only|a  b|2155|-
5|Empty||2155|com.example.app
END
    diff -u - old <<'END'
6|My Tag|a: message|1321|com.example.app
5|Tag|x|1249|-
END
    tm-merge -f report old.log | grep -q 'damaged: 1, '
}

@test "an entry of a journal over 16 MiB is damage, also if it ends" {
    python3 - <<'EOF'
import json
def entry(i, n):
    return {"__REALTIME_TIMESTAMP": "179520688900000%d" % i, "_PID": "1", "MESSAGE": "m" * n}
entries = [entry(1, 1), entry(2, 17 << 20), entry(3, 3)]
open("large.json", "w").write("".join(json.dumps(e) + "\n" for e in entries))
open("large.export", "w").write("".join("".join("%s=%s\n" % f for f in e.items()) + "\n" for e in entries))
EOF
    for form in json export; do
        run tm-merge -f csv large.$form
        [ "$status" -eq 1 ]
        [[ $output == *": an entry of the journal is larger than the limit of 16 MiB "* ]]
        [ "$(tm-merge -q --on-damage=salvage -f jsonl large.$form | jq -r .name | paste -sd' ')" = "m mmm" ]
    done
}

# Prints the text of a bug report, made in a zone one hour ahead of UTC just after New Year.
dumpstate() {
    cat <<'END'
========================================================
== dumpstate: 2024-01-01 00:00:30
========================================================

------ UPTIME (uptime) ------
01-01 00:00:30.000  1000  1  1 I NotALog: 1
------ 0.010s was the duration of 'UPTIME' ------
------ SYSTEM LOG (logcat -v threadtime -v printable -v uid -d *:v) ------
--------- beginning of main
12-31 23:59:58.123  1000  1234  1240 I ActivityManager: twice
12-31 23:59:58.123  1000  1234  1240 I ActivityManager: twice
12-31 23:59:59.500  root     1     1 W init    : only here
logcat: Unexpected EOF!
------ 0.356s was the duration of 'SYSTEM LOG' ------
------ EVENT LOG (logcat -b events -v threadtime -v printable -v uid -d *:v) ------
01-01 00:00:02.000  1000  1234  1300 I am_proc_start: [0,2345]
------ 0.020s was the duration of 'EVENT LOG' ------
------ KERNEL LOG (dmesg) ------
01-01 00:00:03.000  1000  1234  1300 I NotALog: 2
------ DUMPSYS (/system/bin/dumpsys) ------
DUMP OF SERVICE window:
  nowRTC=1704063630510=2024-01-01 05:00:30.510 nowELAPSED=403532
--------- 0.046s was the duration of dumpsys window, ending at: 2024-01-01 00:00:30
DUMP OF SERVICE HIGH alarm:
Current Alarm Manager state:
  nowRTC=1704063630510=2024-01-01 00:00:30.510 nowELAPSED=403532
--------- 0.046s was the duration of dumpsys alarm, ending at: 2024-01-01 00:00:30
  nowRTC=1704063630510=2024-01-01 07:00:30.510 nowELAPSED=403532
------ 0.356s was the duration of 'DUMPSYS' ------
END
}

# Makes the bug report $1 with the files of directory report and its text, $2.
bug_report() {
    mkdir -p report/FS/data/misc/logd report/FS/data/misc/perfetto-traces/bugreport report/FS/proc/1 report/proto
    printf 2.0 >report/version.txt
    cp "$2" report/bugreport-oriole-AP1A.240505.004-2024-01-01-00-00-30.txt
    printf id >report/FS/data/misc/logd/logcat.id
    printf '%s\n' '--------- beginning of main' '12-31 23:59:50.123456  1234  1240 I ActivityManager: before the text' \
        '12-31 23:59:58.123001  1234  1240 I ActivityManager: twice' \
        '12-31 23:59:58.123002  1234  1240 I ActivityManager: twice' \
        '12-31 23:59:58.123003  1234  1240 I ActivityManager: twice' \
        '12-31 23:59:59.500999     1     1 I init    : only here' >report/FS/data/misc/logd/logcat
    printf '12-31 23:00:00.000001  1234  1240 I ActivityManager: oldest\n' >report/FS/data/misc/logd/logcat.01
    printf 'snap 6=9000000000000 1=1704063000000000000\ninstant e 9000500000000 seq=1\n' |
        proto report/FS/data/misc/perfetto-traces/bugreport/systrace.pftrace
    # files that look like traces
    printf ' 21 20 0:20 / /\n' >report/FS/proc/1/mountinfo
    printf '\n\020\010\001abcdefghijklmn' >report/proto/activity.proto
    printf '[{"name":"a","ph":"i","ts":1,"pid":1,"tid":1}]' >report/FS/proc/1/a.json
    printf 'PK\3\4xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' >report/visible_windows.zip
    (cd report && python3 -c 'import shutil; shutil.make_archive("../made", "zip", ".")')
    mv made.zip "$1"
}

@test "a bug report: its trace, the logs of its text and those beside it, in its time zone; the rest is left out" {
    dumpstate >text
    bug_report br.zip text
    tm-merge --strict -o a.db br.zip 2>warnings
    [ ! -s warnings ]
    sqlite3 a.db "SELECT ts - 9000000000000 + 1704063000000000000, msg FROM android_logs ORDER BY ts" >got
    diff -u - got <<'END'
1704060000000001000|oldest
1704063590123456000|before the text
1704063598123000000|twice
1704063598123000000|twice
1704063598123003000|twice
1704063599500000000|only here
1704063599500999000|only here
1704063602000000000|[0,2345]
END
    [ "$(sqlite3 a.db "SELECT name, ts FROM slice")" = 'e|9000500000000' ]
    [ "$(sqlite3 a.db "SELECT name, value FROM stats WHERE name IN ('bugreport_files_not_read',
        'logcat_messages_repeated', 'logcat_lines_without_year', 'logcat_lines_without_zone') AND value > 0 ORDER BY name")" = \
        $'bugreport_files_not_read|6\nlogcat_messages_repeated|2' ]
    tm-unpack -l br.zip | cut -f 1,2,4 >got
    grep -q $'android_dumpstate\tbugreport-oriole' got
    [ "$(grep -c unknown got)" -eq 6 ]
    # threads change nothing
    tm-unpack -j 1 br.zip >one
    tm-unpack -j 4 br.zip | cmp - one
}

@test "a bug report: a manifest in it holds, and its text alone states its own zone and year" {
    dumpstate >text
    bug_report br.zip text
    echo '{"perfetto_manifest":{"version":1,"trace_time":{"clock":"REALTIME"}}}' >report/manifest.json
    (cd report && zip -q -r ../br.zip manifest.json) || skip "no zip"
    tm-merge -o a.db br.zip
    [ "$(sqlite3 a.db "SELECT min(ts), max(ts) FROM android_logs")" = '1704060000000001000|1704063602000000000' ]
    [ "$(sqlite3 a.db "SELECT ts FROM slice")" = 1704063000500000000 ]
    tm-merge -o t.db text
    [ "$(tm-unpack -l text | cut -f 2)" = android_dumpstate ]
    [ "$(sqlite3 t.db "SELECT min(ts), max(ts), count(*) FROM android_logs")" = \
        '1704063598123000000|1704063602000000000|4' ]
    gzip -c text | tm-merge -o g.db -
    [ "$(sqlite3 g.db "SELECT count(*), max(ts) FROM android_logs")" = '4|1704063602000000000' ]
    # without the line of the service alarm, the text is in UTC
    grep -v nowRTC text >utc
    tm-merge -o u.db utc
    [ "$(sqlite3 u.db "SELECT max(ts) FROM android_logs")" = 1704067202000000000 ]
    [ "$(sqlite3 u.db "SELECT value FROM stats WHERE name = 'logcat_lines_without_zone'")" = 4 ]
}

@test "a ZIP is a bug report by the name of its text, and only then are files left out" {
    dumpstate | tail -n +5 >text
    bug_report br.zip text
    tm-merge -o a.db br.zip
    [ "$(sqlite3 a.db "SELECT count(*) FROM android_logs")" -eq 8 ]
    mv report/bugreport-oriole-AP1A.240505.004-2024-01-01-00-00-30.txt report/bugreport-oriole.txt
    rm br.zip
    (cd report && python3 -c 'import shutil; shutil.make_archive("../made", "zip", ".")')
    run tm-merge made.zip
    [ "$status" -eq 1 ]
    [[ "$output" == *': unknown trace type'* ]]
}

@test "a bug report: files that are left out name no machines and no ranks, and its text dates it once" {
    dumpstate >text
    printf '%s\n' '------ LAST REPORT (cat) ------' '== dumpstate: 2019-05-05 00:00:30' >>text
    bug_report br.zip text
    printf '{"distributedInfo":{"rank":3,"world_size":8},"traceEvents":[]}' >report/proto/rank.json
    (cd report && python3 -c 'import shutil; shutil.make_archive("../made", "zip", ".")')
    tm-merge --strict -o a.db made.zip 2>warnings
    [ ! -s warnings ]
    [ "$(sqlite3 a.db "SELECT count(*) FROM machine WHERE name LIKE 'rank%'")" -eq 0 ]
    [ "$(sqlite3 a.db "SELECT min(ts) - 9000000000000 + 1704063000000000000 FROM android_logs")" = 1704060000000001000 ]
    # nor does its text, whose name decides
    python3 - <<'END'
import zipfile
with zipfile.ZipFile('rank.zip', 'w') as z:
    z.write('report/proto/rank.json', 'bugreport-oriole-AP1A.240505.004-2024-01-01-00-00-30.txt')
    z.write('report/FS/data/misc/logd/logcat', 'FS/data/misc/logd/logcat')
END
    tm-merge -o b.db rank.zip
    [ "$(sqlite3 b.db "SELECT count(*) FROM machine WHERE name LIKE 'rank%'")" -eq 0 ]
    [ "$(sqlite3 b.db "SELECT count(*) FROM android_logs")" -eq 5 ]
}
