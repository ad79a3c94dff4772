#include "format/spans/service.h"

#include "base/decimal.h"
#include "base/hash.h"
#include "base/pb.h"
#include "format/spans/spans.h"
#include "format/text_pid.h"
#include "stream/detail_fields.h"

enum { SEED_SERVICE = 4, SEED_TRACK, SEED_SHARED_TRACK, TEXT_MAX = 1024 };

void tm_spans_service_begin(struct tm_spans_services *s)
{
    struct tm_buf *bufs[] = {&s->name, &s->space, &s->instance, &s->host, &s->container, &s->labels};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        tm_buf_clear(bufs[i]);
    s->label_count = 0;
    s->labels_left_out = 0;
    s->pid = 0;
}

/* Sets BUF to VALUE, within the limit. An attribute is also a label, which counts if the value is too long. */
static enum tm_status set(struct tm_buf *buf, struct tm_text value)
{
    tm_buf_clear(buf);
    return tm_buf_add(buf, value.data, value.len < TEXT_MAX ? value.len : TEXT_MAX);
}

/* Adds the label "KEY=VALUE", within the limits. */
static enum tm_status add_label(struct tm_spans_services *s, struct tm_text key, struct tm_text value)
{
    size_t mark;
    if (s->label_count == TM_SPANS_LABELS_MAX || key.len > TEXT_MAX || value.len > TEXT_MAX ||
        s->labels.len + key.len + value.len > TM_SPANS_LABEL_BYTES) {
        s->labels_left_out++;
        return TM_OK;
    }
    s->label_count++;
    if (tm_pb_begin(&s->labels, TM_PROCESS_DESCRIPTION_LABELS, &mark) != TM_OK ||
        tm_buf_add(&s->labels, key.data, key.len) != TM_OK || tm_buf_add_byte(&s->labels, '=') != TM_OK ||
        tm_buf_add(&s->labels, value.data, value.len) != TM_OK)
        return TM_E_SYSTEM;
    return tm_pb_end(&s->labels, mark);
}

enum tm_status tm_spans_service_attribute(struct tm_spans_services *s, struct tm_text key, struct tm_text value)
{
    const struct {
        const char *key;
        struct tm_buf *buf;
    } known[] = {
        {"service.name", &s->name},     {"service.namespace", &s->space}, {"service.instance.id", &s->instance},
        {"host.name", &s->host},        {"hostname", &s->host},           {"container.id", &s->container},
        {"k8s.pod.uid", &s->container}, {"k8s.pod.name", &s->container}};
    int64_t pid;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (tm_text_is(key, known[i].key) && set(known[i].buf, value) != TM_OK)
            return TM_E_SYSTEM;
    if (tm_text_is(key, "process.pid") && tm_decimal_int((const char *)value.data, value.len, &pid) == TM_OK)
        s->pid = pid;
    if (!tm_text_is(key, "service.name"))
        return add_label(s, key, value);
    s->labels_left_out += value.len > TEXT_MAX;
    return TM_OK;
}

static bool is_same(const struct tm_buf *a, const struct tm_buf *b)
{
    return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

/* True if the pid is valid in other traces of the machine. Pid 1 is not, because it may be the first process of a
 * container that is not stated. */
static bool is_pid_of_machine(const struct tm_spans_services *s)
{
    return s->pid > 1 && s->pid <= INT32_MAX && s->container.len == 0 && is_same(&s->host, &s->first_host);
}

/* Sets TEXT to all that distinguishes the instance from others. */
static enum tm_status put_identity(struct tm_spans_services *s, struct tm_buf *text)
{
    const struct tm_buf *parts[] = {&s->space, &s->name, &s->instance, &s->host};
    static const char *const before[] = {"", "/", " ", "@"};
    tm_buf_clear(text);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i]->len && ((text->len && tm_buf_add_str(text, before[i]) != TM_OK) ||
                              tm_buf_add(text, parts[i]->data, parts[i]->len) != TM_OK))
            return TM_E_SYSTEM;
    return s->pid ? tm_buf_addf(text, ":%lld", (long long)s->pid) : TM_OK;
}

/* Adds a definition of KIND, a process or a track. Its detail is s->message. */
static enum tm_status define(struct tm_spans_services *s, enum tm_kind kind, const struct tm_spans_service *service,
                             uint64_t track, struct tm_error *err)
{
    const uint32_t field = kind == TM_KIND_TRACK ? TM_DETAIL_TRACK : TM_DETAIL_PROCESS;
    struct tm_event e = {.kind = kind, .pid = service->pid, .track = track};
    e.flags = TM_EVENT_DEFINITION | TM_EVENT_UNTIMED | TM_EVENT_HAS_PID |
              (kind == TM_KIND_TRACK ? (uint32_t)TM_EVENT_HAS_TRACK : 0u);
    tm_buf_clear(&s->detail);
    if (tm_pb_put_bytes(&s->detail, field, s->message.data, s->message.len) != TM_OK)
        return tm_error_nomem(err);
    e.detail = s->detail.data;
    e.detail_bytes = (uint32_t)s->detail.len;
    return tm_event_sink_add(s->sink, &e, err);
}

static enum tm_status define_process(struct tm_spans_services *s, const struct tm_spans_service *service,
                                     struct tm_error *err)
{
    static const char unknown[] = "unknown_service"; /* OpenTelemetry's name for a service without one */
    const bool has_name = s->name.len > 0;
    tm_buf_clear(&s->message);
    if (tm_pb_put_varint(&s->message, TM_PROCESS_DESCRIPTION_PID, tm_zigzag(service->pid)) != TM_OK ||
        tm_pb_put_bytes(&s->message, TM_PROCESS_DESCRIPTION_NAME, has_name ? (const void *)s->name.data : unknown,
                        has_name ? s->name.len : sizeof unknown - 1) != TM_OK ||
        tm_buf_add(&s->message, s->labels.data, s->labels.len) != TM_OK)
        return tm_error_nomem(err);
    s->sink->left_out += s->labels_left_out;
    enum tm_status st = define(s, TM_KIND_PROCESS, service, 0, err);
    if (st < 0)
        return st;
    tm_buf_clear(&s->message);
    if (tm_pb_put_i64(&s->message, TM_TRACK_DESCRIPTION_UUID, service->track) != TM_OK ||
        tm_pb_put_varint(&s->message, TM_TRACK_DESCRIPTION_PID, tm_zigzag(service->pid)) != TM_OK ||
        tm_pb_put_varint(&s->message, TM_TRACK_DESCRIPTION_IS_PROCESS, 1) != TM_OK)
        return tm_error_nomem(err);
    return define(s, TM_KIND_TRACK, service, service->track, err);
}

/* Sets *SERVICE to the instance with IDENTITY. An empty identity is that of an unknown service. */
static enum tm_status find(struct tm_spans_services *s, const struct tm_buf *identity, struct tm_spans_service *service,
                           struct tm_error *err)
{
    static const char none[] = "unknown_service";
    const void *text = identity->len ? (const void *)identity->data : none;
    size_t len = identity->len ? identity->len : sizeof none - 1;
    service->pid = s->pid;
    service->track = tm_hash64_seed(text, len, SEED_SERVICE) | 1;
    return is_pid_of_machine(s) ? TM_OK : tm_text_pid(s->sink, text, len, &service->pid, err);
}

enum tm_status tm_spans_service_end(struct tm_spans_services *s, struct tm_spans_service *service, struct tm_error *err)
{
    struct tm_buf *identity = &s->message;
    uint32_t ignored;
    if (s->stated_host.len == 0 && tm_buf_add(&s->stated_host, s->host.data, s->host.len) != TM_OK)
        return tm_error_nomem(err);
    s->on_other_hosts += s->host.len > 0 && !is_same(&s->host, &s->stated_host);
    if (!s->has_host && s->pid > 0) {
        s->has_host = true;
        if (tm_buf_add(&s->first_host, s->host.data, s->host.len) != TM_OK)
            return tm_error_nomem(err);
    }
    if (put_identity(s, identity) != TM_OK)
        return tm_error_nomem(err);
    enum tm_status st = find(s, identity, service, err);
    if (st < 0 || tm_map_find(&s->tracks, service->track, &ignored))
        return st;
    if (s->count == TM_SPANS_SERVICES_MAX) {
        s->services_shared++;
        tm_spans_service_begin(s);
        tm_buf_clear(identity);
        if ((st = find(s, identity, service, err)) < 0 || tm_map_find(&s->tracks, service->track, &ignored))
            return st;
    } else {
        s->count++;
    }
    return tm_map_set(&s->tracks, service->track, 0) < 0 ? tm_error_nomem(err) : define_process(s, service, err);
}

enum tm_status tm_spans_service_track(struct tm_spans_services *s, const struct tm_spans_service *service,
                                      uint64_t outermost, uint64_t *track, struct tm_error *err)
{
    static const char name[] = "spans"; /* one name for all, so that viewers show them as one row of the process */
    uint32_t ignored;
    uint64_t ids[2] = {service->track, outermost};
    *track = tm_hash64_numbers(ids, 2, SEED_TRACK) | 1;
    if (tm_map_find(&s->tracks, *track, &ignored))
        return TM_OK;
    if (s->tracks.count >= TM_SPANS_TRACKS_MAX) {
        ids[1] = (outermost >> 1) % TM_SPANS_TRACKS_SHARED; /* the low bit is always set */
        *track = tm_hash64_numbers(ids, 2, SEED_SHARED_TRACK) | 1;
        if (tm_map_find(&s->tracks, *track, &ignored))
            return TM_OK;
    }
    if (tm_map_set(&s->tracks, *track, 0) < 0)
        return tm_error_nomem(err);
    tm_buf_clear(&s->message);
    if (tm_pb_put_i64(&s->message, TM_TRACK_DESCRIPTION_UUID, *track) != TM_OK ||
        tm_pb_put_i64(&s->message, TM_TRACK_DESCRIPTION_PARENT_UUID, service->track) != TM_OK ||
        tm_pb_put_bytes(&s->message, TM_TRACK_DESCRIPTION_NAME, name, sizeof name - 1) != TM_OK)
        return tm_error_nomem(err);
    return define(s, TM_KIND_TRACK, service, *track, err);
}

void tm_spans_services_release(struct tm_spans_services *s)
{
    struct tm_buf *bufs[] = {&s->name,       &s->space,  &s->instance, &s->host,  &s->container,
                             &s->first_host, &s->labels, &s->message,  &s->detail, &s->stated_host};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        tm_buf_release(bufs[i]);
    tm_map_release(&s->tracks);
}
