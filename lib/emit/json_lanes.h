/* On which thread of the output a stack of slices is drawn.
 *
 * A thread is one stack in Chrome JSON: of begins and ends, an end closes the innermost slice that fits, whoever began
 * it, and a complete event that ends cuts what began within it and is open. So where stacks of two files or tracks that
 * are on one thread could do that to each other, one of them gets a lane of the thread: a tid of its own. Lane 0 is the
 * thread itself. Complete events alone share it, whatever they cross: readers put those beside each other.
 *
 * Memory grows with threads, stacks and the lanes that are needed at one time. */
#ifndef TM_EMIT_JSON_LANES_H
#define TM_EMIT_JSON_LANES_H

#include "base/map.h"

/* Tids of lanes start here: clear of tids, of numbers that stand for strings, of pids that were given away. */
enum { TM_JSON_LANE_TID_FIRST = 0x60000000, TM_JSON_LANE_DEPTH_MAX = 500 };

/* One stack's part. Zero-initialise, then join. */
struct tm_json_holder {
    uint32_t thread; /* number in threads, plus 1; 0: has not joined one */
    uint32_t number; /* its own */
    uint32_t lane;   /* where its slices are while it has some */
    uint32_t open;   /* slices that have begun and did not end */
    uint32_t live;   /* those of them that were written as begins */
    int64_t until_ns; /* its complete events take the lane until then */
};

struct tm_json_lane {
    int64_t tid, until_ns;
    uint32_t holder; /* its number, 0: nobody's */
    bool is_named;   /* for the output: it was said whose it is */
};

struct tm_json_busy {
    int64_t until_ns;
    uint32_t holder;
};

struct tm_json_thread {
    int64_t pid, tid; /* of the output */
    uint32_t machine;
    uint32_t holder_count;
    uint32_t open;        /* slices on lane 0 that did not end */
    uint32_t live;        /* stacks with begins on lane 0 */
    struct tm_json_busy busy[2]; /* the two stacks whose slices were on lane 0 last */
    int64_t last_ns;      /* when a slice began that was to be written later, and in which stack: the caller's notes */
    uint32_t last_stack;
    struct tm_json_lane *lanes;  /* lane 1 first */
    uint32_t lane_count, lane_cap, first_free;
    uint32_t endless_lane, endless_count; /* for what never ends; slices there */
};

/* Zero-initialise. */
struct tm_json_lanes {
    struct tm_json_thread *threads;
    uint32_t count;
    /* private */
    uint32_t cap, holder_count;
    struct tm_map by_id;
    int64_t next_tid;
};

/* HOLDER is of the thread TID of PID, which is on MACHINE; again where the process has another number by now, if nothing of it is open.
 * TM_OK or TM_E_SYSTEM, as all below. */
enum tm_status tm_json_lanes_join(struct tm_json_lanes *lanes, struct tm_json_holder *holder, uint32_t machine,
                                  int64_t pid, int64_t tid);

/* In all of these *LANE is where the event goes. */

/* A begin at TS_NS, written now. */
enum tm_status tm_json_lanes_begin(struct tm_json_lanes *lanes, struct tm_json_holder *holder, int64_t ts_ns,
                                   uint32_t *lane);

/* The end at TS_NS of a slice that was written as a begin. */
void tm_json_lanes_end(struct tm_json_lanes *lanes, struct tm_json_holder *holder, int64_t ts_ns, uint32_t *lane);

/* An end of nothing, written now. */
enum tm_status tm_json_lanes_stray(struct tm_json_lanes *lanes, struct tm_json_holder *holder, int64_t ts_ns,
                                   uint32_t *lane);

/* A complete event. */
enum tm_status tm_json_lanes_complete(struct tm_json_lanes *lanes, struct tm_json_holder *holder, int64_t ts_ns,
                                      int64_t end_ns, uint32_t *lane);

/* A slice begins that is written later. *IS_CROSSED: another stack has a slice there that may end within it. */
enum tm_status tm_json_lanes_open(struct tm_json_lanes *lanes, struct tm_json_holder *holder, int64_t ts_ns,
                                  bool *is_crossed);

/* It ended at TS_NS, and is written as a complete event. */
void tm_json_lanes_close(struct tm_json_lanes *lanes, struct tm_json_holder *holder, int64_t ts_ns, uint32_t *lane);

/* COUNT more of HOLDER's open slices, from SINCE_NS on, are written as begins now; IS_CROSSED: that is true of one. */
enum tm_status tm_json_lanes_write(struct tm_json_lanes *lanes, struct tm_json_holder *holder, uint32_t count,
                                   int64_t since_ns, bool is_crossed);

/* A slice that never ends is written as a begin, when all else was. */
enum tm_status tm_json_lanes_endless(struct tm_json_lanes *lanes, struct tm_json_holder *holder, bool is_crossed,
                                     uint32_t *lane);

/* Where HOLDER is at TS_NS, for what belongs to its slices. */
uint32_t tm_json_lanes_now(const struct tm_json_holder *holder, int64_t ts_ns);

void tm_json_lanes_release(struct tm_json_lanes *lanes);

#endif
