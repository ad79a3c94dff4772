/* Lines of an input that end with "\n" or "\r\n". */
#ifndef TM_FORMAT_TEXT_LINES_H
#define TM_FORMAT_TEXT_LINES_H

#include "format/format.h"

/* Reads the lines of a format, and accounts for lines that are not events. Zero-initialise with context, max and clock
 * set. */
struct tm_text_reader {
    struct tm_format_context context;
    size_t max;           /* longer lines are an error */
    uint32_t clock;       /* clock of the accounts */
    bool has_events;      /* set by the parser at the first event */
    const char *line;     /* the current line without its end; valid until the next fill */
    size_t len, size;     /* SIZE includes its end */
    uint64_t damaged, first_damaged;
    uint64_t not_shown, first_not_shown;
};

/* Makes the next line current without consuming it. TM_OK; TM_END: the end of the input; TM_E_INPUT: it is longer than
 * max. */
enum tm_status tm_text_reader_peek(struct tm_text_reader *reader, struct tm_error *err);

/* Makes the next line current without consuming it. TM_OK; TM_END: all is read, and the accounts are written; otherwise
 * an error. If the text had no event, the error is "byte N: no WANTED in the text", marked by tm_error_other_type. It
 * is none if a line was damaged and damage is skipped. */
enum tm_status tm_text_reader_next(struct tm_text_reader *reader, const char *wanted, struct tm_error *err);

/* Consumes the current line. */
static inline void tm_text_reader_pass(struct tm_text_reader *reader)
{
    tm_input_skip(reader->context.input, reader->size);
}

/* Counts the current line as damaged, or as well-formed and not shown. */
void tm_text_reader_damaged(struct tm_text_reader *reader);
void tm_text_reader_not_shown(struct tm_text_reader *reader);

static inline bool tm_text_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline const char *tm_text_skip_digits(const char *p, const char *end)
{
    while (p < end && tm_text_is_digit(*p))
        p++;
    return p;
}

/* Skips blanks and tabs. */
static inline const char *tm_text_skip_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return p;
}

/* True if the characters from P to END begin with WITH. */
bool tm_chars_begin(const char *p, const char *end, const char *with);

#endif
