/* The further times inside an event's payload (Detail.inner_times), converted in place. */
#ifndef TM_CLOCKS_INNER_TIMES_H
#define TM_CLOCKS_INNER_TIMES_H

#include "clocks/clock_route.h"

/* Converts those of DETAIL (LEN bytes), whose event has KEY (its clock does not matter): value and
 * state change, nothing moves. TM_OK, also where some cannot be converted, or an error; TM_E_INPUT
 * when DETAIL is damaged. */
enum tm_status tm_inner_times_convert(struct tm_clock_routes *routes, const struct tm_route_key *key,
                                      uint8_t *detail, size_t len, struct tm_error *err);

#endif
