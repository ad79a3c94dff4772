#include "sort/union/frame_renumber.h"

#include "stream/frame_ids.h"

static enum tm_status too_many(const char *what, struct tm_error *err)
{
    return tm_error_set(err, TM_E_INPUT, "all streams together have more %s than can be numbered", what);
}

static enum tm_status renumber_generation(Tracemerge__Sequence *m, struct tm_stream_ids *ids, struct tm_error *err)
{
    if (m->generation != ids->generation_count + 1)
        return tm_error_set(err, TM_E_INPUT, "generation %u where generation %u should follow", m->generation,
                            ids->generation_count + 1);
    if (m->generation >= UINT32_MAX - ids->generation_base)
        return too_many("generations", err);
    ids->generation_count++;
    m->generation += ids->generation_base;
    return TM_OK;
}

static enum tm_status renumber_snapshot(Tracemerge__ClockRow *m, struct tm_stream_ids *ids, struct tm_error *err)
{
    if (m->snapshot >= UINT32_MAX - ids->snapshot_base - 1)
        return too_many("snapshots", err);
    m->snapshot += ids->snapshot_base;
    if (m->snapshot >= ids->snapshot_end)
        ids->snapshot_end = m->snapshot + 1;
    return TM_OK;
}

enum tm_status tm_frame_renumber(uint32_t type, ProtobufCMessage *message, struct tm_stream_ids *ids,
                                 struct tm_error *err)
{
    uint32_t *file = tm_frame_ids_file(type, message), *machine = tm_frame_ids_machine(type, message);
    enum tm_status st = TM_OK;
    if (type == TM_FRAME_SEQUENCE)
        st = renumber_generation((Tracemerge__Sequence *)message, ids, err);
    else if (type == TM_FRAME_CLOCK_ROW)
        st = renumber_snapshot((Tracemerge__ClockRow *)message, ids, err);
    if (st == TM_OK && file)
        st = tm_stream_ids_file(ids, file, err);
    return st == TM_OK && machine ? tm_stream_ids_machine(ids, machine, err) : st;
}
