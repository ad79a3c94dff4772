#!/usr/bin/env python3
"""Makes a Perfetto trace of kernel events out of lines on standard input, and of functions 7 and 9 (oracle/kernel_events.py).

usage: make-kernel.py >FILE <LINES

    TIME CPU TID EVENT [FIELD=NUMBER|TEXT]...     FIELD by its number, EVENT too as #NUMBER; TIME in nanoseconds of BOOTTIME
    process PID NAME                              the process tree, at 10 ns
    machine NAME                                  what uname(2) calls the machine
"""
import os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'oracle'))
from ftrace_events import event_bytes
from kernel_events import symbols
from track_events import field, message


def value(text):
    try:
        return int(text, 0)
    except ValueError:
        return text


def main():
    out = field(1, message((10, 7), (13, 1), (12, symbols()), (6, message((1, message((1, 6), (2, 1)))))))
    for line in sys.stdin:
        if line.startswith('process'):
            _, pid, name = line.split()
            out += field(1, message((8, 10), (10, 7), (2, message((1, message((1, int(pid)), (3, name)))))))
            continue
        if line.startswith('machine'):
            out += field(1, message((10, 7), (45, message((1, message((4, line.split()[1])))))))
            continue
        ts, cpu, tid, name, *rest = line.split()
        args = {}
        for k, v in (f.split('=', 1) for f in rest):
            k = int(k) if k.isdigit() else k
            args[k] = [*(args[k] if isinstance(args[k], list) else [args[k]]), value(v)] if k in args else value(v)
        args = args[2] if name == 'print' else args
        event = field(2, field(1, int(ts)) + field(2, int(tid)) + field(int(name[1:]), message(*sorted(args.items())))) \
            if name[0] == '#' else event_bytes({'event': name, 'args': args, 'ts': int(ts), 'pid': int(tid), 'cpu': int(cpu)})
        out += field(1, message((10, 7), (1, field(1, int(cpu)) + event)))
    sys.stdout.buffer.write(out)


main()
