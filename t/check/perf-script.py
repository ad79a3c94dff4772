#!/usr/bin/env python3
"""Compares the output of tm-merge for a perf.data file with that of perf script.

usage: perf-script.py [-u] TEXT EVENTS [DISCARDED]

TEXT: perf script --ns -F comm,pid,tid,cpu,time,period,event,ip,dso,trace. EVENTS: tm-merge --events -f jsonl. Both must
have the same samples, at the same nanosecond, of the same thread and cpu, with the same stacks. Two things are written
differently. An address in the kernel is relative to the kernel's start. The address of a caller is one less, so it lies
within the call, unless it is the first byte of its mapping, at a page's start. perf script shows no stack if a number
of the call chain is no address; DISCARDED is the number of such samples (perf script -vv | grep -c 'invalid callchain
context'; each member of a group counts). With -u perf script has unwound user stacks (--no-inline): tm-merge shows
their innermost frames.
"""
import json
import re
import sys

KERNEL_AT = 0xffffffff81000000
PAGE = 4096
HEAD = re.compile(r'^\s*(.*?)\s+(-?\d+)/(-?\d+)\s+\[(\d+)\]\s+(\d+)\.(\d{9}):\s+(\d+)\s+(\S+):\s*(.*)$')
FRAME = re.compile(r'^\s*([0-9a-f]+) \((.*)\)$')
SWITCH = re.compile(r'prev_comm=(.*) prev_pid=(\d+) prev_prio=(\d+) prev_state=(\S+) ==> next_comm=(.*) next_pid=(\d+) '
                    r'next_prio=(\d+)')


def read_text(path):
    samples = []
    for line in open(path, encoding='latin1'):
        line = line.rstrip('\n')
        frame = FRAME.match(line)
        head = HEAD.match(line)
        if head:
            comm, pid, tid, cpu, seconds, ns, period, event, rest = head.groups()
            alone = re.search(r'([0-9a-f]+) \(([^()]*)\)$', rest)
            samples.append({'ts': int(seconds) * 10**9 + int(ns), 'cpu': int(cpu), 'pid': int(pid), 'tid': int(tid),
                            'period': int(period), 'event': event, 'rest': rest,
                            'stack': [], 'alone': int(alone[1], 16) if alone else None})
        elif frame:
            samples[-1]['stack'].append((int(frame[1], 16), frame[2]))
        elif line:
            sys.exit('not read: ' + line)
    return samples


KINDS = {'sched:sched_switch': 'sched_switch', 'sched:sched_waking': 'sched_waking',
         'sched:sched_process_free': 'process_exit', 'task:task_newtask': 'task_new'}


def read_events(path, kinds):
    samples = []
    for line in open(path):
        e = json.loads(line)
        frames = [(f['rel_pc'], f.get('mapping', '[unknown]')) for f in reversed(e.get('frames', []))]
        if e['kind'] == 'sample' and e.get('derived'):
            samples[-1]['stack'] = frames
        elif e['kind'] == 'sample':
            samples.append({'ts': e['ts'], 'cpu': e['cpu'], 'pid': e.get('pid', -1), 'tid': e.get('tid', -1),
                            'period': e['value'], 'event': e['name'], 'stack': frames})
        elif not e.get('derived') and e['kind'] in kinds:
            samples.append({'ts': e['ts'], 'cpu': e['cpu'], 'stack': [], 'of': e})
    return samples


def same_frame(text, event, is_caller):
    place, name = event
    if name == '[kernel.kallsyms]':
        place += KERNEL_AT
    if text[1] == '[unknown]' and text[0] == 0:
        return event == (0, '[unknown]')
    return text == (place + is_caller, name) or (text == event and place % PAGE == 0)


DISCARDED = 'discarded'
ENDED = -1 # the number of a task that has ended; tm-merge finds it in the event, or shows the number as readers do
UNWOUND = sys.argv[1] == '-u' and bool(sys.argv.pop(1))


def differs(text, event):
    for key in ('ts', 'cpu', 'pid', 'tid', 'period', 'event'):
        if key in event and text[key] not in (event[key], ENDED):
            return key
    switch = SWITCH.match(text['rest'])
    if switch and (int(switch[2]), int(switch[6])) != (event['of']['prev_tid'], event['of']['next_tid']):
        return 'threads of the switch'
    if text['alone'] is not None: # a sample without a call chain
        return None if len(event['stack']) <= 1 else 'stack'
    if not text['stack'] and event['stack']:
        return DISCARDED
    if len(text['stack']) != len(event['stack']) and not (UNWOUND and text['stack'][len(event['stack']):]):
        return 'depth'
    for i, (a, b) in enumerate(zip(text['stack'], event['stack'])):
        if not same_frame(a, b, i > 0):
            return 'frame %d: %r, %r' % (i, a, b)
    return None


text = sorted(read_text(sys.argv[1]), key=lambda s: (s['ts'], s['cpu']))
kinds = {KINDS.get(s['event']) for s in text}
events = sorted(read_events(sys.argv[2], kinds), key=lambda s: (s['ts'], s['cpu']))
bad = [(t, e, differs(t, e)) for t, e in zip(text, events) if differs(t, e)]
discarded = sum(why == DISCARDED for t, e, why in bad)
bad = [case for case in bad if case[2] != DISCARDED]
for t, e, why in bad[:5]:
    print('%d: %s' % (t['ts'], why))
print('%d samples, %d differ' % (len(text), len(bad)) if len(text) == len(events) else
      '%d samples, %d events' % (len(text), len(events)))
if discarded:
    print('%d stacks that perf script discarded' % discarded)
sys.exit(bool(bad) or len(text) != len(events) or discarded != int((sys.argv[3:] or [0])[0]))
