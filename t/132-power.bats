# Packets that are counters or instants of the device: power, screen, graphics memory, triggers.

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    cat >make.py <<'PY'
import struct, sys
sys.path.insert(0, sys.argv[1])
from wire import field, varint
neg = lambda v: v & (1 << 64) - 1


def packet(ts, number, body):
    return field(1, (field(8, ts) if ts else b'') + field(10, 1) + field(number, body))


def capacity(v):
    return varint(2 << 3 | 5) + struct.pack('<f', v)


def energy(index, uws, ms=None):
    return field(2, field(1, index) + (field(2, ms) if ms else b'') + field(3, uws))


b = field(1, field(6, field(1, field(1, 6) + field(2, 1000)) + field(1, field(1, 3) + field(2, 500))))
b += packet(2000, 38, field(1, 300) + capacity(87.5) + field(3, neg(-250000)) + field(4, neg(-240000)) + field(7, 4000000))
b += packet(3000, 38, field(5, b'dock') + field(6, 9000) + field(7, 4500000))
b += packet(0, 40, field(1, field(1, 1) + field(2, b'X_S_VDD_G3D')) + field(3, 77))
b += packet(4000, 40, field(1, field(1, 2) + field(2, b'other')) + field(3, 77) + energy(1, 10, 5) + energy(2, 20) + energy(9, 30))
b += packet(4500, 40, field(3, 77) + energy(2, 21, 6)) + packet(4600, 40, field(3, 78) + energy(2, 22))
b += packet(0, 91, field(1, field(1, 0) + field(2, 1) + field(3, b'cpu') + field(4, b'idle')))
b += packet(7000, 91, field(2, field(1, 0) + field(2, 1) + field(3, 123)) + field(2, field(1, 5) + field(3, 1)))
b += packet(8000, 70, field(1, 2))
b += packet(9000, 71, field(3, 1 << 20)) + packet(9100, 71, field(2, 42) + field(3, 4096))
b += packet(9500, 46, field(1, b'boom') + field(2, b'traced') + field(3, 9999)) + packet(9600, 113, field(1, b'clone'))
open('x.pftrace', 'wb').write(b)
PY
    python3 make.py "$TM_SRC/t/gen"
}

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
    cp "$BATS_FILE_TMPDIR/x.pftrace" .
}

counters() {
    sqlite3 "$1" "SELECT c.ts || ' ' || t.name || ' ' || c.value || ifnull(' ' || p.pid, '') FROM counter c JOIN track t ON t.id = c.track_id
        LEFT JOIN process p ON p.upid = t.upid ORDER BY c.ts, c.id"
}

@test "battery, power rails at their own times, residency, screen and graphics memory are counters" {
    tm-merge -o x.db x.pftrace
    same_text "$(sqlite3 x.db "SELECT t.name, group_concat(a.key || '=' || ifnull(a.display_value, 'NULL')) FROM track t
        JOIN args a ON a.arg_set_id = t.dimension_arg_set_id WHERE t.name IN ('batt.dock.charge_uah', 'batt.current.avg_ua')
        GROUP BY t.id ORDER BY t.name")" 'batt.current.avg_ua|battery_name=NULL,counter_name=current.avg_ua
batt.dock.charge_uah|battery_name=dock,counter_name=charge_uah'
    counters x.db >got
    diff -u - got <<'END'
2000 batt.charge_uah 300.0
2000 batt.capacity_pct 87.5
2000 batt.current_ua -250000.0
2000 batt.current.avg_ua -240000.0
2000 batt.voltage_uv 4000000.0
2000 batt.power_mw 1000.0
3000 batt.dock.charge_uah 2000.0
3000 batt.dock.voltage_uv 4500000.0
4000 power.other_uws 20.0
7000 Entity residency: cpu is idle 123.0
8000 ScreenState 2.0
9000 GPU Memory 1048576.0
9100 GPU Memory 4096.0 42
5000000 power.rails.gpu 10.0
6000000 power.other_uws 21.0
END
    tm-merge -f report x.pftrace | grep -q '0 dropped; the accounts balance'
}

# The expected rows are the reference importer's.
@test "readings whose names come later in the file are counters, those that are never named count" {
    python3 "$TM_SRC/t/gen/make-packets.py" >r.pftrace <<'END'
1 { 10: 1 6 { 1 { 1: 6 2: 1000 } 1 { 1: 3 2: 500 } } }
1 { 10: 1 8: 4000 40 { 3: 77 2 { 1: 1 2: 5 3: 10 } 2 { 1: 2 3: 20 } 2 { 1: 9 3: 30 } } }
1 { 10: 1 8: 3500 58: 3 40 { 3: 77 2 { 1: 1 2: 6 3: 11 } 2 { 1: 2 3: 21 } } }
1 { 10: 1 8: 4100 91 { 2 { 1: 0 2: 1 3: 123 } 2 { 1: 5 3: 1 } } }
1 { 10: 1 8: 4200 77 { 2: 4 3: 55 4 { 1: 1000 2: 7 } } }
1 { 10: 1 8: 4300 77 { 2: 5 3: 56 } }
1 { 10: 1 8: 5000 40 { 3: 77 1 { 1: 1 2: "X_S_VDD_G3D" } 1 { 1: 2 2: "other" } 2 { 1: 2 3: 22 } } }
1 { 10: 1 8: 5100 91 { 1 { 1: 0 2: 1 3: "cpu" 4: "idle" } 2 { 1: 0 2: 1 3: 124 } } }
1 { 10: 1 8: 5200 77 { 1 { 1 { 1: 4 2: 0 3: "WIFI" 4: "wifi" } } } }
END
    tm-merge -q -o r.db r.pftrace
    counters r.db >got
    diff -u - got <<'END'
4000 power.other_uws 20.0
4000 power.other_uws 21.0
4100 Entity residency: cpu is idle 123.0
4200 wifi 55.0
4200 wifi 7.0
5000 power.other_uws 22.0
5100 Entity residency: cpu is idle 124.0
5000000 power.rails.gpu 10.0
6000000 power.rails.gpu 11.0
END
    same_text "$(sqlite3 r.db "SELECT name, value FROM stats WHERE severity = 'error' ORDER BY name")" \
        'energy_breakdown_missing_values|1
entity_state_residency_lookup_failed|1
power_rail_unknown_index|1'
    same_text "$(sqlite3 r.db "SELECT ts, key, display_value FROM counter JOIN args USING (arg_set_id) ORDER BY ts")" \
        '4000|packet_ts|4000
4000|packet_ts|4000
5000|packet_ts|5000
5000000|packet_ts|4000
6000000|packet_ts|4000'
    tm-merge -f report r.pftrace | grep -q '0 dropped; the accounts balance'
    tm-merge -q -o again.pftrace r.pftrace
    tm-merge -q -o again.db again.pftrace
    counters again.db | diff got -
}

@test "triggers are instants on a track of their own" {
    tm-merge -o x.db x.pftrace
    [ "$(sqlite3 x.db "SELECT group_concat(ts || ' ' || dur || ' ' || name, ',') FROM slice")" = "9500 0 boom,9600 0 clone" ]
    [ "$(sqlite3 x.db "SELECT group_concat(key || '=' || display_value, ',') FROM args JOIN slice USING (arg_set_id) WHERE name = 'boom'")" = \
        "producer_name=traced,trusted_producer_uid=9999" ]
}

@test "a merged trace that is read again has the same rows" {
    tm-merge -o again.pftrace x.pftrace
    tm-merge -o a.db x.pftrace
    tm-merge -o b.db again.pftrace
    counters a.db >a
    counters b.db >b
    diff -u a b
}

@test "the memory of a GPU for a thread that is not known makes no process, that of each GPU is a counter" {
    python3 "$TM_SRC/t/gen/make-packets.py" >p.pftrace <<'END'
1 { 10: 1 8: 900 2 { 1 { 1: 9 2: 1 3: "nine" } } }
1 { 10: 1 8: 950 71 { 1: 2 3: 4000 } }
1 { 10: 1 1 { 1: 0
    2 { 1: 1000 2: 5 340 { 1: 0 2: 77 3: 4096 } }
    2 { 1: 1100 2: 5 340 { 1: 0 2: 9 3: 4097 } }
    2 { 1: 1200 2: 5 340 { 1: 1 2: 9 3: 4098 } }
    2 { 1: 1300 2: 5 340 { 1: 1 2: 0 3: 4099 } } } }
END
    tm-merge -q -o p.db p.pftrace
    same_text "$(sqlite3 p.db "SELECT group_concat(pid) FROM process")" 0,1,9
    same_text "$(sqlite3 p.db "SELECT c.value, g.type, g.unit, g.ugpu, g.gpu_id, (SELECT group_concat(key) FROM args a WHERE
        a.arg_set_id = g.dimension_arg_set_id), pid FROM counter c JOIN gpu_counter_track g ON g.id = c.track_id
        LEFT JOIN process_counter_track t ON t.id = g.id LEFT JOIN process USING (upid) ORDER BY c.ts")" \
        '4000.0|gpu_memory|bytes|2|2|ugpu,gpu|
4097.0|process_gpu_memory|bytes|0|0|upid,ugpu,gpu|9
4098.0|process_gpu_memory|bytes|1|1|upid,ugpu,gpu|9
4099.0|gpu_memory|bytes|1|1|ugpu,gpu|'
    same_text "$(sqlite3 p.db "SELECT group_concat(gpu) FROM (SELECT gpu FROM gpu ORDER BY gpu)")" 0,1,2
    # The packet of a driver makes the process.
    printf '%s\n' '1 { 10: 1 8: 950 71 { 2: 78 3: 4000 } }' | python3 "$TM_SRC/t/gen/make-packets.py" >q.pftrace
    tm-merge -q -o q.db q.pftrace
    same_text "$(sqlite3 q.db "SELECT group_concat(pid) FROM process")" 0,78
}

@test "counters that a GPU's driver describes have the reference's rows, names and units" {
    # A value holds for the time before it, or from its time on (direction 2). The ids of an interned description are
    # those of its sequence, and end when the sequence's state is cleared.
    python3 "$TM_SRC/t/gen/make-packets.py" >p.pftrace <<'END'
1 { 10: 1 8: 100 52 { 3: 1 2 { 1: 1 2: 9 } 1 {
    1 { 1: 1 2: "busy" 3: "the work" 7: 37 } 1 { 1: 2 2: "reads" 7: 7 7: 8 8: 22 8: 0 8: 24 11: 2 } 1 { 1: 3 } 1 { 1: 1 2: "again" } } } }
1 { 10: 1 8: 200 52 { 3: 5 2 { 1: 1 2: 5 } 2 { 1: 2 3: 7.5 } 2 { 1: 9 2: 1 } } }
1 { 10: 1 8: 300 52 { 2 { 1: 2 2: -8 } 2 { 1: 1 2: 6 } 2 { 1: 1 } } }
1 { 10: 2 13: 1 12 { 47 { 1: 1 2 { 1 { 1: 1 2: "busy" } 1 { 1: 7 2: "own" 11: 2 } } 3: 2 } } }
1 { 10: 2 13: 2 8: 250 52 { 4: 1 2 { 1: 1 2: 50 } 2 { 1: 7 2: 70 } 2 { 1: 8 2: 80 } } }
1 { 10: 2 13: 2 8: 350 52 { 4: 1 2 { 1: 1 2: 60 } } }
1 { 10: 2 13: 2 8: 360 52 { 4: 2 2 { 1: 1 2: 60 } } }
1 { 10: 2 13: 1 12 { 47 { 1: 1 2 { 1 { 1: 1 2: "other" } } } } }
1 { 10: 2 13: 2 8: 450 52 { 4: 1 2 { 1: 1 2: 51 } 2 { 1: 7 2: 71 } } }
END
    tm-merge -q -o p.db -o p.json p.pftrace
    same_text "$(sqlite3 -nullvalue NULL p.db "SELECT c.ts, t.gpu_id, t.name, c.value, t.type, t.unit, t.description FROM counter c
        JOIN gpu_counter_track t ON t.id = c.track_id ORDER BY c.ts, t.gpu_id, t.name")" \
        '100|1|busy|5.0|gpu_counter|%|the work
200|1|busy|6.0|gpu_counter|%|the work
200|1|reads|7.5|gpu_counter|B:KB/s:h|NULL
250|2|busy|60.0|gpu_counter|NULL|NULL
250|2|own|70.0|gpu_counter|NULL|NULL
300|1|busy|0.0|gpu_counter|%|the work
300|1|reads|-8.0|gpu_counter|B:KB/s:h|NULL
350|2|busy|0.0|gpu_counter|NULL|NULL
450|0|other|0.0|gpu_counter|NULL|NULL'
    same_text "$(sqlite3 p.db "SELECT DISTINCT group_concat(key || '=' || display_value) FROM track t JOIN args a ON
        a.arg_set_id = t.dimension_arg_set_id GROUP BY t.id ORDER BY 1")" \
        'ugpu=0,gpu=0,name=other
ugpu=1,gpu=1,name=busy
ugpu=1,gpu=1,name=reads
ugpu=2,gpu=2,name=busy
ugpu=2,gpu=2,name=own'
    # Without a name, twice the same id, an unknown id twice, no descriptor.
    same_text "$(sqlite3 p.db "SELECT value, severity, source FROM stats WHERE name = 'gpu_counters_invalid_spec'")" '5|error|analysis'
    same_text "$(grep -c '"name":"reads"' p.json)" 2
}

@test "the frequency of a GPU in a SysStats is that of the first GPU" {
    python3 "$TM_SRC/t/gen/make-packets.py" >p.pftrace <<'END'
1 { 10: 1 8: 1000 7 { 17: 300 } }
END
    tm-merge -q -o p.db p.pftrace
    same_text "$(sqlite3 p.db "SELECT c.value, t.name, t.type, t.unit, t.gpu_id, (SELECT count(*) FROM gpu) FROM counter c
        JOIN gpu_counter_track t ON t.id = c.track_id")" '300.0|gpufreq|gpu_frequency|kHz|0|1'
}

@test "thermal zones of /sys are counters in degrees, whatever they are called" {
    python3 "$TM_SRC/t/gen/make-packets.py" >p.pftrace <<'END'
1 { 10: 1 8: 1000 7 { 15 { 1: "zone0" 2: 40 3: "cpu-therm" } 15 { 1: "zone1" 2: 41 3: "skin Temperature" } 15 { 2: 42 } } }
1 { 10: 1 8: 2000 7 { 15 { 2: 18446744073709551615 3: "cpu-therm" } 4: 18446744073709551615 } }
END
    tm-merge -q -o p.db p.pftrace
    same_text "$(sqlite3 -nullvalue NULL p.db "SELECT c.value, t.name, t.type, t.unit, a.key, a.display_value FROM counter c
        JOIN counter_track t ON t.id = c.track_id JOIN args a ON a.arg_set_id = t.dimension_arg_set_id ORDER BY c.id")" \
        '40.0|cpu-therm|thermal_temperature_sys|C|thermal_zone|cpu-therm
41.0|skin Temperature|thermal_temperature_sys|C|thermal_zone|skin Temperature
42.0||thermal_temperature_sys|C|thermal_zone|NULL
1.84467440737096e+19|cpu-therm|thermal_temperature_sys|C|thermal_zone|cpu-therm'
    same_text "$(sqlite3 p.db "SELECT c.value FROM counter c JOIN track t ON t.id = c.track_id WHERE t.name = 'num_forks'")" \
        1.84467440737096e+19
}
