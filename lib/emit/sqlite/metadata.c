/* Rows of metadata. Some names belong to the whole trace, to a machine or to a file, and most of these have one value
 * there, the last one. Source: storage/metadata.h of Perfetto. */
#include "emit/sqlite/internal.h"

#include "emit/stat_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum scope { OF_BOTH = 0, NO_MACHINE = 1, NO_FILE = 2, OF_ALL = NO_MACHINE | NO_FILE, MULTI = 4 };

static const struct known {
    const char *name;
    int scope; /* enum scope */
} known[] = {
    {"trace_time_clock_id", OF_ALL},
    {"all_data_source_flushed_ns", OF_BOTH | MULTI},
    {"all_data_source_started_ns", OF_BOTH},
    {"ftrace_latest_data_start_ns", OF_BOTH},
    {"tracing_disabled_ns", OF_BOTH},
    {"tracing_started_ns", OF_BOTH},
    {"slow_start_data_source", OF_BOTH | MULTI},
    {"android_profile_boot_classpath", NO_MACHINE},
    {"android_profile_system_server", NO_MACHINE},
    {"benchmark_description", NO_MACHINE},
    {"benchmark_had_failures", NO_MACHINE},
    {"benchmark_label", NO_MACHINE},
    {"benchmark_name", NO_MACHINE},
    {"benchmark_start_time_us", NO_MACHINE},
    {"benchmark_story_name", NO_MACHINE},
    {"benchmark_story_run_index", NO_MACHINE},
    {"benchmark_story_run_time_us", NO_MACHINE},
    {"benchmark_story_tags", NO_MACHINE | MULTI},
    {"range_of_interest_start_us", NO_MACHINE},
    {"statsd_triggering_subscription_id", NO_MACHINE},
    {"trace_config_pbtxt", NO_MACHINE},
    {"trace_trigger", NO_MACHINE},
    {"ui_state", NO_MACHINE},
    {"trace_size_bytes", NO_MACHINE},
    {"trace_type", NO_MACHINE},
    {"trace_uuid", NO_MACHINE},
    {"unique_session_name", NO_MACHINE},
    {"android_build_fingerprint", NO_FILE},
    {"android_device_manufacturer", NO_FILE},
    {"android_guest_soc_model", NO_FILE},
    {"android_hardware_revision", NO_FILE},
    {"android_incremental_build", NO_FILE},
    {"android_ram_model", NO_FILE},
    {"android_sdk_version", NO_FILE},
    {"android_serial_console", NO_FILE},
    {"android_soc_model", NO_FILE},
    {"android_storage_model", NO_FILE},
    {"system_machine", NO_FILE},
    {"system_name", NO_FILE},
    {"system_ram_bytes", NO_FILE},
    {"system_ram_gb", NO_FILE},
    {"system_release", NO_FILE},
    {"system_version", NO_FILE},
    {"tracing_service_version", NO_FILE},
    {"timezone_off_mins", NO_FILE},
};

enum { KNOWN_COUNT = sizeof known / sizeof *known };

/* A row being written. */
struct entry {
    struct tm_text name;
    bool is_int, has_machine, has_file;
    int64_t int_value;
    struct tm_text text; /* data NULL: none */
    uint32_t machine, file;
};

static size_t find_known(struct tm_text name)
{
    size_t i = 0;
    while (i < KNOWN_COUNT && !tm_text_is(name, known[i].name))
        i++;
    return i;
}

/* Sets *NUMBER to the row of E, which has known name I (KNOWN_COUNT: none). TM_OK: it is new; TM_END: it exists. An
 * attribute of a trace has one value too; traces name them as they like. */
static enum tm_status row_number(struct tm_sqlite *s, size_t i, const struct entry *e, int64_t *number,
                                 struct tm_error *err)
{
    const bool is_attribute = i == KNOWN_COUNT && tm_text_begins(e->name, "trace_attribute.");
    const bool is_single = is_attribute || (i < KNOWN_COUNT && !(known[i].scope & MULTI));
    struct tm_key key = {is_attribute ? tm_hash64(e->name.data, e->name.len) : i,
                         e->has_machine ? (uint64_t)e->machine + 1 : 0, e->has_file ? (uint64_t)e->file + 1 : 0};
    int64_t row = is_single ? tm_table_find(&s->metadata_rows, &key) : TM_TABLE_NONE;
    *number = row == TM_TABLE_NONE ? s->next_metadata++ : row;
    if (row != TM_TABLE_NONE)
        return TM_END;
    return is_single ? tm_table_set(&s->metadata_rows, &key, *number, err) : TM_OK;
}

/* Writes E in the scope of its name. If the name can have one value there and has one, replaces it. */
static enum tm_status put(struct tm_sqlite *s, struct entry *e, struct tm_error *err)
{
    size_t i = find_known(e->name);
    int scope = i < KNOWN_COUNT ? known[i].scope : OF_BOTH;
    int64_t number;
    e->has_machine = e->has_machine && !(scope & NO_MACHINE);
    e->has_file = e->has_file && !(scope & NO_FILE);
    enum tm_status st = row_number(s, i, e, &number, err);
    bool is_new = st == TM_OK;
    if (st < 0)
        return st;
    sqlite3_stmt *stmt = s->statements[is_new ? TM_SQL_METADATA : TM_SQL_METADATA_UPDATE];
    sqlite3_bind_int64(stmt, 1, number);
    tm_sqlite_bind_maybe(stmt, 2, e->is_int, e->int_value);
    if ((st = tm_sqlite_bind_text(s, stmt, 3, e->text, err)) < 0)
        return st;
    if (is_new) {
        tm_sqlite_bind_word(stmt, 5, scope & MULTI ? "multi" : "single");
        tm_sqlite_bind_maybe(stmt, 6, e->has_machine, e->machine);
        tm_sqlite_bind_maybe(stmt, 7, e->has_file, e->file);
        if ((st = tm_sqlite_bind_text(s, stmt, 4, e->name, err)) < 0)
            return st;
    }
    return tm_sqlite_run(s, stmt, err);
}

/* Writes ROW as a statistic of its process, buffer or session. */
static enum tm_status put_time(struct tm_sqlite *s, const struct tm_recording_time *row, struct tm_error *err)
{
    sqlite3_stmt *stmt = s->statements[TM_SQL_STAT];
    const struct tm_stat_words *words = tm_stat_words_find(row->name);
    tm_sqlite_bind_id(stmt, 2, row->idx);
    tm_sqlite_bind_word(stmt, 3, words && words->source & TM_STAT_IS_LOSS ? "data_loss" : "info");
    tm_sqlite_bind_stat_words(stmt, row->name, true);
    sqlite3_bind_int64(stmt, 5, row->ts);
    sqlite3_bind_int64(stmt, 6, row->machine);
    sqlite3_bind_int64(stmt, 7, row->file);
    enum tm_status st = tm_sqlite_bind_text(s, stmt, 1, row->name, err);
    return st < 0 ? st : tm_sqlite_run(s, stmt, err);
}

enum tm_status tm_sqlite_recording_time(void *self, const struct tm_recording_time *row, struct tm_error *err)
{
    if (tm_sqlite_stat_is_time(row->name))
        return put_time(self, row, err);
    struct entry e = {.name = row->name,
                      .is_int = true,
                      .int_value = row->ts,
                      .has_machine = true,
                      .machine = row->machine,
                      .has_file = true,
                      .file = row->file};
    return find_known(row->name) < KNOWN_COUNT ? put(self, &e, err) : TM_OK;
}

/* Writes the rows of each file that holds events or a manifest, as the reference importer does. */
static enum tm_status put_file(struct tm_sqlite *s, uint32_t id, struct tm_error *err)
{
    const struct tm_catalog_file *f = &s->context->catalog->files[id];
    struct entry type = {.name = {(const uint8_t *)"trace_type", 10}, .text = f->type, .has_file = true, .file = id};
    struct entry size = {.name = {(const uint8_t *)"trace_size_bytes", 16},
                         .is_int = true,
                         .int_value = (int64_t)f->size_bytes,
                         .has_file = true,
                         .file = id};
    if (f->is_container)
        return TM_OK;
    enum tm_status st = put(s, &type, err);
    return st < 0 ? st : put(s, &size, err);
}

static int compare_turns(const void *a, const void *b)
{
    const struct tm_catalog_file *x = *(const struct tm_catalog_file *const *)a;
    const struct tm_catalog_file *y = *(const struct tm_catalog_file *const *)b;
    return (x->processing_order > y->processing_order) - (x->processing_order < y->processing_order);
}

/* Writes the files in order of processing, so the first row of a name is that of the reference importer. */
static enum tm_status put_files(struct tm_sqlite *s, struct tm_error *err)
{
    const struct tm_catalog *c = s->context->catalog;
    const struct tm_catalog_file **files = calloc(c->file_count + 1, sizeof *files);
    uint32_t count = 0;
    enum tm_status st = TM_OK;
    if (files == NULL)
        return tm_error_nomem(err);
    for (uint32_t i = 0; i < c->file_count; i++)
        if (c->files[i].begun)
            files[count++] = &c->files[i];
    qsort(files, count, sizeof *files, compare_turns);
    for (uint32_t i = 0; i < count && st == TM_OK; i++)
        st = put_file(s, (uint32_t)(files[i] - c->files), err);
    free(files);
    return st;
}

/* Writes a trace_uuid that depends on the first bytes of the trace, for files that state none. */
static enum tm_status put_head(struct tm_sqlite *s, uint64_t hash, struct tm_error *err)
{
    char text[48];
    int len = snprintf(text, sizeof text, "00000000-0000-0000-%04x-%012" PRIx64, (unsigned)(hash >> 48),
                       hash & UINT64_C(0xffffffffffff));
    struct entry e = {.name = tm_text_str("trace_uuid"), .text = {(const uint8_t *)text, (size_t)len}};
    return put(s, &e, err);
}

enum tm_status tm_sqlite_put_metadata(struct tm_sqlite *s, struct tm_error *err)
{
    const struct tm_catalog *c = s->context->catalog;
    enum tm_status st = TM_OK;
    bool has_uuid = false;
    for (uint32_t i = 0; st == TM_OK && i < c->metadata_count; i++) {
        const Tracemerge__Metadata *m = c->metadata[i];
        struct entry e = {.name = {m->name.data ? m->name.data : (const uint8_t *)"", m->name.len},
                          .is_int = m->value_case == TRACEMERGE__METADATA__VALUE_INT_VALUE,
                          .has_machine = m->has_machine,
                          .machine = m->machine,
                          .has_file = m->has_file,
                          .file = m->file};
        if (e.is_int)
            e.int_value = m->int_value;
        else if (m->value_case == TRACEMERGE__METADATA__VALUE_STR_VALUE)
            e.text = tm_text_given(m->str_value.data, m->str_value.len);
        has_uuid = has_uuid || tm_text_is(e.name, "trace_uuid");
        st = put(s, &e, err);
    }
    if (st == TM_OK && !has_uuid && c->has_head_hash)
        st = put_head(s, c->head_hash, err);
    return st < 0 ? st : put_files(s, err);
}
