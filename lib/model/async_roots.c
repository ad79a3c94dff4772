#include "model/async_roots.h"

enum tm_status tm_async_roots_get(struct tm_async_roots *roots, const struct tm_key *identity, uint32_t name,
                                  uint32_t *root, struct tm_error *err)
{
    int64_t found = tm_table_find(&roots->open, identity);
    if (found == TM_TABLE_NONE) {
        found = tm_table_find(&roots->recent, identity);
        if (found == TM_TABLE_NONE)
            found = tm_table_find(&roots->before, identity);
        enum tm_status st = tm_table_set(&roots->open, identity, found == TM_TABLE_NONE ? name : found, err);
        if (st < 0)
            return st;
    }
    *root = found == TM_TABLE_NONE ? name : (uint32_t)found;
    return TM_OK;
}

enum tm_status tm_async_roots_closed(struct tm_async_roots *roots, const struct tm_key *identity, uint32_t root,
                                     struct tm_error *err)
{
    tm_table_remove(&roots->open, identity);
    if (roots->recent.count == TM_ASYNC_ROOTS_MAX && tm_table_find(&roots->recent, identity) == TM_TABLE_NONE) {
        struct tm_table old = roots->before;
        roots->before = roots->recent;
        tm_table_clear(&old);
        roots->recent = old;
    }
    return tm_table_set(&roots->recent, identity, root, err);
}

void tm_async_roots_release(struct tm_async_roots *roots)
{
    tm_table_release(&roots->open);
    tm_table_release(&roots->recent);
    tm_table_release(&roots->before);
    *roots = (struct tm_async_roots){0};
}
