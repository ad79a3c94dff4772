#!/usr/bin/env bats
# System calls and sleep: sys_enter and sys_exit, suspend_resume and device_pm_callback_*.

bats_require_minimum_version 1.5.0

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
    export PYTHONDONTWRITEBYTECODE=1
}

slices() {
    sqlite3 "$1" "SELECT s.ts, s.dur, s.depth, s.name, k.type, (SELECT group_concat(key || '=' || display_value) FROM args a
        WHERE a.arg_set_id = s.arg_set_id) FROM slice s JOIN track k ON s.track_id = k.id ORDER BY s.ts, s.depth"
}

is_same_merged_again() {
    for format in pftrace json; do
        run python3 "$TM_SRC/t/check/roundtrip" -f $format -m "$TM_BIN/tm-merge" k.pftrace
        [ "$status" -eq 0 ] || { echo "$output"; false; }
    done
}

calls() {
    kernel <<'END'
process 5 app
process 6 two
machine x86_64
1000 0 5 sys_enter 1=1 2=7 2=18446744073709551615
1100 1 6 sys_enter 1=39
1200 0 5 print 2=B|5|mark
1300 0 5 sys_exit 1=1 2=20
1400 1 6 sys_exit 1=39 2=-14
1500 0 5 sys_enter 1=1
1600 0 5 print 2=E|5
1700 0 5 sys_exit 1=1 2=20
1800 0 5 sys_enter 1=1
1850 0 6 print 2=B|6|other
1900 0 5 sys_exit 1=1 2=21
2000 0 5 sys_enter 1=15
2100 0 5 sys_enter 1=549
2200 0 5 sys_enter 1=550
2300 0 5 sys_exit 1=549
END
}

# A marker ends the write that makes it. The end of the rest of that write is not recorded.
want_calls='1000|200|0|sys_write|thread_execution|args[0]=7,args[1]=18446744073709551615
1100|300|0|sys_getpid|thread_execution|ret=-14
1200|400|0|mark|thread_execution|
1500|100|1|sys_write|thread_execution|
1800|100|0|sys_write|thread_execution|ret=21
1850|-1|0|other|thread_execution|
2000|0|0|sys_rt_sigreturn|thread_execution|
2100|200|0|sys_549|thread_execution|'

@test "system calls are slices of their thread, and a write ends at the marker that it makes" {
    calls
    tm-merge -o k.db k.pftrace
    run slices k.db
    [ "$output" = "$want_calls" ] || { echo "$output"; false; }
    [ "$(sqlite3 k.db "SELECT flat_key FROM args WHERE key = 'args[1]'")" = args ]
    tm-merge -o m.pftrace k.pftrace
    tm-merge -o m.db m.pftrace
    run slices m.db
    [ "$output" = "$want_calls" ] || { echo "$output"; false; }
    is_same_merged_again
}

@test "calls are paired in order of time, whatever the order of the file, also across batches" {
    kernel <<'END'
machine x86_64
3000 0 5 sys_exit 1=1
2000 0 5 print 2=hello
1000 0 5 sys_enter 1=1
END
    tm-merge -o k.db k.pftrace
    run slices k.db
    [ "$output" = "1000|1000|0|sys_write|thread_execution|" ] || { echo "$output"; false; }
    { echo machine x86_64; echo 10 0 5 sys_enter 1=1; seq -f '%.0f 1 7 sched_waking comm=x pid=8' 1000 8000
        echo 9000 0 5 print 2=hello; echo 9100 0 5 sys_exit 1=1; } | kernel
    tm-merge -o k.db k.pftrace
    run slices k.db
    [ "$output" = "10|8990|0|sys_write|thread_execution|" ] || { echo "$output"; false; }
}

@test "a call with thousands of arguments has as many as are kept, in bounded time" {
    { echo machine x86_64; echo "1000 0 5 sys_enter 1=39$(printf ' 2=%d' {1..3000})"; } | kernel
    tm-merge -o k.db k.pftrace
    run sqlite3 k.db "SELECT count(*), max(int_value) FROM args JOIN slice USING (arg_set_id) WHERE flat_key = 'args'"
    [ "$output" = "64|64" ] || { echo "$output"; false; }
}

@test "calls have the names that the machine's kernel gives to their numbers" {
    while read -r machine wants; do
        { [ "$machine" = none ] || echo "machine $machine"
            for n in 1 4 63 64 79 139; do echo "$((n + 100)) 0 $n sys_enter 1=$n"; done; } | kernel
        tm-merge -o k.db k.pftrace
        run sqlite3 k.db "SELECT group_concat(substr(name, 5), ' ') FROM (SELECT name FROM slice ORDER BY ts)"
        [ "$output" = "$wants" ] || { echo "$machine: $output"; false; }
    done <<'END'
x86_64 write stat uname semget getcwd sysfs
aarch64 io_destroy io_getevents read write fstatat rt_sigreturn
armv7l exit write dup2 getppid settimeofday setfsgid
armv8l exit write dup2 getppid settimeofday setfsgid
i686 exit write dup2 getppid settimeofday setfsgid
riscv64 1 4 63 64 79 139
none 1 4 63 64 79 139
END
}

@test "suspend steps and devices are on their own tracks, and a failed entry ends when tasks are thawed" {
    kernel <<'END'
1000 0 5 suspend_resume 1=suspend_enter 2=3 3=1
1100 0 5 suspend_resume 1=freeze_processes 3=1
1200 1 5 suspend_resume 1=thaw_processes 3=1
1300 1 5 suspend_resume 1=thaw_processes 3=0
2000 0 5 suspend_resume 1=suspend_enter 2=3 3=1
2100 0 5 device_pm_callback_start 1=usb1 2=hub 4=noirq 5=2
2150 0 5 suspend_resume 1=timekeeping_freeze 2=1 3=1
2160 0 5 suspend_resume 1=timekeeping_freeze 2=0 3=0
2200 1 5 device_pm_callback_end 1=usb1 2=hub
2300 1 5 suspend_resume 1=suspend_enter 2=3 3=0
3000 1 5 device_pm_callback_start 1=usb1 2=hub 5=16
END
    want='1000|300|0|suspend_enter(3)|suspend_resume|event_type=Main Kernel Suspend Event,cpu=0
1100|-1|0|freeze_processes(0)|suspend_resume|event_type=Main Kernel Suspend Event,cpu=0
1200|100|0|thaw_processes(0)|suspend_resume|event_type=Main Kernel Suspend Event,cpu=1
2000|300|0|suspend_enter(3)|suspend_resume|event_type=Main Kernel Suspend Event,cpu=0
2100|100|0|usb1 hub|suspend_resume|event_type=Device PM Suspend Event,cpu=0,device_name=usb1,driver_name=hub,callback_phase=suspend:noirq
2150|10|0|timekeeping_freeze(0)|suspend_resume|event_type=Main Kernel Suspend Event,cpu=0
3000|-1|0|usb1 hub|suspend_resume|event_type=Device PM Suspend Event,cpu=1,device_name=usb1,driver_name=hub,callback_phase=resume:complete'
    tm-merge -o k.db k.pftrace
    run slices k.db
    [ "$output" = "$want" ] || { echo "$output"; false; }
    # The lanes are those of the reference importer.
    run sqlite3 k.db "SELECT group_concat(key || '=' || int_value, ' ') FROM (SELECT a.key, a.int_value FROM slice s
        JOIN track t ON t.id = s.track_id JOIN args a ON a.arg_set_id = t.dimension_arg_set_id ORDER BY s.ts)"
    [ "$output" = "$(printf ' track_compressor_idx=%s' 0 1 2 0 2 3 2 | cut -c 2-)" ] || { echo "$output"; false; }
    is_same_merged_again
    tm-merge --only 'name=suspend_enter*' -o k.db k.pftrace
    run slices k.db
    [ "$output" = "$(grep enter <<<"$want")" ] || { echo "$output"; false; }
}
