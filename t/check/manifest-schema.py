"""Checks manifests against doc/perfetto_manifest.schema.json and against tm-manifest --check.

usage: manifest-schema.py SCHEMA MANPAGE

Supports only the keywords that the schema uses. A manifest that tm-manifest accepts must be valid by the schema. The
schema must refuse the bad manifests that are marked for it.
"""
import json
import re
import subprocess
import sys

KINDS = {'object': dict, 'array': list, 'string': str}
IGNORED = {'$schema', 'title', 'description', 'default', 'definitions'}


def is_type(value, name):
    if name == 'integer':
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, KINDS[name])


def valid(value, schema, root):
    for key, rule in schema.items():
        if key == '$ref':
            ok = valid(value, root['definitions'][rule.split('/')[-1]], root)
        elif key == 'type':
            ok = any(is_type(value, t) for t in ([rule] if isinstance(rule, str) else rule))
        elif key == 'enum':
            ok = value in rule
        elif key == 'required':
            ok = not isinstance(value, dict) or all(k in value for k in rule)
        elif key == 'properties':
            ok = not isinstance(value, dict) or all(valid(value[k], s, root) for k, s in rule.items() if k in value)
        elif key == 'additionalProperties':
            ok = not isinstance(value, dict) or all(valid(v, rule, root) for k, v in value.items()
                                                    if k not in schema.get('properties', {}))
        elif key == 'propertyNames':
            ok = not isinstance(value, dict) or all(valid(k, rule, root) for k in value)
        elif key == 'dependencies':
            ok = not isinstance(value, dict) or all(d in value for k, ds in rule.items() if k in value for d in ds)
        elif key == 'items':
            ok = not isinstance(value, list) or all(valid(v, rule, root) for v in value)
        elif key in ('minItems', 'maxItems'):
            ok = not isinstance(value, list) or (len(value) >= rule if key == 'minItems' else len(value) <= rule)
        elif key == 'minLength':
            ok = not isinstance(value, str) or len(value) >= rule
        elif key == 'minimum':
            ok = isinstance(value, str) or not is_type(value, 'integer') or value >= rule
        elif key == 'maximum':
            ok = isinstance(value, str) or not is_type(value, 'integer') or value <= rule
        elif key == 'not':
            ok = not valid(value, rule, root)
        elif key == 'allOf':
            ok = all(valid(value, s, root) for s in rule)
        elif key in IGNORED:
            ok = True
        else:
            sys.exit('schema keyword %s is not known to this test' % key)
        if not ok:
            return False
    return True


def manifest(**fields):
    return {'perfetto_manifest': dict({'version': 1}, **fields)}


def one(**fields):
    return manifest(files=[{'path': 'p', 'machine': {'name': 'm'}}, dict({'path': 'a'}, **fields)])


def clocks(**fields):
    return one(clocks=dict({'sync_to': {'file': 'p'}}, **fields))


def line(**fields):
    return clocks(offset_ns=5, x_tracemerge=fields)


good = [manifest(), manifest(x=1, files=[], attributes={}), one(machines=[]), one(machines=[{'id': 0, 'name': 'm'}]),
        clocks(), clocks(offset_ns=-9223372036854775807), clocks(clock='REALTIME', sync_to={'file': 'p', 'machine': 'm'}),
        manifest(attributes={'a': '', 'b': -9223372036854775808}), one(machine={'name': 'x', 'y': []}),
        manifest(trace_time={'clock': 'MONOTONIC_RAW'}), line(), clocks(x_tracemerge={}), line(points=[[1, 5]], uncertainty_ns=0, y=1),
        line(points=[[1, 5], [2, -5], [10, 5]], rule='flows')]
seen = [{}, [], {'perfetto_manifest': 1}, {'perfetto_manifest': {}}, manifest(version=2), manifest(version='1'),
        manifest(files={}), manifest(files=[1]), manifest(files=[{}]), one(path=3), one(machine='m'), one(machine={}),
        one(machine={'name': ''}), one(machine={'name': 'a'}, machines=[]), one(machines={}),
        one(machines=[{'id': -1, 'name': 'a'}]), one(machines=[{'id': 4294967296, 'name': 'a'}]),
        one(machines=[{'id': 1}]), one(machines=[{'name': 'a'}]), one(machines=[{'id': 1, 'name': ''}]),
        one(clocks={}), one(clocks=None), clocks(sync_to={}), clocks(sync_to={'machine': 'm'}), clocks(clock='TSC'),
        clocks(offset_ns='1'), clocks(offset_ns=1.5), clocks(offset_ns=-9223372036854775808),
        clocks(sync_to={'file': 'p', 'clock': 6}), manifest(trace_time={}), manifest(trace_time={'clock': 'X'}),
        manifest(trace_time={'clock': 'BOOTTIME', 'machine': 'm'}), manifest(attributes=[]),
        clocks(x_tracemerge=[]), line(points={}), line(points=[]), line(points=[[1]]), line(points=[[1, 5, 5]]),
        line(points=[[1, '5']]), line(uncertainty_ns=-1), line(rule=1),
        manifest(attributes={'': 1}), manifest(attributes={'a': None}), manifest(attributes={'a': 9223372036854775808})]
unseen = [clocks(sync_to={'file': 'ghost'}), clocks(machine='x'), manifest(files=[{'path': 'a'}, {'path': 'a'}]),
          one(machines=[{'id': 1, 'name': 'a'}, {'id': 1, 'name': 'b'}]), line(points=[[1, 5], [1, 5]]),
          line(points=[[1, 6]]), clocks(x_tracemerge={'points': [[1, 0]]})]

schema = json.load(open(sys.argv[1]))
blocks = re.findall(r'^\.Bd -literal[^\n]*\n(\{.*?)^\.Ed', open(sys.argv[2]).read(), re.S | re.M)
good += [json.loads(b) for b in blocks]
failures = 0
for cases, want_valid, want_status in ((good, True, 0), (seen, False, 1), (unseen, True, 1)):
    for case in cases:
        checked = subprocess.run(['tm-manifest', '--check', '-'], input=json.dumps(case).encode(), capture_output=True)
        got = valid(case, schema, schema), checked.returncode
        if got != (want_valid, want_status):
            failures += 1
            print('%s: valid %s, status %d: %s' % (json.dumps(case), got[0], got[1], checked.stderr.decode()))
print('%d manifests, %d of them in the manual' % (len(good) + len(seen) + len(unseen), len(blocks)))
sys.exit(1 if failures or len(blocks) < 3 else 0)
