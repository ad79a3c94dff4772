#include "manifest/configure.h"

#include "manifest/draft_options.h"
#include "manifest/file_match.h"
#include "manifest/machine_rule.h"
#include "stream/pass.h"

struct configure {
    const struct tm_configure_options *options;
    struct tm_stream_reader reader;
    struct tm_stream_writer writer;
    struct tm_file_match match;
    struct tm_manifest manifest; /* the manifest of the input, or one made from the options */
    struct tm_buf text;          /* the manifest's text */
    struct tm_manifest_quoted source; /* path of the manifest in use; empty: it was made from options */
    bool is_of_input;            /* the manifest in use came with the input */
    bool passes;                 /* true: the stream is already configured and passes unchanged */
    bool configured;             /* a Config frame has been written */
    bool trace_began;
};

/* Puts the path of FILE, a manifest, in front of the error. */
static enum tm_status of_file(struct configure *c, uint32_t file, struct tm_error *err)
{
    struct tm_manifest_quoted path = tm_file_match_path(&c->match, file);
    return path.text[0] ? tm_error_prefix(err, "%s", path.text) : err->status;
}

/* Puts the path of the manifest in use in front of the error. */
static enum tm_status of_manifest(struct configure *c, struct tm_error *err)
{
    return c->source.text[0] ? tm_error_prefix(err, "%s", c->source.text) : err->status;
}

/* Warns of LINE, a problem of the manifest in use. */
static void warn_of(struct configure *c, const char *line)
{
    struct tm_error text = {0};
    tm_error_set(&text, TM_E_INPUT, "%s", line);
    of_manifest(c, &text);
    c->options->warn(text.text);
}

/* Notes where the manifest came from: FILE, or if that is NULL -m or options. */
static void note_source(struct configure *c, const uint32_t *file)
{
    const char *given = c->options->given && c->options->given_name ? c->options->given_name : "";
    c->is_of_input = file != NULL;
    c->source = file ? tm_file_match_path(&c->match, *file) : tm_manifest_quote(given, strlen(given));
}

static enum tm_status write_file_config(struct configure *c, uint32_t file, struct tm_error *err)
{
    Tracemerge__FileConfig frame = TRACEMERGE__FILE_CONFIG__INIT;
    frame.file = file;
    frame.entry = tm_file_match_entry(&c->match, file);
    return frame.entry == TM_NO_ENTRY ? TM_OK
                                      : tm_stream_write_message(&c->writer, TM_FRAME_FILE_CONFIG, &frame.base, err);
}

/* Writes the Config of MANIFEST, which came as FILE or with -m, and the entries of the files known so far. */
static enum tm_status apply(struct configure *c, const struct tm_manifest *manifest, const uint32_t *file,
                            struct tm_error *err)
{
    Tracemerge__ClockLines lines = TRACEMERGE__CLOCK_LINES__INIT;
    Tracemerge__Config config = manifest->config.message;
    config.has_file = file != NULL;
    config.file = file ? *file : 0;
    note_source(c, file);
    enum tm_status st = tm_file_match_configure(&c->match, manifest, file, err);
    if (st == TM_E_INPUT)
        of_manifest(c, err);
    const char *line = NULL;
    while (c->options->warn && (line = tm_manifest_problems_next(&manifest->warnings, line)) != NULL)
        warn_of(c, line);
    if (st == TM_OK && c->options->used &&
        tm_buf_add(c->options->used, manifest->source, manifest->source_len) != TM_OK)
        st = tm_error_nomem(err);
    if (st == TM_OK && manifest->config.has_lines)
        st = tm_stream_write_message(&c->writer, TM_FRAME_CLOCK_LINES, &lines.base, err);
    if (st == TM_OK)
        st = tm_stream_write_message(&c->writer, TM_FRAME_CONFIG, &config.base, err);
    for (uint32_t i = 0; i < c->match.file_count && st == TM_OK; i++)
        st = write_file_config(c, i, err);
    c->configured = true;
    return st;
}

/* Applies the manifest that was given. */
static enum tm_status apply_given(struct configure *c, struct tm_error *err)
{
    struct tm_intern names;
    enum tm_status st = TM_OK;
    tm_intern_init(&names, 1 << 30, SIZE_MAX / 2);
    if (c->options->present)
        st = tm_file_match_names(&c->match, &names, err);
    if (st == TM_OK && c->options->present)
        st = tm_manifest_keep(c->options->given, &names, err);
    tm_intern_release(&names);
    return st == TM_OK ? apply(c, c->options->given, NULL, err) : st;
}

static bool needs_manifest(const struct configure *c)
{
    return c->options->draft_options && tm_draft_options_need_manifest(c->options->draft_options);
}

/* Makes a manifest from the options and the files known now. If the options state nothing, no manifest is used, but
 * its text may still be wanted, because it lists the files. */
static enum tm_status make_draft(struct configure *c, struct tm_error *err)
{
    static const struct tm_draft_options nothing = {0};
    struct tm_draft draft = {0};
    char missing[200];
    bool wants_text = c->options->used != NULL;
    enum tm_status st = tm_file_match_draft(&c->match, &draft, err);
    if (st == TM_OK)
        st = tm_draft_options_apply(c->options->draft_options ? c->options->draft_options : &nothing, &draft, err);
    bool is_set = tm_draft_is_set(&draft);
    if (st == TM_OK && (is_set || wants_text || needs_manifest(c)))
        st = tm_draft_manifest(&draft, &c->text, err);
    if (st == TM_OK && is_set && draft.is_natural && c->options->warn &&
        tm_machine_rule_missing(&draft, missing, sizeof missing))
        c->options->warn(missing);
    tm_draft_release(&draft);
    if (st < 0 || c->text.len == 0)
        return st;
    st = tm_manifest_read(&c->manifest, c->text.data, c->text.len, err);
    return st == TM_OK ? apply(c, &c->manifest, NULL, err) : st;
}

static enum tm_status on_manifest(struct configure *c, const struct tm_frame *frame, struct tm_error *err)
{
    if (c->options->replaces && !c->passes)
        return TM_OK;
    if (needs_manifest(c))
        return tm_error_set(err, TM_E_USAGE, "the input has a manifest; %s would make another: write it with "
                                             "--write-manifest, change it, and use it with --replace -m",
                            tm_draft_option_name(c->options->draft_options->all[0].id));
    if (c->trace_began)
        return tm_error_set(err, TM_E_INPUT,
                            "perfetto_manifest: perfetto_manifest file must be the first trace file in the input");
    Tracemerge__Manifest *message =
        (Tracemerge__Manifest *)tm_frame_message(frame, &tracemerge__manifest__descriptor, err);
    if (message == NULL)
        return err->status;
    uint32_t file = message->file;
    const uint32_t *from = message->has_file ? &file : NULL;
    if (c->passes || c->configured || c->options->given) {
        tracemerge__manifest__free_unpacked(message, NULL);
        tm_error_set(err, TM_E_INPUT, "perfetto_manifest: multiple perfetto_manifest files in archive%s",
                     c->options->given ? " (--replace uses that of -m alone)" : "");
        return from ? of_file(c, *from, err) : err->status;
    }
    enum tm_status st = tm_buf_add(&c->text, message->text.data, message->text.len);
    tracemerge__manifest__free_unpacked(message, NULL);
    if (st < 0)
        return tm_error_nomem(err);
    st = tm_manifest_read(&c->manifest, c->text.data, c->text.len, err);
    if (st < 0)
        return from ? of_file(c, *from, err) : st;
    return apply(c, &c->manifest, from, err);
}

static enum tm_status on_file(struct configure *c, const struct tm_frame *frame, struct tm_error *err)
{
    uint32_t entry;
    Tracemerge__File *file = (Tracemerge__File *)tm_frame_message(frame, &tracemerge__file__descriptor, err);
    if (file == NULL)
        return err->status;
    uint32_t id = file->id;
    enum tm_status st = tm_file_match_add(&c->match, file, &entry, err);
    tracemerge__file__free_unpacked(file, NULL);
    if (st == TM_E_INPUT)
        of_manifest(c, err);
    if (st == TM_OK)
        st = tm_stream_forward(&c->writer, frame, NULL, err);
    return st == TM_OK ? write_file_config(c, id, err) : st;
}

static enum tm_status on_file_begin(struct configure *c, const struct tm_frame *frame, struct tm_error *err)
{
    Tracemerge__FileBegin *begin =
        (Tracemerge__FileBegin *)tm_frame_message(frame, &tracemerge__file_begin__descriptor, err);
    if (begin == NULL)
        return err->status;
    enum tm_status st = tm_file_match_type(&c->match, begin->id, begin->type, err);
    if (st == TM_E_INPUT)
        of_manifest(c, err);
    bool is_trace = begin->clock_policy != TRACEMERGE__CLOCK_POLICY__NO_CLOCK;
    tracemerge__file_begin__free_unpacked(begin, NULL);
    if (st == TM_OK && c->options->given && !c->configured && (is_trace || !c->options->present))
        st = apply_given(c, err);
    if (st == TM_OK && is_trace && !c->trace_began && !c->configured)
        st = make_draft(c, err);
    if (is_trace && !c->trace_began) {
        c->trace_began = true;
        tm_file_match_close(&c->match);
    }
    return st == TM_OK ? tm_stream_forward(&c->writer, frame, NULL, err) : st;
}

static enum tm_status on_frame(struct configure *c, const struct tm_frame *frame, const struct tm_batch *batch,
                               struct tm_error *err)
{
    switch (frame->type) {
    case TM_FRAME_MANIFEST:
        return on_manifest(c, frame, err);
    case TM_FRAME_CONFIG:
    case TM_FRAME_FILE_CONFIG:
        if (!c->passes)
            return tm_error_at(err, frame->offset, "a configuration in a stream that is not marked as configured");
        break;
    case TM_FRAME_FILE:
        if (!c->passes)
            return on_file(c, frame, err);
        break;
    case TM_FRAME_FILE_BEGIN:
        if (!c->passes)
            return on_file_begin(c, frame, err);
        break;
    default:
        break;
    }
    return tm_stream_forward(&c->writer, frame, batch, err);
}

static enum tm_status open_both(struct configure *c, int in_fd, int out_fd, struct tm_error *err)
{
    enum tm_status st = tm_stream_pass_open(&c->reader, in_fd, out_fd, err);
    c->reader.takes_compact_messages = true;
    if (st < 0)
        return st;
    c->passes = c->reader.header.stage != TRACEMERGE__STAGE__UNPACKED;
    const struct tm_draft_options *draft = c->options->draft_options;
    bool has_draft = draft && tm_draft_options_need_manifest(draft);
    if (c->passes && (c->options->given || has_draft))
        return tm_error_set(err, TM_E_INPUT, "the stream is already configured; give %s to the first tm-manifest",
                            c->options->given ? "-m" : tm_draft_option_name(draft->all[0].id));
    struct tm_stream_header header = c->reader.header;
    if (!c->passes)
        header.stage = TRACEMERGE__STAGE__CONFIGURED;
    return tm_stream_writer_open(&c->writer, out_fd, c->options->producer, &header, err);
}

static enum tm_status finish(struct configure *c, struct tm_manifest_problems *unmatched, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (c->options->given && !c->configured)
        st = apply_given(c, err);
    else if (!c->configured && !c->passes && !c->trace_began)
        st = make_draft(c, err);
    tm_manifest_problems_of(unmatched, c->source.text);
    if (st == TM_OK && c->is_of_input) {
        tm_file_match_unresolved(&c->match, unmatched);
        st = tm_manifest_problems_status(unmatched, err);
        if (st < 0)
            return st;
    }
    if (!c->options->present) /* else those that match no file are there because others refer to them */
        tm_file_match_unmatched(&c->match, unmatched);
    if (st == TM_OK && c->options->strict && unmatched->count > 0)
        st = tm_error_set(err, TM_E_STRICT, "%s", tm_manifest_problems_next(unmatched, NULL));
    return st == TM_OK ? tm_stream_writer_end(&c->writer, err) : st;
}

enum tm_status tm_configure(int in_fd, int out_fd, const struct tm_configure_options *options,
                            struct tm_manifest_problems *unmatched, struct tm_error *err)
{
    struct configure c = {.options = options};
    struct tm_frame frame;
    struct tm_batch batch;
    enum tm_status st = open_both(&c, in_fd, out_fd, err);
    while (st == TM_OK) {
        st = tm_stream_pass_batch(&c.reader, &c.writer, err);
        if (st == TM_END && (st = tm_stream_reader_next(&c.reader, &frame, &batch, err)) == TM_OK)
            st = on_frame(&c, &frame, &batch, err);
    }
    if (st == TM_END)
        st = finish(&c, unmatched, err);
    tm_stream_reader_release(&c.reader);
    tm_stream_writer_release(&c.writer);
    tm_file_match_release(&c.match);
    tm_manifest_release(&c.manifest);
    tm_buf_release(&c.text);
    return st;
}
