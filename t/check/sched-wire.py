#!/usr/bin/env python3
"""Lists the scheduling in a Perfetto trace as it is on the wire, one event on each line. Tests of merged traces use it.

usage: sched-wire.py FILE

  switch CPU TIME prev=PID|? state=STATE next=PID COMM     full|compact
  waking CPU TIME by=PID|? tid=PID target=CPU COMM flags=F  full|compact

compact_sched does not state which task ran before; ? stands for it.
"""
import sys


def varint(b, i):
    value = shift = 0
    while True:
        value |= (b[i] & 127) << shift
        shift += 7
        i += 1
        if b[i - 1] < 128:
            return value, i


def fields(b):
    i = 0
    while i < len(b):
        tag, i = varint(b, i)
        if tag & 7 == 0:
            value, i = varint(b, i)
        elif tag & 7 == 2:
            n, i = varint(b, i)
            value, i = b[i:i + n], i + n
        else:
            n = 8 if tag & 7 == 1 else 4
            value, i = b[i:i + n], i + n
        yield tag >> 3, value


def numbers(b):
    i, out = 0, []
    while i < len(b):
        value, i = varint(b, i)
        out.append(value)
    return out


def times(deltas):
    total, out = 0, []
    for d in deltas:
        total += d
        out.append(total)
    return out


def compact(cpu, message):
    comms, column = [], {}
    for field, value in fields(message):
        if field == 5:
            comms.append(value.decode())
        else:
            column[field] = numbers(value)
    for time, state, pid, prio, comm in zip(times(column.get(1, [])), *(column.get(i, []) for i in (2, 3, 4, 6))):
        yield time, 'switch %d %d prev=? state=%d next=%d %s compact' % (cpu, time, state, pid, comms[comm])
    for time, pid, target, prio, comm, flags in zip(times(column.get(7, [])), *(column.get(i, []) for i in range(8, 13))):
        yield time, 'waking %d %d by=? tid=%d target=%d %s flags=%d compact' % (cpu, time, pid, target, comms[comm], flags)


def full(cpu, event):
    e = dict(fields(event))
    if 4 in e:
        s = dict(fields(e[4]))
        yield e[1], 'switch %d %d prev=%d state=%d next=%d %s full' % (
            cpu, e[1], s.get(2, 0), s.get(4, 0), s.get(6, 0), s.get(5, b'').decode())
    if 20 in e:
        w = dict(fields(e[20]))
        yield e[1], 'waking %d %d by=%s tid=%d target=%d %s flags=%d full' % (
            cpu, e[1], e.get(2, '?'), w.get(2, 0), w.get(5, 0), w.get(1, b'').decode(), e.get(5, 0))


lines = []
for field, packet in fields(open(sys.argv[1], 'rb').read()):
    bundle = next((v for f, v in fields(packet) if f == 1), b'')
    cpu = next((v for f, v in fields(bundle) if f == 1), 0)
    for f, value in fields(bundle):
        if f in (2, 4):
            lines.extend((full if f == 2 else compact)(cpu, value))
for _, line in sorted(lines):
    print(line)
