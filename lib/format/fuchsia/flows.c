#include "format/fuchsia/flows.h"

#include "base/hash.h"

#include <stdlib.h>

struct tm_fxt_flow {
    struct tm_fxt_flow_id id; /* in the table of ids: pid is the process that began it first */
    uint64_t flow;
    bool used;
    bool shared; /* another process began a flow with this id too */
};

/* Returns the number of the flow of the first process that begins ID, and of flows whose begin is unknown. */
static uint64_t first_flow(struct tm_fxt_flow_id id)
{
    return tm_hash_u64(id.id);
}

static uint64_t own_flow(struct tm_fxt_flow_id id)
{
    uint64_t key[2] = {(uint64_t)id.pid, id.id};
    return tm_hash64_numbers(key, 2, 0);
}

static uint64_t begin(struct tm_fxt_flow *own, struct tm_fxt_flow *first, struct tm_fxt_flow_id id)
{
    if (!first->used || first->id.id != id.id)
        *first = (struct tm_fxt_flow){.id = id, .flow = first_flow(id), .used = true};
    first->shared |= first->id.pid != id.pid;
    *own = *first;
    own->id = id;
    own->flow = first->id.pid == id.pid ? first->flow : own_flow(id);
    return own->flow;
}

enum tm_status tm_fxt_flows_find(struct tm_fxt_flows *f, enum tm_fxt_flow_event event, struct tm_fxt_flow_id id,
                                 uint64_t *flow, struct tm_error *err)
{
    if (f->own == NULL)
        f->own = calloc(TM_FXT_FLOWS, sizeof *f->own);
    if (f->first == NULL)
        f->first = calloc(TM_FXT_FLOWS, sizeof *f->first);
    if (f->own == NULL || f->first == NULL)
        return tm_error_nomem(err);
    struct tm_fxt_flow *own = &f->own[own_flow(id) % TM_FXT_FLOWS];
    struct tm_fxt_flow *first = &f->first[first_flow(id) % TM_FXT_FLOWS];
    if (event == TM_FXT_FLOW_BEGIN) {
        *flow = begin(own, first, id);
        return TM_OK;
    }
    bool is_own = own->used && own->id.pid == id.pid && own->id.id == id.id;
    bool is_known = first->used && first->id.id == id.id;
    *flow = is_own ? own->flow : is_known && first->shared ? own_flow(id) : first_flow(id);
    if (event == TM_FXT_FLOW_END) {
        if (is_own)
            own->used = false;
        if (is_known && first->flow == *flow)
            first->used = false;
    }
    return TM_OK;
}

void tm_fxt_flows_release(struct tm_fxt_flows *flows)
{
    free(flows->own);
    free(flows->first);
    *flows = (struct tm_fxt_flows){0};
}
