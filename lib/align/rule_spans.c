/* Spans of distributed tracing, by the ids in their arguments: a called span lies within its caller. Names of ids:
 * OpenTelemetry (trace_id, span_id, parent_span_id), Jaeger (traceID, spanID, parentSpanID), Zipkin (traceId,
 * parentId), Elastic (trace.id, span.id, parent.id), Honeycomb (trace.trace_id, trace.parent_id). */
#include "align/rule.h"
#include "base/hash.h"

enum { SEED_SPAN = 3 };

static bool is_separator(uint8_t c)
{
    return c == '_' || c == '-' || c == '.' || c == ' ';
}

static uint8_t lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c | 0x20) : c;
}

/* True if KEY is NAME; compares only letters, without case. */
static bool is_name(struct tm_text key, const char *name)
{
    for (size_t i = 0; i < key.len; i++) {
        uint8_t c = key.data[i];
        if (is_separator(c))
            continue;
        if (*name == '\0' || lower(c) != (uint8_t)*name++)
            return false;
    }
    return *name == '\0';
}

/* True if the last letter of KEY is that of NAME. Few keys of events have it. */
static bool ends_as(struct tm_text key, const char *name)
{
    while (key.len && is_separator(key.data[key.len - 1]))
        key.len--;
    return key.len && lower(key.data[key.len - 1]) == (uint8_t)name[strlen(name) - 1];
}

/* True if KEY, or the part of it after its last dot ("trace.trace_id", "otel.span_id"), is like NAME ("trace.id"). */
static bool is_like(struct tm_text key, const char *name)
{
    size_t at = key.len;
    if (!ends_as(key, name))
        return false;
    if (is_name(key, name))
        return true;
    while (at > 0 && key.data[at - 1] != '.')
        at--;
    return at > 0 && is_name((struct tm_text){key.data + at, key.len - at}, name);
}

/* Reads the id of an argument. An empty id and one of zeros count as none. */
static bool find_id(const struct tm_align_event *event, const char *const *names, uint64_t seed, uint64_t *id)
{
    for (uint32_t i = 0; i < event->arg_count; i++)
        for (const char *const *name = names; *name; name++) {
            const struct tm_align_arg *arg = &event->args[i];
            bool says = arg->text.data == NULL && arg->number != 0;
            if (!is_like(arg->key, *name))
                continue;
            for (size_t c = 0; arg->text.data && c < arg->text.len; c++)
                says = says || arg->text.data[c] != '0';
            *id = tm_align_arg_hash(arg, seed);
            if (says)
                return true;
        }
    return false;
}

/* A message without a reply: only its sending is before what it causes. */
static bool is_message(const struct tm_align_event *event)
{
    static const char *const kinds[] = {"producer", "consumer",           "PRODUCER",
                                        "CONSUMER", "SPAN_KIND_PRODUCER", "SPAN_KIND_CONSUMER"};
    for (uint32_t i = 0; i < event->arg_count; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (is_like(event->args[i].key, "spankind") && tm_text_is(event->args[i].text, kinds[k]))
                return true;
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
