#include "emit/sqlite/wide_places.h"

#include <stdbool.h>
#include <stdlib.h>

enum { IN_LEAF_MAX = 1 << 10 }; /* more than a leaf has room for */

static uint32_t slot_of(int64_t rowid)
{
    return (uint32_t)((uint64_t)rowid & (TM_WIDE_PLACES - 1));
}

/* Allocates the places. False: no memory. */
static bool begin(struct tm_wide_places *places)
{
    places->all = calloc(TM_WIDE_PLACES, sizeof *places->all);
    places->in_leaf = malloc(IN_LEAF_MAX * sizeof *places->in_leaf);
    if (places->all && places->in_leaf)
        return true;
    tm_wide_places_release(places);
    return false;
}

void tm_wide_places_add(struct tm_wide_places *places, int64_t rowid, unsigned column, uint32_t at)
{
    const uint32_t slot = slot_of(rowid);
    if ((places->all == NULL && !begin(places)) || places->in_leaf_count == IN_LEAF_MAX)
        return;
    places->all[slot] = (struct tm_wide_place){.rowid = rowid, .at = (uint16_t)at, .column = (uint16_t)column};
    places->in_leaf[places->in_leaf_count++] = slot;
}

void tm_wide_places_close(struct tm_wide_places *places, uint32_t page)
{
    for (uint32_t i = 0; i < places->in_leaf_count; i++)
        places->all[places->in_leaf[i]].page = page;
    places->in_leaf_count = 0;
}

const struct tm_wide_place *tm_wide_places_find(const struct tm_wide_places *places, int64_t rowid, unsigned column)
{
    if (places->all == NULL)
        return NULL;
    const struct tm_wide_place *place = &places->all[slot_of(rowid)];
    return place->rowid == rowid && place->column == column ? place : NULL;
}

void tm_wide_places_release(struct tm_wide_places *places)
{
    free(places->all);
    free(places->in_leaf);
    *places = (struct tm_wide_places){0};
}
