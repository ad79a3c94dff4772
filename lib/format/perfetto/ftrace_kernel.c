/* Kernel events whose meaning depends on earlier ones (kernel/effect.h): the facts that they state themselves. */
#include "base/hash.h"
#include "stream/detail_arg.h"
#include "format/perfetto/ftrace_event.h"
#include "kernel/ftrace_names.h"
#include "kernel/effect.h"
#include "kernel/tracks.h"
#include "perfetto/ftrace_event_fields.h"

#include <stdio.h>

struct kernel_row {
    struct tm_proto_rows *rows;
    struct tm_event *row;
    const struct tm_proto_event_fields *fields;
    struct tm_error *err;
};

static enum tm_status put(struct kernel_row *h, enum tm_kernel_effect effect, const char *name, size_t len)
{
    h->row->kind = TM_KIND_KERNEL;
    h->row->value = effect;
    return tm_proto_string(h->rows, name, len, &h->row->name, h->err);
}

static void on_track(struct kernel_row *h, enum tm_kernel_track track, uint32_t instance)
{
    h->row->flags |= TM_EVENT_HAS_TRACK;
    h->row->track = tm_kernel_track_number(track, instance);
}

/* Returns BEFORE, the text field FIELD and AFTER, concatenated. Valid until the next call. NULL if out of memory. */
static const char *named(struct kernel_row *h, const char *before, uint32_t field, const char *after)
{
    const char *text = h->fields->text[field] ? (const char *)h->fields->text[field] : "";
    struct tm_buf *key = &h->rows->key;
    key->len = 0;
    return tm_buf_addf(key, "%s%.*s%s", before, (int)h->fields->len[field], text, after) == TM_OK ? tm_buf_cstr(key)
                                                                                                  : NULL;
}

static enum tm_status put_bytes(struct kernel_row *h, enum tm_kernel_effect effect)
{
    uint32_t bytes = (uint32_t)h->fields->number[1];
    const char *name = named(h, "", 2, effect == TM_KERNEL_SENT ? " Transmitted KB" : " Received KB");
    if (effect == TM_KERNEL_SENT && (int32_t)(uint32_t)h->fields->number[3] != 0) /* the driver did not accept it */
        return TM_END;
    if (name == NULL)
        return tm_error_nomem(h->err);
    tm_kernel_set_amount(h->row, bytes);
    enum tm_status st = put(h, effect, name, strlen(name));
    if (st >= 0 && (tm_detail_arg_uint(&h->rows->detail, "cpu", h->row->cpu) < 0 ||
                    tm_detail_arg_uint(&h->rows->detail, "len", bytes) < 0))
        return tm_error_nomem(h->err);
    return st;
}

static enum tm_status put_freed(struct kernel_row *h)
{
    enum { IP = 0x800, IPV6 = 0x86dd };
    static const char name[] = "Kfree Skb IP Prot";
    uint32_t protocol = (uint32_t)h->fields->number[2];
    const char *text = protocol == IP ? "IP" : "IPV6";
    if (protocol != IP && protocol != IPV6)
        return TM_END;
    tm_kernel_set_amount(h->row, 1);
    enum tm_status st = put(h, TM_KERNEL_FREED, name, sizeof name - 1);
    return st < 0 || tm_detail_arg_text(&h->rows->detail, "protocol", text, strlen(text)) == TM_OK
               ? st
               : tm_error_nomem(h->err);
}

static enum tm_status put_wake(struct kernel_row *h, enum tm_kernel_effect effect)
{
    const char *name = named(h, "Wakelock(", 1, ")");
    if (name == NULL)
        return tm_error_nomem(h->err);
    on_track(h, TM_KERNEL_TRACK_WAKELOCK, (uint32_t)tm_hash64(name, strlen(name)));
    return put(h, effect, name, strlen(name));
}

static enum tm_status put_device(struct kernel_row *h)
{
    static const char *const states[] = {"Active", "Resuming", NULL, "Suspending"};
    int32_t status = (int32_t)(uint32_t)h->fields->number[2];
    const char *state = status >= 0 && status < 4 ? states[status] : "Invalid State";
    const struct tm_text device = tm_text_given(h->fields->text[1], h->fields->len[1]);
    const struct tm_proto_named_row named = {.type = TM_NAMED_TRACK_DEVICE_POWER,
                                             .instance = (uint32_t)tm_hash64(device.data, device.len)};
    enum tm_status st = tm_proto_named_dimension(h->rows, "linux_device", device, h->err);
    tm_buf_clear(&h->rows->key);
    if (st < 0 || (st = tm_proto_named_row(h->rows, &named, h->row, h->err)) < 0)
        return st;
    h->row->flags &= ~(uint32_t)TM_EVENT_ASYNC;
    on_track(h, TM_KERNEL_TRACK_DEVICE, named.instance);
    return state ? put(h, TM_KERNEL_DEVICE, state, strlen(state)) : put(h, TM_KERNEL_DEVICE_IDLE, NULL, 0);
}

static enum tm_status put_gpu(struct kernel_row *h)
{
    static const char *const states[] = {"OFF", "PG", "ON"};
    uint64_t state = h->fields->number[2];
    const char *name = state < 3 ? states[state] : "Unknown";
    on_track(h, TM_KERNEL_TRACK_GPU_POWER, 0);
    return put(h, TM_KERNEL_GPU_POWER, name, strlen(name));
}

static enum tm_status put_tcp(struct kernel_row *h)
{
    enum { INET = 2, INET6 = 10, TCP = 6, ESTABLISHED = 1, SYN_SENT = 2 };
    static const char *const states[] = {
        "TCP_UNKNOWN",   "TCP_ESTABLISHED", "TCP_SYN_SENT",   "TCP_SYN_RECV", "TCP_FIN_WAIT1", "TCP_FIN_WAIT2",
        "TCP_TIME_WAIT", "TCP_CLOSE",       "TCP_CLOSE_WAIT", "TCP_LAST_ACK", "TCP_LISTEN",    "TCP_CLOSING"};
    static const char category[] = "tcp_state";
    const uint64_t *n = h->fields->number;
    const int32_t to = (int32_t)(uint32_t)n[4], from = (int32_t)(uint32_t)n[5];
    char name[80];
    if (n[6] != TCP || (n[3] != INET && n[3] != INET6) || to < 0 || to >= 12 || from < 0 || from >= 12)
        return TM_END;
    if (to == SYN_SENT)
        snprintf(name, sizeof name, "%s(pid=%u)", states[to], (unsigned)(uint32_t)h->row->tid);
    else if (to == ESTABLISHED)
        snprintf(name, sizeof name, "%s(sport=%u,dport=%u)", states[to], (unsigned)(uint32_t)n[9],
                 (unsigned)(uint32_t)n[2]);
    else
        snprintf(name, sizeof name, "%s", states[to]);
    on_track(h, TM_KERNEL_TRACK_TCP_STREAM, 0);
    tm_kernel_set_amount(h->row, n[8]);
    enum tm_status st = put(h, TM_KERNEL_TCP, name, strlen(name));
    return st < 0 ? st : tm_proto_string(h->rows, category, sizeof category - 1, &h->row->category, h->err);
}

/* Fills the row of a message of a thread on an I2C bus, or of the result of its messages. A message states its index,
 * from 0; a result states the number of messages. */
static enum tm_status put_bus(struct kernel_row *h, bool is_end)
{
    enum { BUSES_MAX = 256 };
    uint32_t bus = (uint32_t)h->fields->number[1], messages = (uint32_t)h->fields->number[2] + !is_end;
    char name[16];
    if (bus >= BUSES_MAX)
        return TM_END;
    snprintf(name, sizeof name, "i2c-%u", (unsigned)bus);
    h->row->flags |= tm_event_scope_flags(TM_SCOPE_THREAD);
    tm_kernel_set_amount(h->row, tm_kernel_pair(bus, messages));
    return put(h, is_end ? TM_KERNEL_I2C_DONE : TM_KERNEL_I2C, name, strlen(name));
}

/* Fills the row of a state of the microcontroller of a Mali GPU. The name of the event ends with that of the state. */
static enum tm_status put_microcontroller(struct kernel_row *h, uint32_t event)
{
    static const char prefix[] = "mali_mali_PM_MCU_";
    const char *name = tm_ftrace_event_name(event) + sizeof prefix - 1;
    on_track(h, TM_KERNEL_TRACK_MALI_MCU, 0);
    return put(h, TM_KERNEL_GPU_POWER, name, strlen(name));
}

enum tm_status tm_proto_ftrace_kernel(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                                      struct tm_error *err)
{
    struct tm_proto_event_fields fields;
    struct kernel_row h = {.rows = rows, .row = row, .fields = &fields, .err = err};
    tm_proto_event_fields_read(&fields, f);
    if (f->id >= TM_FTRACE_EVENT_MALI_MCU_FIRST && f->id <= TM_FTRACE_EVENT_MALI_MCU_LAST)
        return put_microcontroller(&h, f->id);
    switch (f->id) {
    case TM_FTRACE_EVENT_I2C_READ:
    case TM_FTRACE_EVENT_I2C_WRITE:
    case TM_FTRACE_EVENT_I2C_RESULT: return put_bus(&h, f->id == TM_FTRACE_EVENT_I2C_RESULT);
    case TM_FTRACE_EVENT_NETIF_RECEIVE_SKB: return put_bytes(&h, TM_KERNEL_RECEIVED);
    case TM_FTRACE_EVENT_NET_DEV_XMIT: return put_bytes(&h, TM_KERNEL_SENT);
    case TM_FTRACE_EVENT_INET_SOCK_SET_STATE: return put_tcp(&h);
    case TM_FTRACE_EVENT_KFREE_SKB: return put_freed(&h);
    case TM_FTRACE_EVENT_WAKEUP_SOURCE_ACTIVATE: return put_wake(&h, TM_KERNEL_WAKE);
    case TM_FTRACE_EVENT_WAKEUP_SOURCE_DEACTIVATE: return put_wake(&h, TM_KERNEL_WAKE_DONE);
    case TM_FTRACE_EVENT_RPM_STATUS: return put_device(&h);
    default:
        return put_gpu(&h);
    }
}
