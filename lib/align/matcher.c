#include "align/matcher.h"

#include "base/table.h"

#include <stdlib.h>
#include <string.h>

/* Records with equal key and rule, in the order of by_key: by role, file, time. */
struct group {
    const struct tm_record *records;
    uint32_t count;
};

struct work {
    struct tm_match_log *log;
    struct tm_match_member *members;
    uint32_t member_cap;
    struct tm_error *err;
};

static int by_key(const void *a, const void *b)
{
    const struct tm_record *p = a, *q = b;
    if (p->key != q->key)
        return p->key < q->key ? -1 : 1;
    if (p->rule != q->rule)
        return p->rule < q->rule ? -1 : 1;
    if (p->role != q->role)
        return p->role < q->role ? -1 : 1;
    if (p->node != q->node)
        return p->node < q->node ? -1 : 1;
    if (p->begin_ns != q->begin_ns)
        return p->begin_ns < q->begin_ns ? -1 : 1;
    return p->end_ns < q->end_ns ? -1 : p->end_ns > q->end_ns;
}

static bool is_sorted(const struct tm_record *records, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (by_key(&records[i - 1], &records[i]) > 0)
            return false;
    return true;
}

/* Sorts RECORDS. Their keys are hashes, so buckets by key have similar sizes. Records with one key were mostly added in
 * order, so many buckets need no sorting. */
static enum tm_status sort(struct tm_record *records, uint32_t count, struct tm_error *err)
{
    enum { BUCKET_BITS = 10, BUCKETS = 1 << BUCKET_BITS, FEW = 1 << 8 };
    uint32_t starts[BUCKETS + 1] = {0}, first = 0;
    struct tm_record *sorted;
    if (count < FEW) {
        qsort(records, count, sizeof *records, by_key);
        return TM_OK;
    }
    if ((sorted = malloc(count * sizeof *sorted)) == NULL)
        return tm_error_nomem(err);
    for (uint32_t i = 0; i < count; i++)
        starts[(records[i].key >> (64 - BUCKET_BITS)) + 1]++;
    for (uint32_t i = 1; i <= BUCKETS; i++)
        starts[i] += starts[i - 1];
    for (uint32_t i = 0; i < count; i++)
        sorted[starts[records[i].key >> (64 - BUCKET_BITS)]++] = records[i];
    for (uint32_t i = 0; i < BUCKETS; first = starts[i++]) /* a start has become the start of the next bucket */
        if (!is_sorted(sorted + first, starts[i] - first))
            qsort(sorted + first, starts[i] - first, sizeof *sorted, by_key);
    memcpy(records, sorted, count * sizeof *records);
    free(sorted);
    return TM_OK;
}

static bool has_two_files(const struct group *g)
{
    for (uint32_t i = 1; i < g->count; i++)
        if (g->records[i].node != g->records[0].node)
            return true;
    return false;
}

static struct group with_role(const struct group *g, enum tm_role role)
{
    uint32_t first = 0, last;
    while (first < g->count && g->records[first].role != role)
        first++;
    for (last = first; last < g->count && g->records[last].role == role;)
        last++;
    return (struct group){g->records + first, last - first};
}

static enum tm_status put(struct work *w, const struct tm_record *like, uint32_t count)
{
    const struct tm_match match = {like->rule, like->form, count, w->members};
    return count < 2 ? TM_OK : tm_match_log_add(w->log, &match, w->err);
}

static struct tm_match_member member_of(const struct tm_record *r)
{
    return (struct tm_match_member){r->begin_ns, r->end_ns, r->node, r->name};
}

static bool has_node(const struct group *g, uint32_t node)
{
    for (uint32_t i = 0; i < g->count; i++)
        if (g->records[i].node == node)
            return true;
    return false;
}

/* True if a file has records in both groups, each of one role. */
static bool have_one_node(const struct group *a, const struct group *b)
{
    for (uint32_t i = 0, k = 0; i < a->count && k < b->count;) {
        if (a->records[i].node == b->records[k].node)
            return true;
        if (a->records[i].node < b->records[k].node)
            i++;
        else
            k++;
    }
    return false;
}

static bool is_of_one_file(const struct group *g)
{
    return g->count > 0 && g->records[0].node == g->records[g->count - 1].node;
}

/* Matches each cause of one file with an effect of another, the nth with the nth. */
static enum tm_status pair_in_order(struct work *w, const struct group *causes, const struct group *effects)
{
    enum tm_status st = TM_OK;
    if (!is_of_one_file(causes) || !is_of_one_file(effects) || causes->count != effects->count ||
        causes->records->node == effects->records->node)
        return TM_OK;
    for (uint32_t i = 0; i < causes->count && st == TM_OK; i++) {
        w->members[0] = member_of(&causes->records[i]);
        w->members[1] = member_of(&effects->records[i]);
        st = put(w, &causes->records[i], 2);
    }
    return st;
}

/* A flow has one start. Steps and ends in other files are after it, and an end is after steps in other files. An end in
 * another file belongs to another flow if the start's own file has an end too, since files often use equal numbers by
 * chance. */
static enum tm_status match_flow(struct work *w, const struct group *g)
{
    struct group causes = with_role(g, TM_ROLE_CAUSE), steps = with_role(g, TM_ROLE_STEP),
                 effects = with_role(g, TM_ROLE_EFFECT);
    if (steps.count == 0 && causes.count > 1)
        return have_one_node(&causes, &effects) ? TM_OK : pair_in_order(w, &causes, &effects);
    if (causes.count != 1)
        return TM_OK;
    const struct tm_record *cause = causes.records;
    bool is_local = has_node(&effects, cause->node);
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < steps.count + effects.count && st == TM_OK; i++) {
        const struct tm_record *r = i < steps.count ? &steps.records[i] : &effects.records[i - steps.count];
        if (r->node == cause->node || (r->role == TM_ROLE_EFFECT && is_local))
            continue;
        w->members[0] = member_of(cause);
        w->members[1] = member_of(r);
        st = put(w, cause, 2);
    }
    for (uint32_t i = 0; i < steps.count && effects.count == 1 && st == TM_OK; i++) {
        if (steps.records[i].node == effects.records->node)
            continue;
        w->members[0] = member_of(&steps.records[i]);
        w->members[1] = member_of(effects.records);
        st = put(w, cause, 2);
    }
    return st;
}

/* Matches a span with the spans in other files that it called. */
static enum tm_status match_call(struct work *w, const struct group *g)
{
    struct group causes = with_role(g, TM_ROLE_CAUSE), effects = with_role(g, TM_ROLE_EFFECT);
    enum tm_status st = TM_OK;
    if (causes.count != 1)
        return TM_OK;
    for (uint32_t i = 0; i < effects.count && st == TM_OK; i++) {
        if (effects.records[i].node == causes.records->node)
            continue;
        struct tm_record like = *causes.records;
        if (effects.records[i].form == TM_MATCH_FLOW)
            like.form = TM_MATCH_FLOW;
        w->members[0] = member_of(causes.records);
        w->members[1] = member_of(&effects.records[i]);
        st = put(w, &like, 2);
    }
    return st;
}

/* The nth record of a file matches the nth of each other file if all files have the same number of records. */
static enum tm_status match_equal(struct work *w, const struct group *g)
{
    enum tm_status st = TM_OK;
    uint32_t each = 0, files = 0;
    for (uint32_t first = 0, last; first < g->count; first = last, files++) {
        for (last = first + 1; last < g->count && g->records[last].node == g->records[first].node;)
            last++;
        if (first > 0 && last - first != each)
            return TM_OK;
        each = last - first;
    }
    for (uint32_t i = 0; i < each && st == TM_OK; i++) {
        for (uint32_t f = 0; f < files; f++)
            w->members[f] = member_of(&g->records[f * each + i]);
        st = put(w, g->records, files);
    }
    return st;
}

/* Takes one record of each file, its longest. The longest of all becomes the first member. */
static enum tm_status match_longer(struct work *w, const struct group *g)
{
    uint32_t n = 0, longest = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        struct tm_match_member m = member_of(&g->records[i]);
        uint32_t at = n > 0 && w->members[n - 1].node == m.node ? n - 1 : n;
        if (at == n || m.end_ns - m.begin_ns > w->members[at].end_ns - w->members[at].begin_ns)
            w->members[at] = m;
        n = at + 1;
    }
    for (uint32_t i = 1; i < n; i++)
        if (w->members[i].end_ns - w->members[i].begin_ns > w->members[longest].end_ns - w->members[longest].begin_ns)
            longest = i;
    const struct tm_match_member first = w->members[0];
    w->members[0] = w->members[longest];
    w->members[longest] = first;
    return put(w, g->records, n);
}

static enum tm_status match_group(struct work *w, const struct group *g)
{
    if (!has_two_files(g))
        return TM_OK;
    if (tm_array_grow(&w->members, &w->member_cap, (uint32_t)g->count - 1, sizeof *w->members, w->err) < 0)
        return TM_E_SYSTEM;
    switch (g->records->form) {
    case TM_MATCH_FLOW:
    case TM_MATCH_CALL: {
        struct group steps = with_role(g, TM_ROLE_STEP);
        bool is_call = steps.count == 0 && g->records[g->count - 1].form == TM_MATCH_CALL;
        return is_call || g->records->form == TM_MATCH_CALL ? match_call(w, g) : match_flow(w, g);
    }
    case TM_MATCH_SEND: {
        struct group causes = with_role(g, TM_ROLE_CAUSE), effects = with_role(g, TM_ROLE_EFFECT);
        return pair_in_order(w, &causes, &effects);
    }
    case TM_MATCH_LONGER: return match_longer(w, g);
    default: return match_equal(w, g);
    }
}

enum tm_status tm_matcher_run(const struct tm_candidates *candidates, struct tm_match_log *log, struct tm_error *err)
{
    struct work w = {.log = log, .err = err};
    enum tm_status st = TM_OK;
    for (uint32_t part = 0; part < candidates->numbered.part_count && st == TM_OK; part++) {
        struct tm_record *records;
        uint32_t count, n = 0;
        st = tm_record_store_load(&candidates->numbered, part, &records, &count, err);
        for (uint32_t i = 0; st == TM_OK && i < count; i++)
            if (records[i].grade == 0 || records[i].grade == candidates->nodes.nodes[records[i].node].grade)
                records[n++] = records[i];
        if (st == TM_OK)
            st = sort(records, n, err);
        for (uint32_t first = 0, last; first < n && st == TM_OK; first = last) {
            for (last = first + 1;
                 last < n && records[last].key == records[first].key && records[last].rule == records[first].rule;)
                last++;
            const struct group g = {records + first, last - first};
            st = match_group(&w, &g);
        }
        free(records);
    }
    free(w.members);
    return st;
}
