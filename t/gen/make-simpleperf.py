#!/usr/bin/env python3
"""Makes a report of simpleperf as protobuf: make-simpleperf.py >FILE

It has samples, threads, a loss and a context switch. The files that the samples name come after them.
"""
import struct, sys
from wire import field, message


def record(number, *fields):
    body = field(number, message(*fields))
    return struct.pack('<I', len(body)) + body


def sample(time, tid, frames, **more):
    chain = [(3, message((1, address), (2, file), (3, symbol))) for address, file, symbol in frames]
    return record(1, *([(1, time)] if time is not None else []), (2, tid), *chain, (4, more.get('count', 1)),
                  (5, more.get('type', 0)))


def report():
    return b'SIMPLEPERF' + struct.pack('<H', 1) + b''.join([
        record(5, (1, 'cpu-cycles'), (1, 'cpu-clock')),
        record(4, (1, 70), (2, 70), (3, 'app')),
        record(4, (1, 71), (2, 70), (3, 'worker')),
        sample(1000, 70, [(0x30, 0, 1), (0x20, 0, 0), (0x10, 1, 0)], count=500),
        sample(3000, 71, [(0x44, 1, -1), (0x10, 1, 0)], type=1),
        sample(2000, 71, [(0x20, 0, 0)]),
        record(6, (1, 1), (2, 2500), (3, 71)),
        record(2, (1, 9), (2, 4)),
        record(3, (1, 0), (2, '/system/lib/libc.so'), (3, 'main'), (3, 'read')),
        record(3, (1, 1), (2, '/data/app'), (3, '_start')),
        struct.pack('<I', 0)])


if __name__ == '__main__':
    sys.stdout.buffer.write(report())
