#include "sort/union/frame_renumber.h"

static enum tm_status too_many(const char *what, struct tm_error *err)
{
    return tm_error_set(err, TM_E_INPUT, "all streams together have more %s than there are numbers", what);
}

static enum tm_status renumber_file_end(ProtobufCMessage *message, struct tm_stream_ids *ids, struct tm_error *err)
{
    return tm_stream_ids_file(ids, &((Tracemerge__FileEnd *)message)->id, err);
}

static enum tm_status renumber_manifest(ProtobufCMessage *message, struct tm_stream_ids *ids, struct tm_error *err)
{
    Tracemerge__Manifest *m = (Tracemerge__Manifest *)message;
    return m->has_file ? tm_stream_ids_file(ids, &m->file, err) : TM_OK;
}

static enum tm_status renumber_snapshot(ProtobufCMessage *message, struct tm_stream_ids *ids, struct tm_error *err)
{
    Tracemerge__Snapshot *m = (Tracemerge__Snapshot *)message;
    enum tm_status st = tm_stream_ids_file(ids, &m->file, err);
    return st < 0 ? st : tm_stream_ids_machine(ids, &m->machine, err);
}

static enum tm_status renumber_remote_clock_sync(ProtobufCMessage *message, struct tm_stream_ids *ids,
                                                 struct tm_error *err)
{
    Tracemerge__RemoteClockSync *m = (Tracemerge__RemoteClockSync *)message;
    enum tm_status st = tm_stream_ids_file(ids, &m->file, err);
    return st < 0 ? st : tm_stream_ids_machine(ids, &m->machine, err);
}

static enum tm_status renumber_clock_hint(ProtobufCMessage *message, struct tm_stream_ids *ids, struct tm_error *err)
{
    return tm_stream_ids_file(ids, &((Tracemerge__ClockHint *)message)->file, err);
}

static enum tm_status renumber_sequence(ProtobufCMessage *message, struct tm_stream_ids *ids, struct tm_error *err)
{
    Tracemerge__Sequence *m = (Tracemerge__Sequence *)message;
    if (m->generation != ids->generation_count + 1)
        return tm_error_set(err, TM_E_INPUT, "generation %u where generation %u should follow", m->generation,
                            ids->generation_count + 1);
    if (m->generation >= UINT32_MAX - ids->generation_base)
        return too_many("generations", err);
    ids->generation_count++;
    m->generation += ids->generation_base;
    enum tm_status st = tm_stream_ids_file(ids, &m->file, err);
    return st < 0 ? st : tm_stream_ids_machine(ids, &m->machine, err);
}

static enum tm_status renumber_clock_row(ProtobufCMessage *message, struct tm_stream_ids *ids, struct tm_error *err)
{
    Tracemerge__ClockRow *m = (Tracemerge__ClockRow *)message;
    if (m->snapshot >= UINT32_MAX - ids->snapshot_base - 1)
        return too_many("snapshots", err);
    m->snapshot += ids->snapshot_base;
    if (m->snapshot >= ids->snapshot_end)
        ids->snapshot_end = m->snapshot + 1;
    enum tm_status st = m->has_file ? tm_stream_ids_file(ids, &m->file, err) : TM_OK;
    return st < 0 ? st : tm_stream_ids_machine(ids, &m->machine, err);
}

static enum tm_status renumber_placement(ProtobufCMessage *message, struct tm_stream_ids *ids, struct tm_error *err)
{
    Tracemerge__Placement *m = (Tracemerge__Placement *)message;
    enum tm_status st = tm_stream_ids_file(ids, &m->file, err);
    return st < 0 ? st : tm_stream_ids_machine(ids, &m->machine, err);
}

static enum tm_status renumber_account(ProtobufCMessage *message, struct tm_stream_ids *ids, struct tm_error *err)
{
    Tracemerge__Account *m = (Tracemerge__Account *)message;
    enum tm_status st = tm_stream_ids_file(ids, &m->file, err);
    return st < 0 || !m->has_machine ? st : tm_stream_ids_machine(ids, &m->machine, err);
}

static enum tm_status renumber_stat(ProtobufCMessage *message, struct tm_stream_ids *ids, struct tm_error *err)
{
    Tracemerge__Stat *m = (Tracemerge__Stat *)message;
    enum tm_status st = m->has_file ? tm_stream_ids_file(ids, &m->file, err) : TM_OK;
    return st < 0 || !m->has_machine ? st : tm_stream_ids_machine(ids, &m->machine, err);
}

enum tm_status tm_frame_renumber(uint32_t type, ProtobufCMessage *message, struct tm_stream_ids *ids,
                                 struct tm_error *err)
{
    switch (type) {
    case TM_FRAME_FILE_END:
        return renumber_file_end(message, ids, err);
    case TM_FRAME_MANIFEST:
        return renumber_manifest(message, ids, err);
    case TM_FRAME_SNAPSHOT:
        return renumber_snapshot(message, ids, err);
    case TM_FRAME_REMOTE_CLOCK_SYNC:
        return renumber_remote_clock_sync(message, ids, err);
    case TM_FRAME_CLOCK_HINT:
        return renumber_clock_hint(message, ids, err);
    case TM_FRAME_SEQUENCE:
        return renumber_sequence(message, ids, err);
    case TM_FRAME_SOURCE:
        return tm_stream_ids_file(ids, &((Tracemerge__Source *)message)->file, err);
    case TM_FRAME_CLOCK_ROW:
        return renumber_clock_row(message, ids, err);
    case TM_FRAME_PLACEMENT:
        return renumber_placement(message, ids, err);
    case TM_FRAME_ACCOUNT:
        return renumber_account(message, ids, err);
    case TM_FRAME_STAT:
        return renumber_stat(message, ids, err);
    default:
        return TM_OK;
    }
}
