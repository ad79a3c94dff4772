#!/usr/bin/env python3
"""Prints tables made from Perfetto's schema: lib/perfetto/typed_fields.c, which has the messages in track events, or
with -c lib/perfetto/config_fields.c, which has the configuration of a recording.

usage: typed-fields.py [-c] PERFETTO_SOURCE

Needs protoc. Takes those fields of TrackEvent that the importer shows unchanged (kReflectFields of its
track_event_parser.h), and all extensions of Chrome's, Android's and GPUs'.
"""
import os, re, subprocess, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from protos import fields

ANDROID = 'protos/third_party/android/frameworks/'
EXTENSIONS = ('protos/third_party/chromium/chrome_track_event.proto', 'protos/perfetto/trace/gpu/gpu_track_event.proto',
              ANDROID + 'base/proto/tracing/frameworks_base_track_event.proto',
              ANDROID + 'native/tracing/frameworks_native_track_event.proto')
TRACK_EVENT = '.perfetto.protos.TrackEvent'
CONFIG = 'protos/perfetto/config/trace_config.proto'
TRACE_CONFIG = '.perfetto.protos.TraceConfig'
ANNOTATION = '.perfetto.protos.DebugAnnotation'
KINDS = {1: 'DOUBLE', 2: 'FLOAT', 3: 'INT', 4: 'UINT', 5: 'INT32', 6: 'UINT', 7: 'UINT', 8: 'BOOL', 9: 'TEXT', 11: 'MESSAGE',
         12: 'BYTES', 13: 'UINT32', 14: 'ENUM', 15: 'INT32', 16: 'INT', 17: 'ZIGZAG', 18: 'ZIGZAG'}
FLAGS = {'INT': 'FLAGS', 'INT32': 'FLAGS32'}
ENUMS = ('ENUM', 'FLAGS', 'FLAGS32')
FLAGS_ENUM = 73921 # the option of a field whose bits are values of an enum (field_options.proto)


def members(data):
    out = {}
    for number, _, value, *_ in fields(data):
        out.setdefault(number, []).append(value)
    return out


def read_field(data):
    m = members(data)
    kind, flags = KINDS[m[5][0]], members(m.get(8, [b''])[0]).get(FLAGS_ENUM)
    return {'number': m[3][0], 'name': m[1][0].decode(), 'kind': FLAGS[kind] if flags else kind,
            'is_repeated': m.get(4, [1])[0] == 3, 'type': (flags or m.get(6, [b'']))[0].decode()}


def read_message(data, scope, messages, enums, extensions):
    m = members(data)
    name = scope + '.' + m[1][0].decode()
    messages[name] = [read_field(f) for f in m.get(2, [])]
    extensions += [(members(f)[2][0].decode(), read_field(f)) for f in m.get(6, [])]
    for e in m.get(4, []):
        read_enum(e, name, enums)
    for nested in m.get(3, []):
        read_message(nested, name, messages, enums, extensions)


def read_enum(data, scope, enums):
    m = members(data)
    values = {}
    for v in m.get(2, []):
        v = members(v)
        number = v.get(2, [0])[0]
        values.setdefault(number - (1 << 64) if number >> 63 else number, v[1][0].decode())
    enums[scope + '.' + m[1][0].decode()] = sorted(values.items())


def read_schema(source, *protos):
    messages, enums, extensions = {}, {}, []
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(['protoc', '-I', source, '--include_imports', '--descriptor_set_out', out.name,
                        *(os.path.join(source, p) for p in protos)], check=True)
        files = members(out.read())[1]
    for f in files:
        m = members(f)
        package = '.' + m[2][0].decode()
        for e in m.get(5, []):
            read_enum(e, package, enums)
        for message in m.get(4, []):
            read_message(message, package, messages, enums, extensions)
        extensions += [(members(x)[2][0].decode(), read_field(x)) for x in m.get(7, [])]
    return messages, enums, extensions


def main():
    is_config, source = sys.argv[1] == '-c', sys.argv[-1]
    root = TRACE_CONFIG if is_config else TRACK_EVENT
    messages, enums, extensions = read_schema(source, *([CONFIG] if is_config else EXTENSIONS))
    if not is_config:
        choose_of_track_event(source, messages, extensions)
    order, used = [root], []
    for name in order:
        for f in messages[name]:
            if f['kind'] == 'MESSAGE' and f['type'] == ANNOTATION:
                f['kind'] = 'ANNOTATION'
            if f['kind'] == 'MESSAGE' and f['type'] not in order:
                order.append(f['type'])
            if f['kind'] in ENUMS and f['type'] not in used:
                used.append(f['type'])
    print_tables(messages, enums, order, used, has_names=not is_config)


def choose_of_track_event(source, messages, extensions):
    header = open(os.path.join(source, 'src/trace_processor/importers/proto/track_event_parser.h')).read()
    shown = {int(n) for n in re.search(r'kReflectFields\[\] = \{([^}]*)\}', header).group(1).split(',')}
    messages[TRACK_EVENT] = ([f for f in messages[TRACK_EVENT] if f['number'] in shown] +
                             [f for of, f in extensions if of == TRACK_EVENT])


def check_length(name, macro):
    """Ends the program if an array of the tables has no room for NAME and its NUL."""
    header = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../lib/perfetto/typed_schema.h')
    most = int(re.search(macro + r' = (\d+)', open(header).read())[1])
    if len(name) > most:
        sys.exit('%s: longer than %s' % (name, macro))


def print_tables(messages, enums, order, used, has_names):
    print('static const struct tm_typed_field fields[] = {')
    firsts, count = [], 0
    for name in order:
        print('    /* %d: %s */' % (len(firsts), name.rsplit('.', 1)[1]))
        firsts.append(count)
        for f in sorted(messages[name], key=lambda f: f['number']):
            kind, of = f['kind'], f['type']
            of = order.index(of) if kind == 'MESSAGE' else used.index(of) if kind in ENUMS else 0
            check_length(f['name'], 'TM_TYPED_FIELD_NAME_MAX')
            print('    {"%s", %d, TM_TYPED_%s, %d, %d},' % (f['name'], f['number'], f['kind'], f['is_repeated'], of))
            count += 1
    print('};\n')
    print_numbers('message_firsts', firsts + [count])
    if has_names:
        print_names('message_names', order)
        print_names('enum_names', used)
    print('static const struct tm_typed_value values[] = {')
    firsts, count = [], 0
    for name in used:
        print('    /* %d: %s */' % (len(firsts), name.rsplit('.', 1)[1]))
        firsts.append(count)
        for number, text in enums[name]:
            check_length(text, 'TM_TYPED_VALUE_NAME_MAX')
            print('    {%d, "%s"},' % (number, text))
            count += 1
    print('};\n')
    print_numbers('enum_firsts', firsts + [count])


def print_names(table, names):
    print('static const struct type_name %s[] = {' % table)
    for name in sorted(names):
        print('    {"%s", %d},' % (name, names.index(name)))
    print('};\n')


def print_numbers(name, numbers):
    print('static const uint16_t %s[] = {' % name)
    line = '   '
    for n in numbers:
        if len(line) + len(str(n)) + 2 > 118:
            print(line)
            line = '   '
        line += ' %d,' % n
    print(line + '\n};\n')


if __name__ == '__main__':
    main()
