#!/usr/bin/env python3
"""make-guest-trace.py host|guest|host-local|guest-local|date FROM TO: a trace.dat of version 7 as trace-cmd writes it of
a host or of its guest, with "local" on the clock of that name; or with --date.

Options are added to the recording FROM. A host's names its guest (GUEST). A guest's has an id of its own (TRACEID) and
says how its times become those of the host (TIME_SHIFT): by samples a cpu, of a time, an offset, a scale and the bits
that are shifted out behind the multiplication. Little end first.
"""
import struct
import sys

HOST, GUEST = 0x1111, 0x2222
OFFSETS = ((13000 * 10**9, 5_000_000), (14000 * 10**9, 9_000_000))  # times, and what is added from there on
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
    """The place of the offset of the next list of options."""
    at = data.index(b'\0', 10) + 1 + 1 + 1 + 4  # magic, version, order of bytes, size of a long, of a page
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
