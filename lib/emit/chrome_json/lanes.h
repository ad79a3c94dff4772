/* On which thread of the output a stack of slices is drawn.
 *
 * A thread is one stack in Chrome JSON: an end closes the innermost slice that fits, whoever began it, a complete event
 * that ends cuts what began within it and is open, and what begins within another slice is its child. So stacks of two
 * files or tracks that are on one thread share nothing: while one has slices there, the other gets a lane of the
 * thread, a tid of its own. Lane 0 is the thread itself. A stack keeps its lane until another took it, which happens
 * only where nothing of the stack was there any more.
 *
 * Memory grows with threads, stacks and the lanes that a file needs at one time. */
#ifndef TM_EMIT_CHROME_JSON_LANES_H
#define TM_EMIT_CHROME_JSON_LANES_H

#include "base/map.h"

/* Tids of lanes start here: clear of tids, of numbers that stand for strings, of pids that were given away. */
enum { TM_JSON_LANE_TID_FIRST = 0x60000000, TM_JSON_LANE_DEPTH_MAX = 500 };

/* One stack's part. Zero-initialise, then join. */
struct tm_json_holder {
    uint32_t thread; /* number in threads, plus 1; 0: has not joined one */
    uint32_t number; /* its own */
    uint32_t file;
    uint32_t lane;   /* where it was last */
};

struct tm_json_lane {
    int64_t tid;
    int64_t until_ns; /* its slices whose ends are known have ended by then */
    int64_t last_ns;  /* when something last began there, or just happened */
    uint32_t holder;  /* the number of the stack that is or was there last; 0: nobody */
    uint32_t file;    /* whose lane it is; lane 0 is everybody's */
    uint32_t place;   /* its place among those of the file, plus 1; 0: lane 0 */
    bool is_open;     /* the holder has slices there whose ends are not known */
    bool is_named;    /* for the output: it was said whose it is */
};

struct tm_json_thread {
    int64_t pid, tid; /* of the output */
    uint32_t machine;
    struct tm_json_lane *lanes;
    uint32_t lane_count, lane_cap;
    uint32_t endless_lane, endless_count; /* for what never ends; slices there */
};

/* The lanes that a file has of a thread, in their order. */
struct tm_json_lane_list {
    uint32_t *lanes; /* numbers in the thread */
    uint32_t count, cap;
    uint32_t first_shut; /* all before this place have something open */
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
    struct tm_map list_of; /* number of the thread << 32 | file */
    int64_t next_tid;
};

/* HOLDER, of FILE, is of the thread TID of PID, which is on MACHINE; again where the process has another number by now,
 * if nothing of it is open. TM_OK or TM_E_SYSTEM, as all below. */
enum tm_status tm_json_lanes_join(struct tm_json_lanes *lanes, struct tm_json_holder *holder, uint32_t file,
                                  uint32_t machine, int64_t pid, int64_t tid);

/* TID is a tid of an input. No lane that is made later gets it. */
void tm_json_lanes_avoid(struct tm_json_lanes *lanes, int64_t tid);

/* Sets holder->lane to the lane of HOLDER from SINCE_NS on: the one that it had, if no other took it, else another. */
enum tm_status tm_json_lanes_take(struct tm_json_lanes *lanes, struct tm_json_holder *holder, int64_t since_ns);

/* Sets holder->lane to the lane that HOLDER had, or to a new one if another holder took it. For what binds to the last
 * slice there, which may have ended. */
enum tm_status tm_json_lanes_take_bare(struct tm_json_lanes *lanes, struct tm_json_holder *holder);

/* Sets holder->lane to another lane than the one that HOLDER has. What is open moves there. */
enum tm_status tm_json_lanes_leave(struct tm_json_lanes *lanes, struct tm_json_holder *holder, int64_t since_ns);

/* A slice of HOLDER lies on its lane from TS_NS to END_NS. */
void tm_json_lanes_use(struct tm_json_lanes *lanes, const struct tm_json_holder *holder, int64_t ts_ns, int64_t end_ns);

/* Notes whether HOLDER has an open slice on its lane. */
void tm_json_lanes_hold(struct tm_json_lanes *lanes, const struct tm_json_holder *holder, bool is_open);

/* *LANE is where a slice of HOLDER that never ends is written as a begin, when all else was. IS_CROSSED: something of
 * the stack would be read before it that is within it. */
enum tm_status tm_json_lanes_endless(struct tm_json_lanes *lanes, struct tm_json_holder *holder, bool is_crossed,
                                     uint32_t *lane);

void tm_json_lanes_release(struct tm_json_lanes *lanes);

#endif
