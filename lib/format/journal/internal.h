/* What the readers of both journal formats share: they find one entry after another in an input. */
#ifndef TM_FORMAT_JOURNAL_INTERNAL_H
#define TM_FORMAT_JOURNAL_INTERNAL_H

#include "format/journal/entry.h"
#include "os/input.h"

/* The functions of a format. */
struct tm_journal_syntax {
    /* Reads the entry at the front of IN without consuming it. Consumes what precedes it. TM_OK: the entry ends *SIZE
     * bytes after the front. TM_END: no more entries. TM_E_INPUT with ERR not set: damage; *CAUSE says what is wrong.
     * Otherwise an error. */
    enum tm_status (*read)(struct tm_input *in, struct tm_journal_entry *entry, size_t *size, const char **cause,
                           struct tm_error *err);
    /* Searches [*P, END) for a place where an entry may begin and moves *P there. False: there is none; *P is where the
     * next search starts when there are more bytes. */
    bool (*find)(const uint8_t **p, const uint8_t *end);
};

extern const struct tm_journal_syntax tm_journal_json, tm_journal_export;

/* True if HEAD begins a file of the format. */
bool tm_journal_json_sniff(const uint8_t *head, size_t len);
bool tm_journal_export_sniff(const uint8_t *head, size_t len);

#endif
