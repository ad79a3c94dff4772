/* Resolves the fields of a manifest against each other, into the stream's Config message: machines with raw ids, edges
 * between clocks, the clock of trace time. Reports contradictions.
 *
 * Source: perfetto_manifest(5); doc/rules.md section 4 (raw ids) and section 5 (edges of a manifest). */
#ifndef TM_MANIFEST_CONFIG_H
#define TM_MANIFEST_CONFIG_H

#include "manifest/fields.h"
#include "tm_stream.pb-c.h"

#define TM_MACHINE_RAW_ID_FIRST (INT64_C(1) << 32) /* above every id a packet can hold */

/* Zero-initialise. */
struct tm_manifest_config {
    Tracemerge__Config message; /* points into this struct's memory and the fields' strings */
    bool has_lines;             /* an edge of it has points */
    /* private */
    void *memory[20];
    size_t memory_count;
};

/* Resolves FIELDS, which must outlive CONFIG. TM_OK, with the message set unless PROBLEMS has any; TM_E_SYSTEM if out
 * of memory. */
enum tm_status tm_manifest_config_make(struct tm_manifest_config *config, const struct tm_manifest_fields *fields,
                                       struct tm_manifest_problems *problems);

void tm_manifest_config_release(struct tm_manifest_config *config);

#endif
