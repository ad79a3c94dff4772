#include "os/out_file.h"

#include "base/path.h"
#include "os/compat.h"
#include "os/io.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUT_FILE_MODE = 0666, OUT_FOLDER_MODE = 0777, OUT_FILE_PATH_MAX = 4096, OUT_FILE_LINKS_MAX = 40 };
enum { WRITEBACK_BYTES = 8 << 20 }; /* less is on the disk soon enough when the file is closed */

static char *join(const char *a, const char *b)
{
    char *s = malloc(strlen(a) + strlen(b) + 1);
    if (s) {
        strcpy(s, a);
        strcat(s, b);
    }
    return s;
}

/* Returns DIR/.NAME.tmp.XXXXXX for DIR/NAME. NAME is cut if it is too long for such a name and that of SQLite's journal
 * beside it, but not if it is too long by itself. A merge of the folder passes over hidden files. */
static char *hidden_name(const char *path)
{
    static const char ending[] = ".tmp.XXXXXX", journal[] = "-journal";
    enum { FILE_NAME_MAX = 255, KEPT_MAX = FILE_NAME_MAX - 1 - (sizeof ending - 1) - (sizeof journal - 1) };
    size_t dir_len = (size_t)(tm_path_base(path) - path), kept = strlen(path + dir_len);
    char *s = malloc(strlen(path) + 1 + sizeof ending);
    if (kept > KEPT_MAX && kept <= FILE_NAME_MAX)
        for (kept = KEPT_MAX; kept > 0 && ((uint8_t)path[dir_len + kept] & 0xc0) == 0x80;) /* not within a character */
            kept--;
    if (s) {
        memcpy(s, path, dir_len);
        s[dir_len] = '.';
        memcpy(s + dir_len + 1, path + dir_len, kept);
        strcpy(s + dir_len + 1 + kept, ending);
    }
    return s;
}

/* Sets the mode of a new result to that of the file it replaces, or to the mode that a plain open would give. mkstemp
 * makes files for their owner alone. */
static void set_mode(int fd, const struct stat *old)
{
    mode_t mask = umask(0);
    (void)umask(mask);
    (void)fchmod(fd, old ? old->st_mode & 07777 : OUT_FILE_MODE & ~mask);
}

static enum tm_status open_as_it_stands(struct tm_out_file *f, const char *path, struct tm_error *err)
{
    f->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return f->fd < 0 ? tm_error_errno(err, errno, "%s: cannot open for writing", path) : TM_OK;
}

/* Makes the folder of the members at PATH, unless it is there. */
static enum tm_status make_folder(struct tm_out_file *f, const char *path, const struct stat *info, bool exists,
                                  struct tm_error *err)
{
    if (exists && !S_ISDIR(info->st_mode))
        return tm_error_errno(err, ENOTDIR, "%s: cannot write", path);
    if (!exists && mkdir(path, OUT_FOLDER_MODE) != 0)
        return tm_error_errno(err, errno, "%s: cannot make the folder", path);
    f->made_folder = !exists;
    return TM_OK;
}

/* Returns the template of the temporary file's name. */
static char *temporary_name(const struct tm_out_file *f)
{
    if (f->members == NULL)
        return hidden_name(f->path);
    char *whole = join(f->path, "/whole");
    char *name = whole ? hidden_name(whole) : NULL;
    free(whole);
    return name;
}

/* Returns the file that is written for PATH, to be freed. Links are followed, also to a file that is not there yet.
 * NULL: errno has the cause. */
static char *follow_links(const char *path)
{
    char real[OUT_FILE_PATH_MAX], target[OUT_FILE_PATH_MAX];
    struct stat info;
    ssize_t len;
    if (stat(path, &info) == 0)
        return tm_compat_real_path(path);
    snprintf(real, sizeof real, "%s", path);
    for (int links = 0; (len = readlink(real, target, sizeof target)) > 0; links++) {
        size_t folder_len = target[0] == '/' ? 0 : (size_t)(tm_path_base(real) - real);
        if (links == OUT_FILE_LINKS_MAX || folder_len + (size_t)len >= sizeof real) {
            errno = links == OUT_FILE_LINKS_MAX ? ELOOP : ENAMETOOLONG;
            return NULL;
        }
        memcpy(real + folder_len, target, (size_t)len);
        real[folder_len + (size_t)len] = '\0';
    }
    return join(real, "");
}

/* Opens PART, which is written instead of a temporary file. A file that cannot be opened stays; from then on abandon
 * removes it. */
static enum tm_status open_part(struct tm_out_file *f, const char *part, struct tm_error *err)
{
    struct stat old;
    if (stat(part, &old) == 0 && !S_ISREG(old.st_mode))
        return tm_error_set(err, TM_E_SYSTEM, "%s: not a regular file", part);
    char *temp = join(part, "");
    if (temp == NULL)
        return tm_error_nomem(err);
    f->fd = open(part, O_WRONLY | O_CREAT | O_CLOEXEC, OUT_FILE_MODE);
    if (f->fd < 0) {
        enum tm_status st = tm_error_errno(err, errno, "%s: cannot open for writing", part);
        free(temp);
        return st;
    }
    f->temp = temp;
    f->borrowed_temp = true;
    return tm_io_empty(f->fd, err) == TM_OK ? TM_OK : tm_error_prefix(err, "%s", part);
}

enum tm_status tm_out_file_open(struct tm_out_file *f, const char *path, const char *part, struct tm_error *err)
{
    struct stat old;
    bool exists = stat(path, &old) == 0;
    f->fd = -1;
    if (strlen(path) + 64 > OUT_FILE_PATH_MAX)
        return tm_error_errno(err, ENAMETOOLONG, "%s: cannot write", path);
    if (f->members && make_folder(f, path, &old, exists, err) < 0)
        return err->status;
    exists = exists || f->members;
    bool is_special = exists && !f->members && !S_ISREG(old.st_mode) && !S_ISDIR(old.st_mode);
    /* Links are followed: the file that a link points to is replaced, not the link. A pipe that is named by its
     * descriptor has no other name. */
    if ((f->path = is_special ? join(path, "") : follow_links(path)) == NULL)
        return tm_error_errno(err, errno, "%s: cannot write", path);
    if (part)
        return open_part(f, part, err);
    if (exists && !f->members && S_ISDIR(old.st_mode))
        return tm_error_errno(err, EISDIR, "%s: cannot write", path);
    if (is_special)
        return open_as_it_stands(f, path, err);
    if (exists && !f->members && access(path, W_OK) != 0) /* a file that is protected is not replaced either */
        return tm_error_errno(err, errno, "%s: cannot write", path);
    if ((f->temp = temporary_name(f)) == NULL)
        return tm_error_nomem(err);
    f->fd = mkstemp(f->temp);
    if (f->fd < 0) {
        enum tm_status st = tm_error_errno(err, errno, "%s: cannot make a temporary file beside it", path);
        free(f->temp);
        f->temp = NULL;
        return st;
    }
    (void)fcntl(f->fd, F_SETFD, FD_CLOEXEC);
    set_mode(f->fd, exists && !f->members ? &old : NULL);
    return TM_OK;
}

const char *tm_out_file_target(const struct tm_out_file *f)
{
    return f->temp ? f->temp : f->path;
}

enum tm_status tm_out_file_member(const char *temp, const char *member, char *name, size_t size)
{
    const char *suffix = strrchr(temp, '.');
    size_t folder_len = (size_t)(tm_path_base(temp) - temp);
    size_t member_len = strlen(member), suffix_len = suffix ? strlen(suffix) : 0;
    if (folder_len + 1 + member_len + suffix_len >= size)
        return TM_E_SYSTEM;
    memcpy(name, temp, folder_len);
    name[folder_len] = '.';
    memcpy(name + folder_len + 1, member, member_len);
    memcpy(name + folder_len + 1 + member_len, suffix ? suffix : "", suffix_len + 1);
    return TM_OK;
}

/* A name of standard output is a link. A new file in place of its target would not get what other programs write
 * there. */
bool tm_out_file_is_stdout(const char *path)
{
    static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(path, names[i]) == 0)
            return true;
    return false;
}

char *tm_out_file_folder(const char *path)
{
    char *folder = join(path, path[0] ? "" : ".");
    char *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash)
        slash[slash == folder] = '\0';
    else if (folder)
        strcpy(folder, ".");
    return folder;
}

char *tm_out_file_written_folder(const char *path)
{
    char *real = follow_links(path);
    char *folder = tm_out_file_folder(real ? real : path);
    free(real);
    return folder;
}

bool tm_out_file_is_same(const char *a, const char *b)
{
    struct stat x, y;
    if (strcmp(a, b) == 0)
        return true;
    if (stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino)
        return true;
    char *real_a = follow_links(a), *real_b = follow_links(b);
    char *folder_of_a = tm_out_file_written_folder(a), *folder_of_b = tm_out_file_written_folder(b);
    bool is_same = real_a && real_b && folder_of_a && folder_of_b &&
                   strcmp(tm_path_base(real_a), tm_path_base(real_b)) == 0 && stat(folder_of_a, &x) == 0 &&
                   stat(folder_of_b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    free(real_a);
    free(real_b);
    free(folder_of_a);
    free(folder_of_b);
    return is_same;
}

char *tm_out_file_outer(const struct tm_out_file *f)
{
    return f->made_folder && f->path ? tm_out_file_folder(f->path) : NULL;
}

/* Neither close nor commit waits for a file that the caller renames. */
bool tm_out_file_syncs(const struct tm_out_file *f)
{
    return f->temp && !f->borrowed_temp && !f->no_sync;
}

void tm_out_file_start_sync(struct tm_out_file *f)
{
    struct stat info;
    if (f->fd < 0 || f->members || !tm_out_file_syncs(f) || fstat(f->fd, &info) != 0 ||
        (uint64_t)info.st_size < f->written_back + WRITEBACK_BYTES)
        return;
    uint64_t start = f->written_back;
    f->written_back = (uint64_t)info.st_size;
    tm_compat_start_writeback(f->fd, start, f->written_back - start);
}

/* Waits until all that was written is on the disk. File systems that cannot do that report EINVAL or ENOTSUP. */
static enum tm_status sync_file(const struct tm_out_file *f, struct tm_error *err)
{
    if (fsync(f->fd) == 0 || errno == EINVAL || errno == ENOTSUP)
        return TM_OK;
    return tm_error_errno(err, errno, "%s: cannot write", f->path);
}

/* Syncs all members to the disk. */
static enum tm_status sync_members(const struct tm_out_file *f, struct tm_error *err)
{
    char name[OUT_FILE_PATH_MAX];
    enum tm_status st = TM_OK;
    for (size_t i = 0; f->members && f->members[i] && st == TM_OK; i++) {
        int fd = tm_out_file_member(f->temp, f->members[i], name, sizeof name) == TM_OK
                     ? open(name, O_WRONLY | O_CLOEXEC)
                     : -1;
        if (fd < 0 || (fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP))
            st = tm_error_errno(err, errno, "%s/%s: cannot write", f->path, f->members[i]);
        if (fd >= 0)
            (void)close(fd);
    }
    return st;
}

/* Syncs the folder, which has the new name. A failure is ignored: the file is whole under the old and the new name. */
static void sync_folder(const struct tm_out_file *f)
{
    char *folder = f->members ? join(f->path, "") : tm_out_file_folder(f->path);
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
    free(folder);
}

enum tm_status tm_out_file_close(struct tm_out_file *f, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (f->fd >= 0 && tm_out_file_syncs(f))
        st = f->members ? sync_members(f, err) : sync_file(f, err);
    int fd = f->fd;
    f->fd = -1;
    if (fd >= 0 && close(fd) != 0)
        st = tm_error_errno(err, errno, "%s: cannot write", f->path);
    return st;
}

/* Writes to NAME where MEMBER ends up. False: the name is too long. */
static bool member_path(const struct tm_out_file *f, const char *member, char *name, size_t size)
{
    int len = snprintf(name, size, "%s/%s", f->path, member);
    return len >= 0 && (size_t)len < size;
}

/* Gives all members their names, or none: after an error those that have theirs are removed. */
static enum tm_status rename_members(const struct tm_out_file *f, struct tm_error *err)
{
    char from[OUT_FILE_PATH_MAX], to[OUT_FILE_PATH_MAX];
    enum tm_status st = TM_OK;
    size_t done = 0;
    for (; f->members[done] && st == TM_OK; done++)
        if (!member_path(f, f->members[done], to, sizeof to) ||
            tm_out_file_member(f->temp, f->members[done], from, sizeof from) < 0 || rename(from, to) != 0)
            st = tm_error_errno(err, errno, "%s/%s: cannot rename the finished file to it", f->path, f->members[done]);
    for (size_t i = 0; st < 0 && i + 1 < done; i++)
        if (member_path(f, f->members[i], to, sizeof to))
            (void)unlink(to);
    return st;
}

/* Renames the finished file, or all members. Blocks signals between the members, so a signal cannot leave some without
 * their names. */
static enum tm_status rename_all(const struct tm_out_file *f, struct tm_error *err)
{
    if (f->members) {
        sigset_t all, old;
        (void)sigfillset(&all);
        (void)sigprocmask(SIG_BLOCK, &all, &old);
        enum tm_status st = rename_members(f, err);
        (void)sigprocmask(SIG_SETMASK, &old, NULL);
        return st;
    }
    return rename(f->temp, f->path) == 0
               ? TM_OK
               : tm_error_errno(err, errno, "%s: cannot rename the finished file to it", f->path);
}

enum tm_status tm_out_file_commit(struct tm_out_file *f, struct tm_error *err)
{
    enum tm_status st = tm_out_file_close(f, err);
    if (st == TM_OK && f->temp && !f->borrowed_temp)
        st = rename_all(f, err);
    if (st == TM_OK) {
        if (tm_out_file_syncs(f))
            sync_folder(f);
        if (f->members && !f->borrowed_temp)
            tm_out_file_remove(f->temp, NULL, false);
        free(f->temp);
        f->temp = NULL;
        f->made_folder = false;
    }
    tm_out_file_abandon(f);
    return st;
}

void tm_out_file_remove(const char *temp, const char *const *members, bool with_folder)
{
    static const char *const endings[] = {"", "-journal", "-wal", "-shm"};
    char name[OUT_FILE_PATH_MAX + 16];
    int saved = errno;
    size_t len = strlen(temp);
    for (size_t i = 0; len < OUT_FILE_PATH_MAX && i < sizeof endings / sizeof *endings; i++) {
        memcpy(name, temp, len);
        memcpy(name + len, endings[i], strlen(endings[i]) + 1);
        (void)unlink(name);
    }
    for (size_t i = 0; members && members[i]; i++)
        if (tm_out_file_member(temp, members[i], name, sizeof name) == TM_OK)
            (void)unlink(name);
    const char *slash = strrchr(temp, '/');
    if (with_folder && slash && len < OUT_FILE_PATH_MAX) {
        memcpy(name, temp, (size_t)(slash - temp));
        name[slash - temp] = '\0';
        (void)rmdir(name);
    }
    errno = saved;
}

void tm_out_file_abandon(struct tm_out_file *f)
{
    if (f->fd >= 0)
        (void)close(f->fd);
    if (f->temp)
        tm_out_file_remove(f->temp, f->members, f->made_folder);
    else if (f->made_folder && f->path)
        (void)rmdir(f->path);
    free(f->temp);
    free(f->path);
    *f = (struct tm_out_file){.fd = -1};
}
