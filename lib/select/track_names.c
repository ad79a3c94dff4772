#include "select/track_names.h"

#include "base/pb.h"
#include "stream/detail_fields.h"

#include <stdlib.h>

struct tm_track_name {
    uint64_t parent;
    int64_t tid, pid;
    uint32_t name; /* plus one; 0 none */
    bool has_parent, has_tid, has_pid, is_thread;
};

void tm_track_names_init(struct tm_track_names *t)
{
    *t = (struct tm_track_names){0};
    tm_intern_init(&t->names, TM_TRACK_NAMES_MAX, TM_TRACK_NAME_BYTES_MAX);
}

static struct tm_track_name *find(const struct tm_track_names *t, uint32_t file, uint64_t uuid)
{
    struct tm_key key = {file, uuid, 0};
    int64_t i = tm_table_find(&t->by_uuid, &key);
    return i == TM_TABLE_NONE ? NULL : &t->rows[i];
}

static enum tm_status need(struct tm_track_names *t, uint32_t file, uint64_t uuid, struct tm_track_name **row,
                           struct tm_error *err)
{
    struct tm_key key = {file, uuid, 0};
    enum tm_status st;
    if ((*row = find(t, file, uuid)) != NULL)
        return TM_OK;
    if (t->count >= TM_TRACK_NAMES_MAX)
        return TM_END;
    if ((st = tm_array_grow(&t->rows, &t->cap, t->count, sizeof *t->rows, err)) < 0 ||
        (st = tm_table_set(&t->by_uuid, &key, t->count, err)) < 0)
        return st;
    *row = &t->rows[t->count++];
    **row = (struct tm_track_name){0};
    return TM_OK;
}

enum tm_status tm_track_names_learn(struct tm_track_names *t, const struct tm_event *e, uint64_t *uuid,
                                    struct tm_error *err)
{
    struct tm_pb detail = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_pb_field f, name = {0};
    struct tm_track_name stated = {
        .has_tid = e->flags & TM_EVENT_HAS_TID, .has_pid = e->flags & TM_EVENT_HAS_PID, .tid = e->tid, .pid = e->pid};
    *uuid = e->track;
    while (tm_pb_next(&detail, &f) == TM_OK) {
        if (f.id != TM_DETAIL_TRACK || f.type != TM_PB_LEN)
            continue;
        struct tm_pb track = tm_pb_of(f.data, f.len);
        while (tm_pb_next(&track, &f) == TM_OK) {
            if (f.id == TM_TRACK_DESCRIPTION_UUID && f.type == TM_PB_I64) {
                *uuid = f.value;
            } else if (f.id == TM_TRACK_DESCRIPTION_PARENT_UUID && f.type == TM_PB_I64) {
                stated.has_parent = true;
                stated.parent = f.value;
            } else if (f.id == TM_TRACK_DESCRIPTION_IS_THREAD && f.type == TM_PB_VARINT) {
                stated.is_thread = f.value && stated.has_tid;
            } else if (f.id == TM_TRACK_DESCRIPTION_NAME && f.type == TM_PB_LEN) {
                name = f;
            }
        }
    }
    struct tm_track_name *row;
    enum tm_status st = need(t, e->file, *uuid, &row, err);
    if (st != TM_OK)
        return st < 0 ? st : TM_OK;
    stated.name = row->name;
    *row = stated;
    if (name.len == 0)
        return TM_OK;
    uint32_t id;
    if ((st = tm_intern_add(&t->names, name.data, name.len, &id, NULL)) == TM_OK)
        row->name = id + 1;
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

struct tm_text tm_track_names_find(const struct tm_track_names *t, uint32_t file, uint64_t uuid)
{
    const struct tm_track_name *row = find(t, file, uuid);
    size_t len;
    if (row == NULL || row->name == 0)
        return (struct tm_text){0};
    const uint8_t *data = tm_intern_get(&t->names, row->name - 1, &len);
    return (struct tm_text){data, len};
}

bool tm_track_names_parent(const struct tm_track_names *t, uint32_t file, uint64_t uuid, uint64_t *parent)
{
    const struct tm_track_name *row = find(t, file, uuid);
    if (row == NULL || !row->has_parent)
        return false;
    *parent = row->parent;
    return true;
}

bool tm_track_names_is_thread(const struct tm_track_names *t, uint32_t file, uint64_t uuid, int64_t *tid)
{
    const struct tm_track_name *row = find(t, file, uuid);
    if (row == NULL || !row->is_thread)
        return false;
    *tid = row->tid;
    return true;
}

struct tm_task_ids tm_track_names_owner(const struct tm_track_names *t, uint32_t file, uint64_t uuid)
{
    const struct tm_track_name *row = find(t, file, uuid);
    for (int depth = 1; row && !row->has_tid && !row->has_pid; depth++)
        row = row->has_parent && depth < TM_TRACK_DEPTH_MAX ? find(t, file, row->parent) : NULL;
    struct tm_task_ids owner = {0};
    if (row)
        owner = (struct tm_task_ids){row->has_tid, row->has_pid, row->tid, row->pid};
    return owner;
}

bool tm_track_names_thread(const struct tm_track_names *t, uint32_t file, uint64_t uuid, int64_t *tid)
{
    struct tm_task_ids owner = tm_track_names_owner(t, file, uuid);
    *tid = owner.tid;
    return owner.has_tid;
}

void tm_track_names_release(struct tm_track_names *t)
{
    tm_table_release(&t->by_uuid);
    free(t->rows);
    tm_intern_release(&t->names);
    *t = (struct tm_track_names){0};
}
