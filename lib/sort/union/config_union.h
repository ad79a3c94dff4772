/* Joins the checked manifests of several streams into one Config. It tells later stages how files were configured. */
#ifndef TM_SORT_UNION_CONFIG_UNION_H
#define TM_SORT_UNION_CONFIG_UNION_H

#include "sort/union/machine_union.h"

/* Zero-initialise. */
struct tm_config_union {
    uint32_t entry_count; /* entries of all configs so far; the next config's entries are moved by it */
    /* private */
    Tracemerge__Config **configs;
    uint32_t count, cap;
};

/* Adds and takes over CONFIG, whose file has been renumbered. Raw ids of its machines become those in MACHINES, which
 * has their names. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_config_union_add(struct tm_config_union *configs, Tracemerge__Config *config,
                                   const struct tm_machine_union *machines, struct tm_error *err);

/* Sets *CONFIG to all configs as one. It borrows from them; the caller frees its four arrays. TM_END if there are
 * none. */
enum tm_status tm_config_union_get(const struct tm_config_union *configs, Tracemerge__Config *config,
                                   struct tm_error *err);

void tm_config_union_release(struct tm_config_union *configs);

#endif
