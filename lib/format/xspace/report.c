/* Reports other than events: damage, and rows of metadata. */
#include "format/xspace/internal.h"

enum tm_status tm_xspace_damage(struct tm_xspace *x, uint64_t byte, uint64_t skipped, const char *cause)
{
    if (x->context.options->on_damage == TM_DAMAGE_HALT) {
        tm_error_at(x->err, byte, "%s", cause);
        return tm_error_recoverable(x->err);
    }
    *x->err = (struct tm_error){0};
    enum tm_status st = tm_event_sink_account(x->context.sink, (struct tm_loss){TM_DROP_DAMAGED, 0, 1, byte}, x->err);
    if (st == TM_OK && skipped > 0)
        st = tm_event_sink_account(x->context.sink, (struct tm_loss){TM_DROP_SKIPPED_BYTES, 0, skipped, byte}, x->err);
    return st;
}

enum tm_status tm_xspace_note(struct tm_xspace *x, const void *text, size_t len)
{
    Tracemerge__Metadata row = TRACEMERGE__METADATA__INIT;
    if (x->note_count == TM_XSPACE_NOTES_MAX)
        return tm_error_set(x->err, TM_E_INPUT, "more than the limit of %d stats of planes", TM_XSPACE_NOTES_MAX);
    x->note_count++;
    row.name = tm_bytes(x->key.data, x->key.len);
    row.value_case = TRACEMERGE__METADATA__VALUE_STR_VALUE;
    row.str_value = tm_bytes(text, len);
    row.has_file = true;
    row.file = x->context.sink->file;
    return tm_event_sink_message(x->context.sink, TM_FRAME_METADATA, &row.base, x->err);
}
