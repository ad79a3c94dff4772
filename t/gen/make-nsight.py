#!/usr/bin/env python3
"""Makes an export of Nsight Systems: make-nsight.py [KIND] FILE.sqlite

KIND: new (the default): columns may be NULL, as from schema 2 on; old: they are 0 instead, without the start time of
the session and without PROCESSES; lazy: only a table of calls; wal: new, with a log beside it; many [EVENTS]: calls and
kernels; hostile KIND: a harmful database. Tables are those of the schema reference in the user guide of Nsight Systems;
t/data/nsight.sqlite is a real export.
"""
import os, sqlite3, sys

START = 1763900000123456789
PID, MAIN, WORKER = 4242, 4242, 4250


def global_tid(pid, tid):
    return 1 << 48 | pid << 24 | tid


TABLES = {
    'StringIds': 'id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL',
    'ThreadNames': 'nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER',
    'PROCESSES': 'globalPid INTEGER, pid INTEGER, name TEXT',
    'TARGET_INFO_SESSION_START_TIME': 'utcEpochNs INTEGER, utcTime TEXT, localTime TEXT',
    'TARGET_INFO_GPU': 'vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT',
    'EXPORT_META_DATA': 'name TEXT NOT NULL, value TEXT',
    'NVTX_EVENTS': 'start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, category INTEGER, '
                   'color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, '
                   'domainId INTEGER, uint64Value INTEGER, int64Value INTEGER, doubleValue REAL, uint32Value INTEGER, '
                   'int32Value INTEGER, floatValue REAL, jsonTextId INTEGER, jsonText TEXT',
    'CUPTI_ACTIVITY_KIND_RUNTIME': 'start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, '
                                   'globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, '
                                   'returnValue INTEGER NOT NULL, callchainId INTEGER',
    'CUPTI_ACTIVITY_KIND_KERNEL': 'start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, '
                                  'contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, '
                                  'globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, '
                                  'registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, '
                                  'gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, '
                                  'blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL, '
                                  'dynamicSharedMemory INTEGER NOT NULL, graphNodeId INTEGER',
    'CUPTI_ACTIVITY_KIND_MEMCPY': 'start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, '
                                  'contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, '
                                  'globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, '
                                  'srcKind INTEGER, dstKind INTEGER',
    'CUPTI_ACTIVITY_KIND_MEMSET': 'start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, '
                                  'contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, '
                                  'globalPid INTEGER, value INTEGER NOT NULL, bytes INTEGER NOT NULL, memKind INTEGER',
    'CUPTI_ACTIVITY_KIND_SYNCHRONIZATION': 'start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, '
                                           'globalPid INTEGER, syncType INTEGER NOT NULL',
    'OSRT_API': 'start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, '
                'nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, nestingLevel INTEGER, '
                'callchainId INTEGER NOT NULL',
    'MPI_COLLECTIVES_EVENTS': 'start INTEGER NOT NULL, end INTEGER NOT NULL, globalTid INTEGER, textId INTEGER, '
                              'commHandle INTEGER',
    'SCHED_EVENTS': 'start INTEGER NOT NULL, cpu INTEGER NOT NULL, isSchedIn INTEGER NOT NULL, globalTid INTEGER',
    'GPU_METRICS': 'timestamp INTEGER, typeId INTEGER, metricId INTEGER NOT NULL, value INTEGER NOT NULL',
}
STRINGS = {1: 'main thread', 2: 'loader', 3: 'cudaLaunchKernel_v7000', 4: 'gemm', 5: 'void gemm<float>(float*, int)',
           6: 'cudaMemcpyAsync_v3020', 7: 'poll', 8: 'registered text', 9: 'MPI_Allreduce', 10: 'cudaMemsetAsync_v3020'}


def table(db, name, rows=(), old=False):
    """Adds ROWS, which are dicts. Missing values are NULL, or 0 in an old export, whose columns are all NOT NULL."""
    columns = TABLES[name]
    names = [c.split()[0] for c in columns.split(', ')]
    if old:
        columns = ', '.join(' '.join(c.split()[:2]).replace('INTEGER', 'INT') + ' NOT NULL' for c in columns.split(', '))
        columns = columns.replace('id INT NOT NULL, value', 'id INTEGER PRIMARY KEY, value')
    db.execute('CREATE TABLE %s (%s)' % (name, ', '.join('"%s" %s' % tuple(c.split(' ', 1)) for c in columns.split(', '))))
    for row in rows:
        fill = {n: ('' if n in ('text', 'jsonText') else 0) if old else None for n in names}
        db.execute('INSERT INTO %s VALUES (%s)' % (name, ', '.join('?' * len(names))),
                   [{**fill, **row}[n] for n in names])


def launch(db, old):
    main, worker = global_tid(PID, MAIN), global_tid(PID, WORKER)
    pid = global_tid(PID, 0)
    gpu = dict(deviceId=0, contextId=1, globalPid=pid)
    grid = dict(registersPerThread=32, gridX=8, gridY=1, gridZ=1, blockX=128, blockY=1, blockZ=1, staticSharedMemory=0,
                dynamicSharedMemory=1024)
    table(db, 'NVTX_EVENTS', [
        dict(start=100, eventType=75, text='trainer', globalTid=main, domainId=1),
        dict(start=110, eventType=33, text='steps', category=7, globalTid=main, domainId=1),
        dict(start=1000, end=9000, eventType=59, text='step 1', globalTid=main, domainId=1, category=7, color=0xff76b900,
             int64Value=-1),
        dict(start=1500, end=8000, eventType=60, rangeId=5, text='epoch', globalTid=main, endGlobalTid=worker),
        dict(start=1600, end=8500, eventType=60, rangeId=6, text='crosses it', globalTid=main),
        dict(start=2500, eventType=34, textId=8, globalTid=worker, domainId=9, doubleValue=0.5),
        dict(start=8600, eventType=59, text='never popped', globalTid=worker),
        dict(start=8700, eventType=39, text='a name of a thread', globalTid=worker),
    ], old)
    table(db, 'CUPTI_ACTIVITY_KIND_RUNTIME', [
        dict(start=2000, end=2600, eventClass=0, globalTid=main, correlationId=77, nameId=3, returnValue=0),
        dict(start=3000, end=3200, eventClass=0, globalTid=main, correlationId=78, nameId=6, returnValue=700),
        dict(start=3300, end=3400, eventClass=0, globalTid=main, correlationId=79, nameId=10, returnValue=0)], old)
    table(db, 'CUPTI_ACTIVITY_KIND_KERNEL', [
        dict(gpu, start=4000, end=6000, streamId=7, correlationId=77, demangledName=5, shortName=4, **grid)], old)
    table(db, 'CUPTI_ACTIVITY_KIND_MEMCPY', [
        dict(gpu, start=6100, end=6500, streamId=7, correlationId=78, bytes=4096, copyKind=1, srcKind=1, dstKind=2)], old)
    table(db, 'CUPTI_ACTIVITY_KIND_MEMSET', [
        dict(gpu, start=6600, end=6700, streamId=13, correlationId=79, bytes=64, value=0, memKind=2)], old)
    table(db, 'OSRT_API', [dict(start=3500, end=3900, eventClass=27, globalTid=main, nameId=7, returnValue=1,
                                callchainId=0),
                           dict(start=3950, end=3940, eventClass=27, globalTid=main, nameId=7, returnValue=1,
                                callchainId=0)], old)
    table(db, 'MPI_COLLECTIVES_EVENTS', [dict(start=7000, end=7500, globalTid=main, textId=9)], old)
    table(db, 'CUPTI_ACTIVITY_KIND_SYNCHRONIZATION', [dict(start=4500, end=6000, deviceId=0, globalPid=pid, syncType=3)],
          old)
    table(db, 'SCHED_EVENTS', [dict(start=900, cpu=3, isSchedIn=1, globalTid=main),
                               dict(start=1200, cpu=3, isSchedIn=0, globalTid=main),
                               dict(start=1300, cpu=3, isSchedIn=1, globalTid=worker),
                               dict(start=1400, cpu=3, isSchedIn=1, globalTid=global_tid(PID, 4260)),
                               dict(start=1450, cpu=4, isSchedIn=1, globalTid=main)], old)
    table(db, 'GPU_METRICS', [dict(timestamp=5000, typeId=0, metricId=1, value=50)] * 3, old)


def export(db, old=False):
    table(db, 'StringIds', [dict(id=i, value=v) for i, v in STRINGS.items()], old)
    launch(db, old)
    table(db, 'ThreadNames', [dict(nameId=1, globalTid=global_tid(PID, MAIN)),
                              dict(nameId=2, globalTid=global_tid(PID, WORKER)),
                              dict(nameId=2, globalTid=global_tid(9, 9))], old)
    table(db, 'TARGET_INFO_GPU', [dict(vmId=0, id=0, name='NVIDIA H200')], old)
    if not old:
        table(db, 'PROCESSES', [dict(globalPid=global_tid(PID, 0), pid=PID, name='./train'),
                                dict(globalPid=global_tid(9, 0), pid=9, name='idle')])
        table(db, 'TARGET_INFO_SESSION_START_TIME', [dict(utcEpochNs=START, utcTime='2025-11-23T12:13:20')])
        table(db, 'EXPORT_META_DATA', [dict(name='EXPORT_PRODUCT_VERSION', value='2025.1.1')])


def lazy(db):
    table(db, 'StringIds', [dict(id=7, value='poll')])
    table(db, 'OSRT_API', [dict(start=10, end=20, eventClass=27, globalTid=global_tid(5, 6), nameId=7, returnValue=0,
                                callchainId=0),
                           dict(start=30, end=40, eventClass=27, globalTid=global_tid(5, 6), nameId=8, returnValue=0,
                                callchainId=0)])


def many(db, count):
    table(db, 'StringIds', [dict(id=i, value=v) for i, v in STRINGS.items()])
    table(db, 'CUPTI_ACTIVITY_KIND_RUNTIME')
    table(db, 'CUPTI_ACTIVITY_KIND_KERNEL')
    table(db, 'TARGET_INFO_SESSION_START_TIME', [dict(utcEpochNs=START)])
    main, pid = global_tid(PID, MAIN), global_tid(PID, 0)
    db.executemany('INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, ?, 3, 0, NULL)',
                   ((i * 5000, i * 5000 + 3000, main, i + 1) for i in range(count)))
    db.executemany('INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, 7, ?, ?, 5, 4, 32, 8, 1, 1, 128, 1, 1, 0, '
                   '1024, NULL)', ((i * 5000 + 4000, i * 5000 + 8000, i + 1, pid) for i in range(count)))


def hostile(db, kind):
    """Replaces a table by a view or a virtual table, or adds a computed column."""
    event = global_tid(5, 6)
    table(db, 'StringIds', [dict(id=7, value='poll')])
    table(db, 'ThreadNames', [dict(nameId=7, globalTid=event)])
    if kind == 'view':
        db.execute('CREATE VIEW OSRT_API AS WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL SELECT start + 1 FROM n) '
                   'SELECT start, start AS "end", %d AS globalTid, 7 AS nameId FROM n' % event)
    elif kind == 'virtual':
        db.execute('CREATE VIRTUAL TABLE OSRT_API USING fts4(start, "end", globalTid, nameId)')
    elif kind == 'column':
        db.execute('CREATE TABLE OSRT_API (start INT, "end" INT, globalTid INT, '
                   'nameId TEXT GENERATED ALWAYS AS (hex(zeroblob(400000))) VIRTUAL)')
        db.execute('INSERT INTO OSRT_API VALUES (1, 2, %d)' % event)
    elif kind == 'keyless':  # a lookup of one string reads all strings
        db.execute('DROP TABLE StringIds')
        db.execute('CREATE TABLE StringIds (id INT, value TEXT)')
        db.executemany('INSERT INTO StringIds VALUES (?, ?)', ((i, '') for i in range(30000)))
        table(db, 'OSRT_API')
        db.executemany('INSERT INTO OSRT_API VALUES (1, 2, 0, %d, ?, 0, 0, 0)' % event, ((i,) for i in range(30000)))


def main():
    arguments = sys.argv[1:]
    path = arguments.pop()
    kind = arguments[0] if arguments else 'new'
    if os.path.exists(path):
        os.remove(path)
    db = sqlite3.connect(path)
    db.execute('PRAGMA page_size = 1024')
    if kind == 'wal':
        db.execute('PRAGMA journal_mode = WAL')
    if kind == 'lazy':
        lazy(db)
    elif kind == 'many':
        many(db, int(arguments[1]) if len(arguments) > 1 else 1000)
    elif kind == 'hostile':
        hostile(db, arguments[1])
    else:
        export(db, kind == 'old')
    db.commit()
    if kind == 'wal':
        db.execute('PRAGMA wal_checkpoint(TRUNCATE)')
    db.close()


if __name__ == '__main__':
    main()
