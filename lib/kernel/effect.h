/* The effects of rows of kind KERNEL (doc/events.md). Column value holds the effect. */
#ifndef TM_KERNEL_EFFECT_H
#define TM_KERNEL_EFFECT_H

#include "stream/event.h"

enum tm_kernel_effect {
    TM_KERNEL_RECEIVED, /* adds bytes; the counter is in units of 1024 bytes; so is that of SENT */
    TM_KERNEL_SENT,
    TM_KERNEL_FREED, /* adds a number */
    TM_KERNEL_WAKE,  /* a wakeup source is active; its slice lasts until the last source of its name is done */
    TM_KERNEL_WAKE_DONE,
    TM_KERNEL_GPU_POWER, /* a state that lasts until the next */
    TM_KERNEL_DEVICE,
    TM_KERNEL_DEVICE_IDLE, /* this state has no slice */
    TM_KERNEL_TCP,         /* a state of a stream; track instances are numbered in order of appearance */
    TM_KERNEL_WRITE,       /* a thread begins a write, which lasts until it is done or the thread writes a marker */
    TM_KERNEL_WRITE_DONE,
    TM_KERNEL_SUSPEND, /* suspend begins; if tasks are frozen and thawed before its end, it ends at the thaw */
    TM_KERNEL_SUSPEND_DONE,
    TM_KERNEL_FREEZE,
    TM_KERNEL_THAWED, /* the thaw has ended */
    TM_KERNEL_I2C, /* a thread uses a bus; the amount is tm_kernel_pair of the bus and the number of messages so far */
    TM_KERNEL_I2C_DONE,
    TM_KERNEL_READ, /* a thread reads a file; the amount is a hash of its inode and offset; another thread may record
                     * the end */
    TM_KERNEL_READ_DONE,
    TM_KERNEL_REQUEST, /* a request to a virtual device, until the answer; a counter gets the latency */
    TM_KERNEL_ANSWER,
    TM_KERNEL_STATE, /* a state of a track that a description names; it lasts until the next */
    TM_KERNEL_STATE_DONE,
    /* Work of queues (model/work_queues.h). For fences the amount is the fence's number. */
    TM_KERNEL_FENCE,
    TM_KERNEL_FENCE_EMITTED,
    TM_KERNEL_FENCE_SIGNALED,
    TM_KERNEL_JOB_QUEUED, /* an instant of a thread; the amount is the flow that begins there, unless it has begun
                           * before */
    TM_KERNEL_JOB_TAKEN,  /* an instant of a thread; the amount is the flow that ends there, if it has begun */
    TM_KERNEL_JOB,        /* a job runs; the amount identifies it; its detail has the flow from where it was queued */
    TM_KERNEL_JOB_DONE,
    /* Requests to Windows' file systems (model/file_requests.h). Column track identifies the request. */
    TM_KERNEL_FILE_REQUEST,
    TM_KERNEL_FILE_REQUEST_DONE,
    TM_KERNEL_MEMORY, /* adds bytes to a process's counter, or takes them away if the amount is below 0 */
    /* Buffers of Android's graphics (model/graphics_buffers.h). The category identifies the buffer, or the layer. The
     * first four are events themselves; their amount is their duration. */
    TM_KERNEL_BUFFER,
    TM_KERNEL_BUFFER_QUEUED,
    TM_KERNEL_BUFFER_ACQUIRED,
    TM_KERNEL_BUFFER_LATCHED,
    TM_KERNEL_BUFFER_DRAWING, /* from here on phases begin or end: the app draws */
    TM_KERNEL_BUFFER_DRAWN,
    TM_KERNEL_BUFFER_UNDRAWN,   /* if the app still draws, its end was lost */
    TM_KERNEL_BUFFER_RENDERING, /* the GPU works, if the app was just done and the GPU was not before */
    TM_KERNEL_BUFFER_RENDERED,
    TM_KERNEL_BUFFER_SHOWING, /* the compositor has the buffer */
    TM_KERNEL_BUFFER_SHOWN,
    TM_KERNEL_BUFFER_DISPLAYED, /* until the next of the layer */
    TM_KERNEL_EFFECTS
};

/* Returns what a row adds to its counter, or the address of its stream. Column dur_ns holds it. */
static inline uint64_t tm_kernel_amount(const struct tm_event *row)
{
    return (uint64_t)row->dur_ns;
}

static inline void tm_kernel_set_amount(struct tm_event *row, uint64_t amount)
{
    row->dur_ns = (int64_t)amount;
}

/* Returns the amount that holds A and B. */
static inline uint64_t tm_kernel_pair(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

#endif
