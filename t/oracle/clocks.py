#!/usr/bin/env python3
"""A second, slow implementation of section 5 of doc/rules.md: it searches instead of keeping tables, uses Python's
integers, and caches nothing. It makes random cases, runs the program (t/gen/clock-case) and this implementation, and
compares every event, row, counter and placement.

usage: clocks.py CLOCK_CASE [CASES [SEED]]      compares; prints the first case that differs
       clocks.py - <CASE                        computes one case and prints the expected result

A case is lines of words:
    machine RAW NAME; entry RAW WHOLE PINNED OWN HAS_MACHINES [ID:RAW]...; time CLOCK first|RAW
    edge RAW CLOCK ENTRY RAW CLOCK ENTRY SOURCE_NS REFERENCE_NS [SOURCE_NS:REFERENCE_NS]... (ENTRY -1: untagged); config
    file; fileconfig FILE ENTRY; begin FILE POLICY; end FILE
    snap FILE MACHINE SEQUENCE PRIMARY [CLOCK:VALUE:UNIT:INCREMENTAL]...
    sync FILE MACHINE SEQUENCE [c:CLOCK:VALUE|h:CLOCK:VALUE|/]...
    hint FILE CLOCK FROM_NS VALUE_NS; event FILE MACHINE SEQUENCE CLOCK TIME KIND; run [hints] [interpolate]
KIND: e event, d timed definition, x part of the event before, u untimed, m marker. POLICY: 1 proto, 2 private,
3 MONOTONIC, 4 REALTIME.
"""
import collections
import random
import subprocess
import sys

REALTIME, REALTIME_COARSE, MONOTONIC, BOOTTIME, TRACE_FILE, MONOTONIC_IF_RELATED = 1, 2, 3, 6, 11, 0x7f000003
INT64 = range(-2**63, 2**63)
SECOND = 10**9
SNAPSHOT, MANIFEST, HINT, TWIN, RENDEZVOUS, SAME_DOMAIN, PRIVATE = range(7)
RULES = ['snapshot', 'manifest', 'hint', 'same_domain', 'rendezvous', 'same_domain', 'private']
STATS = {'negative_time': 'trace_sorter_negative_timestamp_dropped',
         'unknown_source_clock': 'clock_sync_failure_unknown_source_clock',
         'unknown_target_clock': 'clock_sync_failure_unknown_target_clock',
         'no_path': 'clock_sync_failure_no_path', 'out_of_range': 'clock_sync_failure_out_of_range'}
Key = collections.namedtuple('Key', 'clock sequence tag machine')  # in the order that breaks ties


class Refused(Exception):
    pass


class Clock:
    def __init__(self):
        self.settled = self.incremental = self.backwards = False
        self.unit, self.last = 1, 0


class Graph:
    """Clocks and all snapshots."""

    def __init__(self, target):
        self.target = target
        self.clocks = {}      # clocks that were in a snapshot
        self.snapshots = []   # (clocks, readings in ns, origin, whether a line leads to it), accepted ones
        self.kinds = []       # tuples of clocks in the order of their first snapshots
        self.lasts = {}       # (kind, column) to the last reading
        self.count = 0

    def take(self, reading, seen, kind, column, is_step):
        key, value, unit, incremental = reading
        clock = self.clocks.setdefault(key, Clock())
        if clock.settled:
            if (clock.unit, clock.incremental) != (unit, incremental):
                raise Refused
        else:
            if incremental and not key.sequence:
                raise Refused
            clock.unit, clock.incremental = unit, incremental
        ns = value * unit
        if key == self.target and unit != 1 or ns not in INT64:
            raise Refused
        clock.settled, clock.last = True, ns
        if key in seen:
            raise Refused
        seen.add(key)
        if ns < self.lasts.get((kind, column), ns) and not is_step:
            if key == self.target:
                raise Refused
            clock.backwards = True
        self.lasts[kind, column] = ns
        return ns

    def add(self, readings, origin, is_joined=False, is_step=False):
        """Returns true if the snapshot was accepted. Readings: (key, value, unit, incremental)."""
        self.count += 1
        if not readings:
            return True
        kind = tuple(r[0] for r in readings)
        if kind not in self.kinds:
            self.kinds.append(kind)
        seen = set()
        try:
            values = [self.take(r, seen, kind, i, is_step) for i, r in enumerate(readings)]
        except Refused:
            return False
        self.snapshots.append((kind, values, origin, is_joined))
        return True

    def neighbours(self, key):
        """Returns clocks one hop away, in the order that decides ties."""
        if key not in self.clocks or self.clocks[key].backwards:
            return []
        return sorted({other for kind, *_ in self.snapshots if key in kind for other in kind if other != key})

    def search(self, key, to, hops):
        """Returns the first path of exactly HOPS hops, or None."""
        if hops == 0:
            return [key] if key == to else None
        for other in self.neighbours(key):
            rest = self.search(other, to, hops - 1)
            if rest:
                return [key] + rest
        return None

    def way(self, key, to):
        for hops in range(5):
            found = self.search(key, to, hops)
            if found:
                return found
        return None

    def convert(self, key, ns, between=False):
        """Returns (fate, trace time, origins of the hops). BETWEEN: snapshots are joined by lines."""
        way = self.way(key, self.target)
        if way is None:
            return ('unknown_source_clock' if key not in self.clocks else
                    'unknown_target_clock' if self.target not in self.clocks else 'no_path'), None, []
        origins = []
        for a, b in zip(way, way[1:]):
            kind = next(k for k in self.kinds if a in k and b in k and any(s[0] == k for s in self.snapshots))
            rows = [s for s in self.snapshots if s[0] == kind]
            column_a, column_b = kind.index(a), kind.index(b)
            at = max([i for i, s in enumerate(rows) if s[1][column_a] <= ns], default=0)
            if ns < rows[at][1][column_a]:  # before all rows: the nearest row a second away, else the last; otherwise the next
                far = [i for i, s in enumerate(rows) if s[1][column_a] >= rows[at][1][column_a] + SECOND]
                lines = [(at, far[0] if far else len(rows) - 1), (at, at + 1)]
            else:  # on a line, or after the last joined row in the same way
                far = [i for i, s in enumerate(rows) if s[1][column_a] <= rows[at][1][column_a] - SECOND]
                lines = [(at, at + 1), (far[-1] if far else 0, at), (at - 1, at)]
            for first, last in lines:
                if not 0 <= first < last < len(rows):
                    continue
                (_, one, origin, _), (_, other, origin_of_other, is_joined) = rows[first], rows[last]
                a0, a1, b0, b1 = one[column_a], other[column_a], one[column_b], other[column_b]
                is_joined = is_joined and last == first + 1 or between and origin == origin_of_other == SNAPSHOT
                if is_joined and a0 < a1 and b0 <= b1:
                    ns = b0 + (2 * (ns - a0) * (b1 - b0) + (a1 - a0)) // (2 * (a1 - a0))
                    break
            else:
                ns = ns - rows[at][1][column_a] + rows[at][1][column_b]
            origins.append(rows[at][2])
            if ns not in INT64:
                return 'out_of_range', None, []
        return 'placed', ns, origins


class Record:
    def __init__(self):
        self.fates, self.definitions = collections.Counter(), collections.Counter()
        self.times, self.origins = [], []


class Scope:
    def __init__(self, file, machine, primary):
        self.file, self.machine, self.primary = file, machine, primary
        self.isolated = file.own_clock
        self.converted = self.placed = False
        self.default = TRACE_FILE if file.pinned else file.base.default if file.policy == 1 and file.base else \
            {1: 0, 2: TRACE_FILE, 3: 3, 4: REALTIME}[file.policy]
        self.unrelatable = self.invalid = 0
        self.may_wait = file.policy != 1
        self.records = collections.defaultdict(Record)

    def key(self, clock, sequence=0):
        scoped = 64 <= clock < 128
        tagged = scoped or clock == TRACE_FILE or self.isolated
        return Key(clock, sequence if scoped else 0, self.file.tag if tagged else '', self.machine)

    def twin(self, clock):
        key = self.key(clock)
        return key if clock == TRACE_FILE else key._replace(tag='')


class File:
    def __init__(self, number):
        self.number, self.tag = number, 'f%d' % number
        self.base = None
        self.entry = None
        self.pinned = self.own_clock = self.decided = False
        self.scopes, self.embedded, self.waiting = {}, {}, []


class Run:
    def __init__(self, hints, interpolates):
        self.graph = Graph(Key(TRACE_FILE, 0, 'f0', 0))
        self.owner = None
        self.machines, self.row_of = [], {}    # [raw id, name, has data, has file]
        self.files, self.entries, self.names, self.edges, self.time = [], [], [], [], None
        self.hints, self.use_hints, self.position, self.out = [], hints, 0, []
        self.interpolates, self.on_steps = interpolates, []
        self.invalid_edges = 0
        self.unplaced = []  # readings before their file had trace time: (snapshot, key, value)
        self.last = None  # result of the last event that was not part of another

    def machine(self, raw):
        if raw not in self.row_of:
            self.row_of[raw] = len(self.machines)
            self.machines.append([raw, '-', False, False])
        return self.row_of[raw]

    def add(self, readings, origin, is_joined=False, is_step=False):
        if not self.graph.add(readings, origin, is_joined, is_step):
            return 1
        instant = [value for key, value, _, _ in readings if key == self.graph.target]
        for key, value, unit, _ in readings:
            fate, ts, _ = self.graph.convert(key, value * unit)
            if fate != 'placed' and not instant:
                if origin == SNAPSHOT and len({k.machine for k, *_ in readings}) == 1:
                    self.unplaced.append((self.graph.count - 1, key, value * unit))
                continue
            self.out.append('row %d %d %d %d %d' % (self.graph.count - 1, ts if fate == 'placed' else instant[0],
                                                    key.clock, value * unit, key.machine))
        return 0

    def relate(self, a, a_ns, b, b_ns, origin, is_joined=False, is_step=False):
        return self.add([(a, a_ns, 1, False), (b, b_ns, 1, False)], origin, is_joined, is_step)

    def draw(self, ends, points):
        """Adds the points of a manifest, up to the first refused one."""
        for before, (own, other) in zip([None] + points, points):
            is_step = before is not None and own == before[0] + 1
            if self.relate(ends[0], own, ends[1], other, MANIFEST, before is not None and not is_step, is_step):
                return 1
        return 0

    def claim(self, key, owner):
        if self.owner in (None, owner):
            self.owner, self.graph.target = owner, key

    def configure(self):
        for raw, name in self.names:
            self.machines[self.machine(raw)][1] = name
        if self.time:
            self.claim(Key(self.time[0], 0, '', 0 if self.time[1] == 'first' else self.machine(int(self.time[1]))),
                       'manifest')
        for edge in self.edges:
            ends = [Key(clock, 0, 'e%d' % entry if entry >= 0 else '', self.machine(raw))
                    for raw, clock, entry in (edge[:3], edge[3:6])]
            self.invalid_edges += self.draw(ends, edge[8:] or [edge[6:8]])

    def scope_on(self, file, row):
        if row not in file.scopes:
            file.scopes[row] = Scope(file, row, not self.machines[row][3])
            self.machines[row][3] = True
        return file.scopes[row]

    def begin(self, file, policy):
        file.policy = policy
        file.base = self.scope_on(file, self.machine(file.entry[0] if file.entry else 0))
        if policy != 1:
            self.claim(file.base.twin(file.base.default), file.number)

    def scope(self, file, embedded, is_data):
        base = self.machines[file.base.machine]
        if embedded == 0:
            base[2] |= is_data
            return file.base
        if embedded in file.embedded:
            return file.embedded[embedded]
        raw = embedded
        if not file.decided:
            file.decided = True
            if file.entry and (file.entry[1] or file.pinned):
                raise Refused
            if not (file.entry and file.entry[4]) and not base[2] and base[0] == 0 and embedded not in self.row_of:
                base[0] = embedded
                self.row_of[embedded] = file.base.machine
        if file.entry and file.entry[4]:
            if embedded not in file.entry[5]:
                raise Refused
            raw = file.entry[5][embedded]
        file.embedded[embedded] = self.scope_on(file, self.machine(raw))
        return file.embedded[embedded]

    def snapshot(self, scope, sequence, readings):
        if not scope.primary:
            scope.isolated = True
        tagged = [(scope.key(c, sequence), v, u or 1, bool(i)) for c, v, u, i in readings]
        if scope.isolated and scope.machine != self.graph.target.machine:
            tagged += [(scope.twin(c), v, u or 1, bool(i)) for c, v, u, i in readings
                       if c in (REALTIME, REALTIME_COARSE)]
        scope.invalid += self.add(tagged, SNAPSHOT)

    def snap(self, scope, sequence, primary, readings):
        ids = [r[0] for r in readings]
        if scope.file.pinned:
            raise Refused
        default = primary or (BOOTTIME if BOOTTIME in ids and TRACE_FILE not in ids else 0)
        if default and scope.file.policy == 1:
            scope.default = default
            if not scope.converted:
                self.claim(scope.twin(default), scope.file.number)
        self.snapshot(scope, sequence, readings)

    def sync(self, scope, sequence, rounds):
        if scope.file.pinned or scope.file.entry and scope.file.entry[1]:
            raise Refused
        for client, _ in rounds:
            self.snapshot(scope, sequence, [(c, v, 1, 0) for c, v in client])
        for clock in sorted({c for _, host in rounds for c, _ in host}):
            sides = [(dict(client).get(clock, 0), dict(host).get(clock, 0), dict(client).get(BOOTTIME, 0))
                     for client, host in rounds]
            estimates = []
            for (c1, h1, b1), (c2, h2, b2) in zip(sides, sides[1:]):
                if (b2 - b1) % 2**64 < 30 * 10**9 and c1 and h1 and c2 and h2:
                    estimates += [half(c1 + c2) - h1, c2 - half(h1 + h2)]
            if not estimates:
                continue
            total = sum(estimates)
            offset = abs(total) // len(estimates) * (1 if total > 0 else -1)
            h = [h for _, h, _ in sides if h][-1]
            if h + offset not in INT64 or offset not in INT64:
                scope.invalid += offset in INT64
                continue
            scope.invalid += self.relate(Key(clock, 0, '', self.graph.target.machine), h,
                                         Key(clock, 0, '', scope.machine), h + offset, SNAPSHOT)

    def reaches(self, key, to):
        return self.graph.way(key, to) is not None

    def own(self, scope):
        return scope.default if scope.file.policy != 1 else None if scope.file.pinned else BOOTTIME

    def use(self, number):
        for hint in [h for h in self.hints if number in (None, h[0])]:
            self.hints.remove(hint)
            if not self.reaches(hint[1], hint[3]):
                self.relate(*hint[1:], HINT)

    def place(self, scope):
        scope.placed = True
        clock = self.own(scope)
        if clock is None:
            return
        twin = scope.twin(clock)
        if not self.reaches(scope.key(clock), twin):
            self.relate(scope.key(clock), 0, twin, 0, TWIN)
        for hints in (None, scope.file.number), (None, None):
            if self.reaches(twin, self.graph.target):
                return
            self.use(hints[1])
        if self.reaches(twin, self.graph.target):
            return
        here = Key(REALTIME, 0, '', scope.machine)
        there = here._replace(machine=self.graph.target.machine)
        if here != there and self.reaches(twin, here) and self.reaches(there, self.graph.target):
            if not self.reaches(here, there):
                self.relate(here, 0, there, 0, RENDEZVOUS)
        elif TRACE_FILE in (clock, self.graph.target.clock):
            self.relate(twin, 0, self.graph.target, 0, PRIVATE)
        elif clock == self.graph.target.clock:
            self.relate(twin, 0, self.graph.target, 0, SAME_DOMAIN)
        else:
            scope.unrelatable += 1

    def waits(self, scope):
        return self.use_hints and scope.may_wait and not scope.placed and not any(
            self.reaches(k, self.graph.target) for k in (scope.key(self.own(scope)), scope.twin(self.own(scope))))

    def convert(self, scope, event, last_try):
        """Returns fate, trace time, origins, clock id, absolute reading if known, and whether the event is pending."""
        clock, sequence, value = event['clock'], event['sequence'], event['value']
        if scope.file.pinned or not clock:
            clock, sequence = scope.default, 0
        if not clock:
            return 'placed' if value >= 0 else 'negative_time', value, [], 0, False
        if self.waits(scope):
            return 'no_path', None, [], clock, True
        scope.converted = True
        if not scope.placed:
            self.place(scope)
        if clock == MONOTONIC_IF_RELATED:
            if not self.reaches(scope.key(MONOTONIC), self.graph.target):
                return 'placed' if value >= 0 else 'negative_time', value, [], 0, False
            clock = MONOTONIC
        key = scope.key(clock, sequence)
        known = self.graph.clocks.get(key)
        if known and known.settled and not event['absolute']:
            value *= known.unit
            if known.incremental:
                value += known.last
            if value not in INT64:
                return 'out_of_range', None, [], clock, False
            if known.incremental:
                known.last = value
            event['value'], event['absolute'] = value, True
        fate, ts, origins = self.graph.convert(key, value)
        if fate == 'placed' and ts < 0:
            fate = 'negative_time'
        waits = fate in ('unknown_source_clock', 'unknown_target_clock', 'no_path') and scope.file.policy == 1
        return fate, ts, origins, clock, waits and not last_try

    def event(self, file, event, last_try=False):
        scope = self.scope(file, event['machine'], event['kind'] not in 'mx')
        if event['kind'] == 'x':
            fate, ts, clock, waits, machine = self.last
            if fate == 'step':
                self.on_steps.append((dict(event, value=waits[1]), scope, waits[0], clock, ts))
            elif waits:
                file.waiting.append(event)
            elif fate in ('placed', 'untimed'):
                self.out.append('event %d %d %d %d' % (event['position'], machine, clock, ts))
            return
        if event['kind'] == 'u':
            self.out.append('untimed %d %d' % (event['position'], scope.machine))
            return
        fate, ts, origins, clock, waits = self.convert(scope, event, last_try)
        self.last = fate, ts, clock, waits, scope.machine
        if self.interpolates and fate == 'placed' and SNAPSHOT in origins:
            key = scope.key(clock if event['clock'] and not scope.file.pinned else scope.default,
                            event['sequence'] if event['clock'] and not scope.file.pinned else 0)
            self.last = 'step', ts, clock, (key, event['value']), scope.machine
            self.on_steps.append((event, scope, key, clock, ts))
            return
        if waits:
            event['clock'] = clock
            file.waiting.append(event)
            return
        record = scope.records[clock]
        if event['kind'] == 'd':
            record.definitions[fate] += 1
        else:
            record.fates[fate] += 1
        if fate != 'placed':
            return
        self.out.append('event %d %d %d %d' % (event['position'], scope.machine, clock, ts))
        if event['kind'] != 'd':
            record.times.append(ts)
            record.origins += origins

    def on_line(self, event, scope, key, clock, ts):
        """Converts an event that a snapshot placed, by the line to the next snapshot, which is known here."""
        origins = []
        for between in True, False:
            fate, better, found = self.graph.convert(key, event['value'], between)
            if fate == 'placed':
                fate, ts, origins = 'placed' if better >= 0 else 'negative_time', better, found
                break
        else:
            fate = 'placed'
        record = scope.records[clock]
        if event['kind'] != 'x':
            (record.definitions if event['kind'] == 'd' else record.fates)[fate] += 1
        if fate != 'placed':
            return
        self.out.append('event %d %d %d %d' % (event['position'], scope.machine, clock, ts))
        if event['kind'] not in 'dx':
            record.times.append(ts)
            record.origins += origins

    def end(self, file):
        waiting, file.waiting = file.waiting, []
        for scope in file.scopes.values():
            scope.may_wait = False
        for event in waiting:
            self.event(file, event, True)
        for event in self.on_steps:
            self.on_line(*event)
        self.on_steps = []
        for scope in file.scopes.values():
            where = '%d %d' % (file.number, scope.machine)
            sums = collections.Counter()
            for clock, record in scope.records.items():
                rule = 'none' if not record.times else \
                    RULES[max(record.origins)] if record.origins else 'trace_time'
                self.out.append('placement %s %d %s %d %d %d' % (where, clock, rule, record.fates['placed'],
                                                                 min(record.times, default=0),
                                                                 max(record.times, default=0)))
                for fate in STATS:
                    n, d = record.fates[fate], record.definitions[fate]
                    sums[STATS[fate]] += n + d
                    if n or d:
                        self.out.append('account %s %d %s %d %d' % (where, clock, fate, n, d))
            sums['clock_sync_unrelatable_clock_domains'] = scope.unrelatable
            sums['invalid_clock_snapshots'] = scope.invalid
            self.out += ['stat %s %s %d' % (name, where, n) for name, n in sums.items() if n]

    def finish(self):
        for snapshot, key, ns in self.unplaced:
            fate, ts, _ = self.graph.convert(key, ns)
            if fate == 'placed' and key.machine != self.graph.target.machine:
                self.out.append('unrelated %d %d %d %d %d' % (snapshot, ts, key.clock, ns, key.machine))
        if self.invalid_edges:
            self.out.append('stat invalid_clock_snapshots -1 -1 %d' % self.invalid_edges)
        if self.owner is not None:
            self.out.append('trace_time %d' % self.graph.target.clock)
        self.out += ['machine %d %d %s' % (i, m[0], m[1]) for i, m in enumerate(self.machines)]


def half(n):
    return abs(n) // 2 * (1 if n > 0 else -1)


def parse_rounds(words):
    rounds = []
    for word in words:
        if word == '/' or not rounds:
            rounds.append(([], []))
        if word != '/':
            side, clock, value = word.split(':')
            rounds[-1][side == 'h'].append((int(clock), int(value)))
    return rounds


def line(run, words):
    word, n = words[0], [int(w) if w.lstrip('-').isdigit() else w for w in words[1:]]
    if word == 'machine':
        run.names.append((n[0], n[1]))
    elif word == 'entry':
        run.entries.append(n[:5] + [dict(map(int, w.split(':')) for w in words[6:])])
    elif word == 'edge':
        run.edges.append(n[:8] + [tuple(map(int, w.split(':'))) for w in words[9:]])
    elif word == 'time':
        run.time = n
    elif word == 'config':
        run.configure()
    elif word == 'file':
        run.files.append(File(len(run.files)))
    elif word == 'fileconfig':
        file = run.files[n[0]]
        file.entry, file.tag = run.entries[n[1]], 'e%d' % n[1]
        file.pinned, file.own_clock = bool(file.entry[2]), bool(file.entry[3])
    elif word in ('begin', 'end', 'hint'):
        file = run.files[n[0]]
        if word == 'begin':
            run.begin(file, n[1])
        elif word == 'end':
            run.end(file)
        elif run.use_hints:
            a, b = file.base.key(file.base.default), file.base.twin(n[1])
            file.base.may_wait = False
            if a != b and (a, b) not in run.__dict__.setdefault('hinted', set()):
                run.hinted.add((a, b))
                run.hints.append((n[0], a, n[2], b, n[3]))
    elif word == 'snap':
        scope = run.scope(run.files[n[0]], n[1], True)
        run.snap(scope, n[2], n[3], [tuple(map(int, w.split(':'))) for w in words[5:]])
    elif word == 'sync':
        run.sync(run.scope(run.files[n[0]], n[1], True), n[2], parse_rounds(words[4:]))
    elif word == 'event':
        event = dict(machine=n[1], sequence=n[2], clock=n[3], value=n[4], kind=n[5], position=run.position,
                     absolute=False)
        run.position += 1
        run.event(run.files[n[0]], event)


def solve(case):
    run = Run('hints' in case[-1].split(), 'interpolate' in case[-1].split())
    try:
        for text in case:
            line(run, text.split())
    except Refused:
        return ['error']
    run.finish()
    return sorted(run.out)


class Maker:
    """Makes random cases that are small enough for all parts to interact."""

    def __init__(self, rng):
        self.r = rng
        self.big = rng.random() < 0.1

    def value(self, around=1000):
        if self.big and self.r.random() < 0.2:
            return self.r.choice([2**63 - 1, -2**63, 2**62, -2**62, 2**63 - 500])
        return around + self.r.randrange(-300, 1000)

    def clock(self):
        return self.r.choice([1, 1, 2, 3, 3, 6, 6, 6, 11, 63, 63, 64, 65, 130, 131])

    def manifest(self, files):
        r, out = self.r, []
        raws = [2**32 + i for i in range(r.randrange(3))]
        out += ['machine %d m%d' % (raw, raw - 2**32) for raw in raws]
        anyone = raws + [0]
        entries = []
        for i in range(r.randrange(files + 1)):
            style = r.randrange(6)
            machines = ' '.join('%d:%d' % (e, r.choice(anyone)) for e in (7, 9) if r.random() < 0.9)
            entries.append((r.choice(anyone), style))
            out.append('entry %d %d %d %d %s' % (entries[-1][0], style == 1 and raws != [], style == 2, style == 3,
                                                 '1 ' + machines if style == 4 else '0'))
        for i, (raw, style) in enumerate(entries):
            if style in (2, 3) or r.random() < 0.4:
                clock = TRACE_FILE if style == 2 else r.choice([1, 3, 6])
                other = r.randrange(len(entries))
                pin = r.random() < 0.3
                offset = r.choice([0, 500, -500, 10**6])
                out.append('edge %d %d %d %d %d %d %d %d %s' % (
                    raw, clock, i if style in (2, 3) else -1, entries[other][0] if not pin else raw,
                    TRACE_FILE if pin else r.choice([1, 3, 6]), other if pin else -1,
                    max(0, -offset), max(0, offset), self.points() if r.random() < 0.5 else ''))
        if r.random() < 0.4:
            out.append('time %d %s' % (r.choice([1, 3, 6]), r.choice(['first'] + anyone)))
        out.append('config')
        order = list(range(files))
        r.shuffle(order)
        return out + ['fileconfig %d %d' % (order[i], i) for i in range(len(entries))]

    def points(self):
        """Makes points of a line. Some of them are steps."""
        own, other, out = self.value(0), self.value(), []
        for _ in range(self.r.randrange(1, 6)):
            out.append('%d:%d' % (own, other))
            is_step = self.r.random() < 0.3
            own += 1 if is_step else self.r.choice([2, 100, 300, 1000])
            other += self.r.randrange(-300, 300) if is_step else self.r.choice([0, 3, 100, 300, 700])
            if not (own in INT64 and other in INT64):
                break
        return ' '.join(out)

    def readings(self, clocks, now):
        return ' '.join('%d:%d:%d:%d' % (c, self.value(now), 10 if c == 65 else self.r.choice([0] * 40 + [10]),
                                         c == 64 or self.r.random() < 0.01) for c in clocks)

    def packets(self, file, policy):
        r, out = self.r, []
        ids = r.choice([[0], [0], [0, 7], [7], [7, 9], [0, 7, 9]]) if policy == 1 else [0]
        kinds = [[6, 3], [3, 6], [6, 1], [6, 3, 1], [3, 130], [130, 131], [6], [6, 64], [3, 65], [11, 6], [1, 2, 3]]
        kinds = r.sample(kinds, r.randrange(1, 5))
        now = 1000
        for _ in range(r.randrange(1, 14)):
            now += r.choice([0, 100, 100, 400, -200])
            machine, sequence, what = r.choice(ids), r.choice([1, 1, 2]), r.random()
            if what < 0.35 and (policy == 1 or what < 0.05):
                out.append('snap %d %d %d %d %s' % (file, machine, sequence, r.choice([0, 0, 0, 1, 3, 6]),
                                                    self.readings(r.choice(kinds), now)))
            elif what < 0.4 and policy == 1 and r.random() < 0.7:
                rounds = ['/ ' + ' '.join('%s:%d:%d' % (s, c, self.value(now + i * r.choice([10, 10, 40 * 10**9])))
                                          for c in (6, 1) for s in 'ch' if r.random() < 0.9) for i in range(3)]
                out.append('sync %d %d %d %s' % (file, machine, sequence, ' '.join(rounds)))
            elif what < 0.45:
                out.append('hint %d %d %d %d' % (file, r.choice([1, 3, 6]), self.value(), self.value()))
            else:
                clock = r.choice([0, 0, self.clock()]) if policy == 1 else r.choice([0, 0, 0, 0, 6])
                out.append('event %d %d %d %d %d %s' % (
                    file, machine, sequence, clock,
                    r.randrange(-3, 60) if clock == 64 else self.value(now + 200), r.choice('eeeeeeduxm')))
        return out

    def case(self):
        files = self.r.randrange(1, 5)
        out = ['file'] * files
        if self.r.random() < 0.6:
            out += self.manifest(files)
        for file in range(files):
            policy = self.r.choice([1, 1, 1, 2, 3, 4])
            packets = self.packets(file, policy)
            out += ['begin %d %d' % (file, policy)] + tidy(packets) + ['end %d' % file]
        return out + ['run' + ' hints' * (self.r.random() < 0.3) + ' interpolate' * (self.r.random() < 0.4)]


def tidy(packets):
    """Parts stay only directly after an event; elsewhere they become events."""
    out = []
    for p in packets:
        follows = out and out[-1].startswith('event') and not out[-1].endswith(' u')
        if p.endswith(' x') and not follows:
            p = p[:-1] + 'e'
        if p.endswith(' x'):
            p = out[-1][:-1] + 'x'
        out.append(p)
    return out


def normal(lines):
    """Returns the program's result in order. Of several statements about a machine, only the last counts."""
    if lines and lines[0].startswith('error'):
        return ['error']
    machines = {text.split()[1]: text for text in lines if text.startswith('machine')}
    return sorted([text for text in lines if not text.startswith('machine')] + list(machines.values()))


def main():
    if sys.argv[1] == '-':
        print('\n'.join(solve([text.strip() for text in sys.stdin if text.strip()])))
        return
    count, seed = int(sys.argv[2]) if len(sys.argv) > 2 else 2000, int(sys.argv[3]) if len(sys.argv) > 3 else 1
    cases = [Maker(random.Random('%d.%d' % (seed, i))).case() for i in range(count)]
    program = subprocess.run([sys.argv[1]], input='\n'.join('\n'.join(case) for case in cases) + '\n',
                             capture_output=True, text=True)
    if program.returncode:
        sys.exit('%s: status %d: %s' % (sys.argv[1], program.returncode, program.stderr))
    answers = program.stdout.split('\n.\n')
    counts = collections.Counter()
    for number, case in enumerate(cases):
        want, got = solve(case), normal(answers[number].split('\n') if answers[number] else [])
        counts.update(text.split()[0] for text in want)
        if want != got:
            print('case %d of seed %d differs:' % (number, seed))
            print('\n'.join(case))
            print('-- only here:', *[t for t in want if t not in got], sep='\n')
            print('-- only there:', *[t for t in got if t not in want], sep='\n')
            if got == ['error']:
                print(answers[number])
            sys.exit(1)
    print('%d cases agree: %s' % (count, ', '.join('%d %ss' % (n, w) for w, n in sorted(counts.items()))))


main()
