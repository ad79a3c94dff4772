#include "model/kept_args.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { RING = 1 << 21, PLACES = 1 << 13 };

struct tm_kept_args_place {
    int64_t set;
    uint64_t at;  /* as END counts */
    uint32_t len; /* 0: the place is empty */
};

static struct tm_kept_args_place *place_of(const struct tm_kept_args *kept, int64_t set)
{
    return &kept->places[tm_hash_u64((uint64_t)set) & (PLACES - 1)];
}

static enum tm_status begin(struct tm_kept_args *kept, struct tm_error *err)
{
    kept->ring = malloc(RING);
    kept->places = calloc(PLACES, sizeof *kept->places);
    return kept->ring && kept->places ? TM_OK : tm_error_nomem(err);
}

enum tm_status tm_kept_args_put(struct tm_kept_args *kept, int64_t set, struct tm_text args, struct tm_error *err)
{
    struct tm_text before;
    enum tm_status st;
    if (args.len == 0 || args.len > TM_KEPT_ARGS_BYTES_MAX || tm_kept_args_find(kept, set, &before))
        return TM_OK;
    if (kept->ring == NULL && (st = begin(kept, err)) < 0)
        return st;
    size_t rest = RING - (size_t)(kept->end % RING);
    if (rest < args.len)
        kept->end += rest;
    memcpy(kept->ring + kept->end % RING, args.data, args.len);
    *place_of(kept, set) = (struct tm_kept_args_place){set, kept->end, (uint32_t)args.len};
    kept->end += args.len;
    return TM_OK;
}

bool tm_kept_args_find(const struct tm_kept_args *kept, int64_t set, struct tm_text *args)
{
    if (kept->ring == NULL)
        return false;
    const struct tm_kept_args_place *place = place_of(kept, set);
    if (place->len == 0 || place->set != set || kept->end - place->at > RING)
        return false;
    *args = (struct tm_text){kept->ring + place->at % RING, place->len};
    return true;
}

void tm_kept_args_release(struct tm_kept_args *kept)
{
    free(kept->ring);
    free(kept->places);
    *kept = (struct tm_kept_args){0};
}
