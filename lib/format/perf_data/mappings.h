/* What was mapped where in the address space of a process, and when. All that a file says is added first; then
 * addresses can be looked up, each at its time, in any order. So records need not be in the order of time.
 *
 * * A process that forks passes its mappings on. A later mapping covers those that it overlaps. That something was
 * unmapped is not recorded, so a program that is executed covers what was there before, as it does for perf script. */
#ifndef TM_FORMAT_PERF_DATA_MAPPINGS_H
#define TM_FORMAT_PERF_DATA_MAPPINGS_H

#include "base/intern.h"
#include "base/map.h"
#include "base/span.h"

enum {
    TM_PERF_MAPPINGS_MAX = 1 << 19,      /* of one file */
    TM_PERF_SPACES_MAX = 1 << 20,        /* address spaces of processes */
    TM_PERF_TEXTS_MAX = 1 << 20,         /* names of mapped files and symbols, and build ids */
    TM_PERF_TEXT_BYTES_MAX = 64 << 20,
    TM_PERF_ANCESTORS_MAX = 32           /* processes whose mappings one can have by forking */
};
enum { TM_PERF_KERNEL_PID = -1 };

struct tm_perf_mapping {
    uint64_t start, end; /* addresses; end is the last one, so that the whole space can be covered */
    uint64_t offset;     /* of START in the file */
    uint64_t time;
    uint32_t name, build_id; /* texts; TM_PERF_NO_TEXT: none */
    uint32_t space;          /* private */
    bool is_symbol;          /* NAME is a function's that covers the mapping */
};

#define TM_PERF_NO_TEXT UINT32_MAX

/* Zero-initialise, then init. */
struct tm_perf_mappings {
    struct tm_intern texts;
    /* private */
    struct tm_perf_mapping *list;
    int64_t *pids; /* of each, before settle */
    uint32_t count, cap, pid_cap;
    struct tm_perf_space *spaces;
    uint32_t space_count, space_cap;
    struct tm_map known;      /* pids that have a space */
    struct tm_map build_ids;  /* from the name of a file to its build id */
    struct tm_perf_point *points; /* where mappings begin or end, in order */
    uint32_t point_count;
    uint32_t *node_ends, *covers; /* a segment tree over the points: for each node the mappings that cover it */
};

void tm_perf_mappings_init(struct tm_perf_mappings *mappings);

/* The number of TEXT; TM_PERF_NO_TEXT if it is empty. TM_OK; TM_E_INPUT: a limit; TM_E_SYSTEM. */
enum tm_status tm_perf_mappings_text(struct tm_perf_mappings *mappings, struct tm_span text, uint32_t *number,
                                     struct tm_error *err);

/* MAPPING is in the address space of PID from its time on. TM_OK; TM_E_INPUT: a limit; TM_E_SYSTEM. */
enum tm_status tm_perf_mappings_add(struct tm_perf_mappings *mappings, int64_t pid,
                                    const struct tm_perf_mapping *mapping, struct tm_error *err);

/* PID, a new process, has from TIME on what PARENT had mapped at that time. TM_OK; TM_E_INPUT: a limit; TM_E_SYSTEM. */
enum tm_status tm_perf_mappings_space(struct tm_perf_mappings *mappings, int64_t pid, int64_t parent, uint64_t time,
                                      struct tm_error *err);

/* Files named NAME have BUILD_ID where their mapping does not say it. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_perf_mappings_build_id(struct tm_perf_mappings *mappings, uint32_t name, uint32_t build_id,
                                         struct tm_error *err);

/* All is added. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_perf_mappings_settle(struct tm_perf_mappings *mappings, struct tm_error *err);

/* The mapping that covers ADDRESS of PID at TIME, or NULL. After settle. */
const struct tm_perf_mapping *tm_perf_mappings_find(const struct tm_perf_mappings *mappings, int64_t pid, uint64_t time,
                                                    uint64_t address);

/* The build id of MAPPING, or TM_PERF_NO_TEXT. */
uint32_t tm_perf_mappings_build_id_of(const struct tm_perf_mappings *mappings, const struct tm_perf_mapping *mapping);

void tm_perf_mappings_release(struct tm_perf_mappings *mappings);

#endif
