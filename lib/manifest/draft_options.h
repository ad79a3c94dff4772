/* Options of a command line that a manifest is made from. They are kept, in their order, until the files are known. */
#ifndef TM_MANIFEST_DRAFT_OPTIONS_H
#define TM_MANIFEST_DRAFT_OPTIONS_H

#include "manifest/draft.h"

#include <getopt.h>

enum tm_draft_option_id { TM_DRAFT_MACHINE = 0x1000, TM_DRAFT_SYNC, TM_DRAFT_TRACE_TIME, TM_DRAFT_MACHINE_FROM };

/* clang-format off */
#define TM_DRAFT_OPTIONS                                                                                              \
    {"machine", required_argument, NULL, TM_DRAFT_MACHINE}, {"sync", required_argument, NULL, TM_DRAFT_SYNC},         \
    {"trace-time", required_argument, NULL, TM_DRAFT_TRACE_TIME},                                                     \
    {"machine-from", required_argument, NULL, TM_DRAFT_MACHINE_FROM}
/* clang-format on */

struct tm_draft_option {
    enum tm_draft_option_id id;
    const char *text; /* borrowed */
};

/* Zero-initialise. */
struct tm_draft_options {
    struct tm_draft_option *all; /* owned */
    uint32_t count, cap;
};

/* Adds an option. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_draft_options_add(struct tm_draft_options *options, enum tm_draft_option_id option, const char *text,
                                    struct tm_error *err);

/* Applies the options to the files of DRAFT in their order, but rules for machines last. Returns the status of the call
 * that applies an option, such as tm_draft_machine. */
enum tm_status tm_draft_options_apply(const struct tm_draft_options *options, struct tm_draft *draft,
                                      struct tm_error *err);

/* Adds the rule that stated ranks name the machines, unless an option names machines. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_draft_options_add_auto(struct tm_draft_options *options, struct tm_error *err);

/* Returns OPTION as it is spelled: "--machine". */
const char *tm_draft_option_name(enum tm_draft_option_id option);

/* True if a manifest has to be made: there is an option other than --machine-from auto and --machine-from none. */
bool tm_draft_options_need_manifest(const struct tm_draft_options *options);

void tm_draft_options_release(struct tm_draft_options *options);

#endif
