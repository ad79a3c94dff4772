/* Arguments of Chrome JSON events that change with their event.
 *
 * References to objects: {"id_ref": "0x1"}, at any depth, follows the object's id; pid_ref beside it follows the
 * process. An object inside a snapshot with an id, "NAME/0x1", is an object of its own and is referred to in the same
 * way. Source: the Trace Event Format, "Object Events"; catapult's importer for arguments of slices and pid_ref.
 *
 * Times on the event's own clock: startTime and endTime of V8's profiles, from which times of samples count (P events
 * named Profile and ProfileChunk), and issue_ts of clock syncs. */
#include "emit/chrome_json/internal.h"

#include "base/checked.h"
#include "base/decimal.h"

#include <string.h>

/* The phase of E's object, 0 if it has none, and the time in its text. */
static char phase_of(const struct tm_event *e, int64_t *recorded_ns)
{
    struct tm_json_scan scan = {e->raw, e->raw + e->raw_bytes, true, NULL};
    struct tm_json_value key, value;
    char phase = 0;
    *recorded_ns = e->time_ns;
    scan.p++;
    while (tm_json_key(&scan, &key) == TM_JSON_OK) {
        enum tm_json_status st =
            *scan.p == '{' || *scan.p == '[' ? tm_json_pass(&scan, &value) : tm_json_value(&scan, &value);
        if (st != TM_JSON_OK)
            break;
        if (tm_json_is(&key, "ph", 2) && value.type == TM_JSON_STRING && value.len)
            phase = (char)value.data[0];
        if (tm_json_is(&key, "ts", 2) && (value.type == TM_JSON_NUMBER || value.type == TM_JSON_STRING))
            (void)tm_decimal_scale((const char *)value.data, value.len, 3, recorded_ns);
        if (tm_json_comma(&scan, '}') != TM_JSON_OK)
            break;
    }
    return phase;
}

enum tm_status tm_json_out_refers(struct tm_json_out *j, const struct tm_event *e, struct tm_json_refs *refs,
                                  struct tm_error *err)
{
    uint32_t there;
    int64_t recorded_ns, ns;
    *refs = (struct tm_json_refs){0};
    if (e->kind == TM_KIND_PACKET) {
        char phase = phase_of(e, &recorded_ns);
        refs->is_snapshot = phase == 'O';
        refs->is_profile = phase == 'P';
        refs->has_times = (phase == 'P' || phase == 'c') && tm_sub_i64(e->time_ns, j->base_ns, &ns) &&
                          tm_sub_i64(ns, recorded_ns, &refs->shift_ns) && refs->shift_ns;
        refs->is_there = refs->has_times;
        if (!j->meets || phase == 0 || strchr("NOD()=", phase) == NULL)
            return TM_OK;
        refs->is_there = true;
        return tm_map_set(&j->with_objects, e->file, 1) < 0 ? tm_error_nomem(err) : TM_OK;
    }
    refs->is_there = j->with_objects.count && tm_map_find(&j->with_objects, e->file, &there) &&
                     tm_json_out_may_have(e, "ef"); /* id_ref, idRef … */
    return TM_OK;
}

static bool is_scalar(const struct tm_json_value *v)
{
    return v->type == TM_JSON_NUMBER || v->type == TM_JSON_STRING;
}

static void put_since(struct tm_json_out *j, const uint8_t **from, const struct tm_json_value *value)
{
    size_t quote = value->type == TM_JSON_STRING;
    tm_out_bytes(&j->out, *from, (size_t)(value->data - quote - *from));
    *from = value->data + value->len + quote;
}

/* "NAME/0x1": the id is after the last slash. */
static enum tm_status put_nested_id(struct tm_json_out *j, const struct tm_event *e, const uint8_t **from,
                                    const struct tm_json_value *value, struct tm_error *err)
{
    size_t name = value->len;
    while (name > 0 && value->data[name - 1] != '/')
        name--;
    if (value->type != TM_JSON_STRING || name < 2 || name == value->len)
        return TM_OK;
    struct tm_json_value id = {
        .data = value->data + name, .len = value->len - name, .type = TM_JSON_STRING, .escaped = value->escaped};
    put_since(j, from, value);
    tm_out_char(&j->out, '"');
    tm_out_bytes(&j->out, value->data, name);
    enum tm_status st = tm_json_out_id(j, e, TM_JSON_ID_OF_EVENT, &id, err);
    tm_out_char(&j->out, '"');
    return st;
}

static enum tm_status put_pid(struct tm_json_out *j, const struct tm_event *e, const uint8_t **from,
                              const struct tm_json_value *value, struct tm_error *err)
{
    int64_t pid, out_pid;
    enum tm_status st;
    if (value->type != TM_JSON_NUMBER || tm_decimal_int((const char *)value->data, value->len, &pid) != TM_OK)
        return TM_OK;
    if ((st = tm_json_out_pid(j, e->machine, pid, &out_pid, err)) < 0 || out_pid == pid)
        return st;
    put_since(j, from, value);
    tm_out_i64(&j->out, out_pid);
    return TM_OK;
}

/* Writes a time on the event's clock. */
static void put_shifted(struct tm_json_out *j, const uint8_t **from, const struct tm_json_value *value,
                        int64_t shift_ns)
{
    int64_t ns;
    if (!is_scalar(value) || tm_decimal_scale((const char *)value->data, value->len, 3, &ns) != TM_OK ||
        !tm_add_i64(ns, shift_ns, &ns))
        return;
    put_since(j, from, value);
    tm_json_out_micros(j, ns);
}

enum tm_status tm_json_out_refs(struct tm_json_out *j, const struct tm_event *e, const struct tm_json_value *args,
                                const struct tm_json_refs *refs, struct tm_error *err)
{
    struct tm_json_scan scan = tm_json_scan_of(args);
    struct tm_json_value key, value;
    const uint8_t *from = args->data;
    enum tm_status st = TM_OK;
    while (st == TM_OK && scan.p < scan.end) { /* visits all strings; those before a colon are keys */
        if (*scan.p != '"') {
            scan.p++;
            continue;
        }
        if (tm_json_string(&scan, &key) != TM_JSON_OK)
            break;
        if (!tm_json_space(&scan) || *scan.p != ':')
            continue;
        scan.p++;
        if (!tm_json_space(&scan) || *scan.p == '{' || *scan.p == '[')
            continue;
        if (tm_json_value(&scan, &value) != TM_JSON_OK)
            break;
        bool is_time = refs->is_profile ? tm_json_is(&key, "startTime", 9) || tm_json_is(&key, "endTime", 7)
                                        : tm_json_is(&key, "issue_ts", 8);
        bool is_ref = tm_json_is(&key, "id_ref", 6) || tm_json_is(&key, "idRef", 5) || tm_json_is(&key, "linked_id", 9);
        if (is_ref && is_scalar(&value) && j->renames_ids) {
            put_since(j, &from, &value);
            st = tm_json_out_id(j, e, TM_JSON_ID_OF_EVENT, &value, err);
        } else if (refs->has_times && is_time) {
            put_shifted(j, &from, &value, refs->shift_ns);
        } else if (refs->is_snapshot && tm_json_is(&key, "id", 2) && j->renames_ids) {
            st = put_nested_id(j, e, &from, &value, err);
        } else if (tm_json_is(&key, "pid_ref", 7) || tm_json_is(&key, "pidRef", 6)) {
            st = put_pid(j, e, &from, &value, err);
        }
    }
    tm_out_bytes(&j->out, from, (size_t)(args->data + args->len - from));
    return st;
}
