/* The turns of compressed files. */
#include "os/read_ahead.h"
#include "container/gzip_reader.h"
#include "unpack/internal.h"
#include "container/zlib_reader.h"
#include "container/zstd_reader.h"

/* Unpacks INPUT, the decompressed bytes of CONTENT. GZIP names the documents (NULL: none has a name). */
static enum tm_status unpack_inner(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content,
                                   struct tm_input *input, struct tm_gzip_reader *gzip)
{
    struct tm_content inner = tm_content_of(input);
    /* A thread that waits for a pipe cannot be stopped, so one is started only if the bytes are in a file. */
    if (content->extent.fd >= 0 && tm_content_end(content) - content->in->offset >= TM_READ_AHEAD_MIN_BYTES)
        tm_read_ahead_start(input);
    input->expansion = run->expansion;
    enum tm_status st = run->read_documents(run, &inner, NULL, node, gzip);
    tm_content_release(&inner);
    tm_input_release(input);
    return st;
}

/* True if NODE is inside a TAR or a ZIP. There a compressed file is one file (doc/rules.md section 3). */
static bool is_member(const struct tm_node *node)
{
    bool is = false;
    for (node = node->parent; node && !is; node = node->parent)
        is = node->type.kind == TM_FILE_TAR || node->type.kind == TM_FILE_ZIP;
    return is;
}

static enum tm_status gzip_files(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content)
{
    struct tm_gzip_reader gzip;
    struct tm_input input;
    enum tm_status st = tm_gzip_reader_init(&gzip, content->in, run->err);
    gzip.on_damage = run->options->format.on_damage;
    gzip.is_one_file = is_member(node);
    while (st == TM_OK && (st = tm_unpack_halt(run, node, tm_gzip_next(&gzip, &input, run->err))) == TM_OK)
        st = unpack_inner(run, node, content, &input, node->in_archive ? NULL : &gzip);
    if (st >= 0)
        tm_unpack_damage(run, node, &gzip.damage);
    tm_gzip_reader_release(&gzip);
    return st == TM_END ? TM_OK : st;
}

static enum tm_status zstd_file(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content)
{
    struct tm_zstd_reader zstd;
    struct tm_input input;
    enum tm_status st = tm_zstd_reader_init(&zstd, content->in, &input, run->err);
    zstd.on_damage = run->options->format.on_damage;
    if (st == TM_OK)
        st = unpack_inner(run, node, content, &input, NULL);
    if (st == TM_OK)
        tm_unpack_damage(run, node, &zstd.damage);
    tm_zstd_reader_release(&zstd);
    return st;
}

static enum tm_status ctrace_file(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content)
{
    struct tm_zlib_reader zlib;
    struct tm_input input;
    size_t head = content->in->len < TM_SNIFF_BYTES ? content->in->len : TM_SNIFF_BYTES;
    tm_input_skip(content->in, tm_file_type_ctrace(content->in->data, head));
    enum tm_status st = tm_zlib_reader_init(&zlib, content->in, &input, run->err);
    zlib.on_damage = run->options->format.on_damage;
    if (st == TM_OK)
        st = unpack_inner(run, node, content, &input, NULL);
    if (st == TM_OK)
        tm_unpack_damage(run, node, &zlib.damage);
    tm_zlib_reader_release(&zlib);
    return st;
}

enum tm_status tm_unpack_compressed(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content)
{
    uint64_t start = content->in->offset;
    enum tm_status st = tm_unpack_begin(run, node);
    if (st == TM_OK && node->type.kind == TM_FILE_GZIP)
        st = gzip_files(run, node, content);
    else if (st == TM_OK && node->type.kind == TM_FILE_ZSTD)
        st = zstd_file(run, node, content);
    else if (st == TM_OK)
        st = ctrace_file(run, node, content);
    return st == TM_OK ? tm_unpack_end(run, node, content->in->offset - start) : st;
}
