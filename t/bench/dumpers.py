"""Compares the reading speed of tm-unpack with that of each format's own dumper. Both take turns over the same bytes
and write to /dev/null. If a program here can record a format, its input is a recording of a busy loop of system calls;
otherwise it is generated. A dumper that is not installed or not allowed is named and left out."""
import json, os, random, shutil, statistics, subprocess, sys

LOOP = '''
import os, threading
def work():
    fd = os.open('/dev/null', os.O_WRONLY)
    for _ in range(%d): os.write(fd, b'x')
threads = [threading.Thread(target=work) for _ in range(2)]
[t.start() for t in threads]; [t.join() for t in threads]
'''
EVENTS = ('raw_syscalls:sys_enter', 'raw_syscalls:sys_exit', 'sched:sched_switch', 'sched:sched_waking')


class Missing(Exception):
    """The reason why an input cannot be made or dumped."""


def need(program):
    if shutil.which(program) is None:
        raise Missing('%s is not installed' % program)


def run(command, **more):
    p = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **more)
    if p.returncode:
        lines = p.stderr.decode(errors='replace').strip().splitlines()
        raise Missing('%s: %s' % (command[0], lines[-1][:100] if lines else 'exit status %d' % p.returncode))


def generate(b, name, word, count, out):
    with open(out, 'wb') as f:
        subprocess.run([sys.executable, os.path.join(b.generators, name), word, str(count)], stdout=f, check=True)


def perf_data(b, count, path):
    need('perf')
    run(['perf', 'record', '-q', '-m', '8M', '-k', 'mono', '-o', path] + [w for e in EVENTS for w in ('-e', e)] +
        ['--', sys.executable, '-c', LOOP % (count // 4)])
    return ['perf', 'script', '-i', path]


def trace_dat(b, count, path):
    """Records by trace-cmd extract from an instance of its own, because trace-cmd record writes to
    /proc/sys/kernel/ftrace_enabled, which a guest may not do."""
    need('trace-cmd')
    instance = os.path.join('/sys/kernel/tracing/instances', 'tm-bench-%d' % os.getpid())

    def put(name, text):
        with open(os.path.join(instance, name), 'w') as f:
            f.write(text)

    try:
        os.mkdir(instance)
        put('trace_clock', 'mono')
        put('buffer_size_kb', str(1024 + count * 64 // 1024))
        for event in EVENTS:
            put('events/%s/enable' % event.replace(':', '/'), '1')
        run([sys.executable, '-c', LOOP % (count // 4)])
        put('tracing_on', '0')
        run(['trace-cmd', 'extract', '-B', os.path.basename(instance), '-o', path], cwd=b.folder)
    except OSError as why:
        raise Missing(str(why))
    finally:
        if os.path.isdir(instance):
            os.rmdir(instance)
    return ['trace-cmd', 'report', '-i', path]


def ctf(b, count, path):
    need('babeltrace2')
    subprocess.run([sys.executable, os.path.join(b.generators, 'make-ctf.py'), 'many', str(count), path], check=True)
    return ['babeltrace2', path]


def nsight(b, count, path):
    need('sqlite3')
    subprocess.run([sys.executable, os.path.join(b.generators, 'make-nsight.py'), 'many', str(count // 2), path], check=True)
    tables = subprocess.run(['sqlite3', path, "SELECT name FROM sqlite_master WHERE type = 'table'"],
                            capture_output=True, text=True, check=True).stdout.split()
    return ['sqlite3', path] + ['SELECT * FROM %s;' % t for t in tables]


def xspace(b, count, path):
    need('protoc')
    generate(b, 'make-xspace.py', 'many', count, path)
    return ['sh', '-c', 'exec protoc --decode_raw <"$1"', 'sh', path]


def otlp(b, count, path):
    need('jq')
    rng = random.Random(1)
    text = lambda key, value: {'key': key, 'value': {'stringValue': value}}
    with open(path, 'w') as f:
        for line in range(count // 100):
            spans = [{'traceId': '%032x' % (1 + line), 'spanId': '%016x' % (1 + line * 100 + i), 'name': 'GET', 'kind': 3,
                      'parentSpanId': '%016x' % (1 + line * 100) if i else '',
                      'startTimeUnixNano': str(1763900000 * 10**9 + line * 10**6 + i * 1000),
                      'endTimeUnixNano': str(1763900000 * 10**9 + line * 10**6 + i * 1000 + rng.randrange(900)),
                      'attributes': [text('http.request.method', 'GET'), text('url.full', 'http://localhost/%d' % i)],
                      'status': {}} for i in range(100)]
            json.dump({'resourceSpans': [{'resource': {'attributes': [text('service.name', 's%d' % (line % 7))]},
                                          'scopeSpans': [{'scope': {'name': 'bench'}, 'spans': spans}]}]}, f,
                      separators=(',', ':'))
            f.write('\n')
    return ['jq', '-c', '.', path]


def journal(b, count, path):
    """journalctl reads only its own files. If the machine has a journal, it reads the newest entries; otherwise Python
    reads lines as journalctl writes them."""
    need('journalctl')
    with open(path, 'wb') as f:
        own = ['journalctl', '-q', '-n', str(count), '-o', 'json']
        subprocess.run(own, stdout=f, stderr=subprocess.DEVNULL, check=False)
    if os.path.getsize(path):
        return own
    with open(path, 'w') as f:
        for i in range(count):
            f.write(json.dumps({'__CURSOR': 's=%x;i=%x' % (7, i), '__REALTIME_TIMESTAMP': str(1763900000 * 10**6 + i * 13),
                                '__MONOTONIC_TIMESTAMP': str(5 * 10**6 + i * 13), '_BOOT_ID': '0123456789abcdef' * 2,
                                '_PID': str(100 + i % 9), '_COMM': 'daemon', 'PRIORITY': '6', 'SYSLOG_IDENTIFIER': 'daemon',
                                '_SYSTEMD_UNIT': 'daemon.service', 'MESSAGE': 'connection %d accepted' % i}) + '\n')
    return [sys.executable, '-c', 'import json, sys\nfor line in open(sys.argv[1]): json.loads(line)', path]


def logcat(b, count, path):
    with open(path, 'w') as f:
        for i in range(count):
            us = i * 37
            f.write('11-23 %02d:%02d:%02d.%03d %5d %5d I Tag%-5d: message number %d of the bench\n' % (
                7 + us // 3600000000 % 12, us // 60000000 % 60, us // 1000000 % 60, us // 1000 % 1000, 1000 + i % 7,
                1000 + i % 31, i % 11, i))
    return ['cat', path]


FORMATS = [('perf.data', perf_data), ('trace.dat', trace_dat), ('CTF', ctf), ('Nsight Systems', nsight),
           ('XSpace', xspace), ('OTLP', otlp), ('journal', journal), ('logcat', logcat)]


def cpu_of(command):
    """Returns user and system seconds of COMMAND and its children, and its peak memory."""
    with open(os.devnull, 'wb') as nowhere:
        p = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=nowhere, stderr=nowhere)
        _, status, r = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
    if p.returncode:
        raise Missing('%s: exit status %d' % (command[0], p.returncode))
    return r.ru_utime + r.ru_stime, r.ru_maxrss / 1024


def size_of(path):
    return sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(path) for f in files) \
        if os.path.isdir(path) else os.path.getsize(path)


def rows_of(b, path):
    """Returns the number of events that tm-unpack reads from PATH."""
    stages = ['tm-unpack', 'tm-manifest', 'tm-clocks', 'tm-sort', 'tm-emit']
    line = ' | '.join("'%s' %s" % (b.program(s), {'tm-unpack': "'%s'" % path, 'tm-emit': '-f report'}.get(s, ''))
                      for s in stages)
    text = subprocess.run(['sh', '-c', line], capture_output=True, text=True).stdout
    found = [l for l in text.splitlines() if ' events read' in l and l.strip().startswith('total:')]
    return int(found[-1].split()[1]) if found else -1


def dumpers(b):
    b.generators = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../gen')
    count = max(1000, int(b.scale * 1000000))
    print('\n| format | MB | rows | own dumper | its cpu s | tm-unpack cpu s | × | peak MB, dumper and tm-unpack |')
    print('|---' * 8 + '|')
    for name, make in FORMATS:
        path = b.path('dumped-' + name.replace(' ', '-').lower())
        try:
            own = make(b, count, path)
            unpack = [b.program('tm-unpack'), '-T', b.folder, path]
            turns = [(cpu_of(own), cpu_of(unpack)) for _ in range(b.o.repeats)]
        except Missing as why:
            print('| %s | left out: %s |' % (name, why), flush=True)
            continue
        theirs, ours = (statistics.median(t[i][0] for t in turns) for i in (0, 1))
        peaks = [max(t[i][1] for t in turns) for i in (0, 1)]
        what = {'sh': 'protoc --decode_raw', sys.executable: 'Python', 'perf': 'perf script',
                'trace-cmd': 'trace-cmd report'}.get(own[0], own[0])
        print('| %s | %.1f | %d | %s | %.2f | %.2f | %.2f | %.0f, %.0f |' % (
            name, size_of(path) / 1e6, rows_of(b, path), what, theirs, ours, ours / max(theirs, 1e-3), *peaks), flush=True)
        (shutil.rmtree if os.path.isdir(path) else os.unlink)(path)
