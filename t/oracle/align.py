#!/usr/bin/env python3
"""Makes random pairs of files whose clocks are known, and checks the results of tm-align.

usage: align.py [-n COUNT] [-s SEED] [-b COUNT] [--known FILE]

Each case is two Chrome JSON files of processes that call each other, on clocks of their own: with an offset, a drift of
up to 200 ppm, delays with heavy tails, and lost messages. Some have only requests, wrong matches or a step. These rules
must hold:

- If all constraints are true, the truth is inside the bounds at both ends, and the error of the line is at most half
  the width of the corridor.
- Bounds are those of a second implementation, which tries all corners of the feasible polygon in exact fractions. The
  clocks drift evenly; in at most an eighth of the cases tm-align takes them for uneven, and states wider bounds.
- Delays that are longer in one direction give the same bounds; the estimate may be off by half the difference.
- One direction alone gives no offset, and its bound holds. A step is reported as one, near its place.

For the first COUNT cases of -b the estimates are compared with the best possible ones. Those use the distribution of
the delays, which tm-align does not know: the mean of all lines, each weighted by the probability of the delays that it
gives (with a uniform prior), has the least mean square error (Bayes). A random walk over the lines finds it (Metropolis
1953). Over all cases of one distribution and number of messages, the root mean square error of tm-align's line at both
ends of the recording is at most twice that of the best. -b prints both. FILE stores the best by the digest of the case,
so that later runs need no random walk for the same cases.
"""
import argparse
import fractions
import hashlib
import json
import math
import os
import random
import subprocess
import tempfile

LIMIT = fractions.Fraction(1, 2000)


class Clock:
    def __init__(self, offset, ppb, step_at=None, step=0):
        self.offset, self.ppb, self.step_at, self.step = offset, ppb, step_at, step

    def read(self, t):
        own = t + self.offset + t * self.ppb // 10**9
        return own + (self.step if self.step_at is not None and t >= self.step_at else 0)


def delay(rng, shape):
    if shape == 'pareto':
        return int(5000 * rng.paretovariate(1.2))
    if shape == 'lognormal':
        return int(rng.lognormvariate(10, 1))
    return 8000 + int(rng.expovariate(1 / 40000))


def log_density(shape, d):
    """Returns the log-probability of a delay D up to a constant; the least delays allow for rounding to nanoseconds."""
    if shape == 'pareto':
        return -2.2 * math.log(d) if d >= 4998 else -math.inf
    if shape == 'lognormal':
        return -math.log(d) - (math.log(d) - 10) ** 2 / 2 if d > 0 else -math.inf
    return -d / 40000 if d >= 7998 else -math.inf


def make_case(rng, count, kinds=('two', 'one-way', 'wrong', 'step', 'asymmetric'), weights=(6, 1, 2, 1, 1)):
    kind = rng.choices(kinds, weights)[0]
    span = rng.choice([10**8, 10**9, 2 * 10**10])
    a = Clock(rng.randrange(10**9, 10**13), 0)
    b = Clock(rng.randrange(10**9, 10**13), rng.choice([0, rng.randrange(-200000, 200001)]))
    if kind == 'step':
        b.step_at, b.step = rng.randrange(span // 5, span * 4 // 5), rng.choice([-1, 1]) * rng.randrange(10**8, 10**9)
    shape = rng.choice(['pareto', 'lognormal', 'exponential'])
    files, delays = ([], []), ([], [])
    for number in range(count):
        t = rng.randrange(span)
        d = delay(rng, shape), delay(rng, shape) * (3 if kind == 'asymmetric' else 1)
        served = t + d[0] + 20000 + int(rng.expovariate(1 / 100000))
        for way, (sent, received) in enumerate(((t, t + d[0]), (served, served + d[1]))):
            if rng.random() < 0.05 or (kind == 'one-way' and way == 1):
                continue
            number_out, number_in = number, number
            if kind == 'wrong' and rng.random() < 0.05:
                number_in = -number - 1
            files[way].append(('s', f'{way}.{number_out}', (a, b)[way].read(sent)))
            files[1 - way].append(('f', f'{way}.{number_in}', (b, a)[way].read(received)))
            delays[way].append(d[way])
    if kind == 'wrong':  # a call that lost its partner gets that of another call
        for way in (0, 1):
            lost = [x for x in files[1 - way] if x[0] == 'f' and '-' in x[1]]
            ids = [f'{way}.{-int(x[1][2:]) - 1}' for x in lost]
            rng.shuffle(ids)
            kept = [x for x in files[1 - way] if not (x[0] == 'f' and '-' in x[1])]
            files[1 - way][:] = kept + [('f', i, x[2]) for i, x in zip(ids, lost)]
    return kind, shape, (a, b), files, delays


def write(path, rows):
    with open(path, 'w') as f:
        f.write('{"traceEvents":[\n')
        f.write(',\n'.join(f'{{"ph": "{p}", "name": "m", "cat": "c", "id": "x{i}", "pid": 1, "tid": 1, "bp": "e", '
                           f'"ts": {ns // 1000}.{ns % 1000:03d}}}' for p, i, ns in rows))
        f.write('\n]}\n')


def align(folder):
    pipe = ('tm-unpack --no-raw {0}/a.json {0}/b.json | tm-manifest | tm-clocks | tm-align -f json').format(folder)
    return json.loads(subprocess.run(pipe, shell=True, capture_output=True, check=True).stdout)['alignment']


def constraints(files):
    """Returns constraints (x, z, is_lower) on a's readings."""
    out = []
    ends = [{(p, i): ns for p, i, ns in rows} for rows in files]
    for (p, i), ns in ends[0].items():
        other = ends[1].get(('f' if p == 's' else 's', i))
        if other is not None:
            out.append((ns, other - ns, p == 'f'))
    return out


def part_at(points, x):
    """Returns the constraints that bound the offset at X: those near it, or all if they are few."""
    points = sorted(points)
    if min(sum(low == kind for _, _, low in points) for kind in (False, True)) < 32:
        return points
    k = 0
    while k < 6 and x >= points[len(points) * (2 * k + 3) // 16][0]:
        k += 1
    middle, part = len(points) * (k + 1) // 8, []
    for kind in (False, True):
        own = [(i, p) for i, p in enumerate(points) if p[2] == kind]
        wanted = max(len(own) // 4, 16)
        first = max(sum(i < middle for i, _ in own) - wanted // 2, 0)
        first = min(first, max(len(own) - wanted, 0))
        part += [p for _, p in own[first:first + wanted]]
    return part


def exact_bounds(points, x):
    """Returns the least and the greatest z(x) over all lines that satisfy all points, or None. Tries all corners."""
    upper = [(px - x, z) for px, z, low in points if not low]
    lower = [(px - x, z) for px, z, low in points if low]

    def hull(side, sign):
        kept = []
        for p in sorted(set((q[0], sign * q[1]) for q in side)):
            while len(kept) > 1 and ((kept[-1][1] - kept[-2][1]) * (p[0] - kept[-2][0]) >=
                                     (p[1] - kept[-2][1]) * (kept[-1][0] - kept[-2][0])):
                kept.pop()
            kept.append(p)
        return [(q[0], sign * q[1]) for q in kept]

    upper, lower = hull(upper, 1), hull(lower, -1)
    slopes = {-LIMIT, LIMIT}
    both = upper + lower
    for i, p in enumerate(both):
        for q in both[:i]:
            if p[0] != q[0]:
                s = fractions.Fraction(p[1] - q[1], p[0] - q[0])
                if abs(s) <= LIMIT:
                    slopes.add(s)
    found = []
    for s in slopes:
        rise, run = s.numerator, s.denominator
        high, low = min(z * run - rise * px for px, z in upper), max(z * run - rise * px for px, z in lower)
        if high >= low:
            found.append((fractions.Fraction(low, run), fractions.Fraction(high, run)))
    return (min(low for low, _ in found), max(high for _, high in found)) if found else None


def invert(a, b, own):
    """Returns the offset to add to b's reading OWN to get a's, by bisection over times."""
    low, high = -10**12, 10**14
    while high - low > 1:
        middle = (low + high) // 2
        if b.read(middle) <= own:
            low = middle
        else:
            high = middle
    return a.read(low) - own


def errors(f, a, b):
    """Returns the errors of the line at the first and at the last reading of b."""
    return [f['offset_ns'] + fractions.Fraction(f['drift_ppb'] * (x - f['at_ns']), 10**9) - invert(a, b, x)
            for x in (f['first_ns'], f['last_ns'])]


def best_errors(points, shape, a, b, rng, steps=2400):
    """Returns the errors at both ends of the mean of all lines, weighted by the probability of their delays."""
    first, last = min(p[0] for p in points), max(p[0] for p in points)
    rows = [((x - first) / (last - first), z, low) for x, z, low in points]

    def weigh(left, right):
        total = 0.0
        for at, z, low in rows:
            v = left + (right - left) * at
            total += log_density(shape, v - z if low else z - v)
            if total == -math.inf:
                break
        return total

    truth = [float(b.read(x - a.offset) - x) for x in (first, last)]
    here, strides, sums, taken = list(truth), [3000.0, 3000.0, 3000.0], [0.0, 0.0], 0
    weight = weigh(*here)
    for step in range(steps):
        way = step % 3  # one end, the other end, both
        move = rng.gauss(0, strides[way])
        there = [here[0] + (move if way != 1 else 0), here[1] + (move if way != 0 else 0)]
        other = weigh(*there)
        goes = other >= weight or rng.random() < math.exp(max(other - weight, -700))
        if goes:
            here, weight = there, other
        if step < steps // 3:
            strides[way] *= 1.15 if goes else 0.93
        else:
            sums, taken = [sums[0] + here[0], sums[1] + here[1]], taken + 1
    return [sums[i] / taken - truth[i] for i in (0, 1)]


def digest(points, shape, a, b):
    """Returns what identifies a case for best_errors, whichever version of Python made it."""
    return hashlib.sha256(repr((points, shape, a.offset, b.offset, b.ppb)).encode()).hexdigest()[:16]


def compare_with_best(arguments, folder):
    squares = {}
    known = {}
    if arguments.known and os.path.exists(arguments.known):
        with open(arguments.known) as f:
            known = json.load(f)
    for number in range(arguments.b):
        rng = random.Random(arguments.s * 1000003 + number)
        count = rng.choice([40, 200, 600])
        _, shape, (a, b), files, _ = make_case(rng, count, ('two',), (1,))
        for name, rows in zip('ab', files):
            write(os.path.join(folder, name + '.json'), rows)
        f = [f for f in align(folder) if os.path.basename(f['file']) == 'b.json'][0]
        points = constraints(files)
        name = digest(points, shape, a, b)
        best = known[name] = known.get(name) or best_errors(points, shape, a, b, rng)
        of = squares.setdefault((shape, count), [0, 0.0, 0.0])
        of[0] += 1
        of[1] += sum(float(e) ** 2 for e in errors(f, a, b)) / 2
        of[2] += sum(e ** 2 for e in best) / 2
    if arguments.known:
        with open(arguments.known, 'w') as f:
            f.write('{\n' + ',\n'.join(f'"{name}": {errors}' for name, errors in known.items()) + '\n}\n')
    for (shape, count), (cases, ours, best) in sorted(squares.items()):
        ratio = math.sqrt(ours / best)
        print(f'{shape}, {count} requests, {cases} cases: {math.sqrt(ours / cases):.0f} ns off, the best '
              f'{math.sqrt(best / cases):.0f} ns, ratio {ratio:.2f}')
        assert ratio <= 2 or cases < 10, 'the estimate is more than twice as far off as the best'


def check_case(rng, number, folder, compare):
    count = rng.choice([4, 12, 40, 200]) if compare else rng.choice([40, 200, 600])
    kind, _, (a, b), files, delays = make_case(rng, count)
    for name, rows in zip('ab', files):
        write(os.path.join(folder, name + '.json'), rows)
    points = constraints(files)
    if not points:
        return kind, False
    told = {os.path.basename(f['file'])[0]: f for f in align(folder)}
    f = told['b']
    is_uneven = kind in ('two', 'asymmetric') and f.get('evenness') == 'uneven'
    what = f'case {number} ({kind}, {count}): {f}'
    sides = {low for _, _, low in points}
    assert told['a']['verdict'] == 'reference', what
    if len(sides) < 2:
        assert f['verdict'] == 'one-sided' and f['offset_ns'] is None and f['uncertainty_ns'] is None, what
        truth = invert(a, b, f['at_ns'])
        assert (f['low_ns'] is None or f['low_ns'] <= truth) and (f['high_ns'] is None or truth <= f['high_ns']), what
        return kind, is_uneven
    if kind == 'step':
        if count >= 200:
            assert f['verdict'] == 'stepped', what
            near = b.offset + b.step_at + b.step_at * b.ppb // 10**9
            span = f['last_ns'] - f['first_ns']
            assert abs(f['steps'][0]['at_ns'] - near) < span // 8 + 2 * abs(b.step), what
        return kind, is_uneven
    if kind == 'wrong':
        if count < 200:
            return kind, is_uneven
        assert f['verdict'] == 'aligned', what
    else:
        assert f['verdict'] == 'aligned' and f['left_out'] == 0, what
    worst = max(abs(e) for e in errors(f, a, b))
    if kind != 'wrong':
        assert worst <= f['uncertainty_ns'], f'{what}: {float(worst)}'
        truth = invert(a, b, f['at_ns'])
        assert f['low_ns'] <= truth <= f['high_ns'], what
    if kind != 'wrong' and compare and f.get('evenness') != 'uneven':
        x = f['at_ns'] + f['offset_ns']  # a's reading there
        low, high = exact_bounds(part_at(points, x), x)
        slack = 20 + (high - low) / 250
        # The offset of b's readings is the negative, at readings that differ by the width.
        assert f['low_ns'] <= -high + 2 and f['high_ns'] >= -low - 2, f'{what}: {float(-high)} {float(-low)}'
        assert f['low_ns'] >= -high - slack and f['high_ns'] <= -low + slack, f'{what}: {float(-high)} {float(-low)}'
    if count >= 200 and kind != 'asymmetric':
        # In every case the error of the line is at most that of the shortest twentieth of the delays.
        near = 2 * sum(sorted(d)[len(d) // 20] for d in delays) + 1000
        assert worst <= near, f'{what}: {float(worst)}, {near}'
    return kind, is_uneven


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('-n', type=int, default=200)
    parser.add_argument('-s', type=int, default=1)
    parser.add_argument('-b', type=int, default=0)
    parser.add_argument('--known')
    arguments = parser.parse_args()
    counts, uneven = {}, 0
    with tempfile.TemporaryDirectory() as folder:
        compare_with_best(arguments, folder)
        for number in range(arguments.n):
            kind, is_uneven = check_case(random.Random(arguments.s * 1000003 + number), number, folder, number % 2 == 0)
            counts[kind] = counts.get(kind, 0) + 1
            uneven += is_uneven
    assert uneven <= arguments.n / 8 + 3, f'{uneven} of {arguments.n} even clocks are taken for uneven'
    print(f'{arguments.n} cases: {counts}')


if __name__ == '__main__':
    main()
