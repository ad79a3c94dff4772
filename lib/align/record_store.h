/* Records in any number of parts; each part can be read by itself. A part has one block in memory; further blocks go to
 * one temporary file. So memory grows with the parts, not with the records. */
#ifndef TM_ALIGN_RECORD_STORE_H
#define TM_ALIGN_RECORD_STORE_H

#include "os/temporary_file.h"
#include "align/record.h"
#include "base/status.h"

/* Zero-initialise, and set file.dir. */
struct tm_record_store {
    struct tm_temporary_file file;
    uint32_t block_records; /* number of records in a block; set before the first add */
    uint32_t part_count;
    /* private */
    struct tm_record_part *parts;
    uint32_t part_cap;
};

/* Adds RECORD to PART, which may be new. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_record_store_add(struct tm_record_store *store, uint32_t part, const struct tm_record *record,
                                   struct tm_error *err);

/* Returns the number of records of PART. */
uint64_t tm_record_store_count(const struct tm_record_store *store, uint32_t part);

/* Reads all records of PART, in no order, to *RECORDS (to be freed). TM_OK or TM_E_SYSTEM. */
enum tm_status tm_record_store_load(const struct tm_record_store *store, uint32_t part, struct tm_record **records,
                                    uint32_t *count, struct tm_error *err);

void tm_record_store_release(struct tm_record_store *store);

#endif
