/* What every fallible call of libtm returns, and the text of a failure.
 *
 * The library never prints and never exits. It returns a status and leaves one line of text in a struct tm_error that
 * the caller owns. Loops read
 *
 *     while ((st = tm_x_next(&x, &item, &err)) == TM_OK)
 *
 * The text is "place: place: cause". The cause is in lower case and has no full stop. The program's name is not in it;
 * the program shell adds it. Raw control bytes are not in it; tm_error_* escape them. */
#ifndef TM_BASE_STATUS_H
#define TM_BASE_STATUS_H

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

/* Below 0: failed. 0: worked. Above 0: worked, and there is no more. A failure is minus the exit status of a program
 * that meets it. */
enum tm_status {
    TM_END = 1,       /* worked, and there is no more */
    TM_OK = 0,        /* worked */
    TM_E_INPUT = -1,  /* the input is at fault */
    TM_E_USAGE = -2,  /* the command line is at fault */
    TM_E_SYSTEM = -3, /* the system refused (memory, disk, fork), or a bug was caught */
    TM_E_STRICT = -4  /* strict mode found a loss */
};

enum { TM_ERROR_TEXT_MAX = 2048 };

/* The first failure of a piece of work. Zero-initialise; owns nothing. The calls below accept NULL for it, and record
 * nothing then. */
struct tm_error {
    enum tm_status status; /* TM_OK while nothing failed */
    bool is_reading;       /* the system could not read a file; the caller must add its name to the message */
    bool is_recoverable;   /* damage that --on-damage=skip and salvage pass over */
    bool is_other_type;    /* the file is no trace of the type that its first bytes show */
    bool is_cut_stream;    /* a tracemerge stream ends early: its writer failed, or it was stored in part */
    uint64_t byte;         /* of tm_error_at; 0 for others */
    char text[TM_ERROR_TEXT_MAX];
};

/* Records a failure and returns STATUS. The first failure stays: a later call changes nothing, so cleaning up cannot
 * hide the cause. Bytes below 0x20, 0x7f and invalid UTF-8 in the result are written as \xNN. A text that is longer
 * than the maximum is cut in its middle. */
enum tm_status tm_error_set(struct tm_error *err, enum tm_status status, const char *format, ...) TM_PRINTF(3, 4);

/* Records a failure like tm_error_set: TM_E_INPUT, with "byte BYTE: " in front of the text. Keeps BYTE. */
enum tm_status tm_error_at(struct tm_error *err, uint64_t byte, const char *format, ...) TM_PRINTF(3, 4);

/* Records the failure of a system call like tm_error_set: TM_E_SYSTEM, with ": " and strerror(ERRNUM) after the text.
 */
enum tm_status tm_error_errno(struct tm_error *err, int errnum, const char *format, ...) TM_PRINTF(3, 4);

/* Records that an input cannot be opened, with ": " and strerror(ERRNUM) after the text. TM_E_INPUT; TM_E_SYSTEM if the
 * system lacks descriptors or memory. */
enum tm_status tm_error_open(struct tm_error *err, int errnum, const char *format, ...) TM_PRINTF(3, 4);

/* Puts "PLACE: " in front of the text of a failure that was recorded where its place was not known. A PLACE that
 * is longer than half of the maximum is cut in its middle. Does nothing if ERR holds no failure. Returns the recorded
 * status. */
enum tm_status tm_error_prefix(struct tm_error *err, const char *format, ...) TM_PRINTF(2, 3);

/* Appends TEXT, which has no control bytes, to the text of a failure. It tells what the user can do. It is cut if it
 * does not fit. Does nothing if ERR holds no failure. Returns the recorded status. */
enum tm_status tm_error_append(struct tm_error *err, const char *text);

/* Marks a failure of the input as damage that --on-damage=skip and salvage pass over. Does nothing for other failures.
 * Returns the recorded status. */
enum tm_status tm_error_recoverable(struct tm_error *err);

/* Marks a failure of the input as a file that is no trace of the type that its first bytes show. Does nothing for other
 * failures. Returns the recorded status. */
enum tm_status tm_error_other_type(struct tm_error *err);

/* Records that a tracemerge stream ends early, as tm_error_at does with the text CAUSE. TM_E_INPUT. */
enum tm_status tm_error_cut_stream(struct tm_error *err, uint64_t byte, const char *cause);

/* Records that memory ran out, and returns TM_E_SYSTEM. */
enum tm_status tm_error_nomem(struct tm_error *err);

/* These macros show the returned status to the compiler at each call. Compilers and analyzers then follow no path on
 * which a failure is TM_OK. */
static inline enum tm_status tm_status_known(enum tm_status returned, enum tm_status known)
{
    (void)returned;
    return known;
}
#define tm_error_set(err, status, ...) tm_status_known(tm_error_set(err, status, __VA_ARGS__), status)
#define tm_error_at(err, byte, ...) tm_status_known(tm_error_at(err, byte, __VA_ARGS__), TM_E_INPUT)
#define tm_error_errno(err, errnum, ...) tm_status_known(tm_error_errno(err, errnum, __VA_ARGS__), TM_E_SYSTEM)
#define tm_error_cut_stream(err, byte, cause) tm_status_known(tm_error_cut_stream(err, byte, cause), TM_E_INPUT)
#define tm_error_nomem(err) tm_status_known(tm_error_nomem(err), TM_E_SYSTEM)

/* Copies LEN bytes of IN to OUT, which has OUT_SIZE bytes with the final NUL. Control bytes and invalid UTF-8 become
 * \xNN, and "..." marks a cut. For names from trace files that go to a terminal. */
void tm_text_escape(const char *in, size_t len, char *out, size_t out_size);

/* Returns the exit status for STATUS: 0 for TM_OK and TM_END, else 1, 2, 3 or 4. */
int tm_status_exit(enum tm_status status);

#endif
