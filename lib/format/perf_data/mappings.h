/* The mappings in the address spaces of processes over time. First everything that a file states is added. Then
 * addresses can be looked up, each at its time, in any order. So records need not be in order of time.
 *
 * A forked process inherits the mappings of its parent. A later mapping hides those that it overlaps. Unmapping is not
 * recorded. So the mappings of a program hide those of the program that ran before exec, as in perf script. */
#ifndef TM_FORMAT_PERF_DATA_MAPPINGS_H
#define TM_FORMAT_PERF_DATA_MAPPINGS_H

#include "base/intern.h"
#include "base/map.h"
#include "base/text.h"

enum {
    TM_PERF_MAPPINGS_MAX = 1 << 19,      /* of one file */
    TM_PERF_SPACES_MAX = 1 << 20,        /* address spaces of processes */
    TM_PERF_TEXTS_MAX = 1 << 20,         /* names of mapped files and symbols, and build ids */
    TM_PERF_TEXT_BYTES_MAX = 64 << 20,
    TM_PERF_ANCESTORS_MAX = 32           /* processes from which one can inherit mappings by forking */
};
enum { TM_PERF_KERNEL_PID = -1 };

struct tm_perf_mapping {
    uint64_t start, end; /* addresses; end is the last one, so that a mapping can reach the end of the space */
    uint64_t offset;     /* of START in the file */
    uint64_t time;
    uint32_t name, build_id; /* texts; TM_PERF_NO_TEXT: none */
    uint32_t space;          /* private */
    bool is_symbol;          /* the mapping is the range of one function, NAME */
};

#define TM_PERF_NO_TEXT UINT32_MAX

/* Zero-initialise, then init. */
struct tm_perf_mappings {
    struct tm_intern texts;
    /* private */
    struct tm_perf_mapping *list;
    int64_t *pids; /* by mapping, before settle */
    uint32_t count, cap, pid_cap;
    struct tm_perf_space *spaces;
    uint32_t space_count, space_cap;
    struct tm_map known;      /* pids that have a space */
    struct tm_map build_ids;  /* from a file name to its build id */
    struct tm_perf_point *points; /* starts and ends of mappings, sorted */
    uint32_t point_count;
    uint32_t *node_ends, *covers; /* a segment tree over the points: for each node the mappings that cover it */
};

void tm_perf_mappings_init(struct tm_perf_mappings *mappings);

/* Sets *NUMBER to the number of TEXT; TM_PERF_NO_TEXT if it is empty. TM_OK; TM_E_INPUT: a limit; TM_E_SYSTEM. */
enum tm_status tm_perf_mappings_text(struct tm_perf_mappings *mappings, struct tm_text text, uint32_t *number,
                                     struct tm_error *err);

/* Adds MAPPING to the address space of PID, from the mapping's time on. TM_OK; TM_E_INPUT: a limit; TM_E_SYSTEM. */
enum tm_status tm_perf_mappings_add(struct tm_perf_mappings *mappings, int64_t pid,
                                    const struct tm_perf_mapping *mapping, struct tm_error *err);

/* Adds an address space for the new process PID. From TIME on it has the mappings that PARENT has at TIME. TM_OK;
 * TM_E_INPUT: a limit; TM_E_SYSTEM. */
enum tm_status tm_perf_mappings_space(struct tm_perf_mappings *mappings, int64_t pid, int64_t parent, uint64_t time,
                                      struct tm_error *err);

/* Notes that files named NAME have BUILD_ID, unless their mapping has one. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_perf_mappings_build_id(struct tm_perf_mappings *mappings, uint32_t name, uint32_t build_id,
                                         struct tm_error *err);

/* Call it once all is added, before the first look-up. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_perf_mappings_settle(struct tm_perf_mappings *mappings, struct tm_error *err);

/* The mapping that covers ADDRESS of PID at TIME, or NULL. Call after settle. */
const struct tm_perf_mapping *tm_perf_mappings_find(const struct tm_perf_mappings *mappings, int64_t pid, uint64_t time,
                                                    uint64_t address);

/* The build id of MAPPING, or TM_PERF_NO_TEXT. */
uint32_t tm_perf_mappings_build_id_of(const struct tm_perf_mappings *mappings, const struct tm_perf_mapping *mapping);

void tm_perf_mappings_release(struct tm_perf_mappings *mappings);

#endif
