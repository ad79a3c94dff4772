#include "emit/sqlite/internal.h"

#include "base/pb.h"
#include "model/track_dimensions.h"
#include "model/track_source.h"
#include "model/track_type.h"
#include "stream/detail_fields.h"

/* Binds the fields of DESCRIPTION, a MachineDescription, to their columns of the table machine. */
static enum tm_status bind_description(struct tm_sqlite *s, sqlite3_stmt *stmt, const struct tm_buf *description,
                                       struct tm_error *err)
{
    enum { FIRST_COLUMN = 3, NUM_CPUS = 6, RAM_BYTES = 10, NAME = 1, PAGE_SIZE_COLUMN = 14 };
    struct tm_pb pb = tm_pb_of(description->data, description->len);
    struct tm_pb_field f;
    for (uint32_t id = NAME + 1; id <= RAM_BYTES; id++)
        sqlite3_bind_null(stmt, (int)id + FIRST_COLUMN - 1);
    sqlite3_bind_null(stmt, PAGE_SIZE_COLUMN);
    while (tm_pb_next(&pb, &f) == TM_OK) {
        int column = (int)f.id + FIRST_COLUMN - 1;
        struct tm_text text = {f.data, f.len};
        if (f.id == TM_MACHINE_DESCRIPTION_PAGE_SIZE)
            sqlite3_bind_int64(stmt, PAGE_SIZE_COLUMN, (uint32_t)f.value);
        if (f.id == NAME || f.id > RAM_BYTES)
            continue;
        if (f.type == TM_PB_VARINT)
            sqlite3_bind_int64(stmt, column, f.id == NUM_CPUS ? (int64_t)f.value : tm_unzigzag(f.value));
        else if (f.type == TM_PB_LEN && text.data && tm_sqlite_bind_text(s, stmt, column, text, err) < 0)
            return err->status;
    }
    return TM_OK;
}

static enum tm_status put_machines(struct tm_sqlite *s, struct tm_error *err)
{
    const struct tm_catalog *c = s->context->catalog;
    sqlite3_stmt *stmt = s->statements[TM_SQL_MACHINE];
    int64_t label = 0;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st == TM_OK && i < c->machine_count; i++) {
        sqlite3_bind_int64(stmt, 1, i);
        sqlite3_bind_int64(stmt, 2, c->machines[i].raw_id);
        sqlite3_bind_int64(stmt, 13, c->machines[i].raw_id ? ++label : 0);
        if ((st = tm_sqlite_bind_text(s, stmt, 3, c->machines[i].name, err)) == TM_OK &&
            (st = bind_description(s, stmt, &s->model.tasks.machines[i].description, err)) == TM_OK)
            st = tm_sqlite_run(s, stmt, err);
    }
    return st;
}

static enum tm_status put_threads(struct tm_sqlite *s, struct tm_error *err)
{
    const struct tm_processes *p = &s->model.tasks.processes;
    struct tm_sqlite_record *r = &s->record;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st == TM_OK && i < p->thread_count; i++) {
        const struct tm_thread_row *t = &p->threads[i];
        tm_sqlite_record_begin(r);
        tm_sqlite_record_null(r);
        tm_sqlite_record_int(r, i);
        tm_sqlite_record_int(r, t->tid);
        tm_sqlite_put_text(s, tm_processes_text(p, t->name));
        tm_sqlite_record_maybe(r, t->has_start, t->start_ns);
        tm_sqlite_record_maybe(r, t->has_end, t->end_ns);
        tm_sqlite_record_id(r, t->upid);
        tm_sqlite_record_maybe(r, t->upid != TM_NO_ID, t->is_main);
        tm_sqlite_record_int(r, t->is_idle);
        tm_sqlite_record_int(r, t->machine);
        tm_sqlite_record_id(r, t->arg_set);
        st = tm_sqlite_btree_add(&s->threads, i, r, err);
    }
    return st;
}

static enum tm_status put_processes(struct tm_sqlite *s, struct tm_error *err)
{
    const struct tm_processes *p = &s->model.tasks.processes;
    enum { UIDS_A_USER = 100000 };
    struct tm_sqlite_record *r = &s->record;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st == TM_OK && i < p->process_count; i++) {
        const struct tm_process *process = &p->processes[i];
        tm_sqlite_record_begin(r);
        tm_sqlite_record_null(r);
        tm_sqlite_record_int(r, i);
        tm_sqlite_record_int(r, process->pid);
        tm_sqlite_put_text(s, tm_processes_text(p, process->name));
        tm_sqlite_record_maybe(r, process->has_start, process->start_ns);
        tm_sqlite_record_maybe(r, process->has_end, process->end_ns);
        tm_sqlite_record_id(r, process->parent);
        tm_sqlite_record_maybe(r, process->has_uid, process->uid);
        tm_sqlite_put_text(s, tm_processes_text(p, process->cmdline));
        tm_sqlite_record_id(r, process->arg_set);
        tm_sqlite_record_int(r, process->machine);
        tm_sqlite_record_maybe(r, process->has_uid, process->uid % UIDS_A_USER);
        tm_sqlite_record_maybe(r, process->has_uid, process->uid / UIDS_A_USER);
        st = tm_sqlite_btree_add(&s->processes, i, r, err);
    }
    return st;
}

static struct tm_column_type type_of(const struct tm_sqlite *s, const struct tm_track *t)
{
    return tm_column_type_of(t, tm_tracks_text(&s->model.layout.tracks, t->name),
                             s->context->catalog->files[t->file].input_type);
}

/* Notes that TRACK turned out to be SAME_AS. It has no row of its own. */
static enum tm_status put_same_track(struct tm_sqlite *s, uint32_t track, int32_t same_as, struct tm_error *err)
{
    sqlite3_stmt *stmt = s->statements[TM_SQL_TRACK_SAME];
    s->has_same_track = true;
    sqlite3_bind_int64(stmt, 1, track);
    sqlite3_bind_int64(stmt, 2, same_as);
    return tm_sqlite_run(s, stmt, err);
}

/* Returns the GPU that TRACK belongs to or is about, or TM_NO_ID. */
static int64_t gpu_of(const struct tm_track *track)
{
    return track->scope == TM_TRACK_GPU ? track->owner : track->gpu;
}

static enum tm_status put_tracks(struct tm_sqlite *s, struct tm_error *err)
{
    const struct tm_tracks *tracks = &s->model.layout.tracks;
    struct tm_sqlite_record *r = &s->record;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st == TM_OK && i < tracks->count; i++) {
        const struct tm_track *t = &tracks->rows[i];
        if (t->same_as != TM_NO_ID) {
            st = put_same_track(s, i, t->same_as, err);
            continue;
        }
        struct tm_column_type type = type_of(s, t);
        tm_sqlite_record_begin(r);
        tm_sqlite_record_null(r);
        tm_sqlite_put_text(s, tm_tracks_text(tracks, t->name));
        tm_sqlite_put_word(s, type.text);
        tm_sqlite_record_id(r, t->parent);
        tm_sqlite_record_id(r, t->arg_set);
        tm_sqlite_record_id(r, t->dimension_set);
        tm_sqlite_record_int(r, t->machine);
        tm_sqlite_record_int(r, t->file);
        tm_sqlite_record_int(r, t->is_counter);
        tm_sqlite_put_text(s, type.unit ? tm_text_str(type.unit) : tm_tracks_text(tracks, t->unit));
        tm_sqlite_record_maybe(r, t->scope == TM_TRACK_THREAD, t->owner);
        tm_sqlite_record_maybe(r, t->scope == TM_TRACK_PROCESS, t->owner);
        tm_sqlite_record_maybe(r, t->scope == TM_TRACK_CPU, t->owner);
        tm_sqlite_record_id(r, gpu_of(t));
        tm_sqlite_put_text(s, tm_tracks_text(tracks, t->description));
        st = tm_sqlite_btree_add(&s->tracks, i, r, err);
    }
    return st;
}

static enum tm_status put_cpus(struct tm_sqlite *s, struct tm_error *err)
{
    sqlite3_stmt *stmt = s->statements[TM_SQL_CPU];
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st == TM_OK && i < s->model.tasks.sched.cpu_count; i++) {
        const struct tm_cpu_row *cpu = &s->model.tasks.sched.cpus[i];
        sqlite3_bind_int64(stmt, 1, tm_ucpu(cpu->machine, cpu->cpu));
        sqlite3_bind_int64(stmt, 2, cpu->cpu);
        sqlite3_bind_int64(stmt, 3, cpu->cluster);
        sqlite3_bind_int64(stmt, 5, cpu->machine);
        tm_sqlite_bind_maybe(stmt, 6, cpu->has_capacity, cpu->capacity);
        tm_sqlite_bind_id(stmt, 7, cpu->arg_set);
        if ((st = tm_sqlite_bind_text(s, stmt, 4, tm_sched_text(&s->model.tasks.sched, cpu->processor), err)) == TM_OK)
            st = tm_sqlite_run(s, stmt, err);
    }
    return st;
}

/* Writes the GPUs that a machine describes, and those that only have tracks. */
static enum tm_status put_gpus(struct tm_sqlite *s, struct tm_error *err)
{
    enum { FIRST_TEXT = 4 };
    const struct tm_tracks *tracks = &s->model.layout.tracks;
    struct tm_gpus *gpus = &s->model.tasks.gpus;
    sqlite3_stmt *stmt = s->statements[TM_SQL_GPU];
    struct tm_gpu_row *gpu;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st == TM_OK && i < tracks->count; i++) {
        const struct tm_track *t = &tracks->rows[i];
        if (gpu_of(t) != TM_NO_ID)
            st = tm_gpus_get(gpus, (struct tm_place){t->file, t->machine}, (uint32_t)gpu_of(t), &gpu, err);
    }
    for (uint32_t i = 0; st == TM_OK && i < gpus->count; i++) {
        gpu = &gpus->rows[i];
        sqlite3_bind_int64(stmt, 1, tm_ucpu(gpu->machine, gpu->gpu));
        sqlite3_bind_int64(stmt, 2, gpu->gpu);
        sqlite3_bind_int64(stmt, 3, gpu->machine);
        for (int text = 0; st == TM_OK && text < TM_GPU_TEXTS; text++)
            st = tm_sqlite_bind_text(s, stmt, FIRST_TEXT + text, tm_gpus_text(gpus, gpu->texts[text]), err);
        tm_sqlite_bind_id(stmt, FIRST_TEXT + TM_GPU_TEXTS, gpu->arg_set);
        if (st == TM_OK)
            st = tm_sqlite_run(s, stmt, err);
    }
    return st;
}

/* Adds a row with COUNT of statistic NAME, of FILE. The caller has bound its severity and machine. */
static enum tm_status put_count(struct tm_sqlite *s, const char *name, uint32_t file, uint64_t count,
                                struct tm_error *err)
{
    sqlite3_stmt *stmt = s->statements[TM_SQL_STAT];
    tm_sqlite_bind_word(stmt, 1, name);
    sqlite3_bind_null(stmt, 2);
    tm_sqlite_bind_stat_words(stmt, tm_text_str(name), false);
    sqlite3_bind_int64(stmt, 5, (int64_t)count);
    sqlite3_bind_int64(stmt, 7, file);
    return tm_sqlite_run(s, stmt, err);
}

/* Adds what the settled rows and the model have left out beyond their limits, by file. */
static enum tm_status put_left_out(struct tm_sqlite *s, struct tm_error *err)
{
    struct tm_unsupported_counts *counts = s->context->unsupported;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < s->model.out.stats.count; i++) {
        const struct tm_model_stat_row *row = &s->model.out.stats.rows[i];
        tm_unsupported_counts_add(counts, row->place.file, TM_UNSUPPORTED_FACTS, row->counts[TM_MODEL_LEFT_OUT]);
    }
    for (uint32_t i = 0; st == TM_OK && counts && i < counts->file_count; i++) {
        const uint64_t count = counts->files[i].others[TM_UNSUPPORTED_FACTS];
        if (count == 0)
            continue;
        tm_sqlite_bind_word(s->statements[TM_SQL_STAT], 3, "data_loss");
        sqlite3_bind_null(s->statements[TM_SQL_STAT], 6);
        st = put_count(s, "facts_beyond_limits", i, count, err);
    }
    return st;
}

static enum tm_status put_stats(struct tm_sqlite *s, struct tm_error *err)
{
    sqlite3_stmt *stmt = s->statements[TM_SQL_STAT];
    enum tm_status st = put_left_out(s, err);
    for (uint32_t i = 0; st == TM_OK && i < s->model.out.stats.count * TM_MODEL_STAT_COUNT; i++) {
        const struct tm_model_stat_row *row = &s->model.out.stats.rows[i / TM_MODEL_STAT_COUNT];
        enum tm_model_stat stat = (enum tm_model_stat)(i % TM_MODEL_STAT_COUNT);
        if (row->counts[stat] == 0 || stat == TM_MODEL_LEFT_OUT)
            continue;
        tm_sqlite_bind_word(stmt, 3, tm_model_stat_severity(stat));
        sqlite3_bind_int64(stmt, 6, row->place.machine);
        st = put_count(s, tm_model_stat_name(stat), row->place.file, row->counts[stat], err);
    }
    return st;
}

/* Dimensions and sources of tracks are args, so they are written before the rest of the model. */
enum tm_status tm_sqlite_put_dimensions(struct tm_sqlite *s, struct tm_error *err)
{
    struct tm_tracks *tracks = &s->model.layout.tracks;
    struct tm_buf detail = {0};
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st == TM_OK && i < tracks->count; i++) {
        struct tm_track *t = &tracks->rows[i];
        struct tm_column_type type = type_of(s, t);
        if (t->same_as != TM_NO_ID)
            continue;
        tm_buf_clear(&detail);
        if (tm_track_dimensions(tracks, t, &type, &detail) < 0)
            st = tm_error_nomem(err);
        else
            st = tm_arg_sets_add(&s->model.out.arg_sets, detail.data, detail.len, &t->dimension_set, err);
        if (st < 0)
            break;
        tm_buf_clear(&detail);
        if (tm_track_source(tracks, t, s->context->catalog->files[t->file].input_type, &detail) < 0)
            st = tm_error_nomem(err);
        else
            st = tm_arg_sets_add(&s->model.out.arg_sets, detail.data, detail.len, &t->arg_set, err);
    }
    tm_buf_release(&detail);
    return st;
}

enum tm_status tm_sqlite_put_model(struct tm_sqlite *s, struct tm_error *err)
{
    sqlite3_stmt *stmt = s->statements[TM_SQL_BOUNDS];
    enum tm_status st = put_machines(s, err);
    if (st == TM_OK)
        st = put_threads(s, err);
    if (st == TM_OK)
        st = put_processes(s, err);
    if (st == TM_OK)
        st = put_tracks(s, err);
    if (st == TM_OK)
        st = put_cpus(s, err);
    if (st == TM_OK)
        st = put_gpus(s, err);
    if (st == TM_OK)
        st = put_stats(s, err);
    if (st < 0)
        return st;
    const struct tm_row_bounds *bounds = &s->model.out.bounds;
    bool is_single = bounds->has_rows && bounds->first_ns == bounds->last_ns && bounds->last_ns < INT64_MAX;
    sqlite3_bind_int64(stmt, 1, bounds->first_ns);
    sqlite3_bind_int64(stmt, 2, bounds->last_ns + is_single); /* a trace with a single time lasts a nanosecond */
    return tm_sqlite_run(s, stmt, err);
}
