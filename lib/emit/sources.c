#include "emit/sources.h"

#include "base/hash.h"
#include "os/io.h"
#include "base/map.h"
#include "os/reclaim.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The order of texts is not known. Usually a few sequences of adjacent texts alternate, so the blocks used last are
 * cached. A short text that begins in a block lies in it completely. If blocks prove useless, the next texts are read
 * one by one. */
enum {
    BLOCK_BYTES = 64 << 10,
    BLOCK_SLACK = 8 << 10, /* after a block, for a text that begins at its end */
    BLOCKS = 128,
    PLACES = 1024,
    USEFUL_USES_MIN = 8,     /* a block with this many uses was worth reading */
    USELESS_BLOCKS_MAX = 16, /* this many useless blocks in a row end the use of blocks */
    SINGLE_TEXTS = 1024,
    TEXT_BYTES_MAX = 64 << 20
};

struct source {
    int fd;
    const char *path; /* borrowed */
    uint64_t device, inode;
    bool may_reclaim;    /* permitted by the caller */
    bool has_texts;      /* the stream names it; the next two no longer change */
    uint64_t size_bytes; /* when its texts had all been written */
    bool reclaims;       /* and permitted by the stream */
    struct tm_reclaim reclaim;
};

struct block {
    uint32_t source;  /* plus 1; 0: empty */
    uint32_t uses;
    uint64_t number;
    uint64_t used_at; /* number of the request that used it last */
    size_t bytes;
    uint8_t *mem;
};

struct tm_sources {
    struct source *sources;
    size_t count;
    struct tm_map by_file; /* from a file to the number of its source plus 1; 0: none has its text */
    pthread_mutex_t reclaim_lock; /* for the reclaim of all sources */
    bool has_lock;
};

struct tm_source_reader {
    struct tm_sources *of;
    struct block blocks[BLOCKS];
    /* index of the block found last, by a hash of source and number; often several blocks are read in turns */
    uint8_t places[PLACES];
    uint64_t requests;
    uint32_t useless_blocks, single_texts; /* useless blocks in a row; texts still to be read one by one */
    struct tm_buf single;
};

static enum tm_status open_source(struct source *s, const struct tm_source_path *named, struct tm_error *err)
{
    struct stat info;
    const char *path = named->path;
    *s = (struct source){.path = path, .may_reclaim = named->is_temporary};
    s->fd = open(path, (named->is_temporary ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK);
    s->reclaim.fd = s->fd;
    if (s->fd < 0)
        return tm_error_open(err, errno, "%s: cannot open", path);
    if (fstat(s->fd, &info) != 0)
        return tm_error_errno(err, errno, "%s: cannot read its type", path);
    if (!S_ISREG(info.st_mode))
        return tm_error_set(err, TM_E_INPUT, "%s: not a regular file, as %s requires", path,
                            named->is_temporary ? "--text" : "--source");
    s->device = (uint64_t)info.st_dev;
    s->inode = (uint64_t)info.st_ino;
    return TM_OK;
}

enum tm_status tm_sources_open(const struct tm_source_path *paths, size_t count, struct tm_sources **sources,
                               struct tm_error *err)
{
    struct tm_sources *s = calloc(1, sizeof *s);
    enum tm_status st = TM_OK;
    *sources = s;
    if (s == NULL || (s->sources = calloc(count + 1, sizeof *s->sources)) == NULL)
        return tm_error_nomem(err);
    s->has_lock = pthread_mutex_init(&s->reclaim_lock, NULL) == 0;
    if (!s->has_lock)
        return tm_error_nomem(err);
    while (s->count < count && st == TM_OK) {
        st = open_source(&s->sources[s->count], &paths[s->count], err);
        s->count++;
    }
    return st;
}

enum tm_status tm_sources_add(struct tm_sources *s, const Tracemerge__Source *source, struct tm_error *err)
{
    uint32_t found = 0;
    struct stat info;
    if (s == NULL)
        return TM_OK;
    for (size_t i = 0; i < s->count && found == 0; i++)
        if (s->sources[i].device == source->device && s->sources[i].inode == source->inode)
            found = (uint32_t)i + 1;
    struct source *known = found ? &s->sources[found - 1] : NULL;
    if (known && !known->has_texts) { /* set once, because threads of readers use it later */
        if (fstat(known->fd, &info) != 0)
            return tm_error_errno(err, errno, "%s: cannot read its size", known->path);
        known->has_texts = true;
        known->size_bytes = (uint64_t)info.st_size;
        known->reclaims = known->may_reclaim && source->is_temporary;
    }
    return tm_map_set(&s->by_file, source->file, found) == TM_OK ? TM_OK : tm_error_nomem(err);
}

static enum tm_status failed(const struct source *source, uint64_t offset, enum tm_status st, struct tm_error *err)
{
    if (st == TM_END)
        return tm_error_set(err, TM_E_INPUT, "%s: byte %llu: the file has become shorter since it was unpacked",
                            source->path, (unsigned long long)offset);
    return tm_error_prefix(err, "%s", source->path);
}

static bool is_block(const struct block *b, uint32_t source, uint64_t number)
{
    return b->source == source + 1 && b->number == number;
}

/* Returns the index of block NUMBER of SOURCE, or of the least recently used block. */
static uint32_t find_block(const struct tm_source_reader *r, uint32_t source, uint64_t number)
{
    uint32_t oldest = 0;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        if (is_block(&r->blocks[i], source, number))
            return i;
        if (r->blocks[i].used_at < r->blocks[oldest].used_at)
            oldest = i;
    }
    return oldest;
}

/* Reads block NUMBER of SOURCE into B. After too many useless blocks in a row, the next texts are read one by one. */
static enum tm_status read_block(struct tm_source_reader *r, struct block *b, uint32_t source, uint64_t number,
                                 struct tm_error *err)
{
    const struct source *file = &r->of->sources[source];
    uint64_t start = number * BLOCK_BYTES, left = file->size_bytes - start;
    if (b->source) {
        r->useless_blocks = b->uses < USEFUL_USES_MIN ? r->useless_blocks + 1 : 0;
        r->single_texts = r->useless_blocks >= USELESS_BLOCKS_MAX ? SINGLE_TEXTS : 0;
        r->useless_blocks = r->single_texts ? USELESS_BLOCKS_MAX / 2 : r->useless_blocks;
    }
    if (b->mem == NULL && (b->mem = malloc(BLOCK_BYTES + BLOCK_SLACK)) == NULL)
        return tm_error_nomem(err);
    b->source = 0;
    b->bytes = left < BLOCK_BYTES + BLOCK_SLACK ? (size_t)left : BLOCK_BYTES + BLOCK_SLACK;
    enum tm_status st = tm_io_pread(file->fd, b->mem, b->bytes, start, err);
    if (st != TM_OK)
        return failed(file, start, st, err);
    b->source = source + 1;
    b->number = number;
    b->uses = 0;
    return TM_OK;
}

/* Reads TEXT without a block. */
static enum tm_status read_single(struct tm_source_reader *r, const struct tm_source_text *text, const uint8_t **data,
                                  struct tm_error *err)
{
    const struct source *file = &r->of->sources[text->source];
    tm_buf_clear(&r->single);
    if (tm_buf_reserve(&r->single, (size_t)text->bytes + 1) != TM_OK)
        return tm_error_nomem(err);
    r->single_texts -= r->single_texts > 0;
    *data = r->single.data;
    enum tm_status st = tm_io_pread(file->fd, r->single.data, text->bytes, text->offset, err);
    return st == TM_OK ? TM_OK : failed(file, text->offset, st, err);
}

/* Finds TEXT in a block, or reads it alone. */
static enum tm_status read_text(struct tm_source_reader *r, const struct tm_source_text *text, const uint8_t **data,
                                struct tm_error *err)
{
    const uint32_t source = text->source;
    uint64_t number = text->offset / BLOCK_BYTES;
    uint8_t *place = &r->places[tm_hash_u64(number << 16 ^ source) % PLACES];
    size_t at = (size_t)(text->offset % BLOCK_BYTES);
    if (at + text->bytes > BLOCK_BYTES + BLOCK_SLACK)
        return read_single(r, text, data, err);
    if (!is_block(&r->blocks[*place], source, number))
        *place = (uint8_t)find_block(r, source, number);
    struct block *b = &r->blocks[*place];
    if (!is_block(b, source, number)) {
        if (r->single_texts)
            return read_single(r, text, data, err);
        enum tm_status st = read_block(r, b, source, number, err);
        if (st < 0)
            return st;
    }
    b->uses++;
    b->used_at = ++r->requests;
    *data = b->mem + at;
    return TM_OK;
}

/* Sets the error for TEXT, whose bytes are not those that tm-unpack read. */
static enum tm_status has_changed(struct tm_sources *s, const struct tm_source_text *text, struct tm_error *err)
{
    const struct source *source = &s->sources[text->source];
    (void)pthread_mutex_lock(&s->reclaim_lock);
    bool is_reclaimed = tm_reclaim_has(&source->reclaim, text->offset);
    (void)pthread_mutex_unlock(&s->reclaim_lock);
    return tm_error_set(err, TM_E_INPUT, "%s: byte %llu: %s", source->path, (unsigned long long)text->offset,
                        is_reclaimed ? "the text was freed after its first use, but the stream refers to it again; "
                                  "name the file with --source, not --text"
                                : "the file has changed since it was unpacked");
}

enum tm_status tm_sources_find(const struct tm_sources *s, uint32_t file, const struct tm_json_ref *ref,
                               struct tm_source_text *text, struct tm_error *err)
{
    uint32_t number = 0;
    if (s == NULL || !tm_map_find(&s->by_file, file, &number) || number == 0)
        return TM_END;
    const struct source *source = &s->sources[number - 1];
    if (ref->bytes > TEXT_BYTES_MAX || ref->offset > source->size_bytes ||
        source->size_bytes - ref->offset < ref->bytes)
        return tm_error_set(err, TM_E_INPUT, "%s: byte %llu: the file has become shorter since it was unpacked",
                            source->path, (unsigned long long)ref->offset);
    *text = (struct tm_source_text){.source = number - 1,
                                    .bytes = ref->bytes,
                                    .checksum = ref->checksum,
                                    .offset = ref->offset,
                                    .before = ref->before};
    return TM_OK;
}

struct tm_source_reader *tm_source_reader_new(struct tm_sources *sources)
{
    struct tm_source_reader *r = calloc(1, sizeof *r);
    if (r)
        r->of = sources;
    return r;
}

/* Reclaims the storage of TEXT, which will not be read again. */
static void reclaim(struct tm_sources *s, const struct tm_source_text *text)
{
    (void)pthread_mutex_lock(&s->reclaim_lock);
    tm_reclaim_add(&s->sources[text->source].reclaim, text->offset - text->before, text->before + text->bytes);
    (void)pthread_mutex_unlock(&s->reclaim_lock);
}

enum tm_status tm_source_reader_read(struct tm_source_reader *r, const struct tm_source_text *text,
                                     const uint8_t **data, struct tm_error *err)
{
    struct source *source = &r->of->sources[text->source];
    enum tm_status st = read_text(r, text, data, err);
    if (st < 0)
        return st;
    if (tm_json_ref_checksum(*data, text->bytes) != text->checksum)
        return has_changed(r->of, text, err);
    if (text->bytes == 0 || **data != '{')
        return tm_error_set(err, TM_E_INPUT, "%s: byte %llu: the text of an event is not a JSON object", source->path,
                            (unsigned long long)text->offset);
    if (source->reclaims && text->before <= text->offset)
        reclaim(r->of, text);
    return TM_OK;
}

void tm_source_reader_free(struct tm_source_reader *r)
{
    if (r == NULL)
        return;
    for (int i = 0; i < BLOCKS; i++)
        free(r->blocks[i].mem);
    tm_buf_release(&r->single);
    free(r);
}

void tm_sources_free(struct tm_sources *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->count; i++) {
        if (s->sources[i].fd >= 0)
            (void)close(s->sources[i].fd);
        tm_reclaim_release(&s->sources[i].reclaim);
    }
    free(s->sources);
    tm_map_release(&s->by_file);
    if (s->has_lock)
        (void)pthread_mutex_destroy(&s->reclaim_lock);
    free(s);
}
