/* The text of a Chrome JSON output: its events one after the other, and the parts of an event. The next tm_out_end_row
 * returns the error of a call without a status. */
#ifndef TM_EMIT_CHROME_JSON_WRITER_H
#define TM_EMIT_CHROME_JSON_WRITER_H

#include "emit/chrome_json/event_draft.h"
#include "emit/chrome_json/id_numbers.h"
#include "emit/emit.h"
#include "emit/out.h"

struct tm_json_writer {
    const struct tm_emit_context *context; /* borrowed */
    struct tm_out out;
    uint64_t unsupported_count; /* events without a form in JSON */
    int64_t base_ns;            /* subtracted from all times */
    /* private */
    bool has_events;            /* the next event needs a comma before it */
    bool awaits_base;           /* the next event of the timeline sets base_ns */
    struct tm_json_id_numbers ids;
    struct tm_map flows; /* from the number of a flow to its index in known (writer_flows.c) */
    struct tm_json_flow *known;
    uint32_t known_count, known_cap;
    uint64_t flow_count; /* events with flows of a proto */
    struct tm_buf scratch;
    struct tm_buf begun; /* the detail that was settled last */
};

void tm_json_writer_init(struct tm_json_writer *w, const struct tm_emit_context *context);
void tm_json_writer_release(struct tm_json_writer *w);

/* With --rebase the first event is at 0. Call it with each event, in order of time. */
static inline void tm_json_writer_note_base(struct tm_json_writer *w, const struct tm_event *e)
{
    if (!w->awaits_base || e->flags & (TM_EVENT_UNTIMED | TM_EVENT_DEFINITION))
        return;
    w->base_ns = e->time_ns;
    w->awaits_base = false;
}

/* Notes that an event begins. True if another was before it. */
bool tm_json_writer_follows(struct tm_json_writer *w);

/* Puts "," and a new line, except before the first event. */
void tm_json_writer_next(struct tm_json_writer *w);

/* Puts TIME_NS as "ts": microseconds since base_ns, exact and short. The second puts NS as microseconds. */
void tm_json_writer_time(struct tm_json_writer *w, int64_t time_ns);
void tm_json_writer_micros(struct tm_json_writer *w, int64_t ns);

/* Sets *DRAFT to an event with PHASE and the time, category, name and detail of E. Its thread is not set. */
void tm_json_writer_draft(const struct tm_json_writer *w, const struct tm_event *e, char phase,
                          struct tm_json_event_draft *draft);

/* Settles the flows of *DETAIL, of a slice of FILE that begins on a thread and is written later. If they are a proto's,
 * *DETAIL becomes one that says what the slice is in them; it is valid until the next call of one of these functions.
 * tm_json_writer_place_flows must follow. TM_OK or an error of writing. */
enum tm_status tm_json_writer_begin_flows(struct tm_json_writer *w, uint32_t file, struct tm_text *detail,
                                          struct tm_error *err);

/* Notes for the flows in DETAIL, as recorded, which were settled last, that their slice has the time, process and
 * thread of SLICE. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_writer_place_flows(struct tm_json_writer *w, uint32_t file, struct tm_text detail,
                                          const struct tm_json_event_draft *slice, struct tm_error *err);

/* tm_json_writer_begin_flows for the *DETAIL of the end of such a slice, whose begin had the detail BEGUN. *DETAIL
 * counts only if BEGUN has no flow, and then one flow of it. TM_OK or an error of writing. */
enum tm_status tm_json_writer_end_flow(struct tm_json_writer *w, uint32_t file, struct tm_text begun,
                                       struct tm_text *detail, struct tm_error *err);

/* Sets the bind_id of DRAFT, an event of FILE, to a flow of its details. An event holds only one. If there are others,
 * and it is a slice on a thread, they become flow events, which belong after DRAFT. Call it in order of time; DRAFT is
 * then valid until the next call of one of these functions. TM_OK or an error of writing. */
enum tm_status tm_json_writer_bind(struct tm_json_writer *w, uint32_t file, struct tm_json_event_draft *draft,
                                   struct tm_error *err);

/* Takes the next flow event of SLICE. False: there is none. */
bool tm_json_writer_next_flow(struct tm_json_event_draft *slice, struct tm_json_event_draft *event);

/* Writes the event of SLICE, then its flow events, which it takes. TM_OK or an error of writing. */
enum tm_status tm_json_writer_put_slice(struct tm_json_writer *w, struct tm_json_event_draft *slice,
                                        struct tm_error *err);

/* Writes the event of DRAFT. TM_OK or an error of writing. */
enum tm_status tm_json_writer_put(struct tm_json_writer *w, const struct tm_json_event_draft *draft,
                                  struct tm_error *err);

/* Puts the scalar VALUE, an id of KIND in E's file, renumbered; a value that is not an id is unchanged.
 * TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_writer_id(struct tm_json_writer *w, const struct tm_event *e, enum tm_json_id_kind kind,
                                 const struct tm_json_value *value, struct tm_error *err);

/* Replaces *ID, an id of KIND in FILE, by its number. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_writer_renumber(struct tm_json_writer *w, uint32_t file, enum tm_json_id_kind kind,
                                       uint64_t *id, struct tm_error *err);

/* The text of STRING, a column of E. */
struct tm_text tm_json_writer_string(const struct tm_json_writer *w, uint32_t string, const struct tm_event *e);

/* Counts E, which has no form in JSON. */
void tm_json_writer_unsupported(struct tm_json_writer *w, const struct tm_event *e);

#endif
