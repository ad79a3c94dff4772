# tm-emit -f sqlite: names that a trace states in translation tables, which replace those of slices and tracks and stand
# beside hashes. The expected rows are the reference importer's.

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
    export PYTHONDONTWRITEBYTECODE=1
}

packets() { # a list of packets in Python, at the times 100, 101, ...; event(PHASE, NAME, TRACK) and table(KIND, LIST...)
    python_packets '
def event(phase, name, uuid, *more): return (11, message((9, phase), (11, uuid), (23, name), *more))
def entries(number, **names): return [(number, message((1, k), (2, v))) for k, v in names.items()]
def hashes(number, names): return [(number, message((1, k), (2, v))) for k, v in names.items()]
def table(kind, *lists): return (82, message((kind, message(*sum(lists, [])))))
BEGIN, END, INSTANT = 1, 2, 3
packets += [(60, message((1, 5), (4, message((1, 5), (2, 51))))), (60, message((1, 6), (3, message((1, 5))))),
            (60, message((1, 7), (5, 6), (2, "raw track")))]' >p.pftrace
    tm-merge -o p.db p.pftrace
}

same() { # QUERY WANT
    same_text "$(sqlite3 p.db "$1")" "$2"
}

@test "slices and their ends have the translated names, before and after the table" {
    packets <<'END'
event(BEGIN, 'raw', 5), event(BEGIN, 'inner', 5), event(END, 'inner', 5), event(END, 'cooked', 5),
table(4, entries(1, raw='cooked', inner='cooked inner')),
event(BEGIN, 'raw', 5), event(END, 'raw', 5), event(INSTANT, 'other', 5),
END
    same "SELECT ts, dur, name, depth FROM slice ORDER BY ts" '104|3|cooked|0
105|1|cooked inner|1
109|1|cooked|0
111|0|other|0'
    same "SELECT count(*) FROM stats WHERE name = 'misplaced_end_event'" 0
}

@test "tracks of processes have the translated names" {
    packets <<'END'
event(INSTANT, 'a', 7), event(INSTANT, 'b', 5),
table(5, entries(1, **{'raw track': 'cooked track'})),
END
    same "SELECT s.name, t.name FROM slice s JOIN track t ON t.id = s.track_id ORDER BY s.ts" 'a|cooked track
b|'
}

@test "hashes in args are followed by the names that they stand for" {
    packets <<'END'
event(INSTANT, 'histogram', 5, (28, message((1, 12345), (3, 7)))), event(INSTANT, 'action', 5, (25, message((2, 77)))),
table(1, hashes(1, {12345: 'Histogram.Name'})), table(2, hashes(1, {77: 'Action'})),
table(3, hashes(1, {88: 'site'}), hashes(2, {99: 'mark'})),
event(INSTANT, 'mark', 5, (1011, message((1, 88), (3, 99), (5, 4)))),
event(INSTANT, 'mark', 5, (1011, message((1, 87), (3, 98)))),
END
    same "SELECT ts, key, display_value FROM slice JOIN args USING (arg_set_id) ORDER BY ts, key" \
        '104|chrome_histogram_sample.name|Histogram.Name
104|chrome_histogram_sample.name_hash|12345
104|chrome_histogram_sample.sample|7
105|chrome_user_event.action|Action
105|chrome_user_event.action_hash|77
109|chrome_hashed_performance_mark.execution_context_id|4
109|chrome_hashed_performance_mark.mark|mark
109|chrome_hashed_performance_mark.mark_hash|99
109|chrome_hashed_performance_mark.site|site
109|chrome_hashed_performance_mark.site_hash|88
110|chrome_hashed_performance_mark.mark_hash|98
110|chrome_hashed_performance_mark.site_hash|87'
}

@test "a table applies to its file alone, and is there once after a merge" {
    packets <<'END'
table(4, entries(1, raw='cooked')), event(INSTANT, 'raw', 5),
END
    mv p.pftrace with.pftrace
    packets <<'END'
event(INSTANT, 'raw', 5),
END
    tm-merge -o p.db with.pftrace p.pftrace
    same "SELECT name FROM slice ORDER BY name" $'cooked\nraw'
    tm-merge -o m.pftrace with.pftrace p.pftrace
    tm-merge -o p.db with.pftrace
    same "SELECT name FROM slice" cooked
}
