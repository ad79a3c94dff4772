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

/* Writes all bundles. They are not open any more. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_ftrace_bundles_close(struct tm_ftrace_writer *writer, struct tm_error *err);

/* True if the bundle of EVENT's machine and cpu is open. */
bool tm_ftrace_bundle_is_open(const struct tm_ftrace_writer *writer, const struct tm_event *event);

/* *BUNDLE is the bundle of EVENT's machine and cpu. It is open and has room for more. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_ftrace_bundle_open(struct tm_ftrace_writer *writer, const struct tm_event *event,
                                     struct tm_ftrace_bundle **bundle, struct tm_error *err);

/* BUNDLE is on output sequence *SEQUENCE from the next event on; 0: on a new one, whose number *SEQUENCE becomes. TM_OK
 * or TM_E_SYSTEM. */
enum tm_status tm_ftrace_bundle_symbols(struct tm_ftrace_writer *writer, struct tm_ftrace_bundle *bundle,
                                        uint32_t *sequence, struct tm_error *err);

/* Appends STRING, a name or category of EVENT, to OUT as field ID. If EVENT has none, nothing is appended. False: out
 * of memory. */
bool tm_ftrace_put_text(const struct tm_ftrace_writer *writer, struct tm_buf *out, uint32_t id, uint32_t string,
                        const struct tm_event *event);

/* ftrace_sched.c */

/* Puts EVENT, a SCHED_SWITCH or SCHED_WAKING, into BUNDLE; messages that wait are not looked at. TM_OK or TM_E_SYSTEM.
 */
enum tm_status tm_ftrace_put_sched(struct tm_ftrace_writer *writer, struct tm_ftrace_bundle *bundle,
                                   const struct tm_event *event, struct tm_error *err);

/* Notes the task that runs after EVENT, a switch or a message with switches. */
void tm_ftrace_note_switch(const struct tm_ftrace_writer *writer, struct tm_ftrace_bundle *bundle,
                           const struct tm_event *event);

/* True if a reader of the output would find the task that ran before EVENT, a COMPACT_SCHED, as its file states it. */
bool tm_ftrace_is_next(const struct tm_ftrace_writer *writer, const struct tm_ftrace_bundle *bundle,
                       const struct tm_event *event);

/* ftrace_messages.c */

static inline bool tm_ftrace_has_messages(const struct tm_ftrace_cpu *c)
{
    return c->pending || !tm_open_messages_is_empty(&c->messages);
}

/* Writes what waits for BUNDLE's cpu and comes before UNTIL; NULL: all of it. TM_OK, TM_E_INPUT or TM_E_SYSTEM. */
enum tm_status tm_ftrace_messages_until(struct tm_ftrace_writer *writer, struct tm_ftrace_bundle *bundle,
                                        const struct tm_event *until, struct tm_error *err);

/* As tm_ftrace_messages_until, for all cpus. It opens bundles. */
enum tm_status tm_ftrace_all_messages_until(struct tm_ftrace_writer *writer, const struct tm_event *until,
                                            struct tm_error *err);

/* True if the messages that wait take more memory than they may. */
bool tm_ftrace_messages_are_many(const struct tm_ftrace_writer *writer);

/* EVENT, a COMPACT_SCHED of CPU, waits from now on. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_ftrace_messages_add(struct tm_ftrace_writer *writer, struct tm_ftrace_cpu *cpu,
                                      const struct tm_event *event, struct tm_error *err);

/* Forgets what waits for CPU. */
void tm_ftrace_messages_drop(struct tm_ftrace_writer *writer, struct tm_ftrace_cpu *cpu);

#endif
