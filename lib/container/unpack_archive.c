/* The turns of archives: all members become known first, then each has its turn in order of processing. */
#include "container/file_list.h"
#include "container/tar_reader.h"
#include "container/unpack_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How an archive opens what MEMBER holds. CONTENT can be released also after an error. */
typedef enum tm_status open_member(void *archive, const struct tm_member *member, struct tm_content *content,
                                   struct tm_error *err);

struct archive {
    struct tm_member_table table;
    open_member *open;
    void *state; /* borrowed; what open works with */
};

/* Adds MEMBER, called NAME, whose first bytes are at the front of IN; no more than WANT of them are its own. */
static enum tm_status add_member(struct tm_unpack_run *run, struct archive *archive, struct tm_member *member,
                                 struct tm_input *in, uint64_t want)
{
    size_t n = want < TM_SNIFF_BYTES ? (size_t)want : TM_SNIFF_BYTES;
    enum tm_status st = tm_input_fill(in, n, run->err);
    if (st < 0)
        return st;
    n = in->len < n ? in->len : n;
    member->type = tm_file_type_sniff(in->data, n);
    if (member->type.kind == TM_FILE_UNKNOWN && !run->options->ignore_unknown && !run->options->list)
        return tm_error_set(run->err, TM_E_INPUT, "unknown trace type%s", n ? "" : " (no data)");
    return tm_member_table_add(&archive->table, member, run->err);
}

static enum tm_status member_turn(struct tm_unpack_run *run, struct archive *archive, struct tm_node *node,
                                  const struct tm_member *member)
{
    struct tm_content content;
    enum tm_status st = TM_OK;
    if (member->missing_bytes > 0) {
        char cause[64];
        snprintf(cause, sizeof cause, "cut short, %llu bytes are missing", (unsigned long long)member->missing_bytes);
        st = tm_unpack_damage(run, node, cause, 0, member->size_bytes);
    }
    if (st < 0)
        return st;
    if ((st = archive->open(archive->state, member, &content, run->err)) < 0)
        tm_unpack_place(run, node);
    else
        st = tm_unpack_documents(run, &content, node, NULL, NULL);
    tm_content_release(&content);
    return st;
}

/* All members' rows, then all their turns inside NODE's. */
static enum tm_status unpack_members(struct tm_unpack_run *run, struct tm_node *node, struct archive *archive,
                                     uint64_t size_bytes)
{
    const struct tm_member_table *table = &archive->table;
    uint32_t first_id = run->file_count;
    enum tm_status st = tm_member_table_sort(&archive->table, run->err);
    for (uint32_t i = 0; st == TM_OK && i < table->count; i++) {
        const struct tm_member *member = &table->members[i];
        struct tm_node row = tm_node_inside(node, &member->type, tm_member_name(table, member), member->name_bytes);
        st = tm_unpack_announce(run, &row, member->size_bytes);
    }
    if (st == TM_OK)
        st = tm_unpack_begin(run, node);
    for (uint32_t i = 0; st == TM_OK && i < table->count; i++) {
        const struct tm_member *member = &table->members[table->order[i]];
        struct tm_node row = tm_node_inside(node, &member->type, tm_member_name(table, member), member->name_bytes);
        row.id = first_id + table->order[i];
        st = member_turn(run, archive, &row, member);
    }
    return st == TM_OK ? tm_unpack_end(run, node, size_bytes) : st;
}

static enum tm_status tar_open(void *state, const struct tm_member *member, struct tm_content *content,
                               struct tm_error *err)
{
    struct tm_content *around = state;
    struct tm_extent part = tm_content_part(around, member->place[0], member->size_bytes);
    return tm_content_open_extent(content, &part, err);
}

static enum tm_status scan_tar(struct tm_unpack_run *run, struct tm_node *node, struct archive *archive,
                               struct tm_tar_reader *tar)
{
    struct tm_tar_entry entry;
    enum tm_status st;
    while ((st = tm_tar_next(tar, &entry, run->err)) == TM_OK) {
        if (!entry.is_file || tm_member_is_hidden(entry.name, entry.name_bytes))
            continue;
        struct tm_member member = {.size_bytes = entry.size_bytes,
                                   .missing_bytes = entry.missing_bytes,
                                   .place = {entry.at},
                                   .name_text = entry.name};
        st = add_member(run, archive, &member, tar->in, entry.size_bytes);
        if (st < 0) {
            tm_error_prefix(run->err, "%s", entry.name);
            return st;
        }
    }
    (void)node;
    return st == TM_END ? TM_OK : st;
}

static enum tm_status unpack_tar(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content)
{
    struct archive archive = {.open = tar_open, .state = content};
    struct tm_tar_reader tar = {0};
    enum tm_status st = tm_content_by_place(content, run->options->spool_dir, run->err);
    if (st == TM_OK) {
        uint64_t start = content->in->offset;
        tm_tar_reader_init(&tar, content->in, tm_content_end(content));
        tar.tolerant = run->options->format.on_damage != TM_DAMAGE_HALT;
        st = scan_tar(run, node, &archive, &tar);
        if (st == TM_OK)
            st = unpack_members(run, node, &archive, content->in->offset - start);
    }
    tm_tar_reader_release(&tar);
    tm_member_table_release(&archive.table);
    return st;
}

enum tm_status tm_unpack_archive(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content)
{
    if (node->type.kind == TM_FILE_TAR)
        return unpack_tar(run, node, content);
    return tm_error_set(run->err, TM_E_INPUT, "%s files are not supported yet", node->type.name);
}

/* The files of a command line. Those that can be read once only stay open from the first look on. */
struct listed_files {
    struct tm_file_list list;
    struct tm_content **held; /* an entry a file, NULL for most */
};

static enum tm_status file_open(void *state, const struct tm_member *member, struct tm_content *content,
                                struct tm_error *err)
{
    struct listed_files *files = state;
    struct tm_content **held = &files->held[member->place[0]];
    if (*held == NULL)
        return tm_content_open_path(content, tm_file_list_path(&files->list, (uint32_t)member->place[0]), err);
    tm_content_move(content, *held);
    free(*held);
    *held = NULL;
    return TM_OK;
}

static enum tm_status look_at_file(struct tm_unpack_run *run, struct archive *archive, struct listed_files *files,
                                   uint32_t i)
{
    struct tm_content *content = malloc(sizeof *content);
    struct tm_member member = {.place = {i}, .name_text = tm_file_list_name(&files->list, i)};
    if (content == NULL)
        return tm_error_nomem(run->err);
    enum tm_status st = tm_content_open_path(content, tm_file_list_path(&files->list, i), run->err);
    bool by_place = content->extent.fd >= 0;
    member.size_bytes = by_place ? content->extent.len : 0;
    if (st == TM_OK)
        st = add_member(run, archive, &member, content->in, UINT64_MAX);
    if (st < 0)
        tm_error_prefix(run->err, "%s", tm_file_list_path(&files->list, i));
    if (st < 0 || by_place) {
        tm_content_release(content);
        free(content);
    } else {
        files->held[i] = content;
    }
    return st;
}

enum tm_status tm_unpack_directory(struct tm_unpack_run *run, struct tm_node *node, const char *const *paths,
                                   size_t count)
{
    struct listed_files files = {0};
    struct archive archive = {.open = file_open, .state = &files};
    enum tm_status st = TM_OK;
    for (size_t i = 0; st == TM_OK && i < count; i++)
        st = tm_file_list_add(&files.list, paths[i], run->err);
    if (st == TM_OK && (files.held = calloc(files.list.count + 1, sizeof *files.held)) == NULL)
        st = tm_error_nomem(run->err);
    for (uint32_t i = 0; st == TM_OK && i < files.list.count; i++)
        st = look_at_file(run, &archive, &files, i);
    if (st == TM_OK)
        st = unpack_members(run, node, &archive, 0);
    for (uint32_t i = 0; files.held && i < files.list.count; i++) {
        if (files.held[i])
            tm_content_release(files.held[i]);
        free(files.held[i]);
    }
    free(files.held);
    tm_file_list_release(&files.list);
    tm_member_table_release(&archive.table);
    return st;
}
