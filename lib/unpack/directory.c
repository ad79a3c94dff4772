/* The turn of a command line with several files or a directory, which count as one archive. */
#include "unpack/archive.h"
#include "unpack/file_list.h"

#include <stdlib.h>

/* The files of a command line. Files that can be read only once stay open from the first look on. */
struct listed_files {
    struct tm_file_list list;
    struct tm_content **contents; /* one for each file, NULL for most */
};

static enum tm_status file_open(void *state, const struct tm_member *member, struct tm_content *content,
                                struct tm_damage *damage, struct tm_error *err)
{
    struct listed_files *files = state;
    (void)damage;
    struct tm_content **of_member = &files->contents[member->place[0]];
    if (*of_member == NULL) {
        uint32_t i = (uint32_t)member->place[0];
        enum tm_status st = tm_content_open_path(content, tm_file_list_path(&files->list, i), err);
        content->has_folder = tm_file_list_is_in_directory(&files->list, i);
        return st;
    }
    tm_content_move(content, *of_member);
    free(*of_member);
    *of_member = NULL;
    return TM_OK;
}

static const char *file_path(const void *state, const struct tm_member *member)
{
    const struct listed_files *files = state;
    return tm_file_list_path(&files->list, (uint32_t)member->place[0]);
}

/* Adds file I of the list to ARCHIVE. Keeps it open if it can be read only once. */
static enum tm_status inspect_file(struct tm_unpack_run *run, struct tm_archive *archive, struct listed_files *files,
                                   uint32_t i)
{
    struct tm_content *content = malloc(sizeof *content);
    struct tm_member member = {.place = {i}, .name_text = tm_file_list_name(&files->list, i)};
    if (content == NULL)
        return tm_error_nomem(run->err);
    enum tm_status st = tm_content_open_path(content, tm_file_list_path(&files->list, i), run->err);
    bool by_place = content->extent.fd >= 0;
    tm_unpack_count_input(run, content);
    member.is_once = !by_place;
    member.size_bytes = by_place ? content->extent.len : 0;
    if (st == TM_OK)
        st = tm_archive_add(run, archive, &member, content->in, UINT64_MAX);
    if (st < 0)
        tm_error_prefix(run->err, "%s", tm_file_list_path(&files->list, i));
    if (st < 0 || by_place) {
        tm_content_release(content);
        free(content);
    } else {
        files->contents[i] = content;
    }
    return st;
}

enum tm_status tm_unpack_directory(struct tm_unpack_run *run, struct tm_node *node, const char *const *paths,
                                   size_t count)
{
    struct listed_files files = {0};
    struct tm_archive archive = {.open = file_open, .path_of = file_path, .state = &files};
    enum tm_status st = TM_OK;
    for (size_t i = 0; st == TM_OK && i < count; i++)
        st = tm_file_list_add(&files.list, paths[i], count > 1, run->err);
    if (st == TM_OK && (files.contents = calloc(files.list.count + 1, sizeof *files.contents)) == NULL)
        st = tm_error_nomem(run->err);
    for (uint32_t i = 0; st == TM_OK && i < files.list.count; i++)
        st = inspect_file(run, &archive, &files, i);
    if (st == TM_OK)
        st = tm_archive_turns(run, node, &archive, 0);
    for (uint32_t i = 0; files.contents && i < files.list.count; i++) {
        if (files.contents[i])
            tm_content_release(files.contents[i]);
        free(files.contents[i]);
    }
    free(files.contents);
    tm_file_list_release(&files.list);
    tm_member_table_release(&archive.table);
    return st;
}
