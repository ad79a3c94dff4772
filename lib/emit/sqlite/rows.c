#include "emit/sqlite/internal.h"

#include <stdlib.h>

static enum tm_status flow(void *self, int64_t slice_out, int64_t slice_in, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    struct tm_sqlite_record *r = &s->record;
    tm_sqlite_record_begin(r);
    tm_sqlite_record_null(r);
    tm_sqlite_record_int(r, slice_out);
    tm_sqlite_record_int(r, slice_in);
    return tm_sqlite_btree_add(&s->flows, s->next_flow++, r, err);
}

/* Returns the reference's word for the log that ROW comes from; NULL: it has none. */
static const char *log_source(const struct tm_log_row *row)
{
    if (row->syslog_priority != TM_NO_ID)
        return "systemd_journald";
    switch (row->input_type) {
    case TM_INPUT_PROTO:
    case TM_INPUT_ANDROID_LOGCAT:
    case TM_INPUT_ANDROID_DUMPSTATE:
        return "android_logcat";
    default:
        return NULL;
    }
}

static enum tm_status log_line(void *self, const struct tm_log_row *row, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    struct tm_sqlite_record *r = &s->record;
    tm_sqlite_record_begin(r);
    tm_sqlite_record_null(r);
    tm_sqlite_record_int(r, row->ts);
    tm_sqlite_record_id(r, row->utid);
    tm_sqlite_record_int(r, row->priority);
    tm_sqlite_put_text(s, row->tag);
    tm_sqlite_put_text(s, row->message);
    tm_sqlite_record_id(r, row->arg_set);
    tm_sqlite_put_word(s, log_source(row));
    tm_sqlite_record_id(r, row->syslog_priority);
    return tm_sqlite_btree_add(&s->logs, s->next_log++, r, err);
}

static enum tm_status cpu_frequency(void *self, int64_t ucpu, uint32_t khz, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    sqlite3_stmt *stmt = s->statements[TM_SQL_CPU_FREQUENCY];
    sqlite3_bind_int64(stmt, 1, s->next_frequency++);
    sqlite3_bind_int64(stmt, 2, ucpu % TM_CPUS_A_MACHINE);
    sqlite3_bind_int64(stmt, 3, khz);
    sqlite3_bind_int64(stmt, 4, ucpu);
    return tm_sqlite_run(s, stmt, err);
}

static enum tm_status mapping(void *self, const struct tm_mapping_row *row, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    sqlite3_stmt *stmt = s->statements[TM_SQL_MAPPING];
    struct tm_text build_id = row->build_id.data ? row->build_id : tm_text_str("");
    sqlite3_bind_int64(stmt, 1, row->id);
    enum tm_status st = tm_sqlite_bind_text(s, stmt, 2, build_id, err);
    if (st == TM_OK)
        st = tm_sqlite_bind_text(s, stmt, 8, row->name, err);
    sqlite3_bind_int64(stmt, 3, (int64_t)row->exact_offset);
    sqlite3_bind_int64(stmt, 4, (int64_t)row->start_offset);
    sqlite3_bind_int64(stmt, 5, (int64_t)row->start);
    sqlite3_bind_int64(stmt, 6, (int64_t)row->end);
    sqlite3_bind_int64(stmt, 7, (int64_t)row->load_bias);
    return st < 0 ? st : tm_sqlite_run(s, stmt, err);
}

/* True if ROW has a source position, which becomes a symbol of the frame. */
/* As in the reference importer, a frame that has no place in memory is a symbol, whatever is known of it. */
static bool has_symbol(const struct tm_frame_row *row)
{
    return row->file.data || row->has_line || !row->has_place;
}

static enum tm_status symbol(struct tm_sqlite *s, const struct tm_frame_row *row, struct tm_error *err)
{
    sqlite3_stmt *stmt = s->statements[TM_SQL_SYMBOL];
    sqlite3_bind_int64(stmt, 1, s->next_symbol++);
    sqlite3_bind_int64(stmt, 2, row->id);
    tm_sqlite_bind_maybe(stmt, 5, row->has_line, row->line);
    enum tm_status st = tm_sqlite_bind_text(s, stmt, 3, row->function, err);
    if (st == TM_OK)
        st = tm_sqlite_bind_text(s, stmt, 4, row->file, err);
    return st < 0 ? st : tm_sqlite_run(s, stmt, err);
}

static enum tm_status frame(void *self, const struct tm_frame_row *row, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    sqlite3_stmt *stmt = s->statements[TM_SQL_FRAME];
    sqlite3_bind_int64(stmt, 1, row->id);
    enum tm_status st = tm_sqlite_bind_text(s, stmt, 2, row->function, err);
    if (st < 0)
        return st;
    tm_sqlite_bind_id(stmt, 3, row->mapping);
    sqlite3_bind_int64(stmt, 4, row->rel_pc);
    tm_sqlite_bind_maybe(stmt, 5, has_symbol(row), row->id);
    st = tm_sqlite_run(s, stmt, err);
    return st < 0 || !has_symbol(row) ? st : symbol(s, row, err);
}

static enum tm_status callsite(void *self, const struct tm_callsite_row *row, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    sqlite3_stmt *stmt = s->statements[TM_SQL_CALLSITE];
    sqlite3_bind_int64(stmt, 1, row->id);
    sqlite3_bind_int64(stmt, 2, row->depth);
    tm_sqlite_bind_id(stmt, 3, row->parent);
    sqlite3_bind_int64(stmt, 4, row->frame);
    return tm_sqlite_run(s, stmt, err);
}

void tm_sqlite_rows_init(struct tm_sqlite *s)
{
    tm_sqlite_thread_states_init(s);
    tm_sqlite_args_init(s);
    s->rows = (struct tm_rows){.self = s,
                               .slice = tm_sqlite_slice,
                               .slice_end = tm_sqlite_slice_end,
                               .slice_name = tm_sqlite_slice_name,
                               .slice_thread_begin = tm_sqlite_slice_thread_begin,
                               .slice_thread_end = tm_sqlite_slice_thread_end,
                               .counter = tm_sqlite_counter,
                               .sched = tm_sqlite_sched,
                               .sched_end = tm_sqlite_sched_end,
                               .args = tm_sqlite_args,
                               .arg_copy = tm_sqlite_arg_copy,
                               .flow = flow,
                               .sample = tm_sqlite_sample,
                               .mapping = mapping,
                               .frame = frame,
                               .callsite = callsite,
                               .heap_dump = tm_sqlite_heap_dump,
                               .allocation = tm_sqlite_allocation,
                               .heap_graph = tm_sqlite_heap_graph,
                               .deobfuscation = tm_sqlite_deobfuscation,
                               .packages = tm_sqlite_packages,
                               .log = log_line,
                               .thread_state = tm_sqlite_thread_state,
                               .thread_state_end = tm_sqlite_thread_state_end,
                               .thread_state_is = tm_sqlite_thread_state_is,
                               .thread_state_reason = tm_sqlite_thread_state_reason,
                               .wakeup = tm_sqlite_wakeup,
                               .recording_time = tm_sqlite_recording_time,
                               .cpu_frequency = cpu_frequency,
                               .ftrace_event = tm_sqlite_ftrace_event};
}

enum tm_status tm_sqlite_rows_flush(struct tm_sqlite *s, struct tm_error *err)
{
    enum tm_status st = tm_sqlite_slices_flush(s, 0, err);
    if (st == TM_OK)
        st = tm_sqlite_scheds_flush(s, 0, err);
    if (st == TM_OK)
        st = tm_sqlite_thread_states_flush(s, 0, err);
    return st < 0 ? st : tm_sqlite_args_flush(s, err);
}

void tm_sqlite_rows_release(struct tm_sqlite *s)
{
    free(s->slices.rows);
    free(s->scheds.rows);
    free(s->thread_states.rows);
    tm_intern_release(&s->thread_states.texts);
    tm_sqlite_args_release(s);
    tm_table_release(&s->metadata_rows);
    tm_buf_release(&s->slices.text);
}
