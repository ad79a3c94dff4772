#include "emit/perfetto/counter_line.h"

#include "base/pb.h"
#include "emit/perfetto/line_text.h"
#include "kernel/rss_members.h"
#include "perfetto/ftrace_event_fields.h"

#include <stdio.h>
#include <string.h>

/* Field numbers of messages in a FtraceEvent. */
enum { CPU_VALUE = 1, CPU_NUMBER = 2, LIMITS_MIN = 1, LIMITS_MAX = 2, LIMITS_CPU = 3, RSS_MEMBER = 1, RSS_SIZE = 2 };

enum { LIMIT_NAME_MAX = 48 };

/* Counters of the whole machine: the words at the end of their names, their message, and its fields. */
static const struct named {
    const char *words;
    uint16_t event;
    uint8_t name_field, value_field;
    int64_t low, high; /* range of the field */
} named[] = {
    {" Frequency", TM_FTRACE_EVENT_CLOCK_SET_RATE, 1, 2, 0, INT64_MAX},
    /* clock_disable has the same fields and the same track */
    {" State", TM_FTRACE_EVENT_CLOCK_ENABLE, 1, 2, 0, INT64_MAX},
    {" Temperature", TM_FTRACE_EVENT_THERMAL_TEMPERATURE, 4, 2, INT32_MIN, INT32_MAX},
    {" Cooling Device", TM_FTRACE_EVENT_CDEV_UPDATE, 2, 1, 0, INT64_MAX},
};

/* Ends the message begun at MARK if there was no error. */
static enum tm_status ended(struct tm_buf *out, size_t mark, bool good)
{
    return good && tm_pb_end(out, mark) == TM_OK ? TM_OK : TM_E_SYSTEM;
}

static enum tm_status put_cpu(struct tm_buf *out, uint32_t id, const struct tm_event *e)
{
    size_t mark;
    if (e->value > UINT32_MAX)
        return TM_END;
    bool good = tm_pb_begin(out, id, &mark) == TM_OK && tm_pb_put_varint(out, CPU_VALUE, e->value) == TM_OK &&
                tm_pb_put_varint(out, CPU_NUMBER, e->cpu) == TM_OK;
    return ended(out, mark, good);
}

/* Reads a limit in ARGS, under its present name or its old one. */
static bool find_limit(const char *args, const char *end, const char *key, const char *old_key, uint64_t *value)
{
    const char *at = tm_line_after(args, (size_t)(end - args), key);
    if (at == NULL && (at = tm_line_after(args, (size_t)(end - args), old_key)) == NULL)
        return false;
    *value = tm_line_number(at, end, 10);
    return *value <= UINT32_MAX;
}

static enum tm_status put_limits(struct tm_buf *out, struct tm_text name, const struct tm_event *e)
{
    const char *line = (const char *)e->raw, *end = line + e->raw_bytes;
    const char *args = tm_line_after(line, e->raw_bytes, "cpu_frequency_limits:");
    char max_name[LIMIT_NAME_MAX];
    uint64_t min, max;
    size_t mark;
    (void)snprintf(max_name, sizeof max_name, "Cpu %u Max Freq Limit", (unsigned)e->cpu);
    if (!tm_text_is(name, max_name) || args == NULL || !find_limit(args, end, " min=", " min_freq=", &min) ||
        !find_limit(args, end, " max=", " max_freq=", &max) || max != e->value)
        return TM_END;
    bool good = tm_pb_begin(out, TM_FTRACE_EVENT_CPU_FREQUENCY_LIMITS, &mark) == TM_OK &&
                tm_pb_put_varint(out, LIMITS_MIN, min) == TM_OK && tm_pb_put_varint(out, LIMITS_MAX, max) == TM_OK &&
                tm_pb_put_varint(out, LIMITS_CPU, e->cpu) == TM_OK;
    return ended(out, mark, good);
}

static enum tm_status put_named(struct tm_buf *out, struct tm_text name, const struct tm_event *e)
{
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        const struct named *n = &named[i];
        size_t words = strlen(n->words), mark;
        if (name.len < words || memcmp(name.data + name.len - words, n->words, words) != 0)
            continue;
        if ((int64_t)e->value < n->low || (int64_t)e->value > n->high)
            return TM_END;
        bool good = tm_pb_begin(out, n->event, &mark) == TM_OK &&
                    tm_pb_put_bytes(out, n->name_field, name.data, name.len - words) == TM_OK &&
                    tm_pb_put_varint(out, n->value_field, e->value) == TM_OK;
        return ended(out, mark, good);
    }
    return TM_END;
}

/* Writes rss_stat without curr and mm_id. Readers then take the memory for that of the task that ran, which is right
 * for all these lines. */
static enum tm_status put_rss(struct tm_buf *out, struct tm_text name, const struct tm_event *e)
{
    const char *line = (const char *)e->raw;
    size_t mark;
    if (tm_line_after(line, e->raw_bytes, "rss_stat: ") == NULL) /* a marker may have such a name */
        return TM_END;
    uint32_t member = 0;
    while (member < TM_RSS_MEMBERS && !tm_text_is(name, tm_rss_member_name(member)))
        member++;
    if (member == TM_RSS_MEMBERS)
        return TM_END;
    bool good = tm_pb_begin(out, TM_FTRACE_EVENT_RSS_STAT, &mark) == TM_OK &&
                tm_pb_put_varint(out, RSS_MEMBER, member) == TM_OK &&
                tm_pb_put_varint(out, RSS_SIZE, e->value) == TM_OK;
    return ended(out, mark, good);
}

enum tm_status tm_counter_line_put(struct tm_buf *out, const struct tm_catalog *catalog, const struct tm_event *e)
{
    struct tm_text name = tm_catalog_string(catalog, e->name, e);
    if (e->kind != TM_KIND_COUNTER || name.data == NULL)
        return TM_END;
    switch (tm_event_scope(e->flags)) {
    case TM_SCOPE_CPU:
        if (tm_text_is(name, "cpufreq"))
            return put_cpu(out, TM_FTRACE_EVENT_CPU_FREQUENCY, e);
        return tm_text_is(name, "cpuidle") ? put_cpu(out, TM_FTRACE_EVENT_CPU_IDLE, e) : put_limits(out, name, e);
    case TM_SCOPE_GLOBAL:
        return put_named(out, name, e);
    case TM_SCOPE_PROCESS:
        return put_rss(out, name, e);
    default:
        return TM_END;
    }
}
