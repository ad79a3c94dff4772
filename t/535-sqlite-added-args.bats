#!/usr/bin/env bats
# tm-emit -f sqlite: args that the reference importer adds to those of events. The expected rows are its own.

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
    export PYTHONDONTWRITEBYTECODE=1
}

same() { # WANT
    same_text "$(sqlite3 p.db "SELECT s.ts, s.name, a.key, a.value_type, a.display_value FROM slice s
        JOIN args a USING (arg_set_id) ORDER BY s.id, a.key")" "$1"
}

@test "S markers have their cookie and the number of begins of their track" {
    cat >t.txt <<'END'
# tracer: nop
   a-5 (5) [000] ...1 1.000001: tracing_mark_write: S|5|job|77
   a-5 (5) [000] ...1 1.000002: tracing_mark_write: S|5|job|77
   a-5 (5) [000] ...1 1.000003: tracing_mark_write: F|5|job|77
   a-5 (5) [000] ...1 1.000004: tracing_mark_write: S|5|job|78
   a-5 (5) [000] ...1 1.000005: tracing_mark_write: F|5|job|78
   a-5 (5) [000] ...1 1.000006: tracing_mark_write: S|5|open|1
   a-5 (5) [000] ...1 1.000007: tracing_mark_write: G|5|track|none|2
END
    tm-merge -q -o p.db t.txt
    same '1000001000|job|cookie|int|77
1000001000|job|legacy_unnestable_begin_count|int|2
1000001000|job|legacy_unnestable_last_begin_ts|int|1000002000
1000004000|job|cookie|int|78
1000004000|job|legacy_unnestable_begin_count|int|3
1000004000|job|legacy_unnestable_last_begin_ts|int|1000004000
1000006000|open|cookie|int|1'
    # Only the database has these args.
    [ "$(tm-merge -q -f csv t.txt | grep -c cookie)" = 0 ]
}

@test "the cookie of a marker that becomes a TrackEvent is an annotation" {
    cat >first.txt <<'END'
# tracer: nop
   a-5 (5) [000] ...1 1.000001: tracing_mark_write: B|5|first
   a-5 (5) [000] ...1 1.000002: tracing_mark_write: E|5
END
    cat >second.txt <<'END'
# tracer: nop
   a-5 (5) [000] ...1 1.000003: tracing_mark_write: S|5|job|77
   a-5 (5) [000] ...1 1.000004: tracing_mark_write: F|5|job|77
   a-5 (5) [000] ...1 1.000005: tracing_mark_write: B|5|second
   a-5 (5) [000] ...1 1.000006: tracing_mark_write: E|5
END
    tm-merge -q -o merged.pftrace first.txt second.txt
    tm-merge -q -o p.db merged.pftrace
    same '1000003000|job|debug.cookie|int|77'
}

@test "legacy events have their id and phase as args" {
    python3 - >p.pftrace <<'END'
import os, sys
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
from wire import field, message
def packet(time, phase, name, *legacy, more=()):
    event = message((22, 'c'), (23, name), (6, message((2, ord(phase)), *legacy)), *more)
    sys.stdout.buffer.write(field(1, message((8, time), (10, 7), (11, event))))
thread = message((1, 5), (2, 6))
sys.stdout.buffer.write(field(1, message((10, 7), (13, 1), (44, thread))))
annotation = [(4, message((10, 'k'), (4, 8)))]
packet(1000, 'b', 'nest', (10, 20), more=annotation)
packet(2000, 'n', 'at', (10, 20))
packet(3000, 'e', 'nest', (10, 20))
packet(4000, 'S', 'old', (6, (1 << 64) - 1))
packet(5000, 'T', 'old', (6, (1 << 64) - 1))
packet(6000, 'F', 'old', (6, (1 << 64) - 1))
packet(7000, 'R', 'mark', more=annotation)
packet(8000, 'i', 'instant')
END
    tm-merge -q -o p.db p.pftrace
    same '1000|nest|debug.k|int|8
1000|nest|legacy_trace_source_id|int|20
2000|at|legacy_trace_source_id|int|20
4000|old|legacy_event.phase|string|S
4000|old|legacy_trace_source_id|int|-1
5000|old|legacy_event.phase|string|T
5000|old|legacy_trace_source_id|int|-1
7000|mark|debug.k|int|8
7000|mark|legacy_event.phase|string|R'
}
