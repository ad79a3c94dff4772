#!/usr/bin/env python3
"""Compares what tm-align finds in real recordings with the truth.

usage: align_truth.py truth FOLDER [RULES]       the clocks are known: FOLDER has them in truth.json
       align_truth.py cuts FOLDER SECONDS SEED   the same for six cuts of SECONDS each
       align_truth.py shifted TAR LIMIT_NS SEED  the clocks are not known: each profile in TAR gets a random offset

truth prints one line for each file: its verdict and, if it is aligned, whether its line is within 10 us of the truth at
the first and at the last reading, whether the truth is within the uncertainty and the bounds, and both errors. cuts
prints the root of the mean square error at both ends, in us, and how often the truth is outside. shifted fails unless
tm-align finds the added offsets, within LIMIT_NS of its result without them.
"""
import fractions
import gzip
import json
import os
import random
import re
import subprocess
import sys
import tarfile
import tempfile


def align(folder, files, rules=None):
    pipe = 'set -o pipefail; tm-unpack --no-raw "$@" | tm-manifest | tm-clocks | tm-align -f json '
    pipe += f'-r {rules}' if rules else ''
    words = ['bash', '-c', pipe, 'align'] + files
    return json.loads(subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, check=True).stdout)['alignment']


def told(f, own):
    return f['offset_ns'] + fractions.Fraction(f['drift_ppb'] * (own - f['at_ns']), 10**9)


def true_offset(clock, reference, own):
    """Returns the offset to add to the reading OWN. The clocks are those of truth.json."""
    rate, reference_rate = (fractions.Fraction(c['drift_ppb'], 10**9) for c in (clock, reference))
    t = clock['t0_ns'] + (own - clock['offset_ns'] - clock['t0_ns']) / (1 + rate)
    return t + reference['offset_ns'] + reference_rate * (t - reference['t0_ns']) - own


def compare_with_truth(folder, rules):
    with open(os.path.join(folder, 'truth.json')) as f:
        clocks = json.load(f)['clocks']
    files = sorted(x for x in os.listdir(folder) if x != 'truth.json')
    for f in align(folder, files, rules):
        clock = clocks[f['file'].removesuffix('.gz')]
        if f['verdict'] == 'reference':
            continue
        if f['verdict'] != 'aligned':
            at = f['steps'][0] if 'steps' in f else {}
            print(f['file'], f['verdict'], 'claims nothing' if f['offset_ns'] is None else f['offset_ns'],
                  f"at {at['at_ns'] - clock['offset_ns'] - clock['step'][0]}" if at else '')
            continue
        reference = clocks[f['reference'].removesuffix('.gz')]
        errors = [told(f, x) - true_offset(clock, reference, x) for x in (f['first_ns'], f['last_ns'])]
        truth = true_offset(clock, reference, f['at_ns'])
        worst = max(map(abs, errors))
        inside = worst <= f['uncertainty_ns'] and f['low_ns'] <= truth <= f['high_ns']
        print(f['file'], 'aligned', 'near' if worst <= 10000 else 'far', 'inside' if inside else 'outside',
              *(round(e) for e in errors))


def cut(text, clock, first, seconds):
    """Returns the events of TEXT, a recording on the known clock CLOCK, from FIRST seconds after its start on."""
    doc = json.loads(text)

    def moment(e):
        return (e['ts'] * 1000 - clock['offset_ns'] - clock['t0_ns']) / (1 + clock['drift_ppb'] / 10**9) / 10**9
    doc['traceEvents'] = [e for e in doc['traceEvents'] if 'ts' not in e or first <= moment(e) < first + seconds]
    return json.dumps(doc)


def compare_cuts(folder, seconds, seed):
    with open(os.path.join(folder, 'truth.json')) as f:
        clocks = json.load(f)['clocks']
    rng = random.Random(seed)
    errors, outside = [], 0
    for _ in range(6):
        first = rng.uniform(0, 20 - seconds)
        with tempfile.TemporaryDirectory() as cuts:
            for name, clock in clocks.items():
                with gzip.open(os.path.join(folder, name + '.gz'), 'rt') as whole, \
                        open(os.path.join(cuts, name), 'w') as f:
                    f.write(cut(whole.read(), clock, first, seconds))
            for f in align(cuts, sorted(clocks)):
                if f['verdict'] == 'reference':
                    continue
                assert f['verdict'] == 'aligned', f
                for x in (f['first_ns'], f['last_ns']):
                    errors.append(told(f, x) - true_offset(clocks[f['file']], clocks[f['reference']], x))
                    outside += abs(errors[-1]) > f['uncertainty_ns']
    print(f'{(sum(e * e for e in errors) / len(errors)) ** 0.5 / 1000:.1f} {outside}')


def shift(text, by_us):
    """Adds BY_US to every "ts" of TEXT; times are whole microseconds."""
    return re.sub(r'("ts": ?)(\d+)', lambda m: m[1] + str(int(m[2]) + by_us), text)


def compare_shifted(tar, limit, seed):
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(tar) as archive:
            texts = {m.name: archive.extractfile(m).read().decode() for m in archive
                     if m.name.endswith('.json') and 'manifest' not in m.name}
        shifts = {name: rng.randrange(10**3, 10**9) for name in texts}
        runs = []
        for by in ({name: 0 for name in texts}, shifts):
            for name, text in texts.items():
                with open(os.path.join(folder, name), 'w') as f:
                    f.write(shift(text, by[name]))
            runs.append({f['file']: f for f in align(folder, sorted(texts))})
        for name, f in runs[1].items():
            before = runs[0][name]
            added = 1000 * (shifts[f['reference']] - shifts[name])
            assert f['verdict'] == before['verdict'] and f['reference'] == before['reference'], f
            for edge in ('first_ns', 'last_ns'):
                error = told(f, f[edge]) - told(before, before[edge]) - added
                print(name, edge, round(error))
                assert abs(error) <= limit, f'{name} is {float(error)} ns off'
            assert f['verdict'] == 'reference' or f['low_ns'] <= before['offset_ns'] + added <= f['high_ns'], f


if sys.argv[1] == 'truth':
    compare_with_truth(sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None)
elif sys.argv[1] == 'cuts':
    compare_cuts(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
else:
    compare_shifted(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
