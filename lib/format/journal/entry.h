/* An entry of the journal, field by field. */
#ifndef TM_FORMAT_JOURNAL_ENTRY_H
#define TM_FORMAT_JOURNAL_ENTRY_H

#include "base/buf.h"
#include "base/span.h"
#include "base/table.h"

/* Zero-initialise. It keeps its memory from one entry to the next. */
struct tm_journal_entry {
    bool is_brief; /* set by the caller: times and boot alone are kept */
    bool has_realtime, has_monotonic, has_boot, has_pid, has_tid;
    int64_t realtime_us, monotonic_us; /* where the entry has them: at most INT64_MAX / 1000 */
    struct tm_key boot;
    int64_t pid, tid;
    int64_t priority; /* as syslog numbers it; -1: none */
    struct tm_buf message, tag, comm;
    struct tm_buf args; /* Arg messages of a Detail */
    uint64_t left_out;  /* fields that are too long for an argument */
};

/* The entry is without fields from here on. */
void tm_journal_entry_clear(struct tm_journal_entry *entry);

/* True if NAME is one that a field can have. */
bool tm_journal_is_field(struct tm_span name);

/* Takes in field NAME with the LEN bytes VALUE, which may be any. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_journal_entry_add(struct tm_journal_entry *entry, struct tm_span name, const uint8_t *value,
                                    size_t len);

/* Returns the priority as Android numbers it; 0: unknown. */
int tm_journal_entry_priority(const struct tm_journal_entry *entry);

void tm_journal_entry_release(struct tm_journal_entry *entry);

#endif
