"""The reference importer: the queries that it runs, the comparison of its rows, and the inputs of the checks."""
import argparse, collections, fnmatch, glob, io, json, os, re, shutil, subprocess, sys, tarfile, threading

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
NO_INPUT = ('expected.txt', 'queries.sql', 'README', 'README.md', 'run', 'truth.json')
SECONDS = 600

# Threads and processes are identified by number and machine, because ids of rows differ from file to file.
MACHINE = "COALESCE(m.name, '')"
OF_THREAD = "LEFT JOIN thread th ON th.utid = %s.utid LEFT JOIN machine m ON m.id = th.machine_id "
OF_PROCESS = "LEFT JOIN process p ON p.upid = %s.upid LEFT JOIN machine m ON m.id = p.machine_id "
# A cpu's number is ucpu modulo 4096. The table of cpus lacks some cpus of rows, so another query compares it.
OF_CPU = "LEFT JOIN cpu c ON c.ucpu = %s.ucpu "
OF_TRACK = ("JOIN __intrinsic_track t ON t.id = %s.track_id LEFT JOIN thread th ON th.utid = t.utid "
            "LEFT JOIN process p ON p.upid = COALESCE(t.upid, th.upid) LEFT JOIN machine m ON m.id = t.machine_id ")
# The process of its main thread is left out: the query 'threads' has the processes of threads.
OWNER = "th.tid, NULLIF(p.pid, th.tid), " + MACHINE
# If several files have events of a thread, or of no process, those of one file are on a track named by the file. So are
# slices that cross on a thread.
OF_FILE = ("CASE WHEN %s.name IN (SELECT substr(str_value, 1, instr(str_value, ': ') - 1) FROM metadata "
           "WHERE name GLOB 'trace_attribute.tracemerge.file.[0-9]*') THEN NULL ELSE %s.name END")
NO_ROW = "a.key NOT IN ('utid', 'upid', 'ucpu', 'legacy_event.passthrough_utid')"
KEY = ("CASE WHEN a.key LIKE 'args.%' THEN substr(a.key, 6) WHEN a.key LIKE 'debug.%' THEN substr(a.key, 7) ELSE a.key END")
ARGS_OF = "JOIN args a ON a.arg_set_id = %s "

QUESTIONS = {
    'slices': "s.name, s.category, s.ts, s.dur, s.depth, u.name, " + OWNER + " FROM slice s "
              "LEFT JOIN slice u ON u.id = s.parent_id " + OF_TRACK % 's',
    'slices: tracks': "s.name, s.ts, s.dur, " + OF_FILE % ('t', 't') + ", " + OF_FILE % ('tu', 'tu') + ", " + OWNER + " FROM slice s " + OF_TRACK % 's' +
                      "LEFT JOIN track tu ON tu.id = t.parent_id",
    'slices: thread time': "s.name, s.ts, s.thread_ts, s.thread_dur, s.thread_instruction_count, s.thread_instruction_delta, "
                           + OWNER + " FROM slice s " + OF_TRACK % 's' +
                           "WHERE s.thread_ts IS NOT NULL OR s.thread_instruction_count IS NOT NULL",
    'slices: args': "s.name, s.ts, " + KEY + ", a.display_value FROM slice s " + ARGS_OF % 's.arg_set_id' +
                    "WHERE a.key NOT GLOB 'legacy_event.*' AND a.key NOT GLOB 'debug.tracemerge*' AND " + NO_ROW,
    'slices: legacy args': "s.name, s.ts, a.key, a.display_value FROM slice s " + ARGS_OF % 's.arg_set_id' +
                           "WHERE a.key GLOB 'legacy_event.*' AND a.key != 'legacy_event.passthrough_utid'",
    # The source of a track and its class in the importer are not compared, because viewers do not show them.
    'tracks: args': OF_FILE % ('t', 't') + ", " + OWNER + ", a.key, a.display_value FROM "
                    "(SELECT DISTINCT track_id FROM slice UNION SELECT DISTINCT track_id FROM counter) s " + OF_TRACK % 's' +
                    ARGS_OF % 't.source_arg_set_id' +
                    "WHERE a.key NOT IN ('trace_id', 'trace_id_is_process_scoped', 'track_uuid', 'parent_track_uuid', "
                    "'trace_file_id', 'source_id', 'id', 'source', 'source_scope', 'is_root_in_scope', "
                    "'has_first_packet_on_sequence') AND " + NO_ROW,
    'states': "s.ts, s.dur, s.value, s.category, t.name, " + OWNER + " FROM state s " + OF_TRACK % 's',
    'flows': "a.name, a.ts, a.dur, b.name, b.ts, b.dur FROM flow f JOIN slice a ON a.id = f.slice_out "
             "JOIN slice b ON b.id = f.slice_in",
    'counters': "c.ts, t.name, t.counter_unit, c.value, " + OWNER +
                " FROM counter c " + OF_TRACK % 'c',
    'counters: args': "c.ts, t.name, a.key, a.display_value FROM counter c JOIN track t ON t.id = c.track_id "
                      + ARGS_OF % 'c.arg_set_id' + "WHERE " + NO_ROW,
    'counters: dimensions': "t.name, a.key, a.display_value, " + OWNER + " FROM (SELECT DISTINCT track_id FROM counter) s "
                            + OF_TRACK % 's' + ARGS_OF % 't.dimension_arg_set_id' +
                            "WHERE a.key NOT IN ('track_uuid', 'perf_session_id', 'session_id', 'ugpu') AND " + NO_ROW,
    'sched': "s.ts, s.dur, s.ucpu % 4096, th.tid, s.end_state, s.priority, " + MACHINE + " FROM sched s " + OF_THREAD % 's',
    'thread_state': "s.ts, s.dur, s.state, th.tid, s.io_wait, s.blocked_function, w.tid, s.irq_context, s.ucpu % 4096, " + MACHINE +
                    " FROM thread_state s " + OF_THREAD % 's' +
                    "LEFT JOIN thread w ON w.utid = s.waker_utid",
    'spurious wakeups': "s.ts, s.irq_context, th.tid, w.tid FROM spurious_sched_wakeup s " + OF_THREAD % 's' +
                        "LEFT JOIN thread w ON w.utid = s.waker_utid",
    # Leaves out the idle task of every machine. Processes of Chrome JSON can also have the number 0.
    'threads': "th.tid, th.name, p.pid, th.is_main_thread, th.is_idle, " + MACHINE + " FROM thread th "
               "LEFT JOIN process p ON p.upid = th.upid LEFT JOIN machine m ON m.id = th.machine_id "
               "WHERE th.tid != 0 OR p.name IS NOT NULL",
    'threads: lifetimes': "th.tid, th.name, th.start_ts, th.end_ts, " + MACHINE + " FROM thread th "
                          "LEFT JOIN machine m ON m.id = th.machine_id WHERE th.start_ts IS NOT NULL OR th.end_ts IS NOT NULL",
    'threads: args': "th.tid, " + MACHINE + ", a.key, a.display_value FROM thread th "
                     "LEFT JOIN machine m ON m.id = th.machine_id " + ARGS_OF % 'th.arg_set_id',
    'processes': "p.pid, p.name, u.pid, p.uid, p.android_appid, p.cmdline, " + MACHINE + " FROM process p "
                 "LEFT JOIN process u ON u.upid = p.parent_upid LEFT JOIN machine m ON m.id = p.machine_id "
                 "WHERE p.pid != 0 OR p.name IS NOT NULL",
    'processes: lifetimes': "p.pid, p.name, p.start_ts, p.end_ts, " + MACHINE + " FROM process p "
                            "LEFT JOIN machine m ON m.id = p.machine_id WHERE p.start_ts IS NOT NULL OR p.end_ts IS NOT NULL",
    'processes: args': "p.pid, " + MACHINE + ", a.key, a.display_value FROM process p "
                       "LEFT JOIN machine m ON m.id = p.machine_id " + ARGS_OF % 'p.arg_set_id',
    'samples': "s.ts, th.tid, 'STACK', s.callsite_id FROM __intrinsic_profiler_sample s "
               "LEFT JOIN __intrinsic_profiler_task_context k ON k.id = s.task_context_id LEFT JOIN thread th ON th.utid = k.utid",
    'samples: where': "s.ts, th.tid, p.pid, x.cpu_mode, c.cpu, s.unwind_error "
               "FROM __intrinsic_profiler_sample s LEFT JOIN __intrinsic_profiler_task_context k ON k.id = s.task_context_id "
               "LEFT JOIN __intrinsic_profiler_execution_context x ON x.id = s.execution_context_id "
               "LEFT JOIN thread th ON th.utid = k.utid LEFT JOIN process p ON p.upid = COALESCE(k.upid, th.upid) "
               + OF_CPU % 'x',
    'samples: sessions': "source, timebase_unit, cmdline FROM __intrinsic_profiler_session",
    'callstacks of slices': "s.name, s.ts, 'STACK', k.callsite_id FROM __intrinsic_track_event_callstacks k "
                            "JOIN slice s ON s.id = k.slice_id",
    'samples: mappings': "DISTINCT f.name, f.rel_pc, k.name, k.build_id, k.start_offset, k.start, k.end, k.load_bias "
                         "FROM stack_profile_frame f LEFT JOIN stack_profile_mapping k ON k.id = f.mapping",
    'symbols': "DISTINCT f.name, f.deobfuscated_name, y.name, y.source_file, y.line_number FROM stack_profile_frame f "
               "LEFT JOIN stack_profile_symbol y ON y.symbol_set_id = f.symbol_set_id",
    'ftrace_event': "f.ts, f.name, f.ucpu % 4096, th.tid, f.common_flags, " + MACHINE + " FROM ftrace_event f " +
                    OF_THREAD % 'f',
    'ftrace_event: args': "f.ts, f.name, a.key, a.display_value FROM ftrace_event f " + ARGS_OF % 'f.arg_set_id',
    'android_logs': "l.ts, l.prio, l.tag, l.msg, th.tid, " + MACHINE + " FROM android_logs l " + OF_THREAD % 'l',
    'heap profiles': "h.ts, p.pid, h.heap_name, h.count, h.size, 'STACK', h.callsite_id FROM heap_profile_allocation h "
                     + OF_PROCESS % 'h',
    'heap graphs': "h.graph_sample_ts, p.pid, h.self_size, h.native_size, h.reachable, h.heap_type, h.root_type, "
                   "h.root_distance, k.name, k.deobfuscated_name, k.kind, k.location, ku.name FROM heap_graph_object h "
                   "JOIN heap_graph_class k ON k.id = h.type_id LEFT JOIN heap_graph_class ku ON ku.id = k.superclass_id "
                   + OF_PROCESS % 'h',
    'heap graphs: references': "r.field_name, r.field_type_name, r.deobfuscated_field_name, a.self_size, b.self_size "
                               "FROM heap_graph_reference r LEFT JOIN heap_graph_object a ON a.id = r.owner_id "
                               "LEFT JOIN heap_graph_object b ON b.id = r.owned_id",
    'stats': "s.name, s.idx, s.severity, " + MACHINE + ", SUM(s.value) FROM stats s LEFT JOIN machine m ON m.id = s.machine_id "
             "WHERE s.value != 0 AND s.severity = 'info' GROUP BY s.name, s.idx, s.severity, m.name",
    'stats: errors and losses': "s.name, s.idx, s.severity, " + MACHINE + ", SUM(s.value) FROM stats s "
                                "LEFT JOIN machine m ON m.id = s.machine_id WHERE s.value != 0 AND s.severity != 'info' "
                                "GROUP BY s.name, s.idx, s.severity, m.name",
    # Metadata of a manifest, a JSON document and perf record are attributes of the merged trace.
    'metadata': "CASE WHEN d.name GLOB 'trace_attribute.tracemerge.file.[0-9]*.json_metadata.*' "
                "THEN substr(d.name, instr(d.name, 'json_metadata.')) WHEN d.name GLOB 'trace_attribute.manifest_attribute.*' "
                "THEN substr(d.name, 17) WHEN d.name GLOB 'trace_attribute.tracemerge.file.[0-9]*.system_release' "
                "THEN 'system_release' ELSE d.name END, COALESCE(d.str_value, d.int_value), "
                # An attribute of a manifest belongs to no machine, but the packet that states it does.
                "CASE WHEN d.name GLOB 'trace_attribute.manifest_attribute.*' THEN '' ELSE " + MACHINE + " END FROM metadata d "
                "LEFT JOIN machine m ON m.id = d.machine_id",
    'machines': "COALESCE(name, ''), sysname, release, version, arch, num_cpus, android_build_fingerprint, "
                "android_device_manufacturer, android_sdk_version, system_ram_bytes FROM machine",
    'cpus': "c.cpu, c.cluster_id, c.processor, c.capacity, " + MACHINE + " FROM cpu c LEFT JOIN machine m ON m.id = c.machine_id",
    'bounds': "start_ts, end_ts FROM trace_bounds",
    'clock conversions': "ts, to_realtime(ts), to_monotonic(ts), abs_time_str(ts) FROM (SELECT DISTINCT ts FROM slice "
                         "WHERE ts % 61 = 0 UNION SELECT MIN(ts) FROM slice UNION SELECT MAX(ts) FROM slice "
                         "UNION SELECT MIN(ts) FROM counter UNION SELECT MAX(ts) FROM counter "
                         "UNION SELECT MIN(ts) FROM sched UNION SELECT MAX(ts) FROM sched) WHERE ts IS NOT NULL",
    # A relation of clocks that is stated twice counts once.
    'clock snapshots': "DISTINCT k.ts, COALESCE(k.clock_name, k.clock_id), k.clock_value, " + MACHINE + " FROM clock_snapshot k "
                       "LEFT JOIN machine m ON m.id = k.machine_id",
}
# Queries for the comparison itself.
HELPERS = {
    'FRAMES': "f.id, COALESCE(f.name, '') FROM stack_profile_frame f",
    'CALLSITES': "id, parent_id, frame_id FROM stack_profile_callsite",
    'TASKS': "DISTINCT p.pid, p.name, 'process', " + MACHINE + " FROM process p LEFT JOIN machine m ON m.id = p.machine_id",
    'THREADS': "DISTINCT th.tid, th.name, p.name, " + MACHINE + " FROM thread th LEFT JOIN process p ON p.upid = th.upid "
               "LEFT JOIN machine m ON m.id = th.machine_id",
    'FILES': "trace_type FROM __intrinsic_trace_file WHERE is_container = 0 AND trace_type != 'perfetto_manifest'",
}
ASKED_ABOVE = re.compile('__intrinsic_(slice|track|state|flow|counter|sched_slice|thread_state|spurious_sched_wakeup|thread|process|'
                         'profiler_(sample|session|.*_context|counter_set)|track_event_callstacks|stack_profile_.*|ftrace_event|logs|'
                         'heap_profile.*|heap_graph_(object|class|reference)|heap_graph|args|stats|metadata|machine|cpu|'
                         'clock_snapshot|trace_file|trace_import_logs|stdlib_objects|modules|wattson.*|file|'
                         'dfs_weight_bounded|winscope_proto_to_args_with_defaults|winscope_surfaceflinger_hierarchy_path)$')
# Ids of rows in one database.
ROW_NUMBERS = re.compile('id$|.*(track|slice|callsite|frame|jit_code|mapping|file|set|parent_node|snapshot|rect|node|owner|owned|'
                         'group|script|function|isolate|graph|object_data|array_data|transform|trace|session|profile|sample|'
                         'row|proto)_id$|type_id$')


def question_of_table(name, columns):
    """Returns a query for a table that QUESTIONS does not read: all its columns except ids of rows."""
    out, joins = [], ''
    for c in columns:
        if c == 'utid':
            joins, out = joins + ' LEFT JOIN thread th ON th.utid = x.utid', out + ['th.tid']
        elif c == 'upid':
            joins, out = joins + ' LEFT JOIN process p ON p.upid = x.upid', out + ['p.pid']
        elif c == 'ucpu':
            joins, out = joins + ' LEFT JOIN cpu c ON c.ucpu = x.ucpu', out + ['c.cpu']
        elif c == 'machine_id':
            joins, out = joins + ' LEFT JOIN machine m ON m.id = x.machine_id', out + [MACHINE]
        elif c == 'arg_set_id':
            out.append("(SELECT json_group_array(k) FROM (SELECT a.key || '=' || COALESCE(a.display_value, 'NULL') AS k "
                       "FROM args a WHERE a.arg_set_id = x.arg_set_id ORDER BY 1))")
        elif not ROW_NUMBERS.match(c) or c in ('event_id', 'device_id', 'display_id'):
            out.append('x."%s"' % c)
    return ', '.join(out or ["'a row'"]) + ' FROM %s x' % name + joins


def split(question):
    """Returns columns, the rest, and DISTINCT or ''. The columns end at the first FROM outside of parentheses."""
    distinct, question = ('DISTINCT ', question[9:]) if question.startswith('DISTINCT ') else ('', question)
    depth = 0
    for at, c in enumerate(question):
        depth += (c == '(') - (c == ')')
        if not depth and question.startswith(' FROM ', at):
            return question[:at], question[at + 6:], distinct
    raise ValueError(question)


class Viewer:
    """The reference importer with all queries."""

    def __init__(self, program, folder, questions=QUESTIONS):
        self.program = program
        self.sql = {kind: os.path.join(folder, kind + '.sql') for kind in ('full', 'json', 'names')}
        self.questions = dict(questions)
        empty = os.path.join(folder, 'empty.json')
        with open(empty, 'w') as f:
            f.write('{"traceEvents":[{"name":"x","ph":"i","ts":1,"pid":1,"tid":1}]}')
        answer = self.run(['-Q', "SELECT json_array(t.name, c.name) AS r FROM perfetto_tables t, "
                           "pragma_table_info(t.name) c ORDER BY t.name, c.cid", empty])[0]
        columns = collections.defaultdict(list)
        for line in answer.splitlines():
            if line.startswith('"["'):
                table, column = json.loads(line[1:-1])
                columns[table].append(column)
        for table in sorted(columns):
            if table.startswith('__intrinsic_') and not ASKED_ABOVE.match(table):
                self.questions[table.replace('__intrinsic_', 'table ')] = question_of_table(table, columns[table])
        self.asked = {name: split(question) for name, question in {**self.questions, **HELPERS}.items()}
        # A JSON document has no machines; processes and threads have other numbers if those of machines collide.
        self.write('full', lambda columns: columns)
        no_group = lambda where: where.replace(', m.name', '')
        self.write('json', lambda columns: columns.replace(MACHINE, "''"), no_group)
        self.write('names', lambda columns: re.sub(r'\b(th|w|p|u)\.[tp]id\b', r'\1.name', columns.replace(MACHINE, "''")), no_group)

    def write(self, kind, change, regroup=lambda where: where):
        with open(self.sql[kind], 'w') as f:
            for name, (what, where, distinct) in self.asked.items():
                f.write("SELECT '#%s' AS m;\nSELECT %sjson_array(%s) AS r FROM %s;\n" % (name, distinct, change(what), regroup(where)))

    def run(self, args):
        done = subprocess.run([self.program, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors='replace',
                              timeout=SECONDS)
        return done.stdout, done.stderr, done.returncode

    def ask(self, path, kind='full'):
        """Returns {class: rows and their number}, or the reason why there is no answer."""
        try:
            text, said, status = self.run(['-q', self.sql[kind], path])
        except subprocess.TimeoutExpired:
            return 'no answer within %d s' % SECONDS
        if 'Traceback (most recent call last)' in said:
            raise RuntimeError('the importer refuses a question: ' + said.strip()[-600:])
        if status:
            return ' '.join(said.split())[-300:] or 'status %d' % status
        rows, here = {}, None
        for line in text.splitlines():
            if line.startswith('"['):
                here.append(line[1:-1])
            elif line.startswith('"#'):
                here = rows.setdefault(line[2:-1], [])
        return spell(rows, self.questions)


def spell(rows, questions):
    """Returns ROWS, {class: [row]}, as {class: rows and their number}, with call stacks as text."""
    stacks = Stacks(rows.pop('FRAMES'), rows.pop('CALLSITES'))
    for name in rows:
        if "'STACK'" in questions.get(name, ''):
            rows[name] = [stacks.spell(row) for row in rows[name]]
    return {name: collections.Counter(found) for name, found in rows.items()}


class Stacks:
    """Returns call stacks by their ids, as names from the root."""

    def __init__(self, frames, callsites):
        self.frames = {f[0]: f[1:] for f in map(json.loads, frames)}
        self.sites = {c[0]: c[1:] for c in map(json.loads, callsites)}
        self.spelt = {None: ()}

    def of(self, site):
        chain = []
        while site not in self.spelt:
            chain.append(site)
            site = self.sites[site][0]
        for s in reversed(chain):
            self.spelt[s] = self.spelt[site] + (' '.join(str(x) for x in self.frames[self.sites[s][1]] if x is not None),)
            site = s
        return self.spelt[site]

    def spell(self, row):
        row = json.loads(row)
        at = row.index('STACK')
        return json.dumps(row[:at] + [';'.join(self.of(row[at + 1]))])


TEXTS_FROM = 0x40000000 # numbers of pids and tids that are texts begin here


def numbers_of_texts(before, after):
    """Returns {number in AFTER: number in BEFORE} of pids and tids that are texts. The importer gives a text its number
    in its table of strings, the merge another one. Numbers of one name and machine that only one side has are equal.
    The text may be empty."""
    known = {}
    for name in ('TASKS', 'THREADS'):
        a, b = ({tuple(cell or '' if isinstance(cell, (str, type(None))) else cell for cell in json.loads(row))
                 for row in rows.get(name, ())} for rows in (before, after))
        for number, *who in sorted(b - a, key=str):
            found = {n for n, *w in a if n and w == who and (n, *w) not in b}
            if number >= TEXTS_FROM and len(found) == 1:
                known.setdefault(number, set()).update(found)
    return {number: found.pop() for number, found in known.items() if len(found) == 1}


def renumber(rows, numbers):
    """Returns ROWS, a Counter, with NUMBERS in place of their keys."""
    pattern = re.compile(r'(?<=[\[,])(%s)(?=[,\]])' % '|'.join(map(str, numbers)))
    out = collections.Counter()
    for row, n in rows.items():
        out[pattern.sub(lambda m: str(numbers[int(m.group())]), row)] += n
    return out


def unname(rows, form):
    """Returns ROWS of threads or processes without empty names: the importer takes no empty name from a
    descriptor."""
    out = collections.Counter()
    for row, n in rows.items():
        row = re.sub(r'(?<=[\[,])""(?=,)', 'null', row) if form == 'json' else re.sub(r'^\[(-?[0-9]+),"",', r'[\1,null,', row)
        out[row] += n
    return out


class Limits:
    """Differences that the formats cannot avoid."""

    def __init__(self, name):
        path = os.path.join(SOURCE, name)
        self.name, self.rules, reason = name, [], ''
        for number, line in enumerate(open(path) if os.path.exists(path) else (), 1):
            line = line.strip()
            if line.startswith('#'):
                reason += line[1:]
            elif not line:
                reason = ''
            else:
                m = re.fullmatch(r'(\S+) "([^"]+)" (\S+) (missing|extra) (.+)', line)
                if not m or not reason.strip():
                    sys.exit('%s:%d: %s' % (path, number, 'no reason above' if m
                                               else 'not FORMAT "CLASS" INPUT missing|extra REGEXP'))
                self.rules.append((*m.groups()[:4], re.compile(m.group(5)), line))
        self.met = collections.Counter()
        self.lock = threading.Lock()

    def take(self, where, side, rows):
        """Removes from ROWS of WHERE (format, class, input) those that a limit explains. Returns their number."""
        taken = 0
        for *scope, of_side, pattern, line in self.rules if rows else ():
            if of_side == side and all(fnmatch.fnmatchcase(w, s) for w, s in zip(where, scope)):
                for row in [r for r in rows if pattern.search(r)]:
                    n = rows.pop(row)
                    taken += n
                    with self.lock:
                        self.met[line] += n
        return taken


def say(python, *args, stdin=None, out=None):
    done = subprocess.run([sys.executable, os.path.join(SOURCE, python), *args], input=stdin, stdout=subprocess.PIPE,
                          check=True)
    if out:
        with open(out, 'wb') as f:
            f.write(done.stdout)


def pack(folder):
    """Returns the folder's files as one archive, with its manifest first."""
    path = folder + '.tar'
    with tarfile.open(path, 'w') as tar:
        for name in sorted(os.listdir(folder), key=lambda n: ('manifest' not in n, n)):
            info = tarfile.TarInfo(name)
            with open(os.path.join(folder, name), 'rb') as f:
                data = f.read()
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    shutil.rmtree(folder)
    return path


def make(folder):
    """Makes the inputs of the generators in t/gen."""
    at = lambda name: os.path.join(folder, name)
    say('t/gen/make-fxt.py', at('make-fxt.fxt'))
    say('t/gen/make-simpleperf.py', out=at('make-simpleperf.trace'))
    for kind in ('text3', 'stream3', 'time5'):
        say('t/gen/make-art-method.py', kind, out=at('make-art-method-%s.trace' % kind))
    for seed in ('1', '2', '3', '4'):
        say('t/gen/make-tangles.py', seed, at('make-tangles-%s.json' % seed))
        for mode in ('', 'apart', 'wild'):
            to = at('make-meetings-%s%s' % (seed, mode and '-' + mode))
            os.mkdir(to)
            say('t/gen/make-meetings.py', seed, to, *[mode][:bool(mode)])
            pack(to)
        os.mkdir(at('make-collisions-' + seed))
        say('t/gen/make-collisions.py', seed, at('make-collisions-' + seed))
        pack(at('make-collisions-' + seed))
    os.mkdir(at('make-containers'))
    subprocess.run([sys.executable, os.path.join(SOURCE, 't/gen/make-containers.py')], cwd=at('make-containers'), check=True)
    say('t/gen/make-proto.py', out=at('make-proto.pftrace'), stdin=b'''
name one
snap 6=1000000 1=1700000000000000000 3=900000 64=5:incremental:unit=1000 seq=1
default 3 seq=1
instant a 910000 seq=1
begin b 920000 seq=1
finish c 930000 seq=1
event 2000000
sync client 6=1000000 host 6=900000 / client 6=2000000 host 6=1900000 m=7
instant far 1500000 m=7 seq=3 clock=6
''')
    say('t/gen/make-kernel.py', out=at('make-kernel.pftrace'), stdin=b'''\
process 6 shop
machine box
1600 1 6 irq_handler_entry 2=nvme
1700 0 5 softirq_exit 1=3
2000 0 5 irq_handler_exit 2=1
2500 1 6 print 2=B|6|early
2600 1 6 print 2=E|6
3000 1 6 workqueue_execute_start 2=7
3500 1 6 workqueue_execute_end
4000 0 5 hrtimer_expire_entry 3=9
4100 0 5 hrtimer_expire_exit
''')
    with open(os.path.join(SOURCE, 't/gen/devices.lines'), 'rb') as f:
        say('t/gen/make-kernel.py', out=at('make-devices.pftrace'), stdin=f.read())
    say('t/gen/make-tasks.py', out=at('make-tasks.pftrace'), stdin=b'')
    say('t/gen/make-etw.py', out=at('make-etw.pftrace'), stdin=b'')
    say('t/gen/make-etw.py', '1000', '3', '300', out=at('make-etw-monotonic.pftrace'), stdin=b'')
    for path in glob.glob(os.path.join(SOURCE, 't/data/*')) + glob.glob(os.path.join(SOURCE, 'doc/examples/*.tar')):
        if not path.endswith('.frames'):
            shutil.copy(path, at(os.path.basename(path)))
    for path in glob.glob(at('**'), recursive=True):
        # The importer takes minutes for a hole of gigabytes.
        if os.path.isfile(path) and os.path.getsize(path) > 1 << 26:
            os.remove(path)
    return folder


def inputs(paths):
    for path in paths:
        if os.path.isfile(path):
            yield os.path.basename(path), path
        for folder, _, names in sorted(os.walk(path)):
            for n in sorted(names):
                if n not in NO_INPUT:
                    yield (os.path.basename(folder) if n.startswith(('input.', 'a.')) else n), os.path.join(folder, n)


def default_inputs(folder):
    """Returns the paths of all recordings, and of the inputs made in FOLDER."""
    shared = os.environ.get('TM_SHARED') or os.path.join(SOURCE, '../shared')
    made = os.path.join(folder, 'made')
    os.mkdir(made)
    return [os.path.join(shared, d) for d in ('traces', 'traces-extra', 'conformance/merge', 'conformance/model')] + [make(made)]


def differences(where, before, after, questions, limits):
    """Returns lines of the table for WHERE (form, input): [(form, class, rows missing, extra, at a limit, in all)].
    BEFORE and AFTER are rows of QUESTIONS, or texts with the reason why there are none."""
    form, path = where
    refused, refuses = isinstance(before, str), isinstance(after, str)
    missing = collections.Counter({after: 1} if refuses and not refused else {})
    extra = collections.Counter({before: 1} if refused and not refuses else {})
    at = form, 'read at all', path
    known = limits.take(at, 'missing', missing) + limits.take(at, 'extra', extra)
    yield form, 'read at all', missing, extra, known, 1
    if refused or refuses:
        return
    numbers = numbers_of_texts(before, after)
    for name in questions:
        a, b = before.get(name, collections.Counter()), after.get(name, collections.Counter())
        if numbers:
            b = renumber(b, numbers)
        if name in ('threads', 'processes'):
            a, b = unname(a, form), unname(b, form)
        missing, extra = a - b, b - a
        at = form, name, path
        known = limits.take(at, 'missing', missing) + limits.take(at, 'extra', extra)
        if a or b:
            yield form, name, missing, extra, known, sum(a.values())


class Report:
    """Counts differences by form and class."""

    def __init__(self, args):
        self.args = args
        self.total = collections.defaultdict(lambda: [0, 0, 0, 0, 0, 0])
        self.details = collections.defaultdict(list)

    def add(self, name, lines):
        """Adds the LINES of differences() of the input NAME."""
        for form, cls, missing, extra, known, rows in lines:
            if self.args.c and not any(c in cls for c in self.args.c):
                continue
            m, x = sum(missing.values()), sum(extra.values())
            for i, n in enumerate((not (m or x), bool(m or x), m, x, known, rows)):
                self.total[form, cls][i] += n
            if m or x:
                self.details[form, cls].append((name, m, x, rows, list(missing)[:self.args.n], list(extra)[:self.args.n]))

    def show(self, form, classes):
        order = ['read at all', *classes]
        found = sorted((order.index(c), c, n) for (f, c), n in self.total.items() if f == form)
        if not found:
            return
        print('%-32s %8s %8s %9s %9s %9s %9s' % (form, 'same', 'differ', 'missing', 'extra', 'at limit', 'rows'))
        for _, cls, n in found:
            print('%-32s %8d %8d %9d %9d %9d %9d' % (cls, *n))
            for name, m, x, rows, some_missing, some_extra in self.details[form, cls] if self.args.v else ():
                print('    %s: %d missing, %d extra of %d' % (name, m, x, rows))
                for sign, some in ('-', some_missing), ('+', some_extra):
                    for row in some:
                        print('        %s %s' % (sign, row[:300]))
        print()

    def end(self, inputs, limits):
        """Prints the last lines. LIMITS is None if not all inputs were read. Returns whether anything differs."""
        differ = {d[0] for ds in self.details.values() for d in ds}
        print('%d of %d inputs show the same' % (inputs - len(differ), inputs))
        for rule in limits.rules if limits else ():
            if not limits.met[rule[5]]:
                print('%s: not seen any more: %s' % (limits.name, rule[5]))
        return bool(differ)


def parser(doc):
    """Returns the options of a check that runs the importer."""
    ap = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('-t', default=os.environ.get('TRACE_PROCESSOR') or None, metavar='TRACE_PROCESSOR')
    ap.add_argument('-b', default=os.environ.get('TM_BIN') or os.path.join(SOURCE, 'build/bin'), metavar='BIN_DIR')
    ap.add_argument('-k', action='append', default=[], metavar='SUBSTRING')
    ap.add_argument('-c', action='append', default=[], metavar='CLASS', help='only classes whose names contain this')
    ap.add_argument('-n', type=int, default=2, metavar='ROWS', help='rows shown of each difference (2)')
    ap.add_argument('-j', type=int, default=2, metavar='JOBS')
    ap.add_argument('-v', action='store_true')
    ap.add_argument('inputs', nargs='*')
    return ap


def no_importer(args):
    """Returns the exit status of a check without an importer; None if there is one."""
    if args.t and os.access(args.t, os.X_OK):
        return None
    print('%s: skipped: no TRACE_PROCESSOR is given; ../shared/reference/build makes one' % os.path.basename(sys.argv[0]))
    return 77 if os.environ.get('TAP') else 0
