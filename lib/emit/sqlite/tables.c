/* tables: a folder with the tables of the SQL surface, each a CSV file (RFC 4180, with a header), for data frames. The
 * rows are collected in a database, which can change earlier rows in bounded memory. The files are written when it is
 * complete. */
#include "base/pb.h"
#include "emit/outputs.h"
#include "emit/sqlite/internal.h"
#include "emit/table_files.h"
#include "os/out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define QUERY_OF(table) "SELECT * FROM " #table,

static const char *const queries[] = {TM_TABLE_FILES(QUERY_OF) NULL}; /* of the members of the output */

/* Puts a value as a CSV field. NULL is an empty field; an empty text has quotes. */
static void put_value(struct tm_out *out, sqlite3_stmt *stmt, int column)
{
    size_t from = out->buf.len;
    switch (sqlite3_column_type(stmt, column)) {
    case SQLITE_NULL: break;
    case SQLITE_INTEGER: tm_out_i64(out, sqlite3_column_int64(stmt, column)); break;
    case SQLITE_FLOAT:
        tm_out_double(out, tm_pb_bits(sqlite3_column_double(stmt, column)));
        tm_out_make_real(out, from);
        break;
    default:
        if (sqlite3_column_bytes(stmt, column) == 0)
            tm_out_str(out, "\"\"");
        else
            tm_out_csv(out, (struct tm_text){sqlite3_column_text(stmt, column),
                                             (size_t)sqlite3_column_bytes(stmt, column)});
    }
}

static void put_row(struct tm_out *out, sqlite3_stmt *stmt, bool is_header)
{
    for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        if (i)
            tm_out_char(out, ',');
        if (is_header) /* tells readers that guess the format, such as DuckDB, which quotes are used */
            tm_out_quoted(out, tm_text_str(sqlite3_column_name(stmt, i)));
        else
            put_value(out, stmt, i);
    }
    tm_out_str(out, "\r\n");
}

static enum tm_status write_rows(struct tm_sqlite *s, const char *query, struct tm_out *out, struct tm_error *err)
{
    sqlite3_stmt *stmt;
    if (sqlite3_prepare_v2(s->db, query, -1, &stmt, NULL) != SQLITE_OK)
        return tm_sqlite_fail(s, err);
    put_row(out, stmt, true);
    enum tm_status st = tm_out_end_row(out, err);
    int rc = SQLITE_DONE;
    while (st == TM_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        put_row(out, stmt, false);
        st = tm_out_end_row(out, err);
    }
    if (st == TM_OK && rc != SQLITE_DONE)
        st = tm_sqlite_fail(s, err);
    sqlite3_finalize(stmt);
    return st < 0 ? st : tm_out_flush(out, err);
}

static enum tm_status write_table(struct tm_sqlite *s, size_t i, struct tm_error *err)
{
    enum { MODE = 0666 };
    const char *file = tm_emit_tables.members[i];
    char path[4096 + 64];
    struct tm_out out = {.failed = false};
    if (tm_out_file_member(s->context->path, file, path, sizeof path) < 0)
        return tm_error_errno(err, ENAMETOOLONG, "%s: cannot open for writing", file);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, MODE);
    if (fd < 0)
        return tm_error_errno(err, errno, "%s: cannot open for writing", file);
    tm_out_init(&out, fd, file);
    enum tm_status st = write_rows(s, queries[i], &out, err);
    tm_out_release(&out);
    if (close(fd) != 0 && st == TM_OK)
        st = tm_error_errno(err, errno, "%s: cannot write", file);
    return st;
}

static enum tm_status finish_tables(void *state, struct tm_error *err)
{
    enum tm_status st = tm_sqlite_finish(state, err);
    for (size_t i = 0; queries[i] && st == TM_OK; i++)
        st = write_table(state, i, err);
    return st;
}

const struct tm_emit_functions tm_emit_tables_functions = {
    .open = tm_sqlite_open,
    .frame = tm_sqlite_frame,
    .finish = finish_tables,
    .close = tm_sqlite_close,
};
