#!/usr/bin/env python3
"""Makes random Perfetto traces with packets of every kind that a schema declares, for t/check/viewers.

usage: any_packets.py DESCRIPTORS SEED FOLDER       DESCRIPTORS: protoc --include_imports --descriptor_set_out=DESCRIPTORS
       t/check/viewers -t TRACE_PROCESSOR -f pftrace -v FOLDER

Writes FOLDER/any-SEED-KIND.pftrace for each kind of packet and for each first letter of kinds of ftrace events, and
any-SEED-two-KIND.tar with two machines for each kind. If SEED is even, the second of two sequences is on MONOTONIC by
its defaults. Values follow the names of fields: times are near the packet's, ids and process numbers come from small
pools, enums have declared values. The schema is the reader's; it is not in the tree.
"""
import collections
import io
import os
import random
import struct
import sys
import tarfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', 'gen'), os.path.join(HERE, '..', 'check')]
from protos import fields  # noqa: E402
from wire import field, varint  # noqa: E402

START_NS = 10**12
PACKETS = 12        # of a kind, in a file
DEPTH = 6           # depth of messages
DOUBLE, FLOAT, INT64, UINT64, INT32, FIXED64, FIXED32, BOOL, STRING, GROUP, MESSAGE, BYTES, UINT32, ENUM, SFIXED32, \
    SFIXED64, SINT32, SINT64 = range(1, 19)
REPEATED = 3
WORDS = ['alpha', 'beta', 'gamma', 'delta', 'com.example.shop', 'main', 'a b', 'x/y']

# Kinds that state how to read the file, or that contain files.
NOT_DRAWN = {'synchronization_marker', 'compressed_packets', 'zstd_compressed_packets', 'extension_descriptor', 'protovms',
             'for_testing', 'clock_snapshot', 'remote_clock_sync', 'trace_config', 'ftrace_events', 'trace_provenance',
             'memory_tracker_snapshot'}  # The importer does not terminate on a graph that contains itself.
# Fields of a packet that this generator sets itself.
OWN = {'timestamp', 'timestamp_clock_id', 'trusted_packet_sequence_id', 'sequence_flags', 'incremental_state_cleared',
       'interned_data', 'trace_packet_defaults', 'machine_id', 'previous_packet_dropped', 'first_packet_on_sequence',
       'trusted_uid', 'trusted_pid'}


class Field:
    def __init__(self, data):
        self.name, self.number, self.label, self.type, self.of, self.oneof, self.packed = '', 0, 1, 0, '', None, False
        self.extendee = ''
        for number, _, value, _ in fields(data):
            if number == 1:
                self.name = value.decode()
            elif number == 2:
                self.extendee = value.decode()
            elif number == 3:
                self.number = value
            elif number == 4:
                self.label = value
            elif number == 5:
                self.type = value
            elif number == 6:
                self.of = value.decode()
            elif number == 8:
                self.packed = any(n == 2 and v for n, _, v, _ in fields(value))
            elif number == 9:
                self.oneof = value


class Schema:
    """Returns messages and enums by their full names."""

    def __init__(self, data):
        self.messages, self.enums, extensions = collections.defaultdict(list), {}, []
        for number, _, file, _ in fields(data):
            if number != 1:
                continue
            parts = collections.defaultdict(list)
            for n, _, value, _ in fields(file):
                parts[n].append(value)
            package = '.' + parts[2][0].decode() if parts[2] else ''
            for message in parts[4]:
                self.message(package, message, extensions)
            for enum in parts[5]:
                self.enum(package, enum)
            extensions += map(Field, parts[7])
        for extension in extensions:
            self.messages[extension.extendee].append(extension)

    def message(self, scope, data, extensions):
        parts = collections.defaultdict(list)
        for n, _, value, _ in fields(data):
            parts[n].append(value)
        name = scope + '.' + parts[1][0].decode()
        self.messages[name] += map(Field, parts[2])
        extensions += map(Field, parts[6])
        for nested in parts[3]:
            self.message(name, nested, extensions)
        for enum in parts[4]:
            self.enum(name, enum)

    def enum(self, scope, data):
        name, values = '', []
        for n, _, value, _ in fields(data):
            if n == 1:
                name = value.decode()
            elif n == 2:
                values += [v for k, _, v, _ in fields(value) if k == 2]
        self.enums[scope + '.' + name] = values or [0]


class Drawn:
    """Random messages of a schema."""

    def __init__(self, schema, r):
        self.schema, self.r, self.now = schema, r, START_NS

    def number(self, name):
        r = self.r
        if name.endswith('_ns') or name in ('timestamp', 'ts', 'boot_time', 'time'):
            return self.now - r.randrange(2000)
        if name.endswith('_us'):
            return self.now // 1000 - r.randrange(50)
        if name.endswith('_ms'):
            return self.now // 10**6
        if 'iid' in name:
            return r.randrange(1, 5)
        if name in ('pid', 'tid', 'tgid', 'upid') or name.endswith(('_pid', '_tid', '_tgid')):
            return r.choice([1, 100, 101, 102, 103])
        if name == 'cpu' or name.endswith('cpu'):
            return r.randrange(4)
        if name.endswith('id') or name.endswith('ids'):
            return r.randrange(1, 6)
        return r.choice([0, 1, 2, 7, 100, r.randrange(1 << 14), r.randrange(1 << 30)])

    def scalar(self, f):
        """Returns (wire type, bytes) of a value of F."""
        r = self.r
        if f.type == DOUBLE:
            return 1, struct.pack('<d', r.randrange(1000) / 4)
        if f.type == FLOAT:
            return 5, struct.pack('<f', r.randrange(1000) / 4)
        if f.type in (FIXED64, SFIXED64):
            return 1, struct.pack('<Q', self.number(f.name))
        if f.type in (FIXED32, SFIXED32):
            return 5, struct.pack('<I', self.number(f.name) & 0xFFFFFFFF)
        if f.type in (STRING, BYTES):
            text = r.choice(WORDS).encode()
            return 2, varint(len(text)) + text
        if f.type == BOOL:
            return 0, varint(r.randrange(2))
        if f.type == ENUM:
            return 0, varint(r.choice(self.schema.enums[f.of]))
        value = self.number(f.name)
        if f.type in (INT32, UINT32):
            value &= 0x7FFFFFFF
        return 0, varint(value << 1 if f.type in (SINT32, SINT64) else value)

    def value(self, f, depth):
        if f.type == MESSAGE:
            return field(f.number, self.message(f.of, depth + 1))
        times = self.r.randrange(1, 4) if f.label == REPEATED else 1
        values = [self.scalar(f) for _ in range(times)]
        if f.packed:
            return field(f.number, b''.join(v for _, v in values))
        return b''.join(varint(f.number << 3 | wire) + v for wire, v in values)

    def message(self, name, depth=0, skip=()):
        """Returns a message of type NAME with three quarters of its fields, one of each oneof."""
        r, out, oneofs = self.r, b'', collections.defaultdict(list)
        for f in self.schema.messages[name]:
            if f.name in skip or f.type == GROUP or (f.type == MESSAGE and depth >= DEPTH):
                continue
            if f.oneof is not None:
                oneofs[f.oneof].append(f)
            elif r.random() < (0.75 if f.type != MESSAGE or depth < 2 else 0.5):
                for _ in range(r.randrange(1, 3) if f.label == REPEATED and f.type == MESSAGE else 1):
                    out += self.value(f, depth)
        for choice in oneofs.values():
            out += self.value(r.choice(choice), depth)
        return out

    def event(self, f):
        """Returns an ftrace event of type F with at least one field: the importer gives an empty one the args of
        another."""
        while True:
            out = self.message(f.of, 2)
            if out or not self.schema.messages[f.of]:
                return field(f.number, out)


PACKET = '.perfetto.protos.TracePacket'
FTRACE = '.perfetto.protos.FtraceEvent'
FTRACE_OWN = {'timestamp', 'pid', 'common_flags'}


MONOTONIC, BEHIND_NS = 3, 5000


def packets(drawn, body, is_mixed):
    """Returns a trace: a snapshot of clocks, interned data on two sequences, and PACKETS packets of BODY(). The second
    sequence is on MONOTONIC if IS_MIXED."""
    out = []
    clocks = b''.join(field(1, field(1, k) + field(2, START_NS + delta))
                      for k, delta in ((6, 0), (MONOTONIC, -BEHIND_NS), (1, 1700000000 * 10**9), (5, 1700000000 * 10**9), (2, -6000), (4, -7000)))
    out.append(field(6, clocks) + field(10, 1))
    for sequence in (2, 3):
        interned = b''
        for f in drawn.schema.messages['.perfetto.protos.InternedData']:
            if f.type == MESSAGE:
                for iid in range(1, 5):
                    interned += field(f.number, field(1, iid) + drawn.message(f.of, 1, ('iid',)))
        defaults = field(59, field(58, MONOTONIC)) if is_mixed and sequence == 3 else b''
        out.append(defaults + field(8, START_NS) + field(10, sequence) + field(13, 1) + field(87, 1) + field(12, interned) +
                   field(79, 100 + sequence))
    for i in range(PACKETS):
        drawn.now = START_NS + 10**6 * (i + 1)
        behind = BEHIND_NS if is_mixed and i % 2 else 0
        out.append(body() + field(8, drawn.now - behind) + field(10, 2 + i % 2) + field(13, 2) + field(79, 102 + i % 2) + field(3, 1000))
    return b''.join(field(1, p) for p in out)


def bundle(drawn, kinds):
    """Returns ftrace events of KINDS, one after the other, on one cpu."""
    out = field(1, drawn.r.randrange(4))
    for i, f in enumerate(kinds):
        out += field(2, field(1, drawn.now + i * 1000) + field(2, drawn.r.choice([1, 100, 101, 102, 103])) + drawn.event(f))
    return field(1, out)


def kinds_of(schema, seed):
    """Returns {kind: function that makes a trace with packets of it}."""
    out = {}

    def trace(name, body):
        def make(salt):
            drawn = Drawn(schema, random.Random('%s %s %s' % (seed, name, salt)))
            return packets(drawn, lambda: body(drawn), int(seed) % 2 == 0)
        out[name] = make
    for f in schema.messages[PACKET]:
        if f.name not in NOT_DRAWN | OWN:
            trace(f.name, lambda drawn, f=f: drawn.value(f, 0))
    events = collections.defaultdict(list)
    for f in schema.messages[FTRACE]:
        if f.type == MESSAGE and f.name not in FTRACE_OWN:
            events[f.name.split('_')[0]].append(f)
    for group, kinds in events.items():
        trace('ftrace-' + group, lambda drawn, kinds=kinds: bundle(drawn, kinds))
    return out


def archive(path, members):
    with tarfile.open(path, 'w') as tar:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


MANIFEST = (b'{"perfetto_manifest":{"version":1,"files":['
            b'{"path":"a.pftrace","machine":{"name":"a"}},{"path":"b.pftrace","machine":{"name":"b"}}]}}')


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__.split('\n\n')[1])
    descriptors, seed, folder = sys.argv[1:]
    with open(descriptors, 'rb') as f:
        schema = Schema(f.read())
    os.makedirs(folder, exist_ok=True)
    for name, make in kinds_of(schema, seed).items():
        with open(os.path.join(folder, 'any-%s-%s.pftrace' % (seed, name)), 'wb') as f:
            f.write(make('a'))
        archive(os.path.join(folder, 'any-%s-two-%s.tar' % (seed, name)),
                [('perfetto_manifest.json', MANIFEST), ('a.pftrace', make('a')), ('b.pftrace', make('b'))])


if __name__ == '__main__':
    main()
