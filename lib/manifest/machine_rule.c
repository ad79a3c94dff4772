#include "manifest/machine_rule.h"

#include "base/intern.h"
#include "base/map.h"
#include "base/path.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>

enum { PARTS = 10, MACHINE_BYTES_MAX = 4096 };

/* A part of a name. */
struct name_part {
    const char *text;
    size_t len;
};

static bool is_unnamed(const struct tm_draft_file *f)
{
    return f->machine == NULL && !f->is_archive;
}

static enum tm_status set_machine(struct tm_draft_file *f, const char *text, size_t len, struct tm_error *err)
{
    f->machine = malloc(len + 1);
    if (f->machine == NULL)
        return tm_error_nomem(err);
    memcpy(f->machine, text, len);
    f->machine[len] = '\0';
    return TM_OK;
}

static enum tm_status no_name(const struct tm_draft_file *f, const char *why, struct tm_error *err)
{
    return tm_error_set(err, TM_E_USAGE, "--machine-from: %s: %s; --machine NAME=FILE names the machine of one file",
                        f->name, why);
}

/* Returns the path of F as it was given. Rules that look at directories need it. */
static const char *path_of(const struct tm_draft_file *f)
{
    return tm_path_bare(f->path);
}

static struct name_part directory_of(const char *name)
{
    return (struct name_part){name, tm_path_base(name) > name ? (size_t)(tm_path_base(name) - name) - 1 : 0};
}

/* Returns how many bytes the common leading components of A and B take, each with the "/" after it. */
static size_t common_prefix(struct name_part a, struct name_part b)
{
    size_t prefix = 0, i = 0;
    while (i < a.len && i < b.len && a.text[i] == b.text[i])
        if (a.text[i++] == '/')
            prefix = i;
    bool a_ends = i == a.len || a.text[i] == '/', b_ends = i == b.len || b.text[i] == '/';
    return a_ends && b_ends ? (i < a.len || i < b.len ? i + 1 : i) : prefix;
}

/* Returns how many bytes the common trailing components of A and B take, each with the "/" in front. */
static size_t common_suffix(struct name_part a, struct name_part b)
{
    size_t suffix = 0, i = 0;
    while (i < a.len && i < b.len && a.text[a.len - 1 - i] == b.text[b.len - 1 - i])
        if (a.text[a.len - 1 - i++] == '/')
            suffix = i;
    return suffix;
}

/* Names each file by the part of its directory that differs from those of other files. If none differs, the name is the
 * last component. */
static enum tm_status by_directory(struct tm_draft *draft, struct tm_error *err)
{
    size_t prefix = SIZE_MAX, suffix = SIZE_MAX;
    enum tm_status st = TM_OK;
    struct name_part first = {NULL, 0};
    bool differ = false;
    for (size_t i = 0; i < draft->count; i++) {
        struct name_part dir = directory_of(path_of(&draft->files[i]));
        if (!is_unnamed(&draft->files[i]))
            continue;
        if (first.text == NULL)
            first = dir;
        size_t f = common_prefix(first, dir), b = common_suffix(first, dir);
        differ |= dir.len != first.len || memcmp(dir.text, first.text, dir.len) != 0;
        prefix = f < prefix ? f : prefix;
        suffix = b < suffix ? b : suffix;
    }
    for (size_t i = 0; i < draft->count && st == TM_OK; i++) {
        struct tm_draft_file *f = &draft->files[i];
        struct name_part dir = directory_of(path_of(f));
        if (!is_unnamed(f))
            continue;
        const char *root = draft->root ? tm_path_base(draft->root) : "";
        if (dir.len == 0 && *root)
            dir = (struct name_part){root, strlen(root)};
        else if (differ && dir.len > prefix + suffix)
            dir = (struct name_part){dir.text + prefix, dir.len - prefix - suffix};
        if (dir.len > 1 && dir.text[0] == '/')
            dir = (struct name_part){dir.text + 1, dir.len - 1};
        for (size_t k = dir.len; k > 0 && (!differ || dir.len <= prefix); k--)
            if (dir.text[k - 1] == '/') {
                dir = (struct name_part){dir.text + k, dir.len - k};
                break;
            }
        st = dir.len ? set_machine(f, dir.text, dir.len, err) : no_name(f, "is in no directory", err);
    }
    return st;
}

/* Returns the base name of F without its endings. */
static struct name_part stem_of(const struct tm_draft_file *f)
{
    const char *base = tm_path_base(f->name), *dot = *base ? strchr(base + 1, '.') : NULL;
    return (struct name_part){base, dot ? (size_t)(dot - base) : strlen(base)};
}

static struct name_part base_name_of(const struct tm_draft_file *f)
{
    return (struct name_part){tm_path_base(f->name), strlen(tm_path_base(f->name))};
}

/* How many files have each name. */
struct name_counts {
    struct tm_intern names;
    uint32_t *counts;
};

static enum tm_status count_names(const struct tm_draft *draft, struct name_part (*of)(const struct tm_draft_file *),
                                  struct name_counts *n, struct tm_error *err)
{
    tm_intern_init(&n->names, (uint32_t)draft->count, SIZE_MAX);
    n->counts = calloc(draft->count + 1, sizeof *n->counts);
    if (n->counts == NULL)
        return tm_error_nomem(err);
    for (size_t i = 0; i < draft->count; i++) {
        struct name_part name = of(&draft->files[i]);
        uint32_t id;
        if (tm_intern_add(&n->names, name.text, name.len, &id, NULL) != TM_OK)
            return tm_error_nomem(err);
        n->counts[id]++;
    }
    return TM_OK;
}

/* True if only one file has NAME. At least one has it. */
static bool is_alone(const struct name_counts *n, struct name_part name)
{
    uint32_t id;
    return tm_intern_find(&n->names, name.text, name.len, &id) && n->counts[id] == 1;
}

static void release_counts(struct name_counts *n)
{
    tm_intern_release(&n->names);
    free(n->counts);
}

/* Names each file by the first of its stem, base name and full name that no other file has. */
static enum tm_status by_file(struct tm_draft *draft, struct tm_error *err)
{
    struct name_counts stems = {.counts = NULL}, bases = {.counts = NULL};
    enum tm_status st = count_names(draft, stem_of, &stems, err);
    if (st == TM_OK)
        st = count_names(draft, base_name_of, &bases, err);
    for (size_t i = 0; i < draft->count && st == TM_OK; i++) {
        struct tm_draft_file *f = &draft->files[i];
        struct name_part name = stem_of(f);
        if (!is_unnamed(f))
            continue;
        if (!is_alone(&stems, name)) {
            name = base_name_of(f);
            if (!is_alone(&bases, name))
                name = (struct name_part){f->name, strlen(f->name)};
        }
        st = set_machine(f, name.text, name.len, err);
    }
    release_counts(&stems);
    release_counts(&bases);
    return st;
}

/* Reads the number at DIGITS. False: there is none, or it has more than 64 bits. */
static bool read_number(const char *digits, uint64_t *number)
{
    errno = 0;
    *number = *digits >= '0' && *digits <= '9' ? strtoull(digits, NULL, 10) : 0;
    return *digits >= '0' && *digits <= '9' && errno == 0;
}

/* Finds the number after "rank" in the base name, or else in the whole name. */
static bool rank_in_name(const char *name, uint64_t *rank)
{
    for (const char *from = tm_path_base(name);; from = name) {
        for (const char *p = from; *p; p++) {
            if ((p[0] | 32) != 'r' || (p[1] | 32) != 'a' || (p[2] | 32) != 'n' || (p[3] | 32) != 'k')
                continue;
            const char *digit = p + 4 + (p[4] == '-' || p[4] == '_' || p[4] == '.' || p[4] == '=');
            if (read_number(digit, rank))
                return true;
        }
        if (from == name)
            return false;
    }
}

/* True if all files that state a world size state the same one. */
static bool is_one_world(const struct tm_draft *draft)
{
    uint64_t world = 0;
    for (size_t i = 0; i < draft->count; i++) {
        uint64_t size = draft->files[i].has_rank ? draft->files[i].world_size : 0;
        if (size && world && size != world)
            return false;
        world = size ? size : world;
    }
    return true;
}

static enum tm_status by_rank(struct tm_draft *draft, bool stated_only, struct tm_error *err)
{
    char name[64];
    bool is_one = is_one_world(draft);
    enum tm_status st = TM_OK;
    for (size_t i = 0; i < draft->count && st == TM_OK; i++) {
        struct tm_draft_file *f = &draft->files[i];
        uint64_t rank = f->rank;
        if (!is_unnamed(f) || (stated_only && !f->has_rank))
            continue;
        if (!f->has_rank && !rank_in_name(path_of(f), &rank))
            return no_name(f, "states no rank (distributedInfo), and its name has no \"rank\" with a number", err);
        size_t len = (size_t)snprintf(name, sizeof name, "rank%llu", (unsigned long long)rank);
        if (!is_one && f->has_rank && f->world_size)
            len += (size_t)snprintf(name + len, sizeof name - len, " of %llu", (unsigned long long)f->world_size);
        st = set_machine(f, name, len, err);
    }
    return st;
}

static enum tm_status by_host(struct tm_draft *draft, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (size_t i = 0; i < draft->count && st == TM_OK; i++) {
        struct tm_draft_file *f = &draft->files[i];
        if (!is_unnamed(f))
            continue;
        if (f->host == NULL)
            return no_name(f, "states no host (host.name of spans)", err);
        if (f->is_host_of_several)
            return no_name(f, "has spans of several hosts, but a file belongs to one machine", err);
        st = set_machine(f, f->host, strlen(f->host), err);
    }
    return st;
}

/* The rule "auto": names files by rank if they state different ranks. */
static enum tm_status by_itself(struct tm_draft *draft, struct tm_error *err)
{
    const struct tm_draft_file *first = NULL;
    bool differ = false;
    for (size_t i = 0; i < draft->count; i++) {
        const struct tm_draft_file *f = &draft->files[i];
        if (!f->has_rank)
            continue;
        differ |= first && (first->rank != f->rank || first->world_size != f->world_size);
        first = first ? first : f;
    }
    draft->is_natural |= differ;
    return differ ? by_rank(draft, true, err) : TM_OK;
}

/* A regular expression and its replacement. Without a replacement, the name is the first group of the match, or else
 * the whole match. */
struct pattern {
    regex_t *regex;
    char *text, *replacement;
    bool is_ready;
};

static enum tm_status bad_pattern(const char *text, const char *why, struct tm_error *err)
{
    return tm_error_set(err, TM_E_USAGE, "--machine-from: '%s': %s", text, why);
}

/* Splits "s/REGEX/TEXT/" at its delimiter, "/" or another of the listed characters. If no such character follows an "s"
 * at the start, all is the pattern. */
static enum tm_status cut_pattern(struct pattern *p, const char *text, struct tm_error *err)
{
    p->text = strdup(text);
    if (p->text == NULL)
        return tm_error_nomem(err);
    char delimiter = text[0] == 's' ? text[1] : '\0';
    if (delimiter == '\0' || strchr("/|,:;#%@!~=_\"'<>&", delimiter) == NULL)
        return TM_OK;
    char *middle = strchr(p->text + 2, delimiter), *end = middle ? strchr(middle + 1, delimiter) : NULL;
    if (end == NULL || end[1] != '\0')
        return bad_pattern(text, "is not s/PATTERN/TEXT/; if these have slashes, write s|PATTERN|TEXT|", err);
    *middle = *end = '\0';
    memmove(p->text, p->text + 2, strlen(p->text + 2) + 1);
    p->replacement = middle + 1;
    return TM_OK;
}

static enum tm_status read_pattern(struct pattern *p, const char *text, struct tm_error *err)
{
    char why[256];
    enum tm_status st = cut_pattern(p, text, err);
    if (st < 0)
        return st;
    int failure = regcomp(p->regex, p->text, REG_EXTENDED);
    if (failure) {
        (void)regerror(failure, p->regex, why, sizeof why);
        return bad_pattern(text, why, err);
    }
    p->is_ready = true;
    return TM_OK;
}

/* Appends N bytes to OUT. *LEN becomes more than MACHINE_BYTES_MAX if they do not fit. */
static void add(char *out, size_t *len, const char *text, size_t n)
{
    if (*len <= MACHINE_BYTES_MAX && n <= MACHINE_BYTES_MAX - *len)
        memcpy(out + *len, text, n);
    *len += n;
}

static void add_part(char *out, size_t *len, const char *name, const regmatch_t *part)
{
    if (part->rm_so >= 0)
        add(out, len, name + part->rm_so, (size_t)(part->rm_eo - part->rm_so));
}

/* Names F by the match of P in its path. */
static enum tm_status match_one(const struct pattern *p, struct tm_draft_file *f, struct tm_error *err)
{
    regmatch_t parts[PARTS];
    char out[MACHINE_BYTES_MAX];
    size_t len = 0;
    const char *path = path_of(f);
    if (regexec(p->regex, path, PARTS, parts, 0) != 0)
        return no_name(f, "the pattern does not match it", err);
    if (p->replacement == NULL) {
        add_part(out, &len, path, &parts[p->regex->re_nsub > 0 ? 1 : 0]);
    } else {
        add(out, &len, path, (size_t)parts[0].rm_so);
        for (const char *c = p->replacement; *c; c++) {
            if (*c == '&')
                add_part(out, &len, path, &parts[0]);
            else if (*c == '\\' && c[1] >= '1' && c[1] <= '9')
                add_part(out, &len, path, &parts[*++c - '0']);
            else
                add(out, &len, *c == '\\' && c[1] ? ++c : c, 1);
        }
        add(out, &len, path + parts[0].rm_eo, strlen(path + parts[0].rm_eo));
    }
    if (len > MACHINE_BYTES_MAX)
        return no_name(f, "the pattern makes a name of more than 4096 bytes", err);
    return len ? set_machine(f, out, len, err) : no_name(f, "the pattern leaves an empty name", err);
}

static enum tm_status by_pattern(struct tm_draft *draft, const char *text, struct tm_error *err)
{
    regex_t regex;
    struct pattern p = {.regex = &regex};
    enum tm_status st = read_pattern(&p, text, err);
    for (size_t i = 0; i < draft->count && st == TM_OK; i++)
        if (is_unnamed(&draft->files[i]))
            st = match_one(&p, &draft->files[i], err);
    if (p.is_ready)
        regfree(&regex);
    free(p.text);
    return st;
}

enum tm_status tm_machine_rule_apply(struct tm_draft *draft, const char *text, struct tm_error *err)
{
    if (strcmp(text, "none") == 0)
        return TM_OK;
    if (strcmp(text, "auto") == 0)
        return by_itself(draft, err);
    draft->is_natural = true;
    if (strcmp(text, "dir") == 0)
        return by_directory(draft, err);
    if (strcmp(text, "file") == 0)
        return by_file(draft, err);
    if (strcmp(text, "rank") == 0)
        return by_rank(draft, false, err);
    if (strcmp(text, "host") == 0)
        return by_host(draft, err);
    return by_pattern(draft, text, err);
}

bool tm_machine_rule_missing(const struct tm_draft *draft, char *text, size_t size)
{
    struct tm_map seen = {0};
    uint64_t world = 0, missing = 0;
    uint32_t there;
    bool failed = !is_one_world(draft);
    for (size_t i = 0; i < draft->count && !failed; i++) {
        const struct tm_draft_file *f = &draft->files[i];
        if (f->has_rank)
            failed = tm_map_set(&seen, f->rank, 1) != TM_OK;
        world = f->has_rank && f->world_size ? f->world_size : world;
    }
    uint64_t count = seen.count;
    while (!failed && missing < world && tm_map_find(&seen, missing, &there))
        missing++;
    tm_map_release(&seen);
    if (failed || world == 0 || count < 2 || missing >= world)
        return false;
    snprintf(text, size, "%llu of the job's %llu ranks are present; rank %llu is the first missing one",
             (unsigned long long)count, (unsigned long long)world, (unsigned long long)missing);
    return true;
}
