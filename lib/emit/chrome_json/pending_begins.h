/* Open slices of threads, which become complete events.
 *
 * A thread has one stack in Chrome JSON: begins and ends of two files on it would close each other's slices, and
 * readers take ends before begins of the same time. A complete event states its end, so it is written when it ends; a
 * slice without an end becomes a begin. If an end closes a slice other than the innermost, or too many slices are open,
 * the open slices of the stack are written as begins and ends. Each stack is on a lane of its thread (lanes.h). */
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
    /* a slice within it begins at its time: readers take complete events before begins of the same time */
    bool is_crossed;
};

/* The parts of a slice to write. */
struct tm_json_begin_view {
    uint32_t file;
    int64_t ts_ns, pid;
    uint64_t order;
    uint32_t thread, lane; /* its place (lanes.h) */
    struct tm_text category, name; /* no category: data NULL */
    struct tm_text detail;         /* Detail messages: of its begin, and what was added */
};

struct tm_json_begin_stack {
    struct tm_json_holder holder;
    struct tm_json_begin *begins;
    uint32_t depth, cap;
    uint32_t begun;      /* number of slices, from the outermost on, that were written as begins */
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
    uint64_t order;
    size_t bytes;
};

enum tm_json_end_result {
    TM_JSON_END_NONE,    /* no open slice matches the end */
    TM_JSON_END_COMPLETE, /* the innermost slice: VIEW is it, and it is removed from the stack */
    TM_JSON_END_WRITTEN, /* a slice that was written as a begin and is removed from the stack: write an end */
    TM_JSON_END_INNER    /* not the innermost slice: write all as begins, and call again */
};

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

/* Finds the slice of STACK that an end at TS_NS with LABELS ends (tm_slice_label_fits). VIEW is valid until the next
 * open. */
enum tm_json_end_result tm_json_begins_close(struct tm_json_begins *begins, uint32_t stack, int64_t ts_ns,
                                             const tm_slice_label labels[2], struct tm_json_begin_view *view);

/* Adds DETAIL to the slice of STACK that an end with LABELS would end, unless it was written as a begin. TM_OK; TM_END:
 * there is none; TM_E_SYSTEM. */
enum tm_status tm_json_begins_add(struct tm_json_begins *begins, uint32_t stack, const tm_slice_label labels[2],
                                  const uint8_t *detail, size_t len);

/* Call it before the open slices of STACK are written as begins. It can move STACK to another lane. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_json_begins_write_open(struct tm_json_begins *begins, uint32_t stack);

/* Takes the outermost slice of STACK that must be written as a begin and was not. False: there is none. */
bool tm_json_begins_next_begin(struct tm_json_begins *begins, uint32_t stack, struct tm_json_begin_view *view);

/* At the end of the stream: takes the next open slice of any stack that must be written as a begin. TM_OK, TM_END or
 * TM_E_SYSTEM. */
enum tm_status tm_json_begins_rest(struct tm_json_begins *begins, struct tm_json_begin_view *view);

void tm_json_begins_release(struct tm_json_begins *begins);

#endif
