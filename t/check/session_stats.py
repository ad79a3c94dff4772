"""The TraceStats that t/check/lossless expects in a merged trace (doc/pftrace.md, Sequences).

A packet of a file becomes an equal one. A writer's sequence becomes that of the output. Its buffer counts from the
first buffer of its file. If several files state any about a machine, one more packet of it follows at the end: it has
the buffers of all of them, in the order of their first statements, and the sums of their counts, from each file's last
statement.
"""
import collections

from protos import fields

BUFFER, FILTER, FLUSH_OUTCOME, WRITER = 1, 11, 15, 18
DISCARDED, FILTER_SUMS = 20, range(1, 6)
SEQUENCE, WRITER_BUFFER = 1, 4


class Said:
    """The content of one TraceStats."""

    def __init__(self, message):
        self.buffers, self.writers, self.others, self.sums = [], [], [], {}
        self.filter, self.discarded, self.has_filter = collections.Counter(), [], False
        for ident, wire, value, raw in fields(message):
            if ident == BUFFER and wire == 2:
                self.buffers.append(value)
            elif ident == WRITER and wire == 2:
                self.add_writer(value)
            elif ident == FILTER and wire == 2:
                self.add_filter(value)
            elif ident < FLUSH_OUTCOME and wire == 0:
                self.sums[ident] = value
            else:
                self.others.append(raw)

    def add_writer(self, message):
        numbers = {f[0]: f[2] for f in fields(message) if f[1] == 0}
        others = sorted(f[3] for f in fields(message) if f[0] not in (SEQUENCE, WRITER_BUFFER))
        self.writers.append((others, numbers.get(SEQUENCE, 0), numbers.get(WRITER_BUFFER, 0)))

    def add_filter(self, message):
        self.has_filter = True
        for ident, wire, value, _ in fields(message):
            if ident in FILTER_SUMS and wire == 0 and value:
                self.filter[ident] = value
            elif ident == DISCARDED and wire == 0:
                self.discarded.append(value)

    def discarded_by_buffer(self):
        return [(self.discarded + [0] * len(self.buffers))[i] for i in range(len(self.buffers))]


def is_of(merged, said, first):
    """True if MERGED is SAID, whose first buffer has number FIRST."""
    return (merged.others == said.others and merged.sums == said.sums and merged.buffers == said.buffers and
            merged.has_filter == said.has_filter and merged.filter == said.filter and
            merged.discarded == said.discarded and
            [(o, b) for o, _, b in merged.writers] == [(o, b + first) for o, _, b in said.writers])


def is_total(merged, known):
    """True if MERGED has the buffers and counts of all of KNOWN."""
    sums = {i: sum(s.sums.get(i, 0) for s in known) & (1 << 64) - 1 for s in known for i in s.sums}
    return (len(known) > 1 and merged.others == [] and merged.writers == [] and merged.sums == sums and
            merged.buffers == [b for s in known for b in s.buffers] and
            merged.has_filter == any(s.has_filter for s in known) and
            merged.filter == sum((s.filter for s in known), collections.Counter()) and
            (not merged.has_filter or merged.discarded == [d for s in known for d in s.discarded_by_buffer()]))


def compare(files, merged):
    """Returns packets of FILES that MERGED lacks, as (file's place, text), and complaints about sequences and totals.

    FILES has a list of (machine, rest of the packet, message) for each file, and MERGED is such a list, in file order.
    """
    queues = collections.defaultdict(collections.deque)
    for place, packets in enumerate(files):
        for machine, rest, message in packets:
            queues[place, machine].append((rest, Said(message)))
    became, owners, known, bad = {}, {}, collections.defaultdict(dict), []
    has_total = collections.Counter()
    for machine, rest, message in merged:
        out = Said(message)
        for file, queue in queues.items():
            of_machine = known[machine]
            if not queue or queue[0][0] != rest or became.get(file, machine) != machine:
                continue
            order = list(of_machine)
            before = order[:order.index(file)] if file in of_machine else order
            said = queue[0][1]
            if is_of(out, said, sum(len(of_machine[f].buffers) for f in before)):
                queue.popleft()
                became[file], of_machine[file] = machine, said
                bad += sequences(file, said, out, owners)
                break
        else:
            has_total[machine] += is_total(out, list(known[machine].values()))
    bad += ['TraceStats: machine %d has %d packets with totals' % (machine, has_total[machine])
            for machine, of_machine in known.items() if has_total[machine] != (len(of_machine) > 1)]
    return [(f[0], 'TraceStats %s' % rest[:200]) for f, queue in queues.items() for rest, _ in queue], bad


def sequences(file, said, out, owners):
    """Checks that writers of different sequences, and of different files, are writers of different output sequences."""
    bad, became = [], {}
    for (_, before, _), (_, after, _) in zip(said.writers, out.writers):
        if became.setdefault(before, after) != after or owners.setdefault(after, (file, before)) != (file, before):
            bad.append('TraceStats: sequence %d of file %d became %d, which is another\'s' % (before, file[0], after))
    return bad
