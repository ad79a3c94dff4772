/* Processes and threads as procfs shows them. */
#include "format/perfetto/named_processes.h"
#include "format/perfetto/system.h"
#include "perfetto/message_fields.h"
#include "stream/detail_fields.h"
#include "stream/task_description.h"

enum { PROCESS_PID = 1, PROCESS_PPID = 2, PROCESS_CMDLINE = 3, PROCESS_UID = 5, PROCESS_START = 7 };
enum { PROCESS_IS_KTHREAD = 8 };
enum { PROCESS_CMDLINE_IS_COMM = 9 };
enum { STATS_PROCESSES = 1, STATS_PID = 1, STATS_OOM_SCORE_ADJ = 10, STATS_THREADS = 11, STATS_THREAD_TID = 1 };
enum { STATS_PEAK_RESETTABLE = 12, STATS_FDS = 15, STATS_USER_NS = 21, STATS_KERNEL_NS = 22, STATS_LAST = 24 };

enum { KTHREADD_PID = 2, KTHREADS_MAX = 1 << 20 };

struct process {
    uint32_t pid, ppid, uid;
    bool has_uid, has_start, is_comm, has_is_kthread, is_kthread;
    int64_t start;
    uint32_t words;          /* number of words of the command line */
    struct tm_pb_field argv; /* the first word */
    struct tm_pb_field message;
};

static void read_process(struct process *process, const struct tm_pb_field *message)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    *process = (struct process){.message = *message};
    while (tm_pb_next(&pb, &f) == TM_OK) {
        switch (f.id) {
        case PROCESS_PID:
            process->pid = (uint32_t)f.value;
            break;
        case PROCESS_PPID:
            process->ppid = (uint32_t)f.value;
            break;
        case PROCESS_CMDLINE:
            if (process->words++ == 0)
                process->argv = f;
            break;
        case PROCESS_UID:
            process->has_uid = true;
            process->uid = (uint32_t)f.value;
            break;
        case PROCESS_START:
            process->has_start = true;
            process->start = (int64_t)f.value;
            break;
        case PROCESS_IS_KTHREAD:
            process->has_is_kthread = true;
            process->is_kthread = f.value != 0;
            break;
        case PROCESS_CMDLINE_IS_COMM:
            process->is_comm = f.value != 0;
            break;
        default:
            break;
        }
    }
}

/* Returns the length of a kworker's name without its last queue ("kworker/45:2-mm_percpu_wq"). Other names keep their
 * length. */
static size_t worker_len(const struct tm_pb_field *name)
{
    static const char prefix[] = "kworker/";
    size_t at = sizeof prefix - 1;
    if (name->len < at || memcmp(name->data, prefix, at) != 0)
        return name->len;
    while (at < name->len && name->data[at] != '+' && name->data[at] != '-')
        at++;
    return at;
}

/* Returns the length of the process's name, which is the first word. Some recorders join all words by spaces. */
static size_t name_len(const struct process *process)
{
    size_t len = process->ppid == KTHREADD_PID ? worker_len(&process->argv) : process->argv.len;
    const uint8_t *space = process->words == 1 && len ? memchr(process->argv.data, ' ', len) : NULL;
    return space ? (size_t)(space - process->argv.data) : len;
}

static enum tm_status put_signed(struct tm_buf *buf, uint32_t id, int64_t value, enum tm_status st)
{
    return st == TM_OK ? tm_pb_put_varint(buf, id, tm_zigzag(value)) : st;
}

static enum tm_status put_process(struct tm_buf *detail, const struct process *process)
{
    size_t mark;
    struct tm_pb pb = tm_pb_of(process->message.data, process->message.len);
    struct tm_pb_field f;
    bool cut = process->ppid == KTHREADD_PID && worker_len(&process->argv) != process->argv.len;
    enum tm_status st = tm_pb_begin(detail, TM_DETAIL_PROCESS, &mark);
    st = put_signed(detail, TM_PROCESS_DESCRIPTION_PID, process->pid, st);
    st = put_signed(detail, TM_PROCESS_DESCRIPTION_PARENT_PID, process->ppid, st);
    if (st == TM_OK)
        st = tm_pb_put_bytes(detail, TM_PROCESS_DESCRIPTION_NAME, process->argv.data, name_len(process));
    if (st == TM_OK && cut)
        st = tm_pb_put_bytes(detail, TM_PROCESS_DESCRIPTION_CMDLINE, process->argv.data, worker_len(&process->argv));
    while (st == TM_OK && !cut && tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == PROCESS_CMDLINE && f.type == TM_PB_LEN)
            st = tm_pb_put_bytes(detail, TM_PROCESS_DESCRIPTION_CMDLINE, f.data, f.len);
    if (process->has_uid)
        st = put_signed(detail, TM_PROCESS_DESCRIPTION_UID, process->uid, st);
    if (st == TM_OK && process->has_is_kthread)
        st = tm_pb_put_varint(detail, TM_PROCESS_DESCRIPTION_IS_KTHREAD, process->is_kthread);
    if (st == TM_OK)
        st = tm_pb_end(detail, mark);
    if (st != TM_OK || !process->has_start)
        return st;
    return tm_proto_inner_time(detail, TM_CLOCK_BOOTTIME, process->start);
}

struct thread {
    int64_t pid, tid;
    struct tm_pb_field name; /* without data: none */
};

static enum tm_status add_thread(struct tm_proto_rows *rows, const struct tm_event *like, const struct thread *thread,
                                 struct tm_error *err)
{
    struct tm_event row = tm_proto_derived(like, TM_KIND_THREAD);
    row.flags |= TM_EVENT_HAS_PID | TM_EVENT_HAS_TID;
    row.pid = thread->pid;
    row.tid = thread->tid;
    if (tm_task_description_put(&rows->detail, &row, tm_text_at(thread->name.data, thread->name.len)) != TM_OK)
        return tm_error_nomem(err);
    return tm_proto_add(rows, &row, err);
}

/* Puts the words of the command line into TEXT, joined by spaces. */
static enum tm_status join_words(struct tm_buf *text, const struct process *process)
{
    struct tm_pb pb = tm_pb_of(process->message.data, process->message.len);
    struct tm_pb_field f;
    uint32_t words = 0;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != PROCESS_CMDLINE || f.type != TM_PB_LEN)
            continue;
        st = words++ ? tm_buf_add_byte(text, ' ') : TM_OK;
        if (st == TM_OK)
            st = tm_buf_add(text, f.data, f.len);
    }
    return st;
}

/* Adds the main thread of PROCESS, whose command line is the thread's name: all of it, except a kworker's last queue.
 */
static enum tm_status add_main_thread(struct tm_proto_rows *rows, const struct process *process,
                                      const struct tm_event *like, struct tm_error *err)
{
    struct thread main_thread = {process->pid, process->pid, process->argv};
    struct tm_buf words = {0};
    enum tm_status st = TM_OK;
    if (process->ppid == KTHREADD_PID)
        main_thread.name.len = worker_len(&main_thread.name);
    if (process->words > 1 && main_thread.name.len == process->argv.len) {
        st = join_words(&words, process) < 0 ? tm_error_nomem(err) : TM_OK;
        main_thread.name.data = words.data;
        main_thread.name.len = words.len;
    }
    if (st == TM_OK)
        st = add_thread(rows, like, &main_thread, err);
    tm_buf_release(&words);
    return st;
}

static enum tm_status add_process(struct tm_proto_rows *rows, const struct process *process,
                                  const struct tm_event *like, struct tm_error *err)
{
    struct tm_event row = tm_proto_derived(like, TM_KIND_PROCESS);
    if (put_process(&rows->detail, process) != TM_OK)
        return tm_error_nomem(err);
    row.flags |= TM_EVENT_HAS_PID | (process->has_start ? TM_EVENT_INNER_TIMES : 0);
    row.pid = process->pid;
    enum tm_status st = tm_proto_add(rows, &row, err);
    return st < 0 || !process->is_comm ? st : add_main_thread(rows, process, like, err);
}

static enum tm_status read_thread(struct tm_proto_rows *rows, const struct tm_proto_map *kthreads,
                                  const struct tm_pb_field *message, const struct tm_event *like, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f, name = {0};
    uint32_t tid = 0, tgid = 0;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == TM_TREE_THREAD_TID)
            tid = (uint32_t)f.value;
        else if (f.id == TM_TREE_THREAD_TGID)
            tgid = (uint32_t)f.value;
        else if (f.id == TM_TREE_THREAD_NAME)
            name = f;
    }
    if (tid == tgid && tm_proto_map_find(kthreads, 0, tid))
        name.len = worker_len(&name);
    return add_thread(rows, like, &(struct thread){tgid, tid, name}, err);
}

enum tm_status tm_proto_process_tree_add(struct tm_proto_rows *rows, const struct tm_pb_field *f,
                                         const struct tm_event *row, struct tm_error *err)
{
    struct tm_proto_map kthreads = {0};
    struct tm_proto_map_entry *entry;
    struct tm_pb pb = tm_pb_of(f->data, f->len), threads = pb;
    struct tm_pb_field field;
    enum tm_status st = TM_OK;
    while (st >= 0 && tm_pb_next(&pb, &field) == TM_OK) {
        struct process process;
        if (field.id != TM_PROCESS_TREE_PROCESSES || field.type != TM_PB_LEN)
            continue;
        read_process(&process, &field);
        if (process.words == 0)
            continue;
        if (process.ppid == KTHREADD_PID &&
            tm_proto_map_add(&kthreads, 0, process.pid, KTHREADS_MAX, &entry) == TM_E_SYSTEM)
            st = tm_error_nomem(err);
        else
            st = add_process(rows, &process, row, err);
    }
    while (st >= 0 && tm_pb_next(&threads, &field) == TM_OK)
        if (field.id == TM_PROCESS_TREE_THREADS && field.type == TM_PB_LEN)
            st = read_thread(rows, &kthreads, &field, row, err);
    tm_proto_map_release(&kthreads);
    return st;
}

/* Returns the name of the memory counter in FIELD of ProcessStats.Process, which is in kB, or NULL. */
static const char *memory_name(uint32_t field)
{
    static const char *const names[] = {
        [2] = "mem.virt",        [3] = "mem.rss",          [4] = "mem.rss.anon",
        [5] = "mem.rss.file",    [6] = "mem.rss.shmem",    [7] = "mem.swap",
        [8] = "mem.locked",      [9] = "mem.rss.watermark", [13] = "chrome.private_footprint_kb",
        [14] = "chrome.peak_resident_set_kb", [16] = "mem.smaps.rss", [17] = "mem.smaps.pss",
        [18] = "mem.smaps.pss.anon", [19] = "mem.smaps.pss.file", [20] = "mem.smaps.pss.smem",
        [23] = "mem.smaps.swap.pss", [24] = "mem.dmabuf_rss",
    };
    return field < sizeof names / sizeof *names ? names[field] : NULL;
}

static uint32_t number_in(const struct tm_pb_field *message, uint32_t id)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == id && f.type == TM_PB_VARINT)
            return (uint32_t)f.value;
    return 0;
}

static enum tm_status add_stats(struct tm_proto_rows *rows, const struct tm_pb_field *message,
                                const struct tm_event *row, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_event like = tm_proto_derived(row, TM_KIND_COUNTER);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    like.flags |= tm_event_scope_flags(TM_SCOPE_PROCESS) | TM_EVENT_HAS_PID;
    like.pid = number_in(message, STATS_PID);
    while (st >= 0 && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == STATS_THREADS && f.type == TM_PB_LEN)
            st = add_thread(rows, row, &(struct thread){like.pid, number_in(&f, STATS_THREAD_TID), {0}}, err);
        else if (f.id == STATS_FDS && f.type == TM_PB_LEN)
            st = tm_proto_process_name(rows, like.pid, NULL, row, err);
        else if (f.id > STATS_LAST)
            st = tm_proto_count_stat(&rows->counts, TM_PROTO_STAT_PROCESS_STATS_UNKNOWN, row->machine, 1, err);
        if (f.type != TM_PB_VARINT)
            continue;
        if (f.id == STATS_PEAK_RESETTABLE)
            st = tm_proto_process_name(rows, like.pid, &(struct tm_proto_flag){"is_peak_rss_resettable", f.value != 0},
                                       row, err);
        else if (f.id == STATS_OOM_SCORE_ADJ)
            st = tm_proto_counter_add(rows, &like, "oom_score_adj", f.value, err);
        else if (f.id == STATS_USER_NS || f.id == STATS_KERNEL_NS)
            st = tm_proto_counter_add(rows, &like, f.id == STATS_USER_NS ? "runtime.user_ns" : "runtime.kernel_ns",
                                      f.value, err);
        else if (memory_name(f.id))
            st = tm_proto_counter_add(rows, &like, memory_name(f.id), f.value * 1024, err);
    }
    return st;
}

enum tm_status tm_proto_process_stats_add(struct tm_proto_rows *rows, const struct tm_pb_field *f,
                                          const struct tm_event *row, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(f->data, f->len);
    struct tm_pb_field field;
    enum tm_status st = TM_OK;
    while (st >= 0 && tm_pb_next(&pb, &field) == TM_OK)
        if (field.id == STATS_PROCESSES && field.type == TM_PB_LEN)
            st = add_stats(rows, &field, row, err);
    return st;
}
