#!/usr/bin/env python3
"""Checks that the database has the content of the reference importer's tables.

usage: tables.py -t TRACE_PROCESSOR [-b BIN_DIR] [-k SUBSTRING]... [-T TABLE]... [-v] [INPUT...]

An INPUT is a trace, an archive, or a folder of those (a recorded case is a folder with an input.* in it). Without any,
reads all recordings and recorded cases of ../shared.

The first list has the importer's public tables, views and columns that are missing here. The second list has the tables
that both have: the number of inputs with other numbers of rows, the number of inputs that have columns with other
numbers of values, and the total difference, largest first. Numbers of distinct values are compared too, except for ids.
-v adds the inputs and the columns. Exit status 1 if a table has other rows.
"""
import argparse, collections, concurrent.futures, json, os, re, sqlite3, subprocess, sys, tempfile

sys.dont_write_bytecode = True
from importer import SECONDS, inputs

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
# Functions that look like tables, and tables of the importer about itself.
NOT_PUBLIC = re.compile('_|perfetto_|experimental_|(ancestor|descendant)_slice$|(directly_connected|following|preceding)_flow$')
# The importer has a row for each statistic that it knows.
WHERE = {'stats': ' WHERE value != 0'}
IDS = re.compile('(id|upid|utid|ucpu|.*_id)$')


class Importer:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        empty = os.path.join(folder, 'empty.json')
        with open(empty, 'w') as f:
            f.write('{"traceEvents":[{"name":"x","ph":"i","ts":1,"pid":1,"tid":1}]}')
        self.columns = collections.defaultdict(list)
        for line in self.ask("SELECT json_array(m.name, c.name) AS r FROM sqlite_master m, pragma_table_info(m.name) c "
                             "WHERE m.type IN ('table', 'view') ORDER BY m.name, c.cid", empty):
            table, column = json.loads(line)
            if not NOT_PUBLIC.match(table) and not column.startswith('_'):
                self.columns[table].append(column)

    def ask(self, sql, path):
        """Returns rows, which are JSON arrays; None if the importer does not read PATH."""
        with tempfile.NamedTemporaryFile('w', dir=self.folder, suffix='.sql') as f:
            f.write(sql)
            f.flush()
            done = subprocess.run([self.program, '-q', f.name, path], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  errors='replace', timeout=SECONDS)
        if 'Traceback (most recent call last)' in done.stderr:
            raise RuntimeError('the importer refuses a question: ' + done.stderr.strip()[-600:])
        return None if done.returncode else [line[1:-1].replace('""', '"') for line in done.stdout.splitlines()
                                             if line.startswith('"[')]


def question(table, columns):
    """Returns one row: the number of rows, and for each column the numbers of values and of distinct values."""
    return "json_array('%s', count(*)%s) AS r FROM %s%s" % (
        table, ''.join(', count("%s"), %s' % (c, 'NULL' if IDS.match(c) else 'count(DISTINCT "%s")' % c) for c in columns), table,
        WHERE.get(table, ''))


def columns_of(db):
    found = collections.defaultdict(list)
    for table, column in db.execute("SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c "
                                    "WHERE m.type IN ('table', 'view') ORDER BY m.name, c.cid"):
        found[table].append(column)
    return found


class Check:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.importer = Importer(args.t, folder)
        self.here = None
        self.here = columns_of(self.open(os.path.join(folder, 'empty.json')))
        self.common = {t: [c for c in cs if c in self.here[t]] for t, cs in sorted(self.importer.columns.items())
                       if t in self.here and (not args.T or t in args.T)}
        self.sql = [question(t, cs) for t, cs in self.common.items()]

    def open(self, path):
        """Returns a database of PATH; None if it cannot be made."""
        out = tempfile.NamedTemporaryFile(dir=self.folder, suffix='.db')
        done = subprocess.run([os.path.join(self.args.b, 'tm-merge'), '-o', out.name, path], stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=SECONDS)
        return None if done.returncode not in (0, 4) else sqlite3.connect(out.name)

    def compare(self, task):
        """Returns [(table, column or None, what, here, there)] that differ."""
        name, path = task
        db = self.open(path)
        there = self.importer.ask(';\n'.join('SELECT ' + q for q in self.sql) + ';', path)
        if db is None or there is None:
            return name, [('read at all', None, 'rows', int(db is not None), int(there is not None))] \
                if (db is None) != (there is None) else []
        out = []
        for sql, row in zip(self.sql, map(json.loads, there)):
            ours = json.loads(db.execute('SELECT ' + sql).fetchone()[0])
            table = row[0]
            if ours[1] != row[1]:
                out.append((table, None, 'rows', ours[1], row[1]))
            for i, column in enumerate(self.common[table]):
                for what, at in (('values', 2 + 2 * i), ('distinct', 3 + 2 * i)):
                    if ours[at] != row[at] and (what == 'distinct' or ours[at] - row[at] != ours[1] - row[1]):
                        out.append((table, column, what, ours[at], row[at]))
        return name, out


def show_schema(check):
    missing, there_are, columns, columns_here = [], 0, 0, 0
    for table, cs in sorted(check.importer.columns.items()):
        there_are, columns = there_are + 1, columns + len(cs)
        lacks = [c for c in cs if c not in check.here.get(table, ())]
        columns_here += len(cs) - len(lacks)
        if table not in check.here:
            missing.append(table)
        elif lacks:
            print('%s lacks %s' % (table, ', '.join(lacks)))
    print('not here: ' + ', '.join(missing))
    print('%d of %d tables with %d of %d columns' % (there_are - len(missing), there_are, columns_here, columns))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('-t', default=os.environ.get('TRACE_PROCESSOR') or None, metavar='TRACE_PROCESSOR')
    ap.add_argument('-b', default=os.environ.get('TM_BIN') or os.path.join(SOURCE, 'build/bin'), metavar='BIN_DIR')
    ap.add_argument('-k', action='append', default=[], metavar='SUBSTRING')
    ap.add_argument('-T', action='append', default=[], metavar='TABLE')
    ap.add_argument('-j', type=int, default=2, metavar='JOBS')
    ap.add_argument('-v', action='store_true')
    ap.add_argument('inputs', nargs='*')
    args = ap.parse_args()
    if not args.t or not os.access(args.t, os.X_OK):
        print('tables.py: skipped: no TRACE_PROCESSOR is given; ../shared/reference/build makes one')
        return 77 if os.environ.get('TAP') else 0
    shared = os.environ.get('TM_SHARED') or os.path.join(SOURCE, '../shared')
    paths = args.inputs or [os.path.join(shared, d) for d in ('traces', 'traces-extra', 'conformance/merge',
                                                              'conformance/model')]
    with tempfile.TemporaryDirectory() as folder:
        check = Check(args, folder)
        show_schema(check)
        tasks = [(n, p) for n, p in inputs(paths) if not args.k or any(k in n for k in args.k)]
        found = collections.defaultdict(list)
        with concurrent.futures.ThreadPoolExecutor(args.j) as pool:
            for name, lines in pool.map(check.compare, tasks):
                for table, *line in lines:
                    found[table].append((name, *line))
    size = {t: sum(abs(x - y) for _, _, _, x, y in lines) for t, lines in found.items()}
    print('\n%-28s %9s %9s %9s of %d inputs' % ('table', 'rows', 'columns', 'size', len(tasks)))
    for table in sorted(size, key=lambda t: -size[t]):
        rows = {n for n, _, what, _, _ in found[table] if what == 'rows'}
        print('%-28s %9d %9d %9d' % (table, len(rows), len({l[0] for l in found[table]} - rows), size[table]))
        for name, column, what, x, y in found[table] if args.v else ():
            print('    %s: %s%s: %d here, %d there' % (name, column + ' ' if column else '', what, x, y))
    return any(what == 'rows' for lines in found.values() for _, _, what, _, _ in lines)


if __name__ == '__main__':
    sys.exit(main())
