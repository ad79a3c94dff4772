#include "emit/chrome_json/kernel_threads.h"

#include "base/hash.h"
#include "kernel/tracks.h"

enum tm_status tm_json_kernel_threads_process(struct tm_json_kernel_threads *kernel, const struct tm_event *e,
                                              int64_t *pid, struct tm_error *err)
{
    enum tm_status st = tm_json_pids_find(kernel->metadata->pids, e->machine, TM_JSON_KERNEL_PID, pid, err);
    if (st == TM_OK)
        st = tm_json_metadata_label(kernel->metadata, e, *pid, err);
    return st < 0 ? st : tm_json_metadata_name(kernel->metadata, *pid, NULL, tm_text_str("Kernel"), err);
}

static enum tm_status write_names(struct tm_json_kernel_threads *kernel, const struct tm_event *e,
                                  enum tm_kernel_track track, int64_t tid, struct tm_error *err)
{
    char text[TM_KERNEL_TRACK_NAME_MAX];
    struct tm_text name = tm_kernel_track_name(track, tm_kernel_track_instance(e), text);
    int64_t pid = 0;
    enum tm_status st = tm_json_kernel_threads_process(kernel, e, &pid, err);
    if (tm_kernel_track_is_called_as_slices(track))
        name = tm_json_writer_string(kernel->metadata->writer, e->name, e);
    if (name.data == NULL)
        name = tm_text_str(tm_kernel_track_type(track));
    return st < 0 ? st : tm_json_metadata_name(kernel->metadata, pid, &tid, name, err);
}

enum tm_status tm_json_kernel_threads_find(struct tm_json_kernel_threads *kernel, const struct tm_event *e,
                                           struct tm_event_task *place, struct tm_error *err)
{
    enum tm_kernel_track track = tm_kernel_track_of(e);
    uint64_t key = tm_hash_u64(tm_hash_u64(e->machine) ^ e->track);
    uint32_t number;
    if (track == TM_KERNEL_TRACK_NONE)
        return TM_OK;
    if (tm_kernel_track_scope(track) == TM_TRACK_THREAD) {
        place->is_below = true;
        return TM_OK;
    }
    bool is_new = !tm_map_find(&kernel->tids, key, &number);
    if (is_new) {
        number = kernel->tids.count + 1;
        if (tm_map_set(&kernel->tids, key, number) != TM_OK)
            return tm_error_nomem(err);
    }
    *place = (struct tm_event_task){.has_pid = true, .pid = TM_JSON_KERNEL_PID, .has_tid = true, .tid = number};
    return is_new ? write_names(kernel, e, track, number, err) : TM_OK;
}

void tm_json_kernel_threads_release(struct tm_json_kernel_threads *kernel)
{
    tm_map_release(&kernel->tids);
}
