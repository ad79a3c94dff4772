#!/usr/bin/env python3
"""Changes recordings at random, for t/check/viewers, which compares a reader's view of them and of the merged file.

usage: mutations.py FIRST LAST FOLDER FILE...      writes FOLDER/changed-SEED.SUFFIX for each seed
       t/check/viewers -t TRACE_PROCESSOR -f pftrace -v FOLDER

Each output is one of the files with up to 15 changes: events, packets or lines that are gone, repeated or at another
place, and values that are missing, of another event or of another type. A file is Chrome JSON, Perfetto protos or
lines of text, by its content. Of a long file a part is taken, and a damaged file stays as it is.
"""
import json
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'gen'))
from wire import varint  # noqa: E402

PART = 300  # events, packets or lines
CHANGES = [1, 2, 3, 5, 8, 15]
EVENT_VALUES = {
    'ph': list('BEXiIRCbenstfM'),
    'dur': [0, 1, 2.5, '7', '3.25', 100000],
    'tid': [0, 1, 2, 7, 31],
    'pid': [0, 1, 2, 7, 31],
    'id': [1, 2, '0x1', '0x2', 'a'],
    'id2': [{'local': '0x1'}, {'global': '0x1'}, {'local': '0x2'}],
    'scope': ['one', 'two', ''],
    'cat': ['a', 'a,b', ''],
    'args': [{}, {'x': 1}, {'x': {'y': [1, 2, {'z': None}]}}, {'value': 3.5}, {'name': 'another'}, {'a': True}],
    'name': ['another', '', 'process_name', 'thread_name', 'process_sort_index', 'process_labels'],
    'bp': ['e', ''],
    's': ['t', 'p', 'g', 'x'],
    'bind_id': ['0x5', '0x6'],
    'flow_in': [True, False],
    'flow_out': [True, False],
}


def change_list(r, items):
    """Removes, repeats or exchanges items of a list with one or more."""
    i, j = r.randrange(len(items)), r.randrange(len(items))
    how = r.choice(['remove', 'repeat', 'exchange'])
    if how == 'remove' and len(items) > 1:
        items.pop(i)
    elif how == 'repeat':
        items.insert(j, items[i])
    else:
        items[i], items[j] = items[j], items[i]


def part_of(r, items, head):
    """Returns the first HEAD items and some that follow each other."""
    if len(items) <= PART:
        return list(items)
    start = r.randrange(head, len(items) - PART + 1)
    return items[:head] + items[start:start + PART]


def change_event(r, events):
    i = r.randrange(len(events))
    events[i] = event = dict(events[i])
    if r.random() < 0.1 and event:
        event.pop(r.choice(sorted(event)))
    elif r.random() < 0.2:
        event['ts'] = r.choice(events).get('ts', 0)
    else:
        key = r.choice(sorted(EVENT_VALUES))
        event[key] = r.choice(EVENT_VALUES[key])


def change_json(r, data):
    document = json.loads(data)
    events = document if isinstance(document, list) else document.get('traceEvents', [])
    events = part_of(r, [e for e in events if isinstance(e, dict)], 0)
    for _ in range(r.choice(CHANGES) if events else 0):
        (change_list if r.random() < 0.2 else change_event)(r, events)
    return json.dumps(events if isinstance(document, list) else dict(document, traceEvents=events)).encode(), 'json'


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
        if byte < 128:
            return value, at
        if shift > 63:
            raise ValueError('not a varint')


def read_message(data, depth=0):
    """Returns the fields of a message: [number, wire type, value]. A value that looks like a message is such a list."""
    fields, at = [], 0
    while at < len(data):
        tag, at = read_varint(data, at)
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            value, at = read_varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(wire)
            if wire == 2:
                size, at = read_varint(data, at)
            if size is None or number == 0 or at + size > len(data):
                raise ValueError('not a message')
            value, at = data[at:at + size], at + size
        if wire == 2 and len(value) > 1 and depth < 6 and not (value.isascii() and value.decode().isprintable()):
            try:
                value = read_message(value, depth + 1)
            except (ValueError, IndexError):
                pass
        fields.append([number, wire, value])
    return fields


def write_message(fields):
    out = b''
    for number, wire, value in fields:
        value = write_message(value) if isinstance(value, list) else value
        out += varint(number << 3 | wire)
        out += varint(value) if wire == 0 else varint(len(value)) + value if wire == 2 else value
    return out


def places(fields):
    """Returns all fields of a message and of those inside, each as (list, index)."""
    out = []
    for i, (_, _, value) in enumerate(fields):
        out.append((fields, i))
        if isinstance(value, list):
            out += places(value)
    return out


def change_field(r, packets):
    inside = places(r.choice(packets)[2])
    if not inside:
        return
    fields, i = r.choice(inside)
    _, wire, value = fields[i]
    how = r.choice(['remove', 'repeat', 'value', 'value', 'value'])
    if how == 'remove':
        fields.pop(i)
    elif how == 'repeat':
        fields.insert(i, list(fields[i]))
    elif wire == 0:
        others = [f[j][2] for f, j in places(r.choice(packets)[2]) if f[j][1] == 0]
        fields[i][2] = r.choice([0, 1, 2, 3, value + 1, max(0, value - 1)] + others)


def change_protos(r, data):
    packets = part_of(r, read_message(data), 20)
    for _ in range(r.choice(CHANGES) if packets else 0):
        (change_list if r.random() < 0.3 else change_field)(r, packets)
    return write_message(packets), 'pb'


def change_line(r, lines):
    i, other = r.randrange(len(lines)), r.choice(lines)
    line = lines[i]
    digits = [m.start() for m in re.finditer(rb'\d', line)]
    how = r.choice(['digit', 'word', 'content', 'state'])
    if how == 'digit' and digits:
        at = r.choice(digits)
        line = line[:at] + b'%d' % r.randrange(10) + line[at + 1:]
    elif how == 'word':
        words = line.split(b' ')
        words[r.randrange(len(words))] = r.choice(other.split(b' '))
        line = b' '.join(words)
    elif how == 'content' and b': ' in line and b': ' in other:
        line = line.rsplit(b': ', 1)[0] + b': ' + other.rsplit(b': ', 1)[1]
    elif how == 'state':
        line = re.sub(rb'prev_state=\S+', b'prev_state=' + r.choice([b'S', b'R', b'D', b'R+', b'I', b'X', b'x']), line)
    lines[i] = line


def change_text(r, data):
    lines = data.split(b'\n')
    head = [line for line in lines if line.startswith(b'#')]
    lines = head + part_of(r, [line for line in lines if line and not line.startswith(b'#')], 0)
    for _ in range(r.choice(CHANGES) if lines else 0):
        (change_list if r.random() < 0.3 else change_line)(r, lines)
    return b'\n'.join(lines) + b'\n', 'txt'


def change(r, data):
    """Returns changed data and its suffix; of a file that is cut short the data as they are."""
    is_json = data[:1] in (b'[', b'{')
    try:
        if is_json:
            return change_json(r, data)
        return change_protos(r, data) if data[:1] == b'\n' else change_text(r, data)
    except (ValueError, IndexError):
        return data, 'json' if is_json else 'pb'


def main():
    first, last, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    os.makedirs(folder, exist_ok=True)
    for seed in range(first, last + 1):
        r = random.Random(seed)
        with open(r.choice(sys.argv[4:]), 'rb') as f:
            data, suffix = change(r, f.read())
        with open(os.path.join(folder, 'changed-%d.%s' % (seed, suffix)), 'wb') as f:
            f.write(data)


if __name__ == '__main__':
    main()
