#include "format/journal/boots.h"

#include "base/time_units.h"
#include "format/journal/journal.h"
#include "stream/clock_id.h"

#include <stdlib.h>

enum { BOUND_US = 10, SNAPSHOTS_A_BOUND = 1024, BOUND_DOUBLINGS_MAX = 40 };

struct tm_journal_boot {
    bool has_snapshot;
    bool has_first;
    int64_t realtime_us, monotonic_us; /* of the last snapshot; before the first snapshot, of the first entry */
};

/* Sets *INDEX to the number of the boot of ENTRY. TM_OK; TM_END: there are too many boots; or an error. */
static enum tm_status find(struct tm_journal_boots *b, const struct tm_journal_entry *entry, uint32_t *index,
                           struct tm_error *err)
{
    int64_t found = tm_table_find(&b->table, &entry->boot);
    if (found != TM_TABLE_NONE) {
        *index = (uint32_t)found;
        return TM_OK;
    }
    if (b->count == TM_JOURNAL_BOOTS_MAX)
        return TM_END;
    enum tm_status st = tm_array_grow(&b->boots, &b->cap, b->count, sizeof *b->boots, err);
    if (st == TM_OK)
        st = tm_table_set(&b->table, &entry->boot, b->count, err);
    if (st < 0)
        return st;
    *index = b->count++;
    return TM_OK;
}

static bool is_due(const struct tm_journal_boots *b, const struct tm_journal_boot *boot,
                   const struct tm_journal_entry *e)
{
    uint32_t doublings = b->snapshots / SNAPSHOTS_A_BOUND;
    int64_t bound = (int64_t)BOUND_US << (doublings < BOUND_DOUBLINGS_MAX ? doublings : BOUND_DOUBLINGS_MAX);
    if (!boot->has_snapshot)
        return true;
    int64_t change = (e->realtime_us - boot->realtime_us) - (e->monotonic_us - boot->monotonic_us);
    return (change > bound || change < -bound) && e->realtime_us > boot->realtime_us &&
           e->monotonic_us > boot->monotonic_us;
}

static enum tm_status put_snapshot(struct tm_journal_boots *b, uint32_t index, struct tm_event_sink *sink,
                                   struct tm_error *err)
{
    Tracemerge__Snapshot snapshot = TRACEMERGE__SNAPSHOT__INIT;
    struct tm_journal_boot *boot = &b->boots[index];
    const bool is_home = index == b->home_index;
    const struct tm_clock_reading pair[2] = {
        {TM_CLOCK_REALTIME, boot->realtime_us * TM_NS_PER_US},
        {is_home ? TM_CLOCK_MONOTONIC : TM_CLOCK_SEQUENCE_FIRST, boot->monotonic_us * TM_NS_PER_US}};
    boot->has_snapshot = true;
    b->snapshots++;
    snapshot.sequence = is_home ? 0 : index + 1;
    return tm_event_sink_snapshot(sink, &snapshot, pair, err);
}

enum tm_status tm_journal_boots_note(struct tm_journal_boots *b, const struct tm_journal_entry *e, struct tm_error *err)
{
    uint32_t index = 0;
    enum tm_status st = e->has_boot && e->has_monotonic ? find(b, e, &index, err) : TM_END;
    b->begins_without |= st == TM_END && b->count == 0;
    if (st != TM_OK)
        return st < 0 ? st : TM_OK;
    struct tm_journal_boot *boot = &b->boots[index];
    b->home_index = index;
    if (e->has_realtime && !boot->has_first)
        *boot = (struct tm_journal_boot){false, true, e->realtime_us, e->monotonic_us};
    return TM_OK;
}

enum tm_status tm_journal_boots_begin(struct tm_journal_boots *b, struct tm_event_sink *sink, struct tm_error *err)
{
    if (b->count == 0 || (b->home_index == 0 && !b->begins_without) || !b->boots[b->home_index].has_first)
        return TM_OK;
    return put_snapshot(b, b->home_index, sink, err);
}

enum tm_status tm_journal_boots_place(struct tm_journal_boots *b, const struct tm_journal_entry *e,
                                      struct tm_event_sink *sink, struct tm_event *event, struct tm_error *err)
{
    uint32_t index = 0;
    if (!e->has_realtime && !e->has_monotonic)
        return TM_END;
    event->clock = TM_CLOCK_REALTIME;
    event->sequence = 0;
    event->time_ns = e->has_realtime ? e->realtime_us * TM_NS_PER_US : 0;
    enum tm_status st = e->has_monotonic && e->has_boot ? find(b, e, &index, err) : TM_END;
    if (st != TM_OK)
        return st < 0 ? st : e->has_realtime ? TM_OK : TM_END;
    bool is_monotonic = index == b->home_index;
    event->clock = is_monotonic ? TM_CLOCK_MONOTONIC : TM_CLOCK_SEQUENCE_FIRST;
    event->sequence = is_monotonic ? 0 : index + 1;
    event->time_ns = e->monotonic_us * TM_NS_PER_US;
    struct tm_journal_boot *boot = &b->boots[index];
    if (!e->has_realtime || !is_due(b, boot, e))
        return TM_OK;
    boot->realtime_us = e->realtime_us;
    boot->monotonic_us = e->monotonic_us;
    return put_snapshot(b, index, sink, err);
}

void tm_journal_boots_release(struct tm_journal_boots *b)
{
    tm_table_release(&b->table);
    free(b->boots);
}
