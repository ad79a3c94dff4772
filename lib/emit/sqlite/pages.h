/* The pages of a database file after those that SQLite has made. They are written in order; if there are many, by a
 * thread. Source: "Database File Format" of sqlite.org. */
#ifndef TM_EMIT_SQLITE_PAGES_H
#define TM_EMIT_SQLITE_PAGES_H

#include "base/buf.h"
#include "os/async_writer.h"

#include <stdbool.h>

enum { TM_SQLITE_PAGE = 8192 }; /* bytes; equal to PRAGMA page_size */
enum { TM_SQLITE_NUMBER = 8 };  /* bytes of a number that may change in its page */

/* Zero-initialise, then open. */
struct tm_sqlite_pages {
    const char *name; /* for messages; borrowed */
    /* private */
    int fd; /* valid if count is not 0 */
    uint32_t count;                 /* number of all pages */
    struct tm_buf last;             /* the last ones, not written yet */
    bool is_large;                  /* a thread was requested */
    struct tm_async_writer *writer; /* NULL: none so far, or impossible */
    struct tm_buf changes;          /* numbers of written pages, not changed in the file yet */
};

/* Opens the database in PATH. No one else may write to it until finish. TM_OK or TM_E_SYSTEM, like all functions
 * below. */
enum tm_status tm_sqlite_pages_open(struct tm_sqlite_pages *pages, const char *path, const char *name,
                                    struct tm_error *err);

/* The number of the page that is added after page NUMBER. */
uint32_t tm_sqlite_page_after(uint32_t number);

/* The number of the next page to be added. */
uint32_t tm_sqlite_pages_next(const struct tm_sqlite_pages *pages);

/* Adds a page of TM_SQLITE_PAGE bytes. *NUMBER is its number. */
enum tm_status tm_sqlite_pages_add(struct tm_sqlite_pages *pages, const uint8_t *page, uint32_t *number,
                                   struct tm_error *err);

/* Reads a page. */
enum tm_status tm_sqlite_pages_get(struct tm_sqlite_pages *pages, uint32_t number, uint8_t *page, struct tm_error *err);

/* Writes the bytes of NUMBER to offset AT of page PAGE, which was added. */
enum tm_status tm_sqlite_pages_change(struct tm_sqlite_pages *pages, uint32_t page, size_t at,
                                      const uint8_t number[TM_SQLITE_NUMBER], struct tm_error *err);

/* Writes a page that was there before open. */
enum tm_status tm_sqlite_pages_put(struct tm_sqlite_pages *pages, uint32_t number, const uint8_t *page,
                                   struct tm_error *err);

/* Writes the rest, and the number of pages into the file's header. SQLite may then use the file again. */
enum tm_status tm_sqlite_pages_finish(struct tm_sqlite_pages *pages, struct tm_error *err);

void tm_sqlite_pages_release(struct tm_sqlite_pages *pages);

#endif
