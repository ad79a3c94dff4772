/* Formats of tracepoints. tracefs has them in the file "format" of an event, and perf copies them into its file. By
 * them, the fields of a tracepoint are written as in a line of ftrace text. Source: trace-event-info.c of perf,
 * Documentation/trace/events.rst of Linux. */
#ifndef TM_FORMAT_PERF_DATA_TRACEPOINTS_H
#define TM_FORMAT_PERF_DATA_TRACEPOINTS_H

#include "base/buf.h"
#include "base/map.h"
#include "format/perf_data/cursor.h"

enum {
    TM_TRACEPOINTS_MAX = 1 << 16,         /* formats of one file */
    TM_TRACEPOINT_FIELDS_MAX = 1 << 20,   /* fields of all of them */
    TM_TRACEPOINT_OWN_FIELDS_MAX = 1024,  /* fields of one of them */
    TM_TRACEPOINT_BYTES_MAX = 64 << 20,   /* text of all of them */
    TM_TRACEPOINT_TEXT_MAX = 64 << 10     /* text of one event, which Linux limits to 8 KiB (PERF_MAX_TRACE_SIZE) */
};

enum tm_tracepoint_type {
    TM_TRACEPOINT_NUMBER,
    TM_TRACEPOINT_ADDRESS,  /* shown in hexadecimal */
    TM_TRACEPOINT_TEXT,     /* bytes up to a NUL */
    TM_TRACEPOINT_DATA_LOC, /* a text elsewhere in the event: its offset in the low, its length in the high 16 bits */
    TM_TRACEPOINT_REL_LOC,  /* like DATA_LOC, with an offset from the end of the field */
    TM_TRACEPOINT_BYTES     /* any other array, shown in hexadecimal */
};

/* How a field's value is shown. */
enum tm_tracepoint_how { TM_TRACEPOINT_PLAIN, TM_TRACEPOINT_HEX, TM_TRACEPOINT_STATE, TM_TRACEPOINT_WORD };

struct tm_tracepoint_field {
    struct tm_text name;
    struct tm_text key; /* the text before its value */
    uint32_t offset, size;
    bool is_signed;
    enum tm_tracepoint_type type;
    enum tm_tracepoint_how how;
};

struct tm_tracepoint {
    struct tm_text system, name;
    uint32_t first_field, field_count; /* without the fields common to all events */
    uint32_t tid_offset;               /* of common_pid, 4 bytes; 0: the format does not have it */
};

/* Zero-initialise. */
struct tm_tracepoints {
    uint32_t count;
    /* private */
    struct tm_tracepoint *list;
    struct tm_tracepoint_field *fields;
    uint32_t cap, field_count, field_cap;
    struct tm_map of_id;
    struct tm_buf text; /* the formats; spans point into it */
    bool is_big;
};

/* Reads the formats in the LEN bytes at DATA, which are copied: HEADER_TRACING_DATA of a file, or the bytes after
 * PERF_RECORD_HEADER_TRACING_DATA. Call it once. TM_OK; TM_END: they are damaged from some point on, and those before
 * it are known; TM_E_INPUT: a limit; TM_E_SYSTEM. */
enum tm_status tm_tracepoints_read(struct tm_tracepoints *points, const uint8_t *data, size_t len,
                                   struct tm_error *err);

/* The tracepoint with number ID, or NULL. */
const struct tm_tracepoint *tm_tracepoints_find(const struct tm_tracepoints *points, uint64_t id);

/* A recorded event of POINT. */
struct tm_tracepoint_event {
    const struct tm_tracepoint *point;
    const uint8_t *raw;
    size_t len;
    uint32_t kernel_version; /* tm_kernel_version_parse */
};

/* Returns the thread that EVENT was recorded in, as the kernel states it in common_pid. -1: unknown. */
int32_t tm_tracepoints_tid(const struct tm_tracepoints *points, const struct tm_tracepoint_event *event);

/* Appends the fields of EVENT to OUT: "name=value", separated by blanks. Fields that a reader of ftrace text uses have
 * the kernel's form. TM_OK; TM_END: the first field that would exceed TM_TRACEPOINT_TEXT_MAX and those after it are
 * left out; TM_E_SYSTEM. */
enum tm_status tm_tracepoints_put(const struct tm_tracepoints *points, const struct tm_tracepoint_event *event,
                                  struct tm_buf *out);

void tm_tracepoints_release(struct tm_tracepoints *points);

#endif
