/* The open bundles of a ftrace writer. Private to its parts. */
#ifndef TM_EMIT_PERFETTO_FTRACE_BUNDLE_H
#define TM_EMIT_PERFETTO_FTRACE_BUNDLE_H

#include "emit/perfetto/ftrace_writer.h"

enum {
    TM_FTRACE_BUNDLE_BYTES = 32 << 10, /* of events before a bundle is written */
    TM_FTRACE_SLOTS_A_MACHINE = 37     /* where those of the next one begin; more cpus than that go on from there */
};

static inline bool tm_ftrace_bundle_has_room(const struct tm_ftrace_bundle *b)
{
    return b->events.len < TM_FTRACE_BUNDLE_BYTES && !tm_compact_sched_is_full(&b->sched);
}

/* Writes BUNDLE, or all of them, and empties it; messages that wait stay. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_ftrace_bundle_write(struct tm_ftrace_writer *writer, struct tm_ftrace_bundle *bundle,
                                      struct tm_error *err);
enum tm_status tm_ftrace_bundles_write(struct tm_ftrace_writer *writer, struct tm_error *err);

/* As tm_ftrace_bundle_open; mostly the first place that is looked at has it. */
static inline enum tm_status tm_ftrace_bundle_get(struct tm_ftrace_writer *w, const struct tm_event *e,
                                                  struct tm_ftrace_bundle **bundle, struct tm_error *err)
{
    uint16_t slot = w->slots[(e->machine * TM_FTRACE_SLOTS_A_MACHINE + e->cpu) % TM_FTRACE_BUNDLE_SLOTS];
    if (slot) {
        *bundle = &w->bundles[slot - 1];
        if ((*bundle)->cpu == e->cpu && (*bundle)->machine == e->machine && tm_ftrace_bundle_has_room(*bundle))
            return TM_OK;
    }
    return tm_ftrace_bundle_open(w, e, bundle, err);
}

/* ftrace_sched.c */

/* EVENT, a SCHED_SWITCH or SCHED_WAKING, into BUNDLE, past the messages that wait. */
enum tm_status tm_ftrace_put_sched(struct tm_ftrace_writer *writer, struct tm_ftrace_bundle *bundle,
                                   const struct tm_event *event, struct tm_error *err);

/* After EVENT, a switch or what comes to one, was written. */
void tm_ftrace_note_switch(const struct tm_ftrace_writer *writer, struct tm_ftrace_bundle *bundle,
                           const struct tm_event *event);

/* True when a reader of the output would find who ran before EVENT, a COMPACT_SCHED, as it was. */
bool tm_ftrace_is_next(const struct tm_ftrace_writer *writer, const struct tm_ftrace_bundle *bundle,
                       const struct tm_event *event);

/* ftrace_messages.c */

static inline bool tm_ftrace_has_messages(const struct tm_ftrace_cpu *c)
{
    return c->waiting || !tm_open_messages_is_empty(&c->messages);
}

/* Nothing that waits for BUNDLE's cpu comes before UNTIL any more; NULL: nothing waits. TM_OK, TM_E_INPUT or
 * TM_E_SYSTEM. */
enum tm_status tm_ftrace_messages_until(struct tm_ftrace_writer *writer, struct tm_ftrace_bundle *bundle,
                                        const struct tm_event *until, struct tm_error *err);

/* The same for all cpus; bundles are opened for it. */
enum tm_status tm_ftrace_all_messages_until(struct tm_ftrace_writer *writer, const struct tm_event *until,
                                            struct tm_error *err);

/* Forgets what waits for CPU. */
void tm_ftrace_messages_drop(struct tm_ftrace_writer *writer, struct tm_ftrace_cpu *cpu);

#endif
