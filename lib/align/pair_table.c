#include "align/pair_table.h"

#include "base/checked.h"

#include <stdlib.h>

/* Limits of what is kept of a pair. They are higher if there are at most FEW_PAIRS pairs. */
enum {
    FEW_PAIRS = 64,
    CONSTRAINTS_FEW = 1 << 14,
    CONSTRAINTS_MANY = 1 << 10,
    SAMPLES_FEW = 1 << 14,
    SAMPLES_MANY = 1 << 10
};

/* Finds or makes the pair of the files A and B, which differ. NULL: out of memory. Valid until the next call. */
static struct tm_pair *get_pair(struct tm_pair_table *table, uint32_t a, uint32_t b, struct tm_error *err)
{
    const struct tm_key key = {a < b ? a : b, a < b ? b : a, 0};
    struct tm_pair *last = table->count ? &table->pairs[table->last] : NULL;
    if (last && last->first == key.a && last->second == key.b)
        return last;
    int64_t at = tm_table_find(&table->index, &key);
    if (at != TM_TABLE_NONE) {
        table->last = (uint32_t)at;
        return &table->pairs[at];
    }
    if (tm_array_grow(&table->pairs, &table->cap, table->count, sizeof *table->pairs, err) < 0 ||
        tm_table_set(&table->index, &key, table->count, err) < 0)
        return NULL;
    table->last = table->count++;
    struct tm_pair *pair = &table->pairs[table->last];
    *pair = (struct tm_pair){.first = (uint32_t)key.a, .second = (uint32_t)key.b};
    return pair;
}

static enum tm_status keep_constraint(struct tm_pair *pair, const struct tm_constraint *c, uint32_t most,
                                      struct tm_error *err)
{
    uint64_t number = pair->seen[c->is_lower]++;
    if (number & ((UINT64_C(1) << pair->constraint_shift) - 1))
        return TM_OK;
    while (pair->constraint_count >= most) { /* keep every second one of each kind */
        uint32_t n = 0, of_kind[2] = {0, 0};
        for (uint32_t i = 0; i < pair->constraint_count; i++)
            if (of_kind[pair->constraints[i].is_lower]++ % 2 == 0)
                pair->constraints[n++] = pair->constraints[i];
        pair->constraint_count = n;
        pair->constraint_shift++;
    }
    if (tm_array_grow(&pair->constraints, &pair->constraint_cap, pair->constraint_count, sizeof *pair->constraints,
                      err) < 0)
        return err->status;
    pair->constraints[pair->constraint_count++] = *c;
    return TM_OK;
}

static enum tm_status add_to_hull(struct tm_pair *pair, const struct tm_constraint *c, struct tm_error *err)
{
    enum tm_status st = c->is_lower ? tm_hull_add(&pair->below, c->x, -c->z) : tm_hull_add(&pair->above, c->x, c->z);
    return st == TM_OK ? TM_OK : tm_error_nomem(err);
}

enum tm_status tm_pair_table_order(struct tm_pair_table *table, struct tm_node_event cause, struct tm_node_event effect,
                                   bool sifted, struct tm_error *err)
{
    struct tm_pair *pair = get_pair(table, cause.node, effect.node, err);
    bool is_lower = cause.node > effect.node;
    struct tm_constraint c = {.x = is_lower ? effect.ns : cause.ns, .is_lower = is_lower};
    if (pair == NULL)
        return err->status;
    if (pair->is_sifted != sifted || !tm_sub_i64(is_lower ? cause.ns : effect.ns, c.x, &c.z) || c.z == INT64_MIN)
        return TM_OK;
    if (!sifted) {
        if (keep_constraint(pair, &c, table->count > FEW_PAIRS ? CONSTRAINTS_MANY : CONSTRAINTS_FEW, err) < 0)
            return err->status;
    } else if (!tm_consensus_agrees(&pair->consensus, &c)) {
        pair->left_out++;
        return TM_OK;
    }
    return add_to_hull(pair, &c, err);
}

enum tm_status tm_pair_table_sample(struct tm_pair_table *table, struct tm_node_event a, struct tm_node_event b,
                                    const uint8_t orders[2], struct tm_error *err)
{
    struct tm_pair *pair = get_pair(table, a.node, b.node, err);
    uint32_t most = table->samples_max ? table->samples_max : table->count > FEW_PAIRS ? SAMPLES_MANY : SAMPLES_FEW;
    bool turned = a.node > b.node;
    struct tm_sample s = {.x = turned ? b.ns : a.ns, .order = orders[turned], .other_order = orders[!turned]};
    if (pair == NULL)
        return err->status;
    if (!tm_sub_i64(turned ? a.ns : b.ns, s.x, &s.y) ||
        (pair->samples_seen++ & ((UINT64_C(1) << pair->sample_shift) - 1)))
        return TM_OK;
    while (pair->sample_count >= most) {
        pair->sample_count /= 2;
        for (uint32_t i = 0; i < pair->sample_count; i++)
            pair->samples[i] = pair->samples[2 * i];
        pair->sample_shift++;
    }
    if (tm_array_grow(&pair->samples, &pair->sample_cap, pair->sample_count, sizeof *pair->samples, err) < 0)
        return err->status;
    pair->samples[pair->sample_count++] = s;
    return TM_OK;
}

/* Returns the corridor of PAIR that holds at X_NS. */
static const struct tm_corridor *corridor_at(const struct tm_pair *pair, int64_t x_ns)
{
    return pair->local ? tm_local_parts_at(pair->local, x_ns) : &pair->corridor;
}

/* Returns X_NS, or the nearest reading that PAIR's constraints cover. A part would widen beyond them by its own slopes;
 * those of the whole corridor are fewer. */
static int64_t covered(const struct tm_pair *pair, int64_t x_ns)
{
    if (pair->local == NULL)
        return x_ns;
    int64_t first = pair->constraints[0].x, last = pair->constraints[pair->constraint_count - 1].x;
    return x_ns < first ? first : x_ns > last ? last : x_ns;
}

/* Returns V, a bound of PAIR at the reading FROM_NS, as it is at X_NS: the greatest for HIGH, else the least. */
static int64_t carry(const struct tm_pair *pair, int64_t v, int64_t from_ns, int64_t x_ns, bool high)
{
    if (from_ns == x_ns || v == TM_UNBOUNDED_HIGH || v == TM_UNBOUNDED_LOW)
        return v;
    bool rises = (x_ns > from_ns) == high;
    tm_i128 more = (rises ? pair->corridor.slope_max : pair->corridor.slope_min) * ((tm_i128)x_ns - from_ns);
    return tm_clamp(v + (high ? tm_slope_ceil(more) : tm_slope_floor(more)), TM_OFFSET_MAX);
}

/* Returns the line of the estimate plus BY, an edge of the band. */
static int64_t edge_at(const struct tm_pair *pair, int64_t by, int64_t x_ns)
{
    return tm_clamp((tm_i128)tm_line_at(&pair->estimate, x_ns) + by, TM_OFFSET_MAX);
}

struct tm_local_constraints tm_pair_constraints(const struct tm_pair *pair)
{
    return (struct tm_local_constraints){.all = pair->constraints,
                                         .count = pair->constraint_count,
                                         .consensus = pair->is_sifted ? &pair->consensus : NULL,
                                         .line = pair->estimate,
                                         .has_waits = pair->sample_count > 0};
}

/* Returns Z_NS, a bound of a part of PAIR at the reading X_NS, or a stricter one by the constraints outside of it. */
static int64_t beyond_part(const struct tm_pair *pair, bool is_lower, int64_t x_ns, int64_t z_ns)
{
    if (pair->local == NULL || !pair->has_estimate || z_ns == TM_UNBOUNDED_HIGH || z_ns == TM_UNBOUNDED_LOW)
        return z_ns;
    const struct tm_local_constraints c = tm_pair_constraints(pair);
    return tm_local_bound(&c, is_lower, x_ns, z_ns);
}

int64_t tm_pair_high(const struct tm_pair *pair, int64_t x_ns)
{
    int64_t x = covered(pair, x_ns);
    if (!pair->is_uneven)
        return carry(pair, beyond_part(pair, false, x, tm_corridor_high(corridor_at(pair, x), x)), x, x_ns, true);
    return pair->band.high_ns == TM_UNBOUNDED_HIGH ? TM_UNBOUNDED_HIGH : edge_at(pair, pair->band.high_ns, x_ns);
}

int64_t tm_pair_low(const struct tm_pair *pair, int64_t x_ns)
{
    int64_t x = covered(pair, x_ns);
    if (!pair->is_uneven)
        return carry(pair, beyond_part(pair, true, x, tm_corridor_low(corridor_at(pair, x), x)), x, x_ns, false);
    return pair->band.low_ns == TM_UNBOUNDED_LOW ? TM_UNBOUNDED_LOW : edge_at(pair, pair->band.low_ns, x_ns);
}

int64_t tm_pair_slopes(const struct tm_pair *pair, int64_t x_ns)
{
    const struct tm_corridor *c = corridor_at(pair, x_ns);
    return pair->is_uneven ? 2 * TM_SLOPE_LIMIT : c->slope_max - c->slope_min;
}

void tm_pair_table_release(struct tm_pair_table *table)
{
    for (uint32_t i = 0; i < table->count; i++) {
        tm_hull_release(&table->pairs[i].above);
        tm_hull_release(&table->pairs[i].below);
        free(table->pairs[i].constraints);
        free(table->pairs[i].samples);
        tm_local_parts_free(table->pairs[i].local);
    }
    free(table->pairs);
    tm_table_release(&table->index);
    *table = (struct tm_pair_table){0};
}
