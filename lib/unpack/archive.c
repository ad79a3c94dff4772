#include "unpack/archive.h"

#include "unpack/foreign_type.h"
#include "unpack/jobs.h"
#include "unpack/trace_folder.h"

#include <stdio.h>
#include <string.h>

/* Finds the type of MEMBER, whose first bytes are at the front of IN. */
static enum tm_status sniff_member(struct tm_unpack_run *run, struct tm_member *member, struct tm_input *in,
                                   uint64_t want)
{
    size_t n = want < TM_SNIFF_BYTES ? (size_t)want : TM_SNIFF_BYTES;
    enum tm_status st = tm_input_fill(in, n, run->err);
    if (st < 0)
        return st;
    n = in->len < n ? in->len : n;
    member->type = tm_file_type_sniff(in->data, n);
    if (member->type.kind == TM_FILE_UNKNOWN)
        member->unknown_cause = tm_foreign_type_cause(in->data, n);
    return TM_OK;
}

/* Adds MEMBER, whose type is known, with what its first bytes state. */
static enum tm_status add_member(struct tm_unpack_run *run, struct tm_archive *archive, struct tm_member *member,
                                 struct tm_input *in, uint64_t want)
{
    struct tm_stated stated = {0};
    enum tm_status st = tm_stated_read(&stated, &member->type, in, want, run->err);
    member->rank = stated.rank;
    member->host_text = stated.host.name[0] ? stated.host.name : NULL;
    member->is_host_of_several = stated.host.is_one_of_several;
    member->has_archive = stated.is_archive;
    return st == TM_OK ? tm_member_table_add(&archive->table, member, run->err) : st;
}

enum tm_status tm_archive_add(struct tm_unpack_run *run, struct tm_archive *archive, struct tm_member *member,
                              struct tm_input *in, uint64_t want)
{
    enum tm_status st = sniff_member(run, member, in, want);
    return st == TM_OK ? add_member(run, archive, member, in, want) : st;
}

enum tm_status tm_archive_add_tolerant(struct tm_unpack_run *run, struct tm_archive *archive,
                                       struct tm_member *member, struct tm_input *in, const struct tm_damage *damage)
{
    enum tm_status st = sniff_member(run, member, in, UINT64_MAX);
    if (damage->count > 0 && member->type.kind == TM_FILE_UNKNOWN && (st == TM_OK || st == TM_E_INPUT)) {
        *run->err = (struct tm_error){0};
        member->unknown_cause = NULL;
        return tm_archive_refuse(run, archive, member, TM_REFUSAL_DAMAGED, damage->cause.text);
    }
    return st == TM_OK ? add_member(run, archive, member, in, UINT64_MAX) : st;
}

/* True if the run leaves out members for REFUSAL: those that are damaged if it goes on after damage, those that are not
 * supported if it goes on after damage or after unknown types. */
static bool continues(const struct tm_unpack_run *run, enum tm_refusal refusal)
{
    return run->options->format.on_damage != TM_DAMAGE_HALT ||
           (refusal == TM_REFUSAL_UNSUPPORTED && (run->options->ignore_unknown || run->options->list));
}

enum tm_status tm_archive_refuse(struct tm_unpack_run *run, struct tm_archive *archive, struct tm_member *member,
                                 enum tm_refusal refusal, const char *cause)
{
    if (!continues(run, refusal)) {
        tm_error_set(run->err, TM_E_INPUT, "%s", cause);
        if (refusal == TM_REFUSAL_UNSUPPORTED)
            return tm_error_append(run->err, " (--ignore-unknown leaves it out)");
        return tm_unpack_halt(run, NULL, tm_error_recoverable(run->err));
    }
    member->type = tm_file_type_unknown();
    member->reason = refusal == TM_REFUSAL_UNSUPPORTED ? TM_DROP_UNSUPPORTED : TM_DROP_DAMAGED;
    member->cause_text = cause;
    return tm_member_table_add(&archive->table, member, run->err);
}

static void warn_of_cause(const struct tm_unpack_run *run, const struct tm_node *node,
                          const struct tm_member_table *table, const struct tm_member *member)
{
    struct tm_error cause = {0};
    if (member->cause > 0) {
        tm_error_set(&cause, TM_E_INPUT, "%s", tm_member_cause(table, member));
        tm_unpack_warn(run, node, &cause);
    }
}

enum tm_status tm_archive_refused_turn(struct tm_unpack_run *run, struct tm_node *node,
                                       const struct tm_member_table *table, const struct tm_member *member)
{
    enum tm_status st = tm_unpack_begin(run, node);
    if (st == TM_OK)
        st = tm_event_sink_account(run->sink, (struct tm_loss){member->reason, 0, 1, 0}, run->err);
    warn_of_cause(run, node, table, member);
    return st == TM_OK ? tm_unpack_end(run, node, 0) : st;
}

/* Runs the turn of MEMBER without reading it. */
static enum tm_status unread_turn(struct tm_unpack_run *run, struct tm_node *node, const struct tm_member *member)
{
    enum tm_status st = tm_unpack_begin(run, node);
    return st == TM_OK ? tm_unpack_end(run, node, member->size_bytes) : st;
}

/* Runs the turn of MEMBER. With PATH its bytes are also in that file. */
static enum tm_status data_turn(struct tm_unpack_run *run, struct tm_archive *archive, struct tm_node *node,
                                const struct tm_member *member, const char *path)
{
    struct tm_content content;
    struct tm_damage damage = {0};
    bool tolerant = run->options->format.on_damage != TM_DAMAGE_HALT;
    if (member->missing_bytes > 0) {
        struct tm_error why = {0};
        tm_error_set(&why, TM_E_INPUT, "byte %llu: cut short, %llu bytes are missing",
                     (unsigned long long)member->size_bytes, (unsigned long long)member->missing_bytes);
        tm_damage_add(&damage, member->size_bytes, &why);
        tm_unpack_damage(run, node, &damage);
        damage = (struct tm_damage){0};
    }
    enum tm_status st = archive->open(archive->state, member, &content, tolerant ? &damage : NULL, run->err);
    if (st == TM_OK && archive->is_compressed)
        content.in->expansion = run->expansion;
    if (st == TM_OK && path) {
        content.path = path;
        content.has_folder = true;
    }
    if (st == TM_OK && run->is_worker)
        content.extent.reclaim = NULL; /* the turn may have to be run again */
    if (st == TM_E_INPUT && tolerant) {
        /* A member that cannot be opened has a turn too, so that it is accounted for. */
        tm_damage_add(&damage, 0, run->err);
        tm_content_release(&content);
        st = tm_unpack_begin(run, node);
        tm_unpack_damage(run, node, &damage);
        return st == TM_OK ? tm_unpack_end(run, node, 0) : st;
    }
    (void)tm_error_recoverable(run->err);
    if (tm_unpack_halt(run, NULL, st) < 0)
        tm_unpack_place(run, node);
    else
        st = run->read_documents(run, &content, node, NULL, NULL);
    tm_content_release(&content);
    if (damage.count > 0) {
        tm_error_prefix(&damage.cause, "%s", node->name);
        tm_damage_merge(&archive->damage, &damage);
    }
    return st;
}

/* Runs the turn of MEMBER, the metadata of a trace that is a folder. */
static enum tm_status folder_turn(struct tm_unpack_run *run, struct tm_archive *archive, struct tm_node *node,
                                  const struct tm_member *member)
{
    struct tm_temporary_folder folder = {.remover = 0};
    char path[sizeof folder.path + sizeof "/metadata"];
    enum tm_status st = tm_unpack_require_order(run);
    if (st == TM_OK)
        st = tm_trace_folder_copy(run, archive, member, &folder);
    if (tm_unpack_halt(run, NULL, st) < 0) {
        tm_unpack_place(run, node);
    } else {
        (void)snprintf(path, sizeof path, "%s/metadata", folder.path);
        st = data_turn(run, archive, node, member, path);
    }
    tm_temporary_folder_close(&folder);
    return st;
}

static enum tm_status member_turn(struct tm_unpack_run *run, struct tm_archive *archive, struct tm_node *node,
                                  const struct tm_member *member)
{
    if (member->reason)
        return tm_archive_refused_turn(run, node, &archive->table, member);
    warn_of_cause(run, node, &archive->table, member);
    if (member->is_left_out)
        return unread_turn(run, node, member);
    /* The events of a stream of a trace folder are read in the turn of the folder's metadata. */
    if (tm_trace_folder_is_part(&archive->table, member)) {
        run->trace_seen = true;
        return unread_turn(run, node, member);
    }
    /* A listing does not need the copy. */
    if (archive->lacks_paths && !run->options->list && tm_trace_folder_is_metadata(&archive->table, member))
        return folder_turn(run, archive, node, member);
    return data_turn(run, archive, node, member, NULL);
}

/* Sets the types of members whose bytes do not show them. Returns the first member of unknown type that the options do
 * not leave out; NULL if there is none. */
static const struct tm_member *settle_types(const struct tm_unpack_run *run, struct tm_member_table *table)
{
    bool continues = run->options->ignore_unknown || run->options->list;
    tm_trace_folder_find(table);
    for (uint32_t i = 0; i < table->count; i++) {
        struct tm_member *member = &table->members[i];
        if (member->unknown_cause == NULL)
            continue;
        if (tm_trace_folder_has(table, member))
            member->type = tm_file_type_part();
        else if (!continues)
            return member;
    }
    return NULL;
}

/* The error (TM_E_INPUT) that MEMBER of ARCHIVE is of unknown type. */
static enum tm_status unknown_type(const struct tm_unpack_run *run, const struct tm_archive *archive,
                                   const struct tm_member *member)
{
    const char *path = archive->path_of ? archive->path_of(archive->state, member)
                                        : tm_member_name(&archive->table, member);
    const char *cause = tm_foreign_type_place_cause(path);
    tm_error_set(run->err, TM_E_INPUT, TM_UNKNOWN_MESSAGE, cause ? cause : member->unknown_cause);
    return tm_error_prefix(run->err, "%s", path);
}

/* Runs the turn of the member that is number I in order of processing. */
static enum tm_status ordered_turn(const struct tm_turns *turns, struct tm_unpack_run *run, struct tm_archive *archive,
                                   uint32_t i)
{
    const struct tm_member_table *table = &archive->table;
    const struct tm_member *member = &table->members[table->order[i]];
    struct tm_node row = tm_node_inside(turns->node, &member->type, tm_member_name(table, member), member->name_bytes);
    row.id = turns->first_id + table->order[i];
    row.has_placed_type = member->has_placed_type;
    return member_turn(run, archive, &row, member);
}

/* Runs all turns, by threads where the options ask for them. */
static enum tm_status run_turns(struct tm_unpack_run *run, const struct tm_turns *turns)
{
    struct tm_stream_writer *writer = run->sink->writer;
    struct tm_jobs *jobs;
    enum tm_status st = tm_jobs_start(&jobs, run, turns);
    for (uint32_t i = 0; st == TM_OK && i < turns->archive->table.count; i++) {
        if ((st = tm_jobs_turn(jobs, i)) != TM_END)
            continue;
        st = ordered_turn(turns, run, turns->archive, i);
        if (st == TM_OK && writer->passed_over > 0)
            st = tm_error_set(run->err, TM_E_INPUT, "%s: changed while it was read",
                              tm_member_name(&turns->archive->table, &turns->archive->table.members[
                                             turns->archive->table.order[i]]));
        writer->passed_over = 0;
    }
    tm_jobs_free(jobs);
    return st;
}

/* Runs the turns of the manifests, which are first in order of processing, and lets the next stage read them. */
static enum tm_status run_manifest_turns(struct tm_unpack_run *run, const struct tm_turns *turns)
{
    const struct tm_member_table *table = &turns->archive->table;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st == TM_OK && i < table->count; i++) {
        if (table->members[table->order[i]].type.kind != TM_FILE_MANIFEST)
            break;
        st = ordered_turn(turns, run, turns->archive, i);
    }
    return st == TM_OK ? tm_frame_flush(&run->sink->writer->frames, run->err) : st;
}

enum tm_status tm_archive_turns(struct tm_unpack_run *run, struct tm_node *node, struct tm_archive *archive,
                                uint64_t size_bytes)
{
    const struct tm_member_table *table = &archive->table;
    struct tm_turns turns = {archive, node, run->file_count, ordered_turn};
    enum tm_status st = tm_member_table_sort(&archive->table, run->err);
    const struct tm_member *unknown = st == TM_OK ? settle_types(run, &archive->table) : NULL;
    for (uint32_t i = 0; st == TM_OK && i < table->count; i++) {
        const struct tm_member *member = &table->members[i];
        struct tm_node row = tm_node_inside(node, &member->type, tm_member_name(table, member), member->name_bytes);
        row.rank = member->rank;
        row.host = tm_member_host(table, member);
        row.is_host_of_several = member->is_host_of_several;
        row.has_archive = member->has_archive;
        st = tm_unpack_announce(run, &row, member->size_bytes);
    }
    if (st == TM_OK)
        st = tm_unpack_begin(run, node);
    if (st == TM_OK && archive->left_out_count > 0)
        st = tm_event_sink_stat(run->sink, "bugreport_files_not_read", TRACEMERGE__SEVERITY__INFO,
                                archive->left_out_count, run->err);
    if (st == TM_OK)
        st = unknown ? run_manifest_turns(run, &turns) : run_turns(run, &turns);
    if (st == TM_OK && unknown)
        return unknown_type(run, archive, unknown);
    tm_unpack_damage(run, node, &archive->damage);
    return st == TM_OK ? tm_unpack_end(run, node, size_bytes) : st;
}
