/* The boots of a journal. Each is a clock that snapshots relate to REALTIME.
 *
 * The boot of the last entry is the machine's MONOTONIC, since a trace recorded beside the journal most likely belongs
 * to that boot. Each other boot is a clock of the file: a sequence-scoped id, one sequence per boot. A snapshot is
 * written when the two times of an entry deviate from the last snapshot by more than a bound: 10 us, doubled after each
 * 1024 snapshots. No snapshot is written while REALTIME is earlier than in the last one, because a clock that runs
 * backwards is never a source of conversions again (doc/rules.md section 5). */
#ifndef TM_FORMAT_JOURNAL_BOOTS_H
#define TM_FORMAT_JOURNAL_BOOTS_H

#include "format/journal/entry.h"
#include "stream/event_sink.h"

/* Zero-initialise. */
struct tm_journal_boots {
    uint32_t count;
    /* private */
    struct tm_table table;
    struct tm_journal_boot *boots;
    uint32_t cap, snapshots;
    bool begins_without; /* the first entry states no boot */
    uint32_t home_index; /* the boot that is MONOTONIC; without a pass of tm_journal_boots_note the first boot */
};

/* First pass: call it for each entry, in order, before the first is placed. The boot of the last entry becomes the one
 * that is MONOTONIC. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_journal_boots_note(struct tm_journal_boots *boots, const struct tm_journal_entry *entry,
                                     struct tm_error *err);

/* Call it after the first pass. If the boot that is MONOTONIC is not that of the first entry, writes its first snapshot
 * before all entries, because the other boots reach MONOTONIC through it. TM_OK or an error. */
enum tm_status tm_journal_boots_begin(struct tm_journal_boots *boots, struct tm_event_sink *sink, struct tm_error *err);

/* Sets clock and reading of EVENT from ENTRY and writes a snapshot before it if one is due. TM_OK; TM_END: the entry
 * has no time; or an error. */
enum tm_status tm_journal_boots_place(struct tm_journal_boots *boots, const struct tm_journal_entry *entry,
                                      struct tm_event_sink *sink, struct tm_event *event, struct tm_error *err);

void tm_journal_boots_release(struct tm_journal_boots *boots);

#endif
