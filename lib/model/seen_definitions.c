#include "model/seen_definitions.h"

#include "base/hash.h"
#include "base/table.h"

#include <stdlib.h>

/* STATED_NOTHING is no hash of content. OUT_OF_ORDER in place of a time: the definitions were not in order of time. */
static const int64_t STATED_NOTHING = -1, OUT_OF_ORDER = INT64_MAX;

struct tm_seen_definition {
    uint64_t subject, place; /* hash of the numbers of the subject; file and machine */
    int64_t stated;          /* hash of the content */
    int64_t latest_ns;
    uint32_t kind;
};

/* Sets *ROW to the row with subject, place and kind of KEY. A new one is added as a copy of KEY. */
static enum tm_status row_of(struct tm_seen_definitions *seen, const struct tm_seen_definition *key,
                             struct tm_seen_definition **row, struct tm_error *err)
{
    tm_index_seed(&seen->index);
    uint64_t hash = tm_index_hash_u64(&seen->index, key->subject);
    hash = tm_index_hash_more(&seen->index, tm_index_hash_more(&seen->index, hash, key->place), key->kind);
    struct tm_probe probe = tm_probe(&seen->index, hash);
    for (uint32_t i; (i = tm_probe_next(&seen->index, &probe)) != TM_INDEX_NONE;) {
        *row = &seen->rows[i];
        if ((*row)->subject == key->subject && (*row)->place == key->place && (*row)->kind == key->kind)
            return TM_OK;
    }
    enum tm_status st = tm_array_grow(&seen->rows, &seen->cap, seen->count, sizeof *seen->rows, err);
    if (st < 0)
        return st;
    if (tm_index_add(&seen->index, hash, seen->count) < 0)
        return tm_error_nomem(err);
    *row = &seen->rows[seen->count++];
    **row = *key;
    return TM_OK;
}

enum tm_status tm_seen_definitions_note(struct tm_seen_definitions *seen, const struct tm_event *e, bool *repeats,
                                        struct tm_error *err)
{
    uint64_t numbers[3] = {(uint64_t)e->pid, (uint64_t)e->tid, e->track};
    struct tm_seen_definition *last, key = {.subject = tm_hash64_numbers(numbers, 3, 0),
                                            .place = (uint64_t)e->file << 32 | e->machine,
                                            .stated = STATED_NOTHING,
                                            .latest_ns = -1,
                                            .kind = e->kind};
    int64_t stated = (int64_t)(tm_hash64(e->detail, e->detail_bytes) & INT64_MAX);
    int64_t ns = e->time_ns < 0 ? 0 : e->time_ns;
    enum tm_status st = row_of(seen, &key, &last, err);
    if (st < 0)
        return st;
    *repeats = last->stated == stated && last->latest_ns != OUT_OF_ORDER;
    if (*repeats)
        return TM_OK;
    if (last->latest_ns <= ns)
        last->latest_ns = ns;
    else if (last->stated != stated)
        last->latest_ns = OUT_OF_ORDER;
    last->stated = stated;
    return TM_OK;
}

void tm_seen_definitions_release(struct tm_seen_definitions *seen)
{
    free(seen->rows);
    tm_index_release(&seen->index);
    *seen = (struct tm_seen_definitions){0};
}
