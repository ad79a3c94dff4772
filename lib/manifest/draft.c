#include "manifest/draft.h"

#include "base/decimal.h"
#include "base/path.h"
#include "base/table.h"
#include "manifest/fields.h"

#include <stdlib.h>

#define NONE SIZE_MAX

/* A part of an argument. */
struct part {
    const char *text;
    size_t len;
};

static bool is_name(struct part part, const char *name)
{
    return strlen(name) == part.len && memcmp(name, part.text, part.len) == 0;
}

static char *copy(struct part part)
{
    char *s = malloc(part.len + 1);
    if (s) {
        memcpy(s, part.text, part.len);
        s[part.len] = '\0';
    }
    return s;
}

enum tm_status tm_draft_add(struct tm_draft *draft, const char *path, const char *name, struct tm_error *err)
{
    if (tm_array_grow(&draft->files, &draft->cap, (uint32_t)draft->count, sizeof *draft->files, err) < 0)
        return TM_E_SYSTEM;
    draft->files[draft->count++] = (struct tm_draft_file){.path = path, .name = name};
    return TM_OK;
}

/* Returns the only file whose name, as OF shortens it, is PART. NONE if there is none or more than one. */
static size_t find_only(const struct tm_draft *draft, struct part part, const char *(*of)(const char *name))
{
    size_t found = NONE;
    for (size_t i = 0; i < draft->count; i++) {
        if (!is_name(part, of(draft->files[i].name)))
            continue;
        if (found != NONE)
            return NONE;
        found = i;
    }
    return found;
}

/* Returns the file that PART names, or NONE. An exact path or name comes before a base name. */
static size_t find(const struct tm_draft *draft, struct part part)
{
    for (size_t i = 0; i < draft->count; i++)
        if (is_name(part, draft->files[i].path))
            return i;
    for (size_t i = 0; i < draft->count; i++)
        if (is_name(part, draft->files[i].name))
            return i;
    while (part.len > 2 && memcmp(part.text, "./", 2) == 0)
        part = (struct part){part.text + 2, part.len - 2};
    size_t found = find_only(draft, part, tm_path_bare);
    return found != NONE ? found : find_only(draft, part, tm_path_base);
}

static bool is_below(struct part directory, const char *name)
{
    name = tm_path_bare(name);
    return strlen(name) > directory.len && memcmp(name, directory.text, directory.len) == 0 &&
           (directory.len == 0 || name[directory.len] == '/');
}

/* Returns PART as a directory, without a leading "./" and trailing "/". It is empty if PART means the root. */
static struct part directory_of(const struct tm_draft *draft, struct part part)
{
    while (part.len > 1 && part.text[part.len - 1] == '/')
        part.len--;
    size_t dots = (size_t)(tm_path_bare(part.text) - part.text);
    if (dots < part.len)
        part = (struct part){part.text + dots, part.len - dots};
    const char *root = draft->root ? tm_path_bare(draft->root) : NULL;
    size_t len = root ? strlen(root) : 0;
    while (len > 1 && root[len - 1] == '/')
        len--;
    bool is_root = root && len == part.len && memcmp(root, part.text, len) == 0;
    return is_root ? (struct part){part.text, 0} : part;
}

static bool has_files(const struct tm_draft *draft, struct part directory)
{
    bool has = false;
    for (size_t i = 0; i < draft->count && !has; i++)
        has = is_below(directory, draft->files[i].name);
    return has;
}

static enum tm_status unknown_file(const char *option, struct part part, struct tm_error *err)
{
    return tm_error_set(err, TM_E_USAGE, "%s: '%.*s' is not one of the files", option, (int)part.len, part.text);
}

/* Cuts the clock off PART, which follows FILE after a colon. Its text is NULL if there is none. */
static struct part cut_clock(struct part *part)
{
    for (size_t i = part->len; i-- > 1;) {
        char c = part->text[i];
        if (c == ':') {
            struct part clock = {part->text + i + 1, part->len - i - 1};
            part->len = i;
            return clock;
        }
        if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'))
            break;
    }
    return (struct part){NULL, 0};
}

/* Cuts the offset off the end of PART and sets *OFFSET_NS. TM_OK; TM_END if there is none; TM_E_INPUT if it is out of
 * range. */
static enum tm_status cut_offset(struct part *part, int64_t *offset_ns)
{
    static const struct {
        const char *name;
        int scale;
    } units[] = {{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}};
    size_t sign = part->len;
    while (sign > 0 && part->text[sign - 1] != '+' && part->text[sign - 1] != '-')
        sign--;
    if (sign-- == 0)
        return TM_END;
    size_t end = sign + 1;
    while (end < part->len && (part->text[end] == '.' || (part->text[end] >= '0' && part->text[end] <= '9')))
        end++;
    struct part unit = {part->text + end, part->len - end};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (!is_name(unit, units[i].name))
            continue;
        enum tm_status st = tm_decimal_scale(part->text + sign, end - sign, units[i].scale, offset_ns);
        if (st < 0)
            return TM_END;
        part->len = sign;
        return st == TM_END ? TM_E_INPUT : TM_OK;
    }
    return TM_END;
}

/* A file, and the clock and offset given with it. */
struct side {
    size_t file;
    struct part clock;
    int64_t offset_ns;
    bool out_of_range;
};

/* Parses PART: a file, then a clock, then an offset. Names may contain colons, so the shortest file name wins that
 * leaves a valid rest. */
static struct side read_side(const struct tm_draft *draft, struct part part, bool with_offset)
{
    struct side side = {.file = NONE};
    for (int offset = with_offset; offset >= 0; offset--) {
        struct part rest = part;
        enum tm_status st = offset ? cut_offset(&rest, &side.offset_ns) : TM_OK;
        if (st == TM_END)
            continue;
        side.out_of_range = st < 0;
        side.offset_ns = offset ? side.offset_ns : 0;
        struct part bare = rest;
        side.clock = cut_clock(&bare);
        if (side.clock.text && (side.file = find(draft, bare)) != NONE)
            return side;
        side.clock = (struct part){NULL, 0};
        if ((side.file = find(draft, rest)) != NONE)
            return side;
    }
    return side;
}

static enum tm_status set_machine(struct tm_draft_file *f, struct part name, struct tm_error *err)
{
    if (f->machine && !f->is_of_directory)
        return tm_error_set(err, TM_E_USAGE, "--machine: %s already has a machine, %s", f->path, f->machine);
    free(f->machine);
    f->is_of_directory = false;
    f->machine = copy(name);
    return f->machine ? TM_OK : tm_error_nomem(err);
}

/* Sets the machine of all files below DIRECTORY that have none yet. */
static enum tm_status set_machines(struct tm_draft *draft, struct part directory, struct part name,
                                   struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (size_t i = 0; i < draft->count && st == TM_OK; i++) {
        struct tm_draft_file *f = &draft->files[i];
        if (f->machine || f->is_archive || !is_below(directory, f->name))
            continue;
        st = set_machine(f, name, err);
        f->is_of_directory = true;
    }
    return st;
}

enum tm_status tm_draft_machine(struct tm_draft *draft, const char *text, struct tm_error *err)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL)
        return tm_error_set(err, TM_E_USAGE, "--machine: '%s' is not NAME=FILE", text);
    size_t file = NONE;
    bool is_directory = false;
    const char *split = equals; /* names on either side may contain "=" */
    for (; split; split = strchr(split + 1, '=')) {
        struct part path = {split + 1, strlen(split + 1)};
        if ((file = find(draft, path)) != NONE)
            break;
        if ((is_directory = path.len > 0 && has_files(draft, directory_of(draft, path))))
            break;
    }
    if (split == NULL)
        return unknown_file("--machine", (struct part){equals + 1, strlen(equals + 1)}, err);
    struct part name = {text, (size_t)(split - text)};
    if (name.len == 0)
        return tm_error_set(err, TM_E_USAGE, "--machine: '%s': a machine needs a name", text);
    if (!is_directory)
        return set_machine(&draft->files[file], name, err);
    return set_machines(draft, directory_of(draft, (struct part){split + 1, strlen(split + 1)}), name, err);
}

/* Checks CLOCK, which OPTION names. Its text is NULL if none is given. */
static enum tm_status check_clock(const char *option, struct part clock, struct tm_error *err)
{
    if (clock.text == NULL || tm_manifest_clock(clock.text, clock.len))
        return TM_OK;
    return tm_error_set(err, TM_E_USAGE, "%s: unknown clock name: %.*s. " TM_MANIFEST_CLOCKS, option, (int)clock.len,
                        clock.text);
}

static enum tm_status set_sync(struct tm_draft *draft, const struct side *from, const struct side *to,
                               struct tm_error *err)
{
    struct tm_draft_file *f = &draft->files[from->file];
    if (f->is_synced)
        return tm_error_set(err, TM_E_USAGE, "--sync: %s is already synchronized", f->path);
    f->is_synced = true;
    f->reference = to->file;
    f->offset_ns = to->offset_ns;
    if (from->clock.text && (f->clock = copy(from->clock)) == NULL)
        return tm_error_nomem(err);
    if (to->clock.text && (f->reference_clock = copy(to->clock)) == NULL)
        return tm_error_nomem(err);
    return TM_OK;
}

static struct part part_of(const char *text)
{
    return (struct part){text, text ? strlen(text) : 0};
}

enum tm_status tm_draft_relate(struct tm_draft *draft, size_t file, const struct tm_draft_relation *relation,
                               struct tm_error *err)
{
    struct side from = {.file = file, .clock = part_of(relation->clock)};
    struct side to = {.file = relation->reference,
                      .clock = part_of(relation->reference_clock),
                      .offset_ns = relation->offset_ns};
    return set_sync(draft, &from, &to, err);
}

enum tm_status tm_draft_sync(struct tm_draft *draft, const char *text, struct tm_error *err)
{
    const char *first = strchr(text, '=');
    if (first == NULL)
        return tm_error_set(err, TM_E_USAGE, "--sync: '%s' is not FILE[:CLOCK]=FILE[:CLOCK][+OFFSET]", text);
    for (const char *equals = first; equals; equals = strchr(equals + 1, '=')) {
        struct side from = read_side(draft, (struct part){text, (size_t)(equals - text)}, false);
        struct side to = read_side(draft, (struct part){equals + 1, strlen(equals + 1)}, true);
        if (from.file == NONE || to.file == NONE)
            continue;
        if (to.out_of_range)
            return tm_error_set(err, TM_E_USAGE, "--sync: '%s': the offset is out of range", text);
        if (check_clock("--sync", from.clock, err) < 0 || check_clock("--sync", to.clock, err) < 0)
            return TM_E_USAGE;
        return set_sync(draft, &from, &to, err);
    }
    struct part left = {text, (size_t)(first - text)}, right = {first + 1, strlen(first + 1)};
    if (read_side(draft, left, false).file == NONE)
        return unknown_file("--sync", left, err);
    return tm_error_set(err, TM_E_USAGE, "--sync: '%.*s' is not one of the files, nor one of them with a clock and an "
                        "offset (:BOOTTIME+250ms)", (int)right.len, right.text);
}

enum tm_status tm_draft_trace_time(struct tm_draft *draft, const char *text, struct tm_error *err)
{
    const char *at = strchr(text, '@');
    if (draft->trace_clock)
        return tm_error_set(err, TM_E_USAGE, "--trace-time is given twice");
    if (at && (draft->trace_file = find(draft, (struct part){at + 1, strlen(at + 1)})) == NONE)
        return unknown_file("--trace-time", (struct part){at + 1, strlen(at + 1)}, err);
    const struct part clock = {text, at ? (size_t)(at - text) : strlen(text)};
    if (check_clock("--trace-time", clock, err) < 0)
        return TM_E_USAGE;
    draft->has_trace_file = at != NULL;
    draft->trace_clock = copy(clock);
    return draft->trace_clock ? TM_OK : tm_error_nomem(err);
}

enum tm_status tm_draft_name(struct tm_draft *draft, size_t file, const void *name, size_t len, struct tm_error *err)
{
    draft->files[file].machine = copy((struct part){name, len});
    return draft->files[file].machine ? TM_OK : tm_error_nomem(err);
}

enum tm_status tm_draft_set_trace_time(struct tm_draft *draft, const char *clock, const size_t *file,
                                       struct tm_error *err)
{
    draft->has_trace_file = file != NULL;
    draft->trace_file = file ? *file : 0;
    draft->trace_clock = copy(part_of(clock));
    return draft->trace_clock ? TM_OK : tm_error_nomem(err);
}

void tm_draft_release(struct tm_draft *draft)
{
    for (size_t i = 0; i < draft->count; i++) {
        free(draft->files[i].machine);
        free(draft->files[i].clock);
        free(draft->files[i].reference_clock);
    }
    free(draft->files);
    free(draft->trace_clock);
    *draft = (struct tm_draft){0};
}
