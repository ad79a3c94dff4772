#include "sort/run_store.h"

#include "base/table.h"

#include <stdlib.h>

void tm_run_store_init(struct tm_run_store *s, const struct tm_file_order *orders, const char *dir, size_t chunk_bytes)
{
    *s = (struct tm_run_store){.orders = orders, .chunk_bytes = chunk_bytes};
    for (int i = 0; i < TM_RUN_LEVELS; i++)
        s->levels[i].file = (struct tm_run_file){.file = {.dir = dir}};
    const struct tm_batch_receiver receiver = {tm_run_writer_write, &s->writer};
    tm_collector_init(&s->collector, receiver, chunk_bytes);
}

/* Returns the run of LEVEL that RUN continues with the smallest gap, or NULL. */
static struct tm_run *find_continued(const struct tm_run_level *level, const struct tm_run *run)
{
    struct tm_run *best = NULL;
    for (uint32_t i = 0; i < level->count; i++) {
        struct tm_run *r = &level->runs[i];
        if (r->definitions == run->definitions && !tm_sort_key_less(&run->first, &r->last) &&
            (best == NULL || tm_sort_key_less(&best->last, &r->last)))
            best = r;
    }
    return best;
}

static enum tm_status add_run(struct tm_run_level *level, const struct tm_run *run, struct tm_error *err)
{
    struct tm_run *continued = find_continued(level, run);
    if (continued)
        return tm_run_join(&level->file, continued, run, err);
    if (tm_array_grow(&level->runs, &level->cap, level->count, sizeof *level->runs, err) < 0)
        return TM_E_SYSTEM;
    level->runs[level->count++] = *run;
    return TM_OK;
}

static enum tm_status begin_at(struct tm_run_store *s, int level, struct tm_error *err)
{
    s->levels[level].file.layouts = s->layouts;
    return tm_run_writer_begin(&s->writer, &s->levels[level].file, s->orders, s->sequence, err);
}

static enum tm_status end_at(struct tm_run_store *s, int level, struct tm_error *err)
{
    enum tm_status st = tm_collector_flush(&s->collector, err);
    if (st == TM_OK)
        st = tm_run_writer_end(&s->writer, err);
    return st == TM_OK ? add_run(&s->levels[level], &s->writer.run, err) : st;
}

static uint32_t count_runs(const struct tm_run_level *level, bool definitions)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < level->count; i++)
        n += level->runs[i].definitions == definitions;
    return n;
}

static void open_level(struct tm_run_store *s, struct tm_run_level *level, bool definitions,
                       struct tm_run_readers *r)
{
    for (uint32_t i = 0; i < level->count; i++) {
        if (level->runs[i].definitions != definitions)
            continue;
        struct tm_run_reader *reader = &r->readers[r->reader_count];
        tm_run_reader_init(reader, &level->file, &level->runs[i], s->chunk_bytes);
        r->sources[r->reader_count++] = (struct tm_run_source){tm_run_reader_next, reader, true};
    }
}

static enum tm_status reserve_readers(struct tm_run_readers *r, size_t runs, size_t more, struct tm_error *err)
{
    r->readers = calloc(runs + 1, sizeof *r->readers);
    r->sources = calloc(runs + more + 1, sizeof *r->sources);
    return r->readers && r->sources ? TM_OK : tm_error_nomem(err);
}

/* Merges the runs of LEVEL that hold definitions, or the others, into one run of the next level. */
static enum tm_status merge_kind(struct tm_run_store *s, int level, bool definitions, struct tm_error *err)
{
    struct tm_run_readers readers = {0};
    uint32_t n = count_runs(&s->levels[level], definitions);
    if (n == 0)
        return TM_OK;
    enum tm_status st = reserve_readers(&readers, n, 0, err);
    if (st == TM_OK)
        st = begin_at(s, level + 1, err);
    if (st == TM_OK) {
        open_level(s, &s->levels[level], definitions, &readers);
        st = tm_merge_runs(readers.sources, readers.reader_count, s->orders, &s->collector, err);
    }
    if (st == TM_OK)
        st = end_at(s, level + 1, err);
    tm_run_readers_release(&readers);
    return st;
}

static enum tm_status merge_level(struct tm_run_store *s, int level, struct tm_error *err)
{
    enum tm_status st = merge_kind(s, level, true, err);
    if (st == TM_OK)
        st = merge_kind(s, level, false, err);
    s->levels[level].count = 0;
    tm_run_file_release(&s->levels[level].file);
    return st;
}

enum tm_status tm_run_store_begin(struct tm_run_store *s, uint64_t sequence, struct tm_error *err)
{
    s->sequence = sequence;
    return begin_at(s, 0, err);
}

enum tm_status tm_run_store_add(struct tm_run_store *s, struct tm_block *block, struct tm_error *err)
{
    struct tm_block_rows rows = tm_block_rows_of(block);
    if (block->layout)
        return tm_run_writer_write_records(&s->writer, block, err);
    s->writer.sequence = block->sequence;
    enum tm_status st = tm_collector_add(&s->collector, &rows, err);
    return st == TM_OK ? tm_collector_flush(&s->collector, err) : st;
}

bool tm_run_store_has_room(struct tm_run_store *s, uint32_t count, size_t block_bytes)
{
    enum { RUN_ROOM = 4 /* a merge must be able to read this many times COUNT runs */ };
    size_t each = block_bytes > s->chunk_bytes ? block_bytes : s->chunk_bytes;
    size_t most = s->read_bytes / each;
    if (count > most / RUN_ROOM)
        return false;
    s->fan_in = most < s->fan_in ? (uint32_t)most : s->fan_in;
    return true;
}

enum tm_status tm_run_store_end(struct tm_run_store *s, struct tm_error *err)
{
    enum tm_status st = end_at(s, 0, err);
    for (int i = 0; i < TM_RUN_LEVELS - 1 && st == TM_OK && s->levels[i].count >= s->fan_in; i++)
        st = merge_level(s, i, err);
    return st;
}

enum tm_status tm_run_store_reduce(struct tm_run_store *s, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (int level = 0; level < TM_RUN_LEVELS - 1 && st == TM_OK; level++) {
        uint32_t kinds[2] = {0, 0};
        for (int i = level; i < TM_RUN_LEVELS; i++)
            for (int kind = 0; kind < 2; kind++)
                kinds[kind] += count_runs(&s->levels[i], kind);
        if (kinds[0] <= s->fan_in && kinds[1] <= s->fan_in)
            return TM_OK;
        if (s->levels[level].count)
            st = merge_level(s, level, err);
    }
    return st;
}

bool tm_run_store_is_empty(const struct tm_run_store *s)
{
    for (int i = 0; i < TM_RUN_LEVELS; i++)
        if (s->levels[i].count)
            return false;
    return true;
}

enum tm_status tm_run_store_open(struct tm_run_store *s, bool definitions, uint32_t more,
                                 struct tm_run_readers *readers, struct tm_error *err)
{
    size_t n = 0;
    for (int i = 0; i < TM_RUN_LEVELS; i++)
        n += count_runs(&s->levels[i], definitions);
    enum tm_status st = reserve_readers(readers, n, more, err);
    for (int i = TM_RUN_LEVELS - 1; i >= 0 && st == TM_OK; i--)
        open_level(s, &s->levels[i], definitions, readers);
    return st;
}

void tm_run_readers_release(struct tm_run_readers *r)
{
    for (uint32_t i = 0; i < r->reader_count; i++)
        tm_run_reader_release(&r->readers[i]);
    free(r->readers);
    free(r->sources);
    *r = (struct tm_run_readers){0};
}

void tm_run_store_release(struct tm_run_store *s)
{
    for (int i = 0; i < TM_RUN_LEVELS; i++) {
        tm_run_file_release(&s->levels[i].file);
        free(s->levels[i].runs);
        s->levels[i].runs = NULL;
    }
    tm_collector_release(&s->collector);
    tm_run_writer_release(&s->writer);
}
