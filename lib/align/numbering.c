#include "align/numbering.h"

#include "align/misnumbered.h"
#include "align/passages.h"
#include "align/rhythm.h"
#include "base/hash.h"
#include "base/order.h"
#include "base/search.h"
#include "base/table.h"

#include <stdlib.h>

/* Passages are tried if each recording has so many beats without a counterpart. */
enum { RAGGED_MIN = 16 };

/* The beats of one group in two files. */
struct beats {
    struct tm_beat *a, *b;
    uint32_t a_count, b_count;
};

/* The sequences of a file: its records by group and time. */
struct sequences {
    struct tm_record *records;
    uint32_t count;
};

/* A group, and the first file that has it. */
struct anchor {
    uint64_t key;
    uint32_t node;
};

/* The records of one key in the file NODE. */
struct record_group {
    const struct tm_record *records;
    uint32_t count, node;
    uint32_t other; /* the first file that has them */
};

struct work {
    struct tm_numbering *numbering;
    struct tm_candidates *candidates;
    struct tm_table index; /* of anchors, by key */
    struct anchor *anchors;
    uint32_t anchor_count, anchor_cap;
    uint32_t anchor_node; /* node of `loaded' */
    struct sequences loaded;
    struct record_group *groups; /* of the current file: those that other files have, too */
    uint32_t group_count, group_cap;
};

static int by_group_and_time(const void *a, const void *b)
{
    const struct tm_record *p = a, *q = b;
    if (p->key != q->key)
        return p->key < q->key ? -1 : 1;
    if (p->end_ns != q->end_ns)
        return p->end_ns < q->end_ns ? -1 : 1;
    if (p->begin_ns != q->begin_ns)
        return p->begin_ns < q->begin_ns ? -1 : 1;
    return p->symbol < q->symbol ? -1 : p->symbol > q->symbol;
}

static bool is_used(const struct tm_align_node *node, const struct tm_record *r)
{
    bool is_all_to_all = (node->operations & (TM_OPERATION_ALL_TO_ALL | TM_OPERATION_PAIR)) == TM_OPERATION_ALL_TO_ALL;
    return (r->grade == 0 || r->grade == node->grade) && (!(r->operation & TM_OPERATION_SEND_RECV) || is_all_to_all);
}

/* Loads the records of NODE, sorted by group and time. If a file records one set of operations in several ways, only
 * the best is kept. */
static enum tm_status load(const struct tm_candidates *c, const struct tm_record_store *store, uint32_t node,
                           struct sequences *to, struct tm_error *err)
{
    uint32_t n = 0;
    free(to->records);
    *to = (struct sequences){.records = NULL};
    enum tm_status st = tm_record_store_load(store, node, &to->records, &to->count, err);
    for (uint32_t i = 0; st == TM_OK && i < to->count; i++)
        if (is_used(&c->nodes.nodes[node], &to->records[i]))
            to->records[n++] = to->records[i];
    to->count = n;
    if (n > 0)
        qsort(to->records, n, sizeof *to->records, by_group_and_time);
    return st;
}

static struct tm_beat *beats_of(const struct tm_record *records, uint32_t count)
{
    struct tm_beat *beats = calloc(count, sizeof *beats);
    for (uint32_t i = 0; beats && i < count; i++)
        beats[i] = (struct tm_beat){records[i].end_ns, records[i].symbol};
    return beats;
}

/* Finds the records of KEY in S. Returns the index of the first, and sets *COUNT. */
static uint32_t find_group(const struct sequences *s, uint64_t key, uint32_t *count)
{
    uint32_t low = tm_search_u64(s->records, s->count, TM_SEARCH_FIELD(struct tm_record, key), key);
    for (*count = 0; low + *count < s->count && s->records[low + *count].key == key;)
        ++*count;
    return low;
}

/* Adds RECORDS of one group to the numbered store. Record I gets the number I - SHIFT. */
static enum tm_status put_numbered(struct work *w, const struct tm_record *records, uint32_t count, int64_t shift,
                                   struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < count && st == TM_OK; i++) {
        struct tm_record record = records[i];
        const uint64_t parts[] = {record.key, (uint64_t)((int64_t)i - shift), record.symbol};
        record.key = tm_hash64_numbers(parts, 3, 0);
        st = tm_record_store_add(&w->candidates->numbered, tm_candidates_part(record.key), &record, err);
    }
    return st;
}

/* Gives the records NUMBERS, which are those of beats of the first file. Records without a number are not used. */
static enum tm_status put_by_passages(struct work *w, const struct tm_record *records, uint32_t count,
                                      const int32_t *numbers, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < count && st == TM_OK; i++)
        if (numbers[i] != TM_PASSAGES_NONE)
            st = put_numbered(w, &records[i], 1, -(int64_t)numbers[i], err);
    return st;
}

/* Returns the median of the differences between beats of A and beats of B shifted by SHIFT. */
static int64_t offset_at(const struct beats *beats, int64_t shift)
{
    enum { MOST = 256 };
    int64_t offsets[MOST];
    uint32_t n = 0, step = beats->a_count / MOST + 1;
    for (uint32_t i = 0; i < beats->a_count && n < MOST; i += step) {
        int64_t at = (int64_t)i + shift;
        if (at >= 0 && at < (int64_t)beats->b_count)
            offsets[n++] = beats->a[i].ns - beats->b[at].ns;
    }
    qsort(offsets, n, sizeof *offsets, tm_order_i64);
    return n ? offsets[n / 2] : 0;
}

static enum tm_status note(struct tm_numbering_result **list, uint32_t *count, uint32_t *cap,
                           const struct tm_numbering_result *result, struct tm_error *err)
{
    if (tm_array_grow(list, cap, *count, sizeof **list, err) < 0)
        return err->status;
    (*list)[(*count)++] = *result;
    return TM_OK;
}

/* Returns the number of beats that B and A have in common if SHIFT is right. */
static uint32_t overlap(const struct beats *beats, int64_t shift)
{
    int64_t first = shift < 0 ? -shift : 0, end = (int64_t)beats->b_count - shift;
    if (end > (int64_t)beats->a_count)
        end = beats->a_count;
    return end > first ? (uint32_t)(end - first) : 0;
}

/* True if SHIFT leaves parts of both recordings without a counterpart. They may be from different times. Or one
 * clock was set back by more than the length of the recording, and later events precede earlier ones. */
static bool is_ragged(const struct beats *beats, int64_t shift)
{
    uint32_t common = overlap(beats, shift);
    return beats->a_count - common >= RAGGED_MIN && beats->b_count - common >= RAGGED_MIN;
}

/* True if NUMBERS of B relate the beats that SHIFT leaves without a counterpart: at least two fifths of the possible
 * ones. */
static bool is_more(const struct beats *beats, const int32_t *numbers, int64_t shift)
{
    uint32_t common = overlap(beats, shift), more = 0;
    uint32_t shorter = beats->a_count < beats->b_count ? beats->a_count : beats->b_count;
    for (uint32_t i = 0; i < beats->b_count; i++) {
        int64_t at = (int64_t)i - shift;
        more += (at < 0 || at >= (int64_t)beats->a_count) && numbers[i] != TM_PASSAGES_NONE;
    }
    return more >= RAGGED_MIN / 2 && more * 5 >= (shorter - common) * 2;
}

/* Tries passages for the beats of two recordings. No single shift fits them (SHIFT is NULL), or SHIFT fits only in
 * part. TM_OK: the RECORDS of B are numbered now. TM_END: they are not. */
static enum tm_status compare_passages(struct work *w, const struct tm_record *records, const struct beats *beats,
                                       const int64_t *shift, struct tm_error *err)
{
    bool is_done = false;
    if (beats->a_count > TM_PASSAGES_BEATS_MAX || beats->b_count > TM_PASSAGES_BEATS_MAX)
        return TM_END;
    int32_t *numbers = malloc(beats->b_count * sizeof *numbers);
    const struct tm_beats a = {beats->a, beats->a_count}, b = {beats->b, beats->b_count};
    enum tm_status st = numbers ? tm_passages_find(numbers, &is_done, a, b, err) : tm_error_nomem(err);
    is_done = is_done && (shift == NULL || is_more(beats, numbers, *shift));
    if (st == TM_OK)
        st = is_done ? put_by_passages(w, records, beats->b_count, numbers, err) : TM_END;
    free(numbers);
    return st;
}

/* Numbers RECORDS by RHYTHM's shift, except those that it gives a wrong counterpart. */
static enum tm_status put_by_shift(struct work *w, const struct tm_record *records, const struct beats *beats,
                                   const struct tm_rhythm *rhythm, struct tm_error *err)
{
    const struct tm_beats a = {beats->a, beats->a_count}, b = {beats->b, beats->b_count};
    bool *wrong = malloc(b.count * sizeof *wrong);
    if (wrong == NULL)
        return tm_error_nomem(err);
    tm_misnumbered_find(wrong, a, b, rhythm->shift, rhythm->usual_ns);
    enum tm_status st = TM_OK;
    for (uint32_t i = 0, end; i < b.count && st == TM_OK; i = end) {
        for (end = i; end < b.count && wrong[end] == wrong[i];)
            end++;
        if (!wrong[i])
            st = put_numbered(w, records + i, end - i, rhythm->shift - (int64_t)i, err);
    }
    free(wrong);
    return st;
}

/* Compares GROUP with the same group of the other file, which is loaded, and numbers it. */
static enum tm_status compare(struct work *w, const struct record_group *group, struct tm_error *err)
{
    const struct tm_record *records = group->records;
    const uint32_t count = group->count;
    struct tm_numbering *n = w->numbering;
    struct tm_rhythm rhythm = {.is_found = false};
    uint32_t a_count, at = find_group(&w->loaded, records->key, &a_count);
    if (a_count < 2 || count < 2 || a_count > TM_RHYTHM_BEATS_MAX || count > TM_RHYTHM_BEATS_MAX)
        return TM_OK;
    struct beats beats = {beats_of(w->loaded.records + at, a_count), beats_of(records, count), a_count, count};
    const struct tm_beats a = {beats.a, a_count}, b = {beats.b, count};
    enum tm_status st = beats.a && beats.b ? tm_rhythm_find(&rhythm, a, b, err) : tm_error_nomem(err);
    bool is_done = false, fits = rhythm.is_found && !rhythm.is_ambiguous && rhythm.is_even;
    if (st == TM_OK && (!fits || is_ragged(&beats, rhythm.shift))) {
        st = compare_passages(w, records, &beats, fits ? &rhythm.shift : NULL, err);
        is_done = st == TM_OK;
    }
    st = st == TM_END ? TM_OK : st;
    if (st == TM_OK && rhythm.is_found && !is_done) {
        const struct tm_numbering_result result = {group->node, group->other, records->rule,
                                                   offset_at(&beats, rhythm.shift),
                                                   rhythm.has_second ? offset_at(&beats, rhythm.second_shift) : 0};
        if (rhythm.is_ambiguous)
            st = note(&n->ambiguous, &n->ambiguous_count, &n->ambiguous_cap, &result, err);
        else if (rhythm.has_second)
            st = note(&n->seconds, &n->second_count, &n->second_cap, &result, err);
        if (st == TM_OK && !rhythm.is_ambiguous)
            st = put_by_shift(w, records, &beats, &rhythm, err);
    }
    free(beats.a);
    free(beats.b);
    return st;
}

static enum tm_status add_anchor(struct work *w, uint64_t key, uint32_t node, struct tm_error *err)
{
    if (tm_array_grow(&w->anchors, &w->anchor_cap, w->anchor_count, sizeof *w->anchors, err) < 0 ||
        tm_table_set(&w->index, &(struct tm_key){key, 0, 0}, w->anchor_count, err) < 0)
        return err->status;
    w->anchors[w->anchor_count++] = (struct anchor){key, node};
    return TM_OK;
}

/* Numbers GROUP if its file is the first that has it. Otherwise lists it. */
static enum tm_status take_group(struct work *w, struct record_group *group, struct tm_error *err)
{
    const struct tm_record *records = group->records;
    const uint32_t node = group->node;
    int64_t at = tm_table_find(&w->index, &(struct tm_key){records->key, 0, 0});
    const struct anchor *anchor = at == TM_TABLE_NONE ? NULL : &w->anchors[at];
    if (records->role == TM_ROLE_MARK && (anchor == NULL || anchor->node == node))
        return TM_OK;
    if (anchor == NULL)
        return add_anchor(w, records->key, node, err) < 0 ? err->status
                                                          : put_numbered(w, records, group->count, 0, err);
    group->other = anchor->node;
    if (tm_array_grow(&w->groups, &w->group_cap, w->group_count, sizeof *w->groups, err) < 0)
        return err->status;
    w->groups[w->group_count++] = *group;
    return TM_OK;
}

static int by_other(const void *a, const void *b)
{
    const struct record_group *p = a, *q = b;
    if (p->other != q->other)
        return p->other < q->other ? -1 : 1;
    return p->records < q->records ? -1 : p->records > q->records;
}

/* Compares the listed groups, those of one file after another, so that each file is loaded once. */
static enum tm_status compare_groups(struct work *w, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (w->group_count > 0)
        qsort(w->groups, w->group_count, sizeof *w->groups, by_other);
    for (uint32_t i = 0; i < w->group_count && st == TM_OK; i++) {
        const uint32_t other = w->groups[i].other;
        if (other != w->anchor_node || w->loaded.records == NULL) {
            w->anchor_node = other;
            st = load(w->candidates, &w->candidates->ordinal, other, &w->loaded, err);
        }
        if (st == TM_OK)
            st = compare(w, &w->groups[i], err);
    }
    w->group_count = 0;
    return st;
}

static enum tm_status number_store(struct work *w, const struct tm_record_store *store, struct tm_error *err)
{
    struct sequences own = {.records = NULL};
    enum tm_status st = TM_OK;
    for (uint32_t node = 0; node < store->part_count && st == TM_OK; node++) {
        if (tm_record_store_count(store, node) == 0)
            continue;
        st = load(w->candidates, store, node, &own, err);
        for (uint32_t first = 0, last; first < own.count && st == TM_OK; first = last) {
            for (last = first + 1; last < own.count && own.records[last].key == own.records[first].key;)
                last++;
            st = take_group(w, &(struct record_group){own.records + first, last - first, node, node}, err);
        }
        if (st == TM_OK)
            st = compare_groups(w, err);
    }
    free(own.records);
    return st;
}

enum tm_status tm_numbering_apply(struct tm_numbering *numbering, struct tm_candidates *candidates,
                                  struct tm_error *err)
{
    struct work w = {.numbering = numbering, .candidates = candidates};
    enum tm_status st = number_store(&w, &candidates->ordinal, err);
    if (st == TM_OK && candidates->has_kernel_marks)
        st = number_store(&w, &candidates->marks, err);
    free(w.loaded.records);
    free(w.anchors);
    free(w.groups);
    tm_table_release(&w.index);
    return st;
}

void tm_numbering_release(struct tm_numbering *numbering)
{
    free(numbering->ambiguous);
    free(numbering->seconds);
    *numbering = (struct tm_numbering){0};
}
