#include "stream/drop_reason.h"

static const char *const names[TM_DROP_REASONS] = {
    [TM_DROP_NEGATIVE_TIME] = "negative_time",
    [TM_DROP_NO_PATH] = "no_path",
    [TM_DROP_UNKNOWN_SOURCE_CLOCK] = "unknown_source_clock",
    [TM_DROP_UNKNOWN_TARGET_CLOCK] = "unknown_target_clock",
    [TM_DROP_OUT_OF_RANGE] = "out_of_range",
    [TM_DROP_DAMAGED] = "damaged",
    [TM_DROP_SKIPPED_BYTES] = "skipped_bytes",
    [TM_DROP_NO_TIME] = "no_time",
    [TM_DROP_NO_THREAD] = "no_thread",
    [TM_DROP_NO_STACK] = "no_stack",
    [TM_DROP_TOO_LARGE] = "too_large",
    [TM_DROP_NEEDS_STATE] = "needs_state",
    [TM_DROP_UNKNOWN_TYPE] = "unknown_type",
    [TM_DROP_UNSUPPORTED] = "unsupported",
    [TM_DROP_NOT_SHOWN] = "not_shown",
    [TM_DROP_UNMATCHED_END] = "unmatched_end",
    [TM_DROP_FILTERED] = "filtered",
};

const char *tm_drop_reason_name(enum tm_drop_reason reason)
{
    return names[reason];
}

enum tm_drop_reason tm_drop_reason_of(struct tm_text name)
{
    for (int i = TM_DROP_OTHER + 1; i < TM_DROP_REASONS; i++)
        if (tm_text_is(name, names[i]))
            return (enum tm_drop_reason)i;
    return TM_DROP_OTHER;
}
