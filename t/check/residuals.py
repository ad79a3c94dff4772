#!/usr/bin/env python3
"""Measures the error of a file's placement by a hint.

usage: residuals.py TRACES [--table]

TRACES is a folder of real traces. sys_boot.pftrace, chrome.json, node.json, clang.json, firefox.json and ftrace.txt in
it were recorded on one machine at one time. They are merged with --hints (tm-merge is found in PATH) and compared with
the kernel's scheduling in sys_boot.pftrace:

- A thread can record an event only while it runs. `on_cpu` is the number of a file's events at times when the kernel
  ran their thread. `best` is the largest such number if the whole file is shifted, and `from`, `to` are the shifts in
  nanoseconds that give it, up to a millisecond either way. For a file that is placed well, 0 is between them, or as far
  from them as the precision of its times.
- `pair` is the event closest after the kernel's switch to its thread.
- ftrace.txt has the same switches as the kernel's trace: the table has their distance.
"""
import bisect, collections, json, os, subprocess, sys, tarfile, tempfile

FILES = {'sys_boot.pftrace': 'kernel-with-pinned-json', 'chrome.json': 'browser-json-node-clang',
         'node.json': 'browser-json-node-clang', 'clang.json': 'browser-json-node-clang', 'firefox.json': 'firefox',
         'ftrace.txt': 'ftrace-text'}
REACH = 1000000
NO_MOMENT = 'sample', 'process', 'thread', 'counter'  # recorded by another thread, or by none


def read(folder):
    """Returns the tasks that the kernel ran, its switches and those of the text, by cpu, and the events of each file
    by thread."""
    runs, events = collections.defaultdict(list), collections.defaultdict(list)
    switches, running = collections.defaultdict(list), {}
    with subprocess.Popen(['tm-merge', '--hints', '-f', 'jsonl', '--events', *FILES], cwd=folder, stdout=subprocess.PIPE) as p:
        for line in p.stdout:
            e = json.loads(line)
            name = e.get('file')
            if e['kind'] == 'sched_switch':
                switches[name, e['cpu']].append((e['ts'], e['prev_tid'], e['next_tid']))
                if name == 'sys_boot.pftrace':
                    if e['cpu'] in running:
                        tid, since = running[e['cpu']]
                        runs[tid].append((since, e['ts']))
                    running[e['cpu']] = e['next_tid'], e['ts']
            elif name and name.endswith('.json') and 'tid' in e and 'ts' in e and e['kind'] not in NO_MOMENT and \
                    not e.get('name', '').startswith('Total '):  # sums of clang have no time of their own
                events[name].append((e['tid'], e['ts'], e.get('name', '')))
    assert p.returncode == 0
    return runs, switches, events


def fit(runs, events):
    """Returns how many EVENTS are in their thread's RUNS, how many at most if shifted, those shifts, and the closest
    pair."""
    steps, total, on_cpu, pair = collections.Counter(), 0, 0, None
    starts = {tid: [a for a, _ in r] for tid, r in runs.items()}
    for tid, ts, name in events:
        if tid not in runs:
            continue
        total += 1
        i = bisect.bisect_right(starts[tid], ts) - 1
        if i >= 0 and ts <= runs[tid][i][1]:
            on_cpu += 1
            closest = (ts - starts[tid][i], starts[tid][i], tid, name)
            pair = min(pair, closest) if pair else closest
        for a, b in runs[tid][max(bisect.bisect_left(starts[tid], ts - REACH) - 1, 0):]:
            if a > ts + REACH:
                break
            if b >= ts - REACH:
                steps[max(a - ts, -REACH)] += 1
                steps[min(b - ts, REACH) + 1] -= 1
    best, count, spans, at = 0, 0, [], sorted(steps)
    for k, step in enumerate(at):
        count += steps[step]
        if count > best:
            best, spans = count, []
        if count == best:
            spans.append((step, at[k + 1] - 1 if k + 1 < len(at) else REACH))
    return {'events': total, 'on_cpu': on_cpu, 'best': best, 'from': spans[0][0], 'to': spans[-1][1], 'pair': pair}


def compare(kernel, text):
    """Returns the distances of the switches in TEXT from the nearest of KERNEL between the same threads, and those
    without one."""
    times = [k[0] for k in kernel]
    found, missing = [], 0
    for ts, old, new in text:
        near = kernel[bisect.bisect_left(times, ts - 20000):bisect.bisect_right(times, ts + 20000)]
        near = [ts - k[0] for k in near if k[1:] == (old, new)]
        found += [min(near, key=abs)] if near else []
        missing += not near
    return found, missing


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, case in FILES.items():
            with tarfile.open(os.path.join(sys.argv[1], case, 'input.tar.gz')) as tar, \
                    open(os.path.join(folder, name), 'wb') as out:
                out.write(tar.extractfile(name).read())
        runs, switches, events = read(folder)
    for name in sorted(events):
        f = fit(runs, events[name])
        after, at, tid, what = f.pop('pair')
        print(name, *('%s=%d' % item for item in f.items()), 'pair: %d ns after the switch to %d at %d: %s' % (after, tid, at, what))
    found, missing = [], 0
    for file, cpu in list(switches):
        if file == 'ftrace.txt':
            near, none = compare(switches['sys_boot.pftrace', cpu], switches[file, cpu])
            found += near
            missing += none
    found.sort()
    print('ftrace.txt switches=%d missing=%d median=%d p1=%d p99=%d' % (
        len(found), missing, found[len(found) // 2], found[len(found) // 100], found[-len(found) // 100]))


if __name__ == '__main__':
    main()
