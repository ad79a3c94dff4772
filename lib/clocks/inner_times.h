/* The times inside an event's payload (Detail.inner_times), converted in place. */
#ifndef TM_CLOCKS_INNER_TIMES_H
#define TM_CLOCKS_INNER_TIMES_H

#include "clocks/clock_route.h"

/* Converts the inner times of DETAIL (LEN bytes). The event has KEY, whose clock does not matter. Only value and state
 * of each change, so nothing moves. TM_OK, even if some cannot be converted. TM_E_INPUT if DETAIL is damaged, or
 * another error. */
enum tm_status tm_inner_times_convert(struct tm_clock_routes *routes, const struct tm_route_key *key,
                                      uint8_t *detail, size_t len, struct tm_error *err);

#endif
