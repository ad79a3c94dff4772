#!/usr/bin/env python3
"""Makes random ftrace text, and compares its database with the threads, slices, counters and scheduling of a model: the
rules of doc/model.md and doc/events.md as plainly as possible. Each case is a file on a machine of its own.

usage: ftrace_text.py TM_MERGE CASES SEED [again]     again: checks a Perfetto trace merged from the cases too
"""
import collections, io, json, os, random, re, sqlite3, subprocess, sys, tarfile, tempfile
import binder
from slices import OPEN, Slices

STATES = 'SDTtXZPxKWNI'
TASKS = {100: 100, 101: 100, 102: 100, 200: 200, 201: 200, 300: 300}  # tid: process
NAMES = {0: '<idle>', 100: 'main', 101: 'a-b', 102: 'x:1/2', 200: 'two', 201: 'two(1)', 300: 'three'}


class Tasks:
    """Threads and processes of one machine. The last thread of a tid is the one that runs."""

    def __init__(self):
        self.threads, self.processes = [], []
        self.of_tid, self.of_pid = collections.defaultdict(list), {}
        self.process(0)
        self.threads[0].update(name='swapper', fixed=True)

    def thread(self, tid):
        return self.of_tid[tid][-1] if self.of_tid[tid] else self.new_thread(tid)

    def new_thread(self, tid):
        self.threads.append({'tid': tid, 'name': None, 'process': None, 'fixed': False})
        self.of_tid[tid].append(self.threads[-1])
        return self.threads[-1]

    def process(self, pid):
        if pid not in self.of_pid:
            self.of_pid[pid] = {'pid': pid, 'name': None}
            self.processes.append(self.of_pid[pid])
            self.thread_in(pid, pid)
        return self.of_pid[pid]

    def thread_in(self, tid, pid):
        process = self.process(pid)
        found = next((t for t in reversed(self.of_tid[tid]) if t['process'] is None or t['process'] is process), None)
        found = found or self.new_thread(tid)
        self.of_tid[tid] = [t for t in self.of_tid[tid] if t is not found] + [found]
        found['process'] = found['process'] or process
        return found

    @staticmethod
    def name(thread, name):
        if not thread['fixed']:
            thread['name'] = name


def end_state(text):
    if text[0] == 'R':
        return 'R+' if text == 'R+' else 'R'
    letters = set(text) - {'|'}
    return ''.join(c for c in STATES if c in letters) if letters <= set(STATES) else None


def integer(text):
    return int(text) if re.fullmatch('[-+]?[0-9]+', text) and abs(int(text)) < 2 ** 63 else None


def parse_mark(text):
    """Returns (phase, pid, fields) of a marker, None if it is none."""
    phase, *f = text.split('|')
    pid = int(f[0]) if f and re.fullmatch('[0-9]+', f[0]) else None
    f = f[1:] + [''] * 4
    if phase == 'E':
        return 'E', pid or 0, ()
    if pid is None or phase not in list('BISFCNGH'):
        return None
    if phase == 'B':
        return 'B', pid, (text.split('|', 2)[2] if text.count('|') > 1 and f[0] + f[1] else '[empty slice name]',)
    if not f[0]:
        return None
    if phase == 'I':
        return phase, pid, (f[0],)
    if phase == 'N':
        return (phase, pid, (f[0], f[1])) if f[1] else None
    number = integer({'G': f[2], 'H': f[2] or f[1]}.get(phase, f[1]))
    if number is None or (phase == 'G' and not f[1]):
        return None
    return phase, pid, (f[0], number, f[1])


def memory_type(kind):
    """Returns the type of a counter's track. KIND is a thread if the counter is of the memory of its process."""
    if isinstance(kind, dict):
        return 'process_memory' if kind['process'] else 'process_memory_thread_fallback'
    return kind


class Model:
    def __init__(self):
        self.tasks, self.slices, self.lanes, self.once = Tasks(), Slices(), collections.defaultdict(list), {}
        self.counters, self.sched, self.running = [], [], {}
        self.binder = binder.Binder(self, '0x%x')
        self.owner = {}  # of tracks: ('thread', thread) or ('process', process, name)

    def lane(self, kind, process, name, cookie, step):
        lanes = self.lanes[kind, id(process), name]
        lane = next((x for x in lanes if x['cookie'] == cookie), None)
        lane = lane or next((x for x in lanes if not x['open']), None)
        if lane is None:
            lane = {'open': 0, 'number': len(lanes)}
            lanes.append(lane)
        lane['cookie'] = cookie
        lane['open'] = max(0, lane['open'] + step) if kind == 'named' else int(step > 0)
        track = kind, id(process), name, lane['number']
        self.owner[track] = 'process', process, name
        return track

    def marker(self, ts, tid, text):
        mark = parse_mark(text)
        if mark is None:
            return
        phase, pid, f = mark
        if phase in 'BEI':
            thread = self.tasks.thread_in(tid, pid) if pid else self.tasks.thread(tid)
            track = 'thread', id(thread)
            self.owner[track] = 'thread', thread
            if phase == 'E':
                self.slices.end(track, ts, None, None)
            else:
                self.slices.begin(track, ts, OPEN if phase == 'B' else 0, None, f[0])
            return
        process = self.tasks.process(pid)
        if phase == 'C':
            self.counters.append((ts, f[0], float(f[1]), 'atrace_counter', None))
        elif phase == 'N':
            track = 'instants', id(process), f[0]
            self.owner[track] = 'process', process, f[0]
            self.slices.begin(track, ts, 0, None, f[1])
        else:
            begins = phase in 'SG'
            track = self.lane('named' if phase in 'GH' else 'async', process, f[0], f[1], 1 if begins else -1)
            if phase == 'S':
                self.once[track] = self.once.get(track, (0,))[0] + 1, ts
            if not begins:
                row = self.slices.end(track, ts, None, None)
                if row and phase == 'F':
                    row['args'] += zip(('legacy_unnestable_begin_count', 'legacy_unnestable_last_begin_ts'), self.once[track])
            elif phase == 'G' or not self.slices.stacks[track]:
                if self.slices.begin(track, ts, OPEN, None, f[2] if phase == 'G' else f[0]) and phase == 'S':
                    self.slices.rows[-1]['args'] = [('cookie', f[1])]

    def switch(self, ts, cpu, a):
        following = self.tasks.thread(a['next_pid'])
        self.tasks.name(following, a['next_comm'])
        row = self.running.get(cpu)
        if row and row['pid'] == a['prev_pid']:
            row.update(dur=ts - row['ts'], state=end_state(a['prev_state']))
        self.tasks.name(self.tasks.thread(a['prev_pid']), a['prev_comm'])
        self.running[cpu] = {'ts': ts, 'dur': OPEN, 'cpu': cpu, 'pid': a['next_pid'], 'thread': following,
                             'state': None, 'prio': a['next_prio']}
        self.sched.append(self.running[cpu])

    def line(self, line):
        ts, tasks, a = line['ts'], self.tasks, line['args']
        thread = tasks.thread(line['pid'])
        if line['task'] != '<...>':
            tasks.name(thread, line['task'])
        if line['tgid'] not in (None, '-----'):
            tasks.thread_in(line['pid'], int(line['tgid']))
        if line['event'] == 'sched_switch':
            self.switch(ts, line['cpu'], a)
        elif line['event'] == 'sched_waking':
            tasks.name(tasks.thread(a['pid']), a['comm'])
        elif line['event'] in COUNTERS:
            self.counters += [(ts, name, float(value), thread if kind == 'process_memory' else kind, cpu)
                              for name, value, kind, cpu in a]
        elif line['event'] == 'workqueue_execute_start':
            self.owner['thread', id(thread)] = 'thread', thread
            self.slices.begin(('thread', id(thread)), ts, OPEN, 'workqueue', a)
        elif line['event'] == 'workqueue_execute_end':
            self.slices.end(('thread', id(thread)), ts, 'workqueue', None)
        elif line['event'] in binder.EVENTS:
            self.binder.event(ts, line['pid'], line['event'], a)
        elif line['event'] in ('tracing_mark_write', 'print'):
            self.marker(ts, line['pid'], a)

    def answers(self):
        def process(p):
            return (p['pid'], p['name']) if p else (None, None)

        owned = [(r, self.owner[r['track']]) for r in self.slices.rows]
        found = {
            'slices': self.slices.answers(),
            'thread_slices': [(r['ts'], r['name'], o[1]['tid'], o[1]['name'], *process(o[1]['process']))
                              for r, o in owned if o[0] == 'thread'],
            'process_slices': [(r['ts'], r['name'], o[2], *process(o[1])) for r, o in owned if o[0] == 'process'],
            'threads': [(t['tid'], t['name'], process(t['process'])[0]) for t in self.tasks.threads if t['tid']],
            'processes': [process(p) for p in self.tasks.processes if p['pid']],
            'counters': [counter[:3] for counter in self.counters],
            'counter_tracks': [tuple(map(memory_type, counter)) for counter in self.counters],
            'binder': binder.answers(self), 'flows': self.binder.flows,
            'sched': [(r['ts'], r['dur'], r['cpu'], r['thread']['tid'], r['thread']['name'], r['state'], r['prio'])
                      for r in self.sched]}
        return {name: sorted(rows, key=repr) for name, rows in found.items()}


QUERIES = {
    'slices': 's.ts, s.dur, s.name, s.category, s.depth, p.name FROM slice s LEFT JOIN slice p ON s.parent_id = p.id '
              'JOIN track k ON s.track_id = k.id JOIN machine m ON k.machine_id = m.id',
    'thread_slices': 's.ts, s.name, t.tid, t.name, p.pid, p.name FROM slice s JOIN thread_track k ON s.track_id = k.id '
                     'JOIN thread t USING (utid) LEFT JOIN process p USING (upid) '
                     'JOIN machine m ON t.machine_id = m.id',
    'process_slices': 's.ts, s.name, k.name, p.pid, p.name FROM slice s JOIN process_track k ON s.track_id = k.id '
                      'JOIN process p USING (upid) JOIN machine m ON p.machine_id = m.id',
    'threads': 't.tid, t.name, p.pid FROM thread t LEFT JOIN process p USING (upid) '
               'JOIN machine m ON t.machine_id = m.id WHERE t.tid != 0',
    'processes': 'p.pid, p.name FROM process p JOIN machine m ON p.machine_id = m.id WHERE p.pid != 0',
    'binder': binder.ARGS, 'flows': binder.FLOWS,
    'counters': 'c.ts, k.name, c.value FROM counter c JOIN counter_track k ON c.track_id = k.id '
                'JOIN machine m ON k.machine_id = m.id',
    'sched': 's.ts, s.dur, c.cpu, t.tid, t.name, s.end_state, s.priority FROM sched s JOIN cpu c USING (ucpu) '
             'JOIN thread t USING (utid) JOIN machine m ON t.machine_id = m.id'}


def random_switch(rng, cpu, running, strange):
    before = running[cpu] if rng.random() < .85 else rng.choice(list(NAMES))
    after = running[cpu] = rng.choice(list(NAMES))
    a = {'prev_comm': rng.choice([NAMES[before]] * 4 + strange), 'prev_pid': before, 'prev_prio': rng.choice([120, -1]),
         'prev_state': rng.choice(['R', 'S', 'D', 'R+', 'D|K', 'S|W', 'x', 'I', 'Z', '?', 'X|Z']),
         'next_comm': NAMES[after], 'next_pid': after, 'next_prio': rng.choice([120, 139, 98, -1])}
    return a, ('prev_comm=%(prev_comm)s prev_pid=%(prev_pid)d prev_prio=%(prev_prio)d prev_state=%(prev_state)s ==> '
               'next_comm=%(next_comm)s next_pid=%(next_pid)d next_prio=%(next_prio)d' % a)


def random_mark(rng, pid):
    number = rng.choice(['7', '8', '-1', '+7', 'x', ''])
    if rng.random() < .1:
        return rng.choice(['E', 'text', '', 'B|x|n'])
    return rng.choice(['B|%d|n1', 'B|%d|n|y', 'B|%d|n2', 'E|%d', 'E|%d', 'E|%d', 'B|%d|', 'B|%d', 'I|%d|ins',
                       'I|%d|ins|z', 'I|%d|', 'S|%d|as|' + number, 'S|%d|as|7', 'F|%d|as|7', 'F|%d|as|' + number,
                       'N|%d|trk|ins', 'G|%d|trk|gs|7', 'G|%d|trk|gs|' + number, 'H|%d|trk|7', 'H|%d|trk|gs|' + number,
                       'C|%d|ctr|' + number, 'C|%d|ctr|5|Blob', 'C|%d||5']) % pid


WORK = ['workqueue_execute_start', 'workqueue_execute_end']
COUNTERS = 'cpu_frequency cpu_idle cpu_frequency_limits clock_set_rate clock_enable thermal_temperature cdev_update rss_stat'.split()
RSS = ['mem.rss.file', 'mem.rss.anon', 'mem.swap', 'mem.rss.shmem', 'mem.unreclaimable']


def random_counter(rng, event, cpu):
    """Returns the counters of a line, each with name, value, type of track and cpu, and its text."""
    v, w = rng.choice([0, 300000, 2 ** 32 - 1]), rng.choice([0, 7, 2 ** 31 - 1])
    name = rng.choice(['gpu', 'a b', 'x'])
    if event in ('cpu_frequency', 'cpu_idle'):
        v = rng.choice([v, v, 2 ** 32])  # a value that the event cannot have
        return [({'cpu_frequency': 'cpufreq', 'cpu_idle': 'cpuidle'}[event], v, event, cpu)], 'state=%d cpu_id=%d' % (v, cpu)
    if event == 'cpu_frequency_limits':
        limits = {k: x for k, x in [('max', v), ('min', w)] if rng.random() < .9}
        old = rng.choice(['', '_freq'])
        keys = sorted(limits, reverse=rng.random() < .5)
        return ([('Cpu %d %s Freq Limit' % (cpu, k.title()), limits[k], 'cpu_%s_frequency_limit' % k, cpu) for k in ('max', 'min') if k in limits],
                ' '.join('%s%s=%d' % (k, old, limits[k]) for k in keys) + ' cpu_id=%d' % cpu)
    if event in ('clock_set_rate', 'clock_enable'):
        v = rng.choice([v, 2 ** 62])
        suffix = {'clock_set_rate': 'Frequency', 'clock_enable': 'State'}[event]
        word = name.split()[0]
        return [('%s %s' % (word, suffix), v, 'clock_' + suffix.lower(), None)], rng.choice(['%s state=%d cpu_id=%d', 'name=%s state=%d cpu_id=%d']) % (word, v, cpu)
    if event == 'thermal_temperature':
        v = rng.choice([-3, 41000, 2 ** 31])
        return [('gpu Temperature', v, event, None)], 'thermal_zone=gpu id=3 temp_prev=5 temp=%d' % v
    if event == 'cdev_update':
        return [('fan Cooling Device', w, 'cooling_device_counter', None)], 'type=fan target=%d' % w
    member, size = rng.randrange(5), rng.choice([0, 8437760, 2 ** 40])
    return ([(RSS[member], size, 'process_memory', None)],
            rng.choice(['mm_id=33 curr=1 member=%d size=%dB', 'member=%d size=%d']) % (member, size))


def random_lines(rng, others=COUNTERS + WORK):
    """Makes lines and their text. OTHERS: the kernel's counters and work that may occur. Lines are out of order only if
    no name changes, because a change of names is reported at its place."""
    lines, running, ts = [], collections.defaultdict(int), rng.randint(1000, 10 ** 6) * 1000
    is_shuffled, with_tgid, has_column = rng.random() < .2, rng.choice([0, .5, 1]), rng.random() < .8
    calls, callers = rng.choice([0, 0, 8, 80]), rng.choice([list(TASKS), [101, 200]])
    senders, others = {}, rng.sample(others, rng.randint(0, min(4, len(others))))
    strange = [] if is_shuffled else ['renamed']
    for _ in range(rng.randint(1, 40 + calls)):
        ts += rng.choice([0, 1000, 1000, 5000, 123000])
        pid, cpu = rng.choice(list(TASKS)), rng.randint(0, 1)
        event = rng.choice(['sched_switch'] * 5 + ['tracing_mark_write'] * 8 +
                           ['binder'] * calls + ['sched_waking', 'sched_wakeup', 'print'] + others)
        if event == 'sched_switch':
            args, text = random_switch(rng, cpu, running, strange)
            pid = args['prev_pid']
        elif event in ('sched_waking', 'sched_wakeup'):
            args = {'pid': rng.choice(list(TASKS))}
            args['comm'] = rng.choice([NAMES[args['pid']]] + strange)
            text = 'comm=%(comm)s pid=%(pid)d prio=120 target_cpu=001' % args
        elif event == 'binder':
            pid = rng.choice(callers)
            event, args = binder.sample(rng, [t for t in TASKS if t != pid])
            if event == 'binder_transaction':
                senders[args['transaction']] = pid
            elif event == 'binder_transaction_received': # by another
                pid = rng.choice([t for t in callers if t != senders.get(args['transaction'])])
            text = binder.text_of(event, args)
        elif event.startswith('workqueue'):
            args = rng.choice(['fn', 'fn2 [mod]', 'x'])
            text = 'work struct %x' % rng.randrange(2 ** 64) + (': function ' + args if event.endswith('start') else '')
        elif event in COUNTERS:
            args, text = random_counter(rng, event, rng.randint(0, 1))
        else:
            args = text = random_mark(rng, rng.choice([TASKS[pid]] * 6 + [0]))
        tgid = '-----' if pid == 0 or rng.random() >= with_tgid else str(TASKS[pid])
        lines.append({'task': rng.choice([NAMES[pid]] * 5 + [x for x in ['<...>'] if strange]), 'pid': pid, 'cpu': cpu,
                      'tgid': tgid if has_column else None, 'ts': ts, 'event': event, 'args': args, 'text': text})
    if is_shuffled:
        rng.shuffle(lines)
    return lines


def can_be(line):
    """Returns false for a counter with a value that no kernel writes."""
    event = line['event']
    if event not in COUNTERS:
        return True
    values = [counter[1] for counter in line['args']]
    most = {'thermal_temperature': 2 ** 31, 'cpu_frequency': 2 ** 32, 'cpu_idle': 2 ** 32}.get(event, 2 ** 63)
    return max(values, default=most) < most and (event != 'cpu_frequency_limits' or len(values) == 2)


def random_apart(rng):
    """Returns LINES in order, with no two at one time, and without counters that no kernel event can have, which are on
    tracks of main threads."""
    lines = [line for line in random_lines(rng) if can_be(line)]
    lines, latest = sorted(lines, key=lambda line: line['ts']), 0
    for line in lines:
        line['ts'] = latest = max(line['ts'], latest + 1000)
    return lines


def text_of(lines):
    return '# tracer: nop\n#\n' + ''.join(
        '%16s-%d %s[%03d] d..2 %d.%06d: %s: %s\n' % (
            x['task'], x['pid'], '' if x['tgid'] is None else '(%5s) ' % x['tgid'], x['cpu'], x['ts'] // 10 ** 9,
            x['ts'] % 10 ** 9 // 1000, x['event'], x['text']) for x in lines)


def merged(tm_merge, traces, again=False):
    """Returns the program's rows of each trace; the traces are merged in this order. AGAIN: the rows are of a Perfetto
    trace that is merged from them."""
    names = ['%06d' % i for i in range(len(traces))]
    manifest = {'version': 1, 'files': [{'path': name, 'machine': {'name': name}} for name in names]}
    with tempfile.TemporaryDirectory() as folder:
        path, db = os.path.join(folder, 'in.tar'), os.path.join(folder, 'out.db')
        with tarfile.open(path, 'w') as out:
            for name, data in [('manifest', json.dumps({'perfetto_manifest': manifest}).encode()), *zip(names, traces)]:
                member = tarfile.TarInfo(name)
                member.size = len(data)
                out.addfile(member, io.BytesIO(data))
        if again:
            merge = os.path.join(folder, 'out.pftrace')
            subprocess.run([tm_merge, '-q', '-o', merge, path], check=True)
            path = merge
        subprocess.run([tm_merge, '-q', '-o', db, path], check=True)
        found = [{q: [] for q in QUERIES} for _ in traces]
        for query, sql in QUERIES.items():
            for machine, *row in sqlite3.connect(db).execute('SELECT m.name, ' + sql):
                if machine is not None:
                    found[int(machine)][query].append(tuple(row))
        return [{q: sorted(rows, key=repr) for q, rows in one.items()} for one in found]


def print_difference(want, got):
    for q in want:
        missing = [r for r in want[q] if r not in got[q]]
        print(q, 'missing', missing, 'extra', [r for r in got[q] if r not in want[q]])


def compare(random_case, input_of, answers_of, again=None):
    """Compares random cases of the program and of a model, with the arguments of the module. AGAIN: the queries that
    are also compared for a merged Perfetto trace. Returns true if they differ."""
    tm_merge, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    compared = again or list(QUERIES)
    cases = [random_case(rng) for _ in range(count)]
    rows = bad = 0
    for lines, got in zip(cases, merged(tm_merge, [input_of(lines) for lines in cases], again is not None)):
        want, got = ({q: rows[q] for q in compared} for rows in (answers_of(lines), got))
        rows += sum(map(len, want.values()))
        if want != got:
            bad += 1
            if bad == 1:
                print(text_of(lines))
                print_difference(want, got)
    print('%d cases %s: %d rows' % (count, 'differ' if bad else 'agree', rows))
    return bad > 0


def answers(lines):
    model = Model()
    for _, line in sorted(enumerate(lines), key=lambda x: (x[1]['ts'], x[0])):
        model.line(line)
    return model.answers()


def of_known_processes(rows):
    tracks = [(*row[:3], row[3].replace('_thread_fallback', ''), row[4]) for row in rows['counter_tracks']]
    return {**rows, 'counter_tracks': sorted(tracks, key=repr)}


if __name__ == '__main__':
    def encoded(lines):
        return text_of(lines).encode()

    QUERIES['counter_tracks'] = ('c.ts, k.name, c.value, k.type, u.cpu FROM counter c JOIN counter_track k ON c.track_id = k.id '
                                 'LEFT JOIN cpu_counter_track u ON u.id = k.id JOIN machine m ON k.machine_id = m.id')
    if sys.argv[4:] == ['again']: # a merged trace states names and processes of threads in other ways
        QUERIES['counter_tracks'] = QUERIES['counter_tracks'].replace('k.type', "replace(k.type, '_thread_fallback', '')")
        sys.exit(compare(random_apart, encoded, lambda lines: of_known_processes(answers(lines)),
                         ['slices', 'flows', 'counter_tracks']))
    sys.exit(compare(random_lines, encoded, answers))
