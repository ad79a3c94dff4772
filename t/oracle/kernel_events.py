"""Kernel events that are slices: random events, their bytes, and the slices of a model. The rules are those of
doc/events.md and of Perfetto's protos/perfetto/trace/ftrace. Used by ftrace_events.py."""
from slices import OPEN
from track_events import field, message

SYMBOLS = {7: 'do_work', 9: 'tick_sched_timer'}
SOFTIRQS = 'HI TIMER NET_TX NET_RX BLOCK BLOCK_IOPOLL TASKLET SCHED HRTIMER RCU'.split()


def function(number):
    return SYMBOLS.get(number, hex(number) if number else '0')


def sample(rng):
    """Returns (event's name, its fields by number)."""
    f = rng.choice([0, 7, 8, 9])
    vec, handled, dev = rng.randint(0, 11), rng.randint(0, 2), rng.choice([5, 2 ** 33 + 1])
    return rng.choice([
        ('irq_handler_entry', {1: 5, 2: rng.choice(['eth0', 'x (y)'])}), ('irq_handler_exit', {1: 5, 2: handled}),
        ('irq_handler_exit', {1: 5}), ('local_timer_entry', {1: 9}), ('local_timer_exit', {1: 9}),
        ('softirq_entry', {1: vec}), ('softirq_exit', {1: vec}), ('softirq_exit', {1: vec}),
        ('hrtimer_expire_entry', {1: 1, 3: f}), ('hrtimer_expire_exit', {1: 1}),
        ('napi_gro_receive_entry', {7: 60, 10: 'eth0'}), ('napi_gro_receive_exit', {1: rng.choice([-1, 3])}),
        ('cpuhp_enter', {1: 1, 3: rng.choice([-2, 5])}), ('cpuhp_multi_enter', {1: 1, 3: 6}), ('cpuhp_exit', {1: 1}),
        ('workqueue_execute_start', {1: 1, 2: f}), ('workqueue_execute_end', {1: 1}),
        ('funcgraph_entry', {1: 0, 2: f}), ('funcgraph_exit', {2: 0, 3: f}),
        ('kprobe_event', {1: 'probe', 2: rng.randint(0, 4)}),
        ('mm_vmscan_direct_reclaim_begin', {1: 2, 3: 5}), ('mm_vmscan_direct_reclaim_end', {1: 2 ** 63}),
        ('mm_vmscan_memcg_reclaim_begin', {2: -1, 3: 2 ** 40}), ('mm_vmscan_memcg_reclaim_end', {}),
        ('mm_shrink_slab_start', {8: f, 9: 3, 11: -1}), ('mm_shrink_slab_end', {2: -4}),
        ('scm_call_start', {2: f}), ('scm_call_end', {}),
        ('block_io_start', {1: dev, 2: 77}), ('block_io_done', {1: dev, 2: 78}),
        ('suspend_resume_minimal', {1: rng.randint(0, 1)}), ('tcp_retransmit_skb', {2: 80, 6: 4000}),
        ('google_icc_event', {1: 'icc'}), ('google_irm_event', {1: 'irm'}), counter(rng)])


def history(rng):
    """Returns an event that adds to others or changes a state."""
    length = rng.choice([0, 60, 1500, 2 ** 31])
    return rng.choice([
        ('netif_receive_skb', {1: length, 2: rng.choice(['eth0', 'wlan0'])}),
        ('net_dev_xmit', {1: length, 2: 'eth0', 3: rng.choice([0, 0, -1])}),
        ('kfree_skb', {2: rng.choice([0x800, 0x86dd, 0x806])}),
        ('wakeup_source_activate', {1: rng.choice(['a', 'b'])}), ('wakeup_source_deactivate', {1: rng.choice(['a', 'b'])}),
        ('rpm_status', {1: rng.choice(['usb', 'pci']), 2: rng.randint(-1, 4)}), ('gpu_power_state', {2: rng.randint(0, 3)}),
        ('inet_sock_set_state', {2: 80, 3: rng.choice([2, 10, 1]), 4: rng.randint(-1, 12), 5: 7, 6: rng.choice([6, 6, 6, 17]),
                                 8: rng.choice([2 ** 63, 5]), 9: 4000})])


CALLS = {0: 'read', 1: 'write', 15: 'rt_sigreturn', 39: 'getpid', 334: 'rseq', 400: 400, 549: 549}  # of x86_64


def syscall(rng):
    number = rng.choice([0, 1, 1, 1, *CALLS, 550, 2 ** 32 + 1, 2 ** 63])
    if rng.random() < .5:
        return 'sys_enter', {1: number, 2: [rng.choice([0, 7, 2 ** 64 - 1]) for _ in range(rng.choice([0, 2, 6]))]}
    return 'sys_exit', {1: number, **rng.choice([{}, {2: 0}, {2: -14}])}


def suspend(rng):
    """Machines that suspend. Some fail to."""
    device = {1: rng.choice(['d1', 'd2']), 2: rng.choice(['', 'drv'])}
    action = rng.choice(['suspend_enter'] * 2 + ['freeze_processes', 'thaw_processes'] * 2 + ['timekeeping_freeze', 'x' * 70])
    return rng.choice(
        [('suspend_resume', {1: action, 2: rng.choice([0, 0, 0, 3, -1]), 3: rng.randint(0, 1)})] * 3 +
        [('device_pm_callback_start', {**device, 4: rng.choice(['', 'late ', 'noirq driver', 'bus', 'early']),
                                       5: rng.choice([2, 0x10, 1, 0x80, 3])}), ('device_pm_callback_end', {**device, 3: -1})])


def counter(rng):
    """Returns an event that is one or more counters."""
    size, small = rng.choice([0, 4096, 2 ** 40]), rng.choice([0, 3, 10 ** 6])
    return rng.choice([
        ('mm_event_record', {1: small, 2: 7, 3: 9, 4: rng.randint(0, 7)}),
        ('dma_heap_stat', {1: rng.randint(5, 8), 2: rng.choice([-4096, 8192]), 3: size}),
        ('ion_stat', {1: rng.randint(5, 8), 2: rng.choice([0, 4095]), 3: size}), ('ion_heap_grow', {1: 'sys', 2: 4096, 3: size}),
        ('ion_heap_shrink', {2: 4096, 3: size}), ('fastrpc_dma_stat', {1: rng.randint(2, 5), 2: -8, 3: size}),
        ('sched_cpu_util_cfs', {2: 1024, 4: 1, 6: small, 11: 2}), ('gpu_mem_total', {1: 0, 2: 0, 3: size}),
        ('devfreq_frequency', {1: rng.choice(['17000010.devfreq_mif', 'x']), 2: size}),
        ('ufshcd_clk_gating', {2: rng.randint(0, 4)}), ('mali_gpu_power_state', {3: -1}), ('dmabuf_rss_stat', {1: size})])


NUMBERS = {'sys_enter': 329, 'sys_exit': 330, 'suspend_resume': 113, 'device_pm_callback_start': 504,
           'device_pm_callback_end': 505, 'netif_receive_skb': 360, 'net_dev_xmit': 361, 'kfree_skb': 367, 'wakeup_source_activate': 404,
           'wakeup_source_deactivate': 405, 'rpm_status': 489, 'gpu_power_state': 601, 'inet_sock_set_state': 362,
           'irq_handler_entry': 36, 'irq_handler_exit': 37, 'local_timer_entry': 559, 'local_timer_exit': 560,
           'softirq_entry': 24, 'softirq_exit': 25, 'hrtimer_expire_entry': 553, 'hrtimer_expire_exit': 554,
           'napi_gro_receive_entry': 365, 'napi_gro_receive_exit': 366, 'cpuhp_enter': 345, 'cpuhp_multi_enter': 344,
           'cpuhp_exit': 343, 'workqueue_execute_start': 58, 'workqueue_execute_end': 57, 'funcgraph_entry': 437,
           'funcgraph_exit': 438, 'kprobe_event': 542, 'mm_vmscan_direct_reclaim_begin': 46,
           'mm_vmscan_direct_reclaim_end': 47, 'mm_vmscan_memcg_reclaim_begin': 607,
           'mm_vmscan_memcg_reclaim_end': 608, 'mm_shrink_slab_start': 443, 'mm_shrink_slab_end': 444,
           'scm_call_start': 338, 'scm_call_end': 339, 'block_io_start': 546, 'block_io_done': 547,
           'mm_event_record': 328, 'dma_heap_stat': 351, 'ion_stat': 335, 'ion_heap_grow': 315, 'ion_heap_shrink': 314,
           'fastrpc_dma_stat': 347, 'sched_cpu_util_cfs': 421, 'gpu_mem_total': 340, 'devfreq_frequency': 541,
           'ufshcd_clk_gating': 407, 'mali_gpu_power_state': 548, 'dmabuf_rss_stat': 579,
           'suspend_resume_minimal': 481, 'tcp_retransmit_skb': 363, 'google_icc_event': 502, 'google_irm_event': 503}


def body_of(name, fields):
    pairs = [(n, v) for n, of_n in sorted(fields.items()) for v in (of_n if isinstance(of_n, list) else [of_n])]
    return field(NUMBERS[name], message(*pairs))


def symbols():
    """Returns the interned data that names functions."""
    return message(*((26, message((1, n), (2, s))) for n, s in SYMBOLS.items()))


TCP = ['TCP_' + s for s in ('UNKNOWN ESTABLISHED SYN_SENT SYN_RECV FIN_WAIT1 FIN_WAIT2 TIME_WAIT CLOSE CLOSE_WAIT LAST_ACK '
                            'LISTEN CLOSING').split()]


def heap(name, total, change, which=''):
    return [('mem.%s%s' % (name, which), total), ('mem.%s_change%s' % (name, which), change)]


def mm_event(f, get):
    types = 'min_flt maj_flt read_io compaction reclaim swp_flt kern_alloc'.split()
    return [('mem.mm.%s.%s' % (types[f[4]], what), get(n)) for what, n in (('count', 2), ('max_lat', 3), ('avg_lat', 1))
            if f[4] < len(types)]


COUNTERS = {
    'mm_event_record': mm_event,
    'dma_heap_stat': lambda f, get: heap('dma_heap', f[3], f[2]),
    'ion_stat': lambda f, get: heap('ion', f[3], f[2]),
    'ion_heap_grow': lambda f, get: heap('ion', f[3] + f[2], f[2], '.' + f.get(1, 'unknown')),
    'ion_heap_shrink': lambda f, get: heap('ion', f[3] - f[2], -f[2], '.' + f.get(1, 'unknown')),
    'fastrpc_dma_stat': lambda f, get: heap('fastrpc', f[3], f[2], '[%s]' % ({2: 'SDSP', 3: 'CDSP'}.get(f[1], f[1]))),
    'sched_cpu_util_cfs': lambda f, get: [('Cpu 1 Util', f[6]), ('Cpu 1 Cap', 1024), ('Cpu 1 Nr Running', 2)],
    'gpu_mem_total': lambda f, get: [('GPU Memory', f[3])],
    'devfreq_frequency': lambda f, get: [('devfreq_' + f[1].split('devfreq_')[-1], f[2])],
    'ufshcd_clk_gating': lambda f, get: [('io.ufs.clkgating (OFF:0/REQ_OFF/REQ_ON/ON:3)', [0, 3, 1, 2, 0][f[2]])],
    'mali_gpu_power_state': lambda f, get: [('mali_gpu_power_state', -1)],
    'dmabuf_rss_stat': lambda f, get: [('mem.dmabuf_rss', f[1])]}


class Kernel:
    """Applies the events to a model of tasks and slices (ftrace_text.Model)."""

    def __init__(self, model):
        self.model = model
        self.sums, self.holders, self.states, self.streams, self.lanes = {}, {}, {}, {}, {}
        self.writing, self.entering, self.frozen = set(), None, False

    def track(self, type_, name, cpu, number):
        track = 'kernel', type_, number
        self.model.owner[track] = 'kernel', type_, name, cpu
        return track

    def of_thread(self, tid, type_='thread'):
        thread = self.model.tasks.thread(tid)
        track = type_, id(thread)
        self.model.owner[track] = ('thread', thread) if type_ == 'thread' else ('thread', thread, type_, 'Funcgraph')
        return track

    def of_cpu(self, type_, words, cpu):
        return self.track('cpu_' + type_, words % cpu, cpu, cpu)

    def begin(self, track, ts, name, category=None, args=(), dur=OPEN):
        slices = self.model.slices
        if slices.begin(track, ts, dur, category, name):
            slices.rows[-1]['args'] = list(args)

    def end(self, track, ts, category=None, name=None, args=()):
        row = self.model.slices.end(track, ts, category, name)
        if row:
            row['args'] = row.get('args', []) + list(args)

    def count(self, ts, name, by, unit):
        self.sums[name] = self.sums.get(name, 0) + by
        self.model.counters.append((ts, name, float(self.sums[name] // unit)))

    def change(self, track, ts, state, category=None):
        if self.states.get(track):
            self.end(track, ts)
        self.states[track] = state
        if state:
            self.begin(track, ts, state, category)

    def buffer(self, ts, kind, number, size):
        """Begins or ends the slice of a buffer, in the first lane that has it or is free."""
        lanes = self.lanes.setdefault(kind, [])  # [number, begins minus ends]
        at = next((i for i, lane in enumerate(lanes) if lane[0] == number),
                  next((i for i, lane in enumerate(lanes) if not lane[1]), len(lanes)))
        lanes[at:at + 1] = [[number, lanes[at][1] if at < len(lanes) else 0]]
        track = self.track('android_%s_allocations' % kind, 'mem.%s_buffer' % kind, None, at)
        lanes[at][1] = max(0, lanes[at][1] + (1 if size > 0 else -1))
        if size > 0:
            self.begin(track, ts, '%d kB' % (size // 1024))
        else:
            self.end(track, ts)

    def marker(self, ts, tid):
        if tid in self.writing:
            self.writing.remove(tid)
            self.end(self.of_thread(tid), ts, None, 'sys_write')

    def syscall(self, ts, tid, name, f):
        called = 'sys_%s' % CALLS.get(f[1] % 2 ** 32, f[1] % 2 ** 32)
        if f[1] % 2 ** 32 >= 550:
            return
        if name == 'sys_enter':
            args = [('args[%d]' % i, v) for i, v in enumerate(f[2])]
            self.begin(self.of_thread(tid), ts, called, None, args, 0 if called == 'sys_rt_sigreturn' else OPEN)
            if called == 'sys_write':
                self.writing.add(tid)
        elif called != 'sys_write' or tid in self.writing:
            self.writing -= {tid} if called == 'sys_write' else set()
            self.end(self.of_thread(tid), ts, None, called, [('ret', f[2])] if 2 in f else [])

    def suspend(self, ts, cpu, f):
        name = ('%s(%d)' % (f[1], 0 if f[1] == 'timekeeping_freeze' else f[2]))[:63]
        track = self.track('suspend_resume', 'Suspend/Resume Latency', None, name)
        if f[3]:
            self.begin(track, ts, name, None, [('event_type', 'Main Kernel Suspend Event'), ('cpu', cpu)])
            if f[1] == 'suspend_enter':
                self.entering, self.frozen = track, False
            elif f[1] == 'freeze_processes' and self.entering:
                self.frozen = True
            return
        self.end(track, ts)
        if f[1] == 'thaw_processes' and self.frozen:
            self.end(self.entering, ts)
        if f[1] == 'suspend_enter' or (f[1] == 'thaw_processes' and self.frozen):
            self.entering, self.frozen = None, False

    def device(self, ts, cpu, name, f):
        called = '%s %s' % (f[1], f[2])
        track = self.track('suspend_resume', 'Suspend/Resume Latency', None, called)
        if name.endswith('end'):
            self.end(track, ts)
            return
        phase = {2: 'suspend', 0x10: 'resume', 1: 'freeze', 0x80: 'recover'}.get(f[5], '(unknown PM event)')
        part = {('', 2): 'prepare', ('', 0x10): 'complete'}.get((f[4], f[5])) or \
            next((p for p in ('early', 'late', 'noirq') if f[4].startswith(p)), None)
        self.begin(track, ts, called, None, [
            ('event_type', 'Device PM Suspend Event'), ('cpu', cpu), ('device_name', f[1]), ('driver_name', f[2]),
            ('callback_phase', phase + (':' + part if part else ''))])

    def event(self, ts, cpu, tid, name, f):
        get = lambda i: f.get(i, 0)
        thread = lambda: self.of_thread(tid)
        if name.startswith('sys_'):
            self.syscall(ts, tid, name, f)
        elif name == 'suspend_resume':
            self.suspend(ts, cpu, f)
        elif name.startswith('device_pm'):
            self.device(ts, cpu, name, f)
        elif name in ('irq_handler_entry', 'local_timer_entry'):
            who = f[2] if name == 'irq_handler_entry' else 'LocalTimer'
            self.begin(self.of_cpu('irq', 'Irq Cpu %d', cpu), ts, 'IRQ (%s)' % who, 'irq')
        elif name in ('irq_handler_exit', 'local_timer_exit'):
            args = [('ret', 'handled' if get(2) == 1 else 'unhandled')] if name == 'irq_handler_exit' else []
            self.end(self.of_cpu('irq', 'Irq Cpu %d', cpu), ts, 'irq', None, args)
        elif name == 'softirq_entry':
            if get(1) < len(SOFTIRQS):
                self.begin(self.of_cpu('softirq', 'SoftIrq Cpu %d', cpu), ts, SOFTIRQS[get(1)], 'irq')
        elif name == 'softirq_exit':
            self.end(self.of_cpu('softirq', 'SoftIrq Cpu %d', cpu), ts, 'irq', None, [('vec', get(1))])
        elif name == 'hrtimer_expire_entry':
            self.begin(self.of_cpu('hrtimer', 'Hrtimer Cpu %d', cpu), ts, function(get(3)), 'hrtimer')
        elif name == 'hrtimer_expire_exit':
            self.end(self.of_cpu('hrtimer', 'Hrtimer Cpu %d', cpu), ts, 'hrtimer')
        elif name == 'napi_gro_receive_entry':
            self.begin(self.of_cpu('napi_gro', 'Napi Gro Cpu %d', cpu), ts, f[10], 'napi_gro', [('len', get(7))])
        elif name == 'napi_gro_receive_exit':
            self.end(self.of_cpu('napi_gro', 'Napi Gro Cpu %d', cpu), ts, 'napi_gro', None, [('ret', get(1))])
        elif name in ('cpuhp_enter', 'cpuhp_multi_enter'):
            self.begin(self.of_cpu('hotplug', 'CPU Hotplug %d', get(1)), ts, 'cpuhp(%d)' % get(3), 'cpu',
                       [('action_cpu', cpu), ('cpuhp_idx', get(3))])
        elif name == 'cpuhp_exit':
            self.end(self.of_cpu('hotplug', 'CPU Hotplug %d', get(1)), ts)
        elif name == 'workqueue_execute_start':
            self.begin(thread(), ts, function(get(2)), 'workqueue', [('cpu', cpu)])
        elif name == 'workqueue_execute_end':
            self.end(thread(), ts, 'workqueue')
        elif name == 'funcgraph_entry':
            self.begin(self.of_thread(tid, 'thread_funcgraph'), ts, function(get(2)))
        elif name == 'funcgraph_exit':
            self.end(self.of_thread(tid, 'thread_funcgraph'), ts, None, function(get(3)))
        elif name == 'kprobe_event':
            if get(2) == 2:
                self.end(thread(), ts, None, f[1])
            elif get(2) in (1, 3):
                self.begin(thread(), ts, f[1], dur=OPEN if get(2) == 1 else 0)
        elif name.endswith('reclaim_begin'):
            kind = name[len('mm_vmscan_'):-len('_begin')]
            self.begin(thread(), ts, 'mm_vmscan_' + kind, None,
                       [(kind + '_order', get(1)), (kind + '_may_writepage', get(2)), (kind + '_gfp_flags', get(3))])
        elif name.endswith('reclaim_end'):
            kind = name[len('mm_vmscan_'):-len('_end')]
            self.end(thread(), ts, None, None, [(kind + '_nr_reclaimed', get(1))])
        elif name == 'mm_shrink_slab_start':
            self.begin(thread(), ts, 'mm_vmscan_shrink_slab', None,
                       [('shrink_name', function(get(8))), ('total_scan', get(9)), ('priority', get(11))])
        elif name == 'mm_shrink_slab_end':
            self.end(thread(), ts, None, None, [('freed', get(2))])
        elif name == 'scm_call_start':
            self.begin(thread(), ts, 'scm id=' + (hex(get(2)) if get(2) else '0'))
        elif name == 'scm_call_end':
            self.end(thread(), ts)
        elif name == 'block_io_start':
            self.begin(self.track('block_io', None, None, get(1)), ts, 'block_io', None, [('sector', get(2))])
        elif name == 'block_io_done':
            self.end(self.track('block_io', None, None, get(1)), ts, None, 'block_io', [('sector', get(2))])
        elif name in ('netif_receive_skb', 'net_dev_xmit'):
            if not get(3):
                what = f[2] + (' Received KB' if name == 'netif_receive_skb' else ' Transmitted KB')
                self.count(ts, what, f[1], 1024)
        elif name == 'kfree_skb':
            if f[2] in (0x800, 0x86dd):
                self.count(ts, 'Kfree Skb IP Prot', 1, 1)
        elif name == 'wakeup_source_activate':
            held = self.holders[f[1]] = self.holders.get(f[1], 0) + 1
            if held == 1:
                called = 'Wakelock(%s)' % f[1]
                self.begin(self.track('wakesource_wakelock', called, None, f[1]), ts, called)
        elif name == 'wakeup_source_deactivate':
            held = self.holders.get(f[1], 0)
            self.holders[f[1]] = max(0, held - 1)
            if held == 1:
                self.end(self.track('wakesource_wakelock', 'Wakelock(%s)' % f[1], None, f[1]), ts)
        elif name == 'rpm_status':
            state = {0: 'Active', 1: 'Resuming', 2: None, 3: 'Suspending'}.get(f[2], 'Invalid State')
            self.change(self.track('linux_rpm', None, None, f[1]), ts, state)
        elif name == 'gpu_power_state':
            state = {0: 'OFF', 1: 'PG', 2: 'ON'}.get(f[2], 'Unknown')
            self.change(self.track('powervr_gpu_power_state', 'powervr_gpu_power_state', None, 0), ts, state)
        elif name == 'inet_sock_set_state':
            if f[6] == 6 and f[3] in (2, 10) and 0 <= f[4] < 12:
                number = self.streams.setdefault(f[8], len(self.streams) + 1)
                state = TCP[f[4]] + {1: '(sport=4000,dport=80)', 2: '(pid=%d)' % tid}.get(f[4], '')
                self.change(self.track('net_socket_set_state', 'TCP stream#%d' % number, None, number), ts, state, 'tcp_state')
        elif name in COUNTERS:
            self.model.counters += [(ts, counted, float(value)) for counted, value in COUNTERS[name](f, get)]
            if name in ('dma_heap_stat', 'ion_stat'):
                self.buffer(ts, name[:3], f[1], f[2])
        elif name == 'suspend_resume_minimal':
            track = self.track('suspend_resume_minimal', 'Suspend/Resume Minimal', None, 0)
            if get(1):
                self.begin(track, ts, 'Suspended')
            else:
                self.end(track, ts)
        elif name == 'tcp_retransmit_skb':
            self.begin(self.track('net_tcp_retransmit_skb', 'TCP Retransmit Skb', None, 0), ts,
                       'sport=%d,dport=%d' % (get(6), get(2)), 'tcp_event', dur=0)
        else:
            self.begin(self.track('interconnect_events', 'Interconnect Events', None, 0), ts, f[1], name, dur=0)


def answers(model):
    """Returns (ts, name, the track's type, name and cpu, args) of slices on tracks of the kernel, and of threads and
    markers with args."""
    rows = []
    for r in model.slices.rows:
        owner = model.owner[r['track']]
        if owner[0] == 'kernel':
            where = owner[1:]
        elif owner[0] == 'thread':
            where = (owner[2], owner[3], None) if len(owner) > 2 else ('thread_execution', None, None)
        elif r['track'][0] == 'async':
            where = ('atrace_async_slice', owner[2], None)
        else:
            continue
        args = ','.join('%s=%s' % a for a in dict(r.get('args', ())).items()) or None
        if args or where[0] != 'thread_execution':
            rows.append((r['ts'], r['name'], *where, args))
    return rows


QUERY = ("s.ts, s.name, k.type, k.name, k.cpu, (SELECT group_concat(key || '=' || display_value) FROM (SELECT key, "
         "display_value FROM args a WHERE a.arg_set_id = s.arg_set_id ORDER BY id)) FROM slice s JOIN track k "
         "ON s.track_id = k.id JOIN machine m ON k.machine_id = m.id WHERE s.arg_set_id IS NOT NULL OR k.type NOT IN "
         "('thread_execution', 'atrace_async_slice', 'atrace_async_slice_for_track')")
