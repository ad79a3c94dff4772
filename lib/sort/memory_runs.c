#include "sort/memory_runs.h"

#include "base/table.h"

#include <stdlib.h>

enum {
    MEMORY_RUNS_LOOK = 512 /* a block can continue one of this many newest runs */
};

/* Returns the run that KEY continues with the smallest gap, or NULL. */
static struct tm_memory_run *find_continued(struct tm_memory_runs *r, bool definitions, const struct tm_sort_key *key)
{
    struct tm_memory_run *best = NULL;
    uint32_t from = r->count > MEMORY_RUNS_LOOK ? r->count - MEMORY_RUNS_LOOK : 0;
    for (uint32_t i = from; i < r->count; i++) {
        struct tm_memory_run *run = &r->runs[i];
        if (run->definitions == definitions && !tm_sort_key_less(key, &run->last) &&
            (best == NULL || tm_sort_key_less(&best->last, &run->last)))
            best = run;
    }
    return best;
}

enum tm_status tm_memory_runs_add(struct tm_memory_runs *r, struct tm_block *block,
                                  const struct tm_file_order *orders, struct tm_error *err)
{
    struct tm_sort_key first = tm_block_key(block, block->first, orders);
    bool definitions = block->definitions;
    struct tm_memory_run *run = find_continued(r, definitions, &first);
    if (run == NULL && tm_array_grow(&r->runs, &r->cap, r->count, sizeof *r->runs, err) < 0)
        return TM_E_SYSTEM;
    if (run) {
        run->tail->next = block;
    } else {
        run = &r->runs[r->count++];
        *run = (struct tm_memory_run){.head = block, .definitions = definitions};
    }
    run->tail = block;
    run->last = tm_block_key(block, block->end - 1, orders);
    return TM_OK;
}

uint32_t tm_memory_runs_count(const struct tm_memory_runs *r, bool definitions)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->count; i++)
        n += r->runs[i].definitions == definitions;
    return n;
}

static enum tm_status next_block(void *source, struct tm_block **block, struct tm_error *err)
{
    struct tm_memory_run *run = source;
    (void)err;
    if (run->shown && run->spent)
        tm_spent_blocks_add(run->spent, run->shown);
    run->shown = run->next;
    if (run->shown == NULL)
        return TM_END;
    *block = run->shown;
    run->next = run->shown->next;
    return TM_OK;
}

void tm_memory_runs_sources(struct tm_memory_runs *r, bool definitions, struct tm_spent_blocks *spent,
                            struct tm_run_source *sources)
{
    for (uint32_t i = 0; i < r->count; i++) {
        struct tm_memory_run *run = &r->runs[i];
        if (run->definitions != definitions)
            continue;
        run->shown = NULL;
        run->next = run->head;
        run->spent = spent;
        *sources++ = (struct tm_run_source){next_block, run, false};
    }
}

void tm_memory_runs_clear(struct tm_memory_runs *r)
{
    r->count = 0;
}

void tm_memory_runs_release(struct tm_memory_runs *r)
{
    free(r->runs);
    *r = (struct tm_memory_runs){0};
}
