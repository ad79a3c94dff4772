# tracemerge.so, the extension of SQLite: functions of Perfetto's SQL on a database. The expected results are the
# reference importer's for the same traces.

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
    export PYTHONDONTWRITEBYTECODE=1
    extension=${TM_BIN%/bin}/lib/tracemerge
    run sqlite3 :memory: ".load $extension" "SELECT 1"
    [[ $output != *"nknown command"* && $output != *"not authorized"* ]] || skip "this sqlite3 loads no extensions"
    [ "$output" = 1 ]
}

ask() { # DATABASE QUERY
    sqlite3 -nullvalue NULL "$1" ".load $extension" "$2"
}

same() { # DATABASE QUERY WANT
    same_text "$(ask "$1" "$2")" "$3"
}

refused() { # QUERY MESSAGE
    run ask a.db "$1"
    [ "$status" -ne 0 ]
    [[ $output == *"$2"* ]] || { echo "$output"; false; }
}

demo() {
    tm-merge -q -o a.db "$TM_SRC/doc/examples/phone-watch-app.tar"
}

clocks() { # a trace whose clocks were read three times
    python3 >clocks.pftrace <<'END'
import os, sys
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
from wire import field, message
def snapshot(boot, real, mono):
    return field(1, field(6, b''.join(field(1, message((1, c), (2, v))) for c, v in ((6, boot), (1, real), (3, mono)))))
sys.stdout.buffer.write(snapshot(1000, 1750000000000000000, 500) + snapshot(2000, 1750000000000000900, 1500)
                        + snapshot(3000, 1750000000000002400, 2500))
END
    tm-merge -q -o a.db clocks.pftrace
}

@test "times of other clocks continue from the last reading, but not beyond the next one" {
    clocks
    same a.db "WITH t(ts) AS (VALUES (-5), (999), (1000), (1001), (1899), (1999), (2000), (2001), (2999), (3000), (3500))
        SELECT ts, to_realtime(ts) - 1750000000000000000, to_monotonic(ts) FROM t" '-5|0|500
999|0|500
1000|0|500
1001|1|501
1899|899|1399
1999|900|1499
2000|900|1500
2001|901|1501
2999|1899|2499
3000|2400|2500
3500|2900|3000'
    same a.db "SELECT abs_time_str(1500), abs_time_str(-1), to_realtime(NULL), to_monotonic(NULL), abs_time_str(NULL)" \
        '2025-06-15T15:06:40.000000500|2025-06-15T15:06:40.000000000|NULL|NULL|NULL'
}

@test "a clock without readings is NULL, and a database without snapshots is an error" {
    echo '[{"ph":"X","pid":1,"tid":1,"ts":3,"dur":1,"name":"a"}]' >a.json
    tm-merge -q -o a.db a.json
    same a.db "SELECT to_realtime(ts), to_monotonic(ts), abs_time_str(ts) FROM slice" 'NULL|NULL|NULL'
    run ask :memory: "SELECT to_realtime(1)"
    [[ $output == *"no such table: clock_snapshot"* ]]
}

@test "readings that are no integers are left out" {
    sqlite3 a.db "CREATE TABLE clock_snapshot (id, ts, clock_id, clock_value);
        INSERT INTO clock_snapshot VALUES (1, NULL, 1, 5), (2, 'x', 1, 6), (3, 100, 1, 1100), (4, 200, 1, NULL)"
    same a.db "SELECT to_realtime(-7), to_realtime(100), to_realtime(250), to_monotonic(100)" '1100|1100|1250|NULL'
}

@test "snapshots of all machines are used" {
    demo
    same a.db "SELECT name, to_realtime(ts) - 1750000000000000000, abs_time_str(ts) FROM slice WHERE name IN
        ('onTap: start run', 'receive from phone') ORDER BY ts" \
        'onTap: start run|300000000|2025-06-15T15:06:40.300000000
receive from phone|545000000|2025-06-15T15:06:40.545000000'
}

@test "timecodes show hours, minutes, seconds and parts of seconds" {
    demo
    same a.db "SELECT to_timecode(NULL), to_timecode(0), to_timecode(3723004005006), to_timecode(360000000000001)" \
        'NULL|00:00:00 000 000 000|01:02:03 004 005 006|100:00:00 000 000 001'
    same a.db "SELECT to_timecode(-1), to_timecode(-3661001002003)" '00:00:00 000 000 -01|-1:-1:-1 -01 -02 -03'
}

@test "extract_arg returns args by their key, of every type" {
    cat >a.json <<'END'
[{"ph":"X","pid":1,"tid":1,"ts":3,"dur":1,"name":"a","args":{"i":-5,"s":"x","r":1.5,"b":true,"n":{"k":[7,"y"]}}},
{"ph":"X","pid":1,"tid":1,"ts":5,"dur":1,"name":"b"}]
END
    tm-merge -q -o a.db a.json
    same a.db "SELECT name, extract_arg(arg_set_id, 'args.i'), extract_arg(arg_set_id, 'args.s'),
        extract_arg(arg_set_id, 'args.r'), extract_arg(arg_set_id, 'args.b'), extract_arg(arg_set_id, 'args.n.k[1]'),
        extract_arg(arg_set_id, 'args.n.k'), EXTRACT_ARG(arg_set_id, 'nothing') FROM slice" \
        $'a|-5|x|1.5|1|y|NULL|NULL\nb|NULL|NULL|NULL|NULL|NULL|NULL|NULL'
    same a.db "SELECT a.key, extract_arg(s.arg_set_id, a.key) = coalesce(int_value, string_value, real_value) AS is_same
        FROM slice s JOIN args a USING (arg_set_id) WHERE a.key < 'args.n' ORDER BY 1" \
        $'args.b|1\nargs.i|1'
    same a.db "SELECT extract_arg(NULL, 3), extract_arg(99999, 'a'), extract_arg(-1, 'a')" 'NULL|NULL|NULL'
}

@test "metadata: the first value of a name is returned, for all, a machine or a file" {
    demo
    same a.db "SELECT extract_metadata('trace_type'), extract_metadata('trace_time_clock_id'), extract_metadata('none'),
        extract_metadata(NULL), extract_metadata(5)" 'perfetto_manifest|6|NULL|NULL|NULL'
    same a.db "SELECT name, extract_metadata_for_trace(id, 'trace_type') FROM trace_file WHERE is_container = 0 ORDER BY 1" \
        'app_log.json|json
perfetto_manifest.json|perfetto_manifest
phone.pftrace|proto
watch.pftrace|proto'
    same a.db "SELECT extract_metadata_for_machine(0, 'none'), extract_metadata_for_machine(NULL, 'none')" 'NULL|NULL'
}

@test "types of files are in the order of processing" {
    echo '[{"ph":"X","pid":1,"tid":1,"ts":3,"dur":1,"name":"a"}]' >a.json
    clocks
    tar cf b.tar a.json clocks.pftrace
    tm-merge -q -o b.db b.tar
    same b.db "SELECT str_value FROM metadata WHERE name = 'trace_type' ORDER BY id" $'proto\njson'
    same b.db "SELECT extract_metadata('trace_type')" proto
}

@test "the bounds of the trace and the test for an ancestor slice are those of the reference" {
    demo
    same a.db "SELECT trace_start(), trace_end(), trace_dur()" '100250000000|100800000000|550000000'
    same a.db "SELECT a.name, d.name FROM slice a, slice d WHERE slice_is_ancestor(a.id, d.id) ORDER BY 1, 2 LIMIT 2" \
        $'onTap: start run|inflate layout\nsensor batch|heart rate on'
    same a.db "SELECT slice_is_ancestor(0, 0), slice_is_ancestor(NULL, 1), slice_is_ancestor(0, 99999)" '0|NULL|NULL'
}

@test "a view that calls the function that reads it is an error, not a crash" {
    sqlite3 a.db ".load $extension" "
        CREATE VIEW clock_snapshot AS SELECT 1 AS id, to_realtime(1) AS ts, 1 AS clock_id, to_monotonic(1) AS clock_value
            UNION ALL SELECT 2, to_realtime(1), 3, to_monotonic(1);
        CREATE VIEW args AS SELECT 1 AS id, 1 AS arg_set_id, 'k' AS key, extract_arg(1, 'k') AS int_value,
            NULL AS string_value, NULL AS real_value;
        CREATE VIEW trace_bounds AS SELECT trace_end() AS start_ts, trace_start() AS end_ts;"
    refused "SELECT to_realtime(5)" "clock_snapshot is a view that calls it"
    refused "SELECT to_monotonic(5)" "clock_snapshot is a view that calls it"
    refused "SELECT extract_arg(1, 'k')" "extract_arg: what it reads is a view that calls it"
    refused "SELECT trace_start()" ": what it reads is a view that calls it"
    # After the error the function works.
    printf '%s;\n' "SELECT trace_start()" "DROP VIEW trace_bounds" "CREATE TABLE trace_bounds AS SELECT 7 AS start_ts" \
        "SELECT trace_start()" | sqlite3 -cmd ".load $extension" a.db >got 2>errors || true
    grep -q 'view that calls it' errors
    [ "$(cat got)" = 7 ]
}

# The expected values are the reference importer's, with INCLUDE PERFETTO MODULE time.conversion.
@test "durations are converted from and to units" {
    sqlite3 a.db 'CREATE TABLE t(x)'
    same a.db "SELECT time_from_ns(5), time_from_us(5), time_from_ms(10), time_from_s(-2), time_from_min(3),
        time_from_hours(2), time_from_days(106751), time_from_ms(NULL)" \
        '5|5000|10000000|-2000000000|180000000000|7200000000000|9223286400000000000|NULL'
    same a.db "SELECT time_to_ns(5), time_to_us(5999), time_to_ms(-1999999), time_to_s(2500000000), time_to_min(119999999999),
        time_to_hours(7200000000000), time_to_days(172800000000000), time_to_ms(NULL)" '5|5|-1|2|1|2|2|NULL'
    same a.db "SELECT typeof(time_from_days(106752)), typeof(time_from_days(-106752)), typeof(time_from_days(-106751))" \
        'real|real|integer'
    refused "SELECT time_from_ms(1.5)" "TIME_FROM: argument must be an integer"
    refused "SELECT time_to_ms('a')" "TIME_TO: argument must be an integer"
}

@test "str_split returns parts of a text, and unhex a number" {
    demo
    same a.db "SELECT str_split('a;b', ';', 4294967296), str_split('a;b', ';', 9223372036854775807)" 'NULL|NULL'
    same a.db "SELECT str_split('a,b', ',', 0), str_split('a,b', ',', 1), str_split('a,b', ',', 2),
        str_split(NULL, ',', 0), str_split(5, ',', 0), str_split('a--b--c', '--', 2), str_split('', 'x', 0) = '',
        str_split('a,,b', ',', 1) = ''" 'a|b|NULL|NULL|NULL|c|1|1'
    same a.db "SELECT unhex('0xff'), unhex(' fF '), unhex(NULL), unhex('-1'), unhex('0x-1'), unhex('+f'),
        unhex('7fffffffffffffff'), unhex('-8000000000000000'), unhex('00000000000000000001')" \
        '255|255|NULL|-1|-1|15|9223372036854775807|-9223372036854775808|1'
}

@test "arguments that the reference refuses are refused" {
    demo
    refused "SELECT to_realtime('5')" "TO_REALTIME: first argument should be timestamp"
    refused "SELECT to_monotonic(5.0)" "TO_MONOTONIC: first argument should be timestamp"
    refused "SELECT abs_time_str('')" "ABS_TIME_STR: first argument should be timestamp"
    refused "SELECT to_timecode('a')" "TO_TIMECODE: first argument should be timestamp"
    refused "SELECT extract_arg('x', 'y')" "EXTRACT_ARG: 1st argument should be arg set id"
    refused "SELECT extract_arg(0, NULL)" "EXTRACT_ARG: 2nd argument should be key"
    refused "SELECT str_split('a', '', 1)" "str_split: delimiter must be a non-empty string"
    refused "SELECT str_split('a', NULL, 1)" "str_split: delimiter must be a non-empty string"
    refused "SELECT str_split('a', 'b', -1)" "str_split: field number must be a non-negative integer"
    refused "SELECT str_split('a', 'b', '1')" "str_split: field number must be a non-negative integer"
    refused "SELECT unhex(5)" "UNHEX: argument must be text"
    refused "SELECT unhex(' ')" "UNHEX: input is empty or only whitespace"
    refused "SELECT unhex('0x')" "UNHEX: hex string is empty after prefix"
    for text in zz - 'f f' 0x0x1 ffffffffffffffff -8000000000000001 10000000000000000; do
        refused "SELECT unhex('$text')" "UNHEX: invalid or out of range hex string"
    done
    refused "SELECT to_realtime()" "wrong number of arguments to function to_realtime()"
}
