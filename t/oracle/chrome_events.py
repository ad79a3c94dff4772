#!/usr/bin/env python3
"""Makes random Chrome JSON traces, for t/check/viewers and t/check/database, which compare what the reference importer
shows of a trace with the merged file and with the database.

usage: chrome_events.py FIRST LAST FOLDER      writes FOLDER/chrome-SEED.json, or .tar of two, for each seed
       t/check/viewers -t TRACE_PROCESSOR -v FOLDER; t/check/database -t TRACE_PROCESSOR -v FOLDER

A trace has events of a few kinds: slices by begin and end and complete ones, instants, asynchronous slices with ids of
all forms, flows by s, t and f and by bind_id, counters, metadata, objects. Their order, members, arguments, thread
times, pids and tids, which may be texts, are random, and the document is a list or an object. Some members are those
that doc/formats.md says are read in another way: expect few differences, not none.
"""
import io
import json
import os
import random
import sys
import tarfile

KINDS = ['slices', 'complete', 'instants', 'async', 'flows', 'bind', 'counters', 'metadata', 'objects']
TRAITS = ['thread times', 'texts', 'args', 'unsorted', 'members']
NAMES = ['run', 'load', 'draw', 'x y', None, '']
CATEGORIES = ['a', 'b', 'a,b', None, '']
IDS = [1, 2, '1', '2', '0x1', '0x2', '0xabc', 0, '0x01', 2**53, 2**40, '0xffffffffffffffff', -1]
BIND_IDS = [9001, 9001, '0x2329', '0x9005', '0x00002329', 2**53, '0xffffffffffffffff', -1]
KEYS = ['a', 'b', 'name', 'data', 'snapshot', 'x.y', 'value', 'labels', 'debug', 'args']
METADATA = {
    'process_name': ('name', ['app', 'tool', 'über']),
    'thread_name': ('name', ['worker', 'ui', 'w/1']),
    'process_labels': ('labels', ['one', 'one,two', '']),
    'process_sort_index': ('sort_index', [1, -5, 3]),
    'thread_sort_index': ('sort_index', [1, 9, -2]),
    'num_cpus': ('number', [4]),
    'other': ('v', [1]),
}


class Trace:
    """One document. Each method named for a kind returns events of it, in the order in which they are written."""

    def __init__(self, seed):
        self.r = r = random.Random(seed)
        self.kinds = r.sample(KINDS, r.choice([1, 2, 2, 3, 5, 9]))
        if not {'slices', 'complete'} & set(self.kinds):
            self.kinds.append(r.choice(['slices', 'complete']))
        self.traits = set(r.sample(TRAITS, r.choice([0, 1, 2, 5])))
        self.now = r.choice([0, 1, 1000, 123456])
        pids = r.sample([1, 2, 7, 30, 4000], r.choice([1, 1, 2, 3]))
        tids = r.sample([1, 2, 7, 31, 4001, 0], r.choice([1, 2, 3]))
        if 'texts' in self.traits:
            pids.append('browser')
            tids.append('main')
        # A text names one thread: the importer gives a second process's thread of the same text no name.
        self.threads = [(p, t if isinstance(t, int) else '%s of %s' % (t, p))
                        for p in pids for t in r.sample(tids, r.randrange(1, len(tids) + 1))]
        self.begun = {}

    def time(self, us):
        return self.r.choice([us, us, float(us), str(us)]) if 'members' in self.traits else us

    def step(self):
        self.now += self.r.choice([0, 0, 1, 1, 2, 5, 10, 100])
        return self.now + (self.r.choice([.5, .25, .001]) if self.r.random() < .1 else 0)

    def value(self, depth=0):
        r = self.r
        plain = [r.randrange(100), -3, 1.5, 2**40, 2**63 - 1, -2**63, 1e-7, 0.1, True, False, None, 'text', '', 'ü', '"q"',
                 '\n']
        kind = r.randrange(4) if depth < 3 else 0
        if kind == 2:
            return {r.choice(['k', 'l', 'name', 'a.b', 'ts']): self.value(depth + 1) for _ in range(r.randrange(4))}
        if kind == 3:
            return [self.value(depth + 1) for _ in range(r.randrange(4))]
        return r.choice(plain)

    def event(self, phase, **more):
        r = self.r
        pid, tid = r.choice(self.threads)
        e = {'ph': phase, 'pid': pid, 'tid': tid, 'ts': self.time(self.step())}
        if 'members' in self.traits and r.random() < .1:
            del e[r.choice(['pid', 'tid']) if isinstance(tid, int) else 'tid']
        for key, values in ('name', NAMES), ('cat', CATEGORIES):
            value = r.choice(values[:3] if r.random() < .8 else values)
            if value is not None:
                e[key] = value
        e.update(more)
        if phase != 'C' and r.random() < (.6 if 'args' in self.traits else .1):
            e['args'] = {r.choice(KEYS): self.value() for _ in range(r.randrange(4))}
        if 'thread times' in self.traits and r.random() < .7:
            e['tts'] = self.time(r.choice([0, 1, 5, 7]))
            if phase == 'X' and r.random() < .7:
                e['tdur'] = self.time(r.choice([0, 1, 2, 3]))
        if r.random() < .3:
            members = list(e.items())
            r.shuffle(members)
            e = dict(members)
        return e

    def slices(self):
        r = self.r
        e = self.event(r.choice('BBEE'))
        begun = self.begun.setdefault((e.get('pid'), e.get('tid')), [])
        if e['ph'] == 'B':
            begun.append({k: e[k] for k in ('name', 'cat') if k in e})
        elif begun and r.random() < .85: # its own name, or none
            e.pop('name', None)
            e.pop('cat', None)
            own = begun.pop()
            e.update(own if r.random() < .5 else {})
        return [e]

    def complete(self):
        return [self.event('X', dur=self.time(self.r.choice([0, 0, 1, 2, 5, 5, 10, 50, 100, 1.5])))]

    def instants(self):
        e = self.event(self.r.choice('iIiR'))
        if self.r.random() < .8:
            e['s'] = self.r.choice(['t', 't', 'p', 'g'])
        return [e]

    def identity(self):
        some = self.r.choice([1, '0x1', '0x2', 'two']) if self.r.random() < .8 else self.r.choice(IDS)
        forms = [{'id': some}] * 5 + [{'id2': {'local': some}}, {'id2': {'global': some}}, {},
                                      {'id2': {'local': some, 'global': 3}}, {'id': some, 'id2': {'local': some}}]
        return self.r.choice(forms)

    def asynchronous(self):
        e = self.event(self.r.choice('bbeen'), **self.identity())
        if self.r.random() < .8:
            e['cat'] = 'a'
        if self.r.random() < .6:
            e['name'] = 'run'
        return [e]

    def flows(self):
        r = self.r
        e = self.event(r.choice('sstff'), id=r.choice([1, 1, 2, '0x1', '1', r.choice(IDS)]))
        if r.random() < .8:
            e['cat'], e['name'] = 'a', 'flow'
        out = [e]
        if e['ph'] == 'f' and r.random() < .8:
            e['bp'] = 'e'
        elif e['ph'] == 'f': # without a start the importer makes an arrow of its own
            out = [dict(e, ph='X', dur=1, name='from', cat='b'), dict(e, ph='s'), e]
        if r.random() < .3:
            out.append(dict(e, ph=r.choice('tfs'), id=r.choice([1, 2, '0x1']), bp='e'))
        if r.random() < .5:
            around = {k: e[k] for k in ('pid', 'tid', 'ts') if k in e}
            out.insert(r.choice([0, len(out)]), dict(around, ph='X', dur=r.choice([0, 1, 3, 10]), name='around'))
        return out

    def bind(self):
        r = self.r
        e = self.event(r.choice('BXXbni'), bind_id=r.choice(BIND_IDS))
        if e['ph'] == 'X':
            e['dur'] = r.choice([0, 1, 5, 10])
        if e['ph'] in 'bn':
            e['id'] = r.choice([1, '0x1'])
        for key in 'flow_in', 'flow_out':
            if r.random() < .6:
                e[key] = r.choice([True, True, False])
        return [e]

    def counters(self):
        r = self.r
        e = self.event('C', name=r.choice(['mem', 'cpu']))
        e['args'] = {k: r.choice([r.randrange(100), 1.5, -2, '7', '2.5', 0])
                     for k in r.sample(['free', 'used', 'x', 'value'], r.choice([1, 1, 2, 3]))}
        if r.random() < .3:
            e['id'] = r.choice(['0x1', 'one', 3, ''])
        return [e]

    def metadata(self):
        r = self.r
        name = r.choice(list(METADATA))
        key, values = METADATA[name]
        e = self.event('M', name=name, args={key: r.choice(values)})
        if r.random() < .7:
            del e['ts']
        if r.random() < .2:
            e['pid'] = r.choice([55, 56]) # a process without events
        if r.random() < .2:
            e.pop('tid', None)
        return [e]

    def objects(self):
        return [self.event(self.r.choice('NOD'), id=self.r.choice([1, '0x1', '0x2']), args={'snapshot': self.value()})]

    def document(self):
        r = self.r
        events = []
        for _ in range(r.choice([2, 4, 6, 8, 12, 25, 50])):
            kind = r.choice(self.kinds)
            events += getattr(self, 'asynchronous' if kind == 'async' else kind)()
        if 'metadata' in self.kinds and r.random() < .3: # all before or after the other events
            events.sort(key=lambda e: e['ph'] == 'M', reverse=r.random() < .5)
        if 'unsorted' in self.traits:
            for _ in range(r.choice([1, 3, 10])):
                i, j = r.randrange(len(events)), r.randrange(len(events))
                events[i], events[j] = events[j], events[i]
        members = {'traceEvents': events}
        if r.random() < .3:
            members['displayTimeUnit'] = r.choice(['ns', 'ms'])
        if r.random() < .3:
            members['metadata'] = {'k': 1, 'c': {'d': 1}, 'e': [1, 2], 'f': None, 'g': 1.5, 'h': True}
        if r.random() < .2:
            members['otherData'] = {'version': '1'}
        names = list(members)
        r.shuffle(names)
        whole = events if r.random() < .5 else {name: members[name] for name in names}
        return json.dumps(whole, ensure_ascii=r.random() < .5, separators=r.choice([(',', ':'), (', ', ': ')])).encode()


def manifest(r):
    sync = {'sync_to': {'file': 'a.json'}, 'offset_ns': r.choice([0, 1000, 5000000])}
    files = [{'path': 'a.json'}, {'path': 'b.json', 'clocks': sync}]
    return json.dumps({'perfetto_manifest': {'version': 1, 'files': files}}).encode()


def main():
    first, last, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    for seed in range(first, last + 1):
        r = random.Random('archive %d' % seed)
        path = os.path.join(folder, 'chrome-%d' % seed)
        if r.random() < .7:
            with open(path + '.json', 'wb') as out:
                out.write(Trace('%d a' % seed).document())
            continue
        members = [('manifest.json', manifest(r))] if r.random() < .4 else []
        members += [(name + '.json', Trace('%d %s' % (seed, name)).document()) for name in 'ab']
        with tarfile.open(path + '.tar', 'w') as archive:
            for name, data in members:
                info = tarfile.TarInfo(name)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))


if __name__ == '__main__':
    main()
