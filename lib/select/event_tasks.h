/* Finds the thread and process of each event, for the keys of --only that name them. The model follows the tasks. Their
 * names are those of a first reading (select/facts.h), because a name may come after the event. Memory grows with the
 * number of threads, processes and descriptors. */
#ifndef TM_SELECT_EVENT_TASKS_H
#define TM_SELECT_EVENT_TASKS_H

#include "model/event_owner.h"
#include "select/facts.h"
#include "select/criteria.h"

/* Zero-initialise, then init. */
struct tm_event_tasks {
    bool is_used; /* a key names tasks. If false, nothing else need be called */
    /* private */
    const struct tm_select_spec *spec;
    const struct tm_processes *names; /* NULL while the stream is read for the first time */
    struct tm_model model;
    struct tm_event_owner *owners; /* of the rows taken last */
    uint32_t owner_cap;
    struct tm_criteria_answers threads, processes;
    struct tm_buf text;
};

/* SPEC, CATALOG and FACTS are borrowed. FACTS is NULL at the first reading. */
void tm_event_tasks_init(struct tm_event_tasks *tasks, const struct tm_select_spec *spec,
                         const struct tm_catalog *catalog, const struct tm_select_facts *facts);

/* Takes in COUNT ROWS, an event and the rows derived from it, or a definition. Those of one time come in the order in
 * which they nest, in both readings. Returns what tm_model_take and tm_event_owner_find return. */
enum tm_status tm_event_tasks_take(struct tm_event_tasks *tasks, const struct tm_event *rows, uint32_t count,
                                   struct tm_error *err);

/* *WANTED: true if row I of those taken last is of a task that is wanted. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_event_tasks_wants(struct tm_event_tasks *tasks, uint32_t i, bool *wanted, struct tm_error *err);

/* Ends the first reading. The tasks go to FACTS. Returns what tm_model_finish returns. */
enum tm_status tm_event_tasks_finish(struct tm_event_tasks *tasks, struct tm_select_facts *facts,
                                     struct tm_error *err);

/* Looks up value I of KEY, which names tasks, after the first reading. TM_OK if a task of the stream fits, TM_END if
 * none does, TM_E_SYSTEM. */
enum tm_status tm_event_tasks_is_known(struct tm_event_tasks *tasks, enum tm_select_key key, uint32_t i,
                                       struct tm_error *err);

void tm_event_tasks_release(struct tm_event_tasks *tasks);

#endif
