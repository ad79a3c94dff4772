#!/usr/bin/env python3
"""Perfetto traces that use the same numbers for different things.

usage: make-collisions.py SEED FOLDER

Writes the files of an archive: three traces with the same sequence ids, track uuids, flow ids, legacy ids, interning
ids, sequence clocks and pids, two of them on one machine, and a manifest. Every name states its file. Times are deltas
and on incremental clocks, and counters are increments. Packets and events have unknown fields.
"""
import os, random, struct, sys
from wire import varint


def num(field, n):
    return varint(field << 3) + varint(n)


def msg(field, body):
    return varint(field << 3 | 2) + varint(len(body)) + body


def fixed(field, n):
    return varint(field << 3 | 1) + struct.pack('<Q', n)


class Trace:
    def __init__(self, tag, rng, start):
        self.tag, self.rng, self.now, self.out = tag, rng, start, b''
        self.last = {}

    def packet(self, body):
        self.out += msg(1, body)

    def head(self):
        reading = lambda c, v, more=b'': msg(1, num(1, c) + num(2, v) + more)
        self.packet(msg(6, reading(6, self.now) + reading(3, self.now - 1000) + reading(1, 1700000000000000000 + self.now)))
        for seq in (1, 2):
            self.state(seq)

    def state(self, seq):
        """Clears the state of sequence SEQ: its clock, interned data and defaults."""
        reading = msg(1, num(1, 6) + num(2, self.now)) + msg(1, num(1, 64) + num(2, self.now // 1000) + num(3, 1) + num(4, 1000))
        self.packet(num(10, seq) + num(13, 1) + msg(6, reading))
        names = b''.join(msg(2, num(1, i) + msg(2, b'%s seq %d name %d at %d' % (self.tag, seq, i, self.now))) for i in (1, 2, 3))
        names += msg(1, num(1, 1) + msg(2, b'category of ' + self.tag))
        self.packet(num(10, seq) + num(13, 2) + msg(12, names + msg(901, self.tag)) + msg(59, num(58, 64) + msg(11, num(11, 7))))

    def descriptors(self):
        for body in (num(1, 7) + msg(4, num(1, 10) + num(2, 11) + msg(5, b'thread of ' + self.tag)),
                     num(1, 8) + num(5, 7) + msg(2, b'child of ' + self.tag) + msg(902, self.tag),
                     num(1, 9) + num(5, 8) + msg(2, b'counter of ' + self.tag) + msg(8, num(5, 1) + num(4, 10)),
                     num(1, 20) + msg(3, num(1, 10) + msg(6, b'process of ' + self.tag))):
            self.packet(num(10, 1) + num(13, 2) + num(58, 6) + num(8, self.now) + msg(60, body))

    def event(self):
        rng, seq = self.rng, self.rng.choice((1, 2))
        step = rng.randrange(1, 50)
        self.now += step * 1000
        track = rng.choice((None, 8, 9, 20))
        if track == 9:
            body = num(9, 4) + num(11, 9) + num(30, rng.randrange(1, 9))
        else:
            depth = self.last.setdefault((seq, track), 0)
            kind = 2 if depth and rng.random() < .5 else rng.choice((1, 3))
            self.last[seq, track] = depth + (kind == 1) - (kind == 2)
            body = num(9, kind) + (num(11, track) if track else b'')
            body += b'' if kind == 2 else num(10, rng.randrange(1, 4)) + num(3, 1)
            if rng.random() < .4:
                body += fixed(47, rng.randrange(1, 5)) if rng.random() < .7 else msg(48, struct.pack('<QQ', 1, 2))
        if track is None and rng.random() < .2:
            body = num(9, 0) + num(10, 1) + msg(6, num(2, rng.choice(b'bne')) + num(rng.choice((6, 10, 11)), 3))
        packet = num(10, seq) + num(13, 2)
        passed = self.now // 1000 - self.clock.get(seq, self.now // 1000)
        self.clock[seq] = self.now // 1000
        self.packet(packet + num(8, passed) + msg(11, body + msg(903, b'event of ' + self.tag)) + msg(900, self.tag))

    def other(self):
        """Adds packets without a sequence: ftrace, a process tree, an unknown packet."""
        ftrace = num(1, self.rng.randrange(4)) + b''.join(
            msg(2, num(1, self.now + i) + num(2, ord(self.tag) + i) + msg(3, num(1, 5) + msg(2, b'I|10|' + self.tag)) + msg(904, b'x'))
            for i in range(3))
        self.packet(num(58, 6) + msg(1, ftrace))
        tree = msg(1, num(1, 30) + num(2, 1) + msg(3, b'command of ' + self.tag)) + num(3, self.now)
        self.packet(num(58, 3) + num(8, self.now - 1000) + msg(2, tree))
        self.packet(num(58, 6) + num(8, self.now) + msg(905, b'unknown of ' + self.tag))

    def make(self, count):
        self.head()
        self.clock = {1: self.now // 1000, 2: self.now // 1000}
        self.descriptors()
        for i in range(count):
            self.event()
            if i % 9 == 0:
                self.other()
            if i % 40 == 39:
                seq = self.rng.choice((1, 2))
                self.state(seq)
                self.clock[seq] = self.now // 1000
                self.last = {k: v for k, v in self.last.items() if k[0] != seq}
        return self.out


rng, folder = random.Random(int(sys.argv[1])), sys.argv[2]
os.makedirs(folder, exist_ok=True)
for tag in (b'a', b'b', b'c'):
    with open(os.path.join(folder, tag.decode() + '.pftrace'), 'wb') as f:
        f.write(Trace(tag, rng, 5000000000 + rng.randrange(100) * 1000).make(200))
with open(os.path.join(folder, 'manifest.json'), 'w') as f:
    f.write('{"perfetto_manifest":{"version":1,"files":[{"path":"c.pftrace","machine":{"name":"another"}}]}}')
