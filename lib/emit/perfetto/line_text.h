/* Words and numbers of a line of ftrace text that was understood before: what is looked for is there. */
#ifndef TM_EMIT_PERFETTO_LINE_TEXT_H
#define TM_EMIT_PERFETTO_LINE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Where the LEN bytes of LINE have WORD first: what is after it, in LINE; NULL if they do not have it. */
const char *tm_line_behind(const char *line, size_t len, const char *word);

/* The number at AT, which ends at a blank or at END; negative ones as varints have them. BASE as strtoull takes it. */
uint64_t tm_line_number(const char *at, const char *end, int base);

#endif
