#include "format/perfetto/heap_totals.h"

#include <stdlib.h>

static enum tm_status check_limit(const struct tm_table *table, struct tm_error *err)
{
    if (table->count < TM_HEAP_TOTALS_MAX)
        return TM_OK;
    return tm_error_set(err, TM_E_INPUT, "heap profiles with more than %d call stacks", TM_HEAP_TOTALS_MAX);
}

/* Sets *NUMBER to the number of KEY in TABLE. A new key gets NEXT. */
static enum tm_status find(struct tm_table *table, const struct tm_key *key, int64_t next, int64_t *number,
                           struct tm_error *err)
{
    *number = tm_table_find(table, key);
    if (*number != TM_TABLE_NONE)
        return TM_OK;
    *number = next;
    enum tm_status st = check_limit(table, err);
    return st < 0 ? st : tm_table_set(table, key, next, err);
}

/* Sets *INDEX to the index of the counts of KEY in TABLE. The counts of a new key are 0. */
static enum tm_status counts_of(struct tm_heap_totals *t, struct tm_table *table, const struct tm_key *key,
                                int64_t *index, struct tm_error *err)
{
    enum tm_status st = tm_array_grow(&t->counts, &t->cap, t->count, sizeof *t->counts, err);
    if (st < 0 || (st = find(table, key, t->count, index, err)) < 0)
        return st;
    if (*index == t->count)
        t->counts[t->count++] = (struct tm_heap_counts){0};
    return TM_OK;
}

/* Sums and differences wrap, because a file can state any numbers. */
static int64_t sum(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t difference(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static struct tm_heap_counts plus(struct tm_heap_counts a, struct tm_heap_counts b)
{
    return (struct tm_heap_counts){sum(a.allocated_bytes, b.allocated_bytes), sum(a.allocated_count, b.allocated_count),
                                   sum(a.freed_bytes, b.freed_bytes), sum(a.freed_count, b.freed_count)};
}

static struct tm_heap_counts minus(struct tm_heap_counts a, struct tm_heap_counts b)
{
    return (struct tm_heap_counts){difference(a.allocated_bytes, b.allocated_bytes),
                                   difference(a.allocated_count, b.allocated_count),
                                   difference(a.freed_bytes, b.freed_bytes), difference(a.freed_count, b.freed_count)};
}

static bool is_negative(const struct tm_heap_counts *c)
{
    return c->allocated_bytes < 0 || c->allocated_count < 0 || c->freed_bytes < 0 || c->freed_count < 0;
}

/* If the id of S is new for its stack, notes the stack's totals. Counts of samples with the id are added to them. */
static enum tm_status note_base(struct tm_heap_totals *t, const struct tm_heap_sample *s, int64_t stack, int64_t total,
                                struct tm_error *err)
{
    const struct tm_key key = {(uint64_t)stack, s->stack_id, s->pid ^ s->heap};
    const struct tm_key base = {s->stack_id, 0, 0};
    int64_t index;
    if (tm_table_find(&t->seen, &key) != TM_TABLE_NONE)
        return TM_OK;
    enum tm_status st = find(&t->seen, &key, 0, &index, err);
    if (st < 0)
        return st;
    if ((st = counts_of(t, &t->bases, &base, &index, err)) == TM_OK)
        t->counts[index] = t->counts[total];
    return st;
}

enum tm_status tm_heap_totals_add(struct tm_heap_totals *t, const struct tm_heap_sample *s,
                                  struct tm_heap_counts *change, struct tm_error *err)
{
    const struct tm_key frames = {s->frames[0], s->frames[1], 0}, base = {s->stack_id, 0, 0};
    int64_t stack, total;
    enum tm_status st = find(&t->stacks, &frames, t->stacks.count, &stack, err);
    if (st < 0)
        return st;
    const struct tm_key owner = {s->pid, (uint64_t)stack, 0};
    if ((st = counts_of(t, &t->totals, &owner, &total, err)) < 0 || (st = note_base(t, s, stack, total, err)) < 0)
        return st;
    struct tm_heap_counts now = plus(s->counts, t->counts[tm_table_find(&t->bases, &base)]);
    *change = minus(now, t->counts[total]);
    if (is_negative(change))
        return TM_END;
    t->counts[total] = now;
    return TM_OK;
}

void tm_heap_totals_release(struct tm_heap_totals *t)
{
    tm_table_release(&t->stacks);
    tm_table_release(&t->totals);
    tm_table_release(&t->seen);
    tm_table_release(&t->bases);
    free(t->counts);
    *t = (struct tm_heap_totals){0};
}
