#include "unpack/stream_copy.h"

#include "os/io.h"
#include "stream/input_type.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static void give_up(struct tm_stream_copy *copy)
{
    if (copy->fd < 0)
        return;
    (void)tm_io_empty(copy->fd, NULL);
    (void)close(copy->fd);
    copy->fd = -1;
}

/* True if BUF, which has whole frames, has a File frame of a Perfetto trace. */
static bool has_perfetto_trace(const struct tm_buf *buf)
{
    const uint8_t *p = buf->data;
    struct tm_frame frame;
    bool has = false;
    while (!has && tm_frame_next(&p, buf->data + buf->len, &frame) == TM_OK) {
        if (frame.type != TM_FRAME_FILE)
            continue;
        Tracemerge__File *file = tracemerge__file__unpack(NULL, frame.body_bytes, frame.body);
        has = file == NULL ||
              tm_input_type_of((struct tm_text){file->type.data, file->type.len}) == TM_INPUT_PROTO;
        if (file)
            tracemerge__file__free_unpacked(file, NULL);
    }
    return has;
}

/* Writes the frames in BUF to the stream and to the copy. Is a tm_frame_put. */
static enum tm_status put_both(void *arg, struct tm_buf *buf, struct tm_error *err)
{
    struct tm_stream_copy *copy = arg;
    struct tm_frame_writer *frames = &copy->writer->frames;
    if (copy->fd >= 0 && copy->without_packets && has_perfetto_trace(buf))
        give_up(copy);
    if (copy->fd >= 0 && buf->len > copy->room)
        give_up(copy);
    copy->room -= copy->fd >= 0 ? buf->len : 0;
    if (copy->fd >= 0 && tm_io_write(copy->fd, buf->data, buf->len, NULL) != TM_OK)
        give_up(copy);
    tm_progress_begin(&frames->progress);
    enum tm_status st = tm_io_write(frames->fd, buf->data, buf->len, err);
    tm_progress_end(&frames->progress, buf->len);
    tm_buf_clear(buf);
    return st;
}

enum tm_status tm_stream_copy_open(struct tm_stream_copy *copy, const char *path, struct tm_error *err)
{
    struct stat info;
    struct statvfs space;
    copy->fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (copy->fd < 0 || fstat(copy->fd, &info) != 0)
        return tm_error_errno(err, errno, "%s: cannot open", path);
    if (!S_ISREG(info.st_mode))
        return tm_error_set(err, TM_E_INPUT, "%s: not a regular file, as --copy requires", path);
    if (tm_io_empty(copy->fd, err) < 0)
        return tm_error_prefix(err, "%s", path);
    copy->room = fstatvfs(copy->fd, &space) == 0 ? (uint64_t)space.f_bavail * space.f_frsize / 2 : UINT64_MAX;
    return TM_OK;
}

void tm_stream_copy_attach(struct tm_stream_copy *copy, struct tm_stream_writer *writer)
{
    if (copy->fd < 0)
        return;
    copy->writer = writer;
    writer->frames.put = put_both;
    writer->frames.arg = copy;
}

void tm_stream_copy_close(struct tm_stream_copy *copy, enum tm_status st)
{
    if (st != TM_OK)
        give_up(copy);
    if (copy->fd >= 0)
        (void)close(copy->fd);
    copy->fd = -1;
}
