# Packets of Android's services, of GPU drivers and of Perfetto itself that are slices or counters. The expected rows are
# the reference importer's.

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
}

# packets: makes x.pftrace of the packets on standard input (t/gen/make-packets.py), and x.db of it.
packets() {
    {
        echo '1 { 10: 1 6 { 1 { 1: 6 2: 1 } } }'
        cat
    } | python3 "$TM_SRC/t/gen/make-packets.py" >x.pftrace
    tm-merge -q -o x.db x.pftrace
}

slices() {
    sqlite3 x.db "SELECT s.ts, s.dur, t.type, t.name, ifnull(s.name, 'NULL'), ifnull((SELECT group_concat(key || '=' ||
        display_value, ' ') FROM args a WHERE a.arg_set_id = s.arg_set_id), '') FROM slice s JOIN track t
        ON t.id = s.track_id ORDER BY s.ts, s.id"
}

counters() {
    sqlite3 x.db "SELECT c.ts, t.type, t.name, c.value, (SELECT group_concat(key || '=' || display_value, ' ') FROM args a
        WHERE a.arg_set_id = t.dimension_arg_set_id) FROM counter c JOIN track t ON t.id = c.track_id ORDER BY c.ts, c.id"
}

stat() {
    sqlite3 x.db "SELECT name, value, severity, source FROM stats WHERE value != 0 ORDER BY name"
}

# stays FUNCTION WANT: FUNCTION prints WANT of x.db, of a database that is written beside a merged trace, and of databases
# of merged traces.
stays() {
    same_text "$($1)" "$2"
    tm-merge -q -o m.pftrace -o both.db x.pftrace
    tm-merge -q -o alone.pftrace x.pftrace
    mv both.db x.db
    same_text "$($1)" "$2"
    for trace in m alone; do
        tm-merge -q -o x.db $trace.pftrace
        same_text "$($1)" "$2"
    done
}

# sources: the args of the source of each track with counters.
sources() {
    sqlite3 x.db "SELECT t.name, group_concat(a.key || '=' || ifnull(a.display_value, 'NULL'), ' ') FROM counter_track t
        JOIN args a ON a.arg_set_id = t.source_arg_set_id GROUP BY t.id ORDER BY t.id"
}

@test "packets of the network are slices of an interface and a direction, by the name of the app" {
    packets <<'END'
1 { 10: 1 47 { 1 { 1: "com.app" 2: 10123 } 1 { 1: "com.same" 2: 10123 } } }
1 { 8: 1000 10: 1 88 { 1: 1 2: "wlan0" 3: 60 4: 1010123 5: 255 6: 6 7: 18 8: 5000 9: 443 } }
1 { 10: 2 13: 1 12 { 30 { 1: 7 2 { 1: 2 2: "wlan0" 4: 1000 6: 58 10: 3 11: 1 } } } }
1 { 8: 2000 10: 2 13: 2 92 { 1: 7 3 [ 0 500 ] 4 [ 40 41 ] } }
1 { 8: 3000 10: 2 13: 2 92 { 2 { 1: 1 2: "wlan0" 6: 47 } 5: 3 6: 800 7: 900 } }
1 { 8: 3100 10: 2 13: 2 92 { 2 { 1: 1 2: "wlan0" 6: 17 } 5: 2 6: 100 7: 80 } }
1 { 8: 4000 10: 2 13: 2 92 { 1: 8 5: 1 7: 90 } }
END
    same_text "$(slices)" "1000|0|network_packets|wlan0 Received|com.app|packet_transport=IPPROTO_TCP socket_uid=1010123 socket_tag=0xff packet_tcp_flags=.s..a... local_port=5000 remote_port=443 packet_length=60 packet_count=1
2000|0|network_packets|wlan0 Transmitted|uid=1000|packet_transport=IPPROTO_ICMPV6 socket_uid=1000 socket_tag=0x0 packet_icmp_type=3 packet_icmp_code=1 packet_length=40 packet_count=1
2500|0|network_packets|wlan0 Transmitted|uid=1000|packet_transport=IPPROTO_ICMPV6 socket_uid=1000 socket_tag=0x0 packet_icmp_type=3 packet_icmp_code=1 packet_length=41 packet_count=1
3000|800|network_packets|wlan0 Received|uid=0|packet_transport=IPPROTO (47) socket_uid=0 socket_tag=0x0 packet_length=900 packet_count=3
3100|100|network_packets|wlan0 Received|uid=0|packet_transport=IPPROTO_UDP socket_uid=0 socket_tag=0x0 packet_length=80 packet_count=2
4000|0|network_packets| DIR_UNKNOWN|uid=0|packet_transport=IPPROTO (0) socket_uid=0 socket_tag=0x0 packet_length=90 packet_count=1"
    same_text "$(sqlite3 x.db "SELECT t.name, group_concat(a.key || '=' || a.display_value, ' ') FROM track t
        JOIN args a ON a.arg_set_id = t.dimension_arg_set_id WHERE t.type = 'network_packets' GROUP BY t.id ORDER BY t.id")" \
"wlan0 Received|net_interface=wlan0 net_direction=Received track_compressor_idx=0
wlan0 Transmitted|net_interface=wlan0 net_direction=Transmitted track_compressor_idx=0
wlan0 Received|net_interface=wlan0 net_direction=Received track_compressor_idx=1
 DIR_UNKNOWN|net_interface= net_direction=DIR_UNKNOWN track_compressor_idx=0"
    same_text "$(stat)" 'network_trace_intern_errors|1|info|analysis'
}

@test "memory of Vulkan is summed up by process, in order of time" {
    # An event without a time of its own is at the time of its packet.
    packets <<'END'
1 { 8: 1000 10: 2 62 { 1: 1 2: 1 3: 1000 4: 7 6: 100 8: 2 } }
1 { 8: 1500 10: 2 62 { 1: 1 2: 1 4: 8 6: 5 8: 2 } }
1 { 8: 2000 10: 2 62 { 1: 3 2: 1 3: 1999 4: 7 6: 4096 18: 3 } }
1 { 8: 4000 10: 2 62 { 1: 1 2: 2 3: 4000 4: 7 6: 100 8: 2 } }
1 { 8: 3000 10: 2 62 { 1: 1 2: 1 3: 3000 4: 7 6: 20 8: 2 } }
1 { 8: 5000 10: 2 62 { 1: 4 2: 3 3: 5000 4: 7 6: 64 18: 3 } }
1 { 8: 5100 10: 2 62 { 1: 5 2: 3 3: 5100 4: 7 6: 8 18: 3 } }
1 { 8: 5200 10: 2 62 { 1: 5 2: 4 3: 5200 4: 7 6: 80 18: 3 } }
1 { 8: 6000 10: 2 62 { 1: 1 2: 1 3: 6000 4: 7 6: 1 } }
1 { 8: 6100 10: 2 62 { 1: 2 2: 1 3: 6100 4: 7 6: 1 8: 2 } }
1 { 8: 6200 10: 2 62 { 1: 3 2: 3 3: 6200 4: 7 6: 1 18: 3 } }
END
    driver='vulkan_driver_mem|vulkan.mem.driver.scope.OBJECT' scope=vulkan_allocation_scope=OBJECT
    bound='vulkan_device_mem_bind|vulkan.mem.device.memory.type.3.bind' type=vulkan_memory_type=3
    want="1000|$driver|100.0|upid=1 $scope
1500|$driver|5.0|upid=2 $scope
1999|vulkan_device_mem_allocation|vulkan.mem.device.memory.type.3.allocation|4096.0|upid=1 $type
3000|$driver|120.0|upid=1 $scope
4000|$driver|20.0|upid=1 $scope
5000|$bound|64.0|upid=1 $type
5100|$bound|72.0|upid=1 $type
5200|$bound|-8.0|upid=1 $type"
    stays counters "$want"
}

@test "a merged trace has the packets of the network as they were recorded" {
    packets <<'END'
1 { 10: 2 13: 1 12 { 30 { 1: 7 2 { 1: 2 2: "wlan0" 4: 1000 } } } }
1 { 8: 2000 10: 2 13: 2 92 { 1: 7 3 [ 0 500 ] 4 [ 40 41 ] } }
1 { 8: 3000 10: 2 84 { 1 { 10 { 2: 5 } } 2: 2900 } }
END
    before=$(slices)
    [ "$before" ]
    stays slices "$before"
}

@test "atoms of statsd are instants at their own times, with their names" {
    packets <<'END'
1 { 8: 3000 10: 1 84 { 1 { 10 { 1: 7 2: "tag" 3: 1.5 } } 1 { 123456 { 1: "\x01" } } 1 { 90001 { 5: 0x3fc00000 } } 2: 2900 2: 3500 } }
END
    same_text "$(slices)" '2900|0|statsd_atoms|Statsd Atoms|wakelock_state_changed|field_1=7 field_2=tag field_3_assuming_double=1.5
3000|0|statsd_atoms|Statsd Atoms|atom_90001|field_5_assuming_float=1.5
3500|0|statsd_atoms|Statsd Atoms|atom_123456|field_1=AQ=='
    same_text "$(stat)" 'atom_timestamp_missing|1|error|trace
atom_unknown|1|info|analysis'
}

@test "wakelocks of apps are slices, paired by all that is known of them" {
    packets <<'END'
1 { 10: 2 13: 1 12 { 42 { 1: 1 2: "job" 3: 1 4: 77 5: 10001 } 42 { 1: 2 2: "job" 3: 1 4: 78 5: 10001 6: 10002 } } }
1 { 8: 1000 10: 2 13: 2 116 { 1 [ 1 2 1 2 9 ] 2 [ 1 201 400 600 801 ] } }
END
    same_text "$(slices)" '1000|200|app_wakelock_events|app_wakelock_events|job|flags=1 owner_pid=77 owner_uid=10001
1100|200|app_wakelock_events|app_wakelock_events|job|flags=1 owner_pid=78 owner_uid=10001 work_uid=10002'
    same_text "$(stat)" 'app_wakelock_unknown_id|1|error|analysis'
}

@test "system properties, Bluetooth, GPU logs and submissions of Vulkan" {
    packets <<'END'
1 { 8: 1000 10: 1 86 { 1 { 1: "debug.tracing.screen_state" 2: "2" } 1 { 1: "debug.tracing.device_state" 2: "OPEN" }
    1 { 1: "debug.tracing.mcc" 2: "262" } 1 { 1: "debug.tracing.battery_stats.audio" 2: "1" }
    1 { 1: "debug.tracing.plug_type" 2: "x" } 1 { 1: "debug.tracing.battery_status" 2: "3" } 1 { 1: "other" 2: "3" } } }
1 { 8: 2000 10: 1 114 { 1: 3 2: 5 3: 900 4: 700 8: 0 } }
1 { 8: 3000 10: 1 63 { 1: 4 2: "drv" 3: "slow" } }
1 { 8: 3500 10: 1 63 { 1: 9 } }
1 { 8: 4000 10: 1 65 { 2 { 1: 50 2: 11 3: 12 5: 70 5: 71 6: 3 } } }
END
    same_text "$(slices)" '1000|0|android_device_state|DeviceStateChanged|OPEN|
2000|700|bluetooth_trace_event|BluetoothTraceEvent|BluetoothTraceEvent|TracePacketType=HCI_ACL_RX Count=5 Length=900 Handle=0
3000|0|gpu_log|GPU Log|WARNING|tag=drv message=slow
3500|0|gpu_log|GPU Log|UNKNOWN_SEVERITY|
4000|50|vulkan_events|Vulkan Events|vkQueueSubmit|pid=11 tid=12 command_buffer=70 command_buffers[0]=70 command_buffers[1]=71 submission_id=3'
    same_text "$(sqlite3 x.db 'SELECT s.name, k.name, k.scope, k.context_id IS NULL FROM gpu_slice s JOIN gpu_track k
        ON k.id = s.track_id ORDER BY s.ts')" 'WARNING|GPU Log|gpu_log|1
UNKNOWN_SEVERITY|GPU Log|gpu_log|1
vkQueueSubmit|Vulkan Events|vulkan_events|1'
    same_text "$(counters)" '1000|screen_state|ScreenState|2.0|
1000|sysprop_counter|mcc|262.0|sysprop_name=debug.tracing.mcc
1000|battery_stats|battery_stats.audio|1.0|counter_key=battery_stats.audio
1000|sysprop_counter|BatteryStatus|3.0|sysprop_name=debug.tracing.battery_status'
}

@test "estimates of energy are counters of a consumer, and of apps" {
    packets <<'END'
1 { 10: 1 77 { 1 { 1 { 1: 4 2: 0 3: "CPU" 4: "CPUCL0" } 2 { 1: 5 2: 0 3: "no field of consumers" } } } }
1 { 8: 1000 10: 1 77 { 2: 4 3: 500 4 { 1: 10001 2: 300 } 4 { 1: 10002 } } }
1 { 8: 2000 10: 1 77 { 2: 5 3: 500 } }
END
    same_text "$(counters)" '1000|android_energy_estimation_breakdown|CPUCL0|500.0|energy_consumer_id=4
1000|android_energy_estimation_breakdown_per_uid|CPUCL0|300.0|energy_consumer_id=4 uid=10001'
    same_text "$(sources)" 'CPUCL0|consumer_type=CPU ordinal=0'
    same_text "$(stat)" 'energy_breakdown_missing_values|1|error|analysis
energy_uid_breakdown_missing_values|1|error|analysis'
}

@test "rails of two sessions have tracks of their own" {
    packets <<'END'
1 { 8: 900 10: 1 40 { 1 { 1: 1 2: "S2M_VDD_CPUCL2" } 3: 7 } }
1 { 8: 901 10: 1 40 { 1 { 1: 1 2: "S2M_VDD_CPUCL2" } 3: 8 } }
1 { 8: 1000 10: 1 40 { 2 { 1: 1 3: 10 } 3: 7 } }
1 { 8: 1100 10: 1 40 { 2 { 1: 1 3: 20 } 2 { 1: 6 3: 1 } 3: 8 } }
END
    same_text "$(counters)" '1000|power_rails|power.rails.cpu.big|10.0|name=S2M_VDD_CPUCL2 session_uuid=7
1100|power_rails|power.rails.cpu.big|20.0|name=S2M_VDD_CPUCL2 session_uuid=8'
    same_text "$(sqlite3 x.db 'SELECT count(DISTINCT track_id) FROM counter')" 2
    same_text "$(stat)" 'power_rail_empty_packet|2|error|analysis
power_rail_unknown_index|1|error|trace'
}

@test "a rail's track has the names of the rail and of its subsystem, and a reading the time of its packet" {
    packets <<'END'
1 { 10: 1 6 { 1 { 1: 6 2: 1000 } 1 { 1: 3 2: 400 } } }
1 { 10: 1 40 { 1 { 1: 1 2: "X_S_VDD_G3D" 3: "gpu" } 1 { 1: 2 2: "r" } 3: 7 } }
1 { 8: 2000 10: 1 58: 3 40 { 2 { 1: 1 2: 5 3: 10 } 2 { 1: 2 3: 11 } 3: 7 } }
END
    same_text "$(sources)" 'power.r_uws|raw_name=r subsystem_name=NULL
power.rails.gpu|raw_name=X_S_VDD_G3D subsystem_name=gpu'
    same_text "$(sqlite3 x.db 'SELECT c.ts, a.key, a.int_value FROM counter c JOIN args a USING (arg_set_id) ORDER BY c.ts')" \
        '2600|packet_ts|2600
5000000|packet_ts|2600'
}

@test "the apps of a device are rows, each name once" {
    packets <<'END'
1 { 10: 1 47 { 1 { 1: "com.a" 2: 10123 4: 1 5: 77 } 1 { 1: "com.b" 2: 10124 3: 1 } 1 { 2: 5 } } }
1 { 8: 1000 10: 1 47 { 1 { 1: "com.a" 2: 10999 } 1 { 1: "com.c" 2: 10125 } } }
END
    same_text "$(sqlite3 x.db "SELECT ifnull(package_name, 'NULL'), uid, debuggable, profileable_from_shell, version_code
        FROM package_list")" 'com.a|10123|0|1|77
com.b|10124|1|0|0
NULL|5|0|0|0
com.c|10125|0|0|0'
    tm-merge -q -o t/ x.pftrace
    same_text "$(head -2 t/package_list.csv | tr -d '\r')" \
        '"id","package_name","uid","debuggable","profileable_from_shell","version_code","machine_id","trace_file_id"
1,com.a,10123,0,1,77,0,0'
}

@test "processes of Android's runtime have the name, the user and the app that it states" {
    packets <<'END'
1 { 8: 1000 10: 1 131 { 1: 7 2: 10123 3: "com.a:remote" 4: "com.a" } }
1 { 8: 1100 10: 1 131 { 1: 8 3: "b" 4: "com.b" } }
1 { 8: 1200 10: 1 131 { 1: 9 2: 10125 3: "less than the tree" 4: "com.c" } }
1 { 8: 900 10: 1 2 { 1 { 1: 9 2: 1 3: "com.c:tree" } } }
END
    for db in x n; do
        tm-merge -q -o m.pftrace -o $db.db x.pftrace
        same_text "$(sqlite3 $db.db "SELECT pid, name, uid, (SELECT count(*) FROM thread t WHERE t.upid = p.upid AND tid = pid)
            FROM process p WHERE pid IN (7, 8, 9) ORDER BY pid")" '7|com.a:remote|10123|1
8|b||1
9|com.c:tree|10125|1'
        same_text "$(sqlite3 $db.db "SELECT package_name, uid, debuggable, profileable_from_shell, version_code
            FROM package_list ORDER BY id")" 'com.a|10123|0|0|0
com.c|10125|0|0|0'
        mv m.pftrace x.pftrace
    done
}

@test "wakelocks of the kernel and times of apps on cpus are sums, with a value only where it changes" {
    packets <<'END'
1 { 8: 1000 10: 2 13: 1 115 { 1 { 1: 1 2: "a" 3: 1 } 1 { 1: 2 2: "b" 3: 2 } 2 [ 1 2 ] 3 [ 5 6 ] } }
1 { 8: 2000 10: 2 13: 2 115 { 2 [ 1 ] 3 [ 1 ] } }
1 { 8: 3000 10: 2 13: 2 115 { 2 [ 2 9 ] 3 [ 4 1 ] 4: 3 } }
1 { 8: 4000 10: 3 13: 1 119 { 1: 2 2 [ 1000 1090123 ] 3 [ 10 20 30 40 ] } }
1 { 8: 5000 10: 3 13: 2 119 { 2 [ 1000 1090123 ] 3 [ 1 0 3 0 ] } }
END
    counters | sort >got
    sort >want <<'END'
1000|android_kernel_wakelock|a|5000000.0|wakelock_name=a wakelock_type=kernel
1000|android_kernel_wakelock|b|6000000.0|wakelock_name=b wakelock_type=native
2000|android_kernel_wakelock|a|6000000.0|wakelock_name=a wakelock_type=kernel
2000|android_kernel_wakelock|b|6000000.0|wakelock_name=b wakelock_type=native
3000|android_kernel_wakelock|b|10000000.0|wakelock_name=b wakelock_type=native
4000|android_cpu_per_uid_totals|CPU for System CL0|0.0|type=System cluster=0
4000|android_cpu_per_uid_totals|CPU for System CL1|0.0|type=System cluster=1
4000|android_cpu_per_uid_totals|CPU for Apps CL0|0.0|type=Apps cluster=0
4000|android_cpu_per_uid_totals|CPU for Apps CL1|0.0|type=Apps cluster=1
4000|android_cpu_per_uid|CPU for UID 1090000 CL0|0.0|uid=1090000 cluster=0
4000|android_cpu_per_uid|CPU for UID 1090000 CL1|0.0|uid=1090000 cluster=1
4000|android_cpu_per_uid|CPU for UID 1000 CL0|10.0|uid=1000 cluster=0
4000|android_cpu_per_uid|CPU for UID 1000 CL1|20.0|uid=1000 cluster=1
5000|android_cpu_per_uid_totals|CPU for System CL0|1.0|type=System cluster=0
5000|android_cpu_per_uid_totals|CPU for Apps CL0|3.0|type=Apps cluster=0
5000|android_cpu_per_uid|CPU for UID 1090000 CL0|3.0|uid=1090000 cluster=0
5000|android_cpu_per_uid|CPU for UID 1000 CL0|11.0|uid=1000 cluster=0
END
    diff -u want got
    same_text "$(sqlite3 x.db 'SELECT DISTINCT unit FROM track WHERE is_counter')" ms
    same_text "$(stat)" 'kernel_wakelock_non_monotonic_value_reported|1|info|trace
kernel_wakelock_unknown_id|1|error|analysis
kernel_wakelock_zero_value_reported|1|info|trace'
}

@test "numbers that are stated twice, states without a name and lost events of a cpu are counted" {
    packets <<'END'
1 { 8: 1000 10: 2 13: 1 115 { 1 { 1: 1 2: "a" 3: 1 } 1 { 1: 1 2: "b" 3: 2 } 2 [ 1 ] 3 [ 5 ] 4: 4 } }
1 { 8: 2000 10: 1 91 { 1 { 1: 0 2: 1 3: "modem" 4: "on" } 2 { 1: 0 2: 1 3: 5 } 2 { 1: 4 2: 1 3: 6 } } }
1 { 10: 3 1 { 1: 2 3: 1 } }
1 { 10: 3 1 { 1: 2 3: 1 } }
1 { 10: 3 1 { 1: 0 3: 1 } }
END
    same_text "$(counters)" '1000|android_kernel_wakelock|a|5000000.0|wakelock_name=a wakelock_type=kernel
2000|entity_state|Entity residency: modem is on|5.0|entity_name=modem state_name=on'
    same_text "$(sqlite3 x.db 'SELECT idx FROM stats WHERE name = "ftrace_cpu_has_data_loss" ORDER BY idx')" $'0\n2'
    same_text "$(stat)" 'entity_state_residency_lookup_failed|1|error|analysis
ftrace_cpu_has_data_loss|1|data_loss|trace
ftrace_cpu_has_data_loss|1|data_loss|trace
kernel_wakelock_implausibly_large_value_reported|1|info|trace
kernel_wakelock_reused_id|1|error|analysis'
}

@test "what Perfetto records about itself is slices and counters of its threads" {
    packets <<'END'
1 { 8: 1000 10: 1 49 { 1: 12 3: 500 5: 9 7 { 1: "k" 2: "v" } 7 { 1: "k" 4: 3 } 7 { 3: 4 2: "w" } 10 { 1: 3 2: "three" } } }
1 { 8: 1100 10: 1 49 { 11: 3 3: 50 5: 9 } }
1 { 8: 1200 10: 1 49 { 1: 99 3: 5 5: 9 } }
1 { 8: 2000 10: 1 49 { 2: 1 4: -3 5: 9 6: 1 } }
1 { 8: 2100 10: 1 49 { 9: "own" 4: 4 5: 9 7 { 1: "k" 2: "v" } } }
END
    same_text "$(slices)" '1000|500|thread_execution||READ_SYS_STATS|k[0]=v k[1]=three MISSING STRING=w
1100|50|thread_execution||three|
1200|5|thread_execution||Event 99|'
    same_text "$(sqlite3 x.db "SELECT DISTINCT category FROM slice")" metatrace
    same_text "$(counters)" '2000|metatrace_counter|FTRACE_PAGES_DRAINED|-3.0|utid=1 counter_name=FTRACE_PAGES_DRAINED
2100|metatrace_counter|own|4.0|utid=1 counter_name=own'
    same_text "$(stat)" 'metatrace_overruns|1|error|trace'
}

@test "in Chrome JSON slices on tracks without a thread are begins and ends of their track, nested as they were" {
    packets <<'END'
1 { 8: 3000 10: 2 13: 1 92 { 2 { 1: 1 2: "wlan0" 6: 47 } 5: 3 6: 800 7: 900 } }
1 { 8: 3100 10: 2 13: 2 92 { 2 { 1: 1 2: "wlan0" 6: 17 } 5: 2 6: 100 7: 80 } }
1 { 8: 3200 10: 2 13: 2 92 { 2 { 1: 2 2: "wlan0" 6: 17 } 5: 2 6: 50 7: 80 } }
END
    tm-merge -q -o x.json x.pftrace
    same_text "$(jq -r '[.traceEvents[] | select(.scope == "track")] | (map(.id) | min) as $least | .[] |
        "\(.ph) \(.ts) \(.name) \(.id - $least) \(.args != null)"' x.json)" \
"b 3 uid=0 0 true
e 3.8 uid=0 0 false
b 3.1 uid=0 0 true
e 3.2 uid=0 0 false
b 3.2 uid=0 1 true
e 3.25 uid=0 1 false"
    [ "$(jq '[.traceEvents[] | select(.ph == "X")] | length' x.json)" -eq 0 ]
    tm-merge -q -o again.db x.json
    same_text "$(sqlite3 again.db "SELECT ts, dur, name, depth FROM slice ORDER BY ts")" "3000|800|uid=0|0
3100|100|uid=0|1
3200|50|uid=0|0"
}

@test "wakelocks beyond the limit of sums are left out and counted, over all sequences of a file" {
    {
        echo '1 { 10: 1 6 { 1 { 1: 6 2: 1 } } }'
        for sequence in 1 2; do
            printf '1 { 8: 1000 10: %s 13: 1 115 {' "$sequence"
            seq 1 20000 | sed "s/.*/ 1 { 1: & 2: \"lock $sequence &\" }/"
            echo ' 2: 20000 3: 7 } }'
        done
    } | python3 "$TM_SRC/t/gen/make-packets.py" >x.pftrace
    tm-merge -q -o x.db x.pftrace
    # 65,536 numbers and sums are 32,768 wakelocks
    same_text "$(stat)" 'facts_beyond_limits|7232|data_loss|analysis
kernel_wakelock_unknown_id|1|error|analysis'
    same_text "$(counters)" '1000|android_kernel_wakelock|lock 1 20000|7000000.0|wakelock_name=lock 1 20000 wakelock_type=unknown'
}

@test "packets that state the values of many wakelocks again are left out beyond a limit, and counted" {
    {
        echo '1 { 8: 1000 58: 6 10: 1 13: 1 115 {'
        seq 1 8000 | sed 's/.*/ 1 { 1: & 2: "lock &" } 2: & 3: 7/'
        echo ' } }'
        for ((i = 1; i <= 1000; i++)); do
            echo "1 { 8: $((i + 1000)) 58: 6 10: 1 115 { 2: 1 3: 1 } }"
        done
    } | python3 "$TM_SRC/t/gen/make-packets.py" >x.pftrace
    tm-merge -q -o x.db x.pftrace
    # each packet states 8,000 values; 2,097,152 are allowed, and 8 for each byte of the file
    written=$(sqlite3 x.db "SELECT count(DISTINCT ts) FROM counter")
    [ "$written" -gt $((2097152 / 8000)) ]
    [ "$written" -le $(((2097152 + 8 * $(wc -c <x.pftrace)) / 8000)) ]
    same_text "$(stat)" "facts_beyond_limits|$((1001 - written))|data_loss|analysis"
}
