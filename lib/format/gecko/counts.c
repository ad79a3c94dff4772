#include "format/gecko/counts.h"

static enum tm_status write_accounts(const struct tm_gecko_counts *counts, struct tm_event_sink *sink,
                                     struct tm_error *err)
{
    const struct {
        enum tm_drop_reason reason;
        const struct tm_gecko_account *account;
    } accounts[] = {{TM_DROP_DAMAGED, &counts->damaged},
                    {TM_DROP_NO_TIME, &counts->no_time},
                    {TM_DROP_NO_STACK, &counts->no_stack},
                    {TM_DROP_NOT_SHOWN, &counts->not_shown},
                    {TM_DROP_SKIPPED_BYTES, &counts->skipped}};
    enum tm_status st = TM_OK;
    for (size_t i = 0; st >= 0 && i < sizeof accounts / sizeof *accounts; i++) {
        const struct tm_gecko_account *a = accounts[i].account;
        if (a->count)
            st = tm_event_sink_account(sink, (struct tm_loss){accounts[i].reason, 0, a->count, a->byte}, err);
    }
    return st;
}

enum tm_status tm_gecko_counts_write(const struct tm_gecko_counts *counts, uint64_t broken_stacks,
                                     struct tm_event_sink *sink, struct tm_error *err)
{
    const struct {
        const char *name;
        Tracemerge__Severity severity;
        uint64_t count;
    } stats[] = {{"gecko_stack_cut", TRACEMERGE__SEVERITY__DATA_LOSS, counts->stacks_cut},
                 {"gecko_stack_broken", TRACEMERGE__SEVERITY__ERROR, broken_stacks},
                 {"gecko_process_without_start", TRACEMERGE__SEVERITY__ERROR, counts->no_start},
                 {"gecko_marker_tracks_shared", TRACEMERGE__SEVERITY__ERROR, counts->tracks_shared},
                 {"gecko_args_cut", TRACEMERGE__SEVERITY__DATA_LOSS, counts->args_cut}};
    enum tm_status st = write_accounts(counts, sink, err);
    for (size_t i = 0; st >= 0 && i < sizeof stats / sizeof *stats; i++)
        if (stats[i].count)
            st = tm_event_sink_stat(sink, stats[i].name, stats[i].severity, (int64_t)stats[i].count, err);
    return st;
}
