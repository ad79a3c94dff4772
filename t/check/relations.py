#!/usr/bin/env python3
"""Checks relations between inputs whose effect on the times of slices is certain (doc/rules.md section 5, the
manifest's page).

usage: relations.py [SCENES [SEED]]      tm-merge is in $PATH; prints each relation that does not hold

A scene is a Perfetto trace whose snapshots relate six clocks to BOOTTIME directly. Each clock drifts a little and has
events. expect() is the rule for it in three lines. Variants are made from the trace: the same facts in another form
(snapshots split, repeated, in other units or as deltas, ids of other scopes), the same relation from another source
(manifest, remote synchronization, assumption), or the trace moved by a manifest's offset.
"""
import importlib, io, json, os, random, sqlite3, subprocess, sys, tarfile, tempfile

REALTIME, MONOTONIC, BOOTTIME, GLOBAL, SCOPED, DELTAS = 1, 3, 6, 128, 64, 65
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'gen'))
make_proto = importlib.import_module('make-proto')
count = int(sys.argv[1]) if len(sys.argv) > 1 else 20
rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
folder = tempfile.TemporaryDirectory()
held = failed = 0


def scene(prefix):
    """Makes snapshots (dicts of readings) and events (name, clock, time) in the order of the file, a snapshot first."""
    t, n, out = rng.randrange(10**10, 10**11), 0, []
    lead = {BOOTTIME: 0, MONOTONIC: -rng.randrange(10**9), REALTIME: 17 * 10**17, GLOBAL: rng.randrange(10**9), SCOPED: 5, DELTAS: 0}
    for _ in range(rng.randrange(1, 5)):
        for clock in set(lead) - {BOOTTIME, DELTAS}:
            lead[clock] += rng.randrange(-500, 500)
        out.append({clock: t + lead[clock] for clock in lead})
        later = t
        for _ in range(rng.randrange(2, 8)):
            n += 1
            clock = rng.choice(list(lead))
            later += rng.randrange(10**6)
            when = later if clock == DELTAS else t + rng.randrange(-10**6, 3 * 10**6)
            out.append(('%s%d' % (prefix, n), clock, when + lead[clock]))
        t += rng.randrange(10**7, 10**9)
    return out


def expect(items, shift=0):
    """Returns (name, time on BOOTTIME + SHIFT) of each event, by the last snapshot so far that reads no more, else the
    first."""
    out, known = [], []
    for item in items:
        if isinstance(item, dict):
            known.append(item)
        else:
            name, clock, t = item
            by = max((s for s in known if s[clock] <= t), key=lambda s: s[clock], default=known[0])
            out.append((name, t - by[clock] + by[BOOTTIME] + shift))
    return sorted(out)


def lines(items, how='', machine=0):
    """Returns ITEMS as lines for make-proto, in the form HOW; the form does not change the facts."""
    on = ' seq=2' + (' m=%d' % machine if machine else '')
    name = lambda clock: clock + 100 if how == 'global' and clock in (SCOPED, DELTAS) else clock
    unit = lambda clock: 1000 if how == 'unit' and clock == GLOBAL else 1
    if how == 'default':
        yield 'default %d seq=2' % SCOPED
    last = 0
    for item in items:
        if isinstance(item, dict):
            readings = [(c, '%d=%d' % (name(c), item[c] // unit(c)) + (':unit=1000' if unit(c) > 1 else '')
                         + (':incremental' if how == 'deltas' and c == DELTAS else '')) for c in item]
            last = item[DELTAS]
            words = [word for _, word in readings]
            if how == 'split':
                for clock, word in readings:
                    if clock != BOOTTIME:
                        yield 'snap %d=%d %s' % (BOOTTIME, item[BOOTTIME], word) + on
                continue
            if how == 'reversed':
                words.reverse()
            if how == 'others':
                words += ['%d=%d' % (clock, rng.randrange(10**12)) for clock in (70, 200)]
            for _ in range(3 if how == 'repeated' else 1):
                yield 'snap ' + ' '.join(words) + (' primary=%d' % BOOTTIME if how == 'primary' else '') + on
        else:
            event, clock, t = item
            value = t // unit(clock)
            if how == 'deltas' and clock == DELTAS:
                value, last = t - last, t
            is_default = clock == (SCOPED if how == 'default' else BOOTTIME)
            yield 'instant %s %d%s' % (event, value, on) + ('' if is_default else ' clock=%d' % name(clock))


def told(items, how='', machine=0):
    return make_proto.trace(lines(items, how, machine))


def merged(*files, **manifest):
    """Returns (name, time) of all slices of an archive of FILES, (name, bytes) each, and a manifest if one is given."""
    archive, out = (os.path.join(folder.name, name) for name in ('in.tar', 'out.db'))
    if manifest:
        files += ('manifest.json', json.dumps({'perfetto_manifest': dict(manifest, version=1)}).encode()),
    with tarfile.open(archive, 'w') as tar:
        for name, data in files:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    if os.path.exists(out):
        os.unlink(out)
    run = subprocess.run(['tm-merge', '-q', '-o', out, archive], capture_output=True, text=True)
    if run.returncode:
        return run.stderr
    with sqlite3.connect(out) as db:
        return sorted(db.execute('SELECT name, ts FROM slice'))


def same(relation, want, got):
    global held, failed
    if want == got:
        held += 1
        return
    failed += 1
    print('%s: not %s but %s' % (relation, [s for s in want if s not in got][:3],
                                 got if isinstance(got, str) else [s for s in got if s not in want][:3]))


def one_trace(a):
    want = expect(a)
    for how in ('', 'split', 'reversed', 'repeated', 'others', 'global', 'deltas', 'default', 'primary'):
        same('one trace ' + how, want, merged(('a', told(a, how))))
    same('adopted', want, merged(('a', told(a, machine=9))))
    whole = [{c: v // 1000 * 1000 if c == GLOBAL else v for c, v in i.items()} if isinstance(i, dict)
             else (*i[:2], i[2] // 1000 * 1000) if i[1] == GLOBAL else i for i in a]
    same('units', expect(whole), merged(('a', told(whole, 'unit'))))
    same('machine', want, merged(('a', told(a)), files=[{'path': 'a', 'machine': {'name': 'A'}}]))
    same('trace time', want, merged(('a', told(a)), files=[{'path': 'a'}], trace_time={'clock': 'BOOTTIME', 'file': 'a'}))


def edge(path, to, offset, clock='BOOTTIME', **more):
    return dict(more, path=path, clocks={'clock': clock, 'sync_to': {'file': to, 'clock': clock}, 'offset_ns': offset})


def two_traces(a, b):
    x, y = rng.randrange(-10**9, 10**12), rng.randrange(-10**9, 10**9)
    both = ('a', told(a)), ('b', told(b))
    on = {'machine': {'name': 'A'}}, {'machine': {'name': 'B'}}
    time = {'clock': 'BOOTTIME', 'file': 'a'}
    want = sorted(expect(a) + expect(b, x))
    same('offset', want, merged(*both, files=[dict(on[0], path='a'), edge('b', 'a', x, **on[1])]))
    same('offset, one machine', want, merged(*both, files=[{'path': 'a'}, edge('b', 'a', x)]))
    same('the other way round', want, merged(*both, files=[edge('a', 'b', -x, **on[0]), dict(on[1], path='b')], trace_time=time))
    same('twice', want, merged(*both, files=[edge('b', 'a', x, **on[1]), edge('a', 'b', -x, **on[0])], trace_time=time))
    same('rendezvous', merged(*both, files=[dict(on[0], path='a'), dict(on[1], path='b')]),
         merged(*both, files=[dict(on[0], path='a'), edge('b', 'a', 0, 'REALTIME', **on[1])]))
    same('two of one machine', sorted(expect(a) + expect(b)), merged(*both))
    json_at = rng.randrange(10**10, 10**12)
    app = ('c.json', b'[{"ph":"X","ts":%d.%03d,"dur":1,"pid":1,"tid":1,"name":"c"}]' % divmod(json_at, 1000))
    pin = lambda to, offset: {'path': 'c.json', 'clocks': {'sync_to': {'file': to, 'clock': 'BOOTTIME'}, 'offset_ns': offset}}
    for to, offset in (('b', y), ('a', x + y)):
        same('a third, by ' + to, sorted(want + [('c', json_at + x + y)]), merged(
            *both, app, files=[dict(on[0], path='a'), edge('b', 'a', x, **on[1]), pin(to, offset)]))
    same('assumed', sorted(expect(a) + [('c', json_at)]), merged(both[0], app))


def two_machines(a, b):
    """Machine 7 is OFFSET later; two rounds of synchronization state this, with equal delays in both directions."""
    offset, host, delay = rng.randrange(10**8, 10**9), rng.randrange(10**10, 10**11), 2 * rng.randrange(1, 10**6)
    sync = 'sync client 6=%d host 6=%d / client 6=%d host 6=%d m=7 seq=5' % (
        host + offset - delay // 2, host, host + offset + delay // 2, host + delay)
    machines = [{'id': 0, 'name': 'host'}, {'id': 7, 'name': 'guest'}]
    guest = {'clock': 'BOOTTIME', 'machine': 'guest', 'offset_ns': -offset,
             'sync_to': {'file': 'a', 'machine': 'host', 'clock': 'BOOTTIME'}}
    want = sorted(expect(a) + expect(b, -offset))
    for time, shift in ('host', 0), ('guest', offset):
        same('by the manifest, time of ' + time, [(n, t + shift) for n, t in want], merged(
            ('a', make_proto.trace([*lines(a), *lines(b, machine=7)])), trace_time={'clock': 'BOOTTIME', 'file': 'a', 'machine': time},
            files=[{'path': 'a', 'machines': machines, 'clocks': guest}]))
    same('by synchronization', want, merged(
        ('a', make_proto.trace([*lines(a), sync, *lines(b, machine=7)])), files=[{'path': 'a', 'machines': machines}],
        trace_time={'clock': 'BOOTTIME', 'file': 'a', 'machine': 'host'}))


for _ in range(count):
    first, second = scene('a'), scene('b')
    one_trace(first)
    two_traces(first, second)
    two_machines(first, second)
print('%d relations hold, %d do not' % (held, failed))
sys.exit(failed > 0 or held == 0)
