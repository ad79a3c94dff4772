/* The fields of a manifest as its text gives them. Each is checked by itself: types, ranges, names of clocks. config.h
 * checks what fields state about each other. */
#ifndef TM_MANIFEST_FIELDS_H
#define TM_MANIFEST_FIELDS_H

#include "stream/clock_id.h"
#include "manifest/clock_points.h"

enum { TM_MANIFEST_VERSION = 1 };

/* Strings are borrowed from the JSON tree. They are NULL if the field is missing or invalid. Clocks are builtin clock
 * ids, or 0. Items are the JSON values, for the places of problems. */

struct tm_manifest_machine {
    uint32_t id;      /* embedded */
    const char *name;
    const cJSON *item;
};

struct tm_manifest_clocks {
    const cJSON *item, *sync_to;
    bool given;
    bool pins; /* no `clock` */
    uint32_t clock;
    const char *machine;
    const char *ref_file;
    const char *ref_machine;
    uint32_t ref_clock; /* TM_CLOCK_TRACE_FILE if the manifest leaves it out */
    int64_t offset_ns;
    struct tm_manifest_points points;
};

struct tm_manifest_file {
    const cJSON *item;
    const char *path;
    const char *machine;
    bool has_bad_machine; /* its machine or machines have a problem, so its declarations are not known */
    bool has_machines;
    struct tm_manifest_machine *machines; /* into tm_manifest_fields.machines */
    size_t machine_count;
    struct tm_manifest_clocks clocks;
};

struct tm_manifest_attribute {
    const char *key;
    const char *text; /* NULL: an integer */
    int64_t integer;
};

/* Zero-initialise. */
struct tm_manifest_fields {
    struct tm_manifest_file *files; /* owned */
    size_t file_count;
    struct tm_manifest_attribute *attributes; /* owned */
    size_t attribute_count;
    struct tm_json_text *json;
    const cJSON *trace_time;
    uint32_t trace_time_clock;
    const char *trace_time_file;
    const char *trace_time_machine;
    /* private */
    struct tm_manifest_machine *machines; /* of all files */
};

/* The end of a message about an unknown clock. */
#define TM_MANIFEST_CLOCKS                                                                                            \
    "Use one of REALTIME, REALTIME_COARSE, MONOTONIC, MONOTONIC_COARSE, MONOTONIC_RAW, BOOTTIME"

/* Returns the id of the clock called NAME (LEN bytes), or 0. Source: perfetto_manifest(5), Clock names; ids of
 * builtin_clock.proto. */
uint32_t tm_manifest_clock(const char *name, size_t len);

/* Reads the fields of JSON, which must outlive FIELDS. TM_OK, even if problems were added to PROBLEMS. TM_END, with a
 * problem, if the manifest is of another version, whose fields have unknown meanings. TM_E_SYSTEM if out of memory. */
enum tm_status tm_manifest_fields_read(struct tm_manifest_fields *fields, struct tm_json_text *json,
                                       struct tm_manifest_problems *problems);

void tm_manifest_fields_release(struct tm_manifest_fields *fields);

#endif
