#include "unpack/internal.h"

#include <string.h>

struct tm_node tm_node_inside(const struct tm_node *parent, const struct tm_file_type *type, const char *name,
                              size_t name_bytes)
{
    enum tm_file_kind kind = parent->type.kind;
    bool is_archive = kind == TM_FILE_TAR || kind == TM_FILE_ZIP || kind == TM_FILE_DIRECTORY;
    return (struct tm_node){.parent = parent,
                            .type = *type,
                            .name = name,
                            .name_bytes = name_bytes,
                            .depth = parent->depth + (parent->type.is_container ? 1 : 0),
                            .in_archive = parent->in_archive || is_archive,
                            .report = parent->report};
}

bool tm_unpack_is_alone(enum tm_input_type type)
{
    return type == TM_INPUT_CTF || type == TM_INPUT_CTF_STREAM || type == TM_INPUT_NSIGHT || type == TM_INPUT_TRACE_DAT;
}

enum tm_status tm_unpack_require_order(struct tm_unpack_run *run)
{
    return run->is_worker ? tm_error_set(run->err, TM_E_SYSTEM, "must be unpacked in its order") : TM_OK;
}

void tm_unpack_count_input(struct tm_unpack_run *run, struct tm_content *content)
{
    if (content->extent.fd >= 0) {
        run->expansion->input_bytes += content->extent.len;
    } else {
        content->in->expansion = run->expansion;
        content->in->is_packed = true;
    }
}

enum tm_status tm_unpack_announce(struct tm_unpack_run *run, struct tm_node *node, uint64_t size_bytes)
{
    Tracemerge__File file = TRACEMERGE__FILE__INIT;
    run->is_final = run->is_final || run->file_count >= TM_FILES_MAX;
    if (run->file_count >= TM_FILES_MAX)
        return tm_error_set(run->err, TM_E_INPUT, "more than the limit of %d files", TM_FILES_MAX);
    file.id = node->id = run->file_count++;
    file.size_bytes = size_bytes;
    file.type = tm_bytes_str(tm_input_type_name(node->type.input_type));
    file.is_container = node->type.is_container;
    if (node->parent) {
        file.has_parent = true;
        file.parent = node->parent->id;
    } else if (run->given_name) {
        file.has_given_name = true;
        file.given_name = tm_bytes(run->given_name, strlen(run->given_name));
    }
    if (node->parent == NULL) {
        file.has_head_hash = run->has_head_hash;
        file.head_hash = run->head_hash;
    }
    file.has_rank = node->rank.is_known;
    file.rank = (uint64_t)node->rank.rank;
    file.has_world_size = node->rank.world_size > 0;
    file.world_size = (uint64_t)node->rank.world_size;
    if (node->host) {
        file.has_host = true;
        file.host = tm_bytes(node->host, strlen(node->host));
        file.has_is_host_of_several = file.is_host_of_several = node->is_host_of_several;
    }
    file.has_has_archive = file.has_archive = node->has_archive;
    file.has_name = node->name != NULL;
    file.name = tm_bytes(node->name, node->name_bytes);
    return tm_event_sink_message(run->sink, TM_FRAME_FILE, &file.base, run->err);
}

enum tm_status tm_unpack_begin_on(struct tm_unpack_run *run, struct tm_node *node, Tracemerge__ClockPolicy policy)
{
    Tracemerge__FileBegin begin = TRACEMERGE__FILE_BEGIN__INIT;
    begin.id = node->id;
    begin.processing_order = node->order = run->order++;
    node->has_begun = true;
    begin.type = tm_bytes_str(tm_input_type_name(node->type.input_type));
    begin.clock_policy = policy;
    return tm_event_sink_file_begin(run->sink, &begin, run->err);
}

enum tm_status tm_unpack_begin(struct tm_unpack_run *run, struct tm_node *node)
{
    const struct tm_format *format = node->type.format;
    return tm_unpack_begin_on(run, node, format ? format->clock_policy : TRACEMERGE__CLOCK_POLICY__NO_CLOCK);
}

/* Appends the names below the outermost file to PATH, joined by "/". */
static enum tm_status add_path(const struct tm_node *node, struct tm_buf *path)
{
    if (node->parent == NULL)
        return TM_OK;
    enum tm_status st = add_path(node->parent, path);
    if (st == TM_OK && node->name_bytes > 0 && path->len > 0)
        st = tm_buf_add_byte(path, '/');
    return st == TM_OK ? tm_buf_add(path, node->name, node->name_bytes) : st;
}

static const char *path_text(const struct tm_unpack_run *run, const struct tm_node *node, struct tm_buf *path)
{
    enum tm_status st = add_path(node, path);
    if (st == TM_OK && path->len == 0)
        st = tm_buf_add_str(path, run->outer_name ? run->outer_name : ".");
    return st == TM_OK ? tm_buf_cstr(path) : NULL;
}

/* Accounts for the damage in NODE. A place of damage counts as one event that was read and lost, because the real
 * number is unknown. */
static enum tm_status account_damage(struct tm_unpack_run *run, const struct tm_node *node)
{
    struct tm_event_sink *sink = run->sink;
    enum tm_status st = TM_OK;
    if (node->damage_count > 0)
        st = tm_event_sink_account(sink, (struct tm_loss){TM_DROP_DAMAGED, 0, node->damage_count, node->damage_byte},
                                   run->err);
    if (st == TM_OK && node->skipped_bytes > 0)
        st = tm_event_sink_account(
            sink, (struct tm_loss){TM_DROP_SKIPPED_BYTES, 0, node->skipped_bytes, node->damage_byte}, run->err);
    return st;
}

enum tm_status tm_unpack_end(struct tm_unpack_run *run, const struct tm_node *node, uint64_t size_bytes)
{
    tm_event_sink_set_file(run->sink, node->id);
    enum tm_status st = account_damage(run, node);
    if (st == TM_OK)
        st = tm_event_sink_file_end(run->sink, node->id, size_bytes, run->err);
    if (st < 0 || run->options->listed == NULL)
        return st;
    struct tm_buf path = {0};
    const char *text = path_text(run, node, &path);
    struct tm_unpack_listed listed = {
        .processing_order = node->order, .type = tm_input_type_name(node->type.input_type),
        .size_bytes = size_bytes, .path = text};
    st = text ? run->options->listed(run->options->arg, &listed, run->err) : tm_error_nomem(run->err);
    tm_buf_release(&path);
    return st;
}

void tm_unpack_place(const struct tm_unpack_run *run, const struct tm_node *node)
{
    /* A failing disk, output or memory is not the fault of the member that is being read. */
    if (run->err->status != TM_E_INPUT && !run->err->is_reading)
        return;
    if (node->parent == NULL && run->outer_name)
        tm_error_prefix(run->err, "%s", run->outer_name);
    else if (node->name_bytes > 0)
        tm_error_prefix(run->err, "%.*s", (int)node->name_bytes, node->name);
}

bool tm_unpack_may_leave(const struct tm_unpack_run *run, const struct tm_node *node)
{
    return node->in_archive && !run->is_final && tm_expansion_add(run->expansion, 0, &(struct tm_error){0}) == TM_OK;
}

enum tm_status tm_unpack_halt(struct tm_unpack_run *run, const struct tm_node *node, enum tm_status st)
{
    if (st != TM_E_INPUT || run->names_remedy)
        return st;
    const char *remedy = NULL;
    bool is_damage = run->options->format.on_damage == TM_DAMAGE_HALT &&
                     (run->err->is_recoverable || (node && tm_unpack_may_leave(run, node)));
    if (run->err->is_other_type && !run->options->ignore_unknown)
        remedy = run->err->is_recoverable && is_damage
                     ? " (--ignore-unknown leaves it out; --on-damage=salvage looks for events in it)"
                     : " (--ignore-unknown leaves it out)";
    else if (!run->err->is_other_type && is_damage)
        remedy = " (--on-damage=skip or salvage goes on)";
    if (remedy)
        (void)tm_error_append(run->err, remedy);
    run->names_remedy = remedy != NULL;
    return st;
}

void tm_unpack_warn(const struct tm_unpack_run *run, const struct tm_node *node, const struct tm_error *cause)
{
    struct tm_error text = *cause;
    struct tm_unpack_run warning = *run;
    if (run->options->warn == NULL)
        return;
    warning.err = &text;
    for (const struct tm_node *n = node; n; n = n->parent)
        tm_unpack_place(&warning, n);
    run->options->warn(run->options->arg, text.text);
}

void tm_unpack_damage(struct tm_unpack_run *run, struct tm_node *node, const struct tm_damage *damage)
{
    if (damage->count == 0)
        return;
    node->skipped_bytes += damage->skipped_bytes;
    if (node->damage_count > 0 && damage->count == 1 && damage->byte == node->damage_byte)
        return; /* the archive is cut short where the compressed data is */
    if (node->damage_count == 0)
        node->damage_byte = damage->byte;
    node->damage_count += damage->count;
    tm_unpack_warn(run, node, &damage->cause);
}
