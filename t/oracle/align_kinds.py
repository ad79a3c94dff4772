#!/usr/bin/env python3
"""Makes random recordings of every kind that tm-align matches, on known clocks, and checks its results.

usage: align_kinds.py [-n COUNT] [-s SEED] [-k] [KIND...]

A case is a job of several processes: a client that calls servers, or ranks that meet in collectives. It is written in
one of the forms that profilers and tracers use, each process on a clock of its own with an offset, a drift, sometimes a
step, and often over a time of its own; as files in any order, compressed, or in a TAR. These rules must hold:

- With matches in both directions, or collectives, the verdict is aligned. Both ends of the line are within 10 us of the
  truth, which is inside the uncertainty and the bounds.
- Requests or responses alone are one-sided, and the bound holds. Names alone give no result.
- A clock that was set is stepped, and gets no line. Periodic events are ambiguous.

KINDs are chosen from all if none is named. Unnumbered collectives have kinds of their own: each rank loses a tenth of
them (lossy), or one rank's clock is set (set), also back by more than the length of the recording.
"""
import argparse
import fractions
import gzip
import json
import os
import random
import subprocess
import sys
import tarfile
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'gen'))
from wire import field, fixed

START = 10**12
SECOND = 10**9


class Clock:
    def __init__(self, offset, ppb, step_at=None, step=0):
        self.offset, self.ppb, self.step_at, self.step = offset, ppb, step_at, step

    def read(self, t):
        own = t + self.offset + (t - START) * self.ppb // 10**9
        return own + (self.step if self.step_at is not None and t >= self.step_at else 0)

    def moment(self, own):
        """Returns the true time when the clock read OWN, if it was not set."""
        return START + (own - self.offset - START) / (1 + fractions.Fraction(self.ppb, 10**9))


def us(ns):
    return f'{ns // 1000}.{ns % 1000:03d}'


def chrome(events):
    """Returns the text of EVENTS, whose times are nanoseconds."""
    rows = []
    for e in events:
        times = ''.join(f', "{k}": {us(e[k])}' for k in ('ts', 'dur') if k in e)
        rows.append(json.dumps({k: v for k, v in e.items() if k not in ('ts', 'dur')})[:-1] + times + '}')
    return '{"traceEvents": [\n' + ',\n'.join(rows) + '\n]}\n'


def span(clock, name, begin, end, pid=1, cat='c', **args):
    a, b = clock.read(begin), clock.read(end)
    return {'ph': 'X', 'name': name, 'cat': cat, 'pid': pid, 'tid': pid, 'ts': a, 'dur': max(0, b - a), 'args': args}


def perfetto(events):
    """Makes a trace of track events; EVENTS are (time, name, flows, flows that end)."""
    out = field(1, field(60, field(1, 7) + field(2, b'main')) + field(10, 1) + field(13, 1))
    for at, name, flows, ends in sorted(events):
        body = field(9, 3) + field(11, 7) + field(23, name.encode())
        body += b''.join(fixed(47, f) for f in flows) + b''.join(fixed(48, f) for f in ends)
        out += field(1, field(8, at) + field(10, 1) + field(58, 6) + field(11, body))
    return out


class Calls:
    """A client that calls servers. Each call has four times: it begins, its service begins and ends, it ends. None
    overlap."""

    def __init__(self, rng, servers, seconds):
        self.rows, t = [], START + 10**7
        while t < START + seconds * SECOND:
            out, back = (8000 + int(rng.expovariate(1 / 20000)) for _ in range(2))
            served = t + out + 20000 + int(rng.expovariate(1 / 300000))
            self.rows.append((rng.randrange(servers), t, t + out, served, served + back))
            t = served + back + 10**6 + int(rng.expovariate(1 / 2e7))


def flow_events(rng, calls, clocks, ways):
    names, ids = rng.choice([('rpc', 'rpc'), ('a', 'b')]), rng.choice(['q%d', '0x%x', None])
    files = [[] for _ in clocks]
    for i, (s, t, u, v, w) in enumerate(calls.rows):
        for way, (sender, sent, receiver, received) in enumerate(((0, t, s + 1, u), (s + 1, v, 0, w))):
            number = 2 * i + way + (1 << 62)
            if not ways[way]:
                continue
            for ph, who, at in (('s', sender, sent), ('f', receiver, received)):
                files[who].append({'ph': ph, 'name': names[way], 'cat': 'rpc', 'pid': 1, 'tid': 1, 'bp': 'e',
                                   'id': ids % number if ids else 2 * i + way, 'ts': clocks[who].read(at)})
        files[0].append(span(clocks[0], 'GET', t, w))
        files[s + 1].append(span(clocks[s + 1], 'GET', u, v))
    return [('.json', chrome(f)) for f in files]


def bind_events(rng, calls, clocks, ways):
    files = [[] for _ in clocks]
    for i, (s, t, u, v, w) in enumerate(calls.rows):
        for way, (sender, sent, receiver, received) in enumerate(((0, t, s + 1, u), (s + 1, v, 0, w))):
            if ways[way]:
                for side, who, at in (('flow_out', sender, sent), ('flow_in', receiver, received)):
                    e = span(clocks[who], 'm', at, at + 3000)
                    e.update({side: True, 'bind_id': f'0x{(2 * i + way) | 1 << 60:x}'})
                    files[who].append(e)
    return [('.json', chrome(f)) for f in files]


def perfetto_events(rng, calls, clocks, ways):
    files = [[] for _ in clocks]
    for i, (s, t, u, v, w) in enumerate(calls.rows):
        for way, (sender, sent, receiver, received) in enumerate(((0, t, s + 1, u), (s + 1, v, 0, w))):
            if ways[way]:
                number = (2 * i + way) | 1 << 63
                files[sender].append((clocks[sender].read(sent), 'send', [number], []))
                files[receiver].append((clocks[receiver].read(received), 'receive', [], [number]))
    return [('.pftrace', perfetto(f)) for f in files]


def key_events(rng, calls, clocks, ways):
    form = rng.choice(['%08d', '%x', None])
    files = [[] for _ in clocks]
    for i, (s, t, u, v, w) in enumerate(calls.rows):
        number = form % (i + 1) if form else i + 2**60
        files[0].append(span(clocks[0], 'GET', t, w, rpc_id=number))
        files[s + 1].append(span(clocks[s + 1], 'GET', u, v, rpc_id=number))
    return [('.json', chrome(f)) for f in files]


def span_events(rng, calls, clocks, ways):
    names = rng.choice([('trace_id', 'span_id', 'parent_span_id'), ('traceID', 'spanID', 'parentSpanID'),
                        ('traceId', 'spanId', 'parentId'), ('otel.trace_id', 'otel.span_id', 'otel.parent_span_id')])
    files = [[] for _ in clocks]
    for i, (s, t, u, v, w) in enumerate(calls.rows):
        trace = f'{(i // 3 + 1) * 7919:032x}'
        files[0].append(span(clocks[0], 'GET', t, w, **dict(zip(names, (trace, f'{2 * i + 1:016x}', '')))))
        for name, inset, own, parent in (('GET', 0, f'{2 * i + 2:016x}', f'{2 * i + 1:016x}'),
                                         ('query', 4000, f'{i + 1:08x}aaaaaaaa', f'{2 * i + 2:016x}')):
            ids = dict(zip(names, (trace, own, parent)))
            files[s + 1].append(span(clocks[s + 1], name, u + inset, v - inset, **ids))
    return [('.json', chrome(f)) for f in files]


def otlp_events(rng, calls, clocks, ways):
    files = [[] for _ in clocks]
    for i, (s, t, u, v, w) in enumerate(calls.rows):
        for who, begin, end, own, parent, kind in ((0, t, w, 1, 0, 3), (s + 1, u, v, 2, 1, 2)):
            files[who].append({'traceId': f'{i + 1:032x}', 'spanId': f'{2 * i + own:016x}', 'name': 'GET', 'kind': kind,
                               'parentSpanId': f'{2 * i + 1:016x}' if parent else '',
                               'startTimeUnixNano': str(clocks[who].read(begin)),
                               'endTimeUnixNano': str(clocks[who].read(end))})
    of = {'attributes': [{'key': 'service.name', 'value': {'stringValue': 'x'}}]}
    return [('.json', json.dumps({'resourceSpans': [{'resource': of, 'scopeSpans': [{'scope': {}, 'spans': f}]}]}))
            for f in files]


KERNELS = ['ncclDevKernel_{0}_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)',
           'ncclKernel_{0}_RING_LL_Sum_float(ncclWorkElem)', 'rcclDevKernel_{0}_Sum_f32(rcclWork)',
           'ncclDevKernel_{0}_Sum_bf16_TREE_LL(ncclDevComm*, unsigned long, ncclWork*)']
OPERATIONS = [('allreduce', 'AllReduce', 'all_reduce'),
              ('_reduce_scatter_base', 'ReduceScatter', '_reduce_scatter_base'),
              ('_allgather_base', 'AllGather', '_all_gather_base')]


def meetings(rng, ranks, seconds):
    """Returns the times at which each rank arrives and leaves. The last to arrive need not be woken, and leaves
    first."""
    t = START + 10**8
    while t < START + seconds * SECOND:
        come = [t + rng.randrange(2 * 10**6) for _ in range(ranks)]
        last = max(come)
        woken = [45000 + int(rng.expovariate(1 / 15000)) for _ in come]
        yield [(c, last + (w if c < last else 12000 + int(rng.expovariate(1 / 6000)))) for c, w in zip(come, woken)]
        t = last + 10**6 + int(rng.expovariate(1 / 1.5e7))


UNNUMBERED = ['comms', 'plain', 'annotations']


def rank_events(rng, rows, clocks, stretches, forms, loss=0):
    form = rng.choice(forms)
    kernel, size = rng.choice(KERNELS), len(clocks)
    comms = rng.randrange(2**62, 2**63)
    files = [[] for _ in clocks]
    for i, row in enumerate(rows):
        name, title, label = OPERATIONS[0] if form == 'seq' else rng.choice(OPERATIONS)
        for who, (begin, end) in enumerate(row):
            if not stretches[who][0] <= begin < end <= stretches[who][1] or (loss and rng.random() < loss):
                continue
            args = {'Collective name': name, 'Group size': size, 'dtype': 'Float', 'In msg nelems': 1024 << i % 3}
            shown, cat = kernel.format(title), 'kernel'
            if form == 'seq':
                args.update({'Process Group Name': '0', 'Process Group Description': 'default_pg', 'Seq': i})
            elif form == 'seq-ranks':
                args.update({'Process Group Name': '7', 'Process Group Ranks': str(list(range(size))), 'Seq': i})
            elif form == 'comms':
                args['Comms Id'] = comms
            elif form == 'plain':
                args = {'stream': 20}
            elif form == 'annotations':
                shown, cat, args = 'nccl:' + label, 'user_annotation', {}
            else:
                shown, cat = 'record_param_comms', 'cpu_op'
                args.update({'Process Group Name': '0', 'Seq': i})
            files[who].append(span(clocks[who], 'aten::mm', begin - 50000, begin - 1000, pid=100 + who))
            files[who].append(span(clocks[who], shown, begin, end, pid=100 + who, cat=cat, **args))
            if form != 'annotations' and rng.random() < 0.2:
                both = 'nccl:coalesced', begin - 900, begin - 500
                files[who].append(span(clocks[who], *both, 100 + who, 'user_annotation'))
    return form, [('.json', chrome(f)) for f in files]


def write(rng, folder, texts):
    """Returns the names in FOLDER of TEXTS as arguments of tm-unpack, and the name of the file of each."""
    names = []
    for number, (ending, text) in enumerate(texts):
        data = text if isinstance(text, bytes) else text.encode()
        if rng.random() < 0.3:
            data, ending = gzip.compress(data, 1), ending + '.gz'
        names.append(f'{rng.choice("pqrs")}{number}{ending}')
        with open(os.path.join(folder, names[-1]), 'wb') as f:
            f.write(data)
    given = rng.sample(names, len(names))
    if rng.random() < 0.3:
        with tarfile.open(os.path.join(folder, 'all.tar'), 'w') as tar:
            for name in given:
                tar.add(os.path.join(folder, name), name)
        given = ['all.tar']
    return names, given


def align(folder, given, rules):
    pipe = 'set -o pipefail; tm-unpack --no-raw "$@" | tm-manifest | tm-clocks | tm-align -f json '
    pipe += f'-r {rules}' if rules else ''
    run = subprocess.run(['bash', '-c', pipe, 'align'] + given, cwd=folder, stdout=subprocess.PIPE, check=True)
    return json.loads(run.stdout)['alignment']


def check_line(f, clock, reference, limit_ns):
    def truth(own):
        return reference.read(round(clock.moment(own))) - own
    for x in (f['first_ns'], f['last_ns']):
        error = f['offset_ns'] + fractions.Fraction(f['drift_ppb'] * (x - f['at_ns']), 10**9) - truth(x)
        assert abs(error) <= limit_ns, f'{float(error)} ns off'
        assert f['uncertainty_ns'] is None or abs(error) <= f['uncertainty_ns'] + 2, f'{float(error)} is outside'
    assert f['low_ns'] - 2 <= truth(f['at_ns']) <= f['high_ns'] + 2, 'outside the bounds'


KINDS = ['calls', 'calls', 'ranks', 'ranks', 'one-way', 'none', 'step', 'periodic']


def check_case(rng, folder, kinds):
    kind = rng.choice(kinds)
    limit = rng.choice([0, 20000, 200000])
    base = rng.choice([0, 17 * 10**17])
    count = rng.choice([2, 2, 3, 4])
    clocks = [Clock(base + rng.randrange(10**12), rng.randrange(-limit, limit + 1)) for _ in range(count)]
    form, rules, stepped = '', None, None
    if kind == 'step':
        stepped = rng.randrange(count)
        clocks[stepped].step_at = START + rng.randrange(7, 13) * SECOND
        clocks[stepped].step = rng.choice([-1, 1]) * rng.choice([10**6, 3 * 10**7, 5 * 10**8])
    if kind in ('calls', 'one-way', 'step'):
        ways = (True, True) if kind != 'one-way' else rng.choice([(True, False), (False, True)])
        forms = [flow_events, bind_events, perfetto_events]
        if kind != 'one-way':
            forms += [key_events, span_events, otlp_events]
        make = rng.choice(forms)
        form, rules = make.__name__, 'key:args.rpc_id' if make == key_events else None
        texts = make(rng, Calls(rng, count - 1, 20), clocks, ways)
    elif kind == 'ranks':
        end = START + 20 * SECOND
        stretches = [(START, end + SECOND)] * count
        if rng.random() < 0.5:
            part = rng.choice([(START + 5 * SECOND, end + SECOND), (START, end - 4 * SECOND)])
            stretches[rng.randrange(count)] = part
        forms = ['seq', 'seq-ranks', 'comms', 'plain', 'annotations', 'parameters']
        form, texts = rank_events(rng, list(meetings(rng, count, 20)), clocks, stretches, forms)
        form += ' ' + str([(a - START) // SECOND for a, b in stretches])
    elif kind in ('lossy', 'set', 'set-short'):
        seconds = rng.choice([5, 10]) if kind == 'set-short' else 20
        if kind != 'lossy':
            stepped = rng.randrange(count)
            clocks[stepped].step_at = START + rng.randrange(seconds * 35, seconds * 65) * SECOND // 100
            steps = [-300, -5, -1, 30] if kind == 'set-short' else [-300, -30, 30, 300]
            clocks[stepped].step = rng.choice(steps) * SECOND // 10
        stretches = [(START, START + (seconds + 1) * SECOND)] * count
        rows = list(meetings(rng, count, seconds))
        if kind != 'lossy':  # an event that begins before and ends after is no span
            at = clocks[stepped].step_at
            rows = [r for r in rows if r[stepped][1] < at or r[stepped][0] >= at]
        form, texts = rank_events(rng, rows, clocks, stretches, UNNUMBERED, 0.1 if kind == 'lossy' else 0)
    elif kind == 'none':
        files = [[] for _ in clocks]
        for s, t, u, v, w in Calls(rng, count - 1, 5).rows:
            files[0].append(span(clocks[0], 'GET', t, w))
            files[s + 1].append(span(clocks[s + 1], rng.choice(['GET', 'handle']), u, v))
        texts = [('.json', chrome(f)) for f in files]
    else:
        texts = []
        for who, clock in enumerate(clocks):
            first, rows = rng.randrange(20), []
            for i in range(first, first + 200):
                t = START + i * 10**7 + rng.randrange(80000)
                rows.append(span(clock, 'nccl:all_reduce', t, t + 400000 + rng.randrange(50000), cat='user_annotation'))
            texts.append(('.json', chrome(rows)))
    names, given = write(rng, folder, texts)
    told = align(folder, given, rules)
    what = f'{kind} {form} {count} files, {given}, limit {limit}: {told}'
    clock_of = {os.path.basename(name): clock for name, clock in zip(names, clocks)}
    for f in told:
        clock = clock_of[os.path.basename(f['file'])]
        reference = clock_of[os.path.basename(f['reference'])] if f['reference'] else None
        try:
            if kind == 'none':
                assert f['verdict'] == 'none'
            elif kind == 'periodic':
                assert f['verdict'] in ('ambiguous', 'reference')
            elif kind == 'one-way':
                assert f['verdict'] in ('one-sided', 'reference') and (f['offset_ns'] is None or f is told[0])
                if f['verdict'] == 'one-sided':
                    truth = reference.read(round(clock.moment(f['at_ns']))) - f['at_ns']
                    assert f['low_ns'] is None or f['low_ns'] <= truth
                    assert f['high_ns'] is None or truth <= f['high_ns']
            elif f['verdict'] == 'aligned':
                assert clock.step_at is None and reference.step_at is None, 'a clock was set'
                check_line(f, clock, reference, 30000 if kind == 'set-short' else 10000)
            else:
                assert f['verdict'] == ('reference' if f['reference'] == f['file'] else 'stepped')
        except AssertionError as e:
            raise AssertionError(f'{f["file"]}: {f["verdict"]}: {e}: {what}') from None
    verdicts = [f['verdict'] for f in told]
    assert verdicts.count('reference') == (0 if kind == 'none' else 1), what
    assert ('stepped' in verdicts) == (kind in ('step', 'set', 'set-short')), what
    return kind


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('-n', type=int, default=60)
    parser.add_argument('-s', type=int, default=1)
    parser.add_argument('-k', action='store_true', help='go on after a case that fails')
    parser.add_argument('kinds', nargs='*', metavar='KIND')
    arguments = parser.parse_args()
    counts, failed = {}, 0
    for number in range(arguments.n):
        with tempfile.TemporaryDirectory() as folder:
            try:
                kind = check_case(random.Random(arguments.s * 1000003 + number), folder, arguments.kinds or KINDS)
            except AssertionError as e:
                if not arguments.k:
                    raise
                failed += 1
                print(number, str(e)[:700])
                continue
        counts[kind] = counts.get(kind, 0) + 1
    print(f'{arguments.n} cases: {counts}' + (f', {failed} failed' if failed else ''))


if __name__ == '__main__':
    main()
