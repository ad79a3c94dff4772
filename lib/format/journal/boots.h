/* The boots that a journal tells of, each a clock, and what relates these to REALTIME.
 *
 * The boot of the last entry is the machine's MONOTONIC, as that is the boot in which a trace beside the journal was
 * most likely recorded. Each other boot is a clock of the file (a sequence-scoped id, with a sequence a boot). A
 * snapshot is made where an entry's two times are further from the relation of the last snapshot than a bound: 10 us,
 * which doubles with each 1024 snapshots. None is made while REALTIME is behind that of the last one, since a clock
 * that runs backwards converts nothing any more (doc/rules.md section 5). */
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
    uint32_t home_index; /* of the boot that is MONOTONIC: the first that is met, if none was noted */
};

/* In a pass over all entries, before any is placed: ENTRY is the next. The boot of the last one is home. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_journal_boots_note(struct tm_journal_boots *boots, const struct tm_journal_entry *entry,
                                     struct tm_error *err);

/* Behind that pass. Where home is not the first boot, its first snapshot goes ahead of all entries, as what others are
 * on MONOTONIC depends on it. TM_OK or an error. */
enum tm_status tm_journal_boots_begin(struct tm_journal_boots *boots, struct tm_event_sink *sink, struct tm_error *err);

/* The clock and the reading of ENTRY into EVENT, behind a snapshot where one is due. TM_OK; TM_END: the entry has no
 * time; or an error. */
enum tm_status tm_journal_boots_place(struct tm_journal_boots *boots, const struct tm_journal_entry *entry,
                                      struct tm_event_sink *sink, struct tm_event *event, struct tm_error *err);

void tm_journal_boots_release(struct tm_journal_boots *boots);

#endif
