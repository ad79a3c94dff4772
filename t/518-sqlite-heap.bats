# tm-emit -f sqlite: heap profiles, the memory that stacks allocate and free between two dumps. The expected rows follow
# the rules of doc/model.md.

bats_require_minimum_version 1.5.0

setup_file() {
    export PYTHONDONTWRITEBYTECODE=1
    python3 - >"$BATS_FILE_TMPDIR/p.pftrace" <<'END'
import os, sys
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
from wire import field, message

def interned(lists):
    return message(*[(id, message(*m)) for id, messages in lists.items() for m in messages])

def sample(stack, allocated, freed, allocated_count, freed_count):
    return 2, message((1, stack), (2, allocated), (3, freed), (5, allocated_count), (6, freed_count))

def dump(pid, ts, *rest, heap='libc.malloc'):
    return 5, message((1, pid), (9, ts), *([(11, heap)] if heap else []), *rest)

def profile(time, *fields, sequence=7, more=()):
    return [(8, time), (10, sequence), *more, (37, message(*fields))]

snapshot = message(*[(1, message((1, clock), (2, t))) for clock, t in ((6, 1000), (3, 900), (4, 800), (1, 5000))])
data = interned({5: [((1, 1), (2, 'malloc')), ((1, 2), (2, 'main'))], 17: [((1, 1), (2, 'libc.so'))],
                 19: [((1, 1), (4, 4096), (5, 8192), (7, 1))], 6: [((1, 1), (2, 1), (3, 1), (4, 16)), ((1, 2), (2, 2), (3, 1), (4, 32))],
                 7: [((1, 1), (2, 2), (2, 1)), ((1, 2), (2, 2))]})
packets = [
    [(6, snapshot), (10, 1), (8, 1000)],
    # a dump in two packets
    profile(2000, dump(42, 1000, sample(1, 100, 30, 4, 1), (5, message((2, 9), (5, 77)))), (6, 1), (7, 0), more=[(13, 1), (12, data)]),
    profile(2010, dump(42, 1000, sample(2, 50, 0, 1, 0)), (7, 1)),
    profile(3000, dump(42, 2000, sample(1, 180, 100, 7, 2), (15, 1500), (7, 1)),
            dump(43, 2000, sample(2, 8, 8, 1, 1), heap='com.android.art'), (7, 2)),
    # a stack that comes again as number 3, and one without a description; a packet before it is lost
    profile(4000, dump(42, 3000, sample(3, 10, 0, 1, 0), sample(9, 1, 1, 1, 1)), (7, 4),
            more=[(12, interned({7: [((1, 3), (2, 2), (2, 1))]}))]),
    # totals that went down, and the largest size of a heap
    profile(5000, dump(42, 4000, sample(2, 20, 0, 1, 0)),
            dump(44, 4000, (13, 4), (2, message((1, 2), (8, 70), (9, 3))), heap=''), (7, 5)),
    # Android 10: strings, mappings, frames and stacks are in the profile
    profile(6000, (1, message((1, 1), (2, 'inner'))), (1, message((1, 2), (2, 'lib'))), (4, message((1, 1), (7, 2))),
            (2, message((1, 1), (2, 1), (3, 1), (4, 5))), (6, 1), (7, 0), sequence=8, more=[(13, 1)]),
    profile(6001, (3, message((1, 1), (2, 1))), dump(45, 5000, sample(1, 5, 0, 1, 0)), (7, 1), sequence=8),
    # earlier state is gone
    profile(7000, dump(42, 6000, sample(1, 1, 1, 1, 1)), (7, 0), more=[(13, 1), (12, data)]),
]
for packet in packets:
    sys.stdout.buffer.write(field(1, message(*packet)))
END
}

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
    export PYTHONDONTWRITEBYTECODE=1
    cp "$BATS_FILE_TMPDIR/p.pftrace" .
}

same() { # QUERY WANT
    same_text "$(sqlite3 p.db "$1")" "$2"
}

allocations='1200|42|libc.malloc|malloc|4|100
1200|42|libc.malloc|malloc|-1|-30
1200|42|libc.malloc|main|1|50
2200|42|libc.malloc|malloc|3|80
2200|42|libc.malloc|malloc|-1|-70
2200|43|com.android.art|main|1|8
3200|42|libc.malloc|malloc|1|10
4200|44|unknown|main|3|70
5200|45|libc.malloc|inner|1|5
6200|42|libc.malloc|malloc|1|1
6200|42|libc.malloc|malloc|-1|-1'
query="SELECT a.ts, p.pid, a.heap_name, f.name, a.count, a.size FROM heap_profile_allocation a JOIN process p USING (upid)
    JOIN stack_profile_callsite c ON c.id = a.callsite_id JOIN stack_profile_frame f ON f.id = c.frame_id ORDER BY a.id"

@test "allocations and frees of stacks between two dumps are rows" {
    tm-merge -o p.db p.pftrace 2>err
    same "$query" "$allocations"
    same "SELECT h.ts, h.ts_end, h.dur, p.pid, h.heap_name FROM heap_profile h JOIN process p USING (upid) ORDER BY h.id" \
        '1200|1200|0|42|libc.malloc
1700|2200|500|42|libc.malloc
2200|2200|0|43|com.android.art
3200|3200|0|42|libc.malloc
4200|4200|0|42|libc.malloc
4200|4200|0|44|
5200|5200|0|45|libc.malloc
6200|6200|0|42|libc.malloc'
    same "SELECT m.name, f.name, f.rel_pc FROM stack_profile_frame f JOIN stack_profile_mapping m ON m.id = f.mapping
        ORDER BY f.rel_pc" '/lib|inner|5
/libc.so|malloc|16
/libc.so|main|32'
    same "SELECT start_ts, end_ts FROM trace_bounds" "1200|6200"
}

@test "heapprofd's statistics are rows of stats" {
    tm-merge -o p.db p.pftrace 2>err
    same "SELECT name, idx, severity, value FROM stats WHERE name LIKE 'heapprofd%' OR name LIKE 'stackprofile%' ORDER BY name" \
        'heapprofd_buffer_overran|42|data_loss|1
heapprofd_last_profile_timestamp|43|info|3000
heapprofd_last_profile_timestamp|44|info|5000
heapprofd_last_profile_timestamp|45|info|6001
heapprofd_last_profile_timestamp|42|info|7000
heapprofd_malformed_packet||error|1
heapprofd_missing_packet||error|1
heapprofd_sampling_interval_adjusted|44|info|-4
heapprofd_unwind_samples|42|info|9
heapprofd_unwind_time_us|42|info|77
stackprofile_invalid_callstack_id||error|1'
    grep -q 'loss of data, heapprofd_buffer_overran = 1' err
}

@test "a loss and a clearing end a dump whose last packet has not come" {
    python3 - >lost.pftrace <<'END'
import os, sys
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
from wire import field, message
data = b''.join(field(5, message((1, n), (2, 'f%d' % n))) + field(6, message((1, n), (2, n), (4, n))) +
                field(7, message((1, n), (2, n))) for n in (1, 2))
def profile(time, index, stack, size, is_continued, *more):
    dump = message((1, 42), (9, time), (11, 'libc.malloc'), (2, message((1, stack), (2, size), (5, 1))))
    return (8, time), (10, 7), *more, (37, message((5, dump), (6, is_continued), (7, index)))
for packet in [
        ((6, message(*[(1, message((1, clock), (2, 1))) for clock in (6, 4)])),),
        profile(1000, 0, 1, 100, 0, (13, 3), (12, data)),
        profile(2000, 1, 1, 300, 1, (13, 2)),
        profile(3000, 3, 2, 20, 0, (42, 1)), # it needs no state, and counts from nothing
        profile(4000, 4, 2, 50, 1),
        profile(5000, 5, 1, 7, 1, (13, 3), (12, data)),
        profile(6000, 6, 1, 9, 1, (13, 2))]:
    sys.stdout.buffer.write(field(1, message(*packet)))
END
    tm-merge -q -o m.db -o m.pftrace lost.pftrace
    tm-merge -q -o again.db m.pftrace
    for merged in m.db again.db; do
        mv $merged p.db
        same "$query" '1000|42|libc.malloc|f1|1|100
3000|42|libc.malloc|f2|1|20'
        same "SELECT group_concat(ts, ' ') FROM (SELECT ts FROM heap_profile ORDER BY ts)" "1000 2000 3000 4000 5000 6000"
        same "SELECT value FROM stats WHERE name = 'heapprofd_missing_packet'" 2
    done
}

@test "what each dump states again about its process counts once, and the last dump counts" {
    python3 - >again.pftrace <<'END'
import os, sys
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
from wire import field, message
def dump(pid, *more, heap='libc.malloc'):
    return 5, message((1, pid), (9, 900), (11, heap), *more)
for i, dumps in enumerate([
        [dump(42, (14, 2), (12, 4096), (13, 1024)), dump(42, (14, 2), (12, 4096), (13, 1024), heap='other'), dump(43, (14, 1))],
        [dump(42, (14, 1), (12, 512), (13, 1024)), dump(43), dump(44, (12, 1024), (13, 1024))]]):
    sys.stdout.buffer.write(field(1, message((8, 1000 + i), (10, 7), (37, message(*dumps, (7, i))))))
END
    tm-merge -q -o p.db again.pftrace
    same "SELECT name, idx, severity, value FROM stats WHERE value AND name IN ('heapprofd_client_error',
        'heapprofd_sampling_interval_adjusted') ORDER BY name, idx" \
        'heapprofd_client_error|42|error|1
heapprofd_client_error|43|error|1
heapprofd_sampling_interval_adjusted|42|info|-512'
}

@test "a path of a mapping that begins with a slash gets no other" {
    python3 - >path.pftrace <<'END'
import os, sys
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
from wire import field, message
def interned(lists):
    return message(*[(id, message(*m)) for id, messages in lists.items() for m in messages])
data = interned({5: [((1, 1), (2, 'f')), ((1, 2), (2, 'g'))], 17: [((1, 1), (2, '/usr/bin/app')), ((1, 2), (2, 'lib')), ((1, 3), (2, '/x'))],
                 19: [((1, 1), (7, 1)), ((1, 2), (7, 2), (7, 3))], 6: [((1, 1), (2, 1), (3, 1)), ((1, 2), (2, 2), (3, 2))],
                 7: [((1, 1), (2, 1), (2, 2))]})
sys.stdout.buffer.write(field(1, message((8, 1000), (10, 7), (13, 1), (12, data), (66, message((1, 0), (2, 5), (3, 5), (4, 1))))))
END
    tm-merge -q -o p.db path.pftrace
    same "SELECT f.name, m.name FROM stack_profile_frame f JOIN stack_profile_mapping m ON m.id = f.mapping ORDER BY 1" \
        'f|/usr/bin/app
g|/lib//x'
}

@test "statistics whose sum is no int64 are the largest or smallest one" {
    python3 - >large.pftrace <<'END'
import os, sys
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
from wire import field, message
for i in range(2):
    stats = message((2, (1 << 63) - 1), (5, 1 << 63))
    dump = message((1, 42), (9, 1000 + i), (5, stats))
    sys.stdout.buffer.write(field(1, message((8, 1000 + i), (10, 7), (37, message((5, dump), (7, i))))))
END
    tm-merge -o p.db -o p.pftrace large.pftrace 2>err
    same "SELECT name, value FROM stats WHERE name GLOB 'heapprofd_unwind*' ORDER BY name" \
        'heapprofd_unwind_samples|9223372036854775807
heapprofd_unwind_time_us|-9223372036854775808'
}

@test "each statistic has a sentence, and the source of the reference" {
    tm-merge -o p.db p.pftrace 2>err
    same "SELECT name, source, description FROM stats WHERE name IN ('heapprofd_missing_packet', 'heapprofd_unwind_samples')
        ORDER BY name" 'heapprofd_missing_packet|trace|Gaps in the numbers of profile packets
heapprofd_unwind_samples|trace|Stacks that heapprofd unwound'
    same "SELECT count(*) FROM stats WHERE description IS NULL" 0
    # an object without the fields of its phase; cpu 3 of ftrace before and after
    echo '[{"ph":"b","name":"n","cat":"c","ts":1,"pid":1}]' >j.json
    tm-merge -o p.db j.json 2>err
    same "SELECT name, source, description FROM stats WHERE value" \
        'json_parser_failure|trace|Chrome JSON objects that lack what their phase needs'
    # the table is searched by bisection
    grep -oE '^    \{"[a-z_]+"' "$TM_SRC/lib/emit/stat_words.c" | tr -d ' {"' >names
    [ "$(wc -l <names)" -ge 100 ]
    LC_ALL=C sort -c -u names
}

@test "a statistic of ftrace states its phase" {
    python3 - >f.pftrace <<'END'
import os, sys
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
from wire import field, message
for phase, overrun in ((1, 5), (2, 9)):
    stats = message((1, phase), (2, message((1, 3), (3, overrun))))
    sys.stdout.buffer.write(field(1, message((8, 1000 * phase), (10, 1), (34, stats))))
END
    tm-merge -o p.db f.pftrace 2>err
    same "SELECT idx, value, source, description FROM stats WHERE name GLOB 'ftrace_cpu_overrun_*' ORDER BY value" \
        "3|4|trace|Events that newer ones overwrote in a cpu's kernel buffer, from the start to the end of the recording
3|5|trace|Events that newer ones overwrote in a cpu's kernel buffer, at the start of the recording
3|9|trace|Events that newer ones overwrote in a cpu's kernel buffer, at the end of the recording"
}

@test "a merged trace that is read again has the same rows" {
    tm-merge -o m.pftrace p.pftrace 2>err
    tm-merge -o p.db m.pftrace 2>err
    same "$query" "$allocations"
}

@test "a dump is one event in every output" {
    run -0 --separate-stderr tm-merge -f csv --events p.pftrace
    [ "$(grep -c heap_dump <<<"$output")" = 8 ]
    run -0 --separate-stderr tm-merge p.pftrace
    [ "${#lines[@]}" = 9 ]
    run -0 --separate-stderr tm-merge -f report p.pftrace
    [[ $output == *"total: 16 events read, 16 placed, 0 dropped; the accounts balance"* ]]
    tm-merge -o d/ p.pftrace 2>err
    [ "$(wc -l <d/heap_profile_allocation.csv)" = 12 ]
}

@test "a heap profile over the least time there is begins at the last time there is" {
    "$TM_BIN/../t/gen/emit-stream" backward-dump | tm-emit -q -f sqlite -o backward.db
    [ "$(sqlite3 backward.db 'SELECT ts, dur FROM heap_profile')" = "9223372036854775807|-9223372036854775808" ]
}
