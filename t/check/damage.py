#!/usr/bin/env python3
"""Damages files of every format in many ways and checks the result of each --on-damage.

usage: damage.py [-n EVERY] [FORMAT]...    tries each EVERYth kind of damage only

A file is a member of a TAR. It has a head, pieces that give one event each at its own time, and an end. These rules
must hold:

    halt     an error names file, member and a byte near the damage; or the format counts such damage event by event
    skip     the result has all pieces before the damage; the loss is accounted for
    salvage  the result has all pieces except those next to the damage (as with skip, if a format cannot continue); the
             loss is accounted for
    always   the result has nothing else; accounts balance

With halt tm-unpack reads each file by itself, and a file without an error is merged; of each format the first file with
an error is merged too. With skip and salvage all files of a format are members of one archive, and damage of one does
not affect the others.
"""
import collections
import importlib
import io
import json
import os
import re
import struct
import subprocess
import sys
import tarfile
import tempfile

SOURCE = os.path.dirname(os.path.abspath(__file__))
PIECES, BASE, STEP = 40, 10**9, 1000
NEAR = 700  # largest distance between the damage and the byte that a message names: a piece or two

sys.path.insert(0, os.path.join(SOURCE, '..', 'gen'))
make_proto = importlib.import_module('make-proto')


def at(k):
    return BASE + k * STEP


def proto():
    head = make_proto.trace(['snap 6=1'])
    return head, [make_proto.trace(['instant e%d %d seq=1' % (k, at(k))]) for k in range(PIECES)], b''


def json_object():
    piece = '{"ph":"i","s":"t","pid":1,"tid":1,"name":"e%d","ts":%d.000,"args":{"a":[1,{"b":"c"}]}},\n'
    return b'{"traceEvents":[\n', [(piece % (k, at(k) // 1000)).encode() for k in range(PIECES)], b'{}]}'


def systrace():
    line = '          task-5     (    5) [000] d..2  %d.%09d: tracing_mark_write: B|5|e%d\n'
    return b'# tracer: nop\n', [(line % (*divmod(at(k), 10**9), k)).encode() for k in range(PIECES)], b''


def strace():
    line = '12 %d.%09d close(%d) = 0 <0.000001>\n'
    return b'', [(line % (10**9 + at(k) // 10**9, at(k) % 10**9, k)).encode() for k in range(PIECES)], b''


def logcat():
    line = '1970-01-01 00:00:%02d.%09d +0000  1234  1250 I Tag%d: text\n'
    return b'', [(line % (*divmod(at(k), 10**9), k)).encode() for k in range(PIECES)], b''


JOURNAL = {'__REALTIME_TIMESTAMP': '1795437%09d', '__MONOTONIC_TIMESTAMP': '%d', '_BOOT_ID': '0123456789abcdef' * 2,
           'MESSAGE': 'text'}


def journal_fields(k):
    us = at(k) // 1000
    return {name: value % us if '%' in value else value for name, value in JOURNAL.items()}


def journal_json():
    return b'', [(json.dumps(journal_fields(k)) + '\n').encode() for k in range(PIECES)], b''


def journal_export():
    return b'', [''.join('%s=%s\n' % item for item in journal_fields(k).items()).encode() + b'\n'
                 for k in range(PIECES)], b''


def perf():
    block = 'task 12/13 [001] %d.%09d: 7 cycles:u: \n\t    ffff81 fn%d+0x1 ([kernel.kallsyms])\n\t    40 main (/bin/a)\n\n'
    return b'', [(block % (*divmod(at(k), 10**9), k)).encode() for k in range(PIECES)], b''


def instruments():
    head = (b'<?xml version="1.0"?>\n<trace-query-result>\n<node><schema name="time-profile"><col><mnemonic>time</mnemonic>'
            b'</col><col><mnemonic>thread</mnemonic></col><col><mnemonic>stack</mnemonic></col></schema>\n')
    row = ('<row><sample-time id="%d">%d</sample-time><thread id="%d" fmt="t"><tid>%d</tid></thread>'
           '<backtrace id="%d"><frame id="%d" name="f%d" addr="0x1"/></backtrace></row>\n')
    return head, [(row % (10 * k + 1, at(k), 10 * k + 2, k, 10 * k + 3, 10 * k + 4, k)).encode()
                  for k in range(PIECES)], b'</node></trace-query-result>\n'


def fuchsia():
    def word(v):
        return struct.pack('<Q', v & (1 << 64) - 1)
    head = (word(0x0016547846040010) + word(1 | 2 << 4) + word(10**9) +
            word(2 | 2 << 4 | 1 << 16 | 3 << 32) + b'cat\0\0\0\0\0' +
            word(3 | 3 << 4 | 1 << 16) + word(100) + word(101))
    pieces = []
    for k in range(PIECES):
        name = (b'e%d' % k).ljust(8, b'\0')
        pieces.append(word(4 | 3 << 4 | 0 << 16 | 1 << 24 | 1 << 32 | (0x8000 | len(b'e%d' % k)) << 48) + word(at(k)) + name)
    return head, pieces, b''


def gecko():
    head = ('{"meta":{"startTime":0,"interval":1,"processType":0},"libs":[],"threads":[{"name":"T","tid":5,"pid":1,'
            '"stringTable":["m"],"frameTable":{"schema":{"location":0},"data":[[0]]},'
            '"stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0]]},'
            '"samples":{"schema":{"stack":0,"time":1},"data":[\n').encode()
    pieces = [('%s[0,%d.%06d]\n' % (',' if k else '', *divmod(at(k), 10**6))).encode() for k in range(PIECES)]
    return head, pieces, b']}}]}'


def otlp_span(k):
    return ('{"traceId":"%032x","spanId":"%016x","name":"e%d","kind":2,"startTimeUnixNano":"%d","endTimeUnixNano":"%d",'
            '"attributes":[{"key":"k","value":{"intValue":"%d"}}],"status":{}}' % (k + 1, k + 1, k, at(k), at(k) + 10, k))


OTLP_HEAD = ('{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"s"}}]},'
             '"scopeSpans":[{"scope":{"name":"l"},"spans":[')


def otlp():
    return OTLP_HEAD.encode(), [(',\n'[not k:] + otlp_span(k)).encode() for k in range(PIECES)], b']}]}]}'


def otlp_lines():
    return b'', [(OTLP_HEAD + otlp_span(k) + ']}]}]}\n').encode() for k in range(PIECES)], b''


def jaeger():
    piece = ('{"traceID":"1f","spanID":"%x","operationName":"e%d","references":[],"startTime":%d,"duration":1,'
             '"tags":[{"key":"k","type":"int64","value":%d}],"logs":[],"processID":"p1","warnings":null}')
    return (b'{"data":[{"traceID":"1f","spans":[',
            [(',\n'[not k:] + piece % (k + 1, k, at(k) // 1000, k)).encode() for k in range(PIECES)],
            b'],"processes":{"p1":{"serviceName":"s","tags":[]}},"warnings":null}],"total":0,"errors":null}')


def zipkin():
    piece = ('{"traceId":"%032x","id":"%016x","kind":"SERVER","name":"e%d","timestamp":%d,"duration":1,'
             '"localEndpoint":{"serviceName":"s"},"tags":{"k":"%d"}}')
    return (b'[', [(',\n'[not k:] + piece % (k + 1, k + 1, k, at(k) // 1000, k)).encode() for k in range(PIECES)], b']')


FORMATS = {'proto': proto, 'json': json_object, 'systrace': systrace, 'strace': strace, 'logcat': logcat,
           'journal_json': journal_json, 'journal_export': journal_export, 'perf_script': perf,
           'instruments': instruments, 'fuchsia': fuchsia, 'gecko': gecko,
           'otlp': otlp, 'otlp_lines': otlp_lines, 'jaeger': jaeger, 'zipkin': zipkin}
# A Fuchsia trace continues at the next provider's section.
ENDS_AT_DAMAGE = ('fuchsia',)
OFFSET = {'strace': 10**18}


class File:
    def __init__(self, name):
        head, self.pieces, tail = FORMATS[name]()
        self.name, self.data = name, head + b''.join(self.pieces) + tail
        self.endless = not tail  # the format does not show whether a file is complete
        self.starts, here = [], len(head)
        for piece in self.pieces:
            self.starts.append(here)
            here += len(piece)
        self.end = here

    def piece_at(self, byte):
        return max([k for k, start in enumerate(self.starts) if start <= byte], default=0)


def damages(file):
    """Yields all kinds of damage: (what, damaged bytes, place, first and last damaged piece)."""
    data, middle = file.data, file.starts[PIECES // 2]
    length = len(file.pieces[PIECES // 2])
    for k in (3, PIECES // 2, PIECES - 1):
        for inside in (1, len(file.pieces[k]) // 2, len(file.pieces[k]) - 1):
            yield 'cut', data[:file.starts[k] + inside], file.starts[k] + inside, (k, PIECES)
        yield 'cut between', data[:file.starts[k]], file.starts[k], (k, PIECES)
    for inside in range(0, length, 3):
        for bit in (0, 2, 5, 7):
            b = bytearray(data)
            b[middle + inside] ^= 1 << bit
            yield 'bit %d' % bit, bytes(b), middle + inside, (PIECES // 2, PIECES // 2)
    for inside in range(0, length, 5):
        for junk in (b'\0', b'\x1b', b'\xff', b'\n', b'NaN', b'"', b'}', b'\0' * 50):
            yield 'insert %r' % junk, data[:middle + inside] + junk + data[middle + inside:], middle + inside, (
                PIECES // 2 - (inside == 0), PIECES // 2)
    for size in (1, length, 3 * length + 1, 200):
        yield 'hole of %d' % size, data[:middle + 5] + data[middle + 5 + size:], middle + 5, (
            PIECES // 2, file.piece_at(middle + 5 + size))
        yield 'zeros', data[:middle + 5] + bytes(size) + data[middle + 5 + size:], middle + 5, (
            PIECES // 2, file.piece_at(middle + 5 + size))


def write_tar(path, members):
    with tarfile.open(path, mode='w', format=tarfile.USTAR_FORMAT) as t:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))


def merge(path, how, *options):
    return subprocess.run(['tm-merge', '--on-damage=' + how, *options, path], capture_output=True, timeout=600)


class Wrong(Exception):
    pass


def output(path, how, *options):
    done = merge(path, how, *options)
    if done.returncode:
        raise Wrong('%s: status %d: %s' % (how, done.returncode, done.stderr.decode()))
    return done.stdout.decode('utf-8', 'surrogateescape')


def times_of(file, path, how):
    """Returns the times of events by member."""
    times = collections.defaultdict(list)
    for row in map(json.loads, output(path, how, '-f', 'jsonl', '--events').splitlines()):
        if 'ts' in row and not row.get('definition'):
            times[row['file']].append(row['ts'] - OFFSET.get(file.name, 0))
    return times


def check_kept(file, case, how, times, accounted):
    want = {at(k) for k in range(PIECES)}
    what, where, (first, last) = case.what, case.where, case.touched
    goes_on = how == 'salvage' and file.name not in ENDS_AT_DAMAGE
    for k in range(PIECES):
        if (k < first - 1 or (goes_on and k > last + 2)) and at(k) not in times:
            raise Wrong('event %d of %d..%d is lost' % (k, first, last))
    others = [t for t in times if t not in want]
    if len(others) > last - first + 2:
        raise Wrong('%d events that were not there: %s' % (len(others), others[:5]))
    # A packet or line that is cut at its edge looks complete, and so can two halves that happen to fit.
    unseen = last - first + 1 if what.startswith('hole') or (what.startswith('cut') and file.endless) else 0
    unseen += file.endless and where + 1 in file.starts  # two lines that become one
    if PIECES - len(times) > unseen and not accounted:
        raise Wrong('%d events are gone without an account' % (PIECES - len(times)))


def holds(file, case, failed, check):
    """Runs CHECK and reports the first few failures."""
    try:
        check()
        return True
    except (Wrong, subprocess.TimeoutExpired, ValueError) as e:
        if failed < int(os.environ.get('TM_DAMAGE_SHOWN', '10')):
            inside = file.piece_at(case.where)
            print('%s: %s at byte %d (%d in event %d): %s' % (
                file.name, case.what, case.where, case.where - file.starts[inside], inside, e))
        return False


class Case:
    def __init__(self, number, what, data, where, touched):
        self.member, self.what, self.data, self.where, self.touched = 'member%d' % number, what, data, where, touched
        self.halted = False


def halt_of(path, is_merged):
    """Checks a merge of PATH with halt. Its error is that of tm-unpack, which runs alone unless IS_MERGED."""
    if not is_merged:
        halt = subprocess.run(['tm-unpack', '--on-damage=halt', path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              timeout=600)
        if halt.returncode:
            return halt
    return merge(path, 'halt', '-f', 'report', '--json')


def check_halt(case, folder, is_merged):
    path = os.path.join(folder, 'run.tar')
    write_tar(path, [(case.member, case.data)])
    halt = halt_of(path, is_merged)
    said = halt.stderr.decode()
    if halt.returncode not in (0, 1):
        raise Wrong('halt: status %d: %s' % (halt.returncode, said))
    if halt.returncode == 1:
        case.halted = True
        found = re.fullmatch(r'tm-\w+: %s: %s: (?:perfetto blobs: )?byte (\d+): [^\0-\x1f]+\n' % (
            re.escape(path), case.member), said)
        if not found:
            raise Wrong('halt: says %r' % said)
        if 'blobs' not in said and not case.where - NEAR <= int(found.group(1)) <= case.where + NEAR:
            raise Wrong('halt: names byte %s' % found.group(1))


def check_report(file, case, how, report, times):
    of_file, = (f for f in report['files'] if f['path'] == case.member)
    accounted = of_file['dropped'] or of_file['skipped_bytes'] or any(s.get('file') == of_file['id'] for s in report['stats'])
    if not of_file['balanced']:
        raise Wrong(how + ': accounts do not balance')
    if case.halted and not of_file['dropped']:
        raise Wrong(how + ': nothing is accounted')
    check_kept(file, case, how, times[case.member], accounted)


def main():
    failed, every = 0, 1
    if sys.argv[1:2] == ['-n']:
        every = int(sys.argv[2])
        del sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or FORMATS:
            file, kept, path = File(name), 0, os.path.join(folder, 'all.tar')
            sorts = [('nothing', file.data, 0, (PIECES + 1, PIECES))] + list(damages(file))[::every]
            cases = [Case(number, *sort) for number, sort in enumerate(sorts)]
            write_tar(path, [(case.member, case.data) for case in cases])
            for case in cases:
                failed += not holds(file, case, failed, lambda: check_halt(case, folder, not any(c.halted for c in cases)))
            for how in ('skip', 'salvage'):
                report, times = json.loads(output(path, how, '-f', 'report', '--json')), times_of(file, path, how)
                for case in cases:
                    failed += not holds(file, case, failed, lambda: check_report(file, case, how, report, times))
                kept += sum(map(len, times.values()))
            print('%s: %d damaged files, %d an error, %d events kept' % (
                name, len(cases), sum(case.halted for case in cases), kept))
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
