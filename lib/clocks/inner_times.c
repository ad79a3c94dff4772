#include "clocks/inner_times.h"

#include "base/pb.h"
#include "clocks/row_converter.h"
#include "stream/detail_fields.h"

static enum tm_status convert_one(struct tm_clock_routes *routes, const struct tm_route_key *key, uint8_t *value,
                                  uint8_t *state, struct tm_error *err)
{
    struct tm_clock_route *route;
    struct tm_row_time time = {.value = (int64_t)tm_get_le64(value), .is_inner = true};
    enum tm_row_result result;
    enum tm_status st = tm_clock_routes_find(routes, key, false, &route, err);
    if (st < 0)
        return st;
    /* An incremental clock counts on from event to event. Times inside an event do not move it. */
    int64_t last_ns = route->source == UINT32_MAX ? 0 : routes->registry->graph.clocks.clocks[route->source].last_ns;
    st = tm_row_convert(routes, route, &time, &result, err);
    if (st < 0)
        return st;
    if (route->source != UINT32_MAX)
        routes->registry->graph.clocks.clocks[route->source].last_ns = last_ns;
    if (result == TM_RESULT_PLACED)
        tm_put_le64(value, (uint64_t)time.time_ns);
    if (state)
        tm_put_le32(state, result == TM_RESULT_PLACED ? TM_INNER_TIME_CONVERTED : TM_INNER_TIME_FAILED);
    return TM_OK;
}

static enum tm_status damaged(struct tm_error *err)
{
    return tm_error_set(err, TM_E_INPUT, "the detail of an event is damaged");
}

enum tm_status tm_inner_times_convert(struct tm_clock_routes *routes, const struct tm_route_key *key,
                                      uint8_t *detail, size_t len, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(detail, len);
    struct tm_pb_field field, part;
    enum tm_status st;
    while ((st = tm_pb_next(&pb, &field)) == TM_OK) {
        struct tm_route_key inner = {key->file, key->embedded, TM_CLOCK_NONE, key->sequence};
        uint8_t *value = NULL, *state = NULL;
        struct tm_pb parts = tm_pb_of(field.data, field.len);
        if (field.id != TM_DETAIL_INNER_TIMES || field.type != TM_PB_LEN)
            continue;
        while ((st = tm_pb_next(&parts, &part)) == TM_OK) {
            if (part.id == TM_INNER_TIME_CLOCK && part.type == TM_PB_I32)
                inner.clock = (uint32_t)part.value;
            else if (part.id == TM_INNER_TIME_VALUE && part.type == TM_PB_I64)
                value = detail + (part.end - detail) - 8;
            else if (part.id == TM_INNER_TIME_STATE && part.type == TM_PB_I32)
                state = detail + (part.end - detail) - 4;
        }
        if (st < 0)
            return damaged(err);
        if (value && (st = convert_one(routes, &inner, value, state, err)) < 0)
            return st;
    }
    return st < 0 ? damaged(err) : TM_OK;
}
