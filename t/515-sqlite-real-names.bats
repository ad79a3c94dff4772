# tm-emit -f sqlite: names that a build shortened, by the mappings that a trace states. The expected rows are the
# reference importer's.

setup() {
    . "$TM_SRC/t/lib/common.bash"
    cd "$BATS_TEST_TMPDIR"
    export PYTHONDONTWRITEBYTECODE=1
    cat >make.py <<'END'
import os, sys
sys.path.insert(0, os.environ['TM_SRC'] + '/t/gen')
from wire import field, message, varint

def packed(*numbers):
    return b''.join(varint(n) for n in numbers)

def names(number, **texts):
    return [(number, message((1, int(iid[1:])), (2, text))) for iid, text in texts.items()]

def member(short, real, *lines):
    return message((1, short), (2, real), *lines)

def type(id, name, *fields):
    return 9, message((1, id), (3, name), *fields)

def mapping(package):
    return [(10, 9), (64, message((1, package), (3, message(
        (1, 'a'), (2, 'com.foo.Real'), (3, member('f', 'field')), (3, member('g', 'com.foo.Other.gg')), (4, member('m', 'run')),
        (4, member('n', 'inner', (3, 1), (4, 3), (5, 10))), (4, member('n', 'outer', (3, 1), (4, 3), (5, 20))),
        (4, member('n', 'third', (3, 5), (4, 7), (5, 30))), (4, member('o', 'one')), (4, member('o', 'com.foo.X.two'))))))]

frames = [(1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (1, 2), (1, 3)]
interned = message(
    *names(17, _1='data', _2='app', _3='com.foo-abc==', _4='base.apk', _5='memfd:jit', _6='system'), *names(16, _1='id'),
    *((19, message((1, iid), (2, 1), (4, 0), *((7, i) for i in path))) for iid, path in ((1, (1, 2, 3, 4)), (2, (5,)), (3, (6,)))),
    *names(5, _1='a.m', _2='a.n', _3='a.o', _4='plain', _5='b.m'), *names(18, _1='x.java'),
    *((6, message((1, i), (2, name), (3, path), (4, 16 * i), *([(5, 1), (6, 2)] if 'lines' in sys.argv and i == 2 else [])))
      for i, (name, path) in enumerate(frames, 1)), (7, message((1, 1), *((2, i) for i in range(1, 8)))))
profile = [[(8, 100), (10, 7), (13, 1), (12, interned)],
           [(8, 1000), (10, 7), (66, message((1, 3), (2, 9), (3, 10), (4, 1), (5, 2)))]]
graph = [[(8, 2000), (10, 8), (13, 1), (56, message(
    (1, 42), (6, 0), (2, message((1, 100), (2, 1), (3, 24), (4, packed(1, 2)), (5, packed(101, 101)))),
    *((2, message((1, 100 + i), (2, i + 1), (3, 40))) for i in range(1, 5)),
    type(1, 'a', (2, 1)), type(2, 'java.lang.Class<a[]>', (2, 1)), type(3, 'a[][]'), type(4, 'a', (2, 2)), type(5, 'a', (2, 3)),
    *names(4, _1='x.Y a.f', _2='int a.g'),
    *names(8, _1='/data/app/~~x==/com.foo-yy==/base.apk', _2='/data/app/com.bar-1/base.apk', _3='/system/framework/x.jar')))]]
parts = {'profile': profile, 'graph': graph, 'foo': [mapping('com.foo')], 'none': [mapping('')]}
for packet in sum((parts.get(word, []) for word in sys.argv[1:]), []):
    sys.stdout.buffer.write(field(1, message(*packet)))
END
}

same() { # QUERY WANT
    same_text "$(sqlite3 n.db "$1")" "$2"
}

@test "functions have names of the package of the mapped file, or of any package in memory, and several if ambiguous" {
    python3 make.py profile foo >n.pftrace
    tm-merge -o n.db n.pftrace
    same "SELECT f.name, p.name, f.deobfuscated_name FROM stack_profile_frame f JOIN stack_profile_mapping p ON p.id = f.mapping
        ORDER BY f.id" 'a.m|/data/app/com.foo-abc==/base.apk|com.foo.Real.run
a.n|/data/app/com.foo-abc==/base.apk|com.foo.Real.inner | com.foo.Real.outer | com.foo.Real.third
a.o|/data/app/com.foo-abc==/base.apk|com.foo.Real.one | com.foo.X.two
plain|/data/app/com.foo-abc==/base.apk|
b.m|/data/app/com.foo-abc==/base.apk|
a.m|/memfd:jit|com.foo.Real.run
a.m|/system|'
}

@test "the line of a function decides which function it is and which are inlined there" {
    python3 make.py profile lines foo >n.pftrace
    tm-merge -o n.db n.pftrace
    same "SELECT deobfuscated_name FROM stack_profile_frame WHERE name = 'a.n'" com.foo.Real.outer
    same "SELECT s.name, s.source_file, s.line_number, s.inlined FROM stack_profile_frame f
        JOIN stack_profile_symbol s USING (symbol_set_id) WHERE f.name = 'a.n' ORDER BY s.id" $'com.foo.Real.inner||10|1
com.foo.Real.outer||20|0'
}

@test "classes and fields of heap graphs have their names, also arrays and classes of classes" {
    python3 make.py graph foo >n.pftrace
    tm-merge -o n.db n.pftrace
    same "SELECT name, location, deobfuscated_name FROM heap_graph_class ORDER BY id" \
        'a|/data/app/~~x==/com.foo-yy==/base.apk|com.foo.Real
java.lang.Class<a[]>|/data/app/~~x==/com.foo-yy==/base.apk|java.lang.Class<com.foo.Real[]>
a[][]||com.foo.Real[][]
a|/data/app/com.bar-1/base.apk|
a|/system/framework/x.jar|com.foo.Real'
    same "SELECT field_name, deobfuscated_field_name FROM heap_graph_reference ORDER BY id" $'a.f|com.foo.Real.field
a.g|com.foo.Other.gg'
}

@test "a mapping of no package names functions and classes whose package is unknown" {
    python3 make.py profile graph none >n.pftrace
    tm-merge -o n.db n.pftrace
    same "SELECT deobfuscated_name FROM heap_graph_class ORDER BY id" $'\n\ncom.foo.Real[][]\n\ncom.foo.Real'
    same "SELECT count(deobfuscated_name) FROM stack_profile_frame" 0
}

@test "a mapping may be in another file, and is there once after a merge" {
    python3 make.py profile graph >n.pftrace
    python3 make.py foo >mapping.pftrace
    tm-merge -o n.db n.pftrace mapping.pftrace
    same "SELECT count(deobfuscated_name) FROM stack_profile_frame" 4
    same "SELECT count(deobfuscated_name) FROM heap_graph_class" 4
    same "PRAGMA integrity_check" ok
    tm-merge -o m.pftrace n.pftrace mapping.pftrace
    tm-merge -o n.db m.pftrace
    same "SELECT count(deobfuscated_name) FROM stack_profile_frame" 4
}
