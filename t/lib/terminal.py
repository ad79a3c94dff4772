#!/usr/bin/env python3
"""Runs every program and output on a terminal, with names of control sequences. None of them may reach the terminal.

usage: terminal.py    in a writable folder; exit 77 if there are no terminals
"""
import importlib
import io
import json
import os
import shlex
import subprocess
import sys
import tarfile
import termios

SOURCE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(SOURCE, '..', 'gen'))
make_proto = importlib.import_module('make-proto')

E = '\x1b]0;owned\x07\x1b[31m\x9b31m\x7f\r'
NO = 'no' + E


def text_of(value):
    """JSON text of VALUE in which every character that JSON permits is written without an escape."""
    raw = json.dumps(value, ensure_ascii=False)
    return raw.replace('\x1b', '\\u001b').replace('\x07', '\\u0007').replace('\r', '\\r').encode()


def tar(members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w') as t:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    return out.getvalue()


def manifest(*entries):
    return text_of({'perfetto_manifest': {'version': 1, 'files': list(entries)}})


def make_files():
    events = text_of({'traceEvents': [
        {'ph': 'X', 'ts': 1, 'dur': 1, 'pid': 1, 'tid': 1, 'name': E + 'n', 'cat': E, 'args': {E: E}},
        {'ph': 'C', 'ts': 1, 'pid': 1, 'tid': 1, 'name': E + 'c', 'args': {E: 1}},
        {'ph': 'b', 'ts': 1, 'pid': 1, 'tid': 1, 'name': E + 'c', 'cat': E, 'id': E},
        {'ph': 's', 'ts': 1, 'pid': 1, 'tid': 1, 'name': E + 'c', 'cat': E, 'id': E},
        {'ph': 'i', 'ts': -5, 'pid': 1, 'tid': 1, 'name': E, 's': 't'},
        {'ph': 'M', 'name': 'process_name', 'pid': 1, 'args': {'name': '"},' + E}},
        {'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': 1, 'args': {'name': E}}], E: E, 'metadata': {E: E}})
    # Bytes that are not UTF-8, which an 8-bit terminal takes for control characters, and a return as white space.
    events = events.replace(b'"ts": 1,', b'"ts":\r1,', 1).replace(b'n"', b'n\x9b"', 1)
    name = E.replace('\r', '').encode()
    lines = b'# tracer: nop\n  ' + name + b'-5 (  5) [000] d..2  1.000000001: tracing_mark_write: B|5|e' + name + b'\n'
    proto = make_proto.trace(['snap 6=1000 3=2000 64=5 seq=1', 'instant e1 1000 clock=5 seq=1', 'instant e1 1000 seq=1',
                              'name xx']).replace(b'e1', b'\x1b[').replace(b'xx', b'\x1b[')
    good = manifest(*[{'path': path, 'machine': {'name': machine}}
                      for path, machine in ((E + '.json', E + 'm'), ('b' + E + '.json', 'b' + E), ('zz' + E, 'b' + E))])
    bad = manifest({'path': E, 'machine': {'name': E + 'm', 'x' + E: 1}}, {'path': E})
    files = {'a.tar': tar([('perfetto_manifest.json', good), (E + '.json', events), ('b' + E + '.json', events),
                           ('s' + E, lines), ('p' + E + '.pb', proto)]),
             'unknown.tar': tar([(E, b'nonsense bytes here')]), E + '.json': events, 'x' + E + '.pb': proto,
             'bad' + E + '.json': events[:150], 'un' + E: b'nonsense', 'bad.json': bad, 'm' + E + '.json': bad}
    for path, data in files.items():
        with open(path, 'wb') as f:
            f.write(data)


def commands():
    q = {name: shlex.quote(value) for name, value in {
        'e': E, 'no': NO, 'f': E + '.json', 'x': 'x' + E + '.pb', 'bad': 'bad' + E + '.json', 'un': 'un' + E,
        'm': 'm' + E + '.json'}.items()}
    for output in ('text', 'jsonl', 'csv', 'report', 'explain', 'summary', 'dropped', 'json', 'svg', 'report --json',
                   'explain --json', 'summary --json', 'dropped --json'):
        yield 'tm-merge -f %s a.tar' % output
        yield 'tm-merge -f {} {f} {x}'.format(output, **q)
    for command in (
            'tm-unpack --list a.tar', 'tm-unpack --list {f}', 'tm-unpack a.tar | tm-emit -f frames',
            'tm-unpack a.tar | tm-manifest | tm-clocks | tm-sort | tm-emit -f frames',
            'tm-unpack a.tar | tm-manifest | tm-clocks --graph', 'tm-merge --progress -o out.json {f}',
            'tm-merge {bad}', 'tm-merge {un}', 'tm-merge {no}', 'tm-merge unknown.tar', 'tm-merge --strict a.tar',
            'tm-merge --on-damage=salvage -f report {bad}', 'tm-merge --ignore-unknown -f report unknown.tar {un}',
            'tm-merge -m bad.json a.tar', 'tm-merge -m {m} a.tar', 'tm-merge -m {no} a.tar', 'tm-merge -o {no}/x.json a.tar',
            'tm-merge -f {no} a.tar', 'tm-merge -T {no} -S 1 - <a.tar', 'tm-merge --only name={no} a.tar',
            'tm-merge --only {no}=3 a.tar', 'tm-merge --machine {no} a.tar', 'tm-merge --machine {no}={f} -f report {f}',
            'tm-merge --sync {no}={f} {f}', 'tm-merge --trace-time {no} {f}', 'tm-merge --{no}', 'tm-merge -S {no} a.tar',
            'tm-merge --max-dropped {no} a.tar', 'tm-merge --on-damage {no} a.tar',
            'tm-merge --hints --write-manifest /dev/stdout -f report {f}',
            'tm-pack --manifest-only --machine {e}={f} {f} {x}', 'tm-pack -o o.tar {f} {x}',
            'tm-pack --strict -o o.zip {f} {x}', 'tm-pack -o o.tar {no}', 'tm-pack -o o.tar {bad}', 'tm-pack -o o.tar {un}',
            'tm-pack -o o.tar bad.json {f}', 'tm-pack -o o.tar --sync {no}={f} {f}', 'tm-pack -o {no} {f}',
            'tm-manifest --check bad.json', 'tm-manifest --check {m}', 'tm-manifest --check {no}',
            'tm-unpack a.tar | tm-manifest -m bad.json | wc -c', 'tm-unpack {bad} | wc -c', 'tm-sort {no} | wc -c',
            'tm-emit -f {no}', 'tm-emit --source {no} </dev/null', 'tm-clocks --{no}'):
        yield command.format(**q)


def on_terminal(command):
    """What COMMAND writes to a terminal that is both its standard output and its standard error."""
    master, slave = os.openpty()
    settings = termios.tcgetattr(slave)
    settings[1] &= ~termios.OPOST
    termios.tcsetattr(slave, termios.TCSANOW, settings)
    p = subprocess.Popen(['bash', '-c', command], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
    os.close(slave)
    out = b''
    try:
        while data := os.read(master, 65536):
            out += data
    except OSError:
        pass
    p.wait()
    os.close(master)
    return out


def what_is_raw(command, out):
    if '--progress' in command: # it goes back to the start of its line and clears it
        out = out.replace(b'\x1b[K', b'').replace(b'\r', b'')
    try:
        text = out.replace(b'\r\n', b'\n').decode()
    except UnicodeDecodeError as e:
        return repr(out[max(0, e.start - 40):e.start + 20])
    for i, c in enumerate(text):
        if (ord(c) < 32 and c not in '\n\t') or 127 <= ord(c) < 160:
            return repr(text[max(0, i - 40):i + 20])
    return None


def main():
    try:
        for fd in os.openpty():
            os.close(fd)
    except OSError:
        sys.exit(77)
    make_files()
    failed, count = 0, 0
    for command in commands():
        out = on_terminal(command)
        count += 1
        raw = what_is_raw(command, out)
        if raw or (not out and '-o ' not in command):
            failed += 1
            print('%r: %s' % (command, raw or 'says nothing'))
    print('%d commands' % count)
    sys.exit(failed > 0)


main()
