/* Unit tests of packets without a time: they are written in the order of their arrival, from memory and from disk. */
#include "emit/perfetto/untimed_packets.h"
#include "base/pb.h"
#include "tap.h"

#include <string.h>

enum { MANY = 2000, LONG_BYTES = 9000 };

static struct tm_event packet(const struct tm_buf *raw, int64_t time_ns)
{
    return (struct tm_event){.kind = TM_KIND_METADATA, .flags = TM_EVENT_UNTIMED | TM_EVENT_DEFINITION,
                             .time_ns = time_ns, .raw = raw->data, .raw_bytes = (uint32_t)raw->len};
}

static void which_wait(void)
{
    struct tm_buf raw = {0};
    tm_pb_put_bytes(&raw, 61, "x", 1);
    struct tm_event e = packet(&raw, 5);
    ok_named(tm_untimed_packets_accept(&e), "symbols wait");
    e.time_ns = 0;
    ok_named(!tm_untimed_packets_accept(&e), "what is in front of all events does not wait");
    e = packet(&raw, 5);
    e.flags = TM_EVENT_DEFINITION;
    ok_named(!tm_untimed_packets_accept(&e), "what has a time does not wait");
    e = packet(&raw, 5);
    e.kind = TM_KIND_SEQUENCE_STATE;
    ok_named(!tm_untimed_packets_accept(&e), "interned data does not wait");
    e.kind = TM_KIND_METADATA;
    e.sequence = 4;
    ok_named(!tm_untimed_packets_accept(&e), "what a sequence lost does not wait");
    e.generation = 1;
    ok_named(tm_untimed_packets_accept(&e), "a packet on a sequence waits");
    tm_pb_put_bytes(&raw, 72, "", 0);
    e = packet(&raw, 5);
    ok_named(!tm_untimed_packets_accept(&e), "descriptions of fields do not wait");
    tm_buf_release(&raw);
}

static void in_order(void)
{
    static uint8_t text[LONG_BYTES];
    struct tm_untimed_packets packets = {0};
    struct tm_error err = {0};
    bool is_good = true;
    ok_named(tm_untimed_packets_next_ns(&packets) == INT64_MAX, "none waits");
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < MANY; i++) {
            struct tm_event e = {.time_ns = i, .position = i, .raw = text, .raw_bytes = i % LONG_BYTES + 1,
                                 .detail = text, .detail_bytes = i % 3};
            memset(text, (int)(i & 255), sizeof text);
            is_good &= tm_untimed_packets_add(&packets, &e, &err) == TM_OK;
        }
        for (uint32_t i = 0; i < MANY; i++) {
            const struct tm_event *e = &packets.next;
            is_good &= packets.has_next && tm_untimed_packets_next_ns(&packets) == i && e->position == i;
            is_good &= e->raw_bytes == i % LONG_BYTES + 1 && e->detail_bytes == i % 3;
            is_good &= e->raw[0] == (i & 255) && e->raw[e->raw_bytes - 1] == (i & 255);
            is_good &= e->detail_bytes == 0 || e->detail[e->detail_bytes - 1] == (i & 255);
            is_good &= tm_untimed_packets_pop(&packets, &err) == TM_OK;
        }
        ok_named(is_good && !packets.has_next, "all come out as they came");
    }
    tm_untimed_packets_release(&packets);
}

int main(void)
{
    which_wait();
    in_order();
    return tap_done();
}
