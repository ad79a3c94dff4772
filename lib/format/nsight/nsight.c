#include "format/nsight/internal.h"

#include "stream/clock_id.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_AT_ONCE = 1024 };

static const char magic[16] = "SQLite format 3";

static bool begins(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

/* True if the database has the tables of an export. */
static bool is_export(const struct tm_nsight_schema *schema)
{
    bool has_strings = tm_nsight_schema_find(schema, "StringIds") != NULL, has_more = false;
    for (uint32_t i = 0; i < schema->count; i++)
        has_more |= begins(schema->tables[i].name, "TARGET_INFO_") || begins(schema->tables[i].name, "CUPTI_") ||
                    (schema->tables[i].columns & (TM_NS_BIT(TM_NS_GLOBAL_TID) | TM_NS_BIT(TM_NS_GLOBAL_PID))) != 0;
    return has_strings && has_more;
}

/* Returns why the database is not an export. */
static const char *other_cause(const struct tm_nsight *x)
{
    for (uint32_t i = 0; i < x->schema.count; i++)
        if (begins(x->schema.tables[i].name, "tm_"))
            return "a database that tracemerge wrote; merge the traces that it was made from";
    if (x->schema.count == 0 && x->database.is_wal)
        return "a database of SQLite without tables: its content is in the file beside it that ends in -wal; "
               "sqlite3 FILE 'PRAGMA wal_checkpoint(TRUNCATE)' writes it back";
    return "a database of SQLite that is not an export of Nsight Systems (nsys export --type sqlite)";
}

/* Reads the wall-clock time at which the session began. */
static enum tm_status find_start(struct tm_nsight *x)
{
    const struct tm_nsight_table *table = tm_nsight_schema_find(&x->schema, "TARGET_INFO_SESSION_START_TIME");
    int at[TM_NS_COLUMNS];
    sqlite3_stmt *statement;
    if (table == NULL)
        return TM_OK;
    enum tm_status st = tm_nsight_schema_select(
        &x->database, &(struct tm_nsight_query){table, TM_NS_BIT(TM_NS_UTC_EPOCH_NS), ""}, at, &statement, x->err);
    if (st == TM_OK)
        st = tm_nsight_database_step(&x->database, statement, x->err);
    if (st == TM_OK && sqlite3_column_int64(statement, 0) > 0) {
        x->has_start = true;
        x->start_ns = sqlite3_column_int64(statement, 0);
    }
    sqlite3_finalize(statement);
    return st == TM_END ? TM_OK : st;
}

/* Prepares the statements that find a name by its number. */
static enum tm_status prepare_names(struct tm_nsight *x)
{
    const struct tm_nsight_table *strings = tm_nsight_schema_find(&x->schema, "StringIds");
    const struct tm_nsight_table *devices = tm_nsight_schema_find(&x->schema, "TARGET_INFO_GPU");
    const uint64_t named = TM_NS_BIT(TM_NS_ID) | TM_NS_BIT(TM_NS_NAME), valued = TM_NS_BIT(TM_NS_ID) |
                                                                                TM_NS_BIT(TM_NS_VALUE);
    enum tm_status st = TM_OK;
    if (strings && (strings->columns & valued) == valued)
        st = tm_nsight_database_prepare(&x->database, "SELECT value FROM StringIds WHERE id = ?1", &x->string_by_id,
                                        x->err);
    if (st == TM_OK && devices && (devices->columns & named) == named)
        st = tm_nsight_database_prepare(&x->database, "SELECT name FROM TARGET_INFO_GPU WHERE id = ?1",
                                        &x->device_by_id, x->err);
    return st;
}

/* Inspects the database. TM_OK; TM_END: it is not an export, as *err says; or an error. */
static enum tm_status inspect(struct tm_nsight *x)
{
    bool salvage = x->context.options->on_damage == TM_DAMAGE_SALVAGE;
    enum tm_status st = tm_nsight_database_open(&x->database, &x->context.whole, salvage, x->err);
    if (st == TM_OK)
        st = tm_nsight_schema_read(&x->schema, &x->database, x->err);
    if (st < 0)
        return st;
    if (!is_export(&x->schema)) {
        tm_error_set(x->err, TM_E_INPUT, "%s", other_cause(x));
        return TM_END;
    }
    st = find_start(x);
    if (st == TM_E_INPUT && salvage) { /* nothing relates the session to the wall clock */
        *x->err = (struct tm_error){0};
        st = TM_OK;
    }
    return st == TM_OK ? prepare_names(x) : st;
}

static enum tm_status nsight_open(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    enum tm_status st = tm_sqlite_load(err);
    if (st < 0)
        return st;
    struct tm_nsight *x = calloc(1, sizeof *x);
    if (x == NULL)
        return tm_error_nomem(err);
    x->context = *context;
    x->err = err;
    *state = x;
    st = inspect(x);
    if (st == TM_E_INPUT && context->options->on_damage != TM_DAMAGE_HALT) {
        *err = (struct tm_error){0};
        x->is_unreadable = true;
        return TM_OK;
    }
    (void)tm_error_recoverable(err);
    return st;
}

static Tracemerge__ClockPolicy nsight_policy(const void *state)
{
    const struct tm_nsight *x = state;
    return x->has_start ? TRACEMERGE__CLOCK_POLICY__REALTIME_CLOCK : TRACEMERGE__CLOCK_POLICY__PRIVATE;
}

/* Handles damage in TABLE, which *err describes: its remaining rows are lost. */
static enum tm_status damage(struct tm_nsight *x, const char *table)
{
    if (x->err->status != TM_E_INPUT || x->context.options->on_damage == TM_DAMAGE_HALT) {
        (void)tm_error_recoverable(x->err);
        return tm_error_prefix(x->err, "table %s", table);
    }
    *x->err = (struct tm_error){0};
    return tm_event_sink_account(x->context.sink, (struct tm_loss){TM_DROP_DAMAGED, 0, 1, UINT64_MAX}, x->err);
}

/* Sets the category of all rows of the table: "cuda" for CUPTI_ACTIVITY_KIND_RUNTIME, "osrt" for OSRT_API. */
static enum tm_status set_category(struct tm_nsight *x)
{
    const char *name = x->table->name;
    const char *word = x->table_kind == TM_NSIGHT_NVTX      ? "nvtx"
                       : x->table_kind == TM_NSIGHT_KERNELS ? "kernel"
                       : x->table_kind == TM_NSIGHT_COPIES  ? "memcpy"
                       : x->table_kind == TM_NSIGHT_SETS    ? "memset"
                       : begins(name, "CUPTI_")             ? "cuda"
                                                            : NULL;
    tm_buf_clear(&x->text);
    if (tm_buf_add_str(&x->text, word ? word : name) != TM_OK)
        return tm_error_nomem(x->err);
    static const char *const ends[] = {"_API", "_EVENTS"};
    for (size_t i = 0; word == NULL && i < sizeof ends / sizeof *ends; i++) {
        size_t n = strlen(ends[i]);
        if (x->text.len > n && memcmp(x->text.data + x->text.len - n, ends[i], n) == 0)
            x->text.len -= n;
    }
    for (size_t i = 0; i < x->text.len; i++)
        if (x->text.data[i] >= 'A' && x->text.data[i] <= 'Z')
            x->text.data[i] += 'a' - 'A';
    return tm_event_sink_string(x->context.sink, tm_text_at(x->text.data, x->text.len), &x->detail, &x->category,
                                x->err);
}

/* Counts the rows of a table that no output shows. */
static enum tm_status count_rows(struct tm_nsight *x)
{
    uint32_t clock = x->has_start ? TM_CLOCK_REALTIME : TM_CLOCK_TRACE_FILE;
    sqlite3_stmt *statement;
    uint64_t count = 0;
    int at[TM_NS_COLUMNS];
    enum tm_status st = tm_nsight_schema_select(
        &x->database, &(struct tm_nsight_query){x->table, TM_NS_BIT(TM_NS_START), ""}, at, &statement, x->err);
    while (st == TM_OK && (st = tm_nsight_database_step(&x->database, statement, x->err)) == TM_OK)
        count++;
    sqlite3_finalize(statement);
    if (count > 0) {
        enum tm_status counted = tm_event_sink_account(
            x->context.sink, (struct tm_loss){TM_DROP_NOT_SHOWN, clock, count, UINT64_MAX}, x->err);
        st = counted < 0 ? counted : st;
    }
    return st == TM_END ? TM_OK : st;
}

static enum tm_status open_table(struct tm_nsight *x)
{
    x->table = &x->schema.tables[x->next_table++];
    x->table_kind = tm_nsight_kind(x->table);
    enum tm_status st = TM_OK;
    if (x->table_kind == TM_NSIGHT_NO_ROWS)
        return TM_OK;
    if (x->table_kind == TM_NSIGHT_UNSHOWN)
        st = count_rows(x);
    else if ((st = set_category(x)) == TM_OK)
        st = tm_nsight_schema_select(&x->database,
                                     &(struct tm_nsight_query){x->table, tm_nsight_columns(x->table_kind), ""}, x->at,
                                     &x->statement, x->err);
    return st < 0 ? damage(x, x->table->name) : st;
}

static enum tm_status read_rows(struct tm_nsight *x)
{
    enum tm_status st = TM_OK;
    for (int i = 0; i < ROWS_AT_ONCE && st == TM_OK; i++)
        if ((st = tm_nsight_database_step(&x->database, x->statement, x->err)) == TM_OK)
            st = tm_nsight_row(x);
    if (st == TM_OK)
        return TM_OK;
    sqlite3_finalize(x->statement);
    x->statement = NULL;
    return st < 0 ? damage(x, x->table->name) : TM_OK;
}

static enum tm_status finish(struct tm_nsight *x)
{
    enum tm_status st = tm_nsight_define_tasks(x);
    if (st < 0)
        st = damage(x, "ThreadNames");
    if (st == TM_OK && x->database.is_cut)
        st = tm_event_sink_account(x->context.sink, (struct tm_loss){TM_DROP_DAMAGED, 0, 1, x->context.whole.len},
                                   x->err);
    if (st == TM_OK && x->cut_count > 0)
        st = tm_event_sink_stat(x->context.sink, "nsight_texts_cut", TRACEMERGE__SEVERITY__DATA_LOSS,
                                (int64_t)x->cut_count, x->err);
    if (st == TM_OK && x->database.is_wal)
        st = tm_event_sink_stat(x->context.sink, "nsight_log_not_read", TRACEMERGE__SEVERITY__INFO, 1, x->err);
    return st < 0 ? st : TM_END;
}

/* Accounts for the whole file, which is unreadable. */
static enum tm_status account_all(struct tm_nsight *x)
{
    struct tm_event_sink *sink = x->context.sink;
    enum tm_status st = tm_event_sink_account(sink, (struct tm_loss){TM_DROP_DAMAGED, 0, 1, 0}, x->err);
    if (st == TM_OK)
        st = tm_event_sink_account(sink, (struct tm_loss){TM_DROP_SKIPPED_BYTES, 0, x->context.whole.len, 0}, x->err);
    return st < 0 ? st : TM_END;
}

static enum tm_status nsight_read(void *state, struct tm_error *err)
{
    struct tm_nsight *x = state;
    x->err = err;
    if (x->is_unreadable)
        return account_all(x);
    if (!x->is_described) {
        x->is_described = true;
        return tm_nsight_names_read(x) < 0 ? damage(x, "NVTX_EVENTS") : TM_OK;
    }
    if (x->statement)
        return read_rows(x);
    return x->next_table < x->schema.count ? open_table(x) : finish(x);
}

static void nsight_close(void *state)
{
    struct tm_nsight *x = state;
    if (x == NULL)
        return;
    sqlite3_finalize(x->statement);
    sqlite3_finalize(x->string_by_id);
    sqlite3_finalize(x->device_by_id);
    tm_nsight_schema_release(&x->schema);
    tm_nsight_database_close(&x->database);
    tm_map_release(&x->string_of);
    tm_map_release(&x->threads);
    tm_map_release(&x->processes);
    tm_map_release(&x->devices);
    tm_map_release(&x->running);
    tm_table_release(&x->domains);
    tm_table_release(&x->streams);
    tm_buf_release(&x->detail);
    tm_buf_release(&x->text);
    tm_buf_release(&x->definition);
    tm_buf_release(&x->name);
    free(x);
}

/* Accepts any SQLite database; open decides whether it is an export. */
static bool nsight_sniff(const uint8_t *head, size_t len)
{
    return len >= sizeof magic && memcmp(head, magic, sizeof magic) == 0;
}

const struct tm_format tm_format_nsight = {
    .type = TM_INPUT_NSIGHT,
    .priority = TM_PRIORITY_TRACE,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__PRIVATE,
    .policy_of = nsight_policy,
    .sniff = nsight_sniff,
    .open = nsight_open,
    .read = nsight_read,
    .close = nsight_close,
    .by_place = true,
};
