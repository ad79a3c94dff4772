# Text: variants of perf script, strace, trace-cmd report and ftrace, as rows of the stream.

setup() {
    cd "$BATS_TEST_TMPDIR"
    . "$TM_SRC/t/lib/common.bash"
    data=$TM_SRC/t/data
}

@test "perf script: source lines, inlined frames, tracepoints with stacks, samples of ended threads and perf's records are read" {
    frames_anywhere "$data/perf-script.txt" >got
    diff -u "$data/perf-script.frames" got
}

@test "perf script: a switch with a stack is scheduling and a sample" {
    tm-merge -o x.db "$data/perf-script.txt"
    [ "$(sqlite3 x.db "SELECT s.ts || ' ' || s.cpu || ' ' || t.name FROM sched s JOIN thread t USING (utid)")" = "100000400000 3 swapper" ]
    [ "$(sqlite3 x.db "SELECT group_concat(ts || ' ' || t.tid, ',') FROM (SELECT * FROM cpu_profile_stack_sample ORDER BY id) JOIN thread t USING (utid)")" = \
        "100000001000 0,100000100000 1235,100000200000 4294967295,100000300000 77,100000400000 77,100600000000 10" ]
    tm-merge -o x.pftrace "$data/perf-script.txt"
    tm-merge -f report x.pftrace | grep -q '0 dropped'
}

@test "perf script: the last switch of a thread that has ended, and what else perf shows as -1" {
    cat >a.script <<'END'
 tool     7 [000] 1.000001: sched:sched_switch: prev_comm=tool prev_pid=7 prev_prio=120 prev_state=R ==> next_comm=ls next_pid=8 next_prio=120
  :-1    -1 [000] 1.000002: sched:sched_switch: prev_comm=ls prev_pid=8 prev_prio=120 prev_state=X ==> next_comm=tool next_pid=7 next_prio=120
	ffffffff81000100 __schedule ([kernel.kallsyms])

  :-1 -1/-1 [000] 1.000003: sched:sched_waking: comm=tool pid=9 prio=120 target_cpu=000
END
    tm-merge -q -o a.pftrace a.script
    for from in a.script a.pftrace; do
        tm-merge -q -o a.db $from
        [ "$(sqlite3 a.db "SELECT s.ts, s.dur, t.tid, t.name, s.end_state FROM sched s JOIN thread t USING (utid)")" = \
            '1000001000|1000|8|ls|X
1000002000|-1|7|tool|' ]
        [ "$(sqlite3 a.db "SELECT s.ts, t.tid FROM stack_sample s JOIN thread t USING (utid)")" = '1000002000|8' ]
        [ "$(sqlite3 a.db "SELECT s.ts, s.state, t.tid, w.tid FROM thread_state s JOIN thread t USING (utid)
                               JOIN thread w ON w.utid = s.waker_utid")" = '1000003000|R|9|4294967295' ]
    done
}

@test "strace: signals, exits, interrupted and resumed calls, stacks and remarks are read" {
    frames_anywhere "$data/strace.txt" >got
    diff -u "$data/strace.frames" got
}

@test "strace: a call that an attached process divides without -o is one call" {
    cat >a.strace <<'END'
strace: Process 18145 attached
1795916314.295945 brk(NULL)         = 0x5622cdeec000
1795916314.295981 vfork(strace: Process 18146 attached
 <unfinished ...>
[pid 18146] 1795916314.296083 rt_sigprocmask(SIG_SETMASK, [], ~[KILL STOP RTMIN RT_1], 8) = 0
[pid 18145] 1795916314.303394 <... vfork resumed>)   = 18146
[pid 18169] 1795916314.507711 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLDstrace: Process 18171 attached
, child_tidptr=0x7fbc5b0c5a10) = 18171 <0.000200>
strace: Process 18172 attached
[pid 18171] 1795916314.508063 read(3, strace: Process 18173 attached
strace: Process 18174 attached
 <unfinished ...>
[pid 18171] 1795916314.510000 <... read resumed>"", 8) = 0
[pid 18171] 1795916314.512187 clone(strace: Process 18175 attached
END
    run tm-merge -q --events a.strace
    [ "$(sed 1d <<<"$output" | awk '{ print $3, $4, $5 ($4 == "slice" ? " " $6 : "") }')" = "- instant brk
- instant vfork
18146 instant rt_sigprocmask
18145 end vfork
18169 slice 200us clone
18171 begin read
18171 end read
18171 begin clone" ]
    tm-merge -q -f jsonl --events a.strace | grep '"name":"clone","category":"strace"' |
        grep -q '"args":"child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD, child_tidptr=0x7fbc5b0c5a10","ret":"18171"'
    # Every line is an event or accounted for.
    tm-merge -f report a.strace | grep '14 events read, 8 placed, 6 dropped'
    tm-merge -f report a.strace | grep -A 2 '14 events read' | grep 'not_shown: 6'
}

@test "strace: -r, -n and -i add columns, and -Y the names of threads" {
    cat >a.strace <<'END'
6157<strace> 1795916276.327828 (+     0.000000) [  59] [00007f340afd9ad7] execve("/usr/bin/sh", ["sh"], 0x7ffd /* 37 vars */) = 0
6157<sh> 1795916276.329193 (+     0.001365) [  12] [00007f03d4ec5c47] brk(NULL)    = 0x56397eb67000
[pid  6158<sl eep>] 1795916276.338007 [ 231] [????????????????] +++ exited with 0 +++
6157<sh> 1795916276.338107 --- SIGCHLD {si_signo=SIGCHLD, si_pid=6158<sleep>} ---
6157<sh> 1795916276.338207 [ 230] exit_group(0) = ?
END
    tm-merge -q -o a.db a.strace
    [ "$(sqlite3 a.db 'SELECT ts - 1795916276000000000, tid, t.name, s.name FROM slice s JOIN thread_track k ON
            k.id = s.track_id JOIN thread t USING (utid) ORDER BY ts')" = '327828000|6157|sh|execve
329193000|6157|sh|brk
338007000|6158|sl eep|exited with 0
338107000|6157|sh|SIGCHLD {si_signo=SIGCHLD, si_pid=6158<sleep>}
338207000|6157|sh|exit_group' ]
    [ "$(tm-unpack a.strace | tm-emit -f frames | grep -c task_rename)" -eq 3 ]
    tm-merge -f report a.strace | grep '5 events read, 5 placed, 0 dropped'
}

@test "trace-cmd report: version, cpus, latency columns, stacks, dropped events and nanoseconds are read" {
    frames_anywhere "$data/trace-cmd.txt" >got
    diff -u "$data/trace-cmd.frames" got
}

@test "ftrace: tgids, names with blanks and dashes, and clocks that count no seconds are read" {
    frames_anywhere "$data/ftrace-tgid.txt" >got
    diff -u "$data/ftrace-tgid.frames" got
}

@test "perf script with pids: the last name of the main thread names its process" {
    cat >a.script <<'END'
tool   9/9     1.000001: cpu-clock: 
	             643 main (/bin/tool)

tool   9/10     1.000002: cpu-clock: 
	             643 work (/bin/tool)

other   9/9     1.000003: cpu-clock: 
	             643 main (/bin/tool)

END
    tm-merge -q -o a.db a.script
    [ "$(sqlite3 a.db "SELECT pid || ' ' || name FROM process WHERE pid = 9")" = '9 other' ]
    [ "$(sqlite3 a.db "SELECT group_concat(tid || ' ' || name) FROM thread WHERE tid > 0 ORDER BY tid")" = '9 other,10 tool' ]
}

@test "perf script -F without comm, with addr, and with kinds of branches: threads without names, and the frames" {
    cat >x.txt <<'END'
30549/30549 10.000000001:       1 cycles:u: 
	    7f5c0c875c60 _dl_open+0x0 (/usr/lib64/ld-2.28.so)
	          401000 feed (/bin/x)

30549/30550 10.000000002:    1    branches:uH:   tr end  call     7ffff7ddc143 _start+0x3 (/lib/ld.so) =>     7ffff7ddc850 _dl_start+0x0 (/lib/ld.so)
 instruction trace error type 1 time 10.000000002 cpu -1 pid 30549 tid 30550 ip 0x40 code 7: Overflow packet
30549/30550 10.000000003:   50    branch-misses/period=50/u:       0     7fca99943ac7 dl_open_worker+0x37 (/lib/ld.so)
30549/30550 [001] 10.000000004: sched:sched_waking: comm=kworker/0:1 pid=7 prio=120 target_cpu=000
x 30549/30551 [001] 10.000000005:  1 branches:   jcc     40bb19 f+0x2 (/bin/x) =>      40bab9 f+0x1 (/bin/x)
END
    tm-merge -o x.db x.txt
    sqlite3 x.db >got "
        SELECT s.ts, t.tid, ifnull(t.name, '-'), f.name, m.name, printf('%x', f.rel_pc) FROM cpu_profile_stack_sample s
          JOIN thread t USING (utid) JOIN stack_profile_callsite c ON c.id = s.callsite_id
          JOIN stack_profile_frame f ON f.id = c.frame_id JOIN stack_profile_mapping m ON m.id = f.mapping
        ORDER BY s.ts;
        SELECT name, value FROM stats WHERE name LIKE 'perf_%' AND value > 0"
    diff -u - got <<'END'
10000000001|30549|-|_dl_open|/usr/lib64/ld-2.28.so|7f5c0c875c60
10000000002|30550|-|_start|/lib/ld.so|7ffff7ddc143
10000000003|30550|-|dl_open_worker|/lib/ld.so|7fca99943ac7
10000000005|30551|x|f|/bin/x|40bb19
END
    tm-merge -f report x.txt | grep -q 'not_shown: 1, '
    tm-merge -f jsonl --events x.txt | grep -q '"kind":"sched_waking","ts":10000000004'
}

@test "perf script that begins with records of perf itself is recognised" {
    cat >a.script <<'END'
swapper     0 [000]     0.000000: PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x1209988) @ 0xffffffff81000000]: x [kernel.kallsyms]_text
perf-exec 16788 [000]     0.000000: PERF_RECORD_COMM: perf-exec:16788/16788
perf 16394 [000] 26238.472130:          1 context-switches: 
	ffffffff821f94c3 schedule+0x23 ([kernel.kallsyms])

END
    tm-merge -f report a.script >a.txt
    grep '3 events read, 1 placed, 2 dropped' a.txt
    grep 'not_shown: 2, MONOTONIC' a.txt
}

@test "perf script --header with comments beyond the sniffed bytes, and simpleperf's tabs, are recognised" {
    for first in 'captured on    : Sat Sep  4 10:27:47 2021' 'cmdline : /data/local/tmp/simpleperf record -g'; do
        printf '# ========\n# %s\n' "$first" >a.script
        for i in $(seq 40); do echo "# cpudesc : a line of the header, $i" >>a.script; done
        printf '# ========\n#\ntool 9 1.000001: cpu-clock: \n\t643 main (/bin/tool)\n\n' >>a.script
        tm-merge -q a.script >a
        grep -q ' 9  *sample  *cpu-clock' a
    done
    printf 'Gecko\t25122 [007] 115539.936601:\t\t1000000 task-clock:u:\n\tb3cea6c4\tLock::unlock() (/system/lib/libc.so)\n\n' >b.script
    tm-merge -q --events -f jsonl b.script >b
    [ "$(jq -r 'select(.kind == "sample") | [.ts, .tid, .name, .value, .frames[0].function, .frames[0].mapping] | @tsv' b)" = \
        "$(printf '115539936601000\t25122\ttask-clock:u\t1000000\tLock::unlock()\t/system/lib/libc.so')" ]
}

@test "systrace in HTML: trace data that is not read is accounted for by its bytes" {
    cd "$BATS_TEST_TMPDIR"
    tag='<script class="trace-data" type="application/text">'
    event='  app-1 [000] ...1 10.000000: tracing_mark_write: B|1|a'
    other='{"traceEvents":[{"ph":"X","ts":1,"dur":1}]}'
    printf '<html>%s\n# tracer: nop\n%s\n</script>\n%s\n%s\n</script></html>\n' "$tag" "$event" "$tag" "$other" >behind.html
    printf '<html>%s\n# tracer: nop\n%s\n</script>%s%s</script></html>\n' "$tag" "$event" "$tag" "$other" >line.html
    printf '<html>%s\n%s\n</script>%s\n# tracer: nop\n%s\n</script></html>\n' "$tag" "$other" "$tag" "$event" >before.html
    printf '<html>%s\n%s</script></html>\n' "$tag" "$other" >alone.html
    # as systrace.py of Android writes it
    printf '<html>%s\n# tracer: nop\n%s\n  </script>\n  %s\n%s</script>\n<!-- END TRACE -->\n</body>\n</html>\n' \
        "$tag" "$event" "$tag" "$other" >systrace.html
    for f in behind line before alone systrace; do
        run -4 tm-merge --strict -f csv $f.html
        [[ "$output" == *"$f.html: ${#other} bytes skipped, skipped_bytes"* ]]
        rows=$(tm-unpack $f.html | tm-emit -f frames | grep -c '^  \[' || true)
        [ "$rows" -eq "$([ $f = alone ] && echo 0 || echo 2)" ] # the begin, and the name of the thread
    done
    printf '<html>%s\n# tracer: nop\n%s\n</script></html>\n' "$tag" "$event" >plain.html
    tm-merge --strict -q -f csv plain.html
    tm-merge -q -f report systrace.html >systrace.txt
    run -1 grep damaged systrace.txt
    printf '%s\n<idle>-0 [000] ...1 10.1: tracing_mark_write: B|1|</script>\n%s\n' "$event" "$event" >text
    printf '<html>%s\n# tracer: nop\n%s\n  </script></html>\n' "$tag" "$(cat text)" >mark.html
    tm-merge --strict -f report mark.html | grep '3 events read, 3 placed'
}

@test "perf script: a thread is named again only if its name, the order of time or an event requires it" {
    sample() { printf '%s [000] %s: 10 cycles:\n\tffff f+0x1 (k)\n\n' "$1" "$2"; }
    { sample 'app 7' 1.0; sample 'app 7' 1.1; sample 'sh 8' 1.2; sample 'app 7' 1.3; sample 'new 7' 1.4; sample 'new 7' 1.5
      sample 'new 7' 1.45; printf 'sh 8 [000] 1.6: sched:sched_process_free: comm=x pid=9 prio=120\n\n'; sample 'new 7' 1.7; } >p.script
    [ "$(tm-merge p.script | grep -o 'task_rename .*' | tr -s ' ' | tr '\n' ' ')" = \
        'task_rename app task_rename sh task_rename new task_rename new task_rename sh task_rename new ' ] ||
        { tm-merge p.script; false; }
}

@test "ftrace text: the priority of the next thread is its own, and fields after it are left out" {
    printf '%s\n' '# tracer: nop' '#' \
        'a-10 [000] d..2 1.0: sched_switch: prev_comm=a prev_pid=10 prev_prio=120 prev_state=S ==> next_comm=b next_pid=11 next_prio=97' \
        'b-11 [000] d..2 2.0: sched_switch: prev_comm=b prev_pid=11 prev_prio=97 prev_state=S ==> next_comm=a next_pid=10 next_prio=120 more=1' \
        >switches.txt
    tm-merge -q -o x.db switches.txt
    [ "$(sqlite3 x.db 'SELECT ts, priority FROM sched ORDER BY ts')" = $'1000000000|97\n2000000000|120' ]
}
