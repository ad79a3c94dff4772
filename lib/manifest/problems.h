/* The problems of a manifest: a list of lines, because a checker reports all problems and not only the first. Each line
 * is "perfetto_manifest: cause" (perfetto_manifest(5), Errors). */
#ifndef TM_MANIFEST_PROBLEMS_H
#define TM_MANIFEST_PROBLEMS_H

#include "base/buf.h"

#include <stdbool.h>

enum {
    TM_MANIFEST_PROBLEMS_MAX = 1000, /* lines kept; all are counted */
    TM_MANIFEST_QUOTE_MAX = 200      /* bytes of a name that a line shows */
};

/* A place in the manifest. Line and column count from 1, columns in characters. */
struct tm_manifest_place {
    size_t line, column;
};

/* Zero-initialise. */
struct tm_manifest_problems {
    size_t count; /* problems found; if there are very many, only some are kept */
    /* private */
    size_t kept;
    struct tm_buf lines; /* each with its NUL */
    bool no_memory;
    struct tm_manifest_place place; /* of the next problem; line 0: unknown */
    char file[TM_MANIFEST_QUOTE_MAX + sizeof ": "];
};

/* Puts "FILE: " in front of the lines of all later problems; an empty FILE puts nothing there. */
void tm_manifest_problems_of(struct tm_manifest_problems *problems, const char *file);

/* Sets the place of the next problem. Its line then ends with ", line L, column C". */
void tm_manifest_problems_at(struct tm_manifest_problems *problems, struct tm_manifest_place place);

/* Adds "perfetto_manifest: " and the formatted text. Control bytes are escaped. */
void tm_manifest_problems_add(struct tm_manifest_problems *problems, const char *format, ...) TM_PRINTF(2, 3);

/* Returns the line after PREVIOUS, or the first for NULL. Returns NULL if there is none. */
const char *tm_manifest_problems_next(const struct tm_manifest_problems *problems, const char *previous);

/* TM_OK without problems. Otherwise TM_E_INPUT with the first one in ERR, or TM_E_SYSTEM if memory ran out. */
enum tm_status tm_manifest_problems_status(const struct tm_manifest_problems *problems, struct tm_error *err);

void tm_manifest_problems_release(struct tm_manifest_problems *problems);

/* Copies a name from a manifest or an archive for use in a problem: escaped, and cut if it is long. */
struct tm_manifest_quoted {
    char text[TM_MANIFEST_QUOTE_MAX];
};
struct tm_manifest_quoted tm_manifest_quote(const void *name, size_t len);

#endif
