#include "unpack/jobs.h"

#include "base/map.h"
#include "os/compat.h"
#include "os/frame_queue.h"
#include "os/thread.h"
#include "stream/splice.h"
#include "unpack/run_strings.h"

#include <stdatomic.h>
#include <stdlib.h>

/* Limits if the options state no number of threads. Turns of fewer bytes, in all or on average, get no threads. Each
 * turn wakes threads, which costs as much as unpacking some kilobytes. There are at most JOBS_DEFAULT_MAX threads. */
enum { JOBS_WORTH_BYTES = 4 << 20, JOBS_WORTH_TURN_BYTES = 64 << 10, JOBS_DEFAULT_MAX = 8 };

/* Perfetto traces get two threads, or more if there are more than four processors: all but JOBS_KEPT of them. */
enum { JOBS_PROTO_MIN = 2, JOBS_KEPT = 2 };

/* The result of a turn that a worker ran, besides its frames. */
struct result {
    bool trace_seen;
    uint64_t expanded_bytes;
    struct tm_damage damage; /* of the archive, found in the turn */
    struct tm_buf warnings;  /* each with its NUL */
};

/* A turn that a worker may run. */
struct job {
    bool is_parallel;       /* a worker runs it */
    uint32_t files_from;    /* the number of the first file announced in it; an estimate, see find_jobs */
    struct result *result;  /* NULL: the turn has not ended well */
};

struct worker {
    struct tm_jobs *jobs;
    struct tm_thread thread;
    struct tm_archive archive; /* a copy whose state is the worker's */
    bool has_state;
    /* of the turn under way */
    uint32_t turn;
    struct tm_unpack_options options;
    struct tm_unpack_run run;
    struct tm_error err;
    struct tm_expansion expansion;
    struct tm_event_sink sink;
    struct tm_stream_writer writer;
    struct tm_buf warnings;
    struct tm_map numbers; /* strings of the sink whose numbers in the run are known */
};

struct tm_jobs {
    struct tm_unpack_run *run;
    const struct tm_turns *turns;
    struct job *jobs;
    struct worker *workers;
    uint32_t count, worker_count;
    struct tm_frame_queue queue;
    struct tm_splice splice;
    struct tm_run_strings strings;
    struct tm_buf chunk;
    struct tm_expansion expansion; /* of the run, when the threads started */
    _Atomic uint32_t next;         /* the turn that the next free worker looks at */
    atomic_bool stopped;
};

static enum tm_status put_frames(void *arg, struct tm_buf *frames, struct tm_error *err)
{
    struct worker *w = arg;
    enum tm_status st = tm_frame_queue_put(&w->jobs->queue, w->turn, frames, w->expansion.bytes, err);
    return st == TM_END ? tm_error_set(err, TM_E_SYSTEM, "the result of this turn is no longer needed") : st;
}

/* A string whose number in the run a worker needs. */
struct wanted_string {
    struct tm_run_strings *strings;
    struct tm_text text;
    uint32_t number; /* once it is known */
};

static bool is_known(void *arg)
{
    struct wanted_string *wanted = arg;
    return tm_run_strings_find(wanted->strings, wanted->text, &wanted->number);
}

/* Makes the number of WANTED, which is STRING in the worker's sink: adds all strings of the sink so far to the run,
 * while the thread that writes the stream waits. If another worker finds the number before, that suffices. */
static enum tm_status make_number(struct worker *w, struct wanted_string *wanted, uint32_t string, struct tm_error *err)
{
    struct tm_jobs *jobs = w->jobs;
    const struct tm_frame_visit visit = {is_known, wanted};
    bool needless;
    enum tm_status st = tm_frame_flush(&w->writer.frames, err);
    if (st == TM_OK)
        st = tm_frame_queue_visit(&jobs->queue, w->turn, &visit, &needless);
    if (st == TM_OK && needless)
        return TM_OK;
    if (st == TM_OK)
        st = tm_splice_add_strings(&jobs->splice, &w->sink, err);
    if (st != TM_OK)
        return st < 0 ? st : tm_error_set(err, TM_E_SYSTEM, "the string has no number");
    wanted->number = tm_splice_string(&jobs->splice, string);
    tm_run_strings_add(&jobs->strings, wanted->text, wanted->number);
    tm_frame_queue_wake(&jobs->queue);
    return TM_OK;
}

/* Converts *STRING of the worker's sink to its number in the run. */
static enum tm_status run_string(void *arg, uint32_t *string, struct tm_error *err)
{
    struct worker *w = arg;
    struct wanted_string wanted = {.strings = &w->jobs->strings};
    size_t len;
    if (tm_map_find(&w->numbers, *string, string))
        return TM_OK;
    const uint8_t *text = tm_intern_get(&w->sink.strings, *string - 1, &len);
    wanted.text = tm_text_at(text, len);
    enum tm_status st = is_known(&wanted) ? TM_OK : make_number(w, &wanted, *string, err);
    if (st == TM_OK && tm_map_set(&w->numbers, *string, wanted.number) != TM_OK)
        st = tm_error_nomem(err);
    *string = wanted.number;
    return st;
}

static void store_warning(void *arg, const char *text)
{
    struct worker *w = arg;
    (void)tm_buf_add(&w->warnings, text, strlen(text) + 1);
}

/* Prepares the worker for turn I. Its sink and its run have numbers of their own. */
static void prepare(struct worker *w, uint32_t i)
{
    const struct tm_jobs *jobs = w->jobs;
    struct tm_event_sink *sink = &w->sink;
    w->turn = i;
    w->err = (struct tm_error){0};
    w->expansion = jobs->expansion;
    w->expansion.bytes = 0;
    w->run.file_count = jobs->jobs[i].files_from;
    w->run.order = 0;
    w->run.trace_seen = w->run.names_remedy = w->run.is_final = false;
    w->archive.damage = (struct tm_damage){0};
    tm_batch_builder_clear(&sink->batch);
    tm_intern_clear(&sink->strings);
    sink->strings_sent = sink->generations = 0;
    tm_buf_clear(&w->writer.frames.out);
    tm_buf_clear(&w->warnings);
    tm_map_clear(&w->numbers);
}

static struct result *result_of(struct worker *w)
{
    struct result *result = malloc(sizeof *result);
    if (result)
        *result = (struct result){.trace_seen = w->run.trace_seen, .expanded_bytes = w->expansion.bytes,
                                  .damage = w->archive.damage, .warnings = w->warnings};
    if (result)
        w->warnings = (struct tm_buf){0};
    return result;
}

static void run_turn(struct worker *w, uint32_t i)
{
    struct tm_jobs *jobs = w->jobs;
    prepare(w, i);
    enum tm_status st = w->has_state ? jobs->turns->turn(jobs->turns, &w->run, &w->archive, i) : TM_E_SYSTEM;
    if (st == TM_OK)
        st = tm_frame_flush(&w->writer.frames, &w->err);
    if (st == TM_OK)
        jobs->jobs[i].result = result_of(w);
    tm_frame_queue_end(&jobs->queue, i);
}

/* The function of a worker's thread. Workers take the turns in order, so the turn that is written next has always
 * begun. */
static void *work(void *arg)
{
    struct worker *w = arg;
    struct tm_jobs *jobs = w->jobs;
    uint32_t i;
    while (!atomic_load(&jobs->stopped) && (i = atomic_fetch_add(&jobs->next, 1)) < jobs->count)
        if (jobs->jobs[i].is_parallel)
            run_turn(w, i);
    return NULL;
}

/* True if a worker may run the turn of MEMBER: it can be opened by itself, and its parser uses no library that one
 * thread has to itself. */
static bool is_parallel(const struct tm_member *member)
{
    switch (member->type.kind) {
    case TM_FILE_TAR:
    case TM_FILE_ZIP:
    case TM_FILE_GZIP:
    case TM_FILE_ZSTD:
    case TM_FILE_CTRACE:
    case TM_FILE_TRACE:
        return !member->reason && !member->is_once && !tm_unpack_is_alone(member->type.input_type);
    default:
        return false;
    }
}

/* Sums over the turns that workers may run. */
struct turn_sums {
    uint32_t count;
    uint64_t bytes, proto_bytes; /* of all their members; of the Perfetto traces among these */
};

/* Finds the turns for the workers. The number of files in a compressed file is not known yet. It is assumed to be one,
 * which is usually right. */
static void find_jobs(struct tm_jobs *jobs, struct turn_sums *sums)
{
    const struct tm_member_table *table = &jobs->turns->archive->table;
    uint32_t files = jobs->run->file_count;
    *sums = (struct turn_sums){0};
    for (uint32_t i = 0; i < table->count; i++) {
        const struct tm_member *member = &table->members[table->order[i]];
        enum tm_file_kind kind = member->type.kind;
        jobs->jobs[i] = (struct job){.is_parallel = is_parallel(member), .files_from = files};
        files += kind == TM_FILE_GZIP || kind == TM_FILE_ZSTD || kind == TM_FILE_CTRACE;
        if (!jobs->jobs[i].is_parallel)
            continue;
        sums->count++;
        sums->bytes += member->size_bytes;
        sums->proto_bytes += member->type.input_type == TM_INPUT_PROTO ? member->size_bytes : 0;
    }
}

/* Returns how many workers are worth starting if the options state no number: one for each processor, up to the number
 * that the main thread can keep up with. Perfetto traces are unpacked about as fast as the later stages take them, so
 * processors are left to those stages. */
static uint32_t worthwhile(const struct turn_sums *sums)
{
    uint32_t wanted = tm_compat_processors();
    if (sums->bytes < JOBS_WORTH_BYTES || sums->bytes / JOBS_WORTH_TURN_BYTES < sums->count)
        return 0;
    if (sums->proto_bytes > sums->bytes / 2 && wanted > JOBS_PROTO_MIN)
        wanted = wanted - JOBS_KEPT > JOBS_PROTO_MIN ? wanted - JOBS_KEPT : JOBS_PROTO_MIN;
    return wanted < JOBS_DEFAULT_MAX ? wanted : JOBS_DEFAULT_MAX;
}

/* Returns how many workers to start: as many as the options state, but no more than there are turns. */
static uint32_t worker_count(const struct tm_unpack_run *run, const struct turn_sums *sums)
{
    uint32_t wanted = run->options->jobs ? run->options->jobs : worthwhile(sums);
    return wanted < sums->count ? wanted : sums->count;
}

static void init_worker(struct tm_jobs *jobs, struct worker *w)
{
    const struct tm_event_sink *sink = jobs->run->sink;
    const struct tm_archive *archive = jobs->turns->archive;
    *w = (struct worker){.jobs = jobs, .options = *jobs->run->options, .run = *jobs->run, .archive = *archive};
    w->options.warn = w->options.warn ? store_warning : NULL;
    w->options.arg = w;
    w->options.jobs = 1;
    w->run.options = &w->options;
    w->run.sink = &w->sink;
    w->run.err = &w->err;
    w->run.expansion = &w->expansion;
    w->run.is_worker = true;
    w->writer.frames.put = put_frames;
    w->writer.frames.arg = w;
    tm_event_sink_init(&w->sink, &w->writer);
    w->sink.raw = sink->raw;
    w->sink.want_detail = sink->want_detail;
    w->sink.want_json_detail = sink->want_json_detail;
    w->sink.json_args = sink->json_args;
    w->sink.want_packet_args = sink->want_packet_args;
    w->sink.want_value_rows = sink->want_value_rows;
    w->sink.want_compact_messages = sink->want_compact_messages;
    w->sink.run_string = run_string;
    w->sink.run_arg = w;
    w->has_state =
        archive->copy_state == NULL || archive->copy_state(archive->state, &w->archive.state, &w->err) == TM_OK;
}

static void release_worker(struct worker *w)
{
    if (w->has_state && w->archive.copy_state)
        w->archive.free_state(w->archive.state);
    tm_event_sink_release(&w->sink);
    tm_stream_writer_release(&w->writer);
    tm_buf_release(&w->warnings);
    tm_map_release(&w->numbers);
}

static enum tm_status start_workers(struct tm_jobs *jobs, uint32_t count)
{
    enum tm_status st = tm_run_strings_init(&jobs->strings, jobs->run->err);
    if (st < 0)
        return st;
    const struct tm_frame_queue_bounds bounds = {
        .bytes_max = count * TM_JOBS_WORKER_BYTES, .far_bytes_max = count * TM_JOBS_FAR_WORKER_BYTES, .near = count};
    st = tm_frame_queue_init(&jobs->queue, jobs->count, bounds, jobs->run->err);
    if (st < 0) {
        tm_run_strings_release(&jobs->strings);
        return st;
    }
    jobs->workers = calloc(count, sizeof *jobs->workers);
    for (uint32_t i = 0; jobs->workers && i < count; i++) {
        struct worker *w = &jobs->workers[i];
        init_worker(jobs, w);
        if (!tm_thread_start(&w->thread, work, w)) {
            release_worker(w);
            break;
        }
        jobs->worker_count++;
    }
    if (jobs->worker_count > 0)
        return TM_OK;
    tm_frame_queue_release(&jobs->queue);
    tm_run_strings_release(&jobs->strings);
    return TM_END;
}

enum tm_status tm_jobs_start(struct tm_jobs **out, struct tm_unpack_run *run, const struct tm_turns *turns)
{
    uint32_t count = turns->archive->table.count;
    struct turn_sums sums;
    *out = NULL;
    if (run->options->jobs == 1 || run->options->list || count < 2)
        return TM_OK;
    struct tm_jobs *jobs = calloc(1, sizeof *jobs);
    if (jobs)
        jobs->jobs = calloc(count, sizeof *jobs->jobs);
    if (jobs == NULL || jobs->jobs == NULL) {
        free(jobs);
        return tm_error_nomem(run->err);
    }
    jobs->run = run;
    jobs->turns = turns;
    jobs->count = count;
    jobs->expansion = *run->expansion;
    jobs->splice = (struct tm_splice){.sink = run->sink, .files_max = TM_FILES_MAX};
    find_jobs(jobs, &sums);
    uint32_t workers = worker_count(run, &sums);
    enum tm_status st = workers > 1 ? start_workers(jobs, workers) : TM_END;
    if (st == TM_OK) {
        *out = jobs;
        return TM_OK;
    }
    free(jobs->workers);
    free(jobs->jobs);
    free(jobs);
    return st < 0 ? st : TM_OK;
}

/* True if the run may decompress BYTES more than before this turn. */
static bool may_expand(const struct tm_jobs *jobs, uint64_t bytes)
{
    struct tm_expansion expansion = *jobs->run->expansion;
    struct tm_error unused = {0};
    return tm_expansion_add(&expansion, bytes, &unused) == TM_OK;
}

/* Copies the frames of turn I. TM_END: not all of them, or the turn failed. */
static enum tm_status copy_frames(struct tm_jobs *jobs, uint32_t i)
{
    uint64_t expanded;
    while (tm_frame_queue_take(&jobs->queue, i, &jobs->chunk, &expanded) == TM_OK) {
        if (!may_expand(jobs, expanded))
            return TM_END;
        enum tm_status st = tm_splice_copy(&jobs->splice, jobs->chunk.data, jobs->chunk.len, jobs->run->err);
        if (st != TM_OK)
            return st;
    }
    return jobs->jobs[i].result && may_expand(jobs, jobs->jobs[i].result->expanded_bytes) ? TM_OK : TM_END;
}

static void pass_warnings(const struct tm_unpack_run *run, const struct tm_buf *warnings)
{
    for (size_t at = 0; at < warnings->len;) {
        const char *text = (const char *)warnings->data + at;
        run->options->warn(run->options->arg, text);
        at += strlen(text) + 1;
    }
}

/* Adds the results of turn I, which has been written, to the run. */
static void settle(struct tm_jobs *jobs, uint32_t i)
{
    const struct tm_turns *turns = jobs->turns;
    struct tm_unpack_run *run = jobs->run;
    struct result *result = jobs->jobs[i].result;
    const struct tm_member_table *table = &turns->archive->table;
    run->file_count = jobs->splice.file_count;
    run->order = jobs->splice.order;
    run->trace_seen |= result->trace_seen;
    run->expansion->bytes += result->expanded_bytes;
    pass_warnings(run, &result->warnings);
    if (result->damage.count > 0)
        tm_damage_merge(&turns->archive->damage, &result->damage);
    if (turns->archive->done)
        turns->archive->done(turns->archive->state, &table->members[table->order[i]]);
}

static void free_result(struct job *job)
{
    if (job->result)
        tm_buf_release(&job->result->warnings);
    free(job->result);
    job->result = NULL;
}

/* Tells the workers to stop. They do so when they next write, or at the end of their turns. */
static void stop(struct tm_jobs *jobs)
{
    atomic_store(&jobs->stopped, true);
    for (uint32_t i = 0; i < jobs->count; i++)
        tm_frame_queue_close(&jobs->queue, i);
}

/* Stops all workers and waits for them. The run itself then runs the turns that are left. */
static void end_workers(struct tm_jobs *jobs)
{
    stop(jobs);
    for (uint32_t i = 0; i < jobs->worker_count; i++) {
        tm_thread_end(&jobs->workers[i].thread);
        release_worker(&jobs->workers[i]);
    }
    jobs->worker_count = 0;
}

/* True if turn I, which the run itself runs, may fork: for a library, or for a member of an archive inside. No other
 * thread may run then, because the child inherits the locks of all threads as they are. */
static bool may_fork(const struct tm_jobs *jobs, uint32_t i)
{
    const struct tm_member_table *table = &jobs->turns->archive->table;
    const struct tm_member *member = &table->members[table->order[i]];
    return !member->reason && member->type.kind != TM_FILE_MANIFEST;
}

enum tm_status tm_jobs_turn(struct tm_jobs *jobs, uint32_t i)
{
    if (jobs == NULL || atomic_load(&jobs->stopped))
        return TM_END;
    if (!jobs->jobs[i].is_parallel) {
        if (may_fork(jobs, i))
            end_workers(jobs);
        return TM_END;
    }
    struct tm_event_sink *sink = jobs->run->sink;
    uint32_t generations = sink->generations;
    jobs->splice.file_count = jobs->run->file_count;
    jobs->splice.order = jobs->run->order;
    tm_splice_begin(&jobs->splice, jobs->jobs[i].files_from);
    enum tm_status st = copy_frames(jobs, i);
    if (st == TM_OK)
        settle(jobs, i);
    if (st != TM_END) {
        free_result(&jobs->jobs[i]);
        return st;
    }
    end_workers(jobs);
    sink->generations = generations;
    sink->writer->passed_over = jobs->splice.frame_count;
    return TM_END;
}

void tm_jobs_free(struct tm_jobs *jobs)
{
    if (jobs == NULL)
        return;
    end_workers(jobs);
    tm_frame_queue_release(&jobs->queue);
    tm_run_strings_release(&jobs->strings);
    for (uint32_t i = 0; i < jobs->count; i++)
        free_result(&jobs->jobs[i]);
    tm_splice_release(&jobs->splice);
    tm_buf_release(&jobs->chunk);
    free(jobs->workers);
    free(jobs->jobs);
    free(jobs);
}
