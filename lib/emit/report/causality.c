#include "emit/report/causality.h"

enum tm_status tm_report_causality_begin(struct tm_report_causality *c, const char *temporary_dir, struct tm_error *err)
{
    return tm_alignment_begin(&c->alignment, "flows,spans,collectives", temporary_dir, err);
}

enum tm_status tm_report_causality_add(struct tm_report_causality *c, const struct tm_frame *frame,
                                       const struct tm_batch *batch, struct tm_error *err)
{
    return tm_alignment_add(&c->alignment, frame, batch, err);
}

enum tm_status tm_report_causality_finish(struct tm_report_causality *c, bool json, struct tm_buf *out,
                                          struct tm_error *err)
{
    enum tm_status st = tm_alignment_match(&c->alignment, err);
    if (st == TM_OK)
        st = tm_alignment_check(&c->alignment, err);
    if (st != TM_OK || c->alignment.breach_count == 0)
        return st;
    st = json ? tm_alignment_breaches_json(&c->alignment, out) : tm_alignment_breaches_summary(&c->alignment, out);
    return st == TM_OK ? TM_OK : tm_error_nomem(err);
}

void tm_report_causality_release(struct tm_report_causality *c)
{
    tm_alignment_release(&c->alignment);
}
