#include "sort/run_file.h"

#include "os/io.h"

#include <stdlib.h>

enum { CHUNK_HEAD_BYTES = 24, RUN_OUT_BYTES = 256 << 10 };

static void put_chunk(uint8_t *p, const struct tm_run_chunk *chunk)
{
    tm_put_le32(p, chunk->count);
    tm_put_le32(p + 4, chunk->columns);
    tm_put_le64(p + 8, chunk->payload_bytes);
    tm_put_le64(p + 16, chunk->sequence);
}

static struct tm_run_chunk get_chunk(const uint8_t *p)
{
    return (struct tm_run_chunk){tm_get_le32(p), tm_get_le32(p + 4), tm_get_le64(p + 8), tm_get_le64(p + 16)};
}

static enum tm_status name_file(enum tm_status st, const struct tm_run_file *file, struct tm_error *err)
{
    if (st < 0)
        tm_error_prefix(err, "%s: temporary file", file->file.dir);
    return st;
}

static enum tm_status send(struct tm_run_writer *w, const void *data, size_t len, struct tm_error *err)
{
    return name_file(tm_temporary_file_add(&w->file->file, data, len, err), w->file, err);
}

static enum tm_status flush(struct tm_run_writer *w, struct tm_error *err)
{
    enum tm_status st = w->out.len ? send(w, w->out.data, w->out.len, err) : TM_OK;
    tm_buf_clear(&w->out);
    return st;
}

static enum tm_status put(struct tm_run_writer *w, const void *data, size_t len, struct tm_error *err)
{
    if (w->out.len + len > RUN_OUT_BYTES) {
        enum tm_status st = flush(w, err);
        if (st < 0 || len >= RUN_OUT_BYTES)
            return st < 0 ? st : send(w, data, len, err);
    }
    return tm_buf_add(&w->out, data, len) == TM_OK ? TM_OK : tm_error_nomem(err);
}

enum tm_status tm_run_writer_begin(struct tm_run_writer *w, struct tm_run_file *file,
                                   const struct tm_file_order *orders, uint64_t sequence, struct tm_error *err)
{
    w->file = file;
    w->orders = orders;
    w->sequence = sequence;
    w->begun = false;
    tm_buf_clear(&w->out);
    enum tm_status st = tm_temporary_file_open(&file->file, err);
    file->reclaim.fd = file->file.fd;
    w->run = (struct tm_run){.start = file->file.len};
    return st;
}

enum tm_status tm_run_writer_write(void *writer, const struct tm_batch *batch, struct tm_error *err)
{
    struct tm_run_writer *w = writer;
    uint8_t head[CHUNK_HEAD_BYTES];
    struct tm_run_chunk chunk = {.count = batch->count, .payload_bytes = batch->payload_bytes, .sequence = w->sequence};
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++)
        chunk.columns |= (uint32_t)(batch->cols[c].mask & 1) << c;
    put_chunk(head, &chunk);
    enum tm_status st = put(w, head, sizeof head, err);
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT && st == TM_OK; c++) {
        size_t elements = batch->cols[c].mask ? batch->count : 1;
        st = put(w, batch->cols[c].data, elements * tm_column_width((enum tm_column)c), err);
    }
    if (st == TM_OK && batch->payload_bytes)
        st = put(w, batch->payload, batch->payload_bytes, err);
    if (!w->begun) {
        w->run.first = tm_sort_key_of(batch, 0, w->orders);
        w->run.definitions = tm_sort_is_definition(batch, 0);
        w->begun = true;
    }
    w->run.last = tm_sort_key_of(batch, batch->count - 1, w->orders);
    return st;
}

size_t tm_run_records_bytes(const struct tm_block *block)
{
    size_t records = (size_t)block->layout->stride * (block->end - block->first);
    return records + (block->end_at - block->first_at) + CHUNK_HEAD_BYTES + TM_BLOCK_SLACK;
}

enum tm_status tm_run_writer_write_records(struct tm_run_writer *w, const struct tm_block *block, struct tm_error *err)
{
    uint8_t head[CHUNK_HEAD_BYTES];
    uint32_t stride = block->layout->stride, count = block->end - block->first;
    struct tm_run_chunk chunk = {.count = count, .columns = TM_RUN_RECORDS | block->layout->index,
                                 .payload_bytes = block->end_at - block->first_at, .sequence = block->sequence};
    put_chunk(head, &chunk);
    enum tm_status st = put(w, head, sizeof head, err);
    if (st == TM_OK)
        st = put(w, block->records + (size_t)stride * block->first, (size_t)stride * count, err);
    if (st == TM_OK && chunk.payload_bytes)
        st = put(w, block->payload + block->first_at, chunk.payload_bytes, err);
    if (!w->begun) {
        w->run.first = tm_block_key(block, block->first, w->orders);
        w->run.definitions = block->definitions;
        w->begun = true;
    }
    w->run.last = tm_block_key(block, block->end - 1, w->orders);
    return st;
}

enum tm_status tm_run_writer_end(struct tm_run_writer *w, struct tm_error *err)
{
    uint8_t head[CHUNK_HEAD_BYTES];
    put_chunk(head, &(struct tm_run_chunk){0});
    w->run.link = w->file->file.len + w->out.len;
    enum tm_status st = put(w, head, sizeof head, err);
    return st < 0 ? st : flush(w, err);
}

void tm_run_writer_release(struct tm_run_writer *w)
{
    tm_buf_release(&w->out);
}

enum tm_status tm_run_join(struct tm_run_file *file, struct tm_run *run, const struct tm_run *next,
                           struct tm_error *err)
{
    uint8_t head[CHUNK_HEAD_BYTES];
    put_chunk(head, &(struct tm_run_chunk){.payload_bytes = next->start});
    enum tm_status st = tm_io_pwrite(file->file.fd, head, sizeof head, run->link, err);
    run->link = next->link;
    run->last = next->last;
    return name_file(st, file, err);
}

void tm_run_file_release(struct tm_run_file *file)
{
    tm_temporary_file_release(&file->file);
    tm_reclaim_release(&file->reclaim);
}

void tm_run_reader_init(struct tm_run_reader *r, struct tm_run_file *file, const struct tm_run *run,
                        size_t inline_bytes)
{
    *r = (struct tm_run_reader){.file = file, .inline_bytes = inline_bytes, .offset = run->start,
                                 .definitions = run->definitions};
}

static enum tm_status read_at(struct tm_run_reader *r, void *data, size_t len, struct tm_error *err)
{
    enum tm_status st = tm_io_pread(r->file->file.fd, data, len, r->offset, err);
    if (st == TM_END)
        st = tm_error_set(err, TM_E_SYSTEM, "was cut short");
    if (st == TM_OK)
        tm_reclaim_add(&r->file->reclaim, r->offset, len);
    r->offset += len;
    return name_file(st, r->file, err);
}

static enum tm_status reserve(struct tm_run_reader *r, size_t len, struct tm_error *err)
{
    if (len <= r->mem_bytes)
        return TM_OK;
    free(r->mem);
    r->mem = malloc(len);
    r->mem_bytes = r->mem ? len : 0;
    return r->mem ? TM_OK : tm_error_nomem(err);
}

/* Reads the next chunk's head and follows links. TM_END if the run ends. */
static enum tm_status find_chunk(struct tm_run_reader *r, struct tm_error *err)
{
    uint8_t head[CHUNK_HEAD_BYTES];
    while (!r->has_chunk || r->chunk.count == 0) {
        if (r->has_chunk && r->chunk.payload_bytes == 0)
            return TM_END;
        if (r->has_chunk)
            r->offset = r->chunk.payload_bytes;
        enum tm_status st = read_at(r, head, sizeof head, err);
        if (st < 0)
            return st;
        r->chunk = get_chunk(head);
        r->has_chunk = true;
    }
    return TM_OK;
}

/* Points the block's columns into MEM. Returns the bytes of all columns. */
static size_t lay_columns(struct tm_run_reader *r, const struct tm_run_chunk *chunk)
{
    size_t at = 0;
    for (int c = 0; c < TM_COL_COUNT; c++) {
        uint32_t elements = c < TM_COL_TIME_NS ? 0 : chunk->columns >> c & 1 ? chunk->count : 1;
        tm_batch_set_column(&r->block.batch, (enum tm_column)c, r->mem ? r->mem + at : NULL, elements);
        at += elements * tm_column_width((enum tm_column)c);
    }
    return at;
}

/* Reads a chunk of records, together with the head that follows it. */
static enum tm_status read_records(struct tm_run_reader *r, struct tm_error *err)
{
    const struct tm_block_layout *layout = r->file->layouts->all[r->chunk.columns & ~TM_RUN_RECORDS];
    size_t records = (size_t)layout->stride * r->chunk.count;
    size_t len = records + (size_t)r->chunk.payload_bytes + CHUNK_HEAD_BYTES;
    enum tm_status st = reserve(r, len + TM_BLOCK_SLACK, err);
    if (st < 0 || (st = read_at(r, r->mem, len, err)) < 0)
        return st;
    r->block = (struct tm_block){.layout = layout, .records = r->mem, .payload = r->mem + records,
                                 .end = r->chunk.count, .end_at = (size_t)r->chunk.payload_bytes,
                                 .definitions = r->definitions, .sequence = r->chunk.sequence};
    r->chunk = get_chunk(r->mem + len - CHUNK_HEAD_BYTES);
    return TM_OK;
}

enum tm_status tm_run_reader_next(void *reader, struct tm_block **block, struct tm_error *err)
{
    struct tm_run_reader *r = reader;
    enum tm_status st = find_chunk(r, err);
    if (st != TM_OK)
        return st;
    *block = &r->block;
    if (r->chunk.columns & TM_RUN_RECORDS)
        return read_records(r, err);
    struct tm_run_chunk chunk = r->chunk;
    r->block = (struct tm_block){.end = chunk.count, .definitions = r->definitions, .sequence = chunk.sequence,
                                 .payload_fd = r->file->file.fd};
    size_t columns = lay_columns(r, &chunk);
    bool whole = chunk.payload_bytes <= r->inline_bytes;
    /* The head that follows is read with the chunk. */
    size_t len = columns + (whole ? (size_t)chunk.payload_bytes + CHUNK_HEAD_BYTES : 0);
    if ((st = reserve(r, len, err)) < 0 || (st = read_at(r, r->mem, len, err)) < 0)
        return st;
    lay_columns(r, &chunk);
    r->block.batch.count = chunk.count;
    if (whole) {
        r->block.payload = r->mem + columns;
        r->chunk = get_chunk(r->mem + len - CHUNK_HEAD_BYTES);
    } else {
        r->block.payload_offset = r->offset;
        r->offset += chunk.payload_bytes;
        r->has_chunk = false;
    }
    return TM_OK;
}

void tm_run_reader_release(struct tm_run_reader *r)
{
    free(r->mem);
    *r = (struct tm_run_reader){0};
}
