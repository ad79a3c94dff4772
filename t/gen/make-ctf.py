#!/usr/bin/env python3
"""Makes a trace in the Common Trace Format 1.8 as LTTng's kernel tracer writes it.

usage: make-ctf.py [big|other-clock|no-clock|long|packets|process|named|many COUNT] FOLDER

There are two streams, one for each cpu, of sched_switch, sched_waking, syscall_entry_openat and syscall_exit_openat;
the second has lost five events. The first word chooses the byte order (big), a clock other than LTTng's "monotonic" or
none, events with a text of 70000 bytes and an array of 100 elements (long), packets of one event of which the second
to fourth are lost (packets), events of a program whose context has a process and an address (process) or a thread and
its name (named), or COUNT calls and returns.
"""
import os
import struct
import sys

MAGIC = 0xC1FC1FC1
START = 5 * 10**9  # of MONOTONIC
TO_REALTIME = 1700000000 * 10**9

CLOCKS = {
    '': ('monotonic', 10**9, TO_REALTIME),
    'big': ('monotonic', 10**9, TO_REALTIME),
    'other-clock': ('ticks', 10**6, TO_REALTIME // 1000),
}

CONTEXTS = {
    'process': 'event.context := struct { s32 vpid; u64 ip; };',
    'named': 'event.context := struct { s32 vtid; string procname; };',
}

TSDL = '''/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 16; align = 8; signed = false; } := u16;
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 32; align = 8; signed = true; } := s32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
typealias integer { size = 64; align = 8; signed = true; } := s64;
trace {
    major = 1; minor = 8; byte_order = %(order)s;
    packet.header := struct { u32 magic; u32 stream_id; };
};
env {
    hostname = "vm"; domain = "%(domain)s"; tracer_name = "lttng-modules"; kernel_release = "6.1.0-13-amd64";
    tracer_major = 2; tracer_minor = 13;
};
%(clock)s
stream {
    id = 0;
    packet.context := struct { %(time)s timestamp_begin; %(time)s timestamp_end; u64 content_size; u64 packet_size;
                               u64 events_discarded; u32 cpu_id; %(number)s };
    event.header := struct { u16 id; %(time)s timestamp; };
    %(context)s
};
event { name = "sched_switch"; id = 0; stream_id = 0; fields := struct {
    string prev_comm; s32 prev_tid; s32 prev_prio; s64 prev_state; string next_comm; s32 next_tid; s32 next_prio; }; };
event { name = "sched_waking"; id = 1; stream_id = 0; fields := struct {
    string comm; s32 tid; s32 prio; s32 target_cpu; }; };
event { name = "syscall_entry_openat"; id = 2; stream_id = 0; fields := struct { s32 dfd; string filename; }; };
event { name = "syscall_exit_openat"; id = 3; stream_id = 0; fields := struct { s64 ret; }; };
event { name = "block_rq"; id = 4; stream_id = 0; fields := struct { u8 cmd[100]; }; };
'''


def text(value):
    return value.encode() + b'\0'


def main():
    *words, folder = sys.argv[1:]
    word = words[0] if words else ''
    order = '>' if word == 'big' else '<'
    name, frequency, offset = CLOCKS.get('' if word in ('many', 'long', 'packets', *CONTEXTS) else word, ('', 10**9, 0))
    ns = 10**9 // frequency

    def pack(form, *values):
        return struct.pack(order + form, *values)

    def switch(before, state, after):
        return (0, text(before[0]) + pack('iiq', before[1], 120, state) + text(after[0]) + pack('ii', after[1], 120))

    idle, app, peer = ('swapper/0', 0), ('app', 100), ('peer', 200)
    cpus = [
        [(0, switch(idle, 0, app)), (1000, (2, pack('i', -100) + text('/etc/hosts'))), (3000, (3, pack('q', 3))),
         (4000, (1, text('peer') + pack('iii', 200, 120, 1))), (9000, switch(app, 1, idle))],
        [(5000, switch(('swapper/1', 0), 0, peer)), (8000, switch(peer, 2, ('swapper/1', 0)))],
    ]
    if word == 'long':
        cpus[0][1] = (1000, (2, pack('i', -100) + text('f' * 70000)))
        cpus[0].insert(2, (2000, (4, bytes(100))))
    if word == 'many':
        call, back = (2, pack('i', -100) + text('/etc/hosts')), (3, pack('q', 3))
        cpus[0][1:] = [(1000 + i, back if i % 2 else call) for i in range(int(words[1]))]
    os.makedirs(folder)
    clock = ''
    if name:
        clock = '''clock { name = "%s"; uuid = "b7750f07-ca52-4736-9395-4fd2f08cdafe"; freq = %d; offset = %d; absolute = %s; };
typealias integer { size = 64; align = 8; signed = false; map = clock.%s.value; } := ticks_t;''' % (
            name, frequency, offset, 'TRUE', name)
    with open(os.path.join(folder, 'metadata'), 'w') as f:
        f.write(TSDL % {'order': 'be' if word == 'big' else 'le', 'clock': clock, 'time': 'ticks_t' if name else 'u64',
                        'number': 'u64 packet_seq_num;' if word == 'packets' else '',
                        'domain': 'ust' if word in CONTEXTS else 'kernel', 'context': CONTEXTS.get(word, '')})
    context = {'process': pack('iQ', 300, 4096), 'named': pack('i', 301) + text('worker')}.get(word, b'')
    for cpu, events in enumerate(cpus):
        packets = [(0, max(10000, events[-1][0]), events)]
        if word == 'packets':
            packets = [(at, at, [(at, event)]) for at, event in events]
        with open(os.path.join(folder, 'channel0_%d' % cpu), 'wb') as f:
            for number, (begin, end, events) in enumerate(packets):
                number = pack('Q', number + 3 * (number > 0)) if word == 'packets' else b''
                body = b''.join(pack('HQ', id, (START + at) // ns) + context + data for at, (id, data) in events)
                size = (4 + 4 + 5 * 8 + 4 + len(number) + len(body)) * 8
                f.write(pack('II', MAGIC, 0) + pack('QQQQQI', (START + begin) // ns, (START + end) // ns, size, size,
                                                    5 * cpu, cpu) + number + body)


main()
