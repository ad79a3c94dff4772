#!/usr/bin/env python3
"""Makes a method trace of Android's runtime: make-art-method.py KIND [CALL...] >FILE

KIND is text1, text2, text3, stream2, stream3 (by version; text: the facts in front, stream: between the records),
time4, time5 (blocks whose records begin with the time), method4 or method5 (with the method). Without CALLs it has
calls of two threads. A CALL is THREAD,TIME,ACTION[,METHOD[,CPU-TIME]]: microseconds after the start, ACTION enter,
exit, unroll or none, METHOD its number.

Source of the layouts: trace.cc of Android's runtime as it is in Android 5 to 16.
"""
import struct, sys

ACTIONS = {'enter': 0, 'exit': 1, 'unroll': 2, 'none': 3}
START_US = 5000000
PID = 700
THREADS = {700: 'main', 712: 'RenderThread'}
METHODS = {1: 'com.example.Main\tonCreate\t(Landroid/os/Bundle;)V\tMain.java',
           2: 'com/example/List\tadd\t(I)Z\tList.java\t42',
           3: 'com.example.Native',
           4: 'com.example.Old\tOld.java\t7'}
CALLS = [(700, 10, 'enter', 1, 8), (700, 20, 'enter', 2, 15), (712, 25, 'enter', 3, 1), (700, 30, 'exit', 2, 22),
         (700, 30, 'enter', 4, 22), (712, 40, 'unroll', 3, 2), (700, 45, 'exit', 4, 23), (700, 50, 'exit', 1, 24)]


def options(version, pid=PID, overflow=False):
    clock = 'dual' if version in (3, 5) else 'wall'
    return (f'*version\n{version}\ndata-file-overflow={str(overflow).lower()}\nclock={clock}\nelapsed-time-usec=60\n'
            f'num-method-calls={len(CALLS)}\nclock-call-overhead-nsec=99\nvm=art\n' + (f'pid={pid}\n' if pid else ''))


def method_line(number):
    return f'{number << 2:#x}\t{METHODS[number]}\n'


def text(version, threads=THREADS, **more):
    return (options(version, **more) + '*threads\n' + ''.join(f'{t}\t{name}\n' for t, name in threads.items()) +
            '*methods\n' + ''.join(method_line(n) for n in METHODS) + '*end\n').encode()


def header(version, start=START_US):
    size = {1: 9, 2: 10, 3: 14}[version & 15]
    return struct.pack('<4sHHQH14x', b'SLOW', version, 32, start, size if version & 15 == 3 else 0)


def record(version, thread, time, action, method=0, cpu=0):
    number = method << 2 | ACTIONS[action]
    times = (cpu, time) if version == 3 else (time,)
    return struct.pack('<' + ('B' if version == 1 else 'H') + 'I' * (1 + len(times)), thread, number, *times)


def records(version, calls):
    return b''.join(record(version, *c) for c in calls)


def with_text(version, calls, **more):
    threads = {t & 255 if version == 1 else t: name for t, name in THREADS.items()}
    if version == 1:
        calls = [(c[0] & 255, *c[1:]) for c in calls]
    return text(version, threads=threads, **more) + header(version) + records(version, calls)


def fact(code, data, *head):
    return struct.pack('<HB', 0, code) + b''.join(head) + data


def stream(version, calls):
    """Facts precede the first record that needs them; the text is the last."""
    out, known = header(version | 0xf0), set()
    for c in calls:
        if c[0] not in known:
            name = THREADS.get(c[0], '').encode()
            out += fact(2, name, struct.pack('<HH', c[0], len(name)))
        if len(c) > 3 and c[3] in METHODS and ('m', c[3]) not in known:
            line = method_line(c[3]).encode()
            out += fact(1, line, struct.pack('<H', len(line)))
        known |= {c[0], ('m', c[3] if len(c) > 3 else 0)}
        out += record(version, *c)
    return out + fact(3, text(version), struct.pack('<I', len(text(version))))


def leb128(value, signed):
    out = bytearray()
    while True:
        byte = value & 0x7f
        value >>= 7
        if (value == 0 and (not signed or not byte & 0x40)) or (signed and value == -1 and byte & 0x40):
            out.append(byte)
            return bytes(out)
        out.append(byte | 0x80)


POINTER = 0x7f0012345600 # methods are their addresses


def block_records(version, calls, method_first, ticks_of_us):
    out, before, pointer, cpu_before = b'', 0, 0, 0
    for thread, time, action, method, cpu in calls:
        here, cpu_here = time * ticks_of_us, cpu * 1000
        address = POINTER + (method << 4)
        if method_first:
            encoded = address | ACTIONS[action]
            out += leb128(encoded - pointer, True) + leb128(here - before, False)
            out += leb128(cpu_here - cpu_before, False) if version == 5 else b''
            pointer, before = encoded, here
        else:
            encoded = here << 2 | ACTIONS[action]
            out += leb128(encoded - before, True) + (leb128(cpu_here - cpu_before, True) if version == 5 else b'')
            if action == 'enter':
                out += leb128(address - pointer, True)
                pointer = address
            before = encoded
        cpu_before = cpu_here
    return out


def blocks(version, calls, method_first, frequency=0):
    ticks = frequency // 1000000 if frequency else 1000
    out = struct.pack('<4sHQQQ2x', b'SLOW', version | 0xf0, START_US * 1000, 12345 if frequency else 0, frequency)
    calls = [(tuple(c) + (0, 0))[:5] for c in calls]
    for thread in dict.fromkeys(c[0] for c in calls):
        name = THREADS.get(thread, '').encode()
        out += struct.pack('<BIH', 0, thread, len(name)) + name
    for number, line in METHODS.items():
        line = (line + '\n').encode()
        out += struct.pack('<BQH', 1, POINTER + (number << 4), len(line)) + line
    for thread in dict.fromkeys(c[0] for c in calls):
        own = [c for c in calls if c[0] == thread]
        data = block_records(version, own, method_first, ticks)
        out += struct.pack('<BI', 2, thread) + struct.pack('<I', len(own))[:3] + struct.pack('<I', len(data)) + data
    end = (options(version) + '*end\n').encode()
    return out + struct.pack('<BH', 3, len(end)) + end


def make(kind, calls=CALLS):
    version = int(kind[-1])
    if kind.startswith('text'):
        return with_text(version, calls)
    if kind.startswith('stream'):
        return stream(version, calls)
    return blocks(version, calls, kind.startswith('method'), 0 if kind.startswith('method') else 25000000)


def call(word):
    parts = word.split(',')
    return (int(parts[0]), int(parts[1]), parts[2], *(int(p) for p in parts[3:]))


if __name__ == '__main__':
    given = [call(w) for w in sys.argv[2:]]
    sys.stdout.buffer.write(make(sys.argv[1], given or CALLS))
