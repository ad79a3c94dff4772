/* What the readers of the journal's two formats have in common: finding one entry after another in an input. */
#ifndef TM_FORMAT_JOURNAL_INTERNAL_H
#define TM_FORMAT_JOURNAL_INTERNAL_H

#include "format/journal/entry.h"
#include "os/input.h"

/* How a format is read. */
struct tm_journal_syntax {
    /* Reads the entry at the front of IN without consuming it; what is between entries is consumed. TM_OK: *SIZE bytes
     * are the entry. TM_END: nothing more is there. TM_E_INPUT with ERR not set: damage; *CAUSE is what is wrong. Else
     * an error. */
    enum tm_status (*read)(struct tm_input *in, struct tm_journal_entry *entry, size_t *size, const char **cause,
                           struct tm_error *err);
    /* Finds where an entry may begin: at P or behind it, before END; *P becomes that place. False: there is none, and
     * *P becomes the place from which to look again when more bytes are there. */
    bool (*find)(const uint8_t **p, const uint8_t *end);
};

extern const struct tm_journal_syntax tm_journal_json, tm_journal_export;

/* Passes over the damage at the front of IN, up to where an entry may begin or to the end. *SKIPPED grows by the bytes.
 * TM_OK or an error. */
enum tm_status tm_journal_pass_damage(const struct tm_journal_syntax *syntax, struct tm_input *in, uint64_t *skipped,
                                      struct tm_error *err);

/* True if HEAD begins a file of the format. */
bool tm_journal_json_sniff(const uint8_t *head, size_t len);
bool tm_journal_export_sniff(const uint8_t *head, size_t len);

#endif
