#!/usr/bin/env bats
# Exports of Nsight Systems: the rows of their tables in all versions; clocks; databases of other programs, damaged and
# hostile ones. t/data/nsight.sqlite is a recording of nsys 2022.4.2 on a machine without a GPU, without the names of
# other processes. t/gen/make-nsight.py generates, by the schema reference, what it lacks.

setup() {
    cd "$BATS_TEST_TMPDIR"
    . "$TM_SRC/t/lib/common.bash"
}

make_nsight() {
    python3 "$TM_SRC/t/gen/make-nsight.py" "$@"
}

# Prints the slices of x.db: time since the session began, duration, depth, name, category, thread, process.
slices() {
    sqlite3 x.db "SELECT s.ts - ${1:-1763900000123456789}, s.dur, s.depth, s.name, s.category, t.name, p.name FROM slice s
        LEFT JOIN thread_track k ON s.track_id = k.id LEFT JOIN thread t USING (utid) LEFT JOIN process p USING (upid)
        ORDER BY s.ts, s.dur DESC"
}

@test "nsight: calls are on threads, kernels and copies on streams of devices, ranges and marks on threads" {
    make_nsight new.sqlite
    tm-merge -q -o x.db new.sqlite
    slices >got
    diff - got <<'END'
1000|8000|0|step 1|steps|main thread|./train
1500|6500|0|epoch|nvtx||
1600|6900|0|crosses it|nvtx||
2000|600|1|cudaLaunchKernel_v7000|cuda|main thread|./train
2500|0|0|registered text|nvtx|loader|./train
3000|200|1|cudaMemcpyAsync_v3020|cuda|main thread|./train
3300|100|1|cudaMemsetAsync_v3020|cuda|main thread|./train
3500|400|1|poll|osrt|main thread|./train
4000|2000|0|gemm|kernel|stream 7 (context 1, pid 4242)|GPU 0 (NVIDIA H200)
6100|400|0|memcpy Host-to-Device|memcpy|stream 7 (context 1, pid 4242)|GPU 0 (NVIDIA H200)
6600|100|0|memset|memset|stream 13 (context 1, pid 4242)|GPU 0 (NVIDIA H200)
7000|500|1|MPI_Allreduce|mpi_collectives|main thread|./train
8600|-1|0|never popped|nvtx|loader|./train
END
    # a call that ends before it begins; the name of a thread, waits on a stream and metrics, which no output shows
    [ "$(sqlite3 x.db "SELECT group_concat(reason || ' ' || events) FROM tm_accounting WHERE reason != 'placed'")" = 'not_shown 5,damaged 1' ]
    [ "$(sqlite3 x.db "SELECT COUNT(*) FROM process WHERE name = 'idle'")" -eq 0 ]
}

@test "nsight: threads run on cpus from their arrival until they leave or another thread comes" {
    make_nsight new.sqlite
    tm-merge -q -o x.db new.sqlite
    sqlite3 x.db "SELECT s.ts - 1763900000123456789, s.dur, s.cpu, t.tid, t.name, p.name, s.end_state FROM sched s JOIN thread t USING (utid)
        LEFT JOIN process p USING (upid)" >got
    diff -u - got <<'END'
900|300|3|4242|main thread|./train|
1300|100|3|4250|loader|./train|
1400|-1|3|4260||./train|
1450|-1|4|4242|main thread|./train|
END
}

@test "nsight: a switch on a cpu past the limit is counted as damaged" {
    make_nsight new.sqlite
    sqlite3 new.sqlite 'UPDATE SCHED_EVENTS SET cpu = 65536 WHERE cpu = 4'
    tm-merge -q -o x.db new.sqlite
    [ "$(sqlite3 x.db 'SELECT group_concat(DISTINCT cpu) FROM sched')" = 3 ]
    [ "$(sqlite3 x.db "SELECT events FROM tm_accounting WHERE reason = 'damaged'")" -eq 2 ]
}

@test "nsight: events have arguments, and arrows lead from calls to the work that they started" {
    make_nsight new.sqlite
    tm-merge -q -o x.db new.sqlite
    args() { sqlite3 x.db "SELECT group_concat(key || '=' || display_value, ' ') FROM args JOIN slice USING (arg_set_id) WHERE name = '$1'"; }
    [ "$(args 'step 1')" = 'int64Value=-1 color=#ff76b900' ]
    [ "$(args 'registered text')" = 'doubleValue=0.5 domainId=9' ]
    [ "$(args cudaMemcpyAsync_v3020)" = 'correlationId=78 returnValue=700' ]
    [ "$(args 'memcpy Host-to-Device')" = 'correlationId=78 bytes=4096 srcKind=Pinned dstKind=Device' ]
    [[ "$(args gemm)" == *'gridX=8 gridY=1'*'dynamicSharedMemory=1024 demangledName=void gemm<float>(float*, int)' ]]
    [ "$(sqlite3 x.db "SELECT group_concat(o.name || '>' || i.name) FROM flow f JOIN slice o ON o.id = slice_out JOIN slice i ON i.id = slice_in")" = \
        'cudaLaunchKernel_v7000>gemm,cudaMemcpyAsync_v3020>memcpy Host-to-Device,cudaMemsetAsync_v3020>memset' ]
}

@test "nsight: an old export without NULL, the time of the session and names of processes is read" {
    make_nsight old.sqlite
    make_nsight old old.sqlite
    make_nsight new.sqlite
    tm-merge -q -o x.db old.sqlite
    slices 0 | cut -d'|' -f1-5 >old
    tm-merge -q -f report old.sqlite | grep -q 'TRACE_FILE of host, claimed by old.sqlite'
    [ "$(sqlite3 x.db "SELECT display_value FROM args WHERE key = 'int64Value'")" = -1 ]
    rm x.db
    tm-merge -q -o x.db new.sqlite
    slices | cut -d'|' -f1-5 | diff - old
}

@test "nsight: missing tables are no error" {
    make_nsight lazy lazy.sqlite
    tm-merge -q -o x.db lazy.sqlite
    [ "$(sqlite3 x.db "SELECT group_concat(s.ts || ' ' || s.name || ' ' || t.tid) FROM slice s JOIN thread_track k ON s.track_id = k.id JOIN thread t USING (utid)")" = \
        '10 poll 6,30 call 8 6' ]
}

@test "nsight: a recording of nsys has the times that the program itself saw" {
    cp "$TM_SRC/t/data/nsight.sqlite" .
    tm-merge -q -o x.db nsight.sqlite
    # the program read the wall clock just before and after the mark
    [ "$(sqlite3 x.db "SELECT COUNT(*) FROM slice WHERE name = 'here' AND ts BETWEEN 1795439077953431815 AND 1795439077953432886")" -eq 1 ]
    slices 1795439077835198947 | grep -E '\|(warm up|step|inner|whole|registered text)\|' >got
    diff - got <<'END'
117049301|1116552|0|warm up|nvtx|nv|./nv
118230940|29347400|0|whole|nvtx||
118370868|8753749|0|step|steps||./nv
124005995|3117300|1|inner|nvtx||./nv
126483353|0|0|registered text|my domain|nv|./nv
127125759|8252022|0|step|steps||./nv
132249926|3126313|1|inner|nvtx||./nv
135379373|11999901|0|step|steps||./nv
140503801|6873670|1|inner|nvtx||./nv
END
    [ "$(sqlite3 x.db "SELECT COUNT(*) FROM slice WHERE category = 'osrt'")" -eq 13 ]
    [ "$(sqlite3 x.db "SELECT DISTINCT reason FROM tm_accounting")" = placed ]
}

@test "nsight: an export merges with other traces of the same time, and the result can be read again" {
    make_nsight a.sqlite
    printf '4242 1763900000.123461000 write(1, "x", 1) = 1\n' >s.strace
    tm-merge -q -o m.pftrace a.sqlite s.strace
    tm-merge -q -o x.db m.pftrace
    [ "$(sqlite3 x.db "SELECT group_concat(name || ' ' || (ts - 1763900000123456789)) FROM
        (SELECT * FROM slice WHERE name IN ('poll', 'write', 'gemm') ORDER BY ts)")" = 'poll 3500,gemm 4000,write 4211' ]
    [ "$(sqlite3 x.db "SELECT COUNT(DISTINCT upid) FROM process WHERE pid = 4242")" -eq 1 ]
    [ "$(sqlite3 x.db "SELECT COUNT(*) FROM flow")" -eq 3 ]
}

@test "nsight: an export from a pipe, in gzip and in an archive gives the same rows" {
    make_nsight a.sqlite
    gzip -k a.sqlite
    tar cf a.tar a.sqlite
    rows() { tm-merge -q --events -f csv "$1" | cut -d, -f1-4,8-10; }
    rows a.sqlite >want
    [ "$(wc -l <want)" -eq 21 ]
    cat a.sqlite | rows - | diff want -
    rows a.sqlite.gz | diff want -
    rows a.tar | diff want -
}

@test "nsight: other databases are named, and left out with --ignore-unknown" {
    make_nsight a.sqlite
    tm-merge -q -o merged.db a.sqlite
    run tm-merge -f csv merged.db
    [ "$status" -eq 1 ]
    [[ $output == *"merged.db: a database that tracemerge wrote; merge the traces that it was made from (--ignore-unknown leaves it out)"* ]]
    sqlite3 other.db 'CREATE TABLE t (x)'
    run tm-merge -f csv other.db
    [ "$status" -eq 1 ]
    [[ $output == *"other.db: a database of SQLite that is not an export of Nsight Systems (nsys export --type sqlite)"* ]]
    tm-merge -q --ignore-unknown -f report merged.db other.db a.sqlite >report
    grep -q 'other.db: 1 event read, 0 placed, 1 dropped, 8192 bytes skipped' report
    grep -qE ' unknown +[0-9]+ +merged\.db$' report
    grep -q 'a.sqlite: 26 events read, 20 placed, 6 dropped' report
}

@test "nsight: a log beside the database is counted and not read" {
    make_nsight wal a.sqlite
    make_nsight b.sqlite
    tm-merge -q -f csv b.sqlite | cut -d, -f1-4 >want
    tm-merge -q -f csv a.sqlite | cut -d, -f1-4 | diff want -
    tm-merge -q -f report a.sqlite | grep -q nsight_log_not_read
    python3 - <<'PY'
import sqlite3
db = sqlite3.connect('c.sqlite')
db.execute('PRAGMA journal_mode = WAL')
db.execute('CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)')
db.commit()
open('copy.sqlite', 'wb').write(open('c.sqlite', 'rb').read())
PY
    run tm-merge -f csv copy.sqlite
    [ "$status" -eq 1 ]
    [[ $output == *"copy.sqlite: a database of SQLite without tables: its content is in the file beside it that ends in -wal"* ]]
}

@test "nsight: names of domains that the table of strings has no room for take no memory" {
    is_sanitized && skip "figures of sanitized programs say little"
    python3 - <<'END'
import sqlite3
db = sqlite3.connect('domains.sqlite')
db.execute('CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT)')
db.execute('CREATE TABLE NVTX_EVENTS(start INTEGER, "end" INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, '
           'domainId INTEGER)')
db.executemany('INSERT INTO NVTX_EVENTS VALUES(0, NULL, 75, ?, 0, ?)', (('%08d' % i + 'd' * 4088, i) for i in range(14000)))
db.commit()
END
    python3 "$TM_SRC/t/check/peak.py" /dev/null tm-unpack domains.sqlite >kib
    [ "$(<kib)" -lt 65000 ] # 77,000 with the names
}

@test "nsight: texts beyond the limit are cut between two characters, and counted" {
    make_nsight new.sqlite
    python3 - <<'END'
import sqlite3
db = sqlite3.connect('new.sqlite')
db.execute("UPDATE StringIds SET value = ? WHERE value = 'gemm'", ('g' + 'é' * 3000,))
db.commit()
END
    tm-merge -q -o x.db new.sqlite
    [ "$(sqlite3 x.db "SELECT length(name), length(CAST(name AS BLOB)) FROM slice WHERE name LIKE 'gé%'")" = '2048|4095' ]
    [ "$(sqlite3 x.db "SELECT severity, value FROM stats WHERE name = 'nsight_texts_cut'")" = 'data_loss|1' ]
}

@test "nsight: a damaged export is an error, or is read as far as possible" {
    make_nsight a.sqlite
    head -c 20000 a.sqlite >cut.sqlite
    run tm-merge -f csv cut.sqlite
    [ "$status" -eq 1 ]
    [[ $output == *"cut.sqlite: SQLite: database disk image is malformed (--on-damage=skip or salvage goes on)"* ]]
    tm-merge -q --on-damage=skip -f report cut.sqlite | grep -q '0 placed, 1 dropped, 20000 bytes skipped'
    tm-merge -q --on-damage=salvage -f csv cut.sqlite | grep -q ',cudaLaunchKernel_v7000,cuda'
    # the page of a table
    root=$(sqlite3 a.sqlite "SELECT rootpage FROM sqlite_master WHERE name = 'OSRT_API'")
    printf '\0\0\0\0\0\0\0\0' | dd of=a.sqlite bs=1 seek=$(((root - 1) * 1024)) conv=notrunc 2>/dev/null
    run tm-merge -f csv a.sqlite
    [ "$status" -eq 1 ]
    [[ $output == *"a.sqlite: table OSRT_API: SQLite: database disk image is malformed"* ]]
    tm-merge -q --on-damage=skip -f report a.sqlite >report
    grep -q 'damaged: 1' report
    grep -q ' 19 placed' report
}

@test "nsight: views, virtual tables, computed columns and tables without a key do no harm" {
    for kind in view virtual column; do
        make_nsight hostile $kind $kind.sqlite
        tm-merge -q -f report $kind.sqlite | grep -q ' 0 placed'
    done
    make_nsight hostile keyless keyless.sqlite
    run tm-merge -f csv keyless.sqlite
    [ "$status" -eq 1 ]
    [[ $output == *"table OSRT_API: SQLite: more work than a file of this size can need"* ]]
}
