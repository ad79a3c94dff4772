#!/usr/bin/env python3
"""Makes random jobs whose clocks are known, and tests whether the true offsets are within the bounds of tm-align.

usage: align_clocks.py [-n COUNT] [-s SEED] [-v] [--one NUMBER]

A job has two to eight files that are related by calls (spans), flows or collectives. Most clocks drift evenly; one, and
some others, may be set, slewed, or wander. Delays differ by direction, have heavy tails and bursts; messages are lost.
Prints for each kind of the odd clock how many files got which verdict, and how many have a true offset outside the
bounds at some event. -v prints a line for each of these. The exit status is 1 if there is one whose bounds are stated
without the reservation that its drift is untested.
"""
import argparse
import bisect
import collections
import json
import os
import random
import subprocess
import sys
import tempfile


def alignment(folder, texts, rule=None):
    """Returns what tm-align says of files with TEXTS, lists of events; a file without events is left out."""
    paths = []
    for i, events in enumerate(texts):
        if events:
            paths.append(os.path.join(folder, f'{i}.json'))
            with open(paths[-1], 'w') as f:
                f.write('{"traceEvents": [\n' + ',\n'.join(events) + '\n]}\n')
    pipe = 'set -o pipefail; tm-unpack --no-raw "$@" | tm-manifest | tm-clocks | tm-align -f json'
    pipe += f' -r {rule}' if rule else ''
    run = subprocess.run(['bash', '-c', pipe, 'align'] + paths, stdout=subprocess.PIPE, check=True)
    for path in paths:
        os.unlink(path)
    return json.loads(run.stdout)['alignment']


class Clock:
    """Reads t + offset + e(t); e consists of lines (t, e, slope) and can jump between them."""
    def __init__(self, rng, kind, span):
        self.offset = rng.randrange(10**9, 10**12)
        base = rng.choice([0, rng.uniform(-100e-6, 100e-6)])
        self.lines = [(0, 0, {'constant': 0, 'linear': rng.uniform(-200e-6, 200e-6)}.get(kind, base))]
        if kind == 'stepped':
            for at in sorted(rng.uniform(0.02, 0.98) * span for _ in range(rng.choice([1, 1, 1, 2, 3]))):
                self.turn(at, rng.choice([-1, 1]) * 10 ** rng.uniform(3.5, 8.5), base)
        elif kind == 'slewed':
            for at in sorted(rng.uniform(0, 1) * span for _ in range(rng.choice([1, 1, 2, 3]))):
                self.turn(at, 0, base + rng.choice([0, rng.choice([-1, 1]) * 10 ** rng.uniform(-7, -3.4)]))
        elif kind == 'wandering':
            rate, sigma = 0.0, 10 ** rng.uniform(-8, -5)
            for i in range(1, 200):
                rate = rate * 0.98 + rng.gauss(0, sigma)
                self.turn(i * span / 200, 0, base + max(-390e-6, min(390e-6, rate)))
        self.starts = [line[0] for line in self.lines]

    def turn(self, at, step, slope):
        t, e, before = self.lines[-1]
        self.lines.append((at, e + before * (at - t) + step, slope))

    def read(self, t):
        at, e, slope = self.lines[max(0, bisect.bisect_right(self.starts, t) - 1)]
        return round(t) + self.offset + round(e + slope * (t - at))


class Delays:
    """Delays of one direction, longer during bursts."""
    def __init__(self, rng, span):
        self.rng, self.shape = rng, rng.choice(['pareto', 'lognormal', 'exponential', 'exponential', 'tight'])
        self.least, self.scale = rng.choice([0, 2000, 20000, 200000]), 10 ** rng.uniform(3.3, 5.3)
        starts = [rng.uniform(0, 1) * span for _ in range(rng.choice([0, 0, 1, 2]))]
        self.bursts = [(a, a + rng.uniform(0.02, 0.3) * span) for a in starts]
        self.factor = rng.uniform(2, 30)

    def draw(self, t):
        if self.shape == 'pareto':
            d = self.scale * 0.3 * self.rng.paretovariate(1.2)
        elif self.shape == 'lognormal':
            d = self.scale * self.rng.lognormvariate(-0.5, 1)
        elif self.shape == 'exponential':
            d = self.rng.expovariate(1 / self.scale)
        else:
            d = abs(self.rng.gauss(self.scale, self.scale / 20))
        return self.least + d * (self.factor if any(a <= t < b for a, b in self.bursts) else 1)


def us(ns):
    return f'{ns // 1000}.{ns % 1000:03d}'


def slice_text(name, tid, begin, end, args):
    return (f'{{"ph": "X", "name": "{name}", "pid": 1, "tid": {tid}, "ts": {us(begin)}, "dur": {us(end - begin)}, '
            f'"args": {{{args}}}}}')


def flow_text(ph, number, ns):
    return (f'{{"ph": "{ph}", "name": "m", "cat": "c", "id": "{number}", "pid": 1, "tid": 1, "bp": "e", '
            f'"ts": {us(ns)}}}')


class Job:
    def __init__(self, rng):
        self.rng, self.span = rng, rng.choice([10**9, 2 * 10**10, 3 * 10**11, 36 * 10**11])
        self.files = rng.choice([2, 2, 2, 3, 4, 8])
        self.kind = rng.choice(['constant', 'linear', 'stepped', 'slewed', 'wandering'])
        odd = rng.randrange(self.files)
        self.kinds = [self.kind if i == odd or rng.random() < 0.15 else rng.choice(['constant', 'linear'])
                      for i in range(self.files)]
        self.clocks = [Clock(rng, kind, self.span) for kind in self.kinds]
        self.form, self.count = rng.choice(['calls', 'flows', 'collectives']), rng.choice([6, 20, 60, 200, 600, 2000])
        self.loss, self.links = rng.choice([0, 0.05, 0.3]), {}
        self.events = [[] for _ in range(self.files)]  # (true begin, true end, text)
        if self.form == 'collectives':
            self.add_collectives()
        else:
            self.add_messages()

    def delay(self, a, b, t):
        if (a, b) not in self.links:
            self.links[a, b] = Delays(self.rng, self.span)
        return self.links[a, b].draw(t)

    def add_slice(self, i, name, tid, begin, end, args):
        first, last = self.clocks[i].read(begin), self.clocks[i].read(end)
        if last >= first:  # the clock was not set back meanwhile
            self.events[i].append((begin, end, slice_text(name, tid, first, last, args)))

    def add_collectives(self):
        rng = self.rng
        for number in range(self.count):
            t = (number + rng.random()) * self.span / self.count
            begins = [t + self.delay(i, i, t) for i in range(self.files)]
            args = (f'"Collective name": "allreduce", "Process Group Name": "0", "Process Group Ranks": "[0]", '
                    f'"Seq": {number}')
            for i, begin in enumerate(begins):
                woken = 0 if begin == max(begins) else min(self.delay('wake', 0, t), 10**7) * 0.1
                end = max(begins) + 5000 + woken + rng.expovariate(1 / 3000)
                if rng.random() >= self.loss / 5:
                    self.add_slice(i, 'nccl:all_reduce', 1, begin, end, args)

    def add_messages(self):
        rng, is_star = self.rng, self.rng.random() < 0.6
        for number in range(self.count * (self.files - 1)):
            t = rng.random() * self.span
            a, b = rng.sample(range(self.files), 2)
            if is_star and a and b:
                a, b = (0, b) if rng.random() < 0.5 else (a, 0)
            there = t + self.delay(a, b, t)
            served = there + 10000 + rng.expovariate(1 / 100000)
            back = served + self.delay(b, a, served)
            lost = [rng.random() < self.loss for _ in range(2)]
            ids = f'"trace_id": "{number:032x}", "span_id": "%016x"'
            if self.form == 'calls' and not lost[0]:
                self.add_slice(a, 'call', number, t, back, ids % (number + 1))
            if self.form == 'calls' and not lost[1]:
                parent = f', "parent_span_id": "{number + 1:016x}"'
                self.add_slice(b, 'serve', number, there, served, ids % (number + 10**9) + parent)
            for way, (cause, sent, effect, received) in enumerate(((a, t, b, there), (b, served, a, back))):
                if self.form == 'flows' and not lost[way]:
                    for ph, i, at in (('s', cause, sent), ('f', effect, received)):
                        self.events[i].append((at, at, flow_text(ph, f'{way}.{number}', self.clocks[i].read(at))))

    def align(self, folder):
        return alignment(folder, [[row[2] for row in rows] for rows in self.events])

    def outside(self, f):
        """Returns by how much the true offset exceeds the uncertainty of F, at the worst event."""
        own, reference = (int(os.path.basename(f[name]).split('.')[0]) for name in ('file', 'reference'))
        worst = 0
        for row in self.events[own]:
            for t in row[:2]:
                x = self.clocks[own].read(t)
                line = f['offset_ns'] + f['drift_ppb'] * (x - f['at_ns']) / 1e9
                worst = max(worst, abs(line - self.clocks[reference].read(t) + x))
        return worst - f['uncertainty_ns']


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('-n', type=int, default=100)
    parser.add_argument('-s', type=int, default=1)
    parser.add_argument('-v', action='store_true')
    parser.add_argument('--one', type=int)
    arguments = parser.parse_args()
    table, failed = collections.defaultdict(collections.Counter), False
    with tempfile.TemporaryDirectory() as folder:
        for number in range(arguments.n) if arguments.one is None else [arguments.one]:
            job = Job(random.Random(arguments.s * 1000003 + number))
            for f in job.align(folder):
                if f['verdict'] == 'reference':
                    continue
                what = f['verdict'] + (' ' + f['evenness'] if 'evenness' in f else '')
                if f['verdict'] == 'aligned' and f['uncertainty_ns'] is None:
                    what += ', no bounds'
                elif f['verdict'] == 'aligned' and job.outside(f) > 1.5:
                    what += ', outside'
                    failed |= f.get('evenness') != 'untested'
                    if arguments.v:
                        print(number, job.kinds, job.form, job.count, round(job.outside(f)), f)
                table[job.kind][what] += 1
    for kind in sorted(table):
        print(kind, dict(sorted(table[kind].items())))
    sys.exit(failed)


if __name__ == '__main__':
    main()
