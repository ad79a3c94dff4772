#include "emit/drop_text.h"

struct tm_drop_text tm_drop_text_of(enum tm_drop_reason reason)
{
    static const struct tm_drop_text texts[TM_DROP_REASONS] = {
        [TM_DROP_NEGATIVE_TIME] = {"they lie before the start of trace time",
            "Give the file a greater offset_ns, or choose a timeline that began earlier."},
        [TM_DROP_NO_PATH] = {"nothing relates their clock to the timeline",
            "Record clock snapshots that relate it to BOOTTIME; no entry of a manifest can name this clock."},
        [TM_DROP_UNKNOWN_SOURCE_CLOCK] = {"nothing that was recorded mentions their clock",
            "Record clock snapshots that relate it to BOOTTIME; no entry of a manifest can name this clock."},
        [TM_DROP_UNKNOWN_TARGET_CLOCK] = {"nothing that was recorded mentions the clock of the timeline",
            "Choose another trace_time in the manifest."},
        [TM_DROP_OUT_OF_RANGE] = {"their times leave what 64 bits of nanoseconds can hold",
            "Look at the offsets in the manifest."},
        [TM_DROP_DAMAGED] = {"they cannot be read",
            "--on-damage salvage reads on behind the damage; nothing brings back what is in it."},
        [TM_DROP_SKIPPED_BYTES] = {"they are damaged, or of a kind that is not read",
            "Nothing brings them back."},
        [TM_DROP_NO_TIME] = {"they have no time",
            "Nothing can place them; the program that recorded them left it out."},
        [TM_DROP_TOO_LARGE] = {"they are larger than an event may be",
            "Nothing; the file is not what it seems."},
        [TM_DROP_NEEDS_STATE] = {"what they refer to was overwritten in a ring buffer before the trace was written",
            "Record with a larger buffer, or clear incremental state more often."},
        [TM_DROP_UNKNOWN_TYPE] = {"the type of the file is not known",
            "Take it out of the input."},
        [TM_DROP_UNSUPPORTED] = {"an archive stores them in a way that is not read",
            "Extract the archive with another program, and give the folder."},
        [TM_DROP_NOT_SHOWN] = {"no event of an output shows them",
            "Nothing; the file still holds them."},
        [TM_DROP_NO_STACK] = {"they are samples without a stack",
            "Nothing; the profiler could not unwind."},
    };
    static const struct tm_drop_text unknown = {"of this reason", "Nothing is known to help."};
    return texts[reason].cause ? texts[reason] : unknown;
}
