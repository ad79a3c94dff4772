/* The options of a command line that a manifest is made from, kept in their order until the files are known. */
#ifndef TM_MANIFEST_PLAN_WORDS_H
#define TM_MANIFEST_PLAN_WORDS_H

#include "manifest/merge_plan.h"

#include <getopt.h>

enum tm_plan_option { TM_PLAN_MACHINE = 0x1000, TM_PLAN_SYNC, TM_PLAN_TRACE_TIME };

/* clang-format off */
#define TM_PLAN_OPTIONS                                                                                                \
    {"machine", required_argument, NULL, TM_PLAN_MACHINE}, {"sync", required_argument, NULL, TM_PLAN_SYNC},            \
    {"trace-time", required_argument, NULL, TM_PLAN_TRACE_TIME}
/* clang-format on */

struct tm_plan_word {
    enum tm_plan_option option;
    const char *text; /* borrowed */
};

/* Zero-initialise. */
struct tm_plan_words {
    struct tm_plan_word *words; /* owned */
    size_t count;
};

/* TM_OK or TM_E_SYSTEM. */
enum tm_status tm_plan_words_add(struct tm_plan_words *words, enum tm_plan_option option, const char *text,
                                 struct tm_error *err);

/* Says them of the files of PLAN. As tm_merge_plan_machine and its like. */
enum tm_status tm_plan_words_apply(const struct tm_plan_words *words, struct tm_merge_plan *plan, struct tm_error *err);

/* The manifest that they make of the COUNT FILES, into a file without a name in DIR (NULL: the default): *FD, to be
 * closed by the caller and inherited by the programs it runs. TM_OK, TM_E_USAGE, TM_E_SYSTEM. */
enum tm_status tm_plan_words_spool(const struct tm_plan_words *words, char *const *files, size_t count, const char *dir,
                                   int *fd, struct tm_error *err);

void tm_plan_words_release(struct tm_plan_words *words);

#endif
