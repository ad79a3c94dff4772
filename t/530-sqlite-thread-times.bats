# tm-emit -f sqlite: times of a thread's own clock in track events. The expected rows are the reference importer's.

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
    export PYTHONDONTWRITEBYTECODE=1
}

# events EXPRESSION: writes a trace with track 1 of a thread, track 2 of a process, thread time as counter 3 of the
# thread and its instructions as counter 4. Track events follow: (timestamp, type, track, fields...). Type 1 is begin, 2
# end, 3 instant.
events() {
    python3 - "$1" >p.pftrace <<'END'
import os, sys
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
from wire import field, message
def packet(*fields):
    sys.stdout.buffer.write(field(1, message((10, 7), *fields)))
packet((13, 1), (60, message((1, 1), (4, message((1, 5), (2, 6))))))
packet((60, message((1, 2), (3, message((1, 5))))))
packet((60, message((1, 3), (5, 1), (8, message((1, 1))))))
packet((60, message((1, 4), (5, 1), (8, message((1, 2))))))
for ts, kind, track, *more in eval(sys.argv[1].strip()):
    packet((8, ts), (11, message((9, kind), (11, track), *more)))
END
    tm-merge -q -o p.db p.pftrace
}

counted() { # VALUE: thread time as an extra counter
    echo "(31, 3), (12, $1)"
}

same() { # QUERY WANT
    same_text "$(sqlite3 -nullvalue NULL p.db "$1")" "$2"
}

@test "slices of threads have thread times from the counters of their packets" {
    events "[(10, 1, 1, (23, 'a'), $(counted 1000)), (20, 1, 1, (23, 'b'), $(counted 1100)), (30, 2, 1, $(counted 1150)),
        (40, 3, 1, (23, 'i'), $(counted 1200)), (50, 2, 1, $(counted 1900)), (60, 1, 1, (23, 'none')), (65, 2, 1),
        (70, 1, 1, (23, 'no end'), $(counted 2000)), (80, 2, 1),
        (90, 1, 1, (23, 'idle'), $(counted 2100)), (95, 2, 1, $(counted 2100))]"
    same "SELECT name, dur, thread_ts, thread_dur FROM slice ORDER BY ts" 'a|40|1000|900
b|10|1100|50
i|0|1200|0
none|5|NULL|NULL
no end|10|2000|NULL
idle|5|2100|NULL'
    same "SELECT count(*) FROM counter" 8
}

@test "legacy fields give thread times, and slices of processes have none" {
    events "[(10, 1, 1, (23, 'a'), (17, 5)), (20, 2, 1, (17, 7)), (30, 1, 2, (23, 'p'), $(counted 1000)),
        (40, 2, 2, $(counted 1100))]"
    same "SELECT name, thread_ts, thread_dur FROM slice ORDER BY ts" $'a|5000|2000\np|NULL|NULL'
}

@test "slices have instruction counts from counters and from legacy fields" {
    events "[(10, 1, 1, (23, 'a'), (31, 3), (31, 4), (12, 1000), (12, 70)), (20, 3, 1, (23, 'i'), (31, 4), (12, 80)),
        (25, 1, 1, (23, 'idle'), (31, 4), (12, 90)), (26, 2, 1, (31, 4), (12, 90)),
        (30, 2, 1, (31, 3), (31, 4), (12, 1500), (12, 170)), (40, 1, 1, (23, 'b'), (20, 5)), (50, 2, 1, (20, 9)),
        (60, 1, 2, (23, 'p'), (31, 4), (12, 200)), (70, 2, 2, (31, 4), (12, 300)),
        (80, 1, 1, (23, 'late'), (31, 4), (12, 400))] + [(90 + i, 3, 1, (23, 'n')) for i in range(40000)] + \
        [(50000, 2, 1, (31, 4), (12, 460))]"
    same "SELECT name, thread_ts, thread_dur, thread_instruction_count, thread_instruction_delta FROM slice
        WHERE name <> 'n' ORDER BY ts" 'a|1000|500|70|100
i|NULL|NULL|80|0
idle|NULL|NULL|90|NULL
b|NULL|NULL|5|4
p|NULL|NULL|NULL|NULL
late|NULL|NULL|400|60'
    same "SELECT count(*) FROM slices WHERE thread_instruction_count IS NULL" 40001
}

@test "a late end still gives its slice thread times" {
    events "[(10, 1, 1, (23, 'a'), $(counted 1000))] + [(20 + i, 3, 1, (23, 'i')) for i in range(40000)] + \
        [(50000, 2, 1, $(counted 5000))]"
    same "SELECT dur, thread_ts, thread_dur FROM slice WHERE name = 'a'" '49990|1000|4000'
}

@test "other outputs show thread times too" {
    echo '[{"ph":"B","pid":1,"tid":1,"ts":3,"tts":1,"name":"a"},{"ph":"E","pid":1,"tid":1,"ts":5,"tts":2}]' >a.json
    events "[(10, 1, 1, (23, 'a'), $(counted 1000)), (20, 2, 1, $(counted 1100))]"
    for format in text csv jsonl svg json pftrace; do
        tm-merge -f $format a.json >out
        [ -s out ]
        tm-merge -f $format p.pftrace >out
        [ -s out ]
    done
}

@test "legacy fields count on a track that is described before its parent" {
    python3 "$TM_SRC/t/gen/make-packets.py" >p.pftrace <<'END'
1 { 10: 7 13: 1 60 { 1: 12 5: 11 2: "inner" } }
1 { 10: 7 60 { 1: 11 5: 10 2: "outer" } }
1 { 10: 7 60 { 1: 10 4 { 1: 5 2: 6 } } }
1 { 10: 7 60 { 1: 20 5: 21 2: "circle" } }
1 { 10: 7 60 { 1: 21 5: 20 2: "circle" } }
1 { 10: 7 8: 10 11 { 9: 1 11: 12 23: "a" 17: 7 20: 9 } }
1 { 10: 7 8: 20 11 { 9: 2 11: 12 17: 8 20: 11 } }
1 { 10: 7 8: 30 11 { 9: 1 11: 20 23: "c" 17: 7 } }
END
    tm-merge -q -o p.db p.pftrace
    same "SELECT name, thread_ts, thread_dur, thread_instruction_count, thread_instruction_delta FROM slice" 'a|7000|1000|9|2'
    same "SELECT c.ts, t.type, c.value, tid FROM counter c JOIN thread_counter_track t ON t.id = c.track_id
        JOIN thread USING (utid) ORDER BY c.id" '10|thread_time|7000.0|6
10|thread_instructions|9.0|6
20|thread_time|8000.0|6
20|thread_instructions|11.0|6'
}

@test "complete legacy events state the time and the instructions of their thread themselves" {
    python3 "$TM_SRC/t/gen/make-packets.py" >p.pftrace <<'END'
1 { 10: 7 13: 1 44 { 1: 5 2: 6 6: 1 7: 500 8: 700 } }
1 { 10: 7 8: 1000 11 { 23: "a" 6 { 2: 88 3: 5 4: 3 15: 9 } 17: 600 20: 800 } }
1 { 10: 7 8: 11000 11 { 23: "b" 6 { 2: 88 3: 5 } 2: 20 8: 30 } }
1 { 10: 7 8: 21000 11 { 23: "c" 6 { 2: 88 3: 5 4: 3 } } }
1 { 10: 7 8: 31000 11 { 23: "d" 6 { 2: 88 3: 5 4: 4 15: 2 } 8: 30 } }
END
    tm-merge -q -o p.db -o m.pftrace p.pftrace
    tm-merge -q -o m.db m.pftrace
    want='a|600000|3000|800|9
b|520000|0|730|0
c|NULL|NULL|NULL|NULL
d|NULL|NULL|760|2'
    same "SELECT name, thread_ts, thread_dur, thread_instruction_count, thread_instruction_delta FROM slice" "$want"
    mv m.db p.db
    same "SELECT name, thread_ts, thread_dur, thread_instruction_count, thread_instruction_delta FROM slice" "$want"
}
