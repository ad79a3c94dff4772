#include "format/ftrace/internal.h"
#include "kernel/rss_members.h"

#include <stdio.h>
#include <string.h>

enum { NAME_MAX_BYTES = 256 };

static void set_counter(struct tm_event *e, enum tm_scope scope, int64_t value)
{
    e->kind = TM_KIND_COUNTER;
    e->flags |= TM_EVENT_HAS_VALUE | tm_event_scope_flags(scope);
    e->value = (uint64_t)value;
}

static enum tm_status set_name(struct tm_ftrace_row_builder *w, const char *name, uint32_t *string)
{
    return tm_ftrace_row_builder_string(w, tm_text_str(name), string);
}

/* Makes the row a counter of the CPU that the argument cpu_id states. */
static enum tm_status cpu_counter(struct tm_ftrace_row_builder *w, struct tm_text args, const char *name)
{
    int64_t cpu, state;
    if (!tm_ftrace_arg_int(args, "cpu_id", 0, INT32_MAX, &cpu) ||
        !tm_ftrace_arg_int(args, "state", INT64_MIN, INT64_MAX, &state))
        return TM_END;
    set_counter(w->event, TM_SCOPE_CPU, state);
    w->event->cpu = (uint32_t)cpu;
    return set_name(w, name, &w->event->name);
}

enum tm_status tm_ftrace_cpu_frequency(struct tm_ftrace_row_builder *w, struct tm_text args)
{
    return cpu_counter(w, args, "cpufreq");
}

enum tm_status tm_ftrace_cpu_idle(struct tm_ftrace_row_builder *w, struct tm_text args)
{
    return cpu_counter(w, args, "cpuidle");
}

static bool limit(struct tm_text args, const char *key, const char *old_key, int64_t *value)
{
    return tm_ftrace_arg_int(args, key, 0, INT64_MAX, value) || tm_ftrace_arg_int(args, old_key, 0, INT64_MAX, value);
}

enum tm_status tm_ftrace_cpu_frequency_limits(struct tm_ftrace_row_builder *w, struct tm_text args)
{
    char name[NAME_MAX_BYTES];
    int64_t cpu, max, min;
    enum tm_status st;
    if (!tm_ftrace_arg_int(args, "cpu_id", 0, INT32_MAX, &cpu))
        return TM_END;
    bool has_max = limit(args, "max", "max_freq", &max);
    bool has_min = limit(args, "min", "min_freq", &min);
    if (!has_max && !has_min)
        return TM_END;
    set_counter(w->event, TM_SCOPE_CPU, has_max ? max : min);
    w->event->cpu = (uint32_t)cpu;
    snprintf(name, sizeof name, "Cpu %d %s Freq Limit", (int)cpu, has_max ? "Max" : "Min");
    if ((st = set_name(w, name, &w->event->name)) < 0 || !has_max || !has_min)
        return st;
    snprintf(name, sizeof name, "Cpu %d Min Freq Limit", (int)cpu);
    w->has_second = true;
    w->second_value = (uint64_t)min;
    return set_name(w, name, &w->second_name);
}

/* Makes the row a counter of the whole machine. KEYS are the key of its subject and the key of its value. If the third
 * is not NULL, a subject without a key is the first word. The counter's name is the subject and SUFFIX. */
static enum tm_status global_counter(struct tm_ftrace_row_builder *w, struct tm_text args, const char *const *keys,
                                     const char *suffix)
{
    char name[NAME_MAX_BYTES];
    struct tm_text subject = tm_text_str("");
    int64_t value;
    if (!tm_ftrace_arg_int(args, keys[1], INT64_MIN, INT64_MAX, &value))
        return TM_END;
    if (!tm_ftrace_arg(args, keys[0], &subject) && keys[2]) { /* the first word, without a key */
        struct tm_text rest = args;
        if (!tm_text_cut(&rest, " ", &subject) || memchr(subject.data, '=', subject.len))
            subject.len = 0;
    }
    snprintf(name, sizeof name, "%.*s %s", subject.len < 200 ? (int)subject.len : 200, tm_text_chars(subject), suffix);
    set_counter(w->event, TM_SCOPE_GLOBAL, value);
    return set_name(w, name, &w->event->name);
}

enum tm_status tm_ftrace_clock_set_rate(struct tm_ftrace_row_builder *w, struct tm_text args)
{
    static const char *const keys[] = {"name", "state", "first word"};
    return global_counter(w, args, keys, "Frequency");
}

enum tm_status tm_ftrace_clock_state(struct tm_ftrace_row_builder *w, struct tm_text args)
{
    static const char *const keys[] = {"name", "state", "first word"};
    return global_counter(w, args, keys, "State");
}

enum tm_status tm_ftrace_thermal_temperature(struct tm_ftrace_row_builder *w, struct tm_text args)
{
    static const char *const keys[] = {"thermal_zone", "temp", NULL};
    return global_counter(w, args, keys, "Temperature");
}

enum tm_status tm_ftrace_cdev_update(struct tm_ftrace_row_builder *w, struct tm_text args)
{
    static const char *const keys[] = {"type", "target", NULL};
    return global_counter(w, args, keys, "Cooling Device");
}

/* "mm_id=… curr=1 member=1 size=8437760B"; member is a number or a name, such as MM_ANONPAGES. */
enum tm_status tm_ftrace_rss_stat(struct tm_ftrace_row_builder *w, struct tm_text args)
{
    static const char *const words[] = {"MM_FILEPAGES", "MM_ANONPAGES", "MM_SWAPENTS", "MM_SHMEMPAGES"};
    struct tm_text member, size;
    int64_t v, curr, number = -1;
    /* With curr=0 the memory belongs to another task, which the line does not name. */
    if (tm_ftrace_arg_int(args, "curr", 0, 1, &curr) && curr == 0)
        return TM_END;
    if (!tm_ftrace_arg(args, "member", &member) && !tm_ftrace_arg(args, "type", &member))
        return TM_END;
    if (!tm_ftrace_arg(args, "size", &size))
        return TM_END;
    if (size.len && size.data[size.len - 1] == 'B')
        size.len--;
    if (!tm_text_int(size, &v) || v < 0)
        return TM_END;
    for (int i = 0; i < 4; i++)
        if (member.len == strlen(words[i]) && memcmp(member.data, words[i], member.len) == 0)
            number = i;
    if (number < 0 && (!tm_text_int(member, &number) || number < 0 || number >= TM_RSS_MEMBERS))
        return TM_END;
    set_counter(w->event, TM_SCOPE_PROCESS, v);
    return set_name(w, tm_rss_member_name((unsigned)number), &w->event->name);
}
