/* Complete events of which only what comes while they go on tells whether they can stay on their track.
 *
 * Within a begin that waits for its end, a complete event crosses what ends before it does, and a begin and an end
 * cannot say so on one track. Such a one has two versions (placeholders.h) until it ends: on its track, and on a lane
 * of the thread. It goes to the lane where what is written would otherwise end it, or be ended by it, and its file does
 * not mean that. Source: doc/rules.md section 6 and the nesting rules of lib/model/slices.h. */
#ifndef TM_EMIT_PERFETTO_DEFERRED_CHOICE_H
#define TM_EMIT_PERFETTO_DEFERRED_CHOICE_H

#include "emit/perfetto/track_writer.h"

/* The begin of EVENT, which ends as END says, is to be on END's track or on LANE below it: writes it as a placeholder,
 * and notes it in END. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_deferred_choice_open(struct tm_track_writer *writer, const struct tm_event *event, uint64_t lane,
                                       struct tm_open_end *end, struct tm_error *err);

/* EVENT, which has been said, is about to be written to track UUID: complete events that it would cut short there, and
 * does not in its file, go to their lanes; what it does cut short, and would not there, ends. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_deferred_choice_clear(struct tm_track_writer *writer, const struct tm_event *event, uint64_t uuid,
                                        struct tm_error *err);

/* The innermost that can and is open above slice TWIN of UUID goes to its lane. TM_OK; TM_END: there is none;
 * TM_E_SYSTEM. */
enum tm_status tm_deferred_choice_move_above(struct tm_track_writer *writer, uint64_t uuid, int64_t twin,
                                             struct tm_error *err);

/* The complete event of END ends. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_deferred_choice_end(struct tm_track_writer *writer, const struct tm_open_end *end,
                                      struct tm_error *err);

#endif
