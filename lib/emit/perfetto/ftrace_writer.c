#include "emit/perfetto/ftrace_bundle.h"
#include "emit/perfetto/work_line.h"

#include <stdlib.h>

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

enum tm_status tm_ftrace_writer_bundle(struct tm_ftrace_writer *w, const struct tm_event *e,
                                       struct tm_ftrace_bundle **bundle, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    /* too many cpus: hostile input */
    if (w->cpu_count == TM_FTRACE_CPUS_MAX && !tm_ftrace_bundle_is_open(w, e)) {
        st = tm_ftrace_all_messages_until(w, NULL, err);
        if (st == TM_OK)
            st = tm_ftrace_bundles_close(w, err);
        release_cpus(w);
    }
    return st < 0 ? st : tm_ftrace_bundle_open(w, e, bundle, err);
}

/* Finds the bundle like tm_ftrace_writer_bundle. Its first slot usually has it. */
static inline enum tm_status bundle_get(struct tm_ftrace_writer *w, const struct tm_event *e,
                                        struct tm_ftrace_bundle **bundle, struct tm_error *err)
{
    uint16_t slot = w->slots[(e->machine * TM_FTRACE_SLOTS_A_MACHINE + e->cpu) % TM_FTRACE_BUNDLE_SLOTS];
    if (slot) {
        *bundle = &w->bundles[slot - 1];
        if ((*bundle)->cpu == e->cpu && (*bundle)->machine == e->machine && tm_ftrace_bundle_has_room(*bundle))
            return TM_OK;
    }
    return tm_ftrace_writer_bundle(w, e, bundle, err);
}

enum tm_status tm_ftrace_write_sched(struct tm_ftrace_writer *w, const struct tm_event *e, struct tm_error *err)
{
    struct tm_ftrace_bundle *b;
    enum tm_status st = bundle_get(w, e, &b, err);
    if (st == TM_OK && tm_ftrace_has_messages(b->task))
        st = tm_ftrace_messages_until(w, b, e, err);
    return st < 0 ? st : tm_ftrace_put_sched(w, b, e, err);
}

enum tm_status tm_ftrace_write_message(struct tm_ftrace_writer *w, const struct tm_event *e, struct tm_error *err)
{
    struct tm_ftrace_bundle *b;
    enum tm_status st = tm_ftrace_messages_are_many(w) ? tm_ftrace_all_messages_until(w, NULL, err) : TM_OK;
    if (st == TM_OK)
        st = tm_ftrace_writer_bundle(w, e, &b, err);
    if (st == TM_OK)
        st = tm_ftrace_messages_until(w, b, e, err);
    return st == TM_OK ? tm_ftrace_messages_add(w, b->task, e, err) : st;
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

/* True for events with a function, given as the number of a symbol in the sequence's interned data:
 * sched_blocked_reason, workqueue_activate_work, workqueue_execute_end, workqueue_execute_start,
 * workqueue_queue_work, funcgraph_entry, funcgraph_exit, mm_shrink_slab_start, hrtimer_expire_entry. */
static bool has_symbol(uint32_t event)
{
    return event == 18 || (event >= 56 && event <= 59) || event == 437 || event == 438 || event == 443 || event == 553;
}

/* Puts the bundle on E's sequence if E, of a generation with interned data, names a function. */
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

/* Writes pending messages and the compact part of B before E, a switch in full. It needs the next bundle, since readers
 * do not sort the events of a bundle. */
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
    enum tm_status st = bundle_get(w, e, &b, err);
    if (st < 0)
        return st;
    if (e->kind == TM_KIND_SCHED_SWITCH && (st = before_switch(w, b, e, err)) < 0)
        return st;
    if (e->generation && (st = take_symbols(w, b, e, err)) < 0)
        return st;
    struct tm_buf *out = &b->events;
    if (tm_pb_begin(out, TM_BUNDLE_EVENT, &mark) != TM_OK ||
        tm_pb_put_varint(out, TM_FTRACE_EVENT_TIMESTAMP, (uint64_t)e->time_ns) != TM_OK ||
        tm_buf_reserve(out, e->raw_bytes) != TM_OK)
        return tm_error_nomem(err);
    const uint8_t *from = e->raw; /* start of the bytes that are kept and not copied yet */
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        if (f.id != TM_FTRACE_EVENT_TIMESTAMP)
            continue;
        put_fields(out, from, f.start);
        from = f.end;
    }
    if (st == TM_END)
        put_fields(out, from, pb.end);
    if (st < 0)
        return tm_error_set(err, TM_E_INPUT, "event %llu: raw bytes are not a valid FtraceEvent",
                            (unsigned long long)e->position);
    if (e->kind == TM_KIND_SCHED_SWITCH) {
        b->has_switch = true;
        tm_ftrace_note_switch(w, b, e);
    }
    return tm_pb_end(out, mark) == TM_OK ? TM_OK : tm_error_nomem(err);
}

void tm_ftrace_writer_restart(struct tm_ftrace_writer *w)
{
    for (uint32_t i = 0; i < w->work_count; i++) {
        tm_intern_clear(&w->work[i].names);
        w->work[i].is_begun = false;
    }
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
