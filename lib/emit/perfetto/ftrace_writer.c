#include "emit/perfetto/ftrace_bundle.h"
#include "emit/perfetto/work_line.h"

#include <stdlib.h>

enum tm_status tm_ftrace_bundle_write(struct tm_ftrace_writer *w, struct tm_ftrace_bundle *b, struct tm_error *err)
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

enum tm_status tm_ftrace_bundles_write(struct tm_ftrace_writer *w, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < w->count && st == TM_OK; i++)
        st = tm_ftrace_bundle_write(w, &w->bundles[i], err);
    return st;
}

enum tm_status tm_ftrace_writer_flush(struct tm_ftrace_writer *w, const struct tm_event *until, struct tm_error *err)
{
    enum tm_status st = tm_ftrace_all_messages_until(w, until, err);
    return st < 0 ? st : tm_ftrace_bundles_write(w, err);
}

static void release_cpus(struct tm_ftrace_writer *w)
{
    for (uint32_t i = 0; i < w->cpu_count; i++) {
        tm_ftrace_messages_drop(w, w->cpus[i]);
        free(w->cpus[i]);
    }
    w->cpu_count = 0;
    tm_map_clear(&w->cpu_index);
}

/* What is known of E's cpu; made if new. */
static enum tm_status find_cpu(struct tm_ftrace_writer *w, const struct tm_event *e, struct tm_ftrace_cpu **cpu,
                               struct tm_error *err)
{
    uint64_t key = (uint64_t)e->machine << 32 | e->cpu;
    uint32_t at;
    if (tm_map_find(&w->cpu_index, key, &at)) {
        *cpu = w->cpus[at];
        return TM_OK;
    }
    if (w->cpu_count == w->cpu_cap) {
        uint32_t cap = w->cpu_cap ? w->cpu_cap * 2 : 16;
        struct tm_ftrace_cpu **cpus = realloc(w->cpus, cap * sizeof *cpus);
        if (cpus == NULL)
            return tm_error_nomem(err);
        w->cpus = cpus;
        w->cpu_cap = cap;
    }
    if ((*cpu = calloc(1, sizeof **cpu)) == NULL)
        return tm_error_nomem(err);
    (*cpu)->machine = e->machine;
    (*cpu)->cpu = e->cpu;
    w->cpus[w->cpu_count] = *cpu;
    return tm_map_set(&w->cpu_index, key, w->cpu_count++) == TM_OK ? TM_OK : tm_error_nomem(err);
}

/* Writes all bundles, to use their memory again. */
static enum tm_status close_bundles(struct tm_ftrace_writer *w, struct tm_error *err)
{
    enum tm_status st = tm_ftrace_bundles_write(w, err);
    memset(w->slots, 0, sizeof w->slots);
    w->count = 0;
    return st;
}

/* A bundle that is new, for E's cpu. When too many are open, all are written and closed. When there are too many cpus
 * (hostile numbers), what is known of them is forgotten. */
static enum tm_status add_bundle(struct tm_ftrace_writer *w, const struct tm_event *e, struct tm_ftrace_bundle **bundle,
                                 struct tm_error *err)
{
    struct tm_ftrace_cpu *cpu = NULL;
    enum tm_status st = TM_OK;
    if (w->cpu_count == TM_FTRACE_CPUS_MAX) {
        st = tm_ftrace_all_messages_until(w, NULL, err);
        if (st == TM_OK)
            st = close_bundles(w, err);
        release_cpus(w);
    }
    if (st == TM_OK && w->count == TM_FTRACE_BUNDLES_MAX)
        st = close_bundles(w, err);
    if (st < 0 || (st = find_cpu(w, e, &cpu, err)) < 0)
        return st;
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
    (*bundle)->machine = e->machine;
    (*bundle)->cpu = e->cpu;
    (*bundle)->task = cpu;
    return TM_OK;
}

/* Where the bundle of E's cpu is among the slots, or would be. */
static uint32_t slot_of(const struct tm_ftrace_writer *w, const struct tm_event *e)
{
    for (uint32_t at = e->machine * TM_FTRACE_SLOTS_A_MACHINE + e->cpu;; at++) {
        uint32_t number = w->slots[at % TM_FTRACE_BUNDLE_SLOTS];
        if (number == 0 || (w->bundles[number - 1].cpu == e->cpu && w->bundles[number - 1].machine == e->machine))
            return at % TM_FTRACE_BUNDLE_SLOTS;
    }
}

enum tm_status tm_ftrace_bundle_open(struct tm_ftrace_writer *w, const struct tm_event *e,
                                     struct tm_ftrace_bundle **bundle, struct tm_error *err)
{
    uint32_t at = slot_of(w, e);
    if (w->slots[at] == 0) {
        enum tm_status st = add_bundle(w, e, bundle, err);
        if (st < 0)
            return st;
        w->slots[slot_of(w, e)] = (uint16_t)w->count; /* all may have been closed */
        return TM_OK;
    }
    *bundle = &w->bundles[w->slots[at] - 1];
    return tm_ftrace_bundle_has_room(*bundle) ? TM_OK : tm_ftrace_bundle_write(w, *bundle, err);
}

bool tm_ftrace_put_text(const struct tm_ftrace_writer *w, struct tm_buf *out, uint32_t id, uint32_t string,
                        const struct tm_event *e)
{
    struct tm_text text = tm_catalog_string(w->packets->catalog, string, e);
    return text.data == NULL || tm_pb_put_bytes(out, id, text.data, text.len) == TM_OK;
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
        st = tm_ftrace_bundle_write(w, b, err);
    b->symbols = e->generation;
    return st;
}

enum tm_status tm_ftrace_bundle_symbols(struct tm_ftrace_writer *w, struct tm_ftrace_bundle *b, uint32_t *sequence,
                                        struct tm_error *err)
{
    enum tm_status st = b->symbols ? tm_ftrace_bundle_write(w, b, err) : TM_OK;
    if (*sequence == 0)
        *sequence = tm_packet_new_sequence(w->packets);
    b->sequence = *sequence;
    return st;
}

/* One after the other, as a bundle is not read in order of time. */
static enum tm_status before_switch(struct tm_ftrace_writer *w, struct tm_ftrace_bundle *b, const struct tm_event *e,
                                    struct tm_error *err)
{
    enum tm_status st = tm_ftrace_messages_until(w, b, e, err);
    return st < 0 || tm_compact_sched_is_empty(&b->sched) ? st : tm_ftrace_bundle_write(w, b, err);
}

enum tm_status tm_ftrace_write_raw(struct tm_ftrace_writer *w, const struct tm_event *e, struct tm_error *err)
{
    struct tm_ftrace_bundle *b;
    struct tm_pb pb = tm_pb_of(e->raw, e->raw_bytes);
    struct tm_pb_field f;
    size_t mark;
    enum tm_status st = tm_ftrace_bundle_get(w, e, &b, err);
    if (st < 0)
        return st;
    if (e->kind == TM_KIND_SCHED_SWITCH && (st = before_switch(w, b, e, err)) < 0)
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
        tm_ftrace_note_switch(w, b, e);
    }
    return tm_pb_end(out, mark) == TM_OK ? TM_OK : tm_error_nomem(err);
}

void tm_ftrace_writer_release(struct tm_ftrace_writer *w)
{
    for (uint32_t i = 0; i < w->cap; i++) {
        tm_buf_release(&w->bundles[i].events);
        tm_compact_sched_release(&w->bundles[i].sched);
    }
    release_cpus(w);
    free(w->cpus);
    tm_map_release(&w->cpu_index);
    free(w->bundles);
    free(w->kernels);
    tm_work_names_release(w);
    tm_buf_release(&w->line);
    *w = (struct tm_ftrace_writer){0};
}
