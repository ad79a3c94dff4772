/* Relates a file to trace time if its snapshots and the manifest do not. It tries hints, then a REALTIME that is
 * assumed to be the same on all machines, then the assumption that clocks of one domain are one clock. Source:
 * doc/rules.md section 5, "Placing a file". */
#ifndef TM_CLOCKS_SAME_DOMAIN_H
#define TM_CLOCKS_SAME_DOMAIN_H

#include "clocks/clock_hints.h"
#include "clocks/clock_scope.h"

/* Relates SCOPE's own clock to trace time. Call it once, before the first conversion of the scope. Adds the edges that
 * it finds, or counts the scope as unrelatable. TM_OK, TM_E_INPUT (a limit of the graph) or TM_E_SYSTEM. */
enum tm_status tm_same_domain_relate(struct tm_clock_scope *scope, struct tm_clock_registry *registry,
                                  struct tm_clock_hints *hints, struct tm_error *err);

/* Sets *IS_PENDING to true if nothing relates SCOPE's clock to trace time yet, but a hint may still come. The scope is
 * then to be placed later. Returns what tm_same_domain_relate returns. */
enum tm_status tm_same_domain_is_pending(const struct tm_clock_scope *scope, struct tm_clock_registry *registry,
                                         bool *is_pending, struct tm_error *err);

#endif
