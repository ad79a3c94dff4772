/* The turns of TAR and ZIP archives. */
#include "os/read_ahead.h"
#include "unpack/archive.h"
#include "container/tar_reader.h"
#include "container/zip_reader.h"
#include "container/zip_walk.h"

#include <stdlib.h>

static bool is_tolerant(const struct tm_unpack_run *run)
{
    return run->options->format.on_damage != TM_DAMAGE_HALT;
}

static enum tm_status tar_open(void *state, const struct tm_member *member, struct tm_content *content,
                               struct tm_damage *damage, struct tm_error *err)
{
    struct tm_content *around = state;
    struct tm_extent part = tm_content_part(around, member->place[0], member->size_bytes);
    (void)damage;
    return tm_content_open_extent(content, &part, err);
}

/* Finds the next member of TAR that has a row. TM_END if there is none. */
static enum tm_status next_file(struct tm_unpack_run *run, struct tm_tar_reader *tar, struct tm_tar_entry *entry)
{
    enum tm_status st;
    do
        st = tm_tar_next(tar, entry, run->err);
    while (st == TM_OK && (!entry->is_file || tm_member_is_hidden(entry->name, entry->name_bytes)));
    return tar->is_unsupported ? st : tm_unpack_halt(run, st);
}

static struct tm_member tar_member(const struct tm_tar_entry *entry)
{
    return (struct tm_member){.size_bytes = entry->size_bytes,
                              .missing_bytes = entry->missing_bytes,
                              .place = {entry->at},
                              .name_text = entry->name};
}

static enum tm_status unpack_tar(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content)
{
    struct tm_archive archive = {.open = tar_open, .state = content};
    struct tm_tar_reader tar = {0};
    struct tm_tar_entry entry;
    /* Text of its members can then stay in the temporary copy. */
    enum tm_status st =
        tm_content_by_place(content, run->options->text_file, run->options->spool_dir, run->err);
    uint64_t start = content->in->offset;
    tm_tar_reader_init(&tar, content->in, tm_content_end(content));
    tar.tolerant = is_tolerant(run);
    while (st == TM_OK && (st = next_file(run, &tar, &entry)) == TM_OK) {
        struct tm_member member = tar_member(&entry);
        st = tm_archive_add(run, &archive, &member, content->in, entry.size_bytes);
        if (st < 0)
            tm_error_prefix(run->err, "%s", entry.name);
    }
    archive.damage = tar.damage;
    if (st == TM_END)
        st = tm_archive_turns(run, node, &archive, content->in->offset - start);
    tm_tar_reader_release(&tar);
    tm_member_table_release(&archive.table);
    return st;
}

/* The turn of a member of a TAR in order of processing. Its data is at the front of CONTENT. */
static enum tm_status streamed_member(struct tm_unpack_run *run, struct tm_node *node, struct tm_archive *archive,
                                      const struct tm_tar_entry *entry, struct tm_content *content)
{
    struct tm_member member = tar_member(entry);
    struct tm_part part = {.around = content->in, .left = entry->size_bytes, .tolerant = is_tolerant(run)};
    struct tm_input input;
    tm_part_open(&part, &input);
    enum tm_status st = tm_archive_add(run, archive, &member, &input, entry->size_bytes);
    const struct tm_member_table *table = &archive->table;
    const struct tm_member *last = st == TM_OK ? &table->members[table->count - 1] : NULL;
    if (last && table->count > 1 && tm_member_compare(table, last - 1, last) > 0)
        st = tm_error_set(run->err, TM_E_INPUT, "the archive promises members in order of processing, but has this "
                          "one after %s", tm_member_name(table, last - 1));
    struct tm_node row = {0};
    if (st == TM_OK) {
        row = tm_node_inside(node, &last->type, entry->name, entry->name_bytes);
        row.rank = last->rank;
        st = tm_unpack_announce(run, &row, entry->size_bytes);
    }
    if (st < 0) {
        tm_error_prefix(run->err, "%s", entry->name);
    } else {
        struct tm_content inner = tm_content_of(&input);
        st = tm_unpack_documents(run, &inner, &row, NULL, NULL);
        tm_content_release(&inner);
    }
    tm_part_settle(&part, &input);
    if (st == TM_OK && part.left > 0 && content->in->ended && content->in->len == 0) {
        struct tm_error why = {0};
        tm_error_set(&why, TM_E_INPUT, "%s: cut short, %llu bytes are missing", entry->name,
                     (unsigned long long)part.left);
        tm_damage_add(&archive->damage, content->in->offset, &why);
    }
    tm_input_release(&input);
    return st;
}

/* Unpacks a TAR from a pipe or a decompressor. As it is in order of processing, it needs no temporary file. */
static enum tm_status stream_tar(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content)
{
    struct tm_archive archive = {0};
    struct tm_tar_reader tar;
    struct tm_tar_entry entry;
    uint64_t start = content->in->offset;
    tm_tar_reader_init(&tar, content->in, UINT64_MAX);
    tar.tolerant = is_tolerant(run);
    enum tm_status st = tm_unpack_begin(run, node);
    while (st == TM_OK && (st = next_file(run, &tar, &entry)) == TM_OK)
        st = streamed_member(run, node, &archive, &entry, content);
    if (st == TM_END) {
        tm_damage_merge(&archive.damage, &tar.damage);
        tm_unpack_damage(run, node, &archive.damage);
        st = tm_unpack_end(run, node, content->in->offset - start);
    }
    tm_tar_reader_release(&tar);
    tm_member_table_release(&archive.table);
    return st;
}

static enum tm_status zip_open(void *state, const struct tm_member *member, struct tm_content *content,
                               struct tm_damage *damage, struct tm_error *err)
{
    *content = tm_content_of(&content->own);
    content->size_bytes = member->size_bytes;
    enum tm_status st = tm_zip_open(state, member->place, damage, &content->own, err);
    if (st == TM_OK && member->size_bytes >= TM_READ_AHEAD_MIN_BYTES)
        tm_read_ahead_start(&content->own);
    return st;
}

/* Adds the members of ZIP to ARCHIVE. */
static enum tm_status scan_zip(struct tm_unpack_run *run, struct tm_archive *archive, struct tm_zip_reader *zip)
{
    struct tm_zip_entry entry;
    enum tm_status st;
    while ((st = tm_zip_next(zip, &entry, run->err)) == TM_OK) {
        if (!entry.is_file || tm_member_is_hidden(entry.name, entry.name_bytes))
            continue;
        struct tm_damage seen_again = {0};
        struct tm_input input = {0};
        struct tm_member member = {.size_bytes = entry.size_bytes,
                                   .place = {entry.place[0], entry.place[1]},
                                   .name_text = entry.name};
        st = tm_unpack_halt(run,
                            tm_zip_open(zip, entry.place, is_tolerant(run) ? &seen_again : NULL, &input, run->err));
        if (st == TM_OK)
            st = tm_archive_add(run, archive, &member, &input, UINT64_MAX);
        tm_input_release(&input);
        if (st < 0) {
            tm_error_prefix(run->err, "%s", entry.name);
            return st;
        }
    }
    return st == TM_END ? TM_OK : st;
}

static enum tm_status walk_open(void *state, const struct tm_member *member, struct tm_content *content,
                                struct tm_damage *damage, struct tm_error *err)
{
    *content = tm_content_of(&content->own);
    return tm_zip_walk_open(state, member->place, damage, &content->own, err);
}

/* Adds the members of a ZIP without a directory, found one by one. WHY is the error for the directory. */
static enum tm_status walk_zip(struct tm_unpack_run *run, struct tm_archive *archive, const struct tm_extent *zip,
                               struct tm_error *why)
{
    struct tm_zip_walk *walk = calloc(1, sizeof *walk);
    struct tm_zip_entry entry;
    if (walk == NULL)
        return tm_error_nomem(run->err);
    tm_damage_add(&archive->damage, 0, why);
    enum tm_status st = tm_zip_walk_init(walk, zip, run->err);
    while (st == TM_OK && (st = tm_zip_walk_next(walk, &entry, run->err)) == TM_OK) {
        if (!entry.is_file || tm_member_is_hidden(entry.name, entry.name_bytes))
            continue;
        struct tm_damage seen_again = {0};
        struct tm_input input = {0};
        struct tm_member member = {
            .size_bytes = entry.size_bytes, .place = {entry.place[0], entry.place[1]}, .name_text = entry.name};
        st = tm_zip_walk_open(zip, entry.place, &seen_again, &input, run->err);
        if (st == TM_OK)
            st = tm_archive_add(run, archive, &member, &input, UINT64_MAX);
        tm_input_release(&input);
        if (st < 0)
            tm_error_prefix(run->err, "%s", entry.name);
    }
    archive->damage.skipped_bytes += walk->skipped_bytes;
    tm_zip_walk_release(walk);
    free(walk);
    return st == TM_END ? TM_OK : st;
}

static enum tm_status unpack_zip(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content)
{
    struct tm_archive archive = {.open = zip_open};
    struct tm_zip_reader *zip = NULL;
    enum tm_status st = tm_content_by_place(content, NULL, run->options->spool_dir, run->err);
    if (st < 0)
        return st;
    uint64_t len = tm_content_end(content) - content->in->offset;
    struct tm_extent all = tm_content_part(content, content->in->offset, len);
    st = tm_zip_new(&zip, &all, run->err);
    if (st == TM_E_INPUT && !is_tolerant(run))
        (void)tm_error_append(run->err, " (--on-damage=salvage looks for its members)");
    archive.state = zip;
    if (st == TM_OK) {
        st = scan_zip(run, &archive, zip);
    } else if (st == TM_E_INPUT && run->options->format.on_damage == TM_DAMAGE_SALVAGE) {
        archive.open = walk_open;
        archive.state = &all;
        st = walk_zip(run, &archive, &all, run->err);
    }
    if (st == TM_OK)
        st = tm_archive_turns(run, node, &archive, len);
    if (st == TM_OK)
        st = tm_input_advance(content->in, len, run->err);
    tm_zip_free(zip);
    tm_member_table_release(&archive.table);
    return st;
}

enum tm_status tm_unpack_archive(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content)
{
    bool in_order = false;
    if (node->type.kind == TM_FILE_ZIP)
        return unpack_zip(run, node, content);
    enum tm_status st = TM_OK;
    if (content->extent.fd < 0)
        st = tm_tar_promises_order(content->in, &in_order, run->err);
    if (st < 0)
        return st;
    return in_order ? stream_tar(run, node, content) : unpack_tar(run, node, content);
}
