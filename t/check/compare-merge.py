#!/usr/bin/env python3
"""Checks a merge of sorted streams by tm-sort -m.

usage: compare-merge.py MERGED INPUT...

The arguments are text forms (tm-emit -f frames) of streams that gen-stream made and tm-sort sorted, and of their merge.
Numbers are replaced by the objects that they refer to. Then the merged events must be those of all inputs in order, and
every account must exist."""
import re
import sys

FIELD = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|\S+)')


def load(path):
    files, orders, machines, generations, rows, accounts, snapshots = {}, {}, {}, {}, [], [], []
    for line in open(path):
        kind = line.split(None, 2)[1] if line.startswith('@') else 'row'
        if kind == 'Strings':
            continue
        fields = dict(FIELD.findall(line))
        if kind == 'File':
            files[fields['id']] = fields.get('name')
        elif kind == 'FileBegin':
            orders[fields['id']] = int(fields['processing_order'])
        elif kind == 'Machine':
            machines[fields['id']] = fields.get('name', fields['raw_id'])
        elif kind == 'Sequence':
            generations[fields['generation']] = (files[fields['file']], machines[fields.get('machine', '0')])
        elif kind == 'Account':
            accounts.append((files[fields['file']], fields['reason'], fields['count']))
        elif kind == 'ClockRow':
            snapshots.append((fields['ts_ns'], machines[fields['machine']], int(fields['snapshot'])))
        elif kind == 'row' and line.lstrip().startswith('['):
            rows.append((fields, line))
    out = []
    for fields, line in rows:
        flags = fields.get('flags', '').split('|')
        definition = 'definition' in flags or 'untimed' in flags
        order = orders[fields['file']]
        # A string without a number is in the detail.
        what = {k: v for k, v in fields.items() if k not in ('file', 'machine', 'generation', 'text', 'detail', 'detail_bytes')}
        what['file'] = files[fields['file']]
        what['machine'] = machines[fields.get('machine', '0')]
        what['generation'] = generations.get(fields.get('generation'))
        key = (not definition, 0 if definition else int(fields.get('time_ns', 0)), order, int(fields.get('position', 0)))
        out.append((key, what))
    return out, accounts, snapshots


merged, accounts, snapshots = load(sys.argv[1])
want, want_accounts, count = [], [], 0
for i, path in enumerate(sys.argv[2:]):
    rows, some, clock_rows = load(path)
    want += [((k[0], k[1], i, k[2], k[3]), what) for k, what in rows]
    want_accounts += some
    count += len(clock_rows)
want.sort(key=lambda row: row[0])
assert len(merged) == len(want), (len(merged), len(want))
for n, ((_, got), (_, expected)) in enumerate(zip(merged, want)):
    assert got == expected, f'event {n}:\n{got}\n{expected}'
assert [k for k, _ in merged] == sorted(k for k, _ in merged), 'out of order'
assert sorted(accounts) == sorted(want_accounts), 'accounts'
assert [s[2] for s in snapshots] == list(range(count)), 'snapshots'
