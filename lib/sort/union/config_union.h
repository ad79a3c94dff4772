/* The checked manifests of several streams as one Config, for those who ask later how files were
 * configured. */
#ifndef TM_SORT_UNION_CONFIG_UNION_H
#define TM_SORT_UNION_CONFIG_UNION_H

#include "sort/union/machine_union.h"

/* Zero-initialise. */
struct tm_config_union {
    uint32_t entry_count; /* of all configs so far: what the next one's entries are moved by */
    /* private */
    Tracemerge__Config **configs;
    size_t count, cap;
};

/* Takes over CONFIG; its file has been renumbered. Raw ids of its machines become those in MACHINES,
 * which know their names. */
enum tm_status tm_config_union_add(struct tm_config_union *configs, Tracemerge__Config *config,
                                   const struct tm_machine_union *machines, struct tm_error *err);

/* CONFIG is all of them as one, borrowing from them: its four arrays are the caller's to free. TM_END
 * when there are none. */
enum tm_status tm_config_union_get(const struct tm_config_union *configs, Tracemerge__Config *config,
                                   struct tm_error *err);

void tm_config_union_release(struct tm_config_union *configs);

#endif
