#include "format/fuchsia/blob.h"

#include "format/perfetto/perfetto.h"

void tm_fxt_blob_init(struct tm_fxt_blob *blob, const char *dir)
{
    *blob = (struct tm_fxt_blob){.file.dir = dir};
}

enum tm_status tm_fxt_blob_add(struct tm_fxt_blob *blob, struct tm_text bytes, struct tm_error *err)
{
    if (bytes.len == 0)
        return TM_OK;
    return tm_temporary_file_add(&blob->file, bytes.data, bytes.len, err);
}

static enum tm_status source_read(void *source, uint8_t *data, size_t len, size_t *got, struct tm_error *err)
{
    struct tm_fxt_blob *blob = source;
    uint64_t left = blob->file.len - blob->read;
    *got = left < len ? (size_t)left : len;
    if (*got == 0)
        return TM_END;
    enum tm_status st = tm_temporary_file_read(&blob->file, data, *got, blob->read, err);
    blob->read += *got;
    return st;
}

static const struct tm_input_ops source_ops = {.read = source_read};

/* Handles bytes after the last packet, which are damage. Their position in the Fuchsia file is unknown. */
static enum tm_status no_packet(const struct tm_fxt_blob *blob, const struct tm_format_context *context,
                                struct tm_error *err)
{
    uint64_t at = blob->input.offset;
    if (context->options->on_damage == TM_DAMAGE_HALT) {
        tm_error_at(err, at, "no packet");
        return tm_error_recoverable(err);
    }
    enum tm_status st = tm_event_sink_account(context->sink, (struct tm_loss){TM_DROP_DAMAGED, 0, 1, UINT64_MAX}, err);
    if (st == TM_OK)
        st = tm_event_sink_account(context->sink,
                                   (struct tm_loss){TM_DROP_SKIPPED_BYTES, 0, blob->file.len - at, UINT64_MAX}, err);
    return st < 0 ? st : TM_END;
}

enum tm_status tm_fxt_blob_read(struct tm_fxt_blob *blob, const struct tm_format_context *context,
                                struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (blob->file.len == 0)
        return TM_END;
    if (blob->state == NULL) {
        struct tm_format_context inner = *context;
        inner.input = &blob->input;
        inner.has_source = false; /* an offset in the blob is no offset in the file */
        inner.path = NULL;
        tm_input_init(&blob->input, &source_ops, blob);
        st = tm_format_proto.open(&inner, &blob->state, err);
    }
    if (st == TM_OK)
        st = tm_format_proto.read(blob->state, err);
    if (st == TM_END && blob->input.offset < blob->file.len)
        st = no_packet(blob, context, err);
    if (st == TM_E_INPUT)
        tm_error_prefix(err, "perfetto blobs");
    return st;
}

void tm_fxt_blob_release(struct tm_fxt_blob *blob)
{
    tm_format_proto.close(blob->state);
    tm_temporary_file_release(&blob->file);
    tm_input_release(&blob->input);
    *blob = (struct tm_fxt_blob){0};
}
