#!/usr/bin/env python3
"""Writes the random events of t/oracle/ftrace_text.py as ftrace bundles of Perfetto traces, whose events do not name
the task that ran, and checks the databases. Each case is a file on a machine of its own.

usage: ftrace_events.py TM_MERGE CASES SEED [again]     again: checks a Perfetto trace merged from the cases too
"""
import collections, sys
import binder, ftrace_text, kernel_events
from ftrace_text import Model, Tasks, compare, random_lines
from track_events import field, message

# Bits of Linux 4.4, which is assumed if a trace does not state its kernel.
STATES = {'R': 0, 'S': 1, 'D': 2, 'R+': 0x800, 'D|K': 0x82, 'S|W': 0x101, 'x': 0x40, 'I': 0x402, 'Z': 32, 'X|Z': 48}
PRINT, SWITCH, CPU_FREQUENCY, CPU_IDLE, WAKEUP, WAKING, NEW, RENAME, FREE = 3, 4, 11, 13, 17, 20, 235, 236, 240
CLONE_THREAD = 0x10000
ftrace_text.QUERIES['kernel'] = kernel_events.QUERY


class Lives(Tasks):
    """Tasks that begin and end. A task that has ended is not found again, and neither are the threads of an ended
    process."""

    def __init__(self):
        self.same = []  # pairs of threads that share a process, known or not
        super().__init__()

    def is_alive(self, thread):
        process = thread['process']
        return not thread.get('ended') and (process is None or self.of_pid.get(process['pid']) is process)

    def thread(self, tid):
        self.of_tid[tid] = [t for t in self.of_tid[tid] if self.is_alive(t)]
        return super().thread(tid)

    def thread_in(self, tid, pid):
        self.process(pid)
        self.of_tid[tid] = [t for t in self.of_tid[tid] if self.is_alive(t)]
        thread = super().thread_in(tid, pid)
        self.spread()
        return thread

    def spread(self):
        for a, b in self.same * len(self.same):
            if a['process'] and not b['process']:
                b['process'] = a['process']
            elif b['process'] and not a['process']:
                a['process'] = b['process']

    def begin_thread(self, maker, tid, name):
        maker = self.thread(maker)
        thread = self.new_thread(tid)
        thread['name'] = name
        self.same.append((maker, thread))
        self.spread()

    def begin_process(self, pid, name):
        self.of_pid.pop(pid, None)
        self.of_tid[pid] = []
        self.new_thread(pid)['name'] = name
        self.process(pid)['name'] = name

    def end(self, tid):
        found = [t for t in self.of_tid[tid] if self.is_alive(t)]
        if found:
            found[-1]['ended'] = True
            if found[-1]['process'] and found[-1]['process']['pid'] == tid:
                del self.of_pid[tid]


class Events(Model):
    def __init__(self):
        super().__init__()
        self.tasks = Lives()
        self.kernel = kernel_events.Kernel(self)
        self.binder = binder.Binder(self, '0x%02x')

    def line(self, line):
        a, tasks = line['args'], self.tasks
        if line['event'] != 'sched_switch':  # a row of ftrace_event names a thread; a switch names its own threads
            tasks.thread(line['pid'])
        if line['event'] in kernel_events.NUMBERS:
            self.kernel.event(line['ts'], line['cpu'], line['pid'], line['event'], a)
        elif line['event'] in ('tracing_mark_write', 'print'):
            self.kernel.marker(line['ts'], line['pid'])
            super().line({**line, 'task': '<...>', 'tgid': None})
        elif line['event'] == 'sched_switch':
            self.switch(line['ts'], line['cpu'], a)
        elif line['event'] == 'task_newtask':
            if a['flags'] & CLONE_THREAD:
                tasks.begin_thread(line['pid'], a['pid'], a['comm'])
            else:
                tasks.begin_process(a['pid'], a['comm'])
                tasks.thread(line['pid'])
        elif line['event'] == 'task_rename':
            thread = tasks.thread(a['pid'])
            tasks.name(thread, a['comm'])
            if thread['process'] and thread['process']['pid'] == thread['tid']:
                thread['process']['name'] = a['comm']
        elif line['event'] == 'sched_process_free':
            tasks.end(a['pid'])
        else:
            super().line({**line, 'task': '<...>', 'tgid': None})

    def answers(self):
        return {**super().answers(), 'kernel': sorted(kernel_events.answers(self), key=repr)}


def event_bytes(line):
    name, a = line['event'], line['args']
    if name in kernel_events.NUMBERS:
        body = kernel_events.body_of(name, a)
    elif name in binder.EVENTS:
        number, fields = binder.fields_of(name, a)
        body = field(number, message(*sorted(fields.items())))
    elif name == 'sched_switch':
        body = field(SWITCH, message((1, a['prev_comm']), (2, a['prev_pid']), (3, a['prev_prio']),
                                     (4, STATES[a['prev_state']]), (5, a['next_comm']), (6, a['next_pid']),
                                     (7, a['next_prio'])))
    elif name in ('sched_waking', 'sched_wakeup'):
        body = field(WAKING if name == 'sched_waking' else WAKEUP, message((1, a['comm']), (2, a['pid']), (3, 120)))
    elif name in ('cpu_frequency', 'cpu_idle'):
        (_, value, _, cpu), = a
        body = field(CPU_FREQUENCY if name == 'cpu_frequency' else CPU_IDLE, message((1, value), (2, cpu)))
    elif name == 'task_newtask':
        body = field(NEW, message((1, a['pid']), (2, a['comm']), (3, a['flags'])))
    elif name == 'task_rename':
        body = field(RENAME, message((1, a['pid']), (2, 'before'), (3, a['comm'])))
    elif name == 'sched_process_free':
        body = field(FREE, message((1, 'x'), (2, a['pid'])))
    else:
        body = field(PRINT, message((1, 1), (2, a + '\n')))
    return field(2, field(1, line['ts']) + field(2, line['pid']) + body)


def trace(lines):
    """Makes a bundle for each cpu."""
    clocks = message((1, message((1, 6), (2, 1000))), (1, message((1, 1), (2, 5000))))
    system = message((1, message((4, 'x86_64'))))
    out, of_cpu = field(1, message((10, 9), (6, clocks))) + field(1, message((10, 9), (45, system))), collections.defaultdict(list)
    for line in lines:
        of_cpu[line['cpu']].append(line)
    for cpu, of_this in of_cpu.items():
        bundle = field(1, cpu) + b''.join(map(event_bytes, of_this))
        state = [(13, 1), (12, kernel_events.symbols())] if not out.count(b'do_work') else []
        out += field(1, message((8, of_this[0]['ts']), (10, 7), (1, bundle), *state))
    return out


def random_events(rng):
    """Makes lines with different times, because the order of two cpus at one time is unknown in bundles. Free tids are
    reused."""
    lines = [line for line in random_lines(rng, ['cpu_frequency', 'cpu_idle']) if ftrace_text.can_be(line)]
    lines, latest = sorted(lines, key=lambda line: line['ts']), 0
    alive = []
    for line in lines:
        if rng.random() > .2:
            continue
        new = rng.choice([t for t in range(400, 404) if t not in alive] + [0])
        tid = rng.choice(alive + [line['pid']])
        if new and rng.random() < .5:
            alive.append(new)
            args = {'pid': new, 'comm': 'new', 'flags': rng.choice([0, CLONE_THREAD])}
            line.update(event='task_newtask', args=args, text=str(args))
        elif tid in alive and rng.random() < .5:
            alive.remove(tid)
            line.update(event='sched_process_free', args={'pid': tid}, text=str(tid))
        else:
            line.update(event='task_rename', args={'pid': tid, 'comm': 'renamed'}, text=str(tid))
    calls = rng.choice([[], [kernel_events.syscall] * 4, [kernel_events.suspend] * 8])
    for line in lines:
        if line['event'] == 'tracing_mark_write' and rng.random() < .6:
            kind = rng.choice([kernel_events.sample] * 3 + [kernel_events.counter, kernel_events.history] + calls)
            name, fields = kind(rng)
            line.update(event=name, args=fields, text=str(fields))
        line['ts'] = latest = max(line['ts'], latest + 1000)
        if line['event'] == 'sched_switch' and line['args']['prev_state'] not in STATES:
            line['args']['prev_state'] = 'S'
    return lines


def answers(lines):
    model = Events()
    for line in lines:
        model.line(line)
    return model.answers()


if __name__ == '__main__':
    sys.exit(compare(random_events, trace, answers, list(ftrace_text.QUERIES) if sys.argv[4:] == ['again'] else None))
