#include "format/fuchsia/internal.h"

enum tm_status tm_fxt_lose(struct tm_fxt *x, enum tm_fxt_loss loss)
{
    if (x->losses[loss]++ == 0)
        x->first_loss[loss] = x->context.input->offset;
    return TM_OK;
}

enum tm_status tm_fxt_unread(struct tm_fxt *x, enum tm_fxt_read read)
{
    return tm_fxt_lose(x, read == TM_FXT_READ_NO_STRING   ? TM_FXT_LOSS_STRING
                          : read == TM_FXT_READ_NO_THREAD ? TM_FXT_LOSS_THREAD
                                                          : TM_FXT_LOSS_READ);
}

enum tm_status tm_fxt_count_flush(struct tm_fxt *x)
{
    static const struct {
        enum tm_drop_reason reason;
        const char *stat;
    } words[TM_FXT_LOSS_COUNT] = {
        [TM_FXT_LOSS_READ] = {TM_DROP_DAMAGED, "fuchsia_record_read_error"},
        [TM_FXT_LOSS_STRING] = {TM_DROP_NEEDS_STATE, "fuchsia_invalid_string_ref"},
        [TM_FXT_LOSS_THREAD] = {TM_DROP_NEEDS_STATE, "fuchsia_invalid_thread_ref"},
        [TM_FXT_LOSS_TIME] = {TM_DROP_OUT_OF_RANGE, "fuchsia_timestamp_overflow"},
        [TM_FXT_LOSS_TYPE] = {TM_DROP_DAMAGED, "fuchsia_invalid_event_arg_type"},
        [TM_FXT_LOSS_PROVIDER] = {TM_DROP_NEEDS_STATE, "fuchsia_invalid_event"},
        [TM_FXT_LOSS_VALUE] = {TM_DROP_NOT_SHOWN, NULL},
        [TM_FXT_LOSS_UNREAD] = {TM_DROP_NOT_SHOWN, NULL},
    };
    struct tm_event_sink *sink = x->context.sink;
    enum tm_status st = TM_OK;
    for (int i = 0; st >= 0 && i < TM_FXT_LOSS_COUNT; i++) {
        if (x->losses[i] == 0)
            continue;
        st = tm_event_sink_account(sink, (struct tm_loss){words[i].reason, 0, x->losses[i], x->first_loss[i]}, x->err);
        if (st >= 0 && words[i].stat)
            st = tm_event_sink_stat(sink, words[i].stat, TRACEMERGE__SEVERITY__ERROR, (int64_t)x->losses[i], x->err);
    }
    if (st >= 0 && x->non_numeric)
        st = tm_event_sink_stat(sink, "fuchsia_non_numeric_counters", TRACEMERGE__SEVERITY__ERROR,
                                (int64_t)x->non_numeric, x->err);
    if (st >= 0 && x->damaged)
        st = tm_event_sink_account(sink, (struct tm_loss){TM_DROP_DAMAGED, 0, x->damaged, x->first_damaged}, x->err);
    if (st >= 0 && x->skipped_bytes)
        st = tm_event_sink_account(sink, (struct tm_loss){TM_DROP_SKIPPED_BYTES, 0, x->skipped_bytes, x->first_damaged},
                                   x->err);
    if (st >= 0 && x->buffers_full)
        st = tm_event_sink_stat(sink, "fuchsia_buffer_full", TRACEMERGE__SEVERITY__DATA_LOSS,
                                (int64_t)x->buffers_full, x->err);
    return st;
}
