/* Extra counter values of a track event: values of other counters at the time of the event, and the tracks of these
 * counters. In a stream the values are DERIVED rows after the event, or absolute values in the packet of the event
 * (doc/events.md). Field numbers: track_event.proto. */
#ifndef TM_PERFETTO_EXTRA_COUNTERS_H
#define TM_PERFETTO_EXTRA_COUNTERS_H

#include "base/pb.h"
#include "base/text.h"
#include "perfetto/track_event_fields.h"

#include <stdbool.h>

enum { TM_EXTRA_VALUES_MAX = 8 }; /* values of one event that the reference importer accepts */

/* Values of the DERIVED counter rows after an event: those of integer fields, then those of double fields. They replace
 * the extra counter values in its packet, unless these are absolute already. */
struct tm_extra_values {
    struct tm_packet_value {
        uint64_t value; /* an int64, or the bits of a double */
        bool is_double;
    } *values;
    uint32_t count, cap;
};

static inline bool tm_extra_values_are_double(const struct tm_pb_field *field)
{
    return field->id == TM_TRACK_EVENT_EXTRA_DOUBLE_VALUES;
}

/* True if FIELD, of a track event, has extra counter values. */
static inline bool tm_extra_values_are_in(const struct tm_pb_field *field)
{
    return field->id == TM_TRACK_EVENT_EXTRA_VALUES || tm_extra_values_are_double(field);
}

/* Returns the number of values in FIELD, extra_counter_values or the double ones: one, or any number if packed. */
static inline uint32_t tm_extra_values_in(const struct tm_pb_field *field)
{
    uint32_t n = 0;
    if (field->type != TM_PB_LEN)
        return 1;
    if (tm_extra_values_are_double(field))
        return (uint32_t)(field->len / 8);
    for (size_t i = 0; i < field->len; i++)
        n += field->data[i] < 0x80;
    return n;
}

/* True if the integer part of D is an int64. */
static inline bool tm_extra_double_fits(double d)
{
    return d >= -9223372036854775808.0 && d < 9223372036854775808.0;
}

/* Returns VALUE as FIELD holds it: the bits of a double, or an int64. A double is then cut to an integer in range; NaN
 * becomes 0. */
static inline uint64_t tm_extra_value_for(const struct tm_packet_value *value, const struct tm_pb_field *field)
{
    double d = tm_pb_double(value->value);
    if (value->is_double == tm_extra_values_are_double(field))
        return value->value;
    if (!value->is_double)
        return tm_pb_bits((double)(int64_t)value->value);
    if (tm_extra_double_fits(d))
        return (uint64_t)(int64_t)d;
    return d > 0 ? INT64_MAX : d < 0 ? (uint64_t)INT64_MIN : 0;
}

/* True if a field of integers can hold VALUE. */
static inline bool tm_extra_value_is_int(const struct tm_packet_value *value)
{
    double d = tm_pb_double(value->value);
    return !value->is_double || (tm_extra_double_fits(d) && (double)(int64_t)d == d);
}

/* Finds the track event of PACKET, a TracePacket: the first one, because readers ignore others. True with *BODY set to
 * its fields. */
bool tm_extra_event_find(struct tm_text packet, struct tm_pb *body);

/* Which of such values are next. */
struct tm_extra_cursor {
    uint32_t next_int, ints;     /* those of integer fields: [0, ints) */
    uint32_t next_double, count; /* those of double fields: [ints, count) */
};

/* Returns the cursor at the first of COUNT values for the track event with the fields in BODY. */
struct tm_extra_cursor tm_extra_cursor_begin(struct tm_pb body, uint32_t count);

/* Takes as many values as FIELD has: *N, the first of them *FIRST. False: there are fewer. */
bool tm_extra_cursor_take(struct tm_extra_cursor *cursor, const struct tm_pb_field *field, uint32_t *first,
                          uint32_t *n);

/* The counter tracks of events that name none: those of TrackEventDefaults. Zero-initialise. */
struct tm_extra_tracks {
    struct tm_buf ints, doubles; /* uint64_t in host order: track uuids */
};

/* Appends the tracks that FIELD, of TrackEventDefaults, names. TM_OK, also if it names none; TM_E_INPUT: it is damaged;
 * TM_E_SYSTEM. */
enum tm_status tm_extra_tracks_add(struct tm_extra_tracks *tracks, const struct tm_pb_field *field);

void tm_extra_tracks_clear(struct tm_extra_tracks *tracks);

void tm_extra_tracks_release(struct tm_extra_tracks *tracks);

#endif
