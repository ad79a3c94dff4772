/* Trace time as the wall clock or the monotonic clock would show it. The rule is the reference importer's: snapshots of
 * all machines count, and of several at one time the first row. */
#include "extension/internal.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

SQLITE_EXTENSION_INIT3

enum { CLOCK_OF_REALTIME = 1, CLOCK_OF_MONOTONIC = 3 }; /* as BuiltinClock numbers them */

struct reading {
    int64_t ts, value;
};

/* All readings of a clock, by time. */
struct timeline {
    int64_t clock;
    struct reading *rows;
    size_t count, size;
    bool is_read, is_being_read;
};

/* Shared by the functions of a connection. */
struct clocks {
    struct timeline real, monotonic;
    unsigned users;
};

static void release(void *data)
{
    struct clocks *c = data;
    if (--c->users)
        return;
    sqlite3_free(c->real.rows);
    sqlite3_free(c->monotonic.rows);
    sqlite3_free(c);
}

static int add(struct timeline *t, int64_t ts, int64_t value)
{
    if (t->count && t->rows[t->count - 1].ts == ts)
        return SQLITE_OK;
    if (t->count == t->size) {
        size_t size = t->size ? 2 * t->size : 64;
        struct reading *rows = sqlite3_realloc64(t->rows, size * sizeof *rows);
        if (rows == NULL)
            return SQLITE_NOMEM;
        t->rows = rows;
        t->size = size;
    }
    t->rows[t->count++] = (struct reading){ts, value};
    return SQLITE_OK;
}

static int read_timeline(struct timeline *t, sqlite3 *db)
{
    sqlite3_stmt *stmt;
    int rc = sqlite3_prepare_v2(db,
                                "SELECT ts, clock_value FROM clock_snapshot WHERE clock_id = ? AND"
                                " typeof(ts) = 'integer' AND typeof(clock_value) = 'integer' ORDER BY ts, id",
                                -1, &stmt, NULL);
    if (rc != SQLITE_OK)
        return rc;
    t->count = 0;
    t->is_being_read = true;
    sqlite3_bind_int64(stmt, 1, t->clock);
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
        if (add(t, sqlite3_column_int64(stmt, 0), sqlite3_column_int64(stmt, 1)) != SQLITE_OK)
            break;
    t->is_being_read = false;
    t->is_read = rc == SQLITE_DONE;
    sqlite3_finalize(stmt);
    return rc == SQLITE_ROW ? SQLITE_NOMEM : rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Returns the reading at TS, counted on from FROM. A sum that does not fit wraps. */
static int64_t shift(const struct reading *from, int64_t ts)
{
    return (int64_t)((uint64_t)from->value + (uint64_t)ts - (uint64_t)from->ts);
}

/* Returns the reading of the clock at TS. It continues from the last reading before TS, but not beyond the next one.
 * Before the first reading it is constant. */
static int64_t convert(const struct timeline *t, int64_t ts)
{
    size_t from = 0, to = t->count; /* the first reading not before TS is between these */
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (t->rows[middle].ts < ts)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == t->count)
        return shift(&t->rows[from - 1], ts);
    int64_t next = t->rows[from].value;
    if (from == 0 || t->rows[from].ts == ts)
        return next;
    int64_t here = shift(&t->rows[from - 1], ts);
    return here < next ? here : next;
}

/* Reads the argument and converts it. False: the result is set; it is NULL if the clock was never read. */
static bool take(sqlite3_context *context, sqlite3_value *argument, struct timeline *t, const char *name, int64_t *out)
{
    sqlite3 *db = sqlite3_context_db_handle(context);
    char text[64];
    int type = sqlite3_value_type(argument);
    if (type == SQLITE_NULL)
        return false;
    if (type != SQLITE_INTEGER) {
        (void)snprintf(text, sizeof text, "%s: first argument should be timestamp", name);
        sqlite3_result_error(context, text, -1);
        return false;
    }
    if (t->is_being_read) {
        (void)snprintf(text, sizeof text, "%s: clock_snapshot is a view that calls it", name);
        sqlite3_result_error(context, text, -1);
        return false;
    }
    int rc = t->is_read ? SQLITE_OK : read_timeline(t, db);
    if (rc == SQLITE_NOMEM)
        sqlite3_result_error_nomem(context);
    else if (rc != SQLITE_OK)
        sqlite3_result_error(context, sqlite3_errmsg(db), -1);
    if (rc != SQLITE_OK)
        return false;
    if (t->count == 0)
        return false;
    *out = convert(t, sqlite3_value_int64(argument));
    return true;
}

static void to_realtime(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    struct clocks *c = sqlite3_user_data(context);
    int64_t value;
    (void)argc;
    if (take(context, argv[0], &c->real, "TO_REALTIME", &value))
        sqlite3_result_int64(context, value);
}

static void to_monotonic(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    struct clocks *c = sqlite3_user_data(context);
    int64_t value;
    (void)argc;
    if (take(context, argv[0], &c->monotonic, "TO_MONOTONIC", &value))
        sqlite3_result_int64(context, value);
}

static void abs_time_str(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    struct clocks *c = sqlite3_user_data(context);
    struct tm date;
    char text[96];
    int64_t value;
    (void)argc;
    if (!take(context, argv[0], &c->real, "ABS_TIME_STR", &value))
        return;
    time_t seconds = (time_t)(value / 1000000000);
    if (gmtime_r(&seconds, &date) == NULL)
        return;
    int len = snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%09" PRId64, date.tm_year + 1900,
                       date.tm_mon + 1, date.tm_mday, date.tm_hour, date.tm_min, date.tm_sec, value % 1000000000);
    sqlite3_result_text(context, text, len, SQLITE_TRANSIENT);
}

int tm_extension_add_clock_functions(sqlite3 *db)
{
    static const struct {
        const char *name;
        void (*call)(sqlite3_context *context, int argc, sqlite3_value **argv);
    } functions[] = {{"to_realtime", to_realtime}, {"to_monotonic", to_monotonic}, {"abs_time_str", abs_time_str}};
    struct clocks *c = sqlite3_malloc(sizeof *c);
    int rc = SQLITE_OK;
    if (c == NULL)
        return SQLITE_NOMEM;
    *c = (struct clocks){.real.clock = CLOCK_OF_REALTIME, .monotonic.clock = CLOCK_OF_MONOTONIC, .users = 1};
    for (size_t i = 0; i < sizeof functions / sizeof *functions && rc == SQLITE_OK; i++) {
        c->users++; /* SQLite decrements it, also on failure */
        rc = sqlite3_create_function_v2(db, functions[i].name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, c,
                                        functions[i].call, NULL, NULL, release);
    }
    release(c);
    return rc;
}
