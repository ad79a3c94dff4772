/* The content of a stream apart from its events: files, machines, strings, sequences, the trace-time clock, placements
 * and accounts. Outputs look up names and ids here. Memory grows with the number of these, never with the number of
 * events. The sink bounds the strings. */
#ifndef TM_MODEL_CATALOG_H
#define TM_MODEL_CATALOG_H

#include "base/text.h"
#include "base/buf.h"
#include "base/index.h"
#include "stream/arg_keys.h"
#include "stream/input_type.h"
#include "stream/reader.h"

#include <string.h>

struct tm_catalog_file {
    bool has_parent;
    uint32_t parent;
    struct tm_text name; /* data is NULL for the outermost file */
    struct tm_text type; /* as the stream names it */
    enum tm_input_type input_type;
    uint64_t size_bytes;
    bool is_container;
    bool begun;                /* its turn has begun */
    uint32_t processing_order; /* valid if begun */
    Tracemerge__ClockPolicy clock_policy;
    /* from its FileEnd */
    uint64_t timed_count, untimed_count;
    bool lists_slice_tids;
    int64_t *slice_tids;
    size_t slice_tid_count;
};

struct tm_catalog_machine {
    int64_t raw_id;
    struct tm_text name; /* data NULL: none */
};

struct tm_catalog_sequence {
    uint32_t file, machine, trusted_packet_sequence_id;
};

/* Zero-initialise. Arrays are indexed by id; owned by the catalog. */
struct tm_catalog {
    struct tm_catalog_file *files;
    uint32_t file_count;
    struct tm_catalog_machine *machines;
    uint32_t machine_count;
    struct tm_catalog_sequence *sequences; /* [0] is unused: generations count from 1 */
    uint32_t sequence_count;               /* with unused entry 0 */
    bool has_trace_time;
    uint32_t trace_time_clock;
    bool trace_time_has_machine, trace_time_has_file;
    uint32_t trace_time_machine, trace_time_file;
    /* Frames that outputs list, decoded and owned by the catalog. Accounts that differ only in their count are added
     * up. So are stats. */
    Tracemerge__Placement **placements;
    uint32_t placement_count;
    Tracemerge__Account **accounts;
    uint32_t account_count;
    Tracemerge__Stat **stats;
    uint32_t stat_count;
    Tracemerge__Metadata **metadata;
    uint32_t metadata_count;
    bool has_head_hash;
    uint64_t head_hash; /* of file 0: File.head_hash */
    struct tm_text given_name; /* of file 0 if a command line named it; data NULL: none */
    uint32_t string_count; /* ids 1 to string_count */
    /* private */
    struct tm_buf text;
    size_t *string_bounds; /* string i is from string_bounds[i - 1] to string_bounds[i] of text */
    uint32_t string_cap;
    uint32_t file_cap, machine_cap, sequence_cap;
    uint32_t placement_cap, account_cap, stat_cap, metadata_cap;
    struct tm_index account_index, stat_index;
};

/* Takes in FRAME. Frames that the catalog does not use (batches, clock rows, snapshots) are ignored with TM_OK.
 * TM_E_INPUT "byte N: …" if ids have gaps or refer to an unnamed file, or if counts overflow. The machines of accounts,
 * stats, placements and metadata are not checked: before tm-clocks they are embedded ids. */
enum tm_status tm_catalog_add(struct tm_catalog *catalog, const struct tm_frame *frame, struct tm_error *err);

/* So many bytes after the text of a numbered string may be read; their content is undefined. This lets a caller copy a
 * short string with a fixed size. */
enum { TM_CATALOG_TEXT_SLACK = 16 };

/* Does the work of tm_catalog_string for a STRING without a number. */
struct tm_text tm_catalog_inline_string(uint32_t string, const struct tm_event *event);

/* Returns the text of STRING, a name or category column of EVENT. Its data is NULL for none and for an id or offset
 * that does not exist. A numbered string is valid until the next add, an inline string as long as the event. */
static inline struct tm_text tm_catalog_string(const struct tm_catalog *catalog, uint32_t string,
                                               const struct tm_event *event)
{
    if (string - 1 >= catalog->string_count)
        return tm_catalog_inline_string(string, event);
    const size_t *bounds = catalog->string_bounds + string;
    return (struct tm_text){catalog->text.data + bounds[-1], bounds[0] - bounds[-1]};
}

/* Returns an expander of events' args by the strings of CATALOG, which is borrowed. */
struct tm_arg_expander tm_catalog_expander(const struct tm_catalog *catalog);

/* Returns the count of the account with the file, machine, clock and reason of LIKE; 0 if there is no such account. */
uint64_t tm_catalog_account_count(const struct tm_catalog *catalog, const Tracemerge__Account *like);

/* Returns row ID of the machine table, or NULL. */
const struct tm_catalog_machine *tm_catalog_machine(const struct tm_catalog *catalog, uint32_t id);

/* Writes the full path of a file for people: names from the outermost down, joined by "/". If no part has a name, the
 * command line's name for the outermost file is used, or "-" for standard input. The path is escaped as by
 * tm_text_escape. Writes at most SIZE bytes with the NUL. */
void tm_catalog_path(const struct tm_catalog *catalog, uint32_t file, char *out, size_t size);

void tm_catalog_release(struct tm_catalog *catalog);

#endif
