/* The words that --only takes for kinds of events: those that outputs show (stream/kind_name.h), and words for several
 * of them. */
#ifndef TM_SELECT_KINDS_H
#define TM_SELECT_KINDS_H

#include <stdbool.h>
#include <stdint.h>

/* True if VALUE is a word for KIND, or a pattern that matches one (fnmatch(3)). */
bool tm_select_kind_fits(uint32_t kind, const char *value);

/* True if VALUE fits some kind of event. */
bool tm_select_kind_is_known(const char *value);

/* Returns the most useful words, as a list for messages. */
const char *tm_select_kind_words(void);

#endif
