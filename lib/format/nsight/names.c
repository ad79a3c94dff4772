/* The names of an export: strings, domains, threads, processes, devices and their streams. */
#include "format/nsight/internal.h"

#include "base/hash.h"
#include "format/text_pid.h"
#include "stream/task_description.h"

#include <inttypes.h>

enum { EVENT_CATEGORY = 33, EVENT_DOMAIN = 75 };
enum { NO_CATEGORY = 0 };

struct tm_text tm_nsight_column_text(struct tm_nsight *x, sqlite3_stmt *statement, int column)
{
    const uint8_t *text = sqlite3_column_text(statement, column);
    size_t len = text ? (size_t)sqlite3_column_bytes(statement, column) : 0;
    if (len > TM_NSIGHT_TEXT_MAX) {
        for (len = TM_NSIGHT_TEXT_MAX; len > 0 && (text[len] & 0xc0) == 0x80; len--)
            ;
        x->cut_count++;
    }
    return (struct tm_text){text, len};
}

enum tm_status tm_nsight_text(struct tm_nsight *x, int64_t id)
{
    tm_buf_clear(&x->text);
    if (x->string_by_id == NULL)
        return TM_END;
    sqlite3_bind_int64(x->string_by_id, 1, id);
    enum tm_status st = tm_nsight_database_step(&x->database, x->string_by_id, x->err);
    if (st == TM_OK) {
        struct tm_text text = tm_nsight_column_text(x, x->string_by_id, 0);
        if (tm_buf_add(&x->text, text.data, text.len) != TM_OK)
            st = tm_error_nomem(x->err);
    }
    sqlite3_reset(x->string_by_id);
    return st;
}

enum tm_status tm_nsight_string(struct tm_nsight *x, int64_t id, uint32_t *string)
{
    if (tm_map_find(&x->string_of, (uint64_t)id, string))
        return TM_OK;
    enum tm_status st = tm_nsight_text(x, id);
    if (st != TM_OK)
        return st;
    st = tm_event_sink_string(x->context.sink, tm_text_at(x->text.data, x->text.len), &x->detail, string, x->err);
    if (st == TM_OK && !(*string & TM_STRING_INLINE) && x->string_of.count < TM_NSIGHT_NAMES_MAX &&
        tm_map_set(&x->string_of, (uint64_t)id, *string) != TM_OK)
        st = tm_error_nomem(x->err);
    return st;
}

static struct tm_key domain_key(int64_t pid, int64_t domain, int64_t category)
{
    return (struct tm_key){(uint64_t)pid, (uint64_t)domain, (uint64_t)category};
}

uint32_t tm_nsight_domain(const struct tm_nsight *x, int64_t pid, int64_t domain, int64_t category)
{
    const struct tm_key key = domain_key(pid, domain, category);
    int64_t string = tm_table_find(&x->domains, &key);
    return string == TM_TABLE_NONE ? 0 : (uint32_t)string;
}

/* Adds the current row of STATEMENT: a domain, or a category of a domain. It is shown by number if the sink's table of
 * strings has no room for its name. */
static enum tm_status add_domain(struct tm_nsight *x, sqlite3_stmt *statement, const int at[TM_NS_COLUMNS])
{
    bool is_category = sqlite3_column_int64(statement, at[TM_NS_EVENT_TYPE]) == EVENT_CATEGORY;
    int64_t category = is_category ? sqlite3_column_int64(statement, at[TM_NS_CATEGORY]) : NO_CATEGORY;
    const struct tm_key key = domain_key(tm_nsight_pid(sqlite3_column_int64(statement, at[TM_NS_GLOBAL_TID])),
                                         sqlite3_column_int64(statement, at[TM_NS_DOMAIN_ID]), category);
    struct tm_text text = tm_nsight_column_text(x, statement, at[TM_NS_TEXT]);
    uint32_t string;
    if (text.len == 0 || (is_category && category == NO_CATEGORY))
        return TM_OK;
    tm_buf_clear(&x->detail);
    enum tm_status st =
        tm_event_sink_string(x->context.sink, tm_text_at(text.data, text.len), &x->detail, &string, x->err);
    bool has_room = x->domains.count < TM_NSIGHT_NAMES_MAX && !(string & TM_STRING_INLINE);
    x->context.sink->left_out += st == TM_OK && !has_room;
    if (st < 0 || !has_room)
        return st;
    return tm_table_set(&x->domains, &key, string, x->err);
}

static enum tm_status read_domains(struct tm_nsight *x)
{
    const struct tm_nsight_table *table = tm_nsight_schema_find(&x->schema, "NVTX_EVENTS");
    uint64_t want = TM_NS_BIT(TM_NS_EVENT_TYPE) | TM_NS_BIT(TM_NS_CATEGORY) | TM_NS_BIT(TM_NS_DOMAIN_ID) |
                    TM_NS_BIT(TM_NS_GLOBAL_TID) | TM_NS_BIT(TM_NS_TEXT);
    int at[TM_NS_COLUMNS];
    sqlite3_stmt *statement;
    if (table == NULL || !(table->columns & TM_NS_BIT(TM_NS_EVENT_TYPE)))
        return TM_OK;
    enum tm_status st =
        tm_nsight_schema_select(&x->database, &(struct tm_nsight_query){table, want, "WHERE \"eventType\" IN (33, 75)"},
                                at, &statement, x->err);
    while (st == TM_OK && (st = tm_nsight_database_step(&x->database, statement, x->err)) == TM_OK)
        st = add_domain(x, statement, at);
    sqlite3_finalize(statement);
    return st == TM_END ? TM_OK : st;
}

static enum tm_status note(struct tm_nsight *x, const char *name, struct tm_text text)
{
    Tracemerge__Metadata row = TRACEMERGE__METADATA__INIT;
    row.name = tm_bytes(name, strlen(name));
    row.value_case = TRACEMERGE__METADATA__VALUE_STR_VALUE;
    row.str_value = tm_bytes(text.data, text.len);
    row.has_file = true;
    row.file = x->context.sink->file;
    return tm_event_sink_message(x->context.sink, TM_FRAME_METADATA, &row.base, x->err);
}

/* Adds the first value that SQL finds as metadata NAME. Adds nothing if TABLE does not exist. */
static enum tm_status note_value(struct tm_nsight *x, const char *table, const char *sql, const char *name)
{
    sqlite3_stmt *statement;
    if (tm_nsight_schema_find(&x->schema, table) == NULL)
        return TM_OK;
    enum tm_status st = tm_nsight_database_prepare(&x->database, sql, &statement, x->err);
    if (st == TM_OK)
        st = tm_nsight_database_step(&x->database, statement, x->err);
    if (st == TM_OK)
        st = note(x, name, tm_nsight_column_text(x, statement, 0));
    sqlite3_finalize(statement);
    if (st == TM_E_INPUT) { /* a version with other columns */
        *x->err = (struct tm_error){0};
        st = TM_OK;
    }
    return st == TM_END ? TM_OK : st;
}

enum tm_status tm_nsight_names_read(struct tm_nsight *x)
{
    static const struct {
        const char *table, *sql, *name;
    } notes[] = {
        {"EXPORT_META_DATA", "SELECT value FROM EXPORT_META_DATA WHERE name = 'EXPORT_PRODUCT_VERSION'",
         "nsight.export_version"},
        {"META_DATA_EXPORT", "SELECT value FROM META_DATA_EXPORT WHERE name = 'EXPORT_PRODUCT_VERSION'",
         "nsight.export_version"},
        {"TARGET_INFO_SYSTEM_ENV", "SELECT value FROM TARGET_INFO_SYSTEM_ENV WHERE name = 'Hostname'",
         "nsight.hostname"},
    };
    enum tm_status st = TM_OK;
    for (size_t i = 0; i < sizeof notes / sizeof *notes && st == TM_OK; i++)
        st = note_value(x, notes[i].table, notes[i].sql, notes[i].name);
    return st == TM_OK ? read_domains(x) : st;
}

/* Adds the definition ROW with NAME; without data: none. */
static enum tm_status define(struct tm_nsight *x, struct tm_event *row, struct tm_text name)
{
    row->flags |= TM_EVENT_UNTIMED | TM_EVENT_DEFINITION | TM_EVENT_HAS_PID;
    tm_buf_clear(&x->definition);
    if (tm_task_description_put(&x->definition, row, name) != TM_OK)
        return tm_error_nomem(x->err);
    row->detail = x->definition.data;
    row->detail_bytes = (uint32_t)x->definition.len;
    return tm_event_sink_add(x->context.sink, row, x->err);
}

static enum tm_status define_process(struct tm_nsight *x, int64_t pid, struct tm_text name)
{
    struct tm_event row = {.kind = TM_KIND_PROCESS, .pid = pid};
    return define(x, &row, tm_text_given(name.data, name.len));
}

static enum tm_status define_thread(struct tm_nsight *x, int64_t pid, int64_t tid, struct tm_text name)
{
    struct tm_event row = {.kind = TM_KIND_THREAD, .flags = TM_EVENT_HAS_TID, .pid = pid, .tid = tid};
    return define(x, &row, name.len > 0 ? name : (struct tm_text){0});
}

enum tm_status tm_nsight_define_thread(struct tm_nsight *x, int64_t pid, int64_t tid)
{
    return define_thread(x, pid, tid, (struct tm_text){0});
}

/* Calls TAKE for each row of table NAME, with its COLUMNS in STATEMENT. A table that does not exist has no rows. */
static enum tm_status each_row(struct tm_nsight *x, const char *name, uint64_t columns,
                               enum tm_status (*take)(struct tm_nsight *x, sqlite3_stmt *statement, const int *at))
{
    const struct tm_nsight_table *table = tm_nsight_schema_find(&x->schema, name);
    int at[TM_NS_COLUMNS];
    sqlite3_stmt *statement;
    if (table == NULL)
        return TM_OK;
    enum tm_status st =
        tm_nsight_schema_select(&x->database, &(struct tm_nsight_query){table, columns, ""}, at, &statement, x->err);
    while (st == TM_OK && (st = tm_nsight_database_step(&x->database, statement, x->err)) == TM_OK)
        st = take(x, statement, at);
    sqlite3_finalize(statement);
    return st == TM_END ? TM_OK : st;
}

/* Defines the thread of a row if it has events. The export lists all threads that ran during the recording. */
static enum tm_status define_listed_thread(struct tm_nsight *x, sqlite3_stmt *statement, const int *at)
{
    int64_t global = sqlite3_column_int64(statement, at[TM_NS_GLOBAL_TID]);
    uint32_t unused;
    if (!tm_map_find(&x->threads, (uint64_t)global, &unused))
        return TM_OK;
    enum tm_status st = tm_nsight_text(x, sqlite3_column_int64(statement, at[TM_NS_NAME_ID]));
    if (st == TM_OK)
        st =
            define_thread(x, tm_nsight_pid(global), tm_nsight_tid(global), (struct tm_text){x->text.data, x->text.len});
    return st == TM_END ? TM_OK : st;
}

static enum tm_status define_listed_process(struct tm_nsight *x, sqlite3_stmt *statement, const int *at)
{
    int64_t pid = tm_nsight_pid(sqlite3_column_int64(statement, at[TM_NS_GLOBAL_PID]));
    struct tm_text name = tm_nsight_column_text(x, statement, at[TM_NS_NAME]);
    uint32_t unused;
    return name.len > 0 && tm_map_find(&x->processes, (uint64_t)pid, &unused) ? define_process(x, pid, name) : TM_OK;
}

enum tm_status tm_nsight_define_tasks(struct tm_nsight *x)
{
    enum tm_status st =
        each_row(x, "PROCESSES", TM_NS_BIT(TM_NS_GLOBAL_PID) | TM_NS_BIT(TM_NS_NAME), define_listed_process);
    return st == TM_OK ? each_row(x, "ThreadNames", TM_NS_BIT(TM_NS_GLOBAL_TID) | TM_NS_BIT(TM_NS_NAME_ID),
                                  define_listed_thread)
                       : st;
}

/* Appends "GPU 0 (NAME)" to x->name. */
static enum tm_status name_device(struct tm_nsight *x, int64_t device)
{
    enum tm_status st = tm_buf_addf(&x->name, "GPU %" PRId64, device) == TM_OK ? TM_OK : tm_error_nomem(x->err);
    if (st < 0 || x->device_by_id == NULL)
        return st;
    sqlite3_bind_int64(x->device_by_id, 1, device);
    st = tm_nsight_database_step(&x->database, x->device_by_id, x->err);
    if (st == TM_OK) {
        struct tm_text name = tm_nsight_column_text(x, x->device_by_id, 0);
        if (name.len > 0 && tm_buf_addf(&x->name, " (%.*s)", (int)name.len, (const char *)name.data) != TM_OK)
            st = tm_error_nomem(x->err);
    }
    sqlite3_reset(x->device_by_id);
    return st == TM_END ? TM_OK : st;
}

/* Sets *NUMBER to a number for the text x->text that is unique in the run. */
static enum tm_status number_of_text(struct tm_nsight *x, int64_t *number)
{
    return tm_text_pid(x->context.sink, x->text.data, x->text.len, number, x->err);
}

static enum tm_status device_process(struct tm_nsight *x, int64_t device, int64_t *pid)
{
    uint32_t unused;
    tm_buf_clear(&x->text);
    if (tm_buf_addf(&x->text, "nsight %" PRIu32 " GPU %" PRId64, x->context.sink->file, device) != TM_OK)
        return tm_error_nomem(x->err);
    enum tm_status st = number_of_text(x, pid);
    if (st < 0 || tm_map_find(&x->devices, (uint64_t)device, &unused))
        return st;
    if (x->devices.count >= TM_NSIGHT_THREADS_MAX) {
        x->context.sink->left_out++;
        return TM_OK;
    }
    if (tm_map_set(&x->devices, (uint64_t)device, 1) != TM_OK)
        return tm_error_nomem(x->err);
    tm_buf_clear(&x->name);
    st = name_device(x, device);
    return st < 0 ? st : define_process(x, *pid, (struct tm_text){x->name.data, x->name.len});
}

/* Sets the tid of ROW to a new thread for stream S. Beyond the limit of threads, the thread is not defined. */
static enum tm_status new_stream(struct tm_nsight *x, const struct tm_nsight_stream *s, const struct tm_key *key,
                                 struct tm_event *row)
{
    tm_buf_clear(&x->text);
    if (tm_buf_addf(&x->text, "nsight %" PRIu32 " GPU %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64,
                    x->context.sink->file, s->device, s->pid, s->context, s->stream) != TM_OK)
        return tm_error_nomem(x->err);
    enum tm_status st = number_of_text(x, &row->tid);
    if (st < 0)
        return st;
    if (x->streams.count >= TM_NSIGHT_THREADS_MAX) {
        x->context.sink->left_out++;
        return TM_OK;
    }
    tm_buf_clear(&x->name);
    if (tm_buf_addf(&x->name, "stream %" PRId64 " (context %" PRId64 ", pid %" PRId64 ")", s->stream, s->context,
                    s->pid) != TM_OK)
        return tm_error_nomem(x->err);
    st = tm_table_set(&x->streams, key, row->tid, x->err);
    return st < 0 ? st : define_thread(x, row->pid, row->tid, (struct tm_text){x->name.data, x->name.len});
}

enum tm_status tm_nsight_stream(struct tm_nsight *x, const struct tm_nsight_stream *s, struct tm_event *row)
{
    const uint64_t owner[] = {(uint64_t)s->pid, (uint64_t)s->context};
    const struct tm_key key = {(uint64_t)s->device, tm_hash64_numbers(owner, 2, 0), (uint64_t)s->stream};
    enum tm_status st = device_process(x, s->device, &row->pid);
    if (st < 0)
        return st;
    row->tid = tm_table_find(&x->streams, &key);
    return row->tid == TM_TABLE_NONE ? new_stream(x, s, &key, row) : TM_OK;
}
