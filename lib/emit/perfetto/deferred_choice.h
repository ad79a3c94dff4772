/* Complete events whose track depends on events during them. A Perfetto track has only begins and ends. If a complete
 * event inside an open slice lasts longer than that slice, the two cross, and one track cannot express that. Such an
 * event gets a placeholder (placeholders.h) with two versions: one on its track, one on a lane of the thread. It moves
 * to the lane if, on the track, it would end a slice or be ended by one, and its file does not state that. Source:
 * doc/rules.md section 6 and the nesting rules of lib/model/slices.h. */
#ifndef TM_EMIT_PERFETTO_DEFERRED_CHOICE_H
#define TM_EMIT_PERFETTO_DEFERRED_CHOICE_H

#include "emit/perfetto/track_writer.h"

/* Writes the begin of EVENT as a placeholder: on END's track or on LANE below it. Notes it in END. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_deferred_choice_open(struct tm_track_writer *writer, const struct tm_event *event, uint64_t lane,
                                       struct tm_open_end *end, struct tm_error *err);

/* Prepares track UUID for EVENT, which is noted in the first view of reader_slices.h and not written yet. Complete
 * events that it would end there but does not end in its file move to their lanes. Slices that it ends in its file and
 * would not end there get their ends. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_deferred_choice_clear(struct tm_track_writer *writer, const struct tm_event *event, uint64_t uuid,
                                        struct tm_error *err);

/* Moves the innermost complete event that is open above slice READER_ID of UUID and can move to its lane. TM_OK;
 * TM_END: there is none; TM_E_SYSTEM. */
enum tm_status tm_deferred_choice_move_above(struct tm_track_writer *writer, uint64_t uuid, int64_t reader_id,
                                             struct tm_error *err);

/* Decides all choices without the events that follow: complete events stay on their tracks unless they would end slices
 * there. Called at a cut, where one part of an output ends and the next begins. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_deferred_choice_decide(struct tm_track_writer *writer, struct tm_error *err);

/* Ends the complete event of END. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_deferred_choice_end(struct tm_track_writer *writer, const struct tm_open_end *end,
                                      struct tm_error *err);

#endif
