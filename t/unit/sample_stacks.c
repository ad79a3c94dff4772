/* Unit test of emit/perfetto/sample_writer.h: a reader finds each sample's stack, also where threads alternate, where a
 * stack begins like the one before, and after a table was full. */
#include "base/pb.h"
#include "emit/perfetto/sample_writer.h"
#include "stream/detail_fields.h"

#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES = 150000, THREADS = 3, DEPTH_MAX = 12, IIDS_MAX = 1 << 17, SAMPLE_STACK = 4 };

struct stack {
    uint32_t functions[DEPTH_MAX];
    uint32_t depth;
};

/* What a reader knows of the sequence. */
struct reader {
    uint32_t functions[IIDS_MAX], frames[IIDS_MAX]; /* by iid: the function's number */
    struct stack stacks[IIDS_MAX];
    uint32_t clearings;
};

/* Returns the stack of sample I. Outer frames change rarely; the innermost one of some threads is always a new one. */
static struct stack stack_of(uint32_t i)
{
    const uint32_t thread = i % THREADS, turn = i / THREADS;
    struct stack s = {.depth = turn % 5 == 4 ? 0 : 1 + turn / 2 * 7 % DEPTH_MAX};
    for (uint32_t k = 0; k < s.depth; k++)
        s.functions[k] = k + 1 < s.depth || thread == 0 ? 100 * k + turn / (40 >> k % 4) % 50 : 10000 + i;
    return s;
}

static void put_detail(struct tm_buf *detail, const struct stack *s)
{
    size_t mark;
    tm_buf_clear(detail);
    tm_pb_put_varint(detail, TM_DETAIL_CPU_MODE, 2);
    for (uint32_t k = 0; k < s->depth; k++) {
        char name[16];
        int len = snprintf(name, sizeof name, "%u", (unsigned)s->functions[k]);
        tm_pb_begin(detail, TM_DETAIL_FRAMES, &mark);
        tm_pb_put_bytes(detail, TM_STACK_FRAME_FUNCTION, name, (size_t)len);
        tm_pb_end(detail, mark);
    }
}

/* Returns the number whose digits are in F. */
static uint64_t number_of(const struct tm_pb_field *f)
{
    uint64_t number = 0;
    for (size_t i = 0; i < f->len; i++)
        number = number * 10 + (uint64_t)(f->data[i] - '0');
    return number;
}

/* Returns number ID of the message in F; 0: it has none. */
static uint64_t number_in(const struct tm_pb_field *f, uint32_t id)
{
    struct tm_pb pb = tm_pb_of(f->data, f->len);
    struct tm_pb_field g;
    uint64_t number = 0;
    while (tm_pb_next(&pb, &g) == TM_OK)
        if (g.id == id)
            number = g.type == TM_PB_LEN ? number_of(&g) : g.value;
    return number;
}

static void read_entry(struct reader *r, const struct tm_pb_field *f)
{
    const uint64_t iid = number_in(f, TM_INTERNED_IID) % IIDS_MAX;
    struct tm_pb pb = tm_pb_of(f->data, f->len);
    struct tm_pb_field g;
    if (f->id == TM_INTERNED_FUNCTION_NAMES)
        r->functions[iid] = (uint32_t)number_in(f, TM_INTERNED_TEXT);
    if (f->id == TM_INTERNED_FRAMES)
        r->frames[iid] = r->functions[number_in(f, TM_FRAME_FUNCTION) % IIDS_MAX];
    if (f->id != TM_INTERNED_CALLSTACKS)
        return;
    r->stacks[iid].depth = 0;
    while (tm_pb_next(&pb, &g) == TM_OK)
        if (g.id == TM_CALLSTACK_FRAMES && r->stacks[iid].depth < DEPTH_MAX)
            r->stacks[iid].functions[r->stacks[iid].depth++] = r->frames[g.value % IIDS_MAX];
}

/* Returns the stack of the sample in PACKETS. */
static struct stack read_sample(struct reader *r, const struct tm_buf *packets)
{
    struct tm_pb all = tm_pb_of(packets->data, packets->len);
    struct tm_pb_field packet = {0}, f, g;
    struct stack found = {.depth = 0};
    tm_pb_next(&all, &packet);
    for (struct tm_pb pb = tm_pb_of(packet.data, packet.len); tm_pb_next(&pb, &f) == TM_OK;) {
        if (f.id == TM_PACKET_SEQUENCE_FLAGS && f.value & TM_SEQUENCE_CLEARED) {
            const uint32_t clearings = r->clearings + 1;
            memset(r, 0, sizeof *r);
            r->clearings = clearings;
        }
        if (f.id == TM_PACKET_INTERNED_DATA)
            for (struct tm_pb entries = tm_pb_of(f.data, f.len); tm_pb_next(&entries, &g) == TM_OK;)
                read_entry(r, &g);
        if (f.id == TM_PACKET_PERF_SAMPLE)
            found = r->stacks[number_in(&f, SAMPLE_STACK) % IIDS_MAX];
    }
    return found;
}

int main(void)
{
    struct tm_catalog_file file = {.begun = true};
    struct tm_catalog_machine machine = {.raw_id = 0};
    const struct tm_catalog catalog = {.files = &file, .file_count = 1, .machines = &machine, .machine_count = 1};
    struct tm_packet_writer packets;
    struct tm_sample_writer writer = {.packets = &packets};
    struct reader *reader = calloc(1, sizeof *reader);
    struct tm_buf detail = {0};
    struct tm_error err;
    uint32_t wrong = 0;
    ok(tm_packet_writer_init(&packets, &catalog, -1, "file", &err) == TM_OK);
    for (uint32_t i = 0; i < SAMPLES; i++) {
        const struct stack stack = stack_of(i);
        put_detail(&detail, &stack);
        const struct tm_event e = {.time_ns = i, .kind = TM_KIND_SAMPLE, .pid = 1, .tid = 1 + i % THREADS,
                                   .flags = TM_EVENT_HAS_PID | TM_EVENT_HAS_TID,
                                   .detail = detail.data, .detail_bytes = (uint32_t)detail.len};
        tm_buf_clear(&packets.out);
        wrong += tm_sample_write(&writer, &e, &err) != TM_OK;
        const struct stack found = read_sample(reader, &packets.out);
        wrong += found.depth != stack.depth ||
                 memcmp(found.functions, stack.functions, found.depth * sizeof *found.functions) != 0;
    }
    ok_named(wrong == 0, "each sample has its stack");
    ok_named(reader->clearings > 1, "a table was full");
    tm_packet_writer_release(&packets);
    tm_sample_writer_release(&writer);
    tm_buf_release(&detail);
    free(reader);
    return tap_done();
}
