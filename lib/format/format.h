/* The interface of a trace format to tm-unpack. A format is a folder and a line in format_table.c. */
#ifndef TM_FORMAT_FORMAT_H
#define TM_FORMAT_FORMAT_H

#include "container/damage.h"
#include "container/extent.h"
#include "os/input.h"
#include "stream/event_sink.h"
#include "stream/input_type.h"
#include "stream/text_file.h"

struct tm_logcat_report;

/* Sniffers look at no more bytes than this. */
enum { TM_SNIFF_BYTES = 512 };

/* Parsers that remember something for each cpu take no cpu number from here on. */
enum { TM_FORMAT_CPU_MAX = 1 << 16 };

/* What a parser works with. Owned by the caller, valid from open to close. */
struct tm_format_context {
    struct tm_input *input;      /* the file's bytes; the parser consumes those that belong to the file */
    struct tm_event_sink *sink;  /* receives the events; its file is set */
    const struct tm_format_options *options;
    struct tm_expansion *expansion; /* counts what the parser decompresses; NULL: do not count */
    /* tm_format_sniff. Through this pointer a parser identifies what follows its document without depending on other
     * formats. */
    const struct tm_format *(*sniff)(const uint8_t *head, size_t len);
    int64_t now_s; /* the current time, in seconds since 1970; dates without a year are not later */
    struct tm_logcat_report *report; /* the bug report that holds the file (format/logcat/report.h); NULL: none */
    /* event texts may stay in the file */
    bool has_source;
    uint64_t source_at;  /* offset in the file of the input's first byte */
    bool source_is_temporary; /* the file is temporary and will be read again */
    struct tm_text_file *text_file; /* receives event texts that cannot stay in the file; NULL: none */
    const char *path;      /* the file, if the whole of it is the input; NULL: a member of an archive, or a pipe */
    struct tm_text name;       /* the file's name as it was given, or in its archive; without data: it has none */
    bool has_folder;       /* the folder of path may be read too, as the path is not that of a single file */
    const char *temporary_dir; /* for temporary files; NULL: $TMPDIR, else /tmp */
    struct tm_extent whole; /* if by_place: all bytes of the file; otherwise its fd is -1 */
};

struct tm_format_options {
    enum tm_on_damage on_damage;
    bool hints; /* search events for clock hints */
};

/* The order of processing: smallest first. Source: doc/rules.md section 2. */
enum tm_priority {
    TM_PRIORITY_MANIFEST = -1,
    TM_PRIORITY_PROTO = 0,
    TM_PRIORITY_CONTAINER = 1,
    TM_PRIORITY_TRACE = 2, /* a trace that is not a proto */
    TM_PRIORITY_SYMBOLS = 3
};

struct tm_format {
    enum tm_input_type type;    /* doc/rules.md section 1 */
    enum tm_priority priority;
    Tracemerge__ClockPolicy clock_policy;
    /* True if HEAD (LEN bytes, at most TM_SNIFF_BYTES) begins a file of this format. */
    bool (*sniff)(const uint8_t *head, size_t len);
    /* Makes the parser's state. TM_OK or an error. With by_place also TM_END: the parser cannot read the file, and *err
     * states why, with TM_E_INPUT. */
    enum tm_status (*open)(const struct tm_format_context *context, void **state, struct tm_error *err);
    /* Reads a part of the input and puts its events into the sink. TM_OK: there may be more. TM_END: the document has
     * ended; bytes after it stay in the input. Otherwise an error "byte N: cause"; N counts from the start of the
     * input. */
    enum tm_status (*read)(void *state, struct tm_error *err);
    /* Frees the state; also after an error. STATE may be NULL. */
    void (*close)(void *state);
    /* True if another document may follow in the file, and the same parser reads it if its sniffer accepts the bytes
     * after the end of the first (proto). */
    bool appends;
    /* The format is text: a UTF-8 byte order mark before the document is removed before open. */
    bool is_text;
    /* The format can leave event texts in the file and refer to them (frame Source). */
    bool refers;
    /* The format reads bytes at any place of the file (context.whole), because facts that it needs first may be last. A
     * file from a pipe or a decompressor is copied to a temporary file before open. The file takes the rest of the
     * input, and the parser need not read it. Errors count bytes from the start of the whole. */
    bool by_place;
    /* The format uses context.report. Its files in a bug report have their turns one after another. */
    bool reads_report;
    /* For a by_place format whose files differ in their clock policy: returns the policy of the file after open. NULL:
     * clock_policy applies. */
    Tracemerge__ClockPolicy (*policy_of)(const void *state);
};

/* Returns the first format whose sniffer accepts HEAD, the first LEN bytes of a file, or NULL. The order is that of
 * doc/rules.md section 1. */
const struct tm_format *tm_format_sniff(const uint8_t *head, size_t len);

#endif
