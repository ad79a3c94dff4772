/* Reads documents: traces, the manifest, compressed streams, one after another. */
#include "base/bytes.h"
#include "base/utf8.h"
#include "unpack/foreign_type.h"
#include "unpack/internal.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* The longest padding between documents that is examined at once. */
enum { GAP_BYTES = 256 };

/* True for white space, and for zero bytes: after a crash a file may have them at its end in place of what was not
 * written. */
static bool is_padding(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0';
}

static struct tm_file_type sniff_at(const struct tm_input *in, size_t at)
{
    size_t left = in->len - at;
    return tm_file_type_sniff(in->data + at, left < TM_SNIFF_BYTES ? left : TM_SNIFF_BYTES);
}

/* True if a proto can begin at AT: a packet followed by another packet or the end, as far as the window shows. */
static bool is_packet(const struct tm_input *in, size_t at)
{
    const uint8_t *end = in->data + in->len;
    uint64_t size;
    struct tm_file_type type = sniff_at(in, at);
    if (in->data[at] != '\n' || type.kind != TM_FILE_TRACE || type.priority == TM_PRIORITY_TRACE)
        return false;
    const uint8_t *p = tm_varint_get(in->data + at + 1, end, &size);
    return p && (size >= (uint64_t)(end - p) || p[size] == '\n');
}

/* Finds where a proto begins in the GAP bytes of padding that precede something of unknown type; a proto begins
 * with a newline. Returns GAP if none does. Takes the last candidate, because the length of a packet is rarely a byte
 * of padding. */
static size_t find_packet(const struct tm_input *in, size_t gap)
{
    for (size_t i = gap; i > 0; i--)
        if (is_packet(in, i - 1))
            return i - 1;
    return gap;
}

/* After a document: skips padding up to the next one and finds its type. */
static enum tm_status sniff_next(struct tm_unpack_run *run, struct tm_input *in, struct tm_file_type *type)
{
    for (;;) {
        enum tm_status st = tm_unpack_halt(run, NULL, tm_input_fill(in, GAP_BYTES + TM_SNIFF_BYTES, run->err));
        size_t gap = 0;
        if (st < 0)
            return st;
        while (gap < in->len && gap < GAP_BYTES && is_padding(in->data[gap]))
            gap++;
        if (gap == GAP_BYTES) {
            tm_input_skip(in, GAP_BYTES / 2);
            continue;
        }
        if (gap < in->len && sniff_at(in, gap).kind == TM_FILE_UNKNOWN)
            gap = find_packet(in, gap);
        tm_input_skip(in, gap);
        *type = sniff_at(in, 0);
        return in->len == 0 ? TM_END : TM_OK;
    }
}

/* Sets in CONTEXT the file that holds or gets the text of NODE's events, if their text may be in a file. */
static enum tm_status refer(struct tm_unpack_run *run, const struct tm_node *node, const struct tm_content *content,
                            struct tm_format_context *context)
{
    const struct tm_unpack_options *options = run->options;
    Tracemerge__Source source = TRACEMERGE__SOURCE__INIT;
    struct stat info;
    bool kept = options->text_file && content->extent.fd == options->text_file->fd && !content->extent.is_shared;
    context->has_source = kept || (options->by_reference && content->extent.fd >= 0 && !content->extent.is_temporary);
    context->text_file = context->has_source ? NULL : options->text_file;
    if (!node->type.format->refers || !(context->has_source || context->text_file))
        return TM_OK;
    if (context->text_file && tm_unpack_require_order(run) < 0)
        return TM_E_SYSTEM;
    bool in_place = context->has_source && !kept;
    if (in_place && fstat(content->extent.fd, &info) != 0)
        return tm_error_errno(run->err, errno, "cannot read its type");
    source.file = node->id;
    source.device = in_place ? (uint64_t)info.st_dev : options->text_file->device;
    source.inode = in_place ? (uint64_t)info.st_ino : options->text_file->inode;
    source.has_is_temporary = source.is_temporary = !in_place;
    context->source_is_temporary = kept;
    context->source_at = content->extent.start - content->extent_at;
    return tm_event_sink_message(run->sink, TM_FRAME_SOURCE, &source.base, run->err);
}

/* Reclaims the storage of a trace from *FROM on. A trace has one turn and is not read again. */
static void reclaim_read(const struct tm_content *content, uint64_t *from)
{
    const struct tm_extent *extent = &content->extent;
    uint64_t to = content->in->offset;
    if (extent->fd < 0 || extent->reclaim == NULL || to <= *from) /* the input may have moved back */
        return;
    tm_reclaim_add(extent->reclaim, extent->start + (*from - content->extent_at), to - *from);
    *from = to;
}

/* Sets in CONTEXT the remaining bytes of CONTENT, for reading at any offset. */
static enum tm_status show_whole(struct tm_unpack_run *run, struct tm_content *content,
                                 struct tm_format_context *context)
{
    enum tm_status st =
        tm_unpack_halt(run, NULL, tm_content_by_place(content, NULL, run->options->temporary_dir, run->err));
    if (st < 0)
        return st;
    uint64_t at = content->in->offset;
    context->input = content->in;
    context->whole = tm_content_part(content, at, tm_content_end(content) - at);
    return TM_OK;
}

/* Begins the turn of NODE and opens its parser. A by_place parser is opened before the turn begins, because it may
 * state the clock of the file, or (TM_END) that the file has another format. */
static enum tm_status open_trace(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content,
                                 struct tm_format_context *context, void **state)
{
    const struct tm_format *format = node->type.format;
    bool in_order = tm_unpack_is_alone(format->type) || context->report;
    enum tm_status st = in_order ? tm_unpack_require_order(run) : TM_OK;
    if (st < 0)
        return st;
    if (!format->by_place) {
        if ((st = tm_unpack_begin(run, node)) == TM_OK && (st = refer(run, node, content, context)) == TM_OK)
            st = format->open(context, state, run->err);
        return st;
    }
    if ((st = show_whole(run, content, context)) != TM_OK ||
        (st = tm_unpack_halt(run, node, format->open(context, state, run->err))) != TM_OK)
        return st;
    return format->policy_of ? tm_unpack_begin_on(run, node, format->policy_of(*state)) : tm_unpack_begin(run, node);
}

/* Returns the name of NODE, or of the compressed file that it is in. */
static struct tm_text name_of(const struct tm_unpack_run *run, const struct tm_node *node)
{
    while (node && (node->name == NULL || node->name_bytes == 0))
        node = node->parent;
    if (node)
        return tm_text_at(node->name, node->name_bytes);
    return run->given_name ? tm_text_str(run->given_name) : (struct tm_text){0};
}

/* Parses a trace. TM_END: CONTENT is not of NODE's format; the run's error tells why. */
static enum tm_status parse_trace(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content)
{
    const struct tm_format *format = node->type.format;
    struct tm_format_context context = {
        .sniff = tm_format_sniff, .input = content->in, .sink = run->sink, .options = &run->options->format,
        .expansion = run->expansion,
        .now_s = run->options->now_s,
        .report = format->reads_report ? node->report : NULL,
        .path = content->in->offset == 0 ? content->path : NULL,
        .name = name_of(run, node),
        .has_folder = content->has_folder,
        .temporary_dir = run->options->temporary_dir,
        .whole = {.fd = -1}};
    void *state = NULL;
    uint64_t reclaimed = content->in->offset, end = 0;
    enum tm_status st = open_trace(run, node, content, &context, &state);
    if (st == TM_END) {
        format->close(state);
        return st;
    }
    tm_event_sink_file_reads(run->sink, format->by_place ? &end : &content->in->offset);
    end = context.whole.len;
    while (st == TM_OK) {
        uint64_t before = content->in->offset;
        st = tm_unpack_halt(run, node, format->read(state, run->err));
        reclaim_read(content, &reclaimed);
        if (st != TM_END || !format->appends || content->in->offset == before)
            continue;
        enum tm_status more = tm_input_fill(content->in, TM_SNIFF_BYTES, run->err);
        if (more < 0)
            st = more;
        else if (content->in->len > 0 && sniff_at(content->in, 0).format == format)
            st = TM_OK;
    }
    format->close(state);
    tm_event_sink_file_reads(run->sink, NULL);
    if (st == TM_END && format->by_place)
        st = tm_input_advance(content->in, tm_content_end(content) - content->in->offset, run->err);
    return st == TM_END ? TM_OK : st;
}

/* Reads CONTENT to its end. */
static enum tm_status pass_over(struct tm_unpack_run *run, struct tm_content *content)
{
    enum tm_status st;
    if (content->extent.fd >= 0)
        return tm_input_advance(content->in, tm_content_end(content) - content->in->offset, run->err);
    while ((st = tm_input_fill(content->in, 1, run->err)) == TM_OK)
        tm_input_skip(content->in, content->in->len);
    return st == TM_END ? TM_OK : st;
}

/* Takes padding at the end of CONTENT as part of its last document. */
static enum tm_status take_padding(struct tm_unpack_run *run, struct tm_content *content)
{
    struct tm_input *in = content->in;
    enum tm_status st = tm_input_fill(in, TM_SNIFF_BYTES, run->err);
    uint64_t rest = in->len;
    if (st < 0)
        return st;
    if (content->extent.fd >= 0 && tm_content_end(content) - in->offset < rest)
        rest = tm_content_end(content) - in->offset;
    else if (st != TM_END)
        return TM_OK;
    for (uint64_t i = 0; i < rest; i++)
        if (!is_padding(in->data[i]))
            return TM_OK;
    tm_input_skip(in, (size_t)rest);
    return TM_OK;
}

/* Ends the turn of NODE, which began at START of CONTENT and is of unknown type. Skips the rest of CONTENT. */
static enum tm_status leave_out(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content,
                                uint64_t start)
{
    enum tm_status st = pass_over(run, content);
    if (st == TM_OK)
        st = tm_event_sink_account(run->sink, (struct tm_loss){TM_DROP_UNKNOWN_TYPE, 0, 1, start}, run->err);
    if (st == TM_OK && content->in->offset > start)
        st = tm_event_sink_account(
            run->sink, (struct tm_loss){TM_DROP_SKIPPED_BYTES, 0, content->in->offset - start, start}, run->err);
    return st == TM_OK ? tm_unpack_end(run, node, content->in->offset - start) : st;
}

/* Runs the turn of NODE without reading its content. */
static enum tm_status left_out_turn(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content)
{
    enum tm_status st = tm_unpack_begin(run, node);
    return st == TM_OK ? leave_out(run, node, content, content->in->offset) : st;
}

/* Runs the turn of a file that looked like a trace and is something else. The run's error tells why. */
static enum tm_status other_turn(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content)
{
    if (!run->options->ignore_unknown && !run->options->list)
        return tm_error_append(run->err, " (--ignore-unknown leaves it out)");
    *run->err = (struct tm_error){0};
    node->type = tm_file_type_unknown();
    return left_out_turn(run, node, content);
}

static enum tm_status trace_turn(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content)
{
    uint64_t start = content->in->offset;
    run->trace_seen = true;
    /* A listing need not read a member whose size is known. */
    if (run->options->list && node->in_archive && start == 0 && content->size_bytes != UINT64_MAX) {
        enum tm_status begun = tm_unpack_begin(run, node);
        return begun == TM_OK ? tm_unpack_end(run, node, content->size_bytes) : begun;
    }
    if (node->type.format->is_text)
        tm_input_skip(content->in, tm_utf8_mark(content->in->data, content->in->len));
    enum tm_status st = parse_trace(run, node, content);
    if (st == TM_END)
        return other_turn(run, node, content);
    if (st == TM_E_INPUT && run->err->is_other_type && run->options->ignore_unknown) {
        *run->err = (struct tm_error){0};
        return leave_out(run, node, content, start);
    }
    if (st == TM_OK)
        st = take_padding(run, content);
    return st == TM_OK ? tm_unpack_end(run, node, content->in->offset - start) : st;
}

static enum tm_status unknown_turn(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content)
{
    uint64_t start = content->in->offset;
    if (!run->options->ignore_unknown && !run->options->list) {
        const struct tm_input *in = content->in;
        size_t head = in->len < TM_SNIFF_BYTES ? in->len : TM_SNIFF_BYTES;
        return start == 0
                   ? tm_error_set(run->err, TM_E_INPUT, TM_UNKNOWN_MESSAGE, tm_foreign_type_cause(in->data, head))
                   : tm_error_at(
                         run->err, start,
                         "damaged, or of unknown trace type, after a document (--ignore-unknown leaves it out)");
    }
    return left_out_turn(run, node, content);
}

/* The state of the scan for the end of a JSON document. */
struct json_end {
    size_t at;
    unsigned depth;
    bool in_string, escaped, ended;
};

/* Scans on to the end of the document, by its strings and brackets. */
static void scan_json(struct json_end *scan, const uint8_t *data, size_t len)
{
    for (; scan->at < len && !scan->ended; scan->at++) {
        uint8_t c = data[scan->at];
        if (scan->in_string) {
            bool closes = c == '"' && !scan->escaped;
            scan->escaped = c == '\\' && !scan->escaped;
            scan->in_string = !closes;
        } else if (c == '"') {
            scan->in_string = true;
        } else if (c == '{' || c == '[') {
            scan->depth++;
        } else if ((c == '}' || c == ']') && scan->depth > 0) {
            scan->ended = --scan->depth == 0;
        }
    }
}

/* Reads the manifest's text at the window's front, *LEN bytes. In an archive it ends with the member. Otherwise another
 * document may follow, and it ends with its closing brace. Only brackets and strings are followed here. tm-manifest,
 * which gets manifests from elsewhere too, checks the syntax (manifest/json_text.h). */
static enum tm_status manifest_text(struct tm_unpack_run *run, struct tm_input *in, bool to_end, size_t *len)
{
    struct json_end scan = {0};
    for (size_t need = TM_SNIFF_BYTES;; need = in->len * 2) {
        enum tm_status st = tm_input_fill(in, need, run->err);
        if (st < 0)
            return st;
        if (!to_end)
            scan_json(&scan, in->data, in->len);
        if (scan.ended || st == TM_END) {
            *len = scan.ended ? scan.at : in->len;
            if (*len <= TM_MANIFEST_BYTES_MAX)
                return TM_OK;
        }
        if (in->len > TM_MANIFEST_BYTES_MAX)
            return tm_error_set(run->err, TM_E_INPUT, "perfetto_manifest: larger than the limit of %d bytes",
                                TM_MANIFEST_BYTES_MAX);
    }
}

static enum tm_status manifest_turn(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content)
{
    Tracemerge__Manifest manifest = TRACEMERGE__MANIFEST__INIT;
    size_t len = 0;
    if (tm_unpack_require_order(run) < 0)
        return TM_E_SYSTEM;
    if (run->trace_seen && run->manifest_of[0])
        return tm_error_set(run->err, TM_E_INPUT,
                            "perfetto_manifest: perfetto_manifest file must be the first trace file in the input; the "
                            "manifest of %s came first, and a merge has only one; remove this one, or remove both and "
                            "give one for all with -m",
                            run->manifest_of);
    if (run->trace_seen)
        return tm_error_set(run->err, TM_E_INPUT,
                            "perfetto_manifest: perfetto_manifest file must be the first trace file in the input");
    const struct tm_node *archive = node->parent && node->parent->name_bytes ? node->parent : node;
    tm_text_escape(archive->name_bytes ? archive->name : "-", archive->name_bytes ? archive->name_bytes : 1,
                   run->manifest_of, sizeof run->manifest_of);
    enum tm_status st = manifest_text(run, content->in, node->in_archive, &len);
    if (st == TM_OK)
        st = tm_unpack_begin(run, node);
    if (st < 0)
        return st;
    manifest.has_file = true;
    manifest.file = node->id;
    manifest.text = tm_bytes(content->in->data, len);
    st = tm_event_sink_message(run->sink, TM_FRAME_MANIFEST, &manifest.base, run->err);
    tm_input_skip(content->in, len);
    return st == TM_OK ? tm_unpack_end(run, node, len) : st;
}

/* Runs the turn of an archive. Inside another one it counts as expansion by itself, because opening it takes time even
 * if no member is read. */
static enum tm_status archive_turn(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content)
{
    if (node->depth > 0 && tm_expansion_add(run->expansion, TM_EXPANSION_OF_ARCHIVE, run->err) < 0)
        return TM_E_INPUT;
    return tm_unpack_archive(run, node, content);
}

/* Runs the turn of NODE, according to its type. */
static enum tm_status turn(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content)
{
    if (node->type.is_container && node->depth >= TM_DEPTH_MAX)
        return tm_error_set(run->err, TM_E_INPUT, "containers nest deeper than %d", TM_DEPTH_MAX);
    enum tm_status st = TM_OK;
    switch (node->type.kind) {
    case TM_FILE_TAR:
    case TM_FILE_ZIP:
        return archive_turn(run, node, content);
    case TM_FILE_GZIP:
    case TM_FILE_ZSTD:
    case TM_FILE_CTRACE:
        return tm_unpack_compressed(run, node, content);
    case TM_FILE_MANIFEST:
        st = manifest_turn(run, node, content);
        break;
    case TM_FILE_TRACE:
        return trace_turn(run, node, content);
    case TM_FILE_DIRECTORY:
    case TM_FILE_UNKNOWN:
        st = unknown_turn(run, node, content);
        break;
    }
    /* The result of a merge depends on its manifest and on the types of its files, so an error here stops the run. */
    run->is_final = run->is_final || st < 0;
    return st;
}

/* Announces a further document inside PARENT: *NODE becomes its row, of TYPE, with NAME (NULL: none). */
static enum tm_status next_row(struct tm_unpack_run *run, struct tm_node *node, const struct tm_node *parent,
                               const struct tm_file_type *type, const struct tm_buf *name)
{
    *node = tm_node_inside(parent, type, name ? (const char *)name->data : "", name ? name->len : 0);
    return tm_unpack_announce(run, node, 0);
}

/* True if the other files are merged although the turn of NODE ended with ST, an error. */
static bool continues(const struct tm_unpack_run *run, const struct tm_node *node, enum tm_status st)
{
    return st == TM_E_INPUT && run->options->format.on_damage != TM_DAMAGE_HALT && tm_unpack_may_leave(run, node);
}

/* Ends the turn of NODE, which began at START of CONTENT and cannot be read further. Skips the rest of CONTENT. */
static enum tm_status give_up(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content,
                              uint64_t start)
{
    struct tm_damage damage = {0};
    tm_damage_add(&damage, content->in->offset - start, run->err);
    enum tm_status st = node->has_begun ? TM_OK : tm_unpack_begin(run, node);
    tm_unpack_damage(run, node, &damage);
    if (st == TM_OK)
        st = tm_unpack_end(run, node, content->in->offset - start);
    if (st == TM_OK && (st = pass_over(run, content)) == TM_E_INPUT) {
        *run->err = (struct tm_error){0};
        st = TM_OK;
    }
    return st < 0 ? st : TM_END;
}

/* Runs the turn of NODE. The turn must consume some of CONTENT; otherwise the same document would be found again.
 * TM_END: the rest of CONTENT was skipped. */
static enum tm_status turn_and_advance(struct tm_unpack_run *run, struct tm_node *node, struct tm_content *content)
{
    uint64_t start = content->in->offset;
    enum tm_status st = turn(run, node, content);
    if (st < 0 && continues(run, node, st))
        return give_up(run, node, content, start);
    if (st == TM_OK && content->in->offset == start && content->in->len > 0)
        st = tm_error_at(run->err, start, "nothing can be read of what seems to be %s",
                         tm_input_type_name(node->type.input_type));
    return st;
}

enum tm_status tm_unpack_documents(struct tm_unpack_run *run, struct tm_content *content, struct tm_node *first,
                                   const struct tm_node *parent, struct tm_gzip_reader *gzip)
{
    struct tm_node node;
    struct tm_file_type type;
    bool unread = run->options->list && first && first->in_archive && content->size_bytes != UINT64_MAX;
    enum tm_status st = tm_unpack_halt(run, NULL, tm_input_fill(content->in, TM_SNIFF_BYTES, run->err));
    if (st < 0) {
        if (first)
            tm_unpack_place(run, first);
        return st;
    }
    type = sniff_at(content->in, 0);
    if (first) {
        node = *first;
        node.type = first->has_placed_type ? first->type : type;
        unread = unread && node.type.kind == TM_FILE_TRACE;
        st = unread ? turn(run, &node, content) : turn_and_advance(run, &node, content);
    } else {
        st = next_row(run, &node, parent, &type, gzip ? &gzip->name : NULL);
        st = st == TM_OK ? turn_and_advance(run, &node, content) : st;
    }
    while (st == TM_OK && !unread) {
        uint64_t ended = content->in->offset;
        st = sniff_next(run, content->in, &type);
        if (st == TM_OK) {
            bool named = gzip && tm_gzip_is_start(gzip, ended, content->in->offset);
            st = next_row(run, &node, first ? first : parent, &type, named ? &gzip->name : NULL);
        }
        st = st == TM_OK ? turn_and_advance(run, &node, content) : st;
    }
    if (st >= 0)
        return TM_OK;
    tm_unpack_place(run, &node);
    if (first && node.id != first->id)
        tm_unpack_place(run, first);
    return st;
}
