#include "stream/event_counts.h"

#include "base/checked.h"
#include "base/table.h"
#include "stream/reader.h"

#include <stdlib.h>

/* Returns NUMBER / 2^BY, rounded down. */
static int64_t shifted(int64_t number, uint32_t by)
{
    return number < 0 ? ~(~number >> by) : number >> by;
}

static int compare_bins(const void *pa, const void *pb)
{
    const struct tm_event_bin *a = pa, *b = pb;
    return (a->number > b->number) - (a->number < b->number);
}

static void sort(struct tm_event_counts *c)
{
    if (c->count)
        qsort(c->bins, c->count, sizeof *c->bins, compare_bins);
}

static void join(struct tm_event_bin *bin, const struct tm_event_bin *other)
{
    bin->count += other->count;
    bin->bytes += other->bytes;
}

/* Sorts the bins, and joins them to bins of 2^SHIFT ns. */
static enum tm_status coarsen(struct tm_event_counts *c, uint32_t shift, struct tm_error *err)
{
    uint32_t kept = 0;
    sort(c);
    for (uint32_t i = 0; i < c->count; i++) {
        struct tm_event_bin bin = c->bins[i];
        bin.number = shifted(bin.number, shift - c->shift);
        if (kept && c->bins[kept - 1].number == bin.number)
            join(&c->bins[kept - 1], &bin);
        else
            c->bins[kept++] = bin;
    }
    c->count = kept;
    c->shift = shift;
    c->last = 0;
    tm_map_clear(&c->of_number);
    for (uint32_t i = 0; i < kept; i++)
        if (tm_map_set(&c->of_number, (uint64_t)c->bins[i].number, i) != TM_OK)
            return tm_error_nomem(err);
    return TM_OK;
}

/* Adds BIN, whose number is one of the current shift. Coarsens all bins if there are too many. */
static enum tm_status add_bin(struct tm_event_counts *c, const struct tm_event_bin *bin, struct tm_error *err)
{
    if (bin->bytes > UINT64_MAX - c->total_bytes)
        return tm_error_set(err, TM_E_INPUT, "the bytes of events exceed 64 bits");
    c->total_bytes += bin->bytes;
    if ((c->last < c->count && c->bins[c->last].number == bin->number) ||
        tm_map_find(&c->of_number, (uint64_t)bin->number, &c->last)) {
        join(&c->bins[c->last], bin);
        return TM_OK;
    }
    if (tm_array_grow(&c->bins, &c->cap, c->count, sizeof *c->bins, err) < 0)
        return TM_E_SYSTEM;
    if (tm_map_set(&c->of_number, (uint64_t)bin->number, c->count) != TM_OK)
        return tm_error_nomem(err);
    c->last = c->count;
    c->bins[c->count++] = *bin;
    enum tm_status st = TM_OK;
    while (st == TM_OK && c->count > TM_EVENT_BINS_MAX)
        st = coarsen(c, c->shift + 1, err);
    return st;
}

enum tm_status tm_event_counts_add(struct tm_event_counts *c, int64_t time_ns, uint64_t count, uint64_t bytes,
                                   struct tm_error *err)
{
    return bytes ? add_bin(c, &(struct tm_event_bin){shifted(time_ns, c->shift), count, bytes}, err) : TM_OK;
}

static enum tm_status damaged(struct tm_error *err)
{
    return tm_error_set(err, TM_E_INPUT, "the counts of events are damaged");
}

enum tm_status tm_event_counts_add_message(struct tm_event_counts *c, const Tracemerge__EventCounts *m,
                                           struct tm_error *err)
{
    int64_t number = m->first;
    enum tm_status st = TM_OK;
    if (m->n_gap != m->n_count || m->n_gap != m->n_bytes || m->n_gap > TM_EVENT_BINS_MAX ||
        m->shift > TM_EVENT_BINS_SHIFT_MAX)
        return damaged(err);
    if (m->shift > c->shift)
        st = coarsen(c, m->shift, err);
    for (size_t i = 0; i < m->n_gap && st == TM_OK; i++) {
        bool is_next = i == 0 ? m->gap[i] == 0 : m->gap[i] > 0 && m->gap[i] <= INT64_MAX;
        int64_t last = shifted(INT64_MAX, m->shift), first = shifted(INT64_MIN, m->shift);
        if (!is_next || !tm_add_i64(number, (int64_t)m->gap[i], &number) || number > last || number < first ||
            m->bytes[i] == 0 || m->bytes[i] < m->count[i])
            return damaged(err);
        const struct tm_event_bin bin = {shifted(number, c->shift - m->shift), m->count[i], m->bytes[i]};
        st = add_bin(c, &bin, err);
    }
    return st;
}

enum tm_status tm_event_counts_add_frame(struct tm_event_counts *c, const struct tm_frame *frame, struct tm_error *err)
{
    Tracemerge__EventCounts *m =
        (Tracemerge__EventCounts *)tm_frame_message(frame, &tracemerge__event_counts__descriptor, err);
    if (m == NULL)
        return err->status;
    enum tm_status st = tm_event_counts_add_message(c, m, err);
    tracemerge__event_counts__free_unpacked(m, NULL);
    return st == TM_E_INPUT ? tm_error_prefix(err, "byte %llu", (unsigned long long)frame->offset) : st;
}

enum tm_status tm_event_counts_write(struct tm_event_counts *c, struct tm_stream_writer *writer, struct tm_error *err)
{
    Tracemerge__EventCounts m = TRACEMERGE__EVENT_COUNTS__INIT;
    m.gap = calloc((size_t)c->count + 1, sizeof *m.gap);
    m.count = calloc((size_t)c->count + 1, sizeof *m.count);
    m.bytes = calloc((size_t)c->count + 1, sizeof *m.bytes);
    enum tm_status st = m.gap && m.count && m.bytes ? coarsen(c, c->shift, err) : tm_error_nomem(err);
    m.shift = c->shift;
    m.first = c->count ? c->bins[0].number : 0;
    m.n_gap = m.n_count = m.n_bytes = c->count;
    for (uint32_t i = 0; i < c->count && st == TM_OK; i++) {
        m.gap[i] = i ? (uint64_t)c->bins[i].number - (uint64_t)c->bins[i - 1].number : 0;
        m.count[i] = c->bins[i].count;
        m.bytes[i] = c->bins[i].bytes;
    }
    if (st == TM_OK)
        st = tm_stream_write_message(writer, TM_FRAME_EVENT_COUNTS, &m.base, err);
    free(m.gap);
    free(m.count);
    free(m.bytes);
    return st;
}

void tm_event_counts_divide(struct tm_event_counts *c, uint32_t part_count, int64_t *points)
{
    uint64_t before = 0; /* bytes in bins before bin i */
    uint32_t i = 0;
    (void)coarsen(c, c->shift, NULL);
    for (uint32_t p = 0; p + 1 < part_count; p++) {
        uint64_t wanted = (uint64_t)((tm_u128)c->total_bytes * (p + 1) / part_count);
        int64_t latest = INT64_MAX - (int64_t)(part_count - 2 - p);
        tm_i128 point = p ? (tm_i128)points[p - 1] + 1 : 0;
        while (i < c->count && c->bins[i].bytes <= wanted - before)
            before += c->bins[i++].bytes;
        if (i < c->count) {
            tm_i128 at = (tm_i128)c->bins[i].number * ((tm_i128)1 << c->shift) +
                         (tm_i128)(((tm_u128)(wanted - before) << c->shift) / c->bins[i].bytes);
            point = p == 0 || at > point ? at : point;
        }
        points[p] = point > latest ? latest : (int64_t)point;
    }
}

void tm_event_counts_release(struct tm_event_counts *c)
{
    free(c->bins);
    tm_map_release(&c->of_number);
    *c = (struct tm_event_counts){0};
}
