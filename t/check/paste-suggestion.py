#!/usr/bin/env python3
"""Follows an explanation: puts its suggestions, or the assumptions that it states, into a manifest.

usage: paste-suggestion.py EXPLANATION [MANIFEST] >MANIFEST

The lines of JSON in EXPLANATION are a whole manifest, or entries of `files` and a "trace_time" for MANIFEST. Without
MANIFEST, a manifest that lists no file is used. The number in $BY is added to the offset_ns of the entries.
"""
import json
import os
import sys

text = open(sys.argv[1]).read()
start = text.find('    {"perfetto_manifest"')
if start >= 0:
    whole, _ = json.JSONDecoder().raw_decode(text[start + 4:])
else:
    whole = {'perfetto_manifest': {'version': 1, 'files': []}}
    if len(sys.argv) > 2:
        whole = json.load(open(sys.argv[2]))
    body = whole['perfetto_manifest']
    for line in text.splitlines():
        if line.startswith('    {"path"'):
            entry = json.loads(line)
            files = body.setdefault('files', [])
            at = [i for i, f in enumerate(files) if f['path'] == entry['path']]
            if at:
                files[at[0]] = entry
            else:
                files.append(entry)
        elif line.startswith('    "trace_time"'):
            body.update(json.loads('{' + line + '}'))
paths = [f['path'] for f in whole['perfetto_manifest']['files']]
for f in list(whole['perfetto_manifest']['files']):
    if 'clocks' in f:
        f['clocks']['offset_ns'] += int(os.environ.get('BY', 0))
        to = f['clocks']['sync_to']['file']
        if to not in paths:  # the line of a placement names one file
            whole['perfetto_manifest']['files'].append({'path': to})
            paths.append(to)
json.dump(whole, sys.stdout, indent=1)
