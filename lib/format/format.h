/* The interface of a trace format to tm-unpack. A format is one file and one line in format_table.c. */
#ifndef TM_FORMAT_FORMAT_H
#define TM_FORMAT_FORMAT_H

#include "container/damage.h"
#include "container/extent.h"
#include "os/input.h"
#include "stream/event_sink.h"
#include "stream/input_type.h"
#include "stream/text_file.h"

/* Sniffers look at no more bytes than this. */
enum { TM_SNIFF_BYTES = 512 };

/* The surroundings of a parser. Owned by the caller, valid from open to close. */
struct tm_format_context {
    struct tm_input *input;      /* the file's bytes; the parser consumes those that belong to the file */
    struct tm_event_sink *sink;  /* receives the events; its file is set */
    const struct tm_format_options *options;
    struct tm_expansion *expansion; /* counts what the parser decompresses; NULL: nobody does */
    /* tm_format_sniff: a parser that asks it what follows its document depends on no other format. */
    const struct tm_format *(*sniff)(const uint8_t *head, size_t len);
    int64_t now_s; /* seconds from 1970 to now; dates that tell no year are not after it */
    bool has_source;     /* event texts may stay in the file, */
    uint64_t source_at;  /* where byte 0 of the input (by its offset) is this byte */
    bool source_is_temporary; /* the file is a temporary one, written to be read once more */
    struct tm_text_file *text_file; /* receives event texts that cannot stay in the file; NULL: nowhere */
    const char *path;      /* the file that the input is, all of it; NULL: a member of an archive, or a pipe */
    const char *temporary_dir; /* for temporary files; NULL: $TMPDIR, else /tmp */
    struct tm_extent whole; /* of a format that reads by place: all bytes of the file; else fd is -1 */
};

struct tm_format_options {
    enum tm_on_damage on_damage;
    bool hints; /* also look for clock hints in events */
};

struct tm_format {
    enum tm_input_type type;    /* of doc/rules.md section 1 */
    int priority;               /* order of processing (doc/rules.md section 2) */
    Tracemerge__ClockPolicy clock_policy;
    /* True if HEAD (LEN bytes, at most TM_SNIFF_BYTES) begins a file of this format. */
    bool (*sniff)(const uint8_t *head, size_t len);
    /* Makes the parser's state. TM_OK or an error. Of a format that reads by place also TM_END: the file is none of
     * this format after all, and *err, set to TM_E_INPUT, says what it is. */
    enum tm_status (*open)(const struct tm_format_context *context, void **state, struct tm_error *err);
    /* Reads a part of the input and puts its events into the sink. TM_OK: there may be more. TM_END: the document has
     * ended; bytes behind it stay in the input. Otherwise an error "byte N: cause", N counted from the start of the
     * input. */
    enum tm_status (*read)(void *state, struct tm_error *err);
    /* Frees the state; also after an error. STATE may be NULL. */
    void (*close)(void *state);
    /* True if HEAD, found where the document before it ended, continues the same file (proto). */
    bool appends;
    /* A byte order mark of UTF-8 in front of the document is none of it: it is read off before open. */
    bool is_text;
    /* The format can leave event texts in their file and refer to them (frame Source). */
    bool refers;
    /* The format reads bytes at any place of the file (context.whole), because what is needed first may stand last. A
     * file that comes through a pipe or a decompressor is copied to a temporary file before open. The file is all that
     * is left of the input, which need not be read; errors count bytes from the start of the whole. */
    bool by_place;
    /* Of a format that reads by place, whose files differ in it: the clock policy of the file, once open has seen it.
     * NULL: clock_policy. */
    Tracemerge__ClockPolicy (*policy_of)(const void *state);
};

/* All formats in the order of sniffing, NULL-terminated. */
extern const struct tm_format *const tm_formats[];

/* The first format whose sniffer accepts HEAD, or NULL. */
const struct tm_format *tm_format_sniff(const uint8_t *head, size_t len);

#endif
