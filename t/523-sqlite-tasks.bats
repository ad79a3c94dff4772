# tm-emit -f sqlite: processes and threads, their names, and the fields of their descriptors. The expected rows are the
# reference importer's.

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
    export PYTHONDONTWRITEBYTECODE=1
}

packets() { # LIST: packets in Python, without the sequence; descriptor(PART...) is a track descriptor
    python_packets '
def descriptor(*parts): # of a process or a thread; the last of its first two fields is its number
    number = parts[0][1][:2][-1][1] if parts[0][0] == 4 else parts[0][1][0][1]
    return (60, message((1, number), *((number, message(*what)) for number, what in parts)))
def process(*what): return (3, what)
def thread(*what): return (4, what)
def chrome_process(*what): return (6, what)
def chrome_thread(*what): return (7, what)' >p.pftrace
    tm-merge -o p.db p.pftrace
}

same() { # QUERY WANT
    same_text "$(sqlite3 p.db "$1")" "$2"
}

@test "of several names of a process the one with the highest priority is shown" {
    packets <<'END'
descriptor(process((1, 1), (6, 'own name')), chrome_process((1, 2))),
descriptor(process((1, 1), (6, 'later name'))),
descriptor(process((1, 2), (6, 'own name')), chrome_process((1, 1))),
descriptor(process((1, 3)), chrome_process((1, 1))),
descriptor(process((1, 4), (4, 3)), chrome_process((4, 'com.b'))),
descriptor(process((1, 5), (6, 'five'), (4, 2))),
descriptor(process((1, 6)), chrome_process((1, 40))),
descriptor(process((1, 7)), chrome_process((1, 99))),
descriptor(process((1, 8)), chrome_process((1, 2))),
(2, message((1, message((1, 8), (3, '/bin/eight'))))),
descriptor(process((1, 8), (6, 'not eight'))),
END
    same "SELECT pid, name FROM process WHERE pid > 0 ORDER BY pid" '1|Renderer
2|own name
3|Browser
4|Utility
5|Renderer
6|Extension Renderer
7|
8|/bin/eight'
}

@test "a thread's own name has priority over its kind" {
    packets <<'END'
descriptor(thread((1, 5), (2, 51), (5, 'named'))),
descriptor(thread((1, 5), (2, 51)), chrome_thread((1, 9))),
descriptor(thread((1, 5), (2, 52)), chrome_thread((1, 9))),
descriptor(thread((1, 5), (2, 53), (4, 9)), chrome_thread((1, 8))),
END
    same "SELECT tid, pid, thread.name, is_main_thread FROM thread JOIN process USING (upid) WHERE pid > 0 ORDER BY tid" '5|5||1
51|5|named|0
52|5|VizCompositorThread|0
53|5|VizCompositorThread|0'
}

@test "args of processes have a browser's data about them" {
    packets <<'END'
descriptor(process((1, 1)), chrome_process((1, 1), (4, 'com.app'), (5, 123456789012))),
descriptor(process((1, 2)), chrome_process((4, ''))),
(9, message((1, message((1, 3), (12, 1), (13, 5))))),
END
    same "SELECT pid, key, display_value FROM process JOIN args USING (arg_set_id) ORDER BY pid, key" '1|chrome.crash_trace_id|123456789012
1|chrome.host_app_package_name|com.app
1|chrome.process_type|Browser
2|chrome.host_app_package_name|
2|chrome.process_type|
3|is_peak_rss_resettable|true'
}

@test "the main thread of a process without a command line has the whole name that the process tree states" {
    packets <<'END'
(2, message((1, message((1, 5), (3, 'a b'), (9, 1))))),
(2, message((1, message((1, 6), (3, 'com.a'), (3, 'b'), (3, 'c'), (9, 1))))),
(2, message((1, message((1, 7), (2, 2), (3, 'kworker/1:2-events'), (3, 'b'), (9, 1))))),
(2, message((1, message((1, 8), (2, 2), (3, 'kswapd'), (3, '0'), (9, 1))))),
(2, message((1, message((1, 9), (3, 'with'), (3, 'words'))))),
END
    same "SELECT tid, thread.name, process.name, cmdline FROM thread JOIN process USING (upid) WHERE tid > 2
        ORDER BY tid" '5|a b|a|a b
6|com.a b c|com.a|com.a b c
7|kworker/1:2|kworker/1:2|kworker/1:2
8|kswapd 0|kswapd|kswapd 0
9||with|with words'
}

@test "a pid or tid that a descriptor of a thread or process does not state is 0" {
    packets <<'END'
(44, message((1, 5), (5, 'five'))),
(44, message((2, 6), (5, 'six'))),
(43, message((6, 'zero'), (8, 'label'))),
END
    same "SELECT tid, ifnull(pid, '-'), thread.name, is_main_thread FROM thread LEFT JOIN process USING (upid)
        ORDER BY tid, pid" '0|0|swapper|1
0|5|five|0
5|5||1
6|0|six|0'
    same "SELECT pid, name, (SELECT string_value FROM args WHERE args.arg_set_id = process.arg_set_id) FROM process
        ORDER BY pid" '0|zero|label
5||'
}

@test "processes that only a memory dump, a sample or a list of files names are rows" {
    packets <<'END'
(73, message((1, 5), (2, 1), (3, message((1, 61), (2, message((1, 1), (2, 'malloc'), (4, 100))))), (3, message((1, 62))))),
(68, message((1, 71), (2, message((1, 'x'), (2, 3))))),
(62, message((1, 1), (2, 1), (3, 600), (4, 101))),
(66, message((1, 0), (2, 81), (3, 82))),
(9, message((1, message((1, 91), (15, message((1, 4), (2, '/dev/null'))))))),
END
    same "SELECT pid, name, (SELECT count(*) FROM thread t WHERE t.upid = p.upid) FROM process p WHERE pid > 0 ORDER BY pid" '61||1
62||1
71||1
81||2
91||1
101||1'
    tm-merge -o m.pftrace p.pftrace
    tm-merge -o p.db m.pftrace
    same "SELECT group_concat(pid) FROM (SELECT pid FROM process ORDER BY pid)" 0,61,62,71,81,91,101
}

@test "the idle task of a machine has its name even if no event of its proto could be placed" {
    python3 "$TM_SRC/t/gen/make-packets.py" >p.pftrace <<'END'
1 { 10: 1 13: 1 8: 10 58: 40 11 { 9: 3 11: 1 23: "on a clock that nothing relates" } }
END
    tm-merge -q -o p.db p.pftrace
    same "SELECT tid, name, is_idle FROM thread" '0|swapper|1'
    echo '[{"ph":"i","ts":1,"pid":0,"tid":0,"name":"x"}]' >a.json
    tm-merge -q -o p.db a.json
    same "SELECT tid, ifnull(name, 'NULL') FROM thread ORDER BY utid LIMIT 1" '0|NULL'
}

@test "in text that Chrome JSON embeds, tid 0 is a thread like others" {
    line() { printf '  %s-%d [000] d..2 %s: sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> ' "$1" "$2" "$3" "$1" "$2" "$4"; }
    {
        printf '# tracer: nop\n'
        line swapper/0 0 1.000000 R; printf 'next_comm=app next_pid=7 next_prio=120\n'
        line app 7 1.250000 S; printf 'next_comm=swapper/0 next_pid=0 next_prio=120\n'
        line swapper/0 0 1.500000 R; printf 'next_comm=app next_pid=7 next_prio=120\n'
    } >text
    python3 -c "import json; print(json.dumps({'traceEvents': [], 'systemTraceEvents': open('text').read()}))" >a.json
    sched="SELECT s.ts, s.dur, t.tid, t.name, s.end_state FROM sched s JOIN thread t USING (utid) ORDER BY s.ts"
    tm-merge -q -o p.db a.json
    same "$sched" '1000000000|250000000|7|app|S
1250000000|250000000|0|swapper/0|R
1500000000|-1|7|app|'
    same "SELECT s.ts, s.dur, s.state FROM thread_state s JOIN thread t USING (utid) WHERE tid = 0 ORDER BY s.ts" \
        '1000000000|250000000|R
1250000000|250000000|Running
1500000000|-1|R'
    # Beside ftrace text of the machine it is the idle task.
    cp text b.systrace
    tm-merge -q -o p.db a.json b.systrace
    same "SELECT DISTINCT name FROM thread WHERE tid = 0" swapper
}

# Files of several formats that name threads 100 to 103 of process 100 by their own name and the tid. The proto describes
# thread 100; the kernel switches to 101 and 102.
many_names() {
    make_proto() { python3 "$TM_SRC/t/gen/make-packets.py" >"$1"; }
    make_proto te.pftrace <<'END'
1 { 10: 9 8: 1000 6 { 1 { 1: 6 2: 1000 } 1 { 1: 3 2: 1000 } } }
1 { 10: 1 8: 1000 60 { 1: 10 3 { 1: 100 6: "te" } } }
1 { 10: 1 8: 1000 60 { 1: 11 4 { 1: 100 2: 100 5: "te 100" } } }
1 { 10: 1 8: 2000 11 { 9: 3 11: 11 23: "now" } }
END
    make_proto kernel.pftrace <<'END'
1 { 10: 9 8: 1000 6 { 1 { 1: 6 2: 1000 } 1 { 1: 3 2: 1000 } } }
1 { 8: 1000 2 { 1 { 1: 100 2: 1 3: "kernel" } 2 { 1: 102 3: 100 2: "tree 102" } 2 { 1: 101 3: 100 } } }
1 { 1 { 1: 0 2 { 1: 3000 2: 0 4 { 1: "idle" 2: 0 3: 120 4: 0 5: "sched 101" 6: 101 7: 120 } }
             2 { 1: 4000 2: 101 4 { 1: "sched 101" 2: 101 3: 120 4: 1 5: "sched 102" 6: 102 7: 120 } } } }
END
    for tid in 100 101 102 103; do
        printf '{"name":"gecko %d","tid":%d,"pid":100,"processType":"gecko","samples":{"schema":{"stack":0,"time":1},' $tid $tid
        printf '"data":[[0,5.0]]},"stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0]]},'
        printf '"frameTable":{"schema":{"location":0},"data":[[0]]},"stringTable":["f"]},'
    done | sed 's/^/{"meta":{"version":24,"startTime":0,"interval":1},"libs":[],"threads":[/; s/,$/]}/' >gecko.json
    for tid in 100 101 102 103; do
        printf 'script%d 100/%d [000] 0.00000%d:  10 cycles: \n\t 1000 f+0x1 (/lib/x.so)\n\n' $tid $tid $((tid - 95))
    done >perf.script
}

@test "names of profiles and of perf script have less priority than names of protos and of the kernel" {
    many_names
    threads="SELECT tid, name FROM thread WHERE tid > 1 ORDER BY tid; SELECT name FROM process WHERE pid = 100"
    tm-merge -q -o p.db te.pftrace gecko.json
    same "$threads" $'100|te 100\n101|gecko 101\n102|gecko 102\n103|gecko 103\nte'
    tm-merge -q -o p.db kernel.pftrace gecko.json
    same "$threads" $'100|gecko 100\n101|sched 101\n102|tree 102\n103|gecko 103\nkernel'
    tm-merge -q -o p.db te.pftrace perf.script
    same "$threads" $'100|te 100\n101|script101\n102|script102\n103|script103\nscript100'
    tm-merge -q -o p.db kernel.pftrace perf.script
    same "$threads" $'100|script100\n101|sched 101\n102|tree 102\n103|script103\nscript100'
}

@test "merged.pftrace has names of profiles only for tasks that protos and the kernel do not name" {
    many_names
    threads="SELECT tid, name FROM thread WHERE tid > 1 ORDER BY tid; SELECT name FROM process WHERE pid = 100"
    tm-merge -q -o m.pftrace te.pftrace gecko.json
    tm-merge -q -o p.db m.pftrace
    same "$threads" $'100|te 100\n101|gecko 101\n102|gecko 102\n103|gecko 103\nte'
    tm-merge -q -o m.pftrace kernel.pftrace gecko.json
    tm-merge -q -o p.db m.pftrace
    same "$threads" $'100|gecko 100\n101|sched 101\n102|tree 102\n103|gecko 103\nkernel'
    # A descriptor without a name is no name.
    make_proto plain.pftrace <<'END'
1 { 10: 1 8: 1000 60 { 1: 10 3 { 1: 100 } } }
1 { 10: 1 8: 1000 60 { 1: 11 4 { 1: 100 2: 100 } } }
1 { 10: 1 8: 2000 11 { 9: 3 11: 11 23: "now" } }
END
    tm-merge -q -o m.pftrace plain.pftrace gecko.json
    tm-merge -q -o p.db m.pftrace
    same "$threads" $'100|gecko 100\n101|gecko 101\n102|gecko 102\n103|gecko 103\ngecko'
}

@test "packets about code of V8 name the process of their isolate and a thread" {
    # Isolate 2 does not state where its code is, so its thread does not count; isolate 9 is not known.
    python3 "$TM_SRC/t/gen/make-packets.py" >p.pftrace <<'END'
1 { 10: 1 6 { 1 { 1: 6 2: 1 } } }
1 { 8: 1000 10: 1 13: 1 12 { 35 { 1: 1 2: 100 3: 1 4 { 1: 4096 2: 4096 } } 35 { 1: 2 2: 200 3: 2 } } 59 { 99 { 1: 101 } } }
1 { 8: 2000 10: 1 13: 2 103 { 1: 1 3: 5 4: 7 5: 1 } }
1 { 8: 2100 10: 1 13: 2 103 { 1: 1 2: 102 3: 5 4: 7 5: 1 } }
1 { 8: 2200 10: 1 13: 2 99 { 1: 1 2: 103 } }
1 { 8: 2300 10: 1 13: 2 101 { 1: 2 2: 201 } }
1 { 8: 2400 10: 1 13: 2 103 { 1: 9 2: 900 } }
1 { 8: 2500 10: 2 103 { 1: 1 2: 901 } }
END
    want='100|100
100|101
100|102
100|103
200|200'
    for i in 1 2; do
        tm-merge -q -o p.db -o m.pftrace p.pftrace
        same "SELECT pid, tid FROM thread JOIN process USING (upid) WHERE pid != 0 ORDER BY 1, 2" "$want"
        mv m.pftrace p.pftrace
    done
    same "SELECT count(*) FROM thread WHERE tid != 0" 5
}
