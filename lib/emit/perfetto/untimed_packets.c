#include "emit/perfetto/untimed_packets.h"

#include "emit/perfetto/packet_writer.h"

enum {
    MEMORY_BYTES = 4 << 20,
    POWER_RAILS = 40,
    EXTENSION_DESCRIPTOR = 72,
    ENERGY_BREAKDOWN = 77,
    ENTITY_RESIDENCY = 91,
    NAMES = 1, /* messages of power that begin with the names of what they measure, by number */
};

/* True for packets that stay before all events, without a time. Definitions of fields must be read first, the events of
 * bundles are rows of their own, and a track event without a time is an error that a reader counts. */
static bool precedes_events(uint32_t body)
{
    return body == EXTENSION_DESCRIPTOR || body == TM_PACKET_FTRACE_EVENTS || body == TM_PACKET_SYSTEM_INFO ||
           body == TM_PACKET_TRACK_EVENT;
}

/* True if F, a message of power, has names and no values. Readers use such names in the order of the file, so all
 * values must stand after them. */
static bool has_only_names(const struct tm_pb_field *f)
{
    struct tm_pb pb = tm_pb_of(f->data, f->len);
    struct tm_pb_field part;
    bool has_names = false, has_values = false;
    if (f->id != POWER_RAILS && f->id != ENERGY_BREAKDOWN && f->id != ENTITY_RESIDENCY)
        return false;
    while (tm_pb_next(&pb, &part) == TM_OK)
        if (part.id == NAMES)
            has_names = true;
        else if (part.type == TM_PB_LEN || f->id == ENERGY_BREAKDOWN)
            has_values = true;
    return has_names && !has_values;
}

/* True for kinds of rows whose packets can be pending. A thread's descriptor cannot: it must precede its sequence's
 * events. */
static bool is_of_kind(uint32_t kind)
{
    return kind == TM_KIND_METADATA || kind == TM_KIND_PACKET || kind == TM_KIND_SAMPLE || kind == TM_KIND_PROCESS;
}

bool tm_untimed_packets_accept(const struct tm_event *e)
{
    struct tm_pb pb = tm_pb_of(e->raw, e->raw_bytes);
    struct tm_pb_field f;
    if (!(e->flags & TM_EVENT_UNTIMED) || e->time_ns <= 0 || !is_of_kind(e->kind) || tm_packet_is_loss(e))
        return false;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.type == TM_PB_LEN && (precedes_events(f.id) || has_only_names(&f)))
            return false;
    return true;
}

/* Adds E to the others. Layout of a record: the event, whose pointers are invalid in it, and its payload. */
static enum tm_status add_other(struct tm_untimed_packets *u, const struct tm_event *e, struct tm_error *err)
{
    if (u->others.set_count == 0)
        tm_paged_file_init(&u->others, u->dir, MEMORY_BYTES);
    enum tm_status st = tm_paged_file_write(&u->others, u->end, e, sizeof *e, err);
    if (st == TM_OK)
        st = tm_paged_file_write(&u->others, u->end + sizeof *e, e->raw, e->raw_bytes, err);
    if (st == TM_OK)
        st = tm_paged_file_write(&u->others, u->end + sizeof *e + e->raw_bytes, e->detail, e->detail_bytes, err);
    u->end += sizeof *e + (uint64_t)e->raw_bytes + e->detail_bytes;
    return st;
}

static void set_payload(struct tm_untimed_packets *u)
{
    u->next.raw = u->next_bytes.data;
    u->next.detail = u->next_bytes.data + u->next.raw_bytes;
    u->has_next = true;
}

enum tm_status tm_untimed_packets_add(struct tm_untimed_packets *u, const struct tm_event *e, struct tm_error *err)
{
    if (u->has_next)
        return add_other(u, e, err);
    u->next_bytes.len = 0;
    if (tm_buf_add(&u->next_bytes, e->raw, e->raw_bytes) != TM_OK ||
        tm_buf_add(&u->next_bytes, e->detail, e->detail_bytes) != TM_OK)
        return tm_error_nomem(err);
    u->next = *e;
    set_payload(u);
    return TM_OK;
}

enum tm_status tm_untimed_packets_pop(struct tm_untimed_packets *u, struct tm_error *err)
{
    u->has_next = false;
    if (u->begin == u->end) {
        tm_paged_file_clear(&u->others);
        u->begin = u->end = 0;
        return TM_OK;
    }
    enum tm_status st = tm_paged_file_read(&u->others, u->begin, &u->next, sizeof u->next, err);
    if (st < 0)
        return st;
    size_t len = (size_t)u->next.raw_bytes + u->next.detail_bytes;
    tm_buf_clear(&u->next_bytes);
    if (tm_buf_reserve(&u->next_bytes, len) != TM_OK)
        return tm_error_nomem(err);
    st = tm_paged_file_read(&u->others, u->begin + sizeof u->next, u->next_bytes.data, len, err);
    u->begin += sizeof u->next + len;
    if (st == TM_OK)
        set_payload(u);
    return st;
}

void tm_untimed_packets_release(struct tm_untimed_packets *u)
{
    tm_buf_release(&u->next_bytes);
    tm_paged_file_release(&u->others);
    *u = (struct tm_untimed_packets){0};
}
