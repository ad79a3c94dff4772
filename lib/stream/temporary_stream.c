#include "stream/temporary_stream.h"

#include "os/io.h"

#include <errno.h>
#include <unistd.h>

enum tm_status tm_temporary_stream_begin(struct tm_temporary_stream *s, const char *dir, struct tm_error *err)
{
    const struct tm_stream_header header = {.stage = TRACEMERGE__STAGE__CONFIGURED};
    if (!s->has_fd) {
        enum tm_status st = tm_io_temporary(dir, &s->fd, err);
        if (st < 0)
            return st;
        s->has_fd = true;
    } else if (lseek(s->fd, 0, SEEK_SET) < 0 || ftruncate(s->fd, 0) < 0) {
        return tm_error_errno(err, errno, "temporary file");
    }
    s->has_begun = true;
    return tm_stream_writer_open(&s->writer, s->fd, "tracemerge", &header, err);
}

enum tm_status tm_temporary_stream_read(struct tm_temporary_stream *s, struct tm_error *err)
{
    enum tm_status st = tm_stream_writer_end(&s->writer, err);
    tm_stream_writer_release(&s->writer);
    if (st < 0)
        return st;
    if (lseek(s->fd, 0, SEEK_SET) < 0)
        return tm_error_errno(err, errno, "temporary file");
    s->is_reading = true;
    return tm_stream_reader_open(&s->reader, s->fd, err);
}

void tm_temporary_stream_end(struct tm_temporary_stream *s)
{
    tm_stream_reader_release(&s->reader);
    s->has_begun = s->is_reading = false;
}

void tm_temporary_stream_release(struct tm_temporary_stream *s)
{
    if (s->has_fd) {
        tm_stream_writer_release(&s->writer);
        tm_stream_reader_release(&s->reader);
        (void)close(s->fd);
    }
    *s = (struct tm_temporary_stream){0};
}
