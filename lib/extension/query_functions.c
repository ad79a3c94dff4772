/* Functions that are one query of the database each. */
#include "extension/internal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

static void finalize(void *stmt)
{
    (void)sqlite3_finalize(stmt);
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

/* Runs QUERY with the arguments and sets the result. */
static void answer(sqlite3_context *context, const struct query *query, sqlite3_value **argv)
{
    bool is_kept;
    sqlite3_stmt *stmt = prepare(context, query, &is_kept);
    if (stmt == NULL)
        return;
    for (int i = 0; i < query->argument_count; i++)
        (void)sqlite3_bind_value(stmt, i + 1, argv[i]);
    int rc = sqlite3_step(stmt);
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
    answer(context, &queries[(uintptr_t)sqlite3_user_data(context)], argv);
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
        answer(context, &extract_arg_query, argv);
}

int tm_extension_add_query_functions(sqlite3 *db)
{
    int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
    int rc = sqlite3_create_function_v2(db, "extract_arg", 2, flags, NULL, extract_arg, NULL, NULL, NULL);
    for (uintptr_t i = 0; i < sizeof queries / sizeof *queries && rc == SQLITE_OK; i++)
        rc = sqlite3_create_function_v2(db, queries[i].name, queries[i].argument_count, flags, (void *)i, run_query,
                                        NULL, NULL, NULL);
    return rc;
}
