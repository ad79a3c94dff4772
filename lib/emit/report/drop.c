#include "emit/report/drop.h"

#include "emit/report/words.h"

struct reason {
    const char *name, *cause, *remedy;
};

/* What is said where the manifest can say it and where it cannot. */
static const char *const by_manifest = "The manifest below places them.";

static const struct reason reasons[] = {
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
    {"not_shown", "no output shows their kind", "Nothing; the file still holds them."},
    {"no_stack", "they are samples without a stack", "Nothing; the profiler could not unwind."},
    {NULL, "of this reason", "Nothing is known to help."},
};

static const struct reason *find_reason(const Tracemerge__Account *a)
{
    const struct reason *reason = reasons;
    while (reason->name && !tm_report_is(a->reason, reason->name))
        reason++;
    return reason;
}

static void put_where(struct tm_report *r, const Tracemerge__Account *a)
{
    if (a->clock) {
        tm_out_str(&r->out, " on ");
        tm_report_put_clock(r, a->clock);
    }
    tm_out_str(&r->out, " dropped, ");
    tm_out_escaped(&r->out, tm_text_of(a->reason));
}

static void put_definitions(struct tm_report *r, const Tracemerge__Account *a)
{
    if (a->definition_count == 0)
        return;
    tm_out_str(&r->out, ", and ");
    tm_report_put_count(r, a->definition_count, "definition");
}

void tm_report_explain_account(struct tm_report *r, const Tracemerge__Account *a, const Tracemerge__Placement *p,
                               struct tm_remedies *remedies)
{
    const struct reason *reason = find_reason(a);
    tm_out_str(&r->out, "  ");
    tm_report_put_count(r, a->count, tm_accounting_is_bytes(a) ? "byte" : "event");
    put_definitions(r, a);
    put_where(r, a);
    tm_out_str(&r->out, ": ");
    tm_out_str(&r->out, reason->cause);
    if (a->has_earliest_ns) {
        tm_out_str(&r->out, ", the earliest by ");
        tm_out_duration(&r->out, a->earliest_ns == INT64_MIN ? INT64_MAX : -a->earliest_ns);
    }
    if (a->has_byte) {
        tm_out_str(&r->out, ", first at byte ");
        tm_out_u64(&r->out, a->byte);
    }
    tm_out_str(&r->out, ".\n  ");
    tm_out_str(&r->out, p && tm_report_suggestion(r, remedies, p, a) ? by_manifest : reason->remedy);
    tm_out_char(&r->out, '\n');
}
