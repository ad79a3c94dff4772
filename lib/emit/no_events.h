/* What a stream has of JSON that is no trace, told to people: it reads as files without events, which nobody would
 * notice. */
#ifndef TM_EMIT_NO_EVENTS_H
#define TM_EMIT_NO_EVENTS_H

#include "model/catalog.h"

/* Gives WARN a line for each sort there is, by the statistics of the files (tm_json_lines, tm_json_without_events);
 * and one for strings that are no JSON (json_control_characters). */
void tm_no_events_tell(const struct tm_catalog *catalog, void (*warn)(const char *text));

#endif
