/* Times and strings of a Fuchsia trace's rows, and their way into the sink. */
#include "format/fuchsia/internal.h"

bool tm_fxt_time(struct tm_fxt *x, struct tm_fxt_cursor *c, int64_t *ns)
{
    uint64_t ticks;
    enum tm_fxt_loss loss = TM_FXT_LOSS_READ;
    if (tm_fxt_word(c, &ticks)) {
        if (tm_fxt_ticks_ns(ticks, *tm_fxt_tables_ticks(&x->tables), ns))
            return true;
        loss = TM_FXT_LOSS_TIME;
    }
    (void)tm_fxt_lose(x, loss);
    return false;
}

enum tm_status tm_fxt_string(struct tm_fxt *x, struct tm_text text, uint32_t *string)
{
    return tm_event_sink_string(x->context.sink, text, &x->detail, string, x->err);
}

enum tm_status tm_fxt_add(struct tm_fxt *x, struct tm_event *row)
{
    row->detail = x->detail.data;
    row->detail_bytes = (uint32_t)x->detail.len;
    return tm_event_sink_add(x->context.sink, row, x->err);
}
