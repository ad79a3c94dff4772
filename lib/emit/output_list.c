#include "emit/output_list.h"

#include "os/out_file.h"

#include <string.h>
#include <sys/stat.h>

enum tm_status tm_output_list_add(struct tm_output_list *list, const char *out, struct tm_error *err)
{
    if (list->count == TM_OUTPUTS_MAX)
        return tm_error_set(err, TM_E_USAGE, "-o is given more than %d times", TM_OUTPUTS_MAX);
    list->rows[list->count++] = (struct tm_output_choice){.out = tm_out_file_is_stdout(out) ? NULL : out};
    return *out ? TM_OK : tm_error_set(err, TM_E_USAGE, "-o '': an output needs a name");
}

void tm_output_list_format(struct tm_output_list *list, const char *format)
{
    *(list->count ? &list->rows[list->count - 1].format : &list->format) = format;
}

void tm_output_list_part(struct tm_output_list *list, const char *part)
{
    *(list->count ? &list->rows[list->count - 1].part : &list->part) = part;
}

/* Options before the first -o belong to the only output. */
static enum tm_status complete_single(struct tm_output_list *list, struct tm_error *err)
{
    if (list->count == 0)
        list->count = 1;
    if (list->count > 1 && (list->format || list->part))
        return tm_error_set(err, TM_E_USAGE, "with several -o, each %s must follow the -o to which it applies",
                            list->format ? "-f" : "--part");
    struct tm_output_choice *first = &list->rows[0];
    if (first->format == NULL)
        first->format = list->format;
    if (first->part == NULL)
        first->part = list->part;
    return TM_OK;
}

static bool is_one_file(const char *a, const char *b)
{
    return a && b ? tm_out_file_is_same(a, b) : a == b;
}

static enum tm_status choose(struct tm_output_choice *row, const char *lister, struct tm_error *err)
{
    char endings[512];
    struct stat info;
    row->emit = tm_emit_choose(row->format, row->out);
    if (row->emit == NULL && row->format)
        return tm_error_set(err, TM_E_USAGE, "'%s' is not a format; %s lists the formats", row->format, lister);
    if (row->emit == NULL) {
        tm_emit_endings(endings, sizeof endings);
        return tm_error_set(err, TM_E_USAGE, "%s: no format has this ending; use one of %s, or give -f",
                            row->out, endings);
    }
    if (row->emit->needs_path && row->out == NULL)
        return tm_error_set(err, TM_E_USAGE, "%s needs a %s to write; give one with -o", row->emit->name,
                            row->emit->members ? "folder" : "file");
    bool is_special = row->out && stat(row->out, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
    if (row->emit->needs_path && row->emit->members == NULL && is_special)
        return tm_error_set(err, TM_E_USAGE, "%s: %s needs a regular file", row->out, row->emit->name);
    if (row->part && row->out == NULL)
        return tm_error_set(err, TM_E_USAGE, "--part needs -o");
    return TM_OK;
}

enum tm_status tm_output_list_choose(struct tm_output_list *list, const char *lister, struct tm_error *err)
{
    enum tm_status st = complete_single(list, err);
    for (size_t i = 0; i < list->count && st == TM_OK; i++) {
        st = choose(&list->rows[i], lister, err);
        for (size_t k = 0; k < i && st == TM_OK; k++)
            if (is_one_file(list->rows[i].out, list->rows[k].out))
                st = tm_error_set(err, TM_E_USAGE, "%s is given as two outputs",
                                  list->rows[i].out ? list->rows[i].out : "standard output");
    }
    return st;
}

enum tm_status tm_output_list_check_other(const struct tm_output_list *list, const char *other, struct tm_error *err)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->rows[i].out && is_one_file(list->rows[i].out, other))
            return tm_error_set(err, TM_E_USAGE, "%s is given as two outputs", other);
    return TM_OK;
}

enum tm_status tm_output_list_rows(struct tm_output_list *list, bool events, bool args, struct tm_error *err)
{
    const char *first = list->rows[0].emit->name;
    bool any_events = false, any_args = false;
    for (size_t i = 0; i < list->count; i++) {
        const struct tm_emit **emit = &list->rows[i].emit;
        any_events = any_events || (*emit)->events;
        any_args = any_args || (*emit)->has_args;
        *emit = events && (*emit)->events ? (*emit)->events : *emit;
    }
    if (args && (events || !any_args))
        return tm_error_set(err, TM_E_USAGE, "--arg: %s%s has no columns for args", first, events ? " --events" : "");
    return events && !any_events ? tm_error_set(err, TM_E_USAGE, "--events: %s has no rows that are slices", first)
                                 : TM_OK;
}

enum tm_status tm_output_list_option(const struct tm_output_list *list, bool is_given, const char *option,
                                     const char *format, struct tm_error *err)
{
    bool is_for_any = !is_given;
    for (size_t i = 0; i < list->count; i++)
        is_for_any = is_for_any || strcmp(list->rows[i].emit->name, format) == 0;
    return is_for_any ? TM_OK : tm_error_set(err, TM_E_USAGE, "%s applies to %s, not to %s", option, format,
                                             list->rows[0].emit->name);
}

enum tm_status tm_output_list_json(const struct tm_output_list *list, struct tm_error *err)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->rows[i].emit->reports_notices)
            return TM_OK;
    return tm_error_set(err, TM_E_USAGE, "--json applies to report, explain, summary and dropped, not to %s; -f json "
                        "and -f jsonl write events", list->rows[0].emit->name);
}

bool tm_output_list_shows_flows(const struct tm_output_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->rows[i].emit->shows_flows)
            return true;
    return false;
}

enum tm_status tm_output_list_join(const struct tm_output_list *list, struct tm_error *err)
{
    if (tm_output_list_shows_flows(list))
        return TM_OK;
    return tm_error_set(err, TM_E_USAGE, "--join applies to text, jsonl, csv, pftrace, json, sqlite and tables, not to "
                        "%s", list->rows[0].emit->name);
}

const struct tm_output_choice *tm_output_list_stdout(const struct tm_output_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->rows[i].out == NULL)
            return &list->rows[i];
    return NULL;
}
