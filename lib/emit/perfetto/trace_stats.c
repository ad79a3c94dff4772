#include "emit/perfetto/trace_stats.h"

#include "base/table.h"

#include <stdlib.h>

enum {
    STATS_BUFFER = 1,
    STATS_FILTER = 11,
    STATS_WRITER = 18,
    WRITER_SEQUENCE = 1,
    WRITER_BUFFER = 4,
    FILTER_DISCARDED = 20
};

/* True for fields of TraceStats that count by session: all numbers except the result of the final flush (15). */
static bool is_sum(const struct tm_pb_field *f)
{
    return f->type == TM_PB_VARINT && f->id < TM_TRACE_STATS_SUMS;
}

static struct tm_trace_stats_file *find(struct tm_trace_stats *stats, const struct tm_event *e)
{
    for (uint32_t i = 0; i < stats->count; i++)
        if (stats->files[i].file == e->file && stats->files[i].machine == e->machine)
            return &stats->files[i];
    if (tm_array_grow(&stats->files, &stats->cap, stats->count, sizeof *stats->files, NULL) < 0)
        return NULL;
    stats->files[stats->count] = (struct tm_trace_stats_file){.file = e->file, .machine = e->machine};
    return &stats->files[stats->count++];
}

static enum tm_status note_filter(struct tm_trace_stats_file *file, const struct tm_pb_field *message)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    file->has_filter = true;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id < TM_TRACE_STATS_FILTER_SUMS && f.type == TM_PB_VARINT)
            file->filter_sums[f.id] = f.value;
        else if (f.id == FILTER_DISCARDED && f.type == TM_PB_VARINT)
            st = tm_buf_add(&file->filtered, &f.value, sizeof f.value);
    }
    return st;
}

/* Replaces the earlier statistics of the file by MESSAGE. TM_END: it is too large to keep. */
static enum tm_status note(struct tm_trace_stats_file *file, const struct tm_pb_field *message)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    file->buffers.len = file->filtered.len = file->has = file->buffer_count = 0;
    memset(file->sums, 0, sizeof file->sums);
    memset(file->filter_sums, 0, sizeof file->filter_sums);
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == STATS_BUFFER && f.type == TM_PB_LEN) {
            file->buffer_count++;
            if (file->buffers.len + (size_t)(f.end - f.start) > TM_TRACE_STATS_BYTES_MAX)
                return TM_END;
            st = tm_buf_add(&file->buffers, f.start, (size_t)(f.end - f.start));
        } else if (f.id == STATS_FILTER && f.type == TM_PB_LEN) {
            st = note_filter(file, &f);
        } else if (is_sum(&f)) {
            file->sums[f.id] = f.value;
            file->has |= UINT32_C(1) << f.id;
        }
    }
    return st;
}

/* Puts one FilterStats with the sums of the files of MACHINE. */
static enum tm_status put_filter(const struct tm_trace_stats *stats, uint32_t machine, struct tm_buf *out)
{
    size_t mark;
    enum tm_status st = tm_pb_begin(out, STATS_FILTER, &mark);
    for (uint32_t id = 1; id < TM_TRACE_STATS_FILTER_SUMS && st == TM_OK; id++) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < stats->count; i++)
            sum += stats->files[i].machine == machine ? stats->files[i].filter_sums[id] : 0;
        st = tm_pb_put_varint(out, id, sum);
    }
    for (uint32_t i = 0; i < stats->count && st == TM_OK; i++) {
        const struct tm_trace_stats_file *file = &stats->files[i];
        if (file->machine != machine)
            continue;
        for (uint32_t j = 0; j < file->buffer_count && st == TM_OK; j++) {
            uint64_t value = 0;
            if ((j + 1) * sizeof value <= file->filtered.len)
                memcpy(&value, file->filtered.data + j * sizeof value, sizeof value);
            st = tm_pb_put_varint(out, FILTER_DISCARDED, value);
        }
    }
    return st == TM_OK ? tm_pb_end(out, mark) : st;
}

/* Puts the statistics of all files of MACHINE. */
static enum tm_status put_all(const struct tm_trace_stats *stats, uint32_t machine, struct tm_buf *out)
{
    uint64_t sums[TM_TRACE_STATS_SUMS] = {0};
    uint32_t has = 0;
    bool has_filter = false;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < stats->count && st == TM_OK; i++) {
        const struct tm_trace_stats_file *file = &stats->files[i];
        if (file->machine != machine)
            continue;
        st = tm_buf_add(out, file->buffers.data, file->buffers.len);
        for (uint32_t id = 0; id < TM_TRACE_STATS_SUMS; id++)
            sums[id] += file->sums[id];
        has |= file->has;
        has_filter |= file->has_filter;
    }
    for (uint32_t id = 0; id < TM_TRACE_STATS_SUMS && st == TM_OK; id++)
        if (has >> id & 1)
            st = tm_pb_put_varint(out, id, sums[id]);
    return st == TM_OK && has_filter ? put_filter(stats, machine, out) : st;
}

/* Puts WriterStats with the sequence of the output. FIRST_BUFFER buffers precede its buffer. */
static enum tm_status put_writer(struct tm_packet_writer *w, const struct tm_event *e,
                                 const struct tm_pb_field *message, uint32_t first_buffer)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    uint64_t sequence = 0, buffer = 0;
    size_t mark;
    enum tm_status st = tm_pb_begin(&w->out, STATS_WRITER, &mark);
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == WRITER_SEQUENCE && f.type == TM_PB_VARINT)
            sequence = f.value;
        else if (f.id == WRITER_BUFFER && f.type == TM_PB_VARINT)
            buffer = f.value;
        else
            st = tm_buf_add(&w->out, f.start, (size_t)(f.end - f.start));
    }
    uint32_t output = tm_packet_sequence_of_statistics(w, e, sequence);
    if (output == 0) /* nothing is on that sequence */
        output = tm_packet_new_sequence(w);
    if (st == TM_OK)
        st = tm_pb_put_varint(&w->out, WRITER_SEQUENCE, output);
    if (st == TM_OK)
        st = tm_pb_put_varint(&w->out, WRITER_BUFFER, buffer + first_buffer);
    return st == TM_OK ? tm_pb_end(&w->out, mark) : st;
}

/* Counts the buffers of its machine that precede those of FILE. *IS_ALONE: no other file has any. */
static uint32_t buffers_before(const struct tm_trace_stats *stats, const struct tm_trace_stats_file *file,
                               bool *is_alone)
{
    uint32_t first = 0;
    *is_alone = true;
    for (uint32_t i = 0; i < stats->count; i++) {
        if (&stats->files[i] == file || stats->files[i].machine != file->machine)
            continue;
        *is_alone = false;
        first += &stats->files[i] < file ? stats->files[i].buffer_count : 0;
    }
    return first;
}

enum tm_status tm_trace_stats_write(struct tm_trace_stats *stats, struct tm_packet_writer *w,
                                    const struct tm_event *e, const struct tm_pb_field *message)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    struct tm_trace_stats_file *file = find(stats, e);
    bool is_alone = true;
    size_t mark;
    enum tm_status st = file ? note(file, message) : TM_E_SYSTEM;
    if (st < 0)
        return st;
    if (st == TM_END)
        file->buffers.len = file->buffer_count = 0;
    uint32_t first_buffer = st == TM_OK ? buffers_before(stats, file, &is_alone) : 0;
    st = tm_pb_begin(&w->out, message->id, &mark);
    if (st == TM_OK && !is_alone)
        st = put_all(stats, e->machine, &w->out);
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == STATS_WRITER && f.type == TM_PB_LEN)
            st = put_writer(w, e, &f, first_buffer);
        else if (is_alone || !(f.id == STATS_BUFFER || f.id == STATS_FILTER || is_sum(&f)))
            st = tm_buf_add(&w->out, f.start, (size_t)(f.end - f.start));
    }
    return st == TM_OK ? tm_pb_end(&w->out, mark) : st;
}

void tm_trace_stats_release(struct tm_trace_stats *stats)
{
    for (uint32_t i = 0; i < stats->count; i++) {
        tm_buf_release(&stats->files[i].buffers);
        tm_buf_release(&stats->files[i].filtered);
    }
    free(stats->files);
    *stats = (struct tm_trace_stats){0};
}
