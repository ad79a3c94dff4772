#include "format/logcat/report.h"

#include "base/secret.h"
#include "base/time_units.h"

enum { DAYS_PER_MONTH_MAX = 31 };

/* Returns the hash of the message of LINE. */
static uint64_t hash_of(const struct tm_logcat_line *line)
{
    const uint64_t seed = tm_secret();
    const uint64_t numbers[] = {(uint64_t)(line->month * (DAYS_PER_MONTH_MAX + 1) + line->day),
                                (uint64_t)(line->ns / TM_NS_PER_MS),
                                (uint64_t)line->pid,
                                (uint64_t)line->tid,
                                line->priority,
                                tm_keyed_bytes(seed, line->tag.data, line->tag.len),
                                tm_keyed_bytes(seed, line->message.data, line->message.len)};
    return tm_keyed_bytes(seed, numbers, sizeof numbers);
}

enum tm_status tm_logcat_report_add(struct tm_logcat_report *report, const struct tm_logcat_line *line)
{
    const uint64_t hash = hash_of(line);
    uint32_t copies = 0;
    if (!tm_map_find(&report->messages, hash, &copies) && report->messages.count >= TM_LOGCAT_REPORT_MESSAGES_MAX)
        return TM_END;
    return copies == UINT32_MAX ? TM_OK : tm_map_set(&report->messages, hash, copies + 1);
}

bool tm_logcat_report_take(struct tm_logcat_report *report, const struct tm_logcat_line *line)
{
    const uint64_t hash = hash_of(line);
    uint32_t copies = 0;
    /* A value that exists is replaced, which needs no memory. */
    return tm_map_find(&report->messages, hash, &copies) && copies > 0 &&
           tm_map_set(&report->messages, hash, copies - 1) == TM_OK;
}

void tm_logcat_report_release(struct tm_logcat_report *report)
{
    tm_map_release(&report->messages);
}
