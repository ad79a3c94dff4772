#!/usr/bin/env python3
"""Makes a trace.dat of version 7 as trace-cmd writes it for a host or its guest, or with --date.

usage: make-guest-trace.py host|guest|host-local|guest-local|date|ticks|scaled|unscaled|buffers FROM TO

Options are added to the recording FROM. buffers adds 1024 buffers without cpus to the recording's own. The -local words
use the clock "local", and ticks, scaled and unscaled use "x86-tsc"; scaled states what converts it to nanoseconds, and
unscaled states a factor of 0. A host's recording names its guest (GUEST). A guest's has an id of its own (TRACEID) and states how its times become those of the host (TIME_SHIFT): by
samples for each cpu, each with a time, an offset, a scale and the number of bits to shift right after the
multiplication. Numbers are little-endian.
"""
import struct
import sys

HOST, GUEST = 0x1111, 0x2222
OFFSETS = ((13000 * 10**9, 5_000_000), (14000 * 10**9, 9_000_000))  # times, and the offsets from these times on
SCALE, FRACTION = 5, 2  # a quarter more


def option(number, data):
    return struct.pack('<HI', number, len(data)) + data


def shift(cpus):
    out = struct.pack('<QII', HOST, 0, cpus)
    for _ in range(cpus):
        out += struct.pack('<I', len(OFFSETS))
        out += b''.join(struct.pack('<q', time) for time, _ in OFFSETS)
        out += b''.join(struct.pack('<q', offset) for _, offset in OFFSETS)
        out += struct.pack('<q', SCALE) * len(OFFSETS)
    return out + struct.pack('<q', FRACTION) * len(OFFSETS) * cpus


def last_done(data):
    """Returns the place of the offset of the next list of options."""
    at = data.index(b'\0', 10) + 1 + 1 + 1 + 4  # magic, version, byte order, size of a long, size of a page
    at = data.index(b'\0', at) + 1
    at = data.index(b'\0', at) + 1
    following = struct.unpack_from('<Q', data, at)[0]
    while following:
        at = following + 16
        while True:
            number, size = struct.unpack_from('<HI', data, at)
            at += 6
            if number == 0:
                break
            at += size
        following = struct.unpack_from('<Q', data, at)[0]
    return at


def main():
    role, source, to = sys.argv[1:]
    data = bytearray(open(source, 'rb').read())
    if role == 'date':
        options = option(1, b'%#x\0' % (1700000000 * 10**6))
    elif role in ('ticks', 'scaled', 'unscaled'):
        options = option(4, b'[x86-tsc] local global mono\0')
        if role != 'ticks':
            options += option(14, struct.pack('<IIQ', 3 if role == 'scaled' else 0, 1, 0))  # times 3, shifted right by 1
    elif role == 'buffers':
        options = option(3, struct.pack('<Q', 0) + b'b\0local\0' + struct.pack('<II', 4096, 0)) * 1024
    elif role.startswith('host'):
        options = option(11, struct.pack('<Q', HOST))
        options += option(13, b'guest\0' + struct.pack('<QIIIII', GUEST, 2, 0, 100, 1, 101))
    else:
        options = option(11, struct.pack('<Q', GUEST)) + option(12, shift(2))
    if role.endswith('local'):
        options += option(4, b'[local] global mono\0')
    options += option(0, struct.pack('<Q', 0))
    at = last_done(data)
    struct.pack_into('<Q', data, at, len(data))
    data += struct.pack('<HHIQ', 0, 0, 0, len(options)) + options
    open(to, 'wb').write(data)


main()
