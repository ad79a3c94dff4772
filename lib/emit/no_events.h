/* Messages for people about JSON that is not a trace. It is read as a file without events, which would go unnoticed. */
#ifndef TM_EMIT_NO_EVENTS_H
#define TM_EMIT_NO_EVENTS_H

#include "model/catalog.h"

/* Gives WARN a line if the statistics of files show such JSON (tm_json_without_events), and one for control characters
 * in strings (json_control_characters). */
void tm_no_events_warn(const struct tm_catalog *catalog, void (*warn)(const char *text));

#endif
