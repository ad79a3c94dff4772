#!/usr/bin/env python3
"""Makes random Chrome JSON, and compares its database with the slices of a model, which is written as plainly as
possible: the rules of doc/model.md about tracks, lanes, nesting and flows, without the bounds and tables of lib/model.

usage: slices.py TM_MERGE CASES SEED     merges CASES files in one archive and compares them
       slices.py TM_MERGE -              reads one array of events from standard input, and shows both results
"""
import collections, io, json, os, random, sqlite3, subprocess, sys, tarfile, tempfile

OPEN = -1


class Slices:
    """Open slices, with a stack for each track."""

    def __init__(self):
        self.rows, self.stacks = [], collections.defaultdict(list)

    def close_before(self, track, ts, dur):
        """Pops slices that have ended before a slice of DUR begins. Returns false if that slice would cross an open
        one."""
        stack, is_open_below = self.stacks[track], False
        for i in reversed(range(len(stack))):
            row = stack[i]
            if row['dur'] == OPEN:
                is_open_below = True
                continue
            end = row['ts'] + row['dur']
            if is_open_below:
                if ts > end:
                    while len(stack) > i:
                        child = stack.pop()
                        if child is not row: # complete slices end with the open slice around them
                            child['dur'] = end - child['ts']
                    is_open_below = False
            elif end < ts or (end == ts and not (row['dur'] == 0 and dur == 0)):
                stack.pop()
            elif dur != OPEN and ts < end < ts + dur:
                return False
        return True

    def begin(self, track, ts, dur, category, name):
        if not self.close_before(track, ts, dur):
            return False
        stack = self.stacks[track]
        row = {'ts': ts, 'dur': dur, 'category': category, 'name': name, 'track': track, 'depth': len(stack),
               'parent': stack[-1]['name'] if stack else None}
        self.rows.append(row)
        stack.append(row)
        return True

    def end(self, track, ts, category, name):
        stack = self.stacks[track]
        self.close_before(track, ts, OPEN)
        for i in reversed(range(len(stack))):
            row = stack[i]
            if row['dur'] == OPEN and category in (None, row['category']) and (None in (name, row['name'])
                                                                               or name == row['name']):
                row['dur'] = ts - row['ts']
                if row is stack[-1]:
                    stack.pop()
                return row

    def answers(self):
        return [(r['ts'], r['dur'], r['name'], r['category'], r['depth'], r['parent']) for r in self.rows]


class Lanes:
    """Distributes cookies over as few lanes as possible without overlap."""

    def __init__(self):
        self.sets, self.roots = collections.defaultdict(list), {}

    def lane(self, owner, cookie, name, phase):
        """Returns the track of an event with the name NAME and the cookie COOKIE."""
        root = self.roots.setdefault((owner, cookie), name)
        lanes = self.sets[owner, root]
        found = next((x for x in lanes if x['cookie'] == cookie), None)
        found = found or next((x for x in lanes if not x['open']), None)
        if found is None:
            found = {'open': 0, 'name': name, 'number': len(lanes)}
            lanes.append(found)
        found['cookie'] = cookie
        found['open'] = max(0, found['open'] + {'b': 1, 'e': -1, 'n': 0}[phase])
        return 'async', owner, root, found['number'], found['name']


def in_order(events):
    """Sorts events of one time: ends; then complete slices, the longest first; then the rest in file order. If all of
    them come before the file's first complete event, they keep the order of the file."""
    first = next((i for i, e in enumerate(events) if e['ph'] == 'X'), len(events))
    later = {e['ts'] for e in events[first:]}

    def order(numbered):
        position, e = numbered
        rank = -1 if e['ph'] == 'E' or e['ts'] not in later else 2 ** 60 - e['dur'] if e['ph'] == 'X' else 2 ** 60
        return e['ts'], rank, position

    return [e for _, e in sorted(enumerate(events), key=order)]


def model(events):
    slices, lanes, spilled = Slices(), Lanes(), collections.defaultdict(list)
    for e in in_order(events):
        ts, category, bare = e['ts'] * 1000, e.get('cat'), e.get('name')
        name, thread = '[No name]' if bare is None else bare, ('thread', e.get('tid'))
        if e['ph'] == 'B':
            slices.begin(thread, ts, OPEN, category, name)
        elif e['ph'] == 'E':
            slices.end(thread, ts, category, bare)
        elif e['ph'] == 'X':
            dur = e['dur'] * 1000
            if not slices.begin(thread, ts, dur, category, name):
                over = spilled[thread]
                for ends in over:
                    while ends and ends[-1] <= ts:
                        ends.pop()
                lane = next((i for i, ends in enumerate(over) if not ends or ts + dur <= ends[-1]), len(over))
                if lane == len(over):
                    over.append([])
                over[lane].append(ts + dur)
                slices.begin(('over', e['tid'], lane), ts, dur, category, name)
        elif e['ph'] == 'i' and 'tid' not in e and e.get('s', 't') == 't':
            continue  # belongs to no thread
        elif e['ph'] == 'i':
            scope = e.get('s', 't')
            track = thread if scope == 't' else ('process', e['pid']) if scope == 'p' else ('global',)
            slices.begin(track, ts, 0, category, name if scope == 't' else bare)
        else:
            local = e.get('id2', {}).get('local')
            cookie = category, local or e.get('id') or e['id2']['global']
            track = lanes.lane(e['pid'] if local else None, cookie, bare, e['ph'])
            if e['ph'] == 'e':
                slices.end(track, ts, category, bare)
            else:
                slices.begin(track, ts, OPEN if e['ph'] == 'b' else 0, category, name if e['ph'] == 'b' else bare)
    return sorted(((r['ts'], r['dur'], r['name'], r['category'], r['depth'], r['parent'],
                    r['track'][-1] if r['track'][0] == 'async' else None) for r in slices.rows), key=repr)


def random_events(rng):
    events, span, phases = [], rng.choice([5, 20, 200]), rng.choice(['BEXXBEibenben', 'BEBEBEibenben'])
    for _ in range(rng.randint(1, 40)):
        e = {'ph': rng.choice(phases), 'pid': rng.choice([1, 1, 3]), 'ts': rng.randint(0, span)}
        e['tid'] = e['pid'] + rng.choice([0, 0, 1])
        if rng.random() < .8:
            e['name'] = rng.choice('xyz')
        if rng.random() < .5:
            e['cat'] = rng.choice('ac')
        if e['ph'] == 'X':
            e['dur'] = rng.choice([0, 1, 2, 5, 10, rng.randint(0, span)])
        elif e['ph'] == 'i' and rng.random() < .7:
            e['s'] = rng.choice('tpg')
            if rng.random() < .1:
                del e['tid']
        elif e['ph'] in 'ben':
            number = rng.choice(['0x1', '0x2', 1])
            e.update(rng.choice([{'id': number}] * 2 + [{'id2': {'global': number}}, {'id2': {'local': number}}]))
        events.append(e)
    return events if rng.random() < .5 else sorted(events, key=lambda e: e['ts'])


def merged(tm_merge, cases):
    """Returns the program's slices of each case."""
    with tempfile.TemporaryDirectory() as folder:
        tar, db = os.path.join(folder, 'in.tar'), os.path.join(folder, 'out.db')
        with tarfile.open(tar, 'w') as out:
            for i, events in enumerate(cases):
                data = json.dumps({'traceEvents': events}).encode()
                member = tarfile.TarInfo('%06d.json' % i)
                member.size = len(data)
                out.addfile(member, io.BytesIO(data))
        subprocess.run([tm_merge, '-q', '-o', db, tar], check=True)
        found = collections.defaultdict(list)
        for file, *row in sqlite3.connect(db).execute(
                "SELECT f.name, s.ts, s.dur, s.name, s.category, s.depth, p.name, "
                "CASE WHEN t.type LIKE 'legacy_async%' THEN t.name END FROM slice s JOIN track t ON s.track_id = t.id "
                "JOIN trace_file f ON t.trace_file_id = f.id LEFT JOIN slice p ON s.parent_id = p.id"):
            found[int(file[:6])].append(tuple(row))
        return [sorted(found[i], key=repr) for i in range(len(cases))]


def main():
    tm_merge, count = sys.argv[1:3]
    if count == '-':
        events = json.load(sys.stdin)
        want, got = model(events), merged(tm_merge, [events])[0]
        print('model  %s\nmerged %s' % (want, got))
        return want != got
    rng = random.Random(int(sys.argv[3]))
    cases = [random_events(rng) for _ in range(int(count))]
    rows = bad = 0
    for events, got in zip(cases, merged(tm_merge, cases)):
        want = model(events)
        rows += len(want)
        if want != got:
            bad += 1
            if bad == 1:
                print('events', json.dumps(events))
                print('missing', [r for r in want if r not in got], 'extra', [r for r in got if r not in want])
    print('%d cases %s: %d slices' % (int(count), 'differ' if bad else 'agree', rows))
    return bad > 0


if __name__ == '__main__':
    sys.exit(main())
