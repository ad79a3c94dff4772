/* What every fallible call of libtm answers, and the text that goes with a failure.
 *
 * The library never prints and never exits: it returns a status and leaves one line of text in
 * a struct tm_error that the caller owns. Loops read
 *
 *     while ((st = tm_x_next(&x, &item, &err)) == TM_OK)
 *
 * Text is "place: place: cause", cause in lower case, without a full stop, without the program's
 * name (the program shell adds it) and without raw control bytes (tm_error_* escape them). */
#ifndef TM_BASE_STATUS_H
#define TM_BASE_STATUS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TM_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define TM_WARN_UNUSED __attribute__((warn_unused_result))
#else
#define TM_PRINTF(fmt, args)
#define TM_WARN_UNUSED
#endif

/* Below 0 failed, 0 worked, above 0 worked and no more. The failures are minus the exit status
 * of a program that meets them. */
enum tm_status {
    TM_END = 1,       /* worked, and there is no more */
    TM_OK = 0,        /* worked */
    TM_E_INPUT = -1,  /* the input is at fault */
    TM_E_USAGE = -2,  /* the command line is at fault */
    TM_E_SYSTEM = -3, /* the system refused (memory, disk, fork), or a bug was caught */
    TM_E_STRICT = -4  /* strict mode found a loss */
};

enum { TM_ERROR_TEXT_MAX = 2048 };

/* The first failure of a piece of work. Zero-initialise; owns nothing. */
struct tm_error {
    enum tm_status status; /* TM_OK while nothing failed */
    bool is_reading;       /* the system could not read a file: the message needs its name */
    uint64_t byte;         /* of tm_error_at; 0 for others */
    char text[TM_ERROR_TEXT_MAX];
};

/* Records a failure and returns STATUS. The first one stays: a later call changes nothing, so
 * that cleaning up cannot hide the cause. Bytes below 0x20, 0x7f and invalid UTF-8 in the result
 * are written as \xNN; text past the maximum is cut. */
enum tm_status tm_error_set(struct tm_error *err, enum tm_status status, const char *format, ...) TM_PRINTF(3, 4);

/* As tm_error_set with TM_E_INPUT and "byte BYTE: " in front of the text; keeps BYTE. */
enum tm_status tm_error_at(struct tm_error *err, uint64_t byte, const char *format, ...) TM_PRINTF(3, 4);

/* As tm_error_set with TM_E_SYSTEM, for a failed system call: appends ": " and strerror(ERRNUM). */
enum tm_status tm_error_errno(struct tm_error *err, int errnum, const char *format, ...) TM_PRINTF(3, 4);

/* Puts "PLACE: " before the text of a failure that was recorded without knowing where it was.
 * Does nothing when ERR holds no failure. Returns the recorded status. */
enum tm_status tm_error_prefix(struct tm_error *err, const char *format, ...) TM_PRINTF(2, 3);

/* Puts TEXT, which has no control bytes, after the text of a failure: what the user can do about it. Cut where it does
 * not fit. Does nothing when ERR holds no failure. Returns the recorded status. */
enum tm_status tm_error_append(struct tm_error *err, const char *text);

/* Out of memory: records it and returns TM_E_SYSTEM. */
enum tm_status tm_error_nomem(struct tm_error *err);

/* Which status these return is plain where they are called, so that compilers and analyzers follow no path on which a
 * failure is TM_OK. */
static inline enum tm_status tm_status_known(enum tm_status returned, enum tm_status known)
{
    (void)returned;
    return known;
}
#define tm_error_set(err, status, ...) tm_status_known(tm_error_set(err, status, __VA_ARGS__), status)
#define tm_error_at(err, byte, ...) tm_status_known(tm_error_at(err, byte, __VA_ARGS__), TM_E_INPUT)
#define tm_error_errno(err, errnum, ...) tm_status_known(tm_error_errno(err, errnum, __VA_ARGS__), TM_E_SYSTEM)
#define tm_error_nomem(err) tm_status_known(tm_error_nomem(err), TM_E_SYSTEM)

/* Copies LEN bytes of IN to OUT (OUT_SIZE bytes with the final NUL), control bytes and invalid
 * UTF-8 as \xNN, a cut marked by "...". For names out of trace files on their way to a terminal. */
void tm_text_escape(const char *in, size_t len, char *out, size_t out_size);

/* Exit status for STATUS: 0 for TM_OK and TM_END, else 1, 2, 3, 4. */
int tm_status_exit(enum tm_status status);

#endif
