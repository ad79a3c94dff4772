#!/usr/bin/env python3
"""Sends random archives with manifests, machines, clocks and snapshots through the whole pipe and checks the output.

usage: pipe_fuzz.py FIRST LAST    seeds FIRST to LAST; reports the first that breaks a rule and keeps its input

If tm-merge succeeds: accounts balance, and agree with input and output. Events come in the order of (time, processing
order, position). A second run gives the same bytes, with any amount of memory. Merging the merged Perfetto trace moves
no event. Each time is its reading plus offsets that the placement's path names, within the bounds that the placement
states. If it fails: status 1, one line, no output. No other status occurs.
"""
import collections
import gzip
import importlib
import io
import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import zipfile

SOURCE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(SOURCE, '..', 'gen'))
make_proto = importlib.import_module('make-proto')

CLOCKS = {'REALTIME': 1, 'MONOTONIC': 3, 'MONOTONIC_RAW': 5, 'BOOTTIME': 6, 'TRACE_FILE': 11}
NAMES = {v: k for k, v in CLOCKS.items()}
UNIT = {65: 1000}


class Broken(Exception):
    pass


def hold(condition, text, *details):
    if not condition:
        raise Broken(text + ''.join(': %s' % (d,) for d in details))


class Case:
    """An input and known facts about it: readings of named events, offsets of snapshots."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.readings = {}                       # event name: (clock id or 0, reading in the clock's unit)
        self.counted = collections.Counter()     # path: events
        self.snapshots = []                      # {clock: reading in ns}
        self.members = []
        for i in range(self.r.randrange(1, 6)):
            kind = self.r.choice(['pb', 'pb', 'pb', 'json', 'systrace'])
            name = '%s%d.%s' % (self.r.choice(['', '', 'd/', 'ü']), i, kind)
            self.members.append((name, getattr(self, kind)(name)))
        self.manifest()

    def event(self, path, clock, reading):
        name = 'e%d' % len(self.readings)
        self.readings[name] = (clock, reading)
        self.counted[path] += 1
        return name

    def pb(self, path):
        r, lines = self.r, []
        now, boots = r.randrange(10**9), {6: 0, 3: -r.randrange(10**6), 1: 17 * 10**17, 5: r.randrange(999)}
        ids = r.choice([[''], [''], [''], [' m=7'], ['', ' m=7', ' m=8']])
        kinds = r.sample([(6, 3), (6, 1), (6, 3, 1), (6, 64), (6, 65), (3, 130), (6, 5, 3), (130, 6)], r.randrange(4))
        for _ in range(r.randrange(1, 40)):
            now += r.choice([0, 1, 1000, 10**6, 40 * 10**9, -500])
            who, sequence = r.choice(ids), r.choice([1, 2])
            if kinds and r.random() < 0.3:
                lines.append(self.snapshot(r.choice(kinds), boots, now, r) + who + ' seq=%d' % sequence)
                continue
            clock = r.choice([0, 0, 0, 3, 6, 64, 65, 130])
            reading = now + boots.get(clock, 0) + r.randrange(-999, 999)
            if clock in UNIT:
                reading //= UNIT[clock]
            name = self.event(path, clock, reading)
            lines.append('%s %s %d seq=%d%s%s' % (r.choice(['instant', 'begin', 'begin']), name, reading, sequence, who,
                                                  ' clock=%d' % clock if clock else ''))
            if r.random() < 0.2:
                lines.append('finish %d seq=%d%s' % (now, sequence, who))
                self.counted[path] += 1
            if r.random() < 0.05:
                lines.append('name M%d%s' % (r.randrange(3), who))
        return make_proto.trace(lines)

    def snapshot(self, kind, boots, now, r):
        readings = {}
        for clock in kind:
            value = now + boots.get(clock, 10**6) + r.choice([0, 0, 3, -3])
            if r.random() < 0.02:
                value = r.choice([2**63 - 1, 2**62, 0])
            if clock in UNIT:
                value //= UNIT[clock]
            readings[clock] = value * UNIT.get(clock, 1)
        self.snapshots.append(readings)
        words = ['%d=%d%s' % (c, v // UNIT.get(c, 1), ':unit=%d' % UNIT[c] if c in UNIT else '')
                 for c, v in readings.items()]
        return 'snap ' + ' '.join(words) + (' primary=%d' % kind[0] if r.random() < 0.3 else '')

    def json(self, path):
        r, events, now = self.r, [], r_start(self.r)
        for _ in range(r.randrange(0, 30)):
            now += r.randrange(10**6)
            event = {'ph': r.choice('XXBi'), 'pid': r.randrange(3), 'tid': r.randrange(3), 's': 't',
                     'name': self.event(path, 11, now), 'args': {'a': r.random()}}
            if event['ph'] == 'X':
                event['dur'] = r.randrange(1000)
            events.append(json.dumps(event)[:-1] + ',"ts":%d.%03d}' % divmod(now, 1000))
        return ('{"traceEvents":[' + ','.join(events) + ']}').encode()

    def systrace(self, path):
        r, lines, now = self.r, ['# tracer: nop'], r_start(self.r)
        for _ in range(r.randrange(1, 30)):
            now += r.randrange(10**6)
            lines.append('  a-%d ( 5) [00%d] d..2 %d.%09d: tracing_mark_write: B|5|%s' % (
                r.randrange(5, 8), r.randrange(2), now // 10**9, now % 10**9, self.event(path, 3, now)))
        return '\n'.join(lines).encode() + b'\n'

    def manifest(self):
        r = self.r
        if r.random() < 0.2:
            return
        entries = []
        for name, _ in self.members:
            if r.random() < 0.3:
                continue
            entry = {'path': name}
            if r.random() < 0.5:
                entry['machine'] = {'name': 'M%d' % r.randrange(3)}
            elif r.random() < 0.3 and name.endswith('pb'):
                entry['machines'] = [{'id': i, 'name': 'M%d' % n} for n, i in enumerate((0, 7, 8))]
            entries.append(entry)
        for entry in entries:
            if r.random() < 0.5 and 'machines' not in entry:
                to = r.choice(entries)
                if to is entry or 'machines' in to:
                    continue
                entry['clocks'] = {'sync_to': {'file': to['path'], 'clock': r.choice(['BOOTTIME', 'MONOTONIC'])},
                                   'offset_ns': r.choice([0, 5, -5, 10**9, -10**12])}
                if not entry['path'].endswith('json') and r.random() < 0.7:
                    entry['clocks']['clock'] = r.choice(['BOOTTIME', 'MONOTONIC', 'REALTIME'])
        document = {'version': 1, 'files': entries}
        if r.random() < 0.4:
            document['trace_time'] = {'clock': r.choice(['BOOTTIME', 'MONOTONIC', 'REALTIME'])}
        self.members.insert(r.randrange(len(self.members) + 1),
                            ('m.json', json.dumps({'perfetto_manifest': document}).encode()))

    def archive(self):
        r, out = self.r, io.BytesIO()
        if r.random() < 0.4:
            with zipfile.ZipFile(out, 'w', r.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as z:
                for name, data in self.members:
                    z.writestr(zipfile.ZipInfo(name), data)
        else:
            with tarfile.open(fileobj=out, mode='w', format=r.choice([tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])) as t:
                for name, data in self.members:
                    info = tarfile.TarInfo(name)
                    info.size = len(data)
                    t.addfile(info, io.BytesIO(data))
        data = out.getvalue()
        return gzip.compress(data, 1, mtime=0) if r.random() < 0.3 else data


def r_start(r):
    return r.choice([0, 10**6, 10**12])


class Merge:
    """A run of tm-merge over bytes on standard input."""

    def __init__(self, data, *options):
        done = subprocess.run(['tm-merge', *options], input=data, capture_output=True, timeout=600)
        self.status, self.out, self.said = done.returncode, done.stdout, done.stderr.decode('utf-8')
        hold(self.status in (0, 1), 'status %d' % self.status, self.said)
        errors = [t for t in self.said.splitlines() if ': warning: ' not in t]
        hold(self.status == 0 or len(errors) >= 1, 'a failure says why', self.said)
        hold(not re.search('[\0-\x09\x0b-\x1f\x7f]', self.said), 'messages are plain', self.said)


def rows_of(data, *options):
    done = Merge(data, '-f', 'jsonl', '--events', *options)
    hold(done.status == 0, 'what was merged before is merged', done.said)
    return [json.loads(text) for text in done.out.decode('utf-8', 'surrogateescape').splitlines()]


def check_accounts(case, report, rows):
    out = collections.Counter(r['file'] for r in rows if not r.get('definition') and not r.get('derived') and 'ts' in r)
    placed = collections.Counter()  # by path, because two files of a damaged archive may have one path
    for file in report['files']:
        path = file['path']
        placed[path] += file['placed']
        hold(file['balanced'] and file['read'] == file['placed'] + file['dropped'], 'accounts balance', file)
        if case:
            hold(file['read'] == case.counted[path], 'all was read', path, file['read'], case.counted[path])
    hold(+placed == out, 'what was placed comes out', +placed, out)


def check_order(report, rows):
    order = {f['path']: f.get('processing_order', 0) for f in report['files']}
    keys = [(r['ts'], order[r['file']], r['position']) for r in rows if 'ts' in r and not r.get('definition')]
    hold(keys == sorted(keys), 'events are in order')


def clock_id(name):
    return CLOCKS.get(name) or int(str(name).split()[-1])


def end_of(text):
    """"BOOTTIME(phone, file)": the clock's id."""
    return clock_id(re.match(r'(.*?)\(', text).group(1))


def offsets_of(case, report, path):
    """Returns the offsets that may be added along the path of a placement."""
    sums = {0}
    ends = [end_of(text) for text in re.split(r' (?:->|-manifest->|=) ', path)]
    for a, b in zip(ends, ends[1:]):
        hops = {s[b] - s[a] for s in case.snapshots if a in s and b in s} | case.edges.get((a, b), set())
        hops |= {-h for h in case.edges.get((b, a), set())} | {0}
        sums = {s + h for s in sums for h in hops}
    return sums


def check_places(case, report, rows):
    files = {f['path']: f['id'] for f in report['files']}
    machines = {(m['raw_id'], m['name']): m['id'] for m in report['machines']}
    placements = {(p['file'], p['machine'], p['clock']): p for p in report['placements']}
    sums = {}
    seen = 0
    for row in rows:
        if row.get('name') not in case.readings or 'ts' not in row or row.get('definition'):
            continue
        where = (files[row['file']], machines[row['machine_id'], row.get('machine')],
                 clock_id(row['clock']) if 'clock' in row else 0)
        p = placements.get(where)
        hold(p is not None, 'what is placed has a placement', row)
        hold(p['first_ns'] <= row['ts'] <= p['last_ns'], 'the bounds of its placement hold a time', row, p)
        clock, reading = case.readings[row['name']]
        if clock and clock != where[2] and where[2] != 11:
            raise Broken('on another clock than written: %s' % row)
        reading *= UNIT.get(where[2], 1)  # events of a pinned file are on its own clock, whatever clock they name
        if where not in sums:
            sums[where] = offsets_of(case, report, p['path']) if p['path'] != 'taken as trace time' else {0}
        hold(row['ts'] - reading in sums[where], 'its path explains a time', row, reading, p)
        if p['snapshots_used'] <= 1 and p['first_offset_ns'] == p['last_offset_ns']:
            hold(row['ts'] - reading == p['first_offset_ns'], 'its offset explains a time', row, reading, p)
        seen += 1
    return seen


def points(rows):
    """Returns the times of events. In a merged trace an end has the name of its begin; inputs have no names of ends."""
    return collections.Counter((r['name'], r['ts']) for r in rows
                               if 'ts' in r and not r.get('definition') and r.get('kind') != 'slice_end'
                               and re.fullmatch(r'e\d+', r.get('name') or ''))


def check_again(case, data, rows, folder):
    first = Merge(data, '-f', 'pftrace')
    hold(first.status == 0, 'a trace comes out', first.said)
    hold(Merge(data, '-f', 'pftrace', '-S', '1k').out == first.out, 'twice the same')
    again = rows_of(first.out)
    hold(points(again) == points(rows), 'merging the merged trace places nothing elsewhere',
         points(rows) - points(again), points(again) - points(rows))
    path = os.path.join(folder, 'out.db')
    hold(Merge(data, '-o', path).status == 0, 'a database comes out')
    db = sqlite3.connect(path)
    hold(db.execute('pragma integrity_check').fetchone()[0] == 'ok', 'the database is whole')
    slices = collections.Counter(db.execute("select name, ts from slice where name glob 'e[0-9]*'").fetchall())
    hold(not slices - points(rows), 'the database has the same times', slices - points(rows))
    db.close()


def edges_of(data, case):
    """Returns the edges between clocks that the pipe added: rows of one snapshot."""
    done = subprocess.run('tm-unpack | tm-manifest | tm-clocks | tm-sort | tm-emit -f frames', shell=True, input=data,
                          capture_output=True)
    groups = collections.defaultdict(list)
    for clock, value, snapshot in re.findall(r'ClockRow ts_ns=-?\d+ clock=(\d+) value=(-?\d+) snapshot=(\d+)',
                                             done.stdout.decode('utf-8', 'replace')):
        groups[snapshot].append((int(clock), int(value)))
    edges = collections.defaultdict(set)
    for rows in groups.values():
        for a, av in rows:
            for b, bv in rows:
                edges[a, b].add(bv - av)
    for _, data in case.members:
        for offset in re.findall(rb'"offset_ns": (-?\d+)', data):
            for a in CLOCKS.values():
                for b in CLOCKS.values():
                    edges[a, b].add(int(offset))
    return edges


def damage(data, r):
    """Returns DATA with random damage."""
    data = bytearray(data)
    for _ in range(r.randrange(1, 4)):
        at = r.randrange(len(data))
        what = r.randrange(4)
        if what == 0:
            data[at] ^= 1 << r.randrange(8)
        elif what == 1 and at:
            del data[at:]
        elif what == 2:
            del data[at:at + r.randrange(600)]
        else:
            data[at:at] = bytes(r.randrange(256) for _ in range(r.randrange(40)))
        data = data or bytearray(b'x')
    return bytes(data)


def check_damaged(data, r):
    data = damage(data, r)
    for how in ('halt', 'skip', 'salvage'):
        done = Merge(data, '-f', 'report', '--json', '--ignore-unknown', '--on-damage=' + how)
        if done.status == 0:
            options = ('--ignore-unknown', '--on-damage=' + how)
            check_accounts(None, json.loads(done.out), rows_of(data, *options))


def run(seed, folder, counts):
    case = Case(seed)
    data = case.archive()
    with open(os.path.join(folder, 'input'), 'wb') as f:
        f.write(data)
    report = Merge(data, '-f', 'report', '--json')
    counts['merged' if report.status == 0 else 'refused'] += 1
    if report.status == 0:
        report = json.loads(report.out)
        rows = rows_of(data)
        case.edges = edges_of(data, case)
        check_accounts(case, report, rows)
        check_order(report, rows)
        counts['events'] += len(rows)
        counts['times explained'] += check_places(case, report, rows)
        check_again(case, data, rows, folder)
    check_damaged(data, case.r)


def main():
    counts = collections.Counter()
    for seed in range(int(sys.argv[1]), int(sys.argv[2]) + 1):
        with tempfile.TemporaryDirectory() as folder:
            try:
                run(seed, folder, counts)
            except (Broken, subprocess.TimeoutExpired) as e:
                keep = 'pipe_fuzz.%d' % seed
                os.rename(os.path.join(folder, 'input'), keep)
                sys.exit('seed %d breaks a rule (its input is in %s): %s' % (seed, keep, e))
    print('%s hold' % ', '.join('%d %s' % (n, what) for what, n in counts.items()))


main()
