#include "sort/block_store.h"

#include <stdlib.h>

enum {
    STORE_CHUNK_MIN = 32 << 10, /* bytes of a chunk on disk */
    STORE_CHUNK_MAX = 256 << 10,
    STORE_CHUNK_PART = 1024, /* a chunk is this part of the memory */
    STORE_FAN_IN_MIN = 4,
    STORE_FAN_IN_MAX = 1024,
    STORE_RUNS_MANY = 32 /* with fewer runs nothing is known about the order of the input */
};

static size_t clamp(unsigned long long v, size_t low, size_t high)
{
    return v < low ? low : v > high ? high : (size_t)v;
}

void tm_block_store_init(struct tm_block_store *s, const struct tm_file_order *orders, unsigned long long memory,
                         const char *dir)
{
    size_t chunk = clamp(memory / STORE_CHUNK_PART, STORE_CHUNK_MIN, STORE_CHUNK_MAX);
    *s = (struct tm_block_store){.orders = orders};
    /* A quarter of the memory is reserved for reading runs while the last blocks are still in memory. */
    s->arena.limit_bytes = clamp(memory - memory / 4, 0, SIZE_MAX / 2);
    tm_run_store_init(&s->disk, orders, dir, chunk);
    s->disk.layouts = &s->layouts;
    s->disk.read_bytes = clamp(memory / 4, 0, SIZE_MAX / 2);
    s->disk.fan_in = (uint32_t)clamp(memory / 4 / (chunk + chunk / 4), STORE_FAN_IN_MIN, STORE_FAN_IN_MAX);
}

/* Writes each run of one kind unchanged. They are merged once, at the end. */
static enum tm_status spill_as_they_are(struct tm_block_store *s, bool definitions, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < s->memory.count && st == TM_OK; i++) {
        if (s->memory.runs[i].definitions != definitions)
            continue;
        st = tm_run_store_begin(&s->disk, s->sequence, err);
        for (struct tm_block *b = s->memory.runs[i].head; b && st == TM_OK; b = b->next)
            st = tm_run_store_add(&s->disk, b, err);
        if (st == TM_OK)
            st = tm_run_store_end(&s->disk, err);
    }
    return st;
}

/* Returns the size of the largest block of one kind when it is read again. */
static size_t largest_block(const struct tm_block_store *s, bool definitions)
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
static enum tm_status spill_kind(struct tm_block_store *s, bool definitions, struct tm_error *err)
{
    uint32_t n = tm_memory_runs_count(&s->memory, definitions);
    if (n == 0)
        return TM_OK;
    if (tm_run_store_has_room(&s->disk, n, largest_block(s, definitions)))
        return spill_as_they_are(s, definitions, err);
    struct tm_run_source *sources = calloc(n, sizeof *sources);
    if (sources == NULL)
        return tm_error_nomem(err);
    tm_memory_runs_sources(&s->memory, definitions, NULL, sources);
    enum tm_status st = tm_run_store_begin(&s->disk, s->sequence, err);
    if (st == TM_OK)
        st = tm_merge_runs(sources, n, s->orders, &s->disk.collector, err);
    free(sources);
    return st == TM_OK ? tm_run_store_end(&s->disk, err) : st;
}

static enum tm_status spill(struct tm_block_store *s, struct tm_error *err)
{
    tm_block_layouts_lock(&s->layouts); /* those of runs are looked up while runs are merged */
    enum tm_status st = spill_kind(s, true, err);
    if (st == TM_OK)
        st = spill_kind(s, false, err);
    tm_block_layouts_unlock(&s->layouts);
    tm_memory_runs_clear(&s->memory);
    tm_arena_clear(&s->arena);
    s->memory_blocks = 0;
    return st;
}

/* Writes rows [FROM, END) of SORTED, in their order, as a run on disk. BLOCK has the batch. */
static enum tm_status write_rows(struct tm_block_store *s, struct tm_sorted_batch *sorted, struct tm_block *block,
                                 const uint32_t range[2], struct tm_error *err)
{
    const size_t *offsets;
    if (range[0] == range[1])
        return TM_OK;
    enum tm_status st = tm_sorted_batch_offsets(sorted, &offsets, err);
    if (st == TM_OK)
        st = tm_run_store_begin(&s->disk, block->sequence, err);
    for (uint32_t i = range[0]; i < range[1] && st == TM_OK; i++) {
        uint32_t row = sorted->order.rows ? sorted->order.rows[i] : i;
        struct tm_block_rows one = {block, row, 1, offsets[row]};
        st = tm_collector_add(&s->disk.collector, &one, err);
    }
    return st == TM_OK ? tm_run_store_end(&s->disk, err) : st;
}

/* Writes a batch that is too large for the memory to disk: its definitions and its other events, each as a run. */
static enum tm_status write_batch(struct tm_block_store *s, struct tm_sorted_batch *sorted, struct tm_error *err)
{
    const uint32_t definitions = sorted->order.definition_count;
    struct tm_block block = tm_block_of(sorted->batch);
    block.sequence = ++s->sequence;
    tm_block_layouts_lock(&s->layouts);
    enum tm_status st = write_rows(s, sorted, &block, (const uint32_t[2]){0, definitions}, err);
    block.mark = 0;
    if (st == TM_OK)
        st = write_rows(s, sorted, &block, (const uint32_t[2]){definitions, sorted->batch->count}, err);
    tm_block_layouts_unlock(&s->layouts);
    return st;
}

/* Takes memory for a block of LEN bytes and the head of a second one. *MEM stays NULL if LEN exceeds all memory. */
static enum tm_status take(struct tm_block_store *s, size_t len, void **mem, struct tm_error *err)
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

/* Adds BLOCK, of which the first DEFINITIONS rows are definitions, to the runs in memory. If it also has other rows, it
 * is split in two. HEAD is memory for the second block. */
static enum tm_status add_block(struct tm_block_store *s, struct tm_block *block, struct tm_block *head,
                                uint32_t definitions, struct tm_error *err)
{
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
        st = tm_memory_runs_add(&s->memory, head, s->orders, err);
    }
    if (st == TM_OK)
        st = tm_memory_runs_add(&s->memory, block, s->orders, err);
    if (s->memory.count >= STORE_RUNS_MANY)
        atomic_store(&s->is_shuffled, s->memory.count > s->memory_blocks / 2);
    return st;
}

enum tm_status tm_block_store_add(struct tm_block_store *s, struct tm_sorted_batch *sorted, struct tm_error *err)
{
    const size_t bytes = tm_sorted_batch_bytes(sorted);
    void *mem;
    enum tm_status st = take(s, bytes, &mem, err);
    if (st < 0)
        return st;
    if (mem == NULL)
        return write_batch(s, sorted, err);
    struct tm_block *head = mem, *block;
    if ((st = tm_sorted_batch_put(sorted, head + 1, &block, err)) < 0)
        return st;
    block->memory_bytes = sizeof *head + bytes;
    return add_block(s, block, head, sorted->order.definition_count, err);
}

enum tm_status tm_block_store_reduce(struct tm_block_store *s, struct tm_error *err)
{
    return tm_run_store_reduce(&s->disk, err);
}

enum tm_status tm_block_store_merge(struct tm_block_store *s, bool definitions, struct tm_collector *collector,
                                    struct tm_error *err)
{
    struct tm_run_readers readers = {0};
    uint32_t n = tm_memory_runs_count(&s->memory, definitions);
    enum tm_status st = tm_run_store_open(&s->disk, definitions, n, &readers, err);
    s->spent.arena = &s->arena;
    s->spent.collector = collector;
    if (st == TM_OK) {
        tm_memory_runs_sources(&s->memory, definitions, &s->spent, readers.sources + readers.reader_count);
        st = tm_merge_runs(readers.sources, readers.reader_count + n, s->orders, collector, err);
    }
    tm_run_readers_release(&readers);
    return st;
}

void tm_block_store_release(struct tm_block_store *s)
{
    tm_memory_runs_release(&s->memory);
    tm_run_store_release(&s->disk);
    tm_arena_release(&s->arena);
    tm_block_layouts_release(&s->layouts);
}
