#include "container/content.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tm_content tm_content_of(struct tm_input *in)
{
    return (struct tm_content){
        .in = in, .extent = {.fd = -1}, .size_bytes = UINT64_MAX, .owned_fd = -1, .reclaim = {.fd = -1}};
}

enum tm_status tm_content_open_extent(struct tm_content *content, const struct tm_extent *extent, struct tm_error *err)
{
    *content = tm_content_of(&content->own);
    content->extent = *extent;
    content->size_bytes = extent->len;
    return tm_extent_open(extent, &content->own, err);
}

enum tm_status tm_content_open_path(struct tm_content *content, const char *path, struct tm_error *err)
{
    struct stat info;
    bool is_stdin = strcmp(path, "-") == 0;
    *content = tm_content_of(&content->own);
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return tm_error_open(err, errno, "cannot open");
    content->owned_fd = is_stdin ? -1 : fd;
    content->path = is_stdin ? NULL : path;
    if (fstat(fd, &info) != 0)
        return tm_error_open(err, errno, "cannot open");
    if (S_ISDIR(info.st_mode))
        return tm_error_set(err, TM_E_INPUT, "is a directory");
    /* Files of the kernel state size 0 but have bytes. */
    off_t at = S_ISREG(info.st_mode) && info.st_size > 0 ? lseek(fd, 0, SEEK_CUR) : -1;
    if (at < 0 || at > info.st_size)
        return tm_fd_open(fd, false, &content->own, err);
    (void)posix_fadvise(fd, at, 0, POSIX_FADV_SEQUENTIAL);
    content->extent = (struct tm_extent){.fd = fd, .start = (uint64_t)at, .len = (uint64_t)(info.st_size - at)};
    content->size_bytes = content->extent.len;
    return tm_extent_open(&content->extent, &content->own, err);
}

enum tm_status tm_content_by_place(struct tm_content *content, struct tm_text_file *text, const char *dir,
                                   struct tm_error *err)
{
    if (content->extent.fd >= 0)
        return TM_OK;
    uint64_t at = content->in->offset;
    struct tm_extent extent;
    enum tm_status st = text ? tm_extent_copy_text(content->in, text, &extent, err)
                             : tm_extent_copy(content->in, dir, &extent, err);
    if (st < 0)
        return st;
    if (content->in == &content->own)
        tm_input_release(&content->own);
    if (content->owned_fd >= 0)
        close(content->owned_fd);
    content->owned_fd = content->reclaim.fd = text ? -1 : extent.fd;
    content->extent = extent;
    content->extent_at = at;
    content->in = &content->own;
    st = tm_extent_open(&extent, &content->own, err);
    content->own.offset = at;
    return st;
}

struct tm_extent tm_content_part(struct tm_content *content, uint64_t at, uint64_t len)
{
    return (struct tm_extent){
        .fd = content->extent.fd, .start = content->extent.start + (at - content->extent_at), .len = len,
        .is_temporary = content->extent.is_temporary,
        .reclaim = content->reclaim.fd >= 0 ? &content->reclaim : content->extent.reclaim};
}

uint64_t tm_content_end(const struct tm_content *content)
{
    return content->extent.fd < 0 ? UINT64_MAX : content->extent_at + content->extent.len;
}

void tm_content_move(struct tm_content *to, const struct tm_content *from)
{
    *to = *from;
    if (from->in == &from->own)
        to->in = &to->own;
}

void tm_content_release(struct tm_content *content)
{
    tm_input_release(&content->own);
    if (content->owned_fd >= 0)
        close(content->owned_fd);
    content->owned_fd = -1;
    content->extent.fd = -1;
    tm_reclaim_release(&content->reclaim);
}
