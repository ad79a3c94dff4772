#include "format/nsight/schema.h"

#include "base/table.h"
#include "format/nsight/nsight.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const names[TM_NS_COLUMNS] = {
    [TM_NS_START] = "start", [TM_NS_END] = "end", [TM_NS_TIMESTAMP] = "timestamp", [TM_NS_GLOBAL_TID] = "globalTid",
    [TM_NS_GLOBAL_PID] = "globalPid", [TM_NS_NAME_ID] = "nameId", [TM_NS_TEXT] = "text", [TM_NS_TEXT_ID] = "textId",
    [TM_NS_EVENT_TYPE] = "eventType", [TM_NS_RANGE_ID] = "rangeId", [TM_NS_CATEGORY] = "category",
    [TM_NS_COLOR] = "color", [TM_NS_DOMAIN_ID] = "domainId", [TM_NS_END_GLOBAL_TID] = "endGlobalTid",
    [TM_NS_UINT64] = "uint64Value", [TM_NS_INT64] = "int64Value", [TM_NS_DOUBLE] = "doubleValue",
    [TM_NS_UINT32] = "uint32Value", [TM_NS_INT32] = "int32Value", [TM_NS_FLOAT] = "floatValue",
    [TM_NS_JSON_TEXT] = "jsonText", [TM_NS_JSON_TEXT_ID] = "jsonTextId", [TM_NS_CORRELATION_ID] = "correlationId",
    [TM_NS_RETURN_VALUE] = "returnValue", [TM_NS_DEVICE_ID] = "deviceId", [TM_NS_CONTEXT_ID] = "contextId",
    [TM_NS_STREAM_ID] = "streamId", [TM_NS_SHORT_NAME] = "shortName", [TM_NS_DEMANGLED_NAME] = "demangledName",
    [TM_NS_GRID_X] = "gridX", [TM_NS_GRID_Y] = "gridY", [TM_NS_GRID_Z] = "gridZ", [TM_NS_BLOCK_X] = "blockX",
    [TM_NS_BLOCK_Y] = "blockY", [TM_NS_BLOCK_Z] = "blockZ", [TM_NS_REGISTERS] = "registersPerThread",
    [TM_NS_STATIC_SHARED] = "staticSharedMemory", [TM_NS_DYNAMIC_SHARED] = "dynamicSharedMemory",
    [TM_NS_GRAPH_NODE_ID] = "graphNodeId", [TM_NS_BYTES] = "bytes", [TM_NS_COPY_KIND] = "copyKind",
    [TM_NS_SRC_KIND] = "srcKind", [TM_NS_DST_KIND] = "dstKind", [TM_NS_SRC_DEVICE_ID] = "srcDeviceId",
    [TM_NS_DST_DEVICE_ID] = "dstDeviceId", [TM_NS_VALUE] = "value", [TM_NS_MEM_KIND] = "memKind", [TM_NS_ID] = "id",
    [TM_NS_NAME] = "name", [TM_NS_PID] = "pid", [TM_NS_UTC_EPOCH_NS] = "utcEpochNs", [TM_NS_CPU] = "cpu",
    [TM_NS_IS_SCHED_IN] = "isSchedIn",
};

const char *tm_nsight_column_name(enum tm_nsight_column column)
{
    return names[column];
}

/* True if NAME needs no escapes between quotation marks in SQL, and is not a table of SQLite itself. */
static bool is_simple_name(const char *name)
{
    size_t i = 0;
    while (isalnum((unsigned char)name[i]) || name[i] == '_')
        i++;
    return i > 0 && i < 128 && name[i] == '\0' && strncasecmp(name, "sqlite_", 7) != 0;
}

static enum tm_status read_columns(struct tm_nsight_database *d, struct tm_nsight_table *table, struct tm_error *err)
{
    struct tm_buf sql = {0};
    sqlite3_stmt *statement = NULL;
    if (tm_buf_addf(&sql, "PRAGMA table_info(\"%s\")", table->name) != TM_OK || tm_buf_cstr(&sql) == NULL) {
        tm_buf_release(&sql);
        return tm_error_nomem(err);
    }
    enum tm_status st = tm_nsight_database_prepare(d, (const char *)sql.data, &statement, err);
    while (st == TM_OK && (st = tm_nsight_database_step(d, statement, err)) == TM_OK) {
        const char *name = (const char *)sqlite3_column_text(statement, 1);
        for (int i = 0; name && i < TM_NS_COLUMNS; i++)
            if (strcasecmp(name, names[i]) == 0)
                table->columns |= TM_NS_BIT(i);
    }
    sqlite3_finalize(statement);
    tm_buf_release(&sql);
    return st == TM_END ? TM_OK : st;
}

static enum tm_status add_table(struct tm_nsight_schema *schema, const char *name, struct tm_error *err)
{
    if (schema->count == TM_NSIGHT_TABLES_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than the limit of %d tables", TM_NSIGHT_TABLES_MAX);
    enum tm_status st = tm_array_grow(&schema->tables, &schema->cap, schema->count, sizeof *schema->tables, err);
    if (st < 0)
        return st;
    schema->tables[schema->count] = (struct tm_nsight_table){.name = strdup(name)};
    return schema->tables[schema->count++].name ? TM_OK : tm_error_nomem(err);
}

enum tm_status tm_nsight_schema_read(struct tm_nsight_schema *schema, struct tm_nsight_database *d,
                                     struct tm_error *err)
{
    static const char create[] = "CREATE TABLE";
    sqlite3_stmt *statement;
    enum tm_status st =
        tm_nsight_database_prepare(d, "SELECT name, sql, type FROM sqlite_master", &statement, err);
    while (st == TM_OK && (st = tm_nsight_database_step(d, statement, err)) == TM_OK) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        const char *sql = (const char *)sqlite3_column_text(statement, 1);
        const char *type = (const char *)sqlite3_column_text(statement, 2);
        if (name && sql && type && strcmp(type, "table") == 0 && is_simple_name(name) &&
            strncasecmp(sql, create, sizeof create - 1) == 0)
            st = add_table(schema, name, err);
    }
    sqlite3_finalize(statement);
    for (uint32_t i = 0; i < schema->count && st >= 0; i++)
        st = read_columns(d, &schema->tables[i], err);
    return st < 0 ? st : TM_OK;
}

const struct tm_nsight_table *tm_nsight_schema_find(const struct tm_nsight_schema *schema, const char *name)
{
    for (uint32_t i = 0; i < schema->count; i++)
        if (strcasecmp(schema->tables[i].name, name) == 0)
            return &schema->tables[i];
    return NULL;
}

enum tm_status tm_nsight_schema_select(struct tm_nsight_database *d, const struct tm_nsight_query *query,
                                       int result[TM_NS_COLUMNS], sqlite3_stmt **statement, struct tm_error *err)
{
    struct tm_buf sql = {0};
    int count = 0;
    *statement = NULL;
    enum tm_status st = tm_buf_add_str(&sql, "SELECT ");
    for (int i = 0; i < TM_NS_COLUMNS && st == TM_OK; i++) {
        if (!(query->want & TM_NS_BIT(i)))
            continue;
        result[i] = count;
        st = tm_buf_addf(&sql, query->table->columns & TM_NS_BIT(i) ? "%s\"%s\"" : "%sNULL", count++ > 0 ? ", " : "",
                         names[i]);
    }
    if (st == TM_OK)
        st = tm_buf_addf(&sql, " FROM \"%s\" %s", query->table->name, query->end);
    const char *text = st == TM_OK ? tm_buf_cstr(&sql) : NULL;
    st = text ? tm_nsight_database_prepare(d, text, statement, err) : tm_error_nomem(err);
    tm_buf_release(&sql);
    return st;
}

void tm_nsight_schema_release(struct tm_nsight_schema *schema)
{
    for (uint32_t i = 0; i < schema->count; i++)
        free(schema->tables[i].name);
    free(schema->tables);
    *schema = (struct tm_nsight_schema){0};
}
