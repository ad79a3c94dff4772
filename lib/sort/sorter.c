#include "sort/sorter.h"

#include "os/compat.h"
#include "os/io.h"

enum {
    SORTER_MEMORY_PART = 16, /* this part of the memory is used by default, within these limits */
    SORTER_MEMORY_MIN = 256 << 20,
    SORTER_MEMORY_PART_MAX = 4, /* of a process that may use little memory, since other data need memory, too */
    SORTER_FRAMES_BYTES = 4 << 20,
    SORTER_SMALL_BYTES = 256 << 10, /* smaller batches are joined */
    SORTER_JOINED_BYTES = 1 << 20,  /* joined batches have up to this size */
    SORTER_THREADS_FROM = 4, /* processors; with fewer, the stages before and after tm-sort use them */
    SORTER_THREADS_PART = 2, /* this part of the processors sorts and merges */
    SORTER_COPIERS_FROM = 4, /* with so many threads more than one copies what is merged */
    SORTER_PIECE_BYTES = 1 << 20, /* frames up to this size are sorted by threads, if they have up to this many rows: */
    SORTER_PIECE_ROWS = 8192
};

static const uint64_t memory_max = UINT64_C(4) << 30;

unsigned long long tm_sort_memory_of(uint64_t size)
{
    const uint64_t part = size / SORTER_MEMORY_PART, most_of_little = size / SORTER_MEMORY_PART_MAX;
    const uint64_t least = most_of_little < SORTER_MEMORY_MIN ? most_of_little : SORTER_MEMORY_MIN;
    return part < least ? least : part > memory_max ? memory_max : part;
}

const char *tm_sort_dir(const struct tm_sort_options *options)
{
    return tm_io_temporary_dir(options->temporary_dir);
}

/* Returns how many threads to use if JOBS are asked for; 0: the default. */
static unsigned threads_of(unsigned jobs)
{
    const unsigned processors = tm_compat_processors();
    if (jobs)
        return jobs;
    return processors < SORTER_THREADS_FROM ? 1 : processors / SORTER_THREADS_PART;
}

static enum tm_status sort_batch(void *sorter, const struct tm_batch *batch, struct tm_error *err);

void tm_sorter_init(struct tm_sorter *s, const struct tm_sort_options *options)
{
    const char *dir = tm_sort_dir(options);
    *s = (struct tm_sorter){.jobs = threads_of(options->jobs)};
    s->frames = (struct tm_frame_file){.memory_bytes = SORTER_FRAMES_BYTES, .file.dir = dir};
    tm_block_store_init(&s->blocks, &s->orders, options->memory_bytes, dir);
    const size_t most = tm_block_store_most(&s->blocks);
    tm_collector_init(&s->staging, (struct tm_batch_receiver){sort_batch, s},
                      most < 1 ? 1 : most < SORTER_JOINED_BYTES ? most : SORTER_JOINED_BYTES);
}

/* Waits until the threads have stored all they have. */
static enum tm_status settle(struct tm_sorter *s, struct tm_error *err)
{
    return s->threads ? tm_sort_threads_wait(s->threads, err) : TM_OK;
}

/* Sorts one batch and stores it. Is the show function of a tm_batch_receiver. */
static enum tm_status sort_batch(void *sorter, const struct tm_batch *batch, struct tm_error *err)
{
    struct tm_sorter *s = sorter;
    enum tm_status st = settle(s, err);
    if (st == TM_OK)
        st = tm_sorted_batch_find(&s->sorted, batch, &s->orders, &s->blocks.layouts, err);
    return st == TM_OK ? tm_block_store_add(&s->blocks, &s->sorted, err) : st;
}

/* Adds BATCH to those that are joined. */
static enum tm_status join(struct tm_sorter *s, const struct tm_batch *batch, struct tm_error *err)
{
    struct tm_block block = tm_block_of(batch);
    struct tm_block_rows rows = tm_block_rows_of(&block);
    enum tm_status st = tm_collector_add(&s->staging, &rows, err);
    return st == TM_OK ? tm_collector_copy_noted(&s->staging, err) : st;
}

/* Returns ST. If FRAME is to blame, the error says where it is. */
static enum tm_status blame(const struct tm_frame *frame, enum tm_status st, struct tm_error *err)
{
    return st == TM_E_INPUT ? tm_error_prefix(err, "byte %llu", (unsigned long long)frame->offset) : st;
}

/* Announces the files of BATCH of FRAME to the order of files, which threads use. */
static enum tm_status use_files(struct tm_sorter *s, const struct tm_frame *frame, const struct tm_batch *batch,
                                struct tm_error *err)
{
    if (tm_row_order_knows_files(batch, &s->orders))
        return TM_OK;
    enum tm_status st = settle(s, err);
    return st == TM_OK ? blame(frame, tm_row_order_use_files(batch, &s->orders, err), err) : st;
}

/* True if threads may sort BATCH of FRAME. Starts them for the first one. From then on most columns of the batches of
 * READER are as they are in their frames. */
static bool use_threads_for(struct tm_sorter *s, const struct tm_frame *frame, const struct tm_batch *batch,
                            struct tm_stream_reader *reader)
{
    if (s->jobs < 2 || frame->body_bytes > SORTER_PIECE_BYTES || batch->count > SORTER_PIECE_ROWS)
        return false;
    if (s->threads == NULL) {
        const unsigned most = s->jobs - 1;
        s->threads = tm_sort_threads_new(most < TM_SORT_THREADS_MAX ? most : TM_SORT_THREADS_MAX, &s->blocks,
                                         &s->orders);
        if (s->threads)
            reader->unread = TM_SORT_THREADS_UNREAD;
        else
            s->jobs = 1;
    }
    return s->threads;
}

static enum tm_status add_batch(struct tm_sorter *s, const struct tm_frame *frame, struct tm_batch *batch,
                                struct tm_stream_reader *reader, struct tm_error *err)
{
    if (batch->count == 0)
        return TM_OK;
    const bool is_small = batch->payload_bytes + (size_t)batch->count * TM_BATCH_ROW_BYTES < SORTER_SMALL_BYTES;
    const bool joins = is_small || atomic_load(&s->blocks.is_shuffled);
    enum tm_status st = use_files(s, frame, batch, err);
    if (st == TM_OK && !joins)
        st = tm_collector_flush(&s->staging, err);
    if (st == TM_OK && !joins && use_threads_for(s, frame, batch, reader))
        return tm_sort_threads_put(s->threads, frame, err);
    if (st == TM_OK && reader->unread)
        st = blame(frame, tm_batch_decode(batch, &s->columns, frame->body, frame->body_bytes, err), err);
    if (st == TM_OK)
        st = joins ? join(s, batch, err) : sort_batch(s, batch, err);
    return st;
}

/* Adds a copy of FRAME, or the events of BATCH if it is one. */
static enum tm_status add(struct tm_sorter *s, const struct tm_frame *frame, struct tm_batch *batch,
                          struct tm_stream_reader *reader, struct tm_error *err)
{
    if (frame->type == TM_FRAME_BATCH)
        return add_batch(s, frame, batch, reader, err);
    enum tm_status st = frame->type == TM_FRAME_FILE_BEGIN ? settle(s, err) : TM_OK;
    if (st == TM_OK)
        st = tm_file_order_frame(&s->orders, frame, err);
    return st == TM_OK ? tm_frame_file_add(&s->frames, frame, err) : st;
}

enum tm_status tm_sorter_read(struct tm_sorter *s, struct tm_stream_reader *reader, struct tm_error *err)
{
    struct tm_frame frame;
    struct tm_batch batch;
    struct tm_error earlier = {0};
    enum tm_status st;
    while ((st = tm_stream_reader_next(reader, &frame, &batch, err)) == TM_OK)
        if ((st = add(s, &frame, &batch, reader, err)) < 0)
            break;
    if (settle(s, &earlier) < 0) { /* the failure of an earlier frame than the one just read */
        *err = earlier;
        st = earlier.status;
    }
    return st < 0 ? st : TM_OK;
}

/* Stores what is still to be joined. No batch follows. */
static enum tm_status finish_blocks(struct tm_sorter *s, struct tm_error *err)
{
    enum tm_status st = tm_collector_flush(&s->staging, err);
    tm_sort_threads_free(s->threads);
    s->threads = NULL;
    return st == TM_OK ? tm_block_store_reduce(&s->blocks, err) : st;
}

enum tm_status tm_sorter_write(struct tm_sorter *s, struct tm_stream_writer *writer, struct tm_error *err)
{
    struct tm_collector collector;
    tm_collector_init(&collector, tm_stream_writer_receiver(writer), TM_BATCH_BYTES);
    enum tm_status st = finish_blocks(s, err);
    if (st == TM_OK)
        st = tm_frame_file_write(&s->frames, writer, err);
    if (st == TM_OK && tm_block_store_is_in_memory(&s->blocks) && s->jobs > 1)
        tm_collector_use_threads(&collector, s->jobs < SORTER_COPIERS_FROM ? 1 : TM_COLLECTOR_THREADS_MAX);
    if (st == TM_OK)
        st = tm_block_store_merge(&s->blocks, true, &collector, err);
    if (st == TM_OK)
        st = tm_block_store_merge(&s->blocks, false, &collector, err);
    if (st == TM_OK)
        st = tm_collector_finish(&collector, err);
    tm_collector_release(&collector);
    return st;
}

void tm_sorter_release(struct tm_sorter *s)
{
    tm_sort_threads_free(s->threads);
    tm_block_store_release(&s->blocks);
    tm_sorted_batch_release(&s->sorted);
    tm_batch_store_release(&s->columns);
    tm_collector_release(&s->staging);
    tm_frame_file_release(&s->frames);
    tm_file_order_release(&s->orders);
}
