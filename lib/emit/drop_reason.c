#include "emit/drop_reason.h"

#include <string.h>

static const struct tm_drop_reason reasons[] = {
    {"negative_time", "they lie before the start of trace time",
     "Give the file a greater offset_ns, or choose a timeline that began earlier."},
    {"no_path", "nothing relates their clock to the timeline",
     "Record clock snapshots that relate it to BOOTTIME; no entry of a manifest can name this clock."},
    {"unknown_source_clock", "nothing that was recorded mentions their clock",
     "Record clock snapshots that relate it to BOOTTIME; no entry of a manifest can name this clock."},
    {"unknown_target_clock", "nothing that was recorded mentions the clock of the timeline",
     "Choose another trace_time in the manifest."},
    {"out_of_range", "their times leave what 64 bits of nanoseconds can hold", "Look at the offsets in the manifest."},
    {"damaged", "they cannot be read",
     "--on-damage salvage reads on behind the damage; nothing brings back what is in it."},
    {"skipped_bytes", "they were jumped over behind damage", "Nothing brings them back."},
    {"no_time", "they have no time", "Nothing can place them; the program that recorded them left it out."},
    {"too_large", "they are larger than an event may be", "Nothing; the file is not what it seems."},
    {"needs_state", "what they refer to was overwritten in a ring buffer before the trace was written",
     "Record with a larger buffer, or clear incremental state more often."},
    {"unknown_type", "the type of the file is not known", "Take it out of the input."},
    {"unsupported", "an archive stores them in a way that is not read",
     "Extract the archive with another program, and give the folder."},
    {"not_shown", "no output shows their kind", "Nothing; the file still holds them."},
    {"no_stack", "they are samples without a stack", "Nothing; the profiler could not unwind."},
    {NULL, "of this reason", "Nothing is known to help."},
};

const struct tm_drop_reason *tm_drop_reason_find(ProtobufCBinaryData reason)
{
    const struct tm_drop_reason *r = reasons;
    while (r->name && (reason.len != strlen(r->name) || memcmp(reason.data, r->name, reason.len) != 0))
        r++;
    return r;
}
