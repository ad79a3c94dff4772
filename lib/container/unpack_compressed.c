/* The turns of compressed files. */
#include "container/unpack_run.h"

static enum tm_status gzip_files(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content)
{
    struct tm_gzip_reader gzip;
    enum tm_status st = tm_gzip_reader_init(&gzip, content->in, run->err);
    while (st == TM_OK) {
        struct tm_input input;
        st = tm_gzip_next(&gzip, &input, run->err);
        if (st != TM_OK)
            break;
        struct tm_content inner = tm_content_of(&input);
        st = tm_unpack_documents(run, &inner, NULL, node, &gzip);
        tm_content_release(&inner);
        tm_input_release(&input);
    }
    tm_gzip_reader_release(&gzip);
    return st == TM_END ? TM_OK : st;
}

enum tm_status tm_unpack_compressed(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content)
{
    uint64_t start = content->in->offset;
    enum tm_status st = tm_unpack_begin(run, node);
    if (st == TM_OK && node->type.kind == TM_FILE_GZIP)
        st = gzip_files(run, node, content);
    else if (st == TM_OK)
        st = tm_error_set(run->err, TM_E_INPUT, "%s files are not supported yet", node->type.name);
    return st == TM_OK ? tm_unpack_end(run, node, content->in->offset - start) : st;
}
