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

/* Returns the machine of E, or NULL if there is no memory. */
static struct tm_trace_stats_machine *find_machine(struct tm_trace_stats *stats, const struct tm_event *e)
{
    uint32_t at;
    if (tm_map_find(&stats->machine_index, e->machine, &at))
        return &stats->machines[at];
    if (tm_array_grow(&stats->machines, &stats->machine_cap, stats->machine_count, sizeof *stats->machines, NULL) < 0 ||
        tm_map_set(&stats->machine_index, e->machine, stats->machine_count) != TM_OK)
        return NULL;
    stats->machines[stats->machine_count] =
        (struct tm_trace_stats_machine){.machine = e->machine, .first = UINT32_MAX, .last = UINT32_MAX};
    return &stats->machines[stats->machine_count++];
}

/* Adds FILE, which is E's, after the other files of MACHINE. */
static struct tm_trace_stats_file *add(struct tm_trace_stats *stats, struct tm_trace_stats_machine *machine,
                                       const struct tm_event *e, const struct tm_trace_stats_file *file)
{
    const uint64_t key = (uint64_t)e->file << 32 | e->machine;
    if (tm_array_grow(&stats->files, &stats->cap, stats->count, sizeof *stats->files, NULL) < 0 ||
        tm_map_set(&stats->file_index, key, stats->count) != TM_OK)
        return NULL;
    struct tm_trace_stats_file *added = &stats->files[stats->count];
    *added = *file;
    added->next = UINT32_MAX;
    added->first = machine->numbers;
    added->numbers = 0;
    if (machine->last == UINT32_MAX)
        machine->first = stats->count;
    else
        stats->files[machine->last].next = stats->count;
    machine->last = stats->count++;
    return added;
}

/* Returns what E's file states about MACHINE, or NULL if there is no memory. */
static struct tm_trace_stats_file *find(struct tm_trace_stats *stats, struct tm_trace_stats_machine *machine,
                                        const struct tm_event *e)
{
    static const struct tm_trace_stats_file nothing;
    uint32_t at;
    if (tm_map_find(&stats->file_index, (uint64_t)e->file << 32 | e->machine, &at))
        return &stats->files[at];
    machine->file_count++;
    return add(stats, machine, e, &nothing);
}

/* Gives the buffers of FILE numbers. If those that follow its own are taken, all of them get new ones. */
static struct tm_trace_stats_file *number_buffers(struct tm_trace_stats *stats, struct tm_trace_stats_machine *machine,
                                                  const struct tm_event *e, struct tm_trace_stats_file *file)
{
    if (file->buffer_count <= file->numbers)
        return file;
    if (&stats->files[machine->last] != file) {
        const struct tm_trace_stats_file moved = *file;
        const uint32_t at = (uint32_t)(file - stats->files);
        if ((file = add(stats, machine, e, &moved)) == NULL)
            return NULL;
        stats->files[at] = (struct tm_trace_stats_file){
            .next = moved.next, .first = moved.first, .numbers = moved.numbers};
    }
    machine->numbers += file->buffer_count - file->numbers;
    file->numbers = file->buffer_count;
    return file;
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

/* Forgets what FILE states. It keeps the numbers of its buffers. */
static void forget(struct tm_trace_stats *stats, struct tm_trace_stats_file *file)
{
    stats->bytes -= file->buffers.len;
    file->buffers.len = file->filtered.len = file->has = file->buffer_count = 0;
    memset(file->sums, 0, sizeof file->sums);
    memset(file->filter_sums, 0, sizeof file->filter_sums);
    file->has_filter = false;
}

/* Keeps F, a buffer_stats field. TM_END: it exceeds the bytes that are kept. */
static enum tm_status note_buffer(struct tm_trace_stats *stats, struct tm_trace_stats_file *file,
                                  const struct tm_pb_field *f)
{
    const size_t len = (size_t)(f->end - f->start);
    if (stats->bytes + len > TM_TRACE_STATS_BYTES_MAX)
        return TM_END;
    file->buffer_count++;
    stats->bytes += len;
    return tm_buf_add(&file->buffers, f->start, len);
}

/* Replaces the earlier statistics of the file by MESSAGE. TM_END: it is too large to keep. */
static enum tm_status note(struct tm_trace_stats *stats, struct tm_trace_stats_file *file,
                           const struct tm_pb_field *message)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    forget(stats, file);
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == STATS_BUFFER && f.type == TM_PB_LEN) {
            st = note_buffer(stats, file, &f);
        } else if (f.id == STATS_FILTER && f.type == TM_PB_LEN) {
            st = note_filter(file, &f);
        } else if (is_sum(&f)) {
            file->sums[f.id] = f.value;
            file->has |= UINT32_C(1) << f.id;
        }
    }
    return st;
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

static void note_time(struct tm_trace_stats_machine *machine, const struct tm_event *e)
{
    if (!tm_event_is_timed(e->flags))
        return;
    if (!machine->is_timed || e->time_ns > machine->last_ns)
        machine->last_ns = e->time_ns;
    machine->is_timed = true;
}

enum tm_status tm_trace_stats_write(struct tm_trace_stats *stats, struct tm_packet_writer *w,
                                    const struct tm_event *e, const struct tm_pb_field *message)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    struct tm_trace_stats_machine *machine = find_machine(stats, e);
    struct tm_trace_stats_file *file = machine ? find(stats, machine, e) : NULL;
    size_t mark;
    enum tm_status st = file ? note(stats, file, message) : TM_E_SYSTEM;
    if (st < 0)
        return st;
    if (st == TM_END) {
        forget(stats, file);
        tm_unsupported_counts_add(w->unsupported, e->file, TM_UNSUPPORTED_FACTS, 1);
    }
    if ((file = number_buffers(stats, machine, e, file)) == NULL)
        return TM_E_SYSTEM;
    note_time(machine, e);
    st = tm_pb_begin(&w->out, message->id, &mark);
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK)
        st = f.id == STATS_WRITER && f.type == TM_PB_LEN
                 ? put_writer(w, e, &f, file->first)
                 : tm_buf_add(&w->out, f.start, (size_t)(f.end - f.start));
    return st == TM_OK ? tm_pb_end(&w->out, mark) : st;
}

/* The statistics of one machine, for its last packet. */
struct totals {
    const struct tm_trace_stats *stats;
    const struct tm_trace_stats_machine *machine;
};

/* Returns the first file, or the one after FILE; NULL: there is none. */
static const struct tm_trace_stats_file *next_file(const struct totals *all, const struct tm_trace_stats_file *file)
{
    const uint32_t next = file ? file->next : all->machine->first;
    return next == UINT32_MAX ? NULL : &all->stats->files[next];
}

/* Puts one FilterStats with the sums of all files. */
static enum tm_status put_filter(const struct totals *all, struct tm_buf *out)
{
    uint64_t sums[TM_TRACE_STATS_FILTER_SUMS] = {0};
    const struct tm_trace_stats_file *file;
    size_t mark;
    enum tm_status st = tm_pb_begin(out, STATS_FILTER, &mark);
    for (file = next_file(all, NULL); file; file = next_file(all, file))
        for (uint32_t id = 1; id < TM_TRACE_STATS_FILTER_SUMS; id++)
            sums[id] += file->filter_sums[id];
    for (uint32_t id = 1; id < TM_TRACE_STATS_FILTER_SUMS && st == TM_OK; id++)
        st = tm_pb_put_varint(out, id, sums[id]);
    for (file = next_file(all, NULL); file; file = next_file(all, file))
        for (uint32_t i = 0; i < file->numbers && st == TM_OK; i++) {
            uint64_t value = 0;
            if ((i + 1) * sizeof value <= file->filtered.len)
                memcpy(&value, file->filtered.data + i * sizeof value, sizeof value);
            st = tm_pb_put_varint(out, FILTER_DISCARDED, value);
        }
    return st == TM_OK ? tm_pb_end(out, mark) : st;
}

/* Puts the buffers of FILE. Numbers without a buffer get an empty message, so later buffers keep theirs. */
static enum tm_status put_buffers(const struct tm_trace_stats_file *file, struct tm_buf *out)
{
    enum tm_status st = tm_buf_add(out, file->buffers.data, file->buffers.len);
    for (uint32_t i = file->buffer_count; i < file->numbers && st == TM_OK; i++)
        st = tm_pb_put_bytes(out, STATS_BUFFER, "", 0);
    return st;
}

/* Puts the fields of TraceStats. */
static enum tm_status put_totals(const struct totals *all, struct tm_buf *out)
{
    uint64_t sums[TM_TRACE_STATS_SUMS] = {0};
    uint32_t has = 0;
    bool has_filter = false;
    const struct tm_trace_stats_file *file;
    enum tm_status st = TM_OK;
    for (file = next_file(all, NULL); file && st == TM_OK; file = next_file(all, file)) {
        st = put_buffers(file, out);
        for (uint32_t id = 0; id < TM_TRACE_STATS_SUMS; id++)
            sums[id] += file->sums[id];
        has |= file->has;
        has_filter |= file->has_filter;
    }
    for (uint32_t id = 0; id < TM_TRACE_STATS_SUMS && st == TM_OK; id++)
        if (has >> id & 1)
            st = tm_pb_put_varint(out, id, sums[id]);
    return st == TM_OK && has_filter ? put_filter(all, out) : st;
}

/* Writes the last packet of a machine. */
static enum tm_status write_totals(const struct totals *all, struct tm_packet_writer *w, int64_t now_ns,
                                   struct tm_error *err)
{
    const struct tm_trace_stats_machine *machine = all->machine;
    const int64_t time_ns = machine->last_ns > now_ns ? machine->last_ns : now_ns;
    size_t mark;
    enum tm_status st = tm_packet_begin(w, machine->machine, err);
    if (st < 0)
        return st;
    if ((machine->is_timed && tm_pb_put_varint(&w->out, TM_PACKET_TIMESTAMP, (uint64_t)time_ns) != TM_OK) ||
        tm_pb_begin(&w->out, TM_PACKET_TRACE_STATS, &mark) != TM_OK || put_totals(all, &w->out) != TM_OK ||
        tm_pb_end(&w->out, mark) != TM_OK)
        return tm_error_nomem(err);
    return tm_packet_end(w, err);
}

enum tm_status tm_trace_stats_finish(const struct tm_trace_stats *stats, struct tm_packet_writer *w, int64_t now_ns,
                                     struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < stats->machine_count && st == TM_OK; i++) {
        const struct totals all = {stats, &stats->machines[i]};
        if (all.machine->file_count > 1)
            st = write_totals(&all, w, now_ns, err);
    }
    return st;
}

void tm_trace_stats_release(struct tm_trace_stats *stats)
{
    for (uint32_t i = 0; i < stats->count; i++) {
        tm_buf_release(&stats->files[i].buffers);
        tm_buf_release(&stats->files[i].filtered);
    }
    free(stats->files);
    free(stats->machines);
    tm_map_release(&stats->file_index);
    tm_map_release(&stats->machine_index);
    *stats = (struct tm_trace_stats){0};
}
