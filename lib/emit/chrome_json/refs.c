#include "emit/chrome_json/refs.h"

#include "base/checked.h"
#include "base/decimal.h"
#include "json/number.h"

#include <string.h>

enum { NS_SCALE = 3 }; /* from microseconds */

bool tm_json_refs_may_have_key(const struct tm_event *e, const char *ending)
{
    const uint8_t *p = e->raw, *end = e->raw + e->raw_bytes;
    while (end - p > 2 && (p = memchr(p + 1, ending[1], (size_t)(end - p - 2))) != NULL)
        if (p[-1] == (uint8_t)ending[0] && p[1] == '"')
            return true;
    return memchr(e->raw, '\\', e->raw_bytes) != NULL;
}

/* Returns the phase of E's object, 0 if it has none. Sets *RECORDED_NS to the time in its text. */
static char phase_of(const struct tm_event *e, int64_t *recorded_ns)
{
    struct tm_json_scan scan = tm_json_scan_bytes(e->raw, e->raw + e->raw_bytes, true);
    struct tm_json_value key, value;
    char phase = 0;
    *recorded_ns = e->time_ns;
    scan.p++;
    while (tm_json_key(&scan, &key) == TM_JSON_OK) {
        if (tm_json_pass(&scan, &value) != TM_JSON_OK)
            break;
        if (tm_json_is(&key, "ph") && value.type == TM_JSON_STRING && value.len)
            phase = (char)value.data[0];
        if (tm_json_is(&key, "ts"))
            (void)tm_json_decimal(&value, NS_SCALE, recorded_ns);
        if (tm_json_comma(&scan, '}') != TM_JSON_OK)
            break;
    }
    return phase;
}

bool tm_json_refs_read_text(const struct tm_json_refs *refs, const struct tm_event *e)
{
    return e->kind == TM_KIND_PACKET || refs->with_objects.count;
}

enum tm_status tm_json_refs_find(struct tm_json_refs *refs, const struct tm_event *e,
                                 struct tm_json_ref_changes *changes, struct tm_error *err)
{
    uint32_t any;
    int64_t recorded_ns, ns;
    *changes = (struct tm_json_ref_changes){0};
    if (e->kind == TM_KIND_PACKET) {
        char phase = phase_of(e, &recorded_ns);
        changes->is_snapshot = phase == 'O';
        changes->is_profile = phase == 'P';
        changes->has_times = (phase == 'P' || phase == 'c') && tm_sub_i64(e->time_ns, refs->writer->base_ns, &ns) &&
                             tm_sub_i64(ns, recorded_ns, &changes->shift_ns) && changes->shift_ns;
        changes->may_change = changes->has_times;
        if (!refs->inputs->are_several || phase == 0 || strchr("NOD()=", phase) == NULL)
            return TM_OK;
        changes->may_change = true;
        return tm_map_set(&refs->with_objects, e->file, 1) < 0 ? tm_error_nomem(err) : TM_OK;
    }
    changes->may_change = refs->with_objects.count && tm_map_find(&refs->with_objects, e->file, &any) &&
                        tm_json_refs_may_have_key(e, "ef"); /* id_ref, idRef … */
    return TM_OK;
}

static void put_text_before(struct tm_json_refs *refs, const uint8_t **from, const struct tm_json_value *value)
{
    size_t quote = value->type == TM_JSON_STRING;
    tm_out_bytes(&refs->writer->out, *from, (size_t)(value->data - quote - *from));
    *from = value->data + value->len + quote;
}

/* Writes VALUE, "NAME/0x1", with the number of the id after the last slash. */
static enum tm_status put_nested_id(struct tm_json_refs *refs, const struct tm_event *e, const uint8_t **from,
                                    const struct tm_json_value *value, struct tm_error *err)
{
    size_t name = value->len;
    while (name > 0 && value->data[name - 1] != '/')
        name--;
    if (value->type != TM_JSON_STRING || name < 2 || name == value->len)
        return TM_OK;
    struct tm_json_value id = {
        .data = value->data + name, .len = value->len - name, .type = TM_JSON_STRING, .escaped = value->escaped};
    put_text_before(refs, from, value);
    tm_out_char(&refs->writer->out, '"');
    tm_out_bytes(&refs->writer->out, value->data, name);
    enum tm_status st = tm_json_writer_id(refs->writer, e, TM_JSON_ID_OF_EVENT, &id, err);
    tm_out_char(&refs->writer->out, '"');
    return st;
}

static enum tm_status put_pid(struct tm_json_refs *refs, const struct tm_event *e, const uint8_t **from,
                              const struct tm_json_value *value, struct tm_error *err)
{
    int64_t pid, out_pid;
    enum tm_status st;
    if (value->type != TM_JSON_NUMBER || tm_decimal_int((const char *)value->data, value->len, &pid) != TM_OK)
        return TM_OK;
    if ((st = tm_json_pids_find(refs->pids, e->machine, pid, &out_pid, err)) < 0 || out_pid == pid)
        return st;
    put_text_before(refs, from, value);
    tm_out_i64(&refs->writer->out, out_pid);
    return TM_OK;
}

/* Writes VALUE, a time on the event's clock in microseconds, plus SHIFT_NS. */
static void put_shifted(struct tm_json_refs *refs, const uint8_t **from, const struct tm_json_value *value,
                        int64_t shift_ns)
{
    int64_t ns;
    if (tm_json_decimal(value, NS_SCALE, &ns) != TM_OK || !tm_add_i64(ns, shift_ns, &ns))
        return;
    put_text_before(refs, from, value);
    tm_json_writer_micros(refs->writer, ns);
}

enum tm_status tm_json_refs_write(struct tm_json_refs *refs, const struct tm_event *e, const struct tm_json_value *args,
                                  const struct tm_json_ref_changes *changes, struct tm_error *err)
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
        bool is_time = changes->is_profile ? tm_json_is(&key, "startTime") || tm_json_is(&key, "endTime")
                                           : tm_json_is(&key, "issue_ts");
        bool is_ref = tm_json_is(&key, "id_ref") || tm_json_is(&key, "idRef") || tm_json_is(&key, "linked_id");
        if (is_ref && tm_json_is_scalar(&value) && refs->inputs->are_several) {
            put_text_before(refs, &from, &value);
            st = tm_json_writer_id(refs->writer, e, TM_JSON_ID_OF_EVENT, &value, err);
        } else if (changes->has_times && is_time) {
            put_shifted(refs, &from, &value, changes->shift_ns);
        } else if (changes->is_snapshot && tm_json_is(&key, "id") && refs->inputs->are_several) {
            st = put_nested_id(refs, e, &from, &value, err);
        } else if (tm_json_is(&key, "pid_ref") || tm_json_is(&key, "pidRef")) {
            st = put_pid(refs, e, &from, &value, err);
        }
    }
    tm_out_bytes(&refs->writer->out, from, (size_t)(args->data + args->len - from));
    return st;
}

void tm_json_refs_release(struct tm_json_refs *refs)
{
    tm_map_release(&refs->with_objects);
}
