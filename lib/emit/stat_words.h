/* What is known of each statistic by its name: a sentence, and where its number comes from. */
#ifndef TM_EMIT_STAT_WORDS_H
#define TM_EMIT_STAT_WORDS_H

#include "base/text.h"

/* Bits. OF_ANALYSIS: the number was counted by what reads the trace, else the trace states it. IS_GLOBAL: it has one
 * row for the whole trace. IS_LATEST: of the rows of one idx, machine and file the last one counts. IS_LOSS: the time
 * since which data is missing. */
enum {
    TM_STAT_OF_TRACE = 0,
    TM_STAT_OF_ANALYSIS = 1,
    TM_STAT_IS_GLOBAL = 2,
    TM_STAT_IS_LATEST = 4,
    TM_STAT_IS_LOSS = 8
};

struct tm_stat_words {
    const char *name;
    unsigned source; /* the bits */
    const char *text;
};

/* Returns the words of statistic NAME, without an ending that states when it was noted; NULL: there are none. */
const struct tm_stat_words *tm_stat_words_find(struct tm_text name);

/* Returns the words after WORDS by name, the first ones if that is NULL; NULL: there are none more. */
const struct tm_stat_words *tm_stat_words_next(const struct tm_stat_words *words);

#endif
