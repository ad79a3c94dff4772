#!/usr/bin/env python3
"""Makes a Fuchsia trace with records of every type: make-fxt.py OUT

Ticks are 2 ns (500,000,000 a second) in provider 7. They are 1 ns in provider 8, which does not state it.
"""
import struct, sys
from wire import field


def word(v):
    return struct.pack('<Q', v & (1 << 64) - 1)


def pad(b):
    return b + bytes(-len(b) % 8)


def record(kind, fields, body=b''):
    return word(kind | (1 + len(body) // 8) << 4 | fields) + body


def text(s):
    """A reference to inline text, and its bytes."""
    b = s.encode()
    return (0x8000 | len(b), pad(b)) if b else (0, b'')


def provider(number, name):
    return record(0, 1 << 16 | number << 20 | len(name) << 52, pad(name.encode()))


def section(number):
    return record(0, 2 << 16 | number << 20)


def string(index, s):
    b = s.encode()
    return record(2, index << 16 | len(b) << 32, pad(b))


def thread(index, pid, tid):
    return record(3, index << 16, word(pid) + word(tid))


def arg(name, kind, value=0):
    ref, body = name if isinstance(name, tuple) else text(name)
    head = kind | ref << 16
    if kind in (1, 2, 9):
        head |= (value & 0xffffffff) << 32
    elif kind == 6:
        vref, vbody = value if isinstance(value, tuple) else text(value)
        head |= vref << 32
        body += vbody
    elif kind == 5:
        body += struct.pack('<d', value)
    elif kind in (3, 4, 7, 8):
        body += word(value)
    return word(head | (1 + len(body) // 8) << 4) + body


def event(kind, ticks, thr, cat, name, args=(), extra=None):
    """THR is an index or (pid, tid); CAT and NAME an index or text."""
    body = word(ticks)
    tref = 0
    if isinstance(thr, tuple):
        body += word(thr[0]) + word(thr[1])
    else:
        tref = thr
    refs = []
    for s in (cat, name):
        ref, b = (s, b'') if isinstance(s, int) else text(s)
        refs.append(ref)
        body += b
    body += b''.join(args)
    if extra is not None:
        body += word(extra)
    return record(4, kind << 16 | len(args) << 20 | tref << 24 | refs[0] << 32 | refs[1] << 48, body)


def blob(kind, name, data):
    ref, b = text(name)
    return record(5, ref << 16 | len(data) << 32 | kind << 48, b + pad(data))


def kernel_object(kind, koid, name, args=()):
    ref, b = text(name)
    return record(7, kind << 16 | ref << 24 | len(args) << 40, word(koid) + b + b''.join(args))


def switch(ticks, cpu, state, old, new, args=()):
    return record(8, len(args) << 16 | cpu << 20 | state << 36 | 1 << 60, word(ticks) + word(old) + word(new) + b''.join(args))


def wakeup(ticks, cpu, tid, args=()):
    return record(8, len(args) << 16 | cpu << 20 | 2 << 60, word(ticks) + word(tid) + b''.join(args))


def legacy_switch(ticks, cpu, state, old, new, old_prio, new_prio):
    body = word(ticks)
    refs = []
    for t in (old, new):
        refs.append(0 if isinstance(t, tuple) else t)
        body += word(t[0]) + word(t[1]) if isinstance(t, tuple) else b''
    return record(8, cpu << 16 | state << 24 | refs[0] << 28 | refs[1] << 36 | old_prio << 44 | new_prio << 52, body)


def log(ticks, thr, message):
    b = message.encode()
    return record(9, len(b) << 16 | thr << 32, word(ticks) + pad(b))


def packet(ts, track_event):
    return field(1, field(8, ts) + field(10, 1) + field(11, track_event))


MAGIC = word(0x0016547846040010)
IDLE = -1 << 31


def trace():
    b = MAGIC + provider(7, 'provider-seven')
    b += record(1, 0, word(500000000))
    b += string(1, 'cat') + string(2, 'work') + string(3, 'n') + thread(1, 100, 101) + thread(2, 100, 102)
    b += kernel_object(1, 100, 'app') + kernel_object(2, 101, 'main', [arg('process', 8, 100)])
    b += kernel_object(2, 102, 'worker', [arg('process', 8, 100)]) + kernel_object(17, 999, 'a vmo')
    b += event(2, 500, 1, 1, 2, [arg((3, b''), 1, -5), arg('u', 2, 4000000000), arg('s', 6, 'text'), arg('nothing', 0)])
    b += event(0, 550, 1, 1, 'instant', [arg('i64', 3, -1 << 40), arg('u64', 4, 1 << 40), arg('d', 5, 0.5), arg('p', 7, 0xff0),
                                         arg('k', 8, 100), arg('yes', 9, 1), arg('later', 12)])
    b += event(4, 600, 1, 1, 'inner', [], 700) + event(8, 600, 1, 1, 'flow', [], 77)
    b += event(3, 1000, 1, 1, 2, [arg('result', 1, 1)])
    b += event(1, 510, 1, 1, 'queue', [arg('depth', 1, 3), arg('load', 5, 1.5), arg('what', 6, 'no number')], 9)
    b += event(1, 520, 1, 1, 'queue', [arg('what', 6, 'no number')], 9)
    b += event(5, 600, 1, 1, 'request', [], 0x55) + event(6, 620, 2, 1, 'got it', [], 0x55)
    b += event(7, 800, 2, 1, 'request', [], 0x55)
    b += log(900, 2, 'hello from the log')
    b += switch(400, 0, 3, 900, 101, [arg('outgoing_weight', 1, IDLE), arg('incoming_weight', 1, 70000)])
    b += wakeup(440, 1, 102, [arg('waker', 8, 101), arg('weight', 1, 20)])
    b += switch(450, 0, 3, 101, 102, [arg('outgoing_weight', 1, 70000), arg('incoming_weight', 1, 20)])
    b += switch(480, 0, 1, 102, 900, [arg('outgoing_weight', 1, 20), arg('incoming_weight', 1, IDLE)])
    b += legacy_switch(410, 1, 3, (0, 0), (200, 201), 0, 16) + legacy_switch(430, 1, 2, (200, 201), (0, 0), 16, 0)
    b += provider(8, 'eight')
    b += event(4, 1700, (200, 201), 'cat', 'far', [], 1900) + event(10, 1700, (200, 201), 'cat', 'flow', [], 77)
    b += event(0, 1, 1, 'cat', 'no such thread') + event(0, 1, (1, 1), 5, 'no such string')
    b += event(0, 1 << 63, (1, 1), 'cat', 'too late') + event(11, 1, (1, 1), 'cat', 'unknown')
    b += record(6, 0x8001 << 24, word(0x1000) + word(200) + pad(b'o')) + blob(1, 'data', b'12345')
    b += section(9) + event(0, 1, (1, 1), 'cat', 'nobody') + section(7) + event(0, 560, 1, 1, 2)
    b += record(0, 3 << 16 | 7 << 20)
    b += word(15 | 4 << 4) + bytes(24)
    packets = packet(1200, field(9, 3) + field(23, b'in a blob') + field(11, 5))
    b += blob(3, 'perfetto', packets[:7]) + blob(3, 'perfetto', packets[7:])
    return b


if __name__ == '__main__':
    open(sys.argv[1], 'wb').write(trace())
