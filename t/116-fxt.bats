# Fuchsia traces: every record type, in a database, as a merged trace and as Chrome JSON.

setup_file() {
    python3 "$TM_SRC/t/gen/make-fxt.py" "$BATS_FILE_TMPDIR/a.fxt"
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    cp "$BATS_FILE_TMPDIR/a.fxt" .
}

# Prints the rows of QUERY on x.db, one on each line.
rows() {
    sqlite3 x.db "$1" | tr '\n' ' '
}

@test "fuchsia: a trace is recognised, its clock is BOOTTIME, and records without rows are accounted for" {
    tm-merge -f report a.fxt >report
    grep -q '^ *0  fuchsia ' report
    grep -q 'BOOTTIME of host, claimed by' report
    grep -q '30 events read, 20 placed, 10 dropped' report
    grep -q 'needs_state: 3,' report
    grep -q 'out_of_range: 1,' report
    grep -q 'not_shown: 6,' report
    grep -q 'fuchsia_buffer_full = 1 (data_loss' report
    grep -q 'fuchsia_non_numeric_counters = 2 ' report # the reference counts arguments
    grep -q 'fuchsia_provider.7 = provider-seven' report
}

@test "fuchsia: slices, instants, async operations, flows, counters, scheduling and packets in blobs become rows" {
    tm-merge -o x.db a.fxt
    [ "$(rows "SELECT s.ts || ',' || s.dur || ',' || s.name || ',' || s.depth || ',' || ifnull(t.tid, '') FROM slice s
        LEFT JOIN thread_track tt ON s.track_id = tt.id LEFT JOIN thread t USING (utid) ORDER BY s.ts, s.name")" = \
        "1000,1000,work,0,101 1100,0,instant,1,101 1120,0,work,1,101 1200,0,in a blob,0, 1200,200,inner,1,101 1200,400,request,0, 1240,0,got it,1, 1700,200,far,0,201 " ]
    [ "$(rows "SELECT o.name || '>' || i.name FROM flow f JOIN slice o ON o.id = slice_out JOIN slice i ON i.id = slice_in")" = "inner>far " ]
    [ "$(rows "SELECT c.ts || ',' || t.name || ',' || c.value || ',' || p.name FROM counter c
        JOIN process_counter_track t ON t.id = c.track_id JOIN process p USING (upid)")" = \
        "1020,queue:depth:9,3.0,app 1020,queue:load:9,1.5,app " ]
    # 70000 does not fit into 16 bits; nothing runs on an idle cpu
    [ "$(rows "SELECT s.ts || ',' || s.dur || ',' || cpu || ',' || t.tid || ',' || s.end_state || ',' || s.priority FROM sched s
        JOIN thread t USING (utid) ORDER BY s.ts")" = "800,100,0,101,S,70000 820,40,1,201,T,16 900,60,0,102,R,20 " ]
    [ "$(rows "SELECT p.pid || ',' || ifnull(p.name, '') || ',' || t.tid || ',' || ifnull(t.name, '') FROM thread t JOIN process p USING (upid)
        WHERE p.pid > 0 AND t.tid <> p.pid ORDER BY t.tid")" = "100,app,101,main 100,app,102,worker 200,,201, " ]
}

# Prints the arrows of FILE as SOURCE>TARGET.
arrows() {
    tm-merge -q -o x.db "$1"
    rows "SELECT o.name || '>' || i.name FROM flow f JOIN slice o ON o.id = slice_out JOIN slice i ON i.id = slice_in ORDER BY i.ts"
}

@test "fuchsia: events of a flow belong together whatever their names and categories are, also in merged files" {
    python3 - >flow.fxt <<'END'
import importlib.util, os, sys
spec = importlib.util.spec_from_file_location('fxt', os.environ['TM_SRC'] + '/t/gen/make-fxt.py')
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
fxt = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fxt)
out = fxt.MAGIC + fxt.provider(1, 'p')
for i, (kind, name) in enumerate(((8, 'ask'), (9, ''), (10, 'answer'))):
    ts, thread = 1000 + 100 * i, (100, 101 + i)
    out += fxt.event(4, ts, thread, 'c', 'slice %d' % i, [], ts + 50)
    out += fxt.event(kind, ts, thread, 'c%d' % i, name, [], 7)
sys.stdout.buffer.write(out)
END
    want="slice 0>slice 1 slice 1>slice 2 "
    [ "$(arrows flow.fxt)" = "$want" ]
    tm-merge -q -o m.pftrace -o m.json flow.fxt
    [ "$(arrows m.pftrace)" = "$want" ]
    [ "$(arrows m.json)" = "$want" ]
}

@test "fuchsia: values of counters are unsigned if they are stated so" {
    python3 - >counter.fxt <<'END'
import importlib.util, os, sys
spec = importlib.util.spec_from_file_location('fxt', os.environ['TM_SRC'] + '/t/gen/make-fxt.py')
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
fxt = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fxt)
values = [fxt.arg('a', 4, 1 << 63), fxt.arg('b', 4, 5), fxt.arg('c', 3, -5), fxt.arg('d', 4, (1 << 64) - 1)]
sys.stdout.buffer.write(fxt.MAGIC + fxt.provider(1, 'p') + fxt.event(1, 1000, (1, 2), 'c', 'n', values, 0))
END
    tm-merge -q -o x.db counter.fxt
    [ "$(rows "SELECT t.name || '=' || printf('%.10g', c.value) FROM counter c JOIN track t ON t.id = c.track_id ORDER BY 1")" = \
        "n:a:0=9.223372037e+18 n:b:0=5 n:c:0=-5 n:d:0=1.844674407e+19 " ]
}

@test "fuchsia: the tracks of asynchronous operations have the source that the reference states" {
    tm-merge -q -o x.db a.fxt
    [ "$(rows "SELECT key || '=' || ifnull(display_value, 'NULL') FROM track t
        JOIN args a ON a.arg_set_id = t.source_arg_set_id WHERE t.name = 'request' ORDER BY key")" = \
        "source=chrome source_scope=NULL trace_id_is_process_scoped=false " ]
}

@test "fuchsia: arguments of every type are args of rows" {
    tm-merge -o x.db a.fxt
    [ "$(rows "SELECT key || '=' || display_value FROM args a JOIN slice s USING (arg_set_id) WHERE s.ts IN (1000, 1100) ORDER BY s.ts, a.id")" = \
        "n=-5 u=4000000000 s=text nothing=null result=1 i64=-1099511627776 u64=1099511627776 d=0.5 p=0xff0 k=100 yes=true later=unknown " ]
}

@test "fuchsia: a merged trace that is read again has the same times" {
    tm-merge -o again.pftrace a.fxt
    tm-merge -o x.db again.pftrace
    [ "$(rows "SELECT ts || ',' || dur || ',' || name FROM slice ORDER BY ts, name")" = \
        "1000,1000,work 1100,0,instant 1120,0,work 1200,0,in a blob 1200,200,inner 1200,400,request 1240,0,got it 1700,200,far " ]
    [ "$(rows "SELECT s.ts || ',' || s.dur || ',' || t.tid || ',' || s.priority FROM sched s JOIN thread t USING (utid) WHERE tid > 0 ORDER BY s.ts")" = \
        "800,100,101,70000 820,40,201,16 900,60,102,20 " ]
    tm-merge -f json a.fxt >a.json
    [ "$(python3 -c 'import json; print(sorted((e["ts"], e["name"]) for e in json.load(open("a.json"))["traceEvents"] if e["ph"] in "XBbC"))')" = \
        "[(0.8, 'main'), (0.82, ''), (0.9, 'worker'), (1, 'work'), (1.02, 'queue:depth:9'), (1.02, 'queue:load:9'), (1.2, 'inner'), (1.2, 'request'), (1.7, 'far')]" ]
}

@test "fuchsia: events are on the clock of a proto of the machine, or on a clock of their own if pinned" {
    mkdir run
    mv a.fxt run
    cat >make.py <<'PY'
import sys
sys.path.insert(0, sys.argv[1])
import importlib
fxt = importlib.import_module('make-fxt')
packet = fxt.packet
snapshot = fxt.field(1, fxt.field(6, fxt.field(1, fxt.field(1, 6) + fxt.field(2, 10000)) + fxt.field(1, fxt.field(1, 3) + fxt.field(2, 4000))))
open('run/a.pftrace', 'wb').write(snapshot + packet(1500, fxt.field(9, 3) + fxt.field(23, b'proto') + fxt.field(11, 1)))
PY
    python3 make.py "$TM_SRC/t/gen"
    tm-merge -o x.db run
    [ "$(rows "SELECT name || ',' || ts FROM slice WHERE name IN ('proto', 'far', 'in a blob') ORDER BY name")" = "far,1700 in a blob,1200 proto,1500 " ]
    printf '{"perfetto_manifest":{"version":1,"files":[{"path":"a.pftrace"},{"path":"a.fxt","clocks":{"sync_to":{"file":"a.pftrace","clock":"BOOTTIME"},"offset_ns":-500}}]}}' >run/m.json
    rm -f x.db
    tm-merge -o x.db run
    [ "$(rows "SELECT name || ',' || ts FROM slice WHERE name IN ('proto', 'far', 'in a blob') ORDER BY name")" = "far,1200 in a blob,700 proto,1500 " ]
}

@test "fuchsia: a cut trace is an error, or shows the events before the cut" {
    head -c 400 a.fxt | head -c -4 >cut.fxt
    run tm-merge cut.fxt
    [ "$status" -eq 1 ]
    [[ $output == *"cut.fxt: byte "*": the last record is cut short"* ]]
    tm-merge --on-damage skip -f report cut.fxt | grep -q 'damaged: 1'
}

@test "fuchsia: compressed packets in blobs count as expansion" {
    python3 - <<'PY'
import os, runpy, sys, zlib
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
from wire import field
fxt = runpy.run_path(os.environ['TM_SRC'] + '/t/gen/make-fxt.py')
packets = field(50, zlib.compress(field(1, field(900, bytes(1000000))) * 20))
with open('b.fxt', 'wb') as f:
    f.write(fxt['MAGIC'] + fxt['provider'](7, 'p') + fxt['blob'](3, 'perfetto', field(1, packets)))
PY
    tm-unpack --max-expansion=21M b.fxt >/dev/null
    for how in halt skip salvage; do
        run bash -c "tm-unpack --max-expansion=10M --on-damage=$how b.fxt >/dev/null"
        [ "$status" -eq 1 ]
        [[ $output == *"b.fxt: perfetto blobs: compressed input expands to more than the limit of 10485760 bytes in all (--max-expansion raises it)" ]]
    done
}

@test "fuchsia: each switch and waking begins a state with its cpu, and a woken thread is in the state W" {
    cat >make.py <<'PY'
import sys
sys.path.insert(0, sys.argv[1])
import importlib
fxt = importlib.import_module('make-fxt')
weights = [fxt.arg('outgoing_weight', 1, 5), fxt.arg('incoming_weight', 1, 5)]
b = fxt.MAGIC + fxt.switch(10, 1, 3, 21, 22, weights) + fxt.wakeup(20, 1, 21, [fxt.arg('waker', 8, 22)])
b += fxt.wakeup(30, 2, 21) + fxt.wakeup(40, 2, 23, [fxt.arg('waker', 8, 24)]) + fxt.switch(50, 2, 3, 24, 21, weights)
b += fxt.switch(60, 1, 2, 23, 24, weights)
open('a.fxt', 'wb').write(b)
PY
    python3 make.py "$TM_SRC/t/gen"
    tm-merge -q -o x.db a.fxt
    sqlite3 x.db "SELECT s.ts, s.dur, s.state, t.tid, s.ucpu, w.tid, o.state FROM thread_state s JOIN thread t USING (utid)
        LEFT JOIN thread w ON w.utid = s.waker_utid LEFT JOIN thread_state o ON o.id = s.waker_id ORDER BY s.id" >got
    diff -u - got <<'END'
10|10|S|21|1||
10|-1|Running|22|1||
20|10|W|21|1|22|Running
30|20|W|21|2|21|W
40|20|W|23|2|24|
50|10|S|24|2||
50|-1|Running|21|2||
60|-1|T|23|1||
60|-1|Running|24|1||
END
    [ "$(rows "SELECT count(*) FROM spurious_sched_wakeup")" = "0 " ]
}
