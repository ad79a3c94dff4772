#include "format/chrome_json/document.h"

#include "json/number.h"
#include "stream/clock_id.h"

/* Writes the hint that CLOCK read VALUE_NS when the file's own clock read 0. */
static enum tm_status put_hint(struct tm_json_document *doc, uint32_t clock, int64_t value_ns, const char *source,
                               struct tm_error *err)
{
    Tracemerge__ClockHint hint = TRACEMERGE__CLOCK_HINT__INIT;
    hint.file = doc->context.sink->file;
    hint.clock = clock;
    hint.value_ns = value_ns;
    hint.source = tm_bytes(source, strlen(source));
    return tm_event_sink_message(doc->context.sink, TM_FRAME_CLOCK_HINT, &hint.base, err);
}

/* Writes a hint from VALUE, the wall-clock time at 0 in units of 10^-SCALE nanoseconds, if it is a positive number. */
static enum tm_status put_base(struct tm_json_document *doc, const struct tm_json_value *value, int scale,
                               const char *source, struct tm_error *err)
{
    int64_t ns;
    if (tm_json_decimal(value, scale, &ns) != TM_OK || ns <= 0)
        return TM_OK;
    return put_hint(doc, TM_CLOCK_REALTIME, ns, source, err);
}

enum tm_status tm_json_hint(struct tm_json_document *doc, const struct tm_json_value *key,
                            const struct tm_json_value *value, struct tm_error *err)
{
    struct tm_json_value inner;
    if (tm_json_is(key, "baseTimeNanoseconds")) /* Kineto: the origin of all times */
        return put_base(doc, value, 0, "baseTimeNanoseconds", err);
    if (tm_json_is(key, "beginningOfTime")) /* clang -ftime-trace: microseconds */
        return put_base(doc, value, 3, "beginningOfTime", err);
    if (tm_json_is(key, "viztracer_metadata") && tm_json_find(value, "baseTimeNanoseconds", &inner))
        return put_base(doc, &inner, 0, "viztracer_metadata.baseTimeNanoseconds", err);
    if (tm_json_is(key, "metadata") && tm_json_find(value, "clock-domain", &inner) &&
        inner.type == TM_JSON_STRING && tm_json_is(&inner, "LINUX_CLOCK_MONOTONIC"))
        return put_hint(doc, TM_CLOCK_MONOTONIC, 0, "metadata.clock-domain", err);
    return TM_OK;
}

/* {"ph":"M","cat":"__metadata","name":"node","args":{"process":{"versions":…}}}. Source: node's
 * src/tracing/agent and libuv's uv_hrtime, which is CLOCK_MONOTONIC. */
enum tm_status tm_json_event_hint(struct tm_json_document *doc, struct tm_error *err)
{
    const struct tm_json_event *e = &doc->event;
    const struct tm_json_value *ph = tm_json_event_of(e, TM_JF_PH, TM_JSON_STRING);
    const struct tm_json_value *name = tm_json_event_of(e, TM_JF_NAME, TM_JSON_STRING);
    const struct tm_json_value *args = tm_json_event_of(e, TM_JF_ARGS, TM_JSON_OBJECT);
    struct tm_json_value process, versions;
    if (ph == NULL || name == NULL || args == NULL || !tm_json_is(ph, "M") || !tm_json_is(name, "node") ||
        !tm_json_find(args, "process", &process) || !tm_json_find(&process, "versions", &versions))
        return TM_OK;
    return put_hint(doc, TM_CLOCK_MONOTONIC, 0, "args.process.versions", err);
}
