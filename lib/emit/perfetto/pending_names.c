#include "emit/perfetto/pending_names.h"

#include "base/table.h"
#include "base/hash.h"

#include <stdlib.h>

/* Returns the key of the process (IS_THREAD: of the thread, in any process) with NUMBER in its present lifetime. */
static uint64_t number_key(const struct tm_track_owners *owners, int64_t raw_id, bool is_thread, int64_t number)
{
    struct tm_track_task task =
        tm_track_task_of(owners, raw_id, is_thread, is_thread ? INT64_MIN : number, number);
    return tm_hash_u64(task.key + task.life) | 1;
}

static uint64_t process_key(struct tm_track_task task)
{
    return tm_hash_u64(task.key + task.life);
}

static struct tm_pending_name *add_row(struct tm_pending_name **rows, uint32_t *count, uint32_t *cap)
{
    if (tm_array_grow(rows, cap, *count, sizeof **rows, NULL) < 0)
        return NULL;
    return &(*rows)[(*count)++];
}

enum tm_status tm_pending_names_add(struct tm_pending_names *names, const struct tm_track_owners *owners,
                                    struct tm_pending_name name, const uint8_t *text, size_t len)
{
    bool is_thread = name.owner.flags & TM_EVENT_HAS_TID;
    if ((name.is_repeated ? names->repeated_count : names->last_count) >= TM_PENDING_NAMES_MAX)
        return TM_END;
    struct tm_pending_name *row = name.is_repeated
                                      ? add_row(&names->repeated, &names->repeated_count, &names->repeated_cap)
                                      : add_row(&names->last, &names->last_count, &names->last_cap);
    if (row == NULL)
        return TM_E_SYSTEM;
    *row = name;
    row->text = names->texts.len;
    row->len = len;
    if (tm_buf_add(&names->texts, text, len) != TM_OK)
        return TM_E_SYSTEM;
    if (name.is_repeated)
        return tm_map_set(&names->by_process, process_key(name.task), names->repeated_count);
    row->number = number_key(owners, name.raw_id, is_thread, is_thread ? name.owner.tid : name.owner.pid);
    return TM_OK;
}

enum tm_status tm_pending_names_note(struct tm_pending_names *names, const struct tm_track_owners *owners,
                                     int64_t raw_id, bool is_thread, int64_t number)
{
    return tm_map_add(&names->named, number_key(owners, raw_id, is_thread, number), 0) < 0 ? TM_E_SYSTEM : TM_OK;
}

const struct tm_pending_name *tm_pending_names_next(struct tm_pending_names *names)
{
    while (names->next < names->last_count) {
        const struct tm_pending_name *name = &names->last[names->next++];
        if (!tm_map_find(&names->named, name->number, &(uint32_t){0}))
            return name;
    }
    return NULL;
}

const struct tm_pending_name *tm_pending_names_process(const struct tm_pending_names *names, struct tm_track_task task)
{
    uint32_t number;
    return tm_map_find(&names->by_process, process_key(task), &number) ? &names->repeated[number - 1] : NULL;
}

const uint8_t *tm_pending_names_text(const struct tm_pending_names *names, const struct tm_pending_name *name,
                                     size_t *len)
{
    *len = name->len;
    return names->texts.data + name->text;
}

void tm_pending_names_release(struct tm_pending_names *names)
{
    free(names->last);
    free(names->repeated);
    tm_map_release(&names->by_process);
    tm_buf_release(&names->texts);
    tm_map_release(&names->named);
    *names = (struct tm_pending_names){0};
}
