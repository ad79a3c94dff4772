#include "select/criteria.h"

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

enum tm_status tm_criteria_answer(struct tm_criteria_answers *answers, uint32_t id, uint8_t **answer,
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

enum tm_status tm_criteria_fits_any(const struct tm_select_values *values, struct tm_text text, struct tm_buf *buf,
                                    bool *fits_one, struct tm_error *err)
{
    const char *string = c_string(buf, text);
    *fits_one = string && fits_any(values, string);
    return string ? TM_OK : tm_error_nomem(err);
}

/* *WANTED: VALUE matches the machine's name ("host" if its raw id is 0) or is its raw id. */
static enum tm_status machine_fits(struct tm_criteria *c, const char *value, uint32_t machine, bool *wanted,
                                   struct tm_error *err)
{
    const struct tm_catalog_machine *row = tm_catalog_machine(c->catalog, machine);
    char number[NUMBER_TEXT_MAX];
    const char *name;
    *wanted = false;
    if (row == NULL)
        return TM_OK;
    snprintf(number, sizeof number, "%lld", (long long)row->raw_id);
    *wanted = strcmp(value, number) == 0 || (row->raw_id == 0 && fits(value, "host"));
    if (*wanted || row->name.data == NULL)
        return TM_OK;
    if ((name = c_string(&c->text, row->name)) == NULL)
        return tm_error_nomem(err);
    *wanted = fits(value, name);
    return TM_OK;
}

/* True if VALUE matches the path of FILE or that of a container around it. */
static bool file_fits(const struct tm_criteria *c, const char *value, uint32_t file)
{
    char path[PATH_TEXT_MAX];
    for (const struct tm_catalog_file *f = &c->catalog->files[file];; f = &c->catalog->files[file = f->parent]) {
        tm_catalog_path(c->catalog, file, path, sizeof path);
        if (fits(value, path))
            return true;
        if (!f->has_parent || f->parent >= file)
            return false;
    }
}

static enum tm_status place_fits(struct tm_criteria *c, enum tm_select_key key, uint32_t id, bool *wanted,
                                 struct tm_error *err)
{
    const struct tm_select_values *values = &c->spec->values[key];
    enum tm_status st = TM_OK;
    *wanted = values->count == 0;
    for (uint32_t i = 0; i < values->count && st == TM_OK && !*wanted; i++) {
        if (key == TM_SELECT_FILE)
            *wanted = file_fits(c, values->texts[i], id);
        else
            st = machine_fits(c, values->texts[i], id, wanted, err);
    }
    return st;
}

enum tm_status tm_criteria_place(struct tm_criteria *c, uint32_t file, uint32_t machine, bool *wanted,
                                 struct tm_error *err)
{
    uint8_t *answer = NULL;
    const uint32_t ids[] = {machine, file};
    enum tm_status st;
    *wanted = true;
    for (enum tm_select_key key = TM_SELECT_MACHINE; key <= TM_SELECT_FILE && *wanted; key++) {
        if (c->spec->values[key].count == 0)
            continue;
        if ((st = tm_criteria_answer(key == TM_SELECT_FILE ? &c->files : &c->machines, ids[key], &answer, err)) < 0)
            return st;
        if (*answer == 0) {
            if ((st = place_fits(c, key, ids[key], wanted, err)) < 0)
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

static enum tm_status text_fits(struct tm_criteria *c, enum tm_select_key key, struct tm_text text, bool *wanted,
                                struct tm_error *err)
{
    const struct tm_select_values *values = &c->spec->values[key];
    *wanted = false;
    if (text.data == NULL)
        return TM_OK;
    if (c_string(&c->text, text) == NULL)
        return tm_error_nomem(err);
    *wanted = key == TM_SELECT_NAME ? fits_any(values, (const char *)c->text.data)
                                    : category_fits(values, (char *)c->text.data);
    return TM_OK;
}

/* STRING, the value that EVENT has for KEY. */
struct event_label {
    enum tm_select_key key;
    uint32_t string;
    const struct tm_event *event;
};

static enum tm_status label_fits(struct tm_criteria *c, struct event_label label, bool *wanted, struct tm_error *err)
{
    const enum tm_select_key key = label.key;
    const uint32_t string = label.string;
    uint8_t *answer = NULL;
    enum tm_status st;
    *wanted = c->spec->values[key].count == 0;
    if (*wanted)
        return TM_OK;
    if (string == 0 || string > c->catalog->string_count)
        return text_fits(c, key, tm_catalog_string(c->catalog, string, label.event), wanted, err);
    if ((st = tm_criteria_answer(key == TM_SELECT_NAME ? &c->names : &c->categories, string, &answer, err)) < 0)
        return st;
    if (*answer == 0) {
        if ((st = text_fits(c, key, tm_catalog_string(c->catalog, string, label.event), wanted, err)) < 0)
            return st;
        *answer = *wanted ? YES : NO;
    }
    *wanted = *answer == YES;
    return TM_OK;
}

bool tm_criteria_kind(const struct tm_criteria *c, uint32_t kind)
{
    const struct tm_select_values *values = &c->spec->values[TM_SELECT_KIND];
    for (uint32_t i = 0; i < values->count; i++)
        if (tm_select_kind_fits(kind, values->texts[i]))
            return true;
    return values->count == 0;
}

enum tm_status tm_criteria_labels(struct tm_criteria *c, const struct tm_event *event, uint32_t category, bool *wanted,
                                  struct tm_error *err)
{
    const struct event_label category_label = {TM_SELECT_CATEGORY, category, event};
    enum tm_status st = label_fits(c, (struct event_label){TM_SELECT_NAME, event->name, event}, wanted, err);
    return st < 0 || !*wanted ? st : label_fits(c, category_label, wanted, err);
}

enum tm_status tm_criteria_text(struct tm_criteria *c, struct tm_text name, bool *wanted, struct tm_error *err)
{
    *wanted = c->spec->values[TM_SELECT_CATEGORY].count == 0;
    if (!*wanted || c->spec->values[TM_SELECT_NAME].count == 0)
        return TM_OK;
    return text_fits(c, TM_SELECT_NAME, name, wanted, err);
}

enum tm_status tm_criteria_is_known(struct tm_criteria *c, enum tm_select_key key, uint32_t i, struct tm_error *err)
{
    const char *value = c->spec->values[key].texts[i];
    bool found = false;
    enum tm_status st = TM_OK;
    if (key == TM_SELECT_FILE)
        for (uint32_t f = 0; f < c->catalog->file_count && !found; f++)
            found = file_fits(c, value, f);
    else
        for (uint32_t k = 0; k < c->catalog->machine_count && !found && st == TM_OK; k++)
            st = machine_fits(c, value, k, &found, err);
    return st < 0 ? st : found ? TM_OK : TM_END;
}

void tm_criteria_release(struct tm_criteria *c)
{
    free(c->files.known);
    free(c->machines.known);
    free(c->names.known);
    free(c->categories.known);
    tm_buf_release(&c->text);
    *c = (struct tm_criteria){0};
}
