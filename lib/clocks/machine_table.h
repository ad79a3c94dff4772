/* The machine table: from raw id to row. Row 0 is the machine that the reference importer calls the host. Events that
 * name no machine belong to it. Source: doc/rules.md section 4. */
#ifndef TM_CLOCKS_MACHINE_TABLE_H
#define TM_CLOCKS_MACHINE_TABLE_H

#include "base/map.h"

#include <stddef.h>

enum { TM_MACHINES_MAX = 1 << 16, TM_MACHINE_NAME_MAX = 1 << 12 };

struct tm_machine {
    int64_t raw_id;
    char *name; /* owned, NUL-terminated; NULL: none */
    size_t name_bytes;
    bool has_data; /* a packet without an embedded id belonged to it; synchronization markers do not count */
    bool has_file; /* a file has had this machine; it is not the primary machine of later files */
};

/* Zero-initialise. Rows are numbered from 0 in the order in which they are added. */
struct tm_machine_table {
    struct tm_machine *rows;
    uint32_t count;
    /* private */
    uint32_t cap;
    struct tm_map row_of;
};

/* True, with *ROW set, if RAW_ID has a row. Id 0 finds an adopted host too. */
bool tm_machine_table_find(const struct tm_machine_table *table, int64_t raw_id, uint32_t *row);

/* Adds a row for RAW_ID, which has none. TM_OK, TM_E_INPUT (limit) or TM_E_SYSTEM. */
enum tm_status tm_machine_table_add(struct tm_machine_table *table, int64_t raw_id, uint32_t *row,
                                    struct tm_error *err);

/* Gives ROW the id RAW_ID, which has no row. The old id still finds ROW. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_machine_table_adopt(struct tm_machine_table *table, uint32_t row, int64_t raw_id,
                                      struct tm_error *err);

/* Names ROW. A name is cut at TM_MACHINE_NAME_MAX bytes. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_machine_table_name(struct tm_machine_table *table, uint32_t row, const void *name, size_t len,
                                     struct tm_error *err);

/* Writes the name of ROW for paths to OUT of SIZE bytes, escaped: its name, "host" for raw id 0, else "machine RAW_ID".
 */
void tm_machine_table_text(const struct tm_machine_table *table, uint32_t row, char *out, size_t size);

void tm_machine_table_release(struct tm_machine_table *table);

#endif
