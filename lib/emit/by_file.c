#include "emit/by_file.h"

#include <stdlib.h>

typedef uint32_t (*file_of)(const struct tm_catalog *catalog, uint32_t i);

static uint32_t file_of_account(const struct tm_catalog *c, uint32_t i)
{
    return c->accounts[i]->file;
}

static uint32_t file_of_placement(const struct tm_catalog *c, uint32_t i)
{
    return c->placements[i]->file;
}

static uint32_t file_of_stat(const struct tm_catalog *c, uint32_t i)
{
    return c->stats[i]->has_file ? c->stats[i]->file : UINT32_MAX;
}

static uint32_t file_of_metadata(const struct tm_catalog *c, uint32_t i)
{
    return c->metadata[i]->has_file ? c->metadata[i]->file : UINT32_MAX;
}

/* Sorts by counting, which is stable. Things of unknown files are left out. */
static enum tm_status sort(struct tm_by_file *b, const struct tm_catalog *c, uint32_t count, file_of file)
{
    b->starts = calloc((size_t)c->file_count + 2, sizeof *b->starts);
    b->order = calloc((size_t)count + 1, sizeof *b->order);
    if (b->starts == NULL || b->order == NULL)
        return TM_E_SYSTEM;
    for (uint32_t i = 0; i < count; i++)
        if (file(c, i) < c->file_count)
            b->starts[file(c, i) + 2]++;
    for (uint32_t i = 2; i < c->file_count + 2; i++)
        b->starts[i] += b->starts[i - 1];
    for (uint32_t i = 0; i < count; i++)
        if (file(c, i) < c->file_count)
            b->order[b->starts[file(c, i) + 1]++] = i;
    return TM_OK;
}

enum tm_status tm_by_file_accounts(struct tm_by_file *b, const struct tm_catalog *catalog)
{
    return sort(b, catalog, catalog->account_count, file_of_account);
}

enum tm_status tm_by_file_placements(struct tm_by_file *b, const struct tm_catalog *catalog)
{
    return sort(b, catalog, catalog->placement_count, file_of_placement);
}

enum tm_status tm_by_file_stats(struct tm_by_file *b, const struct tm_catalog *catalog)
{
    return sort(b, catalog, catalog->stat_count, file_of_stat);
}

enum tm_status tm_by_file_metadata(struct tm_by_file *b, const struct tm_catalog *catalog)
{
    return sort(b, catalog, catalog->metadata_count, file_of_metadata);
}

void tm_by_file_release(struct tm_by_file *b)
{
    free(b->starts);
    free(b->order);
    *b = (struct tm_by_file){0};
}
