# tm-emit -f sqlite: metadata and stats of how traces were recorded. The expected rows are the reference importer's.

setup() {
    cd "$BATS_TEST_TMPDIR"
    export PYTHONDONTWRITEBYTECODE=1
}

packets() { # FILE EXPRESSION: a list of packets, each a list of (field, value)
    python3 - "$2" >"$1" <<'END'
import os, struct, sys
sys.path.insert(0, os.environ['TM_SRC'] + '/t/oracle')
from track_events import field, message

def double(number, value):
    return bytes([number << 3 | 1]) + struct.pack('<d', value)

for packet in eval(sys.argv[1]):
    sys.stdout.buffer.write(field(1, message(*packet)))
END
}

same() { # QUERY WANT
    local have
    have=$(sqlite3 p.db "$1")
    [ "$have" = "$2" ] || { diff <(echo "$2") <(echo "$have"); false; }
}

@test "moments of the recording are in trace time, and each flush is a row" {
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

@test "names are of a machine, of a file, of both or of neither, and have one value there" {
    packets a.pftrace '[[(45, message((2, "g/p/d:14/UP1A/1234:user/rel"), (4, "v1"), (16, 7600000000)))],
        [(6, message((1, message((1, 6), (2, 1000)))))], [(33, message((22, "one")))], [(8, 1100), (69, message((2, 1)))]]'
    packets b.pftrace '[[(45, message((4, "v2"), (1, message((1, "Linux"), (3, "6.1")))))], [(33, message((22, "two")))]]'
    tar cf p.tar a.pftrace b.pftrace
    tm-merge -o p.db p.tar
    same "SELECT m.name, m.int_value, m.str_value, m.machine_id, f.name FROM metadata m LEFT JOIN trace_file f
        ON f.id = m.trace_id WHERE m.name NOT LIKE 'trace_size%' ORDER BY m.name, f.name" \
        'android_build_fingerprint||g/p/d:14/UP1A/1234:user/rel|0|
android_incremental_build||1234|0|
system_name||Linux|0|
system_ram_bytes|7600000000||0|
system_ram_gb|8||0|
system_release||6.1|0|
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

@test "what Chrome says of itself, by instance" {
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

@test "numbers of ftrace by cpu, at start and end and in between" {
    packets p.pftrace '[[(34, message((1, 1), (2, message((1, 3), (2, 10), (3, 1)) + double(6, 1.5) + double(7, 2.25)),
        (10, message((1, 4), (2, 1)))))], [(34, message((1, 2), (2, message((1, 3), (2, 30), (3, 1), (9, 7)) + double(7, 4.5)),
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

@test "numbers of the service, its filter and its buffers; the last packet counts" {
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
