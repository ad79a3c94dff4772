/* The thread of the output on which a stack of slices is drawn.
 *
 * A thread is one stack in Chrome JSON. An end closes the innermost matching slice of any file. When a complete event
 * ends, it cuts open slices that began within it. A slice that begins within another is its child. So the stacks of two
 * files or tracks cannot share a thread: while one has slices there, the other gets a lane of the thread, with a tid of
 * its own. Lane 0 is the thread itself. A stack keeps its lane until another takes it; that happens only when the stack
 * has no slice there.
 *
 * Memory grows with threads, stacks and the lanes that a file needs at one time. */
#ifndef TM_EMIT_CHROME_JSON_LANES_H
#define TM_EMIT_CHROME_JSON_LANES_H

#include "base/map.h"

/* Tids of lanes start here, above tids, numbers for strings, and replaced pids. */
enum { TM_JSON_LANE_TID_FIRST = 0x60000000, TM_JSON_LANE_DEPTH_MAX = 500 };

/* The thread TID of process PID on MACHINE, as FILE uses it. PID and TID are numbers of the output. */
struct tm_json_owner {
    uint32_t file, machine;
    int64_t pid, tid;
};

/* One stack. Zero-initialise, then join. */
struct tm_json_holder {
    uint32_t thread; /* index in threads plus 1; 0: has not joined a thread */
    uint32_t number; /* its own number */
    uint32_t file;
    uint32_t lane;   /* its last lane */
};

struct tm_json_lane {
    int64_t tid;
    int64_t until_ns; /* slices with a known end have ended by then */
    int64_t last_ns;  /* time of the last begin or instant */
    uint32_t holder;  /* the last stack on the lane; 0: none */
    uint32_t file;    /* the file that the lane belongs to; lane 0 belongs to all */
    uint32_t place;   /* its index among the lanes of the file plus 1; 0: lane 0 */
    bool is_open;     /* the holder has slices there without a known end */
    bool is_named;    /* for the output: its name has been written */
};

struct tm_json_thread {
    int64_t pid, tid; /* of the output */
    uint32_t machine;
    struct tm_json_lane *lanes;
    uint32_t lane_count, lane_cap;
    uint32_t endless_lane, endless_count; /* the lane for slices without an end; their number there */
};

/* The lanes of a file on a thread, in order. */
struct tm_json_lane_list {
    uint32_t *lanes; /* numbers in the thread */
    uint32_t count, cap;
    uint32_t first_free; /* all lanes before this one have something open */
};

/* Zero-initialise. */
struct tm_json_lanes {
    struct tm_json_thread *threads;
    uint32_t count;
    /* private */
    uint32_t cap, holder_count;
    struct tm_map by_id;
    struct tm_json_lane_list *lists;
    uint32_t list_count, list_cap;
    struct tm_map list_of; /* (number of the thread << 32 | file) */
    int64_t next_tid;
};

/* HOLDER joins the thread of OWNER. It leaves an earlier thread if the process has another number now and HOLDER has
 * nothing open there. TM_OK or TM_E_SYSTEM, like all functions below. */
enum tm_status tm_json_lanes_join(struct tm_json_lanes *lanes, struct tm_json_holder *holder,
                                  const struct tm_json_owner *owner);

/* TID is a tid of an input: no lane made later gets it. */
void tm_json_lanes_avoid(struct tm_json_lanes *lanes, int64_t tid);

/* Sets holder->lane to the lane of HOLDER from SINCE_NS on: its last one unless another stack took it, then another
 * one. */
enum tm_status tm_json_lanes_take(struct tm_json_lanes *lanes, struct tm_json_holder *holder, int64_t since_ns);

/* Sets holder->lane to HOLDER's last lane, or to a new one if another holder took it. For events that bind to the last
 * slice there, which may have ended. */
enum tm_status tm_json_lanes_take_last(struct tm_json_lanes *lanes, struct tm_json_holder *holder);

/* Sets holder->lane to a lane other than HOLDER's. Open slices move there. */
enum tm_status tm_json_lanes_leave(struct tm_json_lanes *lanes, struct tm_json_holder *holder, int64_t since_ns);

/* Notes a slice of HOLDER on its lane from TS_NS to END_NS. */
void tm_json_lanes_use(struct tm_json_lanes *lanes, const struct tm_json_holder *holder, int64_t ts_ns, int64_t end_ns);

/* Notes whether HOLDER has an open slice on its lane. */
void tm_json_lanes_set_open(struct tm_json_lanes *lanes, const struct tm_json_holder *holder, bool is_open);

/* Sets *LANE to the lane where a slice of HOLDER without an end is written as a begin, after everything else.
 * IS_CROSSED: a slice of the stack within it would be read before it. */
enum tm_status tm_json_lanes_endless(struct tm_json_lanes *lanes, struct tm_json_holder *holder, bool is_crossed,
                                     uint32_t *lane);

void tm_json_lanes_release(struct tm_json_lanes *lanes);

#endif
