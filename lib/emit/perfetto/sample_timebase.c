#include "emit/perfetto/sample_timebase.h"

#include "base/pb.h"

#include <string.h>

enum {
    DEFAULTS_SAMPLES = 12,
    SAMPLES_TIMEBASE = 1,
    TIMEBASE_TRACEPOINT = 3,
    TIMEBASE_COUNTER = 4,
    TIMEBASE_NAME = 10,
    TRACEPOINT_NAME = 1
};

/* Returns the PerfEvents.Counter of the event whose name without modifiers has LEN bytes at NAME; 0: none. */
static uint64_t counter_of(const uint8_t *name, size_t len)
{
    static const struct {
        const char *name;
        uint8_t counter;
    } counters[] = {
        {"cpu-clock", 1},
        {"page-faults", 2},
        {"faults", 2},
        {"task-clock", 3},
        {"context-switches", 4},
        {"cs", 4},
        {"cpu-migrations", 5},
        {"migrations", 5},
        {"minor-faults", 6},
        {"major-faults", 7},
        {"alignment-faults", 8},
        {"emulation-faults", 9},
        {"cycles", 10},
        {"cpu-cycles", 10},
        {"instructions", 11},
        {"cache-references", 12},
        {"cache-misses", 13},
        {"branches", 14},
        {"branch-instructions", 14},
        {"branch-misses", 15},
        {"bus-cycles", 16},
        {"stalled-cycles-frontend", 17},
        {"stalled-cycles-backend", 18},
        {"ref-cycles", 19},
        {"dummy", 20},
    };
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        if (strlen(counters[i].name) == len && memcmp(counters[i].name, name, len) == 0)
            return counters[i].counter;
    return 0;
}

static bool put_event(struct tm_buf *out, const uint8_t *name, size_t len)
{
    const uint8_t *colon = memchr(name, ':', len);
    uint64_t counter = counter_of(name, colon ? (size_t)(colon - name) : len);
    size_t mark;
    if (counter)
        return tm_pb_put_varint(out, TIMEBASE_COUNTER, counter) == TM_OK;
    if (colon == NULL)
        return true; /* the unit is unknown */
    return tm_pb_begin(out, TIMEBASE_TRACEPOINT, &mark) == TM_OK &&
           tm_pb_put_bytes(out, TRACEPOINT_NAME, name, len) == TM_OK && tm_pb_end(out, mark) == TM_OK;
}

bool tm_sample_timebase_put(struct tm_buf *out, const uint8_t *name, size_t len)
{
    size_t samples, timebase;
    return tm_pb_begin(out, DEFAULTS_SAMPLES, &samples) == TM_OK &&
           tm_pb_begin(out, SAMPLES_TIMEBASE, &timebase) == TM_OK && put_event(out, name, len) &&
           tm_pb_put_bytes(out, TIMEBASE_NAME, name, len) == TM_OK && tm_pb_end(out, timebase) == TM_OK &&
           tm_pb_end(out, samples) == TM_OK;
}
