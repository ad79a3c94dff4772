#!/usr/bin/env python3
"""Makes a file of Chrome JSON: nested begins and ends, and complete events that cross these and each other at random.

usage: make-tangles.py SEED FILE

Many events have one time. Ends name the slice that they end, or none.
"""
import json, random, sys

rng = random.Random(int(sys.argv[1]))
names = iter(range(1 << 30))


def nest(tid, start, end):
    events = []
    while start < end:
        begin = start + rng.choice((0, 1, 1, 3))
        stop = begin + rng.choice((1, 2, 5, 10, 20))
        if stop > end:
            break
        name = 'begin %d' % next(names)
        events += [{'ph': 'B', 'ts': begin, 'name': name, 'tid': tid}, *nest(tid, begin, stop),
                   {'ph': 'E', 'ts': stop, 'tid': tid, **({'name': name} if rng.random() < .5 else {})}]
        start = stop
    return events


events = []
for tid in (1, 2):
    events += nest(tid, rng.randrange(10), 40)
    for i in range(rng.randrange(8)):
        whole = {'ph': 'X', 'ts': rng.randrange(40), 'dur': rng.choice((0, 1, 2, 5, 10, 20)), 'tid': tid}
        events.append({**whole, 'name': 'whole %d' % next(names)})
if rng.random() < .5:
    events.sort(key=lambda e: e['ts'])
with open(sys.argv[2], 'w') as f:
    json.dump([{**e, 'pid': 1} for e in events], f)
