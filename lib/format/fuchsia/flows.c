#include "format/fuchsia/flows.h"

#include "base/hash.h"

#include <stdlib.h>

struct tm_fxt_flow {
    uint64_t id, flow;
    int64_t pid;
    bool used;
    bool shared; /* another process began a flow with this id too */
};

/* Returns the number of the flow of the first process that begins ID, and of flows whose begin is unknown. */
static uint64_t first_flow(uint64_t id)
{
    return tm_hash_u64(id);
}

static uint64_t own_flow(int64_t pid, uint64_t id)
{
    uint64_t key[2] = {(uint64_t)pid, id};
    return tm_hash64_numbers(key, 2, 0);
}

static uint64_t begin(struct tm_fxt_flow *own, struct tm_fxt_flow *first, int64_t pid, uint64_t id)
{
    if (!first->used || first->id != id)
        *first = (struct tm_fxt_flow){.id = id, .flow = first_flow(id), .pid = pid, .used = true};
    first->shared |= first->pid != pid;
    *own = *first;
    own->pid = pid;
    own->flow = first->pid == pid ? first->flow : own_flow(pid, id);
    return own->flow;
}

enum tm_status tm_fxt_flows_find(struct tm_fxt_flows *f, enum tm_fxt_flow_event event, int64_t pid, uint64_t id,
                                 uint64_t *flow, struct tm_error *err)
{
    if (f->own == NULL)
        f->own = calloc(TM_FXT_FLOWS, sizeof *f->own);
    if (f->first == NULL)
        f->first = calloc(TM_FXT_FLOWS, sizeof *f->first);
    if (f->own == NULL || f->first == NULL)
        return tm_error_nomem(err);
    struct tm_fxt_flow *own = &f->own[own_flow(pid, id) % TM_FXT_FLOWS];
    struct tm_fxt_flow *first = &f->first[first_flow(id) % TM_FXT_FLOWS];
    if (event == TM_FXT_FLOW_BEGIN) {
        *flow = begin(own, first, pid, id);
        return TM_OK;
    }
    bool is_own = own->used && own->pid == pid && own->id == id;
    bool is_known = first->used && first->id == id;
    *flow = is_own ? own->flow : is_known && first->shared ? own_flow(pid, id) : first_flow(id);
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
