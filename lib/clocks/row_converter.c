#include "clocks/row_converter.h"

static enum tm_row_result result_of(enum tm_convert conversion)
{
    static const enum tm_row_result results[] = {
        [TM_CONVERT_OK] = TM_RESULT_PLACED,
        [TM_CONVERT_UNKNOWN_SOURCE] = TM_RESULT_UNKNOWN_SOURCE_CLOCK,
        [TM_CONVERT_UNKNOWN_TARGET] = TM_RESULT_UNKNOWN_TARGET_CLOCK,
        [TM_CONVERT_NO_PATH] = TM_RESULT_NO_PATH,
        [TM_CONVERT_OUT_OF_RANGE] = TM_RESULT_OUT_OF_RANGE,
    };
    return results[conversion];
}

enum tm_status tm_row_convert(struct tm_clock_routes *routes, struct tm_clock_route *route, struct tm_row_time *time,
                              enum tm_row_result *result, struct tm_error *err)
{
    enum tm_convert conversion = TM_CONVERT_OK;
    bool is_pending = false;
    enum tm_status st = TM_OK;
    if (!time->is_inner || route->scope->was_tried)
        st = tm_clock_routes_prepare(routes, route, &is_pending, err);
    *result = TM_RESULT_NO_PATH;
    if (st < 0 || is_pending)
        return st;
    if (!time->is_absolute) {
        time->absolute_ns = time->value;
        bool is_known = tm_clock_route_is_registered(route, routes->registry);
        time->is_absolute = route->is_in_ns || is_known;
        if (!route->is_in_ns && is_known &&
            !tm_clock_route_absolute(route, routes->registry, time->value, &time->absolute_ns)) {
            *result = TM_RESULT_OUT_OF_RANGE;
            return TM_OK;
        }
    }
    int64_t ns = time->absolute_ns;
    if (ns < route->step.first_ns || ns > route->step.last_ns) {
        st = tm_clock_routes_step(routes, route, ns, &conversion, err);
        if (st < 0)
            return st;
    }
    *result = result_of(conversion);
    if (conversion != TM_CONVERT_OK)
        return TM_OK;
    time->time_ns = tm_step_apply(&route->step, ns);
    if (time->time_ns < 0)
        *result = TM_RESULT_NEGATIVE_TIME;
    else if (time->has_weight && time->is_counted)
        tm_row_count(route, ns);
    else if (time->has_weight)
        route->scope->records[route->record].definition_counts[TM_RESULT_PLACED]++;
    return TM_OK;
}
