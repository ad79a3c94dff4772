/* The times from which the ftrace data of a proto counts. Kernels keep events in a buffer for each cpu, so a recording
 * can begin with events from before its start, and with times for which only some cpus have events. Definitions state
 * both times. Rules: importers/ftrace/ftrace_parser.cc of perfetto. */
#ifndef TM_MODEL_RECORDING_STARTS_H
#define TM_MODEL_RECORDING_STARTS_H

#include "base/table.h"
#include "base/text.h"
#include "stream/event.h"

/* Zero-initialise. */
struct tm_recording_starts {
    /* private */
    struct tm_recording_start {
        bool preserves_buffer; /* events from before the start count */
        int64_t start_ns, complete_ns;
    } *rows;
    uint32_t count, cap;
    struct tm_table by_place; /* (file, machine) to its place in rows */
    int64_t latest_ns; /* the latest of all these times */
    struct tm_table cut_cpus; /* (file, machine, cpu) whose last switch was before the start */
    bool hides; /* the last event that is not derived is before the start */
};

/* What is shown of an event. */
enum tm_recording_part {
    TM_RECORDING_HIDDEN, /* nothing: it is from before the start */
    TM_RECORDING_RECORD, /* that it was recorded: not all cpus have events of its time */
    TM_RECORDING_SHOWN
};

/* Notes DEFINITION, whose name is NAME. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_recording_starts_note(struct tm_recording_starts *starts, const struct tm_event *definition,
                                        struct tm_text name, struct tm_error *err);

/* True if all events at TIME_NS and later are SHOWN, unchanged. */
static inline bool tm_recording_starts_are_past(const struct tm_recording_starts *starts, int64_t time_ns)
{
    return starts->count == 0 || (time_ns >= starts->latest_ns && starts->cut_cpus.count == 0);
}

/* Sets *PART for EVENT, any event at its time. Of compact scheduling after a switch that is hidden, EVENT then no
 * longer states the task that ran, because the reference does not know it. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_recording_starts_take(struct tm_recording_starts *starts, struct tm_event *event,
                                        enum tm_recording_part *part, struct tm_error *err);

void tm_recording_starts_release(struct tm_recording_starts *starts);

#endif
