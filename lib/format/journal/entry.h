/* An entry of the journal, field by field. */
#ifndef TM_FORMAT_JOURNAL_ENTRY_H
#define TM_FORMAT_JOURNAL_ENTRY_H

#include "base/buf.h"
#include "base/text.h"
#include "base/table.h"

/* Zero-initialise. Memory is reused from entry to entry. */
struct tm_journal_entry {
    bool is_brief; /* set by the caller: read times and boot only */
    bool has_realtime, has_monotonic, has_boot, has_pid, has_tid;
    int64_t realtime_us, monotonic_us; /* valid if present; at most INT64_MAX / 1000 */
    struct tm_key boot;
    int64_t pid, tid;
    int64_t priority; /* syslog's number; -1: none */
    struct tm_buf message, tag, comm;
    struct tm_buf args; /* Arg messages of a Detail */
    uint64_t left_out;  /* number of fields that are too long for an argument */
};

/* Removes all fields. */
void tm_journal_entry_clear(struct tm_journal_entry *entry);

/* True if NAME is a valid field name. */
bool tm_journal_is_field(struct tm_text name);

/* Adds field NAME with the LEN bytes at VALUE, which may be any bytes. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_journal_entry_add(struct tm_journal_entry *entry, struct tm_text name, const uint8_t *value,
                                    size_t len);

void tm_journal_entry_release(struct tm_journal_entry *entry);

#endif
