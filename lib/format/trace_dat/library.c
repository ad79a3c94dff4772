#include "format/trace_dat/library.h"

#include "config.h"

#include "format/child_event.h"
#include "os/io.h"
#include "os/library.h"
#include "os/subprocess.h"
#include "stream/detail_budget.h"

#ifdef HAVE_TRACECMD

#include <trace-cmd.h>
#include <trace-seq.h>

#include <stdlib.h>
#include <unistd.h>

#define FUNCTIONS(X)                                                                                                   \
    X(tep_data_comm_from_pid) X(tep_data_pid) X(tep_find_event_by_record) X(tep_print_event) X(tep_set_loglevel)       \
    X(trace_seq_init) X(trace_seq_reset) X(tracecmd_buffer_instance_handle) X(tracecmd_buffer_instances)               \
    X(tracecmd_get_tep) X(tracecmd_iterate_events_multi) X(tracecmd_open_fd) X(tracecmd_set_loglevel)

static struct {
#define MEMBER(name) __typeof__(name) *name;
    FUNCTIONS(MEMBER)
} functions;

#define NAME(name) #name,
static const char *const names[] = {FUNCTIONS(NAME)};
static struct tm_library library = {TRACECMD_SONAME, names, sizeof names / sizeof *names, &functions, false};

enum { FLUSH_BYTES = 64 << 10, WORDS_MAX = 256 };

struct reader {
    struct tracecmd_input *handles[TM_TRACE_DAT_BUFFERS_MAX]; /* the file's first buffer, then its instances */
    int count;
    struct trace_seq args;
    struct tm_buf written; /* records that are not written yet */
    int out;
    struct tm_detail_budget args_budget; /* of the text of long arguments */
    uint64_t file_bytes;
    bool is_broken; /* a write failed, or memory ran out: nothing more is written */
};

static int flush(struct reader *r)
{
    if (!r->is_broken && r->written.len)
        r->is_broken = tm_io_write(r->out, r->written.data, r->written.len, NULL) != TM_OK;
    tm_buf_clear(&r->written);
    return r->is_broken ? -1 : 0;
}

static struct tm_text text_of(const char *text)
{
    return tm_text_at(text, text ? strlen(text) : 0);
}

static uint16_t buffer_of(const struct reader *r, const struct tracecmd_input *handle)
{
    for (int i = 0; i < r->count; i++)
        if (r->handles[i] == handle)
            return (uint16_t)i;
    return 0;
}

/* Writes RECORD as a child event. COUNTED numbers the CPUs of all buffers consecutively; the record's own number is the
 * machine's. */
static int on_record(struct tracecmd_input *handle, struct tep_record *record, int counted, void *context)
{
    (void)counted;
    struct reader *r = context;
    struct tep_handle *tep = functions.tracecmd_get_tep(handle);
    struct tep_event *event = functions.tep_find_event_by_record(tep, record);
    int pid = functions.tep_data_pid(tep, record);
    struct tm_child_event out = {.kind = TM_CHILD_EVENT, .buffer = buffer_of(r, handle),
                                      .time_ns = (int64_t)record->ts, .cpu = record->cpu, .tid = pid, .pid = -1,
                                      .lost = record->missed_events < 0 ? UINT64_MAX
                                                                        : (uint64_t)record->missed_events};
    functions.trace_seq_reset(&r->args);
    if (event) {
        out.event = text_of(event->name);
        out.is_cut = tm_detail_budget_is_used(&r->args_budget); /* a format can be long, and an event short */
        if (!out.is_cut)
            functions.tep_print_event(tep, &r->args, record, "%s", TEP_PRINT_INFO);
        out.args = tm_text_at(r->args.buffer, r->args.len);
        (void)tm_detail_budget_reads(&r->args_budget, r->args.len);
    } else {
        out.event = text_of("unknown");
    }
    out.task = text_of(functions.tep_data_comm_from_pid(tep, pid));
    r->is_broken = r->is_broken || tm_child_event_put(&out, &r->written) != TM_OK;
    if (r->is_broken)
        return -1;
    return r->written.len < FLUSH_BYTES ? 0 : flush(r);
}

/* Sets WORDS to the last line that the library printed to the file MESSAGES. Returns the number of lines. */
static uint64_t read_messages(int messages, char words[WORDS_MAX])
{
    off_t len = lseek(messages, 0, SEEK_END);
    uint64_t lines = 0;
    size_t have = 0, got = 0;
    uint8_t data[4096];
    words[0] = '\0';
    for (off_t at = 0; at < len; at += (off_t)got) {
        got = (size_t)(len - at) < sizeof data ? (size_t)(len - at) : sizeof data;
        if (tm_io_pread(messages, data, got, (uint64_t)at, NULL) != TM_OK)
            break;
        for (size_t i = 0; i < got; i++) {
            bool is_end = data[i] == '\n';
            lines += is_end;
            if (!is_end && have + 1 < WORDS_MAX)
                words[have++] = (char)data[i];
            words[have] = '\0';
            have = is_end ? 0 : have;
        }
    }
    return lines;
}

/* Opens the buffers of FILE. If there are too many, opens none and sets WORDS to the cause. */
static void open_buffers(struct reader *r, int file, char words[WORDS_MAX])
{
    functions.tracecmd_set_loglevel(TEP_LOG_WARNING);
    functions.tep_set_loglevel(TEP_LOG_CRITICAL); /* a format that it cannot show is not damage */
    /* The kernel's formats are those of ftrace text; the library's plugins would change them. */
    r->handles[0] = lseek(file, 0, SEEK_SET) < 0 ? NULL : functions.tracecmd_open_fd(file, TRACECMD_FL_LOAD_NO_PLUGINS);
    r->count = r->handles[0] ? 1 : 0;
    int instances = r->handles[0] ? functions.tracecmd_buffer_instances(r->handles[0]) : 0;
    if (instances >= TM_TRACE_DAT_BUFFERS_MAX) {
        (void)snprintf(words, WORDS_MAX, "more than the limit of %d buffers", TM_TRACE_DAT_BUFFERS_MAX);
        r->count = 0;
        return;
    }
    for (int i = 0; i < instances; i++) {
        r->handles[r->count] = functions.tracecmd_buffer_instance_handle(r->handles[0], i);
        r->count += r->handles[r->count] != NULL;
    }
}

int tm_trace_dat_library_read(void *context, int out)
{
    const struct tm_trace_dat_source *source = context;
    struct reader *r = calloc(1, sizeof *r);
    struct tm_child_event last = {.kind = TM_CHILD_EVENT_REFUSED};
    char words[WORDS_MAX] = "", refused[WORDS_MAX] = "";
    int messages;
    if (r == NULL || tm_io_temporary(source->temporary_dir, &messages, NULL) < 0 || dup2(messages, STDERR_FILENO) < 0)
        return TM_SUBPROCESS_SYSTEM_FAILED;
    r->out = out;
    r->file_bytes = (uint64_t)lseek(source->file, 0, SEEK_END);
    r->args_budget.offset = &r->file_bytes;
    functions.trace_seq_init(&r->args);
    open_buffers(r, source->file, refused);
    uint64_t before = read_messages(messages, words);
    if (r->count == 0) {
        last.args = text_of(refused[0] ? refused : words);
    } else if (functions.tracecmd_iterate_events_multi(r->handles, r->count, on_record, r) == 0) {
        last.kind = TM_CHILD_EVENT_DONE;
        last.lost = read_messages(messages, words) - before;
    } else {
        return r->is_broken ? TM_SUBPROCESS_SYSTEM_FAILED : 1;
    }
    return tm_child_event_put(&last, &r->written) == TM_OK && flush(r) == 0 ? 0 : TM_SUBPROCESS_SYSTEM_FAILED;
}

bool tm_trace_dat_library_is_there(void)
{
    return true;
}

enum tm_status tm_trace_dat_library_load(struct tm_error *err)
{
    return tm_library_load(&library, err);
}

#else

bool tm_trace_dat_library_is_there(void)
{
    return false;
}

enum tm_status tm_trace_dat_library_load(struct tm_error *err)
{
    (void)err;
    return TM_OK;
}

int tm_trace_dat_library_read(void *context, int out)
{
    (void)context;
    (void)out;
    return 1;
}

#endif
