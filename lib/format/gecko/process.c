#include "format/gecko/process.h"

#include "base/decimal.h"
#include "base/hash.h"
#include "base/search.h"
#include "base/table.h"
#include "format/gecko/gecko.h"
#include "json/number.h"

#include <stdlib.h>

enum { MS_SCALE = 6 };

uint64_t tm_gecko_field_key(const uint8_t *type, size_t type_len, const uint8_t *field, size_t field_len)
{
    return tm_hash64_seed(field, field_len, tm_hash64(type, type_len));
}

/* Finds member NAME of OBJECT, whose text is valid JSON. */
static bool find(const struct tm_json_value *object, const char *name, struct tm_json_value *value)
{
    struct tm_json_scan scan = tm_json_scan_of(object);
    struct tm_json_value key, v;
    if (object->type != TM_JSON_OBJECT)
        return false;
    scan.p++;
    while (tm_json_member(&scan, &key, &v) == TM_JSON_OK)
        if (tm_json_is(&key, name)) {
            *value = v;
            return true;
        }
    return false;
}

static enum tm_status add_categories(struct tm_gecko_process *p, const struct tm_json_value *list,
                                     struct tm_buf *scratch)
{
    struct tm_json_scan scan = tm_json_scan_of(list);
    struct tm_json_value element, name;
    enum tm_status st = TM_OK;
    if (list->type != TM_JSON_ARRAY)
        return TM_OK;
    scan.p++;
    while (st == TM_OK && tm_json_element(&scan, &element) == TM_JSON_OK) {
        const uint8_t *s = NULL;
        size_t len = 0;
        if (p->categories.count == TM_GECKO_LIST_MAX) {
            p->left_out++;
            continue;
        }
        if (find(&element, "name", &name) && name.type == TM_JSON_STRING && !tm_json_text(&name, scratch, &s, &len))
            return TM_E_SYSTEM;
        st = tm_gecko_names_add(&p->categories, s, len);
    }
    return st;
}

/* Returns the kind of string for a format whose values are numbers of strings in the thread's table; 0: another
 * format. */
static uint32_t string_format(const struct tm_json_value *format)
{
    if (format->type != TM_JSON_STRING)
        return 0;
    return tm_json_is(format, "unique-string")         ? TM_GECKO_FIELD_STRING
           : tm_json_is(format, "flow-id")             ? TM_GECKO_FIELD_FLOW
           : tm_json_is(format, "terminating-flow-id") ? TM_GECKO_FIELD_FLOW_END
                                               : 0;
}

/* Adds one entry of markerSchema: its name and its fields, which older profiles call data. */
static enum tm_status add_schema(struct tm_gecko_process *p, const struct tm_json_value *entry)
{
    struct tm_json_value type, fields, field, key, format;
    if (!find(entry, "name", &type) || (!find(entry, "fields", &fields) && !find(entry, "data", &fields)) ||
        fields.type != TM_JSON_ARRAY)
        return TM_OK;
    struct tm_json_scan scan = tm_json_scan_of(&fields);
    scan.p++;
    while (tm_json_element(&scan, &field) == TM_JSON_OK) {
        if (!find(&field, "key", &key) || !find(&field, "format", &format) || string_format(&format) == 0)
            continue;
        if (p->string_fields.count >= TM_GECKO_LIST_MAX) {
            p->left_out++;
            continue;
        }
        if (tm_map_set(&p->string_fields, tm_gecko_field_key(type.data, type.len, key.data, key.len),
                       string_format(&format)) < 0 ||
            tm_map_set(&p->string_types, tm_hash64(type.data, type.len), 1) < 0)
            return TM_E_SYSTEM;
    }
    return TM_OK;
}

static enum tm_status add_schemas(struct tm_gecko_process *p, const struct tm_json_value *list)
{
    struct tm_json_scan scan = tm_json_scan_of(list);
    struct tm_json_value entry;
    enum tm_status st = TM_OK;
    if (list->type != TM_JSON_ARRAY)
        return TM_OK;
    scan.p++;
    while (st == TM_OK && tm_json_element(&scan, &entry) == TM_JSON_OK)
        st = add_schema(p, &entry);
    return st;
}

/* Sets a start time, given as a number or as a string. */
static void set_start(struct tm_gecko_process *p, enum tm_gecko_start which, const struct tm_json_value *v)
{
    int scale = which == TM_GECKO_START_REALTIME ? MS_SCALE : 0;
    if (tm_json_is_scalar(v))
        p->has_start[which] = tm_json_decimal(v, scale, &p->start_ns[which]) == TM_OK;
}

enum tm_status tm_gecko_process_meta(struct tm_gecko_process *p, const struct tm_json_value *meta,
                                     struct tm_buf *scratch)
{
    struct tm_json_scan scan = tm_json_scan_of(meta);
    struct tm_json_value key, value;
    enum tm_status st = TM_OK;
    if (meta->type != TM_JSON_OBJECT)
        return TM_OK;
    scan.p++;
    p->has_meta = true;
    while (st == TM_OK && tm_json_member(&scan, &key, &value) == TM_JSON_OK) {
        if (tm_json_is(&key, "startTime"))
            set_start(p, TM_GECKO_START_REALTIME, &value);
        else if (tm_json_is(&key, "startTimeAsClockMonotonicNanosecondsSinceBoot"))
            set_start(p, TM_GECKO_START_MONOTONIC, &value);
        else if (tm_json_is(&key, "startTimeAsMachAbsoluteTimeNanoseconds"))
            set_start(p, TM_GECKO_START_MACH, &value);
        else if (tm_json_is(&key, "categories") && p->categories.count == 0)
            st = add_categories(p, &value, scratch);
        else if (tm_json_is(&key, "markerSchema"))
            st = add_schemas(p, &value);
    }
    return st;
}

/* Returns member NAME of OBJECT; 0 if it is not a positive integer of up to 63 bits. */
static uint64_t address(const struct tm_json_value *object, const char *name)
{
    struct tm_json_value v;
    int64_t n;
    return find(object, name, &v) && v.type == TM_JSON_NUMBER &&
                   tm_decimal_int((const char *)v.data, v.len, &n) == TM_OK && n > 0
               ? (uint64_t)n
               : 0;
}

static enum tm_status add_lib(struct tm_gecko_process *p, const struct tm_json_value *lib, struct tm_buf *scratch)
{
    struct tm_json_value name;
    const uint8_t *s = NULL;
    size_t len = 0;
    if (tm_array_grow(&p->libs, &p->lib_cap, p->lib_count, sizeof *p->libs, NULL) < 0)
        return TM_E_SYSTEM;
    uint64_t start = address(lib, "start");
    p->libs[p->lib_count++] = (struct tm_gecko_lib){start, address(lib, "end"), start - address(lib, "offset"),
                                                        p->lib_names.count};
    if ((find(lib, "name", &name) && name.len) || find(lib, "path", &name))
        if (name.type == TM_JSON_STRING && !tm_json_text(&name, scratch, &s, &len))
            return TM_E_SYSTEM;
    return tm_gecko_names_add(&p->lib_names, s, len < TM_GECKO_NAME_BYTES ? len : TM_GECKO_NAME_BYTES);
}

static int compare_libs(const void *a, const void *b)
{
    const struct tm_gecko_lib *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

enum tm_status tm_gecko_process_libs(struct tm_gecko_process *p, struct tm_json_cursor *cursor, struct tm_buf *scratch,
                                     struct tm_error *err)
{
    struct tm_json_value lib;
    enum tm_status st = tm_json_cursor_enter(cursor, err);
    while (st == TM_OK && (st = tm_json_cursor_element(cursor, err)) == TM_OK &&
           (st = tm_json_cursor_value(cursor, &lib, err)) == TM_OK)
        if (p->lib_count == TM_GECKO_LIST_MAX)
            p->left_out++;
        else if (add_lib(p, &lib, scratch) < 0)
            return tm_error_nomem(err);
    if (p->lib_count)
        qsort(p->libs, p->lib_count, sizeof *p->libs, compare_libs);
    return st == TM_END ? TM_OK : st;
}

const struct tm_gecko_lib *tm_gecko_process_lib_at(const struct tm_gecko_process *p, uint64_t at)
{
    uint32_t after = tm_search_u64_after(p->libs, p->lib_count, TM_SEARCH_FIELD(struct tm_gecko_lib, start), at);
    return after > 0 && at < p->libs[after - 1].end ? &p->libs[after - 1] : NULL;
}

bool tm_gecko_process_offset(const struct tm_gecko_process *p, const struct tm_gecko_process *root, int64_t *ns)
{
    for (int i = 0; i < TM_GECKO_START_COUNT; i++) {
        int64_t a = p->start_ns[i], b = root->start_ns[i];
        if (!p->has_start[i] || !root->has_start[i] || (b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b))
            continue;
        *ns = a - b;
        return true;
    }
    *ns = 0;
    return false;
}

void tm_gecko_process_release(struct tm_gecko_process *p)
{
    tm_gecko_names_release(&p->categories);
    tm_gecko_names_release(&p->lib_names);
    tm_map_release(&p->string_fields);
    tm_map_release(&p->string_types);
    free(p->libs);
    *p = (struct tm_gecko_process){0};
}
