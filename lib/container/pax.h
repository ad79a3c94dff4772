/* The records of a PAX extended header: "LENGTH KEY=VALUE\n" one after another (POSIX.1-2008, pax,
 * "pax Extended Header"). */
#ifndef TM_CONTAINER_PAX_H
#define TM_CONTAINER_PAX_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* The records that are used. Text points into the header. Zero-initialise. */
struct tm_pax {
    const uint8_t *path; /* NULL: none. For a sparse member: its own name, not that of its stored form */
    size_t path_bytes;
    const uint8_t *linkpath; /* NULL: none */
    size_t linkpath_bytes;
    bool has_size;
    uint64_t size_bytes;
    bool is_sparse;  /* there is a GNU.sparse.* record */
    bool has_sparse_name; /* private */
    bool in_order;   /* TRACEMERGE.order=processing (doc/containers.md) */
};

/* Reads all records of DATA into PAX. TM_OK, or TM_E_INPUT if one is malformed. The error's text has no place. */
enum tm_status tm_pax_parse(struct tm_pax *pax, const uint8_t *data, size_t len, struct tm_error *err);

#endif
