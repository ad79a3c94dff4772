#!/usr/bin/env python3
"""What t/oracle/ftrace_text.py says in text, as ftrace bundles of Perfetto traces, whose events do not name the task that
ran. Each case is a file on a machine of its own.

usage: ftrace_events.py TM_MERGE CASES SEED
"""
import collections, random, sys
from ftrace_text import Model, merged, print_difference, random_lines, text_of
from track_events import field, message

# Bits of Linux 4.4, which is assumed where a trace does not say.
STATES = {'R': 0, 'S': 1, 'D': 2, 'R+': 0x800, 'D|K': 0x82, 'S|W': 0x101, 'x': 0x40, 'I': 0x402, 'Z': 32, 'X|Z': 48}
PRINT, SWITCH, CPU_FREQUENCY, CPU_IDLE, WAKEUP, WAKING = 3, 4, 11, 13, 17, 20


class Events(Model):
    def line(self, line):
        if line['event'] == 'sched_switch':
            self.switch(line['ts'], line['cpu'], line['args'])
        else:
            super().line({**line, 'task': '<...>', 'tgid': None})


def event_bytes(line):
    name, a = line['event'], line['args']
    if name == 'sched_switch':
        body = field(SWITCH, message((1, a['prev_comm']), (2, a['prev_pid']), (3, a['prev_prio']),
                                     (4, STATES[a['prev_state']]), (5, a['next_comm']), (6, a['next_pid']),
                                     (7, a['next_prio'])))
    elif name in ('sched_waking', 'sched_wakeup'):
        body = field(WAKING if name == 'sched_waking' else WAKEUP, message((1, a['comm']), (2, a['pid']), (3, 120)))
    elif name in ('cpu_frequency', 'cpu_idle'):
        number = CPU_FREQUENCY if name == 'cpu_frequency' else CPU_IDLE
        body = field(number, message((1, a['state']), (2, line['cpu'])))
    else:
        body = field(PRINT, message((1, 1), (2, a + '\n')))
    return field(2, field(1, line['ts']) + field(2, line['pid']) + body)


def trace(lines):
    """A bundle for each cpu."""
    clocks = message((1, message((1, 6), (2, 1000))), (1, message((1, 1), (2, 5000))))
    out, of_cpu = field(1, message((10, 9), (6, clocks))), collections.defaultdict(list)
    for line in lines:
        of_cpu[line['cpu']].append(line)
    for cpu, of_this in of_cpu.items():
        bundle = field(1, cpu) + b''.join(map(event_bytes, of_this))
        out += field(1, message((8, of_this[0]['ts']), (10, 7), (1, bundle)))
    return out


def random_events(rng):
    """Lines that have times of their own: in bundles nothing says what comes first of two cpus at one time."""
    lines, latest = sorted(random_lines(rng), key=lambda line: line['ts']), 0
    for line in lines:
        line['ts'] = latest = max(line['ts'], latest + 1000)
        if line['event'] == 'sched_switch' and line['args']['prev_state'] not in STATES:
            line['args']['prev_state'] = 'S'
    return lines


def main():
    tm_merge, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    cases = [random_events(rng) for _ in range(count)]
    rows = bad = 0
    for lines, got in zip(cases, merged(tm_merge, [trace(lines) for lines in cases])):
        model = Events()
        for line in lines:
            model.line(line)
        want = model.answers()
        rows += sum(map(len, want.values()))
        if want != got:
            bad += 1
            if bad == 1:
                print(text_of(lines))
                print_difference(want, got)
    print('%d cases %s: %d rows' % (count, 'differ' if bad else 'agree', rows))
    return bad > 0


if __name__ == '__main__':
    sys.exit(main())
