/* Tests lib/os, lib/pack and lib/merge when the system refuses a call. Each case runs once without a fault. Then it
 * runs with the first call of one kind failing, with the second, and so on, in this process or in those that it forks.
 * It must end with an error of the system that has a text, or as without a fault. No file, descriptor or child may be
 * left. A call that a signal interrupts must be made again, so the case ends as without a signal.
 *
 * The linker puts the functions __wrap_NAME in place of NAME in the library, not in other libraries. */
#include "emit/completer.h"
#include "emit/out.h"
#include "merge/alignment_run.h"
#include "merge/progress_page.h"
#include "merge/trial.h"
#include "os/async_writer.h"
#include "os/compressor.h"
#include "os/frame_queue.h"
#include "os/io.h"
#include "os/memory_limit.h"
#include "os/paged_file.h"
#include "os/read_ahead.h"
#include "os/subprocess.h"
#include "os/temporary_folder.h"
#include "os/unfinished.h"
#include "pack/pack.h"

#include "tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS_MAX = 60, BYTES = 300000 };

/* The call that fails. It is on a page that forked processes share. */
static struct fault {
    const char *call; /* NULL: none */
    int errnum;
    bool in_children; /* not in this process but in those that it forks */
    pid_t process;
    _Atomic long left; /* calls until it fails */
    _Atomic bool is_hit;
} *fault;

static int standard_output;

static bool fails(const char *call, int errnum)
{
    if (fault == NULL || fault->call == NULL || strcmp(fault->call, call) != 0 ||
        (getpid() != fault->process) != fault->in_children || --fault->left != 0)
        return false;
    fault->is_hit = true;
    errno = fault->errnum ? fault->errnum : errnum;
    return true;
}

#define WRAP(type, name, call, errnum, failure, declared, given)                \
    type __real_##name declared;                                                \
    type __wrap_##name declared;                                                \
    type __wrap_##name declared                                                 \
    {                                                                           \
        return fails(call, errnum) ? failure : __real_##name given;             \
    }

WRAP(void *, malloc, "malloc", ENOMEM, NULL, (size_t size), (size))
WRAP(void *, calloc, "malloc", ENOMEM, NULL, (size_t count, size_t size), (count, size))
WRAP(void *, realloc, "malloc", ENOMEM, NULL, (void *p, size_t size), (p, size))
WRAP(ssize_t, read, "read", EIO, -1, (int fd, void *data, size_t len), (fd, data, len))
WRAP(ssize_t, pread, "read", EIO, -1, (int fd, void *data, size_t len, off_t at), (fd, data, len, at))
WRAP(ssize_t, pread64, "read", EIO, -1, (int fd, void *data, size_t len, off_t at), (fd, data, len, at))
WRAP(ssize_t, write, "write", ENOSPC, -1, (int fd, const void *data, size_t len), (fd, data, len))
WRAP(ssize_t, writev, "write", ENOSPC, -1, (int fd, const struct iovec *v, int count), (fd, v, count))
WRAP(ssize_t, pwrite, "write", ENOSPC, -1, (int fd, const void *data, size_t len, off_t at), (fd, data, len, at))
WRAP(ssize_t, pwrite64, "write", ENOSPC, -1, (int fd, const void *data, size_t len, off_t at), (fd, data, len, at))
WRAP(int, mkstemp, "mkstemp", ENOSPC, -1, (char *path), (path))
WRAP(int, mkstemp64, "mkstemp", ENOSPC, -1, (char *path), (path))
WRAP(char *, mkdtemp, "mkdtemp", ENOSPC, NULL, (char *path), (path))
WRAP(int, mkdir, "mkdir", EACCES, -1, (const char *path, mode_t mode), (path, mode))
WRAP(int, fstat, "fstat", EIO, -1, (int fd, struct stat *info), (fd, info))
WRAP(int, ftruncate, "ftruncate", EIO, -1, (int fd, off_t len), (fd, len))
WRAP(int, fsync, "fsync", EIO, -1, (int fd), (fd))
WRAP(int, rename, "rename", EACCES, -1, (const char *from, const char *to), (from, to))
WRAP(int, pipe, "pipe", EMFILE, -1, (int ends[2]), (ends))
WRAP(int, dup, "dup", EMFILE, -1, (int fd), (fd))
WRAP(int, dup2, "dup2", EMFILE, -1, (int from, int to), (from, to))
WRAP(pid_t, fork, "fork", EAGAIN, -1, (void), ())
WRAP(pid_t, tm_compat_spawn, "fork", EAGAIN, -1, (void (*become)(void *), void *context), (become, context))
WRAP(void *, mmap, "mmap", ENOMEM, MAP_FAILED, (void *at, size_t len, int use, int flags, int fd, off_t from),
     (at, len, use, flags, fd, from))
WRAP(int, pthread_create, "pthread_create", EAGAIN, EAGAIN,
     (pthread_t *id, const pthread_attr_t *attr, void *(*run)(void *), void *arg), (id, attr, run, arg))
WRAP(int, pthread_mutex_init, "pthread_mutex_init", ENOMEM, ENOMEM,
     (pthread_mutex_t *mutex, const pthread_mutexattr_t *attr), (mutex, attr))
WRAP(int, pthread_cond_init, "pthread_cond_init", ENOMEM, ENOMEM,
     (pthread_cond_t *cond, const pthread_condattr_t *attr), (cond, attr))

/* A waitpid that fails with ECHILD still waits for the child, which would otherwise stay. */
pid_t __real_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
    if (!fails("waitpid", ECHILD))
        return __real_waitpid(pid, status, options);
    if (errno == ECHILD)
        (void)__real_waitpid(pid, status, options);
    errno = fault->errnum ? fault->errnum : ECHILD;
    return -1;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);
    return fails("open", EMFILE) ? -1 : __real_open(path, flags, mode);
}

int __real_fcntl(int fd, int what, ...);
int __wrap_fcntl(int fd, int what, ...);
int __wrap_fcntl(int fd, int what, ...)
{
    va_list args;
    va_start(args, what);
    long value = va_arg(args, long);
    va_end(args);
    return fails("fcntl", EINVAL) ? -1 : __real_fcntl(fd, what, value);
}

static uint8_t bytes[BYTES];

/* Appends the content of file PATH, and removes the file. No call fails meanwhile. */
static void add_file(struct tm_buf *result, const char *path)
{
    static uint8_t data[2 * BYTES];
    const char *call = fault->call;
    fault->call = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, data, sizeof data) : -1;
    if (n > 0)
        (void)tm_buf_add(result, data, (size_t)n);
    if (fd >= 0)
        close(fd);
    (void)unlink(path);
    fault->call = call;
}

static int count_files(const char *path)
{
    DIR *dir = opendir(path);
    int n = 0;
    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n - 2;
}

typedef enum tm_status run_case(struct tm_buf *result, struct tm_error *err);

static enum tm_status write_file(struct tm_buf *result, struct tm_error *err)
{
    enum tm_status st = tm_unfinished_put("out/x", NULL, bytes, BYTES, err);
    if (st == TM_OK)
        add_file(result, "out/x");
    return st;
}

static enum tm_status replace_file(struct tm_buf *result, struct tm_error *err)
{
    enum tm_status st = tm_unfinished_put("kept/old", NULL, bytes, 10, err);
    add_file(result, "kept/old");
    int fd = __real_open("kept/old", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    close(fd);
    return st;
}

static enum tm_status write_part(struct tm_buf *result, struct tm_error *err)
{
    struct tm_out_file f = {.fd = -1};
    enum tm_status st = tm_out_file_open(&f, "out/x", "out/part", err);
    if (st == TM_OK)
        st = tm_io_write(f.fd, bytes, 10, err);
    if (st == TM_OK)
        st = tm_out_file_commit(&f, err);
    tm_out_file_abandon(&f);
    add_file(result, "out/part");
    return st;
}

static enum tm_status write_folder(struct tm_buf *result, struct tm_error *err)
{
    static const char *const members[] = {"a", "b", NULL};
    struct tm_out_file f = {.fd = -1, .members = members};
    enum tm_status st = tm_out_file_open(&f, "out/folder", NULL, err);
    char name[4096];
    for (int i = 0; i < 2 && st == TM_OK; i++) {
        st = tm_out_file_member(tm_out_file_target(&f), members[i], name, sizeof name);
        int fd = __real_open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        st = tm_io_write(fd, members[i], 1, err);
        close(fd);
    }
    if (st == TM_OK)
        st = tm_out_file_commit(&f, err);
    tm_out_file_abandon(&f);
    if (st == TM_OK) {
        add_file(result, "out/folder/a");
        add_file(result, "out/folder/b");
        (void)rmdir("out/folder");
    }
    return st;
}

static enum tm_status compress(struct tm_buf *result, enum tm_compressor_kind kind, struct tm_error *err)
{
    struct tm_compressor compressor = {.fd = -1};
    int out = __real_open("out/z", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    enum tm_status st = tm_compressor_start(&compressor, kind, out, "out/z", err);
    struct tm_error cause = {0};
    if (st == TM_OK) {
        st = tm_io_write(compressor.fd, bytes, BYTES, err);
        if (tm_compressor_finish(&compressor, &cause) < 0) {
            *err = cause;
            st = cause.status;
        }
    }
    tm_compressor_abandon(&compressor);
    close(out);
    add_file(result, "out/z");
    return st;
}

static enum tm_status compress_gzip(struct tm_buf *result, struct tm_error *err)
{
    return compress(result, TM_COMPRESSOR_GZIP, err);
}

static enum tm_status compress_zstd(struct tm_buf *result, struct tm_error *err)
{
    return compress(result, TM_COMPRESSOR_ZSTD, err);
}

static enum tm_status write_behind(struct tm_buf *result, struct tm_error *err)
{
    struct tm_buf data = {0};
    int fd = __real_open("out/x", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    struct tm_async_writer *writer = tm_async_writer_new(fd);
    enum tm_status st = TM_OK;
    for (unsigned i = 0; i < 3 && st == TM_OK; i++) {
        st = tm_buf_add(&data, bytes, 1000) == TM_OK ? TM_OK : tm_error_nomem(err);
        if (st == TM_OK && writer)
            st = tm_async_writer_write(writer, &data, i * 1000, err);
        else if (st == TM_OK)
            st = tm_io_pwrite(fd, data.data, data.len, i * 1000, err);
        tm_buf_clear(&data);
    }
    if (st == TM_OK && writer)
        st = tm_async_writer_wait(writer, err);
    tm_async_writer_free(writer);
    tm_buf_release(&data);
    close(fd);
    add_file(result, "out/x");
    return st;
}

static enum tm_status add_block(void *result, struct tm_buf *block, struct tm_error *err)
{
    enum tm_status st = tm_buf_add(result, block->data, block->len);
    tm_buf_clear(block);
    return st == TM_OK ? TM_OK : tm_error_nomem(err);
}

static void put_text(struct tm_out *out, struct tm_text text, const uint8_t *data, size_t len)
{
    (void)data;
    (void)len;
    tm_out_bytes(out, text.data, text.len);
}

/* Lists the first LEN bytes of the text in "out/x" between "<" and ">", and joins them by COMPLETER or, without one, by
 * READER. */
static enum tm_status copy_text(struct tm_completer *completer, struct tm_source_reader *reader, uint32_t len,
                                struct tm_buf *result, struct tm_error *err)
{
    struct tm_buf own = {0};
    struct tm_late_parts late = {0};
    const struct tm_source_text text = {.bytes = len, .checksum = tm_json_ref_checksum("{12345678}", len)};
    enum tm_status st = tm_buf_add(&own, "<>", 2) == TM_OK ? TM_OK : tm_error_nomem(err);
    if (st == TM_OK)
        st = tm_late_parts_text(&late, &text, err);
    if (st == TM_OK)
        st = tm_late_parts_room(&late, 0) ? tm_late_parts_format(&late, 1, put_text, 0, err) : tm_error_nomem(err);
    if (st == TM_OK)
        st = completer ? tm_completer_put(completer, &own, &late, err)
                       : tm_late_parts_join(&late, &own, reader, result, err);
    tm_late_parts_release(&late);
    tm_buf_release(&own);
    return st;
}

static enum tm_status copy_texts(struct tm_buf *result, struct tm_error *err)
{
    const struct tm_source_path path = {.path = "out/x"};
    struct tm_sources *sources = NULL;
    struct stat info;
    int fd = __real_open("out/x", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (__real_write(fd, "{12345678}", 10) != 10 || __real_fstat(fd, &info) != 0)
        return TM_E_SYSTEM;
    close(fd);
    Tracemerge__Source source = TRACEMERGE__SOURCE__INIT;
    source.device = (uint64_t)info.st_dev;
    source.inode = (uint64_t)info.st_ino;
    enum tm_status st = tm_sources_open(&path, 1, &sources, err);
    unlink(path.path);
    if (st == TM_OK)
        st = tm_sources_add(sources, &source, err);
    const struct tm_completer_ends ends = {.sources = sources, .receiver = add_block, .self = result};
    struct tm_completer *completer = st == TM_OK ? tm_completer_new(&ends, 2) : NULL;
    struct tm_source_reader *reader = st == TM_OK && completer == NULL ? tm_source_reader_new(sources) : NULL;
    if (st == TM_OK && completer == NULL && reader == NULL)
        st = tm_error_nomem(err);
    for (uint32_t len = 10; len > 7 && st == TM_OK; len--)
        st = copy_text(completer, reader, len, result, err);
    if (completer && st == TM_OK)
        st = tm_completer_wait(completer, err);
    tm_completer_free(completer);
    tm_source_reader_free(reader);
    tm_sources_free(sources);
    return st;
}

static enum tm_status say_no(void *context, struct tm_error *err)
{
    return context ? tm_error_set(err, TM_E_INPUT, "no") : TM_OK;
}

static enum tm_status run_apart(struct tm_buf *result, struct tm_error *err)
{
    volatile sig_atomic_t pid = 0;
    struct tm_error said = {0};
    enum tm_status st = tm_subprocess_run(say_no, NULL, &pid, err);
    if (st == TM_OK && (st = tm_subprocess_run(say_no, result, &pid, &said)) == TM_E_SYSTEM)
        *err = said;
    if (st == TM_E_INPUT)
        st = tm_buf_add_str(result, said.text);
    return pid == 0 ? st : TM_E_INPUT;
}

static int say_bytes(void *context, int fd)
{
    (void)context;
    return tm_io_write(fd, bytes, BYTES, NULL) == TM_OK ? 0 : TM_SUBPROCESS_SYSTEM_FAILED;
}

static enum tm_status add_input(struct tm_buf *result, struct tm_input *in, struct tm_error *err)
{
    enum tm_status st;
    while ((st = tm_input_fill(in, in->len + 1, err)) == TM_OK)
        ;
    if (st == TM_END)
        st = tm_buf_add(result, in->data, in->len) == TM_OK ? TM_OK : tm_error_nomem(err);
    return st;
}

static enum tm_status read_child(struct tm_buf *result, struct tm_error *err)
{
    struct tm_subprocess child = {.pid = 0};
    struct tm_error end = {0};
    enum tm_status st = tm_subprocess_open(&child, say_bytes, NULL, err);
    if (st == TM_OK)
        st = add_input(result, &child.out, err);
    if (tm_subprocess_close(&child, &end) < 0 && st == TM_OK) {
        *err = end;
        st = end.status;
    }
    /* A child that cannot redirect its standard output writes nothing, so the error names the input. */
    if (st == TM_E_INPUT && fault->in_children)
        st = err->status = TM_E_SYSTEM;
    return st;
}

static enum tm_status read_bytes(void *source, uint8_t *data, size_t len, size_t *got, struct tm_error *err)
{
    size_t *at = source;
    (void)err;
    *got = len < BYTES - *at ? len : BYTES - *at;
    memcpy(data, bytes + *at, *got);
    *at += *got;
    return *got ? TM_OK : TM_END;
}

static enum tm_status read_ahead(struct tm_buf *result, struct tm_error *err)
{
    static const struct tm_input_ops ops = {.read = read_bytes};
    struct tm_input in;
    size_t at = 0;
    tm_input_init(&in, &ops, &at);
    tm_read_ahead_start(&in);
    enum tm_status st = add_input(result, &in, err);
    tm_input_release(&in);
    return st;
}

static enum tm_status make_folder(struct tm_buf *result, struct tm_error *err)
{
    struct tm_temporary_folder folder = {.count = 0};
    enum tm_status st = tm_temporary_folder_open(&folder, "out", err);
    for (int i = 0; i < 3 && st == TM_OK; i++) {
        int fd = -1;
        st = tm_temporary_folder_add(&folder, i == 1, &fd, err);
        if (fd >= 0)
            close(fd);
    }
    tm_temporary_folder_close(&folder);
    return st == TM_OK ? tm_buf_add_str(result, "made") : st;
}

static enum tm_status page_out(struct tm_buf *result, struct tm_error *err)
{
    struct tm_paged_file paged;
    tm_paged_file_init(&paged, NULL, 1);
    enum tm_status st = TM_OK;
    for (size_t at = 0; at < BYTES && st == TM_OK; at += 5000)
        st = tm_paged_file_write(&paged, at, bytes + at, 5000, err);
    if (st == TM_OK && tm_buf_reserve(result, BYTES) != TM_OK)
        st = tm_error_nomem(err);
    if (st == TM_OK)
        st = tm_paged_file_read(&paged, 0, result->data, BYTES, err);
    if (st == TM_OK)
        result->len = BYTES;
    tm_paged_file_release(&paged);
    return st;
}

static enum tm_status queue_chunks(struct tm_buf *result, struct tm_error *err)
{
    struct tm_frame_queue queue;
    struct tm_buf chunk = {0};
    uint64_t stamp;
    enum tm_status st = tm_frame_queue_init(&queue, 2, (struct tm_frame_queue_bounds){1000, 1000, 0}, err);
    if (st < 0)
        return st;
    for (uint32_t i = 0; i < 4 && st == TM_OK; i++) {
        st = tm_buf_add(&chunk, bytes + i, 100) == TM_OK ? TM_OK : tm_error_nomem(err);
        if (st == TM_OK)
            st = tm_frame_queue_put(&queue, i / 2, &chunk, i, err);
    }
    tm_frame_queue_end(&queue, 0);
    tm_frame_queue_end(&queue, 1);
    for (uint32_t lane = 0; lane < 2; lane++)
        while (st == TM_OK && tm_frame_queue_take(&queue, lane, &chunk, &stamp) == TM_OK)
            st = tm_buf_add(result, chunk.data, chunk.len) == TM_OK ? TM_OK : tm_error_nomem(err);
    tm_buf_release(&chunk);
    tm_frame_queue_release(&queue);
    return st;
}

static enum tm_status pack(struct tm_buf *result, enum tm_pack_kind kind, struct tm_error *err)
{
    static const char *const paths[] = {"in"};
    struct tm_members members = {0};
    struct tm_buf manifest = {0};
    int fd = __real_open("out/x", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    enum tm_status st = tm_members_read(&members, paths, 1, err);
    if (st == TM_OK && tm_buf_add_str(&manifest, "{}") != TM_OK)
        st = tm_error_nomem(err);
    const struct tm_pack how = {.kind = kind, .members = &members, .manifest = &manifest};
    if (st == TM_OK)
        st = tm_pack_write(&how, fd, "out/x", err);
    tm_members_release(&members);
    tm_buf_release(&manifest);
    close(fd);
    add_file(result, "out/x");
    return st;
}

static enum tm_status pack_tar(struct tm_buf *result, struct tm_error *err)
{
    return pack(result, TM_PACK_TAR, err);
}

static enum tm_status pack_gzip(struct tm_buf *result, struct tm_error *err)
{
    return pack(result, TM_PACK_TAR_GZ, err);
}

static enum tm_status pack_zip(struct tm_buf *result, struct tm_error *err)
{
    return pack(result, TM_PACK_ZIP, err);
}

static const struct tm_program program = {.name = "refused_calls"};

static enum tm_status share_page(struct tm_buf *result, struct tm_error *err)
{
    struct tm_stage stages[2] = {{.name = "a"}, {.name = "b"}};
    struct tm_progress_shared shared = {.fd = -1};
    enum tm_status st = tm_progress_shared_make(&shared, "out", stages, 2, err);
    if (st == TM_OK)
        st = tm_buf_add_byte(result, stages[1].setting != NULL);
    tm_progress_shared_release(&shared);
    return st;
}

static enum tm_status try_archive(struct tm_buf *result, struct tm_error *err)
{
    static char archive[] = "in/a.json";
    const struct tm_trial trial = {
        .archive = archive, .final_name = "a.tar", .quiet = true, .argv0 = "x", .program = &program};
    int status = 0;
    enum tm_status st = tm_trial_run(&trial, result, &status, err);
    return st == TM_OK && status != 0 ? tm_error_set(err, TM_E_SYSTEM, "a stage failed") : st;
}

static enum tm_status align(struct tm_buf *result, struct tm_error *err)
{
    static char file[] = "in/a.json";
    static char *const files[] = {file};
    static const volatile sig_atomic_t no_signal = 0;
    const struct tm_merge_request request = {.files = files, .file_count = 1, .temporary_directory = "out"};
    struct tm_alignment_run run = {.request = &request, .argv0 = "x", .program = &program, .signal_seen = &no_signal,
                                   .manifest_fd = -1, .report_fd = -1, .copy_fd = -1};
    int status = 0;
    (void)sigprocmask(SIG_SETMASK, NULL, &run.wait_mask);
    enum tm_status st = tm_alignment_run_find(&run, &status, err);
    tm_alignment_run_release(&run);
    if (st == TM_OK && status != 0)
        return tm_error_set(err, TM_E_SYSTEM, "a stage failed");
    return st == TM_OK ? tm_buf_add_str(result, "aligned") : st;
}

static const struct {
    const char *name;
    run_case *run;
    int calls_max;  /* of one kind that fail: runs of programs take long */
} cases[] = {
    {"a file that appears whole", write_file, CALLS_MAX},
    {"a file that replaces another", replace_file, CALLS_MAX},
    {"a part that its caller names", write_part, CALLS_MAX},
    {"a folder of files", write_folder, CALLS_MAX},
    {"gzip", compress_gzip, CALLS_MAX},
    {"zstd", compress_zstd, CALLS_MAX},
    {"a thread that writes", write_behind, CALLS_MAX},
    {"a thread that copies", copy_texts, CALLS_MAX},
    {"work in a process of its own", run_apart, CALLS_MAX},
    {"the output of a child", read_child, CALLS_MAX},
    {"a thread that reads", read_ahead, CALLS_MAX},
    {"a folder for temporary files", make_folder, CALLS_MAX},
    {"pages that are put out", page_out, CALLS_MAX},
    {"a queue between threads", queue_chunks, CALLS_MAX},
    {"a TAR", pack_tar, CALLS_MAX},
    {"a TAR in gzip", pack_gzip, CALLS_MAX},
    {"a ZIP", pack_zip, CALLS_MAX},
    {"a page that stages share", share_page, CALLS_MAX},
    {"a trial merge", try_archive, 5},
    {"an alignment", align, 5},
};

static const char *const calls[] = {"malloc", "read", "write", "mkstemp", "mkdtemp", "mkdir", "fstat", "ftruncate",
                                    "fsync", "rename", "pipe", "dup", "dup2", "fork", "mmap", "pthread_create",
                                    "pthread_mutex_init", "pthread_cond_init", "waitpid", "open", "fcntl"};

/* Runs case I with the Nth CALL failing with ERRNUM (0: the call's usual one). Sets *IS_HIT if there was such a call.
 * Returns the violated rule, or NULL. */
static const char *try_case(size_t i, const char *call, int n, int errnum, bool in_children, const struct tm_buf *want)
{
    struct tm_buf result = {0};
    struct tm_error err = {0};
    const int fds = count_files("/proc/self/fd");
    const char *wrong = NULL;
    fault->errnum = errnum;
    fault->in_children = in_children;
    fault->left = n;
    fault->is_hit = false;
    fault->call = call;
    (void)fflush(stdout);
    enum tm_status st = cases[i].run(&result, &err);
    fault->call = NULL;
    (void)__real_dup2(standard_output, STDOUT_FILENO); /* a trial with a failing dup2 cannot restore it */
    bool is_same = result.len == want->len && (result.len == 0 || memcmp(result.data, want->data, result.len) == 0);
    if (st == TM_OK ? !is_same : st != TM_E_SYSTEM || errnum == EINTR)
        wrong = st == TM_OK ? "it ends well with another result" : "it ends with a wrong status";
    else if (st < 0 && err.text[0] == '\0' && err.status < 0)
        wrong = "the error has no text";
    else if (count_files("/proc/self/fd") != fds)
        wrong = "a descriptor is left open";
    else if (count_files("out") != 0)
        wrong = "a file is left";
    else if (waitpid(-1, NULL, WNOHANG) != -1)
        wrong = "a child is left";
    if (wrong)
        printf("# %s, %s %d%s: %s: status %d, %s\n", cases[i].name, call, n, in_children ? " of a child" : "", wrong,
               st, err.text);
    tm_buf_release(&result);
    return wrong;
}

static bool try_calls(size_t i, const char *call, int errnum, bool in_children, const struct tm_buf *want, int *tried)
{
    bool good = true;
    fault->is_hit = true;
    for (int n = 1; fault->is_hit && n <= cases[i].calls_max; n++, ++*tried)
        good = try_case(i, call, n, errnum, in_children, want) == NULL && good;
    return good;
}

static void test_case(size_t i)
{
    struct tm_buf want = {0};
    struct tm_error err = {0};
    int tried = 0;
    bool good = cases[i].run(&want, &err) == TM_OK && want.len > 0;
    if (!good)
        printf("# %s\n", err.text);
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        good = try_calls(i, calls[c], 0, false, &want, &tried) && good;
        good = try_calls(i, calls[c], 0, true, &want, &tried) && good;
    }
    ok_named(good, cases[i].name);
    good = true;
    for (int in_children = 0; in_children < 2; in_children++) {
        good = try_calls(i, "read", EINTR, in_children, &want, &tried) && good;
        good = try_calls(i, "write", EINTR, in_children, &want, &tried) && good;
        good = try_calls(i, "waitpid", EINTR, in_children, &want, &tried) && good;
    }
    ok_named(good, "a signal interrupts it");
    printf("# %d runs\n", tried);
    tm_buf_release(&want);
}

static bool make_file(const char *path, const char *text)
{
    struct tm_error err = {0};
    return tm_unfinished_put(path, NULL, text, strlen(text), &err) == TM_OK;
}

int main(void)
{
    static const char json[] = "{\"traceEvents\":[{\"ph\":\"i\",\"ts\":1,\"pid\":1,\"tid\":1,\"name\":\"x\"}]}\n";
    char folder[] = "/tmp/tm-refused-XXXXXX", name[64];
    struct tm_error err = {0};
    uint32_t state = 1;
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (uint8_t)((state = state * 1664525 + 1013904223) >> (i % 3 ? 24 : 30));
    setvbuf(stdout, NULL, _IOLBF, 0);
    standard_output = __real_dup(STDOUT_FILENO);
    (void)signal(SIGPIPE, SIG_IGN);
    ok(mkdtemp(folder) && chdir(folder) == 0 && mkdir("in", 0700) == 0 && mkdir("out", 0700) == 0 &&
       mkdir("kept", 0700) == 0);
    snprintf(name, sizeof name, "in/%050d.json", 1);
    ok(make_file("in/a.json", json) && make_file(name, json) && make_file("in/b.json", json));
    int fd = -1;
    ok(tm_io_temporary(NULL, &fd, &err) == TM_OK && ftruncate(fd, sizeof *fault) == 0);
    fault = mmap(NULL, sizeof *fault, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (!ok(fault != MAP_FAILED))
        return tap_done();
    fault->process = getpid();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        test_case(i);
    return tap_done();
}
