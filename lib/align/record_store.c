#include "align/record_store.h"

#include "base/table.h"

#include <stdlib.h>
#include <string.h>

/* Records in memory, and as they are on disk. */
struct block {
    uint64_t before; /* offset + 1 of the previous block of the part; 0: none */
    uint64_t count;
    struct tm_record records[];
};

struct tm_record_part {
    struct block *block; /* has room for block_records; NULL: none yet */
    uint64_t count;
    uint64_t last; /* offset + 1 of the last written block; 0: none */
};

static enum tm_status write_block(struct tm_record_store *store, struct tm_record_part *part, struct tm_error *err)
{
    size_t bytes = sizeof *part->block + part->block->count * sizeof *part->block->records;
    part->block->before = part->last;
    part->last = store->file.len + 1;
    enum tm_status st = tm_temporary_file_add(&store->file, part->block, bytes, err);
    part->block->count = 0;
    return st;
}

static struct block *new_block(uint32_t records)
{
    struct block *block = malloc(sizeof *block + records * sizeof *block->records);
    if (block)
        block->before = block->count = 0;
    return block;
}

enum tm_status tm_record_store_add(struct tm_record_store *store, uint32_t at, const struct tm_record *record,
                                   struct tm_error *err)
{
    while (store->part_count <= at) {
        if (tm_array_grow(&store->parts, &store->part_cap, store->part_count, sizeof *store->parts, err) < 0)
            return err->status;
        store->parts[store->part_count++] = (struct tm_record_part){0};
    }
    struct tm_record_part *part = &store->parts[at];
    if (part->block == NULL && (part->block = new_block(store->block_records)) == NULL)
        return tm_error_nomem(err);
    if (part->block->count == store->block_records && write_block(store, part, err) < 0)
        return err->status;
    part->block->records[part->block->count++] = *record;
    part->count++;
    return TM_OK;
}

uint64_t tm_record_store_count(const struct tm_record_store *store, uint32_t part)
{
    return part < store->part_count ? store->parts[part].count : 0;
}

enum tm_status tm_record_store_load(const struct tm_record_store *store, uint32_t at, struct tm_record **records,
                                    uint32_t *count, struct tm_error *err)
{
    const struct tm_record_part *part = at < store->part_count ? &store->parts[at] : NULL;
    uint64_t total = part ? part->count : 0, n = 0;
    enum tm_status st = TM_OK;
    *records = NULL;
    *count = 0;
    if (total > UINT32_MAX / 2)
        return tm_error_set(err, TM_E_SYSTEM, "too many events with one key to be matched");
    if ((*records = malloc((total ? total : 1) * sizeof **records)) == NULL)
        return tm_error_nomem(err);
    if (total == 0)
        return TM_OK;
    n = total - part->block->count; /* blocks are linked from the last to the first */
    memcpy(*records + n, part->block->records, part->block->count * sizeof **records);
    for (uint64_t block = part->last; block > 0 && st == TM_OK;) {
        struct block head;
        st = tm_temporary_file_read(&store->file, &head, sizeof head, block - 1, err);
        if (st == TM_OK)
            st = tm_temporary_file_read(&store->file, *records + (n -= head.count), head.count * sizeof **records,
                                        block - 1 + sizeof head, err);
        block = head.before;
    }
    *count = (uint32_t)total;
    return st;
}

void tm_record_store_release(struct tm_record_store *store)
{
    for (uint32_t i = 0; i < store->part_count; i++)
        free(store->parts[i].block);
    free(store->parts);
    tm_temporary_file_release(&store->file);
    *store = (struct tm_record_store){0};
}
