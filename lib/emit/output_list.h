/* The outputs that a command line asks for: -o, and -f and --part of each. */
#ifndef TM_EMIT_OUTPUT_LIST_H
#define TM_EMIT_OUTPUT_LIST_H

#include "emit/emit.h"

enum { TM_OUTPUTS_MAX = 8 };

struct tm_output_choice {
    const char *out;    /* NULL: standard output */
    const char *format; /* of -f; NULL: none */
    const char *part;   /* the file that is written for OUT, if the caller renames it; NULL: beside OUT */
    const struct tm_emit *emit; /* once chosen */
};

/* Zero-initialise. Texts are borrowed. */
struct tm_output_list {
    struct tm_output_choice rows[TM_OUTPUTS_MAX];
    size_t count;
    /* private */
    const char *format, *part; /* from before the first -o */
};

/* Add what -o, -f and --part state, in the order of the command line. -f and --part belong to the -o before them; if
 * there is only one output, they may stand anywhere. TM_OK, or TM_E_USAGE with the cause. */
enum tm_status tm_output_list_add(struct tm_output_list *list, const char *out, struct tm_error *err);
void tm_output_list_format(struct tm_output_list *list, const char *format);
void tm_output_list_part(struct tm_output_list *list, const char *part);

/* Call it after the last option: finds the format of each output. Without -o there is one output, standard output.
 * LISTER is the command that lists the formats, for messages. TM_OK, or TM_E_USAGE with the cause. */
enum tm_status tm_output_list_choose(struct tm_output_list *list, const char *lister, struct tm_error *err);

/* Checks that OTHER, a file that is written too, is none of the outputs. TM_OK or TM_E_USAGE. */
enum tm_status tm_output_list_check_other(const struct tm_output_list *list, const char *other, struct tm_error *err);

/* If OPTION is given (IS_GIVEN), checks that some output has FORMAT, the only one for which it has an effect. TM_OK or
 * TM_E_USAGE. Call it after choose. */
enum tm_status tm_output_list_option(const struct tm_output_list *list, bool is_given, const char *option,
                                     const char *format, struct tm_error *err);

/* Checks that some output is a report, which --json is about. TM_OK or TM_E_USAGE. Call it after choose. */
enum tm_status tm_output_list_json(const struct tm_output_list *list, struct tm_error *err);

/* True if some output shows flows. Call it after choose. */
bool tm_output_list_shows_flows(const struct tm_output_list *list);

/* Checks that some output shows flows, which --join is about. TM_OK or TM_E_USAGE. Call it after choose. */
enum tm_status tm_output_list_join(const struct tm_output_list *list, struct tm_error *err);

/* After choose: makes the outputs write one row for each event (EVENTS) or give args columns (ARGS) if they can. TM_OK,
 * or TM_E_USAGE with the cause if none can. */
enum tm_status tm_output_list_rows(struct tm_output_list *list, bool events, bool args, struct tm_error *err);

/* The output on standard output, or NULL. */
const struct tm_output_choice *tm_output_list_stdout(const struct tm_output_list *list);

#endif
