/* The work of tm-plan: makes a plan of a placed stream, and finds from a plan where to cut (doc/plan.md). */
#ifndef TM_PLAN_PLAN_STREAM_H
#define TM_PLAN_PLAN_STREAM_H

#include "base/status.h"

#include <stdint.h>

/* Reads the placed stream on IN and writes its plan to OUT, with the events that RULES of alignment use (a list with
 * commas; NULL: all that need no parameter). The plan is not sorted. A plan of a plan has the same content. TM_OK;
 * TM_E_INPUT if the stream is damaged, not placed, or a part by time; TM_E_USAGE if RULES is no list of rules;
 * TM_E_SYSTEM. After a failure OUT has a stream without an END. */
enum tm_status tm_plan_stream(int in, int out, const char *rules, struct tm_error *err);

/* Reads the plan on IN. Sets POINTS to the PART_COUNT - 1 rising times that divide its events into parts of equal
 * size, by the bytes of their rows. TM_OK; TM_E_INPUT if it is damaged or no plan; TM_E_SYSTEM. */
enum tm_status tm_plan_divide(int in, uint32_t part_count, int64_t *points, struct tm_error *err);

#endif
