/* The options of a command line that a manifest is made from, kept in their order until the files are known. */
#ifndef TM_MANIFEST_PLAN_WORDS_H
#define TM_MANIFEST_PLAN_WORDS_H

#include "manifest/merge_plan.h"

#include <getopt.h>

enum tm_plan_option { TM_PLAN_MACHINE = 0x1000, TM_PLAN_SYNC, TM_PLAN_TRACE_TIME, TM_PLAN_MACHINE_FROM };

/* clang-format off */
#define TM_PLAN_OPTIONS                                                                                                \
    {"machine", required_argument, NULL, TM_PLAN_MACHINE}, {"sync", required_argument, NULL, TM_PLAN_SYNC},            \
    {"trace-time", required_argument, NULL, TM_PLAN_TRACE_TIME},                                                       \
    {"machine-from", required_argument, NULL, TM_PLAN_MACHINE_FROM}
/* clang-format on */

struct tm_plan_word {
    enum tm_plan_option option;
    const char *text; /* borrowed */
};

/* Zero-initialise. */
struct tm_plan_words {
    struct tm_plan_word *words; /* owned */
    uint32_t count, cap;
};

/* Adds an option. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_plan_words_add(struct tm_plan_words *words, enum tm_plan_option option, const char *text,
                                 struct tm_error *err);

/* Applies the options to the files of PLAN in their order, but rules for machines last. Returns the status of the call
 * that applies an option, such as tm_merge_plan_machine. */
enum tm_status tm_plan_words_apply(const struct tm_plan_words *words, struct tm_merge_plan *plan, struct tm_error *err);

/* Adds the rule that stated ranks name the machines, unless an option names machines. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_plan_words_add_auto(struct tm_plan_words *words, struct tm_error *err);

/* Returns OPTION as it is spelled: "--machine". */
const char *tm_plan_option_name(enum tm_plan_option option);

/* True if a manifest has to be made: there is an option other than --machine-from auto and --machine-from none. */
bool tm_plan_words_say(const struct tm_plan_words *words);

void tm_plan_words_release(struct tm_plan_words *words);

#endif
