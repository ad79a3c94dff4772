#include "container/zip_walk.h"

#include "base/bytes.h"
#include "container/zip_format.h"

#include <stdlib.h>
#include <zlib.h>

enum {
    LOCAL_BYTES = 30, /* size of a local file header; name and extra field follow (APPNOTE 4.3.7) */
    LOCAL_MAGIC = 0x04034b50,
    FLAG_DATA_DESCRIPTOR = 8,
    FIRST_READ_BYTES = 4096 /* enough to sniff */
};

struct local_header {
    uint16_t flags, method;
    uint32_t crc;
    uint64_t packed_bytes, size_bytes;
    size_t header_bytes, name_bytes;
    bool has_sizes;
};

/* Takes the sizes out of the ZIP64 record of an extra field. */
static void take_zip64(struct local_header *local, const uint8_t *p, const uint8_t *end)
{
    while (end - p >= 4) {
        size_t id = tm_get_le16(p), len = tm_get_le16(p + 2);
        p += 4;
        if (len > (size_t)(end - p))
            return;
        if (id == TM_ZIP_EXTRA_ZIP64 && len >= 16) {
            local->size_bytes = tm_get_le64(p);
            local->packed_bytes = tm_get_le64(p + 8);
        }
        p += len;
    }
}

/* Reads the header at the front of IN; its name is in the window after LOCAL_BYTES. TM_END: there is none. */
static enum tm_status read_local(struct tm_input *in, struct local_header *local, struct tm_error *err)
{
    enum tm_status st = tm_input_fill(in, LOCAL_BYTES, err);
    if (st != TM_OK || tm_get_le32(in->data) != LOCAL_MAGIC)
        return st < 0 ? st : TM_END;
    size_t name_bytes = tm_get_le16(in->data + 26), extra_bytes = tm_get_le16(in->data + 28);
    if ((st = tm_input_fill(in, LOCAL_BYTES + name_bytes + extra_bytes, err)) != TM_OK)
        return st;
    const uint8_t *p = in->data, *extra = p + LOCAL_BYTES + name_bytes;
    *local = (struct local_header){.flags = tm_get_le16(p + 6),
                                   .method = tm_get_le16(p + 8),
                                   .crc = tm_get_le32(p + 14),
                                   .packed_bytes = tm_get_le32(p + 18),
                                   .size_bytes = tm_get_le32(p + 22),
                                   .header_bytes = LOCAL_BYTES + name_bytes + extra_bytes,
                                   .name_bytes = name_bytes};
    take_zip64(local, extra, extra + extra_bytes);
    local->has_sizes = !(local->flags & FLAG_DATA_DESCRIPTOR) || local->packed_bytes > 0;
    return TM_OK;
}

static bool is_readable(const struct local_header *local)
{
    return !(local->flags & TM_ZIP_ENCRYPTED) &&
           (local->method == TM_ZIP_DEFLATED || (local->method == TM_ZIP_STORED && local->has_sizes));
}

/* The data of one member that is being read. zlib inflates it instead of an inflater: after a small read, ISA-L does
 * not give out what it decoded before damage, and that is what is salvaged here. */
struct member_source {
    struct tm_input *packed; /* own, or that of the walk */
    struct tm_input own;
    struct local_header local;
    uint64_t packed_left;    /* stored: its size; deflated: the largest size it may have */
    struct tm_damage *damage;
    z_stream z;
    uint32_t crc;
    uint64_t given_bytes;
    bool ended;
};

/* Ends the data; damage in it is noted. */
static enum tm_status end_data(struct member_source *m, const char *cause)
{
    struct tm_error why = {0};
    m->ended = true;
    if (cause == NULL && m->local.has_sizes && (m->given_bytes != m->local.size_bytes || m->crc != m->local.crc))
        cause = "the CRC or the length does not match";
    if (cause) {
        tm_error_set(&why, TM_E_INPUT, "byte %llu: %s", (unsigned long long)m->given_bytes, cause);
        tm_damage_add(m->damage, m->given_bytes, &why);
    }
    return TM_END;
}

/* Reads some of a stored or deflated member. TM_END after end_data. */
static enum tm_status give(struct member_source *m, uint8_t *data, size_t len, size_t *got, struct tm_error *err)
{
    enum tm_status st = m->packed_left > 0 ? tm_input_fill(m->packed, 1, err) : TM_END;
    if (st < 0)
        return st;
    if (st == TM_END)
        return end_data(m, m->packed_left > 0 || m->local.method == TM_ZIP_DEFLATED ? "cut short" : NULL);
    size_t have = m->packed->len < m->packed_left ? m->packed->len : (size_t)m->packed_left;
    size_t taken;
    int answer = Z_OK;
    if (m->local.method == TM_ZIP_STORED) {
        *got = taken = have < len ? have : len;
        memcpy(data, m->packed->data, taken);
    } else {
        m->z.next_in = (Bytef *)(uintptr_t)m->packed->data;
        m->z.avail_in = (uInt)(have < (1 << 20) ? have : 1 << 20);
        m->z.next_out = data;
        m->z.avail_out = (uInt)(len < (1 << 20) ? len : 1 << 20);
        uInt in_before = m->z.avail_in, out_before = m->z.avail_out;
        answer = inflate(&m->z, Z_NO_FLUSH);
        taken = in_before - m->z.avail_in;
        *got = out_before - m->z.avail_out;
    }
    tm_input_skip(m->packed, taken);
    m->packed_left -= taken;
    m->given_bytes += *got;
    m->crc = (uint32_t)crc32(m->crc, data, (uInt)*got);
    if (answer == Z_STREAM_END)
        end_data(m, NULL);
    else if (answer == Z_MEM_ERROR)
        return tm_error_nomem(err);
    else if (answer != Z_OK && !(answer == Z_BUF_ERROR && (taken > 0 || *got > 0)))
        end_data(m, "the compressed data is damaged");
    return TM_OK;
}

static enum tm_status member_read(void *source, uint8_t *data, size_t len, size_t *got, struct tm_error *err)
{
    struct member_source *m = source;
    size_t most = m->given_bytes == 0 ? FIRST_READ_BYTES : 1 << 20;
    enum tm_status st = TM_OK;
    *got = 0;
    while (st == TM_OK && *got == 0)
        st = m->ended ? TM_END : give(m, data, len < most ? len : most, got, err);
    return st;
}

static enum tm_status source_init(struct member_source *m, struct tm_input *packed, const struct local_header *local,
                                  struct tm_damage *damage, struct tm_error *err)
{
    m->packed = packed;
    m->local = *local;
    m->packed_left = local->has_sizes ? local->packed_bytes : UINT64_MAX;
    m->damage = damage;
    return inflateInit2(&m->z, -MAX_WBITS) == Z_OK ? TM_OK : tm_error_nomem(err);
}

static void member_close(void *source)
{
    struct member_source *m = source;
    inflateEnd(&m->z);
    tm_input_release(&m->own);
    free(m);
}

enum tm_status tm_zip_walk_open(const struct tm_extent *extent, const uint64_t place[2], struct tm_damage *damage,
                                struct tm_input *input, struct tm_error *err)
{
    static const struct tm_input_ops ops = {.read = member_read, .close = member_close};
    struct tm_extent part = {.fd = extent->fd, .start = extent->start + place[0], .len = place[1],
                             .is_temporary = extent->is_temporary};
    struct local_header local = {0};
    struct member_source *m = calloc(1, sizeof *m);
    if (m == NULL)
        return tm_error_nomem(err);
    enum tm_status st = tm_extent_open(&part, &m->own, err);
    if (st == TM_OK)
        st = read_local(&m->own, &local, err);
    if (st == TM_OK && !is_readable(&local))
        st = TM_END;
    if (st == TM_OK)
        st = source_init(m, &m->own, &local, damage, err);
    if (st == TM_OK) {
        tm_input_skip(&m->own, local.header_bytes);
        tm_input_init(input, &ops, m);
        return TM_OK;
    }
    member_close(m);
    return st == TM_END ? tm_error_set(err, TM_E_INPUT, "the member's header is gone") : st;
}

/* Inflates the packed data at the front of the walk's input, to find its length and the size of the data. */
static enum tm_status measure(struct tm_zip_walk *walk, struct local_header *local, struct tm_error *err)
{
    struct tm_damage damage = {0};
    struct member_source m = {0};
    uint8_t scratch[16384];
    size_t got;
    uint64_t start = walk->in.offset;
    enum tm_status st = source_init(&m, &walk->in, local, &damage, err);
    while (st == TM_OK)
        st = member_read(&m, scratch, sizeof scratch, &got, err);
    inflateEnd(&m.z);
    local->size_bytes = m.given_bytes;
    local->packed_bytes = walk->in.offset - start;
    return st == TM_END ? TM_OK : st;
}

/* Moves on to the next local header. TM_END: only the directory or nothing follows. */
static enum tm_status find_header(struct tm_zip_walk *walk, struct tm_error *err)
{
    struct tm_input *in = &walk->in;
    enum tm_status st;
    while ((st = tm_input_fill(in, 4, err)) == TM_OK) {
        uint32_t magic = tm_get_le32(in->data);
        if (magic == LOCAL_MAGIC)
            return TM_OK;
        if (magic == TM_ZIP_CENTRAL_MAGIC)
            return TM_END;
        const uint8_t *p = memchr(in->data + 1, 'P', in->len - 1);
        tm_input_skip(in, p ? (size_t)(p - in->data) : in->len);
    }
    return st;
}

/* Skips the data of the member with the header LOCAL, which was just read, to find its sizes. */
static enum tm_status pass_data(struct tm_zip_walk *walk, struct local_header *local, struct tm_error *err)
{
    if (!local->has_sizes)
        return measure(walk, local, err);
    enum tm_status st = tm_input_advance(&walk->in, local->packed_bytes, err);
    return st < 0 ? st : TM_OK;
}

enum tm_status tm_zip_walk_init(struct tm_zip_walk *walk, const struct tm_extent *extent, struct tm_error *err)
{
    walk->skipped_bytes = 0;
    walk->end = extent->len;
    return tm_extent_open(extent, &walk->in, err);
}

enum tm_status tm_zip_walk_next(struct tm_zip_walk *walk, struct tm_zip_entry *entry, struct tm_error *err)
{
    enum tm_status st;
    while ((st = find_header(walk, err)) == TM_OK) {
        struct local_header local;
        uint64_t at = walk->in.offset;
        if ((st = read_local(&walk->in, &local, err)) != TM_OK)
            return st;
        memcpy(walk->name, walk->in.data + LOCAL_BYTES, local.name_bytes);
        walk->name[local.name_bytes] = '\0';
        bool readable = is_readable(&local) && strlen(walk->name) == local.name_bytes;
        tm_input_skip(&walk->in, readable ? local.header_bytes : 4);
        if (!readable) {
            walk->skipped_bytes += local.has_sizes ? local.packed_bytes : 0;
            continue;
        }
        if ((st = pass_data(walk, &local, err)) < 0)
            return st;
        uint64_t left = walk->end - at;
        uint64_t len = local.packed_bytes < left ? local.header_bytes + local.packed_bytes : left;
        *entry = (struct tm_zip_entry){.name = walk->name,
                                       .name_bytes = local.name_bytes,
                                       .size_bytes = local.size_bytes,
                                       .place = {at, len < left ? len : left},
                                       .is_file = local.name_bytes == 0 || walk->name[local.name_bytes - 1] != '/'};
        return TM_OK;
    }
    return st;
}

void tm_zip_walk_release(struct tm_zip_walk *walk)
{
    tm_input_release(&walk->in);
}
