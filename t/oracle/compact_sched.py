#!/usr/bin/env python3
"""Merges random scheduling in compact_sched messages, once with whole messages and once with all messages split: both
Perfetto traces must have the same content. Each case is a machine of its own, with one file or several that disagree
about the same cpus; clocks change their offsets within messages, and some messages are damaged.

usage: compact_sched.py TM_MERGE CASES SEED [json]     json: with threads that Chrome JSON names, each event at its time
"""
import io, json, os, random, sqlite3, subprocess, sys, tarfile, tempfile
from ftrace_text import QUERIES
from track_events import field, message, varint

BOOTTIME, MONOTONIC_RAW, FTRACE_MONO_RAW = 6, 5, 4
NAMES = {0: 'swapper', 1: 'init', 7: 'worker', 8: 'worker/1:0', 9: '', 77: 'a name that is longer than any of Linux',
         4000: 'render', 4001: 'binder:1', 70000: 'x'}
SWITCH, WAKING, NEW, FREE, PRINT = 4, 20, 235, 240, 3
TIME, STATE, PID, PRIO, COMMS, COMM, WTIME, WPID, WCPU, WPRIO, WCOMM, WFLAGS = range(1, 13)


def packed(number, values):
    return field(number, b''.join(map(varint, values)))


def steps(times):
    return [t - before for t, before in zip(times, [0] + times)]


def damage(rng, columns):
    what = rng.choice(['short', 'name', 'twice', 'unknown', 'cut', 'backwards', 'flags', 'wide'])
    column = rng.choice([c for c in columns if columns[c] and c != WFLAGS] or [None])
    if column is None:
        return b''
    if what == 'short':
        columns[column] = columns[column][:-1]
    elif what == 'name' and (columns[COMM] or columns[WCOMM]):
        c = rng.choice([c for c in (COMM, WCOMM) if columns[c]])
        columns[c][rng.randrange(len(columns[c]))] = 300
    elif what == 'twice':
        return packed(column, columns[column])
    elif what == 'unknown':
        return field(rng.choice([13, 99]), rng.choice([5, b'x']))
    elif what == 'cut':
        return field(column, b'\x81')
    elif what == 'backwards':
        c = TIME if columns[TIME] else WTIME
        columns[c][rng.randrange(len(columns[c]))] = rng.choice([2 ** 64 - 5, 2 ** 63])
    elif what == 'flags':
        columns[WFLAGS] = columns[WFLAGS][:rng.randint(0, 3)]
    else:
        c = PRIO if columns[PRIO] else WPRIO
        columns[c] = [rng.choice([2 ** 31 - 1, 70000, 2 ** 64 - 1]) for _ in columns[c]]
    return b''


def compact(rng, events, is_damaged):
    names = sorted({e['comm'] for e in events}, key=lambda name: rng.random())
    switches, wakings = ([e for e in events if e['kind'] == kind] for kind in ('switch', 'waking'))
    columns = {TIME: steps([e['ts'] for e in switches]), STATE: [e['state'] for e in switches],
               PID: [e['pid'] for e in switches], PRIO: [e['prio'] for e in switches],
               COMM: [names.index(e['comm']) for e in switches], WTIME: steps([e['ts'] for e in wakings]),
               WPID: [e['pid'] for e in wakings], WCPU: [e['cpu'] for e in wakings],
               WPRIO: [e['prio'] for e in wakings], WCOMM: [names.index(e['comm']) for e in wakings],
               WFLAGS: [e['state'] for e in wakings] if rng.random() < .8 else []}
    more = damage(rng, columns) if is_damaged else b''
    fields = [packed(number, values) for number, values in columns.items() if values or rng.random() < .1]
    fields += [field(COMMS, name) for name in names]
    if not is_damaged and rng.random() < .2:
        fields = fields[:-len(names)][::-1] + fields[-len(names):]
    return b''.join(fields) + more


def full(e):
    if e['kind'] == 'switch':
        body = field(SWITCH, message((1, e['prev_comm']), (2, e['prev_pid']), (3, 120), (4, e['state']), (5, e['comm']),
                                     (6, e['pid']), (7, e['prio'])))
    elif e['kind'] == 'waking':
        body = field(WAKING, message((1, e['comm']), (2, e['pid']), (3, e['prio']), (5, e['cpu'])))
    elif e['kind'] == 'new':
        body = field(NEW, message((1, e['pid']), (2, e['comm']), (3, e['state'])))
    elif e['kind'] == 'free':
        body = field(FREE, message((1, e['comm']), (2, e['pid'])))
    else:
        body = field(PRINT, message((2, 'B|%d|mark\n' % e['pid'])))
    return field(2, field(1, e['ts']) + field(2, e['by']) + body)


def random_events(rng, count, ts, phase, others):
    """Makes events of one cpu. Times of different cpus or files never coincide, because their order would be
    unknown."""
    events, running = [], 0
    step = rng.choice([3, 90, 3000, 300000])
    for _ in range(count):
        ts += 9 * rng.randint(1, step)
        pid = rng.choice(list(NAMES))
        kind = rng.choice(['switch'] * 6 + ['waking'] * 2 + others)
        e = {'ts': ts + phase, 'kind': kind, 'pid': pid, 'comm': NAMES[pid], 'by': running, 'cpu': rng.randint(0, 3),
             'prio': rng.choice([120, 120, 0, 98, 139]), 'state': rng.choice([0, 1, 2, 0x82, 0x100, 0x402])}
        if kind == 'new':
            e['state'] = rng.choice([0, 0x10000])
        elif kind == 'switch':
            e['prev_pid'] = running if rng.random() < .9 else 1
            e['prev_comm'] = NAMES[e['prev_pid']]
            running = pid
        elif kind == 'waking' and events and events[-1]['kind'] in ('switch', 'waking') and rng.random() < .2:
            e['ts'] = events[-1]['ts']
        events.append(e)
    return events


def random_bundles(rng, cpu, events, with_clock):
    """Makes bundles of one cpu: (time, bundle)."""
    is_damaged = rng.random() < .2
    most, in_full = rng.choice([(10, .3), (60, .1), (700, .02), (700, 0)]), rng.choice([0, 0, .1, .9])
    while events:
        here, events = events[:rng.randint(1, most[0])], events[most[0]:] if rng.random() < 0 else events
        events = events[len(here):]
        of_message, of_events = [], []
        for e in here:
            is_compact = e['kind'] in ('switch', 'waking') and rng.random() >= most[1] * in_full
            (of_message if is_compact else of_events).append(e)
        bundle = field(1, cpu) + b''.join(map(full, of_events))
        if of_message:
            bundle += field(4, compact(rng, of_message, is_damaged and rng.random() < .3))
        if with_clock:
            bundle += field(5, FTRACE_MONO_RAW)
        yield here[0]['ts'], bundle


def snapshot(raw, boot):
    return field(6, message((1, message((1, BOOTTIME), (2, boot))), (1, message((1, MONOTONIC_RAW), (2, raw)))))


def random_trace(rng, phase):
    with_clock, others = rng.random() < .4, rng.choice([[], ['mark'], ['new', 'free', 'mark']])
    start, packets = rng.randint(10 ** 6, 10 ** 6 + 10 ** 5), []
    cpus = [random_events(rng, rng.choice([3, 40, 400]), start - start % 9, 3 * phase + cpu, others)
            for cpu in range(rng.randint(1, 3))]
    last = max(events[-1]['ts'] for events in cpus)
    if with_clock: # raw time jumps forward and back
        for at in [start] + [rng.randint(start, last) for _ in range(rng.choice([0, 0, 1, 5]))]:
            packets.append((at, snapshot(at, at + rng.choice([0, 9 * 10 ** 6, 9 * 10 ** 6 + 9000]))))
    for cpu, events in enumerate(cpus):
        packets += [(ts, field(1, bundle)) for ts, bundle in random_bundles(rng, cpu, sorted(events, key=lambda e: e['ts']), with_clock)]
    if rng.random() < .8:
        packets.sort(key=lambda packet: packet[0])
    return field(1, message((10, 9)) + snapshot(start, start)) + b''.join(
        field(1, message((10, 7)) + packet) for _, packet in packets)


def random_json(rng):
    events = [{'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': tid, 'args': {'name': 'of json %d' % tid}}
              for tid in list(NAMES)[1:]]
    events += [{'ph': 'X', 'name': 's', 'pid': 1, 'tid': tid, 'ts': 1000 + tid, 'dur': 1} for tid in list(NAMES)[1:]]
    return json.dumps(events).encode()


def random_case(rng, with_json):
    files = [random_trace(rng, phase) for phase in range(rng.choice([1, 1, 2, 3]))]
    return files + ([random_json(rng)] if with_json and rng.random() < .5 else [])


def answers(tm_merge, folder, trace, count):
    """Returns the content of TRACE by machine: rows of each query, and all switches and wakings one by one."""
    db, lines = os.path.join(folder, 'out.db'), os.path.join(folder, 'lines')
    subprocess.run([tm_merge, '-q', '-o', db, trace], check=True)
    subprocess.run([tm_merge, '-q', '-f', 'jsonl', '--events', '-o', lines, trace], check=True)
    connection = sqlite3.connect(db)
    found = [{q: [] for q in [*QUERIES, 'lines']} for _ in range(count)]
    machine_of = {raw: name for raw, name in connection.execute('SELECT raw_id, name FROM machine')}
    for query, sql in QUERIES.items():
        for machine, *row in connection.execute('SELECT m.name, ' + sql):
            if machine is not None:
                found[int(machine)][query].append(tuple(row))
    os.remove(db)
    with open(lines) as f:
        for line in f:
            event = json.loads(line)
            if event['kind'].startswith('sched_'):
                machine = machine_of[event.pop('machine_id')]
                for key in ('file', 'position', 'clock', 'args', 'source_clock'):
                    event.pop(key, None)
                found[int(machine)]['lines'].append(json.dumps(event, sort_keys=True))
    return [{q: sorted(rows, key=repr) for q, rows in one.items()} for one in found]


def count_messages(stages, pipe):
    out = subprocess.run('set -o pipefail; cd "%s"; %s | ./tm-emit -f frames' % (stages, pipe), shell=True, check=True,
                         executable='/bin/bash', stdout=subprocess.PIPE).stdout
    return out.count(b'raw=compact_message')


def main():
    tm_merge, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with_json = sys.argv[4:] == ['json']
    rng = random.Random(seed)
    cases = [random_case(rng, with_json) for _ in range(count)]
    members = [('%06d-%d' % (i, k), data) for i, case in enumerate(cases) for k, data in enumerate(case)]
    manifest = {'version': 1, 'files': [{'path': name, 'machine': {'name': name[:6]}} for name, _ in members]}
    bad = rows = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'in.tar')
        with tarfile.open(path, 'w') as out:
            for name, data in [('manifest', json.dumps({'perfetto_manifest': manifest}).encode()), *members]:
                member = tarfile.TarInfo(name)
                member.size = len(data)
                out.addfile(member, io.BytesIO(data))
        stages = os.path.dirname(os.path.abspath(tm_merge))
        apart, one = os.path.join(folder, 'apart.pftrace'), os.path.join(folder, 'whole.pftrace')
        subprocess.run('set -o pipefail; cd "%s"; ./tm-unpack "%s" | ./tm-manifest | ./tm-clocks | ./tm-sort | '
                       './tm-emit -f pftrace --quiet -o "%s"' % (stages, path, apart), shell=True, check=True, executable='/bin/bash')
        subprocess.run([tm_merge, '-q', '-o', one, path], check=True)
        whole = count_messages(stages, './tm-unpack --whole-sched "%s"' % path)
        placed = count_messages(stages, './tm-unpack --whole-sched "%s" | ./tm-manifest | ./tm-clocks' % path)
        for i, (want, got) in enumerate(zip(answers(tm_merge, folder, apart, count), answers(tm_merge, folder, one, count))):
            rows += sum(map(len, want.values()))
            if sum(1 for data in cases[i] if data[:1] != b'[') > 1: # the named threads depend on which wakings are in full
                want, got = ({q: rows[q] for q in ('slices', 'sched', 'lines')} for rows in (want, got))
            if want == got:
                continue
            bad += 1
            if bad == 1:
                print('case', i, 'of', len(cases[i]), 'files')
                for q in want:
                    for what, ours, theirs in ('missing', want, got), ('extra', got, want):
                        print(q, what, [r for r in ours[q] if r not in theirs[q]][:3])
                if os.environ.get('KEEP'):
                    for k, data in enumerate(cases[i]):
                        open('%s-%d' % (os.environ['KEEP'], k), 'wb').write(data)
    print('%d cases %s: %d rows, %d messages whole, %d behind tm-clocks' %
          (count, 'differ' if bad else 'agree', rows, whole, placed))
    return bad > 0


if __name__ == '__main__':
    sys.exit(main())
