#include "model/seen_definitions.h"

#include "base/table.h"

#include <stdlib.h>

/* OUT_OF_ORDER in place of a time: the definitions were not in order of time. */
static const int64_t NO_TIME = -1, OUT_OF_ORDER = INT64_MAX;

struct tm_seen_definition {
    int64_t pid, tid; /* with TRACK, the subject */
    uint64_t track;
    uint32_t file, machine, kind;
    uint64_t stated;   /* keyed hash of the content */
    int64_t latest_ns; /* NO_TIME: no definition yet */
};

static bool are_of_one_subject(const struct tm_seen_definition *a, const struct tm_seen_definition *b)
{
    return a->pid == b->pid && a->tid == b->tid && a->track == b->track && a->file == b->file &&
           a->machine == b->machine && a->kind == b->kind;
}

/* Sets *ROW to the row with the subject of KEY. A new one is added as a copy of KEY. */
static enum tm_status row_of(struct tm_seen_definitions *seen, const struct tm_seen_definition *key,
                             struct tm_seen_definition **row, struct tm_error *err)
{
    const uint64_t numbers[] = {(uint64_t)key->pid, (uint64_t)key->tid, key->track,
                                (uint64_t)key->file << 32 | key->machine, key->kind};
    uint64_t hash = tm_index_hash_bytes(&seen->index, numbers, sizeof numbers);
    struct tm_probe probe = tm_probe(&seen->index, hash);
    for (uint32_t i; (i = tm_probe_next(&seen->index, &probe)) != TM_INDEX_NONE;) {
        *row = &seen->rows[i];
        if (are_of_one_subject(*row, key))
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
    struct tm_seen_definition *last, key = {.pid = e->pid,
                                            .tid = e->tid,
                                            .track = e->track,
                                            .file = e->file,
                                            .machine = e->machine,
                                            .kind = e->kind,
                                            .latest_ns = NO_TIME};
    tm_index_seed(&seen->index);
    uint64_t stated = tm_index_hash_bytes(&seen->index, e->detail, e->detail_bytes);
    int64_t ns = e->time_ns < 0 ? 0 : e->time_ns;
    enum tm_status st = row_of(seen, &key, &last, err);
    if (st < 0)
        return st;
    *repeats = last->latest_ns != NO_TIME && last->latest_ns != OUT_OF_ORDER && last->stated == stated;
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
