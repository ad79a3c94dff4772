#include "stream/frame_ids.h"

#include <stddef.h>

/* Offsets in a message, which begins with its base: 0 stands for none. */
struct member {
    size_t number;
    size_t has; /* 0: it is always there */
};

static const struct row {
    enum tm_frame_type type;
    const ProtobufCMessageDescriptor *descriptor;
    struct member file, machine;
} rows[] = {
#define AT(message, field) {offsetof(Tracemerge__##message, field), 0}
#define MAY(message, field) {offsetof(Tracemerge__##message, field), offsetof(Tracemerge__##message, has_##field)}
    {TM_FRAME_FILE_END, &tracemerge__file_end__descriptor, AT(FileEnd, id), {0, 0}},
    {TM_FRAME_MANIFEST, &tracemerge__manifest__descriptor, MAY(Manifest, file), {0, 0}},
    {TM_FRAME_SNAPSHOT, &tracemerge__snapshot__descriptor, AT(Snapshot, file), AT(Snapshot, machine)},
    {TM_FRAME_REMOTE_CLOCK_SYNC, &tracemerge__remote_clock_sync__descriptor, AT(RemoteClockSync, file),
     AT(RemoteClockSync, machine)},
    {TM_FRAME_CLOCK_HINT, &tracemerge__clock_hint__descriptor, AT(ClockHint, file), {0, 0}},
    {TM_FRAME_SEQUENCE, &tracemerge__sequence__descriptor, AT(Sequence, file), AT(Sequence, machine)},
    {TM_FRAME_SOURCE, &tracemerge__source__descriptor, AT(Source, file), {0, 0}},
    {TM_FRAME_CLOCK_ROW, &tracemerge__clock_row__descriptor, MAY(ClockRow, file), AT(ClockRow, machine)},
    {TM_FRAME_PLACEMENT, &tracemerge__placement__descriptor, AT(Placement, file), AT(Placement, machine)},
    {TM_FRAME_ACCOUNT, &tracemerge__account__descriptor, AT(Account, file), MAY(Account, machine)},
    {TM_FRAME_STAT, &tracemerge__stat__descriptor, MAY(Stat, file), MAY(Stat, machine)},
    {TM_FRAME_METADATA, &tracemerge__metadata__descriptor, MAY(Metadata, file), MAY(Metadata, machine)},
#undef AT
#undef MAY
};

static const struct row *find(uint32_t type)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].type == (enum tm_frame_type)type)
            return &rows[i];
    return NULL;
}

static uint32_t *number_of(ProtobufCMessage *message, const struct member *member)
{
    char *bytes = (char *)message;
    if (member->number == 0 || (member->has && !*(const protobuf_c_boolean *)(const void *)(bytes + member->has)))
        return NULL;
    return (uint32_t *)(void *)(bytes + member->number);
}

const ProtobufCMessageDescriptor *tm_frame_ids_descriptor(uint32_t type)
{
    const struct row *row = find(type);
    return row ? row->descriptor : NULL;
}

uint32_t *tm_frame_ids_file(uint32_t type, ProtobufCMessage *message)
{
    const struct row *row = find(type);
    return row ? number_of(message, &row->file) : NULL;
}

uint32_t *tm_frame_ids_machine(uint32_t type, ProtobufCMessage *message)
{
    const struct row *row = find(type);
    return row ? number_of(message, &row->machine) : NULL;
}
