/* Functions of texts and numbers only. */
#include "extension/internal.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

/* to_timecode(ts): hours, minutes, seconds, milli-, micro- and nanoseconds. Each part has the sign of TS, as in the
 * reference importer. */
static void to_timecode(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    char text[96];
    int type = sqlite3_value_type(argv[0]);
    (void)argc;
    if (type == SQLITE_NULL)
        return;
    if (type != SQLITE_INTEGER) {
        sqlite3_result_error(context, "TO_TIMECODE: first argument should be timestamp", -1);
        return;
    }
    int64_t ns = sqlite3_value_int64(argv[0]), s = ns / 1000000000;
    int len = snprintf(text, sizeof text,
                       "%02" PRId64 ":%02" PRId64 ":%02" PRId64 " %03" PRId64 " %03" PRId64 " %03" PRId64, s / 3600,
                       s / 60 % 60, s % 60, ns / 1000000 % 1000, ns / 1000 % 1000, ns % 1000);
    sqlite3_result_text(context, text, len, SQLITE_TRANSIENT);
}

/* str_split(text, delimiter, index): the part with that index, counted from 0; NULL if there are fewer parts. */
static void str_split(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    const char *delimiter = sqlite3_value_type(argv[1]) == SQLITE_TEXT ? (const char *)sqlite3_value_text(argv[1]) : "";
    (void)argc;
    if (delimiter == NULL) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (*delimiter == '\0') {
        sqlite3_result_error(context, "str_split: delimiter must be a non-empty string", -1);
        return;
    }
    if (sqlite3_value_type(argv[2]) != SQLITE_INTEGER || sqlite3_value_int64(argv[2]) < 0) {
        sqlite3_result_error(context, "str_split: field number must be a non-negative integer", -1);
        return;
    }
    const char *text = sqlite3_value_type(argv[0]) == SQLITE_TEXT ? (const char *)sqlite3_value_text(argv[0]) : NULL;
    const char *end = NULL;
    for (int64_t i = sqlite3_value_int64(argv[2]); text; i--) {
        end = strstr(text, delimiter);
        if (i == 0)
            break;
        text = end ? end + strlen(delimiter) : NULL;
    }
    if (text)
        sqlite3_result_text(context, text, end ? (int)(end - text) : -1, SQLITE_TRANSIENT);
}

static int digit_of(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Reads the LEN hexadecimal digits after a sign. False if the number does not fit 64 bits. */
static bool read_hex(const char *text, size_t len, int64_t *out)
{
    uint64_t value = 0;
    bool is_negative = len && *text == '-';
    size_t i = len && (*text == '-' || *text == '+');
    if (i == len)
        return false;
    for (; i < len; i++) {
        int digit = digit_of(text[i]);
        if (digit < 0 || value >> 60)
            return false;
        value = value << 4 | (uint64_t)digit;
    }
    if (value > (uint64_t)INT64_MAX + is_negative)
        return false;
    *out = (int64_t)(is_negative ? 0 - value : value);
    return true;
}

/* unhex(text): the number that the text states in hexadecimal, with or without 0x and surrounding blanks. */
static void unhex(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    static const char blanks[] = " \t\n\r\f\v";
    const char *text = sqlite3_value_type(argv[0]) == SQLITE_TEXT ? (const char *)sqlite3_value_text(argv[0]) : NULL;
    int64_t value;
    (void)argc;
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    if (text == NULL) {
        sqlite3_result_error(context, "UNHEX: argument must be text", -1);
        return;
    }
    text += strspn(text, blanks);
    size_t len = strlen(text);
    while (len && strchr(blanks, text[len - 1]))
        len--;
    if (len == 0) {
        sqlite3_result_error(context, "UNHEX: input is empty or only whitespace", -1);
        return;
    }
    if (len >= 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        text += 2;
        len -= 2;
    }
    if (len == 0)
        sqlite3_result_error(context, "UNHEX: hex string is empty after prefix", -1);
    else if (read_hex(text, len, &value))
        sqlite3_result_int64(context, value);
    else
        sqlite3_result_error(context, "UNHEX: invalid or out of range hex string", -1);
}

/* A unit of durations, and its functions of PerfettoSQL's module time.conversion. */
struct unit {
    int64_t ns;
    const char *from, *to;
};

/* time_from_UNIT(number): nanoseconds; a real number if they do not fit 64 bits. */
static void time_from(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    const struct unit *unit = sqlite3_user_data(context);
    int64_t number = sqlite3_value_int64(argv[0]);
    (void)argc;
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER)
        sqlite3_result_error(context, "TIME_FROM: argument must be an integer", -1);
    else if (number > INT64_MAX / unit->ns || number < INT64_MIN / unit->ns)
        sqlite3_result_double(context, (double)number * (double)unit->ns);
    else
        sqlite3_result_int64(context, number * unit->ns);
}

/* time_to_UNIT(ns): the number of whole units. */
static void time_to(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    const struct unit *unit = sqlite3_user_data(context);
    (void)argc;
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER)
        sqlite3_result_error(context, "TIME_TO: argument must be an integer", -1);
    else
        sqlite3_result_int64(context, sqlite3_value_int64(argv[0]) / unit->ns);
}

static int add_units(sqlite3 *db, int flags)
{
#define UNIT(name, ns) {INT64_C(ns), "time_from_" name, "time_to_" name}
    static const struct unit units[] = {
        UNIT("ns", 1), UNIT("us", 1000), UNIT("ms", 1000000), UNIT("s", 1000000000), UNIT("min", 60000000000),
        UNIT("hours", 3600000000000), UNIT("days", 86400000000000),
    };
#undef UNIT
    int rc = SQLITE_OK;
    for (size_t i = 0; rc == SQLITE_OK && i < sizeof units / sizeof *units; i++) {
        void *unit = (void *)(uintptr_t)&units[i]; /* SQLite's parameter is not const; the functions only read it */
        rc = sqlite3_create_function_v2(db, units[i].from, 1, flags, unit, time_from, NULL, NULL, NULL);
        if (rc == SQLITE_OK)
            rc = sqlite3_create_function_v2(db, units[i].to, 1, flags, unit, time_to, NULL, NULL, NULL);
    }
    return rc;
}

int tm_extension_add_text_functions(sqlite3 *db)
{
    int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
    int rc = sqlite3_create_function_v2(db, "to_timecode", 1, flags, NULL, to_timecode, NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_create_function_v2(db, "str_split", 3, flags, NULL, str_split, NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_create_function_v2(db, "unhex", 1, flags, NULL, unhex, NULL, NULL, NULL);
    return rc == SQLITE_OK ? add_units(db, flags) : rc;
}
