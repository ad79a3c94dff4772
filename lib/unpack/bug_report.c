#include "unpack/bug_report.h"

#include "base/calendar.h"
#include "format/dumpstate/dumpstate.h"

#include <string.h>

static struct tm_text name_of(const struct tm_archive *archive, const struct tm_member *member)
{
    return tm_text_at(tm_member_name(&archive->table, member), member->name_bytes);
}

/* True for the name of the text, with the time at which it was made as if local time was UTC. */
static bool is_text(struct tm_text name, int64_t *made_s)
{
    static const char date[] = "-2022-06-24-16-24-37", ending[] = ".txt";
    const size_t tail = sizeof date + sizeof ending - 2;
    if (!tm_text_begins(name, "bugreport-") || name.len <= tail || memchr(name.data, '/', name.len))
        return false;
    const struct tm_text end = tm_text_after(name, name.len - tail);
    return end.data[0] == '-' && tm_text_is(tm_text_after(end, sizeof date - 1), ending) &&
           tm_calendar_read(tm_text_after(end, 1), "-----", made_s);
}

/* True for a member with events at a place where bug reports have them. */
static bool is_read(struct tm_text name, const struct tm_member *member)
{
    switch (member->type.input_type) {
    case TM_INPUT_MANIFEST:
        return true;
    case TM_INPUT_ANDROID_LOGCAT:
        return tm_text_begins(name, "FS/data/misc/logd/logcat");
    case TM_INPUT_PROTO:
    case TM_INPUT_GZIP:
    case TM_INPUT_ZSTD:
        return tm_text_begins(name, "FS/data/misc/perfetto-traces/");
    default:
        return false;
    }
}

/* Forgets what the first bytes of MEMBER show and state. */
static void forget_content(struct tm_member *member)
{
    *member = (struct tm_member){.name = member->name,
                                 .name_bytes = member->name_bytes,
                                 .size_bytes = member->size_bytes,
                                 .place = {member->place[0], member->place[1]},
                                 .type = tm_file_type_unknown()};
}

/* Makes MEMBER the text of the report, whatever its first bytes show. */
static void take_text(struct tm_member *member)
{
    forget_content(member);
    member->type = (struct tm_file_type){.kind = TM_FILE_TRACE,
                                         .input_type = tm_format_dumpstate.type,
                                         .priority = TM_PRIORITY_CONTAINER, /* before the logs */
                                         .format = &tm_format_dumpstate};
    member->has_placed_type = true;
}

bool tm_bug_report_find(struct tm_archive *archive, struct tm_logcat_report *report)
{
    struct tm_member_table *table = &archive->table;
    uint32_t text = 0;
    while (text < table->count && !is_text(name_of(archive, &table->members[text]), &report->made_s))
        text++;
    if (text == table->count)
        return false;
    report->has_made = true;
    for (uint32_t i = 0; i < table->count; i++) {
        struct tm_member *member = &table->members[i];
        if (member->reason)
            continue;
        if (i == text) {
            take_text(member);
        } else if (!is_read(name_of(archive, member), member)) {
            forget_content(member);
            member->is_left_out = true;
            archive->left_out_count++;
        }
    }
    return true;
}
