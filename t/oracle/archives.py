#!/usr/bin/env python3
"""Makes random archives of mixed formats, for t/check/viewers, which compares a reader's view of archive and merged
file.

usage: archives.py FIRST LAST FOLDER      writes FOLDER/random-SEED-FORMATS.tar for each seed
       t/check/viewers -t TRACE_PROCESSOR -f pftrace -v FOLDER

Formats: Chrome JSON, Perfetto protos of track events and of the kernel, systrace. Events are of the kinds that readers
of each format show: slices that nest, cross and stay open, instants, counters, flows, asynchronous slices, names,
arguments, scheduling.
"""
import io
import json
import os
import random
import sys
import tarfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'gen'))
from wire import field  # noqa: E402

START_NS = 10**9


def packet(body):
    return field(1, body)


def annotation(r):
    name = field(10, r.choice(['a', 'b', 'c']))
    return field(4, name + r.choice([field(4, r.randrange(9)), field(6, 'text'), field(2, 1), field(5, 0.5)]))


def track_events(r):
    """Makes threads, a process, tracks below them and a counter, with slices and instants on all."""
    base, sequence = r.randrange(1, 4) * 1000, r.randrange(1, 9)
    lines = [packet(field(10, sequence) + field(13, 1))]
    tracks, counter = [], base + 99
    for tid in range(base + 1, base + 1 + r.randrange(1, 4)):
        lines.append(packet(field(10, sequence) + field(60, field(1, tid) + field(4, field(1, base + 1) + field(2, tid) +
                                                                                   field(5, 'thread %d' % tid)))))
        tracks.append(tid)
    lines.append(packet(field(10, sequence) + field(60, field(1, base) + field(3, field(1, base + 1) + field(6, 'process')))))
    for i in range(r.randrange(3)):
        lines.append(packet(field(10, sequence) + field(60, field(1, base + 50 + i) + field(5, r.choice(tracks + [base])) +
                                                        field(2, 'track %d' % i))))
        tracks.append(base + 50 + i)
    lines.append(packet(field(10, sequence) + field(60, field(1, counter) + field(5, base) + field(2, 'counter') + field(8, b''))))
    now, depth = START_NS, {t: 0 for t in tracks}
    for i in range(r.randrange(1, 60)):
        now += r.choice([0, 1, 1000, 10**6])
        track = r.choice(tracks)
        kind = r.choice(['begin', 'begin', 'end', 'end', 'instant', 'counter'])
        if kind == 'end' and not depth[track]:
            kind = 'begin'
        depth[track] += (kind == 'begin') - (kind == 'end')
        event = field(9, {'begin': 1, 'end': 2, 'instant': 3, 'counter': 4}[kind])
        event += field(11, counter if kind == 'counter' else track)
        if kind in ('begin', 'instant'):
            event += field(23, '%s %d' % (kind, i)) + field(22, r.choice(['cat', 'other']))
            event += b''.join(annotation(r) for _ in range(r.choice([0, 0, 1, 2])))
        if kind == 'counter':
            event += field(30, r.randrange(1000))
        lines.append(packet(field(8, now) + field(10, sequence) + field(11, event)))
    return b''.join(lines)


def kernel(r):
    """Makes scheduling, wakeups and markers of two CPUs, and the names of the threads."""
    pids = r.sample(range(100, 130), 4)
    threads = b''.join(field(2, field(1, p) + field(3, pids[0]) + field(2, 'task %d' % p)) for p in pids)
    processes = field(1, field(1, pids[0]) + field(2, 1) + field(3, '/bin/process'))
    lines = [packet(field(8, START_NS) + field(2, processes + threads))]
    comm = lambda pid: 'task %d' % pid if pid else 'swapper'
    running, now = {0: 0, 1: 0}, START_NS
    bundles = {0: b'', 1: b''}
    for i in range(r.randrange(5, 60)):
        now += r.randrange(1, 10**6)
        cpu = r.randrange(2)
        free = [p for p in pids + [0] if p not in running.values() or p == 0]
        choice = r.random()
        if choice < 0.6:
            to = r.choice([p for p in free if p != running[cpu]] or [0])
            event = field(4, field(1, comm(running[cpu])) + field(2, running[cpu]) + field(3, 120) +
                          field(4, r.choice([0, 1, 2]) if running[cpu] else 0) + field(5, comm(to)) + field(6, to) + field(7, 120))
            common, running[cpu] = running[cpu], to
        elif choice < 0.8:
            to = r.choice(pids)
            event = field(17, field(1, 'task %d' % to) + field(2, to) + field(3, 120) + field(4, 1) + field(5, cpu))
            common = running[cpu]
        else:
            common = running[cpu]
            if common == 0:
                continue
            event = field(3, field(2, r.choice(['B|%d|mark %d' % (pids[0], i), 'E|%d' % pids[0], 'C|%d|count|%d' % (pids[0], i)])))
        bundles[cpu] += field(2, field(1, now) + field(2, common) + event)
    for cpu, events in bundles.items():
        lines.append(packet(field(1, field(1, cpu) + events)))
    return b''.join(lines)


def chrome_json(r):
    events, now, open_ids, stack, begun = [], START_NS // 1000, [], [], 0
    pid = r.randrange(500, 503)
    for i in range(r.randrange(1, 60)):
        now += r.choice([0, 1, 50, 1000])
        kind = r.choice('XXXBEbeCiM')
        now += kind == 'E' and now == begun # here ends precede begins, in the importer not always: doc/viewers.md
        tid = pid + (kind != 'X') # a complete event that crosses an end is on a track of its own when merged
        event = {'ph': kind, 'pid': pid, 'tid': tid, 'ts': now, 'name': 'json %d' % i, 'cat': r.choice(['c', 'd'])}
        if kind == 'X':
            event['dur'] = r.choice([1, 10, 100, 5000])
        elif kind == 'E':
            if tid not in stack:
                continue
            stack.remove(tid)
            del event['name'], event['cat']
        elif kind == 'B':
            stack.append(tid)
            begun = now
        elif kind == 'b':
            event['id'] = '0x%x' % i
            open_ids.append((event['id'], event['name'], event['cat']))
        elif kind == 'e':
            if not open_ids:
                continue
            event['id'], event['name'], event['cat'] = open_ids.pop(r.randrange(len(open_ids)))
        elif kind == 'C':
            event.update(name='json counter', args={'value': r.randrange(100)})
        elif kind == 'i':
            event['s'] = r.choice(['t', 'p', 'g'])
        elif kind == 'M':
            event.update(name='thread_name', args={'name': 'json thread %d' % tid})
        if kind in 'XBbi' and r.random() < 0.4:
            event['args'] = r.choice([{'n': i}, {'text': 'x', 'deep': {'list': [1, 'two']}}, {'f': 0.25}])
        events.append(event)
    if r.random() < 0.5:
        for n in range(3):
            at = START_NS // 1000 + n * 300
            events += [{'ph': 'X', 'pid': pid, 'tid': pid, 'ts': at + 10**6, 'dur': 20, 'name': 'from', 'cat': 'f'},
                       {'ph': 's', 'pid': pid, 'tid': pid, 'ts': at + 10**6 + 5, 'id': n + 1, 'name': 'flow', 'cat': 'f'},
                       {'ph': 'X', 'pid': pid, 'tid': pid + 1, 'ts': at + 10**6 + 100, 'dur': 20, 'name': 'to', 'cat': 'f'},
                       {'ph': 'f', 'pid': pid, 'tid': pid + 1, 'ts': at + 10**6 + 105, 'id': n + 1, 'name': 'flow', 'cat': 'f',
                        'bp': 'e'}]
    return json.dumps({'traceEvents': events}).encode()


def is_exact(us):
    """The importer converts times of text through doubles, so some lose a nanosecond."""
    return int(float('%d.%06d' % divmod(us, 10**6)) * 10**9) == us * 1000


def systrace(r):
    lines, now, running = ['# tracer: nop', '#'], START_NS // 1000, 0
    pids = r.sample(range(700, 720), 3)
    comm = lambda pid: 'text' if pid else 'swapper/0'
    for i in range(r.randrange(1, 50)):
        now += r.randrange(1, 1000)
        while not is_exact(now):
            now += 1
        at = '%d.%06d' % divmod(now, 10**6)
        who = running or pids[0]
        if r.random() < 0.4:
            to = r.choice([p for p in pids + [0] if p != running])
            lines.append('  %s-%d (%5d) [000] d..2 %s: sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> '
                         'next_comm=%s next_pid=%d next_prio=120' % (
                             comm(running), running, pids[0] if running else 0, at, comm(running), running,
                             r.choice('SRD') if running else 'R', comm(to), to))
            running = to
        else:
            mark = r.choice(['B|%d|text %d' % (pids[0], i), 'E|%d' % pids[0], 'C|%d|text count|%d' % (pids[0], i),
                             'S|%d|async %d|%d' % (pids[0], i, i), 'I|%d|now %d' % (pids[0], i)])
            lines.append('  text-%d (%5d) [000] ...1 %s: tracing_mark_write: %s' % (who, pids[0], at, mark))
    return '\n'.join(lines).encode() + b'\n'


MAKERS = {'events': (track_events, 'pftrace'), 'kernel': (kernel, 'pftrace'), 'json': (chrome_json, 'json'),
          'systrace': (systrace, 'txt')}


def manifest(r, members):
    """Makes a manifest with offsets between the files, some on machines of their own: a machine has one recording of
    its CPUs."""
    entries, kernels = [], 0
    for name, kind in members:
        entry = {'path': name}
        kernels += kind in ('kernel', 'systrace')
        if r.random() < 0.4 or (kind in ('kernel', 'systrace') and kernels > 1):
            entry['machine'] = {'name': 'machine %s' % name}
        if kind == 'json' and members[0][1] in ('events', 'kernel') and r.random() < 0.7:
            entry['clocks'] = {'sync_to': {'file': members[0][0], 'clock': 'BOOTTIME'}, 'offset_ns': r.choice([0, 10**6, 12345])}
        entries.append(entry)
    return json.dumps({'perfetto_manifest': {'version': 1, 'files': entries}}).encode()


def archive(seed, folder):
    r = random.Random(seed)
    kinds = [r.choice(sorted(MAKERS)) for _ in range(r.randrange(1, 5))]
    members = [('%s-%d.%s' % (kind, i, MAKERS[kind][1]), kind) for i, kind in enumerate(kinds)]
    contents = [(name, MAKERS[kind][0](r)) for name, kind in members]
    if r.random() < 0.6 or sum(kind in ('kernel', 'systrace') for kind in kinds) > 1:
        contents.insert(0, ('manifest.json', manifest(r, members)))
    path = os.path.join(folder, 'random-%d-%s.tar' % (seed, '-'.join(sorted(set(kinds)))))
    with tarfile.open(path, 'w') as tar:
        for name, data in contents:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def main():
    first, last, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    os.makedirs(folder, exist_ok=True)
    for seed in range(first, last + 1):
        archive(seed, folder)


if __name__ == '__main__':
    main()
