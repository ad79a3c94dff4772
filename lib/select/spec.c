#include "select/spec.h"

#include "base/checked.h"
#include "base/decimal.h"
#include "base/table.h"
#include "select/kinds.h"

#include <stdlib.h>
#include <string.h>

enum { SECONDS_SCALE = 9 };

/* True if the LEN bytes at S are digits, and at most one point if MAY_HAVE_POINT. */
static bool is_decimal(const char *s, size_t len, bool may_have_point)
{
    bool point = false, digit = false;
    for (size_t i = 0; i < len; i++) {
        if (s[i] == '.' && may_have_point && !point)
            point = true;
        else if (s[i] >= '0' && s[i] <= '9')
            digit = true;
        else
            return false;
    }
    return digit;
}

static bool add_scaled(int64_t *ns, int64_t count, int64_t unit_ns)
{
    int64_t part;
    return tm_mul_i64(count, unit_ns, &part) && tm_add_i64(*ns, part, ns);
}

/* Parses [H:]M:S[.FRACTION]. */
static bool parse_timecode(const char *s, int64_t *ns)
{
    const int64_t second = INT64_C(1000000000);
    const char *last = strrchr(s, ':');
    const char *first = strchr(s, ':');
    int64_t hours = 0, minutes, seconds;
    const char *from = first == last ? s : first + 1;
    if (first != last && (!is_decimal(s, (size_t)(first - s), false) ||
                          tm_decimal_int(s, (size_t)(first - s), &hours) != TM_OK))
        return false;
    if (!is_decimal(from, (size_t)(last - from), false) ||
        tm_decimal_int(from, (size_t)(last - from), &minutes) != TM_OK)
        return false;
    if (!is_decimal(last + 1, strlen(last + 1), true) ||
        tm_decimal_scale(last + 1, strlen(last + 1), SECONDS_SCALE, &seconds) != TM_OK)
        return false;
    *ns = seconds;
    return add_scaled(ns, minutes, 60 * second) && add_scaled(ns, hours, 3600 * second);
}

/* Parses an integer of nanoseconds, or a decimal number with a unit. */
static bool parse_count(const char *s, int64_t *ns)
{
    static const struct {
        const char *unit;
        int scale;
    } units[] = {{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", SECONDS_SCALE}};
    size_t len = strlen(s), sign = s[0] == '-';
    if (is_decimal(s + sign, len - sign, false))
        return tm_decimal_int(s, len, ns) == TM_OK;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t unit_len = strlen(units[i].unit);
        if (len > unit_len + sign && strcmp(s + len - unit_len, units[i].unit) == 0 &&
            is_decimal(s + sign, len - sign - unit_len, true))
            return tm_decimal_scale(s, len - unit_len, units[i].scale, ns) == TM_OK;
    }
    return false;
}

enum tm_status tm_select_time_parse(struct tm_select_time *time, const char *text)
{
    size_t n = 0;
    bool plus = text[0] == '+';
    *time = (struct tm_select_time){.is_set = true, .is_relative = plus};
    char *plain = time->text;
    for (const char *p = text + plus; *p; p++) {
        if (*p == ' ' || *p == '_')
            continue;
        if (n + 1 >= sizeof time->text)
            return TM_E_USAGE;
        plain[n++] = *p;
    }
    time->has_unit = n > 0 && plain[n - 1] == 's';
    if (strchr(plain, ':')) {
        time->is_relative = true;
        return parse_timecode(plain, &time->ns) ? TM_OK : TM_E_USAGE;
    }
    if (plus && plain[0] == '-')
        return TM_E_USAGE;
    return parse_count(plain, &time->ns) ? TM_OK : TM_E_USAGE;
}

/* Returns LEN bytes at S as a new string, with "\," replaced by ",". */
static char *unescape(const char *s, size_t len)
{
    char *out = malloc(len + 1);
    size_t n = 0;
    if (out == NULL)
        return NULL;
    for (size_t i = 0; i < len; i++) {
        if (s[i] == '\\' && i + 1 < len) {
            if (s[i + 1] != ',')
                out[n++] = s[i];
            i++;
        }
        out[n++] = s[i];
    }
    out[n] = '\0';
    return out;
}

/* Returns the length of the part at S, up to a comma that is not escaped. */
static size_t part_length(const char *s)
{
    size_t n = 0;
    while (s[n] && s[n] != ',')
        n += s[n] == '\\' && s[n + 1] ? 2 : 1;
    return n;
}

const char *tm_select_key_name(enum tm_select_key key)
{
    static const char *const names[] = {
        [TM_SELECT_MACHINE] = "machine", [TM_SELECT_FILE] = "file", [TM_SELECT_PROCESS] = "process",
        [TM_SELECT_THREAD] = "thread",   [TM_SELECT_PID] = "pid",   [TM_SELECT_TID] = "tid",
        [TM_SELECT_CATEGORY] = "cat",    [TM_SELECT_NAME] = "name", [TM_SELECT_KIND] = "kind",
    };
    return names[key];
}

static bool is_word(const char *word, const char *s, size_t len)
{
    return strlen(word) == len && memcmp(word, s, len) == 0;
}

static enum tm_status add_time(struct tm_select_time *time, const char *key, char *value, struct tm_error *err)
{
    if (time->is_set)
        return tm_error_set(err, TM_E_USAGE, "--only: %s is given twice", key);
    if (tm_select_time_parse(time, value) != TM_OK)
        return tm_error_set(err, TM_E_USAGE,
                            "--only: '%s' is not a time; write 1500000 (nanoseconds), 1.5ms, +2s or 0:01:30.5", value);
    return TM_OK;
}

/* True with *NS if TEXT is a duration. */
static bool parse_duration(const char *text, int64_t *ns)
{
    struct tm_select_time time;
    *ns = 0;
    if (text[0] == '+' || strchr(text, ':') || tm_select_time_parse(&time, text) != TM_OK || time.ns < 0)
        return false;
    *ns = time.ns;
    return true;
}

/* Adds the bound TEXT, an operator and a duration, to DUR. */
static enum tm_status add_duration(struct tm_select_duration *dur, const char *text, struct tm_error *err)
{
    const bool is_least = text[0] == '>' || text[0] == '=', is_most = text[0] == '<' || text[0] == '=';
    const bool is_strict = text[0] != '=' && text[1] != '=';
    const char *value = text + (text[0] == '=' || is_strict ? 1 : 2);
    int64_t ns;
    if (!parse_duration(value, &ns))
        return tm_error_set(err, TM_E_USAGE, "--only: '%s' is not a duration; write 1500000 (nanoseconds), 1.5ms or 2s",
                            value);
    if (is_least && is_strict && ns == INT64_MAX)
        return tm_error_set(err, TM_E_USAGE, "--only: no slice is longer than %s", value);
    int64_t least = ns + (is_strict ? 1 : 0), most = ns - (is_strict ? 1 : 0);
    if (is_least && least > dur->least_ns)
        dur->least_ns = least;
    if (is_most && (!dur->has_most || most < dur->most_ns))
        dur->most_ns = most;
    dur->has_most = dur->has_most || is_most;
    dur->is_set = true;
    return dur->has_most && dur->least_ns > dur->most_ns
               ? tm_error_set(err, TM_E_USAGE, "--only: no duration satisfies every dur")
               : TM_OK;
}

/* True if PART of LEN bytes compares the duration. */
static bool is_duration(const char *part, size_t len)
{
    return len > 3 && memcmp(part, "dur", 3) == 0 && (part[3] == '<' || part[3] == '>' || part[3] == '=');
}

/* Checks a value that must be a number or a kind. Names may be anything. */
static enum tm_status check_value(enum tm_select_key key, const char *value, struct tm_error *err)
{
    size_t sign = value[0] == '-';
    int64_t number;
    if ((key == TM_SELECT_PID || key == TM_SELECT_TID) &&
        (!is_decimal(value + sign, strlen(value + sign), false) ||
         tm_decimal_int(value, strlen(value), &number) != TM_OK))
        return tm_error_set(err, TM_E_USAGE, "--only: %s=%s is not a number", tm_select_key_name(key), value);
    if (key == TM_SELECT_KIND && !tm_select_kind_is_known(value))
        return tm_error_set(err, TM_E_USAGE, "--only: kind=%s is not one of %s", value, tm_select_kind_words());
    return TM_OK;
}

static enum tm_status add_value(struct tm_select_values *values, char **value, struct tm_error *err)
{
    enum tm_status st = tm_array_grow(&values->texts, &values->cap, values->count, sizeof *values->texts, err);
    if (st < 0)
        return st;
    values->texts[values->count++] = *value;
    *value = NULL;
    return TM_OK;
}

/* Adds "dur", an operator and a duration. */
static enum tm_status add_duration_part(struct tm_select_spec *spec, const char *part, size_t len,
                                        enum tm_select_key *key, struct tm_error *err)
{
    char *value = unescape(part + 3, len - 3);
    if (value == NULL)
        return tm_error_nomem(err);
    enum tm_status st = add_duration(&spec->dur, value, err);
    free(value);
    *key = TM_SELECT_KEYS;
    return st;
}

/* Adds one part. *KEY is the key of the part before it, or TM_SELECT_KEYS if that key takes no more values. It
 * becomes the key of this part. */
static enum tm_status add_part(struct tm_select_spec *spec, const char *part, size_t len, enum tm_select_key *key,
                               struct tm_error *err)
{
    const char *equals = memchr(part, '=', len);
    size_t key_len = equals ? (size_t)(equals - part) : 0;
    struct tm_select_time *time = NULL;
    if (is_duration(part, len))
        return add_duration_part(spec, part, len, key, err);
    if (equals) {
        *key = TM_SELECT_MACHINE;
        while (*key < TM_SELECT_KEYS && !is_word(tm_select_key_name(*key), part, key_len))
            ++*key;
        time = is_word("from", part, key_len) ? &spec->from : is_word("to", part, key_len) ? &spec->to : NULL;
        if (time == NULL && *key == TM_SELECT_KEYS)
            return tm_error_set(err, TM_E_USAGE,
                                "--only: '%.*s' is not one of machine, file, process, thread, pid, tid, cat, name, "
                                "kind, dur, from, to",
                                (int)key_len, part);
        part += key_len + 1;
        len -= key_len + 1;
    } else if (*key == TM_SELECT_KEYS) {
        return tm_error_set(err, TM_E_USAGE, "--only: '%.*s' is not KEY=VALUE", (int)len, part);
    }
    if (len == 0)
        return tm_error_set(err, TM_E_USAGE, "--only: a key without a value");
    char *value = unescape(part, len);
    if (value == NULL)
        return tm_error_nomem(err);
    enum tm_status st = time ? add_time(time, time == &spec->from ? "from" : "to", value, err)
                             : check_value(*key, value, err);
    if (st == TM_OK && time == NULL)
        st = add_value(&spec->values[*key], &value, err);
    free(value);
    return st;
}

enum tm_status tm_select_spec_add(struct tm_select_spec *spec, const char *text, struct tm_error *err)
{
    enum tm_select_key key = TM_SELECT_KEYS;
    const char *p = text;
    char *copy = strdup(text);
    enum tm_status st = copy ? add_value(&spec->given, &copy, err) : tm_error_nomem(err);
    free(copy);
    for (bool more = st == TM_OK; more;) {
        size_t len = part_length(p);
        if ((st = add_part(spec, p, len, &key, err)) < 0)
            return st;
        more = p[len] == ',';
        p += len + more;
    }
    if (st == TM_OK && spec->from.is_set && spec->to.is_set && spec->from.is_relative == spec->to.is_relative &&
        spec->from.ns >= spec->to.ns)
        return tm_error_set(err, TM_E_USAGE, "--only: from is not before to");
    return st;
}

static void release_values(struct tm_select_values *values)
{
    for (uint32_t i = 0; i < values->count; i++)
        free(values->texts[i]);
    free(values->texts);
}

void tm_select_spec_release(struct tm_select_spec *spec)
{
    for (int k = 0; k < TM_SELECT_KEYS; k++)
        release_values(&spec->values[k]);
    release_values(&spec->given);
    *spec = (struct tm_select_spec){0};
}
