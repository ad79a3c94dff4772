#!/usr/bin/env python3
"""Makes a Perfetto trace of kernel events from lines on standard input, with functions 7 and 9
(oracle/kernel_events.py).

usage: make-kernel.py >FILE <LINES

    TIME CPU TID EVENT [FIELD=NUMBER|TEXT]...     FIELD by its number, EVENT too as #NUMBER (then TID can be -);
                                                  TIME in nanoseconds of BOOTTIME
    process PID NAME                              the process tree, at 10 ns
    machine NAME [RELEASE]                        the machine's name by uname(2), and the release of its Linux
    clocks CLOCK=TIME...                          a snapshot of clocks, by number
    started TIME                                  the service: tracing has started
    flushed TIME                                  the service: all data sources were flushed
    preserve                                      the ftrace data source: events in the buffer at the start count
    whole CPU TIME                                an empty bundle: the cpu's buffer was read up to TIME before
    compact CPU TIME:PID:COMM...                  switches as compact_sched, each to PID
    describe NUMBER NAME FIELD:TYPE:NAME...       an event that the schema lacks; TYPE as in FieldDescriptorProto
"""
import os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'oracle'))
from ftrace_events import event_bytes
from kernel_events import symbols
from wire import field, message, varint


def value(text):
    try:
        return int(text, 0)
    except ValueError:
        return text


def packed(numbers):
    return b''.join(varint(n) for n in numbers)


def compact(cpu, *switches):
    times, pids, comms = zip(*(s.split(':') for s in switches))
    times = [int(t) for t in times]
    return [(1, field(1, int(cpu)) + field(4, message(
        *((5, c) for c in comms), (1, packed(b - a for a, b in zip([0] + times, times))),
        (2, packed([1] * len(times))), (3, packed(int(p) for p in pids)), (4, packed([120] * len(times))),
        (6, packed(range(len(times)))))))]


def describe(number, name, *fields):
    of = [message((1, n), (3, int(i)), (4, 1), (5, int(t))) for i, t, n in (f.split(':') for f in fields)]
    return [(1, message((1, 0), (11, message((1, int(number)), (2, message((1, name), *((2, f) for f in of)))))))]


simple = {
    'started': lambda ts: [(8, int(ts)), (69, message((2, 1)))],
    'flushed': lambda ts: [(8, int(ts)), (69, message((3, 1)))],
    'preserve': lambda: [(34, message((1, 1), (8, 1)))],
    'whole': lambda cpu, ts: [(1, message((1, int(cpu)), (10, int(ts))))],
    'clocks': lambda *times: [(6, message(*((1, message(*((i + 1, int(n)) for i, n in enumerate(t.split('=')))))
                                           for t in times)))],
    'compact': compact,
    'describe': describe,
}


def main():
    out = bytearray(field(1, message((10, 7), (13, 1), (12, symbols()), (6, message((1, message((1, 6), (2, 1))))))))
    for line in sys.stdin:
        if line.startswith('process'):
            _, pid, name = line.split()
            out += field(1, message((8, 10), (10, 7), (2, message((1, message((1, int(pid)), (3, name)))))))
            continue
        if line.startswith('machine'):
            _, name, *release = line.split()
            linux = ((1, 'Linux'), (2, '#1'), (3, release[0])) if release else ()
            out += field(1, message((10, 7), (45, message((1, message(*linux, (4, name)))))))
            continue
        if line.split()[0] in simple:
            word, *rest = line.split()
            out += field(1, message((10, 7), *simple[word](*rest)))
            continue
        ts, cpu, tid, name, *rest = line.split()
        args = {}
        for k, v in (f.split('=', 1) for f in rest):
            k = int(k) if k.isdigit() else k
            args[k] = [*(args[k] if isinstance(args[k], list) else [args[k]]), value(v)] if k in args else value(v)
        args = args[2] if name == 'print' else args
        event = field(2, field(1, int(ts)) + (b'' if tid == '-' else field(2, int(tid))) + field(int(name[1:]), message(*sorted(args.items())))) \
            if name[0] == '#' else event_bytes({'event': name, 'args': args, 'ts': int(ts), 'pid': int(tid), 'cpu': int(cpu)})
        out += field(1, message((10, 7), (1, field(1, int(cpu)) + event)))
    sys.stdout.buffer.write(out)


main()
