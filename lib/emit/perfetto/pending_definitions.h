/* Definitions that are pending until their time, or until another event needs them. tm-sort puts definitions before all
 * events. But a reader that sorts by window drops packets that come after a later time, and a descriptor applies to the
 * process that has its pid at that time. So each definition is written at its time, or earlier if another event needs
 * it. Definitions of one key come in the order in which they were added, whatever their times are, because readers take
 * descriptors of one track, and of one sequence, in the order of the file. */
#ifndef TM_EMIT_PERFETTO_PENDING_DEFINITIONS_H
#define TM_EMIT_PERFETTO_PENDING_DEFINITIONS_H

#include "base/map.h"
#include "stream/pending_events.h"

/* Keys by which events need a definition before its time; 0: none. */
struct tm_pending_needs {
    uint64_t key, other_key;
    uint64_t parent_key; /* the definition that it needs itself */
};

/* Zero-initialise. */
struct tm_pending_definitions {
    struct tm_pending_events events;
    uint32_t additions; /* so far */
    /* private */
    struct tm_map by_key; /* from a key to its number */
    struct tm_definition_key *keys; /* by number */
    uint32_t key_count, key_cap;
    struct tm_keyed_definition *keyed; /* in order of arrival */
    uint32_t keyed_count, keyed_cap;
};

/* Makes a copy of EVENT pending. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_pending_definitions_add(struct tm_pending_definitions *pending, const struct tm_event *event,
                                          struct tm_pending_needs needs, struct tm_error *err);

/* Takes the earliest definition that is due at NOW_NS, or one that came before it with a key of it. NULL: none. Valid
 * until the next call. */
const struct tm_event *tm_pending_definitions_due(struct tm_pending_definitions *pending, int64_t now_ns);

/* Takes the first pending definition with KEY; its ancestors, and what came before with its keys, come first. Call it
 * until it returns NULL. The event is valid until the next call of tm_pending_definitions_due. */
const struct tm_event *tm_pending_definitions_needed(struct tm_pending_definitions *pending, uint64_t key);

/* True if tm_pending_definitions_needed has nothing for KEY until something is added. */
bool tm_pending_definitions_none_needed(const struct tm_pending_definitions *pending, uint64_t key);

void tm_pending_definitions_release(struct tm_pending_definitions *pending);

#endif
