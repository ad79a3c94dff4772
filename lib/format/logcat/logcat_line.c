#include "format/logcat/logcat_line.h"

#include "base/calendar.h"
#include "base/decimal.h"
#include "base/time_units.h"
#include "format/text_lines.h"

#include <string.h>

enum { EPOCH_DIGITS = 9 /* fewer digits are an uptime: 10^8 s are three years */, COLUMNS_MAX = 3 };
enum { PARENTHESIS_MAX = 128 }; /* a user name, which has at most 32 bytes (useradd(8)), and a pid, with blanks */

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* Reads COUNT digits at P as a number. */
static bool take_digits(const char **p, const char *end, int count, int *value)
{
    *value = 0;
    if (end - *p < count)
        return false;
    for (int i = 0; i < count; i++) {
        if (!tm_text_is_digit((*p)[i]))
            return false;
        *value = *value * 10 + (*p)[i] - '0';
    }
    *p += count;
    return true;
}

static bool take_char(const char **p, const char *end, char c)
{
    if (*p == end || **p != c)
        return false;
    ++*p;
    return true;
}

/* "hh:mm:ss.fraction" */
static bool take_clock(const char **p, const char *end, int64_t *ns)
{
    int hour, minute;
    if (!take_digits(p, end, 2, &hour) || !take_char(p, end, ':') || !take_digits(p, end, 2, &minute) ||
        !take_char(p, end, ':') || hour > 23 || minute > 59)
        return false;
    const char *seconds = *p, *dot = tm_text_skip_digits(seconds, end);
    const char *after = dot < end && *dot == '.' ? tm_text_skip_digits(dot + 1, end) : dot;
    if (dot != seconds + 2 || after <= dot + 1 || seconds[0] > '6' ||
        tm_decimal_scale(seconds, (size_t)(after - seconds), 9, ns) != TM_OK || *ns >= 61 * TM_NS_PER_S)
        return false;
    *ns += (hour * 60 + minute) * 60 * TM_NS_PER_S;
    *p = after;
    return true;
}

/* " +0100" */
static void take_zone(const char **p, const char *end, struct tm_logcat_line *l)
{
    const char *q = *p;
    int hours, minutes;
    if (!take_char(&q, end, ' ') || q == end || (*q != '+' && *q != '-'))
        return;
    int sign = *q++ == '+' ? 1 : -1;
    if (!take_digits(&q, end, 2, &hours) || !take_digits(&q, end, 2, &minutes) || hours > 15 || minutes > 59)
        return;
    l->has_zone = true;
    l->zone_ns = sign * (hours * 60 + minutes) * 60 * TM_NS_PER_S;
    *p = q;
}

/* "[yyyy-]mm-dd hh:mm:ss.fraction [zone]" */
static bool take_date(const char **p, const char *end, struct tm_logcat_line *l)
{
    const char *q = *p;
    l->has_year = end - q > 4 && q[4] == '-';
    if (l->has_year && (!take_digits(&q, end, 4, &l->year) || !take_char(&q, end, '-')))
        return false;
    if (!take_digits(&q, end, 2, &l->month) || !take_char(&q, end, '-') || !take_digits(&q, end, 2, &l->day) ||
        !take_char(&q, end, ' ') || l->month < 1 || l->month > 12 ||
        !tm_calendar_has(l->has_year ? l->year : 2000, l->month, l->day) || !take_clock(&q, end, &l->ns))
        return false;
    l->time = TM_LOGCAT_DATE;
    take_zone(&q, end, l);
    *p = q;
    return true;
}

/* "seconds.fraction" */
static bool take_seconds(const char **p, const char *end, struct tm_logcat_line *l)
{
    const char *dot = tm_text_skip_digits(*p, end);
    const char *after = dot < end && *dot == '.' ? tm_text_skip_digits(dot + 1, end) : dot;
    l->month = l->day = 0; /* an attempt to read a date may have set them */
    if (dot == *p || after < dot + 4 || tm_decimal_scale(*p, (size_t)(after - *p), 9, &l->ns) != TM_OK)
        return false;
    l->time = dot - *p >= EPOCH_DIGITS ? TM_LOGCAT_EPOCH : TM_LOGCAT_MONOTONIC;
    *p = after;
    return true;
}

static enum tm_logcat_priority priority_of(char letter)
{
    switch (letter) {
    case 'V': return TM_LOGCAT_VERBOSE;
    case 'D': return TM_LOGCAT_DEBUG;
    case 'I': return TM_LOGCAT_INFO;
    case 'W': return TM_LOGCAT_WARN;
    case 'E': return TM_LOGCAT_ERROR;
    case 'F': return TM_LOGCAT_FATAL;
    default: return TM_LOGCAT_UNKNOWN;
    }
}

/* Android Studio has a letter of its own for fatal messages. */
static enum tm_logcat_priority studio_priority(char letter)
{
    return letter == 'A' ? TM_LOGCAT_FATAL : priority_of(letter);
}

static bool number_of(struct tm_text text, int64_t *value)
{
    return text.len > 0 && tm_text_is_digit(text.data[0]) && tm_text_int(text, value) && *value <= UINT32_MAX;
}

/* Sets the tag, without the blanks that pad it. */
static void set_tag(struct tm_logcat_line *l, const char *p, const char *end)
{
    while (end > p && end[-1] == ' ')
        end--;
    l->tag = tm_text_at(p, (size_t)(end - p));
}

/* Splits "tag: message". A tag may contain a colon that no blank follows. Without a colon and blank the whole text is
 * the message, as in the reference importer. */
static void split_message(const char *p, const char *end, struct tm_logcat_line *l)
{
    for (const char *q = p; q < end; q++) {
        if (*q != ':' || (q + 1 < end && q[1] != ' '))
            continue;
        set_tag(l, p, q);
        p = q + 1 < end ? q + 2 : end;
        break;
    }
    l->message = tm_text_at(p, (size_t)(end - p));
}

/* "[uid] pid tid P tag: message" */
static enum tm_status parse_threadtime(const char *p, const char *end, struct tm_logcat_line *l)
{
    struct tm_text columns[COLUMNS_MAX];
    int count = 0;
    while (p < end && !(is_upper(*p) && p + 1 < end && p[1] == ' ')) {
        const char *q = p;
        while (q < end && *q != ' ')
            q++;
        if (count == COLUMNS_MAX || q == p)
            return TM_E_INPUT;
        columns[count++] = tm_text_at(p, (size_t)(q - p));
        for (p = q; p < end && *p == ' '; p++)
            ;
    }
    if (p == end || count < 2 || !number_of(columns[count - 2], &l->pid) || !number_of(columns[count - 1], &l->tid))
        return TM_E_INPUT;
    if (count == COLUMNS_MAX)
        l->uid = columns[0];
    l->has_tid = true;
    l->priority = priority_of(*p);
    split_message(p + 2, end, l);
    return TM_OK;
}

/* Reads "( pid): " or "(uid: pid): " at P, of at most PARENTHESIS_MAX bytes. Returns the byte after it, or NULL. */
static const char *parse_parenthesis(const char *p, const char *end, struct tm_logcat_line *l)
{
    const size_t left = (size_t)(end - p);
    const char *q = p + 1, *close = memchr(p, ')', left < PARENTHESIS_MAX ? left : PARENTHESIS_MAX);
    struct tm_text uid = {0};
    if (close == NULL || close + 1 == end || close[1] != ':' || (close + 2 < end && close[2] != ' '))
        return NULL;
    const char *colon = memchr(q, ':', (size_t)(close - q));
    if (colon) {
        q = tm_text_skip_blanks(q, colon);
        uid = tm_text_at(q, (size_t)(colon - q));
        q = colon + 1;
    }
    q = tm_text_skip_blanks(q, close);
    if (!number_of(tm_text_at(q, (size_t)(close - q)), &l->pid))
        return NULL;
    l->uid = uid;
    return close + 2 < end ? close + 3 : end;
}

/* "P/tag( pid): message" */
static enum tm_status parse_brief(const char *p, const char *end, struct tm_logcat_line *l)
{
    if (end - p < 2 || !is_upper(p[0]) || p[1] != '/')
        return TM_E_INPUT;
    l->priority = priority_of(p[0]);
    for (const char *q = p + 2; q < end; q++) {
        const char *message = *q == '(' ? parse_parenthesis(q, end, l) : NULL;
        if (message == NULL)
            continue;
        set_tag(l, p + 2, q);
        l->message = tm_text_at(message, (size_t)(end - message));
        return TM_OK;
    }
    return TM_E_INPUT;
}

/* "tag package P  message", of which the package can be missing, after "pid-tid". */
static enum tm_status parse_studio_columns(const char *p, const char *end, struct tm_logcat_line *l)
{
    const char *letter = tm_text_skip_blanks(p, end);
    while (letter < end && !(letter[-1] == ' ' && studio_priority(*letter) != TM_LOGCAT_UNKNOWN &&
                             (letter + 1 == end || (letter[1] == ' ' && (letter + 2 == end || letter[2] == ' ')))))
        letter++;
    if (letter == end)
        return TM_E_INPUT;
    set_tag(l, tm_text_skip_blanks(p, letter), letter);
    for (size_t i = l->tag.len; i > 0; i--) {
        if (l->tag.data[i - 1] != ' ')
            continue;
        l->package = tm_text_after(l->tag, i);
        set_tag(l, tm_text_chars(l->tag), tm_text_chars(l->tag) + i);
        break;
    }
    l->priority = studio_priority(*letter);
    p = end - letter > 2 ? letter + 3 : end;
    l->message = tm_text_at(p, (size_t)(end - p));
    return TM_OK;
}

/* "pid-tid tag package P  message", or, of older versions, "pid-tid/package P/tag: message" */
static enum tm_status parse_studio(const char *p, const char *end, struct tm_logcat_line *l)
{
    const char *dash = tm_text_skip_digits(p, end);
    const char *after = dash < end && *dash == '-' ? tm_text_skip_digits(dash + 1, end) : end;
    if (after == end || (*after != ' ' && *after != '/') || !number_of(tm_text_at(p, (size_t)(dash - p)), &l->pid) ||
        !number_of(tm_text_at(dash + 1, (size_t)(after - dash - 1)), &l->tid))
        return TM_E_INPUT;
    l->has_tid = true;
    if (*after == ' ')
        return parse_studio_columns(after, end, l);
    const char *blank = memchr(after, ' ', (size_t)(end - after));
    if (blank == NULL || end - blank < 3 || blank[2] != '/' || studio_priority(blank[1]) == TM_LOGCAT_UNKNOWN)
        return TM_E_INPUT;
    l->package = tm_text_at(after + 1, (size_t)(blank - after - 1));
    if (l->package.len == 1 && l->package.data[0] == '?')
        l->package.len = 0;
    l->priority = studio_priority(blank[1]);
    split_message(blank + 3, end, l);
    return TM_OK;
}

/* Removes the escape sequences that -v color puts around a line. */
static void take_color(const char **p, const char **end)
{
    static const char reset[] = "\x1b[0m";
    const char *q = *p;
    if (!tm_chars_begin(q, *end, "\x1b["))
        return;
    for (q += 2; q < *end && (tm_text_is_digit(*q) || *q == ';'); q++)
        ;
    if (q == *end || *q != 'm')
        return;
    *p = q + 1;
    if (*end - *p >= (ptrdiff_t)sizeof reset - 1 && memcmp(*end - (sizeof reset - 1), reset, sizeof reset - 1) == 0)
        *end -= sizeof reset - 1;
}

enum tm_status tm_logcat_line_parse(const char *line, size_t len, struct tm_logcat_line *l)
{
    const char *p = line, *end = line + len;
    *l = (struct tm_logcat_line){0};
    take_color(&p, &end);
    p = tm_text_skip_blanks(p, end);
    if ((!take_date(&p, end, l) && !take_seconds(&p, end, l)) || p == end || *p != ' ')
        return TM_E_INPUT;
    p = tm_text_skip_blanks(p, end);
    if (end - p > 1 && p[1] == '/')
        return parse_brief(p, end, l);
    const char *dash = tm_text_skip_digits(p, end);
    return dash > p && dash < end && *dash == '-' ? parse_studio(p, end, l) : parse_threadtime(p, end, l);
}

bool tm_logcat_line_is_brief(const char *line, size_t len)
{
    struct tm_logcat_line l = {0};
    return parse_brief(line, line + len, &l) == TM_OK;
}

bool tm_logcat_line_is_divider(const char *line, size_t len)
{
    const char *end = line + len;
    return len == 0 || tm_chars_begin(line, end, "--------") || tm_chars_begin(line, end, "* daemon ") ||
           tm_chars_begin(line, end, "- waiting for device");
}
