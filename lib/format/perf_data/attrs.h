/* The events that a recording counted (struct perf_event_attr), and which event a record belongs to. Source:
 * perf_event_open(2), include/uapi/linux/perf_event.h of Linux. */
#ifndef TM_FORMAT_PERF_DATA_ATTRS_H
#define TM_FORMAT_PERF_DATA_ATTRS_H

#include "base/buf.h"
#include "base/map.h"
#include "format/perf_data/cursor.h"

enum { TM_PERF_ATTRS_MAX = 1 << 16, TM_PERF_IDS_MAX = 1 << 22, TM_PERF_ATTR_BYTES_MAX = 4096,
       TM_PERF_EVENT_NAME_MAX = 4096 };

enum tm_perf_type { TM_PERF_TYPE_HARDWARE = 0, TM_PERF_TYPE_SOFTWARE = 1, TM_PERF_TYPE_TRACEPOINT = 2 };

/* The parts of a sample (sample_type). */
enum tm_perf_sample_bit {
    TM_PERF_SAMPLE_IP = 1 << 0,
    TM_PERF_SAMPLE_TID = 1 << 1,
    TM_PERF_SAMPLE_TIME = 1 << 2,
    TM_PERF_SAMPLE_ADDR = 1 << 3,
    TM_PERF_SAMPLE_READ = 1 << 4,
    TM_PERF_SAMPLE_CALLCHAIN = 1 << 5,
    TM_PERF_SAMPLE_ID = 1 << 6,
    TM_PERF_SAMPLE_CPU = 1 << 7,
    TM_PERF_SAMPLE_PERIOD = 1 << 8,
    TM_PERF_SAMPLE_STREAM_ID = 1 << 9,
    TM_PERF_SAMPLE_RAW = 1 << 10,
    TM_PERF_SAMPLE_BRANCH_STACK = 1 << 11,
    TM_PERF_SAMPLE_REGS_USER = 1 << 12,
    TM_PERF_SAMPLE_STACK_USER = 1 << 13,
    TM_PERF_SAMPLE_IDENTIFIER = 1 << 16
};

/* The form of a count inside a sample (read_format). */
enum tm_perf_read_bit {
    TM_PERF_READ_ENABLED = 1 << 0,
    TM_PERF_READ_RUNNING = 1 << 1,
    TM_PERF_READ_ID = 1 << 2,
    TM_PERF_READ_GROUP = 1 << 3,
    TM_PERF_READ_LOST = 1 << 4
};

/* Bits of branch_sample_type that add fields to a stack of branches. */
enum tm_perf_branch_bit { TM_PERF_BRANCH_HW_INDEX = 1 << 17, TM_PERF_BRANCH_COUNTERS = 1 << 19 };

struct tm_tracepoint;

struct tm_perf_attr {
    uint32_t type;
    uint64_t config, period, sample_type, read_format, branch_type;
    uint64_t user_registers; /* a bit for each register that a sample of a user's stack has */
    bool inherits;      /* new threads are counted separately, under the same id */
    bool is_backward;   /* its buffer was written backwards: the newest record comes first */
    bool has_frequency; /* period is a frequency */
    bool has_sample_id_all;   /* sample_id_all: records other than samples end with time, thread and id */
    bool has_clockid;
    int32_t clockid;    /* of clock_gettime(2), if has_clockid */
    size_t name_at, name_len; /* in names; name_len 0: no name was stated */
    const struct tm_tracepoint *tracepoint; /* borrowed; NULL: not a tracepoint, or unknown */
};

/* Zero-initialise. */
struct tm_perf_attrs {
    struct tm_perf_attr *list;
    uint32_t count;
    /* private */
    uint32_t cap;
    struct tm_map of_id; /* from an id to the number of its attr */
    struct tm_buf names;
};

/* Adds the attr in the SIZE bytes at C. TM_OK; TM_END: it is cut short, or shorter than the first version;
 * TM_E_INPUT: a limit; TM_E_SYSTEM. */
enum tm_status tm_perf_attrs_add(struct tm_perf_attrs *attrs, struct tm_perf_cursor *c, uint64_t size,
                                 struct tm_error *err);

/* Relates ID to attr number ATTR. TM_OK; TM_E_INPUT: a limit; TM_E_SYSTEM. */
enum tm_status tm_perf_attrs_id(struct tm_perf_attrs *attrs, uint64_t id, uint32_t attr, struct tm_error *err);

/* The attr of ID, or NULL. */
struct tm_perf_attr *tm_perf_attrs_find(const struct tm_perf_attrs *attrs, uint64_t id);

/* The attr of RECORD, the bytes after its header. It is the only attr if there is one; otherwise that of the id at the
 * record's front (IS_SAMPLE) or end; the first attr for a record without an id. NULL: there is no attr, or a sample has
 * an unknown id. */
const struct tm_perf_attr *tm_perf_attrs_of(const struct tm_perf_attrs *attrs, const struct tm_perf_cursor *record,
                                            bool is_sample);

/* Sets the name of ATTR to NAME, which is copied. TM_OK; TM_E_INPUT: a limit; TM_E_SYSTEM. */
enum tm_status tm_perf_attrs_name(struct tm_perf_attrs *attrs, struct tm_perf_attr *attr, struct tm_text name,
                                  struct tm_error *err);

/* Returns the name of ATTR: the stated one, or one made of its type and config. It points into ATTRS, to static text or
 * into ROOM. */
enum { TM_PERF_NAME_ROOM = 64 };
struct tm_text tm_perf_attrs_name_of(const struct tm_perf_attrs *attrs, const struct tm_perf_attr *attr,
                                     char room[TM_PERF_NAME_ROOM]);

void tm_perf_attrs_release(struct tm_perf_attrs *attrs);

#endif
