#!/usr/bin/env python3
"""Cuts streams and flips their bits, at every STEPth byte, and runs the stages that read them.

usage: cut_streams.py STEP TRACE    STEP 1: at every byte

Expected: exit status 1, one line "tm-STAGE: ...", no OUT, no file left. An empty input and two streams one after the
other are tried too.
"""
import os
import subprocess
import sys
import tempfile

OUTPUTS = ('text', 'jsonl', 'csv', 'frames', 'report', 'explain', 'summary', 'pftrace', 'json', 'svg')
STAGES = ('tm-unpack', 'tm-manifest', 'tm-clocks', 'tm-sort')


def run(command, data):
    return subprocess.run(command, input=data, capture_output=True, timeout=600)


def readers(folder):
    out = os.path.join(folder, 'out')
    yield 0, ['tm-manifest']
    yield 1, ['tm-clocks']
    yield 2, ['tm-sort']
    yield 2, ['tm-sort', '-S', '1']
    yield 3, ['tm-sort', '-m']
    yield 3, ['tm-sort', '-c']
    for name in OUTPUTS:
        yield 3, ['tm-emit', '-f', name]
    for ending in ('.db', '.json.gz', '.pftrace.zst', '.csv'):
        yield 3, ['tm-emit', '-o', out + ending]


def check(command, data, folder):
    done = run(command, data)
    if done.returncode != 1:
        return 'status %d: %r' % (done.returncode, done.stderr)
    if not done.stderr.startswith(command[0].encode() + b': ') or done.stderr.count(b'\n') != 1:
        return 'says %r' % done.stderr
    return 'leaves %s' % os.listdir(folder) if os.listdir(folder) else None


def main():
    step, failed, count, n = int(sys.argv[1]), 0, 0, 0
    with open(sys.argv[2], 'rb') as f:
        streams = [f.read()]
    for name in STAGES:
        streams.append(run([name], streams[-1]).stdout)
    with tempfile.TemporaryDirectory() as folder:
        for stage, command in readers(folder):
            good, n = streams[stage + 1], n + 1
            cases = [('no stream', b''), ('two streams', good + good)]
            for at in range(n % step, len(good), step):
                flipped = bytearray(good)
                flipped[at] ^= 1 << (at + n) % 8
                cases += [('cut at %d' % at, good[:at]), ('bit flipped at %d' % at, bytes(flipped))]
            for what, data in cases:
                wrong = check(command, data, folder)
                count += 1
                if wrong:
                    failed += 1
                    print('%s: %s: %s' % (' '.join(command), what, wrong))
    print('%d damaged streams' % count)
    sys.exit(failed > 0)


main()
