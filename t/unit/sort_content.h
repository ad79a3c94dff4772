/* The content of a stream, for a comparison with the output of tm_sort_stream. */
#ifndef TM_T_UNIT_SORT_CONTENT_H
#define TM_T_UNIT_SORT_CONTENT_H

#include "os/io.h"
#include "sort/sort_stream.h"
#include "stream/reader.h"

#include <stdlib.h>
#include <unistd.h>

/* The compared parts of an event: its key, its place, and a hash of all its fields. */
struct row {
    int64_t time_ns;
    uint64_t position;
    uint32_t order;
    bool definition;
    uint32_t index; /* in the stream */
    uint64_t hash;
};

struct content {
    struct row *rows;
    uint32_t count;
    uint64_t frames; /* hash of all other frames in order */
    bool frame_after_batch;
    uint32_t batches, smallest; /* payload-and-columns bytes of the smallest batch but the last */
    bool sorted;
};

static inline uint64_t hash_event(const struct tm_event *event)
{
    struct tm_event e;
    memset(&e, 0, sizeof e);
    e.time_ns = event->time_ns;
    e.dur_ns = event->dur_ns;
    e.position = event->position;
    e.kind = event->kind;
    e.flags = event->flags;
    e.file = event->file;
    e.machine = event->machine;
    e.clock = event->clock;
    e.sequence = event->sequence;
    e.generation = event->generation;
    e.name = event->name;
    e.category = event->category;
    e.pid = event->pid;
    e.tid = event->tid;
    e.track = event->track;
    e.value = event->value;
    e.raw_bytes = event->raw_bytes;
    e.detail_bytes = event->detail_bytes;
    e.cpu = event->cpu;
    return tm_hash64_seed(event->raw, (size_t)event->raw_bytes + event->detail_bytes, tm_hash64(&e, sizeof e));
}

static inline enum tm_status read_content(int fd, struct content *c, struct tm_error *err)
{
    struct tm_stream_reader reader;
    struct tm_file_order orders = {0};
    struct tm_frame frame;
    struct tm_batch batch;
    uint32_t cap = 0, last_bytes = UINT32_MAX;
    *c = (struct content){.smallest = UINT32_MAX};
    lseek(fd, 0, SEEK_SET);
    enum tm_status st = tm_stream_reader_open(&reader, fd, err);
    c->sorted = reader.header.sorted;
    while (st == TM_OK && (st = tm_stream_reader_next(&reader, &frame, &batch, err)) == TM_OK) {
        if (frame.type != TM_FRAME_BATCH) {
            c->frames = tm_hash64_seed(frame.body, frame.body_bytes, c->frames + frame.type);
            c->frame_after_batch |= c->count > 0;
            st = tm_file_order_frame(&orders, &frame, err);
            continue;
        }
        struct tm_batch_walk walk = {.batch = &batch};
        struct tm_event e;
        c->smallest = last_bytes < c->smallest ? last_bytes : c->smallest;
        last_bytes = (uint32_t)batch.payload_bytes + batch.count * 104;
        c->batches++;
        while (tm_batch_next(&walk, &e)) {
            if (c->count == cap) {
                cap = cap ? 2 * cap : 1024;
                c->rows = realloc(c->rows, cap * sizeof *c->rows);
            }
            tm_file_order_use(&orders, e.file, err);
            c->rows[c->count] = (struct row){e.time_ns, e.position, tm_file_order_of(&orders, e.file),
                                             (e.flags & TM_SORT_DEFINITION) != 0, c->count, hash_event(&e)};
            c->count++;
        }
    }
    tm_file_order_release(&orders);
    tm_stream_reader_release(&reader);
    return st;
}

static inline int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->definition != y->definition)
        return x->definition ? -1 : 1;
    if (!x->definition && x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    if (x->position != y->position)
        return x->position < y->position ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static inline int temporary_file(void)
{
    struct tm_error err = {0};
    int fd = -1;
    tm_io_temporary(NULL, &fd, &err);
    return fd;
}

static inline bool same_bytes(int a, int b)
{
    uint8_t x[4096], y[4096];
    uint64_t at = 0;
    for (;;) {
        ssize_t n = pread(a, x, sizeof x, (off_t)at);
        ssize_t m = pread(b, y, sizeof y, (off_t)at);
        if (n != m || n < 0 || (n > 0 && memcmp(x, y, (size_t)n) != 0))
            return false;
        if (n == 0)
            return true;
        at += (uint64_t)n;
    }
}

static inline bool agrees(const struct content *in, const struct content *out)
{
    bool good = in->count == out->count && in->frames == out->frames && !out->frame_after_batch && out->sorted;
    for (uint32_t i = 0; good && i < in->count; i++)
        good = in->rows[i].hash == out->rows[i].hash;
    /* All batches but the last are about as large as they should be. */
    return good && (out->batches < 2 || out->smallest >= TM_BATCH_BYTES);
}

/* Sorts stream IN with JOBS threads (0: the default) and MEMORY bytes. Returns a file with the output. */
static inline int sorted_by(int in, unsigned jobs, unsigned long long memory, struct tm_error *err)
{
    const struct tm_sort_options options = {.memory_bytes = memory, .jobs = jobs};
    int out = temporary_file();
    lseek(in, 0, SEEK_SET);
    tm_sort_stream(in, out, &options, err);
    return out;
}

static inline int sorted_with(int in, unsigned long long memory, struct tm_error *err)
{
    return sorted_by(in, 0, memory, err);
}

#endif
