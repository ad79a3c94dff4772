#!/usr/bin/env python3
"""Makes a Perfetto trace with events of Windows (ETW): switches, wakings, counts of pages, requests to files and disks.

usage: make-etw.py [START_NS [PRIMARY_CLOCK [EVENTS]]] >FILE

Events begin START_NS (default 1000) after the first reading of the clock. PRIMARY_CLOCK is the number of the snapshot's
primary clock: 6 BOOTTIME (default), 3 MONOTONIC, which reads 5000 more; 0: there is no snapshot, and only one clock.
EVENTS adds that many switches between two threads, and one event for each name of a number.
"""
import sys

from wire import field, message

start, primary, more = (int(a) for a in sys.argv[1:] + ['1000', '6', '0'][len(sys.argv) - 1:])
SWITCH, READY, MEMORY, CREATE, LIST, INFO, TRANSFER, SIMPLE, END, STACK, PATH, DISK = (2, 3, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
RUNNING, TERMINATED, WAITING, READIED = 2, 4, 5, 1

def zigzag(n):
    return (n << 1) ^ (n >> 63)

def packet(*fields):
    sys.stdout.buffer.write(field(1, message(*fields)))

def event(ts, thread, kind, *fields, cpu=None):
    head = [(1, start + ts)] if ts is not None else []
    head += [(5, thread)] if thread is not None else []
    head += [(4, cpu)] if cpu is not None else []
    return (2, message(*head, (kind, message(*fields))))

def bundle(*events, cpu=0, time=None, others=()):
    head = [(1, cpu)] if cpu is not None else []
    packet(*([(8, time)] if time is not None else []), (10, 1), (3, 1000), *others, (95, message(*head, *events)))

def switch(ts, old, new, state, reason=None, priority=8, cpu=None):
    fields = [(1, new)] if new is not None else []
    fields += [(2, old)] if old is not None else []
    fields += [(3, zigzag(priority)), (4, zigzag(-1)), (13, zigzag(state))]
    fields += [(11, reason)] if reason is not None else []
    return event(ts, old, SWITCH, *fields, cpu=cpu)

if primary:
    snapshot = [(1, message((1, 6), (2, 10))), (1, message((1, 3), (2, 5010))), (1, message((1, 1), (2, 10 ** 9)))]
    packet((10, 1), (6, message(*snapshot, (2, primary))))
bundle(event(0, 44, MEMORY, (1, 8), (2, 100), (3, 200), (4, 1 << 60), (6, 3), *((7, n) for n in (5, 6, 7)), (8, 9), (8, 11),
             (10, 1), (11, 2), (12, 3), (13, 4)),
       switch(10, 0, 100, RUNNING),
       switch(20, 100, 101, WAITING, 7, priority=15),
       switch(30, 101, 0, WAITING, 2, priority=0),
       event(35, 0, READY, (1, 100), (5, 1), (3, zigzag(-1)), (6, 1)),
       switch(40, 0, 100, READIED, priority=70000),
       event(45, 100, READY, (1, 101)),
       switch(50, 101, 102, WAITING, 6),                    # another thread ran
       event(55, None, READY, (1, 102)),
       switch(60, 102, None, 200, 99),                      # an invalid state; the recording hides the next thread
       switch(70, None, 100, TERMINATED),
       switch(80, 100, 101, WAITING, 99),
       switch(84, 101, 102, RUNNING),                       # it leaves in a running state, and leaves again
       switch(88, 101, 102, WAITING, 1))
bundle(switch(15, 0, 200, RUNNING, cpu=3), switch(25, 200, 0, WAITING, 36), cpu=2, time=start + 5000,
       others=((58, 3),) if primary else ())
bundle(switch(26, 0, 201, RUNNING, cpu=1), switch(27, 5, 6, RUNNING), switch(None, 5, 6, RUNNING, cpu=1),
       switch(28, 5, 6, RUNNING, cpu=2000), cpu=None)      # no cpu, no time, a cpu that is too high
bundle(event(100, 300, CREATE, (1, 0xffffe00112233440), (2, 2), (3, 300), (4, 5), (5, 0x80), (6, 7), (7, 'C:\\a.txt')),
       event(105, 300, TRANSFER, (2, 0x50), (1, 4096), (3, 2), (4, 3), (5, 300), (6, 512), (7, 0x60900), (8, 67)),
       event(110, 300, END, (1, 0xffffe00112233440), (2, 1), (3, 0)),
       event(115, 300, LIST, (1, 0x51), (2, 2), (3, 3), (4, 300), (5, 9), (6, 3), (7, 4), (8, '*.c'), (9, 72)),
       event(117, 300, STACK, (1, 'CSwitch'), (2, 5)),
       event(120, 300, END, (1, 0x50), (3, 0xc0000011)),
       event(125, 301, END, (1, 0x51), (3, 0)),             # on a thread other than that of its begin
       event(126, 300, INFO, (1, 0x52), (3, 3), (4, 77), (5, 300), (6, 20), (7, 69)),
       event(127, 300, INFO, (1, 0x53), (4, 1), (6, 13)),
       event(128, 300, INFO, (1, 0x54), (4, 2), (6, 999), (7, 70000)),
       event(130, 300, PATH, (1, 0x52), (4, 2), (6, 64), (7, 'b.txt'), (8, 79)),   # the request before has no end
       event(135, 300, SIMPLE, (2, 2), (4, 300), (5, 66)),  # has no number of a request
       event(140, 300, END, (3, 5)),
       event(145, 300, END, (1, 0x99), (2, 6)),             # of a request without a begin
       event(150, 300, END, (1, 0x53)),
       event(155, 300, SIMPLE, (1, 0x55), (5, 78)),         # an opcode without a name
       event(160, 300, SIMPLE, (1, 0x56), (5, 66)),
       event(165, 300, END, (1, 0x56)))
bundle(event(200, 301, DISK, (1, 1), (2, 0x43), (3, 4096), (4, 1 << 40), (5, 9), (6, 0x77), (7, 30), (8, 302), (9, 10)),
       event(210, 301, DISK, (1, 1), (7, 5), (9, 14)),
       event(215, 301, DISK, (7, 50), (9, 11)),
       event(220, 301, DISK, (9, 15)),
       event(225, 301, DISK, (9, 3)),
       event(226, 301, DISK, (1, 1)), cpu=1)
packet((8, start + 230), (10, 1), (3, 1000), (95, b''))
if more:
    bundle(*(event(240 + n, 300, INFO, (6, n), (7, 63 + n % 26)) for n in range(84)),
           *(switch(330 + n, 500 + n % 2, 501 - n % 2, WAITING, n) for n in range(39)),
           *(switch(370 + n, 501 - n % 2, 500 + n % 2, n) for n in range(10)), cpu=5)
at, threads = 400, (400, 401)
for n in range(0, more, 100):
    events = []
    for i in range(min(100, more - n)):
        at += 7
        events.append(switch(at, threads[i % 2], threads[(i + 1) % 2], WAITING, 6))
    bundle(*events, cpu=4)
