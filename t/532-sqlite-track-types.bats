# tm-emit -f sqlite: types and units of tracks. The expected rows are the reference importer's.

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
    export PYTHONDONTWRITEBYTECODE=1
}

packets() { # LIST, as for listed_packets; all are on one sequence
    listed_packets "[[(10, 7), *packet] for packet in $1]" >p.pftrace
    tm-merge -q -o p.db p.pftrace
}

same() { # QUERY WANT
    same_text "$(sqlite3 -nullvalue NULL p.db "$1")" "$2"
}

@test "counters of /proc and /sys have the types and units of the reference" {
    packets "[[(8, 1000), (7, message((1, message((1, 1), (2, 5))), (2, message((1, 1), (2, 6))),
        (3, message((1, 0), (2, 9))), (4, 3), (5, 4), (6, message((1, 7), (2, 2))), (7, 8), (8, message((1, 1), (2, 2))),
        (10, message((1, 'ddr'), (2, 5))), (11, 800), (14, message((1, 1), (2, 3))),
        (16, message((1, 0), (2, message((1, 'C1'), (2, 77))))), (17, 300)))]]"
    same "SELECT DISTINCT type, name, unit FROM counter_track WHERE type <> 'cpustat' ORDER BY 1" \
        'clock_frequency|ddr Frequency|NULL
cpu_frequency|cpufreq|NULL
cpu_idle_state|cpuidle0.C1|us
gpu_frequency|gpufreq|kHz
meminfo|MemTotal|bytes
num_forks|num_forks|NULL
num_irq|num_irq (id: 7)|NULL
num_irq_total|num_irq_total|NULL
num_softirq|num_softirq (id: 1)|NULL
num_softirq_total|num_softirq_total|NULL
psi|psi.cpu.some|NULL
vmstat|nr_free_pages|NULL'
    same "SELECT count(*) FROM cpu_counter_track WHERE type = 'cpustat'" 8
    same "SELECT name, gpu_id FROM gpu_counter_track" 'gpufreq|0'
}

@test "a name with several parts has all dimensions of the reference" {
    packets "[[(8, 1000), (7, message((12, message((1, '0'), (2, 'Normal'), (3, 4))),
        (16, message((1, 3), (2, message((1, 'C1'), (2, 77)))))))]]"
    same "SELECT t.name, group_concat(a.key || '=' || a.display_value, ' ') FROM track t
        JOIN args a ON a.arg_set_id = t.dimension_arg_set_id GROUP BY t.id ORDER BY 1" 'cpuidle3.C1|cpu=3 state=C1
mem.buddyinfo[0][Normal][4 kB]|buddyinfo_node=0 buddyinfo_zone=Normal buddyinfo_chunk_size_kb=4'
}

@test "counters of processes, batteries and rails have the types and units of the reference" {
    packets "[[(8, 1000), (9, message((1, message((1, 5), (2, 100), (4, 20), (10, 7)))))],
        [(8, 2000), (38, message((1, 9000), (3, 12)))],
        [(8, 3000), (40, message((1, message((1, 0), (2, 'r0'))), (2, message((1, 0), (3, 5)))))]]"
    same "SELECT type, name FROM counter_track ORDER BY 1, 2" 'battery_counter|batt.charge_uah
battery_counter|batt.current_ua
oom_score_adj|oom_score_adj
power_rails|power.r0_uws
process_memory|mem.rss.anon
process_memory|mem.virt'
}

@test "counters of kernel events, Chrome JSON and markers have the types and units of the reference" {
    printf '%s\n' '# tracer: nop' \
        ' a-5 [001] .... 1.0: cpu_frequency: state=100 cpu_id=1' ' a-5 [001] .... 1.1: cpu_idle: state=1 cpu_id=1' \
        ' a-5 [001] .... 1.2: tracing_mark_write: C|5|heap|7' ' a-5 [001] .... 1.3: clock_set_rate: ddr state=5 cpu_id=0' \
        ' a-5 [001] .... 1.4: cpu_frequency_limits: min=1 max=2 cpu_id=1' \
        ' a-5 [001] .... 1.5: tracing_mark_write: C|5|battery_stats.screen|1' >a.txt
    echo '[{"ph":"C","pid":1,"ts":2,"name":"n","args":{"v":1}}]' >a.json
    tm-merge -q -o p.db a.txt a.json
    same "SELECT type, name FROM counter_track ORDER BY 1, 2" 'atrace_counter|heap
battery_stats|battery_stats.screen
clock_frequency|ddr Frequency
cpu_frequency|cpufreq
cpu_idle|cpuidle
cpu_max_frequency_limit|Cpu 1 Max Freq Limit
cpu_min_frequency_limit|Cpu 1 Min Freq Limit
json_counter|n v'
}

@test "counters of lines in a document of Chrome JSON have the types of kernel events and markers, and tracks of their own" {
    printf '%s\n' '# tracer: nop' ' a-5 (    5) [001] .... 1.1: tracing_mark_write: C|5|n v|7' \
        ' b-6 [001] .... 1.2: rss_stat: mm_id=1 curr=1 member=1 size=4096' \
        ' b-6 (    5) [001] .... 1.3: rss_stat: mm_id=1 curr=1 member=1 size=8192' \
        ' c-7 [001] .... 1.4: rss_stat: mm_id=2 curr=1 member=1 size=4096' >a.txt
    python3 -c 'import json; print(json.dumps({"traceEvents": [{"ph": "C", "pid": 5, "ts": 2, "name": "n", "args": {"v": 1}}],
        "systemTraceEvents": open("a.txt").read()}))' >a.json
    tm-merge -q -o p.db a.json
    same "SELECT type, name, count(*) FROM counter_track t JOIN counter c ON c.track_id = t.id GROUP BY t.id ORDER BY 1, 2" \
        'atrace_counter|n v|1
json_counter|n v|1
process_memory|mem.rss.anon|2
process_memory_thread_fallback|mem.rss.anon|1'
}

@test "tracks of descriptors belong to the trace, a process or a thread" {
    packets "[[(60, message((1, 1), (3, message((1, 5), (6, 'p')))))], [(60, message((1, 2), (4, message((1, 5), (2, 6)))))],
        [(60, message((1, 3), (5, 1), (2, 'of p')))], [(60, message((1, 4), (5, 2), (2, 'of t')))], [(60, message((1, 8), (2, 'g')))],
        [(60, message((1, 9), (5, 1), (2, 'c'), (8, field(2, 0))))]] + \
        [[(8, 10 * t), (11, message((9, 3), (11, t), (23, 'i')))] for t in (3, 4, 8)] + \
        [[(8, 100), (11, message((9, 4), (11, 9), (30, 5)))]]"
    same "SELECT type, name FROM track WHERE name IS NOT NULL ORDER BY name" 'process_counter_track_event|c
global_merged_track_event|g
process_merged_track_event|of p
thread_merged_track_event|of t'
}

@test "dimensions distinguish tracks of one type" {
    packets "[[(60, message((1, 1), (3, message((1, 5), (6, 'p')))))], [(60, message((1, 3), (5, 1), (2, 'of p')))],
        [(60, message((1, 4), (5, 1), (2, 'of k'), (15, 3), (16, 'key')))],
        [(60, message((1, 9), (5, 1), (2, 'c'), (8, field(2, 0))))]] + \
        [[(8, 10 * t), (11, message((9, 3), (11, t), (23, 'i')))] for t in (3, 4)] + \
        [[(8, 100), (11, message((9, 4), (11, 9), (30, 5)))],
         [(8, 1000), (7, message((1, message((1, 1), (2, 5))), (3, message((1, 2), (2, 9))), (6, message((1, 7), (2, 2))),
          (8, message((1, 1), (2, 2))), (10, message((1, 'ddr'), (2, 5))), (11, 800)))],
         [(8, 1000), (9, message((1, message((1, 5), (2, 100), (4, 20), (10, 7)))))],
         [(8, 2000), (1, message((1, 3), (2, message((1, 2500), (2, 6), (3, message((2, 'C|5|heap|7')))))))]]"
    same "SELECT t.type, group_concat(key || '=' || display_value, ' ') FROM track t JOIN args a ON
        a.arg_set_id = t.dimension_arg_set_id WHERE t.name NOT LIKE 'cpu.times.%' OR t.name = 'cpu.times.idle_ns'
        GROUP BY t.id ORDER BY 1, 2" \
        'atrace_counter|upid=1 name=heap
clock_frequency|linux_device=ddr
cpu_frequency|cpu=0
cpustat|cpu=2 cpustat_key=idle_ns
meminfo|meminfo_key=MemTotal
num_irq|irq=7
num_softirq|irq=1
oom_score_adj|upid=1
process_counter_track_event|upid=1 track_uuid=9
process_memory|upid=1 process_memory_key=rss.anon
process_memory|upid=1 process_memory_key=virt
process_merged_track_event|upid=1 parent_track_uuid=1 merge_key_type=0 merge_key_value=of p track_compressor_idx=0
process_merged_track_event|upid=1 parent_track_uuid=1 merge_key_type=2 merge_key_value=key track_compressor_idx=0'
}

@test "the heap and the device in the name of a kernel counter are dimensions of its track" {
    packets "[[(1, message((1, 3),
        (2, message((1, 2500), (2, 6), (315, message((1, 'heap'), (2, 4), (3, 8))))),
        (2, message((1, 2600), (2, 6), (541, message((1, 'ddr'), (2, 100)))))))]]"
    same "SELECT t.type, t.name, key, display_value FROM track t JOIN args a ON a.arg_set_id = t.dimension_arg_set_id
        WHERE key <> 'utid' ORDER BY 1" \
        'ion|mem.ion.heap|heap_name|heap
ion_change|mem.ion_change.heap|heap_name|heap
linux_device_frequency|devfreq_ddr|linux_device|ddr'
}

@test "the name of its first event is a dimension of an asynchronous id's track" {
    cat >a.json <<'END'
{"traceEvents":[{"ph":"b","cat":"c","id":1,"name":"root","pid":1,"tid":1,"ts":1},
{"ph":"e","cat":"c","id":1,"name":"root","pid":1,"tid":1,"ts":2},
{"ph":"b","cat":"c","id":4,"name":"root","pid":1,"tid":1,"ts":2.5},
{"ph":"b","cat":"c","id":1,"name":"next","pid":1,"tid":1,"ts":3}]}
END
    tm-merge -o a.db a.json
    same_text "$(sqlite3 a.db "SELECT s.name, t.name, a.display_value FROM slice s JOIN track t ON t.id = s.track_id JOIN args a
        ON a.arg_set_id = t.dimension_arg_set_id AND a.key = 'name' ORDER BY s.ts")" $'root|root|root
root|root|root
next|next|root'
}

@test "the name of a legacy id's first event in a proto decides about events of other categories too" {
    packets "[[(8, t), (11, message((22, c), (23, n), (6, message((2, p), (6, 7)))))] for t, c, n, p in
        ((1, 'gpu', 'memory', 98), (2, 'gpu', 'memory', 101), (3, 'navigation', 'request', 98), (4, 'navigation', 'request', 101))]"
    same "SELECT t.name, (SELECT group_concat(key || '=' || ifnull(display_value, 'NULL'), ' ') FROM args a
        WHERE a.arg_set_id = t.dimension_arg_set_id) FROM track t JOIN slice s ON s.track_id = t.id ORDER BY s.ts" \
        'memory|scope=gpu name=memory track_compressor_idx=0
request|scope=navigation name=memory track_compressor_idx=0'
}

@test "a track has its descriptor's facts as its source" {
    packets "[[(60, message((1, 1), (2, 'p'), (12, 3), (11, 3), (14, 'what'), (3, message((1, 5)))))],
        [(60, message((1, 3), (5, 1), (2, 'child'), (12, -1 & (1 << 64) - 1)))],
        [(60, message((1, 4), (4, message((1, 5), (2, 6)))))],
        [(60, message((1, 9), (5, 4), (8, message((1, 1), (2, 'a'), (2, 'b'), (7, 'y')))))]] + \
        [[(8, 10 * t), (11, message((9, 3), (11, t), (23, 'i')))] for t in (1, 3, 4, 7)] + \
        [[(8, 100), (11, message((9, 4), (11, 9), (30, 5)))], [(8, 110), (11, message((9, 3), (11, 0), (23, 'i')))],
         [(8, 120), (11, message((23, 'j'), (22, 'c'), (6, message((2, 98), (6, 77)))))]]"
    same "SELECT t.type, t.name, (SELECT group_concat(key || '=' || ifnull(display_value, 'NULL'), ' ') FROM args a
        WHERE a.arg_set_id = t.source_arg_set_id) FROM track t ORDER BY type, name" \
        'global_merged_track_event|Default Track|source=descriptor trace_id=0 is_root_in_scope=true
global_merged_track_event|i|source=descriptor trace_id=7 is_root_in_scope=false
legacy_async_global_slice|j|source=chrome trace_id_is_process_scoped=false source_scope=c
process_merged_track_event|child|source=descriptor trace_id=3 is_root_in_scope=false sibling_order_rank=-1
process_track_event|p|source=descriptor trace_id=1 is_root_in_scope=true child_ordering=explicit sibling_order_rank=3 description=what
thread_counter_track_event|thread_time|source=descriptor trace_id=9 is_root_in_scope=false category=a,b builtin_counter_type=thread_time y_axis_share_key=y
thread_execution|NULL|NULL'
    tm-merge -q -o p.db "$TM_SRC/t/data/instruments.xml"
    same "SELECT count(*), count(source_arg_set_id) FROM track WHERE type LIKE 'legacy_async_%'" '1|0'
}

@test "tracks without a way to the root are counted by the cause, and so are descriptors that contradict earlier ones" {
    packets "[[(60, message((1, 1), (5, 1), (4, message((1, 5), (2, 6)))))], [(60, message((1, 2), (5, 3)))],
        [(60, message((1, 4), (2, 'x')))], [(60, message((1, 4), (5, 5)))], [(60, message((1, 0), (5, 4)))]] + \
        [[(60, message((1, n), (5, n - 1)))] for n in range(101, 202)] + [[(60, message((1, 100)))]] + \
        [[(8, 10 * t), (11, message((9, 3), (11, t), (23, 'i')))] for t in (1, 2, 4, 198, 199, 200)]"
    same "SELECT name, value, severity, source FROM stats WHERE value != 0 ORDER BY name" \
        'track_descriptor_conflicting_reservation|1|error|analysis
track_descriptor_default_track_with_parent|1|error|analysis
track_event_parser_errors|9|info|analysis
track_event_track_hierarchy_loop|2|error|analysis
track_event_track_hierarchy_too_deep|5|error|analysis
track_hierarchy_missing_uuid|2|info|analysis'
}

@test "two of three descriptors of one thread or process are of one task, as in the reference" {
    packets "[[(8, 100 * n), (60, message((1, n), (4, message((1, 5), (2, 6), (5, 't' + str(n))))))] for n in (1, 2, 3)] + \
        [[(8, 100 * n), (60, message((1, 10 + n), (3, message((1, 7), (6, 'p' + str(n))))))] for n in (1, 2, 3)] + \
        [[(8, 1000), (11, message((9, 3), (11, t), (23, 'e')))] for t in (1, 2, 3, 11, 12, 13)]"
    same "SELECT tid, pid, th.name FROM thread th JOIN process USING (upid) WHERE tid > 0 ORDER BY utid" '5|5|NULL
6|5|t1
7|7|NULL
6|5|t3
7|7|NULL'
}

@test "asynchronous ids of different scopes have different lanes, and tracks state scope and name" {
    # (phase, category, name, fields of the id); the last ones have no name, and 7 is id_scope
    packets "[[(8, 500), (13, 1), (44, message((1, 10), (2, 11)))]] + [[(8, 1000 + 10 * i), (13, 2), (11, message(
        (22, c), (23, n), (6, message((2, ord(p)), *ident))))] for i, (p, c, n, ident) in enumerate([
        ('b', 'A', 'n', [(6, 1)]), ('e', 'A', 'n', [(6, 1)]), ('b', 'B', 'n', [(6, 2)]), ('e', 'B', 'n', [(6, 2)]),
        ('S', 'A', 'n', [(6, 5)]), ('F', 'A', 'n', [(6, 5)]), ('b', 'B', 'n', [(6, 3), (7, 'sc')]),
        ('e', 'B', 'n', [(6, 3), (7, 'sc')]), ('b', 'A', 'n', [(6, 7)]), ('e', 'A', 'n', [(6, 7)]),
        ('b', 'A', None, [(10, 8)]), ('e', 'A', None, [(10, 8)])])]"
    local slices="SELECT ts, track_id FROM slice ORDER BY ts"
    local dimensions="SELECT t.id, t.name, a.key, a.display_value FROM track t
        JOIN args a ON a.arg_set_id = t.dimension_arg_set_id ORDER BY t.id, a.key"
    local sources="SELECT t.id, a.key, a.display_value FROM track t JOIN args a ON a.arg_set_id = t.source_arg_set_id
        WHERE a.key != 'upid' ORDER BY t.id, a.key"
    same "$slices" '1000|0
1020|1
1040|2
1060|3
1080|0
1100|4'
    same "SELECT id, group_concat(value, ' ') FROM (SELECT t.id, a.key || '=' || coalesce(a.display_value, '') AS value
        FROM track t JOIN args a ON a.arg_set_id IN (t.dimension_arg_set_id, t.source_arg_set_id)
        WHERE a.key GLOB '*scope' OR a.key = 'name' ORDER BY t.id, a.key) GROUP BY id" '0|name=n scope=A source_scope=A
1|name=n scope=B source_scope=B
2|name=n scope=n source_scope=n
3|name=n scope=B:sc source_scope=B:sc
4|name= scope=A source_scope=A'
    same "SELECT count(*) FROM args WHERE key = 'legacy_event.phase'" 1
    [ -x "${TRACE_PROCESSOR:-}" ] || return 0
    for query in "$slices" "$dimensions" "$sources"; do
        diff <(sqlite3 -csv -nullvalue '[NULL]' p.db "$query" | tr -d '"\r') \
            <("$TRACE_PROCESSOR" -Q "$query" p.pftrace 2>err | tail -n +2 | tr -d '"')
    done
}

@test "an asynchronous legacy event, or an instant of the trace, that names a track without a hierarchy is refused" {
    python3 "$TM_SRC/t/gen/make-packets.py" >p.pftrace <<'END'
1 { 10: 7 13: 1 60 { 1: 5 5: 99 3 { 1: 8 } } }
1 { 10: 7 60 { 1: 6 3 { 1: 9 } } }
1 { 10: 7 8: 10 11 { 11: 5 23: "a" 6 { 2: 98 6: 1 } } }
1 { 10: 7 8: 20 11 { 11: 5 23: "a" 6 { 2: 101 6: 1 } } }
1 { 10: 7 8: 30 11 { 11: 6 23: "b" 6 { 2: 98 6: 2 } } }
1 { 10: 7 8: 40 11 { 11: 6 23: "b" 6 { 2: 101 6: 2 } } }
1 { 10: 7 8: 50 11 { 11: 5 23: "c" 6 { 2: 73 14: 1 } } }
1 { 10: 7 8: 60 11 { 11: 6 23: "d" 6 { 2: 73 14: 1 } } }
1 { 10: 7 8: 70 11 { 11: 6 23: "e" 6 { 2: 73 14: 2 } } }
1 { 10: 7 8: 80 11 { 11: 5 23: "f" 6 { 2: 112 6: 4 } } }
1 { 10: 7 8: 90 11 { 11: 44 23: "g" 6 { 2: 110 6: 4 } } }
END
    tm-merge -q -o p.db p.pftrace
    [ "$(sqlite3 p.db 'SELECT ts, name, dur FROM slice ORDER BY ts')" = $'30|b|10\n60|d|0\n70|e|0\n90|g|0' ]
    [ "$(sqlite3 p.db "SELECT name, sum(value) FROM stats WHERE name GLOB 'track_*' GROUP BY name ORDER BY name")" = \
        $'track_event_parser_errors|5\ntrack_hierarchy_missing_uuid|5' ]
}
