#include "unpack/unpack.h"

#include "base/path.h"
#include "os/io.h"
#include "unpack/internal.h"

#include <string.h>

/* Computes the hash of the first bytes of the run's file (64-bit FNV-1a). The reference importer names a trace without
 * an identity by it. */
static enum tm_status hash_head(struct tm_unpack_run *run, struct tm_input *in)
{
    enum { HEAD_BYTES = 4096 };
    enum tm_status st = tm_input_fill(in, HEAD_BYTES, run->err);
    size_t len = st < 0 ? 0 : in->len < HEAD_BYTES ? in->len : HEAD_BYTES;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ in->data[i]) * UINT64_C(0x100000001b3);
    run->has_head_hash = st >= 0;
    run->head_hash = hash;
    return st;
}

/* Runs the turn of one file, the outermost. Its row is written when its type is known: an archive announces its members
 * before its own turn. */
static enum tm_status unpack_one(struct tm_unpack_run *run, const char *path)
{
    struct tm_content content;
    struct tm_node node = {0};
    struct tm_stated stated = {0};
    enum tm_status st = tm_content_open_path(&content, path, run->err);
    tm_unpack_count_input(run, &content);
    if (st == TM_OK)
        st = tm_input_fill(content.in, TM_SNIFF_BYTES, run->err);
    if (st >= 0) {
        size_t n = content.in->len < TM_SNIFF_BYTES ? content.in->len : TM_SNIFF_BYTES;
        node.type = tm_file_type_sniff(content.in->data, n);
        if (content.extent.fd >= 0) /* waiting for a pipe is avoided */
            st = hash_head(run, content.in);
        if (st >= 0 && content.extent.fd >= 0)
            st = tm_stated_read(&stated, &node.type, content.in, UINT64_MAX, run->err);
        node.rank = stated.rank;
        node.host = stated.host.name[0] ? stated.host.name : NULL;
        node.is_host_of_several = stated.host.is_one_of_several;
        node.has_archive = stated.is_archive;
    }
    if (st >= 0)
        st = tm_unpack_announce(run, &node, content.extent.fd >= 0 ? content.extent.len : 0);
    if (st < 0)
        tm_unpack_place(run, &node);
    else
        st = tm_unpack_documents(run, &content, &node, NULL, NULL);
    tm_content_release(&content);
    return st;
}

enum tm_status tm_unpack(const struct tm_unpack_options *options, struct tm_event_sink *sink,
                         const char *const *paths, size_t count, struct tm_error *err)
{
    static const char *const standard_input[] = {"-"};
    struct tm_expansion expansion = {.max_bytes = options->max_expansion_bytes};
    struct tm_unpack_run run = {.options = options, .sink = sink, .err = err, .expansion = &expansion,
                                .read_documents = tm_unpack_documents};
    if (count == 0) {
        paths = standard_input;
        count = 1;
    }
    if (*paths[0] == '\0')
        return tm_error_set(err, TM_E_INPUT, "'': a file needs a name");
    bool is_stdin = strcmp(paths[0], "-") == 0;
    run.given_name = is_stdin || count > 1 ? NULL : tm_path_bare(paths[0]);
    if (count > 1 || tm_io_is_folder(paths[0])) {
        struct tm_node node = {.type = tm_file_type_directory()};
        enum tm_status st = tm_unpack_announce(&run, &node, 0);
        return st == TM_OK ? tm_unpack_directory(&run, &node, paths, count) : st;
    }
    run.outer_name = is_stdin ? "standard input" : paths[0];
    return unpack_one(&run, paths[0]);
}
