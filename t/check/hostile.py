#!/usr/bin/env python3
"""Runs programs over hostile inputs: hostile.py CASE... | --list | --figures

Each case makes an input that takes about a second, runs a program over it, and checks exit status, message, time and
memory. --figures runs all cases at full size (TM_HOSTILE_SCALE times as large, default 10) and prints a table: size of
the input, status, CPU seconds, and peak MiB of the largest process. With TM_HOSTILE_NO_MEMORY memory and time are not
checked (for sanitizers).
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import hostile_inputs as inputs

PIPE = ['tm-merge', '-f', 'report']
SALVAGE = PIPE + ['--on-damage=salvage', '--ignore-unknown']
UNPACK = ['tm-unpack']
CUT = 'cut short|missing|past the end|beyond|larger than|damaged|no central'

# command, exit status, message, limits in MiB and seconds
CASES = [
    (inputs.tar_size_past_end, UNPACK, 1, 'a.json: byte 70: cut short', 30, 2),
    (inputs.tar_size_past_end, SALVAGE, 0, 'cut short', 30, 2),
    (inputs.tar_size_negative, UNPACK, 1, 'size', 30, 2),
    (inputs.tar_size_huge, UNPACK, 1, 'size', 30, 2),
    (inputs.tar_long_name_lies, UNPACK, 1, 'limit', 30, 2),
    (inputs.tar_pax_lies, UNPACK, 1, 'PAX', 30, 2),
    (inputs.zip_size_past_end, UNPACK, 1, '.', 30, 2),
    (inputs.zip_offset_past_end, UNPACK, 1, '.', 30, 2),
    (inputs.zip_size_understated, UNPACK, 1, '.', 30, 2),
    (inputs.zip_overlap, UNPACK, 1, 'larger than the ZIP, or overlaps', 30, 2),
    (inputs.proto_length_past_end, UNPACK, 1, 'cut short', 30, 2),
    (inputs.proto_length_past_end, SALVAGE, 0, '', 30, 2),
    (inputs.proto_length_huge, UNPACK, 1, 'byte', 30, 2),
    (inputs.proto_inner_length, PIPE, 1, 'byte 0: packet with damaged fields', 40, 2),
    (inputs.proto_inner_length, SALVAGE, 0, '', 40, 2),
    (inputs.gzip_bomb, PIPE, 0, '', 100, 20),
    (inputs.gzip_in_gzip, UNPACK, 1, 'no line is an event', 60, 10),
    (inputs.gzip_in_members, UNPACK, 0, '', 20, 10),
    (inputs.deep_containers, UNPACK, 1, 'containers nest deeper than 8', 30, 2),
    (inputs.zip_bomb, PIPE, 0, '', 100, 20),
    (inputs.zstd_bomb, UNPACK, 1, 'no line is an event', 60, 10),
    (inputs.json_nesting, UNPACK, 1, 'nest|deep', 200, 5),
    (inputs.json_nesting_top, UNPACK, 1, 'nest|deep', 200, 5),
    (inputs.json_wide, PIPE, 0, '', 300, 10),
    (inputs.json_number, PIPE, 0, '', 60, 10),
    (inputs.json_number, PIPE + ['--strict'], 4, '2 of 2 events were dropped', 60, 10),
    (inputs.proto_nesting, PIPE, 0, '', 60, 10),
    (inputs.proto_tiny, PIPE, 0, '', 100, 20),
    (inputs.proto_compressed_bomb, PIPE, 0, '', 100, 20),
    (inputs.proto_compressed_nested, UNPACK, 1, 'byte', 60, 5),
    (inputs.proto_sequences, PIPE, 0, '', 200, 20),
    (inputs.repeated_key, UNPACK, 0, '', 30, 2),
    (inputs.repeated_text, UNPACK, 0, '', 30, 2),
    (inputs.repeated_padding, UNPACK, 0, '', 30, 2),
    (inputs.repeated_frame_padding, UNPACK, 0, '', 30, 2),
    (inputs.repeated_category, UNPACK, 0, '', 30, 2),
    (inputs.repeated_string, UNPACK, 0, '', 30, 2),
    (inputs.repeated_stat, UNPACK, 0, '', 30, 2),
    (inputs.repeated_frame, UNPACK, 0, '', 30, 2),
    (inputs.repeated_stack, UNPACK, 0, '', 60, 2),
    (inputs.tar_million_files, PIPE, 0, '', 400, 60),
    (inputs.tar_too_many_files, UNPACK + ['--ignore-unknown'], 1, 'more than the limit of 1048576 members', 400, 20),
    (inputs.tar_nested_folders, UNPACK + ['--list'], 0, '', 400, 2),
    (inputs.name_of_a_megabyte, UNPACK, 1, 'more than the limit', 30, 2),
    (inputs.event_name_of_megabytes, ['tm-merge', '-f', 'sqlite', '-o', 'out.db'], 0, '', 400, 10),
    (inputs.packet_name_largest, ['tm-merge', '-f', 'sqlite', '-o', 'out.db'], 0, '', 330, 10),
    (inputs.packet_name_too_large, UNPACK, 1, r'byte \d+: packet with a length past the limit of 67108864', 30, 5),
    (inputs.packet_name_too_large, SALVAGE, 0, '', 60, 20),
    (inputs.line_without_end, UNPACK, 0, '', 60, 5),
    (inputs.xml_entities, UNPACK, 1, 'byte', 30, 2),
    (inputs.xml_nesting, UNPACK, 1, 'deep|nest|limit', 60, 5),
    (inputs.clocks_dense, PIPE, 0, '', 100, 20),
    (inputs.clocks_chain, PIPE, 0, '', 100, 20),
    (inputs.clocks_new_each_time, PIPE, 0, '', 100, 30),
    (inputs.snapshot_overflow, PIPE, 0, '', 60, 2),
    (inputs.snapshot_wide, PIPE, 1, 'byte 0: clock snapshot with more than 1024 clocks', 60, 5),
    (inputs.manifest_huge, UNPACK, 1, 'limit', 300, 10),
    (inputs.manifest_huge, ['tm-manifest', '--check', '-'], 1, 'limit', 300, 10),
    (inputs.manifest_many, ['tm-manifest', '--check', '-'], 0, '', 300, 10),
    (inputs.manifest_nesting, ['tm-manifest', '--check', '-'], 1, 'deep|nest', 200, 10),
    (inputs.names_with_escapes, ['tm-merge', '-f', 'text'], 0, '', 60, 5),
    (inputs.names_with_escapes, ['tm-merge', '-f', 'report'], 0, '', 60, 5),
    (inputs.names_with_escapes, ['tm-merge', '-f', 'csv'], 0, '', 60, 5),
    (inputs.names_with_escapes, ['tm-merge', '-f', 'csv', '--events'], 0, '', 60, 5),
    (inputs.names_with_escapes, ['tm-merge', '-f', 'jsonl'], 0, '', 60, 5),
    (inputs.names_with_escapes, ['tm-merge', '-f', 'jsonl', '--events'], 0, '', 60, 5),
    (inputs.names_with_escapes, ['tm-merge', '-f', 'json'], 0, '', 60, 5),
    (inputs.names_with_escapes, ['tm-merge', '-f', 'sqlite', '-o', 'out.db'], 0, '', 60, 5),
    (inputs.names_with_escapes, ['bash', '-c', 'tm-unpack | tm-emit -f frames'], 0, '', 60, 5),
    (inputs.names_with_escapes, ['tm-merge', '-f', 'pftrace'], 2, 'terminal', 60, 5),
    (inputs.names_with_escapes, ['tm-unpack', '--list'], 0, '', 30, 2),
    (inputs.unknown_with_escapes, UNPACK, 1, 'unknown trace type', 30, 2),
]


# A small process around the command, so that its figures are the command's alone. With "pty" as first argument the
# command's standard output is a terminal.
RUNNER = """
import json, os, pty, resource, sys
kind, figures, *command = sys.argv[1:]
master, slave = pty.openpty() if kind == 'pty' else (-1, 1)
pid = os.fork()
if pid == 0:
    os.dup2(slave, 1)
    os.execvp(command[0], command)
if kind == 'pty':
    os.close(slave)
    try:
        while True:
            os.write(1, os.read(master, 65536))
    except OSError:
        pass
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
use = resource.getrusage(resource.RUSAGE_CHILDREN)
json.dump([status, use.ru_utime + use.ru_stime, use.ru_maxrss / 1024], open(figures, 'w'))
"""


def on_terminal(make, command):
    return 'names' in make.__name__ and 'out.db' not in command


def are_terminals():
    try:
        for fd in os.openpty():
            os.close(fd)
        return True
    except OSError:
        return False


def run(make, command):
    """Returns (status, messages, stdout, bytes of input, CPU seconds, peak MiB of the largest process, its files)."""
    data = make()
    total = 0
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as aside:
        with open(aside + '/out', 'w+b') as out, open(aside + '/said', 'w+b') as said:
            kind = 'pty' if on_terminal(make, command) else '-'
            p = subprocess.Popen([sys.executable, '-S', '-E', '-c', RUNNER, kind, aside + '/figures', *command],
                                 stdin=subprocess.PIPE, stdout=out, stderr=said, cwd=folder)
            try:
                for part in [data] if isinstance(data, bytes) else data:
                    total += len(part)
                    p.stdin.write(part)
                p.stdin.close()
            except BrokenPipeError:
                pass
            p.wait()
            out.seek(0)
            said.seek(0)
            status, seconds, mib = json.load(open(aside + '/figures'))
            return (status, said.read().decode('utf-8', 'replace'), out.read(), total, seconds, mib, os.listdir(folder))


def check(case):
    make, command, want, says, most_mib, most_seconds = case
    status, said, out, total, seconds, mib, files = run(make, command)
    wrong = []
    if status != want:
        wrong.append('status %d, not %d' % (status, want))
    if not re.search(says, said):
        wrong.append('does not say "%s"' % says)
    if re.search('[\0-\x08\x0b-\x1f\x7f\x80-\x9f]', said):
        wrong.append('a message with control characters')
    shown = re.sub(b'\r+\n', b'\n', out)  # terminals add returns, and CSV contains some
    if 'names' in make.__name__ and re.search(rb'[\0-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]', shown):
        wrong.append('output with control characters')
    if not os.environ.get('TM_HOSTILE_NO_MEMORY') and (mib > most_mib or seconds > most_seconds * inputs.SCALE):
        wrong.append('%d MiB and %.1f s, more than %d and %d' % (mib, seconds, most_mib, most_seconds * inputs.SCALE))
    if files not in ([], ['out.db']):
        wrong.append('left files: %s' % files)
    figures = '%-24s %-38s %d %9d %6.2f %5d' % (make.__name__, ' '.join(command), status, total, seconds, mib)
    return figures, wrong, said


def main():
    if sys.argv[1] == '--list':
        print('\n'.join(dict.fromkeys(case[0].__name__ for case in CASES)))
        return
    if sys.argv[1] == '--figures':
        inputs.SCALE = int(os.environ.get('TM_HOSTILE_SCALE', '10'))
    failed = False
    for case in CASES:
        if sys.argv[1] != '--figures' and case[0].__name__ not in sys.argv[1:]:
            continue
        if on_terminal(*case[:2]) and not are_terminals():
            print('%-24s %s: no pseudo-terminals here' % (case[0].__name__, ' '.join(case[1])))
            continue
        figures, wrong, said = check(case)
        print(figures, flush=True)
        for text in wrong:
            failed = True
            print('    %s: %s' % (text, said[:300]), flush=True)
    sys.exit(failed)


main()
