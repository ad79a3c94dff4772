#include "emit/ftrace_writer.h"

#include "emit/work_line.h"
#include "model/sched_state.h"

#include <stdlib.h>

enum {
    BUNDLE_BYTES = 32 << 10, /* of events before a bundle is written */
    FITS_MIN = 8,            /* switches */
    SLOTS_A_MACHINE = 37     /* where those of the next one begin; more cpus than that go on from there */
};

static inline bool has_room(const struct tm_ftrace_bundle *b)
{
    return b->events.len < BUNDLE_BYTES && !tm_compact_sched_is_full(&b->sched);
}

static enum tm_status write_bundle(struct tm_ftrace_writer *w, struct tm_ftrace_bundle *b, struct tm_error *err)
{
    const struct tm_event of_symbols = {.generation = b->symbols};
    uint8_t cpu[TM_PB_FIELD_MAX];
    uint32_t sequence;
    bool is_new;
    enum tm_status st;
    if (b->events.len == 0 && tm_compact_sched_is_empty(&b->sched))
        return TM_OK;
    if (!tm_compact_sched_is_empty(&b->sched) &&
        (st = tm_compact_sched_write(&b->sched, &b->events, TM_BUNDLE_COMPACT_SCHED, err)) < 0)
        return st;
    if ((st = tm_packet_sequence(w->packets, &of_symbols, &sequence, &is_new, err)) < 0)
        return st;
    if (b->sequence)
        sequence = b->sequence;
    const struct iovec bundle[2] = {{cpu, (size_t)(tm_pb_varint_at(cpu, TM_BUNDLE_CPU, b->cpu) - cpu)},
                                    {b->events.data, b->events.len}};
    st = tm_packet_message(w->packets, b->machine, sequence, TM_PACKET_FTRACE_EVENTS, bundle, err);
    tm_buf_clear(&b->events);
    b->symbols = b->sequence = 0;
    b->has_switch = false;
    return st;
}

enum tm_status tm_ftrace_writer_flush(struct tm_ftrace_writer *w, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < w->count && st == TM_OK; i++)
        st = write_bundle(w, &w->bundles[i], err);
    return st;
}

/* A bundle that is new. When there are too many (hostile cpu numbers) all are written, and their memory is used again; who
 * runs on their cpus is not known any more. */
static enum tm_status add_bundle(struct tm_ftrace_writer *w, struct tm_ftrace_bundle **bundle, struct tm_error *err)
{
    enum tm_status st;
    if (w->count == TM_FTRACE_BUNDLES_MAX) {
        if ((st = tm_ftrace_writer_flush(w, err)) < 0)
            return st;
        memset(w->slots, 0, sizeof w->slots);
        w->count = 0;
    }
    if (w->count == w->cap) {
        uint32_t cap = w->cap ? w->cap * 2 : 16;
        struct tm_ftrace_bundle *bundles = realloc(w->bundles, cap * sizeof *bundles);
        if (bundles == NULL)
            return tm_error_nomem(err);
        memset(bundles + w->cap, 0, (cap - w->cap) * sizeof *bundles);
        w->bundles = bundles;
        w->cap = cap;
    }
    *bundle = &w->bundles[w->count++];
    (*bundle)->running.is_known = false;
    return TM_OK;
}

enum tm_status tm_ftrace_bundle_open(struct tm_ftrace_writer *w, const struct tm_event *e,
                                     struct tm_ftrace_bundle **bundle, struct tm_error *err)
{
    struct tm_ftrace_bundle *b = NULL;
    for (uint32_t at = e->machine * SLOTS_A_MACHINE + e->cpu;; at++) {
        uint16_t *slot = &w->slots[at % TM_FTRACE_BUNDLE_SLOTS];
        if (*slot == 0) {
            enum tm_status st = add_bundle(w, &b, err);
            if (st < 0)
                return st;
            w->slots[at % TM_FTRACE_BUNDLE_SLOTS] = (uint16_t)w->count;
            b->machine = e->machine;
            b->cpu = e->cpu;
            break;
        }
        b = &w->bundles[*slot - 1];
        if (b->cpu == e->cpu && b->machine == e->machine)
            break;
    }
    *bundle = b;
    return has_room(b) ? TM_OK : write_bundle(w, b, err);
}

/* The same; mostly the first place that is looked at has it. */
static inline enum tm_status open_bundle(struct tm_ftrace_writer *w, const struct tm_event *e,
                                         struct tm_ftrace_bundle **bundle, struct tm_error *err)
{
    uint16_t slot = w->slots[(e->machine * SLOTS_A_MACHINE + e->cpu) % TM_FTRACE_BUNDLE_SLOTS];
    if (slot) {
        *bundle = &w->bundles[slot - 1];
        if ((*bundle)->cpu == e->cpu && (*bundle)->machine == e->machine && has_room(*bundle))
            return TM_OK;
    }
    return tm_ftrace_bundle_open(w, e, bundle, err);
}

enum tm_status tm_ftrace_note_kernel(struct tm_ftrace_writer *w, const struct tm_event *e, struct tm_error *err)
{
    uint32_t machines = w->packets->machine_count;
    if (w->kernels == NULL && (w->kernels = calloc((size_t)machines + 1, sizeof *w->kernels)) == NULL)
        return tm_error_nomem(err);
    ProtobufCMessage *m =
        protobuf_c_message_unpack(&tracemerge__detail__descriptor, NULL, e->detail_bytes, e->detail);
    if (m == NULL)
        return tm_error_set(err, TM_E_INPUT, "event %llu: detail bytes are damaged", (unsigned long long)e->position);
    const Tracemerge__MachineDescription *machine = ((Tracemerge__Detail *)m)->machine;
    if (machine && machine->has_release && e->machine < machines)
        w->kernels[e->machine] =
            tm_kernel_version_parse((const char *)machine->release.data, machine->release.len);
    protobuf_c_message_free_unpacked(m, NULL);
    return TM_OK;
}

/* After E, a switch, was written. */
static inline void note_switch(const struct tm_ftrace_writer *w, struct tm_ftrace_bundle *b, const struct tm_event *e)
{
    struct tm_ftrace_running *r = &b->running;
    r->is_known = true;
    r->pid = (int32_t)e->pid;
    r->prio = (int16_t)(e->value >> 32);
    r->comm = e->name;
    if (!(e->name & TM_STRING_INLINE))
        return;
    struct tm_text text = tm_catalog_string(w->packets->catalog, e->name, e);
    r->text_len = text.len <= TM_FTRACE_COMM_MAX ? (uint32_t)text.len : TM_FTRACE_COMM_MAX + 1;
    if (r->text_len <= text.len && r->text_len)
        memcpy(r->text, text.data, r->text_len);
}

/* True when COMM, a string of E, is the name of who is running. */
static bool same_comm(const struct tm_ftrace_writer *w, const struct tm_ftrace_running *r, uint32_t comm,
                      const struct tm_event *e)
{
    if (!((comm | r->comm) & TM_STRING_INLINE))
        return comm == r->comm;
    struct tm_text text = tm_catalog_string(w->packets->catalog, comm, e), running = {r->text, r->text_len};
    if (!(r->comm & TM_STRING_INLINE))
        running = tm_catalog_string(w->packets->catalog, r->comm, e);
    else if (r->text_len > TM_FTRACE_COMM_MAX)
        return false;
    return text.len == running.len && (text.len == 0 || memcmp(text.data, running.data, text.len) == 0);
}

/* The first switch of a cpu does not say who ran before, and only compact_sched can say that again. */
static bool fits_compact(const struct tm_ftrace_writer *w, const struct tm_ftrace_running *r, const struct tm_event *e)
{
    if (e->kind == TM_KIND_SCHED_WAKING && tm_event_raw(e->flags) != TM_RAW_COMPACT_SCHED)
        return false;
    if (e->kind == TM_KIND_SCHED_WAKING)
        return e->flags & TM_EVENT_HAS_PID ? r->is_known && r->pid == e->pid : !r->is_known;
    if (!(e->flags & TM_EVENT_HAS_PID) || e->flags & TM_EVENT_HAS_TRACK || e->pid != (int32_t)e->pid)
        return false;
    return !(e->flags & TM_EVENT_HAS_TID) ||
           (r->is_known && r->pid == e->tid && r->prio == (int16_t)(e->value >> 48) &&
            same_comm(w, r, e->category, e));
}

/* True when E goes into compact_sched. Behind switches in full it only does when it has to or FITS_MIN switches could have:
 * on a cpu of which two files tell different tales every other one fits, and in bundles of three nothing is compact. */
static bool is_for_compact(const struct tm_ftrace_writer *w, struct tm_ftrace_bundle *b, const struct tm_event *e)
{
    bool fits = fits_compact(w, &b->running, e);
    bool says_all = e->flags & TM_EVENT_HAS_PID && e->flags & TM_EVENT_HAS_TID;
    if (e->kind == TM_KIND_SCHED_SWITCH)
        b->fits = fits ? b->fits + 1 : 0;
    return fits && !(b->has_switch && says_all && b->fits < FITS_MIN);
}

/* The prev_state of E as the kernel of its machine records it. */
static inline uint64_t kernel_state(const struct tm_ftrace_writer *w, const struct tm_event *e)
{
    if (!(e->value & TM_SCHED_STATE_FLAGS))
        return (e->value & INT32_MAX) | (e->flags & TM_EVENT_HAS_TRACK ? 0 : e->track << 31);
    uint32_t version = w->kernels && e->machine < w->packets->machine_count ? w->kernels[e->machine] : 0;
    return tm_sched_state_encode((uint32_t)e->value, version);
}

bool tm_ftrace_put_text(const struct tm_ftrace_writer *w, struct tm_buf *out, uint32_t id, uint32_t string,
                        const struct tm_event *e)
{
    struct tm_text text = tm_catalog_string(w->packets->catalog, string, e);
    return text.data == NULL || tm_pb_put_bytes(out, id, text.data, text.len) == TM_OK;
}

enum tm_status tm_ftrace_write_sched(struct tm_ftrace_writer *w, const struct tm_event *e, struct tm_error *err)
{
    bool is_switch = e->kind == TM_KIND_SCHED_SWITCH;
    struct tm_ftrace_bundle *b;
    enum tm_status st = open_bundle(w, e, &b, err);
    if (st < 0)
        return st;
    bool compact = is_for_compact(w, b, e);
    if (compact ? b->has_switch : is_switch && !tm_compact_sched_is_empty(&b->sched))
        st = write_bundle(w, b, err); /* one after the other, as a bundle is not read in time order */
    if (st < 0)
        return st;
    if (compact) {
        st = is_switch ? tm_compact_sched_switch(&b->sched, e, kernel_state(w, e), w->packets->catalog, err)
                       : tm_compact_sched_waking(&b->sched, e, w->packets->catalog, err);
    } else if (tm_sched_event_put(&b->events, w->packets->catalog, e, is_switch ? kernel_state(w, e) : 0) != TM_OK) {
        st = tm_error_nomem(err);
    }
    b->has_switch |= is_switch && !compact;
    if (is_switch)
        note_switch(w, b, e);
    return st;
}

/* Appends the bytes from FROM to END, for which there is room. */
static void put_fields(struct tm_buf *out, const uint8_t *from, const uint8_t *end)
{
    size_t len = (size_t)(end - from);
    if (len == 0)
        return;
    memcpy(out->data + out->len, from, len);
    out->len += len;
}

/* Events with a function, which is the number of a symbol in the sequence's interned data: sched_blocked_reason,
 * workqueue_activate_work, workqueue_execute_end, workqueue_execute_start, workqueue_queue_work, funcgraph_entry,
 * funcgraph_exit, mm_shrink_slab_start, hrtimer_expire_entry. */
static bool has_symbol(uint32_t event)
{
    return event == 18 || (event >= 56 && event <= 59) || event == 437 || event == 438 || event == 443 || event == 553;
}

/* E of a generation with interned data goes into a bundle that is on its sequence, if it names a function. */
static enum tm_status take_symbols(struct tm_ftrace_writer *w, struct tm_ftrace_bundle *b, const struct tm_event *e,
                                   struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(e->raw, e->raw_bytes);
    struct tm_pb_field f;
    uint32_t event = 0;
    enum tm_status st = TM_OK;
    while (event == 0 && tm_pb_next(&pb, &f) == TM_OK)
        event = f.type == TM_PB_LEN ? f.id : 0;
    if (!has_symbol(event))
        return TM_OK;
    if (b->sequence || (b->symbols && b->symbols != e->generation))
        st = write_bundle(w, b, err);
    b->symbols = e->generation;
    return st;
}

enum tm_status tm_ftrace_bundle_symbols(struct tm_ftrace_writer *w, struct tm_ftrace_bundle *b, uint32_t *sequence,
                                        struct tm_error *err)
{
    enum tm_status st = b->symbols ? write_bundle(w, b, err) : TM_OK;
    if (*sequence == 0)
        *sequence = tm_packet_new_sequence(w->packets);
    b->sequence = *sequence;
    return st;
}

enum tm_status tm_ftrace_write_raw(struct tm_ftrace_writer *w, const struct tm_event *e, struct tm_error *err)
{
    struct tm_ftrace_bundle *b;
    struct tm_pb pb = tm_pb_of(e->raw, e->raw_bytes);
    struct tm_pb_field f;
    size_t mark;
    enum tm_status st = open_bundle(w, e, &b, err);
    if (st < 0)
        return st;
    if (e->kind == TM_KIND_SCHED_SWITCH && !tm_compact_sched_is_empty(&b->sched) && (st = write_bundle(w, b, err)) < 0)
        return st;
    if (e->generation && (st = take_symbols(w, b, e, err)) < 0)
        return st;
    struct tm_buf *out = &b->events;
    if (tm_pb_begin(out, TM_BUNDLE_EVENT, &mark) != TM_OK ||
        tm_pb_put_varint(out, TM_FTRACE_TIMESTAMP, (uint64_t)e->time_ns) != TM_OK ||
        tm_buf_reserve(out, e->raw_bytes) != TM_OK)
        return tm_error_nomem(err);
    const uint8_t *from = e->raw; /* what is kept and not copied yet begins here */
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        if (f.id != TM_FTRACE_TIMESTAMP)
            continue;
        put_fields(out, from, f.start);
        from = f.end;
    }
    if (st == TM_END)
        put_fields(out, from, pb.end);
    if (st < 0)
        return tm_error_set(err, TM_E_INPUT, "event %llu: raw bytes are no valid FtraceEvent",
                            (unsigned long long)e->position);
    if (e->kind == TM_KIND_SCHED_SWITCH) {
        b->has_switch = true;
        note_switch(w, b, e);
    }
    return tm_pb_end(out, mark) == TM_OK ? TM_OK : tm_error_nomem(err);
}

void tm_ftrace_writer_release(struct tm_ftrace_writer *w)
{
    for (uint32_t i = 0; i < w->cap; i++) {
        tm_buf_release(&w->bundles[i].events);
        tm_compact_sched_release(&w->bundles[i].sched);
    }
    free(w->bundles);
    free(w->kernels);
    tm_work_names_release(w);
    tm_buf_release(&w->line);
    *w = (struct tm_ftrace_writer){0};
}
