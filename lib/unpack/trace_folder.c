#include "unpack/trace_folder.h"

#include "os/io.h"

#include <string.h>
#include <unistd.h>

static const char metadata_name[] = "metadata", index_name[] = "index";

static bool is_type(const struct tm_member *member, enum tm_input_type type)
{
    return member->reason == TM_DROP_NONE && member->type.input_type == type;
}

/* Returns the length of the folder, with the "/", in the LEN bytes at NAME. */
static size_t folder_len(const char *name, size_t len)
{
    while (len > 0 && name[len - 1] != '/')
        len--;
    return len;
}

/* Returns a number below, equal to or above 0 if the name of MEMBER comes before, is or comes after the name made of
 * FRONT, a folder, and BASE. */
static int compare_name(const struct tm_member_table *table, const struct tm_member *member, const char *front,
                        size_t len, const char *base)
{
    const char *name = tm_member_name(table, member);
    size_t n = member->name_bytes < len ? member->name_bytes : len;
    int c = memcmp(name, front, n);
    return c != 0 || n < len ? (c != 0 ? c : -1) : strcmp(name + len, base);
}

/* Returns the place in the order of the first member of PRIORITY whose name is not before that made of FRONT and BASE.
 */
static uint32_t find(const struct tm_member_table *table, int priority, const char *front, size_t len,
                     const char *base)
{
    uint32_t low = 0, high = table->count;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        const struct tm_member *member = &table->members[table->order[mid]];
        bool is_before = member->type.priority < priority || (member->type.priority == priority &&
                                                              compare_name(table, member, front, len, base) < 0);
        low = is_before ? mid + 1 : low;
        high = is_before ? high : mid;
    }
    return low;
}

/* Returns the metadata in the folder FRONT (LEN bytes); NULL: it has none. */
static const struct tm_member *metadata_of(const struct tm_member_table *table, int priority, const char *front,
                                           size_t len)
{
    uint32_t at = find(table, priority, front, len, metadata_name);
    const struct tm_member *found = at < table->count ? &table->members[table->order[at]] : NULL;
    bool is_metadata =
        found && compare_name(table, found, front, len, metadata_name) == 0 && is_type(found, TM_INPUT_CTF);
    return is_metadata ? found : NULL;
}

bool tm_trace_folder_is_metadata(const struct tm_member_table *table, const struct tm_member *member)
{
    const char *name = tm_member_name(table, member);
    return is_type(member, TM_INPUT_CTF) && strcmp(name + folder_len(name, member->name_bytes), metadata_name) == 0;
}

/* True if the folder of NAME, LEN bytes long, is the one for indices in the folder of a trace. */
static bool is_index_folder(const struct tm_member_table *table, int priority, const char *name, size_t len)
{
    enum { INDEX_LEN = sizeof index_name - 1 };
    if (len <= INDEX_LEN || memcmp(name + len - 1 - INDEX_LEN, index_name, INDEX_LEN) != 0)
        return false;
    size_t above = len - 1 - INDEX_LEN;
    return (above == 0 || name[above - 1] == '/') && metadata_of(table, priority, name, above) != NULL;
}

bool tm_trace_folder_is_part(const struct tm_member_table *table, const struct tm_member *member)
{
    const char *name = tm_member_name(table, member);
    size_t len = folder_len(name, member->name_bytes);
    return is_type(member, TM_INPUT_CTF_STREAM) && (metadata_of(table, member->type.priority, name, len) != NULL ||
                                             is_index_folder(table, member->type.priority, name, len));
}

void tm_trace_folder_find(struct tm_member_table *table)
{
    for (uint32_t i = 0; i < table->count; i++) {
        const struct tm_member *member = &table->members[i], *metadata = NULL;
        const char *name = tm_member_name(table, member);
        if (is_type(member, TM_INPUT_CTF_STREAM))
            metadata = metadata_of(table, member->type.priority, name, folder_len(name, member->name_bytes));
        if (metadata)
            table->members[metadata - table->members].has_own_streams = true;
    }
}

bool tm_trace_folder_has(const struct tm_member_table *table, const struct tm_member *member)
{
    const char *name = tm_member_name(table, member);
    size_t len = folder_len(name, member->name_bytes);
    const struct tm_member *metadata = metadata_of(table, member->type.priority, name, len);
    if (metadata == NULL)
        return is_index_folder(table, member->type.priority, name, len);
    return member->size_bytes == 0 || !metadata->has_own_streams;
}

static enum tm_status copy_bytes(struct tm_unpack_run *run, struct tm_content *content, bool is_shared, int fd)
{
    enum tm_status st;
    while ((st = tm_input_fill(content->in, 1, run->err)) == TM_OK) {
        if (is_shared) /* hard links can make many members of one range, so copies count as expansion */
            st = tm_expansion_add(run->expansion, content->in->len, run->err);
        if (st == TM_OK)
            st = tm_io_write(fd, content->in->data, content->in->len, run->err);
        if (st < 0)
            break;
        tm_input_skip(content->in, content->in->len);
    }
    return st == TM_END ? TM_OK : st;
}

static enum tm_status copy_member(struct tm_unpack_run *run, struct tm_archive *archive, const struct tm_member *member,
                                  bool is_metadata, struct tm_temporary_folder *folder)
{
    struct tm_content content;
    struct tm_damage damage = {0};
    bool tolerant = run->options->format.on_damage != TM_DAMAGE_HALT;
    int fd = -1;
    enum tm_status st = archive->open(archive->state, member, &content, tolerant ? &damage : NULL, run->err);
    if (st == TM_OK && archive->is_compressed)
        content.in->expansion = run->expansion;
    if (st == TM_OK)
        st = tm_temporary_folder_add(folder, is_metadata, &fd, run->err);
    if (st == TM_OK)
        st = copy_bytes(run, &content, member->is_shared, fd);
    if (fd >= 0)
        (void)close(fd);
    tm_content_release(&content);
    if (st < 0)
        tm_error_prefix(run->err, "%s", tm_member_name(&archive->table, member));
    if (st == TM_E_INPUT && tolerant) {
        tm_damage_add(&damage, 0, run->err);
        *run->err = (struct tm_error){0};
        st = TM_OK;
    }
    (void)tm_error_recoverable(run->err);
    tm_damage_merge(&archive->damage, &damage);
    return st;
}

enum tm_status tm_trace_folder_copy(struct tm_unpack_run *run, struct tm_archive *archive,
                                    const struct tm_member *metadata, struct tm_temporary_folder *folder)
{
    const struct tm_member_table *table = &archive->table;
    const char *front = tm_member_name(table, metadata);
    size_t len = folder_len(front, metadata->name_bytes);
    enum tm_status st = tm_temporary_folder_open(folder, run->options->temporary_dir, run->err);
    if (st == TM_OK)
        st = copy_member(run, archive, metadata, true, folder);
    for (uint32_t i = find(table, metadata->type.priority, front, len, ""); st == TM_OK && i < table->count; i++) {
        const struct tm_member *member = &table->members[table->order[i]];
        const char *name = tm_member_name(table, member);
        if (member->type.priority != metadata->type.priority || member->name_bytes < len ||
            memcmp(name, front, len) != 0)
            break;
        if (is_type(member, TM_INPUT_CTF_STREAM) && strchr(name + len, '/') == NULL)
            st = copy_member(run, archive, member, false, folder);
    }
    return st;
}
