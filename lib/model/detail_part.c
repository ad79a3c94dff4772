/* Finds parts of the details of events. */
#include "model/internal.h"

#include "base/pb.h"
#include "stream/detail_fields.h"

bool tm_model_part(const uint8_t *detail, size_t len, uint32_t id, struct tm_pb_field *f)
{
    struct tm_pb pb = tm_pb_of(detail, len);
    while (tm_pb_next(&pb, f) == TM_OK)
        if (f->id == id && f->type == TM_PB_LEN)
            return true;
    return false;
}

bool tm_model_inner_time(const uint8_t *detail, size_t len, int64_t *ns)
{
    struct tm_pb_field part, f;
    uint64_t value = 0, state = 0;
    if (!tm_model_part(detail, len, TM_DETAIL_INNER_TIMES, &part))
        return false;
    struct tm_pb pb = tm_pb_of(part.data, part.len);
    while (tm_pb_next(&pb, &f) == TM_OK) {
        value = f.id == TM_INNER_TIME_VALUE ? f.value : value;
        state = f.id == TM_INNER_TIME_STATE ? f.value : state;
    }
    if (state == TM_INNER_TIME_CONVERTED)
        *ns = (int64_t)value;
    return state == TM_INNER_TIME_CONVERTED;
}
