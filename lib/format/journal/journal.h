/* The journal of systemd, as journalctl writes it with -o json (also json-pretty, json-sse, json-seq) and -o export.
 * Each entry is a LOG row. Each boot is a clock of its own, which snapshots relate to REALTIME. Sources:
 * https://systemd.io/JOURNAL_EXPORT_FORMATS/, systemd.journal-fields(7), journalctl(1). */
#ifndef TM_FORMAT_JOURNAL_JOURNAL_H
#define TM_FORMAT_JOURNAL_JOURNAL_H

#include "format/format.h"

enum {
    TM_JOURNAL_ENTRY_MAX = 16 << 20, /* bytes of an entry; more is damage */
    TM_JOURNAL_FIELD_MAX = 64 << 10, /* bytes of a field that becomes an argument; the message may be longer */
    TM_JOURNAL_BOOTS_MAX = 4096      /* boots with a clock of their own; entries of further boots are on REALTIME */
};

extern const struct tm_format tm_format_journal_json;
extern const struct tm_format tm_format_journal_export;

#endif
