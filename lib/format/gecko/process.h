/* The facts of a process in a Gecko profile: its start, the names of its categories, its libraries, and the fields of
 * marker payloads that contain numbers of strings. */
#ifndef TM_FORMAT_GECKO_PROCESS_H
#define TM_FORMAT_GECKO_PROCESS_H

#include "base/map.h"
#include "format/gecko/names.h"
#include "json/cursor.h"

struct tm_gecko_lib {
    uint64_t start, end; /* addresses; both 0 in a preprocessed profile */
    uint64_t base;       /* addresses in it are relative to this */
    uint32_t name;       /* its index in "libs" and in lib_names */
};

/* The clocks that state the start. */
enum tm_gecko_start {
    TM_GECKO_START_MONOTONIC, /* startTimeAsClockMonotonicNanosecondsSinceBoot */
    TM_GECKO_START_MACH,      /* startTimeAsMachAbsoluteTimeNanoseconds */
    TM_GECKO_START_REALTIME,  /* startTime, milliseconds */
    TM_GECKO_START_COUNT
};

/* Zero-initialise. */
struct tm_gecko_process {
    bool has_meta;
    bool has_pid; /* from the first thread that states one */
    int64_t pid;
    bool has_start[TM_GECKO_START_COUNT];
    int64_t start_ns[TM_GECKO_START_COUNT];
    struct tm_gecko_names categories;
    struct tm_map string_fields; /* by tm_gecko_field_key */
    struct tm_map string_types;  /* hashes of the types that have string_fields */
    struct tm_gecko_lib *libs; /* by start */
    uint32_t lib_count, lib_cap;
    struct tm_gecko_names lib_names;
    uint64_t left_out; /* entries beyond TM_GECKO_LIST_MAX */
};

/* The kind of string whose number a payload field contains. These are the values of string_fields. */
enum tm_gecko_string_field { TM_GECKO_FIELD_STRING = 1, TM_GECKO_FIELD_FLOW, TM_GECKO_FIELD_FLOW_END };

/* A key for a field of a type of payload. */
uint64_t tm_gecko_field_key(const uint8_t *type, size_t type_len, const uint8_t *field, size_t field_len);

/* Reads "meta", a complete value. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_gecko_process_meta(struct tm_gecko_process *process, const struct tm_json_value *meta,
                                     struct tm_buf *scratch);

/* Reads "libs", the array at CURSOR. TM_OK or an error. */
enum tm_status tm_gecko_process_libs(struct tm_gecko_process *process, struct tm_json_cursor *cursor,
                                     struct tm_buf *scratch, struct tm_error *err);

/* The library that contains ADDRESS, or NULL. */
const struct tm_gecko_lib *tm_gecko_process_lib_at(const struct tm_gecko_process *process, uint64_t address);

/* Sets *NS to the start of PROCESS minus the start of ROOT, by the most exact clock that both state. False: unknown. */
bool tm_gecko_process_offset(const struct tm_gecko_process *process, const struct tm_gecko_process *root, int64_t *ns);

void tm_gecko_process_release(struct tm_gecko_process *process);

#endif
