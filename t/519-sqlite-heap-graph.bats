#!/usr/bin/env bats
# tm-emit -f sqlite: graphs of Java heaps. The expected rows follow the rules of doc/model.md and are those of the reference.

bats_require_minimum_version 1.5.0

setup_file() {
    export PYTHONDONTWRITEBYTECODE=1
    python3 - >"$BATS_FILE_TMPDIR/g.pftrace" <<'END_OF_PYTHON'
import os, sys
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
from wire import field, message, varint

def packed(*numbers):
    return b''.join(varint(n) for n in numbers)

def object(*fields, refs=(), names=(), internal=()):
    return 2, message(*fields, *([(4, packed(*names))] if names else []), *([(5, packed(*refs))] if refs else []),
                      *((10, i) for i in internal))

def type(id, name, *fields, refs=()):
    return 9, message((1, id), (3, name), *fields, *([(6, packed(*refs))] if refs else []))

def names(number, **texts):
    return [(number, message((1, int(iid[1:])), (2, text))) for iid, text in texts.items()]

def graph(time, *fields, sequence=7):
    return [(8, time), (10, sequence), (56, message(*fields))]

snapshot = message(*[(1, message((1, clock), (2, t))) for clock, t in ((6, 1000), (3, 900), (1, 5000))])
packets = [
    [(6, snapshot), (10, 1), (8, 1000)],
    # names of fields by the class and its superclass; an object without a description; a field that is null
    graph(2000, (1, 42), (10, 5000), (5, 1), (6, 0),
          object((1, 100), (2, 1), (3, 24), (9, 1), refs=(101, 0, 900)),
          object((7, 1), (2, 2), (3, 40)),                       # 101
          object((7, 1), (2, 2), (9, 2), (8, 4097), refs=(100,)),  # 102, of the zygote; its class states its size
          (7, message((1, packed(100)), (2, 3))), (7, message((1, packed(100)), (2, 1)))),
    graph(2000, (1, 42), (5, 1), (6, 1),
          # a weak reference holds no object; a name for each reference, not packed; a root of the runtime
          object((1, 103), (2, 3), (6, 100), refs=(1, 0), names=(7, 8), internal=(105,)),
          object((1, 104), (2, 3), refs=(101, 102)),
          object((1, 105), (2, 4), (11, 77), (13, 640), (14, 480)),
          # classes: java.lang.Class<a.B> extends java.lang.Class<a.A>
          object((1, 110), (2, 10), (3, 8), refs=(111,), names=(9,)),
          object((1, 111), (2, 11), (3, 8))),
    graph(2000, (1, 42), (6, 2),
          # native memory that a cleaner frees
          object((1, 120), (2, 20), (3, 8), refs=(100, 121), names=(7, 10)),
          object((1, 121), (2, 21), (3, 8), refs=(102,), names=(11,)),
          type(1, 'a.B', (5, 2), (7, 1), (2, 1), (8, 200), refs=(1,)), type(2, 'a.A', (4, 56), (2, 1), (7, 1), refs=(2, 3)),
          type(3, 'a.Weak', (7, 9), refs=(7, 8)), type(4, 'a.Bitmap[]', (4, 16), (7, 4)), type(10, 'java.lang.Class<a.B>', (2, 1)),
          type(11, 'java.lang.Class<a.A>', (2, 1)), type(20, 'sun.misc.Cleaner', (2, 9)), type(21, 'thunk'),
          (7, message((1, 103), (1, 104), (2, 5))),
          *names(4, _1='a.A a.B.first', _2='int a.A.second', _3='a.A.third', _7='java.lang.ref.Reference.referent',
                 _8='b.C next', _9='java.lang.Class.superClass', _10='sun.misc.Cleaner.thunk',
                 _11='libcore.util.NativeAllocationRegistry$CleanerThunk.this$0'),
          *names(8, _1='/data/app/a.apk')),
    # another process; a packet is missing, and so is the last
    graph(3000, (1, 43), (6, 1), (5, 1), object((1, 1), (2, 1), (3, 8))),
    graph(3500, (1, 44), (6, 2), (5, 1), object((1, 2), (2, 1), (3, 8))),
]
for packet in packets:
    sys.stdout.buffer.write(field(1, message(*packet)))
END_OF_PYTHON
}

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
    export PYTHONDONTWRITEBYTECODE=1
    cp "$BATS_FILE_TMPDIR/g.pftrace" .
}

same() { # QUERY WANT
    same_text "$(sqlite3 g.db "$1")" "$2"
}

objects="SELECT p.pid, o.graph_sample_ts, o.self_size, o.native_size, o.reachable, o.heap_type, o.root_type, c.name
    FROM heap_graph_object o LEFT JOIN heap_graph_class c ON c.id = o.type_id JOIN process p USING (upid) ORDER BY o.id"
rows='42|2000|24|4096|1|HEAP_TYPE_APP|ROOT_JNI_GLOBAL|a.B
42|2000|40|0|1|HEAP_TYPE_APP||a.A
42|2000|-1|0|1|||
42|2000|56|0|1|HEAP_TYPE_ZYGOTE|ROOT_VM_INTERNAL|a.A
42|2000|0|0|1|HEAP_TYPE_ZYGOTE|ROOT_STICKY_CLASS|a.Weak
42|2000|16|0|1|HEAP_TYPE_ZYGOTE|ROOT_VM_INTERNAL|a.Bitmap[]
42|2000|0|0|1|HEAP_TYPE_ZYGOTE|ROOT_STICKY_CLASS|a.Weak
42|2000|8|0|1|HEAP_TYPE_ZYGOTE|ROOT_VM_INTERNAL|java.lang.Class<a.B>
42|2000|8|0|1|HEAP_TYPE_ZYGOTE|ROOT_VM_INTERNAL|java.lang.Class<a.A>
42|2000|8|0|1|HEAP_TYPE_ZYGOTE|ROOT_VM_INTERNAL|sun.misc.Cleaner
42|2000|8|0|1|HEAP_TYPE_ZYGOTE|ROOT_VM_INTERNAL|thunk
42|2000|-1|0|0|||
43|3000|8|0|0|||'

@test "objects have their classes, sizes and roots" {
    tm-merge -o g.db g.pftrace 2>err
    same "$objects" "$rows"
    same "SELECT p.pid, g.ts, g.heap_size, g.truncated FROM heap_graph g JOIN process p USING (upid) ORDER BY g.id" \
        '42|2000|5000|0
43|3000||1'
    same "SELECT c.name, c.location, s.name, c.classloader_id, c.kind FROM heap_graph_class c
        LEFT JOIN heap_graph_class s ON s.id = c.superclass_id ORDER BY c.id" \
        'a.B|/data/app/a.apk|a.A|11|KIND_NORMAL
a.A|/data/app/a.apk|||KIND_NORMAL
a.Weak||||KIND_WEAK_REFERENCE
a.Bitmap[]||||KIND_ARRAY
java.lang.Class<a.B>|/data/app/a.apk|||KIND_UNKNOWN
java.lang.Class<a.A>|/data/app/a.apk|||KIND_UNKNOWN
sun.misc.Cleaner||||KIND_UNKNOWN
thunk||||KIND_UNKNOWN
||||'
    same "SELECT start_ts, end_ts FROM trace_bounds" "2000|3000"
}

@test "references are named by the fields of the class and of its superclasses" {
    tm-merge -o g.db g.pftrace 2>err
    same "SELECT reference_set_id, owner_id, owned_id, field_name, field_type_name FROM heap_graph_reference ORDER BY id" \
        '0|0|1|a.B.first|a.A
0|0||a.A.second|int
0|0|2|a.A.third|
3|3|0|a.A.second|int
4|4|1|java.lang.ref.Reference.referent|
4|4||next|b.C
4|4|5|runtimeInternalObjects|
7|6|1|java.lang.ref.Reference.referent|
7|6|3|next|b.C
9|7|8|java.lang.Class.superClass|
10|9|0|java.lang.ref.Reference.referent|
10|9|10|sun.misc.Cleaner.thunk|
12|10|3|libcore.util.NativeAllocationRegistry$CleanerThunk.this$0|'
    same "SELECT DISTINCT o.reference_set_id = r.reference_set_id FROM heap_graph_object o
        JOIN heap_graph_reference r ON r.owner_id = o.id" 1
    same "SELECT p.field_name, p.field_type, coalesce(p.int_value, p.long_value) FROM heap_graph_object o
        JOIN heap_graph_object_data d ON d.id = o.object_data_id JOIN heap_graph_primitive p USING (field_set_id) ORDER BY p.id" \
        'android.graphics.Bitmap.mId|long|77
android.graphics.Bitmap.mWidth|int|640
android.graphics.Bitmap.mHeight|int|480'
}

@test "missing parts of a heap graph are counted" {
    tm-merge -o g.db g.pftrace 2>err
    same "SELECT name, severity, value FROM stats WHERE name GLOB 'heap_graph_*' ORDER BY name" \
        'heap_graph_invalid_string_id|error|1
heap_graph_missing_packet|error|1
heap_graph_non_finalized_graph|data_loss|2'
}

@test "classes that extend each other in a circle, and a cut list of references, do no harm" {
    python3 - >c.pftrace <<'END_OF_PYTHON'
import os, sys
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
from wire import field, message
graph = message((1, 1), (2, message((1, 1), (2, 1), (3, 4), (5, b'\1\1'))), (2, message((1, 2), (2, 1), (5, b'\x80'))),
                (2, message((1, 3), (2, 1))), (9, message((1, 1), (3, 'a'), (5, 2))), (9, message((1, 2), (3, 'b'), (5, 1))))
sys.stdout.buffer.write(field(1, message((8, 5), (10, 1), (56, graph))))
END_OF_PYTHON
    tm-merge -o g.db c.pftrace 2>err
    same "SELECT count(*) FROM heap_graph_object" 1
    same "SELECT owner_id, owned_id, field_name FROM heap_graph_reference" $'0|0|\n0|0|'
    same "SELECT value > 0 FROM stats WHERE name = 'heap_graph_malformed_packet'" 1
}

@test "many classes in a circle are read in a time that does not grow with the square of their number" {
    python3 - >large.pftrace <<'END_OF_PYTHON'
import os, sys
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
from wire import message
classes = [(9, message((1, i + 1), (3, f'T{i}'), (5, (i + 1) % 20000 + 1))) for i in range(20000)]
objects = [(2, message((1, i + 1), (2, i % 20000 + 1), (3, 8), (5, 1))) for i in range(60000)]
sys.stdout.buffer.write(message((1, message((8, 1000), (10, 1), (56, message((1, 7), *classes, *objects))))))
END_OF_PYTHON
    cpu_seconds 20 tm-merge -q -o large.db large.pftrace
    [ "$(sqlite3 large.db 'SELECT count(*) FROM heap_graph_object')" -eq 60000 ]
}

@test "a merged trace that is read again has the same rows, also as tables" {
    tm-merge -o m.pftrace g.pftrace 2>err
    tm-merge -o g.db m.pftrace 2>err
    same "$objects" "$rows"
    tm-merge -o d/ g.pftrace 2>err
    [ "$(wc -l <d/heap_graph_object.csv)" = 14 ]
    run -0 --separate-stderr tm-merge -f report g.pftrace
    [[ $output == *"the accounts balance"* ]]
}
