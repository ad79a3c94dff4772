#include "sort/spent_blocks.h"

/* Gives the memory of all blocks back whose rows are written. */
static void give_back(struct tm_spent_blocks *s)
{
    const uint64_t written = tm_collector_written(s->collector);
    while (s->first && s->first->spent_after < written) {
        struct tm_block *block = s->first;
        s->first = block->next;
        if (block->memory_bytes)
            tm_arena_give_back(s->arena, block - 1, block->memory_bytes);
    }
}

void tm_spent_blocks_add(struct tm_spent_blocks *s, struct tm_block *block)
{
    block->spent_after = s->collector->batches;
    block->next = NULL;
    if (s->first)
        s->last->next = block;
    else
        s->first = block;
    s->last = block;
    give_back(s);
}
