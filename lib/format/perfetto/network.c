#include "format/perfetto/network.h"

#include "base/hash.h"
#include "format/perfetto/ftrace_event.h"
#include "format/perfetto/known_texts.h"
#include "format/perfetto/named_row.h"
#include "format/perfetto/numbers.h"
#include "format/perfetto/sequence.h"
#include "stream/detail_arg.h"

#include <inttypes.h>
#include <stdio.h>

/* NetworkPacketEvent */
enum { DIRECTION = 1, INTERFACE = 2, LENGTH = 3, UID = 4, TAG = 5, PROTOCOL = 6, TCP_FLAGS = 7 };
enum { LOCAL_PORT = 8, REMOTE_PORT = 9, ICMP_TYPE = 10, ICMP_CODE = 11 };
/* NetworkPacketBundle, and the message that its IID names */
enum { IID = 1, CONTEXT = 2, TIMES = 3, LENGTHS = 4, TOTAL_PACKETS = 5, TOTAL_DURATION = 6, TOTAL_LENGTH = 7 };
enum { UIDS_A_USER = 100000, TCP = 6 };

/* What slices of one context share, and what differs. */
struct transfer {
    struct tm_proto_event_fields context;
    uint64_t length, count;
    int64_t dur_ns;
    bool is_later; /* it is TIME after the packet, an event of its own */
    uint64_t time;
};

static const char *direction_of(const struct transfer *t)
{
    static const char *const words[] = {"DIR_UNKNOWN", "Received", "Transmitted"};
    return words[t->context.number[DIRECTION] < 3 ? t->context.number[DIRECTION] : 0];
}

/* Puts ROW on the track of the interface and direction. */
static enum tm_status put_track(struct tm_proto_packet_rows *w, const struct transfer *t, struct tm_event *row)
{
    const struct tm_text interface = tm_text_given(t->context.text[INTERFACE], t->context.len[INTERFACE]);
    const char *direction = direction_of(t);
    struct tm_proto_named_row named = {.type = TM_NAMED_TRACK_NETWORK};
    struct tm_buf *key = &w->rows->key, *dimensions = &w->rows->text;
    tm_buf_clear(key);
    tm_buf_clear(dimensions);
    if (tm_buf_addf(key, "%.*s %s", (int)interface.len, (const char *)interface.data, direction) < 0 ||
        tm_detail_arg_text(dimensions, "net_interface", interface.data, interface.len) < 0 ||
        tm_detail_arg_text(dimensions, "net_direction", direction, strlen(direction)) < 0)
        return tm_error_nomem(w->err);
    named.instance = (uint32_t)tm_hash64(key->data, key->len);
    return tm_proto_named_row(w->rows, &named, row, w->err);
}

static enum tm_status put_protocol(struct tm_buf *detail, uint32_t protocol)
{
    static const struct {
        uint32_t number;
        const char *name;
    } known[] = {{TCP, "IPPROTO_TCP"}, {17, "IPPROTO_UDP"}, {1, "IPPROTO_ICMP"}, {58, "IPPROTO_ICMPV6"}};
    char text[32];
    int len = snprintf(text, sizeof text, "IPPROTO (%" PRIu32 ")", protocol);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].number == protocol)
            len = snprintf(text, sizeof text, "%s", known[i].name);
    return tm_detail_arg_text(detail, "packet_transport", text, (size_t)len);
}

/* Puts a letter for each flag that is set, and a point for each other. */
static enum tm_status put_tcp_flags(struct tm_buf *detail, uint64_t flags)
{
    char text[] = "fsrpauec";
    for (size_t i = 0; i < sizeof text - 1; i++)
        if (!(flags >> i & 1))
            text[i] = '.';
    return tm_detail_arg_text(detail, "packet_tcp_flags", text, sizeof text - 1);
}

static enum tm_status put_args(struct tm_buf *detail, const struct transfer *t)
{
    static const struct {
        uint32_t field;
        const char *key;
    } stated[] = {{LOCAL_PORT, "local_port"},
                  {REMOTE_PORT, "remote_port"},
                  {ICMP_TYPE, "packet_icmp_type"},
                  {ICMP_CODE, "packet_icmp_code"}};
    const struct tm_proto_event_fields *m = &t->context;
    char tag[16];
    const int len = snprintf(tag, sizeof tag, "0x%" PRIx32, (uint32_t)m->number[TAG]);
    enum tm_status st = put_protocol(detail, (uint32_t)m->number[PROTOCOL]);
    if (st == TM_OK)
        st = tm_detail_arg_int(detail, "socket_uid", (uint32_t)m->number[UID]);
    if (st == TM_OK)
        st = tm_detail_arg_text(detail, "socket_tag", tag, (size_t)len);
    if (st == TM_OK && m->has[TCP_FLAGS])
        st = put_tcp_flags(detail, m->number[TCP_FLAGS]);
    for (size_t i = 0; st == TM_OK && i < sizeof stated / sizeof *stated; i++)
        if (m->has[stated[i].field])
            st = tm_detail_arg_int(detail, stated[i].key, (uint32_t)m->number[stated[i].field]);
    if (st == TM_OK)
        st = tm_detail_arg_int(detail, "packet_length", (int64_t)t->length);
    return st == TM_OK ? tm_detail_arg_int(detail, "packet_count", (int64_t)t->count) : st;
}

/* Sets *NAME to that of the app, which the list of packages states without the user, else to the number of its user. */
static enum tm_status name_of(struct tm_proto_packet_rows *w, const struct transfer *t, uint32_t *name)
{
    const uint32_t uid = (uint32_t)t->context.number[UID];
    const uint64_t app = uid % UIDS_A_USER;
    struct tm_proto_known_text text;
    char number[16];
    if (uid == 0 || !tm_proto_known_text_find(w->known, w->packet->machine,
                                              tm_hash64_numbers(&app, 1, TM_PROTO_KNOWN_APP), &text))
        text.name = tm_text_at(number, (size_t)snprintf(number, sizeof number, "uid=%" PRIu32, uid));
    return tm_proto_string(w->rows, text.name.data, text.name.len, name, w->err);
}

static enum tm_status add(struct tm_proto_packet_rows *w, const struct transfer *t)
{
    struct tm_event row = w->like;
    row.kind = TM_KIND_SLICE_COMPLETE;
    row.dur_ns = t->dur_ns;
    if (t->is_later)
        tm_proto_packet_rows_later(w, t->time, &row);
    enum tm_status st = put_track(w, t, &row);
    if (st >= 0 && put_args(&w->rows->detail, t) < 0)
        return tm_error_nomem(w->err);
    if (st >= 0)
        st = name_of(w, t, &row.name);
    return st < 0 ? st : tm_proto_add(w->rows, &row, w->err);
}

/* Reads the context of a bundle: the interned one that it names, else its own. */
static enum tm_status read_context(struct tm_proto_packet_rows *w, const struct tm_proto_event_fields *bundle,
                                   struct tm_proto_event_fields *context)
{
    struct tm_pb_field message = {.data = bundle->text[CONTEXT], .len = bundle->len[CONTEXT]};
    const uint64_t iid = bundle->number[IID];
    struct tm_pb_field text = tm_proto_interned_text(w->packet->sequence, TM_INTERNED_PACKET_CONTEXTS, iid);
    if (bundle->has[IID] && text.data)
        message = text;
    tm_proto_event_fields_read(context, &message);
    return bundle->has[IID] && text.data == NULL
               ? tm_proto_count_stat(&w->rows->counts, TM_PROTO_STAT_NETWORK_CONTEXT, w->packet->machine, 1, w->err)
               : TM_OK;
}

/* Adds a slice for all packets together, or one for each. */
static enum tm_status add_bundle(struct tm_proto_packet_rows *w)
{
    const struct tm_pb_field *body = &w->packet->body;
    struct tm_proto_numbers times = {.pb = tm_pb_of(body->data, body->len), .id = TIMES}, lengths = times;
    struct tm_proto_event_fields bundle;
    struct transfer t = {.count = 1};
    tm_proto_event_fields_read(&bundle, body);
    enum tm_status st = read_context(w, &bundle, &t.context);
    lengths.id = LENGTHS;
    if (st >= 0 && bundle.has[TOTAL_LENGTH]) {
        t.count = (uint32_t)bundle.number[TOTAL_PACKETS];
        t.length = bundle.number[TOTAL_LENGTH];
        t.dur_ns = (int64_t)bundle.number[TOTAL_DURATION];
        return add(w, &t);
    }
    t.is_later = true;
    while (st >= 0 && tm_proto_numbers_next(&times, &t.time) && tm_proto_numbers_next(&lengths, &t.length))
        st = add(w, &t);
    return st;
}

enum tm_status tm_proto_network_add(struct tm_proto_packet_rows *w)
{
    struct transfer t = {.count = 1};
    if (w->packet->body.id == TM_PACKET_NETWORK_BUNDLE)
        return add_bundle(w);
    tm_proto_event_fields_read(&t.context, &w->packet->body);
    t.length = (uint32_t)t.context.number[LENGTH];
    return add(w, &t);
}
