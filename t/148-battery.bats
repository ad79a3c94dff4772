#!/usr/bin/env bats
# The history of the battery in bug reports of Android and in the output of dumpsys batterystats --checkin.

load lib/common

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# Prints a history of version $1 (36).
history() {
    cat <<END
9,0,i,vers,${1:-36},214,AP1A.240305.019.A1,AP2A.240805.005.S4
9,hsp,0,10216,"com.example.run"
9,hsp,1,1001,"*telephony-radio*"
9,hsp,2,-1,"say \\"hi\\\\\\", all"
9,h,0:RESET:TIME:1732816430000
9,h,0,Bl=100,Bs=d,Bp=n,Bv=4395,Bcc=4263,+r,+w,+S,Pcn=lte,Pss=3,Wsp=compl,Etp=0
9,h,1000,+w=1,-S
9,h,500,+w=2,+Ejb=2,,-w=1
9,h,100,Bl=99,Bp=8
9,h,0,-w=2,-Ejb=2,+w=1
9,0,i,dsd,1506595,87,,p-,
END
}

# Prints slices and counters of the database $1.
rows() {
    sqlite3 "$1" "SELECT (s.ts - 1732816430000000000) / 1000000, s.dur / 1000000, t.name, s.name
        FROM slice s JOIN track t ON t.id = s.track_id ORDER BY 1, 3, 4;
        SELECT (c.ts - 1732816430000000000) / 1000000, CAST(c.value AS INT), t.name, t.type
        FROM counter c JOIN counter_track t ON t.id = c.track_id ORDER BY 1, 3"
}

@test "a history of the battery by itself: states and values are counters, what happened instants, locks slices" {
    history >b.txt
    [ "$(tm-unpack -l b.txt | cut -f 2)" = android_dumpstate ]
    tm-merge --strict -o b.db b.txt 2>warnings
    [ ! -s warnings ]
    rows b.db >got
    diff -u - got <<'END'
0|0|battery_stats.top|top=10216:"com.example.run"
1000|500|WakeLocks|*telephony-radio*
1500|100|WakeLocks|say "hi\", all
1500|0|battery_stats.job|+job=-1:"say "hi\", all"
1600|0|WakeLocks|*telephony-radio*
1600|0|battery_stats.job|-job=-1:"say "hi\", all"
0|3|BatteryStatus|battery_status
0|0|PlugType|battery_plugged_status
0|2|ScreenState|screen_state
0|100|batt.capacity_pct|battery_counter
0|4263000|batt.charge_uah|battery_counter
0|4395000|batt.voltage_uv|battery_counter
0|13|battery_stats.data_conn|battery_stats
0|3|battery_stats.phone_signal_strength|battery_stats
0|1|battery_stats.running|battery_stats
0|1|battery_stats.screen|battery_stats
0|10|battery_stats.wifi_suppl|battery_stats
1000|1|ScreenState|screen_state
1000|0|battery_stats.screen|battery_stats
1600|8|PlugType|battery_plugged_status
1600|99|batt.capacity_pct|battery_counter
END
    # the lock that is held at the end has no end
    [ "$(sqlite3 b.db "SELECT dur FROM slice WHERE ts = 1732816431600000000 AND name = '*telephony-radio*'")" = -1 ]
    # +w says only that there is a lock; the last line is a statistic without a time
    [ "$(sqlite3 b.db "SELECT name, value FROM stats WHERE value > 0")" = \
        $'battery_items_not_shown|1\ndumpstate_lines_not_read|1' ]
    for out in b.pftrace b.json; do
        tm-merge -o "$out" b.txt
        tm-merge -o again.db "$out"
        [ "$(sqlite3 again.db "SELECT (SELECT count(*) FROM slice), (SELECT count(*) FROM counter)")" = '6|15' ]
    done
}

@test "a history of the battery in a bug report is its section, in UTC beside logs in the phone's time" {
    {
        printf '%s\n' ==== '== dumpstate: 2024-11-28 18:53:50' ==== '------ SYSTEM LOG (logcat) ------' \
            '11-28 18:53:50.000  1000  1234  1240 I Tag: one hour ahead' '9,h,0:TIME:1000' \
            '------ CHECKIN BATTERYSTATS (/system/bin/dumpsys -T 30000 batterystats -c) ------'
        history
        printf '%s\n' '------ DUMPSYS (/system/bin/dumpsys) ------' '9,h,5,Bl=1' 'DUMP OF SERVICE alarm:' \
            '  nowRTC=1732816430000=2024-11-28 18:53:50.000 nowELAPSED=403532'
    } >text
    tm-merge -o a.db text
    history | tm-merge -o b.db -
    rows a.db >in_report
    rows b.db | diff -u - in_report
    [ "$(sqlite3 a.db "SELECT ts FROM android_logs")" = 1732816430000000000 ]
}

@test "a history of the battery: time that the phone was off, and times that the wall clock was set" {
    history >b.txt
    printf '%s\n' 9,h,50:SHUTDOWN 9,h,0:START 9,h,0:TIME:1732816440000 9,h,10,+w=0 9,h,5,-w=1 9,h,5,-w=0 \
        9,h,5:RESET:TIME:1732816435000 9,h,5,Bl=50 >>b.txt
    tm-merge -o b.db b.txt
    [ "$(sqlite3 b.db "SELECT (ts - 1732816430000000000) / 1000000, dur / 1000000, name FROM slice
        WHERE ts >= 1732816431600000000 AND name NOT LIKE '-job%' ORDER BY ts")" = \
        $'1600|50|*telephony-radio*\n10010|10|com.example.run' ]
    [ "$(sqlite3 b.db "SELECT (max(ts) - 1732816430000000000) / 1000000 FROM counter")" = 5005 ]
}

@test "a history of the battery: locks of versions before 36 have no names, and what is damaged is counted" {
    history 35 | tm-merge -o b.db -
    [ "$(sqlite3 b.db "SELECT count(*) FROM slice")" = 3 ]
    [ "$(sqlite3 b.db "SELECT value FROM stats WHERE name = 'battery_items_not_shown'")" = 6 ]
    history >b.txt
    printf '%s\n' '9,hsp,x,1,"a"' '9,hsp,3,[PHONE],"a"' '9,hsp,3,1,a' '9,h,x,Bl=1' 9,h,9223372036854775807,Bl=2 \
        9,h,0:TIME:9223372036854775807 9,h 8,h,0,Bl=3 9,h,0,Bl=x,Bcc=9223372036854775807,Bs=,+Bl,Exx=0,Ejb=x,+w=-1,Zz=1,S \
        >>b.txt
    tm-merge -o b.db b.txt
    rows b.db | tail -n +7 | grep -c batt.capacity_pct | grep -qx 2
    [ "$(sqlite3 b.db "SELECT name, value FROM stats WHERE value > 0")" = \
        $'battery_items_not_shown|10\ndumpstate_lines_not_read|9' ]
    # without the wall clock, changes have no time
    history | grep -v TIME | tm-merge -o b.db -
    [ "$(sqlite3 b.db "SELECT (SELECT count(*) FROM slice) + (SELECT count(*) FROM counter)")" = 0 ]
}

@test "a history of the battery: texts and indexes beyond the limits are left out, with a warning" {
    {
        history
        printf '9,hsp,65536,1,"beyond"\n9,hsp,65535,1,"last"\n9,h,0,Ejb=65535,Ejb=65536\n'
        python3 -c 'for i in range(9): print("9,hsp,%d,7,\"%s\"" % (3 + i, "x" * (1 << 20)))'
        printf '9,h,0,Ejb=8,Ejb=11\n'
    } >b.txt
    tm-merge -o b.db b.txt 2>warnings
    grep -q facts_beyond_limits warnings
    [ "$(sqlite3 b.db "SELECT value FROM stats WHERE name = 'facts_beyond_limits'")" = 3 ]
    [ "$(sqlite3 b.db "SELECT group_concat(substr(name, 1, 12), ' ') FROM slice WHERE name LIKE 'job=%'")" = \
        'job=1:"last" job=-1:"" job=7:"xxxxx job=-1:""' ]
}
