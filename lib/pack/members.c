#include "pack/members.h"

#include "os/io.h"
#include "container/limits.h"
#include "format/ctf/ctf.h"
#include "unpack/foreign_type.h"
#include "unpack/member_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens PATH, which must be a regular file. Does not wait for FIFOs and the like. */
static enum tm_status open_file(const char *path, int *fd, uint64_t *size_bytes, struct tm_error *err)
{
    struct stat s;
    enum tm_status st = TM_OK;
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*fd < 0)
        return tm_error_open(err, errno, "%s: cannot open", path);
    if (fstat(*fd, &s) != 0)
        st = tm_error_errno(err, errno, "%s: cannot read", path);
    else if (!S_ISREG(s.st_mode))
        st = tm_error_set(err, TM_E_INPUT, "%s: not a regular file", path);
    else
        *size_bytes = (uint64_t)s.st_size;
    if (st == TM_OK)
        return TM_OK;
    (void)close(*fd);
    *fd = -1;
    return st;
}

enum tm_status tm_members_open(const struct tm_pack_member *member, int *fd, struct tm_error *err)
{
    uint64_t size;
    enum tm_status st = open_file(member->path, fd, &size, err);
    if (st < 0 || size == member->size_bytes)
        return st;
    (void)close(*fd);
    return tm_error_set(err, TM_E_INPUT, "%s: changed while it was being packed", member->path);
}

static enum tm_status check_name(const struct tm_pack_member *m, struct tm_error *err)
{
    size_t len = strlen(m->name);
    if (len == 0)
        return tm_error_set(err, TM_E_INPUT, "%s: not a file", m->path);
    if (tm_member_is_hidden(m->name, len))
        return tm_error_set(err, TM_E_INPUT, "%s: a name that begins with a point is hidden in an archive", m->path);
    return TM_OK;
}

/* True if the folder PATH (LEN bytes, with the final "/") has the metadata of a trace in the Common Trace Format. */
static bool is_beside_metadata(const char *path, size_t len)
{
    static const char name[] = "metadata";
    uint8_t head[TM_SNIFF_BYTES];
    ssize_t got = -1;
    char *beside = malloc(len + sizeof name);
    int fd = -1;
    if (beside) {
        memcpy(beside, path, len);
        memcpy(beside + len, name, sizeof name);
        fd = open(beside, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    }
    if (fd >= 0) {
        got = pread(fd, head, sizeof head, 0);
        (void)close(fd);
    }
    free(beside);
    return got > 0 && tm_file_type_sniff(head, (size_t)got).format == &tm_format_ctf;
}

/* True if PATH, of unknown type, is a stream of a CTF trace or its index. */
static bool is_part(const char *path)
{
    static const char index_folder[] = "index/";
    const char *base = strrchr(path, '/');
    size_t len = base ? (size_t)(base + 1 - path) : 0, index_len = sizeof index_folder - 1;
    bool is_index = len >= index_len && memcmp(path + len - index_len, index_folder, index_len) == 0 &&
                    (len == index_len || path[len - index_len - 1] == '/');
    return is_beside_metadata(path, len) || (is_index && is_beside_metadata(path, len - index_len));
}

/* Finds the type of M and the host that it states, from the first LEN bytes of FD. */
static enum tm_status inspect(struct tm_pack_member *m, int fd, uint8_t *head, size_t len, struct tm_error *err)
{
    enum tm_status st = tm_io_pread(fd, head, len, 0, err);
    if (st == TM_END)
        return tm_error_set(err, TM_E_INPUT, "%s: changed while it was being packed", m->path);
    if (st < 0)
        return tm_error_prefix(err, "%s", m->path);
    size_t front = len < TM_SNIFF_BYTES ? len : TM_SNIFF_BYTES;
    m->type = tm_file_type_sniff(head, front);
    if (m->type.kind == TM_FILE_UNKNOWN && is_part(m->path))
        m->type = tm_file_type_part();
    if (m->type.kind == TM_FILE_UNKNOWN)
        return tm_error_set(err, TM_E_INPUT, "%s: %s", m->path, tm_foreign_type_cause(head, front));
    struct tm_stated stated;
    if ((st = tm_stated_read_head(&stated, &m->type, head, len, err)) < 0)
        return st;
    m->rank = stated.rank;
    m->is_archive = m->type.kind == TM_FILE_TAR || m->type.kind == TM_FILE_ZIP || stated.is_archive;
    m->is_host_of_several = stated.host.is_one_of_several;
    m->host = stated.host.name[0] ? strdup(stated.host.name) : NULL;
    return m->host || !stated.host.name[0] ? TM_OK : tm_error_nomem(err);
}

static enum tm_status look(struct tm_pack_member *m, struct tm_error *err)
{
    int fd = -1;
    enum tm_status st = check_name(m, err);
    if (st == TM_OK)
        st = open_file(m->path, &fd, &m->size_bytes, err);
    if (st < 0)
        return st;
    size_t len = m->size_bytes < TM_STATED_BYTES ? (size_t)m->size_bytes : TM_STATED_BYTES;
    uint8_t *head = malloc(TM_STATED_BYTES);
    st = head ? inspect(m, fd, head, len, err) : tm_error_nomem(err);
    free(head);
    (void)close(fd);
    return st;
}

/* Files given by name have base names; files in directories have the names of the list. */
static enum tm_status list_files(struct tm_members *members, const char *const *paths, size_t count,
                                 struct tm_error *err)
{
    struct tm_buf given = {0};
    enum tm_status st = TM_OK;
    for (size_t i = 0; i < count && st == TM_OK; i++) {
        struct stat info;
        uint32_t before = members->list.count;
        uint8_t is_directory = stat(paths[i], &info) == 0 && S_ISDIR(info.st_mode);
        st = tm_file_list_add(&members->list, paths[i], false, err);
        for (uint32_t k = before; k < members->list.count && st == TM_OK; k++)
            if (tm_buf_add_byte(&given, !is_directory) != TM_OK)
                st = tm_error_nomem(err);
    }
    if (st == TM_OK && members->list.count >= TM_FILES_MAX)
        st = tm_error_set(err, TM_E_INPUT, "more than %d files", TM_FILES_MAX - 1);
    if (st == TM_OK && (members->members = calloc((size_t)members->list.count + 1, sizeof *members->members)) == NULL)
        st = tm_error_nomem(err);
    for (uint32_t i = 0; i < members->list.count && st == TM_OK; i++) {
        const char *path = tm_file_list_path(&members->list, i), *name = tm_file_list_name(&members->list, i);
        const char *slash = given.data[i] ? strrchr(path, '/') : NULL;
        members->members[i] = (struct tm_pack_member){.path = path, .name = slash ? slash + 1 : name};
        st = look(&members->members[members->count++], err);
    }
    tm_buf_release(&given);
    return st;
}

static int compare_names(const void *a, const void *b)
{
    const struct tm_pack_member *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static int compare_turns(const void *a, const void *b)
{
    const struct tm_pack_member *x = a, *y = b;
    if (x->type.priority != y->type.priority)
        return x->type.priority < y->type.priority ? -1 : 1;
    return strcmp(x->name, y->name);
}

static enum tm_status check_together(struct tm_members *members, struct tm_error *err)
{
    struct tm_pack_member *m = members->members;
    qsort(m, members->count, sizeof *m, compare_names);
    for (size_t i = 1; i < members->count; i++)
        if (compare_names(&m[i - 1], &m[i]) == 0)
            return tm_error_set(err, TM_E_INPUT, "%s: has the name of %s, %s", m[i].path, m[i - 1].path, m[i].name);
    qsort(m, members->count, sizeof *m, compare_turns);
    if (members->count > 0 && m[0].type.kind == TM_FILE_MANIFEST)
        members->manifest = m;
    if (members->count > 1 && m[1].type.kind == TM_FILE_MANIFEST)
        return tm_error_set(err, TM_E_INPUT, "%s: a second manifest beside %s", m[1].path, m[0].path);
    return TM_OK;
}

enum tm_status tm_members_read(struct tm_members *members, const char *const *paths, size_t count,
                               struct tm_error *err)
{
    enum tm_status st = list_files(members, paths, count, err);
    if (st < 0)
        return st;
    return check_together(members, err);
}

void tm_members_release(struct tm_members *members)
{
    for (size_t i = 0; i < members->count; i++)
        free(members->members[i].host);
    free(members->members);
    tm_file_list_release(&members->list);
    *members = (struct tm_members){0};
}
