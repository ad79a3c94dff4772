#include "pack/pack.h"

#include "os/io.h"
#include "pack/tar_writer.h"
#include "pack/zip_writer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COPY_BYTES = 256 << 10 };

/* The archive that is written, by one of the two writers. */
struct archive_out {
    struct tm_byte_out bytes;
    struct tm_tar_writer tar;
    struct tm_zip_writer zip;
    const char *name; /* for messages; NULL: none */
    bool is_zip;
    uint8_t *copy; /* COPY_BYTES */
};

static bool ends_with(const char *path, const char *ending)
{
    size_t len = strlen(path), n = strlen(ending);
    return len > n && strcmp(path + len - n, ending) == 0;
}

enum tm_pack_kind tm_pack_kind_of(const char *path)
{
    if (ends_with(path, ".tar"))
        return TM_PACK_TAR;
    if (ends_with(path, ".tar.gz") || ends_with(path, ".tgz"))
        return TM_PACK_TAR_GZ;
    return ends_with(path, ".zip") ? TM_PACK_ZIP : TM_PACK_UNKNOWN;
}

/* Returns ST, which a write of the archive returned. The text of a failure then begins with the archive's name. */
static enum tm_status written(const struct archive_out *out, enum tm_status st, struct tm_error *err)
{
    return st < 0 && out->name ? tm_error_prefix(err, "%s", out->name) : st;
}

static enum tm_status put_member(struct archive_out *out, const char *name, uint64_t size, struct tm_error *err)
{
    enum tm_status st = out->is_zip ? tm_zip_writer_member(&out->zip, name, size, err)
                                    : tm_tar_writer_member(&out->tar, name, size, err);
    return written(out, st, err);
}

static enum tm_status put_data(struct archive_out *out, const void *data, size_t len, struct tm_error *err)
{
    enum tm_status st = out->is_zip ? tm_zip_writer_data(&out->zip, data, len, err)
                                    : tm_tar_writer_data(&out->tar, data, len, err);
    return written(out, st, err);
}

/* Copies the data of MEMBER, open as FD. Its size must not have changed. */
static enum tm_status copy_data(struct archive_out *out, const struct tm_pack_member *member, int fd,
                                struct tm_error *err)
{
    uint64_t left = member->size_bytes;
    enum tm_status st = TM_OK;
    size_t got;
    while (left > 0 && st == TM_OK) {
        st = tm_io_read(fd, out->copy, left < COPY_BYTES ? (size_t)left : COPY_BYTES, &got, err);
        if (st < 0)
            return tm_error_prefix(err, "%s", member->path);
        if (st == TM_OK)
            st = put_data(out, out->copy, got, err);
        left -= got;
    }
    if (st == TM_OK) {
        st = tm_io_read(fd, out->copy, 1, &got, err);
        if (st < 0)
            return tm_error_prefix(err, "%s", member->path);
        st = st == TM_END ? TM_OK : TM_END;
    }
    if (st == TM_END)
        return tm_error_set(err, TM_E_INPUT, "%s: changed while it was being packed", member->path);
    return st;
}

static enum tm_status copy_member(struct archive_out *out, const struct tm_pack_member *member, struct tm_error *err)
{
    int fd = -1;
    enum tm_status st = tm_members_open(member, &fd, err);
    if (st < 0)
        return st;
    st = put_member(out, member->name, member->size_bytes, err);
    if (st == TM_OK)
        st = copy_data(out, member, fd, err);
    (void)close(fd);
    return st;
}

/* True if the archive can be read front to back. CTF cannot: its metadata comes last and is needed first. */
static bool is_streamable(const struct tm_members *members)
{
    for (size_t i = 0; i < members->count; i++)
        if (members->members[i].type.input_type == TM_INPUT_CTF_STREAM)
            return false;
    return true;
}

static enum tm_status begin(struct archive_out *out, const struct tm_pack *pack, const char *path,
                            struct tm_error *err)
{
    enum tm_status st = TM_OK;
    out->tar.out = &out->bytes;
    out->name = pack->name;
    out->is_zip = pack->kind == TM_PACK_ZIP;
    out->copy = malloc(COPY_BYTES);
    if (out->copy == NULL)
        return tm_error_nomem(err);
    if (out->is_zip)
        return written(out, tm_zip_writer_begin(&out->zip, path, err), err);
    if (pack->kind == TM_PACK_TAR_GZ)
        st = tm_byte_out_gzip(&out->bytes, err);
    if (st == TM_OK)
        st = tm_tar_writer_begin(&out->tar, is_streamable(pack->members), err);
    return written(out, st, err);
}

static enum tm_status end(struct archive_out *out, struct tm_error *err)
{
    if (out->is_zip)
        return written(out, tm_zip_writer_end(&out->zip, err), err);
    enum tm_status st = tm_tar_writer_end(&out->tar, err);
    if (st == TM_OK)
        st = tm_byte_out_finish(&out->bytes, err);
    return written(out, st, err);
}

enum tm_status tm_pack_write(const struct tm_pack *pack, int fd, const char *path, struct tm_error *err)
{
    struct archive_out out = {.bytes.fd = fd};
    enum tm_status st = begin(&out, pack, path, err);
    if (st == TM_OK && pack->manifest)
        st = put_member(&out, TM_PACK_MANIFEST_NAME, pack->manifest->len, err);
    if (st == TM_OK && pack->manifest)
        st = put_data(&out, pack->manifest->data, pack->manifest->len, err);
    for (size_t i = 0; i < pack->members->count && st == TM_OK; i++)
        st = copy_member(&out, &pack->members->members[i], err);
    if (st == TM_OK)
        st = end(&out, err);
    tm_byte_out_release(&out.bytes);
    tm_zip_writer_release(&out.zip);
    free(out.copy);
    return st;
}
