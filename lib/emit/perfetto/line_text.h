/* Words and numbers of a line of ftrace text that was parsed before, so they are known to be there. */
#ifndef TM_EMIT_PERFETTO_LINE_TEXT_H
#define TM_EMIT_PERFETTO_LINE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Finds WORD in the LEN bytes of LINE and returns the byte after it; NULL: it is not there. */
const char *tm_line_after(const char *line, size_t len, const char *word);

/* Reads the number at AT, which ends at a blank or at END; negative numbers as in varints. BASE is that of strtoull. */
uint64_t tm_line_number(const char *at, const char *end, int base);

#endif
