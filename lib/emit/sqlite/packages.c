/* Rows of tm_package: the apps that a device has, from its lists of packages. */
#include "emit/sqlite/internal.h"

#include "base/pb.h"

/* Fields of PackagesList and PackageInfo. */
enum { LIST_PACKAGE = 1, NAME = 1, UID = 2, IS_DEBUGGABLE = 3, IS_PROFILEABLE = 4, VERSION = 5 };

static enum tm_status put_package(struct tm_sqlite *s, struct tm_place place, struct tm_pb pb, struct tm_error *err)
{
    sqlite3_stmt *stmt = s->statements[TM_SQL_PACKAGE];
    struct tm_text name = {0}; /* data NULL: not stated */
    struct tm_pb_field f;
    int64_t uid = 0, version = 0;
    bool is_debuggable = false, is_profileable = false;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == NAME && f.type == TM_PB_LEN)
            name = tm_text_at(f.data, f.len);
        else if (f.id == UID && f.type == TM_PB_VARINT)
            uid = (int64_t)f.value;
        else if (f.id == IS_DEBUGGABLE && f.type == TM_PB_VARINT)
            is_debuggable = f.value != 0;
        else if (f.id == IS_PROFILEABLE && f.type == TM_PB_VARINT)
            is_profileable = f.value != 0;
        else if (f.id == VERSION && f.type == TM_PB_VARINT)
            version = (int64_t)f.value;
    }
    sqlite3_bind_int64(stmt, 2, uid);
    sqlite3_bind_int64(stmt, 3, is_debuggable);
    sqlite3_bind_int64(stmt, 4, is_profileable);
    sqlite3_bind_int64(stmt, 5, version);
    sqlite3_bind_int64(stmt, 6, place.machine);
    sqlite3_bind_int64(stmt, 7, place.file);
    enum tm_status st = tm_sqlite_bind_text(s, stmt, 1, name, err);
    return st < 0 ? st : tm_sqlite_run(s, stmt, err);
}

enum tm_status tm_sqlite_packages(void *self, struct tm_place place, struct tm_text list, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(list.data, list.len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == LIST_PACKAGE && f.type == TM_PB_LEN)
            st = put_package(self, place, tm_pb_of(f.data, f.len), err);
    return st;
}
