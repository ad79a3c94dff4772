#!/usr/bin/env python3
"""Makes a profile as JAX and TensorFlow write them: make-xspace.py [KIND] >FILE.xplane.pb

KIND: started (the default): times count from the start of the recording, which one plane states; epoch: lines have wall
clock time; bare: neither, as old profiles; many [EVENTS]: one line of many events; cut, broken: damaged.
Field numbers are those of xplane.proto of XLA.
"""
import sys
from wire import field

START = 1763900000123456789


def message(*fields):
    return b''.join(field(n, v) for n, v in fields if v != 0)


DOUBLE, UINT, INT, TEXT, BYTES, REF = 2, 3, 4, 5, 6, 7


def stat(metadata, kind, value):
    return field(1, metadata) + field(kind, value)


def event(metadata, offset_ps, duration_ps, *stats, occurrences=None):
    when = [(5, occurrences)] if occurrences else [(2, offset_ps)]
    return message((1, metadata), *when, (3, duration_ps), *[(4, s) for s in stats])


def line(number, name, timestamp_ns, events, display=None, display_name=''):
    return message((1, number), (2, name), (3, timestamp_ns), *[(4, e) for e in events],
                   *([(10, display)] if display else []), *([(11, display_name)] if display_name else []))


def entry(number, value):
    return field(1, number) + field(2, value)


def metadata(number, name, display='', *stats):
    return entry(number, message((1, number), (2, name), *([(4, display)] if display else []),
                                 *[(5, s) for s in stats]))


def plane(number, name, lines, events, stats, own=()):
    return message((1, number), (2, name), *[(3, x) for x in lines],
                   *[(4, metadata(n, *e) if isinstance(e, tuple) else metadata(n, e)) for n, e in events.items()],
                   *[(5, entry(n, message((1, n), (2, s)))) for n, s in stats.items()], *[(6, s) for s in own])


def host(base):
    stats = {1: 'correlation_id', 2: '_p', 3: '_pt', 4: 'tf_op', 5: 'jit(step)', 6: 'flow', 7: 'share', 8: 'blob',
             9: 'step_num'}
    launch = event(3, 5_000_999, 1_000_500, stat(1, UINT, 77), stat(4, REF, 5), stat(7, DOUBLE, 0.5),
                   stat(8, BYTES, b'\0\1'))
    python = line(101, 'python', base, [
        event(1, 1_000_000, 20_000_000, stat(9, INT, -3)),
        # 2000.4 to 4000.3 ns, and 2000.6 to 2000.9: inside it, and shorter than a nanosecond
        event(2, 2_000_400, 1_999_900, stat(2, UINT, 9), stat(3, INT, 12)),
        event(4, 2_000_600, 300),
        launch,
        event(5, 6_000_000, 0, stat(4, TEXT, 'now')),
        event(6, 0, 700, occurrences=12),
        event(99, 7_000_000, 1_000),
    ])
    worker = line(102, 'tf_XLAEigen/102', base + 500, [
        event(7, 3_000_000, 4_000_000, stat(10, UINT, 9), stat(11, INT, 12)),
        event(7, 9_000_000, 1_000_000, stat(6, UINT, 1 << 58 | 4242 << 2 | 2)),
        event(7, 11_000_000, 1_000_000, stat(6, UINT, 1 << 58 | 4242 << 2 | 1)),
    ])
    return plane(0, '/host:CPU', [python, worker],
                 {1: ('train',), 2: ('a', '', stat(4, TEXT, 'of the metadata')), 3: 'cuLaunchKernel', 4: 'tiny',
                  5: 'instant', 6: 'sum', 7: ('ThreadpoolListener::Region', 'Region')},
                 {**stats, 10: '_c', 11: '_ct'})


def device(base):
    kernels = line(14, 'Stream #14(Compute)', base, [
        event(1, 7_000_250, 3_000_500, stat(1, UINT, 77), stat(2, TEXT, 'grid:1,1,1'))])
    ops = line(15, 'XLA Ops', base, [event(2, 7_000_250, 3_000_500)], display=20, display_name='Ops')
    return plane(1, '/device:GPU:0', [kernels, ops], {1: 'fusion_1', 2: ('%fusion.1 = f32[8]{0} fusion(...)', 'fusion.1')},
                 {1: 'correlation_id', 2: 'kernel_details', 3: 'core_count', 4: 'device_vendor'},
                 [stat(3, UINT, 132), stat(4, TEXT, 'Nvidia')])


def environment():
    return plane(0, 'Task Environment', [], {}, {1: 'profile_start_time', 2: 'profile_stop_time'},
                 [stat(1, UINT, START), stat(2, UINT, START + 30_000)])


def space(planes):
    return message(*[(1, p) for p in planes], (2, 'an error'), (3, 'a warning'), (3, 'another'), (4, 'worker-0'))


def many(count):
    events = b''.join(field(4, event(1 + i % 50, i * 2_000_000, 1_500_000, stat(1, UINT, i), stat(2, REF, 3)))
                      for i in range(count))
    names = {n: 'fusion_%d' % n for n in range(1, 51)}
    return space([message((1, 1), (2, '/device:GPU:0')) + field(3, message((1, 7), (2, 'Stream #7')) + events) +
                  plane(0, '', [], names, {1: 'correlation_id', 2: 'hlo_op', 3: 'add.1'})[2:], environment()])


def main(kind='started', count='1000'):
    base = START if kind == 'epoch' else 0
    data = many(int(count)) if kind == 'many' else \
        space([host(base), device(base)] + ([environment()] if kind not in ('epoch', 'bare') else []))
    if kind == 'cut':
        data = data[:300]
    if kind == 'broken':
        at = data.index(b'python') + 8  # the tag of the first field of the line's first event
        data = data[:at] + b'\7' + data[at + 1:]
    sys.stdout.buffer.write(data)


if __name__ == '__main__':
    main(*sys.argv[1:])
