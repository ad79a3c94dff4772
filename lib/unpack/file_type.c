#include "unpack/file_type.h"

#include "base/utf8.h"
#include "format/ctf/ctf.h"
#include "unpack/foreign_type.h"

#include <string.h>

static bool starts(const uint8_t *head, size_t len, size_t at, const void *magic, size_t n)
{
    return len >= at + n && memcmp(head + at, magic, n) == 0;
}

size_t tm_file_type_ctrace(const uint8_t *head, size_t len)
{
    static const char mark[] = "TRACE:\n\x78\x9c";
    for (size_t i = 0; i + sizeof mark - 1 <= len; i++)
        if (memcmp(head + i, mark, sizeof mark - 1) == 0)
            return i + sizeof mark - 3;
    return 0;
}

static struct tm_file_type container(enum tm_file_kind kind, enum tm_input_type type, enum tm_priority priority)
{
    return (struct tm_file_type){.kind = kind, .input_type = type, .priority = priority, .is_container = true};
}

static struct tm_file_type trace(const struct tm_format *format)
{
    return (struct tm_file_type){
        .kind = TM_FILE_TRACE, .input_type = format->type, .priority = format->priority, .format = format};
}

struct tm_file_type tm_file_type_unknown(void)
{
    return (struct tm_file_type){
        .kind = TM_FILE_UNKNOWN, .input_type = TM_INPUT_UNKNOWN, .priority = TM_PRIORITY_TRACE};
}

struct tm_file_type tm_file_type_part(void)
{
    return trace(&tm_format_ctf_stream);
}

/* Finds the type of HEAD, which has no byte order mark. Source: doc/rules.md section 1. */
static struct tm_file_type sniff(const uint8_t *head, size_t len)
{
    if (tm_foreign_type_is_look_alike(head, len))
        return tm_file_type_unknown();
    const struct tm_format *format = tm_format_sniff(head, len);
    /* A proto, or its symbols. Signatures of other types inside it do not count. */
    if (format && len > 0 && head[0] == 0x0a && format->priority != TM_PRIORITY_TRACE)
        return trace(format);
    if (starts(head, len, 257, "ustar", 6) || starts(head, len, 257, "ustar  ", 8))
        return container(TM_FILE_TAR, TM_INPUT_TAR, TM_PRIORITY_CONTAINER);
    if (starts(head, len, 0, "PK\3\4", 4))
        return container(TM_FILE_ZIP, TM_INPUT_ZIP, TM_PRIORITY_CONTAINER);
    if (starts(head, len, 0, "\x1f\x8b", 2))
        return container(TM_FILE_GZIP, TM_INPUT_GZIP, TM_PRIORITY_CONTAINER);
    if (starts(head, len, 0, "\x28\xb5\x2f\xfd", 4))
        return container(TM_FILE_ZSTD, TM_INPUT_ZSTD, TM_PRIORITY_CONTAINER);
    if (tm_file_type_is_manifest(head, len))
        return (struct tm_file_type){
            .kind = TM_FILE_MANIFEST, .input_type = TM_INPUT_MANIFEST, .priority = TM_PRIORITY_MANIFEST};
    bool is_json = format && format->type != TM_INPUT_SYSTRACE;
    if (!is_json && tm_file_type_ctrace(head, len))
        return container(TM_FILE_CTRACE, TM_INPUT_CTRACE, TM_PRIORITY_TRACE);
    if (format)
        return trace(format);
    return tm_file_type_unknown();
}

struct tm_file_type tm_file_type_sniff(const uint8_t *head, size_t len)
{
    size_t mark = tm_utf8_mark(head, len);
    struct tm_file_type type = sniff(head + mark, len - mark);
    bool is_text = type.kind == TM_FILE_MANIFEST || (type.kind == TM_FILE_TRACE && type.format->is_text);
    return mark == 0 || is_text ? type : sniff(head, len);
}

struct tm_file_type tm_file_type_directory(void)
{
    return container(TM_FILE_DIRECTORY, TM_INPUT_DIRECTORY, TM_PRIORITY_CONTAINER);
}
