#include "manifest/unknown_keys.h"

#include <string.h>

enum {
    KEYS_MAX = 8,
    NEAR = 2, /* a known key is suggested if at most this many letters differ */
    PART = 3, /* an abbreviated key must have at least this many letters */
    KEY_BYTES_MAX = 32
};

/* An object of the manifest: its keys, and which of them have an object or a list of objects as value. */
struct shape {
    const char *keys[KEYS_MAX];
    const struct shape *inside[KEYS_MAX];
};

static const struct shape machine_shape = {.keys = {"name"}};
static const struct shape machines_shape = {.keys = {"id", "name"}};
static const struct shape sync_to_shape = {.keys = {"file", "clock", "machine"}};
static const struct shape clocks_shape = {.keys = {"clock", "machine", "offset_ns", "sync_to"},
                                          .inside = {NULL, NULL, NULL, &sync_to_shape}};
static const struct shape file_shape = {.keys = {"path", "machine", "machines", "clocks"},
                                        .inside = {NULL, &machine_shape, &machines_shape, &clocks_shape}};
static const struct shape trace_time_shape = {.keys = {"clock", "file", "machine"}};
static const struct shape manifest_shape = {.keys = {"version", "trace_time", "files", "attributes"},
                                            .inside = {NULL, &trace_time_shape, &file_shape, NULL}};
static const struct shape document_shape = {.keys = {"perfetto_manifest"}, .inside = {&manifest_shape}};

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Returns the edit distance of A and B. Both are short. */
static int distance(const char *a, const char *b)
{
    int row[KEY_BYTES_MAX + 1], n = (int)strlen(b);
    for (int j = 0; j <= n; j++)
        row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int corner = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int above = row[j];
            row[j] = least(least(row[j] + 1, row[j - 1] + 1), corner + (a[i - 1] != b[j - 1]));
            corner = above;
        }
    }
    return row[n];
}

static const char *nearest(const struct shape *shape, const char *key)
{
    const char *found = NULL;
    int best = NEAR + 1;
    if (strlen(key) > KEY_BYTES_MAX)
        return NULL;
    for (size_t i = 0; i < KEYS_MAX && shape->keys[i]; i++) {
        int d = distance(key, shape->keys[i]);
        if (strlen(key) >= PART && strncmp(key, shape->keys[i], strlen(key)) == 0)
            d = NEAR;
        if (d < best) {
            best = d;
            found = shape->keys[i];
        }
    }
    return found;
}

static void warn(struct tm_json_text *json, const cJSON *item, const struct shape *shape,
                 struct tm_manifest_problems *problems)
{
    const char *suggestion = nearest(shape, item->string);
    struct tm_manifest_quoted key = tm_manifest_quote(item->string, strlen(item->string));
    tm_manifest_problems_at(problems, tm_json_text_place(json, item));
    if (suggestion)
        tm_manifest_problems_add(problems, "unknown key '%s' is ignored; did you mean '%s'?", key.text, suggestion);
    else
        tm_manifest_problems_add(problems, "unknown key '%s' is ignored", key.text);
}

static void check_keys(struct tm_json_text *json, const cJSON *value, const struct shape *shape,
                       struct tm_manifest_problems *problems)
{
    const cJSON *item;
    if (cJSON_IsArray(value)) {
        cJSON_ArrayForEach(item, value)
            if (cJSON_IsObject(item))
                check_keys(json, item, shape, problems);
        return;
    }
    if (!cJSON_IsObject(value))
        return;
    cJSON_ArrayForEach(item, value) {
        size_t i = 0;
        while (i < KEYS_MAX && shape->keys[i] && strcmp(shape->keys[i], item->string) != 0)
            i++;
        bool is_known = i < KEYS_MAX && shape->keys[i];
        if (is_known && shape->inside[i])
            check_keys(json, item, shape->inside[i], problems);
        else if (!is_known && strncmp(item->string, "x_", 2) != 0)
            warn(json, item, shape, problems);
    }
}

void tm_unknown_keys_find(struct tm_json_text *json, struct tm_manifest_problems *problems)
{
    check_keys(json, json->root, &document_shape, problems);
}
