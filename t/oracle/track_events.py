#!/usr/bin/env python3
"""Makes random track events of Perfetto traces, and compares their database with the threads, tracks, slices and
counters of a model: the rules of doc/model.md and Perfetto's track_descriptor.proto as plainly as possible. Each case
is a file on a machine of its own.

usage: track_events.py TM_MERGE CASES SEED
"""
import collections, os, random, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'gen'))
from ftrace_text import Tasks, merged, print_difference
from slices import OPEN, Slices
from wire import field, message, varint

BY_NAME, NONE, BY_KEY = 1, 2, 3
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


class Model:
    def __init__(self):
        self.tasks, self.slices = Tasks(), Slices()
        self.described, self.resolved, self.made = {}, {}, {}  # by uuid
        self.claimed = {}                                     # thread or process: the uuid of its track
        self.lanes, self.owner = collections.defaultdict(list), {}
        self.counters = []

    # In the order of the file.
    def describe(self, d):
        new = {'parent': d.get('parent', 0), 'pid': d.get('pid'), 'tid': d.get('tid'), 'name': d.get('name'),
               'counter': None if 'pid' in d else d.get('counter'), 'merge': d.get('merge') or BY_NAME}
        new['key'] = d.get('key') if new['merge'] == BY_KEY else None
        if new['counter'] is not None and new['name'] is None:
            new['name'] = {1: 'thread_time', 2: 'thread_instruction_count'}.get(new['counter'].get('type'))
        old = self.described.setdefault(d['uuid'], new)
        if old is not new and all(old[k] == new[k] for k in ('parent', 'pid', 'tid', 'counter', 'merge', 'key')):
            if new['name'] is not None and (old['name'] is None or new['merge'] == NONE):
                old['name'] = new['name']

    # In the order of time.
    def is_rooted(self, uuid):
        seen = set()
        while uuid:
            if uuid in seen or uuid not in self.described:
                return False
            seen.add(uuid)
            uuid = self.described[uuid]['parent']
        return True

    def resolve(self, uuid):
        """Returns (kind, thread or process or None, whether it is its own track), None for no track."""
        if self.resolved.get(uuid) is None:
            self.described.setdefault(uuid, {'parent': 0, 'pid': None, 'tid': None, 'name': None, 'counter': None,
                                             'merge': BY_NAME, 'key': None})
            self.resolved[uuid] = self.resolve_new(uuid) if self.is_rooted(uuid) else None
        return self.resolved[uuid]

    def resolve_new(self, uuid):
        d, tasks = self.described[uuid], self.tasks
        parent = self.resolve(d['parent']) if d['parent'] else None
        if d['tid'] is not None:
            thread = tasks.thread_in(d['tid'], d['pid'])
            if self.claimed.setdefault(id(thread), uuid) != uuid:  # the descriptor of another uuid: the tid was reused
                tasks.new_thread(d['tid'])
                thread = tasks.thread_in(d['tid'], d['pid'])
                self.claimed[id(thread)] = uuid
            return 'thread', thread, True
        if d['pid'] is not None:
            process = tasks.process(d['pid'])
            if self.claimed.setdefault(id(process), uuid) != uuid:
                del tasks.of_pid[d['pid']]
                tasks.of_tid[d['pid']] = []
                tasks.new_thread(d['pid'])
                process = tasks.process(d['pid'])
                self.claimed[id(process)] = uuid
            return 'process', process, True
        return (*parent[:2], False) if parent else ('global', None, False)

    def track(self, uuid, event_name):
        """Returns the place of events of UUID: ('one', track) or ('lanes', set, name, owner)."""
        if uuid not in self.made:
            what, owner, is_own = self.resolve(uuid)
            d = self.described[uuid]
            name = event_name if d['name'] is None else d['name']
            if d['parent']:
                parent = self.track(d['parent'], None)
                if parent[0] == 'lanes' and not self.lanes[parent[1]]:
                    self.new_lane(parent)
            if d['counter'] is None and not is_own and d['merge'] != NONE:
                key = ('key', d['key']) if d['merge'] == BY_KEY else ('name', name)
                self.made[uuid] = 'lanes', (what, id(owner), d['parent'], key), name, (what, owner)
            else:
                is_thread = is_own and what == 'thread'
                track = ('thread', id(owner)) if is_thread else ('uuid', uuid)
                shown = None if is_thread else d['name'] if is_own or d['counter'] is not None else name
                self.owner[track] = what, owner, shown, uuid if d['merge'] == NONE and not is_thread else None
                self.made[uuid] = 'one', track
        return self.made[uuid]

    def new_lane(self, made):
        lanes = self.lanes[made[1]]
        lanes.append({'cookie': 0, 'open': 0, 'track': (made[1], len(lanes))})
        self.owner[lanes[-1]['track']] = *made[3], made[2], None
        return lanes[-1]

    def lane(self, made, uuid, kind):
        lanes = self.lanes[made[1]]
        lane = next((x for x in lanes if x['cookie'] == uuid), None) or next((x for x in lanes if not x['open']), None)
        lane = lane or self.new_lane(made)
        lane['cookie'] = uuid
        lane['open'] = max(0, lane['open'] + {BEGIN: 1, END: -1, INSTANT: 0}[kind])
        return lane['track']

    def descriptor(self, d):
        if self.resolve(d['uuid']) is None:
            return
        if 'tid' in d:
            thread = self.tasks.thread_in(d['tid'], d['pid'])
            thread['name'] = d['says'] or thread['name']
        elif 'pid' in d:
            process = self.tasks.process(d['pid'])
            process['name'] = d['says'] or process['name']

    def event(self, e):
        if self.resolve(e['track']) is None:
            return
        for uuid, value in e['extra']:
            if self.resolve(uuid) is not None:
                self.counters.append((e['ts'], self.track(uuid, None)[1], value))
        made = self.track(e['track'], e.get('name'))
        if e['type'] == COUNTER:
            self.counters.append((e['ts'], made[1], e['value']))
            return
        track = made[1] if made[0] == 'one' else self.lane(made, e['track'], e['type'])
        if e['type'] == END:
            self.slices.end(track, e['ts'], e.get('cat'), e.get('name'))
        else:
            self.slices.begin(track, e['ts'], OPEN if e['type'] == BEGIN else 0, e.get('cat'), e.get('name'))

    def name_of(self, track):
        what, owner, name, uuid = self.owner[track]
        return self.described[uuid]['name'] or name if uuid else name

    def answers(self):
        def process(p):
            return (p['pid'], p['name']) if p else (None, None)

        rows = [(r, *self.owner[r['track']][:2]) for r in self.slices.rows]
        found = {
            'slices': self.slices.answers(),
            'thread_slices': [(r['ts'], r['name'], t['tid'], t['name'], *process(t['process']))
                              for r, what, t in rows if what == 'thread'],
            'process_slices': [(r['ts'], r['name'], self.name_of(r['track']), *process(p))
                               for r, what, p in rows if what == 'process'],
            'threads': [(t['tid'], t['name'], process(t['process'])[0]) for t in self.tasks.threads if t['tid']],
            'processes': [process(p) for p in self.tasks.processes if p['pid']],
            'counters': [(ts, self.name_of(track), value) for ts, track, value in self.counters],
            'sched': []}
        return {name: sorted(rows, key=repr) for name, rows in found.items()}


def answers(packets, latest):
    """Returns the model's rows, and the latest time of all files so far, which descriptors without a time get."""
    model, timed = Model(), []
    generation, sums = collections.Counter(), collections.defaultdict(float)

    def absolute(sequence, uuid, value):
        d = model.described.get(uuid)
        if d is None or d['counter'] is None:
            return None
        value *= d['counter'].get('multiplier') or 1
        if d['counter'].get('incremental'):
            key = sequence, generation[sequence], uuid
            sums[key] += value
            return sums[key]
        return float(value)

    for position, (kind, what, sequence, ts) in enumerate(packets):
        if kind == 'clear':
            generation[sequence] += 1
        elif kind == 'descriptor':
            model.describe(what)
            latest = max(latest, ts or 0)
            timed.append((ts or latest, position, model.descriptor, what))
        else:
            e = dict(what)
            if e['type'] == COUNTER:
                e['value'] = absolute(sequence, e['track'], e['value'])
            e['extra'] = [(uuid, absolute(sequence, uuid, value)) for uuid, value in e['extra']]
            latest = max(latest, ts)
            timed.append((ts, position, model.event, e))
    for _, _, take, what in sorted(timed, key=lambda x: x[:2]):
        take(what)
    return model.answers(), latest


def random_descriptors(rng):
    ds = [{'uuid': 1, 'pid': 50, 'says': rng.choice(['P', None])},
          {'uuid': 10, 'pid': 50, 'tid': 51, 'says': rng.choice(['T1', None]), 'parent': rng.choice([0, 1])},
          {'uuid': 11, 'pid': 50, 'tid': 50, 'says': 'main'}]
    if rng.random() < .3:
        ds.append({'uuid': 2, 'pid': 60, 'says': 'Q'})
    if rng.random() < .15:
        ds.append({'uuid': 12, 'pid': 50, 'tid': 51, 'says': 'again'})
    if rng.random() < .1:
        ds.append({'uuid': 3, 'pid': 50, 'says': 'again'})
    for uuid in range(20, 20 + rng.randint(0, 5)):
        ds.append({'uuid': uuid, 'parent': rng.choice([0, 0, 1, 10, 11, 20, 21, 22, 77]), 'name': rng.choice('AB'),
                   'merge': rng.choice([None, None, BY_NAME, NONE, BY_KEY]), 'key': rng.choice('KL')})
    for uuid in range(30, 30 + rng.randint(0, 4)):
        ds.append({'uuid': uuid, 'parent': rng.choice([0, 1, 10, 11, 20]), 'name': rng.choice(['c1', 'c2', None]),
                   'counter': {'incremental': rng.choice([None, 1]), 'multiplier': rng.choice([None, 10]),
                               'type': rng.choice([None, None, 1, 2])}})
    return [d for d in ds if rng.random() < .95]


def said_again(rng, d):
    """Returns D with another name, or with another track, which is invalid."""
    if rng.random() < .5:
        return {**d, 'parent': 0}
    return {**d, 'says': 'renamed'} if 'says' in d else {**d, 'name': 'R'}


def random_event(rng, tracks, counters, ts):
    e = {'type': rng.choice([BEGIN, BEGIN, END, END, INSTANT]), 'track': rng.choice(tracks), 'extra': [], 'ts': ts}
    if counters and rng.random() < .25:
        e.update(type=COUNTER, track=rng.choice(counters), value=rng.choice([5, 7, -3, 2.5]))
    if e['type'] != END or rng.random() < .2:
        e['name'] = rng.choice('xyz')
    if rng.random() < (.1 if e['type'] == END else .4):
        e['cat'] = rng.choice('ab')
    if counters and rng.random() < .15:
        e['extra'] = [(rng.choice(counters), value) for value in rng.choice([[1], [100, 2.5], [1, 2]])]
    return e


def random_packets(rng):
    """Returns (kind, what, sequence, time). Every descriptor of a counter comes before its values. Descriptors have
    times that no event has, because they take effect before events of their time. A repeated descriptor is left out."""
    ds, ts, sequences = random_descriptors(rng), 10 ** 6, rng.choice([[1], [1, 2]])
    early = [d for d in ds if 'counter' in d or rng.random() < .8]
    late = [d for d in ds if d not in early]
    packets = [('clear', None, s, None) for s in sequences]
    packets += [('descriptor', d, rng.choice(sequences), None) for d in early]
    tracks = [d['uuid'] for d in ds if 'counter' not in d] + [99]
    counters = [d['uuid'] for d in ds if 'counter' in d]
    may_repeat = early and not any(d['uuid'] in (3, 12) for d in ds)
    for _ in range(rng.randint(1, 30)):
        ts, s, what = ts + rng.choice([0, 10, 10, 50]), rng.choice(sequences), rng.random()
        if what < .1 and late:
            packets.append(('descriptor', late.pop(), s, rng.choice([None, ts + 5])))
        elif what < .14 and may_repeat:
            packets.append(('descriptor', said_again(rng, rng.choice(early)), s, ts + 5))
        elif what < .17:
            packets.append(('clear', None, s, None))
        else:
            packets.append(('event', random_event(rng, tracks, counters, ts), s, ts))
    return packets + [('descriptor', d, 1, None) for d in late]


def descriptor_bytes(d):
    body = message((1, d['uuid']), (5, d.get('parent') or None), (2, d.get('name')))
    body += message((15, d.get('merge')), (16, d.get('key')))
    if 'tid' in d:
        return body + field(4, message((1, d['pid']), (2, d['tid']), (5, d['says'])))
    if 'pid' in d:
        return body + field(3, message((1, d['pid']), (6, d['says'])))
    c = d.get('counter')
    return body if c is None else body + field(8, message((1, c['type']), (4, c['multiplier']), (5, c['incremental'])))


def event_bytes(e, is_interned, table):
    """Returns a TrackEvent, and the InternedData that it needs first."""
    body, interned = message((9, e['type']), (11, e['track'])), b''
    for key, number, literal, kind in (('name', 10, 23, 2), ('cat', 3, 22, 1)):
        if key in e and is_interned:
            if (key, e[key]) not in table:
                table[key, e[key]] = len(table) + 1
                interned += field(kind, message((1, table[key, e[key]]), (2, e[key])))
            body += field(number, table[key, e[key]])
        elif key in e:
            body += field(literal, e[key])
    if e['type'] == COUNTER:
        body += field(44 if isinstance(e['value'], float) else 30, e['value'])
    for uuid, value in e['extra']:
        body += message((45, uuid), (46, value)) if isinstance(value, float) else message((31, uuid), (12, value))
    return body, interned or None


def trace(rng, packets):
    clocks = message((1, message((1, 6), (2, 1000))), (1, message((1, 1), (2, 5000))))
    out, tables = field(1, message((10, 9), (6, clocks))), collections.defaultdict(dict)
    for kind, what, sequence, ts in packets:
        if kind == 'clear':
            tables[sequence] = {}
            packet = message((10, sequence), (13, 1))
        elif kind == 'descriptor':
            packet = message((8, ts), (10, sequence), (60, descriptor_bytes(what)))
        else:
            body, interned = event_bytes(what, rng.random() < .5, tables[sequence])
            packet = message((8, ts), (10, sequence), (11, body), (12, interned), (13, 2))
        out += field(1, packet)
    return out


def main():
    tm_merge, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    cases = [random_packets(rng) for _ in range(count)]
    rows = bad = latest = 0
    for packets, got in zip(cases, merged(tm_merge, [trace(rng, packets) for packets in cases])):
        got = {q: rows for q, rows in got.items() if q not in ("binder", "flows")}  # of ftrace
        want, latest = answers(packets, latest)
        rows += sum(map(len, want.values()))
        if want != got:
            bad += 1
            if bad == 1:
                print(*packets, sep='\n')
                print_difference(want, got)
    print('%d cases %s: %d rows' % (count, 'differ' if bad else 'agree', rows))
    return bad > 0


if __name__ == '__main__':
    sys.exit(main())
