#include "emit/perfetto/nesting.h"

#include <stdlib.h>

static enum tm_status grow(struct tm_nesting *n)
{
    uint32_t slots = n->lanes ? (n->mask + 1) * 2 : 64;
    struct tm_nesting_lane *lanes = calloc(slots, sizeof *lanes);
    if (lanes == NULL)
        return TM_E_SYSTEM;
    for (uint32_t i = 0; n->lanes && i <= n->mask; i++) {
        if (n->lanes[i].uuid == 0)
            continue;
        uint32_t at = (uint32_t)n->lanes[i].uuid & (slots - 1);
        while (lanes[at].uuid)
            at = (at + 1) & (slots - 1);
        lanes[at] = n->lanes[i];
    }
    free(n->lanes);
    n->lanes = lanes;
    n->mask = slots - 1;
    return TM_OK;
}

enum tm_status tm_nesting_add(struct tm_nesting *n, uint64_t uuid, int64_t start_ns, int64_t end_ns)
{
    if ((n->lanes == NULL || n->count >= n->mask / 2) && grow(n) != TM_OK)
        return TM_E_SYSTEM;
    uint32_t at = (uint32_t)uuid & n->mask;
    while (n->lanes[at].uuid && n->lanes[at].uuid != uuid)
        at = (at + 1) & n->mask;
    struct tm_nesting_lane *lane = &n->lanes[at];
    n->count += lane->uuid == 0;
    lane->uuid = uuid;
    while (lane->depth > 0 && lane->open[lane->depth - 1] <= start_ns)
        lane->depth--;
    if (lane->depth > 0 && lane->open[lane->depth - 1] < end_ns)
        return TM_END;
    if (lane->depth == lane->cap) {
        uint32_t cap = lane->cap ? lane->cap * 2 : 16;
        int64_t *open = realloc(lane->open, cap * sizeof *open);
        if (open == NULL)
            return TM_E_SYSTEM;
        lane->open = open;
        lane->cap = cap;
    }
    lane->open[lane->depth++] = end_ns;
    return TM_OK;
}

void tm_nesting_release(struct tm_nesting *n)
{
    for (uint32_t i = 0; n->lanes && i <= n->mask; i++)
        free(n->lanes[i].open);
    free(n->lanes);
    *n = (struct tm_nesting){0};
}
