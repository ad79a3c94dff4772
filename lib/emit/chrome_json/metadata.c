#include "emit/chrome_json/metadata.h"

#include "base/hash.h"
#include "base/pb.h"
#include "base/table.h"
#include "emit/paths.h"
#include "stream/detail_fields.h"

#include <stdlib.h>

enum { TASK_NAMES_MAX = 1 << 23 }; /* of processes and of threads */

/* Returns the key in NAMED of a process (TID NULL) or thread. */
static uint64_t name_key(int64_t pid, const int64_t *tid)
{
    return tm_hash_three((uint64_t)pid, tid ? (uint64_t)*tid : 0, tid ? 1 : 2);
}

static void note_change(struct tm_json_metadata *m, int64_t pid)
{
    m->counts->counts[tm_json_metadata_count(pid)]++;
}

static void put_metadata(struct tm_json_metadata *m, const char *what, int64_t pid, int64_t tid)
{
    tm_json_writer_next(m->writer);
    tm_out_str(&m->writer->out, "{\"ph\":\"M\",\"name\":\"");
    tm_out_str(&m->writer->out, what);
    tm_out_str(&m->writer->out, "\",\"pid\":");
    tm_out_i64(&m->writer->out, pid);
    tm_out_str(&m->writer->out, ",\"tid\":");
    tm_out_i64(&m->writer->out, tid);
    tm_out_str(&m->writer->out, ",\"args\":{");
}

/* Sets the scratch to the label of a process that E belongs to: its machine, its file and, if MOVED_FROM is not NULL,
 * its pid in the input. */
static enum tm_status make_label(struct tm_json_metadata *m, const struct tm_event *e, const int64_t *moved_from)
{
    const struct tm_catalog *c = m->writer->context->catalog;
    const struct tm_text machine = c->machines[e->machine].name;
    char path[TM_PATH_TEXT_MAX];
    tm_catalog_path(c, e->file, path, sizeof path);
    tm_buf_clear(&m->scratch);
    if ((machine.data &&
         (tm_buf_add(&m->scratch, machine.data, machine.len) < 0 || tm_buf_add_str(&m->scratch, ", ") < 0)) ||
        tm_buf_add_str(&m->scratch, path) < 0)
        return TM_E_SYSTEM;
    if (moved_from == NULL || tm_json_is_text_number(*moved_from))
        return TM_OK;
    return tm_buf_addf(&m->scratch, ", pid %lld", (long long)*moved_from);
}

/* Adds OUT_PID to the processes with a label, with the order of E's file. */
static enum tm_status add_process(struct tm_json_metadata *m, const struct tm_event *e, int64_t out_pid,
                                  struct tm_error *err)
{
    const struct tm_catalog_file *file = &m->writer->context->catalog->files[e->file];
    if (tm_array_grow(&m->processes, &m->process_cap, m->process_count, sizeof *m->processes, err) < 0)
        return TM_E_SYSTEM;
    m->processes[m->process_count++] = (struct tm_json_process){out_pid, file->processing_order};
    return TM_OK;
}

enum tm_status tm_json_metadata_label(struct tm_json_metadata *m, const struct tm_event *e, int64_t out_pid,
                                      struct tm_error *err)
{
    uint64_t process = tm_hash_three(0, (uint64_t)out_pid, 1);
    uint64_t source = tm_hash_three(0, (uint64_t)out_pid, (uint64_t)e->file + 2);
    uint32_t mark;
    int64_t was;
    if (tm_map_find(&m->labelled, source, &mark))
        return TM_OK;
    bool is_moved = tm_json_pids_is_moved(m->pids, out_pid, &was) && was != TM_JSON_CPUS_PID &&
                    was != TM_JSON_KERNEL_PID;
    if (!m->inputs->are_named && !is_moved)
        return TM_OK;
    bool is_first = !tm_map_find(&m->labelled, process, &mark);
    if (tm_map_set(&m->labelled, source, 1) != TM_OK || tm_map_set(&m->labelled, process, 1) != TM_OK ||
        make_label(m, e, is_moved ? &was : NULL) != TM_OK)
        return tm_error_nomem(err);
    put_metadata(m, "process_labels", out_pid, 0);
    tm_out_str(&m->writer->out, "\"labels\":");
    tm_out_json(&m->writer->out, (struct tm_text){m->scratch.data, m->scratch.len});
    tm_out_str(&m->writer->out, "}}");
    if (is_first && add_process(m, e, out_pid, err) < 0)
        return TM_E_SYSTEM;
    return tm_out_end_row(&m->writer->out, err);
}

enum tm_status tm_json_metadata_note_sorted(struct tm_json_metadata *m, const struct tm_event *e, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_pb_field f, g;
    int64_t pid = 0;
    enum tm_status st = TM_OK;
    while (st == TM_OK && e->kind == TM_KIND_PROCESS && tm_pb_next(&pb, &f) == TM_OK) {
        struct tm_pb within = tm_pb_of(f.data, f.id == TM_DETAIL_PROCESS && f.type == TM_PB_LEN ? f.len : 0);
        while (st == TM_OK && tm_pb_next(&within, &g) == TM_OK)
            if (g.id == TM_PROCESS_DESCRIPTION_SORT_INDEX &&
                (st = tm_json_pids_find(m->pids, e->machine, e->pid, &pid, err)) == TM_OK)
                st = tm_map_set(&m->sorted, (uint64_t)pid, 1) < 0 ? tm_error_nomem(err) : TM_OK;
    }
    return st;
}

enum tm_status tm_json_metadata_sort(struct tm_json_metadata *m, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    uint32_t there;
    for (uint32_t i = 0; i < m->process_count && st == TM_OK; i++) {
        if (tm_map_find(&m->sorted, (uint64_t)m->processes[i].pid, &there))
            continue;
        put_metadata(m, "process_sort_index", m->processes[i].pid, 0);
        tm_out_str(&m->writer->out, "\"sort_index\":");
        tm_out_u64(&m->writer->out, m->processes[i].order);
        tm_out_str(&m->writer->out, "}}");
        st = tm_out_end_row(&m->writer->out, err);
    }
    return st;
}

enum tm_status tm_json_metadata_name(struct tm_json_metadata *m, int64_t pid, const int64_t *tid, struct tm_text name,
                                     struct tm_error *err)
{
    uint64_t key = name_key(pid, tid);
    uint32_t last, hash = (uint32_t)tm_hash64(name.data ? (const void *)name.data : "", name.len);
    const bool is_named = tm_map_find(&m->named, key, &last);
    if (name.data == NULL || (is_named && last == hash))
        return TM_OK;
    if (!is_named && m->named.count >= TASK_NAMES_MAX)
        return tm_error_set(err, TM_E_INPUT, "names of more than %d threads and processes", TASK_NAMES_MAX);
    if (tm_map_set(&m->named, key, hash) != TM_OK)
        return tm_error_nomem(err);
    if (is_named)
        note_change(m, pid);
    put_metadata(m, tid ? "thread_name" : "process_name", pid, tid ? *tid : 0);
    tm_out_str(&m->writer->out, "\"name\":");
    tm_out_json(&m->writer->out, name);
    tm_out_str(&m->writer->out, "}}");
    return tm_out_end_row(&m->writer->out, err);
}

/* Removes the last name of a process (TID NULL) or thread. */
static bool remove_name(struct tm_json_metadata *m, int64_t pid, const int64_t *tid)
{
    uint64_t key = name_key(pid, tid);
    uint32_t last;
    note_change(m, pid);
    return !tm_map_find(&m->named, key, &last) || tm_map_set(&m->named, key, ~last) == TM_OK;
}

enum tm_status tm_json_metadata_name_text(struct tm_json_metadata *m, const struct tm_event *e, struct tm_error *err)
{
    bool is_thread = e->kind == TM_KIND_THREAD;
    const uint32_t name = is_thread ? TM_THREAD_DESCRIPTION_NAME : TM_PROCESS_DESCRIPTION_NAME;
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_pb_field f, g;
    int64_t pid = 0;
    if ((!is_thread && e->kind != TM_KIND_PROCESS) || !tm_json_is_text_number(is_thread ? e->tid : e->pid))
        return TM_OK;
    enum tm_status st = tm_json_pids_find(m->pids, e->machine, e->pid, &pid, err);
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        struct tm_pb within = tm_pb_of(f.data, f.type == TM_PB_LEN ? f.len : 0);
        if (f.id != (is_thread ? TM_DETAIL_THREAD : TM_DETAIL_PROCESS))
            continue;
        while (st == TM_OK && tm_pb_next(&within, &g) == TM_OK) {
            if (g.id != name || g.type != TM_PB_LEN)
                continue;
            if (tm_event_raw(e->flags) == TM_RAW_JSON && !remove_name(m, pid, is_thread ? &e->tid : NULL))
                return tm_error_nomem(err); /* the object gave another name */
            st = tm_json_metadata_name(m, pid, is_thread ? &e->tid : NULL, (struct tm_text){g.data, g.len}, err);
        }
    }
    return st;
}

bool tm_json_metadata_is_named(const struct tm_json_metadata *m, int64_t pid, int64_t tid)
{
    uint32_t last;
    return tm_map_find(&m->named, name_key(pid, &tid), &last);
}

void tm_json_metadata_release(struct tm_json_metadata *m)
{
    tm_map_release(&m->labelled);
    tm_map_release(&m->sorted);
    tm_map_release(&m->named);
    free(m->processes);
    tm_buf_release(&m->scratch);
}
