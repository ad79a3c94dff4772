#!/usr/bin/env python3
"""Makes a Perfetto trace from lines on standard input, for tests of clocks and machines.

usage: make-proto.py >FILE <LINES

    snap CLOCK=READING[:incremental][:unit=N]... [primary=CLOCK] [KEY=VALUE]...
    sync client CLOCK=READING... host CLOCK=READING... [/ client ... host ...]... [KEY=VALUE]...
    event TIME [KEY=VALUE]...             a packet with a time; TIME - for none
    default CLOCK seq=N                   TracePacketDefaults.timestamp_clock_id
    instant NAME TIME [KEY=VALUE]...      a track event, on the track whose uuid is its sequence
    begin NAME TIME ..., finish TIME ...  its begin and end
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


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field, n):
    return varint(field << 3) + varint(n)


def message(field, body):
    return varint(field << 3 | 2) + varint(len(body)) + body


def clocks(words):
    body = b''
    for word in words:
        clock, reading = word.split('=', 1)
        parts = reading.split(':')
        one = number(1, int(clock)) + number(2, int(parts[0]))
        for part in parts[1:]:
            one += number(3, 1) if part == 'incremental' else number(4, int(part.split('=')[1]))
        body += message(1, one)
    return body


def sync(words):
    body = b''
    for part in ' '.join(words).split('/'):
        client, host = part.split('host')
        body += message(1, message(2, clocks(client.split()[1:])) + message(3, clocks(host.split())))
    return body


def packet(words):
    kind, rest = words[0], words[1:]
    keys = {}
    for word in [w for w in rest if w.split('=')[0] in ('m', 'seq', 'clock', 'primary')]:
        keys[word.split('=')[0]] = int(word.split('=')[1])
        rest.remove(word)
    out = b''
    if 'm' in keys:
        out += number(98, keys['m'])
    if 'seq' in keys:
        out += number(10, keys['seq'])
    if kind == 'snap':
        primary = number(2, keys['primary']) if 'primary' in keys else b''
        return out + message(6, clocks(rest) + primary)
    if kind == 'sync':
        return out + message(107, sync(rest))
    if kind == 'log':
        line = number(1, 1) + number(2, 1) + number(3, 1) + number(5, int(rest[1])) + message(6, b'tag') + number(7, 4)
        payload = message(39, message(1, line + message(8, rest[0].encode())))
        rest, kind = rest[-1:], 'event'
    elif kind == 'heap':
        sample = number(1, 1) + number(2, 4096) + number(5, 1)
        dump = number(1, int(rest[0])) + message(2, sample) + number(9, int(rest[1])) + message(11, b'libc.malloc')
        stacks = message(3, number(1, 1) + number(2, 1)) + message(2, number(1, 1) + number(2, 1) + number(3, 1))
        names = message(1, number(1, 1) + message(2, b'f')) + message(4, number(1, 1) + number(4, 0) + number(5, 4096))
        payload = message(37, names + stacks + message(5, dump))
        rest, kind = rest[-1:], 'event'
    elif kind == 'process':
        one = number(1, int(rest[0])) + number(7, int(rest[1]))
        payload = message(60, number(1, keys['seq']) + message(3, one))
        rest, kind = rest[-1:], 'event'
    elif kind == 'chrome':
        kind, payload = 'event', message(51, number(2, 1))
    elif kind in ('instant', 'begin', 'finish'):
        name = message(23, rest[0].encode()) if kind != 'finish' else b''
        event = number(9, ('begin', 'finish', 'instant').index(kind) + 1) + number(11, keys.get('seq', 0)) + name
        rest, kind, payload = rest[-1:], 'event', message(11, event)
    else:
        payload = message(900, b'')
    if kind == 'event':
        if rest[0] != '-':
            out += number(8, int(rest[0]))
        if 'clock' in keys:
            out += number(58, keys['clock'])
        return out + payload
    if kind == 'bundle':
        event = number(1, int(rest[0])) + number(2, 10) + message(5, message(2, b'I|10|local'))
        pair = number(5, 3) + number(6, int(rest[1])) + number(7, int(rest[2]))
        return out + message(1, number(1, 0) + message(2, event) + pair)
    if kind == 'default':
        return out + message(59, number(58, int(rest[0]))) + number(13, 1)
    if kind == 'name':
        return out + message(45, message(17, rest[0].encode()))
    if kind == 'uuid':
        return out + message(89, number(1, int(rest[0])) + number(2, int(rest[1])))
    if kind == 'marker':
        return out + message(36, b'\x82\x47\x7a\x76\xb2\x8d\x42\xba\x81\xdc\x33\x32\x6d\x57\xa0\x79')
    sys.exit('make-proto: what is ' + kind)


def trace(lines):
    split = (line.split('#')[0].split() for line in lines)
    return b''.join(message(1, packet(words)) for words in split if words)


if __name__ == '__main__':
    sys.stdout.buffer.write(trace(sys.stdin))
