#!/usr/bin/env python3
"""Makes a Perfetto trace of generic_kernel_* packets: tasks change their state in and out of order.

usage: make-tasks.py >FILE
"""
import sys

from wire import field, message

CREATED, RUNNABLE, RUNNING, SLEEPS, WAITS, STOPPED, DEAD, DESTROYED = range(1, 9)

def packet(ts, *fields):
    sys.stdout.buffer.write(field(1, message((8, ts), (10, 1), *fields)))

def state(ts, cpu, tid, comm, what, prio=10):
    packet(ts, (117, message((1, cpu), (2, comm), (3, tid), (4, what), (5, prio))))

sys.stdout.buffer.write(field(1, message((10, 1), (6, message((1, message((1, 6), (2, 1))))))))
packet(5, (122, message((1, message((1, 100), (2, 1), (3, '/bin/shop -v'))), (1, message((1, 50), (2, 1))),
                        (2, message((1, 101), (2, 100), (3, 'main'), (4, 1))), (2, message((1, 102), (2, 100), (3, 'work'), (5, 1))))))
state(10, 0, 102, 'work', RUNNABLE)
state(20, 0, 102, 'work', RUNNING, 7)
state(30, 0, 102, 'work', SLEEPS)          # it leaves before the next one runs
state(30, 0, 101, 'main', RUNNING)
state(40, 0, 102, 'work', RUNNING)         # it runs before the other leaves
state(40, 0, 101, 'main', WAITS)
state(50, 1, 7, 'other', RUNNING)
state(60, 1, 8, 'next', RUNNING)           # the next state of 7 is reported too late
state(65, 1, 7, 'other', RUNNABLE)
state(70, 0, 102, 'work', RUNNING)         # twice
state(75, 0, 101, 'main', RUNNABLE)
state(80, 0, 102, 'work', STOPPED)
state(85, 0, 102, 'renamed', RUNNABLE)
packet(86, (120, message((1, 102), (2, 'again'))))
state(90, 0, 300, 'new', CREATED)
state(91, 0, 300, 'new', CREATED)          # it exists
state(95, 0, 300, 'new', RUNNABLE)
state(100, 2, 300, 'new', RUNNING)
state(110, 2, 300, 'new', DEAD)
state(115, 2, 300, 'new', RUNNABLE)        # it is dead
state(120, 2, 300, 'new', DESTROYED)
state(130, 2, 400, 'unknown', DESTROYED)
state(140, 2, 101, 'main', 0)
state(141, 2, 101, 'main', 9)
state(150, 0, 0, 'idle', RUNNING)
state(160, 0, 102, 'again', RUNNING)
