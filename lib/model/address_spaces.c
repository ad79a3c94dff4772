/* Whose memory a counter tells. A task tells that of its own address space, or changes that of another. Rules:
 * importers/ftrace/rss_stat_tracker.cc of Perfetto. */
#include "model/internal.h"

#include "base/pb.h"
#include "kernel/rss_members.h"
#include "stream/detail_fields.h"

static bool address_space(const struct tm_event *e, uint64_t *number)
{
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == TM_DETAIL_ADDRESS_SPACE && f.type == TM_PB_VARINT) {
            *number = f.value;
            return true;
        }
    return false;
}

enum tm_status tm_model_memory_owner(struct tm_model *m, struct tm_model_event *ev, int64_t *utid,
                                     struct tm_error *err)
{
    uint64_t number;
    bool has_number = address_space(ev->e, &number);
    if (!has_number || number & 1) {
        enum tm_status st = tm_model_thread(m, ev, err);
        *utid = ev->utid;
        if (st < 0 || !has_number)
            return st;
    }
    const struct tm_key key = {(uint64_t)ev->place.file << 32 | ev->place.machine, number >> 1, 0};
    if (number & 1)
        return m->address_spaces.count < TM_ADDRESS_SPACES_MAX ||
                       tm_table_find(&m->address_spaces, &key) != TM_TABLE_NONE
                   ? tm_table_set(&m->address_spaces, &key, *utid, err)
                   : TM_OK;
    if ((*utid = tm_table_find(&m->address_spaces, &key)) == TM_TABLE_NONE)
        return TM_END;
    if (tm_processes_is_alive(&m->processes, *utid))
        return TM_OK;
    tm_table_remove(&m->address_spaces, &key);
    return TM_END;
}
