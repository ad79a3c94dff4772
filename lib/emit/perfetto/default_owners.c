#include "emit/perfetto/default_owners.h"

#include <stdlib.h>

enum tm_status tm_default_owners_init(struct tm_default_owners *o, const struct tm_catalog *catalog)
{
    o->files = calloc((size_t)catalog->machine_count + 1, sizeof *o->files);
    if (o->files == NULL)
        return TM_E_SYSTEM;
    o->machine_count = catalog->machine_count;
    for (uint32_t i = 1; i < catalog->sequence_count; i++) {
        const struct tm_catalog_sequence *s = &catalog->sequences[i];
        if (s->machine >= o->machine_count || s->file >= catalog->file_count)
            continue;
        uint32_t *owner = &o->files[s->machine];
        if (*owner && *owner != s->file + 1)
            o->is_shared = true;
        if (*owner == 0 || catalog->files[s->file].processing_order < catalog->files[*owner - 1].processing_order)
            *owner = s->file + 1;
    }
    return TM_OK;
}

enum tm_status tm_default_owners_describe(struct tm_default_owners *o, uint64_t uuid)
{
    return tm_map_add(&o->described, uuid, 0);
}

void tm_default_owners_release(struct tm_default_owners *o)
{
    free(o->files);
    tm_map_release(&o->described);
    *o = (struct tm_default_owners){0};
}
