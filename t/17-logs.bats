# Logs: logcat as rows of the database, as a merged trace and read again, beside a trace of the same machine.

setup() {
    cd "$BATS_TEST_TMPDIR"
    . "$TM_SRC/t/lib/common.bash"
    export SOURCE_DATE_EPOCH=1795500000 # 2026-11-24
}

# The rows of android_logs in DB.
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

@test "logcat: rows of android_logs, in a merged trace and back" {
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

@test "logcat: the assumed year and zone are statistics; what the lines tell is used" {
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

@test "logcat -v monotonic: on the clock of the kernel's trace" {
    printf '   16.000500 10001  5  7 I T: between\n' >m.log
    printf '# tracer: nop\n#\n a-5 (5) [000] .... 16.000400: tracing_mark_write: B|5|x\n a-5 (5) [000] .... 16.000600: tracing_mark_write: E|5\n' >k.txt
    tm-merge -o m.db m.log k.txt
    [ "$(sqlite3 m.db "SELECT l.ts - s.ts, s.ts + s.dur - l.ts FROM slice s, android_logs l")" = '100000|100000' ]
    tm-merge -f report m.log k.txt | grep -q '0 dropped'
}

@test "logcat: beside a proto that relates REALTIME to BOOTTIME" {
    printf 'snap 6=1000 1=1795419380000000000\ninstant e 2000 seq=1\n' | proto p.pftrace
    threadtime >a.log
    tm-merge -o a.db p.pftrace a.log
    [ "$(sqlite3 a.db "SELECT min(ts), max(ts) FROM android_logs")" = '123001000|126001000' ]
}

@test "android_log packets: messages, priorities, values of events" {
    # timestamp 7; pid 5 tid 6 tag "t" prio 5 message "m" args a=1 b="x"; then an event without a priority
    printf '\n\050\100\007\272\002\043\n\033\020\005\030\006\062\001t\070\005\102\001m\112\005\n\001a\020\001\112\006\n\001b\042\001x\n\004\040\001\102\000' >p.pftrace
    tm-merge -o p.db p.pftrace
    [ "$(logs p.db)" = $'7|5|t|m a=1 b="x"|6|5\n7|4||||' ]
    [ "$(sqlite3 p.db "SELECT start_ts, end_ts FROM trace_bounds")" = '7|8' ]
}
