/* Finds where the values of a manifest are in its text. */
#include "manifest/json_text.h"

enum { RETURNS_MAX = 32 };

void tm_manifest_place_move(struct tm_manifest_place *place, const uint8_t *from, const uint8_t *to)
{
    for (; from < to; from++) {
        if (*from == '\n') {
            place->line++;
            place->column = 1;
        } else if ((*from & 0xc0) != 0x80) {
            place->column++;
        }
    }
}

/* Numbers ITEM and its siblings from NEXT on, and returns the next free number. Values that are JSON numbers keep their
 * indexes. */
static int number_values(cJSON *item, int next)
{
    for (; item; item = item->next) {
        if (!cJSON_IsNumber(item))
            item->valueint = next;
        next = number_values(item->child, next + 1);
    }
    return next;
}

void tm_json_text_number_values(cJSON *root)
{
    number_values(root, 0);
}

static uint32_t start_of(const struct tm_json_text *json, const cJSON *item)
{
    uint32_t start;
    if (cJSON_IsNumber(item))
        return (uint32_t)((const uint8_t *)json->numbers[item->valueint].text - json->text);
    memcpy(&start, json->starts.data + (size_t)item->valueint * sizeof start, sizeof start);
    return start;
}

struct tm_json_slice tm_json_text_object(const struct tm_json_text *json, const cJSON *item)
{
    const char *text = (const char *)json->text + start_of(json, item), *p = text;
    unsigned depth = 0;
    bool is_string = false;
    do {
        if (is_string && *p == '\\')
            p++;
        else if (*p == '"')
            is_string = !is_string;
        else if (!is_string)
            depth += *p == '{' ? 1u : *p == '}' ? -1u : 0u;
        p++;
    } while (depth);
    return (struct tm_json_slice){text, (size_t)(p - text)};
}

struct tm_manifest_place tm_json_text_place(struct tm_json_text *json, const cJSON *item)
{
    const uint32_t start = start_of(json, item);
    if (start < json->cursor.at && json->cursor.returns++ < RETURNS_MAX) {
        json->cursor.at = 0;
        json->cursor.place = (struct tm_manifest_place){1, 1};
    }
    if (start < json->cursor.at)
        return (struct tm_manifest_place){0};
    tm_manifest_place_move(&json->cursor.place, json->text + json->cursor.at, json->text + start);
    json->cursor.at = start;
    return json->cursor.place;
}

