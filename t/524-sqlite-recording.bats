# tm-emit -f sqlite: metadata and stats about the recording of traces. The expected rows are the reference importer's.

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
    export PYTHONDONTWRITEBYTECODE=1
}

packets() { # FILE LIST, as for listed_packets
    listed_packets "$2" >"$1"
}

same() { # QUERY WANT
    same_text "$(sqlite3 p.db "$1")" "$2"
}

@test "times of the recording are trace time, and each flush is a row" {
    packets p.pftrace '[[(6, message((1, message((1, 6), (2, 1000))), (1, message((1, 3), (2, 400)))))],
        [(8, 500), (58, 3), (69, message((2, 1)))], [(8, 1200), (69, message((1, 1)))], [(8, 1300), (69, message((3, 1)))],
        [(8, 1400), (69, message((3, 1)))], [(8, 1500), (69, message((5, 1)))]]'
    tm-merge -o p.db p.pftrace
    same "SELECT name, key_type, int_value, machine_id, trace_id FROM metadata WHERE name LIKE '%\_ns' ESCAPE '\\' ORDER BY int_value" \
        'tracing_started_ns|single|1100|0|0
all_data_source_started_ns|single|1200|0|0
all_data_source_flushed_ns|multi|1300|0|0
all_data_source_flushed_ns|multi|1400|0|0
tracing_disabled_ns|single|1500|0|0'
}

@test "metadata names belong to a machine, a file, both or neither, and have one value there" {
    packets a.pftrace '[[(45, message((2, "g/p/d:14/UP1A/1234:user/rel"), (4, "v1"), (16, 7600000000)))],
        [(6, message((1, message((1, 6), (2, 1000)))))], [(33, message((22, "one")))], [(8, 1100), (69, message((2, 1)))]]'
    packets b.pftrace '[[(45, message((4, "v2"), (1, message((1, "Linux"), (3, "6.1")))))], [(33, message((22, "two")))]]'
    tar cf p.tar a.pftrace b.pftrace
    tm-merge -o p.db p.tar
    same "SELECT m.name, m.int_value, m.str_value, m.machine_id, f.name FROM metadata m LEFT JOIN trace_file f
        ON f.id = m.trace_id WHERE m.name NOT GLOB 'trace_[su][iu]*' ORDER BY m.name, f.name" \
        'android_build_fingerprint||g/p/d:14/UP1A/1234:user/rel|0|
android_incremental_build||1234|0|
system_name||Linux|0|
system_ram_bytes|7600000000||0|
system_ram_gb|8||0|
system_release||6.1|0|
trace_config_pbtxt||unique_session_name: "one"||a.pftrace
trace_config_pbtxt||unique_session_name: "two"||b.pftrace
trace_time_clock_id|6|||
trace_type||proto||a.pftrace
trace_type||proto||b.pftrace
tracing_service_version||v2|0|
tracing_started_ns|1100||0|a.pftrace
unique_session_name||one||a.pftrace
unique_session_name||two||b.pftrace'
    same "SELECT m.int_value = f.size FROM metadata m JOIN trace_file f ON f.id = m.trace_id
        WHERE m.name = 'trace_size_bytes'" $'1\n1'
}

@test "Chrome's metadata about itself is stored by instance" {
    packets p.pftrace '[[(51, message((6, "1.2"), (7, 3)))], [(5, message((2, message((1, "os"), (2, "Linux"))),
        (2, message((1, "cores"), (4, -1))), (2, message((1, "vm"), (3, 1))), (2, message((1, "j"), (5, "{}")))))],
        [(5, message((2, message((1, "os"), (2, "Cast")))))]]'
    tm-merge -o p.db p.pftrace
    same "SELECT name, int_value, str_value FROM metadata WHERE name LIKE 'cr-%' ORDER BY id" 'cr-a-product-version||1.2
cr-a-channel|3|
cr-os||Linux
cr-cores|-1|
cr-vm|1|
cr-j||{}
cr-2-os||Cast'
}

# The expected rows are the reference importer's.
@test "field trials of Chrome, and why it recorded in the background, are metadata" {
    packets p.pftrace '[[(51, message((6, "1.2"), (4, message((1, 5), (2, 6))), (4, message((1, 4294967295), (2, 1))),
        (4, message((2, 9))), (1, field(2, b"x") + b"\x1d\x07\x00\x00\xff")))], [(51, message((4, b"")))],
        [(51, message((5, "p"), *[(4, b"")] * 16385))]]'
    tm-merge -q -o p.db p.pftrace
    same "SELECT name, int_value, str_value FROM metadata WHERE name LIKE 'cr-%' ORDER BY name" \
        'cr-a-field_trial_hashes||{ name: 5, group: 6 } { name: 4294967295, group: 1 } 
{ name: 0, group: 9 } 
cr-a-product-version||1.2
cr-b-field_trial_hashes||{ name: 0, group: 0 } 
cr-background_tracing_metadata||EgF4HQcAAP8=
cr-c-package-name||p
cr-scenario_name_hash|4278190087|'
    same "SELECT value FROM stats WHERE name = 'facts_beyond_limits'" 1
}

@test "statistics of ftrace by cpu have values at start, end and in between" {
    packets p.pftrace '[[(34, message((1, 1), (2, message((1, 3), (2, 10), (3, 1)) + field(6, 1.5) + field(7, 2.25)),
        (10, message((1, 4), (2, 1)))))], [(34, message((1, 2), (2, message((1, 3), (2, 30), (3, 1), (9, 7)) + field(7, 4.5)),
        (10, message((1, 9), (2, 2)))))]]'
    tm-merge -o p.db p.pftrace
    same "SELECT name, idx, severity, source, value, machine_id, trace_id FROM stats WHERE value != 0 ORDER BY name" \
        'ftrace_cpu_entries_begin|3|info|trace|10|0|0
ftrace_cpu_entries_delta|3|info|trace|20|0|0
ftrace_cpu_entries_end|3|info|trace|30|0|0
ftrace_cpu_now_ts_begin|3|info|trace|2250000000|0|0
ftrace_cpu_now_ts_end|3|info|trace|4500000000|0|0
ftrace_cpu_oldest_event_ts_begin|3|info|trace|1500000000|0|0
ftrace_cpu_overrun_begin|3|info|trace|1|0|0
ftrace_cpu_overrun_end|3|info|trace|1|0|0
ftrace_cpu_read_events_delta|3|info|trace|7|0|0
ftrace_cpu_read_events_end|3|info|trace|7|0|0
ftrace_kprobe_hits_begin||info|trace|4|0|0
ftrace_kprobe_hits_delta||info|trace|5|0|0
ftrace_kprobe_hits_end||info|trace|9|0|0
ftrace_kprobe_misses_begin||info|trace|1|0|0
ftrace_kprobe_misses_delta||data_loss|trace|1|0|0
ftrace_kprobe_misses_end||info|trace|2|0|0'
}

@test "statistics of the service, its filter and its buffers come from the last packet" {
    packets p.pftrace '[[(35, message((14, 1), (15, 2)))], [(35, message((1, message((3, 5))), (1, message((19, 6))),
        (11, message((2, 7), (20, 8), (20, 9))), (15, 1)))]]'
    tm-merge -o p.db p.pftrace
    same "SELECT name, idx, severity, value FROM stats WHERE value != 0 ORDER BY name, idx" \
        'filter_input_bytes||info|7
traced_buf_bytes_filtered_out|0|info|8
traced_buf_bytes_filtered_out|1|info|9
traced_buf_chunks_overwritten|0|info|5
traced_buf_trace_writer_packet_loss|1|data_loss|6
traced_final_flush_failed||data_loss|1
traced_final_flush_succeeded||info|1'
    same "SELECT value FROM stats WHERE name = 'traced_flushes_failed'" 0
}

@test "the configuration of a recording is text" {
    # The text that the reference importer writes for these bytes: unknown fields by number, an empty message, packed
    # numbers.
    packets p.pftrace '[[(33, message((1, message((1, 4096), (4, 1))), (2, message((1, message((1, "linux.ftrace"),
        (100, message((1, "a/b"), (1, "\"\\\n\x01é"), (11, 4096))), (5000, message((1, 7))))), (5, b""))),
        (2, message((1, message((104, message((1, 1000), (2, 1), (4, bytes([1, 2])))))))), (3, 60000),
        (17, message((1, 1), (2, message((1, "t")) + field(5, 0.25)))), (21, b""), (900, 3)))]]'
    tm-merge -o p.db p.pftrace
    same "SELECT key_type, machine_id, trace_id, str_value FROM metadata WHERE name = 'trace_config_pbtxt'" \
        'single||0|buffers {
  size_kb: 4096
  fill_policy: RING_BUFFER
}
data_sources {
  config {
    name: "linux.ftrace"
    ftrace_config {
      ftrace_events: "a/b"
      ftrace_events: "\"\\\n\001\303\251"
      drain_period_ms: 4096
    }
    5000: "\b\a"
  }
  5: ""
}
data_sources {
  config {
    sys_stats_config {
      meminfo_period_ms: 1000
      meminfo_counters: MEMINFO_MEM_TOTAL
      vmstat_counters: VMSTAT_NR_FREE_PAGES
      vmstat_counters: VMSTAT_NR_ALLOC_BATCH
    }
  }
}
duration_ms: 60000
trigger_config {
  trigger_mode: START_TRACING
  triggers {
    name: "t"
    skip_probability: 0.250000
  }
}
incremental_state_config {
}
900: 3'
}

@test "triggers, a configuration's identity, benchmarks, properties, slow data sources and the viewer's state are metadata" {
    packets p.pftrace '[[(33, message((7, message((4, 77))), (27, 123456789), (28, (1 << 64) - 5)))],
        [(33, message((27, 1)))], [(8, 1100), (46, message((1, "first")))], [(8, 1200), (113, message((1, "clone"))),],
        [(8, 1300), (113, message((1, "second")))], [(8, 1300), (109, message((1, "x")) + b"\x15\x00\x28\x6b\xee")],
        [(8, 1400), (69, message((7, message((1, message((1, "p"), (2, "s"))), (1, message((1, "q"), (2, "r")))))))],
        [(48, message((3, "bench"), (7, "a"), (7, "b"), (9, 1)))], [(90, message((1, 55)))], [(78, message((1, 5)))],
        [(8, 1500), (86, message((1, message((1, "debug.tracing.profile_boot_classpath"), (2, "1"))),
         (1, message((1, "debug.tracing.profile_system_server"), (2, "x"))),
         (1, message((1, "debug.tracing.wallpaper.class_name"), (2, "W")))))]]'
    tm-merge -o p.db p.pftrace
    same "SELECT name, key_type, int_value, str_value, machine_id, trace_id FROM metadata
        WHERE name NOT IN ('trace_config_pbtxt', 'trace_size_bytes', 'trace_type', 'trace_time_clock_id')
        ORDER BY name, str_value" \
        'android_profile_boot_classpath|single|1|||0
benchmark_had_failures|single|1|||0
benchmark_name|single||bench||0
benchmark_story_tags|multi||a||0
benchmark_story_tags|multi||b||0
cr-triggered_rule_name_hash|single|4000000000||0|0
debug.tracing.wallpaper.class_name|single||W|0|0
range_of_interest_start_us|single|55|||0
slow_start_data_source|multi||p s|0|0
slow_start_data_source|multi||q r|0|0
statsd_triggering_subscription_id|single|77|||0
trace_trigger|single||clone||0
trace_uuid|single||00000000-075b-cd15-ffff-fffffffffffb||0
ui_state|single||CAU=||0'
}

@test "the times of cloning a recording are metadata" {
    packets p.pftrace '[[(6, message((1, message((1, 6), (2, 1100))), (1, message((1, 3), (2, 100)))))],
        [(8, 2000), (113, message((1, "clone"), (2, "p")))], [(8, 3000), (113, message((1, "again")))],
        [(8, 3000), (58, 3), (69, message((10, 1)))], [(8, 5000), (69, message((11, 0)))], [(8, 5100), (69, message((11, 2)))],
        [(8, 5200), (69, message((11, 2)))]]'
    tm-merge -o m.pftrace p.pftrace
    for file in p m; do
        tm-merge -o p.db $file.pftrace
        same "SELECT name, idx, value, severity, source FROM stats WHERE name GLOB '*_timestamp_ns' ORDER BY name, idx" \
            'traced_buf_clone_done_timestamp_ns|0|5000|info|trace
traced_buf_clone_done_timestamp_ns|2|5200|info|trace
traced_clone_started_timestamp_ns||4000|info|trace
traced_clone_trigger_timestamp_ns||2000|info|trace'
        same "SELECT s.ts, s.name, t.name, t.type FROM slice s JOIN track t ON t.id = s.track_id ORDER BY ts" \
            $'2000|clone|Trace Triggers|triggers\n3000|again|Trace Triggers|triggers'
    done
}

@test "triggers of Chrome are instants that end flows and have the names of a translation table" {
    packets p.pftrace '[[(82, message((6, message((1, message((1, 5), (2, "five")))))))],
        [(8, 500), (10, 1), (13, 1), (60, message((1, 9), (2, "track")))],
        [(8, 1000), (10, 1), (11, message((9, 3), (11, 9), (23, "from")) + b"\xf9\x02" + bytes([77] + [0] * 7))],
        [(8, 1300), (109, message((1, "x")) + b"\x15\x00\x28\x6b\xee\x19" + bytes([77] + [0] * 7))],
        [(8, 1400), (109, b"\x19" + bytes([77] + [0] * 7))], [(8, 1500), (109, b"\x15\x05\0\0\0\x19" + bytes(8))],
        [(8, 1600), (109, message((1, "")))], [(8, 1650), (46, message((1, "t")))],
        [(8, 1700), (46, message((2, "p")))], [(8, 1800), (46, message((1, "")))]]'
    tm-merge -o m.pftrace p.pftrace
    for file in p m; do
        tm-merge -o p.db $file.pftrace
        same "SELECT s.ts, s.dur, coalesce(s.name, 'NULL'), t.name, (SELECT group_concat(key || '=' || display_value, ' ') FROM args a
                WHERE a.arg_set_id = s.arg_set_id) FROM slice s JOIN track t ON t.id = s.track_id WHERE t.type = 'triggers'
                ORDER BY s.ts" \
            '1300|0|x|Trace Triggers|chrome_trigger.name_hash=4000000000 chrome_trigger.name=x
1400|0|chrome_trigger|Trace Triggers|chrome_trigger.name_hash=0
1500|0|chrome_trigger|Trace Triggers|chrome_trigger.name_hash=5 chrome_trigger.name=five
1600|0||Trace Triggers|chrome_trigger.name_hash=0 chrome_trigger.name=
1650|0|t|Trace Triggers|
1700|0|NULL|Trace Triggers|producer_name=p
1800|0||Trace Triggers|'
        same "SELECT o.ts, i.ts FROM flow f JOIN slice o ON o.id = f.slice_out JOIN slice i ON i.id = f.slice_in" '1000|1300'
    done
    if [ -n "${TRACE_PROCESSOR-}" ]; then
        "$TM_SRC/t/check/database" -t "$TRACE_PROCESSOR" -b "$TM_BIN" p.pftrace
        "$TM_SRC/t/check/viewers" -t "$TRACE_PROCESSOR" -b "$TM_BIN" -f pftrace p.pftrace
    fi
}

@test "losses are stated by buffer and cause if the trace states the buffers of its sequences" {
    packets p.pftrace '[[(10, 5), (8, 1), (13, 1)], [(10, 5), (8, 2), (42, 65)], [(10, 5), (8, 3), (42, 1 | 2 | 256)],
        [(10, 6), (8, 4), (13, 2), (11, message((9, 3)))], [(10, 7), (8, 5), (13, 1)], [(10, 7), (8, 6), (42, 1)],
        [(35, message((18, message((1, 5), (4, 1))), (18, message((1, 6), (4, 0))), (18, message((1, 99), (4, 2)))))],
        [(10, 5), (8, 7), (42, 1)]]'
    tm-merge -o p.db p.pftrace
    # No buffer is stated for sequence 7; its losses are still reported.
    same "SELECT name, idx, severity, source, value FROM stats WHERE name GLOB 'traced_buf_*[ls]*' AND value != 0
        ORDER BY name, idx" \
        'traced_buf_data_loss_overwrite|1|data_loss|trace|1
traced_buf_data_loss_read_gap|1|data_loss|trace|1
traced_buf_data_loss_smb_full|1|data_loss|trace|1
traced_buf_incremental_sequences_dropped|0|data_loss|analysis|1
traced_buf_sequence_packet_loss||data_loss|analysis|1
traced_buf_sequence_packet_loss|1|data_loss|analysis|2'
    same "SELECT name, count(*) FROM stats WHERE name LIKE 'traced_buf_data_loss_%' GROUP BY 1 LIMIT 1" \
        'traced_buf_data_loss_chunk_corrupted|2'
}

@test "buffers that stop when full, in a recording into a file, are counted" {
    packets p.pftrace '[[(8, 5), (10, 1), (33, message((1, message((1, 10), (4, 2))), (1, message((1, 10))),
        (1, message((4, 2))), (8, 1)))]]'
    tm-merge -q -o p.db p.pftrace
    same "SELECT name, idx, severity, source, value FROM stats WHERE name GLOB 'config_*d' ORDER BY idx" \
        $'config_write_into_file_discard|0|data_loss|trace|1\nconfig_write_into_file_discard|2|data_loss|trace|1'
    packets p.pftrace '[[(8, 5), (10, 1), (33, message((1, message((1, 10), (4, 2)))))]]'
    tm-merge -q -o p.db p.pftrace
    same "SELECT count(*) FROM stats WHERE name GLOB 'config_*'" 0
}

@test "compact_sched events before the first switch of a cpu are counted, and an end without a begin is no error" {
    python3 "$TM_SRC/t/gen/make-kernel.py" >p.pftrace <<'END'
compact 2 1000:0:swapper/2 2000:7:seven 3000:0:swapper/2
compact 1 1500:0:swapper/1
1600 1 6 #3 1=1 2=E|6
END
    tm-merge -q -o p.db p.pftrace
    same "SELECT name, severity, source, value FROM stats WHERE value ORDER BY name" \
        'compact_sched_switch_skipped|info|analysis|2
tm_slice_end_without_begin|info|analysis|1'
}

@test "values of counters without a track or a value, and damaged parts of a proto, are counted, and others are read" {
    python3 "$TM_SRC/t/gen/make-packets.py" >p.pftrace <<'END'
1 { 10: 1 13: 1 60 { 1: 2 2: "c" 8 { } } }
1 { 10: 1 8: 10 11 { 9: 4 30: 5 } }
1 { 10: 1 8: 20 11 { 9: 4 11: 2 } }
1 { 10: 1 8: 30 11 { 9: 4 11: 3 30: 5 } }
1 { 10: 1 11 { 9: 3 23: "no time" } }
1 { 10: 1 8: 40 12: "\n\x40cut" }
1 { 1 { 1: 0 4 { 5: "a" 1: "\x64" } } }
1 { 10: 1 8: 50 11 { 9: 4 11: 2 30: 6 } }
END
    tm-merge -q -o p.db p.pftrace
    same "SELECT name, severity, source, value FROM stats WHERE value ORDER BY name; SELECT ts, value FROM counter" \
        'compact_sched_has_parse_errors|error|trace|1
interned_data_tokenizer_errors|info|analysis|1
track_event_counter_invalid_track_uuid|error|analysis|1
track_event_counter_missing_track_uuid|error|analysis|1
track_event_counter_missing_value|error|analysis|1
track_event_missing_timestamp|error|analysis|1
50|6.0'
}

@test "wakings of compact_sched before the first switch of a cpu are counted" {
    packets p.pftrace '[[(1, message((1, 0), (4, message((5, "a"), (7, b"\x64"), (8, b"\x05"), (9, b"\x00"),
        (10, b"\x78"), (11, b"\x00")))))]]'
    tm-merge -q -o p.db p.pftrace
    same "SELECT name, severity, source, value FROM stats WHERE value" 'compact_sched_waking_skipped|info|analysis|1'
}

@test "the first parent of a process stays, and another one is counted" {
    packets p.pftrace '[[(8, 5), (10, 1), (2, message((1, message((1, 9), (2, 1), (3, "nine")))))],
        [(8, 6), (10, 1), (2, message((1, message((1, 9), (2, 8), (3, "nine")))))]]'
    tm-merge -q -o p.db p.pftrace
    same "SELECT q.pid FROM process p JOIN process q ON q.upid = p.parent_upid WHERE p.pid = 9;
        SELECT name, severity, source, value FROM stats WHERE value" '1
process_tracker_parent_pid_changed|info|analysis|1'
}

@test "kernel events from before the start of a recording are hidden, and recorded before all cpus have data" {
    python3 "$TM_SRC/t/gen/make-kernel.py" >p.pftrace <<'END'
started 2000
whole 0 5000
whole 1 1500
1000 0 5 #4 1=a 2=5 3=120 4=1 5=b 6=6 7=120
1100 0 6 print 2=B|6|hidden
1200 0 9 #236 1=9 2=x 3=ghost
2500 0 6 print 2=B|6|early
2600 1 7 #4 1=c 2=7 3=120 4=1 5=d 6=8 7=120
3000 0 11 #11 1=5 2=0
3100 0 6 #404 1=lock
5000 0 6 print 2=E|6
5100 0 6 print 2=B|6|shown
5200 0 6 #4 1=b 2=6 3=120 4=1 5=a 6=5 7=120
5300 0 5 #4 1=a 2=5 3=120 4=1 5=b 6=6 7=120
5400 0 6 #405 1=lock
5500 0 6 print 2=E|6
END
    tm-merge -q -o p.db p.pftrace
    same "SELECT ts, dur, name FROM slice; SELECT ts, dur FROM sched; SELECT count(*) FROM counter;
        SELECT ts, name FROM ftrace_event WHERE ts < 5000; SELECT tid FROM thread WHERE tid IN (7, 8, 9, 11);
        SELECT name, severity, source, value FROM stats WHERE value AND severity <> 'error' ORDER BY name" '5100|400|shown
5200|100
5300|-1
0
2500|print
3000|cpu_frequency
3100|wakeup_source_activate
11
ftrace_packet_before_tracing_start|info|analysis|3
tm_slice_end_without_begin|info|analysis|2'
    tm-merge -q -o m.pftrace p.pftrace
    tm-merge -q -o m.db m.pftrace
    diff <(sqlite3 p.db 'SELECT ts, dur, name FROM slice; SELECT ts, name FROM ftrace_event') \
        <(sqlite3 m.db 'SELECT ts, dur, name FROM slice; SELECT ts, name FROM ftrace_event')
    { echo preserve; cat; } <<'END' | python3 "$TM_SRC/t/gen/make-kernel.py" >k.pftrace
started 2000
1100 0 6 print 2=B|6|kept
1200 0 6 print 2=E|6
END
    tm-merge -q -o p.db k.pftrace
    same "SELECT ts, dur, name FROM slice" '1100|100|kept'
}

@test "compact_sched before the start is hidden, and before all cpus have data has names and records" {
    python3 "$TM_SRC/t/gen/make-kernel.py" >p.pftrace <<'END'
started 2000
whole 0 4000
compact 0 1000:5:one 1500:6:two 2500:7:three 3000:8:four 4500:9:five 5000:10:six
compact 1 1000:15:fifteen 4700:16:sixteen 5000:17:seventeen
END
    tm-merge -q -o p.db p.pftrace
    same "SELECT ts, dur, cpu FROM sched ORDER BY cpu, ts; SELECT ts FROM ftrace_event ORDER BY 1;
        SELECT group_concat(name, ' ') FROM (SELECT name FROM thread WHERE tid > 0 ORDER BY tid);
        SELECT name, value FROM stats WHERE value ORDER BY name" '4500|500|0
5000|-1|0
5000|-1|1
3000
4500
5000
5000
three four five six sixteen seventeen
compact_sched_switch_skipped|2
ftrace_packet_before_tracing_start|3'
}

@test "damage in one part of a descriptor leaves the other parts" {
    packets p.pftrace '[[(8, 5), (10, 1), (60, message((1, 9), (3, message((1, 7)) + b"\x32\x40cut"), (6, message((1, 1)))))],
        [(8, 6), (10, 1), (13, 1), (11, message((9, 3), (11, 9), (23, "i")))]]'
    tm-merge -q -o p.db p.pftrace
    same "SELECT pid, name FROM process WHERE pid = 7" '7|Browser'
}

@test "ranks that a file gives to its threads are args of these" {
    echo '[{"ph":"M","pid":1,"tid":2,"name":"thread_sort_index","args":{"sort_index":-3}},
        {"ph":"X","pid":1,"tid":2,"ts":1,"dur":2,"name":"a"},{"ph":"X","pid":1,"tid":3,"ts":1,"dur":2,"name":"a"}]' >p.json
    tm-merge -q -o p.db p.json
    same "SELECT t.tid, a.key, a.display_value FROM thread t LEFT JOIN args a ON a.arg_set_id = t.arg_set_id
        WHERE t.tid IN (2, 3) ORDER BY 1" $'2|thread_sort_index_hint|-3\n3||'
}

@test "the first sort index of a task counts: that of Chrome JSON, or its track's rank if the root orders tasks" {
    tasks="SELECT 'p', p.pid, a.display_value FROM process p LEFT JOIN args a USING (arg_set_id) WHERE p.pid != 0 UNION
        SELECT 't', t.tid, a.display_value FROM thread t LEFT JOIN args a USING (arg_set_id) WHERE t.tid != 0"
    echo '[{"ph":"M","pid":1,"tid":2,"ts":1,"name":"thread_sort_index","args":{"sort_index":5}},
        {"ph":"M","pid":1,"tid":2,"ts":9,"name":"thread_sort_index","args":{"sort_index":6}},
        {"ph":"M","pid":1,"tid":1,"name":"process_sort_index","args":{"sort_index":7}},
        {"ph":"M","pid":1,"tid":1,"name":"process_sort_index","args":{"sort_index":8}},
        {"ph":"X","pid":1,"tid":2,"ts":3,"dur":2,"name":"a"}]' >p.json
    tm-merge -q -o p.db p.json
    same "$tasks" $'p|1|7\nt|1|\nt|2|5'
    tm-merge -q -o m.pftrace p.json
    tm-merge -q -o p.db m.pftrace
    same "$tasks" $'p|1|7\nt|1|\nt|2|5'
    tasks='[(60, message((1, 10), (12, 3), (3, message((1, 1), (3, 4)))))],
        [(60, message((1, 11), (12, 5), (4, message((1, 1), (2, 2), (3, 6)))))]'
    packets p.pftrace "[[(60, message((1, 0), (19, 1), (20, 1)))], $tasks]"
    tm-merge -q -o p.db p.pftrace
    same "SELECT a.key, a.display_value FROM args a ORDER BY 1" $'process_sort_index_hint|3\nthread_sort_index_hint|5'
    packets p.pftrace "[$tasks]"
    tm-merge -q -o p.db p.pftrace
    same "SELECT count(*) FROM args" 0
}

@test "the reason why a process stopped heap profiling is stated" {
    packets p.pftrace '[[(6, message((1, message((1, 4), (2, 1))), (1, message((1, 6), (2, 1)))))],
        [(8, 5), (10, 1), (37, message((5, message((1, 42), (9, 5), (14, 2))), (7, 0)))]]'
    tm-merge -q -o p.db p.pftrace
    same "SELECT name, idx, severity, source, value FROM stats WHERE value ORDER BY name" \
        $'heapprofd_client_error|42|error|trace|2\nheapprofd_last_profile_timestamp|42|info|trace|5'
}

@test "statistics of the model have the severity of the reference" {
    echo '[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":9,"name":"a"},{"ph":"t","pid":1,"tid":1,"ts":2,"id":1,"cat":"c","name":"f"},
        {"ph":"f","bp":"e","pid":1,"tid":1,"ts":3,"id":2,"cat":"c","name":"f"},{"ph":"s","pid":1,"tid":2,"ts":3,"id":3,"cat":"c","name":"f"},
        {"ph":"E","pid":1,"tid":3,"ts":4}]' >p.json
    tm-merge -q -o p.db p.json
    same "SELECT name, severity, source, value FROM stats WHERE value ORDER BY name" 'flow_end_without_start|info|trace|1
flow_no_enclosing_slice|error|trace|1
flow_step_without_start|info|trace|1
tm_slice_end_without_begin|info|analysis|1'
}

@test "ftrace_latest_data_start_ns is the time from which data of all cpus exists" {
    # The first bundle of each cpu counts; the older field is used only if the newer one is absent.
    packets p.pftrace '[[(6, message((1, message((1, 6), (2, 1000))), (1, message((1, 5), (2, 400)))))],
        [(8, 2000), (10, 1), (1, message((1, 0), (9, 1700), (10, 1100)))], [(8, 2000), (10, 1), (1, message((1, 1), (9, 1300)))],
        [(8, 2000), (10, 1), (1, message((1, 2), (10, 0)))], [(8, 2000), (10, 1), (1, message((1, 3)))],
        [(8, 2000), (10, 1), (1, message((1, 1), (10, 1900)))], [(8, 2000), (10, 1), (1, message((1, 3), (10, 1900)))]]'
    tm-merge -o p.db p.pftrace
    latest="SELECT int_value, machine_id IS NULL, trace_id IS NULL FROM metadata WHERE name = 'ftrace_latest_data_start_ns'
        ORDER BY 1"
    same "$latest" '1300|0|0'
    tm-merge -o m.pftrace -o both.db p.pftrace
    tm-merge -o n.pftrace p.pftrace
    cmp m.pftrace n.pftrace
}

@test "a recording into a file without a flush of its producers is counted" {
    local counts="SELECT idx, severity, source, value FROM stats WHERE name = 'config_write_into_file_no_flush'"
    no_flush() { # CONFIG_FIELDS VERSION
        packets p.pftrace "[[(8, 5), (10, 1), (33, message((1, message((1, 10))), $1))], [(10, 1), (45, message((4, '$2')))]]"
        tm-merge -q -o p.db p.pftrace
        sqlite3 p.db "$counts"
    }
    [ "$(no_flush '(8, 1)' 'Perfetto v53.0-abc')" = '|error|trace|1' ]
    [ "$(no_flush '(8, 1)' 'other')" = '|error|trace|1' ]
    [ "$(no_flush '(8, 1)' 'Perfetto v54.0-abc')" = '' ]
    [ "$(no_flush '(8, 1), (13, 5000)' 'Perfetto v53.0-abc')" = '' ]
    [ "$(no_flush '(8, 0)' 'Perfetto v53.0-abc')" = '' ]
}

@test "unknown fields of track events are counted, inside other messages too" {
    packets p.pftrace "[[(10, 1), (13, 1), (60, message((1, 1), (2, 't')))],
        [(10, 1), (8, 10), (11, message((9, 3), (11, 1), (23, 'a'), (7, 1), (5000, 2), (1000, 1)))],
        [(10, 1), (8, 20), (11, message((9, 3), (11, 1), (23, 'b'), (25, message((1, 'x'), (77, 5)))))],
        [(10, 1), (8, 30), (11, message((9, 3), (11, 1), (23, 'b'), (25, message((1, 'x'), (77, 5)))))]]"
    tm-merge -q -o p.db p.pftrace
    same "SELECT severity, source, value FROM stats WHERE name = 'unknown_extension_fields'" 'error|trace|4'
}

@test "refused extra values are counted by cause, and sums have the values before one that is refused" {
    # Track 5 counts increments. 31: tracks, 12: values.
    packets p.pftrace "[[(10, 1), (13, 1), (60, message((1, 5), (2, 'c'), (8, message((5, 1)))))]] + [
        [(10, 1), (8, 10), (11, message((9, 3), (11, 0), *((31, track) for track in tracks), *((12, 1) for _ in range(count))))]
        for tracks, count in (([], 1), ([0], 1), ([5] * 9, 9), ([7], 1), ([5], 2), ([5, 7], 2))] + [
        [(10, 1), (8, 20), (11, message((9, 4), (11, 5), (30, 100)))]]"
    tm-merge -q -o p.db p.pftrace
    same "SELECT name, severity, source, value FROM stats WHERE value ORDER BY name" \
        'track_event_extra_counter_exceeds_max|error|analysis|1
track_event_extra_counter_invalid_track|error|analysis|3
track_event_extra_counter_missing_track_uuids|error|analysis|1
track_event_extra_counter_track_uuid_mismatch|error|analysis|1'
    same "SELECT ts, value FROM counter" '20|110.0' # 8, 1 and 1 of the refused events
    same "SELECT count(*) FROM slice" 0
}

@test "legacy events with a flow but no id or direction, and relative ones without a base, are counted" {
    # 6: legacy_event; 2: its phase, 8: bind_id, 13: direction; 2 and 8 of the event: thread time and instructions.
    packets p.pftrace "[[(10, 1), (13, 1), (44, message((1, 5), (2, 6)))]] + [
        [(10, 1), (13, 2), (8, 10), (11, message((23, 'e'), (6, message(*fields))))] for fields in (
            [(2, ord('s'))], [(2, ord('f')), (10, 3)], [(2, ord('B')), (8, 4)], [(2, ord('i')), (8, 4), (13, 0)],
            [(2, ord('E')), (8, 4)])] + [[(10, 2), (13, 1)]] + [
        [(10, 2), (13, 2), (8, 10), (11, message((9, 3), (23, 'e'), delta))] for delta in ((1, 1), (2, 1), (8, 1))]"
    tm-merge -q -o p.db p.pftrace
    same "SELECT name, severity, source, value FROM stats WHERE value ORDER BY name" \
        'flow_invalid_id|error|trace|2
flow_without_direction|error|trace|2
track_event_parser_errors|info|analysis|2
track_event_skipped_thread_instruction_delta_without_valid_state|notice|analysis|1
track_event_skipped_thread_time_delta_without_valid_state|notice|analysis|1
track_event_skipped_timestamp_delta_without_valid_state|notice|analysis|1'
}

@test "the version of Android's API follows from the release in the fingerprint, if the packet does not state it" {
    sdk() { # FIELDS_OF_SYSTEM_INFO
        packets p.pftrace "[[(45, message($1))]]"
        tm-merge -q -o p.db p.pftrace
        sqlite3 p.db "SELECT (SELECT int_value FROM metadata WHERE name = 'android_sdk_version'), android_sdk_version FROM machine"
    }
    [ "$(sdk '(2, "a/b/c:11/RP1A.2/G9:user/keys")')" = '30|30' ]
    [ "$(sdk '(2, "a/b/c:5.0.2/RP1A.2/G9:user/keys")')" = '21|21' ]
    [ "$(sdk '(2, "a/b/c:Tiramisu/T1/G9:user/keys")')" = '31|31' ]
    [ "$(sdk '(5, 33), (2, "a/b/c:11/RP1A.2/G9:user/keys")')" = '33|33' ]
    [ "$(sdk '(2, "a/b/c:14/UP1A/G9:user/keys")')" = '|' ]
    [ "$(sdk '(2, "a/b/c:11/RP1A.2/G9")')" = '|' ]
}

@test "a trace without an identity is named by a hash of its first bytes, as in the reference" {
    uuid() { sqlite3 "$1" "SELECT key_type, machine_id, trace_id, str_value FROM metadata WHERE name = 'trace_uuid'"; }
    of_head() { # FILE
        python3 -c 'import sys
h = 0xcbf29ce484222325
for b in open(sys.argv[1], "rb").read(4096):
    h = (h ^ b) * 0x100000001b3 % 2**64
h = "%016x" % h
print("single|||00000000-0000-0000-%s-%s" % (h[:4], h[4:]))' "$1"
    }
    printf '[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":9,"name":"%4100d"}]' 0 >long.json
    echo '[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":9,"name":"a"}]' >short.json
    tar cf both.tar long.json short.json
    gzip -kn long.json
    for file in long.json short.json both.tar long.json.gz; do
        tm-merge -q -o p.db $file
        [ "$(uuid p.db)" = "$(of_head $file)" ] || { uuid p.db; of_head $file; false; }
    done
    tm-merge -q -o p.db long.json short.json
    [ "$(uuid p.db)" = '' ]
}

@test "packets that lost their state are noticed, and overwritten events of a cpu are no error, as in the reference" {
    packets p.pftrace '[[(10, 1), (8, 1), (13, 2), (11, message((9, 3), (23, "e")))],
        [(10, 2), (8, 2), (12, message((2, message((1, 1), (2, "n")))))], [(10, 2), (44, message((1, 5), (2, 6)))],
        [(10, 3), (13, 1)], [(10, 3), (11, message((9, 3), (1, 5), (23, "d")))],
        [(34, message((1, 1), (2, message((1, 3), (3, 1))), (9, 12)))], [(34, message((1, 2), (2, message((1, 3), (3, 4)))))]]'
    tm-merge -q -o p.db p.pftrace
    same "SELECT name, severity, source, value, description IS NOT NULL FROM stats WHERE value != 0 AND
        name NOT LIKE 'ftrace_cpu_overrun_%n%d%' AND name NOT LIKE '%_begin' ORDER BY name" \
        'ftrace_abi_errors_skipped_zero_data_length|info|analysis|1|1
ftrace_cpu_overrun_delta|info|trace|3|1
interned_data_skipped_incremental_state_invalid|notice|analysis|1|1
packet_skipped_seq_needs_incremental_state_invalid|notice|analysis|1|1
thread_descriptor_skipped_incremental_state_invalid|notice|analysis|1|1
track_event_skipped_timestamp_delta_without_valid_state|notice|analysis|1|1'
    tm-merge -q -f report p.pftrace | grep -q 'packet_skipped_seq_needs_incremental_state_invalid = 1 (notice'
}

@test "state of a sequence that a packet does not name is not used, and counted, as in the reference" {
    packets p.pftrace '[[(6, message((1, message((1, 6), (2, 1000))), (1, message((1, 3), (2, 400)))))],
        [(13, 1), (59, message((58, 3)))], [(42, 1)], [(41, 1), (42, 1), (98, 7)], [(12, message((2, message((1, 1), (2, "n")))))],
        [(44, message((1, 5), (2, 6)))], [(8, 1500), (2, message((2, message((1, 6), (2, "t"), (3, 5)))))],
        [(8, 1600), (11, message((9, 3), (23, "e")))]]'
    tm-merge -q -o p.db p.pftrace
    same "SELECT name, severity, source, value, machine_id, description IS NOT NULL FROM stats
        WHERE name LIKE '%sequence%' ORDER BY name, machine_id" \
        'incremental_state_cleared_missing_sequence_id|error|analysis|1|0|1
incremental_state_cleared_missing_sequence_id|error|analysis|1|1|1
interned_data_missing_sequence_id|error|analysis|1|0|1
previous_packet_dropped_missing_sequence_id|error|analysis|1|0|1
thread_descriptor_missing_sequence_id|error|analysis|1|0|1
trace_packet_defaults_missing_sequence_id|error|analysis|1|0|1
track_event_missing_sequence_id|error|analysis|1|0|1'
    tm-merge -q -o m.pftrace p.pftrace
    tm-merge -q -o p.db m.pftrace
    same "SELECT name, int_value FROM metadata WHERE name LIKE '%missing_sequence_id' ORDER BY name" \
        'trace_attribute.tracemerge.file.0.stat.incremental_state_cleared_missing_sequence_id|1
trace_attribute.tracemerge.file.0.stat.incremental_state_cleared_missing_sequence_id|1
trace_attribute.tracemerge.file.0.stat.interned_data_missing_sequence_id|1
trace_attribute.tracemerge.file.0.stat.previous_packet_dropped_missing_sequence_id|1
trace_attribute.tracemerge.file.0.stat.trace_packet_defaults_missing_sequence_id|1
trace_attribute.tracemerge.file.0.stat.track_event_missing_sequence_id|1'
}

# The expected row is the reference importer's. The recorder of the second session stopped, at a reading of MONOTONIC.
@test "when perf's recorder stopped by itself is a statistic of its session" {
    python3 "$TM_SRC/t/gen/make-packets.py" >p.pftrace <<'END'
1 { 10: 1 6 { 1 { 1: 6 2: 1000 } 1 { 1: 3 2: 500 } } }
1 { 10: 3 13: 1 8: 1000 66 { 1: 2 2: 5 3: 6 5: 2 6: 100 } }
1 { 10: 4 13: 1 8: 1000 66 { 1: 2 2: 5 3: 6 5: 2 6: 100 } }
1 { 10: 4 8: 2000 58: 3 66 { 19 { 1: 1 } } }
1 { 10: 3 8: 2100 66 { 19 { 1: 0 } } }
END
    tm-merge -q -o p.db p.pftrace
    same_text "$(sqlite3 p.db "SELECT name, idx, severity, source, value, description IS NOT NULL FROM stats
        WHERE name GLOB 'perf_*'")" 'perf_guardrail_stop_ts|1|data_loss|trace|2500|1'
}

# The expected rows are the reference importer's.
@test "of attributes of a trace that have one name, the last value counts" {
    packets p.pftrace '[[(126, message((1, message((1, "a"), (2, 5))), (1, message((1, "b"), (3, "x")))))],
        [(126, message((1, message((1, "c"), (3, "y"))), (1, message((1, "a"), (3, "z")))))],
        [(98, 7), (126, message((1, message((1, "a"), (2, 6)))))]]'
    tm-merge -q -o p.db p.pftrace
    same "SELECT name, int_value, str_value, machine_id FROM metadata WHERE name GLOB 'trace_attribute.*' ORDER BY id" \
        'trace_attribute.a||z|0
trace_attribute.b||x|0
trace_attribute.c||y|0
trace_attribute.a|6||1'
}

# The expected rows are the reference importer's.
@test "counters of slabs have the numbers of slabs and of their pages as args" {
    packets p.pftrace '[[(10, 1), (45, message((6, 4096)))],
        [(8, 1000), (10, 1), (7, message((18, message((1, "dentry"), (2, 4), (3, 10))), (4, 9)))],
        [(8, 2000), (10, 1), (7, message((18, message((1, "dentry"), (2, 4), (3, 11)))))]]'
    tm-merge -q -o p.db p.pftrace
    same "SELECT ts, value, key, value_type, display_value FROM counter JOIN args USING (arg_set_id) ORDER BY ts, key" \
        '1000|163840.0|num_slabs|uint|10
1000|163840.0|pages_per_slab|uint|4
2000|180224.0|num_slabs|uint|11
2000|180224.0|pages_per_slab|uint|4'
}

# The expected numbers are the reference importer's.
@test "losses of perf, errors of the setup, and values without a meaning are counted" {
    packets p.pftrace '[[(6, message((1, message((1, 6), (2, 1000))), (1, message((1, 3), (2, 400)))))],
        [(10, 1), (8, 1500), (66, message((1, 3), (17, 5)))], [(10, 1), (8, 1500), (66, message((1, 3), (17, 2)))],
        [(10, 1), (8, 1500), (66, message((1, 4), (17, 1)))], [(10, 1), (8, 1600), (66, message((3, 7), (2, 7), (18, 1)))],
        [(10, 1), (8, 1600), (66, message((3, 7), (2, 7), (18, 2)))], [(10, 1), (8, 1600), (66, message((3, 7), (2, 7), (18, 3)))],
        [(10, 1), (8, 1600), (66, message((3, 7), (2, 7), (18, 4)))],
        [(10, 2), (34, message((1, 1), (5, "no"), (6, "a/b"), (6, "c/d"), (7, "e/f")))], [(10, 2), (34, message((1, 1), (6, "g")))],
        [(10, 3), (34, message((1, 1), (13, "x")))], [(10, 3), (34, message((1, 2), (6, "end")))],
        [(67, b"")], [(67, message((1, message((1, "A"), (5, 9)))))],
        [(8, 1700), (7, message((1, message((1, 999), (2, 1))), (2, message((1, 999), (2, 1))), (14, message((1, 99), (2, 1))),
            (3, message((2, 1)))))], [(8, 1700), (9, message((1, message((1, 5), (99, 1)))))],
        [(10, 1), (8, 1700), (40, message((1, message((1, 1), (2, "r")))))], [(8, 1700), (91, message((1, message((2, 1)))))],
        [(8, 1700), (77, message((1, message((1, message((4, "n")))))))], [(5, message((2, message((1, "m")))))],
        [(47, message((2, 1), (3, 1)))], [(83, message((3, 1)))],
        [(1, message((1, 0), (2, message((1, 1700), (2, 7), (328, message((1, 1), (4, 99)))))))]]'
    tm-merge -q -o p.db p.pftrace
    same "SELECT name, idx, severity, source, value, description IS NOT NULL FROM stats WHERE value != 0 AND name NOT GLOB 'ftrace_cpu*'
        ORDER BY name, idx" \
        'cpu_info_empty||error|analysis|1|1
cpu_info_unknown_cpu_features||info|analysis|1|1
empty_chrome_metadata||error|trace|1|1
energy_descriptor_invalid||error|analysis|2|1
entity_state_residency_invalid||error|analysis|1|1
ftrace_setup_errors||notice|trace|5|1
game_intervention_has_read_errors||error|trace|1|1
invalid_cpu_times||error|analysis|1|1
meminfo_unknown_keys||error|analysis|1|1
mm_unknown_type||error|analysis|1|1
packages_list_has_parse_errors||error|trace|1|1
packages_list_has_read_errors||error|trace|1|1
perf_cpu_lost_records|3|data_loss|trace|7|1
perf_cpu_lost_records|4|data_loss|trace|1|1
perf_samples_skipped||error|analysis|2|1
perf_samples_skipped_dataloss||data_loss|trace|1|1
power_rail_empty_packet||error|analysis|1|1
proc_stat_unknown_counters||error|analysis|1|1
psi_unknown_resource||error|analysis|1|1
vmstat_unknown_keys||error|analysis|1|1'
}

@test "each statistic that a parser or the model counts has a description, and the table of them is sorted" {
    cd "$TM_SRC/lib"
    sed -n 's/^    {"\([a-z0-9_]*\)", \(OF\|IS\)_.*/\1/p' emit/stat_words.c >"$BATS_TEST_TMPDIR/described"
    LC_ALL=C sort -uc "$BATS_TEST_TMPDIR/described"
    python3 - >"$BATS_TEST_TMPDIR/counted" <<'END'
import pathlib, re
for path in pathlib.Path('.').rglob('*.c'):
    text = path.read_text()
    for shape in r'"([a-z0-9_]+)",\s*TRACEMERGE__SEVERITY__', r'\{TM_DROP_\w+, "([a-z0-9_]+)"\}', r'\[TM_MODEL_\w+\] = "([a-z0-9_]+)"':
        print(*re.findall(shape, text), sep='\n')
END
    cd "$BATS_TEST_TMPDIR"
    grep . counted | sort -u >names
    [ "$(wc -l <names)" -gt 120 ]
    sort described | comm -13 - names >missing
    cat missing
    [ ! -s missing ]
}
