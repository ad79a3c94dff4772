/* The tables of a database, and which of the known columns of Nsight Systems each table has. */
#ifndef TM_FORMAT_NSIGHT_SCHEMA_H
#define TM_FORMAT_NSIGHT_SCHEMA_H

#include "format/nsight/database.h"

/* Columns by the names of the schema reference (schema.c). */
enum tm_nsight_column {
    TM_NS_START,
    TM_NS_END,
    TM_NS_TIMESTAMP,
    TM_NS_GLOBAL_TID,
    TM_NS_GLOBAL_PID,
    TM_NS_NAME_ID,
    TM_NS_TEXT,
    TM_NS_TEXT_ID,
    TM_NS_EVENT_TYPE,
    TM_NS_RANGE_ID,
    TM_NS_CATEGORY,
    TM_NS_COLOR,
    TM_NS_DOMAIN_ID,
    TM_NS_END_GLOBAL_TID,
    TM_NS_UINT64,
    TM_NS_INT64,
    TM_NS_DOUBLE,
    TM_NS_UINT32,
    TM_NS_INT32,
    TM_NS_FLOAT,
    TM_NS_JSON_TEXT,
    TM_NS_JSON_TEXT_ID,
    TM_NS_CORRELATION_ID,
    TM_NS_RETURN_VALUE,
    TM_NS_DEVICE_ID,
    TM_NS_CONTEXT_ID,
    TM_NS_STREAM_ID,
    TM_NS_SHORT_NAME,
    TM_NS_DEMANGLED_NAME,
    TM_NS_GRID_X,
    TM_NS_GRID_Y,
    TM_NS_GRID_Z,
    TM_NS_BLOCK_X,
    TM_NS_BLOCK_Y,
    TM_NS_BLOCK_Z,
    TM_NS_REGISTERS,
    TM_NS_STATIC_SHARED,
    TM_NS_DYNAMIC_SHARED,
    TM_NS_GRAPH_NODE_ID,
    TM_NS_BYTES,
    TM_NS_COPY_KIND,
    TM_NS_SRC_KIND,
    TM_NS_DST_KIND,
    TM_NS_SRC_DEVICE_ID,
    TM_NS_DST_DEVICE_ID,
    TM_NS_VALUE,
    TM_NS_MEM_KIND,
    TM_NS_ID,
    TM_NS_NAME,
    TM_NS_PID,
    TM_NS_UTC_EPOCH_NS,
    TM_NS_CPU,
    TM_NS_IS_SCHED_IN,
    TM_NS_COLUMNS
};

#define TM_NS_BIT(column) (UINT64_C(1) << (column))

struct tm_nsight_table {
    char *name;       /* letters, digits and underscores; owned */
    uint64_t columns; /* a bit for each column that it has */
};

/* Zero-initialise. */
struct tm_nsight_schema {
    struct tm_nsight_table *tables; /* in the order of the database; no views, no virtual tables */
    uint32_t count, cap;
};

/* Returns the name of COLUMN in the database. */
const char *tm_nsight_column_name(enum tm_nsight_column column);

/* Reads the schema of D. TM_OK, TM_E_INPUT (damaged, too many tables) or TM_E_SYSTEM. */
enum tm_status tm_nsight_schema_read(struct tm_nsight_schema *schema, struct tm_nsight_database *d,
                                     struct tm_error *err);

/* The table NAME, or NULL. */
const struct tm_nsight_table *tm_nsight_schema_find(const struct tm_nsight_schema *schema, const char *name);

/* A query for the columns WANT of TABLE. END is the rest of the SQL text, such as a WHERE clause. */
struct tm_nsight_query {
    const struct tm_nsight_table *table;
    uint64_t want;
    const char *end;
};

/* Prepares a statement for QUERY. Its columns are in the order of their numbers; those that the table lacks are NULL.
 * Sets RESULT to the index of each column in a row. TM_OK or an error. */
enum tm_status tm_nsight_schema_select(struct tm_nsight_database *d, const struct tm_nsight_query *query,
                                       int result[TM_NS_COLUMNS], sqlite3_stmt **statement, struct tm_error *err);

void tm_nsight_schema_release(struct tm_nsight_schema *schema);

#endif
