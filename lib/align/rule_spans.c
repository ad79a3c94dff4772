/* Spans of distributed tracing, by the ids in their arguments: a called span lies within its caller. Names of ids:
 * OpenTelemetry (trace_id, span_id, parent_span_id), Jaeger (traceID, spanID, parentSpanID), Zipkin (traceId,
 * parentId), Elastic (trace.id, span.id, parent.id), Honeycomb (trace.trace_id, trace.parent_id). */
#include "align/rule.h"
#include "base/name_set.h"

enum { SEED_SPAN = 3 };

/* False if KEY cannot be one of the names that are looked for here, which all end in 'd'. */
static bool may_match(struct tm_text key)
{
    uint8_t last = key.len > 0 ? key.data[key.len - 1] : 0;
    bool is_letter = (last >= 'a' && last <= 'z') || (last >= 'A' && last <= 'Z');
    return !is_letter || (last | 0x20) == 'd';
}

/* Reads the id of an argument. An empty id and one of zeros count as none. */
static bool find_id(const struct tm_align_event *event, const char *const *names, uint64_t seed, uint64_t *id)
{
    for (uint32_t i = 0; i < event->arg_count; i++)
        for (const char *const *name = names; *name && may_match(event->args[i].key); name++) {
            const struct tm_align_arg *arg = &event->args[i];
            bool is_set = arg->text.data == NULL && arg->number != 0;
            if (!tm_name_is_like(arg->key.data, arg->key.len, *name))
                continue;
            for (size_t c = 0; arg->text.data && c < arg->text.len; c++)
                is_set = is_set || arg->text.data[c] != '0';
            *id = tm_align_arg_hash(arg, seed);
            if (is_set)
                return true;
        }
    return false;
}

/* True for a message without a reply: only its sending is before what it causes. */
static bool is_message(const struct tm_align_event *event)
{
    static const char *const kinds[] = {"producer", "consumer",           "PRODUCER",
                                        "CONSUMER", "SPAN_KIND_PRODUCER", "SPAN_KIND_CONSUMER"};
    for (uint32_t i = 0; i < event->arg_count; i++) {
        const struct tm_align_arg *arg = &event->args[i];
        if (!may_match(arg->key) || !tm_name_is_like(arg->key.data, arg->key.len, "spankind"))
            continue;
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (tm_text_is(arg->text, kinds[k]))
                return true;
    }
    return false;
}

void tm_align_take_spans(const struct tm_align_use *use, const struct tm_align_event *event, tm_align_put *put,
                         void *context)
{
    static const char *const traces[] = {"traceid", NULL}, *const spans[] = {"spanid", NULL},
                             *const parents[] = {"parentspanid", "parentid", NULL};
    uint64_t trace, id;
    (void)use;
    if (!event->is_slice || event->arg_count < 2 || !find_id(event, traces, SEED_SPAN, &trace))
        return;
    struct tm_record record = {.begin_ns = event->begin_ns, .end_ns = event->end_ns};
    record.form = is_message(event) ? TM_MATCH_FLOW : TM_MATCH_CALL;
    if (find_id(event, spans, trace, &id)) {
        record.key = id;
        record.role = TM_ROLE_CAUSE;
        put(context, &record, false);
    }
    if (find_id(event, parents, trace, &id)) {
        record.key = id;
        record.role = TM_ROLE_EFFECT;
        put(context, &record, false);
    }
}
