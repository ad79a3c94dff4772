#include "sort/sorter.h"

#include "os/compat.h"
#include "os/io.h"

#include <stdlib.h>

enum {
    SORTER_MEMORY_PART = 16, /* this part of the memory is used by default, within these limits */
    SORTER_MEMORY_MIN = 256 << 20,
    SORTER_MEMORY_MAX = 1 << 30,
    SORTER_CHUNK_MIN = 32 << 10, /* bytes of a chunk on disk */
    SORTER_CHUNK_MAX = 256 << 10,
    SORTER_CHUNK_PART = 1024, /* a chunk is this part of the memory */
    SORTER_FAN_IN_MIN = 4,
    SORTER_FAN_IN_MAX = 1024,
    SORTER_FRAMES_BYTES = 4 << 20,
    SORTER_SMALL_BYTES = 256 << 10, /* smaller batches are joined */
    SORTER_JOINED_BYTES = 1 << 20,  /* joined batches have up to this size */
    SORTER_RUNS_MANY = 32,
    SORTER_ROW_BYTES = 104,
    SORTER_THREAD_FROM = 4 /* processors; with fewer, the stages before and after tm-sort use them */
};

static enum tm_status sort_batch(void *sorter, const struct tm_batch *batch, struct tm_error *err);

static size_t clamp(unsigned long long v, size_t low, size_t high)
{
    return v < low ? low : v > high ? high : (size_t)v;
}

unsigned long long tm_sort_memory_of(uint64_t size)
{
    return clamp(size / SORTER_MEMORY_PART, SORTER_MEMORY_MIN, SORTER_MEMORY_MAX);
}

/* True if a thread copies rows while another merges, if JOBS threads are asked for. */
static bool has_thread(unsigned jobs)
{
    return jobs ? jobs > 1 : tm_compat_processors() >= SORTER_THREAD_FROM;
}

const char *tm_sort_dir(const struct tm_sort_options *options)
{
    return tm_io_temporary_dir(options->temporary_dir);
}

void tm_sorter_init(struct tm_sorter *s, const struct tm_sort_options *options)
{
    unsigned long long memory = options->memory_bytes;
    const char *dir = tm_sort_dir(options);
    size_t chunk = clamp(memory / SORTER_CHUNK_PART, SORTER_CHUNK_MIN, SORTER_CHUNK_MAX);
    *s = (struct tm_sorter){.jobs = options->jobs};
    s->frames = (struct tm_frame_file){.memory_bytes = SORTER_FRAMES_BYTES, .file.dir = dir};
    /* A quarter of the memory is reserved for reading runs while the last blocks are still in memory. */
    s->arena.limit_bytes = clamp(memory - memory / 4, 0, SIZE_MAX / 2);
    tm_run_store_init(&s->store, &s->orders, dir, chunk);
    s->store.layouts = &s->layouts;
    s->store.read_bytes = clamp(memory / 4, 0, SIZE_MAX / 2);
    s->store.fan_in = (uint32_t)clamp(memory / 4 / (chunk + chunk / 4), SORTER_FAN_IN_MIN, SORTER_FAN_IN_MAX);
    tm_collector_init(&s->staging, (struct tm_collector_receiver){sort_batch, s},
                      clamp(s->arena.limit_bytes, 1, SORTER_JOINED_BYTES));
}

/* Writes each run of one kind unchanged. They are merged once, at the end. */
static enum tm_status spill_as_they_are(struct tm_sorter *s, bool definitions, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < s->memory.count && st == TM_OK; i++) {
        if (s->memory.runs[i].definitions != definitions)
            continue;
        st = tm_run_store_begin(&s->store, s->sequence, err);
        for (struct tm_block *b = s->memory.runs[i].head; b && st == TM_OK; b = b->next)
            st = tm_run_store_add(&s->store, b, err);
        if (st == TM_OK)
            st = tm_run_store_end(&s->store, err);
    }
    return st;
}

/* Returns the size of the largest block of one kind when it is read again. */
static size_t largest_block(const struct tm_sorter *s, bool definitions)
{
    size_t most = 0;
    for (uint32_t i = 0; i < s->memory.count; i++) {
        for (const struct tm_block *b = s->memory.runs[i].head; b; b = b->next) {
            size_t bytes = b->layout ? tm_run_records_bytes(b) : 0;
            most = s->memory.runs[i].definitions == definitions && bytes > most ? bytes : most;
        }
    }
    return most;
}

/* Writes the runs of one kind that are in memory: unchanged if they are few, else merged into one run. */
static enum tm_status spill_kind(struct tm_sorter *s, bool definitions, struct tm_error *err)
{
    uint32_t n = tm_memory_runs_count(&s->memory, definitions);
    if (n == 0)
        return TM_OK;
    if (tm_run_store_has_room(&s->store, n, largest_block(s, definitions)))
        return spill_as_they_are(s, definitions, err);
    struct tm_run_source *sources = calloc(n, sizeof *sources);
    if (sources == NULL)
        return tm_error_nomem(err);
    tm_memory_runs_sources(&s->memory, definitions, NULL, sources);
    enum tm_status st = tm_run_store_begin(&s->store, s->sequence, err);
    if (st == TM_OK)
        st = tm_merge_runs(sources, n, &s->orders, &s->store.collector, err);
    free(sources);
    return st == TM_OK ? tm_run_store_end(&s->store, err) : st;
}

static enum tm_status spill(struct tm_sorter *s, struct tm_error *err)
{
    enum tm_status st = spill_kind(s, true, err);
    if (st == TM_OK)
        st = spill_kind(s, false, err);
    tm_memory_runs_clear(&s->memory);
    tm_arena_clear(&s->arena);
    s->memory_blocks = 0;
    return st;
}

/* Writes rows [from, end) of a sorted batch that is too large for the memory as a run on disk. */
static enum tm_status write_rows(struct tm_sorter *s, struct tm_block *block, uint32_t from, uint32_t end,
                                 struct tm_error *err)
{
    const size_t *offsets = (const size_t *)(const void *)s->offsets.data;
    if (from == end)
        return TM_OK;
    enum tm_status st = tm_run_store_begin(&s->store, block->sequence, err);
    for (uint32_t i = from; i < end && st == TM_OK; i++) {
        uint32_t row = s->row_order.rows ? s->row_order.rows[i] : i;
        struct tm_block_rows one = {block, row, 1, offsets[row]};
        st = tm_collector_add(&s->store.collector, &one, err);
    }
    return st == TM_OK ? tm_run_store_end(&s->store, err) : st;
}

static enum tm_status write_batch(struct tm_sorter *s, const struct tm_batch *batch, struct tm_error *err)
{
    struct tm_block block = tm_block_of(batch);
    block.sequence = ++s->sequence;
    uint32_t definitions = s->row_order.definition_count;
    enum tm_status st = write_rows(s, &block, 0, definitions, err);
    block.mark = 0;
    return st == TM_OK ? write_rows(s, &block, definitions, batch->count, err) : st;
}

/* Takes memory for a block of LEN bytes and the head of a second one. *MEM stays NULL if LEN exceeds all memory. */
static enum tm_status take(struct tm_sorter *s, size_t len, void **mem, struct tm_error *err)
{
    bool full;
    len += sizeof(struct tm_block);
    *mem = tm_arena_take(&s->arena, len, &full);
    if (*mem == NULL && full) {
        enum tm_status st = spill(s, err);
        if (st < 0)
            return st;
        *mem = tm_arena_take(&s->arena, len, &full);
    }
    return *mem || full ? TM_OK : tm_error_nomem(err);
}

/* Adds the block. If it begins with definitions it is split in two. HEAD is memory for the second block. */
static enum tm_status add_block(struct tm_sorter *s, struct tm_block *block, struct tm_block *head,
                                struct tm_error *err)
{
    uint32_t definitions = s->row_order.definition_count;
    enum tm_status st = TM_OK;
    block->sequence = ++s->sequence;
    s->memory_blocks++;
    block->definitions = definitions == block->end;
    if (definitions > 0 && definitions < block->end) {
        *head = *block;
        head->end = definitions;
        head->definitions = true;
        head->memory_bytes = 0;
        block->first = definitions;
        for (uint32_t i = 0; i < definitions; i++)
            block->first_at += tm_block_payload_of(block, i);
        head->end_at = block->first_at;
        st = tm_memory_runs_add(&s->memory, head, &s->orders, err);
    }
    return st == TM_OK ? tm_memory_runs_add(&s->memory, block, &s->orders, err) : st;
}

/* Finds where the payload of each row of BATCH starts, and where the last one ends. */
static enum tm_status find_offsets(struct tm_sorter *s, const struct tm_batch *batch, struct tm_error *err)
{
    tm_buf_clear(&s->offsets);
    if (tm_buf_reserve(&s->offsets, ((size_t)batch->count + 1) * sizeof(size_t)) != TM_OK)
        return tm_error_nomem(err);
    tm_block_offsets(batch, (size_t *)(void *)s->offsets.data);
    return TM_OK;
}

/* Sorts one batch and keeps it. Is the write function of a tm_collector_receiver. */
static enum tm_status sort_batch(void *sorter, const struct tm_batch *batch, struct tm_error *err)
{
    struct tm_sorter *s = sorter;
    const struct tm_block_layout *layout = NULL;
    void *mem;
    enum tm_status st = tm_row_order_find(&s->row_order, batch, &s->orders, err);
    if (st < 0)
        return st;
    if (s->row_order.rows && (layout = tm_block_layouts_find(&s->layouts, batch)) == NULL)
        return tm_error_nomem(err);
    if ((st = take(s, tm_block_copy_bytes(batch, layout), &mem, err)) < 0)
        return st;
    if ((layout || mem == NULL) && (st = find_offsets(s, batch, err)) < 0)
        return st;
    if (mem == NULL)
        return write_batch(s, batch, err);
    if (layout && tm_buf_reserve(&s->words, sizeof(uint64_t) * layout->words * batch->count) != TM_OK)
        return tm_error_nomem(err);
    struct tm_block *head = mem;
    struct tm_block_order order = {s->row_order.rows, (const size_t *)(const void *)s->offsets.data,
                                   (uint64_t *)(void *)s->words.data};
    struct tm_block *block = layout ? tm_block_pack(head + 1, batch, layout, &order) : tm_block_copy(head + 1, batch);
    block->memory_bytes = sizeof *head + tm_block_copy_bytes(batch, layout);
    return add_block(s, block, head, err);
}

/* True if most blocks begin a new run. Joined batches then make half as many runs of twice the size, which is worth a
 * copy of each row. */
static bool is_shuffled(struct tm_sorter *s)
{
    if (s->memory.count >= SORTER_RUNS_MANY)
        s->is_shuffled = s->memory.count > s->memory_blocks / 2;
    return s->is_shuffled;
}

static enum tm_status add_batch(struct tm_sorter *s, const struct tm_batch *batch, struct tm_error *err)
{
    if (batch->count == 0)
        return TM_OK;
    bool small = batch->payload_bytes + (size_t)batch->count * SORTER_ROW_BYTES < SORTER_SMALL_BYTES;
    if (small || is_shuffled(s)) {
        struct tm_block block = tm_block_of(batch);
        struct tm_block_rows rows = tm_block_rows_of(&block);
        enum tm_status st = tm_row_order_use_files(batch, &s->orders, err);
        if (st == TM_OK)
            st = tm_collector_add(&s->staging, &rows, err);
        return st == TM_OK ? tm_collector_copy_noted(&s->staging, err) : st;
    }
    enum tm_status st = tm_collector_flush(&s->staging, err);
    return st == TM_OK ? sort_batch(s, batch, err) : st;
}

enum tm_status tm_sorter_add(struct tm_sorter *s, const struct tm_frame *frame, const struct tm_batch *batch,
                             struct tm_error *err)
{
    if (frame->type == TM_FRAME_BATCH) {
        enum tm_status st = add_batch(s, batch, err);
        return st == TM_E_INPUT ? tm_error_prefix(err, "byte %llu", (unsigned long long)frame->offset) : st;
    }
    enum tm_status st = tm_file_order_frame(&s->orders, frame, err);
    return st == TM_OK ? tm_frame_file_add(&s->frames, frame, err) : st;
}

static enum tm_status write_stream_batch(void *writer, const struct tm_batch *batch, struct tm_error *err)
{
    return tm_stream_write_batch(writer, batch, err);
}

static enum tm_status write_kind(struct tm_sorter *s, bool definitions, struct tm_collector *collector,
                                 struct tm_spent_blocks *spent, struct tm_error *err)
{
    struct tm_run_readers readers = {0};
    uint32_t n = tm_memory_runs_count(&s->memory, definitions);
    enum tm_status st = tm_run_store_open(&s->store, definitions, n, &readers, err);
    if (st == TM_OK) {
        tm_memory_runs_sources(&s->memory, definitions, spent, readers.sources + readers.reader_count);
        st = tm_merge_runs(readers.sources, readers.reader_count + n, &s->orders, collector, err);
    }
    tm_run_readers_release(&readers);
    return st;
}

enum tm_status tm_sorter_write(struct tm_sorter *s, struct tm_stream_writer *writer, struct tm_error *err)
{
    struct tm_collector collector;
    struct tm_spent_blocks spent = {.arena = &s->arena, .collector = &collector};
    tm_collector_init(&collector, (struct tm_collector_receiver){write_stream_batch, writer}, TM_BATCH_BYTES);
    enum tm_status st = tm_collector_flush(&s->staging, err);
    if (st == TM_OK)
        st = tm_run_store_reduce(&s->store, err);
    if (st == TM_OK)
        st = tm_frame_file_write(&s->frames, writer, err);
    if (st == TM_OK && tm_run_store_is_empty(&s->store) && has_thread(s->jobs))
        tm_collector_use_thread(&collector);
    if (st == TM_OK)
        st = write_kind(s, true, &collector, &spent, err);
    if (st == TM_OK)
        st = write_kind(s, false, &collector, &spent, err);
    if (st == TM_OK)
        st = tm_collector_finish(&collector, err);
    tm_collector_release(&collector);
    return st;
}

void tm_sorter_release(struct tm_sorter *s)
{
    tm_memory_runs_release(&s->memory);
    tm_run_store_release(&s->store);
    tm_arena_release(&s->arena);
    tm_block_layouts_release(&s->layouts);
    tm_collector_release(&s->staging);
    tm_row_order_release(&s->row_order);
    tm_frame_file_release(&s->frames);
    tm_file_order_release(&s->orders);
    tm_buf_release(&s->offsets);
    tm_buf_release(&s->words);
}
