#!/usr/bin/env python3
"""Merges damaged traces of every format into every output and checks that all outputs agree.

usage: damage_outputs.py FIRST LAST    seeds; each is a file damaged at random, under each --on-damage

These rules must hold. tm-unpack succeeds or prints one line; under skip and salvage it succeeds. All stages and outputs
accept its stream. For each file, read = placed + dropped. Text, JSON lines and CSV have as many rows as events were
placed. The database and the report have equal accounts. The merged Perfetto trace and Chrome JSON can be merged again
and lose nothing. Output for people has no control characters.
"""
import collections
import csv
import io
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile

import damage

DATA = ('gecko.json', 'gecko-processed.json', 'trace-cmd.txt', 'ftrace-tgid.txt', 'instruments.xml', 'perf-script.txt')
JUNK = (b'\0', b'\n', b'"', b'{', b'}', b'[', b']', b',', b'\x1b[2J', b'NaN', b'1e999', b'-', b'9' * 30)
FOR_PEOPLE = ('text', 'report', 'explain', 'summary', 'frames')
OUTPUTS = FOR_PEOPLE + ('jsonl', 'csv', 'pftrace', 'json', 'svg')
HAS_EVENTS = ('text', 'jsonl', 'csv')


class Wrong(Exception):
    pass


def hold(condition, *what):
    if not condition:
        raise Wrong(' '.join(map(str, what))[:400])


def run(command, data=None):
    return subprocess.run(command, input=data, capture_output=True, timeout=600)


def spoil(r, data):
    data = bytearray(data)
    for _ in range(r.choice([1, 1, 1, 2, 5, 30])):
        if not data:
            break
        at, kind = r.randrange(len(data)), r.randrange(7)
        if kind < 3:
            data[at] ^= 1 << r.randrange(8)
        elif kind == 3:
            del data[at:at + r.choice([1, 2, 10, 100, 1000])]
        elif kind == 4:
            data[at:at] = r.choice(JUNK)
        elif kind == 5:
            other = r.randrange(len(data))
            data[at:at] = data[other:other + r.choice([4, 16, 64, 300])]
        else:
            del data[at:]
    return bytes(data)


def pristine(r):
    name = r.choice(sorted(damage.FORMATS) + list(DATA))
    if name in damage.FORMATS:
        return name, damage.File(name).data
    with open(os.path.join(damage.SOURCE, '..', 'data', name), 'rb') as f:
        return name, f.read()


def is_raw(text):
    return any(c < 32 and c != 10 or c == 127 for c in text)


def stream_of(path, how):
    """Returns the output of tm-sort, or None if the damage is an error."""
    done = run(['tm-unpack', '--on-damage=' + how, path])
    if done.returncode:
        hold(done.returncode == 1 and done.stderr.startswith(b'tm-unpack: ') and done.stderr.count(b'\n') == 1,
             'tm-unpack:', done.returncode, done.stderr)
        hold(how == 'halt' or b'unknown trace type' in done.stderr, how, 'fails:', done.stderr)
        hold(not is_raw(done.stderr), 'raw:', done.stderr)
        return None
    for name in ('tm-manifest', 'tm-clocks', 'tm-sort'):
        done = run([name], done.stdout)
        hold(done.returncode == 0, name, done.returncode, done.stderr)
    return done.stdout


def check_numbers(out, report):
    placed = report['total']['placed']
    for f in report['files']:
        hold(f['balanced'] and f['read'] == f['placed'] + f['dropped'], 'does not balance:', f)
    rows = [json.loads(line) for line in out['jsonl'].decode().splitlines()]
    derived = sum(1 for row in rows if row.get('derived'))
    shown = sum(1 for row in rows if not row.get('definition'))
    hold(shown - derived == placed, 'jsonl:', shown - derived, 'of', placed)
    lines = max(0, len(list(csv.reader(io.StringIO(out['csv'].decode('utf-8', 'replace'), newline='')))) - 1)
    hold(lines == shown, 'csv:', lines, 'of', shown)
    lines = max(0, out['text'].count(b'\n') - 1)
    hold(lines == shown, 'text:', lines, 'of', shown)


def check_database(stream, folder, report):
    path = os.path.join(folder, 'out.db')
    done = run(['tm-emit', '-o', path], stream)
    hold(done.returncode == 0, 'sqlite:', done.returncode, done.stderr)
    db = sqlite3.connect(path)
    hold(db.execute('PRAGMA integrity_check').fetchone() == ('ok',), 'sqlite: not whole')
    got = dict(db.execute("SELECT reason, sum(events) FROM tm_accounting GROUP BY reason"))
    db.close()
    os.unlink(path)
    want = collections.Counter({'placed': report['total']['placed']})
    for account in report['accounts']:
        want[account['reason']] += account['count']
    hold({k: v for k, v in got.items() if v} == {k: v for k, v in want.items() if v}, 'sqlite:', got, 'report:', want)


def check(path, how, folder, seen):
    """Checks one file. Returns true if there is a stream. SEEN has earlier results, which must not depend on the
    file's place."""
    stream = stream_of(path, how)
    if stream is None:
        return 0
    if stream not in seen:
        check_stream(stream, folder)
        seen.append(stream)
    return 1


def check_stream(stream, folder):
    out = {}
    for name in OUTPUTS:
        for rows in [[], ['--events']] if name in HAS_EVENTS else [[]]:
            done = run(['tm-emit', '-f', name, *rows], stream)
            hold(done.returncode == 0, name + ':', done.returncode, done.stderr)
            hold(name not in FOR_PEOPLE or not is_raw(done.stdout), name + ': raw')
            out[name] = done.stdout
    report = json.loads(run(['tm-emit', '-f', 'report', '--json'], stream).stdout)
    check_numbers(out, report)
    check_database(stream, folder, report)
    for name in ('pftrace', 'json'):
        again = os.path.join(folder, 'again.' + name)
        with open(again, 'wb') as f:
            f.write(out[name])
        done = run(['tm-merge', '-f', 'report', '--json', again])
        hold(done.returncode == 0, name, 'again:', done.stderr)
        hold(json.loads(done.stdout)['total']['dropped'] == 0, name, 'again: some are dropped')


def main():
    failed, streams = 0, 0
    for seed in range(int(sys.argv[1]), int(sys.argv[2]) + 1):
        r = random.Random(seed)
        name, data = pristine(r)
        data = spoil(r, data)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'member')
            with open(path, 'wb') as f:
                f.write(data)
            seen = []
            for how in ('halt', 'skip', 'salvage'):
                try:
                    streams += check(path, how, folder, seen)
                except (Wrong, subprocess.TimeoutExpired, ValueError) as e:
                    failed += 1
                    print('seed %d: %s, %s: %s' % (seed, name, how, e))
    print('%d streams into %d outputs' % (streams, len(OUTPUTS) + 1))
    sys.exit(failed > 0)


main()
