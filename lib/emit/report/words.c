#include "emit/report/words.h"

#include "stream/clock_name.h"
#include "stream/uncertainty_source.h"

void tm_report_put_machine(struct tm_report *r, uint32_t id)
{
    const struct tm_catalog_machine *m = r->placed ? tm_catalog_machine(r->context->catalog, id) : NULL;
    if (m && m->name.len) {
        tm_out_escaped(&r->out, m->name);
    } else if (m && m->raw_id == 0) {
        tm_out_str(&r->out, "host");
    } else {
        tm_out_str(&r->out, "machine ");
        tm_out_i64(&r->out, m ? m->raw_id : (int64_t)id);
    }
}

void tm_report_put_clock(struct tm_report *r, uint32_t clock)
{
    const char *name = tm_name_of_clock(clock);
    if (name) {
        tm_out_str(&r->out, name);
    } else {
        tm_out_str(&r->out, "clock ");
        tm_out_u64(&r->out, clock);
    }
}

void tm_report_put_count(struct tm_report *r, uint64_t n, const char *word)
{
    tm_out_u64(&r->out, n);
    tm_out_char(&r->out, ' ');
    tm_out_str(&r->out, word);
    if (n != 1)
        tm_out_char(&r->out, 's');
}

void tm_report_put_offset(struct tm_report *r, int64_t ns)
{
    if (ns >= 0)
        tm_out_char(&r->out, '+');
    tm_out_duration(&r->out, ns);
}

void tm_report_put_path(struct tm_report *r, uint32_t file)
{
    struct tm_text path = tm_report_path(r, file);
    tm_out_bytes(&r->out, path.data, path.len);
}

bool tm_report_is_aligned(const Tracemerge__Placement *p)
{
    struct tm_text names = tm_text_of(p->uncertainty_from);
    enum tm_uncertainty_source source;
    while (p->has_uncertainty_from && tm_uncertainty_source_next(&names, &source))
        if (source == TM_UNCERTAINTY_ALIGNMENT)
            return true;
    return false;
}

enum tm_placement_rule tm_report_rule(const Tracemerge__Placement *p)
{
    return tm_placement_rule_of(tm_text_of(p->rule));
}

enum tm_placement_rule tm_report_origin(const Tracemerge__PlacementHop *hop)
{
    return tm_placement_rule_of(tm_text_of(hop->origin));
}

struct tm_text tm_report_path(struct tm_report *r, uint32_t file)
{
    struct tm_text path;
    if (tm_paths_get(&r->paths, r->context->catalog, file, &path) == TM_OK)
        return path;
    r->out.failed = true;
    return tm_text_str("?");
}
