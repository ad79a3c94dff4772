/* Slices of threads that are open, on their way to becoming complete events.
 *
 * A thread has one stack in Chrome JSON: begins and ends of two files on it would close each other's,
 * and of one moment they would be taken ends first. A complete event says when it ends, so it is
 * written when it does; what never ends becomes a begin. An end that closes another slice than the
 * innermost, and too much that is open, make a thread's slices begins and ends until they are over. Each stack is on a
 * lane of its thread (lanes.h). */
#ifndef TM_EMIT_CHROME_JSON_SPANS_H
#define TM_EMIT_CHROME_JSON_SPANS_H

#include "base/buf.h"
#include "base/map.h"
#include "emit/chrome_json/lanes.h"

enum { TM_JSON_SPAN_BYTES_MAX = 64 << 20 };

struct tm_json_span {
    int64_t ts_ns, pid;
    uint64_t order;
    uint64_t category, name; /* hashes; 0 none */
    uint32_t text_len, detail_len;
    bool is_crossed; /* one within it begins at its time: readers take complete events of a moment before begins */
};

/* What to write of a slice: its members, and the Detail of its begin with that of its end after it. */
struct tm_json_span_view {
    uint32_t file;
    int64_t ts_ns, pid;
    uint64_t order;
    uint32_t thread, lane; /* where (lanes.h) */
    const uint8_t *text, *detail;
    size_t text_len, detail_len;
};

struct tm_json_span_stack {
    struct tm_json_holder holder;
    struct tm_json_span *spans;
    uint32_t depth, cap;
    uint32_t begun;      /* the first so many were written as begins */
    bool awaits;         /* a flow ends at its next slice */
    struct tm_buf bytes; /* text and detail of those that were not, from front on */
    size_t front;
};

/* Zero-initialise. */
struct tm_json_spans {
    struct tm_json_lanes lanes; /* of all threads, also for other stacks than these */
    struct tm_map by_key; /* -> number in stacks, plus 1 */
    struct tm_json_span_stack *stacks;
    uint32_t count, cap;
    uint32_t rest; /* stack that tm_json_spans_rest is at */
    uint64_t order;
    size_t bytes;
};

enum tm_json_span_fate {
    TM_JSON_SPAN_NONE,  /* nothing is open that the end could mean */
    TM_JSON_SPAN_WHOLE, /* the innermost: VIEW is it, and it is off the stack */
    TM_JSON_SPAN_BEGUN, /* one that was written as a begin, and is off the stack: an end is to be written */
    TM_JSON_SPAN_INNER  /* one that is not the innermost: have all written as begins, and ask again */
};

/* What a slice begins on: STACK (a key) of thread TID of the process that has PID in the output. */
struct tm_json_span_at {
    uint64_t stack;
    uint32_t file, machine;
    int64_t pid, tid;
};

/* A slice begins. TM_OK or TM_E_SYSTEM; *IS_FULL when what its stack has open is to be written as begins. */
enum tm_status tm_json_spans_open(struct tm_json_spans *spans, const struct tm_json_span_at *at,
                                  const struct tm_json_span_view *view, const uint64_t labels[2], bool *is_full);

/* A complete event on it until END_NS: *VIEW says where it goes. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_spans_complete(struct tm_json_spans *spans, const struct tm_json_span_at *at, int64_t end_ns,
                                      struct tm_json_span_view *view);

/* What an event at TS_NS that is no slice of some length has to do with slices. *VIEW says where it goes. TM_OK or
 * TM_E_SYSTEM. */
enum tm_json_span_touch {
    TM_JSON_SPAN_MOMENT, /* it is one that takes no time */
    TM_JSON_SPAN_BOUND,  /* it is bound to the last */
    TM_JSON_SPAN_AWAITS  /* it is bound to the next */
};
enum tm_status tm_json_spans_touch(struct tm_json_spans *spans, const struct tm_json_span_at *at, int64_t ts_ns,
                                   enum tm_json_span_touch touch, struct tm_json_span_view *view);

/* The slice of STACK that an end at TS_NS with LABELS (hashes of name and category, 0: any) means, as the model has it.
 * VIEW is valid until the next open. */
enum tm_json_span_fate tm_json_spans_close(struct tm_json_spans *spans, uint64_t stack, int64_t ts_ns,
                                           const uint64_t labels[2], struct tm_json_span_view *view);

/* DETAIL goes to the slice that such an end would mean; nowhere, where it was written as a begin. TM_OK; TM_END: there
 * is none; TM_E_SYSTEM. */
enum tm_status tm_json_spans_add(struct tm_json_spans *spans, uint64_t stack, const uint64_t labels[2],
                                 const uint8_t *detail, size_t len);

/* Decides that the open slices of STACK are written as begins. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_spans_write(struct tm_json_spans *spans, uint64_t stack);

/* The outermost slice of STACK that must be written as a begin and has not been. False: there is none. */
bool tm_json_spans_next_begin(struct tm_json_spans *spans, uint64_t stack, struct tm_json_span_view *view);

/* At the end of the stream: the next open slice of any stack that must be written as a begin. TM_OK, TM_END or
 * TM_E_SYSTEM. */
enum tm_status tm_json_spans_rest(struct tm_json_spans *spans, struct tm_json_span_view *view);

void tm_json_spans_release(struct tm_json_spans *spans);

#endif
