/* Slices of threads that are open, on their way to becoming complete events.
 *
 * A thread has one stack in Chrome JSON: begins and ends of two files on it would close each other's,
 * and of one moment they would be taken ends first. A complete event says when it ends, so it is
 * written when it does; what never ends becomes a begin. An end that closes another slice than the
 * innermost, and too much that is open, make a thread's slices begins and ends until they are over. */
#ifndef TM_EMIT_JSON_SPANS_H
#define TM_EMIT_JSON_SPANS_H

#include "base/buf.h"
#include "base/map.h"

enum { TM_JSON_SPAN_BYTES_MAX = 64 << 20 };

struct tm_json_span {
    int64_t ts_ns;
    uint64_t order;
    uint64_t category, name; /* hashes; 0 none */
    uint32_t text_len, detail_len;
};

/* What to write of a slice: its members, and the Detail of its begin with that of its end behind it. */
struct tm_json_span_view {
    int64_t ts_ns;
    uint64_t order;
    const uint8_t *text, *detail;
    size_t text_len, detail_len;
};

struct tm_json_span_stack {
    struct tm_json_span *spans;
    uint32_t depth, cap;
    uint32_t begun;      /* the first so many were written as begins */
    struct tm_buf bytes; /* text and detail of those that were not, from front on */
    size_t front;
};

/* Zero-initialise. */
struct tm_json_spans {
    struct tm_map by_thread; /* -> number in stacks, plus 1 */
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

/* A slice of THREAD (a key) begins. TM_OK or TM_E_SYSTEM; *IS_FULL when so much is open that what THREAD
 * has open is to be written as begins. */
enum tm_status tm_json_spans_open(struct tm_json_spans *spans, uint64_t thread, const struct tm_json_span_view *view,
                                  const uint64_t labels[2], bool *is_full);

/* The slice that an end with LABELS (hashes of category and name, 0: any) means, as the model has it.
 * VIEW is valid until the next open. */
enum tm_json_span_fate tm_json_spans_close(struct tm_json_spans *spans, uint64_t thread, const uint64_t labels[2],
                                           struct tm_json_span_view *view);

/* The outermost slice of THREAD that is to be written as a begin, or false. */
bool tm_json_spans_next_begin(struct tm_json_spans *spans, uint64_t thread, struct tm_json_span_view *view);

/* The same of any thread, at the end. */
bool tm_json_spans_rest(struct tm_json_spans *spans, struct tm_json_span_view *view);

void tm_json_spans_release(struct tm_json_spans *spans);

#endif
