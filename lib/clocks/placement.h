/* The placement ladder: how a file is related to trace time if its snapshots do not do that. Source: doc/rules.md
 * section 5, "Placing a file". */
#ifndef TM_CLOCKS_PLACEMENT_H
#define TM_CLOCKS_PLACEMENT_H

#include "clocks/clock_hints.h"
#include "clocks/clock_scope.h"

/* Climbs the ladder for SCOPE, once, before its first conversion. Adds the edges that it finds, or counts the scope as
 * unrelatable. TM_OK, TM_E_INPUT (a limit of the graph) or TM_E_SYSTEM. */
enum tm_status tm_placement_place(struct tm_clock_scope *scope, struct tm_clock_registry *registry,
                                  struct tm_clock_hints *hints, struct tm_error *err);

/* *WAITS: true if nothing relates SCOPE's clock to trace time yet, but a hint may still come. It is then better to
 * place it later. */
enum tm_status tm_placement_waits(const struct tm_clock_scope *scope, struct tm_clock_registry *registry, bool *waits,
                                  struct tm_error *err);

#endif
