#!/usr/bin/env python3
"""Makes a perf.data file: make-perf-data.py [WORD]... >FILE

big: big-endian; pipe: as perf record -o -; zstd: the records of the kernel compressed, cut at any byte; long: with a
window of 128 MiB; raw, real, tai: on CLOCK_MONOTONIC_RAW, CLOCK_REALTIME, CLOCK_TAI instead of MONOTONIC; old: without
a clock and its time of day; group: samples of groups instead, as perf record -e '{a,b}:S' makes them, with their
values; ended: two samples more, of a task that has ended; orphan: one sample more, without a process, of a thread that
thread -1 made; nocpu: records state no cpu; threads: of events that threads inherit; backward: of a buffer that is
written from its end on; more: the last sample states more members than it has; wide: one more event of a tracepoint,
with 900 fields that are all of its last 59,900 bytes; many: the tracepoint has 1,025 fields; deep: one more sample, of
8,000 frames in a file with a name of 6,000 bytes; named: an event with a name of 5,000 bytes; cpus: the last switch is
on cpu 65,536; simpleperf: with records and features as simpleperf writes them, among them a record of 70,000 bytes;
inner: the same with the formats of tracepoints in the body of perf's record, as old versions of simpleperf wrote
them; symbols: with the functions and the names of events that simpleperf states; structs: the functions as old versions
of simpleperf stated them; hiperf: with the command line as hiperf writes it; damaged: all features of the header are
cut short; short: so are some more records.
Records are not in the order of time, so names and mappings must be found by time.
"""
import struct, subprocess, sys

words = sys.argv[1:]
end = '>' if 'big' in words else '<'
clockid = 4 if 'raw' in words else 0 if 'real' in words else 11 if 'tai' in words else 1
IP, TID, TIME, CHAIN, CPU, PERIOD, RAW, IDENTIFIER = 1, 2, 4, 32, 128, 256, 1024, 1 << 16
KERNEL, USER = 1, 2
MARK_KERNEL, MARK_USER = (1 << 64) - 128, (1 << 64) - 512
KERNEL_AT, APP_AT, NEW_AT = 0xffffffff81000000, 0x400000, 0x7f0000000000


def pack(form, *values):
    return struct.pack(end + form, *values)


def text(s):
    s = s.encode() + b'\0'
    return s + bytes(-len(s) % 8)


def string(s):
    s = s.encode() + b'\0'
    s += bytes(-len(s) % 64)
    return pack('I', len(s)) + s


def record(kind, misc, body, behind=b''):
    return pack('IHH', kind, misc, len(body) + 8) + body + behind


def large_record(kind, body):
    """A record of simpleperf itself: the upper half of the size is in the place of the misc bits."""
    size = len(body) + 8
    return pack('IHH', kind, size >> 16, size & 0xffff) + body


def flags(*bits):
    out = bytearray(8)
    for bit in bits:
        out[bit // 8] |= 128 >> bit % 8 if end == '>' else 1 << bit % 8
    return bytes(out)


def attr(kind, config, sample_type, read_format=0, *bits):
    clock = () if 'old' in words else (25,)
    return pack('IIQQQQ', kind, 112, config, 1000, sample_type, read_format) + flags(18, *clock, *bits) + bytes(44) + \
        pack('i', 0 if 'old' in words else clockid) + bytes(16)


COMMON = IDENTIFIER | IP | TID | TIME | (0 if 'nocpu' in words else CPU) | PERIOD | CHAIN
attrs = [(attr(1, 0, COMMON), [1, 2], 'c' * 5000 if 'named' in words else 'cpu-clock'), (attr(2, 301, COMMON | RAW), [3, 4], 'sched:sched_waking')]


READ, READ_ENABLED, READ_ID, READ_GROUP, READ_LOST = 16, 1, 4, 8, 16
is_grouped = any(word in words for word in ('group', 'threads', 'backward'))
if is_grouped:
    READ_ALL = READ_ENABLED | READ_ID | READ_GROUP | READ_LOST
    more = (1,) if 'threads' in words else (27,) if 'backward' in words else ()
    attrs = [(attr(1, 0, COMMON | READ, READ_ALL, *more), [1, 2], 'cpu-clock'),
             (attr(1, 2, COMMON | READ, READ_ALL, *more), [3, 4], 'page-faults'),
             (attr(2, 301, COMMON | READ | RAW, READ_ALL, *more), [5], 'sched:sched_waking'),
             (attr(1, 1, COMMON | READ, READ_ENABLED | READ_ID, *more), [6], 'task-clock')]


def grouped(ident, tid, time, values, raw=None, count=None):
    """A sample with the values of its group, pairs of an id and a value. COUNT is the stated number, if it differs."""
    body = pack('QQIIQIIQ', ident, APP_AT, 100, tid, time, 0, 0, 1000)
    if ident == 6:
        body += pack('QQQ', values[0][1], time, ident)
    else:
        body += pack('QQ', len(values) if count is None else count, time) + \
            b''.join(pack('QQQ', value, number, 0) for number, value in values)
    body += pack('QQQ', 2, MARK_USER, APP_AT)
    return record(9, USER, body if raw is None else body + pack('I', len(raw)) + raw)


def place(cpu):
    return b'' if 'nocpu' in words else pack('II', cpu, 0)


def at(pid, tid, time, cpu, ident=1):
    """The end of records that are no samples."""
    return pack('IIQ', pid & 0xffffffff, tid & 0xffffffff, time) + place(cpu) + pack('Q', ident)


def sample(ident, mode, pid, tid, time, cpu, chain, raw=None):
    ips = [n for n in chain if n < (1 << 64) - 4095]
    body = pack('QQIIQ', ident, ips[0] if ips else 0, pid & 0xffffffff, tid & 0xffffffff, time) + place(cpu) + \
        pack('QQ', 1000, len(chain)) + \
        b''.join(pack('Q', n) for n in chain)
    if raw is not None:
        body += pack('I', len(raw)) + raw
    return record(9, mode, body)


def comm(pid, tid, name, time, cpu=0, misc=0):
    return record(3, misc, pack('II', pid, tid) + text(name) + at(pid, tid, time, cpu))


def mmap2(pid, addr, size, offset, name, time, build_id=b''):
    file = pack('BBH', len(build_id), 0, 0) + build_id.ljust(20, b'\0') if build_id else bytes(24)
    return record(10, USER | (1 << 14 if build_id else 0), pack('IIQQQ', pid, pid, addr, size, offset) + file +
                  pack('II', 5, 2) + text(name) + at(pid, pid, time, 0))


def fork(pid, ppid, tid, ptid, time):
    return record(7, 0, pack('IIIIQ', pid, ppid, tid, ptid, time) + at(ppid, ptid, time, 1))


def switch(out, tid, other, time, cpu, preempted=False):
    return record(15, (1 << 13 if out else 0) | (1 << 14 if preempted else 0), pack('II', other, other) +
                  at(tid, tid, time, cpu))


def waking(name, pid, prio, cpu):
    return pack('HBBi', 301, 0, 0, 100) + name.encode().ljust(16, b'\0') + pack('iii', pid, prio, cpu) + bytes(4)


of_kernel = [
    record(1, KERNEL, pack('IIQQQ', 0xffffffff, 0, KERNEL_AT, 0x1000000, KERNEL_AT) + text('[kernel.kallsyms]_text') +
           at(0, 0, 0, 0)),
    comm(100, 100, 'app', 0), comm(100, 101, 'app', 0),
    mmap2(100, APP_AT, 0x10000, 0x1000, '/bin/app', 0, bytes(range(1, 21))),
    mmap2(100, 0x800000, 0x1000, 0, '//anon', 0),
    # 101 has the name worker from 2000 on, /lib/new.so is mapped from 2500 on
    sample(1, USER, 100, 101, 3000, 0, [MARK_USER, NEW_AT + 0x20, APP_AT + 0x100, 0x800010, 0x12]),
    sample(1, USER, 100, 101, 2400, 0, [MARK_USER, NEW_AT + 0x20, APP_AT + 0x100]),
    sample(1, USER, 100, 101, 1800, 0, [MARK_USER, APP_AT + 0x40]),
    comm(100, 101, 'worker', 2000, 0),
    mmap2(100, NEW_AT, 0x1000, 0, '/lib/new.so', 2500),
    # 100 forks 200 before /lib/new.so is mapped; 200 then runs another program
    sample(2, USER, 200, 200, 2700, 1, [MARK_USER, APP_AT + 0x10]),
    sample(2, USER, 200, 200, 2800, 1, [MARK_USER, NEW_AT + 0x10]),
    sample(2, USER, 200, 200, 4000, 1, [MARK_USER, APP_AT + 0x10]),
    fork(200, 100, 200, 100, 2450), fork(100, 100, 102, 100, 2460),
    comm(200, 200, 'tool', 3500, 1, 1 << 13),
    mmap2(200, APP_AT, 0x20000, 0, '/bin/tool', 3600),
    # a function of BPF, called by the kernel
    record(17, 0, pack('QIHH', KERNEL_AT + 0x2000000, 0x100, 1, 0) + text('bpf_prog_1_x') + at(0, 0, 0, 0)),
    sample(2, KERNEL, 200, 200, 4100, 1,
           [MARK_KERNEL, KERNEL_AT + 0x2000008, KERNEL_AT + 0x500, MARK_USER, APP_AT + 8]),
    sample(4, KERNEL, 100, 101, 4200, 0, [MARK_KERNEL, KERNEL_AT + 0x600], waking('tool', 200, 120, 1)),
    switch(True, 101, 0, 5000, 0), switch(False, 0, 101, 5001, 0),
    switch(True, 0, 101, 5100, 0, True), switch(False, 101, 0, 5101, 0),
    switch(False, 200, 0, 5200, 65536 if 'cpus' in words else 1),
    record(2, 0, pack('QQ', 1, 3) + at(0, 0, 5300, 0)), record(13, 0, pack('Q', 4) + at(0, 0, 5300, 0)),
    record(5, 0, pack('QQQ', 5300, 1, 1) + at(100, 101, 5300, 0)),
    record(4, 0, pack('IIIIQ', 100, 1, 102, 1, 5400) + at(100, 102, 5400, 0)),
    sample(1, KERNEL, 100, 101, 4300, 0, [MARK_KERNEL, KERNEL_AT + 0x700, MARK_USER, APP_AT, APP_AT + 0x50]),
    sample(99, USER, 100, 100, 5500, 0, [MARK_USER, APP_AT]),
    record(11, 0, pack('QQQ', 0, 16, 1) + at(100, 100, 5600, 0)),
]
if is_grouped:
    of_kernel = of_kernel[1:4] + [
        grouped(1, 101, 1000, [(1, 500), (3, 7)]), grouped(1, 101, 2000, [(1, 800), (3, 7)]),
        # values count by id; those of 101 and 102 together, unless threads inherit
        grouped(1, 102, 3000, [(1, 900), (3, 9)]), grouped(2, 101, 3000, [(2, 50), (4, 60)]),
        grouped(1, 101, 4000, [(1, 950), (3, 9), (77, 5)]), # an unknown id
        grouped(1, 101, 5000, [(1, 100), (3, 9)]), # the first counts from 0 again
        grouped(1, 101, 6000, [(1, 100), (3, 9)]), # no value has grown
        grouped(5, 101, 7000, [(5, 1), (1, 150)], waking('tool', 200, 120, 1)),
        grouped(5, 101, 8000, [(5, 1), (1, 150)], waking('tool', 201, 120, 1)), # a tracepoint, which counts in any case
        grouped(6, 101, 9000, [(6, 40)]), grouped(6, 101, 9500, [(6, 90)])]
    if 'more' in words:
        of_kernel.append(grouped(1, 101, 9900, [(1, 200), (3, 9)], count=9))
if 'ended' in words:
    of_kernel += [sample(4, KERNEL, -1, -1, 5700, 0, [MARK_KERNEL, KERNEL_AT + 0x600], waking('tool', 200, 120, 1)),
                  sample(1, USER, -1, -1, 5800, 0, [MARK_KERNEL, KERNEL_AT + 0x700, MARK_USER, APP_AT])]
if 'orphan' in words:
    of_kernel += [fork(100, 100, 103, 0xffffffff, 5600), sample(1, USER, -1, 103, 5650, 0, [MARK_USER, APP_AT])]
if 'wide' in words:
    of_kernel.append(sample(4, KERNEL, 100, 101, 5900, 0, [MARK_KERNEL, KERNEL_AT + 0x600],
                            waking('tool', 200, 120, 1) + b'w' * 59964))
if 'deep' in words:
    of_kernel += [mmap2(100, NEW_AT + 0x100000, 0x100000, 0, 'd' * 6000, 5900),
                  sample(1, USER, 100, 101, 6000, 0, [MARK_USER] + [NEW_AT + 0x100000 + i for i in range(8000)])]
if 'short' in words:
    of_kernel += [record(kind, 0, bytes(7)) for kind in (1, 17, 67, 78, 80)]
auxtrace = record(71, 0, pack('QQQIIII', 16, 0, 0, 0, 0, 0, 0), b'\xff' * 16)
rounds = record(68, 0, b'')

FORMAT = '''name: sched_waking
ID: 301
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:char comm[16];	offset:8;	size:16;	signed:0;
	field:pid_t pid;	offset:24;	size:4;	signed:1;
	field:int prio;	offset:28;	size:4;	signed:1;
	field:int target_cpu;	offset:32;	size:4;	signed:1;

print fmt: "comm=%s pid=%d prio=%d target_cpu=%03d", REC->comm, REC->pid, REC->prio, REC->target_cpu
'''.encode()
more_fields = 900 if 'wide' in words else 1021 if 'many' in words else 0
FORMAT = FORMAT.replace(b'\n\nprint', b'\n' + b''.join(
    b'\tfield:char all%d[59900];\toffset:40;\tsize:59900;\tsigned:0;\n' % i for i in range(more_fields)) + b'\nprint')
tracing = b'\x17\x08\x44tracing' + b'0.6\0' + bytes([end == '>', 8]) + pack('I', 4096) + b'header_page\0' + \
    pack('Q', 4) + b'page' + b'header_event\0' + pack('Q', 5) + b'event' + pack('I', 0) + pack('I', 1) + b'sched\0' + pack('I', 1) + \
    pack('Q', len(FORMAT)) + FORMAT + pack('I', 0) + pack('I', 0) + pack('Q', 0)
build_ids = record(67, USER | 1 << 15, pack('i', -1) + bytes([0xaa] * 8).ljust(20, b'\0') + bytes([8, 0, 0, 0]) +
                   text('/lib/new.so'))
event_desc = pack('II', len(attrs), 112) + b''.join(a + pack('I', len(ids)) + string(name) +
                                                    b''.join(pack('Q', i) for i in ids) for a, ids, name in attrs)
features = {1: tracing, 2: build_ids, 4: string('6.1.0-test'), 11: pack('I', 2) + string('perf') + string('record'),
            12: event_desc}
if 'simpleperf' in words:
    formats = pack('I', len(tracing)) + tracing + bytes(-(len(tracing) + 4) % 8)
    del features[1]
    of_kernel[0:0] = [large_record(66 if 'inner' in words else 32777, formats), large_record(32774, pack('QQQ', 1, 0, 1)),
                      large_record(32776, bytes(70000)), large_record(32775, bytes(64))]
if 'old' not in words:
    features[29] = pack('IIQQ', 1, clockid, 1700000000000000000, 1000)
# functions of the kernel, of a file whose addresses are 0x30000 above the offsets in it, of one with code that was
# compiled while it ran, and of a file of an unknown kind
dsos = [('[kernel.kallsyms]', 0, 0, 0, [(KERNEL_AT + 0x400, 0x200, 'do_work')]),
        ('/bin/app', 2, 0x31000, 0x1000, [(0x31050, 0x10, 'step'), (0x31000, 0x50, 'main')]),
        ('/lib/new.so', 2, 0, 0, [(0x20, 0x100, 'fresh')]),
        ('[anon:jit_app_cache]', 2, 0x5000, 0, [(NEW_AT + 0x200000, 8, 'compiled')]), ('x.map', 4, 0, 0, [(1, 1, 'x')])]


def number(field, n):
    out = bytes([field << 3])
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def message(field, body):
    return number(field, len(body)).replace(bytes([field << 3]), bytes([field << 3 | 2]), 1) + body


def message_of(path, kind, least, offset, functions):
    return message(1, path.encode()) + number(2, kind) + number(3, least) + b''.join(
        message(4, number(1, start) + number(2, size) + message(3, name.encode())) for start, size, name in functions) + \
        message(6, number(1, offset))


def struct_of(path, kind, least, offset, functions):
    return path.encode() + b'\0' + pack('IQI', kind, least, len(functions)) + b''.join(
        pack('QI', start, size) + name.encode() + b'\0' for start, size, name in functions) + pack('Q', offset)


if 'symbols' in words:
    form = struct_of if 'structs' in words else message_of
    files = [form(*dso) for dso in dsos]
    features[128 if 'structs' in words else 132] = b''.join(pack('I', len(file)) + file for file in files)
    features[129] = b'clockid\0monotonic\0event_type_info\0cpu-ticks,1,0\nsched:waking,2,301\0'
    features[2] += record(67, USER, pack('i', -1) + bytes([0xbb] * 15).ljust(24, b'\0') + text('/bin/tool'))
    del features[12]
    of_kernel += [mmap2(100, NEW_AT + 0x200000, 0x1000, 0x7000, '[anon:jit_app_cache]', 5900),
                  sample(1, USER, 100, 101, 6000, 0, [MARK_USER, NEW_AT + 0x200004])]
if 'hiperf' in words:
    features[11] = pack('I', 19) + b'./hiperf record -d\0'
if 'damaged' in words:
    features = {number: body[:len(body) * 3 // 4] for number, body in features.items()}


def compressed(records):
    window = ['--long=27'] if 'long' in words else []
    data = subprocess.run(['zstd', '-qc'] + window, input=b''.join(records), stdout=subprocess.PIPE, check=True).stdout
    return [record(81, 0, data[i:i + 100]) for i in range(0, len(data), 100)]


records = compressed(of_kernel) if 'zstd' in words else of_kernel
data = b''.join(records[:9]) + rounds + auxtrace + b''.join(records[9:]) + rounds

if 'pipe' in words:
    out = (b'2ELIFREP' if end == '>' else b'PERFILE2') + pack('Q', 16)
    for i, (a, ids, name) in enumerate(attrs):
        out += record(64, 0, a + b''.join(pack('Q', n) for n in ids))
    for number, body in features.items():
        if number == 1:
            out += record(66, 0, pack('II', len(body), 0), body + bytes(-len(body) % 8))
        elif number == 2:
            out += body
        else:
            out += record(80, 0, pack('Q', number) + body)
    out += data
else:
    attrs_at = 104 + sum(8 * len(ids) for a, ids, name in attrs)
    entries, idents, ids_at = b'', b'', 104
    for a, ids, name in attrs:
        entries += a + pack('QQ', ids_at, 8 * len(ids))
        idents += b''.join(pack('Q', i) for i in ids)
        ids_at += 8 * len(ids)
    data_at = attrs_at + len(entries)
    bits = [sum(1 << n - i for n in features if i <= n < i + 64) for i in range(0, 256, 64)]
    out = (b'2ELIFREP' if end == '>' else b'PERFILE2') + \
        pack('QQQQQQQQ', 104, 128, attrs_at, len(entries), data_at, len(data), 0, 0) + pack('QQQQ', *bits) + \
        idents + entries + data
    section_at, table, bodies = len(out) + 16 * len(features), b'', b''
    for number in sorted(features):
        table += pack('QQ', section_at + len(bodies), len(features[number]))
        bodies += features[number]
    out += table + bodies
sys.stdout.buffer.write(out)
