/* The open bundles of a ftrace writer. Private to its parts. */
#ifndef TM_EMIT_PERFETTO_FTRACE_BUNDLE_H
#define TM_EMIT_PERFETTO_FTRACE_BUNDLE_H

#include "emit/perfetto/ftrace_writer.h"

enum {
    TM_FTRACE_BUNDLE_BYTES = 32 << 10, /* bytes of events before a bundle is written */
    TM_FTRACE_SLOTS_A_MACHINE = 37 /* distance between the slots of two machines; more cpus use the slots after these */
};

static inline bool tm_ftrace_bundle_has_room(const struct tm_ftrace_bundle *b)
{
    return b->events.len < TM_FTRACE_BUNDLE_BYTES && !tm_compact_sched_is_full(&b->sched);
}

/* Writes and empties BUNDLE, or all bundles; pending messages stay. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_ftrace_bundle_write(struct tm_ftrace_writer *writer, struct tm_ftrace_bundle *bundle,
                                      struct tm_error *err);
enum tm_status tm_ftrace_bundles_write(struct tm_ftrace_writer *writer, struct tm_error *err);

/* Writes and closes all bundles. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_ftrace_bundles_close(struct tm_ftrace_writer *writer, struct tm_error *err);

/* True if the bundle of EVENT's machine and cpu is open. */
bool tm_ftrace_bundle_is_open(const struct tm_ftrace_writer *writer, const struct tm_event *event);

/* Sets *BUNDLE to the bundle of EVENT's machine and cpu. It is open and has room for more. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_ftrace_bundle_open(struct tm_ftrace_writer *writer, const struct tm_event *event,
                                     struct tm_ftrace_bundle **bundle, struct tm_error *err);

/* Puts BUNDLE on output sequence *SEQUENCE from the next event on. If *SEQUENCE is 0, makes a new one. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_ftrace_bundle_symbols(struct tm_ftrace_writer *writer, struct tm_ftrace_bundle *bundle,
                                        uint32_t *sequence, struct tm_error *err);

/* Appends STRING, a name or category of EVENT, to OUT as field ID. Appends nothing if EVENT has none. False: out of
 * memory. */
bool tm_ftrace_put_text(const struct tm_ftrace_writer *writer, struct tm_buf *out, uint32_t id, uint32_t string,
                        const struct tm_event *event);

/* ftrace_sched.c */

/* Puts EVENT, a SCHED_SWITCH or SCHED_WAKING, into BUNDLE without regard to pending messages. TM_OK or TM_E_SYSTEM. */
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

/* Writes what is pending for BUNDLE's cpu before UNTIL; NULL: all of it. TM_OK, TM_E_INPUT or TM_E_SYSTEM. */
enum tm_status tm_ftrace_messages_until(struct tm_ftrace_writer *writer, struct tm_ftrace_bundle *bundle,
                                        const struct tm_event *until, struct tm_error *err);

/* Writes what is pending for all cpus before UNTIL, and opens bundles for it. TM_OK, TM_E_INPUT or TM_E_SYSTEM. */
enum tm_status tm_ftrace_all_messages_until(struct tm_ftrace_writer *writer, const struct tm_event *until,
                                            struct tm_error *err);

/* True if pending messages take more memory than permitted. */
bool tm_ftrace_messages_are_many(const struct tm_ftrace_writer *writer);

/* Makes EVENT, a COMPACT_SCHED of CPU, pending. TM_OK, TM_E_INPUT or TM_E_SYSTEM. */
enum tm_status tm_ftrace_messages_add(struct tm_ftrace_writer *writer, struct tm_ftrace_cpu *cpu,
                                      const struct tm_event *event, struct tm_error *err);

/* Drops what is pending for CPU. */
void tm_ftrace_messages_drop(struct tm_ftrace_writer *writer, struct tm_ftrace_cpu *cpu);

#endif
