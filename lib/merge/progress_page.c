#include "merge/progress_page.h"

#include "os/compat.h"
#include "os/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum tm_status tm_progress_shared_make(struct tm_progress_shared *s, const char *dir, struct tm_stage *stages,
                                       size_t count, struct tm_error *err)
{
    static const struct tm_progress_page empty;
    enum tm_status st = TM_OK;
    if ((s->fd = tm_compat_shared_memory(sizeof empty)) < 0 && (st = tm_io_temporary(dir, &s->fd, err)) == TM_OK)
        st = tm_io_write(s->fd, &empty, sizeof empty, err); /* a hole would be a signal later if the disk is full */
    if (st < 0)
        return st;
    if (fcntl(s->fd, F_SETFD, 0) < 0)
        return tm_error_errno(err, errno, "cannot share the progress of the stages");
    struct tm_progress_page *page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
    if (page == MAP_FAILED)
        return tm_error_errno(err, errno, "cannot share the progress of the stages");
    s->page = page;
    page->magic = TM_PROGRESS_MAGIC;
    for (size_t i = 0; i < count && i < TM_PROGRESS_STAGES_MAX; i++) {
        snprintf(s->settings[i], sizeof s->settings[i], TM_PROGRESS_VARIABLE "=%d,%zu", s->fd, i);
        stages[i].setting = s->settings[i];
    }
    return TM_OK;
}

void tm_progress_shared_release(struct tm_progress_shared *s)
{
    if (s->page)
        (void)munmap(s->page, sizeof *s->page);
    if (s->fd >= 0)
        (void)close(s->fd);
    s->page = NULL;
    s->fd = -1;
}

struct tm_flow_sample tm_progress_sample(const struct tm_progress_flow *flow, uint64_t now_ns)
{
    uint64_t since = atomic_load_explicit(&flow->since_ns, memory_order_relaxed);
    struct tm_flow_sample sample = {
        .bytes = atomic_load_explicit(&flow->bytes, memory_order_relaxed),
        .events = atomic_load_explicit(&flow->events, memory_order_relaxed),
        .waited_ns = atomic_load_explicit(&flow->waited_ns, memory_order_relaxed),
    };
    if (since && since < now_ns)
        sample.waited_ns += now_ns - since;
    return sample;
}
