#include "sort/union/stream_merge.h"

#include "sort/union/merge_input.h"
#include "stream/clock_id.h"
#include "stream/clock_name.h"

#include <stdio.h>
#include <stdlib.h>

enum { MERGE_INPUT_BYTES = 5 << 19, /* memory of a stream while it is read */
    MERGE_CHUNK_BYTES = 256 << 10, MERGE_FAN_IN_MIN = 4 };

struct stream_merge {
    struct tm_merge_input *inputs;
    uint32_t count, opened;
    const struct tm_merge_input *timed; /* the first stream with events, whose trace time all must have */
    struct tm_frame_union all;
    struct tm_run_store store;
    struct tm_collector collector;
    struct tm_stream_writer writer;
};

/* Writes the trace time of IN to OUT, as in: clock 6 (BOOTTIME) of machine "phone". */
static void describe_trace_time(const struct stream_merge *m, const struct tm_merge_input *in, char *out, size_t size)
{
    const Tracemerge__TraceTime *t = &in->trace_time;
    if (!in->has_trace_time) {
        snprintf(out, size, "no clock that others know");
        return;
    }
    const char *name = tm_name_of_clock(t->clock);
    int n = name ? snprintf(out, size, "clock %u (%s)", t->clock, name) : snprintf(out, size, "clock %u", t->clock);
    if (!t->has_machine || n < 0 || (size_t)n >= size)
        return;
    const struct tm_union_machine *machine = &m->all.machines.rows[t->machine];
    if (machine->has_name)
        snprintf(out + n, size - (size_t)n, " of machine \"%.*s\"", (int)machine->name_bytes,
                 (const char *)machine->name);
    else
        snprintf(out + n, size - (size_t)n, " of machine %lld", (long long)machine->raw_id);
}

static bool same_trace_time(const struct tm_merge_input *a, const struct tm_merge_input *b)
{
    if (!a->has_trace_time || !b->has_trace_time || a->trace_time.clock != b->trace_time.clock ||
        a->trace_time.clock == TM_CLOCK_TRACE_FILE)
        return false;
    return a->trace_time.clock == TM_CLOCK_REALTIME || (a->trace_time.has_machine == b->trace_time.has_machine &&
                                                        a->trace_time.machine == b->trace_time.machine);
}

/* Checks the trace time. Streams without events fit any timeline. */
static enum tm_status check_trace_time(struct stream_merge *m, const struct tm_merge_input *in, struct tm_error *err)
{
    char one[256], other[256];
    if (!in->has_events)
        return TM_OK;
    if (m->timed == NULL) {
        m->timed = in;
        m->all.has_trace_time = in->has_trace_time;
        m->all.trace_time = in->trace_time;
        return TM_OK;
    }
    if (same_trace_time(m->timed, in))
        return TM_OK;
    describe_trace_time(m, in, one, sizeof one);
    describe_trace_time(m, m->timed, other, sizeof other);
    return tm_error_set(err, TM_E_INPUT,
                        "%s: trace time is %s, in %s it is %s; place both on one clock, with trace_time in their "
                        "manifests",
                        in->name, one, m->timed->name, other);
}

/* Checks that IN is the same part by time as the first stream. */
static enum tm_status check_part(const struct stream_merge *m, const struct tm_merge_input *in, struct tm_error *err)
{
    return tm_time_part_is_same(&in->reader.header.part, &m->inputs[0].reader.header.part)
               ? TM_OK
               : tm_error_set(err, TM_E_INPUT, "%s: not the same part by time as %s", in->name, m->inputs[0].name);
}

static enum tm_status open_inputs(struct stream_merge *m, const struct tm_merge_stream *streams, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (; m->opened < m->count && st == TM_OK; m->opened++) {
        struct tm_merge_input *in = &m->inputs[m->opened];
        const int fd = streams[m->opened].fd;
        *in = (struct tm_merge_input){.name = streams[m->opened].name, .fd = fd, .opens = fd < 0, .all = &m->all,
                                      .sequence = m->opened + 1};
        st = tm_merge_input_resume(in, err);
        if (st == TM_OK)
            st = tm_merge_input_open(in, err);
        if (st == TM_OK)
            st = tm_merge_input_park(in, err);
        if (st == TM_OK)
            st = check_part(m, in, err);
        if (st == TM_OK)
            st = check_trace_time(m, in, err);
    }
    return st;
}

/* Streams that are merged together. */
struct group {
    struct tm_merge_input *inputs;
    uint32_t count;
};

/* Adds the rows of one kind of GROUP to COLLECTOR. */
static enum tm_status merge_kind(struct stream_merge *m, struct group group, struct tm_collector *collector,
                                 bool definitions, struct tm_error *err)
{
    struct tm_merge_input *inputs = group.inputs;
    const uint32_t count = group.count;
    struct tm_run_source *sources = calloc(count, sizeof *sources);
    if (sources == NULL)
        return tm_error_nomem(err);
    for (uint32_t i = 0; i < count; i++) {
        inputs[i].only_definitions = definitions;
        sources[i] = (struct tm_run_source){tm_merge_input_next, &inputs[i], true};
    }
    enum tm_status st = tm_merge_runs(sources, count, &m->all.orders, collector, err);
    free(sources);
    return st;
}

static enum tm_status resume(struct tm_merge_input *inputs, uint32_t count, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < count && st == TM_OK; i++)
        st = tm_merge_input_resume(&inputs[i], err);
    return st;
}

/* Merges GROUP into a run of each kind in the store. */
static enum tm_status merge_group(struct stream_merge *m, struct group group, struct tm_error *err)
{
    enum tm_status st = resume(group.inputs, group.count, err);
    for (int kind = 1; kind >= 0 && st == TM_OK; kind--) {
        st = tm_run_store_begin(&m->store, group.inputs->sequence, err);
        if (st == TM_OK)
            st = merge_kind(m, group, &m->store.collector, kind, err);
        if (st == TM_OK)
            st = tm_run_store_end(&m->store, err);
    }
    for (uint32_t i = 0; i < group.count; i++)
        tm_merge_input_release(&group.inputs[i]);
    return st;
}

static enum tm_status merge_runs(struct stream_merge *m, bool definitions, struct tm_error *err)
{
    struct tm_run_readers readers = {0};
    enum tm_status st = tm_run_store_open(&m->store, definitions, 0, &readers, err);
    if (st == TM_OK)
        st = tm_merge_runs(readers.sources, readers.reader_count, &m->all.orders, &m->collector, err);
    tm_run_readers_release(&readers);
    return st;
}

static enum tm_status merge_events(struct stream_merge *m, uint32_t fan_in, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (m->count <= fan_in) {
        st = resume(m->inputs, m->count, err);
        if (st == TM_OK)
            st = merge_kind(m, (struct group){m->inputs, m->count}, &m->collector, true, err);
        if (st == TM_OK)
            st = merge_kind(m, (struct group){m->inputs, m->count}, &m->collector, false, err);
        return st;
    }
    for (uint32_t i = 0; i < m->count && st == TM_OK; i += fan_in) {
        const struct group group = {m->inputs + i, m->count - i < fan_in ? m->count - i : fan_in};
        st = merge_group(m, group, err);
    }
    if (st == TM_OK)
        st = tm_run_store_reduce(&m->store, err);
    if (st == TM_OK)
        st = merge_runs(m, true, err);
    return st == TM_OK ? merge_runs(m, false, err) : st;
}

static enum tm_status merge(struct stream_merge *m, const struct tm_merge_streams *streams, int out,
                            const struct tm_sort_options *options, struct tm_error *err)
{
    unsigned long long room = options->memory_bytes / MERGE_INPUT_BYTES;
    if (room > streams->descriptors)
        room = streams->descriptors;
    uint32_t fan_in = room < MERGE_FAN_IN_MIN ? MERGE_FAN_IN_MIN : room > m->count ? m->count : (uint32_t)room;
    tm_run_store_init(&m->store, &m->all.orders, m->all.dir, MERGE_CHUNK_BYTES);
    m->store.fan_in = fan_in < MERGE_FAN_IN_MIN ? MERGE_FAN_IN_MIN : fan_in;
    tm_collector_init(&m->collector, tm_stream_writer_receiver(&m->writer), TM_BATCH_BYTES);
    enum tm_status st = open_inputs(m, streams->streams, err);
    if (st == TM_OK)
        st = tm_stream_writer_open(&m->writer, out, "tm-sort", &m->inputs[0].reader.header, err);
    if (st == TM_OK)
        st = tm_frame_union_write(&m->all, &m->writer, err);
    if (st == TM_OK)
        st = merge_events(m, fan_in, err);
    if (st == TM_OK)
        st = tm_collector_flush(&m->collector, err);
    return st == TM_OK ? tm_stream_writer_end(&m->writer, err) : st;
}

enum tm_status tm_stream_merge(const struct tm_merge_streams *streams, int out, const struct tm_sort_options *options,
                               struct tm_error *err)
{
    const uint32_t count = streams->count;
    struct stream_merge m = {.count = count, .inputs = calloc(count ? count : 1, sizeof *m.inputs)};
    if (m.inputs == NULL)
        return tm_error_nomem(err);
    tm_frame_union_init(&m.all, count > 1, tm_sort_dir(options));
    enum tm_status st = merge(&m, streams, out, options, err);
    for (uint32_t i = 0; i < m.opened; i++)
        tm_merge_input_release(&m.inputs[i]);
    tm_collector_release(&m.collector);
    tm_run_store_release(&m.store);
    tm_frame_union_release(&m.all);
    tm_stream_writer_release(&m.writer);
    free(m.inputs);
    return st;
}
