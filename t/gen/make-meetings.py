#!/usr/bin/env python3
"""Makes files of Chrome JSON, and one of text, with events of the same threads.

usage: make-meetings.py SEED FOLDER [apart|wild]

The slices of each file nest, as begins and ends and as complete events; some begins have no end, some ends no begin.
Slices of different files cross each other. `apart': slices within a begin start later than it. `wild': slices do not
nest: begins, ends, complete events, instants and flows are at random times, many at the same. Each file has a complete
event in front, on a thread of its own.
"""
import json, os, random, sys

apart, wild = ([*sys.argv, ''][3] == mode for mode in ('apart', 'wild'))
rng, folder = random.Random(int(sys.argv[1])), sys.argv[2]


def nest(tag, base, start, end, depth):
    """Makes nested slices within [start, end]."""
    out, t = [], start
    while t < end:
        t += rng.choice((0, 1, 2, 5))
        stop = t + rng.choice((0, 1, 3, 8, 20))
        if stop > end:
            break
        name = tag + str(rng.randrange(9))
        is_whole = stop == t or rng.random() < .5
        within = nest(tag, base, t + (apart and not is_whole), stop, depth + 1) if depth < 4 and stop > t else []
        if is_whole:
            out += [dict(base, ph='X', ts=t, dur=stop - t, name=name + ' whole')] + within
        else:
            named = {'name': name} if rng.random() < .3 else {}
            out += [dict(base, ph='B', ts=t, name=name)] + within + [dict(base, ph='E', ts=stop, **named)]
        t = stop
    return out


def jumble(tag, base):
    start, spread = rng.randrange(60), rng.choice((4, 30, 100))
    times = sorted(start + rng.randrange(spread) for _ in range(rng.randrange(4, 24)))
    for t in times:
        event = dict(base, ph=rng.choice('BBBEEEXXXistf'), ts=t, name=tag + str(rng.randrange(3)), cat=rng.choice('kkl'))
        if event['ph'] == 'X':
            event['dur'] = rng.choice((0, 1, 3, 10, 40))
        elif event['ph'] in 'stf':
            event.update(id=rng.randrange(3), name='flow')
            if rng.random() < .5:
                event['bp'] = 'e'
        for member in ('name', 'cat') if event['ph'] in 'BE' else ():
            if rng.random() < .5:
                del event[member]
        yield event


def thread(tag, base):
    if wild:
        return list(jumble(tag, base))
    out = nest(tag, base, rng.randrange(20), rng.randrange(20, 100), 0)
    if rng.random() < .4:
        out.append(dict(base, ph='B', ts=rng.randrange(100, 105), name=tag + ' never ends'))
    if rng.random() < .2:
        out.append(dict(base, ph='E', ts=rng.randrange(110, 115)))
    return out


os.makedirs(folder, exist_ok=True)
for tag in 'abc'[:rng.choice((2, 3))]:
    events = [e for tid in (1, 'worker', 3) for e in thread(tag, {'pid': rng.choice((1, 1, 2)), 'tid': tid})]
    if rng.random() < .3:
        for e in events:
            if e['tid'] == 1:
                del e['tid']
    # Each file begins with a complete event. From there on, events of one time have the order of doc/rules.md section
    # 6.
    first = {'ph': 'X', 'pid': 9, 'tid': 9, 'ts': 0, 'dur': 1, 'name': tag + ' first'}
    with open(os.path.join(folder, tag + '.json'), 'w') as f:
        json.dump([first] + events, f)
with open(os.path.join(folder, 'd.systrace'), 'w') as f:
    f.write('# tracer: nop\n')
    t = 0
    for i in range(40):
        t += rng.choice((0, 1, 2, 4))
        mark = 'B|1|text %d' % i if rng.random() < .5 else 'E|1'
        f.write('  app-%d     (  1) [000] ..... 0.%06d: tracing_mark_write: %s\n' % (rng.choice((1, 3)), t, mark))
