/* Open slices of threads, which become complete events.
 *
 * A thread has one stack in Chrome JSON: begins and ends of two files on it would close each other's slices, and
 * readers take ends before begins of the same time. A complete event states its end, so it is written when it ends; a
 * slice without an end becomes a begin. If too many slices are open, those of the stack are written as begins and ends.
 * Each stack is on a lane of its thread (lanes.h).
 *
 * An end can close another slice than the innermost one. That slice then stays on the stack, with its end, while slices
 * within it are open. The next event of the stack after that time ends these too, at that time, as in the model
 * (stream/slice_stack.h). Ends are in the order of time, and each is such an event. So all slices of a stack that have
 * ended have the same end. */
#ifndef TM_EMIT_CHROME_JSON_PENDING_BEGINS_H
#define TM_EMIT_CHROME_JSON_PENDING_BEGINS_H

#include "base/buf.h"
#include "base/map.h"
#include "base/text.h"
#include "emit/chrome_json/lanes.h"
#include "stream/slice_stack.h"

enum { TM_JSON_BEGIN_BYTES_MAX = 64 << 20 };

struct tm_json_begin {
    int64_t ts_ns, pid;
    uint64_t order;
    tm_slice_label label[2];
    uint32_t category_bytes, name_bytes, detail_bytes; /* of its texts, in this order */
    bool has_category;
    bool has_ended; /* its end is ended_ns of the stack */
    /* a slice within it begins at its time: readers take complete events before begins of the same time */
    bool is_crossed;
};

/* The parts of a slice to write. */
struct tm_json_begin_view {
    uint32_t file;
    int64_t ts_ns, pid;
    uint64_t order;
    uint32_t thread, lane; /* its place (lanes.h) */
    uint32_t index;        /* in the stack, until the next change of it */
    bool has_end;
    int64_t end_ns; /* if has_end */
    struct tm_text category, name; /* no category: data NULL */
    struct tm_text detail;         /* Detail messages: of its begin, and what was added */
};

struct tm_json_begin_stack {
    struct tm_json_holder holder;
    struct tm_json_begin *begins;
    uint32_t depth, cap;
    uint32_t begun;      /* number of slices, from the outermost on, that were written as begins */
    uint32_t ended;      /* the index plus 1 of the outermost slice that has ended; 0: none */
    int64_t ended_ns;    /* the end of these slices, and of those within them if an event comes later */
    bool awaits;         /* a flow ends at its next slice */
    struct tm_buf bytes; /* the texts of the others, from front on */
    size_t front;
};

/* Zero-initialise, and set lanes. */
struct tm_json_begins {
    struct tm_json_lanes *lanes; /* of all threads, also for other stacks; borrowed */
    struct tm_map by_key; /* from a key to a number: the index in stacks plus 1 */
    struct tm_json_begin_stack *stacks;
    uint32_t count, cap;
    uint32_t rest; /* the stack that tm_json_begins_rest is at */
    uint32_t ended_count; /* stacks with a slice that has ended */
    uint64_t order;
    size_t bytes;
};

enum tm_json_end_result {
    TM_JSON_END_NONE,    /* no open slice matches the end */
    TM_JSON_END_COMPLETE, /* the innermost slice: VIEW is it, and it is removed from the stack */
    TM_JSON_END_WRITTEN, /* a slice that was written as a begin and is removed from the stack: write an end */
    TM_JSON_END_OUTER    /* a slice around others, which VIEW is: call tm_json_begins_end */
};

/* tm_json_begins_next_ended, without its fast answer. */
bool tm_json_begins_take_ended(struct tm_json_begins *begins, uint32_t stack, int64_t ts_ns,
                               struct tm_json_begin_view *view);

/* Where a slice begins: the stack with a number, of the thread of OWNER. */
struct tm_json_begin_at {
    uint32_t stack;
    struct tm_json_owner owner;
};

/* Returns the number of the stack with KEY, which it keeps; 0: there is none. The functions below take the number. */
uint32_t tm_json_begins_find(const struct tm_json_begins *begins, uint64_t key);

/* Returns the number of the stack with KEY, which is made if it is new; 0: out of memory. */
uint32_t tm_json_begins_get(struct tm_json_begins *begins, uint64_t key);

/* Begins a slice. TM_OK or TM_E_SYSTEM. *IS_FULL: write the open slices of its stack as begins. */
enum tm_status tm_json_begins_open(struct tm_json_begins *begins, const struct tm_json_begin_at *at,
                                   const struct tm_json_begin_view *view, const tm_slice_label labels[2],
                                   bool *is_full);

/* Notes a complete event until END_NS; *VIEW is its place. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_begins_complete(struct tm_json_begins *begins, const struct tm_json_begin_at *at, int64_t end_ns,
                                       struct tm_json_begin_view *view);

/* How an event without length relates to slices. */
enum tm_json_begin_binding {
    TM_JSON_BEGIN_INSTANT, /* it is a slice without length */
    TM_JSON_BEGIN_BOUND,   /* it binds to the last slice */
    TM_JSON_BEGIN_AWAITS   /* it binds to the next slice */
};
/* Notes an event without length at TS_NS; *VIEW is its place. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_begins_point(struct tm_json_begins *begins, const struct tm_json_begin_at *at, int64_t ts_ns,
                                    enum tm_json_begin_binding binding, struct tm_json_begin_view *view);

/* Sets the place of *VIEW to that of STACK, where a slice was begun last. */
void tm_json_begins_place(const struct tm_json_begins *begins, uint32_t stack, struct tm_json_begin_view *view);

/* Takes a slice of STACK that has ended before an event at TS_NS. False: there is none more. Call it until then before
 * each event of the stack that begins or ends a slice or is an instant, so before the functions above and close. VIEW
 * is valid until the next open. */
static inline bool tm_json_begins_next_ended(struct tm_json_begins *begins, uint32_t stack, int64_t ts_ns,
                                             struct tm_json_begin_view *view)
{
    return begins->ended_count && tm_json_begins_take_ended(begins, stack, ts_ns, view);
}

/* Finds the slice of STACK that an end at TS_NS with LABELS ends (tm_slice_label_fits). VIEW is valid until the next
 * open. */
enum tm_json_end_result tm_json_begins_close(struct tm_json_begins *begins, uint32_t stack, int64_t ts_ns,
                                             const tm_slice_label labels[2], struct tm_json_begin_view *view);

/* After TM_JSON_END_OUTER: ends the slice with that INDEX in VIEW at TS_NS, and adds DETAIL to it. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_json_begins_end(struct tm_json_begins *begins, uint32_t stack, uint32_t index, int64_t ts_ns,
                                  struct tm_text detail);

/* Adds DETAIL to the slice of STACK that an end with LABELS would end, unless it was written as a begin. TM_OK; TM_END:
 * there is none; TM_E_SYSTEM. */
enum tm_status tm_json_begins_add(struct tm_json_begins *begins, uint32_t stack, const tm_slice_label labels[2],
                                  const uint8_t *detail, size_t len);

/* Call it before the open slices of STACK are written as begins. It can move STACK to another lane. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_json_begins_write_open(struct tm_json_begins *begins, uint32_t stack);

/* Takes the outermost slice of STACK that must be written as a begin, or with its end, and was not. False: there is
 * none. */
bool tm_json_begins_next_begin(struct tm_json_begins *begins, uint32_t stack, struct tm_json_begin_view *view);

/* At the end of the stream: takes the next slice of any stack that must be written as a begin, or with its end. TM_OK,
 * TM_END or TM_E_SYSTEM. */
enum tm_status tm_json_begins_rest(struct tm_json_begins *begins, struct tm_json_begin_view *view);

void tm_json_begins_release(struct tm_json_begins *begins);

#endif
