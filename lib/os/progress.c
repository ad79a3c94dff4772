#include "os/progress.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

uint64_t tm_progress_now_ns(void)
{
    struct timespec t = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Returns the page in FD, or NULL. */
static struct tm_progress_page *map_page(int fd)
{
    struct stat info;
    if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode) || info.st_size != (off_t)sizeof(struct tm_progress_page))
        return NULL;
    struct tm_progress_page *page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        return NULL;
    if (page->magic == TM_PROGRESS_MAGIC)
        return page;
    (void)munmap(page, sizeof *page);
    return NULL;
}

void tm_progress_attach(struct tm_progress *p, bool is_output)
{
    const char *text = getenv(TM_PROGRESS_VARIABLE);
    char *end;
    *p = (struct tm_progress){0};
    if (text == NULL)
        return;
    long fd = strtol(text, &end, 10);
    long stage = *end == ',' ? strtol(end + 1, &end, 10) : -1;
    if (*end != '\0' || fd < 0 || fd > INT32_MAX || stage < 0 || stage >= TM_PROGRESS_STAGES_MAX ||
        (p->page = map_page((int)fd)) == NULL)
        return;
    p->flow = is_output ? &p->page->stages[stage].out : &p->page->stages[stage].in;
}

void tm_progress_detach(struct tm_progress *p)
{
    if (p->page)
        (void)munmap(p->page, sizeof *p->page);
    *p = (struct tm_progress){0};
}
