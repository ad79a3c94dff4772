#include "container/tar_reader.h"

#include "container/pax.h"

#include <libtar.h>
#include <string.h>

_Static_assert(offsetof(struct tar_header, gnu_longname) == T_BLOCKSIZE, "struct tar_header begins with the block");

void tm_tar_reader_init(struct tm_tar_reader *tar, struct tm_input *in, uint64_t end)
{
    *tar = (struct tm_tar_reader){.in = in, .end = end, .next = in->offset};
}

static enum tm_status damaged(uint64_t at, const char *cause, struct tm_error *err)
{
    return tm_error_at(err, at, "%s", cause);
}

/* Reads the number in a header field: octal digits between spaces, ended by NUL or a space, or base-256 with the top
 * bit set. False if it is neither, negative, or above 2^63 - 1. */
static bool field_number(const char *field, size_t len, uint64_t *value)
{
    const uint8_t *p = (const uint8_t *)field, *end = p + len;
    uint64_t v = 0;
    if (*p & 0x80) {
        if (*p != 0x80) /* 0xff begins a negative one; more bits than 63 otherwise */
            return false;
        for (p++; p < end; p++) {
            if (v >> 55)
                return false;
            v = v << 8 | *p;
        }
        *value = v;
        return true;
    }
    while (p < end && *p == ' ')
        p++;
    for (; p < end && *p >= '0' && *p <= '7'; p++)
        v = v << 3 | (uint64_t)(*p - '0');
    *value = v;
    return p == end || *p == ' ' || *p == '\0';
}

static bool all_zero(const uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (p[i])
            return false;
    return true;
}

/* True if BLOCK is a header with a valid checksum. HEADER gets its content. */
static bool decode(const uint8_t *block, TAR *header)
{
    uint64_t sum;
    *header = (TAR){.options = TAR_GNU};
    memcpy(&header->th_buf, block, T_BLOCKSIZE);
    return field_number(header->th_buf.chksum, sizeof header->th_buf.chksum, &sum) &&
           (sum == (uint64_t)th_crc_calc(header) || (int64_t)sum == th_signed_crc_calc(header));
}

bool tm_tar_is_header(const uint8_t *head, size_t len)
{
    TAR header;
    return len >= T_BLOCKSIZE && head[0] != '\0' && decode(head, &header);
}

/* Reads the zero bytes that pad the end of the archive. */
static enum tm_status pass_zeros(struct tm_input *in, struct tm_error *err)
{
    enum tm_status st;
    while ((st = tm_input_fill(in, 1, err)) == TM_OK) {
        size_t n = 0;
        while (n < in->len && in->data[n] == 0)
            n++;
        tm_input_skip(in, n);
        if (in->len > 0)
            return TM_END;
    }
    return st;
}

/* Forgets what the headers before a member state about it. */
static void forget_extensions(struct tm_tar_reader *tar)
{
    tar->has_size = tar->has_path = tar->has_link = tar->is_sparse = false;
}

/* Handles a block that is no header, or a partial one (LEN bytes) at the end. It is an error, or is skipped. */
static enum tm_status bad_block(struct tm_tar_reader *tar, size_t len, const char *cause, struct tm_error *err)
{
    (void)damaged(tar->in->offset, cause, err);
    if (!tar->tolerant)
        return tm_error_recoverable(err);
    if (!tar->jumping)
        tm_damage_add(&tar->damage, tar->in->offset, err);
    *err = (struct tm_error){0};
    forget_extensions(tar); /* the header that they describe is lost */
    tar->jumping = true;
    tar->damage.skipped_bytes += len;
    tm_input_skip(tar->in, len);
    return TM_OK;
}

/* Reads the next header block that is not all zeros, at offset tar->next. */
static enum tm_status read_header(struct tm_tar_reader *tar, TAR *header, struct tm_error *err)
{
    struct tm_input *in = tar->in;
    for (unsigned zeros = 0; zeros < 2;) {
        enum tm_status st = tm_input_fill(in, T_BLOCKSIZE, err);
        if (st < 0)
            return st;
        size_t len = st == TM_OK ? T_BLOCKSIZE : in->len;
        tar->lacks_end = len == 0 && zeros == 0 && !tar->is_cut;
        if (all_zero(in->data, len)) {
            tm_input_skip(in, len);
            if (st == TM_END)
                return TM_END;
            zeros += tar->jumping ? 0 : 1; /* zeros inside damaged data do not end the archive */
            continue;
        }
        if (st == TM_END) {
            st = bad_block(tar, len, "the TAR is cut inside a header", err);
            return st < 0 ? st : TM_END;
        }
        if (decode(in->data, header)) {
            tm_input_skip(in, T_BLOCKSIZE);
            tar->next = in->offset;
            tar->jumping = false;
            return TM_OK;
        }
        if ((st = bad_block(tar, len, "the checksum of a TAR header does not match", err)) < 0)
            return st;
    }
    return pass_zeros(in, err);
}

/* Reads LEN bytes of data that extend the header before them, and shows them at in->data. */
static enum tm_status read_extension(struct tm_tar_reader *tar, uint64_t len, uint64_t max, struct tm_error *err)
{
    if (len > max)
        return tm_error_at(err, tar->in->offset, "an extended header of %llu bytes, more than the limit of %llu",
                           (unsigned long long)len, (unsigned long long)max);
    enum tm_status st = tm_input_fill(tar->in, (size_t)len, err);
    if (st == TM_END)
        return damaged(tar->in->offset, "the TAR is cut inside an extended header", err);
    return st;
}

static enum tm_status store(struct tm_buf *buf, const void *data, size_t len, struct tm_error *err)
{
    tm_buf_clear(buf);
    if (tm_buf_add(buf, data, len) != TM_OK || tm_buf_cstr(buf) == NULL)
        return tm_error_nomem(err);
    return TM_OK;
}

static enum tm_status read_pax(struct tm_tar_reader *tar, uint64_t size, bool global, struct tm_error *err)
{
    struct tm_pax pax = {0};
    enum tm_status st = read_extension(tar, size, TM_PAX_BYTES_MAX, err);
    if (st == TM_OK) {
        st = tm_pax_parse(&pax, tar->in->data, (size_t)size, err);
        if (st < 0)
            tm_error_prefix(err, "byte %llu", (unsigned long long)tar->in->offset);
    }
    if (st != TM_OK)
        return st;
    if (global) /* a path or size for all members would be nonsense */
        return TM_OK;
    tar->has_size = tar->has_size || pax.has_size;
    tar->pax_size = pax.has_size ? pax.size_bytes : tar->pax_size;
    tar->is_sparse = tar->is_sparse || pax.is_sparse;
    tar->has_link = tar->has_link || pax.linkpath != NULL;
    if (pax.linkpath && (st = store(&tar->link, pax.linkpath, pax.linkpath_bytes, err)) < 0)
        return st;
    if (pax.path == NULL)
        return TM_OK;
    tar->has_path = true;
    return store(&tar->long_name, pax.path, pax.path_bytes, err);
}

/* Reads the data of a header that describes the next one. TM_END: the header is of another type. */
static enum tm_status take_extension(struct tm_tar_reader *tar, const TAR *header, uint64_t size, struct tm_error *err)
{
    enum tm_status st;
    switch (header->th_buf.typeflag) {
    case 'x':
    case 'X':
        return read_pax(tar, size, false, err);
    case 'g':
        return read_pax(tar, size, true, err);
    case GNU_LONGNAME_TYPE:
        st = read_extension(tar, size, TM_NAME_BYTES_MAX + 1, err);
        if (st != TM_OK || tar->has_path)
            return st;
        tar->has_path = true;
        return store(&tar->long_name, tar->in->data, strnlen((const char *)tar->in->data, (size_t)size), err);
    case GNU_LONGLINK_TYPE:
        st = read_extension(tar, size, TM_NAME_BYTES_MAX + 1, err);
        if (st != TM_OK || tar->has_link)
            return st;
        tar->has_link = true;
        return store(&tar->link, tar->in->data, strnlen((const char *)tar->in->data, (size_t)size), err);
    default:
        return TM_END;
    }
}

/* Copies the member's name into tar->name without changes. libtar's th_get_pathname would leave out a leading "/" and
 * all up to a "..", but a manifest names members exactly. */
static enum tm_status take_name(struct tm_tar_reader *tar, const TAR *header, struct tm_error *err)
{
    const struct tar_header *block = &header->th_buf;
    if (tar->has_path)
        return store(&tar->name, tar->long_name.data, tar->long_name.len, err);
    size_t prefix = strnlen(block->prefix, sizeof block->prefix);
    if (memcmp(block->magic, "ustar ", 6) == 0)
        prefix = 0; /* the old GNU format has times there */
    tm_buf_clear(&tar->name);
    if (tm_buf_add(&tar->name, block->prefix, prefix) != TM_OK ||
        tm_buf_add(&tar->name, "/", prefix ? 1 : 0) != TM_OK ||
        tm_buf_add(&tar->name, block->name, strnlen(block->name, sizeof block->name)) != TM_OK ||
        tm_buf_cstr(&tar->name) == NULL)
        return tm_error_nomem(err);
    return TM_OK;
}

/* Reads the target of a hard link into tar->link. */
static enum tm_status take_link(struct tm_tar_reader *tar, const TAR *header, struct tm_error *err)
{
    const char *name = header->th_buf.linkname;
    return tar->has_link ? TM_OK : store(&tar->link, name, strnlen(name, sizeof header->th_buf.linkname), err);
}

static enum tm_status check_name(const struct tm_tar_reader *tar, uint64_t at, struct tm_error *err)
{
    if (tar->name.len > TM_NAME_BYTES_MAX)
        return tm_error_at(err, at, "a name of %zu bytes, more than the limit of %d", tar->name.len, TM_NAME_BYTES_MAX);
    if (memchr(tar->name.data, 0, tar->name.len))
        return damaged(at, "a name with a NUL in it", err);
    return TM_OK;
}

/* Finds the end of the data and checks that all of it exists. */
static enum tm_status bound_data(struct tm_tar_reader *tar, struct tm_tar_entry *entry, struct tm_error *err)
{
    uint64_t left = tar->end - entry->at;
    if (entry->size_bytes > left) {
        if (!tar->tolerant) {
            tm_error_set(err, TM_E_INPUT, "%s: byte %llu: cut short, %llu of its %llu bytes are missing",
                         entry->name, (unsigned long long)left, (unsigned long long)(entry->size_bytes - left),
                         (unsigned long long)entry->size_bytes);
            return tm_error_recoverable(err);
        }
        tar->is_cut = true;
        entry->missing_bytes = entry->size_bytes - left;
        entry->size_bytes = left;
    }
    uint64_t padding = (T_BLOCKSIZE - entry->size_bytes % T_BLOCKSIZE) % T_BLOCKSIZE;
    tar->data_end = entry->at + entry->size_bytes;
    tar->next = entry->at + entry->size_bytes +
                (padding < left - entry->size_bytes ? padding : left - entry->size_bytes);
    return TM_OK;
}

/* Reads the blocks that continue the map of a sparse member of the old GNU format. They stand in front of its data, and
 * its size does not include them. */
static enum tm_status pass_sparse_map(struct tm_tar_reader *tar, const TAR *header, struct tm_error *err)
{
    enum { IN_HEADER_AT = 482, IN_BLOCK_AT = 504 }; /* offsets of the flag that another block follows */
    bool more = ((const uint8_t *)&header->th_buf)[IN_HEADER_AT] != 0;
    while (more) {
        enum tm_status st = tm_input_fill(tar->in, T_BLOCKSIZE, err);
        if (st != TM_OK)
            return st < 0 ? st : damaged(tar->in->offset, "the TAR is cut inside a header", err);
        more = tar->in->data[IN_BLOCK_AT] != 0;
        tm_input_skip(tar->in, T_BLOCKSIZE);
    }
    return TM_OK;
}

/* Shows the member with HEADER as ENTRY. */
static enum tm_status show(struct tm_tar_reader *tar, TAR *header, uint64_t size, struct tm_tar_entry *entry,
                           struct tm_error *err)
{
    uint64_t at = tar->in->offset;
    char type = header->th_buf.typeflag;
    enum tm_status st = take_name(tar, header, err);
    if (st == TM_OK)
        st = check_name(tar, at - T_BLOCKSIZE, err);
    if (st < 0)
        return st;
    *entry = (struct tm_tar_entry){
        .name = tm_buf_cstr(&tar->name), .name_bytes = tar->name.len, .at = at, .size_bytes = size};
    /* Links, devices, directories and volume labels have no data. The size that they state is ignored. */
    bool is_directory = type == DIRTYPE || (entry->name_bytes && entry->name[entry->name_bytes - 1] == '/');
    entry->is_file = !is_directory && strchr("23456VD", type ? type : '0') == NULL;
    if (type == LNKTYPE && entry->is_file) {
        if ((st = take_link(tar, header, err)) < 0)
            return st;
        entry->link = tm_buf_cstr(&tar->link);
    }
    if (type != '\0' && strchr("123456V", type))
        entry->size_bytes = 0;
    if (type == 'S' || (tar->is_sparse && entry->is_file && entry->link == NULL))
        entry->refusal = "a sparse member, which is not supported";
    else if (type == 'M')
        entry->refusal = "the rest of a multi-volume member, which is not supported";
    if (type == 'S' && (st = pass_sparse_map(tar, header, err)) < 0)
        return st;
    entry->at = tar->in->offset;
    return bound_data(tar, entry, err);
}

/* Skips what is unread of the last member. An end of the input inside its data is damage, one inside its padding is
 * none. bound_data finds the former before, if the end is known. */
static enum tm_status pass_member(struct tm_tar_reader *tar, struct tm_error *err)
{
    struct tm_input *in = tar->in;
    enum tm_status st = TM_OK;
    if (tar->data_end > in->offset)
        st = tm_input_advance(in, tar->data_end - in->offset, err);
    if (st == TM_END) {
        tm_error_set(err, TM_E_INPUT, "%s: cut short, %llu bytes are missing", tm_buf_cstr(&tar->name),
                     (unsigned long long)(tar->data_end - in->offset));
        tar->data_end = 0;
        if (!tar->tolerant)
            return tm_error_recoverable(err);
        tm_damage_add(&tar->damage, in->offset, err);
    }
    if (st == TM_OK && tar->next > in->offset)
        st = tm_input_advance(in, tar->next - in->offset, err);
    tar->lacks_end = st == TM_END && !tar->is_cut;
    return st;
}

/* Leaves out the member whose header, of LEN bytes of data, was read last. WHY is the cause; it is cleared. */
static void leave_out(struct tm_tar_reader *tar, uint64_t len, struct tm_error *why)
{
    tm_damage_add(&tar->damage, tar->in->offset - T_BLOCKSIZE, why);
    tar->next = tar->in->offset + (len + T_BLOCKSIZE - 1) / T_BLOCKSIZE * T_BLOCKSIZE;
    forget_extensions(tar);
}

enum tm_status tm_tar_next(struct tm_tar_reader *tar, struct tm_tar_entry *entry, struct tm_error *err)
{
    TAR header;
    forget_extensions(tar);
    for (;;) {
        uint64_t size = 0;
        enum tm_status st = pass_member(tar, err);
        if (st == TM_OK)
            st = read_header(tar, &header, err);
        if (st != TM_OK)
            return st;
        if (field_number(header.th_buf.size, sizeof header.th_buf.size, &size))
            st = take_extension(tar, &header, size, err);
        else
            st = damaged(tar->in->offset - T_BLOCKSIZE, "the size in a TAR header is not a number", err);
        bool is_member = st == TM_END;
        if (is_member) {
            size = tar->has_size ? tar->pax_size : size;
            st = show(tar, &header, size, entry, err);
        }
        if (st < 0 && !(st == TM_E_INPUT && tar->tolerant))
            return tm_error_recoverable(err);
        if (st < 0)
            leave_out(tar, size, err);
        else if (is_member)
            return TM_OK;
        else
            tar->next = tar->in->offset + (size + T_BLOCKSIZE - 1) / T_BLOCKSIZE * T_BLOCKSIZE;
    }
}

enum tm_status tm_tar_promises_order(struct tm_input *in, bool *promised, struct tm_error *err)
{
    TAR header;
    uint64_t size;
    struct tm_pax pax = {0};
    *promised = false;
    enum tm_status st = tm_input_fill(in, T_BLOCKSIZE, err);
    if (st != TM_OK || !decode(in->data, &header) || header.th_buf.typeflag != 'g' ||
        !field_number(header.th_buf.size, sizeof header.th_buf.size, &size) || size > TM_PAX_BYTES_MAX)
        return st < 0 ? st : TM_OK;
    st = tm_input_fill(in, T_BLOCKSIZE + (size_t)size, err);
    struct tm_error malformed = {0}; /* reading the header finds and reports it again */
    if (st == TM_OK && tm_pax_parse(&pax, in->data + T_BLOCKSIZE, (size_t)size, &malformed) == TM_OK)
        *promised = pax.in_order;
    return st < 0 ? st : TM_OK;
}

void tm_tar_reader_release(struct tm_tar_reader *tar)
{
    tm_buf_release(&tar->name);
    tm_buf_release(&tar->long_name);
    tm_buf_release(&tar->link);
}
