#include "manifest/problems.h"

#include <stdarg.h>
#include <stdio.h>

void tm_manifest_problems_at(struct tm_manifest_problems *problems, struct tm_manifest_place place)
{
    problems->place = place;
}

void tm_manifest_problems_of(struct tm_manifest_problems *problems, const char *file)
{
    snprintf(problems->file, sizeof problems->file, "%s%s", file, *file ? ": " : "");
}

void tm_manifest_problems_add(struct tm_manifest_problems *problems, const char *format, ...)
{
    char text[TM_ERROR_TEXT_MAX], escaped[TM_ERROR_TEXT_MAX], place[64] = "";
    va_list args;
    if (problems->place.line)
        snprintf(place, sizeof place, ", line %zu, column %zu", problems->place.line, problems->place.column);
    problems->place.line = 0;
    problems->count++;
    if (problems->kept == TM_MANIFEST_PROBLEMS_MAX)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tm_text_escape(text, strlen(text), escaped, sizeof escaped);
    size_t before = problems->lines.len;
    if (tm_buf_addf(&problems->lines, "%sperfetto_manifest: %s%s", problems->file, escaped, place) != TM_OK ||
        tm_buf_add_byte(&problems->lines, 0) != TM_OK) {
        problems->lines.len = before;
        problems->no_memory = true;
        return;
    }
    problems->kept++;
}

const char *tm_manifest_problems_next(const struct tm_manifest_problems *problems, const char *previous)
{
    const char *lines = (const char *)problems->lines.data;
    const char *next = previous ? previous + strlen(previous) + 1 : lines;
    return lines == NULL || next >= lines + problems->lines.len ? NULL : next;
}

enum tm_status tm_manifest_problems_status(const struct tm_manifest_problems *problems, struct tm_error *err)
{
    const char *first = tm_manifest_problems_next(problems, NULL);
    if (problems->no_memory)
        return tm_error_nomem(err);
    return first ? tm_error_set(err, TM_E_INPUT, "%s", first) : TM_OK;
}

void tm_manifest_problems_release(struct tm_manifest_problems *problems)
{
    tm_buf_release(&problems->lines);
    *problems = (struct tm_manifest_problems){0};
}

struct tm_manifest_quoted tm_manifest_quote(const void *name, size_t len)
{
    struct tm_manifest_quoted quoted;
    tm_text_escape(name, len, quoted.text, sizeof quoted.text);
    /* tm_text_escape always writes a string. */
    /* cppcheck-suppress uninitvar */
    return quoted;
}
