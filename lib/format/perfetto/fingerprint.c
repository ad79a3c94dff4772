#include "format/perfetto/fingerprint.h"

/* Returns the text before MARK in *REST, and removes both from it. Without MARK the text and *REST have no data. */
static struct tm_text before(struct tm_text *rest, char mark)
{
    const uint8_t *at = rest->len ? memchr(rest->data, mark, rest->len) : NULL;
    struct tm_text found = {0};
    if (at) {
        found = tm_text_at(rest->data, (size_t)(at - rest->data));
        *rest = tm_text_after(*rest, found.len + 1);
    } else {
        *rest = found;
    }
    return found;
}

struct tm_fingerprint tm_fingerprint_read(struct tm_text text)
{
    struct tm_fingerprint parts;
    before(&text, ':');
    parts.release = before(&text, '/');
    before(&text, '/');
    parts.incremental = before(&text, ':');
    return parts.incremental.data ? parts : (struct tm_fingerprint){0};
}

uint32_t tm_fingerprint_sdk(struct tm_text release)
{
    static const struct {
        const char *release;
        uint32_t sdk;
    } known[] = {{"12", 31},  {"11", 30},  {"10", 29}, {"9", 28},    {"8.1", 27}, {"8.0", 26},   {"7.1", 25},
                 {"7.0", 24}, {"6.0", 23}, {"5.1", 22}, {"5.1.1", 22}, {"5.0", 21}, {"5.0.1", 21}, {"5.0.2", 21}};
    if (release.len && (release.data[0] == 'S' || release.data[0] == 'T')) /* previews */
        return 31;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (tm_text_is(release, known[i].release))
            return known[i].sdk;
    return 0;
}
