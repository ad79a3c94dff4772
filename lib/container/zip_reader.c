#include "container/zip_reader.h"

#include "base/bytes.h"
#include "container/inflater.h"
#include "container/limits.h"
#include "container/zip_format.h"

#include <errno.h>
#include <minizip/unzip.h>
#include <stdlib.h>
#include <sys/stat.h>

enum {
    ZIP_CACHE_BYTES = 32 << 10,
    ZIP_FIRST_READ_BYTES = 4096,
    ZIP_HOST_UNIX = 3,
    RAW_READ_MAX = 1 << 20,
    MEMBER_READ_MAX = 1 << 20,
    ZIP_COUNT_UNKNOWN = 0xffff, /* the end record's largest count: this many members, or more */
    CENTRAL_BYTES = 46, /* size of a header of the directory; name and extra field follow (APPNOTE 4.3.12) */
    END_BYTES = 22, /* the end record, before its comment (APPNOTE 4.3.16) */
    END_MAGIC = 0x06054b50,
    LOCATOR_BYTES = 20,
    LOCATOR_MAGIC = 0x07064b50,
    TAIL_BYTES = END_BYTES + 0xffff,
    IN_ZIP64 = 0xffffffff, /* the value is in the extra field */
    REFUSAL_BYTES = 96
};

struct tm_zip_reader {
    unzFile file;
    struct tm_extent extent;
    struct tm_zip_rest rest;
    uint64_t at;             /* minizip's position */
    struct tm_error io;      /* why reading failed */
    uint64_t packed_bytes;   /* of all members so far that fit */
    uint64_t count;
    bool member_open, ended; /* a member is open; its data has ended */
    uint64_t left;           /* bytes left of the current member */
    uint64_t offset;
    bool deflated;
    uint32_t crc, wanted_crc; /* of the bytes so far; of all bytes, as the directory states it */
    struct tm_input raw;     /* the current member's stored bytes */
    struct tm_inflater inflater;
    struct tm_damage *damage;
    size_t cache_bytes;
    uint64_t cache_at;
    uint8_t cache[ZIP_CACHE_BYTES];
    char name[TM_NAME_BYTES_MAX + 1];
    char refusal[REFUSAL_BYTES];
};

/* The functions io_* give minizip access to the extent. */
static voidpf ZCALLBACK io_open(voidpf opaque, const void *path, int mode)
{
    (void)path;
    (void)mode;
    return opaque;
}

static uLong ZCALLBACK io_read(voidpf opaque, voidpf stream, void *buf, uLong size)
{
    struct tm_zip_reader *zip = stream;
    uint8_t *to = buf;
    uLong done = 0;
    (void)opaque;
    while (done < size && zip->at < zip->extent.len) {
        if (zip->at < zip->cache_at || zip->at >= zip->cache_at + zip->cache_bytes) {
            uint64_t left = zip->extent.len - zip->at;
            size_t want = left < ZIP_CACHE_BYTES ? (size_t)left : ZIP_CACHE_BYTES;
            zip->cache_bytes = 0;
            if (tm_extent_read(&zip->extent, zip->at, zip->cache, want, &zip->io) < 0)
                break;
            zip->cache_at = zip->at;
            zip->cache_bytes = want;
        }
        size_t from = (size_t)(zip->at - zip->cache_at), n = zip->cache_bytes - from;
        if (n > size - done)
            n = size - done;
        memcpy(to + done, zip->cache + from, n);
        zip->at += n;
        done += n;
    }
    return done;
}

static uLong ZCALLBACK io_write(voidpf opaque, voidpf stream, const void *buf, uLong size)
{
    (void)opaque;
    (void)stream;
    (void)buf;
    (void)size;
    return 0;
}

static ZPOS64_T ZCALLBACK io_tell(voidpf opaque, voidpf stream)
{
    (void)opaque;
    return ((struct tm_zip_reader *)stream)->at;
}

static long ZCALLBACK io_seek(voidpf opaque, voidpf stream, ZPOS64_T offset, int origin)
{
    struct tm_zip_reader *zip = stream;
    uint64_t base = origin == ZLIB_FILEFUNC_SEEK_CUR ? zip->at : origin == ZLIB_FILEFUNC_SEEK_END ? zip->extent.len : 0;
    (void)opaque;
    if (offset > zip->extent.len || base > zip->extent.len - offset)
        return -1;
    zip->at = base + offset;
    return 0;
}

static int ZCALLBACK io_close(voidpf opaque, voidpf stream)
{
    (void)opaque;
    (void)stream;
    return 0;
}

static int ZCALLBACK io_error(voidpf opaque, voidpf stream)
{
    (void)opaque;
    return ((struct tm_zip_reader *)stream)->io.status != TM_OK;
}

/* Reports a failure of minizip: the read error if there was one, else CAUSE. */
static enum tm_status failed(struct tm_zip_reader *zip, const char *cause, struct tm_error *err)
{
    if (zip->io.status == TM_OK)
        return tm_error_set(err, TM_E_INPUT, "%s", cause);
    return tm_error_set(err, zip->io.status, "%s", zip->io.text);
}

/* True if minizip lacked memory. Without memory it reports that there is no directory, or uses the old one of a
 * ZIP64. Only malloc tells the difference: errno was 0 before, and a failure to read is in zip->io. */
static bool lacked_memory(const struct tm_zip_reader *zip)
{
    return errno == ENOMEM && zip->io.status == TM_OK;
}

/* True if an end record is at AT of TAIL. TAIL has the last LEN bytes of the ZIP and begins at BASE. The record's
 * comment must end with the ZIP, and the record must stand after the directory that it describes, or after the locator
 * of a ZIP64. Bytes of a comment can look like an end record. */
static bool is_end(const uint8_t *tail, size_t len, size_t at, uint64_t base)
{
    const uint8_t *p = tail + at;
    if (tm_get_le32(p) != END_MAGIC || at + END_BYTES + tm_get_le16(p + 20) != len)
        return false;
    if (at >= LOCATOR_BYTES && tm_get_le32(p - LOCATOR_BYTES) == LOCATOR_MAGIC)
        return true;
    return tm_get_le16(p + 10) > 0 && (uint64_t)tm_get_le32(p + 16) + tm_get_le32(p + 12) == base + at;
}

static bool is_padding(uint8_t byte)
{
    return byte == '\0' || byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* Returns what is around the ZIP if no end record stands where it should. minizip then uses the last one in TAIL, which
 * has the last LEN bytes and begins at BASE, and takes bytes in front of the directory for a program. */
static struct tm_zip_rest find_rest(const uint8_t *tail, size_t len, uint64_t base)
{
    struct tm_zip_rest rest = {0};
    size_t at = len < END_BYTES ? 0 : len - END_BYTES;
    while (at > 0 && tm_get_le32(tail + at) != END_MAGIC)
        at--;
    if (at == 0)
        return rest;
    const uint8_t *p = tail + at;
    uint64_t directory_end = (uint64_t)tm_get_le32(p + 16) + tm_get_le32(p + 12);
    bool is_zip64 = at >= LOCATOR_BYTES && tm_get_le32(p - LOCATOR_BYTES) == LOCATOR_MAGIC;
    rest.before = directory_end < base + at && !is_zip64 ? base + at - directory_end : 0;
    size_t end = at + END_BYTES + tm_get_le16(p + 20);
    while (len > end && is_padding(tail[len - 1]))
        len--;
    rest.after = len > end ? len - end : 0;
    return rest;
}

/* Finds the end record and takes the comment after it off the extent. This is needed because minizip believes the last
 * bytes that look like an end record. If none is found, the extent stays as it is. */
static enum tm_status find_end(struct tm_zip_reader *zip, struct tm_error *err)
{
    size_t len = zip->extent.len < TAIL_BYTES ? (size_t)zip->extent.len : TAIL_BYTES;
    uint64_t base = zip->extent.len - len;
    unsigned found = 0;
    uint8_t *tail = malloc(len + 1);
    if (tail == NULL)
        return tm_error_nomem(err);
    enum tm_status st = tm_extent_read(&zip->extent, base, tail, len, err);
    for (size_t at = len; st == TM_OK && at-- > 0;) {
        if (at + END_BYTES <= len && tail[at] == 'P' && is_end(tail, len, at, base)) {
            zip->extent.len = base + at + END_BYTES;
            if (++found > 1)
                st = tm_error_set(err, TM_E_INPUT, "the ZIP has two possible central directories");
        }
    }
    if (st == TM_OK && found == 0)
        zip->rest = find_rest(tail, len, base);
    free(tail);
    return st;
}

struct tm_zip_rest tm_zip_rest(const struct tm_zip_reader *zip)
{
    return zip->rest;
}

enum tm_status tm_zip_new(struct tm_zip_reader **out, const struct tm_extent *extent, struct tm_error *err)
{
    struct tm_zip_reader *zip = calloc(1, sizeof *zip);
    if (zip == NULL)
        return tm_error_nomem(err);
    zip->extent = *extent;
    unz_global_info64 global;
    zlib_filefunc64_def functions = {.zopen64_file = io_open,
                                     .zread_file = io_read,
                                     .zwrite_file = io_write,
                                     .ztell64_file = io_tell,
                                     .zseek64_file = io_seek,
                                     .zclose_file = io_close,
                                     .zerror_file = io_error,
                                     .opaque = zip};
    enum tm_status st = find_end(zip, err);
    if (st < 0) {
        tm_zip_free(zip);
        return st;
    }
    errno = 0;
    zip->file = unzOpen2_64("", &functions);
    if (lacked_memory(zip))
        st = tm_error_nomem(err);
    else if (zip->file == NULL)
        st = failed(zip, "the ZIP has no central directory; it is cut short or damaged", err);
    if (st == TM_OK && unzGetGlobalInfo64(zip->file, &global) == UNZ_OK && global.number_entry == 0)
        st = tm_error_set(err, TM_E_INPUT, "the ZIP's central directory names no member, but the ZIP begins with one");
    if (st == TM_OK)
        *out = zip;
    else
        tm_zip_free(zip);
    return st;
}

/* Moves to the next member of the directory. */
static enum tm_status move_on(struct tm_zip_reader *zip, struct tm_error *err)
{
    unz_global_info64 global;
    if (unzGetGlobalInfo64(zip->file, &global) != UNZ_OK)
        return failed(zip, "the ZIP's central directory is damaged", err);
    if (zip->count == 0 && global.number_entry == 0)
        return TM_END;
    int answer = zip->count == 0 ? unzGoToFirstFile(zip->file) : unzGoToNextFile(zip->file);
    if (answer == UNZ_END_OF_LIST_OF_FILE)
        return TM_END;
    if (answer == UNZ_BADZIPFILE && zip->count == ZIP_COUNT_UNKNOWN && global.number_entry == ZIP_COUNT_UNKNOWN)
        return TM_END;
    if (answer != UNZ_OK)
        return failed(zip, "the ZIP's central directory is damaged", err);
    zip->count++;
    return TM_OK;
}

/* Sets the refusal of ENTRY if the member of INFO cannot be read. */
static void refuse(struct tm_zip_reader *zip, const unz_file_info64 *info, struct tm_zip_entry *entry)
{
    bool fits = info->compressed_size <= zip->extent.len - zip->packed_bytes;
    zip->packed_bytes += fits ? info->compressed_size : 0;
    entry->refusal = zip->refusal;
    if (strlen(zip->name) != info->size_filename) {
        snprintf(zip->refusal, sizeof zip->refusal, "a name with a NUL in it");
        entry->is_damaged = true;
    } else if (info->flag & TM_ZIP_ENCRYPTED) {
        snprintf(zip->refusal, sizeof zip->refusal, "encrypted, which is not supported");
    } else if (info->compression_method != TM_ZIP_STORED && info->compression_method != TM_ZIP_DEFLATED) {
        snprintf(zip->refusal, sizeof zip->refusal, "compressed by method %lu; only stored and deflated are supported",
                 info->compression_method);
    } else if (!fits) {
        snprintf(zip->refusal, sizeof zip->refusal,
                 "the members' compressed data is larger than the ZIP, or overlaps");
        entry->is_damaged = true;
    } else {
        entry->refusal = NULL;
    }
}

enum tm_status tm_zip_next(struct tm_zip_reader *zip, struct tm_zip_entry *entry, struct tm_error *err)
{
    unz_file_info64 info;
    unz64_file_pos place;
    enum tm_status st = move_on(zip, err);
    if (st != TM_OK)
        return st;
    if (unzGetCurrentFileInfo64(zip->file, &info, zip->name, sizeof zip->name - 1, NULL, 0, NULL, 0) != UNZ_OK ||
        unzGetFilePos64(zip->file, &place) != UNZ_OK)
        return failed(zip, "the ZIP's central directory is damaged", err);
    zip->name[info.size_filename] = '\0'; /* at most 65535 bytes */
    *entry = (struct tm_zip_entry){.name = zip->name,
                                   .name_bytes = strlen(zip->name),
                                   .size_bytes = info.uncompressed_size,
                                   .place = {place.pos_in_zip_directory, place.num_of_file}};
    bool is_link = info.version >> 8 == ZIP_HOST_UNIX && S_ISLNK((mode_t)(info.external_fa >> 16));
    bool is_directory = entry->name_bytes > 0 && entry->name[entry->name_bytes - 1] == '/';
    entry->is_file = !is_link && !is_directory;
    if (entry->is_file)
        refuse(zip, &info, entry);
    return TM_OK;
}

/* Returns the offset of the local header. It is in the ZIP64 record of the extra field, after any sizes. Returns OFFSET
 * if there is no such record. */
static uint64_t zip64_offset(const uint8_t *central, const uint8_t *p, const uint8_t *end, uint64_t offset)
{
    size_t skip = (tm_get_le32(central + 24) == IN_ZIP64 ? 8 : 0) + (tm_get_le32(central + 20) == IN_ZIP64 ? 8 : 0);
    for (size_t len; end - p >= 4; p += len) {
        bool is_zip64 = tm_get_le16(p) == TM_ZIP_EXTRA_ZIP64;
        len = tm_get_le16(p + 2);
        p += 4;
        if (len > (size_t)(end - p))
            break;
        if (is_zip64 && len >= skip + 8)
            return tm_get_le64(p + skip);
    }
    return offset;
}

enum tm_status tm_zip_local(struct tm_zip_reader *zip, const uint64_t place[2], uint64_t at[2], struct tm_error *err)
{
    uint8_t central[CENTRAL_BYTES];
    struct tm_buf extra = {0};
    const struct tm_extent *all = &zip->extent;
    uint64_t offset = UINT64_MAX;
    enum tm_status st = TM_OK;
    if (all->len < CENTRAL_BYTES || place[0] > all->len - CENTRAL_BYTES)
        return tm_error_set(err, TM_E_INPUT, "the ZIP's central directory is damaged");
    if ((st = tm_extent_read(all, place[0], central, sizeof central, err)) < 0)
        return st;
    size_t name_bytes = tm_get_le16(central + 28), extra_bytes = tm_get_le16(central + 30);
    uint64_t left = all->len - place[0] - CENTRAL_BYTES;
    if (tm_get_le32(central) == TM_ZIP_CENTRAL_MAGIC && left >= name_bytes && left - name_bytes >= extra_bytes)
        offset = tm_get_le32(central + 42);
    if (offset == IN_ZIP64 && extra_bytes > 0) {
        if (tm_buf_reserve(&extra, extra_bytes) != TM_OK)
            return tm_error_nomem(err);
        st = tm_extent_read(all, place[0] + CENTRAL_BYTES + name_bytes, extra.data, extra_bytes, err);
        if (st == TM_OK)
            offset = zip64_offset(central, extra.data, extra.data + extra_bytes, offset);
        tm_buf_release(&extra);
    }
    if (st == TM_OK && offset >= all->len)
        st = tm_error_set(err, TM_E_INPUT, "the ZIP's central directory is damaged");
    at[0] = offset;
    at[1] = all->len - offset;
    return st;
}

/* Reads the member's stored bytes. minizip neither inflates nor checks them. */
static enum tm_status raw_read(void *source, uint8_t *data, size_t len, size_t *got, struct tm_error *err)
{
    struct tm_zip_reader *zip = source;
    int n = unzReadCurrentFile(zip->file, data, len < RAW_READ_MAX ? (unsigned)len : RAW_READ_MAX);
    *got = n > 0 ? (size_t)n : 0;
    return n < 0 ? failed(zip, "the member's data cannot be read", err) : n == 0 ? TM_END : TM_OK;
}

/* Closes the member of SOURCE, a struct tm_zip_reader, if one is open. */
static void close_member(void *source)
{
    struct tm_zip_reader *zip = source;
    if (!zip->member_open)
        return;
    zip->member_open = false;
    (void)unzCloseCurrentFile(zip->file);
    tm_input_release(&zip->raw);
    tm_inflater_release(&zip->inflater);
}

/* Ends the member's data, with CAUSE if it is damaged. */
static enum tm_status end_member(struct tm_zip_reader *zip, const char *cause, struct tm_error *err)
{
    close_member(zip);
    if (cause == NULL && zip->left > 0)
        cause = "the data is shorter than the directory says";
    if (cause == NULL && zip->crc != zip->wanted_crc)
        cause = "the CRC does not match";
    zip->left = 0;
    if (cause == NULL)
        return TM_END;
    enum tm_status st = zip->io.status != TM_OK
                            ? failed(zip, cause, err)
                            : tm_error_at(err, zip->offset, "%s", cause);
    if (st != TM_E_INPUT || zip->damage == NULL)
        return st;
    tm_damage_add(zip->damage, zip->offset, err);
    return TM_END;
}

/* Reads some of the member's bytes. *GOT may be 0. TM_END: no more follow. */
static enum tm_status some(struct tm_zip_reader *zip, uint8_t *data, size_t len, size_t *got, struct tm_error *err)
{
    if (zip->deflated)
        return tm_inflater_read(&zip->inflater, data, len, got, err);
    enum tm_status st = tm_input_fill(&zip->raw, 1, err);
    *got = st == TM_OK && len < zip->raw.len ? len : st == TM_OK ? zip->raw.len : 0;
    if (*got)
        memcpy(data, zip->raw.data, *got);
    tm_input_skip(&zip->raw, *got);
    return st;
}

static enum tm_status member_read(void *source, uint8_t *data, size_t len, size_t *got, struct tm_error *err)
{
    struct tm_zip_reader *zip = source;
    struct tm_error why = {0};
    enum tm_status st = TM_OK;
    *got = 0;
    if (!zip->member_open)
        return TM_END;
    if (zip->ended)
        return end_member(zip, NULL, err);
    /* The first read is short, because many callers only sniff. */
    size_t most = zip->offset == 0 ? ZIP_FIRST_READ_BYTES : MEMBER_READ_MAX;
    while (st == TM_OK && *got == 0)
        st = some(zip, data, len < most ? len : most, got, &why);
    if (st == TM_E_SYSTEM)
        return tm_error_set(err, st, "%s", why.text);
    if (st < 0)
        return end_member(zip, "the compressed data is damaged", err);
    if (*got > zip->left) {
        *got = 0;
        return end_member(zip, "the data is longer than the directory says", err);
    }
    zip->ended = st == TM_END;
    zip->left -= *got;
    zip->offset += *got;
    zip->crc = tm_inflater_crc32(zip->crc, data, *got);
    return *got > 0 ? TM_OK : end_member(zip, NULL, err);
}

enum tm_status tm_zip_open(struct tm_zip_reader *zip, const uint64_t place[2], struct tm_damage *damage,
                           struct tm_input *input, struct tm_error *err)
{
    static const struct tm_input_ops ops = {.read = member_read, .close = close_member}, raw_ops = {.read = raw_read};
    unz64_file_pos position = {.pos_in_zip_directory = place[0], .num_of_file = place[1]};
    unz_file_info64 info;
    int method, level;
    if (unzGoToFilePos64(zip->file, &position) != UNZ_OK ||
        unzGetCurrentFileInfo64(zip->file, &info, NULL, 0, NULL, 0, NULL, 0) != UNZ_OK)
        return failed(zip, "the ZIP's central directory is damaged", err);
    int answer = unzOpenCurrentFile2(zip->file, &method, &level, 1);
    if (answer == UNZ_INTERNALERROR) /* minizip's answer if there is no memory */
        return tm_error_nomem(err);
    if (answer != UNZ_OK)
        return failed(zip, "the member's own header is damaged or contradicts the directory", err);
    zip->member_open = true;
    zip->ended = false;
    zip->left = info.uncompressed_size;
    zip->offset = 0;
    zip->deflated = method == TM_ZIP_DEFLATED;
    zip->crc = 0;
    zip->wanted_crc = (uint32_t)info.crc;
    zip->damage = damage;
    tm_input_init(&zip->raw, &raw_ops, zip);
    tm_input_init(input, &ops, zip);
    return zip->deflated ? tm_inflater_init(&zip->inflater, TM_INFLATER_RAW, &zip->raw, err) : TM_OK;
}

void tm_zip_free(struct tm_zip_reader *zip)
{
    if (zip == NULL)
        return;
    close_member(zip);
    if (zip->file)
        unzClose(zip->file);
    free(zip);
}
