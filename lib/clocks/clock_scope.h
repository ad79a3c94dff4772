/* A scope: a file, as far as it belongs to one machine. It determines what clock ids mean there. Source: doc/rules.md
 * section 5. */
#ifndef TM_CLOCKS_CLOCK_SCOPE_H
#define TM_CLOCKS_CLOCK_SCOPE_H

#include "clocks/clock_registry.h"
#include "clocks/placement_record.h"

enum { TM_FILE_RECORDS_MAX = 1 << 16 }; /* pairs of machine and clock id that the timestamps of one file may name */

struct tm_clock_scope {
    uint32_t file;       /* File.id */
    uint32_t file_tag;   /* of its private timeline and its sequence-scoped clocks */
    uint32_t machine;    /* Machine.id */
    bool is_primary;     /* the first file of the machine */
    bool is_isolated;    /* its other clocks carry file_tag too */
    bool is_pinned;      /* every timestamp is a reading of the private timeline */
    bool is_proto;
    bool has_converted;  /* a time was converted, so later claims have no effect */
    bool was_tried;      /* tm_same_domain_relate has been called */
    bool may_wait;       /* a hint may still come, so events that nothing relates to trace time yet are pending */
    uint32_t default_clock; /* of timestamps that name none; 0: times are not converted */
    uint64_t unrelatable_count; /* clock_sync_unrelatable_clock_domains */
    uint64_t invalid_count;     /* snapshots refused */
    struct tm_placement_record *records; /* one for each clock id */
    uint32_t record_count;
    uint32_t *file_record_count;         /* borrowed: number of records in all scopes of the file */
    /* private */
    uint32_t record_cap;
    struct tm_map record_of;
};

/* Returns the identity of clock id CLOCK in SCOPE. SEQUENCE matters only if the clock is sequence-scoped. */
struct tm_clock_key tm_clock_scope_key(const struct tm_clock_scope *scope, uint32_t clock, uint32_t sequence);

/* Returns the key of CLOCK without the file's tag. The private timeline always has the tag, so its own key is returned.
 */
struct tm_clock_key tm_clock_scope_untagged(const struct tm_clock_scope *scope, uint32_t clock);

/* Finds or adds the record for CLOCK and sets *RECORD to its index. TM_OK, TM_E_INPUT (limit) or TM_E_SYSTEM. */
enum tm_status tm_clock_scope_record(struct tm_clock_scope *scope, uint32_t clock, uint32_t *record,
                                     struct tm_error *err);

/* Makes CLOCK the default clock of SCOPE's file from here on, and claims it as trace time. TM_OK, TM_E_INPUT (limit) or
 * TM_E_SYSTEM. */
enum tm_status tm_clock_scope_claim(struct tm_clock_scope *scope, struct tm_clock_registry *registry, uint32_t clock,
                                    struct tm_error *err);

/* A snapshot as a packet of SEQUENCE states it. The clocks of its readings are ids as recorded. */
struct tm_scope_snapshot {
    struct tm_reading *readings; /* the caller's, with room for 2 * count */
    uint32_t count, sequence;
};

/* Adds SNAPSHOT of SCOPE's file. Isolates the file if it is not the primary one. The readings are changed. TM_OK,
 * TM_E_INPUT (limit) or TM_E_SYSTEM. */
enum tm_status tm_clock_scope_snapshot(struct tm_clock_scope *scope, struct tm_clock_registry *registry,
                                       const struct tm_scope_snapshot *snapshot, struct tm_error *err);

/* Writes the Placement, Account and Stat frames of SCOPE. *COUNT grows by the events that they account for. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_clock_scope_write(const struct tm_clock_scope *scope, struct tm_stream_writer *writer,
                                    uint64_t *count, struct tm_error *err);

void tm_clock_scope_release(struct tm_clock_scope *scope);

#endif
