#include "container/extent.h"

#include "os/io.h"
#include "os/progress.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct extent_source {
    struct tm_extent extent;
    uint64_t at;
    struct tm_progress progress;
};

enum tm_status tm_extent_read(const struct tm_extent *extent, uint64_t at, void *data, size_t len, struct tm_error *err)
{
    enum tm_status st = tm_io_pread(extent->fd, data, len, extent->start + at, err);
    if (st == TM_END)
        return tm_error_set(err, TM_E_INPUT, "the file became shorter while it was read");
    return st;
}

static enum tm_status extent_read(void *source, uint8_t *data, size_t len, size_t *got, struct tm_error *err)
{
    struct extent_source *s = source;
    uint64_t left = s->extent.len - s->at;
    *got = 0;
    if (left == 0)
        return TM_END;
    if (len > left)
        len = (size_t)left;
    tm_progress_begin(&s->progress);
    enum tm_status st = tm_extent_read(&s->extent, s->at, data, len, err);
    tm_progress_end(&s->progress, st == TM_OK ? len : 0);
    if (st == TM_OK) {
        s->at += len;
        *got = len;
    }
    return st;
}

static enum tm_status extent_skip(void *source, uint64_t n, struct tm_error *err)
{
    struct extent_source *s = source;
    uint64_t left = s->extent.len - s->at;
    (void)err;
    s->at += n < left ? n : left;
    return n <= left ? TM_OK : TM_END;
}

static void extent_close(void *source)
{
    struct extent_source *s = source;
    tm_progress_detach(&s->progress);
    free(s);
}

enum tm_status tm_extent_open(const struct tm_extent *extent, struct tm_input *in, struct tm_error *err)
{
    static const struct tm_input_ops ops = {.read = extent_read, .close = extent_close};
    struct extent_source *s = malloc(sizeof *s);
    if (s == NULL)
        return tm_error_nomem(err);
    *s = (struct extent_source){.extent = *extent};
    if (!extent->is_temporary)
        tm_progress_attach(&s->progress, false);
    tm_input_init(in, &ops, s);
    in->skip = extent_skip;
    return TM_OK;
}

struct fd_source {
    int fd;
    bool owned;
    struct tm_progress progress;
};

static enum tm_status fd_read(void *source, uint8_t *data, size_t len, size_t *got, struct tm_error *err)
{
    struct fd_source *s = source;
    tm_progress_begin(&s->progress);
    enum tm_status st = tm_io_read(s->fd, data, len, got, err);
    tm_progress_end(&s->progress, st == TM_OK ? *got : 0);
    return st;
}

static void fd_close(void *source)
{
    struct fd_source *s = source;
    if (s->owned)
        close(s->fd);
    tm_progress_detach(&s->progress);
    free(s);
}

enum tm_status tm_fd_open(int fd, bool owned, struct tm_input *in, struct tm_error *err)
{
    static const struct tm_input_ops ops = {.read = fd_read, .close = fd_close};
    struct fd_source *s = malloc(sizeof *s);
    if (s == NULL)
        return tm_error_nomem(err);
    *s = (struct fd_source){.fd = fd, .owned = owned};
    tm_progress_attach(&s->progress, false);
    tm_input_init(in, &ops, s);
    return TM_OK;
}

void tm_part_settle(struct tm_part *part, const struct tm_input *in)
{
    if (in->offset >= part->read_bytes) {
        tm_input_skip(part->around, (size_t)(in->offset - part->read_bytes));
        part->left -= in->offset - part->read_bytes;
    } else {
        part->left += tm_input_unread(part->around, (size_t)(part->read_bytes - in->offset));
    }
    part->read_bytes = in->offset;
}

/* Shows the bytes of the part in the window of the input around it. */
static enum tm_status part_show(void *source, struct tm_input *in, size_t need, struct tm_error *err)
{
    struct tm_part *part = source;
    struct tm_input *around = part->around;
    tm_part_settle(part, in);
    enum tm_status st = tm_input_fill(around, need < part->left ? need : (size_t)part->left, err);
    if (st == TM_END && !part->tolerant) {
        tm_error_set(err, TM_E_INPUT, "cut short, %llu bytes are missing",
                     (unsigned long long)(part->left - around->len));
        return tm_error_recoverable(err);
    }
    if (st < 0)
        return st;
    size_t front = around->first ? (size_t)(around->data - around->first) : 0;
    in->data = around->data;
    in->first = in->data - (front < in->offset ? front : (size_t)in->offset);
    in->ended = st == TM_END || around->len >= part->left;
    in->len = around->len < part->left ? around->len : (size_t)part->left;
    return in->len >= need ? TM_OK : TM_END;
}

void tm_part_open(struct tm_part *part, struct tm_input *in)
{
    static const struct tm_input_ops ops = {.show = part_show};
    tm_input_init(in, &ops, part);
}

enum tm_status tm_extent_copy(struct tm_input *in, const char *dir, struct tm_extent *extent, struct tm_error *err)
{
    enum tm_status st;
    *extent = (struct tm_extent){.fd = -1, .is_temporary = true};
    if ((st = tm_io_temporary(dir, &extent->fd, err)) < 0)
        return st;
    while ((st = tm_input_fill(in, 1, err)) == TM_OK) {
        st = tm_io_write(extent->fd, in->data, in->len, err);
        if (st < 0) {
            tm_error_prefix(err, "temporary file");
            break;
        }
        extent->len += in->len;
        tm_input_skip(in, in->len);
    }
    if (st == TM_END)
        return TM_OK;
    close(extent->fd);
    extent->fd = -1;
    return st;
}

enum tm_status tm_extent_copy_text(struct tm_input *in, struct tm_text_file *text, struct tm_extent *extent,
                                   struct tm_error *err)
{
    enum tm_status st;
    *extent = (struct tm_extent){.fd = text->fd, .is_temporary = true};
    while ((st = tm_input_fill(in, 1, err)) == TM_OK) {
        uint64_t at;
        if ((st = tm_text_file_write(text, in->data, in->len, &at, err)) < 0)
            return st;
        extent->start = extent->len > 0 ? extent->start : at;
        extent->len += in->len;
        tm_input_skip(in, in->len);
    }
    return st == TM_END ? TM_OK : st;
}
