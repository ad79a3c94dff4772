#include "clocks/timeline.h"

#include "os/io.h"
#include "clocks/batch_placer.h"
#include "clocks/clock_dot.h"
#include "clocks/hint_manifest.h"
#include "clocks/unused_relations.h"
#include "clocks/pending_frames.h"
#include "clocks/relations.h"
#include "stream/drop_reason.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static const char producer[] = "tm-clocks";

struct timeline {
    struct tm_stream_reader reader;
    struct tm_stream_writer writer;
    struct tm_clock_registry registry;
    struct tm_clock_files files;
    struct tm_batch_placer placer;
    struct tm_pending_frames pending;
    struct tm_clock_hints hints;
    struct tm_hint_manifest hint_manifest;
    struct tm_unused_relations known;
};

static enum tm_status decode(const struct tm_frame *frame, const ProtobufCMessageDescriptor *descriptor,
                             ProtobufCMessage **message, struct tm_error *err)
{
    *message = tm_frame_message(frame, descriptor, err);
    return *message ? TM_OK : err->status;
}

static enum tm_status on_file(struct timeline *t, const ProtobufCMessage *message, struct tm_error *err)
{
    const Tracemerge__File *file = (const Tracemerge__File *)message;
    enum tm_status st = tm_clock_files_add(&t->files, file, err);
    return st < 0 ? st : tm_hint_manifest_file(&t->hint_manifest, file, err);
}

static enum tm_status on_file_begin(struct timeline *t, const ProtobufCMessage *message, struct tm_error *err)
{
    const Tracemerge__FileBegin *begin = (const Tracemerge__FileBegin *)message;
    if (begin->id >= t->files.count)
        return tm_error_set(err, TM_E_INPUT, "file %u begins, but no File frame names it", begin->id);
    t->files.files[begin->id]->may_wait = t->hints.is_enabled;
    tm_hint_manifest_begin(&t->hint_manifest, begin);
    return tm_clock_file_begin(t->files.files[begin->id], &t->registry, begin->clock_policy, err);
}

static enum tm_status check_account(const struct tm_clock_file *file, uint64_t accounted, uint64_t read,
                                    struct tm_error *err)
{
    if (accounted == read)
        return TM_OK;
    return tm_error_set(err, TM_E_SYSTEM,
                        "%s: accounts do not balance: %llu events read, %llu placed or dropped (a bug)",
                        tm_clock_file_text(file), (unsigned long long)read, (unsigned long long)accounted);
}

static enum tm_status on_file_end(struct timeline *t, const ProtobufCMessage *message, struct tm_error *err)
{
    const Tracemerge__FileEnd *end = (const Tracemerge__FileEnd *)message;
    struct tm_clock_file *file = tm_clock_files_open(&t->files, end->id, err);
    if (file == NULL)
        return TM_E_INPUT;
    uint64_t accounted = file->upstream_count;
    for (uint32_t i = 0; i < file->scope_count; i++)
        file->scopes[i]->may_wait = false;
    enum tm_status st = tm_batch_placer_finish(&t->placer, file, err);
    if (st == TM_OK && t->placer.lines.batch_count > 0)
        st = tm_batch_placer_interpolate(&t->placer, err);
    if (st == TM_OK)
        st = tm_clock_routes_flush(&t->placer.routes, file->id, err);
    if (st == TM_OK)
        st = tm_pending_frames_finish(&t->pending, err);
    if (st == TM_OK)
        st = tm_dropped_list_flush(&t->placer.dropped, err);
    for (uint32_t i = 0; i < file->scope_count && st == TM_OK; i++)
        st = tm_clock_scope_write(file->scopes[i], &t->writer, &accounted, err);
    if (st == TM_OK)
        st = check_account(file, accounted, end->timed_count, err);
    if (st == TM_OK)
        st = tm_unused_relations_add_file(&t->known, &t->files, file, &t->registry, err);
    tm_clock_file_close(file);
    return st;
}

static enum tm_status on_config(struct timeline *t, ProtobufCMessage **message, struct tm_error *err)
{
    if (t->files.config)
        return tm_error_set(err, TM_E_INPUT, "perfetto_manifest: multiple perfetto_manifest files in archive");
    t->files.config = (Tracemerge__Config *)*message;
    *message = NULL;
    enum tm_status st = tm_hint_manifest_configure(&t->hint_manifest, t->files.config, err);
    return st < 0 ? st : tm_relations_configure(&t->registry, t->files.config, err);
}

static enum tm_status on_file_config(struct timeline *t, const ProtobufCMessage *message, struct tm_error *err)
{
    const Tracemerge__FileConfig *frame = (const Tracemerge__FileConfig *)message;
    if (t->files.config == NULL || frame->entry >= t->files.config->n_entries || frame->file >= t->files.count)
        return tm_error_set(err, TM_E_INPUT, "a FileConfig frame refers to a file or entry that is not known");
    struct tm_clock_file *file = t->files.files[frame->file];
    /* An entry may name the manifest itself or the archive around it. These have no events. */
    if (file->is_open && file->policy != TRACEMERGE__CLOCK_POLICY__NO_CLOCK)
        return tm_error_set(err, TM_E_INPUT, "%s: configured after its turn has begun", tm_clock_file_text(file));
    file->entry = t->files.config->entries[frame->entry];
    file->tag = TM_TAG_ENTRY | frame->entry;
    return TM_OK;
}

static enum tm_status prefix_place(const struct tm_clock_file *file, uint64_t byte, struct tm_error *err)
{
    if (err->status == TM_E_SYSTEM)
        return err->status;
    return tm_error_prefix(err, "%s: byte %llu", tm_clock_file_text(file), (unsigned long long)byte);
}

static enum tm_status on_snapshot(struct timeline *t, ProtobufCMessage *message, struct tm_error *err)
{
    Tracemerge__Snapshot *snapshot = (Tracemerge__Snapshot *)message;
    struct tm_clock_scope *scope;
    struct tm_clock_file *file = tm_clock_files_open(&t->files, snapshot->file, err);
    if (file == NULL)
        return TM_E_INPUT;
    enum tm_status st = tm_clock_file_scope(file, &t->registry, snapshot->machine, &scope, err);
    if (st == TM_OK)
        tm_clock_file_note_data(&t->registry, snapshot->machine, scope);
    t->registry.has_file = true;
    t->registry.file = file->id;
    if (st == TM_OK)
        st = tm_relations_snapshot(&t->registry, scope, snapshot, err);
    t->registry.has_file = false;
    for (size_t i = 0; i < snapshot->n_readings && st == TM_OK; i++)
        st = tm_unused_relations_add(&t->known, &t->files, file, snapshot->readings[i]->clock, err);
    if (st < 0)
        return prefix_place(file, snapshot->byte, err);
    snapshot->machine = scope->machine;
    return TM_OK;
}

static enum tm_status on_remote_sync(struct timeline *t, ProtobufCMessage *message, struct tm_error *err)
{
    Tracemerge__RemoteClockSync *sync = (Tracemerge__RemoteClockSync *)message;
    struct tm_clock_scope *scope;
    struct tm_clock_file *file = tm_clock_files_open(&t->files, sync->file, err);
    if (file == NULL)
        return TM_E_INPUT;
    enum tm_status st = tm_clock_file_scope(file, &t->registry, sync->machine, &scope, err);
    if (st == TM_OK)
        tm_clock_file_note_data(&t->registry, sync->machine, scope);
    t->registry.has_file = true;
    t->registry.file = file->id;
    if (st == TM_OK)
        st = tm_relations_remote(&t->registry, file, scope, sync, err);
    t->registry.has_file = false;
    if (st < 0)
        return prefix_place(file, sync->byte, err);
    sync->machine = scope->machine;
    return TM_OK;
}

/* Takes a hint, which is about the file's base machine. */
static enum tm_status on_hint(struct timeline *t, const ProtobufCMessage *message, struct tm_error *err)
{
    const Tracemerge__ClockHint *frame = (const Tracemerge__ClockHint *)message;
    struct tm_clock_file *file = tm_clock_files_open(&t->files, frame->file, err);
    if (file == NULL || file->base == NULL || !t->hints.is_enabled)
        return file ? TM_OK : TM_E_INPUT;
    struct tm_clock_scope *scope = file->base;
    uint32_t clock = frame->from_clock == TM_CLOCK_NONE ? scope->default_clock : frame->from_clock;
    struct tm_clock_hint hint = {.file = file->id,
                                 .from_ns = frame->from_ns,
                                 .to_ns = frame->value_ns,
                                 .from_clock = clock,
                                 .to_clock = frame->clock};
    struct tm_clock_key from = tm_clock_scope_key(scope, clock, 0), to = tm_clock_scope_untagged(scope, frame->clock);
    enum tm_status st = tm_clock_graph_clock(&t->registry.graph, &from, &hint.from, err);
    if (st == TM_OK)
        st = tm_clock_graph_clock(&t->registry.graph, &to, &hint.to, err);
    scope->may_wait = false;
    if (st == TM_OK)
        st = tm_unused_relations_add(&t->known, &t->files, file, frame->clock, err);
    return st < 0 ? st : tm_clock_hints_add(&t->hints, &hint, err);
}

static enum tm_status on_account(struct timeline *t, const ProtobufCMessage *message, struct tm_error *err)
{
    const Tracemerge__Account *account = (const Tracemerge__Account *)message;
    struct tm_clock_file *file = tm_clock_files_open(&t->files, account->file, err);
    if (file == NULL)
        return TM_E_INPUT;
    if (tm_drop_reason_of(tm_text_of(account->reason)) == TM_DROP_SKIPPED_BYTES)
        return TM_OK;
    if (account->count > UINT64_MAX - file->upstream_count)
        return tm_error_set(err, TM_E_INPUT, "an account overflows");
    file->upstream_count += account->count;
    return TM_OK;
}

/* Handles frames that are recorded and then passed on, with the machine's row in place of its id. */
static enum tm_status record_frame(struct timeline *t, const struct tm_frame *frame, struct tm_error *err)
{
    static const struct {
        uint32_t type;
        const ProtobufCMessageDescriptor *descriptor;
        enum tm_status (*take)(struct timeline *, ProtobufCMessage *, struct tm_error *);
        enum tm_status (*look)(struct timeline *, const ProtobufCMessage *, struct tm_error *);
    } known[] = {
        {TM_FRAME_FILE, &tracemerge__file__descriptor, NULL, on_file},
        {TM_FRAME_FILE_BEGIN, &tracemerge__file_begin__descriptor, NULL, on_file_begin},
        {TM_FRAME_FILE_END, &tracemerge__file_end__descriptor, NULL, on_file_end},
        {TM_FRAME_FILE_CONFIG, &tracemerge__file_config__descriptor, NULL, on_file_config},
        {TM_FRAME_SNAPSHOT, &tracemerge__snapshot__descriptor, on_snapshot, NULL},
        {TM_FRAME_REMOTE_CLOCK_SYNC, &tracemerge__remote_clock_sync__descriptor, on_remote_sync, NULL},
        {TM_FRAME_CLOCK_HINT, &tracemerge__clock_hint__descriptor, NULL, on_hint},
        {TM_FRAME_ACCOUNT, &tracemerge__account__descriptor, NULL, on_account},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ProtobufCMessage *message;
        if (known[i].type != frame->type)
            continue;
        enum tm_status st = decode(frame, known[i].descriptor, &message, err);
        if (st < 0)
            return st;
        st = known[i].take ? known[i].take(t, message, err) : known[i].look(t, message, err);
        if (st == TM_OK && known[i].take)
            st = tm_stream_write_message(&t->writer, (enum tm_frame_type)frame->type, message, err);
        else if (st == TM_OK)
            st = tm_stream_forward(&t->writer, frame, NULL, err);
        protobuf_c_message_free_unpacked(message, NULL);
        return st;
    }
    return tm_stream_forward(&t->writer, frame, NULL, err);
}

static enum tm_status on_batch(struct timeline *t, const struct tm_batch *batch, struct tm_error *err)
{
    uint32_t generation = 0;
    uint32_t rows = tm_batch_is_constant(batch, TM_COL_GENERATION) ? 1 : batch->count;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t g = tm_batch_u32(batch, TM_COL_GENERATION, i);
        generation = g > generation ? g : generation;
    }
    t->placer.has_messages = t->reader.has_compact_messages;
    enum tm_status st = tm_batch_placer_convert(&t->placer, batch, err);
    if (st == TM_OK)
        st = tm_pending_frames_write(&t->pending, generation, err);
    return st < 0 ? st : tm_batch_placer_write(&t->placer, batch, err);
}

static enum tm_status on_frame(struct timeline *t, const struct tm_frame *frame, const struct tm_batch *batch,
                               struct tm_error *err)
{
    ProtobufCMessage *message;
    enum tm_status st;
    switch (frame->type) {
    case TM_FRAME_BATCH:
        return on_batch(t, batch, err);
    case TM_FRAME_SEQUENCE:
    case TM_FRAME_STAT:
    case TM_FRAME_METADATA:
        return tm_pending_frames_add(&t->pending, frame, err);
    case TM_FRAME_MANIFEST:
        return tm_error_set(err, TM_E_INPUT, "the stream's manifest has not been read yet: pipe it through "
                                             "tm-manifest first");
    case TM_FRAME_MACHINE:
    case TM_FRAME_TRACE_TIME:
    case TM_FRAME_CLOCK_ROW:
    case TM_FRAME_PLACEMENT:
    case TM_FRAME_DROPPED:
        return tm_error_set(err, TM_E_INPUT,
                            "a frame that only tm-clocks writes, in a stream whose times are not placed");
    case TM_FRAME_CLOCK_LINES:
        return TM_OK; /* it warns of points, which this stage has handled */
    case TM_FRAME_CONFIG:
        if ((st = decode(frame, &tracemerge__config__descriptor, &message, err)) < 0)
            return st;
        /* The frame is written before the frames that follow from it. */
        st = tm_stream_forward(&t->writer, frame, NULL, err);
        if (st == TM_OK)
            st = on_config(t, &message, err);
        if (message)
            protobuf_c_message_free_unpacked(message, NULL);
        return st < 0 ? st : tm_relations_attributes(t->files.config, &t->writer, err);
    default: return record_frame(t, frame, err);
    }
}

/* A relation without effect is an error only with --check-relations, because the specification allows it. */
static enum tm_status check_relations(struct timeline *t, const struct tm_timeline_options *options,
                                      struct tm_error *err)
{
    enum tm_status st = tm_unused_relations_check(&t->known, &t->files, &t->registry, err);
    if (st != TM_E_INPUT || options->check_relations)
        return st;
    if (options->warn)
        options->warn(err->text);
    *err = (struct tm_error){0};
    return TM_OK;
}

static enum tm_status finish(struct timeline *t, const struct tm_timeline_options *options, struct tm_error *err)
{
    enum tm_status st = tm_pending_frames_finish(&t->pending, err);
    if (st == TM_OK)
        st = check_relations(t, options, err);
    if (st == TM_OK)
        st = tm_relations_finish(&t->registry, &t->writer, err);
    if (st == TM_OK)
        st = tm_clock_hints_write_surplus(&t->hints, &t->writer, err);
    if (st == TM_OK && t->hint_manifest.is_enabled)
        st = tm_hint_manifest_make(&t->hint_manifest, &t->hints, options->hint_manifest, err);
    if (st < 0)
        return st;
    if (options->strict && t->placer.dropped_count)
        return tm_error_set(err, TM_E_STRICT, "%llu events could not be placed",
                            (unsigned long long)t->placer.dropped_count);
    return tm_stream_writer_end(&t->writer, err);
}

static enum tm_status pass_on(struct timeline *t, struct tm_error *err)
{
    struct tm_frame frame;
    struct tm_batch batch;
    enum tm_status st;
    while ((st = tm_stream_reader_next(&t->reader, &frame, &batch, err)) == TM_OK)
        if ((st = tm_stream_forward(&t->writer, &frame, &batch, err)) < 0)
            return st;
    return st < 0 ? st : tm_stream_writer_end(&t->writer, err);
}

static enum tm_status place(struct timeline *t, const struct tm_timeline_options *options, struct tm_error *err)
{
    struct tm_frame frame;
    struct tm_batch batch;
    enum tm_status st = tm_clock_registry_init(&t->registry, &t->writer, tm_clock_file_tag(0), err);
    t->pending = (struct tm_pending_frames){.files = &t->files, .registry = &t->registry, .writer = &t->writer};
    t->placer.routes.registry = &t->registry;
    t->placer.routes.files = &t->files;
    t->placer.routes.hints = &t->hints;
    t->placer.writer = t->placer.dropped.writer = &t->writer;
    t->placer.dropped.is_enabled = options->keep_dropped;
    t->placer.lines.is_enabled = t->placer.routes.defers_for_lines = options->interpolate;
    t->hints.is_enabled = options->hints;
    t->hint_manifest.is_enabled = options->hint_manifest != NULL;
    t->placer.temporary_dir = options->temporary_dir;
    if (st < 0)
        return st;
    while ((st = tm_stream_reader_next(&t->reader, &frame, &batch, err)) == TM_OK)
        if ((st = on_frame(t, &frame, &batch, err)) < 0)
            return st;
    return st < 0 ? st : finish(t, options, err);
}

/* Sets *FD to where the stream goes: OUT, or /dev/null while OUT receives the graph. run closes it. */
static enum tm_status open_sink(int out, const struct tm_timeline_options *options, int *fd, struct tm_error *err)
{
    *fd = options->graph ? open("/dev/null", O_WRONLY | O_CLOEXEC) : out;
    return *fd >= 0 ? TM_OK : tm_error_errno(err, errno, "/dev/null");
}

static enum tm_status write_graph(struct timeline *t, int out, struct tm_error *err)
{
    struct tm_buf text = {0};
    enum tm_status st = tm_clock_dot(&text, &t->registry, &t->files);
    st = st < 0 ? tm_error_nomem(err) : tm_io_write(out, text.data, text.len, err);
    tm_buf_release(&text);
    return st;
}

enum tm_status tm_timeline_run(int in, int out, const struct tm_timeline_options *options, struct tm_error *err)
{
    int sink;
    struct timeline *t = calloc(1, sizeof *t);
    if (t == NULL)
        return tm_error_nomem(err);
    if (open_sink(out, options, &sink, err) < 0) {
        free(t);
        return TM_E_SYSTEM;
    }
    enum tm_status st = tm_stream_reader_open_copied(&t->reader, in, 0, err);
    bool is_placed = t->reader.header.stage == TRACEMERGE__STAGE__PLACED;
    t->reader.takes_compact_messages = true;
    if (st == TM_OK && t->reader.header.sorted && !is_placed)
        st = tm_error_set(err, TM_E_INPUT, "the stream was sorted before its times were placed: run tm-clocks before "
                                           "tm-sort");
    if (st == TM_OK && options->graph && is_placed)
        st = tm_error_set(err, TM_E_INPUT,
                          "the times of the stream are already placed, and a placed stream has no clock graph");
    struct tm_stream_header header = t->reader.header;
    header.stage = TRACEMERGE__STAGE__PLACED;
    if (st == TM_OK)
        st = tm_stream_writer_open(&t->writer, sink, producer, &header, err);
    if (st == TM_OK)
        st = is_placed ? pass_on(t, err) : place(t, options, err);
    if (st == TM_OK && options->graph)
        st = write_graph(t, out, err);
    if (options->graph)
        (void)close(sink);
    tm_pending_frames_release(&t->pending);
    tm_clock_hints_release(&t->hints);
    tm_hint_manifest_release(&t->hint_manifest);
    tm_unused_relations_release(&t->known);
    tm_batch_placer_release(&t->placer);
    tm_clock_files_release(&t->files);
    tm_clock_registry_release(&t->registry);
    tm_stream_writer_release(&t->writer);
    tm_stream_reader_release(&t->reader);
    free(t);
    return st;
}
