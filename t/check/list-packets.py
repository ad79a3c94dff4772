#!/usr/bin/env python3
"""Lists the packets of a Perfetto trace, one on each line.

usage: list-packets.py [-f FIELD[.FIELD]...]... TRACE

A line has: time, sequence, sequence_flags, machine_id, previous_packet_dropped (- if absent), the numbers of all other
fields, and PATH=VALUE for each value of a -f path. A path names fields by number.
"""
import sys


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            size = 8 if tag & 7 == 1 else 4
            value, at = int.from_bytes(data[at:at + size], 'little'), at + size
        yield tag >> 3, value


def values(data, path):
    for field, value in fields(data):
        if field == path[0]:
            if len(path) == 1:
                yield value.decode('utf-8', 'replace') if isinstance(value, bytes) else value
            elif isinstance(value, bytes):
                yield from values(value, path[1:])


def main():
    args = sys.argv[1:]
    paths = []
    while args[0] == '-f':
        paths.append(args[1])
        args = args[2:]
    with open(args[0], 'rb') as f:
        trace = f.read()
    said = {8: '-', 10: '-', 13: '-', 98: '-', 42: '-'}
    for _, packet in fields(trace):
        head, rest = dict(said), []
        for field, value in fields(packet):
            if field in head:
                head[field] = value
            else:
                rest.append(str(field))
        words = [str(v) for v in head.values()] + [','.join(rest) or '-']
        for path in paths:
            words += ['%s=%s' % (path, v) for v in values(packet, [int(p) for p in path.split('.')])]
        print(' '.join(words))


main()
