#include "stream/uncertainty_source.h"

static const char *const names[TM_UNCERTAINTY_SOURCES] = {
    [TM_UNCERTAINTY_JITTER] = "jitter",
    [TM_UNCERTAINTY_STEP] = "step",
    [TM_UNCERTAINTY_ALIGNMENT] = "alignment",
    [TM_UNCERTAINTY_MANIFEST] = "manifest",
    [TM_UNCERTAINTY_SNAPSHOT] = "snapshot",
    [TM_UNCERTAINTY_HINT] = "hint",
    [TM_UNCERTAINTY_ASSUMPTION] = "assumption",
    [TM_UNCERTAINTY_TRACE_TIME] = "trace_time",
};

const char *tm_uncertainty_source_name(enum tm_uncertainty_source source)
{
    return names[source];
}

static enum tm_uncertainty_source source_of(struct tm_text name)
{
    for (int i = TM_UNCERTAINTY_OTHER + 1; i < TM_UNCERTAINTY_SOURCES; i++)
        if (tm_text_is(name, names[i]))
            return (enum tm_uncertainty_source)i;
    return TM_UNCERTAINTY_OTHER;
}

bool tm_uncertainty_source_next(struct tm_text *text, enum tm_uncertainty_source *source)
{
    if (text->len == 0)
        return false;
    const uint8_t *plus = memchr(text->data, '+', text->len);
    size_t len = plus ? (size_t)(plus - text->data) : text->len;
    *source = source_of((struct tm_text){text->data, len});
    text->data += len + (plus != NULL);
    text->len -= len + (plus != NULL);
    return true;
}
