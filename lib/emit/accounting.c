#include "emit/accounting.h"

#include "base/decimal.h"
#include "stream/field_text.h"

#include <stdlib.h>

enum { MILLION = 1000000, PERCENT_SCALE = 4 /* percent to millionths */ };

enum tm_drop_reason tm_accounting_reason(const Tracemerge__Account *account)
{
    return tm_drop_reason_of(tm_text_of(account->reason));
}

bool tm_accounting_is_bytes(const Tracemerge__Account *account)
{
    return tm_accounting_reason(account) == TM_DROP_SKIPPED_BYTES;
}

bool tm_accounting_is_a_loss(const Tracemerge__Account *account)
{
    switch (tm_accounting_reason(account)) {
    case TM_DROP_NEEDS_STATE: /* a part of the event is missing, not the event */
    case TM_DROP_UNMATCHED_END:
    case TM_DROP_FILTERED: return false;
    default: return true;
    }
}

/* Makes room for all files of CATALOG. */
static enum tm_status make_room(struct tm_accounting *b, const struct tm_catalog *catalog, struct tm_error *err)
{
    if (b->file_count >= catalog->file_count)
        return TM_OK;
    struct tm_accounting_file *files = realloc(b->files, catalog->file_count * sizeof *files);
    if (files == NULL)
        return tm_error_nomem(err);
    memset(files + b->file_count, 0, (catalog->file_count - b->file_count) * sizeof *files);
    b->files = files;
    b->file_count = catalog->file_count;
    return TM_OK;
}

/* True if every element of COLUMN is below BOUND. */
static bool column_below(const struct tm_batch *batch, enum tm_column column, uint32_t bound)
{
    uint32_t n = tm_batch_is_constant(batch, column) ? 1 : batch->count;
    for (uint32_t i = 0; i < n; i++)
        if (tm_batch_u32(batch, column, i) >= bound)
            return false;
    return true;
}

enum tm_status tm_accounting_check_places(const struct tm_catalog *catalog, const struct tm_batch *batch, bool placed,
                                          struct tm_error *err)
{
    if (!column_below(batch, TM_COL_FILE, catalog->file_count))
        return tm_error_set(err, TM_E_INPUT, "an event is of an unknown file");
    if (placed && !column_below(batch, TM_COL_MACHINE, catalog->machine_count))
        return tm_error_set(err, TM_E_INPUT, "an event is of an unknown machine");
    return TM_OK;
}

enum tm_status tm_accounting_add(struct tm_accounting *b, const struct tm_catalog *catalog,
                                 const struct tm_batch *batch, bool placed, struct tm_error *err)
{
    enum tm_status st = make_room(b, catalog, err);
    if (st < 0 || (st = tm_accounting_check_places(catalog, batch, placed, err)) < 0)
        return st;
    if (batch->count && tm_batch_is_constant(batch, TM_COL_FILE)) {
        struct tm_accounting_file *file = &b->files[tm_batch_u32(batch, TM_COL_FILE, 0)];
        uint32_t others = tm_batch_count_flags(batch, TM_EVENT_NOT_COUNTED);
        file->placed += batch->count - others;
        file->others += others;
        return TM_OK;
    }
    for (uint32_t i = 0; i < batch->count; i++) {
        struct tm_accounting_file *file = &b->files[tm_batch_u32(batch, TM_COL_FILE, i)];
        if (tm_event_is_counted(tm_batch_u32(batch, TM_COL_FLAGS, i)))
            file->placed++;
        else
            file->others++;
    }
    return TM_OK;
}

void tm_accounting_add_messages(struct tm_accounting *b, const struct tm_batch *batch)
{
    if (!tm_batch_has_kind(batch, TM_KIND_COMPACT_SCHED, TM_KIND_COMPACT_SCHED))
        return;
    for (uint32_t i = 0; i < batch->count; i++)
        b->files[tm_batch_u32(batch, TM_COL_FILE, i)].placed +=
            tm_event_count(tm_batch_u32(batch, TM_COL_KIND, i), tm_batch_u64(batch, TM_COL_VALUE, i)) - 1;
}

enum tm_status tm_accounting_sum(struct tm_accounting *b, const struct tm_catalog *catalog, struct tm_error *err)
{
    enum tm_status st = make_room(b, catalog, err);
    if (st < 0)
        return st;
    for (uint32_t i = 0; i < catalog->account_count; i++) {
        const Tracemerge__Account *a = catalog->accounts[i];
        struct tm_accounting_file *file = &b->files[a->file];
        if (tm_accounting_is_bytes(a)) {
            file->skipped_bytes += a->count;
            continue;
        }
        file->dropped += a->count;
        if (tm_accounting_is_a_loss(a)) {
            file->lost += a->count;
            file->lost_definitions += a->definition_count;
        }
    }
    for (uint32_t i = 0; i < b->file_count; i++) {
        const struct tm_accounting_file *file = &b->files[i];
        b->read += catalog->files[i].timed_count;
        b->total.placed += file->placed;
        b->total.others += file->others;
        b->total.dropped += file->dropped;
        b->total.lost += file->lost;
        b->total.lost_definitions += file->lost_definitions;
        b->total.skipped_bytes += file->skipped_bytes;
    }
    return TM_OK;
}

bool tm_accounting_holds(const struct tm_accounting *b, const struct tm_catalog *catalog, uint32_t file)
{
    const struct tm_accounting_file *f = &b->files[file];
    uint64_t read = catalog->files[file].timed_count;
    return f->placed <= read && read - f->placed == f->dropped;
}

enum tm_status tm_accounting_check(const struct tm_accounting *b, const struct tm_catalog *catalog,
                                   struct tm_error *err)
{
    char path[512];
    for (uint32_t i = 0; i < b->file_count; i++) {
        if (tm_accounting_holds(b, catalog, i))
            continue;
        tm_catalog_path(catalog, i, path, sizeof path);
        return tm_error_set(err, TM_E_SYSTEM,
                            "%s: the accounts do not balance: %llu events read, %llu placed, %llu dropped; "
                            "this is a bug in tracemerge",
                            path, (unsigned long long)catalog->files[i].timed_count,
                            (unsigned long long)b->files[i].placed, (unsigned long long)b->files[i].dropped);
    }
    return TM_OK;
}

/* True if LOST is more than MILLIONTHS of READ. */
static bool exceeds(uint64_t lost, uint64_t read, uint64_t millionths)
{
    while (lost > UINT64_MAX / MILLION || (millionths > 0 && read > UINT64_MAX / millionths)) {
        lost /= 2;
        read /= 2;
    }
    return lost * MILLION > read * millionths;
}

enum tm_status tm_accounting_within(const struct tm_accounting *b, const struct tm_accounting_limit *limit,
                                    struct tm_error *err)
{
    const struct tm_accounting_file *t = &b->total;
    bool too_many = limit->strict && t->lost > 0;
    if (limit->has_max)
        too_many |= limit->is_percent ? exceeds(t->lost, b->read, limit->max) : t->lost > limit->max;
    if (too_many)
        return tm_error_set(err, TM_E_STRICT, "%llu of %llu events were dropped; tm-emit -f report says why",
                            (unsigned long long)t->lost, (unsigned long long)b->read);
    if (limit->strict && t->lost_definitions > 0)
        return tm_error_set(err, TM_E_STRICT, "%llu definitions of tracks, threads and the like were dropped; "
                                              "tm-emit -f report says why",
                            (unsigned long long)t->lost_definitions);
    if (limit->strict && t->skipped_bytes > 0)
        return tm_error_set(err, TM_E_STRICT, "%llu bytes of input were skipped; tm-emit -f report says where",
                            (unsigned long long)t->skipped_bytes);
    return TM_OK;
}

enum tm_status tm_accounting_limit_parse(struct tm_accounting_limit *limit, const char *text)
{
    size_t len = strlen(text);
    int64_t max;
    bool is_percent = len > 0 && text[len - 1] == '%';
    enum tm_status st = is_percent ? tm_decimal_scale(text, len - 1, PERCENT_SCALE, &max)
                                   : tm_decimal_int(text, len, &max);
    if (st != TM_OK || max < 0 || (is_percent && max > MILLION))
        return TM_E_USAGE;
    limit->has_max = true;
    limit->is_percent = is_percent;
    limit->max = (uint64_t)max;
    return TM_OK;
}

void tm_accounting_release(struct tm_accounting *b)
{
    free(b->files);
    *b = (struct tm_accounting){0};
}
