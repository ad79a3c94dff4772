#include "align/alignment.h"

#include "align/matcher.h"

#include <stdlib.h>

const char *tm_verdict_name(enum tm_verdict verdict)
{
    switch (verdict) {
    case TM_VERDICT_REFERENCE: return "reference";
    case TM_VERDICT_ALIGNED: return "aligned";
    case TM_VERDICT_ONE_SIDED: return "one-sided";
    case TM_VERDICT_STEPPED: return "stepped";
    case TM_VERDICT_AMBIGUOUS: return "ambiguous";
    case TM_VERDICT_CONTRADICTORY: return "contradictory";
    default: return "none";
    }
}

/* Finds the placement of most events of each file. */
static enum tm_status find_placements(struct tm_alignment *a, struct tm_error *err)
{
    const struct tm_catalog *c = &a->candidates.catalog;
    a->placements = calloc((size_t)c->file_count + 1, sizeof *a->placements);
    if (a->placements == NULL)
        return tm_error_nomem(err);
    for (uint32_t i = 0; i < c->placement_count; i++) {
        const Tracemerge__Placement *p = c->placements[i];
        const Tracemerge__Placement **most = p->file < c->file_count ? &a->placements[p->file] : NULL;
        if (most && (*most == NULL || p->placed_count > (*most)->placed_count))
            *most = p;
    }
    return TM_OK;
}

const Tracemerge__Placement *tm_alignment_placement(const struct tm_alignment *a, uint32_t file)
{
    return file < a->candidates.catalog.file_count ? a->placements[file] : NULL;
}

/* Sets *OFFSET to the number added to the readings of FILE to place it. False, with 0, if it is not one number. */
static bool find_placed(const struct tm_alignment *a, uint32_t file, int64_t *offset)
{
    const Tracemerge__Placement *most = tm_alignment_placement(a, file);
    bool is_one = most && most->first_offset_ns == most->last_offset_ns &&
                  tm_clamp(most->first_offset_ns, TM_OFFSET_MAX) == most->first_offset_ns;
    *offset = is_one ? most->first_offset_ns : 0;
    return is_one;
}

bool tm_alignment_is_placed_by_one(const struct tm_alignment *a, uint32_t file)
{
    int64_t offset;
    return find_placed(a, file, &offset);
}

static int64_t placed_by(const struct tm_alignment *a, uint32_t file)
{
    int64_t offset;
    (void)find_placed(a, file, &offset);
    return offset;
}

static int64_t plus(int64_t offset, int64_t shift)
{
    return tm_clamp((tm_i128)offset + shift, INT64_MAX);
}

static int64_t moved(int64_t bound, int64_t by)
{
    return bound == TM_UNBOUNDED_HIGH || bound == TM_UNBOUNDED_LOW ? bound : plus(bound, by);
}

/* Raises *WIDTH to the largest possible error of V, if the truth is between LOW and HIGH. False if it is unbounded. */
static bool widen(int64_t *width, int64_t v, int64_t low, int64_t high)
{
    if (low == TM_UNBOUNDED_LOW || high == TM_UNBOUNDED_HIGH)
        return false;
    tm_i128 above = (tm_i128)high - v, below = (tm_i128)v - low;
    int64_t most = tm_clamp(above > below ? above : below, INT64_MAX - 1);
    *width = most > *width ? most : *width;
    return true;
}

/* Sets the steps of F from the lines of NODE's pair, as seen from node OWN. Subtracts OWN_SHIFT from readings and adds
 * SHIFT to offsets. */
static void set_steps(struct tm_align_file *f, const struct tm_network_node *node, uint32_t own, int64_t shift,
                      int64_t own_shift)
{
    const struct tm_pair *p = node->stepped;
    bool is_first = p->first == own;
    const struct tm_consensus *c = &p->consensus;
    f->step_count = c->count;
    for (uint32_t i = 0; i < c->count; i++) {
        struct tm_line z = c->lines[i];
        struct tm_line line = z;
        int64_t start = c->starts[i];
        if (!is_first) {
            line = tm_line_inverse(&z);
            start = plus(start, tm_line_at(&z, start));
        }
        line.at_ns = plus(line.at_ns, -own_shift);
        line.offset_ns = plus(line.offset_ns, shift);
        f->steps[i] = (struct tm_align_step){plus(start, -own_shift), line};
    }
}

/* Sets the offset of F at MIDDLE, a reading of NODE's file; SHIFT is added to offsets. */
static void set_offset(struct tm_align_file *f, const struct tm_network_node *node, int64_t middle, int64_t shift)
{
    f->has_offset = true;
    f->drift_ppb = tm_slope_ppb(node->line.slope);
    f->offset_ns = plus(tm_line_at(&node->line, middle), shift);
}

static void set_bounds(struct tm_align_file *f, const struct tm_network_node *node, int64_t shift)
{
    f->low_ns = moved(node->low_ns[TM_NETWORK_MIDDLE], shift - f->jitter_ns);
    f->high_ns = moved(node->high_ns[TM_NETWORK_MIDDLE], shift + f->jitter_ns);
}

/* Sets the uncertainty of F, whose offset is that of NODE at MIDDLE, from its first to its last time. */
static void set_uncertainty(struct tm_align_file *f, const struct tm_network_node *node,
                            const struct tm_align_node *times, int64_t middle)
{
    /* the reported line, whose drift is in whole billionths */
    const struct tm_line rounded = {middle, tm_line_at(&node->line, middle), tm_slope_of_ppb(f->drift_ppb)};
    f->has_uncertainty = true;
    for (int i = 0; i < TM_NETWORK_READINGS; i++) {
        int64_t at = tm_line_at(&rounded, tm_network_reading(times, i));
        f->has_uncertainty &= widen(&f->uncertainty_ns, at, node->low_ns[i], node->high_ns[i]);
    }
    f->uncertainty_ns = plus(f->uncertainty_ns, f->jitter_ns + 1); /* 1: error of rounding */
}

/* Sets *F to the result of node AT, in readings of the file's own clock. */
static void fill(const struct tm_alignment *a, uint32_t at, struct tm_align_file *f)
{
    const struct tm_network_node *node = &a->network.nodes[at];
    const struct tm_align_node *times = &a->candidates.nodes.nodes[at];
    *f = (struct tm_align_file){.file = times->file,
                                .out_of_range = times->out_of_range,
                                .low_ns = TM_UNBOUNDED_LOW,
                                .high_ns = TM_UNBOUNDED_HIGH};
    if (times->first_ns > times->last_ns)
        return;
    int64_t own, placed;
    bool is_placed_by_one = find_placed(a, times->file, &own);
    f->verdict = node->verdict;
    f->reference = a->candidates.nodes.nodes[node->reference].file;
    f->is_placed_by_one = find_placed(a, f->reference, &placed) && is_placed_by_one;
    f->reference_placed_ns = placed;
    f->rules = a->evidence.nodes[at].rules;
    f->matches = a->evidence.nodes[at].matches;
    f->left_out = node->left_out;
    f->grain_ns = tm_align_node_grain(times);
    f->jitter_ns = times->jitter_ns + a->candidates.nodes.nodes[node->reference].jitter_ns;
    f->has_times = true;
    f->first_ns = times->first_ns - own;
    f->last_ns = times->last_ns - own;
    const int64_t middle = times->first_ns + (times->last_ns - times->first_ns) / 2, shift = own - placed;
    f->at_ns = middle - own;
    switch (node->verdict) {
    case TM_VERDICT_ALIGNED:
        f->is_uneven = node->is_uneven;
        set_offset(f, node, middle, shift);
        set_bounds(f, node, shift);
        f->is_untested = !node->is_tested && (f->low_ns != TM_UNBOUNDED_LOW || f->high_ns != TM_UNBOUNDED_HIGH);
        set_uncertainty(f, node, times, middle);
        break;
    case TM_VERDICT_REFERENCE:
        set_offset(f, node, middle, shift);
        f->low_ns = f->high_ns = 0;
        f->has_uncertainty = true;
        break;
    case TM_VERDICT_ONE_SIDED: set_bounds(f, node, shift); break;
    case TM_VERDICT_STEPPED:
        if (node->stepped) {
            set_steps(f, node, at, shift, own);
            f->at_ns = f->steps[1].at_ns;
        }
        break;
    default: break;
    }
}

/* Reports sequences that could not be numbered, for files that nothing else relates. */
static void apply_ambiguous(struct tm_alignment *a)
{
    const struct tm_numbering *n = &a->numbering;
    for (uint32_t i = 0; i < n->ambiguous_count; i++) {
        const struct tm_numbering_result *d = &n->ambiguous[i];
        struct tm_network_node *node = &a->network.nodes[d->node], *other = &a->network.nodes[d->other];
        if (node->verdict != TM_VERDICT_NONE)
            continue;
        node->verdict = TM_VERDICT_AMBIGUOUS;
        node->reference = d->other;
        a->evidence.nodes[d->node].rules |= UINT32_C(1) << d->rule;
        if (other->verdict == TM_VERDICT_NONE)
            other->verdict = TM_VERDICT_REFERENCE;
    }
}

/* Sets the second-best offset of F, which is node AT, if its numbering has one. */
static void set_second(struct tm_alignment *a, uint32_t at, struct tm_align_file *f)
{
    const struct tm_numbering *n = &a->numbering;
    const struct tm_numbering_result *d = NULL;
    for (uint32_t i = 0; i < n->ambiguous_count && d == NULL && f->verdict == TM_VERDICT_AMBIGUOUS; i++)
        d = n->ambiguous[i].node == at ? &n->ambiguous[i] : NULL;
    for (uint32_t i = 0; i < n->second_count && d == NULL && f->verdict == TM_VERDICT_ALIGNED; i++)
        d = n->seconds[i].node == at && n->seconds[i].other == a->network.nodes[at].reference ? &n->seconds[i] : NULL;
    if (d == NULL)
        return;
    int64_t shift = placed_by(a, f->file) - placed_by(a, f->reference);
    f->has_second_best = true;
    f->second_best_ns = plus(d->second_offset_ns, shift);
    if (f->verdict == TM_VERDICT_AMBIGUOUS) {
        f->has_offset = true;
        f->offset_ns = plus(d->offset_ns, shift);
    }
}

/* Returns the processing order of FILE. A stream that another program made may have events of files that it does not
 * describe. */
static uint32_t order_of(const struct tm_catalog *c, uint32_t file)
{
    return file < c->file_count ? c->files[file].processing_order : 0;
}

/* A node and the processing order of its file. */
struct turn {
    uint32_t order, node;
};

static int compare_turns(const void *pa, const void *pb)
{
    const struct turn *a = pa, *b = pb;
    return a->order != b->order ? (a->order < b->order ? -1 : 1) : a->node < b->node ? -1 : a->node > b->node;
}

static enum tm_status report(struct tm_alignment *a, struct tm_error *err)
{
    const struct tm_catalog *c = &a->candidates.catalog;
    uint32_t count = a->candidates.nodes.count;
    a->files = calloc(count + 1, sizeof *a->files);
    struct turn *turns = calloc(count + 1, sizeof *turns);
    enum tm_status st = a->files && turns ? find_placements(a, err) : tm_error_nomem(err);
    if (st < 0) {
        free(turns);
        return st;
    }
    apply_ambiguous(a);
    for (uint32_t i = 0; i < count; i++) {
        const struct tm_align_node *times = &a->candidates.nodes.nodes[i];
        if (times->first_ns <= times->last_ns || times->out_of_range)
            turns[a->file_count++] = (struct turn){order_of(c, times->file), i};
    }
    qsort(turns, a->file_count, sizeof *turns, compare_turns);
    for (uint32_t i = 0; i < a->file_count; i++) {
        fill(a, turns[i].node, &a->files[i]);
        set_second(a, turns[i].node, &a->files[i]);
    }
    free(turns);
    return TM_OK;
}

enum tm_status tm_alignment_begin(struct tm_alignment *a, const char *rules, const char *dir, struct tm_error *err)
{
    a->candidates.numbered.file.dir = a->candidates.ordinal.file.dir = dir;
    a->candidates.marks.file.dir = a->log.file.dir = dir;
    return tm_candidates_use(&a->candidates, rules, err);
}

enum tm_status tm_alignment_add(struct tm_alignment *a, const struct tm_frame *frame, const struct tm_batch *batch,
                                struct tm_error *err)
{
    return tm_candidates_add(&a->candidates, frame, batch, err);
}

/* The steps that placed a file are at most this far from a line. */
enum { JITTER_MAX_NS = 1000000000 };

/* Notes how far the placed times of each file are from a line over the readings of its clock. */
static void note_jitter(struct tm_alignment *a)
{
    const struct tm_catalog *c = &a->candidates.catalog;
    for (uint32_t i = 0; i < c->placement_count; i++) {
        const Tracemerge__Placement *p = c->placements[i];
        bool is_small = p->step_error_ns < JITTER_MAX_NS && p->jitter_ns < JITTER_MAX_NS;
        int64_t most = is_small ? (int64_t)(p->step_error_ns + p->jitter_ns) : JITTER_MAX_NS;
        uint32_t node;
        if (p->snapshots_used < 2 || !tm_map_find(&a->candidates.nodes.of_file, p->file, &node))
            continue;
        struct tm_align_node *n = &a->candidates.nodes.nodes[node];
        n->jitter_ns = most > n->jitter_ns ? most : n->jitter_ns;
    }
}

enum tm_status tm_alignment_match(struct tm_alignment *a, struct tm_error *err)
{
    note_jitter(a);
    enum tm_status st = tm_numbering_apply(&a->numbering, &a->candidates, err);
    if (st == TM_OK)
        st = tm_matcher_run(&a->candidates, &a->log, err);
    return st == TM_OK ? tm_evidence_find(&a->evidence, &a->candidates.nodes, &a->log, err) : st;
}

enum tm_status tm_alignment_find(struct tm_alignment *a, int fd, const char *rules, const char *dir,
                                 struct tm_error *err)
{
    enum tm_status st = tm_alignment_begin(a, rules, dir, err);
    if (st == TM_OK)
        st = tm_candidates_read(&a->candidates, fd, err);
    if (st == TM_OK)
        st = tm_alignment_match(a, err);
    if (st == TM_OK)
        st = tm_network_find(&a->network, &a->evidence, &a->candidates.nodes, &a->candidates.catalog, err);
    return st == TM_OK ? report(a, err) : st;
}

struct tm_text tm_alignment_name(const struct tm_alignment *a, uint32_t file)
{
    const struct tm_catalog *c = &a->candidates.catalog;
    uint32_t at = file;
    while (at < c->file_count && c->files[at].has_parent &&
           (c->files[at].name.data == NULL || c->files[at].name.len == 0))
        at = c->files[at].parent;
    if (at < c->file_count && c->files[at].name.data)
        return c->files[at].name;
    return c->given_name.len ? c->given_name : tm_text_str("-");
}

void tm_alignment_path(const struct tm_alignment *a, uint32_t file, char *out, size_t size)
{
    const struct tm_text name = tm_alignment_name(a, file);
    tm_text_escape((const char *)name.data, name.len, out, size);
}

enum tm_status tm_alignment_rules(const struct tm_alignment *a, uint32_t rules, struct tm_buf *out)
{
    bool any = false;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < a->candidates.use_count && st == TM_OK; i++) {
        if (!(rules >> i & 1))
            continue;
        if (any)
            st = tm_buf_add_byte(out, ',');
        if (st == TM_OK)
            st = tm_buf_add_str(out, a->candidates.uses[i].given);
        any = true;
    }
    return st;
}

void tm_alignment_release(struct tm_alignment *a)
{
    tm_candidates_release(&a->candidates);
    tm_match_log_release(&a->log);
    tm_numbering_release(&a->numbering);
    tm_evidence_release(&a->evidence);
    tm_network_release(&a->network);
    free(a->files);
    free(a->placements);
    free(a->breaches);
}
