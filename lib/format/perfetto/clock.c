#include "format/perfetto/clock.h"

#include "perfetto/default_clock.h"

enum { CLOCKS_MAX = 1024, ROUNDS_MAX = 1024 };
enum { SNAPSHOT_CLOCKS = 1, SNAPSHOT_PRIMARY = 2 };
enum { CLOCK_ID = 1, CLOCK_TIMESTAMP = 2, CLOCK_INCREMENTAL = 3, CLOCK_UNIT = 4 };
enum { SYNC_ROUNDS = 1, ROUND_CLIENT = 2, ROUND_HOST = 3 };

/* Readings of the current snapshots; pointers are set once all are read. */
struct readings {
    struct tm_buf values; /* Tracemerge__Reading */
    struct tm_buf pointers; /* Tracemerge__Reading * */
};

static Tracemerge__Reading *reading_at(const struct readings *r, size_t i)
{
    return (Tracemerge__Reading *)(void *)r->values.data + i;
}

static size_t reading_count(const struct readings *r)
{
    return r->values.len / sizeof(Tracemerge__Reading);
}

static enum tm_status point(struct readings *r)
{
    r->pointers.len = 0;
    for (size_t i = 0; i < reading_count(r); i++) {
        Tracemerge__Reading *reading = reading_at(r, i);
        if (tm_buf_add(&r->pointers, &reading, sizeof reading) != TM_OK)
            return TM_E_SYSTEM;
    }
    return TM_OK;
}

static Tracemerge__Reading **pointer_at(const struct readings *r, size_t i)
{
    return r->pointers.data ? (Tracemerge__Reading **)(void *)r->pointers.data + i : NULL;
}

static void readings_release(struct readings *r)
{
    tm_buf_release(&r->values);
    tm_buf_release(&r->pointers);
}

static enum tm_status read_clock(struct readings *r, const struct tm_pb_field *clock)
{
    Tracemerge__Reading reading = TRACEMERGE__READING__INIT;
    struct tm_pb pb = tm_pb_of(clock->data, clock->len);
    struct tm_pb_field f;
    enum tm_status st;
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        if (f.type != TM_PB_VARINT)
            continue;
        if (f.id == CLOCK_ID)
            reading.clock = (uint32_t)f.value;
        else if (f.id == CLOCK_TIMESTAMP)
            reading.value = (int64_t)f.value;
        else if (f.id == CLOCK_INCREMENTAL)
            reading.incremental = f.value != 0;
        else if (f.id == CLOCK_UNIT)
            reading.unit_multiplier_ns = f.value;
    }
    if (st != TM_END)
        return st;
    return tm_buf_add(&r->values, &reading, sizeof reading);
}

/* Appends the clocks of a ClockSnapshot message to R. *PRIMARY stays 0 if it names none. */
static enum tm_status read_snapshot(struct readings *r, const struct tm_pb_field *message, uint32_t *primary,
                                    struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    enum tm_status st;
    size_t first = reading_count(r);
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        if (f.id == SNAPSHOT_PRIMARY && f.type == TM_PB_VARINT)
            *primary = (uint32_t)f.value;
        if (f.id != SNAPSHOT_CLOCKS || f.type != TM_PB_LEN)
            continue;
        if ((st = read_clock(r, &f)) < 0)
            break;
        if (reading_count(r) - first > CLOCKS_MAX)
            return tm_error_set(err, TM_E_INPUT, "clock snapshot with more than %d clocks", CLOCKS_MAX);
    }
    if (st == TM_E_SYSTEM)
        return tm_error_nomem(err);
    return st == TM_END ? TM_OK : tm_error_set(err, TM_E_INPUT, "damaged clock snapshot");
}

/* Notes in CLOCKS whether SNAPSHOT sets a default clock. */
static enum tm_status note_snapshot(struct tm_proto_map *clocks, const Tracemerge__Snapshot *snapshot,
                                    struct tm_error *err)
{
    struct tm_proto_map_entry *entry;
    if (tm_default_clock_of(snapshot) == TM_CLOCK_NONE)
        return TM_OK;
    return tm_proto_map_add(clocks, snapshot->machine, 0, UINT32_MAX, &entry) == TM_OK ? TM_OK : tm_error_nomem(err);
}

bool tm_proto_has_default_clock(const struct tm_proto_map *clocks, uint32_t machine)
{
    return tm_proto_map_find(clocks, machine, 0) || tm_proto_map_find(clocks, 0, 0);
}

/* A reading of a sequence's clock has no meaning in a packet without a sequence. */
static enum tm_status check_sequence(const struct readings *r, const struct tm_proto_packet *packet,
                                     struct tm_error *err)
{
    for (size_t i = 0; i < reading_count(r) && packet->sequence_id == 0; i++) {
        uint32_t clock = reading_at(r, i)->clock;
        if (tm_clock_is_scoped(clock))
            return tm_error_set(err, TM_E_INPUT, "clock snapshot with sequence-scoped clock %u, but on no sequence",
                                clock);
    }
    return TM_OK;
}

enum tm_status tm_proto_clock_snapshot_read(struct tm_proto_map *clocks, struct tm_proto_rows *rows,
                                            const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct readings r = {0};
    Tracemerge__Snapshot frame = TRACEMERGE__SNAPSHOT__INIT;
    uint32_t primary = 0;
    enum tm_status st = read_snapshot(&r, &packet->body, &primary, err);
    if (st >= 0)
        st = check_sequence(&r, packet, err);
    if (st >= 0 && point(&r) != TM_OK)
        st = tm_error_nomem(err);
    if (st < 0)
        goto out;
    frame.file = rows->sink->file;
    frame.machine = packet->machine;
    frame.sequence = packet->sequence_id;
    frame.has_primary_clock = primary != 0;
    frame.primary_clock = primary;
    frame.n_readings = reading_count(&r);
    frame.readings = pointer_at(&r, 0);
    frame.position = rows->sink->position;
    frame.byte = packet->byte;
    st = note_snapshot(clocks, &frame, err);
    if (st == TM_OK)
        st = tm_event_sink_message(rows->sink, TM_FRAME_SNAPSHOT, &frame.base, err);
out:
    readings_release(&r);
    return st;
}

enum tm_status tm_proto_clock_pair(struct tm_event_sink *sink, const struct tm_proto_packet *packet,
                                   const struct tm_boottime_pair *at, struct tm_error *err)
{
    Tracemerge__Snapshot frame = TRACEMERGE__SNAPSHOT__INIT;
    const struct tm_clock_reading pair[2] = {{at->clock, at->reading}, {TM_CLOCK_BOOTTIME, at->boot_ns}};
    frame.machine = packet->machine;
    frame.sequence = packet->sequence_id;
    frame.byte = packet->byte;
    frame.has_no_default = frame.no_default = true;
    return tm_event_sink_snapshot(sink, &frame, pair, err);
}

/* A round of a RemoteClockSync, as ranges of the readings. */
struct round {
    Tracemerge__SyncRound message;
    size_t client, host, end; /* client readings from client to host, host readings to end */
};

static enum tm_status read_round(struct readings *r, const struct tm_pb_field *message, struct round *round,
                                 struct tm_error *err)
{
    static const uint32_t sides[2] = {ROUND_CLIENT, ROUND_HOST};
    *round = (struct round){.message = TRACEMERGE__SYNC_ROUND__INIT, .client = reading_count(r)};
    for (int side = 0; side < 2; side++) {
        struct tm_pb pb = tm_pb_of(message->data, message->len);
        struct tm_pb_field f;
        uint32_t primary;
        enum tm_status st;
        if (side == 1)
            round->host = reading_count(r);
        while ((st = tm_pb_next(&pb, &f)) == TM_OK)
            if (f.id == sides[side] && f.type == TM_PB_LEN && (st = read_snapshot(r, &f, &primary, err)) < 0)
                return st;
        if (st != TM_END)
            return tm_error_set(err, TM_E_INPUT, "damaged remote clock sync");
    }
    round->end = reading_count(r);
    return TM_OK;
}

static enum tm_status read_rounds(const struct tm_proto_packet *packet, struct readings *r, struct tm_buf *rounds,
                                  struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(packet->body.data, packet->body.len);
    struct tm_pb_field f;
    enum tm_status st;
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        struct round round;
        if (f.id != SYNC_ROUNDS || f.type != TM_PB_LEN)
            continue;
        if ((st = read_round(r, &f, &round, err)) < 0)
            return st;
        if (rounds->len / sizeof round >= ROUNDS_MAX)
            return tm_error_set(err, TM_E_INPUT, "remote clock sync with more than %d rounds", ROUNDS_MAX);
        if (tm_buf_add(rounds, &round, sizeof round) != TM_OK)
            return tm_error_nomem(err);
    }
    return st == TM_END ? TM_OK : tm_error_set(err, TM_E_INPUT, "damaged remote clock sync");
}

enum tm_status tm_proto_clock_sync_read(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                        struct tm_error *err)
{
    struct readings r = {0};
    struct tm_buf rounds = {0}, pointers = {0};
    Tracemerge__RemoteClockSync frame = TRACEMERGE__REMOTE_CLOCK_SYNC__INIT;
    enum tm_status st = read_rounds(packet, &r, &rounds, err);
    if (st >= 0 && point(&r) != TM_OK)
        st = tm_error_nomem(err);
    for (size_t i = 0; st >= 0 && i < rounds.len / sizeof(struct round); i++) {
        struct round *round = (struct round *)(void *)rounds.data + i;
        Tracemerge__SyncRound *message = &round->message;
        message->n_client = round->host - round->client;
        message->client = pointer_at(&r, round->client);
        message->n_host = round->end - round->host;
        message->host = pointer_at(&r, round->host);
        if (tm_buf_add(&pointers, &message, sizeof message) != TM_OK)
            st = tm_error_nomem(err);
    }
    if (st < 0)
        goto out;
    frame.file = rows->sink->file;
    frame.machine = packet->machine;
    frame.sequence = packet->sequence_id;
    frame.n_rounds = pointers.len / sizeof(Tracemerge__SyncRound *);
    frame.rounds = (Tracemerge__SyncRound **)(void *)pointers.data;
    frame.position = rows->sink->position;
    frame.byte = packet->byte;
    st = tm_event_sink_message(rows->sink, TM_FRAME_REMOTE_CLOCK_SYNC, &frame.base, err);
out:
    tm_buf_release(&pointers);
    tm_buf_release(&rounds);
    readings_release(&r);
    return st;
}
