/* Messages for people about JSON that is not what it should be, which would go unnoticed: JSON that is not a trace is
 * read as a file without events. */
#ifndef TM_EMIT_NO_EVENTS_H
#define TM_EMIT_NO_EVENTS_H

#include "model/catalog.h"

/* Gives WARN a line if the statistics of files show such JSON (tm_json_without_events), one for control characters in
 * strings (json_control_characters), and one for processes of a Firefox profile whose start is unknown
 * (gecko_process_without_start). */
void tm_no_events_warn(const struct tm_catalog *catalog, void (*warn)(const char *text));

#endif
