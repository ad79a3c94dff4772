/* What tm-unpack asks of a trace format. A format is one file and one line in format_table.c. */
#ifndef TM_FORMAT_FORMAT_H
#define TM_FORMAT_FORMAT_H

#include "container/damage.h"
#include "os/input.h"
#include "stream/event_sink.h"
#include "stream/text_file.h"

/* Sniffers look at no more than this. */
enum { TM_SNIFF_BYTES = 512 };

/* What a parser works with; owned by the caller, valid from open to close. */
struct tm_format_context {
    struct tm_input *input;      /* the file's bytes; the parser consumes what is the file's */
    struct tm_event_sink *sink;  /* where events go; its file is set */
    const struct tm_format_options *options;
    /* tm_format_sniff: a parser that asks it what follows its document depends on no other format. */
    const struct tm_format *(*sniff)(const uint8_t *head, size_t len);
    bool has_source;     /* text may stay in the file, */
    uint64_t source_at;  /* where byte 0 of input is this one (or, by its offset, would be) */
    bool source_is_temporary; /* it was written to be read once more */
    struct tm_text_file *text_file; /* where it may not: it may go here; NULL: nor that */
};

struct tm_format_options {
    enum tm_on_damage on_damage;
    bool hints; /* look for clock hints in events too */
};

struct tm_format {
    const char *name;           /* type name of doc/rules.md section 1 */
    int priority;               /* order of processing (doc/rules.md section 2) */
    Tracemerge__ClockPolicy clock_policy;
    /* True when HEAD (LEN bytes, at most TM_SNIFF_BYTES) begins a file of this format. */
    bool (*sniff)(const uint8_t *head, size_t len);
    /* Makes the parser's state. TM_OK or an error. */
    enum tm_status (*open)(const struct tm_format_context *context, void **state, struct tm_error *err);
    /* Reads some more and puts it into the sink: TM_OK there may be more; TM_END the document has
     * ended (bytes behind it stay in the input); or an error "byte N: cause", N counted from the
     * start of the input. */
    enum tm_status (*read)(void *state, struct tm_error *err);
    /* Frees the state; also after an error. STATE may be NULL. */
    void (*close)(void *state);
    /* True when HEAD, met where the document before it ended, is more of the same file (proto). */
    bool appends;
    /* It can leave text in its file, and say where (frame Source). */
    bool refers;
};

/* All formats in the order they are tried, NULL-terminated. */
extern const struct tm_format *const tm_formats[];

/* The first whose sniffer accepts HEAD, or NULL. */
const struct tm_format *tm_format_sniff(const uint8_t *head, size_t len);

#endif
