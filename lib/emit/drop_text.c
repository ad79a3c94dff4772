#include "emit/drop_text.h"

struct tm_drop_text tm_drop_text_of(enum tm_drop_reason reason)
{
    static const struct tm_drop_text texts[TM_DROP_REASONS] = {
        [TM_DROP_NEGATIVE_TIME] = {"they lie before the start of trace time",
            "it lies before the start of trace time",
            "Give the file a greater offset_ns, or choose a timeline that began earlier."},
        [TM_DROP_NO_PATH] = {"nothing relates their clock to the timeline",
            "nothing relates its clock to the timeline",
            "Record clock snapshots that relate it to BOOTTIME; no entry of a manifest can name this clock."},
        [TM_DROP_UNKNOWN_SOURCE_CLOCK] = {"nothing that was recorded mentions their clock",
            "nothing that was recorded mentions its clock",
            "Record clock snapshots that relate it to BOOTTIME; no entry of a manifest can name this clock."},
        [TM_DROP_UNKNOWN_TARGET_CLOCK] = {"nothing that was recorded mentions the clock of the timeline",
            "nothing that was recorded mentions the clock of the timeline",
            "Choose another trace_time in the manifest."},
        [TM_DROP_OUT_OF_RANGE] = {"their times do not fit into 64 bits of nanoseconds",
            "its time does not fit into 64 bits of nanoseconds",
            "Check the offsets in the manifest."},
        [TM_DROP_DAMAGED] = {"they cannot be read", "it cannot be read",
            "--on-damage salvage continues after the damage; what is inside the damage cannot be recovered."},
        [TM_DROP_SKIPPED_BYTES] = {"they are damaged, or of a kind that is not supported",
            "it is damaged, or of a kind that is not supported",
            "What is damaged cannot be recovered."},
        [TM_DROP_NO_TIME] = {"they have no time", "it has no time",
            "Nothing helps; the program that recorded wrote no time."},
        [TM_DROP_TOO_LARGE] = {"they exceed the size limit of an event", "it exceeds the size limit of an event",
            "Check the file; it is probably damaged or of another type."},
        [TM_DROP_NEEDS_STATE] = {"what they refer to was overwritten in a ring buffer before the trace was written",
            "what it refers to was overwritten in a ring buffer before the trace was written",
            "Record with a larger buffer, or clear incremental state more often."},
        [TM_DROP_UNKNOWN_TYPE] = {"the type of the file is not known", "the type of the file is not known",
            "Remove it from the input."},
        [TM_DROP_UNSUPPORTED] = {"an archive stores them by a method that is not supported",
            "an archive stores it by a method that is not supported",
            "Extract the archive with another program, and merge the folder."},
        [TM_DROP_NOT_SHOWN] = {"no output has a form for them", "no output has a form for it",
            "Nothing helps; only the input has what no output shows."},
        [TM_DROP_NO_THREAD] = {"they name no thread", "it names no thread",
            "Nothing helps; the program that recorded wrote no thread."},
        [TM_DROP_NO_STACK] = {"they are samples without a stack", "it is a sample without a stack",
            "Nothing helps; the profiler could not unwind the stack."},
    };
    static const struct tm_drop_text unknown = {"for a reason that this program does not know",
                                                "for a reason that this program does not know",
                                                "Nothing is known to help."};
    return texts[reason].cause ? texts[reason] : unknown;
}
