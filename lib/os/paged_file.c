#include "os/paged_file.h"

#include "os/io.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WAYS = 4 };

struct tm_page {
    uint8_t *data;
    uint64_t number; /* plus 1; 0 holds nothing */
    uint32_t used;   /* the clock at its last use */
    bool dirty;
};

void tm_paged_file_init(struct tm_paged_file *p, const char *dir, size_t memory_bytes)
{
    *p = (struct tm_paged_file){.dir = dir, .set_count = 1};
    while (p->set_count < UINT32_C(1) << 24 && (size_t)p->set_count * 2 * WAYS * TM_PAGE_BYTES <= memory_bytes)
        p->set_count *= 2;
}

static enum tm_status flush(struct tm_paged_file *p, struct tm_page *page, struct tm_error *err)
{
    uint64_t offset = (page->number - 1) * TM_PAGE_BYTES;
    enum tm_status st;
    if (!page->dirty)
        return TM_OK;
    if (p->file_end == 0 && (st = tm_io_temporary(p->dir, &p->fd, err)) < 0)
        return st;
    if (p->file_end < offset + TM_PAGE_BYTES)
        p->file_end = offset + TM_PAGE_BYTES;
    page->dirty = false;
    return tm_io_pwrite(p->fd, page->data, TM_PAGE_BYTES, offset, err);
}

/* Fills PAGE, which is empty, with page NUMBER. */
static enum tm_status load(struct tm_paged_file *p, struct tm_page *page, uint64_t number, struct tm_error *err)
{
    uint64_t offset = number * TM_PAGE_BYTES;
    if (page->data == NULL && (page->data = malloc(TM_PAGE_BYTES)) == NULL)
        return tm_error_nomem(err);
    if (offset < p->file_end) {
        enum tm_status st = tm_io_pread(p->fd, page->data, TM_PAGE_BYTES, offset, err);
        if (st != TM_OK)
            return st < 0 ? st : tm_error_set(err, TM_E_SYSTEM, "a temporary file was cut short");
    } else {
        memset(page->data, 0, TM_PAGE_BYTES);
    }
    page->number = number + 1;
    return TM_OK;
}

/* Sets *FOUND to page NUMBER, which is loaded if it is not in memory. It takes the place of the page of its set that
 * was used longest ago. */
static enum tm_status find_in_set(struct tm_paged_file *p, uint64_t number, struct tm_page **found,
                                  struct tm_error *err)
{
    if (p->pages == NULL && (p->pages = calloc((size_t)p->set_count * WAYS, sizeof *p->pages)) == NULL)
        return tm_error_nomem(err);
    struct tm_page *set = &p->pages[(size_t)(number & (p->set_count - 1)) * WAYS], *oldest = set;
    uint32_t now = ++p->clock;
    for (int i = 0; i < WAYS; i++) {
        if (set[i].number == number + 1) {
            set[i].used = now;
            *found = &set[i];
            return TM_OK;
        }
        if (oldest->number && (set[i].number == 0 || now - set[i].used > now - oldest->used))
            oldest = &set[i];
    }
    enum tm_status st = oldest->number ? flush(p, oldest, err) : TM_OK;
    oldest->number = 0;
    if (st == TM_OK)
        st = load(p, oldest, number, err);
    oldest->used = now;
    *found = oldest;
    return st;
}

/* Does what find_in_set does, and makes the page the one used last. */
static enum tm_status find(struct tm_paged_file *p, uint64_t number, struct tm_page **found, struct tm_error *err)
{
    p->recent = 0;
    enum tm_status st = find_in_set(p, number, found, err);
    if (st == TM_OK) {
        p->recent = number + 1;
        p->recent_data = (*found)->data;
    }
    return st;
}

/* Returns how many of LEN bytes at OFFSET are in the first page. */
static size_t part(uint64_t offset, size_t len)
{
    size_t left = TM_PAGE_BYTES - (size_t)(offset % TM_PAGE_BYTES);
    return len < left ? len : left;
}

enum tm_status tm_paged_file_write(struct tm_paged_file *p, uint64_t offset, const void *data, size_t len,
                                   struct tm_error *err)
{
    const uint8_t *from = data;
    struct tm_page *page = NULL;
    while (len > 0) {
        size_t n = part(offset, len);
        enum tm_status st = find(p, offset / TM_PAGE_BYTES, &page, err);
        if (st < 0)
            return st;
        memcpy(page->data + offset % TM_PAGE_BYTES, from, n);
        page->dirty = true;
        from += n;
        offset += n;
        len -= n;
        if (p->end < offset)
            p->end = offset;
    }
    return TM_OK;
}

enum tm_status tm_paged_file_read_pages(struct tm_paged_file *p, uint64_t offset, void *data, size_t len,
                                        struct tm_error *err)
{
    uint8_t *to = data;
    struct tm_page *page = NULL;
    while (len > 0) {
        size_t n = part(offset, len);
        if (offset >= p->end) {
            memset(to, 0, len);
            return TM_OK;
        }
        enum tm_status st = find(p, offset / TM_PAGE_BYTES, &page, err);
        if (st < 0)
            return st;
        memcpy(to, page->data + offset % TM_PAGE_BYTES, n);
        to += n;
        offset += n;
        len -= n;
    }
    return TM_OK;
}

void tm_paged_file_discard(struct tm_paged_file *p, uint64_t offset)
{
    uint64_t before = offset / TM_PAGE_BYTES;
    p->recent = p->recent > before ? p->recent : 0;
    for (; p->discarded < before; p->discarded++) {
        struct tm_page *set = p->pages ? &p->pages[(size_t)(p->discarded & (p->set_count - 1)) * WAYS] : NULL;
        for (int i = 0; set && i < WAYS; i++)
            if (set[i].number == p->discarded + 1)
                set[i] = (struct tm_page){.data = set[i].data};
    }
    if (p->file_end && p->reclaimed < before) { /* counts pages that were never written too, so that whole units are
                                                  * complete */
        p->reclaim.fd = p->fd;
        tm_reclaim_add(&p->reclaim, p->reclaimed * TM_PAGE_BYTES, (before - p->reclaimed) * TM_PAGE_BYTES);
        p->reclaimed = before;
    }
}

static void drop_file(struct tm_paged_file *p)
{
    if (p->file_end) {
        close(p->fd);
        tm_reclaim_release(&p->reclaim);
    }
    p->file_end = 0;
    p->discarded = p->reclaimed = 0;
}

void tm_paged_file_clear(struct tm_paged_file *p)
{
    for (size_t i = 0; p->pages && i < (size_t)p->set_count * WAYS; i++) {
        p->pages[i].number = 0;
        p->pages[i].dirty = false;
    }
    drop_file(p);
    p->recent = 0;
    p->end = 0;
}

void tm_paged_file_release(struct tm_paged_file *p)
{
    for (size_t i = 0; p->pages && i < (size_t)p->set_count * WAYS; i++)
        free(p->pages[i].data);
    free(p->pages);
    drop_file(p);
    *p = (struct tm_paged_file){0};
}
