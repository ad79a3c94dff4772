"""The inputs of hostile.py. Each function makes one, SCALE times the size that takes about a second."""
import gzip
import io
import json
import os
import struct
import sys
import tarfile
import zipfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'gen'))
from wire import field, varint

SCALE = 1
SANITIZED = 'TM_HOSTILE_NO_MEMORY' in os.environ
MIB = 1 << 20
LINE = b'   a-5 ( 5) [000] d..2 100.000001: tracing_mark_write: B|5|x\n'
JSON = b'{"traceEvents":[{"ph":"i","ts":1,"pid":1,"tid":1,"s":"t","name":"x"}]}'


def packet(*parts):
    return field(1, b''.join(parts))


def tar_header(name, size, kind=b'0'):
    head = bytearray(512)
    head[:len(name)] = name
    head[100:108] = b'0000644\0'
    head[124:136] = size if isinstance(size, bytes) else b'%011o\0' % size
    head[156:157] = kind
    head[257:265] = b'ustar  \0'
    head[148:156] = b' ' * 8
    head[148:156] = b'%06o\0 ' % sum(head)
    return bytes(head)


def zip_of(members, lies=None):
    """A ZIP whose directory LIES has changed, a function of a bytearray and a member's place in it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as z:
        for name, data in members:
            z.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    data = bytearray(out.getvalue())
    at = data.find(b'PK\1\2')
    while lies and at >= 0:
        lies(data, at)
        at = data.find(b'PK\1\2', at + 4)
    return bytes(data)


# --- false sizes

def tar_size_past_end():
    return tar_header(b'a.json', 10**9) + JSON


def tar_size_negative():
    return tar_header(b'a.json', b'\xff' * 12) + JSON


def tar_size_huge():
    return tar_header(b'a.json', b'\x80' + (2**63).to_bytes(11, 'big')) + JSON


def tar_long_name_lies():
    return tar_header(b'././@LongLink', 2**32, b'L') + b'x' * 512


def tar_pax_lies():
    return tar_header(b'x', 30, b'x') + b'99999999999999999999 path=abc\n'.ljust(512, b'\0')


def zip_size_past_end():
    def lies(data, at):
        data[at + 20:at + 24] = struct.pack('<I', 0x7fffffff)
    return zip_of([('a.json', JSON)], lies)


def zip_offset_past_end():
    def lies(data, at):
        data[at + 42:at + 46] = struct.pack('<I', 0x7fffffff)
    return zip_of([('a.json', JSON)], lies)


def zip_size_understated():
    def lies(data, at):
        data[at + 24:at + 28] = struct.pack('<I', 3)
    return zip_of([('a.json', JSON)], lies)


def zip_overlap():
    """Many entries for the same bytes, so a small file expands to a large one."""
    data = zip_of([('%05d.systrace' % i, b'# tracer: nop\n' + LINE * 2000 if i == 0 else b'x') for i in range(200)])
    first = data.find(b'PK\1\2')
    data, entry, at = bytearray(data), data[first:first + 46], first
    while at >= 0:
        data[at + 10:at + 28] = entry[10:28]
        data[at + 42:at + 46] = entry[42:46]
        at = data.find(b'PK\1\2', at + 4)
    return bytes(data)


def proto_length_past_end():
    return packet(field(8, 1)) + b'\x0a' + varint(60 << 20) + b'abc'


def proto_length_huge():
    return packet(field(8, 1)) + b'\x0a' + varint(2**63) + b'abc'


def proto_inner_length():
    return packet(b'\x5a' + varint(2**63 - 1) + b'x') * 3


# --- data that expands

def gzip_bomb():
    return gzip.compress((b'# tracer: nop\n' + LINE * 10000) * 15 * SCALE, 9, mtime=0)


def gzip_in_gzip():
    data = b' ' * (60 * MIB * SCALE)
    for _ in range(3):
        data = gzip.compress(data, 9, mtime=0)
    return data


def gzip_in_members():
    """A document in many gzip members of one name, a byte in each."""
    def member(data):
        packed = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = packed.compress(data) + packed.flush()
        return b'\x1f\x8b\x08\x08\0\0\0\0\0\x03t\0' + packed + struct.pack('<II', zlib.crc32(data), len(data))
    out, many = zlib.compressobj(9, zlib.DEFLATED, 31), member(b' ') * 100000
    packed = out.compress(member(JSON[:16]))
    for _ in range(30 * SCALE):
        packed += out.compress(many)
    return packed + out.compress(member(JSON[16:])) + out.flush()


def deep_containers():
    data = JSON
    for _ in range(9):
        data = gzip.compress(data, 1, mtime=0)
    return data


def zip_bomb():
    return zip_of([('%d.systrace' % i, b'# tracer: nop\n' + LINE * 20000) for i in range(10 * SCALE)])


def zstd_bomb():
    """A frame of RLE blocks: 128 KiB of one byte in four bytes."""
    block = struct.pack('<I', (128 << 10) << 3 | 1 << 1)[:3] + b' '
    last = struct.pack('<I', (1 << 3) | 1 << 1 | 1)[:3] + b' '
    return b'\x28\xb5\x2f\xfd\x00\x58' + block * 500 * SCALE + last


def json_nesting():
    return b'{"traceEvents":[{"ph":"i","ts":1,"pid":1,"name":"x","args":' + b'[' * (MIB * SCALE)


def json_nesting_top():
    return b'{"other":' + b'{"a":' * (MIB * SCALE)


def json_wide():
    """A million arguments in one event."""
    args = b','.join(b'"k%d":%d' % (i, i) for i in range(100000 * SCALE))
    return b'{"traceEvents":[{"ph":"i","ts":1,"pid":1,"tid":1,"name":"x","args":{' + args + b'}}]}'


def json_number():
    """A time of a million digits, and an extremely large exponent."""
    return (b'{"traceEvents":[{"ph":"i","ts":' + b'9' * (MIB * SCALE) + b',"pid":1,"tid":1,"name":"x"},'
            b'{"ph":"i","ts":1e999999999,"pid":1,"tid":1,"name":"x"}]}')


def proto_nesting():
    """A debug annotation in a debug annotation …: field 11 is dict_entries."""
    body = b'x'
    for _ in range(20000):
        body = field(11, body) if len(body) < MIB else body
    return packet(field(8, 1), field(58, 6), field(11, field(9, 3) + field(4, body)))


def proto_tiny():
    """A million packets of nothing."""
    return b'\x0a\x00' * (1000000 * SCALE)


def proto_compressed_bomb():
    """A packet that holds packets of packets: compressed_packets (50) is a zlib stream."""
    inner = packet(field(8, 1)) * 100000 * SCALE
    return packet(field(10, 1)) + packet(field(50, zlib.compress(inner, 9))) * 3


def proto_compressed_nested():
    data = packet(field(8, 1))
    for _ in range(50):
        data = packet(field(50, zlib.compress(data, 9)))
    return data


def proto_sequences():
    """A new sequence, with state of its own, in every packet."""
    return b''.join(packet(field(8, i), field(58, 6), field(10, i + 1), field(13, 1), field(12, field(
        2, field(1, 1) + field(2, b'name%d' % i)))) for i in range(60000 * SCALE))


def repeated_key():
    """A dictionary whose name is in the keys of all its entries."""
    entries = field(11, field(10, b'a') + field(4, 1)) * (3000 * SCALE)
    return packet(field(8, 1), field(10, 1), field(11, field(9, 3) + field(4, field(10, b'k' * 100000) + entries)))


def repeated_text():
    """Arguments that all have one interned text."""
    arguments = field(4, field(10, b'a') + field(17, 1)) * (3000 * SCALE)
    return packet(field(8, 1), field(10, 1), field(13, 1), field(12, field(29, field(1, 1) + field(2, b't' * 100000)))) + \
        packet(field(8, 2), field(10, 1), field(11, field(9, 3) + arguments))


def repeated_padding():
    """Arguments that all have one interned text, which many other fields precede."""
    interned = field(29, field(1, 1) + field(3, 1) * (300000 * SCALE) + field(2, b't'))
    arguments = field(4, field(10, b'a') + field(17, 1)) * 10000
    return packet(field(8, 1), field(10, 1), field(13, 1), field(12, interned)) + \
        packet(field(8, 2), field(10, 1), field(11, field(9, 3) + arguments))


def repeated_category():
    """An event with one interned category three thousand times."""
    interned = field(1, field(1, 1) + field(2, b'c' * 100000))
    return packet(field(8, 1), field(10, 1), field(13, 1), field(12, interned)) + \
        packet(field(8, 2), field(10, 1), field(11, field(9, 3) + field(3, 1) * (3000 * SCALE)))


def repeated_string():
    """A marker of a Firefox profile whose payload has one string many times."""
    payload = b'{"type":"T"' + b',"s":1' * (3000 * SCALE) + b'}'
    return (b'{"libs":[],"meta":{"version":34,"startTime":1,"markerSchema":[{"name":"T","fields":[{"key":"s","format":'
            b'"unique-string"}]}]},"threads":[{"name":"main","pid":1,"tid":1,"samples":{"schema":{"stack":0,"time":1},'
            b'"data":[]},"markers":{"schema":{"name":0,"startTime":1,"endTime":2,"phase":3,"category":4,"data":5},'
            b'"data":[[0,1.5,0,0,0,' + payload + b']]},"stringTable":["mark","' + b's' * 100000 + b'"]}]}')


def repeated_stat():
    """An event of an XSpace whose stats all refer to one text."""
    event = field(1, 1) + field(3, 1000) + field(4, field(1, 1) + field(7, 2)) * (3000 * SCALE)
    names = b''.join(field(5, field(1, i + 1) + field(2, field(1, i + 1) + field(2, name)))
                     for i, name in enumerate(['stat', 't' * 100000]))
    return field(1, field(2, 'plane') + field(3, field(1, 1) + field(2, 'line') + field(3, 1) + field(4, event)) + names)


def repeated_frame():
    """A stack that has one frame with a long name a thousand times."""
    interned = field(5, field(1, 1) + field(2, b'f' * 300000)) + field(6, field(1, 1) + field(2, 1)) + \
        field(7, field(1, 1) + field(2, 1) * 1000)
    sample = field(2, 5) + field(3, 5) + field(4, 1)
    return packet(field(8, 1), field(10, 1), field(13, 1), field(12, interned)) + \
        packet(field(8, 2), field(10, 1), field(66, sample)) * SCALE


def repeated_stack():
    """Stacks of a Firefox profile without frames, each on the one before, which samples use in turn."""
    n = 60000 * SCALE
    stacks = {'frame': [None] * n, 'prefix': [None] + list(range(n - 1))}
    samples = {'stack': [n - 1 - i % 2 for i in range(n)], 'time': list(range(n))}
    thread = {'name': 't', 'pid': 1, 'tid': 1, 'stringArray': ['f'], 'stackTable': stacks, 'samples': samples}
    return json.dumps({'meta': {'version': 24, 'preprocessedProfileVersion': 44, 'startTime': 0}, 'libs': [],
                       'threads': [thread]}).encode()


def repeated_frame_padding():
    """Samples of a stack that has one frame with very many fields a thousand times."""
    interned = field(6, field(1, 1) + field(9, 1) * (300000 * SCALE)) + field(7, field(1, 1) + field(2, 1) * 1000)
    sample = field(2, 5) + field(3, 5) + field(4, 1)
    return packet(field(8, 1), field(10, 1), field(13, 1), field(12, interned)) + \
        packet(field(8, 2), field(10, 1), field(66, sample)) * 20


def tar_million_files():
    thousand = b''.join(tar_header(b'%07d.json' % i, len(JSON)) + JSON.ljust(512, b'\0') for i in range(1000))
    for _ in range((1 if SANITIZED else 20) * SCALE):
        yield thousand


def tar_nested_folders():
    """The metadata of a CTF trace in each of many folders, one inside the other. SCALE does not count: the names grow,
    too."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w', format=tarfile.GNU_FORMAT) as tar:
        for depth in range(5000):
            info = tarfile.TarInfo('a/' * depth + 'metadata')
            info.size = 12
            tar.addfile(info, io.BytesIO(b'/* CTF 1.8 */'))
    return out.getvalue()


def tar_too_many_files():
    thousand = b''.join(tar_header(b'%d' % i, 0) for i in range(1000))
    for _ in range(1100):
        yield thousand


def name_of_a_megabyte():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w', format=tarfile.GNU_FORMAT) as t:
        info = tarfile.TarInfo('x' * MIB + '.json')
        info.size = len(JSON)
        t.addfile(info, io.BytesIO(JSON))
    return out.getvalue()


def event_name_of_megabytes():
    return b'{"traceEvents":[{"ph":"i","ts":1,"pid":1,"tid":1,"s":"t","name":"' + b'n' * (20 * MIB) + b'"}]}'


def packet_name(mib):
    """An instant with a name of that many MiB, between two others."""
    def instant(ns, name):
        return packet(field(8, ns), field(10, 1), field(11, field(9, 3) + field(11, 1) + field(23, name)))

    return instant(1, b'before') + instant(2, b'n' * (mib * MIB)) + instant(3, b'behind')


def packet_name_largest():
    return packet_name(63)


def packet_name_too_large():
    return packet_name(250)


def line_without_end():
    return b'# tracer: nop\n' + LINE + b'x' * (10 * MIB * SCALE)


def xml_entities():
    return (b'<?xml version="1.0"?>\n<trace-query-result><!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">'
            b'<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>&b;</trace-query-result>')


def xml_nesting():
    return b'<?xml version="1.0"?>\n<trace-query-result>' + b'<a>' * (300000 * SCALE)


# --- clocks

def snapshot(readings):
    return packet(field(6, b''.join(field(1, field(1, c) + field(2, v)) for c, v in readings)))


def clocks_dense():
    """Snapshots that relate all clocks to each other in different kinds, and a target that none of them reaches."""
    n, out = 60, [snapshot([(6, 1)])]
    for i in range(n):
        for j in range(i):
            out.append(snapshot([(200 + i, 1), (200 + j, 1)]))
    events = (packet(field(8, i), field(58, 200 + i % n), field(900, b'')) for i in range(3000 * SCALE))
    return b''.join(out) + b''.join(events)


def clocks_chain():
    """A chain of thousands of clocks. The path is longer than the longest that is searched."""
    out = [snapshot([(200 + i, 1), (201 + i, 1)]) for i in range(5000)]
    return b''.join(out) + packet(field(8, 5), field(58, 200), field(900, b''))


def clocks_new_each_time():
    """A snapshot between a new clock and BOOTTIME before every event, so the graph changes before each conversion."""
    return b''.join(snapshot([(6, i), (200 + i % 5000, i)]) + packet(field(8, i), field(58, 200 + i % 5000),
                                                                      field(900, b'')) for i in range(10000 * SCALE))


def snapshot_overflow():
    far = 2**63 - 1
    return (snapshot([(6, 1), (3, far)]) + snapshot([(6, far), (3, 2)]) + snapshot([(3, 2**64 - 1), (130, far)]) +
            b''.join(packet(field(8, t), field(58, c), field(900, b''))
                     for t in (0, 1, far, 2**63, 2**64 - 1) for c in (3, 6, 130)))


def snapshot_wide():
    return snapshot([(200 + i, i) for i in range(100000)]) + packet(field(8, 1), field(900, b''))


# --- the manifest

def manifest_huge():
    yield b'{"perfetto_manifest":{"version":1,"files":['
    for i in range(70 * SCALE):
        yield b'{"path":"' + b'%d' % i + b'x' * MIB + b'"},'
    yield b'{"path":"end"}]}}'


def manifest_many():
    entries = b','.join(b'{"path":"%d","machine":{"name":"m%d"}}' % (i, i) for i in range(20000 * SCALE))
    return b'{"perfetto_manifest":{"version":1,"files":[' + entries + b']}}'


def manifest_nesting():
    return b'{"perfetto_manifest":' + b'[' * (MIB * SCALE)


# --- names

ESCAPES = '\x1b]0;owned\x07\x1b[31m\x9b31m\x7f\r'


def names_with_escapes():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w', format=tarfile.PAX_FORMAT) as t:
        for name in (ESCAPES + '.json', '../../../tmp/owned.json', '/tmp/owned.json', "a'; drop table slice; --.json"):
            info = tarfile.TarInfo(name)
            body = json.dumps({'traceEvents': [
                {'ph': 'X', 'ts': 1, 'dur': 1, 'pid': 1, 'tid': 1, 'name': ESCAPES + '\'"; drop table slice; --\\',
                 'cat': ESCAPES, 'args': {ESCAPES: ESCAPES}},
                {'ph': 'M', 'name': 'process_name', 'pid': 1, 'args': {'name': '"},' + ESCAPES}}]}).encode()
            info.size = len(body)
            t.addfile(info, io.BytesIO(body))
    return out.getvalue()


def unknown_with_escapes():
    return tar_header(ESCAPES.encode('latin-1'), 3) + b'abc'.ljust(512, b'\0')
