#include "model/flows.h"

#include <stdlib.h>

enum { PENDING_MAX = 1 << 16 };

/* A flow that ends at the next slice of a track. Entries of one track are linked. */
struct tm_pending_flow {
    struct tm_key flow;
    int64_t next; /* without a flow: the next place without one, coded like free_pending */
};

static const struct tm_flow_slice *find_in(const struct tm_flow_table *t, const struct tm_key *flow)
{
    int64_t i = tm_table_find(&t->table, flow);
    return i == TM_TABLE_NONE ? NULL : &t->slices[i];
}

static const struct tm_flow_slice *find(const struct tm_flows *flows, const struct tm_key *flow)
{
    const struct tm_flow_slice *slice = find_in(&flows->recent, flow);
    return slice ? slice : find_in(&flows->before, flow);
}

static void remove_flow(struct tm_flows *flows, const struct tm_key *flow)
{
    tm_table_remove(&flows->recent.table, flow);
    tm_table_remove(&flows->before.table, flow);
}

static enum tm_status remember(struct tm_flows *flows, const struct tm_key *flow, struct tm_flow_slice slice,
                               struct tm_error *err)
{
    struct tm_flow_table *t = &flows->recent;
    int64_t i = tm_table_find(&t->table, flow);
    enum tm_status st;
    if (i != TM_TABLE_NONE) {
        t->slices[i] = slice;
        return TM_OK;
    }
    if (t->count == TM_FLOWS_MAX) {
        struct tm_flow_table old = flows->before;
        flows->before = flows->recent;
        tm_table_clear(&old.table);
        old.count = 0;
        flows->recent = old;
    }
    if ((st = tm_array_grow(&t->slices, &t->cap, t->count, sizeof *t->slices, err)) < 0)
        return st;
    t->slices[t->count] = slice;
    return tm_table_set(&t->table, flow, t->count++, err);
}

void tm_flows_prefetch(const struct tm_flows *flows, const struct tm_key *flow)
{
    tm_table_prefetch(&flows->recent.table, flow);
    tm_table_prefetch(&flows->before.table, flow);
}

bool tm_flows_active(const struct tm_flows *flows, const struct tm_key *flow)
{
    return find(flows, flow) != NULL;
}

enum tm_status tm_flows_start(struct tm_flows *flows, const struct tm_key *flow, struct tm_flow_slice slice,
                              struct tm_error *err)
{
    if (find(flows, flow)) {
        flows->counts.duplicate++;
        return TM_OK;
    }
    return remember(flows, flow, slice, err);
}

/* Writes an arrow, which starts at the earlier of the two slices. */
static enum tm_status write_arrow(const struct tm_flows *flows, struct tm_flow_slice from, struct tm_flow_slice to,
                                  struct tm_error *err)
{
    return from.ts > to.ts ? flows->rows->flow(flows->rows->self, to.id, from.id, err)
                           : flows->rows->flow(flows->rows->self, from.id, to.id, err);
}

/* Writes the arrow of FLOW to SLICE. TM_END: the flow has not begun, which is counted. */
static enum tm_status continue_flow(struct tm_flows *flows, const struct tm_key *flow, struct tm_flow_slice slice,
                                    struct tm_error *err)
{
    const struct tm_flow_slice *last = find(flows, flow);
    if (last)
        return write_arrow(flows, *last, slice, err);
    flows->counts.without_start++;
    return TM_END;
}

enum tm_status tm_flows_step(struct tm_flows *flows, const struct tm_key *flow, struct tm_flow_slice slice,
                             struct tm_error *err)
{
    enum tm_status st = continue_flow(flows, flow, slice, err);
    if (st == TM_OK)
        st = remember(flows, flow, slice, err);
    return st < 0 ? st : TM_OK;
}

enum tm_status tm_flows_end(struct tm_flows *flows, const struct tm_key *flow, struct tm_flow_slice slice, bool close,
                            struct tm_error *err)
{
    enum tm_status st = continue_flow(flows, flow, slice, err);
    if (st == TM_OK && close)
        remove_flow(flows, flow);
    return st < 0 ? st : TM_OK;
}

/* Sets *AT to a place in PENDING that has no flow. TM_OK; TM_END: there is none; TM_E_SYSTEM. */
static enum tm_status take_place(struct tm_flows *flows, uint32_t *at, struct tm_error *err)
{
    if (flows->free_pending) {
        *at = flows->free_pending - 1;
        flows->free_pending = (uint32_t)flows->pending[*at].next;
        return TM_OK;
    }
    if (flows->pending_count >= PENDING_MAX)
        return TM_END;
    *at = flows->pending_count;
    enum tm_status st = tm_array_grow(&flows->pending, &flows->pending_cap, *at, sizeof *flows->pending, err);
    flows->pending_count += st == TM_OK;
    return st;
}

/* Frees the place AT in PENDING. Returns the next one of its track. */
static int64_t free_place(struct tm_flows *flows, int64_t at)
{
    const int64_t next = flows->pending[at].next;
    flows->pending[at].next = flows->free_pending;
    flows->free_pending = (uint32_t)at + 1;
    return next;
}

enum tm_status tm_flows_end_at_next(struct tm_flows *flows, const struct tm_key *flow, uint32_t track,
                                    struct tm_error *err)
{
    struct tm_key key = {track, 0, 0};
    uint32_t at;
    enum tm_status st = take_place(flows, &at, err);
    if (st == TM_END)
        flows->counts.without_slice++;
    if (st != TM_OK)
        return st < 0 ? st : TM_OK;
    flows->pending[at] = (struct tm_pending_flow){*flow, tm_table_find(&flows->pending_of_track, &key)};
    return tm_table_set(&flows->pending_of_track, &key, at, err);
}

enum tm_status tm_flows_begun(struct tm_flows *flows, uint32_t track, struct tm_flow_slice slice, struct tm_error *err)
{
    if (flows->pending_of_track.count == 0)
        return TM_OK;
    struct tm_key key = {track, 0, 0};
    int64_t i = tm_table_find(&flows->pending_of_track, &key);
    if (i == TM_TABLE_NONE)
        return TM_OK;
    tm_table_remove(&flows->pending_of_track, &key);
    while (i != TM_TABLE_NONE) {
        const struct tm_flow_slice *last = find(flows, &flows->pending[i].flow);
        i = free_place(flows, i);
        if (last == NULL) {
            flows->counts.without_start++;
            continue;
        }
        enum tm_status st = flows->rows->flow(flows->rows->self, last->id, slice.id, err);
        if (st < 0)
            return st;
    }
    return TM_OK;
}

void tm_flows_release(struct tm_flows *flows)
{
    tm_table_release(&flows->recent.table);
    tm_table_release(&flows->before.table);
    tm_table_release(&flows->pending_of_track);
    free(flows->recent.slices);
    free(flows->before.slices);
    free(flows->pending);
    *flows = (struct tm_flows){0};
}
