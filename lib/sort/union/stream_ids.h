/* Maps the numbers of one stream to those of the merged stream. Numbers that count without a gap are moved by a base.
 * Machines and strings are looked up. */
#ifndef TM_SORT_UNION_STREAM_IDS_H
#define TM_SORT_UNION_STREAM_IDS_H

#include "base/buf.h"

#include <stdbool.h>

struct tm_stream_ids {
    uint32_t file_base, file_count;
    uint32_t order_base, order_end;           /* first and one past the last order of processing, new */
    uint32_t generation_base, generation_count; /* old generation 1 becomes base + 1 */
    uint32_t snapshot_base, snapshot_end;     /* first new snapshot number, and one past the last */
    uint32_t entry_base;                      /* base of the manifest's entries */
    bool has_extra_strings;                   /* some strings are not in the table */
    bool is_merge;                            /* file 0 is the merge's own and stays file 0 */
    /* private: a uint32_t for each machine and each string; a byte for each file, 1 once its turn has begun */
    struct tm_buf machines, strings, begun;
};

/* These replace *ID by its new number; the number of an inline string stays. TM_OK, or TM_E_INPUT if the stream never
 * defined it. */
enum tm_status tm_stream_ids_file(const struct tm_stream_ids *ids, uint32_t *id, struct tm_error *err);
enum tm_status tm_stream_ids_machine(const struct tm_stream_ids *ids, uint32_t *id, struct tm_error *err);
enum tm_status tm_stream_ids_generation(const struct tm_stream_ids *ids, uint32_t *id, struct tm_error *err);
enum tm_status tm_stream_ids_string(const struct tm_stream_ids *ids, uint32_t *id, struct tm_error *err);

/* These add the new number of the next machine or string. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_stream_ids_add_machine(struct tm_stream_ids *ids, uint32_t number, struct tm_error *err);
enum tm_status tm_stream_ids_add_string(struct tm_stream_ids *ids, uint32_t number, struct tm_error *err);
uint32_t tm_stream_ids_string_count(const struct tm_stream_ids *ids);

/* Begins the turn of FILE, an old number. TM_OK; TM_E_INPUT if the stream never defined it; TM_E_SYSTEM. */
enum tm_status tm_stream_ids_begin(struct tm_stream_ids *ids, uint32_t file, struct tm_error *err);
bool tm_stream_ids_has_begun(const struct tm_stream_ids *ids, uint32_t file);

void tm_stream_ids_release(struct tm_stream_ids *ids);

#endif
