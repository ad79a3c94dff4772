# Hints compared with the kernel's scheduling: real traces of one machine, recorded at the same time
# (doc/benchmarks.md).

load lib/common

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
    for traces in "${TM_TRACES:-}" "$TM_SRC/../shared/traces" "$TM_SRC/../../shared/traces"; do
        [ -n "$traces" ] && [ -f "$traces/firefox/input.tar.gz" ] && break
    done
    [ -f "$traces/firefox/input.tar.gz" ] || skip "the real traces are not there"
    only_unsanitized "takes long when sanitized"
    export TMPDIR=$BATS_TEST_TMPDIR
}

@test "threads record events when the kernel ran them, within the precision of each file's times" {
    python3 "$TM_SRC/t/check/residuals.py" "$traces" >table
    python3 - <<'PY'
rows = {line.split()[0]: dict(w.split('=') for w in line.split() if '=' in w) for line in open('table')}
# file: the share of its events that must be at a time when their thread ran, and the largest distance (ns) of the best
# offset
for name, share, reach in (('chrome.json', .98, 0), ('node.json', .999, 0), ('clang.json', .99, 1000), ('firefox.json', .92, 1200)):
    r = {k: int(v) for k, v in rows[name].items() if v.lstrip('-').isdigit()}
    assert r['on_cpu'] >= share * r['events'], (name, r)
    assert r['best'] - r['on_cpu'] <= .001 * r['events'], (name, r)
    assert r['from'] <= reach and r['to'] >= -reach, (name, r)
r = {k: int(v) for k, v in rows['ftrace.txt'].items()}
assert r['missing'] <= .005 * r['switches'] and abs(r['median']) <= 500 and r['p1'] >= -1000 and r['p99'] <= 1000, r
PY
}
