/* The turns of TAR and ZIP archives. */
#include "base/path.h"
#include "os/read_ahead.h"
#include "unpack/archive.h"
#include "unpack/bug_report.h"
#include "unpack/tar_files.h"
#include "container/tar_reader.h"
#include "container/zip_reader.h"
#include "container/zip_walk.h"

#include <assert.h>
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
    part.is_shared = member->is_shared;
    part.reclaim = member->is_shared ? NULL : part.reclaim;
    return tm_content_open_extent(content, &part, err);
}

/* Reclaims the storage of MEMBER if the TAR is a temporary copy. */
static void tar_done(void *state, const struct tm_member *member)
{
    struct tm_content *around = state;
    struct tm_extent part = tm_content_part(around, member->place[0], member->size_bytes);
    if (part.reclaim && !member->is_shared)
        tm_reclaim_add(part.reclaim, part.start, part.len);
}

/* Finds the next member of TAR that has a row. TM_END if there is none. FILES (may be NULL) gets all files that hard
 * links may refer to; MEMBER is the number of the member that is found. */
static enum tm_status next_file(struct tm_unpack_run *run, struct tm_tar_reader *tar, struct tm_tar_entry *entry,
                                struct tm_tar_files *files, uint32_t member)
{
    enum tm_status st;
    while ((st = tm_tar_next(tar, entry, run->err)) == TM_OK) {
        bool is_hidden = tm_member_is_hidden(entry->name, entry->name_bytes);
        struct tm_tar_file file = {entry->at, entry->size_bytes, entry->missing_bytes,
                                   is_hidden ? TM_TAR_FILE_HIDDEN : member};
        if (files && entry->is_file && entry->link == NULL && entry->refusal == NULL)
            st = tm_tar_files_add(files, tm_path_bare(entry->name), &file, run->err);
        if (st < 0 || (entry->is_file && !is_hidden))
            break;
    }
    return tm_unpack_halt(run, NULL, st);
}

/* Warns if TAR, which has been read to its end, may lack members. Other damage has been reported. */
static void warn_of_end(const struct tm_unpack_run *run, const struct tm_node *node, const struct tm_tar_reader *tar)
{
    struct tm_error cause = {0};
    if (!tar->lacks_end || tar->damage.count > 0)
        return;
    tm_error_set(&cause, TM_E_INPUT, "byte %llu: the TAR has no end-of-archive block; members may be missing",
                 (unsigned long long)tar->in->offset);
    tm_unpack_warn(run, node, &cause);
}

static struct tm_member tar_member(const struct tm_tar_entry *entry)
{
    return (struct tm_member){.size_bytes = entry->size_bytes,
                              .missing_bytes = entry->missing_bytes,
                              .place = {entry->at},
                              .name_text = entry->name};
}

/* Adds the member of ENTRY, whose data is at the front of IN. */
static enum tm_status add_tar_member(struct tm_unpack_run *run, struct tm_archive *archive,
                                     const struct tm_tar_entry *entry, struct tm_input *in)
{
    struct tm_member member = tar_member(entry);
    struct tm_error cause = {0};
    if (entry->link) {
        tm_error_set(&cause, TM_E_INPUT,
                     "a hard link to %s, whose data was read before; give the archive as a regular file", entry->link);
        return tm_archive_refuse(run, archive, &member, TM_REFUSAL_UNSUPPORTED, cause.text);
    }
    return entry->refusal ? tm_archive_refuse(run, archive, &member, TM_REFUSAL_UNSUPPORTED, entry->refusal)
                          : tm_archive_add(run, archive, &member, in, entry->size_bytes);
}

/* Adds the hard link of ENTRY: a member with the data of another. */
static enum tm_status add_hard_link(struct tm_unpack_run *run, struct tm_archive *archive,
                                    const struct tm_tar_entry *entry, struct tm_content *content,
                                    struct tm_tar_files *files)
{
    struct tm_error cause = {0};
    struct tm_tar_file file = {0};
    struct tm_input input = {0};
    struct tm_member member = tar_member(entry);
    enum tm_status st = tm_tar_files_find(files, tm_path_bare(entry->link), &file, run->err);
    if (st == TM_END) {
        tm_error_set(&cause, TM_E_INPUT, "a hard link to %s, which is not a readable file before it",
                     entry->link);
        return tm_archive_refuse(run, archive, &member, TM_REFUSAL_DAMAGED, cause.text);
    }
    if (st < 0)
        return st;
    struct tm_extent part = tm_content_part(content, file.at, file.size_bytes);
    member.place[0] = file.at;
    member.size_bytes = file.size_bytes;
    member.missing_bytes = file.missing_bytes;
    member.is_shared = true;
    if (file.member != TM_TAR_FILE_HIDDEN) {
        assert(archive->table.members);
        archive->table.members[file.member].is_shared = true;
        tm_error_set(&cause, TM_E_INPUT, "a hard link to %s: the same events are merged twice", entry->link);
        member.cause_text = cause.text;
    }
    st = tm_extent_open(&part, &input, run->err);
    if (st == TM_OK)
        st = tm_archive_add(run, archive, &member, &input, file.size_bytes);
    tm_input_release(&input);
    return st;
}

static enum tm_status unpack_tar(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content)
{
    struct tm_archive archive = {.open = tar_open, .done = tar_done, .state = content, .lacks_paths = true};
    struct tm_tar_reader tar = {0};
    struct tm_tar_files files = {0};
    struct tm_tar_entry entry;
    /* The TAR is copied to the text file, where text of its members can then stay. */
    enum tm_status st = run->options->text_file ? tm_unpack_require_order(run) : TM_OK;
    if (st == TM_OK) {
        st = tm_content_by_place(content, run->options->text_file, run->options->temporary_dir, run->err);
        st = tm_unpack_halt(run, NULL, st);
    }
    uint64_t start = content->in->offset;
    tm_tar_reader_init(&tar, content->in, tm_content_end(content));
    tar.tolerant = is_tolerant(run);
    while (st == TM_OK && (st = next_file(run, &tar, &entry, &files, archive.table.count)) == TM_OK) {
        st = entry.link ? add_hard_link(run, &archive, &entry, content, &files)
                        : add_tar_member(run, &archive, &entry, content->in);
        if (st < 0)
            tm_error_prefix(run->err, "%s", entry.name);
    }
    archive.damage = tar.damage;
    tm_tar_files_release(&files);
    if (st == TM_END) {
        warn_of_end(run, node, &tar);
        st = tm_archive_turns(run, node, &archive, content->in->offset - start);
    }
    tm_tar_reader_release(&tar);
    tm_member_table_release(&archive.table);
    return st;
}

/* Runs the turn of a member of a TAR whose members are in order of processing. Its data is at the front of CONTENT. */
static enum tm_status streamed_member(struct tm_unpack_run *run, struct tm_node *node, struct tm_archive *archive,
                                      const struct tm_tar_entry *entry, struct tm_content *content)
{
    struct tm_part part = {.around = content->in, .left = entry->size_bytes, .tolerant = is_tolerant(run)};
    struct tm_input input;
    tm_part_open(&part, &input);
    enum tm_status st = add_tar_member(run, archive, entry, &input);
    const struct tm_member_table *table = &archive->table;
    const struct tm_member *last = st == TM_OK ? &table->members[table->count - 1] : NULL;
    run->is_final = last && table->count > 1 && tm_member_compare(table, last - 1, last) > 0;
    if (run->is_final)
        st = tm_error_set(run->err, TM_E_INPUT, "the archive promises members in order of processing, but has this "
                          "one after %s", tm_member_name(table, last - 1));
    struct tm_node row = {0};
    if (st == TM_OK && last) {
        row = tm_node_inside(node, &last->type, entry->name, entry->name_bytes);
        row.rank = last->rank;
        row.host = tm_member_host(table, last);
        row.is_host_of_several = last->is_host_of_several;
        row.has_archive = last->has_archive;
        st = tm_unpack_announce(run, &row, entry->size_bytes);
    }
    if (st != TM_OK || last == NULL) {
        tm_error_prefix(run->err, "%s", entry->name);
    } else if (last->reason) {
        st = tm_archive_refused_turn(run, &row, table, last);
    } else {
        struct tm_content inner = tm_content_of(&input);
        st = run->read_documents(run, &inner, &row, NULL, NULL);
        tm_content_release(&inner);
    }
    tm_part_settle(&part, &input);
    tm_input_release(&input);
    return st;
}

/* Unpacks a TAR from a pipe or a decompressor. Its members are in order of processing, so it needs no temporary file.
 */
static enum tm_status stream_tar(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content)
{
    struct tm_archive archive = {0};
    struct tm_tar_reader tar;
    struct tm_tar_entry entry;
    uint64_t start = content->in->offset;
    tm_tar_reader_init(&tar, content->in, UINT64_MAX);
    tar.tolerant = is_tolerant(run);
    enum tm_status st = tm_unpack_begin(run, node);
    while (st == TM_OK && (st = next_file(run, &tar, &entry, NULL, 0)) == TM_OK)
        st = streamed_member(run, node, &archive, &entry, content);
    if (st == TM_END) {
        tm_damage_merge(&archive.damage, &tar.damage);
        tm_unpack_damage(run, node, &archive.damage);
        warn_of_end(run, node, &tar);
        st = tm_unpack_end(run, node, content->in->offset - start);
    }
    tm_tar_reader_release(&tar);
    tm_member_table_release(&archive.table);
    return st;
}

struct zip_source {
    struct tm_zip_reader *zip;
    struct tm_extent all;
    bool salvages;
};

/* Makes INPUT an input over the data of the member at PLACE. If the directory contradicts the member's own header and
 * the run salvages, uses the header and notes the damage. */
static enum tm_status open_zip_member(const struct zip_source *source, const uint64_t place[2],
                                      struct tm_damage *damage, struct tm_input *input, struct tm_error *err)
{
    uint64_t local[2];
    enum tm_status st = tm_zip_open(source->zip, place, damage, input, err);
    if (st != TM_E_INPUT || damage == NULL || !source->salvages)
        return st;
    struct tm_error why = {0};
    if ((st = tm_zip_local(source->zip, place, local, &why)) == TM_OK)
        st = tm_zip_walk_open(&source->all, local, damage, input, &why);
    if (st == TM_E_INPUT)
        return st;
    if (st == TM_OK)
        tm_damage_add(damage, 0, err);
    else
        *err = why;
    return st;
}

static enum tm_status zip_open(void *state, const struct tm_member *member, struct tm_content *content,
                               struct tm_damage *damage, struct tm_error *err)
{
    *content = tm_content_of(&content->own);
    content->size_bytes = member->size_bytes;
    enum tm_status st = open_zip_member(state, member->place, damage, &content->own, err);
    if (st == TM_OK && member->size_bytes >= TM_READ_AHEAD_MIN_BYTES)
        tm_read_ahead_start(&content->own);
    return st;
}

/* Makes a copy for a thread. A ZIP's reader has one member open at a time, so each thread needs its own. */
static enum tm_status zip_copy(void *state, void **copy, struct tm_error *err)
{
    const struct zip_source *source = state;
    struct zip_source *own = malloc(sizeof *own);
    if (own == NULL)
        return tm_error_nomem(err);
    *own = *source;
    enum tm_status st = tm_zip_new(&own->zip, &source->all, err);
    if (st == TM_OK)
        *copy = own;
    else
        free(own);
    return st;
}

static void zip_free(void *copy)
{
    struct zip_source *own = copy;
    tm_zip_free(own->zip);
    free(own);
}

static enum tm_status add_zip_member(struct tm_unpack_run *run, struct tm_archive *archive,
                                     const struct zip_source *source, const struct tm_zip_entry *entry)
{
    struct tm_damage damage = {0};
    struct tm_input input = {0};
    struct tm_member member = {.size_bytes = entry->size_bytes,
                               .place = {entry->place[0], entry->place[1]},
                               .name_text = entry->name};
    if (entry->refusal)
        return tm_archive_refuse(run, archive, &member, entry->is_damaged ? TM_REFUSAL_DAMAGED : TM_REFUSAL_UNSUPPORTED,
                                 entry->refusal);
    enum tm_status st =
        open_zip_member(source, entry->place, is_tolerant(run) ? &damage : NULL, &input, run->err);
    input.expansion = run->expansion;
    if (st == TM_OK) {
        st = tm_archive_add_tolerant(run, archive, &member, &input, &damage);
    } else if (st == TM_E_INPUT) {
        struct tm_error cause = *run->err;
        *run->err = (struct tm_error){0};
        st = tm_archive_refuse(run, archive, &member, TM_REFUSAL_DAMAGED, cause.text);
    }
    tm_input_release(&input);
    return st;
}

/* Adds the members of the ZIP to ARCHIVE. Sets *DAMAGED to true if the directory ends in damage, which the run's error
 * describes. */
static enum tm_status scan_zip(struct tm_unpack_run *run, struct tm_archive *archive, const struct zip_source *source,
                               bool *damaged)
{
    struct tm_zip_entry entry;
    enum tm_status st;
    while ((st = tm_zip_next(source->zip, &entry, run->err)) == TM_OK) {
        if (!entry.is_file || tm_member_is_hidden(entry.name, entry.name_bytes))
            continue;
        st = add_zip_member(run, archive, source, &entry);
        if (st < 0) {
            tm_error_prefix(run->err, "%s", entry.name);
            return st;
        }
    }
    *damaged = st == TM_E_INPUT && is_tolerant(run);
    if (st == TM_END || *damaged)
        return TM_OK;
    (void)tm_error_recoverable(run->err);
    return tm_unpack_halt(run, NULL, st);
}

static enum tm_status walk_open(void *state, const struct tm_member *member, struct tm_content *content,
                                struct tm_damage *damage, struct tm_error *err)
{
    *content = tm_content_of(&content->own);
    return tm_zip_walk_open(state, member->place, damage, &content->own, err);
}

/* Adds the members of a ZIP without a directory, found one by one. */
static enum tm_status walk_zip(struct tm_unpack_run *run, struct tm_archive *archive, const struct tm_extent *zip)
{
    struct tm_zip_walk *walk = calloc(1, sizeof *walk);
    struct tm_zip_entry entry;
    if (walk == NULL)
        return tm_error_nomem(run->err);
    enum tm_status st = tm_zip_walk_init(walk, zip, run->err);
    while (st == TM_OK && (st = tm_zip_walk_next(walk, &entry, run->err)) == TM_OK) {
        if (!entry.is_file || tm_member_is_hidden(entry.name, entry.name_bytes))
            continue;
        struct tm_damage damage = {0};
        struct tm_input input = {0};
        struct tm_member member = {
            .size_bytes = entry.size_bytes, .place = {entry.place[0], entry.place[1]}, .name_text = entry.name};
        st = tm_zip_walk_open(zip, entry.place, &damage, &input, run->err);
        input.expansion = run->expansion;
        if (st == TM_OK)
            st = tm_archive_add_tolerant(run, archive, &member, &input, &damage);
        tm_input_release(&input);
        if (st < 0)
            tm_error_prefix(run->err, "%s", entry.name);
    }
    archive->damage.skipped_bytes += walk->skipped_bytes;
    tm_zip_walk_release(walk);
    free(walk);
    return st == TM_END ? TM_OK : st;
}

/* Handles bytes around the ZIP, such as another ZIP in front of it: an error, or damage that is noted. */
static enum tm_status check_rest(struct tm_unpack_run *run, struct tm_archive *archive, const struct zip_source *source)
{
    const struct tm_zip_rest rest = tm_zip_rest(source->zip);
    if (rest.before == 0 && rest.after == 0)
        return TM_OK;
    tm_error_set(run->err, TM_E_INPUT, "the ZIP's directory does not describe %llu bytes in front of the ZIP and %llu "
                 "after it", (unsigned long long)rest.before, (unsigned long long)rest.after);
    if (!is_tolerant(run))
        return tm_unpack_halt(run, NULL, tm_error_recoverable(run->err));
    tm_damage_add(&archive->damage, rest.before ? 0 : source->all.len - rest.after, run->err);
    archive->damage.skipped_bytes += rest.before + rest.after;
    return TM_OK;
}

/* Finds the members of the ZIP: by its directory or, if that is damaged and the run salvages, one by one. */
static enum tm_status find_zip_members(struct tm_unpack_run *run, struct tm_archive *archive,
                                       struct zip_source *source)
{
    enum tm_status st = tm_zip_new(&source->zip, &source->all, run->err);
    if (st == TM_E_INPUT && !is_tolerant(run))
        (void)tm_error_append(run->err, " (--on-damage=salvage looks for its members)");
    bool damaged = st == TM_E_INPUT && source->salvages;
    if (st == TM_OK)
        st = check_rest(run, archive, source);
    if (st == TM_OK)
        st = scan_zip(run, archive, source, &damaged);
    if (!damaged)
        return st;
    tm_damage_add(&archive->damage, 0, run->err);
    if (!source->salvages)
        return TM_OK;
    tm_member_table_release(&archive->table);
    archive->open = walk_open;
    archive->copy_state = NULL;
    archive->state = &source->all;
    return walk_zip(run, archive, &source->all);
}

static enum tm_status unpack_zip(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content)
{
    struct tm_logcat_report report = {0};
    struct zip_source source = {.salvages = run->options->format.on_damage == TM_DAMAGE_SALVAGE};
    struct tm_archive archive = {.open = zip_open, .state = &source, .copy_state = zip_copy, .free_state = zip_free,
                                 .lacks_paths = true, .is_compressed = true};
    enum tm_status st =
        tm_unpack_halt(run, NULL, tm_content_by_place(content, NULL, run->options->temporary_dir, run->err));
    if (st < 0)
        return st;
    uint64_t len = tm_content_end(content) - content->in->offset;
    source.all = tm_content_part(content, content->in->offset, len);
    st = find_zip_members(run, &archive, &source);
    if (st == TM_OK && tm_bug_report_find(&archive, &report))
        node->report = &report;
    if (st == TM_OK)
        st = tm_archive_turns(run, node, &archive, len);
    tm_logcat_report_release(&report);
    node->report = NULL;
    if (st == TM_OK)
        st = tm_input_advance(content->in, len, run->err);
    tm_zip_free(source.zip);
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
