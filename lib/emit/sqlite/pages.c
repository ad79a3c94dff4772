#include "emit/sqlite/pages.h"

#include "base/bytes.h"
#include "os/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define TOO_SHORT "another program made the file shorter"

enum {
    BUFFERED = 128 * TM_SQLITE_PAGE,
    HEADER_CHANGES = 24, /* count of changes in the header; it makes readers drop pages in their caches */
    HEADER_PAGES = 28,
    HEADER_PAGES_AT = 92, /* the count of changes for which HEADER_PAGES is valid */
    HEADER = 100,
};

/* SQLite locks bytes of this page and stores nothing in it. */
enum { LOCK_PAGE = 0x40000000 / TM_SQLITE_PAGE + 1 };

/* A change of a page in the file. Changes are collected: the thread and this one cannot write at the same time, and
 * changes that are close to each other take one write together. */
struct change {
    uint64_t offset;
    uint8_t number[TM_SQLITE_NUMBER];
    uint32_t order; /* how many were collected before it */
};

enum {
    CHANGES_MAX = 1 << 12, /* more would make it slow to look for those of a page */
    CHANGES_APART = 4096, /* bytes; to read and write so many takes less than another write */
    CHANGES_SPAN = 64 << 10, /* bytes that are read and written together, at most */
    CHANGES_ALONE = 2 /* so few are written one by one */
};

static uint64_t offset_of(uint32_t number)
{
    return (uint64_t)(number - 1) * TM_SQLITE_PAGE;
}

/* Returns the number of the first page that is not written yet. */
static uint32_t first_unwritten(const struct tm_sqlite_pages *pages)
{
    return pages->count + 1 - (uint32_t)(pages->last.len / TM_SQLITE_PAGE);
}

/* Returns ST, the answer of a read or a write. Its error gets the name of the file. */
static enum tm_status named(const struct tm_sqlite_pages *pages, enum tm_status st, struct tm_error *err)
{
    return st < 0 ? tm_error_prefix(err, "%s", pages->name) : st;
}

enum tm_status tm_sqlite_pages_open(struct tm_sqlite_pages *pages, const char *path, const char *name,
                                    struct tm_error *err)
{
    uint8_t header[HEADER];
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return tm_error_set(err, TM_E_SYSTEM, "%s: %s", name, strerror(errno));
    pages->name = name;
    enum tm_status st = named(pages, tm_io_pread(fd, header, sizeof header, 0, err), err);
    if (st != TM_OK || tm_get_be32(header + HEADER_PAGES) == 0) {
        close(fd);
        return st < 0 ? st : tm_error_set(err, TM_E_SYSTEM, "%s: not the database that tm-emit made", name);
    }
    pages->fd = fd;
    pages->count = tm_get_be32(header + HEADER_PAGES);
    return TM_OK;
}

/* Returns whether A comes before B in the file, or was collected before it for the same place. */
static int by_offset(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* Returns how many of the COUNT changes at FIRST, in the order of their offsets, take one write together. */
static size_t count_close(const struct change *first, size_t count)
{
    size_t n = 1;
    while (n < count && first[n].offset - first[n - 1].offset <= CHANGES_APART &&
           first[n].offset - first->offset <= CHANGES_SPAN - TM_SQLITE_NUMBER)
        n++;
    return n;
}

/* Makes the COUNT changes at FIRST, which are close to each other. */
static enum tm_status change_together(const struct tm_sqlite_pages *pages, const struct change *first, size_t count,
                                      struct tm_error *err)
{
    uint8_t span[CHANGES_SPAN];
    const size_t len = (size_t)(first[count - 1].offset - first->offset) + TM_SQLITE_NUMBER;
    enum tm_status st = tm_io_pread(pages->fd, span, len, first->offset, err);
    if (st == TM_END)
        return tm_error_set(err, TM_E_SYSTEM, TOO_SHORT);
    for (size_t i = 0; i < count; i++)
        memcpy(span + (size_t)(first[i].offset - first->offset), first[i].number, TM_SQLITE_NUMBER);
    return st == TM_OK ? tm_io_pwrite(pages->fd, span, len, first->offset, err) : st;
}

/* Waits until the pages handed over are in the file, and makes the changes. */
static enum tm_status settle(struct tm_sqlite_pages *pages, struct tm_error *err)
{
    struct change *changes = (void *)pages->changes.data;
    const size_t count = pages->changes.len / sizeof *changes;
    enum tm_status st = pages->writer ? tm_async_writer_wait(pages->writer, err) : TM_OK;
    if (count > 0)
        qsort(changes, count, sizeof *changes, by_offset);
    for (size_t i = 0, n; st == TM_OK && i < count; i += n) {
        n = count_close(changes + i, count - i);
        if (n > CHANGES_ALONE) {
            st = change_together(pages, changes + i, n, err);
            continue;
        }
        n = 1;
        st = tm_io_pwrite(pages->fd, changes[i].number, TM_SQLITE_NUMBER, changes[i].offset, err);
    }
    tm_buf_clear(&pages->changes);
    return named(pages, st, err);
}

static enum tm_status write_last(struct tm_sqlite_pages *pages, struct tm_error *err)
{
    uint64_t offset = offset_of(first_unwritten(pages));
    if (pages->last.len == 0)
        return TM_OK;
    return named(pages, tm_async_writer_or_io(pages->writer, pages->fd, &pages->last, offset, err), err);
}

static enum tm_status add(struct tm_sqlite_pages *pages, const uint8_t *page, struct tm_error *err)
{
    enum tm_status st;
    if (pages->count >= UINT32_MAX - 2)
        return tm_error_set(err, TM_E_SYSTEM, "%s: a database cannot have more than 2^32 pages", pages->name);
    if (pages->last.len >= BUFFERED) {
        if (!pages->is_large)
            pages->writer = tm_async_writer_new(pages->fd);
        pages->is_large = true;
        if ((st = write_last(pages, err)) < 0)
            return st;
    }
    if (tm_buf_add(&pages->last, page, TM_SQLITE_PAGE) < 0)
        return tm_error_nomem(err);
    pages->count++;
    return TM_OK;
}

uint32_t tm_sqlite_page_after(uint32_t number)
{
    return number + 1 + (number + 1 == LOCK_PAGE);
}

uint32_t tm_sqlite_pages_next(const struct tm_sqlite_pages *pages)
{
    return tm_sqlite_page_after(pages->count);
}

enum tm_status tm_sqlite_pages_add(struct tm_sqlite_pages *pages, const uint8_t *page, uint32_t *number,
                                   struct tm_error *err)
{
    static const uint8_t empty[TM_SQLITE_PAGE];
    enum tm_status st = TM_OK;
    *number = tm_sqlite_pages_next(pages);
    if (*number != pages->count + 1)
        st = add(pages, empty, err);
    return st < 0 ? st : add(pages, page, err);
}

/* Makes those changes in PAGE, which is page NUMBER, that are not in the file yet. */
static void change_read(const struct tm_sqlite_pages *pages, uint32_t number, uint8_t *page)
{
    const struct change *change = (const void *)pages->changes.data;
    for (size_t left = pages->changes.len / sizeof *change; left > 0; left--, change++) {
        const uint64_t at = change->offset - offset_of(number); /* large for those of pages before it */
        if (at < TM_SQLITE_PAGE)
            memcpy(page + at, change->number, TM_SQLITE_NUMBER);
    }
}

enum tm_status tm_sqlite_pages_get(struct tm_sqlite_pages *pages, uint32_t number, uint8_t *page, struct tm_error *err)
{
    if (number >= first_unwritten(pages)) {
        memcpy(page, pages->last.data + (size_t)(number - first_unwritten(pages)) * TM_SQLITE_PAGE, TM_SQLITE_PAGE);
        return TM_OK;
    }
    enum tm_status st = pages->writer ? tm_async_writer_wait(pages->writer, err) : TM_OK;
    if (st == TM_OK)
        st = tm_io_pread(pages->fd, page, TM_SQLITE_PAGE, offset_of(number), err);
    if (st == TM_END)
        st = tm_error_set(err, TM_E_SYSTEM, TOO_SHORT);
    if (st == TM_OK)
        change_read(pages, number, page);
    return named(pages, st, err);
}

enum tm_status tm_sqlite_pages_change(struct tm_sqlite_pages *pages, uint32_t page, size_t at,
                                      const uint8_t number[TM_SQLITE_NUMBER], struct tm_error *err)
{
    if (page >= first_unwritten(pages)) {
        memcpy(pages->last.data + (size_t)(page - first_unwritten(pages)) * TM_SQLITE_PAGE + at, number,
               TM_SQLITE_NUMBER);
        return TM_OK;
    }
    const size_t before = pages->changes.len / sizeof(struct change);
    struct change change = {.offset = offset_of(page) + at, .order = (uint32_t)before};
    memcpy(change.number, number, sizeof change.number);
    if (tm_buf_add(&pages->changes, &change, sizeof change) < 0)
        return tm_error_nomem(err);
    return before + 1 == CHANGES_MAX ? settle(pages, err) : TM_OK;
}

enum tm_status tm_sqlite_pages_put(struct tm_sqlite_pages *pages, uint32_t number, const uint8_t *page,
                                   struct tm_error *err)
{
    return named(pages, tm_io_pwrite(pages->fd, page, TM_SQLITE_PAGE, offset_of(number), err), err);
}

enum tm_status tm_sqlite_pages_finish(struct tm_sqlite_pages *pages, struct tm_error *err)
{
    uint8_t header[HEADER];
    enum tm_status st = write_last(pages, err);
    if (st == TM_OK)
        st = settle(pages, err);
    if (st == TM_OK)
        st = named(pages, tm_io_pread(pages->fd, header, sizeof header, 0, err), err);
    if (st != TM_OK)
        return st < 0 ? st : tm_error_set(err, TM_E_SYSTEM, "%s: " TOO_SHORT, pages->name);
    uint32_t changes = tm_get_be32(header + HEADER_CHANGES) + 1;
    tm_put_be32(header + HEADER_CHANGES, changes);
    tm_put_be32(header + HEADER_PAGES, pages->count);
    tm_put_be32(header + HEADER_PAGES_AT, changes);
    return named(pages, tm_io_pwrite(pages->fd, header, sizeof header, 0, err), err);
}

void tm_sqlite_pages_release(struct tm_sqlite_pages *pages)
{
    tm_async_writer_free(pages->writer);
    pages->writer = NULL;
    tm_buf_release(&pages->last);
    tm_buf_release(&pages->changes);
    if (pages->count)
        close(pages->fd);
    pages->count = 0;
}
