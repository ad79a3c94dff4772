#include "format/perfetto/statsd.h"

#include "base/base64.h"
#include "base/utf8.h"
#include "format/perfetto/named_row.h"
#include "format/perfetto/numbers.h"
#include "perfetto/config_fields.h"
#include "stream/detail_arg.h"

#include <inttypes.h>
#include <stdio.h>

enum { ATOM = 1, TIMESTAMP = 2 };

/* Sets *NAME to that of atom NUMBER. False: it has none that is known, and becomes "atom_NUMBER". */
static bool name_of(uint32_t number, char name[static 128])
{
    const char *id = number && number <= INT32_MAX
                         ? tm_typed_schema_value(&tm_config_schema, TM_CONFIG_ATOM_ID, (int32_t)number)
                         : NULL;
    static const char prefix[] = "ATOM_";
    if (id == NULL || strncmp(id, prefix, sizeof prefix - 1) != 0) {
        snprintf(name, 128, "atom_%" PRIu32, number);
        return false;
    }
    snprintf(name, 128, "%s", id + sizeof prefix - 1);
    for (char *c = name; *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    return true;
}

/* Puts bytes: a text if they can be one, otherwise as base64. */
static enum tm_status put_bytes(struct tm_proto_rows *rows, const struct tm_pb_field *f)
{
    struct tm_buf *text = &rows->text;
    bool is_text = tm_utf8_valid(f->data, f->len);
    for (size_t i = 0; is_text && i < f->len; i++)
        is_text = f->data[i] >= ' ';
    if (is_text)
        return tm_detail_arg_bytes(&rows->detail, &rows->key, TM_ARG_STRING, f->data, f->len);
    tm_buf_clear(text);
    enum tm_status st = tm_base64_add(text, f->data, f->len);
    return st < 0 ? st : tm_detail_arg_bytes(&rows->detail, &rows->key, TM_ARG_STRING, text->data, text->len);
}

static enum tm_status put_field(struct tm_proto_rows *rows, const struct tm_pb_field *f)
{
    struct tm_buf *key = &rows->key;
    const char *assumed = f->type == TM_PB_I32 ? "_assuming_float" : f->type == TM_PB_I64 ? "_assuming_double" : "";
    uint32_t word = (uint32_t)f->value;
    float value;
    tm_buf_clear(key);
    if (tm_buf_addf(key, "field_%" PRIu32 "%s", f->id, assumed) < 0)
        return TM_E_SYSTEM;
    switch (f->type) {
    case TM_PB_LEN: return put_bytes(rows, f);
    case TM_PB_I32:
        memcpy(&value, &word, sizeof value);
        return tm_detail_arg_number(&rows->detail, key, TM_ARG_DOUBLE, tm_pb_bits(value));
    case TM_PB_I64: return tm_detail_arg_number(&rows->detail, key, TM_ARG_DOUBLE, f->value);
    default: return tm_detail_arg_number(&rows->detail, key, TM_ARG_INT, f->value);
    }
}

/* Adds ROW, the atom in MESSAGE. */
static enum tm_status add(struct tm_proto_packet_rows *w, const struct tm_pb_field *message, struct tm_event *row)
{
    const struct tm_proto_named_row named = {.type = TM_NAMED_TRACK_STATSD};
    struct tm_proto_rows *rows = w->rows;
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f, atom = {0};
    char name[128];
    if (tm_pb_next(&pb, &f) == TM_OK)
        atom = f;
    const bool is_known = name_of(atom.id, name);
    enum tm_status st = tm_proto_named_row_on(rows, &named, "Statsd Atoms", row, w->err);
    row->flags &= ~(uint32_t)TM_EVENT_ASYNC;
    pb = tm_pb_of(atom.data, atom.type == TM_PB_LEN ? atom.len : 0);
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK && tm_proto_detail_takes(rows))
        if (put_field(rows, &f) < 0)
            st = tm_error_nomem(w->err);
    if (st >= 0 && !is_known && atom.id < 100000) /* vendors have the numbers from there on */
        st = tm_proto_count_stat(&rows->counts, TM_PROTO_STAT_ATOM_UNKNOWN, w->packet->machine, 1, w->err);
    if (st >= 0)
        st = tm_proto_string(rows, name, strlen(name), &row->name, w->err);
    return st < 0 ? st : tm_proto_add(rows, row, w->err);
}

enum tm_status tm_proto_statsd_add(struct tm_proto_packet_rows *w)
{
    const struct tm_pb_field *body = &w->packet->body;
    enum tm_status st = TM_OK;
    /* Atoms without a time are DERIVED and follow the packet's row at once. */
    for (int own_times = 0; own_times < 2; own_times++) {
        struct tm_pb pb = tm_pb_of(body->data, body->len);
        struct tm_proto_numbers times = {.pb = pb, .id = TIMESTAMP};
        struct tm_pb_field f;
        uint64_t time;
        while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK) {
            struct tm_event row = w->like;
            if (f.id != ATOM || f.type != TM_PB_LEN)
                continue;
            row.kind = TM_KIND_INSTANT;
            const bool has_time = tm_proto_numbers_next(&times, &time);
            if (has_time != own_times)
                continue;
            if (has_time) {
                tm_proto_packet_rows_later(w, 0, &row);
                row.time_ns = (int64_t)time;
                row.clock = TM_CLOCK_BOOTTIME;
            } else if ((st = tm_proto_count_stat(&w->rows->counts, TM_PROTO_STAT_ATOM_NO_TIME, w->packet->machine, 1,
                                                 w->err)) < 0) {
                break;
            }
            st = add(w, &f, &row);
        }
    }
    return st;
}
