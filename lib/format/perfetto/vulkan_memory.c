#include "format/perfetto/vulkan_memory.h"

#include "format/perfetto/named_row.h"
#include "kernel/effect.h"
#include "stream/detail_arg.h"

#include <inttypes.h>
#include <stdio.h>

/* Fields of VulkanMemoryEvent. Only numbers are read. */
enum {
    EVENT_SOURCE = 1,
    EVENT_OPERATION = 2,
    EVENT_TIME = 3,
    EVENT_PID = 4,
    EVENT_SIZE = 6,
    EVENT_SCOPE = 8,
    EVENT_TYPE = 18,
    EVENT_FIELDS
};
enum { SOURCE_DRIVER = 1, SOURCE_DEVICE_MEMORY = 3, SOURCE_BUFFER = 4, SOURCE_IMAGE = 5 };
enum { CREATE = 1, DESTROY = 2, BIND = 3, DESTROY_BOUND = 4 };
enum { NAME_MAX_BYTES = 64 };

static void read_numbers(struct tm_pb pb, uint64_t numbers[EVENT_FIELDS])
{
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id < EVENT_FIELDS && f.type == TM_PB_VARINT)
            numbers[f.id] = f.value;
}

/* Returns the type of the counter that an event from SOURCE changes. */
static enum tm_named_track counter_of(uint64_t source)
{
    switch (source) {
    case SOURCE_DRIVER: return TM_NAMED_TRACK_VULKAN_DRIVER_MEMORY;
    case SOURCE_DEVICE_MEMORY: return TM_NAMED_TRACK_VULKAN_ALLOCATED;
    case SOURCE_BUFFER:
    case SOURCE_IMAGE: return TM_NAMED_TRACK_VULKAN_BOUND;
    default: return TM_NAMED_TRACK_NONE;
    }
}

/* Writes the name of the counter of TYPE to NAME and puts its dimension into DIMENSIONS. TM_END: the event states no
 * scope. */
static enum tm_status describe(enum tm_named_track type, const uint64_t *numbers, char name[NAME_MAX_BYTES],
                               struct tm_buf *dimensions)
{
    static const char *const scopes[] = {NULL, "COMMAND", "OBJECT", "CACHE", "DEVICE", "INSTANCE"};
    const uint64_t number = numbers[EVENT_SCOPE];
    const char *scope = number < sizeof scopes / sizeof *scopes ? scopes[number] : NULL;
    const char *what = type == TM_NAMED_TRACK_VULKAN_BOUND ? "bind" : "allocation";
    const uint32_t memory = (uint32_t)numbers[EVENT_TYPE];
    tm_buf_clear(dimensions);
    if (type != TM_NAMED_TRACK_VULKAN_DRIVER_MEMORY) {
        snprintf(name, NAME_MAX_BYTES, "vulkan.mem.device.memory.type.%" PRIu32 ".%s", memory, what);
        return tm_detail_arg_int(dimensions, "vulkan_memory_type", memory);
    }
    if (scope == NULL)
        return TM_END;
    snprintf(name, NAME_MAX_BYTES, "vulkan.mem.driver.scope.%s", scope);
    return tm_detail_arg_text(dimensions, "vulkan_allocation_scope", scope, strlen(scope));
}

/* Makes ROW, which is at the time of PACKET, a row of its own if the event is at TIME_NS of the same clock. */
static void set_time(struct tm_event *row, const struct tm_proto_packet *packet, int64_t time_ns)
{
    /* Times of a clock of a sequence can be relative to those before them. */
    if (time_ns == 0 || time_ns == packet->time || tm_clock_is_scoped(packet->clock))
        return;
    row->flags &= ~(uint32_t)TM_EVENT_DERIVED;
    row->time_ns = time_ns;
}

enum tm_status tm_proto_vulkan_memory_add(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                          struct tm_error *err)
{
    const struct tm_event event = tm_proto_packet_event(packet);
    struct tm_event row = tm_proto_derived(&event, TM_KIND_KERNEL);
    uint64_t numbers[EVENT_FIELDS] = {0};
    char name[NAME_MAX_BYTES];
    read_numbers(tm_pb_of(packet->body.data, packet->body.len), numbers);
    const struct tm_proto_named_row named = {.type = counter_of(numbers[EVENT_SOURCE])};
    const bool is_bound = named.type == TM_NAMED_TRACK_VULKAN_BOUND;
    const uint64_t operation = numbers[EVENT_OPERATION], size = numbers[EVENT_SIZE];
    const bool adds = operation == (is_bound ? BIND : CREATE);
    if (named.type == TM_NAMED_TRACK_NONE || (!adds && operation != (is_bound ? DESTROY_BOUND : DESTROY)))
        return TM_OK;
    enum tm_status st = describe(named.type, numbers, name, &rows->text);
    if (st == TM_END)
        return TM_OK;
    row.flags |= TM_EVENT_HAS_PID | tm_event_scope_flags(TM_SCOPE_PROCESS);
    row.pid = (int64_t)(uint32_t)numbers[EVENT_PID];
    row.value = TM_KERNEL_MEMORY;
    tm_kernel_set_amount(&row, adds ? size : -size);
    set_time(&row, packet, (int64_t)numbers[EVENT_TIME]);
    st = st < 0 ? tm_error_nomem(err) : tm_proto_named_counter(rows, &named, tm_text_str(name), &row, err);
    return st < 0 ? st : tm_proto_add(rows, &row, err);
}
