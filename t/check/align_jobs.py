#!/usr/bin/env python3
"""Makes random jobs of services and ranks whose clocks are known, and tests whether the true offsets are within the
bounds of tm-align.

usage: align_jobs.py [-n COUNT] [-s SEED] [-v] [--one NUMBER] [FORM...]

FORMs, of which all are made if none is named:

queue       a client calls a server that handles one request after another and is busy most of the time; delays of the
            directions differ up to ten times
retry       requests are sent again with the same id; some are received twice
reused      calls that share an argument, whose values are used again
numbered    collectives of 4 to 48 ranks in a nearly even rhythm, with stragglers
unnumbered  the same without numbers; some ranks begin later, or lose a fiftieth
chance      3 to 40 programs that send each other messages; some others have one to four ids in common by chance

One clock of a job drifts evenly, or is set (also near an end), slewed at its ends, corrected as by NTP, or warms up.
Prints for each form and clock how many files got which verdict, the median of their uncertainty divided by the largest
error, and how many have a true offset outside the bounds at some event. -v prints a line for each of these. The exit
status is 1 if there is one whose bounds are stated without the reservation that its drift is untested.
"""
import argparse
import collections
import math
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from align_clocks import Clock, alignment, flow_text, slice_text

KINDS = ['even', 'even', 'set', 'set near an end', 'corrected', 'slewed at an end', 'warming up']


class JobClock(Clock):
    def __init__(self, rng, kind, span):
        super().__init__(rng, 'constant', span)
        base = rng.uniform(-100e-6, 100e-6) if rng.random() < 0.7 else 0
        self.lines = [(0, 0, base)]
        sign, near = rng.choice([-1, 1]), rng.uniform(0.01, 0.06)
        if kind == 'set':
            self.turn(rng.uniform(0.05, 0.95) * span, sign * 10 ** rng.uniform(4, 9), base)
        elif kind == 'set near an end':
            self.turn(rng.choice([near, 1 - near]) * span, sign * 10 ** rng.uniform(4, 8), base)
        elif kind == 'corrected':
            poll = span / rng.choice([3, 8, 20])
            t = rng.uniform(0, poll)
            while t < span:
                error = 10 ** rng.uniform(4, 6.5)
                self.turn(t, 0, base + rng.choice([-1, 1]) * 360e-6)
                self.turn(t + min(poll * 0.9, error / 400e-6), 0, base)
                t += poll
        elif kind == 'slewed at an end':
            other = base + sign * 10 ** rng.uniform(-5.5, -3.5)
            if rng.random() < 0.5:
                self.lines = [(0, 0, other)]
                self.turn(2 * near * span, 0, base)
            else:
                self.turn((1 - 2 * near) * span, 0, other)
        elif kind == 'warming up':
            tau, most = span * rng.uniform(0.05, 0.5), 10 ** rng.uniform(-6, -4.3)
            for i in range(1, 100):
                self.turn(i * span / 100, 0, base + most * math.exp(-i * span / 100 / tau))
        self.starts = [line[0] for line in self.lines]


class Job:
    def __init__(self, rng, form):
        self.rng, self.span, self.rule = rng, rng.choice([10**9, 10**10, 6 * 10**10, 6 * 10**11]), None
        {'queue': self.add_queue, 'retry': self.add_retries, 'reused': self.add_reused,
         'chance': self.add_chance, 'numbered': lambda: self.add_collectives(True),
         'unnumbered': lambda: self.add_collectives(False)}[form]()

    def set_clocks(self, count):
        self.kind, odd = self.rng.choice(KINDS), self.rng.randrange(count)
        self.clocks = [JobClock(self.rng, self.kind if i == odd else 'even', self.span) for i in range(count)]
        self.events = [[] for _ in range(count)]  # (reading, text)
        self.times = [[] for _ in range(count)]

    def add_slice(self, i, name, tid, begin, end, args):
        first, last = self.clocks[i].read(begin), self.clocks[i].read(end)
        if last >= first:  # the clock was not set back meanwhile
            self.events[i].append((first, slice_text(name, tid, first, last, args)))
            self.times[i] += [begin, end]

    def add_flow(self, i, ph, number, t):
        reading = self.clocks[i].read(t)
        self.events[i].append((reading, flow_text(ph, number, reading)))
        self.times[i].append(t)

    def delays(self, ratio):
        rng, base = self.rng, 10 ** self.rng.uniform(3.5, 5.5)
        shape = rng.choice(['exponential', 'lognormal', 'two'])

        def draw(scale):
            if shape == 'exponential':
                return scale * (0.5 + rng.expovariate(2))
            if shape == 'lognormal':
                return scale * (0.5 + 0.3 * rng.lognormvariate(0, 1))
            return scale * (0.5 + rng.random() * 0.1 + (rng.random() < 0.2) * 5)
        return (lambda: draw(base)), (lambda: draw(base * ratio))

    def add_queue(self):
        rng = self.rng
        self.set_clocks(2)
        (out, back), count = self.delays(rng.choice([1, 1, 3, 10])), rng.choice([60, 200, 800, 2000])
        service, lost = self.span / count * rng.choice([0.3, 0.7, 0.95]), rng.choice([0, 0.05, 0.2])
        has_spans, with_wait = rng.random() < 0.5, rng.random() < 0.5
        t = free = 0
        for k in range(count):
            t += rng.expovariate(count / self.span)
            there = t + out()
            begun = max(there, free)
            free = begun + rng.expovariate(1 / service)
            at_end = free + back()
            if at_end > self.span:
                break
            gone = [rng.random() < lost for _ in range(4)]
            ids = f'"trace_id": "{k + 1:032x}", "span_id": "%016x"'
            if has_spans and not gone[0]:
                self.add_slice(0, 'call', k % 50, t, at_end, ids % (k + 1))
            if has_spans and not gone[1]:
                self.add_slice(1, 'serve', k % 97 if with_wait else 1, there if with_wait else begun, free,
                               ids % (k + 10**9) + f', "parent_span_id": "{k + 1:016x}"')
            rows = ((0, 's', 'q', t), (1, 'f', 'q', begun), (1, 's', 'r', free), (0, 'f', 'r', at_end))
            for way, (i, ph, name, at) in enumerate(() if has_spans else rows):
                if not gone[way]:
                    self.add_flow(i, ph, f'{name}{k}', at)

    def add_retries(self):
        rng = self.rng
        self.set_clocks(2)
        (out, back), count, again = self.delays(1), rng.choice([100, 600]), rng.choice([0.02, 0.1])
        t = 0
        for k in range(count):
            t += rng.expovariate(count / self.span)
            if t > self.span * 0.98:
                break
            sends = [t] + [t + 10 ** rng.uniform(5, 7)] * (rng.random() < again)
            received = [sends[0] + out()]
            if len(sends) > 1 and rng.random() < 0.5:  # the first one was lost
                received = [sends[1] + out()]
            elif len(sends) > 1 and rng.random() < 0.5:
                received.append(sends[1] + out())
            for at in sends:
                self.add_flow(0, 's', f'q{k}', at)
            for at in received:
                self.add_flow(1, 'f', f'q{k}', at)
            answered = max(received[0], sends[-1]) + 20000 + rng.expovariate(1 / 50000)
            self.add_flow(1, 's', f'r{k}', answered)
            self.add_flow(0, 'f', f'r{k}', answered + back())

    def add_reused(self):
        rng, t = self.rng, 0
        self.set_clocks(2)
        self.rule = 'key:args.id'
        (out, back), count = self.delays(1), rng.choice([100, 600])
        values = rng.choice([count, count * 10, count // 2])
        for k in range(count):
            t += self.span / count * (0.5 + rng.random())
            number = rng.randrange(values) if rng.random() < 0.3 else k + 10**6
            there = t + out()
            served = there + 50000 + rng.expovariate(1 / 100000)
            self.add_slice(0, 'call', 1 + k % 9, t, served + back(), f'"id": {number}')
            self.add_slice(1, 'serve', 1 + k % 9, there, served, f'"id": {number}')

    def add_chance(self):
        rng, count = self.rng, self.rng.randrange(3, self.rng.choice([8, 8, 40]))
        self.set_clocks(count)
        pairs = {(rng.randrange(i), i) for i in range(1, count)}
        pairs |= {tuple(sorted(rng.sample(range(count), 2))) for _ in range(rng.randrange(count))}
        number, (out, _) = 0, self.delays(1)
        for pair in sorted(pairs):
            for _ in range(2 * rng.randrange(20, 200)):
                number, t, (a, b) = number + 1, rng.random() * self.span * 0.9, rng.sample(pair, 2)
                self.add_flow(a, 's', number, t)
                self.add_flow(b, 'f', number, t + out())
        for _ in range(rng.randrange(0, 2 * count)):
            pair = rng.sample(range(count), 2)
            for _ in range(0 if tuple(sorted(pair)) in pairs else rng.randrange(1, 5)):
                number, (a, b) = number + 1, rng.sample(pair, 2)
                self.add_flow(a, 's', number, rng.random() * self.span)
                self.add_flow(b, 'f', number, rng.random() * self.span)

    def add_collectives(self, is_numbered):
        rng, ranks = self.rng, self.rng.choice([4, 8, 16, 24, 48])
        self.set_clocks(ranks)
        count = rng.choice([40, 150, 400] if ranks <= 16 else [40, 120])
        period, straggler = self.span / count, rng.choice([None, rng.randrange(ranks), 'any'])
        jitter, spread = rng.choice([0, 1e-4, 0.01, 0.3]), period * rng.choice([0.001, 0.02, 0.1])
        late, begins_at = rng.randrange(ranks), 0
        if not is_numbered and rng.random() < 0.4:
            begins_at = rng.randrange(1, max(2, count // 5))
        loss = rng.choice([0, 0, 0.02])
        for k in range(count):
            t = k * period + period * 0.1 + rng.random() * jitter * period * 0.8
            begins = [t + abs(rng.gauss(0, 1)) * min(spread, 2e6) for _ in range(ranks)]
            if straggler is not None:
                begins[rng.randrange(ranks) if straggler == 'any' else straggler] = t + spread * rng.uniform(1, 3)
            last = max(begins)
            args = (f'"Collective name": "allreduce", "Process Group Name": "0", "Process Group Ranks": "[0]", '
                    f'"Seq": {k}' if is_numbered else '')
            for i, begin in enumerate(begins):
                end = last + 4000 + rng.expovariate(1 / 5000) + (0 if begin == last else rng.expovariate(1 / 8000))
                if not (i == late and k < begins_at) and rng.random() >= loss:
                    self.add_slice(i, 'nccl:all_reduce', 1, begin, end, args)

    def align(self, folder):
        return alignment(folder, [[text for _, text in sorted(rows)] for rows in self.events], self.rule)

    def error(self, f):
        """Returns how far the line of F is from the true offset, at the worst event."""
        own, reference = (int(os.path.basename(f[name]).split('.')[0]) for name in ('file', 'reference'))
        worst = 0
        for t in self.times[own]:
            x = self.clocks[own].read(t)
            line = f['offset_ns'] + f['drift_ppb'] * (x - f['at_ns']) / 1e9
            worst = max(worst, abs(line - self.clocks[reference].read(t) + x))
        return worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('-n', type=int, default=40)
    parser.add_argument('-s', type=int, default=1)
    parser.add_argument('-v', action='store_true')
    parser.add_argument('--one', type=int)
    parser.add_argument('forms', nargs='*')
    arguments = parser.parse_args()
    table, ratios, failed = collections.defaultdict(collections.Counter), collections.defaultdict(list), False
    forms = arguments.forms or ['queue', 'retry', 'reused', 'numbered', 'unnumbered', 'chance']
    jobs = [(n, form) for n in (range(arguments.n) if arguments.one is None else [arguments.one]) for form in forms]
    with tempfile.TemporaryDirectory() as folder:
        for number, form in jobs:
            job = Job(random.Random(f'{arguments.s} {number} {form}'), form)
            for f in job.align(folder):
                if f['verdict'] == 'reference':
                    continue
                what = f['verdict'] + (' ' + f['evenness'] if 'evenness' in f else '')
                if f['verdict'] == 'aligned' and f['uncertainty_ns'] is None:
                    what += ', no bounds'
                elif f['verdict'] == 'aligned':
                    error = job.error(f)
                    ratios[form, job.kind].append(f['uncertainty_ns'] / max(1, error))
                    if error > f['uncertainty_ns'] + 1.5:
                        what += ', outside'
                        failed |= f.get('evenness') != 'untested'
                        if arguments.v:
                            print(number, form, job.kind, round(error), f)
                table[form, job.kind][what] += 1
    for key in sorted(table):
        widths = sorted(ratios[key])
        print(*key, dict(sorted(table[key].items())), f'{widths[len(widths) // 2]:.1f}' if widths else '')
    sys.exit(failed)


if __name__ == '__main__':
    main()
