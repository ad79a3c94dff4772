#include "model/address_spaces.h"

#include "base/pb.h"
#include "kernel/rss_members.h"
#include "stream/detail_fields.h"

bool tm_address_space_of(const struct tm_event *e, struct tm_address_space *space)
{
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == TM_DETAIL_ADDRESS_SPACE && f.type == TM_PB_VARINT) {
            *space = (struct tm_address_space){tm_place_of(e), f.value >> 1, f.value & 1};
            return true;
        }
    return false;
}

static struct tm_key key_of(const struct tm_address_space *space)
{
    return (struct tm_key){(uint64_t)space->place.file << 32 | space->place.machine, space->number, 0};
}

enum tm_status tm_address_spaces_note(struct tm_address_spaces *spaces, const struct tm_address_space *space,
                                      int64_t utid, struct tm_error *err)
{
    const struct tm_key key = key_of(space);
    if (spaces->threads.count >= TM_ADDRESS_SPACES_MAX && tm_table_find(&spaces->threads, &key) == TM_TABLE_NONE)
        return tm_model_stats_add(spaces->stats, space->place, TM_MODEL_LEFT_OUT, 1, err);
    return tm_table_set(&spaces->threads, &key, utid, err);
}

int64_t tm_address_spaces_find(const struct tm_address_spaces *spaces, const struct tm_address_space *space)
{
    const struct tm_key key = key_of(space);
    return tm_table_find(&spaces->threads, &key);
}

void tm_address_spaces_remove(struct tm_address_spaces *spaces, const struct tm_address_space *space)
{
    const struct tm_key key = key_of(space);
    tm_table_remove(&spaces->threads, &key);
}

void tm_address_spaces_release(struct tm_address_spaces *spaces)
{
    tm_table_release(&spaces->threads);
}
