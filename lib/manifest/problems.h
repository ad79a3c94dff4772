/* What is wrong with a manifest: a list of lines, because a checker says everything and not only
 * the first thing. Each line is "perfetto_manifest: cause" (perfetto_manifest(5), Errors). */
#ifndef TM_MANIFEST_PROBLEMS_H
#define TM_MANIFEST_PROBLEMS_H

#include "base/buf.h"

#include <stdbool.h>

enum {
    TM_MANIFEST_PROBLEMS_MAX = 1000, /* lines kept; all are counted */
    TM_MANIFEST_QUOTE_MAX = 200      /* bytes of a name that a line shows */
};

/* Where in the manifest: line and column are counted from 1, columns in characters. */
struct tm_manifest_place {
    size_t line, column;
};

/* Zero-initialise. */
struct tm_manifest_problems {
    size_t count; /* problems found; more than are kept where there are very many */
    /* private */
    size_t kept;
    struct tm_buf lines; /* each with its NUL */
    bool no_memory;
    struct tm_manifest_place place; /* of the next problem; line 0: unknown */
};

/* Sets the place of the next problem. Its line then ends with ", line L, column C". */
void tm_manifest_problems_at(struct tm_manifest_problems *problems, struct tm_manifest_place place);

/* Adds "perfetto_manifest: " and the formatted text, control bytes escaped. */
void tm_manifest_problems_add(struct tm_manifest_problems *problems, const char *format, ...) TM_PRINTF(2, 3);

/* The line after PREVIOUS, the first for NULL; NULL when there is none. */
const char *tm_manifest_problems_next(const struct tm_manifest_problems *problems, const char *previous);

/* TM_OK with none; else the first in ERR and TM_E_INPUT, or TM_E_SYSTEM when memory ran out. */
enum tm_status tm_manifest_problems_status(const struct tm_manifest_problems *problems, struct tm_error *err);

void tm_manifest_problems_release(struct tm_manifest_problems *problems);

/* Copies a name from a manifest or an archive for use in a problem: escaped, and cut if it is long. */
struct tm_manifest_quoted {
    char text[TM_MANIFEST_QUOTE_MAX];
};
struct tm_manifest_quoted tm_manifest_quote(const void *name, size_t len);

#endif
