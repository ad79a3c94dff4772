#include "pack/tar_writer.h"

#include "base/buf.h"

#include <libtar.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PAX_GLOBAL = 'g', PAX_EXTENDED = 'x', OCTAL_DIGITS = 11, RECORD_BLOCKS = 20 };
#define OCTAL_SIZE_MAX ((UINT64_C(1) << 33) - 1) /* the largest number of eleven octal digits */

static const uint8_t zeros[T_BLOCKSIZE];

/* Writes SIZE to HEADER. libtar's own function takes an int. */
static void set_size(struct tar_header *header, uint64_t size)
{
    char digits[OCTAL_DIGITS + 1];
    uint8_t bytes[sizeof header->size] = {0};
    if (size <= OCTAL_SIZE_MAX) {
        snprintf(digits, sizeof digits, "%011llo", (unsigned long long)size);
        memcpy(header->size, digits, sizeof digits);
        return;
    }
    bytes[0] = 0x80;
    for (size_t i = sizeof bytes; i-- > 1; size >>= 8)
        bytes[i] = (uint8_t)size;
    memcpy(header->size, bytes, sizeof bytes);
}

/* Writes one header block of TYPE. */
static enum tm_status put_header(struct tm_tar_writer *tar, char type, const char *name, uint64_t size,
                                 struct tm_error *err)
{
    enum { MODE = 0644 };
    TAR t = {0};
    t.th_buf.typeflag = type;
    size_t len = strlen(name);
    memcpy(t.th_buf.name, name, len < sizeof t.th_buf.name ? len : sizeof t.th_buf.name);
    th_set_mode(&t, MODE);
    int_to_oct_nonull(0, t.th_buf.uid, sizeof t.th_buf.uid);
    int_to_oct_nonull(0, t.th_buf.gid, sizeof t.th_buf.gid);
    th_set_mtime(&t, 0);
    set_size(&t.th_buf, size);
    th_finish(&t);
    return tm_byte_out_write(tar->out, &t.th_buf, T_BLOCKSIZE, err);
}

static enum tm_status put_padding(struct tm_tar_writer *tar, uint64_t size, struct tm_error *err)
{
    return tm_byte_out_write(tar->out, zeros, (size_t)((T_BLOCKSIZE - size % T_BLOCKSIZE) % T_BLOCKSIZE), err);
}

/* Writes a header of TYPE that describes the next member, and its data. */
static enum tm_status put_extra(struct tm_tar_writer *tar, char type, const char *name, const struct tm_buf *data,
                                struct tm_error *err)
{
    enum tm_status st = put_header(tar, type, name, data->len, err);
    if (st == TM_OK)
        st = tm_byte_out_write(tar->out, data->data, data->len, err);
    return st == TM_OK ? put_padding(tar, data->len, err) : st;
}

/* Appends the PAX record "LENGTH KEY=VALUE\n". LENGTH includes its own digits. */
static enum tm_status add_record(struct tm_buf *out, const char *key, const char *value, struct tm_error *err)
{
    size_t rest = strlen(key) + strlen(value) + 3, digits = 1;
    for (size_t limit = 10; rest + digits >= limit; limit *= 10)
        digits++;
    return tm_buf_addf(out, "%zu %s=%s\n", rest + digits, key, value) == TM_OK ? TM_OK : tm_error_nomem(err);
}

enum tm_status tm_tar_writer_begin(struct tm_tar_writer *tar, bool in_order, struct tm_error *err)
{
    struct tm_buf records = {0};
    if (!in_order)
        return TM_OK;
    enum tm_status st = add_record(&records, "TRACEMERGE.order", "processing", err);
    if (st == TM_OK)
        st = put_extra(tar, PAX_GLOBAL, "pax_global_header", &records, err);
    tm_buf_release(&records);
    return st;
}

/* Writes the PAX header and the GNU long name that a member needs before it. */
static enum tm_status put_extras(struct tm_tar_writer *tar, const char *name, uint64_t size, struct tm_error *err)
{
    struct tm_buf records = {0}, long_name = {0};
    char digits[24];
    enum tm_status st = TM_OK;
    bool is_long = strlen(name) > T_NAMELEN;
    if (is_long)
        st = add_record(&records, "path", name, err);
    if (st == TM_OK && size > OCTAL_SIZE_MAX) {
        snprintf(digits, sizeof digits, "%llu", (unsigned long long)size);
        st = add_record(&records, "size", digits, err);
    }
    if (st == TM_OK && records.len > 0)
        st = put_extra(tar, PAX_EXTENDED, "pax_header", &records, err);
    if (st == TM_OK && is_long) {
        if (tm_buf_add(&long_name, name, strlen(name) + 1) != TM_OK)
            st = tm_error_nomem(err);
        else
            st = put_extra(tar, GNU_LONGNAME_TYPE, "././@LongLink", &long_name, err);
    }
    tm_buf_release(&records);
    tm_buf_release(&long_name);
    return st;
}

enum tm_status tm_tar_writer_member(struct tm_tar_writer *tar, const char *name, uint64_t size_bytes,
                                    struct tm_error *err)
{
    enum tm_status st = put_padding(tar, tar->out->bytes, err);
    if (st == TM_OK)
        st = put_extras(tar, name, size_bytes, err);
    return st == TM_OK ? put_header(tar, REGTYPE, name, size_bytes, err) : st;
}

enum tm_status tm_tar_writer_data(struct tm_tar_writer *tar, const void *data, size_t len, struct tm_error *err)
{
    return tm_byte_out_write(tar->out, data, len, err);
}

enum tm_status tm_tar_writer_end(struct tm_tar_writer *tar, struct tm_error *err)
{
    enum tm_status st = put_padding(tar, tar->out->bytes, err);
    for (int i = 0; i < 2 && st == TM_OK; i++)
        st = tm_byte_out_write(tar->out, zeros, sizeof zeros, err);
    while (st == TM_OK && tar->out->bytes % (RECORD_BLOCKS * T_BLOCKSIZE) != 0)
        st = tm_byte_out_write(tar->out, zeros, sizeof zeros, err);
    return st;
}
