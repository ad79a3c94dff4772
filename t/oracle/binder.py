"""Android's binder: random events, as text and as protos, and the slices of a model. The rules are those of
doc/model.md and of Perfetto's binder tracker: the sender has a slice until the answer arrives, the receiver has one
until it answers, and the driver's return shows a failure. Used by ftrace_text.py and ftrace_events.py."""
from slices import OPEN

ONE_WAY = 1
WORDS = [(1, 'this is a one-way call: async, no return; '), (4, 'contents are the components root object; '),
         (8, 'contents are a 32-bit status code; '), (16, 'allow replies with file descriptors; ')]
COMMANDS = {'BC_TRANSACTION': 0x40406300, 'BC_REPLY': 0x40406301, 'BC_TRANSACTION_SG': 0x40486311,
            'BC_REPLY_SG': 0x40486312, 'BC_FREE': 0x40086303}
RETURNS = {'BR_TRANSACTION': 0x80407202, 'BR_TRANSACTION_SEC_CTX': 0x80487202, 'BR_REPLY': 0x80407203,
           'BR_DEAD_REPLY': 0x7205, 'BR_TRANSACTION_COMPLETE': 0x7206, 'BR_FAILED_REPLY': 0x7211,
           'BR_FROZEN_REPLY': 0x7212, 'BR_ONEWAY_SPAM_SUSPECT': 0x7213, 'BR_TRANSACTION_PENDING_FROZEN': 0x7214,
           'BR_NOOP': 0x720c}
# FtraceEvent's field, and those of its message in the order of the line
EVENTS = {'binder_transaction': (50, [('transaction', 1), ('dest_node', 2), ('dest_proc', 3), ('dest_thread', 4),
                                      ('reply', 5), ('flags', 7), ('code', 6)]),
          'binder_transaction_received': (51, [('transaction', 1)]),
          'binder_transaction_alloc_buf': (323, [('transaction', 2), ('data_size', 1), ('offsets_size', 3)]),
          'binder_command': (485, [('cmd', 1)]), 'binder_return': (486, [('cmd', 1)]),
          'binder_lock': (53, []), 'binder_locked': (54, []), 'binder_unlock': (55, [])}


def sample(rng, tids):
    """Returns (event, its arguments); TIDS are threads other than the event's own."""
    name = rng.choice(['binder_transaction'] * 5 + ['binder_transaction_received'] * 5 + ['binder_command'] * 3 +
                      ['binder_return'] * 5 + list(EVENTS))
    a = {'transaction': rng.randint(1, 3)}
    if name == 'binder_transaction':
        a.update(dest_node=rng.choice([0, 7, -2]), dest_proc=100, dest_thread=rng.choice([0] + list(tids)),
                 reply=rng.choice([0, 0, 1]), flags=rng.choice([0, 0, 1, 0x10, 0x11, 0x20, 0x1f]), code=rng.choice([0, 3, 0x5f4e]))
    elif name == 'binder_transaction_alloc_buf':
        a.update(data_size=rng.choice([0, 100]), offsets_size=8)
    elif name in ('binder_command', 'binder_return'):
        a = {'cmd': rng.choice(list((COMMANDS if name == 'binder_command' else RETURNS).values()))}
    return name, {k: a[k] for k, _ in EVENTS[name][1]}


def text_of(name, a):
    if not a:
        return 'tag=binder_ioctl'
    return ' '.join('%s=%s' % (k, hex(v) if k in ('flags', 'code', 'cmd') else v) for k, v in a.items())


def fields_of(name, a):
    """Returns (field of FtraceEvent, fields of the message by number)."""
    number, fields = EVENTS[name]
    return number, {n: a[k] for k, n in fields if k in a}


class Binder:
    def __init__(self, model, code):
        self.model, self.code = model, code  # the format of a transaction's code
        self.sent, self.frames = {}, {}
        self.wanted, self.held, self.flows = set(), set(), []

    def track(self, tid):
        thread = self.model.tasks.thread(tid)
        self.model.owner['thread', id(thread)] = 'thread', thread
        return 'thread', id(thread)

    def put(self, ts, tid, name, args, dur=OPEN):
        slices, track = self.model.slices, self.track(tid)
        if not slices.begin(track, ts, dur, 'binder', name):
            return None
        slices.rows[-1]['args'] = list(args)
        return slices.rows[-1]

    def finish(self, ts, tid, name=None, args=()):
        row = self.model.slices.end(self.track(tid), ts, None if name is None else 'binder', name)
        if row:
            row['args'] = row.get('args', []) + list(args)

    def annotate(self, track, name, args):
        for row in reversed(self.model.slices.stacks[track]):
            if row['dur'] == OPEN and row['category'] == 'binder' and row['name'] == name:
                row['args'] += args
                return

    def destination(self, tid):
        thread = self.model.tasks.thread(tid)
        return [('destination thread', tid)] + ([('destination name', thread['name'])] if thread['name'] else [])

    def event(self, ts, tid, name, a):
        stack = self.frames.setdefault(tid, [])
        top = stack[-1] if stack else None
        if name == 'binder_transaction':
            self.transaction(ts, tid, a, stack, top)
        elif name == 'binder_transaction_received':
            self.received(ts, tid, a, stack, top)
        elif name == 'binder_transaction_alloc_buf':
            self.annotate(self.track(tid), 'binder transaction',
                          [('data size', a['data_size']), ('offsets size', a['offsets_size'])])
        elif name == 'binder_command':
            if a['cmd'] in (COMMANDS['BC_TRANSACTION'], COMMANDS['BC_TRANSACTION_SG']):
                stack.append({'at': 'call asked'})
            elif a['cmd'] in (COMMANDS['BC_REPLY'], COMMANDS['BC_REPLY_SG']) and top and top['at'] == 'got':
                top['at'] = 'reply asked'
        elif name == 'binder_return':
            self.returned(ts, tid, {v: k for k, v in RETURNS.items()}[a['cmd']], stack, top)
        elif name == 'binder_lock':
            self.wanted.add(tid)
            self.put(ts, tid, 'binder lock waiting', [])
        elif name == 'binder_locked' and tid in self.wanted:
            self.wanted.discard(tid)
            self.held.add(tid)
            self.finish(ts, tid)
            self.put(ts, tid, 'binder lock held', [])
        elif name == 'binder_unlock' and tid in self.held:
            self.held.discard(tid)
            self.finish(ts, tid, 'binder lock held')

    def transaction(self, ts, tid, a, stack, top):
        one_way, reply, flags = bool(a['flags'] & ONE_WAY), a['reply'] == 1, a['flags']
        words = ''.join(w for bit, w in WORDS if flags & bit) if flags else 'No Flags Set'
        args = [('transaction id', a['transaction']), ('destination node', a['dest_node']),
                ('destination process', a['dest_proc']), ('reply transaction?', 'true' if reply else 'false'),
                ('flags', '0x%02x %s' % (flags, words)),
                ('code', (self.code % a['code']) + ' Java Layer Dependent'), ('calling tid', tid)]
        row = None
        if reply:
            self.annotate(self.track(tid), 'binder reply', self.destination(a['dest_thread']))
            self.finish(ts, tid, None, args)
        elif one_way:
            row = self.put(ts, tid, 'binder transaction async', args, 0)
        else:
            row = self.put(ts, tid, 'binder transaction', args)
        self.sent[a['transaction']] = one_way, reply, args, self.track(tid), row
        if top and top['at'] in ('call asked', 'reply asked'):
            top.update(at='called' if top['at'] == 'call asked' else 'replied', is_call=not one_way and not reply,
                       one_way=one_way)
        elif top and top['at'] == 'received':
            stack.pop()

    def received(self, ts, tid, a, stack, top):
        if a['transaction'] not in self.sent:
            return
        one_way, reply, args, track, row = self.sent.pop(a['transaction'])
        if not one_way and not reply:
            stack.append({'at': 'received', 'is_call': True, 'one_way': False})
        elif not one_way and top and top['at'] == 'completed':
            top['at'] = 'answered'
        if reply:
            self.finish(ts, tid)
            return
        if one_way:
            arrived = self.put(ts, tid, 'binder async rcv', args, 0)
        else:
            self.annotate(track, 'binder transaction', self.destination(tid))
            arrived = self.put(ts, tid, 'binder reply', [])
        if row and arrived:
            self.flows.append((row['ts'], row['name'], arrived['ts'], arrived['name']))

    def returned(self, ts, tid, what, stack, top):
        at = top['at'] if top else None
        if what in ('BR_DEAD_REPLY', 'BR_FAILED_REPLY', 'BR_FROZEN_REPLY', 'BR_TRANSACTION_PENDING_FROZEN'):
            if at in ('call asked', 'called', 'completed', 'reply asked', 'replied'):
                stack.pop()
                if at != 'call asked' and top.get('is_call'):
                    self.finish(ts, tid)
        elif what in ('BR_TRANSACTION_COMPLETE', 'BR_ONEWAY_SPAM_SUSPECT'):
            if at == 'called' and not top['one_way']:
                top['at'] = 'completed'
            elif at in ('called', 'call asked', 'replied'):
                stack.pop()
        elif what == 'BR_REPLY' and at == 'answered':
            stack.pop()
        elif what in ('BR_TRANSACTION', 'BR_TRANSACTION_SEC_CTX') and at == 'received':
            top['at'] = 'got'


def answers(model):
    """Returns (ts, name, tid, args) of its slices."""
    return [(r['ts'], r['name'], model.owner[r['track']][1]['tid'], ','.join('%s=%s' % a for a in dict(r['args']).items()) or None)
            for r in model.slices.rows if r['category'] == 'binder']


ARGS = ("s.ts, s.name, t.tid, (SELECT group_concat(key || '=' || display_value) FROM (SELECT key, display_value FROM args a "
        "WHERE a.arg_set_id = s.arg_set_id ORDER BY id)) FROM slice s JOIN thread_track k ON s.track_id = k.id "
        "JOIN thread t USING (utid) JOIN machine m ON k.machine_id = m.id WHERE s.category = 'binder'")
FLOWS = ('a.ts, a.name, b.ts, b.name FROM flow f JOIN slice a ON a.id = f.slice_out JOIN slice b ON b.id = f.slice_in '
         'JOIN track k ON a.track_id = k.id JOIN machine m ON k.machine_id = m.id')
