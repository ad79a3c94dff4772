#!/usr/bin/env python3
"""Makes a Perfetto trace from lines on standard input, for tests of clocks and machines.

usage: make-proto.py >FILE <LINES

    snap CLOCK=READING[:incremental][:unit=N]... [primary=CLOCK] [KEY=VALUE]...
    sync client CLOCK=READING... host CLOCK=READING... [/ client ... host ...]... [KEY=VALUE]...
    event TIME [KEY=VALUE]...             a packet with a time; TIME - for none
    default CLOCK seq=N                   TracePacketDefaults.timestamp_clock_id
    instant NAME TIME [KEY=VALUE]...      a track event, on the track whose uuid is its sequence
    begin NAME TIME ..., finish TIME ...  its begin and end
    micros NAME MICROSECONDS seq=N        an instant whose time is in the track event, as old recorders wrote it
    name NAME [KEY=VALUE]...              a SystemInfo
    log TEXT WALL TIME [KEY=VALUE]...     a line of Android's log, with its own time on REALTIME
    heap PID COARSE TIME [KEY=VALUE]...   a dump of a native heap profile, with its own time on MONOTONIC_COARSE
    chrome TIME [KEY=VALUE]...            a packet of Chrome's metadata
    bundle TIME LOCAL BOOT seq=N          an ftrace event at TIME of the local clock, which read LOCAL at BOOT
    uuid HIGH LOW                         the trace's identity
    process PID START TIME seq=N          a descriptor of a process that began at START, on the track whose uuid is N
    marker

Keys: m machine id, seq sequence, clock timestamp_clock_id. # begins a comment.
"""
import sys
from wire import field


def clocks(words):
    body = b''
    for word in words:
        clock, reading = word.split('=', 1)
        parts = reading.split(':')
        one = field(1, int(clock)) + field(2, int(parts[0]))
        for part in parts[1:]:
            one += field(3, 1) if part == 'incremental' else field(4, int(part.split('=')[1]))
        body += field(1, one)
    return body


def sync(words):
    body = b''
    for part in ' '.join(words).split('/'):
        client, host = part.split('host')
        body += field(1, field(2, clocks(client.split()[1:])) + field(3, clocks(host.split())))
    return body


def packet(words):
    kind, rest = words[0], words[1:]
    keys = {}
    for word in [w for w in rest if w.split('=')[0] in ('m', 'seq', 'clock', 'primary')]:
        keys[word.split('=')[0]] = int(word.split('=')[1])
        rest.remove(word)
    out = b''
    if 'm' in keys:
        out += field(98, keys['m'])
    if 'seq' in keys:
        out += field(10, keys['seq'])
    if kind == 'snap':
        primary = field(2, keys['primary']) if 'primary' in keys else b''
        return out + field(6, clocks(rest) + primary)
    if kind == 'sync':
        return out + field(107, sync(rest))
    if kind == 'log':
        line = field(1, 1) + field(2, 1) + field(3, 1) + field(5, int(rest[1])) + field(6, b'tag') + field(7, 4)
        payload = field(39, field(1, line + field(8, rest[0].encode())))
        rest, kind = rest[-1:], 'event'
    elif kind == 'heap':
        sample = field(1, 1) + field(2, 4096) + field(5, 1)
        dump = field(1, int(rest[0])) + field(2, sample) + field(9, int(rest[1])) + field(11, b'libc.malloc')
        stacks = field(3, field(1, 1) + field(2, 1)) + field(2, field(1, 1) + field(2, 1) + field(3, 1))
        names = field(1, field(1, 1) + field(2, b'f')) + field(4, field(1, 1) + field(4, 0) + field(5, 4096))
        payload = field(37, names + stacks + field(5, dump))
        rest, kind = rest[-1:], 'event'
    elif kind == 'process':
        one = field(1, int(rest[0])) + field(7, int(rest[1]))
        payload = field(60, field(1, keys['seq']) + field(3, one))
        rest, kind = rest[-1:], 'event'
    elif kind == 'chrome':
        kind, payload = 'event', field(51, field(2, 1))
    elif kind in ('instant', 'begin', 'finish'):
        name = field(23, rest[0].encode()) if kind != 'finish' else b''
        event = field(9, ('begin', 'finish', 'instant').index(kind) + 1) + field(11, keys.get('seq', 0)) + name
        rest, kind, payload = rest[-1:], 'event', field(11, event)
    elif kind == 'micros':
        event = field(9, 3) + field(11, keys['seq']) + field(23, rest[0].encode()) + field(16, int(rest[1]))
        return out + field(11, event)
    else:
        payload = field(900, b'')
    if kind == 'event':
        if rest[0] != '-':
            out += field(8, int(rest[0]))
        if 'clock' in keys:
            out += field(58, keys['clock'])
        return out + payload
    if kind == 'bundle':
        event = field(1, int(rest[0])) + field(2, 10) + field(5, field(2, b'I|10|local'))
        pair = field(5, 3) + field(6, int(rest[1])) + field(7, int(rest[2]))
        return out + field(1, field(1, 0) + field(2, event) + pair)
    if kind == 'default':
        return out + field(59, field(58, int(rest[0]))) + field(13, 1)
    if kind == 'name':
        return out + field(45, field(17, rest[0].encode()))
    if kind == 'uuid':
        return out + field(89, field(1, int(rest[0])) + field(2, int(rest[1])))
    if kind == 'marker':
        return out + field(36, b'\x82\x47\x7a\x76\xb2\x8d\x42\xba\x81\xdc\x33\x32\x6d\x57\xa0\x79')
    sys.exit('make-proto: what is ' + kind)


def trace(lines):
    split = (line.split('#')[0].split() for line in lines)
    return b''.join(field(1, packet(words)) for words in split if words)


if __name__ == '__main__':
    sys.stdout.buffer.write(trace(sys.stdin))
