#include "stream/event_sink.h"

#include "base/pb.h"
#include "stream/detail_fields.h"

enum { STRINGS_FRAME_MAX = 4096, POSITIONS = 128 };

void tm_event_sink_init(struct tm_event_sink *sink, struct tm_stream_writer *writer)
{
    *sink = (struct tm_event_sink){
        .writer = writer, .raw = TM_RAW_CHOICE_ALL, .want_detail = true, .want_json_detail = true,
        .want_packet_args = true, .want_value_rows = true};
    tm_intern_init(&sink->strings, TM_SINK_STRINGS_MAX, TM_SINK_STRING_BYTES_MAX);
}

/* Writes the strings that are new since the last call. They precede the events that use them. While the writer passes
 * over frames, the strings wait for the first frame that it writes. */
static enum tm_status send_strings(struct tm_event_sink *sink, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    ProtobufCBinaryData text[STRINGS_FRAME_MAX];
    while (st == TM_OK && sink->strings_sent < sink->strings.count && sink->writer->passed_over == 0) {
        Tracemerge__Strings frame = TRACEMERGE__STRINGS__INIT;
        frame.first = sink->strings_sent + 1;
        frame.text = text;
        while (frame.n_text < STRINGS_FRAME_MAX && sink->strings_sent < sink->strings.count) {
            size_t len;
            const uint8_t *s = tm_intern_get(&sink->strings, sink->strings_sent++, &len);
            text[frame.n_text++] = tm_bytes(s, len);
        }
        st = tm_stream_write_message(sink->writer, TM_FRAME_STRINGS, &frame.base, err);
    }
    return st;
}

enum tm_status tm_event_sink_flush(struct tm_event_sink *sink, struct tm_error *err)
{
    struct tm_batch batch;
    enum tm_status st = send_strings(sink, err);
    if (st < 0 || sink->batch.count == 0)
        return st;
    tm_batch_builder_view(&sink->batch, &batch);
    st = tm_stream_write_batch(sink->writer, &batch, err);
    tm_batch_builder_clear(&sink->batch);
    return st;
}

static enum tm_status put_message(struct tm_event_sink *sink, enum tm_frame_type type, const ProtobufCMessage *message,
                                  struct tm_error *err)
{
    enum tm_status st = tm_event_sink_flush(sink, err);
    return st < 0 ? st : tm_stream_write_message(sink->writer, type, message, err);
}

enum tm_status tm_event_sink_file_begin(struct tm_event_sink *sink, const Tracemerge__FileBegin *begin,
                                        struct tm_error *err)
{
    sink->file = begin->id;
    sink->position = 0;
    sink->timed_count = 0;
    sink->untimed_count = 0;
    sink->budget = (struct tm_detail_budget){0};
    sink->left_out = 0;
    tm_slice_tids_clear(&sink->slice_tids);
    return put_message(sink, TM_FRAME_FILE_BEGIN, &begin->base, err);
}

void tm_event_sink_file_reads(struct tm_event_sink *sink, const uint64_t *offset)
{
    sink->budget.offset = offset;
    sink->budget.start = offset ? *offset : 0;
}

/* States COUNT of what a limit left out of the file, as the statistic NAME. */
static enum tm_status put_loss(struct tm_event_sink *sink, const char *name, uint64_t count, struct tm_error *err)
{
    return count ? tm_event_sink_stat(sink, name, TRACEMERGE__SEVERITY__DATA_LOSS, (int64_t)count, err) : TM_OK;
}

/* States how much of the file was cut and left out. */
static enum tm_status put_losses(struct tm_event_sink *sink, struct tm_error *err)
{
    const uint64_t cut = sink->budget.cut_count, left_out = sink->left_out;
    sink->budget = (struct tm_detail_budget){0};
    sink->left_out = 0;
    enum tm_status st = put_loss(sink, "event_details_cut", cut, err);
    return st < 0 ? st : put_loss(sink, "facts_beyond_limits", left_out, err);
}

enum tm_status tm_event_sink_file_end(struct tm_event_sink *sink, uint32_t file, uint64_t size_bytes,
                                      struct tm_error *err)
{
    Tracemerge__FileEnd end = TRACEMERGE__FILE_END__INIT;
    end.id = file;
    end.size_bytes = size_bytes;
    end.timed_count = sink->timed_count;
    end.untimed_count = sink->untimed_count;
    end.has_lists_slice_tids = true;
    end.lists_slice_tids = !sink->slice_tids.is_full;
    if (end.lists_slice_tids) {
        tm_slice_tids_sort(&sink->slice_tids);
        end.n_slice_tids = sink->slice_tids.count;
        end.slice_tids = sink->slice_tids.tids;
    }
    enum tm_status st = put_losses(sink, err);
    if (st >= 0)
        st = put_message(sink, TM_FRAME_FILE_END, &end.base, err);
    sink->timed_count = 0;
    sink->untimed_count = 0;
    tm_slice_tids_clear(&sink->slice_tids);
    return st;
}

void tm_event_sink_set_file(struct tm_event_sink *sink, uint32_t file)
{
    sink->file = file;
}

/* Returns the place in sink->recent of a text of at least 8 bytes. Most texts differ in their ends or their length.
 * Finding the others takes longer. */
static inline uint32_t *recent_place(struct tm_event_sink *sink, struct tm_text text)
{
    const uint8_t *s = (const uint8_t *)text.data;
    uint64_t mixed = tm_get_le64(s) + tm_get_le64(s + text.len - 8) * 31 + text.len;
    return &sink->recent[mixed * UINT64_C(0x9e3779b97f4a7c15) / (UINT64_MAX / TM_SINK_RECENT + 1)];
}

/* True if NUMBER is that of TEXT. 0 is none. */
static bool is_string(const struct tm_event_sink *sink, uint32_t number, struct tm_text text)
{
    size_t len;
    if (number == 0 || number > sink->strings.count) /* the strings may have been cleared */
        return false;
    const uint8_t *s = tm_intern_get(&sink->strings, number - 1, &len);
    return len == text.len && memcmp(s, text.data, len) == 0;
}

enum tm_status tm_event_sink_string(struct tm_event_sink *sink, struct tm_text text, struct tm_buf *detail,
                                    uint32_t *string, struct tm_error *err)
{
    uint32_t none = 0, *recent = text.len >= 8 && text.len <= TM_SINK_STRING_MAX ? recent_place(sink, text) : &none;
    *string = *recent;
    if (is_string(sink, *recent, text))
        return TM_OK;
    *string = 0;
    if (text.data == NULL)
        return TM_OK;
    if (text.len > TM_DETAIL_SMALL)
        text = tm_detail_budget_text(&sink->budget, text);
    if (text.len <= TM_SINK_STRING_MAX) {
        uint32_t id;
        enum tm_status st = tm_intern_add(&sink->strings, text.data, text.len, &id, NULL);
        if (st < 0)
            return tm_error_nomem(err);
        if (st == TM_OK) {
            *string = *recent = id + 1;
            return TM_OK;
        }
    }
    *string = TM_STRING_INLINE | (uint32_t)(detail->len + 1); /* after the one-byte tag */
    return tm_pb_put_bytes(detail, TM_DETAIL_TEXT, text.data, text.len) == TM_OK ? TM_OK : tm_error_nomem(err);
}

enum tm_status tm_event_sink_add(struct tm_event_sink *sink, struct tm_event *event, struct tm_error *err)
{
    if (!tm_raw_choice_has(&sink->raw, tm_event_raw(event->flags)))
        event->raw_bytes = 0;
    if (event->detail_bytes > TM_DETAIL_SMALL && tm_detail_budget_event(&sink->budget, event, &sink->detail) != TM_OK)
        return tm_error_nomem(err);
    if (tm_batch_builder_full(&sink->batch)) {
        enum tm_status st = tm_event_sink_flush(sink, err);
        if (st < 0)
            return st;
    }
    event->file = sink->file;
    event->position = sink->position++;
    if (tm_event_is_counted(event->flags))
        sink->timed_count++;
    else if (!(event->flags & TM_EVENT_DERIVED))
        sink->untimed_count++;
    if (tm_makes_kernel_slice(event->flags, event->kind) && tm_slice_tids_add(&sink->slice_tids, event->tid) < 0)
        return tm_error_nomem(err);
    return tm_batch_builder_add(&sink->batch, event) == TM_OK ? TM_OK : tm_error_nomem(err);
}

/* Returns COUNT rows of ALL, from FROM on. */
static struct tm_batch_rows rows_from(const struct tm_batch_rows *all, uint32_t from, uint32_t count)
{
    struct tm_batch_rows rows = {.count = count, .common = all->common};
    for (int c = 0; c < TM_COL_COUNT; c++)
        if (all->columns[c])
            rows.columns[c] = (const uint8_t *)all->columns[c] + tm_column_width((enum tm_column)c) * from;
    return rows;
}

enum tm_status tm_event_sink_add_rows(struct tm_event_sink *sink, const struct tm_batch_rows *rows,
                                      struct tm_error *err)
{
    struct tm_event common = *rows->common;
    uint64_t positions[POSITIONS];
    common.file = sink->file;
    for (uint32_t done = 0, count; done < rows->count; done += count) {
        enum tm_status st = tm_batch_builder_full(&sink->batch) ? tm_event_sink_flush(sink, err) : TM_OK;
        if (st < 0)
            return st;
        uint32_t room = tm_batch_builder_room(&sink->batch);
        count = rows->count - done < room ? rows->count - done : room;
        count = count < POSITIONS ? count : POSITIONS;
        struct tm_batch_rows part = rows_from(rows, done, count);
        for (uint32_t i = 0; i < count; i++)
            positions[i] = sink->position++;
        part.common = &common;
        part.columns[TM_COL_POSITION] = positions;
        if (tm_batch_builder_add_rows(&sink->batch, &part) != TM_OK)
            return tm_error_nomem(err);
        sink->timed_count += count;
    }
    return TM_OK;
}

enum tm_status tm_event_sink_add_copies(struct tm_event_sink *sink, const struct tm_batch_copies *rows,
                                        struct tm_error *err)
{
    struct tm_batch_copies left = *rows;
    left.file = sink->file;
    for (uint32_t added; left.count > 0; left.count -= added) {
        enum tm_status st = tm_batch_builder_full(&sink->batch) ? tm_event_sink_flush(sink, err) : TM_OK;
        if (st < 0)
            return st;
        left.position = sink->position;
        if (tm_batch_builder_add_copies(&sink->batch, &left, &added) != TM_OK)
            return tm_error_nomem(err);
        sink->position += added;
        sink->timed_count += added;
        left.events += added;
        left.times += added;
    }
    return TM_OK;
}

enum tm_status tm_event_sink_generation(struct tm_event_sink *sink, uint32_t machine, uint32_t sequence,
                                        uint32_t *generation, struct tm_error *err)
{
    Tracemerge__Sequence frame = TRACEMERGE__SEQUENCE__INIT;
    frame.generation = *generation = ++sink->generations;
    frame.file = sink->file;
    frame.machine = machine;
    frame.trusted_packet_sequence_id = sequence;
    /* No flush: only later events use the number, so the frame may precede earlier events. */
    return tm_stream_write_message(sink->writer, TM_FRAME_SEQUENCE, &frame.base, err);
}

enum tm_status tm_event_sink_message(struct tm_event_sink *sink, enum tm_frame_type type,
                                     const ProtobufCMessage *message, struct tm_error *err)
{
    if (type == TM_FRAME_SNAPSHOT || type == TM_FRAME_REMOTE_CLOCK_SYNC) {
        sink->position++;
        sink->untimed_count++;
    }
    return put_message(sink, type, message, err);
}

enum tm_status tm_event_sink_snapshot(struct tm_event_sink *sink, Tracemerge__Snapshot *snapshot,
                                      const struct tm_clock_reading pair[2], struct tm_error *err)
{
    Tracemerge__Reading readings[2] = {TRACEMERGE__READING__INIT, TRACEMERGE__READING__INIT};
    Tracemerge__Reading *list[2] = {&readings[0], &readings[1]};
    for (size_t i = 0; i < 2; i++) {
        readings[i].clock = pair[i].clock;
        readings[i].value = pair[i].value;
    }
    snapshot->file = sink->file;
    snapshot->position = sink->position;
    snapshot->n_readings = 2;
    snapshot->readings = list;
    enum tm_status st = tm_event_sink_message(sink, TM_FRAME_SNAPSHOT, &snapshot->base, err);
    snapshot->n_readings = 0;
    snapshot->readings = NULL;
    return st;
}

enum tm_status tm_event_sink_account(struct tm_event_sink *sink, struct tm_loss loss, struct tm_error *err)
{
    Tracemerge__Account account = TRACEMERGE__ACCOUNT__INIT;
    account.file = sink->file;
    account.clock = loss.clock;
    account.reason = tm_bytes_str(tm_drop_reason_name(loss.reason));
    account.count = loss.count;
    account.has_byte = loss.byte != UINT64_MAX;
    account.byte = loss.byte;
    if (loss.reason != TM_DROP_SKIPPED_BYTES)
        sink->timed_count += loss.count;
    return tm_stream_write_message(sink->writer, TM_FRAME_ACCOUNT, &account.base, err);
}

enum tm_status tm_event_sink_stat(struct tm_event_sink *sink, const char *name, Tracemerge__Severity severity,
                                  int64_t value, struct tm_error *err)
{
    Tracemerge__Stat stat = TRACEMERGE__STAT__INIT;
    stat.name = tm_bytes(name, strlen(name));
    stat.severity = severity;
    stat.value = value;
    stat.has_file = true;
    stat.file = sink->file;
    return tm_stream_write_message(sink->writer, TM_FRAME_STAT, &stat.base, err);
}

void tm_event_sink_release(struct tm_event_sink *sink)
{
    tm_batch_builder_release(&sink->batch);
    tm_slice_tids_release(&sink->slice_tids);
    tm_intern_release(&sink->strings);
    tm_buf_release(&sink->detail);
}
