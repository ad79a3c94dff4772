/* Functions that are one query of the database each. */
#include "extension/internal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

SQLITE_EXTENSION_INIT3

/* A function whose result is the first column of the first row, NULL without a row or if an argument is NULL. */
struct query {
    const char *name;
    int argument_count;
    const char *sql;
};

#define METADATA "SELECT coalesce(str_value, int_value) FROM metadata WHERE name = "
#define FIRST " ORDER BY id LIMIT 1"

static const struct query queries[] = {
    {"extract_metadata", 1, METADATA "?1" FIRST},
    {"extract_metadata_for_machine", 2, METADATA "?2 AND machine_id = ?1" FIRST},
    {"extract_metadata_for_trace", 2, METADATA "?2 AND trace_id = ?1" FIRST},
    {"trace_start", 0, "SELECT start_ts FROM trace_bounds"},
    {"trace_end", 0, "SELECT end_ts FROM trace_bounds"},
    {"trace_dur", 0, "SELECT end_ts - start_ts FROM trace_bounds"},
    {"slice_is_ancestor", 2,
     "SELECT a.track_id = d.track_id AND a.depth < d.depth AND a.ts <= d.ts"
     " AND (a.dur = -1 OR a.ts + a.dur >= d.ts + d.dur) FROM slice a, slice d WHERE a.id = ?1 AND d.id = ?2"},
};

static const struct query extract_arg_query = {
    "extract_arg", 2,
    "SELECT coalesce(int_value, string_value, real_value) FROM args WHERE arg_set_id = ?1 AND key = ?2" FIRST};

/* A function of a connection. What it reads may be a view that calls it: that is refused, as it would not end. */
struct function {
    const struct query *query;
    bool is_running;
};

static void finalize(void *stmt)
{
    (void)sqlite3_finalize(stmt);
}

/* SQLite calls it through this pointer type; sqlite3_free is an entry of a table here. */
static void release(void *function)
{
    sqlite3_free(function);
}

static void set_circular(sqlite3_context *context, const char *name)
{
    char text[96];
    (void)snprintf(text, sizeof text, "%s: what it reads is a view that calls it", name);
    sqlite3_result_error(context, text, -1);
}

/* Prepares QUERY. If the last argument is the same for all rows, as keys and names usually are, SQLite keeps the
 * statement for the next row and *IS_KEPT is true. */
static sqlite3_stmt *prepare(sqlite3_context *context, const struct query *query, bool *is_kept)
{
    int last = query->argument_count - 1;
    sqlite3_stmt *stmt = last < 0 ? NULL : sqlite3_get_auxdata(context, last);
    *is_kept = stmt != NULL;
    if (stmt)
        return stmt;
    sqlite3 *db = sqlite3_context_db_handle(context);
    if (sqlite3_prepare_v2(db, query->sql, -1, &stmt, NULL) != SQLITE_OK) {
        sqlite3_result_error(context, sqlite3_errmsg(db), -1);
        return NULL;
    }
    return stmt;
}

/* Runs the query of CONTEXT's function with the arguments and sets the result. */
static void answer(sqlite3_context *context, sqlite3_value **argv)
{
    struct function *function = sqlite3_user_data(context);
    const struct query *query = function->query;
    bool is_kept;
    if (function->is_running) {
        set_circular(context, query->name);
        return;
    }
    sqlite3_stmt *stmt = prepare(context, query, &is_kept);
    if (stmt == NULL)
        return;
    for (int i = 0; i < query->argument_count; i++)
        (void)sqlite3_bind_value(stmt, i + 1, argv[i]);
    function->is_running = true;
    int rc = sqlite3_step(stmt);
    function->is_running = false;
    if (rc == SQLITE_ROW)
        sqlite3_result_value(context, sqlite3_column_value(stmt, 0));
    else if (rc != SQLITE_DONE)
        sqlite3_result_error(context, sqlite3_errmsg(sqlite3_context_db_handle(context)), -1);
    (void)sqlite3_reset(stmt);
    if (is_kept)
        return;
    if (query->argument_count)
        sqlite3_set_auxdata(context, query->argument_count - 1, stmt, finalize);
    else
        finalize(stmt);
}

static void run_query(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    for (int i = 0; i < argc; i++)
        if (sqlite3_value_type(argv[i]) == SQLITE_NULL)
            return;
    answer(context, argv);
}

/* Refuses the arguments that the reference importer refuses. */
static void extract_arg(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER)
        sqlite3_result_error(context, "EXTRACT_ARG: 1st argument should be arg set id", -1);
    else if (sqlite3_value_type(argv[1]) != SQLITE_TEXT)
        sqlite3_result_error(context, "EXTRACT_ARG: 2nd argument should be key", -1);
    else
        answer(context, argv);
}

static int add(sqlite3 *db, const struct query *query,
               void (*call)(sqlite3_context *context, int argc, sqlite3_value **argv))
{
    struct function *function = sqlite3_malloc(sizeof *function);
    if (function == NULL)
        return SQLITE_NOMEM;
    *function = (struct function){.query = query};
    return sqlite3_create_function_v2(db, query->name, query->argument_count, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                      function, call, NULL, NULL, release); /* which is called on failure, too */
}

int tm_extension_add_query_functions(sqlite3 *db)
{
    int rc = add(db, &extract_arg_query, extract_arg);
    for (size_t i = 0; i < sizeof queries / sizeof *queries && rc == SQLITE_OK; i++)
        rc = add(db, &queries[i], run_query);
    return rc;
}
