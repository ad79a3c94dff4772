"""Merges ranks as a short script does: ten-lines.py OUT IN… loads all files, extends one list, and dumps it."""
import json, sys
out = None
for name in sys.argv[2:]:
    with open(name) as f:
        trace = json.load(f)
    trace = trace if isinstance(trace, dict) else {'traceEvents': trace}
    if out is None:
        out = trace
    else:
        out['traceEvents'].extend(trace['traceEvents'])
with open(sys.argv[1], 'w') as f:
    json.dump(out, f)
