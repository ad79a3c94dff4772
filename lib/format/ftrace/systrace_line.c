#include "format/ftrace/systrace_line.h"

#include "base/decimal.h"

#include <string.h>

enum { NS_DIGITS = 9, FLAGS_MIN = 3, FLAGS_MAX = 8 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_flag(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '#';
}

/* True for a digit of the preemption or migration depth, or a dot in its place. */
static bool is_level(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || c == '.';
}

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && is_blank(*p))
        p++;
    return p;
}

/* Reads the digits at P into *V. Returns the byte after them; NULL if there are none or too many. */
static const char *parse_u32(const char *p, const char *end, uint32_t *v)
{
    uint64_t n = 0;
    const char *start = p;
    while (p < end && is_digit(*p) && n <= UINT32_MAX)
        n = n * 10 + (uint64_t)(*p++ - '0');
    if (p == start || n > UINT32_MAX)
        return NULL;
    *v = (uint32_t)n;
    return p;
}

/* "(  123)", "(-----)", a number without parentheses, or nothing, up to the '['. */
static const char *parse_tgid(const char *p, const char *end, struct tm_systrace_line *line)
{
    if (p < end && *p == '(')
        p = skip_blanks(p + 1, end);
    if (p < end && is_digit(*p)) {
        p = parse_u32(p, end, &line->tgid);
        line->has_tgid = p != NULL;
    } else {
        while (p < end && *p == '-')
            p++;
    }
    if (p && p < end && *p == ')')
        p++;
    return p ? skip_blanks(p, end) : NULL;
}

/* "[001]"; or, in latency format, the cpu before the irq flags: "1d..2". */
static const char *parse_cpu(const char *p, const char *end, struct tm_systrace_line *line)
{
    bool bracket = p < end && *p == '[';
    if (!bracket && line->has_tgid) { /* what looked like a tgid without parentheses is the cpu */
        line->has_tgid = false;
        line->cpu = line->tgid;
        return p;
    }
    if (!bracket || (p = parse_u32(p + 1, end, &line->cpu)) == NULL || p == end || *p != ']')
        return NULL;
    return p + 1;
}

/* Seconds and a fraction, or whole nanoseconds, and a colon. */
static const char *parse_time(const char *p, const char *end, struct tm_systrace_line *line)
{
    const char *start = p;
    uint64_t v = 0;
    size_t whole = 0, fraction = 0;
    while (p < end && is_digit(*p)) {
        v = v * 10 + (uint64_t)(*p++ - '0');
        whole++;
    }
    if (whole == 0)
        return NULL;
    bool decimal = p < end && *p == '.';
    if (decimal)
        for (p++; p < end && is_digit(*p); fraction++)
            v = v * 10 + (uint64_t)(*p++ - '0');
    if (p == end || *p != ':' || (decimal && fraction == 0))
        return NULL;
    if (whole + fraction <= 18 && whole <= NS_DIGITS && fraction <= NS_DIGITS && decimal) {
        for (size_t i = fraction; i < NS_DIGITS; i++)
            v *= 10;
        line->time_ns = (int64_t)v;
    } else if (tm_decimal_scale(start, (size_t)(p - start), decimal ? NS_DIGITS : 0, &line->time_ns) != TM_OK) {
        return NULL;
    }
    return p + 1;
}

/* Flags that touch the time: three letters or dots, then one or two hexadecimal digits or dots, two if possible
 * ("d..2.7.5:" is at 7.5, and so is "d..27.5:"). */
static const char *parse_joined(const char *p, const char *end, struct tm_systrace_line *line)
{
    if (end - p < 5)
        return NULL;
    for (int i = 0; i < 3; i++)
        if (!is_flag(p[i]) || is_digit(p[i]) || p[i] == '#')
            return NULL;
    for (int n = 2; n > 0; n--) {
        const char *after = NULL;
        if (is_level(p[3]) && (n == 1 || is_level(p[4])))
            after = parse_time(p + 3 + n, end, line);
        if (after)
            return after;
    }
    return NULL;
}

/* The irq flags ("d..2", ".N.h3", "dNh5."), if present, then the time. */
static const char *parse_flags_time(const char *p, const char *end, struct tm_systrace_line *line)
{
    const char *after;
    p = skip_blanks(p, end);
    if ((after = parse_time(p, end, line)) != NULL)
        return after;
    const char *flags = p;
    while (p < end && is_flag(*p) && p - flags <= FLAGS_MAX)
        p++;
    if (p - flags >= FLAGS_MIN && p - flags <= FLAGS_MAX)
        after = parse_time(skip_blanks(p, end), end, line);
    return after ? after : parse_joined(flags, end, line);
}

static void trim(const char **p, size_t *len)
{
    while (*len && (is_blank((*p)[*len - 1]) || (*p)[*len - 1] == '\r'))
        --*len;
    while (*len && is_blank(**p)) {
        ++*p;
        --*len;
    }
}

/* Returns the length of the name of a system call in "sys_read(fd: 3)" or "sys_read -> 0x5", the form in which the
 * kernel prints events of the group syscalls. 0: it is not of this form. */
static size_t syscall_name(const char *p, const char *end)
{
    const char *start = p;
    if (end - p < 4 || memcmp(p, "sys_", 4) != 0)
        return 0;
    while (p < end && (is_digit(*p) || (*p >= 'a' && *p <= 'z') || *p == '_'))
        p++;
    bool is_enter = p < end && *p == '(', is_exit = end - p > 4 && memcmp(p, " -> ", 4) == 0;
    return is_enter || is_exit ? (size_t)(p - start) : 0;
}

/* "event: args", a system call, or a line of the function tracer: "callee <-caller". */
static bool parse_event(const char *p, const char *end, struct tm_systrace_line *line)
{
    static const char function[] = "function";
    if (p == end || !is_blank(*p))
        return false;
    p = skip_blanks(p, end);
    const char *word = p, *colon = NULL;
    const size_t syscall = syscall_name(p, end);
    for (; p < end && !is_blank(*p); p++)
        if (*p == ':')
            colon = p;
    if (syscall > 0) {
        line->event = word;
        line->event_len = syscall;
        line->args = word + syscall;
    } else if (colon && colon > word) {
        line->event = word;
        line->event_len = (size_t)(colon - word);
        line->args = colon + 1;
    } else if (end - p > 3 && memcmp(p, " <-", 3) == 0 && p > word) {
        line->event = function;
        line->event_len = sizeof function - 1;
        line->args = word;
    } else {
        return false;
    }
    line->args_len = (size_t)(end - line->args);
    trim(&line->args, &line->args_len);
    return true;
}

/* Parses the line from DASH, the '-' before the pid, to its end. */
static bool parse_from(const char *dash, const char *end, struct tm_systrace_line *line)
{
    *line = (struct tm_systrace_line){0};
    const char *p = parse_u32(dash + 1, end, &line->pid);
    if (p == NULL || p == end || !is_blank(*p))
        return false;
    if ((p = parse_tgid(skip_blanks(p, end), end, line)) == NULL || (p = parse_cpu(p, end, line)) == NULL ||
        (p = parse_flags_time(p, end, line)) == NULL)
        return false;
    return parse_event(p, end, line);
}

enum tm_status tm_systrace_line_parse(const char *text, size_t len, struct tm_systrace_line *line)
{
    const char *end = text + len;
    for (const char *p = text; (p = memchr(p, '-', (size_t)(end - p))) != NULL; p++) {
        if (!parse_from(p, end, line))
            continue;
        line->task = text;
        line->task_len = (size_t)(p - text);
        trim(&line->task, &line->task_len);
        return TM_OK;
    }
    return TM_E_INPUT;
}
