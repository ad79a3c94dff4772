#include "emit/notices.h"

#include "base/table.h"
#include "base/text.h"
#include "emit/assumption.h"
#include "emit/by_file.h"
#include "emit/drop_text.h"
#include "emit/paths.h"
#include "emit/stat_words.h"
#include "stream/kind_name.h"

#include <stdlib.h>

enum { SUMS_MAX = 64 /* reasons of one file that get a line; one line says that there are more */ };

/* Sorts of reasons. Within a sort reasons differ by a text (of an account, of a statistic) or a number (of a kind, of
 * an assumption). */
enum sort { DROPPED, ASSUMED, LOST, UNSUPPORTED, EARLY, TIMES, READINGS, SURPLUS, NAMES, FACTS };

struct reason {
    enum sort sort;
    struct tm_text text;
    uint32_t number;
};

/* How often a reason occurred, in one file or in all files without a line. */
struct sum {
    struct reason reason;
    uint64_t count, definitions;
    uint32_t stats; /* number of statistics that count sums, of several buffers, cpus or machines */
    bool has_earliest;
    int64_t earliest_ns;
    const Tracemerge__Placement *placement; /* the first one with this assumption */
    uint32_t files, shown; /* number of files with the reason; number of files with a line */
};

struct notice_writer {
    const struct tm_notices *notices;
    struct tm_by_file accounts, placements, stats;
    uint32_t *wrapped; /* by file: number, plus 1, of the compressed stream that holds this file alone; 0: none */
    bool *wraps;       /* by file: it is such a stream; its accounts appear with those of the file that it holds */
    struct sum sums[SUMS_MAX]; /* of the current file */
    uint32_t sum_count;
    struct sum rest; /* of its reasons beyond these, which are not told apart */
    bool has_rest;
    struct sum *all; /* over all files, without those with a line */
    uint32_t all_count, all_cap;
    struct tm_out line;
    bool has_more; /* --explain reports more */
};

static bool is_same(const struct reason *a, const struct reason *b)
{
    return a->sort == b->sort && a->number == b->number && a->text.len == b->text.len &&
           (a->text.len == 0 || memcmp(a->text.data, b->text.data, a->text.len) == 0);
}

/* Finds or makes the sum of REASON in the current file. */
static struct sum *sum_of(struct notice_writer *t, const struct reason *reason)
{
    uint32_t i = 0;
    while (i < t->sum_count && !is_same(&t->sums[i].reason, reason))
        i++;
    if (i == SUMS_MAX) {
        t->has_rest = true;
        return &t->rest;
    }
    if (i == t->sum_count)
        t->sums[t->sum_count++] = (struct sum){.reason = *reason};
    return &t->sums[i];
}

static void add_account(struct notice_writer *t, const Tracemerge__Account *a)
{
    const struct reason reason = {.sort = DROPPED, .text = tm_text_of(a->reason)};
    if (tm_drop_reason_of(reason.text) == TM_DROP_FILTERED)
        return;
    struct sum *sum = sum_of(t, &reason);
    sum->count += a->count;
    sum->definitions += a->definition_count;
    if (a->has_earliest_ns && (!sum->has_earliest || a->earliest_ns < sum->earliest_ns))
        sum->earliest_ns = a->earliest_ns;
    sum->has_earliest |= a->has_earliest_ns;
}

static void add_placement(struct notice_writer *t, const Tracemerge__Placement *p)
{
    const struct reason reason = {.sort = ASSUMED, .number = (uint32_t)tm_assumption_of(t->notices->catalog, p)};
    if (reason.number == TM_ASSUMPTION_NONE)
        return;
    struct sum *sum = sum_of(t, &reason);
    sum->count += p->placed_count;
    if (sum->placement == NULL)
        sum->placement = p;
}

static bool is_loss(const Tracemerge__Stat *s)
{
    return s->severity == TRACEMERGE__SEVERITY__DATA_LOSS && s->value > 0;
}

static void add_stat(struct notice_writer *t, const Tracemerge__Stat *s)
{
    const struct reason reason = {.sort = LOST, .text = tm_text_of(s->name)};
    if (!is_loss(s))
        return;
    struct sum *sum = sum_of(t, &reason);
    sum->count += (uint64_t)s->value;
    sum->stats++;
}

/* Adds COUNT events or the like, if there are any, to the sum of the reason of SORT with NUMBER. */
static void add_count(struct notice_writer *t, enum sort sort, uint32_t number, uint64_t count)
{
    if (count)
        sum_of(t, &(struct reason){.sort = sort, .number = number})->count += count;
}

static void add_unsupported(struct notice_writer *t, uint32_t file)
{
    const struct tm_unsupported_counts *unsupported = t->notices->unsupported;
    if (file >= unsupported->file_count)
        return;
    for (uint32_t kind = 0; kind < TM_UNSUPPORTED_COUNTS_KINDS; kind++)
        add_count(t, UNSUPPORTED, kind, unsupported->files[file].events[kind]);
    add_count(t, EARLY, 0, unsupported->files[file].others[TM_UNSUPPORTED_EARLY]);
    add_count(t, TIMES, 0, unsupported->files[file].others[TM_UNSUPPORTED_TIMES]);
    add_count(t, READINGS, 0, unsupported->files[file].others[TM_UNSUPPORTED_READINGS]);
    add_count(t, SURPLUS, 0, unsupported->files[file].others[TM_UNSUPPORTED_SURPLUS]);
    add_count(t, NAMES, 0, unsupported->files[file].others[TM_UNSUPPORTED_NAMES]);
    add_count(t, FACTS, 0, unsupported->files[file].others[TM_UNSUPPORTED_FACTS]);
}

static void put(struct notice_writer *t, const char *text)
{
    tm_out_str(&t->line, text);
}

static void put_count(struct notice_writer *t, uint64_t count, const char *word)
{
    tm_out_u64(&t->line, count);
    put(t, " ");
    put(t, word);
    put(t, tm_plural(count));
}

static void put_dropped(struct notice_writer *t, const struct sum *sum)
{
    enum tm_drop_reason reason = tm_drop_reason_of(sum->reason.text);
    bool is_bytes = reason == TM_DROP_SKIPPED_BYTES;
    put_count(t, sum->count, is_bytes ? "byte" : "event");
    if (sum->definitions) {
        put(t, " and ");
        put_count(t, sum->definitions, "definition");
    }
    put(t, is_bytes ? " skipped, " : " dropped, ");
    tm_out_escaped(&t->line, sum->reason.text);
    put(t, ": ");
    const struct tm_drop_text text = tm_drop_text_of(reason);
    put(t, tm_drop_text_cause(&text, sum->count + sum->definitions));
    if (sum->has_earliest) {
        put(t, ", the earliest by ");
        tm_out_duration(&t->line, sum->earliest_ns == INT64_MIN ? INT64_MAX : -sum->earliest_ns);
    }
}

static void put_loss(struct notice_writer *t, const struct sum *sum)
{
    put(t, "loss of data, ");
    tm_out_escaped(&t->line, sum->reason.text);
    put(t, " = ");
    tm_out_u64(&t->line, sum->count);
    if (sum->stats > 1) {
        put(t, ", the sum of ");
        put_count(t, sum->stats, "statistic");
    }
    const struct tm_stat_words *words = tm_stat_words_find(sum->reason.text);
    if (words) {
        put(t, " (");
        put(t, words->text);
        put(t, ")");
    }
}

static void put_unsupported(struct notice_writer *t, const struct sum *sum)
{
    const char *kind = tm_name_of_kind(sum->reason.number);
    put_count(t, sum->count, "event");
    put(t, " of kind ");
    put(t, kind ? kind : "unknown");
    put(t, sum->count == 1 ? " has no form in " : " have no form in ");
    put(t, t->notices->format);
}

static void put_readings(struct notice_writer *t, const struct sum *sum)
{
    put_count(t, sum->count, "reading");
    put(t, sum->count == 1 ? " of a clock contradicts others of the machine, and is not in "
                           : " of clocks contradict others of the machine, and are not in ");
    put(t, t->notices->format);
}

/* Puts that the WORDs in SUM are beyond a limit of the output; OF says what they belong to. */
static void put_surplus(struct notice_writer *t, const struct sum *sum, const char *word, const char *of[2])
{
    put_count(t, sum->count, word);
    put(t, of[sum->count != 1]);
    put(t, sum->count == 1 ? " is beyond the limit of " : " are beyond the limit of ");
    put(t, t->notices->format);
    put(t, sum->count == 1 ? " (tm-limits), and is left out" : " (tm-limits), and are left out");
}

/* Puts the part of the message that files with one reason have in common. */
static void put_reason(struct notice_writer *t, const struct sum *sum)
{
    switch (sum->reason.sort) {
    case DROPPED:
        put_dropped(t, sum);
        break;
    case ASSUMED:
        put_count(t, sum->count, "event");
        put(t, " placed by assumption");
        break;
    case LOST:
        put_loss(t, sum);
        break;
    case UNSUPPORTED:
        put_unsupported(t, sum);
        break;
    case EARLY:
        put_count(t, sum->count, "ftrace event");
        put(t, sum->count == 1 ? " from before the start of tracing was left out, as in readers of its file"
                               : " from before the start of tracing were left out, as in readers of their file");
        break;
    case TIMES:
        put_count(t, sum->count, "time");
        put(t, " inside packets could not be converted to trace time, so recorded values were kept");
        break;
    case READINGS:
        put_readings(t, sum);
        break;
    case SURPLUS:
        put_surplus(t, sum, "reading", (const char *[]){" of a clock", " of clocks"});
        break;
    case NAMES:
        put_surplus(t, sum, "name", (const char *[]){" of a task", " of tasks"});
        break;
    case FACTS:
        put_surplus(t, sum, "fact", (const char *[]){"", ""});
        break;
    }
}

/* Puts the part of the message that is about one file. */
static void put_particulars(struct notice_writer *t, const struct sum *sum)
{
    const struct tm_catalog *c = t->notices->catalog;
    if (sum->reason.sort != ASSUMED)
        return;
    put(t, ": ");
    tm_assumption_put(&t->line, c, sum->placement);
    size_t before = t->line.buf.len;
    put(t, "; ");
    if (!tm_assumption_put_evidence(&t->line, c, t->notices->clocks, sum->placement))
        t->line.buf.len = before;
}

static enum tm_status end_line(struct notice_writer *t, struct tm_error *err)
{
    const char *text = t->line.failed ? NULL : tm_buf_cstr(&t->line.buf);
    if (text == NULL)
        return tm_error_nomem(err);
    t->notices->warn(text);
    tm_buf_clear(&t->line.buf);
    return TM_OK;
}

/* Finds or makes the sum of REASON over all files; NULL: out of memory. */
static struct sum *total_of(struct notice_writer *t, const struct reason *reason)
{
    for (uint32_t i = 0; i < t->all_count; i++)
        if (is_same(&t->all[i].reason, reason))
            return &t->all[i];
    if (tm_array_grow(&t->all, &t->all_cap, t->all_count, sizeof *t->all, NULL) < 0)
        return NULL;
    t->all[t->all_count] = (struct sum){.reason = *reason};
    return &t->all[t->all_count++];
}

/* True for a stream of compressed data, which is no archive. */
static bool is_compressed(const struct tm_catalog_file *file)
{
    return file->input_type == TM_INPUT_GZIP || file->input_type == TM_INPUT_ZSTD;
}

/* Finds the streams of compressed data that hold one file. Users know the two as one. */
static enum tm_status find_wrapped(struct notice_writer *t)
{
    const struct tm_catalog *c = t->notices->catalog;
    uint32_t *only = calloc((size_t)c->file_count + 1, sizeof *only); /* its only file, plus 1; UINT32_MAX: several */
    t->wrapped = calloc((size_t)c->file_count + 1, sizeof *t->wrapped);
    t->wraps = calloc((size_t)c->file_count + 1, sizeof *t->wraps);
    if (only == NULL || t->wrapped == NULL || t->wraps == NULL) {
        free(only);
        return TM_E_SYSTEM;
    }
    for (uint32_t i = 0; i < c->file_count; i++)
        if (c->files[i].has_parent && c->files[i].parent < c->file_count)
            only[c->files[i].parent] = only[c->files[i].parent] ? UINT32_MAX : i + 1;
    for (uint32_t i = 0; i < c->file_count; i++) {
        if (only[i] == 0 || only[i] == UINT32_MAX || !is_compressed(&c->files[i]))
            continue;
        t->wrapped[only[i] - 1] = i + 1;
        t->wraps[i] = true;
    }
    free(only);
    return TM_OK;
}

/* Begins a line with the path of FILE, or of the compressed stream that holds it alone. */
static void put_path(struct notice_writer *t, uint32_t file)
{
    char path[TM_PATH_TEXT_MAX];
    while (t->wrapped[file])
        file = t->wrapped[file] - 1;
    tm_catalog_path(t->notices->catalog, file, path, sizeof path);
    put(t, path);
    put(t, ": ");
}

/* Adds SUM, of a file without a line for it, to TOTAL. */
static void add_to_total(struct sum *total, const struct sum *sum)
{
    total->files++;
    total->count += sum->count;
    total->stats += sum->stats;
    total->definitions += sum->definitions;
    if (sum->has_earliest && (!total->has_earliest || sum->earliest_ns < total->earliest_ns))
        total->earliest_ns = sum->earliest_ns;
    total->has_earliest |= sum->has_earliest;
}

/* Writes the line for SUM of FILE, or counts it for the line about the rest. */
static enum tm_status write_sum(struct notice_writer *t, uint32_t file, const struct sum *sum, struct tm_error *err)
{
    struct sum *total = total_of(t, &sum->reason);
    if (total == NULL)
        return tm_error_nomem(err);
    t->has_more |= sum->reason.sort == DROPPED || sum->reason.sort == ASSUMED;
    if (total->shown == TM_NOTICES_SHOWN) {
        add_to_total(total, sum);
        return TM_OK;
    }
    total->shown++;
    put_path(t, file);
    put_reason(t, sum);
    put_particulars(t, sum);
    return end_line(t, err);
}

static void add_accounts(struct notice_writer *t, uint32_t file)
{
    for (uint32_t k = t->accounts.starts[file]; k < t->accounts.starts[file + 1]; k++)
        add_account(t, t->notices->catalog->accounts[t->accounts.order[k]]);
}

static enum tm_status write_file(struct notice_writer *t, uint32_t file, struct tm_error *err)
{
    const struct tm_catalog *c = t->notices->catalog;
    enum tm_status st = TM_OK;
    const bool all = !t->notices->of_output;
    t->sum_count = 0;
    t->has_rest = false;
    if (t->wraps[file])
        return TM_OK;
    for (uint32_t k = file + 1; all && k; k = t->wrapped[k - 1])
        add_accounts(t, k - 1);
    for (uint32_t k = t->placements.starts[file]; all && k < t->placements.starts[file + 1]; k++)
        add_placement(t, c->placements[t->placements.order[k]]);
    for (uint32_t k = t->stats.starts[file]; all && k < t->stats.starts[file + 1]; k++)
        add_stat(t, c->stats[t->stats.order[k]]);
    add_unsupported(t, file);
    for (uint32_t i = 0; i < t->sum_count && st == TM_OK; i++)
        st = write_sum(t, file, &t->sums[i], err);
    if (st < 0 || !t->has_rest)
        return st;
    put_path(t, file);
    put(t, "more kinds of losses and assumptions than fit here; tm-merge -f report lists all");
    return end_line(t, err);
}

static enum tm_status write_rest(struct notice_writer *t, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < t->all_count && st == TM_OK; i++) {
        if (t->all[i].files == 0)
            continue;
        put(t, "and ");
        put_count(t, t->all[i].files, "more file");
        put(t, ": ");
        put_reason(t, &t->all[i]);
        st = end_line(t, err);
    }
    if (st == TM_OK && t->has_more) {
        put(t, "tm-merge --explain says more about what was dropped or assumed, and what would place it");
        st = end_line(t, err);
    }
    return st;
}

/* Orders the facts of the catalog by file. */
static enum tm_status order_facts(struct notice_writer *t, struct tm_error *err)
{
    const struct tm_catalog *c = t->notices->catalog;
    bool good = tm_by_file_accounts(&t->accounts, c) == TM_OK && tm_by_file_placements(&t->placements, c) == TM_OK &&
                tm_by_file_stats(&t->stats, c) == TM_OK && find_wrapped(t) == TM_OK;
    return good ? TM_OK : tm_error_nomem(err);
}

static void free_writer(struct notice_writer *t)
{
    tm_by_file_release(&t->accounts);
    tm_by_file_release(&t->placements);
    tm_by_file_release(&t->stats);
    free(t->wrapped);
    free(t->wraps);
    tm_out_release(&t->line);
    free(t->all);
    free(t);
}

enum tm_status tm_notices_write(const struct tm_notices *notices, struct tm_error *err)
{
    struct notice_writer *t = calloc(1, sizeof *t);
    if (t == NULL)
        return tm_error_nomem(err);
    t->notices = notices;
    tm_out_init(&t->line, -1, NULL);
    enum tm_status st = order_facts(t, err);
    for (uint32_t i = 0; i < notices->catalog->file_count && st == TM_OK; i++)
        st = write_file(t, i, err);
    if (st == TM_OK)
        st = write_rest(t, err);
    free_writer(t);
    return st;
}

/* True if A and B, which may be of different machines, buffers or cpus, have one name and are of one file. */
static bool is_same_stat(const Tracemerge__Stat *a, const Tracemerge__Stat *b)
{
    return a->has_file == b->has_file && a->file == b->file && a->name.len == b->name.len &&
           memcmp(a->name.data, b->name.data, a->name.len) == 0;
}

enum tm_status tm_notices_within(const struct tm_notices *notices, const struct tm_accounting_limit *limit,
                                 struct tm_error *err)
{
    const struct tm_catalog *c = notices->catalog;
    const Tracemerge__Placement *guess = limit->no_guess ? tm_assumption_first(c) : NULL;
    const Tracemerge__Stat *loss = NULL;
    uint64_t sum = 0;
    char path[TM_PATH_TEXT_MAX] = "-";
    for (uint32_t i = 0; i < c->stat_count && limit->strict; i++)
        if (is_loss(c->stats[i]) && (loss == NULL || (c->stats[i]->has_file && c->stats[i]->file < loss->file)))
            loss = c->stats[i];
    if (guess) {
        tm_catalog_path(c, guess->file, path, sizeof path);
        return tm_error_set(err, TM_E_STRICT, "%s: placed by assumption, and --no-guess allows none; "
                                              "tm-merge --explain says what would place it", path);
    }
    if (loss == NULL)
        return TM_OK;
    if (loss->has_file)
        tm_catalog_path(c, loss->file, path, sizeof path);
    for (uint32_t i = 0; i < c->stat_count; i++)
        if (is_loss(c->stats[i]) && is_same_stat(c->stats[i], loss))
            sum += (uint64_t)c->stats[i]->value;
    return tm_error_set(err, TM_E_STRICT, "%s: loss of data, %.*s = %llu, and --strict allows none",
                        path, (int)loss->name.len, (const char *)loss->name.data, (unsigned long long)sum);
}
