#include "select/matcher.h"

#include "base/table.h"
#include "select/kinds.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

enum { PATH_TEXT_MAX = 1024, NUMBER_TEXT_MAX = 24, NO = 1, YES = 2 };

/* True if VALUE equals TEXT or is a pattern that matches it. */
static bool fits(const char *value, const char *text)
{
    return strcmp(value, text) == 0 || fnmatch(value, text, 0) == 0;
}

static bool fits_any(const struct tm_select_values *values, const char *text)
{
    for (uint32_t i = 0; i < values->count; i++)
        if (fits(values->texts[i], text))
            return true;
    return false;
}

enum tm_status tm_matcher_answer(struct tm_matcher_answers *answers, uint32_t id, uint8_t **answer,
                                 struct tm_error *err)
{
    if (tm_array_grow(&answers->known, &answers->count, id, 1, err) < 0)
        return TM_E_SYSTEM;
    *answer = &answers->known[id];
    return TM_OK;
}

/* Returns TEXT as a C string in BUF. A NUL in it, which no value can contain, becomes \001. */
static const char *c_string(struct tm_buf *buf, struct tm_text text)
{
    tm_buf_clear(buf);
    if (tm_buf_add(buf, text.data, text.len) < 0)
        return NULL;
    for (size_t i = 0; i < buf->len; i++)
        if (buf->data[i] == '\0')
            buf->data[i] = 1;
    return tm_buf_cstr(buf);
}

enum tm_status tm_matcher_fits_any(const struct tm_select_values *values, struct tm_text text, struct tm_buf *buf,
                                   bool *fits_one, struct tm_error *err)
{
    const char *string = c_string(buf, text);
    *fits_one = string && fits_any(values, string);
    return string ? TM_OK : tm_error_nomem(err);
}

/* *WANTED: VALUE matches the machine's name ("host" if its raw id is 0) or is its raw id. */
static enum tm_status machine_fits(struct tm_matcher *m, const char *value, uint32_t machine, bool *wanted,
                                   struct tm_error *err)
{
    const struct tm_catalog_machine *row = tm_catalog_machine(m->catalog, machine);
    char number[NUMBER_TEXT_MAX];
    const char *name;
    *wanted = false;
    if (row == NULL)
        return TM_OK;
    snprintf(number, sizeof number, "%lld", (long long)row->raw_id);
    *wanted = strcmp(value, number) == 0 || (row->raw_id == 0 && fits(value, "host"));
    if (*wanted || row->name.data == NULL)
        return TM_OK;
    if ((name = c_string(&m->text, row->name)) == NULL)
        return tm_error_nomem(err);
    *wanted = fits(value, name);
    return TM_OK;
}

/* True if VALUE matches the path of FILE or that of a container around it. */
static bool file_fits(const struct tm_matcher *m, const char *value, uint32_t file)
{
    char path[PATH_TEXT_MAX];
    for (const struct tm_catalog_file *f = &m->catalog->files[file];; f = &m->catalog->files[file = f->parent]) {
        tm_catalog_path(m->catalog, file, path, sizeof path);
        if (fits(value, path))
            return true;
        if (!f->has_parent || f->parent >= file)
            return false;
    }
}

static enum tm_status place_fits(struct tm_matcher *m, enum tm_select_key key, uint32_t id, bool *wanted,
                                 struct tm_error *err)
{
    const struct tm_select_values *values = &m->spec->values[key];
    enum tm_status st = TM_OK;
    *wanted = values->count == 0;
    for (uint32_t i = 0; i < values->count && st == TM_OK && !*wanted; i++) {
        if (key == TM_SELECT_FILE)
            *wanted = file_fits(m, values->texts[i], id);
        else
            st = machine_fits(m, values->texts[i], id, wanted, err);
    }
    return st;
}

enum tm_status tm_matcher_place(struct tm_matcher *m, uint32_t file, uint32_t machine, bool *wanted,
                                struct tm_error *err)
{
    uint8_t *answer = NULL;
    const uint32_t ids[] = {machine, file};
    enum tm_status st;
    *wanted = true;
    for (enum tm_select_key key = TM_SELECT_MACHINE; key <= TM_SELECT_FILE && *wanted; key++) {
        if (m->spec->values[key].count == 0)
            continue;
        if ((st = tm_matcher_answer(key == TM_SELECT_FILE ? &m->files : &m->machines, ids[key], &answer, err)) < 0)
            return st;
        if (*answer == 0) {
            if ((st = place_fits(m, key, ids[key], wanted, err)) < 0)
                return st;
            *answer = *wanted ? YES : NO;
        }
        *wanted = *answer == YES;
    }
    return TM_OK;
}

/* True if the whole list TEXT, or one category in it, matches. TEXT is overwritten. */
static bool category_fits(const struct tm_select_values *values, char *text)
{
    if (fits_any(values, text))
        return true;
    for (char *p = text, *end; p; p = end) {
        if ((end = strchr(p, ',')) != NULL)
            *end++ = '\0';
        while (*p == ' ')
            p++;
        for (size_t len = strlen(p); len > 0 && p[len - 1] == ' ';)
            p[--len] = '\0';
        if (fits_any(values, p))
            return true;
    }
    return false;
}

static enum tm_status text_fits(struct tm_matcher *m, enum tm_select_key key, struct tm_text text, bool *wanted,
                                struct tm_error *err)
{
    const struct tm_select_values *values = &m->spec->values[key];
    *wanted = false;
    if (text.data == NULL)
        return TM_OK;
    if (c_string(&m->text, text) == NULL)
        return tm_error_nomem(err);
    *wanted = key == TM_SELECT_NAME ? fits_any(values, (const char *)m->text.data)
                                    : category_fits(values, (char *)m->text.data);
    return TM_OK;
}

/* STRING, the value that EVENT has for KEY. */
struct event_label {
    enum tm_select_key key;
    uint32_t string;
    const struct tm_event *event;
};

static enum tm_status label_fits(struct tm_matcher *m, struct event_label label, bool *wanted, struct tm_error *err)
{
    const enum tm_select_key key = label.key;
    const uint32_t string = label.string;
    uint8_t *answer = NULL;
    enum tm_status st;
    *wanted = m->spec->values[key].count == 0;
    if (*wanted)
        return TM_OK;
    if (string == 0 || string > m->catalog->string_count)
        return text_fits(m, key, tm_catalog_string(m->catalog, string, label.event), wanted, err);
    if ((st = tm_matcher_answer(key == TM_SELECT_NAME ? &m->names : &m->categories, string, &answer, err)) < 0)
        return st;
    if (*answer == 0) {
        if ((st = text_fits(m, key, tm_catalog_string(m->catalog, string, label.event), wanted, err)) < 0)
            return st;
        *answer = *wanted ? YES : NO;
    }
    *wanted = *answer == YES;
    return TM_OK;
}

bool tm_matcher_kind(const struct tm_matcher *m, uint32_t kind)
{
    const struct tm_select_values *values = &m->spec->values[TM_SELECT_KIND];
    for (uint32_t i = 0; i < values->count; i++)
        if (tm_select_kind_fits(kind, values->texts[i]))
            return true;
    return values->count == 0;
}

enum tm_status tm_matcher_labels(struct tm_matcher *m, const struct tm_event *event, uint32_t category, bool *wanted,
                                 struct tm_error *err)
{
    const struct event_label category_label = {TM_SELECT_CATEGORY, category, event};
    enum tm_status st = label_fits(m, (struct event_label){TM_SELECT_NAME, event->name, event}, wanted, err);
    return st < 0 || !*wanted ? st : label_fits(m, category_label, wanted, err);
}

enum tm_status tm_matcher_text(struct tm_matcher *m, struct tm_text name, bool *wanted, struct tm_error *err)
{
    *wanted = m->spec->values[TM_SELECT_CATEGORY].count == 0;
    if (!*wanted || m->spec->values[TM_SELECT_NAME].count == 0)
        return TM_OK;
    return text_fits(m, TM_SELECT_NAME, name, wanted, err);
}

enum tm_status tm_matcher_is_known(struct tm_matcher *m, enum tm_select_key key, uint32_t i, struct tm_error *err)
{
    const char *value = m->spec->values[key].texts[i];
    bool found = false;
    enum tm_status st = TM_OK;
    if (key == TM_SELECT_FILE)
        for (uint32_t f = 0; f < m->catalog->file_count && !found; f++)
            found = file_fits(m, value, f);
    else
        for (uint32_t k = 0; k < m->catalog->machine_count && !found && st == TM_OK; k++)
            st = machine_fits(m, value, k, &found, err);
    return st < 0 ? st : found ? TM_OK : TM_END;
}

void tm_matcher_release(struct tm_matcher *m)
{
    free(m->files.known);
    free(m->machines.known);
    free(m->names.known);
    free(m->categories.known);
    tm_buf_release(&m->text);
    *m = (struct tm_matcher){0};
}
