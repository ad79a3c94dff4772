/* From bytes to the stream: opens containers, finds the order of processing, and gives each file its turn (doc/rules.md
 * sections 1 to 3, doc/containers.md). */
#ifndef TM_UNPACK_UNPACK_H
#define TM_UNPACK_UNPACK_H

#include "format/format.h"

/* A file as --list shows it. */
struct tm_unpack_listed {
    uint32_t processing_order;
    const char *type;    /* type name */
    uint64_t size_bytes;
    /* Names below the outermost file, joined by "/"; the outermost file's own name if there are none. Raw bytes,
     * NUL-terminated. */
    const char *path;
};

struct tm_unpack_options {
    struct tm_format_options format;
    int64_t now_s; /* seconds since 1970, now; dates without a year are not later */
    bool ignore_unknown;   /* files of unknown type are skipped and counted, not an error */
    uint64_t max_expansion_bytes; /* like max_bytes of struct tm_expansion */
    bool by_reference;     /* text in a regular file may stay there (frame Source) */
    struct tm_text_file *text_file; /* other such text may go there; NULL: it is in the stream */
    bool list;             /* only list the files: traces of known size are not read, unknown types are shown */
    /* number of threads that unpack members; 1: no threads; 0: one for each processor, if that is worth it */
    unsigned jobs;
    const char *temporary_dir; /* NULL: $TMPDIR, else /tmp */
    /* Called for damage that was skipped: one line, without the program's name. May be NULL. */
    void (*warn)(void *arg, const char *text);
    /* Called for each file when its turn ends; returns TM_OK or an error. May be NULL. */
    enum tm_status (*listed)(void *arg, const struct tm_unpack_listed *file, struct tm_error *err);
    void *arg;
};

/* Unpacks COUNT files, directories or "-" for standard input (COUNT 0: standard input) into SINK. One file is the
 * outermost itself; several files, or a directory, are members of a row of type "directory". TM_OK, or an error "FILE:
 * MEMBER: byte N: cause". The caller writes the end of the stream. */
enum tm_status tm_unpack(const struct tm_unpack_options *options, struct tm_event_sink *sink,
                         const char *const *paths, size_t count, struct tm_error *err);

#endif
