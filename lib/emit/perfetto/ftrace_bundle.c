#include "emit/perfetto/ftrace_bundle.h"

#include "base/table.h"

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
    const struct tm_packet_head head = {b->machine, sequence, TM_PACKET_FTRACE_EVENTS};
    st = tm_packet_message(w->packets, head, bundle, err);
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

/* Finds or makes the state of E's cpu. */
static enum tm_status find_cpu(struct tm_ftrace_writer *w, const struct tm_event *e, struct tm_ftrace_cpu **cpu,
                               struct tm_error *err)
{
    uint64_t key = (uint64_t)e->machine << 32 | e->cpu;
    uint32_t at;
    if (tm_map_find(&w->cpu_index, key, &at)) {
        *cpu = w->cpus[at];
        return TM_OK;
    }
    if (tm_array_grow(&w->cpus, &w->cpu_cap, w->cpu_count, sizeof *w->cpus, err) < 0)
        return TM_E_SYSTEM;
    if ((*cpu = malloc(sizeof **cpu)) == NULL)
        return tm_error_nomem(err);
    **cpu = (struct tm_ftrace_cpu){.machine = e->machine, .cpu = e->cpu, .messages = {.borrows_names = true}};
    w->cpus[w->cpu_count] = *cpu;
    return tm_map_set(&w->cpu_index, key, w->cpu_count++) == TM_OK ? TM_OK : tm_error_nomem(err);
}

enum tm_status tm_ftrace_bundles_close(struct tm_ftrace_writer *w, struct tm_error *err)
{
    enum tm_status st = tm_ftrace_bundles_write(w, err);
    memset(w->slots, 0, sizeof w->slots);
    w->count = 0;
    return st;
}

/* Opens a bundle for E's cpu. If too many are open, all are written and closed first. */
static enum tm_status add_bundle(struct tm_ftrace_writer *w, const struct tm_event *e, struct tm_ftrace_bundle **bundle,
                                 struct tm_error *err)
{
    struct tm_ftrace_cpu *cpu = NULL;
    enum tm_status st = TM_OK;
    if (w->count == TM_FTRACE_BUNDLES_MAX)
        st = tm_ftrace_bundles_close(w, err);
    if (st < 0 || (st = find_cpu(w, e, &cpu, err)) < 0)
        return st;
    if (tm_array_grow(&w->bundles, &w->cap, w->count, sizeof *w->bundles, err) < 0)
        return TM_E_SYSTEM;
    *bundle = &w->bundles[w->count++];
    (*bundle)->machine = e->machine;
    (*bundle)->cpu = e->cpu;
    (*bundle)->task = cpu;
    return TM_OK;
}

/* Returns the slot of the bundle of E's cpu, or the slot where it will be. */
static uint32_t slot_of(const struct tm_ftrace_writer *w, const struct tm_event *e)
{
    for (uint32_t at = e->machine * TM_FTRACE_SLOTS_A_MACHINE + e->cpu;; at++) {
        uint32_t number = w->slots[at % TM_FTRACE_BUNDLE_SLOTS];
        if (number == 0 || (w->bundles[number - 1].cpu == e->cpu && w->bundles[number - 1].machine == e->machine))
            return at % TM_FTRACE_BUNDLE_SLOTS;
    }
}

bool tm_ftrace_bundle_is_open(const struct tm_ftrace_writer *w, const struct tm_event *e)
{
    return w->slots[slot_of(w, e)] != 0;
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

enum tm_status tm_ftrace_bundle_symbols(struct tm_ftrace_writer *w, struct tm_ftrace_bundle *b, uint32_t *sequence,
                                        struct tm_error *err)
{
    enum tm_status st = b->symbols ? tm_ftrace_bundle_write(w, b, err) : TM_OK;
    if (*sequence == 0)
        *sequence = tm_packet_new_sequence(w->packets);
    b->sequence = *sequence;
    return st;
}
