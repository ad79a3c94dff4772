/* The first columns of text: time, machine, process and thread. Their width is that of the longest known text at the
 * first line, up to a limit. Longer texts are cut and end with "...". */
#ifndef TM_EMIT_TEXT_TEXT_COLUMNS_H
#define TM_EMIT_TEXT_TEXT_COLUMNS_H

#include "emit/emit.h"
#include "emit/out.h"
#include "emit/task_names.h"

enum { TM_TEXT_KIND_WIDTH = 12, TM_TEXT_DURATION_WIDTH = 12 };

/* Zero-initialise, then init. */
struct tm_text_columns {
    bool is_ready; /* the first line has come */
    /* private */
    const struct tm_emit_context *context;
    const struct tm_task_names *names;
    bool is_relative;
    int64_t origin_ns;
    size_t machine_width, place_width;
};

/* NAMES, like CONTEXT, is borrowed. */
void tm_text_columns_init(struct tm_text_columns *columns, const struct tm_emit_context *context,
                          const struct tm_task_names *names);

/* Call it before the first line: fixes the widths and puts the titles TIME to DURATION. Times count from FIRST_NS
 * unless they are absolute. */
void tm_text_columns_begin(struct tm_text_columns *columns, struct tm_out *out, int64_t first_ns);

/* Puts the columns of EVENT, which belongs to PLACE, each with a blank after it. */
void tm_text_columns_put(const struct tm_text_columns *columns, struct tm_out *out, const struct tm_event *event,
                         const struct tm_event_task *place);

/* Puts WORD in a column of WIDTH, and a blank. */
void tm_text_columns_word(struct tm_out *out, const char *word, size_t width, bool right);

/* Cuts the text after FROM, which is escaped, to MAX columns, at least three; the last ones are dots. */
void tm_text_columns_cut(struct tm_out *out, size_t from, size_t max);

/* Puts NAME:ID, or only one of them if the other is missing. */
void tm_text_columns_task(struct tm_out *out, struct tm_text name, int64_t id);

/* Puts the facts of scheduling events about tasks (the task that follows, wakes or starts another), and log messages
 * with their tag. False for other events. */
bool tm_text_columns_special(const struct tm_text_columns *columns, struct tm_out *out, const struct tm_event *event);

/* Puts " = VALUE" if EVENT has one. */
void tm_text_columns_value(struct tm_out *out, const struct tm_event *event);

/* Removes blanks at the end of the line and ends it. */
void tm_text_columns_end(struct tm_out *out);

#endif
