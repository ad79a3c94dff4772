/* Why events are not placed, as accounts name it (tm-stream(5)). */
#ifndef TM_STREAM_DROP_REASON_H
#define TM_STREAM_DROP_REASON_H

#include "base/text.h"

enum tm_drop_reason {
    TM_DROP_NONE = 0, /* nothing is dropped */
    TM_DROP_OTHER,    /* a reason that this version does not know */
    TM_DROP_NEGATIVE_TIME,
    TM_DROP_NO_PATH,
    TM_DROP_UNKNOWN_SOURCE_CLOCK,
    TM_DROP_UNKNOWN_TARGET_CLOCK,
    TM_DROP_OUT_OF_RANGE,
    TM_DROP_DAMAGED,
    TM_DROP_SKIPPED_BYTES, /* the account counts bytes, not events */
    TM_DROP_NO_TIME,
    TM_DROP_NO_THREAD,
    TM_DROP_NO_STACK,
    TM_DROP_TOO_LARGE,
    TM_DROP_NEEDS_STATE,
    TM_DROP_UNKNOWN_TYPE,
    TM_DROP_UNSUPPORTED,
    TM_DROP_NOT_SHOWN,
    TM_DROP_UNMATCHED_END,
    TM_DROP_FILTERED, /* left out as --only asks */
    TM_DROP_REASONS
};

/* Returns "negative_time", "no_path", …; NULL for TM_DROP_NONE and TM_DROP_OTHER. */
const char *tm_drop_reason_name(enum tm_drop_reason reason);

/* Returns the reason called NAME, or TM_DROP_OTHER. */
enum tm_drop_reason tm_drop_reason_of(struct tm_text name);

#endif
